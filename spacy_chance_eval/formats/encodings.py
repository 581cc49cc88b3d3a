"""Text that is not UTF-8: which encoding it probably is, and the command that converts it."""

import re
import shlex
from pathlib import PurePath

from .errors import FormatError
from .paths import path_of

MARKS = (b"\xff\xfe", b"\xfe\xff")  # of byte order, in UTF-16
HIGH = re.compile(rb"[\x80-\xff]+")
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # bytes that Windows-1252 does not have


def probable_encoding(data: bytes) -> str | None:
    """The name that iconv has for the encoding of some text; None if its bytes do not tell.

    "UTF-8" if most characters beyond ASCII are UTF-8: then some bytes are damaged. Windows-1252 is
    Latin-1 with more signs; letters beyond ASCII of the languages that use it stand alone.
    """
    if data.startswith(MARKS):
        return "UTF-16"
    text = data.decode("utf-8", "replace")
    if sum(not sign.isascii() for sign in text) > 2 * text.count("\ufffd"):
        return "UTF-8"
    runs = [len(run) for run in HIGH.findall(data)]
    is_western = 2 * sum(n for n in runs if n > 1) <= sum(runs) and not UNUSED.search(data)
    return "WINDOWS-1252" if is_western and b"\0" not in data else None


def not_utf8(path: object, data: bytes, line: int | None = None) -> FormatError:
    """The `FormatError` of a file with text that is not UTF-8, some of which is `data`."""
    encoding = probable_encoding(data)
    own = PurePath(*path_of(str(path)).parts)  # of an address as it is called once it is here
    new = own.with_name(f"utf8-{own.name.removesuffix('.gz')}")
    wrong = f"not UTF-8 text, but probably {encoding}; convert it"
    convert = f"iconv -f {encoding or 'ENCODING'} -t UTF-8"
    if encoding is None:
        wrong = "not UTF-8 text; find out its encoding, and convert it"
    elif encoding == "UTF-8":
        wrong = "not UTF-8 text here, but elsewhere; write the line again, or delete the damage"
        convert = convert.replace("iconv", "iconv -c")
    unpack = "gzip -dc" if own.suffix == ".gz" else "cat"
    command = f"{unpack} {shlex.quote(str(own))} | {convert} > {shlex.quote(str(new))}"
    return FormatError(f"{wrong}: {command}", path, line)
