"""How reports say what a comparison of two runs found. Formatted, never computed."""

from html import escape

from wasabi import table

from . import words
from .leaderboard import code, escaped, pipe_table
from .words import interval, number, p_value, shown, signed

HOW_TO_READ = (
    "Differences are new minus old. Better and worse without more: the paired test tells the two "
    "runs apart; p values of labels are adjusted for their number (Holm). The contribution of a "
    "document is by how much the total changes if only this document comes from the new run."
)
UNTESTED = {True: "", False: ", may be chance", None: ", not tested"}
SPANS = ("gold spans", "old spans", "new spans")
SIDES = ("observed", "expected", "corrected")


def run_name(run):
    """What a run is called: its title, or its file."""
    return run["title"] or run["path"] or "a run"


def run_facts(run):
    """One run in words."""
    where = f"{run['path']}, " if run["title"] and run["path"] else ""
    return (
        f"{run_name(run)} ({where}{run['pred']}; {run['n_pred']} predicted spans; saved "
        f"{run['saved']} by spacy-chance-eval {run['version']})"
    )


def facts(result):
    """What was compared and how, as pairs of a name and words."""
    ways, unit = result["resampling"], result["clusters"]
    rows = f"{result['n_clusters']} clusters (by {unit})"
    rows = f"{result['n_docs']} documents" if unit == "documents" else rows
    test = words.TESTS.get(ways["test"], ways["test"])
    how = (
        f"{test}, {100 * ways['level']:g} % {ways['interval']} intervals; {ways['resamples']} "
        f"resamples of {rows}, seed {ways['seed']}, alpha {ways['alpha']:g}"
    )
    new = result["new"]
    return [
        ("Old", run_facts(result["old"])),
        ("New", run_facts(new)),
        ("Gold", f"{new['gold']}, digest {new['digest']}"),
        ("Compared", f"{result['n_docs']} documents"),
        ("Test", how if ways["resamples"] else "none: no resamples were asked for"),
    ]


def verdict(row):
    """Better, worse or equal, and whether it may be chance."""
    if row["verdict"] is None:
        return "undefined"
    if row["verdict"] == "equal":
        return "equal"
    return row["verdict"] + UNTESTED[row["distinct"]]


def score_rows(metric, row):
    """What tables say of both runs, a row each for observed, expected and corrected scores."""
    shown = SIDES if row["corrected"] else SIDES[:1]
    for side in shown:
        test = row.get(side) or dict.fromkeys(("difference", "interval", "p_value"))
        yield {
            "score": side,
            "old": row["old"][side],
            "new": row["new"][side],
            **test,
            "verdict": verdict(row) if side == metric["key"] else "",
        }


def documents(counts):
    """Numbers of documents."""
    return (
        f"{counts['n_better']} documents better, {counts['n_worse']} worse, "
        f"{counts['n_equal']} equal"
    )


def headline(result):
    """The first metric in one sentence."""
    metric = result["metrics"][0]
    total, key = metric["total"], metric["key"]
    test = total[key]
    said = f"{key} {metric['metric']} {words.number(total['old'][key])} to "
    said += f"{words.number(total['new'][key])} ({words.signed(test['difference'])}"
    p_value = "" if test["p_value"] is None else f", p {words.p_value(test['p_value'])}"
    return f"{verdict(total)}: {said}{p_value})"


def labels_changed(row):
    """The labels by which a document is better or worse."""
    return ", ".join(f"{label} {words.signed(by)}" for label, by in row["labels"].items())


def error(row):
    """What is wrong with an annotation."""
    return (
        row["relation"] if row["error"] == row["relation"] else f"{row['relation']}: {row['error']}"
    )


def side(span):
    """One side of a row: label, place and text; a dash where there is no span."""
    if span is None:
        return words.DASH
    place = "" if span["start"] is None else f" {span['start']}-{span['end']}"
    return f"{span['label']}{place}" + ("" if span["text"] is None else f" {span['text']}")


def elsewhere(row):
    """What the gold span is in the other run."""
    return row.get("before") or row.get("after") or words.DASH


def spans(row):
    """Numbers of spans of a label: in gold, predicted by the old run and by the new one."""
    return [words.number(row[which]) for which in ("gold", "old_pred", "new_pred")]


def errors(counts):
    """Numbers of new and fixed errors."""
    return f"{counts['n_new']} new, {counts['n_fixed']} fixed, {counts['n_both']} in both runs"


TEXT_WIDTH = 48  # signs of a text in a cell


def compare_text(result, *, top=10):
    """All tables of a comparison, as one text.

    Parameters
    ----------
    result : dict
        As `compare` makes it.
    top : int
        How many documents and annotations to list.
    """
    return "\n".join(parts(result, top))


def parts(result, top):
    """The pieces of the text, in order."""
    yield f"\n{shown(headline(result))}\n"
    width = max(len(name) for name, _ in facts(result))
    yield "\n".join(f"  {name:{width}}  {shown(text)}" for name, text in facts(result))
    if result["notes"]:
        yield "\nnotes"
        yield "\n".join(f"  {shown(note)}" for note in result["notes"])
    yield totals(result)
    metric = result["metrics"][0]
    key = f"{metric['key']} {shown(metric['metric'])}"
    if metric["labels"]:
        yield f"{key} by label"
        yield label_table(metric)
    yield f"{key} by document: {documents(metric['documents'])}"
    for which in ("worse", "better"):
        rows = metric["documents"][which][:top]
        if rows:
            yield f"\n{which} most"
            yield document_table(rows)
    yield from error_parts(result, top)
    yield "\nsignatures"
    yield "\n".join(shown(metric["signature"]) for metric in result["metrics"])


def totals(result):
    """Both runs by every metric."""
    header = ["", "", "old", "new", "difference", "interval", "p", ""]
    rows = []
    for metric in result["metrics"]:
        name = shown(metric["metric"]) + (" (bits)" if metric["bits"] else "")
        for row in score_rows(metric, metric["total"]):
            cells = [number(row["old"]), number(row["new"]), signed(row["difference"])]
            cells += [interval(row["interval"]), p_value(row["p_value"]), row["verdict"]]
            rows.append([name, row["score"], *cells])
            name = ""
    aligns = ("l", "l", *"rrrrr", "l")
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def label_table(metric):
    """Both runs by every label; of one that only a run predicts the numbers of spans tell."""
    header = ["label", *SPANS, "old", "new", "difference", "interval", "p Holm"]
    header += ["documents", ""]
    key, rows = metric["key"], []
    for row in metric["labels"]:
        test, counts = row[key], row["documents"]
        cells = [number(row["old"][key]), number(row["new"][key]), signed(test["difference"])]
        cells += [interval(test["interval"]), p_value(test["p_holm"])]
        moved = f"+{counts['n_better']} -{counts['n_worse']}"
        rows.append([cut_text(row["label"]), *spans(row), *cells, moved, verdict(row)])
    aligns = ("l", *"rrrrrrrrr", "l")
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def document_table(rows):
    """Documents with their own scores and what they contribute."""
    header = ["document", "old", "new", "contribution", "labels"]
    body = [
        [
            cut_text(row["document"]),
            number(row["old"]),
            number(row["new"]),
            f"{row['contribution']:+.6f}",
            cut_text(labels_changed(row)),
        ]
        for row in rows
    ]
    return table(body, header=header, divider=True, aligns=tuple("lrrrl"), max_col=60)


def error_parts(result, top):
    """Annotations that are wrong in one run only, and those of documents with low scores."""
    found = result["errors"]
    if found is None:
        yield "\nannotations: not stored in both runs, so errors are not compared"
    else:
        yield f"\nerrors: {errors(found)}"
        for which, other in (("new", "before"), ("fixed", "after")):
            if found[which][:top]:
                yield f"\n{which} errors"
                yield error_table(found[which][:top], other)
    for document in result["verbose"] or ():
        yield f"\n{shown(document['document'])}: {number(document['score'])}"
        if document["errors"]:
            yield error_table(document["errors"])


def error_table(rows, other=None):
    """Annotations, a row each."""
    header = ["document", "error", "gold", "predicted"] + ([other] if other else [])
    body = []
    for row in rows:
        cells = [cut_text(row["document"]), error(row)]
        cells += [cut_text(side(row["gold"])), cut_text(side(row["pred"]))]
        body.append(cells + ([elsewhere(row)] if other else []))
    return table(body, header=header, divider=True, max_col=60)


def cut_text(text):
    """A text from the data, as much of it as a cell has room for."""
    text = shown(text)
    return text if len(text) <= TEXT_WIDTH else f"{text[: TEXT_WIDTH - 3]}..."


CELL_WIDTH = 80  # signs of a text in a cell
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
    lines = [f"### {name(run_name(result['new']))} against {name(run_name(result['old']))}"]
    lines += ["", *(f"> **Failed:** {quiet(text)}\n" for text in result["failures"])]
    lines += list(total_lines(result))
    first = result["metrics"][0]
    counts = f"{documents(first['documents'])} (of {result['n_docs']})"
    lines += [f"By {first['key']} {name(first['metric'])}: {counts}.", ""]
    if result["errors"]:
        lines += [f"Errors: {errors(result['errors'])}.", ""]
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
        for row in score_rows(metric, metric["total"]):
            if row["score"] == metric["key"]:
                rows.append([name(metric["metric"]), row["score"], *score_cells(row)])
                p_cell = p_value(row["p_value"]).replace("<", "&lt;")
                rows[-1] += [p_cell, bold_verdict(metric["total"])]
    return pipe_table(header, rows, left=2)


def score_cells(row):
    """Old, new, difference and its interval."""
    limits = interval(row["interval"]).replace("[", r"\[")
    return [number(row["old"]), number(row["new"]), signed(row["difference"]), limits]


def bold_verdict(row):
    """Better, worse or equal; bold where the test tells the runs apart."""
    return MARKS.get(verdict(row), verdict(row))


def label_lines(metric):
    """Every label of a metric."""
    header = [
        "label",
        *SPANS,
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
        rows.append([name(row["label"]), *spans(row), *cells, p_holm, moved, bold_verdict(row)])
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
                name(labels_changed(row)) if row["labels"] else "",
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
            error(row),
            *("-" if row[which] is None else name(side(row[which])) for which in ("gold", "pred")),
            elsewhere(row),
        ]
        for row in rows
    ]
    return pipe_table(header, body, left=5)


def about_lines(result):
    """What was compared and how."""
    yield from (f"- {title}: {quiet(text)}" for title, text in facts(result))
    yield from ("", HOW_TO_READ, "")
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
    return f"<code>{escaped(cut_cell(text))}</code>"


def raw_name(text):
    """The same where Markdown is not read, so that its escapes would show."""
    return f"<code>{escape(' '.join(shown(cut_cell(text)).split()), quote=False)}</code>"


def cut_cell(text):
    """As much of a text as there is room for."""
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 3] + "..."


def quiet(text):
    """A text outside <code>: nobody is mentioned in it, and no issue."""
    return escaped(text).replace("\\@", "@&#8203;").replace("\\#", "#&#8203;")


WORDS = (
    *(run_name, facts, verdict, score_rows, documents, headline),
    *(labels_changed, error, side, elsewhere, errors),
)


def compare_page(result, *, top=100):
    """A comparison as one HTML page.

    Parameters
    ----------
    result : dict
        As `compare` makes it.
    top : int
        How many documents and annotations each table has.
    """
    from .html import page

    said = {function.__name__: function for function in WORDS}
    return page("compare.html", result=result, said=said, how_to_read=HOW_TO_READ, top=top)
