"""Make Tables 1 and 2 and Figure 6 of Skjærholt (2014) again, from the corpora that are public.

    python scripts/papers/skjaerholt.py [FOLDER] [--to text|md|csv|json|svg]

FOLDER is a checkout of https://github.com/arnsholt/syn-agreement; without it the files are
downloaded. They hold eight of the nine corpora, each under a licence of its own (see the README
there); the Prague Czech-English Dependency Treebank is not among them. Printed values stand beside
ours in CSV and JSON, and where they differ a value has a mark.
"""

from __future__ import annotations

import argparse
import io
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import requests

from spacy_chance_eval import FormatError, Resampling, __version__, agree_trees
from spacy_chance_eval.cli.options import json_text
from spacy_chance_eval.corpora.treebanks import read_tree_panel
from spacy_chance_eval.measures.trees.trees import TreePanel
from spacy_chance_eval.reports.figures import svg_file
from spacy_chance_eval.reports.simulations import (
    simulation_csv,
    simulation_figure,
    simulation_markdown,
    simulation_text,
)
from spacy_chance_eval.tasks.simulate import cell, table

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


def made_again(data: Path, corpora: dict[str, Row] = CORPORA) -> dict[str, Any]:
    """Tables 1 and 2 and Figure 6, as the command `simulate` has those of other papers.

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
        ((name, list(_sizes(panels[name], row))) for name, row in corpora.items()),
    )
    agreement = table(
        "Table 2",
        "Agreement, in percent; LAS of SSD is the Jaccard index",
        COLUMNS,
        ((name, list(_cells(panels[name], scores[name], row))) for name, row in corpora.items()),
    )
    trees = [name for name, panel in panels.items() if panel.kind == "dependency"]
    points = np.array(sorted(scores[name][::-1] for name in trees))
    correlations = np.corrcoef(points.T)[0, 1:] if len(points) > 1 else [np.nan] * 3
    figure = table(
        "Figure 6",
        "Correlation (Pearson) of LAS with each alpha, of dependency trees",
        ["LAS"],
        ((name, [cell(float(one))]) for name, one in zip(COLUMNS[2::-1], correlations)),
    )
    curves = [
        {"name": name, "x": points[:, 0].tolist(), "y": points[:, place].tolist()}
        for place, name in enumerate(COLUMNS[2::-1], 1)
    ]
    about = {key: figure[key] for key in ("key", "name", "title")}
    drawn = {**about, "x": "LAS", "y": "alpha", "curves": curves}
    tables = [sizes, agreement, figure]
    return {"paper": PAPER, "tables": tables, "figures": [drawn], "version": __version__}


def _panel(data: Path, row: Row) -> TreePanel:
    """The annotators of a corpus, their sentences by place and as they are, as in the paper."""
    sources = [str(data / source) for source in row.sources]
    format = "conllx" if not row.sources[0].startswith("ssd") else None
    how = {"cycles": "reachable", "match": "place", "text": "warn"}
    return read_tree_panel(sources, format=format, **how)[0]


def _scores(panel: TreePanel) -> list[float]:
    """The three alphas, and LAS or the Jaccard index, in percent."""
    metrics = [*ALPHAS, "las" if panel.kind == "dependency" else "jaccard"]
    found = agree_trees(panel, metrics, intervals=Resampling(0), worst=0)
    return [100 * found[metric]["team"]["value"] for metric in metrics]


def _sizes(panel: TreePanel, row: Row) -> Iterable[dict[str, Any]]:
    """Annotators, sentences and tokens (of the first annotation of each sentence) of a corpus."""
    n_sentences, n_tokens = row.sizes.split()
    sizes = np.array(
        [one.n_nodes if one.kind == "dependency" else one.leaves for one in panel.annotations]
    )
    first = sizes[panel.seen.argmax(axis=0), np.arange(panel.n_items)]
    yield cell(str(len(panel)))
    yield cell(panel.n_items, n_sentences)
    yield cell(int(first.sum()), n_tokens)


def _cells(panel: TreePanel, scores: Sequence[float], row: Row) -> Iterable[dict[str, Any]]:
    """The cells of a corpus in Table 2."""
    for value, printed in zip(scores, row.scores.split()):
        yield cell(value, printed, OTHER_LAS)
    ignored = int((panel.shared & ~panel.even).sum())
    yield cell(None) if row.ignored is None else cell(ignored, row.ignored)


def download(folder: Path) -> Path:
    """Download the data to a folder; the folder in it that holds them."""
    answer = requests.get(ARCHIVE, timeout=60)
    answer.raise_for_status()
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        for member in archive.getmembers():
            parts = Path(member.name).parts[1:]
            if member.isfile() and parts[:1] == ("data",) and ".." not in parts:
                path = folder.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    return folder


WRITERS = {
    "text": simulation_text,
    "md": simulation_markdown,
    "csv": simulation_csv,
    "json": lambda result: json_text(result, "simulate"),
    "svg": lambda result: svg_file(simulation_figure(result)),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="a checkout; else it is downloaded")
    parser.add_argument("--to", choices=WRITERS, default="text", help="how to write")
    asked = parser.parse_args()
    try:
        with TemporaryDirectory() as empty:
            folder = asked.folder or download(Path(empty))
            print(WRITERS[asked.to](made_again(folder / "data")))
    except (FormatError, requests.RequestException) as error:
        raise SystemExit(f"{error}\nexpected a checkout of syn-agreement: {ARCHIVE}") from None


if __name__ == "__main__":
    main()
