"""Annotations that are wrong in one of two stored runs only: broken or fixed by a new version."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from ..measures.alignment import ROLES
from ..measures.arrays import FloatArray
from ..measures.differences import (
    CORRECT,
    ERRORS,
    MISSING,
    RELATIONS,
    SPURIOUS,
    UNPLACED,
    differences,
)
from ..measures.spans import without_labels
from .common import Common


class _Span(NamedTuple):
    """A wrong span of gold or a prediction: equal ones are the same in both runs.

    One that fits no tokens has no place; its `number` is that among those of equal length.
    """

    role: str
    label: str
    start: int | None
    end: int
    number: int = 0


class _Error(NamedTuple):
    """A difference between gold and a prediction in a common document."""

    doc: int
    relation: int
    error: str
    spans: tuple[_Span, ...]


def _errors(both: Common, which: int, labels: bool) -> list[_Error]:
    """The errors of one run; without `labels` any label is right."""
    annotations = both.runs[which].annotations
    assert annotations is not None
    pair = annotations.part(both.docs[which], both.counts.labels)
    if not labels:
        pair = without_labels(pair[0]), without_labels(pair[1])
    rows, errors = differences(*pair), []
    for row in np.flatnonzero(rows.relation != CORRECT).tolist():
        found = [
            _Span(role, spans.labels[spans.label[at]], int(spans.start[at]), int(spans.end[at]))
            for role, spans, at in zip(ROLES, pair, (rows.gold[row], rows.pred[row]))
            if at >= 0
        ]
        error = ERRORS[rows.error[row]]
        errors.append(_Error(int(rows.doc[row]), int(rows.relation[row]), error, tuple(found)))
    unplaced = sorted(
        (doc, role, label, length)
        for role, spans in zip(ROLES, pair)
        for doc, label, length in spans.unplaced.tolist()
    )
    numbers = Counter[Any]()
    for doc, role, label, length in unplaced:
        numbers[doc, role, label, length] += 1
        number = numbers[doc, role, label, length]
        span = _Span(role, pair[0].labels[label], None, length, number)
        relation = MISSING if role == ROLES[0] else SPURIOUS
        errors.append(_Error(doc, relation, UNPLACED, (span,)))
    return errors


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
    old, new = _errors(both, 0, labels), _errors(both, 1, labels)
    result: dict[str, Any] = {}
    for name, key, errors, others in (("new", "before", new, old), ("fixed", "after", old, new)):
        wrong = {(one.doc, span): one.relation for one in others for span in one.spans}
        alone = [one for one in errors if any((one.doc, span) not in wrong for span in one.spans)]
        result[f"n_{name}"] = len(alone)
        result[name] = []
        for one in alone[:top]:
            # the gold span, if there is one, comes first
            relation = wrong.get((one.doc, one.spans[0])) if one.spans[0].role == "gold" else None
            other = None if relation is None else RELATIONS[relation]
            result[name].append(_plain_error(both, one) | {key: other})
    return result | {"n_both": len(new) - result["n_new"]}


def _plain_error(both: Common, error: _Error) -> dict[str, Any]:
    """An error as plain values."""
    spans = {span.role: _plain_span(both, error.doc, span) for span in error.spans}
    return {
        "document": both.counts.name(error.doc),
        "relation": RELATIONS[error.relation],
        "error": error.error,
        **{role: spans.get(role) for role in ROLES},
    }


def _plain_span(both: Common, doc: int, span: _Span) -> dict[str, Any]:
    """A span as plain values, with its text if either run has it."""
    if span.start is None:
        return {"label": span.label, "start": None, "end": None, "text": None}
    texts = (
        run.annotations.text(int(docs[doc]), span.start, span.end)
        for run, docs in zip(both.runs, both.docs)
        if run.annotations
    )
    text = next((text for text in texts if text is not None), None)
    return {"label": span.label, "start": span.start, "end": span.end, "text": text}


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
    low = np.flatnonzero(scores < below)
    low = low[np.argsort(scores[low], kind="stable")]
    listed: dict[int, list[dict[str, Any]]] = {doc: [] for doc in low.tolist()}
    for error in _errors(both, 1, labels):
        if error.doc in listed:
            listed[error.doc].append(_plain_error(both, error))
    return [
        {"document": both.counts.name(doc), name: float(scores[doc]), "errors": errors}
        for doc, errors in listed.items()
    ]
