"""Options of `agree` and `plan`: of metrics, and of reading annotators."""

from typing import Any

from ..corpora.panels import PANEL_BY
from ..formats.keys import Reading, keys
from .options import (
    CHANCE,
    ITEMS,
    UNIT,
    FileOptions,
    check_unused,
    given,
)
from .parameters import OptionGroup, option

OF_TREES = ("by", "align", "format", "on_error", "text", "read")  # which are not for spans alone


class MetricDefaults(OptionGroup):
    """Values of parameters that metrics of spans leave open."""

    chance: str | None = CHANCE
    unit: str | None = UNIT
    items: str | None = ITEMS

    def given(self) -> dict[str, Any]:
        """The values that were given, by the names of the parameters."""
        return given(vars(self))


class PanelReading(FileOptions):
    """How files of spans are read, and who the annotators are."""

    by: str = option(
        "auto",
        help=f"Annotators: {', '.join(PANEL_BY)} (auto: files, or layers of one).",
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

    def asked(self, categories: bool = False) -> dict[str, Any]:
        """Arguments of functions that read annotators of spans, or of categories."""
        asked = {"by": self.by, "layers": self.layers, "categories": categories}
        return {"reading": self.reading, **asked}

    def of_pairs(self) -> Reading:
        """How gold and predictions are read."""
        only = {"by": self.by != "auto", "layer": len(self.layers) > 1}
        check_unused(only, "for annotators, but --gold is given")
        return self.reading | Reading(layer=next(iter(self.layers), None))
