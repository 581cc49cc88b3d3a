"""Annotators of one corpus, aligned; and the units of text that the chance model works on."""

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from .arrays import BoolArray, IntArray, distinct
from .messages import quoted
from .spans import Places, Spans, moved_pieces, recoded, sorted_columns, sorted_rows, trusted

UNITS = ("sentence", "document")  # the first is the default
ROLES = ("gold", "pred")
ALIGN = ("auto", "tokens", "characters", "position")  # how files with other tokens are compared


def align(first: Spans, second: Spans) -> tuple[Spans, Spans]:
    """Two annotators of one corpus, restricted to the documents and tokens that both annotated.

    Labels become their sorted union. Only documents that both have seen stay `seen`; tokens that
    either did not annotate are removed, and so are the spans that contain one, a discontinuous span
    also in a gap (a span over a missing token is neither right nor wrong). Sentences are cut where
    either has a boundary.

    Parameters
    ----------
    first, second : Spans
        Of the same documents and tokens.

    Returns
    -------
    tuple of Spans
        Both, with the same labels, documents and tokens.

    Raises
    ------
    ValueError
        If the two do not have the same documents and tokens; names the first difference.
    """
    partners = first.partner is not None and first.partner is second.partner
    if partners and np.array_equal(first.seen, second.seen):  # of a panel each has its own,
        if first.seen[first.stretches[:, 0]].all():  # and others may have seen more
            return first, second
    if first.n_docs != second.n_docs:
        check_same_corpus(first, second)  # which raises
    first, second = align_seen((first, second), first.seen & second.seen)
    return first, second


def as_prediction(spans: Spans) -> Spans:
    """A prediction of all documents and tokens: what it leaves out is nothing predicted.

    Else it would choose the spans of gold that it is measured by. Its sentences do not count: those
    of gold do.
    """
    docs = np.flatnonzero(spans.sizes)
    whole = np.column_stack([docs, np.zeros_like(docs), spans.sizes[docs]])
    if spans.seen.all() and np.array_equal(spans.stretches, whole):
        return spans
    return trusted(
        spans,
        seen=np.ones_like(spans.seen),
        stretches=whole,
        sentences=np.zeros_like(spans.sentences),
        partner=None,
    )


def n_marked(spans: Spans) -> int:
    """The number of spans, also of those that fit no tokens."""
    return len(spans) + len(spans.unplaced)


def align_panel(annotators: Sequence[Spans]) -> tuple[Spans, ...]:
    """Any number of annotators of one corpus, restricted to the tokens that all annotated.

    Labels become their sorted union. Each annotator keeps the documents that they and at least one
    other have seen; a document loses the tokens that any annotator who saw it did not annotate, and
    the spans that contain one. Sentences are cut where anybody has a boundary.
    """
    number = reduce(np.add, (spans.seen.astype(np.int64) for spans in annotators))
    shared: BoolArray = number > 1
    return align_seen(annotators, shared)


def align_seen(annotators: Sequence[Spans], seen: BoolArray) -> tuple[Spans, ...]:
    """Annotators with common labels and tokens, restricted to the documents of a boolean array."""
    first, *others = annotators
    for other in others:
        check_same_corpus(first, other)
    stretches = first.stretches
    if any(other.stretches is not stretches for other in others):
        marked = map(marked_stretches, annotators)
        stretches = reduce(partial(common_stretches, first.offsets), marked)
    stretches = stretches[seen[stretches[:, 0]]]
    whole = join_touching(stretches, first.offsets)
    shared = {
        "labels": tuple(sorted(set().union(*(spans.labels for spans in annotators)))),
        "stretches": stretches,
        "partner": object(),
        "sentences": np.any([spans.sentences for spans in annotators], axis=0),
    }
    return tuple(_restrict(spans, whole, seen & spans.seen, shared) for spans in annotators)


def marked_stretches(spans: Spans) -> IntArray:
    """The stretches of an annotator; unseen documents are whole, so that they restrict nobody."""
    if spans.seen.all():
        return spans.stretches
    there = spans.stretches[spans.seen[spans.stretches[:, 0]]]
    unseen = np.flatnonzero(~spans.seen & (spans.sizes > 0))
    rows = np.column_stack([unseen, np.zeros_like(unseen), spans.sizes[unseen]])
    return sorted_rows(np.concatenate([there, rows]))


def check_same_corpus(first: Spans, second: Spans) -> None:
    """Raise ValueError at the first document or token in which two corpora differ."""
    if first.n_docs != second.n_docs:
        raise ValueError(
            f"{first.n_docs} documents against {second.n_docs}; both annotators must come with the "
            "same documents in the same order (mark those that one did not see as not seen)"
        )
    if first.sizes is second.sizes and first.words is second.words:
        return
    if first.words is None or second.words is None:
        _check_names(first, second)
    differ = np.flatnonzero(first.sizes != second.sizes)
    if first.words is not None and second.words is not None and first.words != second.words:
        pairs = zip(first.words, second.words)
        for at, (one, two) in enumerate(pairs):
            if one != two:
                doc = int(np.searchsorted(first.offsets, at, "right") - 1)
                if len(differ) and differ[0] < doc:
                    break
                raise ValueError(
                    f"{first.name(doc)}: token {at - first.offsets[doc] + 1} is {quoted(one)} for "
                    f"one annotator and {quoted(two)} for the other; score annotations of the same "
                    "tokens"
                )
    if len(differ):
        doc = differ[0]
        raise ValueError(
            f"{first.name(doc)} has {first.sizes[doc]} positions for one annotator and "
            f"{second.sizes[doc]} for the other; score annotations of the same tokens"
        )


def _check_names(first: Spans, second: Spans) -> None:
    """Raise ValueError where a name of one corpus stands at another place in the other one."""
    one, two = first.names, second.names
    if one is None or two is None or one is two or isinstance(one, Places) or one == two:
        return
    here = set(one)
    for place, (mine, theirs) in enumerate(zip(one, two), 1):
        if mine != theirs and theirs in here:
            raise ValueError(
                f"document {place} is {quoted(mine)} for one annotator and {quoted(theirs)} for "
                "the other, and both have the second one; bring the files together with "
                "pair(gold, pred) first"
            )


def _restrict(spans: Spans, whole: IntArray, seen: BoolArray, shared: dict[str, Any]) -> Spans:
    """Spans with the columns `shared`, without those that do not lie in a stretch of `whole`."""
    labels = shared["labels"]
    index = {name: i for i, name in enumerate(labels)}
    new_label = np.array([index[name] for name in spans.labels], np.int64)
    offset = spans.offsets[spans.doc]
    at = np.searchsorted(whole[:, 0], spans.start + offset, "right") - 1
    inside = (at >= 0) & seen[spans.doc]
    inside[inside] = (spans.end + offset)[inside] <= whole[at[inside], 1]
    unplaced = spans.unplaced[seen[spans.unplaced[:, 0]]]
    unplaced = np.column_stack([unplaced[:, 0], new_label[unplaced[:, 1]], unplaced[:, 2]])
    columns = spans.columns()
    if inside.all() and (np.diff(new_label) > 0).all():  # the order stays: no need to sort
        columns["label"] = new_label[spans.label]
    else:
        columns = {name: column[inside] for name, column in columns.items()}
        columns["label"] = new_label[columns["label"]]
        columns = sorted_columns(columns)
    return trusted(spans, **columns, **shared, unplaced=unplaced, seen=seen)


def with_labels(spans: Spans, labels: Iterable[str]) -> Spans:
    """The same spans with more labels: those given, sorted; they include the labels of `spans`."""
    labels = tuple(sorted(labels))
    if labels == spans.labels:
        return spans
    index = np.array([labels.index(name) for name in spans.labels], np.int64)
    return trusted(recoded(spans, index), labels=labels)


def common_stretches(offsets: IntArray, first: IntArray, second: IntArray) -> IntArray:
    """The tokens that two tables of stretches share, as stretches cut at boundaries of either."""
    if np.array_equal(first, second):
        return first
    sides = [side[:, 1:] + offsets[side[:, :1]] for side in (first, second)]
    cuts = distinct(*sides, offsets)
    start, end = cuts[:-1], cuts[1:]
    keep = np.ones(len(start), bool)
    for side in sides:
        at = np.searchsorted(side[:, 0], start, "right") - 1
        keep &= (at >= 0) & (end <= np.append(side[:, 1], 0)[at])
    start, end = start[keep], end[keep]
    doc = np.searchsorted(offsets, start, "right") - 1
    return np.column_stack([doc, start - offsets[doc], end - offsets[doc]])


def join_touching(stretches: IntArray, offsets: IntArray, cut: BoolArray | None = None) -> IntArray:
    """Stretches, those of one document that touch joined: rows (start, end), corpus-wide.

    Where `cut[i]` is true, stretch i is not joined to the one before.
    """
    if not len(stretches):
        return np.zeros((0, 2), np.int64)
    doc, start, end = stretches.T
    apart = np.ones(len(stretches), bool)
    apart[1:] = (doc[1:] != doc[:-1]) | (start[1:] != end[:-1])
    if cut is not None:
        apart |= cut
    last = np.append(apart[1:], True)
    return np.column_stack([start[apart] + offsets[doc[apart]], end[last] + offsets[doc[last]]])


def units(first: Spans, second: Spans, unit: str = "sentence") -> IntArray:
    """The units of text in which the chance model places spans: rows (doc, start, end).

    Positions are corpus-wide. Missing tokens belong to no unit.

    Units are sentences, where they are known, else documents; a span that crosses the boundary of
    sentences joins them. The annotators are aligned.
    """
    if unit not in UNITS:
        raise ValueError(f"unknown unit {quoted(unit)}; expected one of {', '.join(UNITS)}")
    return _units((first, second), unit)


def _units(annotators: Sequence[Spans], unit: str) -> IntArray:
    """The units of text of any number of aligned annotators."""
    first = annotators[0]
    offsets = first.offsets
    cut = None
    if unit == "sentence" and len(first.stretches):
        border = first.stretches[:, 2] + offsets[first.stretches[:, 0]]
        crossed = np.zeros(len(border) + 1, np.int64)
        for side in annotators:
            shift = offsets[side.doc]
            np.add.at(crossed, np.searchsorted(border, side.start + shift, "right"), 1)
            np.add.at(crossed, np.searchsorted(border, side.end + shift, "left"), -1)
        cut = np.append(True, np.cumsum(crossed[:-2]) == 0)
    table = join_touching(first.stretches, offsets, cut)
    doc = np.searchsorted(offsets, table[:, 0], "right") - 1
    return np.column_stack([doc, table])


def divide_by_sentence(annotators: Sequence[Spans]) -> tuple[tuple[Spans, ...], IntArray]:
    """The same annotations with a document for each sentence, and the document of each.

    Only documents that two annotators saw, and tokens that all annotated, are kept. A span across
    the boundary of sentences, of any annotator, joins them. Unplaced spans go to the first sentence
    of their document. Words and what repeats a span (`copies`) are left out.
    """
    aligned = align_panel(annotators)
    first = aligned[0]
    check_sentences(aligned, "a comparison by sentence", "whole documents")
    table = _units(aligned, "sentence")
    number = np.arange(len(table)) - np.searchsorted(table[:, 0], table[:, 0]) + 1
    names = [f"{first.name(doc)}, sentence {n}" for doc, n in zip(table[:, 0].tolist(), number)]
    divided = tuple(_divided(spans, table, names) for spans in aligned)
    return divided, table[:, 0]


def _divided(spans: Spans, table: IntArray, names: Sequence[str]) -> Spans:
    """One annotator with a document for each row of a table of units."""
    start = spans.start + spans.offsets[spans.doc]
    unit = np.searchsorted(table[:, 1], start, "right") - 1
    shift = spans.offsets[spans.doc] - table[unit, 1]
    fragments = None if spans.fragments is None else moved_pieces(spans.fragments, shift)
    unplaced = spans.unplaced[np.isin(spans.unplaced[:, 0], table[:, 0])].copy()
    unplaced[:, 0] = np.searchsorted(table[:, 0], unplaced[:, 0])
    divided = Spans(
        unit,
        spans.start + shift,
        spans.end + shift,
        spans.label,
        table[:, 2] - table[:, 1],
        spans.labels,
        seen=spans.seen[table[:, 0]],
        unplaced=unplaced,
        sentences=np.ones(len(table), bool),
        names=names,
        features=spans.features,
        fragments=fragments,
    )
    return trusted(divided, facts=spans.facts)


def check_sentences(annotators: Sequence[Spans], asked: str, instead: str) -> None:
    """Raise ValueError unless the sentences of all documents are known to one of some annotators.

    `asked` and `instead` are the option that needs sentences and its alternative, for the message.
    """
    first = annotators[0]
    known, seen = (
        np.any([getattr(one, name) for one in annotators], axis=0) for name in ("sentences", "seen")
    )
    unknown = np.flatnonzero(seen & ~known & (first.sizes > 1))
    if len(unknown):
        raise ValueError(
            f"{asked} needs sentences, and {first.name(unknown[0])} has none ({len(unknown)} "
            f"such documents); add them to the data or use {instead}"
        )
