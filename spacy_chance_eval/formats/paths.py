"""Paths of files: local ones, and addresses such as s3://bucket/a.jsonl, which fsspec opens.

Why an address is not a `UPath` of universal_pathlib, which has as much of `pathlib`: its text
loses the host of ftp, sftp, smb, hdfs and github (and the account of abfs), so that neither
messages nor results, saved runs or workers could name the file.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, cast

from ..measures.messages import quoted
from .errors import FormatError, PathLike

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
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
    return isinstance(path, Remote) or bool(ADDRESS.match(text := str(path))) and "://" in text


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
        path = Remote(str(path)) if is_remote(path) else Path(path)
    return cast(Path, path)  # so that who reads need not know which it is


@contextmanager
def _reaching(address: str) -> Iterator[None]:
    """A block that asks a file system; any error it raises is, or becomes, an `OSError`."""
    try:
        yield
    except (OSError, FormatError):
        raise
    except ImportError as error:
        raise FormatError(f"a package is missing for it ({error})", address) from error
    except Exception as error:  # each file system has errors of its own
        raise OSError(f"{type(error).__name__}: {error}") from error


@contextmanager
def _asking(address: str) -> Iterator[None]:
    """The same for questions about an address: what goes wrong is a `FormatError` that names it."""
    try:
        with _reaching(address):
            yield
    except OSError as error:
        raise FormatError(f"cannot be reached ({error})", address) from error


class _RemoteFile(io.RawIOBase):
    """The bytes of a file of fsspec; any error it raises becomes an `OSError`."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def readinto(self, buffer: Any) -> int:
        with _reaching(self._address):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _reaching(self._address):
            return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@dataclass(frozen=True)
class Remote:
    """An address, with the methods of `pathlib.Path` that readers use.

    In chains such as zip://a.jsonl::s3://bucket/b.zip, the first part with a path has the name.
    """

    address: str

    def __str__(self) -> str:
        return self.address

    def __fspath__(self) -> str:
        return (
            self.address
        )  # not a file of this machine: opening it like one raises an error that says so

    def __lt__(self, other: "Remote") -> bool:
        return self.parts < other.parts

    @cached_property
    def _place(self) -> tuple[Any, str]:
        """The fsspec file system, and the path in it."""
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise FormatError(
                'addresses need fsspec: pip install "spacy-chance-eval[remote]"', self.address
            ) from error
        with _asking(self.address):
            return url_to_fs(self.address)

    @cached_property
    def _links(self) -> tuple[list[str], str, list[str]]:
        """The parts of a chain before the one with the path, that part, and those after it."""
        links = self.address.split("::")
        own = next((i for i, link in enumerate(links) if "://" in link), len(links) - 1)
        return links[:own], links[own], links[own + 1 :]

    def _with_link(self, link: str) -> "Remote":
        """The same chain with another path in it."""
        before, _, after = self._links
        return Remote("::".join([*before, link, *after]))

    @property
    def pure(self) -> PurePosixPath:
        """The last part of the path."""
        return PurePosixPath(self._links[1].partition("://")[2])

    name = property(lambda self: self.pure.name)
    stem = property(lambda self: self.pure.stem)
    suffix = property(lambda self: self.pure.suffix)
    suffixes = property(lambda self: self.pure.suffixes)
    parts = property(lambda self: self.pure.parts)

    @property
    def parent(self) -> "Remote":
        """The folder that it is in; the outermost one is in itself."""
        scheme, mark, _ = self._links[1].partition("://")
        above = self.pure.parent
        return self._with_link(f"{scheme}{mark}{'' if above == PurePosixPath() else above}")

    @property
    def parents(self) -> list["Remote"]:
        """The folders that it is in, from the inside."""
        folders = [self.parent]
        while folders[-1].name:
            folders.append(folders[-1].parent)
        return folders

    def with_name(self, name: str) -> "Remote":
        return self.parent / name

    def with_suffix(self, suffix: str) -> "Remote":
        return self.parent / (self.stem + suffix)

    def __truediv__(self, name: object) -> "Remote":
        own = self._links[1]
        return self._with_link(f"{own}{'' if own.endswith('/') else '/'}{name}")

    def relative_to(self, folder: "Remote") -> PurePosixPath:
        return self.pure.relative_to(folder.pure)

    def resolve(self) -> "Remote":
        return self

    absolute = resolve

    def is_symlink(self) -> bool:
        return False

    def _ask(self, question: str) -> Any:
        """The file system's answer about the path: `question` is the name of one of its methods."""
        system, path = self._place
        with _asking(self.address):
            return getattr(system, question)(path)

    def exists(self) -> bool:
        return self._ask("exists")

    def is_dir(self) -> bool:
        return self._ask("isdir")

    def is_file(self) -> bool:
        return self._ask("isfile")

    def _below(self, names: list[str]) -> list["Remote"]:
        """The addresses of files that the file system names, below this folder."""
        root = self._place[1].rstrip("/")
        return [self / name[len(root) :].lstrip("/") for name in names]

    def rglob(self, pattern: str) -> list["Remote"]:
        """All files below a folder whose names match."""
        files = self._below(self._ask("find"))
        return [file for file in files if PurePosixPath(file.name).match(pattern)]

    def matching(self) -> list["Remote"]:
        """The files that the address matches, if it is a pattern; sorted."""
        folder = next(one for one in self.parents if not WILDCARD.search(one._links[1]))
        return sorted(file for file in folder._below(self._ask("glob")) if file.is_file())

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """The file, to be read as bytes; as of a local one, an `OSError` says why it cannot be."""
        system, path = self._place
        with _reaching(self.address):
            file = system.open(path, mode)
        return io.BufferedReader(_RemoteFile(file, self.address), BLOCK)

    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        """Values that change with the file, read from its file system without a cache."""
        system, path = self._place
        with _reaching(self.address):
            system.invalidate_cache(path.rpartition("/")[0] or path)
            facts = system.info(path)
        return tuple((mark, str(facts[mark])) for mark in MARKS if facts.get(mark) is not None)


def matching(pattern: PathLike) -> list[Path]:
    """The files that match a pattern with * ? [ ] or **, sorted; [] if there are none.

    An existing file or folder of that name is not a pattern.
    """
    path = path_of(pattern)
    if not WILDCARD.search(str(pattern)) or path.exists():
        return []
    if is_remote(path):
        return cast(list[Path], Remote(str(path)).matching())
    from glob import glob

    files = (Path(name) for name in glob(str(path), recursive=True))
    return sorted(file for file in files if file.is_file())


def is_pattern(path: PathLike) -> bool:
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    return bool(WILDCARD.search(str(path))) and not path_of(path).exists()


def is_there(path: PathLike) -> bool:
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or path_of(path).exists()


def is_several(path: PathLike) -> bool:
    """Whether a path is a folder or a pattern."""
    return path_of(path).is_dir() or is_pattern(path)


def files_at(path: PathLike) -> list[Path]:
    """The file itself, all files of a folder that are not hidden, or those that match a pattern.

    They are sorted.
    """
    if is_pattern(path):
        found = matching(path)
        if not found:
            raise FormatError("no file matches this pattern; check the path", path)
        return found
    folder = path_of(path)
    if not folder.is_dir():
        return [folder]
    every = files_below(folder)
    return [file for file in every if not is_hidden(file.relative_to(folder))]


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
    return [file for file in files_at(path) if file.name.endswith(DOCBINS)]
