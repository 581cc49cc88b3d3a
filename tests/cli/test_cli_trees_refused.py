"""What `score` and `agree` refuse where trees are compared, and what they refuse for spans."""

import pytest
from spacy.tokens import DocBin

from helpers.parsing import parsed
from helpers.textfiles import call, failed
from helpers.treefiles import HEADS, RELATIONS, WORDS, two_annotators
from spacy_chance_eval.tasks import trees


@pytest.fixture
def two(tmp_path):
    return two_annotators(tmp_path)


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


def test_parses_without_spans_come_with_a_hint_to_metrics_of_trees(tmp_path):
    DocBin(docs=[parsed(WORDS, HEADS, RELATIONS)]).to_disk(tmp_path / "a.spacy")
    message = failed("score", tmp_path / "a.spacy", tmp_path / "a.spacy")
    assert "nothing to score" in message and "-m syntax_alpha -m las" in message


@pytest.mark.parametrize("command", ["score", "agree"])
def test_the_help_names_the_formats_of_trees(command):
    said = " ".join(call(command, "--help").stdout.split())
    assert "of trees conllu" in said and "convert --help lists all" in said
