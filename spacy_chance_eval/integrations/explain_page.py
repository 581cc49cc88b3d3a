"""The page of an explanation, with the text of its document drawn by displaCy."""

from pathlib import Path

from ..formats import FormatError
from ..formats.files import write_atomically
from ..report.explain_page import explain_page
from .drawing import drawn, renderer_of


def write_explain_page(result, compared, path):
    """Write what `explain_document` or `explain_corpus` found as one page.

    Parameters
    ----------
    result : dict
    compared : Compared
        What was explained.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    if Path(path).suffix.lower() != ".html":
        raise FormatError("an explanation is one page; name a file that ends in .html", path)
    text = None if "levels" in result else drawn_document(result, compared)
    write_atomically(path, explain_page(result, text))


def drawn_document(result, compared):
    """The text of the document with the chosen labels of both sides."""
    labels = {entry["label"] for entry in result["labels"]}
    sides = []
    for corpus, layer in (
        (compared.gold, compared.gold_layer),
        (compared.pred, compared.pred_layer),
    ):
        spans = corpus.documents[result["place"]].layers.get(layer) or ()
        sides.append({span for span in spans if span[2] in labels})
    wrong = [(start, end) for start, end, _ in sides[0] ^ sides[1]]
    document = compared.gold.documents[result["place"]]
    renderer = renderer_of(compared.aligned()[0].labels)
    return drawn(renderer, document, compared.positions, [sorted(side) for side in sides], wrong)
