"""Files, folders and pipelines scored against gold, and kept as runs: `score` and `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpora.columns import columns_of
from ..corpora.compared import Compared
from ..corpora.jobs import panel_requests
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
from ..metrics.request import Request
from ..scoring.counts import GOLD, PRED
from ..scoring.evaluation import count_pair
from ..scoring.intervals import article_clusters
from ..scoring.scores import layer_result, pair_facts
from ..scoring.warnings import label_listing, look_past_labels, prediction_name
from .settings import Scoring
from .tabular import FileScores

if TYPE_CHECKING:
    from ..runs.run import StoredRun

LAYERS = "gold_layer", "pred_layer"  # of a result
CATEGORY_SCORES = ("percent_agreement", "positive_agreement", "cohen_kappa")


def gold_first(gold: Any, pred: Any) -> tuple[Any, Any]:
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
    files = _Files(gold, pred, reading or Reading(), workers)
    how, written = Scoring(**scoring), {}
    kept = "" if run is None else "text" if text else "spans"
    if keep is not None:
        check_workers(workers)
    if run is not None:
        from ..runs.files import check_target, write_run

        check_target(run, [one for one in (gold, pred) if one is not None])
    counted = files.count(how, kept, keep=keep is not None)
    if run is not None:
        write_run(run, files.run(counted, how, kept))
        written["run"] = path_text(run)
    if keep is not None:
        compared = files.compared(counted)
        keep(replace(compared, names=pair_names(gold, pred, files.reading, compared)))
    size = counted.counts.n_docs, counted.counts.words is not None
    annotators = counted.annotators
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
            **dict(zip(ROLES, files.sources)),
            "left_out": list(counted.left_out),
            **counted.blemishes(),
            "warnings": [*counted.warnings, *how.intervals.notes(*size)],
            **written,
            "layers": [layer | dict(zip(LAYERS, (one.layer for one in annotators)))],
        }
    )


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
    sources = (replace(parse_source(str(one)), name=role) for role, one in zip(ROLES, (gold, pred)))
    panel, corpus = read_panel(list(sources), reading, categories=True)
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


@dataclass(frozen=True)
class _Files:
    """Files of gold and a prediction, and how they are read and counted."""

    gold: object
    pred: object
    reading: Reading
    workers: Workers | None

    @property
    def sources(self) -> tuple[str, str]:
        """Gold and the prediction as they were named."""
        return str(self.gold), str(self.gold if self.pred is None else self.pred)

    def count(self, how: Scoring, kept: str = "", *, keep: bool = False) -> CountedSources:
        """The counts.

        Parameters
        ----------
        kept : str
            What a run keeps of the annotation: "spans", spans and "text", or "none"; "" if there is
            no run.
        keep : bool
            Whether the documents are needed afterwards.
        """
        sources, reading, theirs = find_pair(self.gold, self.pred, self.reading)

        def find(number: int, first: Layers, layers: Layers) -> Sequence[Annotator]:
            if len(sources) == 1:
                names = choose_layers([first], reading.layer, theirs.layer)
                return [Annotator(GOLD, 0, names[0]), Annotator(PRED, 0, names[1])]
            if not number:
                return [Annotator(GOLD, 0, choose_layer(first, reading.layer))]
            layer = choose_layers([first, layers], reading.layer, theirs.layer)[1]
            return [Annotator(PRED, 1, layer)]

        def rows(intervals: bool) -> dict[str, Any]:
            some = bool(kept) or intervals
            every = some or how.per_doc
            return {"rows": every, "keys": some, "attributes": ("article",) if every else ()}

        read = partial(read_predictions, layer=reading.layer)
        complete, align = reading.annotator is None, reading.align or "auto"
        roles = Compared(find, read, complete=complete, align=align)
        wanted = rows(bool(how.intervals.resamples))
        job = how.job(roles, **wanted, spans=kept == "spans", beyond=rows(False))
        counted = count_sources(sources, job, self.workers, keep=keep or kept == "text")
        if not counted.counts.seen[0].any():
            raise ValueError(nothing_shared(counted, sources[0].format))
        if message := other_labels(counted, sources):
            raise ValueError(message)
        return counted

    def compared(self, counted: CountedSources) -> CorpusPair:
        """The annotated documents of gold and the prediction that were kept."""
        assert counted.corpora is not None
        gold, pred = counted.annotators
        return pair_corpora(counted.corpora, (gold.layer, pred.layer), self.reading, self.sources)

    def run(self, counted: CountedSources, how: Scoring, kept: str) -> StoredRun:
        """The run of some counts; `kept` is that of `count`."""
        from ..runs.run import kept_annotations, run_of_counts

        annotations = None
        if counted.corpora is not None and kept == "text":
            pair = self.compared(counted)
            texts = None
            if pair.positions == "char":
                texts = [document.text or "" for document in pair.gold.documents]
            annotations = kept_annotations(*pair.aligned(), kept, texts)
        elif counted.counts.spans is not None:
            annotations = kept_annotations(*align(*counted.counts.spans), "spans")
        return run_of_counts(
            counted.counts,
            counted.requests,
            draws=how.drawn,
            clusters=article_clusters(counted.counts.attributes["article"]),
            data=counted.data(0, counted.annotators[-1].source),
            annotations=annotations,
            sources=self.named([one.layer for one in counted.annotators]),
        )

    def named(self, layers: Sequence[str]) -> list[str]:
        """Gold and the prediction as PATH or PATH#COLUMN, gold with the column of an option."""
        column = self.reading.column
        one, two = self.sources
        is_name = column is not None and not column.lstrip("-").isdigit()
        if source_at(one).layer is None and column is not None and (is_name or one == two):
            one = f"{one}#{column}"
        return [f"{one}#{layer}" for layer in layers] if one == two else [one, two]


def runs_of_files(
    gold: str,
    preds: Sequence[object],
    how: Scoring,
    *,
    reading: Reading,
    workers: Workers | None,
    kept: str = "none",
) -> tuple[list[StoredRun], Mapping[str, Request], list[str]]:
    """The runs of several predictions by the same requests, these requests, and warnings.

    If the spans of one overlap, all have the chance model for that. Each prediction is read with
    those keys that it or gold knows. `kept` is what runs keep, as in `_Files.count`.
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
    files = [_Files(gold, *one, workers) for one in zip(preds, readings)]
    counted = [one.count(how, kept) for one in files]
    requests: dict[str, Request] = dict(how.metrics)  # type: ignore[arg-type]  # by name
    for one in counted:
        requests |= {k: v for k, v in one.requests.items() if v.overlapping is None}
    how = replace(how, metrics=requests)
    counted = [
        one if one.requests == requests else some.count(how, kept)
        for some, one in zip(files, counted)
    ]
    warnings = dict.fromkeys(text for one in counted for text in one.reading_warnings)
    runs = [some.run(one, how, kept) for some, one in zip(files, counted)]
    return runs, requests, list(warnings)


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
        how = Scoring(settings.pop("metrics"), draws=draws, seed=seed)
        kept = "text" if workers is None or workers.is_one else "spans"
        reading = reading or Reading()
        runs, *_ = runs_of_files(gold, [old, new], how, reading=reading, workers=workers, kept=kept)
    result: dict[str, Any] = compare(*runs, **settings)
    for which, path in zip(WHICH, (old, new)):
        result[which]["path"] = path_text(path)
    result["names"] = run_names([result[which] for which in WHICH], WHICH)
    return result


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
