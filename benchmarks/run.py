"""Time and peak memory of everything by size, beside the libraries one would use otherwise.

    pip install ".[bench]" && python benchmarks/run.py [--output DIR] [--only spans ted]

Each figure comes from a process of its own, which first does the work on a few documents, so that
imports and compilers do not count. Input is made beforehand, with a fixed seed, in the form that
the library takes. Of `--repeat` runs the fastest counts; a row gets as many as fit the budget.
Memory is the peak of the process: Python, libraries and input included.

A row ends at the size where the next one would take more than `--budget` seconds, or where it
fails; the table says so. A peer whose result is not ours, or that works out something else, gets no
ratio. "times ours" are a peer's seconds over those of the row of ours that gets the same input.
Times of different machines do not compare, ratios of one run do.

With `--output` results.json, table.md and plots are written there, after each topic, also if the
run is interrupted; results of other topics of the same version and machine are kept. (Long
documents: `long.py`; files, many systems, large panels, trees: `boards.py`, `agreement.py`,
`differences.py`, `trees.py`; training: `training.py`.)
"""

import argparse
import json
import math
import signal
import sys
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tables
from measuring import (
    Clock,
    MeasuringError,
    described,
    load,
    machine,
    memory_mb,
    own_process,
    write_json,
)
from spacy_chance_eval import __version__
from topics import topics

SIZES = [1000, 10_000, 100_000, 1_000_000]
SIZES_HELP = "documents; before them each topic does smaller ones, from which seconds are guessed"
TOLERANCE = 1e-9  # of values, relative
PATIENCE = 5  # budgets, and a minute, in which a process has to end, input included
STEEPEST = 1  # above the power that is expected, for the guess at the next size


def measure(key, topic, options):
    """Yields the rows of a topic as plain values, and what is new, after each figure."""
    rows = {row.name: plain(row) for row in topic.rows}
    for n_docs in topic.sizes(options.sizes):
        for row in topic.rows:
            found = rows[row.name]
            if found["stopped"]:
                continue
            try:
                check_time(found["cells"], n_docs, row.power, options)
                check_point(row, rows.get(row.beside), n_docs)
                cell = {"n_docs": n_docs} | figures(key, row, n_docs, options)
            except MeasuringError as error:
                found["stopped"] = f"{n_docs:,}: {error}"
                yield list(rows.values()), (found, None)
                continue
            ours = rows.get(row.beside) if row.comparable else None
            found["cells"].append(cell | compared(cell, ours))
            yield list(rows.values()), (found, found["cells"][-1])


def plain(row):
    """A row without figures."""
    return {
        "name": row.name,
        "beside": row.beside,
        "remark": row.remark,
        "cells": [],
        "stopped": None,
    }


def figures(key, row, n_docs, options):
    """Those of the fastest run; the largest peak of all."""
    runs, clock = [], Clock()
    while len(runs) < options.repeat:
        last = Clock()
        command = ("cell.py", key, row.name, n_docs, options.memory)
        try:
            runs.append(own_process(*command, limit=60 + PATIENCE * options.budget))
        except MeasuringError:
            if not runs:
                raise
            break
        if clock.seconds + last.seconds > options.budget:
            break
    return {
        **min(runs, key=lambda run: run["seconds"]),
        "peak_mb": max(run["peak_mb"] for run in runs),
        "runs": [run["seconds"] for run in runs],
    }


def check_time(cells, n_docs, power, options):
    """Raise if the next size would take longer than the budget, going by those before."""
    for name, steps, limit in (("", power, 1), (", input included", 1, PATIENCE)):
        keys = ("work_seconds", "input_seconds") if name else ("work_seconds",)
        points = [(cell["n_docs"], sum(cell[key] for key in keys)) for cell in cells]
        seconds = predicted(points, n_docs, steps)
        if seconds > limit * options.budget:
            raise MeasuringError(f"would take about {seconds:,.0f} s{name}")


def check_point(row, ours, n_docs):
    """Raise if all that a row is good for is a comparison, and there is nothing to compare with."""
    if row.share_of(n_docs) < 1 and ours and ours["stopped"]:
        raise MeasuringError(f"{ours['name']} ends here")


def predicted(points, size, power):
    """Seconds at a size, from (size, seconds) of smaller ones; they grow at least by `power`."""
    if not points:
        return 0.0
    (last, seconds), slope = points[-1], power
    if len(points) > 1 and seconds > points[-2][1] > 0:
        slope = math.log(seconds / points[-2][1]) / math.log(last / points[-2][0])
    return seconds * (size / last) ** min(max(slope, power), power + STEEPEST)


def compared(cell, ours):
    """How many times the seconds and memory of our row, if the result is the same."""
    same = [one for one in (ours or {"cells": []})["cells"] if one["n_docs"] == cell["n_docs"]]
    if not same:
        return {}
    mine, both = same[0], (same[0]["value"], cell["value"])
    if None not in both and not math.isclose(*both, rel_tol=TOLERANCE):
        return {"problem": f"gives {both[1]} where {ours['name']} gives {both[0]}"}
    return {
        "times_ours": cell["seconds"] / mine["seconds"],
        "times_memory": cell["peak_mb"] / mine["peak_mb"],
    }


# --- results


def begun(options):
    """Results without topics, or those of the same version and machine that are there."""
    facts = machine()
    fresh = {"version": __version__, "machine": facts, "topics": {}}
    path = options.output and options.output / "results.json"
    if not path or not path.exists():
        return fresh
    before = json.loads(path.read_text(encoding="utf8"))
    if {name: before[name] for name in ("version", "machine")} != {
        name: fresh[name] for name in ("version", "machine")
    }:
        raise SystemExit(
            f"{path} has results of another version or machine: {before['version']}, "
            f"{described(before['machine'])}; move it, or name another folder"
        )
    return before


def write(results, options):
    """All files of the results; plots only where matplotlib is."""
    if not options.output:
        return
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results)
    (options.output / "table.md").write_text(tables.markdown(results), encoding="utf8")
    try:
        from plots import write_plots  # loads matplotlib, which processes need not inherit
    except ImportError as error:
        print(f"no plots: {error}", file=sys.stderr)
    else:
        write_plots(results, options.output)


def run(options, chosen):
    """Measure some topics; what was measured is kept, whatever happens."""
    results = begun(options)
    print(f"{described(results['machine'])}\nload {load()}\n\n{tables.HEAD}")
    try:
        for key, topic in chosen.items():
            asked = {"sizes": options.sizes, "budget": options.budget, "repeat": options.repeat}
            facts = {"title": topic.title, "remark": topic.remark, "options": asked}
            facts |= {"date": date.today().isoformat(), "load_before": load()}
            for rows, news in measure(key, topic, options):
                results["topics"][key] = facts | {"rows": rows, "load_after": load()}
                print(tables.line(topic.title, *news), flush=True)
                if options.output:
                    options.output.mkdir(parents=True, exist_ok=True)
                    write_json(options.output / "results.json", results)
    finally:
        in_order = [key for key in topics() if key in results["topics"]]
        results["topics"] = {key: results["topics"][key] for key in in_order}
        write(results, options)
    return results


def parsed(words=None):
    """The options, and the topics that were chosen."""
    known = topics()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help=SIZES_HELP)
    asked = {"nargs": "+", "choices": known, "default": list(known), "metavar": "TOPIC"}
    parser.add_argument("--only", **asked, help=", ".join(known))
    parser.add_argument("--budget", type=float, default=60, help="seconds for a figure")
    parser.add_argument("--repeat", type=int, default=3, help="runs of a figure, if these fit")
    help_ = "megabytes a process may take; by default three quarters of the machine's"
    parser.add_argument("--memory", type=float, default=memory_mb() * 0.75, help=help_)
    parser.add_argument("--output", type=Path, metavar="DIR", help="write results there")
    options = parser.parse_args(words)
    if min(*options.sizes, options.repeat, options.budget) <= 0:
        parser.error("--sizes, --repeat and --budget have to be positive")
    return options, {key: topic for key, topic in known.items() if key in options.only}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        run(*parsed())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
