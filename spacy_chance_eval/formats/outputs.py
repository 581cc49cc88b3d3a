"""Files and folders to write: each of them whole or not at all.

Everything is written under a temporary name beside its target, and renamed when it is complete. Of
the outputs of a command (`output_set`) none is renamed before all are complete, so that a command
that fails leaves those of an earlier run. A killed run can leave hidden files, and in the moment of
the renames new outputs beside old ones.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import FormatError, PathLike
from .paths import is_remote

OURS = b'<meta name="generator" content="spacy-chance-eval">'  # in every page
HIDDEN = ".spacy-chance-eval."  # how names of outputs that are not complete begin
ELSEWHERE = "check the folder and the room on its disk, or write elsewhere"
NO_FOLDER = "its folder does not exist; make that first, or write elsewhere"


def write_atomically(path: PathLike, text_or_lines: str | Iterable[str]) -> None:
    """Write a whole file or nothing: a string as it is, or lines without their newline.

    It is packed with gzip if its name ends in `.gz`.
    """
    lines = (f"{line}\n" for line in text_or_lines)
    with whole_file(path) as raw:
        packed: AbstractContextManager[Any] = nullcontext(raw)
        if (target := Path(path)).suffix == ".gz":
            import gzip

            # without a time stamp: equal text, equal bytes
            packed = gzip.GzipFile(target.stem, "wb", fileobj=raw, mtime=0)
        with packed as binary, io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file:
            file.writelines([text_or_lines] if isinstance(text_or_lines, str) else lines)


@contextmanager
def whole_file(path: PathLike) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends well, or leaves no trace.

    In a set of outputs it does so when the set is complete. A device or pipe is written to at once.
    The folder that it is in has to be there.
    """
    target = real_path(path)
    if _is_stream(path):
        with _writing(path), open(path, "ab") as raw:
            yield raw
        return
    with _writing(path), _output(target, path) as temporary:
        with open(temporary, "xb") as raw:
            yield raw
        if target.is_dir():
            raise FormatError("a folder, not a file; name a file to write", path)
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))


@contextmanager
def replaced_folder(folder: PathLike, names: str) -> Iterator[Path]:
    """A folder that takes the place of `folder` when the block ends well; else no trace.

    The files that are there before must be pages of this package, with names that match `names`, a
    pattern: nothing else is deleted.
    """
    check_ours(folder, names)
    with _writing(folder), _output(real_path(folder), folder) as new:
        new.mkdir()
        before = _pending.set(None)  # its pages are no outputs of their own
        try:
            yield new
        except FormatError as error:
            if error.path is None or new not in Path(error.path).parents:
                raise
            raise FormatError(error.args[0], folder) from error
        finally:
            _pending.reset(before)


# --- sets of them


class _Output(NamedTuple):
    """A file or folder that is complete under a temporary name."""

    temporary: Path
    target: Path
    path: PathLike  # its name in messages

    def appear(self) -> None:
        """Take the place of the target."""
        if not (self.temporary.is_dir() and self.target.is_dir()):
            os.replace(self.temporary, self.target)
            return
        old = _hidden(self.target)
        os.rename(self.target, old)
        try:
            os.rename(self.temporary, self.target)
        except OSError:
            os.rename(old, self.target)
            raise
        _remove(old)


# the outputs of a set, which are complete; None where each output appears by itself
_pending: ContextVar[list[_Output] | None] = ContextVar("outputs", default=None)


@contextmanager
def output_set() -> Iterator[None]:
    """Let all files and folders that the block writes appear when it ends well, else none of them.

    They cannot be read before. A set in a block is a set of its own.
    """
    outputs: list[_Output] = []
    before = _pending.set(outputs)
    try:
        try:
            yield
        except SystemExit:  # an exit code: the outputs are complete
            _appear(outputs)
            raise
        _appear(outputs)
    finally:
        for one in outputs:
            _remove(one.temporary)
        _pending.reset(before)


def _appear(outputs: list[_Output]) -> None:
    """Let outputs appear, and remove them from the list, one after the other."""
    while outputs:
        with _writing(outputs[0].path):
            outputs[0].appear()
        del outputs[0]


@contextmanager
def _output(target: Path, path: PathLike) -> Iterator[Path]:
    """A temporary name, which becomes that of the target when the block or its set ends well."""
    output, outputs = _Output(_hidden(target), target, path), _pending.get()
    check_folder(path)
    try:
        yield output.temporary
        if outputs is None:
            _appear([output])
        else:
            outputs.append(output)
    except BaseException:
        _remove(output.temporary)
        raise


@contextmanager
def _writing(path: PathLike) -> Iterator[None]:
    """A block whose errors of the system become those of an output."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise FormatError(f"cannot be written as UTF-8 ({error.reason})", path) from error
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error}); {ELSEWHERE}"
        raise FormatError(wrong, path) from error


def _hidden(target: Path) -> Path:
    """A new name beside a file or folder."""
    return target.parent / f"{HIDDEN}{os.urandom(8).hex()}.tmp"


def _remove(path: Path) -> None:
    """Delete a file, or a folder with all its content; what cannot be deleted stays."""
    if path.is_dir():
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)


# --- checks


def local_path(path: PathLike) -> Path:
    """The `Path` of an output; a `FormatError` for an address."""
    if is_remote(path):
        wrong = "outputs are written on this machine only; name a file or folder here, and copy it"
        raise FormatError(wrong, path)
    return Path(path)


def real_path(path: PathLike) -> Path:
    """Where the path of an output leads through links."""
    return Path(os.path.realpath(local_path(path)))


def _is_stream(path: PathLike) -> bool:
    """Whether nothing can take the place of a path: a device, a pipe, where the report goes."""
    shared = r"/dev/(stdin|stdout|stderr|fd/.*)"  # may be files, which others write, too
    if os.name == "posix" and re.fullmatch(shared, os.path.abspath(path)):
        return True
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def check_folder(path: PathLike) -> None:
    """Raise unless the folder is there in which a file, or a folder of pages, is to be written.

    It is not made: a slip of the pen in a path would scatter outputs.
    """
    if not real_path(path).parent.is_dir():
        raise FormatError(NO_FOLDER, path)


def check_writable(path: PathLike) -> None:
    """Raise if a file could not be written; nothing is made. For work that writes at its end."""
    check_folder(path)
    target = real_path(path)
    may_be = os.access(target.parent, os.W_OK) and not target.is_dir()
    if not (may_be or _is_stream(path)):
        raise FormatError(f"no file can be written there; {ELSEWHERE}", path)


def check_ours(folder: PathLike, names: str, texts: Collection[str] = ()) -> None:
    """Raise unless a folder is missing, empty, or holds nothing but what may be replaced.

    That are our pages, with names that match the pattern, and files with one of the `texts`.
    """
    check_folder(folder)
    target = real_path(folder)
    if target.exists() and not target.is_dir():
        raise FormatError("a file, not a folder; name another", folder)
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        if name.startswith(HIDDEN) or path.is_dir() and not path.is_symlink():
            continue
        content = b"" if path.is_symlink() else path.read_bytes()
        is_page = re.fullmatch(names, name) and OURS in content[:4096]
        if not is_page and content.decode("utf-8", "replace") not in texts:
            wrong = f"not a folder of these pages ({name}); move it, or name another folder"
            raise FormatError(wrong, folder)
