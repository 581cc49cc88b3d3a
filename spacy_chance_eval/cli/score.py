"""The command `score`: parse, call one function, print."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..corpora.sources import are_trees
from ..report.scores import score_report
from ..scoring.intervals import Resampling
from ..tasks.score import score_files
from .help import FORMATS_PANEL, main_options
from .options import (
    ALL_FORMATS,
    DRAWS,
    MOST,
    NO_INTERVALS,
    OUTPUT,
    P_VALUES,
    PER_DOC,
    PIPELINE_OPTIONS,
    PRED,
    RESAMPLES,
    SEED,
    AnyPath,
    MetricOptions,
    ReadingOptions,
    TreeOptions,
    WorkerOptions,
    as_path,
    check_outputs,
    check_pages,
    check_unused,
    inputs_of,
    progress_bar,
    show,
    with_options,
    write_pages,
)

if TYPE_CHECKING:
    from ..tasks.trees import TreeComparison

# options that trees have too; the others are for spans
OF_TREES = {"metric", "bdm", "format", "pred_format", *PIPELINE_OPTIONS}


@dataclass(frozen=True)
class _ReadingOptions(ReadingOptions):
    """How gold and predictions are read, trees included."""

    format: str | None = typer.Option(
        None,
        help=f"Format of gold: {ALL_FORMATS}. [default: by name]",
        rich_help_panel=FORMATS_PANEL,
    )


@with_options(
    workers=WorkerOptions, metrics=MetricOptions, reading=_ReadingOptions, trees=TreeOptions
)
@main_options(
    "metric",
    "chance",
    "resamples",
    "per_doc",
    "p_values",
    "format",
    "column",
    "layer",
    "pred_layer",
    "output",
)
def score_command(
    gold: AnyPath = typer.Argument(
        ..., parser=as_path, help="Gold annotation: any format, .spacy and treebanks included."
    ),
    pred: AnyPath | None = PRED,
    per_doc: bool = PER_DOC,
    p_values: bool = P_VALUES,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    no_intervals: bool = NO_INTERVALS,
    seed: int = SEED,
    html: AnyPath | None = typer.Option(
        None,
        parser=as_path,
        help="Trees: a folder for pages with both trees of each sentence that differs, or one page "
        "if it ends in .html. (Of spans the command diff makes pages.)",
    ),
    output: str | None = OUTPUT,
    *,
    reading: _ReadingOptions,
    metrics: MetricOptions,
    trees: TreeOptions,
    workers: WorkerOptions,
) -> None:
    """Score predictions, of a file or a pipeline, against gold annotation.

      score gold.conll predicted.conll
      score output.conll                   # its last two columns
      score dev.spacy training/model-best  # a trained pipeline
      score gold/ predicted/ --n-process 8 -o scores.json
      score gold.conllu predicted.conllu --html trees/

    Text formats are read without spaCy. With one CoNLL file the last two columns are compared, as
    conlleval does.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees, and so are .spacy
    files if a metric of trees is asked for (-m syntax_alpha -m las): alpha of tree edit distances,
    attachment scores or brackets.

    Large files are read in parts, and so are several: folders, or patterns in quotes such as
    "gold/*.jsonl.gz".
    """
    paths = [gold] if pred is None else [gold, pred]
    check_outputs([*inputs_of(gold, pred, reading), metrics.bdm], [output, html])
    intervals = Resampling(0 if no_intervals else resamples, seed)
    if are_trees(paths, metrics.metric or (), reading.format):
        values = vars(reading) | vars(metrics)
        only = {name: value for name, value in values.items() if name not in OF_TREES}
        only |= {"p_values": p_values, "draws": draws != DRAWS.default, **vars(workers)}
        check_unused(only, "for spans, but trees are compared")
        if pred is None:
            raise ValueError(f"{gold}: trees are scored against those of another file; name it")
        check_pages(html)
        comparison = _compare_trees(gold, pred, reading, metrics, trees, intervals)
        result = comparison.result(per_doc)
        if html:
            write_pages(comparison.agreement(), html, MOST)
    else:
        check_unused(vars(trees) | {"html": html}, "for trees, but spans are compared")
        with workers.ready(reading.n_process) as at_work:
            result = score_files(
                gold,
                pred,
                reading=reading.read_options(),
                metrics=metrics.requests(),
                workers=at_work,
                p_values=p_values,
                draws=draws,
                seed=seed,
                per_doc=per_doc,
                intervals=intervals,
            )
    show(result, score_report, output)


def _compare_trees(
    gold: Path,
    pred: Path,
    reading: ReadingOptions,
    metrics: MetricOptions,
    trees: TreeOptions,
    intervals: Resampling,
) -> "TreeComparison":
    """The comparison of trees of a file, or of a pipeline, with those of gold."""
    from ..corpora.treebanks import TreeJob
    from ..tasks.trees import compare_tree_files

    return compare_tree_files(
        gold,
        pred,
        job=TreeJob(metrics.metric or (), metrics.bdm, trees.backend or "auto"),
        reading=trees.read_options(
            format=reading.format,
            pred_format=reading.pred_format,
            pipeline=reading.pipeline | {"progress": progress_bar},
        ),
        intervals=intervals,
        progress=progress_bar,
    )
