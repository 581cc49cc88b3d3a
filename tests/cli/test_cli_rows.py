"""Commands on rows that other programs wrote: texts with entities, tags, GLiNER's rows."""

import json

import pytest

from helpers.textfiles import call, failed, scored

TEXT, WORDS = "Ada Byron slept in Oslo.", ["Ada", "Byron", "slept", "in", "Oslo", "."]
GOLD = ["B-PER", "I-PER", "O", "O", "B-LOC", "O"]
NAMES = "O,B-PER,I-PER,B-LOC"


@pytest.fixture
def file(tmp_path):
    def write(name, *rows):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def gold(file):
    return file("gold.jsonl", {"tokens": WORDS, "ner_tags": GOLD})


def test_rows_of_gliner_are_scored_against_tags(file, gold):
    pred = file("pred.jsonl", {"tokenized_text": WORDS, "ner": [[0, 1, "PER"], [2, 2, "LOC"]]})
    layer = scored(gold, pred)
    assert (layer["n_gold"], layer["n_pred"]) == (2, 2)
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(0.5)


def test_what_a_pipeline_finds_in_texts_is_scored(file):
    gold = file("gold.jsonl", {"text": TEXT, "entities": [[0, 9, "PER"], [19, 23, "LOC"]]})
    found = {"entity_group": "PER", "score": 0.9, "word": "Ada Byron", "start": 0, "end": 9}
    pred = file("pred.jsonl", {"text": TEXT, "predictions": [found]})
    scores = scored(gold, pred)["scores"]
    assert scores["span_recall"]["observed"] == pytest.approx(0.5)
    assert scores["span_precision"]["observed"] == pytest.approx(1)


def test_gold_and_predictions_may_be_keys_of_one_file(file):
    both = file("a.jsonl", {"tokens": WORDS, "ner_tags": GOLD, "predictions": ["O", *GOLD[1:]]})
    layer = scored(both)
    assert (layer["gold_layer"], layer["pred_layer"]) == ("spans", "predictions")


def test_a_file_with_both_is_a_prediction_where_it_stands_for_one(file, gold):
    both = file("a.jsonl", {"tokens": WORDS, "ner_tags": GOLD, "predictions": ["O"] * 6})
    assert scored(gold, both)["n_pred"] == 0


def test_names_of_numbers_are_an_option(file, gold):
    numbers = [NAMES.split(",").index(tag) for tag in GOLD]
    pred = file("pred.jsonl", {"tokens": WORDS, "ner_tags": numbers})
    assert "--labels O,B-PER,I-PER" in failed("score", gold, pred)
    assert scored(gold, pred, "--labels", NAMES)["scores"]["span_f"]["observed"] == 1


def test_a_column_is_a_key(file, gold):
    rows = {"tokens": WORDS, "ner_tags": ["O"] * 6, "labels": GOLD}
    pred = file("pred.jsonl", rows)
    assert "name the key to read: " in failed("score", gold, pred)
    assert scored(gold, f"{pred}#labels")["scores"]["span_f"]["observed"] == 1


ENTITY = {"start": 0, "end": 1, "label": "PER"}
TAGGED = {"tokens": WORDS, "ner_tags": GOLD}
SEVERAL = {
    "spans": (TAGGED, {"spans": [ENTITY]}),
    "entities": (TAGGED, {"entities": [ENTITY]}),
    "predictions": (TAGGED, {"predictions": [ENTITY]}),
    "tags": ({"tokens": WORDS, "spans": []}, {"tags": ["B-ORG", *["O"] * 5]}),
    "no-spans": ({"tokens": WORDS, "spans": []}, {"entities": [ENTITY]}),
    "layers": ({"tokens": WORDS, "layers": {"a": [ENTITY]}}, {"entities": [ENTITY]}),
    "label": ({"text": TEXT, "spans": []}, {"label": [[0, 3, "ORG"]]}),
    "gliner": ({"tokenized_text": WORDS, "ner": []}, {"entities": [ENTITY]}),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_rows_with_annotation_of_two_formats_are_refused(file, gold, name):
    """The second key is in a later row."""
    row, more = SEVERAL[name]
    pred = file("pred.jsonl", row, row | more)
    assert "; name the key to read: " in failed("score", gold, pred)


@pytest.mark.parametrize("key", ["pred_tags", "predicted", "ner_tags_pred", "pred-spans"])
def test_unread_keys_of_predictions_are_refused_in_predictions(file, gold, key):
    pred = file("pred.jsonl", TAGGED, TAGGED | {key: [] if "spans" in key else ["O"] * 6})
    assert f"name the key to read: {pred}#{key}" in failed("score", gold, pred)
    assert scored(pred, f"{pred}#ner_tags")["n_gold"] == 4


@pytest.mark.parametrize("more", [{"pred_scores": [0.5] * 6}, {"pred": "x"}, {"pred_id": None}])
def test_other_values_of_predictions_are_no_annotation(file, gold, more):
    assert scored(gold, file("pred.jsonl", TAGGED | more))["n_pred"] == 2


@pytest.mark.parametrize(
    "more",
    [
        {"spans": ["PER: Ada Byron"]},
        {"entities": []},
        {"entities": [{"name": "Ada", "type": "PER"}]},
        {"spans": [], "layers": {}},
    ],
    ids=["texts", "empty", "without-places", "none"],
)
def test_keys_without_spans_are_no_second_annotation(file, gold, more):
    assert scored(gold, file("pred.jsonl", TAGGED | more))["n_pred"] == 2


def test_tags_of_words_beside_spans_are_no_second_annotation(file, gold):
    rows = {"tokens": WORDS, "spans": [ENTITY], "tags": ["NNP", "NNP", "VBD", "IN", "NNP", "."]}
    assert scored(gold, file("pred.jsonl", rows))["n_pred"] == 1


KEYS = {"ner_tags": 2, "spans": 1, "entities": 0, "pred_tags": 3}
MANY = TAGGED | {"spans": [ENTITY], "entities": [], "pred_tags": ["B-PER"] * 3 + ["O"] * 3}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_is_named_chooses_the_format(file, gold, key):
    pred = file("pred.jsonl", MANY)
    assert scored(gold, f"{pred}#{key}")["n_pred"] == KEYS[key]


def test_a_key_of_gold_chooses_the_format_of_gold_alone(file, gold):
    layer = scored(file("both.jsonl", MANY), gold, "--column", "spans")
    assert (layer["n_gold"], layer["n_pred"]) == (1, 2)


def test_a_format_that_is_named_settles_which_key_is_read(file, gold):
    assert scored(gold, f"{file('pred.jsonl', MANY)}#format=jsonl")["n_pred"] == 1


def test_boards_take_keys(file, gold, tmp_path):
    pred = file("pred.jsonl", MANY)
    board = "-o", tmp_path / "board.json"
    done = call("score", gold, f"x={pred}#pred_tags", "-m", "span_f", *board)
    assert done.exit_code == 0, done.output
    board, *_ = json.loads((tmp_path / "board.json").read_text())["boards"]
    assert (board["rows"][0]["pred"], board["rows"][0]["observed"]) == (3, 0)


def test_agree_takes_keys(file):
    both = file("both.jsonl", MANY)
    assert f"name the key to read: {both}#ner_tags" in failed("agree", both, both)
    done = call("agree", f"{both}#ner_tags", f"{both}#spans", "-m", "span_f")
    assert done.exit_code == 0, done.output


def test_convert_takes_a_key(file, tmp_path):
    done = call("convert", file("a.jsonl", MANY), tmp_path / "b.conll", "--column", "pred_tags")
    assert done.exit_code == 0, done.output
    assert "B-PER" in (tmp_path / "b.conll").read_text()


@pytest.mark.parametrize("command", ["score", "agree", "convert"])
def test_other_commands_take_names_of_numbers(file, gold, tmp_path, command):
    numbers = [NAMES.split(",").index(tag) for tag in GOLD]
    pred = file("pred.jsonl", {"tokens": WORDS, "ner_tags": numbers})
    files = (pred, tmp_path / "out.conll") if command == "convert" else (gold, pred)
    done = call(command, *files, "--labels", NAMES)
    assert done.exit_code == 0, done.output
    if command == "convert":
        assert "B-PER" in (tmp_path / "out.conll").read_text()


def test_an_option_of_other_formats_names_the_format(file):
    entity = {"start_offset": 0, "end_offset": 9, "label": "PER"}
    gold = file("gold.jsonl", {"text": TEXT, "entities": [entity]})
    message = failed("score", gold, gold, "--read", "offsets=char")
    assert "format doccano has no key 'offsets'" in message
    assert scored(gold, gold, "--read", "offsets=char", "--format", "entities")["n_gold"] == 1


def test_rows_of_tokens_alone_are_converted(file, tmp_path):
    done = call("convert", file("a.jsonl", {"tokens": WORDS}), tmp_path / "b.jsonl")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {"tokens": WORDS}


def test_texts_alone_are_converted_with_tokens(file, tmp_path):
    texts = file("a.jsonl", {"text": "Ada slept"})
    done = call(
        "convert", texts, tmp_path / "b.jsonl", "--read", "offsets=char", "--read", "tokenizer=en"
    )
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "b.jsonl").read_text())["tokens"] == ["Ada", "slept"]


def test_mentions_and_texts_of_another_file_are_counted_on_a_board(file):
    gold = file("gold.jsonl", {"id": "a", "tokens": WORDS, "ner_tags": GOLD})
    texts = file("texts.jsonl", {"id": "a", "body": "", "text": TEXT})
    good = file("good.jsonl", {"id": "a", "response": "PER: ADA BYRON\nLOC: Oslo"})
    lost = file("lost.jsonl", {"id": "a", "response": "PER: Zed"})
    options = ("--read", f"texts={texts}", "--resamples", "50", "-o", "-")
    done = call("score", gold, good, lost, *options)
    found = json.loads(done.stdout)["mentions"]
    assert (found["n"], found["normalized"], found["nowhere"]) == (3, 1, 1)
    assert found["other_texts"] == 2


@pytest.mark.parametrize(
    "command, option, value, message",
    [
        ("score", "--read", "token_column=1", "has no key 'token_column'"),
        ("convert", "--read", "feature=x", "no key 'feature'"),
        ("agree", "--read", "feature=x", "has no key 'feature'"),
    ],
)
def test_errors_name_the_options_of_the_command(file, gold, command, option, value, message):
    files = [gold, file("same.jsonl", {"tokens": WORDS, "ner_tags": GOLD})]
    files = [gold, "out.jsonl"] if command == "convert" else files
    assert message in failed(command, *files, option, value)


def test_differences_show_what_is_nowhere(file):
    gold = file("gold.jsonl", {"id": "a", "tokens": WORDS, "ner_tags": GOLD})
    answer = {"PER": ["Ada Byron", "Zed", "Rex II"], "LOC": ["Oslo City"], "ORG": ["lept"]}
    pred = file("pred.jsonl", {"id": "a", "mentions": answer})
    shown = call("diff", gold, pred, "--top", 1).stdout
    for said in ('PER no place "Zed"', 'PER no place "Rex II"', 'LOC no place "Oslo City"'):
        assert said in shown
    assert "ORG no place\n" in shown  # has a place, inside a token
