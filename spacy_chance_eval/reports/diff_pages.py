"""Pages of two annotations and where they differ, and of the errors of ranked systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..analysis.diff import Diff, diff, selected, summary
from ..corpora.pairs import NAMES, CorpusPair
from ..formats import Corpus
from ..formats.documents import pieces_of
from ..formats.outputs import local_path, replaced_folder, write_atomically
from ..formats.paths import name_of
from ..measures.alignment import ROLES
from ..measures.differences import RELATIONS, WRONG_LABEL
from .diff import diff_report, difference_sections, label_table, pair_reason
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
INDEX = "index.html"
DIFF_PAGE_NAMES = r"index\.html|page-[0-9]{4,}\.html"  # files of a folder of differences
ERROR_PAGE_NAMES = r"index\.html|[0-9]{2,}-[a-z0-9-]+\.html"  # files of a folder of a board

# --- differences


def write_diff(
    diff: Diff,
    path: str | Path,
    *,
    back: tuple[str, str] | None = None,
    progress: Callable[[list[Any]], Iterable[Any]] = iter,
) -> None:
    """Write a diff as one self-contained page, or as a folder of pages.

    Parameters
    ----------
    diff : Diff
    path : str or Path
        Ends in .html: one page with the worst 200 documents at most. Else a folder: `index.html`
        with the worst 200, and a page for each 200 more. It takes the place of a folder of such
        pages.
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
        first = diff.order[:PER_PAGE]
        text = diff_page(diff, first, title=title, notes=notes[: n_more > 0])
        write_atomically(target, text)
        return
    pages = pages_of(diff.order.tolist(), "index", "page")
    renderer, links = span_renderer(diff.gold.labels), [back] if back else []
    with replaced_folder(target, DIFF_PAGE_NAMES) as folder:
        for number, (name, doc_indices) in progress([*enumerate(pages.items())]):
            text = diff_page(
                diff,
                doc_indices,
                title=title + f", page {number + 1} of {len(pages)}" * (len(pages) > 1),
                links=[*links, *links_around([*pages], number)],
                addresses=document_addresses(diff),
                overview=not number,
                renderer=renderer,
            )
            write_atomically(folder / name, text)


def diff_page(
    diff: Diff,
    doc_indices: Iterable[int],
    *,
    title: str,
    links: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    overview: bool = True,
    addresses: Mapping[int, str] | None = None,
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
    addresses : mapping of int to str, optional
        Those of all documents; by default of those on the page.
    renderer : SpanRenderer, optional
        One that `span_renderer` made for all labels; share it among pages.
    """
    renderer = renderer or span_renderer(diff.gold.labels)
    doc_indices = [int(doc_index) for doc_index in doc_indices]
    places = addresses or {doc_index: f"#document-{doc_index + 1}" for doc_index in doc_indices}
    about = summary(diff) if overview else selected(diff)
    report = Report(title, "", ())
    if overview:
        named = {diff.names[doc_index]: address for doc_index, address in places.items()}
        report = diff_report(about, title=title, addresses=named)
        shown = f"{quantity(about['n_shown'], 'document')}, {SORT_TITLES['errors']}"
        report = replace(report, details=[*report.details, ("Shown", shown)])
    drawn = documents_section(
        [diff_document(diff, doc_index, renderer) for doc_index in doc_indices],
        selection=about,
        names=diff.compared.names,
        positions=diff.compared.positions,
        notes=notes,
    )
    sections = [*(one for one in report.sections if one.heading != drawn.heading), drawn]
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
        of `analysis.diff.selected`.
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
    drawn = {
        "id": "documents",
        "documents": [*map(_document_values, documents)],
        "selection": selection["selection"],
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
    return document | drawn


def _marks(diff: Diff, document: Result, key: str) -> dict[Span, list[_Mark]]:
    """Relation, row on the page, reason and gold's label of each pair, by span of one side."""
    marks: dict[Span, list[_Mark]] = {}
    for number, pair in enumerate(document["pairs"]):
        span = pair[key]
        if span and span["start"] is not None:
            place = span["start"], span["end"], span["label"]
            row = f"r{document['place'] + 1}-{number}" if number < ROWS else ""
            reason = pair_reason(pair, diff.compared.names)
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


def pages_of(order: Sequence[int], first: str, others: str) -> dict[str, Sequence[int]]:
    """The file of each page of a folder, with the 200 documents at most that it shows."""
    return {
        f"{f'{others}-{number:04}' if number > 1 else first}.html": order[start : start + PER_PAGE]
        for number, start in enumerate(range(0, max(len(order), 1), PER_PAGE), 1)
    }


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


def document_addresses(diff: Diff) -> dict[int, str]:
    """Addresses of the documents of a folder, by index."""
    return {
        doc_index: f"{name}#document-{doc_index + 1}"
        for name, doc_indices in pages_of(diff.order.tolist(), "index", "page").items()
        for doc_index in doc_indices
    }


def _document_values(document: Result) -> TableRow:
    """A document as the templates show it: its first pairs, and how many more there are."""
    pairs, counts = document["pairs"], document["counts"]
    return {
        **document,
        "pairs": pairs[:ROWS],
        "n_more_pairs": max(0, len(pairs) - ROWS),
        "n_wrong": sum(n for relation, n in counts.items() if relation != "correct"),
    }


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
        labels = label_table(about)
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
            Section("", (), [labels]),  # above all
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
