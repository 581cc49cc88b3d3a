"""Rows of tokens with a tag for each, as in datasets of Hugging Face.

    {"tokens": ["Ada", "Byron", "slept"], "ner_tags": ["B-PER", "I-PER", "O"]}

The key of the tokens is `tokens` or `words`, that of the tags `ner_tags`, `tags`, `labels`, `ner`
or `predictions` (of a prediction this one, if there are two), or named. They are the layer "spans".
A row without tags, or with null, was not annotated. Other keys are attributes.

Tags may be numbers if their names are known: from `labels`, from the schema of Parquet that the
library `datasets` wrote, or from its dataset_info.json beside the file. The scheme is BIOES or
BILUO if the file has tags that only these have; IOB1 if spans begin with I, and with B only right
after one of the same label; else IOB2.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType

from ..measures.arrays import IntArray
from ..measures.messages import quoted
from ..measures.tags import TagRows
from .columns import Columns, TypedRow, columns_of
from .corpus import Corpus, check_words, document_title, one_piece
from .errors import ContentError, FormatError, PathLike, known
from .files import open_text
from .forms import Batch, Form
from .json_rows import AT_ONCE, Row, is_parquet
from .json_text import NotJSONError, in_one_line, parsed_json
from .keys import Reading
from .outputs import write_atomically
from .paths import is_remote, path_of
from .rows import brief, json_value, other_values
from .sniffing import PREDICTED, TAGS, WORDS, resolve_columns
from .tags import ONE_SCHEME, REPAIRS, SCHEMES, families, spans_of_tags, tags_of_spans

INFO = "dataset_info.json"  # which `Dataset.save_to_disk` and `load_dataset` write
NAMES = (
    "give the names of the numbers: --labels O,B-PER,I-PER ..., or --labels FILE, a JSON list of "
    "names, the config.json of a model, or the dataset_info.json of a data set"
)


class _Tags(NamedTuple):
    """A key of tags: its layer, the names of its numbers, and how its tags are read."""

    layer: str
    key: str
    names: Sequence[str]
    scheme: str
    repair: str


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> list[_Tags]:
    """The keys of tags of a file."""
    columns, repair = reading.columns, known(reading.repair or "error", REPAIRS, "repair")
    scheme = known(reading.scheme or "auto", ("auto", *SCHEMES), "scheme")
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    pairs: dict[str, set[tuple[Any, Any]]] = {}  # each tag with the one before it
    rest = iter(rows)
    while some := [*islice(rest, AT_ONCE)]:
        for key in set[str]().union(*some) & {*TAGS, *asked}:
            if key not in {*pairs, *asked} and not any(_has_tags(row, key) for row in some):
                continue
            lists = [row[key] for row in some if type(row.get(key)) is list]
            try:
                distinct = set[Any]().union(*lists)
            except TypeError:  # a list or an object is no tag: its row says so when it is read
                lists = [tags for tags in lists if not {*map(type, tags)} - {str, int}]
                distinct = set().union(*lists)
            own = pairs.setdefault(key, set())
            if scheme == "auto" and repair == "error" and "B" not in _begins(own):
                own.update(chain.from_iterable(zip(["O", *tags], tags) for tags in lists))
            own |= {(tag, tag) for tag in distinct}
    keys = [key for key in TAGS if key in pairs] + sorted({*pairs} - {*TAGS})
    made = []
    for layer, key in resolve_columns(path, keys, columns, reading.role).items():
        numbered = any(type(tag) is int for _, tag in pairs[key])
        names = _names_of(path, key, reading.labels) if numbered else []
        table = dict(enumerate(names))
        own = {(table.get(one, one), table.get(two, two)) for one, two in pairs[key]}
        found = families(sorted({tag for _, tag in own if type(tag) is str} | {*names}))
        if scheme == "auto" and len(found) > 1:
            what = f"{quoted(key)} has {' and '.join(found.values())}, of two schemes"
            raise FormatError(f"{what}; {ONE_SCHEME}", path)
        # IOB1: some span begins with I, and B stands only right after a span of the same label
        begins = _begins(own) if repair == "error" else set()
        iob = "IOB1" if "I" in begins and "B" not in begins else "IOB2"
        own_scheme = next(iter(found), iob) if scheme == "auto" else scheme
        # guesses beside gold have improper tags
        made.append(
            _Tags(layer, key, names, own_scheme, repair if layer != PREDICTED else "conlleval")
        )
    return made


def _words_of(row: Row) -> list[Any] | None:
    """The tokens of a row."""
    return next((row[key] for key in WORDS if type(row.get(key)) is list), None)


def _has_tags(row: Row, key: str) -> bool:
    """Whether a row has a text or number for each of its tokens."""
    tags = row.get(key)
    if type(tags) is not list or not len(tags) == len(_words_of(row) or ()) > 0:
        return False
    return not {*map(type, tags)} - {str, int}


def _begins(pairs: Iterable[tuple[Any, Any]]) -> set[str]:
    """The prefixes of tags that are not right after one of the same label."""
    texts = [pair for pair in pairs if {*map(type, pair)} == {str}]
    return {two[:1] for one, two in texts if one[2:] != two[2:]}


def _translate(row: Row, reading: Reading, keys: Sequence[_Tags]) -> tuple[Row, str]:
    """The row with its words as tokens and the spans of its tags, and without other spans."""
    words = _words_of(row)
    if words is None:
        raise ContentError("a row without 'tokens'", "tags need a list of tokens")
    own = other_values(row, {*TAGS, *WORDS, "spans", *(one.key for one in keys)})
    layers = {one.layer: _spans_of(row, one, len(words)) for one in keys if one.key in row}
    return own | {"tokens": words, "layers": layers}, "token"


def _spans_of(row: Row, key: _Tags, n_tokens: int) -> list[Any] | None:
    """The spans of the tags of a row; None if it was not annotated."""
    tags = json_value(row, key.key, list)
    if tags is None:
        return None
    if len(tags) != n_tokens:
        what = f"{len(tags)} tags in {quoted(key.key)} for {n_tokens} tokens"
        raise ContentError(what, "each token has a tag")
    tags = [_name_of(tag, key) for tag in tags]
    spans, problems = spans_of_tags(tags, scheme=key.scheme, repair=key.repair)
    if problems:
        raise ContentError(f"token {problems[0].place}: {problems[0].found}", problems[0].advice)
    return spans


def _name_of(tag: Any, key: _Tags) -> str:
    """The name of a tag."""
    if type(tag) is str:
        return tag
    if type(tag) is not int or not 0 <= tag < len(key.names):
        has = f"where numbers have {len(key.names)} names"
        raise ContentError(f"tag {brief(tag)} in {quoted(key.key)}, {has}", NAMES)
    return key.names[tag]


class TagRow(TypedRow, gc=False):
    """A row of tokens; its tags stand under keys that files choose."""

    words: UnsetType = UNSET
    spans: UnsetType = UNSET
    layers: UnsetType = UNSET  # type: ignore[assignment]
    categories: UnsetType = UNSET  # type: ignore[assignment]
    cats: UnsetType = UNSET


def _columns_of(batch: Batch) -> Columns:
    """The rows in columns."""
    typed, rows, lines, reading, keys = batch
    others = {*TAGS, reading.annotator, *(one.key for one in keys)}
    columns = columns_of(typed, rows, lines, True, others)
    for one in keys:
        docs = [n for n, row in enumerate(rows) if one.key in row]
        if docs:
            lists = [rows[n][one.key] for n in docs]
            columns.layers[one.layer] = docs, _spans_of_rows(lists, one, columns.sizes[docs])
    return columns


def _spans_of_rows(lists: Sequence[Any], key: _Tags, n_tokens: IntArray) -> list[list[Any] | None]:
    """The same as `_spans_of` of each row; raises where that would."""
    mistake = ContentError("rows that are not plain", "translate them")
    kinds = {*map(type, lists)} - {list, type(None)}
    sizes = n_tokens * [tags is not None for tags in lists]
    if kinds or [len(tags or ()) for tags in lists] != sizes.tolist():
        raise mistake
    tags = [*chain.from_iterable(filter(None, lists))]
    if {*map(type, tags)} - {str, int}:
        raise mistake
    codes = {tag: n for n, tag in enumerate(dict.fromkeys(tags))}
    names = [_name_of(tag, key) for tag in codes]
    own = np.fromiter(map(codes.__getitem__, tags), np.int32, len(tags))
    offsets = np.append(0, np.cumsum(sizes))
    begins = np.zeros(len(tags) + 1, bool)
    begins[offsets] = True
    tokens = np.flatnonzero(np.array([name != "O" for name in names], bool)[own])
    rows = TagRows.of_sentences(tokens, own[tokens], names, begins)
    start, end, code, labels, wrong = rows.spans(key.scheme, key.repair)
    if len(wrong):
        raise mistake
    counts = np.diff(np.searchsorted(start, offsets))
    places = np.array([start, end]) - np.repeat(offsets[:-1], counts)
    spans = zip(*places.tolist(), map(labels.__getitem__, code.tolist()))
    some = [[*islice(spans, n)] for n in counts.tolist()]
    return [None if tags is None else own for tags, own in zip(lists, some)]


FORM = Form(_translate, _survey, WORDS, TagRow, _columns_of)


# --- names of numbers


def _names_of(path: object, key: str, labels: Any) -> list[str]:
    """The names of the numbers of a key, in their order."""
    file, info = path_of(str(path)), labels
    if isinstance(labels, str):
        info = [name.strip() for name in labels.split(",")]
        if len(info) == 1:
            info = _json_of(labels)
    elif labels is None and is_parquet(file):
        from .parquet import stored_features

        info = stored_features(file)
    elif labels is None and not is_remote(file) and (file.parent / INFO).is_file():
        info = _json_of(file.parent / INFO)
    names = _names_in(info, key)
    if names is None:
        where = path if labels is None else f"labels={brief(labels)}"
        raise FormatError(f"no names for the numbers in {quoted(key)}; {NAMES}", where)
    return names


def _json_of(path: PathLike) -> Any:
    """The JSON of a file."""
    with open_text(path) as file:
        try:
            return parsed_json(file.read())
        except NotJSONError as error:
            raise FormatError(f"invalid JSON ({error.reason}); {NAMES}", path, error.line) from None


def _names_in(info: Any, key: str) -> list[str] | None:
    """The names of the numbers of a key in a list, in what tells of a data set or of a model."""
    for inner in ("info", "features", key, "feature", "names", "id2label", "label2id"):
        if isinstance(info, Mapping) and inner in info:
            info = info[inner]
    if isinstance(info, Mapping) and all(type(number) is int for number in info.values()):
        info = {number: name for name, number in info.items()}
    if isinstance(info, Mapping):
        numbered = {str(number): name for number, name in info.items()}
        info = [numbered.get(str(number)) for number in range(len(info))]
    good = isinstance(info, (list, tuple)) and info and all(type(n) is str and n for n in info)
    return [*info] if good and len({*info}) == len(info) else None


def write_tagged(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write one layer, by default the only one, as rows that `datasets.load_dataset` reads.

    A row has `id`, `tokens`, and `ner_tags`, texts in IOB2, or null if the document was not
    annotated. Attributes are further columns.
    """
    names = corpus.layer_names
    if corpus.positions != "token" or layer is None and len(names) > 1:
        raise FormatError("rows of tags need tokens and one layer; make some, or name it", path)
    check_words(corpus, path)
    name = layer if layer is not None else (*names, "spans")[0]
    lines = []
    for place, document in enumerate(corpus.documents, 1):
        spans = document.layers.get(name)
        try:
            tags = None if spans is None else tags_of_spans(one_piece(spans), len(document.words))
            row = {"tokens": document.words, "ner_tags": tags, **document.attributes}
            own = {} if document.name is None else {"id": document.name}
            lines.append(in_one_line({**own, **row}))
        except (TypeError, ValueError) as error:
            raise FormatError(f"{document_title(document, place)}: {error}", path) from error
    write_atomically(path, lines)
