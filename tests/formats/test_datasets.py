"""Datasets of Prodigy, "dataset:NAME", on a stand-in: read like files, or the reason why not."""

import pytest
import srsly
from typer.testing import CliRunner

from helpers.prodigy_stub import NEWS, TOPICS, installed
from spacy_chance_eval import read
from spacy_chance_eval.cli import app
from spacy_chance_eval.formats.errors import FormatError


@pytest.fixture
def prodigy(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, rows in {"news": NEWS, "topics": TOPICS}.items():
        srsly.write_jsonl(tmp_path / f"{name}.jsonl", rows)
    return installed(monkeypatch, tmp_path)


def output(words):
    """What a command prints, which must end well."""
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    "words",
    [
        "agree SOURCE(news) --resamples 0",
        "agree SOURCE(topics) --categories --resamples 20",
        "score SOURCE(news)#annotator=auto,layer=ann SOURCE(news)#annotator=auto,layer=ben",
        "diff SOURCE(news)#annotator=auto,layer=ann SOURCE(news)#annotator=auto,layer=ben",
        "agree one=SOURCE(news)#annotator=auto,layer=ann two=SOURCE(news)#annotator=auto,layer=ben",
    ],
)
def test_commands_read_a_dataset_as_the_file_exported_from_it(prodigy, words):
    found = [
        output(words.replace("SOURCE(", before).replace(")", behind)).replace(".jsonl", "")
        for before, behind in (("dataset:", ""), ("", ".jsonl"))
    ]
    assert found[0].replace("dataset:", "").split() == found[1].split()


def test_python_reads_what_the_database_has_now(prodigy):
    assert read("dataset:news#annotator=auto") == read("news.jsonl", annotator="auto")
    prodigy.rows["news"] = NEWS[:1]
    assert len(read("dataset:news").documents) == 1


def test_a_database_with_the_older_name_for_its_examples_will_do(prodigy, monkeypatch):
    get = type(prodigy).get_dataset_examples
    monkeypatch.delattr(type(prodigy), "get_dataset_examples")
    monkeypatch.setattr(type(prodigy), "get_dataset", get, raising=False)
    assert read("dataset:news", annotator="auto").layer_names == ("ann", "ben")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mews", "dataset:mews: Prodigy's database has no such dataset (did you mean 'news'"),
        ("new", "dataset:new: no documents"),
    ],
)
def test_a_dataset_that_cannot_be_read_is_an_error(prodigy, name, said):
    with pytest.raises(FormatError) as caught:
        read(f"dataset:{name}")
    assert said in str(caught.value)


def test_rows_of_a_dataset_are_checked_as_those_of_a_file(prodigy):
    prodigy.rows["news"] = [{**NEWS[0], "weight": float("nan")}]
    with pytest.raises(FormatError, match="dataset:news:1: invalid JSON"):
        read("dataset:news")


def test_without_prodigy_it_says_where_to_go():
    with pytest.raises(FormatError, match="prodigy db-out news > news.jsonl"):
        read("dataset:news")
