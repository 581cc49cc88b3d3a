"""Shared by the modules of the command line: options, checks of files, output and progress."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..corpora.passes import Workers
from ..corpora.sources import Source, parse_source
from ..formats import READERS, format_of_trees
from ..formats.keys import YES, Reading, keys
from ..formats.openings import is_docbin
from ..formats.outputs import NO_FOLDER, real_path
from ..formats.paths import files_at, is_remote
from ..measures.messages import printable, shortened
from ..metrics.request import Request
from ..scoring.evaluation import check_used, default_requests
from ..scoring.intervals import MOST_DOCS, N_RESAMPLES, Resampling
from .parameters import OptionGroup, option
from .running import MisuseError, echo, option_values

S = TypeVar("S")
InputPath: TypeAlias = "str | Path | None"
N_DRAWS = 1000  # random annotations where an expectation has no formula
DRAWS = r",?\s*\bdraws=([1-9]\d*)"  # a parameter of a metric
COLUMNS = 80  # of a terminal that reports none
READ = {suffix for reader in READERS.values() for suffix in reader.suffixes}


METRIC = option(None, "--metric", "-m", help="Metrics: -m span_f -m 'token_f(encoding=BIO)' ...")
CLUSTER = option(
    "auto",
    help="What to resample with annotators or several systems: documents (none), an attribute of "
    "documents, or auto: articles, if documents are sentences of articles.",
    panel="Intervals",
)


# --- output


def progress_bar(
    steps: Iterable[S],
    total: int | None = None,
    what: str = "Random annotations",
) -> Iterable[S]:
    """The steps of long work, with a progress bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        return steps
    from tqdm import tqdm  # which loads multiprocessing

    bar = tqdm(steps, printable(shortened(what)), total, leave=False)
    if getattr(bar, "ncols", None) in (-1, 0):  # a terminal without a size
        bar.ncols, bar.nrows = COLUMNS, None
    return bar


# --- files that are read, and those that are written


def check_outputs(inputs: Iterable[InputPath], outputs: Iterable[str | Path | None]) -> None:
    """Raise if a file to write has no folder, is written twice, or is an input.

    Inputs that cannot be read raise no error here, but when they are read.

    Parameters
    ----------
    inputs : sequence of str, Path or None
        Files, or folders and patterns, which stand for their files.
    outputs : sequence of str, Path or None
        None and "-" (standard output) are skipped; links count as their targets. `Path("-")`, of an
        option that cannot be printed, is an error.
    """
    places: dict[Path, str | Path] = {}
    for path in outputs:
        if path is None or path == "-":
            continue
        if str(path) == "-":
            raise MisuseError("- means the standard output, which cannot be used here; name a file")
        if not real_path(path).parent.is_dir():
            raise MisuseError(f"{path}: {NO_FOLDER}")
        place = real_path(path).resolve()
        if place in places:
            raise MisuseError(f"{path} is written twice; write to another file")
        places[place] = path
    for source in filter(None, inputs) if places else ():
        for place in _files_of(str(source)) & places.keys():
            raise MisuseError(f"{places[place]} is read, too; write to another file")


def _files_of(source: str) -> set[Path]:
    """The local files that a source is read from, of a folder those in formats that are read."""
    if is_remote(source) and not source.startswith("file:///"):
        return set()
    own = Path(source.removeprefix("file://")).resolve()
    try:
        files = {file.resolve() for file in files_at(source)}
    except (ValueError, OSError):  # which whoever reads it says
        files = set()
    return {own} | {
        file
        for file in files
        if is_docbin(file) or format_of_trees(file) or READ & {*map(str.lower, file.suffixes)}
    }


def check_unused(options: Mapping[str, object], reason: str) -> None:
    """Raise for the first option that was given, though it does nothing in this comparison.

    Parameters
    ----------
    options : mapping
        Values by name; those that are false were not given.
    reason : str
        Such as "for trees, but spans are compared".
    """
    for name, value in options.items():
        if value:
            of_reading = name in keys() and name not in OWN_OPTIONS
            spelt = f"--read {name}" if of_reading else f"--{name.replace('_', '-')}"
            raise MisuseError(f"{spelt} is {reason}; leave it out")


# --- groups of options

OWN_OPTIONS = ("format", "column", "layer", "documents", "on_error", "align", "labels")


class WorkOptions(OptionGroup):
    """Who reads and counts."""

    n_process: int = option(
        1,
        "--n-process",
        "-n",
        min=1,
        help="Processes that read and count files, in parts, or that run a pipeline.",
        panel="Work",
    )
    scheduler: str | None = option(
        None,
        help="Read and count on the workers of this Dask cluster, such as tcp://10.0.0.1:8786 "
        "(extra dask).",
        panel="Work",
    )
    seed: int = option(0, min=0, help="Seed of random annotations and resamples.", panel="Work")
    gpu_id: int = option(-1, "--gpu-id", "-g", help="GPU for pipelines, or -1.", panel="Work")
    code: Path | None = option(
        None, "--code", "-c", help="Python file that pipelines need.", panel="Work"
    )

    @property
    def pipeline(self) -> dict[str, Any]:
        """The arguments of pipelines."""
        return {name: getattr(self, name) for name in ("code", "gpu_id", "n_process")}

    @contextmanager
    def ready(self, skip_bad: bool = False) -> Iterator[Workers]:
        """The `Workers`, for a `with` block."""
        if self.scheduler is None:
            note = partial(echo, err=True)
            yield Workers(self.n_process, skip_bad=skip_bad, progress=progress_bar, note=note)
            return
        from ..corpora.executors import dask_executor

        with dask_executor(self.scheduler) as executor:
            yield Workers(executor=executor, skip_bad=skip_bad, progress=progress_bar)


class IntervalOptions(OptionGroup):
    """How intervals are made, and the level of tests."""

    resamples: int | None = option(
        None,
        min=0,
        help=f"Bootstrap resamples, for intervals and tests; 0: neither. [default: {N_RESAMPLES:,};"
        f" where systems are tested {Resampling.resamples:,}; above {MOST_DOCS:,} documents 0]",
        panel="Intervals",
    )
    level: float = option(
        0.95,
        help="Level of intervals; tests tell systems apart at 1 - level.",
        panel="Intervals",
    )

    def made(self, seed: int, default: int = N_RESAMPLES) -> Resampling:
        """The resampling: where no number was given, of documents that are not too many."""
        most = MOST_DOCS if self.resamples is None else None
        number = default if self.resamples is None else self.resamples
        with option_values():
            return Resampling(number, seed, level=self.level, most_docs=most)

    @property
    def alpha(self) -> float:
        """The level of tests: .05 beside .95."""
        return round(1 - self.level, 12)


class FileOptions(OptionGroup):
    """How files are read: the keys of `Reading` that most need, and all of them by --read."""

    format: str | None = option(
        None,
        help="Format, such as conll (convert --help lists all), or of trees conllu, conllx, "
        "brackets. [default: by content]",
        panel="Files",
    )
    read: list[str] = option(
        None,
        "--read",
        help="KEY=VALUE of any of the keys that a path can have, such as offsets=char (PATH#key="
        "value,... is for one file); may be repeated.",
        panel="Files",
    )

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def fields(cls) -> dict[str, tuple[Any, Any]]:
        """The options of keys, then those of the class; one that it declares itself is its."""
        names = [name for name in OWN_OPTIONS if getattr(cls, name, name) is not None]
        about = {name: keys()[name].metadata["about"] for name in names}
        made = {name: option(None, help=text, panel="Files") for name, text in about.items()}
        return {name: (str | None, one) for name, one in made.items()} | super().fields()

    @property
    def given(self) -> Reading:
        """The keys that were given, but for those of layers that can be named several times."""
        own = {name: getattr(self, name) for name in OWN_OPTIONS}
        own = {name: one for name, one in own.items() if isinstance(one, str)}
        with option_values():
            reading = Reading.parse(self.read or (), "--read")
        for name, value in reading.given.items():
            if own.get(name, value) != value:
                raise MisuseError(f"--read names {name}, as its own option does; give it once")
        with option_values():
            return reading | Reading.of(own)

    @property
    def reading(self) -> Reading:
        """How files are read: the same without `skip_bad`, which is not of one file."""
        return self.given.without("skip_bad")

    @property
    def skip_bad(self) -> bool:
        """Whether files that cannot be read are left out."""
        return self.given.skip_bad in YES

    def check_spans(self) -> None:
        """Raise for keys that do nothing for trees."""
        from ..corpora.treebanks import TREE_KEYS

        others = {*self.given.given} - {*TREE_KEYS, "batch_size"}
        check_unused(dict.fromkeys(sorted(others), True), "for spans, but trees are compared")


def with_progress(reading: Reading, work: WorkOptions) -> Reading:
    """The reading with the arguments of a pipeline, and its progress bar."""
    return replace(reading, pipeline={**work.pipeline, "progress": progress_bar})


def inputs_of(
    sources: Iterable[object], files: FileOptions, metrics: Iterable[str] | None = ()
) -> list[InputPath]:
    """The files that a command reads, for `check_outputs`.

    Those that keys name are among them, and those of metrics: "bdm_f(closeness=places.csv)".
    """
    every = (one if isinstance(one, Source) else str(one) for one in sources if one)
    with option_values():
        paths: list[InputPath] = [parse_source(one).path for one in every]
    named = (re.search(r"\bcloseness\s*=([^,)]+)", one) for one in metrics or ())
    return [*paths, files.given.texts, *(one[1].strip() for one in named if one)]


class MetricOptions(OptionGroup):
    """The metrics that are asked for, and values of their parameters."""

    metric: list[str] = METRIC
    chance: str | None = option(
        None,
        help="disjoint (default), overlapping (default of spans that overlap, and of span groups), "
        "nested, uniform or none.",
        panel="Chance model",
    )
    unit: str | None = option(
        None,
        help="Where chance places spans: in the sentence (of gold) or document. [default: "
        "sentence]",
        panel="Chance model",
    )

    def requests(
        self,
        default: Sequence[str] = (),
        *,
        chance: str | None = None,
        token_information: object = None,
    ) -> dict[str, Request]:
        """{name: Request} of the metrics asked for, or the usual ones.

        Parameters
        ----------
        default : sequence of str
            Those where none are asked for.
        chance, token_information
            Where the options leave them open.
        """
        with option_values():
            requests = default_requests(
                metrics_and_draws(self.metric)[0] or default,
                chance=self.chance or chance,
                unit=self.unit,
                token_information=token_information,
            )
            check_used(requests, {"chance": self.chance, "unit": self.unit})
        return requests


def metrics_and_draws(texts: Iterable[str] | None) -> tuple[list[str], int]:
    """Metrics without their parameter `draws`, the number of random annotations; and that.

    All metrics are expected from the same random annotations, where they have no formula.
    """
    metrics, numbers = [], set()
    for text in texts or ():
        named = re.search(DRAWS, text)
        metrics.append(re.sub(DRAWS, "", text).replace("(,", "(").replace("()", ""))
        numbers |= {int(named[1])} if named else set()
    if len(numbers) > 1:
        raise MisuseError(f"draws is {' and '.join(map(str, sorted(numbers)))}; name one number")
    return metrics, numbers.pop() if numbers else N_DRAWS
