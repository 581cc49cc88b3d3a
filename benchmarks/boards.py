"""Seconds and peak memory of leaderboards: the command on files, and the function by size.

    pip install ".[bench]" && python benchmarks/boards.py [--docs 1000 10000] [--output boards.json]

The command ranks twelve systems on 3,453 sentences with four labels, from CoNLL files to all kinds
(no plots: see the last rows for these), as a process of its own. The function ranks what is already
in memory; memory is the peak of its process, with Python, numpy and the data. The peer is the loop
that one would write around seqeval: it draws sentences and scores them again, one system and one
resample at a time.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import corpora

CONLL = 3453
SIZES = [1000, CONLL, 10_000, 100_000, 1_000_000]


def write_conll(path, spans):
    """A file of two columns; the words do not matter."""
    with open(path, "w", encoding="utf8") as file:
        for tags in corpora.tags(spans):
            file.writelines(f"w{i}\t{tag}\n" for i, tag in enumerate(tags))
            file.write("\n")


def measured(arguments):
    """Wall seconds and peak MB of a Python process."""
    start = time.perf_counter()
    # a process between us and it: its children's peak is then that of this one run
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
        "stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
    )
    return time.perf_counter() - start, int(done.stdout) / 1024


def command(formats, resamples):
    """The command on twelve files."""
    gold, systems = corpora.shared_task(CONLL, 12)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_conll(folder / "gold.conll", gold)
        for name, spans in systems.items():
            write_conll(folder / f"{name}.conll", spans)
        files = [folder / f"{name}.conll" for name in systems]
        options = ["--resamples", resamples, "--format", formats, "-o", folder / "board"]
        return measured(
            ["-m", "spacy_chance_eval", "rank", folder / "gold.conll", *files, *options]
        )


COLUMNS = ("doc", "start", "end", "label")


def save(path, gold, systems):
    """Gold and systems as one file of arrays."""
    sides = {"gold": gold, **systems}
    arrays = {f"{name}/{c}": getattr(side, c) for name, side in sides.items() for c in COLUMNS}
    np.savez(path, sizes=gold.sizes, **arrays)


def function(path, resamples):
    """One leaderboard of what lies in a file; run in a process of its own, which it measures."""
    from spacy_chance_eval import Resampling, Spans, leaderboard

    with np.load(path) as file:
        names = dict.fromkeys(key.split("/")[0] for key in file if "/" in key)
        sides = {
            name: Spans(*(file[f"{name}/{c}"] for c in COLUMNS), file["sizes"], corpora.LABELS)
            for name in names
        }
    gold = sides.pop("gold")
    start = time.perf_counter()
    leaderboard(gold, sides, ["span_f"], intervals=Resampling(resamples))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def by_size(sizes):
    """The function by documents, then by systems."""
    cases = [(n_docs, 12) for n_docs in sizes] + [(CONLL, n) for n in (3, 6, 24, 48)]
    cases.append((max(sizes), 1))
    for n_docs, n_systems in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spans.npz"
            save(path, *corpora.shared_task(n_docs, n_systems))
            done = subprocess.run(
                [sys.executable, "-c", f"import boards; boards.function({str(path)!r}, 1000)"],
                cwd=Path(__file__).parent,
                check=True,
                capture_output=True,
                text=True,
            )
        seconds, peak = json.loads(done.stdout)
        yield f"leaderboard, span F, {n_systems} systems", n_docs, seconds, peak


def seqeval_loop(resamples=3):
    """Seconds that seqeval in a loop takes for one system, for 1,000 resamples."""
    from seqeval.metrics import f1_score

    gold, systems = corpora.shared_task(CONLL, 1)
    gold, pred = corpora.tags(gold), corpora.tags(systems["system 01"])
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(resamples):
        drawn = rng.integers(0, CONLL, CONLL)
        f1_score([gold[i] for i in drawn], [pred[i] for i in drawn])
    return (time.perf_counter() - start) * 1000 / resamples


def rows(sizes):
    """All rows of the table."""
    for formats, resamples in (("md,csv,json", 1000), ("md,csv,json", 10_000), ("html", 1000)):
        yield (
            f"rank 12 files, {resamples:,} resamples: {formats}",
            CONLL,
            *command(formats, resamples),
        )
    peer = seqeval_loop()
    yield "seqeval, 1,000 resamples, one system (from 3)", CONLL, peer, float("nan")
    yield "the same for twelve systems", CONLL, 12 * peer, float("nan")
    yield from by_size(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print(f"{'what':48} {'docs':>8} {'seconds':>9} {'MB':>8}")
    table = []
    for what, n_docs, seconds, memory in rows(arguments.docs):
        print(f"{what:48} {n_docs:8} {seconds:9.2f} {memory:8.0f}", flush=True)
        row = {"function": what, "docs": n_docs, "seconds": seconds}
        table.append({**row, "peak_mb": None if np.isnan(memory) else memory})
    if arguments.output:
        arguments.output.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
