import copy
import csv
import io

import pytest

from helpers import boards
from helpers.cases import each_case
from spacy_chance_eval.reports.leaderboard import (
    COLUMNS,
    leaderboard_csv,
    leaderboard_markdown,
    leaderboard_text,
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
def markdown(result):
    return leaderboard_markdown(result)


@pytest.fixture(scope="module")
def rows(result):
    return list(csv.DictReader(io.StringIO(leaderboard_csv(result))))


def cells_of(markdown, name):
    """The cells of the first row of a table that is about a system."""
    line = next(line for line in markdown.splitlines() if line.startswith(f"| {name}"))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


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
        "-", "<0.0001", "0.0001", "0.5000",
    ]  # fmt: skip


def test_intervals_of_scores_and_ranks_have_both_ends():
    assert interval_text([0.1, 0.25]) == "[0.1000, 0.2500]" and interval_text(None) == "-"
    assert [rank_limits(limits) for limits in ([1, 3], [2, 2], None)] == ["1-3", "2", ""]


@each_case("link", ["javascript:alert(1)", "data:x", "//x.org", "", None, "ftp://x"])
def test_only_web_addresses_become_links(link):
    assert web_link(link) is None and web_link("HTTPS://x.org")


def test_markdown_shows_all_scores_of_a_system():
    board = boards.board(names=["a"])
    row = board["rows"][0]
    row.update(observed=0.5, observed_low=0.4, observed_high=0.6, observed_group="ab")
    row.update(observed_rank=2, observed_rank_low=1, observed_rank_high=3)
    row.update(corrected=0.9, low=None, rank=1, rank_low=1, rank_high=1, group="a")
    row.update(expected=0.1, change=1)
    text = leaderboard_markdown(boards.result(names=["a"], boards=[board], systems=[]))
    # 0.9 is not (0.5 - 0.1) / (1 - 0.1): the report believes what it is given
    assert cells_of(text, "a") == [
        *("a", "0.5000", r"\[0.4000, 0.6000]", "2 (1-3)", "ab"),
        *("0.1000", "0.9000", "-", "1 (1)", "a", "+1"),
    ]


def test_markdown_has_a_table_for_every_board(markdown, result):
    assert sum(line.startswith("| system | observed") for line in markdown.splitlines()) == len(
        result["boards"]
    )
    assert "### length: 1-11 tokens" in markdown and "### &lt;script&gt;" in markdown


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_header(markdown):
    width = None
    for line in markdown.splitlines():
        if not line.startswith("|"):
            width = None
            continue
        bars = line.replace(r"\|", "").count("|")
        width = width or bars
        assert bars == width, line


def test_markdown_leaves_out_corrected_columns_of_what_is_not_corrected(markdown):
    slicm = markdown[markdown.index("## slicm") :]
    assert "In bits." in slicm and "corrected" not in slicm[: slicm.index("###")]
    assert "observed difference" in slicm and "corrected rank" not in slicm


def test_no_markup_from_data_is_left_in_markdown(markdown):
    outside = markdown.replace("<details><summary>", "").replace("</summary>", "")
    outside = outside.replace("</details>", "").replace("](<https://", "").replace(">)", "")
    assert "<" not in outside and "javascript:" not in outside


def test_a_system_is_linked_with_its_year(markdown):
    assert r"[uh\_ritual](<https://example.org/a?b=1&amp;c=2>)" in markdown
    assert "arcada (2017)" in markdown


def test_systems_left_out_and_notes_are_told(markdown, result):
    assert "no such file\\\\nsecond line" in markdown and "With 6 clusters" in markdown
    assert "no such file\\nsecond line" in leaderboard_text(result)


def test_a_signature_that_all_share_is_told_once(markdown):
    assert markdown.count("docs=1287|v=0.1.0") == 3


@pytest.mark.parametrize(
    ("write", "told"), [(leaderboard_markdown, range(6)), (leaderboard_text, (0, 2, 4))]
)
def test_signatures_that_differ_are_told_for_each_system_and_board(write, told):
    """In the terminal, of whole boards only."""
    result = copy.deepcopy(boards.result(names=["a", "b"], labels=["PER"], subsets=[]))
    for i, board in enumerate(result["boards"]):
        for row in board["rows"]:
            row["signature"] = f"signature-{i}-{row['system']}"
    text = write(result)
    assert all(f"signature-{i}-{name}" in text for i in told for name in "ab")


def test_without_resamples_no_intervals_are_claimed(result):
    few = {**result, "resampling": {**result["resampling"], "resamples": 0}}
    for write in (leaderboard_markdown, leaderboard_text):
        assert "no resamples were asked for" in write(few) and "each pair" not in write(few)


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


def test_the_terminal_shows_boards_labels_and_subsets(result):
    text = leaderboard_text(result)
    assert "span_f by label: corrected (rank)" in text and "slicm, in bits" in text
    assert "slicm by subset: observed (rank)" in text


def test_the_terminal_cannot_be_steered_by_names():
    text = leaderboard_text(boards.result(names=["a\x1b[31m"], title="t\x1b", labels=["l\x07"]))
    assert "\x1b" not in text and "\x07" not in text


@pytest.mark.parametrize("write", [leaderboard_markdown, leaderboard_csv, leaderboard_text])
def test_one_system_without_labels_is_a_leaderboard_too(write):
    assert "alone" in write(boards.result(names=["alone"], labels=[], subsets=[], left_out=[]))
