"""Agreement as a folder of pages: an index with matrices of annotators, and pages of each pair.

Pairs come one after the other, so that memory holds the differences of one of them.
"""

from dataclasses import dataclass

from ..compared import Compared
from ..diff import diff
from ..diff_tables import summary
from ..formats.files import replaced_folder, write_atomically
from ..formats.paths import path_of
from ..measures.differences import RELATIONS
from ..report.agreement_page import agreement_index, pair_tables
from ..report.agreement_words import marked
from ..report.diff_page import documents_page
from .diff_pages import MOST, document_of
from .drawing import renderer_of

INDEX = "index.html"
NAMES = r"index\.html|pair-[0-9]{3,}-[0-9]{3,}(-[0-9]{4,})?\.html"  # files of the folder
NO_SHARED = "no document that both saw"


@dataclass(frozen=True, eq=False)
class PanelPair(Compared):
    """Two annotators of a panel, who are aligned already."""

    both: tuple = ()

    def aligned(self):
        """The two as aligned `Spans`."""
        return self.both


def write_agreement(agreement, path, *, corpus=None, n_docs=MOST, progress=None):
    """Write an agreement as a folder of pages, or its index as one self-contained page.

    Parameters
    ----------
    agreement : Agreement
        As `agree` and `agree_files` return it.
    path : str or Path
        A folder: `index.html` with matrices of annotators, and for each pair of them a page of
        documents with both annotations. It takes the place of a folder of such pages. If it ends in
        .html: the index alone.
    corpus : Corpus, optional
        The documents, with a layer for each annotator; by default those of the agreement. For Docs,
        `integrations.panels.corpus_of_docs` makes it.
    n_docs : int
        How many documents of a pair are shown, those with most differences first; 0: all that
        differ. A page has 200 at most.
    progress : callable, optional
        progress(steps, total, what) wraps the pairs; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    ValueError
        If the documents are not known.

    Examples
    --------
    >>> import spacy
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from spacy_chance_eval import agree
    >>> from spacy_chance_eval.integrations.panels import corpus_of_docs, panel_of_docs
    >>> doc = spacy.blank("en")("Ada met Bob in Oslo")
    >>> doc.spans["alice"] = [doc.char_span(0, 3, "PER"), doc.char_span(15, 19, "LOC")]
    >>> doc.spans["bob"] = [doc.char_span(0, 3, "PER")]
    >>> layers = ["spans:alice", "spans:bob"]
    >>> found = agree(panel_of_docs([doc], layers))
    >>> with TemporaryDirectory() as folder:
    ...     write_agreement(found, folder, corpus=corpus_of_docs([doc], layers))
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['index.html', 'pair-001-002.html']
    """
    path, panel, result = path_of(path), agreement.panel, agreement.to_dict()
    if path.suffix.lower() == ".html":
        write_atomically(path, agreement_index(result))
        return
    corpus = corpus or agreement.corpus
    if panel is None or corpus is None:
        raise ValueError(
            "pages of pairs need the documents: pass corpus= (of Docs as corpus_of_docs makes it), "
            "or write the index alone: a path that ends in .html"
        )
    wanted = {row["place"] for metric in result["metrics"] for row in metric["documents"]}
    watch = progress or (lambda steps, total=None, what="": steps)
    numbers = panel.pairs()
    with replaced_folder(path, NAMES) as folder:
        rows, shown = [], Shown(wanted)
        for pair in watch(numbers, len(numbers), "Pages of pairs"):
            row, pages, found = pair_pages(result, panel, corpus, pair, n_docs)
            for name, places, page in pages:
                write_atomically(folder / name, page)
                shown.add(name, places, found, row)
            rows.append(row)
        write_atomically(folder / INDEX, agreement_index(result, rows, shown.addresses()))


class Shown:
    """Where the documents of an index are drawn: on the page of the pair that differs most."""

    def __init__(self, wanted):
        self.wanted, self.best = wanted, {}

    def add(self, page, places, found, row):
        """Take note of a page's documents."""
        for place in self.wanted.intersection(places):
            n_errors = int(found.counts[place, 1:].sum())
            if n_errors > self.best.get(place, (0,))[0]:
                address = f"{page}#document-{place + 1}"
                self.best[place] = n_errors, address, (row["first"], row["second"])

    def addresses(self):
        """By place of a document: its address, and the names of the pair."""
        return {place: found[1:] for place, found in self.best.items()}


def pair_pages(result, panel, corpus, pair, n_docs):
    """What the index says of a pair, its pages as they are made, and its `Diff`.

    Pages are triples of a file name, the places of the documents, and HTML.
    """
    names = [panel.names[number] for number in pair]
    row = {"first": names[0], "second": names[1], "n_docs": panel.n_shared(*pair)}
    row |= {"n_differing": None, "counts": dict.fromkeys(RELATIONS), "page": None}
    if not row["n_docs"]:
        return row | {"reason": NO_SHARED}, (), None
    categories = panel.positions == "category"
    sides = corpus, names[0], corpus, names[1]
    found = diff(PanelPair(*sides, names, names, categories, panel.pair(*pair)))
    overview = summary(found, scores=False)
    row |= {key: overview[key] for key in ("n_differing", "counts")}
    row |= {"page": page_name(pair, 1), "reason": None}
    return row, documents_pages(result, found, overview, pair, n_docs), found


def documents_pages(result, found, overview, pair, n_docs):
    """The pages of a pair, made as they are gone through."""
    order = found.order[:n_docs] if n_docs else found.order
    starts = range(0, max(1, len(order)), MOST)
    files = [page_name(pair, number) for number, _ in enumerate(starts, 1)]
    names = found.compared.names
    title = f"{names[0]} and {names[1]}"
    tables = pair_tables(result, names)
    notes = list(notes_of(found, len(order)))
    renderer = renderer_of(found.gold.labels)
    for number, (start, name) in enumerate(zip(starts, files)):
        places = order[start : start + MOST].tolist()
        page = documents_page(
            None if number else overview,
            [document_of(found, place, renderer) for place in places],
            names=names,
            positions=found.compared.positions,
            sort=found.sort,
            template="agreement_pair.html",
            title=title if len(files) == 1 else f"{title}, page {number + 1} of {len(files)}",
            back=(INDEX, "All annotators"),
            notes=[] if number else notes,
            pages=[],
            around=(files[number - 1] if number else None, (files[number + 1 :] or [None])[0]),
            addresses={found.names[place]: f"#document-{place + 1}" for place in places},
            marked=marked(result),
            **tables,
        )
        yield name, places, page


def notes_of(found, n_shown):
    """Which documents of a pair are not on its pages, in words."""
    if n_shown < len(found.order):
        yield (
            f"Shown: {n_shown} of {len(found.order)} documents with differences, those with most "
            "of them (--html-docs 0 shows all)."
        )
    alike = int(found.gold.seen.sum()) - len(found.order)
    if alike:
        yield f"Documents without a difference, which are not shown: {alike}."


def page_name(pair, number):
    """The file name of a page of a pair: annotators by number, whatever their names are."""
    first, second = (place + 1 for place in pair)
    more = f"-{number:04}" if number > 1 else ""
    return f"pair-{first:03}-{second:03}{more}.html"
