"""PubTator: abstracts of PubMed with mentions of chemicals, diseases, genes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt
from .jsonl import read_translated
from .notes import RELATIONS, Place, note
from .rows import Row, Rows, brief, checked_span, clip, lines_of

LETTER = re.compile(r"[^\W\d]")
NUMBER = re.compile("[0-9]{1,9}")
PASSAGE = re.compile(r"([^|\s]+)\|([a-z])\|")
SHAPE = "lines are ID|t|title, ID|a|abstract, or separated by tabs: ID, start, end, mention, type"
COUNTED = "offsets count the characters of the title, one blank and the abstract; correct them"


def read_pubtator(path: PathLike | Excerpt) -> Corpus:
    """The corpus of a file of PubTator. Positions are characters.

        1|t|Ada Byron slept
        1|a|in Oslo.
        1<tab>0<tab>9<tab>Ada Byron<tab>Person<tab>Q7259

    The text is the title, a blank and the abstract. Mentions are the layer "spans"; a document
    without mentions is annotated. The concept in the sixth column is the feature "identifier" (with
    `|` between the concepts of a composite mention); further columns are the feature "details".
    Lines with other columns are relations: a note counts them.
    """
    with lines_of(path) as lines:
        rows = list(_documents_in(lines, getattr(path, "first", 1)))
    if not rows:
        raise FormatError(f"no documents; {SHAPE}", path)
    relations = [
        Place(str(path), line, brief(text.rstrip()))
        for row in rows
        for line, text in enumerate(row["lines"], row["first"])
        if _is_relation(text.rstrip("\n").split("\t"))
    ]
    source = Rows(str(path), rows, [row["first"] for row in rows])
    corpus = read_translated(source, translate=_translate)
    return replace(corpus, notes=corpus.notes + note(RELATIONS, relations))


def _documents_in(lines: Iterable[str], first: int) -> Iterator[Row]:
    """The lines of each document, with the empty ones after it, and the number of the first."""
    name: str | None = None
    found: list[str] = []
    for number, line in enumerate(lines, first):
        passage = PASSAGE.match(line)
        if passage and (passage[2] == "t" or passage[1] != name):
            if name is not None:
                yield {"first": number - len(found), "lines": found}
                found = []
            name = passage[1]
        found.append(line)
    if any(map(str.strip, found)):
        yield {"first": number + 1 - len(found), "lines": found}


def _is_relation(fields: list[str]) -> bool:
    """Whether a line has the columns of a relation: its kind, two concepts, maybe "Novel".

    Concepts may be numbers, those of genes, for example.
    """
    return 2 < len(fields) < 6 and LETTER.match(fields[1]) is not None


def _translate(row: Row) -> tuple[Row, str]:
    """The document as a row of JSONL."""
    passages: list[re.Match[str]] = []
    mentions = []
    for number, line in enumerate(row["lines"], row["first"]):
        line = line.rstrip("\n")
        passage, fields = PASSAGE.match(line), line.split("\t")
        if passage:
            passages.append(passage)
        elif line.strip() and not _is_relation(fields):
            mentions.append((number, fields))
    if not passages:
        raise ContentError("lines without a title", SHAPE)
    name = passages[0][1]
    text = " ".join(passage.string[passage.end() :].rstrip("\n") for passage in passages)

    def convert(mention: tuple[int, list[str]]) -> Mapping[str, Any]:
        line, fields = mention
        try:
            return _span_of(fields, name, text)
        except ContentError as mistake:
            mistake.line = line
            raise

    spans = sound_entries(mentions, convert)
    return {"id": name, "text": text, "spans": [*spans]}, "char"


def _span_of(fields: list[str], name: str, text: str) -> Mapping[str, Any]:
    """The span of the columns of a mention."""
    if len(fields) < 5 or not all(map(NUMBER.fullmatch, fields[1:3])):
        raise ContentError(f"a line {brief(clip(chr(9).join(fields)))}", SHAPE)
    if fields[0] != name:
        raise ContentError(f"a mention of {brief(fields[0])} in document {brief(name)}", SHAPE)
    start, end, label = checked_span(
        int(fields[1]), int(fields[2]), fields[4], len(text), "characters"
    )
    if text[start:end].split() != fields[3].split():
        raise ContentError(
            f"mention {brief(clip(fields[3]))} at [{start}, {end}) of document {brief(name)}, "
            f"where the text has {brief(clip(text[start:end]))}",
            COUNTED,
        )
    said = {"identifier": "".join(fields[5:6]), "details": "\t".join(fields[6:])}
    return {
        "start": start,
        "end": end,
        "label": label,
        "features": {key: value for key, value in said.items() if value},
    }


def blocks_of_pubtator() -> BlockReader:
    """How files of PubTator are read in blocks of documents."""
    return BlockReader(
        lambda path, options: (None, _contents_of(path)), "".join, _read_some, "char"
    )


def _contents_of(path: PathLike) -> Iterator[tuple[str, None]]:
    """The text of each document of a file."""
    with lines_of(path) as lines:
        for row in _documents_in(lines, 1):
            yield "".join(row["lines"]), None


def _read_some(excerpt: Excerpt, whole: None, options: Mapping[str, Any], state: None) -> Corpus:
    """The corpus of some documents."""
    return read_pubtator(excerpt)
