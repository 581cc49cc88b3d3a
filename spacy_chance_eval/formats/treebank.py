"""Reading treebanks, and which files of a folder hold trees of whom."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from . import TREE_SUFFIXES, TREEBANKS, format_of_trees
from .blemishes import SENTENCES, STOP, check_share, share_of
from .errors import FormatError, PathLike, known
from .notes import Kind, Place, note
from .paths import DOCBINS, files_at, is_docbin, path_of
from .sentences import Treebank

MOST_FILES = 6  # that a message names
CYCLE = Kind(SENTENCES, "mend the heads, or measure the rest with --cycles reachable")


def annotators_in(
    folder: PathLike, by: str, format: str | None
) -> dict[str, tuple[PathLike, dict[Path, str]]]:
    """{annotator: (folder, {file: its document})} of the annotators with files in one folder.

    Parameters
    ----------
    by : "auto", "file" or "name"
        "file": each file name is an annotator, and folders are documents. "name": files are called
        DOCUMENT-ANNOTATOR. "auto": "name" if all files are called so, else "file".
    format : str, optional
        One of `TREEBANKS`.
    """
    files = _files_of(folder, format)
    if by == "name" and not _are_named(files):
        wrong = next(file for file in files if not _are_named([file]))
        found = ", ".join(file.name for file in files[:MOST_FILES])
        found += f" and {len(files) - MOST_FILES} more" * (len(files) > MOST_FILES)
        raise FormatError(
            f"no name such as DOCUMENT-ANNOTATOR; rename it, or by file (found: {found})", wrong
        )
    if by == "file" or not _are_named(files):
        parents = {file: str(file.parent.relative_to(folder)) for file in files}
        rows = {
            file: ("" if parents[file] == "." else parents[file], _stem_of(file)) for file in files
        }
    else:
        rows = {file: _stem_of(file).rpartition("-")[::2] for file in files}
        twice = Counter(rows.values())
        for file, (document, name) in rows.items():
            if twice[document, name] > 1:
                rows[file] = _name_in(folder, file, document), name
    sides: dict[str, tuple[PathLike, dict[Path, str]]] = {}
    for file, (document, name) in rows.items():
        sides.setdefault(name, (folder, {}))[1][file] = document
    return sides


def _are_named(files: Iterable[Path]) -> bool:
    """Whether all files are called DOCUMENT-ANNOTATOR."""
    return all(part for file in files for part in _stem_of(file).rpartition("-"))


def odd_name(files: Collection[PathLike]) -> str | None:
    """A note on files of which some, not all, are called DOCUMENT-ANNOTATOR; None of others."""
    odd = [file for file in map(Path, files) if not _are_named([file])]
    if not odd or len(odd) == len(files):
        return None
    return f"{odd[0].name} is not called DOCUMENT-ANNOTATOR as other files are: by file"


def documents_in(path: PathLike, format: str | None = None) -> dict[PathLike, str]:
    """{file: name of its document} of a treebank, a folder or one file; a file alone has none, "".

    If all files of a folder are called DOCUMENT-ANNOTATOR, with the same annotator, the names are
    without the annotator.
    """
    if not path_of(path).is_dir():
        return {path: ""}
    files = _files_of(path, format)
    stems = [_stem_of(file) for file in files]
    endings = {stem.rpartition("-")[2] for stem in stems}
    alike = len(endings) == 1 and all(stem.rpartition("-")[0] for stem in stems)
    stems = [stem.rpartition("-")[0] if alike else stem for stem in stems]
    return {file: _name_in(path, file, stem) for file, stem in zip(files, stems)}


def _name_in(folder: PathLike, file: Path, stem: str) -> str:
    """The name of the document of a file in a folder."""
    return (file.parent.relative_to(folder) / stem).as_posix()


def _stem_of(file: Path) -> str:
    """The name of a file without the endings that tell its format."""
    name = file.name.removesuffix(".gz")
    ending = next((s for s in (*TREE_SUFFIXES, *DOCBINS, ".conll") if name.lower().endswith(s)), "")
    return name[: len(name) - len(ending)] or file.name


def _files_of(folder: PathLike, format: str | None = None) -> list[Path]:
    """The files of a folder that hold trees, sorted by their paths in it.

    DocBins if there are no others: they may be the same trees converted.
    """
    files = files_at(folder)
    if format is None:
        found = [file for file in files if format_of_trees(file)]
        found = found or list(filter(is_docbin, files))
    else:
        suffixes = {*TREEBANKS[known(format, TREEBANKS, "format of trees")].suffixes}
        found = [file for file in files if suffixes & {*file.suffixes}] or files
    if not found:
        raise FormatError(f"no files of trees ({', '.join(TREE_SUFFIXES)}) in this folder", folder)
    return found


def read_trees(path: PathLike, format: str | None = None, on_error: str = STOP) -> Treebank:
    """The `Treebank` of one file.

    Parameters
    ----------
    path : str or Path
        May be packed with gzip.
    format : str, optional
        One of `TREEBANKS`; by default that of the ending.
    on_error : str
        "stop", or "skip", which leaves the trees of blemished sentences out.
    """
    name = format_of_trees(path) if format is None else known(format, TREEBANKS, "format of trees")
    if name is None and not path_of(path).exists():
        raise FormatError("no such file or folder; check the path", path)
    if name is None:
        raise FormatError(
            f"no ending of trees ({', '.join(TREE_SUFFIXES)}); rename the file, or name the "
            f"format ({', '.join(TREEBANKS)}: --format)",
            path,
        )
    row = TREEBANKS[name]
    sentences, notes, skipped = row.read(path, on_error)
    return Treebank(str(path), row.kind, sentences, notes, skipped=skipped)


def without_cycles(bank: Treebank, on_error: str) -> Treebank:
    """The treebank of a file without the trees of sentences whose heads form a cycle.

    Under "stop" they stay: `Treebank.trees` says what becomes of them.
    """
    if share_of(on_error) is None:
        return bank
    trees = bank.trees("reachable")
    cyclic = {*trees.item[np.flatnonzero(~trees.reachable)].tolist()}
    if not cyclic:
        return bank
    left = [
        replace(one, parents=None, labels=None) if place in cyclic else one
        for place, one in enumerate(bank.sentences)
    ]
    places = [
        Place(str(one.path or bank.path), one.line, "heads form a cycle")
        for one in (bank.sentences[place] for place in sorted(cyclic))
    ]
    skipped = bank.skipped + note(CYCLE, places)
    n_sound = len(left) - skipped.skipped(SENTENCES)[0]
    skipped = replace(skipped, sizes={**skipped.sizes, SENTENCES: n_sound})
    check_share(skipped, bank.path, on_error)
    return replace(bank, sentences=left, skipped=skipped)
