"""`spacy-chance-eval curves`: tables, files by their endings, errors."""

import subprocess
import sys

import pytest

from helpers.curvefiles import written
from helpers.extras import needs
from helpers.textfiles import call, failed


@pytest.fixture
def log(tmp_path):
    return written(tmp_path / "ner.jsonl")


def curves(*arguments):
    """Tables of a call that goes well."""
    done = call("curves", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_a_table_is_printed(log):
    printed = curves(log)
    assert "best at step 100 with the score 0.5000" in printed
    assert "0.4000     0.0500      0.3684" in printed


def test_several_logs_are_printed_one_after_the_other(log, tmp_path):
    printed = curves(log, written(tmp_path / "words.jsonl", [0.2]))
    assert printed.index("ner.jsonl") < printed.index("words.jsonl")


def test_the_score_of_tokens_can_be_shown(log):
    assert "token_f" in curves(log, "--score", "token_f")
    assert "0.2500     0.0500      0.2105" in curves(log, "--score", "token_f")


def test_one_layer_can_be_shown(tmp_path):
    path = written(tmp_path / "a.jsonl", layers=("ents", "spans_sc"))
    assert "spans_sc" not in curves(path, "--layer", "ents")


@pytest.mark.parametrize("name, begins", [("x.svg", b"<svg"), ("x.html", b"<!DOCTYPE html>")])
def test_the_ending_says_what_is_written(log, tmp_path, name, begins):
    curves(log, "-o", tmp_path / "new" / name)
    assert (tmp_path / "new" / name).read_bytes().lstrip().startswith(begins)


def test_other_endings_are_refused_before_anything_is_read(tmp_path):
    message = failed("curves", tmp_path / "nowhere.jsonl", "-o", tmp_path / "x.jpg")
    assert "unknown ending; expected one of .html, .svg, .pdf, .png" in message


@pytest.mark.integration
@needs("matplotlib", "plots")
def test_a_figure_is_written_into_each_file_that_is_named(log, tmp_path):
    files = [tmp_path / name for name in ("a.svg", "a.pdf", "a.png")]
    options = [part for file in files for part in ("--figure", file)]
    curves(log, *options, "-o", tmp_path / "a.html")
    begins = (b"<svg", b"%PDF", b"\x89PNG", b"<!DOCTYPE html>")
    for file, start in zip((*files, tmp_path / "a.html"), begins):
        assert file.read_bytes().startswith(start)


def test_a_malformed_line_is_told_with_its_number(tmp_path):
    path = written(tmp_path / "x.jsonl", tail="{}\n")
    assert f"{path}:5: step is None, no whole number" in failed("curves", path)


def test_a_line_that_is_cut_off_is_told(tmp_path):
    assert "the last line is cut off" in curves(written(tmp_path / "x.jsonl", tail='{"step": 20'))


def test_a_picture_of_nothing_is_refused(tmp_path):
    path = written(tmp_path / "x.jsonl", layers=())
    done = call("curves", path, "-o", tmp_path / "x.svg")
    assert done.exit_code == 1 and "no scores beyond chance to draw" in done.stderr
    assert not (tmp_path / "x.svg").exists()


def test_a_picture_without_matplotlib_says_what_to_install(log, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "spacy_chance_eval.reports.curves", raising=False)
    done = call("curves", log, "-o", tmp_path / "x.png")
    assert done.exit_code == 1 and "spacy-chance-eval[plots]" in done.stderr


@pytest.mark.integration
def test_spacy_has_the_command_too(log):
    command = [sys.executable, "-m", "spacy", "chance", "curves", str(log)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == curves(log)
