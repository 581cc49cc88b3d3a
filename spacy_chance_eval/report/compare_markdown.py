"""A comparison of two runs as Markdown for a pull request. Whatever comes from data stays text.

Names stand in <code>, where GitHub makes neither mentions nor links of them.
"""

from html import escape

from . import compare_words as said
from .tables import code, escaped, pipe_table
from .words import interval, number, p_value, shown, signed

LONGEST = 80  # signs of a text in a cell
MARKS = {"better": "**better**", "worse": "**worse**"}  # if the test tells the runs apart


def compare_markdown(result, *, top=10):
    """A short table, and the details folded up.

    Parameters
    ----------
    result : dict
        As `compare` makes it.
    top : int
        How many documents and annotations to list.
    """
    lines = [
        f"### {name(said.run_name(result['new']))} against {name(said.run_name(result['old']))}"
    ]
    lines += ["", *(f"> **Failed:** {quiet(text)}\n" for text in result["failures"])]
    lines += list(total_lines(result))
    first = result["metrics"][0]
    counts = f"{said.documents(first['documents'])} (of {result['n_docs']})"
    lines += [f"By {first['key']} {name(first['metric'])}: {counts}.", ""]
    if result["errors"]:
        lines += [f"Errors: {said.errors(result['errors'])}.", ""]
    lines += [f"- {quiet(note)}" for note in result["notes"]] + [""] * bool(result["notes"])
    for metric in result["metrics"]:
        lines += folded(f"{raw_name(metric['metric'])} by label", label_lines(metric))
    lines += folded("Documents", document_lines(first, top))
    if result["errors"]:
        lines += folded("New and fixed errors", error_lines(result["errors"], top))
    for document in result["verbose"] or ():
        title = f"{raw_name(document['document'])}: {number(document['score'])}"
        lines += folded(title, error_rows(document["errors"]))
    lines += folded("How this was made", about_lines(result))
    return "\n".join(lines).rstrip() + "\n"


def total_lines(result):
    """Every metric by the score that it is about."""
    header = ["metric", "score", "old", "new", "difference", "interval", "p", "verdict"]
    rows = []
    for metric in result["metrics"]:
        for row in said.score_rows(metric, metric["total"]):
            if row["score"] == metric["key"]:
                rows.append([name(metric["metric"]), row["score"], *score_cells(row)])
                rows[-1] += [p_value(row["p_value"]).replace("<", "&lt;"), verdict(metric["total"])]
    return pipe_table(header, rows, left=2)


def score_cells(row):
    """Old, new, difference and its interval."""
    limits = interval(row["interval"]).replace("[", r"\[")
    return [number(row["old"]), number(row["new"]), signed(row["difference"]), limits]


def verdict(row):
    """Better, worse or equal; bold where the test tells the runs apart."""
    return MARKS.get(said.verdict(row), said.verdict(row))


def label_lines(metric):
    """Every label of a metric."""
    header = [
        "label",
        *said.SPANS,
        "old",
        "new",
        "difference",
        "interval",
        "p Holm",
        "documents",
        "verdict",
    ]
    key, rows = metric["key"], []
    for row in metric["labels"]:
        test, counts = row[key], row["documents"]
        moved = f"{counts['n_better']} better, {counts['n_worse']} worse"
        cells = score_cells({"old": row["old"][key], "new": row["new"][key], **test})
        p_holm = p_value(test["p_holm"]).replace("<", "&lt;")
        rows.append([name(row["label"]), *said.spans(row), *cells, p_holm, moved, verdict(row)])
    return pipe_table(header, rows)


def document_lines(metric, top):
    """The documents that changed most."""
    header = ["document", "old", "new", "contribution", "labels"]
    for which in ("worse", "better"):
        rows = [
            [
                name(row["document"]),
                number(row["old"]),
                number(row["new"]),
                f"{row['contribution']:+.6f}",
                name(said.labels_changed(row)) if row["labels"] else "",
            ]
            for row in metric["documents"][which][:top]
        ]
        if rows:
            yield from (f"{which} most, by {name(metric['metric'])}:", "")
            yield from pipe_table(header, rows)


def error_lines(found, top):
    """Annotations that are wrong in one run only."""
    for which in ("new", "fixed"):
        if found[which][:top]:
            yield from (f"{which}:", "")
            yield from error_rows(found[which][:top])


def error_rows(rows):
    """A table of annotations."""
    header = ["document", "error", "gold", "predicted", "in the other run"]
    if not rows:
        return ["No annotation is wrong.", ""]
    body = [
        [
            name(row["document"]),
            said.error(row),
            *(
                "-" if row[side] is None else name(said.side(row[side]))
                for side in ("gold", "pred")
            ),
            said.elsewhere(row),
        ]
        for row in rows
    ]
    return pipe_table(header, body, left=5)


def about_lines(result):
    """What was compared and how."""
    yield from (f"- {title}: {quiet(text)}" for title, text in said.facts(result))
    yield from ("", said.HOW_TO_READ, "")
    yield from (f"- {code(metric['signature'])}" for metric in result["metrics"])
    yield ""


def folded(title, lines):
    """Lines that unfold when they are asked for; the title is HTML, in which Markdown is none."""
    lines = list(lines)
    return (
        ["<details>", f"<summary>{title}</summary>", "", *lines, "</details>", ""] if lines else []
    )


def name(text):
    """A text from the data, as it is and as short as a cell needs it."""
    return f"<code>{escaped(cut(text))}</code>"


def raw_name(text):
    """The same where Markdown is not read, so that its escapes would show."""
    return f"<code>{escape(' '.join(shown(cut(text)).split()), quote=False)}</code>"


def cut(text):
    """As much of a text as there is room for."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def quiet(text):
    """A text outside <code>: nobody is mentioned in it, and no issue."""
    return escaped(text).replace("\\@", "@&#8203;").replace("\\#", "#&#8203;")
