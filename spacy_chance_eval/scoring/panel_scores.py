"""Scores of a panel: of all pairs, of each annotator against the others, as a team.

Everything is made of sums over documents, so one function scores the sample and its resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isnan, nan
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import FloatArray, IntArray
from ..measures.resampling import Order, arrays_of, slices
from ..metrics.request import Request
from .counts import (
    INCOMPLETE,
    TEAM,
    Counted,
    Counts,
    Key,
    Progress,
    lacks_complete_items,
    no_progress,
    pairs_in_order,
)
from .intervals import LIMITED, Resampling, limit_columns
from .pair_scores import MEAN as MEAN
from .pair_scores import PairScores, document_means, has_many_pairs, score_rows
from .statistics import (
    CROSSED,
    NAMES,
    add_statistics,
    columns,
    disagreements,
    headline,
    plain,
    wide,
)

# scores by key, also of ("mean",) of the pairs and of ("others", i): annotator i against each other
ScoreRow: TypeAlias = dict[str, Any]
BLOCK = 1 << 20  # numbers of documents that are scored one by one, at a time
OF_ALL = "the coefficient of all annotators at once"
OF_SUMS = "sums of observed and expected matches over all pairs, divided once"
NO_SHARED = "no document that two of them saw"
NOTHING = "there is nothing that they could agree on: nothing marked, or nothing in common"
ONE_VALUE = "chance alone agrees fully: one and the same value everywhere"
ALONE = "agreement needs two annotators, and there is only one"
ADVICE = "quote single pairs or labels"
BY_LABEL = "it is of all labels together"
NO_PAIRS = "pairs of annotators were left out"
NO_MAJORITY = "there is no majority beside one other annotator"


@dataclass(frozen=True, eq=False)
class PanelScore(PairScores):
    """The scores of one metric on a panel, and their origin."""

    panel: Counts
    request: Request
    counted: Counted
    draws: str = ""
    no_shared = NO_SHARED  # of the class: why annotators who share nothing have no score

    @property
    def support(self) -> IntArray:
        """Spans by label, in the documents that at least two annotators saw."""
        spans: IntArray = self.panel.support[TEAM][0]
        return spans

    def used(self, key: Key) -> IntArray:
        """Labels, by number, that either of a pair used in the documents that both saw."""
        pair: Key = ("pair", *sorted(key[1:]))
        return np.flatnonzero(self.panel.support[pair][0])

    @cached_property
    def has_many_pairs(self) -> bool:
        """Whether there are too many pairs to compute labels and intervals of each."""
        return has_many_pairs(self.counted.rows)

    def keys_of_pairs(self) -> list[Key]:
        """The pairs, with or without statistics; both orders where these differ."""
        pairs = self.panel.sharing_pairs if self.panel.with_pairs else []
        keys: list[Key] = [("pair", i, j) for i, j in pairs]
        mirrored = [] if self.request.is_symmetric else [("pair", j, i) for _, i, j in keys]
        return sorted(keys + mirrored)

    @property
    def definition(self) -> str | None:
        """The meaning of the team's score, in words; None if there is none."""
        metric = self.request.row
        return OF_ALL if metric.team else None if metric.parts or metric.bits else OF_SUMS

    def signed(self) -> dict[str, str]:
        """Further facts for the signature: number and seed of draws, if there were any."""
        drawn = any(not one.exact for one in self.counted.every())
        return {"draws": self.draws} if drawn else {}

    def n_defined(self, keys: Iterable[Key]) -> int:
        """How many of some keys have a score."""
        return sum(key in self.scores and not isnan(headline(self.scores[key])[0]) for key in keys)

    def n_docs(self, key: Key) -> int:
        """Number of documents behind a score."""
        if key[0] == "pair":
            return self.panel.n_shared(*key[1:])
        if key[0] in ("others", "majority"):
            return int(self.panel.with_others[key[1]])
        return self.panel.n_all_shared

    def row(self, key: Key, column: int = 0) -> ScoreRow:
        """Scores, intervals, number of shared documents, reason if undefined.

        Of all labels together also `macro_docs`, the mean of the scores of single documents.
        For coefficients based on disagreement, also observed and expected disagreement.
        """
        names = NAMES if self.request.is_corrected else ("observed",)
        row: ScoreRow = dict.fromkeys(names)
        lacking = self._lacking(key, column)
        if key in self.scores and self.n_docs(key) and not lacking:
            row = {name: plain(one[column]) for name, one in self.scores[key].items()}
        limits = {} if lacking else self.limits.get(key, {})
        nothing = np.full((2, column + 1), np.nan)
        found = {name: limits.get(name, nothing)[:, column] for name in LIMITED if name in names}
        row |= {name: plain(one) for name, one in limit_columns(found).items()}
        macro = None if lacking else plain(self.macro_docs.get(key))
        row |= {} if column else {"macro_docs": macro}
        row |= {**disagreements(row, self.request), "n_docs": self.n_docs(key), "reason": lacking}
        if headline(row) is None and not lacking:
            whole = self.row(key) if column else None
            alone = whole and (headline(whole) is not None or whole["reason"] == CROSSED)
            row["reason"] = self._why_nothing(row) if alone else self._reason(key, row)
            labels = (headline(scores)[1:] for scores in self.scores.values())
            if alone and row["reason"] == NOTHING and all(np.isnan(one).all() for one in labels):
                row["reason"] = BY_LABEL
        return row

    @cached_property
    def _faults(self) -> Mapping[Key, str]:
        """Why pairs have no score although they have something to agree on."""
        keys = [key for key in self.keys_of_pairs() if not self.n_defined([key])]
        reasons = {key: str(self.row(key)["reason"]) for key in keys}
        return {key: text for key, text in reasons.items() if text not in (NOTHING, ONE_VALUE)}

    def _lacking(self, key: Key, column: int) -> str | None:
        """Why a mean over pairs has no value: it would be that of the other pairs.

        Of labels each is rated by itself where units of several labels overlap.
        """
        if key[0] not in (*MEAN, "others") or key not in self.scores:
            return None
        keys = [one for one in self.keys_of_pairs() if key == MEAN or key[1] in one[1:]]
        faults = [self._faults[one] for one in keys if one in self._faults]
        faults = [text for text in faults if not column or text != CROSSED]
        if not faults or len(faults) == len(keys):
            return None  # which has a reason of its own
        return f"{len(faults)} of {len(keys)} pairs cannot be scored ({faults[0]}); {ADVICE}"

    def _reason(self, key: Key, row: ScoreRow) -> str:
        """Why a score is undefined, in words."""
        if len(self.panel) < 2:
            return ALONE
        if not self.n_docs(key):
            return self.no_shared
        if key != TEAM and not self.panel.with_pairs:
            return NO_PAIRS
        if key in self.counted.reasons:
            return self.counted.reasons[key]
        if key[0] == "majority" and key not in self.scores:
            return NO_MAJORITY
        if key == TEAM and lacks_complete_items(self.request.row, self.panel):
            return INCOMPLETE.format(len(self.panel))
        faults = [self.counted.reasons[one] for one in pairs_in_order(self.counted.reasons)]
        return faults[0] if faults and key not in self.scores else self.why(row, key)

    def why(self, row: ScoreRow, key: Key = TEAM, doc: int | None = None) -> str:
        """Why counts that are there, of all documents or of one, give no score, in words."""
        some = self.counted.statistics_of(key, doc)
        own = doc is None and key in self.scores and key[0] != "others"  # means have no labels
        labels = headline(self.scores[key])[1:] if own else ()
        crossed = row["observed"] is None and not (len(labels) and np.isnan(labels).all())
        crossed = crossed and any(one.is_crossed for one in some)
        return CROSSED if crossed else self._why_nothing(row)

    def _why_nothing(self, row: ScoreRow) -> str:
        """Why counts without a headline give no score, in words."""
        observed, expected = row["observed"], row.get("expected")
        certain = expected > 1 - 1e-9 if expected is not None else observed is not None
        return ONE_VALUE if certain else NOTHING

    @cached_property
    def documents_of_keys(self) -> Mapping[Key, tuple[IntArray, FloatArray]]:
        """The documents that a pair, a majority or the team shares, and the score of each.

        Nothing where documents are not kept apart.
        """
        found: dict[Key, tuple[IntArray, FloatArray]] = {}
        for rows in self.counted.rows if self.panel.by_document else ():
            scores = columns(self.request.scorer(), rows.statistics.arrays(wide).pooled())
            found |= zip(rows.keys, zip(rows.docs, headline(scores)[..., 0]))
        return found

    @cached_property
    def macro_docs(self) -> Mapping[Key, float]:
        """Means of the scores of single documents that are defined, by key.

        Of all pairs, and of an annotator with each other one, every document of every pair counts
        alike.
        """
        sums: dict[Key, FloatArray] = {}
        for key, sum_and_number in self.counted.macro.items():
            sides = key[1:] if self.request.is_symmetric else key[2:]
            means = [MEAN, *(("others", i) for i in sides)] if key[0] == "pair" else []
            for one in (key, *means):
                sums[one] = sums.get(one, np.zeros(2)) + sum_and_number
        return {key: total / n if n else nan for key, (total, n) in sums.items()}

    def by_document(self) -> Mapping[str, FloatArray]:
        """The scores of each document, and its cost to the team.

        Arrays of shape (n_docs,). The cost is how much better the team would score without the
        document. Where there is no score of the team: means of the pairs, and no cost. Nothing
        where documents are not kept apart.
        """
        team, pairs = self.counted.of_kind("team"), self.counted.of_kind("pair")
        if not (team or pairs) or not self.panel.by_document:
            return {}
        score, n_docs = self.request.scorer(), self.panel.seen.shape[1]
        found = document_means(score, team or pairs, n_docs) | {"cost": np.full(n_docs, np.nan)}
        for rows in team:
            statistics = rows.statistics.arrays(lambda array: wide(array[0]))
            width = max(array[0].size for array in arrays_of(statistics.observed))
            total, (docs,) = statistics.total().pooled(), rows.docs
            for some in slices(len(docs), max(BLOCK // max(width, 1), 1)):
                mine = statistics.each(lambda part: part[some]).pooled()  # noqa: B023
                without = columns(score, add_statistics(mine.arrays(np.negative), total))
                cost = headline(without)[:, 0] - headline(self.scores[TEAM])[0]
                found["cost"][docs[some]] = cost if self.request.row.higher_is_better else -cost
        return found


def score_panel(
    counts: Counts,
    requests: Iterable[Request],
    *,
    clusters: Sequence[Any] | None = None,
    intervals: Resampling,
    draws: str = "",
    progress: Progress = no_progress,
) -> list[PanelScore]:
    """The `PanelScore` of each request, in order."""
    order, scores = None, []
    if intervals.resamples:
        order = intervals.in_blocks(counts.order(clusters))
    for request in requests:
        report = partial(progress, total=None, what=request.metric)
        counted, seen = counts.metrics[str(request)], counts.seen_by(request)
        one = score_metric(seen, request, counted, order, intervals, report)
        scores.append(replace(one, draws=draws))
    return scores


def score_metric(
    panel: Counts,
    request: Request,
    counted: Counted,
    order: Order | None,
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> PanelScore:
    """The `PanelScore` of one metric; `order` is that of `Counts.order`, None without intervals."""
    found = score_rows(request, counted.rows, panel.seen.shape, order, intervals, progress)
    return PanelScore(**vars(found), panel=panel, request=request, counted=counted)
