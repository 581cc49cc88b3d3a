"""Pages of two annotations and where they differ, and of the errors of ranked systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..analysis.diff import COUNTED, Diff, diff, selected, summary
from ..corpora.pairs import NAMES, CorpusPair
from ..formats import Corpus
from ..formats.documents import pieces_of
from ..formats.outputs import local_path, replaced_folder, write_atomically
from ..formats.paths import name_of
from ..measures.alignment import ROLES
from ..measures.differences import RELATIONS, WRONG_LABEL
from .diff import diff_report, difference_sections, label_tables, pair_reason
from .drawing import LEFT_OUT, MarkedLabel, Span, draw_document, span_renderer
from .leaderboard import board_report, errors_verdict, is_corrected
from .report import Column, Report, Section, Table, report_page
from .words import Result, TableRow, quantity, signed

if TYPE_CHECKING:
    from spacy.displacy import SpanRenderer

_Mark: TypeAlias = tuple[int, str, str, str]  # of a `MarkedLabel`

SORT_TITLES = {
    "errors": "most differences first",
    "f": "lowest F first",
    "document": "in the order of the files",
}
PER_PAGE = 200  # documents
ROWS = 1000  # pairs of a document that are shown
LAYER = "spans"  # layer of a single document, for any name of its own
PREVIOUS, NEXT_PAGE = "Previous page", "Next page"
INDEX, PAGE_NAME = "index.html", "page-{:04}.html"
DIFF_PAGE_NAMES = r"index\.html|page-[0-9]{4,}\.html"  # files of a folder of differences
ERROR_PAGE_NAMES = r"index\.html|[0-9]{2,}-[a-z0-9-]+\.html"  # files of a folder of a board

# --- differences


def write_diff(
    diff: Diff,
    path: str | Path,
    *,
    back: tuple[str, str] | None = None,
    progress: Callable[[Iterable[tuple[str, str]]], Iterable[tuple[str, str]]] = iter,
) -> None:
    """Write a diff as one self-contained page, or as a folder of pages.

    Parameters
    ----------
    diff : Diff
    path : str or Path
        Ends in .html: one page with the worst 200 documents at most. Else a folder: `index.html`,
        and if there are more than 200, a page for each 200 documents. It takes the place of a
        folder of such pages.
    back : (str, str), optional
        Address and words of a link to a page above the index of a folder.
    progress : callable
        Wraps the pages of a folder; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    """
    target = local_path(path)
    title = _title(diff.compared)
    if target.suffix.lower() == ".html":
        n_more = len(diff.order) - PER_PAGE
        notes = [
            f"This page holds the first {PER_PAGE} of {len(diff.order)} documents. To get them "
            "all, write into a folder: name one that does not end in .html."
        ]
        text = diff_page(diff, diff.order[:PER_PAGE], title=title, notes=notes[: n_more > 0])
        write_atomically(target, text)
        return
    with replaced_folder(target, DIFF_PAGE_NAMES) as folder:
        for name, text in progress(_Pages(diff, title, back)):
            write_atomically(folder / name, text)


def diff_page(
    diff: Diff,
    doc_indices: Iterable[int],
    *,
    title: str,
    links: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    overview: bool = True,
    pages: Sequence[Result] = (),
    renderer: SpanRenderer | None = None,
) -> str:
    """Documents of a diff as one HTML page.

    Parameters
    ----------
    doc_indices : iterable of int
        Which documents, in this order: up to 200 of `diff.order`.
    links : sequence of (str, str)
        Addresses and words of links to other pages.
    overview : bool
        Whether to begin with scores, confusion of labels and kinds of errors of the whole corpus.
    pages : sequence of dict
        The pages of the folder, if this is its index.
    renderer : SpanRenderer, optional
        One that `span_renderer` made for all labels; share it among pages.
    """
    renderer = renderer or span_renderer(diff.gold.labels)
    doc_indices = [int(doc_index) for doc_index in doc_indices]
    addresses = {diff.names[doc_index]: f"#document-{doc_index + 1}" for doc_index in doc_indices}
    elsewhere = document_addresses(diff) if pages else {}
    addresses |= {diff.names[doc_index]: address for doc_index, address in elsewhere.items()}
    about = summary(diff) if overview else {**selected(diff), "beta": diff.beta}
    report = Report(title, "", ())
    if overview:
        report = diff_report(about, title=title, addresses=addresses)
        shown = f"{quantity(about['n_shown'], 'document')}, {SORT_TITLES['errors']}"
        report = replace(report, details=[*report.details, ("Shown", shown)])
    drawn = documents_section(
        [diff_document(diff, doc_index, renderer) for doc_index in doc_indices],
        selection=about,
        names=diff.compared.names,
        positions=diff.compared.positions,
        notes=notes,
    )
    last = Section("Pages of documents", (), [_pages_table(pages)]) if pages else drawn
    sections = [*(one for one in report.sections if one.heading != last.heading), last]
    return report_page(replace(report, sections=sections, links=links))


def documents_section(
    documents: Iterable[Result],
    *,
    selection: Result,
    names: Sequence[str],
    positions: str,
    notes: Sequence[str] = (),
) -> Section:
    """Documents as pages draw them, under a legend that filters them.

    Parameters
    ----------
    documents : iterable of dict
        Documents with their differences and drawn passages, made by `diff_document`.
    selection : dict
        Numbers of all labels and documents that are compared, also those on other pages: the result
        of `analysis.diff.selected` with the `beta` of F.
    names : (str, str)
        Names of gold and the prediction on the page.
    positions : "token", "char" or "category"
        Unit of offsets.
    notes : sequence of str
        What to know of them.
    """
    documents = list(documents)
    choices = sorted(row["label"] for row in selection["by_label"])
    others = {
        side["label"]
        for document in documents
        for pair in document["pairs"]
        for side in (pair["gold"], pair["pred"])
        if side
    }
    labels = {label: i for i, label in enumerate([*choices, *sorted(others.difference(choices))])}
    numbers = {"beta": selection["beta"], "numbers": _encoded(selection, labels)}
    drawn = {
        "id": "documents",
        "documents": [_document_values(document, labels) for document in documents],
        "selection": {**selection["selection"], **numbers},
        "names": names,
        "positions": positions,
        "labels": labels,
        "choices": choices,
        "relations": {relation: i for i, relation in enumerate(RELATIONS)},
        "orders": list(SORT_TITLES.items()),
    }
    return Section("Documents", notes, drawn=drawn)


def diff_document(diff: Diff, doc_index: int, renderer: SpanRenderer) -> TableRow:
    """One document: its counts and pairs, and its text with the spans of both, by relation."""
    compared, document = diff.compared, diff.document(doc_index)
    sides = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    documents = [(corpus.documents[doc_index], layer) for corpus, layer in sides]
    rows: list[Collection[Any]] = [
        (one.categories if compared.categories else one.layers).get(layer) or ()
        for one, layer in documents
    ]
    if not compared.categories:
        rows = [_marked(spans, _marks(diff, document, key)) for key, spans in zip(ROLES, rows)]
    wrong = [
        (side["start"], side["end"])
        for pair in document["pairs"]
        if pair["relation"] != "correct"
        for side in (pair["gold"], pair["pred"])
        if side and side["start"] is not None
    ]
    drawn = draw_document(renderer, documents[0][0], compared.positions, rows, wrong)
    return document | selected(diff, doc_index) | drawn


def _marks(diff: Diff, document: Result, key: str) -> dict[Span, list[_Mark]]:
    """Relation, row on the page, reason and gold's label of each pair, by span of one side."""
    marks: dict[Span, list[_Mark]] = {}
    for number, pair in enumerate(document["pairs"]):
        span = pair[key]
        if span and span["start"] is not None:
            place = span["start"], span["end"], span["label"]
            row = f"r{document['place'] + 1}-{number}" if number < ROWS else ""
            reason = pair_reason(pair, diff.compared.names, diff.compared.positions)
            relation = RELATIONS.index(pair["relation"])
            is_other = relation == WRONG_LABEL and key == "pred"
            other = pair["gold"]["label"] if is_other else ""
            marks.setdefault(place, []).append((relation, row, reason, other))
    return marks


def _marked(spans: Iterable[Span], marks: Mapping[Span, list[_Mark]]) -> list[Span]:
    """Spans with labels that carry their relations, or are marked as excluded by the filter."""
    rows: list[Span] = []
    used = Counter[Span]()
    for start, end, label in spans:
        place = start, end, label
        found = marks.get(place, [(LEFT_OUT, "", "", "")])
        rows.append((start, end, MarkedLabel(label, *found[min(used[place], len(found) - 1)])))
        used[place] += 1
    return rows


class _Pages:
    """Pairs (file name, HTML) of a folder, made as they are gone through; `len` is their number."""

    def __init__(self, diff: Diff, title: str, back: tuple[str, str] | None = None) -> None:
        self.diff, self.title, self.back = diff, title, back

    def __len__(self) -> int:
        return 1 if _is_one_page(self.diff) else 1 + -(-len(self.diff.order) // PER_PAGE)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        diff, pages = self.diff, _page_rows(self.diff)
        above = [self.back] if self.back else []
        if _is_one_page(diff):
            yield INDEX, diff_page(diff, diff.order, title=self.title, links=above)
            return
        yield INDEX, diff_page(diff, (), title=self.title, links=above, pages=pages)
        addresses = [row["address"] for row in pages]
        renderer = span_renderer(diff.gold.labels)
        for number, row in enumerate(pages, 1):
            text = diff_page(
                diff,
                diff.order[(number - 1) * PER_PAGE : number * PER_PAGE],
                title=f"{self.title}, page {number} of {len(pages)}",
                links=[(INDEX, "Index"), *links_around(addresses, number - 1)],
                overview=False,
                renderer=renderer,
            )
            yield row["address"], text


def _is_one_page(diff: Diff) -> bool:
    """Whether a folder is its index alone, which has the documents."""
    return len(diff.order) <= PER_PAGE


def _title(compared: CorpusPair) -> str:
    """The title of a page, with the names of gold and the prediction or of their files."""
    names: Iterable[str] = compared.names
    if compared.names == NAMES:
        names = dict.fromkeys(name_of(source).name for source in compared.sources)
    return f"Differences {'between' if len([*names]) > 1 else 'in'} {' and '.join(names)}"


def links_around(addresses: Sequence[str], place: int) -> list[tuple[str, str]]:
    """The links to the previous and the next of several pages."""
    before, after = addresses[:place][-1:], addresses[place + 1 :][:1]
    return [(one, PREVIOUS) for one in before] + [(one, NEXT_PAGE) for one in after]


def _pages_table(pages: Sequence[Result]) -> Table:
    """The pages of a folder."""
    columns = [
        Column("page", "page", str, link="address"),
        Column("documents", "documents", str),
        Column("differences", "differences", str),
        Column("first_name", "first document", str),
        Column("last_name", "last document", str),
    ]
    return Table(f"All documents that are shown, {SORT_TITLES['errors']}", columns, pages)


def _page_rows(diff: Diff) -> list[TableRow]:
    """The pages of a folder as rows of its index."""
    rows = []
    for number, start in enumerate(range(0, len(diff.order), PER_PAGE), 1):
        doc_indices = diff.order[start : start + PER_PAGE]
        wrong = diff.counts[doc_indices, 1:].sum(axis=1)
        rows.append(
            {
                "address": PAGE_NAME.format(number),
                "page": f"Page {number}",
                "documents": f"{start + 1} to {start + len(doc_indices)}",
                "differences": " to ".join(map(str, dict.fromkeys([wrong.max(), wrong.min()]))),
                "first_name": diff.names[doc_indices[0]],
                "last_name": diff.names[doc_indices[-1]],
            }
        )
    return rows


def document_addresses(diff: Diff) -> dict[int, str]:
    """Addresses of the documents of a folder, by index."""
    one = _is_one_page(diff)
    addresses = {}
    for i, doc_index in enumerate(diff.order.tolist()):
        page = INDEX if one else PAGE_NAME.format(1 + i // PER_PAGE)
        addresses[doc_index] = f"{page}#document-{doc_index + 1}"
    return addresses


def _document_values(document: Result, labels: Mapping[str, int]) -> TableRow:
    """A document as the templates show it: its first pairs, and how many more there are."""
    pairs, counts = document["pairs"], document["counts"]
    return {
        **document,
        "pairs": pairs[:ROWS],
        "n_more_pairs": max(0, len(pairs) - ROWS),
        "n_wrong": sum(n for relation, n in counts.items() if relation != "correct"),
        "numbers": _encoded(document, labels),
    }


def _encoded(selection: Result, labels: Mapping[str, int]) -> str:
    """The numbers `COUNTED` for the script of pages, as ":3,0,1,0,2,6,4;0:3,0,0,0,2,5,3".

    Numbers of all labels together come first.
    """
    rows: list[tuple[int | str, Result]] = [("", selection["selection"])]
    rows += [(labels[row["label"]], row) for row in selection["by_label"]]
    return ";".join(f"{i}:{','.join(str(row[key]) for key in COUNTED)}" for i, row in rows)


# --- errors of ranked systems


def write_board_pages(
    result: TableRow, corpora: Mapping[str | None, tuple[Corpus, str]], path: str | Path
) -> None:
    """Write a board as a folder of pages: `index.html`, and one of the errors of each system.

    Parameters
    ----------
    result : dict
        A leaderboard of files, with worst documents.
    corpora : mapping
        The corpus and the layer of each system by its name; those of gold by None.
    path : str or Path
        It takes the place of a folder of such pages.

    Raises
    ------
    FormatError
        If a page cannot be written; then no old page is lost.
    """
    result = {**result, "systems": [*map(dict, result["systems"])]}  # links of these pages alone
    with replaced_folder(path, ERROR_PAGE_NAMES) as new:
        for number, system in enumerate(result["systems"], 1):
            name = f"{number:02}-{slug(system['name'])}.html"
            report = error_report(result, system, corpora[None], corpora[system["name"]])
            write_atomically(new / name, report_page(report))
            system["errors"] = name
        write_atomically(new / INDEX, report_page(board_report(result)))


def error_report(
    result: Result, system: Result, gold: tuple[Corpus, str], pred: tuple[Corpus, str]
) -> Report:
    """One system's errors by label and kind, and its worst documents with what each costs.

    Parameters
    ----------
    result : dict
        A leaderboard of files.
    system : dict
        One of its systems.
    gold, pred : (Corpus, str)
        The corpora with the same documents, and their layers.
    """
    board, worst = result["boards"][0], system["worst"]
    score = "corrected " * is_corrected(board) + board["metric"]
    cost = f"how much its {score} would improve without the document"
    sections = []
    if worst:
        one, two = (_in_pieces(*side) for side in (gold, pred))
        names = "gold", system["name"]
        found = diff(CorpusPair(one, LAYER, two, LAYER, ("", ""), names))
        addresses = {row["name"]: f"#document-{row['place'] + 1}" for row in worst}
        about = summary(found, scores=False)
        labels = [table for table in label_tables(about) if table.rows]
        renderer = span_renderer(found.gold.labels)
        drawn = [diff_document(found, row["place"], renderer) for row in worst]
        rows = [
            {"name": row["name"], "address": addresses[row["name"]], "cost": row["cost"]}
            | one["counts"]
            for row, one in zip(worst, drawn)
        ]
        columns = [
            Column("name", "document", str, link="address"),
            Column("cost", "cost", partial(signed, digits=4)),
            *(Column(relation, relation) for relation in RELATIONS),
        ]
        positions = one.positions
        sections = [
            Section("Labels" * (len(labels) > 1), (), labels),  # the first one is above all
            *difference_sections(about, addresses),
            Section("Costs", (), [Table(f"Cost: {cost}", columns, rows)]),
            documents_section(drawn, selection=about, names=names, positions=positions),
        ]
    shown = f"{result['title']}: errors of all, and those {len(worst)} that cost most"
    return Report(
        f"Errors of {system['name']}",
        errors_verdict(board, system, worst),
        sections,
        [("Documents", shown)],
        links=[(INDEX, "Back to the board")],
    )


def slug(name: str) -> str:
    """A name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "system"


def _in_pieces(corpus: Corpus, layer: str) -> Corpus:
    """A corpus in which parts of discontinuous spans are spans of their own."""
    documents = []
    for one in corpus.documents:
        spans = one.layers.get(layer)
        pieces = {(*piece, span[2]) for span in spans or () for piece in pieces_of(span)}
        layers = {LAYER: None if spans is None else tuple(sorted(pieces))}
        unplaced = {LAYER: one.unplaced.get(layer, ())}
        documents.append(replace(one, layers=layers, unplaced=unplaced))
    return Corpus("", documents, corpus.positions)
