"""Large corpora: what of them is in memory at a time, on which worker, and how parts add up.

A corpus is cut into *shards*: files that belong together, or pieces of files with the same
documents. There are two passes. A survey finds what a part has to know of the whole (labels,
priors); then everything is counted with it. Both give results that add up, in the order of the
shards: how a corpus was cut, and who worked on it, changes no number.
"""

from collections import deque
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from ..formats.errors import FormatError
from ..formats.files import check_unchanged, fingerprint
from .executors import Processes, results_of
from .sides import (
    Shard,
    Unordered,
    by_files,
    found_anywhere,
    shards_of,
    with_bytes,
    without_partners,
)

KEPT = 400_000_000  # bytes of annotation that stay in memory between the passes


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

    @contextmanager
    def ready(self):
        """The same with processes that are used again and again, if any are wanted."""
        if self.executor is not None or self.n_process == 1:
            yield self
            return
        with Processes(self.n_process) as pool:
            yield replace(self, executor=pool)

    def results(self, function, tasks, what, total=None):
        """The results of a function, in the order of the tasks; to be closed."""
        watch = self.progress or (lambda steps, total=None, what="": steps)
        with closing(results_of(function, tasks, executor=self.executor)) as found:
            yield from watch(found, total, what)


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
        self.elsewhere = self.workers.executor is not None
        if self.elsewhere:
            self.sides = list(map(found_anywhere, self.sides))
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
        with self.workers.ready() as self.workers:
            while True:
                prints = dict(self.fingerprints())
                try:
                    survey, kept = self.surveyed()
                    n_bad = len(self.bad)
                    counts = self.counted(survey, kept)
                except Exception:  # that a file changes may look like anything
                    n_bad = len(self.bad)
                    self.check_unchanged(prints)
                    if len(self.bad) == n_bad:
                        raise
                    continue
                self.check_unchanged(prints)
                if len(self.bad) == n_bad:
                    n_shards = len(self.sides[0].paths) if self.whole_files else len(counts)
                    n_shards += len(self.alone)
                    return Passed(survey, counts, tuple(self.left_out()), n_shards)

    def shards(self):
        """The shards that are not bad."""
        for shard in shards_of(self.sides, self.whole_files):
            if shard.number not in self.bad:
                yield with_bytes(shard) if self.elsewhere and self.whole_files else shard

    def surveyed(self):
        """The survey, and what is kept of each shard: {number: anything or None}."""
        room, found, kept, numbers = [KEPT], [], {}, deque()

        def tasks():
            for shard in self.shards():
                numbers.append(shard.number)
                yield shard, room[0] > 0

        work = partial(survey_task, self.job, self.how, self.workers.skip_bad)
        total = len(self.sides[0].paths) if self.whole_files else None
        with closing(self.workers.results(work, tasks(), "Survey", total)) as results:
            for result in results:
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
        with closing(self.workers.results(work, tasks, "Counts", len(numbers))) as results:
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
