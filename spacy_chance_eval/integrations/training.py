"""A callback of training that saves the run of the best model, for `compare`.

spaCy loads this module with its registry: heavy modules are imported when a training begins.
"""

# annotations of registered functions are not postponed: spaCy makes schemas of configs from them

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from spacy.about import __version__
from spacy.language import Language
from spacy.util import is_compatible_version, logger

from ..formats.errors import FormatError

if TYPE_CHECKING:  # loaded when a training begins
    from spacy.training import Example

    from ..runs.run import StoredRun

BEST, LAST = "model-best", "model-last"
RATE = "dropout_rate"
# scores that spaCy does not have, such as ents_f_corrected and spans_sc_token_f
OUR_SCORE = re.compile(
    r"(?:(ents|spans_\w+?)_(?:[prf]_(?:corrected|expected|observed)|token_\w+|slicm\w*)|dep_alpha\w*)$"
)
SOUND_ZONES = ">=3.8.3"  # of spaCy: before, new strings in a memory zone could crash it


@dataclass(eq=False)
class SaveRun:
    """The callback of `make_save_run`, with its parameters; it can be pickled, if `wrapped` can."""

    path: str | Path
    corpus: str
    layer: str | None
    last: str | Path | None
    metrics: Sequence[str]
    chance: str | None
    annotations: str
    wrapped: Callable | None = None
    best: float = -math.inf  # the weighted score of the run that was saved
    performance: object = ()  # the scores of the newest evaluation; spaCy's are a dict

    def __post_init__(self) -> None:
        from ..corpora.sources import read_corpus
        from ..formats.errors import known
        from ..runs.files import check_target
        from ..runs.run import ANNOTATIONS
        from ..scoring.evaluation import default_requests

        for target in (self.path, self.last):
            if target is not None:
                check_target(target, [self.corpus])
        default_requests(self.metrics, chance=self.chance)
        known(self.annotations, ANNOTATIONS, "value of annotations")
        self.gold = read_corpus(self.corpus)
        if self.gold.positions != "token":
            advice = "convert it with --read tokenizer=LANG"
            raise FormatError(f"gold without tokens; {advice}", self.corpus)
        rows = (layer for document in self.gold.documents for layer in document.layers.items())
        self.layers = sorted({name for name, spans in rows if spans is not None})  # ents first
        if self.layer is not None and self.layer.partition("=")[0] not in self.layers:
            there = ", ".join(self.layers) or "no layer"
            wrong = f"layer {self.layer!r} is not annotated here; there is {there}"
            raise FormatError(wrong, self.corpus)
        if not self.layers:
            logger.warning(
                "save_run: no document of %s is annotated with entities or span groups, and runs "
                "hold spans only, no trees; nothing will be saved",
                self.corpus,
            )

    def __call__(self, nlp: Language) -> Language:
        """The pipeline as it is (or as `wrapped` returns it), after its run was saved."""
        wanted: dict[str | Path, str] = {} if self.last is None else {self.last: LAST}
        performance = nlp.meta.get("performance")
        if performance is not self.performance:  # new at each evaluation, the same at the end
            self.performance, score = performance, _weighted_score(nlp)
            if score >= self.best:  # of equal scores spaCy keeps the last model, too
                self.best, wanted = score, {self.path: BEST, **wanted}
        nlp = self.wrapped(nlp) if self.wrapped else nlp
        if wanted and self.layers:
            _save_all(self, nlp, wanted)
        return nlp


def _weighted_score(nlp: Language) -> float:
    """The score by which spaCy chooses the best model, from the pipeline's meta."""
    weights = nlp.config.interpolate()["training"]["score_weights"]
    performance: Mapping[str, float] = nlp.meta.get("performance", {})
    return sum(
        performance.get(name, 0.0) * weight
        for name, weight in weights.items()
        if weight is not None
    )


def _save_all(saving: SaveRun, nlp: Language, wanted: Mapping[str | Path, str]) -> None:
    """Write the run of the pipeline to every path; `wanted` says which model it describes."""
    from ..runs.files import write_run

    try:
        with _unchanged(nlp):
            run = _run_of_pipeline(saving, nlp)
        for path, model in wanted.items():
            write_run(path, replace(run, sources=(saving.corpus, model)))
    except Exception as error:  # of anybody's components, too: the training is worth more
        logger.warning(
            "save_run: nothing was saved (%s: %s). When the training is over, try: "
            "spacy-chance-eval score %s MODEL -o x.run",
            type(error).__name__,
            error,
            saving.corpus,
        )


def _run_of_pipeline(saving: SaveRun, nlp: Language) -> "StoredRun":
    """The `StoredRun` of the present predictions of the pipeline."""
    from ..corpora.pairs import CorpusPair
    from ..runs.run import stored_run
    from ..scoring.evaluation import default_requests
    from ..spacy_docs.pipeline import corpus_of, predict_examples

    gold = saving.gold
    examples = predict_examples(nlp, gold)
    layers = _pair_of_layers(saving.layer, nlp, examples, saving.layers)
    pred = corpus_of(examples, gold, layers[1], nlp.meta["name"])
    both = CorpusPair(gold, layers[0], pred, layers[1], (saving.corpus, BEST))
    chance = saving.chance or ("disjoint" if layers[1] == "ents" else "overlapping")
    return stored_run(
        *both.aligned(),
        default_requests(saving.metrics, chance=chance),
        attributes=both.attributes,
        data=both.data,
        annotations=saving.annotations,
        sources=both.sources,
    )


def _pair_of_layers(
    wanted: str | None, nlp: Language, examples: Sequence["Example"], gold_layers: Sequence[str]
) -> tuple[str, str]:
    """Layer of gold and layer of the predictions: as wanted, or the first in common."""
    from ..measures.docs import check_layer
    from ..spacy_docs.pipeline import predicted_layer, predicted_layers

    common = [layer for layer in predicted_layers(nlp, examples) if layer in gold_layers]
    gold, _, pred = (wanted or next(iter(common), gold_layers[0])).partition("=")
    pred = pred or (gold if gold in common else predicted_layer(nlp, examples, gold))
    check_layer(pred)
    return gold, pred


@contextmanager
def _unchanged(nlp: Language) -> Iterator[None]:
    """A block after which a training goes on as without it: words, random numbers, dropout."""
    from thinc.api import Model

    state, numpy_state = random.getstate(), np.random.get_state()
    models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
    nodes = [node for model in models if isinstance(model, Model) for node in model.walk()]
    rates = [(node, node.attrs[RATE]) for node in nodes if RATE in node.attrs]
    try:
        with _forgotten(nlp):
            yield
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)
        for node, rate in rates:  # predicting sets them to 0, and they are saved
            node.attrs[RATE] = rate


def _forgotten(nlp: Language) -> AbstractContextManager[Any]:
    """A block after which the vocabulary forgets new words, if spaCy can; no Doc may outlive it."""
    if is_compatible_version(__version__, SOUND_ZONES) and not getattr(
        nlp.vocab, "in_memory_zone", False
    ):
        return nlp.memory_zone()
    return nullcontext()  # zones do not nest


def with_usual_scorers(wrapped: Callable | None, nlp: Language) -> Language:
    """A view of a pipeline whose config has spaCy's scorers, and no component of this package.

    Weights of our scores become those of the scores that spaCy has, and no callback is left: the
    config trains without this package. The view shares all else with the pipeline, so nothing is
    computed or copied to save it.
    """
    nlp = wrapped(nlp) if wrapped else nlp
    view = copy(nlp)
    for name in ("_components", "_pipe_configs", "_pipe_meta", "_disabled"):
        setattr(view, name, copy(getattr(nlp, name)))
    for name in nlp.component_names:
        meta = nlp.get_pipe_meta(name)
        if meta.factory == "chance_eval":
            view.remove_pipe(name)
            continue
        view._pipe_configs[name] = config = deepcopy(nlp.get_pipe_config(name))
        if _is_ours(config):
            config["scorer"] = (meta.default_config or {}).get("scorer")
        if _is_ours(config.get("task")):  # of a component of spacy-llm
            del config["task"]["scorer"]
    view._config = deepcopy(nlp._config)
    training = view._config["training"]
    training["before_to_disk"] = None
    weights = training["score_weights"]
    for name in [*weights]:
        if (ours := OUR_SCORE.match(name)) and (weight := weights.pop(name)):
            usual = f"{ours[1]}_f" if ours[1] else "dep_las"
            weights[usual] = (weights.get(usual) or 0.0) + weight
    return view


def _is_ours(part: Any) -> bool:
    """Whether a part of a config names one of our scorers."""
    scorer = part.get("scorer") if isinstance(part, Mapping) else None
    return isinstance(scorer, Mapping) and str(scorer.get("@scorers")).startswith("spacy-chance")
