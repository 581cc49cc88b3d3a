"""Agreement on trees, of several annotators and of gold with a prediction: beyond chance."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from ..about import __version__
from ..measures.stats import mean_of_defined
from ..measures.trees.trees import TreePanel
from ..metrics.catalog import TREE_CATALOG, USUAL
from ..metrics.request import METRICS, parse
from ..scoring.agreement import notes, unsteady, values_of
from ..scoring.intervals import Resampling, plain
from ..scoring.scores import Score, signature
from ..scoring.tree_sheets import tree_sheets
from .agree import Agreement

POSITIONS = "tree"
SIDES = ("gold", "pred")
PAIR = ("pair", 0, 1)


def agree_trees(
    annotators,
    metrics=None,
    *,
    intervals=None,
    clusters=None,
    unit=None,
    worst=20,
    backend="auto",
    data=None,
    progress=None,
):
    """The agreement of annotators of trees, beyond chance.

    Parameters
    ----------
    annotators : TreePanel or mapping of str to Trees
    metrics : sequence of str or Request, or mapping of names to Request; optional
        Of `tree_catalog.TREE_CATALOG`. By default alpha, with LAS, UAS and label accuracy of
        dependency trees, with the Jaccard index of labelled brackets of constituency trees.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the sentences that two annotators have annotated.
    clusters : sequence, optional
        The name of each sentence's cluster, where sentences come in such: these are resampled.
    unit : str, optional
        What clusters are called, such as "documents": it stands in signatures.
    worst : int or None
        How many sentences to name, those that cost the team most; None for all.
    backend : "auto", "numpy" or "numba"
        What works out tree edit distances; the numbers are the same.
    data : mapping, optional
        What more signatures should say of the data.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    Agreement
        As `agree` returns it, with sentences for documents and nodes for spans. Of alpha,
        `observed` is 1 - D_o and `expected` 1 - D_e: disagreements are mean squared distances, so
        both may be far below 0.

    Raises
    ------
    ValueError
        For metrics of spans, unknown metrics, and annotators of different sentences.

    Examples
    --------
    >>> from spacy_chance_eval import Trees, agree_trees
    >>> ann = Trees.from_heads([[2, 0, 4, 2], [2, 0]], [["SUBJ", "PRED", "DET", "OBJ"], ["A", "B"]])
    >>> bob = Trees.from_heads([[2, 0, 2, 2], [2, 0]], [["SUBJ", "PRED", "DET", "OBJ"], ["A", "B"]])
    >>> found = agree_trees({"ann": ann, "bob": bob})
    >>> round(found["syntax_alpha"]["team"]["value"], 4), round(found["las"]["team"]["value"], 4)
    (0.8235, 0.8333)
    """
    panel = annotators if isinstance(annotators, TreePanel) else TreePanel(annotators)
    intervals = Resampling(1000) if intervals is None else intervals
    options = {"intervals": intervals, "clusters": clusters, "unit": unit, "backend": backend}
    found = compared_trees(panel, metrics, **options, progress=progress)
    return found.agreement(worst=worst, data=data)


def evaluate_trees(
    gold,
    pred,
    metrics=None,
    *,
    per_doc=False,
    intervals=None,
    clusters=None,
    unit=None,
    backend="auto",
    data=None,
    progress=None,
):
    """Scores of predicted trees against gold, one per metric.

    Parameters
    ----------
    gold, pred : Trees
        Of the same sentences.
    per_doc : bool
        Also score every sentence, under its name.
    intervals : Resampling, optional
        By default none.
    metrics, clusters, unit, backend, data, progress
        As `agree_trees` has them.

    Returns
    -------
    dict of str to Score
        Under the metrics as they were asked for; labels are the relations of attachment scores,
        alphas and brackets have none. `gold` and `pred` of labels and sentences are numbers of
        nodes.

    Examples
    --------
    >>> from spacy_chance_eval import Trees, evaluate_trees
    >>> gold = Trees.from_heads([[2, 0, 4, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> pred = Trees.from_heads([[2, 0, 2, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> round(evaluate_trees(gold, pred, ["las"])["las"].value, 4)
    0.8333
    """
    panel = TreePanel(dict(zip(SIDES, (gold, pred))))
    options = {"intervals": intervals, "clusters": clusters, "unit": unit, "backend": backend}
    found = compared_trees(panel, metrics, **options, progress=progress)
    return found.scores(per_doc=per_doc, data=data)


def compared_trees(
    panel, metrics, *, intervals, clusters=None, unit=None, backend="auto", progress=None
):
    """The `ComparedTrees` of a panel; parameters as `agree_trees` has them."""
    wanted = tree_requests(panel.kind, metrics)
    unit = unit or ("sentences" if clusters is None else "clusters")
    intervals = replace(intervals or Resampling(resamples=0), unit=unit)
    options = {"clusters": clusters, "intervals": intervals, "backend": backend}
    sheets = tree_sheets(panel, list(wanted.values()), **options, watch=progress)
    return ComparedTrees(panel, dict(zip(wanted, sheets)), intervals, clusters)


@dataclass(frozen=True, eq=False)
class ComparedTrees:
    """What was worked out of a panel of trees: a `TreeSheet` for each metric, by name."""

    panel: TreePanel
    sheets: Mapping
    intervals: Resampling
    clusters: Sequence | None = None

    def agreement(self, *, worst=20, data=None):
        """The `Agreement`: see `agree_trees`."""
        panel, sheets = self.panel, self.sheets
        facts = facts_of(panel) | {"annotators": len(panel), "panel": panel.digest()} | (data or {})
        n_raters = panel.seen.sum(axis=0)
        result = {
            "positions": POSITIONS,
            "kind": panel.kind,
            "n_docs": panel.n_items,
            "n_shared": int(panel.shared.sum()),
            "n_single": int((n_raters == 1).sum()),
            "n_unseen": int((n_raters == 0).sum()),
            "n_uneven": int((panel.shared & ~panel.even).sum()),
            "labels": used_labels(panel),
            "annotators": [annotator_facts(panel, number) for number in range(len(panel))],
            "resampling": asdict(self.intervals),
            "version": __version__,
            "notes": [
                *tree_notes(panel, self.intervals, self.clusters),
                *unsteady(sheets, sheets.values(), "sentence"),
            ],
            "metrics": [
                values_of(name, sheet, facts, self.intervals, worst)
                for name, sheet in sheets.items()
            ],
        }
        return Agreement(result, panel)

    def scores(self, *, per_doc=False, data=None):
        """{name: `Score`} of a panel of "gold" and "pred": see `evaluate_trees`."""
        gold = TreePanel({"gold": self.panel.annotators["gold"]})
        facts = facts_of(self.panel) | {"gold": gold.digest()} | (data or {})
        return {
            name: score_of(sheet, signature(sheet.request, facts, self.intervals), per_doc)
            for name, sheet in self.sheets.items()
        }


def tree_requests(kind, metrics=None):
    """{name: Request} of the metrics asked for, or the usual ones of this kind of trees."""
    if isinstance(metrics, Mapping):
        found = dict(metrics)
    else:
        names = [metrics] if isinstance(metrics, str) else metrics or USUAL[kind]
        found = {str(name): parse(name) for name in names}
    for name, request in found.items():
        metric = METRICS[request.metric]
        if not metric.kinds:
            known = ", ".join(TREE_CATALOG)
            raise ValueError(f"{name} compares spans; of trees ask for one of {known}")
        if kind not in metric.kinds:
            known = ", ".join(one for one, row in TREE_CATALOG.items() if kind in row.kinds)
            raise ValueError(
                f"{name} is of {metric.kinds[0]} trees; of {kind} trees ask for one of {known}"
            )
    return found


def facts_of(panel):
    """What signatures say of the data."""
    cycles = sorted({trees.cycles for trees in panel.sides})
    docs = int(panel.shared.sum())
    return {"positions": POSITIONS, "docs": docs, "kind": panel.kind, "cycles": "+".join(cycles)}


def used_labels(panel):
    """Labels that any annotator used, sorted."""
    used = np.unique(np.concatenate([trees.label for trees in panel.sides]))
    return [panel.labels[number] for number in used]


def annotator_facts(panel, number):
    """What the list of annotators says of one."""
    trees = panel.sides[number]
    return {
        "name": panel.names[number],
        "n_docs": int(trees.seen.sum()),
        "n_shared": int((panel.shared & trees.seen).sum()),
        "n_spans": int(trees.n_nodes.sum()),
        "n_unplaced": 0,
    }


def tree_notes(panel, intervals, clusters):
    """What a reader should know before trusting the numbers, in words."""
    yield from panel.notes
    yield from notes(panel, intervals, clusters, "sentence")
    uneven = int((panel.shared & ~panel.even).sum())
    if uneven and panel.kind == "dependency":
        one = "sentence has" if uneven == 1 else "sentences have"
        yield (
            f"{uneven} {one} annotations that differ in the number of tokens: left out of "
            "attachment scores and label accuracy, not of alpha"
        )


def score_of(sheet, signed, per_doc):
    """The `Score` of gold and prediction, from the sheet of a panel of both."""
    panel, row = sheet.panel, sheet.row(PAIR)
    if row["value"] is None and not panel.shared.any():
        raise ValueError("no sentence is annotated on both sides; there is nothing to score")
    counts = [sheet.count([number], panel.shared) for number in range(2)]
    used = sheet.used(PAIR)
    labels = {
        panel.labels[i]: slim(sheet.row(PAIR, 1 + i))
        | {side: int(count[i]) for side, count in zip(SIDES, counts)}
        for i in used
    }
    values = np.array([np.nan if one["value"] is None else one["value"] for one in labels.values()])
    rows = sheet.by_document()
    found = {"per_label": labels, "signature": signed}
    found |= {"interval": row["interval"], "observed_interval": row["observed_interval"]}
    if per_doc:
        found["per_doc"] = {panel.sides[0].name(i): item_row(panel, rows, i) for i in shared(panel)}
    return Score(
        str(sheet.request),
        *(row[name] for name in ("value", "observed", "expected")),
        macro=plain(mean_of_defined(values)) if len(values) else None,
        macro_docs=plain(mean_of_defined(rows["value"][panel.shared])) if rows else None,
        **found,
    )


def slim(row):
    """The scores of a row of a sheet, as labels of a `Score` have them."""
    names = ("value", "observed", "expected", "interval", "observed_interval")
    return {name: row[name] for name in names}


def shared(panel):
    """Places of the items that two have annotated."""
    return np.flatnonzero(panel.shared)


def item_row(panel, rows, item):
    """Scores and numbers of nodes of one item."""
    found = {name: plain(rows[name][item]) for name in ("value", "observed", "expected")}
    found |= {"distance": plain(rows["distance"][item])}
    sizes = (int(trees.n_nodes[item]) for trees in panel.sides)
    return found | dict(zip(SIDES, sizes))
