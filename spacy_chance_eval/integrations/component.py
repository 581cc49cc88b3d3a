"""The component `chance_eval`: changes no document, only scores. For pipelines already trained."""

from spacy.language import Language

from ..spacy_docs.docs import check_layer, prefix_of
from .scorers import chance_scores, checked

DEFAULTS = {
    "layers": ["ents"],
    "unit": "doc",
    "chance": None,
    "encoding": "IO",
    "token_information": "constant",
    "allow_overlap": True,
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
    unit: str,
    chance: str | None,
    encoding: str,
    token_information: str,
    allow_overlap: bool,
):
    """The component of a config; see `ChanceEval`."""
    return ChanceEval(
        name, layers, unit, chance, encoding, token_information, allow_overlap=allow_overlap
    )


class ChanceEval:
    """Scores layers of documents beyond chance, in any position of a pipeline.

    Parameters
    ----------
    name : str
    layers : list
        "ents" or "spans:KEY"; or a pair of them, gold and prediction, such as
        ["ents", "spans:ruler"].
    unit, encoding, token_information
        As for the scorers.
    chance : str, optional
        By default "disjoint" for entities against entities, "overlapping" for span groups.
    allow_overlap : bool
        If not, of overlapping spans of a group the longest, then the first, counts.
    """

    def __init__(
        self,
        name="chance_eval",
        layers=("ents",),
        unit="doc",
        chance=None,
        encoding="IO",
        token_information="constant",
        *,
        allow_overlap=True,
    ):
        if not layers or isinstance(layers, str):
            raise ValueError('chance_eval needs layers; expected a list of "ents" and "spans:KEY"')
        self.name = name
        self.allow_overlap = allow_overlap
        self.layers = {}
        for layer in layers:
            pair = tuple(layer) if isinstance(layer, (list, tuple)) else (layer, layer)
            if len(pair) != 2:
                raise ValueError(f"layer {layer!r} is not a name or a pair (gold, prediction)")
            for side in pair:
                check_layer(side)
            model = chance or ("disjoint" if pair == ("ents", "ents") else "overlapping")
            self.layers[pair] = checked(unit, model, encoding, token_information)
        names = {group_of(pair) for pair in self.layers} - {"spans_corrected_corrected"}
        if len(names) < len(self.layers):
            raise ValueError(f"scores of the layers {list(layers)} would have the same names")

    def __call__(self, doc):
        """The document as it is."""
        return doc

    def score(self, examples, **pipe_settings):
        """Scores of every layer, and those of the first as `spans_corrected_p/r/f` and `_per_type`.

        `spacy evaluate --spans-key corrected` prints the latter. Every layer has its own such
        copy, for `--spans-key corrected_ents`, `--spans-key corrected_sc` ...
        """
        found, examples = {}, list(examples)
        for pair, settings in self.layers.items():
            prefix = prefix_of(pair)
            filtered = not self.allow_overlap
            scores = chance_scores(
                examples, pair[0], prefix, settings, pred_layer=pair[1], filtered=filtered
            )
            found.update(scores)
            found.update(as_span_group(scores, prefix, group_of(pair)))
        first = prefix_of(next(iter(self.layers)))
        return {**found, **as_span_group(found, first, "spans_corrected")}


def group_of(pair):
    """Under which span group `spacy evaluate` finds the corrected scores of a layer."""
    return f"spans_corrected_{prefix_of(pair).removeprefix('spans_')}"


def as_span_group(scores, prefix, group):
    """The corrected scores under names that `spacy evaluate` prints for a span group."""
    renamed = {f"{group}_{name}": scores[f"{prefix}_{name}_corrected"] for name in "prf"}
    per_type = scores[f"{prefix}_corrected_per_type"]
    renamed[f"{group}_per_type"] = per_type and {
        label: {name: row[f"{name}_corrected"] for name in "prf"} for label, row in per_type.items()
    }
    return renamed
