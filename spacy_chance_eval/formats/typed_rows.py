"""Forms of JSON rows: typed rows (`msgspec.Struct`) and the columns that they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.json import Decoder

from ..measures.messages import quoted
from .annotators import Repeats, annotator_of, by_annotator
from .blemishes import attempts, blemishes, leave_out_part
from .builder import Builder
from .columns import Columns, Name, Offset, Part, Token, words_of
from .corpus import Corpus
from .errors import ContentError, FormatError, Problem, raise_first
from .rows import ONE_ARRAY, Row, RowSource, brief, row_batches

S = TypeVar("S", bound=Struct)
__all__ = ["Name", "Offset", "Token", "words_of"]
# a row, its line and its place among all rows of the file; and many of each
Numbered: TypeAlias = tuple[Any, int, int]
Batch: TypeAlias = tuple[Sequence[Any], Sequence[int], Sequence[int]]
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


class Form(NamedTuple):
    """A form of rows.

    Parameters
    ----------
    type : type of Struct
        A row.
    parts : mapping of str to Part
        By key: lists, or objects of lists, from which an entry may be left out.
    columns : callable
        columns(typed rows, the objects themselves, their lines, unit) are their `Columns`. If it
        raises a `ContentError`, it is asked for each row alone.
    translate : callable, optional
        translate(object) is (an object of this form, its unit: what its offsets count).
    only_with : frozenset of str
        If not empty, only rows with one of these keys need that.
    unit : str
        That of other rows.
    plain : Decoder, optional
        Of a type with all attributes of the other, that plain rows have: those without other keys.
    check : callable, optional
        check(object) may raise for one that is not of the type, in better words.
    """

    type: type[Struct]
    parts: Mapping[str, Part]
    columns: Callable[[Sequence[Any], Sequence[Row], Sequence[int], str], Columns]
    translate: Callable[[Any], tuple[Row, str]] | None = None
    only_with: frozenset[str] = frozenset()
    unit: str = ""
    plain: Decoder[Any] | None = None
    check: Callable[[Row], None] | None = None


def read_form(
    path: RowSource,
    form: Form | Callable[[Iterable[Any]], Form],
    *,
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
) -> Corpus:
    """The corpus of a file of a form.

    Parameters
    ----------
    form : Form, or a function
        form(rows) is that of all rows of the file, if these tell how they are read.
    misaligned : "error" or "unplaced"
    annotator : str, optional
        Key of the annotator of a row. Each annotator then is a layer.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document.
    """
    builder = Builder(path, misaligned)
    plain = form.plain if isinstance(form, Form) else None
    batches: Iterable[Batch] = row_batches(path, builder.left_out, plain)
    seen: list[Batch] = []
    if not isinstance(form, Form):
        taken = (seen.append(some) or some[0] for some in batches)  # type: ignore[func-returns-value]
        try:
            form = form(chain.from_iterable(taken))
        except FormatError:
            if blemishes() is None or not seen:
                raise_first(path, builder.left_out.values())
            raise
    for some in chain(seen, batches):
        add_rows(builder, form, some, annotator)
    corpus = builder.corpus(f"no documents; {ONE_ARRAY}")
    if annotator is None:
        return corpus
    named = builder.annotators
    if not any(one is not None for one in named):
        raise FormatError(f"no row names anybody in {quoted(annotator)}; name another key", path)
    repeats = Repeats(path, duplicates)
    documents = by_annotator(path, zip(corpus.documents, named), repeats)
    return Corpus(str(path), documents, corpus.positions, notes=corpus.notes + repeats.notes)


def add_rows(builder: Builder, form: Form, batch: Batch, annotator: str | None = None) -> None:
    """Add rows of a form: (rows, lines, places)."""
    some: list[Numbered] = [*zip(*batch)]
    translate, only_with = form.translate, form.only_with
    if isinstance(batch[0][0], Struct):
        builder.add(form.columns(batch[0], (), batch[1], form.unit), batch[2])
        return
    if translate is None or only_with and only_with.isdisjoint(set().union(*batch[0])):
        add_typed(builder, form, some, form.unit, annotator)
        return
    made = each(builder, translate, some)
    for unit, group in groupby(made, lambda one: one[0][1]):
        rows = [(row, line, place) for (row, _), line, place in group]
        add_typed(builder, form, rows, unit, annotator)


def add_typed(
    builder: Builder, form: Form, some: list[Numbered], unit: str, annotator: str | None
) -> None:
    """Add rows (object, line, place) of one unit."""
    objects = [row for row, *_ in some]
    try:
        typed = convert(objects, list[form.type])  # type: ignore[name-defined]
    except ValidationError:
        made = each(builder, lambda row: typed_row(row, form), some)
        typed, objects = [row for (row, _), *_ in made], [row for (_, row), *_ in made]
        some = made
    if some:
        _, lines, places = zip(*some)
        try:
            columns = form.columns(typed, objects, lines, unit)
        except ContentError:
            alone = [*zip(zip(typed, objects, lines), lines, places)]
            made = each(
                builder,
                lambda one: (form.columns([one[0]], [one[1]], [one[2]], unit), one[1]),
                alone,
            )
            for (columns, row), _, place in made:
                _add(builder, columns, [row], [place], annotator)
            return
        _add(builder, columns, objects, places, annotator)


def _add(
    builder: Builder,
    columns: Columns,
    objects: Sequence[Row],
    places: Sequence[int],
    annotator: str | None,
) -> None:
    """Add rows in columns, with their annotators."""
    if annotator is not None:
        columns.annotator = [None] * len(objects)
        for n, row in enumerate(objects):
            try:
                columns.annotator[n] = annotator_of(row, annotator)
            except ContentError as mistake:
                columns.wrong[n] = mistake.found, mistake.advice
    builder.add(columns, places)


def each(
    builder: Builder, function: Callable[[Any], Any], rows: Iterable[Numbered]
) -> list[Numbered]:
    """(function(row), line, place) of rows; those with a mistake are left out."""
    policy, attempt = blemishes(), attempts()
    made: list[Numbered] = []
    for row, line, place in rows:
        n_before = len(policy.found) if policy else 0
        try:
            with attempt(line):
                made.append((function(row), line, place))
        except ContentError as mistake:
            problem = Problem(mistake.line or line, mistake.found, mistake.advice)
            builder.left_out[place] = problem
        if policy and len(policy.found) > n_before:
            builder.parts_of.setdefault(place, []).extend(policy.found[n_before:])
            del policy.found[n_before:]
    return made


def typed_row(row: Any, form: Form) -> tuple[Any, Row]:
    """(the typed row of an object, the object), without parts of another type; or a mistake."""
    try:
        return convert(row, form.type), row
    except ValidationError:
        if type(row) is not dict:
            raise ContentError(f"a {type(row).__name__}, not an object", ONE_ARRAY) from None
    if form.check is not None:
        form.check(row)
    parts = {key: part for key, part in form.parts.items() if key in row}
    row = {**row, **{key: _sound(row[key], part) for key, part in parts.items()}}
    try:
        return convert(row, form.type), row
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
            try:
                if part.check is not None:
                    part.check(entry)
                mistake = mistake_in(entry, error, part)
            except ContentError as better:
                mistake = better
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


def checked_annotator(annotator: object, keys: Collection[str]) -> None:
    """Raise for a key of annotators that is none, or one of the keys of a form."""
    if annotator is not None and (type(annotator) is not str or annotator in ("", *keys)):
        raise ValueError(
            f"unknown annotator {quoted(annotator)}; expected the key of the annotator"
        )
