"""Folders of one file a document: names that stay in the folder, and all files or none."""

import os
import re
import shutil
import uuid
from contextlib import contextmanager
from pathlib import Path

from .errors import FormatError

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
    target = Path(os.path.realpath(folder))
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
        raise FormatError(f"cannot be written ({error.strerror or error})", folder) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
