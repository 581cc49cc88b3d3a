"""CoNLL, one token a line: reading as a whole and in blocks, and writing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from ..measures.arrays import distinct
from ..measures.words import ByteWords
from .blemishes import leave_out_parts
from .conll_bytes import (
    BLANK,
    DOCSTART,
    HASH,
    NEWLINE,
    NO_DOCUMENTS,
    TAB,
    UNSEEN,
    parse_piece,
    read_pieces,
)
from .conll_columns import (
    all_columns,
    beginning_of,
    columns_of_head,
    place_of,
    places_of,
    shape_of,
)
from .conll_documents import (
    FURTHER,
    START,
    ArticleState,
    Columns,
    Layout,
    openings,
)
from .corpus import Corpus, Document, check_words, document_title, one_piece
from .documents import DocumentTable
from .errors import FormatError, PathLike, known
from .files import BlockReader, Excerpt, Run
from .keys import Reading
from .notes import (
    HYPHENS,
    MOST,
    NO_NOTES,
    NUMBERED,
    SLASHES,
    UNPREFIXED,
    UNTAGGED,
    Notes,
    Place,
    note,
)
from .outputs import write_atomically
from .tags import SCHEMES, tags_of_spans

MISC = "MISC"
USUAL = ("PER", "LOC", "ORG", "MISC")  # labels that tokens end with, if tagged in place


def _resolve_layout(
    path: object, pieces: Callable[[], Iterable[bytes]], reading: Reading, *, keep: bool
) -> tuple[Layout, Columns]:
    """(how a file is read, by its keys and its content; its columns, kept or not).

    `pieces` returns the pieces of the file from its beginning, each time it is called.
    """
    columns, token, repair = reading.columns, reading.token_column, reading.repair or "error"
    if isinstance(columns, str):
        known(columns, ("all",), "value of columns")
    head = beginning_of(pieces())
    shape, names = shape_of(head, path)
    width = shape.width
    shown = columns_of_head(head, token)
    if token is not None:
        shape = shape._replace(token=place_of(path, token, width, names))
    elif shown is not None:
        shape = shape._replace(token=shown.token)
    if isinstance(columns, str):
        places = all_columns(path, width, names, shape.token)
    else:
        last = -1 if shown is None else shown.rivals()[-1]
        places = {
            f"{layer}{FURTHER}{number}" if number else layer: place
            for layer, column in ({"gold": last} if columns is None else columns).items()
            for number, place in enumerate(places_of(path, column, width, names))
        }
    repairs = {layer: _repair_of(layer, repair) for layer in places}
    misc = names.index(MISC) if names and MISC in names else None
    misc = None if misc in places.values() else misc
    layout = Layout(shape, places, repairs, bool(names), misc)
    found = Columns.of(pieces(), layout, keep=keep)
    return layout.settled(path, found, reading), found


def _repair_of(layer: str, repair: str | Mapping[str, str]) -> str:
    """How the improper tags of a layer, or of a further column of one, are read."""
    return repair if isinstance(repair, str) else repair.get(layer.partition(FURTHER)[0], "error")


def read_conll(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file with one token a line and an empty line after each sentence.

    Of a `Reading`, `columns` are layers and their columns, by number or by name in a first line
    like `#token<tab>gold<tab>system`; several columns, as a sequence or joined by commas, are one
    layer of nested spans. "all": every column but the token's is a layer. `repair` may have a value
    for each layer. What it does not say the file shows: the scheme, which is IOB1 only where no B
    stands otherwise and improper tags are an error; documents, which begin at -DOCSTART- lines and
    `# newdoc`, or are sentences; the layer "gold", the column of tags of the first lines.
    """
    pieces = cache(lambda: list(read_pieces(path)))  # once: it may be a pipe
    layout, found = _resolve_layout(path, pieces, reading, keep=True)
    return _corpus_of(path, found, layout)


def _corpus_of(path: object, found: Columns, layout: Layout, state: ArticleState = START) -> Corpus:
    """The corpus of the columns of a file, or of some pieces of it; `state` is that before them."""
    corpus = checked_corpus(path, found.table(layout, state), found, layout.repairs)
    bare = {
        layer.partition(FURTHER)[0]
        for layer, place in layout.places.items()
        if any(tag == f"I-{cell}" for cell, tag in layout.spellings.get(place, {}).items())
    }
    marked = distinct(*(corpus.table.layer(layer).doc for layer in bare)) if bare else ()
    notes = Notes({UNPREFIXED: len(marked)}) if len(marked) else NO_NOTES
    return replace(corpus, notes=corpus.notes + notes)


def checked_corpus(
    path: object, table: DocumentTable, found: Columns, repairs: Mapping[str, str]
) -> Corpus:
    """The corpus of some documents; what is wrong with them is left out, or an error."""
    leave_out_parts(path, found.problems)
    if not len(table):
        raise FormatError(NO_DOCUMENTS, path)
    unknown = [Place(str(path), line, f"column {name}") for line, name in found.untagged]
    notes = note(UNTAGGED, unknown)
    for name, lines in found.hyphens:
        places = [Place(str(path), line, f"column {name}") for line in lines[:MOST].tolist()]
        notes += Notes({HYPHENS: len(lines)}, {HYPHENS: tuple(places)})
    return _with_doubts(Corpus(str(path), table, repair=_repair_name(repairs), notes=notes))


def _with_doubts(corpus: Corpus) -> Corpus:
    """The corpus with notes of tokens that are numbers, or end with labels ("Minneapolis/LOC")."""
    table = corpus.table
    labels = {*USUAL, *(label for layer in table.layers.values() for label in layer.labels)}
    ends = tuple(f"/{label}" for label in sorted(labels))
    if isinstance(table.words, ByteWords):
        data = table.words.data
        slashed = b"/" in data and any(f"{end}\0".encode() in data for end in ends)
        if not slashed and not data.startswith(b"1\x002\x00"):
            return corpus
    slashes, numbers = [], []
    for document in corpus.documents:
        path = document.path or corpus.path
        slashes += [
            Place(path, document.line(at), word)
            for at, word in enumerate(document.words)
            if word.endswith(ends) and word not in ends
        ]
        if document.words[:2] == ("1", "2") and all(map(str.isdecimal, document.words)):
            numbers.append(Place(path, document.line(0), " ".join(document.words[:4])))
    return replace(corpus, notes=corpus.notes + note(SLASHES, slashes) + note(NUMBERED, numbers))


def _repair_name(repairs: Mapping[str, str]) -> str:
    """The repair of all layers if they have the same, else layer=repair of each, sorted."""
    names = set(repairs.values())
    if len(names) == 1:
        return names.pop()
    layers = sorted(layer for layer in repairs if FURTHER not in layer)
    return ",".join(f"{layer}={repairs[layer]}" for layer in layers) or "none"


def blocks_of_conll() -> BlockReader:
    """How CoNLL files are read in blocks of documents."""
    return BlockReader(
        _open_documents, b"".join, _read_some_documents, "token", again=_raw_documents
    )


def _open_documents(path: PathLike, reading: Reading) -> tuple[Layout, Iterator[Run]]:
    """(how the file is read, its documents)."""
    layout, _ = _resolve_layout(path, partial(read_pieces, path), reading, keep=False)
    return layout, _raw_documents(path, layout)


def _raw_documents(path: PathLike, layout: Layout) -> Iterator[Run]:
    """The documents in runs, their texts with all lines up to the last document.

    Those of a run have the same state in front, but for the first.
    """
    state, front, opened, before, skip = START, b"", False, START, layout.header
    for data in read_pieces(path):
        at = data.find(b"\n") + 1 if skip else 0
        skip = False
        ends, marks = _sentence_ends(data, at, layout)
        numbers, after = openings([mark[:3] for mark in marks], len(ends), state)
        starts = [(marks[number][0], marks[number][3]) for number in numbers]
        if layout.by_sentence:
            cuts = [n for n, _ in starts]
            runs = [
                (ends[low:high], state.article + number)
                for number, (low, high) in enumerate(zip([0, *cuts], [*cuts, len(ends)]))
            ]
        else:
            n_last = [0, *(n for n, _ in starts)]
            full = [n > m for m, (n, _) in zip(n_last, starts)]
            full = [opened or number > 0 or own for number, own in enumerate(full)]
            runs = [([start for own, (_, start) in zip(full, starts) if own], 0)]
            opened = opened or bool(starts) or len(ends) > 0
        done = 0
        for own, article in runs:
            if own:
                later = ArticleState(article, True)
                shifted = [len(front) + end - done for end in own]
                yield Run(front + data[done : own[-1]], before, shifted, later)
                front, done, before = b"", own[-1], later
        front, state = front + data[done:], after
    if opened:
        yield Run(front, before)
    elif before is START:
        raise FormatError(NO_DOCUMENTS, path)


def _sentence_ends(
    data: bytes, skip: int, layout: Layout
) -> tuple[list[int], list[tuple[int, int, str, int]]]:
    """(where sentences end in some lines, an empty line included, the marks and their places)."""
    text = np.frombuffer(b"\n" + data[skip:] + b"\n\n", np.uint8)
    breaks = np.flatnonzero(text[:-1] == NEWLINE)
    lead = text[breaks + 1]
    if DOCSTART[:-1].encode() not in data and not np.isin(lead, (HASH, BLANK, TAB)).any():
        last = (lead == NEWLINE) & (text[breaks - 1] != NEWLINE)
        return np.minimum(breaks[last] + skip + 1, len(data)).tolist(), []
    piece = parse_piece(data[skip:], layout.shape)
    lines = np.minimum(breaks + skip, len(data))
    marks = [(n, line, text, int(lines[line])) for n, line, text in piece.marks]
    return lines[piece.ends].tolist(), marks


def _read_some_documents(
    excerpt: Excerpt, layout: Layout, reading: Reading, state: ArticleState
) -> Corpus:
    """The corpus of some documents of a file."""
    found = Columns.of([excerpt.content], layout, excerpt.first)
    return _corpus_of(excerpt, found, layout, state)


def write_conll(
    path: PathLike, corpus: Corpus, layers: Sequence[str] | None = None, *, scheme: str = "IOB2"
) -> None:
    """Write tokens, tags, sentences and names; attributes of a document of one sentence behind its.

    Without `layers`, all of them are written, and a first line `#token<tab>name...` names them:
    with columns="all" the corpus is read that `losses.reduced` leaves, but for sentences of
    documents without any, and tokens that are missing, then in each layer. Documents of one
    sentence stand between empty lines, others begin with a -DOCSTART- line. The tags of a document
    that was not annotated are hyphens, and so are those of missing tokens. Tags of IOB1 are read
    with scheme="IOB1".
    """
    known(scheme, SCHEMES, "scheme")
    if corpus.positions != "token":
        raise FormatError(
            "a corpus without tokens; --tokenizer LANG makes some, JSONL does without", path
        )
    check_words(corpus, path)
    single = bool(corpus.table.n_words.all()) and not corpus.table.sents[:, 1].any()
    lines = [] if layers is not None else ["\t".join(["#token", *corpus.layer_names])]
    layers = corpus.layer_names if layers is None else layers
    for place, document in enumerate(corpus.documents, 1):
        try:
            lines += _document_lines(document, layers, scheme, single)
        except ValueError as error:
            raise FormatError(
                f"{document_title(document, place)}: {error}; write JSONL", path
            ) from error
    write_atomically(path, lines)


def _document_lines(
    document: Document, layers: Sequence[str], scheme: str, single: bool
) -> list[str]:
    """The lines of one document."""
    lines = [] if single else [f"{DOCSTART} -X- O O", ""]
    lines += _comment_lines(document, single)
    cuts = sorted({0, *document.sents, len(document.words)})
    columns = [_tag_column(document, layer, cuts, scheme) for layer in layers]
    for start, end in zip(cuts, cuts[1:]):
        lines += map("\t".join, zip(*(one[start:end] for one in (document.words, *columns))))
        lines.append("")
    return lines


def _comment_lines(document: Document, single: bool) -> list[str]:
    """The lines that say the name and the attributes."""
    if not document.attributes:
        if document.name is None:
            return []
        return [f"# id {document.name}" if single else f"# doc_id = {document.name}"]
    pairs = [f"{key}={said}" for key, said in document.attributes.items()]
    name = "# attributes =" if document.name is None else f"# id {document.name}"
    return ["\t".join([name, *pairs])]


def _tag_column(document: Document, layer: str, cuts: Sequence[int], scheme: str) -> list[str]:
    """The tags of one layer."""
    spans = document.layers.get(layer)
    if spans is None:
        return [UNSEEN] * len(document.words)
    tags, rows = [], one_piece(spans)
    for start, end in zip(cuts, cuts[1:]):
        own = [(s - start, e - start, label) for s, e, label in rows if start <= s < end]
        tags += tags_of_spans(own, end - start, scheme=scheme)
    for start, end in document.gaps(layer):
        tags[start:end] = [UNSEEN] * (end - start)
    return tags
