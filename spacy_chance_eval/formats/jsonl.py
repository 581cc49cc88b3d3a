"""Spans as JSON, one document a line."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.json import Decoder

from .blemishes import SPANS, VALUES, blemishes
from .columns import Columns, Entries, wrong_tokens
from .corpus import Corpus, Document, Span
from .errors import ContentError, NotInBlocksError, PathLike, Problem, known, raise_first
from .files import BlockReader, Excerpt, Run
from .outputs import write_atomically
from .rows import (
    CATEGORIES,
    NO_TOKENS,
    Row,
    RowSource,
    brief,
    different_labels,
    json_value,
    likely_labels,
    line_documents,
    other_values,
    sound_rows,
)
from .typed_rows import (
    Form,
    Length,
    Name,
    Offset,
    Part,
    Stretch,
    Token,
    checked_annotator,
    read_form,
    typed_row,
    words_of,
)

OFFSETS = ("token", "char")
NO_TEXT = "a document needs one of them (answers of language models: FILE#KEY names their key)"
GAP = "'missing' holds [start, end] inside the document"


class RowSpan(Struct, gc=False):
    """A span. One with fragments is discontinuous."""

    label: Name
    start: Offset | None = None
    end: Offset | None = None
    features: Any = None
    fragments: Any = None
    line: int | None = None  # of forms that readers translate


SpanEntry: TypeAlias = tuple[Offset, Offset, Name] | RowSpan
SpanList: TypeAlias = list[SpanEntry] | None


class TypedRow(Struct, gc=False):
    """A row of JSONL."""

    id: str | int | None = None
    text: str | None = None
    tokens: list[Name | Token] | None = None
    spaces: list[bool] | None = None
    sents: list[Offset] | None = None
    missing: list[Stretch] | None = None
    missing_in: dict[str, list[Stretch] | None] | None = None
    spans: SpanList | UnsetType = UNSET
    layers: dict[str, SpanList] | None = None
    unplaced: dict[str, list[tuple[Length, Name]] | None] | None = None
    categories: dict[str, list[str] | None] | None = None
    cats: None = None  # by then they are categories


class PlainRow(TypedRow, gc=False, forbid_unknown_fields=True):
    """A row without other keys, and without labels of the document, which need a check."""

    categories: None = None
    cats: UnsetType = UNSET  # type: ignore[assignment]


KEYS = TypedRow.__struct_fields__
A_SPAN = "a span has a start and an end, whole numbers from 0, and a label that is not empty"
PARTS = {
    "spans": Part(SPANS, "a span", SpanEntry, A_SPAN),
    "layers": Part(SPANS, "a span", SpanEntry, A_SPAN),
    "unplaced": Part(SPANS, "'unplaced'", tuple[Length, Name], "'unplaced' holds [length, label]"),
    "sents": Part(VALUES, "'sents'", Offset, "'sents' holds first positions of sentences"),
}


def read_jsonl(
    path: RowSource,
    *,
    offsets: str = "token",
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
) -> Corpus:
    """The corpus of a file with one JSON object a line.

        {"id": "a", "tokens": ["Ada", "slept"], "spans": [{"start": 0, "end": 1, "label": "PER"}]}

    `spans` is the layer "spans", `layers` maps the names of further layers to spans, for example
    one for each annotator. Without the key, or with null, the document was not annotated; an empty
    list is an annotation. A span may also be `[start, end, label]`, or have `features`, an object;
    a discontinuous one has `fragments`, a list of pieces [start, end], instead of start and end; a
    token may be `{"text", "start", "end", "ws"}`. `sents` holds the first token of each sentence,
    `missing` the stretches [start, end] without annotation (`missing_in`: by layer), `unplaced`
    rows [length, label] by layer.

    `categories` maps layers to labels of the whole document; a list, or one label, is the layer
    "categories", and so is spaCy's `cats`, an object of scores: the labels with at least 0.5. Other
    keys become attributes.

    Parameters
    ----------
    path : str or Path
    offsets : "token" or "char"
        Unit of the half-open offsets of spans. Those in characters of `text` are carried over to
        the tokens; in a file without any tokens they stay, as do `sents` and `missing`.
    misaligned : "error" or "unplaced"
        How to treat a span in characters that does not fit the borders of the tokens; if it is
        unplaced, its features are lost.
    annotator : str, optional
        Key of the annotator of a row, for example "annotator". Each annotator then is a layer, and
        rows with the same id, or without an id the same tokens or text, are one document.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document: equal ones are one, or the
        last one counts.
    """
    known(offsets, OFFSETS, "offsets")
    form = _form_of(lambda row: (row, offsets), annotator)
    form = form._replace(only_with=LABELS_OF, unit=offsets, plain=Decoder(PlainRow))
    return read_form(path, form, misaligned=misaligned, annotator=annotator, duplicates=duplicates)


LABELS_OF = frozenset({"categories", "cats"})  # keys of rows for `with_categories`


def read_translated(
    path: RowSource,
    about: object = None,
    *,
    translate: Callable[..., tuple[Row, str]],
    survey: Callable[..., Any] | None = None,
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
    **options: Any,
) -> Corpus:
    """The corpus of a file, or JSON array, whose rows a function turns into rows of JSONL.

    Parameters
    ----------
    path : str or Path
    about : object
        The result of the survey of the whole file, if it is known.
    translate : callable
        translate(row, **options) is (the row as `read_jsonl` expects it, the unit of its offsets:
        "token" or "char"); raises a `ContentError` for a bad one.
    survey : callable, optional
        survey(path, rows, **options) gives facts of all rows of the file. Then the function is
        called as translate(row, facts, **options).
    """
    translate = partial(translate, **options)

    def form(*told: object) -> Form:
        return _form_of(lambda row: translate(row, *told), annotator)

    how: Form | Callable[[Iterable[Row]], Form] = form(*() if survey is None else (about,))
    if survey is not None and about is None:
        tell = partial(survey, path, **options)
        how = lambda rows: form(tell(rows))  # noqa: E731
    return read_form(path, how, misaligned=misaligned, annotator=annotator, duplicates=duplicates)


def _form_of(translate: Callable[[Row], tuple[Row, str]], annotator: str | None) -> Form:
    """The form of rows that a function makes rows of JSONL, and the units of their offsets."""
    checked_annotator(annotator, KEYS)

    def translated(row: Row) -> tuple[Row, str]:
        row, unit = translate(row)
        return with_categories(row), unit

    return Form(TypedRow, PARTS, partial(columns_of, others=(annotator,)), translated)


def columns_of(
    rows: Sequence[TypedRow],
    objects: Sequence[Row],
    lines: Sequence[int],
    unit: str,
    others: Collection[str | None] = (),
) -> Columns:
    """Rows in columns; keys other than their own and `others` are attributes."""
    value = dict(zip(KEYS, zip(*map(ROW_VALUES, rows))))
    tokens, text = value["tokens"], value["text"]
    layers: dict[str, tuple[list[int], list[Any]]] = {}
    own = [n for n, spans in enumerate(value["spans"]) if spans is not UNSET]
    if own:
        layers["spans"] = own, [value["spans"][n] for n in own]
    wrong = {}
    for n, said in enumerate(value["layers"]) if any(value["layers"]) else ():
        for name, entries in (said or {}).items():
            if name == "spans" and value["spans"][n] is not UNSET:
                wrong[n] = "a layer 'spans' beside the key 'spans'", "keep one of them"
                continue
            docs, found = layers.setdefault(name, ([], []))
            docs.append(n)
            found.append(entries)
    if None in tokens and None in text:
        neither = [n for n, pair in enumerate(zip(tokens, text)) if pair == (None, None)]
        wrong |= dict.fromkeys(neither, ("a row without 'tokens' and 'text'", NO_TEXT))
    for n, row in enumerate(rows) if any(value["missing"] + value["missing_in"]) else ():
        size = len(text[n] or "" if tokens[n] is None else tokens[n])
        gaps = [row.missing or (), *filter(None, (row.missing_in or {}).values())]
        for start, end in chain.from_iterable(gaps):
            if not start < end <= size:
                wrong[n] = f"'missing' has {brief([start, end])}", GAP
    columns = Columns(lines, layers, _entries_of, unit == "token", wrong=wrong)
    columns.text = text if text.count(None) < len(rows) else ()
    if value["id"].count(None) < len(rows):
        columns.name = [one if one is None else str(one) for one in value["id"]]
    columns.words, columns.tokens, columns.spaces = words_of(tokens, value["spaces"])
    known = {*KEYS, *others}
    if not set[str]().union(*objects) <= known:
        columns.attributes = [other_values(row, known) for row in objects]
    empty: dict[str, Any] = {
        "sents": (),
        "missing": (),
        "missing_in": {},
        "unplaced": {},
        "categories": {},
    }
    for name, default in empty.items():
        if any(value[name]):
            setattr(columns, name, [one or default for one in value[name]])
    return columns


ROW_VALUES = attrgetter(*KEYS)


def _entries_of(entries: Sequence[Any]) -> Entries:
    """The columns of spans."""
    kinds = {*map(type, entries)}
    if kinds == {tuple}:
        return Entries(*zip(*entries))
    if tuple in kinds:
        entries = [RowSpan(one[2], *one[:2]) if type(one) is tuple else one for one in entries]
    starts: Sequence[Any]
    ends: Sequence[Any]
    starts, ends, labels, features, pieces, lines = zip(*map(SPAN_VALUES, entries))
    if None in starts or None in ends:
        starts, ends = ([-1 if one is None else one for one in side] for side in (starts, ends))
    return Entries(
        starts,
        ends,
        labels,
        any(features) and features or None,
        None if pieces.count(None) == len(pieces) else pieces,
        line=lines,
    )


SPAN_VALUES = attrgetter("start", "end", "label", "features", "fragments", "line")


def tokens_of(row: Row) -> Document | None:
    """The tokens of a row, with their spaces; None without the key."""
    if row.get("tokens") is None:
        return None
    row = {key: row[key] for key in ("text", "tokens", "spaces") if key in row}
    typed, _ = typed_row(row, Form(TypedRow, {}, columns_of))
    columns = columns_of([typed], [row], [0], "token")
    for mistake in wrong_tokens(columns).values():
        raise ContentError(*mistake)
    spaces = columns.spaces[0] if columns.spaces else None
    return Document(columns.words[0] or (), {}, text=typed.text, spaces=spaces)


def with_categories(row: Row) -> Row:
    """The row with the labels of the whole document by layer."""
    if "categories" not in row and "cats" not in row:
        return row
    plain = row.get("categories")
    if type(plain) is str:
        plain = [plain]
    given = {CATEGORIES: plain} if type(plain) is list else json_value(row, "categories", dict, {})
    found = dict(given)
    if "cats" in row:
        if CATEGORIES in found:
            raise ContentError("'cats' beside the layer 'categories'", "keep one of them")
        scores = json_value(row, "cats", dict)
        found[CATEGORIES] = scores if scores is None else likely_labels(scores)
    advice = "'categories' maps layers to lists of different labels, or null"
    labels = {
        layer: None if labels is None else different_labels(labels, "'categories' has", advice)
        for layer, labels in found.items()
    }
    return {**row, "categories": labels, "cats": None}


def blocks_of_jsonl() -> BlockReader:
    """How JSONL is read in blocks of documents."""
    return blocks_of_rows(read_jsonl)


def blocks_of_rows(
    read: Callable[..., Corpus],
    words: Sequence[str] = ("tokens",),
    survey: Callable[..., Any] | None = None,
) -> BlockReader:
    """How a format with one object a line is read in blocks of documents.

    Parameters
    ----------
    read : callable
        read(excerpt, **options) is the `Corpus` of some rows.
    words : sequence of str
        The keys of tokens.
    survey : callable, optional
        survey(path, rows, **options) gives facts of all rows of a file. Then the reader is
        called as read(excerpt, about=facts, **options).
    """

    def open_rows(
        path: PathLike, options: Mapping[str, Any]
    ) -> tuple[tuple[str, int, dict[str, Any]], Iterator[Run]]:
        """((positions of the first row, its line, more options), the documents of the file)."""
        row, line = next(sound_rows(path), ({}, 1))
        by_char = all(row.get(key) is None for key in words)
        more = {}
        if survey is not None:
            more["about"] = survey(path, (row for row, _ in sound_rows(path)), **options)
        return ("char" if by_char else "token", line, more), line_documents(path)

    def read_some(
        excerpt: Excerpt,
        whole: tuple[str, int, Mapping[str, Any]],
        options: Mapping[str, Any],
        state: None,
    ) -> Corpus:
        """The corpus of some rows, which have tokens if the first of the file has them."""
        positions, first, more = whole
        corpus = read(excerpt, **options, **more)
        if corpus.positions != positions:
            by_char = positions == "char"
            lines = [first] if by_char else [doc.line(0) or 0 for doc in corpus.documents]
            if blemishes():
                raise NotInBlocksError("rows with tokens among rows without tokens", excerpt)
            what = "a row without tokens among rows with tokens"
            raise_first(excerpt, [Problem(line, what, NO_TOKENS) for line in lines])
        return corpus

    return BlockReader(open_rows, "".join, read_some, again=lambda path, _: line_documents(path))


def write_jsonl(path: PathLike, corpus: Corpus) -> None:
    """Write a corpus so that `read_jsonl` returns it (with character positions: offsets="char").

    The corpus is what `losses.reduced` leaves.
    """
    write_atomically(path, (_json_line(document, corpus) for document in corpus.documents))


def _json_line(document: Document, corpus: Corpus) -> str:
    """The line of one document; keys without a value are left out."""
    layers = {
        layer: _span_entries(spans, document.features.get(layer, {}))
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
        "missing_in": _by_layer(document.missing_in),
        "layers": layers or None,
        "unplaced": _by_layer(document.unplaced),
        "categories": _by_layer(document.categories),
    }
    row = {key: found for key, found in row.items() if found is not None} | main
    return json.dumps(row | dict(document.attributes), ensure_ascii=False)


def _by_layer(rows: Mapping[str, Any]) -> dict[str, Any] | None:
    """Rows in the order of their layers; None without any."""
    return {layer: rows[layer] for layer in sorted(rows)} or None


def _span_entries(
    spans: Iterable[Span] | None, said: Mapping[Span, Mapping[str, Any]]
) -> list[Row] | None:
    """Spans as JSON objects; null for a document that was not annotated."""
    if spans is None:
        return None
    return [
        (
            {"start": span[0], "end": span[1], "label": span[2]}
            if len(span) == 3
            else {"fragments": span[3], "label": span[2]}
        )
        | ({"features": said[span]} if span in said else {})
        for span in spans
    ]
