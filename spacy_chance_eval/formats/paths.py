"""Paths of files: local ones, and addresses such as s3://bucket/a.jsonl, which fsspec opens.

Why an address is not a `UPath` of universal_pathlib (0.3.10), which has all of `pathlib`: its text
loses the host of ftp, sftp, smb, hdfs, webhdfs and github (and the account of abfs), so that
neither messages nor results, saved runs or workers could name the file. Nor is it copied first:
recognising a format reads the first block of a file only, and a worker its own files only.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partialmethod
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, cast

from ..measures.messages import quoted
from .errors import FormatError, PathLike

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
LINKS = re.compile(r"(.*?://)(.*?)((?:::.*)?)", re.DOTALL)  # of an address
WILDCARD = re.compile(r"[*?[]")
BLOCK = 2**18  # bytes asked for at a time
# what changes with a file, by the names that file systems have for it
MARKS = (
    *("size", "mtime", "created", "ino", "modified", "LastModified", "last_modified", "updated"),
    *("ETag", "etag", "md5", "md5Hash", "content_md5", "crc32c", "generation", "VersionId"),
)
# errors of Windows for patterns, and for drives and links without what they stand for
NOT_THERE = (21, 123, 1921)
SEPARATOR = os.sep  # of folders in a path
DOCBINS = (".spacy", ".spacy.gz")


def is_remote(path: PathLike) -> bool:
    """Whether a path is an address that fsspec opens, as memory://a and file:///a are."""
    return bool(ADDRESS.match(text := str(path))) and "://" in text


def path_text(path: PathLike) -> str:
    """A path as results have it: with slashes on every system. Messages have it as it was given."""
    text = str(path)
    return text if SEPARATOR == "/" or is_remote(path) else text.replace(SEPARATOR, "/")


def path_of(path: PathLike) -> Path:
    """A `Path`, or of an address a `Remote`, which has the methods of it that the readers use.

    There need not be such a file.
    """
    path = given_path(path)
    if is_remote(path):
        return path
    try:
        os.stat(path)
    except ValueError as error:  # a NUL, or half of a surrogate pair
        wrong = f"{quoted(os.fspath(path), 80)} has a character that no path has; check the path"
        raise FormatError(wrong) from error
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        if getattr(error, "winerror", None) not in NOT_THERE:
            reason = error.strerror or error
            raise FormatError(f"cannot be looked at ({reason}); check the path", path) from error
    return path


def given_path(path: PathLike) -> Path:
    """The same for any text: it is not looked at."""
    if not isinstance(path, (Path, Remote)):
        links = LINKS.fullmatch(str(path)) if is_remote(path) else None
        path = Remote(*links.groups()) if links else Path(path)
    return cast(Path, path)  # so that who reads need not know which it is


@contextmanager
def _reaching(remote: "Remote") -> Iterator[None]:
    """A block that asks a file system; any error it raises is, or becomes, an `OSError`."""
    try:
        yield
    except (OSError, FormatError):
        raise
    except ImportError as error:
        needed = 'pip install "spacy-chance-eval[remote]", and some a package of their own'
        raise FormatError(f"addresses need {needed} ({error})", remote) from error
    except Exception as error:  # each file system has errors of its own
        raise OSError(f"{type(error).__name__}: {error}") from error


class _RemoteFile(io.RawIOBase):
    """The bytes of the file at an address; any error in reading them becomes an `OSError`."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote  # an archive is closed with the last reference to its file system
        with _reaching(remote):
            system, path = remote.place
            self._file = system.open(path, "rb")

    def readable(self) -> bool:
        return True

    seekable = readable  # where it is not, seeking raises an error that says so

    def readinto(self, buffer: Any) -> int:
        with _reaching(self._remote):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _reaching(self._remote):
            return self._file.seek(offset, whence)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


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
        """The fsspec file system, and the path in it."""
        with _reaching(self):
            from fsspec.core import url_to_fs

            return url_to_fs(str(self))

    pure = property(lambda self: PurePosixPath(self.path))
    name = property(lambda self: self.pure.name)
    stem = property(lambda self: self.pure.stem)
    suffix = property(lambda self: self.pure.suffix)
    suffixes = property(lambda self: self.pure.suffixes)
    parts = property(lambda self: self.pure.parts)

    @property
    def parent(self) -> "Remote":
        """The folder that it is in; the outermost one is in itself."""
        above = self.pure.parent
        return replace(self, path="" if above == PurePosixPath() else str(above))

    def __truediv__(self, name: object) -> "Remote":
        slash = "/" if self.path and not self.path.endswith("/") else ""
        return replace(self, path=f"{self.path}{slash}{name}")

    def relative_to(self, folder: "Remote") -> PurePosixPath:
        return self.pure.relative_to(folder.pure)

    def resolve(self) -> "Remote":
        return self

    absolute = resolve

    def _ask(self, question: str) -> Any:
        """The file system's answer about the path: `question` is the name of one of its methods."""
        try:
            with _reaching(self):
                system, path = self.place
                return getattr(system, question)(path)
        except OSError as error:
            raise FormatError(f"cannot be reached ({error})", self) from error

    exists = partialmethod(_ask, "exists")
    is_dir = partialmethod(_ask, "isdir")
    is_file = partialmethod(_ask, "isfile")

    def listed(self, question: str) -> list["Remote"]:
        """The files that "find" names below a folder, or "glob" for a pattern.

        As on this machine, a pattern matches no hidden file, unless it has such a part itself.
        """
        names, folder = self._ask(question), self
        while WILDCARD.search(folder.path):
            folder = folder.parent
        start = len(folder.place[1].rstrip("/"))
        files = [folder / name[start:].lstrip("/") for name in names]
        if question == "find" or is_hidden(self.relative_to(folder)):
            return files
        return [file for file in files if not is_hidden(file.relative_to(folder))]

    def rglob(self, pattern: str) -> list["Remote"]:
        """All files below a folder whose names match."""
        return [file for file in self.listed("find") if file.pure.match(pattern)]

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """The file, to be read as bytes; as of a local one, an `OSError` says why it cannot be."""
        return io.BufferedReader(_RemoteFile(self), BLOCK)

    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        """Values that change with the file, read from its file system without a cache."""
        with _reaching(self):
            system, path = self.place
            system.invalidate_cache(path.rpartition("/")[0] or path)
            facts = system.info(path)
        return tuple((mark, str(facts[mark])) for mark in MARKS if facts.get(mark) is not None)


def is_pattern(path: PathLike) -> bool:
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    return bool(WILDCARD.search(str(path))) and not path_of(path).exists()


def matching(pattern: PathLike) -> list[Path]:
    """The files that match a pattern with * ? [ ] or **, sorted; [] if there are none."""
    if not is_pattern(pattern):
        return []
    path = path_of(pattern)
    if is_remote(path):
        files = cast(Any, path).listed("glob")
    else:
        from glob import glob

        files = [Path(name) for name in glob(str(path), recursive=True)]
    return sorted(file for file in files if file.is_file())


def is_there(path: PathLike) -> bool:
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or path_of(path).exists()


def is_several(path: PathLike) -> bool:
    """Whether a path is a folder or a pattern."""
    return path_of(path).is_dir() or is_pattern(path)


def files_at(path: PathLike) -> list[Path]:
    """The file itself, or, sorted, all of a folder that are not hidden, or that match a pattern."""
    if is_pattern(path):
        found = matching(path)
        if not found:
            raise FormatError("no file matches this pattern; check the path", path)
        return found
    folder = path_of(path)
    if not folder.is_dir():
        return [folder]
    return [file for file in files_below(folder) if not is_hidden(file.relative_to(folder))]


def files_below(folder: Path, pattern: str = "*") -> list[Path]:
    """The files in a folder and in its folders, hidden ones included, that match; sorted."""
    try:
        return [file for file in sorted(folder.rglob(pattern)) if file.is_file()]
    except OSError as error:  # also of a folder that was just removed
        reason = f"{error.strerror or error}: {error.filename}"
        raise FormatError(f"cannot be listed ({reason}); check its content", folder) from error


def is_hidden(path: PurePath) -> bool:
    """Whether a path in a folder begins with a dot, or is in a folder that does."""
    return any(part.startswith(".") for part in path.parts)


def docbins_at(path: PathLike) -> list[Path]:
    """The `.spacy` files of a folder, or among those that match a pattern."""
    return list(filter(is_docbin, files_at(path)))


def is_docbin(path: PathLike) -> bool:
    """Whether a file is called as those of spaCy are."""
    return given_path(path).name.endswith(DOCBINS)
