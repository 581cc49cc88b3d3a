"""Paths of files: local ones, addresses such as s3://bucket/a.jsonl, datasets of Prodigy."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from .errors import FormatError, PathLike, did_you_mean

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
LINKS = re.compile(r".*?://(.*?)(?:::.*)?", re.DOTALL)  # of an address
WILDCARD = re.compile(r"[*?[]")
DATASET = "dataset:"  # in front of the name of a dataset in Prodigy's database
SEPARATOR = os.sep  # of folders in a path


def is_remote(path: PathLike) -> bool:
    """Whether a path is an address, as memory://a and file:///a are, or a dataset of Prodigy."""
    return is_dataset(path) or bool(ADDRESS.match(text := str(path))) and "://" in text


def is_dataset(path: PathLike) -> bool:
    """Whether a path is "dataset:NAME", a dataset in Prodigy's database."""
    return str(path).startswith(DATASET)


def path_text(path: PathLike) -> str:
    """A path as results have it: with slashes on every system. Messages have it as it was given."""
    return str(path) if is_remote(path) else str(path).replace(SEPARATOR, "/")


def path_of(path: PathLike) -> Path:
    """A `Path`; of an address or dataset that of a copy here, as it was at the last `refresh`."""
    if not is_remote(path):
        return Path(path)
    if (text := str(path)) not in _copies:
        from tempfile import mkdtemp  # which few need

        copy = Path(mkdtemp(dir=_folder().name)) / (name_of(path).name or "file")
        _fetch(text, copy)
        _copies[text] = copy
    return _copies[text]


_copies: dict[str, Path] = {}


def refresh(path: PathLike) -> None:
    """Let an address be copied again when it is next read."""
    _copies.pop(str(path), None)


def name_of(path: PathLike) -> PurePath:
    """A path by which files are named; of an address without what is in front, and its chain.

    In chains such as zip://a.jsonl::s3://bucket/b.zip, the first part with a path has the name.
    """
    if is_dataset(path):
        return PurePosixPath(str(path).removeprefix(DATASET) + ".jsonl")
    if is_remote(path) and (match := LINKS.fullmatch(str(path))):
        return PurePosixPath(match[1])
    return Path(path)


def _fetch(address: str, copy: Path) -> None:
    """Copy what an address, or a dataset, names to a file of this machine."""
    if is_dataset(address):
        import json

        copy.write_bytes("\n".join(map(json.dumps, _examples(address))).encode())
        return
    try:
        from fsspec.core import url_to_fs

        system, place = url_to_fs(address)
        system.get_file(place, str(copy))
    except ImportError as error:
        needed = 'pip install "spacy-chance-eval[remote]"'
        raise FormatError(f"{error}; addresses need {needed}", address) from error
    except FileNotFoundError as error:
        raise FormatError("no such file; check the path", address) from error
    except Exception as error:  # each file system has errors of its own
        raise FormatError(f"cannot be read: {error}; an address names one file", address) from error
    if not copy.is_file():
        raise FormatError("a folder; name its files, each by its address", address)


def _examples(address: str) -> Sequence[Any]:
    """The examples of a dataset in Prodigy's database."""
    name = address.removeprefix(DATASET)
    try:
        from prodigy.components.db import connect
    except ImportError as error:
        export = f"where it is, export the dataset: prodigy db-out {name} > {name}.jsonl"
        raise FormatError(f"Prodigy is not installed here; {export}", address) from error
    database = connect()
    if name not in database:
        hint = did_you_mean(name, database.datasets)
        raise FormatError(f"Prodigy's database has no such dataset{hint}", address)
    get = getattr(database, "get_dataset_examples", None) or database.get_dataset
    return get(name) or []


@lru_cache(1)
def _folder() -> Any:
    """The folder of copies, which goes with the process."""
    from tempfile import TemporaryDirectory

    return TemporaryDirectory(prefix="spacy-chance-eval-")


def is_pattern(path: PathLike) -> bool:
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    if is_remote(path) or not WILDCARD.search(str(path)):
        return False
    return not os.path.exists(path)


def matching(pattern: PathLike) -> list[Path]:
    """The files that match a pattern with * ? [ ] or **, sorted; [] if there are none."""
    if not is_pattern(pattern):
        return []
    from glob import glob

    return sorted(filter(Path.is_file, map(Path, glob(str(pattern), recursive=True))))


def is_there(path: PathLike) -> bool:
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or os.path.exists(path_of(path))


def is_several(path: PathLike) -> bool:
    """Whether a path is a folder or a pattern."""
    return os.path.isdir(path_of(path)) or is_pattern(path)


def files_at(path: PathLike) -> list[Path]:
    """The file itself, or, sorted, all of a folder that are not hidden, or that match a pattern."""
    folder = path_of(path)
    if is_pattern(path):
        if not (files := matching(path)):
            raise FormatError("no file matches this pattern; check the path", path)
        return files
    if not folder.is_dir():
        return [folder]
    places = ((file, file.relative_to(folder).parts) for file in files_below(folder))
    return [file for file, parts in places if not any(one.startswith(".") for one in parts)]


def files_below(folder: Path, pattern: str = "*") -> list[Path]:
    """The files in a folder and in its folders, hidden ones included, that match; sorted."""
    return sorted(file for file in folder.rglob(pattern) if file.is_file())
