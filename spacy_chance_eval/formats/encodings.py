"""Text that is not UTF-8: which encoding it probably is, and the command that converts it."""

import re
import shlex
from pathlib import PurePath

from .errors import FormatError
from .paths import given_path

SAMPLE = 1 << 20  # bytes that are looked at
N_FIRST = 64  # bytes that tell 16 bits a character
# byte order marks, the longer ones first, and the name that iconv has for the encoding
MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
HIGH = re.compile(rb"[\x80-\xff]+")
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # bytes that Windows-1252 does not have
CONTROLS = re.compile(rb"[\x80-\x9f]")  # control codes of Latin-1, which no text needs
NAMES = {"LATIN1": "Latin-1", "WINDOWS-1252": "Windows-1252 (Latin-1 with curly quotes)"}
COMMAND = "iconv -f {encoding} -t UTF-8"


def half_encoding(first: bytes) -> str | None:
    """The encoding of text with 16 bits a character and no byte order mark; None of other text.

    Of such text, which may pass for UTF-8, every other byte of most characters is 0.
    """
    if first.startswith(tuple(MARKS)):
        return None
    first = first[:N_FIRST].split(b"\n")[0]
    halves = first[::2], first[1::2]
    shares = [half.count(0) / len(half) if len(first) > 3 else 0 for half in halves]
    if shares[0] == 0 and shares[1] > 0.5:
        return "UTF-16LE"
    return "UTF-16BE" if shares[0] > 0.5 and shares[1] == 0 else None


def probable_encoding(data: bytes) -> str | None:
    """The name that iconv has for the encoding of some text; None if its bytes do not tell.

    "UTF-8" if most characters beyond ASCII are UTF-8: then some bytes are damaged.
    """
    found = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    if found or (found := half_encoding(data)):
        return found
    text = data.decode("utf-8", "replace")
    n_damaged = text.count("\ufffd")
    if sum(not sign.isascii() for sign in text) > 2 * n_damaged:
        return "UTF-8"
    # the letters beyond ASCII of Western European languages stand alone
    runs = [len(run) for run in HIGH.findall(data)]
    if UNUSED.search(data) or 2 * sum(n for n in runs if n > 1) > sum(runs):
        return None
    return "WINDOWS-1252" if CONTROLS.search(data) else "LATIN1"


def not_utf8(path: object, data: bytes, line: int | None = None) -> FormatError:
    """The `FormatError` of text that is not UTF-8, with the command that converts the file.

    Parameters
    ----------
    path : str or Path
    data : bytes
        Some of its text, unpacked, including the bytes that are not UTF-8.
    line : int, optional
    """
    encoding = probable_encoding(data[:SAMPLE])
    if encoding is None:
        found = "not UTF-8 text; find out its encoding, and convert it"
    elif encoding == "UTF-8":
        found = (
            "not UTF-8 text here, but elsewhere; write the line again, or delete the damaged part"
        )
    else:
        name = NAMES.get(encoding, encoding)
        found = f"not UTF-8 text, but probably {name}; convert it"
    return FormatError(f"{found}: {_command(str(path), encoding)}", path, line)


def _command(path: str, encoding: str | None) -> str:
    """The command that converts a file, which keeps its name: others are found by it."""
    pure = PurePath(*given_path(path).parts)  # of an address as it is called once it is here
    own, new = shlex.quote(str(pure)), shlex.quote(str(pure.with_name(f"{pure.name}.new")))
    convert = COMMAND.format(encoding=encoding or "ENCODING")
    if encoding == "UTF-8":  # -c fails, after it has done its work
        convert = f"{convert.replace('iconv', 'iconv -c')} {own} > {new}; mv {new} {own}"
        return convert
    if pure.suffix == ".gz":
        return f"gzip -dc {own} | {convert} | gzip > {new} && mv {new} {own}"
    return f"{convert} {own} > {new} && mv {new} {own}"
