"""The format of a file, found by its beginning: the ending of its name only breaks ties."""

import os
import re
from contextlib import suppress
from pathlib import Path

from .conll_columns import FIRST, columns_at, head_of, tree_columns
from .errors import FormatError, PathLike
from .files import by_file, suffix_of
from .paths import files_at, is_dataset, name_of, path_of

DOCBINS = (".spacy", ".spacy.gz")
ZLIB = (b"x\x01", b"x\x9c", b"x\xda")  # how its files begin; no text does
# how files of a format begin, behind a byte order mark
PROLOG = rb"\s*(?:<[?!][^>\[]*>\s*)*"
OPENINGS = {
    "json": re.compile(rb"\s*[\[{]|PAR1"),
    "pubtator": re.compile(rb"\s*[^|\s]+\|[a-z]\|"),
    "bioc": re.compile(PROLOG + rb"<collection[\s>]"),
    "gate": re.compile(PROLOG + rb"<GateDocument[\s>]"),
    "cas": re.compile(PROLOG + rb"<xmi:|PK\x03\x04"),
    "inline": re.compile(PROLOG + rb"<(?:DOC|colHAREM)[\s>]", re.IGNORECASE),
    "conllup": re.compile(rb"#[ \t]*global\.columns[ \t]*="),
    "webanno": re.compile(rb"#FORMAT=WebAnno TSV 3"),
}
JSON = re.compile(rb'\s*(?:\[\s*)?[\[{]\s*["\[{}\]]|PAR1')
# elements in a text; in XML only those that are of spans
ELEMENT = re.compile(rb"<([A-Za-z_][\w.:|-]*)(?:\s[^<>]*)?>[^<>\n]+</\1>")
SPAN_ELEMENT = re.compile(rb"<(?:ENAMEX|NUMEX|TIMEX3?|cons|NE|EM)\s[^<>]*=", re.IGNORECASE)
BRACKETS = re.compile(rb"\s*\((?:\s*(?:[^\s()]+\s*)?\()+[^\s()]+\s+[^\s()]+\)")
# a token of ten columns with a tag in the last one (MISC), as NorNE has them: name=B-PER
MISC = re.compile(rb"\n\d+\t(?:[^\t\n]*\t){8}(?:[^\t\n]*\|)?\w+=[BIESLU]-[^\t\n]+")
# lines that only CoNLL-U has: comments, multiword tokens, empty nodes
OF_CONLLU = re.compile(rb"#|\d+[-.]\d+[\t ]")


def opening_format(path: PathLike) -> str | None:
    """Name of the format whose files begin as this one does; None if none is recognised.

    "json" is one of several. A pipe can be read only once, and is not looked at.
    """
    if is_dataset(path):
        return "prodigy"
    try:
        return _opening_format(path)
    except FormatError:  # which the reader raises, too
        return None


@by_file
def _opening_format(path: str) -> str | None:
    """The same of a file that can be read."""
    head = head_of(path, FIRST)
    found = next((name for name, opening in OPENINGS.items() if opening.match(head)), None)
    is_json = found == "json" and JSON.match(head)  # but [ may be a token
    may_be_columns = found in (None, "json") and not is_json and not BRACKETS.match(head)
    if may_be_columns and columns_at(path) is not None:
        return "conll"
    if found is None and MISC.search(b"\n" + head):
        return "conllup"
    element = SPAN_ELEMENT if suffix_of(path) == ".xml" else ELEMENT
    if found is None and element.search(head):
        return None if treebank_at(path) else "inline"
    return found


def treebank_at(path: PathLike) -> str | None:
    """Name of the format of the trees in a file, "conllu", "conllx" or "brackets"; else None."""
    head = head_of(path, FIRST)
    if BRACKETS.match(head):
        return "brackets"
    paragraphs = re.split(rb"\n[ \t\r]*(?:\n|$)", head)
    groups = ([line for line in one.split(b"\n") if line.strip()] for one in paragraphs)
    lines = next((own for own in groups if not all(map(OF_CONLLU.match, own))), [])
    rows = [tree_columns(line.rstrip(b"\r")) for line in lines if not OF_CONLLU.match(line)]
    if not rows or [row[0] for row in rows] != [b"%d" % n for n in range(1, len(rows) + 1)]:
        return None
    if not all(8 <= len(row) <= 10 and (row[6].isdigit() or row[6] == b"_") for row in rows):
        return None
    return "conllu" if len(rows) < len(lines) else "conllx"


def docbins_at(path: PathLike) -> list[Path]:
    """The files of spaCy in a folder, or among those that match a pattern."""
    return list(filter(is_docbin, files_at(path)))


def is_docbin(path: PathLike) -> bool:
    """Whether a file is one of spaCy: by its beginning, else by its name if that tells nothing."""
    place = path_of(path)
    if os.path.isfile(place):
        with suppress(OSError), open(place, "rb") as file:
            if file.read(2) in ZLIB:
                return True
    return name_of(path).name.endswith(DOCBINS) and opening_format(path) is None
