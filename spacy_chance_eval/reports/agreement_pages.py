"""Pages of an agreement: an index, and documents of each pair of annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from ..analysis.diff import diff, summary
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
    annotator_name,
    busiest_annotators,
    mark_name,
    pair_section,
    pair_verdict,
)
from .diff import difference_sections
from .diff_pages import INDEX, PER_PAGE, diff_document, documents_section, links_around, pages_of
from .drawing import span_renderer
from .report import Report, Section, report_page
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
        write_atomically(target, report_page(agreement_report(result, drawn={})))
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
    steps = progress(pairs, len(pairs), "Pages of pairs") if progress else pairs
    drawn = (_pair_of_spans(result, panel, pair, corpus) for pair in steps)
    write_folder(target, result, drawn, n_docs, agreement_report)


@dataclass(frozen=True)
class PairPages:
    """Two annotators, and what their pages show of the documents in which they differ.

    `row` is their entry in the index, `order` the indices of documents (or sentences) that differ,
    most different first, by their `difference`. `draw` makes sections of some of these: it takes
    their indices, notes, and whether they follow an overview of all.
    """

    numbers: tuple[int, int]
    row: TableRow
    order: Sequence[int] = ()
    difference: Callable[[int], float] = float
    verdict: str = ""
    details: Sequence[tuple[str, str]] = ()
    draw: Callable[[Sequence[int], Sequence[str], bool], list[Section]] = lambda *_: []
    item: str = "document"
    which: str = "most of them"
    how_to_read: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, str]:
        """The names of both."""
        return self.row["first"], self.row["second"]

    def pages(self, result: Result, n_docs: int) -> Iterator[tuple[str, Sequence[int], str]]:
        """The pages as they are made: file name, indices of documents, HTML."""
        order, name = self.order[: n_docs or None], pair_name(self.numbers)
        files = pages_of(order, name, name)
        for number, (name, indices) in enumerate(files.items()):
            several = f", page {number + 1} of {len(files)}" * (len(files) > 1)
            report = Report(
                " and ".join(self.names) + several,
                "",
                self.draw(indices, (), False) if number else (),
                how_to_read=self.how_to_read,
                links=[(INDEX, f"All {annotator_name(result)}s"), *links_around([*files], number)],
            )
            if not number:
                scores = pair_section(result, self.names, self.row["n_docs"])
                sections = [scores, *self.draw(indices, self.notes(len(order)), True)]
                report = replace(
                    report, verdict=self.verdict, sections=sections, details=self.details
                )
            yield name, indices, report_page(report)

    def notes(self, n_shown: int) -> list[str]:
        """Which documents are not on the pages."""
        n_differing, items, notes = len(self.order), f"{self.item}s", []
        if n_shown < n_differing:
            shown = f"{n_shown} of {n_differing} {items} with differences"
            notes.append(f"Shown: {shown}, those with {self.which}.")
        if alike := self.row["n_docs"] - n_differing:
            without = "without a difference, which are not shown"
            notes.append(f"{items.capitalize()} {without}: {alike}.")
        return notes


def write_folder(
    target: Path,
    result: Result,
    pairs: Iterable[PairPages],
    n_docs: int,
    report: Callable[..., Report],
) -> None:
    """Write an index, made by `report`, and pages of pairs.

    Items of the index lead to the pair that differs most.
    """
    listed = {row["place"] for metric in result["metrics"] for row in metric["documents"]}
    rows = []
    best: dict[int, tuple[float, str, Sequence[str]]] = {}
    with replaced_folder(target, AGREEMENT_PAGE_NAMES) as folder:
        for pair in pairs:
            rows.append(pair.row)
            for name, indices, text in pair.pages(result, n_docs) if pair.row["page"] else ():
                write_atomically(folder / name, text)
                for i in listed.intersection(indices):
                    if i not in best or pair.difference(i) > best[i][0]:
                        address = f"{name}#{pair.item}-{i + 1}"
                        best[i] = pair.difference(i), address, pair.names
        drawn = {i: one[1:] for i, one in best.items()}
        write_atomically(folder / INDEX, report_page(report(result, pairs=rows, drawn=drawn)))


@dataclass(frozen=True, eq=False)
class _PanelPair(CorpusPair):
    """Two annotators of a panel, who are aligned already."""

    both: Sequence[Spans] = ()

    def aligned(self) -> tuple[Spans, Spans]:
        """The two as aligned `Spans`."""
        first, second = self.both
        return first, second


def pair_name(pair: tuple[int, int]) -> str:
    """The beginning of the names of the pages of a pair: annotators by number, not by name."""
    return "pair-" + "-".join(f"{number + 1:03}" for number in pair)


def _pair_of_spans(
    result: Result, panel: Panel, numbers: tuple[int, int], corpus: Corpus
) -> PairPages:
    """Two annotators of spans or categories, compared document by document."""
    first, second = names = [panel.names[number] for number in numbers]
    row: TableRow = {"first": first, "second": second, "n_docs": panel.n_shared(*numbers)}
    both = panel.pair(*numbers)
    if have_fragments(*both):
        row |= {"n_differing": None, "counts": dict.fromkeys(RELATIONS)}
        return PairPages(numbers, row | {"page": None, "reason": HAVE_GAPS})
    labels = (first, second), (first, second), panel.positions == "category"
    found = diff(_PanelPair(corpus, first, corpus, second, *labels, both=both))
    overview = summary(found, scores=False)
    renderer = span_renderer(found.gold.labels)

    def draw(indices: Sequence[int], notes: Sequence[str], is_first: bool) -> list[Section]:
        addresses = {found.names[i]: f"#document-{i + 1}" for i in indices}
        drawn = documents_section(
            [diff_document(found, i, renderer) for i in indices],
            selection=overview,
            names=names,
            positions=found.compared.positions,
            notes=notes,
        )
        return [*(difference_sections(overview, addresses) if is_first else ()), drawn]

    row |= {key: overview[key] for key in ("n_differing", "counts")}
    counts = ", ".join(f"{n} {relation}" for relation, n in row["counts"].items())
    differing = f"{row['n_docs']} that both saw, {row['n_differing']} of them with differences"
    only = f"missing: only {first} did, spurious: only {second}"
    return PairPages(
        numbers,
        row | {"page": f"{pair_name(numbers)}.html", "reason": None},
        found.order.tolist(),
        lambda i: int(found.counts[i, 1:].sum()),
        pair_verdict(result, names, row["n_differing"]),
        [("Documents", differing), (mark_name(result).capitalize(), f"{counts}; {only}")],
        draw,
    )
