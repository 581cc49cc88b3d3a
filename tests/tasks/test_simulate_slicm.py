"""The tables of Amigó et al. (2025), made again; Table 4 and properties on a corpus."""

import json

import pytest

from helpers.cases import each_case
from helpers.properties import METRICS, properties
from helpers.published import rows
from spacy_chance_eval import evaluate, read
from spacy_chance_eval.measures.properties import contrasts, transformations
from spacy_chance_eval.tasks import simulate_slicm as task
from spacy_chance_eval.tasks.simulate_slicm import simulate_slicm, simulate_slicm_on

RESULT = simulate_slicm()
COLUMNS = {"span_f": "Span F", "token_io": "IO", "token_bioe": "BIOE", "link": "Link"}
COLUMNS |= {"bcubed": "BCubed", "int_f": "Int-F", "slicm": "SL-ICM"}
LABELS = {"Span F": "Span F", "Token F, IO": "IO", "Token F, BIOE": "BIOE", "Link F": "Link"}
LABELS |= {name: name for name in ("BCubed", "Int-F", "SL-ICM")}
ROWS = [
    {"tokens": list("abcdefgh"), "spans": [[0, 2, "P"], [3, 7, "Q"]]},
    {"tokens": list("ghij"), "spans": [[1, 2, "P"], [2, 3, "P"]]},
]


def cells(result, key):
    """{row: {column: cell}} of a table."""
    (one,) = [one for one in result["tables"] if one["key"] == key]
    return {
        row["name"]: dict(zip(one["columns"], row["cells"], strict=True)) for row in one["rows"]
    }


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    found = [
        {**row, "spans": [dict(zip(("start", "end", "label"), s)) for s in row["spans"]]}
        for row in ROWS
    ]
    path.write_text("\n".join(map(json.dumps, found)))
    return path


@each_case("row", rows("slicm_table3.csv"))
def test_every_printed_value_of_table_3_is_the_one_of_the_paper(row):
    for side in "AB":
        found = cells(RESULT, "table3")[f"{row['property']}, {side}"][COLUMNS[row["column"]]]
        assert float(found["printed"]) == float(row[side]) and "why" not in found


def test_the_examples_are_those_of_table_2():
    found = cells(RESULT, "table2")
    for row in rows("slicm_table2.csv"):
        own = found[row["property"]]
        assert [own[side]["value"] for side in ("gold", "A", "B")] == [
            row[side] for side in ("gold", "A", "B")
        ]
    assert [*found] == [*cells(RESULT, "properties")] and len(found) == 11


@each_case("name", LABELS)
def test_properties_are_those_of_the_page_about_spans(name):
    found = cells(RESULT, "properties")
    for row, says in properties(METRICS[name]).items():
        assert found[row][LABELS[name]]["value"] == says


def test_only_information_of_words_has_the_eleventh_property():
    row = cells(RESULT, "properties")["token informativeness"]
    assert {name: one["value"] for name, one in row.items() if one["value"] != "no"} == {
        "SL-ICM, corpus": "yes"
    }
    one, two = cells(RESULT, "words").values()
    assert one["SL-ICM, corpus"]["value"] > two["SL-ICM, corpus"]["value"]


def test_table_4_has_scores_of_transformed_spans(path):
    gold = read(path).spans("spans")
    found = cells(simulate_slicm_on(path), "table4")
    for name, (spans, n_changed) in transformations(gold).items():
        scores = evaluate(gold, spans, list(task.METRICS.values()))
        values = [found[name][key]["value"] for key in task.METRICS]
        assert values == [score.value for score in scores.values()]
        assert found[name]["changed"]["value"] == n_changed


def test_properties_are_the_shares_of_documents(path):
    gold = read(path).spans("spans")
    result = simulate_slicm_on(path, metrics=["span_f", "slicm_norm"])
    held, against = cells(result, "properties"), cells(result, "against")
    for name, contrast in contrasts(gold).items():
        documents = [gold.name(doc) for doc in contrast.docs]
        assert held[name]["n"]["value"] == len(documents)
        for metric in ("span_f(chance=none)", "slicm_norm"):
            one, two = (
                evaluate(contrast.gold, side, [metric], per_doc=True)[metric].per_doc
                for side in (contrast.better, contrast.worse)
            )
            higher = [one[key]["value"] - two[key]["value"] for key in documents]
            column = metric.partition("(")[0]
            for table, sign in ((held, 1), (against, -1)):
                share = (
                    sum(sign * value > 1e-9 for value in higher) / len(higher) if higher else None
                )
                assert table[name][column]["value"] == share


def test_metrics_that_refuse_what_is_made_have_no_value(path):
    found = cells(simulate_slicm_on(path, metrics=["u_alpha"]), "table4")
    assert found["split"]["u_alpha"]["value"] is not None
    assert found["+1 token"]["u_alpha"]["value"] is None  # two spans of a label overlap


@each_case(
    ("row", "message"),
    [
        ({"tokens": ["a"], "spans": []}, "no spans, which transformations need"),
        (
            {"tokens": ["a", "b", "c"], "spans": [{"fragments": [[0, 1], [2, 3]], "label": "P"}]},
            "cannot take discontinuous spans",
        ),
    ],
)
def test_what_cannot_be_transformed_is_refused(tmp_path, row, message):
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match=message):
        simulate_slicm_on(tmp_path / "a.jsonl")


def test_unknown_metrics_are_refused(path):
    with pytest.raises(ValueError, match="span_g"):
        simulate_slicm_on(path, metrics=["span_g"])
