"""Crowds: the work of any annotators on any documents, as one corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, IntArray
from .panel import Panel
from .spans import OBJECTS, Spans, columns_of, expanded, trusted


@dataclass(frozen=True, eq=False)
class CrowdWork:
    """All that the annotators of a panel did, in the order of the annotators and documents.

    A *key* is the number of an annotator times that of documents, plus the number of the document.
    """

    panel: Panel
    keys: IntArray  # of each span
    columns: dict[str, Array]
    unplaced_keys: IntArray
    unplaced: IntArray
    stretch_keys: IntArray
    stretches: IntArray

    @classmethod
    def of(cls, panel: Panel) -> CrowdWork:
        """The work of a panel."""
        works, n_docs = panel.annotations, panel.seen.shape[1]
        seen = [one.stretches[one.seen[one.stretches[:, 0]]] for one in works]

        def keys(docs: Sequence[IntArray]) -> IntArray:
            return np.concatenate([number * n_docs + mine for number, mine in enumerate(docs)])

        return cls(
            panel,
            keys([one.doc for one in works]),
            {name: column for name, column in columns_of(works).items() if name != "doc"},
            keys([one.unplaced[:, 0] for one in works]),
            np.concatenate([one.unplaced for one in works]),
            keys([one[:, 0] for one in seen]),
            np.concatenate(seen),
        )

    def taken(self, who: IntArray, docs: IntArray) -> Spans:
        """A corpus whose document i is document `docs[i]` as annotator `who[i]` annotated it.

        Of annotators who know the same sentences.
        """
        first = self.panel.annotations[0]
        wanted = who * first.n_docs + docs
        doc, row = _rows_at(self.keys, wanted)
        columns = dict.fromkeys(OBJECTS)
        columns |= {name: column[row] for name, column in self.columns.items()}
        at, lost = _rows_at(self.unplaced_keys, wanted)
        piece, place = _rows_at(self.stretch_keys, wanted)
        return trusted(
            first,
            **columns,
            doc=doc,
            sizes=first.sizes[docs],
            seen=np.ones(len(docs), bool),
            unplaced=np.column_stack([at, self.unplaced[lost, 1:]]),
            stretches=np.column_stack([piece, self.stretches[place, 1:]]),
            sentences=first.sentences[docs],
            words=None,
            names=tuple(map(first.name, docs.tolist())),
            partner=None,
        )

    @cached_property
    def own(self) -> IntArray:
        """A key for every annotator of each distinct span, in order."""
        _, votes, rows = self.panel.votes
        return np.sort(np.concatenate([i * len(votes) + mine for i, mine in enumerate(rows)]))

    @cached_property
    def n_seen(self) -> IntArray:
        """Number of annotators of each document."""
        return np.asarray(self.panel.seen.sum(axis=0))

    def majority(self, who: IntArray, docs: IntArray) -> Spans:
        """The same documents as the majority of all others but these annotators has them.

        Of annotators who all annotated the same tokens.
        """
        columns, votes, _ = self.panel.votes
        cell, row = _rows_at(columns["doc"], docs)
        wanted = who[cell] * len(votes) + row
        mine = np.searchsorted(self.own, wanted, "right") - np.searchsorted(self.own, wanted)
        most = 2 * (votes[row] - mine) > self.n_seen[docs][cell] - 1
        found = {name: column[row[most]] for name, column in columns.items() if name != "doc"}
        nothing = dict.fromkeys(OBJECTS)
        unplaced = np.zeros((0, 3), np.int64)
        base = self.taken(who, docs)
        return trusted(base, doc=cell[most], **nothing | found, unplaced=unplaced)


def _rows_at(keys: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """(place among those wanted, row) of all rows with a key that is wanted; keys are in order."""
    return expanded(np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, "right"))
