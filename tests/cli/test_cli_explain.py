"""`spacy-chance-eval explain`: one document or the corpus, as text, JSON and page; its errors."""

import json

import pytest
from typer.testing import CliRunner

from helpers.cases import each_case
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, failed, jsonl

NESTED = [(0, 3, "A"), (1, 2, "A")]


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as JSONL."""
    gold = jsonl(tmp_path / "gold.jsonl", SPANS, id="news-7")
    return gold, jsonl(tmp_path / "pred.jsonl", FOUND, id="news-7")


def explained(*arguments):
    done = call("explain", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def found(*arguments):
    return json.loads(explained(*arguments, "-o", "-"))


def test_a_document_is_explained_by_name_and_by_number(files):
    assert found(*files, "--doc", "news-7") == found(*files, "-d", 1)


def test_the_text_shows_tokens_starts_steps_and_information(files):
    printed = explained(*files, "--doc", "news-7", "--label", "PER")
    assert "Ada met Rex Roe in Oslo ." in printed
    assert "P(gold covers)" in printed and "P(first start)" in printed
    assert "= (0.5000 - 0.1429) / (1 - 0.1429) = 0.4167" in printed
    assert "I(common) - lost - noise" in printed
    assert "without correction for chance" in printed
    assert "\x1b" not in printed


def test_without_a_document_the_corpus_is_explained(files):
    printed = explained(*files)
    assert "share of the expected matches by label" in printed
    assert "share of the expected matches by document" in printed
    assert set(found(*files)["levels"]) == {"span", "token"}


@each_case(
    ("option", "value", "key"),
    [
        ("--chance", "overlapping", "chance"),
        ("--chance", "nested", "chance"),
        ("--chance", "uniform", "chance"),
        ("--unit", "document", "unit"),
        ("--encoding", "BIO", "encoding"),
    ],
)
def test_the_model_can_be_chosen(files, option, value, key):
    assert found(*files, option, value)[key] == value


def test_sentences_can_be_the_units(tmp_path):
    text = "".join(f"{word} {tag}\n" for word, tag in zip("abc", ["B-X", "O", "O"]))
    path = tmp_path / "two.conll"
    path.write_text("-DOCSTART- O\n\n" + f"{text}\n" * 2)
    assert found(path, path, "-d", 1, "--unit", "sentence")["units"] == [[0, 3], [3, 6]]


def test_the_information_of_tokens_can_be_chosen(files):
    options = ("--token-information", "corpus", "--rank", "information", "--matching", "optimal")
    slicm = found(*files, "-d", 1, *options)["labels"][0]["slicm"]
    expected = "slicm(matching=optimal,rank=information,token_information=corpus)"
    assert slicm["metrics"]["slicm"] == expected


def test_columns_of_one_file_can_be_explained(tmp_path):
    path = conll(tmp_path / "both.conll", GOLD, PRED)
    assert found(path, "-d", 1)["labels"][0]["span"]["observed"]["matches"] == 2


def test_the_table_of_tokens_can_be_short_or_left_out(files):
    short = explained(*files, "-d", 1, "--label", "LOC", "--tokens", 2)
    assert "5 more tokens: --tokens N shows more" in short
    assert "P(gold covers)  " not in explained(*files, "-d", 1, "--label", "LOC", "--tokens", 0)


def test_few_documents_of_a_corpus_can_be_listed(tmp_path):
    rows = [jsonl(tmp_path / f"{i}.jsonl", SPANS, id=f"d{i}").read_text() for i in range(3)]
    path = tmp_path / "all.jsonl"
    path.write_text("".join(rows))
    assert "(2 more documents: --top N" in explained(path, path, "--top", 1)


def test_everything_is_written_as_json(files, tmp_path):
    done = call("explain", *files, "-d", 1, "-o", tmp_path / "out" / "all.json")
    assert "Written: " in done.stderr
    unit = json.loads((tmp_path / "out" / "all.json").read_text())["labels"][1]["units"][0]
    assert len(unit["common"]) == unit["n"] == 7
    assert unit["gold"]["kinds"][0]["starts"] == pytest.approx([1 / 7] * 7)


@pytest.mark.parametrize("document", [(), ("-d", "news-7")])
def test_a_page_is_written(files, tmp_path, document):
    page = tmp_path / "new" / "page.html"
    done = call("explain", *files, *document, "-o", page)
    assert done.exit_code == 0 and f"Written: {page}" in done.stderr
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_the_command_is_also_one_of_spacy(files):
    from spacy_chance_eval.cli.spacy import chance

    done = CliRunner().invoke(chance, ["explain", *map(str, files)])
    assert (done.exit_code, done.stdout) == (0, explained(*files))


# --- errors


@each_case(
    ("options", "message"),
    [
        ("--doc news7", "close to it: 'news-7'"),
        ("-o folder", "this command writes .json .html"),
        ("--label X", "no label 'X'"),
        ("--chance none", "without a chance model"),
    ],
)
def test_what_cannot_be_explained_is_one_message(files, options, message):
    assert message in failed("explain", *files, *options.split())


def test_nested_spans_need_a_model_that_places_them(tmp_path):
    path = jsonl(tmp_path / "nested.jsonl", NESTED)
    message = "use chance=overlapping (--chance overlapping), or nested if spans never cross"
    assert message in failed("explain", path, path, "-d", 1)
    assert "inside their parent" in " ".join(
        explained(path, path, "-d", 1, "--chance", "nested").split()
    )
