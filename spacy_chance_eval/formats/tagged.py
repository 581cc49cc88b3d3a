"""Rows of tokens with a tag for each, as in datasets of Hugging Face.

    {"tokens": ["Ada", "Byron", "slept"], "ner_tags": ["B-PER", "I-PER", "O"]}

The tags are the layer "spans". A row without tags, or with null, was not annotated. Other keys are
attributes. The scheme is BIOES or BILUO if the file has tags that only these have; else IOB2, or
IOB1 without any B.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from os.path import isfile
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import UNSET, Raw, Struct, UnsetType, defstruct, field
from msgspec.json import Decoder

from ..measures.arrays import IntArray
from ..measures.messages import quoted
from ..measures.tags import (
    ONE_SCHEME,
    REPAIRS,
    TagRows,
    families,
    spans_of_tags,
    tags_of_spans,
)
from .columns import KEYS, Columns, Entries, Name, rows_of_words
from .corpus import Corpus, check_words, one_piece
from .errors import ContentError, FormatError, PathLike
from .files import open_text
from .forms import Batch, Form, read_form
from .json_rows import Row, RowSource, is_parquet, sound_rows
from .json_text import in_one_line, parsed_json
from .keys import Reading
from .notes import IMPROPER
from .outputs import write_atomically
from .paths import path_of
from .rows import brief, json_value, other_values
from .sniffing import PREDICTED, TAGS, WORDS, resolve_columns
from .tags import no_tag, plain_tags

INFO = "dataset_info.json"  # which `Dataset.save_to_disk` and `load_dataset` write
NO_NAME = re.compile(r'[\\"\x00-\x1f]')  # in keys that msgspec does not take as names of fields
LISTS = Decoder(list[Name])
HEAD = 100  # rows whose tags probably are as all others
NAMES = (
    "give the names of the numbers: --labels O,B-PER,I-PER ..., or --labels FILE, a JSON list of "
    "names, the config.json of a model, or the dataset_info.json of a data set"
)


class _Tags(NamedTuple):
    """A key of tags: its layer, the names of tags that occur, and how they are read."""

    layer: str
    key: str
    names: Mapping[Any, str]
    n_numbers: int  # that have names
    scheme: str
    repair: str
    counted: bool  # whether notes count improper tags


class _Facts(NamedTuple):
    """The keys of tags of a file, and all keys of its rows; a guess by the first ones, or not."""

    tags: Sequence[_Tags]
    keys: tuple[str, ...]
    is_guess: bool

    @property
    def plain(self) -> tuple[type[Struct], ...]:
        """The types of rows that have no other keys; most fields are called by numbers."""
        if any(map(NO_NAME.search, self.keys)) or not all(one.names for one in self.tags):
            return ()
        words = next((key for key in WORDS if key in self.keys), WORDS[0])
        known: dict[str, Any] = dict.fromkeys(KEYS, UnsetType)  # rows with these are not plain
        known |= dict.fromkeys(TAGS, UnsetType if self.is_guess else Any)
        for one in self.tags:  # of those that are known, texts are made once
            kind: Any = Literal[tuple(one.names)]
            known[one.key] = list[kind] | None
        fields: list[Any] = [("id", str | int | None, None), ("text", str | None, None)]
        for n, key in enumerate(self.keys):
            if key not in (words, "id", "text"):
                kind = known.get(key, Any) | UnsetType
                fields.append((f"key_{n}", kind, field(name=key, default=UNSET)))
        tokens = [("tokens", kind, field(name=words)) for kind in (Raw, list[Name])]
        options: Any = {"gc": False, "forbid_unknown_fields": True}
        return tuple(defstruct("PlainRow", [one, *fields], **options) for one in tokens)


class GuessError(Exception):
    """Rows are not as the first ones of their file."""


@dataclass(frozen=True)
class TagForm(Form):
    """Rows with tags are read as the first ones of their file say, or where that fails, as all."""

    def read(self, path: RowSource, reading: Reading) -> Corpus:
        """The corpus of a file of the form."""
        with suppress(GuessError, FormatError):
            if isinstance(path, (str, Path)) and isfile(path):  # a pipe is read only once
                head = (row for row, _ in islice(sound_rows(path), HEAD))
                return read_form(path, self, reading, _survey(path, head, reading, True))
        return read_form(path, self, reading)


def _survey(path: object, rows: Iterable[Row], reading: Reading, is_guess: bool = False) -> _Facts:
    """The facts of a file; raises if some rows are not enough for a guess."""
    columns = reading.columns
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    names = {*TAGS, *asked}
    found: dict[str, set[Any]] = {}
    every: dict[str, None] = {}
    for row in rows:
        if not row.keys() <= every.keys():
            every |= dict.fromkeys(row)
        for key in row.keys() & names:
            # a list or an object is no tag: its row says so when it is read
            tags = row[key] if type(row[key]) is list else []
            tags = tags if {*map(type, tags)} <= {str, int} else []
            if key in found or key in asked or 0 < len(tags) == len(_words_of(row) or ()):
                found.setdefault(key, set()).update(tags)
    keys = [key for key in TAGS if key in found] + sorted({*found} - {*TAGS})
    made = []
    for layer, key in resolve_columns(path, keys, columns, reading.role).items():
        numbered = any(type(tag) is int for tag in found[key])
        labels = _names_of(path, key, reading.labels) if numbered else []
        texts = {tag for tag in found[key] if type(tag) is str} | {*labels}
        plain = plain_tags(dict.fromkeys(texts, 1) | {"O": 2}) if "O" in texts else {}
        own = families(sorted(plain.get(tag, tag) for tag in texts))
        tags = {tag: plain.get(tag, tag) for tag in found[key] if type(tag) is str}
        tags |= {n: plain.get(tag, tag) for n, tag in enumerate(labels) if n in found[key]}
        scheme = reading.scheme or "auto"
        if scheme == "auto" and len(own) > 1:
            what = f"{quoted(key)} has {' and '.join(own.values())}, of two schemes"
            raise FormatError(f"{what}; {ONE_SCHEME}", path)
        if scheme == "auto":
            has_begin = any(tag[:2] == "B-" for tag in tags.values())
            if is_guess and not (own or has_begin):
                raise GuessError
            scheme = next(iter(own), "IOB2" if has_begin else "IOB1")
        repair = reading.repair or REPAIRS[0]
        counted = repair == REPAIRS[0] and reading.role == "gold" and layer != PREDICTED
        made.append(_Tags(layer, key, tags, len(labels), scheme, repair, counted))
    return _Facts(made, tuple(every), is_guess)


def _words_of(row: Row) -> list[Any] | None:
    """The tokens of a row."""
    return next((row[key] for key in WORDS if type(row.get(key)) is list), None)


def _translate(row: Row, reading: Reading, facts: _Facts) -> tuple[Row, str]:
    """The row with its words as tokens and the spans of its tags, and without other spans."""
    if facts.is_guess:
        raise GuessError
    if (words := _words_of(row)) is None:
        raise ContentError("a row without 'tokens'", "tags need a list of tokens")
    own = other_values(row, {*TAGS, *WORDS, "spans", *(one.key for one in facts.tags)})
    notes: list[tuple[str, str]] = []
    keys = [one for one in facts.tags if one.key in row]
    layers = {one.layer: _spans_of(row, one, len(words), notes) for one in keys}
    return own | {"tokens": words, "layers": layers, "*notes": notes}, "token"


def _spans_of(
    row: Row, key: _Tags, n_tokens: int, notes: list[tuple[str, str]]
) -> list[Any] | None:
    """The spans of the tags of a row; None if it was not annotated. Notes on it are added."""
    tags = json_value(row, key.key, list)
    if tags is None:
        return None
    if len(tags) != n_tokens:
        what = f"{len(tags)} tags in {quoted(key.key)} for {n_tokens} tokens"
        raise ContentError(what, "each token has a tag")
    for tag in tags:
        if type(tag) is not str and (type(tag) is not int or tag not in key.names):
            has = f"where numbers have {key.n_numbers} names"
            raise ContentError(f"tag {brief(tag)} in {quoted(key.key)}, {has}", NAMES)
    tags = [key.names.get(tag, tag) for tag in tags]
    spans, improper, wrong = spans_of_tags(tags, scheme=key.scheme, repair=key.repair)
    if wrong:
        what, advice = no_tag(tags[wrong[0]], key.scheme)
        raise ContentError(f"token {wrong[0]}: {what}", advice)
    notes += [(IMPROPER, tags[token]) for token in improper if key.counted]
    return spans


def _columns_of(batch: Batch) -> Columns:
    """The rows in columns."""
    rows, facts = batch.rows, batch.facts
    columns = Columns(batch.lines, {}, lambda n: Entries(*every[:, n].tolist()), True)
    words: Any = [row.tokens for row in rows]
    columns.words = rows_of_words(words, LISTS) if type(words[0]) is Raw else words
    layers: dict[str, Any] = {}
    spans: list[Any] = [np.zeros((2, 0), np.int64)]
    labels: list[Any] = [np.zeros(0, object)]
    notes: list[list[tuple[str, str]]] = [[] for _ in rows]
    for one in facts.tags:
        lists = [*map(attrgetter(f"key_{facts.keys.index(one.key)}"), rows)]
        docs = [doc for doc, tags in enumerate(lists) if tags is not UNSET]
        if docs:
            lists = [lists[doc] for doc in docs]
            said = [notes[doc] for doc in docs]
            own, names, counts = _spans_of_rows(lists, one, columns.sizes[docs], said)
            ends = np.cumsum(counts) + sum(map(len, labels))
            numbers = map(range, (ends - counts).tolist(), ends.tolist())
            numbered = [None if tags is None else some for tags, some in zip(lists, numbers)]
            layers[one.layer] = docs, numbered
            spans.append(own)
            labels.append(names)
    every = np.array([*np.concatenate(spans, 1), np.concatenate(labels)], object)
    columns.layers, columns.notes = layers, notes if any(notes) else ()
    columns.text = [row.text for row in rows]
    columns.name = [None if row.id is None else str(row.id) for row in rows]
    known = {*KEYS, *TAGS, *WORDS, *(one.key for one in facts.tags)}
    others = [(key, f"key_{n}") for n, key in enumerate(facts.keys) if key not in known]
    if others:
        values = ([(key, getattr(row, name)) for key, name in others] for row in rows)
        columns.attributes = [{key: one for key, one in row if one is not UNSET} for row in values]
    return columns


def _spans_of_rows(
    lists: Sequence[Any], key: _Tags, n_tokens: IntArray, notes: Sequence[list[tuple[str, str]]]
) -> tuple[IntArray, Any, IntArray]:
    """(starts and ends, labels) of the spans of all rows, and their number in each.

    They are those of `_spans_of`, as are the notes on rows; raises where that would.
    """
    mistake = ContentError("rows that are not plain", "translate them")
    sizes = n_tokens * np.array([tags is not None for tags in lists])
    if [len(tags or ()) for tags in lists] != sizes.tolist():
        raise mistake
    codes = {tag: n for n, tag in enumerate(key.names)}
    names = [*key.names.values()]
    tags = chain.from_iterable(filter(None, lists))
    own = np.fromiter(map(codes.__getitem__, tags), np.int32, int(sizes.sum()))
    offsets = np.append(0, np.cumsum(sizes))
    begins = np.zeros(len(own) + 1, bool)
    begins[offsets] = True
    tokens = np.flatnonzero(np.array([name != "O" for name in names], bool)[own])
    rows = TagRows.of_sentences(tokens, own[tokens], names, begins)
    start, end, code, labels, improper, wrong = rows.spans(key.scheme, key.repair)
    if len(wrong):
        raise mistake
    if key.counted:
        at = np.searchsorted(offsets, tokens[improper], "right") - 1
        for row, code_at in zip(at.tolist(), own[tokens[improper]].tolist()):
            notes[row].append((IMPROPER, names[code_at]))
    counts = np.diff(np.searchsorted(start, offsets))
    spans = np.array([start, end]) - np.repeat(offsets[:-1], counts)
    return spans, np.array(labels, object)[code], counts


FORM = TagForm(_translate, _survey, WORDS, columns=_columns_of)


# --- names of numbers


def _names_of(path: object, key: str, labels: Any) -> list[str]:
    """The names of the numbers of a key, in their order."""
    file, info = path_of(str(path)), labels
    if isinstance(labels, str):
        info = [*map(str.strip, labels.split(","))] if "," in labels else _json_of(labels)
    elif labels is None and is_parquet(file):
        from .parquet import stored_features

        info = stored_features(file)
    elif labels is None and (file.parent / INFO).is_file():
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
            return parsed_json(file.read(), NAMES)
        except ContentError as mistake:
            raise FormatError(str(mistake), path) from None


def _names_in(info: Any, key: str) -> list[str] | None:
    """The names of the numbers of a key in a list, in what tells of a data set or of a model."""
    for inner in ("info", "features", key, "feature", "names", "id2label", "label2id"):
        if isinstance(info, Mapping) and inner in info:
            info = info[inner]
    if isinstance(info, Mapping):  # {"0": name} or {name: 0}
        pairs = [pair[::-1] if type(pair[1]) is int else pair for pair in info.items()]
        numbered = {str(number): name for number, name in pairs}
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
    for doc, one in enumerate(corpus.documents):
        spans = one.layers.get(name)
        row: Row = {} if one.name is None else {"id": one.name}
        try:
            tags = None if spans is None else tags_of_spans(one_piece(spans), len(one.words))
            row |= {"tokens": one.words, "ner_tags": tags, **one.attributes}
            lines.append(in_one_line(row))
        except (TypeError, ValueError) as error:
            raise FormatError(f"{corpus.title(doc)}: {error}", path) from error
    write_atomically(path, lines)
