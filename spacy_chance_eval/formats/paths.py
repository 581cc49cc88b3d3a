"""Addresses such as s3://bucket/a.jsonl, opened by fsspec: what of pathlib the readers need."""

import glob
import io
import re
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from .errors import FormatError

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")  # two letters: C:// is a drive
WILDCARD = re.compile(r"[*?[]")
BLOCK = 2**18  # bytes asked for at a time
# what changes with a file, by the names that file systems have for it
MARKS = (
    *("size", "mtime", "created", "ino", "modified", "LastModified", "last_modified", "updated"),
    *("ETag", "etag", "md5", "md5Hash", "content_md5", "crc32c", "generation", "VersionId"),
)


def is_remote(path):
    """Whether a path is an address that fsspec opens, as memory://a and file:///a are."""
    return isinstance(path, Remote) or bool(ADDRESS.match(text := str(path))) and "://" in text


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


@contextmanager
def asking(address):
    """The same for questions about an address: what goes wrong is a `FormatError` that names it."""
    try:
        with reaching(address):
            yield
    except OSError as error:
        raise FormatError(f"cannot be reached ({error})", address) from error


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
    with asking(address):
        return url_to_fs(address)


def matching(pattern):
    """The files that match a pattern with * ? [ ] or **, sorted; [] if there are none.

    A file or folder that is called so is no pattern.
    """
    path = path_of(pattern)
    if not WILDCARD.search(str(pattern)) or path.exists():
        return []
    if isinstance(path, Remote):
        return path.matching()
    found = (Path(name) for name in glob.glob(str(path), recursive=True))
    return sorted(file for file in found if file.is_file())


class Fetched(io.RawIOBase):
    """The bytes of a file of fsspec; whatever it raises becomes an `OSError`."""

    def __init__(self, file, address):
        self.file, self.address = file, address

    def readable(self):
        return True

    def seekable(self):
        return self.file.seekable()

    def readinto(self, buffer):
        with reaching(self.address):
            data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset, whence=io.SEEK_SET):
        with reaching(self.address):
            return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def close(self):
        if not self.closed:
            self.file.close()
        super().close()


@dataclass(frozen=True)
class Remote:
    """An address, with what of `pathlib.Path` the readers and writers use.

    In chains such as zip://a.jsonl::s3://bucket/b.zip, the first part with a path has the name.
    """

    address: str

    def __str__(self):
        return self.address

    def __fspath__(self):
        return self.address  # of no file of this machine: who opens it so is told that

    def __lt__(self, other):
        return self.parts < other.parts

    @cached_property
    def place(self):
        """The file system and the path in it."""
        return file_system(self.address)

    @cached_property
    def around(self):
        """What of a chain is in front of the part with the path, that part, and what follows it."""
        links = self.address.split("::")
        own = next((i for i, link in enumerate(links) if "://" in link), len(links) - 1)
        return links[:own], links[own], links[own + 1 :]

    @property
    def pure(self):
        """The path, without what it is in."""
        return PurePosixPath(self.around[1].partition("://")[2])

    name = property(lambda self: self.pure.name)
    stem = property(lambda self: self.pure.stem)
    suffix = property(lambda self: self.pure.suffix)
    suffixes = property(lambda self: self.pure.suffixes)
    parts = property(lambda self: self.pure.parts)

    @property
    def parent(self):
        """The folder that it is in; the outermost one is in itself."""
        scheme, mark, _ = self.around[1].partition("://")
        above = self.pure.parent
        return self.with_link(f"{scheme}{mark}{'' if above == PurePosixPath() else above}")

    @property
    def parents(self):
        """The folders that it is in, from the inside."""
        found = [self.parent]
        while found[-1].name:
            found.append(found[-1].parent)
        return found

    def with_link(self, link):
        """The same chain with another path in it."""
        before, _, after = self.around
        return Remote("::".join([*before, link, *after]))

    def with_name(self, name):
        return self.parent / name

    def with_suffix(self, suffix):
        return self.parent / (self.stem + suffix)

    def __truediv__(self, name):
        own = self.around[1]
        return self.with_link(f"{own}{'' if own.endswith('/') else '/'}{name}")

    def relative_to(self, folder):
        return self.pure.relative_to(folder.pure)

    def is_relative_to(self, folder):
        return isinstance(folder, Remote) and self.pure.is_relative_to(folder.pure)

    def absolute(self):
        return self

    def resolve(self):
        return self

    def is_symlink(self):
        return False

    def asked(self, question):
        """What the file system says of the path: `question` is the name of one of its methods."""
        system, path = self.place
        with asking(self.address):
            return getattr(system, question)(path)

    def exists(self):
        return self.asked("exists")

    def is_dir(self):
        return self.asked("isdir")

    def is_file(self):
        return self.asked("isfile")

    def rglob(self, pattern):
        """All files below a folder whose names match."""
        root = self.place[1].rstrip("/")
        files = (self / name[len(root) :].lstrip("/") for name in self.asked("find"))
        return [file for file in files if PurePosixPath(file.name).match(pattern)]

    def matching(self):
        """The files that the address matches, if it is a pattern; sorted."""
        folder = next(one for one in self.parents if not WILDCARD.search(one.around[1]))
        root = folder.place[1].rstrip("/")
        found = self.asked("glob")
        files = (folder / name[len(root) :].lstrip("/") for name in found)
        return sorted(file for file in files if file.is_file())

    def open(self, mode="rb"):
        """The file, to be read as bytes; as of a local one, an `OSError` says why it cannot be."""
        system, path = self.place
        with reaching(self.address):
            file = system.open(path, mode)
        return io.BufferedReader(Fetched(file, self.address), BLOCK)

    def make_parent(self):
        """Make the folder that it is in."""
        system, path = self.place
        with reaching(self.address):
            system.makedirs(system._parent(path), exist_ok=True)

    @contextmanager
    def replaced(self):
        """A local binary file that takes the place of the address when the block ends well.

        It is sent under another name first and then moved: nobody finds half of it, and what was
        there stays until then.
        """
        if self.is_dir():
            raise IsADirectoryError(None, "a folder")
        system, path = self.place
        temporary = f"{system._parent(path)}/.{self.name}.{uuid.uuid4().hex}.tmp"
        with TemporaryDirectory() as folder:
            local = Path(folder) / "new"
            with open(local, "xb") as raw:
                yield raw
            try:
                with reaching(self.address):
                    system.put_file(str(local), temporary)
                    system.mv(temporary, path)
            except BaseException:
                with suppress(Exception):  # it may not be there, or out of reach
                    system.rm_file(temporary)
                raise

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


DOCBINS = (".spacy", ".spacy.gz")


def is_pattern(path):
    """Whether a path with * ? or [ ] stands for others: nothing is called so itself."""
    return bool(WILDCARD.search(str(path))) and not path_of(path).exists()


def is_there(path):
    """Whether there is such a file or folder, or a file that matches such a pattern."""
    return bool(matching(path)) or path_of(path).exists()


def is_several(path):
    """Whether a path is a folder or a pattern."""
    return path_of(path).is_dir() or is_pattern(path)


def files_at(path):
    """The file itself, all files of a folder that are not hidden, or those that match a pattern.

    They are sorted.

    Raises
    ------
    FormatError
        If nothing matches a pattern.
    """
    if is_pattern(path):
        found = matching(path)
        if not found:
            raise FormatError("no file matches this pattern; check the path", path)
        return found
    if not path_of(path).is_dir():
        return [path_of(path)]
    folder = path_of(path)
    every = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return [file for file in every if not is_hidden(file.relative_to(folder))]


def is_hidden(path):
    """Whether a path in a folder begins with a dot, or is in a folder that does."""
    return any(part.startswith(".") for part in path.parts)


def docbins_at(path):
    """The `.spacy` files of a folder, or among those that match a pattern."""
    return [file for file in files_at(path) if file.name.endswith(DOCBINS)]
