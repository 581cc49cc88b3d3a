"""PubTator: abstracts of PubMed with mentions of chemicals, diseases, genes."""

import re
from collections.abc import Iterator

from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, open_text
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .notes import RELATIONS
from .pieces import Piece, blocks_of_pieces, read_pieces
from .rows import brief, clip
from .standoff import check_copy

LETTER = re.compile(r"[^\W\d]")
NUMBER = re.compile("[0-9]{1,9}")
PASSAGE = re.compile(r"([^|\s]+)\|([a-z])\|")
SHAPE = "lines are ID|t|title, ID|a|abstract, or separated by tabs: ID, start, end, mention, type"


def read_pubtator(path: PathLike | Excerpt, reading: Reading) -> Corpus:
    """The corpus of a file of PubTator. Positions are characters.

        1|t|Ada Byron slept
        1|a|in Oslo.
        1<tab>0<tab>9<tab>Ada Byron<tab>Person<tab>Q7259

    The text is the title, a blank and the abstract. A document without mentions is annotated. Lines
    with other columns are relations: a note counts them.
    """
    return read_pieces(path, reading, _pieces_of, Form(_translate))


def blocks_of_pubtator() -> BlockReader:
    """How files of PubTator are read in blocks of documents."""
    return blocks_of_pieces(_pieces_of, read_pubtator)


def _pieces_of(path: PathLike) -> Iterator[Piece]:
    """The lines of each document, with the empty ones after it."""
    name: str | None = None
    found: list[str] = []
    first = 1
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            passage = PASSAGE.match(line)
            if passage and (passage[2] == "t" or passage[1] != name):
                if name is not None:
                    yield Piece(found, first, sum(map(len, found)))
                    found, first = [], number
                name = passage[1]
            found.append(line.rstrip("\n"))
    if not any(map(str.strip, found)):
        raise FormatError(f"no documents; {SHAPE}", path)
    yield Piece(found, first, sum(map(len, found)))


def _translate(piece: Piece, reading: Reading) -> tuple[Row, str]:
    """The row of a document. Its relations are a kind, two concepts, maybe "Novel".

    Concepts may be numbers, those of genes, for example.
    """
    texts, spans, names, notes = [], [], [], []
    for line, row in enumerate(piece.content, piece.line):
        passage, fields = PASSAGE.match(row), row.split("\t")
        if passage:
            names.append(passage[1])
            texts.append(row[passage.end() :])
        elif 2 < len(fields) < 6 and LETTER.match(fields[1]):
            notes.append((RELATIONS, brief(row.rstrip()), line))
        elif row.strip():
            is_mention = len(fields) > 4 and all(map(NUMBER.fullmatch, fields[1:3]))
            if not is_mention or fields[0] not in names:
                raise ContentError(f"a line {brief(clip(row))}", SHAPE, line)
            start, end = map(int, fields[1:3])
            check_copy(" ".join(texts), start, end, fields[3], "mention", line)
            said = {"identifier": "".join(fields[5:6]), "details": "\t".join(fields[6:])}
            features = {key: value for key, value in said.items() if value}
            place = {"start": start, "end": end, "line": line}
            spans.append({**place, "label": fields[4], "features": features})
    if not names:
        raise ContentError("lines without a title", SHAPE)
    return {"id": names[0], "text": " ".join(texts), "spans": spans, "*notes": notes}, "char"
