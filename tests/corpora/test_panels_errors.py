"""Files that make no panel: one message that says what is wrong, where, and what to do."""

import pytest

from helpers.docmaking import make_doc, write_docs
from helpers.panelfiles import MORE, SLEPT, brat, lines, read, row
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, WORDS, conll, jsonl, prodigy
from spacy_chance_eval.formats import FormatError


@pytest.fixture
def two(tmp_path):
    """The work of two annotators as CoNLL."""
    return conll(tmp_path / "alice.conll", GOLD), conll(tmp_path / "bob.conll", PRED)


def failed(*sources, **options):
    """The message of an error."""
    with pytest.raises((FormatError, ValueError)) as error:
        read(*sources, **options)
    return str(error.value)


def test_other_tokens_are_an_error_that_names_both_files_and_the_place(tmp_path):
    alice = jsonl(tmp_path / "alice.jsonl", SPANS, id="a")
    bob = jsonl(tmp_path / "bob.jsonl", FOUND, ["Ada", "hit", *WORDS[2:]], id="a")
    message = failed(alice, bob)
    assert "alice.jsonl:1: token 2 of document 'a' is 'met', but 'hit' in" in message
    assert "bob.jsonl:1" in message


def test_tokens_against_characters_are_an_error(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    bob = jsonl(tmp_path / "bob.jsonl", FOUND, id="d")
    message = failed(tmp_path / "alice", bob, align="tokens")
    assert (
        "there are no tokens here, but in another file" in message and "tokenizer=LANG" in message
    )


def test_two_annotators_of_one_name_are_an_error(two):
    assert "two annotators are called 'A'; give each its own name" in failed(
        f"A={two[0]}", f"A={two[1]}"
    )
    assert "two annotators are called 'alice'" in failed(two[0], two[0])


@pytest.mark.parametrize("options", [{"layers": ["zoe"]}, {"layers": ["zoe"], "by": "file"}])
def test_an_unknown_layer_is_an_error_that_names_those_there(tmp_path, options):
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "layers": {"a": SPANS, "b": FOUND}})
    assert "x.jsonl: there is no layer 'zoe'; available: a, b" in failed(path, **options)
    assert "there is no layer 'zoe'; available: a, b" in failed(f"{path}#a", f"{path}#zoe")
    assert "several layers or annotators, and none was named: a, b" in failed(path, f"{path}#a")


def test_several_layers_of_files_that_are_annotators_are_an_error(two):
    assert "2 layers, but each file is an annotator" in failed(*two, by="file", layers=["a", "b"])


def test_a_file_without_spans_is_an_error_that_tells_of_categories(tmp_path):
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "categories": ["A"]})
    for sources in ([path], [path, f"other={path}"]):
        message = failed(*sources)
        assert "x.jsonl: no document has any layer of spans; agree --categories (in" in message


def test_a_file_without_categories_is_an_error(two, tmp_path):
    assert "no document has any categories; without --categories" in failed(*two, categories=True)


def test_names_that_are_the_same_are_an_error_before_anything_is_read(tmp_path):
    jsonl(tmp_path / "a.jsonl", SPANS)
    (tmp_path / "broken.jsonl").write_text("{")
    message = failed(f"ann={tmp_path / 'a.jsonl'}", f"ann={tmp_path / 'broken.jsonl'}", by="file")
    assert "two annotators are called 'ann'" in message


def test_a_field_that_no_row_has_is_an_error(tmp_path):
    message = failed(jsonl(tmp_path / "x.jsonl", SPANS), annotator="who")
    assert message.endswith("x.jsonl: no row names anybody in 'who'; name another key")
    task = prodigy(tmp_path / "y.jsonl", SPANS)
    assert "no row has anybody in the field 'who'" in failed(task, annotator="who")


def test_a_field_of_files_without_rows_is_an_error(two, tmp_path):
    write_docs(tmp_path / "x.spacy", [make_doc(WORDS, SPANS)])
    for path in (two[0], tmp_path / "x.spacy"):
        assert "no rows that name annotators" in failed(path, annotator="who")


def test_a_column_that_is_none_is_an_error(two):
    assert "alice.conll: no column 'x'; columns have numbers" in failed(f"{two[0]}#x", two[1])
    assert "alice.conll: no column 7" in failed(f"{two[0]}#7", two[1])


def test_an_option_that_no_format_has_is_an_error(two):
    assert "has no key 'offsets'" in failed(*two, offsets="char")


def test_options_go_to_the_files_that_have_them(tmp_path, two):
    rows = jsonl(tmp_path / "rows.jsonl", FOUND)
    assert read(two[0], rows, scheme="IOB2") == {"alice": [SPANS], "rows": [FOUND]}


def test_files_without_names_need_the_same_number_of_documents(tmp_path, two):
    path = lines(tmp_path / "x.jsonl", row(SPANS), row(SLEPT, MORE))
    assert "1 document, but" in failed(path, two[0])


def test_two_answers_of_one_annotator_to_a_document_are_an_error(tmp_path):
    rows = {"id": "a", "tokens": WORDS, "layers": {"alice": SPANS}}
    first, second = lines(tmp_path / "x.jsonl", rows), lines(tmp_path / "y.jsonl", rows)
    message = failed(first, second, by="layer")
    assert "y.jsonl:1: document 'a' has two annotations by 'alice'" in message
