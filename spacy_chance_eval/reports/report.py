"""One report, every output: sentences, tables and figures are composed once and rendered here.

A topic makes a `Report`; `report_text`, `report_markdown`, `report_page`, `report_fragment` (for
notebooks), `latex.report_tex` and `table_records` (for CSV) show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import inf
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from ..formats.outputs import replaced_folder, write_atomically
from .figures import Figure
from .tables import (
    GAP,
    WIDTH,
    code,
    detail_lines,
    fitted_table,
    indent,
    line_width,
    markdown_text,
    pipe_table,
    shorten,
    terminal_columns,
)
from .tables import signature_lines as signature_lines_of
from .words import DASH, DIGITS, interval_text, number, printable, quantity, signed, web_link

Row: TypeAlias = Mapping[str, Any]
# what is shown on the screen; with --all and in files; in files folded; as data alone
SCREEN, ALL, FOLDED, DATA = range(4)
URL_SIGNS = ";/?:@&=+$,#%-._~"  # not to be quoted in links
LONGEST_TEXT = 36  # characters of a text in a cell at a terminal
LEAST, WHOLE = 10, 17  # characters of long names on the screen; names of metrics are whole
NARROW = 0.01  # intervals whose scores have a fourth decimal
LONGEST = 80  # characters of a text in a cell of Markdown
PAGE_NAMES = r"index\.html"  # files of a folder with one page


@dataclass(frozen=True)
class Column:
    """A column of a table: what it shows of a row, and how.

    Parameters
    ----------
    key : str
        Of its values; a row that lacks it has an empty cell, None is undefined and a dash.
    heading : str
    format : callable
        Writes a value.
    interval : (str, str), optional
        The keys of both ends of the interval of a value.
    best : str
        The key of a truth: whether a value is bold, as the test distinguishes it.
    beside : callable, optional
        From a row to a few words behind the value, in place of the interval.
    write : callable, optional
        Writes a value from the whole row, in place of `format`.
    group : str
        The heading above this column and the next ones that have the same.
    link : str
        The key of an address that the value leads to.
    style : callable, optional
        From a row to the style of a cell on pages.
    sort : "score", "number" or "text"
        Whether the highest or the lowest comes first when a page is sorted by the column; "text"
        where values are no numbers.
    level, interval_level : int
        Of the column, and of what stands beside it: SCREEN, or ALL, which is not on the screen.
    spare : bool
        Whether a screen that is too narrow for the table does without the column.
    """

    key: str
    heading: str
    format: Callable[[Any], str] = number
    interval: tuple[str, str] | None = None
    best: str = ""
    beside: Callable[[Row], str] | None = None
    write: Callable[[Row], str] | None = None
    group: str = ""
    link: str = ""
    style: Callable[[Row], str] | None = None
    sort: str = "score"
    level: int = SCREEN
    interval_level: int = SCREEN
    spare: bool = False

    def text(self, row: Row, digits: int = DIGITS) -> str:
        """The cell of a row, without what stands beside the value; with as many decimals."""
        if self.key not in row:
            return ""
        if self.write is not None:
            return self.write(row)
        value = row[self.key]
        if self.format in (number, signed):
            return self.format(value, digits)
        return DASH if value is None else self.format(value)

    def limits(self, row: Row) -> tuple[Any, Any] | None:
        """The interval of a value."""
        low, high = (row.get(key) for key in self.interval or ("", ""))
        return None if low is None else (low, high)

    def small(self, row: Row, digits: int = DIGITS) -> str:
        """What stands beside the value: some words, or the interval."""
        if self.beside is not None:
            return self.beside(row) if self.key in row else ""
        limits = self.limits(row)
        return interval_text(limits, digits) if limits else ""

    def has_value(self, row: Row) -> bool:
        """Whether a row needs the column; an undefined score does."""
        return self.key in row if self.format is number else row.get(self.key) not in (None, "")


@dataclass(frozen=True)
class Table:
    """Rows under columns, of which the first ones name the rows.

    Parameters
    ----------
    caption : str
    columns : sequence of Column
    rows : sequence of mappings
        Values by the keys of columns.
    notes : sequence of str
        Sentences beneath.
    totals : sequence of mappings
        Rows beneath the others, such as averages, that keep their place.
    level : int
        SCREEN, ALL or FOLDED.
    names : int
        How many columns name the rows.
    signatures : sequence of str
        Of the scores.
    most : int
        How many rows the screen has at most.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    totals: Sequence[Row] = ()
    level: int = SCREEN
    names: int = 1
    signatures: Sequence[str] = ()
    most: int = 25

    @property
    def all_rows(self) -> list[Row]:
        """All rows, totals last."""
        return [*self.rows, *self.totals]

    @cached_property
    def digits(self) -> int:
        """Decimals of scores: three, or four where all intervals are narrower than .01."""
        limits = (one.limits(row) for one in self.columns for row in self.all_rows)
        widths = [one[1] - one[0] for one in limits if one]
        return DIGITS + (0 < max(widths, default=0) < NARROW)

    def shown(self, level: int = FOLDED) -> list[Column]:
        """The columns that have values in some row."""
        kept = enumerate(one for one in self.columns if one.level <= level)
        return [one for i, one in kept if i < self.names or any(map(one.has_value, self.all_rows))]

    def is_text(self, column: Column) -> bool:
        """Whether a column has words."""
        return column.format is str or any(column is one for one in self.columns[: self.names])

    def has_intervals(self, column: Column, level: int = ALL) -> bool:
        """Whether a column has intervals that are a column of their own in plain tables."""
        shown = column.beside is None and column.interval_level <= level
        return shown and any(map(column.limits, self.rows))

    def plain(self, level: int = ALL) -> tuple[list[str], list[list[str]], list[bool]]:
        """Headings, rows of cells and which columns are words; intervals have their own columns."""
        headings, columns, words = [], [], []
        for column in self.shown(level):
            intervals = self.has_intervals(column, level)
            cells = [column.text(row, self.digits) for row in self.all_rows]
            if column.beside is not None and column.interval_level <= level:
                beside = map(column.small, self.all_rows)
                cells = [f"{cell} {more}".rstrip() for cell, more in zip(cells, beside)]
            headings.append(column.heading)
            columns.append(cells)
            words.append(self.is_text(column))
            if intervals:
                headings.append("interval")
                limits = (column.limits(row) if column.key in row else () for row in self.all_rows)
                columns.append(
                    ["" if one == () else interval_text(one, self.digits) for one in limits]
                )
                words.append(False)
        return headings, [list(cells) for cells in zip(*columns)], words


@dataclass(frozen=True)
class Section:
    """A part of a report; on pages, its `parts` are tabs behind its tables and figures.

    `drawn` are annotated documents or pairs of trees, as a macro of the page draws them.
    """

    heading: str = ""
    text: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[tuple[str, Callable[[], Figure]]] = ()  # behind captions; on pages
    parts: Sequence[Section] = ()
    drawn: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Report:
    """All there is to say about a result, the answer first.

    Parameters
    ----------
    title : str
    verdict : str
        One or two sentences, with which every output begins.
    sections : sequence of Section
    details : sequence of (str, str)
        Where the data come from, and how the numbers were made.
    warnings, notes : sequence of str
        What to mind, and what else to know.
    how_to_read : sequence of str
        What columns mean.
    next : str
        What to do next, for the screen.
    links : sequence of (str, str)
        Addresses and words of links to other pages.
    height : int
        Lines that it may have on the screen, without notes: warnings that do not fit are cut.
    """

    title: str
    verdict: str
    sections: Sequence[Section]
    details: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    how_to_read: Sequence[str] = ()
    next: str = ""
    links: Sequence[tuple[str, str]] = ()
    height: float = inf

    @property
    def signatures(self) -> list[str]:
        """The signatures of all tables, each once."""
        return list(dict.fromkeys(text for one in self.tables(FOLDED) for text in one.signatures))

    def tables(self, level: int = ALL) -> Iterator[Table]:
        """The tables of all sections."""
        for section in self.sections:
            yield from (one for one in section.tables if one.level <= level and one.all_rows)


# --- terminal


def report_text(report: Report, everything: bool = True) -> str:
    """A report for terminals.

    Parameters
    ----------
    report : Report
    everything : bool
        Without, it fits on a screen: verdict, first tables, one signature, and what to do next.
    """
    return "\n".join(_all_lines(report) if everything else _screen_lines(report))


def report_screen(report: Report) -> str:
    """A report that fits on a screen."""
    return report_text(report, everything=False)


def _screen_lines(report: Report) -> Iterator[str]:
    verdict = ["", *indent(printable(report.verdict), "").split("\n")]
    tables: list[str] = []
    for table in report.tables(SCREEN):
        shown = table if report.height == inf else replace(table, notes=())
        tables += ["", *table_lines(shown, SCREEN)]
    ends = [*map(printable, report.signatures[:1])]
    ends += indent(f"next: {report.next}", "").split("\n") * bool(report.next)
    room = report.height - len([*verdict, *tables, *ends])
    warnings = [indent(printable(text), "") for text in report.warnings]
    lines = [line for text in warnings for line in text.split("\n")]
    if len(lines) > room:
        width = min(line_width(), WIDTH)
        lines = [shorten(" ".join(text.split()), width) for text in warnings]
    if len(lines) > max(room, 1):
        lines = lines[: int(max(room - 1, 0))]
        what = "more warning" if lines else "warning"
        lines.append(f"{quantity(len(warnings) - len(lines), what)}: --all")
    yield from (*verdict, *lines, *tables, *[""] * (len(lines) < room), *ends)


def _all_lines(report: Report) -> Iterator[str]:
    yield f"\n{printable(report.title)}\n"
    yield indent(printable(report.verdict), "") + "\n"
    if report.details:
        yield from detail_lines([*report.details])
    yield from (indent(printable(text), "") for text in report.warnings)
    if report.notes:
        yield "\nnotes"
        yield from (indent(printable(note), "  ") for note in report.notes)
    for section in report.sections:
        yield from (f"\n{indent(printable(text), '')}" for text in section.text)
        for table in section.tables:
            if table.all_rows:
                yield ""
                yield from table_lines(table)
    yield from (f"\n{indent(printable(text), '')}" for text in report.how_to_read)
    yield ""
    yield from signature_lines_of(report.signatures)


def table_lines(table: Table, level: int = ALL) -> Iterator[str]:
    """A table for terminals between its caption and its notes."""
    n_more = len(table.rows) - table.most if level == SCREEN else 0
    if n_more > 0:
        table = replace(table, rows=table.rows[: table.most])
    headings, rows, words = table.plain(level)
    if level == SCREEN and any(one.spare for one in table.columns):
        widths = [max(map(len, column)) for column in zip(headings, *rows)]
        if sum(widths) + GAP * (len(widths) - 1) > line_width():
            table = replace(table, columns=[one for one in table.columns if not one.spare])
            headings, rows, words = table.plain(level)
    cells = [list(map(printable, row)) for row in rows]
    texts = [i for i in range(table.names, len(words)) if words[i]]
    if texts:  # which share what others leave; names are whole
        widths = [max(map(len, column)) for column in zip(headings, *cells)]
        room = line_width() + GAP - sum(GAP + n for i, n in enumerate(widths) if i not in texts)
        longest = max(room // len(texts) - GAP, LONGEST_TEXT)
        for row in cells:
            row[:] = [shorten(cell, longest) if i in texts else cell for i, cell in enumerate(row)]
    if level == SCREEN and table.names == 1:  # names give way, so that it is one table
        others = [max(map(len, texts)) for texts in zip(headings, *cells)][1:]
        least = LEAST if max(len(row[0]) for row in cells) > WHOLE else WHOLE
        room = max(line_width() - sum(others) - GAP * len(others), least)
        cells = [[shorten(row[0], room), *row[1:]] for row in cells]
    caption = printable(table.caption)
    yield indent(caption, "") if terminal_columns() else caption
    aligns = ["l" if one else "r" for one in words]
    names = sum(words[: table.names])
    text = fitted_table([*map(printable, headings)], cells, aligns, names)  # type: ignore[arg-type]
    yield from (line.rstrip() for line in text.strip("\n").split("\n"))
    yield from [f"  ({quantity(n_more, 'more row')})"] * (n_more > 0)
    yield from (indent(printable(note), "  ") for note in table.notes)


# --- Markdown


def report_markdown(report: Report) -> str:
    """A report as Markdown, in which nothing from the data is markup, and nobody is mentioned."""
    return "\n".join(_markdown_lines(report)).rstrip() + "\n"


def _markdown_lines(report: Report) -> Iterator[str]:
    yield from (f"### {markdown_line(report.title)}", "", markdown_line(report.verdict), "")
    yield from (f"> {markdown_line(text)}\n" for text in report.warnings)
    for section in report.sections:
        if section.heading:
            yield from (f"#### {markdown_line(section.heading)}", "")
        for text in section.text:
            yield from (markdown_line(text), "")
        for table in filter(lambda one: one.all_rows, section.tables):
            lines = _markdown_table(table)
            if table.level == FOLDED:
                yield from _folded(table.caption, lines)
            else:
                yield from (f"{markdown_line(table.caption)}:", "", *lines)
    yield from (f"- {markdown_line(note)}" for note in report.notes)
    about = [f"- {name}: {markdown_line(text)}" for name, text in report.details]
    about += ["", *map(markdown_line, report.how_to_read), ""]
    about += [f"- {code(text)}" for text in report.signatures]
    yield from ("", *_folded("How this was made", [*about, ""]))


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that can be unfolded; the title is HTML, in which Markdown is not read."""
    shown = escape(" ".join(printable(title).split()), quote=False)
    yield from ("<details>", f"<summary>{shown}</summary>", "", *lines, "</details>", "")


def _markdown_table(table: Table) -> Iterator[str]:
    headings, rows, words = table.plain()
    linked = next((one for one in table.columns if one.link), None)
    for row, cells in zip(table.all_rows, rows):
        cells[:] = [
            markdown_line(cell[:LONGEST])
            if is_text
            else cell.replace("[", r"\[").replace("<", "&lt;")
            for cell, is_text in zip(cells, words)
        ]
        if linked is table.columns[0] and (address := web_link(row.get(linked.link))):
            safe = quote(address, safe=URL_SIGNS).replace("&", "&amp;")
            cells[0] = f"[{cells[0]}](<{safe}>)"
    left = next((i for i, one in enumerate(words) if not one), len(words))
    yield from pipe_table([markdown_line(one) for one in headings], rows, left)
    for note in table.notes:
        yield from (markdown_line(note), "")


def markdown_line(text: str) -> str:
    """A text from the data as Markdown on one line that mentions nobody, and no issue."""
    return markdown_text(text).replace("\\@", "@&#8203;").replace("\\#", "#&#8203;")


# --- pages and notebooks


def report_page(report: Report, template: str = "report.html", **values: object) -> str:
    """A report as one HTML page.

    Parameters
    ----------
    report : Report
    template : str
        "report.html", or one that extends it.
    **values
        What that template needs besides.
    """
    from .html import page  # loads jinja2

    return page(template, signatures=report.signatures, report=report, **values)


def write_page(report: Report, path: str | Path) -> None:
    """Write a folder with a report as its only page, in place of such a folder."""
    with replaced_folder(path, PAGE_NAMES) as folder:
        write_atomically(folder / "index.html", report_page(report))


def report_fragment(report: Report) -> str:
    """The verdict and the tables of a report as HTML for notebooks."""
    from .html import page  # loads jinja2

    return page("notebook.html", report=report)


# --- CSV


def keys_of(columns: Iterable[Column]) -> list[str]:
    """The keys of columns and of their intervals, as columns of a CSV."""
    return [key for one in columns for key in (one.key, *(one.interval or ()))]


def table_records(table: Table) -> Iterator[dict[str, Any]]:
    """Flat rows of a table, their numbers in full."""
    keys = keys_of(table.columns)
    for row in table.all_rows:
        yield {key: row.get(key) for key in keys}
