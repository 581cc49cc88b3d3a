"""Results of which sentences are made: boards with tests, comparisons of runs, trees."""

from helpers.agreements import metric, result, score
from spacy_chance_eval.reports.leaderboard import board_verdict

LETTERS = "abcdefghij"


def _standing(name, value, rank, beside=""):
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    parts = {"low": low, "high": high, "rank": rank}
    return {name: value} | {beside + key: one for key, one in parts.items()}


def _ranks(scores):
    return [
        None
        if one is None or not any(scores)
        else 1 + sum(two is not None and two > one for two in scores)
        for one in scores
    ]


def board(observed, corrected=None, tests=(), metric="span_f", bits=False, names=LETTERS):
    """A board of systems a, b, c...; `tests` has p-values by pair, "?" for an undecided one."""
    before, after = _ranks(observed), _ranks(corrected or [])
    rows = []
    for i in range(len(observed)):
        row = {"system": names[i]}
        row |= _standing("observed", observed[i], before[i], "observed_" if corrected else "")
        row |= _standing("corrected", corrected[i], after[i]) if corrected else {}
        moves = corrected and None not in (before[i], after[i])
        rows.append(row | {"change": before[i] - after[i] if moves else None})
    pairs = []
    for pair, p in dict(tests).items():
        places = [LETTERS.index(letter) for letter in pair]
        found = dict(zip(("first", "second"), (names[i] for i in places)))
        for kind, scores in (("observed", observed), ("corrected", corrected or [])):
            values = [scores[i] for i in places] if scores else [None]
            known = None if None in values else values[0] - values[1]
            found[kind] = {"p_holm": None, "difference": known}
        test = {"p_holm": 0.049 if p == "?" else p, "decided": p != "?"}
        found["corrected" if corrected else "observed"] |= test
        pairs.append(found)
    about = {"metric": metric, "request": f"{metric}()", "bits": bits, "label": None}
    return {**about, "subset": None, "rows": rows, "pairs": pairs}


def verdict_of_boards(*boards, resamples=1000):
    resampling = {"resamples": resamples, "alpha": 0.05}
    return board_verdict({"boards": list(boards), "resampling": resampling})


def change(difference, distinct, key="corrected", label=None, sign=1, old=0.5):
    """A total, or a label, that changed by so much between two runs."""
    verdict = None
    if difference is not None:
        verdict = "equal" if not difference else "better" if sign * difference > 0 else "worse"
    new = None if difference is None else old + difference
    low, high = (None, None) if distinct is None else (difference - 0.02, difference + 0.02)
    test = {"difference": difference, "low": low, "high": high, "p_value": None, "p_holm": None}
    row = {"label": label, "old": {key: old}, "new": {key: new}, key: test}
    return row | {"verdict": verdict, "distinct": distinct}


def comparison(total, labels=(), name="span_f", key="corrected", bits=False):
    """A metric of a comparison of two runs."""
    return {"metric": name, "key": key, "bits": bits, "total": total, "labels": list(labels)}


def trees(value=0.9378, names=("ann", "bob"), **fields):
    """A result of trees in which every pair scores the same."""
    one = metric("syntax_alpha", names, pair=lambda *_: score(value, n_docs=1000), per_label=[])
    one["mean"] = score(value, n_docs=1000) | {"n_pairs": len(one["pairs"])}
    about = {"positions": "tree", "kind": "dependency", "n_uneven": 0, "n_shared": 1000}
    return result(one, names=names, **about | fields)
