"""Folders of one file a document: names that stay in the folder, and all files or none."""

import os
import re
import shutil
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import FormatError
from .files import unwritable
from .remote import is_remote

OURS = b'<meta name="generator" content="spacy-chance-eval">'  # in every page
STALE = 3600  # seconds without a new page, after which a run is taken for dead
UNSAFE = re.compile(r"(^|/)(\.|/|$)|[\\:\x00-\x1f\x7f]")


def safe_name(name, folder):
    """The name of a document, if a file called so lies in the folder and is not hidden.

    Slashes make folders inside.
    """
    try:
        length = max(len(part.encode()) for part in name.split("/"))
    except UnicodeEncodeError:
        length = None
    if length is None or length > 200 or UNSAFE.search(name):
        raise FormatError(
            f"document {name[:40]!r} cannot give its name to a file of the folder; use names of "
            "up to 200 bytes without \\ and :, of which no part is empty or begins with a dot",
            folder,
        )
    return name


@contextmanager
def new_folder(folder):
    """A folder that becomes `folder`, new or empty, when the block ends well; else no trace."""
    target = real_folder(folder)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        if target.exists() and any(target.iterdir()):
            raise FormatError("there are files in this folder; name a new one", folder)
        temporary.mkdir()
        yield temporary
        if target.exists():
            target.rmdir()
        os.replace(temporary, target)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def replaced_folder(folder, names):
    """A folder that takes the place of `folder` when the block ends well; else no trace.

    What is there must be pages that this package has made, and be called by one of `names`, a
    pattern: nothing else is ever deleted.
    """
    target = real_folder(folder)
    new, old = (target.with_name(f".{target.name}.{uuid.uuid4().hex}.{i}") for i in ("new", "old"))
    try:
        check_ours(target, folder, names)
        target.parent.mkdir(parents=True, exist_ok=True)
        clear_leftovers(target)
        new.mkdir()
        yield new
        check_ours(target, folder, names)
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            if old.exists():
                old.rename(target)
            raise
    except OSError as error:
        raise unwritable(folder, error) from error
    except FormatError as error:
        if error.path is None or not Path(error.path).is_relative_to(new):
            raise
        called = Path(folder) / Path(error.path).relative_to(new)
        raise FormatError(error.args[0], called, error.line) from error
    finally:
        for path in (new, old):
            shutil.rmtree(path, ignore_errors=True)


def real_folder(folder):
    """The folder itself, where links lead to it."""
    if is_remote(folder):
        raise FormatError("folders are written on this machine; name one, and copy it", folder)
    return Path(os.path.realpath(folder))


def clear_leftovers(target):
    """Delete unfinished folders beside `target` that killed runs have left, unless they are new."""
    left = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{32}}\.new")
    with suppress(OSError):  # they are in nobody's way
        for path in target.parent.iterdir():
            if left.fullmatch(path.name) and time.time() - path.lstat().st_mtime > STALE:
                shutil.rmtree(path, ignore_errors=True)


def check_ours(target, folder, names):
    """Raise unless a folder is missing, empty, or holds nothing but our pages of these names."""
    if target.exists() and not target.is_dir():
        raise FormatError("a file, not a folder; name another", folder)
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        if path.is_symlink() or not (path.is_dir() or is_our_page(path, name, names)):
            raise FormatError(
                f"not a folder of these pages ({name}); move it, or name another folder", folder
            )


def is_our_page(path, name, names):
    """Whether a file is called as such a page, and says that this package has made it."""
    if not re.fullmatch(names, name):
        return False
    with open(path, "rb") as file:
        return OURS in file.read(4096)
