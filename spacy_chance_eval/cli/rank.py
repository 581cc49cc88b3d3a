"""The command `rank`: parse, call one function, print or write."""

from collections.abc import Sequence
from functools import partial

from .. import reports
from ..corpora.sources import is_list, parse_source, parse_systems
from ..reports.leaderboard import leaderboard_text
from ..scoring.boards import BOARD_METRICS
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..scoring.subsets import BINNED
from ..tasks.rank import RankOptions, rank_files
from .options import (
    CHANCE,
    DRAWS,
    LEVEL,
    METRIC,
    SEED,
    UNIT,
    InputPath,
    ReadingOptions,
    WorkerOptions,
    closeness_files,
    rest,
)
from .outputs import FIGURE, PAGES, Outputs, Target, Writer, output_option
from .parameters import argument, main_options, option, with_options

KINDS = f"json csv md tex html {FIGURE} {PAGES}"
FIGURES = ("intervals", "ranks")  # the first if none is named
TEXTS: dict[str, Writer] = {
    "csv": "leaderboard_csv",
    "md": "leaderboard_markdown",
    "tex": "leaderboard_tex",
    "html": "leaderboard_page",
}
WORST = 10  # documents of each system on pages


@with_options(reading=ReadingOptions, workers=WorkerOptions)
@main_options(
    "metric",
    "subset",
    "format",
    "column",
    "output",
)
def rank_command(
    gold: str = argument(..., help="Gold annotation: PATH, or PATH#COLUMN (or #LAYER)."),
    system: list[str] = argument(
        None,
        help="[NAME=]PATH[#COLUMN or LAYER] of files or a trained pipeline, or a .yml or .json "
        "list of systems. [default: the other columns of gold]",
    ),
    metric: list[str] = METRIC,
    chance: str | None = CHANCE,
    unit: str | None = UNIT,
    subset: list[str] = option(
        None,
        help=f"Also by: {', '.join(BINNED)}, or an attribute of documents; may be repeated. With "
        "thresholds: chance:.175, length:10,20.",
    ),
    cluster: str = option(
        "auto",
        help="Unit to resample: none (documents), an attribute of documents, or auto: the article "
        "where sentences are documents of articles.",
        panel="Intervals",
    ),
    resamples: int = option(
        10_000, min=0, help="For intervals and tests; 0: neither.", panel="Intervals"
    ),
    seed: int = SEED,
    level: float = LEVEL,
    draws: int = DRAWS,
    output: list[str] = output_option(KINDS),
    *,
    reading: ReadingOptions,
    workers: WorkerOptions,
) -> None:
    """Rank many systems, before and after the correction for chance.

      rank gold.conll bert.conll CRF=crf.conll -o board.html
      rank gold.conll bert.conll --subset length --subset chance
      rank task.tsv#gold -o board.csv  # all columns of a file
      rank test.spacy training/model-best systems.yml -m span_f

    On one gold standard. Every score has a bootstrap interval, every pair of systems a test;
    systems that share a letter do not differ significantly. Spans on other tokens go over to those
    of gold; a system with another text is left out, and the board says where it differs."""
    inputs = _inputs_of(gold, system or (), reading.format, reading.pred_format or reading.format)
    inputs += [*reading.files_beside(), *closeness_files(metric)]
    outputs = Outputs(output, KINDS, inputs, ("diff_pages", "ERROR_PAGE_NAMES"), FIGURES)
    requests = default_requests(metric or BOARD_METRICS, chance=chance, unit=unit)
    how = RankOptions(
        requests,
        cluster,
        tuple(subset or ()),
        Resampling(resamples, seed, level=level),
        Comparison(alpha=rest(level)),
        WORST if outputs.has(PAGES) else 0,
        draws,
    )
    with workers.ready(reading.n_process) as at_work:
        result, corpora = rank_files(
            gold,
            system or (),
            how=how,
            reading=reading.reading,
            own=reading.own,
            workers=at_work,
        )

    def pages(target: Target) -> None:
        reports.write_board_pages(result, corpora, target.path)

    draw = partial(reports.board_figure, result)
    outputs.show(result, leaderboard_text, "rank", {**TEXTS, PAGES: pages}, draw)


def _inputs_of(
    gold: str, systems: Sequence[str], gold_format: str | None, pred_format: str | None
) -> list[InputPath]:
    """The files that are read, for `check_outputs`: gold, systems, and lists of these."""
    inputs: list[InputPath] = [
        (parse_source(gold).path, gold_format),
        *filter(is_list, systems),
    ]
    for system in parse_systems(systems):
        inputs.append((system.path, system.reading.format or pred_format))
    return inputs
