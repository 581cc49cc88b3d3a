"""Every cell of every table in a file is the number of the result that its header says."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest

from helpers import boards
from spacy_chance_eval.reports.html import leaderboard_page
from spacy_chance_eval.reports.leaderboard import (
    COLUMNS,
    leaderboard_csv,
    leaderboard_markdown,
    leaderboard_text,
    standing_of,
)
from spacy_chance_eval.reports.tables import markdown_text
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.statistics import headline_name

GROUPS = {"observed": "Observed", "corrected": "Corrected for chance"}


class Tables(HTMLParser):
    """The tables of a page: caption, and rows of cells, which are attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.texts = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append({"caption": [], "thead": [], "tbody": []})
        elif tag in ("thead", "tbody"):
            self.part = self.tables[-1][tag]
        elif tag == "caption":
            self.texts = self.tables[-1]["caption"]
        elif tag == "tr":
            self.part.append([])
        elif tag in ("th", "td"):
            self.texts = []
            self.part[-1].append((dict(attributes), self.texts))

    def handle_endtag(self, tag):
        if tag in ("caption", "th", "td"):
            self.texts = None

    def handle_data(self, data):
        if self.texts is not None and data.strip():
            self.texts.append(data.strip())


def records(table):
    """Rows as dictionaries: the header, behind that of its group, to sorting value and texts."""
    *over, names = [[(cell, " ".join(texts)) for cell, texts in row] for row in table["thead"]]
    groups = sum(([text] * int(cell.get("colspan", "1")) for row in over for cell, text in row), [])
    groups = groups or [""] * len(names)
    header = [f"{group} {name}".strip() for group, (_, name) in zip(groups, names)]
    assert len(set(header)) == len(header) == len(groups) == len(names)
    assert all(len(row) == len(header) for row in table["tbody"])
    return [
        {name: (cell.get("data-value"), texts) for name, (cell, texts) in zip(header, row)}
        for row in table["tbody"]
    ]


@pytest.fixture(scope="module")
def result():
    return boards.result()


@pytest.fixture(scope="module")
def tables(result):
    """The tables of the page."""
    return Tables(leaderboard_page(result)).tables


def cell(value, template="{}"):
    """A number as it should stand on the page: what it is sorted by, and texts."""
    return ("", ["-"]) if value is None else (repr(value), [template.format(value)])


def four(value):
    return "-" if value is None else f"{value:.4f}"


def plus(value):
    return "-" if value is None else f"{value:+.4f}"


def limits(ends, template="[{:.4f}, {:.4f}]"):
    return template.format(*ends).replace("-0.0000", "0.0000") if ends else "-"


def places(change):
    return "-" if change is None else f"{change:+d}" if change else "="


def standing_cells(group, standing):
    """What one system has under `Observed` or `Corrected for chance`."""
    score, rank = cell(standing["score"], "{:.4f}"), cell(standing["rank"])
    if interval_of(standing):
        score[1].append(limits(interval_of(standing)))
        rank[1].append("-".join(map(str, interval_of(standing, "rank"))))
    letters = standing["group"]
    return {
        f"{group} Score": score, f"{group} Rank": rank,
        f"{group} First": cell(standing["first"], "{:.2f}"),
        f"{group} Group": (letters, [letters or "-"]),
    }  # fmt: skip


def row_cells(board, row, system):
    """What the row of a system should be."""
    corrected = "corrected" in row
    below = [str(system["year"])] if system["year"] else []
    below += ["errors"] if system["errors"] else []
    found = {"System": (row["system"], [row["system"], *below])}
    observed = "Observed (bits)" if board["bits"] else "Observed"
    found |= standing_cells(observed, standing_of(row, "observed"))
    if corrected:
        found |= standing_cells(GROUPS["corrected"], standing_of(row, "corrected"))
        found["Corrected for chance Expected"] = cell(row["expected"], "{:.4f}")
        change = row["change"]
        value = "" if change is None else repr(change)
        found["Corrected for chance Change"] = (value, [places(change)])
    spans = {"Spans Gold": cell(row["gold"]), "Spans Predicted": cell(row["pred"])}
    return found | spans


def pair_cells(pair, test):
    """What the row of a pair should be."""
    return {
        "First": (None, [pair["first"]]), "Second": (None, [pair["second"]]),
        "Difference": cell(test["difference"], "{:+.4f}"),
        "Interval": (None, [limits(interval_of(test))]),
        "p": cell(test["p_value"], "{:.4f}"), "p Holm": cell(test["p_holm"], "{:.4f}"),
    }  # fmt: skip


def place(board):
    subset = board["subset"]
    return board["label"] or (f"{subset['by']}: {subset['value']}" if subset else "All spans")


def test_numbers_of_the_made_up_result_differ(result):
    """Otherwise the tests below could not tell one for another."""
    for board in result["boards"]:
        for row in board["rows"][:11]:
            whole = [row["gold"], row["pred"]]
            whole += [row["observed"], row["first"]]
            if "corrected" in row:
                whole += [row["corrected"], row["observed_first"], row["expected"]]
            assert len(set(whole)) == len(whole)
        assert "corrected" not in board["rows"][0] or any(row["change"] for row in board["rows"])


def overview_cells(result, name):
    """What a system should have in the overview: a score and a rank by every metric."""
    system = next(one for one in result["systems"] if one["name"] == name)
    found = {"System": (name, [name, *(["errors"] if system["errors"] else [])])}
    for board in result["boards"][:: len(result["boards"]) // len(boards.METRICS)]:
        row = next(row for row in board["rows"] if row["system"] == name)
        standing = standing_of(row, headline_name(row))
        title = f"{board['metric']} {'Bits' if board['bits'] else 'Beyond chance'}"
        texts = [four(standing["score"]), limits(interval_of(standing))]
        texts += [] if board["bits"] else [f"observed {four(row['observed'])}"]
        found[title] = (repr(standing["score"]), texts)
        ranks = "-".join(map(str, interval_of(standing, "rank")))
        found[f"{board['metric']} Rank"] = (
            repr(standing["rank"]),
            [str(standing["rank"]), standing["group"], ranks],
        )
    return found


def test_every_cell_of_the_overview_is_that_of_the_boards_of_all_spans(tables, result):
    names = [row["system"] for row in result["boards"][0]["rows"]]
    assert records(tables[0]) == [overview_cells(result, name) for name in names]


def test_every_cell_of_a_board_on_the_page_is_that_of_the_result(tables, result):
    systems = {system["name"]: system for system in result["systems"]}
    shown = tables[1:-1:2]
    assert len(shown) == len(result["boards"])
    for table, board in zip(shown, result["boards"]):
        size = f"{board['n_docs']} documents, {board['n_gold']} gold spans"
        assert table["caption"] == [f"{board['metric']}, {place(board)}: {size}"]
        expected = [row_cells(board, row, systems[row["system"]]) for row in board["rows"]]
        assert records(table) == expected


def test_every_cell_of_the_pairs_on_the_page_is_that_of_the_result(tables, result):
    for table, board in zip(tables[2::2], result["boards"]):
        key = "observed" if board["bits"] else "corrected"
        assert f"Difference of {key} scores" in table["caption"][0]
        assert records(table) == [pair_cells(pair, pair[key]) for pair in board["pairs"]]


def test_every_cell_of_the_systems_on_the_page_is_that_of_the_result(tables, result):
    expected = [
        {
            "System": (None, [system["name"]]), "Source": (None, [system["source"]]),
            "Year": (None, [str(system["year"] or "-")]),
            "Predicted spans": (None, [str(system["n_pred"])]),
            "Fit no gold tokens": (None, [str(system["n_unplaced"])]),
        }
        for system in result["systems"]
    ]  # fmt: skip
    assert records(tables[-1]) == expected


def markdown_tables(markdown):
    """Header and rows of every table."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.M):
        rows = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in block.splitlines()]
        found.append((rows[0], rows[2:]))
    return found


def table_cells(row, key, brackets=r"\["):
    """Score, interval, rank and group of a system in Markdown."""
    standing = standing_of(row, key)
    rank = "-"
    if standing["rank"] is not None:
        rank = f"{standing['rank']} ({limits(interval_of(standing, 'rank'), '{}-{}')})"
    interval = limits(interval_of(standing)).replace("[", brackets)
    return [four(standing["score"]), interval, rank, standing["group"]]


def whole_row(row, brackets):
    """All numbers of a system in Markdown and in the terminal."""
    found = table_cells(row, "observed", brackets)
    if "corrected" in row:
        after = table_cells(row, "corrected", brackets)
        found += [four(row["expected"]), *after, places(row["change"])]
    return found


def header_of(board, rank):
    """The header of a board in Markdown and in the terminal."""
    plain = ["system", "observed", "interval", "rank", "group"]
    if board["bits"]:
        return plain
    return [*plain, "expected", "corrected", "interval", rank, "group", "change"]


def test_every_cell_of_a_board_in_markdown_is_that_of_the_result(result):
    found = [t for t in markdown_tables(leaderboard_markdown(result)) if t[0][0] == "system"]
    assert len(found) == len(result["boards"]) + 1  # systems left out
    for (header, rows), board in zip(found, result["boards"]):
        assert header == header_of(board, "corrected rank")
        assert [row[1:] for row in rows] == [whole_row(row, r"\[") for row in board["rows"]]
        names = [markdown_text(row["system"]) for row in board["rows"]]
        assert all(name in cells[0] for name, cells in zip(names, rows))


def test_every_cell_of_the_pairs_in_markdown_is_that_of_the_result(result):
    found = [t for t in markdown_tables(leaderboard_markdown(result)) if t[0][0] == "first"]
    whole = [board for board in result["boards"] if place(board) == "All spans"]
    assert len(found) == len(whole) == 3
    for (header, rows), board in zip(found, whole):
        key = "observed" if board["bits"] else "corrected"
        assert header == ["first", "second", f"{key} difference", "interval", "p", "p Holm"]
        assert rows == [
            [
                *(markdown_text(pair["first"]), markdown_text(pair["second"])),
                plus(pair[key]["difference"]),
                limits(interval_of(pair[key])).replace("[", r"\["),
                *(four(pair[key]["p_value"]), four(pair[key]["p_holm"])),
            ]
            for pair in board["pairs"]
        ]


def test_every_cell_of_a_board_in_the_terminal_is_that_of_the_result():
    result = boards.result(names=["one", "two", "three"], labels=[], subsets=[])
    lines = [re.split(r"\s{2,}", line.strip()) for line in leaderboard_text(result).splitlines()]
    start = 0
    for board in result["boards"]:
        start = lines.index(header_of(board, "rank"), start) + 1
        rows = [cells for cells in lines[start:] if cells[0] in ("one", "two", "three")]
        expected = [[row["system"], *whole_row(row, "[")] for row in board["rows"]]
        assert rows[:3] == [[text for text in row if text] for row in expected]


def test_every_cell_of_csv_is_that_of_the_result():
    result = boards.result(names=["one", "two", "three"])
    found = csv.DictReader(io.StringIO(leaderboard_csv(result)))
    systems = {system["name"]: system for system in result["systems"]}
    for board in result["boards"]:
        for row in board["rows"]:
            system, cells = systems[row["system"]], next(found)
            expected = {key: board[key] for key in ("metric", "request", "n_docs", "n_gold")}
            expected |= {key: row[key] for key in ("system", "gold", "pred", "signature")}
            expected |= {key: system[key] for key in ("source", "link", "year")}
            expected |= {key: row.get(key) for key in COLUMNS if key not in (*expected, "note")}
            expected |= {"bits": int(board["bits"]), "label": board["label"]}
            expected |= {f"subset{end}": v for end, v in zip(("", "_by"), subset_of(board))}
            note = cells.pop("note")
            assert note.startswith(f"{system['n_unplaced']} " if system["n_unplaced"] else "")
            assert cells == {k: "" if v is None else str(v) for k, v in expected.items()}


def subset_of(board):
    """Value and attribute of the subset of a board."""
    return (board["subset"] or {}).get("value"), (board["subset"] or {}).get("by")
