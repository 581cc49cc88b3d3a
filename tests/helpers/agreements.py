"""Small results of agreement, as `agreement` makes them, with every number said."""

from itertools import combinations, permutations

OF_CORRECTION = ("expected", "corrected", "observed_low", "observed_high")


def score(corrected, observed=None, expected=None, *, limits=None, n_docs=3, reason=None):
    """A row of scores; undefined ones have a reason."""
    low, high = limits or (None, None)
    found = {"observed": corrected if observed is None else observed, "expected": expected}
    found |= {"corrected": corrected, "low": low, "high": high}
    found |= {"observed_low": low, "observed_high": high}
    return found | {"n_docs": n_docs, "reason": reason if corrected is None else None}


def uncorrected(found):
    """The same tables without correction for chance."""
    if isinstance(found, list):
        return list(map(uncorrected, found))
    if not isinstance(found, dict):
        return found
    return {key: uncorrected(one) for key, one in found.items() if key not in OF_CORRECTION}


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
        "is_corrected": True,
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
    found |= fields
    return found if found["is_corrected"] else uncorrected(found)


def document(name, cost=0.0312):
    """One of the documents that agree least."""
    row = {"document": name, "place": 0, "n_annotators": 2, "cost": cost, "reason": None}
    return row | {"observed": 0.8, "expected": 0.2, "corrected": 0.75}


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
