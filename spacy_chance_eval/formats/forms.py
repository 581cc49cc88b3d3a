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
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert
from msgspec.json import Decoder

from ..measures.messages import quoted
from .annotators import Answer, annotator_of, merge_answers
from .blemishes import blemishes, leave_out_part
from .builder import Builder
from .columns import KEYS, PARTS, Columns, Part, TypedRow, columns_of
from .corpus import Corpus
from .errors import ContentError, FormatError, NotInBlocksError, PathLike, Problem, raise_first
from .files import BlockReader, Excerpt, Run
from .json_rows import ONE_ARRAY, Row, RowSource, line_documents, row_batches, sound_rows
from .keys import Reading
from .rows import CATEGORIES, NO_TOKENS, brief, different_labels, json_value, likely_labels

EXPECTED = re.compile(r"Expected `([^`]+)`(?: of length)?(?: (>=|<=) (\d+))?")
KINDS = {
    "null": "null",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


class Batch(NamedTuple):
    """Rows as structs, and as the objects that they were; the latter are empty if nothing is lost.

    `facts` are those of the survey.
    """

    typed: Sequence[Any]
    objects: Sequence[Row]
    lines: Sequence[int]
    reading: Reading
    facts: Any


class Numbered(NamedTuple):
    """Something made of a row, its line and its place among all rows of the file."""

    made: Any
    line: int
    place: int


@dataclass(frozen=True)
class Form:
    """A form of rows.

    Parameters
    ----------
    translate : callable
        translate(row, reading) is (a row of JSONL, the unit of its offsets: "token" or "char"), or
        a list of such pairs, if a row stands for several. It raises a `ContentError` for a row that
        can be none; it may put one in the place of a span.
    survey : callable, optional
        survey(path, rows, reading) are facts that all rows of a file tell together, such as which
        of several keys has the tags. Then translate(row, reading, facts) gets them.
    words : tuple of str
        Keys of tokens in the file, which tell what its positions are.
    plain : type of Struct, optional
        What most rows of the form are: a shorter way for them.
    columns : callable, optional
        columns(batch) are the `Columns` of a `Batch` of such rows. It raises a `ContentError` where
        some row is not so plain; then all of them are translated.
    verbatim : bool
        Whether the text at the borders of a token must be the token.
    join : callable, optional
        join(corpus, annotators, reading) makes documents of rows; by default each is one, or where
        annotators are named, those with the same name are.
    """

    translate: Callable[..., Any]
    survey: Callable[[object, Iterable[Row], Reading], Any] | None = None
    words: tuple[str, ...] = ("tokens",)
    plain: type[Struct] | None = None
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

    def _open(self, path: PathLike, reading: Reading) -> tuple[tuple[str, int, Any], Iterator[Run]]:
        """((positions of the first row, its line, facts), the documents of the file)."""
        row, line = next(sound_rows(path), ({}, 1))
        by_char = all(row.get(key) is None for key in self.words)
        facts = None
        if self.survey is not None:
            rows = (row for row, _ in sound_rows(path))
            facts = self.survey(path, rows, reading)
        return ("char" if by_char else "token", line, facts), line_documents(path)

    def _read_some(
        self,
        excerpt: Excerpt,
        whole: tuple[str, int, Any],
        reading: Reading,
        state: None,
    ) -> Corpus:
        """The corpus of some rows, which have tokens if the first of the file has them."""
        positions, first, facts = whole
        corpus = read_form(excerpt, self, reading, facts)
        if corpus.positions != positions:
            by_char = positions == "char"
            lines = [first] if by_char else [doc.line(0) or 0 for doc in corpus.documents]
            if blemishes():
                raise NotInBlocksError("rows with tokens among rows without tokens", excerpt)
            what = "a row without tokens among rows with tokens"
            raise_first(excerpt, [Problem(line, what, NO_TOKENS) for line in lines])
        return corpus


def read_form(path: RowSource, form: Form, reading: Reading, facts: Any = None) -> Corpus:
    """The corpus of a file of a form. The facts of the whole file may be known."""
    annotator = reading.annotator
    if annotator is not None and (type(annotator) is not str or annotator in ("", *KEYS)):
        raise ValueError(
            f"unknown annotator {quoted(annotator)}; expected the key of the annotator"
        )
    builder = Builder(path, reading.misaligned or "error", bool(reading.trim))
    plain = form.plain and form.plain.__struct_config__.forbid_unknown_fields
    decoder = Decoder(form.plain) if plain and form.plain else None
    batches = row_batches(path, builder.left_out, decoder)
    seen = []
    if form.survey is not None and facts is None:
        policy = blemishes()
        n_found = len(policy.found) if policy else 0
        taken = (seen.append(some) or some[0] for some in batches)  # type: ignore[func-returns-value]
        try:
            facts = form.survey(path, chain.from_iterable(taken), reading)
        except FormatError:
            if blemishes() is None or not seen:
                raise_first(path, builder.left_out.values())
            raise
        if policy:
            del policy.found[n_found:]  # they are met again
    rows = _Rows(builder, form, reading, facts)
    for some in chain(seen, batches):
        rows.add(*some)
    corpus = builder.corpus(f"no documents; {ONE_ARRAY}")
    if form.join is not None:
        return form.join(corpus, builder.annotators, reading)
    if annotator is None:
        return corpus
    if not any(one is not None for one in builder.annotators):
        raise FormatError(f"no row names anybody in {quoted(annotator)}; name another key", path)
    return merge_answers(corpus, [*map(Answer, builder.annotators)], reading.duplicates or "merge")


@dataclass(eq=False)
class _Rows:
    """Rows of a file on their way to a builder."""

    builder: Builder
    form: Form
    reading: Reading
    facts: Any

    def add(self, rows: Sequence[Any], lines: Sequence[int], places: Sequence[int]) -> None:
        """Add rows with their lines and their places among all rows of the file."""
        if self.form.columns is not None and self.form.plain is not None:
            try:
                if isinstance(rows[0], Struct):
                    typed, rows = rows, ()
                else:
                    typed = convert(rows, list[self.form.plain])  # type: ignore[name-defined]
                columns = self.form.columns(Batch(typed, rows, lines, self.reading, self.facts))
            except (ValidationError, ContentError):
                pass
            else:
                self._add(columns, rows, places)
                return
        numbered = [*map(Numbered, rows, lines, places)]
        made = [
            Numbered(one, line, place)
            for found, line, place in self.each(self._translated, numbered)
            for one in (found if type(found) is list else [found])
        ]
        for unit, group in groupby(made, lambda one: one.made[1]):
            self._add_typed([one._replace(made=one.made[0]) for one in group], unit)

    def _translated(self, row: Any) -> Any:
        """What the form makes of a row, with its annotator."""
        told = () if self.form.survey is None else (self.facts,)
        found = self.form.translate(row, self.reading, *told)
        if type(found) is list:
            return [(with_categories(made), unit) for made, unit in found]
        made, unit = found
        if self.reading.annotator is not None and self.form.join is None:
            made = {**made, "*annotator": annotator_of(made, self.reading.annotator)}
        return with_categories(made), unit

    def _add_typed(self, rows: list[Numbered], unit: str) -> None:
        """Add rows of JSONL whose offsets have one unit."""
        objects = [one.made for one in rows]
        try:
            typed = convert(objects, list[TypedRow])
        except ValidationError:
            rows = self.each(typed_row, rows)
            typed, objects = [one.made[0] for one in rows], [one.made[1] for one in rows]
        if rows:
            lines = [one.line for one in rows]
            by_token = None if unit == "" else unit == "token"
            columns = columns_of(typed, objects, lines, by_token, (self.reading.annotator,))
            columns.verbatim = self.form.verbatim
            self._add(columns, (), [one.place for one in rows])

    def _add(self, columns: Columns, objects: Sequence[Row], places: Sequence[int]) -> None:
        """Add rows in columns, with their annotators, if these are in the objects."""
        if self.reading.annotator is not None and self.form.join is None and objects:
            columns.annotator = [None] * len(objects)
            for n, row in enumerate(objects):
                try:
                    columns.annotator[n] = annotator_of(row, self.reading.annotator)
                except ContentError as mistake:
                    columns.wrong[n] = mistake.found, mistake.advice
        self.builder.add(columns, places)

    def each(self, function: Callable[[Any], Any], rows: Iterable[Numbered]) -> list[Numbered]:
        """function(row) of rows; those with a mistake are left out."""
        policy = blemishes()
        made: list[Numbered] = []
        for row, line, place in rows:
            n_before = len(policy.found) if policy else 0
            if policy:
                policy.line = line
            try:
                made.append(Numbered(function(row), line, place))
            except ContentError as mistake:
                if policy:
                    del policy.found[n_before:]
                problem = Problem(mistake.line or line, mistake.found, mistake.advice)
                self.builder.left_out[place] = problem
            if policy and len(policy.found) > n_before:
                self.builder.parts_of.setdefault(place, []).extend(policy.found[n_before:])
                del policy.found[n_before:]
        return made


def typed_row(row: Any) -> tuple[Any, Row]:
    """(the typed row of an object, the object), without parts of another type; or a mistake."""
    if type(row) is not dict:
        raise ContentError(f"a {type(row).__name__}, not an object", ONE_ARRAY)
    parts = {key: part for key, part in PARTS.items() if key in row}
    row = {**row, **{key: _sound(row[key], part) for key, part in parts.items()}}
    try:
        return convert(row, TypedRow), row
    except ValidationError as error:
        raise mistake_in(row, error) from None


def _sound(value: Any, part: Part) -> Any:
    """A value of a row, or of a layer in it, without entries of another type."""
    if type(value) is dict:
        return {key: _sound(one, part) if type(one) is list else one for key, one in value.items()}
    if type(value) is not list:
        return value
    found = []
    for entry in value:
        try:
            convert(entry, part.type)
            found.append(entry)
        except ValidationError as error:
            mistake = entry if isinstance(entry, ContentError) else mistake_in(entry, error, part)
            if type(entry) is dict and type(entry.get("line")) is int:
                mistake.line = entry["line"]
            leave_out_part(mistake, part.unit)
    return found


def mistake_in(value: Any, error: ValidationError, part: Part | None = None) -> ContentError:
    """The mistake in a value that is not of its type: the key, what is there, what is expected."""
    message, _, path = str(error).partition(" - at `$")
    key, found = "", value
    for name, place in re.findall(r"\.([^.\[`]+)|\[(\d+)\]", path.partition("[...]")[0]):
        key = name or key
        if name and type(found) is dict and name in found:
            found = found[name]
        elif place and type(found) is list:
            found = found[int(place)]
    if part is not None and (not key or "missing" in message):
        return ContentError(f"{part.name} is {brief(value)}", part.advice)
    if "missing" in message:
        lacking = quoted(message.split("`")[1])
        what = f"{quoted(key)} has {brief(found)}" if key else f"a row without {lacking}"
        return ContentError(what, f"{'an entry' if key else 'a row'} needs {lacking}")
    of = f" of {part.name}" if part else ""
    is_whole = path.endswith(key + "`")
    advice = f"{quoted(key)} {'must be' if is_whole else 'holds'} {_expected(message)}"
    return ContentError(f"{quoted(key)}{of} {'is' if is_whole else 'has'} {brief(found)}", advice)


def _expected(message: str) -> str:
    """What a message of msgspec expects, in words."""
    if (match := EXPECTED.search(message)) is None:
        return "another value"
    names, sign, number = match.groups()
    kinds = [KINDS.get(name, name) for name in names.split(" | ")]
    kinds = [kind for kind in kinds if kind != "null" or len(kinds) == 1]
    if sign and names == "str":
        kinds = ["a string that is not empty"]
    elif sign:
        kinds[-1] += f", {'at least' if sign == '>=' else 'at most'} {number}"
    return " or ".join(kinds)


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


def as_it_is(row: Row, reading: Reading) -> tuple[Row, str]:
    """A row of JSONL in characters, which a reader has made of something else."""
    return row, "char"


ROWS_IN_CHARACTERS = Form(as_it_is)
