"""A comparison of two runs as plain tables for the terminal. Formatted here, never computed."""

from wasabi import table

from . import compare_words as said
from .words import interval, number, p_value, shown, signed

LONGEST = 48  # signs of a text in a cell


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
    yield f"\n{shown(said.headline(result))}\n"
    width = max(len(name) for name, _ in said.facts(result))
    yield "\n".join(f"  {name:{width}}  {shown(text)}" for name, text in said.facts(result))
    if result["notes"]:
        yield "\nnotes"
        yield "\n".join(f"  {shown(note)}" for note in result["notes"])
    yield totals(result)
    metric = result["metrics"][0]
    key = f"{metric['key']} {shown(metric['metric'])}"
    if metric["labels"]:
        yield f"{key} by label"
        yield label_table(metric)
    yield f"{key} by document: {said.documents(metric['documents'])}"
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
        for row in said.score_rows(metric, metric["total"]):
            cells = [number(row["old"]), number(row["new"]), signed(row["difference"])]
            cells += [interval(row["interval"]), p_value(row["p_value"]), row["verdict"]]
            rows.append([name, row["score"], *cells])
            name = ""
    aligns = ("l", "l", *"rrrrr", "l")
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def label_table(metric):
    """Both runs by every label; of one that only a run predicts the numbers of spans tell."""
    header = ["label", *said.SPANS, "old", "new", "difference", "interval", "p Holm"]
    header += ["documents", ""]
    key, rows = metric["key"], []
    for row in metric["labels"]:
        test, counts = row[key], row["documents"]
        cells = [number(row["old"][key]), number(row["new"][key]), signed(test["difference"])]
        cells += [interval(test["interval"]), p_value(test["p_holm"])]
        moved = f"+{counts['n_better']} -{counts['n_worse']}"
        rows.append([cut(row["label"]), *said.spans(row), *cells, moved, said.verdict(row)])
    aligns = ("l", *"rrrrrrrrr", "l")
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def document_table(rows):
    """Documents with their own scores and what they contribute."""
    header = ["document", "old", "new", "contribution", "labels"]
    body = [
        [
            cut(row["document"]),
            number(row["old"]),
            number(row["new"]),
            f"{row['contribution']:+.6f}",
            cut(said.labels_changed(row)),
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
        yield f"\nerrors: {said.errors(found)}"
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
        cells = [cut(row["document"]), said.error(row)]
        cells += [cut(said.side(row["gold"])), cut(said.side(row["pred"]))]
        body.append(cells + ([said.elsewhere(row)] if other else []))
    return table(body, header=header, divider=True, max_col=60)


def cut(text):
    """A text from the data, as much of it as a cell has room for."""
    text = shown(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
