"""The tables and figures of Li et al. (2024) by scripts/papers/chance.py; Table 10 of any board."""

import json
from itertools import combinations, permutations
from math import perm

import pytest

from helpers.cases import each_case
from helpers.published import rows, runs
from helpers.scripts import cells, script
from helpers.textfiles import call
from spacy_chance_eval import Resampling, Spans, evaluate, leaderboard, parse, read
from spacy_chance_eval.measures import start_probabilities
from spacy_chance_eval.measures.chance.expectation import expected_pairs
from spacy_chance_eval.scoring.subsets import chance_levels

chance = script("chance")
RESULT = chance.simulations()
TABLES = {one["key"]: one for one in RESULT["tables"]}
# (table, row) of the cases of papers/*.csv
PLACES = {
    "1A = 2A": [("table3", "CaseA"), ("table5", "CaseA")],
    "1B": [("table3", "CaseB")],
    "2B = 3B": [("table5", "CaseB"), ("table7", "CaseB")],
    "3A": [("table7", "CaseA")],
    "4, annotator 1": [("table9", "Annotator1")],
    "4, annotator 2": [("table9", "Annotator2")],
}


def values(key, name, *columns):
    """The values of some columns of a row."""
    row = cells(RESULT, key)[name]
    return [row[column]["value"] for column in columns]


def shown(numbers):
    return [f"{value:.4f}".replace("0.", ".", 1) for value in numbers]


@each_case("row", rows("chance.csv"))
def test_token_f_of_the_simulations_is_the_printed_one(row):
    for place in PLACES[row["case"]]:
        found = values(*place, "ObsF1", "ChanceF1", "CorrF1")
        expected = [row[name] for name in ("observed", "expected", "corrected")]
        assert [f"{value:.4f}" for value in found] == expected


@each_case("row", rows("unitizing.csv"))
def test_alphas_of_the_simulations_are_the_printed_ones(row):
    names = {"alpha_u": ("ObsD", "ExpD", "Alpha"), "u_alpha": ("ObsuD", "ExpuD", "uAlpha")}
    kinds = ("observed_disagreement", "expected_disagreement", "value")
    for place in PLACES[row["case"]]:
        found = values(*place, *names[row["metric"]])
        assert shown(found) == [row[kind] for kind in kinds]


def annotator(row, side):
    spans = [(*span, "X") for span in runs(row[side])]
    return Spans.from_tuples([spans], [len(row["gold"])], ["X"])


@pytest.mark.parametrize("row", rows("chance_overlap.csv"), ids=lambda row: row["case"])
def test_overlapping_simulations_give_the_expected_overlap(row):
    # a token in two segments of one annotator counts twice here, unlike in token F
    sides = [annotator(row, side) for side in ("gold", "other")]
    (matched,) = expected_pairs(*sides, [lambda o, a, b: o], placement="overlapping")
    total = sum(side.lengths.sum() for side in sides)
    assert f"{2 * matched.sum() / total:.6f}" == row["expected"]


def test_the_values_that_differ_from_the_printed_ones_are_known():
    slips = {
        (one["key"], row["name"], column): value["printed"]
        for one in RESULT["tables"]
        for row in one["rows"]
        for column, value in zip(one["columns"], row["cells"])
        if "why" in value
    }
    assert slips == {
        ("table3", "CaseB", "ExpD"): "0.0366",
        ("table3", "CaseB", "Alpha"): "0.9090",
        ("table9", "Annotator2", "ObsF1"): "0.6808",
        ("table9", "Annotator2", "CorrF1"): "0.3005",
    }
    for number in (3, 5, 7, 9):
        for row in TABLES[f"table{number}"]["rows"]:
            assert len(row["cells"]) == 9 and all("printed" in one for one in row["cells"])


def expected_disagreement(units, gaps, size, m=2):
    """D_e of alpha_U of one category, from the lengths of units and of gaps."""
    n, total = len(units), m * size
    own = sum((n - 1) / 3 * (2 * u**3 - 3 * u**2 + u) for u in units)
    free = sum(u**2 * (gap - u + 1) for u in units for gap in gaps if gap >= u)
    return 2 / size * (own + free) / (total * (total - 1) - sum(u * (u - 1) for u in units))


@each_case(
    ("ends", "key"), [((12, 11), "value"), ((2, 10, 1, 10), "printed")]
)  # ten appended tokens: part of the last gaps, or gaps of their own
def test_the_paper_keeps_the_appended_tokens_of_case_b_as_a_gap(ends, key):
    found = expected_disagreement([2, 3, 4, 3, 4, 5], [3, 3, 3, 2, 3, 2, *ends], 30)
    one = cells(RESULT, "table3")["CaseB"]["ExpD"]
    assert f"{found:.4f}" == f"{float(one[key]):.4f}"


def placements(layout):
    """The distinct placements of distinguishable segments of a layout, by enumeration."""
    lengths = chance.lengths_of(layout)
    objects = [*enumerate(lengths), *[(-1, 1)] * (len(layout) - sum(lengths))]
    return len({*permutations(objects)})


@pytest.mark.parametrize("row", TABLES["table1"]["rows"], ids=lambda row: row["name"])
def test_table_1_has_the_number_of_placements(row):
    observed, n, _, share, _, impossible = [one["value"] for one in row["cells"]]
    assert n == placements(observed)
    assert (share, impossible) == (1 / n, 0)


def test_figure_1_begins_with_one_in_73_and_is_flat_from_its_last_row_on():
    figure = TABLES["figure1"]
    assert [one["value"] for one in figure["rows"][0]["cells"]] == pytest.approx([1 / 73] * 4)
    for i, (_, curve) in enumerate(figure["curves"]["lines"].values()):
        n = len(figure["rows"])
        assert [row["cells"][i]["value"] for row in figure["rows"]] == curve[:n]
        flat = curve[n - 1 : 73]
        assert flat == pytest.approx([flat[0]] * len(flat))


def test_long_texts_have_no_overlap():
    shares = cells(RESULT, "proposition4")
    found = [row["disjoint"]["value"] for row in shares.values()]
    assert found == sorted(found) and found[-1] > 0.94
    assert shares["1000"]["ChanceF1"]["value"] < 0.011


def equation_1(n, lengths, i, start):
    """The probability that segment i starts at a token, counted from 1, by the paper's sum."""
    others = lengths[:i] + lengths[i + 1 :]
    total, k, ways = sum(lengths), len(lengths), 0
    for m in range(k):
        for left in map(sum, combinations(others, m)):
            before, after = start - 1 - left, n - start - total + left + 1
            if before >= 0 and after >= 0:
                ways += perm(before + m, m) * perm(after + k - 1 - m, k - 1 - m)
    return ways / perm(n - total + k, k)


def test_starts_are_those_of_equation_1():
    lengths = [1, 5, 10, 15]
    for i, starts in enumerate(start_probabilities(100, lengths)):
        expected = [equation_1(100, lengths, i, start + 1) for start in range(len(starts))]
        assert starts == pytest.approx(expected, abs=1e-15)


def test_segments_that_may_overlap_start_anywhere():
    one, two = (Spans.from_tuples([[(8, end, "X")]], [20]) for end in (11, 12))
    (score,) = evaluate(one, two, ["token_f(chance=overlapping)"]).values()
    assert score.expected == pytest.approx(0.183, abs=5e-5)


def test_the_difficulty_of_a_task_is_a_mean_over_all_pairs():
    team = [Spans.from_tuples([[span]], [20]) for span in ((6, 15, "X"), (4, 16, "X"))]
    expected = [evaluate(a, b, ["token_f"])["token_f"].expected for a in team for b in team]
    assert 1 - sum(expected) / len(expected) == pytest.approx(0.3478, abs=5e-5)


# --- table 10

SENTENCES = [  # tokens, gold, prediction of one system
    (4, [(0, 2, "A")], [(0, 2, "A")]),
    (4, [(1, 3, "A")], [(1, 2, "A")]),
    (20, [(3, 5, "A")], []),
    (20, [(3, 5, "A"), (8, 9, "B")], [(3, 5, "A"), (8, 10, "B")]),
    (9, [], [(0, 1, "A")]),
]


@pytest.fixture
def files(tmp_path):
    """Gold, and two systems, of which one is perfect."""
    for name in ("gold", "perfect", "partial"):
        made = [
            {
                "tokens": ["w"] * n,
                "spans": [list(span) for span in {"partial": pred}.get(name, gold)],
            }
            for n, gold, pred in SENTENCES
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in made))
    return [tmp_path / f"{name}.jsonl" for name in ("gold", "perfect", "partial")]


def table10(files, *more):
    """The result of the script on the board of some files."""
    done = call("score", *files, "--resamples", 0, "-o", "-", *more)
    assert done.exit_code == 0, done.stderr
    return chance.table10(json.loads(done.stdout))


def numbers(result):
    """{system: values of the table}."""
    return {
        row["name"]: [one["value"] for one in row["cells"]] for row in result["tables"][0]["rows"]
    }


HALVES = ("-m", "token_f", "--subset", "chance:.175")


def test_its_scores_are_those_of_boards_of_the_parts(files):
    gold, *systems = (read(path).spans("spans") for path in files)
    levels = chance_levels(gold, parse("token_f"))
    subsets = {"x": {"low": levels <= 0.175, "high": levels > 0.175}}
    named = dict(zip(("perfect", "partial"), systems))
    boards = leaderboard(gold, named, ["token_f"], subsets=subsets, intervals=Resampling(0))
    expected = {"perfect": [], "partial": []}
    for board in boards["boards"]:
        for row in board["rows"] if board["label"] is None else ():
            keys = ("observed", "observed_rank", "corrected", "rank")
            expected[row["system"]] += [row[key] for key in keys]
    result = table10(files, *HALVES)
    assert numbers(result) == expected
    title = result["tables"][0]["title"]
    assert "5 documents; subset1: 2, up to 0.175" in title and "subset2: 2, above 0.175" in title


def test_a_part_without_documents_has_no_columns(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"tokens": ["w"] * 4, "spans": [[0, 2, "A"]]}) + "\n")
    columns = table10([path, path], *HALVES)["tables"][0]["columns"]
    assert [one for one in columns if one != "Rank"] == [
        f"{kind} {part}" for part in ("all", "subset2") for kind in ("Obs", "Cor")
    ]


@each_case("more", [(), ("-m", "span_f"), ("--subset", "chance"), ("--subset", "length:5")])
def test_any_board_has_the_columns_of_all_documents(files, more):
    result = table10(files, *more)
    assert len(numbers(result)["partial"]) == 4
    name = "span_f" if "span_f" in more else "token_f"
    assert result["tables"][0]["title"].startswith(f"{name} in the layout")


@each_case("board", [[], {"boards": [{}]}, {"schema": "leaderboard.v1"}, {"schema": "compare.v1"}])
def test_what_is_no_board_is_refused(board):
    with pytest.raises(ValueError, match="JSON of a board"):
        chance.table10(board)


def test_it_is_of_a_metric_that_is_corrected(files):
    with pytest.raises(ValueError, match="needs a metric with a chance model"):
        table10(files, "-m", "token_f(chance=none)")
