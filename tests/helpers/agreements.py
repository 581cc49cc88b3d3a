"""Small results of agreement, as `agreement` makes them, with every number said."""

from itertools import combinations, permutations

EMPTY = {"value": None, "observed": None, "expected": None, "interval": None}


def score(value, observed=None, expected=None, *, limits=None, n_docs=3, reason=None):
    """A row of scores; undefined ones have a reason."""
    if value is None:
        return EMPTY | {"observed_interval": None, "n_docs": n_docs, "reason": reason}
    found = {"value": value, "observed": value if observed is None else observed}
    found |= {"expected": expected, "interval": limits, "observed_interval": limits}
    return found | {"n_docs": n_docs, "reason": None}


def metric(name="span_f", names=("ann", "bob"), *, symmetric=True, pair=None, **fields):
    """All tables of one metric; `pair(first, second)` gives the score of a pair."""
    sides = combinations(names, 2) if symmetric else permutations(names, 2)
    pair = pair or (lambda first, second: score(0.25, 0.5, 0.3333))
    pairs = [
        {"first": one, "second": other, **pair(one, other), "per_label": {}} for one, other in sides
    ]
    found = {
        "metric": name,
        "signature": f"{name}()|docs=3",
        "bits": False,
        "higher_is_better": True,
        "corrected": True,
        "disagreement": False,
        "symmetric": symmetric,
        "mean": score(0.25, 0.5, 0.3333) | {"n_pairs": len(pairs)},
        "team": score(0.125) | {"definition": "all at once"},
        "pairs": pairs,
        "annotators": [
            {"annotator": one, "others": score(0.375), "majority": score(0.625)} for one in names
        ],
        "per_label": [{"label": "PER", "n_spans": 4, "mean": score(0.1875), "team": score(0.0625)}],
        "documents": [document("doc 1")],
    }
    return found | fields


def document(name, cost=0.0312):
    """One of the documents that agree least."""
    row = {"document": name, "place": 0, "n_annotators": 2, "cost": cost}
    return row | {"value": 0.75, "observed": 0.8, "expected": 0.2}


def result(*metrics, names=("ann", "bob"), resamples=0, **fields):
    """A whole result."""
    about = {"n_docs": 3, "n_shared": 3, "n_spans": 7, "n_unplaced": 0}
    ways = {"resamples": resamples, "seed": 5, "interval": "bca", "level": 0.9, "unit": "documents"}
    found = {
        "positions": "token",
        "n_docs": 4,
        "n_shared": 3,
        "n_single": 1,
        "n_unseen": 0,
        "labels": ["PER"],
        "annotators": [{"name": name, **about} for name in names],
        "resampling": ways,
        "version": "1.2.3",
        "notes": [],
        "metrics": list(metrics) or [metric(names=names)],
    }
    return found | fields
