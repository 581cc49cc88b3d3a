"""`.spacy` files in pieces: a file is loaded as a whole, and its documents are handed out."""

import struct
from itertools import chain

import numpy as np
import srsly
from spacy.strings import get_string_id
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from ..formats import FormatError
from .docbin import corpus_of_docs, docs_of, load_docbin

COLUMNS = ("tokens", "spaces", "cats", "span_groups", "user_data", "flags")
PACKED_SPAN = ">QQQllll"  # id, kb_id and label of a span, then where it is, as spaCy packs it


def opened(path, options):
    """(names of the layers of spans in a `.spacy` file, its documents to be cut).

    Raises
    ------
    FormatError
        If the file is missing, no DocBin, or empty.
    """
    docbin = load_docbin(path)
    if not len(docbin):
        raise FormatError("no documents", path)
    keys = chain.from_iterable(map(keys_of, docbin.span_groups))
    strings = {get_string_id(string): string for string in docbin.strings}
    documents = (((docbin, strings, place), None) for place in range(len(docbin)))
    return sorted({f"spans:{key}" for key in keys}), documents


def together(documents):
    """A DocBin of consecutive documents of another one, with the strings that they need."""
    whole, strings, first = documents[0]
    rows = slice(first, first + len(documents))
    part = DocBin(store_user_data=True)
    part.attrs = whole.attrs
    for name in COLUMNS:
        setattr(part, name, getattr(whole, name)[rows])
    used = set(np.unique(np.concatenate(part.tokens)).tolist())
    for group in chain.from_iterable(map(groups_of, part.span_groups)):
        for span in srsly.msgpack_loads(group)["spans"]:
            used.update(struct.unpack(PACKED_SPAN, span)[:3])
    part.strings = {strings[key] for key in used & strings.keys()}
    return part


def groups_of(packed):
    """The packed span groups of a document, with their names if they are there."""
    return srsly.msgpack_loads(packed) if packed else []


def keys_of(packed):
    """The names of the span groups of a document."""
    groups = groups_of(packed)
    if isinstance(groups, dict):
        return chain.from_iterable(groups.values())
    return [srsly.msgpack_loads(group)["name"] for group in groups]  # as spaCy 3.0 wrote them


def read_docbin_part(part, layers, options, before):
    """The corpus of some documents of a file that has these layers of spans."""
    docs = docs_of(part.text, Vocab(), part.path)
    return corpus_of_docs(docs, part, layers=layers, **options)
