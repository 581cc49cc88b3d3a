"""`PanelTally`: what was counted of a panel. Those of the parts of a corpus add up."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from ..measures.chance.draws import word_keys
from ..measures.panel import Roster, digest_of_all
from ..measures.spans import digest_of
from ..metrics.catalog import CATALOG
from .panel_counts import Counted, count_panel
from .tallies import added, fewer_bytes, merged_statistics, parts, summed_rows, support_of

LARGE = 2**31  # floats beyond are left alone: sums of them are not meant to be integers
SUCH = re.compile(r"\d+(?= such documents)")


@dataclass(frozen=True, eq=False)
class PanelTally(Roster):
    """The statistics of a panel: one row per document, or one for all of them.

    Parameters
    ----------
    names : tuple of str
        Of the annotators, sorted.
    labels : tuple of str
        The columns of the statistics, sorted.
    positions : str
        As of a `Panel`.
    seen : boolean array of shape (n_annotators, n_docs)
    contents : unsigned integer array of shape (n_annotators, n_docs)
        What each annotator did, see `Spans.document_keys`.
    used : tuple of tuples of str
        Labels of which each annotator has spans, sorted.
    n_spans, n_unplaced : integer arrays of shape (n_annotators,)
        In the documents that each saw.
    support : mapping of ("pair", i, j) and ("team",) to integer array of shape (n_labels,)
        Spans of both in the documents that both saw; of all in those that two saw.
    counted : tuple of Counted
        One for each request.
    documents : mapping of int to str, sequence of str, or None
        Names of documents by place, of some at least; None where not all have one.
    words : integer array of shape (n_docs,), or None
        The keys of the words; None: all documents are one row.
    clusters : tuple, or None
        The name of each document's cluster, if that was to be kept.
    """

    names: tuple
    labels: tuple
    positions: str
    seen: np.ndarray
    contents: np.ndarray
    used: tuple
    n_spans: np.ndarray
    n_unplaced: np.ndarray
    support: Mapping
    counted: tuple
    documents: Mapping | tuple | None = None
    words: np.ndarray | None = None
    clusters: tuple | None = None

    @property
    def n_docs(self):
        return self.seen.shape[1]

    @cached_property
    def digests(self):
        """Hexadecimal digits of each annotator's work."""
        return [digest_of(keys, used) for keys, used in zip(self.contents, self.used)]

    def digest(self):
        """Eight hexadecimal digits of all annotations, as `Panel.digest` has them."""
        return digest_of_all(self.digests)

    def name(self, doc):
        """How messages and tables call a document."""
        return self.documents[doc] if self.documents else f"document {doc + 1}"

    def total(self):
        """The same with one row for all documents."""
        firsts = [int(mine.argmax()) for mine in self.seen if mine.any()]  # notes speak of them
        return replace(
            self,
            counted=tuple(with_statistics(one, summed_rows) for one in self.counted),
            documents=self.documents and {doc: self.documents[doc] for doc in firsts},
            words=None,
            clusters=None,
        )

    def compact(self):
        """The same numbers, whole ones in fewer bytes."""
        return replace(self, counted=tuple(with_statistics(one, fewer) for one in self.counted))


def with_statistics(counted, function):
    """`Counted` with a function applied to all its statistics."""
    return replace(counted, statistics={k: function(v) for k, v in counted.statistics.items()})


def fewer(statistics):
    """`Statistics` with whole numbers in fewer bytes."""
    return replace(statistics, **parts(statistics.each(lambda part: part.each(small))))


def small(array):
    """An array in fewer bytes, if it holds whole numbers."""
    if array.dtype.kind == "f" and array.size and np.abs(array).max() < LARGE:
        whole = array.astype(np.int64)
        array = whole if (whole == array).all() else array
    return fewer_bytes(array)


def tally_of_panel(
    panel, requests, *, draws=1, seed=0, watch=None, used=None, priors=None, words=None
):
    """The `PanelTally` of a panel, a row per document.

    Parameters
    ----------
    panel : Panel
    requests : sequence of Request
    draws, seed : int
        Of random annotations.
    watch : callable, optional
        watch(steps, total, what) wraps long work.
    used : sequence of sequences of str, optional
        Labels of which each annotator has spans in the whole corpus, if this is a part of it.
    priors : mapping, optional
        As `panel_counts.count_panel` has it.
    words : integer array of shape (n_docs,), optional
        The keys of the words, if these are not there any more.
    """
    watch = watch or (lambda steps, total=None, what="": steps)
    tables = [support_of(spans) for spans in panel.sides]
    used = used or [spans.used_labels() for spans in panel.sides]
    sides = list(zip(panel.sides, tables))
    return PanelTally(
        panel.names,
        panel.labels,
        panel.positions,
        panel.seen,
        np.array([s.document_keys(used=mine) for s, mine in zip(panel.sides, used)]),
        tuple(map(tuple, used)),
        np.array([table[spans.seen].sum() for spans, table in sides]),
        np.array([spans.seen[spans.unplaced[:, 0]].sum() for spans in panel.sides]),
        support_by_key(panel, tables),
        tuple(count_panel(panel, requests, draws, seed, watch, priors)),
        panel.sides[0].names,
        word_keys(panel.sides[0]) if words is None else words,
    )


def support_by_key(panel, tables):
    """Spans by label of each pair in the documents that both saw, and of the team."""
    found = {}
    for pair in panel.pairs():
        both = panel.seen[list(pair)].all(axis=0)
        found[("pair", *pair)] = sum(tables[number][both].sum(axis=0) for number in pair)
    seen = panel.seen & panel.shared
    found["team",] = sum(table[mine].sum(axis=0) for table, mine in zip(tables, seen))
    return found


# --- tallies of the parts of a corpus


def merged(tallies, requests):
    """The tally of several parts of a corpus, counted with the same labels and priors, in order.

    Rows are kept if all parts have them.
    """
    tallies = list(tallies)
    if len(tallies) == 1:
        return tallies[0]
    first, rows = tallies[0], all(one.words is not None for one in tallies)
    join = np.concatenate if rows else added
    counts = zip(requests, zip(*(one.counted for one in tallies)))
    return replace(
        first,
        seen=np.concatenate([one.seen for one in tallies], axis=1),
        contents=np.concatenate([one.contents for one in tallies], axis=1),
        n_spans=added([one.n_spans for one in tallies]),
        n_unplaced=added([one.n_unplaced for one in tallies]),
        support={key: added([one.support[key] for one in tallies]) for key in first.support},
        counted=tuple(merged_counted(request, some, join) for request, some in counts),
        documents=joined_names(tallies, rows),
        words=np.concatenate([one.words for one in tallies]) if rows else None,
        clusters=joined_rows([one.clusters for one in tallies]) if rows else None,
    )


def merged_counted(request, some, join):
    """One `Counted` of those of several parts: what one has no statistics of, none has."""
    found = {}
    for one in some:
        for key, reason in one.reasons.items():
            found.setdefault(key, []).append(reason)
    reasons = {key: joined_reason(texts) for key, texts in found.items()}
    order = [*some[0].statistics, *some[0].reasons]
    faults = [reasons[key] for key in pairs_in_order(order) if key in reasons]
    metric = CATALOG[request.metric]
    if faults and not (metric.team or metric.parts or metric.bits):
        reasons["team",] = faults[0]
    statistics = {
        key: merged_statistics([one.statistics[key] for one in some], join)
        for key in some[0].statistics
        if key not in reasons
    }
    return Counted(statistics, reasons)


def joined_reason(texts):
    """The first of some reasons; documents that are counted in it are counted in all of them."""
    found = [SUCH.search(text) for text in texts]
    if found[0] is None:
        return texts[0]
    return SUCH.sub(str(sum(int(one[0]) for one in found if one)), texts[0])


def pairs_in_order(keys):
    """The pairs among some keys, as they are counted: both orders of one after the other."""
    return sorted((key for key in keys if key[0] == "pair"), key=lambda k: (sorted(k[1:]), k))


def joined_names(tallies, rows):
    """Names of all documents or, without rows, of those that are kept; None if some have none."""
    names = [one.documents for one in tallies]
    if any(one is None for one in names):
        return None
    if rows:
        return tuple(chain.from_iterable(names))
    found, first = {}, 0
    for one in tallies:
        found = {first + doc: name for doc, name in one.documents.items()} | found
        first += one.n_docs
    return found


def joined_rows(columns):
    """Columns of several parts as one; None if any part has none."""
    return None if any(one is None for one in columns) else tuple(chain.from_iterable(columns))
