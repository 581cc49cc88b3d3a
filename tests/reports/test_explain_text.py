"""The text of an explanation: its tables are whole where they are short, and say what is not."""

import pytest

from helpers.explaining import corpus_pair, labelled, one_document
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.explain import DRAWN, Model, explain_corpus, explain_document
from spacy_chance_eval.reports.explain import (
    UNDEFINED,
    amount,
    explain_text,
    lengths,
    level_steps,
    select_tokens,
    start_rows,
    start_table,
    token_rows,
)


def explained(gold, pred, size, **options):
    return explain_document(one_document(gold, pred, size), "doc", **options)


FIGURE_1 = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])


def test_segments_of_figure_1_start_first_with_one_probability():
    (unit,) = explained(FIGURE_1, [], 100)["labels"][1]["units"]
    rows = start_rows(unit, ["gold", "predicted"])
    assert [(row[1], row[3], row[4]) for row in rows] == [
        ("15", "86", "0.0137"),
        ("10", "91", "0.0137"),
        ("5", "96", "0.0137"),
        ("1", "100", "0.0137"),
    ]
    assert lengths(unit, "gold") == "1, 5, 10, 15"
    assert lengths(unit, "pred") == "none"


def test_starts_are_listed_up_to_the_middle():
    (unit,) = explained(labelled([(0, 2), (3, 4)]), [], 5)["labels"][1]["units"]
    heads, rows = start_table(unit, "gold", 30)
    assert heads == ["length 2 (segments 1)", "length 1 (segments 2)"]
    assert [row[0] for row in rows] == ["1", "2", "3", "middle"]
    assert all(len(row) == 3 for row in rows)


def test_a_short_document_has_all_its_tokens():
    result = explained(labelled([(0, 2)]), labelled([(1, 2)]), 4)
    rows, left_out = token_rows(result, result["labels"][1], 4)
    assert [row[:4] for row in rows] == [
        ["1", "w0", "1", ""],
        ["2", "w1", "1", "1"],
        ["3", "w2", "", ""],
        ["4", "w3", "", ""],
    ]
    assert left_out == 0
    assert [row[4] for row in rows] == ["0.3333", "0.6667", "0.6667", "0.3333"]


def test_a_long_document_shows_tokens_near_spans_and_gaps():
    result = explained(labelled([(10, 11)]), labelled([(90, 91)]), 100)
    rows, left_out = token_rows(result, result["labels"][1], 20)
    assert [row and row[0] for row in rows] == [
        *(None, "9", "10", "11", "12", "13"),
        *(None, "89", "90", "91", "92", "93"),
        None,
    ]
    assert left_out == 90
    assert "(90 more tokens: --tokens N" in explain_text(result, tokens=20)


def test_tokens_near_spans_are_no_more_than_asked_for():
    spans = {"gold": [{"start": 0, "end": 50}], "pred": []}
    assert select_tokens(100, spans, 7) == list(range(7))


def test_a_token_of_no_unit_has_no_probability():
    result = explained(labelled([(0, 1)]), [], 3)
    result["units"], result["labels"][1]["units"] = [[0, 2]], []
    rows, _ = token_rows(result, result["labels"][1], 9)
    assert [row[4:] for row in rows] == [["0.0000"] * 3, ["0.0000"] * 3, ["-"] * 3]


def test_steps_put_the_numbers_into_the_formula():
    level = explained(labelled([(0, 1)]), labelled([(0, 1)]), 4)["labels"][1]["token"]
    observed, expected, corrected = level_steps(level, "token")
    assert (observed["numbers"], observed["value"]) == ("2 x 1 / (1 + 1)", "1.0000")
    assert (expected["numbers"], expected["value"]) == ("2 x 0.2500 / (1 + 1)", "0.2500")
    assert corrected["numbers"] == "(1.0000 - 0.2500) / (1 - 0.2500)"


@pytest.mark.parametrize(
    ("gold", "pred", "reasons"),
    [
        ([], [], [UNDEFINED["observed"]] * 3),
        ([(0, 4)], [(0, 4)], [None, None, UNDEFINED["corrected"]]),
    ],
)
def test_undefined_scores_have_a_reason(gold, pred, reasons):
    level = explained(labelled(gold), labelled(pred), 4)["labels"][0]["token"]
    assert [step["reason"] for step in level_steps(level, "token")] == reasons


def test_expectations_without_a_formula_say_so():
    model = Model("nested", encoding="BIO")
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    for result in (explain_document(both, "doc", model=model), explain_corpus(both, model=model)):
        assert DRAWN in explain_text(result)


def test_expectations_of_masses_are_shown_as_such():
    assert (amount(3), amount(3.0), amount(2.5)) == ("3", "3", "2.5000")


def test_a_document_without_spans_says_so():
    assert "neither gold nor prediction has a span" in explain_text(explained([], [], 4))


def test_one_label_is_not_explained_twice():
    text = explain_text(explained(labelled([(0, 1)]), [], 4))
    assert "label X" in text and "all labels together" not in text


def test_several_labels_are_also_explained_together():
    text = explain_text(explained([(0, 1, "A"), (2, 3, "B")], [], 4))
    places = [text.index(f"=== {x}") for x in ("all labels together", "label A", "label B")]
    assert places == sorted(places)


def test_many_spans_and_units_are_cut_and_counted():
    spans = labelled([(i, i + 1) for i in range(0, 80, 2)])
    text = explain_text(explained(spans, spans, 80))
    assert text.count("(15 more spans in the JSON output") == 3  # two sides, and pairs


def test_control_characters_of_the_data_are_spelled_out():
    text = explain_text(explained([(0, 1, "\x1b[31mA")], [], 4))
    assert "\x1b" not in text and r"\x1b[31mA" in text


def test_a_corpus_is_listed_up_to_some_documents():
    both = corpus_pair(random_pair(3))
    text = explain_text(explain_corpus(both), top=2)
    assert text.count("(3 more documents: --top N shows more") == 2


def test_tables_fit_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    lines = explain_text(explained(FIGURE_1, FIGURE_1, 100)).splitlines()
    rules = [len(line) for line in lines if line.startswith("---")]
    assert rules and max(rules) <= 60
