"""Text files as every reader wants them: UTF-8, gzip or not, any newline; and safe writing."""

import errno
import gzip
import io
import os
import shutil
import uuid
import zlib
from contextlib import contextmanager
from pathlib import Path

from .errors import FormatError
from .remote import is_remote, path_of

GZIP_MAGIC = b"\x1f\x8b"
# there is no room: on the disk, for this user, for so large a file
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)


@contextmanager
def open_text(path):
    """The lines of a UTF-8 file, to be read inside the `with` block.

    A byte order mark is skipped, every kind of newline becomes one, gzip is recognised by its first
    bytes.

    Raises
    ------
    FormatError
        If the file is missing, a folder, unreadable, damaged, or not UTF-8.
    """
    try:
        with open_bytes(path) as raw:
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline=None)
    except UnicodeDecodeError as error:
        raise FormatError(
            "not UTF-8 text; convert the file, for example with: iconv -f LATIN1 -t UTF-8",
            path,
            undecodable_line(path),
        ) from error
    except BROKEN_GZIP as error:
        raise FormatError("broken or cut off gzip file; copy it again", path) from error
    except FileNotFoundError as error:
        raise FormatError("no such file; check the path", path) from error
    except IsADirectoryError as error:
        raise FormatError("a folder, not a file; name one file", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path) from error


@contextmanager
def open_bytes(path):
    """The bytes of a file, unpacked."""
    with path_of(path).open("rb") as file:
        packed = file.peek(2)[:2] == GZIP_MAGIC
        with gzip.open(file) if packed else file as raw:
            yield raw


def undecodable_line(path):
    """Number of the first line that is not UTF-8; None if the file also is a broken gzip file."""
    try:
        with open_bytes(path) as raw:
            for number, line in enumerate(raw, 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    return number
    except BROKEN_GZIP:
        return None


def write_atomically(path, text_or_lines):
    """Write a whole file or nothing.

    Parameters
    ----------
    path : str or Path
        Packed with gzip if its name ends in `.gz`.
    text_or_lines : str or iterable of str
        A string as it is, or lines without their newline.

    Raises
    ------
    FormatError
        If the file cannot be written. An older file of that name is then still there, unchanged.
    """
    with whole_file(path) as raw, packer(raw, path_of(path)) as packed:
        with io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file:
            file.writelines(chunks(text_or_lines))


@contextmanager
def whole_file(path):
    """A binary file that takes the place of `path` when the block ends well, or leaves no trace."""
    try:
        with path_of(path).replaced() if is_remote(path) else replaced(path) as raw:
            yield raw
    except UnicodeEncodeError as error:
        raise FormatError(f"cannot be written as UTF-8 ({error.reason})", path) from error
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def replaced(path):
    """A local file that takes the place of another, as `whole_file` has it."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as raw:
            yield raw
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def unwritable(path, error):
    """The `FormatError` of a file or folder that an `OSError` keeps from being written."""
    advice = "make room, or write elsewhere" if error.errno in FULL else "check the folder"
    return FormatError(f"cannot be written ({error.strerror or error}); {advice}", path)


def make_folder(path):
    """The folder in which a file is to be written, if it is not there."""
    try:
        if is_remote(path):
            path_of(path).make_parent()
        else:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise FormatError(f"its folder cannot be made ({reason}); name another", path) from error


def check_writable(path):
    """Raise if a file could not be written; nothing is made. For work that writes at its end."""
    path = path_of(path) if is_remote(path) else Path(os.path.realpath(path))
    if path.is_dir():
        raise FormatError("a folder, not a file; name a file to write", path)
    if is_remote(path):
        return
    folder = next(folder for folder in path.parents if folder.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise FormatError(f"cannot be written in {folder}; name another folder", path)


def fingerprint(path):
    """What changes when a file is written or replaced; equal as long as it is the same.

    Of a local file the size, the time of its last change to the nanosecond and the inode; of an
    address what its file system tells, such as size, time and ETag.

    Returns
    -------
    tuple
        Of plain values; to be compared with others of the same path only.

    Raises
    ------
    FormatError
        If the file is missing or cannot be asked.
    """
    try:
        if is_remote(path):
            return path_of(path).fingerprint()
        facts = os.stat(path)
    except FileNotFoundError as error:
        raise FormatError("no such file; check the path", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path) from error
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def check_unchanged(path, before):
    """Raise if a file is not the one that it was at its `fingerprint` before.

    Raises
    ------
    FormatError
        If it was written, replaced or removed since then.
    """
    try:
        same = fingerprint(path) == before
    except FormatError as error:
        raise FormatError(f"changed while it was read (now: {error.args[0]})", path) from error
    if not same:
        raise FormatError("changed while it was read; begin again when it is complete", path)


def packer(raw, target):
    """The file itself, or gzip in front of it (without a time stamp: equal text, equal bytes)."""
    if target.suffix == ".gz":
        return gzip.GzipFile(target.stem, "wb", fileobj=raw, mtime=0)
    return raw


def chunks(text_or_lines):
    """Pieces of text to write."""
    if isinstance(text_or_lines, str):
        return (text_or_lines,)
    return (line + "\n" for line in text_or_lines)
