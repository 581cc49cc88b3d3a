"""CoNLL, one token a line: reading as a whole and in blocks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import BoolArray, IntArray, distinct
from ..measures.tags import ONE_SCHEME, REPAIRS, TagRows, families
from ..measures.words import ByteWords
from .blemishes import blemishes, leave_out
from .conll_bytes import (
    DOCSTART,
    NEWLINE,
    NO_DOCUMENTS,
    NOTHING,
    UNSEEN,
    Piece,
    Shape,
    facts_in,
    facts_of,
    read_pieces,
)
from .conll_columns import (
    PLUS,
    STANDARD,
    FileColumns,
    beginning_of,
    columns_of_head,
    place_of,
    places_of,
    shape_of,
)
from .corpus import Corpus
from .documents import SEEN, DocumentTable, LayerTable, runs_of
from .documents import UNSEEN as NOT_SEEN
from .errors import FormatError, PathLike, Problem, known, raise_first
from .files import BlockReader, Run, name_by_file
from .keys import Reading
from .notes import EMPTY_TOKENS, HYPHENS, IMPROPER, UNPREFIXED, Notes, Place, note
from .tags import BRACKETS, OUTSIDE, is_tag, no_tag, plain_tags

EMPTY = re.compile(rb"(?m)^(?=\n)")
MISC = "MISC"
FILE, SENTENCE = "file", "sentence"  # documents
# comments that name what follows, the best first
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")
# in the column MISC of HIPE, and of CoNLL-U
SENTENCE_ENDS, NO_SPACE = "EndOfSentence", ("NoSpaceAfter", "SpaceAfter=No")
Rows = tuple[IntArray, IntArray, Sequence[str]]  # tokens, codes and values of all cells but O
# starts, ends, labels, their names, tokens not annotated
Spans = tuple[IntArray, IntArray, IntArray, Sequence[str], IntArray]


class Column(NamedTuple):
    """A column of tags of a layer, and how it is read.

    `plain` are the tags of cells that are spelt otherwise.
    """

    layer: str
    place: Any  # or a key of the column MISC, "misc:KEY"
    repair: str
    role: str
    scheme: str = "IOB2"
    plain: Mapping[str, str] = {}


class Layout(NamedTuple):
    """How the lines of a file are read, the same for the whole file.

    `header` says whether the first line names columns, `misc` is the column of other facts of a
    token. Documents are sentences, or begin on the lines `openings`; `name` is how the file's only
    document is called.
    """

    shape: Shape
    columns: Sequence[Column]
    header: bool
    misc: Any = None
    by_sentence: bool = True
    openings: Sequence[int] = ()
    name: str | None = None

    def resolved(self, path: object, columns: Columns, reading: Reading) -> Layout:
        """The layout with schemes and documents as the columns of the file have them."""
        openings, documents = columns.openings(), reading.documents or "auto"
        if not columns.n_tokens and not openings:
            raise FormatError(NO_DOCUMENTS, path)
        by_sentence = documents == SENTENCE or (documents == "auto" and not openings)
        name = name_by_file(str(path)) if documents == FILE and not openings else None
        if not by_sentence and (not openings or openings[0][0]):
            openings.insert(0, (0, 1))
        return self._replace(
            columns=[
                columns.tags[one.place].resolve(path, one, columns.n_tokens, reading.scheme)
                for one in self.columns
            ],
            by_sentence=by_sentence,
            openings=tuple(line for _, line in openings),
            name=name,
        )


def read_conll(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file with one token a line and an empty line after each sentence.

    Of a `Reading`, `columns` are layers and their columns, by number or by name in a first line
    like `#token<tab>gold<tab>system`; several columns, as a sequence or joined by commas, are one
    layer of nested spans. "all": every column but the token's is a layer. What it does not say the
    file shows: the scheme; documents, which begin at -DOCSTART- lines and `# newdoc`, or are
    sentences; the layer "gold", the column of tags of the first lines. In CoNLL-U Plus, whose first
    line is `# global.columns = ID FORM NER`, each column of tags beside the ten of CoNLL-U is a
    layer of its name; without one, keys of the column MISC are: `misc:name` of `name=B-PER`.
    """
    pieces = [*read_pieces(path)]  # once: it may be a pipe
    layout = _open_layout(path, pieces, reading)
    found = Columns(pieces, layout)
    return corpus_of(path, found, layout.resolved(path, found, reading))


def _open_layout(path: object, pieces: Iterable[bytes], reading: Reading) -> Layout:
    """How a file is read, by its keys and its beginning."""
    head = beginning_of(pieces)
    shape, names = shape_of(head, path)
    header, is_plus = bool(names), PLUS.match(head) is not None
    token = reading.token_column
    if token is not None:
        token = place_of(path, token, shape.width, names)
    shown = columns_of_head(head, token)
    if shown and len(shown.tags) > 1 and not shown.tags[max(shown.tags)].labels:
        # the last column may have its first label further down
        pieces = pieces if isinstance(pieces, list) else read_pieces(str(path))
        shown = columns_of_head(b"".join(pieces), token)
    if shown is None and not names and shape.width == len(STANDARD):
        shape, names, is_plus = shape._replace(token=1, ids=0), STANDARD, True
    elif reading.format == "conllup" and not is_plus:
        raise FormatError("no first line '# global.columns = ID FORM ...'", path, 1)
    elif shown is not None:
        token = shown.token
    shape = shape if token is None else shape._replace(token=token)
    columns: Any = reading.columns
    if isinstance(columns, str):
        known(columns, ("all",), "value of columns")
        own = [name or str(place) for place, name in enumerate(names or [""] * shape.width)]
        if twice := sorted({name for name in own if own.count(name) > 1}):
            raise FormatError(f"two columns are called {twice[0]!r}; give each its own name", path)
        columns = {name: place for place, name in enumerate(own) if place != shape.token}
    elif is_plus and columns is None:
        columns = _layers_of_plus(path, head, shape, names or [], shown)
    elif columns is None:
        columns = {"gold": -1 if shown is None else shown.rivals()[-1]}
    repair = reading.repair or REPAIRS[0]
    repairs = repair if isinstance(repair, Mapping) else dict.fromkeys(columns, repair)
    found = []
    for layer, column in columns.items():
        of_misc = str(column).startswith(f"{MISC.lower()}:")
        places = [column] if of_misc else places_of(path, column, shape.width, names)
        role = "pred" if layer == "pred" else reading.role
        found += [Column(layer, at, repairs.get(layer) or REPAIRS[0], role) for at in places]
    misc = names.index(MISC) if names and MISC in names else None
    return Layout(shape, found, header, None if [misc] == [one.place for one in found] else misc)


def _layers_of_plus(
    path: object, head: bytes, shape: Shape, names: Sequence[str], shown: FileColumns | None
) -> dict[str, Any]:
    """The columns of tags of CoNLL-U Plus by their names, or else keys of MISC as in NorNE.

    These are keys whose values mostly are tags, as `name` of `name=B-PER`.
    """
    tags = shown.tags if shown else {}
    layers: dict[str, Any] = {names[at]: at for at in tags if names[at] not in STANDARD}
    if not layers and MISC in names:
        values: dict[str, set[str]] = {}
        for cell in Piece(head, shape).values(names.index(MISC))[2]:
            for key, value in facts_of(cell).items():
                values.setdefault(f"misc:{key}", set()).add(value)
        own = {key: some for key, some in values.items() if some != {"O"}}
        layers = {key: key for key, some in own.items() if 2 * sum(map(is_tag, some)) > len(some)}
    if not layers:
        raise FormatError(
            "no column of tags such as B-PER beside those of CoNLL-U, and no tags in MISC "
            f"(name=B-PER); the columns are {', '.join(names)}. Codes such as 1:VID: convert to "
            "JSONL. Trees: --format conllu",
            path,
        )
    return layers


def corpus_of(path: object, found: Columns, layout: Layout) -> Corpus:
    """The corpus of the columns of a file, or of some documents; damaged ones are left out."""
    table = found.table(layout)
    if not len(table):
        raise FormatError(NO_DOCUMENTS, path)
    if blemishes() is None:
        raise_first(path, found.problems)
    problems = sorted(found.problems, key=lambda problem: problem.place)
    damaged: dict[int, Problem] = {}
    if problems:
        tokens = np.searchsorted(found.lines, [one.place for one in problems])
        docs = found.doc_of[tokens].tolist()
        damaged |= zip(docs[::-1], problems[::-1])  # the first problem of each
        leave_out(path, [damaged[doc] for doc in sorted(damaged)], sorted(damaged))
        table = table.taken(np.setdiff1d(np.arange(len(table)), [*damaged]))
    unprefixed, n_hyphens = {-1}, 0
    for layer, place, *_, plain in layout.columns:
        if any(tag == f"I-{cell}" for cell, tag in plain.items()):
            unprefixed |= {*table.layer(layer).doc.tolist()}
        counts = found.tags[place].counts
        n_hyphens += sum(counts[cell] for cell in NOTHING if plain.get(cell) == "O")
    notes = Notes({k: n for k, n in ((UNPREFIXED, len(unprefixed) - 1), (HYPHENS, n_hyphens)) if n})
    rows = [(int(found.lines[token]), tag) for token, tag in sorted(found.improper)]
    for kind, some in ((IMPROPER, rows), (EMPTY_TOKENS, [(line, "_") for line in found.empty])):
        docs = found.doc_of[np.searchsorted(found.lines, [line for line, _ in some])].tolist()
        kept = [one for one, doc in zip(some, docs) if doc not in damaged]
        notes += note(kind, [Place(str(path), *one) for one in kept])
    by_layer = {one.layer: one.repair for one in layout.columns}
    repair = "".join({*by_layer.values()})
    if len({*by_layer.values()}) > 1:
        repair = ",".join(f"{layer}={one}" for layer, one in sorted(by_layer.items()))
    return Corpus(str(path), table, repair=repair, notes=notes)


# --- documents


class Columns:
    """The sentences, words and tags of some pieces of a file, which begin at a line.

    With `keep`, all of it is kept, and not only what tells documents and the scheme of the tags.
    """

    # of all tokens, if they are kept: where sentences begin, and whether one begins; lines; then
    # documents, once there is a table
    offsets: IntArray
    begins: BoolArray
    lines: IntArray
    doc_of: IntArray
    borders: IntArray

    def __init__(
        self, pieces: Iterable[bytes], layout: Layout, first: int = 1, keep: bool = True
    ) -> None:
        self._first = self._next = first  # lines: the first one, and the one behind
        self._n_sentences, self.n_tokens = 0, 0
        self._marks: list[tuple[int, int, str]] = []  # sentences in front, line, text
        self.tags = {one.place: Cells() for one in layout.columns}
        self.misc = None if layout.misc is None else Cells()
        self.problems: list[Problem] = []
        self.improper: list[tuple[int, str]] = []  # tokens and tags where chunks of gold begin so
        self.empty: list[int] = []  # lines of tokens without a word
        self._words: list[bytes] = []
        arrays: list[tuple[IntArray, IntArray]] = []
        for data in pieces:
            if layout.header and self._next == 1:
                self._next, data = 2, data.partition(b"\n")[2]
            piece = Piece(data, layout.shape)
            if keep:
                self._words.append(EMPTY.sub(b"_", piece.cells(layout.shape.token)))
                self.empty += (piece.lines[piece.empty] + self._next).tolist()
                arrays.append((piece.sentences, (piece.lines + self._next).astype(np.int32)))
            for place, column in self.tags.items():
                rows: Rows = piece.values(layout.misc if isinstance(place, str) else place)
                if isinstance(place, str):
                    key = place.removeprefix("misc:")
                    rows = _read_as(rows, {cell: facts_of(cell).get(key, "O") for cell in rows[2]})
                column.add(rows, self.n_tokens, keep)
            if keep and self.misc is not None:
                self.misc.add(piece.values(layout.misc), self.n_tokens, True)
            self._marks += [
                (n + self._n_sentences, at + self._next, text) for n, at, text in piece.marks
            ]
            advice = f"the tokens of this file have {layout.shape.width} columns: correct the line"
            for row in piece.lines[piece.damaged].tolist():
                n = int(piece.widths[row])
                self.problems.append(Problem(row + self._next, f"{n} columns", advice))
            self._n_sentences += len(piece.sentences)
            self.n_tokens += len(piece.lines)
            self._next += len(piece.widths)
        if keep:
            sizes, self.lines = map(np.concatenate, zip(*arrays))
            self.offsets = np.concatenate([[0], np.cumsum(sizes)])
            self.begins = np.zeros(self.n_tokens + 1, bool)
            self.begins[self.offsets] = True

    def openings(self) -> list[tuple[int, int]]:
        """(sentences in front, line) of -DOCSTART-, and of `# newdoc` that is not behind one."""
        found: list[tuple[int, int]] = []
        for n_before, line, text in self._marks:
            is_newdoc = "newdoc" in text and any(
                key.startswith("newdoc") for key in facts_in([text])
            )
            if text == DOCSTART or is_newdoc and (not found or found[-1][0] < n_before):
                found.append((n_before, line))
        return found

    def table(self, layout: Layout) -> DocumentTable:
        """The documents, read with the schemes and repair of a `Layout`; `problems` get more."""
        first, names, attributes = self._documents(layout)
        if layout.name is not None and names is None:
            names = [layout.name]
        self.borders = np.append(self.offsets[first], self.n_tokens)
        sizes = np.diff(self.borders)
        self.doc_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        parts: dict[str, list[Spans]] = {}
        for column in layout.columns:
            parts.setdefault(column.layer, []).append(self._spans(column))
        layers = {name: self._layer(some) for name, some in parts.items()}
        begins, spaces = self._sentences([*layers.values()])
        more: dict[str, Sequence[Any] | None] = {
            "lines": _Lines(self.lines, self.borders),
            "spaces": spaces,
            "attributes": attributes,
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

    def _documents(
        self, layout: Layout
    ) -> tuple[IntArray, Sequence[str | None] | None, Sequence[Mapping[str, Any]] | None]:
        """(first sentences, names, attributes) of the documents."""
        openings, lines = layout.openings, layout.openings[:0]
        keys: Sequence[str] = SENTENCE_NAMES
        first: IntArray = np.arange(self._n_sentences)
        if not layout.by_sentence:
            lines = openings[bisect_left(openings, self._first) : bisect_left(openings, self._next)]
            first, keys = np.searchsorted(self.lines[self.offsets[:-1]], lines), DOCUMENT_NAMES
        if not self._marks and (not openings or not layout.by_sentence):
            return first, None, None
        begins = first.tolist()
        comments: list[list[str]] = [[] for _ in begins]
        for n, line, text in self._marks:
            doc = n if layout.by_sentence else bisect_right(lines, line) - 1
            if 0 <= doc < len(begins) and begins[doc] == n:
                comments[doc] = [] if text == DOCSTART else [*comments[doc], text]
        facts = [facts_in(some) if some else {} for some in comments]
        names = [next((own[key] for key in keys if own.get(key)), None) for own in facts]
        found = None
        if layout.by_sentence and openings:
            articles = np.searchsorted(openings, self.lines[self.offsets[:-1]]).tolist()
            found = [{"article": article} for article in articles]
        return first, names if any(names) else None, found

    def _sentences(self, layers: Sequence[LayerTable]) -> tuple[IntArray, list[Any] | None]:
        """(where sentences begin, whether spaces follow by document), both also by column MISC."""
        begins = self.offsets[:-1]
        if self.misc is None:
            return begins, None
        tokens, codes, values = self.misc.rows({})
        facts = [{*value.split("|")} for value in values]
        ends = np.array([SENTENCE_ENDS in own for own in facts], bool)
        joined = np.array([not own.isdisjoint(NO_SPACE) for own in facts], bool)
        after = tokens[ends[codes]] + 1
        after = after[after < self.n_tokens]
        # a span may go on behind the end of a line of print: there no sentence ends
        shifts = [self.borders[one.doc] for one in layers]
        first = np.sort(np.concatenate([one.start + shift for one, shift in zip(layers, shifts)]))
        last = np.sort(np.concatenate([one.end + shift for one, shift in zip(layers, shifts)]))
        n_open = np.searchsorted(first, after) - np.searchsorted(last, after, "right")
        begins = distinct(begins, after[n_open == 0])
        spaces = np.ones(self.n_tokens, bool)
        spaces[tokens[joined[codes]]] = False
        if spaces.all():
            return begins, None
        by_document = (one.tolist() for one in np.split(spaces, self.borders[1:-1]))
        return begins, [None if all(one) else one for one in by_document]

    def _layer(self, parts: Sequence[Spans]) -> LayerTable:
        """The layer of the spans of some columns; a span that several have is one.

        A document is not seen if no token of it is annotated; stretches of others are missing.
        """
        labels = tuple(sorted({label for *_, labels, _ in parts for label in labels}))
        spans = np.concatenate([
            np.column_stack([start, end, np.array([*map(labels.index, own)], np.int64)[code]])
            for start, end, code, own, _ in parts
        ])  # fmt: skip
        sizes = np.diff(self.borders)
        tokens = distinct(*(unseen for *_, unseen in parts))
        n_unseen = np.bincount(self.doc_of[tokens], minlength=len(sizes))
        state: IntArray = np.where((n_unseen == sizes) & (sizes > 0), NOT_SEEN, SEEN)
        first, last = runs_of(tokens[state[self.doc_of[tokens]] == SEEN], self.doc_of)
        doc = self.doc_of[first]
        shift = self.borders[doc]
        missing = np.column_stack([doc, first - shift, last + 1 - shift])
        if len(parts) > 1:
            spans = spans[state[self.doc_of[spans[:, 0]]] == SEEN]
            spans = spans[np.lexsort(spans.T[::-1])]
            spans = spans[np.append(True, (spans[1:] != spans[:-1]).any(axis=1))[: len(spans)]]
        doc = self.doc_of[spans[:, 0]]
        start, end = (spans[:, :2] - self.borders[doc][:, None]).T
        states = state.astype(np.int8)
        return LayerTable(doc, start, end, spans[:, 2], labels, states, missing=missing)

    def _spans(self, column: Column) -> Spans:
        """The spans of a column of tags."""
        tokens, codes, values = self.tags[column.place].rows(column.plain, self)
        unseen: IntArray = tokens[:0]
        if UNSEEN in values:
            is_unseen = codes == [*values].index(UNSEEN)
            unseen, tokens, codes = tokens[is_unseen], tokens[~is_unseen], codes[~is_unseen]
        tag_rows = TagRows.of_sentences(tokens, codes, values, self.begins)
        start, end, code, labels, improper, wrong = tag_rows.spans(column.scheme, column.repair)
        for row in wrong.tolist():
            what, advice = no_tag(values[codes[row]], column.scheme)
            line = int(self.lines[tokens[row]])
            self.problems.append(Problem(line, f"column {column.place}: {what}", advice))
        if column.role == "gold" and column.repair == REPAIRS[0]:
            self.improper += [(int(tokens[row]), values[codes[row]]) for row in improper.tolist()]
        return start, end, code, labels, unseen


class Cells:
    """One column of tags, piece by piece: how often it has each cell but O, and where."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._rows: list[tuple[IntArray, IntArray]] = []

    def add(self, rows: Rows, first: int, keep: bool) -> None:
        """Go on with rows of a piece, whose tokens begin at the number `first`."""
        tokens, codes, values = rows
        counts = np.bincount(codes, minlength=len(values)).tolist()
        self.counts.update(dict(zip(values, counts)))
        if keep:
            known = {value: code for code, value in enumerate(self.counts)}
            own = np.array([known[value] for value in values], np.int32)
            self._rows.append(((tokens + first).astype(np.int32), own[codes]))

    def resolve(self, path: object, column: Column, n_tokens: int, scheme: str | None) -> Column:
        """The column of these cells, among some tokens, with its scheme and spellings.

        Where no cell is O, `_` and hyphens are; `_` is also in any prediction.
        """
        counts, place = self.counts, column.place
        if sum(counts[cell] for cell in NOTHING) == n_tokens > 0:
            raise FormatError(f"column {place} has - and _ alone; name a column of tags", path)
        n_outside = n_tokens - counts.total()
        plain = plain_tags(Counter(O=n_outside) + counts)
        has_outside = n_outside or {*OUTSIDE} & counts.keys()
        for cell in NOTHING:
            if cell in counts and (not has_outside or cell == "_" and column.role == "pred"):
                plain[cell] = "O"
        if scheme in (None, "auto"):
            tags = [plain.get(cell, cell) for cell in counts]
            own = {} if BRACKETS in plain else families(tags)
            if len(own) > 1:
                both = " and ".join(f"{tag} of {name}" for name, tag in sorted(own.items()))
                raise FormatError(f"column {place} has both {both}; {ONE_SCHEME}", path)
            n_begin, n_inside = (
                sum(n for cell, n in counts.items() if plain.get(cell, cell)[:2] == prefix)
                for prefix in ("B-", "I-")
            )
            # spans of a hundred tokens are rare; in CoNLL-2003's IOB1 one of 900 begins with B
            scheme = next(iter(own), "IOB1" if 100 * n_begin < n_inside else "IOB2")
        return column._replace(scheme=scheme, plain=plain)

    def rows(self, plain: Mapping[str, str], columns: Columns | None = None) -> Rows:
        """The rows of all cells but O, as tags are usually spelt."""
        tokens, codes = (np.concatenate(column) for column in zip(*self._rows))
        rows: Rows = tokens, codes, [*self.counts]
        if columns is not None and BRACKETS in plain:
            rows = _opened(rows, plain, np.searchsorted(columns.offsets, tokens, "right"))
        return _read_as(rows, plain) if plain else rows


def _read_as(rows: Rows, tags: Mapping[str, str]) -> Rows:
    """The rows of a column with other values for some cells, some of them the same, or O."""
    tokens, codes, values = rows
    values = [tags.get(value, value) for value in values]
    others = [value for value in dict.fromkeys(values) if value != "O"]
    own = {value: code for code, value in enumerate(others)}
    codes = np.array([own.get(value, -1) for value in values], np.int32)[codes]
    return tokens[codes >= 0], codes[codes >= 0], others


def _opened(rows: Rows, tags: Mapping[str, str], sentences: IntArray) -> Rows:
    """The rows of a column of brackets as tags: inside of a span I and the label of its B, else O.

    `tags` are B- and S- with labels, I and E without one.
    """
    tokens, codes, cells = rows
    values = [tags.get(cell, cell) for cell in cells]
    kinds = np.array([value[:2] for value in values], object)[codes]
    numbers = np.arange(len(codes))
    opens, inside = np.isin(kinds, ("B-", "S-")), np.isin(kinds, ("I", "E"))
    opened = np.maximum.accumulate(np.where(opens, numbers, -1))
    closed = np.maximum.accumulate(np.where(np.isin(kinds, ("S-", "E")), numbers, -1))
    within = inside & (opened > np.append(-1, closed[:-1])) & (opened >= 0)
    within &= sentences == sentences[opened]
    first = [f"B{one[1:]}" if one[:2] == "S-" else "O" if one in ("I", "E") else one
             for one in values]  # fmt: skip
    every = [*first, *(f"I{one[1:]}" for one in first)]
    return tokens, np.where(within, codes[opened] + len(first), codes), every


class _Lines(Sequence[tuple[int, ...]]):
    """The lines of the tokens of each document, made for the few that are asked for."""

    def __init__(self, lines: IntArray, borders: IntArray) -> None:
        self._lines, self._borders = lines, borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        start, end = self._borders[range(len(self))[doc] :][:2].tolist()
        return tuple(self._lines[start:end].tolist())


# --- blocks


def blocks_of_conll() -> BlockReader:
    """How CoNLL files are read in blocks of documents."""
    return BlockReader(
        _open_documents,
        b"".join,
        lambda part, layout, _: corpus_of(
            part, Columns([part.content], layout, part.first), layout
        ),
        "token",
        again=_raw_documents,
    )


def _open_documents(path: PathLike, reading: Reading) -> tuple[Layout, Iterator[Run]]:
    """(how the file is read, its documents)."""
    layout = _open_layout(path, read_pieces(path), reading)
    found = Columns(read_pieces(path), layout, keep=False)
    layout = layout.resolved(path, found, reading)
    return layout, _raw_documents(path, layout)


def _raw_documents(path: PathLike, layout: Layout) -> Iterator[Run]:
    """The documents in runs, their texts with all lines up to the last document."""
    line, rest = 1, b""
    for data in read_pieces(path):
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == NEWLINE)
        begins = np.concatenate([[0], newlines + 1, [] if data.endswith(b"\n") else [len(data)]])
        begins = begins.astype(np.int64)
        if layout.by_sentence:
            skipped = int(layout.header and line == 1)
            ends = Piece(data[begins[skipped] :], layout.shape).ends + skipped
        else:
            own = layout.openings[1:]
            own = own[bisect_left(own, line) : bisect_left(own, line + len(begins) - 1)]
            ends = np.array(own, np.int64) - line
        cuts = (begins[ends] + len(rest)).tolist()
        rest += data
        if cuts:
            yield Run(rest[: cuts[-1]], cuts)
            rest = rest[cuts[-1] :]
        line += len(begins) - 1
    if not layout.by_sentence:
        yield Run(rest)
