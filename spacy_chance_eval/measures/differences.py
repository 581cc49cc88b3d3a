"""Where two annotations differ: every span of either in one row, paired or by itself.

The pairs are those behind GATE's measures (`pairing`). The spans left over are paired once
more without regard to labels and features, so that a wrong label shows as such; in GATE's tables
each such pair is one missing and one spurious annotation.
"""

from dataclasses import dataclass

import numpy as np

from .arrays import IntArray
from .pairing import other_pairs, pair_spans
from .spans import Spans

RELATIONS = ("correct", "partial", "wrong label", "missing", "spurious")
CORRECT, PARTIAL, WRONG_LABEL, MISSING, SPURIOUS = range(len(RELATIONS))
# kinds of errors, by relation; "correct" is none
ERRORS = (
    "none",
    "too long",
    "too short",
    "shifted",
    "other label",
    "other label and extent",
    "other features",
    "missing",
    "spurious",
)
UNPLACED = "fits no tokens"  # the error of a span that is in no row


@dataclass(frozen=True, eq=False)
class Differences:
    """Columns with one entry per row; ordered by document, then by place in the text."""

    doc: IntArray
    gold: IntArray  # rows of the spans of the annotator; -1 where there is none
    pred: IntArray
    relation: IntArray  # indices of `RELATIONS`
    error: IntArray  # and of `ERRORS`

    def __len__(self) -> int:
        return len(self.doc)


def differences(gold: Spans, pred: Spans, *, features: str = "none") -> Differences:
    """The `Differences` of two aligned annotators; spans that fit no tokens are left out.

    `features` are those of `gate.pairings`.

    Examples
    --------
    >>> from spacy_chance_eval.measures.alignment import align
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> gold = Spans.from_tuples([[(0, 2, "PER"), (4, 6, "LOC"), (8, 9, "LOC")]], [12])
    >>> pred = Spans.from_tuples([[(0, 3, "PER"), (4, 6, "ORG")]], [12])
    >>> found = differences(*align(gold, pred))
    >>> [ERRORS[error] for error in found.error]
    ['too long', 'other label', 'missing']
    """
    i, j, same = pair_spans(gold, pred, features=features)
    left, right, alike = other_pairs(gold, pred, i, j)
    lone = [
        np.setdiff1d(np.arange(len(spans)), np.concatenate(rows))
        for spans, rows in ((gold, (i, left)), (pred, (j, right)))
    ]
    first = np.concatenate([i, left, lone[0], np.full(len(lone[1]), -1)])
    second = np.concatenate([j, right, np.full(len(lone[0]), -1), lone[1]])
    relation = np.repeat(
        [PARTIAL, WRONG_LABEL, MISSING, SPURIOUS],
        [len(i), len(left), *map(len, lone)],
    )
    relation[: len(i)][same] = CORRECT
    contains = (pred.start[j] <= gold.start[i]) & (pred.end[j] >= gold.end[i])
    inside = (pred.start[j] >= gold.start[i]) & (pred.end[j] <= gold.end[i])
    extent = np.select(
        [same, contains, inside],
        [ERRORS.index(name) for name in ("none", "too long", "too short")],
        ERRORS.index("shifted"),
    )
    equal = gold.label[left] == pred.label[right]
    other = np.where(alike, ERRORS.index("other label"), ERRORS.index("other label and extent"))
    error = np.concatenate(
        [
            extent,
            np.where(equal, ERRORS.index("other features"), other),
            np.full(len(lone[0]), ERRORS.index("missing")),
            np.full(len(lone[1]), ERRORS.index("spurious")),
        ]
    ).astype(np.int64)
    sides = (gold, first), (pred, second)
    place = [
        np.where(first >= 0, *(np.append(getattr(side, name), -1)[rows] for side, rows in sides))
        for name in ("doc", "start", "end", "label")
    ]
    order = np.lexsort([second, first, *reversed(place)])
    columns = (place[0], first, second, relation, error)
    return Differences(*(np.asarray(column, np.int64)[order] for column in columns))
