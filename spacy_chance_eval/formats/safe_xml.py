"""XML from strangers as elements: bounded, decoded, and without declarations of entities.

Why not defusedxml: it knows no depth (which ends in a RecursionError), no number of elements (60 MB
of them take 1.5 GB), no encodings beyond those of expat, and no lines of elements.
"""

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

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
# alone, so that expat takes no unknown entity for one of a DTD that it did not read
OUR_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
DECLARED_ENCODING = re.compile(rb"""<\?xml\s[^?>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
WRONG_ENCODING = "not {} text, as it says; save it as UTF-8, with such a declaration"
DECLARED = (
    "a DOCTYPE with declarations; entities are not expanded, remove it and write their values "
    "where they are used (that of xsd for &xsd;)"
)


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


def xml_of(data: bytes, path: PathLike) -> Element:
    """The root of a document, named as by `xml.etree`: "{namespace}name".

    A DOCTYPE may name a DTD, which nothing reads; one with declarations of its own is refused.
    """
    parser = _Parser(path)
    for text in decoded_chunks(io.BytesIO(data), path):
        parser.feed(text)
    parser.feed("", is_last=True)
    return parser.elements.close()


def xml_pieces(path: PathLike, root: str, name: str, advice: str) -> Iterator[Piece]:
    """The elements of a name inside the root of a file, which may be large.

    What is asked of a document elsewhere, is asked of each; `advice` is that on another root.
    """
    parser = _Parser(path, root, name, advice)
    with readable_bytes(path) as raw:
        for text in decoded_chunks(raw, path):
            parser.feed(text)
            yield from parser.found
            parser.found.clear()
        parser.feed("", is_last=True)
        yield from parser.found


class _RefusedError(Exception):
    """An error in an element, before its line is known."""


class _Parser:
    """A parser of one document, or of some elements in its root, that raises for unsound ones."""

    def __init__(self, path: PathLike, root: str = "", name: str = "", advice: str = "") -> None:
        self.path, self.root, self.name, self.advice = path, root, name, advice
        self.found: list[Piece] = []
        self.depth = self.n_elements = self.n_chunks = self.first = 0
        self.line = 1
        self.elements = TreeBuilder()
        self.parser = expat.ParserCreate("UTF-8", "}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.open_element
        self.parser.EndElementHandler = self.close_element
        self.parser.CharacterDataHandler = self.elements.data
        self.parser.StartDoctypeDeclHandler = self.open_doctype

    def open_doctype(self, name: str, system: Any, public: Any, has_declarations: bool) -> None:
        """Raise for declarations, which could be of entities."""
        if has_declarations:
            raise _RefusedError(DECLARED)

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if self.root and self.depth == 0 and name != self.root:
            raise _RefusedError(f"an XML file of <{name}>; {self.advice}")
        if self.root and self.depth == 1:
            self.begin_piece()
        self.depth, self.n_elements = self.depth + 1, self.n_elements + 1
        if self.depth > MAX_DEPTH:
            raise _RefusedError(f"elements inside each other more than {MAX_DEPTH} deep")
        if self.n_elements > MAX_ELEMENTS:
            raise _RefusedError(f"more than {MAX_ELEMENTS} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise _RefusedError(f"more than {MAX_ATTRIBUTES} attributes of one element")
        if any("}" in key for key in attributes):
            attributes = {_full(key): value for key, value in attributes.items()}
        if not self.root or self.depth > 1:
            self.elements.start(_full(name), attributes)

    def begin_piece(self) -> None:
        """Forget what stood before."""
        self.line, self.first = self.parser.CurrentLineNumber, self.parser.CurrentByteIndex
        self.elements, self.n_elements = TreeBuilder(), 0
        self.parser.CharacterDataHandler = self.elements.data

    def close_element(self, name: str) -> None:
        """End an element."""
        self.depth -= 1
        if not self.root or self.depth > 0:
            self.elements.end(_full(name))
        if self.root and self.depth == 1:
            if name == self.name:
                size = self.parser.CurrentByteIndex - self.first
                self.found.append(Piece(self.elements.close(), self.line, size))
            self.begin_piece()

    def feed(self, text: str, is_last: bool = False) -> None:
        """Go on with more of the document."""
        self.n_chunks += 1
        if self.n_chunks == 1:  # another declaration behind ours, of another encoding, is an error
            said = DECLARATION.match(text)
            newlines = "\n" * (said[0].count("\n") if said else 0)
            text = OUR_DECLARATION + newlines + text[said.end() if said else 0 :]
        try:
            self.parser.Parse(text.encode(), is_last)
        except _RefusedError as refused:
            line = self.parser.CurrentLineNumber
            raise FormatError(str(refused), self.path, line) from None
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(
                f"broken XML ({reason}); export it again, as XML 1.0", self.path, error.lineno
            ) from None
        if self.root and self.parser.CurrentByteIndex - self.first > MAX_BYTES:
            raise too_large(self.path, line=self.line)


def _full(name: str) -> str:
    """A name as `xml.etree` has it."""
    return "{" + name if "}" in name else name


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
