"""Formal properties of measures of spans, as pairs of predictions of which one should score higher.

Amigó et al. (2025), "Evaluating Sequence Labeling on the basis of Information Theory": the
properties of tables 1 and 2 on any annotation, and the transformations of table 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

import numpy as np

from .alignment import covered_tokens, join_touching
from .arrays import BoolArray, IntArray
from .spans import Spans

Stretch: TypeAlias = tuple[int, int]
LONG, SHORT = 4, 2  # tokens of the spans that are truncated and extended in table 4
FIRST = 100  # spans of a document among which pairs are looked for


def edited(
    spans: Spans,
    replaced: Mapping[int, Iterable[Stretch]],
    added: Iterable[tuple[int, int, int, int]] = (),
) -> Spans:
    """The spans with some of them replaced, and others added, without duplicates.

    Parameters
    ----------
    replaced : mapping of int to (start, end) of any number of spans
        By row. They are cut off where the annotated tokens end; nothing is left of those beyond.
    added : iterable of (document, start, end, label)
    """
    columns = (spans.doc, spans.start, spans.end, spans.label, _borders(spans))
    rows = {tuple(added_row): None for added_row in added}
    for row, (doc, start, end, label, border) in enumerate(zip(*(c.tolist() for c in columns))):
        for first, last in replaced.get(row, [(start, end)]):
            if first < min(last, border):
                rows[doc, first, min(last, border), label] = None
    doc, start, end, label = np.array(list(rows), np.int64).reshape(-1, 4).T
    found = {"doc": doc, "start": start, "end": end, "label": label}
    return spans.beside(found, spans.labels, spans.seen, spans.unplaced, spans.stretches)


def _borders(spans: Spans) -> IntArray:
    """The end of the annotated tokens around each span; the document's, if it lies in none."""
    base = spans.offsets[spans.doc]
    whole = np.vstack([[[-1, -1]], join_touching(spans.stretches, spans.offsets)])
    at = np.searchsorted(whole[:, 0], base + spans.start, "right") - 1
    ends = whole[at, 1] - base
    return np.where(spans.end <= ends, ends, spans.sizes[spans.doc])


# --- table 4: one change of all spans, or of many


def transformations(spans: Spans) -> dict[str, tuple[Spans, int]]:
    """The spans after each transformation of table 4, and how many of them it changes.

    Changes are at the end of a span; tokens that it gains may belong to others. The part of a
    span outside of the document, or of the annotated tokens (`spans.stretches`), is cut off.

    * split: spans of two or more tokens are cut at their middle, the first part not the longer.
    * maximum overlap, minimum overlap: spans of two or more tokens move to the right, by one token,
      or so far that one token is left in common.
    * long truncation, short truncation: spans of exactly 4, or 2, tokens lose their last one. Both
      change equally many, the first ones.
    * long extension, short extension: the same spans gain a token.
    * -1 token ... +3 tokens: all spans lose their last tokens, but for the first one, or gain some.

    Parameters
    ----------
    spans : Spans
        Without discontinuous ones.
    """
    lengths = spans.lengths
    several = lengths > 1
    middle = (spans.start + lengths // 2).tolist()
    halves = {
        row: [(int(spans.start[row]), middle[row]), (middle[row], int(spans.end[row]))]
        for row in np.flatnonzero(several).tolist()
    }
    found = {
        "split": (edited(spans, halves), len(halves)),
        "maximum overlap": _moved(spans, several, 1, 1),
        "minimum overlap": _moved(spans, several, lengths - 1, lengths - 1),
    }
    n = min(int((lengths == size).sum()) for size in (LONG, SHORT))
    for kind, step in (("truncation", -1), ("extension", 1)):
        for name, size in (("long", LONG), ("short", SHORT)):
            first = np.isin(np.arange(len(spans)), np.flatnonzero(lengths == size)[:n])
            found[f"{name} {kind}"] = _moved(spans, first, 0, step)
    for step in (-1, -2, -3, 1, 2, 3):
        name = f"{step:+d} token{'s' * (abs(step) > 1)}"
        found[name] = _moved(spans, lengths > 0, 0, np.maximum(step, 1 - lengths))
    return found


def _moved(
    spans: Spans, some: BoolArray, first: int | IntArray, last: int | IntArray
) -> tuple[Spans, int]:
    """The spans, of which some start and end later, and how many do."""
    start = np.where(some, spans.start + first, spans.start)
    end = np.where(some, np.minimum(spans.end + last, _borders(spans)), spans.end)
    changed = np.flatnonzero((start != spans.start) | (end != spans.end))
    places = zip(start[changed].tolist(), end[changed].tolist())
    return edited(spans, {row: [one] for row, one in zip(changed.tolist(), places)}), len(changed)


# --- tables 1 and 2: properties


class Contrast(NamedTuple):
    """A gold annotation, and two predictions of which `better` should score higher.

    They differ in `docs`, of which each has one span, or one pair of spans, that is changed.
    """

    gold: Spans
    better: Spans
    worse: Spans
    docs: IntArray


class _Span(NamedTuple):
    """A span of a document, and how many tokens behind it, up to 3, belong to no span."""

    row: int
    start: int
    end: int
    label: int
    room: int

    @property
    def n(self) -> int:
        """Number of tokens."""
        return self.end - self.start

    def longer(self, step: int) -> dict[int, list[Stretch]]:
        """The same with other last tokens, for `edited`."""
        return {self.row: [(self.start, self.end + step)]}

    def cut(self) -> dict[int, list[Stretch]]:
        """The same in two parts."""
        middle = self.start + self.n // 2
        return {self.row: [(self.start, middle), (middle, self.end)]}


Edits: TypeAlias = dict[int, list[Stretch]]
Pair: TypeAlias = tuple[Edits, Edits]  # what becomes of gold in the better and worse prediction
# how far the last token of two spans moves in the better prediction, and in the worse
STEPS: dict[str, tuple[Stretch, Stretch]] = {
    "length vs captured": ((-1, 0), (0, -1)),
    "length vs noisy": ((1, 0), (0, 1)),
    "overlap increasing": ((-1, -1), (-2, 0)),
    "noise increasing": ((3, 1), (2, 2)),
}


def _lost(spans: Sequence[_Span]) -> Iterator[Pair]:
    """One of two spans is found, or none."""
    for one, two in permutations(spans[:FIRST], 2):
        yield {one.row: []}, {one.row: [], two.row: []}


def _cropped(spans: Sequence[_Span]) -> Iterator[Pair]:
    """A span lacks one token, or two."""
    return ((one.longer(-1), one.longer(-2)) for one in spans if one.n > 2)


def _noisy(spans: Sequence[_Span]) -> Iterator[Pair]:
    """A span has one token too many, or two."""
    return ((one.longer(1), one.longer(2)) for one in spans if one.room > 1)


def _in_parts(spans: Sequence[_Span]) -> Iterator[Pair]:
    """A span is whole, or in two parts."""
    return (({}, one.cut()) for one in spans if one.n > 1)


def _two(name: str) -> Callable[[Sequence[_Span]], Iterator[Pair]]:
    """Two spans of a label end elsewhere; see `STEPS`."""

    def pairs(spans: Sequence[_Span]) -> Iterator[Pair]:
        for one, two in permutations(spans[:FIRST], 2):
            fits = one.n > two.n if name.startswith("length") else one.n == two.n
            moves = list(zip(*STEPS[name]))  # of the first span, of the second
            fits &= one.label == two.label and all(
                span.n + min(steps) > 0 and span.room >= max(steps)
                for span, steps in zip((one, two), moves)
            )
            if fits:
                better, worse = (one.longer(a) | two.longer(b) for a, b in STEPS[name])
                yield better, worse

    return pairs


def contrasts(spans: Spans) -> dict[str, Contrast]:
    """The pairs of predictions of each property, made of an annotation.

    In each document the first span, or the first pair among its first 100 spans, is changed that
    allows it; all others are found as they are. No prediction takes a token of another span, or one
    that is not annotated.

    * correct sequence: one span is not found, or two are not.
    * wrong sequence: all is right, or one span is added, of the label and length of the first one,
      in the first place where no span is.
    * overlap: a span lacks its last token, or its last two.
    * noise: a span has one token too many at its end, or two.
    * homogeneity: gold has a span in two parts; they are found, or are one.
    * completeness: a span is found, or in two parts.
    * length vs captured: of two spans of a label, the longer lacks a token, or the shorter does.
    * length vs noisy: the longer has a token too many, or the shorter has.
    * overlap increasing: two spans of a label and of equal length lack a token each, or one of them
      lacks two.
    * noise increasing: of two such spans one has three tokens too many and the other one, or both
      have two.
    * token informativeness: of two spans of a label, of one token each, the one with the rarer word
      is found, or the other. Only where words are known.

    Parameters
    ----------
    spans : Spans
        Without discontinuous ones.
    """
    by_doc = _by_document(spans)
    kinds: dict[str, Callable[[Sequence[_Span]], Iterator[Pair]]] = {
        "correct sequence": _lost,
        "overlap": _cropped,
        "noise": _noisy,
        "homogeneity": _in_parts,
        "completeness": _in_parts,
        **{name: _two(name) for name in STEPS},
    }
    if spans.words is not None:
        kinds["token informativeness"] = _words(spans)
    found = {name: _contrast(spans, by_doc, kind) for name, kind in kinds.items()}
    whole, _, parts, docs = found["homogeneity"]
    found["homogeneity"] = Contrast(parts, parts, whole, docs)
    found["wrong sequence"] = _with_wrong(spans, by_doc)
    return {name: found[name] for name in PROPERTIES if name in found}


PROPERTIES = (
    *("correct sequence", "wrong sequence", "overlap", "noise", "homogeneity", "completeness"),
    *STEPS,
    "token informativeness",
)


def _by_document(spans: Spans) -> dict[int, list[_Span]]:
    """The spans of each document that has any."""
    base = spans.offsets[spans.doc]
    taken = np.zeros(spans.offsets[-1] + 1, np.int64)
    np.add.at(taken, base + spans.start, 1)
    np.add.at(taken, base + spans.end, -1)
    free = np.cumsum(taken)[:-1] == 0
    free &= covered_tokens(spans)
    columns = zip(*(one.tolist() for one in (spans.doc, spans.start, spans.end, spans.label)))
    found: dict[int, list[_Span]] = {}
    for row, (doc, start, end, label) in enumerate(columns):
        last = int(min(end + 3, spans.sizes[doc]))
        behind = free[spans.offsets[doc] + end : spans.offsets[doc] + last].tolist()
        room = next((i for i, one in enumerate(behind) if not one), len(behind))
        found.setdefault(doc, []).append(_Span(row, start, end, label, room))
    return found


def _contrast(
    spans: Spans,
    by_doc: Mapping[int, Sequence[_Span]],
    pairs: Callable[[Sequence[_Span]], Iterator[Pair]],
) -> Contrast:
    """The first pair of predictions of each document that allows one."""
    first = {doc: next(iter(pairs(some)), None) for doc, some in by_doc.items()}
    chosen = {doc: pair for doc, pair in first.items() if pair is not None}
    better, worse = (
        edited(spans, {row: new for pair in chosen.values() for row, new in pair[side].items()})
        for side in (0, 1)
    )
    return Contrast(spans, better, worse, np.array(list(chosen), np.int64))


def _words(spans: Spans) -> Callable[[Sequence[_Span]], Iterator[Pair]]:
    """Pairs of spans of one token, by how rare the words are."""
    words: Sequence[str] = spans.words or ()
    frequency = Counter(words)
    token = (spans.offsets[spans.doc] + spans.start).tolist()

    def pairs(some: Sequence[_Span]) -> Iterator[Pair]:
        for rare, usual in permutations([one for one in some[:FIRST] if one.n == 1], 2):
            n_rare, n_usual = (frequency[words[token[one.row]]] for one in (rare, usual))
            if rare.label == usual.label and n_rare < n_usual:
                yield {usual.row: []}, {rare.row: []}

    return pairs


def _with_wrong(spans: Spans, by_doc: Mapping[int, Sequence[_Span]]) -> Contrast:
    """Gold itself, and gold with a span where none is."""
    added, annotated = [], covered_tokens(spans)
    for doc, some in by_doc.items():
        missing = ~annotated[spans.offsets[doc] : spans.offsets[doc + 1]]
        covered = {*np.flatnonzero(missing).tolist()}
        covered.update(place for one in some for place in range(one.start, one.end))
        length, label = some[0].n, some[0].label
        start = 0
        for place in range(int(spans.sizes[doc])):
            if place in covered:
                start = place + 1
            elif place + 1 - start == length:
                added.append((doc, start, place + 1, label))
                break
    docs = np.array([doc for doc, *_ in added], np.int64)
    return Contrast(spans, spans, edited(spans, {}, added), docs)
