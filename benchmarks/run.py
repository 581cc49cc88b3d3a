"""Seconds and peak memory of scoring, beside the libraries and loops one would use otherwise.

    pip install ".[bench]" && python benchmarks/run.py [--docs 1000 10000] [--output results.json]

Each row is one function on one corpus, run cold; memory is what Python and numpy allocated at most
in a second run. Times of different machines do not compare, ratios of one run do.
"""

import argparse
import json
import platform
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from nervaluate import Evaluator
from seqeval.metrics import f1_score

from spacy_chance_eval import evaluate, request
from spacy_chance_eval.measures import chance, matching, slicm
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.draws import drawn

sys.path.insert(0, str(Path(__file__).parent))
import corpora

CONLL = 3453
OURS = ("span_f", "token_f", "slicm_norm")


def measured(function, memory=True):
    """Seconds of a first run, MB of a second."""
    start = time.perf_counter()
    function()
    seconds = time.perf_counter() - start
    peak = float("nan")
    if memory:
        tracemalloc.start()
        function()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    return seconds, peak


def python_sets(gold, pred):
    """Span F the way one would write it in ten lines: no expectation, no labels."""
    one, two = (
        {(i, *span) for i, rows in enumerate(side) for span in rows} for side in (gold, pred)
    )
    return 2 * len(one & two) / (len(one) + len(two))


def functions(gold, pred):
    """Ours, for one size: names and functions."""
    observed = matching.span_hits(gold, pred), matching.token_hits(gold, pred)
    model = {"placement": "disjoint", "unit": "doc"}
    rng = np.random.default_rng(0)

    def counts():
        return matching.span_hits(gold, pred), matching.token_hits(gold, pred)

    def expectations():
        matching.expected_span_hits(gold, pred, observed[0], **model)
        matching.expected_token_hits(gold, pred, observed[1], **model)

    def other_counts():
        return [
            f(gold, pred) for f in (matching.bcubed_hits, matching.link_hits, matching.int_hits)
        ]

    yield "evaluate: span F, token F, SL-ICM, corrected", lambda: evaluate(gold, pred, OURS)
    yield "observed span and token F", counts
    yield "expected span and token F", expectations
    yield "SL-ICM", lambda: slicm.slicm_information(gold, pred)
    yield "BCubed, link F, Int-F", other_counts
    yield (
        "one random annotation, span F",
        lambda: drawn(matching.span_hits, gold, pred, **model, draws=1, rng=rng),
    )


def peers(gold, pred):
    """What one would use otherwise, for one size: names and functions."""
    rows = [corpora.tuples(side) for side in (gold, pred)]
    labels = [corpora.tags(side) for side in (gold, pred)]
    yield "Python sets: span F", lambda: python_sets(*rows)
    yield "seqeval: span F", lambda: f1_score(*labels)
    yield (
        "nervaluate: all schemas",
        lambda: Evaluator(*labels, tags=list(corpora.LABELS), loader="list").evaluate(),
    )


def by_size(sizes):
    """All functions at all sizes."""
    for n_docs in sizes:
        gold, pred = align(*corpora.conll_shaped(n_docs))
        for name, function in (*functions(gold, pred), *peers(gold, pred)):
            yield {"function": name, "docs": n_docs, "spans": len(gold)}, measured(function)


def against_spacy(repeats=5):
    """Everything from Examples beside `get_ner_prf` on equal Examples, cold and warm; medians."""
    from spacy.scorer import get_ner_prf

    from spacy_chance_eval.integrations.scorers import chance_scores, checked

    settings = checked("doc", "disjoint", "IO", "constant")
    ours = lambda made: chance_scores(made, "ents", "ents", settings)  # noqa: E731
    gold, pred = corpora.conll_shaped(CONLL)
    times = {}
    for _ in range(repeats):
        for what, function in (("chance_eval", ours), ("get_ner_prf", get_ner_prf)):
            made = corpora.examples(gold, pred)
            for state in ("first call", "second call"):
                seconds, _ = measured(lambda f=function, m=made: f(m), memory=False)
                times.setdefault((what, state), []).append(seconds)
    for (what, state), seconds in times.items():
        row = {"function": f"from Examples, {what}, {state}", "docs": CONLL, "spans": len(gold)}
        yield row, (float(np.median(seconds)), float("nan"))
    for state in ("first call", "second call"):
        ratio = np.median(times["chance_eval", state]) / np.median(times["get_ner_prf", state])
        print(f"ratio chance_eval / get_ner_prf, {state}: {ratio:.2f}", file=sys.stderr)


def long_document(n=5000, segments=300):
    """Exact expectations for one long document: every start, every token, every match."""
    rng = np.random.default_rng(0)
    sides = [rng.integers(1, 12, segments).tolist() for _ in range(2)]
    row = {"function": f"expected matches, {n} tokens", "docs": 1, "spans": segments}
    yield (
        row,
        measured(
            lambda: (
                chance.expected_token_overlap(n, *sides),
                [chance.start_probabilities(n, side) for side in sides],
            )
        ),
    )


def brute_force():
    """The expectation by enumerating placements, beside ours, at the largest size it can take."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    import oracles

    n, sides = 12, ([3, 2, 1], [2, 2, 1])
    placements = [list(oracles.placements_disjoint(n, side)) for side in sides]
    row = {"function": "expected tokens, 12 tokens", "docs": 1, "spans": 3}
    yield row, measured(lambda: chance.expected_token_overlap(n, *sides))
    row = {"function": "the same by enumeration", "docs": 1, "spans": 3}
    yield row, measured(lambda: oracles.expected(oracles.shared_tokens, *placements), memory=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="+", default=[1000, CONLL, 10_000, 100_000])
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    print(f"metrics: {', '.join(str(request(name)) for name in OURS)}\n")
    print(f"{'function':48} {'docs':>8} {'spans':>8} {'seconds':>9} {'MB':>8}")
    table = []
    for rows in (against_spacy(), long_document(), brute_force(), by_size(arguments.docs)):
        for row, (seconds, memory) in rows:
            size = "-" if np.isnan(memory) else f"{memory:.1f}"
            print(
                f"{row['function']:48} {row['docs']:8} {row['spans']:8} {seconds:9.4f} {size:>8}",
                flush=True,
            )
            memory = None if np.isnan(memory) else memory
            table.append({**row, "seconds": seconds, "peak_mb": memory})
    if arguments.output:
        arguments.output.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
