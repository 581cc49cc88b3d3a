"""Seconds and peak memory of `diff` by size, and the peers.

    pip install ".[bench]" && python benchmarks/differences.py [--docs 1000 100000] [--output FILE]

The command runs in a process of its own on two JSONL files with about 20 tokens and 2 spans in each
document, and writes all documents as JSON; its memory is the peak of that process, with Python,
numpy and the data. `reading` is the part that reading the files takes.

The pairing itself runs in this process: all rows with relation and error, beside nervaluate, which
counts as much (for five schemas) and lists the places of its errors, and beside a loop over Python
sets, which finds equal spans and no pairs of others. Counts of correct pairs are checked to be the
same. The ratio is that of the seconds to those of our pairing. Times of different machines do not
compare, ratios of one run do.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import inputs
from file_rows import write_jsonl
from measuring import command, fastest, print_table
from spacy_chance_eval import Spans, align
from spacy_chance_eval.corpora.pairs import read_compared
from spacy_chance_eval.measures.differences import CORRECT, differences

TOKENS = 20


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
            end, label = start + int(lengths[doc, half]), inputs.LABELS[labels[doc, half]]
            gold[doc].append((start, end, label))
            if luck[doc, half] > 0.25:
                pred[doc].append((start, end, label))
            elif luck[doc, half] > 0.15:
                pred[doc].append((start, end, inputs.LABELS[others[doc, half]]))
            elif luck[doc, half] > 0.05:
                pred[doc].append((start, end + 1, label) if end < TOKENS else (start, end, label))
    sizes = [TOKENS] * n_docs
    return [Spans.from_tuples(side, sizes, inputs.LABELS) for side in (gold, pred)]


# --- the command


def commands(n_docs, sides):
    """Rows of the command and of reading its files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.jsonl" for name in ("gold", "pred")]
        for path, spans in zip(paths, sides):
            write_jsonl(path, spans)
        for what, *options in (
            ("diff -o diff.json", "-o", f"{folder}/diff.json"),
            ("diff --html pages", "--html", f"{folder}/pages"),
        ):
            yield row(what, n_docs) | command("diff", *paths, "--top", 0, *options)
        yield row("reading", n_docs, fastest(partial(read_compared, *paths))[0])


def row(what, n_docs, seconds=None, ratio=None):
    """A row of the table."""
    return {"function": what, "documents": n_docs, "seconds": seconds, "ratio": ratio}


# --- the pairing and its peers


def of_nervaluate(gold, pred):
    """nervaluate's counts of correct ones."""
    from nervaluate import Evaluator

    made = Evaluator(gold, pred, tags=list(inputs.LABELS), loader="list").evaluate()
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
    own, found = fastest(lambda: differences(*align(*sides)), repeats)
    correct = int((found.relation == CORRECT).sum())
    yield row("all pairs and errors", n_docs, own)
    tuples, tags = ([form(side) for side in sides] for form in (inputs.tuples, inputs.tags))
    for what, function, data in (
        ("nervaluate", of_nervaluate, tags),
        ("equal spans by Python sets", of_sets, tuples),
    ):
        wall, theirs = fastest(partial(function, *data), repeats)
        if theirs != correct:
            raise SystemExit(f"{correct} correct pairs here and {theirs} there ({what})")
        yield row(what, n_docs, wall, wall / own)


def rows(sizes):
    """All rows of the table."""
    for n_docs in sizes:
        sides = sides_of(n_docs)
        yield from commands(n_docs, sides)
        yield from pairings(n_docs, sides)


COLUMNS = {
    "what": ("function", ""),
    "documents": ("documents", ","),
    "seconds": ("seconds", ".3f"),
    "ratio": ("ratio", ".1f"),
    "MB": ("peak_mb", ".0f"),
}
WIDTHS = (28, 9, 9, 7, 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print_table(rows(arguments.docs), COLUMNS, WIDTHS, arguments.output)


if __name__ == "__main__":
    main()
