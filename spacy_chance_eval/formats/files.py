"""Text files as every reader wants them: UTF-8, gzip or not, any newline; and safe writing."""

import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from ..measures.messages import quoted
from .corpus import Corpus
from .errors import FormatError, PathLike
from .paths import given_path, is_remote, path_of

GZIP_MAGIC = b"\x1f\x8b"
# A file may be packed as well as it likes until it has MAX_UNPACKED bytes, and then by MAX_RATIO:
# annotation is packed by 3 to 40, one text of many annotators by 130; the most is 1032.
MAX_UNPACKED = 2**26
MAX_RATIO = 300
BLOCK = 1 << 16  # bytes that are in memory at a time
SHA256 = re.compile(r"[0-9a-f]{64}")


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
    except _broken_gzip() as error:
        raise FormatError("broken or cut off gzip file; copy it again", path) from error
    except OSError as error:
        raise _unreadable(error, path) from error


def _unreadable(error: OSError, path: PathLike) -> FormatError:
    """The error of a file that the system does not give."""
    if isinstance(error, FileNotFoundError):
        return FormatError("no such file; check the path", path)
    if isinstance(error, IsADirectoryError):
        return FormatError("a folder, not a file; name one file", path)
    return FormatError(f"cannot be read ({error.strerror or error})", path)


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked."""
    with path_of(path).open("rb") as file:
        if file.peek(2)[:2] != GZIP_MAGIC:
            yield cast(BinaryIO, file)
            return
        yield io.BufferedReader(_Unpacked(file, path), 4 * BLOCK)


class _Unpacked(io.RawIOBase):
    """The bytes that gzip unpacks from a file, as long as it is no bomb."""

    def __init__(self, file: BinaryIO, path: PathLike) -> None:
        import gzip

        self._file, self._path, self._n_bytes = file, path, 0
        self._raw = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._raw.readinto(buffer)
        self._n_bytes += n
        if self._n_bytes > MAX_UNPACKED:
            check_ratio(self._n_bytes, self._file.tell(), self._path, UNPACK)
        return n


UNPACK = "if it is no trap, unpack it first (gunzip) and read the file that comes out"


def check_ratio(n_unpacked: int, n_packed: int, path: PathLike, advice: str) -> None:
    """Raise if far more bytes are unpacked so far than of annotation; `advice`: another way."""
    if n_unpacked > max(MAX_UNPACKED, MAX_RATIO * n_packed):
        raise FormatError(
            f"more than {MAX_UNPACKED // 2**20} MB are packed more than {MAX_RATIO} times smaller, "
            f"as in a trap that fills the memory; {advice}",
            path,
        )


def check_packed(data: bytes, path: PathLike, advice: str) -> None:
    """Raise for zlib's bytes that unpack to far more; nothing but a block of them is in memory."""
    unpacker, n_unpacked = zlib.decompressobj(), 0
    for start in range(0, len(data), BLOCK):
        held = data[start : start + BLOCK]
        while held:
            n_unpacked += len(unpacker.decompress(held, 16 * BLOCK))
            held = unpacker.unconsumed_tail
            check_ratio(n_unpacked, len(data), path, advice)


def _broken_gzip() -> tuple[type[Exception], ...]:
    """Exceptions raised by reading a damaged compressed file."""
    import gzip

    return gzip.BadGzipFile, EOFError, zlib.error


def _undecodable(path: PathLike) -> FormatError:
    """The error of a file that is not UTF-8, with the first such line, if gzip is not broken."""
    from .encodings import SAMPLE, not_utf8

    line, sample = None, b""
    with suppress(*_broken_gzip()), open_bytes(path) as raw:
        for number, text in enumerate(raw, 1):
            if number == 1 or not text.isascii():
                sample += text
            try:
                text.decode("utf-8")
            except UnicodeDecodeError:
                line = line or number
            if line is not None and len(sample) > SAMPLE:
                break
    return not_utf8(path, sample, line)


def sha256_of(path: PathLike) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path_of(path).open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def checked_sha256(given: object, name: str, path: PathLike) -> tuple[str, ...]:
    """The checksums that a YAML file gives for a name, one or a list of several, in lower case."""
    sums = given if isinstance(given, list) else [given]
    if not sums or not all(SHA256.fullmatch(str(one).lower()) for one in sums):
        wrong = f"{name}: sha256 is {quoted(given)}"
        raise FormatError(f"{wrong}; expected 64 hexadecimal digits, or no such key", path)
    return tuple(str(one).lower() for one in sums)


def fingerprint(path: PathLike) -> tuple[object, ...]:
    """Values that are equal as long as a file is not written or replaced.

    Of a local file the size, the time of its last change to the nanosecond and the inode; of an
    address what its file system tells, such as size, time and ETag. They can be compared with those
    of the same path only.
    """
    try:
        if is_remote(path):
            return cast(Any, given_path(path)).fingerprint()
        facts = os.stat(path)
    except OSError as error:
        raise _unreadable(error, path) from error
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def check_unchanged(path: PathLike, before: tuple[object, ...]) -> None:
    """Raise if a file no longer has the same `fingerprint`."""
    try:
        same = fingerprint(path) == before
    except FormatError as error:
        raise FormatError(f"changed while it was read (now: {error.args[0]})", path) from error
    if not same:
        raise FormatError("changed while it was read; begin again when it is complete", path)


@contextmanager
def unchanged(paths: Iterable[PathLike]) -> Iterator[None]:
    """A block that reads files; those of this machine must not change in the meantime."""
    local = [path for path in paths if not is_remote(path) and os.path.isfile(path)]
    before = [fingerprint(path) for path in local]
    try:
        yield
    finally:  # what was changed may be why it could not be read
        for path, known in zip(local, before):
            check_unchanged(path, known)


def suffix_of(path: PathLike) -> str:
    """The ending of a file's name in lower case, `.gz` apart; empty if it has none."""
    suffixes = (suffix.lower() for suffix in reversed(path_of(path).suffixes))
    return next((suffix for suffix in suffixes if suffix != ".gz"), "")


def name_by_file(path: PathLike) -> str:
    """The name of a document: that of its file, without the ending."""
    return Path(given_path(path).name.removesuffix(".gz")).stem
