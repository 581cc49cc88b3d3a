"""The commands `save` and `compare`: parse, call one function, print or write."""

from functools import partial

from .. import reports
from ..reports.compare import compare_markdown, compare_text
from ..reports.scores import score_report
from ..runs.compare import check_threshold, failures
from ..runs.run import ANNOTATIONS
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..tasks.score import compare_files, save_files
from .options import (
    DRAWS,
    GOLD,
    LEVEL,
    PRED,
    SEED,
    AnyPath,
    MetricOptions,
    ReadingOptions,
    WorkerOptions,
    as_path,
    check_outputs,
    inputs_of,
    progress_bar,
    rest,
)
from .outputs import FIGURE, Outputs, Writer, output_option
from .parameters import argument, main_options, option, with_options
from .running import complain, echo

FAILED = 3  # exit code of a score that is not good enough
KINDS = f"json md tex html {FIGURE}"


@with_options(workers=WorkerOptions, metrics=MetricOptions, reading=ReadingOptions)
@main_options(
    "metric",
    "chance",
    "annotations",
    "format",
    "column",
    "layer",
    "pred_layer",
    "n_process",
    "output",
)
def save_command(
    run: AnyPath = argument(..., parser=as_path, help="File to write; an older run is replaced."),
    gold: AnyPath = GOLD,
    pred: AnyPath | None = PRED,
    annotations: str = option(
        ANNOTATIONS[0],
        help=f"What to keep beside the numbers: {', '.join(ANNOTATIONS)} (gold and "
        "predicted spans; nothing; or the spans and the text).",
    ),
    draws: int = DRAWS,
    seed: int = SEED,
    output: list[str] = output_option("json"),
    *,
    reading: ReadingOptions,
    metrics: MetricOptions,
    workers: WorkerOptions,
) -> None:
    """Score predictions and save the run, to compare later ones with it.

      save main.run gold.conll predicted.conll
      save new.run dev.spacy training/model-best
      compare main.run new.run

    The file has what scores are made of, for every document and label, so that compare needs
    neither the gold annotation nor the predictions again. Three ways to use a stored run: score
    GOLD PRED compares gold with current predictions and stores nothing; save RUN GOLD STORED_PRED
    compares gold with predictions of the past; save NEW GOLD PRED and then compare RUN NEW compares
    stored with current predictions."""
    requests = metrics.requests()
    inputs = inputs_of(gold, pred, reading)
    check_outputs(inputs, [run])
    outputs = Outputs(output, "json", [*inputs, run])
    with workers.ready(reading.n_process) as at_work:
        result = save_files(
            run,
            gold,
            pred,
            reading=reading.reading,
            own=reading.own,
            metrics=requests,
            draws=draws,
            seed=seed,
            annotations=annotations,
            workers=at_work,
        )
    outputs.show(result, score_report, "score", {})
    echo(f"The run: {run}", err=True)


@main_options(
    "metric",
    "fail_below",
    "fail_if_worse",
    "verbose_below",
    "top",
    "output",
)
def compare_command(
    old: AnyPath = argument(..., parser=as_path, help="A run written by `save`, to compare with."),
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
