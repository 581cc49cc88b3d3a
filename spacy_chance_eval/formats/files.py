"""Text files as every reader wants them: UTF-8, gzip or not, any newline; and safe writing."""

import io
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from .corpus import Corpus
from .errors import FormatError, PathLike
from .paths import is_remote, path_of

GZIP_MAGIC = b"\x1f\x8b"
# A file may be packed as well as it likes until it has MAX_UNPACKED bytes, and then by MAX_RATIO:
# annotation is packed by 3 to 40, one text of many annotators by 130; the most is 1032.
MAX_UNPACKED = 2**26
MAX_RATIO = 300
BLOCK = 1 << 18  # bytes unpacked at a time
SAMPLE = 1 << 19  # bytes before and after one that is not UTF-8, which tell the encoding


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
    state: Any  # that of the reader before them
    ends: Sequence[int] | None = None  # where each of many documents ends in the content
    later: Any = None  # the state before all but the first of many


class BlockReader(NamedTuple):
    """How the files of a format are read in blocks of consecutive documents."""

    # open(path, reading) returns what only the whole file tells, such as the scheme of its tags,
    # and an iterator over the documents: (content as it is in the file, state of the reader in
    # front of it), or a `Run` of several
    open: Callable[[str, Any], tuple[Any, Iterator[tuple[Any, ...]]]]
    # join(contents) is the content of an `Excerpt` with several documents
    join: Callable[[Sequence[Any]], Any]
    # read(excerpt, whole, reading, state) is the `Corpus` of an excerpt, given what the whole file
    # tells and the state before its first document
    read: Callable[[Excerpt, Any, Any, Any], Corpus]
    positions: str | None = None  # "token" or "char"; where files differ, the first of `whole`
    # again(path, whole) is the iterator over the documents of a file that was opened before
    again: Callable[[str, Any], Iterator[tuple[Any, ...]]] | None = None


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
        raise _undecodable(path) from error
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(error, path) from error


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
            yield io.BufferedReader(_Unpacked(file, path), BLOCK)
        else:
            yield cast(BinaryIO, file)


class _Unpacked(io.RawIOBase):
    """The bytes that gzip unpacks from a file."""

    def __init__(self, file: BinaryIO, path: PathLike) -> None:
        import gzip

        self._file, self._path, self._n_bytes = file, path, 0
        self._raw = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._raw.readinto(buffer)
        self._n_bytes += n
        check_ratio(self._n_bytes, self._file.tell(), self._path, "unpack it first (gunzip)")
        return n


def most_unpacked(n_packed: int) -> int:
    """To how many bytes so many may unpack."""
    return max(MAX_UNPACKED, MAX_RATIO * n_packed)


def check_ratio(n_unpacked: int, n_packed: int, path: PathLike, advice: str) -> None:
    """Raise if far more bytes are unpacked so far than of annotation; `advice`: another way."""
    if n_unpacked > most_unpacked(n_packed):
        raise FormatError(
            f"more than {MAX_UNPACKED // 2**20} MB are packed more than {MAX_RATIO} times smaller, "
            f"as in a trap that fills the memory; if it is none, {advice}",
            path,
        )


def _undecodable(path: PathLike) -> FormatError:
    """The error of a file that is not UTF-8, with the first such line, if gzip is not broken."""
    from .encodings import not_utf8

    data, line = b"", None
    with suppress(OSError, EOFError, zlib.error), open_bytes(path) as raw:
        data = raw.read()
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = count_lines(data[: error.start]) + 1
            data = data[max(0, error.start - SAMPLE) :][: 2 * SAMPLE]
    return not_utf8(path, data, line)


def fingerprint(path: PathLike) -> tuple[object, ...]:
    """Values that are equal as long as a file is not written or replaced.

    Of a local file the size, the time of its last change to the nanosecond and the inode. They can
    be compared with those of the same path only.
    """
    try:
        if is_remote(path):
            return (cast(Any, path_of(path)).checksum(),)
        facts = os.stat(path)
    except OSError as error:
        raise _unreadable(error, path) from error
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def check_unchanged(path: PathLike, before: tuple[object, ...]) -> None:
    """Raise if a file no longer has the same `fingerprint`."""
    with suppress(FormatError):  # it is gone
        if fingerprint(path) == before:
            return
    raise FormatError("changed while it was read; begin again when it is complete", path)


@contextmanager
def unchanged(paths: Iterable[PathLike]) -> Iterator[None]:
    """A block that reads files; those of this machine must not change in the meantime."""
    prints = {path: fingerprint(path) for path in paths if os.path.isfile(path)}
    try:
        yield
    finally:  # what was changed may be why it could not be read
        for path, before in prints.items():
            check_unchanged(path, before)


def suffix_of(path: PathLike) -> str:
    """The ending of a file's name in lower case, `.gz` apart; empty if it has none."""
    suffixes = (suffix.lower() for suffix in reversed(path_of(path).suffixes))
    return next((suffix for suffix in suffixes if suffix != ".gz"), "")


def name_by_file(path: PathLike) -> str:
    """The name of a document: that of its file, without the ending."""
    return Path(path_of(path).name.removesuffix(".gz")).stem
