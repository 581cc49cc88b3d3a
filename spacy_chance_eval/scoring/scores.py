"""`Score`: one metric's result, and how scores of a prediction are made of `Counts`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..about import __version__
from ..measures.alignment import ROLES
from ..measures.arrays import Array, IntArray
from ..measures.chance.draws import p_value, standard_error
from ..measures.resampling import grouped
from ..measures.stats import Additive, mean_of_defined
from ..measures.tags import REPAIRS
from ..metrics.request import Request
from .counts import GOLD, PRED, Counts
from .intervals import Resampling, article_clusters, limit_columns
from .statistics import (
    NAMES,
    Scores,
    columns,
    disagreements,
    plain,
    row_of,
    total_and_labels,
    wide,
)

NO_INTERVALS = Resampling(resamples=0)
OF_CORRECTION = ("expected", "corrected", "observed_low", "observed_high")


@dataclass(frozen=True)
class Score:
    """One metric's result for one pair of annotations: plain Python values, None where undefined.

    Labels are pooled before anything is divided (micro).

    Attributes
    ----------
    name : str
        The request in full, such as "span_f(beta=1.0,chance=disjoint,unit=sentence)".
    observed : float or None
        The score before correction.
    macro : dict of str to float or None
        Means of the labels' scores that are defined, under the same names as those of a label:
        `observed`, with correction `expected` and `corrected`.
    macro_docs : float or None
        Mean of the documents' scores (`headline`) that are defined.
    per_label : dict of str to dict
        For each label `observed`, with correction `expected` and `corrected`, and the numbers of
        gold and predicted spans; with intervals also `low` and `high`, and with correction
        `observed_low` and `observed_high`.
    signature : str
        Metric, parameters, data, seed of draws and version: equal ones mean equal scores.
    is_corrected : bool
        Whether the metric is corrected for chance.
    expected : float or None
        Mean score of random annotation; None without correction for chance.
    corrected : float or None
        The observed score corrected for chance; None without correction.
    resampling : str
        How intervals were made, "bootstrap,resamples,seed,interval,level,unit"; "none" without.
    n_eff : float or None
        Number of documents or clusters of equal size that those behind the intervals are worth.
    standard_error : float or None
        Standard error of an expectation from random draws, or of alpha from drawn pairs of trees.
    p_value : float or None
        Share of random annotations that score at least as high; None if it was not requested.
    low : float or None
        Lower end of the confidence interval of the `headline`.
    high : float or None
        Upper end of the same.
    observed_low : float or None
        Lower end of the confidence interval of the observed score, where there is a corrected one.
    observed_high : float or None
        Upper end of the same.
    per_doc : dict of str to dict, or None
        The same as in `per_label`, by name of the document; None if it was not requested.
    relations : dict of str to float, or None
        Numbers of spans by their relation (correct, partial ...) behind a metric of GATE, which
        `per_label` and `per_doc` then have, too; None for other metrics.
    observed_disagreement : float or None
        Observed disagreement of a coefficient defined as 1 - observed / expected disagreement;
        `observed` is then 1 minus this. Also in `per_label` and `per_doc`. None for other metrics.
    expected_disagreement : float or None
        Disagreement expected by chance; `expected` is 1 minus this.
    """

    name: str
    observed: float | None
    macro: dict[str, float | None]
    macro_docs: float | None
    per_label: dict[str, dict[str, Any]]
    signature: str
    is_corrected: bool
    expected: float | None = None
    corrected: float | None = None
    resampling: str = "none"
    n_eff: float | None = None
    standard_error: float | None = None
    p_value: float | None = None
    low: float | None = None
    high: float | None = None
    observed_low: float | None = None
    observed_high: float | None = None
    per_doc: dict[str, dict[str, Any]] | None = None
    relations: dict[str, float] | None = None
    observed_disagreement: float | None = None
    expected_disagreement: float | None = None

    @property
    def headline(self) -> float | None:
        """The score to quote: the corrected one, without correction for chance the observed one."""
        return self.corrected if self.is_corrected else self.observed

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; without correction for chance it lacks its keys."""
        row = asdict(self)
        for key in () if self.is_corrected else OF_CORRECTION:
            del row[key]
        return row


def score_totals(counts: Counts, request: Request) -> Scores:
    """Scores of the sums over all documents: of all labels together, then of each label.

    Arrays of shape (1 + n_labels,), by name. `counts` are of gold and one prediction.
    """
    return total_and_labels(request.scorer(), counts.statistics(request).total())


def score_counts(
    counts: Counts,
    requests: Iterable[Request],
    data: Mapping[str, Any],
    *,
    draws: str = "",
    per_doc: bool = False,
    intervals: Resampling = NO_INTERVALS,
    clusters: Sequence[Any] | None = None,
    progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Score]:
    """Scores by the names of the requests.

    `counts` are of gold and one prediction; by document and with keys if there are to be intervals,
    by document if documents are to be scored. `data` are facts about the data for signatures.
    """
    sizes = counts.sizes()
    facts = {"positions": "token", "docs": sizes["n_docs"], "gold": counts.digest(), **data}
    order = None
    if intervals.resamples:
        order = intervals.in_blocks(counts.order(clusters))
        intervals = intervals.of_units(counts.units(clusters))
    return {
        str(one): _score(counts, one, facts, draws, per_doc, intervals, order, progress)
        for one in requests
    }


def layer_result(
    counts: Counts,
    requests: Mapping[str, Request],
    data: Mapping[str, Any],
    *,
    draws: str = "",
    per_doc: bool = False,
    intervals: Resampling = NO_INTERVALS,
    progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Any]:
    """Numbers of documents and spans, and all scores by metric name, as plain values.

    Documents that all say their article are resampled by articles.
    """
    if not counts.seen[0].any():
        raise ValueError(
            "no document is annotated in both gold and prediction; there is nothing to score"
        )
    unit, clusters = article_clusters(counts.attributes.get("article", ()))
    scores = score_counts(
        counts,
        requests.values(),
        data,
        draws=draws,
        per_doc=per_doc,
        intervals=replace(intervals, unit=unit),
        clusters=clusters,
        progress=progress,
    )
    plain_scores = {name: scores[str(one)].to_dict() for name, one in requests.items()}
    return {**counts.sizes(), "scores": plain_scores}


def _score(
    counts: Counts,
    request: Request,
    facts: dict[str, Any],
    draws: str,
    per_doc: bool,
    intervals: Resampling,
    order: tuple[IntArray, IntArray] | None,
    progress: Callable[..., Iterable[Any]],
) -> Score:
    """The `Score` of one request."""
    counts = counts.seen_by(request)
    score, statistics = request.scorer(), counts.statistics(request)
    scores: dict[str, Any] = {**score_totals(counts, request)}
    if order is not None:
        units = statistics.each(partial(grouped, order=order, known={}))
        (replicas,) = intervals.replicas(score, [units], progress)
        left_out = intervals.left_out(score, units)
        scores |= limit_columns(
            {
                name: intervals.limits(scores[name], array, left_out.get(name))
                for name, array in replicas.items()
            }
        )
    extra: dict[str, Any] = {}
    if statistics.totals is not None:
        drawn = score(statistics.totals.pooled())
        extra["p_value"] = plain(p_value(scores["observed"][:1], drawn)[0])
        if not statistics.exact:
            extra["standard_error"] = plain(standard_error(drawn)[0])
        facts = {**facts, "draws": draws}
    if per_doc:
        rows = statistics.arrays(wide).pooled()
        values = {**columns(score, rows), **_relations(request, rows.observed)}
        names = {doc: counts.name(doc) for doc in np.flatnonzero(counts.seen[0]).tolist()}
        extra["per_doc"] = named_rows(request, values | _support(counts, 1), names)
    table = _support(counts, 0)
    if request.row.relations is not None:
        sums = statistics.observed.total()
        table = _relations(request, sums.by_label()) | table
        extra["relations"] = row_of(_relations(request, sums.pooled()), 0)
    total, number = counts.metrics[str(request)].macro["pair", 0, 1]
    return score_of_columns(
        request,
        scores,
        table,
        counts.labels,
        macro_docs=total / number if number else None,
        signature=signature(request, facts),
        resampling=str(intervals),
        n_eff=intervals.settings().get("n_eff"),
        **extra,
    )


def score_of_columns(
    request: Request,
    scores: Mapping[str, Any],
    table: Mapping[str, Array],
    labels: Sequence[str],
    **more: Any,
) -> Score:
    """The `Score` of columns of scores: of all labels together, then of each label.

    Parameters
    ----------
    table : mapping of str to array of shape (n_labels,)
        Further columns by label: the numbers of spans of "gold" and "pred" among them. Labels that
        neither used are left out.
    **more
        Further attributes of the `Score`.
    """
    whole = {name: plain(column[0]) for name, column in scores.items()}
    by_label = {name: column[1:] for name, column in scores.items()}
    used = np.flatnonzero(table[GOLD] + table[PRED]).tolist()
    parts = {key: by_label[key][used] for key in NAMES if key in by_label}
    macro = {key: plain(mean_of_defined(column)) for key, column in parts.items()}
    return Score(
        str(request),
        **whole,
        **disagreements(whole, request),
        is_corrected=request.is_corrected,
        macro=macro | disagreements(macro, request),
        per_label=named_rows(request, {**by_label, **table}, {i: labels[i] for i in used}),
        **more,
    )


def named_rows(
    request: Request, table: Mapping[str, Array], names: Mapping[int, str]
) -> dict[str, dict[str, Any]]:
    """Some rows of columns by their names, with observed and expected disagreement if there are."""
    rows = {name: row_of(table, i) for i, name in names.items()}
    return {name: row | disagreements(row, request) for name, row in rows.items()}


def _relations(request: Request, statistics: Additive) -> dict[str, Array]:
    """The numbers of spans by relation behind a score, if the metric has any.

    Sums of closeness are floats.
    """
    if request.row.relations is None:
        return {}
    kind = np.float64 if "closeness" in request.parameters else np.int64
    return {key: sums.astype(kind) for key, sums in request.row.relations(statistics).items()}


def _support(counts: Counts, axis: int) -> dict[str, IntArray]:
    """Numbers of spans of gold and the prediction: by label (axis 0), or by document (axis 1)."""
    return {side: counts.support["annotator", i].sum(axis=axis) for i, side in enumerate(ROLES)}


def pair_facts(gold: Mapping[str, str], pred: Mapping[str, str]) -> dict[str, str]:
    """Facts for signatures on how gold and a prediction were read, from `Spans.facts` of both.

    What does not differ is said once. "repair" is how improper tags were read; where there are no
    tags it is the default, too: the same spans have the same signature, from whatever they were
    read.

    Examples
    --------
    >>> pair_facts({"repair": "conlleval"}, {}) == pair_facts({}, {})
    True
    >>> pair_facts({"repair": "drop"}, {})["repair"]
    'gold=drop,pred=conlleval'
    """
    one, two = dict(gold), dict(pred)
    facts = {"positions": one.pop("positions", "token")}
    two.pop("positions", None)
    repairs = [_repair(own, role) for own, role in ((one, GOLD), (two, PRED))]
    each = "gold={},pred={}".format(*repairs)
    facts["repair"] = repairs[0] if repairs[0] == repairs[1] else each
    for key in sorted((one.keys() | two.keys()) - {"repair"}):
        said = {role: own[key] for role, own in ((GOLD, one), (PRED, two)) if key in own}
        alike = len({*said.values()}) == 1 and (len(said) == 2 or key != "skipped")
        values = said.values() if alike else [f"{role}={value}" for role, value in said.items()]
        facts[key] = ",".join(dict.fromkeys(values))
    return facts


def team_facts(annotators: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Facts for signatures on how annotators of whom none is gold were read."""
    found: dict[str, set[str]] = {}
    for own in annotators:
        for key, value in {**own, "repair": _repair(own)}.items():
            found.setdefault(key, set()).update(value.split("+"))
    return {key: "+".join(sorted(values)) for key, values in found.items() if key != "positions"}


def _repair(facts: Mapping[str, str], role: str = "") -> str:
    """How improper tags were read; two columns of a file may say it by role."""
    text = facts.get("repair", REPAIRS[0])
    return dict(part.split("=", 1) for part in text.split(","))[role] if "=" in text else text


def signature(
    request: Request | str, facts: Mapping[str, Any], intervals: Resampling | None = None
) -> str:
    """The signature of a result: metric and parameters, data, version.

    That of a score does not say how its interval was made, which changes nothing about it; those of
    tests do.
    """
    order = ("positions", "docs", "gold", "repair")
    rest = sorted(facts.keys() - {*order, "draws"})
    parts = [f"{key}={facts[key]}" for key in (*order, *rest, "draws") if key in facts]
    parts += [f"ci={intervals}"] if intervals else []
    return "|".join([str(request), *parts, f"v={__version__}"])
