"""Ways to divide the documents of a gold standard, for boards of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..measures.alignment import align
from ..measures.arrays import BoolArray, FloatArray
from ..measures.spans import Spans
from ..metrics.request import Request
from .counts import PairCounter, support_of
from .statistics import columns

BINNED = ("chance", "length", "density")


def divide(
    gold: Spans, by: str, *, bins: int = 3, request: Request | None = None
) -> dict[str, Any]:
    """The parts into which the annotated documents of gold fall by a number of theirs.

    Parameters
    ----------
    by : "chance", "length" or "density"
        What two random annotations with the spans of gold would agree, by `request`; the number of
        tokens; gold spans per 100 tokens.
    bins : int
        Into how many parts of about equal size numbers are divided; equal ones stay together.
    request : Request, optional
        With a chance model; for "chance".

    Returns
    -------
    dict of str to boolean array of shape (n_docs,)
        Numbers in rising order.
    """
    if bins < 1:
        raise ValueError(f"bins is {bins!r}; expected at least 1")
    sizes = np.maximum(gold.sizes, 1)
    if by == "length":
        return _binned(gold, gold.sizes.astype(float), bins, 0, "tokens")
    if by == "density":
        n_spans = support_of(gold).sum(axis=1)
        return _binned(gold, 100 * n_spans / sizes, bins, 2, "spans per 100 tokens")
    if request is None or request.placement == "none":
        raise ValueError("the subset 'chance' needs a metric with a chance model")
    return _binned(gold, _chance_levels(gold, request), bins, 4, "expected")


def divide_by_attribute(
    seen: BoolArray, by: str, values: Sequence[Any] | None
) -> dict[str, BoolArray]:
    """One part of the documents for each value of an attribute, in alphabetical order.

    Parameters
    ----------
    seen : boolean array of shape (n_docs,)
        Which documents are annotated: no other is in any part.
    by : str
        What messages call the attribute.
    values : sequence
        One per document; None for a document that has none, and is in no part.
    """
    if values is None or len(values) != len(seen):
        raise ValueError(f"values of {by!r} need one entry per document ({len(seen)})")
    names = [None if value is None else str(value) for value in values]
    return {
        part: seen & np.array([name == part for name in names], bool)
        for part in sorted({name for name in names if name is not None})
    }


def _chance_levels(gold: Spans, request: Request) -> FloatArray:
    """Expected score of each document of gold against itself; nan without spans."""
    statistics = PairCounter(*align(gold, gold), draws=1000).statistics(request)
    return columns(request.scorer(), statistics.pooled())["expected"][:, 0]


def _binned(
    gold: Spans, values: FloatArray, bins: int, digits: int, unit: str
) -> dict[str, BoolArray]:
    """Parts of about equal size by quantiles of a number; undefined ones are a part by itself."""
    defined = gold.seen & ~np.isnan(values)
    found = []
    if defined.any():
        shares = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(values[defined], shares, method="inverted_cdf"))
        place = np.searchsorted(edges, values, "left")
        found = [defined & (place == number) for number in range(len(edges) + 1)]
        found = [docs for docs in found if docs.any()]
    ends = [(values[docs].min(), values[docs].max()) for docs in found]
    parts = {f"{name} {unit}": docs for name, docs in zip(_ranges(ends, digits), found)}
    if (gold.seen & ~defined).any():
        parts["no spans"] = gold.seen & ~defined
    return parts


def _ranges(ends: Sequence[tuple[float, float]], digits: int) -> list[str]:
    """Names of ranges from their ends, with as many decimals more as distinguish them."""
    names: list[tuple[str, str]] = []
    for more in range(18):
        names = [(f"{low:.{digits + more}f}", f"{high:.{digits + more}f}") for low, high in ends]
        if len(set(names)) == len(names):
            break
    return [low if low == high else f"{low}-{high}" for low, high in names]
