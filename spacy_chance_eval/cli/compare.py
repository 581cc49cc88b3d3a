"""The command `compare`: parse, call one function, print or write."""

from functools import partial

from .. import reports
from ..reports.compare import compare_markdown, compare_text
from ..runs.compare import check_threshold, failures
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..tasks.score import compare_files
from .options import LEVEL, SEED, AnyPath, as_path, progress_bar, rest
from .outputs import FIGURE, Outputs, Writer, output_option
from .parameters import argument, main_options, option
from .running import complain

FAILED = 3  # exit code of a score that is not good enough
KINDS = f"json md tex html {FIGURE}"


@main_options(
    "metric",
    "fail_below",
    "fail_if_worse",
    "verbose_below",
    "top",
    "output",
)
def compare_command(
    old: AnyPath = argument(..., parser=as_path, help="A run (score -o x.run), to compare with."),
    new: AnyPath = argument(..., parser=as_path, help="Another one, of the same gold annotation."),
    metric: list[str] = option(
        None,
        "--metric",
        "-m",
        help="One of the stored metrics; may be repeated. [default: all, span_f first]",
    ),
    force: bool = option(
        False, "--force", help="Where gold or metrics differ, compare what both runs have."
    ),
    resamples: int = option(
        10_000, min=0, help="For intervals and tests; 0: neither.", panel="Intervals"
    ),
    seed: int = SEED,
    level: float = LEVEL,
    fail_below: float | None = option(
        None, help=f"Exit with code {FAILED} if the new score is lower."
    ),
    fail_if_worse: bool = option(
        False,
        "--fail-if-worse",
        help=f"Exit with code {FAILED} if the new score is worse by a significant difference.",
    ),
    verbose_below: float | None = option(
        None, help="List the wrong annotations of documents with a lower score (first metric)."
    ),
    top: int = option(10, min=0, help="How many documents and annotations to list."),
    output: list[str] = output_option(KINDS),
) -> None:
    """Compare two saved runs: gains, losses, and possible chance.

      compare main.run pull.run
      compare main.run pull.run --fail-if-worse
      compare main.run pull.run -o compare.html -o compare.md

    Scores, labels and documents come from the stored statistics, tests and intervals from
    resampling them. Where both runs have their annotations, new and fixed errors are listed."""
    outputs = Outputs(output, KINDS, [old, new])
    check_threshold(fail_below)  # before the work
    result = compare_files(
        old,
        new,
        metrics=metric or (),
        force=force,
        intervals=Resampling(resamples, seed, level=level),
        comparison=Comparison(alpha=rest(level)),
        verbose_below=verbose_below,
        progress=progress_bar,
    )
    result["failures"] = failures(result, below=fail_below, if_worse=fail_if_worse)
    writers: dict[str, Writer] = {
        "md": lambda _: compare_markdown(result, top=top),
        "tex": "compare_tex",
        "html": "compare_page",
    }
    report = partial(compare_text, top=top)
    outputs.show(result, report, "compare", writers, lambda _: reports.difference_figure(result))
    for text in result["failures"]:
        complain(text)
    if result["failures"]:
        raise SystemExit(FAILED)
