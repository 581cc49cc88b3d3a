"""How reports say what a comparison of two runs found. Formatted, never computed."""

from . import words

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
