"""spaCy's JSON for training, of version 2: documents of paragraphs of sentences of tokens."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from ..measures.messages import quoted
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .rows import Row, Rows, brief, json_value, read_items
from .tagged import read_tagged

MISSING = ("-", "", None)  # tags of tokens that were not annotated
OUTSIDE = "O"


def read_spacy_v2(path: PathLike, *, scheme: str = "auto", repair: str = "error") -> Corpus:
    """The corpus of a file as `spacy convert` wrote it before version 3, JSON or JSONL.

        [{"id": 0, "paragraphs": [{"raw": "Ada slept", "sentences": [{"tokens": [
         {"orth": "Ada", "ner": "U-PER"}, {"orth": "slept", "ner": "O"}]}],
         "cats": [{"label": "SLEEP", "value": 1.0}]}]}]

    Each paragraph is a document, called by the id, and its number if there are several. `ner` is
    the layer "spans", `cats` with at least 0.5 the layer "categories". A token whose tag is "-" is
    missing; a paragraph without tags was not annotated. Parts of speech, trees and brackets are
    passed over.

    Parameters
    ----------
    path : str or Path
    scheme : "auto", "IOB1", "IOB2", "BIOES" or "BILUO"
    repair : "error", "begin", "drop" or "conlleval"
        How to treat improper tags.

    Raises
    ------
    FormatError
        Once, for all bad documents.
    """
    documents = read_items(path, lambda row, line: [(one, line) for one in _rows_of(row)])
    rows = list(chain.from_iterable(documents))
    if not rows:
        raise FormatError("no paragraphs; expected documents of paragraphs of sentences", path)
    source = Rows(str(path), [row for row, _ in rows], [line for _, line in rows])
    return read_tagged(source, scheme=scheme, repair=repair)


def _rows_of(document: Row) -> list[Row]:
    """A row of tokens and tags for each paragraph of a document."""
    name = document.get("id")
    if "paragraphs" not in document:
        raise ContentError("a document without 'paragraphs'", "a document has a list of them")
    paragraphs = _objects(document, "paragraphs")
    rows = [_row_of(one) for one in paragraphs]
    if name is None:
        return rows
    many = len(rows) > 1
    return [{"id": f"{name}-{i}" if many else name, **row} for i, row in enumerate(rows, 1)]


def _row_of(paragraph: Row) -> Row:
    """The row of one paragraph."""
    sentences = [_objects(one, "tokens") for one in _objects(paragraph, "sentences")]
    tokens = [token for sentence in sentences for token in sentence]
    tags = [token.get("ner") for token in tokens]
    missing = [i for i, tag in enumerate(tags) if tag in MISSING]
    first, sents = 0, []
    for sentence in sentences:
        sents += [first] * bool(sentence)
        first += len(sentence)
    row: Row = {
        "tokens": [token.get("orth") for token in tokens],
        "ner_tags": [OUTSIDE if tag in MISSING else tag for tag in tags],
        "sents": sents,
        "missing": [[i, i + 1] for i in missing],
    }
    if tokens and len(missing) == len(tokens):
        row |= {"ner_tags": None, "missing": []}
    raw = json_value(paragraph, "raw", str)
    if raw is not None:
        row["text"] = raw
    if paragraph.get("cats"):
        row["cats"] = _scores_of(paragraph)
    return row


def _scores_of(paragraph: Row) -> Mapping[str, Any]:
    """The scores of labels of a paragraph."""
    if type(paragraph["cats"]) is dict:
        return paragraph["cats"]
    found = _objects(paragraph, "cats")
    if any(type(one.get("label")) is not str for one in found):
        raise ContentError(f"'cats' is {brief(found)}", "a category has a label and a value")
    return {one["label"]: one.get("value") for one in found}


def _objects(row: Row, key: str) -> list[Row]:
    """The list of objects under a key; empty without it."""
    found = json_value(row, key, list, [])
    if any(type(one) is not dict for one in found):
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", f"{quoted(key)} must be a list of objects"
        )
    return found
