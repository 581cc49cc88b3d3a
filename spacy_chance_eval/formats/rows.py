"""Shared parts of span formats with one JSON object a line. A bad row is a `ContentError`."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, TextIO, TypeVar, overload

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
from .files import Excerpt, open_text
from .json_rows import (
    AT_ONCE,
    LONGEST,
    ONE_ARRAY,
    PEEK,
    SPANS_ALONE,
    WHOLE,
    Row,
    Rows,
    RowSource,
    is_array,
    is_parquet,
    line_documents,
    parsed_row,
    row_batches,
    row_of_pair,
    sound_rows,
)

__all__ = (
    "AT_ONCE",
    "CATEGORIES",
    "CUT",
    "FIT",
    "LONGEST",
    "MISALIGNED",
    "NAMES",
    "NO_TOKENS",
    "OF_KIND",
    "ONE_ARRAY",
    "PEEK",
    "Row",
    "RowSource",
    "RowSpans",
    "Rows",
    "S",
    "SPANS_ALONE",
    "T",
    "WHOLE",
    "_converted",
    "_cut_at_tokens",
    "are_offsets",
    "borders_by_spaces",
    "borders_in_text",
    "bounded",
    "brief",
    "checked_fragments",
    "checked_span",
    "clip",
    "convert_items",
    "cut_at_tokens",
    "different_labels",
    "gather_spans",
    "is_array",
    "is_json",
    "is_parquet",
    "json_value",
    "likely_labels",
    "line_documents",
    "lines_of",
    "moved_span",
    "other_values",
    "parsed_row",
    "plain_values",
    "problem_of",
    "read_items",
    "row_batches",
    "row_of_pair",
    "sound_rows",
    "spans_on_tokens",
)
CATEGORIES = "categories"  # the layer of labels of documents, of rows that name no other
MISALIGNED = ("error", "unplaced")
T = TypeVar("T")
S = TypeVar("S")
NO_TOKENS = "every row needs tokens, or none: positions are tokens or characters in a whole file"


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


@contextmanager
def lines_of(path: PathLike | Excerpt) -> Iterator[Iterable[str]]:
    """The lines of a file, or of an excerpt."""
    if isinstance(path, Excerpt):
        yield path.content.split("\n")
    else:
        with open_text(path) as file:
            yield bounded(file, path)


def bounded(file: TextIO, path: object, longest: int = LONGEST) -> Iterator[str]:
    """The lines of a file; raises a `FormatError` for one that is too long for a document."""
    for line, text in enumerate(iter(partial(file.readline, longest + 1), ""), 1):
        if len(text) > longest:
            raise FormatError(f"a line of more than {longest:,} characters", path, line)
        yield text


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


def clip(text: str) -> str:
    """The first 40 characters of a text, for messages."""
    return shortened(text, 40)
