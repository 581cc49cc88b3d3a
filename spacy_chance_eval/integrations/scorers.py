"""spaCy scorers: spaCy's own scores, and ours beside them under one set of names."""

# annotations are not postponed: spaCy makes schemas of configs from those of registered functions

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from spacy.pipeline.dep_parser import parser_score
from spacy.training import Example

from ..measures.alignment import align
from ..measures.chance.expectation import prepared
from ..measures.docs import ReadExamples
from ..measures.matching import Hits
from ..measures.spans import Spans
from ..metrics.catalog import CHOICES, Number
from ..metrics.request import Request, request
from ..scoring.counts import PRED, count_predictions
from ..scoring.scores import score_totals
from ..scoring.statistics import Scores, headline
from ..scoring.trees import evaluate_trees
from ..spacy_docs.docs import lexeme_information, spans_of_examples
from ..spacy_docs.tree_docs import trees_of_examples
from .usual import usual_ent_scores, usual_group_scores

TOKEN_INFORMATION = ("constant", "corpus", "lexeme_prob")

SpacyScores: TypeAlias = dict[str, Any]  # numbers, or by label; None without gold


@dataclass(frozen=True)
class ScorerSettings:
    """How a layer is scored."""

    unit: str
    chance: str
    encoding: str
    token_information: str

    def __post_init__(self) -> None:
        choices = {**CHOICES, "token_information": TOKEN_INFORMATION}
        for name, value in asdict(self).items():
            known = choices[name]
            if not isinstance(known, Number) and value not in known:
                raise ValueError(f"{name} is {value!r}; expected one of {', '.join(known)}")


def score_ents(
    settings: ScorerSettings, /, examples: Iterable[Example], **pipe_settings: Any
) -> SpacyScores:
    """spaCy's scores of entities, and ours."""
    examples = ReadExamples(examples)
    scores = chance_scores(examples, "ents", "ents", settings)
    usual = usual_ent_scores(examples, **pipe_settings)
    return {**usual, **scores, **as_span_group(scores, "ents", "spans_corrected_ents")}


def score_span_group(
    settings: ScorerSettings,
    spans_key: str | None,
    allow_overlap: bool,
    /,
    examples: Iterable[Example],
    **pipe_settings: Any,
) -> SpacyScores:
    """spaCy's scores of a span group, and ours."""
    examples = ReadExamples(examples)
    key = _spans_key(spans_key, pipe_settings)
    layer, prefix = f"spans:{key}", f"spans_{key}"
    scores = chance_scores(examples, layer, prefix, settings, filtered=not allow_overlap)
    usual = usual_group_scores(examples, key, **pipe_settings)
    return {**usual, **scores, **as_span_group(scores, prefix, f"spans_corrected_{key}")}


def _spans_key(given: str | None, pipe_settings: Mapping[str, Any]) -> str:
    """The span group that is scored: the one of the scorer, of the component, or "sc"."""
    return given or pipe_settings.get("spans_key") or "sc"


def scored_layer(pipe: Any) -> tuple[str, ScorerSettings, bool] | None:
    """The settings by which the scorer of a component is scored beyond chance, and its filter.

    None for components without one of our scorers of spans.
    """
    task = getattr(pipe, "task", None)  # of spacy-llm's component, whose task has the scorer
    scorer = getattr(pipe, "scorer", None) or getattr(task, "_scorer", None)
    if isinstance(scorer, partial) and scorer.func is score_ents:
        return "ents", scorer.args[0], False
    if isinstance(scorer, partial) and scorer.func is score_span_group:
        settings, key, allow_overlap = scorer.args
        cfg = getattr(pipe, "cfg", None) or {"spans_key": getattr(task, "spans_key", None)}
        key = _spans_key(key, cfg)
        return f"spans:{key}", settings, not allow_overlap
    return None


def chance_scores(
    examples: Sequence[Example],
    layer: str,
    prefix: str,
    settings: ScorerSettings,
    *,
    pred_layer: str | None = None,
    filtered: bool = False,
) -> SpacyScores:
    """Our scores of a layer as spaCy wants them: finite floats if any document has gold annotation.

    `<prefix>_p_corrected`, `_r_corrected`, `_f_corrected`, `_f_expected`, `_f_observed` (which
    differs from spaCy's `_f` where predictions do not fit the gold tokens), `_token_f`,
    `_token_f_expected`, `_token_f_corrected`, `_slicm` (bits), `_slicm_norm` and
    `_corrected_per_type`. An undefined score is 0.0, so that training goes on; without gold all are
    None.

    Parameters
    ----------
    filtered : bool
        Of overlapping spans of a group count the longest only, then the first.
    """
    information: Any = settings.token_information
    gold, pred = spans_of_examples(
        examples,
        layer,
        pred_layer,
        words=information != "constant",
        filtered=filtered,
    )
    if information == "lexeme_prob" and gold.n_docs:
        information = lexeme_information(examples[0].y.vocab)
    annotated = bool(gold.seen.any())
    scores: dict[str, Scores] = {}
    used: dict[str, tuple[int, int]] = {}
    if annotated:
        requests = _requests(settings, information)
        scores, used = _scores_of_spans(gold, pred, requests, settings)
    result: SpacyScores = {
        f"{prefix}_{name}": _number(scores[metric], part) if annotated else None
        for name, (metric, part) in COLUMNS.items()
    }
    result[f"{prefix}_{PER_TYPE}"] = _per_type(scores, used) if annotated else None
    return result


def as_span_group(scores: Mapping[str, Any], prefix: str, group: str) -> SpacyScores:
    """The corrected scores under names that `spacy evaluate` prints for a span group."""
    renamed = {f"{group}_{name}": scores[f"{prefix}_{name}_corrected"] for name in "prf"}
    per_type = scores[f"{prefix}_corrected_per_type"]
    renamed[f"{group}_per_type"] = per_type and {
        label: {name: row[f"{name}_corrected"] for name in "prf"} for label, row in per_type.items()
    }
    return renamed


# ends of the names of scores, and the metric and part that each is
COLUMNS = {
    "p_corrected": ("p", "corrected"),
    "r_corrected": ("r", "corrected"),
    "f_corrected": ("f", "corrected"),
    "f_expected": ("f", "expected"),
    "f_observed": ("f", "observed"),
    "token_f": ("token_f", "observed"),
    "token_f_expected": ("token_f", "expected"),
    "token_f_corrected": ("token_f", "corrected"),
    "slicm": ("slicm", "observed"),
    "slicm_norm": ("slicm_norm", "observed"),
}
PER_TYPE = "corrected_per_type"


def score_names(prefix: str) -> list[str]:
    """The names of the scores of a layer that `chance_scores` gives."""
    return [f"{prefix}_{name}" for name in (*COLUMNS, PER_TYPE)]


def _scores_of_spans(
    gold: Spans, pred: Spans, requests: Mapping[str, Request], settings: ScorerSettings
) -> tuple[dict[str, Scores], dict[str, tuple[int, int]]]:
    """Scores by name, of all labels and then of each; {label: (its column, number of gold spans)}.

    The numbers of `evaluate`, without those that nobody reads in a training (such as means over
    documents), and with the places that chance gives to segments computed once for all metrics:
    of a small evaluation all that would be the greater part.
    """
    gold, pred = align(gold, pred)
    gold, pred = prepared(gold, pred, settings.unit)
    counts = count_predictions({PRED: (gold, pred)}, requests.values(), statistics_only=True)
    scores = {name: score_totals(counts, metric) for name, metric in requests.items()}
    hits = counts.statistics(requests["f"]).observed.total()  # the mass of spans is their number
    assert isinstance(hits, Hits)
    used = np.flatnonzero(hits.gold + hits.pred)
    return scores, {gold.labels[i]: (i + 1, int(hits.gold[i])) for i in used}


def _requests(settings: ScorerSettings, information: Any) -> dict[str, Request]:
    """The metrics behind the scores."""
    correction = {"unit": settings.unit, "chance": settings.chance}
    return {
        "p": request("span_precision", **correction),
        "r": request("span_recall", **correction),
        "f": request("span_f", **correction),
        "token_f": request("token_f", encoding=settings.encoding, **correction),
        "slicm": request("slicm", token_information=information),
        "slicm_norm": request("slicm_norm", token_information=information),
    }


def _per_type(
    scores: Mapping[str, Scores], used: Mapping[str, tuple[int, int]]
) -> dict[str, dict[str, float]]:
    """By label: observed p, r, f; corrected p, r, f; expected f; number of gold spans."""
    return {
        label: {
            **{name: _number(scores[name], "observed", column) for name in "prf"},
            **{f"{name}_corrected": _number(scores[name], "corrected", column) for name in "prf"},
            "f_expected": _number(scores["f"], "expected", column),
            "support": support,
        }
        for label, (column, support) in used.items()
    }


def _number(scores: Scores, part: str, column: int = 0) -> float:
    """One score; the headline for the corrected one, which is the observed one with chance=none."""
    found = headline(scores) if part == "corrected" else scores.get(part)
    return _finite(None if found is None else found[column])


def _finite(number: float | None) -> float:
    """A score that spaCy can weigh and write: 0.0 if it is undefined."""
    return 0.0 if number is None or number != number else float(number)


KEYS = {
    "dep_alpha": "corrected",
    "dep_alpha_observed": "observed",
    "dep_alpha_expected": "expected",
}
STANDARD_ERROR = "dep_alpha_standard_error"


def score_parses(
    metric: Request, cycles: str, /, examples: Iterable[Example], **pipe_settings: Any
) -> SpacyScores:
    """spaCy's scores of dependencies, and ours."""
    examples = list(examples)
    usual = parser_score(examples, **pipe_settings)
    return {**usual, **_tree_scores(examples, metric, cycles)}


def _tree_scores(examples: Sequence[Example], metric: Request, cycles: str) -> SpacyScores:
    """Alpha of gold and prediction as spaCy wants it: finite floats if any sentence has a tree.

    `dep_alpha`, and the agreement `dep_alpha_observed` and `dep_alpha_expected` that it is made of
    (1 less the mean squared distance, so mostly far below 0: only `dep_alpha` is for the console of
    a training). All tokens count, with punctuation; trees are those of `trees_of_examples`. An
    undefined score is 0.0, so that training goes on; so are all without a gold sentence in which
    every token has a relation. Without any relation in gold all are None.
    `dep_alpha_standard_error` is that of `dep_alpha` from drawing pairs: 0.0 if all pairs are
    compared, None if it is unknown.
    """
    gold, pred = trees_of_examples(examples, cycles=cycles)
    if not gold.seen.any():
        annotated = any(example.y.has_annotation("DEP") for example in examples)
        return dict.fromkeys(KEYS, 0.0 if annotated else None) | {STANDARD_ERROR: None}
    score = evaluate_trees(gold, pred, [metric])[str(metric)]
    error = score.standard_error if metric.parameters["sample"] else 0.0
    return {key: _finite(getattr(score, part)) for key, part in KEYS.items()} | {
        STANDARD_ERROR: error
    }
