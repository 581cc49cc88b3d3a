"""PubTator: abstracts of PubMed with mentions of chemicals, diseases, genes."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, open_text
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS, Place, note
from .pieces import Piece, blocks_of_pieces, pieces_at
from .rows import brief, clip

LETTER = re.compile(r"[^\W\d]")
NUMBER = re.compile("[0-9]{1,9}")
PASSAGE = re.compile(r"([^|\s]+)\|([a-z])\|")
SHAPE = "lines are ID|t|title, ID|a|abstract, or separated by tabs: ID, start, end, mention, type"
COUNTED = "offsets count the characters of the title, one blank and the abstract; correct them"


def read_pubtator(path: PathLike | Excerpt, reading: Reading) -> Corpus:
    """The corpus of a file of PubTator. Positions are characters.

        1|t|Ada Byron slept
        1|a|in Oslo.
        1<tab>0<tab>9<tab>Ada Byron<tab>Person<tab>Q7259

    The text is the title, a blank and the abstract. Mentions are the layer "spans"; a document
    without mentions is annotated. The concept in the sixth column is the feature "identifier" (with
    `|` between the concepts of a composite mention); further columns are the feature "details".
    Lines with other columns are relations: a note counts them.
    """
    pieces = pieces_at(path, _pieces_of)
    relations: list[Place] = []
    form = Form(partial(_translate, path=str(path), relations=relations))
    corpus = read_form(Rows(str(path), pieces, [one.line for one in pieces]), form, reading)
    return replace(corpus, notes=corpus.notes + note(RELATIONS, relations))


def blocks_of_pubtator() -> BlockReader:
    """How files of PubTator are read in blocks of documents."""
    return blocks_of_pieces(lambda path, reading: _pieces_of(path), read_pubtator)


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


def _translate(
    piece: Piece, reading: Reading, path: str, relations: list[Place]
) -> tuple[Row, str]:
    """The row of a document; adds the places of relations: a kind, two concepts, maybe "Novel".

    Concepts may be numbers, those of genes, for example.
    """
    passages: list[re.Match[str]] = []
    mentions = []
    for line, text in enumerate(piece.content, piece.line):
        passage, fields = PASSAGE.match(text), text.split("\t")
        if passage:
            passages.append(passage)
        elif 2 < len(fields) < 6 and LETTER.match(fields[1]):
            relations.append(Place(path, line, brief(text.rstrip())))
        elif text.strip():
            mentions.append((line, fields))
    if not passages:
        raise ContentError("lines without a title", SHAPE)
    name = passages[0][1]
    text = " ".join(passage.string[passage.end() :] for passage in passages)
    convert = partial(_span_of, name=name, text=text)
    return {"id": name, "text": text, "spans": [*sound_entries(mentions, convert)]}, "char"


def _span_of(mention: tuple[int, list[str]], name: str, text: str) -> Row:
    """The span of the columns of a mention."""
    line, fields = mention
    if len(fields) < 5 or not all(map(NUMBER.fullmatch, fields[1:3])):
        raise ContentError(f"a line {brief(clip(chr(9).join(fields)))}", SHAPE, line)
    if fields[0] != name:
        what = f"a mention of {brief(fields[0])} in document {brief(name)}"
        raise ContentError(what, SHAPE, line)
    start, end = int(fields[1]), int(fields[2])
    if text[start:end].split() != fields[3].split():
        what = (
            f"mention {brief(clip(fields[3]))} at [{start}, {end}) of document {brief(name)}, "
            f"where the text has {brief(clip(text[start:end]))}"
        )
        raise ContentError(what, COUNTED, line)
    said = {"identifier": "".join(fields[5:6]), "details": "\t".join(fields[6:])}
    features = {key: value for key, value in said.items() if value}
    return {"start": start, "end": end, "label": fields[4], "features": features, "line": line}
