"""The same text in other documents or sentences: those of gold, or of all annotators, count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from ..measures.arrays import IntArray, distinct
from ..measures.spans import GOLD_TOKENS
from ..measures.words import begin_alike
from .alignment import Axis, letters, moved, resized, same_letters, units
from .corpus import Corpus, Document, all_parts
from .documents import ABSENT, DocumentTable
from .notes import CARRIED, DIVIDED, JOINED, Place, note


def have_same_tokens(one: Corpus, two: Corpus, *, so_far: bool = False) -> bool:
    """Whether two corpora have the same tokens in the same order, in the same or other documents.

    With `so_far` it is enough that one of them begins with all that the other has.
    """
    mine, theirs = one.table.words, two.table.words
    if one.positions != "token" or two.positions != "token" or mine is None or theirs is None:
        return False
    return begin_alike(mine, theirs) if so_far else mine == theirs


def divided_like(gold: Corpus, pred: Corpus, *, by_letters: bool = False) -> Corpus | None:
    """The prediction in the documents and sentences of gold; None if it has other tokens.

    Documents are called as in gold. A span that reaches into another document is unplaced there
    where it begins. A note says which documents of gold are concerned. None also if documents have
    categories, or some layers that others lack. With `by_letters` the same text in other tokens is
    enough.
    """
    like, table, notes = gold.table, pred.table, pred.notes
    there = [one.state != ABSENT for one in table.layers.values()]
    uniform = all(one.all() or not one.any() for one in there)
    same = have_same_tokens(gold, pred)
    axes = (units(table.sizes, 0), units(like.sizes, 0)) if same else None
    if by_letters and not same:
        axes = _axes_of_letters(gold, pred)
    if axes is None or not len(like) or not len(table) or not uniform or pred.category_layers:
        return None
    own, theirs = axes
    if not same:
        if pred.positions == "char":
            cuts = np.append(own.cuts, own.end.max(initial=0))
            table = resized(pred, np.diff(np.searchsorted(theirs.begin, cuts)))
        else:
            other = np.searchsorted(theirs.cuts, np.setxor1d(own.end, theirs.end) - 1, "right")
            places = [Place(pred.path, None, "a document")] * len(distinct(other))
            notes += note(CARRIED, places)
        notes = notes.with_how("align", GOLD_TOKENS)
    made = moved(table, own, like, theirs)
    more = {key: made.more[key] for key in ("features", "copies") if key in made.more}
    docs = np.searchsorted(own.cuts, theirs.cuts, "right") - 1  # in which those of gold begin
    tokens = np.searchsorted(own.end, theirs.cuts, "right") - table.offsets[docs]
    lines = [*table.column("lines", None)]
    found = ((lines[doc], at) for doc, at in zip(docs.tolist(), tokens.tolist()))
    more["lines"] = [some and (some[min(at, len(some) - 1)],) for some, at in found]
    if "path" in table.more:
        more["path"] = [table.more["path"][doc] for doc in docs.tolist()]
    differ = _differing(table, own, like, theirs)
    made = replace(made, names=like.names, sents=like.sents, more=more)
    return _with_note(replace(pred, documents=made, positions="token", notes=notes), differ)


def _axes_of_letters(gold: Corpus, pred: Corpus) -> tuple[Axis, Axis] | None:
    """Where positions of a prediction, and tokens of gold, are in a text; None if it is another."""
    axes, texts = [], []
    for corpus in (pred, gold):
        parts = [*all_parts(corpus)]
        if None in parts or gold.positions != "token":
            return None
        text, borders = letters(chain.from_iterable(part or () for part in parts))
        begin, end = np.array(borders, np.int64).reshape(-1, 2).T
        cuts = np.append(begin, len(text))[corpus.table.offsets[:-1]]
        axes.append(Axis(begin, end, cuts))
        texts.append(text)
    return (axes[0], axes[1]) if same_letters(*texts) else None


def _sents(table: DocumentTable, axis: Axis) -> tuple[IntArray, IntArray]:
    """(documents, places on an axis) of sentences, of which the first begins with its document."""
    doc, start = table.sents[table.sents[:, 1] < table.sizes[table.sents[:, 0]]].T
    known = distinct(doc)
    doc, start = np.append(known, doc), np.append(np.zeros_like(known), start)
    return doc, axis.begin[table.offsets[doc] + start]


def _differing(table: DocumentTable, own: Axis, like: DocumentTable, theirs: Axis) -> IntArray:
    """The documents of `like` that are others, or have others of the sentences that both know."""
    ends = [np.append(axis.cuts[1:], axis.end.max(initial=0)) for axis in (own, theirs)]
    room = int(max(one.max(initial=0) for one in ends)) + 1
    mine, others = (axis.cuts * room + end for axis, end in zip((own, theirs), ends))
    is_other = ~np.isin(others, mine) & (theirs.cuts < ends[1])
    (docs, begins), (like_docs, like_begins) = _sents(table, own), _sents(like, theirs)
    firsts, like_firsts = own.cuts[docs], theirs.cuts[like_docs]
    begins = distinct(begins[np.isin(firsts, like_firsts)])
    like_begins = distinct(like_begins[np.isin(like_firsts, firsts)])
    apart = np.setxor1d(begins, like_begins, assume_unique=True)
    return distinct(np.flatnonzero(is_other), np.searchsorted(theirs.cuts, apart, "right") - 1)


def divided_alike(corpora: Sequence[Corpus]) -> list[Corpus] | None:
    """Annotators of the same tokens in the same documents; None if they have other tokens.

    A document ends where documents of all annotators do, a sentence where one of any annotator
    does. A note of the first corpus says which documents somebody divided otherwise.
    """
    first, *others = corpora
    if not all(have_same_tokens(first, other) for other in others):
        return None
    ends = [{*one.table.offsets.tolist()} for one in corpora]
    borders = sorted(set.intersection(*ends))
    cuts = distinct(*(_sents(one.table, units(one.table.sizes, 0))[1] for one in corpora))
    words = first.table.words or ()
    own_cuts = np.split(cuts, np.searchsorted(cuts, borders[1:-1]))
    common = [
        Document(words[start:end], {}, sents=(own - start).tolist())
        for (start, end), own in zip(pairwise(borders), own_cuts)
    ]
    found = []
    for old in corpora:
        divided = divided_like(Corpus(first.path, common), old)
        if divided is None:
            return None
        found.append(replace(divided, notes=old.notes))
    n_parts = np.diff(np.searchsorted(sorted(set.union(*ends)), borders))
    return [_with_note(found[0], np.flatnonzero(n_parts > 1), JOINED), *found[1:]]


def with_sentences(gold: Corpus, pred: Corpus) -> Corpus:
    """The prediction with the sentences of gold, and a note of documents where it has others."""
    one, two = gold.table, pred.table
    if np.array_equal(one.sents, two.sents):
        return pred
    axis = units(one.sizes, 0)
    found = replace(pred, documents=replace(two, sents=one.sents))
    return _with_note(found, _differing(two, axis, one, axis))


def _with_note(corpus: Corpus, docs: IntArray, kind: str = DIVIDED) -> Corpus:
    """The corpus with a note for each document that is divided otherwise."""
    documents = (corpus.documents[doc] for doc in docs.tolist())
    places = (Place(one.path or corpus.path, one.line(0), "a document") for one in documents)
    return replace(corpus, notes=corpus.notes + note(kind, places))
