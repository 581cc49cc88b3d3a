"""Logs of training are read as they are, also while they are written, and nothing else is."""

import gzip
import json

import pytest

from helpers.cases import each_case
from helpers.curvefiles import SCORES, curves, lines, row, written
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.tasks.curves import CUT, read_curves


@pytest.fixture
def log(tmp_path):
    return tmp_path / "ner.jsonl"


def only(path, **settings):
    (found,) = read_curves([path], **settings)["logs"]
    return found


def test_steps_scores_and_layers_are_those_of_the_file(log):
    found = only(written(log))
    assert [each["step"] for each in found["rows"]] == [0, 50, 100, 150]
    assert [each["score"] for each in found["rows"]] == list(SCORES)
    spans = [each["layers"]["ents"]["span_f"] for each in found["rows"]]
    assert [each["observed"] for each in spans] == list(SCORES)
    assert {each["expected"] for each in spans} == {0.05}


def test_the_best_step_is_the_last_of_the_highest_scores_as_spacy_has_it(log):
    assert only(written(log, [0.1, 0.5, 0.5, 0.4]))["best"] == 2


def test_a_log_without_any_score_has_no_best_step(log):
    assert only(written(log, [None, None]))["best"] is None


def test_a_layer_that_has_no_scores_is_undefined(log):
    log.write_text(json.dumps({**row(0, 0.5), "layers": {"ents": {}}}) + "\n")
    undefined = {"observed": None, "expected": None, "corrected": None}
    assert only(log)["rows"][0]["layers"]["ents"]["span_f"] == undefined


def test_layers_are_those_of_all_logs(tmp_path):
    one = written(tmp_path / "one.jsonl", layers=("spans_sc",))
    two = written(tmp_path / "two.jsonl", layers=("ents",))
    assert read_curves([one, two])["layers"] == ["ents", "spans_sc"]


def test_one_layer_can_be_chosen(tmp_path):
    path = written(tmp_path / "a.jsonl", layers=("ents", "spans_sc"))
    assert read_curves([path], layer="spans_sc")["layers"] == ["spans_sc"]


def test_records_have_a_row_for_each_evaluation_layer_and_score(tmp_path):
    path = written(tmp_path / "a.jsonl", layers=("ents", "spans_sc"))
    found = read_curves([path])
    rows = found.records()
    assert len(rows) == len(SCORES) * 2 * 2 and len({tuple(one) for one in rows}) == 1
    spans = [one for one in rows if (one["layer"], one["metric"]) == ("ents", "span_f")]
    assert [one["observed"] for one in spans] == [one["score"] for one in spans] == list(SCORES)
    assert sum(one["best"] for one in spans) == 1
    assert "span_f" in str(found) and found._repr_html_().startswith("<pre>")
    assert len(read_curves([path], layer="ents").records()) == len(SCORES) * 2


def test_a_layer_that_no_log_has_is_refused(log):
    with pytest.raises(ValueError, match="no log has the layer 'x'; layers of the logs: ents"):
        read_curves([written(log)], layer="x")


def test_an_unknown_score_is_refused(log):
    with pytest.raises(ValueError, match="unknown score 'f'; expected one of span_f, token_f"):
        read_curves([written(log)], score="f")


@each_case("length", range(1, len(lines()[0])))
def test_a_line_that_is_cut_off_anywhere_is_left_out_and_told(log, length):
    found = only(written(log, tail=lines([0.1] * 5)[4][:length]))
    assert (len(found["rows"]), found["note"]) == (4, CUT)


def test_a_whole_file_has_no_note(log):
    assert only(written(log))["note"] is None


def test_a_last_line_without_newline_counts_if_it_is_whole(log):
    found = only(written(log, tail=lines([0.1] * 5)[4]))
    assert (len(found["rows"]), found["note"]) == (5, None)


@each_case(
    ("line", "message"),
    [
        ("{", "invalid JSON"),
        ("[]", "a list, not an object"),
        ("", "invalid JSON"),
        ('{"step": 1.5, "epoch": 0}', "step is 1.5, no whole number"),
        ('{"step": true, "epoch": 0}', "step is True, no whole number"),
        ('{"step": 900, "epoch": -1}', "epoch is -1, no whole number"),
        (f'{{"step": {10**400}, "epoch": 0}}', "no whole number"),
        ('{"step": 900, "epoch": 9}', "no layers"),
        ('{"step": 900, "epoch": 9, "layers": []}', "no layers"),
        ('{"step": 900, "epoch": 9, "layers": {"x": 1}}', "layer 'x' has no scores"),
        ('{"step": 900, "epoch": 9, "layers": {"x": {"span_f": 1}}}', "layer 'x' has no scores"),
        ('{"step": 900, "epoch": 9, "score": "x", "layers": {}}', "score is 'x', no number"),
        ('{"step": 900, "epoch": 9, "score": 1e999, "layers": {}}', "score is inf, no number"),
        ('{"step": 900, "epoch": 9, "score": NaN, "layers": {}}', "NaN is not JSON"),
        ('{"step": 150, "epoch": 9, "layers": {}}', "step 150 follows step 150"),
    ],
)
def test_a_malformed_line_is_told_with_its_number(log, line, message):
    written(log, tail=f"{line}\n{lines([0.1] * 21)[20]}\n")
    with pytest.raises(FormatError) as error:
        read_curves([log])
    assert str(error.value).startswith(f"{log}:5: ")
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["", '{"step": 0, "ep'])
def test_a_log_without_any_evaluation_is_told(log, text):
    log.write_text(text)
    with pytest.raises(FormatError, match="no evaluation yet"):
        read_curves([log])


def test_a_missing_file_is_told(log):
    with pytest.raises(FormatError, match="no such file"):
        read_curves([log])


def test_a_packed_log_is_read(tmp_path):
    path = tmp_path / "ner.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines()).encode()))
    assert only(path)["rows"] == curves(tmp_path)["logs"][0]["rows"]
