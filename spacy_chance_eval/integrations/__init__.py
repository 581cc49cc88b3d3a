"""Functions registered with spaCy, panels from Docs, scores for Hugging Face; Prodigy: `prodigy`.

spaCy imports the registered functions with every pipeline of every program, so this module imports
nothing else of the package; a function imports what it needs when a config names it.
"""

# annotations are not postponed: spaCy makes schemas of configs from those of registered functions

import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from spacy.language import Language

from ..about import lazy

if TYPE_CHECKING:
    from .component import ChanceEval
    from .huggingface import make_compute_metrics, seqeval_scores
    from .panels import corpus_of_docs, panel_of_docs

# spaCy checks configs by these, and prints the section, the value and what is permitted
Unit = Literal["sentence", "document"]
Chance = Literal["disjoint", "overlapping", "nested", "uniform", "none"]
Encoding = Literal["IO", "BIO", "BIOE", "IO*"]
TokenInformation = Literal["constant", "corpus", "lexeme_prob"]

REGISTERED = [
    "make_chance_eval",
    "make_ner_scorer",
    "make_parser_scorer",
    "make_reset_scorers",
    "make_save_run",
    "make_spancat_scorer",
]
_names, __getattr__ = lazy(
    __name__,
    {
        "component": "ChanceEval",
        "huggingface": "make_compute_metrics seqeval_scores",
        "panels": "corpus_of_docs panel_of_docs",
    },
)
__all__ = [*REGISTERED, *_names]


def make_ner_scorer(
    unit: Unit = "sentence",
    chance: Chance = "disjoint",
    encoding: Encoding = "IO",
    token_information: TokenInformation = "constant",
) -> Callable:
    """A scorer for entities: spaCy's `ents_p/r/f` and `ents_per_type`, and ours beside them.

    Parameters
    ----------
    unit : "sentence" or "document"
        The text in which the chance model places spans.
    chance : "disjoint", "overlapping", "nested", "uniform" or "none"
        The chance model: where random annotation places spans. "none": no correction.
    encoding : "IO", "BIO", "BIOE" or "IO*"
        The items that token scores count.
    token_information : "constant", "corpus" or "lexeme_prob"
        Bits of a token, for SL-ICM.
    """
    from .scorers import ScorerSettings, score_ents

    return partial(score_ents, ScorerSettings(unit, chance, encoding, token_information))


def make_spancat_scorer(
    spans_key: str | None = None,
    allow_overlap: bool = True,
    unit: Unit = "sentence",
    chance: Chance = "overlapping",
    encoding: Encoding = "IO",
    token_information: TokenInformation = "constant",
) -> Callable:
    """A scorer for a span group: spaCy's `spans_<key>_p/r/f` and `_per_type`, and ours beside them.

    Parameters
    ----------
    spans_key : str, optional
        The group; by default the one of the component, else "sc".
    allow_overlap : bool
        If not, of overlapping spans the longest, then the first, is kept in our scores.
    unit : "sentence" or "document"
        The text in which the chance model places spans.
    chance : "disjoint", "overlapping", "nested", "uniform" or "none"
        The chance model: where random annotation places spans. "none": no correction.
    encoding : "IO", "BIO", "BIOE" or "IO*"
        The items that token scores count.
    token_information : "constant", "corpus" or "lexeme_prob"
        Bits of a token, for SL-ICM.
    """
    from .scorers import ScorerSettings, score_span_group

    settings = ScorerSettings(unit, chance, encoding, token_information)
    return partial(score_span_group, settings, spans_key, allow_overlap)


def make_parser_scorer(
    delta: Literal["plain", "diff", "norm"] = "plain",
    sample: int = 2000,
    seed: int = 0,
    cycles: Literal["error", "reachable"] = "error",
) -> Callable:
    """A scorer for parsers: spaCy's `dep_uas`, `dep_las`, `sents_f` ..., and `dep_alpha`.

    Parameters
    ----------
    delta : "plain", "diff" or "norm"
        Of tree edit distances; only "plain" is a metric.
    sample : int
        Number of pairs of trees that are drawn for the expected disagreement, which is estimated by
        a regression on the sizes of trees; all pairs if there are no more, and with 0.
    seed : int
        Of the draw.
    cycles : "error" or "reachable"
        How to treat heads that form a cycle. spaCy's parser never predicts one.
    """
    from ..metrics.request import request
    from .scorers import score_parses

    metric = request("syntax_alpha", delta=delta, sample=sample, seed=seed)
    return partial(score_parses, metric, cycles)


DEFAULTS = {
    "layers": ["ents"],
    "unit": "sentence",
    "chance": None,
    "encoding": "IO",
    "token_information": "constant",
    "allow_overlap": True,
    "prefix": None,
}


@Language.factory(
    "chance_eval",
    default_config=DEFAULTS,
    default_score_weights={"spans_corrected_f": None},
)
def make_chance_eval(
    nlp: Language,
    name: str,
    layers: list[str | list[str]],
    unit: Unit,
    chance: Chance | None,
    encoding: Encoding,
    token_information: TokenInformation,
    allow_overlap: bool,
    prefix: str | None,
) -> "ChanceEval":
    """The `ChanceEval` of a config.

    Raises
    ------
    ValueError
        For bad settings; and if another one of the pipeline reports scores of the same names.
    """
    from .component import ChanceEval

    component = ChanceEval(
        name,
        layers,
        unit,
        chance,
        encoding,
        token_information,
        allow_overlap=allow_overlap,
        prefix=prefix or "",
    )
    component.check_names(nlp.components)
    component.nlp = weakref.ref(nlp)
    return component


def make_save_run(
    path: str | Path | None,
    corpus: str | Path | None,
    layer: str | None = None,
    last: str | Path | None = None,
    metrics: list[str] | None = None,
    chance: str | None = None,
    annotations: str = "spans",
    wrapped: Callable | None = None,
) -> Callable:
    """A callback for `training.before_to_disk` that saves a run, like `score -o`, of `model-best`.

    spaCy calls it at every evaluation, with the averaged weights that it is about to save. The
    callback computes spaCy's weighted score as spaCy does, and when it is the best so far predicts
    the documents of `corpus` and replaces the file; so the file is always that of the newest
    `model-best`, also when the training is interrupted. It costs one more prediction of the corpus
    each time the score gets better (with `last`: at each evaluation, and at the end). The pipeline
    is not changed; but before spaCy 3.8.3 words of `corpus` that it has not met stay in the strings
    of its vocabulary, and are saved with it. An error during training is a warning, as
    `score -o` can be called later.

    Parameters
    ----------
    path : str or Path
        Where the run of `model-best` goes.
    corpus : str or Path
        Gold documents in any format, such as ${paths.dev}.
    layer : str, optional
        "ents", "spans:KEY" or "GOLD=PREDICTED"; by default the entities, else the first span group
        that gold and the pipeline have in common.
    last : str or Path, optional
        Where the run of `model-last` goes.
    metrics : list of str, optional
        Such as "token_f(encoding=BIO)"; by default the usual ones.
    chance : str, optional
        By default "disjoint" for entities, "overlapping" where a span group is compared.
    annotations : str
        Kept beside the numbers: the "spans", "none" of them, or also the "text".
    wrapped : callable, optional
        Another callback, called first; for example this one for another layer.

    Raises
    ------
    ValueError
        When the config is read: for a corpus, a path, a layer or metrics that cannot be; for a path
        of a file that is no run.
    """
    from .training import SaveRun

    for name, given in (("path", path), ("corpus", corpus)):
        if given is None:
            raise ValueError(f"save_run has no {name}; set training.before_to_disk.{name}")
    assert path is not None and corpus is not None
    return SaveRun(path, str(corpus), layer, last, metrics or [], chance, annotations, wrapped)


def make_reset_scorers(wrapped: Callable | None = None) -> Callable:
    """A callback for `training.before_to_disk`: the saved pipeline does not need this package.

    The saved pipeline has spaCy's own scorers in place of ours, and no component `chance_eval`. The
    pipeline that is trained keeps them.

    Parameters
    ----------
    wrapped : callable, optional
        Another callback, called first, such as that of `make_save_run`.
    """
    from .training import with_usual_scorers

    return partial(with_usual_scorers, wrapped)
