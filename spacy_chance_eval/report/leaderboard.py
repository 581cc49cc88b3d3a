"""A leaderboard as plain tables for the terminal."""

import csv
import io
import re
from unicodedata import category
from urllib.parse import quote

from . import words
from .words import change, interval, number, p_value, rank, right_aligned, shown, signed

PER_TABLE = 5


def leaderboard_text(result):
    """The whole board of each metric, compact tables of labels and subsets, notes, signatures.

    Parameters
    ----------
    result : dict
        As `leaderboard` makes it.
    """
    return "\n".join(parts(result))


def parts(result):
    """The pieces of the text, in order."""
    yield f"\n{shown(result['title'])}"
    width = max(len(name) for name, _ in words.facts(result))
    yield "\n".join(f"  {name:{width}}  {shown(said)}" for name, said in words.facts(result))
    for metric, boards in words.by_metric(result):
        whole = [board for board in boards if board["label"] is None and not board["subset"]]
        for board in whole:
            unit = ", in bits" if board["bits"] else ""
            yield f"\n{shown(metric)}{unit}: {words.size(board)}"
            yield board_table(board)
        labels = [board for board in boards if board["label"] is not None]
        subsets = [board for board in boards if board["label"] is None and board["subset"]]
        yield from compact(metric, "label", labels)
        yield from compact(metric, "subset", subsets)
    if result["left_out"]:
        yield "systems left out"
        lines = (f"  {out['name']}: {out['reason']}" for out in result["left_out"])
        yield "\n".join(map(shown, lines)) + "\n"
    if result["notes"]:
        yield "notes"
        yield "\n".join(f"  {shown(note)}" for note in result["notes"]) + "\n"
    yield "signatures"
    yield "\n".join(text_signatures(result))


def board_table(board):
    """One board in full."""
    corrected = words.is_corrected(board)
    header = ["system", "observed", "interval", "rank", "group"]
    if corrected:
        header += ["expected", "corrected", "interval", "rank", "group", "change"]
    rows = []
    for row, before, after in zip(
        board["rows"], words.of_rows(board, "observed"), words.of_rows(board, "corrected")
    ):
        cells = [shown(row["system"]), *text_standing(before)]
        if corrected:
            cells += [number(row["expected"]), *text_standing(after), change(row["change"])]
        rows.append(cells)
    return right_aligned(rows, header)


def text_standing(standing):
    """Score, interval, rank and group of one system."""
    score, limits = number(standing["score"]), interval(standing["interval"])
    return [score, limits, rank(standing), standing["group"]]


def compact(metric, what, boards):
    """Tables of score and rank, a column for each label or subset, a few columns each."""
    for start in range(0, len(boards), PER_TABLE):
        some = boards[start : start + PER_TABLE]
        keys = sorted({words.headline(board) for board in some})
        yield f"{shown(metric)} by {what}: {' or '.join(keys)} (rank)"
        found = [dict(zip(names(board), score_cells(board))) for board in some]
        systems = dict.fromkeys(name for cells in found for name in cells)
        rows = [[shown(name), *(c.get(name, words.DASH) for c in found)] for name in systems]
        yield right_aligned(rows, ["system", *(shown(words.place(board)) for board in some)])


def names(board):
    """The systems of a board."""
    return [row["system"] for row in board["rows"]]


def score_cells(board):
    """The score that a board is about, with the rank behind it."""
    return [
        words.DASH if each["rank"] is None else f"{number(each['score'])} ({each['rank']})"
        for each in words.of_rows(board, words.headline(board))
    ]


def text_signatures(result):
    """What the numbers of the whole boards are quoted with; those of parts differ by what they say.

    Files have them all.
    """
    for metric, boards in words.by_metric(result):
        whole = [board for board in boards if words.place(board) == words.WHOLE]
        for _, system, signature in words.all_signatures(whole):
            yield shown(signature if system is None else f"{metric}, {system}: {signature}")
    if any(words.place(board) != words.WHOLE for board in result["boards"]):
        yield "(numbers of a label or subset have label=... or subset=... in theirs: see the files)"


ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# backslashes before what Markdown, GitHub's mathematics, mentions and automatic links act on
ACTIVE = re.compile(r"[\\`*_\[\]|~$#!@{}]|:(?=/)|(?<=www)\.|\A[-+=]|(?<=\A\d)[.)]|(?<=\A\d\d)[.)]")
STANDING = ("interval", "rank", "group")
URL_SIGNS = ";/?:@&=+$,#%-._~"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def leaderboard_markdown(result):
    """All tables of a leaderboard as one Markdown text; whatever comes from data stays text."""
    lines = [f"# {escaped(result['title'])}", ""]
    lines += [f"- {name}: {escaped(said)}" for name, said in words.facts(result)]
    lines += ["", words.HOW_TO_READ, ""]
    if result["notes"]:
        lines += ["**Notes**", "", *(f"- {escaped(note)}" for note in result["notes"]), ""]
    systems = {system["name"]: system for system in result["systems"]}
    for metric, boards in words.by_metric(result):
        lines += metric_lines(metric, boards, systems)
    if result["left_out"]:
        lines += ["## Systems left out", ""]
        rows = [(out["name"], out["source"], out["reason"]) for out in result["left_out"]]
        lines += pipe_table(["system", "source", "reason"], [map(escaped, row) for row in rows], 3)
    lines += ["## Signatures", ""]
    for metric, boards in words.by_metric(result):
        lines += signature_lines(metric, boards)
    return "\n".join(lines).rstrip() + "\n"


def metric_lines(metric, boards, systems):
    """The section of one metric: its tables, the pairs behind the first."""
    yield from (f"## {escaped(metric)}", "")
    if boards[0]["bits"]:
        yield from ("In bits.", "")
    for i, board in enumerate(boards):
        yield from (f"### {escaped(words.place(board))}", "", f"{words.size(board)}.", "")
        yield from pipe_table(*board_cells(board, systems), left=1)
        if not i and board["pairs"]:
            yield from pair_lines(board)


def board_cells(board, systems):
    """Header and rows of a board."""
    corrected = words.is_corrected(board)
    header = ["system", "observed", *STANDING]
    if corrected:
        header += ["expected", "corrected", "interval", "corrected rank", "group", "change"]
    rows = []
    for row, before, after in zip(
        board["rows"], words.of_rows(board, "observed"), words.of_rows(board, "corrected")
    ):
        cells = [name_cell(systems.get(row["system"], {"name": row["system"]}))]
        cells += standing_cells(before)
        if corrected:
            cells += [number(row["expected"]), *standing_cells(after), change(row["change"])]
        rows.append(cells)
    return header, rows


def standing_cells(standing):
    """Score, interval, rank and group of one system."""
    score, limits = number(standing["score"]), interval(standing["interval"])
    return [score, limits.replace("[", r"\["), rank(standing), escaped(standing["group"])]


def name_cell(system):
    """The name of a system, with its link and year where it has them."""
    cell = escaped(system["name"])
    if link := words.web_link(system.get("link")):
        cell = f"[{cell}](<{quote(link, safe=URL_SIGNS).replace('&', '&amp;')}>)"
    return f"{cell} ({escaped(str(system['year']))})" if system.get("year") else cell


def pair_lines(board):
    """The tests of all pairs, folded up."""
    key = words.headline(board)
    header = ["first", "second", f"{key} difference", "interval", "p", "p Holm"]
    rows = []
    for pair in board["pairs"]:
        test = pair[key]
        cells = [escaped(pair["first"]), escaped(pair["second"]), signed(test["difference"])]
        cells += [interval(test["interval"]).replace("[", r"\[")]
        rows.append([*cells, p_value(test["p_value"]), p_value(test["p_holm"])])
    yield from ("<details><summary>Tests of all pairs, first minus second</summary>", "")
    yield from pipe_table(header, rows, left=2)
    yield from ("</details>", "")


def signature_lines(metric, boards):
    """What every number of a metric is quoted with; one line if it is the same for all."""
    for where, system, signature in words.all_signatures(boards):
        about = [escaped(part) for part in (metric, where, system) if part is not None]
        yield f"- {', '.join(about)}: {code(signature)}"
    yield ""


def pipe_table(header, rows, left=1):
    """A table whose first columns stand left, the others right."""
    aligns = ["---"] * left + ["---:"] * (len(header) - left)
    for cells in (header, aligns, *rows):
        yield f"| {' | '.join(cells)} |"
    yield ""


def escaped(text):
    """Text from data that Markdown shows as it is; control characters are spelled out."""
    flat = " ".join(shown(text).split())
    marked = ACTIVE.sub(lambda found: "\\" + found.group(), flat)
    return re.sub("[&<>]", lambda found: ENTITIES[found.group()], marked)


def code(text):
    """Text between as many backticks as it takes."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{shown(text)}{pad}{fence}"


STANDING_COLUMNS = ("", "_low", "_high", "_rank", "_rank_low", "_rank_high", "_first", "_group")
COLUMNS = [
    *("metric", "request", "bits", "subset_by", "subset", "label", "system"),
    *("source", "link", "year", "n_docs", "n_gold", "gold", "pred"),
    *(f"observed{part}" for part in STANDING_COLUMNS),
    "expected",
    *(f"corrected{part}" for part in STANDING_COLUMNS),
    *("change", "signature", "note"),
]


def leaderboard_csv(result):
    """One row for each metric, subset, label and system; numbers in full, undefined ones empty.

    Systems left out have a row with the reason as `note`. Texts that a spreadsheet would take for
    a formula begin with an apostrophe.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    systems = {system["name"]: system for system in result["systems"]}
    for board in result["boards"]:
        for row in board["rows"]:
            writer.writerow(plain(csv_row(board, row, systems.get(row["system"], {}))))
    for out in result["left_out"]:
        fields = {"system": out["name"], "source": out["source"], "note": out["reason"]}
        writer.writerow(plain(fields))
    return file.getvalue()


def csv_row(board, row, system):
    """All fields of one system on one board."""
    subset = board["subset"] or {"by": None, "value": None}
    fields = {key: board[key] for key in ("metric", "request", "label", "n_docs", "n_gold")}
    fields |= {"subset_by": subset["by"], "subset": subset["value"], "bits": int(board["bits"])}
    fields |= {key: system.get(key) for key in ("source", "link", "year")}
    fields |= {key: row[key] for key in ("system", "gold", "pred", "expected", "change")}
    for name in ("observed", "corrected"):
        fields |= zip([name + part for part in STANDING_COLUMNS], standing_fields(row[name]))
    unplaced = system.get("n_unplaced")
    note = f"{unplaced} predicted spans do not fit the gold tokens: wrong" if unplaced else ""
    return fields | {"signature": row["signature"], "note": note}


def standing_fields(standing):
    """Score, interval, rank, its interval, share of first places, group: one value a column."""
    if standing is None:
        return [None] * len(STANDING_COLUMNS)
    limits = standing["interval"] or (None, None)
    ranks = standing["rank_interval"] or (None, None)
    return [
        *(standing["score"], *limits, standing["rank"], *ranks),
        *(standing["first"], standing["group"]),
    ]


def plain(fields):
    """The cells of a row: numbers in full, texts made harmless, nothing for None."""
    return {key: cell(value) for key, value in fields.items() if value is not None}


def cell(value):
    """One value; text that would start a formula gets an apostrophe, controls are spelled out."""
    if not isinstance(value, str):
        return repr(value)
    guard = "'" if value.lstrip(" ").startswith(FORMULA) else ""
    spelled = (repr(s)[1:-1] if category(s) in ("Cc", "Cs") else s for s in value)
    return guard + "".join(spelled)
