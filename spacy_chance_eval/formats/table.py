"""Tables of spans, categories or mentions, a row for each, with texts of documents beside them."""

from __future__ import annotations

import csv
import json
import re
from itertools import chain
from typing import Any, NamedTuple

from .answers import LABEL_KEYS
from .blemishes import LABELS, SPANS, leave_out
from .corpus import Corpus, Document
from .errors import ContentError, FormatError, PathLike, Problem
from .files import open_text
from .forms import Form, read_form
from .json_rows import Row, Rows
from .json_text import parsed_json, reject_constant
from .keys import Reading
from .rows import are_offsets, bounded, brief
from .sniffing import ANSWERS, TEXTS

SEPARATORS = (",", "\t", ";")
LAYER = "spans"  # of a table without annotators
LONGEST = 10_000_000  # characters of one line
NUMBER = re.compile(r"([0-9]{1,10})(?:\.0)?")  # spreadsheets may write 3.0 for 3
# names of columns: the first one that a table has counts
NAMES = ("custom_id", "id", "doc_id", "document_id", "docid", "document", "doc", "sample_id")
COLUMNS = {
    "document": ("document", *NAMES, "file", "filename", "file_name", "article_id"),
    "annotator": ("annotator", "annotator_id"),
    "start": ("start", "begin", "start_char", "start_offset", "span_start"),
    "end": ("end", "stop", "end_char", "end_offset", "span_end"),
    "label": LABEL_KEYS,
    "text": ("text", "mention", "span", "entity_text", "surface"),
    "size": ("size",),
}
MENTION = ("mention", "entity", "entity_text", "span", "surface", "surface_form", "word")
NEEDED = (
    "a table begins with a line of names: document, annotator, start, end, label, and size unless "
    "the texts are given (categories: document, annotator, label), each once"
)
NO_TABLE = (
    "a table has columns mention and label, a row for each mention, and id or text of the "
    f"document; or an answer in each row ({', '.join(ANSWERS[:8])} ...)"
)
SIZES = (
    "the chance model needs the length of each document: add a column size (number of its tokens "
    "or characters, in any row of the document), or give --texts, a file that has them, or a "
    "folder of NAME.txt; --sizes spans lets a document end with its last span, which overrates "
    "chance"
)
FILLED = (
    "fill annotator, start, end and label; a document that was seen and has no span has its "
    "annotator alone, one that nobody saw none of them"
)


class _Marked(NamedTuple):
    """What rows say of a document: its line, its sizes, by annotator its spans or labels."""

    line: int
    sizes: set[int]
    said: dict[str, list[Any]]


def read_table(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a table with a layer for each annotator.

        document,annotator,start,end,label,size
        a,Ada,0,2,PER,17
        a,Rex,,,,17

    Columns come in any order, separated by commas, tabs or semicolons. Without `annotator`, all
    rows are of the layer "spans". A row without start, end and label says that the annotator saw
    the document; if there is no other, nothing was marked. An annotator without a row for a
    document has not seen it. A row without annotator only names the document. `text` quotes the
    span; it has to agree if texts are given and offsets count characters. Other columns that have a
    name become features of the span: an empty cell says nothing, a cell that is a JSON value is
    that value (0.5, true, [1, 2], "1"), any other cell is text.

    A table without start and end has categories, the labels of whole documents by annotator; a row
    without label says that there are none. Further columns are skipped.

    Texts are those of a folder with a file NAME.txt for each document (every character counts, both
    of a line end \\r\\n), or of another file, for offsets in tokens one that has tokens. Without
    them, a column `size` has to tell the number of positions of each document; or it ends with its
    last span (`sizes=spans`; one without spans has one position). Chance is then overrated: less
    room is left to miss.
    """
    names, rows = _table_of(path)
    columns = {key: next((names[name] for name in known if name in names), None)
               for key, known in COLUMNS.items()}  # fmt: skip
    is_spans = columns["start"] is not None
    if not columns["document"] or not columns["label"] or is_spans != (columns["end"] is not None):
        raise FormatError(f"the first line is {brief([*names.values()])}; {NEEDED}", path, 1)
    given: Any = reading.texts
    texts: Corpus | None = given() if callable(given) else given
    by_name = {one.name: one for one in texts.documents} if texts else {}
    if texts and len(by_name) < len(texts.documents):
        raise FormatError("two texts of one name; each document has one", texts.path)
    unit = reading.offsets or "token"
    documents: dict[str, _Marked] = {}
    problems: list[Problem] = []
    for row, line in rows:
        try:
            cells = {key: row.get(name, "") for key, name in columns.items() if name is not None}
            document = by_name.get(cells["document"])
            text = document.text if document and unit == "char" else None
            others = {key: cell for key, cell in row.items() if key not in columns.values()}
            _add_row(documents, others, cells, line, text)
        except ContentError as mistake:
            problems.append(Problem(line, mistake.found, mistake.advice))
    leave_out(path, problems, SPANS if is_spans else LABELS)
    if not documents:
        raise FormatError("a header without rows, so there are no documents", path)
    layers = dict.fromkeys(sorted({name for one in documents.values() for name in one.said}))
    if not is_spans and not layers:
        raise FormatError("nobody annotated a document; name the annotators of labels", path)

    def translate(row: Row, reading: Reading) -> tuple[Row, str]:
        """A document as a row of JSONL, with the unit of its offsets."""
        name, marked = row["id"], row["marked"]
        if not is_spans:
            return {"id": name, "tokens": [], "categories": {**layers, **marked.said}}, "token"
        if texts and name not in by_name:
            advice = f"{texts.path} needs a text for each document of the table"
            raise ContentError(f"a document {brief(name)} without text", advice)
        own = _content(marked, by_name.get(name), unit, reading.sizes == "spans")
        return {"id": name, **own, "layers": {**layers, **marked.said}}, unit

    made = [{"id": name, "marked": one} for name, one in documents.items()]
    source = Rows(str(path), made, [one.line for one in documents.values()])
    return read_form(source, Form(translate), reading)


# --- rows


def _table_of(path: PathLike) -> tuple[dict[str, str], list[tuple[Row, int]]]:
    """({name of a column as it is known: as it is written}, (cells by name, line) of each row).

    A row with another number of cells has the mistake under the key "".
    """
    rows: list[tuple[Row, int]] = []
    with open_text(path) as file:
        file.reconfigure(newline="")
        lines = bounded(file, path, LONGEST)
        first = next(lines, "")
        separator = max(SEPARATORS, key=first.count)
        reader = csv.reader(chain([first], lines), delimiter=separator, strict=True)
        try:
            header = next(reader, [])
            for cells in reader:
                row: Row = dict(zip(header, cells))
                if len(cells) != len(header):
                    advice = f"every line needs {len(header)}, as the first one"
                    row = {"": ContentError(f"{len(cells)} cells", advice)}
                rows += [(row, reader.line_num)] if any(cells) else []
        except csv.Error as error:
            most = f"{csv.field_size_limit():,}"
            message = (
                f"no table ({error}); close all quotes, and keep cells below {most} characters"
            )
            raise FormatError(message, path, reader.line_num) from None
    named = [name for name in header if name]
    names = {name.strip().lower().replace(" ", "_"): name for name in named}
    if len(names) < len(named):
        raise FormatError(f"the first line is {brief(header)}; names of columns differ", path, 1)
    return names, rows


def _add_row(
    documents: dict[str, _Marked], others: Row, cells: dict[str, str], line: int, text: str | None
) -> None:
    """Add what a row says to its document; what it says of who saw that, also if it is wrong.

    `others` are the cells of further columns; `text` is that of the document, if offsets count its
    characters.
    """
    if isinstance(mistake := others.get(""), ContentError):
        raise mistake
    if not (name := cells["document"]):
        raise ContentError("a row without document", "name the document in every row")
    own = documents.setdefault(name, _Marked(line, set(), {}))
    annotator = cells.get("annotator", LAYER)
    said = own.said.setdefault(annotator, []) if annotator else None
    if cells.get("size"):
        own.sizes.add(_number(cells["size"]))
    marked = [cells[key] for key in ("start", "end", "label") if key in cells]
    if not any(marked):
        return
    if not all(marked) or said is None:
        what = f"a row with {brief(annotator)} as annotator and {brief(marked)}"
        raise ContentError(what, FILLED)
    *ends, label = marked
    if not ends and label in said:
        what = f"{brief(annotator)} marked {brief(label)} twice"
        raise ContentError(what, "remove one of them")
    if not ends:
        said.append(label)
        return
    start, end = map(_number, ends)
    there, quote = (text or "")[start:end], cells.get("text")
    if quote and there != quote and len(there) == end - start:
        raise ContentError(
            f"span {label} [{start}, {end}) quotes {brief(quote[:40])}, but the text has "
            f"{brief(there[:40])}",
            "offsets count characters of the text from 0, and end lies behind the last one",
        )
    features = {key: _value(cell) for key, cell in others.items() if key and cell}
    said.append({"start": start, "end": end, "label": label, "features": features, "line": line})


def _number(cell: str) -> int:
    """A cell as a whole number."""
    found = NUMBER.fullmatch(cell.strip())
    if not found or not are_offsets(int(found[1])):
        advice = "start, end and size are whole numbers, from 0 and below 2,147,483,648"
        raise ContentError(f"a cell {brief(cell)}", advice)
    return int(found[1])


def _value(cell: str) -> Any:
    """A cell as the JSON value that it is, else as text."""
    try:
        found = parsed_json(cell, parse_constant=reject_constant)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # 1e999, half a surrogate
    except (ValueError, RecursionError):
        return cell
    return found


# --- documents


def _content(marked: _Marked, document: Document | None, unit: str, by_spans: bool) -> Row:
    """The text and tokens of a document, or its size."""
    own: Row = {}
    sizes = {*marked.sizes}
    if document is not None:
        own = {"text": document.text}
        if unit == "token":
            if not document.words and document.text:
                advice = "give tokens, or count in characters (--offsets char)"
                raise ContentError("a text without tokens", advice)
            own |= {"tokens": [*document.words], "spaces": document.spaces}
        elif document.text is None:
            raise ContentError("a document without text", "give its text, or pass --offsets token")
        sizes.add(len(own["tokens"] if unit == "token" else own["text"]))
    elif by_spans and not sizes:
        ends = [one["end"] for spans in marked.said.values() for one in spans]
        sizes = {max(ends, default=1)}
    if not sizes:
        raise ContentError("a document of unknown size", SIZES)
    if len(sizes) > 1:
        many = ", ".join(map(str, sorted(sizes)))
        raise ContentError(
            f"a document with the sizes {many}", "its rows and its text have one size"
        )
    if document is None:
        own = {"*size": sizes.pop()} | ({"tokens": []} if unit == "token" else {})
    return own


# --- mentions


def _keys_of_mentions(names: dict[str, str]) -> tuple[str | None, str | None]:
    """The columns of a mention and its label in each row; None without."""
    mention = next((name for name in MENTION if name in names), None)
    label = next((name for name in LABEL_KEYS if name in names and name != mention), None)
    return mention, label


def is_mention_table(path: PathLike) -> bool:
    """Whether a table has a mention and its label in each row, without offsets."""
    with open_text(path) as file:
        first = next(iter(bounded(file, path)), "").rstrip("\r\n")
    separator = max(SEPARATORS, key=first.count)
    names = {name.strip(' "').lower().replace(" ", "_"): name for name in first.split(separator)}
    return all(_keys_of_mentions(names)) and not {*COLUMNS["start"]} & names.keys()


def mention_rows(path: PathLike, annotator: str | None, named: bool) -> list[tuple[Row, int]]:
    """(row, line) of each document of a table, with a mention or a whole answer in each row.

    `named` is whether the column of the answers was named. Rows without a mention only name their
    document.
    """
    names, rows = _table_of(path)
    mention, label = _keys_of_mentions(names)
    items = []
    for row, line in rows:
        if isinstance(mistake := row.get(""), ContentError):
            raise FormatError(str(mistake), path, line)
        items.append(({key: row[own] for key, own in names.items() if row[own]}, line))
    if mention is None or label is None or named:
        if not named and not {*names} & {*ANSWERS}:
            raise FormatError(f"the columns are {brief([*names])}; {NO_TABLE}", path, 1)
        return items
    documents: dict[tuple[Any, ...], tuple[Row, int]] = {}
    for row, line in items:
        own = {key: one for key, one in row.items() if key in (*NAMES, *TEXTS, annotator)}
        name = next((row[key] for key in (*NAMES, *TEXTS) if key in row), None)
        if name is None:
            raise FormatError("a row without id and text; name its document", path, line)
        whole, _ = documents.setdefault((name, row.get(annotator or "")), ({"mentions": []}, line))
        whole |= {**own, **whole}
        if mention in row:
            whole["mentions"].append({"text": row[mention], "label": row.get(label)})
    return [*documents.values()]
