"""Two passes over a corpus, block by block: a survey, then counts that use it.

How a corpus was divided, and who worked on it, changes no number. A corpus that fits into memory is
one block.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..formats.blemishes import check_share
from ..formats.corpus import Corpus, unique_names
from ..formats.errors import FormatError, NotInBlocksError, did_you_mean
from ..formats.files import unchanged
from ..formats.notes import Notes, notes_of_sources
from ..measures.arrays import LIMIT
from ..measures.messages import listed, quoted
from ..measures.pairing import significant
from ..metrics.request import Request
from ..scoring.counts import Counts, Progress, merge_counts, no_progress
from ..scoring.scores import pair_facts
from ..scoring.warnings import count_warnings
from .blocks import (
    WEIGHED,
    Batch,
    Known,
    UnorderedError,
    batches_of,
    blocks_of,
    can_be_divided,
    facts_of_file,
    files_without_partners,
    match_files,
    one_block_of,
    with_absolute_paths,
)
from .jobs import Content, DrawnError, Job, annotators_of
from .sources import Annotator, Layers, Source, add_layers, layers_in
from .survey import Survey

if TYPE_CHECKING:
    from concurrent.futures import Executor  # which takes a while

    from .jobs import Roles

R = TypeVar("R")

KEPT = 400_000_000  # bytes of annotation that stay in memory between the passes
LARGE = 360_000_000  # bytes of memory, about, of a corpus that is not read and counted at once
ROWS = 400_000_000  # bytes of rows that are kept for intervals which nobody asked for
# Bytes for each document and label, of each prediction: counts, and the expected ones. Beyond WIDE
# of them a corpus is read again, in blocks with NARROW.
CELL, WIDE, NARROW = 64, 1e9, 3e8
# Bytes of files that one process reads as fast as two: pairs of 10 to 110 MB were scored. A second
# process takes .3 seconds of processor time to start, and waits for the first. Where counting takes
# longer (`Job.weight`), there are fewer.
QUICK = {"conll": 60_000_000, "jsonl": 30_000_000}

SINGLE_FILES = (
    "skip_bad=yes leaves out bad ones of the files of a corpus: expected as many files of each "
    "corpus or annotator, in folders or by patterns such as 'gold/*.jsonl'"
)


@dataclass(frozen=True, eq=False)
class Workers:
    """Settings for parallel work, and for files that cannot be read.

    Parameters
    ----------
    n_process : int
        Number of processes that count; 1 for none beside this one.
    executor : concurrent.futures.Executor, optional
        In place of processes of our own.
    skip_bad : bool
        Whether files that cannot be read are left out; otherwise they are an error.
    progress : callable, optional
        progress(steps, total, what) wraps long work.
    note : callable, optional
        note(text) is called with the reason if processes are not used.
    """

    n_process: int = 1
    executor: Executor | None = None
    skip_bad: bool = False
    progress: Progress | None = None
    note: Callable[[str], None] | None = None

    @property
    def is_one(self) -> bool:
        """Whether files may be read as a whole: by one process, and none of them left out."""
        return self.n_process == 1 and self.executor is None and not self.skip_bad

    @contextmanager
    def ready(self) -> Iterator[Workers]:
        """The same with processes that are used again and again, if any are wanted."""
        if self.executor is not None or self.n_process == 1:
            yield self
            return
        from .executors import Processes  # which loads multiprocessing

        with Processes(self.n_process, helped=True) as pool:
            pool.start(_nothing)  # they load this module while we look at the files
            yield replace(self, executor=pool)

    def results(
        self, function: Callable[[Any], Any], tasks: Iterable[Any], what: str, total: int | None
    ) -> Generator[Any, None, None]:
        """The results of a function, in the order of the tasks; to be closed.

        Parameters
        ----------
        function : callable
            function(task) gives a result; it has to be one that can be pickled.
        tasks : iterable
            One argument of the function each.
        what : str
            Name of the work in progress bars.
        total : int, optional
            Number of tasks, if it is known.
        """
        progress = self.progress or no_progress
        if self.executor is None:
            yield from progress(map(function, tasks), total, what)
            return
        from .executors import results_of

        with closing(results_of(function, tasks, executor=self.executor)) as results:
            yield from progress(results, total, what)

    @property
    def divide(self) -> bool:
        """Whether to divide a corpus even if it is small."""
        return self.n_process > 1 or self.executor is not None or self.skip_bad


def check_workers(workers: Workers | None) -> None:
    """Raise if pages need whole documents and the options prevent reading them."""
    if workers is not None and (workers.skip_bad or workers.executor is not None):
        raise ValueError(
            "pages show documents, for which all of them are read at once: leave out --read "
            "skip_bad=yes and --scheduler, or write one page without documents (-o PAGE.html)"
        )


@dataclass(frozen=True, eq=False)
class CountedSources:
    """The counts of some sources.

    Parameters
    ----------
    counts : Counts
    survey : Survey
    annotators : tuple of Annotator
    requests : mapping of str to Request
    left_out : tuple of mappings
        Files that were left out, with reasons.
    n_batches : int
        Number of batches, with those that were left out.
    corpora : tuple of Corpus, optional
        The documents of all sources, if they were to be kept.
    remarks : tuple of str
        Notes on the sources that are known before they are read.
    """

    counts: Counts
    survey: Survey
    annotators: tuple[Annotator, ...]
    requests: dict[str, Request]
    left_out: tuple[dict[str, Any], ...] = ()
    n_batches: int = 1
    corpora: tuple[Corpus, ...] | None = None
    remarks: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """All warnings about misleading scores: reading, and missing spans or labels."""
        return [*self.reading_warnings, *count_warnings(self.counts, self.requests.values())]

    @property
    def reading_warnings(self) -> list[str]:
        """The sentences about how files were read."""
        read = [*self.remarks, *self.notes.sentences()]
        overlaps = self._with_overlaps() if self.counts.gold else ()
        return [*read, *overlaps, *self._without_features()]

    def _with_overlaps(self) -> Iterator[str]:
        """A sentence on a chance model that was taken because of the spans."""
        overlaps = self.survey.overlaps()
        if False in overlaps:
            yield "Some spans overlap or have gaps, so chance=overlapping was used."
        elif overlaps:
            yield "Without labels, spans overlap: metrics that ignore them use chance=overlapping."

    def _without_features(self) -> Iterator[str]:
        """A sentence for each feature that metrics were to compare and that no span has."""
        asked = (one.parameters.get("features", "none") for one in self.requests.values())
        names = {name for features in asked for name in significant(features) or ()}
        there = sorted(self.survey.features)
        for name in sorted(names - self.survey.features):
            shown = f"spans have {', '.join(there)}" if there else "spans have none at all"
            hint = did_you_mean(name, there)
            one = f"{quoted(name)}{hint}"
            yield f"No span has a feature {one}, so that it decides nothing: {shown}."

    @property
    def notes(self) -> Notes:
        """The readers' notes; `sentences()` are for the warnings of a result."""
        return notes_of_sources(self.survey.notes)

    def data(self, *numbers: int) -> dict[str, Any]:
        """Facts about the files of some sources for signatures, gold first."""
        gold, pred = (
            {"repair": self.survey.repairs(number)} | self.survey.notes[number].signed()
            for number in numbers
        )
        positions = {"positions": "+".join(self.survey.positions())}
        return pair_facts(gold, pred) | positions | self.signed()

    def signed(self) -> dict[str, str]:
        """Facts for signatures on files that were left out."""
        if not self.left_out:
            return {}
        return {"left_out": f"{len(self.left_out)}/{self.n_batches}"}

    def blemishes(self) -> dict[str, Any]:
        """For a result: the blemished entries that were left out, and how mentions were placed."""
        return self.notes.entries()


def count_sources(
    sources: Sequence[Source],
    job: Job,
    workers: Workers | None = None,
    *,
    keep: bool = False,
) -> CountedSources:
    """The counts of some sources: in one block, or in several where they are large.

    They are read as one block where they are small, cannot be divided, or do not hold the same
    documents in the same order, and if a metric has to know all documents at once.

    Parameters
    ----------
    sources : sequence of Source
    job : Job
        The annotators are not known yet.
    workers : Workers, optional
    keep : bool
        Whether to keep the documents, too: then all are one block.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read, and layers that do not exist.
    """
    workers = workers or Workers()
    counted = _counted(sources, job, workers, keep)
    for source, notes in zip(sources, counted.survey.notes):
        check_share(notes, source.path)
    remarks = tuple(source.remark for source in sources if source.remark)
    return replace(counted, remarks=remarks)


def _counted(sources: Sequence[Source], job: Job, workers: Workers, keep: bool) -> CountedSources:
    """The counts of some sources, in as many blocks as they need."""
    in_one = partial(_count_one_block, sources, job, workers.progress or no_progress, keep)
    divisible = not keep and _can_divide(sources, job, workers)
    if divisible and _to_divide(sources, job, workers):
        try:
            return _count_many_blocks(sources, job, workers)
        except UnorderedError as error:
            _check_partners(sources, error)
        except (DrawnError, NotInBlocksError):
            pass
        divisible = False
    _check_one_block(workers)
    try:
        return in_one(WIDE if divisible else math.inf)
    except _WideError as wide:
        weighed = replace(job, least_weight=wide.weight)
    try:
        return _count_many_blocks(sources, weighed, workers)
    except (UnorderedError, DrawnError, NotInBlocksError):
        return in_one()


class _WideError(Exception):
    """Raised for a corpus of many labels, with the weight of a job that divides it."""

    def __init__(self, weight: float) -> None:
        super().__init__(weight)
        self.weight = weight


def _to_divide(sources: Sequence[Source], job: Job, workers: Workers) -> bool:
    """Whether sources that can be read in several blocks should be."""
    weight = job.weight(len(sources))
    n_bytes = weight * sum(source.n_bytes for source in sources)
    if _is_quick(sources, job, workers, n_bytes):
        if workers.note is not None:
            workers.note(
                f"{workers.n_process} processes are not used: one reads files below "
                f"{_least(sources) / weight / 1e6:.0f} MB before others have started"
            )
        return False
    return workers.divide or weight * sum(source.memory for source in sources) > LARGE


def _can_divide(sources: Sequence[Source], job: Job, workers: Workers) -> bool:
    """Whether sources can be read in several blocks."""
    if any(source.is_pipeline for source in sources):
        return False
    if not job.roles.in_blocks:
        return False
    if job.needs_one_block(job.requests().values()):
        return False
    if not all(source.can_be_read_again for source in sources):
        return False
    matched = match_files(sources, some=workers.skip_bad) is not None
    return matched or all(can_be_divided(source, source.files) for source in sources)


def _is_quick(sources: Sequence[Source], job: Job, workers: Workers, n_bytes: float) -> bool:
    """Whether several processes of our own are asked for, and one is as fast."""
    if workers.n_process == 1 or workers.executor is not None or workers.skip_bad:
        return False
    if n_bytes > _least(sources):
        return False
    return not any(source.is_pipeline for source in sources)


def _least(sources: Iterable[Source]) -> int:
    """Bytes of sources of their formats that several processes read faster than one."""
    return min(QUICK.get(source.format or "", 0) for source in sources)


def _check_partners(sources: Sequence[Source], error: UnorderedError) -> None:
    """Raise for files without partners, if that is why documents are not in the same order."""
    alone = list(files_without_partners(sources))
    if alone:
        raise FormatError(
            f"the other corpus has no file with the same name ({len(alone)} such files), and the "
            f"documents are not the same in the same order ({error}); add the missing ones, or "
            "leave it out (--read skip_bad=yes)",
            alone[0],
        ) from error


def _check_one_block(workers: Workers) -> None:
    """Raise if division was asked for, but there is only one block."""
    if workers.skip_bad or workers.executor is not None:
        what = "--read skip_bad=yes" if workers.skip_bad else "--scheduler"
        raise ValueError(
            f"{what} needs files that can be read in blocks: CoNLL, JSONL or .spacy, or several "
            "files with the same names in each corpus; with the same documents in the same order, "
            "and metrics that add up over documents (see docs/scale.md)"
        )


# --- one block


def _count_one_block(
    sources: Sequence[Source], job: Job, progress: Progress, keep: bool, most: float = math.inf
) -> CountedSources:
    """The counts of a corpus that is one block."""
    block = one_block_of(sources, job.roles.read, keep)
    content, annotators = job.content(block, progress)
    documents = tuple(block.corpora) if keep else None
    del block
    job = replace(job.of_docs(len(content.names)), annotators=tuple(annotators))
    survey = job.check(job.survey_of(content), one_block=True)
    n_sides = len(content.pairs) or job.weight(len(sources))
    n_bytes = CELL * len(content.names) * len(survey.all_labels()) * n_sides
    if n_bytes > most:
        in_files = sum(source.n_bytes for source in sources)
        raise _WideError(WEIGHED * n_bytes / NARROW / in_files)
    requests = job.requests(survey)
    if not job.needs_one_block(requests.values()):
        content = content.slim(keep_names=True)
    reasons = dict(survey.reasons)

    def leave_out(name: str, error: ValueError) -> None:
        gold = content.compared()[name][0]
        from ..scoring.boards import check_gold

        check_gold(gold, requests.values())
        reasons[name] = str(error)

    counts = job.count_content(content, survey, True, leave_out, progress)
    survey = job.check(replace(survey, reasons=reasons), one_block=True)
    if job.requests(survey) != requests:  # of those left, no spans overlap
        requests = job.requests(survey)
        counts = job.count_content(content, survey, True, leave_out, progress)
    return CountedSources(counts, survey, job.annotators, requests, corpora=documents)


# --- several blocks


def _count_many_blocks(sources: Sequence[Source], job: Job, workers: Workers) -> CountedSources:
    """The counts of sources that are read in several blocks."""
    elsewhere = workers.executor is not None
    with workers.ready() as workers:
        known: Known = {}
        if workers.executor is not None and not elsewhere and match_files(sources) is None:
            known = _facts_of_files([(source, source.files[0]) for source in sources], workers)
        annotators = _first_annotators(sources, job.roles, workers, known)
        job = replace(job, annotators=annotators)
        passes = _Passes(job, list(sources), workers, known, elsewhere)
        survey, counts = passes.run()
    merged = merge_counts(counts, use_up=True)
    if isinstance(names := merged.documents, tuple):
        merged = replace(merged, documents=None if None in names else tuple(unique_names(names)))
    left_out = tuple(passes.left_out())
    found = passes.job.annotators, passes.job.requests(survey)
    return CountedSources(merged, survey, *found, left_out, passes.n_batches)


def _facts_of_files(tasks: Sequence[tuple[Source, str]], workers: Workers) -> Known:
    """Facts about whole files: the first is read while processes start, the others by all."""
    known = facts_of_file(tasks[0])
    with closing(workers.results(facts_of_file, tasks[1:], "Files", len(tasks) - 1)) as results:
        for found in results:
            known |= found
    return known


def _first_annotators(
    sources: Sequence[Source], roles: Roles, workers: Workers, divided: Known
) -> tuple[Annotator, ...]:
    """The annotators, by the layers of as few documents as tell them."""
    matched = match_files(sources, some=workers.skip_bad)
    known: list[Layers] | None = None
    error: ValueError = FormatError("nothing can be read", sources[0].files[0])
    for batch in batches_of(matched or sources, matched is not None, divided):
        try:
            for block in blocks_of(batch, sources):
                found = [layers_in(corpus) for corpus in block.corpora]
                known = list(map(add_layers, known, found)) if known else found
                try:
                    return annotators_of(roles, known)
                except ValueError as untold:
                    error = untold
        except (FormatError, UnorderedError) as unreadable:
            if not workers.skip_bad:
                raise
            error = unreadable
    raise error


def _check_layers(layers: Sequence[Layers], annotators: Iterable[Annotator]) -> None:
    """Raise for a layer that no document has."""
    for one in annotators:
        found = layers[one.source]
        if found.layer_names and one.layer not in found.layer_names:
            available = listed(found.layer_names)
            hint = did_you_mean(one.layer, found.layer_names)
            raise ValueError(
                f"{found.path} has no layer {quoted(one.layer)}{hint}; available: {available}"
            )


@dataclass(frozen=True)
class _Fault:
    """Why a batch cannot be used."""

    reason: str


@dataclass(eq=False)
class _Passes:
    """Two passes over some sources, and the facts found on the way.

    Parameters
    ----------
    job : Job
        With the annotators that the first documents tell.
    sources : list of Source
    workers : Workers
    known : dict
        Facts of divided files from an earlier reading.
    elsewhere : bool
        Whether workers may be on other machines.
    bad : dict
        Reasons by the numbers of batches that are left out.
    """

    job: Job
    sources: list[Source]
    workers: Workers
    known: Known
    elsewhere: bool = False
    bad: dict[int, str] = field(default_factory=dict)
    n_batches: int = 1

    def __post_init__(self) -> None:
        skip_bad = self.workers.skip_bad
        matched = match_files(self.sources, some=skip_bad)
        self.unpaired = list(files_without_partners(self.sources)) if skip_bad else []
        self.whole_files = matched is not None
        self.sources = matched or self.sources
        if self.elsewhere:
            self.sources = list(map(with_absolute_paths, self.sources))
        self.how = [replace(source, files=()) for source in self.sources]  # all that workers need
        if skip_bad and not self.whole_files:
            raise ValueError(SINGLE_FILES)

    def run(self) -> tuple[Survey, list[Counts]]:
        """The survey and the counts of all batches; again without what turns out to be bad.

        Raises
        ------
        UnorderedError
            If the sources do not have the same documents in the same order.
        FormatError
            For files that cannot be read, or that change; with `skip_bad`, if none are left.
        """
        while True:
            with unchanged(file for source in self.sources for file in source.files):
                survey, kept = self._survey()
                n_bad = len(self.bad)
                counts = self._count(survey, kept)
            if len(self.bad) == n_bad:
                n_files = len(self.sources[0].files)
                self.n_batches = (n_files if self.whole_files else len(counts)) + len(self.unpaired)
                return survey, counts

    def left_out(self) -> Iterator[dict[str, Any]]:
        """The files of each batch that was left out, and why."""
        for path in self.unpaired:
            yield {"files": [path], "reason": "the other corpus has no file with the same name"}
        for number, reason in sorted(self.bad.items()):
            yield {"files": [one.files[number] for one in self.sources], "reason": reason}

    def _batches(self) -> Iterator[Batch]:
        """The batches that are not bad."""
        weight = self.job.weight(len(self.sources))
        batches = batches_of(self.sources, self.whole_files, self.known, weight)
        return (batch for batch in batches if batch.number not in self.bad)

    def _survey(self) -> tuple[Survey, dict[int, list[Content] | None]]:
        """The survey, and by the number of each batch its contents, if they are kept.

        Who the annotators are is known for certain when all documents are read; if the first ones
        did not tell, they are read again.
        """
        room = KEPT
        surveys: list[Survey] = []
        kept: dict[int, list[Content] | None] = {}
        numbers: deque[int] = deque()
        job = replace(self.job, roles=self.job.roles.known())

        def tasks() -> Iterator[tuple[Batch, bool]]:
            for batch in self._batches():
                numbers.append(batch.number)
                yield batch, room > 0

        work = partial(_survey_task, job, self.how, self.workers.skip_bad)
        total = len(self.sources[0].files) if self.whole_files else None
        with closing(self.workers.results(work, tasks(), "Survey", total)) as results:
            for result in results:
                number = numbers.popleft()
                if isinstance(result, _Fault):
                    self.bad[number] = result.reason
                    continue
                survey, kept[number] = result
                surveys.append(survey)
                room -= sum(content.n_bytes for content in kept[number] or ())
        if not surveys:
            reason = next(iter(self.bad.values()), "there are no documents")
            raise FormatError(f"nothing can be read: {reason}")
        survey = self.job.merged(surveys)
        found = annotators_of(self.job.roles, survey.layers)
        if found != self.job.annotators:
            self.job = replace(self.job, annotators=found)
            return self._survey()
        _check_layers(survey.layers, found)
        return self.job.check(survey, one_block=False), kept

    def _count(self, survey: Survey, kept: dict[int, list[Content] | None]) -> list[Counts]:
        """The counts of each batch, in order."""
        numbers, counts = list(kept), dict[int, Counts]()
        job = replace(self.job.of_docs(survey.n_docs), roles=self.job.roles.known())

        def tasks() -> Iterator[tuple[Job, Batch, list[Content] | None]]:
            again = None in kept.values()
            for batch in self._batches() if again else map(Batch, numbers):
                if batch.number in kept:
                    yield job, batch, kept.pop(batch.number)  # which frees memory

        n_bytes = n_docs = 0
        work = partial(_count_task, survey, self.how, self.workers.skip_bad)
        with closing(self.workers.results(work, tasks(), "Counts", len(numbers))) as results:
            for number, result in zip(numbers, results):
                if isinstance(result, _Fault):
                    self.bad[number] = result.reason
                    continue
                counts[number] = job.fitted(result)
                n_bytes, n_docs = n_bytes + counts[number].n_bytes, n_docs + result.n_docs
                if n_bytes > ROWS and job.most_docs is not None:
                    job, n_bytes = job.of_docs(math.inf), 0
                    counts = {place: job.fitted(one) for place, one in counts.items()}
                _check_memory(n_bytes, n_docs, counts[number])
        return list(counts.values())


def _check_memory(n_bytes: int, n_docs: int, counts: Counts) -> None:
    """Raise if the rows of this many documents, such as those of counts, are too large."""
    if counts.by_document and n_bytes > LIMIT:
        raise ValueError(
            f"the rows of {n_docs:,} documents take more than {LIMIT / 1e9:.0f} GB of memory, and "
            "these are not all; keep none, without intervals (--resamples 0), or ask for fewer "
            "metrics (-m)"
        )


def _nothing() -> None:
    """A task without work."""


def _survey_task(
    job: Job, sources: Sequence[Source], skip_bad: bool, task: tuple[Batch, bool]
) -> tuple[Survey, list[Content] | None] | _Fault:
    """The survey of a batch and, if they are to be kept, its contents; or the `_Fault` it has."""
    return _tried(partial(job.survey, sources, *task), skip_bad)


def _count_task(
    survey: Survey,
    sources: Sequence[Source],
    skip_bad: bool,
    task: tuple[Job, Batch, list[Content] | None],
) -> Counts | _Fault:
    """The counts of a batch, or the `_Fault` that it has."""
    job, batch, contents = task
    return _tried(partial(job.count, survey, sources, batch, contents), skip_bad)


def _tried(work: Callable[[], R], skip_bad: bool) -> R | _Fault:
    """The result of some work or, with `skip_bad`, why a file cannot be read."""
    if not skip_bad:
        return work()
    try:
        return work()
    except FormatError as error:
        return _Fault(str(error))
    except UnorderedError as error:
        return _Fault(f"other documents than its partner ({error})")
