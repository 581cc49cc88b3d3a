"""Large corpora: what of them is in memory at a time, on which worker, and how parts add up.

A corpus is cut into *shards*: files that belong together, or pieces of files with the same
documents. There are two passes. A survey finds what a part has to know of the whole (labels,
priors); then everything is counted with it. Both give results that add up, in the order of the
shards: how a corpus was cut, and who worked on it, changes no number.
"""

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from .distributed import results_of
from .formats.corpus import joined
from .formats.errors import FormatError
from .formats.files import check_unchanged, fingerprint
from .pieces import Cutter, can_be_cut
from .run import read_corpus

FEW, MOST = 64, 20_000  # documents of a piece: of the first one, and of any
CHARACTERS = 4_000_000  # that a piece is meant to have
KEPT = 400_000_000  # bytes of annotation that stay in memory between the passes


class Unordered(ValueError):
    """Sides that hold other documents at the same place: only as a whole they can be compared."""


@dataclass(frozen=True)
class Side:
    """The files of one side, in order, and how they are read."""

    paths: tuple
    role: str = "gold"
    options: Mapping = field(default_factory=dict)

    def cutter(self, paths):
        """What cuts some of the files into pieces."""
        return Cutter(paths, role=self.role, **self.options)

    def can_be_cut(self, paths):
        """Whether pieces of some of the files can be read by themselves."""
        return all(can_be_cut(path, self.options) for path in paths)

    def read(self, path):
        """The corpus of a whole file."""
        return read_corpus(path, role=self.role, **self.options)


@dataclass(frozen=True)
class Shard:
    """Documents that are worked on together: of each side paths of files, or pieces of them.

    `first` is the number of documents in front, where it is known.
    """

    number: int
    parts: tuple
    first: int = 0


@dataclass(frozen=True)
class Fault:
    """Why a shard cannot be used."""

    reason: str


@dataclass(frozen=True, eq=False)
class Workers:
    """Who does the work, and what becomes of shards that cannot be read.

    Parameters
    ----------
    n_process : int
    executor : concurrent.futures.Executor, optional
        In place of processes of our own.
    skip_bad : bool
        Whether files that cannot be read are left out; otherwise they are an error.
    progress : callable, optional
        progress(steps, total, what) wraps long work.
    """

    n_process: int = 1
    executor: object = None
    skip_bad: bool = False
    progress: Callable | None = None

    def results(self, function, tasks, what, total=None):
        """The results of a function, in the order of the tasks."""
        watch = self.progress or (lambda steps, total=None, what="": steps)
        options = {"executor": self.executor, "n_process": self.n_process}
        found = results_of(function, tasks, **options)
        with closing(found):
            yield from watch(found, total, what)


# --- cutting


def by_files(sides, some=False):
    """The sides with their files in an order in which they belong together; None if there is none.

    Files belong together that are called alike, but for their endings; or else, if there are
    equally many, those at the same place. With `some`, files without partners are left out.
    """
    tables = named_files(sides)
    if tables is not None and (some or len({frozenset(table) for table in tables}) == 1):
        shared = [name for name in tables[0] if all(name in table for table in tables)]
        if len(shared) > 1 or (some and shared):
            return [
                replace(side, paths=tuple(table[name] for name in shared))
                for side, table in zip(sides, tables)
            ]
    alike = len({len(side.paths) for side in sides}) == 1 and len(sides[0].paths) > 1
    return list(sides) if alike else None


def named_files(sides):
    """{name without endings: path} for each side; None where two files are called alike."""
    tables = [{stem(path): path for path in side.paths} for side in sides]
    unique = all(len(table) == len(side.paths) for table, side in zip(tables, sides))
    return tables if unique else None


def without_partners(sides):
    """The files of some sides that others have no partner for, if they have for any."""
    tables = named_files(sides) or [{}]
    everywhere = set.intersection(*map(set, tables))
    if everywhere:
        for table in tables:
            yield from (str(path) for name, path in table.items() if name not in everywhere)


def stem(path):
    """The name of a file without its endings."""
    return PurePosixPath(str(path).replace("\\", "/")).name.partition(".")[0]


def shards_of(sides, whole_files):
    """The shards of some sides: files, or pieces of them."""
    if whole_files:
        for number, paths in enumerate(zip(*(side.paths for side in sides))):
            yield Shard(number, tuple((path,) for path in paths))
        return
    first = 0
    for number, pieces in enumerate(lockstep(sides, [side.paths for side in sides])):
        yield Shard(number, pieces, first)
        first += n_docs(pieces[0])


def n_docs(pieces):
    """Number of documents of some pieces."""
    return sum(piece.n_docs for piece in pieces)


def lockstep(sides, paths):
    """Pieces of all sides with equally many documents: tuples with a list of pieces of each.

    Raises
    ------
    Unordered
        If one of them has more documents than another one.
    """
    with ExitStack() as stack:
        cutters = [
            stack.enter_context(side.cutter(mine)) for side, mine in zip(sides, paths, strict=True)
        ]
        number = FEW
        while pieces := cutters[0].take(number):
            wanted = n_docs(pieces)
            others = [cutter.take(wanted) for cutter in cutters[1:]]
            if any(n_docs(other) != wanted for other in others):
                raise Unordered("one side has fewer documents")
            yield tuple(map(tuple, (pieces, *others)))
            characters = sum(len(piece.content) for piece in pieces)
            number = min(max(wanted * CHARACTERS // max(characters, 1), FEW), MOST, 8 * number)
        if any(cutter.take(1) for cutter in cutters[1:]):
            raise Unordered("one side has more documents")


def blocks_of(shard, sides):
    """(documents in front, corpora of the sides) of each part of a shard that is read at once."""
    if not isinstance(shard.parts[0][0], str):
        yield shard.first, [together(pieces) for pieces in shard.parts]
    elif all(side.can_be_cut(paths) for side, paths in zip(sides, shard.parts)):
        first = shard.first
        for pieces in lockstep(sides, shard.parts):
            yield first, [together(mine) for mine in pieces]
            first += n_docs(pieces[0])
    else:
        paths = [parts[0] for parts in shard.parts]
        yield shard.first, [side.read(path) for side, path in zip(sides, paths)]


def together(pieces):
    """The corpus of some pieces."""
    corpora = [piece.read() for piece in pieces]
    return corpora[0] if len(corpora) == 1 else joined(corpora[0].path, corpora)


# --- two passes


@dataclass(frozen=True, eq=False)
class Passed:
    """What two passes gave.

    `left_out` says of shards that were left out which files they are, and why; of `n_shards`.
    """

    survey: object
    counts: list
    left_out: tuple = ()
    n_shards: int = 1


@dataclass(eq=False)
class Passes:
    """Two passes over some sides, and what they found out on the way.

    Parameters
    ----------
    job : object
        Picklable. `survey(sides, shard, keep)` gives what `merged([...])` adds up to a survey, and
        what is kept of the shard: (bytes, anything), or None; `count(survey, sides, shard, kept)`
        what is counted of it.
    sides : sequence of Side
    workers : Workers
    """

    job: object
    sides: list
    workers: Workers
    bad: dict = field(default_factory=dict)  # reasons, by the numbers of shards

    def __post_init__(self):
        skip_bad = self.workers.skip_bad
        matched = by_files(self.sides, some=skip_bad)
        self.alone = list(without_partners(self.sides)) if skip_bad else []
        self.whole_files = matched is not None
        self.sides = matched or list(self.sides)
        self.how = [replace(side, paths=()) for side in self.sides]  # all that workers need
        if skip_bad and not self.whole_files:
            raise ValueError(
                "bad files can be left out where there are several: expected as many files of "
                "predictions as of gold, in folders or by patterns such as 'gold/*.jsonl'"
            )

    def passed(self):
        """The `Passed` of both; again without what turns out to be bad in the second one.

        Raises
        ------
        Unordered
            If the sides do not have the same documents in the same order.
        FormatError
            For files that cannot be read, or that change; with `skip_bad`, if none are left.
        """
        while True:
            prints = dict(self.fingerprints())
            survey, kept = self.surveyed()
            n_bad = len(self.bad)
            counts = self.counted(survey, kept)
            self.check_unchanged(prints)
            if len(self.bad) == n_bad:
                n_shards = len(self.sides[0].paths) if self.whole_files else len(counts)
                n_shards += len(self.alone)
                return Passed(survey, counts, tuple(self.left_out()), n_shards)

    def shards(self):
        """The shards that are not bad."""
        for shard in shards_of(self.sides, self.whole_files):
            if shard.number not in self.bad:
                yield shard

    def surveyed(self):
        """The survey, and what is kept of each shard: {number: anything or None}."""
        room, found, kept, numbers = [KEPT], [], {}, deque()

        def tasks():
            for shard in self.shards():
                numbers.append(shard.number)
                yield shard, room[0] > 0

        work = partial(survey_task, self.job, self.how, self.workers.skip_bad)
        total = len(self.sides[0].paths) if self.whole_files else None
        for result in self.workers.results(work, tasks(), "Survey", total):
            number = numbers.popleft()
            if isinstance(result, Fault):
                self.bad[number] = result.reason
                continue
            survey, of_shard = result
            found.append(survey)
            size, kept[number] = of_shard or (0, None)
            room[0] -= size
        if not found:
            reason = next(iter(self.bad.values()), "there are no documents")
            raise FormatError(f"nothing can be read: {reason}")
        return self.job.merged(found), kept

    def counted(self, survey, kept):
        """What is counted of each shard, in order."""
        numbers, found = list(kept), []
        cut = any(one is None for one in kept.values())
        shards = self.shards() if cut else [Shard(number, ()) for number in numbers]
        tasks = ((shard, kept.pop(shard.number)) for shard in shards)
        work = partial(count_task, self.job, survey, self.how, self.workers.skip_bad)
        results = self.workers.results(work, tasks, "Counts", len(numbers))
        for number, result in zip(numbers, results, strict=True):
            if isinstance(result, Fault):
                self.bad[number] = result.reason
            else:
                found.append(result)
        return found

    def fingerprints(self):
        """(path, what tells whether the file changes) of all files."""
        for number, path in self.files():
            try:
                yield path, fingerprint(path)
            except FormatError as error:
                self.blame(number, error)

    def check_unchanged(self, prints):
        """Raise for a file that was changed in between, or note it."""
        for number, path in self.files():
            try:
                check_unchanged(path, prints[path])
            except FormatError as error:
                self.blame(number, error)

    def files(self):
        """(number of the shard, path) of all files that are read; 0 where these are cut."""
        for side in self.sides:
            for number, path in enumerate(side.paths):
                if not self.whole_files or number not in self.bad:
                    yield number, path

    def blame(self, number, error):
        """Leave a shard out if that was asked for, or raise."""
        if not self.workers.skip_bad:
            raise error
        self.bad[number] = str(error)

    def left_out(self):
        """The files of each shard that was left out, and why."""
        for path in self.alone:
            yield {"files": [path], "reason": "no file of the other side is called alike"}
        for number, reason in sorted(self.bad.items()):
            yield {"files": [str(side.paths[number]) for side in self.sides], "reason": reason}


def survey_task(job, sides, skip_bad, task):
    """The survey of a shard, or the `Fault` that it has."""
    shard, keep = task
    return tried(partial(job.survey, sides, shard, keep), skip_bad)


def count_task(job, survey, sides, skip_bad, task):
    """What is counted of a shard, or the `Fault` that it has."""
    shard, kept = task
    return tried(partial(job.count, survey, sides, shard, kept), skip_bad)


def tried(work, skip_bad):
    """The result of some work or, with `skip_bad`, why a file cannot be read."""
    if not skip_bad:
        return work()
    try:
        return work()
    except FormatError as error:
        return Fault(str(error))
    except Unordered as error:
        return Fault(f"other documents than its partner ({error})")
