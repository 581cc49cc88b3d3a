"""Tables and the page of scores over steps: the numbers of the logs, undefined ones as dashes."""

from helpers.curvefiles import curves
from spacy_chance_eval.reports.curves import curves_page, curves_text, curves_verdict

HOSTILE = "<script>alert(1)</script>\x1b[2J"


def rows_of(text):
    return [line.split() for line in text.splitlines()]


def test_a_table_has_the_scores_of_every_step(tmp_path):
    rows = rows_of(curves_text(curves(tmp_path)))
    assert ["0", "0", "0.1000", "0.1000", "0.0500", "0.0526"] in rows
    assert ["150", "3", "0.4000", "0.4000", "0.0500", "0.3684"] in rows


def test_the_best_step_alone_is_marked(tmp_path):
    rows = rows_of(curves_text(curves(tmp_path)))
    assert [row[:2] for row in rows if row and row[0] == "best"] == [["best", "100"]]


def test_the_best_step_is_told_in_a_sentence(tmp_path):
    text = curves_text(curves(tmp_path))
    assert "4 evaluations, the best at step 100 with the score 0.5000" in text
    assert "1 evaluation, none with a score" in curves_text(curves(tmp_path, scores=[None]))


def test_the_verdict_has_the_best_step_and_its_scores_beyond_chance(tmp_path):
    assert curves_verdict(curves(tmp_path)) == (
        "Step 100 is best, with the score .500, .100 above the last evaluation; one earlier step "
        "has the same score; span_f of ents is .474 beyond "
        "chance (observed .500, expected .050)."
    )
    two = curves(tmp_path, "a.jsonl", "b.jsonl", layers=("ents", "sc"))
    two["logs"][1]["rows"][2]["score"] = 0.4999
    text = curves_verdict(two)
    assert text.startswith("Step 100 of ") and "a.jsonl is best, with the score .500" in text
    assert "span_f of sc is .474" in text


def test_the_verdict_names_equal_logs_together(tmp_path):
    names = "a.jsonl", "b.jsonl", "c.jsonl"
    two = curves_verdict(curves(tmp_path, *names[:2])).replace(f"{tmp_path}/", "")
    assert two == "The best score, .500, is reached by a.jsonl at step 100 and b.jsonl at step 100."
    assert curves_verdict(curves(tmp_path, *names)).endswith(" is reached by three logs.")


def test_the_verdict_counts_equal_steps(tmp_path):
    text = curves_verdict(curves(tmp_path, scores=[0.5, 0.5, 0.4]))
    assert "evaluation; one earlier step has the same score; " in text
    text = curves_verdict(curves(tmp_path, scores=[0.5, 0.5, 0.5]))
    assert "; it is the last evaluation; two earlier steps have the same score;" in text


def test_no_difference_is_rounded_to_0(tmp_path):
    text = curves_verdict(curves(tmp_path, scores=[0.3, 0.30004, 0.30001]))
    assert ".300, less than .001 above the last evaluation;" in text


def test_the_verdict_says_if_scores_are_not_above_chance(tmp_path):
    text = curves_verdict(curves(tmp_path, scores=[0.01, 0.05]))
    assert "span_f of ents is .000 corrected for chance (observed .050" in text


def test_the_verdict_says_if_the_best_is_the_last_or_none_has_a_score(tmp_path):
    text = curves_verdict(curves(tmp_path, scores=[0.1, 0.2]))
    assert text.startswith("Step 50 is best, with the score .200; it is the last evaluation; ")
    assert "; it is the only one;" in curves_verdict(curves(tmp_path, scores=[0.1]))
    assert curves_verdict(curves(tmp_path, scores=[None])) == "No evaluation has a score."
    undefined = curves_verdict(curves(tmp_path, scores=[0.1, None]))
    assert "above" not in undefined and "; the last evaluation has no score;" in undefined


def test_an_undefined_score_is_a_dash(tmp_path):
    rows = rows_of(curves_text(curves(tmp_path, scores=[None])))
    assert ["0", "0", "-", "-", "0.0500", "-"] in rows


def test_columns_of_several_layers_say_which(tmp_path):
    found = curves(tmp_path, layers=("ents", "spans_sc"))
    assert "ents observed" in curves_text(found) and "spans_sc corrected" in curves_text(found)


def test_every_log_has_a_table(tmp_path):
    text = curves_text(curves(tmp_path, "one.jsonl", "two.jsonl"))
    assert text.count("corrected") == 2 and "one.jsonl" in text and "two.jsonl" in text


def test_a_log_without_layers_still_shows_its_scores(tmp_path):
    text = curves_text(curves(tmp_path, layers=()))
    assert ["best", "100", "2", "0.5000"] in rows_of(text) and "observed" not in text


def test_what_could_steer_the_terminal_is_spelled_out(tmp_path):
    text = curves_text(curves(tmp_path, layers=(HOSTILE, "b")))
    assert "\x1b" not in text and "\\x1b[2J observed" in text


def test_the_page_has_a_plot_of_each_layer_and_a_table_of_each_log(tmp_path):
    found = curves(tmp_path, "one.jsonl", "two.jsonl", layers=("ents", "spans_sc"))
    page = curves_page(found, "1.2.3")
    assert (page.count("<svg"), page.count("<table")) == (2, 3)
    assert "spacy-chance-eval 1.2.3" in page


def test_the_page_tells_of_a_line_that_is_cut_off(tmp_path):
    assert "is cut off" in curves_page(curves(tmp_path, tail='{"st'), "1")


def test_names_of_layers_and_files_stay_text(tmp_path):
    page = curves_page(curves(tmp_path, "<b>&.jsonl", layers=(HOSTILE,)), "1")
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert "<b>" not in page and "&lt;b&gt;" in page
    assert "\x1b" not in page


def test_the_page_sorts_by_full_numbers_and_marks_the_best(tmp_path):
    page = curves_page(curves(tmp_path), "1")
    assert 'data-value="0.05263157894736' in page
    assert page.count(">best<") == 1
