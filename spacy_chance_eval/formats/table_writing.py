"""Writing tables of spans, or of categories of documents."""

import csv
import io
import json

from .corpus import title
from .errors import FormatError
from .files import write_atomically
from .remote import path_of
from .table import LONGEST, OWN, cell_value

NAMES = ("document", "annotator", "start", "end", "label", "size")
CATEGORY_NAMES = ("document", "annotator", "label")


def write_table(path, corpus):
    """Write all layers as annotators: rows by document, then by annotator, then by span.

    Columns are parted by tabs if the name ends in `.tsv`, else by commas. A feature has a column:
    text as it is; other values, and text that could be read as one, as JSON. `read_table` returns
    them, with the same `offsets`. A corpus of categories alone gives a table of these.

    Lost: words and texts (the sizes stay; with `texts` the reader takes them from elsewhere),
    sentences, attributes; a layer that nobody annotated. Documents without a name get their number.

    Raises
    ------
    FormatError
        For what a table cannot hold: spans beside categories, two documents of one name, unplaced
        spans, missing positions, features without JSON value or called as a column of the format,
        very long cells.
    """
    if corpus.layer_names and corpus.category_layers:
        raise FormatError("a table holds spans or categories, not both; write two files", path)
    names = CATEGORY_NAMES if corpus.category_layers else NAMES
    features = [] if corpus.category_layers else feature_names(corpus, path)
    rows, seen = [(*names, *features)], set()
    for place, document in enumerate(corpus.documents, 1):
        name = str(place) if document.name is None else document.name
        if name in seen:
            raise FormatError(f"two documents are called {name!r}; rename one", path)
        seen.add(name)
        try:
            made = category_rows if corpus.category_layers else span_rows
            rows += made(name, document, corpus, features)
        except ValueError as error:
            raise FormatError(f"{title(document, place)}: {error}", path) from error
    separator = "\t" if ".tsv" in path_of(path).suffixes else ","
    write_atomically(path, (line_of(row, separator, path) for row in rows))


def feature_names(corpus, path):
    """Names of all features, sorted."""
    said = (spans for document in corpus.documents for spans in document.features.values())
    names = {name for spans in said for features in spans.values() for name in features}
    for name in names:
        if type(name) is not str or not name or name.strip() in OWN:
            raise FormatError(
                f"a column cannot be called {name!r}, as a feature is; rename it", path
            )
    return sorted(names)


def category_rows(name, document, corpus, features):
    """Rows of the labels of a document."""
    layers = {layer: found for layer, found in document.categories.items() if found is not None}
    rows = [
        (*filled(name, layer), label)
        for layer in sorted(layers)
        for label in ([filled(label)[0] for label in layers[layer]] or [""])
    ]
    return rows or [(*filled(name), "", "")]


def span_rows(name, document, corpus, features):
    """Rows of the spans of a document."""
    if document.missing or document.missing_in or document.unplaced:
        raise ValueError("a table has no place for unplaced spans and missing positions; use JSONL")
    if document.text is None and corpus.positions == "char" and document.size is None:
        raise ValueError("neither a text nor a size")
    size, rows = corpus.size(document), []
    rest = [""] * len(features)
    for layer, spans in sorted(document.layers.items()):
        if spans is None:
            continue
        said = document.features.get(layer, {})
        for start, end, label in spans:
            found = said.get((start, end, label), {})
            cells = [value_cell(key, found[key]) if key in found else "" for key in features]
            rows.append((*filled(name, layer), start, end, *filled(label), size, *cells))
        if not spans:
            rows.append((*filled(name, layer), "", "", "", size, *rest))
    return rows or [(*filled(name), "", "", "", "", size, *rest)]


def filled(*names):
    """The names, if each has a character."""
    if "" in names:
        raise ValueError("an empty name of a document, annotator or label; an empty cell is none")
    return names


def value_cell(name, value):
    """The cell from which a reader makes the value of a feature."""
    if type(value) is str and value and cell_value(value) == value:
        return value
    try:
        cell = json.dumps(value, ensure_ascii=False, allow_nan=False)
        same = json.loads(cell) == value
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise ValueError(f"feature {name!r} is {value!r:.60}; a table holds text and JSON values")
    return cell


def line_of(row, separator, path):
    """A row as a line, without its end."""
    most = csv.field_size_limit()
    if any(len(cell) > most or "\0" in cell for cell in row if type(cell) is str):
        raise FormatError(f"a cell with a NUL, or of more than {most:,} characters", path)
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator="\r\n").writerow(row)  # quotes both
    line = file.getvalue()[:-2]
    if len(line) > LONGEST:
        raise FormatError(f"a row of more than {LONGEST:,} characters", path)
    return line
