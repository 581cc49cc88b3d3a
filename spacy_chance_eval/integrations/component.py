"""The component `chance_eval`: changes no document, only scores. For pipelines already trained."""

# annotations are not postponed: spaCy makes schemas of configs from those of registered functions

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..measures.docs import ReadExamples, check_layer
from ..spacy_docs.docs import prefix_of
from .scorers import (
    ScorerSettings,
    SpacyScores,
    as_span_group,
    chance_scores,
    score_names,
    scored_layer,
)

SAME_NAMES = (
    "the components {other!r} and {name!r} would report scores under the same names ({score}). "
    '{advice}, or give {name!r} a prefix: config={{"prefix": "{name}"}} in add_pipe, '
    'config={{"components.{name}.prefix": "{name}"}} in spacy.load'
)


class ChanceEval:
    """Scores layers of documents beyond chance, in any position of a pipeline.

    Parameters
    ----------
    name : str
    layers : list
        "ents" or "spans:KEY"; or a pair of them, gold and prediction, such as
        ["ents", "spans:ruler"].
    unit : "sentence" or "document"
        The text in which the chance model places spans.
    encoding : "IO", "BIO", "BIOE" or "IO*"
        The items that token scores count.
    token_information : "constant", "corpus" or "lexeme_prob"
        Bits of a token, for SL-ICM.
    chance : str, optional
        By default "disjoint" for entities against entities, "overlapping" for span groups.
    allow_overlap : bool
        If not, of overlapping spans of a group the longest, then the first, counts.
    prefix : str
        Stands in front of the names of all scores, which tells two components of one pipeline
        apart: with "strict", `strict_ents_f_corrected`, and `spacy evaluate --spans-key
        strict_corrected`.
    """

    def __init__(
        self,
        name: str = "chance_eval",
        layers: Sequence[str | Sequence[str]] = ("ents",),
        unit: str = "sentence",
        chance: str | None = None,
        encoding: str = "IO",
        token_information: str = "constant",
        *,
        allow_overlap: bool = True,
        prefix: str = "",
    ) -> None:
        if not layers or isinstance(layers, str):
            raise ValueError('chance_eval needs layers; expected a list of "ents" and "spans:KEY"')
        if not re.fullmatch(r"[\w-]*", prefix):
            raise ValueError(f"prefix is {prefix!r}; expected letters, digits, - and _")
        self.name, self.prefix = name, prefix
        self.nlp: Callable[[], Language | None] = _nowhere  # the pipeline that it was made for
        self.allow_overlap = allow_overlap
        self.layers: dict[tuple[str, str], ScorerSettings] = {}
        for layer in layers:
            names = layer if isinstance(layer, (list, tuple)) else (layer, layer)
            if len(names) != 2:
                raise ValueError(f"layer {layer!r} is not a name or a pair (gold, prediction)")
            for one in names:
                check_layer(one)
            pair = names[0], names[1]
            model = chance or ("disjoint" if pair == ("ents", "ents") else "overlapping")
            self.layers[pair] = ScorerSettings(unit, model, encoding, token_information)
        groups = {self._span_group(pair) for pair in self.layers}
        groups -= {f"{self._span_group()}_corrected"}
        if len(groups) < len(self.layers):
            raise ValueError(f"scores of the layers {list(layers)} would have the same names")

    def __call__(self, doc: Doc) -> Doc:
        """The document as it is."""
        return doc

    def __getstate__(self) -> dict[str, Any]:
        """All but the pipeline: processes that only predict need none."""
        return {**vars(self), "nlp": _nowhere}

    def check_names(self, pipes: Iterable[tuple[str, Any]]) -> None:
        """Raise ValueError if another component reports scores under names of ours.

        A component with one of our scorers may, if its settings are ours: then so are its scores.
        """
        for other, pipe in pipes:
            if other == self.name or pipe is self:
                continue
            if isinstance(pipe, ChanceEval):
                names, advice = pipe.score_names, "Let one of them score all layers"
            elif (scored := scored_layer(pipe)) and scored != self._scored_layer(scored[0]):
                layer, settings, filtered = scored
                names = score_names(prefix_of((layer, layer)))
                values = {**asdict(settings), **({"allow_overlap": False} if filtered else {})}
                shown = ", ".join(f"{key}={value!r}" for key, value in values.items())
                advice = f"Give both the same settings (the scorer of {other!r} has {shown})"
            else:
                continue
            shared = [name for name in self.score_names if name in names]
            if shared:
                raise ValueError(
                    SAME_NAMES.format(name=self.name, other=other, score=shared[0], advice=advice)
                )

    def _scored_layer(self, layer: str) -> tuple[str, ScorerSettings, bool] | None:
        """How it scores a layer against the same one, as `scored_layer` says it of scorers."""
        settings = self.layers.get((layer, layer))
        if settings is None or self.prefix:
            return None
        return layer, settings, layer != "ents" and not self.allow_overlap

    @property
    def score_names(self) -> list[str]:
        """The names of all scores that it reports."""
        names = [name for pair in self.layers for name in score_names(self._prefix_of(pair))]
        groups = [self._span_group(), *map(self._span_group, self.layers)]
        return names + [f"{group}_{name}" for group in groups for name in (*"prf", "per_type")]

    def score(self, examples: Iterable[Example], **pipe_settings: Any) -> SpacyScores:
        """Scores of every layer, and those of the first as `spans_corrected_p/r/f` and `_per_type`.

        `spacy evaluate --spans-key corrected` prints the latter. Every layer has its own such
        copy, for `--spans-key corrected_ents`, `--spans-key corrected_sc` ...

        Raises
        ------
        ValueError
            If another component of the pipeline reports scores of the same names. One that was
            taken from another pipeline has not been seen before.
        """
        if (nlp := self.nlp()) is not None:
            self.check_names(nlp.pipeline)
        result: SpacyScores = {}
        examples = ReadExamples(examples)
        for pair, settings in self.layers.items():
            prefix = self._prefix_of(pair)
            filtered = not self.allow_overlap
            scores = chance_scores(
                examples, pair[0], prefix, settings, pred_layer=pair[1], filtered=filtered
            )
            result.update(scores)
            result.update(as_span_group(scores, prefix, self._span_group(pair)))
        first = self._prefix_of(next(iter(self.layers)))
        return {**result, **as_span_group(result, first, self._span_group())}

    def _prefix_of(self, pair: tuple[str, str]) -> str:
        """How the names of the scores of a layer begin."""
        return f"{self.prefix}_{prefix_of(pair)}" if self.prefix else prefix_of(pair)

    def _span_group(self, pair: tuple[str, str] | None = None) -> str:
        """The span group under which `spacy evaluate` finds corrected scores.

        Those of a layer, by default those of the first one.
        """
        parts = ["spans", self.prefix, "corrected"]
        parts.append(prefix_of(pair).removeprefix("spans_") if pair else "")
        return "_".join(filter(None, parts))


def _nowhere() -> None:
    """No pipeline."""
