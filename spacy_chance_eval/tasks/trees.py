"""Trees: scores against gold, from Python and from files, and agreement of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..corpora.sources import distinct_names, parse_source
from ..corpora.treebanks import (
    find_tree_annotators,
    find_tree_pair,
    read_annotators_of_trees,
    read_tree_pair,
)
from ..formats.keys import YES, Reading
from ..measures.trees.trees import TreePanel, Trees
from ..metrics.request import Metrics, Request
from ..scoring import trees
from ..scoring.agreement import agreement_of, check_annotators
from ..scoring.counts import Progress, no_progress
from ..scoring.intervals import Resampling
from ..scoring.trees import (
    count_trees,
    request_notes,
    score_trees,
    scores_of_pair,
    tree_requests,
    tree_unit,
)
from .agree import Agreement, agree
from .results import Scores
from .settings import Scoring, Teamwork
from .tabular import FileScores

SEVERAL_FILES = "name a file or folder of each (agree FOLDER/* takes each of a folder)"


def score_trees_given(
    gold: Trees,
    pred: Trees,
    metrics: Metrics | None = None,
    *,
    intervals: Resampling | None = None,
    **settings: Any,
) -> Scores:
    """The result of `evaluate` for trees; the parameters are explained there."""
    unit = intervals.unit if intervals is not None and intervals.unit != "documents" else None
    scores = trees.evaluate_trees(gold, pred, metrics, intervals=intervals, unit=unit, **settings)
    panel = TreePanel({"gold": gold, "pred": pred})
    return Scores(scores, _described(panel, tree_requests(panel.kind, metrics).values()))


def _described(panel: TreePanel, requests: Collection[Request]) -> dict[str, Any]:
    """The layer of trees of gold and a prediction as plain values, without its scores."""
    gold, pred = (panel.annotators[name] for name in ("gold", "pred"))
    both = gold.seen & pred.seen
    return {
        "positions": "tree",
        "kind": panel.kind,
        "gold_layer": "trees",
        "pred_layer": "trees",
        "n_docs": int(both.sum()),
        "n_skipped": int((~both).sum()),
        "n_gold": int(gold.n_nodes[both].sum()),
        "n_pred": int(pred.n_nodes[both].sum()),
        "n_unplaced": 0,
        "n_uneven": int((both & ~panel.even).sum()),
        "n_other_texts": panel.n_other_texts,
        "notes": [*panel.notes, *request_notes(panel, requests)],
    }


# --- from files


def agree_tree_files(
    sources: Sequence[object],
    *,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **teamwork: Any,
) -> Agreement:
    """The `Agreement` of annotators of trees in files; its corpus are their sentences.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH of files or folders.
    reading : Reading, optional
        How files are read.
    progress : callable, optional
        That of `agree`.
    **teamwork
        `metrics`, `intervals` and `worst` of `Teamwork`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and metrics of spans.
    """
    how, read, texts = Teamwork(**teamwork), reading or Reading(), list(map(str, sources))
    found = find_tree_annotators(texts, read)
    names = [str(one.name) for one in found]
    check_annotators(names, SEVERAL_FILES, f"{', '.join(texts)}: ")
    panel, sentences = read_annotators_of_trees(found, read)
    n_docs = len(panel.seen[0])
    agreed = agree(
        panel,
        how.metrics or None,
        intervals=how.intervals.of_docs(n_docs),
        worst=how.worst,
        data=data_of_trees(read, panel),
        progress=progress,
    )
    agreed.result["notes"] += how.intervals.notes(n_docs)
    about = {"title": ", ".join(texts), "sources": texts}
    return Agreement(about | agreed.result | dict(panel.blemishes), panel, sentences)


def score_tree_files(
    gold: str | Path,
    pred: str | Path,
    *,
    reading: Reading | None = None,
    progress: Progress = no_progress,
    **scoring: Any,
) -> tuple[FileScores, Callable[[], Agreement]]:
    """The result of `score_files` for trees, and a function that makes the agreement of both.

    In it "n_docs" counts sentences, "n_gold" and "n_pred" count nodes. The `Agreement` is for
    pages, with the names of the files.

    Parameters
    ----------
    gold, pred : str or Path
        Trees; predicted ones also from a trained pipeline.
    reading : Reading, optional
        How both are read.
    progress : callable
        That of `agree`.
    **scoring
        `metrics`, `intervals` and `per_doc` of `Scoring`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and metrics of spans.
    """
    how, read = Scoring(**scoring), reading or Reading()
    panel, sentences = read_tree_pair(*find_tree_pair(gold, pred, read), read)
    requests = tree_requests(panel.kind, how.metrics or None)
    n_docs = len(panel.seen[0])
    counts, data = count_trees(panel, requests.values()), data_of_trees(read, panel)
    made = replace(how.intervals.of_docs(n_docs), unit=tree_unit(None, None), blocks=0)
    made = made.of_units(counts.units())
    scores = score_trees(counts, list(requests.values()), intervals=made, progress=progress)
    found = scores_of_pair(counts, dict(zip(requests, scores)), made, data, how.per_doc)
    layer = _described(panel, requests.values())
    layer["scores"] = {name: score.to_dict() for name, score in found.items()}
    layer["notes"] += how.intervals.notes(n_docs)
    paths = [str(gold), str(pred)]

    def agreement() -> Agreement:
        sources = list(map(parse_source, paths))
        names: Sequence[str] = distinct_names(sources)
        if len({*names}) < len(names):
            names = panel.names
        both = panel.renamed(names)
        renamed = replace(counts, trees=both, names=both.names)
        result = agreement_of(
            renamed,
            requests,
            intervals=made,
            unit=made.unit,
            data=data,
            scores=[replace(score, panel=renamed) for score in scores],
        )
        about = {"title": " and ".join(paths), "sources": paths, "annotator_name": "source"}
        return Agreement(about | result, both, dict(zip(names, sentences.values())))

    about = {"gold": paths[0], "pred": paths[1], **panel.blemishes}
    return FileScores({**about, "layers": [layer]}), agreement


def data_of_trees(how: Reading, panel: TreePanel) -> dict[str, str]:
    """Facts for signatures on how trees were read."""
    aligned = any(trees.words is not None for trees in panel.annotations)
    align = "characters" if aligned else how.align or "auto"
    return (
        {"subtypes": "stripped" if how.strip_subtypes in YES else "kept"}
        | ({} if align == "auto" else {"align": align})
        | ({"skipped": panel.skipped} if panel.skipped else {})
        | ({"other_texts": str(panel.n_other_texts)} if panel.n_other_texts else {})
    )
