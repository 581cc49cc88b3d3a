"""The documents of column files: sentences, words and tags of all pieces as columns of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import BoolArray, IntArray, distinct
from ..measures.spans import Copy
from ..measures.tags import TagRows
from ..measures.words import ByteWords
from .blemishes import SPANS, TOKENS, blemishes
from .conll_bytes import (
    DOCSTART,
    DOCUMENT_NAMES,
    NO_DOCUMENTS,
    SENTENCE_NAMES,
    UNSEEN,
    Piece,
    Shape,
    attributes_of,
    name_of,
    opens_document,
    parse_piece,
)
from .documents import NO_ROWS, SEEN, DocumentTable, LayerTable, Tags
from .documents import UNSEEN as NOT_SEEN
from .errors import FormatError, Problem, raise_first
from .files import name_by_file
from .keys import Reading
from .tags import (
    ADVICE,
    BRACKETS,
    ONE_SCHEME,
    OUTSIDE,
    families,
    is_tag,
    plain_tags,
    respelt,
    spans_beside,
    spans_of_tags,
)

FURTHER = "\0"  # in the names of layers that are further columns of another one
FILE = "file"  # documents
UNKNOWN = ("_",)  # cells among tags that say nothing of a token; an empty one was lost
# in the column MISC of HIPE, and of CoNLL-U
SENTENCE_ENDS, NO_SPACE = "EndOfSentence", ("NoSpaceAfter", "SpaceAfter=No")
Rows = tuple[IntArray, IntArray, list[str]]  # tokens, codes and values of all cells but O


class Layout(NamedTuple):
    """How the lines of a file are read, the same for the whole file.

    `places`, `repairs` and `schemes` are columns of tags and how they are read, by layer; a layer
    of several columns has one for each, called by its name, `FURTHER` and a number. `header` says
    whether the first line names columns, `by_sentence` whether sentences are documents, `articles`
    whether any line begins one, `name` how the file's only document is called. `misc` is the column
    of other facts of a token, `spellings` the tags of cells in columns that spell them otherwise.
    """

    shape: Shape
    places: dict[str, Any]  # keys of the column MISC may be places, too
    repairs: dict[str, str]
    header: bool
    misc: int | None = None
    schemes: Mapping[str, str] = {}
    spellings: Mapping[Any, Mapping[str, str]] = {}
    by_sentence: bool = True
    articles: bool = False
    name: str | None = None

    def settled(self, path: object, columns: Columns, reading: Reading) -> Layout:
        """The layout with schemes and documents as the columns of the file have them."""
        articles, first = columns.articles, columns.first_line
        scheme, documents = reading.scheme or "auto", reading.documents or "auto"
        if first is None and not articles:
            raise FormatError(NO_DOCUMENTS, path)
        schemes, spellings = {}, {}
        for layer, place in self.places.items():
            column = columns.tags[place]
            if first and column.counts[UNSEEN] == columns.n_tokens:
                advice = "name a column of tags; a layer needs a document that was annotated"
                raise_first(path, [Problem(first, f"column {place} has hyphens alone", advice)])
            plain = column.plain(columns.n_tokens)
            own, iob = families(column.counts), column.iob or "IOB2"
            if plain is not None:
                spellings[place] = plain
                tags = [plain.get(one, one) for one in column.counts]
                own = {} if BRACKETS in plain else families(tags)
                iob = iob if any(tag[:2] == "B-" for tag in tags) else "IOB1"
            if scheme == "auto" and len(own) > 1:
                both = " and ".join(f"{tag} of {name}" for name, tag in sorted(own.items()))
                advice = f"a column has one scheme; {ONE_SCHEME}"
                raise_first(path, [Problem(first or 1, f"column {place} has both {both}", advice)])
            # a repair reads IOB1 as well, and says what becomes of improper tags
            iob = iob if self.repairs[layer] == "error" else "IOB2"
            schemes[layer] = next(iter(own), iob) if scheme == "auto" else scheme
        return self._replace(
            schemes=schemes,
            spellings=spellings,
            by_sentence=documents == "sentence" or (documents == "auto" and not articles),
            articles=articles,
            name=None if documents != FILE or articles else name_by_file(str(path)),
        )


class ArticleState(NamedTuple):
    """The state before some lines: the number of the article, and what it has so far."""

    article: int
    begun: bool
    named: bool = False


START = ArticleState(0, False)


def openings(
    marks: Sequence[tuple[int, int, str]], n_sentences: int, state: ArticleState
) -> tuple[list[int], ArticleState]:
    """(which marks begin documents, the state behind all) of some lines.

    A -DOCSTART- begins one, and so does a `# newdoc` that does not say more of the same document.
    """
    (article, begun, named), last = state, 0
    found = []
    for number, (n_before, _, text) in enumerate(marks):
        begun = begun or n_before > last
        newdoc = opens_document(text)
        if text == DOCSTART or newdoc and (begun or named or not article):
            found.append(number)
            article, begun, named, last = article + 1, False, False, n_before
        named = named or newdoc
    return found, ArticleState(article, begun or n_sentences > last, named)


class Columns:
    """The sentences, words and tags of a file, piece by piece.

    With `keep`, all of it is kept, and not only what tells the scheme of the tags.
    """

    # of all tokens, if they are kept: where sentences begin, and whether one begins; lines; tokens
    # that have nothing but their word; then documents, once there is a table
    offsets: IntArray
    begins: BoolArray
    lines: IntArray
    spoilt: IntArray
    doc_of: IntArray
    borders: IntArray

    def __init__(self, layout: Layout, keep: bool = True) -> None:
        self._layout, self._keep = layout, keep
        self._n_sentences, self.n_tokens = 0, 0
        self._words: list[bytes] = []
        self._arrays: list[tuple[IntArray, IntArray, IntArray]] = []
        self.first_line: int | None = None
        self._marks: list[tuple[int, int, str]] = []
        self.tags: dict[Any, TagColumn] = {place: TagColumn() for place in layout.places.values()}
        self.misc = None if layout.misc is None else TagColumn()
        self.problems: list[tuple[str, Problem]] = []
        self.untagged: list[tuple[int, Any]] = []  # lines and columns of tags that are not known
        self.hyphens: list[tuple[Any, IntArray]] = []  # columns and lines of hyphens read as O

    @classmethod
    def of(
        cls, pieces: Iterable[bytes], layout: Layout, line: int = 1, keep: bool = True
    ) -> Columns:
        """Those of some bytes, which begin at a line."""
        found = cls(layout, keep)
        for data in pieces:
            if layout.header and line == 1:
                line, data = 2, data.partition(b"\n")[2]
            line += found._add(parse_piece(data, layout.shape), line)
        if keep:
            sizes, found.lines, found.spoilt = map(np.concatenate, zip(*found._arrays))
            found.offsets = np.concatenate([[0], np.cumsum(sizes)])
            found.begins = np.zeros(found.n_tokens + 1, bool)
            found.begins[found.offsets] = True
        return found

    def _add(self, piece: Piece, line: int) -> int:
        """Go on with a piece that begins at a line; the number of its lines."""
        for place, column in self.tags.items():
            column.add(piece, place, self.n_tokens, self._keep)
        self._marks += [(at + self._n_sentences, n, text) for at, n, text in piece.marks]
        if self.first_line is None and len(piece.lines):
            self.first_line = int(piece.lines[0]) + line
        if self._keep:
            found = ((unit, one._replace(place=one.place + line)) for unit, one in piece.problems)
            self.problems += found
            if self.misc is not None and self._layout.misc is not None:
                self.misc.add(piece, self._layout.misc, self.n_tokens, True)
            self._words.append(piece.cells(self._layout.shape.token))
            lines = (piece.lines + line).astype(np.int32)
            self._arrays.append((piece.sentences, lines, piece.spoilt + self.n_tokens))
        self._n_sentences += len(piece.sentences)
        self.n_tokens += len(piece.lines)
        return len(piece.fields.n)

    @property
    def articles(self) -> bool:
        """Whether any line begins a document."""
        return any(text == DOCSTART or opens_document(text) for *_, text in self._marks)

    def sentences_of(self, tokens: IntArray) -> IntArray:
        """The numbers of the sentences of some tokens."""
        return np.searchsorted(self.offsets, tokens, "right") - 1

    def table(self, layout: Layout, state: ArticleState = START) -> DocumentTable:
        """The documents, read with the schemes and repairs of a `Layout`; `problems` get more."""
        for place, plain in layout.spellings.items():
            unknown = {one for one in plain if plain[one] == UNSEEN}
            self.untagged += [(line, place) for line in self._lines_of(place, unknown).tolist()]
            if UNSEEN in plain:
                lines = self._lines_of(place, {UNSEEN})
                self.hyphens.append((place, np.setdiff1d(lines, self.lines[self.spoilt])))
            self.tags[place] = self.tags[place].read_as(plain, self)
        of_file = self._of_sentences if layout.by_sentence else self._of_documents
        first, names, attributes = of_file(layout.articles, state)
        if layout.name is not None and names is None:
            names = [layout.name]
        self.borders = np.append(self.offsets[first], self.n_tokens)
        sizes = np.diff(self.borders)
        self.doc_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        by_layer: dict[str, list[str]] = {}
        for name in layout.places:
            by_layer.setdefault(name.partition(FURTHER)[0], []).append(name)
        is_nested = len(by_layer) < len(layout.places)
        copies: list[dict[str, Any]] = [{} for _ in range(len(sizes) if is_nested else 0)]
        layers = {}
        for layer, own in by_layer.items():
            layers[layer], again = self._layer(layout, own)
            for doc, spans in again.items():
                copies[doc][layer] = spans
        begins, spaces = self._sentences([*layers.values()])
        tags = {
            layer: (Tags(layout.schemes[name], layout.repairs[name], {}), self.tags[place].rows())
            for layer, (name, *_) in by_layer.items()
            if layout.repairs[name] != "error" and not is_nested
            for place in [layout.places[name]]
        }
        more: dict[str, Sequence[Any] | None] = {
            "lines": TokenLines(self.lines, self.borders),
            "spaces": spaces,
            "tags": DocumentTags(tags, self.borders) if tags else None,
            "attributes": attributes,
            "copies": copies if any(copies) else None,
        }
        docs = self.doc_of[begins]
        data = b"".join(self._words)
        words = data.decode().split("\n")[:-1] if b"\0" in data else None
        return DocumentTable(
            sizes,
            layers,
            ByteWords(data.replace(b"\n", b"\0")) if words is None else tuple(words),
            names,
            np.column_stack([docs, begins - self.borders[docs]]),
            more={name: column for name, column in more.items() if column is not None},
        )

    def _lines_of(self, place: Any, values: Set[str]) -> IntArray:
        """The lines of the tokens that have some values in a column."""
        tokens, codes, names = self.tags[place].rows()
        wanted = np.array([name in values for name in names], bool)
        found: IntArray = self.lines[tokens[wanted[codes]]]
        return found

    def _of_sentences(
        self, articles: bool, state: ArticleState
    ) -> tuple[IntArray, Sequence[str | None] | None, Sequence[Mapping[str, Any]] | None]:
        """(first sentences, names, attributes) of sentences that are documents."""
        first = np.arange(self._n_sentences)
        if not self._marks and not articles:
            return first, None, None
        names: list[str | None] = [None] * self._n_sentences
        found: list[dict[str, Any]] = [{} for _ in names]
        comments: dict[int, list[str]] = {}
        for at, _, text in self._marks:
            if text == DOCSTART:
                comments.pop(at, None)
            elif at < self._n_sentences:
                comments.setdefault(at, []).append(text)
        for at, some in comments.items():
            names[at], found[at] = name_of(some, SENTENCE_NAMES), attributes_of(some)
        if articles:
            numbers, _ = openings(self._marks, self._n_sentences, state)
            begun = np.array([self._marks[number][0] for number in numbers], np.int64)
            of_each = state.article + np.searchsorted(begun, first, "right")
            for one, article in zip(found, of_each.tolist()):
                one["article"] = article
        named = any(name is not None for name in names)
        return first, names if named else None, found if any(found) else None

    def _of_documents(
        self, articles: bool, state: ArticleState
    ) -> tuple[IntArray, Sequence[str | None] | None, None]:
        """(first sentences, names, no attributes) of documents that may have several sentences."""
        numbers, _ = openings(self._marks, self._n_sentences, state)
        cuts = [0, *numbers, len(self._marks)]
        first = [0, *(self._marks[number][0] for number in numbers)]
        names = []
        for at, low, high in zip(first, cuts, cuts[1:]):
            own = [text for n, _, text in self._marks[low:high] if n == at and text != DOCSTART]
            names.append(name_of(own, DOCUMENT_NAMES))
        if not (first + [self._n_sentences])[1]:  # nothing before the first mark
            del first[0], names[0]
        named = any(name is not None for name in names)
        return np.array(first, np.int64), names if named else None, None

    def _sentences(self, layers: Sequence[LayerTable]) -> tuple[IntArray, list[Any] | None]:
        """(where sentences begin, whether spaces follow by document), both also by column MISC."""
        begins = self.offsets[:-1]
        if self.misc is None:
            return begins, None
        tokens, codes, values = self.misc.rows()
        facts = [{*value.split("|")} for value in values]
        ends, joined = (
            np.array([bool(own & {*wanted}) for own in facts], bool)
            for wanted in ((SENTENCE_ENDS,), NO_SPACE)
        )
        crossed = np.zeros(self.n_tokens + 1, np.int32)
        for one in layers:
            shift = self.borders[one.doc]
            np.add.at(crossed, one.start + shift + 1, 1)
            np.add.at(crossed, one.end + shift, -1)
        after = tokens[ends[codes]] + 1
        after = after[after < self.n_tokens]
        begins = distinct(begins, after[np.cumsum(crossed)[after] == 0])
        spaces = np.ones(self.n_tokens, bool)
        spaces[tokens[joined[codes]]] = False
        if spaces.all():
            return begins, None
        by_document = (one.tolist() for one in np.split(spaces, self.borders[1:-1]))
        return begins, [None if all(one) else one for one in by_document]

    def _layer(
        self, layout: Layout, names: Sequence[str]
    ) -> tuple[LayerTable, dict[int, dict[Any, list[Copy]]]]:
        """(the layer of some columns, spans that are there again by document)."""
        found, unseen = [], []
        labels: dict[str, int] = {}
        for name in names:
            start, end, code, own, lost = self._spans(
                layout.places[name], layout.schemes[name], layout.repairs[name]
            )
            codes = [labels.setdefault(label, len(labels)) for label in own]
            found.append(np.column_stack([start, end, np.array(codes, np.int64)[code]]))
            unseen.append(lost)
        state, missing = self.seen(unseen)
        rows = np.concatenate(found)
        rows = rows[state[self.doc_of[rows[:, 0]]] == SEEN]
        used = sorted(label for label, code in labels.items() if (rows[:, 2] == code).any())
        rank = np.full(len(labels), -1)
        rank[[labels[label] for label in used]] = np.arange(len(used))
        rows[:, 2] = rank[rows[:, 2]]
        again: dict[int, dict[Any, list[Copy]]] = {}
        if len(names) > 1:
            rows = rows[np.lexsort(rows.T[::-1])]
            same = np.append(False, (rows[1:] == rows[:-1]).all(axis=1))[: len(rows)]
            for start, end, code in rows[same].tolist():
                doc = int(self.doc_of[start])
                first = int(self.borders[doc])
                span = (start - first, end - first, used[code])
                again.setdefault(doc, {}).setdefault(span, []).append(Copy({}))
            rows = rows[~same]
        doc = self.doc_of[rows[:, 0]]
        shift = self.borders[doc]
        spans = (rows[:, 0] - shift, rows[:, 1] - shift, rows[:, 2])
        return LayerTable(doc, *spans, tuple(used), state, missing=missing), again

    def seen(self, columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
        """(the state of a layer by document, the rest as rows of stretches not annotated).

        `columns` are the tokens that are not annotated, of each column of the layer.
        """
        sizes = np.diff(self.borders)
        state: IntArray = np.full(len(sizes), SEEN, np.int8)
        for tokens in columns:
            whole = np.bincount(self.doc_of[tokens], minlength=len(sizes)) == sizes
            state[whole & (sizes > 0)] = NOT_SEEN
        tokens = distinct(*columns)
        tokens = tokens[state[self.doc_of[tokens]] == SEEN]
        if not len(tokens):
            return state, NO_ROWS
        doc = self.doc_of[tokens]
        first = np.flatnonzero(np.append(True, (np.diff(tokens) != 1) | (np.diff(doc) != 0)))
        last = np.append(first[1:], len(tokens)) - 1
        shift = self.borders[doc[first]]
        rows = np.column_stack([doc[first], tokens[first] - shift, tokens[last] + 1 - shift])
        return state, rows

    def _spans(
        self, place: Any, scheme: str, repair: str
    ) -> tuple[IntArray, IntArray, IntArray, Sequence[str], IntArray]:
        """(starts, ends, labels, their names, tokens not annotated) of a column of tags."""
        tokens, codes, values = self.tags[place].rows()
        unseen: IntArray = tokens[:0]
        rows = tokens, codes, values
        if UNSEEN in values:
            is_unseen = codes == values.index(UNSEEN)
            unseen, tokens, codes = tokens[is_unseen], tokens[~is_unseen], codes[~is_unseen]
        plain = TagRows(tokens, codes, values, _follows(tokens, self.begins))
        start, end, label, names, wrong = plain.spans(scheme, repair)
        if not len(wrong) and not len(self.spoilt):
            return start, end, label, names, unseen
        bad = distinct(self.sentences_of(np.concatenate([wrong, self.spoilt])))
        kept = ~np.isin(self.sentences_of(start), bad)
        spans, beside = self._spans_beside(place, scheme, repair, rows, bad)
        every = [*names, *{span[2] for span in spans} - {*names}]
        more = np.array([(a, b, every.index(name)) for a, b, name in spans], np.int64)
        found = np.column_stack([start[kept], end[kept], label[kept]])
        found = np.concatenate([found, more.reshape(-1, 3)])
        start, end, label = found[np.argsort(found[:, 0], kind="stable")].T
        return start, end, label, every, distinct(unseen, np.array(beside, np.int64))

    def _spans_beside(
        self, place: Any, scheme: str, repair: str, rows: Rows, sentences: IntArray
    ) -> tuple[list[tuple[int, int, str]], list[int]]:
        """(spans, tokens not annotated) of sentences with blemishes, one after the other."""
        tokens, codes, values = rows
        spans, unseen = [], []
        borders = [self.offsets[sentences].tolist(), self.offsets[sentences + 1].tolist()]
        for first, end in zip(*borders):
            tags = ["O"] * (end - first)
            low, high = np.searchsorted(tokens, (first, end))
            for at, code in zip((tokens[low:high] - first).tolist(), codes[low:high].tolist()):
                tags[at] = "O" if values[code] == UNSEEN else values[code]
            low, high = np.searchsorted(self.spoilt, (first, end))
            spoilt = (self.spoilt[low:high] - first).tolist()
            if spoilt or blemishes() is not None:
                own, wrong, beside = spans_beside(tags, spoilt, scheme=scheme, repair=repair)
                unseen += [first + at for at in beside]
            else:
                own, wrong = spans_of_tags(tags, scheme=scheme, repair=repair)
            spans += [(first + a, first + b, label) for a, b, label in own]
            for one in wrong:
                line = int(self.lines[first + one.place])
                problem = Problem(line, f"column {place}: {one.found}", one.advice)
                self.problems.append((SPANS if one.advice.startswith(ADVICE) else TOKENS, problem))
        return spans, unseen


class TagColumn:
    """One column of tags, piece by piece: how often it has each cell but O, and where."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.iob: str | None = None
        self._is_mixed = False  # whether a sentence has hyphens and tags
        self._rows: list[tuple[IntArray, IntArray]] = []

    def add(self, piece: Piece, place: int, first: int, keep: bool) -> None:
        """Go on with a piece, whose tokens begin at the number `first`."""
        tokens, codes, values = piece.values(place)
        if any(value != value.strip(" ") for value in values):  # beside a tab
            tokens, codes, values = _read_as(tokens, codes, [value.strip(" ") for value in values])
        if self.iob != "IOB2":
            begins = np.zeros(len(piece.lines) + 1, bool)
            begins[np.cumsum(piece.sentences) - piece.sentences] = True
            tags = values if any(map(is_tag, values)) else [*map(respelt, values)]
            scheme = TagRows(tokens, codes, tags, _follows(tokens, begins)).iob_scheme()
            self.iob = scheme or self.iob
        if UNSEEN in values and not self._is_mixed:
            sentence = np.searchsorted(np.cumsum(piece.sentences), tokens, "right")
            hyphens, tagged = (
                np.array([is_one(value) for value in values], bool)[codes]
                for is_one in (UNSEEN.__eq__, lambda value: is_tag(respelt(value)))
            )
            hyphens &= ~np.isin(tokens, piece.spoilt)
            self._is_mixed = bool(np.isin(sentence[hyphens], sentence[tagged]).any())
        counts = np.bincount(codes, minlength=len(values)).tolist()
        self.counts.update(dict(zip(values, counts)))
        if keep:
            known = {value: code for code, value in enumerate(self.counts)}
            own = np.array([known[value] for value in values], np.int32)
            self._rows.append(((tokens + first).astype(np.int32), own[codes]))

    def plain(self, n_tokens: int) -> dict[str, str] | None:
        """The tags of its cells among some tokens, if they are spelt otherwise; else None.

        Of a column of tags only those of `UNKNOWN` cells: not annotated, or O in one without O. A
        hyphen is O where none has O, and a sentence has hyphens beside tags: there it was
        annotated.
        """
        outside = n_tokens - self.counts.total()
        if any(map(is_tag, self.counts)):
            unknown = [one for one in UNKNOWN if one in self.counts]
            plain = dict.fromkeys(unknown, UNSEEN if outside else "O") or None
        else:
            plain = plain_tags({"O": outside, **self.counts} if outside else self.counts)
        if self._is_mixed and not outside and not {*OUTSIDE} & self.counts.keys():
            return (plain or {}) | {UNSEEN: "O"}
        return plain

    def rows(self) -> Rows:
        """The rows of all cells but O."""
        tokens, codes = (np.concatenate(column) for column in zip(*self._rows))
        return tokens, codes, list(self.counts)

    def read_as(self, tags: Mapping[str, str], columns: Columns) -> TagColumn:
        """The column of a file with the tags that some cells stand for."""
        tokens, codes, values = self.rows()
        if BRACKETS in tags:
            codes, values = _opened(codes, [tags.get(value, value) for value in values],
                                    columns.sentences_of(tokens))  # fmt: skip
        found = TagColumn()
        tokens, codes, values = _read_as(tokens, codes, [tags.get(one, one) for one in values])
        found.iob = TagRows(tokens, codes, values, _follows(tokens, columns.begins)).iob_scheme()
        found.counts.update(dict(zip(values, np.bincount(codes, minlength=len(values)).tolist())))
        found._rows = [(tokens, codes)]
        return found


def _read_as(tokens: IntArray, codes: IntArray, values: Sequence[str]) -> Rows:
    """The rows of a column whose values by code are others, some of them the same, or O."""
    others = [value for value in dict.fromkeys(values) if value != "O"]
    own = {value: code for code, value in enumerate(others)}
    codes = np.array([own.get(value, -1) for value in values], np.int32)[codes]
    return tokens[codes >= 0], codes[codes >= 0], others


def _opened(
    codes: IntArray, values: Sequence[str], sentences: IntArray
) -> tuple[IntArray, list[str]]:
    """(codes, values) of the tags of brackets: inside of a span I and the label of its B, else O.

    `values` are B- and S- with labels, I and E without one.
    """
    kinds = np.array([value[:2] for value in values], object)[codes]
    rows = np.arange(len(codes))
    opens, inside = np.isin(kinds, ("B-", "S-")), np.isin(kinds, ("I", "E"))
    opened = np.maximum.accumulate(np.where(opens, rows, -1))
    closed = np.maximum.accumulate(np.where(np.isin(kinds, ("S-", "E")), rows, -1))
    within = inside & (opened > np.append(-1, closed[:-1])) & (opened >= 0)
    within &= sentences == sentences[opened]
    first = [f"B{one[1:]}" if one[:2] == "S-" else "O" if one in ("I", "E") else one
             for one in values]  # fmt: skip
    every = [*first, *(f"I{one[1:]}" for one in first)]
    return np.where(within, codes[opened] + len(first), codes), every


def _follows(tokens: IntArray, begins: BoolArray) -> BoolArray:
    """Whether each of some tokens comes right after the one before, in the same sentence."""
    found = np.zeros(len(tokens), bool)
    found[1:] = (tokens[1:] == tokens[:-1] + 1) & ~begins[tokens[1:]]
    return found


class DocumentTags(Sequence[Mapping[str, Tags]]):
    """The tags of each document, by layer, which few need.

    `found` are, by layer, how tags are read, and (tokens, codes, values) of all that are not O;
    `borders` where documents begin, and where the last one ends.
    """

    def __init__(self, found: Mapping[str, tuple[Tags, Rows]], borders: IntArray) -> None:
        self._found, self._borders = found, borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        doc = range(len(self))[doc]
        start, end = self._borders[doc : doc + 2].tolist()
        made = {}
        for layer, (how, (tokens, codes, values)) in self._found.items():
            low, high = np.searchsorted(tokens, (start, end)).tolist()
            places = (tokens[low:high] - start).tolist()
            tags = [values[code] for code in codes[low:high].tolist()]
            made[layer] = how._replace(by_position=dict(zip(places, tags)))
        return made


class TokenLines(Sequence[Sequence[int]]):
    """The lines of the tokens of each document, with its borders: a range, if they are in a row."""

    def __init__(self, lines: IntArray, borders: IntArray) -> None:
        # stretches of lines that follow each other
        self._first = np.flatnonzero(np.diff(lines, prepend=-1) != 1)
        self._lines, self._borders = lines[self._first], borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    @cached_property
    def _stretches(self) -> tuple[list[int], list[int]]:
        """The numbers of the first stretch of each document and of the one behind its last."""
        low = np.searchsorted(self._first, self._borders[:-1], "right") - 1
        return np.maximum(low, 0).tolist(), np.searchsorted(self._first, self._borders[1:]).tolist()

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        doc = range(len(self))[doc]
        start, end = self._borders[doc : doc + 2].tolist()
        low, high = (one[doc] for one in self._stretches)
        first = [*self._first[low:high].tolist(), end]
        found = [
            range(line + max(start - a, 0), line + b - a)
            for line, a, b in zip(self._lines[low:high].tolist(), first, first[1:])
        ]
        return found[0] if len(found) == 1 else tuple(chain.from_iterable(found)) or range(0)
