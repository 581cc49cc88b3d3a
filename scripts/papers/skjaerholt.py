"""Make Tables 1 and 2 and Figure 6 of Skjærholt (2014) again; Figures 3 to 5 on your treebank.

    python scripts/papers/skjaerholt.py [FOLDER] [--only table2] [--to text|md|csv|json|svg] [-o F]
    python scripts/papers/skjaerholt.py --perturb FILE [--sentences N] [--runs N] [--seed N] [-o F]

FOLDER is a checkout of https://github.com/arnsholt/syn-agreement; without it the files are
downloaded. They hold eight of the nine corpora, each under a licence of its own (see the README
there); the Prague Czech-English Dependency Treebank is not among them. Printed values stand beside
ours in CSV and JSON, and where they differ a value has a mark.

FILE has dependency trees in any format that the package reads. They are scored against themselves
with random labels, heads or both, with probability .1, .2 ... 1. --output names a file, or a folder
for one of each format.
"""

from __future__ import annotations

import io
import tarfile
from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.request import urlopen

import numpy as np
from printing import Cell, Result, Table, cell, made_again, parser, table, write

from spacy_chance_eval import (
    FormatError,
    Resampling,
    TreePanel,
    Trees,
    agree,
    evaluate,
    read_treebank,
)
from spacy_chance_eval.corpora import read_tree_panel

ARCHIVE = "https://github.com/arnsholt/syn-agreement/archive/refs/heads/master.tar.gz"
PAPER = 'Skjærholt (2014), "A chance-corrected measure of inter-annotator agreement for syntax"'
ALPHAS = tuple(f"syntax_alpha(delta={delta})" for delta in ("plain", "diff", "norm"))
COLUMNS = ("α plain", "α diff", "α norm", "LAS", "ignored")
OTHER_LAS = "Equation 3 has this value on these files, and so has the code beside them"


class Row(NamedTuple):
    """A corpus: its files, and what Tables 1 and 2 print; `las` of phrases is the Jaccard index."""

    sources: Sequence[str]
    sizes: str
    scores: str
    ignored: str | None = "0"


def _by_two(name: str, annotators: str) -> list[str]:
    """The files of two annotators."""
    return [name.format(annotator) for annotator in annotators.split()]


# by their names in the paper: sources, sizes, scores, ignored sentences
CORPORA = {
    "NDT 1": Row(_by_two("ndt/{}-danish.conll", "odin thor"), "130 1674", "98.4 93.0 98.8 94.0"),
    "NDT 2": Row(_by_two("ndt/{}-swedish.conll", "odin thor"), "110 1594", "98.9 95.0 99.1 94.4"),
    "NDT 3": Row(_by_two("ndt/{}-norwegian.conll", "odin thor"), "150 1997", "97.9 91.2 98.7 95.3"),
    "CDT (da)": Row(_by_two("cdt/da-{}.conll", "lotte morten"), "162 2394", "95.7 84.7 96.2 90.4"),
    "CDT (en)": Row(_by_two("cdt/en-{}.conll", "lotte morten"), "264 5528", "92.4 70.7 95.0 88.4"),
    "CDT (es)": Row(["cdt/es"], "55 924", "86.6 48.8 85.8 78.9", "2"),
    "CDT (it)": Row(["cdt/it"], "136 3057", "84.5 55.7 89.2 81.3", "15"),
    "SSD": Row(["ssd"], "96 1581", "99.1 98.6 99.3 87.9", None),
}


def tables_of_paper(data: Path, corpora: dict[str, Row] = CORPORA) -> Result:
    """Tables 1 and 2 and Figure 6.

    Parameters
    ----------
    data : Path
        The folder `data` of the repository.
    corpora : mapping of str to Row
        Those to make again.
    """
    panels = {name: _panel(data, row) for name, row in corpora.items()}
    scores = {name: _scores(panel) for name, panel in panels.items()}
    sizes = table(
        "Table 1",
        "Sizes of the corpora",
        ("annotators", "sentences", "tokens"),
        ((name, _sizes(panels[name], row)) for name, row in corpora.items()),
    )
    agreement = table(
        "Table 2",
        "Agreement, in percent; LAS of SSD is the Jaccard index",
        COLUMNS,
        ((name, _cells(panels[name], scores[name], row)) for name, row in corpora.items()),
    )
    trees = [name for name, panel in panels.items() if panel.kind == "dependency"]
    points = np.array(sorted(scores[name][::-1] for name in trees))
    correlations = np.corrcoef(points.T)[0, 1:] if len(points) > 1 else [np.nan] * 3
    alphas = COLUMNS[2::-1]
    lines = {
        name: (points[:, 0].tolist(), points[:, place].tolist())
        for place, name in enumerate(alphas, 1)
    }
    figure = table(
        "Figure 6",
        "Correlation (Pearson) of LAS with each alpha, of dependency trees",
        ["LAS"],
        ((name, [cell(float(one))]) for name, one in zip(alphas, correlations)),
        {"title": "LAS and each alpha", "x": "LAS", "y": "alpha", "lines": lines},
    )
    return made_again(PAPER, [sizes, agreement, figure])


def _panel(data: Path, row: Row) -> TreePanel:
    """The annotators of a corpus, their sentences by place and as they are, as in the paper."""
    sources = [data / source for source in row.sources]
    if len(sources) == 1:  # a folder with one of each annotator
        sources = sorted(sources[0].iterdir())
    format = "conllx" if not row.sources[0].startswith("ssd") else None
    how = {"cycles": "reachable", "match": "place", "text": "warn"}
    return read_tree_panel(sources, format=format, **how)[0]


def _scores(panel: TreePanel) -> list[float]:
    """The three alphas, and LAS or the Jaccard index, in percent."""
    metrics = [*ALPHAS, "las" if panel.kind == "dependency" else "jaccard"]
    found = agree(panel, metrics, intervals=Resampling(0), worst=0)
    rows = (found[metric]["team"] for metric in metrics)
    return [100 * row.get("corrected", row["observed"]) for row in rows]


def _sizes(panel: TreePanel, row: Row) -> Iterable[Cell]:
    """Annotators, sentences and tokens (of the first annotation of each sentence) of a corpus."""
    n_sentences, n_tokens = row.sizes.split()
    sizes = np.array(
        [one.n_nodes if one.kind == "dependency" else one.leaves for one in panel.annotations]
    )
    first = sizes[panel.seen.argmax(axis=0), np.arange(panel.n_items)]
    yield cell(str(len(panel)))
    yield cell(panel.n_items, n_sentences)
    yield cell(int(first.sum()), n_tokens)


def _cells(panel: TreePanel, scores: Sequence[float], row: Row) -> Iterable[Cell]:
    """The cells of a corpus in Table 2."""
    for value, printed in zip(scores, row.scores.split()):
        yield cell(value, printed, OTHER_LAS)
    ignored = int((panel.shared & ~panel.even).sum())
    yield cell(None) if row.ignored is None else cell(ignored, row.ignored)


def download(folder: Path) -> Path:
    """Download the data to a folder; the folder in it that holds them."""
    with urlopen(ARCHIVE, timeout=60) as answer:
        content = answer.read()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive.getmembers():
            parts = Path(member.name).parts[1:]
            if member.isfile() and parts[:1] == ("data",) and ".." not in parts:
                path = folder.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    return folder


# --- random errors: Figures 3 to 5

# what becomes random: the shares of p that are the probabilities of labels and of heads
NOISES = {
    "Figure 3": ("labels and heads", 1, 1),
    "Figure 4": ("labels alone", 1, 0),
    "Figure 5": ("heads alone", 0, 1),
}
PROBABILITIES = tuple(tenth / 10 for tenth in range(1, 11))
METRICS = {"α plain": ALPHAS[0], "α diff": ALPHAS[1], "α norm": ALPHAS[2]}
METRICS |= {"LAS": "las", "UAS": "uas"}


def perturbed(trees: Trees, p_label: float, p_head: float, rng: np.random.Generator) -> Trees:
    """The trees with random labels and heads.

    Tokens of each sentence are visited in the postorder of the original tree. With `p_label` a
    token gets a label, uniform over all labels of `trees`, its own included. With `p_head` it
    gets a head, uniform over the tokens that it does not dominate at that moment, its own head
    included; itself it dominates. So trees stay trees, and the artificial root is never a new head:
    a token that dominates all others keeps its head. Tokens that no root leads to keep theirs, and
    never become heads. How many numbers are drawn does not depend on the probabilities: with equal
    generators the label noise of one call is that of the other.
    """
    n = len(trees.parents)
    relabelled, moved = rng.random(n) < p_label, rng.random(n) < p_head
    label = np.where(relabelled, (rng.random(n) * len(trees.labels)).astype(int), trees.label)
    columns = [column.tolist() for column in (trees.parents, moved, rng.random(n))]
    parents = [
        parent
        for start, end in pairwise(trees.starts.tolist())
        for parent in _reattached(*(column[start:end] for column in columns))
    ]
    return replace(trees, parents=np.array(parents, np.int64), label=label)


def _reattached(parents: list[int], moved: list[bool], shares: list[float]) -> list[int]:
    """Parents of the tokens of a sentence, after those that are `moved` got random ones.

    `shares` in [0, 1) say which of the tokens that may be the new head it is, in their order.
    """
    children: list[list[int]] = [[] for _ in parents]
    for token, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(token)
    visited = _postorder([token for token, parent in enumerate(parents) if parent < 0], children)
    for token in visited:
        if not moved[token]:
            continue
        dominated = {*_postorder([token], children)}
        heads = [other for other in sorted(visited) if other not in dominated]
        if heads:
            head = heads[int(shares[token] * len(heads))]
            if parents[token] >= 0:
                children[parents[token]].remove(token)
            children[head].append(token)
            parents[token] = head
    return parents


def _postorder(roots: Iterable[int], children: Sequence[Sequence[int]]) -> list[int]:
    """A list of all tokens under some roots, each after its children; trees may be deep."""
    preorder: list[int] = []
    waiting = list(roots)
    while waiting:
        preorder.append(waiting.pop())
        waiting += children[preorder[-1]]
    return preorder[::-1]  # of the mirrored preorder


def perturbation(trees: Trees, sentences: int = 100, runs: int = 10, seed: int = 0) -> Result:
    """Scores of trees with random errors against the trees themselves: means of some runs.

    The kinds of errors are compared on the same random numbers, one series for each run and
    probability.

    Parameters
    ----------
    trees : Trees
        Dependency trees of one annotator.
    sentences : int
        How many sentences are drawn, without replacement; 0: all.
    runs, seed : int

    Raises
    ------
    ValueError
        For other trees, and numbers below 0.
    """
    if trees.kind != "dependency":
        raise ValueError(
            f"{trees.kind} trees; random labels and heads are of dependency trees only"
        )
    if sentences < 0 or runs < 1:
        raise ValueError(f"{sentences} sentences, {runs} runs; expected a run, and 0 for all trees")
    seen = np.flatnonzero(trees.seen)
    if 0 < sentences < len(seen):
        rng = np.random.default_rng(seed)
        trees = _subset(trees, np.sort(rng.choice(seen, sentences, replace=False)))
    values: dict[tuple[str, int], list[list[float | None]]] = {}
    places = range(len(PROBABILITIES))
    for name, index, run in product(NOISES, places, range(runs)):
        _, *shares = NOISES[name]
        noise = [PROBABILITIES[index] * share for share in shares]
        other = perturbed(trees, *noise, np.random.default_rng([seed, index, run]))
        scores = evaluate(trees, other, list(METRICS.values()))
        values.setdefault((name, index), []).append([score.headline for score in scores.values()])
    n_drawn, n_tokens = int(trees.seen.sum()), len(trees.parents)
    size = f"{n_drawn} of {len(seen)} sentences, {n_tokens} tokens"
    how = f"{size}, {runs} run{'s' * (runs > 1)}, seed {seed}"
    return made_again(
        PAPER,
        [
            _errors(name, f"random {what}, probability p", how, [values[name, p] for p in places])
            for name, (what, *_) in NOISES.items()
        ],
    )


def _subset(trees: Trees, items: np.ndarray) -> Trees:
    """The trees of some items, in ascending order, with the labels of all."""
    nodes = np.isin(trees.item, items)
    starts = np.cumsum([0, *trees.n_nodes[items]])
    columns = trees.parents[nodes], trees.label[nodes]
    return Trees(trees.kind, starts, *columns, trees.labels, cycles=trees.cycles)


def _errors(
    name: str, title: str, how: str, values: Sequence[Sequence[Sequence[float | None]]]
) -> Table:
    """The means of the runs, by probability and metric; the values of the runs beside them."""
    cells = [[_mean(list(own)) for own in zip(*found)] for found in values]
    lines = {
        metric: (list(PROBABILITIES), [row[place]["value"] for row in cells])
        for place, metric in enumerate(METRICS)
    }
    curves = {"title": title, "x": "probability p", "y": "score", "lines": lines}
    rows = zip(map(str, PROBABILITIES), cells)
    return table(name, f"{title}; {how}", list(METRICS), rows, curves)


def _mean(values: Sequence[float | None]) -> Cell:
    """The mean of the values that are defined, and all of them."""
    defined = [value for value in values if value is not None]
    return cell(sum(defined) / len(defined) if defined else None) | {"runs": values}


def main() -> None:
    """Print the tables."""
    options = parser(__doc__)
    options.add_argument("folder", nargs="?", type=Path, help="a checkout; else it is downloaded")
    options.add_argument("--perturb", metavar="FILE", help="make Figures 3 to 5 on this treebank")
    options.add_argument("--format", help="its format; by default that of its name")
    options.add_argument("--cycles", default="error", help="error, or reachable, as in the paper")
    options.add_argument("--sentences", type=int, default=100, help="to draw; 0: all")
    options.add_argument("--runs", type=int, default=10, help="with each probability")
    options.add_argument("--seed", type=int, default=0)
    asked = options.parse_args()
    try:
        if asked.perturb is None:
            with TemporaryDirectory() as empty:
                folder = asked.folder or download(Path(empty))
                write(tables_of_paper(folder / "data"), asked)
            return
        path = asked.perturb.strip('"')  # which weasel leaves around it on Windows
        trees = read_treebank(path, format=asked.format, cycles=asked.cycles).trees()
        result = perturbation(trees, asked.sentences, asked.runs, asked.seed)
        result["treebank"] = path
        if asked.output is None or asked.output.suffix:
            write(result, asked)
            return
        for ending in ("md", "csv", "json", "svg"):
            file = asked.output / f"perturbation.{ending}"
            write(result, Namespace(output=file, to=None, only=asked.only))
    except (FormatError, OSError, ValueError) as error:
        checkout = "" if asked.perturb else f"\nexpected a checkout of syn-agreement: {ARCHIVE}"
        raise SystemExit(f"{error}{checkout}") from None


if __name__ == "__main__":
    main()
