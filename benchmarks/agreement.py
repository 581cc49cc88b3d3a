"""Seconds and peak memory of agreement: a large panel, unitizing alphas by size, and the peers.

    pip install ".[bench]" && python benchmarks/agreement.py [--docs 1000 10000] [--output FILE]

A panel are ten annotators with about 20 spans in each document: `agree` scores all 45 pairs, each
annotator against the majority of the others, labels, documents and the team, with corrected span
and token F, u-alpha and alpha_U, in a process of its own. Its memory is the peak of that process,
with Python, numpy and the data. The other rows run in one process; their memory is not measured.

Peers run on equal input: gamma as pygamma-agreement works it out, one document at a time; nominal
alpha of tokens by `krippendorff` and by nltk; alpha_U as it is defined, by a loop over all pairs of
stretches. Times of different machines do not compare, ratios of one run do.
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

import boards
from spacy_chance_eval import Resampling, Spans, agree
from spacy_chance_eval.gamma import disorders
from spacy_chance_eval.measures import alpha, nominal, ratings, u_alpha
from spacy_chance_eval.measures.alignment import align_panel

ANNOTATORS, SPANS = 10, 20
UNITS = [62_500, 125_000, 250_000, 500_000, 1_000_000]
# annotators, spans of each: from usual documents to the largest that gamma gets through in a minute
GAMMA = [(2, 5), (2, 20), (2, 100), (2, 400), (3, 5), (3, 20), (3, 60), (5, 5), (5, 10), (8, 2)]
TOKENS = [10_000, 100_000, 1_000_000]


def seconds(function, repeats=1):
    """Seconds of the fastest run."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


# --- a large panel


def scored_panel(path, resamples):
    """`agree` on the annotators in a file; run in a process of its own, which it measures."""
    with np.load(path) as file:
        names = dict.fromkeys(key.split("/")[0] for key in file if "/" in key)
        sides = {
            name: Spans(
                *(file[f"{name}/{c}"] for c in boards.COLUMNS), file["sizes"], corpora.LABELS
            )
            for name in names
        }
    wall, used = time.perf_counter(), time.process_time()
    agree(sides, intervals=Resampling(resamples))
    wall, used = time.perf_counter() - wall, time.process_time() - used
    print(json.dumps([wall, used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def panels(sizes):
    """Rows of panels: seconds, seconds of the processor, MB."""
    for n_docs in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "panel.npz"
            first, *others = corpora.panel(ANNOTATORS, n_docs, SPANS)
            boards.save(path, first, {f"annotator {i}": side for i, side in enumerate(others)})
            for resamples in (0, 1000):
                code = f"import agreement; agreement.scored_panel({str(path)!r}, {resamples})"
                done = subprocess.run(
                    [sys.executable, "-c", code],
                    cwd=Path(__file__).parent,
                    check=True,
                    capture_output=True,
                    text=True,
                )
                what = f"agree, {ANNOTATORS} annotators, {resamples:,} resamples"
                yield what, n_docs * SPANS * ANNOTATORS, *json.loads(done.stdout)


# --- unitizing alphas by size


def our_alpha_u(sides):
    return float(alpha.alpha_u(alpha.unit_distances(sides).total().pooled())[0])


def our_u_alpha(sides):
    return float(u_alpha.u_alpha(u_alpha.unit_lengths(sides).total().pooled())[0])


def alphas(units):
    """alpha_U and u-alpha of two annotators by units: in documents of 40 units, and in one."""
    for where, in_one in (("documents", False), ("one document", True)):
        for n_units in units:
            shape = (1, n_units // 2) if in_one else (n_units // (2 * SPANS), SPANS)
            sides = align_panel(corpora.panel(2, *shape))
            for name, function in (("alpha_U", our_alpha_u), ("u-alpha", our_u_alpha)):
                yield f"{name}, {where}", n_units, seconds(partial(function, sides), 3)


# --- peers


def gamma_rows(sizes):
    """gamma of one document, beside u-alpha and alpha_U of the same."""
    import pygamma_agreement  # noqa: F401  not what is measured

    for n_annotators, n_spans in sizes:
        sides = align_panel(corpora.panel(n_annotators, 1, n_spans))
        size = f"{n_annotators} x {n_spans} spans"

        both = partial(lambda team: (our_alpha_u(team), our_u_alpha(team)), sides)
        yield f"alpha_U and u-alpha, {size}", n_annotators * n_spans, seconds(both, 3)
        yield f"gamma, {size}", n_annotators * n_spans, seconds(partial(disorders, sides))


def ratings_of(sides):
    """Annotators by tokens: the number of the label, from 1, or 0."""
    rows = np.zeros((len(sides), sides[0].offsets[-1]), int)
    for row, spans in zip(rows, sides):
        for start, end, label in zip(
            spans.offsets[spans.doc] + spans.start,
            spans.offsets[spans.doc] + spans.end,
            spans.label,
        ):
            row[start:end] = label + 1
    return rows


def our_nominal_alpha(sides):
    counts = ratings.coincidences(sides).total().pooled()
    return float(nominal.krippendorff_alpha(counts)[0])


def nominal_alpha_of_nltk(rows):
    from nltk.metrics.agreement import AnnotationTask

    rows = enumerate(rows.tolist())
    return AnnotationTask((i, j, value) for i, row in rows for j, value in enumerate(row)).alpha()


def token_alphas(sizes):
    """Nominal alpha of the tokens of three annotators; nltk on the smallest size only."""
    import krippendorff

    package = partial(krippendorff.alpha, level_of_measurement="nominal")
    for n_tokens in sizes:
        sides = align_panel(corpora.panel(3, max(n_tokens // 380, 1), SPANS))
        rows = ratings_of(sides)
        check_equal("nominal alpha", our_nominal_alpha(sides), package(rows))
        n = rows.shape[1]
        yield "nominal alpha, 3 annotators", n, seconds(partial(our_nominal_alpha, sides), 3)
        yield "the same by krippendorff", n, seconds(partial(package, rows), 3)
        if n_tokens == min(sizes):
            yield "the same by nltk", n, seconds(partial(nominal_alpha_of_nltk, rows))


def all_pairs(sizes=(100, 200, 400, 800)):
    """alpha_U by a loop over all pairs of stretches, beside ours, on one document."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    import alpha_oracles

    for n_units in sizes:
        sides = align_panel(corpora.panel(2, 1, n_units // 2))
        team = [([(0, int(sides[0].sizes[0]))], [corpora.tuples(side)[0] for side in sides])]
        loop = partial(alpha_oracles.alpha_u, team, corpora.LABELS)
        check_equal("alpha_U", our_alpha_u(sides), float(loop()[2]))
        yield "alpha_U, one document", n_units, seconds(partial(our_alpha_u, sides), 3)
        yield "the same by all pairs", n_units, seconds(loop)


def check_equal(what, ours, theirs):
    """Stop if a peer measures something else."""
    if not np.isclose(ours, theirs):
        raise SystemExit(f"{what} is {ours} here and {theirs} there")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="*", default=[1000, 10_000], help="of panels")
    parser.add_argument("--units", type=int, nargs="*", default=UNITS, help="of the alphas")
    parser.add_argument("--tokens", type=int, nargs="*", default=TOKENS, help="of nominal alpha")
    parser.add_argument("--gamma", type=int, default=len(GAMMA), help="how many sizes of gamma")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'what':44} {'units':>9} {'seconds':>10} {'processor':>10} {'MB':>6}")
    table = []
    for rows in (
        panels(arguments.docs),
        alphas(arguments.units),
        all_pairs(),
        token_alphas(arguments.tokens),
        gamma_rows(GAMMA[: arguments.gamma]),
    ):
        for what, n_units, *numbers in rows:
            numbers += [float("nan")] * (3 - len(numbers))
            shown = ["-" if np.isnan(number) else f"{number:.4f}" for number in numbers[:2]]
            memory = "-" if np.isnan(numbers[2]) else f"{numbers[2]:.0f}"
            print(f"{what:44} {n_units:9} {shown[0]:>10} {shown[1]:>10} {memory:>6}", flush=True)
            keys = ("seconds", "processor_seconds", "peak_mb")
            values = (None if np.isnan(number) else number for number in numbers)
            table.append({"function": what, "units": n_units, **dict(zip(keys, values))})
    if arguments.output:
        arguments.output.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
