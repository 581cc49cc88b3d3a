"""Readers and writers: one file per format, one table."""

import gc
import inspect
from contextlib import contextmanager
from typing import NamedTuple

from .brat import read_brat, write_brat
from .cas import read_cas, write_cas
from .cas_files import TYPE_SYSTEM
from .conll import read_conll, write_conll
from .corpus import Corpus, Document, joined, pair
from .doccano import read_doccano, write_doccano
from .errors import FormatError, known
from .gate import read_gate, write_gate
from .jsonl import read_jsonl, write_jsonl
from .labelstudio import read_labelstudio, write_labelstudio
from .paths import files_at, is_pattern, is_several, path_of
from .prodigy import read_prodigy
from .prodigy_out import write_prodigy
from .rows import json_format
from .table import read_table, write_table
from .treebank import format_of_trees

__all__ = ["Corpus", "Document", "FormatError", "pair", "read"]


class Format(NamedTuple):
    """A reader and a writer, the endings of their files, and defaults for predictions."""

    read: object
    suffixes: tuple
    for_pred: dict
    write: object
    folder: bool = False  # whether a folder is read and written as a whole


UNPLACED = {"misaligned": "unplaced"}
CONLL = (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".conll03")
READERS = {
    "conll": Format(read_conll, CONLL, {"repair": "conlleval"}, write_conll),
    "jsonl": Format(read_jsonl, (".jsonl",), UNPLACED, write_jsonl),
    "prodigy": Format(read_prodigy, (), UNPLACED, write_prodigy),
    "brat": Format(read_brat, (".ann",), {}, write_brat, folder=True),
    "csv": Format(read_table, (".csv",), {}, write_table),
    "doccano": Format(read_doccano, (), {}, write_doccano),
    "labelstudio": Format(read_labelstudio, (".json",), {}, write_labelstudio),
    "cas": Format(read_cas, (".xmi", ".zip"), UNPLACED, write_cas),
    "gate": Format(read_gate, (".bdocjs", ".xml"), UNPLACED, write_gate),
}
JSON = (".json", ".jsonl")  # of several formats, told apart by what is in them
ROLES = ("gold", "pred")


def read(path, *, format=None, role="gold", **options):
    """The `Corpus` of a file.

    Parameters
    ----------
    path : str or Path
    format : str, optional
        One of `READERS`. By default told from the name of the file (`.gz` apart), and of JSON from
        what its first object has.
    role : "gold" or "pred"
        Gold has to be sound. Of predictions, improper tags are read as conlleval does, and spans
        that do not fit the tokens are unplaced.
    **options
        As the reader of the format has them; None stands for the default.

    Raises
    ------
    FormatError
        If the file cannot be read.
    ValueError
        For an unknown format, role or option.
    """
    known(role, ROLES, "role")
    name = format_of(path) if format is None else known(format, READERS, "format")
    with collector_paused():
        return READERS[name].read(path, **reader_options(name, role, options))


def reader_options(name, role, options):
    """Options for the reader of a format, with its defaults for a role.

    Raises
    ------
    ValueError
        For an unknown role or option.
    """
    defaults = READERS[name].for_pred if known(role, ROLES, "role") == "pred" else {}
    options = {key: option for key, option in options.items() if option is not None}
    possible = list(inspect.signature(READERS[name].read).parameters)[1:]
    for option in options:
        if option not in possible:
            raise ValueError(
                f"format {name} has no option {option!r}; it has {', '.join(possible)}"
            )
    return defaults | options


@contextmanager
def collector_paused():
    """No search for garbage while a file is read: there is none, and it takes a third longer."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def read_folder(path, **options):
    """The `Corpus` of all files that a folder or a pattern stands for, options as `read` has.

    They are read in the order of their names. Files of a folder whose ending no reader knows (a
    README) and hidden ones are passed over, unless the format is named. Folders of brat are read as
    a whole.
    """
    name = format_of(path) if options.get("format") is None else options["format"]
    if READERS[name].folder and not is_pattern(path):
        return read(path, **options)
    files = files_of(path, options.get("format"))
    return joined(path, [read(file, **options) for file in files])


def files_of(path, format=None):
    """The files of a folder that can be read, or those that match a pattern, sorted."""
    known_endings = {suffix for reader in READERS.values() for suffix in reader.suffixes}
    files = [
        file
        for file in files_at(path)
        if file.name != TYPE_SYSTEM
        and (format or known_endings & {suffix.lower() for suffix in file.suffixes})
    ]
    if not files:
        raise FormatError("no files of a known format in this folder", path)
    return files


def options_of(path, *, format=None):
    """Names of the options that the reader of a file has."""
    reader = READERS[format_of(path) if format is None else known(format, READERS, "format")]
    return list(inspect.signature(reader.read).parameters)[1:]


def format_of(path):
    """Name of the format of a file, or of the files in a folder or that match a pattern."""
    if is_several(path):
        files = files_of(path)
        return "brat" if any(file.suffix == ".ann" for file in files) else format_of(files[0])
    suffixes = [suffix.lower() for suffix in path_of(path).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in JSON:
        return json_format(path, suffix)
    name = next((name for name, reader in READERS.items() if suffix in reader.suffixes), None)
    if name is None and not path_of(path).exists():
        raise FormatError("no such file or folder; check the path", path)
    if name is None and format_of_trees(path):
        raise FormatError(
            f"a file that ends in {suffix!r} holds trees, which score, agree and perturb read; "
            "give a file of spans, or name its format (--format)",
            path,
        )
    if name is None:
        endings = ", ".join(suffix for reader in READERS.values() for suffix in reader.suffixes)
        raise FormatError(
            f"unknown ending {suffix!r}; name the format ({', '.join(READERS)}: --format), or "
            f"rename the file ({endings})",
            path,
        )
    return name
