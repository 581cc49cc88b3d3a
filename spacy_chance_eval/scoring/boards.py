"""Many systems on one gold standard: scores, intervals, ranks before and after correction.

`leaderboard` counts annotations, `rank_counts` makes boards of counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from ..about import __version__
from ..measures.alignment import align, check_same_corpus, with_labels
from ..measures.arrays import Array, BoolArray, IntArray, distinct
from ..measures.messages import quoted
from ..measures.resampling import cluster_order, grouped, leave_one_out
from ..measures.spans import Spans, trusted
from ..metrics.request import Metrics, Request
from .counts import Counts, PairCounter, Progress, count_predictions, no_progress, order_keys
from .evaluation import check_draws, span_requests
from .intervals import FEW, Resampling, cluster_unit, unit_masses, unit_words
from .ranking import (
    SCORE_COLUMNS,
    Comparison,
    most_replicas,
    rank_changes,
    rank_systems,
    resampling_settings,
    system_rows,
)
from .scores import pair_facts, signature
from .statistics import Statistics, columns, disagreement_notes, headline
from .warnings import count_warnings

BOARD_METRICS = ("span_f", "token_f")


def leaderboard(
    gold: Spans,
    systems: Mapping[str, Spans],
    metrics: Metrics = BOARD_METRICS,
    *,
    clusters: Sequence[Any] | None = None,
    subsets: Mapping[str, Mapping[str, BoolArray]] | None = None,
    intervals: Resampling | None = None,
    comparison: Comparison | None = None,
    worst: int = 0,
    draws: int = 1000,
    data: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Boards of all systems: for every metric as a whole, by label, and by subset of documents.

    `spacy_chance_eval.leaderboard` for `Spans`; the parameters are explained there. The
    result is plain values.

    Raises
    ------
    ValueError
        For gold that contradicts the chance model, unknown metrics, or no comparable system.
    """
    check_draws(draws)
    requests = board_requests(metrics)
    intervals = intervals or Resampling()
    intervals = replace(intervals, unit=cluster_unit(intervals.unit, clusters))
    progress = progress or no_progress
    check_gold(gold, requests.values())
    counts, reasons = _count_systems(
        gold, systems, requests.values(), draws, intervals.seed, progress
    )
    return rank_counts(
        counts,
        [{"name": name, "reason": reason} for name, reason in reasons.items()],
        requests,
        clusters=clusters,
        subsets=subsets,
        intervals=intervals,
        comparison=comparison,
        worst=worst,
        draws=f"{draws},{intervals.seed}",
        data=data or {name: pair_facts(gold.facts, one.facts) for name, one in systems.items()},
        progress=progress,
    )


def _count_systems(
    gold: Spans,
    systems: Mapping[str, Spans],
    requests: Collection[Request],
    draws: int,
    seed: int,
    progress: Progress,
) -> tuple[Counts, dict[str, str]]:
    """The counts of gold and the systems that can be compared; why others cannot, by name."""
    reasons: dict[str, str] = {}

    def leave_out(name: str, error: ValueError) -> None:
        reasons[name] = str(error)

    for name in sorted(systems):
        try:
            check_same_corpus(gold, systems[name])
        except ValueError as error:
            leave_out(name, error)
    alike = {name: systems[name] for name in sorted(systems) if name not in reasons}
    # with the labels of all, so that all have the same columns
    gold = with_labels(gold, set(gold.labels).union(*(pred.labels for pred in alike.values())))
    pairs = {name: align_complete(gold, pred) for name, pred in alike.items()}
    counts = None
    if pairs:
        counts = count_predictions(
            pairs,
            requests,
            draws=draws,
            seed=seed,
            keys=True,
            on_error=leave_out,
            progress=progress,
        )
    if counts is None or len(counts) < 2:
        said = "; ".join(f"{name}: {reasons[name]}" for name in sorted(reasons)) or "none given"
        raise ValueError(f"no system can be ranked ({said})")
    return counts, dict(sorted(reasons.items()))


def align_complete(gold: Spans, pred: Spans) -> tuple[Spans, Spans]:
    """Gold and a prediction that annotates all that gold does, aligned in the sentences of gold."""
    pair: tuple[Spans, Spans] = align(
        gold, trusted(pred, stretches=gold.stretches, sentences=gold.sentences)
    )
    return pair


def board_requests(metrics: Metrics) -> dict[str, Request]:
    """{name: Request} of the metrics of a board, in any form."""
    requests = span_requests(metrics)
    if not requests:
        raise ValueError("no metrics; name at least one")
    return requests


def check_gold(gold: Spans, requests: Iterable[Request]) -> None:
    """Raise if gold itself contradicts the requests: that is no fault of a system."""
    if not gold.seen.any():
        raise ValueError("no document of gold is annotated; there is nothing to rank on")
    counter = PairCounter(*align(gold, gold))
    for request in requests:
        counter.statistics(request)


# --- boards


def rank_counts(
    counts: Counts,
    left_out: Sequence[Mapping[str, Any]],
    requests: Mapping[str, Request],
    *,
    clusters: Sequence[Any] | None = None,
    subsets: Mapping[str, Mapping[str, BoolArray]] | None = None,
    intervals: Resampling,
    comparison: Comparison | None = None,
    worst: int = 0,
    draws: str = "",
    data: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """The boards of the counts of gold and some systems, as `leaderboard` returns them.

    Parameters
    ----------
    counts : Counts
        Systems in the order of their names. Without rows there are no intervals, subsets and worst
        documents.
    left_out : sequence of mappings
        Names of systems that could not be compared, with reasons.
    """
    places = counts.places(clusters) if counts.by_document else np.zeros(1, np.int64)
    boards = _Boards(
        counts, requests, intervals, comparison or Comparison(), places, draws, data or {}, progress
    )
    rows = [board for name in requests for board in boards.of_metric(name, subsets or {})]
    for board in rows:
        board["rows"].sort(key=_sort_key)
    worst_of = boards.worst(next(iter(requests)), worst) if worst else {}
    sizes = counts.sizes()
    n_clusters = len(counts.units(clusters)) if counts.by_document else sizes["n_docs"]
    return {
        "n_docs": sizes["n_docs"],
        "n_sentences": sizes["n_sentences"],
        "n_clusters": n_clusters,
        "clusters": intervals.unit,
        "n_gold": sizes["n_gold"],
        "labels": list(counts.used[0]),
        "resampling": resampling_settings(boards.of_docs(places), boards.comparison)
        | {"most_replicas": boards.most},
        "version": __version__,
        "systems": [
            boards.about(row["system"]) | {"worst": worst_of.get(row["system"], [])}
            for row in rows[0]["rows"]
        ],
        "left_out": list(left_out),
        "warnings": count_warnings(counts, requests.values()),
        "notes": list(_notes(boards, rows, subsets or {})),
        "boards": rows,
    }


@dataclass(frozen=True, eq=False)
class _Boards:
    """All that boards are made from."""

    counts: Counts
    requests: Mapping[str, Request]
    intervals: Resampling
    comparison: Comparison
    places: IntArray  # the cluster of each row
    draws: str  # number and seed of random annotations
    data: Mapping[str, Mapping[str, Any]]
    progress: Progress

    @property
    def most(self) -> int:
        """Up to how many replicas the tests take."""
        alpha = self.comparison.alpha
        return most_replicas(len(self.systems), self.intervals.resamples, alpha)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in their order."""
        return self.counts.names[1:]

    @cached_property
    def keys(self) -> list[Array]:
        """The keys by which documents are sorted."""
        if not self.counts.by_document:
            return []
        assert self.counts.contents is not None and self.counts.words is not None
        gold, *preds = self.counts.contents
        return order_keys(gold, self.counts.words, preds)

    def of_metric(
        self, metric: str, subsets: Mapping[str, Mapping[str, BoolArray]]
    ) -> Iterator[dict[str, Any]]:
        """The boards of a metric: the whole, each label of gold, each part of each subset."""
        yield from self.made(metric, np.ones(len(self.places), bool), labels=True)
        for by, parts in subsets.items():
            for part, docs in parts.items():
                if np.shape(docs) != self.places.shape:
                    raise ValueError(
                        f"subset {quoted(part)} of {by} has the shape {np.shape(docs)}; expected a "
                        f"boolean for each of the {len(self.places)} documents"
                    )
                if (self.counts.seen[0] & docs).any():
                    yield from self.made(metric, docs, {"by": by, "value": part})

    def made(
        self, metric: str, docs: BoolArray, subset: Any = None, labels: bool = False
    ) -> Iterator[dict[str, Any]]:
        """One board of some documents or, with `labels`, also one for each label of gold."""
        request = self.requests[metric]
        score = request.scorer()
        places = np.where(docs, self.places, -1)
        order = cluster_order(places, self.keys)
        intervals = self.of_docs(places)
        order = intervals.in_blocks(order)
        systems = [self.counts.statistics(request, i) for i in range(1, len(self.counts))]
        known: dict[int, Any] = {}
        systems = systems if labels else [one.pooled() for one in systems]
        systems = [one.each(partial(grouped, order=order, known=known)) for one in systems]
        progress = partial(self.progress, total=None, what=f"{metric}: resamples")
        support = self.support(places >= 0, request)
        shown = [0, *(1 + np.flatnonzero(support[0, 1:]))] if labels else [0]
        rankings = rank_systems(
            score,
            systems,
            intervals,
            self.comparison,
            progress,
            self.most,
            shown,
            request.row.higher_is_better,
        )
        n_docs = int((places >= 0).sum())
        if not self.counts.by_document:
            n_docs = int(self.counts.sizes()["n_docs"])
        shared = {"metric": metric, "request": str(request), "bits": request.row.bits}
        shared |= {"subset": subset, "n_docs": n_docs}
        for column in shown:
            label = self.counts.seen_by(request).labels[column - 1] if column else None
            pairs = list(self.pairs(rankings, column))
            about = shared | {
                "label": label,
                "replicas": max((test["replicas"] or 0 for test in _tests_of(pairs)), default=0),
            }
            about |= {"intervals": intervals}
            rows = list(self.rows(rankings, column, support, about))
            if not support[0, column] and _says_nothing(rows, request):
                rows, pairs = list(map(_without_rank, rows)), []
            yield {
                **shared,
                "label": label,
                "n_gold": int(support[0, column]),
                "rows": rows,
                "pairs": pairs,
            }

    def of_docs(self, places: IntArray) -> Resampling:
        """The intervals of some documents, by the place of their clusters; -1 for others."""
        return self.intervals.of_units(unit_masses(places, self.counts.masses))

    def support(self, rows: BoolArray, request: Request) -> IntArray:
        """Spans in some rows: of gold, then of each system; all together, then by label."""
        support = self.counts.seen_by(request).support
        tables = [support["annotator", i] for i in range(len(self.counts))]
        sums = [table[rows].sum(axis=0) for table in tables]
        return np.stack([np.append(one.sum(), one) for one in sums])

    def worst(self, metric: str, number: int) -> dict[str, list[dict[str, Any]]]:
        """The documents without which each system's score would be better, as plain values."""
        request = self.requests[metric]
        return {
            name: list(self.costly(request, self.counts.statistics(request, i).pooled(), number))
            for i, name in enumerate(self.systems, 1)
        }

    def costly(
        self, request: Request, statistics: Statistics, number: int
    ) -> Iterator[dict[str, Any]]:
        """Index, name and cost of the documents whose removal improves a score most."""
        score = request.scorer()
        value = headline(columns(score, statistics.total()))[0]
        without = leave_one_out(
            statistics.parts(), lambda *parts: headline(columns(score, Statistics(*parts)))[:, 0]
        )
        sign = 1 if request.row.higher_is_better else -1
        cost = np.nan_to_num(sign * (without - value), nan=0.0)
        for doc in np.argsort(-cost, kind="stable")[:number]:
            if cost[doc] > 0:
                name = self.counts.name(doc)
                yield {"place": int(doc), "name": name, "cost": float(cost[doc])}

    def rows(
        self, rankings: Any, column: int, support: IntArray, about: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """One row a system."""
        found, changes = system_rows(rankings, column), rank_changes(rankings, column)
        for i, name in enumerate(self.systems):
            yield {
                "system": name,
                "gold": int(support[0, column]),
                "pred": int(support[1 + i, column]),
                **found[i],
                "change": changes[i],
                "signature": self.signature(name, about),
            }

    def signature(self, name: str, about: Mapping[str, Any]) -> str:
        """The signature of a score of a system."""
        facts = {"positions": "token", "docs": about["n_docs"], "gold": self.digest}
        facts |= self.data.get(name, {})
        if about["label"] is not None:
            facts["label"] = about["label"]
        if about["subset"]:
            facts["subset"] = "{by}:{value}".format(**about["subset"])
        if name in self.drawn:
            facts["draws"] = self.draws
        drawn = f",{about['replicas']}/{self.most}" if about["replicas"] else ""
        test = self.comparison.used(about["intervals"])
        facts |= {"systems": len(self.systems), "test": f"{test}{drawn}"}
        return signature(about["request"], facts, about["intervals"])

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of gold."""
        return self.counts.digest()

    @cached_property
    def drawn(self) -> set[str]:
        """The systems of which some expectation was drawn."""
        return {
            self.counts.names[key[2]]
            for counted in self.counts.metrics.values()
            for one in counted.rows
            for key in one.keys
            if one.statistics.totals is not None
        }

    def pairs(self, rankings: Any, column: int) -> Iterator[dict[str, Any]]:
        """One test a pair of systems, in the order of their names."""
        for i, (first, second) in enumerate(combinations(self.systems, 2)):
            tests = {
                side: ranking.pair(i, column) | ranking.decision(i, column)
                for side, ranking in rankings.items()
            }
            yield {"first": first, "second": second, **tests}

    def about(self, name: str) -> dict[str, Any]:
        """The entry of a system in their list."""
        sizes = self.counts.sizes(self.counts.names.index(name, 1))
        return {"name": name, "n_pred": sizes["n_pred"], "n_unplaced": sizes["n_unplaced"]}


def _says_nothing(rows: Sequence[Mapping[str, Any]], request: Request) -> bool:
    """Whether scores without gold spans do not rank systems: undefined for what predicts nothing.

    So are precision, recall, F, alphas and the error rate; what rightly predicts nothing would have
    no rank, and the others the first. Scores that are 0 for all others do not rank them either.
    """
    scores = [row[name] for row in rows for name in SCORE_COLUMNS if name in row]
    return None in scores or request.row.higher_is_better and not any(scores)


def _without_rank(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a board that ranks nothing."""
    unranked = {"rank": None, "rank_low": None, "rank_high": None, "first": None, "group": ""}
    parts = {key: unranked.get(key.removeprefix("observed_"), one) for key, one in row.items()}
    return {**parts, "change": None}


def _sort_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The sort key of the rows of a board: rank, then the name."""
    value = row["rank"]
    spurious = 0 if row["gold"] else row["pred"]
    return (value is None, value or spurious), row["system"]


def _tests_of(pairs: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The tests of pairs, of observed and of corrected scores."""
    for pair in pairs:
        yield from (pair[name] for name in SCORE_COLUMNS if name in pair)


def _notes(
    boards: _Boards,
    rows: Sequence[Mapping[str, Any]],
    subsets: Mapping[str, Mapping[str, BoolArray]],
) -> Iterator[str]:
    """Notes that a reader needs before trusting the boards."""
    counts = boards.counts
    yield from disagreement_notes(boards.requests)
    if boards.intervals.resamples:
        yield from _resampling_notes(boards, subsets)
        decided = [test["decided"] for board in rows for test in _tests_of(board["pairs"])]
        if False in decided:
            yield (
                f"Not decided after {boards.most:,} replicates (? behind letters): "
                f"{decided.count(False):,} of {len(decided):,} tests, whose p-values after Holm's "
                f"correction lie too near {boards.comparison.alpha}. More resamples decide more."
            )
    for by, parts in subsets.items():
        covered = np.any(list(parts.values()), axis=0)
        outside = int((counts.seen[0] & ~covered).sum())
        if outside:
            yield f"{outside} documents are in no part of {quoted(by)}."
        empty = [part for part, docs in parts.items() if not (counts.seen[0] & docs).any()]
        if empty:
            yield f"No document is in these parts of {quoted(by)}: {', '.join(empty)}."
    bare = [
        "{by}: {value}".format(**board["subset"]) if board["subset"] else "all documents"
        for board in rows
        if not board["n_gold"] and all(row["rank"] is None for row in board["rows"])
    ]
    if bare:
        yield (
            "Without gold spans, scores rank no system; predicted spans, all of them spurious, are "
            f"counted instead ({', '.join(dict.fromkeys(bare))})."
        )


def _resampling_notes(
    boards: _Boards, subsets: Mapping[str, Mapping[str, BoolArray]]
) -> Iterator[str]:
    """Notes about too few documents, or clusters, to resample."""
    intervals = boards.of_docs(boards.places)
    what = unit_words(intervals.unit)
    if len(distinct(boards.places[boards.places >= 0])) < 2:
        yield f"There is nothing to resample but one of the {what}: no intervals, no tests."
        return
    yield from intervals.few_notes()
    for by, parts in subsets.items() if intervals.n_eff >= FEW else ():
        some = (boards.of_docs(np.where(docs, boards.places, -1)) for docs in parts.values())
        small = sum(one.n_eff < FEW for one in some)
        if small:
            worth = f"worth fewer than {FEW} {what} (n_eff)"
            yield f"{small} of {len(parts)} parts by {by} are {worth}."
