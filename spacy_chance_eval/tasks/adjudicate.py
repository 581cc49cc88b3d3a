"""Advice on differences: tasks to review them, and a new gold set that resolves them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ..analysis.diff import Diff
from ..corpora.pairs import CorpusPair
from ..formats.corpus import Corpus, Document, Span
from ..formats.errors import PathLike, known
from ..formats.json_text import in_one_line
from ..formats.losses import OF_SPANS
from ..formats.losses import TARGETS as HOLD
from ..formats.outputs import write_atomically
from ..formats.prodigy_out import review_tasks
from ..measures.arrays import IntArray, distinct
from ..measures.differences import CORRECT, RELATIONS
from ..measures.spans import Spans
from ..scoring.counts import Progress, no_progress
from .convert import check_target, write_corpus

TAKES = ("gold", "pred", "both")


_Rows: TypeAlias = Mapping[Span, Mapping[str, Any]]  # features by span


# --- tasks to review


def review_documents(diff: Diff, *, progress: Progress = no_progress) -> Iterator[dict[str, Any]]:
    """Tasks of Prodigy's `review` interface: the documents that the diff shows, in its order.

    Each task shows both annotations in full, as the versions of two annotators, under the names of
    gold and the prediction. Its `meta` has the disagreement (1 - strict F), and how many
    differences of each relation the filter keeps. Documents whose annotations differ only in spans
    that fit no tokens or in features, which a task does not show, are skipped. Features that are
    lists or objects, or have a name of the format, are left out.

    Raises
    ------
    FormatError
        If a task cannot hold a document.
    """
    order = diff.order.tolist()
    documents = [_both_annotations(diff, doc_index) for doc_index in order]
    corpus = Corpus(diff.compared.sources[0], documents, diff.compared.gold.positions)
    disagreement = 1 - diff.strict_f[diff.order]
    steps = progress(enumerate(disagreement.tolist()), len(order), "Tasks to review")

    def about(index: int) -> dict[str, int]:
        counts = dict(zip(RELATIONS, diff.counts[order[index]].tolist()))
        return {name: n for name, n in counts.items() if n and name != RELATIONS[CORRECT]}

    yield from review_tasks(corpus, diff.compared.names, steps, about=about)


def _both_annotations(diff: Diff, doc_index: int) -> Document:
    """A document with the spans of gold and of the prediction, each as a layer of its name."""
    document = diff.compared.gold.documents[doc_index]
    rows = {
        name: _spans_of(spans, range(*np.searchsorted(spans.doc, [doc_index, doc_index + 1])))
        for name, spans in zip(diff.compared.names, (diff.gold, diff.pred))
    }
    own: dict[str, Any] = {"missing": ()}
    own |= {name: {} for name in ("missing_in", "unplaced", "features", "copies")}
    own["features"] = {
        name: {
            span: {key: one for key, one in features.items() if HOLD["prodigy"].features(key, one)}
            for span, features in spans.items()
        }
        for name, spans in rows.items()
    }
    return replace(document, layers={k: list(v) for k, v in rows.items()}, categories={}, **own)


def _spans_of(spans: Spans, rows: Iterable[int]) -> dict[Span, Mapping[str, Any]]:
    """Some spans: {(start, end, label): features}."""
    return {
        (int(spans.start[row]), int(spans.end[row]), spans.labels[spans.label[row]]): (
            {} if spans.features is None else spans.features[row]
        )
        for row in rows
    }


def write_review(diff: Diff, path: PathLike, *, progress: Progress = no_progress) -> int:
    """Number of tasks of `review`, after writing them as JSONL."""
    lines = [in_one_line(task) for task in review_documents(diff, progress=progress)]
    write_atomically(path, lines)
    return len(lines)


# --- a new gold set


@dataclass(frozen=True)
class Resolution:
    """A gold set in which differences are resolved, and in numbers how.

    Parameters
    ----------
    corpus : Corpus
    layer : str
        The one that was changed.
    n_differences, n_docs : int
        Resolved ones, and documents that have any.
    added, removed : int
        Spans that came from the prediction, and spans of gold that left.
    left : int
        Spans that fit no tokens: those of the prediction cannot be taken, those of gold stay.
    """

    corpus: Corpus
    layer: str
    n_differences: int
    n_docs: int
    added: int
    removed: int
    left: int


def resolve(diff: Diff, take: str) -> Resolution:
    """The `Resolution`: gold in which each difference that the filter keeps is resolved in one way.

    Of a pair, `take` chooses its span of gold, its predicted one ("pred"), or "both"; of a missing
    or spurious span, which has no partner, that span or nothing. Features come with their spans;
    where gold and prediction mark the same span with other features, "both" keeps those of gold.
    """
    known(take, TAKES, "choice to take")
    rows, compared = diff.rows, diff.compared
    at = np.flatnonzero(diff.chosen[: len(rows)] & (rows.relation != CORRECT))
    new = rows.pred[at][(rows.pred[at] >= 0) & (take != "gold")]
    old = rows.gold[at][(rows.gold[at] >= 0) & (take == "pred")]
    # what another row with the same place and label keeps stays in the document
    columns = np.stack([diff.gold.doc, diff.gold.start, diff.gold.end, diff.gold.label], axis=1)
    place = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
    old = old[~np.isin(place[old], np.delete(place, old))]
    added, removed = _by_document(diff.pred, new), _by_document(diff.gold, old)
    documents = [
        _edited(document, compared.gold_layer, removed.get(doc_index, {}), added.get(doc_index, {}))
        if doc_index in added or doc_index in removed
        else document
        for doc_index, document in enumerate(compared.gold.documents)
    ]
    corpus = _without_prediction(replace(compared.gold, documents=documents), compared)
    return Resolution(
        corpus,
        compared.gold_layer,
        n_differences=len(at),
        n_docs=len(distinct(rows.doc[at])),
        added=len(new),
        removed=len(old),
        left=int(diff.chosen[len(rows) :].sum()),
    )


def _by_document(spans: Spans, rows: IntArray) -> dict[int, _Rows]:
    """Some spans by index of their document: {index: {(start, end, label): features}}."""
    by_document: dict[int, dict[Span, Mapping[str, Any]]] = {}
    for row, doc_index in zip(rows.tolist(), spans.doc[rows].tolist()):
        by_document.setdefault(doc_index, {}).update(_spans_of(spans, [row]))
    return dict(by_document)


def _edited(document: Document, layer: str, removed: _Rows, added: _Rows) -> Document:
    """The document with other spans in a layer."""
    features = document.features.get(layer, {})
    own = document.layers[layer] or ()
    kept = {row: features.get(row, {}) for row in own if row not in removed}
    spans = {**added, **kept}
    copies = {row: more for row, more in document.copies.get(layer, {}).items() if row in kept}
    return replace(
        document,
        layers={**document.layers, layer: list(spans)},
        features={**document.features, layer: spans},
        copies={**document.copies, layer: copies},
    )


def _without_prediction(corpus: Corpus, compared: CorpusPair) -> Corpus:
    """The corpus without the layer of the prediction, where both come from one file."""
    layer = compared.pred_layer
    if compared.sources[0] != compared.sources[1] or layer == compared.gold_layer:
        return corpus
    kept = {*corpus.layer_names, *corpus.category_layers} - {layer}
    return replace(corpus, documents=corpus.table.with_layers({name: name for name in kept}))


def write_taken(
    diff: Diff, take: str, path: PathLike, keys: Mapping[str, str]
) -> tuple[Resolution, list[str]]:
    """The `Resolution` of a diff, and what got lost when it was written, in words.

    `keys` are those of a file to write, such as its `format`.

    Raises
    ------
    FormatError
        If the format cannot hold the chosen spans, such as those that overlap.
    """
    resolution, keys = resolve(diff, take), check_target(path, keys)
    corpus, layer = resolution.corpus, resolution.layer
    _, lost = write_corpus(corpus, path, keys, layer=layer, refuse=OF_SPANS)
    return resolution, lost
