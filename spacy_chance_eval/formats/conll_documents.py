"""The documents of column files: sentences, words and tags of all pieces as columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    SENTENCE_NAMES,
    UNSEEN,
    Piece,
    attributes_of,
    name_of,
    opens_document,
    parse_piece,
)
from .documents import NO_ROWS, SEEN, DocumentTable, LayerTable, Tags
from .documents import UNSEEN as NOT_SEEN
from .errors import Problem
from .tags import ADVICE, spans_beside, spans_of_tags

FURTHER = "\0"  # in the names of layers that are further columns of another one
# in the column MISC of HIPE, and of CoNLL-U
SENTENCE_ENDS, NO_SPACE = "EndOfSentence", ("NoSpaceAfter", "SpaceAfter=No")


class Layout(NamedTuple):
    """How the lines of a file are read, the same for the whole file.

    `places` and `schemes` are columns and schemes of tags by layer; a layer of several columns has
    one for each, called by its name, `FURTHER` and a number. `by_sentence` says whether
    sentences are documents, `articles` whether any line begins one, `header` whether the first line
    names columns, `name` how the file's only document is called. `ids` is the column of numbers
    in CoNLL-U, `misc` that of other facts of a token.
    """

    separator: str | None
    width: int
    token: int
    places: dict[str, Any]  # keys of the column MISC may be places, too
    schemes: dict[str, str]
    repairs: dict[str, str]
    by_sentence: bool
    articles: bool
    header: bool
    name: str | None = None
    ids: int | None = None
    misc: int | None = None

    def parse(self, data: bytes) -> Piece:
        """The `Piece` of some lines."""
        return parse_piece(data, self.width, self.separator, self.token, self.ids)


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

    Parameters
    ----------
    layout : Layout
        How lines are cut, and which columns have tags.
    keep : bool
        Whether all is kept, and not only what tells the scheme of the tags.
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

    @classmethod
    def of(
        cls, pieces: Iterable[bytes], layout: Layout, line: int = 1, keep: bool = True
    ) -> Columns:
        """Those of some bytes, which begin at a line."""
        found = cls(layout, keep)
        for data in pieces:
            if layout.header and line == 1:
                line, data = 2, data.partition(b"\n")[2]
            line += found._add(layout.parse(data), line)
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
            self._words.append(piece.cells(self._layout.token))
            lines = (piece.lines + line).astype(np.int32)
            self._arrays.append((piece.sentences, lines, piece.spoilt + self.n_tokens))
        self._n_sentences += len(piece.sentences)
        self.n_tokens += len(piece.lines)
        return len(piece.fields.n)

    @property
    def articles(self) -> bool:
        """Whether any line begins a document."""
        return any(text == DOCSTART or opens_document(text) for *_, text in self._marks)

    def table(self, layout: Layout, state: ArticleState = START) -> DocumentTable:
        """The documents, read with the schemes and repairs of a `Layout`; `problems` get more."""
        if layout.by_sentence:
            first, names, attributes = self._of_sentences(layout, state)
        else:
            first, names, attributes = self._of_documents(state)
        if layout.name is not None and names is None:
            names = [layout.name]
        self.borders = np.append(self.offsets[first], self.n_tokens)
        sizes = np.diff(self.borders)
        self.doc_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        by_layer: dict[str, list[str]] = {}
        for name in layout.places:
            by_layer.setdefault(name.partition(FURTHER)[0], []).append(name)
        is_nested = len(by_layer) < len(layout.places)
        layers: dict[str, LayerTable] = {}
        copies: list[dict[str, Any]] = [{} for _ in range(len(sizes) if is_nested else 0)]
        for layer, own in by_layer.items():
            how = [
                (layout.places[name], layout.schemes[name], layout.repairs[name]) for name in own
            ]
            layers[layer], again = self._layer(how)
            for doc, spans in again.items():
                copies[doc][layer] = spans
        begins = self.offsets[:-1]
        more: dict[str, Sequence[Any]] = {"lines": TokenLines(self.lines, self.borders)}
        if self.misc is not None:
            ends, spaces = self._facts()
            crossed = np.zeros(self.n_tokens + 1, np.int32)
            for one in layers.values():
                shift = self.borders[one.doc]
                np.add.at(crossed, one.start + shift + 1, 1)
                np.add.at(crossed, one.end + shift, -1)
            ends = ends[ends < self.n_tokens]
            begins = distinct(begins, ends[np.cumsum(crossed)[ends] == 0])
            if not spaces.all():
                cuts = self.borders.tolist()
                flags = (spaces[a:b].tolist() for a, b in zip(cuts, cuts[1:]))
                more["spaces"] = [None if all(one) else one for one in flags]
        tags = {
            layer: (
                Tags(layout.schemes[name], layout.repairs[name], {}),
                *self.tags[layout.places[name]].rows(),
            )
            for layer, (name, *_) in by_layer.items()
            if layout.repairs[name] != "error" and not is_nested
        }
        if tags:
            more["tags"] = DocumentTags(tags, self.borders)
        if attributes is not None:
            more["attributes"] = attributes
        if any(copies):
            more["copies"] = copies
        docs = self.doc_of[begins]
        data = b"".join(self._words)
        words = data.decode().split("\n")[:-1] if b"\0" in data else None
        return DocumentTable(
            sizes,
            layers,
            ByteWords(data.replace(b"\n", b"\0")) if words is None else tuple(words),
            names,
            np.column_stack([docs, begins - self.borders[docs]]),
            more=more,
        )

    def _of_sentences(
        self, layout: Layout, state: ArticleState
    ) -> tuple[IntArray, Sequence[str | None] | None, Sequence[Mapping[str, Any]] | None]:
        """(first sentences, names, attributes) of sentences that are documents."""
        first = np.arange(self._n_sentences)
        if not self._marks and not layout.articles:
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
        if layout.articles:
            numbers, _ = openings(self._marks, self._n_sentences, state)
            begun = np.array([self._marks[number][0] for number in numbers], np.int64)
            articles = state.article + np.searchsorted(begun, first, "right")
            for one, article in zip(found, articles.tolist()):
                one["article"] = article
        named = any(name is not None for name in names)
        return first, names if named else None, found if any(found) else None

    def _of_documents(
        self, state: ArticleState
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

    def _facts(self) -> tuple[IntArray, BoolArray]:
        """(where sentences begin, whether spaces follow) by the column MISC."""
        assert self.misc is not None
        tokens, codes, values = self.misc.rows()
        facts = [{*value.split("|")} for value in values]
        ends, joined = (
            np.array([bool(own & {*wanted}) for own in facts], bool)
            for wanted in ((SENTENCE_ENDS,), NO_SPACE)
        )
        spaces = np.ones(self.n_tokens, bool)
        spaces[tokens[joined[codes]]] = False
        return tokens[ends[codes]] + 1, spaces

    def _layer(
        self, columns: Sequence[tuple[int, str, str]]
    ) -> tuple[LayerTable, dict[int, dict[Any, list[Copy]]]]:
        """(the layer of some (place, scheme, repair), spans that are there again by document)."""
        parts: list[tuple[IntArray, IntArray, IntArray, Sequence[str]]] = []
        unseen = []
        sizes = np.diff(self.borders)
        state: IntArray = np.full(len(sizes), SEEN, np.int8)
        for place, scheme, repair in columns:
            start, end, code, own, lost = self._spans(place, scheme, repair)
            parts.append((start, end, code, own))
            whole = np.bincount(self.doc_of[lost], minlength=len(sizes)) == sizes
            state[whole & (sizes > 0)] = NOT_SEEN
            unseen.append(lost)
        labels = sorted({label for *_, own in parts for label in own})
        columns_of_rows = (
            (start, end, np.array([*map(labels.index, own)], np.int64)[code])
            for start, end, code, own in parts
        )
        rows = np.concatenate([np.column_stack(one) for one in columns_of_rows])
        rows = rows[state[self.doc_of[rows[:, 0]]] == SEEN]
        again: dict[int, dict[Any, list[Copy]]] = {}
        if len(parts) > 1:
            rows = rows[np.lexsort(rows.T[::-1])]
            new = np.ones(len(rows), bool)
            new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
            for row in np.flatnonzero(~new).tolist():
                start, end, code = rows[row].tolist()
                doc = int(self.doc_of[start])
                first = int(self.borders[doc])
                span = (start - first, end - first, labels[code])
                again.setdefault(doc, {}).setdefault(span, []).append(Copy({}))
            rows = rows[new]
        doc = self.doc_of[rows[:, 0]]
        shift = self.borders[doc]
        missing = distinct(*unseen)
        used = distinct(rows[:, 2])
        layer = LayerTable(
            doc,
            rows[:, 0] - shift,
            rows[:, 1] - shift,
            np.searchsorted(used, rows[:, 2]),
            tuple(labels[code] for code in used.tolist()),
            state,
            missing=self.stretches(missing[state[self.doc_of[missing]] == SEEN]),
        )
        return layer, again

    def stretches(self, tokens: IntArray) -> IntArray:
        """Rows (doc, start, end) of some tokens, which are sorted."""
        if not len(tokens):
            return NO_ROWS
        doc = self.doc_of[tokens]
        begins = np.ones(len(tokens), bool)
        begins[1:] = (tokens[1:] != tokens[:-1] + 1) | (doc[1:] != doc[:-1])
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(tokens)) - 1
        shift = self.borders[doc[first]]
        return np.column_stack([doc[first], tokens[first] - shift, tokens[last] + 1 - shift])

    def _spans(
        self, place: int, scheme: str, repair: str
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
        found = found[np.argsort(found[:, 0], kind="stable")]
        start, end, label = found.T
        return start, end, label, every, distinct(unseen, np.array(beside, np.int64))

    def sentences_of(self, tokens: IntArray) -> IntArray:
        """The numbers of the sentences of some tokens."""
        return np.searchsorted(self.offsets, tokens, "right") - 1

    def _spans_beside(
        self,
        place: int,
        scheme: str,
        repair: str,
        rows: tuple[IntArray, IntArray, Sequence[str]],
        sentences: IntArray,
    ) -> tuple[list[tuple[int, int, str]], list[int]]:
        """(spans, tokens not annotated) of sentences with blemishes, one after the other."""
        tokens, codes, values = rows
        spans, unseen = [], []
        for first, end in zip(
            self.offsets[sentences].tolist(), self.offsets[sentences + 1].tolist()
        ):
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
    """One column of tags, piece by piece."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}  # with their codes, without O
        self.iob: str | None = None
        self.n_unseen = 0
        self._rows: list[tuple[IntArray, IntArray]] = []

    def add(self, piece: Piece, place: int, first: int, keep: bool) -> None:
        """Go on with a piece, whose tokens begin at the number `first`."""
        tokens, codes, values = piece.values(place)
        if any(value != value.strip(" ") for value in values):  # beside a tab
            tokens, codes, values = _read_as(tokens, codes, [value.strip(" ") for value in values])
        if self.iob != "IOB2":
            begins = np.zeros(len(piece.lines) + 1, bool)
            begins[np.cumsum(piece.sentences) - piece.sentences] = True
            scheme = TagRows(tokens, codes, values, _follows(tokens, begins)).iob_scheme()
            self.iob = scheme or self.iob
        if UNSEEN in values:
            self.n_unseen += int((codes == values.index(UNSEEN)).sum())
        for value in values:
            self.values.setdefault(value, len(self.values))
        if keep:
            own = np.array([self.values[value] for value in values], np.int32)
            self._rows.append(((tokens + first).astype(np.int32), own[codes]))

    def rows(self) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of all tags but O."""
        tokens, codes = (np.concatenate(column) for column in zip(*self._rows))
        return tokens, codes, list(self.values)

    def read_as(self, others: Mapping[str, str], begins: BoolArray) -> TagColumn:
        """The column with others for some values; `begins` are those of sentences."""
        found = TagColumn()
        tokens, codes, values = _read_as(
            *self.rows()[:2], [others.get(value, value) for value in self.values]
        )
        found.values = {value: code for code, value in enumerate(values)}
        found.iob = TagRows(tokens, codes, values, _follows(tokens, begins)).iob_scheme()
        found.n_unseen = int((codes == found.values.get(UNSEEN, -1)).sum())
        found._rows = [(tokens, codes)]
        return found


def _read_as(
    tokens: IntArray, codes: IntArray, values: Sequence[str]
) -> tuple[IntArray, IntArray, list[str]]:
    """The rows of a column whose values by code are others, some of them the same, or O."""
    others = [value for value in dict.fromkeys(values) if value != "O"]
    own = {value: code for code, value in enumerate(others)}
    codes = np.array([own.get(value, -1) for value in values], np.int32)[codes]
    return tokens[codes >= 0], codes[codes >= 0], others


def _follows(tokens: IntArray, begins: BoolArray) -> BoolArray:
    """Whether each of some tokens comes right after the one before, in the same sentence."""
    found = np.zeros(len(tokens), bool)
    found[1:] = (tokens[1:] == tokens[:-1] + 1) & ~begins[tokens[1:]]
    return found


class DocumentTags(Sequence[Mapping[str, Tags]]):
    """The tags of each document, by layer, which few need.

    Parameters
    ----------
    found : mapping of str to (Tags, tokens, codes, values)
        By layer: how tags are read, and all that are not O.
    borders : integer array of shape (n_docs + 1,)
        Where documents begin, and where the last one ends.
    """

    def __init__(
        self, found: Mapping[str, tuple[Tags, IntArray, IntArray, list[str]]], borders: IntArray
    ) -> None:
        self._found, self._borders = found, borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        doc = range(len(self))[doc]
        start, end = self._borders[doc : doc + 2].tolist()
        made = {}
        for layer, (how, tokens, codes, values) in self._found.items():
            low, high = np.searchsorted(tokens, (start, end)).tolist()
            places = (tokens[low:high] - start).tolist()
            tags = [values[code] for code in codes[low:high].tolist()]
            made[layer] = how._replace(by_position=dict(zip(places, tags)))
        return made


class TokenLines(Sequence[Sequence[int]]):
    """The lines of the tokens of each document: a range, if they follow each other.

    Parameters
    ----------
    lines : integer array of shape (n_tokens,)
    borders : integer array of shape (n_docs + 1,)
        Where documents begin, and where the last one ends.
    """

    def __init__(self, lines: IntArray, borders: IntArray) -> None:
        # stretches of lines that follow each other
        self._first = np.flatnonzero(np.diff(lines, prepend=-1) != 1)
        self._lines, self._borders = lines[self._first], borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        doc = range(len(self))[doc]
        start, end = self._borders[doc : doc + 2].tolist()
        low = max(int(np.searchsorted(self._first, start, "right")) - 1, 0)
        high = int(np.searchsorted(self._first, end))
        first = [*self._first[low:high].tolist(), end]
        found = [
            range(line + max(start - a, 0), line + b - a)
            for line, a, b in zip(self._lines[low:high].tolist(), first, first[1:])
        ]
        return found[0] if len(found) == 1 else tuple(chain.from_iterable(found)) or range(0)
