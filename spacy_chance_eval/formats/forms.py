"""Forms of rows: how a module says what its rows are, and all that is the same for every form.

A module of a form has a docstring, and a `FORM`, made of one function from a row to a row of JSONL:

    def _translate(row: Row, reading: Reading) -> tuple[Row, str]:
        return {"id": row["doc"], "text": row["body"], "spans": row["marks"]}, "char"


    FORM = Form(_translate)

The second value is the unit of the offsets. Files of lines, arrays, gzip and Parquet, blocks,
annotators, duplicates, notes, places of spans on tokens and all checks of text, tokens and spans
are the same for every form: they are here and in the builder. Readers that parse a whole file make
such rows, too, and hand them over: `read_form(Rows(name, rows, lines), FORM, reading)`.

Rows of JSONL may say more than users write: `columns.TypedRow` has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby, tee
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert
from msgspec.json import Decoder, encode

from ..measures.messages import quoted
from .annotators import Answer, annotator_of, merge_answers
from .builder import Builder
from .columns import CHARACTERS, KEYS, PARTS, Columns, Part, TypedRow, columns_of
from .corpus import Corpus
from .errors import ContentError, FormatError, NotInBlocksError, PathLike, Problem
from .files import BlockReader, Excerpt, Run
from .json_rows import OBJECTS, ONE_ARRAY, Row, RowSource, line_documents, row_batches, sound_rows
from .keys import Reading
from .rows import NAMES, brief


class Batch(NamedTuple):
    """Rows, as structs or as objects, and what is known of their file: `facts` of a survey."""

    rows: Sequence[Any]
    lines: Sequence[int]
    reading: Reading
    facts: Any


@dataclass(frozen=True)
class Form:
    """A form of rows.

    Parameters
    ----------
    translate : callable
        translate(row, reading) is (a row of JSONL, the unit of its offsets: "token" or "char"), or
        a list of such pairs, if a row stands for several. It raises a `ContentError` for a row that
        can be none.
    survey : callable, optional
        survey(path, rows, reading) are facts that all rows of a file tell together, such as which
        of several keys has the tags. Then translate(row, reading, facts) gets them.
    words : tuple of str
        Keys of tokens in the file, which tell what its positions are.
    plain : tuple of types of Struct
        What most rows of the form are, without any other keys: a shorter way for them. The first
        type that some rows have is taken. The facts of a file may have their own, as `plain`.
    columns : callable, optional
        columns(batch) are the `Columns` of a `Batch` of such rows. It raises a `ContentError` where
        some row is not so plain; then all of them are translated, and so they are without it.
    verbatim : bool
        Whether the text at the boundaries of a token must be the token.
    join : callable, optional
        join(corpus, annotators, reading) makes documents of rows; by default each is one, or where
        annotators are named, those with the same name are.
    """

    translate: Callable[..., Any]
    survey: Callable[[object, Iterable[Row], Reading], Any] | None = None
    words: tuple[str, ...] = ("tokens",)
    plain: Sequence[type[Struct]] = ()
    columns: Callable[[Batch], Columns] | None = None
    verbatim: bool = True
    join: Callable[[Corpus, Sequence[Any], Reading], Corpus] | None = None

    def read(self, path: RowSource, reading: Reading) -> Corpus:
        """The corpus of a file of the form."""
        return read_form(path, self, reading)

    def blocks(self) -> BlockReader:
        """How JSON lines and Parquet of the form are read in blocks of documents."""
        return BlockReader(
            self._open, "".join, self._read_some, again=lambda path, _: line_documents(path)
        )

    def _open(self, path: PathLike, reading: Reading) -> tuple[tuple[str, Any], Iterator[Run]]:
        """((positions of the first row, facts), the documents of the file)."""
        row, _ = next(sound_rows(path), ({}, 1))
        by_char = all(row.get(key) is None for key in self.words)
        facts = None
        if self.survey is not None:
            facts = self.survey(path, (row for row, _ in sound_rows(path)), reading)
        return ("char" if by_char else "token", facts), line_documents(path)

    def _read_some(self, excerpt: Excerpt, whole: tuple[str, Any], reading: Reading) -> Corpus:
        """The corpus of some rows, which have tokens if the first of the file has them."""
        positions, facts = whole
        corpus = read_form(excerpt, self, reading, facts)
        if corpus.positions != positions:
            raise NotInBlocksError("rows with tokens among rows without tokens", excerpt)
        return corpus


def read_form(path: RowSource, form: Form, reading: Reading, facts: Any = None) -> Corpus:
    """The corpus of a file of a form. The facts of the whole file may be known."""
    annotator = reading.annotator
    if annotator in ("", *KEYS):  # such as id: each row would be an annotator of its own
        what = f"unknown annotator {quoted(annotator)}; expected the key of the annotator"
        raise FormatError(what, path)
    builder = Builder(path, reading.misaligned or "error", bool(reading.trim))
    columns_of = None if annotator is not None and form.join is None else form.columns
    plain = getattr(facts, "plain", form.plain)
    batches = row_batches(path, builder.left_out, [*map(Decoder, plain)])
    if form.survey is not None and facts is None:
        batches, again = tee(batches)
        facts = form.survey(path, chain.from_iterable(rows for rows, *_ in again), reading)
        del again
        plain = getattr(facts, "plain", plain)
    for rows, lines, places in batches:
        is_plain = isinstance(rows[0], Struct)
        if columns_of is not None and plain:
            with suppress(ValidationError, ContentError):
                typed = rows if is_plain else convert(rows, list[plain[-1]])  # type: ignore[valid-type]
                builder.add(columns_of(Batch(typed, lines, reading, facts)), places)
                continue
        objects = OBJECTS.decode(encode(rows)) if is_plain else rows
        _add_translated(builder, form, Batch(objects, lines, reading, facts), places)
    corpus = builder.corpus(f"no documents; {ONE_ARRAY}")
    if form.join is not None:
        return form.join(corpus, builder.annotators, reading)
    if annotator is None:
        return corpus
    if not any(one is not None for one in builder.annotators):
        raise FormatError(f"no row names anybody in {quoted(annotator)}; name another key", path)
    return merge_answers(corpus, [*map(Answer, builder.annotators)], reading.duplicates or "merge")


def _add_translated(builder: Builder, form: Form, batch: Batch, places: Sequence[int]) -> None:
    """Add rows that are first translated to those of JSONL."""
    reading, more = batch.reading, () if form.survey is None else (batch.facts,)
    made: list[tuple[str, TypedRow, Row, int, int]] = []
    for row, line, place in zip(batch.rows, batch.lines, places):
        try:
            some = form.translate(row, reading, *more)
            some = some if type(some) is list else [some]
            if reading.annotator is not None and form.join is None:
                who = {"*annotator": annotator_of(row, reading.annotator)}
                some = [({**one, **who}, unit) for one, unit in some]
            own = [(unit, typed_row(one), one, line, place) for one, unit in some]
        except ContentError as mistake:
            own_line = mistake.line or line
            builder.left_out[place] = Problem(own_line, mistake.found, mistake.advice)
        else:
            made += own
    for unit, group in groupby(made, lambda one: one[0]):
        _, typed, objects, lines, own_places = zip(*group)
        by_token = None if unit == "" else unit == "token"
        columns = columns_of(typed, objects, lines, by_token, (reading.annotator,))
        columns.verbatim = form.verbatim
        builder.add(columns, own_places)


def typed_row(row: Row) -> TypedRow:
    """The typed row of an object; raises its first mistake."""
    try:
        return convert(row, TypedRow)
    except ValidationError as error:
        for key in PARTS.keys() & row.keys():
            _check_part(row[key], PARTS[key])
        message, _, path = str(error).partition(" - at `$.")
        key = re.split(r"[.\[`]", path)[0]
        expected = message.partition(", got")[0].removeprefix("Expected ").replace("`", "")
        expected = expected.replace(" | null", "").replace(" | ", " or ")
        names = {kind.__name__: name for kind, name in NAMES.items()}
        names |= {"array": names["list"], "object": names["dict"]}
        advice = "expected " + re.sub(r"\w+", lambda one: names.get(one[0], one[0]), expected)
        raise ContentError(f"{quoted(key)} is {brief(row.get(key))}", advice) from None


def _check_part(value: Any, part: Part) -> None:
    """Raise for the first entry of a list, or of lists by layer, that is of another type."""
    for some in value.values() if type(value) is dict else [value]:
        for entry in some if type(some) is list else ():
            try:
                convert(entry, part.type)
            except ValidationError:
                advice = CHARACTERS if type(entry) is int and part.name == "a span" else part.advice
                mistake = ContentError(f"{part.name} is {brief(entry)}", advice)
                if type(entry) is dict and type(entry.get("line")) is int:
                    mistake.line = entry["line"]
                raise mistake from None


ROWS_IN_CHARACTERS = Form(lambda row, reading: (row, "char"))  # of other readers
