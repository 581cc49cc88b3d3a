"""Shared by the modules of the command line: options, checks of files, output and progress."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..about import __version__
from ..corpora.passes import Workers
from ..corpora.sources import source_at
from ..formats import TREEBANKS
from ..formats.errors import PathLike
from ..formats.keys import YES, Reading, keys
from ..formats.outputs import real_path
from ..formats.paths import is_remote
from ..measures.messages import harmless_json, printable, shortened
from ..measures.trees import BACKENDS
from ..metrics.request import Request
from ..scoring.evaluation import default_requests
from .parameters import Declared, OptionGroup, argument, option
from .running import echo

if TYPE_CHECKING:
    AnyPath: TypeAlias = Path
else:
    AnyPath = type("path", (), {})  # so called in help; `as_path` makes a `Path`

S = TypeVar("S")
Result: TypeAlias = Mapping[str, Any]  # plain values, ready for JSON
Function: TypeAlias = Callable[..., None]
InputPath: TypeAlias = "str | Path | None | tuple[str | Path | None, str | None]"
# commands whose JSON has one
SCHEMAS = ("score", "rank", "agree", "replace", "diff", "compare", "plan")
COLUMNS = 80  # of a terminal that reports none


def as_path(text: str) -> PathLike:
    """The `Path` of an argument; an address as it is, which a `Path` would garble."""
    return text if is_remote(text) else Path(text)  # whoever reads it has the better messages


as_path.__name__ = "path"  # so called by other versions of typer
GOLD = argument(..., parser=as_path, help="Gold annotation: any format, .spacy included.")
PRED = argument(
    None,
    parser=as_path,
    help="Predictions, or a trained pipeline. Without it: two columns of one file.",
)
METRIC = option(None, "--metric", "-m", help="Metrics: -m span_f -m 'token_f(encoding=BIO)' ...")
CHANCE = option(
    None,
    help="disjoint (default), overlapping (default of spans that overlap, and of span groups), "
    "nested, uniform or none.",
    panel="Chance model",
)
UNIT = option(
    None,
    help="Where chance places spans: sentence, as gold has them, or document. [default: sentence]",
    panel="Chance model",
)
DRAWS = option(
    1000,
    min=1,
    help="Random annotations to draw, where no exact expectation is known.",
    panel="Chance model",
)
SEED = option(0, min=0, help="Seed of random annotations and resamples.", panel="Chance model")
LEVEL = option(
    0.95,
    help="Level of intervals; tests tell systems apart at 1 - level.",
    panel="Intervals",
)


def rest(level: float) -> float:
    """The share beside a level: .05 of .95."""
    return round(1 - level, 12)


ITEMS = option(
    None,
    help="What coefficients such as kappa rate: token, category, span (marked alike by both), or "
    "any_span (by either; no span is a value of its own). [default: token; category with "
    "--categories]",
    panel="Metrics",
)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


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


def versioned(result: Result, command: str) -> dict[str, Any]:
    """The result of a command behind the version of the package, and of its schema if it has one.

    The schemas are in docs/schemas. A new version of one is a new file: keys are only added to it.
    """
    schema = {"schema": f"{command}.v1"} if command in SCHEMAS else {}
    return {"version": __version__, **schema, **result}


def json_text(result: Result, command: str) -> str:
    """The result of a command as JSON, its numbers in full."""
    import json

    whole = versioned(result, command)
    return harmless_json(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))


# --- files that are read, and those that are written


def check_outputs(inputs: Iterable[InputPath], outputs: Iterable[str | Path | None]) -> None:
    """Raise if a file to write is also an input, now or in the next call, or is written twice.

    Inputs that cannot be read raise no error here, but when they are read.

    Parameters
    ----------
    inputs : sequence of str, Path, None or tuple
        Files, or folders and patterns, which stand for their files; or pairs of a path and the
        format given for it.
    outputs : sequence of str, Path or None
        None and "-" (standard output) are skipped; links count as their targets. A
        new file in a folder that is read must not look like a part of it. `Path("-")`, of an option
        that cannot be printed, is an error.
    """
    written = [path for path in outputs if path is not None and path != "-"]
    if any(str(path) == "-" for path in written):
        raise ValueError("- means the standard output, which cannot be used here; name a file")
    if not written:
        return
    for path in written:
        real_path(path)
    from .checks import Input, resolved_path

    places: dict[Path, str | Path] = {}
    for path in written:
        place = resolved_path(path)
        if place in places:
            raise ValueError(f"{path} is written twice; write to another file")
        places[place] = path
    for place, path in places.items():
        for parent in place.parents:
            if parent in places:
                raise ValueError(
                    f"{path} lies in {places[parent]}, which is written as a whole; write elsewhere"
                )
    pairs = (one if isinstance(one, tuple) else (one, None) for one in inputs)
    for source in [Input(path, format) for path, format in pairs if path]:
        for place, path in places.items():
            source.check(path, place)


def closeness_files(metrics: Iterable[str] | None) -> list[str]:
    """Files that metrics name, such as "bdm_f(closeness=places.csv)", for `check_outputs`."""
    found = (re.search(r"\bcloseness\s*=([^,)]+)", one) for one in metrics or ())
    return [one[1].strip() for one in found if one]


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
            spelt = SPELLED.get(name, (f"--{name.replace('_', '-')}",))[0]
            raise ValueError(f"{spelt} is {reason}; leave it out")


# --- groups of options

N_PROCESS = option(
    1,
    "--n-process",
    "-n",
    min=1,
    help="Processes that read and count files, in parts, or that run a pipeline.",
    panel="Workers",
)


def _to_stderr(text: str) -> None:
    """Print a note beside the result."""
    echo(text, err=True)


class WorkerOptions(OptionGroup):
    """Who reads and counts, and what becomes of bad files."""

    scheduler: str | None = option(
        None,
        help="Read and count on the workers of this Dask cluster, such as tcp://10.0.0.1:8786 "
        "(extra dask).",
        panel="Workers",
    )
    skip_bad: bool = option(
        False,
        "--skip-bad",
        help="Of several files, leave out those that are missing, truncated or changing, and say "
        "so in the result. [default: stop, and write nothing]",
        panel="Workers",
    )

    @contextmanager
    def ready(self, n_process: int) -> Iterator[Workers]:
        """The `Workers`, for a `with` block."""
        if self.scheduler is None:
            yield Workers(n_process, skip_bad=self.skip_bad, progress=progress_bar, note=_to_stderr)
            return
        from ..corpora.executors import dask_executor

        with dask_executor(self.scheduler) as executor:
            yield Workers(executor=executor, skip_bad=self.skip_bad, progress=progress_bar)


SPELLED = {
    "column": ("--column", "--columns"),
    "feature": ("--label-feature",),  # --label may choose labels
    "annotator": ("--annotator-field",),
}
OF_TREES_ALONE = ("cycles", "strip_subtypes", "match")
# keys without an option of their own in all commands
WITHOUT_OPTION = (*OF_TREES_ALONE, "rename", "only_labels", "batch_size")


class FileOptions(OptionGroup):
    """How files are read: an option for each key of `Reading`."""

    read: list[str] = option(
        None,
        "--read",
        help="KEY=VALUE of any of the keys that a path can have: PATH#key=value,...; may be "
        "repeated.",
        panel="Formats",
    )

    format: str | None = option(
        None,
        help="Format: conll, jsonl, spacy and others (convert --help lists all); of trees "
        f"{', '.join(TREEBANKS)}. [default: by content]",
        panel="Formats",
    )

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def fields(cls) -> dict[str, tuple[Any, Declared]]:
        """The options of all keys, then those of the class; one that it declares itself is its."""
        table = {name: one for name, one in keys().items() if name not in WITHOUT_OPTION}
        made = {
            name: option(None, *SPELLED.get(name, ()), help=one.metadata["about"], panel="Formats")
            for name, one in table.items()
        }
        return {name: (str | None, one) for name, one in made.items()} | super().fields()

    @property
    def reading(self) -> Reading:
        """The keys that were given, but for those of layers that can be named several times."""
        own = {name: one for name, one in vars(self).items() if name in keys()}
        own = {name: one for name, one in own.items() if isinstance(one, str)}
        return joined(Reading.parse(self.read or (), "--read"), own)

    def files_beside(self) -> list[str | None]:
        """Further files that are read."""
        return [self.reading.texts, self.reading.typesystem]


class ReadingOptions(FileOptions):
    """How gold and predictions are read."""

    pred_format: str | None = option(None, help="Format of the predictions.", panel="Formats")
    pred_column: str | None = option(
        None,
        "--pred-column",
        "--pred-columns",
        help="Column of the predictions, or key of their rows. [default: by content]",
        panel="Formats",
    )
    pred_layer: str | None = option(
        None, help="Layer of the predictions. [default: the same]", panel="Formats"
    )
    pred_repair: str | None = option(
        None, help="Improper tags of the predictions. [default: conlleval]", panel="Formats"
    )
    code: Path | None = option(
        None,
        "--code",
        "-c",
        help="Python file that a pipeline needs.",
        panel="Workers",
    )
    gpu_id: int = option(-1, "--gpu-id", "-g", help="GPU for a pipeline, or -1.", panel="Workers")
    n_process: int = N_PROCESS
    batch_size: int | None = option(
        None, min=1, help="Documents per batch of a pipeline.", panel="Workers"
    )

    @property
    def reading(self) -> Reading:
        """The keys that were given, with the arguments of a pipeline."""
        pipeline = {name: getattr(self, name) for name in PIPELINE_OPTIONS[:3]}
        size = {"batch_size": self.batch_size and str(self.batch_size)}
        return replace(joined(super().reading, size), pipeline=pipeline)

    @property
    def own(self) -> Reading:
        """The keys of the predictions."""
        return Reading.of(
            given(
                {
                    "format": self.pred_format or self.reading.format,
                    "column": self.pred_column,
                    "layer": self.pred_layer,
                    "repair": self.pred_repair,
                }
            )
        )


def joined(reading: Reading, others: Mapping[str, Any]) -> Reading:
    """The keys of --read, and those of options of their own, None for those that are not given."""
    more = given(others)
    for name, value in reading.given.items():
        if more.get(name, value) != value:
            raise ValueError(f"--read names {name}, as its own option does; give it once")
    return reading | Reading.of(more)


def with_progress(reading: Reading) -> Reading:
    """The reading with a progress bar of a pipeline."""
    return replace(reading, pipeline={**(reading.pipeline or {}), "progress": progress_bar})


PIPELINE_OPTIONS = ("code", "gpu_id", "n_process", "batch_size")


def inputs_of(
    gold: str | Path, pred: str | Path | None, reading: ReadingOptions
) -> list[InputPath]:
    """The files that a command reads, with the formats that were named, for `check_outputs`."""
    formats = reading.reading.format, reading.pred_format or reading.reading.format
    paths = [one and source_at(one).path for one in (gold, pred)]
    return [*zip(paths, formats), *reading.files_beside()]


class MetricOptions(OptionGroup):
    """The metrics that are asked for, and values of their parameters."""

    metric: list[str] = METRIC
    chance: str | None = CHANCE
    unit: str | None = UNIT

    def requests(
        self, chance: str | None = None, token_information: object = None
    ) -> dict[str, Request]:
        """{name: Request} of the metrics asked for, or the usual ones.

        Parameters
        ----------
        chance, token_information
            Where the options leave them open.
        """
        return default_requests(
            self.metric,
            chance=self.chance or chance,
            unit=self.unit,
            token_information=token_information,
        )


class TreeOptions(OptionGroup):
    """How treebanks are read and compared, beside the keys that spans have, too."""

    cycles: str | None = option(None, help=keys()["cycles"].metadata["about"], panel="Trees")
    strip_subtypes: bool = option(
        False,
        "--strip-subtypes",
        help="Trees: read relations such as nsubj:pass as nsubj.",
        panel="Trees",
    )
    backend: str | None = option(
        None,
        help=f"Trees: library for edit distances, {', '.join(BACKENDS)}. "
        "[default: auto, numba if it is installed]",
        panel="Trees",
    )
    match: str | None = option(None, help=keys()["match"].metadata["about"], panel="Trees")

    def joined(self, reading: Reading) -> Reading:
        """How trees are read: keys for all files, and those of these options."""
        from ..corpora.treebanks import TREE_KEYS

        own = {"cycles": self.cycles, "strip_subtypes": YES[0] if self.strip_subtypes else None}
        reading = joined(reading, own | {"match": self.match})
        others = {*reading.given} - {*TREE_KEYS, "batch_size"}
        check_unused(dict.fromkeys(sorted(others), True), "for spans, but trees are compared")
        return reading
