"""Label Studio: exports of labelled texts, as JSON or JSON_MIN."""

import json
from typing import NamedTuple

from .annotators import annotator_of, by_annotator
from .arrays import check_kept, converted, read_items
from .characters import to_characters
from .corpus import Corpus, Document
from .errors import FormatError, Mistake, known
from .files import write_atomically
from .regions import COUNTS, Marks, counting, marks_of, minimal_marks, placed
from .rows import parsed_row, plain_values, shown, value

NOBODY = "spans"
MINIMAL_KEYS = (
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement",
)  # fmt: skip
ONE_EXPORT = "export with 'data' and 'annotations' in every task (JSON), or in none (JSON_MIN)"


class Answer(NamedTuple):
    """What one annotator marked; None if the task was skipped."""

    annotator: str
    marks: Marks | None


class Task(NamedTuple):
    """A text and its answers."""

    line: int
    name: str | None
    text: str
    attributes: dict
    answers: list
    minimal: bool


def read_labelstudio(path, *, text=None, predictions=False, offsets="auto"):
    """The corpus of an export of Label Studio, with one layer for each annotator.

    JSON and JSON_MIN are read, as one array or one task a line. Annotators are called by their
    email, else by their number. A skipped task is not annotated. Labelled regions of the text are
    spans (one for each label); what is said of a region by a choice, number, rating or text field
    is a feature, several choices joined by "|". Choices for the whole text are categories, in front
    of them "control:" if the file has several such controls. Other values of `data` are attributes
    if they are simple. Relations, drafts and other controls for whole texts are passed over.

    An annotation without any region is an annotation without spans; one without choices has no
    categories if the file has choices at all. JSON_MIN writes a single choice like a value of the
    data; it is a category if its control has several choices anywhere in the file, else an
    attribute: export JSON for categories.

    Parameters
    ----------
    path : str or Path
    text : str, optional
        Key of the text in `data`; by default "text", or the only string.
    predictions : bool
        Whether predictions of models are layers too, called "model:VERSION". By default they are
        passed over: a model is no annotator.
    offsets : "auto", "codepoint" or "utf16"
        What offsets count. Label Studio counted UTF-16 units, two for an emoji, and has counted
        Unicode code points in newer versions. "auto": what agrees with the texts of the regions in
        the whole file, else in each annotation.

    Raises
    ------
    FormatError
        Once, for all bad tasks: among them two annotations of a task by one annotator, and regions
        of anything but plain text.
    """
    known(offsets, ("auto", *COUNTS), "value of offsets")
    if text is not None and type(text) is not str:
        raise ValueError(f"unknown text {text!r}; expected the key of the text in 'data'")
    tasks = read_items(path, lambda row, line: task_of(row, line, text, predictions))
    return Corpus(path, documents_of(path, tasks, offsets), "char")


def task_of(row, line, key, predictions):
    """The `Task` of one JSON object."""
    name = row.get("id")
    if name is not None and type(name) not in (str, int):
        raise Mistake(f"'id' is {shown(name)}", "'id' is a number or a string")
    name = name if name is None else str(name)
    title = "a task" if name is None else f"task {name}"
    minimal = "data" not in row
    if minimal:
        data = {key: said for key, said in row.items() if key not in MINIMAL_KEYS}
        annotator = annotator_of(row, "annotator") or NOBODY
        answers = [Answer(annotator, minimal_marks(data, title))]
    else:
        data = value(row, "data", dict, {})
        answers = answers_of(row, title, predictions)
    key = text_key(data, key, title)
    attributes = plain_values(data, (key,))
    return Task(line, name, data[key], attributes, answers, minimal)


def text_key(data, key, title):
    """The key of the text."""
    strings = [name for name, said in data.items() if type(said) is str]
    found = key or ("text" if "text" in strings else None)
    if found is None and len(strings) == 1:
        return strings[0]
    if found not in strings:
        names = ", ".join(map(repr, sorted(data))) or "nothing"
        what = "no text" if found is None else f"no text {found!r}"
        raise Mistake(f"{title} has {what}, but {names}", "name the key of the text: --text KEY")
    return found


def answers_of(row, title, predictions):
    """The answers to a task; a skipped one gives way to another by the same annotator."""
    rows = value(row, "annotations", list) or value(row, "completions", list, [])
    found = {}
    for entry in rows:
        one = Answer(completed_by(entry, title), result_of(entry, title))
        before = found.get(one.annotator)
        if before is not None and before.marks is not None and one.marks is not None:
            raise Mistake(
                f"{title}: a second annotation by {one.annotator!r}",
                "keep one annotation of each annotator in a task",
            )
        if before is None or before.marks is None:
            found[one.annotator] = one
    for entry in value(row, "predictions", list, []) if predictions else ():
        version = entry.get("model_version") if type(entry) is dict else None
        name = f"model:{version}" if type(version) in (str, int) else "model"
        if name in found:
            raise Mistake(f"{title}: a second prediction by {name!r}", "keep one of each model")
        found[name] = Answer(name, result_of(entry, title))
    return list(found.values())


def completed_by(entry, title):
    """Name of the annotator: the email, else the number."""
    if type(entry) is not dict:
        raise Mistake(f"{title}: an annotation is {shown(entry)}", "an annotation is an object")
    who = entry.get("completed_by")
    if type(who) is dict:
        return annotator_of(who, "email") or annotator_of(who, "id") or NOBODY
    return annotator_of(entry, "completed_by") or NOBODY


def result_of(entry, title):
    """The `Marks` of an annotation or prediction; None if it was skipped."""
    if type(entry) is not dict:
        raise Mistake(f"{title}: a prediction is {shown(entry)}", "a prediction is an object")
    if entry.get("was_cancelled") is True or entry.get("skipped") is True:
        return None
    return marks_of(value(entry, "result", list, []), title)


def documents_of(path, tasks, offsets):
    """The documents of tasks; raises once for all mistakes."""
    if tasks[0].minimal:
        tasks = with_single_choices(tasks)
    marks = [one.marks for task in tasks for one in task.answers if one.marks]
    controls = sorted({control for one in marks for control, _ in one.choices})
    spans = any(one.regions for one in marks) or not controls
    count = counting(tasks) if offsets == "auto" else offsets

    def convert(task, line):
        if task.minimal != tasks[0].minimal:
            raise Mistake("a task of JSON among tasks of JSON_MIN, or the other way", ONE_EXPORT)
        return document_of(task, spans, controls, count)

    made = converted(path, [(task, task.line) for task in tasks], convert)
    if not tasks[0].minimal:
        return made
    return by_annotator(path, zip(made, (task.answers[0].annotator for task in tasks)))


def with_single_choices(tasks):
    """Tasks of JSON_MIN with choices that were written like values of the data."""
    marks = [one.marks for task in tasks for one in task.answers if one.marks]
    controls = {control for one in marks for control, _ in one.choices}
    for task in tasks:
        for control in sorted(controls & {*task.attributes}):
            if type(task.attributes[control]) is str and task.answers[0].marks:
                choice = task.attributes.pop(control)
                task.answers[0].marks.choices.append((control, choice))
    return tasks


def document_of(task, spans, controls, count):
    """The document of a task, in a file with or without spans, and with these controls."""
    layers, features, categories = {}, {}, {}
    title = "a task" if task.name is None else f"task {task.name}"
    for annotator, marks in task.answers:
        if spans:
            layers[annotator], features[annotator] = (
                (None, {}) if marks is None else placed(marks, task.text, count, title)
            )
        if controls:
            categories[annotator] = None if marks is None else labels_of(marks, controls)
    return Document(
        (),
        layers,
        name=task.name,
        text=task.text,
        lines=(task.line,),
        features=features,
        categories=categories,
        attributes=task.attributes,
    )


def labels_of(marks, controls):
    """The choices for a whole text, each once."""
    several = len(controls) > 1
    return {f"{control}:{label}" if several else label for control, label in marks.choices}


def write_labelstudio(path, corpus):
    """Write one array of tasks, with an annotation for each layer, by an annotator of its name.

    Features that are strings are written as choices for the region, numbers as numbers, categories
    as choices for the text. Tokens, the spaces behind them, and sentences are lost: Label Studio
    has characters alone.

    Raises
    ------
    FormatError
        For a document that the format cannot hold otherwise, with what would be lost: unplaced
        spans, missing positions, attributes that are not simple, features that are neither strings
        nor numbers; and in a file with categories, an annotator with spans alone.
    """
    corpus = to_characters(corpus)
    try:
        rows = [
            json.dumps(row_of(document), ensure_ascii=False, allow_nan=False)
            for document in corpus.documents
        ]
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"an attribute or feature has no JSON value ({error})", path) from error
    try:
        tasks = [task_of(parsed_row(row), line, None, False) for line, row in enumerate(rows, 2)]
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}", path) from mistake
    check_kept(
        path, corpus, documents_of(path, tasks, "codepoint") if tasks else [], "Label Studio"
    )
    write_atomically(path, ["[", ",\n".join(rows), "]"])


def row_of(document):
    """One task."""
    names = sorted({*document.layers, *document.categories})
    row = {} if document.name is None else {"id": identity(document.name)}
    data = {**document.attributes, "text": document.text}
    return row | {"data": data, "annotations": [annotation(document, name) for name in names]}


def identity(name):
    """A number if the name is one: Label Studio numbers its tasks."""
    number = name.isascii() and name.isdigit() and len(name) < 18 and str(int(name)) == name
    return int(name) if number else name


def annotation(document, name):
    """What one layer says of a document."""
    spans, labels = document.layers.get(name), document.categories.get(name)
    said, result = document.features.get(name, {}), []
    for number, (start, end, label) in enumerate(spans or (), 1):
        common = {"id": f"r{number}", "to_name": "text"}
        place = {"start": start, "end": end, "text": document.text[start:end]}
        region = {"from_name": "label", "type": "labels", "value": place | {"labels": [label]}}
        result.append(common | region)
        for key, found in said.get((start, end, label), {}).items():
            kind, found = ("choices", [found]) if type(found) is str else ("number", found)
            more = {"from_name": key, "type": kind, "value": place | {kind: found}}
            result.append(common | more)
    if labels:
        choice = {"id": "c1", "from_name": "choice", "to_name": "text", "type": "choices"}
        result.append(choice | {"value": {"choices": labels}})
    skipped = spans is None and labels is None
    return {"completed_by": {"email": name}, "was_cancelled": skipped, "result": result}
