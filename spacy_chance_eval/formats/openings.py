"""The format of a text file whose ending many formats share, found by its beginning."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import AnyStr

from .errors import FormatError, PathLike
from .files import readable_bytes, suffix_of
from .paths import is_remote, path_of

HEAD = 1 << 16  # bytes that are looked at
# how files of a format begin, behind a byte order mark
PROLOG = rb"\s*(?:<[?!][^>\[]*>\s*)*"
OPENINGS = {
    "pubtator": re.compile(rb"\s*[^|\s]+\|[a-z]\|"),
    "bioc": re.compile(PROLOG + rb"<collection[\s>]"),
    "gate": re.compile(PROLOG + rb"<GateDocument[\s>]"),
    "cas": re.compile(PROLOG + rb"<xmi:"),
    "inline": re.compile(PROLOG + rb"<(?:DOC|colHAREM)[\s>]", re.IGNORECASE),
    "conllup": re.compile(rb"#[ \t]*global\.columns[ \t]*="),
    "webanno": re.compile(rb"#FORMAT=WebAnno TSV 3"),
}
# elements in a text, unless it has tags of tokens in columns; those of spans in other XML
ELEMENTS = {
    ".txt": re.compile(rb"<([A-Za-z_][\w.:|-]*)(?:\s[^<>]*)?>[^<>\n]+</\1>"),
    ".xml": re.compile(rb"<(?:ENAMEX|NUMEX|TIMEX3?|cons|NE|EM)\s[^<>]*=", re.IGNORECASE),
}
TAG_COLUMN = re.compile(rb"[ \t](?:O|[BIESLU]-\S+)\s*$", re.MULTILINE)
# lines that only CoNLL-U has: comments, multiword tokens, empty nodes
OF_CONLLU = re.compile(rb"#|\d+[-.]\d+[\t ]")


def opening_format(path: PathLike) -> str | None:
    """Name of the format whose files begin as this one does; None if none of `OPENINGS` fits.

    A pipe can be read only once, and is not looked at.
    """
    head = _head_of(path)
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        head = head.decode("utf-16", errors="replace").encode()
    found = next((name for name, opening in OPENINGS.items() if opening.match(head)), None)
    element = ELEMENTS.get(suffix_of(path))
    if found is None and element and element.search(head):
        return None if TAG_COLUMN.search(head) else "inline"
    return found


def treebank_at(path: PathLike) -> str | None:
    """ "conllu" or "conllx", if a file has the columns of such trees; else None."""
    paragraphs = re.split(rb"\n[ \t\r]*(?:\n|$)", _head_of(path))
    groups = ([line for line in one.split(b"\n") if line.strip()] for one in paragraphs)
    lines = next((own for own in groups if not all(map(OF_CONLLU.match, own))), [])
    rows = [tree_columns(line.rstrip(b"\r")) for line in lines if not OF_CONLLU.match(line)]
    if not rows or [row[0] for row in rows] != [b"%d" % n for n in range(1, len(rows) + 1)]:
        return None
    if not all(8 <= len(row) <= 10 and (row[6].isdigit() or row[6] == b"_") for row in rows):
        return None
    return "conllu" if len(rows) < len(lines) else "conllx"


def tree_columns(line: AnyStr) -> list[AnyStr]:
    """The columns of a line. Only tabs or blanks separate: a token may be another space."""
    tab, blank = ("\t", " ") if isinstance(line, str) else (b"\t", b" ")
    if tab in line:
        return [column.strip(blank) for column in line.split(tab)]
    return [column for column in line.split(blank) if column]


def _head_of(path: PathLike) -> bytes:
    """The beginning of a file; nothing of a pipe or of what cannot be read."""
    if not is_remote(path) and not path_of(path).is_file():
        return b""
    try:
        with readable_bytes(path) as file:
            return file.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    except FormatError:  # which the reader raises, too
        return b""
