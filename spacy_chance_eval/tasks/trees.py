"""Trees: scores against gold, from Python and from files, and agreement of files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..corpora.sources import default_name, distinct_names, parse_source
from ..corpora.treebanks import (
    Sentences,
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
    TreeCounts,
    TreeScore,
    count_trees,
    request_notes,
    score_trees,
    scores_of_pair,
    tree_requests,
    tree_unit,
)
from .agree import Agreement, agree
from .calls import explain_arguments
from .results import Scores

SEVERAL_FILES = "name a file or folder of each (agree FOLDER/* takes each of a folder)"


@explain_arguments
def evaluate_trees(
    gold: Trees,
    pred: Trees,
    metrics: Metrics | None = None,
    *,
    per_doc: bool = False,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Scores of predicted trees against gold, one per metric.

    Parameters
    ----------
    gold, pred : Trees
        Of the same sentences.
    metrics : sequence of str or Request, or mapping of names to Request; optional
        By default alpha, with LAS, UAS and label accuracy of dependency trees, with the Jaccard
        index of labelled brackets of constituency trees.
    per_doc : bool
        Also score every sentence, under its name.
    intervals : Resampling, optional
        By default none.
    clusters : sequence, optional
        The name of each sentence's cluster, where sentences come in such: these are resampled.
    unit : str, optional
        Name of the clusters, such as "documents": it stands in signatures.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    Scores
        A mapping from the metrics as they were asked for to `Score`; labels are the relations of
        attachment scores, alphas and brackets have none. `gold` and `pred` of labels and sentences
        are numbers of nodes. It prints as tables, and has `to_dict()`, `records()` and
        `to_frame()`.

    Examples
    --------
    >>> from spacy_chance_eval import Trees, evaluate_trees
    >>> gold = Trees.from_heads([[2, 0, 4, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> pred = Trees.from_heads([[2, 0, 2, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> round(evaluate_trees(gold, pred, ["las"])["las"].observed, 4)
    0.8333
    """
    scores = trees.evaluate_trees(
        gold,
        pred,
        metrics,
        per_doc=per_doc,
        intervals=intervals,
        clusters=clusters,
        unit=unit,
        progress=progress,
    )
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
    metrics: Metrics | None = None,
    *,
    reading: Reading | None = None,
    intervals: Resampling | None = None,
    worst: int | None = 20,
    progress: Progress | None = None,
) -> Agreement:
    """The `Agreement` of annotators of trees in files; its corpus are their sentences.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH of files or folders.
    reading : Reading, optional
        How files are read.
    metrics, intervals, worst, progress
        Those of `agree`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and metrics of spans.
    """
    how, texts = reading or Reading(), list(map(str, sources))
    found = find_tree_annotators(texts, how)
    names = [str(one.name) for one in found]
    check_annotators(names, SEVERAL_FILES, f"{', '.join(texts)}: ")
    panel, sentences = read_annotators_of_trees(found, how)
    data = data_of_trees(how, panel)
    metrics = metrics or None  # of a command that names none
    agreed = agree(panel, metrics, intervals=intervals, worst=worst, data=data, progress=progress)
    about = {"title": ", ".join(texts), "sources": texts}
    return Agreement(about | agreed.result | dict(panel.blemishes), panel, sentences)


@dataclass(frozen=True, eq=False)
class TreeComparison:
    """Gold and predicted trees of the same sentences, counted and scored once for all reports.

    Parameters
    ----------
    counts : TreeCounts
        Of "gold" and "pred".
    sentences : mapping
        By annotator.
    requests : mapping of str to Request
    sources : pair of str
    data : mapping
        Facts about the data for signatures.
    intervals : Resampling
    progress : callable
        progress(steps, total, what) wraps long work.
    """

    counts: TreeCounts
    sentences: Sentences
    requests: Mapping[str, Request]
    sources: tuple[str, str]
    data: Mapping[str, Any]
    intervals: Resampling
    progress: Progress = no_progress

    @cached_property
    def scores(self) -> list[TreeScore]:
        """The scores of all metrics."""
        options: dict[str, Any] = {"intervals": self.intervals, "progress": self.progress}
        return score_trees(self.counts, list(self.requests.values()), **options)

    def result(self, per_doc: bool = False) -> dict[str, Any]:
        """Scores of one layer, as plain values like those of `score_files`.

        "n_docs" counts sentences, "n_gold" and "n_pred" count nodes.
        """
        by_name = dict(zip(self.requests, self.scores))
        scores = scores_of_pair(self.counts, by_name, self.intervals, self.data, per_doc)
        layer = {
            **_described(self.counts.panel, self.requests.values()),
            "scores": {name: score.to_dict() for name, score in scores.items()},
        }
        gold, pred = self.sources
        return {"gold": gold, "pred": pred, **self.counts.panel.blemishes, "layers": [layer]}

    def agreement(self) -> Agreement:
        """The `Agreement` of gold and prediction for pages, with the names of their files."""
        sources = list(map(parse_source, self.sources))
        names = distinct_names(sources, list(map(default_name, sources)))
        if len({*names}) < len(names):
            names = list(self.counts.names)
        panel = self.counts.panel.renamed(names)
        sentences = {name: self.sentences[old] for name, old in zip(names, self.counts.names)}
        result = agreement_of(
            replace(self.counts, panel=panel),
            self.requests,
            intervals=self.intervals,
            unit=self.intervals.unit,
            data=self.data,
            scores=[replace(score, panel=panel) for score in self.scores],
        )
        about: dict[str, Any] = {"title": " and ".join(self.sources), "sources": list(self.sources)}
        about["annotator_name"] = "source"
        return Agreement(about | result, panel, sentences)


def compare_tree_files(
    gold: str | Path,
    pred: str | Path,
    metrics: Metrics | None = None,
    *,
    reading: Reading | None = None,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
) -> TreeComparison:
    """The trees of a file, or of a trained pipeline, beside those of gold.

    Parameters
    ----------
    reading : Reading, optional
        How both are read.
    metrics, intervals, progress
        Those of `evaluate_trees`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and metrics of spans.
    """
    how = reading or Reading()
    block = read_tree_pair(*find_tree_pair(gold, pred, how), how)
    requests = tree_requests(block.panel.kind, metrics)
    return TreeComparison(
        count_trees(block.panel, requests.values()),
        block.sentences,
        requests,
        (str(gold), str(pred)),
        data_of_trees(how, block.panel),
        replace(intervals or Resampling(resamples=0), unit=tree_unit(None, None), blocks=0),
        progress or no_progress,
    )


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
