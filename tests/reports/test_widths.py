"""Tables fit a terminal; in a pipe they are whole, and rows are never wrapped."""

import pytest
from wasabi import table

from helpers.textfiles import call, jsonl
from spacy_chance_eval.reports.tables import (
    WIDTH,
    detail_lines,
    fitted_table,
    line_width,
    signature_lines,
)

HEADER = ["name", *(f"column {i}" for i in range(8))]
ROWS = [["a", *map(str, range(8))], ["b", *"-" * 8]]
GOLD = [(0, 1, "PER"), (2, 4, "PER"), (5, 6, "LOC")]
OLD = [(0, 1, "PER"), (2, 3, "PER"), (5, 6, "LOC")]
NEW = [(0, 1, "LOC"), (2, 4, "PER"), (5, 6, "LOC")]


@pytest.fixture
def narrow(monkeypatch):
    """A terminal of 50 columns."""
    monkeypatch.setenv("COLUMNS", "50")


@pytest.fixture
def piped(monkeypatch):
    """No terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)


def test_lines_are_as_long_as_the_terminal(narrow):
    assert line_width() == 50


def test_lines_of_a_pipe_have_a_width_of_their_own(piped):
    assert line_width() == WIDTH


def test_a_wide_table_is_divided_at_a_terminal(narrow):
    lines = fitted_table(HEADER, ROWS).splitlines()
    assert max(map(len, lines)) <= 50
    assert len([line for line in lines if line.startswith("a ")]) == 2


def test_rows_without_anything_are_left_out_of_divided_tables(narrow):
    assert not [line for line in fitted_table(HEADER, ROWS).splitlines() if line[:2] == "b "]


def test_a_wide_table_is_whole_in_a_pipe(piped):
    lines = fitted_table(HEADER, ROWS).splitlines()
    assert [line.split() for line in lines[3:]] == ROWS


@pytest.mark.parametrize("aligns", [(), ["r", "l", "r"]], ids=["usual", "named"])
@pytest.mark.parametrize("rows", [[], [["Z\u00fcrich", "1", "x" * 70], ["", "-12", ""]]], ids=len)
def test_tables_look_as_wasabi_makes_them(rows, aligns):
    header = ["a", "column", "b"]
    usual = aligns or ["l", "r", "r"]
    expected = table(rows, header=header, divider=True, aligns=usual, max_col=60)
    assert fitted_table(header, rows, aligns).rstrip() == expected.rstrip()


def test_details_are_wrapped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    lines = "".join(detail_lines([("Old", "a very long text " * 5)])).splitlines()
    assert max(map(len, lines)) <= 50


def test_what_all_signatures_share_is_said_once():
    lines = list(signature_lines(["f(a=1)|docs=6|draws=9|v=1", "g(b=2)|docs=6|v=1"]))
    assert lines == ["signatures, each with |docs=6|v=1", "f(a=1)|draws=9", "g(b=2)"]


@pytest.mark.parametrize("signatures", [["f(a=1)|docs=6"], ["f|docs=6", "g|docs=7"]])
def test_signatures_that_share_nothing_stay_whole(signatures):
    assert list(signature_lines(signatures)) == ["signatures", *signatures]


@pytest.fixture
def compared(tmp_path):
    """compared(*options, keys="") is the text of a comparison of two runs."""
    gold = jsonl(tmp_path / "gold.jsonl", GOLD)

    def compare(*options, keys=""):
        runs = [tmp_path / "old.run", tmp_path / "new.run"]
        for run, spans in zip(runs, (OLD, NEW)):
            pred = jsonl(tmp_path / "pred.jsonl", spans)
            done = call("score", gold, pred, "-m", "span_f", "-o", f"{run}{keys}")
            assert done.exit_code == 0, done.stderr
        return call("compare", *runs, "--resamples", 0, *options).stdout

    return compare


@pytest.mark.parametrize("options", [["--top", 10], ["--below", 1]])
def test_comparisons_show_the_words_of_errors(compared, piped, options):
    text = compared(*options)
    assert 'PER 0-1 "Ada"' in text and 'LOC 0-1 "Ada"' in text
    assert ('PER 2-3 "Rex"' in text) == ("--top" in options)  # that the old run alone has


@pytest.mark.parametrize("options", [["--top", 10], ["--below", 1]])
def test_words_are_cut_so_that_errors_fit_a_terminal(compared, monkeypatch, options):
    monkeypatch.setenv("COLUMNS", "80")
    text = compared(*options)
    lines = [line for line in text.splitlines() if "Ada" in line or "Rex" in line]
    assert lines and max(map(len, lines)) <= 80
