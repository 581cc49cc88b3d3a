r"""Boards, scores, agreement and comparisons as files of LaTeX tables that `\input` reads.

Their cells come from the functions that also make the cells of text reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from textwrap import wrap
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional

from ..about import __version__
from .report import ALL, Report
from .report import Column as AnyColumn
from .report import Table as AnyTable
from .tables import divided_signatures
from .words import DASH, interval_text, printable

WIDE = 7  # columns; wider tables are set in smaller type
FITTING = 10  # columns that are scaled down to the width of the text
PER_TABLE = 6  # columns of labels, subsets or annotators in one table
LINE = 76  # characters of a row in small type that fit into the width of an article
HEADING, NAME = 18, 40  # characters in a line of a heading, and of a name in front of a row
# scales a table down to the width of the text; `\width` is the width of the table
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
LONG = 40  # rows; longer tables may run over several pages
UNDEFINED = "--"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # a shorthand of several languages of babel
    "`": r"\textasciigrave{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}
LIGATURE = re.compile(r"([-',])(?=\1)")  # such as --, which would become a dash
BREAKS = re.compile(r"(?<=[|,(])(?=[^)])")  # where the line of a signature may break
# characters of pdfLaTeX's fonts in the encoding T1, besides ASCII
LATIN = {*map(chr, range(0xA1, 0x17F))} - {*"ĦħĸĿŀŉŦŧ"}
FORMULA = "(observed - expected) / (1 - expected)"
DISAGREEMENT = "1 - observed / expected"
LONG_TABLE = (
    "% A table over several pages cannot be made smaller by itself. If it is too wide, put it into",
    r"% the environment landscape of the package pdflscape. Two columns need \onecolumn before it.",
)


Cells: TypeAlias = tuple[str, list[str], list[str]]  # title, texts, and these as LaTeX


class Table(NamedTuple):
    """A table with rows of cells as LaTeX, and texts that are plain.

    `groups` are headings with the titles of columns below each; "" where there is no heading. Of
    the columns, `left` are aligned left, the others right.
    """

    name: str  # from which its label is made
    title: str
    notes: Sequence[str]
    groups: Sequence[tuple[str, Sequence[str]]]
    rows: Sequence[Sequence[str]]
    signatures: Sequence[str]
    left: int


# --- parts of LaTeX


def escape(text: str) -> str:
    """A text from the data, escaped so that LaTeX shows it unchanged."""
    signs = "".join(SPECIAL.get(sign, sign) for sign in printable(text))
    return LIGATURE.sub(r"\1{}", signs)


def cell(text: str) -> str:
    """A number, an interval or a few words of a report as a cell of a table."""
    if text == DASH:
        return UNDEFINED
    tex = re.sub(r"(?<=\d)-(?=\d)", "--", escape(text))
    tex = re.sub(r"(?<![\w.\-])-(?=[\d.])", "$-$", tex)
    tex = re.sub(r"^-(?= \()", UNDEFINED, tex)  # of a pair without shared documents
    tex = tex.replace(r"\textless{}=", r"$\leq$").replace(r"\textless{}", "$<$")
    return rf"{{\scriptsize {tex}}}" if text.startswith("[") else tex


def named(name: str, most: int = NAME, side: str = "l") -> str:
    """A name or a heading as a cell, divided into lines if it is long."""
    lines = wrap(printable(name), most, break_on_hyphens=False)
    if len(lines) < 2:
        return escape(name)
    text = r"\\".join(map(_line, lines))
    return rf"\shortstack[{side}]{{{text}}}"


def _line(text: str) -> str:
    """A line of a cell, protected so that LaTeX takes it for no option of the line break before."""
    return ("{}" if text.startswith(("[", "*")) else "") + escape(text)


def divided(widths: Sequence[int], first: int) -> Iterator[slice]:
    """The columns of each of several tables that fit on a page.

    Parameters
    ----------
    widths : sequence of int
        Characters of each column.
    first : int
        Characters of the names before the rows.
    """
    start, free = 0, LINE - min(first, NAME)
    for end in range(1, len(widths) + 1):
        full = end - start == PER_TABLE or sum(widths[start : end + 1]) > free
        if full or end == len(widths):
            yield slice(start, end)
            start = end


def signature_tex(signature: str) -> str:
    """A signature in typewriter type, with places for line breaks."""
    text = r"\allowbreak{}".join(map(escape, BREAKS.split(signature)))
    return rf"\texttt{{{text}}}"


def document(tables: Iterable[Table], remarks: Iterable[str] = ()) -> str:
    """Tables as a LaTeX file, after comments that name the packages they need.

    Parameters
    ----------
    tables : iterable of Table
    remarks : iterable of str
        Notes and warnings of the result, which become comments.
    """
    tables = list(tables)
    labels: dict[str, int] = {}
    body = [list(_table_lines(table, _label(table.name, labels))) for table in tables]
    text = "\n".join(chain.from_iterable(body))
    used = {"longtable": r"\begin{longtable}", "graphicx": r"\resizebox"}
    packages = ["booktabs", *(name for name, command in used.items() if command in text)]
    lines = [f"% Made by spacy-chance-eval {__version__}. It needs, before \\begin{{document}}:"]
    lines += [rf"% \usepackage[T1]{{fontenc}} \usepackage{{{','.join(packages)}}}"]
    lines += [*_font_comments(text), *(f"% {printable(remark)}" for remark in remarks), ""]
    return "\n".join(lines) + text + "\n"


def _font_comments(text: str) -> Iterator[str]:
    """Comments on the programs that can typeset all characters of a text."""
    beyond = [sign for sign in dict.fromkeys(text) if not sign.isascii() and sign not in LATIN]
    if beyond:
        some = " ".join(beyond[:5])
        yield f"% The fonts of pdfLaTeX lack some characters ({some}): XeLaTeX and LuaLaTeX need"
        yield r"% \usepackage{fontspec} instead of fontenc, and a \setmainfont for the script."
    if any(bidirectional(sign) in ("R", "AL") for sign in beyond):
        yield r"% Some are written from right to left: \usepackage[bidi=basic]{babel} of LuaLaTeX."


def _label(name: str, known: dict[str, int]) -> str:
    """A label made from a name, unique in the file."""
    slug = "-".join(re.findall("[a-z0-9]+", name.lower())) or "table"
    known[slug] = known.get(slug, 0) + 1
    return f"tab:{slug}" + f"-{known[slug]}" * (known[slug] > 1)


def _table_lines(table: Table, label: str) -> Iterator[str]:
    """The lines of a table, which becomes a `longtable` if it is long."""
    texts = [f"{table.title}.", *table.notes]
    caption = " ".join(map(escape, texts))
    for formula in (FORMULA, DISAGREEMENT):
        caption = caption.replace(formula, formula.replace("-", "$-$"))
    if table.signatures:
        caption += " " + _signatures(table.signatures)
    caption = rf"\caption[{{{escape(table.title)}}}]{{{caption}}}\label{{{label}}}"
    n_columns = sum(len(titles) for _, titles in table.groups)
    columns = "l" * table.left + "r" * (n_columns - table.left)
    head = [r"\toprule", *_heading_lines(table.groups), r"\midrule"]
    body = [*map(_row, table.rows), r"\bottomrule"]
    size, gap = (r"\footnotesize", 2) if n_columns > WIDE else (r"\small", 4)
    if len(table.rows) > LONG:
        yield from LONG_TABLE
        size = r"\scriptsize" if n_columns > WIDE else size
        yield rf"{{{size}\setlength{{\tabcolsep}}{{{gap}pt}}"
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield from (rf"{caption}\\", *head, r"\endfirsthead", *head, r"\endhead", *body)
        yield from (r"\end{longtable}", "}", "")
        return
    yield from (r"\begin{table}[tb]", rf"\centering{size}\setlength{{\tabcolsep}}{{{gap}pt}}")
    yield from (r"\setlength{\belowcaptionskip}{4pt}", caption)
    yield from (FITTED, rf"\begin{{tabular}}{{{columns}}}", *head, *body)
    yield from (r"\end{tabular}}", r"\end{table}", "")


def _signatures(signatures: Sequence[str]) -> str:
    """The signatures of several scores, with their common part given once."""
    rests, shared = divided_signatures(signatures)
    text = "; ".join(map(signature_tex, rests))
    each = f", each with {signature_tex('|' + shared)}" if shared else ""
    return f"Signature{'s' * (len(rests) > 1)}: {text}{each}."


def _heading_lines(groups: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The headings of columns, below the headings of their groups if there are any."""
    cells, rules, first = [], [], 1
    for heading, titles in groups:
        last = first + len(titles) - 1
        if heading:
            cells.append(rf"\multicolumn{{{len(titles)}}}{{c}}{{{escape(heading)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        else:
            cells += [""] * len(titles)
        first = last + 1
    if rules:
        yield from (_row(cells), "".join(rules))
    yield _row([named(title, HEADING, "r") for _, titles in groups for title in titles])


def _row(cells: Sequence[str]) -> str:
    """A row, protected so that LaTeX takes no cell for an option of the line break before it."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def bold(text: str) -> str:
    return rf"\textbf{{{text}}}"


# --- any report


def report_tex(report: Report) -> str:
    """The tables of a report as LaTeX, in bold what the test distinguishes.

    Parameters
    ----------
    report : Report
    """
    tables = [one for table in report.tables() for one in _tables_of(report, table)]
    return document(tables, [*report.warnings, *report.notes, *report.how_to_read])


def _tables_of(report: Report, table: AnyTable) -> Iterator[Table]:
    """A table, or several with some of its columns each where all have no room."""
    columns = [_columns_of(table, one) for one in table.shown(ALL)]
    names, others = columns[: table.names], columns[table.names :]
    n_columns = sum(len(some) for _, some in columns)
    widths = [sum(_width(title, texts) for title, texts, _ in some) for _, some in others]
    first = sum(_longest(texts) for _, some in names for _, texts, _ in some)
    for part in divided(widths, first) if n_columns > FITTING else [slice(None)]:
        chosen = [*names, *others[part]]
        groups: list[tuple[str, list[str]]] = []
        for heading, some in chosen:  # those beside each other that share a heading
            if not groups or groups[-1][0] != heading:
                groups.append((heading, []))
            groups[-1][1].extend(title for title, _, _ in some)
        yield Table(
            table.caption.partition(":")[0],
            f"{report.title}: {table.caption}",
            [f"{note}." for note in table.notes],
            groups,
            [*zip(*(cells for _, some in chosen for _, _, cells in some))],
            table.signatures,
            table.names,
        )


def _columns_of(table: AnyTable, column: AnyColumn) -> tuple[str, list[Cells]]:
    """The heading above a column, and title, texts and cells of it and of its intervals."""
    texts = [column.text(row, table.digits) for row in table.all_rows]
    if column.beside is not None:
        beside = map(column.small, table.all_rows)
        texts = [f"{text} {more}".rstrip() for text, more in zip(texts, beside)]
    shown = [named(text) if table.is_text(column) else cell(text) for text in texts]
    is_best = [bool(column.best and row.get(column.best)) for row in table.all_rows]
    shown = [bold(text) if best else text for text, best in zip(shown, is_best)]
    found = [(column.heading, texts, shown)]
    if table.has_intervals(column):
        limits = [interval_text(column.limits(row), table.digits) for row in table.all_rows]
        found.append(("interval", limits, [*map(cell, limits)]))
    return column.group, found


def _width(heading: str, cells: Iterable[str] = (" 0.0000 ab",)) -> int:
    """Characters of a column of scores."""
    return max(_longest(wrap(heading, HEADING)), _longest(cells)) + 1


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)
