"""Spans as JSON, one document a line.

    {"id": "a", "tokens": ["Ada", "slept"], "spans": [{"start": 0, "end": 1, "label": "PER"}]}

`spans` is the layer "spans", `layers` maps the names of further layers to spans. Without the key,
or with null, the document was not annotated; an empty list is an annotation. A span may also be
`[start, end, label]`, or have `features`, an object; a discontinuous one has `fragments`, a list of
pieces [start, end], instead of start and end; a token may be `{"text", "start", "end", "ws"}`.
`sents` holds the first token of each sentence, `missing` the stretches [start, end] without
annotation (`missing_in`: by layer), `unplaced` rows [length, label] by layer.

`categories` maps layers to labels of the whole document; a list, or one label, is the layer
"categories", and so is spaCy's `cats`, an object of scores: the labels with at least 0.5.

Offsets in characters of `text` (`offsets=char`) are carried over to the tokens; in a file without
any tokens they stay, as do `sents` and `missing`. A span in characters that does not fit the
boundaries of the tokens is an error, or unplaced; then its features are lost.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Raw, UnsetType

from .columns import Columns, TypedRow, columns_of, wrong_tokens
from .corpus import Corpus, Document, Span
from .errors import ContentError, PathLike
from .forms import Batch, Form, typed_row
from .json_rows import Row
from .json_text import in_one_line
from .keys import Reading
from .outputs import write_atomically
from .texts import join_words


class PlainRow(TypedRow, gc=False, forbid_unknown_fields=True):
    """A row without other keys, and without labels of the document, which need a check."""

    tokens: Raw = Raw(b"null")  # type: ignore[assignment]
    categories: None = None
    cats: UnsetType = UNSET


def _translate(row: Row, reading: Reading) -> tuple[Row, str]:
    """The row as it is, and the unit of its offsets."""
    return row, reading.offsets or "token"


def _columns_of(batch: Batch) -> Columns:
    return columns_of(batch.rows, (), batch.lines, batch.reading.offsets != "char")


FORM = Form(_translate, plain=(PlainRow,), columns=_columns_of)


def text_of(row: Row) -> str | None:
    """The text of a row, or that of its tokens; None without."""
    if "text" in row or row.get("tokens") is None:
        return row.get("text")
    typed = typed_row({key: row[key] for key in ("tokens", "spaces") if key in row})
    columns = columns_of([typed], (), [0], True)
    for mistake in wrong_tokens(columns).values():
        raise ContentError(*mistake)
    spaces = columns.spaces[0] if columns.spaces else None
    return join_words(Document(columns.words[0] or (), {}, spaces=spaces))


def write_jsonl(path: PathLike, corpus: Corpus) -> None:
    """Write a corpus so that `read_jsonl` returns it (with character positions: offsets="char").

    The corpus is what `losses.reduced` leaves.
    """
    write_atomically(path, (_json_line(document, corpus) for document in corpus.documents))


def _json_line(document: Document, corpus: Corpus) -> str:
    """The line of one document; keys without a value are left out."""
    layers: Row = {
        layer: spans and [_entry(span, document.features.get(layer, {})) for span in spans]
        for layer, spans in sorted(document.layers.items())
    }
    main = {"spans": layers.pop("spans")} if "spans" in layers else {}
    row: Row = {
        "id": document.name,
        "text": document.text,
        "tokens": document.words if corpus.positions == "token" else None,
        "spaces": document.spaces,
        "sents": document.sents or None,
        "missing": document.missing or None,
        "missing_in": dict(sorted(document.missing_in.items())) or None,
        "layers": layers or None,
        "unplaced": dict(sorted(document.unplaced.items())) or None,
        "categories": dict(sorted(document.categories.items())) or None,
    }
    row = {key: found for key, found in row.items() if found is not None} | main
    return in_one_line(row | dict(document.attributes))


def _entry(span: Span, said: Mapping[Span, Mapping[str, Any]]) -> Row:
    """A span as a JSON object, with its features."""
    start, end, label, *pieces = span
    place: Row = {"fragments": pieces[0]} if pieces else {"start": start, "end": end}
    return {**place, "label": label} | ({"features": said[span]} if span in said else {})
