"""CoNLL, one token a line: reading as a whole and in blocks, and writing."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .blemishes import blemishes, leave_out
from .conll_bytes import (
    DOCSTART,
    NEWLINE,
    NO_DOCUMENTS,
    NOTHING,
    UNSEEN,
    Piece,
    Shape,
    read_pieces,
)
from .conll_columns import (
    PLUS,
    STANDARD,
    FileColumns,
    beginning_of,
    columns_of_head,
    keys_of_misc,
    place_of,
    places_of,
    shape_of,
)
from .conll_documents import Column, Columns, Layout
from .corpus import Corpus, Document, check_words, document_title, one_piece
from .errors import FormatError, PathLike, known, raise_first
from .files import BlockReader, Run
from .keys import Reading
from .notes import HYPHENS, UNPREFIXED, Notes
from .outputs import write_atomically
from .tags import SCHEMES, tags_of_spans

MISC = "MISC"


def read_conll(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file with one token a line and an empty line after each sentence.

    Of a `Reading`, `columns` are layers and their columns, by number or by name in a first line
    like `#token<tab>gold<tab>system`; several columns, as a sequence or joined by commas, are one
    layer of nested spans. "all": every column but the token's is a layer. What it does not say the
    file shows: the scheme, which is IOB1 only where no B stands otherwise and improper tags are an
    error; documents, which begin at -DOCSTART- lines and `# newdoc`, or are sentences; the layer
    "gold", the column of tags of the first lines. In CoNLL-U Plus, whose first line is
    `# global.columns = ID FORM NER`, each column of tags beside the ten of CoNLL-U is a layer of
    its name; without one, keys of the column MISC are: `misc:name` of `name=B-PER`.
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
    repair = reading.repair or "error"
    repairs = repair if isinstance(repair, Mapping) else dict.fromkeys(columns, repair)
    found = []
    for layer, column in columns.items():
        of_misc = str(column).startswith(f"{MISC.lower()}:")
        places = [column] if of_misc else places_of(path, column, shape.width, names)
        found += [Column(layer, place, repairs.get(layer, "error")) for place in places]
    misc = names.index(MISC) if names and MISC in names else None
    return Layout(shape, found, header, None if [misc] == [one.place for one in found] else misc)


def _layers_of_plus(
    path: object, head: bytes, shape: Shape, names: Sequence[str], shown: FileColumns | None
) -> dict[str, Any]:
    """The columns of tags of CoNLL-U Plus by their names, or else keys of MISC as in NorNE."""
    tags = shown.tags if shown else {}
    layers: dict[str, Any] = {names[at]: at for at in tags if names[at] not in STANDARD}
    if not layers and MISC in names:
        keys = keys_of_misc(head, shape, names.index(MISC))
        layers = {f"misc:{key}": f"misc:{key}" for key in keys}
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
    if problems:
        tokens = np.searchsorted(found.lines, [one.place for one in problems])
        docs = found.doc_of[tokens].tolist()
        damaged = dict(zip(docs[::-1], problems[::-1]))  # the first problem of each
        leave_out(path, [damaged[doc] for doc in sorted(damaged)], sorted(damaged))
        table = table.taken(np.setdiff1d(np.arange(len(table)), [*damaged]))
    unprefixed, n_hyphens = {-1}, 0
    for layer, place, *_, plain in layout.columns:
        if any(tag == f"I-{cell}" for cell, tag in plain.items()):
            unprefixed |= {*table.layer(layer).doc.tolist()}
        counts = found.tags[place].counts
        n_hyphens += sum(counts[cell] for cell in NOTHING if plain.get(cell) == "O")
    notes = {UNPREFIXED: len(unprefixed) - 1, HYPHENS: n_hyphens}
    by_layer = {one.layer: one.repair for one in layout.columns}
    repairs = {*by_layer.values()}
    each = ",".join(f"{layer}={one}" for layer, one in sorted(by_layer.items()))
    return Corpus(
        str(path),
        table,
        repair=each if len(repairs) > 1 else "".join(repairs),
        notes=Notes({kind: n for kind, n in notes.items() if n}),
    )


# --- blocks


def blocks_of_conll() -> BlockReader:
    """How CoNLL files are read in blocks of documents."""
    return BlockReader(
        _open_documents,
        b"".join,
        lambda part, layout, *_: corpus_of(
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
            yield Run(rest[: cuts[-1]], None, cuts)
            rest = rest[cuts[-1] :]
        line += len(begins) - 1
    if not layout.by_sentence:
        yield Run(rest, None)


# --- writing


def write_conll(
    path: PathLike, corpus: Corpus, layers: Sequence[str] | None = None, *, scheme: str = "IOB2"
) -> None:
    """Write tokens, tags, sentences and names.

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
            "a corpus without tokens; --read tokenizer=LANG makes some, JSONL does without", path
        )
    check_words(corpus, path)
    single = bool(corpus.table.n_words.all()) and not corpus.table.sents[:, 1].any()
    lines = [] if layers is not None else ["\t".join(["#token", *corpus.layer_names])]
    layers = corpus.layer_names if layers is None else layers
    for place, document in enumerate(corpus.documents, 1):
        lines += [] if single else [f"{DOCSTART} -X- O O", ""]
        if document.name is not None:
            lines.append(f"# {'id' if single else 'doc_id ='} {document.name}")
        cuts = sorted({0, *document.sents, len(document.words)})
        try:
            columns = [_tag_column(document, layer, cuts, scheme) for layer in layers]
        except ValueError as error:
            raise FormatError(
                f"{document_title(document, place)}: {error}; write JSONL", path
            ) from error
        for start, end in zip(cuts, cuts[1:]):
            lines += map("\t".join, zip(*(one[start:end] for one in (document.words, *columns))))
            lines.append("")
    write_atomically(path, lines)


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
