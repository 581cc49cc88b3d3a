"""Exports of Label Studio as JSON, with one layer for each annotator.

    {"id": 1, "data": {"text": "Ada slept"}, "annotations": [{"completed_by": 5, "result": [
     {"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}]}

A skipped task is not annotated. Labelled regions of the text are spans (one for each label), none
if there is no region; choices for the whole text are categories, preceded by "control:" if the file
has several such controls. Other values of `data` are attributes if they are simple. Drafts are
skipped; relations, what is said of regions and other controls are left out, and a note counts them.

Offsets count characters, as Label Studio does since it no longer counts an emoji as two: they must
agree with the texts of the regions.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .errors import ContentError, known
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .notes import OTHERS, RELATIONS
from .rows import brief, json_value, plain_values, text_in

MODEL = "model_version"  # the key that names the annotator of predictions
PLAIN_TEXT = (
    "offsets are characters, and agree with 'text': label with Text, not HyperText or Paragraphs; "
    "versions that drop carriage returns, or count an emoji as two, need texts without them"
)


class _Answers(NamedTuple):
    """What one annotation says: regions, (control, choice) of the text, types of all else."""

    annotator: str
    skipped: bool
    regions: list[Row]
    choices: list[tuple[str, str]]
    left_out: list[str]


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> tuple[bool, bool, list[str]]:
    """(whether predictions are read, whether there are spans, the controls of choices)."""
    known(reading.annotator or MODEL, (MODEL,), "annotator of Label Studio")
    rows = [*rows]
    models = reading.annotator == MODEL or not any(row.get("annotations") for row in rows)
    found: list[_Answers] = []
    for row in rows:
        with suppress(ContentError):  # which reading reports
            found += map(_answers_of, _task_of(row, reading, models)[2])
    controls = sorted({control for one in found for control, _ in one.choices})
    return models, any(one.regions for one in found) or not controls, controls


def _translate(
    row: Row, reading: Reading, facts: tuple[bool, bool, list[str]]
) -> list[tuple[Row, str]]:
    """The annotations of a task, as rows of JSONL."""
    models, has_spans, controls = facts
    data, key, entries = _task_of(row, reading, models)
    text, document = data[key], object()
    same = {"id": row.get("id"), "text": text, "*attributes": plain_values(data, (key,))}
    made = []
    for answers in map(_answers_of, entries):
        own: Row = {"*annotator": Answer(answers.annotator, document=document)}
        if has_spans:
            spans = [span for one in answers.regions for span in _spans_of(one, text)]
            own["spans"] = None if answers.skipped else spans
        if controls:
            several = len(controls) > 1
            chosen = {f"{one}:{label}" if several else label for one, label in answers.choices}
            own["categories"] = {SINGLE: None if answers.skipped else sorted(chosen)}
        kinds = answers.left_out
        own["*notes"] = [(RELATIONS if one == "relation" else OTHERS, one) for one in kinds]
        made.append((same | own, "char"))
    return made or [(same | {"*annotator": Answer(None, document=document)}, "char")]


def _task_of(row: Row, reading: Reading, models: bool) -> tuple[Row, str, list[Any]]:
    """(the data, the key of the text in it, the annotations or predictions) of a task."""
    data = json_value(row, "data", dict)
    if data is None:
        raise ContentError("a task without 'data'", "export the project as JSON, not as JSON_MIN")
    entries = json_value(row, "predictions" if models else "annotations", list, [])
    return data, text_in(data, reading), entries


def _answers_of(entry: Any) -> _Answers:
    """Whose annotation or prediction it is, and what it says."""
    if type(entry) is not dict:
        raise ContentError(f"an annotation is {brief(entry)}", "an annotation is an object")
    by = entry.get("completed_by")
    if by is None and MODEL in entry:
        who = f"model:{annotator_of(entry, MODEL) or ''}".removesuffix(":")
    elif type(by) is dict:
        who = annotator_of(by, "email") or annotator_of(by, "id") or SINGLE
    else:
        who = annotator_of(entry, "completed_by") or SINGLE
    skipped = entry.get("was_cancelled") is True
    answers = _Answers(who, skipped, [], [], [])
    results = [] if skipped else json_value(entry, "result", list, [])
    if not all(type(one) is dict for one in results):
        raise ContentError(f"'result' is {brief(results)}", "a result is an object")
    ids = {str(one.get("id")) for one in results if str(one.get("type")).endswith("labels")}
    for result in results:
        kind, value = json_value(result, "type", str, ""), json_value(result, "value", dict, {})
        if kind.endswith("labels"):
            odd = kind != "labels" or value.keys() & {"globalOffsets", "startOffset"}
            if odd or {type(value.get(key)) for key in ("start", "end")} != {int}:
                what = f"a region of the type {quoted(kind)}: {brief(value)}"
                raise ContentError(what, PLAIN_TEXT)
            if not json_value(value, "labels", list):
                raise ContentError(f"a region without label: {brief(value)}", "label or remove it")
            answers.regions.append(value)
        elif kind == "choices" and str(result.get("id", "")) not in ids:
            chosen = json_value(value, "choices", list, [])
            if not all(type(one) is str for one in chosen):
                raise ContentError(f"'choices' is {brief(chosen)}", "choices are strings")
            answers.choices.extend((str(result.get("from_name")), one) for one in chosen)
        else:
            answers.left_out.append(kind or "a result without type")
    return answers


def _spans_of(region: Row, text: str) -> list[Row]:
    """The spans of the labels of a region; its copy of the text must be there but for spaces."""
    start, end = region["start"], region["end"]
    own = text[max(start, 0) : max(end, 0)]
    copy = region["text"] if type(region.get("text")) is str else own
    one, two = (part.replace("\\n", " ").replace("\\r", " ").split() for part in (own, copy))
    if "".join(one) != "".join(two):
        raise ContentError(f"a region that is not in the text: {brief(region)}", PLAIN_TEXT)
    return [{"start": start, "end": end, "label": label} for label in region["labels"]]


FORM = Form(
    _translate,
    survey=_survey,
    join=lambda corpus, answers, reading: merge_answers(
        corpus, answers, reading.duplicates or "merge"
    ),
)
