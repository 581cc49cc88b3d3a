"""Regions of a text in Label Studio's results: their places and their attributes."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .annotators import Repeats, annotator_of, by_annotator
from .blemishes import LABELS, ROWS, VALUES, sound_entries
from .corpus import Corpus, Document, Span
from .errors import ContentError, PathLike, known
from .notes import OTHERS, RELATIONS, Notes, Place, add_notes, note
from .rows import (
    Row,
    RowSpans,
    brief,
    checked_span,
    convert_items,
    gather_spans,
    json_value,
    plain_values,
    read_items,
)

COUNTS = ("codepoint", "utf16")
# Where a result that belongs to a region keeps its value, by its type.
SAID = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "datetime": "datetime",
}
PLAIN_TEXT = (
    "only regions of plain text can be read, with start and end in characters: label with Text, "
    "not with HyperText or Paragraphs, and export that project"
)
OTHER_TEXT = (
    "offsets and text must agree: pass --offsets codepoint or utf16 if the version that wrote the "
    "file counts so; versions that drop carriage returns need texts without them"
)


class _Region(NamedTuple):
    """A labelled stretch of the text; `text` is the export's copy, None if it has none."""

    id: str | None
    start: int
    end: int
    text: str | None
    labels: list[Any]


class _Marks(NamedTuple):
    """The result of one annotation: regions, {id: features}, and (control, choice) of the text.

    `left_out` has the types of all other results.
    """

    regions: list[_Region]
    said: dict[str, dict[str, Any]]
    choices: list[tuple[str, str]]
    left_out: list[str]


class _Remark(NamedTuple):
    """A result that may belong to a region: its type, its value, the region and the control."""

    kind: Any
    value: Row
    region: str | None
    control: Any


class _TaskAnswer(NamedTuple):
    """The marks of one annotator; None if the task was skipped."""

    annotator: str
    marks: _Marks | None


class _Task(NamedTuple):
    """A text and its answers."""

    line: int
    name: str | None
    text: str
    attributes: dict[str, Any]
    answers: list[_TaskAnswer]
    minimal: bool


def _marks_of(results: Iterable[Any], title: str) -> _Marks:
    """The `_Marks` of a list of results."""
    marks, others = _Marks([], {}, [], []), []

    def convert(result: Any) -> _Region | _Remark:
        if type(result) is not dict:
            raise ContentError(f"{title}: a result is {brief(result)}", "a result is an object")
        kind, found = result.get("type"), json_value(result, "value", dict, {})
        if kind is not None and type(kind) is not str:
            raise ContentError(
                f"{title}: 'type' is {brief(kind)}", "the type of a result is a string"
            )
        if kind is not None and kind.endswith("labels"):
            return _region_of(found, kind, _region_id(result), title)
        return _Remark(kind, found, _region_id(result), result.get("from_name"))

    for one in sound_entries(results, convert):
        if isinstance(one, _Region):
            marks.regions.append(one)
        elif one.kind in SAID:
            others.append(one)
        else:
            marks.left_out.append(one.kind or "a result without type")
    known_ids = {region.id for region in marks.regions}

    def add(one: _Remark) -> None:
        if type(one.control) is not str:
            raise ContentError(
                f"{title}: 'from_name' is {brief(one.control)}", "each result names its control"
            )
        if one.region is not None and one.region in known_ids:
            said = _feature_value(one.value.get(SAID[one.kind]), one.kind)
            if said is not None:
                marks.said.setdefault(one.region, {})[one.control] = said
        elif one.kind == "choices":
            choices = _choices_of(one.value, title)
            marks.choices.extend((one.control, choice) for choice in choices)
        else:
            marks.left_out.append(one.kind)

    deque(sound_entries(others, add, VALUES), 0)
    return marks


def _region_id(result: Row) -> str | None:
    """The id that results for one region share."""
    found = result.get("id")
    return found if type(found) is str else None


def _minimal_marks(data: Row, title: str) -> _Marks:
    """The `_Marks` of a task of JSON_MIN, whose controls stand beside the data."""
    marks = _Marks([], {}, [], [])
    controls = (
        (control, entry)
        for control, found in data.items()
        for entry in (found if type(found) is list else [found])
        if type(entry) is dict
    )

    def add(said: tuple[str, Row]) -> None:
        control, entry = said
        if "choices" in entry:
            marks.choices.extend((control, choice) for choice in _choices_of(entry, title))
        elif any(key.endswith("labels") for key in entry):
            kind = next(key for key in entry if key.endswith("labels"))
            marks.regions.append(_region_of(entry, kind, None, title))

    deque(sound_entries(controls, add), 0)
    return marks


def _region_of(found: Row, kind: str, name: str | None, title: str) -> _Region:
    """The `_Region` of a value; raises if it is not a region of plain text."""
    if kind != "labels" or "globalOffsets" in found or "startOffset" in found:
        raise ContentError(f"{title}: a region of the type {brief(kind)}", PLAIN_TEXT)
    start, end = found.get("start"), found.get("end")
    if type(start) is not int or type(end) is not int:
        raise ContentError(f"{title}: a region [{brief(start)}, {brief(end)})", PLAIN_TEXT)
    labels = json_value(found, "labels", list, [])
    if not labels:
        raise ContentError(f"{title}: region [{start}, {end}) has no label", "label or remove it")
    text = found.get("text")
    return _Region(name, start, end, text if type(text) is str else None, labels)


def _choices_of(found: Row, title: str) -> list[str]:
    """The choices of a value."""
    choices = json_value(found, "choices", list, [])

    def convert(choice: Any) -> str:
        if type(choice) is not str or not choice:
            raise ContentError(
                f"{title}: 'choices' is {brief(choices)}", "choices are non-empty strings"
            )
        return choice

    return [*sound_entries(choices, convert, LABELS)]


def _feature_value(found: Any, kind: str) -> str | int | float | None:
    """A value that can be a feature; None if it cannot."""
    if kind in ("rating", "number"):
        return found if type(found) in (int, float) else None
    if type(found) is list and found and all(type(one) is str for one in found):
        return "|".join(sorted(found)) if kind == "choices" else "\n".join(found)
    return found if type(found) is str else None


def _unit_of_offsets(tasks: Iterable[_Task]) -> str | None:
    """The unit of the offsets of all regions; None if neither agrees with all their texts."""
    wide = [task for task in tasks if any(letter > "\uffff" for letter in task.text)]
    for count in COUNTS:
        if all(
            _agrees(one.marks.regions, task.text, count)
            for task in wide
            for one in task.answers
            if one.marks
        ):
            return count
    return None


def _agrees(regions: Iterable[_Region], text: str, count: str) -> bool:
    """Whether the text at all regions is that of the export."""
    starts = _starts_of(text, count)
    for region in regions:
        start, end = _character_at(region.start, starts), _character_at(region.end, starts)
        if start is None or end is None or not _is_same_text(text[start:end], region.text):
            return False
    return True


def _starts_of(text: str, count: str) -> Sequence[int | None]:
    """For each unit of a text and its end, the character that begins there; None inside one."""
    if count == "codepoint" or text.isascii():
        return range(len(text) + 1)
    starts: list[int | None] = []
    for i, letter in enumerate(text):
        starts.append(i)
        if letter > "\uffff":
            starts.append(None)
    return [*starts, len(text)]


def _character_at(offset: int, starts: Sequence[int | None]) -> int | None:
    """The character at an offset, None if none begins there."""
    return starts[offset] if 0 <= offset < len(starts) else None


def _is_same_text(text: str, found: str | None) -> bool:
    """Whether two texts are equal but for white space, which the export changes."""
    return found is None or _without_blanks(text) == _without_blanks(found)


def _without_blanks(text: str) -> str:
    """A text without white space, and without the two letters that stand for a line end."""
    return "".join(text.replace("\\n", " ").replace("\\r", " ").split())


def _place_regions(marks: _Marks, text: str, count: str | None, title: str) -> RowSpans:
    """The spans of the regions, in characters of the text."""
    if count is None:
        count = next((one for one in COUNTS if _agrees(marks.regions, text, one)), COUNTS[0])
    starts = _starts_of(text, count)

    def convert(labelled: tuple[_Region, Any]) -> tuple[Span, dict[str, Any]]:
        region, label = labelled
        start, end = _character_at(region.start, starts), _character_at(region.end, starts)
        if start is None or end is None:
            checked_span(region.start, region.end, label, len(starts) - 1, "characters")
            raise ContentError(
                f"{title}: region [{region.start}, {region.end}) cuts a character in two",
                OTHER_TEXT,
            )
        span = checked_span(start, end, label, len(text), "characters")
        if not _is_same_text(text[start:end], region.text):
            raise ContentError(
                f"{title}: the text has {brief(text[start:end])} at [{region.start}, "
                f"{region.end}), but the region {brief(region.text)}",
                OTHER_TEXT,
            )
        return span, marks.said.get(region.id or "", {})

    labelled = ((region, label) for region in marks.regions for label in region.labels)
    return gather_spans(sound_entries(labelled, convert))


NOBODY = "spans"
MINIMAL_KEYS = (
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement",
)  # fmt: skip
ONE_EXPORT = "export with 'data' and 'annotations' in every task (JSON), or in none (JSON_MIN)"


def read_labelstudio(
    path: PathLike,
    *,
    text: str | None = None,
    predictions: bool = False,
    offsets: str = "auto",
    duplicates: str = "merge",
) -> Corpus:
    """The corpus of an export of Label Studio, with one layer for each annotator.

    JSON and JSON_MIN are read, as one array or one task a line. Annotators are called by their
    email, else by their number. A skipped task is not annotated. Labelled regions of the text are
    spans (one for each label); an answer about a region by a choice, number, rating or text
    field is a feature, several choices joined by "|". Choices for the whole text are categories,
    preceded by "control:" if the file has several such controls. Other values of `data` are
    attributes if they are simple. Drafts are skipped; relations and other controls for whole texts
    are left out, and a note counts them.

    An annotation without any region is an annotation without spans; one without choices has no
    categories if the file has choices at all. JSON_MIN writes a single choice like a value of the
    data; it is a category if its control has several choices anywhere in the file, else an
    attribute: export JSON for categories.

    Parameters
    ----------
    text : str, optional
        Key of the text in `data`; by default "text", or the only string.
    predictions : bool
        Whether predictions of models are layers too, called "model:VERSION". By default they are
        skipped: a model is not an annotator.
    offsets : "auto", "codepoint" or "utf16"
        Unit of offsets. Label Studio counted UTF-16 units, two for an emoji, and has counted
        Unicode code points in newer versions. "auto": what agrees with the texts of the regions in
        the whole file, else in each annotation.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second annotation of a task by one annotator: equal ones are one, or the
        last one counts.
    """
    known(offsets, ("auto", *COUNTS), "value of offsets")
    if text is not None and type(text) is not str:
        raise ValueError(f"unknown text {quoted(text)}; expected the key of the text in 'data'")
    repeats = Repeats(path, duplicates)
    tasks = read_items(path, lambda row, line: _task_of(row, line, text, predictions, repeats))
    documents = _documents_of(path, tasks, offsets, repeats)
    return Corpus(str(path), documents, "char", notes=repeats.notes + _notes_of(path, tasks))


def _notes_of(path: PathLike, tasks: Iterable[_Task]) -> Notes:
    """Notes of results that are neither regions nor said of one, nor choices for the text."""
    return add_notes(
        note(RELATIONS if kind == "relation" else OTHERS, [Place(str(path), task.line, kind)])
        for task in tasks
        for answer in task.answers
        for kind in (answer.marks.left_out if answer.marks else ())
    )


def _task_of(
    row: Row, line: int, key: str | None, predictions: bool, repeats: Repeats | None = None
) -> _Task:
    """The `_Task` of one JSON object."""
    name = row.get("id")
    if name is not None and type(name) not in (str, int):
        raise ContentError(f"'id' is {brief(name)}", "'id' is a number or a string")
    name = name if name is None else str(name)
    title = "a task" if name is None else f"task {name}"
    minimal = "data" not in row
    if minimal:
        data = {key: said for key, said in row.items() if key not in MINIMAL_KEYS}
        annotator = annotator_of(row, "annotator") or NOBODY
        answers = [_TaskAnswer(annotator, _minimal_marks(data, title))]
    else:
        data = json_value(row, "data", dict, {})
        answers = _answers_of(row, title, predictions, repeats or Repeats(""), line)
    key = _text_key(data, key, title)
    attributes = plain_values(data, (key,))
    return _Task(line, name, data[key], attributes, answers, minimal)


def _text_key(data: Row, key: str | None, title: str) -> str:
    """The key of the text."""
    strings = [name for name, said in data.items() if type(said) is str]
    found = key or ("text" if "text" in strings else None)
    if found is None and len(strings) == 1:
        return strings[0]
    if found not in strings:
        names = ", ".join(map(repr, sorted(data))) or "nothing"
        what = "no text" if found is None else f"no text {quoted(found)}"
        raise ContentError(
            f"{title} has {what}, but {names}", "name the key of the text: --text KEY"
        )
    return found


def _answers_of(
    row: Row, title: str, predictions: bool, repeats: Repeats, line: int
) -> list[_TaskAnswer]:
    """The answers to a task; a skipped one gives way to another by the same annotator."""
    rows = json_value(row, "annotations", list) or json_value(row, "completions", list, [])
    found: dict[str, _TaskAnswer] = {}

    def add(entry: Any) -> None:
        one = _TaskAnswer(_annotator_name(entry, title), _result_of(entry, title))
        before = found.get(one.annotator)
        if before is None or before.marks is None:
            found[one.annotator] = one
        elif one.marks is not None:
            same = _without_ids(one.marks) == _without_ids(before.marks)
            if repeats.how != "last" and (repeats.how == "error" or not same):
                raise ContentError(
                    f"{title}: a second annotation by {quoted(one.annotator)}",
                    "keep one annotation of each annotator in a task, or have the last one read "
                    "(--duplicates last)",
                )
            found[one.annotator] = one
            repeats.places.append(Place(str(repeats.path), line, title))

    def add_prediction(entry: Any) -> None:
        version = entry.get("model_version") if type(entry) is dict else None
        name = f"model:{version}" if type(version) in (str, int) else "model"
        if name in found:
            raise ContentError(
                f"{title}: a second prediction by {quoted(name)}", "keep one of each model"
            )
        found[name] = _TaskAnswer(name, _result_of(entry, title))

    deque(sound_entries(rows, add, ROWS), 0)
    if predictions:
        deque(sound_entries(json_value(row, "predictions", list, []), add_prediction, ROWS), 0)
    return list(found.values())


def _without_ids(marks: _Marks) -> object:
    """The content of an annotation, without the ids of its regions."""
    regions = [(one._replace(id=None), marks.said.get(one.id or "", {})) for one in marks.regions]
    return sorted(regions, key=repr), sorted(marks.choices)


def _annotator_name(entry: Any, title: str) -> str:
    """Name of the annotator: the email, else the number."""
    if type(entry) is not dict:
        raise ContentError(
            f"{title}: an annotation is {brief(entry)}", "an annotation is an object"
        )
    who = entry.get("completed_by")
    if type(who) is dict:
        return annotator_of(who, "email") or annotator_of(who, "id") or NOBODY
    return annotator_of(entry, "completed_by") or NOBODY


def _result_of(entry: Any, title: str) -> _Marks | None:
    """The `_Marks` of an annotation or prediction; None if it was skipped."""
    if type(entry) is not dict:
        raise ContentError(f"{title}: a prediction is {brief(entry)}", "a prediction is an object")
    if entry.get("was_cancelled") is True or entry.get("skipped") is True:
        return None
    return _marks_of(json_value(entry, "result", list, []), title)


def _documents_of(
    path: PathLike, tasks: Sequence[_Task], offsets: str, repeats: Repeats | None = None
) -> list[Document]:
    """The documents of tasks; raises once for all mistakes."""
    if tasks[0].minimal:
        tasks = _with_single_choices(tasks)
    marks = [one.marks for task in tasks for one in task.answers if one.marks]
    controls = sorted({control for one in marks for control, _ in one.choices})
    spans = any(one.regions for one in marks) or not controls
    count = _unit_of_offsets(tasks) if offsets == "auto" else offsets

    def convert(task: _Task, line: int) -> Document:
        if task.minimal != tasks[0].minimal:
            raise ContentError(
                "a task of JSON among tasks of JSON_MIN, or the other way", ONE_EXPORT
            )
        return _document_of(task, spans, controls, count)

    made = convert_items(path, [(task, task.line) for task in tasks], convert)
    if not tasks[0].minimal:
        return made
    names = (task.answers[0].annotator for task in tasks)
    return by_annotator(path, zip(made, names), repeats)


def _with_single_choices(tasks: Sequence[_Task]) -> Sequence[_Task]:
    """Tasks of JSON_MIN with choices that were written like values of the data."""
    marks = [one.marks for task in tasks for one in task.answers if one.marks]
    controls = {control for one in marks for control, _ in one.choices}
    for task in tasks:
        for control in sorted(controls & {*task.attributes}):
            if type(task.attributes[control]) is str and task.answers[0].marks:
                choice = task.attributes.pop(control)
                task.answers[0].marks.choices.append((control, choice))
    return tasks


def _document_of(task: _Task, spans: bool, controls: Sequence[str], count: str | None) -> Document:
    """The document of a task, in a file with or without spans, and with these controls."""
    layers: dict[str, Sequence[Span] | None] = {}
    features, copies, categories = {}, {}, {}
    title = "a task" if task.name is None else f"task {task.name}"
    for annotator, marks in task.answers:
        if spans and marks is None:
            layers[annotator] = None
        elif spans and marks is not None:
            found = _place_regions(marks, task.text, count, title)
            layers[annotator] = found.spans
            features[annotator], copies[annotator] = found.features, found.copies
        if controls:
            categories[annotator] = None if marks is None else _labels_of(marks, controls)
    return Document(
        (),
        layers,
        name=task.name,
        text=task.text,
        lines=(task.line,),
        features=features,
        copies=copies,
        categories=categories,
        attributes=task.attributes,
    )


def _labels_of(marks: _Marks, controls: Sequence[str]) -> list[str]:
    """The choices for a whole text, each once."""
    several = len(controls) > 1
    return sorted({f"{control}:{name}" if several else name for control, name in marks.choices})
