"""spaCy scorers: spaCy's own scores, and ours beside them under one set of names."""

from collections.abc import Callable

import numpy as np
from spacy.pipeline.dep_parser import parser_score
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf

from ..formats.errors import known
from ..measures.alignment import align
from ..measures.chance.expectation import prepared
from ..measures.trees.trees import BACKENDS, CYCLES
from ..metrics.catalog import CHOICES
from ..metrics.request import request
from ..scoring.counts import PRED, count_predictions
from ..scoring.scores import score_totals
from ..scoring.trees import evaluate_trees
from ..spacy_docs.docs import lexeme_information, spans_of_examples
from ..spacy_docs.tree_docs import trees_of_examples

TOKEN_INFORMATION = ("constant", "corpus", "lexeme_prob")


def make_ner_scorer(
    unit: str = "doc",
    chance: str = "disjoint",
    encoding: str = "IO",
    token_information: str = "constant",
) -> Callable:
    """A scorer for entities: `ents_p/r/f`, `ents_per_type` as spaCy has them, and `chance_scores`.

    Parameters
    ----------
    unit : "doc" or "sent"
        What the chance model randomises over.
    chance : "disjoint", "overlapping", "nested", "uniform" or "none"
    encoding : "IO", "BIO", "BIOE" or "IO*"
        What the token scores count.
    token_information : "constant", "corpus" or "lexeme_prob"
        Bits of a token, for SL-ICM.
    """
    settings = checked(unit, chance, encoding, token_information)

    def score(examples, **pipe_settings):
        examples = list(examples)
        return {
            **get_ner_prf(examples, **pipe_settings),
            **chance_scores(examples, "ents", "ents", settings),
        }

    return score


def make_spancat_scorer(
    spans_key: str | None = None,
    allow_overlap: bool = True,
    unit: str = "doc",
    chance: str = "overlapping",
    encoding: str = "IO",
    token_information: str = "constant",
) -> Callable:
    """A scorer for a span group: `spans_<key>_p/r/f`, `_per_type` as spaCy has them, and ours.

    Parameters
    ----------
    spans_key : str, optional
        The group; by default the one of the component, else "sc".
    allow_overlap : bool
        If not, of overlapping spans the longest, then the first, is kept in our scores.
    unit, chance, encoding, token_information
        As for the entities.
    """
    settings = checked(unit, chance, encoding, token_information)

    def score(examples, **pipe_settings):
        examples = list(examples)
        key = spans_key or pipe_settings.get("spans_key") or "sc"
        layer, prefix = f"spans:{key}", f"spans_{key}"
        return {
            **spancat_score(examples, **{**pipe_settings, "spans_key": key}),
            **chance_scores(examples, layer, prefix, settings, filtered=not allow_overlap),
        }

    return score


def checked(unit, chance, encoding, token_information):
    """The settings as a dict, if they are known."""
    settings = {"unit": unit, "chance": chance, "encoding": encoding}
    known = {**CHOICES, "token_information": TOKEN_INFORMATION}
    settings["token_information"] = token_information
    for name, value in settings.items():
        if value not in known[name]:
            choices = ", ".join(known[name])
            raise ValueError(f"{name} is {value!r}; expected one of {choices}")
    return settings


def chance_scores(examples, layer, prefix, settings, *, pred_layer=None, filtered=False):
    """Our scores of a layer as spaCy wants them: finite floats if any document has gold annotation.

    `<prefix>_p_corrected`, `_r_corrected`, `_f_corrected`, `_f_expected`, `_f_observed` (which
    differs from spaCy's `_f` where predictions do not fit the gold tokens), `_token_f`,
    `_token_f_expected`, `_token_f_corrected`, `_slicm` (bits), `_slicm_norm` and
    `_corrected_per_type`. An undefined score is 0.0, so that training goes on; without gold all are
    None.
    """
    information = settings["token_information"]
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
    wanted = requests(settings, information)
    scores, used = counted(gold, pred, wanted, settings) if annotated else ({}, {})
    columns = {
        "p_corrected": ("p", "value"),
        "r_corrected": ("r", "value"),
        "f_corrected": ("f", "value"),
        "f_expected": ("f", "expected"),
        "f_observed": ("f", "observed"),
        "token_f": ("token_f", "observed"),
        "token_f_expected": ("token_f", "expected"),
        "token_f_corrected": ("token_f", "value"),
        "slicm": ("slicm", "value"),
        "slicm_norm": ("slicm_norm", "value"),
    }
    found = {
        f"{prefix}_{name}": finite(scores[metric][part][0]) if annotated else None
        for name, (metric, part) in columns.items()
    }
    found[f"{prefix}_corrected_per_type"] = per_type(scores, used) if annotated else None
    return found


def counted(gold, pred, requests, settings):
    """Scores by name, of all labels and then of each; {label: (its place there, gold spans)}.

    The numbers of `evaluate`, without what nobody reads in a training (such as means over
    documents), and with the places that chance gives to segments worked out once for all metrics:
    of a small evaluation all that would be the greater part.
    """
    gold, pred = align(gold, pred)
    if settings["unit"] == "doc":
        both = settings["chance"] == "disjoint" and settings["encoding"] == "IO"
        gold, pred = prepared((gold, pred), edges=both)
    counts = count_predictions({PRED: (gold, pred)}, requests.values(), statistics_only=True)
    scores = {name: score_totals(counts, metric) for name, metric in requests.items()}
    spans = counts.statistics(requests["f"]).observed.total()  # the mass of spans is their number
    used = np.flatnonzero(spans.gold + spans.pred)
    return scores, {gold.labels[i]: (i + 1, int(spans.gold[i])) for i in used}


def requests(settings, information):
    """The metrics behind the scores."""
    correction = {"unit": settings["unit"], "chance": settings["chance"]}
    return {
        "p": request("span_precision", **correction),
        "r": request("span_recall", **correction),
        "f": request("span_f", **correction),
        "token_f": request("token_f", encoding=settings["encoding"], **correction),
        "slicm": request("slicm", token_information=information),
        "slicm_norm": request("slicm_norm", token_information=information),
    }


def per_type(scores, used):
    """By label: observed p, r, f; corrected p, r, f; expected f; number of gold spans."""
    return {
        label: {
            **{name: finite(scores[name]["observed"][at]) for name in "prf"},
            **{f"{name}_corrected": finite(scores[name]["value"][at]) for name in "prf"},
            "f_expected": finite(scores["f"]["expected"][at]),
            "support": support,
        }
        for label, (at, support) in used.items()
    }


def finite(number):
    """A score that spaCy can weigh and write."""
    return 0.0 if number is None or number != number else float(number)


KEYS = {
    "dep_alpha": "value",
    "dep_alpha_observed": "observed",
    "dep_alpha_expected": "expected",
}


def make_parser_scorer(
    delta: str = "plain",
    sample: int = 0,
    seed: int = 0,
    backend: str = "auto",
    cycles: str = "error",
) -> Callable:
    """A scorer for parsers: `dep_uas`, `dep_las`, `sents_f` ... as spaCy has them, and `dep_alpha`.

    Parameters
    ----------
    delta : "plain", "diff" or "norm"
        Of tree edit distances; only "plain" is a metric.
    sample : int
        Number of pairs of trees that are drawn for the expected disagreement; 0: all pairs.
    seed : int
        Of the draw.
    backend : "auto", "numpy" or "numba"
        What works out the distances; the results are equal.
    cycles : "error" or "reachable"
        What to make of heads that form a cycle. spaCy's parser never predicts one.
    """
    metric = request("syntax_alpha", delta=delta, sample=sample, seed=seed)
    settings = {
        "backend": known(backend, BACKENDS, "backend"),
        "cycles": known(cycles, CYCLES, "value of cycles"),
    }

    def score(examples, **pipe_settings):
        examples = list(examples)
        usual = parser_score(examples, **pipe_settings)
        return {**usual, **tree_scores(examples, metric, **settings)}

    return score


def tree_scores(examples, metric, *, backend="auto", cycles="error"):
    """Alpha of gold and prediction as spaCy wants it: finite floats if any sentence has a tree.

    `dep_alpha`, and the agreement `dep_alpha_observed` and `dep_alpha_expected` that it is made of
    (1 less the mean squared distance, so mostly far below 0: only `dep_alpha` is for the console of
    a training). All tokens count, with punctuation; trees are those of `trees_of_examples`. An
    undefined score is 0.0, so that training goes on; so are all without a gold sentence in which
    every token has a relation. Without any relation in gold all are None.
    """
    gold, pred = trees_of_examples(examples, cycles=cycles)
    if not gold.seen.any():
        annotated = any(example.y.has_annotation("DEP") for example in examples)
        return dict.fromkeys(KEYS, 0.0 if annotated else None)
    score = evaluate_trees(gold, pred, [metric], backend=backend)[str(metric)]
    return {key: finite(getattr(score, part)) for key, part in KEYS.items()}
