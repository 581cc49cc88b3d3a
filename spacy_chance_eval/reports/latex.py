r"""Reports as files of LaTeX tables that `\input` reads.

Their cells come from the functions that also make the cells of text reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TypeAlias

from ..about import __version__
from .report import ALL, Column, Report, Table
from .tables import divided_signatures
from .words import DASH, interval_text, printable

WIDE = 7  # columns; wider tables are set in smaller type
FITTING = 10  # columns that are scaled down to the width of the text
PER_TABLE = 6  # columns of labels, subsets or annotators in one of several tables
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
LAST_LATIN = "\u017f"  # of the fonts of pdfLaTeX in the encoding T1
OTHER_SCRIPTS = (
    "% Characters of other scripts need XeLaTeX or LuaLaTeX, fontspec instead of fontenc",
    r"% and a \setmainfont that has them; from right to left also \usepackage[bidi=basic]{babel}.",
)

ColumnGroup: TypeAlias = tuple[str, list[tuple[str, list[str]]]]  # heading, titles with cells


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
    text = r"\\".join(_protected(escape(line)) for line in lines)
    return rf"\shortstack[{side}]{{{text}}}"


def _protected(line: str) -> str:
    """A line that LaTeX takes for no option of the line break before it."""
    return "{}" * line.startswith(("[", "*")) + line


def signature_tex(signature: str) -> str:
    """A signature in typewriter type, with places for line breaks."""
    text = r"\allowbreak{}".join(map(escape, BREAKS.split(signature)))
    return rf"\texttt{{{text}}}"


def _signatures(signatures: Sequence[str]) -> str:
    """The signatures of several scores, with their common part given once."""
    rests, shared = divided_signatures(signatures)
    text = "; ".join(map(signature_tex, rests))
    each = f", each with {signature_tex('|' + shared)}" if shared else ""
    return f"Signature{'s' * (len(rests) > 1)}: {text}{each}."


def _row(cells: Iterable[str]) -> str:
    return _protected(" & ".join(cells)) + r" \\"


# --- a report


def report_tex(report: Report) -> str:
    """The tables of a report as LaTeX, in bold what the test distinguishes.

    Comments before them name the packages they need, with notes and warnings.
    """
    labels: dict[str, int] = {}
    text = "\n".join(
        line
        for table in report.tables()
        for groups in _parts(table)
        for line in _table_lines(report, table, groups, labels)
    )
    used = {"longtable": r"\begin{longtable}", "graphicx": r"\resizebox"}
    packages = ["booktabs", *(name for name, command in used.items() if command in text)]
    lines = [f"% Made by spacy-chance-eval {__version__}. It needs, before \\begin{{document}}:"]
    lines += [rf"% \usepackage[T1]{{fontenc}} \usepackage{{{','.join(packages)}}}"]
    lines += OTHER_SCRIPTS if max(text, default="") > LAST_LATIN else ()
    remarks = (*report.warnings, *report.notes, *report.how_to_read)
    return "\n".join([*lines, *(f"% {printable(one)}" for one in remarks), text, ""])


def _parts(table: Table) -> Iterator[list[ColumnGroup]]:
    """The columns of a table; some of them each for several tables where all have no room."""
    columns = [_columns_of(table, one) for one in table.shown(ALL)]
    names, others = columns[: table.names], columns[table.names :]
    step = PER_TABLE if sum(len(some) for _, some in columns) > FITTING else len(others)
    for start in range(0, max(len(others), 1), max(step, 1)):
        groups: list[ColumnGroup] = []
        for heading, some in (*names, *others[start : start + step]):
            if not groups or groups[-1][0] != heading:  # those beside each other share a heading
                groups.append((heading, []))
            groups[-1][1].extend(some)
        yield groups


def _columns_of(table: Table, column: Column) -> ColumnGroup:
    """The heading above a column, and title and cells of it and of its intervals."""
    texts = [column.text(row, table.digits) for row in table.all_rows]
    if column.beside is not None:
        beside = map(column.small, table.all_rows)
        texts = [f"{text} {more}".rstrip() for text, more in zip(texts, beside)]
    shown = [named(text) if table.is_text(column) else cell(text) for text in texts]
    is_best = [bool(column.best and row.get(column.best)) for row in table.all_rows]
    shown = [rf"\textbf{{{text}}}" if best else text for text, best in zip(shown, is_best)]
    found = [(column.heading, shown)]
    if table.has_intervals(column):
        limits = (interval_text(column.limits(row), table.digits) for row in table.all_rows)
        found.append(("interval", [*map(cell, limits)]))
    return column.group, found


def _table_lines(
    report: Report, table: Table, groups: Sequence[ColumnGroup], labels: dict[str, int]
) -> Iterator[str]:
    """The lines of a table, which becomes a `longtable` if it is long."""
    title = f"{report.title}: {table.caption}"
    caption = " ".join(escape(f"{text}.") for text in (title, *table.notes))
    if table.signatures:
        caption += " " + _signatures(table.signatures)
    label = _label(table.caption.partition(":")[0], labels)
    caption = rf"\caption[{{{escape(title)}}}]{{{caption}}}\label{{{label}}}"
    n_columns = sum(len(some) for _, some in groups)
    columns = "l" * table.names + "r" * (n_columns - table.names)
    head = [r"\toprule", *_heading_lines(groups), r"\midrule"]
    rows = [*zip(*(cells for _, some in groups for _, cells in some))]
    body = [*map(_row, rows), r"\bottomrule"]
    size, gap = (r"\footnotesize", 2) if n_columns > WIDE else (r"\small", 4)
    if len(rows) > LONG:
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


def _label(name: str, known: dict[str, int]) -> str:
    """A label made from a name, unique in the file."""
    slug = "-".join(re.findall("[a-z0-9]+", name.lower())) or "table"
    known[slug] = known.get(slug, 0) + 1
    return f"tab:{slug}" + f"-{known[slug]}" * (known[slug] > 1)


def _heading_lines(groups: Sequence[ColumnGroup]) -> Iterator[str]:
    """The headings of columns, below the headings of their groups if there are any."""
    cells, rules, first = [], [], 1
    for heading, some in groups:
        last = first + len(some) - 1
        if heading:
            cells.append(rf"\multicolumn{{{len(some)}}}{{c}}{{{escape(heading)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        else:
            cells += [""] * len(some)
        first = last + 1
    if rules:
        yield from (_row(cells), "".join(rules))
    yield _row(named(title, HEADING, "r") for _, some in groups for title, _ in some)
