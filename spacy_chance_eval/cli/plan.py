"""The command `plan`: parse, call one function, print or write."""

from ..corpora.sources import are_trees, parse_source
from ..formats.keys import Reading
from ..runs.files import is_run
from ..scoring.intervals import Resampling
from ..scoring.planning import PANEL_WIDTH, WIDTH, PlanOptions
from ..tasks.plan import plan_files
from .agree import PanelOptions
from .options import METRIC, WorkOptions, check_unused, inputs_of, metrics_and_draws, progress_bar
from .outputs import Outputs, output_option
from .parameters import argument, option, with_options
from .running import MisuseError, option_values

NO_FILES = (
    "nothing to plan for; name runs (score -o x.run), annotators, or systems with --gold GOLD"
)


@with_options("gold metric width power output", options=PanelOptions, work=WorkOptions)
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
    output: list[str] = output_option("plan"),
    *,
    options: PanelOptions,
    work: WorkOptions,
) -> None:
    """How many more documents, to tell systems apart or know a score?

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
        raise MisuseError(NO_FILES)
    files = files or []
    outputs = Outputs(output, "plan", inputs_of([*files, gold], options))
    paths = [parse_source(file).path for file in files]
    metrics, draws = metrics_and_draws(metric)
    only = {"categories": categories, "annotators": options.annotators != "auto"}
    if any(map(is_run, paths)):
        check_unused(
            {**only, "layer": options.layer, **options.given.given},
            "for annotation, but these are runs",
        )
    reading = options.asked(categories)
    if gold:
        only["layer"] = len(options.layers) > 1
        check_unused(only, "for annotators, but --gold is given")
        reading = {"reading": options.reading | Reading(layer=next(iter(options.layers), None))}
    if are_trees(paths, metrics, options.format):
        raise MisuseError("these are trees; plan is for spans and categories")
    intervals = Resampling(1000, work.seed)
    with option_values():
        how = PlanOptions(width, power, intervals=intervals, progress=progress_bar)
    with work.ready(options.skip_bad) as at_work:
        result = plan_files(
            files,
            gold,
            options=how,
            metrics=tuple(metrics),
            **reading,
            workers=at_work,
            draws=draws,
            seed=work.seed,
        )
    outputs.show(result, whole=False)
