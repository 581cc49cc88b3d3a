"""Pages of an agreement: an index, and documents of each pair of annotators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from ..analysis.diff import Diff, diff, summary
from ..corpora.pairs import CorpusPair
from ..formats import Corpus
from ..formats.outputs import local_path, replaced_folder, write_atomically
from ..measures.arrays import Progress
from ..measures.differences import RELATIONS
from ..measures.fragments import have_fragments
from ..measures.panel import Panel
from ..measures.spans import Spans
from .agreement import (
    agreement_report,
    busiest_annotators,
    mark_name,
    pair_section,
    pair_verdict,
)
from .diff import difference_sections
from .diff_pages import INDEX, PER_PAGE, diff_document, documents_section, links_around
from .drawing import span_renderer
from .report import Report, report_page
from .words import Result, TableRow

P = TypeVar("P", covariant=True)
C = TypeVar("C", covariant=True)

AGREEMENT_PAGE_NAMES = r"index\.html|pair-[0-9]{3,}-[0-9]{3,}(-[0-9]{4,})?\.html"  # in a folder
HAVE_GAPS = (
    "no page: it cannot draw discontinuous spans; rewrite them as spans from their first to their "
    "last token, or as a span for each piece"
)


class PanelAgreement(Protocol[P, C]):
    """The agreement of a panel P, and the documents C that it annotated."""

    @property
    def panel(self) -> P: ...

    @property
    def corpus(self) -> C: ...

    def to_dict(self) -> TableRow: ...


def write_agreement(
    agreement: PanelAgreement[Panel | None, Corpus | None],
    path: str | Path,
    *,
    corpus: Corpus | None = None,
    n_docs: int = PER_PAGE,
    progress: Progress | None = None,
) -> None:
    """Write an agreement as a folder of pages, or its index as one self-contained page.

    Parameters
    ----------
    agreement : Agreement
        The result of `agree` or `agree_files`.
    path : str or Path
        A folder: `index.html` with matrices of annotators, and for each pair of them a page of
        documents with both annotations (of a crowd, for the pairs of its busiest annotators). It
        takes the place of a folder of such pages. If it ends in .html: the index alone.
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
    target, panel, result = local_path(path), agreement.panel, agreement.to_dict()
    if target.suffix.lower() == ".html":
        write_atomically(target, report_page(agreement_report(result, None, drawn={})))
        return
    corpus = corpus or agreement.corpus
    if panel is None or corpus is None:
        raise ValueError(
            "pages of pairs need the documents: pass corpus= (for Docs, corpus_of_docs makes it), "
            "or write the index alone: a path that ends in .html"
        )
    shown = set(busiest_annotators(result))
    named = ((pair, {panel.names[number] for number in pair}) for pair in panel.sharing_pairs)
    pairs = [pair for pair, names in named if names <= shown]
    with replaced_folder(target, AGREEMENT_PAGE_NAMES) as folder:
        rows, index = [], DrawnItems(result)
        for pair in progress(pairs, len(pairs), "Pages of pairs") if progress else pairs:
            rows.append(_write_pair(folder, result, panel, corpus, pair, n_docs, index))
        report = agreement_report(result, None, pairs=rows, drawn=index.addresses())
        write_atomically(folder / INDEX, report_page(report))


# --- the index


class DrawnItems:
    """Where the documents or sentences of an index are drawn: for the pair that differs most."""

    def __init__(self, result: Result) -> None:
        self.item_indices = {
            row["place"] for metric in result["metrics"] for row in metric["documents"]
        }
        self._best: dict[int, tuple[float, str, Sequence[str]]] = {}

    def add(self, item_index: int, difference: float, address: str, names: Sequence[str]) -> None:
        """Take note of one that is drawn; it is ignored unless the index lists it."""
        known = self._best.get(item_index)
        if item_index in self.item_indices and (known is None or difference > known[0]):
            self._best[item_index] = difference, address, names

    def addresses(self) -> dict[int, tuple[str, Sequence[str]]]:
        """By index: an address, and the names of the pair."""
        return {index: best[1:] for index, best in self._best.items()}


# --- pages of pairs


@dataclass(frozen=True, eq=False)
class _PanelPair(CorpusPair):
    """Two annotators of a panel, who are aligned already."""

    both: Sequence[Spans] = ()

    def aligned(self) -> tuple[Spans, Spans]:
        """The two as aligned `Spans`."""
        first, second = self.both
        return first, second


def page_names(pair: tuple[int, int], n_pages: int) -> list[str]:
    """The file names of the pages of a pair: annotators by number, not by name."""
    name = "pair-" + "-".join(f"{number + 1:03}" for number in pair)
    return [f"{name}.html", *(f"{name}-{i:04}.html" for i in range(2, n_pages + 1))]


def _write_pair(
    folder: Path,
    result: Result,
    panel: Panel,
    corpus: Corpus,
    pair: tuple[int, int],
    n_docs: int,
    index: DrawnItems,
) -> TableRow:
    """Write the pages of a pair; return its entry in the index."""
    first, second = (panel.names[number] for number in pair)
    row = {"first": first, "second": second, "n_docs": panel.n_shared(*pair)}
    names = (first, second)
    both = panel.pair(*pair)
    if have_fragments(*both):
        nothing = {"n_differing": None, "counts": dict.fromkeys(RELATIONS), "page": None}
        return row | nothing | {"reason": HAVE_GAPS}
    categories = panel.positions == "category"
    found = diff(_PanelPair(corpus, first, corpus, second, names, names, categories, both=both))
    overview = summary(found, scores=False)
    pages = _pair_pages(result, found, overview, pair, n_docs)
    for name, doc_indices, text in pages:
        write_atomically(folder / name, text)
        for doc_index in doc_indices:
            n_errors = int(found.counts[doc_index, 1:].sum())
            index.add(doc_index, n_errors, f"{name}#document-{doc_index + 1}", names)
    row |= {key: overview[key] for key in ("n_differing", "counts")}
    return row | {"page": page_names(pair, 1)[0], "reason": None}


def _pair_pages(
    result: Result, found: Diff, overview: Result, pair: tuple[int, int], n_docs: int
) -> Iterator[tuple[str, list[int], str]]:
    """The pages of a pair as they are made: file name, indices of the documents, HTML."""
    order = found.order[:n_docs] if n_docs else found.order
    files = page_names(pair, -(-len(order) // PER_PAGE))
    names = found.compared.names
    n_docs, positions = int(found.gold.seen.sum()), found.compared.positions
    notes = pair_notes("documents", "most of them", len(order), len(found.order), n_docs)
    counts = ", ".join(f"{n} {relation}" for relation, n in overview["counts"].items())
    differing = f"{n_docs} that both saw, {overview['n_differing']} of them with differences"
    only = f"missing: only {names[0]} did, spurious: only {names[1]}"
    details = [("Documents", differing), (mark_name(result).capitalize(), f"{counts}; {only}")]
    renderer = span_renderer(found.gold.labels)
    for number, name in enumerate(files):
        doc_indices = order[number * PER_PAGE : (number + 1) * PER_PAGE].tolist()
        report = Report(
            " and ".join(names) + f", page {number + 1} of {len(files)}" * (len(files) > 1),
            "",
            (),
            links=[(INDEX, "All annotators"), *links_around(files, number)],
        )
        if number == 0:
            addresses = {found.names[i]: f"#document-{i + 1}" for i in doc_indices}
            sections = difference_sections(overview, addresses)
            report = replace(
                report,
                verdict=pair_verdict(result, names, overview["n_differing"]),
                sections=[pair_section(result, names, n_docs), *sections],
                details=details,
            )
        drawn = documents_section(
            [diff_document(found, doc_index, renderer) for doc_index in doc_indices],
            selection=overview,
            names=names,
            positions=positions,
            notes=notes if number == 0 else [],
        )
        yield name, doc_indices, report_page(replace(report, sections=[*report.sections, drawn]))


def pair_notes(items: str, which: str, n_shown: int, n_differing: int, n_docs: int) -> list[str]:
    """Which documents or sentences of a pair are not on its pages; `which` are those shown."""
    notes = []
    if n_shown < n_differing:
        notes.append(
            f"Shown: {n_shown} of {n_differing} {items} with differences, those with {which}."
        )
    if n_docs > n_differing:
        alike = n_docs - n_differing
        notes.append(f"{items.capitalize()} without a difference, which are not shown: {alike}.")
    return notes
