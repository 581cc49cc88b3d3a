"""Files of trees: the table of their formats, and one file read."""

from functools import partial
from typing import NamedTuple

from .brackets import read_brackets
from .conllu import read_conllu
from .conllx import read_conllx
from .errors import FormatError, known
from .remote import path_of
from .sentences import Sentence, Treebank

__all__ = ["TREEBANKS", "Sentence", "Treebank", "format_of_trees", "read_trees"]


class TreebankFormat(NamedTuple):
    """A reader, the endings of its files, and the kind of their trees."""

    read: object
    suffixes: tuple
    kind: str


BRACKETS = (".tree", ".mrg", ".ptb", ".brackets", ".parse")
TREEBANKS = {
    "conllu": TreebankFormat(read_conllu, (".conllu",), "dependency"),
    "conllx": TreebankFormat(read_conllx, (".conllx",), "dependency"),
    "brackets": TreebankFormat(read_brackets, BRACKETS, "constituency"),
    # brackets whose style is named, for files that do not show it
    "penn": TreebankFormat(partial(read_brackets, style="penn"), (), "constituency"),
    "delexicalised": TreebankFormat(
        partial(read_brackets, style="delexicalised"), (), "constituency"
    ),
}
SUFFIXES = {suffix: name for name, row in TREEBANKS.items() for suffix in row.suffixes}


def format_of_trees(path):
    """Name of the format of a file by its ending (`.gz` apart); None if it is no treebank's."""
    suffixes = [suffix.lower() for suffix in path_of(path).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    return SUFFIXES.get(suffix)


def read_trees(path, format=None):
    """The `Treebank` of one file.

    Parameters
    ----------
    path : str or Path
        May be packed with gzip.
    format : str, optional
        One of `TREEBANKS`; by default told from the ending.

    Raises
    ------
    FormatError
        If the file cannot be read as trees.
    """
    name = format_of_trees(path) if format is None else known(format, TREEBANKS, "format of trees")
    if name is None and not path_of(path).exists():
        raise FormatError("no such file or folder; check the path", path)
    if name is None:
        raise FormatError(
            f"no ending of trees ({', '.join(SUFFIXES)}); rename the file, or name the format "
            f"({', '.join(TREEBANKS)}: --format)",
            path,
        )
    row = TREEBANKS[name]
    sentences, notes = row.read(path)
    return Treebank(path, row.kind, sentences, notes)
