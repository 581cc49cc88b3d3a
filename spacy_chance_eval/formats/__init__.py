"""Readers: one file per format, one table."""

import gc
import inspect
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .conll import read_conll
from .corpus import Corpus, Document, joined, pair
from .errors import FormatError, Mistake, known
from .files import open_text
from .jsonl import read_jsonl
from .prodigy import read_prodigy
from .rows import parsed_row

__all__ = ["Corpus", "Document", "FormatError", "pair", "read"]


class Reader(NamedTuple):
    """A function, the endings of its files, and its defaults for predictions."""

    read: object
    suffixes: tuple
    for_pred: dict


READERS = {
    "conll": Reader(
        read_conll,
        (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".conll03"),
        {"repair": "conlleval"},
    ),
    "jsonl": Reader(read_jsonl, (".jsonl",), {"misaligned": "unplaced"}),
    "prodigy": Reader(read_prodigy, (), {"misaligned": "unplaced"}),
}
ROLES = ("gold", "pred")


def read(path, *, format=None, role="gold", **options):
    """The `Corpus` of a file.

    Parameters
    ----------
    path : str or Path
    format : "conll", "jsonl" or "prodigy", optional
        By default told from the name of the file (`.gz` apart), Prodigy's JSONL from its first row.
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
    options = {key: option for key, option in options.items() if option is not None}
    possible = options_of(path, format=name)
    for option in options:
        if option not in possible:
            raise ValueError(
                f"format {name} has no option {option!r}; it has {', '.join(possible)}"
            )
    reader = READERS[name]
    defaults = reader.for_pred if role == "pred" else {}
    with collector_paused():
        return reader.read(path, **(defaults | options))


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
    """The `Corpus` of all files in a folder, in the order of their names; options as `read` has.

    Files whose ending no reader knows (a README) and hidden ones are passed over, unless the format
    is named.
    """
    files = files_of(path, options.get("format"))
    return joined(path, [read(file, **options) for file in files])


def files_of(folder, format=None):
    """The files of a folder that can be read, sorted by their paths in it."""
    known_endings = {suffix for reader in READERS.values() for suffix in reader.suffixes}
    files = [
        file
        for file in sorted(Path(folder).rglob("*"))
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and (format or known_endings & {suffix.lower() for suffix in file.suffixes})
    ]
    if not files:
        raise FormatError("no files of a known format in this folder", folder)
    return files


def options_of(path, *, format=None):
    """Names of the options that the reader of a file has."""
    reader = READERS[format_of(path) if format is None else known(format, READERS, "format")]
    return list(inspect.signature(reader.read).parameters)[1:]


def format_of(path):
    """Name of the format of a file."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    name = next((name for name, reader in READERS.items() if suffix in reader.suffixes), None)
    if name is None:
        endings = ", ".join(suffix for reader in READERS.values() for suffix in reader.suffixes)
        raise FormatError(
            f"unknown ending {suffix!r}; name the format ({', '.join(READERS)}: --format), or "
            f"rename the file ({endings})",
            path,
        )
    return "prodigy" if name == "jsonl" and from_prodigy(path) else name


def from_prodigy(path):
    """Whether the first row of a JSONL file is a task of Prodigy."""
    with open_text(path) as lines:
        first = next((line for line in lines if line.strip()), "{}")
    try:
        row = parsed_row(first)
    except Mistake:
        return False  # the reader will say so, with the line
    spans = row.get("spans") if type(row.get("spans")) is list else []
    return "_input_hash" in row or any(type(s) is dict and "token_start" in s for s in spans)
