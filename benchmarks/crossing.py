"""Where do the exact routes of the chance model cross? Times of each on a grid, and fits to them.

    python benchmarks/crossing.py [--output benchmarks/results/crossing.md]

Units of 30 to 3,000 tokens, sparse and dense, with lengths up to 60, are computed by each route,
for the coverage (one free token) and for the starts (one segment of each length). The seconds of
each step of `placement.route_work` are fitted by least squares of relative errors, none of them
negative. The output is the constants for `placement.SECONDS`, and the time lost by choosing with
these constants, and with those of the package, instead of the best route in each unit.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import measuring
from spacy_chance_eval.measures.chance import placement
from spacy_chance_eval.measures.chance.placement import (
    SECONDS,
    by_convolution,
    by_subset_sums,
    route_work,
)
from spacy_chance_eval.measures.chance.quadrature import FREE_TOKEN, by_quadrature

TOKENS = (30, 60, 100, 200, 400, 1000, 3000)
DENSITIES = (0.02, 0.05, 0.2, 0.5, 0.9)
LONGEST = (2, 4, 8, 20, 60)
COPIES = 20  # of a unit that one call of the subset sums takes, as it does in a corpus
TOO_LONG = 1.0  # seconds; a route that is estimated to take more is not run


def units():
    """The grid: (tokens, lengths)."""
    rng, seen = np.random.default_rng(0), set()
    for n in TOKENS:
        for density in DENSITIES:
            for longest in LONGEST:
                lengths = rng.integers(1, longest + 1, int(n * density / (longest + 1) * 2))
                lengths = lengths[np.cumsum(lengths) <= n].tolist()
                unit = n, *sorted(lengths)
                if lengths and unit not in seen:
                    seen.add(unit)
                    yield n, lengths


def timed(function):
    """Least processor seconds in up to five runs, or half a second in all."""
    seconds = []
    while len(seconds) < 5 and sum(seconds) < 0.5:
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def objects(cases, starts):
    """The case and the row of one free token of each case, or of a segment of every length."""
    if starts:
        return cases.case, np.arange(len(cases.length))
    case = np.flatnonzero(cases.free)
    return case, np.full(len(case), FREE_TOKEN)


def measured(unit, starts):
    """The work and the seconds of every route for one unit: {route: (steps, seconds or nan)}."""
    cases, copies = placement.cases_of([unit]), placement.cases_of([unit] * COPIES)
    case, row = objects(cases, starts)
    many = objects(copies, starts)
    held, held_many = placement.edge_sizes(cases, case, row), placement.edge_sizes(copies, *many)
    runs = {
        "subset sums": lambda: by_subset_sums(copies, *many, held_many),
        "convolution": lambda: list(by_convolution(cases, 0, row, held)),
        "quadrature": lambda: list(by_quadrature(cases, 0, row, held)),
    }
    found = {}
    for route, work in route_work(cases, np.array([len(row)])).items():
        times = COPIES if route == "subset sums" else 1
        estimate = times * np.dot(SECONDS[route], work[:, 0])
        seconds = timed(runs[route]) / times if estimate < TOO_LONG else np.nan
        found[route] = work[:, 0], seconds
    return found


def fitted(work, seconds):
    """Seconds of each step, none negative, that fit the times of one route best in relation.

    An estimate that is twice too high is as bad as one that is twice too low: errors are divided by
    the geometric mean of time and estimate, again and again.
    """
    known = np.isfinite(seconds)
    work, seconds = work[known], seconds[known]
    scale = seconds
    for _ in range(20):
        constants = not_negative(work / scale[:, None], seconds / scale)
        scale = np.sqrt(seconds * (work @ constants))
    return constants


def not_negative(work, seconds):
    """Least squares without the steps that would come out negative."""
    used = np.arange(work.shape[1])
    while True:
        found = np.linalg.lstsq(work[:, used], seconds, rcond=None)[0]
        if (found >= 0).all():
            constants = np.zeros(work.shape[1])
            constants[used] = found
            return constants
        used = np.delete(used, found.argmin())


def report(grid, table):
    """Lines: the constants, how well they fit, what choosing by them costs; all times."""
    work = {route: np.array([row[route][0] for row in table]) for route in SECONDS}
    seconds = np.array([[row[route][1] for route in SECONDS] for row in table])
    fits = {route: fitted(work[route], column) for route, column in zip(SECONDS, seconds.T)}
    yield "| route | seconds of its steps | measured / estimated: median, 5 to 95 % |"
    yield "| --- | --- | --- |"
    for route, column in zip(SECONDS, seconds.T):
        ratio = column / (work[route] @ fits[route])
        low, middle, high = np.nanpercentile(ratio, [5, 50, 95])
        constants = ", ".join(f"{constant:.1e}" for constant in fits[route])
        yield f"| {route} | {constants} | {middle:.2f}, {low:.2f} to {high:.2f} |"
    yield ""
    yield from losses({"these": fits, "those of the package": SECONDS}, work, seconds)
    yield ""
    yield "| tokens | segments | lengths | of | " + " | ".join(f"{r}, ms" for r in SECONDS) + " |"
    yield "| --- " * 7 + "|"
    for (n, lengths, what), row in zip(grid, seconds):
        cells = " | ".join("-" if np.isnan(one) else f"{one * 1e3:.2f}" for one in row)
        yield f"| {n} | {len(lengths)} | {len(set(lengths))} | {what} | {cells} |"


def losses(constants, work, seconds):
    """Lines: time with the chosen routes over time with the best ones."""
    known = np.where(np.isnan(seconds), np.inf, seconds)
    best = known.min(axis=1)
    yield "| constants | best route chosen | time / least time, all units | worst unit |"
    yield "| --- | --- | --- | --- |"
    for name, fits in constants.items():
        estimates = np.array([work[route] @ fits[route] for route in SECONDS]).T
        estimates[np.isnan(seconds)] = np.inf
        chosen = known[np.arange(len(best)), estimates.argmin(axis=1)]
        right, total = np.mean(chosen == best), chosen.sum() / best.sum()
        yield f"| {name} | {right:.0%} | {total:.3f} | {(chosen / best).max():.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, help="write the tables as Markdown, too")
    arguments = parser.parse_args()
    grid, table = [], []
    for unit in units():
        for what in ("coverage", "starts"):
            grid.append((*unit, what))
            table.append(measured(unit, what == "starts"))
            print(f"\r{len(table)} measured", end="", file=sys.stderr)
    machine = measuring.described(measuring.machine())
    text = "\n".join([f"# Crossing points\n\n{machine}\n", *report(grid, table)]) + "\n"
    print(f"\n{text}")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
