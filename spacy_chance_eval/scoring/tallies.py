"""`Tally`: what was counted of some documents. Tallies of the parts of a corpus add up."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain

import numpy as np

from ..measures.chance.draws import word_keys
from ..measures.matching import span_mass
from ..measures.spans import concatenated
from ..measures.stats import combined
from .intervals import Statistics, columns

SMALLER = (np.int8, np.int16, np.int32)


@dataclass(frozen=True, eq=False)
class Rows:
    """What is known of each document, where documents are kept apart.

    `keys` tell the content of documents: "gold", "pred", "words", and "named", which tells gold
    whatever other labels the corpus has; None where nothing is resampled or stored. Where they are
    wanted, `attributes` map names to what the file says of each document, and `pair` is the
    annotation itself, of gold and of the prediction.
    """

    seen: np.ndarray
    names: tuple | None
    keys: Mapping | None = None
    attributes: Mapping = field(default_factory=dict)
    pair: tuple | None = None

    @property
    def n_docs(self):
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class Tally:
    """The statistics of gold and a prediction: one row per document, or one for all of them.

    Parameters
    ----------
    labels : tuple of str
        The columns of the statistics, sorted.
    used : mapping of str to tuple of str
        Labels of which "gold" and "pred" have spans, sorted.
    statistics : mapping of str to Statistics
        By the names of requests.
    support : mapping of str to integer array of shape (n_rows, n_labels)
        Numbers of spans of "gold" and "pred", those that fit no tokens included.
    macro : mapping of str to (float, int)
        By request: sum and number of the documents' values that are defined.
    sizes : mapping of str to int
        "n_docs" that both annotated, "n_skipped", and numbers of spans.
    contents : unsigned integer array of shape (n_docs,)
        The content of gold's documents, see `Spans.document_keys`.
    rows : Rows or None
        None: all documents are one row.
    """

    labels: tuple
    used: Mapping
    statistics: Mapping
    support: Mapping
    macro: Mapping
    sizes: Mapping
    contents: np.ndarray
    rows: Rows | None = None

    def digest(self):
        """Eight hexadecimal digits of gold, as `Spans.digest` has them."""
        data = np.sort(self.contents).tobytes() + repr(list(self.used["gold"])).encode()
        return hashlib.sha256(data).hexdigest()[:8]

    def name(self, doc):
        """How messages and tables call a document."""
        return self.rows.names[doc] if self.rows.names else f"document {doc + 1}"

    def total(self):
        """The same with one row for all documents."""
        sums = {name: summed_rows(one) for name, one in self.statistics.items()}
        support = {side: table.sum(axis=0)[None] for side, table in self.support.items()}
        return replace(self, statistics=sums, support=support, rows=None)


def summed_rows(statistics):
    """Statistics with one row: the sum."""
    return replace(statistics, **parts(statistics.each(lambda part: part.total()[None])))


def parts(statistics):
    """The fields of `Statistics` that have rows."""
    return {"observed": statistics.observed, "expected": statistics.expected}


def tally_of(run, requests, *, keys=False, used=None, words=None):
    """The `Tally` of an `evaluate.Run`, a row per document.

    Parameters
    ----------
    run : Run
    requests : sequence of Request
    keys : bool
        Also work out the keys of documents, for resampling and storing.
    used : mapping, optional
        Labels of which "gold" and "pred" of the whole corpus have spans, if this is a part of it.
    words : integer array of shape (n_docs,), optional
        The keys of the words, if these are not there any more.
    """
    gold, pred = run.gold, run.pred
    used = used or {"gold": gold.used_labels(), "pred": pred.used_labels()}
    statistics = {str(one): run.statistics(one) for one in requests}
    contents = gold.document_keys(used=used["gold"])
    seen = gold.seen
    return Tally(
        gold.labels,
        {side: tuple(labels) for side, labels in used.items()},
        statistics,
        {"gold": support_of(gold), "pred": support_of(pred)},
        {str(one): macro_of(one, statistics[str(one)], seen) for one in requests},
        sizes_of(gold, pred),
        contents,
        Rows(seen, gold.names, keys_of(gold, pred, contents, used, words) if keys else None),
    )


def keys_of(gold, pred, contents, used, words=None):
    """The content of each document, as `Rows` has it."""
    return {
        "gold": contents,
        "named": gold.document_keys(by_name=True),
        "pred": pred.document_keys(used=used["pred"]),
        "words": (word_keys(gold) if words is None else words).astype(np.uint64),
    }


def macro_of(request, statistics, seen):
    """Sum and number of the documents' values that are defined."""
    values = columns(request.scorer(), statistics.pooled())["value"][seen, 0]
    values = values[~np.isnan(values)]
    return float(values.sum()), len(values)


def sizes_of(gold, pred):
    """Numbers of documents and spans of two aligned annotators."""
    return {
        "n_docs": int(gold.seen.sum()),
        "n_skipped": int((~gold.seen).sum()),
        "n_gold": len(gold) + len(gold.unplaced),
        "n_pred": len(pred) + len(pred.unplaced),
        "n_unplaced": len(pred.unplaced),
    }


def support_of(spans):
    """Number of spans by document and label, those that fit no tokens included."""
    return span_mass(spans, np.ones_like)


# --- tallies of the parts of a corpus


def compact(tally):
    """The same numbers, integers in fewer bytes."""
    each = {
        name: replace(one, **parts(one.each(lambda part: part.each(fewer_bytes))))
        for name, one in tally.statistics.items()
    }
    support = {side: fewer_bytes(table) for side, table in tally.support.items()}
    return replace(tally, statistics=each, support=support)


def widened(statistics):
    """Statistics with integers of 64 bits again: they are to be multiplied, or added up."""
    return statistics.each(lambda part: part.each(wide))


def wide(array):
    """Integers as int64."""
    return array.astype(np.int64) if array.dtype.kind == "i" else array


def fewer_bytes(array):
    """Integers in as few bytes as hold them and their negatives."""
    if array.dtype.kind != "i" or not array.size:
        return array
    most = max(int(array.max()), -int(array.min()))
    return array.astype(next((kind for kind in SMALLER if most <= np.iinfo(kind).max), array.dtype))


def merged(tallies):
    """The tally of several parts of a corpus, counted with the same labels and priors, in order.

    Rows are kept if all parts have them.
    """
    tallies = list(tallies)
    if len(tallies) == 1:
        return tallies[0]
    first, joint = tallies[0], joined_rows([one.rows for one in tallies])
    join = np.concatenate if joint else added
    return Tally(
        first.labels,
        first.used,
        {
            name: merged_statistics([one.statistics[name] for one in tallies], join)
            for name in first.statistics
        },
        {side: join([one.support[side] for one in tallies]) for side in first.support},
        {name: tuple(map(sum, zip(*(one.macro[name] for one in tallies)))) for name in first.macro},
        {name: sum(one.sizes[name] for one in tallies) for name in first.sizes},
        np.concatenate([one.contents for one in tallies]),
        joint,
    )


def merged_statistics(statistics, join):
    """One `Statistics` of several; `join` makes one array of many."""
    found = {
        name: combined(columns, join) if columns[0] is not None else None
        for name, columns in zip(
            ("observed", "expected"), zip(*(parts(one).values() for one in statistics))
        )
    }
    return Statistics(**found, exact=all(one.exact for one in statistics))


def added(arrays):
    """The sum of arrays."""
    return reduce(np.add, arrays)


def joined_rows(rows):
    """The `Rows` of all parts; None if any has none."""
    if any(one is None for one in rows):
        return None
    names = [one.names for one in rows]
    keys = [one.keys for one in rows]
    return Rows(
        np.concatenate([one.seen for one in rows]),
        None if any(one is None for one in names) else tuple(chain.from_iterable(names)),
        None if None in keys else {k: np.concatenate([one[k] for one in keys]) for k in keys[0]},
        {
            name: tuple(chain.from_iterable(one.attributes[name] for one in rows))
            for name in rows[0].attributes
        },
        rows[0].pair and tuple(concatenated(side) for side in zip(*(one.pair for one in rows))),
    )
