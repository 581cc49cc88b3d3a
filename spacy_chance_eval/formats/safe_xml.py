"""XML from strangers as elements: decoded, and without declarations of entities.

Why not defusedxml: it has no lines, and no XML 1.1 of UIMA.
"""

import codecs
import re
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers.expat import ErrorString

from ..measures.messages import quoted
from .errors import FormatError
from .paths import PathLike

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
DECLARATION = re.compile(r"\A\s*<\?xml\s[^?]{0,200}\?>")
# alone, so that expat takes no unknown entity for one of a DTD that it did not read
OUR_DECLARATION = '<?xml version="1.0" standalone="yes"?>'
DECLARED_ENCODING = re.compile(rb"""<\?xml\s[^?>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")


def xml_of(data: bytes, path: PathLike) -> Element:
    """The root of a document, named as by `xml.etree`: "{namespace}name".

    A DOCTYPE may name a DTD, which nothing reads; one that declares entities is refused.
    """
    text = decoded(data, path)
    before, entity, _ = text.partition("<!ENTITY")
    if entity:
        what = "entities are not expanded: remove <!ENTITY, and write their values instead"
        raise FormatError(what, path, before.count("\n") + 1)
    try:
        return fromstring(OUR_DECLARATION + DECLARATION.sub("", text, count=1))
    except ParseError as error:
        what = f"broken XML ({ErrorString(error.code)}); export it again, as XML 1.0"
        raise FormatError(what, path, error.position[0]) from None


def decoded(data: bytes, path: PathLike) -> str:
    """XML as text, by its byte order mark or its declaration, else UTF-8."""
    declared = DECLARED_ENCODING.match(data)
    marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    encoding = marked or (declared[1].decode() if declared else "utf-8")
    try:
        return data.decode(encoding)
    except LookupError:
        what = f"unknown encoding {quoted(encoding)}; save the file as UTF-8"
        raise FormatError(what, path, 1) from None
    except UnicodeError as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        what = f"not {encoding.upper()} text; declare its encoding, or save it as UTF-8"
        raise FormatError(what, path, line) from None
