"""spaCy's documents as `Spans`: predictions are carried over to the gold tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import spacy
from spacy.attrs import ENT_IOB, ENT_TYPE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import filter_spans
from spacy.vocab import Vocab

from ..measures.arrays import Array, BoolArray, IntArray
from ..measures.spans import Spans, expanded

Examples: TypeAlias = Sequence[Example]

IN, BEGIN = 1, 3  # values of ENT_IOB; 2 is out, 0 missing


def spans_of_examples(
    examples: Iterable[Example],
    gold_layer: str,
    pred_layer: str | None = None,
    *,
    words: bool = False,
    filtered: bool = False,
) -> tuple[Spans, Spans]:
    """Gold and predicted `Spans` of a layer of some Examples, on the gold tokens.

    A predicted span that does not begin and end where gold tokens do is unplaced: it still counts
    as predicted. One over gold tokens with missing annotation is ignored, as spaCy does. Repeated
    spans of a group are one. Documents without gold annotation are not seen.

    Parameters
    ----------
    examples : sequence of spacy.training.Example
    gold_layer, pred_layer : str
        "ents" or "spans:KEY"; by default the same.
    words : bool
        Keep the gold words, for token information.
    filtered : bool
        Of overlapping spans of a group keep the longest, then the first, then the one whose label
        comes first in the alphabet.

    Raises
    ------
    ValueError
        For an unknown layer.
    """
    examples = list(examples)
    golds, preds = _Tokens([eg.y for eg in examples]), _Tokens([eg.x for eg in examples])
    ents = gold_layer == "ents"
    seen = golds.have_ents() if ents else golds.have_group(_group_key(gold_layer))
    gold_rows = golds.rows(gold_layer, filtered)
    gold_rows = gold_rows[seen[gold_rows["doc"]]]
    pred_rows = preds.rows(pred_layer or gold_layer, filtered)
    pred_rows = pred_rows[seen[pred_rows["doc"]]]
    pred_rows, unplaced = _on_gold_tokens(pred_rows, examples, golds, preds, ents)
    fields: dict[str, Any] = {
        "seen": seen,
        "stretches": _token_stretches(golds, ents),
        "sentences": golds.have_sentences(),
        "names": names_of_docs(golds.docs),
    }
    if words:
        fields["words"] = [token.text for example in examples for token in example.y]
    return _labelled(gold_rows, pred_rows, unplaced, golds, preds, fields)


ROW = np.dtype([("doc", np.int64), ("start", np.int64), ("end", np.int64), ("label", np.uint64)])


class _Tokens:
    """The tokens of some Docs as columns: made by one call per Doc, as that is what takes time."""

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.docs = docs
        tables = [doc.to_array([ORTH, ENT_IOB, ENT_TYPE, SENT_START]) for doc in docs]
        self.sizes = np.array([len(table) for table in tables], np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        table = np.concatenate(tables) if tables else np.zeros((0, 4), np.uint64)
        self.orth, self.iob, self.type, self.sent_start = table.reshape(-1, 4).T
        self.first = np.zeros(len(table), bool)  # tokens that begin a document
        self.first[self.offsets[:-1][self.sizes > 0]] = True

    def have_ents(self) -> BoolArray:
        """Whether each document has entity annotation (`Doc.has_annotation`; empty ones do)."""
        return (self.sizes == 0) | self.any(self.iob != 0)

    def have_sentences(self) -> BoolArray:
        """Whether the sentences of each document are annotated (those of one token are)."""
        return (self.sizes < 2) | self.any((self.sent_start != 0) & ~self.first)

    def any(self, marks: BoolArray) -> BoolArray:
        """Whether any token of each document is marked."""
        count = np.concatenate([[0], np.cumsum(marks)])
        return count[self.offsets[1:]] > count[self.offsets[:-1]]

    def have_group(self, key: str) -> BoolArray:
        """Whether each document has a span group of that name."""
        return np.array([key in doc.spans for doc in self.docs], bool)

    def rows(self, layer: str, filtered: bool) -> Array:
        """Distinct spans of a layer, as an array of `ROW`."""
        if layer == "ents":
            return self._ent_rows()
        key = _group_key(layer)
        rows: list[tuple[int, int, int, int]] = []
        for i, doc in enumerate(self.docs):
            group = doc.spans[key] if key in doc.spans else ()
            if filtered:
                group = filter_spans(sorted(group, key=lambda s: (s.start, s.end, s.label_)))
            rows += {(i, span.start, span.end, span.label) for span in group}
        return np.array(rows, ROW)

    def _ent_rows(self) -> Array:
        """The entities; each begins with a B token of some type and goes on while tokens are I."""
        border = (self.iob != IN) | self.first
        border = np.append(np.flatnonzero(border), len(border))
        start = np.flatnonzero((self.iob == BEGIN) & (self.type != 0))
        doc = np.searchsorted(self.offsets, start, "right") - 1
        rows = np.empty(len(start), ROW)
        rows["doc"], rows["start"], rows["label"] = doc, start - self.offsets[doc], self.type[start]
        rows["end"] = border[np.searchsorted(border, start, "right")] - self.offsets[doc]
        return rows

    def same_as(self, other: _Tokens) -> BoolArray:
        """Whether each document has the same tokens as in the other columns."""
        same = self.sizes == other.sizes
        mine, theirs = (tokens.offsets[:-1][same] for tokens in (self, other))
        doc, at = expanded(mine, mine + self.sizes[same])
        differ = self.orth[at] != other.orth[at - mine[doc] + theirs[doc]]
        same[np.flatnonzero(same)[doc[differ]]] = False
        return same


def check_layer(layer: object) -> None:
    """Raise for anything but "ents" and "spans:KEY"."""
    group = isinstance(layer, str) and layer.startswith("spans:") and layer != "spans:"
    if layer != "ents" and not group:
        raise ValueError(f'unknown layer {layer!r}; expected "ents" or "spans:KEY"')


def _group_key(layer: str) -> str:
    """The name of a span group from the name of its layer."""
    check_layer(layer)
    return layer.removeprefix("spans:")


def _on_gold_tokens(
    rows: Array, examples: Sequence[Example], golds: _Tokens, preds: _Tokens, ents: bool
) -> tuple[Array, Array]:
    """Predicted rows on the gold tokens, and the rows that do not fit them."""
    same = preds.same_as(golds)[rows["doc"]]
    placed, unplaced = [rows[same]], []
    for row in rows[~same]:
        moved = _carried_over(row, examples[row["doc"]])
        first, last = moved if moved else _aligned_range(row, examples[row["doc"]])
        offset = golds.offsets[row["doc"]]
        if ents and (golds.iob[offset + first : offset + last] == 0).any():
            continue  # neither right nor wrong
        if moved:
            placed.append(np.array([(row["doc"], first, last, row["label"])], ROW))
        else:
            unplaced.append(row)
    return np.unique(np.concatenate(placed)), np.array(unplaced, ROW)


def _aligned_range(row: Array, example: Example) -> tuple[int, int]:
    """First and last + 1 of the gold tokens that a predicted span touches; (0, 0) if none."""
    gold = example.alignment.x2y[int(row["start"]) : int(row["end"])]
    return (int(gold.min()), int(gold.max()) + 1) if len(gold) else (0, 0)


def _carried_over(row: Array, example: Example) -> tuple[int, int] | None:
    """Where a predicted span is on the gold tokens, if these are aligned to just its own tokens."""
    first, last = _aligned_range(row, example)
    back = example.alignment.y2x[first:last]
    exact = len(back) and back.min() == row["start"] and back.max() == row["end"] - 1
    return (first, last) if exact else None


def _token_stretches(golds: _Tokens, ents: bool) -> IntArray:
    """Rows (doc, start, end) of the tokens with annotation, divided at the sentences."""
    present = golds.iob != 0 if ents else np.ones(len(golds.iob), bool)
    cut = np.append(golds.first | (golds.sent_start == 1), True)
    cut[1:-1] |= present[1:] != present[:-1]
    border = np.flatnonzero(cut)
    start, end = border[:-1], border[1:]
    start, end = start[present[start]], end[present[start]]
    doc = np.searchsorted(golds.offsets, start, "right") - 1
    return np.column_stack([doc, start - golds.offsets[doc], end - golds.offsets[doc]])


def names_of_docs(docs: Sequence[Doc]) -> list[str] | None:
    """Names that documents carry as `user_data["name"]`, if all do and no two alike; else None."""
    given = (doc.user_data.get("name") for doc in docs)
    names = [name for name in given if isinstance(name, str)]
    return names if len(set(names)) == len(docs) else None


def _labelled(
    gold_rows: Array,
    pred_rows: Array,
    unplaced: Array,
    golds: _Tokens,
    preds: _Tokens,
    fields: dict[str, Any],
) -> tuple[Spans, Spans]:
    """`Spans` of gold and prediction from rows with hashed labels."""
    hashes = np.unique(np.concatenate([rows["label"] for rows in (gold_rows, pred_rows, unplaced)]))
    names = [_label_name(int(key), [*golds.docs, *preds.docs]) for key in hashes]
    labels = sorted(names)
    index = np.array([labels.index(name) for name in names], np.int64)
    columns = [
        (rows["doc"], rows["start"], rows["end"], index[np.searchsorted(hashes, rows["label"])])
        for rows in (gold_rows, pred_rows, unplaced)
    ]
    doc, start, end, label = columns.pop()
    table = np.column_stack([doc, label, end - start])
    gold = Spans(*columns[0], golds.sizes, labels, **fields)
    return gold, Spans(*columns[1], golds.sizes, labels, unplaced=table, **fields)


def _label_name(key: int, docs: Iterable[Doc]) -> str:
    """Text of a hashed label, from the string store of the first document that knows it."""
    stores = (doc.vocab.strings for doc in docs)
    return next(
        strings[key]
        for strings in stores
        if key in strings  # type: ignore[operator]  # spaCy's stub has no hashes
    )


def lexeme_information(vocab: Vocab) -> LexemeInformation:
    """Bits of words from spaCy's table of log probabilities: a callable for `token_information`.

    Raises
    ------
    ValueError
        If the table is not loaded: spaCy would answer -20 for every word and say nothing.
    """
    if not vocab.lookups.has_table("lexeme_prob"):
        raise ValueError(
            "the vocabulary has no table 'lexeme_prob' of word probabilities; install the extra "
            "'lookups' (pip install 'spacy-chance-eval[lookups]'), which has one for de, el, en "
            "and es, and load it into the pipeline ([initialize.lookups] with the tables "
            "lexeme_prob and lexeme_settings), or use token_information='corpus'"
        )

    return LexemeInformation(vocab)


class LexemeInformation:
    """Bits of a word, by the log probability that spaCy has for it."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab, self.signature = vocab, f"lexeme_prob:{vocab.lang}"

    def __call__(self, word: str) -> float:
        return max(-self.vocab[word].prob / math.log(2), 0.0)


def borders_of(lang: str) -> Callable[[str], list[tuple[int, int]]]:
    """A function from texts to the (start, end) of their tokens, without white space.

    Raises
    ------
    ValueError
        For a language that spaCy does not know.
    """
    try:
        _tokenizer(lang)
    except ImportError as error:
        raise ValueError(
            f"spaCy has no language {lang!r}; expected a code such as en, de or xx"
        ) from error
    return partial(_borders, lang)


@lru_cache(maxsize=4)
def _tokenizer(lang: str) -> Callable[[str], Doc]:
    """The tokenizer of a language, made once in each process."""
    return spacy.blank(lang).tokenizer


def _borders(lang: str, text: str) -> list[tuple[int, int]]:
    """The borders of the tokens of a text."""
    tokens = (token for token in _tokenizer(lang)(text) if not token.is_space)
    return [(token.idx, token.idx + len(token)) for token in tokens]


def prefix_of(pair: Sequence[str]) -> str:
    """How the scores of a layer begin: `ents`, `spans_sc`, `ents_vs_spans_ruler`."""
    names = [layer.replace(":", "_") for layer in pair]
    return names[0] if names[0] == names[1] else "_vs_".join(names)
