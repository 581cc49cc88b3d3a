"""Addresses such as s3://bucket/a.jsonl, opened by fsspec: what of pathlib the readers need."""

import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from .errors import FormatError

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
# what changes with a file, by the names that file systems have for it
MARKS = (
    *("size", "mtime", "created", "ino", "modified", "LastModified", "last_modified", "updated"),
    *("ETag", "etag", "md5", "md5Hash", "content_md5", "crc32c", "generation", "VersionId"),
)


def is_remote(path):
    """Whether a path is an address that fsspec opens, as memory://a and file:///a are."""
    return isinstance(path, Remote) or bool(ADDRESS.match(str(path)))


def path_of(path):
    """A `Path`, or of an address a `Remote`, which has the methods of it that the readers use."""
    if isinstance(path, (Path, Remote)):
        return path
    return Remote(str(path)) if is_remote(path) else Path(path)


@contextmanager
def reaching(address):
    """A block that asks a file system; whatever it raises becomes an `OSError` or stays one."""
    try:
        yield
    except (OSError, FormatError):
        raise
    except ImportError as error:
        raise FormatError(f"a package is missing for it ({error})", address) from error
    except Exception as error:  # each file system has errors of its own
        raise OSError(f"{type(error).__name__}: {error}") from error


def file_system(address):
    """The fsspec file system of an address, and the path in it.

    Raises
    ------
    FormatError
        If fsspec, or what it needs for this kind of address, is not installed.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise FormatError(
            'addresses need fsspec: pip install "spacy-chance-eval[remote]"', address
        ) from error
    with reaching(address):
        return url_to_fs(address)


@dataclass(frozen=True, order=True)
class Remote:
    """An address, with what of `pathlib.Path` the readers and writers use."""

    address: str

    def __str__(self):
        return self.address

    @cached_property
    def place(self):
        """The file system and the path in it."""
        return file_system(self.address)

    @property
    def pure(self):
        """The address as a path of which only the name is of use."""
        return PurePosixPath(self.address.partition("::")[0])

    name = property(lambda self: self.pure.name)
    stem = property(lambda self: self.pure.stem)
    suffix = property(lambda self: self.pure.suffix)
    suffixes = property(lambda self: self.pure.suffixes)

    def facts(self):
        """What the file system says of the file now, not what it remembers."""
        system, path = self.place
        with reaching(self.address):
            system.invalidate_cache(path.rpartition("/")[0] or path)
            return system.info(path)

    def fingerprint(self):
        """What changes with the file, as far as the file system tells."""
        facts = self.facts()
        return tuple((mark, str(facts[mark])) for mark in MARKS if facts.get(mark) is not None)
