"""Paths of files: local ones, addresses such as s3://bucket/a.jsonl, datasets of Prodigy.

fsspec opens addresses. Why one is not a `UPath` of universal_pathlib (0.3.10), which has all of
`pathlib`: its text loses the host of ftp, sftp, smb, hdfs, webhdfs and github (and the account of
abfs), so that neither messages nor results, saved runs or workers could name the file.
"""

import io
import json
import os
import re
import zlib
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partialmethod
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, cast

from .errors import FormatError, PathLike, similar_names

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
LINKS = re.compile(r"(.*?://)(.*?)((?:::.*)?)", re.DOTALL)  # of an address
WILDCARD = re.compile(r"[*?[]")
DATASET = "dataset:"  # in front of the name of a dataset in Prodigy's database
SEPARATOR = os.sep  # of folders in a path
DOCBINS = (".spacy", ".spacy.gz")


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
    """A `Path`, or of an address a `Remote`, which has the methods of it that the readers use."""
    if is_dataset(path):
        return cast(Path, Dataset(DATASET, str(path).removeprefix(DATASET)))
    if is_remote(path) and (links := LINKS.fullmatch(str(path))):
        return cast(Path, Remote(*links.groups()))  # so that who reads need not know which it is
    return Path(path)


@dataclass(frozen=True)
class Remote:
    """An address, with the methods of `pathlib.Path` that readers use.

    In chains such as zip://a.jsonl::s3://bucket/b.zip, the first part with a path has the name.
    """

    scheme: str  # with what precedes it in a chain
    path: str
    chain: str = ""  # what follows

    def __str__(self) -> str:
        return f"{self.scheme}{self.path}{self.chain}"

    # not a file of this machine: opening it like one raises an error that says so
    __fspath__ = __str__

    def __lt__(self, other: "Remote") -> bool:
        return self.parts < other.parts

    @cached_property
    def place(self) -> tuple[Any, str]:
        """The fsspec file system, and the path in it; kept, as archives are closed without it."""
        from fsspec.core import url_to_fs

        return url_to_fs(str(self))

    def ask(self, question: str) -> Any:
        """The file system's answer about the path: `question` is the name of one of its methods."""
        try:
            system, path = self.place
            return getattr(system, question)(path)
        except ImportError as error:
            needed = 'pip install "spacy-chance-eval[remote]", and some a package of their own'
            raise FormatError(f"addresses need {needed} ({error})", self) from error
        except FileNotFoundError as error:
            raise FormatError("no such file; check the path", self) from error
        except Exception as error:  # each file system has errors of its own
            wrong = f"cannot be reached ({type(error).__name__}: {error})"
            raise FormatError(wrong, self) from error

    pure = property(lambda self: PurePosixPath(self.path))
    name = property(lambda self: self.pure.name)
    stem = property(lambda self: self.pure.stem)
    suffix = property(lambda self: self.pure.suffix)
    suffixes = property(lambda self: self.pure.suffixes)
    parts = property(lambda self: self.pure.parts)

    @property
    def parent(self) -> "Remote":
        above = str(self.pure.parent)
        return replace(self, path="" if above == "." else above)

    def __truediv__(self, name: object) -> "Remote":
        slash = "/" if self.path and not self.path.endswith("/") else ""
        return replace(self, path=f"{self.path}{slash}{name}")

    def relative_to(self, folder: "Remote") -> PurePosixPath:
        return self.pure.relative_to(folder.pure)

    def resolve(self) -> "Remote":
        return self

    absolute = resolve

    exists = partialmethod(ask, "exists")
    is_dir = partialmethod(ask, "isdir")
    is_file = partialmethod(ask, "isfile")

    def listed(self, question: str) -> list["Remote"]:
        """The files that "find" names below a folder, or "glob" for a pattern; no hidden ones."""
        folder, names = self, self.ask(question)
        while WILDCARD.search(folder.path):
            folder = folder.parent
        start = len(folder.place[1].rstrip("/"))
        names = [name[start:].lstrip("/") for name in names]
        return [folder / name for name in names if not is_hidden(PurePosixPath(name))]

    def rglob(self, pattern: str) -> list["Remote"]:
        return [file for file in self.listed("find") if file.pure.match(pattern)]

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """The file, to be read as bytes."""
        return io.BufferedReader(io.BytesIO(_content(self, self.checksum())))

    def checksum(self) -> int:
        """A number that changes with the file, asked for again each time."""
        self.ask("invalidate_cache")
        system, path = self.place
        system.invalidate_cache(path.rpartition("/")[0])  # where FTP keeps what it listed
        return self.ask("checksum")


class Dataset(Remote):
    """A dataset of Prodigy, read as a file of its examples: "dataset:" and its name.

    Prodigy is imported when the file is opened. Nothing is kept, as people may be annotating.
    """

    name = stem = property(lambda self: self.path)
    suffix, suffixes = "", ()  # a name may have dots

    def exists(self) -> bool:
        return True  # opening it says what is missing, and what to do

    def is_dir(self) -> bool:
        return False

    def is_file(self) -> bool:
        return True

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """The examples, one a line, to be read as bytes."""
        return io.BufferedReader(io.BytesIO(self._content()))

    def checksum(self) -> int:
        return zlib.crc32(self._content())

    def _content(self) -> bytes:
        try:
            from prodigy.components.db import connect
        except ImportError as error:
            wrong = (
                "datasets are read by Prodigy, which is not installed here; run this where it is, "
                f"or export the dataset there: prodigy db-out {self.path} > {self.path}.jsonl"
            )
            raise FormatError(wrong, self) from error
        database = connect()
        if self.path not in database:
            names = sorted(database.datasets)
            near = similar_names(self.path, names) or names[:10]
            known = f"did you mean {', '.join(near)}?" if near else "it has none yet"
            raise FormatError(f"Prodigy's database has no such dataset; {known}", self)
        get = getattr(database, "get_dataset_examples", None) or database.get_dataset
        rows = get(self.path)
        if not rows:
            raise FormatError("no annotations yet; annotate, or name another dataset", self)
        return "\n".join(map(json.dumps, rows)).encode()


@lru_cache(2)  # recognising a format opens a file before it is read
def _content(remote: Remote, checksum: int) -> bytes:
    return remote.ask("cat_file")


def is_pattern(path: PathLike) -> bool:
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    return bool(WILDCARD.search(str(path))) and not path_of(path).exists()


def matching(pattern: PathLike) -> list[Path]:
    """The files that match a pattern with * ? [ ] or **, sorted; [] if there are none."""
    if not is_pattern(pattern):
        return []
    path: Any = path_of(pattern)
    if is_remote(path):
        return sorted(file for file in path.listed("glob") if file.is_file())
    from glob import glob

    return sorted(filter(Path.is_file, map(Path, glob(str(path), recursive=True))))


def is_there(path: PathLike) -> bool:
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or path_of(path).exists()


def is_several(path: PathLike) -> bool:
    """Whether a path is a folder or a pattern."""
    return path_of(path).is_dir() or is_pattern(path)


def files_at(path: PathLike) -> list[Path]:
    """The file itself, or, sorted, all of a folder that are not hidden, or that match a pattern."""
    folder = path_of(path)
    if is_pattern(path):
        if not (files := matching(path)):
            raise FormatError("no file matches this pattern; check the path", path)
        return files
    if not folder.is_dir():
        return [folder]
    return [file for file in files_below(folder) if not is_hidden(file.relative_to(folder))]


def files_below(folder: Path, pattern: str = "*") -> list[Path]:
    """The files in a folder and in its folders, hidden ones included, that match; sorted."""
    return sorted(file for file in folder.rglob(pattern) if file.is_file())


def is_hidden(path: PurePath) -> bool:
    """Whether a path in a folder begins with a dot, or is in a folder that does."""
    return any(part.startswith(".") for part in path.parts)


def docbins_at(path: PathLike) -> list[Path]:
    """The `.spacy` files of a folder, or among those that match a pattern."""
    return list(filter(is_docbin, files_at(path)))


def is_docbin(path: PathLike) -> bool:
    """Whether a file is called as those of spaCy are."""
    return path_of(path).name.endswith(DOCBINS)
