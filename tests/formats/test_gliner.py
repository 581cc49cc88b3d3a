"""Rows of GLiNER: tokens, and spans whose end is their last token."""

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import FormatError, format_of, read

WORDS = ["Ada", "Byron", "slept"]
ROW = {"tokenized_text": WORDS, "ner": [[0, 1, "person"], [2, 2, "verb"]]}


@each_case("name", ["a.jsonl", "a.json"])
def test_the_last_token_belongs_to_a_span(file, name):
    path = file(ROW, name=name)
    assert format_of(path) == "gliner"
    (one,) = read(path).documents
    assert one.words == tuple(WORDS)
    assert one.layers == {"spans": ((0, 2, "person"), (2, 3, "verb"))}


def test_a_row_without_the_key_or_with_null_was_not_annotated(file):
    bare = {"tokenized_text": WORDS}
    corpus = read(file(ROW, bare, bare | {"ner": None}, bare | {"ner": []}), format="gliner")
    assert corpus.spans("spans").seen.tolist() == [True, False, False, True]


def test_other_keys_are_attributes(file):
    (one,) = read(
        file({**ROW, "id": 3, "source": "x", "ner_negatives": []}), format="gliner"
    ).documents
    assert (one.name, one.attributes) == ("3", {"source": "x", "ner_negatives": []})


def test_rows_of_sentences_are_those_of_dygie(file):
    row = {"doc_key": "a", "sentences": [WORDS, ["Rex", "too"]], "clusters": []}
    path = file({**row, "ner": [[[0, 1, "PER"]], [[3, 3, "DOG"]]], "predicted_ner": [[], []]})
    assert format_of(path) == "gliner"
    (one,) = read(path).documents
    assert (one.name, one.words, one.sents) == ("a", (*WORDS, "Rex", "too"), (0, 3))
    assert one.layers == {"spans": ((0, 2, "PER"), (3, 4, "DOG"))}
    assert read(path, role="pred").documents[0].layers == {"spans": ()}


def test_rows_of_annotators_are_layers(file):
    rows = [{**ROW, "id": 1, "by": name} for name in ("ada", "bob")]
    assert sorted(read(file(*rows), annotator="by").documents[0].layers) == ["ada", "bob"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tokenized_text": WORDS, "ner": [[1, 0, "x"]]}, 'a span is [1, 0, "x"]; a span is [firs'),
        ({"tokenized_text": WORDS, "ner": [[-1, 0, "x"]]}, 'a span is [-1, 0, "x"]'),
        ({"tokenized_text": WORDS, "ner": [[0, 3, "x"]]}, "span x [0, 4) among 3 tokens"),
        ({"tokenized_text": WORDS, "ner": [[0, "x"]]}, 'a span is [0, "x"]'),
        ({"tokenized_text": WORDS, "ner": [[0, True, "x"]]}, 'a span is [0, true, "x"]'),
        ({"tokenized_text": WORDS, "ner": "x"}, "'ner' is \"x\"; 'ner' must be a list"),
        ({"tokens": WORDS}, "a row without 'tokenized_text'"),
        ({**ROW, "spans": []}, "'spans' beside 'tokenized_text'; keep one of them"),
    ],
    ids=["reversed", "negative", "behind", "pair", "truth", "text", "tokens", "spans"],
)
def test_bad_rows_are_errors(file, row, message):
    with pytest.raises(FormatError) as caught:
        read(file(ROW, row), format="gliner")
    assert f"a.jsonl:2: {message}" in str(caught.value)


@each_case("n", [1, 2, 9])
def test_blocks_have_the_documents_of_the_file(file, n):
    assert_same(file(ROW, {"tokenized_text": WORDS}, ROW), n, format="gliner")
