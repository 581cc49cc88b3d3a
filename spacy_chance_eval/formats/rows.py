"""Shared parts of span formats with one JSON object a line. A bad row is a `ContentError`."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple, NoReturn, TextIO, TypeAlias, TypeVar, overload

from msgspec import DecodeError
from msgspec.json import Decoder

from ..measures.fragments import TWO_PIECES, joined_pieces
from ..measures.messages import quoted, shortened
from ..measures.spans import Copy
from .blemishes import (
    DOCUMENTS,
    LABELS,
    SPANS,
    attempts,
    check_left,
    leave_out,
    leave_out_documents,
    leave_out_part,
    sound_entries,
)
from .corpus import Document, PlainSpan, Span, Stretch, Unplaced
from .documents import pieces_of, span_title
from .errors import ContentError, FormatError, PathLike, Problem, known
from .files import Excerpt, Run, open_text, suffix_of
from .json_text import json_reason, reject_constant

CATEGORIES = "categories"  # the layer of labels of documents, of rows that name no other
MISALIGNED = ("error", "unplaced")
LONGEST = 100_000_000  # characters of a line
AT_ONCE = 1000  # rows that are converted together
MANY = 1 << 20  # characters that are looked at together where lines begin and end
PEEK = 1 << 16  # characters that tell an array from lines
PARQUET = (".parquet", ".pq")
T = TypeVar("T")
S = TypeVar("S")
Row: TypeAlias = dict[str, Any]  # a JSON object
NO_TOKENS = "every row needs tokens, or none: positions are tokens or characters in a whole file"


class Rows(NamedTuple):
    """JSON objects from elsewhere, read as if they were the lines of a file of that name.

    `lines` are the lines of the file that they come from, if they are not lines themselves.
    """

    name: str
    rows: Iterable[Row]
    lines: Iterable[int] | None = None

    def __str__(self) -> str:
        return self.name


class RowSpans(NamedTuple):
    """The spans of a row, those that do not fit its tokens, and what else is said of spans.

    Each span is there once; further annotations of it are its `copies`, as in `Document`.
    """

    spans: tuple[Span, ...]
    unplaced: tuple[Unplaced, ...] = ()
    features: Mapping[Span, Mapping[str, Any]] = {}
    copies: Mapping[Span, Sequence[Copy]] = {}

    def moved(self, places: Mapping[Span, Span]) -> RowSpans:
        """The spans at other places, with their features; those without a place are left out.

        A span at the place of another one is a further annotation of that, a copy.
        """
        features: dict[Span, Mapping[str, Any]] = {}
        copies: dict[Span, list[Copy]] = {}
        for old, new in places.items():
            own = self.features.get(old, {})
            if new in features:
                copies.setdefault(new, []).append(Copy(own))
            else:
                features[new] = own
            if old in self.copies:
                copies.setdefault(new, []).extend(self.copies[old])
        return RowSpans(tuple(features), self.unplaced, features, copies)


RowSource: TypeAlias = PathLike | Rows | Excerpt


def _numbered_chunks(
    lines: Iterable[str], first: int
) -> Iterator[tuple[Sequence[str], Sequence[int]]]:
    """(some lines that are not empty, their numbers) at a time."""
    rest = iter(lines)
    while texts := list(islice(rest, AT_ONCE)):
        numbers: Sequence[int] = range(first, first + len(texts))
        first += len(texts)
        if "" in texts or any(map(str.isspace, texts)):
            numbers = [number for number, text in zip(numbers, texts) if text.strip()]
            texts = [text for text in texts if text.strip()]
        if texts:
            yield texts, numbers


def row_batches(
    path: RowSource, left_out: dict[int, Problem], plain: Callable[[str], Any] | None = None
) -> Iterator[tuple[list[Any], Sequence[int], Sequence[int]]]:
    """(rows, their lines, their places among all rows of the file), some at a time.

    Rows are the objects of one JSON array, or of one object a line; both may be [text, object], as
    spaCy is trained on: `row_of_pair`. Problems of others are added to `left_out`, by place. Lines
    are what the function `plain` makes of them, if it can read them all.
    """
    n_rows = 0
    for items, lines, parse_many, parse in _raw_batches(path):
        places: Sequence[int] = range(n_rows, n_rows + len(items))
        n_rows += len(items)
        try:
            rows = _plain_rows(items, plain) if plain and parse is parsed_row else None
            yield parse_many(items) if rows is None else rows, lines, places
            continue
        except OddRowError:
            pass
        sound: list[tuple[Row, int, int]] = []
        for item, line, place in zip(items, lines, places):
            try:
                sound.append((parse(item), line, place))
            except ContentError as mistake:
                left_out[place] = Problem(line, mistake.found, mistake.advice)
        if sound:
            made, lines, places = zip(*sound)
            yield [*made], lines, places


def _raw_batches(path: RowSource) -> Iterator[tuple[Any, Sequence[int], Any, Any]]:
    """(items, their lines, functions that make rows of all or of one), some at a time."""
    if isinstance(path, Rows) and path.lines is not None:
        yield [*path.rows], [*path.lines], list, None
    elif isinstance(path, (Rows, Excerpt)) or is_parquet(path):
        with lines_of(path) as lines:
            for texts, numbers in _numbered_chunks(lines, getattr(path, "first", 1)):
                yield texts, numbers, parsed_rows, parsed_row
    else:
        with open_text(path) as file:
            head = file.read(PEEK)
            if not WHOLE.match(head):
                for texts, numbers in _numbered_chunks(bounded(file, path, head=head), 1):
                    yield texts, numbers, parsed_rows, parsed_row
                return
            text = head + file.read()
        items = _array_items(path, text if text.lstrip().startswith("[") else f"[{text}]")
        while some := [*islice(items, AT_ONCE)]:
            numbers = [line for _, line in some]
            yield [item for item, _ in some], numbers, _objects, _checked_object


def _objects(items: Iterable[Any]) -> list[Row]:
    """The items, if they are objects."""
    rows = [*items]
    if {*map(type, rows)} != {dict}:
        raise OddRowError
    return rows


@contextmanager
def lines_of(path: RowSource) -> Iterator[Iterable[str]]:
    """The lines of a file, or those that `Rows` or the rows of Parquet would be as JSON."""
    if isinstance(path, Rows):
        yield map(json.dumps, path.rows)
    elif isinstance(path, Excerpt):
        yield path.content.split("\n")
    elif is_parquet(path):
        from .parquet import json_rows

        yield json_rows(path)
    else:
        with open_text(path) as file:
            yield bounded(file, path)


def is_parquet(path: PathLike) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return suffix_of(path) in PARQUET


def bounded(file: TextIO, path: object, longest: int = LONGEST, head: str = "") -> Iterator[str]:
    """The lines of a file; raises a `FormatError` for one that is too long for a document.

    `head` is the beginning of the file, already read.
    """
    *before, begun = head.split("\n")
    first = begun + file.readline(longest + 1 - len(begun))
    rest = iter(partial(file.readline, longest + 1), "")
    lines = chain((text + "\n" for text in before), [first] if first else [], rest)
    for line, text in enumerate(lines, 1):
        if len(text) > longest:
            raise _too_long(path, line, longest)
        yield text


def _too_long(path: object, line: int, longest: int) -> FormatError:
    """The error of a line that is too long."""
    return FormatError(f"a line of more than {longest:,} characters", path, line)


def parsed_row(text: str) -> Row:
    """The JSON object on a line."""
    try:
        return parsed_rows([text])[0]
    except OddRowError:
        row = row_of_pair(_checked_json(text))
    if type(row) is not dict:
        raise ContentError(f"a {type(row).__name__}, not an object", "write one JSON object a line")
    return row


def _checked_json(text: str) -> Any:
    """The JSON value of a text; a `ContentError` if it has none."""
    try:
        value = json.loads(text.rstrip("\n"), parse_constant=reject_constant)
        if "\\u" in text:
            json.dumps(
                value, ensure_ascii=False
            ).encode()  # half a surrogate pair is not a character
    except (ValueError, RecursionError) as error:
        what = f"invalid JSON ({json_reason(error)})"
        raise ContentError(what, "write one JSON object a line") from None
    return value


class OddRowError(ValueError):
    """Rows that only the careful reader can read, or report errors in."""


NOT_JSON = DecodeError, ValueError, RecursionError  # which a decoder of msgspec raises


def parsed_rows(texts: Sequence[str]) -> list[Row]:
    """The JSON objects on some lines, quickly: the same as `parsed_row` returns.

    What msgspec accepts it reads as `json` does; orjson makes floats of long integers.
    """
    try:
        rows = [*map(decode, texts)]
        for text, row in zip(texts, rows):
            if "\\ud" in text or "\\uD" in text:
                json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair
    except NOT_JSON as error:
        raise OddRowError from error
    if {*map(type, rows)} - {dict}:
        raise OddRowError
    return rows


def _plain_rows(texts: Sequence[str], plain: Callable[[str], Any]) -> list[Any] | None:
    """What a function makes of some lines; None if it cannot read them all."""
    try:
        rows = [*map(plain, texts)]
    except NOT_JSON:
        return None
    return None if any("\\ud" in text or "\\uD" in text for text in texts) else rows


decode = Decoder().decode
_plain_decoder = json.JSONDecoder(parse_constant=reject_constant)


def line_documents(path: PathLike) -> Iterator[Run]:
    """The documents of a file, a line each, empty lines in front included; for a `BlockReader`."""
    found, front, first = False, "", 1
    with lines_of(path) if is_parquet(path) else _long_texts(path) as texts:
        for text in texts:
            lines = text.split("\n")
            sizes = [len(line) + 1 for line in lines]
            sizes[-1] -= 1
            long = next((n for n, size in enumerate(sizes) if size > LONGEST), None)
            ends = accumulate(sizes[:long], initial=len(front))
            full = [end for end, line in zip(islice(ends, 1, None), lines) if line.strip()]
            if full:
                found, text = True, front + text
                yield Run(text[: full[-1]], None, full)
                front = text[full[-1] :]
            else:
                front += text
            if long is not None:
                raise _too_long(path, first + long, LONGEST)
            first += len(lines) - 1
    if not found:
        raise FormatError("no documents; expected one JSON object a line", path)


@contextmanager
def _long_texts(path: PathLike) -> Iterator[Iterator[str]]:
    """Many lines of a file at a time."""
    with open_text(path) as file:
        yield iter(lambda: file.read(MANY) + file.readline(LONGEST + 1), "")


def sound_rows(path: PathLike) -> Iterator[tuple[Row, int]]:
    """(row, line) of each row that can be parsed. Others are reported when the rows are read."""
    with lines_of(path) as lines:
        for line, text in enumerate(lines, 1):
            try:
                if text.strip():
                    yield parsed_row(text), line
            except ContentError:
                continue


OF_KIND = {True: "with", False: "without"}


def problem_of(document: Document, found: str, advice: str) -> Problem:
    """The problem of the row that a document was read from."""
    return Problem(document.line(0) or 0, found, advice)


@overload
def json_value(row: Row, key: str, kind: type[T], default: T) -> T: ...


@overload
def json_value(row: Row, key: str, kind: type[T], default: None = None) -> T | None: ...


def json_value(row: Row, key: str, kind: type[T], default: T | None = None) -> T | None:
    """`row[key]` of a JSON type; the default if absent or null."""
    found = row.get(key)
    if found is None:
        return default
    if type(found) is not kind:
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", f"{quoted(key)} must be a {NAMES[kind]}"
        )
    return found


NAMES = {str: "string", list: "list", dict: "object", int: "whole number", bool: "true or false"}


def brief(found: object) -> str:
    """A value as messages show it: up to 60 characters of JSON, or else of Python."""
    try:
        text = json.dumps(found, ensure_ascii=False)
    except TypeError:  # of a file that is not JSON
        text = " ".join(repr(found).split())
    except RecursionError:  # a limit that was enough for reading need not be enough from here
        return f"a {type(found).__name__} nested too deeply to be shown"
    return shortened(text)


def are_offsets(*numbers: object) -> bool:
    """Whether all are integers that can be offsets."""
    return all(type(number) is int and 0 <= number < 2**31 for number in numbers)


def borders_by_spaces(words: Iterable[str], spaces: Iterable[bool]) -> tuple[Stretch, ...]:
    """Borders of words with known spaces."""
    borders, at = [], 0
    for word, space in zip(words, spaces):
        borders.append((at, at + len(word)))
        at += len(word) + space
    return tuple(borders)


def borders_in_text(words: Iterable[str], text: str | None) -> tuple[Stretch, ...] | None:
    """Borders of words that make up the text but for white space; None if they do not."""
    if text is None:
        return None
    borders, at = [], 0
    for word in words:
        while not text.startswith(word, at) and text[at : at + 1].isspace():
            at += 1
        if not text.startswith(word, at):
            return None
        borders.append((at, at + len(word)))
        at += len(word)
    return tuple(borders)


def checked_span(start: Any, end: Any, label: Any, size: int, what: str) -> PlainSpan:
    """The span (start, end, label) if it is one."""
    if type(label) is not str or not label:
        raise ContentError(f"a span has the label {brief(label)}", "a label is a non-empty string")
    if not are_offsets(start, end) or not start < end <= size:
        raise ContentError(
            f"span {label} [{brief(start)}, {brief(end)}) among {size} {what}",
            f"a span needs whole numbers 0 <= start < end <= number of {what}",
        )
    return start, end, label


def checked_fragments(fragments: Any, label: Any, size: int, what: str) -> Span:
    """The span of a label with these pieces [start, end]; pieces that touch are joined."""
    if type(fragments) not in (list, tuple):
        raise ContentError(f"a span has fragments {brief(fragments)}", TWO_PIECES)
    for piece in fragments:
        if type(piece) not in (list, tuple) or len(piece) != 2:
            raise ContentError(f"a span has the fragment {brief(piece)}", TWO_PIECES)
        checked_span(piece[0], piece[1], label, size, what)
    try:
        start, end, pieces = joined_pieces(fragments)
    except ValueError as error:
        found = f"span {label if type(label) is str else brief(label)} {brief(fragments)}"
        raise ContentError(found, str(error)) from None
    return (start, end, label) if pieces is None else (start, end, label, pieces)


def moved_span(span: Span, move: Callable[[int, int], Stretch | None]) -> Span | None:
    """The span with each piece [start, end) at another place; None if one of them has none.

    Pieces that touch there are joined.
    """
    start, end, label, *more = span
    found = [move(*piece) for piece in (more[0] if more else [(start, end)])]
    places = [place for place in found if place is not None]
    if len(places) < len(found):
        return None
    solid = [place for place in places if place[0] < place[1]]  # blanks may have no place
    first, last, pieces = joined_pieces(solid) if more and solid else (*places[0], None)
    return (first, last, label) if pieces is None else (first, last, label, pieces)


def gather_spans(entries: Iterable[tuple[Span, Mapping[str, Any]]]) -> RowSpans:
    """The spans of entries (span, its features), in their order.

    All readers' spans come through here; `resolve_duplicates` decides on those there again.
    """
    features: dict[Span, Mapping[str, Any]] = {}
    copies: dict[Span, list[Copy]] = {}
    for span, said in entries:
        if span in features:
            copies.setdefault(span, []).append(Copy(said))
        else:
            features[span] = said
    return RowSpans(tuple(features), features=features, copies=copies)


# names of the spans that were cut at tokens; None where spans are not trimmed: see trimming.py
cut_at_tokens: ContextVar[list[str] | None] = ContextVar("cut_at_tokens", default=None)


def _cut_at_tokens(spans: Iterable[Span], borders: Sequence[Stretch]) -> dict[Span, Span]:
    """Spans in characters, each with itself without what lies between tokens at its ends."""
    starts, ends = ([border[side] for border in borders] for side in (0, 1))

    def move(start: int, end: int) -> Stretch:
        first, behind = bisect_right(ends, start), bisect_left(starts, end)
        if first >= behind:  # there is no token
            return start, end
        return max(start, starts[first]), min(end, ends[behind - 1])

    return {span: moved_span(span, move) or span for span in spans}


FIT = "move it to the borders; for predictions, --misaligned unplaced counts it as wrong"
CUT = "--trim space cuts off what lies between tokens"


def spans_on_tokens(found: RowSpans, borders: Sequence[Stretch], misaligned: str) -> RowSpans:
    """Spans in characters on the tokens with these borders.

    Parameters
    ----------
    found : RowSpans
    borders : sequence of (start, end)
        Of the tokens in the text.
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the borders: a `ContentError`, or a row of the
        number of tokens that it touches, at least 1, and its label.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    if (cut := cut_at_tokens.get()) is not None:
        moved = _cut_at_tokens(found.spans, borders)
        cut += (span_title(old) for old, new in moved.items() if old != new)
        found = found.moved(moved)
    starts = {start: i for i, (start, _) in reversed(list(enumerate(borders)))}
    ends = {end: i + 1 for i, (_, end) in enumerate(borders)}
    places: dict[Span, Span] = {}
    unplaced = []
    lost: dict[Span, Sequence[Copy]] = {}

    def move(start: int, end: int) -> Stretch | None:
        first, last = starts.get(start), ends.get(end)
        return (first, last) if first is not None and last is not None and first < last else None

    for span in found.spans:
        if (place := moved_span(span, move)) is not None:
            places[span] = place
            continue
        if misaligned == "error":
            what = f"span {span_title(span)} does not fit the borders of tokens"
            inner = _cut_at_tokens([span], borders)[span]
            advice = FIT if moved_span(inner, move) is None else CUT
            leave_out_part(ContentError(what, advice), SPANS)
            continue
        own = pieces_of(span)
        touched = sum(any(a < stop and b > begin for a, b in own) for begin, stop in borders)
        unplaced.append((max(touched, 1), span[2]))
        if span in found.copies:
            lost[-max(touched, 1), 0, span[2]] = found.copies[span]
    placed = found._replace(unplaced=tuple(unplaced)).moved(places)
    return placed._replace(copies={**placed.copies, **lost})


def other_values(row: Mapping[str, Any], keys: Collection[str | None]) -> dict[str, Any]:
    """The entries of a row other than `keys`."""
    return {key: found for key, found in row.items() if key not in keys}


def is_json(value: object) -> bool:
    """Whether JSON gives a value back as it is."""
    if value is None or type(value) in (str, int, bool):
        return True
    try:
        return repr(json.loads(json.dumps(value, allow_nan=False))) == repr(value)
    except (TypeError, ValueError, RecursionError):
        return False


def plain_values(row: Mapping[str, Any], keys: Collection[str | None]) -> dict[str, Any]:
    """The entries of a row other than `keys` with simple values: strings, numbers, truth, null."""
    simple = (str, int, float, bool, type(None))
    return {key: row[key] for key in row if key not in keys and type(row[key]) in simple}


def different_labels(labels: Any, where: str, advice: str) -> list[str]:
    """Labels of a whole document, none of them empty or repeated.

    Parameters
    ----------
    labels : JSON value
    where : str
        The beginning of messages, before the labels.
    advice : str
    """
    if type(labels) is not list:
        raise ContentError(f"{where} {brief(labels)}", advice)
    seen: set[str] = set()

    def convert(label: Any) -> str:
        if type(label) is not str or not label or label in seen:
            raise ContentError(f"{where} {brief(labels)}", advice)
        seen.add(label)
        return label

    return [*sound_entries(labels, convert, LABELS)]


def likely_labels(scores: Mapping[str, float]) -> list[str]:
    """The labels with a score of at least 0.5, as in spaCy's `Doc.cats`."""
    advice = "'cats' maps labels to scores, as in spaCy: give it a number, or remove the label"
    if type(scores) is not dict:
        raise ContentError(f"'cats' is {brief(scores)}", advice)

    def convert(label: str) -> tuple[str, bool]:
        score = scores[label]
        if type(label) is not str:
            raise ContentError(f"'cats' has the label {brief(label)}, which is no text", advice)
        if type(score) not in (bool, int, float) or score != score:
            raise ContentError(f"'cats' gives {brief(label)} the score {brief(score)}", advice)
        return label, score >= 0.5

    return [label for label, likely in sound_entries(scores, convert, LABELS) if likely]


SPANS_ALONE = (
    'write one object for each text: {"text": text, "entities": spans}, with the spans '
    "that the pipeline returned"
)
ONE_ARRAY = "expected one JSON array of objects, or one object a line"


def read_items(path: RowSource, convert: Callable[[Row, int], T]) -> list[T]:
    """The result of convert(row, line) for each object of a file; raises once for all mistakes."""
    problems: dict[int, Problem] = {}
    made: list[T] = []
    for rows, lines, places in row_batches(path, problems):
        made += _converted(zip(rows, lines, places), convert, problems)
    leave_out(path, problems.values(), DOCUMENTS)
    leave_out_documents(problems)
    check_left(path, len(made), f"no documents; {ONE_ARRAY}")
    return made


def convert_items(
    path: object, items: Iterable[tuple[S, int]], convert: Callable[[S, int], T]
) -> list[T]:
    """The results of convert(item, line) for each (item, line); raises once for all mistakes."""
    problems: dict[int, Problem] = {}
    numbered = ((item, line, place) for place, (item, line) in enumerate(items))
    made = _converted(numbered, convert, problems)
    leave_out(path, problems.values(), DOCUMENTS)
    leave_out_documents(problems)
    return made


def _converted(
    items: Iterable[tuple[S, int, int]],
    convert: Callable[[S, int], T],
    problems: dict[int, Problem],
) -> list[T]:
    """The results of convert(item, line) for each (item, line, place) without a mistake."""
    attempt, made = attempts(), []
    for item, line, place in items:
        try:
            with attempt(line):
                made.append(convert(item, line))
        except ContentError as mistake:
            problems[place] = Problem(mistake.line or line, mistake.found, mistake.advice)
    return made


# a JSON array, but for one that is a line: [text, object], or one before an object; or an
# object over several lines
WHOLE = re.compile(r'\s*(\[(?!\s*"|[^\n]*\][ \t\r]*\n\s*\{)|\{[ \t\r]*\n\s*")')


def is_array(path: PathLike) -> bool:
    """Whether a file is one JSON value, an array or an object over several lines."""
    if is_parquet(path):
        return False
    with open_text(path) as file:
        return WHOLE.match(file.read(PEEK)) is not None


# syntax in spaCy's training data, which is not annotation of spans
OF_SYNTAX = {"tags", "pos", "morphs", "lemmas", "heads", "deps", "links", "sent_starts"}


def row_of_pair(item: Any) -> Any:
    """The row of [text, annotation], as spaCy is trained on; another value as it is.

    Entities may be tags of the `words`, which then are its tokens.
    """
    if type(item) is not list or [type(part) for part in item] != [str, dict]:
        return item
    row = {key: value for key, value in item[1].items() if key not in OF_SYNTAX}
    tags = row.get("entities")
    if type(row.get("words")) is list and type(tags) is list and {*map(type, tags)} == {str}:
        row["ner_tags"] = row.pop("entities")
    return {"text": item[0], **row}


def _checked_object(item: Any) -> Row:
    """The item, if it is an object, or a text and an object."""
    item = row_of_pair(item)
    if type(item) is list and item and all(type(entry) is dict for entry in item):
        raise ContentError("spans without their text", SPANS_ALONE)
    if type(item) is not dict:
        raise ContentError(f"a {type(item).__name__}, not an object", ONE_ARRAY)
    return item


def _array_items(path: object, text: str) -> Iterator[tuple[Any, int]]:
    """(item, line) of the array that is the whole text."""
    at, line, counted = _skip_blanks(text, text.index("[") + 1), 1, 0
    first = True
    while text[at : at + 1] != "]":
        if not first:
            if text[at : at + 1] != ",":
                _raise_broken(path, "expected a comma or the end of the array", text, at)
            at = _skip_blanks(text, at + 1)
        line, counted, first = line + text.count("\n", counted, at), at, False
        try:
            item, end = _plain_decoder.raw_decode(text, at)
            if "\\u" in text[at:end]:
                json.dumps(item, ensure_ascii=False).encode()  # half a surrogate pair
        except (ValueError, RecursionError) as error:
            _raise_broken(path, json_reason(error), text, getattr(error, "pos", at), error)
        yield item, line
        at = _skip_blanks(text, end)
    if rest := text[at + 1 :].strip():
        _raise_broken(
            path, f"{quoted(rest[:20])} behind the array", text, _skip_blanks(text, at + 1)
        )


def _skip_blanks(text: str, at: int) -> int:
    """The next place that is not JSON's white space."""
    while text[at : at + 1] in (" ", "\n", "\t", "\r"):
        at += 1
    return at


def _raise_broken(
    path: object, reason: object, text: str, at: int, error: Exception | None = None
) -> NoReturn:
    """Raise for a text that is not an array: nothing after such a place can be read."""
    line = text.count("\n", 0, at) + 1
    raise FormatError(f"invalid JSON ({reason}); {ONE_ARRAY}", path, line) from error


def clip(text: str) -> str:
    """The first 40 characters of a text, for messages."""
    return shortened(text, 40)
