"""What `score` and `agree` refuse where trees are compared, and what they refuse for spans."""

import pytest
from spacy.tokens import DocBin

from helpers.cases import each_case
from helpers.parsing import parsed
from helpers.textfiles import SPANS, call, failed, jsonl, score
from helpers.textfiles import conll as tags
from helpers.treefiles import HEADS, RELATIONS, WORDS, two_annotators, write
from spacy_chance_eval.formats import TREEBANKS
from spacy_chance_eval.metrics.catalog import TREE_CATALOG
from spacy_chance_eval.tasks import trees


@pytest.fixture
def two(tmp_path):
    return two_annotators(tmp_path)


@each_case("command", ["score", "agree"])
@each_case(
    ("option", "named"),
    [
        (("--layer", "x"), "--layer"),
        (("--column", "1"), "--column"),
        (("--read", "scheme=IOB2"), "--read scheme"),
        (("--read", "token_column=1"), "--read token_column"),
        (("--read", "tokenizer=en"), "--read tokenizer"),
        (("--scheduler", "x"), "--scheduler"),
    ],
)
def test_options_of_spans_are_an_error_for_trees(two, command, option, named):
    message = failed(command, *two, *option)
    assert f"{named} is for spans, but trees are compared; leave it out" in message


@pytest.mark.parametrize("option", [("--explain",), ("--chance", "nested"), ("--unit", "document")])
def test_options_of_scored_spans_are_an_error_for_trees(two, option):
    assert f"{option[0]} is for spans" in failed("score", *two, *option)


@pytest.mark.parametrize("option", [("--categories",), ("--items", "span")])
def test_options_of_panels_of_spans_are_an_error_for_trees(two, option):
    assert f"{option[0]} is for spans" in failed("agree", *two, *option)


@pytest.mark.parametrize("command", ["score", "agree"])
@pytest.mark.parametrize("key", ["cycles=error", "match=id", "strip_subtypes=yes"])
def test_keys_of_trees_are_an_error_for_spans(tmp_path, command, key):
    paths = jsonl(tmp_path / "a.jsonl", SPANS), jsonl(tmp_path / "b.jsonl", SPANS)
    name = key.partition("=")[0]
    assert f"has no key '{name}'" in failed(command, *paths, "--read", key)


@pytest.mark.parametrize("command", ["score", "agree"])
def test_metrics_of_trees_and_of_spans_do_not_go_together(two, command):
    message = failed(command, *two, "-m", "las", "-m", "span_f")
    assert "las compares trees and span_f spans" in message


@pytest.mark.parametrize("command", ["score", "agree"])
def test_metrics_of_spans_are_an_error_for_treebanks(two, command):
    message = failed(command, *two, "-m", "span_f")
    assert "span_f compares spans" in message and "syntax_alpha" in message


@pytest.mark.parametrize("command", ["score", "agree"])
def test_files_without_trees_are_an_error_for_metrics_of_trees(tmp_path, command):
    paths = jsonl(tmp_path / "a.jsonl", SPANS), jsonl(tmp_path / "b.jsonl", SPANS)
    assert "no ending of trees" in failed(command, *paths, "-m", "las")


@pytest.mark.parametrize("command", ["score", "agree"])
def test_a_metric_of_the_other_kind_of_trees_is_an_error(two, command):
    assert "jaccard is of constituency trees" in failed(command, *two, "-m", "jaccard")


@pytest.mark.parametrize("key", ["cycles", "match"])
def test_unknown_choices_are_named_with_those_that_there_are(two, key):
    message = failed("score", *two, "--read", f"{key}=nope")
    assert "'nope'" in message and "expected one of" in message


def test_what_is_no_metric_of_trees_is_an_error_with_all_that_are(two):
    message = failed("score", *two, "-m", "nope")
    assert all(name in message for name in TREE_CATALOG)


def test_tags_of_spans_are_still_read_as_tags(tmp_path):
    rows = ["B-A", "O", "O", "O", "O", "O", "O"]
    path = tags(tmp_path / "a.conll", rows, rows)
    assert "span_f" in score(path)


@pytest.mark.parametrize("command", ["score", "agree"])
def test_an_interruption_leaves_what_was_there(two, tmp_path, command, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    for name in ("agree_tree_files", "score_tree_files"):
        monkeypatch.setattr(trees, name, interrupted)
    (tmp_path / "x.json").write_text("old")
    before = sorted(tmp_path.rglob("*"))
    done = call(command, *two, "-o", tmp_path / "x.json", "-o", tmp_path / "pages")
    assert done.exit_code != 0
    assert (tmp_path / "x.json").read_text() == "old"
    assert sorted(tmp_path.rglob("*")) == before


def test_what_the_readers_passed_over_is_told(tmp_path):
    row = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
    text = "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    text += row.format(1, "do", 0, "root") + row.format(2, "n't", 1, "advmod") + "\n"
    for name in ("gold", "pred"):
        (tmp_path / f"{name}.conllu").write_text(text)
    files = [tmp_path / f"{name}.conllu" for name in ("gold", "pred")]
    for command in ("score", "agree"):
        assert "gold: 1 multiword token" in call(command, *files).stdout


def test_parses_without_spans_come_with_a_hint_to_metrics_of_trees(tmp_path):
    DocBin(docs=[parsed(WORDS, HEADS, RELATIONS)]).to_disk(tmp_path / "a.spacy")
    message = failed("score", tmp_path / "a.spacy", tmp_path / "a.spacy")
    assert "nothing to score" in message and "-m syntax_alpha -m las" in message


@pytest.mark.parametrize("name", ["a.conllu", "a.mrg", "a.conllx.gz"])
@pytest.mark.parametrize("command", ["diff", "convert"])
def test_commands_for_spans_say_that_a_file_holds_trees(tmp_path, command, name):
    path = write(tmp_path / name, "(S (A B))")
    assert "holds trees, which score and agree read" in failed(
        command, path, path if command != "convert" else tmp_path / "b.jsonl"
    )


@pytest.mark.parametrize("command", ["score", "agree"])
def test_the_help_names_the_formats_of_trees(command):
    said = call(command, "--help").stdout
    assert all(name in said for name in TREEBANKS)
