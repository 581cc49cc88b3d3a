"""Exports of Label Studio as JSON, with one layer for each annotator.

    {"id": 1, "data": {"text": "Ada slept"}, "annotations": [{"completed_by": 5, "result": [
     {"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}]}

Annotators are called by their email, else by their number. A skipped task is not annotated.
Labelled regions of the text are spans (one for each label). Choices for the whole text are
categories, preceded by "control:" if the file has several such controls. Other values of `data` are
attributes if they are simple. Drafts are skipped; relations, what is said of regions and other
controls are left out, and a note counts them.

Predictions of models are layers, called "model:VERSION", with `annotator=model_version`, or where
no task has an annotation.

An annotation without any region is an annotation without spans; one without choices has no
categories if the file has choices at all.

Label Studio counted UTF-16 units, two for an emoji, and counts Unicode code points in newer
versions: what agrees with the texts of the regions in the whole file.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .errors import ContentError, known
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .notes import OTHERS, RELATIONS
from .rows import brief, json_value, plain_values

MODEL = "model_version"  # the key that names the annotator of predictions
PLAIN_TEXT = (
    "offsets are characters, and agree with 'text': label with Text, not HyperText or Paragraphs; "
    "versions that drop carriage returns need texts without them"
)


class _Answers(NamedTuple):
    """The result of one annotation: regions, (control, choice) of the whole text, and the types of
    all other results.
    """

    annotator: str
    skipped: bool
    regions: list[Row]
    choices: list[tuple[str, str]]
    left_out: list[str]


class _Facts(NamedTuple):
    """What all tasks of a file tell: whether predictions are read, whether there are regions, the
    controls of choices, and whether offsets count units of UTF-16.
    """

    models: bool
    spans: bool = True
    controls: Sequence[str] = ()
    utf16: bool = False


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> _Facts:
    """The facts of a file."""
    known(reading.annotator or MODEL, (MODEL,), "annotator of Label Studio")
    rows = [*rows]
    annotated = any(row.get("annotations") or row.get("completions") for row in rows)
    models = reading.annotator == MODEL or not annotated
    found: list[tuple[str, _Answers]] = []
    for row in rows:
        try:
            data, key, entries = _task_of(row, reading, models)
            found += [(data[key], _answers_of(entry)) for entry in entries]
        except ContentError:  # which reading reports
            continue
    controls = sorted({control for _, one in found for control, _ in one.choices})
    spans = any(one.regions for _, one in found) or not controls
    wide = [(text, one) for text, one in found if max(text, default="") > "\uffff"]
    agree = {
        utf16: all(_is_same(text, _starts_of(text, utf16), region)
                   for text, one in wide for region in one.regions)
        for utf16 in (False, True)
    }  # fmt: skip
    return _Facts(models, spans, controls, agree[True] and not agree[False])


def _translate(row: Row, reading: Reading, facts: _Facts) -> list[tuple[Row, str]]:
    """The annotations of a task, as rows of JSONL."""
    data, key, entries = _task_of(row, reading, facts.models)
    text, document = data[key], object()
    same = {"id": row.get("id"), "text": text, "*attributes": plain_values(data, (key,))}
    made = []
    for answers in map(_answers_of, entries):
        own: Row = {"*annotator": Answer(answers.annotator, document=document)}
        if facts.spans:
            spans = _spans_of(answers, text, facts.utf16)
            own["spans"] = None if answers.skipped else [*spans]
        if facts.controls:
            several = len(facts.controls) > 1
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
    texts = [name for name, value in data.items() if type(value) is str]
    key = reading.text or ("text" if "text" in texts else texts[0] if len(texts) == 1 else None)
    if key not in texts:
        names = ", ".join(map(quoted, sorted(data))) or "nothing"
        raise ContentError(f"a task with {names}", "name the key of the text: --text KEY")
    keys = ("predictions",) if models else ("annotations", "completions")
    return data, str(key), next(filter(None, (json_value(row, one, list) for one in keys)), [])


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
    skipped = entry.get("was_cancelled") is True or entry.get("skipped") is True
    answers = _Answers(who, skipped, [], [], [])
    results = [] if skipped else json_value(entry, "result", list, [])
    ids = {str(one.get("id")) for one in results if type(one) is dict and _is_region(one)}
    for result in results:
        if type(result) is not dict:
            raise ContentError(f"a result is {brief(result)}", "a result is an object")
        kind, value = json_value(result, "type", str, ""), json_value(result, "value", dict, {})
        if _is_region(result):
            odd = kind != "labels" or "globalOffsets" in value or "startOffset" in value
            if odd or {type(value.get(key)) for key in ("start", "end")} != {int}:
                what = f"a region of the type {quoted(kind)}: {brief(value)}"
                raise ContentError(what, PLAIN_TEXT)
            if not json_value(value, "labels", list):
                raise ContentError(f"a region without label: {brief(value)}", "label or remove it")
            answers.regions.append(value)
        elif kind == "choices" and ("id" not in result or str(result["id"]) not in ids):
            chosen = json_value(value, "choices", list, [])
            if not all(type(one) is str for one in chosen):
                raise ContentError(f"'choices' is {brief(chosen)}", "choices are strings")
            answers.choices.extend((str(result.get("from_name")), one) for one in chosen)
        else:
            answers.left_out.append(kind or "a result without type")
    return answers


def _is_region(result: Row) -> bool:
    return str(result.get("type")).endswith("labels")


def _starts_of(text: str, utf16: bool) -> Sequence[int | None]:
    """For each unit of a text and its end, the character that begins there; None inside one."""
    if not utf16:
        return range(len(text) + 1)
    starts: list[int | None] = []
    for i, letter in enumerate(text):
        starts += [i, None] if letter > "\uffff" else [i]
    return [*starts, len(text)]


def _is_same(text: str, starts: Sequence[int | None], region: Row) -> bool:
    """Whether the text at a region is that of the export, which changes white space."""

    def letters(text: str) -> str:
        return "".join(text.replace("\\n", " ").replace("\\r", " ").split())

    units = (region["start"], region["end"])
    start, end = (starts[at] if 0 <= at < len(starts) else None for at in units)
    if start is None or end is None:
        return False
    copy = region.get("text")
    return type(copy) is not str or letters(text[start:end]) == letters(copy)


def _spans_of(answers: _Answers, text: str, utf16: bool) -> Iterator[Row]:
    """The spans of the regions, in characters of the text."""
    starts = _starts_of(text, utf16)
    for region in answers.regions:
        if not _is_same(text, starts, region):
            raise ContentError(f"a region that is not in the text: {brief(region)}", PLAIN_TEXT)
        for label in region["labels"]:
            start, end = starts[region["start"]], starts[region["end"]]
            yield {"start": start, "end": end, "label": label}


FORM = Form(
    _translate,
    survey=_survey,
    join=lambda corpus, answers, reading: merge_answers(
        corpus, answers, reading.duplicates or "merge"
    ),
)
