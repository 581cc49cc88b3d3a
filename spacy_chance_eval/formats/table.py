"""Tables of spans or categories, a row for each, with the texts of documents beside them."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .blemishes import (
    DOCUMENTS,
    LABELS,
    SPANS,
    STOP,
    blemishes,
    leave_out,
    leave_out_documents,
    reading,
)
from .brat import whole_text
from .corpus import Corpus, Document, PlainSpan
from .errors import ContentError, FormatError, PathLike, Problem, known, raise_first
from .files import open_text
from .json_text import parsed_json, reject_constant
from .jsonl import OFFSETS, tokens_of
from .paths import files_below, path_of
from .rows import (
    Row,
    are_offsets,
    bounded,
    brief,
    checked_span,
    gather_spans,
    json_value,
    read_items,
)


class _Text(NamedTuple):
    """Words, text and spaces of a document; None where unknown."""

    words: Sequence[str]
    text: str | None
    spaces: Sequence[bool] | None


def _text_finder(path: PathLike | None, offsets: str) -> Callable[[str, int], _Text | None]:
    """A function of a document's name and its line that returns its `_Text`.

    Without a path it returns None. Names are only compared with those of the files in the folder,
    so none leads out of it.
    """
    if path is None:
        return lambda name, line: None
    folder = path_of(path).is_dir()
    if folder and offsets == "token":
        message = "texts without tokens; give JSONL with id and tokens, or count in characters"
        raise FormatError(f"{message} (--offsets char)", path)
    files = _files_in(path_of(path)) if folder else {}
    texts = {} if folder else _texts_by_id(path, offsets)

    def find(name: str, line: int) -> _Text:
        found = _text_of_file(files[name]) if name in files else texts.get(name)
        if found is None:
            advice = f"{path} needs a text for each document of the table"
            raise ContentError(f"a document {brief(name)} without text", advice)
        return found

    return find


def _files_in(folder: Path) -> dict[str, Path]:
    """The text files of a folder by name, without the ending."""
    return {
        file.relative_to(folder).as_posix().removesuffix(".txt"): file
        for file in files_below(folder, "*.txt")
    }


def text_files(folder: Path) -> dict[str, str]:
    """The text of each text file of a folder, by its name without the ending."""
    return {name: str(_text_of_file(file).text) for name, file in _files_in(folder).items()}


def _text_of_file(path: PathLike) -> _Text:
    """The `_Text` of a file with all its characters."""
    return _Text((), whole_text(path, encoding="utf-8", newline=""), None)


def _texts_by_id(path: PathLike, offsets: str) -> dict[str, _Text]:
    """The `_Text` of each row of a JSONL file, by its id."""
    with reading(path, STOP):  # its lines are not those of the table
        rows = read_items(path, lambda row, line: (_parse_text(row, offsets), line))
    found: dict[str, _Text] = {}
    problems: list[Problem] = []
    for (name, text), line in rows:
        if name in found:
            problems.append(Problem(line, f"a second text {brief(name)}", "each id stands once"))
        found[name] = text
    raise_first(path, problems)
    return found


def _parse_text(row: Row, offsets: str) -> tuple[str, _Text]:
    """(name, `_Text`) of one JSON object."""
    name, text, tokens = row.get("id"), json_value(row, "text", str), tokens_of(row)
    if type(name) not in (str, int):
        raise ContentError(
            f"'id' is {brief(name)}", "'id' is the name of the document in the table"
        )
    if offsets == "token" and tokens is None:
        raise ContentError("a row without 'tokens'", "add them, or pass --offsets char")
    if offsets == "char" and text is None:
        raise ContentError("a row without 'text'", "add it, or pass --offsets token")
    words, spaces = (tokens.words, tokens.spaces) if tokens else ((), None)
    return str(name), _Text(words, text, spaces)


SEPARATORS = (",", "\t", ";")
LAYER = "spans"  # of a table without annotators
OWN = ("document", "annotator", "start", "end", "label", "text", "size")
LONGEST = 10_000_000  # characters of one line
NUMBER = re.compile(r"([0-9]{1,10})(?:\.0)?")
T = TypeVar("T")
UNITS = {"token": "tokens", "char": "characters"}
COLUMNS = (
    "a table begins with a line of names: document, annotator, start, end, label, and size unless "
    "the texts are given (categories: document, annotator, label), each once"
)
SIZES = (
    "the chance model needs the length of each document: add a column size (number of its tokens "
    "or characters, in any row of the document), or give --texts, a folder of NAME.txt or JSONL; "
    "--sizes spans lets a document end with its last span, which overrates chance"
)
KNOWN_BY = ("given", "spans")


class _Line(NamedTuple):
    """The content of one line; without a label, nothing was marked in its document."""

    line: int
    annotator: str
    label: str | None
    span: PlainSpan | None
    features: dict[str, Any]
    quote: str
    size: int | None


def read_table(
    path: PathLike, *, offsets: str = "token", texts: PathLike | None = None, sizes: str = "given"
) -> Corpus:
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

    Parameters
    ----------
    offsets : "token" or "char"
        Unit of the half-open offsets, which count from 0.
    texts : str or Path, optional
        A folder with a file NAME.txt for each document (every character counts, both of a line end
        \\r\\n), or JSONL with `id` and `text`, for offsets in tokens `tokens`. Without it, a column
        `size` has to tell the number of positions of each document.
    sizes : "given" or "spans"
        How to treat a document of unknown size: an error, or it ends with its last span (one
        without spans has one position). Chance is then overrated: less room is left to miss.
    """
    known(offsets, OFFSETS, "offsets")
    known(sizes, KNOWN_BY, "value of sizes")
    problems: list[Problem] = []
    unknown: list[Problem] = []
    made: list[Document | None]
    header, documents = _gather_rows(path, problems)
    unit = SPANS if "start" in header else LABELS
    leave_out(path, problems, unit)
    problems.clear()
    annotators = {row.annotator for rows in documents.values() for row in rows} - {""}
    layers = dict.fromkeys(sorted(annotators))
    if "start" not in header:
        if not layers:
            raise FormatError("nobody annotated a document; name the annotators of labels", path)
        made = [_document_of_categories(*entry, layers, problems) for entry in documents.items()]
    else:
        find = _text_finder(texts, offsets)
        if sizes == "spans" and texts is None:
            documents = {name: _with_sizes(rows) for name, rows in documents.items()}
        made = [
            _document_of(*entry, layers, offsets, find, problems, unknown)
            for entry in documents.items()
        ]
    if not blemishes():
        raise_first(path, problems + unknown)
    leave_out(path, problems, unit)
    leave_out(path, unknown, DOCUMENTS)
    leave_out_documents([place for place, one in enumerate(made) if one is None])
    found = [one for one in made if one is not None]
    return Corpus(str(path), found, positions=offsets if "start" in header else "token")


def _gather_rows(
    path: PathLike, problems: list[Problem]
) -> tuple[list[str], dict[str, list[_Line]]]:
    """(header, rows by name of the document) of a file; adds to the problems."""
    documents: dict[str, list[_Line]] = {}
    with open_text(path) as file:
        file.reconfigure(newline="")
        lines = bounded(file, path, LONGEST)
        first = next(lines, "")
        reader = csv.reader(chain([first], lines), delimiter=_separator_of(first), strict=True)
        try:
            header = _checked_header(next(reader, []), path)
            for cells in reader:
                n_before = len(problems)
                _attempt(problems, reader.line_num, _add_row, documents, header, cells)
                if len(problems) > n_before and blemishes() and len(cells) == len(header):
                    seen = list(map(_seen_cell, header, cells))
                    _attempt([], reader.line_num, _add_row, documents, header, seen)
        except csv.Error as error:
            most = f"{csv.field_size_limit():,}"
            message = (
                f"no table ({error}); close all quotes, and keep cells below {most} characters"
            )
            raise FormatError(message, path, reader.line_num) from None
    if not documents and not problems:
        raise FormatError("a header without rows, so there are no documents", path)
    return header, documents


def _separator_of(line: str) -> str:
    """The separator of columns with which a header has the names it needs."""
    for separator in SEPARATORS:
        try:
            names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
        except csv.Error:
            continue
        if "document" in names and "label" in names:
            return separator
    return SEPARATORS[0]


def _checked_header(cells: Sequence[str], path: PathLike) -> list[str]:
    """Names of the columns, blanks around our own removed."""
    names = [name.strip() if name.strip() in OWN else name for name in cells]
    named = [name for name in names if name]
    twice = len(set(named)) < len(named)
    if twice or not {"document", "label"} <= set(names) or ("start" in names) != ("end" in names):
        raise FormatError(f"the first line is {brief(cells)}; {COLUMNS}", path, 1)
    return names


def _attempt(
    problems: list[Problem], line: int, function: Callable[..., T], *arguments: object
) -> T | None:
    """The result of a function; None if it raises a mistake, which is added to the problems."""
    try:
        return function(*arguments, line)
    except ContentError as mistake:
        problems.append(Problem(line, mistake.found, mistake.advice))
        return None


def _add_row(
    documents: dict[str, list[_Line]], header: Sequence[str], cells: Sequence[str], line: int
) -> None:
    """Add the content of a line to the rows of its document."""
    if not cells:
        return
    if len(cells) != len(header):
        raise ContentError(
            f"{len(cells)} cells", f"every line needs {len(header)}, as the first one"
        )
    row = dict(zip(header, cells))
    name, annotator = row["document"], row.get("annotator", LAYER)
    if not name:
        raise ContentError("a row without document", "name the document in every row")
    marked = [row[key] for key in ("start", "end", "label") if key in row]
    if any(marked) and not (all(marked) and annotator):
        raise ContentError(
            f"a row with {brief(annotator)} as annotator and {brief(marked)}",
            "fill annotator, start, end and label; a document that was seen and has no span has "
            "its annotator alone, one that nobody saw none of them",
        )
    label, span = None, None
    if any(marked):
        *ends, label = marked
        span = (_parse_number(ends[0]), _parse_number(ends[1]), label) if ends else None
    said = {key: cell for key, cell in row.items() if key and key not in OWN and cell}
    features = {key: _parse_cell(cell) for key, cell in said.items()}
    size = _parse_number(row["size"]) if row.get("size") else None
    entry = _Line(line, annotator, label, span, features, row.get("text", ""), size)
    documents.setdefault(name, []).append(entry)


def _seen_cell(name: str, cell: str) -> str:
    """The cell of a column, if it says who has seen a document, and how large that is."""
    is_size = name == "size" and NUMBER.fullmatch(cell.strip())
    return cell if is_size or name in ("document", "annotator") else ""


def _parse_number(cell: str) -> int:
    """A cell as a whole number; spreadsheets may write 3.0 for 3."""
    found = NUMBER.fullmatch(cell.strip())
    if not found or not are_offsets(int(found[1])):
        advice = "start, end and size are whole numbers, from 0 and below 2,147,483,648"
        raise ContentError(f"a cell {brief(cell)}", advice)
    return int(found[1])


def _parse_cell(cell: str) -> Any:
    """A cell as the JSON value that it is, else as text."""
    try:
        found = parsed_json(cell, parse_constant=reject_constant)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # 1e999, half a surrogate
    except (ValueError, RecursionError):
        return cell
    return found


def _document_of_categories(
    name: str, rows: Sequence[_Line], layers: Mapping[str, None], problems: list[Problem]
) -> Document:
    """A document with its labels by annotator."""
    found: dict[str, dict[str, Any] | None] = dict(layers)
    for row in rows:
        _attempt(problems, row.line, _add_label, found, row)
    categories = {layer: None if marks is None else tuple(marks) for layer, marks in found.items()}
    return Document((), {}, name=name, categories=categories, lines=(rows[0].line,))


def _add_label(found: dict[str, Any], row: _Line, line: int) -> None:
    """Add the label of a document that a row gives to its layer."""
    if not row.annotator:
        return
    layer = found[row.annotator] = found[row.annotator] or {}
    if row.label is None:
        return
    if row.label in layer:
        raise ContentError(
            f"{brief(row.annotator)} marked {brief(row.label)} twice", "remove one of them"
        )
    layer[row.label] = row.features


def _document_of(
    name: str,
    rows: Sequence[_Line],
    layers: Mapping[str, None],
    offsets: str,
    find: Callable[[str, int], _Text | None],
    problems: list[Problem],
    unknown: list[Problem],
) -> Document | None:
    """A document with its spans by annotator; None, and a problem of the unknown ones, for one
    whose size is not known."""
    first, n_before = rows[0].line, len(unknown)
    given = _attempt(unknown, first, find, name)
    text = given or _Text((), None, None)
    own_size = len(text.words if offsets == "token" else text.text or "") if given else None
    size = _attempt(unknown, first, _size_of, rows, own_size)
    if size is None or len(unknown) > n_before:
        return None
    marks: dict[str, list[tuple[PlainSpan, dict[str, Any]]]] = {}
    for row in rows:
        span = _attempt(problems, row.line, _checked_span, row, size, offsets, text.text)
        if row.annotator:
            mine = marks.setdefault(row.annotator, [])
            if span is not None:
                mine.append((span, row.features))
    found = {layer: gather_spans(entries) for layer, entries in marks.items()}
    return Document(
        text.words if offsets == "token" else (),
        {**layers, **{layer: spans.spans for layer, spans in found.items()}},
        name=name,
        text=text.text,
        spaces=text.spaces if offsets == "token" else None,
        features={layer: spans.features for layer, spans in found.items()},
        copies={layer: spans.copies for layer, spans in found.items()},
        lines=(first,),
        size=size if own_size is None else None,
    )


def _with_sizes(rows: list[_Line]) -> list[_Line]:
    """The rows of a document, with the end of its last span as the size if none is given."""
    if any(row.size is not None for row in rows):
        return rows
    size = max((row.span[1] for row in rows if row.span), default=1)
    return [row._replace(size=size) for row in rows]


def _size_of(rows: Iterable[_Line], own_size: int | None, line: int) -> int:
    """Number of positions of a document."""
    sizes = {size for size in (own_size, *(row.size for row in rows)) if size is not None}
    if not sizes:
        raise ContentError("a document of unknown size", SIZES)
    if len(sizes) > 1:
        many = ", ".join(map(str, sorted(sizes)))
        raise ContentError(
            f"a document with the sizes {many}", "its rows and its text have one size"
        )
    return sizes.pop()


def _checked_span(
    row: _Line, size: int, offsets: str, text: str | None, line: int
) -> PlainSpan | None:
    """The span of a row; raises for one outside its document, or with a text that is not there."""
    if row.span is None:
        return None
    start, end, label = checked_span(*row.span, size, UNITS[offsets])
    if row.quote and offsets == "char" and text is not None and text[start:end] != row.quote:
        raise ContentError(
            f"span {label} [{start}, {end}) quotes {brief(row.quote[:40])}, but the text has "
            f"{brief(text[start:end][:40])}",
            "offsets count characters of the text from 0, and end lies behind the last one",
        )
    return start, end, label
