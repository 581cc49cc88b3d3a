"""Files and folders to write: each of them whole or not at all.

Everything is written under a temporary name beside its target, and renamed when it is complete. Of
the outputs of a command (`output_set`) none is renamed before all are complete, so that a command
that fails leaves those of an earlier run. A killed run can leave hidden files, and in the moment of
the renames new outputs beside old ones.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import FormatError, PathLike
from .paths import is_remote, path_of

# no space: on the disk, for this user, for so large a file
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
IN_USE = {5, 32, 33}  # errors of Windows for files that are open elsewhere
OURS = b'<meta name="generator" content="spacy-chance-eval">'  # in every page
HIDDEN = ".spacy-chance-eval."  # how names of outputs that are not complete begin


# --- texts and bytes


def write_atomically(path: PathLike, text_or_lines: str | Iterable[str]) -> None:
    """Write a whole file or nothing.

    Parameters
    ----------
    path : str or Path
        Packed with gzip if its name ends in `.gz`.
    text_or_lines : str or iterable of str
        A string as it is, or lines without their newline.
    """
    with whole_file(path) as raw, _packer(raw, path_of(path)) as packed:
        with io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file:
            file.writelines(_text_chunks(text_or_lines))


def _packer(raw: BinaryIO, target: Path) -> AbstractContextManager[Any]:
    """The file itself, or gzip before it (without a time stamp: equal text, equal bytes)."""
    if target.suffix == ".gz":
        import gzip

        return gzip.GzipFile(target.stem, "wb", fileobj=raw, mtime=0)
    return raw


def _text_chunks(text_or_lines: str | Iterable[str]) -> Iterable[str]:
    """The text itself, or its lines with newlines."""
    if isinstance(text_or_lines, str):
        return (text_or_lines,)
    return (line + "\n" for line in text_or_lines)


# --- one file, one folder


@contextmanager
def whole_file(path: PathLike) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends well, or leaves no trace.

    In a set of outputs it does so when the set is complete.
    """
    try:
        with _replaced_file(path) as raw:
            yield raw
    except UnicodeEncodeError as error:
        raise FormatError(f"cannot be written as UTF-8 ({error.reason})", path) from error
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def _replaced_file(path: PathLike) -> Iterator[BinaryIO]:
    """The same; a device or pipe is written to at once."""
    check_local(path)
    if _is_stream(path):
        with open(path, "ab") as raw:
            yield raw
        return
    target = Path(os.path.realpath(path))
    with _output(target, path) as temporary:
        with open(temporary, "xb") as raw:
            yield raw
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))


def _is_stream(path: PathLike) -> bool:
    """Whether nothing can take the place of a path: a device, a pipe, where the report goes."""
    if re.fullmatch(r"/dev/(stdin|stdout|stderr|fd/.*)", os.path.abspath(path)):
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def replaced_folder(folder: PathLike, names: str) -> Iterator[Path]:
    """A folder that takes the place of `folder` when the block ends well; else no trace.

    The files that are there must be pages of this package, with names that match `names`, a
    pattern: nothing else is ever deleted.
    """
    target, new = real_folder(folder), None
    check = partial(check_ours, target, folder, names)
    try:
        check_ours(target, folder, names)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _output(target, folder, check) as new:
            new.mkdir()
            with _inside():
                yield new
    except OSError as error:
        raise _unwritable(folder, error) from error
    except FormatError as error:
        if new is None or error.path is None or not Path(error.path).is_relative_to(new):
            raise
        called = Path(folder) / Path(error.path).relative_to(new)
        raise FormatError(error.args[0], called, error.line) from error


# --- sets of them


class _Output(NamedTuple):
    """A file or folder that is complete under a temporary name.

    `path` is its name in messages; `check` raises if the target must not be replaced.
    """

    temporary: Path
    target: Path
    path: PathLike
    check: Callable[[], None]

    def appear(self) -> None:
        """Take the place of the target."""
        try:
            if self.temporary.is_dir() and self.target.exists():
                old = _hidden(self.target.parent)
                os.rename(self.target, old)
                try:
                    os.rename(self.temporary, self.target)
                except OSError:
                    os.rename(old, self.target)
                    raise
                _remove(old)
            else:
                os.replace(self.temporary, self.target)
        except OSError as error:
            raise _unwritable(self.path, error) from error


# the outputs of a set, which are complete; None where each output appears by itself
_pending: ContextVar[list[_Output] | None] = ContextVar("outputs", default=None)


@contextmanager
def output_set() -> Iterator[list[PathLike]]:
    """Let all files and folders that the block writes appear when it ends well, else none of them.

    They cannot be read before. A set in a block is a set of its own. The list gets the names of
    those that were complete and are deleted because of an error.
    """
    outputs: list[_Output] = []
    deleted: list[PathLike] = []
    before = _pending.set(outputs)
    try:
        try:
            yield deleted
        except SystemExit:  # an exit code: the outputs are complete
            _appear(outputs)
            raise
        _appear(outputs)
    except BaseException as error:
        for one in outputs:
            _remove(one.temporary)
        failed = str(getattr(error, "path", None))
        deleted += [one.path for one in outputs if str(one.path) != failed]
        raise
    finally:
        _pending.reset(before)


def _appear(outputs: list[_Output]) -> None:
    """Let outputs appear, and remove them from the list, one after the other."""
    for one in outputs:
        one.check()
    while outputs:
        outputs[0].appear()
        del outputs[0]


def _add(output: _Output, outputs: list[_Output]) -> None:
    """Add an output to a set, unless it is in one of the others, or holds one."""
    for one in outputs:
        if output.target == one.target or output.target in one.target.parents:
            raise FormatError(f"written for {one.path}, too; name another", output.path)
        if one.target in output.target.parents:
            raise FormatError(f"lies in {one.path}, which is written as a whole", output.path)
    outputs.append(output)


@contextmanager
def _inside() -> Iterator[None]:
    """A block that writes into a folder which is temporary itself."""
    before = _pending.set(None)
    try:
        yield
    finally:
        _pending.reset(before)


@contextmanager
def _output(
    target: Path, path: PathLike, check: Callable[[], None] = lambda: None
) -> Iterator[Path]:
    """A temporary name, which becomes that of the target when the block ends well, or in its set.

    Otherwise it is deleted. `path` and `check` are those of `_Output`.
    """
    temporary, outputs = _hidden(target.parent), _pending.get()
    output = _Output(temporary, target, path, check)
    try:
        yield temporary
        if outputs is None:
            _appear([output])
        else:
            _add(output, outputs)
    except BaseException:
        _remove(temporary)
        raise


def _hidden(folder: Path) -> Path:
    """A new name in a folder."""
    return folder / f"{HIDDEN}{os.urandom(8).hex()}.tmp"


def _remove(path: Path) -> None:
    """Delete a file, or a folder with all its content; what cannot be deleted stays."""
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree

        rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


# --- checks


def _unwritable(path: PathLike, error: OSError) -> FormatError:
    """The `FormatError` of a file or folder that an `OSError` keeps from being written."""
    if isinstance(error, IsADirectoryError):
        return FormatError("a folder, not a file; name a file to write", path)
    advice = "make room, or write elsewhere" if error.errno in FULL else "check the folder"
    if getattr(error, "winerror", None) in IN_USE:
        advice = "close the program that has it open, or check the folder"
    return FormatError(f"cannot be written ({error.strerror or error}); {advice}", path)


def check_local(path: PathLike) -> None:
    """Raise for an address."""
    if is_remote(path):
        raise FormatError(
            "outputs are written on this machine only; name a file or folder here, and copy it",
            path,
        )


def make_folder(path: PathLike) -> None:
    """Make the folder in which a file will be written, if it does not exist."""
    check_local(path)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise FormatError(f"its folder cannot be made ({reason}); name another", path) from error


def check_writable(path: PathLike) -> None:
    """Raise if a file could not be written; nothing is made. For work that writes at its end."""
    check_local(path)
    path = path_of(path)
    if path.is_dir():
        raise FormatError("a folder, not a file; name a file to write", path)
    if _is_stream(path):
        return
    path = Path(os.path.realpath(path))
    folder = next(folder for folder in path.parents if folder.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise FormatError(f"cannot be written in {folder}; name another folder", path)


def real_folder(folder: PathLike) -> Path:
    """The folder that a path leads to through links; a `FormatError` for an address."""
    check_local(folder)
    return Path(os.path.realpath(folder))


def check_ours(
    target: Path, folder: PathLike, names: str, texts: Mapping[str, str] | None = None
) -> None:
    """Raise unless a folder is missing, empty, or holds nothing but our pages of these names.

    Parameters
    ----------
    target : Path
    folder : str or Path
        Name in messages.
    names : str
        A pattern.
    texts : mapping of str to str, optional
        Names and contents of files that may be there, too.
    """
    texts = texts or {}
    if target.exists() and not target.is_dir():
        raise FormatError("a file, not a folder; name another", folder)
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        if name.startswith(HIDDEN):
            continue
        if not path.is_symlink() and (path.is_dir() or _is_our_page(path, name, names)):
            continue
        if path.is_symlink() or name not in texts or path.read_bytes() != texts[name].encode():
            raise FormatError(
                f"not a folder of these pages ({name}); move it, or name another folder", folder
            )


def _is_our_page(path: Path, name: str, names: str) -> bool:
    """Whether a file is called as such a page, and says that this package has made it."""
    if not re.fullmatch(names, name):
        return False
    with open(path, "rb") as file:
        return OURS in file.read(4096)
