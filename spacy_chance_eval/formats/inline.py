"""Spans as tags in the text: SGML of MUC, GENIA, HAREM, and what language models answer.

A scanner of our own: SGML is often no XML (documents without a root, open <P>, a bare &), and the
text around the tags has to stay as it is. It expands no entities but those of single characters.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, name_by_file, readable_bytes, suffix_of
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .pieces import Piece, blocks_of_pieces, pieces_at
from .rows import brief, clip
from .safe_xml import decoded_chunks

NAME = r"[A-Za-z_][\w.:|-]*"  # HAREM has <PESSOA|LOCAL>
MARKUP = re.compile(
    rf"<(?P<open>!--|!\[CDATA\[|!DOCTYPE\b|\?{NAME})|"
    rf"<(?P<slash>/?)(?P<name>{NAME})(?P<said>(?:\s[^<>]*)?/?)>|&#?\w{{1,31}};"
)
ENDS = {"!--": "-->", "![CDATA[": "]]>", "!DOCTYPE": ">"}
# declarations may stand in brackets, and have comments and quoted texts, in which brackets are text
DECLARED = r"""<!--(?:(?!-->).)*-->|"[^"]*"|'[^']*'|[^\]"'<]|<(?!!--)|\](?!\s*>)"""
DOCTYPE = re.compile(rf"[^\[>]*(?:\[(?:{DECLARED})*\]\s*)?>", re.DOTALL)
# names from their first letter on: else each letter of a long word would be tried
ATTRIBUTE = re.compile(rf"""(?<![\w.:|-])({NAME})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
ENVELOPE = re.compile("([be])_(.+)", re.DOTALL)  # <b_enamex type="X">...<e_enamex>
DOCUMENT = re.compile(r"<(doc|document|article)(?=[\s>])[^<>]*>", re.IGNORECASE)
XML = re.compile(r"\ufeff?\s*<(\?xml\b|[^<>!?/]+\sxmlns\b)")
NAMES = ("docno", "docid", "doc_id", "bibliomisc", "id", "name")  # of documents
STRUCTURE = {
    *("abstract", "alt", "article", "articleinfo", "author", "b", "body", "br", "byline", "co"),
    *("colharem", "collection", "corpus", "dataset", "date_time", "dateline", "dd", "div", "doc"),
    *("docgroup", "docs", "docsrc", "doctype", "document", "documents", "genero", "head"),
    *("header", "headline", "hl", "hr", "html", "i", "import", "in", "nwords", "omitido"),
    *("origem", "p", "para", "paper", "paragraph", "preamble", "root", "s", "section"),
    *("sectiontitle", "sent", "sentence", "set", "slug", "so"),
    *("storyid", "subcorpus", "text", "texto", "title", "tok", "token", "trailer", "txt", "u", "w"),
    *NAMES[:4],
}
# tags that say in an attribute of what kind a span is
GENERIC = {
    *("annotation", "cons", "em", "entity", "enamex", "mark", "mention", "name", "named-entity"),
    *("ne", "numex", "rs", "span", "tag", "term", "timex", "timex3"),
}
LABELS = ("type", "sem", "categ", "category", "class", "label", "cat")
# without a label GENIA's is part of another term, and IEER's is an editor's remark
UNLABELLED = {"annotation", "cons"}
CLOSE = "close each tag before the one around it, or write &lt; for a < that begins no tag"
NO_TAGS = "name the tags that mark spans (--type PER,LOC), or the attribute with their label"


def read_inline(path: PathLike | Excerpt, reading: Reading) -> Corpus:
    """The corpus of a file with spans as tags in its text. Positions are characters.

        <DOC><DOCNO>1</DOCNO><ENAMEX TYPE="PERSON">Ada Byron</ENAMEX> slept in
        <LOC>Oslo</LOC>.</DOC>

    The text is that without tags; blanks around it are left out. Elements `DOC`, `document` or
    `article` are documents, called by `DOCNO`, `DOCID`, an attribute of these names, `id` or
    `name`; a file without them is one document, called as the file. Spans are the layer "spans".
    Their label is the name of the tag, of general tags (`ENAMEX`, `cons`, `NE`, `entity` ...) their
    attribute `type`, `sem`, `categ`, `category`, `class`, `label` or `cat`; an `annotation` or
    `cons` without any is not a span. Other attributes are features. Tags such as `P`, `sentence` or
    `TEXT` are not spans, and neither are tags around all documents or, in XML, around everything.
    With `type` (commas separate several), tags of these names are spans; with `feature`, that
    attribute has the label, and without `type`, tags that have it are spans. Tags need not make up
    XML, but those of spans have to be inside each other.
    """
    pieces = pieces_at(path, partial(_pieces_of, reading=reading))
    source = Rows(str(path), [one.content for one in pieces], [one.line for one in pieces])
    return read_form(source, Form(partial(_translate, file=name_by_file(str(path)))), reading)


def blocks_of_inline() -> BlockReader:
    """How files with several documents are read in blocks."""
    return blocks_of_pieces(_pieces_of, read_inline)


class Marks(NamedTuple):
    """Which elements are spans: the names of their tags, and the attribute with their label."""

    types: frozenset[str] | None = None
    label: str | None = None

    def are(self, name: str) -> bool:
        """Whether tags of a name may be spans."""
        lower = name.lower()
        return lower not in STRUCTURE if self.types is None else lower in self.types

    def any_in(self, marked: str, start: int = 0) -> bool:
        """Whether a text has a tag that may be a span, from some place on."""
        found = MARKUP.finditer(marked, start)
        tags = (one for one in found if one["name"] and not one["slash"])
        return any(
            self.key_of(one["name"], _attributes_in(one["said"])) is not None for one in tags
        )

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


def _marks_of(reading: Reading) -> Marks:
    """The marks that keys name."""
    types = reading.type and frozenset(reading.type.lower().split(","))
    return Marks(types or None, reading.feature)


def _pieces_of(path: PathLike, reading: Reading) -> Iterator[Piece]:
    """The documents of a file, as rows of their marked texts; raises if no tag marks a span."""
    with readable_bytes(path) as raw:
        text = "".join(decoded_chunks(raw, path)).replace("\r\n", "\n")
    marks = _marks_of(reading)
    tags = [match for match, _ in _markup(text) if match["name"]]
    every = (DOCUMENT.match(text, tag.start()) for tag in tags)
    first = next(filter(None, every), None)
    starts, ends = [0], [len(text)]
    if first is not None:
        found = [one.start() for one in DOCUMENT.finditer(text, first.start())
                 if one[1].lower() == first[1].lower()]  # fmt: skip
        if _is_blank(text[: first.start()]):
            starts, ends = found, [*found[1:], len(text)]
        elif len(found) > 1:
            n_blank = text.count("\n", 0, len(text) - len(text.lstrip()))
            raise _outside("before the first", f"<{first[1]}>", path, 1 + n_blank)
    is_xml = marks.types is None and bool(suffix_of(str(path)) == ".xml" or XML.match(text))
    begin = max(starts[0], tags[0].end() if tags and is_xml else 0)  # behind the root
    if marks.types is None and not marks.any_in(text, begin):
        names = clip(", ".join(sorted({tag["name"] for tag in tags})) or "none")
        raise FormatError(f"no tag marks a span (tags: {names}); {NO_TAGS}", path)
    line, at = 1, 0
    for start, end in zip(starts, ends):
        line, at = line + text.count("\n", at, start), start
        marked = text[start:end]
        if first is not None and start >= first.start():
            marked = _without_tail(marked, first[1], path, line, len(starts) == 1)
        yield Piece({"marked": marked, "is_xml": is_xml}, line, len(marked))


def _without_tail(marked: str, name: str, path: PathLike, line: int, is_only: bool) -> str:
    """A document without the tags after it, which end elements around it."""
    closing = [*re.finditer(rf"</{name}\s*>", marked, re.IGNORECASE)]
    tail = marked[closing[-1].end() :] if closing else ""
    if _is_blank(tail):
        return marked.removesuffix(tail)
    if is_only:
        return marked
    n_lines = marked.removesuffix(tail.lstrip()).count("\n")
    raise _outside("after", closing[-1][0], path, line + n_lines)


def _outside(where: str, tag: str, path: PathLike, line: int) -> FormatError:
    """The error for text that is in none of several documents."""
    advice = f"remove it, or put it into a <{tag.strip('</>')}> of its own"
    return FormatError(f"text {where} {tag}; {advice}", path, line)


def _markup(marked: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each match of `MARKUP` outside of comments and declarations, and where all of it ends.

    That is -1 for a last comment or declaration without an end.
    """
    at = 0
    while at >= 0 and (match := MARKUP.search(marked, at)):
        at = match.end()
        if match["open"] == "!DOCTYPE":
            declared = DOCTYPE.match(marked, at)
            at = declared.end() if declared else -1
        elif match["open"]:
            end = ENDS.get(match["open"], "?>")
            stop = marked.find(end, at)
            at = stop + len(end) if stop >= 0 else -1
        yield match, at


def _is_blank(marked: str) -> bool:
    """Whether there are only tags in a text, closed or not."""
    try:
        return not without_tags(marked, lambda name: True).text.strip()
    except ContentError:
        return False


def _translate(row: Row, reading: Reading, file: str) -> tuple[Row, str]:
    """The document as a row of JSONL; `file` is its name if it has no other."""
    marks = _marks_of(reading)
    found = without_tags(row["marked"], lambda name: not marks.are(name), NAMES[:4])
    text, elements = found.text.strip(), [*found.elements]
    first = len(found.text) - len(found.text.lstrip())
    own = next((one for one in elements if DOCUMENT.match(f"<{one.name}>")), None)
    names = [*found.names, *(own.attributes[key] for key in NAMES if own and key in own.attributes)]
    if row["is_xml"] and elements:  # the last element to end is the root, if all is in it
        root = elements[-1]
        elements = elements[: -1 if root.start <= first and first + len(text) <= root.end else None]

    def span_of(one: Element) -> Row:
        key = marks.key_of(one.name, one.attributes)
        if key and key not in one.attributes:
            raise ContentError(
                f"<{one.name}> {brief(clip(found.text[one.start : one.end]))} has no {quoted(key)}",
                "name an attribute that all spans have (--label-feature), or other tags (--type)",
            )
        start, end = max(one.start - first, 0), max(min(one.end - first, len(text)), 0)
        said = {name: value for name, value in one.attributes.items() if name != key and value}
        label = one.attributes[key] if key else one.name
        return {"start": start, "end": end, "label": label, "features": said}

    tags = [one for one in elements if marks.key_of(one.name, one.attributes) is not None]
    tags.sort(key=lambda one: (one.start, -one.end))
    is_document = DOCUMENT.match(row["marked"])
    name = next(iter(names), None if is_document else file)
    return {"id": name, "text": text, "spans": [*sound_entries(tags, span_of)]}, "char"


class Element(NamedTuple):
    """A tag with its attributes (names in lower case) and where its content is in the text."""

    name: str
    attributes: Mapping[str, str]
    start: int
    end: int


class Marked(NamedTuple):
    """A text without its tags, the elements in it, and the contents of those left out of it."""

    text: str
    elements: Sequence[Element]
    names: Sequence[str] = ()


def without_tags(
    marked: str, is_loose: Callable[[str], bool], left_out: Sequence[str] = ()
) -> Marked:
    """The text of a text with inline tags, and its elements in the order of their ends.

    Text that is not a tag stays as it is, for example < before a number. Entities of characters are
    resolved, comments and declarations left out.

    Parameters
    ----------
    marked : str
    is_loose : callable
        is_loose(name): whether tags of this name need not be closed.
    left_out : sequence of str
        Names, in lower case, of elements whose content does not belong to the text.
    """
    parts: list[str] = []
    sizes = [0]  # of the text in front of each part, and in front of the next one
    found: list[Element] = []
    names: list[str] = []
    opened: list[tuple[str, Mapping[str, str], int]] = []  # with the number of parts in front
    n_open: Counter[str] = Counter()

    def add(text: str) -> None:
        parts.append(text)
        sizes.append(sizes[-1] + len(text))

    def close(name: str) -> None:
        """End the last open element of a name, and loose ones inside."""
        if not n_open[name.lower()]:
            if not is_loose(name):
                raise ContentError(f"</{name}> closes nothing", CLOSE)
            return
        last = ""
        while last.lower() != name.lower():
            last, attributes, n_parts = opened.pop()
            n_open[last.lower()] -= 1
            if last.lower() != name.lower() and not is_loose(last):
                raise ContentError(f"<{last}> is open at </{name}>", CLOSE)
        if last.lower() in left_out:
            names.append("".join(parts[n_parts:]).strip())
            del parts[n_parts:], sizes[n_parts + 1 :]
        found.append(Element(last, attributes, sizes[n_parts], sizes[-1]))

    at = 0
    for match, stop in _markup(marked):
        add(marked[at : match.start()])
        name, said, kind = match["name"], match["said"], match["open"]
        envelope = name and not match["slash"] and ENVELOPE.fullmatch(name)
        if stop < 0:
            raise ContentError(f"<{kind} without {ENDS.get(kind, '?>')}", CLOSE)
        if kind:
            add(marked[match.end() : stop - 3] if kind == "![CDATA[" else "")
        elif name is None:
            add(html.unescape(match.group()))
        elif match["slash"] or envelope and envelope[1] == "e":
            close(envelope[2] if envelope else name)
        elif envelope or not said.endswith("/"):
            name = envelope[2] if envelope else name
            opened.append((name, _attributes_in(said), len(parts)))
            n_open[name.lower()] += 1
        at = stop
    add(marked[at:])
    unclosed = next((name for name, *_ in opened if not is_loose(name)), None)
    if unclosed is not None:
        raise ContentError(f"<{unclosed}> is not closed", CLOSE)
    return Marked("".join(parts), found, names)


def _attributes_in(said: str) -> dict[str, str]:
    """The attributes of a tag, their names in lower case."""
    return {
        name.lower(): html.unescape(one or two or three)
        for name, one, two, three in ATTRIBUTE.findall(said)
    }
