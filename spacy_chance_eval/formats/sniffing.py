"""Which form rows of JSON have, and which of their keys are read: their first rows tell."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, NoReturn, TypeAlias

from ..measures.messages import listed, quoted
from .errors import FormatError, PathLike, did_you_mean
from .files import by_file, suffix_of
from .json_rows import PARQUET, Row, is_parquet, sound_rows
from .openings import opening_format
from .paths import files_at, is_several, path_of
from .tags import is_tag

Columns: TypeAlias = str | Mapping[str, str] | None
Kinds: TypeAlias = dict[str, set[str]]  # of values by key: `_kind_of`
ROWS = 1000  # rows that are looked at
OF_ROWS = ("json", ".json", ".jsonl", ".csv", *PARQUET)  # beginnings and endings of files
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
UNREAD = ("conversations", "annotations")  # keys of answers that are read in no form of rows
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
ANSWER = {"answer", "data"}
TEXT = {"text", "decision", *ANSWER}
PLAIN = {"value", *TEXT}
EMPTY = {"nothing", "empty"}
ANNOTATION = {"spans", "groups", "tags"}
BY_ROW = ("jsonl", "entities", "tagged", "gliner", "mentions", "doccano")
# names of keys such as pred_tags
OF_PREDICTIONS = re.compile("(^|[_-])(pred|output|result|system|hyp|model|llm)", re.IGNORECASE)


# --- forms of rows

# keys that tell a form ("key.inner": of objects), in the order in which they are asked
FORMS = {
    "prodigy": ("_input_hash", "_task_hash", "spans.token_start", "tokens.text tokens.id"),
    "cas": ("%TYPES", "%VIEWS", "%FEATURE_STRUCTURES"),
    "bioc": ("passages", "PubTator3", "infons", "documents.passages"),
    "argilla": ("fields responses", "fields suggestions"),
    "labelstudio": ("data annotations", "data predictions", "annotation_id annotator"),
    "doccano": ("text annotation_approver", "text annotations.user", "data label"),
    "gliner": ("tokenized_text", "sentences ner", "sentences predicted_ner"),
}


def _form_of(kinds: Kinds) -> str | None:
    """The format of rows with some kinds of values; None if they do not show one."""
    keys, spans, entities = {*kinds}, kinds.get("spans", set()), entity_keys(kinds)
    keys -= {"data"} if keys & {"text", "tokens"} else set()  # it is an attribute beside these
    for name, told_by in FORMS.items():
        if any(keys >= {*some.split()} for some in told_by):
            return name
    if any(key.endswith(".responses") and kinds[key] for key in keys):
        return "argilla"
    tags = [key for key in TAGS if kinds.get(key, set()) & {"tags", "values"}]
    has_layers = bool(kinds.get("layers", set()) - {"text", "value"})
    of_spans = has_layers or spans & {"spans", "nothing"}
    if "ner_tags" in tags and "spans" not in spans or tags and not of_spans:
        return "tagged"
    if any(key == "mentions" or kinds[key] - EMPTY for key in answer_keys(kinds)):
        return "mentions"
    if has_layers or spans - {"groups", "empty"}:
        return "jsonl"
    has_text = any(kinds.get(key, set()) & TEXT for key in TEXTS)
    if keys & {"tokens", "spans"}:  # a Doc of spaCy has groups of spans, and tokens without texts
        bare = "tokens.start" in keys and "tokens.text" not in keys
        is_doc = has_text and (bare or spans)
        return "entities" if is_doc or entities else "jsonl" if "tokens" in keys else None
    if not has_text:
        return "jsonl" if "words" in keys else None
    labels = kinds.get("label", set()) | kinds.get("labels", set())
    if labels - {*TEXT, "value", "object"}:
        return "doccano"
    if "text" in keys and entities == ["entities"] and "object" not in kinds.get("cats", ()):
        is_empty = kinds["entities"] <= EMPTY
        of_doccano = "entities.start_offset" in keys or "list" in kinds.get("cats", ())
        return "doccano" if is_empty or of_doccano else "entities"
    return "entities" if entities or "object" in kinds.get("cats", ()) else None


def json_format(path: PathLike, suffix: str, role: str | None = None) -> str | None:
    """Name of the format of a file of JSON or Parquet, told by its first rows.

    Rows of text or tokens alone are JSONL. A `.json` must be of a known format: of a `.jsonl`, and
    of what has no rows, the reader reports the error, with the line; other files are of none, such
    as a table without any lists or objects. For a `role`, rows have one annotation, and no list
    under a key of spans that is none.
    """
    try:
        kinds = _kinds_at(path)
    except FormatError:
        if suffix in (".json", ".csv"):
            raise
        kinds = {}
    if suffix == ".csv" and not set().union(*kinds.values()) - PLAIN:
        return None
    name = _form_of(kinds)
    unread = role is not None and any("list" in kinds.get(key, ()) for key in ENTITIES)
    if name is None and kinds and (suffix == ".json" or unread):
        what = "this JSON is of none of the known formats"
        raise FormatError(f"{what}{_instead_of(kinds)}", path)
    if name is None:
        return "jsonl" if suffix in (".json", ".jsonl") or is_parquet(path) else None
    if role is not None and name in BY_ROW:
        _check_keys(path, name, kinds, role)
    return name


def check_form(path: PathLike, name: str) -> None:
    """Raise for rows in which the format that was named reads nothing."""
    kinds, known = _kinds_at(path), KNOWN.get(name, ())
    fit = _form_of(kinds)
    if known and not kinds.keys() & {*known} and fit not in (name, None):
        what = f"no row has a key of format {name} ({', '.join(known)})"
        raise FormatError(f"{what}; they are of format {fit}: leave out the name", path)


def key_format(path: PathLike, key: str) -> str | None:
    """Name of the format that reads the values of a key in the rows of a file.

    None if there is nothing to read, or only the format of the rows can tell.
    """
    kinds = _kinds_at(path)
    name, found = _form_of(kinds), kinds.get(key, set())
    if name is not None and name not in BY_ROW or f"layers.{key}" in kinds:
        return None
    if "tags" in found:
        return "tagged"
    if found & {"mentions", *ANSWER}:
        return "mentions"
    if not found & {"spans", "groups", *EMPTY}:
        return None
    if name == "gliner" and key == "ner":
        return name
    return "jsonl" if key == "spans" else "entities"


def has_rows(path: PathLike) -> bool:
    """Whether a file, or the first one of a folder or a pattern, has rows of JSON or Parquet."""
    try:
        file = files_at(path)[0] if is_several(path) else path_of(path)
    except (FormatError, IndexError):
        return False
    return (opening_format(file) or suffix_of(file)) in OF_ROWS


def annotator_key(path: PathLike) -> str | None:
    """The key by which the first rows of a JSON file name their annotators; None without."""
    kinds = _kinds_at(path)
    return next((key for key in ANNOTATORS if kinds.get(key)), None)


def check_one_annotator(path: PathLike) -> None:
    """Raise if several annotated a document of the first rows of a file, and nobody is named."""
    if (found := _annotators_at(path)) is not None:
        advice = f"name one, {path}#annotator={found[0]},layer=NAME, or let agree compare them"
        raise FormatError(f"several annotators: {listed(found[1])}; {advice}", path)


@by_file
def _annotators_at(path: str) -> tuple[str, list[str]] | None:
    """(key, names) of the annotators in the first rows of a file, if a document has several."""
    rows = [row for row, _ in islice(sound_rows(path), ROWS)]
    for key in ANNOTATORS:
        both = [(row.get("id", row.get("doc_key")), row.get(key)) for row in rows]
        pairs = {(str(name), str(one)) for name, one in both if None not in (name, one)}
        if len(pairs) > len({name for name, _ in pairs}):
            return key, sorted({one for _, one in pairs})
    return None


def without_annotation(path: PathLike) -> str:
    """Message about files in which no document has spans: the keys of their rows, if any."""
    kinds: Kinds = {}
    if has_rows(path):
        kinds = _kinds_at(files_at(path)[0] if is_several(path) else path)
    if not kinds:
        return "no document has any layer of spans; write an empty list for documents without spans"
    return f"no row has a list of spans or tags under a known key{_instead_of(kinds)}"


def _instead_of(kinds: Kinds) -> str:
    """The end of a message: the keys of rows, which were probably meant by them, and the known."""
    known = {*TEXTS, *WORDS, *OF_SPANS, "id", "label", "meta", "sents", "title"}
    keys = [key for key in kinds if "." not in key][:MOST]
    named = [quoted(key) + ("" if key in known else did_you_mean(key, OF_SPANS)) for key in keys]
    others = ", ".join(key for key in OF_SPANS if key not in kinds)
    return (
        f" (its keys: {', '.join(named) or 'none'}); a row has a text or tokens, and one of "
        f"{others}, an empty list without spans; or name its key (FILE#KEY), or the format "
        "(--format)"
    )


# --- values


@by_file
def _kinds_at(path: str) -> Kinds:
    """The kinds of values in the first rows of a file of JSON or Parquet."""
    return kinds_of(row for row, _ in islice(sound_rows(path), ROWS))


def kinds_of(rows: Iterable[Row], names: Set[str] | None = None) -> Kinds:
    """The kinds of values by key, of all or some keys of rows.

    "key.inner" are keys of the object that a value is, or that its list begins with.
    """
    kinds: Kinds = {}
    for row in rows:
        for key in row if names is None else row.keys() & names:
            found = kinds.setdefault(key, set())
            if (value := row[key]) is not None:
                found.add(_kind_of(row, key))
            inner = value[0] if type(value) is list and value else value
            for name in inner if type(inner) is dict else ():
                kinds.setdefault(f"{key}.{name}", set())
    return kinds


def _kind_of(row: Row, key: str) -> str:
    """The kind of value that a row has under a key.

    "tags", or other "values" of its tokens; "spans" with places, or "groups" of them; "mentions"
    without; "nothing", or lists that are "empty"; an "answer" with mentions ("data" if it is JSON),
    a "decision", or another "text"; another "list", "object" or "value".
    """
    value = row[key]
    if type(value) is str:
        if value in DECISIONS or not (match := IS_ANSWER.search(value)):
            return "decision" if value in DECISIONS else "text"
        return "data" if match[0] in ("[", "{") else "answer"
    if type(value) not in (list, dict) or not value:
        return "nothing" if value in ([], {}) else "value"
    if type(value) is dict:
        if {*map(type, value.values())} - {list, type(None)}:
            return "object"
        if _has_place(value):
            return "spans"  # an object of lists, as data sets store lists of objects
        kinds = {type(one) for entries in value.values() for one in entries or ()}
        return "mentions" if kinds == {str} else "groups" if kinds else "empty"
    kinds = {*map(type, value)}
    words = next((row[name] for name in WORDS if type(row.get(name)) is list), ())
    if len(value) == len(words) and kinds <= {str, int}:
        return "tags" if all(type(tag) is int or is_tag(tag) for tag in value) else "values"
    if any(_has_place(one) for one in value):
        return "spans"
    if kinds != {dict}:
        return "list"
    n_texts = [sum(type(part) in (str, list) for part in one.values()) for one in value]
    return "mentions" if min(n_texts) > 1 else "list"


def _has_place(entry: Any) -> bool:
    """Whether a span says where it is, or that it is a piece of a word."""
    if type(entry) is not dict:
        return type(entry) is list and len(entry) > 2
    if type(entry.get("span")) is list or re.match("[BIESLU]-", str(entry.get("entity", ""))):
        return True
    own = [str(key).lower() for key in entry]
    begins = ("start", "begin", "offset")
    return any(key.startswith(begins) or key in ("pos", "fragments", "index") for key in own)


def entity_keys(kinds: Kinds) -> list[str]:
    """The keys that hold spans."""
    return [key for key in ENTITIES if kinds.get(key, set()) & {"spans", "groups", *EMPTY}]


def answer_keys(kinds: Kinds) -> list[str]:
    """The keys that hold mentions without offsets, or answers that may have some."""
    keys = [key for key in ANSWERS if "mentions" in kinds.get(key, ())]
    if keys or any(kinds.get(key) for key in OF_SPANS):
        empty = [key for key in ANSWERS if kinds.get(key) and kinds[key] <= EMPTY]
        return keys or [key for key in empty if key == "mentions"] or empty[:1]
    found = {key: kinds[key] for key in ANSWERS if key in kinds}
    texts = {"text", "object", *ANSWER, *EMPTY}
    return [key for key in found if key == "mentions" or found[key] & texts]


# --- which keys are read


def _check_keys(path: PathLike, name: str, kinds: Kinds, role: str) -> None:
    """Raise if rows have annotation under keys that the reader of their format passes over."""
    is_pred, known = role == "pred", KNOWN[name]
    read = {key for key in known if kinds.get(key)}
    others = set()
    for key, found in kinds.items():
        if key in known and not (name == "tagged" and "spans" in found):
            continue
        is_like = found and found <= ANNOTATION | EMPTY and OF_PREDICTIONS.search(key) is not None
        said = is_pred and (is_like or key in ANSWERS and "data" in found)
        if said or key in (*OF_SPANS, "label") and found & ANNOTATION:
            others.add(key)
    if read and others:
        _raise_several(path, [key for key in kinds if key in read | others], role)
    # what is beside them may be a copy of gold
    for key, found in kinds.items() if is_pred and name != "gliner" else ():
        unread = key in ANSWERS and key != "spans" and "list" in found
        unread &= not found & (ANNOTATION | {"mentions"})
        if unread or key in UNREAD and key not in known and found & {"list", "mentions"}:
            other = next((one for one in kinds if kinds[one] & ANNOTATION), "spans")
            what = f"the lists under {quoted(key)} are of no form that is read; a span is an object"
            raise FormatError(f"{what}, or name another key: {path}#{other}", path)


def _raise_several(path: object, keys: Sequence[str], role: str) -> NoReturn:
    """Raise for rows with several annotations; the example is one that the role suggests."""
    names = [key for key in keys if key != "layers"] or [*keys]
    of_models = {*ANSWERS} - {*OF_SPANS}
    likely = [key for key in names if OF_PREDICTIONS.search(key) or key in of_models]
    first = (likely or names)[0] if role == "pred" else names[0]
    found = f"{', '.join(map(repr, keys[:-1]))} and {quoted(keys[-1])}"
    raise FormatError(f"rows have {found}; name the key to read: {path}#{first}", path)


def layers_in(
    path: object,
    rows: Iterable[Row],
    columns: Columns,
    role: str,
    keys_of: Callable[[Kinds], Iterable[str]],
    names: Sequence[str],
) -> dict[str, str]:
    """{layer: key} of the rows of a file, of the keys that a function finds by their kinds."""
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    kinds = kinds_of(rows, {*names, *OF_SPANS, *asked})
    found = {*keys_of(kinds)} or kinds.keys() & {*names}  # then each row reports its own error
    found |= kinds.keys() & asked
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
