"""Files, folders and pipelines scored against gold, and kept as runs: `score` and `compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..corpora.compared import Compared
from ..corpora.jobs import panel_requests
from ..corpora.pairs import (
    CorpusPair,
    choose_layers,
    find_pair,
    pair_corpora,
    pair_names,
    read_predictions,
)
from ..corpora.passes import CountedSources, Workers, check_workers, count_sources
from ..corpora.sources import (
    Annotator,
    Layers,
    choose_layer,
    is_pipeline,
    parse_source,
)
from ..formats.keys import Reading
from ..formats.paths import path_text
from ..measures.alignment import ROLES, align
from ..measures.items import confusions
from ..scoring.counts import GOLD, PRED
from ..scoring.evaluation import count_pair
from ..scoring.scores import layer_result, pair_facts
from ..scoring.warnings import EQUAL, IGNORED, UNPLACED
from .settings import Scoring
from .systems import nothing_shared, other_labels, run_of, runs_of_systems
from .tabular import FileScores

LAYERS = "gold_layer", "pred_layer"  # of a result
CATEGORY_SCORES = ("percent_agreement", "positive_agreement", "cohen_kappa")


def gold_first(gold: Any, pred: Any) -> tuple[Any, Any]:
    """Gold and predictions in this order, also if a pipeline came first, which is spaCy's order."""
    if not is_pipeline(str(gold)):
        return gold, pred
    if pred is None:
        raise ValueError(f"{gold} is a pipeline; name gold documents, too: GOLD {gold}")
    return (gold, pred) if is_pipeline(str(pred)) else (pred, gold)


def runs_on_docs(gold: Path, pred: Path, reading: Reading) -> bool:
    """Whether predictions are those of a pipeline on Docs, for `score_pipeline`: all its layers."""
    source = parse_source(gold)
    given = {*reading.given, *source.reading.given}
    if source.layer or given - {"format", "layer", "batch_size"} or not is_pipeline(str(pred)):
        return False
    return source.looked_at("gold", reading).format == "spacy"


def score_files(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    reading: Reading | None = None,
    workers: Workers | None = None,
    keep: Callable[[CorpusPair], object] | None = None,
    run: str | Path | None = None,
    text: bool = True,
    **scoring: Any,
) -> FileScores:
    """Scores of a file of predictions, or of a pipeline, against a gold file.

    Parameters
    ----------
    gold : str or Path
        A file, a folder of files, or a pattern.
    pred : str or Path, optional
        The same, or a trained pipeline; without it, gold and prediction are two layers of the
        gold file.
    reading : Reading, optional
        How files are read; what the prediction has of its own stands at its path.
    workers : Workers, optional
        How large files are divided and counted, and the callback for progress.
    keep : callable, optional
        keep(compared) is called with the documents of both, which are then read at once.
    run : str or Path, optional
        A file for the run, with the spans of both. An older run of that name is replaced when the
        new one is whole; any other file is refused.
    text : bool
        Whether the run has words, too; files are then read at once.
    **scoring
        The settings of `Scoring`.

    Returns
    -------
    FileScores
        `gold`, `pred`, `left_out` (files with reasons), `warnings` (sentences), and `layers`, which
        has one layer with its numbers of documents and spans and all scores; the path of the run
        as `run`, if there is one.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    how, reading, written = Scoring(**scoring), reading or Reading(), {}
    texts = str(gold), str(gold if pred is None else pred)
    kept = "" if run is None else "text" if text else "spans"
    if keep is not None:
        check_workers(workers)
    if run is not None:
        from ..runs.files import check_target, write_run

        check_target(run, [one for one in (gold, pred) if one is not None])
    counted = _count_pair(gold, pred, reading, how, workers, kept, keep is not None)
    annotators, pair = counted.annotators, None
    layers = annotators[0].layer, annotators[1].layer
    names = pair_names(gold, pred, reading, layers)
    if counted.corpora is not None:
        how_aligned = replace(reading, align=annotators[1].align or reading.align)
        pair = pair_corpora(counted.corpora, layers, how_aligned, texts)
    if run is not None:
        named = _named(texts, reading.column, layers)
        with_words = pair if text else None
        write_run(run, run_of(counted, how, 1, annotators[1].source, with_words, sources=named))
        written["run"] = path_text(run)
    if keep is not None and pair is not None:
        keep(replace(pair, names=names))
    size = counted.counts.n_docs, counted.counts.words is not None
    layer = layer_result(
        counted.counts,
        counted.requests,
        counted.data(0, annotators[1].source),
        draws=how.drawn,
        per_doc=how.per_doc,
        intervals=how.intervals.of_docs(*size),
        progress=workers.progress if workers and workers.progress else iter,
    )
    return FileScores(
        {
            **dict(zip(ROLES, texts)),
            "names": list(names),
            "left_out": list(counted.left_out),
            **counted.blemishes(),
            "warnings": [*counted.warnings, *_doubts(layer), *how.intervals.notes(*size)],
            **written,
            "layers": [layer | dict(zip(LAYERS, layers))],
        }
    )


def _doubts(layer: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about a prediction that probably is none, or has other offsets."""
    if layer["n_pred"] and layer["n_unplaced"] == layer["n_pred"]:
        yield UNPLACED
    spans = (one for one in layer["scores"].values() if one["name"].startswith("span_f("))
    if any(one["observed"] == 1 and IGNORED not in one["name"] for one in spans):
        yield EQUAL.format("The prediction")


def _count_pair(
    gold: object,
    pred: object,
    reading: Reading,
    how: Scoring,
    workers: Workers | None,
    kept: str,
    keep: bool,
) -> CountedSources:
    """The counts of gold and a prediction.

    `kept` is the annotation that a run keeps: "spans", or spans and "text"; "" if there is no run.
    `keep` says whether the documents are needed afterwards.
    """
    sources, gold_layer, pred_layer = find_pair(gold, pred, reading)
    align = sources[-1].reading.align or reading.align or "auto"

    def find(number: int, first: Layers, layers: Layers) -> Sequence[Annotator]:
        if len(sources) == 1:
            names = choose_layers([first], gold_layer, pred_layer)
            return [Annotator(GOLD, 0, names[0]), Annotator(PRED, 0, names[1])]
        if not number:
            return [Annotator(GOLD, 0, choose_layer(first, gold_layer))]
        layer = choose_layers([first, layers], gold_layer, pred_layer)[1]
        return [Annotator(PRED, 1, layer, align)]

    def rows(intervals: bool) -> dict[str, Any]:
        some = bool(kept) or intervals
        every = some or how.per_doc
        return {"rows": every, "keys": some, "attributes": ("article",) if every else ()}

    read = partial(read_predictions, layer=gold_layer)
    roles = Compared(find, read, complete=reading.annotator is None, align=align)
    wanted = rows(bool(how.intervals.resamples))
    job = how.job(roles, **wanted, spans=kept == "spans", beyond=rows(False))
    counted = count_sources(sources, job, workers, keep=keep or kept == "text")
    if not counted.counts.seen[0].any():
        raise ValueError(nothing_shared(counted, sources[0].format))
    if message := other_labels(counted, sources):
        raise ValueError(message)
    return counted


def _named(texts: tuple[str, str], column: str | None, layers: Sequence[str]) -> list[str]:
    """Gold and a prediction as PATH or PATH#COLUMN, gold with the column of an option."""
    one, two = texts
    is_name = column is not None and not column.lstrip("-").isdigit()
    if parse_source(one).layer is None and column is not None and (is_name or one == two):
        one = f"{one}#{column}"
    return [f"{one}#{layer}" for layer in layers] if one == two else [one, two]


def score_category_files(
    gold: str | Path, pred: str | Path, *, reading: Reading | None = None, **scoring: Any
) -> FileScores:
    """The result of `score_files` for the categories of documents; of each file one layer.

    Its layer also has the `confusion` of the labels: {gold label: {predicted label: documents}}.
    Metrics are those of items; by default accuracy (percent_agreement), F (positive_agreement,
    whose macro is macro F), and Cohen's kappa.
    """
    from ..corpora.panels import read_panel

    how = Scoring(**scoring)
    sources = (replace(parse_source(one), name=role) for role, one in zip(ROLES, (gold, pred)))
    panel, corpus = read_panel(list(sources), reading, by="file", categories=True)
    sides = align(*(panel.annotators[role] for role in ROLES))
    n_docs = len(sides[0].seen)
    requests = panel_requests("category", how.metrics or CATEGORY_SCORES)
    made = how.intervals.of_docs(n_docs)
    articles = corpus.table.attribute("article")
    counts = count_pair(sides, requests.values(), articles=articles, keys=made.resamples > 0)
    facts = {**pair_facts(*(one.facts for one in sides)), "positions": "category"}
    facts |= corpus.notes.signed()
    layer = layer_result(counts, requests, facts, per_doc=how.per_doc, intervals=made)
    (matrix,) = confusions(*sides, "category", np.zeros(n_docs, np.int64)).values()
    layer |= {"positions": "category", **dict.fromkeys(LAYERS, "categories")}
    return FileScores(
        {
            "gold": str(gold),
            "pred": str(pred),
            "left_out": [],
            **corpus.notes.entries(),
            "warnings": [*corpus.notes.sentences(), *how.intervals.notes(n_docs)],
            "layers": [layer | {"confusion": matrix}],
        }
    )


def compare_files(
    old: str | Path,
    new: str | Path,
    gold: str | None = None,
    *,
    reading: Reading | None = None,
    workers: Workers | None = None,
    draws: int = 1000,
    seed: int = 0,
    **settings: Any,
) -> dict[str, Any]:
    """The comparison of two runs in files, or of two predictions with gold, as plain values.

    Parameters
    ----------
    old, new : str or Path
        Files of runs; with gold, predictions.
    gold : str, optional
    reading, workers, draws, seed
        How predictions are read and counted; those of `score_files`.
    **settings
        `metrics`, `force`, `intervals`, `comparison`, `verbose_below`, `top` and `progress` of
        `runs.compare`; of predictions, `metrics` are requests by name.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or are no runs, and runs that do not compare.
    """
    from ..runs.compare import WHICH, compare, run_names
    from ..runs.files import read_run

    warnings, named = list[str](), dict(zip(WHICH, map(parse_source, (old, new))))
    if gold is None:
        runs = [read_run(old), read_run(new)]
    else:
        how = Scoring(settings.pop("metrics"), draws=draws, seed=seed)
        kept = "text" if workers is None or workers.is_one else "spans"
        systems = [replace(one, name=which) for which, one in named.items()]
        found, _, warnings = runs_of_systems(
            gold, systems, how, reading=reading, workers=workers, annotations=kept
        )
        texts = dict(zip(WHICH, map(str, (old, new))))
        runs = [
            replace(run, title=named[which].name, sources=(run.sources[0], texts[which]))
            for which, run in found.items()
        ]
    result: dict[str, Any] = compare(*runs, **settings)
    result["warnings"] = [*warnings, *result["warnings"]]
    for which, path in zip(WHICH, (old, new)):
        result[which]["path"] = path_text(path).removeprefix(f"{named[which].name}=")
    result["names"] = run_names([result[which] for which in WHICH], WHICH)
    return result
