import csv
import io

import pytest

from helpers import boards
from helpers.cases import each_case
from spacy_chance_eval.reports.leaderboard import (
    COLUMNS,
    leaderboard_csv,
)
from spacy_chance_eval.reports.tables import code, csv_cell, markdown_text
from spacy_chance_eval.reports.words import (
    change,
    interval_text,
    p_value_text,
    rank_limits,
    web_link,
)


@pytest.fixture(scope="module")
def result():
    return boards.result()


@pytest.fixture(scope="module")
def rows(result):
    return list(csv.DictReader(io.StringIO(leaderboard_csv(result))))


@each_case(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("<b>", "&lt;b&gt;"),
        ("&amp;", "&amp;amp;"),
        ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
        ("[a](b)", r"\[a\](b)"),
        ("$x$", r"\$x\$"),
        ("a\nb", r"a\\nb"),
        ("a\x1bb", r"a\\x1bb"),
        ("https://x.org", r"https\://x.org"),
        ("www.x.org", r"www\.x.org"),
        ("- a", r"\- a"),
        ("1. a", r"1\. a"),
        ("# a", r"\# a"),
        ("a\\", r"a\\"),
        ("1.5 or PER-LOC", "1.5 or PER-LOC".replace("1.", "1\\.")),
    ],
)
def test_what_markdown_acts_on_is_escaped(text, expected):
    assert markdown_text(text) == expected


def test_code_survives_backticks():
    assert code("a``b") == "``` a``b ```" and code("a") == "`a`"


@pytest.mark.parametrize(("places", "text"), [(2, "+2"), (-1, "-1"), (0, "="), (None, "-")])
def test_changes_of_rank_have_a_sign(places, text):
    assert change(places) == text


def test_small_p_values_are_said_to_be_small():
    assert [p_value_text(p) for p in (None, 0.00001, 0.0001, 0.5)] == [
        "-", "<.0001", ".0001", ".5000",
    ]  # fmt: skip


def test_intervals_of_scores_and_ranks_have_both_ends():
    assert interval_text([0.1, 0.25]) == "[.100, .250]" and interval_text(None) == "-"
    assert [rank_limits(limits) for limits in ([1, 3], [2, 2], None)] == ["1-3", "2", ""]


@each_case("link", ["javascript:alert(1)", "data:x", "//x.org", "", None, "ftp://x"])
def test_only_web_addresses_become_links(link):
    assert web_link(link) is None and web_link("HTTPS://x.org")


def test_csv_has_one_row_for_each_board_and_system_and_each_system_left_out(rows, result):
    assert len(rows) == sum(len(board["rows"]) for board in result["boards"]) + 2
    assert list(rows[0]) == COLUMNS


def test_csv_has_every_number_in_full(rows, result):
    first = result["boards"][0]["rows"][0]
    assert float(rows[0]["observed"]) == first["observed"]
    assert float(rows[0]["high"]) == first["high"]
    assert rows[0]["observed_rank_low"] == str(first["observed_rank_low"])
    assert rows[0]["signature"] == first["signature"]


def test_what_is_undefined_is_empty_in_csv(rows):
    undefined = [row for row in rows if row["label"] == "PER"][11]
    assert undefined["observed"] == undefined["rank"] == undefined["change"] == ""


def test_systems_left_out_have_a_reason_and_no_scores_in_csv(rows):
    assert rows[-2]["note"].startswith("broken.conll:17") and rows[-2]["observed"] == ""


@each_case(
    ("value", "text"),
    [
        ("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("\ta", r"'\ta"),
        (" =1", "' =1"), ("a=b", "a=b"), (-1, "-1"), (-0.5, "-0.5"), ("a\nb", r"a\nb"),
    ],
)  # fmt: skip
def test_spreadsheets_find_no_formula_in_csv(value, text):
    assert csv_cell(value) == text
