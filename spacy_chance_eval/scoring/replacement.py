"""May a candidate replace an annotator? The alternative annotator test as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import isnan
from numbers import Real
from typing import Any

import numpy as np

from ..measures import replacement as measures
from ..measures.arrays import BoolArray, FloatArray, IntArray
from ..measures.items import items_of
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..measures.replacement import PASSED, Outcomes
from ..measures.spans import Spans
from ..metrics.request import Request, of_spans
from .counts import PairCounter
from .intervals import Resampling, cluster_places
from .statistics import columns, headline, plain

ACCURACY = "accuracy"
DRAWS = 1000  # random annotations, where an expectation has no formula
EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}  # Calderon et al. (2025), by annotators
RELIABLE = 0.667  # alpha: Krippendorff (2004) draws tentative conclusions from no less


@dataclass(frozen=True)
class ReplacementTest:
    """What is compared, and how it is tested: the parameters of `replace_test`."""

    metric: str | Request | None = None
    unit: str | None = None
    corrected: bool = False
    epsilon: float = 0.2
    test: str = "auto"
    q: float = 0.05
    min_instances: int = measures.FEW
    seed: int = 0
    reliable: float = RELIABLE

    def __post_init__(self) -> None:
        for name, words in (("epsilon", "from 0 to 1"), ("q", "between 0 and 1")):
            value = getattr(self, name)
            inside = isinstance(value, Real) and 0 <= float(value) <= 1
            if not inside or (name == "q" and value in (0, 1)):
                raise ValueError(f"{name} is {quoted(value)}; expected a number {words}")
        if self.test not in measures.TESTS:
            known = ", ".join(measures.TESTS)
            raise ValueError(f"test is {quoted(self.test)}; expected one of {known}")
        for name, least in (("min_instances", 1), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(
                    f"{name} is {quoted(value)}; expected a whole number, {least} or more"
                )

    def p_values(self, outcomes: Outcomes, epsilon: float) -> FloatArray:
        """The p-values of the annotators, with this epsilon or another."""
        return measures.p_values(outcomes, epsilon, self.test, self.min_instances)


# --- similarities


@dataclass(frozen=True, eq=False)
class Similarities:
    """How much each two annotators of a panel agree on each instance.

    Parameters
    ----------
    names : tuple of str
        Of the annotators, candidates among them.
    document : integer array of shape (n_rows,)
        The document of each row.
    weight : integer array of shape (n_rows,)
        Number of alike instances of each row.
    seen : boolean array of shape (n_annotators, n_rows)
    similar : callable
        similar(annotator, reference), both by number, gives a similarity for each row, which only
        counts where both have seen it.
    """

    names: tuple[str, ...]
    document: IntArray
    weight: IntArray
    seen: BoolArray
    similar: Callable[[int, int], FloatArray]

    def n_shared(self, annotators: Sequence[str]) -> int:
        """Number of instances that at least two of some annotators saw."""
        seen = self.seen[[self.names.index(name) for name in annotators]]
        return int(((seen.sum(axis=0) > 1) * self.weight).sum())

    def outcomes(
        self, candidate: str, annotators: Sequence[str], n_docs: int
    ) -> tuple[Outcomes, int]:
        """The `Outcomes` of a candidate by document, and the number of instances behind them.

        Their shape is (n_docs, n_annotators).
        """
        own, *others = (self.names.index(name) for name in (candidate, *annotators))
        seen = self.seen[others].T
        to_candidate = np.full(seen.shape, np.nan)
        to_annotators = np.zeros(seen.shape)
        for column, one in enumerate(others):
            for other in (own, *others):
                both = self.seen[one] & self.seen[other]
                if one == other or not both.any():
                    continue
                if other == own:
                    to_candidate[both, column] = self.similar(own, one)[both]
                else:
                    to_annotators[both, column] += self.similar(one, other)[both]
        to_candidate[self.seen[own]] = np.nan_to_num(to_candidate[self.seen[own]])
        means = measures.means_of_others(to_candidate, to_annotators, seen)
        rows = measures.outcomes_of(*means)
        compared = (rows.instances.sum(axis=1) > 0) * self.weight
        return rows.each(lambda one: self._by_document(one, n_docs)), int(compared.sum())

    def _by_document(self, rows: Any, n_docs: int) -> IntArray:
        """Weighted sums over the rows of each document."""
        sums = np.zeros((n_docs, rows.shape[1]), np.int64)
        np.add.at(sums, self.document, rows * self.weight[:, None])
        return sums


def item_similarities(panel: Panel) -> Similarities:
    """1 where two annotators gave an item the same labels, else 0.

    Items are documents by their categories, or positions: tokens or characters that all annotated.
    """
    items = "category" if panel.positions == "category" else "token"
    rows = items_of(panel.aligned, items)
    seen = np.array([panel.seen[i][rows.doc] for i in range(len(panel))]) & (rows.codes >= 0)
    return Similarities(
        panel.names,
        rows.doc,
        rows.weight,
        seen,
        lambda one, two: (rows.codes[one] == rows.codes[two]).astype(float),
    )


def document_similarities(
    panel: Panel, request: Request, corrected: bool = False, seed: int = 0
) -> Similarities:
    """Scores of each document by a metric of the catalog, the reference as gold.

    Where there is no score, since one of them or both marked nothing: 1 for both, 0 for one.
    `corrected` takes scores beyond chance; `seed` is of random annotations, where an expectation
    has no formula.
    """
    names, docs = panel.names, np.arange(panel.seen.shape[1])

    @cache
    def scores(annotator: int, reference: int) -> FloatArray:
        gold, pred = panel.pair(reference, annotator)
        try:
            counter = PairCounter(gold, pred, draws=DRAWS, seed=seed)
            statistics = counter.statistics(request)
        except ValueError as error:
            raise ValueError(f"{names[reference]} and {names[annotator]}: {error}") from None
        found = columns(request.scorer(), statistics.pooled())
        scores: FloatArray = found["observed"][:, 0]
        if corrected:
            value = headline(found)[:, 0]
            scores = np.where(np.isnan(value), scores, value)
        empty = [_numbers(one) == 0 for one in (gold, pred)]
        return np.where(np.isnan(scores), (empty[0] & empty[1]).astype(float), scores)

    def similar(annotator: int, reference: int) -> FloatArray:
        pair = (annotator, reference)
        return scores(*(sorted(pair) if request.is_symmetric else pair))

    return Similarities(names, docs, np.ones_like(docs), panel.seen, similar)


def _numbers(spans: Spans) -> IntArray:
    """Number of spans of each document, also of those that fit no tokens."""
    placed = np.bincount(spans.doc, minlength=spans.n_docs)
    return placed + np.bincount(spans.unplaced[:, 0], minlength=spans.n_docs)


def checked_metric(request: Request, corrected: bool) -> Request:
    """The request, if documents can be compared by it; without chance unless `corrected`."""
    row = of_spans(request).row
    if row.bits or row.disagreement or not row.higher_is_better:
        raise ValueError(
            f"{request.metric} is no observed agreement of one document; expected {ACCURACY} or a "
            "score from 0 to 1 such as span_f, token_f or int_f"
        )
    if corrected and request.placement == "none":
        raise ValueError(f"{request} has no chance model; leave corrected out, or name a chance")
    if corrected or "chance" not in request.parameters:
        return request
    from ..metrics.request import request as request_of

    return request_of(request.metric, **{**request.parameters, "chance": "none"})


# --- results


@dataclass(frozen=True, eq=False)
class CandidateOutcomes:
    """The outcomes of one candidate, and all that is computed of them.

    Parameters
    ----------
    candidate : str
    annotators : sequence of str
    outcomes : Outcomes
        By document: shape (n_docs, n_annotators).
    rules : ReplacementTest
    unit : integer array of shape (n_docs,)
        The resampled unit of each document: itself, or its cluster.
    n_instances : int
        How many instances were compared.
    """

    candidate: str
    annotators: Sequence[str]
    outcomes: Outcomes
    rules: ReplacementTest
    unit: IntArray
    n_instances: int

    @cached_property
    def total(self) -> Outcomes:
        """Sums over the documents."""
        return self.outcomes.total()

    @cached_property
    def units(self) -> Outcomes:
        """The outcomes of each resampled unit that has any, of the tested annotators."""
        n_units = int(self.unit.max(initial=-1)) + 1

        def sums(array: Any) -> IntArray:
            out = np.zeros((n_units, array.shape[1]), np.int64)
            np.add.at(out, self.unit, array)
            return out

        by_unit = self.outcomes.each(sums)
        return by_unit[by_unit.instances.sum(axis=1) > 0]

    def result(self, intervals: Resampling) -> dict[str, Any]:
        """All values of the candidate, ready for JSON."""
        p = self.rules.p_values(self.total, self.rules.epsilon)
        limits, rejected = measures.benjamini_yekutieli(p, self.rules.q)
        rate = measures.winning_rate(p, self.rules.q)
        n_tested = int((~np.isnan(p)).sum())
        low, high = self._interval(intervals)
        return {
            "candidate": self.candidate,
            "winning_rate": plain(rate),
            "advantage_probability": plain(self._advantage(self.total)),
            "low": plain(low),
            "high": plain(high),
            "passed": bool(rate >= PASSED) if n_tested else None,
            "n_rejected": int(rejected.sum()),
            "n_tested": n_tested,
            "n_instances": self.n_instances,
            "annotators": list(self._annotators(p, limits, rejected)),
            "by_epsilon": [self._with_epsilon(one) for one in sorted(EPSILONS.values())],
            "reason": None if n_tested else self._untested(),
        }

    def _advantage(self, outcomes: Outcomes) -> FloatArray:
        """The mean advantage probability over the annotators who are tested."""
        tested = self._tests != ""
        return measures.mean_advantage(outcomes.each(lambda one: one[..., tested]), 1)

    @cached_property
    def _tests(self) -> Any:
        """The test of each annotator, "" for none."""
        return measures.chosen_tests(
            self.total.instances, self.rules.test, self.rules.min_instances
        )

    def _interval(self, intervals: Resampling) -> tuple[float, float]:
        """The bootstrap interval of the advantage probability; nan without resamples."""
        value = self._advantage(self.total)
        if not intervals.resamples or len(self.units.equal) < 2 or np.isnan(value):
            return np.nan, np.nan
        rng = np.random.default_rng(intervals.seed)
        sample = measures.resampled_outcomes(self.units, intervals.resamples, rng)
        left_out = None
        if intervals.interval == "bca":
            left_out = self._advantage(self.units.each(lambda one: one.sum(axis=0) - one))
        low, high = intervals.limits(value, self._advantage(sample), left_out)
        return float(low), float(high)

    def _annotators(
        self, p: FloatArray, limits: FloatArray, rejected: BoolArray
    ) -> Iterator[dict[str, Any]]:
        """The row of each annotator."""
        shares = measures.advantage_probability(self.total)
        differences = measures.mean_difference(self.total)
        for i, name in enumerate(self.annotators):
            n, test = int(self.total.instances[i]), str(self._tests[i])
            yield {
                "annotator": name,
                "n_instances": n,
                "advantage_probability": plain(shares[i]),
                "mean_difference": plain(differences[i]),
                "p_value": plain(p[i]),
                "limit": plain(limits[i]),
                "rejected": bool(rejected[i]) if test else None,
                "test": test or None,
                "reason": None if test else self._too_few(n),
            }

    def _too_few(self, n: int) -> str:
        """Why an annotator is not tested."""
        if not n:
            return "shares no instance with the candidate and another annotator"
        least = max(self.rules.min_instances, 2)
        return f"{n} instance{'s' * (n != 1)}, fewer than {least}"

    def _untested(self) -> str:
        """Why a candidate is not tested."""
        most, least = int(self.total.instances.max(initial=0)), max(self.rules.min_instances, 2)
        return (
            f"no annotator shares {least} instances with the candidate and another annotator (at "
            f"most {most}); a lower min_instances allows fewer, below {measures.FEW} with the "
            "Wilcoxon test"
        )

    def _with_epsilon(self, epsilon: float) -> dict[str, Any]:
        """The result with another epsilon."""
        p = self.rules.p_values(self.total, epsilon)
        rate = float(measures.winning_rate(p, self.rules.q))
        passed = None if isnan(rate) else rate >= PASSED
        return {"epsilon": epsilon, "winning_rate": plain(rate), "passed": passed}


def clusters_of(clusters: Sequence[Any] | None, n_docs: int) -> IntArray:
    """A number for the resampled unit of each document, from 0 on."""
    places = cluster_places(clusters, n_docs)
    units: IntArray = np.unique(places, return_inverse=True)[1].reshape(-1)
    return units


def tested_candidates(
    similarities: Mapping[str, Similarities],
    annotators: Sequence[str],
    rules: ReplacementTest,
    unit: IntArray,
    intervals: Resampling,
    progress: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> list[dict[str, Any]]:
    """The result of each candidate, in the order of their names.

    Parameters
    ----------
    similarities : mapping of str to Similarities
        By candidate; they may be one object.
    annotators : sequence of str
        The names of those whom a candidate may replace.
    unit : integer array of shape (n_docs,)
        The resampled unit of each document.
    """
    results = []
    for name in progress(sorted(similarities)):
        outcomes, n = similarities[name].outcomes(name, annotators, len(unit))
        one = CandidateOutcomes(name, annotators, outcomes, rules, unit, n)
        results.append(one.result(intervals))
    return results
