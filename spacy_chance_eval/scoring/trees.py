"""Trees: their counts and their scores.

Trees differ from spans: alphas need the distances of all pairs of trees, which are computed
together with the resamples.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..measures.alignment import ROLES
from ..measures.arrays import Array, BoolArray, FloatArray, IntArray, distinct
from ..measures.matching import Hits
from ..measures.resampling import cluster_order
from ..measures.stats import mean_of_defined, stack
from ..measures.trees import UNLABELLED, syntax
from ..measures.trees.trees import TreePanel, Trees
from ..metrics.catalog import ALPHAS, TREE_CATALOG, USUAL
from ..metrics.request import Metrics, Request, requests_of, written
from .counts import Counted, Counts, Progress, distinguished, macro_of_rows, no_progress
from .intervals import LIMITED, Resampling, limit_columns
from .pair_rows import TEAM, Key, rows_of, team_rows
from .pair_scores import Replicas, score_batches
from .panel_scores import PanelScore, ScoreRow, score_metric
from .scores import Score, named_rows, score_of_columns, signature
from .statistics import NAMES, Scores, Statistics, headline, plain
from .tree_alpha import Weights, alphas, distances_of, drawn_weights
from .warnings import closeness_warnings

PAIR: Key = ("pair", 0, 1)
NO_MAJORITY = "trees have no majority"
NOT_DRAWN = "the pairs that were drawn do not differ: draw more, or compare all"
ALL_EQUAL = "all trees are 0 apart: there is no disagreement to expect"
NO_TREE_TOKENS = "no token to compare: none that counts, or annotations that differ in their number"
NO_BRACKETS = "nothing to compare: no bracket or word that counts, or annotations of other words"
OF_PAIRS = "the mean over the pairs of each sentence, weighted by its size"
OF_SENTENCES = "the mean over the pairs of each sentence"
ALIKE = ("complete_match", "crossing_brackets", "few_crossing")  # all sentences weigh the same
NO_BCA = "bca intervals of alpha need items of their own: leave out clusters, or ask for percentile"


@dataclass(frozen=True, eq=False)
class TreeCounts(Counts):
    """The counts of annotators of trees, whose documents are sentences and whose spans are nodes.

    Parameters
    ----------
    metrics : mapping of str to Counted
        By the names of requests; alphas have none.
    trees : TreePanel
        The trees themselves, for the distances of alphas.
    requests : sequence of Request
    """

    trees: TreePanel = field(kw_only=True)
    requests: Sequence[Request] = ()
    item = "sentence"

    @property
    def facts(self) -> dict[str, str]:
        """Facts for signatures: the kind of the trees, and the treatment of cycles."""
        cycles = "+".join(sorted({trees.cycles for trees in self.trees.annotations}))
        return {"kind": self.trees.kind, "cycles": cycles}

    def notes(self) -> Iterator[str]:
        """What scores leave out, in words."""
        n_uneven = self.trees.n_uneven
        if n_uneven and self.trees.kind == "dependency":
            one = "sentence has" if n_uneven == 1 else "sentences have"
            yield (
                f"{n_uneven} {one} annotations that differ in the number of tokens: left out of "
                "attachment scores and label accuracy, not of alpha"
            )
        yield from request_notes(self.trees, self.requests)

    def digest(self) -> str:
        """Eight hexadecimal digits of all trees."""
        return self.trees.digest()

    def order(self, clusters: Sequence[Any] | None = None) -> tuple[IntArray, IntArray]:
        """The sentences that two annotated, sorted by cluster, and where each cluster begins."""
        assert self.contents is not None
        content = self.trees.keys()
        who = distinguished(content, self.contents, self.seen, self.shared)
        return cluster_order(self.places(clusters), [content, who])


def count_trees(panel: TreePanel, requests: Iterable[Request]) -> TreeCounts:
    """The `TreeCounts` of a panel."""
    every = list(requests)
    n_nodes = np.array([trees.n_nodes for trees in panel.annotations])
    return TreeCounts(
        panel.names,
        panel.labels,
        "tree",
        panel.seen,
        {str(one): _count_sums(panel, one) for one in every if one.metric not in ALPHAS},
        used=tuple(tuple(panel.labels[i] for i in distinct(t.label)) for t in panel.annotations),
        n_spans=n_nodes.sum(axis=1),
        n_unplaced=np.zeros(len(panel), np.int64),
        marks=n_nodes.sum(axis=0),
        contents=np.array([trees.keys() for trees in panel.annotations]),
        documents=[panel.name(item) for item in range(panel.n_items)],
        trees=panel,
        requests=every,
    )


def _count_sums(panel: TreePanel, request: Request) -> Counted:
    """The `Counted` of a metric that is a sum over sentences: of each pair, and of the team."""
    metric = request.row
    if panel.kind not in metric.kinds:
        reason = f"it is of {metric.kinds[0]} trees; these are {panel.kind} trees"
        keys: list[Key] = [("pair", *pair) for pair in panel.sharing_pairs]
        return Counted(dict.fromkeys([*keys, TEAM], reason))
    count = partial(metric.count, **request.counted)
    orders = [
        pair[::step] for pair in panel.sharing_pairs for step in (1, -1)[: 2 - request.is_symmetric]
    ]
    pairs: dict[Key, Any] = {
        ("pair", one, two): count(panel.annotations[one], panel.annotations[two])
        for one, two in orders
    }
    reasons: dict[Key, str] = {("majority", i): NO_MAJORITY for i in range(len(panel))}
    if not pairs:
        return Counted(reasons)
    team = Statistics(_mean_of_pairs(panel, request, list(pairs.values())))
    rows = []
    for key, one in pairs.items():
        docs = np.flatnonzero(panel.seen[list(key[1:])].all(axis=0))
        rows.append(rows_of(np.array([key[1:]]), docs[None], Statistics(one), whole=True))
    rows += team_rows(np.flatnonzero(panel.shared), team)
    return Counted(reasons, macro_of_rows(request, rows), tuple(rows))


def _mean_of_pairs(panel: TreePanel, request: Request, pairs: Sequence[Any]) -> Any:
    """The statistics of the team: of each item the mean over its pairs, in both orders if given.

    Edges and brackets: an item that some pair does not compare is left out whole. The Jaccard
    index: an item weighs as many leaves as its first annotation has.
    """
    n_pairs = np.array([panel.seen[list(pair)].all(axis=0) for pair in panel.sharing_pairs]).sum(
        axis=0
    )
    share = len(panel.sharing_pairs) / len(pairs) / np.maximum(n_pairs, 1)
    if request.metric != "jaccard":
        even = panel.even if panel.kind == "dependency" else _same_words_left(panel, request)
        share = (share * even)[:, None]
        return stack(pairs).each(lambda array: array.sum(axis=0) * share)
    leaves = np.array([trees.leaves for trees in panel.annotations])
    weight = leaves[panel.seen.argmax(axis=0), np.arange(panel.n_items)] * (n_pairs > 0)
    index = sum(np.nan_to_num(syntax.weighted_mean(pair)[:, 0]) for pair in pairs) * share
    return syntax.Overlap((weight * index)[:, None], weight[:, None])


def _same_words_left(panel: TreePanel, request: Request) -> BoolArray:
    """Which items are compared by brackets by all pairs that annotated them."""
    from ..measures.trees.parseval import compared_items

    same = np.ones(panel.n_items, bool)
    for numbers in panel.sharing_pairs:
        one, two = (panel.annotations[number] for number in numbers)
        compared = compared_items(one, two, **request.only(("params", "ignore")))
        same &= compared | ~(one.seen & two.seen)
    return same


def request_notes(panel: TreePanel, requests: Collection[Request]) -> Iterator[str]:
    """What metrics leave out or do not know, in words: sentences of brackets, labels of alphas."""
    gold = panel.annotators.get(ROLES[0])
    label = np.concatenate([one.label for one in ([gold] if gold else panel.annotations)])
    used = {panel.labels[i]: int(n) for i, n in enumerate(np.bincount(label)) if n}
    yield from closeness_warnings(requests, used, gold is not None)
    of_brackets = [one for one in requests if "params" in one.parameters]
    by_deleted = {written(one.only(("params", "ignore"))): one for one in of_brackets}
    for deleted, request in by_deleted.items() if panel.kind == "constituency" else ():
        n_left_out = int((panel.shared & ~_same_words_left(panel, request)).sum())
        if n_left_out:
            one = "sentence is" if n_left_out == 1 else "sentences are"
            yield (
                f"{n_left_out} {one} left out of the scores of brackets and tags: once words are "
                f"deleted {deleted}, the annotators' trees do not hold the same words"
            )


# --- scores


@dataclass(frozen=True, eq=False)
class TreeScore(PanelScore):
    """The scores of one metric on a panel of trees."""

    panel: TreeCounts
    rows: Mapping[str, FloatArray] | None = None  # what `by_document` has of alpha
    errors: Mapping[Key, float] = field(default_factory=dict)  # standard errors, of drawn pairs
    no_shared = "no sentence that two of them annotated"

    @property
    def support(self) -> IntArray:
        """Nodes by label, in the items that two annotated; none where labels have no score."""
        return self.count(range(len(self.panel)), self.panel.shared)

    def used(self, key: Key) -> IntArray:
        """Labels, by number, that either of a pair used in the items that both annotated."""
        one, two = key[1:]
        both = self.panel.seen[one] & self.panel.seen[two]
        return np.flatnonzero(self.count(key[1:], both))

    def count(self, numbers: Iterable[int], items: BoolArray) -> IntArray:
        """Nodes of some annotators by label, in some items; of constituency trees, brackets."""
        nodes = np.zeros(len(self.panel.labels), np.int64)
        for number in numbers if self.request.row.layout.kind is Hits else ():
            trees = self.panel.trees.annotations[number]
            some = items[trees.item] & (trees.inner | (self.panel.trees.kind == "dependency"))
            column = self.columns[trees.label[some]]
            nodes += np.bincount(column[column >= 0], minlength=len(nodes))
            if trees.unlabelled is not None and "params" in self.request.parameters:
                nodes[self.panel.labels.index(UNLABELLED)] += trees.unlabelled[items].sum()
        return nodes

    @cached_property
    def columns(self) -> IntArray:
        """The column in which each label counts; -1 for labels without one."""
        labels, parameters = self.panel.labels, self.request.parameters
        if self.panel.trees.kind == "dependency":
            return syntax.relation_columns(labels, parameters["subtypes"])
        from ..measures.trees.parseval import label_columns

        return label_columns(labels, parameters["params"], parameters["ignore"])

    @property
    def definition(self) -> str | None:
        """The meaning of the team's score, in words."""
        if self.request.row.team:
            return super().definition
        return OF_SENTENCES if self.request.metric in ALIKE else OF_PAIRS

    def signed(self) -> dict[str, str]:
        """How D_e was computed, if pairs of trees were to be drawn for it."""
        if not self.errors:
            return {}
        drawn = any(error != 0 for error in self.errors.values())
        return {"estimator": "regression" if drawn else "all pairs"}

    def row(self, key: Key, column: int = 0) -> ScoreRow:
        """The values of `PanelScore.row`, and the standard error where pairs of trees were drawn.

        That is 0 if these were all pairs, None where it is unknown and for means of several scores.
        """
        row = super().row(key, column)
        return row | {"standard_error": plain(self.errors.get(key))} if self.errors else row

    def why(self, row: ScoreRow, key: Key = TEAM, doc: int | None = None) -> str:
        """Why trees that are there give no score, in words."""
        if self.request.parameters.get("sample"):
            return NOT_DRAWN
        if self.request.row.team:
            return ALL_EQUAL
        return NO_TREE_TOKENS if self.panel.trees.kind == "dependency" else NO_BRACKETS

    def by_document(self) -> Mapping[str, FloatArray]:
        """The scores of each sentence, and its cost to the team.

        Arrays of shape (n_items,); also "distance", the mean distance of the pairs of each item,
        which is nan of other metrics than alpha.
        """
        if self.rows is not None:
            return self.rows
        rows = super().by_document()
        return {**rows, "distance": np.full(self.panel.n_docs, np.nan)} if rows else rows


def score_trees(
    counts: TreeCounts,
    requests: Sequence[Request],
    *,
    clusters: Sequence[Any] | None = None,
    intervals: Resampling,
    progress: Progress = no_progress,
) -> list[TreeScore]:
    """The `TreeScore` of each request, in order.

    The counts are of the same requests. Alpha has no bca intervals with clusters.
    """
    order, found = counts.order(clusters), dict[str, TreeScore]()
    alike: dict[str, list[Request]] = {}  # alphas of the same distances
    for one in requests:
        if one.metric in ALPHAS:
            shared = {k: v for k, v in one.parameters.items() if k not in ("delta", "seed")}
            alike.setdefault(f"{one.metric}{shared}", []).append(one)
        else:
            bar = partial(progress, total=None, what=one.metric)
            counted = counts.metrics[str(one)]
            score = score_metric(counts, one, counted, order, intervals, bar)
            found[str(one)] = TreeScore(**vars(score))
    if alike and intervals.interval == "bca" and clusters is not None:
        raise ValueError(NO_BCA)
    for group in alike.values():
        distances = distances_of(counts.trees, group[0], progress)
        weights = drawn_weights(counts.n_docs, order, intervals)
        for request, views in zip(group, alphas(counts.trees, distances, group, weights)):
            found[str(request)] = _score_alpha(counts, request, views, weights, intervals)
    return [found[str(one)] for one in requests]


def _score_alpha(
    counts: TreeCounts,
    request: Request,
    found: Mapping[Key, Any],
    weights: Weights,
    intervals: Resampling,
) -> TreeScore:
    """The scores of one alpha, of all pairs and of the team."""
    batches = (_batch(counts, found, kind, weights, intervals) for kind in ("pair", "team"))
    some = (one for one in batches if len(one[0]))
    scores = score_batches(some, len(counts), True, intervals)
    return TreeScore(
        **vars(scores),
        panel=counts,
        request=request,
        counted=Counted({("majority", number): NO_MAJORITY for number in range(len(counts))}),
        rows=found[TEAM].by_item(scores.scores[TEAM]) if TEAM in found else {},
        errors={key: one.standard_error for key, one in found.items()}
        if request.parameters.get("sample")
        else {},
    )


def _batch(
    counts: TreeCounts, found: Mapping[Key, Any], kind: str, weights: Weights, intervals: Resampling
) -> tuple[IntArray, list[Replicas]]:
    """The alphas of all pairs, or of the team, as `score_batches` takes them."""
    some = {key: one for key, one in found.items() if key[0] == kind}
    who = np.array([key[1:] or (-1, -1) for key in some])
    both = np.array([counts.seen[list(key[1:])].all(axis=0) for key in some], np.int64)
    if not some:
        return who, []

    def replicas(scores: Iterable[Scores], shared: Array) -> Replicas:
        rows = list(scores)
        return Replicas({name: np.stack([one[name] for one in rows]) for name in rows[0]}, shared)

    n_shared = both.sum(axis=1, keepdims=True)
    whole = ({n: a[None] for n, a in one.scores.items()} for one in some.values())
    samples = [replicas(whole, n_shared)]
    if len(weights):
        samples.append(replicas((one.replicas for one in some.values()), weights.sums(both.T).T))
        if intervals.interval == "bca":
            rest = (one.without(counts.shared) for one in some.values())
            samples.append(replicas(rest, (n_shared - both)[:, counts.shared]))
    return who, samples


# --- scores of gold and prediction


def evaluate_trees(
    gold: Trees,
    pred: Trees,
    metrics: Metrics | None = None,
    *,
    per_doc: bool = False,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Score]:
    """Scores of predicted trees against gold by metric; the parameters are those of `evaluate`."""
    panel = TreePanel(dict(zip(ROLES, (gold, pred))))
    requests = tree_requests(panel.kind, metrics)
    counts = count_trees(panel, requests.values())
    unit = tree_unit(unit, clusters)
    intervals = replace(intervals or Resampling(resamples=0), unit=unit, blocks=0)
    intervals = intervals.of_units(counts.units(clusters))
    options: dict[str, Any] = {"clusters": clusters, "progress": progress or no_progress}
    scores = score_trees(counts, list(requests.values()), intervals=intervals, **options)
    return scores_of_pair(counts, dict(zip(requests, scores)), intervals, data, per_doc)


def tree_unit(unit: str | None, clusters: object) -> str:
    """The resampled unit, in signatures."""
    return unit or ("sentences" if clusters is None else "clusters")


def tree_requests(kind: str, metrics: Metrics | None = None) -> dict[str, Request]:
    """{name: Request} of the metrics asked for, or the usual ones of this kind of trees."""
    requests = requests_of(metrics or USUAL[kind])
    for name, request in requests.items():
        metric = request.row
        if not metric.kinds:
            known = ", ".join(TREE_CATALOG)
            raise ValueError(f"{name} compares spans; of trees ask for one of {known}")
        if kind not in metric.kinds:
            known = ", ".join(one for one, row in TREE_CATALOG.items() if kind in row.kinds)
            raise ValueError(
                f"{name} is of {metric.kinds[0]} trees; of {kind} trees ask for one of {known}"
            )
    return requests


def scores_of_pair(
    counts: TreeCounts,
    scores: Mapping[str, TreeScore],
    intervals: Resampling,
    data: Mapping[str, Any] | None = None,
    per_doc: bool = False,
) -> dict[str, Score]:
    """The `Score` of each metric by its name, from the scores of a panel of "gold" and "pred"."""
    if not counts.n_all_shared:
        raise ValueError(
            "no sentence is annotated in both gold and prediction; there is nothing to score"
        )
    gold = TreePanel({"gold": counts.trees.annotators["gold"]})
    facts: dict[str, Any] = {"positions": counts.positions, "docs": counts.n_all_shared}
    facts |= {**counts.facts, "gold": gold.digest(), **(data or {})}
    about = {"resampling": str(intervals), "n_eff": intervals.settings().get("n_eff")}
    return {name: _score(one, facts, per_doc, about) for name, one in scores.items()}


def _score(
    score: TreeScore, facts: dict[str, Any], per_doc: bool, about: Mapping[str, Any]
) -> Score:
    """The `Score` of gold and prediction, from that of a panel of both."""
    counts, request, columns = score.panel, score.request, score.scores[PAIR]
    nothing = np.full((2, len(columns["observed"])), np.nan)
    limits = {name: nothing for name in LIMITED if name in columns}
    limits = {**limits, **score.limits.get(PAIR, {})}
    rows, shared = score.by_document(), np.flatnonzero(counts.shared).tolist()
    items: dict[str, dict[str, Any]] | None = None
    if per_doc:
        table: dict[str, Array] = {n: rows[n] for n in (*NAMES, "distance") if n in rows}
        n_nodes = (trees.n_nodes for trees in counts.trees.annotations)
        table |= zip(ROLES, n_nodes)
        items = named_rows(request, table, {item: counts.name(item) for item in shared})
    return score_of_columns(
        request,
        {**columns, **limit_columns(limits)},
        {role: score.count([number], counts.shared) for number, role in enumerate(ROLES)},
        counts.labels,
        macro_docs=plain(mean_of_defined(headline(rows)[shared])) if rows else None,
        signature=signature(request, facts | score.signed()),
        standard_error=plain(score.errors.get(PAIR)),
        per_doc=items,
        **about,
    )
