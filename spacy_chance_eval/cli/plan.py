"""The command `plan`: parse, call one function, print or write."""

from typing import Any

from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source, source_at
from ..reports.plan import plan_text
from ..runs.files import is_run
from ..scoring.intervals import Resampling
from ..tasks.plan import PANEL_WIDTH, WIDTH, PlanOptions, plan_files
from .options import (
    DRAWS,
    METRIC,
    SEED,
    WorkerOptions,
    check_unused,
    progress_bar,
)
from .outputs import Outputs, output_option
from .panel_reading import MetricDefaults, PanelReading
from .parameters import argument, main_options, option, with_options

NO_FILES = (
    "nothing to plan for; name runs (score -o x.run), annotators, or systems with --gold GOLD"
)


@with_options(defaults=MetricDefaults, reading=PanelReading, workers=WorkerOptions)
@main_options("gold", "metric", "width", "power", "output")
def plan_command(
    files: list[str] = argument(
        None,
        help="Runs (score -o x.run); annotators, as for agree; with --gold, systems, by default "
        "its other columns.",
    ),
    gold: str | None = option(None, help="Gold annotation of the systems: PATH[#LAYER]."),
    categories: bool = option(
        False, "--categories", help="Annotators: labels of whole documents instead of spans."
    ),
    metric: list[str] = METRIC,
    width: float | None = option(
        None,
        help=f"Half-width of intervals to reach. [default: {WIDTH}, of agreement {PANEL_WIDTH}]",
    ),
    power: float = option(0.8, help="Probability to reach that the test finds the difference."),
    resamples: int = option(1000, help="Samples of each number of documents.", panel="Intervals"),
    seed: int = SEED,
    draws: int = DRAWS,
    n_process: int = option(
        1, "--n-process", "-n", min=1, help="Processes that read files.", panel="Workers"
    ),
    output: list[str] = output_option("json"),
    *,
    defaults: MetricDefaults,
    reading: PanelReading,
    workers: WorkerOptions,
) -> None:
    """How many documents more, to tell systems apart or know a score?

      plan main.run
      plan main.run new.run
      plan --gold gold.conll one.conll two.conll three.conll
      plan alice.jsonl bob.jsonl --width .05

    Draws samples of documents, a fifth to ten times as many, from those at hand: half-widths of
    intervals, power of the paired test at the present difference, and the documents that a wanted
    width or power takes. Of annotators, documents that two of them annotate, and the label that
    needs them most.

    New documents have to be like those at hand."""
    if not files and not gold:
        raise ValueError(NO_FILES)
    files = files or []
    paths = [parse_source(file).path for file in files]
    inputs: list[Any] = [(path, reading.reading.format) for path in paths]
    inputs += [source_at(gold).path if gold else None, *reading.files_beside()]
    outputs = Outputs(output, "json", inputs)
    metrics = tuple(metric or ())
    only = {"categories": categories}
    if any(map(is_run, paths)):
        only |= {**vars(reading), **vars(defaults), "by": reading.by != "auto"}
        check_unused(only | {"draws": draws != 1000}, "for annotation, but these are runs")
    if gold:
        check_unused(only, "for annotators, but --gold is given")
    if are_trees(paths, metrics, reading.reading.format):
        raise ValueError("these are trees; plan is for spans and categories")
    intervals = Resampling(resamples, seed)
    options = PlanOptions(width, power, intervals=intervals, progress=progress_bar)
    with workers.ready(n_process) as at_work:
        result = plan_files(
            files,
            gold,
            options=options,
            asked=Asked(metrics, defaults.given()),
            **({"reading": reading.of_pairs()} if gold else reading.asked(categories)),
            workers=at_work,
            draws=draws,
            seed=seed,
        )
    outputs.show(result, plan_text, "plan", {})
