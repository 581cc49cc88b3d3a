"""The documents that cost each system most, drawn by displaCy: gold above, prediction below."""

import re
import shutil
import uuid
from html import escape
from pathlib import Path

from spacy import displacy

from ..formats import FormatError
from ..formats.files import write_atomically
from ..report.error_page import error_page

PALETTE = ("#8ecae6", "#ffd166", "#95d5b2", "#f4a6a0", "#cdb4db", "#e9c46a", "#a8dadc", "#d0d0d0")
LONGEST = 60  # tokens of a passage, where nothing tells the sentences


def write_error_pages(result, corpora, prefix, *, back=True):
    """Write a page a system into the folder PREFIX_errors, and put its link into the result.

    Parameters
    ----------
    result : dict
        As `rank.rank_files` makes it; `errors` of its systems are set.
    corpora : dict
        As `rank.rank_files` makes it.
    prefix : str or Path
    back : bool
        Whether there will be a board PREFIX.html to go back to.

    Raises
    ------
    FormatError
        For gold without tokens, or if a page cannot be written; then no old page is lost.
    """
    gold, layer = corpora[None]
    if gold.positions != "token":
        raise FormatError("pages of errors need tokens", gold.path)
    folder = Path(f"{prefix}_errors")
    board = f"../{Path(prefix).name}.html" if back else None
    pages = {}
    for number, system in enumerate(result["systems"], 1):
        name = f"{number:02}-{slug(system['name'])}.html"
        pred, pred_layer = corpora[system["name"]]
        documents = [
            drawn(gold.documents[one["place"]], layer, pred.documents[one["place"]], pred_layer)
            | one
            for one in system["worst"]
        ]
        pages[name] = error_page(result, system, documents, board)
        system["errors"] = f"{folder.name}/{name}"
    replace_folder(folder, pages)


def slug(name):
    """A name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "system"


def replace_folder(folder, pages):
    """Write all pages into a new folder that takes the place of an old one of ours."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    new.mkdir()
    try:
        for name, text in pages.items():
            write_atomically(new / name, text)
        strange = [one for one in folder.glob("*") if not re.fullmatch(r"\d+-.*\.html", one.name)]
        if strange:
            raise FormatError(f"not a folder of these pages ({strange[0].name}); move it", folder)
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def drawn(gold, layer, pred, pred_layer):
    """A document as passages: their markup, and whether the two sides differ there."""
    sides = [set(gold.layers.get(layer) or ()), set(pred.layers.get(pred_layer) or ())]
    labels = sorted({label for rows in sides for *_, label in rows})
    colors = {escape(label): PALETTE[i % len(PALETTE)] for i, label in enumerate(labels)}
    passages = []
    for start, end in passages_of(gold, sides[0] | sides[1]):
        rows = [{row for row in side if start <= row[0] < end} for side in sides]
        markup = [markup_of(gold.words[start:end], side, start, colors) for side in rows]
        missing, spurious = sorted(rows[0] - rows[1]), sorted(rows[1] - rows[0])
        passages.append(
            {
                "gold": markup[0],
                "pred": markup[1],
                "missing": [worded(gold, row) for row in missing],
                "spurious": [worded(gold, row) for row in spurious],
            }
        )
    return {"passages": passages, "unplaced": list(pred.unplaced.get(pred_layer, ()))}


def worded(document, row):
    """A span in words."""
    start, end, label = row
    return {"label": label, "text": " ".join(document.words[start:end])}


def passages_of(document, rows):
    """Sentences, or stretches of tokens; those that a span crosses are one passage."""
    size = len(document.words)
    cuts = set(document.sents) if len(document.sents) > 1 else set(range(0, size, LONGEST))
    inside = {place for start, end, _ in rows for place in range(start + 1, end)}
    cuts = sorted(({0} | cuts) - inside | {size}) if size else []
    return list(zip(cuts, cuts[1:]))


def markup_of(words, rows, offset, colors):
    """Words with their spans, as displaCy draws them. It escapes words, but not labels."""
    spans = [
        {"start_token": start - offset, "end_token": end - offset, "label": escape(label)}
        for start, end, label in sorted(rows)
    ]
    parsed = {"text": " ".join(words), "tokens": list(words), "spans": spans}
    options = {"colors": colors}
    return displacy.render(parsed, style="span", manual=True, options=options, jupyter=False)
