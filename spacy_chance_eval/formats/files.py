"""Text files as every reader wants them: UTF-8, gzip or not, any newline; and safe writing."""

import io
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

import numpy as np

from .corpus import Corpus
from .errors import FormatError, PathLike
from .paths import name_of, path_of

T = TypeVar("T")
GZIP_MAGIC = b"\x1f\x8b"
BLOCK = 1 << 18  # bytes unpacked at a time
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # its byte order marks


class Excerpt(NamedTuple):
    """Consecutive documents of a file, read as if they were all; errors name the file.

    `content` is their part of the file, from its line `first` on.
    """

    path: str
    content: Any
    first: int = 1

    def __str__(self) -> str:
        return str(self.path)


class Run(NamedTuple):
    """Consecutive documents as they are in a file."""

    content: Any  # of one document; of many bytes
    ends: Sequence[int] | None = None  # where each of many documents ends in the content


class BlockReader(NamedTuple):
    """How the files of a format are read in blocks of consecutive documents."""

    # open(path, reading) returns what only the whole file tells, such as the scheme of its tags,
    # and an iterator over the documents
    open: Callable[[str, Any], tuple[Any, Iterator[Run]]]
    # join(contents) is the content of an `Excerpt` with several documents
    join: Callable[[Sequence[Any]], Any]
    # read(excerpt, whole, reading) is the `Corpus` of an excerpt, given what the whole file tells
    read: Callable[[Excerpt, Any, Any], Corpus]
    positions: str | None = None  # "token" or "char"; where files differ, the first of `whole`
    # again(path, whole) is the iterator over the documents of a file that was opened before
    again: Callable[[str, Any], Iterator[Run]] | None = None


def count_lines(data: bytes) -> int:
    """Number of newlines in some bytes; many times faster than `bytes.count` where they abound."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


@contextmanager
def open_text(path: PathLike) -> Iterator[io.TextIOWrapper]:
    """The lines of a UTF-8 file, to be read inside the `with` block.

    A byte order mark is skipped, every kind of newline becomes one, gzip is recognised by its first
    bytes.
    """
    with readable_bytes(path) as raw:
        yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline=None)


@contextmanager
def readable_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked; errors in it, or in its text, are a `FormatError`."""
    try:
        with open_bytes(path) as raw:
            yield raw
    except UnicodeDecodeError as error:
        with suppress(OSError, EOFError, zlib.error), open_bytes(path) as raw:
            raise not_utf8(path, raw.read()) from error
        raise not_utf8(path, b"") from error
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(error, path) from error


def file_bytes(path: PathLike) -> bytes:
    """All bytes of a file, unpacked."""
    with readable_bytes(path) as raw:
        return raw.read()


def _unreadable(error: Exception, path: PathLike) -> FormatError:
    """The error of a file that the system or gzip does not give."""
    import gzip

    if isinstance(error, (gzip.BadGzipFile, EOFError, zlib.error)):
        return FormatError("broken or cut off gzip file; copy it again", path)
    if isinstance(error, FileNotFoundError):
        return FormatError("no such file; check the path", path)
    if isinstance(error, IsADirectoryError):
        return FormatError("a folder, not a file; name one file", path)
    return FormatError(f"cannot be read ({getattr(error, 'strerror', None) or error})", path)


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked."""
    with path_of(path).open("rb") as file:
        if file.peek(2)[:2] == GZIP_MAGIC:
            import gzip

            yield io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=file)), BLOCK)
        else:
            yield cast(BinaryIO, file)


def not_utf8(path: object, data: bytes) -> FormatError:
    """The error of a file with some text that is not UTF-8, with its line, and the way out."""
    line = None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = count_lines(data[: error.start]) + 1
    encoding = "UTF-16" if data.startswith(UTF_16) else "WINDOWS-1252"
    command = f"iconv -f {encoding} -t UTF-8 FILE > NEW"
    advice = f"if only this line is damaged, write it again; if all is {encoding}, convert it"
    return FormatError(f"not UTF-8 text; {advice}: {command}", path, line)


def fingerprint(path: PathLike) -> tuple[object, ...]:
    """Values that are equal as long as a file is not written or replaced.

    The size, the time of its last change to the nanosecond and the inode; of an address those of
    its copy. They can be compared with those of the same path only.
    """
    try:
        facts = os.stat(path_of(path))
    except OSError as error:
        raise _unreadable(error, path) from error
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def by_file(function: Callable[[str], T]) -> Callable[[PathLike], T]:
    """A function that looks at a file only once, as long as it does not change."""

    @lru_cache(1 << 14)
    def look(path: str, fingerprint: object) -> T:
        return function(path)

    return lambda path: look(str(path), fingerprint(path))


@contextmanager
def unchanged(paths: Iterable[PathLike]) -> Iterator[None]:
    """A block that reads files; those of this machine must not change in the meantime."""
    prints = {path: fingerprint(path) for path in paths if os.path.isfile(path)}
    try:
        yield
    finally:  # what was changed may be why it could not be read
        for path, before in prints.items():
            with suppress(FormatError):  # it is gone
                if fingerprint(path) == before:
                    continue
            raise FormatError("changed while it was read; begin again when it is complete", path)


def suffix_of(path: PathLike) -> str:
    """The ending of a file's name in lower case, `.gz` apart; empty if it has none."""
    suffixes = (suffix.lower() for suffix in reversed(name_of(path).suffixes))
    return next((suffix for suffix in suffixes if suffix != ".gz"), "")


def name_by_file(path: PathLike) -> str:
    """The name of a document: that of its file, without the ending."""
    return PurePath(name_of(path).name.removesuffix(".gz")).stem
