"""XML from strangers: bounded, decoded and checked before any library sees it.

Why not defusedxml: it guards the parsers of the standard library, but lxml (of dkpro-cassis)
parses for us; as a check before it, it knows no depth (which ends in a RecursionError)
and no number of elements (60 MB of them take 1.5 GB), and would spare us the handlers of DOCTYPEs.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO, TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from ..measures.messages import quoted
from .encodings import not_utf8
from .errors import FormatError
from .files import open_text, readable_bytes
from .paths import PathLike
from .pieces import Piece

MAX_BYTES = 2**26
CHUNK = 2**20  # bytes of a large file that are read at a time
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
Watch: TypeAlias = Callable[[dict[str, str]], object]


def bounded_bytes(path: PathLike, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file, unpacked if it is gzip."""
    with open_text(path) as lines:
        data = bytes(lines.buffer.read(limit + 1))
    if len(data) > limit:
        raise too_large(path, limit)
    return data


def too_large(path: PathLike, limit: int = MAX_BYTES, line: int | None = None) -> FormatError:
    """The error of a document with more bytes than a limit."""
    return FormatError(
        f"more than {limit // 2**20} MB, too large for one document; divide it, or check "
        "the content of the file",
        path,
        line,
    )


def checked_xml(data: bytes, path: PathLike, watch: Watch | None = None) -> bytes:
    """The same document as UTF-8, declared as such: well-formed, flat, and without a DOCTYPE.

    So no parser that reads it can be led to expand entities, to open other files, or to recurse.
    A DOCTYPE that only names a DTD is left out; one with declarations of its own is refused.

    Parameters
    ----------
    watch : callable, optional
        Called with the attributes of each element, {"namespace}name": text}; may raise
        `RefusedXMLError`.
    """
    checked = b"".join(_utf8_chunks(io.BytesIO(data), path))
    _Scan(path, watch).feed(checked, True)
    return checked


def xml_pieces(path: PathLike, root: str, name: str, advice: str) -> Iterator[Piece]:
    """The elements of a name inside the root of a file, which may be large, as UTF-8.

    Each is alone in another element, which declares the namespaces of the root. What `checked_xml`
    asks of a document, this asks of each piece.

    Parameters
    ----------
    path : str or Path
    root : str
        The name of the root.
    name : str
    advice : str
        Advice on another root.
    """
    scan = _Cutter(path, root, name, advice)
    held, first = bytearray(), 0
    with readable_bytes(path) as raw:
        for chunk in chain(_utf8_chunks(raw, path), [b""]):
            held += chunk
            scan.feed(chunk, not chunk)
            for start, end, line in scan.found:
                if held.startswith(scan.end_tag, end - first):
                    end = first + held.index(b">", end - first) + 1
                yield Piece(scan.opening + held[start - first : end - first] + b"</_>", line)
            scan.found.clear()
            del held[: scan.kept - first]
            first = scan.kept
            if len(held) > MAX_BYTES:
                raise too_large(path, line=scan.line)


def _utf8_chunks(raw: BinaryIO, path: PathLike) -> Iterator[bytes]:
    """XML as UTF-8, declared as such, without a DOCTYPE that declares nothing itself."""
    for number, text in enumerate(decoded_chunks(raw, path)):
        if "\0" in text:  # with which bytes that pass for UTF-8 can be UTF-16 to a parser
            raise FormatError("NUL characters, which XML cannot hold; save it as UTF-8", path)
        if number:
            yield text.encode()
            continue
        safe = DECLARATION.sub(_newlines_in, text, count=1) if text.startswith("<?xml") else text
        # In front of a second declaration, which could name another encoding, ours makes an error.
        yield _without_doctype(f'<?xml version="1.0" encoding="UTF-8"?>{safe}'.encode())


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


WRONG_ENCODING = "not {} text, as it says; save it as UTF-8, with such a declaration"


def decoded_chunks(raw: BinaryIO, path: PathLike) -> Iterator[str]:
    """XML as text, by its byte order mark or its declaration; UTF-8 without either."""
    data = raw.read(CHUNK)
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark)), None)
    declared = DECLARED_ENCODING.match(data)
    if encoding is None:
        encoding = _known_encoding(declared.group(1).decode() if declared else "utf-8", path)
        if encoding == "utf-16":  # which has a mark, and whose declaration is no ASCII
            raise FormatError(WRONG_ENCODING.format(encoding), path, 1)
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines, is_last = 0, False
    while not is_last:
        is_last = not data
        try:
            text = decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            line = n_lines + error.object.count(b"\n", 0, error.start) + 1
            if not declared:
                raise not_utf8(path, error.object, line) from None
            raise FormatError(WRONG_ENCODING.format(encoding), path, line) from None
        if text:
            yield text
        n_lines, data = n_lines + data.count(b"\n"), raw.read(CHUNK)


def _known_encoding(name: str, path: PathLike) -> str:
    """The codec of a declared encoding, if it is an ordinary one."""
    with suppress(LookupError):
        encoding = codecs.lookup(name).name
        if encoding in ENCODINGS:
            return encoding
    raise FormatError(f"unknown encoding {quoted(name)}; save the file as UTF-8", path, 1)


DECLARED = (
    "a DOCTYPE with declarations; entities are not expanded, remove it and write their values "
    "where they are used (that of xsd for &xsd;)"
)


class RefusedXMLError(Exception):
    """An error in an element, before its line is known."""


class _Scan:
    """A parser that goes through a document once, and raises if it is not sound."""

    def __init__(self, path: PathLike, watch: Watch | None = None) -> None:
        self.path, self.watch = path, watch
        self.depth = self.n_elements = 0
        # with namespaces, as the parsers that follow
        self.parser = expat.ParserCreate("UTF-8", "}")
        self.parser.StartElementHandler = self.open_element
        self.parser.EndElementHandler = self.close_element
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """Count an element."""
        self.depth, self.n_elements = self.depth + 1, self.n_elements + 1
        if self.depth > MAX_DEPTH:
            raise RefusedXMLError(f"elements inside each other more than {MAX_DEPTH} deep")
        if self.n_elements > MAX_ELEMENTS:
            raise RefusedXMLError(f"more than {MAX_ELEMENTS} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise RefusedXMLError(f"more than {MAX_ATTRIBUTES} attributes of one element")
        if self.watch is not None:
            self.watch(attributes)

    def close_element(self, name: str) -> None:
        """Leave an element."""
        self.depth -= 1

    def refuse_doctype(self, *_: object) -> None:
        """Raise for a DOCTYPE that is left."""
        raise RefusedXMLError(DECLARED)

    def feed(self, data: bytes, is_last: bool) -> None:
        """Go on with more of the document."""
        try:
            self.parser.Parse(data, is_last)
        except RefusedXMLError as refused:
            line = self.parser.CurrentLineNumber
            raise FormatError(str(refused), self.path, line) from None
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(
                f"broken XML ({reason}); export it again, as XML 1.0", self.path, error.lineno
            ) from None


class _Cutter(_Scan):
    """A scan that finds the elements of a name inside the root.

    `found` are their (first byte, last one or the one after it, line), `kept` is the first byte
    that may still be needed, `line` that of the last one, `opening` the tag around pieces.
    """

    def __init__(self, path: PathLike, root: str, name: str, advice: str) -> None:
        super().__init__(path)
        self.root, self.name, self.advice = root, name, advice
        self.found: list[tuple[int, int, int]] = []
        self.kept, self.line = 0, 1
        self.opening, self.end_tag = b"<_>", f"</{name}".encode()
        self.parser.StartNamespaceDeclHandler = self.declare

    def declare(self, prefix: str | None, address: str) -> None:
        """Keep a namespace of the root."""
        if self.depth == 0 and prefix is not None:
            more = f" xmlns:{prefix}={quoteattr(address)}>".encode()
            self.opening = self.opening[:-1] + more

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and name != self.root:
            raise RefusedXMLError(f"an XML file of <{name}>; {self.advice}")
        if self.depth == 1:
            self.kept, self.line = self.parser.CurrentByteIndex, self.parser.CurrentLineNumber
            self.n_elements = 0  # which are bounded in each piece
        super().open_element(name, attributes)

    def close_element(self, name: str) -> None:
        super().close_element(name)
        if self.depth == 1:
            end = self.parser.CurrentByteIndex
            if name == self.name:
                self.found.append((self.kept, end, self.line))
            self.kept = end
