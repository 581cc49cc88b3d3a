"""Spans as tags in the text: SGML of MUC, GENIA, HAREM, and what language models answer.

A scanner of our own: SGML is often no XML (documents without a root, open <P>, a bare &), and the
text around the tags has to stay as it is. It expands no entities but those of single characters.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import file_bytes, name_by_file, suffix_of
from .forms import ROWS_IN_CHARACTERS, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .rows import brief, clip
from .safe_xml import decoded
from .standoff import label_feature, take_label

NAME = r"[A-Za-z_][\w.:|-]*"  # HAREM has <PESSOA|LOCAL>
MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<data>.*?)\]\]>|<\?.*?\?>|<!DOCTYPE\b[^\[>]*(?:\[.*?\]\s*)?>|"
    rf"<(?P<slash>/?)(?P<name>{NAME})(?P<said>(?:\s[^<>]*)?/?)>|&#?\w{{1,31}};",
    re.DOTALL,
)
# names from their first letter on: else each letter of a long word would be tried
ATTRIBUTE = re.compile(rf"""(?<![\w.:|-])({NAME})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
DOCUMENTS = ("doc", "document", "article")
XML = re.compile(r"\ufeff?\s*<(\?xml\b|[^<>!?/]+\sxmlns\b)")
NAMED = ("docno", "docid", "doc_id", "bibliomisc")  # tags around the name of a document
NAMES = (*NAMED, "id", "name")  # attributes with it
STRUCTURE = {
    *("abstract", "alt", "article", "articleinfo", "author", "b", "body", "br", "byline", "co"),
    *("colharem", "collection", "corpus", "dataset", "date_time", "dateline", "dd", "div", "doc"),
    *("docgroup", "docs", "docsrc", "doctype", "document", "documents", "genero", "head"),
    *("header", "headline", "hl", "hr", "html", "i", "import", "in", "nwords", "omitido"),
    *("origem", "p", "para", "paper", "paragraph", "preamble", "root", "s", "section"),
    *("sectiontitle", "sent", "sentence", "set", "slug", "so"),
    *("storyid", "subcorpus", "text", "texto", "title", "tok", "token", "trailer", "txt", "u", "w"),
    *NAMED,
}
# tags that say in an attribute of what kind a span is
GENERIC = {
    *("annotation", "cons", "em", "entity", "enamex", "mark", "mention", "name", "named-entity"),
    *("ne", "numex", "rs", "span", "tag", "term", "timex", "timex3"),
}
LABELS = ("type", "sem", "categ", "category", "class", "label", "cat")
UNLABELLED = {"annotation", "cons"}  # without a label part of another term, or a remark
CLOSE = "close each tag before the one around it, or write &lt; for a < that begins no tag"


class Marks(NamedTuple):
    """Which elements are spans: the names of their tags, and the attribute with their label."""

    types: frozenset[str] | None = None
    label: str | None = None

    def are(self, name: str) -> bool:
        lower = name.lower()
        return lower not in STRUCTURE if self.types is None else lower in self.types

    def key_of(self, name: str, attributes: Mapping[str, str]) -> str | None:
        """The attribute with the label, "" if it is the name of the tag; None if not a span."""
        if not self.are(name):
            return None
        if self.label is not None:
            key = self.label.lower()
            return key if key in attributes or self.types is not None else None
        if name.lower() not in GENERIC:
            return ""
        none = None if name.lower() in UNLABELLED else ""
        return next((key for key in LABELS if key in attributes), none)


class Element(NamedTuple):
    """A tag, its attributes (in lower case), where it is in the text, or its content outside."""

    name: str
    attributes: Mapping[str, str]
    start: int
    end: int
    line: int = 1
    content: str = ""


def read_inline(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file with spans as tags in its text. Positions are characters.

        <DOC><DOCNO>1</DOCNO><ENAMEX TYPE="PERSON">Ada Byron</ENAMEX> slept in
        <LOC>Oslo</LOC>.</DOC>

    The label of a span is the name of its tag, of general tags an attribute; other attributes are
    features. Tags around all documents are not spans, nor, in XML, are those around everything.
    With `type` (commas separate several), tags of these names are spans; with `feature`, that
    attribute has the label, and without `type`, tags that have it are spans.
    """
    types = reading.type and frozenset(reading.type.lower().split(","))
    feature, default = label_feature(reading.feature)
    marks = Marks(types or None, feature)
    marked = decoded(file_bytes(path), path).replace("\r\n", "\n")
    is_xml = not types and bool(suffix_of(path) == ".xml" or XML.match(marked))
    try:
        text, elements = without_tags(
            marked, lambda name: name.lower() not in DOCUMENTS and not marks.are(name)
        )
        documents = _documents_of(text, elements, name_by_file(path), is_xml)
        rows = [_row_of(own, inside, text, marks, default) for own, inside in documents]
    except ContentError as mistake:
        raise FormatError(f"{mistake}.", path, mistake.line) from None
    if not types and not any(row["spans"] for row in rows):
        names = {tag["name"] for tag in MARKUP.finditer(marked) if tag["name"]}
        raise FormatError(
            f"no tag marks a span (tags: {clip(', '.join(sorted(names)) or 'none')}); name the "
            "tags that mark spans (--read type=PER,LOC), or the attribute with their label",
            path,
        )
    lines = [own.line for own, _ in documents]
    return read_form(Rows(str(path), rows, lines), ROWS_IN_CHARACTERS, reading)


def _documents_of(
    text: str, elements: list[Element], file: str, is_xml: bool
) -> list[tuple[Element, list[Element]]]:
    """(document, the elements in it) of a text; all of it without tags of documents."""
    if is_xml and elements:  # the last element to end is no span if all is in it
        root = elements[-1]
        around = text[: root.start] + text[root.end :]
        if not around.strip() and root.name.lower() not in DOCUMENTS:
            elements = elements[:-1]
    every = [one for one in elements if one.name.lower() in DOCUMENTS]
    kind = min(every, key=lambda one: (one.start, -one.end)).name.lower() if every else None
    documents: list[tuple[Element, list[Element]]] = []
    inside: list[Element] = []
    outside, end = "", 0
    for one in elements:
        if one.name.lower() == kind:
            documents.append((one, [own for own in inside if own.start >= one.start]))
            outside += text[end : one.start]
            inside, end = [], one.end
        else:
            inside.append(one)
    outside = (outside + text[end:]).strip()
    if not documents:
        return [(Element("", {"name": file}, 0, len(text)), elements)]
    if outside:
        advice = f"remove it, or put it into a <{kind}> of its own"
        raise ContentError(f"text {brief(clip(outside))} outside of <{kind}>", advice)
    return documents


def _row_of(
    document: Element, inside: list[Element], text: str, marks: Marks, default: str | None
) -> Row:
    """The row of a document and the elements in it."""
    names = [one.content for one in inside if one.name.lower() in NAMED]
    names += (document.attributes[key] for key in NAMES if key in document.attributes)
    own = text[document.start : document.end]
    first, size = document.start + len(own) - len(own.lstrip()), len(own.strip())
    spans: list[Row] = []
    for one in inside:
        key = marks.key_of(one.name, one.attributes)
        if key is not None:
            start, end = max(one.start - first, 0), max(min(one.end - first, size), 0)
            said = {name: value for name, value in one.attributes.items() if value}
            what = f"<{one.name}> {brief(clip(text[one.start : one.end]))}"
            label = take_label(said, [key], default, what, one.line) if key else one.name
            place = {"start": start, "end": end, "line": one.line}
            spans.append({**place, "label": label, "features": said})
    spans.sort(key=lambda span: (span["start"], -span["end"]))
    return {"id": next(iter(names), None), "text": own.strip(), "spans": spans}


def without_tags(marked: str, is_loose: Callable[[str], bool]) -> tuple[str, list[Element]]:
    """The text of a text with inline tags, and its elements in the order of their ends.

    Text that is not a tag stays as it is, for example < before a number. Entities of characters are
    resolved, comments and declarations left out. Tags need not be closed if is_loose(name). Names
    of documents do not belong to the text.
    """
    parts: list[str] = []
    sizes = [0]  # of the text in front of each part, and in front of the next one
    elements: list[Element] = []
    opened: list[tuple[str, Mapping[str, str], int, int]] = []  # and line, number of parts in front
    n_open: Counter[str] = Counter()
    at, line = 0, 1
    for match in MARKUP.finditer(marked):
        whole, name, said = match.group(), match["name"], match["said"]
        line += marked.count("\n", at, match.start())
        text = html.unescape(whole) if whole[0] == "&" else match["data"] or ""
        parts.append(marked[at : match.start()] + text)
        sizes.append(sizes[-1] + len(parts[-1]))
        if name and match["slash"] and n_open[name.lower()]:
            last, content = "", ""
            while last.lower() != name.lower():  # loose elements inside end, too
                last, attributes, first, n_parts = opened.pop()
                n_open[last.lower()] -= 1
                if last.lower() != name.lower() and not is_loose(last):
                    raise ContentError(f"<{last}> is open at </{name}>", CLOSE, line)
            if last.lower() in NAMED:
                content = "".join(parts[n_parts:]).strip()
                del parts[n_parts:], sizes[n_parts + 1 :]
            elements.append(Element(last, attributes, sizes[n_parts], sizes[-1], first, content))
        elif name and match["slash"] and not is_loose(name):
            raise ContentError(f"</{name}> closes nothing", CLOSE, line)
        elif name and not match["slash"] and not said.endswith("/"):
            values = {
                key.lower(): html.unescape(one or two or three)
                for key, one, two, three in ATTRIBUTE.findall(said)
            }
            opened.append((name, values, line, len(parts)))
            n_open[name.lower()] += 1
        line += whole.count("\n")
        at = match.end()
    parts.append(marked[at:])
    for name, _, first, _ in (one for one in opened if not is_loose(one[0])):
        raise ContentError(f"<{name}> is not closed", CLOSE, first)
    return "".join(parts), elements
