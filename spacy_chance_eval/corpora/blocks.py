"""Blocks: documents of all sources that are in memory together, and how files become them.

A corpus is divided into *batches*, each for one worker: files that belong together, or raw
documents at the same places of several files. The part of a batch in memory is a `Block`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from os.path import abspath
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from .. import formats
from ..formats.blemishes import STOP, reading
from ..formats.corpus import Corpus, join_corpora, other_positions
from ..formats.errors import FormatError, NotInBlocksError
from ..formats.files import Excerpt, Run, count_lines, fingerprint
from ..formats.keys import Reading
from ..formats.paths import is_remote
from .sources import Source

FEW, MOST = 64, 20_000  # documents of a block: of the first one, and of any
CHARACTERS = 4_000_000  # that a block is meant to have of each source
ALL_CHARACTERS = 16_000_000  # of all sources; some blocks are in memory at a time
WEIGHED = 64_000_000  # of all sources, times the weight of a job: see `Job.weight`
Known: TypeAlias = dict[tuple[Any, ...], Any]  # what whole files tell
NO_RUN = Run("", ())


class UnorderedError(ValueError):
    """Sources that hold other documents at the same place: they are compared as a whole only."""


@dataclass(frozen=True)
class Block:
    """Documents of all sources in memory together.

    Parameters
    ----------
    corpora : sequence of Corpus
        One for each source; of a whole corpus they may be read as they are asked for, each once.
    first : int, optional
        Number of documents in front, as of its corpora. None: there are no other documents, and
        sources may hold them in different orders.
    """

    corpora: Sequence[Corpus]
    first: int | None = None


@dataclass(frozen=True)
class _RawDocuments:
    """Consecutive documents of a file, not yet read. They can be sent to another process.

    Parameters
    ----------
    path : str
        The file.
    format : str
        One of `formats.READERS`.
    reading : Reading
    content : str, DocBin or list of Piece, optional
        The documents as they are in the file. None: the whole file, to be read where it is used.
    first_line : int
        Where the content begins in the file.
    context : object
        Facts of the whole file.
    n_docs : int, optional
        Number of documents; None for a whole file.
    """

    path: str
    format: str
    reading: Reading
    content: Any = field(default=None, repr=False)
    first_line: int = 1
    context: Any = field(default=None, repr=False)
    n_docs: int | None = None

    @property
    def n_characters(self) -> int:
        """About how many characters the documents have, as long as they are not read."""
        if hasattr(self.content, "tokens"):  # a DocBin: some six of each token
            return 6 * sum(map(len, self.content.tokens))
        if isinstance(self.content, list):  # of `pieces.Piece`
            return sum(piece.size for piece in self.content)
        return len(self.content)  # bytes, perhaps

    def read(self) -> Corpus:
        """The `Corpus` of the documents, each the same as in the corpus of the whole file.

        Raises
        ------
        FormatError
            If they cannot be read, with the line in the file.
        """
        if self.content is None:
            return formats.read_file(self.path, replace(self.reading, format=self.format))
        excerpt = Excerpt(self.path, self.content, self.first_line)
        return formats.READERS[self.format].read(excerpt, self.reading, self.context)


def can_be_divided(source: Source, files: Iterable[str]) -> bool:
    """Whether files of a source can be read in blocks: CoNLL, JSON lines, `.spacy`.

    Rows of several annotators cannot: those of one document may stand anywhere.
    """
    if source.is_pipeline or source.reading.annotator is not None:
        return False
    for file in files:
        format = source.format_of(file)
        if formats.READERS[format].blocks is None:
            return False
        if format in formats.ROWS:
            from ..formats.json_rows import is_array

            if is_array(file):
                return False
    return True


class RawReader:
    """The documents of some files of a source, unread, in the order of the files.

    Memory is bounded by the documents that are taken, but for `.spacy`, of which a file is loaded
    at a time. To be used in a `with`.

    Parameters
    ----------
    source : Source
    files : sequence of str
    known : dict, optional
        Facts of the whole files from an earlier reading: the reader looks there first, and
        adds to it.
    """

    def __init__(self, source: Source, files: Iterable[str], known: Known | None = None) -> None:
        self._source, self._files = source, iter(files)
        self._known = {} if known is None else known
        self._whole: _RawDocuments | None = None
        self._run, self._taken = NO_RUN, 0
        self._runs: Iterator[Run] = iter(())
        self._first: tuple[str, str] | None = None
        self._about: dict[str, Any] = {}
        self._context: Any = None
        self._line = 1

    def take(self, n: int) -> list[_RawDocuments]:
        """The next `n` documents, in an entry for each file; [] at the end.

        A file that cannot be divided is one entry in a list of its own, for any `n`.
        """
        taken = []
        while n and self._whole is None:
            parts, n_docs = self._some(n)
            if n_docs:
                taken.append(self._raw(parts, n_docs))
                n -= n_docs
            elif not self.open_next():
                break
        if self._whole is not None and not taken:
            taken, self._whole = [self._whole], None
        return taken

    def _some(self, n: int) -> tuple[list[Any], int]:
        """Contents and number of the next `n` documents of the file."""
        parts, n_docs = list[Any](), 0
        while n_docs < n:
            content, ends = self._run
            size = 1 if ends is None else len(ends)
            if self._taken == size:
                with self._policy():
                    found = next(self._runs, None)
                if found is None:
                    break
                self._run, self._taken = found, 0
                continue
            last = min(self._taken + n - n_docs, size)
            if ends is not None:
                content = content[ends[self._taken - 1] if self._taken else 0 : ends[last - 1]]
            parts.append(content)
            n_docs, self._taken = n_docs + last - self._taken, last
        return parts, n_docs

    def _policy(self) -> AbstractContextManager[object]:
        """A block in which the file is looked through, as with the policy of its reader."""
        return reading(self._about.get("path"), self._source.reading.on_error or STOP)

    def close(self) -> None:
        """Close the open file, and drop the text that was read of it."""
        self._run, self._taken = NO_RUN, 0
        close = getattr(self._runs, "close", None)
        if close:
            close()

    def __enter__(self) -> RawReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def open_next(self) -> bool:
        """Go to the next file; false at the end."""
        path = next(self._files, None)
        if path is None:
            return False
        source = self._source
        format, how = source.format_of(path), source.of_files
        self._about = {"path": path, "format": format, "reading": how}
        if not can_be_divided(source, [path]):
            self._whole = _RawDocuments(**self._about)
            return True
        how = formats.prepared(path, format, how)
        self._about["reading"], self._line = how, 1
        reader = formats.READERS[format].blocks
        assert reader is not None
        address = path if is_remote(path) else abspath(path)
        key = format, repr(how), address, fingerprint(path)
        if reader.again and key in self._known:
            self._context = self._known[key]
            self._runs = reader.again(path, self._context)
        else:
            with self._policy():
                self._context, self._runs = reader.open(path, how)
            if reader.again:
                self._known[key] = self._context
        self._join = reader.join
        positions = reader.positions or self._context[0]
        self._first = self._first or (path, positions)
        if self._first[1] != positions:
            raise other_positions(path, positions, *self._first)
        return True

    def _raw(self, parts: Sequence[Any], n_docs: int) -> _RawDocuments:
        """Some consecutive documents."""
        content = self._join(parts)
        first = self._line
        if isinstance(content, bytes):
            self._line += count_lines(content)
        elif isinstance(content, str):
            self._line += content.count("\n")
        return _RawDocuments(
            **self._about,
            content=content,
            first_line=first,
            context=self._context,
            n_docs=n_docs,
        )


def facts_of_file(task: tuple[Source, str]) -> Known:
    """The facts that a `RawReader` needs of a file of a source; none if it cannot be read."""
    known: Known = {}
    with RawReader(task[0], [task[1]], known) as reader, suppress(ValueError):
        reader.open_next()  # the error is raised when its turn comes
    return known


# --- which files belong together


def match_files(sources: Sequence[Source], some: bool = False) -> list[Source] | None:
    """The sources with their files in an order in which they belong together; None without one.

    Files with the same name, but for their extensions, belong together; or else, if there are
    equally many, those at the same place. With `some`, files without partners are left out.
    """
    tables = _files_by_name(sources)
    if tables is not None and (some or len({frozenset(table) for table in tables}) == 1):
        shared = [name for name in tables[0] if all(name in table for table in tables)]
        if len(shared) > 1 or (some and shared):
            return [
                replace(source, files=tuple(table[name] for name in shared))
                for source, table in zip(sources, tables)
            ]
    alike = len({len(source.files) for source in sources}) == 1 and len(sources[0].files) > 1
    return list(sources) if alike else None


def files_without_partners(sources: Sequence[Source]) -> Iterator[str]:
    """The files of some sources without a partner in others, if some files have one."""
    tables: list[dict[str, str]] = _files_by_name(sources) or [{}]
    everywhere = set.intersection(*map(set, tables))
    if everywhere:
        for table in tables:
            yield from (path for name, path in table.items() if name not in everywhere)


def _files_by_name(sources: Sequence[Source]) -> list[dict[str, str]] | None:
    """{name without endings: path} for each source; None where two files share one."""
    tables = [{_stem(path): path for path in source.files} for source in sources]
    unique = all(len(table) == len(source.files) for table, source in zip(tables, sources))
    return tables if unique else None


def _stem(path: str) -> str:
    """The name of a file without its endings."""
    return PurePosixPath(path.replace("\\", "/")).name.partition(".")[0]


# --- batches


@dataclass(frozen=True)
class Batch:
    """Documents that one worker reads and counts.

    Parameters
    ----------
    number : int
    files : tuple of str
        A whole file of each source; empty where there are raw documents.
    raw : tuple of sequences of _RawDocuments
        Those of each source.
    first : int
        Number of documents in front, where it is known.
    """

    number: int
    files: tuple[str, ...] = ()
    raw: tuple[Sequence[_RawDocuments], ...] = ()
    first: int = 0


def batches_of(
    sources: Sequence[Source],
    whole_files: bool,
    known: Known | None = None,
    weight: float = 1,
) -> Iterator[Batch]:
    """The batches of some sources: files that belong together, or raw documents.

    `known` are facts of divided files from before: see `RawReader`; `weight` is that of the job.
    """
    if whole_files:
        for number, files in enumerate(zip(*(source.files for source in sources))):
            yield Batch(number, files)
        return
    first = 0
    of_sources = [source.files for source in sources]
    for number, raw in enumerate(_in_step(sources, of_sources, weight, known)):
        yield Batch(number, raw=raw, first=first)
        first += _n_docs(raw[0])


def blocks_of(batch: Batch, sources: Sequence[Source], weight: float = 1) -> Iterator[Block]:
    """The blocks of a batch, one after the other; `weight` is that of the job."""
    if not batch.files:
        yield _block(batch.raw, sources, batch.first)
        return
    files = [(file,) for file in batch.files]
    first = batch.first
    if all(can_be_divided(source, mine) for source, mine in zip(sources, files)):
        for raw in _in_step(sources, files, weight):
            yield _block(raw, sources, first)
            first += _n_docs(raw[0])
    if first == batch.first:  # not divided, or no document: reading says whether that is an error
        yield block_of_files(batch, sources)


def block_of_files(batch: Batch, sources: Sequence[Source]) -> Block:
    """The block of all documents of the files of a batch."""
    try:
        pairs = zip(sources, batch.files)
        return Block([source.read(file, first=batch.first) for source, file in pairs], batch.first)
    except FormatError as error:
        if any(one.reading.on_error not in (None, STOP) for one in sources):
            raise NotInBlocksError(*error.args) from error  # a document is left out, perhaps
        raise


def with_absolute_paths(source: Source) -> Source:
    """The source with paths of files that mean the same in any working folder."""
    files = (file if is_remote(file) else abspath(file) for file in source.files)
    return replace(source, files=tuple(files))


class _Corpora(Sequence[Corpus]):
    """The corpora of some sources, each read when it is asked for; the first one is kept."""

    def __init__(
        self, sources: Sequence[Source], read: Callable[[Source, Corpus], Corpus] | None, keep: bool
    ) -> None:
        self.sources, self.read, self.keep = sources, read, keep
        self.kept: dict[int, Corpus] = {}

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, number: Any) -> Any:
        if number in self.kept:
            return self.kept[number]
        source = self.sources[number]
        corpus = self.read(source, self[0]) if number and self.read else source.read()
        if self.keep or not number:
            self.kept[number] = corpus
        return corpus

    def __iter__(self) -> Iterator[Corpus]:
        return (self[number] for number in range(len(self)))


def one_block_of(
    sources: Sequence[Source],
    read: Callable[[Source, Corpus], Corpus] | None = None,
    keep: bool = False,
) -> Block:
    """The one block of sources that are not divided; each is read when it is asked for.

    Parameters
    ----------
    sources : sequence of Source
    read : callable, optional
        read(source, corpus of the first source) reads a source but the first; by default
        `Source.read`.
    keep : bool
        Whether all corpora stay in memory with the block, not the first one only.
    """
    return Block(_Corpora(sources, read, keep))


def _block(raw: Sequence[Sequence[_RawDocuments]], sources: Sequence[Source], first: int) -> Block:
    """The block of some raw documents."""
    pairs = zip(sources, raw)
    return Block([source.tokenized(_joined(mine), first) for source, mine in pairs], first)


def _joined(raw: Sequence[_RawDocuments]) -> Corpus:
    """The corpus of raw documents of several files."""
    corpora = [one.read() for one in raw]
    return corpora[0] if len(corpora) == 1 else join_corpora(corpora[0].path, corpora)


def _n_docs(raw: Sequence[_RawDocuments]) -> int:
    """Number of some raw documents."""
    return sum(one.n_docs or 0 for one in raw)


def _in_step(
    sources: Sequence[Source],
    files: Sequence[Sequence[str]],
    weight: float,
    known: Known | None = None,
) -> Iterator[tuple[Sequence[_RawDocuments], ...]]:
    """Equally many raw documents of all sources at a time, of the first few to many."""
    most = min(ALL_CHARACTERS, int(WEIGHED / weight))
    with ExitStack() as stack:
        readers = [
            stack.enter_context(RawReader(source, mine, known))
            for source, mine in zip(sources, files, strict=True)
        ]
        number = FEW
        while raw := readers[0].take(number):
            wanted = _n_docs(raw)
            others = [reader.take(wanted) for reader in readers[1:]]
            for other, mine in zip(others, files[1:]):
                if _n_docs(other) != wanted:
                    raise UnorderedError(
                        f"{_called(mine)} has fewer documents than {_called(files[0])}"
                    )
            yield (raw, *others)
            sizes = [sum(one.n_characters for one in some) for some in (raw, *others)]
            characters = max(sizes[0], sum(sizes) * CHARACTERS // most, 1)
            number = min(max(wanted * CHARACTERS // characters, FEW), MOST, 8 * number)
        for reader, mine in zip(readers[1:], files[1:]):
            if reader.take(1):
                raise UnorderedError(f"{_called(mine)} has more documents than {_called(files[0])}")


def _called(files: Sequence[str]) -> str:
    """How messages call some files."""
    return files[0] if len(files) == 1 else f"what begins with {files[0]}"
