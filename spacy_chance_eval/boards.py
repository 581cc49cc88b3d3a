"""The boards of a leaderboard, as plain values: rows, pairs, their order, and what to warn of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import ceil

import numpy as np

from .intervals import Resampling, Statistics, columns, order_keys, plain, total_and_labels
from .measures.resampling import cluster_order, grouped, leave_one_out
from .metrics.catalog import CATALOG
from .scores import signature
from .standings import Comparison, standings

SORTS = ("corrected", "observed", "change", "name")
FEW = 40  # clusters, below which intervals hold less often than they say


@dataclass(frozen=True, eq=False)
class Table:
    """All that boards are made from."""

    tallies: Mapping  # {system: Tally}, sorted
    requests: Mapping
    intervals: Resampling
    comparison: Comparison
    places: np.ndarray  # the cluster of each row of the tallies
    draws: str  # number and seed of random annotations
    data: Mapping
    watch: Callable

    @property
    def first(self):
        """What is said of gold, any tally says alike."""
        return next(iter(self.tallies.values()))

    @cached_property
    def keys(self):
        """What rows are put in order by."""
        if self.first.rows is None:
            return []
        keys = [one.rows.keys for one in self.tallies.values()]
        return order_keys(keys[0]["gold"], keys[0]["words"], [one["pred"] for one in keys])

    def boards(self, metric, subsets):
        """The boards of a metric: the whole, each label of gold, each part of each subset."""
        yield from self.made(metric, np.ones(len(self.places), bool), labels=True)
        for by, parts in subsets.items():
            for part, docs in parts.items():
                if (self.first.rows.seen & docs).any():
                    yield from self.made(metric, docs, {"by": by, "value": part})

    def made(self, metric, docs, subset=None, labels=False):
        """One board of some documents or, with `labels`, also one for each label of gold."""
        request = self.requests[metric]
        score, bits = request.scorer(), CATALOG[request.metric].bits
        places = np.where(docs, self.places, -1)
        order, known = cluster_order(places, self.keys), {}
        systems = [one.statistics[str(request)] for one in self.tallies.values()]
        systems = systems if labels else [one.pooled() for one in systems]
        systems = [one.each(partial(grouped, order=order, known=known)) for one in systems]
        watch = partial(self.watch, what=f"{metric}: resamples")
        found = standings(score, systems, self.intervals, self.comparison, watch)
        expected = np.stack([total_and_labels(score, one.total())["expected"] for one in systems])
        support = self.support(places >= 0)
        shared = {"metric": metric, "request": str(request), "bits": bits, "subset": subset}
        shared["n_docs"] = int((places >= 0).sum())
        if self.first.rows is None:
            shared["n_docs"] = self.first.sizes["n_docs"]
        for column in [0, *(1 + np.flatnonzero(support[0, 1:]))] if labels else [0]:
            label = self.first.labels[column - 1] if column else None
            yield {
                **shared,
                "label": label,
                "n_gold": int(support[0, column]),
                "rows": list(
                    self.rows(found, column, support, expected, shared | {"label": label})
                ),
                "pairs": list(self.pairs(found, column)),
            }

    def support(self, rows):
        """Spans in some rows: of gold, then of each system; all together, then by label."""
        sides = [self.first.support["gold"], *(t.support["pred"] for t in self.tallies.values())]
        sums = [table[rows].sum(axis=0) for table in sides]
        return np.stack([np.append(one.sum(), one) for one in sums])

    def worst(self, metric, number):
        """{system: the documents without which its score would rise most}, as plain values."""
        score = self.requests[metric].scorer()
        name_of = str(self.requests[metric])
        return {
            name: list(self.costly(tally.statistics[name_of].pooled(), score, number))
            for name, tally in self.tallies.items()
        }

    def costly(self, statistics, score, number):
        """Place, name and cost of the documents that cost a score most."""
        value = columns(score, statistics.total())["value"][0]
        without = leave_one_out(
            statistics.parts(), lambda *parts: columns(score, Statistics(*parts))["value"][:, 0]
        )
        cost = np.nan_to_num(without - value, nan=0.0)
        for doc in np.argsort(-cost, kind="stable")[:number]:
            if cost[doc] > 0:
                yield {"place": int(doc), "name": self.first.name(doc), "cost": float(cost[doc])}

    def rows(self, found, column, support, expected, about):
        """One row a system."""
        observed = found["observed"].of_systems(column)
        corrected = found["corrected"].of_systems(column) if "corrected" in found else None
        for i, name in enumerate(self.tallies):
            ranks = [side[i]["rank"] for side in (observed, corrected or observed)]
            yield {
                "system": name,
                "gold": int(support[0, column]),
                "pred": int(support[1 + i, column]),
                "observed": observed[i],
                "expected": plain(expected[i, column]),
                "corrected": corrected and corrected[i],
                "change": None if corrected is None or None in ranks else ranks[0] - ranks[1],
                "signature": self.signature(name, about),
            }

    def signature(self, name, about):
        """What a number of a system is quoted with."""
        facts = {"positions": "token", "docs": about["n_docs"], "gold": self.digest}
        facts.update(self.data.get(name, {"repair": "none"}))
        if about["label"] is not None:
            facts["label"] = about["label"]
        if about["subset"]:
            facts["subset"] = "{by}:{value}".format(**about["subset"])
        if any(one.totals is not None for one in self.tallies[name].statistics.values()):
            facts["draws"] = self.draws
        facts |= {"systems": len(self.tallies), "test": self.comparison}
        return signature(about["request"], facts, self.intervals)

    @cached_property
    def digest(self):
        """That of gold."""
        return self.first.digest()

    def pairs(self, found, column):
        """One test a pair of systems, in the order of their names."""
        for i, (first, second) in enumerate(combinations(self.tallies, 2)):
            tests = {side: standing.of_pair(i, column) for side, standing in found.items()}
            yield {"first": first, "second": second, "corrected": None, **tests}


def sorting(sort, names):
    """(metric or None, column) that `sort` names, for a board of some metrics."""
    if sort in names:
        return sort, "corrected"
    metric, colon, column = sort.rpartition(":")
    if column not in SORTS or (colon and metric not in names):
        raise ValueError(
            f"cannot sort by {sort!r}; expected {', '.join(SORTS)}, or METRIC or METRIC:COLUMN "
            f"with one of {', '.join(names)}"
        )
    return metric or None, column


def in_order(boards, metric, column):
    """Put the rows of each board into its order by a column, or all into that of one metric."""
    for board in boards:
        board["rows"].sort(key=partial(sort_key, column=column))
    if metric is not None:
        first = next(board for board in boards if board["metric"] == metric)
        given = [row["system"] for row in first["rows"]]
        for board in boards:
            board["rows"].sort(key=lambda row: given.index(row["system"]))


def sort_key(row, column):
    """What the rows of a board are sorted by; the name decides between equals."""
    if column == "name":
        return 0, row["system"]
    if column == "change":
        value = None if row["change"] is None else -row["change"]
    else:
        value = (row[column] or row["observed"])["rank"]
    return (value is None, value or 0), row["system"]


def notes(table, n_clusters, subsets):
    """What a reader should know before trusting the boards."""
    if table.intervals.resamples:
        yield from resampling_notes(table, n_clusters, subsets)
    known = set(table.first.used["gold"])
    for name, tally in table.tallies.items():
        unknown = [label for label in tally.used["pred"] if label not in known]
        if unknown:
            more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            yield (
                f"{name} predicts labels that gold does not have "
                f"({', '.join(unknown[:3])}{more}): they count as wrong."
            )
    for by, parts in subsets.items():
        covered = np.any(list(parts.values()), axis=0)
        outside = int((table.first.rows.seen & ~covered).sum())
        if outside:
            yield f"{outside} documents are in no part of {by!r}."


def resampling_notes(table, n_clusters, subsets):
    """Where there is too little to resample, or too few resamples were made."""
    intervals, n_systems = table.intervals, len(table.tallies)
    what = "documents" if intervals.unit == "documents" else f"clusters (by {intervals.unit})"
    if n_clusters < 2:
        yield f"There is nothing to resample but one of the {what}: no intervals, no tests."
    elif n_clusters < FEW:
        yield (
            f"There are only {n_clusters} {what} to resample: intervals are too narrow (with 6 to "
            "40, those of 95 % held the true score 85 to 92 % of the time; bca comes closer), and "
            "tests seldom tell systems apart."
        )
    for by, parts in subsets.items() if n_clusters >= FEW else ():
        places = (table.places[docs & table.first.rows.seen] for docs in parts.values())
        small = sum(len(np.unique(part)) < FEW for part in places)
        if small:
            yield f"{small} of {len(parts)} parts by {by} have fewer than {FEW} {what}."
    n_pairs = n_systems * (n_systems - 1) // 2
    enough = ceil(n_pairs / table.comparison.alpha)
    if n_pairs and intervals.resamples < enough:
        yield (
            f"With {intervals.resamples} resamples no p-value of {n_pairs} pairs can fall below "
            f"{table.comparison.alpha} after Holm's correction, so that all systems share a group: "
            f"take at least {enough}."
        )
