"""How close two values of an item are, for coefficients that forgive small differences."""

import math
from collections.abc import Mapping
from numbers import Real

import numpy as np

from .items import MISSING, distinct, written

WEIGHTS = ("identity", "linear", "quadratic")


def closeness_of(rated, weights):
    """The closeness of all values of some `Items`, from 0 to 1; shape (n_values, n_values).

    Parameters
    ----------
    weights : "identity", "linear", "quadratic" or Mapping
        "identity": 1 for equal values, else 0. "linear", "quadratic", for labels that are numbers:
        1 - |a - b| / R and 1 - (a - b)^2 / R^2, with R the range of the table of values. A mapping
        {(label, label): closeness} holds for either order of the two; None stands for no label, a
        tuple of labels for their combination; pairs that it lacks have 0, equal values always 1.

    Raises
    ------
    ValueError
        For linear or quadratic weights if a value that occurs is no number; for an entry of a
        mapping that is no pair, not between 0 and 1, or contradicts another one.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.
    """
    if isinstance(weights, Mapping):
        known = checked_table(weights)
        names = [name_of(value) for value in rated.values]
        rows = [[1.0 if a == b else known.get((a, b), 0.0) for b in names] for a in names]
        return np.array(rows).reshape(len(names), len(names))
    if weights not in WEIGHTS:
        known = ", ".join(WEIGHTS)
        raise ValueError(f"weights are {weights!r}; expected one of {known}, or a mapping")
    if weights == "identity":
        return np.eye(len(rated.values))
    numbers = np.array([number_of(value) for value in rated.values])
    check_numbers(rated, numbers, weights)
    gaps = np.abs(numbers[:, None] - numbers)
    gaps /= np.nanmax(gaps, initial=0) or 1
    near = 1 - gaps ** (1 if weights == "linear" else 2)
    return np.where(np.isnan(near), 0.0, near)


def check_numbers(rated, numbers, weights):
    """Raise if an item has a value that is no number."""
    wrong = [i for i in distinct(*rated.codes) if i != MISSING and np.isnan(numbers[i])]
    if wrong:
        row = np.flatnonzero((rated.codes == wrong[0]).any(axis=0))[0]
        raise ValueError(
            f"document {rated.doc[row] + 1} has an item with the value "
            f"{written(rated.values[wrong[0]])}; weights={weights!r} needs one label that is a "
            "number for every item, such as '1' to '5'. Use weights='identity' or give a table "
            "{(label, label): closeness}"
        )


def number_of(value):
    """The number that a value is; nan if it is none."""
    try:
        number = float(value[0]) if len(value) == 1 else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def name_of(value):
    """How mappings call a value: None, a label, or a tuple of labels."""
    return value if len(value) > 1 else value[0] if value else None


def checked_table(weights):
    """A mapping of closeness for both orders of its pairs, its combinations of labels in order."""
    known = {}
    for pair, near in weights.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"weights have the key {pair!r}; expected pairs (label, label)")
        if not isinstance(near, Real) or not 0 <= near <= 1:
            raise ValueError(f"the closeness of {pair} is {near!r}; expected a number from 0 to 1")
        one, two = (tuple(sorted(part)) if isinstance(part, tuple) else part for part in pair)
        if one == two and near != 1:
            raise ValueError(
                f"the closeness of {pair} is {near}; a label is as close as 1 to itself"
            )
        if known.setdefault((two, one), float(near)) != near or known.get((one, two), near) != near:
            raise ValueError(f"the closeness of {pair} is given twice and differs; give it once")
        known[one, two] = float(near)
    return known
