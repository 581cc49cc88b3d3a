"""Several systems on one gold standard: what `score` does with them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from .. import reports
from ..corpora.sources import is_list, parse_source, parse_systems
from ..formats.keys import Reading
from ..reports.leaderboard import board_report
from ..scoring.boards import BOARD_METRICS
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..scoring.subsets import thresholds_of
from ..tasks.rank import rank_files
from ..tasks.results import Leaderboard
from .options import (
    FileOptions,
    InputPath,
    MetricOptions,
    WorkOptions,
    closeness_files,
    metrics_and_draws,
    rest,
)
from .outputs import PAGES, Outputs, Target
from .running import FAILED, complain, option_values

MENDS = "correct them, or mark what may be missing with `optional: true` in a list of systems"
WORST = 10  # documents of each system on pages


def rank(
    gold: str,
    systems: Sequence[str],
    output: Sequence[str] | None,
    *,
    subset: Sequence[str],
    cluster: str,
    intervals: Resampling,
    everything: bool,
    reading: Reading,
    files: FileOptions,
    metrics: MetricOptions,
    work: WorkOptions,
) -> None:
    """Rank systems, and print or write the leaderboard: all of it, or a summary.

    It ends with exit code 3 if a system was left out, unless a list says that it is optional.
    """
    inputs: list[InputPath] = [parse_source(gold).path, *filter(is_list, systems)]
    inputs += [one.path for one in parse_systems(systems)]
    inputs += [*files.files_beside(), *closeness_files(metrics.metric)]
    outputs = Outputs(output, "leaderboard", inputs)
    settings: dict[str, Any] = {"reading": reading, "cluster": cluster, "intervals": intervals}
    settings |= {"comparison": Comparison(alpha=rest(intervals.level)), "subset": tuple(subset)}
    settings |= {"worst": WORST if outputs.has(PAGES) else 0, "seed": work.seed}
    settings |= {"draws": metrics_and_draws(metrics.metric)[1]}
    asked = metrics.requests(BOARD_METRICS)
    with option_values():
        for one in subset:
            thresholds_of(one)
    with work.ready(files.skip_bad) as at_work:
        result, corpora = rank_files(gold, systems, metrics=asked, workers=at_work, **settings)

    def pages(target: Target) -> None:
        reports.write_board_pages(result, corpora, target.path)

    draw = partial(reports.board_figure, result)
    board = Leaderboard(result)
    outputs.show(board, board_report(board), {PAGES: pages}, draw, whole=everything)
    missing = [str(one["name"]) for one in result["left_out"] if not one["optional"]]
    if missing:
        complain(f"left out: {', '.join(missing)}; {MENDS}")
        raise SystemExit(FAILED)
