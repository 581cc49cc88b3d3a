"""The command `convert`: parse, call one function, print."""

from ..formats import READERS
from ..formats.files import suffix_of
from ..reports.words import quantity
from ..tasks.convert import TARGETS, convert_file
from .options import (
    BY_SPACY,
    DOCUMENTS,
    DUPLICATES,
    LABEL_FEATURE,
    OFFSETS,
    ON_ERROR,
    SCHEME,
    SIZES,
    TAG_NAMES,
    TEXT_KEY,
    TEXTS,
    TRIM,
    TYPE,
    TYPESYSTEM,
    AnyPath,
    as_path,
    check_outputs,
    given,
    make_folder,
    progress_bar,
    tokenizer_of,
)
from .parameters import argument, main_options, option
from .running import say


@main_options(
    "format",
    "to",
    "layer",
    "annotator_field",
    "column",
    "repair",
    "tokenizer",
    "offsets",
    "lang",
    "ents",
)
def convert_command(
    source: AnyPath = argument(
        ..., parser=as_path, help="File or folder of any format, .spacy included."
    ),
    target: AnyPath = argument(
        ...,
        parser=as_path,
        help="File to write; its ending tells the format.",
    ),
    format: str | None = option(None, help=f"Format: {', '.join(READERS)}. [default: by name]"),
    to: str | None = option(None, help=f"To write: {', '.join(TARGETS)}. [default: by name]"),
    layer: str | None = option(None, help="The only layer to write, of several."),
    annotator_field: str | None = option(
        None, help="Key of the annotator in JSON rows; each becomes a layer. Prodigy: or auto."
    ),
    lang: str = option("xx", help="Language of the vocabulary of a .spacy file."),
    ents: str | None = option(
        None, help="Layer that becomes the entities, or none. [default: the main one]"
    ),
    column: str | None = option(
        None,
        "--column",
        "--columns",
        help="Column of the tags, several such as 1,2 for nested spans, or key of rows; all: each "
        "is a layer. [default: the last]",
    ),
    repair: str | None = option(None, help="Improper tags: error, begin, drop or conlleval."),
    scheme: str | None = SCHEME,
    documents: str | None = DOCUMENTS,
    offsets: str | None = OFFSETS,
    misaligned: str | None = option(
        None, help="Spans that do not fit the tokens: error or unplaced. [default: error]"
    ),
    duplicates: str | None = DUPLICATES,
    on_error: str | None = ON_ERROR,
    trim: str | None = TRIM,
    type: str | None = TYPE,
    typesystem: AnyPath | None = TYPESYSTEM,
    label: str | None = LABEL_FEATURE,
    labels: str | None = TAG_NAMES,
    text: str | None = TEXT_KEY,
    texts: AnyPath | None = TEXTS,
    sizes: str | None = SIZES,
    tokenizer: str | None = BY_SPACY,
    strict: bool = option(False, help="Refuse annotation that the target cannot hold."),
) -> None:
    """Convert annotations between formats, and report losses.

      convert gold.conll gold.spacy
      convert dataset.jsonl team.jsonl --annotator-field auto
      convert brat_folder/ tokens.conll --tokenizer en
      convert places.csv places.bdm  # closeness of labels

    In .spacy files, layers other than the main one become span groups. A .bdm file has GATE's BDM,
    for -m "bdm_f(closeness=places.bdm)": 1 for equal concepts, 0 for those that have no ancestor in
    common but a root, and in between the higher, the deeper their most specific common ancestor is.
    """
    if suffix_of(target) == ".bdm":
        from ..formats.ontology import write_closeness

        check_outputs([source], [target])
        make_folder(target)
        n_pairs = write_closeness(source, target, progress_bar)
        say(f"{target}: {quantity(n_pairs, 'pair')} of concepts", "good")
        return
    options = {
        "format": format,
        "repair": repair,
        "scheme": scheme,
        "documents": documents,
        "columns": column and (column if column == "all" else {"gold": column}),
        "offsets": offsets,
        "misaligned": misaligned,
        "duplicates": duplicates,
        "trim": trim,
        "on_error": on_error,
        "annotator": annotator_field,
        "type": type,
        "typesystem": typesystem,
        "label": label,
        "labels": labels,
        "text": text,
        "texts": texts,
        "sizes": sizes,
    }
    check_outputs([(source, format), texts, typesystem], [target])
    make_folder(target)
    warnings: list[str] = []
    n_docs, lost = convert_file(
        source,
        target,
        to=to,
        layer=layer,
        tokenize=tokenizer_of(tokenizer),
        lang=lang,
        ents=ents,
        options=given(options),
        strict=strict,
        warn=warnings.append,
    )
    say(f"{target}: {quantity(n_docs, 'document')}", "good")
    for sentence in warnings:
        say(f"Warning: {sentence}", "warn")
    if lost:
        say(f"dropped: {', '.join(lost)}", "warn")
