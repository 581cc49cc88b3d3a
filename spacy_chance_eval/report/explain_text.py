"""An explanation as plain text for the terminal. Numbers are formatted here, never computed."""

from . import explain_words as words
from . import information_words as information
from .agreement_text import indented, short
from .text import right_aligned
from .words import counted, shown

UNITS = 8  # units of text whose segments are listed
LISTED = 25  # spans and pairs of a label that are listed


def explain_text(result, *, tokens=60, top=10):
    """What `explain_document` or `explain_corpus` found, as one text.

    Parameters
    ----------
    tokens : int
        How many rows the table of tokens has at most; longer documents show those near spans.
    top : int
        How many documents of a corpus are listed.
    """
    parts = corpus_parts(result, top) if "levels" in result else document_parts(result, tokens)
    return "\n".join(parts)


def header(result, title):
    """The title, and what is explained."""
    yield f"\n{title}"
    facts = words.facts(result)
    width = max(len(name) for name, _ in facts)
    yield "\n".join(indented(shown(said), f"  {shown(name):{width}}  ") for name, said in facts)


# --- one document


def document_parts(result, tokens):
    """The pieces of the text about a document, in order."""
    yield from header(result, f"{shown(result['document'])}: {words.size(result)}")
    if result["text"] and result["n"] <= tokens:
        yield f"\n{shown(result['text'])}"
    if not result["labels"][1:]:
        yield "\nneither side has a span in this document"
    for entry in words.entries(result):
        yield f"\n=== {words.title(entry['label'])} ==="
        if entry["label"] is not None:
            yield from span_lists(result, entry)
            yield from token_table(result, entry, tokens)
            yield from start_tables(result, entry)
        yield from level_parts(result, entry)
        yield from slicm_parts(entry)
    yield ""
    yield indented(result["labels"][0]["slicm"]["remark"], "")


def span_lists(result, entry):
    """The spans of both sides."""
    for side, name in zip(("gold", "pred"), result["names"]):
        spans = [f"  {words.span(one)}" for one in entry["spans"][side]]
        spans += [f"  {words.unplaced(length)}" for length in entry["unplaced"][side]]
        yield f"\n{shown(name)}: {counted(len(spans), 'span')}"
        yield from spans[:LISTED]
        yield from more(spans, LISTED, "span")


def more(rows, shown_rows, what):
    """How many rows are not shown."""
    if len(rows) > shown_rows:
        yield f"({counted(len(rows) - shown_rows, f'more {what}')} in the JSON output: -o FILE)"


def token_table(result, entry, tokens):
    """Token by token: what either side marks, and how likely that is by chance."""
    rows, left_out = words.token_rows(result, entry, tokens)
    if not rows or not tokens:
        return
    names = [shown(name) for name in result["names"]]
    cells = [row or [words.GAP, *[""] * 6] for row in rows]
    chance = [f"P({name} covers)" for name in names]
    yield "\nby chance: how likely each side covers a token, and the matches expected there"
    head = ["token", "", *names, *chance, "expected"]
    yield right_aligned(cells, head).rstrip("\n")
    if left_out:
        yield f"({counted(left_out, 'more token')}: --tokens N shows more, -o FILE all)"


def start_tables(result, entry):
    """Where the segments of each unit fall by chance."""
    names = [shown(name) for name in result["names"]]
    for unit in entry["units"][:UNITS]:
        about = (words.lengths(unit, side) for side in ("gold", "pred"))
        place = f"unit [{unit['start']}, {unit['end']}), n = {unit['n']}"
        sides = "; ".join(f"{name}: {said}" for name, said in zip(names, about))
        yield f"\n{place}, lengths {sides}"
        head = ["side", "length", "segments", "places", "P(first start)", "P(middle start)"]
        yield right_aligned(words.start_rows(unit, names), head).rstrip("\n")
    yield from more(entry["units"], UNITS, "unit")
    if any(kind["parents"] for unit in entry["units"] for kind in kinds_of(unit)):
        yield indented(words.INNER, "")


def kinds_of(unit):
    """The kinds of segments of both sides of a unit."""
    return unit["gold"]["kinds"] + unit["pred"]["kinds"]


def level_parts(result, entry):
    """The steps for spans, and for tokens."""
    for level in ("span", "token"):
        yield f"\n{entry[level]['metrics']['f']}"
        if entry["label"] is not None and entry[level]["expected"] is not None:
            yield indented(words.sum_words(result, level), "")
        if level == "span" and entry.get("matches"):
            head = ["length", "gold", "predicted", "expected"]
            yield right_aligned(words.match_rows(entry), head).rstrip("\n")
        yield from steps(words.level_steps(entry[level], level))
        head = ["", "observed", "expected", "corrected"]
        yield right_aligned(words.score_rows(entry[level]), head).rstrip("\n")


def slicm_parts(entry):
    """Pairs, what was lost, and the steps."""
    slicm = entry["slicm"]
    yield f"\n{slicm['metrics']['slicm']}"
    if "prior" in slicm:
        yield information.prior_words(slicm["prior"])
        rows = information.pair_rows(slicm)
        if rows:
            rows = [[*map(short, row[:2]), *row[2:]] for row in rows]
            yield right_aligned(rows[:LISTED], information.PAIRS).rstrip("\n")
            yield from more(rows, LISTED, "span")
    yield from steps(information.slicm_steps(slicm))


def steps(found):
    """One line a step: name = formula = numbers = value."""
    for step in found:
        parts = (step["name"], step["formula"], step["numbers"], step["value"])
        reason = f" ({step['reason']})" if step["reason"] else ""
        yield "  " + " = ".join(part for part in parts if part) + reason


# --- a corpus


def corpus_parts(result, top):
    """The pieces of the text about a corpus, in order."""
    documents = counted(result["n_docs"], "document")
    skipped = f", {result['n_skipped']} skipped: not annotated" if result["n_skipped"] else ""
    yield from header(result, f"Expected agreement of {documents}{skipped}")
    for level, found in result["levels"].items():
        yield f"\n=== {found['total']['metrics']['f']} ==="
        yield from steps(words.level_steps(found["total"], level))
        if found["total"]["reason"]:
            continue
        yield "\nshare of the expected matches by label"
        rows = [words.share_row(row, row["label"]) for row in found["by_label"]]
        yield right_aligned(rows, ["label", *words.SHARES]).rstrip("\n")
        rows = [words.share_row(row, row["document"]) for row in found["documents"][:top]]
        yield "\nshare of the expected matches by document"
        yield right_aligned(rows, ["document", *words.SHARES]).rstrip("\n")
        if len(found["documents"]) > top:
            left_out = counted(len(found["documents"]) - top, "more document")
            yield f"({left_out}: --top N shows more, -o FILE all)"
