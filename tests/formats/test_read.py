import gzip
import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats import READERS, FormatError, pair, read

CONLL = "a O\nb I-X\n"
TOKENS = [{"text": "Ada", "start": 0, "end": 3, "ws": False}]


@pytest.fixture
def file(tmp_path):
    def make(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return make


@each_case("suffix", [*READERS["conll"].suffixes, ".CoNLL"])
def test_the_ending_tells_columns(file, suffix):
    assert read(file(f"a.b{suffix}", "a B-X\n")).layer_names == ("gold",)


def test_gz_is_not_the_ending(file):
    assert read(file("a.conll.gz", gzip.compress(b"a B-X\n"))).layer_names == ("gold",)


def test_jsonl_is_spans_by_default(file):
    assert read(file("a.jsonl", '{"tokens": ["a"], "spans": [[0, 1, "X"]]}')).layer_names == (
        "spans",
    )


@pytest.mark.parametrize(
    "fields",
    [{"_input_hash": 1}, {"spans": [{"token_start": 0, "token_end": 0, "label": "X"}]}],
)
def test_jsonl_of_prodigy_is_recognised_by_its_first_row(file, fields):
    text = "\n" + json.dumps({"text": "Ada", "tokens": TOKENS, "answer": "accept"} | fields)
    assert read(file("a.jsonl", text)).documents[0].attributes == {"answer": "accept"}


@each_case("text", ["{", "[1]", '{"spans": 1}', '{"spans": [1]}', ""])
def test_a_bad_first_row_is_a_format_error(file, text):
    with pytest.raises(FormatError):
        read(file("a.jsonl", text))


@pytest.mark.parametrize("name", ["a.pdf", "a", "a.gz"])
def test_an_unknown_ending_names_the_formats(file, name):
    with pytest.raises(FormatError, match="conll, jsonl, prodigy"):
        read(file(name, CONLL))


def test_the_format_can_be_named(file):
    assert read(file("a.xml", "a B-X\n"), format="conll").layer_names == ("gold",)


def test_gold_must_be_sound(file):
    with pytest.raises(FormatError, match="follows O"):
        read(file("a.conll", CONLL))


def test_tags_of_predictions_are_read_as_conlleval_does(file):
    corpus = read(file("a.conll", CONLL), role="pred")
    assert (corpus.documents[0].layers["gold"], corpus.repair) == (((1, 2, "X"),), "conlleval")


def test_a_named_repair_comes_before_the_default(file):
    corpus = read(file("a.conll", CONLL), role="pred", repair="drop")
    assert (corpus.documents[0].layers["gold"], corpus.repair) == ((), "drop")


def test_an_option_that_is_none_is_the_default(file):
    assert read(file("a.conll", CONLL), role="pred", repair=None).repair == "conlleval"


def test_predictions_that_do_not_fit_the_tokens_are_unplaced(file):
    row = {"text": "Ada", "tokens": TOKENS, "spans": [[0, 2, "X"]]}
    path = file("a.jsonl", json.dumps(row))
    corpus = read(path, role="pred", offsets="char")
    assert corpus.documents[0].unplaced == {"spans": ((1, "X"),)}
    with pytest.raises(FormatError, match="does not fit"):
        read(path, offsets="char")


def test_formats_without_tags_have_no_repair(file):
    assert read(file("a.jsonl", '{"tokens": ["a"]}'), role="pred").repair == "none"


def test_an_option_of_another_format_is_an_error(file):
    with pytest.raises(ValueError, match="format jsonl has no option 'scheme'"):
        read(file("a.jsonl", '{"tokens": ["a"]}'), scheme="IOB1")


@pytest.mark.parametrize("options", [{"format": "xml"}, {"role": "silver"}], ids=str)
def test_an_unknown_format_or_role_is_an_error(file, options):
    with pytest.raises(ValueError, match="unknown"):
        read(file("a.conll", CONLL), **options)


@pytest.mark.parametrize("name", ["none.conll", "none.jsonl"])
def test_a_missing_file_is_a_format_error(tmp_path, name):
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / name)


def test_columns_and_rows_of_the_same_tokens_make_a_pair(file):
    gold = read(file("a.conll", "a B-X\n\nb O\n"))
    rows = [{"tokens": ["a"], "spans": []}, {"tokens": ["b"], "spans": [[0, 1, "X"]]}]
    pred = read(file("b.jsonl", "\n".join(map(json.dumps, rows))), role="pred")
    assert [document.words for document in pair(gold, pred)[1].documents] == [("a",), ("b",)]
