"""The same tokens in other documents or sentences: those of gold, or of all annotators, count."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..measures.arrays import distinct
from ..measures.tags import UNSEEN
from ..measures.words import begin_alike
from .corpus import Corpus, Document, Span, Stretch, Unplaced, join_stretches
from .documents import PlainSpan, Tags, pieces_of, shifted_span
from .notes import Notes, Place, note
from .tags import spans_of_tags

# kind of a note: a document of gold whose tokens a prediction has in other documents or sentences
DIVIDED = "divided"
JOINED = "joined"  # kind of a note: a document that some annotators have as several, or with others
LISTED = 20  # predictions that a sentence names


def have_same_tokens(one: Corpus, two: Corpus, *, so_far: bool = False) -> bool:
    """Whether two corpora have the same tokens in the same order, in the same or other documents.

    With `so_far` it is enough that one of them begins with all that the other has.
    """
    mine, theirs = one.table.words, two.table.words
    if one.positions != "token" or two.positions != "token" or mine is None or theirs is None:
        return False
    return begin_alike(mine, theirs) if so_far else mine == theirs


def divided_like(gold: Corpus, pred: Corpus) -> Corpus | None:
    """The prediction in the documents and sentences of gold; None if it has other tokens.

    Documents are called as in gold. Tags are read in the sentences of gold. A span without tags
    that reaches into another document is unplaced there where it begins. A note says which
    documents of gold are concerned. None also if documents have categories, or some layers that
    others lack.
    """
    layers = {frozenset(document.layers) for document in pred.documents}
    labelled = any(document.categories for document in pred.documents)
    if not gold.documents or len(layers) > 1 or labelled or not have_same_tokens(gold, pred):
        return None
    borders = _borders(gold)
    parts = [_Part(one, {name: [] for name in next(iter(layers), ())}) for one in gold.documents]
    for first, document in zip(_borders(pred), pred.documents):
        _deal_out(document, first, borders, parts)
    for name in next(iter(layers), ()):
        if tags := _tags_of(pred.documents, name):
            for part, start in zip(parts, borders):
                cuts = [start + cut for cut in part.gold.sents or (0,)]
                rows = _decoded(tags, cuts, start + len(part.gold.words))
                part.layers[name] = [(a - start, b - start, label) for a, b, label in rows]
                part.unplaced.pop(name, None)  # what reached into another document
    documents = tuple(part.document() for part in parts)
    theirs = dict(zip(zip(_borders(pred), _borders(pred)[1:]), pred.documents))
    whole = [theirs.get(stretch) for stretch in zip(borders, borders[1:])]
    differ = [
        bool(one.words)
        and (two is None or (bool(one.sents and two.sents) and {0, *one.sents} != {0, *two.sents}))
        for one, two in zip(gold.documents, whole)
    ]
    return _with_note(replace(pred, documents=documents), differ)


def divided_alike(corpora: Sequence[Corpus]) -> list[Corpus] | None:
    """Annotators of the same tokens in the same documents; None if they have other tokens.

    A document ends where documents of all annotators do, a sentence where one of any annotator
    does. A note of the first corpus says which documents somebody divided otherwise.
    """
    first, *others = corpora
    if not all(have_same_tokens(first, other) for other in others):
        return None
    borders = sorted(set.intersection(*(set(_borders(one)) for one in corpora)))
    cuts = sorted(set().union(*map(_sentence_starts, corpora)))
    words = tuple(first.table.words or ())
    common = Corpus(
        first.path,
        [
            Document(words[start:end], {}, sents=[cut - start for cut in _within(cuts, start, end)])
            for start, end in zip(borders, borders[1:])
        ],
    )
    divided = [divided_like(common, one) for one in corpora]
    found = [one for one in divided if one is not None]
    if len(found) < len(corpora):
        return None
    known = [{(*stretch,) for stretch in zip(_borders(one), _borders(one)[1:])} for one in corpora]
    differ = [any(stretch not in one for one in known) for stretch in zip(borders, borders[1:])]
    found = [replace(one, notes=old.notes) for one, old in zip(found, corpora)]
    return [_with_note(found[0], differ, JOINED), *found[1:]]


def _within(cuts: Sequence[int], start: int, end: int) -> Sequence[int]:
    """The cuts, which are sorted, from a start on and before an end."""
    return cuts[bisect_left(cuts, start) : bisect_left(cuts, end)]


def _sentence_starts(corpus: Corpus) -> set[int]:
    """Where the known sentences begin among all tokens."""
    pairs = zip(_borders(corpus), corpus.documents)
    return {first + start for first, one in pairs if one.sents for start in (0, *one.sents)}


def with_sentences(gold: Corpus, pred: Corpus) -> Corpus:
    """The prediction with the sentences of gold where both know them, with a note of documents."""
    one, two = gold.table, pred.table
    if np.array_equal(one.sents, two.sents):
        return pred
    known = np.flatnonzero(one.has_sentences() & two.has_sentences())
    room = max(int(table.sents[:, 1].max(initial=0)) for table in (one, two)) + 1
    # the first position begins a sentence, whether a file says so or not
    starts = [
        distinct(known * room, (table.sents @ [room, 1])[np.isin(table.sents[:, 0], known)])
        for table in (one, two)
    ]
    differ = np.zeros(len(one), bool)
    mine, theirs = starts
    differ[np.setxor1d(mine, theirs, assume_unique=True) // room] = True
    if not differ.any():
        return pred
    sents = np.concatenate(
        [two.sents[~differ[two.sents[:, 0]]], one.sents[differ[one.sents[:, 0]]]]
    )
    sents = sents[np.argsort(sents[:, 0], kind="stable")]
    documents: Sequence[Document] = replace(two, sents=sents)
    changed = {at: _read_again(documents[at], two[at]) for at in np.flatnonzero(differ).tolist()}
    if any(one.layers != two[at].layers for at, one in changed.items()):
        documents = tuple(changed.get(at, one) for at, one in enumerate(documents))
    return _with_note(replace(pred, documents=documents), differ)


def _read_again(document: Document, before: Document) -> Document:
    """A document with other sentences than before, its spans read from its tags in these."""
    layers = dict(document.layers)
    for name, spans in layers.items():
        if spans is not None and (tags := _tags_of([before], name)):
            layers[name] = _decoded(tags, document.sents or (0,), len(document.words))
    return replace(document, layers=layers)


def _tags_of(documents: Sequence[Document], layer: str) -> Tags | None:
    """The tags of all tokens, if the spans of the layer still are what these say."""
    first, found, how = 0, dict[int, str](), None
    for document in documents:
        tags, spans = document.tags.get(layer), document.layers.get(layer)
        size = len(document.words)
        if tags is None or how not in (None, tags[:2]):
            return None
        if spans is not None and [*spans] != _decoded(tags, document.sents or (0,), size):
            return None  # trimmed, for example
        how = tags[:2]
        found |= {first + at: tag for at, tag in tags.by_position.items()}
        first += size
    return Tags(*how, found) if how else None


def _decoded(tags: Tags, cuts: Sequence[int], end: int) -> list[PlainSpan]:
    """The spans of tags, in order, in the sentences that begin at some positions."""
    spans: list[PlainSpan] = []
    for start, stop in zip(cuts, [*cuts[1:], end]):
        row = [tags.by_position.get(at, "O") for at in range(start, stop)]
        row = ["O" if tag == UNSEEN else tag for tag in row]
        found, _ = spans_of_tags(row, scheme=tags.scheme, repair=tags.repair)
        spans += [(a + start, b + start, label) for a, b, label in found]
    return spans


def division_sentences(notes: Mapping[str, Notes], n_docs: int) -> list[str]:
    """A sentence on predictions that follow gold's documents, for results; empty if none do."""
    counts = {name: one.count(DIVIDED) for name, one in notes.items() if one.count(DIVIDED)}
    if not counts:
        return []
    names = list(counts)
    listed = names if len(names) <= LISTED + 1 else [*names[:LISTED], f"{len(names) - LISTED} more"]
    who = " and ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
    least, most = min(counts.values()), max(counts.values())
    some = f"{least}" if least == most else f"{least} to {most}"
    have = "has" if len(counts) == 1 else "have"
    return [
        f"Documents and sentences are those of gold: {who} {have} the same tokens, but divided "
        f"otherwise in {some} of {n_docs} documents."
    ]


def joined_sentences(notes: Notes, n_docs: int) -> list[str]:
    """A sentence on annotators with other document borders, for results; empty if none have."""
    count = notes.count(JOINED)
    if not count:
        return []
    return [
        "Some annotators have the same tokens in other documents: a document ends where documents "
        "of all annotators do, a sentence where one of any annotator does (this changes "
        f"{count} of {n_docs} documents)."
    ]


def _with_note(corpus: Corpus, differ: Iterable[bool], kind: str = DIVIDED) -> Corpus:
    """The corpus with a note for each document that is divided otherwise."""
    found = [at for at, other in enumerate(differ) if other]
    documents = (corpus.documents[at] for at in found)
    places = (Place(one.path or corpus.path, one.line(0), "a document") for one in documents)
    return replace(corpus, notes=corpus.notes + note(kind, places))


def _borders(corpus: Corpus) -> list[int]:
    """Where each document begins among all tokens, and where the last one ends."""
    return [0, *np.cumsum(corpus.table.n_words).tolist()]


# --- documents from parts of others


@dataclass
class _Part:
    """The part of a prediction that belongs to one document of gold."""

    gold: Document
    layers: dict[str, list[Span]]
    unseen: dict[str, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    missing: list[Stretch] = field(default_factory=list)
    missing_in: dict[str, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    unplaced: dict[str, list[Unplaced]] = field(default_factory=lambda: defaultdict(list))
    features: dict[str, dict[Span, Any]] = field(default_factory=lambda: defaultdict(dict))
    copies: dict[str, dict[Span, Any]] = field(default_factory=lambda: defaultdict(dict))
    lines: list[int] = field(default_factory=list)
    path: str | None = None

    def document(self) -> Document:
        """The document. A layer in which no part of it was annotated was not seen."""
        size = len(self.gold.words)
        layers: dict[str, Sequence[Span] | None] = dict(self.layers)
        for name, stretches in self.unseen.items():
            if join_stretches(stretches) == [(0, size)]:
                layers[name] = None
            else:
                self.missing_in[name] += stretches
        return Document(
            self.gold.words,
            layers,
            name=self.gold.name,
            sents=self.gold.sents,
            missing=join_stretches(self.missing),
            missing_in={name: join_stretches(rows) for name, rows in self.missing_in.items()},
            unplaced=self.unplaced,
            lines=self.lines if len(self.lines) == size else None,
            path=self.path,
            features=self.features,
            copies=self.copies,
        )


def _deal_out(document: Document, first: int, borders: Sequence[int], parts: list[_Part]) -> None:
    """Give each document of gold its part of one of the prediction, which begins at `first`."""

    def pieces(start: int, end: int) -> Iterator[tuple[_Part, Stretch]]:
        """The documents of gold that a stretch is in, and where."""
        for at, low, high in _pieces(first + start, first + end, borders):
            yield parts[at], (low - borders[at], high - borders[at])

    size = len(document.words)
    for name, spans in document.layers.items():
        for part, stretch in pieces(0, size) if spans is None else ():
            part.unseen[name].append(stretch)
        for span in spans or ():
            start, end, label = span[:3]
            part, stretch = next(pieces(start, end))
            if stretch[1] - stretch[0] < end - start:
                part.unplaced[name].append((sum(b - a for a, b in pieces_of(span)), label))
                continue
            shift = stretch[0] - start
            moved = shifted_span(span, shift)
            part.layers[name].append(moved)
            for kind in ("features", "copies"):  # of a span
                if said := getattr(document, kind).get(name, {}).get(span):
                    getattr(part, kind)[name].update({moved: said})
    for gap in document.missing:
        for part, stretch in pieces(*gap):
            part.missing.append(stretch)
    for name, gaps in document.missing_in.items():
        for part, stretch in (piece for gap in gaps for piece in pieces(*gap)):
            part.missing_in[name].append(stretch)
    for name, rows in document.unplaced.items():
        parts[_place(first, borders)].unplaced[name] += rows
    for at, low, high in _pieces(first, first + size, borders):
        parts[at].path = parts[at].path or document.path
        if document.lines is not None:
            parts[at].lines += document.lines[low - first : high - first]


def _pieces(start: int, end: int, borders: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(index of the document, start, end) of the parts of a stretch that are in one document."""
    while start < end:
        at = _place(start, borders)
        stop = min(end, borders[at + 1])
        yield at, start, stop
        start = stop


def _place(token: int, borders: Sequence[int]) -> int:
    """Index of the document that a token is in; of the last one behind the end."""
    return bisect_right(borders, token, hi=len(borders) - 1) - 1
