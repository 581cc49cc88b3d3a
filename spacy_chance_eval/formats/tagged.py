"""Rows of tokens with a tag for each, as in datasets of Hugging Face.

    {"tokens": ["Ada", "Byron", "slept"], "ner_tags": ["B-PER", "I-PER", "O"]}

The key of the tokens is `tokens` or `words`, that of the tags `ner_tags`, `tags`, `labels`, `ner`
or `predictions` (of a prediction this one, if there are two), or named. They are the layer "spans".
A row without tags, or with null, was not annotated, nor is a token with the tag "-"; where no token
has O, and a row has hyphens beside tags, a hyphen is O. Other keys are attributes.

Tags may be numbers if their names are known: from `labels`, from the schema of Parquet that the
library `datasets` wrote, or from a file beside: dataset_info.json, dataset_infos.json (also in the
folder above), labels.json, id2label.json or label2id.json. The scheme is BIOES or BILUO if the file
has tags that only these have; IOB1 if spans begin with I, and with B only right after one of the
same label; else IOB2.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import UNSET, UnsetType

from ..measures.messages import quoted
from ..measures.tags import UNSEEN, TagRows
from .columns import Columns, TypedRow, columns_of
from .corpus import Corpus, check_words, document_title, one_piece
from .errors import ContentError, FormatError, PathLike, known
from .files import open_text
from .forms import Batch, Form
from .json_rows import AT_ONCE, Row, is_parquet
from .json_text import NotJSONError, in_one_line, parsed_json
from .keys import Reading
from .notes import HYPHENS
from .outputs import write_atomically
from .paths import is_remote, path_of
from .rows import brief, json_value
from .sniffing import PREDICTED, TAGS, WORDS, resolve_columns
from .tags import ONE_SCHEME, REPAIRS, SCHEMES, families, spans_of_tags, tags_of_spans

Labels: TypeAlias = str | Sequence[str] | Mapping[Any, Any] | None
IGNORED = -100  # what trainers write for pieces of words that do not count
INFO = ("dataset_info.json", "dataset_infos.json", "labels.json", "id2label.json", "label2id.json")
NAMES = (
    "give the names of the numbers: --labels O,B-PER,I-PER ..., or --labels FILE, a JSON list of "
    "names, the config.json of a model, or the dataset_info.json of a data set"
)


class _Keys(NamedTuple):
    """How a file is read: {layer: key}, the names of the numbers by key, the schemes by key.

    `hyphens` are the keys with hyphens instead of O.
    """

    layers: Mapping[str, str]
    names: Mapping[str, Sequence[str]]
    schemes: Mapping[str, str]
    hyphens: Set[str]

    def how(self, key: str, reading: Reading) -> tuple[str, str]:
        """The scheme of a key, and what becomes of improper tags: guesses beside gold have some."""
        beside = self.layers.get(PREDICTED) == key
        return self.schemes[key], "conlleval" if beside else reading.repair or "error"


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> _Keys:
    """How the rows of a file are read."""
    columns, repair = reading.columns, reading.repair or "error"
    known(repair, REPAIRS, "repair")
    scheme = known(reading.scheme or "auto", ("auto", *SCHEMES), "scheme")
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    pairs: dict[str, set[tuple[Any, Any]]] = {}  # each tag with the one before it
    mixed: set[str] = set()  # keys of which a row has hyphens beside tags
    rest = iter(rows)
    while some := [*islice(rest, AT_ONCE)]:
        sizes = [len(words_of_row(row) or ()) for row in some]
        for key in set[str]().union(*some) & {*TAGS, *asked}:
            found = [(row[key], n) for row, n in zip(some, sizes) if type(row.get(key)) is list]
            tags = [one for one, n in found if key in asked or len(one) == n > 0]
            if (distinct := _distinct(tags)) is None:
                sound = [[tag for tag in one if type(tag) in (str, int)] for one in tags]
                tags = [two for one, two in zip(tags, sound) if key in asked or one == two]
                distinct = _distinct(tags) or set()
            if tags or key in asked:
                known_pairs = pairs.setdefault(key, set())
                if scheme == "auto" and repair == "error" and not _is_iob2(known_pairs):
                    every = [tag for one in tags for tag in ("O", *one)]
                    known_pairs.update(zip(every, every[1:]))
                known_pairs |= {(tag, tag) for tag in distinct}
                if UNSEEN in distinct and any(UNSEEN in one and {*one} != {UNSEEN} for one in tags):
                    mixed.add(key)
    keys = [key for key in TAGS if key in pairs] + sorted({*pairs} - {*TAGS})
    layers = resolve_columns(path, keys, columns, reading.role)
    numbered = [k for k in layers.values() if any(type(tag) is int for _, tag in pairs[k])]
    names = {key: _names_of(path, key, reading.labels) for key in numbered}
    schemes = dict.fromkeys(layers.values(), scheme)
    if scheme == "auto":
        for key in schemes:
            named = _named_pairs(pairs[key], names.get(key, ()))
            schemes[key] = _scheme_of(path, key, named, names.get(key, ()), repair)
    outside = {key for key in mixed & names.keys() if "O" in names[key]}
    outside |= {key for key in mixed if ("O", "O") in pairs[key]}
    return _Keys(layers, names, schemes, mixed - outside)


def words_of_row(row: Row) -> list[Any] | None:
    """The tokens of a row; None without a list of them."""
    for key in WORDS:
        if type(row.get(key)) is list:
            return row[key]
    return None


def _distinct(tags: Sequence[Sequence[Any]]) -> set[Any] | None:
    """The different tags, if all are texts or numbers."""
    try:
        found = set().union(*tags)
    except TypeError:
        return None
    return None if {*map(type, found)} - {str, int} else found


def _is_iob2(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether B begins a span that is not right after one of the same label."""
    return any(str(two)[:2] == "B-" and str(one)[2:] != two[2:] for one, two in pairs)


def _named_pairs(pairs: Iterable[tuple[Any, Any]], names: Sequence[str]) -> set[tuple[str, str]]:
    """The pairs of tags, numbers by their names; without those that have none."""
    table = dict(enumerate(names))
    named = {tuple(table.get(tag, tag) for tag in pair) for pair in pairs}
    return {(one, two) for one, two in named if type(one) is str and type(two) is str}


def _scheme_of(
    path: object, key: str, pairs: set[tuple[str, str]], names: Sequence[str], repair: str
) -> str:
    """The scheme of the tags of a key, by each tag with the one before it.

    BIOES and BILUO have prefixes of their own. Tags are IOB1 if some span begins with I, and B
    stands only right after a span of the same label. Else, and where tags are repaired, they are
    IOB2.
    """
    found = families(sorted({tag for _, tag in pairs} | {*names}))
    if len(found) > 1:
        one, two = found.values()
        raise FormatError(f"{quoted(key)} has {one} and {two}, of two schemes; {ONE_SCHEME}", path)
    parts = [(one.partition("-")[2], *two.partition("-")[::2]) for one, two in pairs]
    begins = {prefix for before, prefix, label in parts if label != before}
    iob = "IOB1" if "I" in begins and "B" not in begins and repair == "error" else "IOB2"
    return next(iter(found), iob)


class TagRow(TypedRow, gc=False):
    """A row of tokens; its tags stand under keys that files choose."""

    words: UnsetType = UNSET
    spans: UnsetType = UNSET
    layers: UnsetType = UNSET  # type: ignore[assignment]
    categories: UnsetType = UNSET  # type: ignore[assignment]
    cats: UnsetType = UNSET  # type: ignore[assignment]


def _translate(row: Row, reading: Reading, keys: _Keys) -> tuple[Row, str]:
    """The row with its words as tokens and the spans of its tags, and without other spans."""
    words = words_of_row(row)
    if words is None:
        raise ContentError("a row without 'tokens'", "tags need a list of tokens")
    taken = {*keys.layers.values(), *TAGS, *WORDS, "spans"}
    own = {key: value for key, value in row.items() if key not in taken}
    own |= {"tokens": words, "layers": {}, "missing_in": dict(row.get("missing_in") or {})}
    for layer, key in keys.layers.items():
        if key in row:
            tags = json_value(row, key, list)
            spans, unseen = (
                (None, ()) if tags is None else _spans_of_row(tags, row, key, keys, reading)
            )
            own["layers"][layer] = spans
            if key in keys.hyphens and tags is not None:
                own["*notes"] = [*own.get("*notes", ()), *[(HYPHENS, key)] * tags.count(UNSEEN)]
            if unseen:
                own["missing_in"][layer] = unseen
    return own, "token"


def _spans_of_row(
    tags: Sequence[Any], row: Row, key: str, keys: _Keys, reading: Reading
) -> tuple[Any, Any]:
    """(spans, None if no token is annotated; stretches without annotation) of the tags of a row."""
    size = len(words_of_row(row) or ())
    if len(tags) != size:
        raise ContentError(
            f"{len(tags)} tags in {quoted(key)} for {size} tokens", "each token has a tag"
        )
    names = [_tag_of(tag, key, keys.names.get(key, ())) for tag in tags]
    gaps = {n for n, tag in enumerate(names) if tag == UNSEEN and key not in keys.hyphens}
    if gaps and len(gaps) == len(names):
        return None, ()
    scheme, repair = keys.how(key, reading)
    plain = ["O" if tag == UNSEEN else tag for tag in names]
    spans, problems = spans_of_tags(plain, scheme=scheme, repair=repair)
    for one in problems[:1]:
        raise ContentError(f"token {one.place}: {one.found}", one.advice)
    return spans, [(n, n + 1) for n in sorted(gaps)]


def _columns_of(batch: Batch) -> Columns:
    """Rows without mistakes in columns."""
    typed, rows, lines, reading, keys = batch
    layers, names, *_ = keys
    columns = columns_of(typed, rows, lines, True, {*layers.values(), *TAGS, reading.annotator})
    if None in columns.words:
        raise ODD
    for layer, key in layers.items():
        docs = [n for n, row in enumerate(rows) if key in row]
        tags = [rows[n][key] for n in docs]
        if {*map(type, tags)} - {list, type(None)}:
            raise ODD
        sizes = np.array([-1 if one is None else len(one) for one in tags], np.int64)
        if ((sizes != columns.sizes[docs]) & (sizes >= 0)).any():
            raise ODD
        if docs:
            scheme, repair = keys.how(key, reading)
            found = _spans_of_rows(tags, names.get(key, ()), scheme, repair)
            columns.layers[layer] = docs, found
    return columns


ODD = ContentError("an odd row", "rows are read one by one")


def _spans_of_rows(
    tags: Sequence[Sequence[Any] | None], names: Sequence[str], scheme: str, repair: str
) -> list[Any]:
    """The spans of rows of tags without mistakes, None for one without tags."""
    code: defaultdict[Any, int] = defaultdict()
    code.default_factory = code.__len__  # a new tag has the next number
    sizes = [len(one or ()) for one in tags]
    every = chain.from_iterable(one or () for one in tags)
    try:
        codes = np.fromiter(map(code.__getitem__, every), np.int64, sum(sizes))
    except TypeError:
        raise ODD from None
    if UNSEEN in code or {*map(type, code)} - {str, int}:
        raise ODD
    labels = [_tag_of(tag, "", names) for tag in code]
    cuts = np.append(0, np.cumsum(sizes))
    tokens = np.flatnonzero(np.array([tag != "O" for tag in labels], bool)[codes])
    begins = np.zeros(len(codes) + 1, bool)  # whether a token is the first of its row
    begins[cuts] = True
    follows = np.append(False, np.diff(tokens) == 1)[: len(tokens)] & ~begins[tokens]
    made = TagRows(tokens, codes[tokens], labels, follows)
    first, last, label, of, wrong = made.spans(scheme, repair)
    if len(wrong):
        raise ODD
    doc = np.searchsorted(cuts, first, "right") - 1
    starts, ends = ((one - cuts[doc]).tolist() for one in (first, last))
    spans = [*zip(starts, ends, [of[n] for n in label.tolist()])]
    places = np.searchsorted(doc, np.arange(len(tags) + 1)).tolist()
    return [None if one is None else spans[a:b] for one, a, b in zip(tags, places, places[1:])]


FORM = Form(_translate, _survey, WORDS, TagRow, _columns_of)


def _tag_of(tag: Any, key: str, names: Sequence[str]) -> str:
    """The name of a tag."""
    if type(tag) is str:
        return tag
    if tag == IGNORED:
        raise ContentError(
            f"{IGNORED} in {quoted(key)}, which marks pieces of words",
            "give the tags of the words, as they were before a tokenizer divided these",
        )
    if type(tag) is not int or not 0 <= tag < len(names):
        many = f"are {len(names)} names, for 0 to {len(names) - 1}"
        what = many if len(names) > 1 else "is one name, for 0" if names else "are no names"
        raise ContentError(f"tag {brief(tag)} in {quoted(key)}, where there {what}", NAMES)
    return names[tag]


def _names_of(path: object, key: str, labels: Labels) -> list[str]:
    """The names of the numbers of a key, in their order."""
    if labels is not None:
        return _given_names(labels, key, path)
    file = path_of(str(path))
    found = None
    if is_parquet(file):
        from .parquet import stored_features

        found = _names_in(stored_features(file), key)
    if found is None and not is_remote(file):
        beside = [file.parent / name for name in INFO]
        beside += [file.parent.parent / name for name in INFO[:2]]
        for other in (one for one in beside if one.is_file() and one != file):
            found = _names_in(_json_of(other), key, plain=other.name not in INFO[:2])
            if found is not None:
                break
    if found is None:
        raise FormatError(f"{quoted(key)} has numbers, whose names are nowhere; {NAMES}", path)
    return found


def _given_names(labels: Labels, key: str, path: object) -> list[str]:
    """The names that were given."""
    if isinstance(labels, str):
        if "," not in labels and path_of(labels).is_file():
            found = _names_in(_json_of(labels), key, plain=True)
            if found is None:
                raise FormatError(f"no names for the numbers of {quoted(key)}; {NAMES}", labels)
            return found
        if "," not in labels and ("/" in labels or path_of(labels).suffix):
            raise FormatError(f"no such file; {NAMES}", labels)
        labels = [name.strip() for name in labels.split(",")]
    found = _names_in(
        labels if isinstance(labels, Mapping) else list(labels or ()), key, plain=True
    )
    if found is None:
        raise ValueError(f"labels are {quoted(labels)}; {NAMES}")
    return found


def _json_of(path: Any) -> Any:
    """The JSON of a file, or its lines if it is not one JSON value."""
    with open_text(path) as file:
        text = file.read()
    try:
        return parsed_json(text)
    except NotJSONError as error:
        if path_of(path).suffix == ".json":
            raise FormatError(f"invalid JSON ({error.reason}); {NAMES}", path, error.line) from None
        return [line.strip() for line in text.splitlines() if line.strip()]


def _names_in(info: Any, key: str, plain: bool = False) -> list[str] | None:
    """The names of the numbers of a key in a file about a data set or model; None without."""
    if plain and (names := _plain_names(info)):
        return names
    if not isinstance(info, Mapping):
        return None
    if key in info and (names := _class_names(info[key])):
        return names
    found = [_names_in(value, key) for value in info.values() if isinstance(value, Mapping)]
    distinct = {tuple(names) for names in found if names is not None}
    return list(distinct.pop()) if len(distinct) == 1 else None


def _plain_names(info: Any) -> list[str] | None:
    """The names of a list, an id2label or a label2id; None for other values."""
    if isinstance(info, Mapping):
        for key in ("id2label", "label2id", "names"):
            if key in info:
                return _plain_names(info[key])
        if info and all(type(value) is int for value in info.values()):
            info = {number: name for name, number in info.items()}
        try:
            numbered = {int(number): name for number, name in info.items()}
        except (TypeError, ValueError):
            return None
        if sorted(numbered) != list(range(len(numbered))):
            return None
        info = [numbered[number] for number in range(len(numbered))]
    good = isinstance(info, list) and info and all(type(name) is str and name for name in info)
    return list(info) if good and len({*info}) == len(info) else None


def _class_names(feature: Any) -> list[str] | None:
    """The names of the ClassLabel that a feature is, or has inside; None without one."""
    if isinstance(feature, list) and len(feature) == 1:
        return _class_names(feature[0])
    if not isinstance(feature, Mapping):
        return None
    if type(feature.get("names")) is list:
        return _plain_names(feature["names"])
    inner = feature.get("feature")
    return None if inner is None else _class_names(inner)


def write_tagged(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write one layer as rows that `datasets.load_dataset("json")` and `read_tagged` read.

    A row has `id`, `tokens`, and `ner_tags`, texts in IOB2, or null if the document was not
    annotated. Attributes are further columns.

    `layer` is the one to write; by default the only one.
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
            row = {"id": document.name, "tokens": document.words, "ner_tags": tags}
            own = {key: said for key, said in row.items() if key != "id" or said is not None}
            lines.append(in_one_line({**own, **document.attributes}))
        except (TypeError, ValueError) as error:
            raise FormatError(f"{document_title(document, place)}: {error}", path) from error
    write_atomically(path, lines)
