"""Time and memory of everything, beside the libraries one would use otherwise.

    pip install ".[bench]" && nice python benchmarks/run.py [--output DIR] [--only conll jsonl]

Each figure comes from a separate process, which first does the work on a few documents, so that
imports and compilers do not count (but where whole processes are measured). Input is made
beforehand, with a fixed seed, in the form that the library takes. The rows of a topic take turns,
`--repeat` times, as many of them as fit the budget; the least seconds of the processor count, which
other work on the machine disturbs less than those of the clock. Memory is the peak of the process:
Python, libraries and input included.

A peer whose result is not ours gets no ratio. "Times ours" are a peer's seconds over those of the
row of ours that gets the same input. Seconds of different machines do not compare, ratios of one
run do.

With `--output` results.json and table.md are written there, after each topic, also if the run is
interrupted; results of other topics of the same version and machine are kept.
"""

import argparse
import json
import math
import os
import signal
import sys
import tempfile
import warnings
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tables
from inputs import CACHE
from measuring import (
    Clock,
    MeasuringError,
    described,
    forget_peak,
    limit_memory,
    load,
    machine,
    memory_mb,
    own_process,
    peak_mb,
    peak_of_children,
    write_json,
)
from rows import TOPICS
from spacy_chance_eval import __version__

TOLERANCE = 1e-9  # of values, relative
RUNS, ENOUGH = 5, 1.5  # of short work in a process: runs, and seconds after which there is no other
PATIENCE = 20  # budgets in which a process has to end, input included


def figure(topic, row, size):
    """The figures of a row at a size, the least of some runs; for a separate process."""
    if topic.warm:
        row.prepare(min(topic.warm, size))()
    share, times, spent = row.share_of(size), [], Clock()
    while len(times) < RUNS and (not times or spent.seconds < ENOUGH):
        work = row.prepare(size)
        if not times:
            forget_peak()
        clock = Clock()
        found = work()
        times.append(clock.times)
        del work
    own, others = peak_mb(), peak_of_children()
    return {
        **{name: min(run[name] for run in times) / share for name in times[0]},
        "share": share,
        "peak_mb": own + row.processes * others if topic.warm else others * max(1, row.processes),
        "value": found if found is None or math.isfinite(found) else None,
    }


def measure(key, topic, options):
    """Yields the rows of a topic as plain values, and the row that is new, after each size."""
    rows = {
        row.name: {"name": row.name, "beside": list(row.beside), "remark": row.remark}
        | {"cells": [], "stopped": None}
        for row in topic.rows
    }
    for size in options.sizes or (*topic.sizes, *(topic.large if options.large else ())):
        runs = {row.name: [] for row in topic.rows if row.largest >= size}
        for number in range(options.repeat):
            for name, done in runs.items():
                found, spent = rows[name], sum(run["elapsed"] for run in done)
                # another run has to fit, too; the first one is always there
                if found["stopped"] or number and spent * (number + 1) / number > options.budget:
                    continue
                clock = Clock()
                try:
                    words = ("run.py", "--figure", key, name, size, options.memory)
                    run = own_process(*words, limit=PATIENCE * options.budget)
                    done.append(run | {"elapsed": clock.seconds})
                except MeasuringError as error:
                    if not number:
                        found["stopped"] = f"{size:,}: {error}"
        for name, done in runs.items():
            if done:
                cell = {"size": size} | least(done)
                peers = [rows[other] for other in rows[name]["beside"]]
                rows[name]["cells"].append(cell | compared(cell, peers, topic.clock))
            yield list(rows.values()), rows[name]


def least(runs):
    """The least seconds, and the largest peak, of some runs."""
    times = {name: min(run[name] for run in runs) for name in ("seconds", "processor_seconds")}
    peak = max(run["peak_mb"] for run in runs)
    more = {"runs": [run["processor_seconds"] for run in runs], "peak_mb": peak}
    return {"share": runs[0]["share"], "value": runs[0]["value"]} | times | more


def compared(cell, rows, clock):
    """How many times the seconds and memory of some rows of ours, if the result is the same."""
    ratios = {}
    for row in rows:
        same = [one for one in row["cells"] if one["size"] == cell["size"]]
        if not same:
            continue
        (mine,) = same
        both = mine["value"], cell["value"]
        if None not in both and not math.isclose(*both, rel_tol=TOLERANCE):
            return {"problem": f"gives {both[1]} where {row['name']} gives {both[0]}"}
        ratios[row["name"]] = {
            "times": cell[clock] / mine[clock],
            "times_seconds": cell["seconds"] / mine["seconds"],
            "times_memory": cell["peak_mb"] / mine["peak_mb"],
        }
    return {"ratios": ratios} if ratios else {}


# --- results


def begun(options):
    """Results without topics, or existing ones of the same version and machine."""
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
    """All files of the results, topics in their order."""
    in_order = [key for key in TOPICS if key in results["topics"]]
    results["topics"] = {key: results["topics"][key] for key in in_order}
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results)
        (options.output / "table.md").write_text(tables.markdown(results), encoding="utf8")


def run(options):
    """Measure some topics; finished measurements are kept if a later one fails."""
    results = begun(options)
    print(f"{described(results['machine'])}\nload {load()}\n\n{tables.HEAD}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE] = folder
        for key in options.only:
            topic, before = TOPICS[key], load()
            facts = {name: getattr(topic, name) for name in ("title", "remark", "unit", "clock")}
            facts |= {"date": date.today().isoformat(), "load_before": before}
            for rows, news in measure(key, topic, options):
                results["topics"][key] = facts | {"rows": rows, "load_after": load()}
                write(results, options)
                print(tables.line(topic.title, news), flush=True)
    return results


def parsed(words=None):
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", help="by default those of each topic")
    parser.add_argument("--large", action="store_true", help="sizes that take minutes, too")
    asked = {"nargs": "+", "choices": TOPICS, "default": list(TOPICS), "metavar": "TOPIC"}
    parser.add_argument("--only", **asked, help=", ".join(TOPICS))
    parser.add_argument("--budget", type=float, default=20, help="seconds for the runs of a figure")
    parser.add_argument("--repeat", type=int, default=2, help="processes of a figure, if they fit")
    help_ = "megabytes a process may take; by default three quarters of the machine's"
    parser.add_argument("--memory", type=float, default=memory_mb() * 0.75, help=help_)
    parser.add_argument("--output", type=Path, metavar="DIR", help="write results there")
    options = parser.parse_args(words)
    if min(*(options.sizes or [1]), options.repeat, options.budget) <= 0:
        parser.error("--sizes, --repeat and --budget have to be positive")
    return options


def main():
    if sys.argv[1:2] == ["--figure"]:
        key, name, size, megabytes = sys.argv[2:]
        limit_memory(float(megabytes))
        warnings.simplefilter("ignore")
        topic = TOPICS[key]
        print("\n" + json.dumps(figure(topic, topic.row(name), int(size))))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        run(parsed())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
