"""The command `convert`: parse, call one function, print."""

from ..corpora.sources import source_at
from ..formats import READERS
from ..formats.files import suffix_of
from ..formats.keys import target_keys
from ..formats.outputs import local_path
from ..reports.words import quantity
from ..tasks.convert import TARGETS, convert_file
from .options import (
    AnyPath,
    FileOptions,
    as_path,
    check_outputs,
    progress_bar,
)
from .parameters import argument, main_options, option, with_options
from .running import say


class _SourceOptions(FileOptions):
    """How the source is read."""

    format: str | None = option(
        None, help=f"Format: {', '.join(READERS)}. [default: by content]", panel="Formats"
    )


@main_options(
    "format",
    "to",
    "layer",
    "annotator",
    "column",
    "repair",
    "tokenizer",
    "offsets",
    "lang",
    "ents",
)
@with_options(reading=_SourceOptions)
def convert_command(
    source: AnyPath = argument(
        ..., parser=as_path, help="File or folder of any format, .spacy included."
    ),
    target: AnyPath = argument(
        ...,
        parser=as_path,
        help="File to write; its ending tells the format. Or PATH#key=value,... with the keys "
        "format, layer, lang and ents.",
    ),
    to: str | None = option(None, help=f"To write: {', '.join(TARGETS)}. [default: by name]"),
    lang: str = option("xx", help="Language of the vocabulary of a .spacy file."),
    ents: str | None = option(
        None, help="Layer that becomes the entities, or none. [default: the main one]"
    ),
    strict: bool = option(False, help="Refuse annotation that the target cannot hold."),
    *,
    reading: _SourceOptions,
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
    place, _ = target_keys(target)
    if suffix_of(target) == ".bdm" and to is None:
        from ..formats.ontology import write_closeness

        check_outputs([source], [target])
        n_pairs = write_closeness(source, target, progress_bar)
        say(f"{target}: {quantity(n_pairs, 'pair')} of concepts", "good")
        return
    inputs = [(source_at(source).path, reading.reading.format), *reading.files_beside()]
    check_outputs(inputs, [local_path(place)])
    warnings: list[str] = []
    n_docs, lost = convert_file(
        source,
        target,
        to=to,
        reading=reading.reading,
        lang=lang,
        ents=ents,
        strict=strict,
        warn=warnings.append,
    )
    say(f"{place}: {quantity(n_docs, 'document')}", "good")
    for sentence in warnings:
        say(f"Warning: {sentence}", "warn")
    if lost:
        say(f"dropped: {', '.join(lost)}", "warn")
