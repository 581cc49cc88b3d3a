"""XML from strangers: bounded, decoded and checked before any library sees it.

Why not defusedxml: it guards the parsers of the standard library, but lxml (of dkpro-cassis) and
rdflib parse for us; as a check in front of them it knows no depth (which ends in a RecursionError)
and no number of elements (60 MB of them take 1.5 GB), and would spare us the handlers of DOCTYPEs.
"""

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias
from xml.parsers import expat

from .encodings import not_utf8
from .errors import FormatError
from .files import open_text
from .paths import PathLike

MAX_BYTES = 2**26
MAX_ELEMENTS = 10**6
MAX_DEPTH = 64
MAX_ATTRIBUTES = 1000
ENCODINGS = ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "utf-16")
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
DECLARATION = re.compile(r"<\?xml\s[^?]{0,200}\?>")
DECLARED_ENCODING = re.compile(rb"""<\?xml\s[^?>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Watch: TypeAlias = Callable[[dict[str, str]], object]


def bounded_bytes(path: PathLike, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file, unpacked if it is gzip.

    Raises
    ------
    FormatError
        If it cannot be read, or has more bytes than the limit.
    """
    with open_text(path) as lines:
        data = bytes(lines.buffer.read(limit + 1))
    if len(data) > limit:
        raise FormatError(
            f"more than {limit // 2**20} MB, too large for one document; divide it, or check "
            "what the file holds",
            path,
        )
    return data


def checked_xml(data: bytes, path: PathLike, watch: Watch | None = None) -> bytes:
    """The same document as UTF-8, declared as such: well-formed, flat, and without a DOCTYPE.

    So no parser that reads it can be led to expand entities, to open other files, or to recurse.
    A DOCTYPE that only names a DTD is left out; one with declarations of its own is refused.

    Parameters
    ----------
    watch : callable, optional
        Called with the attributes of each element, {"namespace}name": text}; may raise
        `RefusedXMLError`.

    Raises
    ------
    FormatError
        With the line.
    """
    text = decoded_xml(data, path)
    if "\0" in text:  # with which bytes that pass for UTF-8 can be UTF-16 to a parser
        raise FormatError("NUL characters, which XML cannot hold; save it as UTF-8", path)
    safe = DECLARATION.sub(_newlines_in, text, count=1) if text.startswith("<?xml") else text
    # In front of a second declaration, which could name another encoding, ours makes an error.
    checked = _without_doctype(f'<?xml version="1.0" encoding="UTF-8"?>{safe}'.encode())
    _scan(checked, path, watch)
    return checked


def _without_doctype(data: bytes) -> bytes:
    """The document without a DOCTYPE that declares nothing itself; nothing reads its DTD."""
    parser = expat.ParserCreate("UTF-8")
    end = 0

    def stop(*said: Any) -> None:
        nonlocal end
        if len(said) == 4 and not said[-1]:  # name, two addresses, whether it has declarations
            end = parser.CurrentByteIndex + 1
        raise RefusedXMLError

    parser.StartDoctypeDeclHandler = parser.StartElementHandler = stop
    with suppress(RefusedXMLError, expat.ExpatError):
        parser.Parse(data, True)
    start = data.rfind(b"<!DOCTYPE", 0, end)
    return data[:start] + b"\n" * data.count(b"\n", start, end) + data[end:] if end else data


def _newlines_in(match: re.Match[str]) -> str:
    """The newlines alone, so that lines keep their numbers."""
    return "\n" * match.group().count("\n")


def decoded_xml(data: bytes, path: PathLike) -> str:
    """XML as text, by its byte order mark or its declaration; UTF-8 without either."""
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark)), None)
    declared = DECLARED_ENCODING.match(data)
    if encoding is None:
        encoding = _known_encoding(declared.group(1).decode() if declared else "utf-8", path)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if not declared:
            raise not_utf8(path, data, line) from None
        wrong = f"not {encoding} text, as it says; save it as UTF-8, with such a declaration"
        raise FormatError(wrong, path, line) from None


def _known_encoding(name: str, path: PathLike) -> str:
    """The codec of a declared encoding, if it is an ordinary one."""
    with suppress(LookupError):
        encoding = codecs.lookup(name).name
        if encoding in ENCODINGS:
            return encoding
    raise FormatError(f"unknown encoding {name!r}; save the file as UTF-8", path, 1)


class RefusedXMLError(Exception):
    """What is wrong with an element, on its way to the line."""


def _scan(data: bytes, path: PathLike, watch: Watch | None) -> None:
    """Go through a document once, and raise if it is not sound."""
    parser = expat.ParserCreate("UTF-8", "}")  # with namespaces, as the parsers that follow
    depth = n_elements = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, n_elements
        depth, n_elements = depth + 1, n_elements + 1
        if depth > MAX_DEPTH:
            raise RefusedXMLError(f"elements inside each other more than {MAX_DEPTH} deep")
        if n_elements > MAX_ELEMENTS:
            raise RefusedXMLError(f"more than {MAX_ELEMENTS} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise RefusedXMLError(f"more than {MAX_ATTRIBUTES} attributes of one element")
        if watch is not None:
            watch(attributes)

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse_doctype(*_: object) -> None:
        raise RefusedXMLError("a DOCTYPE with declarations; entities are not expanded, remove it")

    parser.StartElementHandler, parser.EndElementHandler = open_element, close_element
    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(data, True)
    except RefusedXMLError as refused:
        raise FormatError(str(refused), path, parser.CurrentLineNumber) from None
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise FormatError(
            f"broken XML ({reason}); export it again, as XML 1.0", path, error.lineno
        ) from None


def checked_characters(text: str, what: str, path: PathLike) -> str:
    """The text, if XML can hold it."""
    found = NOT_XML.search(text)
    if found:
        raise FormatError(
            f"{what} has the character U+{ord(found.group()):04X}, which XML cannot hold; "
            "remove it or write another format",
            path,
        )
    return text
