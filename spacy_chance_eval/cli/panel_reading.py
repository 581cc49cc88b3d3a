"""Options of `agree` and `plan`: of metrics, and of reading annotators."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..corpora.pairs import ReadOptions
from ..corpora.panels import PANEL_BY, PanelOptions
from ..formats.keys import keys
from ..metrics.request import IGNORE
from .options import (
    CHANCE,
    ENCODING,
    FEATURES,
    IGNORE_LABELS,
    ITEMS,
    MODE,
    UNIT,
    FileOptions,
    TreeOptions,
    check_unused,
    given,
)
from .parameters import OptionGroup, option

if TYPE_CHECKING:
    from ..corpora.treebanks import TreebankOptions

OF_TREES = ("by", "align", "format", "on_error", "text", "read")  # which are not for spans alone


class MetricDefaults(OptionGroup):
    """Values of parameters that metrics of spans leave open."""

    chance: str | None = CHANCE
    unit: str | None = UNIT
    encoding: str | None = ENCODING
    ignore_labels: bool = IGNORE_LABELS
    items: str | None = ITEMS
    mode: str | None = MODE
    features: str | None = FEATURES

    def given(self) -> dict[str, Any]:
        """The values that were given, by the names of the parameters."""
        values = {name: value for name, value in vars(self).items() if name != "ignore_labels"}
        return given({**values, "labels": IGNORE if self.ignore_labels else None})


class PanelReading(FileOptions):
    """How files of spans are read, and who the annotators are."""

    by: str = option(
        "auto",
        help=f"Annotators: {', '.join(PANEL_BY)} (auto: files, or layers of one); of trees also "
        "name (CORPUS-ANNOTATOR).",
    )
    layer: list[str] = option(
        None,
        "--layer",
        "-l",
        help="[NAME=]LAYER, such as bob=spans:b; may be repeated.",
        panel="Formats",
    )
    feature: str | None = option(
        None,
        "--label-feature",
        "--label",
        help=keys()["feature"].metadata["about"],
        panel="Formats",
    )

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that were named."""
        return tuple(self.layer or filter(None, [self.reading.layer]))

    def of_spans(self) -> dict[str, object]:
        """The values of options that do nothing for trees, by name."""
        return {name: value for name, value in vars(self).items() if name not in OF_TREES}

    def panel_options(self, categories: bool = False) -> PanelOptions:
        """How files of spans, or of categories, are read. Loads spaCy if its tokenizer is wanted.

        Parameters
        ----------
        categories : bool
            Whether labels of whole documents are compared.
        """
        return PanelOptions.of(self.reading, self.by, self.layers, categories)

    def pair_options(self) -> ReadOptions:
        """How gold and predictions are read. Loads spaCy if its tokenizer is wanted."""
        only = {"by": self.by != "auto", "layer": len(self.layers) > 1}
        check_unused(only, "for annotators, but --gold is given")
        return replace(ReadOptions.of(self.reading), layer=next(iter(self.layers), None))

    def tree_options(self, trees: TreeOptions) -> "TreebankOptions":
        """How treebanks are read.

        Parameters
        ----------
        trees : TreeOptions
            The options that are for trees alone.
        """
        return trees.read_options(self.reading, by=self.by)
