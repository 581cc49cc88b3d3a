"""Seconds and peak memory of `diff` by size, and the peers.

    pip install ".[bench]" && python benchmarks/differences.py [--docs 1000 100000] [--output FILE]

The command runs in a process of its own on two JSONL files with about 20 tokens and 2 spans in each
document, and writes all documents as JSON; its memory is the peak of that process, with Python,
numpy and the data. `reading` is what of it the files take.

The pairing itself runs in this process: all rows with relation and error, beside nervaluate, which
counts as much (for five schemas) and lists the places of its errors, and beside a loop over Python
sets, which finds equal spans and no pairs of others. Counts of correct pairs are checked to be the
same. The ratio is that of the seconds to those of our pairing. Times of different machines do not
compare, ratios of one run do.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import corpora

from spacy_chance_eval import Spans, align
from spacy_chance_eval.compared import read_compared
from spacy_chance_eval.measures.differences import CORRECT, differences

TOKENS = 20


def seconds(function, repeats=1):
    """(seconds of the fastest run, what the function gives)."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        made = function()
        times.append(time.perf_counter() - start)
    return min(times), made


def sides_of(n_docs, seed=0):
    """Gold and predicted `Spans`: one in four is lost, moved, or called something else."""
    rng = np.random.default_rng(seed)
    gold = [[] for _ in range(n_docs)]
    pred = [[] for _ in range(n_docs)]
    luck = rng.random((n_docs, 2))
    starts, lengths = rng.integers(0, 7, (n_docs, 2)), rng.integers(1, 4, (n_docs, 2))
    labels, others = rng.integers(0, 4, (n_docs, 2)), rng.integers(0, 4, (n_docs, 2))
    for doc in range(n_docs):
        for half in range(2):
            start = TOKENS // 2 * half + int(starts[doc, half])
            end, label = start + int(lengths[doc, half]), corpora.LABELS[labels[doc, half]]
            gold[doc].append((start, end, label))
            if luck[doc, half] > 0.25:
                pred[doc].append((start, end, label))
            elif luck[doc, half] > 0.15:
                pred[doc].append((start, end, corpora.LABELS[others[doc, half]]))
            elif luck[doc, half] > 0.05:
                pred[doc].append((start, end + 1, label) if end < TOKENS else (start, end, label))
    sizes = [TOKENS] * n_docs
    return [Spans.from_tuples(side, sizes, corpora.LABELS) for side in (gold, pred)]


# --- the command


def files_of(folder, sides):
    """The sides as JSONL."""
    rng, words = np.random.default_rng(0), [f"word{i}" for i in range(30_000)]
    rows = list(map(corpora.tuples, sides))
    paths = [Path(folder) / f"{name}.jsonl" for name in ("gold", "pred")]
    with open(paths[0], "w") as one, open(paths[1], "w") as two:
        for doc, spans in enumerate(zip(*rows)):
            tokens = [words[i] for i in rng.integers(0, len(words), TOKENS)]
            for file, found in zip((one, two), spans):
                named = [dict(zip(("start", "end", "label"), span)) for span in found]
                row = {"id": f"document {doc}", "tokens": tokens, "spans": named}
                file.write(json.dumps(row) + "\n")
    return paths


def command(paths, *arguments):
    """Run the program in this process, and print its seconds and MB."""
    from spacy_chance_eval.cli import app

    wall, _ = seconds(partial(app, ["diff", *paths, *arguments], standalone_mode=False))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([wall, peak]))


def own_process(call):
    """What a call of this module prints last, made in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import differences; differences.{call}"],
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def commands(n_docs, sides):
    """Rows of the command and of reading its files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(path) for path in files_of(folder, sides)]
        for what, options in (
            ("diff -o diff.json", ["-o", f"{folder}/diff.json"]),
            ("diff --html pages", ["--html", f"{folder}/pages"]),
        ):
            wall, peak = own_process(f"command({paths!r}, '--top', '0', *{options!r})")
            yield what, n_docs, wall, None, peak
        yield "reading", n_docs, seconds(partial(read_compared, *paths))[0], None, None


# --- the pairing and its peers


def of_nervaluate(gold, pred):
    """nervaluate's counts of correct ones."""
    from nervaluate import Evaluator

    made = Evaluator(gold, pred, tags=list(corpora.LABELS), loader="list").evaluate()
    return made["overall"]["strict"].correct


def of_sets(gold, pred):
    """Equal spans, with those of one side only, by a loop over documents."""
    correct, left = 0, []
    for first, second in zip(map(set, gold), map(set, pred)):
        correct += len(first & second)
        left.append((sorted(first - second), sorted(second - first)))
    return correct


def pairings(n_docs, sides):
    """Rows of our pairing, of nervaluate and of a loop over sets."""
    repeats = 3 if n_docs <= 10_000 else 1
    own, found = seconds(lambda: differences(*align(*sides)), repeats)
    correct = int((found.relation == CORRECT).sum())
    yield "all pairs and errors", n_docs, own, None, None
    tuples, tags = ([form(side) for side in sides] for form in (corpora.tuples, corpora.tags))
    for what, function, data in (
        ("nervaluate", of_nervaluate, tags),
        ("equal spans by Python sets", of_sets, tuples),
    ):
        wall, theirs = seconds(partial(function, *data), repeats)
        if theirs != correct:
            raise SystemExit(f"{correct} correct pairs here and {theirs} there ({what})")
        yield what, n_docs, wall, wall / own, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'what':28} {'documents':>9} {'seconds':>9} {'ratio':>7} {'MB':>5}")
    table = []
    for n_docs in arguments.docs:
        sides = sides_of(n_docs)
        for rows in (commands(n_docs, sides), pairings(n_docs, sides)):
            for what, size, wall, ratio, peak in rows:
                times = "-" if ratio is None else f"{ratio:.1f}"
                memory = "-" if peak is None else f"{peak:.0f}"
                print(f"{what:28} {size:9} {wall:9.3f} {times:>7} {memory:>5}", flush=True)
                keys = ("function", "documents", "seconds", "ratio", "peak_mb")
                table.append(dict(zip(keys, (what, size, wall, ratio, peak))))
    if arguments.output:
        arguments.output.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
