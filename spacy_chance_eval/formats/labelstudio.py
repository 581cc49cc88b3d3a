"""Exports of Label Studio, JSON and JSON_MIN, with one layer for each annotator.

    {"id": 1, "data": {"text": "Ada slept"}, "annotations": [{"completed_by": 5, "result": [
     {"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}]}

Annotators are called by their email, else by their number. A skipped task is not annotated.
Labelled regions of the text are spans (one for each label); an answer about a region by a choice,
number, rating or text field is a feature, several choices joined by "|". Choices for the whole text
are categories, preceded by "control:" if the file has several such controls. Other values of `data`
are attributes if they are simple. Drafts are skipped; relations and other controls for whole texts
are left out, and a note counts them.

Predictions of models are layers, called "model:VERSION", with `annotator=model_version`, or where
no task has an annotation.

An annotation without any region is an annotation without spans; one without choices has no
categories if the file has choices at all. JSON_MIN writes a single choice like a value of the data;
it is a category if its control has several choices anywhere in the file, else an attribute: export
JSON for categories.

Label Studio counted UTF-16 units, two for an emoji, and counts Unicode code points in newer
versions: what agrees with the texts of the regions in the whole file, else in each annotation.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, join_answers
from .blemishes import ROWS, VALUES, sound_entries
from .errors import ContentError, known
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .notes import OTHERS, RELATIONS
from .rows import brief, json_value, plain_values

# where a result that belongs to a region keeps its value, by its type
SAID = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "datetime": "datetime",
}
MODEL = "model_version"  # the key that names the annotator of predictions
MINIMAL_KEYS = (
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement",
)  # fmt: skip
PLAIN_TEXT = (
    "only regions of plain text can be read, with start and end in characters: label with Text, "
    "not with HyperText or Paragraphs, and export that project"
)
OTHER_TEXT = (
    "offsets and text must agree; versions that drop carriage returns need texts without them"
)
ONE_EXPORT = "export with 'data' and 'annotations' in every task (JSON), or in none (JSON_MIN)"


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
    said: dict[Any, dict[str, Any]]
    choices: list[tuple[str, str]]
    left_out: list[str]


_Answer: TypeAlias = tuple[str, _Marks | None]  # an annotator, and None if the task was skipped


class _Facts(NamedTuple):
    """What all tasks of a file tell: whether they are JSON_MIN, whether predictions are read,
    whether there are regions, the controls of choices, and the unit of offsets if it is one.
    """

    minimal: bool
    models: bool
    spans: bool = True
    controls: Sequence[str] = ()
    utf16: bool | None = False


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> _Facts:
    """The facts of a file."""
    known(reading.annotator or MODEL, (MODEL,), "annotator of Label Studio")
    tasks, rows = [], [*rows]
    minimal = "data" not in rows[0] if rows else False
    models = not minimal and not any(
        row.get("annotations") or row.get("completions") for row in rows
    )
    facts = _Facts(minimal, models or reading.annotator == MODEL)
    for row in rows:
        try:
            tasks.append(_task_of(row, reading, facts))
        except ContentError:  # which reading reports
            continue
    marks = [(text, one) for text, _, answers in tasks for _, one in answers if one]
    controls = sorted({control for _, one in marks for control, _ in one.choices})
    spans = any(one.regions for _, one in marks) or not controls
    wide = [(text, one) for text, one in marks if max(text, default="") > "\uffff"]
    agreeing = (
        unit for unit in (False, True) if all(_agree(one, text, unit) for text, one in wide)
    )
    return facts._replace(spans=spans, controls=controls, utf16=next(agreeing, None))


def _translate(row: Row, reading: Reading, facts: _Facts) -> list[tuple[Row, str]]:
    """The annotations of a task, as rows of JSONL."""
    name = row.get("id")
    if type(name) not in (str, int, type(None)):
        raise ContentError(f"'id' is {brief(name)}", "'id' is a number or a string")
    if ("data" not in row) != facts.minimal:
        raise ContentError("a task of JSON among tasks of JSON_MIN, or the other way", ONE_EXPORT)
    text, attributes, answers = _task_of(row, reading, facts)
    apart = None if facts.minimal else object()
    same = {"id": name, "text": text, "*attributes": attributes}
    found = []
    for who, marks in answers:
        own: Row = {"*annotator": Answer(who, document=apart)}
        if facts.spans:
            own["spans"] = marks and _spans_of(marks, text, facts.utf16)
        if facts.controls:
            several = len(facts.controls) > 1
            pairs = marks.choices if marks else ()
            chosen = sorted({f"{one}:{label}" if several else label for one, label in pairs})
            own["categories"] = {SINGLE: chosen if marks else None}
        kinds = marks.left_out if marks else ()
        own["*notes"] = [(RELATIONS if one == "relation" else OTHERS, one) for one in kinds]
        found.append((same | own, "char"))
    return found or [(same | {"*annotator": Answer(None, document=apart)}, "char")]


def _task_of(row: Row, reading: Reading, facts: _Facts) -> tuple[str, Row, list[_Answer]]:
    """(text, attributes, answers) of a task."""
    try:
        if facts.minimal:
            row = _with_results(row, facts.controls)
        data = json_value(row, "data", dict, {})
        key = _text_key(data, reading.text)
        if facts.models:
            entries = json_value(row, "predictions", list, [])
        else:
            entries = json_value(row, "annotations", list, []) or json_value(
                row, "completions", list, []
            )
        answers = [*sound_entries(entries, _answer_of, ROWS)]
        return data[key], plain_values(data, (key,)), answers
    except ContentError as mistake:
        title = "a task" if row.get("id") is None else f"task {row['id']}"
        raise ContentError(f"{title}: {mistake.found}", mistake.advice) from None


def _with_results(row: Row, controls: Sequence[str]) -> Row:
    """A task of JSON_MIN, whose controls stand beside the data, as one of JSON."""
    data, results = {}, []
    for control, found in row.items():
        entries = [one for one in (found if type(found) is list else [found]) if type(one) is dict]
        if control in controls and type(found) is str:
            entries = [{"choices": [found]}]
        elif control not in MINIMAL_KEYS and not entries:
            data[control] = found
        for value in entries:
            kind = next((key for key in value if key == "choices" or key.endswith("labels")), None)
            if kind is not None:
                results.append({"type": kind, "value": value, "from_name": control})
    answer = {"completed_by": row.get("annotator"), "result": results}
    return {"id": row.get("id"), "data": data, "annotations": [answer]}


def _text_key(data: Row, key: str | None) -> str:
    """The key of the text: the one that is named, "text", or that of the only string."""
    strings = [name for name, said in data.items() if type(said) is str]
    found = key or ("text" if "text" in strings else strings[0] if len(strings) == 1 else None)
    if found not in strings:
        names = ", ".join(map(repr, sorted(data))) or "nothing"
        what = "no text" if found is None else f"no text {quoted(found)}"
        raise ContentError(f"{what}, but {names}", "name the key of the text: --text KEY")
    return str(found)


def _answer_of(entry: Any) -> _Answer:
    """Whose annotation or prediction it is, and its marks; None if it was skipped."""
    if type(entry) is not dict:
        raise ContentError(f"an annotation is {brief(entry)}", "an annotation is an object")
    by = entry.get("completed_by")
    if by is None and MODEL in entry:
        who = f"model:{annotator_of(entry, MODEL) or ''}".removesuffix(":")
    elif type(by) is dict:
        who = annotator_of(by, "email") or annotator_of(by, "id") or SINGLE
    else:
        who = annotator_of(entry, "completed_by") or SINGLE
    if entry.get("was_cancelled") is True or entry.get("skipped") is True:
        return who, None
    return who, _marks_of(json_value(entry, "result", list, []))


def _marks_of(results: Iterable[Any]) -> _Marks:
    """The marks of a list of results."""
    marks, others = _Marks([], {}, [], []), []

    def convert(result: Any) -> None:
        if type(result) is not dict:
            raise ContentError(f"a result is {brief(result)}", "a result is an object")
        kind, value = json_value(result, "type", str, ""), json_value(result, "value", dict, {})
        if kind.endswith("labels"):
            marks.regions.append(_region_of(value, kind, _id_of(result)))
        elif kind in SAID:
            others.append((kind, value, result))
        else:
            marks.left_out.append(kind or "a result without type")

    def add(other: tuple[str, Row, Row]) -> None:
        kind, value, result = other
        control, region = json_value(result, "from_name", str), _id_of(result)
        if control is None:
            raise ContentError("a result without 'from_name'", "each result names its control")
        if region in known_ids:
            if (said := _feature(value.get(SAID[kind]), kind)) is not None:
                marks.said.setdefault(region, {})[control] = said
        elif kind == "choices":
            chosen = json_value(value, "choices", list, [])
            if not all(type(one) is str for one in chosen):
                raise ContentError(f"'choices' is {brief(chosen)}", "choices are strings")
            marks.choices.extend((control, one) for one in chosen)
        else:
            marks.left_out.append(kind)

    [*sound_entries(results, convert)]
    known_ids = [region.id for region in marks.regions if region.id is not None]
    [*sound_entries(others, add, VALUES)]
    return marks


def _id_of(result: Row) -> str | None:
    """The id that results for one region share."""
    return result["id"] if type(result.get("id")) is str else None


def _region_of(found: Row, kind: str, name: str | None) -> _Region:
    """The `_Region` of a value; raises if it is not a region of plain text."""
    start, end = found.get("start"), found.get("end")
    odd = kind != "labels" or "globalOffsets" in found or "startOffset" in found
    if odd or type(start) is not int or type(end) is not int:
        what = f"a region [{brief(start)}, {brief(end)}) of the type {brief(kind)}"
        raise ContentError(what, PLAIN_TEXT)
    labels = json_value(found, "labels", list, [])
    if not labels:
        raise ContentError(f"region [{start}, {end}) has no label", "label or remove it")
    text = found.get("text")
    return _Region(name, start, end, text if type(text) is str else None, labels)


def _feature(found: Any, kind: str) -> str | int | float | None:
    """A value that can be a feature; None if it cannot."""
    if kind in ("rating", "number"):
        return found if type(found) in (int, float) else None
    if type(found) is list and found and all(type(one) is str for one in found):
        return "|".join(sorted(found)) if kind == "choices" else "\n".join(found)
    return found if type(found) is str else None


def _agree(marks: _Marks, text: str, utf16: bool) -> bool:
    """Whether the text at all regions is that of the export."""
    starts = _starts_of(text, utf16)
    return all(_is_same_text(text, _place_of(one, starts), one.text) for one in marks.regions)


def _starts_of(text: str, utf16: bool) -> Sequence[int | None]:
    """For each unit of a text and its end, the character that begins there; None inside one."""
    if not utf16:
        return range(len(text) + 1)
    starts: list[int | None] = []
    for i, letter in enumerate(text):
        starts += [i, None] if letter > "\uffff" else [i]
    return [*starts, len(text)]


def _place_of(region: _Region, starts: Sequence[int | None]) -> tuple[int, int] | None:
    """Start and end in characters; None if none begins there."""
    start, end = (starts[at] if 0 <= at < len(starts) else None for at in region[1:3])
    return None if start is None or end is None else (start, end)


def _is_same_text(text: str, place: tuple[int, int] | None, found: str | None) -> bool:
    """Whether the text at a place is that of the export, which changes white space."""

    def letters(text: str) -> str:
        return "".join(text.replace("\\n", " ").replace("\\r", " ").split())

    return place is not None and (found is None or letters(text[slice(*place)]) == letters(found))


def _spans_of(marks: _Marks, text: str, utf16: bool | None) -> list[Row | ContentError]:
    """The spans of the regions, in characters of the text; a mistake in the place of a bad one."""
    if utf16 is None:
        utf16 = not _agree(marks, text, False) and _agree(marks, text, True)
    starts = _starts_of(text, utf16)
    spans: list[Row | ContentError] = []
    for region in marks.regions:
        start, end = place = _place_of(region, starts) or region[1:3]
        if place[1] < len(starts) and not _is_same_text(text, place, region.text):
            has = f"the text has {brief(text[start:end])} at [{region.start}, {region.end})"
            spans.append(ContentError(f"{has}, but the region {brief(region.text)}", OTHER_TEXT))
            continue
        features = marks.said.get(region.id, {})
        spans += [
            {"start": start, "end": end, "label": label, "features": features}
            for label in region.labels
        ]
    return spans


FORM = Form(_translate, survey=_survey, join=join_answers)
