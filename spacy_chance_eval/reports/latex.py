r"""Boards, scores, agreement and comparisons as files of LaTeX tables that `\input` reads.

Their cells come from the functions that also make the cells of text reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from textwrap import wrap
from unicodedata import bidirectional

from ..about import __version__
from ..scoring.statistics import headline
from . import agreement, compare, leaderboard, replacement, scores
from .tables import Column, divided_signatures, short_title
from .words import DASH, TREE, Result, change, interval_of, interval_text, number, printable, rank

WIDE = 7  # columns; wider tables are set in smaller type
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


APART = " disagreement"  # in titles of columns
METRICS_BESIDE = 4  # metrics in one table of labels
TESTED = ("Instances", "Compared by", "Epsilon", "Test")
METHODS = ("Intervals", "Tests")  # details of a board for captions
KEYS = ("observed", "corrected")
NOTHING = "undefined, nothing to divide by"
PERFECT = "undefined, chance alone is perfect"
UNCORRECTED = "not corrected for chance"
RESAMPLED = re.compile(
    r"bootstrap,(?P<resamples>\d+),(?P<seed>\d+),(?P<interval>\w+),(?P<level>[\d.]+),"
    r"(?P<unit>[^|,]+)"
)
OF_PART = re.compile(r"\|(?:label|subset|test|docs)=[^|]*")  # these differ between columns
BOLD_BEST = "Bold: the best score, if the test distinguishes it from every other."
BOLD_DISTINCT = "Bold: the test distinguishes the two runs."
MEANS = "All but the team are means of the pairs, the scores of each pair as follows."
MACRO = "Macro: the mean of the labels."
LETTERS = "Systems that share a superscript letter are not distinguished by the test"
OPEN_LETTERS = "; with ?, a test is not decided by the replicates that were drawn"

# --- leaderboards


@dataclass(frozen=True)
class Table:
    """A table with rows of LaTeX and texts that are plain.

    Parameters
    ----------
    label : str
        The name from which `\\label` is made.
    title : str
        The short caption.
    caption : sequence of str
        Sentences that follow the title.
    groups : sequence of (str, sequence of str)
        Headings, each with the titles of the columns below it; "" where there is no heading.
    rows : sequence of sequences of str
        Cells as LaTeX.
    signatures : sequence of str
        The signatures of the scores.
    undefined : sequence of str
        Reasons for undefined scores, as lines below the table.
    notes : sequence of str
        Further lines below the table.
    comments : sequence of str
        Lines above the table that are not typeset.
    left : int
        Number of columns that are aligned left; the others are aligned right.
    """

    label: str
    title: str
    caption: Sequence[str]
    groups: Sequence[tuple[str, Sequence[str]]]
    rows: Sequence[Sequence[str]]
    signatures: Sequence[str] = ()
    undefined: Sequence[str] = ()
    notes: Sequence[str] = ()
    comments: Sequence[str] = ()
    left: int = 1


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
    tex = re.sub(r"(?<![\w.\-])-(?=\d)", "$-$", tex)
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
    body = [list(_table_lines(table, _label(table.label, labels))) for table in tables]
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
    texts = [f"{table.title}.", *table.caption]
    caption = " ".join(map(escape, texts))
    for formula in (FORMULA, DISAGREEMENT):
        caption = caption.replace(formula, formula.replace("-", "$-$"))
    notes = [f"{UNDEFINED} {escape(reason)}." for reason in table.undefined]
    notes = [
        rf"\par\smallskip {{\footnotesize {note}\par}}"
        for note in [*notes, *map(escape, table.notes)]
    ]
    if table.signatures:
        caption += " " + _signatures(table.signatures)
    caption = rf"\caption[{{{escape(table.title)}}}]{{{caption}}}\label{{{label}}}"
    n_columns = sum(len(titles) for _, titles in table.groups)
    columns = "l" * table.left + "r" * (n_columns - table.left)
    head = [r"\toprule", *_heading_lines(table.groups), r"\midrule"]
    body = [*map(_row, table.rows), r"\bottomrule"]
    yield from (f"% {printable(comment)}" for comment in table.comments)
    size, gap = (r"\footnotesize", 2) if n_columns > WIDE else (r"\small", 4)
    if len(table.rows) > LONG:
        yield from LONG_TABLE
        size = r"\scriptsize" if n_columns > WIDE else size
        yield rf"{{{size}\setlength{{\tabcolsep}}{{{gap}pt}}"
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield from (rf"{caption}\\", *head, r"\endfirsthead", *head, r"\endhead", *body)
        yield from (r"\end{longtable}", *notes, "}", "")
        return
    yield from (r"\begin{table}[tb]", rf"\centering{size}\setlength{{\tabcolsep}}{{{gap}pt}}")
    yield from (r"\setlength{\belowcaptionskip}{4pt}", caption)
    yield from (FITTED, rf"\begin{{tabular}}{{{columns}}}", *head, *body)
    yield from (r"\end{tabular}}", *notes)
    yield from (r"\end{table}", "")


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


# --- tables of topics


def leaderboard_tex(result: Result) -> str:
    """A leaderboard as LaTeX tables: each metric on all spans, then by label and subset."""
    tables: list[Table] = []
    for metric, boards in leaderboard.by_metric(result):
        parts: dict[str, list[Result]] = {"": [], "label": [], "subset": []}
        for board in boards:
            part = "label" if board["label"] is not None else "subset" if board["subset"] else ""
            parts[part].append(board)
        tables += (_board_table(result, board) for board in parts.pop(""))
        for what, some in parts.items():
            widths = [_width(leaderboard.board_name(board)) for board in some]
            for chosen in divided(widths, _longest(row["system"] for row in boards[0]["rows"])):
                tables.append(_parts_table(result, metric, what, some[chosen]))
    left_out = [f"Left out: {one['name']}, {one['reason']}" for one in result["left_out"]]
    return document(tables, [*result.get("warnings", ()), *result["notes"], *left_out])


def _board_table(result: Result, board: Result) -> Table:
    """The table of one metric over all spans."""
    corrected = leaderboard.is_corrected(board)
    key = leaderboard.main_score(board)
    best = {name: _distinct_best(board, name) for name in KEYS}
    rooms = {name: _room([board], name) for name in KEYS}
    parts = ("score", "interval")[: 1 + bool(result["resampling"]["resamples"])]
    rows = []
    for row, before, after in leaderboard.rows_with_standings(board):
        cells = [named(row["system"])]
        shown = _standing_cells(before, row["system"] == best["observed"], rooms["observed"])
        cells += shown[: len(parts)]
        if corrected:
            cells.append(cell(number(row["expected"])))
            shown = _standing_cells(after, row["system"] == best["corrected"], rooms["corrected"])
            cells += shown[: len(parts)]
        cells.append(cell(rank(after if corrected else before)))
        rows.append([*cells, cell(change(row["change"]))] if corrected else cells)
    scores: list[tuple[str, Sequence[str]]] = [("Observed", parts)]
    if corrected:
        scores += [("", ("expected",)), ("Corrected", parts)]
    left_out = ", ".join(system["name"] for system in result["left_out"])
    ranks = ("rank", "change") if corrected else ("rank",)
    unit = ", in bits" if board["bits"] else ""
    caption = [f"{leaderboard.board_size(board)}{unit}.".capitalize(), *_methods(result)]
    caption += ["Lower is better."] * leaderboard.is_lower_better(board)
    if corrected:
        caption.append(
            f"Expected: the score of a random annotation; corrected: {FORMULA}. Rank by {key} "
            "score; change: places gained (+) or lost by the correction."
        )
    return Table(
        board["metric"],
        f"{result['title']}: systems by {board['metric']}",
        [*caption, *_letters([board], any(best.values()))],
        [("", ("system",)), *scores, ("", ranks)],
        rows,
        [row["signature"] for row in board["rows"]],
        list(_undefined_rows(board)),
        [f"Left out: {left_out}."] * bool(left_out),
    )


def _width(heading: str, cells: Iterable[str] = (" 0.0000 ab",)) -> int:
    """Characters of a column of scores."""
    return max(_longest(wrap(heading, HEADING)), _longest(cells)) + 1


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)


def _parts_table(result: Result, metric: str, what: str, boards: Sequence[Result]) -> Table:
    """The main scores of all systems, with a column for each label or subset."""
    columns: list[dict[str, str]] = []
    for board in boards:
        key = leaderboard.main_score(board)
        best = _distinct_best(board, key)
        columns.append({})
        for row in board["rows"]:
            standing = leaderboard.standing_of(row, key)
            score, _ = _standing_cells(standing, row["system"] == best, _room([board], key))
            if not board["n_gold"] and standing["rank"] is None:
                score = f"{row['pred']:,} spurious"
            columns[-1][row["system"]] = score
    systems = dict.fromkeys(name for cells in columns for name in cells)
    shown = sorted({leaderboard.main_score(board) for board in boards})
    keys = " or ".join(shown)
    notes = list(chain.from_iterable(map(_undefined_rows, boards)))
    signatures = list(dict.fromkeys(row["signature"] for board in boards for row in board["rows"]))
    is_bold = any(r"\textbf" in text for cells in columns for text in cells.values())
    return Table(
        f"{metric} by {what}",
        f"{result['title']}: {keys} {metric} by {what}",
        [*_methods(result), *_letters(boards, is_bold, shown), f"Signatures differ by {what}."],
        [("", ("system",)), ("", [leaderboard.board_name(board) for board in boards])],
        [[named(name), *(cells.get(name, UNDEFINED) for cells in columns)] for name in systems],
        [OF_PART.sub("", signature) for signature in signatures],
        list(dict.fromkeys(notes)),
        comments=["The signatures in full:", *signatures],
    )


def _standing_cells(standing: Result, is_best: bool, room: int) -> list[str]:
    """A score with the letters of its group and its interval."""
    score, limits = cell(number(standing["score"])), cell(interval_text(interval_of(standing)))
    letters = rf"\textsuperscript{{{escape(standing['group'])}}}" if standing["group"] else ""
    box = rf"\makebox[{0.4 * room:.1f}em][l]{{{letters}}}" if room else ""
    return [(bold(score) if is_best else score) + box, limits]


def _room(boards: Sequence[Result], key: str) -> int:
    """The width of the longest group in some columns, in letters."""
    rows = (leaderboard.standing_of(row, key) for board in boards for row in board["rows"])
    return max((len(standing["group"]) for standing in rows), default=0)


def _distinct_best(board: Result, key: str) -> str | None:
    """The first system if the tests distinguish it from all others, else None."""
    ranked = [(row["system"], leaderboard.standing_of(row, key)) for row in board["rows"]]
    ranked = [(name, standing) for name, standing in ranked if standing["rank"] is not None]
    first = [(name, standing) for name, standing in ranked if standing["rank"] == 1]
    if len(first) != 1 or len(ranked) < 2 or not first[0][1]["group"]:
        return None
    (name, standing), shared = first[0], set(first[0][1]["group"])
    others = {letter for other, one in ranked if other != name for letter in one["group"]}
    return None if "?" in standing["group"] or shared & others else name


def _methods(result: Result) -> list[str]:
    """Sentences on how scores were resampled and tested."""
    details = dict(leaderboard.board_details(result))
    return [f"{details[name]}."[0].upper() + f"{details[name]}."[1:] for name in METHODS] * bool(
        result["resampling"]["resamples"]
    )


def _letters(boards: Sequence[Result], is_bold: bool, keys: Sequence[str] = KEYS) -> list[str]:
    """Notes on letters and bold type, if any shown score has them."""
    rows = [row for board in boards for row in board["rows"]]
    groups = "".join(leaderboard.standing_of(row, key)["group"] for row in rows for key in keys)
    if not groups:
        return []
    return [f"{LETTERS}{OPEN_LETTERS * ('?' in groups)}."] + [BOLD_BEST] * is_bold


def _undefined_rows(board: Result) -> Iterator[str]:
    """Reasons for the undefined scores of a board."""
    empty = [row["system"] for row in board["rows"] if row["observed"] is None]
    perfect = [
        row["system"]
        for row in board["rows"]
        if row["system"] not in empty
        and row.get("expected") is not None
        and row["corrected"] is None
    ]
    where = "" if board["label"] is None and not board["subset"] else leaderboard.board_name(board)
    for names, reason in ((empty, NOTHING), (perfect, PERFECT)):
        if names:
            yield f"{', '.join(filter(None, [where, *names]))}: {reason}"


# --- scores of one prediction


def score_tex(result: Result) -> str:
    """Scores of a prediction as LaTeX tables: all metrics, then labels by the main one."""
    tables = [table for layer in result["layers"] for table in _layer_tables(layer)]
    left_out = [
        f"Left out: {', '.join(one['files'])}: {one['reason']}"
        for one in result.get("left_out", ())
    ]
    return document(tables, [*result.get("warnings", ()), *left_out])


def _layer_tables(layer: Result) -> Iterator[Table]:
    """The tables of one layer."""
    found: Mapping[str, Result] = layer["scores"]
    header, rows = scores.summary_rows(found)
    sizes = scores.layer_sizes(layer)
    row_table = scores.tree_rows if layer.get("positions") == TREE else scores.span_rows
    signatures = [score["signature"] for score in found.values()]
    columns = [[title, *cells] for title, *cells in zip(header, *rows)]
    of = {name: scores.metric_of(score) for name, score in found.items()}
    names = [name + " (bits)" * (one is not None and one.bits) for name, one in of.items()]
    if "interval" in header:  # next to its score
        columns.insert(header.index("corrected") + 1, columns.pop())
    yield _columns_table(
        "scores",
        "Scores",
        [f"{sizes}.", *_corrections(found.values()), *_intervals(found.values()), MACRO],
        names,
        _headed("", [columns[1:]]),
        "metric",
        signatures,
        list(_reasons(found)),
    )
    best = scores.main_metric(found)
    labels = found[best]["per_label"]
    if labels:
        header, rows = row_table("label", labels)
        yield Table(
            "scores by label",
            f"{best} by label",
            [f"{sizes}.", *_corrections(labels.values())],
            [("", header)],
            [[named(name), *map(cell, cells)] for name, *cells in rows],
            [found[best]["signature"]],
            list(_reasons(labels)),
        )


def _corrections(rows: Iterable[Result]) -> list[str]:
    """A note on expected and corrected scores, if there are any."""
    rows = list(rows)
    corrected = any(row.get("expected") is not None for row in rows)
    apart = any(row.get("observed_disagreement") is not None for row in rows)
    formulas = [FORMULA] * corrected + [f"of disagreement, {DISAGREEMENT}"] * apart
    return [f"Expected: by chance; corrected: {'; '.join(formulas)}."] * bool(formulas)


def _reasons(rows: Mapping[str, Result]) -> Iterator[str]:
    """Reasons why scores are undefined, or why some are not corrected."""
    gone = [name for name, row in rows.items() if headline(row) is None]
    perfect = [name for name in gone if rows[name].get("expected") == 1]
    empty = [name for name in gone if name not in perfect]
    others = [name for name, row in rows.items() if name not in gone and "corrected" not in row]
    others = others if len(others) < len(rows) else []
    for names, reason in ((empty, NOTHING), (perfect, PERFECT), (others, UNCORRECTED)):
        if names:
            yield f"{', '.join(names)}: {reason}"


def _intervals(found: Iterable[Result]) -> list[str]:
    """Sentences on how scores were resampled."""
    matches = (RESAMPLED.match(score.get("resampling", "none")) for score in found)
    texts = (
        f"Intervals: {100 * float(one['level']):g} % {one['interval']}, {one['resamples']} "
        f"resamples of {one['unit']}, seed {one['seed']}; of the corrected score, "
        "or of the observed one where none is corrected."
        for one in matches
        if one
    )
    return list(dict.fromkeys(texts))


# --- agreement


def agreement_tex(result: Result) -> str:
    """An agreement as LaTeX tables: the summary, the pairs by the first metric, the labels."""
    result = agreement.excerpt(result)
    metrics = result["metrics"]
    details = dict(agreement.agreement_details(result))
    item = f"{agreement.item_name(result)}s"
    annotators, seen = (
        details[key].partition(": ")[2] for key in ("Annotators", item.capitalize())
    )
    sizes = f"{annotators}; {result['n_docs']} {item}, {seen}."
    methods = [f"{details['Intervals']}."] * bool(result["resampling"]["resamples"])
    metric_names, groups = agreement.summary_columns(result)
    pairs = agreement.has_pairs(result)
    scope = "Mean of the pairs" if pairs else "Team"
    key = "mean" if pairs else "team"
    formulas = [MEANS] * pairs + _corrections(metric[key] for metric in metrics)
    tables = [
        _columns_table(
            "agreement",
            f"Agreement of {len(result['annotators'])} annotators",
            [sizes, *methods, *formulas, *(f"{text}." for text in agreement.explanations(result))],
            metric_names,
            _headed(scope, groups),
            "metric",
            [metric["signature"] for metric in metrics],
            agreement.summary_reasons(result),
        )
    ]
    if len(metrics[0]["pairs"]) > 1:
        tables += _pairs_tables(metrics[0], item)
    labels, groups, undefined = agreement.label_columns(result)
    if labels:
        first = "mean" if pairs else "team"
        headed = [(name, [[first, *cells], *rest]) for (name, *cells), *rest in groups[1:]]
        means = "mean of the pairs, and team" if pairs else "team"
        signatures = [one["signature"] for one in agreement.metrics_with_labels(result)]
        tables += (
            _columns_table(
                "agreement by label",
                f"Agreement by label: {means}",
                [sizes],
                labels,
                [("", groups[0]), *headed[start : start + METRICS_BESIDE]],
                "label",
                signatures[start : start + METRICS_BESIDE],
                list(agreement.reasons(undefined)),
            )
            for start in range(0, len(headed), METRICS_BESIDE)
        )
    return document(tables, [*result.get("warnings", ()), *result["notes"]])


def replacement_tex(result: Result) -> str:
    """The test of candidates as LaTeX tables: all of them, then each against the annotators."""
    rows, signatures = result["candidates"], [result["signature"]]
    details = dict(replacement.replacement_details(result))
    about = [f"{key}: {details[key]}." for key in TESTED]
    groups = [("", group) for group in replacement.candidate_groups(result)]
    names = [row["candidate"] for row in rows]
    tables = [
        _columns_table(
            "candidates",
            "Candidates",
            [*about, "+: passes with this epsilon."],
            names,
            groups,
            "candidate",
            signatures,
            [],
        )
    ]
    first, *titles = replacement.ANNOTATOR_HEADER
    for name, row in zip(names, rows):
        cells = list(zip(*replacement.annotator_rows(row)))
        columns = [[title, *some] for title, some in zip(titles, cells[1:])]
        untested = (one for one in row["annotators"] if one["reason"])
        tables.append(
            _columns_table(
                "candidate",
                f"{name} against each annotator",
                [],
                [one["annotator"] for one in row["annotators"]],
                [("", columns)],
                first,
                signatures,
                [f"{one['annotator']}: {one['reason']}" for one in untested],
            )
        )
    return document(tables, [*result["warnings"], *result["notes"]])


def _columns_table(
    label: str,
    title: str,
    caption: Sequence[str],
    names: Sequence[str],
    groups: Iterable[tuple[str, Sequence[Column]]],
    first: str,
    signatures: Sequence[str],
    reasons: Sequence[str],
) -> Table:
    """A table made from titled columns of a report."""
    groups = list(groups)
    columns = [column for _, group in groups for column in group]
    headings = [(heading, [column[0] for column in group]) for heading, group in groups if group]
    return Table(
        label,
        title,
        caption,
        [("", (first,)), *headings],
        [
            [named(name), *map(cell, cells)]
            for name, *cells in zip(names, *(c[1:] for c in columns))
        ],
        signatures,
        reasons,
    )


def _pairs_tables(metric: Result, item: str) -> Iterator[Table]:
    """The matrix of all pairs of annotators by one metric, in tables of a few columns."""
    columns, rows = agreement.pair_matrix(metric)
    sides = "" if metric["symmetric"] else " Rows: the first, as gold; columns: the second."
    texts = [[agreement.pair_cell(one) for one in cells] for _, cells in rows]
    widths = [_width(name, cells) for name, cells in zip(columns, zip(*texts))]
    for some in divided(widths, _longest(name for name, _ in rows)):
        chosen = [(name, cells[some]) for (name, _), cells in zip(rows, texts) if any(cells[some])]
        yield Table(
            "agreement of pairs",
            f"Pairs of annotators by {agreement.metric_heading(metric)}",
            [f"In brackets: {item} that both saw.{sides}"],
            [("", ("", *columns[some]))],
            [[named(name), *map(cell, cells)] for name, cells in chosen],
            [metric["signature"]],
            agreement.pair_reasons([metric]),
        )


def _headed(
    scope: str, groups: Sequence[Sequence[Column]]
) -> Iterator[tuple[str, Sequence[Column]]]:
    """Groups of columns with headings, with disagreement in a group of its own."""
    for heading, group in zip((scope, *[""] * len(groups)), groups):
        apart = [column for column in group if column[0].endswith(APART)]
        yield heading, [column for column in group if column not in apart]
        yield (
            APART.strip().capitalize(),
            [[title.removesuffix(APART), *cells] for title, *cells in apart],
        )


# --- comparisons


def compare_tex(result: Result) -> str:
    """A comparison of two runs as LaTeX tables: every metric, then labels by the first."""
    old, new = result["names"]
    details = dict(compare.comparison_details(result))
    about = [f"{details['Compared']}; {details['Test']}.", f"Differences are {new} minus {old}."]
    header, rows = compare.total_rows(result)
    alpha = result["resampling"]["alpha"]
    marks = [
        score["p_value"] is not None and score["p_value"] < alpha
        for metric in result["metrics"]
        for score in compare.score_rows(metric, metric["total"])
    ]
    kept = _compared_columns(header, range(2, len(header) - 1), result)
    body = [[*map(cell, row[:2]), *_compared(row, kept, mark)] for row, mark in zip(rows, marks)]
    totals = {metric["metric"]: metric["total"] for metric in result["metrics"]}
    tables = [
        Table(
            "comparison",
            f"{new} against {old}",
            [*about, *[BOLD_DISTINCT] * any(marks)],
            [("", ("metric", "score", *(header[place] for place in kept), "verdict"))],
            body,
            [metric["signature"] for metric in result["metrics"]],
            list(_undefined_runs(totals)),
            left=2,
        )
    ]
    first = result["metrics"][0]
    header, rows = compare.label_rows(first, map(short_title, result["names"]))
    marks = [row["distinct"] is True for row in first["labels"]]
    # without the columns of spans and of documents
    kept = _compared_columns(header, (1, *range(4, len(header) - 2)), result)
    if rows:
        labels = {row["label"]: row for row in first["labels"]}
        tables.append(
            Table(
                "comparison by label",
                f"{new} against {old}: {first['key']} {first['metric']} by label",
                [*about, "P-values are adjusted by Holm's method.", *[BOLD_DISTINCT] * any(marks)],
                [("", ("label", *(header[place] for place in kept), "verdict"))],
                [
                    [named(name), *_compared(row, kept, mark, header.index("difference"))]
                    for name, row, mark in zip(labels, rows, marks)
                ],
                [first["signature"]],
                list(_undefined_runs(labels)),
            )
        )
    return document(tables, [*result.get("warnings", ()), *result["notes"]])


def _compared_columns(header: Sequence[str], places: Iterable[int], result: Result) -> list[int]:
    """The columns of a comparison to show, without those of the test if there was none."""
    gone = () if result["resampling"]["resamples"] else ("p", "p Holm", "interval")
    return [place for place in places if header[place] not in gone]


def _compared(
    row: Sequence[str], kept: Sequence[int], is_distinct: bool, difference: int = 4
) -> Iterator[str]:
    """Some cells of a row and the verdict, with the difference in bold if it is significant.

    The verdict is "better" or "worse" only if the test says so.
    """
    for place in kept:
        is_empty = row[1] == "expected" and place >= difference  # has no difference
        text = "" if is_empty else cell(row[place])
        yield bold(text) if is_distinct and place == difference else text
    yield cell(row[-1].rpartition(", ")[2])


def _undefined_runs(rows: Mapping[str, Result]) -> Iterator[str]:
    """Reasons for undefined scores of a run, by metric or label."""
    runs = {name: (row["old"], row["new"]) for name, row in rows.items()}
    empty = [name for name, both in runs.items() if any(run["observed"] is None for run in both)]
    perfect = [
        name
        for name, both in runs.items()
        if any(run["observed"] is not None and run.get("expected") == 1 for run in both)
    ]
    for names, reason in ((empty, NOTHING), (perfect, PERFECT)):
        if names:
            yield f"{', '.join(names)}: {reason}"
