"""Scores of a panel: of all pairs, of each annotator against the others, as a team.

Everything is made of sums over documents, so one function scores the sample and its resamples.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import isnan

import numpy as np

from ..measures.panel import Roster
from ..measures.resampling import bootstrap_weights, cluster_order, grouped, resampled, slices
from ..measures.spans import scrambled
from ..measures.stats import Additive, ratio
from ..metrics.request import METRICS, Request
from .intervals import Resampling, cluster_places, columns, n_rows, plain, total_and_labels
from .panel_counts import Counted, added, is_symmetric
from .panel_tallies import tally_of_panel
from .tallies import widened

BLOCK = 1 << 16  # documents that are scored by themselves at a time


@dataclass(frozen=True, eq=False)
class Shared(Additive):
    """Whether both of a pair saw a document: shape (n_docs, n_pairs). Sum over documents."""

    docs: np.ndarray


def scores_of(score, sums, shared, n_annotators, symmetric):
    """Scores of sums: {key: {name: array}}, also of the mean of pairs, and of each against others.

    Parameters
    ----------
    score : Scorer
    sums : mapping of keys to Statistics
        Summed over documents: arrays (..., n_labels).
    shared : ndarray of shape (..., n_pairs)
        Documents that count for each pair, in the order of the pairs among `sums`: their weights.
    n_annotators : int
    symmetric : bool
        Otherwise an annotator against others is the prediction, and the others are gold.
    """
    found = {key: total_and_labels(score, one) for key, one in sums.items()}
    return with_means(found, shared, n_annotators, symmetric)


def with_means(found, shared, n_annotators, symmetric=True):
    """Scores by key, and those of the mean of pairs and of each against others: see `scores_of`."""
    pairs = [key for key in found if key[0] == "pair"]
    groups = {("mean",): pairs}
    for number in range(n_annotators):
        mine = [key for key in pairs if number in (key[1:] if symmetric else key[2:])]
        groups["others", number] = mine
    column = {key: shared[..., i, None] for i, key in enumerate(pairs)}
    for group, members in groups.items():
        if members:
            weights = np.stack([column[key] for key in members])
            found[group] = {
                name: weighted_mean(np.stack([found[key][name] for key in members]), weights)
                for name in ("value", "observed", "expected")
            }
    return found


def weighted_mean(values, weights):
    """Weighted mean of the defined values along the first axis; nan if there are none."""
    defined = ~np.isnan(values)
    weights = np.broadcast_to(weights, values.shape) * defined
    return ratio((weights * np.where(defined, values, 0)).sum(axis=0), weights.sum(axis=0))


OF_ALL = "the coefficient of all annotators at once"
OF_SUMS = "sums of observed and expected matches over all pairs, divided once"
NO_SHARED = "no document that two of them saw"
NOTHING = "there is nothing that they could agree on: nothing marked, or nothing in common"
ONE_VALUE = "chance alone agrees fully: one and the same value everywhere"
ALONE = "agreement needs two annotators, and there is only one"
BY_LABEL = "it is of all labels together"
NO_MAJORITY = "there is no majority beside one other annotator"


def reason_of(found):
    """Why counts that are there give no score, in words."""
    observed, expected = found["observed"], found["expected"]
    certain = expected > 1 - 1e-9 if expected is not None else observed is not None
    return ONE_VALUE if certain else NOTHING


@dataclass(frozen=True, eq=False)
class Sheet:
    """The scores of one metric on a panel, and how they were made."""

    panel: Roster  # a `PanelTally`, or a panel of trees
    request: Request
    counted: Counted
    scores: Mapping  # key: {"value", "observed", "expected": array (1 + n_labels,)}
    limits: Mapping  # key: {"value", "observed": array (2, 1 + n_labels)}; empty without resamples
    draws: str = ""  # number and seed, for signatures
    undefined: float = 0.0  # share of the resamples in which the mean of the pairs has no score
    no_shared = NO_SHARED  # of all sheets: why annotators who share nothing have no score

    @property
    def support(self):
        """Spans by label, in the documents that at least two annotators saw."""
        return self.panel.support["team",]

    def keys_of_pairs(self):
        """The pairs, with or without statistics; both orders where these differ."""
        keys = [("pair", i, j) for i, j in self.panel.pairs()]
        turned = [] if is_symmetric(self.request) else [("pair", j, i) for _, i, j in keys]
        return sorted(keys + turned)

    @property
    def definition(self):
        """What the score of the team is, in words; None if there is none."""
        metric = METRICS[self.request.metric]
        return OF_ALL if metric.team else None if metric.parts or metric.bits else OF_SUMS

    @property
    def facts(self):
        """What more the signature has to say: number and seed of draws, if there were any."""
        drawn = any(not one.exact for one in self.counted.statistics.values())
        return {"draws": self.draws} if drawn else {}

    def n_defined(self, keys):
        """How many of some keys have a score."""
        return sum(key in self.scores and not isnan(self.scores[key]["value"][0]) for key in keys)

    def used(self, key):
        """Labels, by number, that either of a pair used in the documents that both saw."""
        return np.flatnonzero(self.panel.support[("pair", *sorted(key[1:]))])

    def n_docs(self, key):
        """Documents behind a score."""
        if key[0] == "pair":
            return self.panel.n_shared(*key[1:])
        if key[0] in ("others", "majority"):
            return int(self.panel.with_others[key[1]])
        return self.panel.n_all_shared

    def row(self, key, column=0):
        """Value, observed, expected, their intervals, shared documents; the reason if undefined."""
        found = dict.fromkeys(("value", "observed", "expected"))
        if key in self.scores and self.n_docs(key):
            found = {name: plain(one[column]) for name, one in self.scores[key].items()}
        limits = self.limits.get(key, {})
        for name, limit in (("interval", "value"), ("observed_interval", "observed")):
            low, high = limits[limit][:, column] if limits else (np.nan, np.nan)
            found[name] = None if isnan(low) else (float(low), float(high))
        found |= {"n_docs": self.n_docs(key), "reason": None}
        if found["value"] is None:
            whole = column == 0 or self.row(key)["value"] is None
            found["reason"] = self.reason(key, found) if whole else self.label_reason(found)
        return found

    def label_reason(self, found):
        """Why a label has no score where all labels together have one."""
        of_all = all(np.isnan(scores["value"][1:]).all() for scores in self.scores.values())
        reason = self.why(found)
        return BY_LABEL if of_all and reason == NOTHING else reason

    def reason(self, key, found):
        """Why a score is undefined, in words."""
        if len(self.panel) < 2:
            return ALONE
        if not self.n_docs(key):
            return self.no_shared
        if key in self.counted.reasons:
            return self.counted.reasons[key]
        if key[0] == "majority" and key not in self.scores:
            return NO_MAJORITY
        faults = [text for one, text in self.counted.reasons.items() if one[0] == "pair"]
        return faults[0] if faults and key not in self.scores else self.why(found)

    def why(self, found):
        """Why counts that are there give no score, in words."""
        return reason_of(found)

    def by_document(self):
        """Value, observed and expected score of each document, and what it costs the team.

        Arrays of shape (n_docs,). The cost is how much better the team would score without the
        document. Where there is no score of the team: means of the pairs, and no cost. Nothing
        where documents are not kept apart.
        """
        team, pairs = self.counted.statistics.get(("team",)), self.counted.pairs()
        n_docs = self.panel.seen.shape[1]
        if team is None and not pairs:
            return {}
        if n_rows([team or self.counted.statistics[pairs[0]]]) != n_docs:
            return {}
        rows_of = self.team_rows if team else self.pair_rows
        blocks = [rows_of(some) for some in slices(max(n_docs, 1), BLOCK)]
        return {name: np.concatenate([one[name] for one in blocks]) for name in blocks[0]}

    def team_rows(self, some):
        """What `by_document` has of some documents, by the statistics of the team."""
        score, team = self.request.scorer(), self.counted.statistics["team",]
        pooled = rows_of(team, some).pooled()
        rows = {name: column[:, 0] for name, column in columns(score, pooled).items()}
        rest = added(pooled.each(lambda part: part.each(np.negative)), team.total().pooled())
        without = columns(score, rest)["value"][:, 0]
        sign = 1 if METRICS[self.request.metric].higher_is_better else -1
        return rows | {"cost": sign * (without - self.scores["team",]["value"][0])}

    def pair_rows(self, some):
        """What `by_document` has of some documents, by the statistics of the pairs."""
        score, pairs = self.request.scorer(), self.counted.pairs()
        found = [
            columns(score, rows_of(self.counted.statistics[key], some).pooled()) for key in pairs
        ]
        weights = shared_documents(self.panel, pairs).docs[some].T[..., None]
        rows = {
            name: weighted_mean(np.stack([one[name] for one in found]), weights)[:, 0]
            for name in ("value", "observed", "expected")
        }
        return rows | {"cost": np.full(len(rows["value"]), np.nan)}


def rows_of(statistics, some):
    """Some rows of `Statistics`, integers at full size: they may be kept in few bytes."""
    return widened(statistics.each(lambda part: part[some]))


def shared_documents(panel, pairs):
    """The documents that each of some pairs shares."""
    seen = [panel.seen[list(key[1:])].all(axis=0) for key in pairs]
    return Shared(np.array(seen, np.int8).reshape(len(pairs), panel.seen.shape[1]).T)


def sheet_of(panel, request, counted, order, intervals, progress):
    """The `Sheet` of one metric; `order` as `cluster_order` makes it, None without intervals."""
    score, symmetric = request.scorer(), is_symmetric(request)
    scored = partial(scores_of, score, n_annotators=len(panel), symmetric=symmetric)
    totals = {key: one.total() for key, one in counted.statistics.items()}
    scores = scored(totals, np.array([panel.n_shared(*key[1:]) for key in counted.pairs()]))
    if not intervals.resamples or len(order[1]) < 2 or not totals:
        return Sheet(panel, request, counted, scores, {})
    shared = shared_documents(panel, counted.pairs())
    known = {}
    group = partial(grouped, order=order, known=known)
    units = {key: one.each(group) for key, one in counted.statistics.items()}
    shared = group(shared)
    replicas = scored(*resampled_sums(units, shared, len(order[1]), intervals, progress))
    left_out = {}
    if intervals.interval == "bca":
        without = {key: one.each(leave_one_out) for key, one in units.items()}
        left_out = scored(without, leave_one_out(shared).docs)
    return Sheet(panel, request, counted, scores, **spread(intervals, scores, replicas, left_out))


def spread(intervals, scores, replicas, left_out):
    """`limits` and `undefined` of a `Sheet`, from the scores of resamples, and without each row."""
    limits = {
        key: {
            name: intervals.limits(scores[key][name], many[name], left_out.get(key, {}).get(name))
            for name in ("value", "observed")
        }
        for key, many in replicas.items()
    }
    undefined = np.isnan(replicas["mean",]["value"][:, 0]).mean() if ("mean",) in replicas else 0
    return {"limits": limits, "undefined": float(undefined)}


def leave_one_out(statistics):
    """The sums without each row."""
    return statistics.each(np.negative) + statistics.total()


def resampled_sums(units, shared, n_rows, intervals, progress):
    """Sums of the resamples: {key: Statistics}, and the weights of pairs."""
    parts = [part for one in units.values() for part in one.parts()]
    rng = np.random.default_rng(intervals.seed)
    weights = bootstrap_weights(n_rows, intervals.resamples, rng)
    sums = iter(resampled([*parts, shared], weights, intervals.resamples, progress))
    found = {key: one.each(lambda part: next(sums)) for key, one in units.items()}
    return found, next(sums).docs


def row_order(tally, clusters=None):
    """What is resampled of a `PanelTally`: documents that two annotators saw, or clusters of them.

    In an order that their content decides, whatever order documents and annotators came in, and
    whoever saw none of them. Annotators are told apart by all that they did: documents in which
    two have changed places are not alike.
    """
    did = np.where(tally.seen, tally.contents, np.uint64(0))
    content = scrambled(did.sum(axis=0), tally.words)
    who = told_apart(content, did, tally.seen, tally.shared)
    places = np.where(tally.shared, cluster_places(clusters, tally.n_docs), -1)
    return cluster_order(places, [content, who])


def told_apart(content, did, seen, shared):
    """A number for each document that says who did what; annotators are known by all they did.

    Parameters
    ----------
    content : unsigned integer array of shape (n_docs,)
        What was done in each document, whoever did it.
    did : sequence of such arrays
        What each annotator did.
    seen : boolean array of shape (n_annotators, n_docs)
    shared : boolean array of shape (n_docs,)
        What they are known by.
    """
    people = [scrambled(content, mine)[shared].sum(keepdims=True) for mine in did]
    rows = [scrambled(mine, person) for mine, person in zip(did, people)]
    return np.where(seen, rows, np.uint64(0)).sum(axis=0)


def panel_sheets(panel, requests, *, clusters=None, intervals=None, draws=1000, seed=0, watch=None):
    """The `Sheet` of each request, in order."""
    tally = tally_of_panel(panel, requests, draws=draws, seed=seed, watch=watch)
    settings = {"clusters": clusters, "intervals": intervals, "watch": watch}
    return sheets_of(tally, requests, draws=f"{draws},{seed}", **settings)


def sheets_of(tally, requests, *, clusters=None, intervals=None, draws="", watch=None):
    """The `Sheet` of each request on a `PanelTally`, in order; `draws` is for signatures."""
    watch = watch or (lambda steps, total=None, what="": steps)
    intervals = intervals or Resampling(resamples=0)
    order = row_order(tally, clusters) if intervals.resamples else None
    sheets = [
        sheet_of(tally, request, counted, order, intervals, partial(watch, what=request.metric))
        for request, counted in zip(requests, tally.counted)
    ]
    return [replace(sheet, draws=draws) for sheet in sheets]
