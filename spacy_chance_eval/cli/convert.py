"""The command `convert`: parse, call one function, print."""

from ..formats import READERS
from ..formats.files import suffix_of
from ..formats.keys import target_keys
from ..formats.outputs import local_path
from ..measures.messages import bounded
from ..reports.words import quantity
from ..tasks.convert import TARGETS, check_target, convert_file
from .options import FileOptions, check_outputs, inputs_of, progress_bar
from .parameters import argument, option, with_options
from .running import echo, option_values


class _FileOptions(FileOptions):
    """How the source is read."""

    format: str | None = option(
        None, help=f"Format: {', '.join(READERS)}. [default: by content]", panel="Files"
    )
    align = None  # of comparisons


@with_options("format column layer read strict", files=_FileOptions)
def convert_command(
    source: str = argument(..., help="File or folder of any format, .spacy included."),
    target: str = argument(
        ...,
        help=f"File to write; its ending tells the format. PATH#format=NAME: {', '.join(TARGETS)}; "
        "of .spacy also lang=LANG of its words, and ents=LAYER that becomes the entities, or none.",
    ),
    strict: bool = option(False, "--strict", help="Refuse annotation that the target cannot hold."),
    *,
    files: _FileOptions,
) -> None:
    """Convert annotations between formats, and report losses.

      convert gold.conll gold.spacy
      convert dataset.jsonl team.jsonl --read annotator=auto
      convert brat_folder/ tokens.conll --read tokenizer=en
      convert places.csv places.bdm  # closeness of labels

    In .spacy files, layers other than the main one become span groups. A .bdm file has GATE's BDM,
    for -m "bdm_f(closeness=places.bdm)": 1 for equal concepts, 0 for those that have no ancestor in
    common but a root, and in between the higher, the deeper their most specific common ancestor is.
    """
    if suffix_of(target) == ".bdm":
        from ..formats.ontology import write_closeness

        check_outputs([source], [target])
        n_pairs = write_closeness(source, target, progress_bar)
        echo(f"{target}: {quantity(n_pairs, 'pair')} of concepts")
        return
    place, keys = target_keys(target)
    check_outputs(inputs_of([source], files), [local_path(place)])
    with option_values():
        check_target(place, keys)
    n_docs, warnings, lost = convert_file(source, target, reading=files.given, strict=strict)
    lines = [f"{place}: {quantity(n_docs, 'document')}"]
    lines += [f"Warning: {sentence}" for sentence in warnings]
    lines += [f"dropped: {', '.join(lost)}"] * bool(lost)
    echo(bounded("\n".join(lines)))
