"""The documents that cost each system most, drawn by displaCy: gold above, prediction below."""

import re
from pathlib import Path

from ..formats import FormatError
from ..formats.files import replaced_folder, write_atomically
from ..report.error_page import error_page
from .drawing import drawn, renderer_of

NAMES = r"[0-9]{2,}-[a-z0-9-]+\.html"  # files of the folder


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
    renderer = renderer_of(labels_of(corpora.values()))
    with replaced_folder(folder, NAMES) as new:
        for number, system in enumerate(result["systems"], 1):
            name = f"{number:02}-{slug(system['name'])}.html"
            pred, pred_layer = corpora[system["name"]]
            documents = [
                one
                | drawn_errors(
                    *(gold.documents[one["place"]], layer),
                    *(pred.documents[one["place"]], pred_layer),
                    renderer,
                )
                for one in system["worst"]
            ]
            write_atomically(new / name, error_page(result, system, documents, board))
            system["errors"] = f"{folder.name}/{name}"


def labels_of(sides):
    """All labels of layers of several corpora."""
    return {
        label
        for corpus, layer in sides
        for document in corpus.documents
        for *_, label in document.layers.get(layer) or ()
    }


def slug(name):
    """A name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "system"


def drawn_errors(gold, layer, pred, pred_layer, renderer):
    """A document as passages: what is drawn, and how the two sides differ there."""
    sides = [set(gold.layers.get(layer) or ()), set(pred.layers.get(pred_layer) or ())]
    missing, spurious = sorted(sides[0] - sides[1]), sorted(sides[1] - sides[0])
    wrong = [(start, end) for start, end, _ in missing + spurious]
    found = drawn(renderer, gold, "token", sides, wrong)
    for passage in found["passages"]:
        start, end = passage["start"], passage["end"]
        for key, rows in (("missing", missing), ("spurious", spurious)):
            passage[key] = [worded(gold, row) for row in rows if start <= row[0] < end]
    return found | {"unplaced": list(pred.unplaced.get(pred_layer, ()))}


def worded(document, row):
    """A span in words."""
    start, end, label = row
    return {"label": label, "text": " ".join(document.words[start:end])}
