"""Similarities of trees for the alternative annotator test."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..measures.arrays import FloatArray
from ..measures.trees.trees import TreePanel
from ..metrics.request import Request, parse
from .counts import no_progress
from .replacement import Similarities
from .tree_alpha import distances_of

SIMILARITY = "tree_similarity"  # 1 - distance / (|x| + |y|)
METRICS = ("las", "uas", "label_accuracy", "jaccard")


def tree_metric(name: str, kind: str) -> Request | None:
    """The request for a metric of sentences; None for `SIMILARITY`.

    Raises
    ------
    ValueError
        For other metrics, and those of other trees.
    """
    if name == SIMILARITY:
        return None
    request = parse(name)
    known = ", ".join((SIMILARITY, *METRICS))
    if request.metric not in METRICS:
        raise ValueError(f"{request.metric} does not compare single trees here; expected {known}")
    if kind not in request.row.kinds:
        raise ValueError(
            f"{request.metric} is of {request.row.kinds[0]} trees; these are {kind} trees, which "
            f"{SIMILARITY} compares"
        )
    return request


def tree_similarities(
    panel: TreePanel, request: Request | None, backend: str = "auto"
) -> Similarities:
    """The similarities of the trees of each sentence.

    By default 1 - distance / (|x| + |y|), with the tree edit distance; of a metric its score, 1
    where neither tree has anything that it counts. Attachment scores leave out sentences whose
    annotations differ in the number of tokens.
    """
    items = np.arange(panel.n_items)
    seen = panel.seen
    if request is None:
        similar: Callable[[int, int], FloatArray] = _edit_similarity(panel, backend)
    else:
        similar = partial(_metric_similarity, panel, request)
        if panel.kind == "dependency":
            seen = seen & panel.even
    return Similarities(panel.names, items, np.ones_like(items), seen, similar)


def _edit_similarity(panel: TreePanel, backend: str) -> Callable[[int, int], FloatArray]:
    """1 - distance / (|x| + |y|) of two annotators, for each sentence; 1 for two empty trees."""
    request = parse("syntax_alpha")
    distances = distances_of(panel, request, backend, no_progress)
    rows = dict(zip(panel.pairs(), distances.within))

    def similar(one: int, two: int) -> FloatArray:
        sizes = sum(distances.sizes[distances.numbers[number]] for number in (one, two))
        similarity: FloatArray = 1 - rows[min(one, two), max(one, two)] / np.maximum(sizes, 1)
        return similarity

    return similar


def _metric_similarity(panel: TreePanel, request: Request, one: int, two: int) -> FloatArray:
    """The score of each sentence by a metric, the second annotator as gold."""
    gold, pred = panel.annotations[two], panel.annotations[one]
    counts = request.row.count(gold, pred, **request.counted)
    scores: FloatArray = request.scorer()(counts.pooled())[:, 0]
    return np.where(np.isnan(scores), 1.0, scores)
