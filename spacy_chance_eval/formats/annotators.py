"""Rows of several annotators as documents with one layer for each annotator."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from ..measures.messages import quoted
from ..measures.spans import Copy
from .blemishes import ROWS, blemishes, leave_out, made_of_rows
from .corpus import Document, Span, Stretch, Unplaced, in_order
from .errors import ContentError, Problem
from .notes import ANSWERS, Notes, Place, note
from .rows import Row, brief, problem_of

# Fields in which the rows of one document must agree, and the value of a row without the field.
SHARED = {"words": None, "text": None, "spaces": None, "sents": ()}
SAME_TEXT = "rows of one document need the same text and tokens: correct the row, or its id"
ONE_ANSWER = "keep one answer of each annotator to each document"
# how several answers can be read, by whether they are equal
READ_ONCE = {
    False: "have the last one read (--duplicates last)",
    True: "have equal ones read as one (--duplicates merge)",
}
NAME_IT = "say in every row whose annotation it is, or leave the annotation out"
ONE_LAYER = "keep one layer in a row that names its annotator"


_RowOfAnnotator: TypeAlias = tuple[Document, str | None]


class _RowAnswer(NamedTuple):
    """The content of one row on one document: spans or categories, and their attributes."""

    found: Sequence[Any]
    unplaced: Sequence[Unplaced] = ()
    features: Mapping[Span, Mapping[str, Any]] = {}
    copies: Mapping[Span, Sequence[Copy]] = {}
    missing: Sequence[Stretch] = ()


def annotator_of(row: Row, key: str) -> str | None:
    """The annotator that a JSON object names under a key; None without a name."""
    found = row.get(key)
    if found is not None and type(found) is not int and (type(found) is not str or not found):
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", "an annotator is a non-empty string or a number"
        )
    return found if found is None else str(found)


@dataclass(frozen=True, eq=False)
class Repeats:
    """Treatment of second answers of an annotator to a document, and where there were any.

    Parameters
    ----------
    path : object
        The file.
    how : "error", "merge", "last" or "keep"
        last: the last answer counts. error: a second one is an error. Otherwise equal ones are one.
    places : list of Place
        Those of answers that were left out; gathered while the file is read.
    """

    path: object
    how: str = "merge"
    places: list[Place] = field(default_factory=list)

    def add(self, document: Document, line: int | None = None) -> None:
        """Note an answer that was left out."""
        name = "a document" if document.name is None else f"document {quoted(document.name)}"
        self.places.append(Place(str(self.path), line or document.line(0), name))

    @property
    def notes(self) -> Notes:
        """The reader's notes on them, in the order of the file."""
        return note(ANSWERS, sorted(self.places, key=lambda place: place.line or 0))


def by_annotator(
    path: object, rows: Iterable[tuple[Document, str | None]], repeats: Repeats | None = None
) -> list[Document]:
    """Documents with the layers of all their annotators, in the order of their first rows.

    Rows are of the same document if they have the same name; rows without a name, if they have the
    same tokens (without tokens: the same text). A layer that is None, not annotated, gives way to
    an annotation by the same annotator, and equal answers count once. Attributes are kept if no two
    rows of the document contradict each other.

    Parameters
    ----------
    rows : sequence of (Document, annotator)
        Each document with at most one layer of spans and one of categories, under any names.
        The annotator may be None in a row without annotation.
    repeats : Repeats, optional
        How to treat a second answer; by default equal ones are one.
    """
    groups: dict[object, list[_RowOfAnnotator]] = {}
    problems: list[Problem] = []
    for document, annotator in rows:
        groups.setdefault(document_key(document), []).append((document, annotator))
    repeats = repeats or Repeats(path)
    n_before = len(repeats.places)
    merged = [_merge_rows(group, repeats, problems) for group in groups.values()]
    if problems and blemishes():
        del repeats.places[n_before:], problems[:]
        sound = [_sound_rows(group, repeats, problems) for group in groups.values()]
        merged = [_merge_rows(group, repeats, []) for group in sound if group]
    leave_out(path, problems, ROWS)
    made_of_rows(len(merged))
    return merged


def document_key(document: Document) -> tuple[str, object]:
    """The shared values of rows of the same document."""
    if document.name is not None:
        return ("name", document.name)
    return ("tokens", document.words) if document.words else ("text", document.text)


def _sound_rows(
    group: Sequence[_RowOfAnnotator], repeats: Repeats, problems: list[Problem]
) -> list[_RowOfAnnotator]:
    """The rows of a document that go with those before them; a problem of each other is added."""
    kept: list[_RowOfAnnotator] = []
    for row in group:
        found: list[Problem] = []
        _merge_rows([*kept, row], Repeats(repeats.path, repeats.how), found)
        problems += found[:1]
        kept += [] if found else [row]
    return kept


def _merge_rows(
    group: Sequence[_RowOfAnnotator], repeats: Repeats, problems: list[Problem]
) -> Document:
    """One document of all its rows; errors are added to `problems`."""
    documents = [document for document, _ in group]
    shared = {name: _agreed_value(documents, name, problems) for name in SHARED}
    spans: dict[str, tuple[_RowAnswer | None, Document]] = {}
    categories: dict[str, tuple[_RowAnswer | None, Document]] = {}
    for document, annotator in group:
        for answers, found in ((spans, _spans_of(document, problems)),
                               (categories, _categories_of(document, problems))):  # fmt: skip
            for answer in found:
                if annotator is not None:
                    _add_answer(answers, annotator, answer, document, repeats, problems)
                elif answer is not None:
                    what = "an annotation without its annotator"
                    problems.append(problem_of(document, what, NAME_IT))
    given = {name: answer for name, (answer, _) in spans.items() if answer is not None}
    missing = [set(answer.missing) for answer in given.values()] or [set(documents[0].missing)]
    everywhere = set[Stretch].intersection(*missing)
    return replace(
        documents[0],
        **shared,
        layers={name: answer and answer.found for name, (answer, _) in spans.items()},
        categories={name: answer and answer.found for name, (answer, _) in categories.items()},
        unplaced={name: answer.unplaced for name, answer in given.items()},
        features={name: answer.features for name, answer in given.items()},
        copies={name: answer.copies for name, answer in given.items()},
        missing=in_order(everywhere),
        missing_in={name: [*{*answer.missing} - everywhere] for name, answer in given.items()},
        attributes=_common_attributes(documents),
    )


def _agreed_value(documents: Sequence[Document], field: str, problems: list[Problem]) -> Any:
    """The value of a field that is the same in all rows that have it."""
    given = [doc for doc in documents if getattr(doc, field) != SHARED[field]] or documents[:1]
    found = getattr(given[0], field)
    for other in given:
        if getattr(other, field) != found:
            what = f"other {field} than line {given[0].line(0)} has for the same document"
            problems.append(problem_of(other, what, SAME_TEXT))
            break
    return found


def _spans_of(document: Document, problems: list[Problem]) -> list[_RowAnswer | None]:
    """The answer of a row with a layer of spans, None if not annotated; [] without the layer."""
    name = _only({*document.layers, *document.unplaced, *document.features}, document, problems)
    if name is None:
        return []
    found, unplaced = document.layers.get(name), document.unplaced.get(name, ())
    if found is None and not unplaced:
        return [None]
    features = document.features.get(name, {})
    copies = document.copies.get(name, {})
    return [_RowAnswer(found or (), unplaced, features, copies, document.gaps(name))]


def _categories_of(document: Document, problems: list[Problem]) -> list[_RowAnswer | None]:
    """The answer of a row with categories, None if not annotated; [] without such a layer."""
    name = _only(document.categories, document, problems)
    if name is None:
        return []
    found = document.categories[name]
    return [None if found is None else _RowAnswer(found)]


def _only(names: Collection[str], document: Document, problems: list[Problem]) -> str | None:
    """The one name, or None."""
    if len(names) > 1:
        found = f"the layers {', '.join(map(repr, sorted(names)))} in one row"
        problems.append(problem_of(document, found, ONE_LAYER))
    return min(names, default=None)


def _add_answer(
    answers: dict[str, tuple[_RowAnswer | None, Document]],
    annotator: str,
    answer: _RowAnswer | None,
    document: Document,
    repeats: Repeats,
    problems: list[Problem],
) -> None:
    """Note an answer, with its row; one that contradicts an earlier one may be a problem."""
    before, row = answers.get(annotator, (None, document))
    if before is None:
        answers[annotator] = (answer, document)
    elif answer is None:
        return
    elif repeats.how == "last" or answer == before and repeats.how != "error":
        answers[annotator] = (answer, document)
        repeats.add(row)
    else:
        problems.append(second_answer(document, annotator, row, answer == before))


def second_answer(document: Document, annotator: str, before: Document, equal: bool) -> Problem:
    """The problem of an annotator's second answer to a document, with that before."""
    which = "second, equal" if equal else "second, other"
    found = f"a {which} answer of {quoted(annotator)}, who also has one in line {before.line(0)}"
    return problem_of(document, found, f"{ONE_ANSWER}, or {READ_ONCE[equal]}")


def _common_attributes(documents: Sequence[Document]) -> dict[str, Any]:
    """The attributes that no two rows contradict."""
    found: dict[str, list[Any]] = {}
    for document in documents:
        for key, value in document.attributes.items():
            found.setdefault(key, []).append(value)
    return {
        key: values[0]
        for key, values in found.items()
        if all(type(one) is type(values[0]) and one == values[0] for one in values)
    }
