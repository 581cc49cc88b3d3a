"""The tables and figures of Li et al. (2024), made again."""

from itertools import permutations

import pytest

from helpers.cases import each_case
from helpers.published import rows
from spacy_chance_eval.tasks.simulate import cell, chosen_tables, lengths_of, simulate_chance

RESULT = simulate_chance()
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


def cells(key, name):
    """{column: cell} of a row."""
    (row,) = [row for row in TABLES[key]["rows"] if row["name"] == name]
    return dict(zip(TABLES[key]["columns"], row["cells"], strict=True))


def shown(values):
    return [f"{value:.4f}".replace("0.", ".", 1) for value in values]


@each_case("row", rows("chance.csv"))
def test_token_f_of_the_simulations_is_what_tests_of_the_papers_expect(row):
    for place in PLACES[row["case"]]:
        found = [cells(*place)[name]["value"] for name in ("ObsF1", "ChanceF1", "CorrF1")]
        expected = [row[name] for name in ("observed", "expected", "corrected")]
        assert [f"{value:.4f}" for value in found] == expected


@each_case("row", rows("unitizing.csv"))
def test_alphas_of_the_simulations_are_what_tests_of_the_papers_expect(row):
    names = {"alpha_u": ("ObsD", "ExpD", "Alpha"), "u_alpha": ("ObsuD", "ExpuD", "uAlpha")}
    kinds = ("observed_disagreement", "expected_disagreement", "value")
    for place in PLACES[row["case"]]:
        found = [cells(*place)[name]["value"] for name in names[row["metric"]]]
        assert shown(found) == [row[kind] for kind in kinds]


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
    one = cells("table3", "CaseB")["ExpD"]
    assert f"{found:.4f}" == f"{float(one[key]):.4f}"


def test_all_cells_of_the_score_tables_have_printed_numbers():
    for number in (3, 5, 7, 9):
        for row in TABLES[f"table{number}"]["rows"]:
            assert len(row["cells"]) == 9 and all("printed" in one for one in row["cells"])


@each_case(
    ("value", "printed", "differs"),
    [
        (0.68086, "0.6808", True),
        (0.68084, "0.6808", False),
        (0.1, "0.10", False),
        (None, "1", True),
    ],
)
def test_a_cell_differs_where_the_rounded_value_is_not_the_printed_one(value, printed, differs):
    assert ("why" in cell(value, printed)) == differs


def placements(layout):
    """The distinct placements of distinguishable segments of a layout, by enumeration."""
    lengths = lengths_of(layout)
    objects = [*enumerate(lengths), *[(-1, 1)] * (len(layout) - sum(lengths))]
    return len({*permutations(objects)})


@each_case("name", ["Annotator1", "Annotator2"])
def test_table_1_has_the_number_of_placements(name):
    observed, n, _, share, _, impossible = [
        one["value"]
        for one in next(row for row in TABLES["table1"]["rows"] if row["name"] == name)["cells"]
    ]
    assert n == placements(observed)
    assert (share, impossible) == (1 / n, 0)


def test_figure_1_begins_with_one_in_73_and_is_flat_from_its_last_row_on():
    curves = [curve["y"] for curve in RESULT["figures"][0]["curves"]]
    table_rows = TABLES["figure1"]["rows"]
    assert [one["value"] for one in table_rows[0]["cells"]] == pytest.approx([1 / 73] * 4)
    for i, curve in enumerate(curves):
        assert [row["cells"][i]["value"] for row in table_rows] == curve[: len(table_rows)]
        flat = curve[len(table_rows) - 1 : 73]
        assert flat == pytest.approx([flat[0]] * len(flat))
    assert curves[0][len(table_rows) - 2] != pytest.approx(curves[0][len(table_rows) - 1], rel=1e-9)


def test_some_tables_can_be_chosen():
    some = chosen_tables(RESULT, ["table9", "figure1"])
    assert [one["key"] for one in some["tables"]] == ["table9", "figure1"]
    assert [one["key"] for one in chosen_tables(RESULT, ["table9"])["figures"]] == []


def test_an_unknown_table_is_an_error():
    with pytest.raises(ValueError, match="unknown table 'table99'"):
        chosen_tables(RESULT, ["table99"])
