"""A trained pipeline on gold documents: what `score` and `spacy chance score` do with one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ..corpora.pairs import CorpusPair, side_by_side
from ..formats.errors import did_you_mean
from ..formats.notes import unevaluated
from ..formats.paths import path_text
from ..measures.alignment import align, n_marked
from ..measures.chance.expectation import are_disjoint
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..metrics.request import Request
from ..scoring.counts import Progress, no_progress
from ..scoring.evaluation import count_pair
from ..scoring.scores import layer_result, pair_facts
from ..scoring.warnings import count_warnings
from ..spacy_docs.docs import Examples, LexemeInformation, lexeme_information, spans_of_examples
from ..spacy_docs.pipeline import (
    common_layers,
    examples_of,
    fill_predictions,
    gold_layers,
    load,
    usual_scores,
)
from .settings import Scoring
from .tabular import FileScores

MetricsOf: TypeAlias = Callable[[str, Callable[[], LexemeInformation]], Mapping[str, Request]]


def score_pipeline(
    model: str | Path,
    data: str | Path,
    metrics_of: MetricsOf,
    *,
    layers: Sequence[str] = (),
    code: str | Path | None = None,
    gpu_id: int = -1,
    n_process: int = 1,
    batch_size: int | None = None,
    keep: Callable[[CorpusPair], object] | None = None,
    progress: Progress = no_progress,
    **scoring: Any,
) -> FileScores:
    """Scores of a pipeline on gold documents, like those of `score_files`.

    Parameters
    ----------
    model : str or Path
        A trained pipeline, by name or folder.
    data : str or Path
        A `.spacy` file, or a folder of them.
    metrics_of : callable
        metrics_of(chance, information) gives {name: Request}: `chance` is the chance model by
        default, information() the bits of words by spaCy's table of probabilities.
    layers : sequence of str
        "ents", "spans:KEY", or "GOLD=PREDICTION" for a pair of layers. By default all that gold
        and the pipeline have in common.
    code : str or Path, optional
        A Python file to import first, for components and functions of your own.
    gpu_id : int
        -1 is the CPU.
    n_process, batch_size : int
        Processes that the pipeline runs in, and the number of texts that it takes at a time.
    keep : callable, optional
        keep(compared) is called with the documents of gold and the pipeline, for each layer.
    progress : callable
        progress(steps, total, what) wraps documents and random annotations; for progress bars.
    **scoring
        The settings of `Scoring`.

    Raises
    ------
    ValueError, OSError
        If model or data cannot be read, or nothing is there to be scored.
    """
    how = Scoring(**scoring)
    nlp = load(model, code, gpu_id)
    examples = list(examples_of(nlp, data))
    report = partial(progress, total=len(examples), what="Documents")
    fill_predictions(nlp, examples, report, n_process=n_process, batch_size=batch_size)
    named = [layer.partition("=") for layer in layers]
    pairs = [(gold, pred or gold) for gold, _, pred in named] or common_layers(nlp, examples)
    information = partial(lexeme_information, nlp.vocab)
    results, warnings = [], how.intervals.notes(len(examples))
    for pair in pairs:
        spans = _spans_of_pair(examples, pair)
        chance = "disjoint" if all(map(are_disjoint, align(*spans))) else "overlapping"
        requests = metrics_of(chance, information)
        result, said = _score_layers(examples, pair, spans, requests, how, progress)
        results.append(result)
        which = f"{' against '.join(dict.fromkeys(pair))}: " if len(pairs) > 1 else ""
        warnings += [which + one for one in said]
    if keep is not None:
        golds, predicted = ([getattr(one, side) for one in examples] for side in "yx")
        for layer, pred_layer in pairs:
            keep(side_by_side(golds, predicted, layer=layer, pred_layer=pred_layer))
    pred = path_text(model)
    about = {"gold": path_text(data), "pred": pred, "model": pred, "left_out": []}
    return FileScores({**about, "warnings": warnings, "layers": results})


def _score_layers(
    examples: Examples,
    pair: tuple[str, str],
    spans: tuple[Spans, Spans],
    requests: Mapping[str, Request],
    how: Scoring,
    progress: Progress,
) -> tuple[dict[str, Any], list[str]]:
    """The result of a pair of layers, and warnings."""
    gold, pred = spans
    aligned = align(gold, pred)
    lost = unevaluated(n_marked(gold) - n_marked(aligned[0])).sentences()
    intervals = how.intervals.of_docs(len(examples))
    draws = partial(progress, total=None, what="Random annotations")
    counts = count_pair(
        aligned,
        requests.values(),
        articles=[example.y.user_data.get("article") for example in examples],
        draws=how.draws,
        seed=how.seed,
        keys=bool(intervals.resamples),
        progress=draws,
    )
    result = layer_result(
        counts,
        requests,
        pair_facts(gold.facts, pred.facts),
        draws=how.drawn,
        per_doc=how.per_doc,
        intervals=intervals,
        progress=draws,
    )
    result |= {"gold_layer": pair[0], "pred_layer": pair[1], "spacy": usual_scores(examples, pair)}
    return result, [*lost, *count_warnings(counts, requests.values())]


def _spans_of_pair(examples: Examples, pair: tuple[str, str]) -> tuple[Spans, Spans]:
    """The spans of gold and of the pipeline in a pair of layers, which have to be there."""
    gold, pred = spans_of_examples(examples, *pair, words=True)
    if not gold.seen.any():
        layers = gold_layers(examples)
        raise ValueError(
            f"no gold document is annotated in the layer {quoted(pair[0])}"
            f"{did_you_mean(pair[0], layers)}; gold has {', '.join(layers) or 'no layers'}"
        )
    predicted = {"ents", *(f"spans:{key}" for example in examples for key in example.x.spans)}
    if pair[1] not in (pair[0], *predicted):
        hint = did_you_mean(pair[1], sorted(predicted))
        raise ValueError(
            f"the pipeline predicts no layer {quoted(pair[1])}{hint}; there is "
            f"{', '.join(sorted(predicted))}"
        )
    return gold, pred
