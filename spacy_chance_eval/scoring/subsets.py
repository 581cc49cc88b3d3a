"""Ways to divide the documents of a gold standard, for boards of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..measures.alignment import align
from ..measures.arrays import BoolArray, FloatArray
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..metrics.request import Request
from .counts import PairCounter, support_of
from .statistics import columns

BINNED = ("chance", "length", "density")


def divide(gold: Spans, by: str, *, request: Request | None = None) -> dict[str, Any]:
    """The parts into which the annotated documents of gold fall by a number of theirs: quartiles.

    Documents of equal numbers stay together, so that parts may be fewer.

    Parameters
    ----------
    gold : Spans
        Whose documents are divided.
    by : "chance", "length" or "density"
        Expected agreement of two random annotations with the spans of gold, by `request`; number of
        tokens; gold spans per 100 tokens. With thresholds, as "chance:.175" or "length:10,20": each
        is the highest number of a part.
    request : Request, optional
        With a chance model; for "chance".

    Returns
    -------
    dict of str to boolean array of shape (n_docs,)
        Numbers in rising order. Parts between thresholds may be empty.

    Raises
    ------
    ValueError
        For thresholds that do not rise, and "chance" without a chance model.
    """
    name, thresholds = thresholds_of(by)
    sizes = np.maximum(gold.sizes, 1)
    if name == "length":
        values, digits, unit = gold.sizes.astype(float), 0, "tokens"
    elif name == "density":
        n_spans = support_of(gold).sum(axis=1)
        values, digits, unit = 100 * n_spans / sizes, 2, "spans per 100 tokens"
    else:
        values, digits, unit = chance_levels(gold, request), 4, "expected"
    if thresholds:
        unit += f" {request.row.name}" if request and name == "chance" else ""
        return _between(gold, values, thresholds, unit)
    return _quartiles(gold, values, digits, unit)


def thresholds_of(by: str) -> tuple[str, tuple[float, ...]]:
    """The name and the thresholds of "NAME:VALUE[,VALUE]", for names of numbers; else none."""
    name, colon, text = by.partition(":")
    if name not in BINNED or not colon:
        return by, ()
    try:
        thresholds = tuple(map(float, text.split(",")))
    except ValueError:
        thresholds = ()
    rising = all(one < two for one, two in pairwise((0, *thresholds, np.inf)))
    if not thresholds or not rising or name == "chance" and thresholds[-1] >= 1:
        kind = "numbers between 0 and 1" if name == "chance" else "numbers above 0"
        example = {"chance": ".175", "length": "10,20", "density": "5"}[name]
        raise ValueError(
            f"{quoted(by)} has {'wrong' if thresholds else 'no'} thresholds; expected {kind} that "
            f"rise, such as {name}:{example}"
        )
    return name, thresholds


def divide_by_attribute(
    seen: BoolArray, by: str, values: Sequence[Any] | None
) -> dict[str, BoolArray]:
    """One part of the documents for each value of an attribute, in alphabetical order.

    Parameters
    ----------
    seen : boolean array of shape (n_docs,)
        Which documents are annotated: no other is in any part.
    by : str
        Name of the attribute in messages.
    values : sequence
        One per document; None for a document that has none, and is in no part.
    """
    if values is None or len(values) != len(seen):
        raise ValueError(f"values of {quoted(by)} need one entry per document ({len(seen)})")
    names = [None if value is None else str(value) for value in values]
    return {
        part: seen & np.array([name == part for name in names], bool)
        for part in sorted({name for name in names if name is not None})
    }


def chance_levels(gold: Spans, request: Request | None) -> FloatArray:
    """Expected score of each document of gold against itself; nan without spans.

    Rounded to ten digits, so that documents of one level stay together.
    """
    if request is None or request.placement == "none":
        raise ValueError("the subset 'chance' needs a metric with a chance model")
    statistics = PairCounter(*align(gold, gold), draws=1000).statistics(request)
    levels: FloatArray = columns(request.scorer(), statistics.pooled())["expected"][:, 0]
    return np.round(levels, 10)


def _quartiles(gold: Spans, values: FloatArray, digits: int, unit: str) -> dict[str, BoolArray]:
    """Parts of about equal size by quantiles of a number; undefined ones are a part by itself."""
    defined = gold.seen & ~np.isnan(values)
    found = []
    if defined.any():
        edges = np.quantile(values[defined], (0.25, 0.5, 0.75), method="inverted_cdf")
        edges = np.unique(edges)
        place = np.searchsorted(edges, values, "left")
        found = [defined & (place == number) for number in range(len(edges) + 1)]
        found = [docs for docs in found if docs.any()]
    ends = [(values[docs].min(), values[docs].max()) for docs in found]
    parts = {f"{name} {unit}": docs for name, docs in zip(_ranges(ends, digits), found)}
    return parts | _undefined(gold, defined)


def _between(
    gold: Spans, values: FloatArray, thresholds: Sequence[float], unit: str
) -> dict[str, BoolArray]:
    """Parts by thresholds, each the highest number of a part; undefined ones as in `_binned`."""
    defined = gold.seen & ~np.isnan(values)
    place = np.searchsorted(thresholds, values, "left")
    texts = [f"{one:.12g}" for one in thresholds]
    names = [f"up to {texts[0]}"]
    names += [f"above {low} up to {high}" for low, high in pairwise(texts)]
    names.append(f"above {texts[-1]}")
    parts = {f"{name} {unit}": defined & (place == i) for i, name in enumerate(names)}
    return parts | _undefined(gold, defined)


def _undefined(gold: Spans, defined: BoolArray) -> dict[str, BoolArray]:
    """The part of the documents without a number, if there are any."""
    rest = gold.seen & ~defined
    return {"no spans": rest} if rest.any() else {}


def _ranges(ends: Sequence[tuple[float, float]], digits: int) -> list[str]:
    """Names of ranges from their ends, with as many decimals more as distinguish them."""
    names: list[tuple[str, str]] = []
    for more in range(18):
        names = [(f"{low:.{digits + more}f}", f"{high:.{digits + more}f}") for low, high in ends]
        if len(set(names)) == len(names):
            break
    return [low if low == high else f"{low}-{high}" for low, high in names]
