"""LaTeX tables from the command line: by the ending of a file, or by --to."""

import pytest

from helpers.cases import each_case
from helpers.textfiles import GOLD, PRED, call, conll, failed


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Gold, a prediction, and a run of each."""
    monkeypatch.chdir(tmp_path)
    conll(tmp_path / "g.conll", GOLD)
    conll(tmp_path / "p.conll", PRED)
    for name in ("g", "p"):
        assert call("save", f"{name}.run", "g.conll", f"{name}.conll").exit_code == 0
    return tmp_path


COMMANDS = {
    "score": "score g.conll p.conll",
    "rank": "rank g.conll p.conll --resamples 0",
    "agree": "agree g.conll p.conll --resamples 0",
    "compare": "compare g.run p.run --resamples 0",
}


@each_case("words", ["--to tex", "--to latex"])
@each_case("name", COMMANDS)
def test_tables_are_printed_alone(files, name, words):
    done = call(*COMMANDS[name].split(), *words.split())
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("% Made by spacy-chance-eval")
    assert done.stdout.rstrip().endswith(r"\end{table}")
    assert r"span\_f(" in done.stdout


@each_case("name", [name for name in COMMANDS if name != "rank"])
def test_the_ending_of_a_file_names_the_format(files, name):
    printed = call(*COMMANDS[name].split(), "--to", "tex").stdout
    done = call(*COMMANDS[name].split(), "-o", "tables.tex")
    assert done.exit_code == 0, done.stderr
    assert (files / "tables.tex").read_text(encoding="utf8") == printed
    assert done.stdout == call(*COMMANDS[name].split()).stdout
    assert "tables.tex" in done.stderr


@each_case("name", [name for name in COMMANDS if name != "rank"])
def test_json_is_printed_by_name(files, name):
    words = COMMANDS[name].split()
    assert call(*words, "--to", "json").stdout == call(*words, "-o", "-").stdout


def test_a_board_is_written_with_the_others(files):
    assert call(*COMMANDS["rank"].split(), "-o", "board").exit_code == 0
    assert (files / "board.tex").read_text(encoding="utf8").startswith("% Made by")


def test_a_board_has_only_the_file_whose_ending_is_given(files):
    before = {*files.iterdir()}
    assert call(*COMMANDS["rank"].split(), "-o", "board.tex").exit_code == 0
    assert {*files.iterdir()} - before == {files / "board.tex"}
    assert call(*COMMANDS["rank"].split(), "-o", "two.tex", "--to", "md,csv").exit_code == 0
    assert (files / "two.md").exists() and (files / "two.csv").exists()


def test_the_old_option_knows_the_word(files):
    done = call(*COMMANDS["rank"].split(), "--format", "latex")
    assert done.stdout == call(*COMMANDS["rank"].split(), "--to", "tex").stdout
    assert "use --to" in done.stderr


@each_case(
    ("name", "formats"),
    [("score", "json, csv, tex"), ("agree", "json, tex"), ("compare", "json, tex")],
)
def test_other_formats_are_refused(files, name, formats):
    error = failed(*COMMANDS[name].split(), "--to", "pdf")
    assert f"unknown format 'pdf'; expected one of {formats}" in error


def test_a_csv_is_printed_too(files):
    call(*COMMANDS["score"].split(), "-o", "scores.csv")
    printed = call(*COMMANDS["score"].split(), "--to", "csv").stdout
    assert (files / "scores.csv").read_text(encoding="utf8") == printed
