"""Two annotators of one corpus, made comparable; and the units of text that chance works on."""

from functools import partial, reduce

import numpy as np

from .spans import sorted_columns, sorted_rows, trusted

UNITS = ("doc", "sent")


def align(first, second):
    """Two annotators of one corpus, made comparable.

    Labels become their sorted union. Only documents that both have seen stay `seen`; spans and
    tokens that either did not annotate leave (a span over a missing token is neither right nor
    wrong). Sentences are cut where either has a border.

    Raises
    ------
    ValueError
        If the two do not have the same documents and tokens; names the first difference.
    """
    together = first.partner is not None and first.partner is second.partner
    if together and np.array_equal(first.seen, second.seen):  # of a panel each has its own,
        if first.seen[first.stretches[:, 0]].all():  # and others may have seen more
            return first, second
    return align_seen((first, second), first.seen & second.seen)


def align_panel(annotators):
    """Any number of annotators of one corpus, made comparable; a tuple of `Spans`.

    As `align`, but each keeps its own documents: only tokens that some annotator who saw the
    document did not annotate leave it. Documents that fewer than two saw are seen by none.
    """
    shared = np.sum([spans.seen for spans in annotators], axis=0) > 1
    return align_seen(annotators, shared)


def align_seen(annotators, seen):
    """Annotators with common labels, documents and tokens, as far as `seen` has them."""
    first, *others = annotators
    for other in others:
        check_same_corpus(first, other)
    stretches = reduce(
        partial(common_stretches, first.offsets), (marked_stretches(one) for one in annotators)
    )
    stretches = stretches[seen[stretches[:, 0]]]
    whole = join_touching(stretches, first.offsets)
    shared = {
        "labels": tuple(sorted(set().union(*(spans.labels for spans in annotators)))),
        "stretches": stretches,
        "partner": object(),
        "sentences": np.any([spans.sentences for spans in annotators], axis=0),
    }
    return tuple(_restrict(spans, whole, seen & spans.seen, shared) for spans in annotators)


def marked_stretches(spans):
    """The stretches of an annotator; documents that were not seen are whole: they limit nobody."""
    if spans.seen.all():
        return spans.stretches
    there = spans.stretches[spans.seen[spans.stretches[:, 0]]]
    unseen = np.flatnonzero(~spans.seen & (spans.sizes > 0))
    rows = np.column_stack([unseen, np.zeros_like(unseen), spans.sizes[unseen]])
    return sorted_rows(np.concatenate([there, rows]))


def check_same_corpus(first, second):
    """Raise at the first document or token in which two corpora differ."""
    if first.n_docs != second.n_docs:
        raise ValueError(
            f"{first.n_docs} documents against {second.n_docs}; both annotators must come with the "
            "same documents in the same order (mark those that one did not see as not seen)"
        )
    differ = np.flatnonzero(first.sizes != second.sizes)
    words = first.words is not None and second.words is not None and first.words != second.words
    if words:
        pairs = enumerate(zip(first.words, second.words))
        at = next((i for i, (one, two) in pairs if one != two), None)
        doc = None if at is None else int(np.searchsorted(first.offsets, at, "right") - 1)
        if doc is not None and (not len(differ) or doc <= differ[0]):
            token = at - first.offsets[doc]
            raise ValueError(
                f"{first.name(doc)}: token {token + 1} is {first.words[at]!r} for one annotator "
                f"and {second.words[at]!r} for the other; score annotations of the same tokens"
            )
    if len(differ):
        doc = differ[0]
        raise ValueError(
            f"{first.name(doc)} has {first.sizes[doc]} positions for one annotator and "
            f"{second.sizes[doc]} for the other; score annotations of the same tokens"
        )


def check_complete(gold, pred):
    """Raise unless a prediction annotates all that gold does, in the same sentences.

    Only then do its scores compare with those of other predictions. Sentences are compared where
    both sides know them. The message names the first difference.
    """
    check_same_corpus(gold, pred)
    unseen = np.flatnonzero(gold.seen & ~pred.seen)
    if len(unseen):
        raise ValueError(
            f"{gold.name(unseen[0])} is not annotated ({len(unseen)} of {gold.seen.sum()} "
            "documents); a prediction without spans is annotated, too"
        )
    marked = _covered_tokens(gold) & np.repeat(gold.seen, gold.sizes)
    missing = np.flatnonzero(marked & ~_covered_tokens(pred))
    if len(missing):
        place = _token_name(gold, missing[0])
        raise ValueError(f"{place} is annotated in gold, but missing in the prediction")
    inside = np.append(marked[:-1] & marked[1:], False)
    known = np.repeat(gold.sentences & pred.sentences, gold.sizes)
    borders = [
        border[(inside[border - 1] & known[border])]
        for border in map(_sentence_starts, (gold, pred))
    ]
    differ = np.setxor1d(*borders)
    if len(differ):
        here, there = "gold", "the prediction"
        if differ[0] not in borders[0]:
            here, there = there, here
        raise ValueError(
            f"{_token_name(gold, differ[0])} begins a sentence in {here}, but not in {there}; "
            "predict on the sentences of gold"
        )


def _covered_tokens(spans):
    """Whether each token of the corpus carries annotation."""
    offset = spans.offsets[spans.stretches[:, 0]]
    steps = np.zeros(spans.sizes.sum() + 1, np.int64)
    np.add.at(steps, offset + spans.stretches[:, 1], 1)
    np.add.at(steps, offset + spans.stretches[:, 2], -1)
    return np.cumsum(steps)[:-1] > 0


def _sentence_starts(spans):
    """Corpus-wide positions at which a stretch follows on another one of its document."""
    doc, start, end = spans.stretches.T
    follows = np.flatnonzero((doc[1:] == doc[:-1]) & (start[1:] == end[:-1])) + 1
    return start[follows] + spans.offsets[doc[follows]]


def _token_name(spans, place):
    """How messages call a corpus-wide position."""
    doc = int(np.searchsorted(spans.offsets, place, "right") - 1)
    word = f" ({spans.words[place]!r})" if spans.words is not None else ""
    return f"{spans.name(doc)}: token {place - spans.offsets[doc] + 1}{word}"


def _restrict(spans, whole, seen, shared):
    """Spans with what all share, without those that leave the stretches `whole`."""
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
        kept = spans.prepared if labels == spans.labels else None
    else:
        columns, kept = {name: column[inside] for name, column in columns.items()}, None
        columns["label"] = new_label[columns["label"]]
        columns = sorted_columns(columns)
    changes = {"unplaced": unplaced, "seen": seen, "prepared": kept}
    return trusted(spans, **columns, **changes, **shared)


def with_labels(spans, labels):
    """The same spans with more labels: those given, sorted, its own among them."""
    labels = tuple(sorted(labels))
    if labels == spans.labels:
        return spans
    index = np.array([labels.index(name) for name in spans.labels], np.int64)
    unplaced = spans.unplaced.copy()
    unplaced[:, 1] = index[unplaced[:, 1]]
    columns = sorted_columns(spans.columns() | {"label": index[spans.label]})
    return trusted(spans, labels=labels, unplaced=sorted_rows(unplaced), **columns)


def common_stretches(offsets, first, second):
    """The tokens of two tables of stretches, cut at the borders of either; such a table."""
    if np.array_equal(first, second):
        return first
    sides = [side[:, 1:] + offsets[side[:, :1]] for side in (first, second)]
    cuts = np.unique(np.concatenate([*sides, offsets[:, None].repeat(2, 1)]))
    start, end = cuts[:-1], cuts[1:]
    keep = np.ones(len(start), bool)
    for side in sides:
        at = np.searchsorted(side[:, 0], start, "right") - 1
        keep &= (at >= 0) & (end <= np.append(side[:, 1], 0)[at])
    start, end = start[keep], end[keep]
    doc = np.searchsorted(offsets, start, "right") - 1
    return np.column_stack([doc, start - offsets[doc], end - offsets[doc]])


def join_touching(stretches, offsets, cut=None):
    """Touching stretches of one document as one; rows (start, end) in corpus-wide positions.

    Stretch i stays apart from its predecessor where `cut[i]` is true.
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


def units(first, second, unit="doc"):
    """The stretches that the chance model randomises over; rows (doc, start, end), corpus-wide.

    With "doc" a unit is a document, with "sent" a sentence; a span that crosses the border of
    sentences joins them. Missing tokens belong to no unit. Both annotators are `align`ed.
    """
    if unit not in UNITS:
        raise ValueError(f"unknown unit {unit!r}; expected one of {', '.join(UNITS)}")
    offsets = first.offsets
    cut = None
    if unit == "sent" and len(first.stretches):
        border = first.stretches[:, 2] + offsets[first.stretches[:, 0]]
        crossed = np.zeros(len(border) + 1, np.int64)
        for side in (first, second):
            shift = offsets[side.doc]
            np.add.at(crossed, np.searchsorted(border, side.start + shift, "right"), 1)
            np.add.at(crossed, np.searchsorted(border, side.end + shift, "left"), -1)
        cut = np.append(True, np.cumsum(crossed[:-2]) == 0)
    table = join_touching(first.stretches, offsets, cut)
    doc = np.searchsorted(offsets, table[:, 0], "right") - 1
    return np.column_stack([doc, table])


def check_sentences(first, second, *, asked="unit='sent'", instead="unit='doc'"):
    """Raise unless the sentences of all documents are known, to either annotator."""
    unknown = np.flatnonzero(first.seen & ~(first.sentences | second.sentences) & (first.sizes > 1))
    if len(unknown):
        raise ValueError(
            f"{asked} needs sentences, and {first.name(unknown[0])} has none ({len(unknown)} "
            f"such documents); add them to the data or use {instead}"
        )
