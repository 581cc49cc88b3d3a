"""Where the segments of two annotators fall by chance, token by token.

`expectation` has the sums over whole corpora; these are their terms, to explain a few documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..alignment import units
from ..arrays import FloatArray, IntArray, distinct
from ..fragments import refuse_fragments
from ..spans import Spans
from .expectation import cell_ids, items_of, parents
from .placement import cases_of, start_edges


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of one annotator in one unit of n tokens, for one label."""

    rows: IntArray  # in the columns of `Spans`
    covered: FloatArray  # probability that some segment covers the token, of shape (n,)
    items: FloatArray | None  # (n_channels, n) of each item of an encoding; None without formula


@dataclass(frozen=True, eq=False)
class Field:
    """The segments of two annotators in one unit of text with one label.

    `start` and `end` of the unit are positions of the document.
    """

    doc: int
    label: int
    start: int
    end: int
    gold: Segments
    pred: Segments

    @cached_property
    def common_items(self) -> FloatArray | None:
        """Expected common items of each token: C1(t) C2(t), summed over the kinds of items.

        None where no formula gives them.
        """
        if self.gold.items is None or self.pred.items is None:
            return None
        common: FloatArray = (self.gold.items * self.pred.items).sum(axis=0)
        return common


def fields_of(
    gold: Spans,
    pred: Spans,
    *,
    placement: str = "disjoint",
    unit: str = "sentence",
    encoding: str = "IO",
) -> list[Field]:
    """The `Field`s in which either of two annotators marked something, by label, then by unit.

    With nested placement only the outermost segments are placed in the unit; a segment inside
    another one is placed in that one.
    """
    refuse_fragments("the explanation of chance", gold, pred)
    table = units(gold, pred, unit)
    sides = [(spans, cell_ids(spans, table)) for spans in (gold, pred)]
    n_labels = max(len(gold.labels), 1)
    cells = distinct(*(ids for _, ids in sides))
    at, label = np.divmod(cells, n_labels)
    sizes = (table[at, 2] - table[at, 1]).tolist()
    placed = [_segments_of(*side, cells, sizes, placement, encoding) for side in sides]
    fields = []
    for c in np.lexsort((at, label)):
        doc, start, end = table[at[c]]
        first = gold.offsets[doc]
        place = int(doc), int(label[c]), int(start - first), int(end - first)
        fields.append(Field(*place, placed[0][c], placed[1][c]))
    return fields


def _segments_of(
    spans: Spans,
    ids: IntArray,
    cells: IntArray,
    sizes: Sequence[int],
    placement: str,
    encoding: str,
) -> list[Segments]:
    """The `Segments` of one annotator in each cell."""
    order = np.argsort(ids, kind="stable")
    rows = np.split(order, np.searchsorted(ids[order], cells[1:]))[: len(cells)]
    above = parents(spans) if placement == "nested" else np.full(len(spans), -1)
    tops = [mine[above[mine] < 0] for mine in rows]
    model = "disjoint" if placement == "nested" else placement
    cases = cases_of([(n, spans.lengths[top].tolist()) for n, top in zip(sizes, tops)])
    starts = start_edges(cases, model)
    covered = items_of(cases, "IO", model, starts).full()
    exact = placement != "nested" or encoding == "IO"
    items: list[FloatArray | None] = [None] * len(cells)
    if exact:
        items = [*items_of(cases, encoding, model, starts).full()]
    return [*map(Segments, rows, (one[0] for one in covered), items)]
