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
    assert "name the key to read: --column" in failed("score", gold, pred)
    assert scored(gold, pred, "--pred-column", "labels")["scores"]["span_f"]["observed"] == 1


@pytest.mark.parametrize("command", ["rank", "agree", "convert"])
def test_other_commands_take_names_of_numbers(file, gold, tmp_path, command):
    numbers = [NAMES.split(",").index(tag) for tag in GOLD]
    pred = file("pred.jsonl", {"tokens": WORDS, "ner_tags": numbers})
    files = (pred, tmp_path / "out.conll") if command == "convert" else (gold, pred)
    done = call(command, *files, "--labels", NAMES)
    assert done.exit_code == 0, done.output
    if command == "convert":
        assert "B-PER" in (tmp_path / "out.conll").read_text()


def test_rows_of_tokens_alone_are_converted(file, tmp_path):
    done = call("convert", file("a.jsonl", {"tokens": WORDS}), tmp_path / "b.jsonl")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {"tokens": WORDS}


def test_texts_alone_are_converted_with_tokens(file, tmp_path):
    texts = file("a.jsonl", {"text": "Ada slept"})
    done = call("convert", texts, tmp_path / "b.jsonl", "--offsets", "char", "--tokenizer", "en")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "b.jsonl").read_text())["tokens"] == ["Ada", "slept"]
