"""Why a score is what it is: masses, matches and information, observed and by chance.

`explain_document` goes through one document span by span and token by token; `explain_corpus` says
which documents and labels carry the matches that chance is expected to make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.pairs import CorpusPair
from ..formats import Document
from ..formats.errors import similar_names
from ..measures.alignment import ROLES, units, with_labels
from ..measures.arrays import Array, FloatArray
from ..measures.chance.distributions import fields_of
from ..measures.chance.expectation import check_placement
from ..measures.fragments import refuse_fragments
from ..measures.matching import Hits
from ..measures.messages import quoted
from ..measures.slicm import Prior, count_words, sequence_prior, slicm_information
from ..measures.spans import Spans
from ..measures.stats import Additive, ratio
from ..metrics.catalog import CATALOG
from ..metrics.request import IGNORE, Request, request
from ..scoring.statistics import NAMES, Statistics, columns, plain, total_and_labels
from .diff import Result, TextOf, check_known, span_values, text_of

LEVELS = ("span", "token")
SCORES = ("precision", "recall", "f")
DRAWN = (
    "no formula gives this expectation: of nested spans take encoding IO, of discontinuous ones "
    "overlapping chance, or let `score` estimate it from random annotations"
)
CLOSE = 5  # names that a message offers


@dataclass(frozen=True)
class Model:
    """How chance places segments, and how tokens and information are counted.

    Names and values are those of the parameters of `token_f` and `slicm`; there has to be a chance
    model.
    """

    chance: str = "disjoint"
    unit: str = "sentence"
    encoding: str = "IO"
    token_information: str | Mapping[str, float] = "constant"
    rank: str = "position"
    matching: str = "mutual"
    labels: str = "compare"

    def __post_init__(self) -> None:
        if self.chance == "none":
            raise ValueError(
                "chance is 'none': without a chance model there is no expectation to explain; "
                "expected disjoint, overlapping, nested or uniform"
            )
        for metric in ("token_f", "slicm"):
            self.request(metric)

    @classmethod
    def from_requests(cls, requests: Iterable[Request]) -> Model:
        """The chance model, and the parameters of token F and SL-ICM, that metrics have."""
        given: dict[str, Any] = {}
        for one in requests:
            names = {field.name for field in fields(cls)} - {"labels"}
            names -= set() if has_model(one) else {"chance", "unit"}
            given |= {name: value for name, value in one.parameters.items() if name in names}
        return cls(**given)

    def request(self, metric: str) -> Request:
        """The `Request` of a metric with those of these parameters that it has."""
        known = {field.name for field in fields(self)} & CATALOG[metric].parameters.keys()
        if CATALOG[metric].parameters.get("chance") == "none":
            known -= {"chance", "unit"}  # corrected by drawing only
        return request(metric, **{name: getattr(self, name) for name in {*known, "labels"}})


def has_model(request: Request) -> bool:
    """Whether a metric has a chance model, unless it is asked for without."""
    return request.row.parameters.get("chance", "none") != "none"


def _model_of(compared: CorpusPair, model: Model | None) -> Model:
    """The model, whose metrics ignore labels if a comparison does."""
    model = model or Model()
    return replace(model, labels=IGNORE) if compared.ignores_labels else model


def explain_document(
    compared: CorpusPair, name: str, *, labels: Iterable[str] = (), model: Model | None = None
) -> Result:
    """All that the scores of one document are made of, as plain values ready for JSON.

    The document is called by its name, or its number from 1; `labels` are by default those that
    gold or the prediction uses in it. The `labels` of the result hold an entry for all of them
    together (label None), then for each: `span` and `token` (masses and scores, observed and
    expected), `slicm`; and for each label its `spans` and, per unit of text, where they fall by
    chance.

    Raises
    ------
    ValueError
        For an unknown document or label, a document that is not annotated in both, or spans that
        contradict the chance model.
    """
    model = _model_of(compared, model)
    gold, pred = compared.aligned()
    refuse_fragments("explain", gold, pred)
    names = compared.document_names
    doc_index = _doc_index(names, name)
    labels = tuple(labels)
    check_known(labels, gold.labels, "label")
    if not gold.seen[doc_index]:
        raise ValueError(
            f"{quoted(names[doc_index])} is not annotated in both gold and prediction; there is no "
            "score"
        )
    case = _case(compared, doc_index, gold.labels, labels)
    document = compared.gold.documents[doc_index]
    size = int(case.gold.sizes[0])
    entries = _entries(case, gold, model)
    placements = _placements(case, model)
    return {
        **_header(compared, model, gold, pred),
        "document": names[doc_index],
        "place": doc_index,
        "n": size,
        "units": units(case.gold, case.pred, model.unit)[:, 1:].tolist(),
        "text": text_of(document, compared.positions)(0, size),
        "tokens": _tokens(document, compared.positions),
        "labels": [
            {"label": None, **entries[0]},
            *(
                {
                    "label": case.gold.labels[label],
                    **_label_spans(case, label),
                    **entry,
                    "units": placements[label],
                }
                for label, entry in zip(case.labels, entries[1:])
            ),
        ],
    }


def explain_corpus(
    compared: CorpusPair, *, labels: Iterable[str] = (), model: Model | None = None
) -> Result:
    """Which documents and labels carry the matches that chance is expected to make; plain values.

    `levels` holds, for spans and for tokens, the masses and scores in `total`, and the shares of
    the expected matches `by_label` and by `documents`, the largest first.

    Raises
    ------
    ValueError
        For an unknown label, nothing that both annotated, or spans that contradict the chance
        model.
    """
    model = _model_of(compared, model)
    gold, pred = compared.aligned()
    labels = tuple(labels)
    check_known(labels, gold.labels, "label")
    if not gold.seen.any():
        raise ValueError(
            "no document is annotated in both gold and prediction; there is nothing to explain"
        )
    indices = _label_indices(gold, pred, labels)
    names = compared.document_names
    levels = {}
    for level in LEVELS:
        statistics = _statistics(gold, pred, level, model, indices)
        total, *rows = _level_rows(statistics, level, model)
        by_label, documents = [], []
        if statistics.expected is not None:
            expected = np.array([row["expected"]["matches"] for row in rows], float)
            by_label = [
                {"label": gold.labels[indices[i]], **rows[i], **share}
                for i, share in _shares(expected)
            ]
            documents = [
                {"document": names[row["place"]], **row}
                for row in _document_rows(gold, statistics, level, model)
            ]
        levels[level] = {"total": total, "by_label": by_label, "documents": documents}
    counts = {"n_docs": int(gold.seen.sum()), "n_skipped": int((~gold.seen).sum())}
    return {**_header(compared, model, gold, pred), **counts, "levels": levels}


def _header(compared: CorpusPair, model: Model, gold: Spans, pred: Spans) -> Result:
    """The comparison and its settings; `gold` and `pred` are the aligned spans of the corpus."""
    return {
        **compared.described(),
        "warnings": compared.warnings_of(gold, pred),
        **{name: getattr(model, name) for name in ("chance", "unit", "encoding")},
        "version": __version__,
    }


# --- the document and its spans


@dataclass(frozen=True, eq=False)
class _Case:
    """One document: both aligned, indices of the labels, and all spans as plain values."""

    gold: Spans
    pred: Spans
    labels: list[int]
    gold_spans: list[Result]
    pred_spans: list[Result]


def _case(
    compared: CorpusPair, doc_index: int, all_labels: Sequence[str], labels: Sequence[str]
) -> _Case:
    """One document of a corpus; its labels are numbered as those of the corpus."""
    name = compared.document_names[doc_index]
    sides = [
        replace(side, documents=(replace(side.documents[doc_index], name=name),))
        for side in (compared.gold, compared.pred)
    ]
    one = replace(compared, gold=sides[0], pred=sides[1])
    gold, pred = (with_labels(side, all_labels) for side in one.aligned())
    text = text_of(sides[0].documents[0], compared.positions)
    indices = _label_indices(gold, pred, labels)
    return _Case(gold, pred, indices, _numbered_spans(gold, text), _numbered_spans(pred, text))


def _doc_index(names: Sequence[str], name: str) -> int:
    """Index of a document that is called by its name, or by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    close = similar_names(name, names, CLOSE) or names[:CLOSE]
    shown = ", ".join(map(repr, close))
    raise ValueError(
        f"there is no document {quoted(name)}; close to it: {shown}; give a name, or a number "
        f"from 1 to {len(names)}"
    )


def _label_indices(gold: Spans, pred: Spans, labels: Collection[str]) -> list[int]:
    """Indices of the labels: those named, or those that gold or the prediction uses."""
    used = labels or {*gold.used_labels(), *pred.used_labels()}
    return [i for i, label in enumerate(gold.labels) if label in used]


def _numbered_spans(spans: Spans, text: TextOf) -> list[Result]:
    """All spans of one of the two as plain values, numbered within each label."""
    counts: Counter[int] = Counter()
    rows = []
    for row, label in enumerate(spans.label.tolist()):
        counts[label] += 1
        rows.append({"number": counts[label], **span_values(spans, row, text)})
    return rows


def _label_spans(case: _Case, label: int) -> Result:
    """Gold and predicted spans of one label, and the lengths of unplaced ones."""
    sides = {"gold": (case.gold, case.gold_spans), "pred": (case.pred, case.pred_spans)}
    return {
        "spans": {
            side: [rows[row] for row in np.flatnonzero(spans.label == label)]
            for side, (spans, rows) in sides.items()
        },
        "unplaced": {
            side: spans.unplaced[spans.unplaced[:, 1] == label, 2].tolist()
            for side, (spans, _) in sides.items()
        },
    }


def _tokens(document: Document, positions: str) -> list[str] | None:
    """The tokens, or the characters; None where neither are known."""
    if positions == "char":
        return None if document.text is None else list(document.text)
    return list(document.words) or None


def _entries(case: _Case, gold: Spans, model: Model) -> list[Result]:
    """Masses, scores and information of all labels together, then of each.

    `gold` is that of the whole corpus, from which the information of labels and words comes.
    """
    rows = {
        level: _level_rows(
            _statistics(case.gold, case.pred, level, model, case.labels), level, model
        )
        for level in LEVELS
    }
    prior = sequence_prior(gold).total()
    word_counts = count_words(gold) if model.token_information == "corpus" else None
    rows["slicm"] = _information_rows(case, prior, word_counts, model)
    return [dict(zip(rows, parts)) for parts in zip(*rows.values())]


# --- spans and tokens, observed and by chance


def _statistics(
    gold: Spans, pred: Spans, level: str, model: Model, labels: Sequence[int]
) -> Statistics:
    """Observed masses of some labels and, where a formula gives them, expected ones."""
    asked = model.request(f"{level}_f")
    check_placement(gold, pred, asked.placement)
    metric = CATALOG[asked.metric]
    options = asked.only(metric.counted)
    observed = metric.count(gold, pred, **options)
    placement = {"placement": asked.placement, "unit": model.unit, **options}
    expected = metric.expected and metric.expected(gold, pred, observed, **placement)
    return Statistics(observed, expected).each(
        lambda part: part.each(lambda column: column[..., labels])
    )


def _level_rows(statistics: Statistics, level: str, model: Model) -> list[Result]:
    """Masses and scores of a level: for all labels together, then for each, as plain values."""
    total = statistics.total()
    observed, expected = (
        {name: np.append(column.sum(), column) for name, column in _masses(part).items()}
        for part in (total.observed, total.expected)
    )
    requests = {name: model.request(f"{level}_{name}") for name in SCORES}
    scores = {name: total_and_labels(one.scorer(), total) for name, one in requests.items()}
    names = {name: str(one) for name, one in requests.items()}
    return [
        {
            "metrics": names,
            "observed": _values_at(observed, i),
            "expected": None if total.expected is None else _values_at(expected, i),
            "scores": {name: _values_at(score, i, *NAMES) for name, score in scores.items()},
            "reason": DRAWN if total.expected is None else None,
        }
        for i in range(len(scores["f"]["observed"]))
    ]


def _masses(hits: Additive | None) -> dict[str, Array]:
    """Gold and predicted mass and matches; empty where nothing is expected."""
    if not isinstance(hits, Hits):
        return {}
    return {"gold": hits.gold, "pred": hits.pred, "matches": hits.correct}


def _values_at(columns: Mapping[str, Array], i: int, *also: str) -> Result:
    """One value of every column, as plain numbers; None for `also` that have no column."""
    return dict.fromkeys(also) | {name: plain(column[i]) for name, column in columns.items()}


def _shares(expected: FloatArray) -> Iterator[tuple[int, Result]]:
    """Indices of expectations, the largest first, with their shares of the sum.

    `cumulative` is the share of one and all before it; both are None where the sum is 0.
    """
    order = np.argsort(-expected, kind="stable")
    shares = ratio(expected[order], expected.sum())
    for i, one, several in zip(order.tolist(), shares, np.cumsum(shares)):
        yield i, {"share": plain(one), "cumulative": plain(several)}


def _document_rows(
    gold: Spans, statistics: Statistics, level: str, model: Model
) -> Iterator[Result]:
    """The share of each document in the expected matches, largest first, as plain values."""
    pooled = statistics.pooled()
    masses = [
        {name: column[:, 0] for name, column in _masses(part).items()}
        for part in (pooled.observed, pooled.expected)
    ]
    scores = columns(model.request(f"{level}_f").scorer(), pooled)
    f = {name: column[:, 0] for name, column in scores.items()}
    seen = np.flatnonzero(gold.seen)
    for i, share in _shares(masses[1]["matches"][seen]):
        doc_index = int(seen[i])
        yield {
            "place": doc_index,
            "observed": _values_at(masses[0], doc_index),
            "expected": _values_at(masses[1], doc_index),
            "scores": {"f": _values_at(f, doc_index, *NAMES)},
            **share,
        }


# --- information


def _information_rows(case: _Case, prior: Prior, word_counts: Any, model: Model) -> list[Result]:
    """SL-ICM with its sums of bits, of all labels together, then of each, as plain values.

    `prior` and `word_counts` are those of the whole corpus.
    """
    options = model.request("slicm").only(("token_information", "rank", "matching"))
    found = slicm_information(case.gold, case.pred, prior=prior, word_counts=word_counts, **options)
    total = found.each(lambda column: column[..., case.labels]).total()
    parts = {
        "gold": total.gold,
        "pred": total.pred,
        "common": total.common,
        "lost": total.gold - total.common,
        "noise": total.pred - total.common,
    }
    bits = {name: np.append(column.sum(), column) for name, column in parts.items()}
    requests = {name: model.request(name) for name in ("slicm", "slicm_norm")}
    scores = {
        name: total_and_labels(one.scorer(), Statistics(total))["observed"]
        for name, one in requests.items()
    }
    return [
        {
            "metrics": {name: str(one) for name, one in requests.items()},
            "bits": _values_at(bits, i),
            "observed": plain(scores["slicm"][i]),
            "normalised": plain(scores["slicm_norm"][i]),
        }
        for i in range(len(scores["slicm"]))
    ]


# --- where segments fall by chance


def _placements(case: _Case, model: Model) -> dict[int, list[Result]]:
    """By label: where its segments fall by chance in each unit of text."""
    units: dict[int, list[Result]] = {label: [] for label in case.labels}
    options = {"placement": model.chance, "unit": model.unit, "encoding": model.encoding}
    for field in fields_of(case.gold, case.pred, **options):
        if field.label in units:
            common = field.common_items
            units[field.label].append(
                {
                    "start": field.start,
                    "end": field.end,
                    "n": field.end - field.start,
                    **{side: {"covered": getattr(field, side).covered.tolist()} for side in ROLES},
                    "common": None if common is None else common.tolist(),
                }
            )
    return units
