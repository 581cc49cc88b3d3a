"""`spacy-chance-eval score --explain`: one document or the corpus, as text, JSON and page."""

import json

import pytest
from typer.testing import CliRunner

from helpers.cases import each_case, later
from helpers.textfiles import FOUND, SPANS, call, jsonl


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


@pytest.mark.integration
def test_random_annotations_of_the_corpus_have_p_values(files):
    assert 0 < found(*files)["p_values"]["span_f"] <= 1
    assert "p-value: the share of 1000 random annotations" in explained(*files, "--all")


def test_everything_is_written_as_json(files, tmp_path):
    done = call("score", *files, "--explain", 1, "-o", tmp_path / "all.json")
    assert "Written: " in done.stderr
    unit = json.loads((tmp_path / "all.json").read_text())["labels"][1]["units"][0]
    assert len(unit["common"]) == unit["n"] == 7
    assert unit["gold"]["covered"] == pytest.approx([1 / 7] * 7)


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
