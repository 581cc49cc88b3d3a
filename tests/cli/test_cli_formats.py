"""`--format` names what is read."""

import json

import pytest

from helpers.textfiles import GOLD, PRED, SPANS, call, conll, jsonl

FEW = ("--resamples", 0, "-m", "span_f")


@pytest.fixture
def files(tmp_path):
    """Gold and two systems as CoNLL."""
    tags = {"gold": GOLD, "one": GOLD, "two": PRED}
    return [conll(tmp_path / f"{name}.conll", own) for name, own in tags.items()]


def test_a_board_reads_files_without_a_known_ending(files):
    others = [path.rename(path.with_suffix(".out")) for path in files]
    done = call("score", *others, *FEW, "--format", "conll", "-o", "-")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["systems"][0]["name"] == "one"


def test_gold_and_systems_may_have_formats_of_their_own(files, tmp_path):
    gold = files[0].rename(tmp_path / "gold.out")
    options = ("--format", "conll")
    pred = jsonl(tmp_path / "pred.out", SPANS)
    assert call("score", gold, f"x={pred}#format=jsonl", *FEW, *options).exit_code == 0
