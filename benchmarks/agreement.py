"""Seconds and peak memory of agreement: a large panel, one long document, gamma by its size.

    pip install ".[bench]" && python benchmarks/agreement.py [--docs 1000 10000] [--output FILE]

A panel are ten annotators with about 20 spans in each document: `agree` scores all 45 pairs, each
annotator against the majority of the others, labels, documents and the team, with corrected span
and token F, u-alpha and alpha_U, in a process of its own. Its memory is the peak of that process,
with Python, numpy and the data. The other rows run in one process; their memory is not measured.

Then the unitizing alphas by units, also where all are in one document; alpha_U as it is defined, by
a loop over all pairs of stretches; and gamma as pygamma-agreement works it out, of one document by
its annotators and spans. By documents, and beside krippendorff and nltk, agreement is in run.py.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import inputs
from agreement_rows import our_alpha_u, our_u_alpha
from measuring import Clock, call, fastest, forget_peak, peak_mb, print_table
from spacy_chance_eval import Resampling, agree
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.gamma import disorders

ANNOTATORS, SPANS = 10, 20
UNITS = [62_500, 125_000, 250_000, 500_000, 1_000_000]
# annotators, spans of each: from usual documents to the largest that gamma gets through in a minute
GAMMA = [(2, 5), (2, 20), (2, 100), (2, 400), (3, 5), (3, 20), (3, 60), (5, 5), (5, 10), (8, 2)]
FEW = (100, 200, 400, 800)  # units of which all pairs are compared


def row(what, units, function, repeats=1):
    """A row of the table, measured in this process."""
    return {"function": what, "units": units, "seconds": fastest(function, repeats)[0]}


# --- a large panel


def scored_panel(n_docs, resamples):
    """Figures of `agree` on ten annotators; for a process of its own."""
    sides = inputs.panel(ANNOTATORS, n_docs, SPANS)
    forget_peak()
    clock = Clock()
    agree(sides, intervals=Resampling(resamples))
    return {**clock.times, "peak_mb": peak_mb()}


def panels(sizes):
    """Rows of panels."""
    for n_docs in sizes:
        for resamples in (0, 1000):
            what = f"agree, {ANNOTATORS} annotators, {resamples:,} resamples"
            facts = {"function": what, "units": n_docs * SPANS * ANNOTATORS}
            yield facts | call("agreement", "scored_panel", n_docs, resamples)


# --- unitizing alphas by size


def alphas(units):
    """alpha_U and u-alpha of two annotators by units: in documents of 40 units, and in one."""
    for where, in_one in (("documents", False), ("one document", True)):
        for n_units in units:
            shape = (1, n_units // 2) if in_one else (n_units // (2 * SPANS), SPANS)
            sides = align_panel(inputs.panel(2, *shape))
            for name, function in (("alpha_U", our_alpha_u), ("u-alpha", our_u_alpha)):
                yield row(f"{name}, {where}", n_units, partial(function, sides), 3)


def all_pairs(sizes=FEW):
    """alpha_U by a loop over all pairs of stretches, beside ours, on one document."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from helpers import alpha_oracles

    for n_units in sizes:
        sides = align_panel(inputs.panel(2, 1, n_units // 2))
        team = [([(0, int(sides[0].sizes[0]))], [inputs.tuples(side)[0] for side in sides])]
        loop = partial(alpha_oracles.alpha_u, team, inputs.LABELS)
        both = our_alpha_u(sides), float(loop()[2])
        if not np.isclose(*both):
            raise SystemExit(f"alpha_U is {both[0]} here and {both[1]} by all pairs")
        yield row("alpha_U, one document", n_units, partial(our_alpha_u, sides), 3)
        yield row("the same by all pairs", n_units, loop)


def gamma_rows(sizes):
    """gamma of one document, beside u-alpha and alpha_U of the same."""
    import pygamma_agreement  # noqa: F401  not what is measured

    for n_annotators, n_spans in sizes:
        sides = align_panel(inputs.panel(n_annotators, 1, n_spans))
        size, units = f"{n_annotators} x {n_spans} spans", n_annotators * n_spans
        both = partial(lambda team: (our_alpha_u(team), our_u_alpha(team)), sides)
        yield row(f"alpha_U and u-alpha, {size}", units, both, 3)
        yield row(f"gamma, {size}", units, partial(disorders, sides))


COLUMNS = {
    "what": ("function", ""),
    "units": ("units", ","),
    "seconds": ("seconds", ".4f"),
    "processor": ("processor_seconds", ".4f"),
    "MB": ("peak_mb", ".0f"),
}
WIDTHS = (44, 10, 10, 10, 6)


def rows_of(arguments):
    """All rows of the table."""
    yield from panels(arguments.docs)
    yield from alphas(arguments.units)
    yield from all_pairs()
    yield from gamma_rows(GAMMA[: arguments.gamma])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=int, nargs="*", default=[1000, 10_000], help="of panels")
    parser.add_argument("--units", type=int, nargs="*", default=UNITS, help="of the alphas")
    parser.add_argument("--gamma", type=int, default=len(GAMMA), help="how many sizes of gamma")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print_table(rows_of(arguments), COLUMNS, WIDTHS, arguments.output)


if __name__ == "__main__":
    main()
