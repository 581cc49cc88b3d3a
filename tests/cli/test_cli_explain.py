"""`spacy-chance-eval score --explain`: one document or the corpus, as text, JSON and page."""

import json

import pytest
from typer.testing import CliRunner

from helpers.cases import each_case, later
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, jsonl

NESTED = [(0, 3, "A"), (1, 2, "A")]


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as JSONL."""
    gold = jsonl(tmp_path / "gold.jsonl", SPANS, id="news-7")
    return gold, jsonl(tmp_path / "pred.jsonl", FOUND, id="news-7")


def explained(*arguments, document=()):
    """What is explained of the corpus, or of a document."""
    document = [document] if document != () else []
    done = call("score", *arguments, "--explain", *document)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def found(*arguments, **document):
    return json.loads(explained(*arguments, "-o", "-", **document))


def test_a_document_is_explained_by_name_and_by_number(files):
    assert found(*files, document="news-7") == found(*files, document=1)


@pytest.mark.integration
def test_without_a_document_the_corpus_is_explained(files):
    assert "Spans by label, most expected matches first" in explained(*files)
    assert "Tokens by document, most expected matches first" in explained(*files, "--all")
    assert set(found(*files)["levels"]) == {"span", "token"}


@each_case(
    ("option", "value", "key"),
    [
        ("--chance", "overlapping", "chance"),
        ("--chance", "nested", "chance"),
        ("--chance", "uniform", "chance"),
        ("--unit", "document", "unit"),
        ("-m", "token_f(encoding=BIO)", "encoding"),
    ],
)
def test_the_model_can_be_chosen(files, option, value, key):
    assert found(*files, option, value, document=1)[key] in value


def test_sentences_can_be_the_units(tmp_path):
    text = "".join(f"{word} {tag}\n" for word, tag in zip("abc", ["B-X", "O", "O"]))
    path = tmp_path / "two.conll"
    path.write_text("-DOCSTART- O\n\n" + f"{text}\n" * 2)
    assert found(path, path, "--unit", "sentence", document=1)["units"] == [[0, 3], [3, 6]]


def test_the_information_of_tokens_can_be_chosen(files):
    expected = "slicm(matching=optimal,rank=information,token_information=corpus)"
    slicm = found(*files, "-m", expected, document=1)["labels"][0]["slicm"]
    assert slicm["metrics"]["slicm"] == expected


def test_columns_of_one_file_can_be_explained(tmp_path):
    path = conll(tmp_path / "both.conll", GOLD, PRED)
    assert found(path, document=1)["labels"][0]["span"]["observed"]["matches"] == 2


@pytest.mark.integration
def test_random_annotations_of_the_corpus_have_p_values(files):
    assert 0 < found(*files)["p_values"]["span_f"] <= 1
    assert "p-value: the share of 1000 random annotations" in explained(*files, "--all")


def test_everything_is_written_as_json(files, tmp_path):
    done = call("score", *files, "--explain", 1, "-o", tmp_path / "all.json")
    assert "Written: " in done.stderr
    unit = json.loads((tmp_path / "all.json").read_text())["labels"][1]["units"][0]
    assert len(unit["common"]) == unit["n"] == 7
    assert unit["gold"]["kinds"][0]["starts"] == pytest.approx([1 / 7] * 7)


@pytest.mark.parametrize("document", [("news-7",), *later(())])
def test_a_page_is_written(files, tmp_path, document):
    page = tmp_path / "page.html"
    done = call("score", *files, "-o", page, "--explain", *document)
    assert done.exit_code == 0 and f"Written: {page}" in done.stderr
    assert page.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.integration
def test_the_command_is_also_one_of_spacy(files):
    from spacy_chance_eval.cli.spacy import chance

    done = CliRunner().invoke(chance, ["score", *map(str, files), "--explain"])
    assert (done.exit_code, done.stdout) == (0, explained(*files))


# --- errors


def test_nested_spans_are_explained_by_the_model_that_scores_have(tmp_path):
    path = jsonl(tmp_path / "nested.jsonl", NESTED)
    assert found(path, path, document=1)["chance"] == "overlapping"
    assert "likewise inside it" in " ".join(
        explained(path, path, "--chance", "nested", "--all", document=1).split()
    )
