import re

import pytest

from helpers import comparisons
from spacy_chance_eval import Resampling, Spans
from spacy_chance_eval.reports.compare import (
    compare_markdown,
    compare_page,
    compare_text,
    error_counts,
    label_table,
)
from spacy_chance_eval.reports.words import number, signed
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run

RESULT = comparisons.result()


def test_all_scores_are_shown_as_they_are():
    text = compare_text(RESULT)
    for metric in RESULT["metrics"]:
        for row in (metric["total"], *metric["labels"]):
            for value in (row["old"][metric["key"]], row["new"][metric["key"]]):
                if metric["metric"] == "span_f" or row is metric["total"]:
                    assert number(value) in text
        assert signed(metric["total"][metric["key"]]["difference"]) in text
        assert {*metric["signature"].split("|")} <= {*re.split(r"[|\n]", text)}


def test_nothing_can_steer_the_terminal():
    text = compare_text(RESULT)
    assert "\x1b" not in text and "a\\x1b[31m" in text
    assert not re.search("^# head", text, re.MULTILINE)


def test_the_first_line_says_what_happened():
    first = compare_text(RESULT).strip().splitlines()[0]
    assert first.startswith(("better", "worse")) and "corrected span_f" in first


def test_documents_and_errors_are_listed_as_far_as_asked_for():
    whole, short = compare_text(RESULT), compare_text(RESULT, top=0)
    assert "worse most" in whole and "new errors" in whole and "fixed errors" in whole
    assert "most" not in short and "new errors" not in short
    assert error_counts(RESULT["errors"]) in short


def test_a_gold_span_that_the_other_run_has_is_correct_there():
    fixed = compare_text(RESULT).partition("fixed errors")[2].splitlines()
    assert any("missing" in line and line.rstrip().endswith(" correct") for line in fixed)


def test_one_document_is_not_several():
    gold, pred = (Spans.from_tuples([rows], [9]) for rows in ([(0, 1, "A")], []))
    runs = [stored_run(gold, one, ["span_f"]) for one in (pred, gold)]
    text = compare_text(compare(*runs, intervals=Resampling(0)))
    assert "1 document better" in text and "1 documents" not in text


def test_the_spans_of_a_label_that_only_the_new_run_predicts_are_told():
    gold = Spans.from_tuples([[(0, 1, "A")], [(2, 3, "A")]], [9, 9])
    more = Spans.from_tuples([[(0, 1, "A")], [(2, 3, "A"), (5, 6, "B"), (7, 8, "B")]], [9, 9])
    runs = [stored_run(gold, pred, ["span_f"]) for pred in (gold, more)]
    result = compare(*runs, intervals=Resampling(9))
    lines = label_table(result["metrics"][0], result["names"]).splitlines()
    (row,) = [line.split() for line in lines if line.startswith("B ")]
    assert row[1:4] == ["0", "0", "2"]


def test_runs_without_files_are_told_without_them():
    gold = Spans.from_tuples([[(0, 1, "A")]], [9])
    runs = [stored_run(gold, gold, ["span_f"]) for _ in range(2)]
    text = compare_text(compare(*runs, intervals=Resampling(9)))
    assert "old (1 predicted span; saved " in text
    assert re.search(r"^ *Gold +digest", text, re.MULTILINE)


@pytest.mark.parametrize("n, text", [(1, "1 document better, 2 w"), (3, "3 documents better, 2 w")])
def test_numbers_of_documents_have_their_plural(n, text):
    result = comparisons.result()
    result["metrics"][0]["documents"] |= {"n_better": n, "n_worse": 2}
    assert text in compare_text(result)


def test_missing_annotations_are_told():
    assert "annotations: not stored" in compare_text(comparisons.result(annotations="none"))


def test_missing_tests_are_told():
    text = compare_text(comparisons.result(resamples=0))
    assert "not tested" in text and "no resamples were asked for" in text


def test_documents_with_low_scores_have_their_errors_listed():
    text = compare_text(comparisons.result(verbose_below=0.9))
    assert text.count("missing") > compare_text(RESULT).count("missing")


def test_undefined_scores_are_dashes():
    result = comparisons.result(["slicm_norm"])
    total = result["metrics"][0]["total"]
    total["new"]["observed"] = total["observed"]["difference"] = total["verdict"] = None
    assert compare_text(result).strip().startswith("undefined: observed slicm_norm")


def test_warnings_are_shown_in_all_forms():
    result = comparisons.result() | {"warnings": ["New run: it has <no> spans."]}
    assert "\nWarning: New run: it has <no> spans.\n" in compare_text(result)
    assert "- Warning: New run: it has" in compare_markdown(result)
    assert "<strong>Warning:</strong> New run: it has &lt;no&gt; spans." in compare_page(result)
