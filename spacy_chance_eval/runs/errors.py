"""Annotations that are wrong in one of two stored runs only: broken or fixed by a new version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import FloatArray, IntArray
from ..measures.differences import (
    CORRECT,
    ERRORS,
    MISSING,
    RELATIONS,
    SPURIOUS,
    UNPLACED,
    Differences,
    differences,
)
from ..measures.spans import Spans, without_labels
from .common import Common

UNPLACED_RELATIONS = {"gold": MISSING, "pred": SPURIOUS}

_Span: TypeAlias = tuple[str, int, int, int, int]  # role, document, start, end, label
_Unplaced: TypeAlias = tuple[int, str, int, int]  # document, role, label, length


@dataclass(frozen=True, eq=False)
class _WrongSpans:
    """The errors of one run.

    `wrong` are the rows of `differences` that are wrong; `relations` maps every wrong span of gold
    or prediction to its relation.
    """

    gold: Spans
    pred: Spans
    differences: Differences
    wrong: IntArray
    relations: dict[_Span, str]

    def spans(self, row: int) -> Iterator[_Span]:
        """The wrong spans of a row of the differences."""
        for role, spans, at in (
            ("gold", self.gold, self.differences.gold[row]),
            ("pred", self.pred, self.differences.pred[row]),
        ):
            if at >= 0:
                columns = (spans.doc, spans.start, spans.end, spans.label)
                doc, start, end, label = (int(column[at]) for column in columns)
                yield role, doc, start, end, label

    def unplaced(self) -> Counter[_Unplaced]:
        """How often there is a span that fits no tokens."""
        return Counter(
            (doc, role, label, length)
            for role, spans in (("gold", self.gold), ("pred", self.pred))
            for doc, label, length in spans.unplaced.tolist()
        )


def _wrong_spans(both: Common, which: int, labels: bool) -> _WrongSpans:
    """The errors of one run in the common documents; without `labels` any label is right."""
    annotations = both.runs[which].annotations
    assert annotations is not None
    gold, pred = annotations.part(both.docs[which], both.labels)
    if not labels:
        gold, pred = without_labels(gold), without_labels(pred)
    rows = differences(gold, pred)
    found = _WrongSpans(gold, pred, rows, np.flatnonzero(rows.relation != CORRECT), {})
    for row in found.wrong.tolist():
        relation = RELATIONS[rows.relation[row]]
        found.relations.update(dict.fromkeys(found.spans(row), relation))
    return found


def new_and_fixed(both: Common, top: int | None = None) -> dict[str, Any] | None:
    """Wrong annotations of the new run that were not wrong before, and the other way round.

    Returns
    -------
    dict or None
        Numbers of "n_new", "n_fixed" and "n_both" (wrong in both, alike), and lists "new" and
        "fixed" of at most `top` each; None unless both runs have annotations. `before` (or, of
        fixed ones, `after`) is the error of the gold span in the other run, if it has one there.
        Labels do not count if no metric sees them.
    """
    if any(run.annotations is None for run in both.runs):
        return None
    labels = not all(one.request.ignores_labels for one in both.metrics.values())
    old, new = _wrong_spans(both, 0, labels), _wrong_spans(both, 1, labels)
    pairs = (new, old), (old, new)
    rows = [
        [row for row in one.wrong.tolist() if not other.relations.keys() >= set(one.spans(row))]
        for one, other in pairs
    ]
    unplaced = [list((one.unplaced() - other.unplaced()).elements()) for one, other in pairs]
    n_wrong = len(new.wrong) + new.unplaced().total()
    result: dict[str, Any] = {
        name: len(rows[i]) + len(unplaced[i]) for i, name in enumerate(("n_new", "n_fixed"))
    }
    result["n_both"] = n_wrong - result["n_new"]
    for i, (name, key) in enumerate((("new", "before"), ("fixed", "after"))):
        one, other = pairs[i]
        listed = [
            _error_row(both, one, row) | {key: _relation_in(other, one, row)}
            for row in rows[i][:top]
        ]
        listed += [
            _unplaced_row(both, one, *span) | {key: None} for span in sorted(unplaced[i])[:top]
        ]
        result[name] = listed[:top]
    return result


def _relation_in(other: _WrongSpans, one: _WrongSpans, row: int) -> str | None:
    """The gold span of a row in the other run; None if it is right there."""
    gold = [span for span in one.spans(row) if span[0] == "gold"]
    return other.relations.get(gold[0]) if gold else None


def _error_row(both: Common, run: _WrongSpans, row: int) -> dict[str, Any]:
    """One row of the differences as plain values."""
    rows = run.differences
    doc = int(rows.doc[row])
    return {
        "document": both.name(doc),
        "relation": RELATIONS[rows.relation[row]],
        "error": ERRORS[rows.error[row]],
        "gold": _plain_span(both, doc, run.gold, int(rows.gold[row])),
        "pred": _plain_span(both, doc, run.pred, int(rows.pred[row])),
    }


def _plain_span(both: Common, doc: int, spans: Spans, row: int) -> dict[str, Any] | None:
    """A span as plain values, with its text if either run has it; None for row -1."""
    if row < 0:
        return None
    start, end = int(spans.start[row]), int(spans.end[row])
    texts = (
        run.annotations.text(int(docs[doc]), start, end)
        for run, docs in zip(both.runs, both.docs)
        if run.annotations
    )
    text = next((text for text in texts if text is not None), None)
    return {"label": spans.labels[spans.label[row]], "start": start, "end": end, "text": text}


def _unplaced_row(
    both: Common, run: _WrongSpans, doc: int, role: str, label: int, length: int
) -> dict[str, Any]:
    """A span that fits no tokens, as plain values."""
    span = {"label": run.gold.labels[label], "start": None, "end": None, "text": None}
    return {
        "document": both.name(doc),
        "relation": RELATIONS[UNPLACED_RELATIONS[role]],
        "error": UNPLACED,
        **{"gold": None, "pred": None, role: span},
    }


def errors_below(
    both: Common, scores: FloatArray, name: str, below: float, labels: bool
) -> list[dict[str, Any]]:
    """The documents whose new score is lower than a threshold, the lowest first, and all errors.

    Parameters
    ----------
    scores : array of shape (n_docs,)
        Of the common documents in the new run.
    name : "corrected" or "observed"
        Of these scores.
    labels : bool
        Whether labels count.
    """
    new = _wrong_spans(both, 1, labels)
    low = np.flatnonzero(scores < below)
    low = low[np.argsort(scores[low], kind="stable")]
    placed: dict[int, list[dict[str, Any]]] = {}
    unplaced: dict[int, list[dict[str, Any]]] = {}
    for row in new.wrong[np.isin(new.differences.doc[new.wrong], low)].tolist():
        doc = int(new.differences.doc[row])
        placed.setdefault(doc, []).append(_error_row(both, new, row))
    for span in sorted(new.unplaced().elements()):
        unplaced.setdefault(span[0], []).append(_unplaced_row(both, new, *span))
    return [
        {
            "document": both.name(doc),
            name: float(scores[doc]),
            "errors": placed.get(doc, []) + unplaced.get(doc, []),
        }
        for doc in low.tolist()
    ]
