"""Files and folders to write: each of them whole or not at all, and several as one set.

Everything is written under a temporary name beside its target, and renamed when it is complete. Of
outputs that belong together (`output_set`; a command is one such set) none is renamed before all
are complete. A journal beside them lists the renames while they last: the next run that writes into
that folder completes the set of a run that was killed in between, and deletes what others that
were killed have left. If a rename fails, those before it are taken back.

Files at an address appear one by one, each of them whole: there is nothing like a journal there.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import FormatError, PathLike
from .paths import Remote, is_remote, path_of

# no space: on the disk, for this user, for so large a file
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
IN_USE = {5, 32, 33}  # errors of Windows for files that are open elsewhere
OURS = b'<meta name="generator" content="spacy-chance-eval">'  # in every page
STALE = 24 * 3600  # seconds after which a run on another machine is taken for dead
# names of outputs that are not complete, of what they replace, and of the list of renames
HIDDEN = re.compile(
    r"\.spacy-chance-eval\.(?P<host>[0-9a-f]{8})(?P<process>[0-9a-f]{8})(?P<token>[0-9a-f]{8})"
    r"[0-9a-f]{8}\.(?P<kind>tmp|old|journal)"
)
PAGES = r".*\.html"
LARGEST_JOURNAL = 1 << 24  # bytes: of some hundred thousand outputs
_TOKEN = os.urandom(4).hex()  # tells this process from an older one that had its number


# --- texts and bytes


def write_atomically(path: PathLike, text_or_lines: str | Iterable[str]) -> None:
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


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file or nothing; packed with gzip if its name ends in `.gz`."""
    if Path(path).suffix == ".gz":
        import gzip

        data = gzip.compress(data, mtime=0)
    with whole_file(path) as raw:
        raw.write(data)


def write_folder(path: PathLike, files: Mapping[str, bytes]) -> None:
    """Write files {name: bytes} as a folder that is new or was empty; all of them or none."""
    with new_folder(path) as folder:
        for name, data in files.items():
            (folder / name).write_bytes(data)


# --- one file, one folder


@contextmanager
def whole_file(path: PathLike) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends well, or leaves no trace.

    In a set of outputs it does so when the set is complete.
    """
    try:
        with Remote(str(path)).replaced() if is_remote(path) else _replaced_file(path) as raw:
            yield raw
    except UnicodeEncodeError as error:
        raise FormatError(f"cannot be written as UTF-8 ({error.reason})", path) from error
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def _replaced_file(path: PathLike) -> Iterator[BinaryIO]:
    """The same of a local file; a device or pipe is written to at once."""
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
def new_folder(folder: PathLike) -> Iterator[Path]:
    """A folder that becomes `folder`, new or empty, when the block ends well; else no trace."""
    target = real_folder(folder)

    def check() -> None:
        if target.exists() and any(target.iterdir()):
            raise FormatError("there are files in this folder; name a new one", folder)

    try:
        with _output(target, folder, check) as temporary:
            check()
            temporary.mkdir()
            with _inside():
                yield temporary
    except OSError as error:
        raise _unwritable(folder, error) from error


@contextmanager
def replaced_folder(folder: PathLike, names: str) -> Iterator[Path]:
    """A folder that takes the place of `folder` when the block ends well; else no trace.

    The files that are there must be pages of this package, with names that match `names`, a
    pattern: nothing else is ever deleted.
    """
    target, new = real_folder(folder), None
    check = partial(_check_ours, target, folder, names)
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
    path: PathLike = ""
    check: Callable[[], None] = lambda: None

    @property
    def old(self) -> Path:
        """The name of the former file or folder, while the set appears."""
        return self.temporary.with_suffix(".old")

    def appear(self) -> None:
        """Take the place of the target, which gets the name `old`, unless that is done."""
        if not os.path.lexists(self.temporary):
            return
        if os.path.lexists(self.target) and not os.path.lexists(self.old):
            if self.target.is_dir():
                os.rename(self.target, self.old)
            else:
                try:
                    os.link(self.target, self.old)  # nobody finds it missing
                except OSError:  # a file system without links
                    os.rename(self.target, self.old)
        os.replace(self.temporary, self.target)

    def disappear(self) -> None:
        """Take `appear` back, whole or half done."""
        if not os.path.lexists(self.temporary):
            os.rename(self.target, self.temporary)
        if os.path.lexists(self.old):
            os.replace(self.old, self.target)
            self.old.unlink(missing_ok=True)  # where both were links to one file


class _OutputSet:
    """Outputs that appear together."""

    def __init__(self) -> None:
        self.outputs: list[_Output] = []
        self.deleted: list[PathLike] = []

    def add(self, output: _Output) -> None:
        """Add a complete output."""
        for one in self.outputs:
            if output.target == one.target or output.target in one.target.parents:
                raise FormatError(f"written for {one.path}, too; name another", output.path)
            if one.target in output.target.parents:
                raise FormatError(f"lies in {one.path}, which is written as a whole", output.path)
        self.outputs.append(output)

    def commit(self) -> None:
        """Let all outputs appear, or none.

        Raises
        ------
        FormatError
            If one cannot be renamed. Those before it are then taken back.
        """
        outputs, self.outputs = self.outputs, []
        journals: list[Path] = []
        try:
            with _locked({one.target.parent for one in outputs}):
                if len(outputs) == 1 and not outputs[0].target.is_dir():
                    os.replace(outputs[0].temporary, outputs[0].target)
                elif outputs:
                    for one in outputs:
                        one.check()
                    _write_journals(outputs, journals)
                    for one in outputs:
                        one.appear()
                    for journal in journals:
                        journal.unlink()
        except BaseException as error:
            path = next((one.path for one in outputs if one.temporary.exists()), "")
            with suppress(OSError):  # then a journal stays, and the next run completes the set
                for one in outputs if journals else ():
                    one.disappear()
                for journal in journals:
                    journal.unlink(missing_ok=True)
                for one in outputs:
                    _remove(one.temporary)
            self.deleted += [one.path for one in outputs if one.path != path]
            if isinstance(error, OSError):
                raise _unwritable(path, error) from error
            raise
        for one in outputs:
            _remove(one.old)

    def discard(self) -> None:
        """Delete the outputs."""
        self.deleted += [one.path for one in self.outputs]
        for one in self.outputs:
            _remove(one.temporary)


# the set to which outputs belong; False inside a folder that is temporary itself
_current: ContextVar[_OutputSet | bool | None] = ContextVar("outputs", default=None)


@contextmanager
def output_set() -> Iterator[list[PathLike]]:
    """Let all files and folders that the block writes appear when it ends well, else none of them.

    They cannot be read before. A set in a block is a set of its own. The list gets the names of
    those that were complete and are deleted because of an error.

    Raises
    ------
    FormatError
        If one of them cannot be written. Everything is then as it was before.
    """
    outputs = _OutputSet()
    before = _current.set(outputs)
    try:
        yield outputs.deleted
    except (BrokenPipeError, SystemExit):  # nobody reads the report, or it is bad: it is complete
        outputs.commit()
        raise
    except BaseException:
        outputs.discard()
        raise
    else:
        outputs.commit()
    finally:
        _current.reset(before)


@contextmanager
def _inside() -> Iterator[None]:
    """A block that writes into a folder which is temporary itself."""
    before = _current.set(False)
    try:
        yield
    finally:
        _current.reset(before)


@contextmanager
def _output(
    target: Path, path: PathLike, check: Callable[[], None] = lambda: None
) -> Iterator[Path]:
    """A temporary name, which becomes that of the target when the block ends well, or in its set.

    Otherwise it is deleted. `path` and `check` are those of `_Output`.
    """
    current = _current.get()
    outputs = current if isinstance(current, _OutputSet) else _OutputSet()
    if current is not False:
        _tidy(target.parent)
    temporary = _hidden(target.parent, "tmp")
    try:
        yield temporary
        outputs.add(_Output(temporary, target, path, check))
    except BaseException:
        _remove(temporary)
        raise
    if current is not outputs:
        outputs.commit()


def _hidden(folder: Path, kind: str) -> Path:
    """A new name in a folder, with this process in it."""
    name = f"{_host()}{os.getpid():08x}{_TOKEN}{os.urandom(4).hex()}"
    return folder / f".spacy-chance-eval.{name}.{kind}"


def _host() -> str:
    """Eight digits for this machine, or the container in it: where a process has its number."""
    from platform import node  # for writing only

    name = node()
    try:
        name += os.readlink("/proc/self/ns/pid")
    except OSError:  # macOS, Windows
        pass
    return f"{zlib.crc32(name.encode(errors='replace')):08x}"


@contextmanager
def _locked(folders: Iterable[Path]) -> Iterator[None]:
    """Keep other runs from renaming anything in some folders, where the system can do so."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with ExitStack() as stack:
        for folder in sorted(folders):
            with suppress(OSError):  # a file system without locks
                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


# --- what killed runs have left


def _write_journals(outputs: Sequence[_Output], journals: list[Path]) -> None:
    """Write the list of renames into one folder; before that, where it is into all others.

    The journals are added to the list, that which counts first, before they are written.
    """
    import json

    first, *others = sorted({one.target.parent for one in outputs})
    counts = _hidden(first, "journal")
    names = [[_relative(name, first) for name in (one.temporary, one.target)] for one in outputs]
    journals += [counts, *(_hidden(folder, "journal") for folder in others)]
    for journal in reversed(journals):
        content = names if journal is counts else _relative(counts, journal.parent)
        temporary = _hidden(journal.parent, "tmp")
        try:
            temporary.write_text(json.dumps(content), encoding="utf-8", newline="\n")
            os.replace(temporary, journal)
        finally:
            temporary.unlink(missing_ok=True)


def _relative(path: Path, folder: Path) -> str:
    """A path as it is seen from a folder, with slashes."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.as_posix()


def _tidy(folder: Path) -> None:
    """Complete sets of outputs whose runs were killed, and delete what else such runs have left."""
    try:
        with os.scandir(folder) as entries:
            left = [folder / one.name for one in entries if HIDDEN.fullmatch(one.name)]
    except OSError:  # writing will say why
        return
    left = [path for path in left if _is_dead(path)]
    if not left:
        return
    journals = {_counting(path) for path in left if path.suffix == ".journal"}
    with _locked({folder, *(journal.parent for journal in journals)}):
        for journal in sorted(journals):
            _complete(journal)
        for path in left:
            _remove(path)


def _is_dead(path: Path) -> bool:
    """Whether the process that has made a hidden file or folder no longer runs."""
    match = HIDDEN.fullmatch(path.name)
    if match is None:
        return False
    if match["host"] != _host() or os.name != "posix":
        with suppress(OSError):
            return time.time() - path.lstat().st_mtime > STALE
        return False
    process = int(match["process"], 16)
    if process == os.getpid():
        return match["token"] != _TOKEN
    try:
        os.kill(process, 0)  # asks only
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:  # somebody else's
        return False
    return False


def _counting(journal: Path) -> Path:
    """The journal that has the renames: this one, or that which it names."""
    content = _content(journal)
    if not isinstance(content, str) or not HIDDEN.fullmatch(Path(content).name):
        return journal
    return Path(os.path.normpath(journal.parent / content))


def _content(journal: Path) -> object:
    """The content of a journal; None if it is not there, or none of ours."""
    import json

    try:
        if journal.is_symlink() or journal.stat().st_size > LARGEST_JOURNAL:
            return None
        return json.loads(journal.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _complete(journal: Path) -> None:
    """Let the outputs in a journal appear, and delete it.

    Raises
    ------
    FormatError
        If one cannot be renamed, or would replace a folder of other files.
    """
    outputs = []
    rows = _content(journal)
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 2 and all(isinstance(one, str) for one in row):
            temporary, target = (Path(os.path.normpath(journal.parent / one)) for one in row)
            if temporary.parent == target.parent and HIDDEN.fullmatch(temporary.name):
                outputs.append(_Output(temporary, target))
    try:
        for one in outputs:
            if one.temporary.is_dir() and one.target.exists():
                _check_ours(one.target, one.target, PAGES)
        for one in outputs:
            one.appear()
        journal.unlink(missing_ok=True)
    except OSError as error:
        raise FormatError(
            f"a run that was killed has left a set of files here, which cannot be completed "
            f"({error.strerror or error}); check the folder, or delete {journal.name}",
            journal.parent,
        ) from error
    for one in outputs:
        _remove(one.old)


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


def make_folder(path: PathLike) -> None:
    """Make the folder in which a file will be written, if it does not exist.

    Raises
    ------
    FormatError
        If it cannot be made.
    """
    try:
        if is_remote(path):
            Remote(str(path)).make_parent()
        else:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise FormatError(f"its folder cannot be made ({reason}); name another", path) from error


def check_writable(path: PathLike) -> None:
    """Raise if a file could not be written; nothing is made. For work that writes at its end.

    Raises
    ------
    FormatError
        If there is a folder of this name, or the folder in which it would be is not writable.
    """
    path = path_of(path)
    if path.is_dir():
        raise FormatError("a folder, not a file; name a file to write", path)
    if is_remote(path) or _is_stream(path):
        return
    path = Path(os.path.realpath(path))
    folder = next(folder for folder in path.parents if folder.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise FormatError(f"cannot be written in {folder}; name another folder", path)


def real_folder(folder: PathLike) -> Path:
    """The folder that a path leads to through links; a `FormatError` for an address."""
    if is_remote(folder):
        raise FormatError("folders are written on this machine; name one, and copy it", folder)
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

    Raises
    ------
    FormatError
        For a file, and for any other file in the folder.
    """
    with _locked({target.parent}):  # another run may be about to replace it
        _check_ours(target, folder, names, texts)


def _check_ours(
    target: Path, folder: PathLike, names: str, texts: Mapping[str, str] | None = None
) -> None:
    """The same for those who keep others from renaming it."""
    texts = texts or {}
    if target.exists() and not target.is_dir():
        raise FormatError("a file, not a folder; name another", folder)
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        if HIDDEN.fullmatch(name.partition("/")[0]):
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
