"""Spans with random errors: written to a file, and the scores that they have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.jobs import Asked
from ..corpora.panels import PanelOptions, read_annotator
from ..formats.corpus import Corpus
from ..formats.documents import SEEN, Document, Span
from ..formats.errors import FormatError, PathLike
from ..formats.paths import path_text
from ..measures.chance.expectation import are_disjoint
from ..measures.perturbation import ERRORS, perturb_spans
from ..measures.spans import Spans
from ..metrics.catalog import CATALOG
from ..metrics.request import Request
from ..scoring.evaluation import evaluate
from .convert import offsets_note, write_corpus
from .perturb import ALL, PROBABILITIES, RUNS, Perturbation, check_sample, curves, left_out, sample

# before and after correction for chance
SPAN_ERROR_METRICS = (
    *(f"{name}_f(chance=none)" for name in ("span", "token", "bcubed", "int")),
    "slicm_norm",
    "span_f",
    "token_f",
)
DOCS = 500


def perturb_corpus(
    path: PathLike,
    *,
    kinds: Sequence[str] = ERRORS,
    docs: int = DOCS,
    asked: Asked | None = None,
    reading: PanelOptions | None = None,
    annotator: str | None = None,
    probabilities: Sequence[float] = PROBABILITIES,
    runs: int = RUNS,
    seed: int = 0,
    draws: int = 1000,
    progress: Callable[..., Iterable[Any]] = iter,
) -> Perturbation:
    """Scores of spans with random errors of each kind against the spans themselves.

    Parameters
    ----------
    path : str or Path
        [NAME=]PATH[#LAYER] of a file or folder of any format.
    kinds : sequence of str
        The kinds of errors of `perturb_spans`.
    docs : int
        How many annotated documents are drawn, without replacement; 0: all.
    asked : Asked, optional
        The metrics; "all" are those of the catalog that this annotation allows.
    reading : PanelOptions, optional
        By default a file is the work of one annotator.
    annotator : str, optional
        The one whose spans are meant, of several.
    probabilities : sequence of float
        Each the probability of an error for every span.
    runs, seed : int
    draws : int
        Number of random annotations, where an expectation has no formula.
    progress : callable
        Wraps the list of all steps; for progress bars.

    Returns
    -------
    Perturbation
        `corpus` (the path), `layer`, `positions`, `n_all` and `n_docs` (documents, and those that
        were drawn), `n_tokens`, `n_spans`, `n_labels`, `runs`, `seed`, `probabilities`, `kinds`,
        `metrics`, `requests`, `notes` (metrics that were left out), `version`, `changed` (by kind
        the share of spans that are not there any more, for each probability), and `rows` as those
        of `experiment`, in which `noise` is the kind.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read, without spans, and metrics of trees.
    """
    check_sample(docs, "docs")
    corpus, layer = read_annotator(path, reading, annotator)
    seen = np.flatnonzero(corpus.table.layer(layer).state == SEEN)
    drawn = sample(seen, docs, np.random.default_rng(seed))
    gold = replace(corpus, documents=corpus.table.taken(drawn)).spans(layer)
    _check_spans(gold, corpus)
    requests, notes = _requests(asked or Asked(), gold, corpus.positions, draws, seed)
    changed: dict[tuple[str, float], list[float]] = {}

    def scores(kind: str, probability: float, rng: np.random.Generator) -> dict[str, Any]:
        noisy = perturb_spans(gold, {kind: probability}, rng)
        changed.setdefault((kind, probability), []).append(_share_changed(gold, noisy))
        found = evaluate(gold, noisy, requests, draws=draws, seed=seed)
        return {name: score.value for name, score in found.items()}

    rows = curves(scores, kinds, probabilities, runs, seed, progress)
    return Perturbation(
        {
            **_described(path, corpus, layer, gold),
            "n_all": len(seen),
            "runs": runs,
            "seed": seed,
            "probabilities": list(probabilities),
            "kinds": list(kinds),
            "changed": {
                kind: [float(np.mean(changed[kind, p])) for p in probabilities] for kind in kinds
            },
            "metrics": list(requests),
            "requests": list(map(str, requests.values())),
            "rows": rows,
            "notes": notes,
            **left_out(corpus.notes),
            "version": __version__,
        }
    )


def write_perturbed(
    path: PathLike,
    target: PathLike | None,
    errors: Mapping[str, float],
    *,
    to: str = "jsonl",
    asked: Asked | None = None,
    reading: PanelOptions | None = None,
    annotator: str | None = None,
    seed: int = 0,
    draws: int = 1000,
    warn: Callable[[str], object] = lambda sentence: None,
) -> dict[str, Any]:
    """Write the spans of a file with random errors; the result says how they score.

    Parameters
    ----------
    path : str or Path
        [NAME=]PATH[#LAYER] of a file or folder of any format.
    target : str or Path, optional
        The file to write; by default none.
    errors : mapping of str to float
        The probability of each kind of error; see `perturb_spans`.
    to : str
        A format of `convert`.
    asked, reading, annotator, draws
        As for `perturb_corpus`.
    seed : int
        Of the errors.
    warn : callable
        Called with a sentence about all annotation that the format cannot hold.

    Returns
    -------
    dict
        `corpus`, `layer`, `positions`, `n_docs`, `n_tokens`, `n_spans`, `n_labels`, `errors`,
        `seed`, `n_noisy` (spans with errors), `changed` (share of the spans that are not there any
        more), `scores` (values by metric), `requests`, `notes` and `version`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or written, without spans, and metrics of trees.
    """
    corpus, layer = read_annotator(path, reading, annotator)
    gold = corpus.spans(layer)
    _check_spans(gold, corpus)
    noisy = perturb_spans(gold, errors, np.random.default_rng(seed))
    requests, notes = _requests(asked or Asked(), gold, corpus.positions, draws, seed)
    found = evaluate(gold, noisy, requests, draws=draws, seed=seed)
    if target is not None:
        _, lost = write_corpus(_with_spans(corpus, layer, noisy), target, to=to, layer=layer)
        for sentence in (*offsets_note(corpus, to), *(f"dropped: {one}" for one in lost)):
            warn(sentence)
    return {
        **_described(path, corpus, layer, gold),
        "errors": dict(errors),
        "seed": seed,
        "n_noisy": len(noisy) + len(noisy.unplaced),
        "changed": _share_changed(gold, noisy),
        "scores": {name: score.value for name, score in found.items()},
        "requests": list(map(str, requests.values())),
        "notes": notes,
        **left_out(corpus.notes),
        "version": __version__,
    }


def _check_spans(spans: Spans, corpus: Corpus) -> None:
    """Raise for annotation without spans: nothing can become of them."""
    if not len(spans):
        raise FormatError("no spans; random errors are made of spans that are there", corpus.path)


def _described(path: PathLike, corpus: Corpus, layer: str, gold: Spans) -> dict[str, Any]:
    """Facts about the annotation for results."""
    return {
        "corpus": path_text(path),
        "layer": layer,
        "positions": corpus.positions,
        "n_docs": int(gold.seen.sum()),
        "n_tokens": int(gold.sizes[gold.seen].sum()),
        "n_spans": len(gold) + len(gold.unplaced),
        "n_labels": len(gold.used_labels()),
    }


def _requests(
    asked: Asked, gold: Spans, positions: str, draws: int, seed: int
) -> tuple[dict[str, Request], list[str]]:
    """The metrics by name, and a note on each of "all" that was left out."""
    chance = None if are_disjoint(gold) else "overlapping"
    metrics = asked.metrics or SPAN_ERROR_METRICS
    if isinstance(metrics, (str, Request)):
        metrics = [metrics]
    if isinstance(metrics, Mapping) or ALL not in metrics:
        return replace(asked, metrics=metrics).requests(positions, gold.labels, chance), []
    requests: dict[str, Request] = {}
    notes = []
    for name in CATALOG:
        try:
            one = replace(asked, metrics=[name]).requests(positions, gold.labels, chance)
            evaluate(gold, gold, one, draws=draws, seed=seed)
            requests |= one
        except ValueError as reason:
            notes.append(f"{name} is left out: {reason}")
    if others := [one for one in metrics if one != ALL]:
        requests |= replace(asked, metrics=others).requests(positions, gold.labels, chance)
    return requests, [note for note in notes if note.partition(" ")[0] not in requests]


def _share_changed(gold: Spans, noisy: Spans) -> float:
    """The share of the spans that are not there any more."""
    before, after = (set(map(repr, _rows(one))) for one in (gold, noisy))
    n_gone = len(before - after) + len(gold.unplaced) - len(noisy.unplaced)
    return n_gone / (len(gold) + len(gold.unplaced))


def _rows(spans: Spans) -> Iterator[tuple[Any, ...]]:
    """(document, start, end, label) of each span, and its pieces, if it has several."""
    columns = (one.tolist() for one in (spans.doc, spans.start, spans.end, spans.label))
    pieces = repeat(None) if spans.fragments is None else spans.fragments
    for doc, start, end, label, some in zip(*columns, pieces):
        yield (doc, start, end, spans.labels[label], *([] if some is None else [some]))


def _with_spans(corpus: Corpus, layer: str, spans: Spans) -> Corpus:
    """The corpus with one layer, which has these spans."""
    rows: list[dict[Span, int]] = [{} for _ in corpus.documents]
    for row, (doc, *span) in enumerate(_rows(spans)):
        rows[doc][tuple(span)] = row
    unplaced: list[list[tuple[int, str]]] = [[] for _ in corpus.documents]
    for doc, label, length in spans.unplaced.tolist():
        unplaced[doc].append((length, spans.labels[label]))
    return replace(
        corpus,
        documents=[
            _with_layer(document, layer, own, odd, spans)
            for document, own, odd in zip(corpus.documents, rows, unplaced)
        ],
    )


def _with_layer(
    document: Document,
    layer: str,
    rows: Mapping[Span, int],
    unplaced: Sequence[tuple[int, str]],
    spans: Spans,
) -> Document:
    """The document with the layer alone, if it has it; `rows` are those of its spans."""
    seen = document.layers.get(layer) is not None
    columns: dict[str, Any] = {
        name: {} if column is None else {layer: {span: column[row] for span, row in rows.items()}}
        for name, column in (("features", spans.features), ("copies", spans.copies))
    }
    layers = {layer: list(rows) if seen else None} if layer in document.layers else {}
    return replace(document, layers=layers, unplaced={layer: unplaced}, categories={}, **columns)
