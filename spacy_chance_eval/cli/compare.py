"""The command `compare`: parse, call one function, print or write."""

from typing import Any

from .. import reports
from ..reports.compare import compare_report
from ..runs.compare import check_threshold, failures
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..tasks.results import RunComparison
from ..tasks.score import compare_files
from .options import (
    FileOptions,
    IntervalOptions,
    WorkOptions,
    check_unused,
    inputs_of,
    metrics_and_draws,
    progress_bar,
    with_progress,
)
from .outputs import Outputs, output_option
from .parameters import argument, option, with_options
from .running import FAILED, MisuseError, complain, option_values

LISTED = 10  # documents and annotations of each list


@with_options(
    "metric below fail_below fail_if_worse top output",
    intervals=IntervalOptions,
    files=FileOptions,
    work=WorkOptions,
)
def compare_command(
    runs: list[str] = argument(
        ...,
        help="OLD NEW: runs (score -o x.run) on one gold standard; or GOLD OLD NEW: annotation, "
        "and the predictions of two systems.",
    ),
    metric: list[str] = option(
        None,
        "--metric",
        "-m",
        help="One of the stored metrics; may be repeated. [default: all, span_f first]",
    ),
    force: bool = option(
        False, "--force", help="Where gold or metrics differ, compare what both runs have."
    ),
    fail_below: float | None = option(
        None, help=f"Exit with code {FAILED} if the new score is lower."
    ),
    fail_if_worse: bool = option(
        False,
        "--fail-if-worse",
        help=f"Exit with code {FAILED} if the new score is worse by a significant difference.",
    ),
    below: float | None = option(
        None, help="List the wrong annotations of documents with a lower score (first metric)."
    ),
    top: int = option(
        None,
        min=0,
        help="Print all tables, and this many documents and annotations. [default: a summary; "
        f"{LISTED} in files]",
    ),
    output: list[str] = output_option("compare"),
    *,
    intervals: IntervalOptions,
    files: FileOptions,
    work: WorkOptions,
) -> None:
    """What got better and worse between two runs, significantly?

      compare main.run pull.run
      compare gold.conll old.conll new.conll
      compare main.run pull.run --fail-if-worse
      compare main.run pull.run -o compare.html -o compare.md

    Scores, labels and documents come from the stored statistics, tests and intervals from
    resampling them. Where both runs have their annotations, new and fixed errors are listed."""
    if not 2 <= len(runs) <= 3:
        raise MisuseError(f"{len(runs)} files; expected OLD NEW, or GOLD OLD NEW")
    *gold, old, new = runs
    outputs = Outputs(output, "compare", inputs_of(runs, files))
    with option_values():
        check_threshold(fail_below)  # before the work
    settings: dict[str, Any] = {
        "force": force,
        "intervals": intervals.made(work.seed, Resampling.resamples),
        "comparison": Comparison(alpha=intervals.alpha),
        "verbose_below": below,
        "progress": progress_bar,
    }
    asked, draws = metrics_and_draws(metric)
    with option_values():
        settings |= {"metrics": default_requests(asked) if gold else asked}
    if not gold:
        only = {**files.given.given, "n_process": work.n_process > 1}
        check_unused(only | {"scheduler": work.scheduler}, "for files, but runs are compared")
    with work.ready(files.skip_bad) as at_work:
        reading = with_progress(files.reading, work)
        settings |= {"reading": reading, "workers": at_work, "draws": draws, "seed": work.seed}
        result = RunComparison(compare_files(old, new, gold[0] if gold else None, **settings))
    result["failures"] = failures(result, below=fail_below, if_worse=fail_if_worse)
    report = compare_report(result, top=LISTED if top is None else top)
    draw = lambda _: reports.difference_figure(result)  # noqa: E731
    outputs.show(result, shown=report, draw=draw, whole=top is not None)
    for text in result["failures"]:
        complain(text)
    if result["failures"]:
        raise SystemExit(FAILED)
