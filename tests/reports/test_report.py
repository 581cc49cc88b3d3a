"""What holds for the reports of all topics, in every output."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from helpers import boards
from helpers.cases import each_case
from helpers.htmlpages import Page
from helpers.rendered import OUTPUTS, REPORTS, usual_comparison, usual_differences, usual_scores
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports import leaderboard
from spacy_chance_eval.reports.report import (
    Column,
    Report,
    Section,
    Table,
    report_page,
    report_screen,
    table_records,
)
from spacy_chance_eval.reports.words import printable

each_report = pytest.mark.parametrize("topic", REPORTS)


class Tables(HTMLParser):
    """The tables of a page: caption, and rows of cells, which are attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.texts = [], None
        self.feed(text.replace("<wbr>", ""))

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append({"caption": [], "thead": [], "rows": []})
        elif tag in ("thead", "tbody", "tfoot"):
            self.rows = self.tables[-1]["thead" if tag == "thead" else "rows"]
        elif tag == "caption":
            self.texts = self.tables[-1]["caption"]
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.texts = []
            self.rows[-1].append((dict(attributes), self.texts))

    def handle_endtag(self, tag):
        if tag in ("caption", "th", "td"):
            self.texts = None

    def handle_data(self, data):
        if self.texts is not None and data.strip():
            self.texts.append(data.strip())


def tables_of(report):
    """The tables of a report as its page shows them: those of parts behind those of a section."""

    def walk(section: Section):
        yield from (table for table in section.tables if table.all_rows)
        for part in section.parts:
            yield from walk(part)

    return [table for section in report.sections for table in walk(section)]


@each_report
@each_case("output", OUTPUTS)
def test_a_report_is_as_it_was(topic, output):
    compare_with_snapshot(f"report-{topic}.{output}", OUTPUTS[output](REPORTS[topic]()))


@each_report
def test_every_cell_of_a_page_is_the_value_of_its_row_and_column(topic):
    report = REPORTS[topic]()
    shown = Tables(OUTPUTS["html"](report)).tables
    tables = tables_of(report)
    assert len(shown) == len(tables) > 2
    for one, table in zip(shown, tables):
        assert one["caption"][:1] == [printable(table.caption)]
        columns = table.shown()
        heads = [" ".join(texts) for _, texts in one["thead"][-1]]
        assert heads == [printable(column.heading) for column in columns]
        for cells, row in zip(one["rows"], table.all_rows, strict=True):
            for (attributes, texts), column in zip(cells, columns, strict=True):
                value = row.get(column.key)
                number = "" if value is None else repr(value)
                known = printable(value) if isinstance(value, str) else number
                assert (attributes["data-value"] or "") == known
                expected = [printable(column.text(row)), printable(column.small(row))]
                assert " ".join(texts) == " ".join(filter(None, expected))


@each_report
def test_plain_outputs_have_every_number_of_the_first_table(topic):
    report = REPORTS[topic]()
    table = next(report.tables())
    for output in ("txt", "md", "notebook.html", "tex"):
        text = OUTPUTS[output](report).replace("$-$", "-").replace("&lt;", "<")
        for row in table.rows:
            assert all(
                column.text(row) in text
                for column in table.shown(1)
                if row and not table.is_text(column)
            )


@each_report
def test_every_output_begins_with_the_verdict(topic):
    report = REPORTS[topic]()
    first = report.verdict[:20].strip()
    texts = {output: OUTPUTS[output](report) for output in ("screen.txt", "txt", "notebook.html")}
    for text in texts.values():
        assert (
            printable(first).replace("<", "&lt;").replace(">", "&gt;")
            in text.replace("<", "&lt;").replace(">", "&gt;")
            or first in text
        )
    assert '<p class="verdict">' in OUTPUTS["html"](report)


@each_report
def test_a_screen_has_thirty_lines_of_eighty_characters(topic, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    usual = {"score": usual_scores, "compare": usual_comparison, "diff": usual_differences}
    report = {**REPORTS, **usual}[topic]()
    lines = report_screen(report).splitlines()
    assert len(lines) <= 30
    signatures = {*report.signatures[:1]}
    assert [line for line in lines if len(line) > 80 and line not in signatures] == []


@each_report
def test_pages_are_well_formed_and_what_comes_from_data_stays_text(topic):
    text = OUTPUTS["html"](REPORTS[topic]())
    page = Page(text)
    assert len(page.all("script")) == 1 and not page.all("img") and boards.SCRIPT not in text
    assert not [a for _, a in page.tags if any(key.startswith("on") for key in a)]
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    places = {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")}
    named = " ".join(a.get("aria-labelledby", "") for _, a in page.tags)
    assert places | set(named.split()) <= set(ids)
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(a.get("scope") in ("col", "row", "colgroup") for a in page.all("th"))
    assert not any(a["href"].startswith("javascript") for a in page.all("a"))


@each_report
def test_nothing_can_steer_the_terminal(topic):
    for output in ("txt", "screen.txt", "md"):
        text = OUTPUTS[output](REPORTS[topic]())
        assert "\x1b" not in text and not re.search(r"^(# head|@all)", text, re.MULTILINE)


@each_report
def test_markdown_mentions_nobody_and_has_no_html_but_our_own(topic):
    text = OUTPUTS["md"](REPORTS[topic]())
    outside = re.sub(r"(`+).*?\1", "", text).replace("](<https://", "").replace(">)", "")
    assert set(re.findall(r"</?(\w+)", outside)) <= {"details", "summary"}
    outside = re.sub("<summary>.*", "", outside)
    assert not re.search(r"@\w|(?<!&)#\d|https?:(?!\\)//|(?<!\\)\]\(", outside)
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        sizes = {len(re.split(r"(?<!\\)(?:\\\\)*\|", row)) for row in block.splitlines()}
        assert len(sizes) == 1


def test_a_new_column_of_the_board_is_one_row_of_its_columns(monkeypatch):
    """It stands in every output, and in the CSV by its key."""
    new = Column("pred", "marked spans", level=1)
    monkeypatch.setattr(leaderboard, "CORRECTED", [*leaderboard.CORRECTED, new])
    report = REPORTS["board"]()
    for output in set(OUTPUTS) - {"screen.txt"}:
        assert "marked spans" in OUTPUTS[output](report)
    (first, *_) = table_records(next(report.tables()))
    assert first["pred"] in range(300, 309)


def test_a_column_without_a_value_is_not_shown():
    table = next(REPORTS["board"]().tables())
    rows = [{**row, "change": None} for row in table.rows]
    assert "change" in {one.key for one in table.shown()}
    assert "change" not in {one.key for one in replace(table, rows=rows).shown()}


@each_case(
    "limits, cells",
    [
        ([(0.39, 0.41), (0.3961, 0.3962)], [".396", "[.390, .410]"]),
        ([(0.394, 0.398), (0.3961, 0.3962)], [".3961", "[.3940, .3980]"]),
        ([(0.3961, 0.3961)] * 2, [".396", "[.396, .396]"]),
        ([(None, None)] * 2, [".396"]),
    ],
)
def test_scores_have_a_fourth_decimal_where_all_intervals_are_narrow(limits, cells):
    columns = [Column("name", "", str), Column("f", "F", interval=("low", "high"))]
    rows = [{"name": "x", "f": 0.39612, "low": low, "high": high} for low, high in limits]
    table = Table("", columns, rows)
    assert table.plain()[1][0] == ["x", *cells]
    page = Tables(report_page(Report("", "", [Section("", (), [table])])))
    assert page.tables[0]["rows"][0][1][1] == cells
