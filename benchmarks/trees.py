"""Tree edit distances a second, beside the packages one would use otherwise; seconds and memory.

    pip install ".[bench]" && python benchmarks/trees.py [--trees 8800] [--output FILE]

Two sets of trees: random recursive ones, and such as a treebank has, where many subtrees are the
same. Peers get as many random pairs of these trees as they can do in some seconds, their trees made
beforehand, and their distances must equal ours. Then all pairs of a set by both back ends on all
cores, the time for reading the trees into forests included; gold with a prediction, as the scorer
of parsers has it; and the command `agree` on two annotators in a process of its own, whose memory
is its peak, with Python, numpy and the data.

"a second" is by the clock, "per core" by the time of the processor, which other programs on the
machine disturb less: at the end it is what is compared, times the cores that a row has. Times of
different machines do not compare, ratios of one run do.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import treebanks
from measuring import Clock, command, print_table
from spacy_chance_eval import evaluate_trees
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import (
    THREADS,
    distance_blocks,
    pair_distances,
)
from spacy_chance_eval.measures.trees.trees import NO_PARENT
from spacy_chance_eval.tasks.perturb import perturbed

SETS = {"recursive": treebanks.recursive_trees, "treebank": treebanks.treebank}
BACKENDS = ("numpy", "numba")

# --- trees in the formats of the peers


def nested(trees, item):
    """(label, children) of the artificial root of a sentence."""
    start, stop = trees.starts[item : item + 2]
    nodes = [(int(label), []) for label in trees.label[start:stop]]
    root = len(trees.labels), []
    for node, parent in zip(nodes, trees.parents[start:stop]):
        (root if parent == NO_PARENT else nodes[parent])[1].append(node)
    return root


def of_zss(tree):
    import zss

    return zss.Node(tree[0], [of_zss(child) for child in tree[1]])


def of_apted(tree):
    from apted.helpers import Tree

    return Tree(tree[0], *map(of_apted, tree[1]))


def of_edist(tree):
    """(nodes, children of each) in preorder."""
    nodes, children, waiting = [], [], [(tree, None)]
    while waiting:
        (label, below), parent = waiting.pop()
        if parent is not None:
            children[parent].append(len(nodes))
        waiting += [(child, len(nodes)) for child in reversed(below)]
        nodes.append(label)
        children.append([])
    return nodes, children


def peer_zss():
    import zss

    return of_zss, zss.simple_distance


def peer_apted():
    from apted import APTED

    return of_apted, lambda one, two: APTED(one, two).compute_edit_distance()


def peer_edist():
    import edist.ted

    return of_edist, edist.ted.standard_ted


# name: a function that imports it and gives what turns a nested tree into theirs, and distance
PEERS = {"zss": peer_zss, "apted": peer_apted, "edist": peer_edist}


# --- pairs a second


def peer_rows(trees, budget):
    """A row for each peer: random pairs for some seconds."""
    found, (numbers,) = distinct_trees([trees])
    pairs = np.random.default_rng(0).integers(trees.n_items, size=(1_000_000, 2))
    for name, peer in PEERS.items():
        turned, distance = peer()
        some = list(range(min(trees.n_items, 2000)))
        theirs = [turned(nested(trees, item)) for item in some]
        mine, got, clock = pairs % len(some), [], Clock()
        for one, two in mine:
            got.append(distance(theirs[one], theirs[two]))
            if clock.seconds > budget:
                break
        times = clock.times
        ours = pair_distances(found, numbers[mine[: len(got)]])
        if (ours != got).any():
            raise SystemExit(f"{name} and ours differ")
        yield {"function": name, "pairs": len(got), **times}


def our_rows(trees, budget):
    """Rows of both back ends, on one core and on all: blocks of all pairs for some seconds."""
    found, _ = distinct_trees([trees])
    for backend in BACKENDS:
        warm(backend)
        for threads in dict.fromkeys((1, THREADS)):
            clock, pairs = Clock(), 0
            blocks = distance_blocks(found, backend=backend, threads=threads)
            for rows, columns, _ in blocks:
                pairs += n_pairs(rows, columns)
                if clock.seconds > budget:
                    break
            blocks.close()
            cores = "1 core" if threads == 1 else f"{threads} cores"
            row = {"function": f"{backend}, {cores}", "threads": threads, "pairs": pairs}
            yield row | clock.times


def warm(backend):
    """Have it compiled."""
    found, _ = distinct_trees([treebanks.recursive_trees(10)])
    list(distance_blocks(found, backend=backend))


def n_pairs(rows, columns):
    """The number of different pairs of trees in a block."""
    height = rows.stop - rows.start
    within = height * (height - 1) // 2 if columns.stop > rows.start else 0
    return height * (min(columns.stop, rows.start) - columns.start) + within


def all_pairs(trees):
    """Rows of all pairs of a set, with what comes before; pairs are those of the trees."""
    pairs, sums = trees.n_items * (trees.n_items - 1) // 2, set()
    for backend in reversed(BACKENDS):
        clock = Clock()
        found, _ = distinct_trees([trees])
        yield {"function": "reading trees into forests", **clock.times}
        blocks = distance_blocks(found, backend=backend)
        sums.add(sum(int(block.sum()) for _, _, block in blocks))
        yield {"function": f"all pairs, {backend}", "pairs": pairs, **clock.times}
    if len(sums) > 1:
        raise SystemExit("the back ends differ")


# --- alpha


def noisy(trees, seed=0):
    """The trees as another annotator might have them: some labels and heads differ."""
    return perturbed(trees, 0.05, 0.05, np.random.default_rng(seed))


def score_rows(trees):
    """Rows of alpha of gold with a prediction, without resamples."""
    pred = noisy(trees)
    for backend in BACKENDS:
        clock = Clock()
        evaluate_trees(trees, pred, ["syntax_alpha"], backend=backend)
        yield {"function": f"syntax_alpha, gold and prediction, {backend}", **clock.times}
    clock = Clock()
    evaluate_trees(trees, pred, ["pq_alpha"])
    yield {"function": "pq_alpha, gold and prediction", **clock.times}


def conllu(trees):
    """The text of trees as CoNLL-U."""
    for item, (start, stop) in enumerate(zip(trees.starts, trees.starts[1:])):
        yield f"# sent_id = {item + 1}\n"
        for node in range(start, stop):
            place, head = node - start + 1, trees.parents[node] + 1
            relation = trees.labels[trees.label[node]]
            yield f"{place}\tword\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n"
        yield "\n"


def agree_rows(trees):
    """Rows of the command `agree`, 1,000 resamples, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, side in (("ann", trees), ("bob", noisy(trees))):
            Path(folder, f"{name}.conllu").write_text("".join(conllu(side)), encoding="utf8")
        paths = [str(path) for path in sorted(Path(folder).iterdir())]
        for backend in BACKENDS:
            options = ["--backend", backend, "-o", str(Path(folder, "found.json"))]
            row = {"function": f"agree, 2 annotators, {backend}"}
            yield row | command("agree", *paths, *options)


# --- the table


def all_rows(arguments):
    """All rows, without what follows from them."""
    made = {name: make(arguments.trees) for name, make in SETS.items()}
    few = partial(treebanks.treebank, seed=1)
    jobs = [
        *((name, job) for job in (peer_rows, our_rows) for name in made),
        *((name, all_pairs) for name in made),
    ]
    for name, job in jobs:
        more = (arguments.seconds,) if job is not all_pairs else ()
        for row in job(made[name], *more):
            yield {"trees": name, "n_trees": arguments.trees} | row
    for job, sizes in ((score_rows, arguments.score), (agree_rows, arguments.agree)):
        for size in sizes:
            for row in job(few(size)):
                yield {"trees": "treebank", "n_trees": 2 * size} | row


def rows_of(arguments):
    """All rows."""
    for row in all_rows(arguments):
        rates = {"a_second": "seconds", "per_core": "processor_seconds"} if "pairs" in row else {}
        yield row | {rate: row["pairs"] / row[used] for rate, used in rates.items()}


def ratios(table):
    """What the rows of one run make of each other, in words."""
    for name in SETS:
        rows = {row["function"]: row for row in table if row["trees"] == name}
        base = rows["edist"]["per_core"]
        for what, row in rows.items():
            if "per_core" in row and what != "edist" and not what.startswith("all pairs"):
                rate = row["per_core"] * row.get("threads", 1)
                yield f"{name}: {what} is {rate / base:.3g} times edist on one core"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trees", type=int, default=8800, help="of a set")
    parser.add_argument("--seconds", type=float, default=5, help="for pairs a second, each row")
    parser.add_argument("--score", type=int, nargs="*", default=[2000], help="gold sentences")
    parser.add_argument("--agree", type=int, nargs="*", default=[5000], help="sentences, of two")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    table = print_table(rows_of(arguments), COLUMNS, WIDTHS, arguments.output)
    print("", *ratios(table), sep="\n")


COLUMNS = {
    "what": ("function", ""),
    "trees": ("trees", ""),
    "number": ("n_trees", ","),
    "seconds": ("seconds", ".2f"),
    "processor": ("processor_seconds", ".2f"),
    "a second": ("a_second", ",.0f"),
    "per core": ("per_core", ",.0f"),
    "MB": ("peak_mb", ".0f"),
}
WIDTHS = (44, 10, 7, 9, 10, 11, 11, 6)

if __name__ == "__main__":
    main()
