"""Spans as JSON, one document a line."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from ..measures.messages import quoted
from .annotators import Repeats, annotator_of, by_annotator
from .blemishes import VALUES, blemishes, check_left, leave_out_part, sound_entries
from .corpus import Corpus, Document, Span, Stretch, Unplaced
from .documents import DocumentTable, joined_tables, span_title, table_of
from .errors import (
    ContentError,
    FormatError,
    NotInBlocksError,
    PathLike,
    Problem,
    known,
    raise_first,
)
from .files import BlockReader, Excerpt, Run
from .outputs import write_atomically
from .plain_rows import plain_table, typed_rows
from .rows import (
    CATEGORIES,
    MISALIGNED,
    NO_TOKENS,
    Row,
    RowSource,
    RowSpans,
    Tokens,
    are_offsets,
    brief,
    checked_fragments,
    checked_span,
    convert_items,
    different_labels,
    gather_spans,
    json_value,
    likely_labels,
    line_documents,
    of_one_kind,
    other_values,
    parsed_rows,
    read_items,
    sound_rows,
    spans_on_tokens,
    tokens_of,
)

OFFSETS = ("token", "char")
NO_TEXT = "a document needs one of them (answers of language models: FILE#KEY names their key)"
# a row of another format as one of JSONL, and what its offsets count
# facts that only all rows of a file together tell; a function of the rows
Survey: TypeAlias = Callable[[Iterable[Row]], Any]
KEYS = (
    "id", "text", "tokens", "spaces", "sents", "missing", "missing_in", "spans", "layers",
    "unplaced", "categories", "cats",
)  # fmt: skip


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
    how = RowOptions(misaligned, annotator, duplicates)
    return read_translated(
        path, lambda row: (row, offsets), how, translate_many=lambda rows: (rows, offsets)
    )


class RowOptions(NamedTuple):
    """Options of all readers of rows of JSONL, and of rows that become such.

    `misaligned` says what becomes of spans in characters that do not fit the tokens, `annotator` is
    the key of the annotator of a row, `duplicates` what becomes of second answers of one.
    """

    misaligned: str = "error"
    annotator: str | None = None
    duplicates: str = "merge"


def read_translated(
    path: RowSource,
    translate: Callable[..., tuple[Row, str]],
    how: RowOptions,
    survey: Survey | None = None,
    translate_many: Callable[[Sequence[Any]], tuple[Sequence[Any], str]] | None = None,
    about: object = None,
) -> Corpus:
    """The corpus of a file, or JSON array, whose rows a function turns into rows of JSONL.

    Parameters
    ----------
    path : str or Path
    translate : callable
        translate(row) is (the row as `read_jsonl` expects it, the unit of its offsets: "token" or
        "char"); raises a `ContentError` for a bad one.
    how : RowOptions
    survey : callable, optional
        survey(rows) gives facts of all rows of the file. Then the function is called as
        translate(row, facts).
    translate_many : callable, optional
        translate_many(rows) does the same for rows of one kind, if there is a shorter way.
    about : object
        The result of the survey of the whole file, if it is known.
    """
    known(how.misaligned, MISALIGNED, "value of misaligned")
    annotator = how.annotator
    if annotator is not None and (type(annotator) is not str or annotator in ("", *KEYS)):
        raise ValueError(
            f"unknown annotator {quoted(annotator)}; expected the key of the annotator"
        )
    told = () if about is None else (about,)

    def convert(row: Row, line: int) -> _Made:
        return _parse_row(*translate(row, *told), line, how)

    def convert_many(batches: Iterable[Sequence[Any]], lines: Sequence[int]) -> list[_Made]:
        return [plain_table(map(translate_many or translate_each, batches), lines)]

    def translate_each(rows: Sequence[Row]) -> tuple[Sequence[Row], str]:
        made, offsets = zip(*[translate(row, *told) for row in rows])
        return made, "".join({*offsets})  # none is of two kinds

    many = None if annotator else convert_many
    if survey is None or told:
        parse = parsed_rows if translate_many is None else typed_rows
        found = read_items(path, convert, many, parse)
    else:
        items = read_items(path, lambda row, line: (row, line))
        told = (survey(row for row, _ in items),)
        found = convert_items(path, items, convert, many)
    check_left(path, len(found))
    found, positions = of_one_kind(path, found, _documents_and_tokens)
    if annotator is None:
        return Corpus(str(path), _table_of_all(found, positions), positions)
    rows = [row for row in found if not isinstance(row, DocumentTable)]
    if all(who is None for *_, who in rows):
        raise FormatError(f"no row names anybody in {quoted(annotator)}; name another key", path)
    repeats = Repeats(path, how.duplicates)
    documents = by_annotator(path, [(document, who) for document, _, who in rows], repeats)
    return Corpus(str(path), documents, positions, notes=repeats.notes)


def read_surveyed(
    path: RowSource,
    about: object = None,
    *,
    survey: Callable[..., Any],
    translate: Callable[..., tuple[Row, str]],
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
    **options: Any,
) -> Corpus:
    """The corpus of rows of another format; of an excerpt, with the survey of the file.

    `translate` and `survey` are those of `read_translated`, but take further options, too, and
    the survey the path; the others are those of `RowOptions`.
    """
    how = RowOptions(misaligned, annotator, duplicates)
    translate, survey = partial(translate, **options), partial(survey, path, **options)
    return read_translated(path, translate, how, survey, about=about)


# a document, its tokens and its annotator; or a table of many documents
_RowDocument: TypeAlias = tuple[Document, Tokens | None, str | None]
_Made: TypeAlias = _RowDocument | DocumentTable


def _table_of_all(found: Sequence[_Made], positions: str) -> DocumentTable:
    """All documents of a file as a table."""
    tables: list[DocumentTable] = []
    for _, some in groupby(found, type):
        rows = []
        for one in some:
            if isinstance(one, DocumentTable):
                tables.append(one)
            else:
                rows.append(one[0])
        if rows:
            tables.append(table_of(rows, positions))
    return joined_tables(tables)


def _documents_and_tokens(made: _Made) -> tuple[Sequence[Document], bool]:
    """(documents, whether they have tokens)."""
    if isinstance(made, DocumentTable):
        return made, made.words is not None
    return made[:1], made[1] is not None


def _parse_row(
    row: Row, offsets: str, line: int, how: RowOptions
) -> tuple[Document, Tokens | None, str | None]:
    """(document, tokens, annotator) of one row."""
    annotator = how.annotator
    tokens, text = tokens_of(row), json_value(row, "text", str)
    if tokens is None and text is None:
        raise ContentError("a row without 'tokens' and 'text'", NO_TEXT)
    if tokens is None and offsets == "token" and _has_offsets(row):
        raise ContentError("a row without 'tokens'", "add them, or pass --offsets char")
    name = row.get("id")
    if name is not None and type(name) not in (str, int):
        raise ContentError(f"'id' is {brief(name)}", "'id' must be a string")
    layers, unplaced, found = _layers_of(row, tokens, text or "", offsets, how)
    size = len(text or "" if tokens is None else tokens.words)
    document = Document(
        tokens.words if tokens else (),
        layers,
        name=name if name is None else str(name),
        sents=_sents_of(row, size),
        missing=_missing_of(row, "missing", size),
        missing_in=_missing_by_layer(row, size),
        unplaced=unplaced,
        features={name: spans.features for name, spans in found.items()},
        copies={name: spans.copies for name, spans in found.items()},
        categories=_categories_of(row),
        lines=(line,),
        text=text,
        spaces=tokens and tokens.spaces,
        attributes=other_values(row, (*KEYS, annotator)),
    )
    return document, tokens, annotator and annotator_of(row, annotator)


def _has_offsets(row: Row) -> bool:
    """Whether anything in a row counts tokens or characters."""
    layers = row.get("layers")
    said = [row.get(key) for key in ("spans", "sents", "missing", "missing_in", "unplaced")]
    return any(said) or bool(layers) and (type(layers) is not dict or any(layers.values()))


def _layers_of(
    row: Row, tokens: Tokens | None, text: str, offsets: str, how: RowOptions
) -> tuple[
    dict[str, tuple[Span, ...] | None], dict[str, tuple[Unplaced, ...]], dict[str, RowSpans]
]:
    """The layers of a row, their unplaced spans, and all that is said of their spans."""
    found: dict[str, list[Any] | None] = {}
    if "spans" in row:
        found["spans"] = json_value(row, "spans", list)
    for name, entries in json_value(row, "layers", dict, {}).items():
        if name in found:
            raise ContentError("a layer 'spans' beside the key 'spans'", "keep one of them")
        found[name] = json_value({name: entries}, name, list)
    layers: dict[str, tuple[Span, ...] | None] = {}
    unplaced, said = _unplaced_of(row), {}
    for name, entries in found.items():
        if entries is None:
            layers[name] = None
            continue
        if tokens is None:
            spans = _spans_of(entries, len(text), "characters", how)
        elif offsets == "token":
            spans = _spans_of(entries, len(tokens.words), "tokens", how)
        else:
            spans = _place_entries(entries, tokens, text, how)
        layers[name], said[name] = spans.spans, spans
        if spans.unplaced:
            unplaced[name] = (*unplaced.get(name, ()), *spans.unplaced)
    return layers, unplaced, said


def _place_entries(entries: Sequence[Any], tokens: Tokens, text: str, how: RowOptions) -> RowSpans:
    """Entries with character offsets on the tokens."""
    borders = tokens.borders
    if borders is None:
        raise ContentError(
            "tokens without a place in the text",
            "character offsets need tokens with start and end, 'spaces', or a 'text' that they "
            "make up",
        )
    size = len(text) or max((end for _, end in borders), default=0)
    return spans_on_tokens(_spans_of(entries, size, "characters", how), borders, how.misaligned)


def _spans_of(entries: Sequence[Any], size: int, what: str, how: RowOptions) -> RowSpans:
    """The spans of a list of entries, in a document of `size` tokens or characters."""

    def convert(entry: Any) -> tuple[Span, dict[str, Any]]:
        span = _span_of(entry, size, what)
        try:
            return span, json_value(entry, "features", dict, {}) if type(entry) is dict else {}
        except ContentError as mistake:
            leave_out_part(mistake, VALUES)
            return span, {}

    return gather_spans(sound_entries(entries, convert))


def _span_of(entry: Any, size: int, what: str) -> Span:
    """(start, end, label) of one entry."""
    if type(entry) is dict and entry.get("fragments") is not None:
        span = checked_fragments(entry["fragments"], entry.get("label"), size, what)
        for key, own in zip(("start", "end"), span):
            if entry.get(key, own) != own:
                raise ContentError(
                    f"span {span_title(span)} has the {key} {brief(entry[key])}",
                    "leave out start and end of a span with fragments",
                )
        return span
    if type(entry) is dict:
        entry = [entry.get("start"), entry.get("end"), entry.get("label")]
    if type(entry) is not list or len(entry) != 3:
        raise ContentError(f"a span is {brief(entry)}", "a span has a start, an end and a label")
    start, end, label = entry
    return checked_span(start, end, label, size, what)


def _categories_of(row: Row) -> dict[str, list[str] | None]:
    """The labels of the whole document by layer."""
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
    return {
        layer: None if labels is None else different_labels(labels, "'categories' has", advice)
        for layer, labels in found.items()
    }


def _sents_of(row: Row, size: int) -> list[int]:
    """First positions of the sentences."""
    sents, found = json_value(row, "sents", list, []), [-1]
    if not sents:
        return []

    def convert(start: Any) -> int:
        if not are_offsets(start) or not found[-1] < start < size:
            raise ContentError(
                f"'sents' is {brief(sents)}",
                "'sents' holds the first position of each sentence, in rising order, in the "
                "document",
            )
        found.append(start)
        return start

    return [*sound_entries(sents, convert, VALUES)]


def _missing_of(row: Row, key: str, size: int) -> list[Stretch]:
    """Stretches without annotation."""
    missing = json_value(row, key, list, [])
    for entry in missing:
        pair = type(entry) is list and len(entry) == 2 and are_offsets(*entry)
        if not pair or not entry[0] < entry[1] <= size:
            raise ContentError(
                f"'missing' has {brief(entry)}",
                "'missing' holds [start, end] inside the document",
            )
    return missing


def _missing_by_layer(row: Row, size: int) -> dict[str, list[Stretch]]:
    """Stretches without annotation in single layers."""
    found = json_value(row, "missing_in", dict, {})
    return {layer: _missing_of(found, layer, size) for layer in found}


def _unplaced_of(row: Row) -> dict[str, tuple[Unplaced, ...]]:
    """Spans that were marked but do not fit the tokens: rows (length, label) by layer."""
    found = json_value(row, "unplaced", dict, {})
    return {
        name: tuple(sound_entries(json_value(found, name, list, []), _unplaced_span))
        for name in found
    }


def _unplaced_span(entry: Any) -> Unplaced:
    """One span that does not fit the tokens."""
    good = type(entry) is list and len(entry) == 2 and are_offsets(entry[0])
    if not good or type(entry[1]) is not str or not entry[0] or not entry[1]:
        raise ContentError(f"'unplaced' has {brief(entry)}", "'unplaced' holds [length, label]")
    return entry[0], entry[1]


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
