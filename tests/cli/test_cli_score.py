"""`spacy-chance-eval score` on files of every text format, and with every option."""

import gzip
import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import (
    FOUND,
    GOLD,
    PRED,
    SPANS,
    WORDS,
    call,
    conll,
    failed,
    jsonl,
    prodigy,
    score,
    scored,
)
from spacy_chance_eval import sample

NESTED = [(0, 3, "A"), (1, 2, "A")]
CROSSING = [(0, 2, "A"), (1, 3, "A")]


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as CoNLL."""
    return conll(tmp_path / "gold.conll", GOLD), conll(tmp_path / "pred.conll", PRED)


def test_two_conll_files_are_scored(files):
    layer = scored(*files)
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(2 / 3)
    assert (layer["n_docs"], layer["n_gold"], layer["n_pred"]) == (1, 3, 3)


def test_the_tables_show_observed_expected_and_corrected_scores(files):
    printed = score(*files)
    for text in ("observed", "expected", "corrected", "span_f by label", "PER", "signatures"):
        assert text in printed


def test_a_table_of_all_labels_and_documents_is_written_as_csv(files, tmp_path):
    done = call(
        "score", *files, "-m", "gate_f", "-m", "span_f", "--per-doc", "-o", tmp_path / "a.csv"
    )
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].startswith(
        "layer,scope,name,gold,pred,correct,partial,missing,spurious,gate_f,"
    )
    assert lines[-1].startswith(f"{lines[1].split(',')[0]},micro,all,3,3,2,1,0,0,0.66")
    assert "As a table:" in done.stderr and "all metrics by document" in done.stdout


def test_the_two_last_columns_of_one_file_are_scored(tmp_path, files):
    layer = scored(conll(tmp_path / "both.conll", ["X"] * 7, GOLD, PRED))
    assert (layer["gold_layer"], layer["pred_layer"]) == ("gold", "pred")
    assert layer["scores"]["span_f"]["value"] == scored(*files)["scores"]["span_f"]["value"]


def test_columns_can_be_named_by_number(tmp_path):
    path = conll(tmp_path / "both.conll", GOLD, PRED, GOLD)
    layer = scored(path, "--column", 1, "--pred-column", 3)
    assert layer["scores"]["span_f"]["value"] == 1.0
    assert scored(path, "--pred-column", 3)["scores"]["span_f"]["value"] < 1


def test_one_file_with_one_column_is_an_error(files):
    message = failed("score", files[0])
    assert "gold.conll" in message and "column" in message


def test_two_jsonl_files_are_scored(tmp_path, files):
    layer = scored(jsonl(tmp_path / "a.jsonl", SPANS), jsonl(tmp_path / "b.jsonl", FOUND))
    assert layer["scores"]["span_f"]["value"] == scored(*files)["scores"]["span_f"]["value"]


def test_two_layers_of_one_jsonl_file_are_scored(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", SPANS, layers={"system": [list(row) for row in FOUND]})
    layer = scored(path, "--pred-layer", "system")
    assert (layer["gold_layer"], layer["pred_layer"]) == ("spans", "system")
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(2 / 3)


def test_a_jsonl_file_with_one_layer_is_an_error(tmp_path):
    message = failed("score", jsonl(tmp_path / "a.jsonl", SPANS))
    assert "a.jsonl has one layer only; name a file or column to compare with" in message


def test_an_unknown_layer_names_those_available(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", SPANS)
    assert "has no layer 'ents'; available: spans" in failed("score", path, path, "--layer", "ents")


def test_formats_can_be_mixed(tmp_path, files):
    layer = scored(jsonl(tmp_path / "a.jsonl", SPANS), files[1])
    assert (layer["gold_layer"], layer["pred_layer"]) == ("spans", "gold")
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(2 / 3)


def test_prodigy_is_recognised_by_its_rows(tmp_path):
    layer = scored(conll(tmp_path / "a.conll", GOLD), prodigy(tmp_path / "b.jsonl", FOUND))
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(2 / 3)


def test_two_prodigy_files_are_scored(tmp_path):
    files = prodigy(tmp_path / "a.jsonl", SPANS), prodigy(tmp_path / "b.jsonl", FOUND)
    assert scored(*files)["scores"]["span_f"]["observed"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("suffix", [".conll.gz", ".gz"])
def test_packed_files_are_read(tmp_path, files, suffix):
    packed = tmp_path / f"packed{suffix}"
    packed.write_bytes(gzip.compress(files[1].read_bytes()))
    options = () if suffix == ".conll.gz" else ("--pred-format", "conll")
    found = scored(files[0], packed, *options)
    assert found["scores"]["span_f"]["value"] == scored(*files)["scores"]["span_f"]["value"]


def test_differing_tokens_name_path_and_line(tmp_path, files):
    words = [*WORDS[:2], "Max", *WORDS[3:]]
    message = failed("score", files[0], conll(tmp_path / "x.conll", PRED, words=words))
    assert "gold.conll:3: token 3 of document 1 is 'Rex', but 'Max' in " in message
    assert "x.conll:3" in message


def test_improper_gold_tags_name_the_line_and_the_option(tmp_path, files):
    bad = conll(tmp_path / "bad.conll", ["O", "I-PER", *GOLD[2:]])
    message = failed("score", bad, files[1])
    assert "bad.conll:2: column 1: tag I-PER" in message and "--repair begin" in message


@pytest.mark.parametrize(("repair", "n_gold"), [("begin", 3), ("conlleval", 3), ("drop", 2)])
def test_improper_gold_tags_can_be_repaired(tmp_path, files, repair, n_gold):
    bad = conll(tmp_path / "bad.conll", ["O", "I-PER", *GOLD[2:]])
    layer = scored(bad, files[1], "--repair", repair)
    assert layer["n_gold"] == n_gold
    assert repair in layer["scores"]["span_f"]["signature"]


def test_improper_predicted_tags_are_read_as_conlleval_does(tmp_path, files):
    bad = conll(tmp_path / "bad.conll", ["I-PER", *GOLD[1:]])
    layer = scored(files[0], bad)
    assert layer["scores"]["span_f"]["value"] == 1.0
    assert "conlleval" in layer["scores"]["span_f"]["signature"]


def test_improper_predicted_tags_can_be_refused(tmp_path, files):
    bad = conll(tmp_path / "bad.conll", ["I-PER", *GOLD[1:]])
    assert "bad.conll:1" in failed("score", files[0], bad, "--pred-repair", "error")


@pytest.mark.parametrize("name", ["no.conll", "no.xyz", "no"])
def test_a_file_that_is_not_there_is_one_message(files, tmp_path, name):
    assert f"{name}: no such file" in failed("score", tmp_path / name, files[1])


def test_a_file_of_an_unknown_format_is_one_message(files, tmp_path):
    (tmp_path / "gold.xyz").write_text("Ada met Bob.\n")
    said = failed("score", tmp_path / "gold.xyz", files[1])
    assert "neither its content nor the ending '.xyz' tells the format" in said


@each_case(
    ("options", "message"),
    [
        (
            ("--metric", "span_g"),
            "unknown metric 'span_g' (did you mean 'span_f'?); expected one of",
        ),
        (("--metric", "span_f(beta=0)"), "beta is '0'; expected a number above 0"),
        (("--metric", "span_f(beta=1e308)"), "beta is '1e308'; expected 1e+100 or less"),
        (("--metric", "span_f(size=1)"), "span_f has no parameter 'size'"),
        (("--chance", "random"), "chance is 'random'; expected one of none, disjoint"),
        (("--unit", "word"), "unit is 'word'; expected one of doc, sent"),
        (("--encoding", "X"), "encoding is 'X'; expected one of IO, BIO"),
        (("--token-information", "lexeme_prob"), "token_information is 'lexeme_prob'"),
        (("--format", "xml"), "unknown format 'xml'"),
        (("--repair", "fix"), "unknown value 'fix' of repair"),
        (("--scheme", "XY"), "unknown value 'XY' of scheme"),
        (("--documents", "line"), "unknown value 'line' of documents"),
        (("--column", "9"), "9"),
        (("--offsets", "char"), "has no option 'offsets'"),
    ],
)
def test_a_bad_option_is_one_message(files, options, message):
    assert message in failed("score", *files, *options)


def test_metrics_are_scored_under_the_names_asked_for(files):
    found = scored(*files, "-m", "token_f(encoding=BIO)", "-m", "int_f")["scores"]
    assert list(found) == ["token_f(encoding=BIO)", "int_f"]
    assert found["token_f(encoding=BIO)"]["name"].startswith("token_f(beta=1.0,chance=disjoint,enc")


def test_an_option_holds_for_all_metrics_that_have_it(files):
    found = scored(*files, "--encoding", "BIOE", "-m", "token_f", "-m", "span_f")["scores"]
    assert "encoding=BIOE" in found["token_f"]["name"]


def test_a_parameter_of_a_metric_goes_before_the_option(files):
    (row,) = scored(*files, "--encoding", "BIOE", "-m", "token_f(encoding=IO)")["scores"].values()
    assert "encoding=IO," in row["name"]


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize(
    ("features", "sentences"),
    [
        ("number+kind", []),
        ("all", []),
        ("none", []),
        ("numbr", ["No span has a feature 'numbr' (did you mean 'number'?), so that it decides "
                   "nothing: spans have kind, number."]),
    ],
    ids=["known", "all", "none", "unknown"],
)  # fmt: skip
def test_features_that_no_span_has_are_told(tmp_path, n_process, features, sentences):
    """Some are of gold or of the prediction alone, or of one document."""
    span = {"start": 0, "end": 1, "label": "A"}
    gold, pred = (
        written_rows(
            tmp_path / name,
            json.dumps({"tokens": ["a"], "spans": [span | {"features": {key: 1}}]}),
            json.dumps({"tokens": ["b"], "spans": [span]}),
        )
        for name, key in (("gold.jsonl", "number"), ("pred.jsonl", "kind"))
    )
    options = ("-m", "gate_f", "--features", features, "--n-process", n_process, "-o", "-")
    assert json.loads(score(gold, pred, *options))["warnings"] == sentences


def overlapping(tmp_path, rows):
    """Gold and prediction with overlapping spans of one label."""
    return jsonl(tmp_path / "a.jsonl", rows), jsonl(tmp_path / "b.jsonl", rows[:1])


def test_overlapping_spans_need_another_chance_model(tmp_path):
    message = failed("score", *overlapping(tmp_path, CROSSING))
    assert "A [0, 2)" in message and "A [1, 3)" in message
    assert "overlapping" in message


@pytest.mark.parametrize(
    ("model", "rows"), [("overlapping", CROSSING), ("overlapping", NESTED), ("nested", NESTED)]
)
def test_overlapping_spans_are_scored_with_a_chance_model_for_them(tmp_path, model, rows):
    row = scored(*overlapping(tmp_path, rows), "--chance", model)["scores"]["span_f"]
    assert 0 < row["expected"] < row["observed"] == pytest.approx(2 / 3)


def test_crossing_spans_are_not_nested(tmp_path):
    message = failed("score", *overlapping(tmp_path, CROSSING), "--chance", "nested")
    assert "A [0, 2)" in message and "A [1, 3)" in message


def test_without_a_chance_model_overlaps_do_not_matter(tmp_path):
    row = scored(*overlapping(tmp_path, CROSSING), "--chance", "none")["scores"]["span_f"]
    assert (row["expected"], row["value"]) == (None, row["observed"])


def test_p_values_are_printed_and_written(files):
    options = (*files, "--p-values", "--draws", "50", "-m", "span_f")
    assert "p value" in score(*options)
    row = scored(*options)["scores"]["span_f"]
    assert 1 / 51 <= row["p_value"] <= 1
    assert "draws=50,0" in row["signature"]


def test_equal_seeds_give_equal_p_values_and_the_seed_is_in_the_signature(files):
    options = (*files, "--p-values", "--draws", "50", "-m", "span_f", "--seed")
    assert scored(*options, 7) == scored(*options, 7)
    assert "draws=50,7" in scored(*options, 7)["scores"]["span_f"]["signature"]


def test_draws_must_be_positive(files):
    done = call("score", *files, "--draws", "0")
    assert done.exit_code == 2
    assert "draws" in done.stderr


def test_every_document_can_be_scored():
    path = sample.path("dev.jsonl")
    options = (path, path, "--per-doc", "-m", "span_f")
    assert "span_f by document, worst first" in score(*options)
    rows = scored(*options)["scores"]["span_f"]["per_doc"]
    assert list(rows) == [f"dev-0{i}" for i in range(1, 7)]


def test_a_document_is_a_unit_unless_sentences_are(tmp_path):
    path = sample.path("dev.jsonl")
    doc, sent = (
        scored(path, path, "--unit", unit)["scores"]["span_f"]["expected"]
        for unit in ("doc", "sent")
    )
    assert sent > doc


def written_rows(path, *rows):
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


ROW = '{"tokens": ["a", "b", "c"], "spans": [[0, 1, "A"]]}'


def test_files_in_which_nothing_is_annotated_are_an_error(tmp_path):
    path = written_rows(tmp_path / "a.jsonl", '{"tokens": ["a"], "spans": null}')
    assert "no document is annotated" in failed("score", path, path)


def test_a_file_without_any_layer_is_an_error(tmp_path):
    path = written_rows(tmp_path / "a.jsonl", '{"tokens": ["a"]}')
    assert "no row has a list of spans or tags" in failed("score", path, path)


def test_a_prediction_without_the_key_spans_has_none(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW, ROW)
    pred = written_rows(tmp_path / "pred.jsonl", ROW, '{"tokens": ["a", "b", "c"]}')
    layer = scored(gold, pred)
    assert layer["n_docs"] == 2
    assert layer["scores"]["span_recall"]["observed"] == 0.5


def test_sentences_as_units_need_sentences(tmp_path):
    path = written_rows(tmp_path / "a.jsonl", ROW)
    assert "unit='sent' needs sentences" in failed("score", path, path, "--unit", "sent")


def test_documents_of_one_name_each_have_their_row(tmp_path):
    rows = [ROW.replace("{", '{"id": "x", ', 1)] * 2
    path = written_rows(tmp_path / "a.jsonl", *rows)
    assert list(scored(path, path, "--per-doc")["scores"]["span_f"]["per_doc"]) == ["x", "x (2)"]


def test_predictions_that_are_all_empty_are_scored(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", '{"tokens": ["a", "b", "c"], "spans": []}')
    assert scored(gold, pred)["scores"]["span_f"]["observed"] == 0.0


@pytest.mark.parametrize("command", ["score", "diff", "agree"])
def test_predictions_without_a_known_key_are_an_error_with_what_was_meant(tmp_path, command):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", '{"tokens": ["a", "b", "c"], "spanz": []}')
    message = failed(command, gold, pred)
    assert "its keys are 'tokens', 'spanz' (did you mean 'spans'?); expected one of" in message


@pytest.mark.parametrize(
    ("key", "remark"),
    [
        ('"layers": {}', "'layers' (empty, or neither spans nor tags);"),
        ('"labels": "A"', "'labels' (empty, or neither spans nor tags);"),
        ('"label": "A"', "'label' (categories, not spans);"),
    ],
    ids=["layers", "labels", "label"],
)
def test_a_key_that_is_there_is_not_suggested(tmp_path, key, remark):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", f'{{"tokens": ["a", "b", "c"], {key}}}')
    message = failed("score", gold, pred)
    assert remark in message and "did you mean" not in message


@pytest.mark.parametrize("command", ["score", "diff", "rank"])
@pytest.mark.parametrize("gold", ["gold.jsonl", "pred.jsonl"])
def test_decisions_are_said_to_be_for_agree(tmp_path, command, gold):
    written_rows(tmp_path / "gold.jsonl", ROW)
    decision = '{"tokens": ["a", "b", "c"], "categories": {"spans": ["accept"]}}'
    pred = written_rows(tmp_path / "pred.jsonl", decision)
    message = failed(command, tmp_path / gold, pred)
    assert "any layer of spans; agree --categories compares labels of documents, and" in message


def test_a_layer_that_is_named_does_not_make_it_a_prediction(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", '{"tokens": ["a", "b", "c"], "spanz": []}')
    assert "did you mean 'spans'?" in failed("score", gold, pred, "--pred-layer", "spans")


def test_what_a_prediction_without_a_known_key_is_told_to_do_helps(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    row = '{"tokens": ["a", "b", "c"], "spanz": [[0, 1, "A"]]}'
    pred = written_rows(tmp_path / "pred.jsonl", row.replace("spanz", "spans"))
    assert scored(gold, pred)["scores"]["span_f"]["observed"] > 0


def test_in_several_blocks_a_prediction_without_a_known_key_is_an_error(tmp_path):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    for folder, key in ((gold, "spans"), (pred, "spanz")):
        folder.mkdir()
        for name in "ab":
            written_rows(folder / f"{name}.jsonl", f'{{"tokens": ["a"], "{key}": []}}')
    assert "did you mean 'spans'?" in failed("score", gold, pred)


def test_in_one_file_a_document_without_a_prediction_has_none(tmp_path):
    both = '{"tokens": ["a"], "layers": {"gold": [[0, 1, "A"]], "sys": [[0, 1, "A"]]}}'
    gold = '{"tokens": ["a"], "layers": {"gold": [[0, 1, "A"]]}}'
    layer = scored(written_rows(tmp_path / "a.jsonl", both, gold))
    assert (layer["n_docs"], layer["scores"]["span_recall"]["observed"]) == (2, 0.5)


def test_the_last_ending_decides_the_format(tmp_path):
    path = written_rows(tmp_path / "x.spacy.jsonl", ROW)
    assert scored(path, path)["scores"]["span_f"]["value"] == 1.0


def test_the_format_of_one_file_can_be_named(tmp_path):
    path = conll(tmp_path / "both.out", GOLD, PRED)
    assert scored(path, "--format", "conll")["pred_layer"] == "pred"


def test_intervals_are_made_on_request(tmp_path):
    path = sample.path("dev.jsonl")
    rows = scored(path, path, "--resamples", "20", "-m", "span_f")["scores"]["span_f"]
    assert rows["interval"] == [1.0, 1.0]
    assert "ci=bootstrap,20,0,percentile,0.95,documents" in rows["signature"]
    assert "[1.0000, 1.0000]" in score(path, path, "--resamples", "20", "-m", "span_f")
    assert scored(path, path, "-m", "span_f")["scores"]["span_f"]["interval"] is None


def test_intervals_of_sentences_resample_their_articles(tmp_path):
    text = "-DOCSTART- O\n\nAda B-PER\n\nOslo B-LOC\n\n-DOCSTART- O\n\nRoe B-PER\n"
    (tmp_path / "x.conll").write_text(text)
    found = scored(
        tmp_path / "x.conll",
        tmp_path / "x.conll",
        "--documents",
        "sentence",
        "--resamples",
        "20",
        "-m",
        "token_f",
    )
    assert "documents" not in found["scores"]["token_f"]["signature"]
    assert "0.95,article" in found["scores"]["token_f"]["signature"]
