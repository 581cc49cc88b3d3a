"""Files and folders to write: each of them whole or not at all.

Everything is written under a temporary name beside its target, and renamed when it is complete: a
command that fails leaves what an earlier run wrote there. A killed run can leave hidden files.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO

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

    A device or pipe is written to at once. The folder that a file is in has to be there.
    """
    if _is_stream(path):
        with _writing(path), open(path, "ab") as raw:
            yield raw
        return
    with _replaced(path) as (new, target):
        with open(new, "xb") as raw:
            yield raw
        if target.is_dir():
            raise FormatError("a folder, not a file; name a file to write", path)
        if target.exists():
            os.chmod(new, stat.S_IMODE(target.stat().st_mode))


@contextmanager
def replaced_folder(folder: PathLike, names: str) -> Iterator[Path]:
    """A folder that takes the place of `folder` when the block ends well; else no trace.

    The files that are there before must be pages of this package, with names that match `names`, a
    pattern: nothing else is deleted.
    """
    check_ours(folder, names)
    with _replaced(folder) as (new, target):
        new.mkdir()
        try:
            yield new
        except FormatError as error:
            if new in Path(error.path or "").parents:  # its name means nothing to users
                raise FormatError(error.args[0], folder) from error
            raise
        if target.exists():  # no system renames a folder to one with files
            target.rename(old := _hidden(target))
            _remove(old)


@contextmanager
def _replaced(path: PathLike) -> Iterator[tuple[Path, Path]]:
    """(a temporary name, which becomes that of an output when the block ends well, the latter)."""
    target = real_path(path)
    new = _hidden(target)
    with _writing(path):
        try:
            check_folder(path)
            yield new, target
            os.replace(new, target)
        except BaseException:
            _remove(new)
            raise


def _remove(path: Path) -> None:
    """Delete a file or folder; what cannot be deleted stays."""
    if path.is_dir():
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _hidden(target: Path) -> Path:
    """A new name beside a file or folder."""
    return target.parent / f"{HIDDEN}{os.urandom(8).hex()}.tmp"


@contextmanager
def _writing(path: PathLike) -> Iterator[None]:
    """A block whose errors of the system become those of an output."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise FormatError("cannot be written as UTF-8: half of a surrogate pair", path) from error
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error}); {ELSEWHERE}"
        raise FormatError(wrong, path) from error


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
