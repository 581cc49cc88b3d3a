"""spaCy's documents as `Spans`: predictions are carried over to the gold tokens."""

import math
from functools import lru_cache, partial

import numpy as np
import spacy
from spacy.attrs import ENT_IOB, ENT_TYPE, ORTH, SENT_START
from spacy.util import filter_spans

from ..measures.spans import Spans, expanded

IN, BEGIN = 1, 3  # values of ENT_IOB; 2 is out, 0 missing


def spans_of_examples(examples, gold_layer, pred_layer=None, *, words=False, filtered=False):
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
    golds, preds = Tokens([eg.y for eg in examples]), Tokens([eg.x for eg in examples])
    ents = gold_layer == "ents"
    seen = golds.have_ents() if ents else golds.have_group(group_key(gold_layer))
    gold_rows = golds.rows(gold_layer, filtered)
    gold_rows = gold_rows[seen[gold_rows["doc"]]]
    pred_rows = preds.rows(pred_layer or gold_layer, filtered)
    pred_rows = pred_rows[seen[pred_rows["doc"]]]
    pred_rows, unplaced = on_gold_tokens(pred_rows, examples, golds, preds, ents)
    fields = {
        "seen": seen,
        "stretches": token_stretches(golds, ents),
        "sentences": golds.have_sentences(),
        "names": names_of(golds.docs),
    }
    if words:
        fields["words"] = [token.text for example in examples for token in example.y]
    return labelled(gold_rows, pred_rows, unplaced, golds, preds, fields)


ROW = np.dtype([("doc", np.int64), ("start", np.int64), ("end", np.int64), ("label", np.uint64)])


class Tokens:
    """The tokens of some Docs as columns: made by one call per Doc, as that is what takes time."""

    def __init__(self, docs):
        self.docs = docs
        tables = [doc.to_array([ORTH, ENT_IOB, ENT_TYPE, SENT_START]) for doc in docs]
        self.sizes = np.array([len(table) for table in tables], np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        table = np.concatenate(tables) if tables else np.zeros((0, 4), np.uint64)
        self.orth, self.iob, self.type, self.sent_start = table.reshape(-1, 4).T
        self.first = np.zeros(len(table), bool)  # tokens that begin a document
        self.first[self.offsets[:-1][self.sizes > 0]] = True

    def have_ents(self):
        """Whether each document has entity annotation (`Doc.has_annotation`; empty ones do)."""
        return (self.sizes == 0) | self.any(self.iob != 0)

    def have_sentences(self):
        """Whether the sentences of each document are annotated (those of one token are)."""
        return (self.sizes < 2) | self.any((self.sent_start != 0) & ~self.first)

    def any(self, marks):
        """Whether any token of each document is marked."""
        count = np.concatenate([[0], np.cumsum(marks)])
        return count[self.offsets[1:]] > count[self.offsets[:-1]]

    def have_group(self, key):
        """Whether each document has a span group of that name."""
        return np.array([key in doc.spans for doc in self.docs], bool)

    def rows(self, layer, filtered):
        """Distinct spans of a layer, as an array of `ROW`."""
        if layer == "ents":
            return self.ent_rows()
        key = group_key(layer)
        found = []
        for i, doc in enumerate(self.docs):
            group = doc.spans[key] if key in doc.spans else ()
            if filtered:
                group = filter_spans(sorted(group, key=lambda s: (s.start, s.end, s.label_)))
            found += {(i, span.start, span.end, span.label) for span in group}
        return np.array(found, ROW)

    def ent_rows(self):
        """The entities; each begins with a B token of some type and goes on while tokens are I."""
        border = (self.iob != IN) | self.first
        border = np.append(np.flatnonzero(border), len(border))
        start = np.flatnonzero((self.iob == BEGIN) & (self.type != 0))
        doc = np.searchsorted(self.offsets, start, "right") - 1
        rows = np.empty(len(start), ROW)
        rows["doc"], rows["start"], rows["label"] = doc, start - self.offsets[doc], self.type[start]
        rows["end"] = border[np.searchsorted(border, start, "right")] - self.offsets[doc]
        return rows

    def same_as(self, other):
        """Whether each document has the same tokens in both."""
        same = self.sizes == other.sizes
        mine, theirs = (side.offsets[:-1][same] for side in (self, other))
        doc, at = expanded(mine, mine + self.sizes[same])
        differ = self.orth[at] != other.orth[at - mine[doc] + theirs[doc]]
        same[np.flatnonzero(same)[doc[differ]]] = False
        return same


def check_layer(layer):
    """Raise for anything but "ents" and "spans:KEY"."""
    group = isinstance(layer, str) and layer.startswith("spans:") and layer != "spans:"
    if layer != "ents" and not group:
        raise ValueError(f'unknown layer {layer!r}; expected "ents" or "spans:KEY"')


def group_key(layer):
    """The name of a span group from the name of its layer."""
    check_layer(layer)
    return layer.removeprefix("spans:")


def on_gold_tokens(rows, examples, golds, preds, ents):
    """Predicted rows on the gold tokens, and the rows that do not fit them."""
    same = preds.same_as(golds)[rows["doc"]]
    placed, loose = [rows[same]], []
    for row in rows[~same]:
        moved = carried_over(row, examples[row["doc"]])
        first, last = moved if moved else aligned_range(row, examples[row["doc"]])
        offset = golds.offsets[row["doc"]]
        if ents and (golds.iob[offset + first : offset + last] == 0).any():
            continue  # neither right nor wrong
        if moved:
            placed.append(np.array([(row["doc"], first, last, row["label"])], ROW))
        else:
            loose.append(row)
    return np.unique(np.concatenate(placed)), np.array(loose, ROW)


def aligned_range(row, example):
    """First and last + 1 of the gold tokens that a predicted span touches; (0, 0) if none."""
    gold = example.alignment.x2y[int(row["start"]) : int(row["end"])]
    return (int(gold.min()), int(gold.max()) + 1) if len(gold) else (0, 0)


def carried_over(row, example):
    """Where a predicted span is on the gold tokens, if these are aligned to just its own tokens."""
    first, last = aligned_range(row, example)
    back = example.alignment.y2x[first:last]
    exact = len(back) and back.min() == row["start"] and back.max() == row["end"] - 1
    return (first, last) if exact else None


def token_stretches(golds, ents):
    """Rows (doc, start, end) of the tokens with annotation, cut at the sentences."""
    present = golds.iob != 0 if ents else np.ones(len(golds.iob), bool)
    cut = np.append(golds.first | (golds.sent_start == 1), True)
    cut[1:-1] |= present[1:] != present[:-1]
    border = np.flatnonzero(cut)
    start, end = border[:-1], border[1:]
    start, end = start[present[start]], end[present[start]]
    doc = np.searchsorted(golds.offsets, start, "right") - 1
    return np.column_stack([doc, start - golds.offsets[doc], end - golds.offsets[doc]])


def names_of(docs):
    """Names that documents carry as `user_data["name"]`, if all do and no two alike; else None."""
    names = [doc.user_data.get("name") for doc in docs]
    named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return names if named else None


def labelled(gold_rows, pred_rows, unplaced, golds, preds, fields):
    """`Spans` of either side from rows with hashed labels."""
    hashes = np.unique(np.concatenate([side["label"] for side in (gold_rows, pred_rows, unplaced)]))
    names = [label_name(int(key), golds.docs + preds.docs) for key in hashes]
    labels = sorted(names)
    index = np.array([labels.index(name) for name in names], np.int64)
    columns = [
        (rows["doc"], rows["start"], rows["end"], index[np.searchsorted(hashes, rows["label"])])
        for rows in (gold_rows, pred_rows, unplaced)
    ]
    doc, start, end, label = columns.pop()
    loose = np.column_stack([doc, label, end - start])
    gold = Spans(*columns[0], golds.sizes, labels, **fields)
    return gold, Spans(*columns[1], golds.sizes, labels, unplaced=loose, **fields)


def label_name(key, docs):
    """Text of a hashed label, from the string store of the first document that knows it."""
    return next(doc.vocab.strings[key] for doc in docs if key in doc.vocab.strings)


def lexeme_information(vocab):
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

    def bits(word):
        return max(-vocab[word].prob / math.log(2), 0.0)

    bits.signature = f"lexeme_prob:{vocab.lang}"
    return bits


def borders_of(lang):
    """A function from texts to the (start, end) of their tokens, white space left out.

    Raises
    ------
    ValueError
        For a language that spaCy does not know.
    """
    try:
        tokenizer_of(lang)
    except ImportError as error:
        raise ValueError(
            f"spaCy has no language {lang!r}; expected a code such as en, de or xx"
        ) from error
    return partial(borders, lang)


@lru_cache(maxsize=4)
def tokenizer_of(lang):
    """The tokenizer of a language, made once in each process."""
    return spacy.blank(lang).tokenizer


def borders(lang, text):
    """The borders of the tokens of a text."""
    tokens = (token for token in tokenizer_of(lang)(text) if not token.is_space)
    return [(token.idx, token.idx + len(token)) for token in tokens]


def prefix_of(pair):
    """How the scores of a layer begin: `ents`, `spans_sc`, `ents_vs_spans_ruler`."""
    names = [layer.replace(":", "_") for layer in pair]
    return names[0] if names[0] == names[1] else "_vs_".join(names)
