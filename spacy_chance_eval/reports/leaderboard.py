"""Leaderboards as text, Markdown and CSV, and what these and the page have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from urllib.parse import quote

from ..metrics.catalog import METRICS
from .tables import (
    code,
    csv_text,
    detail_lines,
    fitted_table,
    markdown_text,
    pipe_table,
    signature_lines,
    warning_lines,
)
from .words import (
    DASH,
    TEST_NAMES,
    Details,
    Result,
    TableRow,
    change,
    documents,
    in_blocks,
    interval_text,
    misfits,
    number,
    p_value_text,
    printable,
    quantity,
    rank,
    signed,
    web_link,
)

ALL_SPANS = "All spans"
HOW_TO_READ_BOARDS = (
    "Observed: the score as usual. Expected: the mean score if the spans of both annotations, with "
    "their lengths, are placed at random. Corrected: (observed - expected) / (1 - expected); 0 is "
    "chance level. "
    "Change: places gained (+) or lost (-) by the correction. Group: systems that share a letter "
    "do not differ significantly by the paired test; a ? behind them marks a system with a test "
    "that the replicates drawn do not decide. Ranks have an interval too; first is the share of "
    "the resamples in which the system is first."
)
PER_TABLE = 5  # labels or subsets in one table of the text
STANDING = ("interval", "rank", "group")  # beside a score in a Markdown table
URL_SIGNS = ";/?:@&=+$,#%-._~"  # not to be quoted in links
STANDING_COLUMNS = ("", "_low", "_high", "_rank", "_rank_low", "_rank_high", "_first", "_group")
COLUMNS = [  # of the CSV
    *("metric", "request", "bits", "subset_by", "subset", "label", "system"),
    *("source", "link", "year", "n_docs", "n_gold", "gold", "pred"),
    *(f"observed{part}" for part in STANDING_COLUMNS),
    "expected",
    *(f"corrected{part}" for part in STANDING_COLUMNS),
    *("change", "signature", "note"),
]


def leaderboard_text(result: Result) -> str:
    """Tables for the terminal: each metric on all spans, then by label and subset."""
    return "\n".join(_text_parts(result))


def leaderboard_markdown(result: Result) -> str:
    """All tables of a leaderboard as Markdown, in which nothing from the data is markup."""
    lines = [f"# {markdown_text(result['title'])}", ""]
    lines += [f"- {name}: {markdown_text(text)}" for name, text in board_details(result)]
    lines += ["", HOW_TO_READ_BOARDS, ""]
    if notes := [*result.get("warnings", ()), *result["notes"]]:
        lines += ["**Notes**", "", *(f"- {markdown_text(note)}" for note in notes), ""]
    systems = {system["name"]: system for system in result["systems"]}
    for metric, boards in by_metric(result):
        lines += _metric_section(metric, boards, systems)
    if result["left_out"]:
        lines += ["## Systems left out", ""]
        rows = [
            [markdown_text(system[key]) for key in ("name", "source", "reason")]
            for system in result["left_out"]
        ]
        lines += pipe_table(["system", "source", "reason"], rows, 3)
    lines += ["## Signatures", ""]
    for metric, boards in by_metric(result):
        lines += _signature_list(metric, boards)
    return "\n".join(lines).rstrip() + "\n"


def leaderboard_csv(result: Result) -> str:
    """One row for each metric, subset, label and system; numbers in full, undefined ones empty.

    Systems left out have a row with the reason as `note`. Texts that a spreadsheet would take for
    a formula begin with an apostrophe.
    """
    keys = {"system": "name", "source": "source", "note": "reason"}
    left_out = [
        {column: system[key] for column, key in keys.items()} for system in result["left_out"]
    ]
    return csv_text(COLUMNS, [*board_records(result), *left_out])


def board_records(result: Result) -> Iterator[TableRow]:
    """Flat rows, one for each metric, subset, label and system, under the titles of the CSV."""
    systems = {system["name"]: system for system in result["systems"]}
    for board in result["boards"]:
        for row in board["rows"]:
            yield _fields(board, row, systems.get(row["system"], {}))


# --- parts of all kinds of leaderboards


def board_details(result: Result) -> Details:
    """The scored data, and how they were resampled and tested."""
    ways = result["resampling"]
    clusters = f"{quantity(result['n_clusters'], 'cluster')} (by {result['clusters']})"
    if result["clusters"] in ("documents", "clusters"):  # which have no other name
        clusters = quantity(result["n_clusters"], result["clusters"].removesuffix("s"))
    clusters += in_blocks(ways)
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {clusters}, seed {ways['seed']}"
    )
    tests = (
        f"each pair of systems by {TEST_NAMES.get(ways['test'], ways['test'])}, p values adjusted "
        f"by Holm's method over the pairs of a table, alpha {ways['alpha']:g}"
    )
    return [
        ("Gold", ", layer ".join(part for part in (result["gold"], result["layer"]) if part)),
        ("Size", board_size(result)),
        ("Labels", ", ".join(map(printable, result["labels"])) or "none"),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Tests", tests if ways["resamples"] else "none"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def by_metric(result: Result) -> list[tuple[str, list[Result]]]:
    """The boards of each metric: pairs of its name and a list."""
    groups = groupby(result["boards"], key=lambda board: (board["metric"], board["request"]))
    return [(metric, list(boards)) for (metric, _), boards in groups]


def board_name(board: Result) -> str:
    """The part of the data that a board is about: a subset, a label, or all spans."""
    parts = []
    if board["subset"]:
        parts.append(f"{board['subset']['by']}: {board['subset']['value']}")
    if board["label"] is not None:
        parts.append(board["label"])
    return ", ".join(parts) or ALL_SPANS


def board_size(board: Result) -> str:
    """How many documents and gold spans a board is based on; without any, the spurious ones."""
    docs = documents(board["n_docs"], board.get("n_sentences"))
    rows = board.get("rows", ()) if not board["n_gold"] else ()
    spurious = ", ".join(f"{printable(row['system'])} {row['pred']:,}" for row in rows)
    counted = f"; spurious spans: {spurious}" if spurious else ""
    return f"{docs}, {quantity(board['n_gold'], 'gold span')}{counted}"


def is_corrected(board: Result) -> bool:
    """Whether a board has any corrected scores."""
    return any(row["corrected"] is not None for row in board["rows"])


def is_lower_better(board: Result) -> bool:
    """Whether lower scores of a board are better."""
    metric = METRICS.get(board["request"].partition("(")[0])
    return metric is not None and not metric.higher_is_better


def main_score(board: Result) -> str:
    """The score that a board ranks by: "corrected" if it has any such score, else "observed"."""
    return "corrected" if is_corrected(board) else "observed"


def rows_with_standings(board: Result) -> list[tuple[Result, Result, Result]]:
    """Each row of a board with its standings by observed and by corrected score."""
    nothing = dict.fromkeys(("score", "interval", "rank", "rank_interval", "first"))
    undefined = {**nothing, "group": ""}
    return [
        (row, row["observed"] or undefined, row["corrected"] or undefined) for row in board["rows"]
    ]


def signatures(board: Result) -> list[tuple[str | None, str]]:
    """Pairs of a system and its signature; the system is None if all share one signature."""
    different = dict.fromkeys(row["signature"] for row in board["rows"])
    if len(different) == 1:
        return [(None, next(iter(different)))]
    return [(row["system"], row["signature"]) for row in board["rows"]]


def is_whole(board: Result) -> bool:
    """Whether a board is about all spans."""
    return board["label"] is None and not board["subset"]


def signatures_of(boards: Sequence[Result]) -> list[tuple[str | None, str | None, str]]:
    """Triples of boards, system and signature, each signature once; None for all boards."""
    names: dict[tuple[str | None, str], list[str]] = {}
    for board in boards:
        for pair in signatures(board):
            names.setdefault(pair, []).append(board_name(board))
    return [
        (None if len(parts) == len(boards) else ", ".join(parts), *pair)
        for pair, parts in names.items()
    ]


# --- text


def _text_parts(result: Result) -> Iterator[str]:
    yield f"\n{printable(result['title'])}"
    yield from detail_lines(board_details(result))
    yield from warning_lines(result)
    for metric, boards in by_metric(result):
        whole = list(filter(is_whole, boards))
        for board in whole:
            unit = ", in bits" if board["bits"] else ""
            yield f"\n{printable(metric)}{unit}: {board_size(board)}"
            yield _board_text(board)
        labels = [board for board in boards if board["label"] is not None]
        subsets = [board for board in boards if board["label"] is None and board["subset"]]
        yield from _rank_tables(metric, "label", labels)
        yield from _rank_tables(metric, "subset", subsets)
    if result["left_out"]:
        yield "systems left out"
        lines = (f"  {system['name']}: {system['reason']}" for system in result["left_out"])
        yield "\n".join(map(printable, lines)) + "\n"
    if result["notes"]:
        yield "notes"
        yield "\n".join(f"  {printable(note)}" for note in result["notes"]) + "\n"
    yield from signature_lines(_text_signatures(result))
    if not all(map(is_whole, result["boards"])):
        yield "(numbers of a label or subset have label=... or subset=... in theirs: see the files)"


def _board_text(board: Result) -> str:
    corrected = is_corrected(board)
    header = ["system", "observed", "interval", "rank", "group"]
    if corrected:
        header += ["expected", "corrected", "interval", "rank", "group", "change"]
    rows = []
    for row, before, after in rows_with_standings(board):
        cells = [printable(row["system"]), *_standing_texts(before)]
        if corrected:
            cells += [number(row["expected"]), *_standing_texts(after), change(row["change"])]
        rows.append(cells)
    return fitted_table(header, rows)


def _standing_texts(standing: Result) -> list[str]:
    score, limits = number(standing["score"]), interval_text(standing["interval"])
    return [score, limits, rank(standing), standing["group"]]


def _rank_tables(metric: str, what: str, boards: Sequence[Result]) -> Iterator[str]:
    """Tables of score and rank, with a column for each label or subset."""
    for start in range(0, len(boards), PER_TABLE):
        some = boards[start : start + PER_TABLE]
        keys = sorted({main_score(board) for board in some})
        yield f"{printable(metric)} by {what}: {' or '.join(keys)} (rank)"
        columns = [_scores_and_ranks(board) for board in some]
        systems = dict.fromkeys(name for cells in columns for name in cells)
        rows = [
            [printable(name), *(cells.get(name, DASH) for cells in columns)] for name in systems
        ]
        yield fitted_table(["system", *(printable(board_name(board)) for board in some)], rows)


def _scores_and_ranks(board: Result) -> dict[str, str]:
    """By system: the score that the board ranks by, and the rank."""
    cells, corrected = {}, is_corrected(board)
    for row, before, after in rows_with_standings(board):
        standing = after if corrected else before
        text = f"{number(standing['score'])} ({standing['rank']})"
        if standing["rank"] is None:
            text = DASH if board["n_gold"] else f"{row['pred']:,} spurious"
        cells[row["system"]] = text
    return cells


def _text_signatures(result: Result) -> Iterator[str]:
    """Signatures of the boards of all spans; those of parts differ only in naming the part."""
    for metric, boards in by_metric(result):
        whole = list(filter(is_whole, boards))
        for _, system, signature in signatures_of(whole):
            yield signature if system is None else f"{metric}, {system}: {signature}"


# --- Markdown


def _metric_section(
    metric: str, boards: Sequence[Result], systems: Mapping[str, Result]
) -> Iterator[str]:
    """The tables of one metric, and the tests of all pairs behind the first."""
    yield from (f"## {markdown_text(metric)}", "")
    if boards[0]["bits"]:
        yield from ("In bits.", "")
    for i, board in enumerate(boards):
        yield from (f"### {markdown_text(board_name(board))}", "", f"{board_size(board)}.", "")
        yield from _board_markdown(board, systems)
        if not i and board["pairs"]:
            yield from _pair_tests(board)


def _board_markdown(board: Result, systems: Mapping[str, Result]) -> Iterable[str]:
    corrected = is_corrected(board)
    header = ["system", "observed", *STANDING]
    if corrected:
        header += ["expected", "corrected", "interval", "corrected rank", "group", "change"]
    rows = []
    for row, before, after in rows_with_standings(board):
        cells = [_system_cell(systems.get(row["system"], {"name": row["system"]}))]
        cells += _standing_cells(before)
        if corrected:
            cells += [number(row["expected"]), *_standing_cells(after), change(row["change"])]
        rows.append(cells)
    return pipe_table(header, rows)


def _standing_cells(standing: Result) -> list[str]:
    score, limits = number(standing["score"]), interval_text(standing["interval"])
    return [score, limits.replace("[", r"\["), rank(standing), markdown_text(standing["group"])]


def _system_cell(system: Result) -> str:
    """The name of a system, with its link and year where it has them."""
    cell = markdown_text(system["name"])
    if link := web_link(system.get("link")):
        cell = f"[{cell}](<{quote(link, safe=URL_SIGNS).replace('&', '&amp;')}>)"
    return f"{cell} ({markdown_text(str(system['year']))})" if system.get("year") else cell


def _pair_tests(board: Result) -> Iterator[str]:
    """The tests of all pairs, folded up."""
    key = main_score(board)
    header = ["first", "second", f"{key} difference", "interval", "p", "p Holm"]
    rows = []
    for pair in board["pairs"]:
        test = pair[key]
        cells = [markdown_text(pair["first"]), markdown_text(pair["second"])]
        cells += [signed(test["difference"]), interval_text(test["interval"]).replace("[", r"\[")]
        rows.append(
            [*cells, p_value_text(test["p_value"], test), p_value_text(test["p_holm"], test)]
        )
    yield from ("<details><summary>Tests of all pairs, first minus second</summary>", "")
    yield from pipe_table(header, rows, left=2)
    yield from ("</details>", "")


def _signature_list(metric: str, boards: Sequence[Result]) -> Iterator[str]:
    for part, system, signature in signatures_of(boards):
        names = [markdown_text(name) for name in (metric, part, system) if name is not None]
        yield f"- {', '.join(names)}: {code(signature)}"
    yield ""


# --- CSV


def _fields(board: Result, row: Result, system: Result) -> TableRow:
    """The values of one system on one board, by column."""
    subset = board["subset"] or {"by": None, "value": None}
    fields = {key: board[key] for key in ("metric", "request", "label", "n_docs", "n_gold")}
    fields |= {"subset_by": subset["by"], "subset": subset["value"], "bits": int(board["bits"])}
    fields |= {key: system.get(key) for key in ("source", "link", "year")}
    fields |= {key: row[key] for key in ("system", "gold", "pred", "expected", "change")}
    for name in ("observed", "corrected"):
        fields |= zip([name + part for part in STANDING_COLUMNS], _standing_fields(row[name]))
    unplaced = system.get("n_unplaced")
    note = misfits(unplaced) if unplaced else ""
    return fields | {"signature": row["signature"], "note": note}


def _standing_fields(standing: Result | None) -> list[float | int | str | None]:
    """The values of `STANDING_COLUMNS`."""
    if standing is None:
        return [None] * len(STANDING_COLUMNS)
    limits = standing["interval"] or (None, None)
    ranks = standing["rank_interval"] or (None, None)
    return [
        *(standing["score"], *limits, standing["rank"], *ranks),
        *(standing["first"], standing["group"]),
    ]
