"""The agreement of annotators: columns, sections and verdict, composed once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter

from ..measures.differences import RELATIONS
from ..metrics.catalog import METRICS
from ..scoring.statistics import headline
from .figures import scale_colour, text_colour
from .report import ALL, FOLDED, SCREEN, Column, Report, Row, Section, Table
from .words import (
    NODES,
    TREE,
    Details,
    Result,
    TableRow,
    brief,
    brief_interval,
    count_word,
    digits_apart,
    extremes,
    in_sentence,
    interval_of,
    intervals_text,
    number,
    precise,
    quantity,
    reached,
    score_cells,
    signed,
)

CATEGORY = "category"
POSITIONS = {
    "token": "tokens",
    "char": "characters",
    CATEGORY: "whole documents: each carries its labels",
}
KINDS = {
    "dependency": "dependency: heads of tokens and their relations, beneath an artificial root",
    "constituency": "constituency: words are left out, their tags are the leaves",
}
# alphas of trees, and the distances that they are computed from
DISTANCES = {"syntax_alpha": "tree edit distances", "pq_alpha": "distances of pq-gram profiles"}
YEAR = re.compile(r"([^,(]+?)\b[^(]*\((\d{4})\)")  # first author and year of a paper
PAIRS = "Pairs"  # the section that leads to their pages
COLOURS = (
    "Colours of matrices repeat the numbers: white at 0, which is chance where a metric is "
    "corrected for it, blue towards 1, orange with a dashed outline below 0; a hatched cell with a "
    "dash is undefined, for the reason beneath."
)
MATRIX = 40  # annotators: a matrix of the pairs of more has no room, tables show some of them
NAMED = 6  # names before a reason; of more only their number
BUSIEST, WORST = 10, 10  # of a crowd: annotators with most documents, and who agree least
ENOUGH = 10  # shared documents from which on it says something that an annotator agrees least
ENOUGH_SPANS = 30  # of both annotators, from which on their pair may stand out
# of a value that is undefined: no shade of the scale, with stripes on paper without colours, too
HATCHED = (
    "background:#e3e6ea repeating-linear-gradient(135deg,#e3e6ea 0 5px,#c3c9d1 5px 7px);"
    "color:#000000"
)

# --- columns

# the corrected score, and the observed and expected ones or disagreements that it is made of
SCORES = [
    Column("corrected", "corrected", interval=("low", "high")),
    Column("observed", "observed", interval=("observed_low", "observed_high"), interval_level=ALL),
    Column("expected", "expected", level=ALL),
    Column("observed_disagreement", "observed disagreement", precise, level=ALL),
    Column("expected_disagreement", "expected disagreement", precise, level=ALL),
]


def _quoted_column(key: str, heading: str) -> Column:
    """A column of the numbers to quote, with their intervals where a table is whole."""
    return Column(key, heading, interval=(f"{key} low", f"{key} high"), interval_level=ALL)


def _quoted(key: str, row: Result) -> TableRow:
    """The values of such a column."""
    low, high = interval_of(row) or (None, None)
    return {key: headline(row), f"{key} low": low, f"{key} high": high}


# --- the report


def agreement_report(
    result: Result,
    worst: int | None = None,
    *,
    pairs: Sequence[Result] = (),
    drawn: Mapping[int, tuple[str, Sequence[str]]] | None = None,
    counts: Sequence[str] = RELATIONS,
) -> Report:
    """An agreement: all metrics and the pairs by the first one on the screen, then each metric.

    Parameters
    ----------
    result : dict
        An agreement as plain values. It may have a `title` and a list of `sources`.
    worst : int or None
        How many documents to list; None for all that the result names.
    pairs : sequence of dict
        The pairs of annotators that were compared document by document: `first`, `second`,
        `n_docs`, `n_differing`, `counts` of differences, and `page`, an address; without a page
        the `reason`.
    drawn : mapping, optional
        On pages, where documents are drawn: by index, an address and the names of the pair.
    counts : sequence of str
        The keys of the differences of pairs.
    """
    verdict, result = agreement_verdict(result), excerpt(result)
    metrics, paired = result["metrics"], has_pairs(result)
    links = {frozenset((row["first"], row["second"])): row["page"] for row in pairs}
    sections = [Section("", (), [_summary_table(result)])]
    for metric in metrics:
        tables = [
            *_matrix_tables(result, metric, links),
            _annotator_table(result, metric),
            _label_table(result, metric),
            _document_table(result, metric, worst, drawn or {}),
        ]
        sections.append(Section(metric_heading(metric), (), tables))
    if paired and any(metric["pairs"] for metric in metrics):
        sections.append(Section(PAIRS, (), [_pair_table(result, pairs, counts)]))
    usual = any(metric["metric"] == "u_alpha" for metric in metrics)
    return Report(
        f"Agreement: {heading(result)}".removesuffix(": "),
        verdict,
        sections,
        agreement_details(result),
        [*(f"Warning: {text}" for text in result.get("warnings", ())), *result["notes"]],
        how_to_read=[
            *explanations(result),
            *[f"In brackets in a matrix: {item_name(result)}s that both saw."] * paired,
            *[COLOURS] * (paired and drawn is not None),
        ],
        next="--top 10 (all tables), -o pages/" + "; other alphas: -m alpha_u -m cu_alpha" * usual,
    )


def _summary_table(result: Result) -> Table:
    """All metrics: the mean of the pairs, and the team."""
    paired, item = has_pairs(result), item_name(result)
    rows = []
    for metric in result["metrics"]:
        row = {"metric": metric["metric"] + ", bits" * metric["bits"]}
        row |= score_cells(metric["mean" if paired else "team"], metric["disagreement"])
        if paired:
            row |= {"n_pairs": metric["mean"]["n_pairs"], "n_docs": metric["mean"]["n_docs"]}
            team = "team" if metric["is_corrected"] else "observed_team"
            row |= _quoted(team, metric["team"])
        rows.append(row)
    teams = [_quoted_column("team", "team"), _quoted_column("observed_team", "team, observed")]
    columns = [
        Column("metric", "metric", str),
        *(*SCORES[:2], *teams, *SCORES[2:]),
        Column("n_pairs", "pairs", level=ALL),
        Column("n_docs", f"shared {item}s", level=ALL),
    ]
    caption = f"Mean of the pairs, weighted by shared {item}s, and the team"
    signatures = [metric["signature"] for metric in result["metrics"]]
    notes = _undefined(
        (metric["metric"], {key: metric[key] for key in ("mean", "team")[not paired :]})
        for metric in result["metrics"]
    )
    if paired and len(result["annotators"]) > 2:
        notes += _to_quote(result["metrics"])
    return Table(caption if paired else "The team", columns, rows, notes, signatures=signatures)


def _to_quote(metrics: Iterable[Result]) -> Iterator[str]:
    """Whether the team or the mean of the pairs is the agreement of more than two annotators."""
    by_team: dict[bool, list[str]] = {True: [], False: []}
    for metric in metrics:
        by_team[_is_of_teams(metric)].append(metric["metric"])
    parts = [
        f"of {in_sentence(names)} the {what}"
        for is_team, what in ((True, "team"), (False, "mean of the pairs"))
        if (names := by_team[is_team])
    ]
    yield f"to quote: {', '.join(parts)}"


def _matrix_tables(
    result: Result, metric: Result, links: Mapping[frozenset[str], str | None]
) -> Iterator[Table]:
    """The value of each pair of annotators, and how many documents both saw.

    The matrix of the first metric is on the screen; of a single pair without a page it is the mean.
    """
    if len(metric["pairs"]) < 2 and not (metric["pairs"] and links):
        return
    seconds, rows = pair_matrix(metric)
    columns = [Column("annotator", "", str)]
    columns += [
        Column(
            f"with {second}",
            second,
            beside=itemgetter(f"shared {second}"),
            interval_level=ALL,
            link=f"page {second}",
            style=partial(_pair_style, metric, second),
        )
        for second in seconds
    ]
    shown = []
    for first, cells in rows:
        row: TableRow = {"annotator": first}
        for second, pair in zip(seconds, cells):
            if pair is not None:
                row |= {f"with {second}": headline(pair), f"shared {second}": f"({pair['n_docs']})"}
                row[f"page {second}"] = links.get(frozenset((first, second)))
        shown.append(row)
    sides = "" if metric["symmetric"] else "; rows: first, as gold; columns: second"
    caption = f"{metric_heading(metric)}: pairs of {annotator_name(result)}s{sides}"
    between = "and" if metric["symmetric"] else "against"
    pairs = ((f"{one['first']} {between} {one['second']}", {"": one}) for one in metric["pairs"])
    level = SCREEN if metric is result["metrics"][0] else ALL
    yield Table(caption, columns, shown, _undefined(pairs), level=level)


def _pair_style(metric: Result, second: str, row: Row) -> str:
    """The style of a cell of a matrix: a shade, or hatched where the value is undefined."""
    value = row.get(f"with {second}")
    if value is None:
        return HATCHED * (f"with {second}" in row)
    if metric["bits"] or not metric["higher_is_better"]:
        return ""  # 1 is not the best value
    background = scale_colour(value)
    dashed = ";outline:2px dashed;outline-offset:-3px" * (value < 0)
    return f"background-color:{background};color:{text_colour(background)}{dashed}"


def _annotator_table(result: Result, metric: Result) -> Table:
    """Each annotator against the others, and against their majority where there is one."""
    who, item, paired = annotator_name(result), item_name(result), has_pairs(result)
    by_name = {annotator["name"]: annotator for annotator in result["annotators"]}
    parts = ["others", "majority"][: 1 + has_majority(result)] if paired else []
    rows = []
    for one in metric["annotators"]:
        row: TableRow = {"annotator": one["annotator"], **by_name[one["annotator"]]}
        for part in parts:
            row |= _quoted(part, one[part])
        rows.append(row)
    unplaced = [Column("n_unplaced", "unplaced")] * any(row["n_unplaced"] for row in rows)
    columns = [
        Column("annotator", who, str),
        Column("n_docs", f"{item}s"),
        Column("n_shared", f"shared {item}s"),
        Column("n_spans", mark_name(result)),
        *unplaced,
        *(_quoted_column(part, part) for part in parts),
    ]
    majority = ", and against their majority" * has_majority(result)
    against = f" against the others{majority}" * paired
    notes = _undefined(
        (one["annotator"], {part: one[part] for part in parts}) for one in metric["annotators"]
    )
    caption = f"{metric_heading(metric)}: {who}s{against}"
    return Table(caption, columns, rows, notes, level=_level(result, metric))


def _label_table(result: Result, metric: Result) -> Table:
    """The labels of a metric: the mean of the pairs, and the team."""
    paired = has_pairs(result)
    # the team only where the metric has one
    keys = ["mean"] + ["team"] * bool(metric["team"]["definition"]) if paired else ["team"]
    by_label = {key: {row["label"]: row[key] for row in metric["per_label"]} for key in keys}
    rows = []
    for one in metric["per_label"]:
        row = {"label": one["label"], "n_spans": one["n_spans"]}
        row |= score_cells(one["mean" if paired else "team"], metric["disagreement"])
        if paired and "team" in by_label:
            row |= _quoted("team", one["team"])
        rows.append(row)
    columns = [
        Column("label", "label", str),
        Column("n_spans", mark_name(result)),
        *SCORES,
        _quoted_column("team", "team"),
    ]
    means = "mean of the pairs" + ", and the team" * ("team" in by_label) if paired else "the team"
    shared = quantity(result["n_shared"], item_name(result))
    caption = f"{metric_heading(metric)}: labels, {means}, in {shared}"
    return Table(caption, columns, rows, _undefined(by_label.items()), level=ALL)


def _document_table(
    result: Result,
    metric: Result,
    worst: int | None,
    drawn: Mapping[int, tuple[str, Sequence[str]]],
) -> Table:
    """The documents that cost the team most, or those on which the pairs agree least.

    Sentences of treebanks have a distance, if the metric has: the mean of their pairs.
    """
    item, rows = item_name(result), []
    for one in metric["documents"][:worst]:
        address, names = drawn.get(one["place"], (None, ()))
        row = {key: one[key] for key in ("document", "n_annotators", "cost")}
        row |= {
            **score_cells(one, metric["disagreement"]),
            "page": address,
            "pair": " and ".join(names),
        }
        if one.get("distance") is not None:
            row["distance"] = one["distance"]
        rows.append(row)
    columns = [
        Column("document", item, str),
        Column("n_annotators", f"{annotator_name(result)}s"),
        Column("distance", "mean distance"),
        *SCORES,
        Column("cost", "cost", partial(signed, digits=4)),
        Column("pair", "most differences", str, link="page"),
    ]
    more = len(metric["documents"]) - len(rows)
    notes = ["mean distance: tree edit distance, the mean of the pairs"]
    notes = notes * any("distance" in row for row in rows)
    notes += [f"{quantity(more, f'more {item}')}: --top N, -o FILE.json"] * bool(more)
    notes += _undefined((one["document"], {"": one}) for one in metric["documents"][:worst])
    whom = "the team " if annotator_name(result) == "annotator" else ""
    caption = f"{item}s on which the pairs agree least"
    if any(one["cost"] is not None for one in metric["documents"]):
        caption = f"{item}s that cost {whom}most (cost: how much better it is without the {item})"
    caption = f"{metric_heading(metric)}: {caption}"
    return Table(caption, columns, rows, notes, level=_level(result, metric))


def _level(result: Result, metric: Result) -> int:
    """Tables of the first metric are shown, those of others folded."""
    return ALL if metric is result["metrics"][0] else FOLDED


def _pair_table(result: Result, pairs: Sequence[Result], counts: Sequence[str]) -> Table:
    """The pairs of annotators: all metrics, what differs, and where their pages are."""
    item, known = item_name(result), {(row["first"], row["second"]): row for row in pairs}
    rows: dict[tuple[str, str], TableRow] = {}
    for metric in result["metrics"]:
        for pair in metric["pairs"]:
            names = pair["first"], pair["second"]
            row = rows.setdefault(names, {"first": names[0], "second": names[1]})
            row |= {"n_docs": pair["n_docs"], **_quoted(metric["metric"], pair)}
            if (about := known.get(names)) is not None:
                row |= {"n_differing": about["n_differing"], **about["counts"]}
                row |= {"page": about["page"], "pages": about["reason"] or f"{item}s"}
    columns = [
        Column("first", "first", str),
        Column("second", "second", str),
        Column("n_docs", f"shared {item}s"),
        *(_quoted_column(metric["metric"], metric["metric"]) for metric in result["metrics"]),
        Column("n_differing", f"{item}s that differ"),
        *(Column(name, name) for name in counts),
        Column("pages", "pages", str, link="page"),
    ]
    verb = "chose" if mark_name(result) == "labels" else "marked"
    what = (
        f"What two annotators {verb} in the documents that both saw; missing: only the first did, "
        "spurious: only the second."
    )
    if result["positions"] == TREE:
        who = annotator_name(result)
        what = f"Trees of two {who}s that differ, of the sentences that both saw."
    return Table(
        f"Pairs of {annotator_name(result)}s by all metrics",
        columns,
        [*rows.values()],
        [what] * bool(pairs),
        level=FOLDED,
        names=2,
    )


def pair_section(result: Result, names: Collection[str], n_docs: int) -> Section:
    """The scores of two annotators: all metrics, and each label that either used."""
    item = item_name(result)
    found = [
        (metric, pair, metric["metric"] + f", {pair['first']} as gold" * (not metric["symmetric"]))
        for metric in result["metrics"]
        for pair in metric["pairs"]
        if {pair["first"], pair["second"]} == set(names)
    ]
    rows = [
        {"metric": title + ", bits" * metric["bits"], **score_cells(pair, metric["disagreement"])}
        for metric, pair, title in found
    ]
    metrics = Table(
        f"Scores over the {quantity(n_docs, item)} that both saw",
        [Column("metric", "metric", str), *SCORES],
        rows,
        _undefined((title, {"": pair}) for _, pair, title in found),
        signatures=list(dict.fromkeys(metric["signature"] for metric, *_ in found)),
    )
    cells: dict[str, TableRow] = {}
    for _, pair, title in found:
        for label, score in pair["per_label"].items():
            cells.setdefault(label, {"label": label}).update(_quoted(title, score))
    titles = [title for _, _, title in found]
    by_label = Table(
        "Scores of each label that either used; corrected for chance, where the metric is",
        [Column("label", "label", str), *map(_quoted_column, titles, titles)],
        [cells[label] for label in sorted(cells)],
        _undefined((title, pair["per_label"]) for _, pair, title in found),
        level=ALL,
    )
    return Section("Scores", (), [metrics, by_label])


def _undefined(entries: Iterable[tuple[str, Mapping[str, Result]]]) -> list[str]:
    """Notes beneath a table on values that are undefined."""
    return [f"undefined: {text}" for text in reasons(entries)]


# --- parts


def excerpt(result: Result) -> Result:
    """The part of a result that tables and pages show: all of it, unless it is of a crowd.

    Of a crowd they show the annotators with most shared documents, with the matrix of their pairs,
    and those who agree least with the others, of whom share enough. A note says how many are left
    out.
    """
    everyone = result["annotators"]
    if len(everyone) <= MATRIX:
        return result
    busiest = busiest_annotators(result)
    metrics = [_some_annotators(metric, busiest) for metric in result["metrics"]]
    item, n_pairs = item_name(result), max(len(metric["pairs"]) for metric in result["metrics"])
    shown = f"the {BUSIEST} with most {item}s that another saw"
    if has_pairs(result):
        shown += (
            f", the matrix of their pairs, and the {WORST} who agree least with the others (of "
            f"{ENOUGH} shared {item}s or more, if there are any)"
        )
    every = f"all {len(everyone)}" + f" and {n_pairs} pairs that share {item}s" * bool(n_pairs)
    note = f"of {len(everyone)} annotators, tables show {shown}; {every} are in the JSON output"
    return {**result, "metrics": metrics, "notes": [*result["notes"], note]}


def busiest_annotators(result: Result) -> list[str]:
    """The annotators whose pairs are shown: all, or those of a crowd with most shared documents."""
    everyone = result["annotators"]
    if len(everyone) > MATRIX:
        everyone = sorted(everyone, key=lambda one: (-one["n_shared"], one["name"]))[:BUSIEST]
    return [annotator["name"] for annotator in everyone]


def _some_annotators(metric: Result, busiest: Sequence[str]) -> Result:
    """A metric with the rows of the busiest annotators, of their pairs, and of the worst."""
    rows = {row["annotator"]: row for row in metric["annotators"]}
    scored = [row for row in rows.values() if headline(row["others"]) is not None]
    enough = [row for row in scored if row["others"]["n_docs"] >= ENOUGH] or scored
    sign = 1 if metric["higher_is_better"] else -1
    worst = sorted(enough, key=lambda row: (sign * headline(row["others"]), row["annotator"]))
    names = dict.fromkeys([*busiest, *(row["annotator"] for row in worst[:WORST])])
    pairs = [one for one in metric["pairs"] if {one["first"], one["second"]} <= set(busiest)]
    return {**metric, "annotators": [rows[name] for name in names], "pairs": pairs}


def heading(result: Result) -> str:
    """The title, by default from the names of up to three annotators or of the only source."""
    title, sources = result.get("title") or "", result.get("sources") or []
    if not title or title not in (", ".join(sources), " and ".join(sources)):
        return title
    if len(sources) == 1:
        return str(sources[0]).rstrip("/").rpartition("/")[2]
    names = [annotator["name"] for annotator in result["annotators"]]
    return in_sentence(names) if len(names) < 4 else f"{len(names)} annotators"


def agreement_details(result: Result) -> Details:
    """The data, and how they were resampled."""
    names = [annotator["name"] for annotator in result["annotators"]]
    ways = result["resampling"]
    sentences = result.get("n_sentences")
    known = "" if sentences is None else f" ({quantity(sentences, 'sentence')})"
    items = (
        f"{result['n_docs']}{known}: {result['n_shared']} seen by two or more "
        f"{annotator_name(result)}s, "
        f"{result['n_single']} by one, {result['n_unseen']} by nobody"
    )
    sources = result.get("sources") or []
    who = ("Annotators", f"{len(names)}: {_listing(names, MATRIX)}")
    return [
        *([("Sources", ", ".join(sources))] if sources else []),
        *([who] if annotator_name(result) == "annotator" else []),
        (f"{item_name(result)}s".capitalize(), items),
        *_annotation_details(result),
        ("Intervals", intervals_text(ways, ways["unit"])),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def _annotation_details(result: Result) -> Details:
    """The annotated layer, and its labels."""
    labels = result["labels"]
    if result["positions"] != TREE:
        positions = POSITIONS[result["positions"]]
        return [("Positions", positions), ("Labels", ", ".join(labels) or "none")]
    relations = f"{len(labels)}: {_listing(labels)}" if labels else "none"
    return [("Trees", KINDS[result["kind"]]), ("Labels", relations)]


def item_name(result: Result) -> str:
    """The name of an item: document, or sentence of treebanks."""
    return "sentence" if result["positions"] == TREE else "document"


def annotator_name(result: Result) -> str:
    """The name of an annotator, or of a source of `score`."""
    name: str = result.get("annotator_name", "annotator")
    return name


def mark_name(result: Result) -> str:
    """The kind of items annotated: spans, labels of whole documents, or nodes of trees."""
    if result["positions"] == TREE:
        return NODES[result["kind"]]
    return "labels" if result["positions"] == CATEGORY else "spans"


def has_majority(result: Result) -> bool:
    """Whether annotators are compared with the majority of the others; trees have none."""
    return result["positions"] != TREE


def _name(metric: Result) -> str:
    """The name in the catalogue, without parameters."""
    name: str = metric["signature"].partition("(")[0]
    return name


def _is_of_teams(metric: Result) -> bool:
    """Whether a metric is defined for any number of annotators at once."""
    return _name(metric) in METRICS and METRICS[_name(metric)].team


def metric_heading(metric: Result) -> str:
    """The name of a metric, and what its values are."""
    year = YEAR.match(METRICS[_name(metric)].paper) if _is_of_teams(metric) else None
    parts = [metric["metric"] + (f" ({year[1]} {year[2]})" if year else "")]
    parts += ["corrected for chance"] * metric["is_corrected"]
    parts += ["in bits"] * metric["bits"]
    parts += ["lower is better"] * (not metric["higher_is_better"])
    return ", ".join(parts)


def has_pairs(result: Result) -> bool:
    """Whether annotators were also compared pair by pair, not as a team only."""
    return bool(result.get("pairs", True))  # which results of older versions lack


def pair_matrix(metric: Result) -> tuple[list[str], list[tuple[str, list[Result | None]]]]:
    """The pairs of a metric as names of columns, and rows of a name and cells.

    A cell is the row of a pair, None where there is none. If the order of two annotators changes
    nothing, each pair is there once, above the diagonal; else rows are the first (as gold) and
    columns the second. Names without a pair in their place are left out.
    """
    names = sorted(row["annotator"] for row in metric["annotators"])
    cells = {(pair["first"], pair["second"]): pair for pair in metric["pairs"]}
    sides = [{pair[key] for pair in metric["pairs"]} for key in ("first", "second")]
    firsts, seconds = ([name for name in names if name in side] for side in sides)
    rows = [(first, [cells.get((first, second)) for second in seconds]) for first in firsts]
    return seconds, rows


def reasons(entries: Iterable[tuple[str, Mapping[str, Result]]]) -> Iterator[str]:
    """Why values are undefined: lines of names and a reason, each reason once.

    Parameters
    ----------
    entries : iterable of pairs
        A name, and a mapping of parts to rows of scores that have a `reason`; of several parts,
        each is named.
    """
    names_by_reason: dict[str, list[str]] = {}
    for name, rows in entries:
        for part, row in rows.items():
            if headline(row) is None:
                named = f"{name} ({part})" if len(rows) > 1 else name
                names_by_reason.setdefault(row["reason"], []).append(named)
    for reason, names in names_by_reason.items():
        yield f"{_listing(names)}: {reason}"


def explanations(result: Result) -> list[str]:
    """Definitions of the numbers in the summary, where metrics differ."""
    definitions: dict[str, list[str]] = {}
    for metric in result["metrics"]:
        if metric["team"]["definition"] and headline(metric["team"]) is not None:
            definitions.setdefault(metric["team"]["definition"], []).append(metric["metric"])
    lines = [f"team ({', '.join(names)}): {text}" for text, names in definitions.items()]
    without = [metric["metric"] for metric in result["metrics"] if not metric["is_corrected"]]
    if result["positions"] == TREE:
        requests = ((metric["metric"], metric["request"]) for metric in result["metrics"])
        lines += distance_notes(requests)
        lines += [
            f"{metric['metric']}: D_e is estimated from pairs that were drawn, which gives the "
            f"value a standard error of {number(error)}, part of its intervals"
            for metric in result["metrics"]
            if (error := metric["team"].get("standard_error"))
        ]
    return lines + ([f"without a chance model: {', '.join(without)}"] if without else [])


def distance_notes(metrics: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The meaning of observed and expected disagreement for distances between trees.

    Each of `metrics` is a metric's name and the name of its request.
    """
    by_distance: dict[str, list[str]] = {}
    for name, request in metrics:
        if distances := DISTANCES.get(request.partition("(")[0]):
            by_distance.setdefault(distances, []).append(name)
    for distances, names in by_distance.items():
        yield (
            f"{', '.join(names)}: corrected is alpha, 1 - D_o / D_e; the observed disagreement D_o "
            f"is the mean of squared {distances} within sentences, the expected D_e that between "
            "any two annotations"
        )


def _listing(names: Sequence[str], most: int = NAMED + 1) -> str:
    """Names with commas; of more than `most` only the first, and how many more there are."""
    more = [f"{len(names) - NAMED} more"] if len(names) > most else []
    return ", ".join([*names[:NAMED], *more] if more else names)


# --- verdicts


def agreement_verdict(result: Result) -> str:
    """Summary of an agreement: its strength, the weakest pair, best and worst labels.

    The sentences are about `main_metric`. They are plain text: names are not escaped.
    """
    metric = main_metric(result)
    if metric is None:
        return ""
    pair, value = least_pair(result), headline(whole_score(result, metric))
    digits = 2 if value is None or pair is None else digits_apart(value, headline(pair))
    parts = [_whole(result, metric, digits), *_least_pair(result, metric, pair, digits)]
    return " ".join([*parts, *_labels(result, metric)])


def pair_verdict(result: Result, names: Sequence[str], n_differing: int) -> str:
    """Summary of a pair of annotators: agreement by the main metric, number of differences.

    For an asymmetric metric, the order with the lower agreement is used.
    """
    metric, item = main_metric(result), item_name(result)
    if metric is None:
        return ""
    rows = [row for row in metric["pairs"] if {row["first"], row["second"]} == {*names}]
    sign = 1 if metric["higher_is_better"] else -1
    known = [row for row in rows if headline(row) is not None]
    row = min(known, key=lambda one: sign * headline(one), default=next(iter(rows), None))
    if row is None:
        return ""
    who = " and ".join(names)
    differ = f"They differ in {n_differing:,} of {quantity(row['n_docs'], item)} that both saw."
    by = f"by {metric['metric']}"
    if not metric["symmetric"]:
        by += f" with {row['first']} as gold"
    if headline(row) is None:
        return f"The agreement of {who} {by} is undefined: {row['reason']}. {differ}"
    return f"{who} {reached('agree at', row, metric, by)}. {differ}"


def main_metric(result: Result) -> Result | None:
    """The metric of a summary; None without metrics.

    It is the first metric with a corrected score of all annotators, or else with any score of all
    annotators, or else the first metric.
    """
    metrics: Sequence[Result] = result["metrics"]
    defined = [one for one in metrics if headline(whole_score(result, one)) is not None]
    corrected = [one for one in defined if one["is_corrected"]]
    return next(iter([*corrected, *defined, *metrics]), None)


def whole_score(result: Result, metric: Result) -> Result:
    """The score of all annotators: the mean of their pairs or, without pairs, of the team."""
    score: Result = metric["mean"] if has_pairs(result) else metric["team"]
    return score


def least_pair(result: Result) -> Result | None:
    """The pair of annotators that agrees least by the main metric, if it stands out.

    Both have marked thirty spans or more, and its interval lies beyond the mean of the pairs; of a
    crowd it is one of the busiest annotators.
    """
    metric = main_metric(result)
    mean = None if metric is None else headline(metric["mean"])
    if metric is None or mean is None:
        return None
    n_spans = {one["name"]: one["n_spans"] for one in result["annotators"]}
    among = {name for name in busiest_annotators(result) if n_spans[name] >= ENOUGH_SPANS}
    sign = 1 if metric["higher_is_better"] else -1
    rows = [
        row
        for row in metric["pairs"]
        if {row["first"], row["second"]} <= among
        and (limits := interval_of(row)) is not None
        and all(sign * limit < sign * mean for limit in limits)
    ]
    return min(
        rows, key=lambda row: (sign * headline(row), row["first"], row["second"]), default=None
    )


def _whole(result: Result, metric: Result, digits: int) -> str:
    """The sentence on all annotators."""
    names = [annotator["name"] for annotator in result["annotators"]]
    score, n = whole_score(result, metric), len(names)
    who = f"{names[0]} and {names[1]}" if n == 2 else f"{count_word(n)} annotator{'s' * (n != 1)}"
    by = f"by {metric['metric']}"
    if headline(score) is None:
        return f"The agreement of {who} {by} is undefined: {score['reason']}."
    if n > 2:
        by += " (mean of the pairs)" if has_pairs(result) else " (all of them as a team)"
    if result["n_shared"] == 1:
        by += f" in the only {item_name(result)} that two annotators saw"
    who = who if n == 2 else who.capitalize()
    return f"{who} {reached('agree at', score, metric, by, digits)}."


def _least_pair(result: Result, metric: Result, pair: Result | None, digits: int) -> Iterator[str]:
    """The sentence on the pair that agrees least, if one stands out."""
    if pair is None:
        return
    agree = "agree least" if metric["higher_is_better"] else "differ most"
    amount = f"{brief(headline(pair), digits)} {brief_interval(interval_of(pair), digits)}"
    n = len(busiest_annotators(result))
    of = f"Of the {n} busiest, " if n < len(result["annotators"]) else ""
    yield f"{of}{pair['first']} and {pair['second']} {agree} ({amount})."


def _labels(result: Result, metric: Result) -> Iterator[str]:
    """The sentence on the labels with the worst and the best agreement."""
    if not metric["higher_is_better"] or metric["bits"]:
        return
    key = "mean" if has_pairs(result) else "team"
    rows = {row["label"]: row for row in metric["per_label"]}
    values = {label: headline(row[key]) for label, row in rows.items()}
    known = {label: value for label, value in values.items() if value is not None}
    yield from extremes(known, {label: row["n_spans"] for label, row in rows.items()})
