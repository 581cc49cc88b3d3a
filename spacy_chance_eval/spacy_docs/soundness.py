"""Checks of a DocBin before spaCy makes Docs of it.

spaCy's own `DocBin.from_bytes` believes lengths, types and hashes: it drops tokens that no length
counts, and fails far from the file, or not at all, where parts do not fit each other. The content
of a `.spacy` file is therefore checked here, first its parts (`docbin_of`), and where Docs are made
also its values (`check_values`).
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, MORPH, ORTH
from spacy.attrs import IDS as ATTRIBUTES
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from srsly.msgpack import unpackb

from ..formats.errors import ContentError
from ..measures.arrays import Array, IntArray, distinct
from ..measures.messages import quoted
from .packed import FIRST, INSIDE, NOT_PACKED, OddDocsError, span_groups, unpacked

AGAIN = "copy the file or write it again"
KINDS = {ORTH: "word", DEP: "relation", ENT_TYPE: "label of an entity", MORPH: "morphology"}


def docbin_of(data: bytes) -> DocBin:
    """The DocBin of the unpacked bytes of a file, whose parts fit each other."""
    try:
        message = unpackb(data, raw=False)
    except NOT_PACKED as error:
        raise ContentError(f"no DocBin ({type(error).__name__})", AGAIN) from error
    _check(type(message) is dict, "it is no map of parts")
    docbin = DocBin()
    attrs: Any = message.get("attrs")
    _check(_all_of(attrs, int), "'attrs' is no list of numbers")
    right = ORTH in attrs and len({*attrs}) == len(attrs) and {*attrs} <= {*ATTRIBUTES.values()}
    _check(right, f"'attrs' is {quoted(attrs)}, which are no attributes of tokens")
    docbin.attrs = attrs
    strings = message.get("strings")
    _check(_all_of(strings, str), "'strings' is no list of texts")
    docbin.strings = {*strings}
    sizes = _numbers(message, "lengths", "int32").astype(np.int64)
    tokens = _numbers(message, "tokens", "uint64")
    spaces = _numbers(message, "spaces", "uint8")
    n_tokens, width = int(sizes.sum()), len(attrs)
    _check(not (sizes < 0).any(), "'lengths' has negative ones")
    for name, found, expected in (
        ("tokens", len(tokens), n_tokens * width),
        ("spaces", len(spaces), n_tokens),
    ):
        what = f"{quoted(name)} has {found} values, but the lengths of documents ask for {expected}"
        _check(found == expected, what)
    _check(not (spaces > 1).any(), "'spaces' has others than true and false")
    cuts = np.cumsum(sizes)[:-1]
    docbin.tokens = _divided(tokens.reshape(n_tokens, width), cuts, len(sizes))
    docbin.spaces = _divided(spaces.astype(bool).reshape(n_tokens, 1), cuts, len(sizes))
    none: dict[str, list[Any]] = {
        "cats": [{}] * len(sizes),
        "flags": [{}] * len(sizes),
        "span_groups": [b""] * len(sizes),
        "user_data": [None] * len(sizes),
    }
    for name, default in none.items():
        column = message.get(name, default)
        right = type(column) is list and len(column) == len(sizes)
        _check(right, f"{quoted(name)} has no entry for each of {len(sizes)} documents")
        setattr(docbin, name, column)
    _check_each(docbin.flags, _is_flags, "flags")
    _check_each(docbin.span_groups, lambda one: type(one) is bytes, "span groups")
    _check_each(docbin.user_data, lambda one: one is None or type(one) is bytes, "user data")
    return docbin


def _check(right: bool, what: str) -> None:
    """Raise if some content is not that of a DocBin."""
    if not right:
        raise ContentError(what, AGAIN)


def _all_of(values: Any, kind: type) -> bool:
    """Whether something is a list whose entries are of a type."""
    return type(values) is list and {*map(type, values)} <= {kind}


def _numbers(message: dict[str, Any], name: str, kind: str) -> Array:
    """The numbers in the bytes of a part."""
    data = message.get(name)
    itemsize = np.dtype(kind).itemsize
    if type(data) is not bytes or len(data) % itemsize:
        raise ContentError(f"{quoted(name)} holds no whole numbers of {itemsize} bytes", AGAIN)
    found: Array = np.frombuffer(data, kind)
    return found


def _divided(rows: Array, cuts: IntArray, n_docs: int) -> list[Array]:
    """The rows of each document."""
    return np.split(rows, cuts) if n_docs else []


def _is_flags(flags: Any) -> bool:
    """Whether something is the flags of a document."""
    return type(flags) is dict and type(flags.get("has_unknown_spaces", False)) is bool


def _check_each(column: Iterable[Any], is_right: Callable[[Any], bool], what: str) -> None:
    """Raise for the first document with something else in a column."""
    for number, one in enumerate(column, 1):
        _check(is_right(one), f"document {number}: {what} of another type")


# --- values, which are looked at where spaCy makes Docs


def check_values(docbin: DocBin, vocab: Vocab, first: int = 0) -> None:
    """Raise unless spaCy can make a Doc of each document, and all that is asked of it is there.

    Parameters
    ----------
    docbin : DocBin
        One of `docbin_of`, or documents of it.
    vocab : Vocab
        Gets the strings of the DocBin; hashes must be of these.
    first : int
        Number of documents of the file before these.
    """
    for text in docbin.strings:
        vocab.strings.add(text)
    sizes = np.array([*map(len, docbin.tokens)], np.int64)
    doc = np.repeat(np.arange(len(sizes)), sizes) + first
    tokens = np.concatenate([*docbin.tokens, np.zeros((0, len(docbin.attrs)), np.uint64)])
    columns = dict[Any, Array](zip(docbin.attrs, tokens.T))
    places = np.arange(len(doc)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    _refuse(doc, columns[ORTH] == 0, "an empty word")
    _check_hashes(columns, doc, vocab)
    if HEAD in columns:
        head = columns[HEAD].astype(np.int64).astype(np.int32) + places
        _refuse(doc, (head < 0) | (head >= sizes[doc - first]), "a head outside of it")
    if ENT_IOB in columns:
        _check_entities(columns, doc, places)
    _check_groups(docbin, sizes, vocab, first)
    _check_user_data(docbin, first)


def _refuse(doc: IntArray, wrong: Array, what: str) -> None:
    """Raise for the first document of some with a wrong token."""
    if wrong.any():
        raise _damaged(int(doc[wrong.argmax()]), what)


def _damaged(doc: int, what: str) -> ContentError:
    """The error of a document, whose number is from 0."""
    return ContentError(f"document {doc + 1} is damaged: {what}", AGAIN)


def _check_hashes(columns: dict[int, Array], doc: IntArray, vocab: Vocab) -> None:
    """Raise for a hash of a token that is that of no string."""
    for attribute, kind in KINDS.items():
        column = columns.get(attribute)
        if column is None:
            continue
        for key in distinct(column).tolist():
            if key not in vocab.strings:
                _refuse(doc, column == key, _without_text(kind, key))
            elif attribute == MORPH and not _is_morphology(vocab.strings[key]):
                what = f"the morphology {quoted(vocab.strings[key])}, which is no FEATURE=VALUE"
                _refuse(doc, column == key, what)


def _without_text(kind: str, key: int) -> str:
    """Message about a hash that is that of no string of a file."""
    return f"a {kind} whose text is not among the strings of the file (hash {key})"


def _is_morphology(text: str) -> bool:
    """Whether spaCy can take a text apart: "Case=Nom|Number=Sing"."""
    return text in ("", "_") or all(part.count("=") == 1 for part in text.split("|"))


def _check_entities(columns: dict[int, Array], doc: IntArray, places: IntArray) -> None:
    """Raise for marks of entities that are none, and entities that go on without a beginning."""
    iob = columns[ENT_IOB]
    _refuse(doc, iob > FIRST, "a mark of entities that is none of I, O, B")
    labelled = columns.get(ENT_TYPE, np.zeros(len(iob), np.uint64)) != 0
    inside = (iob == INSIDE) | (iob == FIRST) & labelled
    follows = np.append(False, inside)[: len(inside)] & (places > 0)
    _refuse(doc, (iob == INSIDE) & ~follows, "an entity that goes on without a beginning")


def _check_groups(docbin: DocBin, sizes: IntArray, vocab: Vocab, first: int) -> None:
    """Raise for span groups that are none, and spans outside of their document."""
    for number, data in enumerate(docbin.span_groups):
        try:
            groups = [group for _, group in span_groups([data])]
        except OddDocsError as error:
            raise _damaged(first + number, "its span groups cannot be read") from error
        for group in groups:
            spans = group.table
            _refuse_group(_are_names(group.keys), number + first, "a span group without a name")
            right = (spans["start"] >= 0) & (spans["start"] <= spans["end"])
            right &= spans["end"] <= sizes[number]
            what = f"a span outside of it in the group {quoted(group.keys[0])}"
            _refuse_group(bool(right.all()), number + first, what)
            for key in distinct(spans["label"].astype(np.uint64)).tolist():
                what = _without_text(f"label of the group {quoted(group.keys[0])}", key)
                _refuse_group(key in vocab.strings, number + first, what)


def _are_names(keys: Any) -> bool:
    """Whether something is the names of a span group."""
    return _all_of(keys, str) and len(keys) > 0


def _refuse_group(right: bool, doc: int, what: str) -> None:
    """Raise for a document whose span group is not right."""
    if not right:
        raise _damaged(doc, what)


def _check_user_data(docbin: DocBin, first: int) -> None:
    """Raise for user data that are no map."""
    for number, data in enumerate(docbin.user_data):
        if data is None:
            continue
        try:
            found = next(unpacked([data], use_list=False))
        except OddDocsError as error:
            raise _damaged(first + number, "its user data cannot be read") from error
        if type(found) is not dict:
            raise _damaged(first + number, "its user data are no map")
