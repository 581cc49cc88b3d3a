"""The same tokens in other documents or sentences: those of gold, or of all annotators, count."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..measures.arrays import distinct
from ..measures.tags import UNSEEN as NOT_SEEN
from ..measures.words import begin_alike
from .alignment import moved, units
from .corpus import Corpus, Document
from .documents import ABSENT, DocumentTable, LayerTable, PlainSpan, Tags
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
    like, table = gold.table, pred.table
    there = [one.state != ABSENT for one in table.layers.values()]
    uniform = all(one.all() or not one.any() for one in there)
    if not len(like) or not uniform or pred.category_layers or not have_same_tokens(gold, pred):
        return None
    found = moved(table, units(table.sizes, 0), like, units(like.sizes, 0))
    layers = dict(found.layers)
    borders = like.offsets.tolist()
    mine, theirs = _sents(like), _sents(table)
    for name, layer in layers.items():
        if tags := _tags_of(pred.documents, name):
            read: list[tuple[Any, ...]] = []
            rows_of = like.column("lines", None)
            for doc, (start, end) in enumerate(pairwise(borders)):
                hard = (cut for cut in sorted(mine[doc]) or (0,) if _is_divided(rows_of[doc], cut))
                cuts = [start + cut for cut in hard]
                spans = _decoded(tags, cuts, end)
                read += [(doc, a - start, b - start, label) for a, b, label in spans]
            layers[name] = LayerTable.of(sorted(read), layer.state, (), layer.missing)
    more = {key: found.more[key] for key in ("features", "copies") if key in found.more}
    rows = zip(table.column("lines", None), table.sizes.tolist())
    lines = [
        line
        for own, n in rows
        for line in (own if own and len(own) == n else [own[0] if own else None] * n)
    ]
    parts = [lines[start:end] for start, end in pairwise(borders)]
    more["lines"] = [part if part and None not in part else None for part in parts]
    if "path" in table.more:
        first = np.searchsorted(table.offsets, like.offsets[:-1], "right") - 1
        more["path"] = [table.more["path"][min(doc, len(table) - 1)] for doc in first.tolist()]
    documents = replace(found, layers=layers, names=like.names, sents=like.sents, more=more)
    whole = {pair: theirs[doc] for doc, pair in enumerate(pairwise(table.offsets.tolist()))}
    differ = [
        pair[0] < pair[1]
        and (pair not in whole or bool(own and whole[pair]) and own | {0} != whole[pair] | {0})
        for own, pair in zip(mine, pairwise(borders))
    ]
    return _with_note(replace(pred, documents=documents), differ)


def _is_divided(lines: Sequence[int] | None, cut: int) -> bool:
    """Whether a sentence begins behind another line than a token's: in HIPE's files some do not."""
    return not cut or lines is None or len(lines) <= cut or lines[cut] != lines[cut - 1] + 1


def _sents(table: DocumentTable) -> list[set[int]]:
    """Where the sentences of each document begin."""
    found: list[set[int]] = [set() for _ in table.sizes]
    for doc, start in table.sents.tolist():
        found[doc].add(start)
    return found


def divided_alike(corpora: Sequence[Corpus]) -> list[Corpus] | None:
    """Annotators of the same tokens in the same documents; None if they have other tokens.

    A document ends where documents of all annotators do, a sentence where one of any annotator
    does. A note of the first corpus says which documents somebody divided otherwise.
    """
    first, *others = corpora
    if not all(have_same_tokens(first, other) for other in others):
        return None
    ends = [one.table.offsets.tolist() for one in corpora]
    borders = sorted(set.intersection(*map(set, ends)))
    sents = ((offsets, _sents(one.table)) for offsets, one in zip(ends, corpora))
    rows = (row for pair in sents for row in zip(*pair) if row[1])
    cuts = sorted({start + cut for start, own in rows for cut in (0, *own)})
    words = tuple(first.table.words or ())
    common = Corpus(
        first.path,
        [
            Document(
                words[start:end],
                {},
                sents=[
                    at - start for at in cuts[bisect_left(cuts, start) : bisect_left(cuts, end)]
                ],
            )
            for start, end in pairwise(borders)
        ],
    )
    divided = [divided_like(common, one) for one in corpora]
    found = [replace(one, notes=old.notes) for one, old in zip(divided, corpora) if one is not None]
    if len(found) < len(corpora):
        return None
    known = [{*pairwise(own)} for own in ends]
    differ = [any(pair not in own for own in known) for pair in pairwise(borders)]
    return [_with_note(found[0], differ, JOINED), *found[1:]]


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
    rows = [two.sents[~differ[two.sents[:, 0]]], one.sents[differ[one.sents[:, 0]]]]
    sents = np.concatenate(rows)
    documents: Sequence[Document] = replace(
        two, sents=sents[np.argsort(sents[:, 0], kind="stable")]
    )
    changed, lines = {}, one.column("lines", None)
    for at in np.flatnonzero(differ).tolist():
        before, now = two[at], documents[at]
        layers = dict(before.layers)
        for name, spans in layers.items():
            if spans is not None and (tags := _tags_of([before], name)):
                hard = [cut for cut in now.sents or (0,) if _is_divided(lines[at], cut)]
                layers[name] = tuple(_decoded(tags, hard, len(now.words)))
        if layers != before.layers:
            changed[at] = replace(now, layers=layers)
    if changed:
        documents = tuple(changed.get(at, one) for at, one in enumerate(documents))
    return _with_note(replace(pred, documents=documents), differ)


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
        row = ["O" if tag == NOT_SEEN else tag for tag in row]
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
