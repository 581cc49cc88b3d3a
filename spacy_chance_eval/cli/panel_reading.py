"""Options of `agree` and `plan`: of metrics, and of reading annotators."""

from typing import TYPE_CHECKING, Any

from ..corpora.pairs import ReadOptions
from ..corpora.panels import PANEL_BY, PanelOptions
from ..metrics.request import IGNORE
from .options import (
    ALIGN_TOKENS,
    ALL_FORMATS,
    BY_SPACY,
    CHANCE,
    DOCUMENTS,
    DUPLICATES,
    ENCODING,
    FEATURES,
    IGNORE_LABELS,
    ITEMS,
    LABEL_FEATURE,
    MODE,
    OFFSETS,
    ON_ERROR,
    READERS_NAMES,
    REPAIR,
    SCHEME,
    SHARED_OPTIONS,
    SIZES,
    TAG_NAMES,
    TEXT_KEY,
    TEXTS,
    TOKEN_COLUMN,
    TRIM,
    TYPE,
    TYPESYSTEM,
    UNIT,
    AnyPath,
    TreeOptions,
    check_unused,
    checked_align,
    given,
    reader_settings,
    tokenizer_of,
)
from .parameters import OptionGroup, option

if TYPE_CHECKING:
    from ..corpora.treebanks import TreebankOptions

# not for readers
OF_PANELS = ("by", "annotator_field", "layer", "tokenizer", "align")
OF_TREES = ("by", "align", "format", "on_error", "text")  # which are not for spans alone


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


class PanelReading(OptionGroup):
    """How files of spans are read, and who the annotators are."""

    by: str = option(
        "auto",
        help=f"Annotators: {', '.join(PANEL_BY)} (auto: files, or layers of one); of trees also "
        "name (CORPUS-ANNOTATOR).",
    )
    annotator_field: str | None = option(
        None,
        help="Key of annotators in JSON rows. [default: Prodigy's]",
        panel="Formats",
    )
    layer: list[str] = option(
        None,
        "--layer",
        "-l",
        help="[NAME=]LAYER, such as bob=spans:b; may be repeated.",
        panel="Formats",
    )
    format: str | None = option(
        None, help=f"Format: {ALL_FORMATS}. [default: by name]", panel="Formats"
    )
    token_column: str | None = TOKEN_COLUMN
    scheme: str | None = SCHEME
    documents: str | None = DOCUMENTS
    offsets: str | None = OFFSETS
    repair: str | None = REPAIR
    misaligned: str | None = option(
        None,
        help="Spans that do not fit the tokens: unplaced or error. [default: unplaced]",
        panel="Formats",
    )
    duplicates: str | None = DUPLICATES
    on_error: str | None = ON_ERROR
    trim: str | None = TRIM
    type: str | None = TYPE
    typesystem: AnyPath | None = TYPESYSTEM
    label_feature: str | None = LABEL_FEATURE
    labels: str | None = TAG_NAMES
    text: str | None = TEXT_KEY
    texts: AnyPath | None = TEXTS
    sizes: str | None = SIZES
    tokenizer: str | None = BY_SPACY
    align: str | None = ALIGN_TOKENS

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
        of_files = {name: one for name, one in vars(self).items() if name not in OF_PANELS}
        return PanelOptions(
            self.by,
            self.annotator_field,
            tuple(self.layer or ()),
            categories,
            tokenizer_of(self.tokenizer),
            {READERS_NAMES.get(name, name): one for name, one in given(of_files).items()},
            checked_align(self.align),
        )

    def pair_options(self) -> ReadOptions:
        """How gold and predictions are read. Loads spaCy if its tokenizer is wanted."""
        layers = self.layer or []
        only = {"by": self.by != "auto", "layer": len(layers) > 1}
        check_unused(only, "for annotators, but --gold is given")
        shared = {READERS_NAMES.get(name, name): getattr(self, name) for name in SHARED_OPTIONS}
        return ReadOptions(
            next(iter(layers), None),
            None,
            reader_settings(self.format, None, self.repair, self.misaligned),
            reader_settings(self.format, None, self.repair),
            given(shared),
            tokenizer_of(self.tokenizer),
            align=checked_align(self.align),
        )

    def tree_options(self, trees: TreeOptions) -> "TreebankOptions":
        """How treebanks are read.

        Parameters
        ----------
        trees : TreeOptions
            The options that are for trees alone.
        """
        return trees.read_options(
            align=self.align,
            by=self.by,
            format=self.format,
            on_error=self.on_error,
            text=self.text,
        )
