"""Spans as sets of tokens: pieces and common tokens of discontinuous spans, too.

`matching`, `items` and `slicm` have shorter ways where every span is of one piece; the numbers are
the same.
"""

from dataclasses import dataclass

import numpy as np

from .arrays import IntArray
from .fragments import pieces
from .spans import Spans, expanded, overlapping_pairs, trusted


def pieces_as_spans(spans: Spans) -> tuple[Spans, IntArray]:
    """Each piece as a span of its own, by the rows of spans; and the row of the span it is of."""
    row, start, end = pieces(spans)
    own = trusted(
        spans, doc=spans.doc[row], start=start, end=end, label=spans.label[row], fragments=None
    )
    return own, row


@dataclass(frozen=True, eq=False)
class CommonTokens:
    """The tokens that spans of two annotators share, of one label.

    Pair p is of rows `one[p]` and `two[p]`; token t of pair `pair[t]`, ascending, is at the
    corpus-wide position `place[t]`, ascending within the pair.
    """

    one: IntArray
    two: IntArray
    pair: IntArray
    place: IntArray

    @property
    def numbers(self) -> IntArray:
        """Number of tokens of each pair."""
        return np.bincount(self.pair, minlength=len(self.one))


def common_tokens(first: Spans, second: Spans) -> CommonTokens:
    """The `CommonTokens` of all pairs of spans of one label that share a token."""
    sides = [pieces_as_spans(spans) for spans in (first, second)]
    i, j = overlapping_pairs(sides[0][0], sides[1][0])
    low, high = (
        choose(*(getattr(side, name)[at] for (side, _), at in zip(sides, (i, j))))
        for choose, name in ((np.maximum, "start"), (np.minimum, "end"))
    )
    base = first.offsets[sides[0][0].doc[i]]
    key = sides[0][1][i] * (len(second) + 1) + sides[1][1][j]
    pairs, number = np.unique(key, return_inverse=True)
    piece, place = expanded(base + low, base + high)
    pair = number.reshape(-1)[piece]
    order = np.lexsort((place, pair))
    one, two = np.divmod(pairs, len(second) + 1)
    return CommonTokens(one, two, pair[order], place[order])


def tokens_of(spans: Spans) -> tuple[IntArray, IntArray]:
    """(row, corpus-wide position) of the tokens of all spans, in this order."""
    row, start, end = pieces(spans)
    first = spans.offsets[spans.doc[row]]
    piece, place = expanded(first + start, first + end)
    return row[piece], place
