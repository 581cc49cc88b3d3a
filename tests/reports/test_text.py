import pytest

from helpers.cases import each_case
from helpers.scorereports import ROW, SCORE, report
from spacy_chance_eval.reports.scores import SHOWN_DOCS, score_report, score_summary
from spacy_chance_eval.reports.words import number, printable


def line_of(text, start):
    """The cells of the first line that begins with a word."""
    return next(line.split() for line in text.splitlines() if line.startswith(start))


@each_case(
    ("value", "text"),
    [(None, "-"), (0.5, "0.5000"), (-0.12345, "-0.1235"), (3, "3"), (0.0, "0.0000"), (0, "0")],
)
def test_numbers_have_four_decimals_and_what_is_undefined_a_dash(value, text):
    assert number(value) == text


def test_a_metric_has_a_row_with_its_scores():
    cells = line_of(report({"span_f": SCORE}), "span_f ")
    assert cells == ["span_f", "0.5000", "0.3333", "0.2500", "0.1250"]


def test_what_is_not_corrected_has_dashes():
    cells = line_of(report({"slicm": {**SCORE, "expected": None}}), "slicm ")
    assert cells == ["slicm", "0.5000", "-", "-", "0.1250"]


def test_undefined_scores_have_dashes():
    undefined = {**SCORE, "value": None, "observed": None, "expected": None, "macro": None}
    assert line_of(report({"span_f": undefined}), "span_f ") == ["span_f", "-", "-", "-", "-"]


def test_numbers_are_shown_and_not_computed():
    # 0.9 is not (0.5 - 0.1) / (1 - 0.1): the report believes what it is given
    cells = line_of(report({"span_f": {**SCORE, "value": 0.9, "expected": 0.1}}), "span_f ")
    assert cells[1:4] == ["0.5000", "0.1000", "0.9000"]


def test_labels_have_a_row_with_numbers_of_spans():
    cells = line_of(report({"span_f": SCORE}), "PER")
    assert cells == ["PER", "3", "4", "0.5000", "0.3333", "0.2500"]


def test_labels_are_shown_for_the_span_f_if_it_is_there():
    assert "span_f by label" in report({"token_f": SCORE, "span_f": SCORE})


@pytest.mark.parametrize(
    ("names", "best"), [(("int_f", "token_f"), "token_f"), (("int_f", "link_f"), "int_f")]
)
def test_labels_are_shown_for_the_token_f_or_the_first_otherwise(names, best):
    assert f"{best} by label" in report(dict.fromkeys(names, SCORE))


def test_the_signature_of_every_metric_is_shown():
    other = {**SCORE, "signature": "token_f()|docs=2"}
    printed = report({"span_f": SCORE, "token_f": other})
    assert "signatures, each with |docs=2\nspan_f(beta=1.0)\ntoken_f()" in printed


def test_standard_errors_and_p_values_have_columns_if_there_are_any():
    printed = score_summary({"span_f": {**SCORE, "standard_error": 0.001, "p_value": 0.02}})
    assert "standard error" in printed and "p value" in printed
    assert line_of(printed, "span_f")[-2:] == ["0.0010", "0.0200"]


def test_standard_errors_and_p_values_have_no_columns_if_there_are_none():
    printed = score_summary({"span_f": SCORE})
    assert "standard error" not in printed and "p value" not in printed


def test_a_metric_without_p_value_has_a_dash_beside_others():
    printed = score_summary({"span_f": {**SCORE, "p_value": 0.02}, "slicm": SCORE})
    assert line_of(printed, "slicm")[-1] == "-"


def test_the_layer_and_the_numbers_of_documents_and_spans_are_shown():
    assert "ents: 2 documents, 3 gold spans" in report({"span_f": SCORE})


def test_documents_that_were_skipped_are_mentioned_if_there_are_any():
    assert "1 document skipped: not annotated" in report({"span_f": SCORE}, n_skipped=1)
    assert "skipped" not in report({"span_f": SCORE})


def test_spans_that_fit_no_tokens_are_mentioned_if_there_are_any():
    assert "2 predicted spans do not fit" in report({"span_f": SCORE}, n_unplaced=2)
    assert "1 predicted span does not fit" in report({"span_f": SCORE}, n_unplaced=1)
    assert "do not fit" not in report({"span_f": SCORE})


def test_a_pair_of_layers_is_named():
    assert "ents against spans:sc" in report({"span_f": SCORE}, pred_layer="spans:sc")


def test_spacys_scores_are_shown_if_there_are_any():
    assert "spaCy: ents_p 0.5000  ents_r -" in report(
        {"span_f": SCORE}, spacy={"ents_p": 0.5, "ents_r": None}
    )
    assert "spaCy" not in report({"span_f": SCORE}, spacy={})


def documents(values):
    return {**SCORE, "per_doc": {f"d{i:02}": {**ROW, "value": v} for i, v in enumerate(values)}}


def documents_shown(printed):
    """Names of the documents of a report, in order."""
    words = (line.split()[:1] for line in printed.splitlines())
    return [word[0] for word in words if word and word[0][0] == "d" and word[0][1:].isdigit()]


def test_documents_are_shown_worst_first_and_undefined_ones_last():
    printed = report({"span_f": documents([0.5, None, -0.2, 0.9])})
    assert documents_shown(printed) == ["d02", "d00", "d03", "d01"]


def test_not_all_documents_of_a_large_corpus_are_shown():
    printed = report({"span_f": documents([i / 100 for i in range(SHOWN_DOCS + 3)])})
    assert len(documents_shown(printed)) == SHOWN_DOCS
    assert "(3 more documents in the JSON output: -o FILE)" in printed


def test_documents_are_left_out_if_they_were_not_scored():
    assert "by document" not in report({"span_f": SCORE})


def test_every_layer_has_its_tables():
    layer = {
        "gold_layer": "ents", "pred_layer": "ents", "n_docs": 2, "n_skipped": 0, "n_gold": 3,
        "n_pred": 4, "n_unplaced": 0, "scores": {"span_f": SCORE},
    }  # fmt: skip
    other = {**layer, "gold_layer": "spans:sc", "pred_layer": "spans:sc"}
    printed = score_report({"layers": [layer, other]})
    assert printed.count("span_f by label") == 2
    assert printed.index("ents:") < printed.index("spans:sc:")


def test_a_layer_without_any_label_can_be_shown():
    assert "span_f by label" in report({"span_f": {**SCORE, "per_label": {}}})


def test_long_labels_do_not_break_the_table():
    printed = report({"span_f": {**SCORE, "per_label": {"X" * 100: ROW}}})
    assert "0.3333" in printed


def test_names_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb") == "a\\x1b[31mb"
