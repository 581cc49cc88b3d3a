"""Boards of systems: columns, sections, verdict and rows of CSV, composed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from ..metrics.catalog import METRICS
from ..scoring.statistics import headline_name
from .figures import CORRECTED as AFTER
from .figures import (
    LINE,
    MARGIN,
    SIZE,
    WIDTH,
    Figure,
    ForestRow,
    Mark,
    Style,
    fitting_name,
    forest,
    group,
    line,
    marker,
    text_width,
    words,
)
from .figures import OBSERVED as BEFORE
from .report import ALL, DATA, FOLDED, SCREEN, Column, Report, Row, Section, Table, keys_of
from .tables import csv_text
from .words import (
    TEST_NAMES,
    Details,
    Result,
    TableRow,
    beyond_chance,
    brief,
    brief_amount,
    change,
    documents,
    few,
    in_sentence,
    interval_of,
    intervals_text,
    misfits,
    number,
    p_value_text,
    printable,
    quantity,
    quantity_word,
    rank_limits,
    share,
    signed,
    web_link,
)

ALL_SPANS = "All spans"
HOW_TO_READ = (
    "Observed: the score as usual. Expected: the mean score if the spans of both annotations, with "
    "their lengths, are placed at random. Corrected: (observed - expected) / (1 - expected); 0 is "
    "chance level. Change: places gained (+) or lost (-) by the correction. Ranks have an interval "
    "too; first is the share of the resamples in which the system is first."
)
LETTERS = "behind ranks: their intervals; a shared letter: no significant difference"
OPEN = "; ?: undecided"
HEIGHT, MOST_ROWS = 25, 14  # of a board on the screen: lines in all, and systems
STANDING_KEYS = ("low", "high", "rank", "rank_low", "rank_high", "first", "group")
MOST_LABELS = 100  # with boards on a page
NAMED = 2  # systems named in a sentence; more are only counted
Tests: TypeAlias = Mapping[frozenset[str], str]  # the results of pairs of systems
RESULTS = ("equal", "unknown", "different")  # the first that occurs counts

# --- columns


def _standing(score: str, beside: str, group: str = "", level: int = SCREEN) -> list[Column]:
    """A score with its interval, rank and group; keys of what stands beside it begin so."""
    ends = (f"{beside}rank_low", f"{beside}rank_high")

    def limits_and_group(row: Row) -> str:
        limits = rank_limits(interval_of(row, f"{beside}rank"))
        return " ".join(filter(None, [f"({limits})" * bool(limits), row.get(f"{beside}group")]))

    return [
        Column(score, score, interval=(f"{beside}low", f"{beside}high"), best=f"{score}_best",
               group=group, interval_level=level),
        Column(f"{beside}rank", "rank", interval=ends, beside=limits_and_group, group=group,
               sort="number", level=level),
        Column(f"{beside}first", "first", share, group=group, level=FOLDED),
        Column(f"{beside}group", "group", str, level=DATA),
    ]  # fmt: skip


SYSTEM = Column("system", "system", str, link="link")
ALONE = [SYSTEM, *_standing("observed", "")]  # of a metric without a model of chance
CORRECTED = [
    SYSTEM,
    *_standing("observed", "observed_", "as usual", ALL),
    Column("expected", "expected", group="corrected for chance", spare=True),
    *_standing("corrected", "", "corrected for chance"),
    Column("change", "change", change, group="corrected for chance", level=ALL),
]


def _adjusted(row: Row) -> str:
    """An adjusted p value; with ? where the replicates do not decide the test."""
    return p_value_text(row["p_holm"], row) + "?" * (row.get("decided") is False)


SIZES = [Column("gold", "gold", level=FOLDED), Column("pred", "predicted", level=FOLDED)]
PAIRS = [
    Column("first", "first", str),
    Column("second", "second", str),
    Column("difference", "difference", signed, interval=("low", "high")),
    Column("p_value", "p", write=lambda row: p_value_text(row["p_value"], row), sort="number"),
    Column("p_holm", "p Holm", write=_adjusted, sort="number"),
]
SYSTEMS = [
    Column("name", "system", str, link="link"),
    Column("source", "source", str),
    Column("year", "year", str),
    Column("n_pred", "predicted spans"),
    Column("n_unplaced", "fit no gold tokens"),
    Column("errors", "errors", lambda _: "errors", link="errors", sort="text"),
]
ABOUT = (  # columns of the CSV before and behind those of boards
    "metric request bits subset_by subset label system source link year n_docs n_gold gold pred"
).split()
COLUMNS = [*dict.fromkeys([*ABOUT, *keys_of(CORRECTED[1:]), "signature", "note"])]

# --- the report


def board_report(result: Result) -> Report:
    """A leaderboard: the first metric over all spans on the screen, and all else."""
    by_name = {system["name"]: system for system in result["systems"]}
    groups = groupby(result["boards"], key=lambda board: (board["metric"], board["request"]))
    metrics = [(metric, list(boards)) for (metric, _), boards in groups]
    sections = [
        _metric_section(result, metric, boards, by_name, SCREEN if not i else ALL)
        for i, (metric, boards) in enumerate(metrics)
    ]
    systems = [
        {**one, "link": web_link(one.get("link")), "year": str(one.get("year") or "")}
        for one in result["systems"]
    ]
    sections.append(Section("Systems", (), [Table("Sources", SYSTEMS, systems, level=FOLDED)]))
    left_out = [f"Left out: {one['name']}: {one['reason']}" for one in result["left_out"]]
    more = [printable(metric) for metric, _ in metrics[1:]] + ["labels"] * bool(result["labels"])
    more += ["subsets"] * any(one["subset"] for one in result["boards"])
    return Report(
        result["title"],
        board_verdict(result),
        sections,
        board_details(result),
        [*(f"Warning: {text}" for text in result.get("warnings", ())), *left_out],
        result["notes"],
        [HOW_TO_READ],
        f"--all ({', '.join([*more, 'notes'])}); -o board.html has tests, too",
        height=HEIGHT,
    )


def _metric_section(
    result: Result, metric: str, boards: Sequence[Result], systems: Mapping[str, Result], level: int
) -> Section:
    """The board of all spans, scores and ranks by label and subset, and the boards of each."""
    whole = list(filter(is_whole, boards))
    parts = [board for board in boards if not is_whole(board)]
    labels = [board for board in parts if board["label"] is not None]
    tables = [board_table(result, board, systems, level) for board in whole]
    tables += [_pair_table(board) for board in whole]
    for what, some in (("label", labels), ("subset", [one for one in parts if one not in labels])):
        tables += [_parts_table(metric, what, some)] * bool(some)
    labels.sort(key=lambda board: -max((row["gold"] or 0 for row in board["rows"]), default=0))
    rare = {id(board) for board in labels[MOST_LABELS:]}
    note = f"{len(rare):,} boards of rarer labels are not on this page: the JSON has them."
    return Section(
        metric,
        [note] * bool(rare),
        tables,
        [figure for board in whole for figure in board_figures(board)],
        [
            Section(
                board_name(board),
                (),
                [board_table(result, board, systems, ALL), _pair_table(board)],
            )
            for board in parts
            if id(board) not in rare
        ],
    )


def board_table(result: Result, board: Result, systems: Mapping[str, Result], level: int) -> Table:
    """All systems on a board."""
    alpha, best = result["resampling"]["alpha"], {}
    for key in ("observed", "corrected"):
        best[f"{key}_best"] = _distinct_best(board, key, alpha)
    rows = []
    for row in board["rows"]:
        system = systems.get(row["system"], {})
        flags = {key: row["system"] == name for key, name in best.items()}
        rows.append({**row, **flags, "link": system.get("errors") or web_link(system.get("link"))})
    notes = []
    if groups := "".join(row["group"] or "" for row in board["rows"]):
        notes = [f"{board_details(result)[3][1]}; {LETTERS}{OPEN * ('?' in groups)}"]
    unit = ", in bits" * board["bits"] + ", lower is better" * is_lower_better(board)
    caption = f"{board['metric']}{unit}, {board_name(board).lower()}: {board_size(board)}"
    if not is_whole(board):
        caption = f"{board['metric']}{unit}, {board_name(board)}: {board_size(board)}"
    columns = [*(CORRECTED if is_corrected(board) else ALONE), *SIZES]
    signatures = [row["signature"] for row in rows]
    return Table(caption, columns, rows, notes, level=level, signatures=signatures, most=MOST_ROWS)


def _parts_table(metric: str, what: str, boards: Sequence[Result]) -> Table:
    """The main score and rank of all systems, with a column for each label or subset."""
    rows: dict[str, TableRow] = {}
    for board in boards:
        key, name = main_score(board), board_name(board)
        for row in board["rows"]:
            standing = standing_of(row, key)
            cells = rows.setdefault(row["system"], {"system": row["system"]})
            rank = f"({standing['rank']})" * bool(standing["rank"])
            cells[name], cells[f"{name} rank"] = standing["score"], rank
            if not board["n_gold"] and standing["rank"] is None:
                cells[name], cells[f"{name} rank"] = row["pred"], "spurious"
    names = [board_name(board) for board in boards]
    columns = [Column(one, one, beside=itemgetter(f"{one} rank")) for one in names]
    keys = " or ".join(sorted({main_score(board) for board in boards}))
    caption = f"{metric} by {what}: {keys} (rank)"
    return Table(caption, [SYSTEM, *columns], list(rows.values()), level=ALL)


def _pair_table(board: Result) -> Table:
    """The tests of all pairs of systems."""
    key = main_score(board)
    rows = [
        {**pair[key], "first": pair["first"], "second": pair["second"]} for pair in board["pairs"]
    ]
    caption = (
        f"Tests of all pairs by {key} {board['metric']}, {board_name(board)}, first minus second; "
        "p before and after Holm's adjustment, intervals not adjusted"
    )
    return Table(caption, PAIRS, rows, level=FOLDED, names=2)


def board_figures(board: Result) -> list[tuple[str, Callable[[], Figure]]]:
    """Captions and figures: scores with intervals and, of corrected ones, ranks."""
    if not is_corrected(board):
        return [("Score and interval", partial(interval_figure, board))]
    return [
        ("Score and interval before and after correction", partial(interval_figure, board)),
        ("Ranks before and after correction", partial(rank_figure, board)),
    ]


# --- figures

STYLES = {
    "observed": Style(BEFORE, "circle", filled=False, width=1.4),
    "corrected": Style(AFTER, "square", width=1.4),
}
RANK_HEIGHT = 13.0
CHANGES = {1: (AFTER, ""), 0: (LINE, ""), -1: (BEFORE, "4 2")}  # colours and dashes
SHORTEST = 46.0  # points: shortest line between two ranks
TABLE = "one row per system in the order of the table, which has the numbers"


def board_figure(result: Result, kind: str = "intervals") -> Figure:
    """A figure of the first board of a leaderboard: its first metric on all spans.

    Parameters
    ----------
    result : dict
        A leaderboard, as `scoring.boards.leaderboard` and `rank_files` return it.
    kind : str
        "intervals" or "ranks".

    Raises
    ------
    ValueError
        For ranks of a metric that is not corrected for chance.
    """
    draw = interval_figure if kind == "intervals" else rank_figure
    return draw(result["boards"][0])


def interval_figure(board: Result) -> Figure:
    """Scores with intervals of all systems, before and after correction, in board order."""
    names = list(STYLES) if is_corrected(board) else ["observed"]
    rows = [
        ForestRow(
            row["system"],
            [(key, standing_of(row, key)) for key in names],
        )
        for row in board["rows"]
    ]
    styles = {name: STYLES[name] for name in names}
    unit = ", bits" * board["bits"] + ", lower is better" * is_lower_better(board)
    marks, height = forest(rows, styles, f"{_title(board)}{unit}", "system")
    order = " before (circles) and after (squares) correction for chance" if len(names) > 1 else ""
    return Figure(
        f"{_title(board)}: scores and intervals",
        f"Scores of the systems with intervals{order}, {TABLE}. {_signatures(board)}",
        height,
        marks,
    )


def rank_figure(board: Result) -> Figure:
    """Ranks before (left) and after (right) correction, with a line for each system.

    Systems without both ranks stand at the bottom, without a line.
    """
    if not is_corrected(board):
        raise ValueError(
            f"{board['metric']} is not corrected for chance, so its ranks do not change; draw "
            "intervals, or put another metric first with --metric"
        )
    rows = board["rows"]
    before, after = _slots(rows, "observed"), _slots(rows, "corrected")
    ends = _ends(rows)
    head = SIZE + 3
    marks: list[Mark] = [
        words(ends[0], SIZE, "rank observed", "end", bold=True),
        words(ends[1], SIZE, "rank corrected", bold=True),
    ]
    for i, row in enumerate(rows):
        heights = [head + (slots[i] + 0.5) * RANK_HEIGHT for slots in (before, after)]
        marks.append(_rank_group(row, i, ends, heights))
    lines = "A solid rising line: the correction gains places; dashed and falling: it loses places"
    return Figure(
        f"{_title(board)}: ranks before and after correction",
        f"{lines}; thin and level: kept its place. The table has all ranks and their changes. "
        f"{_signatures(board)}",
        head + max(len(rows), 1) * RANK_HEIGHT + 2,
        marks,
    )


def _title(board: Result) -> str:
    """The metric, and the label or subset if there is one."""
    whole = board["label"] is None and not board["subset"]
    return board["metric"] if whole else f"{board['metric']}, {board_name(board)}"


def _signatures(board: Result) -> str:
    """The signatures of the scores, for quoting the figure."""
    parts = [f"{system}: {text}" if system else text for system, text in signatures(board)]
    return "; ".join(parts)


def _ends(rows: Sequence[Result]) -> tuple[float, float]:
    """Where the texts on the left end, and where the texts on the right begin."""
    widths = [0.0, 0.0]
    for row in rows:
        name = text_width(fitting_name(row["system"], WIDTH))
        for side, text in enumerate(_rank_texts(row)):
            widths[side] = max(widths[side], name + text_width(text) + MARGIN)
    heads = [text_width(f"rank {name}", bold=True) for name in STYLES]
    left, right = (max(width, head) for width, head in zip(widths, heads))
    room = WIDTH - SHORTEST - 2 * MARGIN
    if left + right > room:
        left = right = room / 2
    return left, WIDTH - right


def _rank_texts(row: Result) -> tuple[str, str]:
    """The texts next to the name of a system, on the left and on the right."""
    before, after = (number(_rank(row, name)) for name in STYLES)
    moved = f" ({change(row['change'])})" if row["change"] else ""
    return before, f"{after}{moved}"


def _rank_group(
    row: Result, place: int, ends: tuple[float, float], heights: Sequence[float]
) -> Mark:
    """Name and rank of a system at both ends, and the line between them."""
    marks: list[Mark] = []
    texts = _rank_texts(row)
    for side, (x, y, text) in enumerate(zip(ends, heights, texts)):
        anchor, away = ("start", 1) if side else ("end", -1)
        baseline = y + 0.35 * SIZE
        width = text_width(text)
        room = (WIDTH - x if side else x) - width - MARGIN
        name = fitting_name(row["system"], room)
        marks.append(words(x, baseline, text, anchor))
        marks.append(words(x + away * (width + MARGIN), baseline, name, anchor))
    if row["change"] is not None:
        colour, dash = CHANGES[(row["change"] > 0) - (row["change"] < 0)]
        points = [(ends[0] + MARGIN, heights[0]), (ends[1] - MARGIN, heights[1])]
        marks.append(line(points, colour, 1.6 if row["change"] else 0.8, dash))
        marks += [marker(*point, colour=colour, size=1.5) for point in points]
    return group(f"system-{place}", marks)


def _slots(rows: Sequence[Result], name: str) -> dict[int, int]:
    """The position of each row in a column: by rank, ties in a row, without both ranks last.

    So lines are level where the correction moves nothing.
    """
    lost = [row["change"] is None for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (lost[i], _rank(rows[i], name) or 0))
    return {row: slot for slot, row in enumerate(order)}


def _rank(row: Result, name: str) -> int | None:
    rank: int | None = standing_of(row, name)["rank"]
    return rank


# --- CSV


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
        subset = board["subset"] or {"by": None, "value": None}
        of_board = {key: board[key] for key in ("metric", "request", "label", "n_docs", "n_gold")}
        of_board |= {
            "subset_by": subset["by"],
            "subset": subset["value"],
            "bits": int(board["bits"]),
        }
        for row in board["rows"]:
            system = systems.get(row["system"], {})
            fields = of_board | {key: system.get(key) for key in ("source", "link", "year")}
            unplaced = system.get("n_unplaced")
            fields |= {key: row.get(key) for key in COLUMNS if key not in fields}
            yield {key: fields[key] for key in COLUMNS} | {
                "note": misfits(unplaced) if unplaced else ""
            }


# --- parts of boards


def board_details(result: Result) -> Details:
    """The scored data, and how they were resampled and tested."""
    ways = result["resampling"]
    clusters = f"{quantity(result['n_clusters'], 'cluster')} (by {result['clusters']})"
    if result["clusters"] in ("documents", "clusters"):  # which have no other name
        clusters = quantity(result["n_clusters"], result["clusters"].removesuffix("s"))
    tests = (
        f"each pair of systems by {TEST_NAMES.get(ways['test'], ways['test'])}, p values adjusted "
        f"by Holm's method over the pairs of a table, alpha {ways['alpha']:g}"
    )
    return [
        ("Gold", ", layer ".join(part for part in (result["gold"], result["layer"]) if part)),
        ("Size", board_size(result)),
        ("Labels", ", ".join(map(printable, result["labels"])) or "none"),
        ("Intervals", intervals_text(ways, clusters)),
        ("Tests", tests if ways["resamples"] else "none"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


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
    """Whether the scores of a board are corrected for chance."""
    return any("corrected" in row for row in board["rows"])


def is_lower_better(board: Result) -> bool:
    """Whether lower scores of a board are better."""
    metric = METRICS.get(board["request"].partition("(")[0])
    return metric is not None and not metric.higher_is_better


def main_score(board: Result) -> str:
    """The score that a board ranks by: "corrected" if it has any such score, else "observed"."""
    return "corrected" if is_corrected(board) else "observed"


def standing_of(row: Result, name: str) -> TableRow:
    """The `score` of this name in a row of a board, with its `STANDING_KEYS`."""
    beside = "" if name == headline_name(row) else f"{name}_"
    parts = {key: row.get(beside + key) for key in STANDING_KEYS}
    return {**parts, "score": row.get(name), "group": parts["group"] or ""}


def signatures(board: Result) -> list[tuple[str | None, str]]:
    """Pairs of a system and its signature; the system is None if all share one signature."""
    different = dict.fromkeys(row["signature"] for row in board["rows"])
    if len(different) == 1:
        return [(None, next(iter(different)))]
    return [(row["system"], row["signature"]) for row in board["rows"]]


def is_whole(board: Result) -> bool:
    """Whether a board is about all spans."""
    return board["label"] is None and not board["subset"]


# --- summary


def board_verdict(result: Result) -> str:
    """Summary of a leaderboard: the first, who does not differ from it, and what correction moves.

    First and others are those of the first metric over all spans; the effect of the correction is
    given for every corrected metric.
    """
    boards = list(filter(is_whole, result["boards"]))
    if not boards:
        return ""
    board, alpha = boards[0], result["resampling"]["alpha"]
    defined = any(row.get("corrected") is not None for row in board["rows"])
    key, metric = "corrected" if defined else "observed", printable(board["metric"])
    ranks = {row["system"]: standing_of(row, key)["rank"] for row in board["rows"]}
    ranks = {name: rank for name, rank in ranks.items() if rank is not None}
    first = [row for row in board["rows"] if ranks.get(row["system"]) == 1]
    parts = [f"No system has a rank by {metric}: its score is undefined or there are no gold spans"]
    if first:
        leaders = [row["system"] for row in first]
        who, score = _named(leaders), _score_text(board, key, first[0])
        if len(leaders) > 1:
            who = who.capitalize() if len(leaders) > NAMED else who
            parts = [f"{who} share the best score, {score}"]
        else:
            parts = [f"{who} has the best score, {score}"]
        others = [name for name in ranks if name not in leaders]
        parts += _tested(leaders, others, _tests(board, key, alpha))
        parts += _reversals(boards, alpha)
    for n, what in (
        (len(board["rows"]) - len(ranks), "no rank"),
        (len(result.get("left_out", ())), "been left out"),
    ):
        parts += [f"{quantity_word(n, 'system')} {'has' if n == 1 else 'have'} {what}"] * bool(n)
    return f"{'; '.join(parts)}."


def errors_verdict(board: Result, system: Result, documents: Sequence[Result]) -> str:
    """The document that costs a system most, with its cost, as a sentence.

    Parameters
    ----------
    board : dict
        The board of the metric that costs are measured by.
    system : dict
        One of its systems.
    documents : sequence of dict
        Its worst documents with name and cost, the worst first.
    """
    name = printable(system["name"])
    score = "the corrected " * is_corrected(board) + printable(board["metric"])
    if not documents:
        return f"Without any single document, {score} of {name} would not be better."
    worst, digits = documents[0], 1 if board["bits"] else 4
    amount = brief_amount(worst["cost"], digits) + " bits" * board["bits"]
    return (
        f"{name} loses most on {printable(worst['name'])}: without it, {score} would be {amount} "
        "better."
    )


# --- parts of the sentence


def _score_text(board: Result, key: str, row: Result) -> str:
    """A score and its metric."""
    digits = 1 if board["bits"] else 3
    kind = beyond_chance(row[key]) if key == "corrected" else ""
    notes = ["not corrected for chance"] * (not kind) + ["lower is better"] * is_lower_better(board)
    by = f"by {printable(board['metric'])}" + f" ({', '.join(notes)})" * bool(notes)
    return " ".join(filter(None, (brief(row[key], digits), "bits" * board["bits"], kind, by)))


def _tests(board: Result, key: str, alpha: float) -> Tests:
    """The results of all tests, by pair of systems."""
    results = {}
    for pair in board["pairs"]:
        test = pair.get(key) or {"p_holm": None}
        if test["p_holm"] is not None:
            different = "different" if test["p_holm"] < alpha else "equal"
            both = frozenset((pair["first"], pair["second"]))
            results[both] = different if test.get("decided", True) else "unknown"
    return results


def _tested(leaders: Sequence[str], others: Sequence[str], tests: Tests) -> Iterator[str]:
    """Clauses on the results of the tests of all other systems against the first."""
    if others and not tests:
        yield "differences were not tested"
        return
    by_result: dict[str, list[str]] = {result: [] for result in RESULTS}
    for name in others:
        found = {tests.get(frozenset((name, leader)), "unknown") for leader in leaders}
        by_result[min(found, key=RESULTS.index)].append(name)
    equal, unknown, different = by_result.values()
    first = "it" if len(leaders) == 1 else "them"
    if equal:
        does = "does" if len(equal) == 1 else "do"
        yield f"{_named(equal)} {does} not differ significantly from {first}"
    if unknown:
        yield f"of {_named(unknown)} the tests do not decide this"
    if others and len(different) == len(others):
        differs = "differs" if len(others) == 1 else "differ"
        yield f"{_named(others)} {differs} significantly from {first}"


def _reversals(boards: Iterable[Result], alpha: float) -> Iterator[str]:
    """Clauses on the pairs whose order the correction reverses, of which a test finds an order."""
    found = {}
    for board in filter(is_corrected, boards):
        tests = [_tests(board, key, alpha) for key in ("observed", "corrected")]
        turned = []
        for one in board["pairs"]:
            before, after = (one[key]["difference"] for key in ("observed", "corrected"))
            if None not in (before, after) and before * after < 0:
                turned.append(frozenset((one["first"], one["second"])))
        known = [pair for pair in turned if any(one.get(pair) == "different" for one in tests)]
        if any(tests):
            found[printable(board["metric"])] = len(known)
    parts = [f"{quantity_word(n, 'significant order')} by {name}" for name, n in found.items() if n]
    if parts:
        yield f"the correction reverses {in_sentence(parts)}"
    elif found:
        yield "the correction changes no significant order"


def _distinct_best(board: Result, key: str, alpha: float) -> str | None:
    """The first system if the tests distinguish it from all others, else None."""
    ranked = [row for row in board["rows"] if standing_of(row, key)["rank"] is not None]
    first = [row["system"] for row in ranked if standing_of(row, key)["rank"] == 1]
    tests = _tests(board, key, alpha) if len(first) == 1 < len(ranked) else {}
    others = (frozenset((first[0], row["system"])) for row in ranked if row["system"] not in first)
    return first[0] if tests and all(tests.get(one) == "different" for one in others) else None


def _named(names: Sequence[str], what: str = "system") -> str:
    """The names of a few systems or documents, or the number of many."""
    return few(list(map(printable, names)), what, NAMED)
