"""The sentence above a board is true: leaders, ties, undefined scores, tests, the correction."""

import pytest

from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.leaderboard import board_verdict
from spacy_chance_eval.reports.words import brief

RESAMPLING = {"resamples": 1000, "alpha": 0.05}


def standing(name, score, rank, beside=""):
    low, high = (None, None) if score is None else (score - 0.1, score + 0.1)
    parts = {"low": low, "high": high, "rank": rank}
    return {name: score} | {beside + key: one for key, one in parts.items()}


def ranks(scores):
    return [
        None
        if one is None or not any(scores)
        else 1 + sum(two is not None and two > one for two in scores)
        for one in scores
    ]


def board(observed, corrected=None, tests=(), metric="span_f", bits=False):
    """A board of systems a, b, c...; `tests` has p-values by pair, "?" for an undecided one."""
    names = "abcdefghij"[: len(observed)]
    before, after = ranks(observed), ranks(corrected or [])
    rows = []
    for i, name in enumerate(names):
        row = {"system": name}
        row |= standing("observed", observed[i], before[i], "observed_" if corrected else "")
        row |= standing("corrected", corrected[i], after[i]) if corrected else {}
        moves = corrected and None not in (before[i], after[i])
        rows.append(row | {"change": before[i] - after[i] if moves else None})
    pairs = []
    for pair, p in dict(tests).items():
        test = {"p_holm": 0.049 if p == "?" else p, "decided": p != "?"}
        key = "corrected" if corrected else "observed"
        one, two = ("abcdefghij".index(name) for name in pair)
        found = {"first": pair[0], "second": pair[1]}
        for kind, scores in (("observed", observed), ("corrected", corrected or [])):
            values = [scores[i] for i in (one, two)] if scores else [None]
            known = None if None in values else values[0] - values[1]
            found[kind] = {"p_holm": None, "difference": known}
        found[key] |= test
        pairs.append(found)
    about = {
        "metric": metric,
        "request": f"{metric}()",
        "bits": bits,
        "label": None,
        "subset": None,
    }
    return {**about, "rows": rows, "pairs": pairs}


def verdict(*boards, resamples=1000):
    return board_verdict(
        {"boards": list(boards), "resampling": RESAMPLING | {"resamples": resamples}}
    )


FIVE, FOUR = [0.5, 0.4, 0.3, 0.2, 0.1], [0.5, 0.4, 0.4, 0.3]
BOARDS = [
    board([0.5, 0.4, 0.1], [0.45, 0.35, 0.05], {"ab": 0.2, "ac": 0.01, "bc": 0.01}),
    board(FIVE, FIVE, {"ab": 0.2, "ac": 0.2, "ad": 0.2, "ae": 0.001}),
    board(FOUR[:3], FOUR[:3], {"ab": 0.001, "ac": 0.001, "bc": 0.8}),
    board(FOUR, FOUR, {"ab": 0.001, "ac": 0.001, "ad": 0.001, "bc": 0.8}),
    board(FIVE[:4], None, {"ab": 0.2, "ac": 0.2, "ad": 0.2, "bd": 0.01}),
    board([0.5, 0.4, 0.3], [0.4, 0.3, 0.2], {"ab": 0.9, "ac": "?", "bc": 0.9}),
    board([0.5, 0.5, 0.3], [0.4, 0.4, 0.2], {"ab": 1.0, "ac": 0.001, "bc": 0.2}),
    board(
        [0.5] * 3 + [0.3],
        [0.4] * 3 + [0.2],
        {"ab": 1.0, "ac": 1.0, "bc": 1.0, "ad": 0.01, "bd": 0.01, "cd": 0.01},
    ),
    board([0.5], [0.45]),
    board([None, 0.5, 0.4], [None, 0.4, 0.3], {"bc": 0.001}),
    board([None, None], [None, None]),
    board([0.0, None, 0.0], [0.0, None, 0.0]),  # without gold spans
    board([0.9, 0.5], [None, 0.4]),
    board([0.5, 0.4], [None, None]),
    board([-812.34, -900.0], None, {"ab": 0.01}, "slicm", bits=True),
]


def test_verdicts_are_as_they_were():
    compare_with_snapshot("board-verdicts.txt", "\n".join(map(verdict, BOARDS)))


@pytest.mark.parametrize(
    "n, start",
    [
        (2, "The two systems do not differ significantly by span_f; "),
        (3, "No two systems differ significantly by span_f; "),
    ],
)
def test_one_group_comes_first(n, start):
    tests = dict.fromkeys(("ab", "ac", "bc")[: 3 if n == 3 else 1], 0.9)
    text = verdict(board([0.5, 0.4, 0.3][:n], [0.4, 0.3, 0.2][:n], tests))
    assert text.startswith(start)
    assert "; a has the best score, .400 beyond chance;" in text


def test_no_tests_are_said_to_be_absent():
    text = verdict(board([0.5, 0.4], [0.45, 0.35]), resamples=0)
    assert "a leads with .450 beyond chance by span_f; differences were not tested" in text


@pytest.mark.parametrize("score", [0.0, -0.05])
def test_no_score_at_or_below_0_is_beyond_chance(score):
    text = verdict(board([0.1, 0.05], [score, -0.2], {"ab": 0.01}))
    assert text.startswith(f"a leads with {brief(score, 3)} corrected for chance by span_f;")
    assert "beyond chance" not in text + verdict(board([0.1], [score]))


def test_lower_is_better_where_it_is():
    text = verdict({**board([0.1, 0.2], None, {"ab": 0.01}), "request": "error_rate()"})
    assert "by span_f (not corrected for chance, lower is better)" in text


@pytest.mark.parametrize(
    "p, end",
    [
        (0.01, "; the correction reverses one significant order by token_f."),
        (0.3, "; the correction changes no significant order."),
        ("?", "; the correction changes no significant order."),
    ],
)
def test_only_significant_orders_are_said_to_be_reversed(p, end):
    same = board([0.5, 0.4], [0.4, 0.3], {"ab": 0.01})
    other = board([0.5, 0.4], [0.3, 0.4], {"ab": p}, "token_f")
    raw = board([0.5, 0.4], None, {"ab": 0.01}, "strict_f")
    assert verdict(same, other, raw).endswith(end)
    assert "the correction" not in verdict(raw)


def test_names_are_escaped():
    one = board([0.5, 0.4], [0.4, 0.3], {"ab": 0.9})
    one["rows"][0]["system"] = one["pairs"][0]["first"] = "a\n\u202eb"
    assert "\\n\\u202e" in verdict(one)
