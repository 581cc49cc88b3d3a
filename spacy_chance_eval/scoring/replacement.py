"""May a candidate replace an annotator? The alternative annotator test as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isnan
from numbers import Real
from typing import Any

import numpy as np

from ..about import __version__
from ..formats.errors import known
from ..measures import replacement as measures
from ..measures.arrays import BoolArray, FloatArray, IntArray
from ..measures.items import items_of
from ..measures.messages import brief, quoted
from ..measures.panel import Panel
from ..measures.replacement import PASSED, Outcomes
from ..measures.spans import Spans
from ..metrics.request import Request, of_spans, written
from ..metrics.request import request as request_of
from .agreement import agreement
from .counts import PairCounter, Progress, no_progress
from .intervals import Resampling, cluster_places, cluster_unit
from .scores import signature, team_facts
from .statistics import columns, headline, plain
from .warnings import candidate_warnings

ACCURACY = "accuracy"
DRAWS = 1000  # random annotations, where an expectation has no formula
EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}  # Calderon et al. (2025), by annotators
FEW_ANNOTATORS = 3  # that the paper asks for
DEPENDENT = (
    "tokens of one document are no independent instances, as the test takes them to be: p-values "
    "are too small; compare documents or sentences to be safe"
)
RANKS = (
    "the Wilcoxon test takes differences to be symmetric around epsilon, which -1, 0 and 1 rarely "
    "are, and may reject too often; compare more instances, or use Student's t test"
)
RELIABLE = 0.667  # alpha: Krippendorff (2004) draws tentative conclusions from no less


@dataclass(frozen=True)
class ReplacementTest:
    """The comparison and its test: the parameters of `replace_test`."""

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
        known(self.test, measures.TESTS, "test")
        if not isinstance(self.min_instances, int) or self.min_instances < 1:
            raise ValueError(
                f"min_instances is {quoted(self.min_instances)}; expected a whole number, 1 or more"
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
        rows = measures.outcomes_of(to_candidate, to_annotators, seen)
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
    panel: Panel,
    request: Request,
    corrected: bool = False,
    seed: int = 0,
    documents: IntArray | None = None,
) -> Similarities:
    """Scores of each document by a metric of the catalog, the reference as gold.

    Where there is no score, since one of them or both marked nothing: 1 for both, 0 for one.
    `corrected` takes scores beyond chance; `seed` is of random annotations, where an expectation
    has no formula. Where sentences stand for documents, `documents` are those that they are of.
    """
    names = panel.names
    docs = np.arange(panel.seen.shape[1]) if documents is None else documents

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
    return request_of(request.metric, **{**request.parameters, "chance": "none"})


# --- results


def some_of(panel: Panel, names: Iterable[str]) -> Panel:
    """A panel of some of the annotators."""
    return Panel({name: panel.annotators[name] for name in names}, panel.positions)


def team_without(panel: Panel, candidates: Sequence[str]) -> Panel:
    """The panel of the annotators alone, if two share documents, and each candidate some of these.

    Raises ValueError if not, and without candidates.
    """
    if not candidates:
        raise ValueError("no candidates; name one or more")
    humans = [name for name in panel.names if name not in candidates]
    if len(humans) < 2:
        have = f"only {quoted(humans[0])}" if humans else "none"
        raise ValueError(
            f"the test needs two annotators or more beside the candidates, and there is {have}: "
            "add others; a candidate is compared with each by the agreement with the others"
        )
    team = some_of(panel, humans)
    if not team.shared.any():
        raise ValueError(f"no document was seen by two annotators ({', '.join(humans)})")
    for name in candidates:
        if not (panel.annotators[name].seen & team.shared).any():
            raise ValueError(
                f"{name} shares no document with two annotators; candidates need the same "
                f"documents ({panel.name(int(team.shared.argmax()))}, for example)"
            )
    return team


def replacement(
    panel: Panel,
    team: Panel,
    similar: Mapping[str, Similarities],
    rules: ReplacementTest,
    requests: Mapping[str, Request],
    intervals: Resampling,
    *,
    clusters: Sequence[Any] | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The results of all candidates, and the agreement of the annotators, ready for JSON.

    Parameters
    ----------
    panel, team : Panel
        Everybody; the annotators alone.
    similar : mapping of str to Similarities
        By candidate.
    rules : ReplacementTest
        With the metric and the unit of these.
    requests : mapping of str to Request
        The metrics of the agreement of the annotators, the first one that is defined.
    clusters, data
        Those of `agreement_of`.
    """
    units = cluster_places(clusters, panel.seen.shape[1])
    intervals = replace(intervals, unit=cluster_unit(intervals.unit, clusters), blocks=0)
    humans, tested = team.names, []
    warnings = list(candidate_warnings(panel, humans, [*similar], str(rules.metric)))
    for name in (progress or no_progress)(similar, len(similar), "Candidates"):
        outcomes, n = similar[name].outcomes(name, humans, len(units))
        tested.append(candidate_result(name, humans, outcomes, rules, units, n, intervals))
    agreed = _agreement(team, requests, intervals, clusters, rules.reliable)
    warnings += _warnings(panel, tested, agreed, rules)
    asked = {key: getattr(rules, key) for key in ("epsilon", "test", "q", "min_instances")}
    metric = str(rules.metric)
    signed = {"corrected": rules.corrected, "metric": metric, "unit": rules.unit, **asked}
    signed["seed"] = rules.seed
    facts = {"positions": panel.positions, "docs": int(team.seen.any(axis=0).sum())}
    facts |= {"annotators": len(humans), "panel": panel.digest()}
    facts |= {**team_facts(spans.facts for spans in panel.annotations), **(data or {})}
    request = f"replace_test{written(dict(sorted(signed.items())))}"
    return {
        "metric": metric,
        "is_corrected": rules.corrected,
        "signature": signature(request, facts, intervals),
        "positions": panel.positions,
        "unit": rules.unit,
        "clusters": intervals.unit,
        "epsilons": dict(EPSILONS),
        **asked,
        "n_instances": next(iter(similar.values())).n_shared(humans),
        "annotators": list(humans),
        "candidates": tested,
        "agreement": agreed,
        "resampling": intervals.settings(),
        "version": __version__,
        "warnings": warnings,
        "notes": list(_notes(panel, team, similar)),
    }


def _warnings(
    panel: Panel,
    tested: Sequence[Mapping[str, Any]],
    agreed: Mapping[str, Any],
    rules: ReplacementTest,
) -> Iterator[str]:
    """Sentences on what makes the test say little."""
    if len(panel) - len(tested) < FEW_ANNOTATORS:
        yield (
            "there are two annotators: each is judged by the agreement with one other person; the "
            f"authors of the test ask for {FEW_ANNOTATORS} or more"
        )
    if agreed["corrected"] is None:
        reason = agreed["reason"]
        yield f"the agreement of the annotators beyond chance is undefined: {reason}"
    elif not agreed["reliable"]:
        yield (
            f"the annotators agree little beyond chance ({agreed['metric']} "
            f"{brief(agreed['corrected'], 3)}, below {brief(agreed['threshold'], 3)}): being as "
            "good as they are says little"
        )
    if rules.unit == "tokens":
        yield DEPENDENT
    for one in tested:
        work = panel.annotators[one["candidate"]]
        if not len(work) + len(work.unplaced):
            yield f"{one['candidate']} marked nothing at all"
    if any(row["test"] == "wilcoxon" for one in tested for row in one["annotators"]):
        yield RANKS


def _notes(panel: Panel, team: Panel, candidates: Iterable[str]) -> Iterator[str]:
    """Sentences on documents that are left out."""
    if single := int((team.seen.sum(axis=0) == 1).sum()):
        yield f"{single} document{'s' * (single != 1)} seen by one annotator only: left out"
    for name in candidates:
        if n := int((team.shared & ~panel.annotators[name].seen).sum()):
            yield f"{name} lacks {n} document{'s' * (n != 1)}: left out for {name}"


def _agreement(
    team: Panel,
    requests: Mapping[str, Request],
    intervals: Resampling,
    clusters: Sequence[Any] | None,
    reliable: float,
) -> dict[str, Any]:
    """The agreement of the annotators alone beyond chance, all of them at once."""
    settings: dict[str, Any] = {"clusters": clusters, "unit": intervals.unit, "worst": 0}
    found = agreement(team, requests, pairs=False, intervals=intervals, **settings)
    # units of several labels that overlap have no u-alpha, but sets of labels are values of tokens
    rows = sorted(found["metrics"], key=lambda one: one["team"]["corrected"] is None)
    own, corrected = rows[0]["team"], rows[0]["team"]["corrected"]
    return {
        "metric": rows[0]["metric"],
        **{key: own[key] for key in ("corrected", "low", "high", "n_docs")},
        "threshold": reliable,
        "reliable": None if corrected is None else corrected >= reliable,
        "reason": own["reason"],
    }


def candidate_result(
    candidate: str,
    annotators: Sequence[str],
    outcomes: Outcomes,
    rules: ReplacementTest,
    unit: IntArray,
    n_instances: int,
    intervals: Resampling,
) -> dict[str, Any]:
    """All values of one candidate, ready for JSON.

    Parameters
    ----------
    annotators : sequence of str
        The names of those whom the candidate may replace.
    outcomes : Outcomes
        By document: shape (n_docs, n_annotators).
    unit : integer array of shape (n_docs,)
        The resampled unit of each document: itself, or its cluster.
    """
    total, least = outcomes.total(), max(rules.min_instances, 2)
    tests = measures.chosen_tests(total.instances, rules.test, rules.min_instances)
    tested = tests != ""

    def advantage(sums: Outcomes) -> FloatArray:
        """The mean advantage probability over the annotators who are tested."""
        return measures.mean_advantage(sums.each(lambda one: one[..., tested]), 1)

    p = rules.p_values(total, rules.epsilon)
    limits, rejected = measures.benjamini_yekutieli(p, rules.q)
    shares, differences = measures.advantage_probability(total), measures.mean_difference(total)
    low, high, n_eff = _interval(outcomes, unit, advantage, intervals)
    rows = []
    for i, name in enumerate(annotators):
        n, test = int(total.instances[i]), str(tests[i]) or None
        reason = f"{n} instance{'s' * (n != 1)}, fewer than {least}"
        if not n:
            reason = "shares no instance with the candidate and another annotator"
        row = {
            "annotator": name,
            "n_instances": n,
            "advantage_probability": plain(shares[i]),
            "mean_difference": plain(differences[i]),
            "p_value": plain(p[i]),
            "limit": plain(limits[i]),
            "rejected": bool(rejected[i]) if test else None,
            "test": test,
            "reason": None if test else reason,
        }
        rows.append(row)
    return {
        "candidate": candidate,
        **_passed(p, rules.q),
        "advantage_probability": plain(advantage(total)),
        "low": plain(low),
        "high": plain(high),
        "n_eff": n_eff,
        "n_rejected": int(rejected.sum()),
        "n_tested": int(tested.sum()),
        "n_instances": n_instances,
        "annotators": rows,
        "by_epsilon": [
            {"epsilon": one, **_passed(rules.p_values(total, one), rules.q)}
            for one in sorted(EPSILONS.values())
        ],
        "reason": None
        if tested.any()
        else f"no annotator shares {least} instances with the candidate and another annotator (at "
        f"most {int(total.instances.max(initial=0))}); a lower min_instances allows fewer, below "
        f"{measures.FEW} with the Wilcoxon test",
    }


def _passed(p: FloatArray, q: float) -> dict[str, Any]:
    """The winning rate, and whether it is enough; None if nobody is tested."""
    rate = float(measures.winning_rate(p, q))
    return {"winning_rate": plain(rate), "passed": None if isnan(rate) else rate >= PASSED}


def _interval(
    outcomes: Outcomes,
    unit: IntArray,
    advantage: Callable[[Outcomes], FloatArray],
    intervals: Resampling,
) -> tuple[float, float, float | None]:
    """The bootstrap interval of the advantage probability, and what its units are worth.

    nan and None without resamples.
    """
    n_units = int(unit.max(initial=-1)) + 1

    def sums(array: Any) -> IntArray:
        out = np.zeros((n_units, array.shape[1]), np.int64)
        np.add.at(out, unit, array)
        return out

    value, units = advantage(outcomes.total()), outcomes.each(sums)
    units = units[units.instances.sum(axis=1) > 0]
    if not intervals.resamples or len(units.equal) < 2 or np.isnan(value):
        return np.nan, np.nan, None
    rng = np.random.default_rng(intervals.seed)
    sample = measures.resampled_outcomes(units, intervals.resamples, rng)
    left_out = None
    if intervals.interval == "bca":
        left_out = advantage(units.each(lambda one: one.sum(axis=0) - one))
    intervals = intervals.of_units(units.instances.sum(axis=1))
    low, high = intervals.limits(value, advantage(sample), left_out)
    return float(low), float(high), intervals.n_eff
