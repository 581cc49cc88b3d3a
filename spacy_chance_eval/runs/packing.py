"""The statistics of any metric as plain values and arrays, and back: what `store` puts into files.

Every class of statistics has a row in `AXES`, which says what the axes of its arrays are; what a
file holds has to fit it.
"""

import hashlib
from dataclasses import fields

import numpy as np

from ..measures import gamma, gate, items, matching, slicm, u_alpha, unitizing
from ..measures.stats import Divided, Valued
from ..metrics.catalog import CATALOG
from ..scoring.intervals import Statistics

# d documents, l labels, g groups of labels (1, or every label); others are free, but one size each
FLAT = "dl"
AXES = {
    matching.Hits: dict.fromkeys(("gold", "recalled", "pred", "correct"), FLAT),
    gate.Pairings: dict.fromkeys(
        ("gold", "recalled", "touched", "pred", "correct", "partial"), FLAT
    ),
    gate.FalsePositives: {"spurious": FLAT, "partial": FLAT, "size": "d1"},
    slicm.Information: dict.fromkeys(
        ("n_gold", "gold", "n_pred", "pred", "n_common", "common"), FLAT
    ),
    items.Specific: dict.fromkeys(("both", "first", "second", "items"), FLAT),
    items.Confusion: {"agreeing": "dg", "items": "dg", "marginals": "dgjv"},
    items.Coincidences: {
        **dict.fromkeys(("pairable", "agreeing", "disagreeing"), "dg"),
        **dict.fromkeys(("values", "shares", "single"), "dgv"),
    },
    items.Weighted: {"closeness": "vv"},
    unitizing.Distances: {
        **dict.fromkeys(("rated", "length"), "dg"),
        **dict.fromkeys(("observed", "units", "marked", "cubes"), "dgm"),
        **dict.fromkeys(("squares", "places"), "dgmn"),
    },
    u_alpha.UnitLengths: dict.fromkeys(("valued", "differing", "squares"), "dgv"),
    u_alpha.Intersections: dict.fromkeys(
        ("valued", "shared", "others", "differing", "squares"), "dgv"
    ),
    gamma.Disorders: dict.fromkeys(("observed", "expected", "units"), "dg"),
}
# what the counts of the catalog return; `Valued` ones come `Divided`
COUNTED = {
    matching.span_hits: matching.Hits,
    matching.token_hits: matching.Hits,
    matching.link_hits: matching.Hits,
    matching.bcubed_hits: matching.Hits,
    matching.int_hits: matching.Hits,
    gate.pairings: gate.Pairings,
    gate.false_positive_counts: gate.FalsePositives,
    slicm.slicm_information: slicm.Information,
    items.specific_counts: items.Specific,
    items.label_confusion: items.Confusion,
    items.team_confusion: items.Confusion,
    items.coincidences: items.Coincidences,
    items.weighted_coincidences: items.Weighted,
    unitizing.unit_distances: unitizing.Distances,
    u_alpha.unit_lengths: u_alpha.UnitLengths,
    u_alpha.unit_intersections: u_alpha.Intersections,
    gamma.disorders: gamma.Disorders,
}
ADDABLE = (matching.Hits, gate.Pairings, gate.FalsePositives, slicm.Information)
SMALLER = ("uint8", "int8", "uint16", "int16", "uint32", "int32")


class Arrays:
    """Arrays to be written, each once, however often it is added."""

    def __init__(self):
        self.found, self.places, self.known = [], {}, {}

    def add(self, array):
        """The place of an array; the same for those with the same bits."""
        if id(array) not in self.known:
            content = np.ascontiguousarray(array)
            key = content.dtype.str, content.shape, hashlib.sha256(content).digest()
            if key not in self.places:
                self.places[key] = len(self.found)
                self.found.append(content)
            self.known[id(array)] = self.places[key], array  # kept: no other gets its id
        return self.known[id(array)][0]


def small(array):
    """The same numbers in as few bytes as hold them exactly."""
    if array.dtype.kind not in "if" or not array.size:
        return array
    low, high = array.min(), array.max()
    for name in SMALLER:
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:  # not so for nan
            fewer = array.astype(name)
            if array.dtype.kind == "i" or fewer.astype(float).tobytes() == array.tobytes():
                return fewer
            return array
    return array


def packed(statistics, arrays):
    """A plain description of `Statistics`; their arrays go to `arrays`."""
    return {
        "observed": packed_sums(statistics.observed, arrays),
        "expected": statistics.expected and packed_sums(statistics.expected, arrays),
        "exact": statistics.exact,
    }


def packed_sums(sums, arrays):
    """A plain description of additive statistics, those they consist of included."""
    if isinstance(sums, np.ndarray):
        return arrays.add(sums)
    found = {f.name: packed_sums(getattr(sums, f.name), arrays) for f in fields(sums)}
    return found if type(sums) is Divided else {"kind": type(sums).__name__, **found}


def unpacked(plain, arrays, request, n_docs, n_labels):
    """The `Statistics` that `packed` described, for a request.

    `arrays[place]` is an array, `arrays.shape(place)` its shape without reading it.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError
        If the description is none, or its arrays do not fit each other, documents and labels.
    """
    kind = COUNTED[CATALOG[request.metric].count]
    sizes = {"d": n_docs, "l": n_labels, "1": 1}
    parts = [
        None if plain[name] is None else unpacked_sums(plain[name], arrays, kind, sizes)
        for name in ("observed", "expected")
    ]
    if parts[0] is None or (parts[1] is None) != (request.placement == "none"):
        raise ValueError("statistics are missing")
    return Statistics(*parts, exact=plain["exact"] is True)


def unpacked_sums(plain, arrays, kind, sizes):
    """Additive statistics of a kind, checked."""
    if not issubclass(kind, Valued):
        return unpacked_fields(plain, arrays, kind, dict(sizes))
    whole = unpacked_fields(plain["whole"], arrays, kind, sizes | {"g": 1})
    return Divided(whole, unpacked_fields(plain["labels"], arrays, kind, sizes | {"g": sizes["l"]}))


def unpacked_fields(plain, arrays, kind, sizes):
    """Statistics whose fields are arrays, or statistics again."""
    if plain["kind"] != kind.__name__:
        raise ValueError(f"{kind.__name__} expected, not {plain['kind']!r}")
    found = {}
    for field in fields(kind):
        if field.name not in AXES[kind]:
            found[field.name] = unpacked_fields(
                plain[field.name], arrays, items.Coincidences, sizes
            )
            continue
        shape, axes = arrays.shape(plain[field.name]), AXES[kind][field.name]
        expected = tuple(
            sizes.setdefault(axis, size) for axis, size in zip(axes, shape, strict=True)
        )
        if shape != expected:  # known before the array is read
            raise ValueError(f"{field.name} has shape {shape}, expected {expected}")
        found[field.name] = arrays[plain[field.name]]
        if found[field.name].dtype.kind not in "if":
            raise ValueError(f"{field.name} holds no numbers")
    return kind(**found)


def with_columns(sums, labels, index):
    """Statistics of more labels, 0 for those that they did not have.

    `labels` is the number of labels, `index` the new place of each old one. Only for statistics to
    which a label that nobody used adds nothing: those in `ADDABLE`.
    """
    axes, known, found = AXES[type(sums)], {}, {}
    for field in fields(sums):
        array = getattr(sums, field.name)
        if axes[field.name] == FLAT and id(array) not in known:
            wide = np.zeros((len(array), labels), array.dtype)
            wide[:, index] = array
            known[id(array)] = wide
        found[field.name] = known.get(id(array), array)
    return type(sums)(**found)
