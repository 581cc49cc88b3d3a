"""Tables of spans or categories, a row for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .corpus import Corpus
from .csv_rows import known_name, table_rows
from .errors import ContentError, FormatError, PathLike
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .rows import brief

LAYER = "spans"  # of a table without annotators
NUMBER = re.compile(r"([0-9]{1,10})(?:\.0)?")  # spreadsheets may write 3.0 for 3
LABEL_KEYS = (
    *("label", "type", "entity_type", "category", "class", "entity_group", "tag"),
    *("extraction_class", "ner_tag", "entity"),
)
# names of columns: the first one that a table has counts
NAMES = ("custom_id", "id", "doc_id", "document_id", "docid", "document", "doc", "sample_id")
MENTION = ("mention", "entity", "entity_text", "span", "word")
COLUMNS = {
    "document": ("document", *NAMES, "file", "filename", "file_name", "article_id"),
    "annotator": ("annotator", "annotator_id"),
    "start": ("start", "begin", "start_char", "start_offset", "span_start"),
    "end": ("end", "stop", "end_char", "end_offset", "span_end"),
    "label": LABEL_KEYS,
    "text": ("text", *MENTION),
    "size": ("size",),
}
NEEDED = (
    "a table begins with a line of different names: document, annotator, start, end, label, size; "
    "categories: document, annotator, label; rows of tokens and tags have lists as JSON; rows of "
    "one token each are read as columns without commas, with an empty line between sentences; "
    "answers of language models: --format mentions"
)
SIZES = "the chance model needs the length of each document: a column size (tokens or characters)"
FILLED = "fill annotator, start, end and label; of a document without spans the annotator alone"


def read_table(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a table with a layer for each annotator.

        document,annotator,start,end,label,size
        a,Ada,0,2,PER,17
        a,Rex,,,,17

    Without `annotator`, all rows are of the layer "spans". A row without start, end and label says
    that the annotator saw the document, a row without annotator only names it. `text` quotes the
    span, and is passed over. Cells of other columns are features of the span, as texts. A table
    without start and end has categories.
    """
    items = table_rows(path)
    names = {known_name(name): name for name in items[0][0] if name} if items else {}
    columns = {
        key: next((names[name] for name in known if name in names), None)
        for key, known in COLUMNS.items()
    }
    if columns["text"] == columns["label"]:  # a column "entity" has the one or the other
        columns["text"] = None
    if not items:
        raise FormatError("a header without rows, so there are no documents", path)
    is_spans = columns["start"] is not None
    wrong = not columns["document"] or not columns["label"] or is_spans != bool(columns["end"])
    if wrong or not is_spans and names.keys() & {*MENTION}:
        raise FormatError(f"the first line is {brief([*names.values()])}; {NEEDED}", path, 1)
    documents: dict[str, list[tuple[Row, int]]] = {}
    for row, line in items:
        cells: Row = {key: row.pop(name) for key, name in columns.items() if name}
        if not cells["document"]:
            raise FormatError("a row without document; name the document in every row", path, line)
        features = {key: cell for key, cell in row.items() if key and cell}
        cells = {"annotator": LAYER, **cells, "features": features}
        documents.setdefault(cells["document"], []).append((cells, line))
    annotators = {cells["annotator"] for some in documents.values() for cells, _ in some} - {""}
    by_token = reading.offsets != "char"

    def translate(document: Any, reading: Reading) -> tuple[Row, str]:
        """A document as a row of JSONL, with the unit of its offsets."""
        name, rows = document
        layers: Row = dict.fromkeys(sorted(annotators))
        sizes = set[int]()
        for cells, line in rows:
            try:
                _add(layers, cells, line)
                sizes |= {_number(cells["size"])} if cells.get("size") else set()
            except ContentError as mistake:
                mistake.line = line
                raise
        if not is_spans:
            return {"id": name, "tokens": [], "categories": layers}, "token"
        if len(sizes) != 1:
            many = ", ".join(map(str, sorted(sizes))) or "unknown"
            raise ContentError(f"a document of size {many}", SIZES)
        own: Row = {"id": name, "layers": layers, "*size": sizes.pop()}
        return own | ({"tokens": []} if by_token else {}), "token" if by_token else "char"

    lines = [some[0][1] for some in documents.values()]
    return read_form(Rows(str(path), documents.items(), lines), Form(translate), reading)


def _add(layers: Row, cells: Mapping[str, Any], line: int) -> None:
    """Add what a row says to the layer of its annotator, which has none if nobody saw it."""
    annotator = cells["annotator"]
    marked = [cells[key] for key in ("start", "end", "label") if key in cells]
    if annotator:
        layers[annotator] = layers[annotator] or []
    if any(marked) and not (all(marked) and annotator):
        raise ContentError(f"{brief(annotator)} as annotator and {brief(marked)}", FILLED)
    if marked[-1] and len(marked) == 1:
        layers[annotator].append(marked[0])
    elif marked[-1]:
        start, end, label = _number(marked[0]), _number(marked[1]), marked[2]
        span = {"start": start, "end": end, "label": label, "features": cells["features"]}
        layers[annotator].append({**span, "line": line})


def _number(cell: str) -> int:
    """A cell as a whole number."""
    if not (found := NUMBER.fullmatch(cell.strip())):
        raise ContentError(f"a cell {brief(cell)}", "start, end and size are whole numbers from 0")
    return int(found[1])
