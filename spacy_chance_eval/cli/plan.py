"""The command `plan`: parse, call one function, print or write."""

from typing import Any

from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source, source_at
from ..formats.outputs import write_atomically
from ..measures.resampling import TESTS
from ..reports.plan import plan_figure, plan_page, plan_text
from ..runs.files import is_run
from ..scoring.intervals import Resampling
from ..scoring.ranking import SCORE_COLUMNS, Comparison
from ..tasks.plan import PANEL_WIDTH, WHICH, WIDTH, Plan, PlanOptions, plan_files
from ..tasks.plan_guess import plan_guess
from .figures import figure_option, figure_targets, write_figures
from .options import (
    BLOCKS,
    DRAWS,
    METRIC,
    SEED,
    AnyPath,
    WorkerOptions,
    as_path,
    check_ending,
    check_outputs,
    check_unused,
    given,
    make_folder,
    progress_bar,
    show,
)
from .panel_reading import MetricDefaults, PanelReading
from .parameters import OptionGroup, argument, main_options, option, with_options
from .running import echo

WRITERS = {"csv": "plan_csv"}  # formats other than JSON
NO_FILES = (
    "nothing to plan for; name runs of `save`, annotators, or systems with --gold GOLD, or guess: "
    "plan --support 200 --f .8 --difference .01"
)


class GuessOptions(OptionGroup):
    """A guess in place of data."""

    support: int | None = option(
        None, min=2, help="Without files: gold spans at hand, or planned.", panel="Guess"
    )
    f: float | None = option(None, help="F to be expected.", panel="Guess")
    difference: float | None = option(
        None, help="Difference in F to another system.", panel="Guess"
    )
    agreement: float | None = option(
        None,
        help="Share of the spans that both systems have right, or both wrong. [default: "
        "independent errors, and errors as alike as possible]",
        panel="Guess",
    )
    per_doc: float = option(1.0, help="Gold spans by document.", panel="Guess")
    expected: float | None = option(
        None, help="F expected by chance; then the plan is for corrected F.", panel="Guess"
    )


@with_options(
    guess=GuessOptions, defaults=MetricDefaults, reading=PanelReading, workers=WorkerOptions
)
@main_options(
    "gold",
    "metric",
    "width",
    "power",
    "support",
    "f",
    "difference",
    "html",
    "figure",
    "output",
)
def plan_command(
    files: list[str] = argument(
        None,
        help="Runs of `save`; annotators, as for agree; with --gold, systems, by default its "
        "other columns.",
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
    alpha: float = option(0.05, help="Level of the test of one pair."),
    test: str = option("randomisation", help=f"Of two systems: {' or '.join(TESTS)}."),
    pairs: str = option(WHICH[0], help=f"Of more than two systems: {' or '.join(WHICH)} in rank."),
    score: str = option("corrected", help=f"To plan for: {' or '.join(reversed(SCORE_COLUMNS))}."),
    force: bool = option(
        False, "--force", help="Where gold or metrics differ, compare what the runs have in common."
    ),
    resamples: int = option(1000, help="Samples of each number of documents.", panel="Intervals"),
    level: float = option(0.95, help="Level of the intervals.", panel="Intervals"),
    blocks: int = BLOCKS,
    seed: int = SEED,
    draws: int = DRAWS,
    n_process: int = option(
        1, "--n-process", "-n", min=1, help="Processes that read files.", panel="Workers"
    ),
    html: AnyPath | None = option(None, parser=as_path, help="Write a page."),
    figure: list[str] = figure_option("half-width and power by the number of documents"),
    output: str | None = option(
        None, "--output", "-o", help="JSON with everything (- prints it), or a table: .csv."
    ),
    to: str | None = option(
        None,
        help="Write or, without --output, print json or csv. [default: by the ending of --output]",
        panel="Output",
    ),
    *,
    guess: GuessOptions,
    defaults: MetricDefaults,
    reading: PanelReading,
    workers: WorkerOptions,
) -> None:
    """How many documents more, to tell systems apart or know a score?

      plan main.run
      plan main.run new.run --html plan.html
      plan --gold gold.conll one.conll two.conll three.conll
      plan alice.jsonl bob.jsonl --width .05
      plan --support 200 --f .8 --difference .01

    Draws samples of documents, a fifth to ten times as many, from those at hand: half-widths of
    intervals, power of the paired test at the present difference, and the documents that a wanted
    width or power takes, with the interval that the data leave open. Of annotators, documents that
    two of them annotate, and the label that needs them most.

    New documents have to be like those at hand. Without data, say what you expect: --support."""
    targets = figure_targets(figure)
    check_ending(output, WRITERS, to)
    comparison = Comparison(test, alpha)
    guessed = given({k: v for k, v in vars(guess).items() if k != "per_doc"})
    if not files and not gold:
        check_outputs([], [output, html, *(path for _, path in targets)])
        missing = [f"--{name}" for name in ("support", "f") if name not in guessed]
        if not guessed:
            raise ValueError(NO_FILES)
        if missing:
            raise ValueError(f"a guess needs {' and '.join(missing)}; add it")
        only = {"metric": metric, "categories": categories, "force": force} | vars(defaults)
        only |= {**vars(reading), "by": reading.by != "auto"}
        only |= {"test": test != TESTS[0], "pairs": pairs != WHICH[0], "seed": seed}
        only |= {"score": score != PlanOptions.score, "blocks": blocks != Resampling.blocks}
        only |= {"resamples": resamples != 1000, "draws": draws != 1000}
        check_unused(only, "for files, but there are none")
        result = plan_guess(
            **guessed, per_doc=guess.per_doc, width=width, power=power, alpha=alpha, level=level
        )
    else:
        check_unused(guessed | {"per_doc": guess.per_doc != 1}, "for a guess, but there are files")
        files = files or []
        paths = [parse_source(file).path for file in files]
        inputs: list[Any] = [(path, reading.format) for path in paths]
        inputs += [source_at(gold).path if gold else None, reading.texts, reading.typesystem]
        check_outputs(inputs, [output, html, *(path for _, path in targets)])
        metrics = tuple(metric or ())
        only = {"categories": categories}
        if any(map(is_run, paths)):
            only |= {**vars(reading), **vars(defaults), "by": reading.by != "auto"}
            check_unused(only | {"draws": draws != 1000}, "for annotation, but these are runs")
        if gold:
            check_unused(only, "for annotators, but --gold is given")
        if are_trees(paths, metrics, reading.format):
            raise ValueError("these are trees; plan is for spans and categories")
        intervals = Resampling(resamples, seed, level=level, blocks=blocks)
        options = PlanOptions(
            width, power, comparison, pairs, score, intervals, force, progress_bar
        )
        with workers.ready(n_process) as at_work:
            result = plan_files(
                files,
                gold,
                options=options,
                asked=Asked(metrics, defaults.given()),
                reading=reading.panel_options(categories),
                pair_reading=reading.pair_options() if gold else None,
                workers=at_work,
                draws=draws,
                seed=seed,
            )
    _write(result, html, output, to)
    write_figures(targets, lambda _: plan_figure(result))


def _write(result: Plan, html: Any, output: str | None, to: str | None) -> None:
    """Write the page and the output, and print the tables."""
    if html:
        make_folder(html)
        write_atomically(html, plan_page(result))
        echo(f"Page: {html}", err=True)
    show(result, plan_text, output, "plan", to, WRITERS)
