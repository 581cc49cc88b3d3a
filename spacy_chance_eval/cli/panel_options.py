"""Options of `agree` and `plan`: how annotators are read."""

from typing import Any

from ..corpora.panels import PANEL_BY
from ..formats.keys import Reading
from .options import FileOptions
from .parameters import option


class PanelOptions(FileOptions):
    """How files of annotators are read, and who the annotators are."""

    layer: list[str] = option(
        None,
        "--layer",
        "-l",
        help="[NAME=]LAYER, such as bob=spans:b; may be repeated.",
        panel="Files",
    )
    annotators: str = option(
        "auto",
        help=f"Who the annotators are: {', '.join(PANEL_BY)}, or the key of rows that names them. "
        "[default: files, or layers of one]",
        panel="Files",
    )

    @property
    def by(self) -> str:
        """What tells annotators apart, where no key does."""
        return self.annotators if self.annotators in PANEL_BY else "auto"

    @property
    def given(self) -> Reading:
        """The keys that were given, with that of the annotators."""
        named = self.annotators not in PANEL_BY
        return super().given | Reading(annotator=self.annotators if named else None)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that were named."""
        return tuple(self.layer or filter(None, [self.reading.layer]))

    def asked(self, categories: bool = False) -> dict[str, Any]:
        """Arguments of functions that read annotators of spans, or of categories."""
        asked = {"by": self.by, "layers": self.layers, "categories": categories}
        return {"reading": self.reading, **asked}
