"""`--format` names what is read, `--to` what is written, in every command."""

import csv
import io
import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import GOLD, PRED, SPANS, call, conll, failed, jsonl

FEW = ("--resamples", 0, "-m", "span_f")
DEPRECATED = "deprecated"


@pytest.fixture
def files(tmp_path):
    """Gold and two systems as CoNLL."""
    tags = {"gold": GOLD, "one": GOLD, "two": PRED}
    return [conll(tmp_path / f"{name}.conll", own) for name, own in tags.items()]


def test_a_board_is_written_in_the_format_asked_for(files):
    done = call("rank", *files, *FEW, "--to", "json")
    assert json.loads(done.stdout)["boards"] and not done.stderr


@each_case("name", ["csv", "md", "json", "html"])
def test_the_old_use_still_works_and_says_what_to_use(name, files):
    new, old = (call("rank", *files, *FEW, option, name) for option in ("--to", "--format"))
    assert old.stdout == new.stdout
    assert f"deprecated, as --format is the format of the input; use --to {name}" in old.stderr


def test_a_board_reads_files_without_a_known_ending(files):
    others = [path.rename(path.with_suffix(".out")) for path in files]
    done = call("rank", *others, *FEW, "--format", "conll", "--to", "csv")
    assert done.exit_code == 0, done.stderr
    assert [row["system"] for row in csv.DictReader(io.StringIO(done.stdout))][:1] == ["one"]


@each_case("ending", ["csv", "data"])
def test_csv_is_what_is_read_where_gold_may_be_csv(ending, tmp_path):
    files = [tmp_path / f"{name}.{ending}" for name in ("gold", "one")]
    for path in files:
        path.write_text("document,start,end,label,size\nd,0,1,PER,4\n")
    done = call("rank", *files, *FEW, "--format", "csv")
    assert done.exit_code == 0, done.stderr
    assert DEPRECATED not in done.stderr and "corrected" in done.stdout


def test_gold_and_systems_may_have_formats_of_their_own(files, tmp_path):
    gold = files[0].rename(tmp_path / "gold.out")
    options = ("--format", "conll", "--pred-format", "jsonl")
    pred = jsonl(tmp_path / "pred.out", SPANS)
    assert call("rank", gold, pred, *FEW, *options).exit_code == 0


def test_an_unknown_format_to_write_names_those_that_are(files):
    message = failed("rank", *files, *FEW, "--to", "jsn")
    assert "unknown format 'jsn' (did you mean 'json'?); expected one of md, csv, json" in message
