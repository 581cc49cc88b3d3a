"""Which format a file of JSON is of, by the keys of its rows; which of these keys are read."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn, TypeAlias

from ..measures.messages import quoted
from .errors import FormatError, PathLike, did_you_mean
from .files import open_text, suffix_of
from .json_rows import PEEK, WHOLE, Row, is_parquet, row_of_pair, sound_rows
from .paths import files_at, is_several, path_of

Columns: TypeAlias = str | Mapping[str, str] | None
HEAD = 1 << 20  # characters that are looked at
SEPARATORS = (" ", "\t", "\r", "\n", ",")  # between JSON values
ROWS = 1000  # rows that are looked at
NEAR_END = 16  # characters: an error of JSON this near to the end may be that of a cut
ANNOTATORS = ("annotator", "_annotator_id", "_session_id")
# what only one format has, if the first object is too long to be parsed
MARKS = {
    "cas": re.compile('"%(TYPES|VIEWS|FEATURE_STRUCTURES)"'),
    "gliner": re.compile('"tokenized_text"'),
    "bioc": re.compile('"(infons|passages)"'),
    "argilla": re.compile('"suggestions"'),
    "prodigy": re.compile('"(_input_hash|token_start)"'),
    "labelstudio": re.compile('"(annotations|annotation_id)"'),
    "entities": re.compile('"(entity_group|ents)"'),
    "doccano": re.compile('"(start_offset|entities)"'),
}
TEXTS = ("text", "sentence")
WORDS = ("tokens", "words")
PREDICTED = "predictions"
ENTITIES = ("entities", "ents", "ner", PREDICTED)
# keys of answers of language models
ANSWERS = (
    *("mentions", "response", "completion", "output", "answer", "prediction", "generated_text"),
    *("extractions", "conversations", "messages", "content", *ENTITIES, "spans"),
)
IS_ANSWER = re.compile(r"[\[{<]|^[\w *-]+:")  # JSON, tags, or lines that begin with labels
DECISIONS = ("accept", "reject", "ignore", "")  # answers of Prodigy
TAGS = ("ner_tags", "tags", "labels", "ner", PREDICTED)
# keys that say that a row was annotated, of formats that are read row by row
OF_SPANS = tuple(dict.fromkeys(("spans", "layers", *ENTITIES, *TAGS)))
ANNOTATION = (*OF_SPANS, "label", "categories", "cats")
# keys that each format reads, apart from those of `ENTITIES` and `TAGS`
OWN = {
    "jsonl": ("spans", "layers"),
    "entities": ("layers",),
    "tagged": (),
    "gliner": ("ner",),
    "mentions": (),
    "doccano": ("label", "labels", "entities"),
}
IS_TAG = re.compile("O$|[BIESLU]-")
QUESTION = re.compile(r"What describes (.+?) in the text\?\s*", re.DOTALL)  # of UniversalNER
TEXT_FIRST = "Text:"
MOST = 12  # keys that a message names
OF_PREDICTIONS = re.compile("(^|[_-])pred", re.IGNORECASE)  # names of keys such as pred_tags
# keys unrelated to spans, so that none of them can be a misspelt key of spans
NEUTRAL = {"id", "meta", "text", "tokens", "words", "sents", "spaces", "missing", "title"}


def json_format(path: PathLike, suffix: str, role: str | None = None) -> str:
    """Name of the format of a file of JSON or Parquet: that of the first rows that show one.

    Rows of text or tokens alone are JSONL. Only a `.json` must be of a known format: of others, the
    reader of JSONL reports the error, with its line. For a `role`, rows have one annotation.
    """
    name, items = _known_format(path)
    if name is None and suffix != ".json":
        return "jsonl"
    if name is None:
        keys = list(_row_of(items[0])) if items else _keys_in(path)
        names = _with_hints(keys) if items else ", ".join(map(quoted, keys[:MOST]))
        shown = f" (its {'' if items else 'first '}keys are {names})" if keys else ""
        # the rest of an object that is too long to be looked at may be of a format
        named = "; if that is so, name its format (--format)" if {*keys} & {*TEXTS, *WORDS} else ""
        raise FormatError(
            f"this JSON is of none of the known formats{shown}; a row needs 'text', or texts as "
            "'tokens', and 'spans' of start, end and label, or a tag for each token as "
            f"'ner_tags'{'' if items else named}",
            path,
        )
    if role is not None:
        _check_keys(path, name, [*map(_row_of, items)], role)
    return name


def _keys_in(path: PathLike) -> list[str]:
    """The different keys at the beginning of a file, whose first object is too long."""
    return [*dict.fromkeys(re.findall(r'"(\w+)"\s*:', _first_items(path)[1][:PEEK]))]


def conversation_of(value: Any) -> tuple[str | None, list[tuple[str, Any]] | str] | None:
    """(text, (label, answer) of each question) of a conversation in the form of UniversalNER.

    Without such questions its last turn is the answer, to no label. None of other values.
    """
    if not (type(value) is list and value) or not all(
        type(one) is dict and type(one.get("value")) is str and "from" in one for one in value
    ):
        return None
    turns = [one["value"] for one in value]
    text = turns[0].removeprefix(TEXT_FIRST).strip() if turns[0].startswith(TEXT_FIRST) else None
    asked = ((QUESTION.fullmatch(one), two) for one, two in zip(turns, turns[1:]))
    return text, [(match[1], answer) for match, answer in asked if match] or turns[-1]


def answer_keys(row: Row) -> list[str]:
    """The keys of a row that hold mentions without offsets, or an answer that may have some."""
    keys = [key for key in ANSWERS if _are_mentions(row.get(key))]
    if "mentions" in row and "mentions" not in keys and row["mentions"] in (None, [], {}):
        keys.append("mentions")
    if keys or any(row.get(key) is not None for key in ("spans", "layers", *ENTITIES, *TAGS)):
        return keys or [key for key in ANSWERS if key in row and row[key] in ([], {})][:1]
    return [
        key for key in ANSWERS if type(row.get(key)) in (str, dict) and row[key] not in DECISIONS
    ]


def _are_mentions(value: Any) -> bool:
    """Whether a value is mentions without their places: objects, pairs, texts by label."""
    if conversation_of(value):
        return True
    if type(value) is dict:
        texts = [one for one in value.values() if one]
        return bool(texts) and not _has_place(value) and all(
            type(one) is list and all(type(text) is str for text in one) for one in texts
        )  # fmt: skip
    if type(value) is not list or not value:
        return False
    if all(type(one) is list and [*map(type, one)] == [str, str] for one in value):
        return True
    return all(type(one) is dict and _has_text(one) for one in value)


def _has_text(entry: Row) -> bool:
    """Whether an object has a text of its own, but no place, and is no piece of a word."""
    if _has_place(entry) or "fragments" in entry or "index" in entry:
        return False
    if re.match(r"[BIESLU]-", str(entry.get("entity", ""))):
        return False
    return sum(type(one) in (str, list) for one in entry.values()) > 1


def key_format(path: PathLike, key: str) -> str | None:
    """Name of the format that reads the values of a key in the rows of a file.

    None if there is nothing to read, or only the format of the rows can tell.
    """
    name, items = _known_format(path)
    rows = [*map(_row_of, items)]
    layers = {layer for row in rows if type(row.get("layers")) is dict for layer in row["layers"]}
    if name is not None and name not in OWN or key in layers:
        return None
    for row in rows:
        if _are_tags(row, key):
            return "tagged"
        if _are_mentions(row.get(key)) or type(row.get(key)) is str and IS_ANSWER.search(row[key]):
            return "mentions"
        if _are_spans(row.get(key)):
            break
    else:
        if all(row.get(key) != [] for row in rows):
            return None
    if name == "gliner" and key in OWN[name]:
        return name
    return "jsonl" if key == "spans" else "entities"


def _row_of(item: Any) -> Row:
    """The row that a JSON value stands for; an empty one for other values."""
    row = row_of_pair(item)
    return row if type(row) is dict else {}


def _check_keys(path: PathLike, name: str, rows: Sequence[Row], role: str) -> None:
    """Raise if rows have annotation under keys that the reader of their format passes over."""
    if name not in OWN:
        return
    of_rows = {"tagged": _tag_keys_of, "entities": entity_keys}.get(name, lambda row: [])
    read = {key for row in rows for key in of_rows(row)}
    read |= {key for key in OWN[name] if any(row.get(key) is not None for row in rows)}
    keys = dict.fromkeys(key for row in rows for key in row)
    others = [
        key
        for key in keys
        if key not in read
        and (
            key in (*OF_SPANS, "label")
            and any(_is_annotation(row, key) for row in rows)
            or role == "pred"
            and OF_PREDICTIONS.search(key)
            and all(row.get(key) in (None, []) or _is_annotation(row, key) for row in rows)
            and any(row.get(key) is not None for row in rows)
        )
    ]
    if read and others:
        _raise_several(path, [key for key in keys if key in read or key in others], role)


def _is_annotation(row: Row, key: str) -> bool:
    """Whether a row has spans or tags under a key."""
    if key == "layers" and type(row.get(key)) is dict:
        return any(map(_are_spans, row[key].values()))
    return _are_spans(row.get(key)) or _are_tags(row, key)


def _are_spans(entries: Any) -> bool:
    """Whether a value is spans with their places: objects, lists, or an object of columns."""
    if type(entries) is dict:
        return _may_be_spans(entries) and _has_place(entries)
    return type(entries) is list and any(
        _has_place(entry) if type(entry) is dict else type(entry) is list and len(entry) > 2
        for entry in entries
    )


def _has_place(entry: Row) -> bool:
    """Whether a span says where it is."""
    if type(entry.get("span")) is list:
        return True
    return any(key.startswith("start") or key == "pos" for key in entry)


def _are_tags(row: Row, key: str) -> bool:
    """Whether a row has a tag of spans, or a number, for each of its tokens under a key."""
    tags = _of_tokens(row, key)
    return bool(tags) and all(type(tag) is int or IS_TAG.match(tag) for tag in tags)


def _of_tokens(row: Row, key: str) -> list[Any]:
    """The texts or numbers of a row under a key, if each of its tokens has one; else []."""
    words, tags = _words_of(row) or (), row.get(key)
    if type(tags) is not list or len(tags) != len(words):
        return []
    return tags if all(type(tag) in (str, int) for tag in tags) else []


def _words_of(row: Row) -> list[Any] | None:
    """The tokens of a row."""
    return next((row[key] for key in WORDS if type(row.get(key)) is list), None)


def _raise_several(path: object, keys: Sequence[str], role: str) -> NoReturn:
    """Raise for rows with several annotations; the example is one that the role suggests."""
    names = [key for key in keys if key != "layers"] or [*keys]
    named = [key for key in names if OF_PREDICTIONS.search(key)]
    first = named[0] if named and role == "pred" else names[0]
    option = "--pred-column" if role == "pred" else "--column"
    raise FormatError(
        f"rows have {', '.join(map(repr, keys[:-1]))} and {quoted(keys[-1])}; name the key to "
        f"read: {option} {first}, or {path}#{first}",
        path,
    )


def is_known(path: PathLike) -> bool:
    """Whether a file of JSON shows that it is of one of the formats."""
    return _known_format(path)[0] is not None


def _known_format(path: PathLike) -> tuple[str | None, list[Any]]:
    """(the name of the format, if the file shows one; its first rows)."""
    items, head = _first_items(path)
    if items:
        return _format_of_items(items), items
    # of a first object that is too long, keys that only one format has
    return next((name for name, mark in MARKS.items() if mark.search(head)), None), items


def annotator_key(path: PathLike) -> str | None:
    """The key by which the first row of a JSON file names its annotator; None if it has none."""
    row = next((item for item in _first_items(path)[0] if type(item) is dict), {})
    return next((key for key in ANNOTATORS if row.get(key) is not None), None)


def _first_items(path: PathLike) -> tuple[list[Any], str]:
    """(the first values of a file of JSON or Parquet, the text in which they stand)."""
    if is_parquet(path):
        return [row for row, _ in islice(sound_rows(path), ROWS)], ""
    with open_text(path) as file:
        head = file.read(HEAD).lstrip()
    return [*_items(head)], head


def _items(head: str) -> Iterator[Any]:
    """The JSON values at the beginning of a text, or of the array that it begins.

    Lines that are not JSON are skipped, where each line is a value.
    """
    decoder = json.JSONDecoder()
    if is_one := WHOLE.match(head, 0, PEEK) is not None:
        head = head.removeprefix("[").lstrip()
    at = 0
    for _ in range(ROWS):
        try:
            item, at = decoder.raw_decode(head, at)
        except (ValueError, RecursionError) as error:
            is_cut = getattr(error, "pos", at) > len(head) - NEAR_END
            at = head.find("\n", at)
            if is_one or is_cut or str(error).startswith("Unterminated") or at < 0:
                return
        else:
            yield item
        while head[at : at + 1] in SEPARATORS:
            at += 1


def _format_of_items(items: Iterable[Any]) -> str | None:
    """The format of the first item that shows one; "jsonl" of tokens that show none."""
    name = None
    for item in items:
        if type(item) is list and item and all(type(entry) is dict for entry in item):
            return "entities"  # spans of a pipeline without the text: its reader says so
        row = _row_of(item)
        if type(item) is list and row and not _tag_keys_of(row):
            return "entities"
        form = next((one for one, has in FORMS.items() if has(row)), None)
        if form := form or _format_of_texts(row):
            return form
        if row.get("entities") == [] and "tokens" not in row:
            name = "doccano"
        elif any(key in row for key in WORDS):
            name = name or "jsonl"
    return name


BY_USER = {"label", "user"}  # of annotations of doccano before version 1.4
OF_ANSWER = {"user_id", "value"}  # of answers in a FeedbackDataset of Argilla
# what rows of a form have, in the order in which they are asked; the rest is `_format_of_texts`
FORMS: dict[str, Callable[[Row], Any]] = {
    "prodigy": lambda row: (
        "_input_hash" in row
        or "_task_hash" in row
        or any("token_start" in span for span in _objects(row.get("spans")))
    ),
    "cas": lambda row: any(key.startswith("%") for key in row),
    "bioc": lambda row: bioc_documents(row),
    "argilla": lambda row: (
        "responses" in row or "suggestions" in row
        if type(row.get("fields")) is dict
        else any(
            have_keys(one, OF_ANSWER) or key.endswith(".responses") for key, one in row.items()
        )
    ),
    "doccano": lambda row: (
        "text" in row
        and ("annotation_approver" in row or have_keys(row.get("annotations"), BY_USER))
        or [type(row.get(key)) for key in ("data", "label")] == [str, list]
    ),
    "labelstudio": lambda row: (
        type(row.get("data")) is dict
        and ("annotations" in row or "predictions" in row)
        or "annotation_id" in row
        and "annotator" in row
    ),
    "gliner": lambda row: type(row.get("tokenized_text")) is list or are_sentences(row),
    "tagged": lambda row: _has_tags_alone(row),
    "mentions": lambda row: any(
        key == "mentions" or row[key] not in ([], {}) for key in answer_keys(row)
    ),
}


def _objects(value: Any) -> list[Row]:
    """The objects of a list; [] for other values."""
    return [one for one in value if type(one) is dict] if type(value) is list else []


def have_keys(value: Any, keys: set[str]) -> bool:
    """Whether a value is a list of objects, all with some keys."""
    found = _objects(value)
    return bool(found) and len(found) == len(value) and all(map(keys.issubset, found))


def _format_of_texts(row: Row) -> str | None:
    """The format of a row of a text or tokens, perhaps with spans."""
    words = _words_of(row)
    text = next((row[key] for key in TEXTS if type(row.get(key)) is str), None)
    keys = entity_keys(row)
    if "tokens" in row or "spans" in row or "layers" in row:
        if type(row.get("spans")) is list or type(row.get("layers")) is dict:
            return "jsonl"
        bare = words and all(type(word) is dict and "text" not in word for word in words)
        of_doc = text is not None and (bare or type(row.get("spans")) is dict)
        return "entities" if of_doc or keys else None
    if text is None:
        return "entities" if "entity_group" in row or "entity" in row else None
    if "text" in row and any(type(row.get(key)) is list for key in ("label", "labels")):
        return "doccano"
    if keys == ["entities"] and "text" in row and type(row["entities"]) is list:
        if not row["entities"] and "relations" not in row:
            return None  # of doccano, unless another row shows something else
        if all("start_offset" in entry for entry in _objects(row["entities"])):
            return "doccano"
    return "entities" if keys or type(row.get("cats")) is dict else None


def _has_tags_alone(row: Row) -> bool:
    """Whether a row has tags of its tokens, and no spans; data sets may have texts there."""
    tags, spans = _tag_keys_of(row), row.get("spans")
    if not tags or type(row.get("layers")) is dict or spans == []:
        return "ner_tags" in tags
    return type(spans) is not list or not all(type(span) in (dict, list) for span in spans)


def are_sentences(row: Row) -> bool:
    """Whether a row has lists of tokens, and a list of spans for each, as DyGIE and SciERC have."""
    found = [row.get("sentences"), row.get("ner", row.get("predicted_ner"))]
    return all(
        type(one) is list and bool(one) and all(type(part) is list for part in one) for one in found
    )


def bioc_documents(row: Row) -> list[Row]:
    """The documents of a collection of BioC, or of one of its documents; [] for other objects."""
    found = next(
        (row[key] for key in ("documents", "PubTator3") if type(row.get(key)) is list), [row]
    )
    passages = [one["passages"] for one in found if type(one) is dict and "passages" in one]
    known = all(type(some) is list and all(type(one) is dict for one in some) for some in passages)
    return found if known and len(passages) == len(found) else []


def entity_keys(row: Row) -> list[str]:
    """The keys of a row that hold spans: a list of objects or of lists, or an object of columns."""
    return [key for key in ENTITIES if key in row and _may_be_spans(row[key])]


def _may_be_spans(entries: Any) -> bool:
    """Whether a value can be the spans of a row."""
    if type(entries) is dict:
        return bool(entries) and all(type(column) is list for column in entries.values())
    return type(entries) is list and all(type(entry) in (dict, list) for entry in entries)


def _tag_keys_of(row: Row) -> list[str]:
    """The keys of a row that hold the tags of its tokens."""
    return [key for key in TAGS if _of_tokens(row, key)]


def without_annotation(path: PathLike) -> str:
    """Message about files in which no document has spans: the keys of their rows, if any."""
    try:
        file = files_at(path)[0] if is_several(path) else path
        items = _first_items(file)[0] if has_rows(path) else ()
    except (FormatError, IndexError, ValueError):
        items = ()
    keys = list(dict.fromkeys(key for item in items for key in _row_of(item)))
    if not keys:
        return "no document has any layer of spans; write an empty list for documents without spans"
    return (
        f"no row has a list of spans or tags under a known key; its keys are {_with_hints(keys)}; "
        f"expected one of {', '.join(OF_SPANS)} (an empty list for documents without spans)"
    )


def _with_hints(keys: Sequence[str]) -> str:
    """The keys of rows: what known ones lack, and which were probably meant by others."""
    others = [key for key in ANNOTATION if key not in keys]
    hints = {key: did_you_mean(key, others) for key in keys if key not in NEUTRAL}
    hints |= dict.fromkeys(ANNOTATION, " (categories, not spans)")
    hints |= dict.fromkeys(OF_SPANS, " (empty, or neither spans nor tags)")
    return ", ".join(f"{quoted(key)}{hints.get(key, '')}" for key in keys[:MOST])


def has_rows(path: PathLike) -> bool:
    """Whether the name of a file, or of the first one of a folder or a pattern, is that of rows."""
    try:
        file = files_at(path)[0] if is_several(path) else path_of(path)
    except (FormatError, IndexError):
        return False
    return is_parquet(file) or suffix_of(file) in (".json", ".jsonl")


def layers_in(
    path: object,
    rows: Iterable[Row],
    columns: Columns,
    role: str,
    keys_of: Callable[[Row], Iterable[str]],
    names: Sequence[str],
) -> dict[str, str]:
    """{layer: key} of the rows of a file, of the keys that a function finds in a row.

    If it finds none, those of `names` that are there: then each row reports its own error.
    """
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    found, poor = set[str](), set[str]()
    for row in rows:
        found |= {*keys_of(row), *asked & row.keys()}
        poor |= row.keys() & {*names}
    found = found or poor
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
