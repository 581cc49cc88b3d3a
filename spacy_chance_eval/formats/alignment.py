"""The same documents on other positions: on characters, other tokens, or divided otherwise.

Whatever is moved, the positions of both sides are stretches of one axis: of the characters of a
text, of its letters (all but white space, in any case, as spaCy aligns tokens), or of the tokens of
a whole corpus. `moved` carries annotation over along it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import IntArray
from ..measures.fragments import joined_pieces
from ..measures.messages import quoted
from ..measures.words import document_words_of
from .blemishes import DOCUMENTS
from .corpus import Corpus, Document, Span, Stretch
from .documents import (
    ABSENT,
    SEEN,
    UNSEEN,
    DocumentTable,
    LayerTable,
    joined_tables,
    pieces_of,
    runs_of,
    span_title,
    table_of,
)
from .errors import FormatError, known
from .notes import BY_PLACE, CARRIED, OTHER_TEXT, Notes, Place, note

# the names of the methods in signatures
COMMON_TOKENS = "common_tokens"
CHARACTERS, POSITION = "characters", "position"


class Axis(NamedTuple):
    """Where each position, and each document, lies on an axis that two corpora share.

    `begin` and `end` are those of all positions, one document after the other: equal for blanks,
    which have no letters. `cuts` says where documents begin.
    """

    begin: IntArray
    end: IntArray
    cuts: IntArray


def axis(borders: Iterable[Sequence[Stretch]], sizes: Sequence[int], apart: int = 1) -> Axis:
    """The axis of documents of these sizes, so far apart, from boundaries of positions in each."""
    rows = list(borders)
    cuts = np.cumsum([0, *(size + apart for size in sizes)])[:-1]
    flat = np.array([*chain.from_iterable(rows)], np.int64).reshape(-1, 2)
    begin, end = (flat + np.repeat(cuts, [*map(len, rows)])[:, None]).T
    return Axis(begin, end, cuts)


def units(sizes: IntArray, apart: int = 1) -> Axis:
    """The axis of documents whose positions are units of it."""
    docs = np.arange(len(sizes)) * apart
    begin = np.arange(sizes.sum()) + np.repeat(docs, sizes)
    return Axis(begin, begin + 1, np.cumsum([0, *sizes])[:-1] + docs)


class _Move:
    """How positions of documents become those of others, `like`, along an axis."""

    def __init__(self, table: DocumentTable, own: Axis, like: DocumentTable, theirs: Axis) -> None:
        self.table, self.own, self.like, self.theirs = table, own, like, theirs
        solid = np.flatnonzero(theirs.begin < theirs.end)
        self.begin, self.end = theirs.begin[solid], theirs.end[solid]
        owner = np.repeat(np.arange(len(like)), like.sizes)[solid]
        self.is_same = np.array_equal(own.cuts, theirs.cuts)  # the documents
        # of solid positions, and behind them: of none
        self.solid, self.owner, self.begin_of, self.end_of = (
            np.append(column, -1) for column in (solid, owner, self.begin, self.end)
        )

    def touched(self, begin: Any, end: Any) -> tuple[Any, Any]:
        """The first solid position that a stretch of the axis touches, and the one behind it."""
        return np.searchsorted(self.end, begin, "right"), np.searchsorted(self.begin, end)

    def docs_at(self, begin: Any) -> Any:
        """The documents in which places of the axis are."""
        return np.maximum(np.searchsorted(self.theirs.cuts, begin, "right") - 1, 0)

    def spans(self, layer: LayerTable) -> Iterator[tuple[Span, int, Span | None, int, Any]]:
        """(span, its new document, the span there or None, positions it touches, where it was)."""
        begin, end = self.own.begin.tolist(), self.own.end.tolist()
        old = [span for own in layer.spans(0, len(self.table)) for span in own or ()]
        places = []  # the pieces of each span on the axis
        for span, at in zip(old, self.table.offsets[layer.doc].tolist()):
            own = [(begin[at + start], end[at + stop - 1]) for start, stop in pieces_of(span)]
            own = [piece for piece in own if piece[0] < piece[1]] or own[:1]  # without blanks
            if len(own) > 1:
                *hull, several = joined_pieces(own)
                own = [*several] if several else [(hull[0], hull[1])]
            places.append(own)
        flat = np.array([*chain.from_iterable(places)], np.int64).reshape(-1, 2)
        low, high = self.touched(*flat.T)
        last = high - 1
        fits = (low < high) & (self.begin_of[low] == flat[:, 0])
        fits &= (self.end_of[last] == flat[:, 1]) & (self.owner[low] == self.owner[last])
        docs = np.where(fits, self.owner[low], self.docs_at(flat[:, 0]))
        starts, ends = (self.solid[at] - self.like.offsets[docs] for at in (low, last))
        columns = (one.tolist() for one in (docs, starts, ends + 1, fits, low, high))
        pieces = zip(*columns)
        for span, place in zip(old, places):
            rows = [*islice(pieces, len(place))]
            new: Any = None
            if all(row[3] for row in rows) and len({row[0] for row in rows}) == 1:
                first, stop, several = joined_pieces(row[1:3] for row in rows)
                new = (first, stop, span[2], *filter(None, [several]))
            n_touched = len({*chain.from_iterable(range(*row[4:]) for row in rows)})
            yield span, rows[0][0], new, max(n_touched, 1), (*place, span[2])

    def layer(self, name: str, layer: LayerTable, said: Mapping[str, Any]) -> LayerTable:
        """A layer; its features and copies are added to columns of what is said of spans."""
        placed, lost = set(), {}
        for before, (span, doc, new, n_touched, key) in zip(layer.doc.tolist(), self.spans(layer)):
            if new is None:  # of spans that differ in blanks alone one is counted
                lost[key] = doc, n_touched, span[2]
                continue
            placed.add((doc, *new))
            for kind in said:
                if own := self.table.more[kind][before].get(name, {}).get(span):
                    said[kind][doc].setdefault(name, {})[new] = own
        docs = self.docs_at(self.own.cuts[layer.unplaced[:, 0]]).tolist()
        rows = zip(docs, layer.unplaced.tolist())
        unplaced = [(doc, length, layer.labels[label]) for doc, (_, length, label) in rows]
        state, missing, whole = layer.state, layer.missing, list[int]()
        if not self.is_same:  # a document of which no part was annotated was not seen
            unseen = np.flatnonzero(state == UNSEEN)
            sizes = self.table.sizes[unseen]
            gaps = np.column_stack([unseen, np.zeros_like(unseen), sizes])
            whole = [doc for doc, start, end in self.stretches(gaps)
                     if end - start == self.like.sizes[doc]]  # fmt: skip
            state = np.full(len(self.like), SEEN if (state != ABSENT).any() else ABSENT)
            state[whole] = UNSEEN
            missing = np.concatenate([missing, gaps])
        rest = [row for row in self.stretches(missing) if row[0] not in {*whole}]
        return LayerTable.of(sorted(placed), state, sorted([*unplaced, *lost.values()]), rest)

    def stretches(self, rows: IntArray) -> list[tuple[int, int, int]]:
        """Stretches (document, start, end), those that touch as one, divided by documents."""
        marked, touched = np.zeros(len(self.own.begin), bool), np.zeros(len(self.begin), bool)
        for doc, start, end in rows.tolist():
            at = int(self.table.offsets[doc])
            marked[at + start : at + end] = True
        owner = np.repeat(np.arange(len(self.table)), self.table.sizes)
        first, last = runs_of(np.flatnonzero(marked), owner)
        stretches = np.array([self.own.begin[first], self.own.end[last]])
        for begin, end in stretches[:, stretches[0] < stretches[1]].T:
            touched[slice(*self.touched(begin, end))] = True
        first, last = runs_of(np.flatnonzero(touched), self.owner)
        docs = self.owner[first]
        at = self.like.offsets[docs]
        columns = docs, self.solid[first] - at, self.solid[last] + 1 - at
        return [*zip(*(column.tolist() for column in columns))]

    def sents(self) -> list[tuple[int, int]]:
        """Where sentences begin; the first one begins with its document."""
        rows = self.table.sents
        doc, at = rows[rows[:, 1] < self.table.sizes[rows[:, 0]]].T
        begin = self.own.begin[self.table.offsets[doc] + at]
        first = np.searchsorted(self.begin, begin)
        is_first = (at == 0) | (begin == self.own.cuts[doc])
        new = np.where(is_first, 0, self.solid[first] - self.like.offsets[doc])
        there = np.where(is_first, self.like.sizes[doc] > 0, self.owner[first] == doc)
        return sorted({*zip(doc[there].tolist(), new[there].tolist())})


def moved(table: DocumentTable, own: Axis, like: DocumentTable, theirs: Axis) -> DocumentTable:
    """The annotation of documents on the positions of others, which have the same text.

    A span has a place if it begins and ends with positions of one document, else it is unplaced.
    Positions of which a part is missing are missing. Text and tokens are those of the others, and
    all else that of the documents.

    Their positions are on axes, on which documents that are the same begin at the same places.
    """
    move = _Move(table, own, like, theirs)
    kinds = {"features", "copies"} & table.more.keys()
    said: dict[str, Any] = {kind: [{} for _ in like.sizes] for kind in kinds}
    layers = {name: move.layer(name, layer, said) for name, layer in table.layers.items()}
    kept = {key: column for key, column in table.more.items() if key not in TEXT}
    more = kept | {key: like.more[key] for key in TEXT if key in like.more} | said
    missing = np.array(move.stretches(table.missing), np.int64).reshape(-1, 3)
    found = DocumentTable(like.sizes, layers, like.words, table.names, missing=missing, more=more)
    if not move.is_same:
        return found
    if "lines" in more:
        more["lines"] = [one and one[:1] for one in more["lines"]]
    return replace(found, sents=np.array(move.sents(), np.int64).reshape(-1, 2))


TEXT = ("words", "text", "spaces")  # fields of documents


# --- on characters, and back on tokens


def in_characters(corpus: Corpus) -> Corpus:
    """The same corpus with characters of the text as positions; itself if it has these already.

    The text is the document's own, else its words with their `spaces`, else its words with a blank
    between them. Spans, sentences, missing stretches and features go with their tokens. A first
    sentence begins with the text; blanks between tokens belong to the token before. Stretches of
    missing tokens that touch become one, so the blank between them is missing too. Unplaced spans
    get the mean length of as many tokens of the document. A note tells it.
    """
    if corpus.positions == "char":
        return corpus
    from .texts import text_and_borders  # which few corpora need

    found = [
        text_and_borders(document, document.path or corpus.path, corpus.title(doc))
        for doc, document in enumerate(corpus.documents)
    ]
    texts = [text for text, _ in found]
    sizes = np.array([*map(len, texts)], np.int64)
    like = DocumentTable(sizes, {}, more={"text": texts})
    own = axis((borders for _, borders in found), sizes.tolist())
    table = moved(resized(corpus, sizes), own, like, units(sizes))
    notes = corpus.notes.with_how("align", CHARACTERS)
    return replace(corpus, documents=table, positions="char", notes=notes)


def in_tokens(
    corpus: Corpus,
    tokenize: Callable[[str], Iterable[Stretch]],
    *,
    misaligned: str = "unplaced",
) -> Corpus:
    """The same corpus with tokens as positions; itself if it has these already.

    A span is placed if it begins and ends at boundaries of tokens. A sentence begins at the first
    token that does not lie before its first character. Tokens with any missing character are
    missing. The features of a span that does not fit are lost with its place.

    Parameters
    ----------
    tokenize : function of str
        Returns the (start, end) of the tokens of a text, in order; blanks may lie between them.
    misaligned : "unplaced" or "error"
        How to treat a span that does not fit the boundaries of the tokens.
    """
    from .placing import FIT
    from .rows import MISALIGNED, borders_by_spaces

    known(misaligned, MISALIGNED, "value of misaligned")
    if corpus.positions == "token":
        return corpus
    texts = corpus.table.column("text", None)
    for doc in [doc for doc, text in enumerate(texts) if text is None][:1]:
        message = f"{corpus.title(doc)} has a size, but no text; give the text"
        raise FormatError(message, corpus.documents[doc].path or corpus.path)
    borders = [[(int(start), int(end)) for start, end in tokenize(text)] for text in texts]
    words, spaces = [], []
    for text, own in zip(texts, borders):
        words.append([text[start:end] for start, end in own])
        ends = [*(start for start, _ in own[1:]), len(text)]
        gaps = [text[end:after] == " " for (_, end), after in zip(own, ends)]
        spaces.append(gaps if [*borders_by_spaces(words[-1], gaps)] == own else None)
    sizes = corpus.table.sizes
    n_words = np.array([*map(len, words)], np.int64)
    more = {"text": texts, "spaces": spaces}
    like = DocumentTable(n_words, {}, document_words_of(words), more=more)
    axes = units(sizes), like, axis(borders, sizes.tolist())
    if misaligned == "error":
        rows = map(_Move(corpus.table, *axes).spans, corpus.table.layers.values())
        lost = sorted(row[1::-1] for row in chain.from_iterable(rows) if row[2] is None)
        for doc, span in lost[:1]:
            document = corpus.documents[doc]
            raise FormatError(
                f"{corpus.title(doc)}: span {span_title(span)} does not "
                f"fit the boundaries of tokens; {FIT}"
                + f" ({len(lost)} such spans)"
                * (len(lost) > 1),
                document.path or corpus.path,
                document.line(0),
            )
    table = moved(resized(corpus, n_words), *axes)
    return replace(corpus, documents=table, positions="token")


def resized(corpus: Corpus, sizes: IntArray) -> DocumentTable:
    """The documents, their unplaced spans in positions of which they have other numbers.

    They have no place, so that their new lengths are the mean ones of the text, at least 1. Those
    whose texts are an attribute of the document have as many tokens as these.
    """
    from .texts import UNPLACED_TEXTS, n_parts

    table, layers = corpus.table, {}
    attributes = table.column("attributes", {})
    for name, layer in corpus.table.layers.items():
        rows: list[tuple[int, int, int]] = []
        for doc, some in groupby(layer.unplaced.tolist(), itemgetter(0)):
            old = [(n, layer.labels[code]) for _, n, code in some]
            size, new = table.sizes[doc], sizes[doc]
            texts = attributes[doc].get(UNPLACED_TEXTS, {}).get(name, ())
            if new < size and sorted((len(text), label) for text, label in texts) == old:
                old = [(n_parts(text), label) for text, label in texts]
            elif size:
                old = [(max(round(n * new / size), 1), label) for n, label in old]
            rows += [(doc, n, layer.labels.index(label)) for n, label in sorted(old)]
        layers[name] = replace(layer, unplaced=np.array(rows, np.int64).reshape(-1, 3))
    return replace(table, layers=layers)


# --- on the positions of others


def parts_of(document: Document, positions: str) -> Sequence[str] | None:
    """The words of a document, or its text; None if only its size is known."""
    if document.size is not None:
        return None
    return document.words if positions == "token" else document.text


def letters(parts: Iterable[str], blanks: Collection[int] = ()) -> tuple[str, tuple[Stretch, ...]]:
    """(text without white space, the stretch of it that each word or character is).

    Those of blanks are empty, but for `blanks`: those behind these numbers of letters.
    """
    found, n_letters = [], 0
    for part in parts:
        own = "".join(part.split())
        found.append(own or (part if n_letters in blanks else ""))
        n_letters += len(own)
    return "".join(found), tuple(pairwise(accumulate(map(len, found), initial=0)))


def _blanks(parts: Iterable[str]) -> set[tuple[int, tuple[str, ...]]]:
    """Parts that are blanks, with the number of letters in front."""
    found: dict[int, tuple[str, ...]] = {}
    n_letters = 0
    for part in parts:
        n_letters += (n_own := len("".join(part.split())))
        if not n_own:
            found[n_letters] = (*found.get(n_letters, ()), part)
    return {*found.items()}


def same_letters(one: str, two: str) -> bool:
    """Whether two texts are the same, case aside, character by character."""
    if one == two or len(one) != len(two):
        return one == two
    return all(map(str.__eq__, map(str.casefold, one), map(str.casefold, two)))


def letters_of(document: Document, positions: str) -> str:
    """The text of a document without white space."""
    return "".join("".join(parts_of(document, positions) or ()).split())


def fits_by_place(one: Document, two: Document, positions: str) -> bool:
    """Whether documents have equally many positions, and sentences that begin at the same ones.

    One of them may lack some, or all, of the boundaries that the other has.
    """
    mine, theirs = parts_of(one, positions), parts_of(two, positions)
    if mine is None or theirs is None or len(mine) != len(theirs):
        return False
    begins, others = {0, *one.sents}, {0, *two.sents}
    return begins <= others or others <= begins


def aligned(
    corpus: Corpus,
    likes: Mapping[int, Document],
    positions: str,
    how: str,
    *,
    align: str = "auto",
    skip: bool = False,
) -> tuple[Corpus, dict[int, Notes]]:
    """(the corpus, some of its documents on the positions of others; their notes).

    `likes` has the others by the number of a document, `positions` are theirs, and `how` is what
    signatures call their tokens. Documents that have another text stay as they are, or with `skip`
    remain without annotation. Where positions are of another kind and not all documents have the
    same text, so does the corpus, without notes. With align="tokens" nothing is aligned.
    """
    one_kind = corpus.positions == positions
    notes: dict[int, Notes] = {}
    borders: dict[int, tuple[Sequence[Stretch], ...]] = {}
    left: dict[int, Document] = {}
    some = corpus.table.taken(np.array([*likes], np.int64))
    for (n, like), document in zip(likes.items(), some):
        mine, theirs = parts_of(document, corpus.positions), parts_of(like, positions)
        if mine is None or theirs is None or (one_kind and mine == theirs):
            continue
        (text, own), (other, others) = letters(mine), letters(theirs)
        same = align != "tokens" and same_letters(text, other)
        by_place = align == "position" and one_kind and fits_by_place(document, like, positions)
        path = document.path or corpus.path
        if by_place and not (same and own != others):
            borders[n] = ([(at, at + 1) for at in range(len(mine))],) * 2
            said = note(BY_PLACE, _differing(document, path, mine, theirs))
            notes[n] = said.with_how("align", POSITION)
        elif same:
            if common := {at for at, _ in _blanks(mine) & _blanks(theirs)}:
                own, others = letters(mine, common)[1], letters(theirs, common)[1]
            borders[n] = own, others
            way = how if positions == "token" else CHARACTERS
            # no tokens are no other tokens
            first: Any = islice(_differing(document, path, mine, theirs), int(one_kind))
            places = (
                first if positions == "token" else [Place(path, document.line(0), "a document")]
            )
            notes[n] = note(CARRIED, places).with_how("align", way)
        elif skip:
            left[n], notes[n] = _left_out(document, path, like)
    if not notes or not one_kind and len(notes) < len(likes):
        return corpus, {}
    target = table_of([likes[n] for n in borders], positions)
    table = corpus.table.taken(np.array([*borders], np.int64))
    if not one_kind:
        table = resized(replace(corpus, documents=table), target.sizes)
    rest = [n for n in range(len(corpus.documents)) if n not in notes]
    tables = [corpus.table.taken(np.array(rest, np.int64)), table_of([*left.values()], positions)]
    if borders:
        sizes = [own[-1][1] if own else 0 for own, _ in borders.values()]
        axes = [axis(column, sizes) for column in zip(*borders.values())]
        tables.append(moved(table, axes[0], target, axes[1]))
    order = np.argsort([*rest, *left, *borders])
    table = joined_tables([one for one in tables if len(one)]).taken(order)
    return replace(corpus, documents=table, positions=positions), notes


def _differing(
    document: Document, path: str, mine: Sequence[str], theirs: Sequence[str]
) -> Iterator[Place]:
    """The positions of a document that are not the same in another one."""
    for at, (one, two) in enumerate(zip(mine, theirs)):
        if one != two:
            yield Place(path, document.line(at), f"{quoted(one)} for {quoted(two)}")


def _left_out(document: Document, path: str, like: Document) -> tuple[Document, Notes]:
    """A document with another text without its annotation, and a note on it."""
    title = "a document" if document.name is None else f"document {quoted(document.name)}"
    said = note(OTHER_TEXT, [Place(path, document.line(0), f"{title} has another text")])
    more = {key: getattr(like, key) for key in ("text", "spaces", "size", "attributes")}
    unseen = Document(like.words, dict.fromkeys(document.layers), document.name, like.sents, **more)
    return unseen, replace(said, sizes={DOCUMENTS: -1})
