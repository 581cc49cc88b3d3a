"""XML from strangers as elements: decoded, and without declarations of entities.

Why not defusedxml: it knows no depth (which ends in a RecursionError), no encodings beyond those of
expat, no XML 1.1 of UIMA, no lines.
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
from .errors import ContentError, FormatError
from .files import readable_bytes
from .paths import PathLike
from .pieces import Piece

CHUNK = 2**20  # bytes of a large file that are read at a time
MAX_DEPTH = 200  # of elements inside each other, before a RecursionError
ENCODINGS = ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252")
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
DECLARATION = re.compile(r"<\?xml\s[^?]{0,200}\?>")
# alone, so that expat takes no unknown entity for one of a DTD that it did not read
OUR_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
DECLARED_ENCODING = re.compile(rb"""<\?xml\s[^?>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")


def xml_of(data: bytes, path: PathLike) -> Element:
    """The root of a document, named as by `xml.etree`: "{namespace}name".

    A DOCTYPE may name a DTD, which nothing reads; one with declarations of its own is refused.
    """
    return next(_elements(io.BytesIO(data), path, 0)).content


def xml_pieces(path: PathLike, root: str, name: str, advice: str) -> Iterator[Piece]:
    """The elements of a name inside the root of a file, which may be large.

    What is asked of a document elsewhere, is asked of each; `advice` is that on another root.
    """
    with readable_bytes(path) as raw:
        for piece in _elements(raw, path, 1, root, advice):
            if piece.content.tag == name:
                yield piece


def _elements(
    raw: BinaryIO, path: PathLike, level: int, root: str = "", advice: str = ""
) -> Iterator[Piece]:
    """The elements of a level, 0 for the root."""
    builder = _Builder(level, root, advice)
    for n, text in enumerate(decoded_chunks(raw, path)):
        is_last = not text
        if n == 0:  # another declaration behind ours, of another encoding, is an error
            said = DECLARATION.match(text)
            newlines = "\n" * (said[0].count("\n") if said else 0)
            text = OUR_DECLARATION + newlines + text[said.end() if said else 0 :]
        try:
            builder.parser.Parse(text.encode(), is_last)
        except ContentError as mistake:
            raise FormatError(str(mistake), path, builder.parser.CurrentLineNumber) from None
        except expat.ExpatError as error:
            what = f"broken XML ({expat.ErrorString(error.code)}); export it again, as XML 1.0"
            raise FormatError(what, path, error.lineno) from None
        yield from builder.found
        builder.found.clear()


class _Builder:
    """The elements of a level that handlers of expat have built, if all is sound."""

    def __init__(self, level: int, root: str, advice: str) -> None:
        self.level, self.root, self.advice = level, root, advice
        self.found: list[Piece] = []
        self.depth = self.first = 0
        self.line = 1
        self.tree = TreeBuilder()
        self.parser = expat.ParserCreate("UTF-8", "}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.open_element
        self.parser.EndElementHandler = self.close_element
        self.parser.StartDoctypeDeclHandler = self.open_doctype

    def open_doctype(self, name: str, system: Any, public: Any, has_declarations: bool) -> None:
        """Raise for declarations, which could be of entities."""
        if has_declarations:
            advice = "entities are not expanded: remove it, and write their values instead"
            raise ContentError("a DOCTYPE with declarations", advice)

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if self.depth == 0 and self.root not in ("", name):
            raise ContentError(f"an XML file of <{name}>", self.advice)
        if self.depth == self.level:
            self.line, self.first = self.parser.CurrentLineNumber, self.parser.CurrentByteIndex
            self.tree = TreeBuilder()
            self.parser.CharacterDataHandler = self.tree.data
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ContentError(f"more than {MAX_DEPTH} elements inside each other", "flatten it")
        if self.depth > self.level:
            own = {_full(key): value for key, value in attributes.items()}
            self.tree.start(_full(name), own)

    def close_element(self, name: str) -> None:
        """End an element."""
        if self.depth > self.level:
            self.tree.end(_full(name))
        self.depth -= 1
        if self.depth == self.level:
            size = self.parser.CurrentByteIndex - self.first
            self.found.append(Piece(self.tree.close(), self.line, size))
            self.parser.CharacterDataHandler = None


def _full(name: str) -> str:
    """A name as `xml.etree` has it."""
    return "{" + name if "}" in name else name


def decoded_chunks(raw: BinaryIO, path: PathLike) -> Iterator[str]:
    """XML as text, by its byte order mark or its declaration, else UTF-8; the last one is empty."""
    data = raw.read(CHUNK)
    declared = DECLARED_ENCODING.match(data)
    encoding = next((BYTE_ORDER_MARKS[one] for one in BYTE_ORDER_MARKS if data.startswith(one)), "")
    if not encoding:
        encoding = declared[1].decode() if declared else "utf-8"
        with suppress(LookupError):
            encoding = codecs.lookup(encoding).name
        if encoding not in ENCODINGS:
            what = f"unknown encoding {quoted(encoding)}; save the file as UTF-8"
            raise FormatError(what, path, 1)
    decoder, n_lines, is_last = codecs.getincrementaldecoder(encoding)(), 1, False
    while not is_last:
        is_last = not data
        try:
            text = decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            line = n_lines + error.object.count(b"\n", 0, error.start)
            is_told = "as it says" if declared else "and declared as nothing else"
            own = encoding.removesuffix("-sig").upper()
            what = f"not {own} text, {is_told}; save it as UTF-8"
            raise FormatError(what, path, line) from None
        if text or is_last:
            yield text
        n_lines, data = n_lines + data.count(b"\n"), raw.read(CHUNK)
