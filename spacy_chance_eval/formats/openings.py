"""Which format a text file is of whose ending many formats share: told by how it begins."""

import re

from .errors import FormatError, PathLike
from .files import readable_bytes
from .paths import is_remote, path_of

HEAD = 1 << 12  # bytes that are looked at
# how files of a format begin, behind a byte order mark
PROLOG = rb"\s*(?:<[?!][^>\[]*>\s*)*"
OPENINGS = {
    "pubtator": re.compile(rb"\s*[^|\s]+\|[a-z]\|"),
    "bioc": re.compile(PROLOG + rb"<collection[\s>]"),
    "webanno": re.compile(rb"#FORMAT=WebAnno TSV 3"),
}


def opening_format(path: PathLike) -> str | None:
    """Name of the format whose files begin as this one does; None if it is none of `OPENINGS`.

    What comes through a pipe comes once, and is not looked at.
    """
    if not is_remote(path) and not path_of(path).is_file():
        return None
    try:
        with readable_bytes(path) as file:
            head = file.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    except FormatError:  # which the reader raises, too
        return None
    return next((name for name, opening in OPENINGS.items() if opening.match(head)), None)
