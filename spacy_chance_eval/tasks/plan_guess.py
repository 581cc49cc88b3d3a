"""`plan` without data: how many documents, from an F and a difference that are to be expected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import ceil, inf
from typing import Any

from ..about import __version__
from ..measures.messages import quoted
from ..measures.power import PairedGuess, can_reject, independent
from ..measures.resampling import TIE
from ..scoring.planning import NOTHING_DIFFERS, TIMES, Goal, no_number
from ..scoring.ranking import Comparison
from .calls import explain_arguments
from .plan import LEAST, WIDTH, Plan

ALIKE = "the systems are right on the same spans, so that their difference never varies"


@explain_arguments
def plan_guess(
    support: int,
    f: float,
    difference: float | None = None,
    *,
    agreement: float | None = None,
    per_doc: float = 1.0,
    expected: float | None = None,
    width: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    level: float = 0.95,
) -> Plan:
    """How many documents, without data: from the F to be expected and a difference of two systems.

    Each gold span is right or wrong, independently of the others; a system that misses a span has
    a wrong one in its place. Then F is the share that is right, and the test by exchanges is
    McNemar's. How often two systems are right on the same spans is not known beforehand: without
    `agreement` there are two plans, for independent errors and for errors as alike as possible.

    Parameters
    ----------
    support : int
        Gold spans at hand, or planned.
    f : float
        F to be expected, of the first system.
    difference : float, optional
        F of the second system less that of the first; without it, only the width is planned for.
    agreement : float, optional
        Share of the gold spans on which both systems are right, or both wrong.
    per_doc : float
        Gold spans per document. The test exchanges whole documents.
    expected : float, optional
        F expected by chance: then widths and differences are of corrected F, which are larger by
        1 / (1 - expected).
    width : float, optional
        Half-width of intervals to reach, by default .02.
    power : float
        Power to reach.
    alpha : float
        Level of the test.
    level : float
        Level of intervals.

    Returns
    -------
    Plan
        As that of `plan`, without intervals of its numbers; its numbers are of gold spans, and
        `n_docs` of documents.

    Raises
    ------
    ValueError
        For values out of range, and an agreement that such systems cannot have.

    Examples
    --------
    >>> from spacy_chance_eval import plan_guess
    >>> found = plan_guess(500, 0.8, 0.02, agreement=0.975)["plans"][-1]
    >>> round(found["total"]["power"], 2)  # .80 in Card et al. (2020)
    0.8
    """
    goal = Goal(WIDTH if width is None else width, power, Comparison(alpha=alpha))
    _check_guess(support, f, difference, agreement, per_doc, expected, level)
    scale = 1 / (1 - (expected or 0.0))
    guess = {"support": support, "f": f, "difference": difference, "agreement": agreement}
    guess |= {"per_doc": per_doc, "expected": expected, "level": level}
    make = partial(_guessed_plan, support=support, scale=scale, goal=goal, level=level)
    plans = [make("F", PairedGuess(f, 0.0, f * (1 - f), per_doc), value=f, base=expected)]
    for name, discordant in _scenarios(f, difference, agreement):
        assert difference is not None
        plans.append(make(name, PairedGuess(f, difference, discordant, per_doc)))
    return Plan(
        {
            "kind": "guess",
            "names": [one["first"] for one in plans],
            "goal": goal.to_dict(),
            "guess": guess,
            "times": list(TIMES),
            "version": __version__,
            "warnings": [],
            "notes": [],
            "plans": plans,
        }
    )


def _check_guess(
    support: int,
    f: float,
    difference: float | None,
    agreement: float | None,
    per_doc: float,
    expected: float | None,
    level: float,
) -> None:
    """Raise ValueError for values out of range."""
    if support != int(support) or support < LEAST:
        raise ValueError(
            f"support is {quoted(support)}; expected a number of gold spans, 2 or more"
        )
    shares = {"f": f, "level": level}
    shares |= {} if expected is None else {"expected": expected}
    shares |= {} if difference is None else {"f + difference": f + difference}
    for name, value in shares.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value:g}; expected a number between 0 and 1")
    if not 0 < per_doc <= support:
        raise ValueError(f"per_doc is {per_doc:g}; expected spans by document, at most {support}")
    if agreement is None:
        return
    if difference is None:
        raise ValueError("agreement is that of two systems; name their difference, too")
    most = 1 - abs(difference)
    least = abs(2 * f + difference - 1)
    if not least - TIE <= agreement <= most + TIE:
        raise ValueError(
            f"agreement is {agreement:g}; systems with F {f:g} and {f + difference:g} are right or "
            f"wrong together on a share between {least:.4g} and {most:.4g} of the spans"
        )


def _scenarios(
    f: float, difference: float | None, agreement: float | None
) -> Iterator[tuple[str, float]]:
    """Names, and shares of spans that one system alone has right."""
    if difference is None:
        return
    if agreement is not None:
        yield f"agreement {agreement:g}", max(1 - agreement, abs(difference))
        return
    yield "independent errors", independent(f, difference)
    yield "errors as alike as possible", abs(difference)


def _guessed_plan(
    name: str,
    model: PairedGuess,
    *,
    support: int,
    scale: float,
    goal: Goal,
    level: float,
    value: float | None = None,
    base: float | None = None,
) -> dict[str, Any]:
    """The plan of one F (with `value`), or of the difference of two systems."""
    is_pair, alpha = value is None, goal.comparison.alpha
    if value is None:
        shown = model.difference * scale
    else:
        shown = value if base is None else (value - base) * scale
    curve = []
    for times in TIMES:
        n = max(1, round(times * support))
        row: dict[str, Any] = {"times": times, "n": n, "n_docs": ceil(n / model.per_doc)}
        row |= {"half_width": scale * model.half_width(n, level), "half_width_interval": None}
        if is_pair:
            row |= {"power": model.power(n, alpha), "power_interval": None}
            # errors that are as alike as possible would differ otherwise at another difference
            nested = model.discordant <= abs(model.difference) + TIE
            none = nested or not can_reject(row["n_docs"], alpha)
            row["detectable"] = None if none else scale * model.detectable(n, goal.power, alpha)
        curve.append(row)
    present = curve[TIMES.index(1.0)]
    root = scale * model.half_width(1, level) / goal.width
    half = present["half_width"]
    needed = model.needed(goal.power, alpha) if is_pair else inf
    total = {
        "value": shown,
        "interval": [shown - half, shown + half],
        "half_width": half,
        "power": present.get("power"),
        "curve": curve,
        "for_width": _guessed(goal.width, root**2, model.per_doc, ALIKE),
        "for_power": _guessed(goal.power, needed, model.per_doc, NOTHING_DIFFERS)
        if is_pair
        else None,
    }
    return {
        "metric": "F",
        "score": "observed" if scale == 1 else "corrected",
        "scope": "difference" if is_pair else "system",
        "first": name,
        "second": None,
        "agreement": 1 - model.discordant if is_pair else None,
        "unit": "spans",
        "n_units": support,
        "n_docs": ceil(support / model.per_doc),
        "total": total,
        "labels": [],
    }


def _guessed(target: float, n: float, per_doc: float, reason: str) -> dict[str, Any]:
    """A number of spans and of documents, or why there is none."""
    if not 0 < n < inf:
        return no_number(target, reason)
    spans = ceil(n - 1e-9)
    return {
        "target": target,
        "n": spans,
        "n_docs": ceil(spans / per_doc),
        "relation": "about",
        "interval": None,
        "reason": None,
    }
