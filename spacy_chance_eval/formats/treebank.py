"""Reading treebanks, and which files of a folder hold trees of whom."""

from pathlib import Path

from . import DEPENDENCIES, TREE_SUFFIXES, TREEBANKS, format_of_trees
from .blemishes import STOP, check_share, reading
from .brackets import read_brackets
from .conllu import read_conllu
from .errors import FormatError, PathLike, known
from .notes import NO_NOTES, SENTENCES
from .paths import DOCBINS, files_at, is_docbin, path_of
from .sentences import Treebank


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
    folders = [file.parent.relative_to(path_of(path)) for file in files]
    return {file: (one / stem).as_posix() for file, one, stem in zip(files, folders, stems)}


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
        known(format, TREEBANKS, "format of trees")
        suffixes = {suffix for suffix, name in TREE_SUFFIXES.items() if name == format}
        found = [file for file in files if suffixes & {*file.suffixes}] or files
    if not found:
        raise FormatError(f"no files of trees ({', '.join(TREE_SUFFIXES)}) in this folder", folder)
    return found


def read_trees(path: PathLike, format: str | None = None, on_error: str = STOP) -> Treebank:
    """The `Treebank` of one file, which may be packed.

    `format` is one of `TREEBANKS`, by default that of the ending.
    """
    name = format_of_trees(path) if format is None else known(format, TREEBANKS, "format of trees")
    if name is None:
        what = f"no ending of trees ({', '.join(TREE_SUFFIXES)})"
        raise FormatError(f"{what}; name the format ({', '.join(TREEBANKS)}: --format)", path)
    with reading(path, on_error) as found:
        if name in DEPENDENCIES:
            kind, (sentences, notes) = "dependency", read_conllu(path, name)
        else:
            kind, (sentences, notes) = "constituency", read_brackets(path, name)
    skipped = NO_NOTES
    if found is not None and found.found:
        skipped = found.notes(len(sentences) - len(found.found), SENTENCES)
        check_share(skipped, path)
    return Treebank(str(path), kind, sentences, notes, skipped=skipped)
