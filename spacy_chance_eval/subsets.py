"""Ways to divide the documents of a gold standard, for boards of the parts."""

import numpy as np

from .evaluate import Run
from .intervals import columns
from .measures.alignment import align
from .measures.matching import span_mass

BINNED = ("chance", "length", "density")


def parts_of(gold, by, *, bins=3, request=None, values=None):
    """The parts into which the annotated documents of gold fall.

    Parameters
    ----------
    gold : Spans
    by : str
        "chance": what two random annotations with the spans of gold would agree, by `request`.
        "length": number of tokens. "density": gold spans per 100 tokens. Anything else is the name
        of an attribute, whose `values` are given.
    bins : int
        Into how many parts of about equal size numbers are divided; equal ones stay together.
    request : Request, optional
        With a chance model.
    values : sequence, optional
        One per document; None for a document that has none, and is in no part.

    Returns
    -------
    dict of str to boolean array of shape (n_docs,)
        Numbers in rising order; attributes in alphabetical order.
    """
    if by not in BINNED:
        return named_parts(gold, by, values)
    if bins < 1:
        raise ValueError(f"bins is {bins!r}; expected at least 1")
    sizes = np.maximum(gold.sizes, 1)
    if by == "length":
        return binned(gold, gold.sizes.astype(float), bins, 0, "tokens")
    if by == "density":
        n_spans = span_mass(gold, np.ones_like).sum(axis=1)
        return binned(gold, 100 * n_spans / sizes, bins, 2, "spans per 100 tokens")
    if request is None or request.placement == "none":
        raise ValueError("the subset 'chance' needs a metric with a chance model")
    return binned(gold, chance_levels(gold, request), bins, 4, "expected")


def chance_levels(gold, request):
    """Expected score of each document of gold against itself; nan without spans."""
    statistics = Run(*align(gold, gold), False, 1000, 0, iter, {}).statistics(request)
    return columns(request.scorer(), statistics.pooled())["expected"][:, 0]


def ranges(ends, digits):
    """Names of ranges from their ends, with as many decimals more as tell them apart."""
    for more in range(18):
        sides = [tuple(f"{end:.{digits + more}f}" for end in pair) for pair in ends]
        if len(set(sides)) == len(sides):
            break
    return [low if low == high else f"{low}-{high}" for low, high in sides] if ends else []


def binned(gold, values, bins, digits, unit):
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
    parts = {f"{name} {unit}": docs for name, docs in zip(ranges(ends, digits), found)}
    if (gold.seen & ~defined).any():
        parts["no spans"] = gold.seen & ~defined
    return parts


def named_parts(gold, by, values):
    """One part for each value of an attribute."""
    if values is None or len(values) != gold.n_docs:
        raise ValueError(f"values of {by!r} need one entry per document ({gold.n_docs})")
    names = [None if value is None else str(value) for value in values]
    return {
        part: gold.seen & np.array([name == part for name in names], bool)
        for part in sorted(set(names) - {None})
    }
