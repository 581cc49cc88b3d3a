"""Files, folders and pipelines scored against gold, and kept as runs: `score` and `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpora.columns import columns_of
from ..corpora.compared import Compared
from ..corpora.jobs import Asked, Job, panel_requests
from ..corpora.pairs import (
    OF_GOLD,
    CorpusPair,
    choose_layers,
    find_pair,
    pair_corpora,
    pair_names,
    read_predictions,
    reading_of_pred,
)
from ..corpora.passes import CountedSources, Workers, check_workers, count_sources
from ..corpora.sources import (
    NO_SOURCE,
    Annotator,
    Layers,
    Source,
    check_known,
    choose_layer,
    is_pipeline,
    parse_source,
    source_at,
)
from ..formats.errors import FormatError
from ..formats.keys import Reading
from ..formats.paths import is_there, path_of, path_text
from ..measures.alignment import ROLES, align
from ..measures.items import confusions
from ..metrics.request import Metrics, Request
from ..scoring.counts import GOLD, PRED
from ..scoring.evaluation import check_draws, count_pair
from ..scoring.intervals import Resampling, article_clusters
from ..scoring.scores import NO_INTERVALS, layer_result, pair_facts
from ..scoring.warnings import label_listing, look_past_labels, prediction_name

if TYPE_CHECKING:
    from ..runs.run import Annotations, StoredRun

CATEGORY_SCORES = ("percent_agreement", "positive_agreement", "cohen_kappa")


def gold_first(gold: Path, pred: Path | None) -> tuple[Path, Path | None]:
    """Gold and predictions in this order, also if a pipeline came first, which is spaCy's order."""
    if not is_pipeline(str(gold)):
        if pred is not None:
            one, two = (source_at(path).path for path in (gold, pred))
            if not path_of(one).suffix and not is_there(one) and is_there(two):
                raise FormatError(NO_SOURCE, gold)
        return gold, pred
    if pred is None:
        raise ValueError(f"{gold} is a pipeline; name gold documents, too: GOLD {gold}")
    return (gold, pred) if is_pipeline(str(pred)) else (pred, gold)


def runs_on_docs(gold: Path, pred: Path, reading: Reading) -> bool:
    """Whether predictions are those of a pipeline on Docs, for `score_pipeline`: all its layers."""
    source = source_at(gold)
    given = {*reading.given, *source.reading.given}
    if source.layer or given - {"format", "layer", "batch_size"} or not is_pipeline(str(pred)):
        return False
    return source.looked_at("gold", reading).format == "spacy"


def score_files(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    metrics: Mapping[str, Request],
    reading: Reading | None = None,
    workers: Workers | None = None,
    per_doc: bool = False,
    p_values: bool = False,
    draws: int = 1000,
    seed: int = 0,
    intervals: Resampling | None = None,
    keep: Callable[[CorpusPair], object] | None = None,
    run: str | Path | None = None,
    text: bool = True,
) -> dict[str, Any]:
    """Scores of a file of predictions, or of a pipeline, against a gold file, as plain values.

    Parameters
    ----------
    gold : str or Path
        A file, a folder of files, or a pattern.
    pred : str or Path, optional
        The same, or a trained pipeline; without it, gold and prediction are two layers of the
        gold file.
    metrics : mapping of str to Request
        The requests, by the names under which scores are returned.
    reading : Reading, optional
        How files are read; what the prediction has of its own stands at its path.
    workers : Workers, optional
        How large files are divided and counted, and the callback for progress.
    per_doc : bool
        Also score every document that both saw.
    p_values : bool
        Also draw random annotations where there is a formula, and report how often they score as
        high.
    draws : int
        Number of random annotations, where an expectation has no formula.
    seed : int
        Of the random annotations.
    intervals : Resampling, optional
        By default no intervals.
    keep : callable, optional
        keep(compared) is called with the documents of both, which are then read at once.
    run : str or Path, optional
        A file for the run, with the spans of both. An older run of that name is replaced when the
        new one is whole; any other file is refused.
    text : bool
        Whether the run has words, too; files are then read at once.

    Returns
    -------
    dict
        `gold`, `pred`, `left_out` (files with reasons), `warnings` (sentences), and `layers`, which
        has one layer with its numbers of documents and spans and all scores; the path of the run
        as `run`, if there is one.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    check_draws(draws)
    intervals = intervals or NO_INTERVALS
    text = text and run is not None
    rows_for = partial(_kept_rows, per_doc, run is not None)
    job = partial(
        Job,
        Asked(metrics),
        **rows_for(bool(intervals.resamples)),
        spans=run is not None and not text,
        draws=draws,
        seed=seed,
        p_values=p_values,
        most_docs=intervals.most_docs,
        beyond=rows_for(False),
    )
    if keep is not None:
        check_workers(workers)
    if run is not None:
        from ..runs.files import check_target

        check_target(run, [one for one in (gold, pred) if one is not None])
    reading = reading or Reading()
    counted = _count_pair(gold, pred, reading, job, workers, keep=keep is not None or text)
    written = {}
    if run is not None:
        from ..runs.files import write_run

        kept = "text" if text else "spans"
        write_run(run, _run_of(counted, gold, pred, reading, draws, seed, kept))
        written["run"] = path_text(run)
    if keep is not None:
        compared = _compared(counted, reading, (str(gold), str(gold if pred is None else pred)))
        keep(replace(compared, names=pair_names(gold, pred, reading, None, compared)))
    size = counted.counts.n_docs, counted.counts.words is not None
    layer = _scored(counted, per_doc, draws, seed, intervals.of_docs(*size), workers)
    return {
        "gold": str(gold),
        "pred": str(gold if pred is None else pred),
        "left_out": list(counted.left_out),
        **counted.blemishes(),
        "warnings": [*counted.warnings, *intervals.notes(*size)],
        **written,
        "layers": [layer],
    }


def score_category_files(
    gold: str | Path,
    pred: str | Path,
    *,
    metrics: Metrics = CATEGORY_SCORES,
    reading: Reading | None = None,
    per_doc: bool = False,
    intervals: Resampling | None = None,
) -> dict[str, Any]:
    """The result of `score_files` for the categories of documents.

    Its layer also has the `confusion` of the labels: {gold label: {predicted label: documents}}.

    Parameters
    ----------
    gold, pred, reading, per_doc, intervals
        Those of `score_files`; of each file one layer of categories.
    metrics : sequence of str
        Metrics of items. By default accuracy (percent_agreement), F (positive_agreement, whose
        macro is macro F), and Cohen's kappa.
    """
    from ..corpora.panels import read_panel

    sources = (replace(parse_source(str(one)), name=role) for role, one in zip(ROLES, (gold, pred)))
    panel, corpus = read_panel(list(sources), reading, categories=True)
    sides = align(*(panel.annotators[role] for role in ROLES))
    requests, asked = panel_requests("category", metrics), intervals or NO_INTERVALS
    made = asked.of_docs(len(sides[0].seen))
    articles = corpus.table.attribute("article")
    counts = count_pair(sides, requests.values(), articles=articles, keys=made.resamples > 0)
    facts = {**pair_facts(*(one.facts for one in sides)), "positions": "category"}
    facts |= corpus.notes.signed()
    layer = layer_result(counts, requests, facts, per_doc=per_doc, intervals=made)
    (matrix,) = confusions(*sides, "category", np.zeros(len(sides[0].seen), np.int64)).values()
    about = {"positions": "category", "gold_layer": "categories", "pred_layer": "categories"}
    return {
        "gold": str(gold),
        "pred": str(pred),
        "left_out": [],
        **corpus.notes.entries(),
        "warnings": [*corpus.notes.sentences(), *asked.notes(len(sides[0].seen))],
        "layers": [layer | about | {"confusion": matrix}],
    }


def _kept_rows(per_doc: bool, run: bool, intervals: bool) -> dict[str, Any]:
    """The parameters of a `Job` that keep a row of each document."""
    rows = per_doc or run or intervals
    return {
        "rows": rows,
        "keys": run or intervals,
        "attributes": ("article",) if rows else (),
    }


def run_of_files(
    gold: object,
    pred: object,
    *,
    metrics: Mapping[str, Request],
    reading: Reading,
    workers: Workers | None,
    draws: int,
    seed: int,
    annotations: str = "none",
) -> tuple[StoredRun, CountedSources]:
    """The run of some files, with "spans", spans and "text", or "none"; and their counts."""
    check_draws(draws)
    job = partial(
        Job,
        Asked(metrics),
        rows=True,
        keys=True,
        spans=annotations == "spans",
        attributes=("article",),
        draws=draws,
        seed=seed,
    )
    counted = _count_pair(gold, pred, reading, job, workers, keep=annotations == "text")
    return _run_of(counted, gold, pred, reading, draws, seed, annotations), counted


def _run_of(
    counted: CountedSources,
    gold: object,
    pred: object,
    reading: Reading,
    draws: int,
    seed: int,
    annotations: str,
) -> StoredRun:
    """The run of some counts, with their "spans", spans and "text", or "none"."""
    from ..runs.run import run_of_counts

    return run_of_counts(
        counted.counts,
        counted.requests,
        draws=f"{draws},{seed}",
        clusters=article_clusters(counted.counts.attributes["article"]),
        data=counted.data(0, counted.annotators[-1].source),
        annotations=_kept(counted, reading, annotations),
        sources=_source_names(
            gold, pred, reading.column, [one.layer for one in counted.annotators]
        ),
    )


def _source_names(
    gold: object, pred: object, column: str | None, layers: Sequence[str]
) -> list[str]:
    """Gold and the prediction as PATH or PATH#COLUMN, gold with the column of an option."""
    one, two = str(gold), str(gold if pred is None else pred)
    is_name = column is not None and not column.lstrip("-").isdigit()
    if source_at(one).layer is None and column is not None and (is_name or one == two):
        one = f"{one}#{column}"
    return [f"{one}#{layer}" for layer in layers] if one == two else [one, two]


def runs_of_files(
    gold: str,
    preds: Sequence[object],
    metrics: Mapping[str, Request],
    *,
    reading: Reading,
    **settings: Any,
) -> tuple[list[StoredRun], dict[str, Request], list[str]]:
    """The runs of several predictions by the same requests, these requests, and warnings.

    If the spans of one overlap, all have the chance model for that. Each prediction is read with
    those keys that it or gold knows.
    """
    readings = [reading] * len(preds)
    if reading.given:
        of_gold = source_at(gold).looked_at("gold", reading)
        looked = [source_at(one).looked_at("pred", reading_of_pred(reading)) for one in preds]
        check_known([of_gold, *looked], reading)
        known = {key for key in reading.given if key in OF_GOLD or of_gold.knows(key)}
        readings = [
            reading.only([key for key in reading.given if key in known or one.knows(key)])
            for one in looked
        ]

    def counted(number: int, requests: Mapping[str, Request]) -> tuple[StoredRun, CountedSources]:
        how = {"metrics": requests, "reading": readings[number], **settings}
        return run_of_files(gold, preds[number], **how)

    pairs = [counted(number, metrics) for number in range(len(preds))]
    requests = dict(metrics)
    for _, one in pairs:
        requests |= {k: v for k, v in one.requests.items() if v.overlapping is None}
    pairs = [
        pair if pair[1].requests == requests else counted(number, requests)
        for number, pair in enumerate(pairs)
    ]
    warnings = [text for _, one in pairs for text in one.reading_warnings]
    return [run for run, _ in pairs], requests, list(dict.fromkeys(warnings))


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

    if gold is None:
        runs = [read_run(old), read_run(new)]
    else:
        runs, *_ = runs_of_files(
            gold,
            [old, new],
            settings.pop("metrics"),
            reading=reading or Reading(),
            workers=workers,
            draws=draws,
            seed=seed,
            annotations="text" if workers is None or workers.is_one else "spans",
        )
    result: dict[str, Any] = compare(*runs, **settings)
    for which, path in zip(WHICH, (old, new)):
        result[which]["path"] = path_text(path)
    result["names"] = run_names([result[which] for which in WHICH], WHICH)
    return result


def _count_pair(
    gold: object,
    pred: object,
    reading: Reading,
    job: Callable[..., Job],
    workers: Workers | None,
    keep: bool = False,
) -> CountedSources:
    """The counts of gold and a prediction; job(roles=...) makes the `Job`."""
    sources, how, theirs = find_pair(gold, pred, reading)

    def find(number: int, first: Layers, layers: Layers) -> Sequence[Annotator]:
        if len(sources) == 1:
            names = choose_layers([first], how.layer, theirs.layer)
            return [Annotator(GOLD, 0, names[0]), Annotator(PRED, 0, names[1])]
        if not number:
            return [Annotator(GOLD, 0, choose_layer(first, how.layer))]
        return [Annotator(PRED, 1, choose_layers([first, layers], how.layer, theirs.layer)[1])]

    read = partial(read_predictions, layer=how.layer)
    roles = Compared(find, read, complete=how.annotator is None, align=how.align or "auto")
    counted = count_sources(sources, job(roles=roles), workers, keep=keep)
    if not counted.counts.seen[0].any():
        raise ValueError(nothing_shared(counted, sources[0].format))
    if message := other_labels(counted, sources):
        raise ValueError(message)
    return counted


def other_labels(
    counted: CountedSources, sources: Sequence[Source], number: int = 1, place: int = 1
) -> str | None:
    """The message for a prediction that has no label of gold; None if labels meet, or do not count.

    `number` is that of the prediction in the counts, `place` that among the annotators.
    """
    counts, both = counted.counts, (0, number)
    gold, pred = ({*counts.used[one]} for one in both)
    if not gold or not pred or gold & pred or look_past_labels(counts.metrics):
        return None
    names = GOLD, prediction_name(counts.names[number], len(counts.names) - 1)
    support = (counts.support["annotator", one].sum(axis=0) for one in both)
    known = (
        f"{name} has {label_listing({k: int(n) for k, n in zip(counts.labels, own) if n})}"
        for name, own in zip(names, support)
    )
    annotators = [counted.annotators[one] for one in (0, place)]
    others = [
        text
        for one, labels in zip(annotators, (pred, gold))
        for text in _layers_with(sources[one.source], one.layer, labels)
    ]
    advice = "check its column or layer, or ignore labels: -m 'span_f(labels=ignore)'"
    if others:
        advice = f"such labels are in {' and '.join(others)}: name what is meant"
    said = f"{names[1]} has no label in common with {GOLD}, so that no span can be correct"
    return f"{said}: {', '.join(known)}; {advice}"


def _layers_with(source: Source, layer: str, labels: set[str]) -> list[str]:
    """The other columns or layers of a source that have any of some labels."""
    if columns := columns_of(source):
        own = (source.reading.columns or {}).get(layer, source.reading.column or -1)
        places = [at for at, one in columns.tags.items() if one.labels & labels]
        return [f"{source.path}#{at}" for at in places if at != columns.place_of(own)]
    if source.is_pipeline or not source.can_be_read_again:
        return []
    corpus = source.read()
    names = [name for name in corpus.layer_names if name != layer]
    return [f"{source.path}#{one}" for one in names if {*corpus.spans(one).used_labels()} & labels]


def nothing_shared(counted: CountedSources, format: str) -> str:
    """The message for files without a document to score; `format` is that of gold."""
    layers = {one.layer for one in counted.annotators}
    others = {name for one in counted.survey.layers for name in one.layer_names} - layers
    hint = f"; other layers: {', '.join(sorted(others))} (--layer NAME)" if others else ""
    if format == "spacy":
        return (
            f"no document has spans of {' and '.join(sorted(layers))} in both gold and prediction; "
            f"there is nothing to score{hint} (for the trees in .spacy files ask for metrics of "
            "trees: -m syntax_alpha -m las)"
        )
    return f"no document is annotated in both gold and prediction; there is nothing to score{hint}"


def _scored(
    counted: CountedSources,
    per_doc: bool,
    draws: int,
    seed: int,
    intervals: Resampling,
    workers: Workers | None,
) -> dict[str, Any]:
    """The result of one layer: numbers of documents and spans, and all scores."""
    gold, pred = counted.annotators
    result = layer_result(
        counted.counts,
        counted.requests,
        counted.data(0, pred.source),
        draws=f"{draws},{seed}",
        per_doc=per_doc,
        intervals=intervals,
        progress=workers.progress if workers and workers.progress else iter,
    )
    return result | {"gold_layer": gold.layer, "pred_layer": pred.layer}


def _compared(
    counted: CountedSources, how: Reading, sources: tuple[str, str] | None = None
) -> CorpusPair:
    """The annotated documents of gold and the prediction that were kept, with their sources."""
    assert counted.corpora is not None
    gold, pred = counted.annotators
    return pair_corpora(counted.corpora, (gold.layer, pred.layer), how, sources)


def _kept(counted: CountedSources, how: Reading, annotations: str) -> Annotations | None:
    """The annotation that a run keeps."""
    from ..runs.run import kept_annotations

    if counted.corpora is None or annotations != "text":
        spans = counted.counts.spans
        return None if spans is None else kept_annotations(*align(*spans), "spans")
    pair = _compared(counted, how)
    texts = None
    if pair.positions == "char":
        texts = [document.text or "" for document in pair.gold.documents]
    return kept_annotations(*pair.aligned(), annotations, texts)
