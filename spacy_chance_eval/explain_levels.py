"""The two levels on which a score is explained: spans and tokens, observed and by chance."""

from dataclasses import dataclass, fields

import numpy as np

from .intervals import Statistics, columns, plain, total_and_labels
from .measures.alignment import check_sentences
from .measures.chance.expectation import check_placement
from .measures.stats import ratio
from .metrics.catalog import CATALOG
from .metrics.request import request

LEVELS = ("span", "token")
SCORES = ("precision", "recall", "f")
DRAWN = (
    "no formula gives the expectation of nested spans under this encoding; use encoding IO, or let "
    "`score` draw it"
)


@dataclass(frozen=True)
class Model:
    """How chance places segments, and how tokens and information are counted.

    Names and values are those of the parameters of `token_f` and `slicm`; there has to be a chance
    model.
    """

    chance: str = "disjoint"
    unit: str = "doc"
    encoding: str = "IO"
    token_information: object = "constant"
    rank: str = "position"
    matching: str = "mutual"

    def __post_init__(self):
        if self.chance == "none":
            raise ValueError(
                "chance is 'none': without a chance model there is no expectation to explain; "
                "expected disjoint, overlapping, nested or uniform"
            )
        for metric in ("token_f", "slicm"):
            self.request(metric)

    def request(self, metric):
        """The `Request` of a metric with these parameters, as far as it has them."""
        known = {field.name for field in fields(self)} & CATALOG[metric].parameters.keys()
        if CATALOG[metric].parameters.get("chance") == "none":
            known -= {"chance", "unit"}  # corrected by drawing only
        return request(metric, **{name: getattr(self, name) for name in known})

    def described(self):
        """The chance model and the encoding, by name."""
        return {"chance": self.chance, "unit": self.unit, "encoding": self.encoding}


def statistics_of(gold, pred, level, model):
    """Observed and, where a formula gives them, expected masses of a level, as `evaluate` has them.

    Raises
    ------
    ValueError
        For spans or documents that contradict the model.
    """
    asked = model.request(f"{level}_f")
    check_placement(gold, pred, asked.placement)
    if model.unit == "sent":
        check_sentences(gold, pred)
    metric = CATALOG[asked.metric]
    counted = asked.only(metric.counted)
    observed = metric.count(gold, pred, **counted)
    placed = {"placement": asked.placement, "unit": model.unit, **counted}
    return Statistics(observed, metric.expected(gold, pred, observed, **placed))


def chosen(statistics, labels):
    """Statistics of some of the labels, by their indices."""
    return statistics.each(lambda part: part.each(lambda column: column[..., labels]))


def level_rows(statistics, level, model):
    """Masses and scores of a level: for all labels together, then for each, as plain values."""
    total = statistics.total()
    masses = [masses_of(part) for part in (total.observed, total.expected)]
    scores = {}
    for name in SCORES:
        score = model.request(f"{level}_{name}").scorer()
        scores[name] = total_and_labels(score, total)
    names = {name: str(model.request(f"{level}_{name}")) for name in SCORES}
    return [
        {
            "metrics": names,
            "observed": entry(masses[0], i),
            "expected": None if masses[1] is None else entry(masses[1], i),
            "scores": {name: score_of(found, i) for name, found in scores.items()},
            "reason": DRAWN if total.expected is None else None,
        }
        for i in range(len(scores["f"]["value"]))
    ]


def masses_of(hits):
    """Gold and predicted mass and matches: all labels together, then each; None of None."""
    if hits is None:
        return None
    parts = {"gold": hits.gold, "pred": hits.pred, "matches": hits.correct}
    return {name: np.append(column.sum(), column) for name, column in parts.items()}


def entry(masses, i):
    """One entry of every column, as plain numbers."""
    return {name: plain(column[i]) for name, column in masses.items()}


def score_of(found, i):
    """Observed, expected and corrected score; the last two None where nothing is expected."""
    row = {name: plain(column[i]) for name, column in found.items()}
    corrected = None if row["expected"] is None else row["value"]
    return {"observed": row["observed"], "expected": row["expected"], "corrected": corrected}


def shares_of(expected):
    """The largest expectations first: their places, shares of the sum, and shares up to each."""
    order = np.argsort(-expected, kind="stable")
    shares = ratio(expected[order], expected.sum())
    pairs = zip(shares, np.cumsum(shares))
    return order, [{"share": plain(one), "cumulative": plain(sums)} for one, sums in pairs]


def document_rows(gold, statistics, level, model):
    """What each document adds to the expected matches, most first, as plain values.

    `cumulative` is the share of a document and all before it; both are None where no match is
    expected at all.
    """
    pooled = statistics.pooled()
    seen = np.flatnonzero(gold.seen)
    order, shares = shares_of(pooled.expected.correct[seen, 0])
    scores = columns(model.request(f"{level}_f").scorer(), pooled)
    masses = [masses_of_documents(part) for part in (pooled.observed, pooled.expected)]
    return [
        {
            "place": int(doc),
            "observed": entry(masses[0], doc),
            "expected": entry(masses[1], doc),
            "f": score_of({name: column[:, 0] for name, column in scores.items()}, doc),
            **share,
        }
        for doc, share in zip(seen[order], shares)
    ]


def masses_of_documents(hits):
    """Gold and predicted mass and matches, an entry per document."""
    return {"gold": hits.gold[:, 0], "pred": hits.pred[:, 0], "matches": hits.correct[:, 0]}
