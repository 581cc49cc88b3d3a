"""Which of the formats that are JSON a file is, by its first object."""

import json

from .errors import FormatError
from .files import open_text

HEAD = 1 << 20  # characters that are looked at
ANNOTATORS = ("annotator", "_annotator_id", "_session_id")
# what only one format has, if the first object is too long to be parsed
MARKS = {
    "cas": ('"%TYPES"', '"%VIEWS"', '"%FEATURE_STRUCTURES"'),
    "prodigy": ('"_input_hash"', '"token_start"'),
    "labelstudio": ('"annotations"', '"annotation_id"'),
    "doccano": ('"start_offset"', '"entities"'),
}


def json_format(path, suffix):
    """Name of the format of a file that ends in `.json` or `.jsonl`.

    Raises
    ------
    FormatError
        For a `.json` that is none of them.
    """
    with open_text(path) as file:
        head = file.read(HEAD).lstrip()
    row = first_object(head)
    name = format_of_row(row) if row is not None else format_of_text(head)
    if name is None and suffix == ".jsonl":
        return "jsonl"  # whose reader will say what is wrong, with the line
    if name is None:
        raise FormatError(
            "this JSON is of none of the known formats; name it (--format labelstudio, doccano, "
            "cas), or write one object a line (.jsonl)",
            path,
        )
    return name


def annotator_key(path):
    """The key by which the first row of a JSON file names its annotator; None if it has none."""
    with open_text(path) as file:
        row = first_object(file.read(HEAD).lstrip())
    return next((key for key in ANNOTATORS if row is not None and row.get(key) is not None), None)


def first_object(head):
    """The first JSON object of a text or of its array; None if it cannot be parsed."""
    head = head.removeprefix("[").lstrip()
    try:
        row, _ = json.JSONDecoder().raw_decode(head)
    except (ValueError, RecursionError):
        return None
    return row if type(row) is dict else None


def format_of_row(row):
    """The format of an object; None if it is of none that is told by its keys."""
    spans = row.get("spans") if type(row.get("spans")) is list else []
    hashed = "_input_hash" in row or "_task_hash" in row
    if hashed or any(type(span) is dict and "token_start" in span for span in spans):
        return "prodigy"
    if any(key.startswith("%") for key in row):
        return "cas"
    if type(row.get("data")) is dict and ("annotations" in row or "predictions" in row):
        return "labelstudio"
    if "annotation_id" in row and "annotator" in row:
        return "labelstudio"
    plain = "tokens" not in row and "spans" not in row and type(row.get("text")) is str
    labels = any(type(row.get(key)) is list for key in ("label", "labels", "entities"))
    return "doccano" if plain and labels else None


def format_of_text(head):
    """The format of a long first object by the keys that stand in it; None without them."""
    found = [name for name, marks in MARKS.items() if any(mark in head for mark in marks)]
    return found[0] if found else None
