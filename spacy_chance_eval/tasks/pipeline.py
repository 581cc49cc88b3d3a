"""A trained pipeline on gold documents: what `score` and `spacy chance score` do with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ..corpora.pairs import CorpusPair, side_by_side
from ..formats.errors import did_you_mean
from ..formats.notes import unevaluated
from ..formats.paths import path_text
from ..measures.alignment import align, n_marked
from ..measures.docs import check_layer
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..metrics.request import Request
from ..scoring.counts import no_progress
from ..scoring.evaluation import count_pair
from ..scoring.intervals import Resampling
from ..scoring.scores import NO_INTERVALS, layer_result, pair_facts
from ..scoring.warnings import count_warnings
from ..spacy_docs.docs import Examples, LexemeInformation, lexeme_information, spans_of_examples
from ..spacy_docs.pipeline import (
    common_layers,
    examples_of,
    fill_predictions,
    gold_layers,
    load,
    predicted_layers,
    usual_scores,
)

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
    per_doc: bool = False,
    p_values: bool = False,
    draws: int = 1000,
    seed: int = 0,
    intervals: Resampling | None = None,
    keep: Callable[[CorpusPair], object] | None = None,
    progress: Callable[..., Iterable[Any]] = no_progress,
    draw_progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Any]:
    """Scores of a pipeline on gold documents, as plain values like those of `score_files`.

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
    per_doc, p_values, draws, seed, intervals
        Those of `score_files`.
    keep : callable, optional
        keep(compared) is called with the documents of gold and the pipeline, for each layer.
    progress : callable
        progress(docs, total) wraps the documents; for progress bars.
    draw_progress : callable
        Wraps the range of random annotations.

    Raises
    ------
    ValueError, OSError
        If model or data cannot be read, or nothing is there to be scored.
    """
    nlp = load(model, code, gpu_id)
    examples = list(examples_of(nlp, data))
    report = partial(progress, total=len(examples))
    fill_predictions(nlp, examples, report, n_process=n_process, batch_size=batch_size)
    there = [*gold_layers(examples), *predicted_layers(nlp, examples)]
    pairs = [_pair_of(layer, there) for layer in layers] or common_layers(nlp, examples)
    information = partial(lexeme_information, nlp.vocab)
    asked = intervals or NO_INTERVALS
    intervals = asked.of_docs(len(examples))
    results, warnings = [], asked.notes(len(examples))
    for pair in pairs:
        gold, pred = _spans_of_pair(examples, pair)
        chance = "disjoint" if pair == ("ents", "ents") else "overlapping"
        requests = metrics_of(chance, information)
        aligned = align(gold, pred)
        lost = unevaluated(n_marked(gold) - n_marked(aligned[0])).sentences()
        counts = count_pair(
            aligned,
            requests.values(),
            articles=[example.y.user_data.get("article") for example in examples],
            draws=draws,
            seed=seed,
            p_values=p_values,
            keys=bool(intervals.resamples),
            progress=draw_progress,
        )
        result = layer_result(
            counts,
            requests,
            pair_facts(gold.facts, pred.facts),
            draws=f"{draws},{seed}",
            per_doc=per_doc,
            intervals=intervals,
            progress=draw_progress,
        )
        result |= {"gold_layer": pair[0], "pred_layer": pair[1]}
        results.append(result | {"spacy": usual_scores(examples, pair)})
        which = f"{' against '.join(dict.fromkeys(pair))}: " if len(pairs) > 1 else ""
        warnings += [which + one for one in (*lost, *count_warnings(counts, requests.values()))]
    if keep is not None:
        golds, predicted = ([getattr(one, side) for one in examples] for side in "yx")
        for layer, pred_layer in pairs:
            keep(side_by_side(golds, predicted, layer=layer, pred_layer=pred_layer))
    sources = {
        "gold": path_text(data),
        "pred": path_text(model),
        "model": path_text(model),
        "left_out": [],
    }
    return {**sources, "warnings": warnings, "layers": results}


def _pair_of(layer: str, there: Sequence[str]) -> tuple[str, str]:
    """(gold layer, predicted layer) of "GOLD=PREDICTED", or of one name for both.

    `there` are the layers that there are, for messages.
    """
    gold, equals, pred = layer.partition("=")
    pair = (gold, pred) if equals else (gold, gold)
    for name in pair:
        try:
            check_layer(name)
        except ValueError as error:
            raise ValueError(f"{error}{did_you_mean(name, there)}") from None
    return pair


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
