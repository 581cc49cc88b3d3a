"""Seconds and peak memory of exact expectations for one long document, each in its own process.

    python benchmarks/long.py [--output long.json] [--longest TOKENS]

Span F and token F of one document, corrected, by `evaluate`: start distributions, coverage and
expected matches of two annotators who marked spans of different lengths. Lengths are 1 to 8, as
those of entities are; or hostile: falling off slowly, so that many lengths differ and reach into
the hundreds; or all that fit, each once, the most distinct ones that there can be. The error is the
bound of `quadrature_error` for a start probability of the gold annotator.
"""

import argparse
from pathlib import Path

import numpy as np

import measuring
from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.measures.chance.quadrature import quadrature_error

SIZES = ((5_000, 300), (20_000, 1_500), (100_000, 5_000), (1_000_000, 50_000))
COLUMNS = {
    "lengths": ("lengths", ""),
    "tokens": ("tokens", ",d"),
    "segments": ("segments", ",d"),
    "distinct": ("distinct", "d"),
    "seconds": ("seconds", ".2f"),
    "of processor": ("processor_seconds", ".2f"),
    "MB": ("peak_mb", ".0f"),
    "error <": ("error", ".0e"),
}
WIDTHS = (10, 9, 8, 8, 8, 12, 6, 8)


def realistic(n, segments, rng):
    """Lengths from 1 to 8."""
    return rng.integers(1, 9, segments)


def hostile(n, segments, rng):
    """Lengths with a heavy tail, up to hundreds; three quarters of the tokens at most."""
    lengths = np.minimum(np.ceil(rng.pareto(0.9, segments) + rng.random(segments) * 4), 600)
    return np.sort(lengths)[np.cumsum(np.sort(lengths)) <= 0.75 * n].astype(int)


def distinct(n, segments, rng):
    """1, 2, 3 ... without a few: three quarters of the tokens."""
    lengths = np.setdiff1d(np.arange(1, n), rng.integers(1, int(n**0.5), 5))
    return lengths[np.cumsum(lengths) <= 0.75 * n]


SHAPES = {"1 to 8": realistic, "hostile": hostile, "distinct": distinct}


def document(n, lengths, rng):
    """Spans of these lengths at random in n tokens."""
    lengths = rng.permutation(lengths)
    slots = np.sort(rng.choice(n - lengths.sum() + len(lengths), len(lengths), replace=False))
    start = slots - np.arange(len(lengths)) + np.cumsum(lengths) - lengths
    return [(s, s + length, "X") for s, length in zip(start.tolist(), lengths.tolist())]


def measured(shape, n, segments):
    """One row; to be called in a process of its own."""
    rng = np.random.default_rng(n)
    lengths = [SHAPES[shape](n, segments, rng) for _ in range(2)]
    gold, pred = (Spans.from_tuples([document(n, side, rng)], sizes=[n]) for side in lengths)
    clock = measuring.Clock()
    scores = evaluate(gold, pred, ["span_f", "token_f"])
    return {
        "lengths": shape,
        "tokens": n,
        "segments": len(lengths[0]),
        "distinct": len(np.unique(lengths[0])),
        **clock.times,
        "peak_mb": measuring.peak_mb(),
        "error": quadrature_error(n, lengths[0]),
        "expected": {name: score.expected for name, score in scores.items()},
    }


def rows(longest):
    """All rows, each as it is measured."""
    for n, segments in SIZES:
        for shape in SHAPES:
            if n <= longest and (shape == "1 to 8" or n <= 100_000):
                yield measuring.call("long", "measured", shape, n, segments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--longest", type=int, default=SIZES[-1][0], help="tokens at most")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    measuring.print_table(rows(arguments.longest), COLUMNS, WIDTHS, arguments.output)


if __name__ == "__main__":
    main()
