"""Files for documents: names for them, whatever the documents are called, and writing bytes."""

import gzip
import re
from pathlib import Path

from .files import whole_file
from .folders import new_folder

RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
LONGEST = 100


def file_names(names):
    """A file name without ending for each name: plain letters, and all different in any case.

    Documents without a name have their number, in as many digits as the last one, so that the
    order of the names is theirs.
    """
    taken, found, names = set(), [], list(names)
    digits = len(str(len(names)))
    for place, name in enumerate(names, 1):
        own = name or f"document-{place:0{digits}}"
        base = re.sub(r"[^A-Za-z0-9._-]+", "_", own).strip(".")[:LONGEST]
        if not base or RESERVED.fullmatch(base):
            base = f"_{base}"
        free, number = base, 1
        while free.lower() in taken:
            number += 1
            free = f"{base}-{number}"
        taken.add(free.lower())
        found.append(free)
    return found


def ending(path):
    """The ending of a file's name in lower case, apart from `.gz`."""
    return Path(Path(path).name.removesuffix(".gz")).suffix.lower()


def name_by_file(path):
    """A document's name after its file."""
    return Path(Path(path).name.removesuffix(".gz")).stem


def write_bytes(path, data):
    """Write a whole file or nothing; packed with gzip if its name ends in `.gz`."""
    packed = gzip.compress(data, mtime=0) if Path(path).suffix == ".gz" else data
    with whole_file(path) as raw:
        raw.write(packed)


def write_folder(path, files):
    """Write files {name: bytes} as a folder that is new or was empty; all of them or none."""
    with new_folder(path) as folder:
        for name, data in files.items():
            (folder / name).write_bytes(data)
