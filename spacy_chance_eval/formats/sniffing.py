"""Which form rows of JSON have, and which of their keys are read: their first rows tell."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import islice
from typing import Any, NoReturn, TypeAlias

from ..measures.messages import quoted
from .errors import FormatError, PathLike, did_you_mean
from .files import open_text, suffix_of
from .json_rows import PEEK, WHOLE, Row, is_parquet, row_of_pair, sound_rows
from .paths import files_at, is_several, path_of

Columns: TypeAlias = str | Mapping[str, str] | None
HEAD = 1 << 20  # characters that are looked at
ROWS = 1000  # rows that are looked at
BETWEEN = re.compile(r"[\s,]*")  # what stands in front of the items of an array
MOST = 12  # keys that a message names
TEXTS = ("text", "sentence")
WORDS = ("tokens", "words")
PREDICTED = "predictions"
ENTITIES = ("entities", "ents", "ner", PREDICTED)
TAGS = ("ner_tags", "tags", "labels", "ner", PREDICTED)
# keys of answers of language models
ANSWERS = (
    *("mentions", "response", "completion", "output", "answer", "prediction", "generated_text"),
    *("extractions", "messages", "content", *ENTITIES, "spans"),
)
IS_ANSWER = re.compile(r"[\[{<]|^[\w *-]+:")  # JSON, tags, or lines that begin with labels
DECISIONS = ("accept", "reject", "ignore", "")  # answers of Prodigy
ANNOTATORS = ("annotator", "_annotator_id", "_session_id")
# keys of annotation in rows of text or tokens
OF_SPANS = tuple(dict.fromkeys(("spans", "layers", *ENTITIES, *TAGS)))
# keys of what each format reads
KNOWN = {
    "jsonl": ("spans", "layers"),
    "entities": (*ENTITIES, "spans", "layers"),
    "tagged": TAGS,
    "gliner": ("ner", "predicted_ner"),
    "mentions": ANSWERS,
    "doccano": ("label", "labels", "entities", "annotations"),
    "prodigy": ("spans", "answer", "accept", "options", "versions", "_input_hash", "_task_hash"),
    "labelstudio": ("data", "annotation_id", "lead_time"),
}
BY_ROW = ("jsonl", "entities", "tagged", "gliner", "mentions", "doccano")
IS_TAG = re.compile("O$|[BIESLU]-")
OF_PREDICTIONS = re.compile("(^|[_-])pred", re.IGNORECASE)  # names of keys such as pred_tags


# --- forms of rows

OF_ANSWER = {"user_id", "value"}  # of answers in a FeedbackDataset of Argilla
# keys that tell a form, in the order in which they are asked; the rest is `_form_of_text`
FORMS = {
    "prodigy": ({"_input_hash"}, {"_task_hash"}),
    "cas": ({"%TYPES"}, {"%VIEWS"}, {"%FEATURE_STRUCTURES"}),
    "bioc": ({"passages"}, {"PubTator3"}, {"infons"}),
    "argilla": ({"fields", "responses"}, {"fields", "suggestions"}),
    "doccano": ({"text", "annotation_approver"},),
    "labelstudio": (
        {"data", "annotations"},
        {"data", "predictions"},
        {"annotation_id", "annotator"},
    ),
    "gliner": ({"tokenized_text"}, {"sentences", "ner"}, {"sentences", "predicted_ner"}),
}


def _form_told_by(keys: Set[str]) -> str | None:
    """The format that some keys tell."""
    return next((name for name, some in FORMS.items() if any(one <= keys for one in some)), None)


def _form_of_row(row: Row) -> str | None:
    """The format of a row; None if it does not show one."""
    if name := _form_told_by(row.keys()):
        return name
    spans, entities, tags = row.get("spans"), entity_keys(row), tag_keys(row)
    if have_keys(row.get("documents"), {"passages"}):
        return "bioc"
    if any("token_start" in span for span in objects(spans)):
        return "prodigy"
    if any(key.endswith(".responses") or have_keys(row[key], OF_ANSWER) for key in row):
        return "argilla"
    if have_keys(row.get("annotations"), {"label", "user"}):
        return "doccano"
    if [type(row.get(key)) for key in ("data", "label")] == [str, list]:
        return "doccano"
    is_jsonl = kind_of(row, "spans") in ("spans", "nothing") or type(row.get("layers")) is dict
    if "ner_tags" in tags and kind_of(row, "spans") != "spans" or tags and not is_jsonl:
        return "tagged"
    if any(key == "mentions" or kind_of(row, key) != "nothing" for key in answer_keys(row)):
        return "mentions"
    if type(spans) is list or type(row.get("layers")) is dict:
        return "jsonl"
    has_text = any(type(row.get(key)) is str for key in TEXTS)
    if row.keys() & {"tokens", "spans", "layers"}:  # a Doc of spaCy has tokens without texts
        bare = have_keys(row.get("tokens"), {"start"}) and "text" not in row["tokens"][0]
        of_doc = has_text and (bare or type(spans) is dict)
        return "entities" if of_doc or entities else None
    if not has_text:
        return None
    if "text" in row and any(type(row.get(key)) is list for key in ("label", "labels")):
        return "doccano"
    if entities == ["entities"] and "text" in row and type(row["entities"]) is list:
        if not row["entities"] and "relations" not in row:
            return None  # of doccano, unless another row shows something else
        if all("start_offset" in entry for entry in objects(row["entities"])):
            return "doccano"
    return "entities" if entities or type(row.get("cats")) is dict else None


def _form_of(items: Iterable[Any]) -> str | None:
    """The format of the first item that shows one; "jsonl" of tokens that show none."""
    name = None
    for item in items:
        row = _row_of(item)
        if type(item) is list and row and not tag_keys(row):
            return "entities"  # [text, object], as spaCy is trained on
        if form := _form_of_row(row):
            return form
        if row.get("entities") == [] and "tokens" not in row:
            name = "doccano"
        elif any(key in row for key in WORDS):
            name = name or "jsonl"
    return name


def json_format(path: PathLike, suffix: str, role: str | None = None) -> str | None:
    """Name of the format of a file of JSON or Parquet: that of the first rows that show one.

    Rows of text or tokens alone are JSONL. Only a `.json` must be of a known format: of a `.jsonl`
    the reader of JSONL reports the error, with its line; other files are of none. For a `role`,
    rows have one annotation.
    """
    items, head = _first_items(path)
    rows = [*map(_row_of, items)]
    keys = [key for row in rows[:1] for key in row]
    keys = keys or [*dict.fromkeys(re.findall(r'"([%\w]+)"\s*:', head[:PEEK]))]
    name = _form_of(items) if items else _form_told_by({*keys})
    if name is None and suffix != ".json":
        return "jsonl" if suffix == ".jsonl" or is_parquet(path) else None
    if name is None:
        raise FormatError(f"this JSON is of none of the known formats{_instead_of(keys)}", path)
    if role is not None and name in BY_ROW:
        _check_keys(path, name, rows, role)
    return name


def check_form(path: PathLike, name: str) -> None:
    """Raise for rows in which the format that was named reads nothing."""
    items, _ = _first_items(path)
    rows = [*map(_row_of, items)]
    if not any(rows) or name not in KNOWN or any(row.keys() & {*KNOWN[name]} for row in rows):
        return
    if (fit := _form_of(items)) == name or fit is None and name in BY_ROW:
        return
    fits = f"; they are of format {fit}: leave out the name" if fit else "; check the format"
    raise FormatError(f"no row has a key of format {name} ({', '.join(KNOWN[name])}){fits}", path)


def key_format(path: PathLike, key: str) -> str | None:
    """Name of the format that reads the values of a key in the rows of a file.

    None if there is nothing to read, or only the format of the rows can tell.
    """
    items, _ = _first_items(path)
    name, rows = _form_of(items), [*map(_row_of, items)]
    layers = {layer for row in rows if type(row.get("layers")) is dict for layer in row["layers"]}
    if name is not None and name not in BY_ROW or key in layers:
        return None
    kinds = [kind_of(row, key) for row in rows]
    if "tags" in kinds:
        return "tagged"
    texts = [row[key] for row, kind in zip(rows, kinds) if kind == "text"]
    if "mentions" in kinds or any(map(IS_ANSWER.search, texts)):
        return "mentions"
    if not {"spans", "nothing"} & {*kinds}:
        return None
    if name == "gliner" and key == "ner":
        return name
    return "jsonl" if key == "spans" else "entities"


def has_rows(path: PathLike) -> bool:
    """Whether the name of a file, or of the first one of a folder or a pattern, is that of rows."""
    try:
        file = files_at(path)[0] if is_several(path) else path_of(path)
    except (FormatError, IndexError):
        return False
    return is_parquet(file) or suffix_of(file) in (".json", ".jsonl")


def annotator_key(path: PathLike) -> str | None:
    """The key by which the first row of a JSON file names its annotator; None if it has none."""
    row = next(filter(None, map(_row_of, _first_items(path)[0])), {})
    return next((key for key in ANNOTATORS if row.get(key) is not None), None)


def without_annotation(path: PathLike) -> str:
    """Message about files in which no document has spans: the keys of their rows, if any."""
    items: list[Any] = []
    if has_rows(path):
        items, _ = _first_items(files_at(path)[0] if is_several(path) else path)
    keys = list(dict.fromkeys(key for item in items for key in _row_of(item)))
    if not keys:
        return "no document has any layer of spans; write an empty list for documents without spans"
    return f"no row has a list of spans or tags under a known key{_instead_of(keys)}"


def _instead_of(keys: Sequence[str]) -> str:
    """The end of a message: the keys of rows, which were probably meant by them, and the known."""
    known = {*TEXTS, *WORDS, *OF_SPANS, "id", "meta", "sents", "title"}
    hints = {key: did_you_mean(key, OF_SPANS) for key in keys if key not in known}
    named = ", ".join(f"{quoted(key)}{hints.get(key, '')}" for key in keys[:MOST])
    return (
        f" (its keys are {named or 'none'}); a row has a text or tokens, and one of "
        f"{', '.join(OF_SPANS)}, an empty list without spans; or name its key (--column), or the "
        "format (--format)"
    )


# --- the first rows


def _first_items(path: PathLike) -> tuple[list[Any], str]:
    """(the first values of a file of JSON or Parquet, the text in which they stand)."""
    if is_parquet(path):
        return [row for row, _ in islice(sound_rows(path), ROWS)], ""
    with open_text(path) as file:
        head = file.read(HEAD).lstrip()
    return [*islice(_items(head), ROWS)], head


def _items(head: str) -> Iterator[Any]:
    """The JSON values at the beginning of a text: its lines that are some, or those of an array."""
    if not WHOLE.match(head, 0, PEEK):
        for line in head.split("\n"):
            with suppress(ValueError, RecursionError):
                yield json.loads(line)
        return
    decoder, at = json.JSONDecoder(), head.startswith("[")
    with suppress(ValueError, RecursionError):
        while at < len(head):
            item, at = decoder.raw_decode(head, BETWEEN.match(head, at).end())  # type: ignore
            yield item


def _row_of(item: Any) -> Row:
    """The row that a JSON value stands for; an empty one for other values."""
    row = row_of_pair(item)
    return row if type(row) is dict else {}


# --- values


def kind_of(row: Row, key: str) -> str | None:
    """What a row has under a key.

    "tags", or other "values" of its tokens; "spans" with places, "mentions" without; "nothing",
    which is an empty list or object; a "text"; None for anything else.
    """
    value = row.get(key)
    words = next((row[name] for name in WORDS if type(row.get(name)) is list), ())
    if type(value) is str or value in ([], {}):
        return "text" if value or value == "" else "nothing"
    if type(value) is dict:  # of lists, as data sets store lists of objects
        if {*map(type, value.values())} - {list, type(None)}:
            return None
        return "spans" if _has_place(value) else _kind_of_texts([*value.values()])
    if type(value) is not list:
        return None
    kinds = {*map(type, value)}
    if len(value) == len(words) and kinds <= {str, int}:
        return "tags" if all(type(tag) is int or IS_TAG.match(tag) for tag in value) else "values"
    if any(
        _has_place(one) if type(one) is dict else type(one) is list and len(one) > 2
        for one in value
    ):
        return "spans"
    return "mentions" if kinds == {dict} and all(len(one) > 1 for one in value) else None


def _kind_of_texts(values: Sequence[Any]) -> str | None:
    """The kind of an object of lists by label."""
    entries = {type(one) for texts in values for one in texts or ()}
    return "nothing" if not entries else "mentions" if entries == {str} else None


def _has_place(entry: Row) -> bool:
    """Whether a span says where it is, or that it is a piece of a word."""
    if type(entry.get("span")) is list or re.match("[BIESLU]-", str(entry.get("entity", ""))):
        return True
    return any(key.startswith("start") or key in ("pos", "fragments", "index") for key in entry)


def objects(value: Any) -> list[Row]:
    """The objects of a list; [] for other values."""
    return [one for one in value if type(one) is dict] if type(value) is list else []


def have_keys(value: Any, keys: set[str]) -> bool:
    """Whether a value is a list of objects, all with some keys."""
    found = objects(value)
    return bool(found) and len(found) == len(value) and all(map(keys.issubset, found))


def entity_keys(row: Row) -> list[str]:
    """The keys of a row that hold spans."""
    return [key for key in ENTITIES if kind_of(row, key) in ("spans", "nothing")]


def tag_keys(row: Row) -> list[str]:
    """The keys of a row that hold the tags of its tokens."""
    return [key for key in TAGS if kind_of(row, key) in ("tags", "values")]


def answer_keys(row: Row) -> list[str]:
    """The keys of a row that hold mentions without offsets, or an answer that may have some."""
    keys = [key for key in ANSWERS if kind_of(row, key) == "mentions"]
    has_others = any(row.get(key) is not None for key in OF_SPANS)
    if "mentions" in row and "mentions" not in keys and not (row["mentions"] and has_others):
        keys.append("mentions")
    if keys or has_others:
        return keys or [key for key in ANSWERS if kind_of(row, key) == "nothing"][:1]
    return [
        key for key in ANSWERS if type(row.get(key)) in (str, dict) and row[key] not in DECISIONS
    ]


# --- which keys are read


def _check_keys(path: PathLike, name: str, rows: Sequence[Row], role: str) -> None:
    """Raise if rows have annotation under keys that the reader of their format passes over."""
    read = {key for key in KNOWN[name] if any(row.get(key) is not None for row in rows)}
    keys = [*dict.fromkeys(key for row in rows for key in row)]
    others = {
        key
        for key in keys
        if key not in KNOWN[name]
        or name == "tagged"
        and any(kind_of(row, key) == "spans" for row in rows)
        if (key in (*OF_SPANS, "label") and any(_is_annotation(row, key) for row in rows))
        or role == "pred"
        and _may_be_predictions(rows, key)
    }
    if read and others:
        _raise_several(path, [key for key in keys if key in read | others], role)


def _may_be_predictions(rows: Sequence[Row], key: str) -> bool:
    """Whether a key says that it has predictions, and its values are some, or empty."""
    values = [row[key] for row in rows if row.get(key) is not None]
    are_some = all(not row.get(key) or _is_annotation(row, key) for row in rows)
    return bool(OF_PREDICTIONS.search(key) and values and are_some)


def _is_annotation(row: Row, key: str) -> bool:
    """Whether a row has spans or tags under a key."""
    if key == "layers" and type(row.get(key)) is dict:
        return any(kind_of(row[key], layer) == "spans" for layer in row[key])
    return kind_of(row, key) in ("spans", "tags")


def _raise_several(path: object, keys: Sequence[str], role: str) -> NoReturn:
    """Raise for rows with several annotations; the example is one that the role suggests."""
    names = [key for key in keys if key != "layers"] or [*keys]
    predicted = filter(OF_PREDICTIONS.search, names if role == "pred" else ())
    first = next(predicted, names[0])
    option = "--pred-column" if role == "pred" else "--column"
    raise FormatError(
        f"rows have {', '.join(map(repr, keys[:-1]))} and {quoted(keys[-1])}; name the key to "
        f"read: {option} {first}, or {path}#{first}",
        path,
    )


def layers_in(
    path: object,
    rows: Iterable[Row],
    columns: Columns,
    role: str,
    keys_of: Callable[[Row], Iterable[str]],
    names: Sequence[str],
) -> dict[str, str]:
    """{layer: key} of the rows of a file, of the keys that a function finds in a row."""
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    found, poor = set[str](), set[str]()
    for row in rows:
        found |= {*keys_of(row), *asked & row.keys()}
        poor |= row.keys() & {*names}
    found = found or poor  # then each row reports its own error
    keys = [key for key in names if key in found] + sorted(found - {*names})
    return resolve_columns(path, keys, columns, role, "ents" if "ents" in keys else "spans")


def resolve_columns(
    path: object, found: Iterable[str], columns: Columns, role: str, main: str = "spans"
) -> dict[str, str]:
    """{layer: key} of the keys of a file that are read as its layers.

    With columns="all" each of those found is a layer of its name. By default there is one, `main`.
    If there are "predictions" beside another key, these are a layer of that name, of gold the
    second one, of a prediction the only one.
    """
    keys = list(dict.fromkeys(found))
    if columns == "all":
        return {key: key for key in keys}
    if isinstance(columns, Mapping):
        for key in columns.values():
            if key not in keys:
                hint = did_you_mean(key, keys)
                raise FormatError(f"no row has such a key {quoted(key)}{hint}; name another", path)
        return dict(columns)
    others = [key for key in keys if key != PREDICTED]
    if len(others) > 1:
        _raise_several(path, others, role)
    if others and PREDICTED in keys:
        return {PREDICTED: PREDICTED} if role == "pred" else {main: others[0], PREDICTED: PREDICTED}
    return {main: keys[0]} if keys else {}
