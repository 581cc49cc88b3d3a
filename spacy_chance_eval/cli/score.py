"""The command `score`: parse, call one function, print."""

import typer

from ..corpora.sources import are_trees
from ..report.scores import score_report
from ..scoring.intervals import Resampling
from ..tasks.score import score_files
from .options import (
    ALL_FORMATS,
    DRAWS,
    METRICS,
    MOST,
    NO_INTERVALS,
    OUTPUT,
    P_VALUES,
    PER_DOC,
    PRED,
    READING,
    RESAMPLES,
    SEED,
    TREES,
    WORKERS,
    AnyPath,
    as_path,
    check_outputs,
    check_pages,
    check_unused,
    metrics_of,
    progress_bar,
    reading_of,
    show,
    tree_reading,
    with_options,
    working,
    write_pages,
)

FORMAT = typer.Option(None, help=f"Format of gold: {ALL_FORMATS}. [default: by name]")
OF_PIPELINES = ("code", "gpu_id", "n_process", "batch_size")
# options that trees have too; the others are for spans
OF_TREES = ("metric", "bdm", "format", "pred_format", *OF_PIPELINES)


@with_options("trees", TREES, dict)
@with_options("reading", READING | {"format": (str, FORMAT)}, dict)
@with_options("metrics", METRICS, dict)
@with_options("workers", WORKERS, dict)
def score_command(
    gold: AnyPath = typer.Argument(
        ..., parser=as_path, help="Gold annotation: any format, .spacy and treebanks included."
    ),
    pred: AnyPath = PRED,
    per_doc: bool = PER_DOC,
    p_values: bool = P_VALUES,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    no_intervals: bool = NO_INTERVALS,
    seed: int = SEED,
    html: AnyPath = typer.Option(
        None,
        parser=as_path,
        help="Trees: a folder for pages with both trees of each sentence that differs, or one page "
        "if it ends in .html. (Of spans the command diff makes pages.)",
    ),
    output: str = OUTPUT,
    *,
    reading,
    metrics,
    trees,
    workers,
):
    """Score a file of predictions against a file of gold annotation.

    Text formats are read without spaCy. With one CoNLL file the last two columns are compared, as
    conlleval does.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees, and so are .spacy
    files if a metric of trees is asked for: alpha of tree edit distances, attachment scores or
    brackets.

      score gold.conllu predicted.conllu --per-doc

      score dev.spacy training/model-best -m syntax_alpha -m las

    Large files are read in parts, and so are several: folders, or patterns in quotes.

      score gold/ predicted/ --n-process 8

      score "gold/*.jsonl.gz" "predicted/*.jsonl.gz" --skip-bad -o scores.json
    """
    paths = [gold] if pred is None else [gold, pred]
    asked = reading | metrics
    formats = reading["format"], reading["pred_format"] or reading["format"]
    others = [reading["texts"], metrics["bdm"]]
    check_outputs([*zip(paths, formats), *others], [output, html])
    resamples = 0 if no_intervals else resamples
    shared = {"per_doc": per_doc, "intervals": Resampling(resamples, seed)}
    if are_trees(paths, metrics["metric"] or (), reading["format"]):
        only = {name: asked[name] for name in asked if name not in OF_TREES}
        only |= {"p_values": p_values, "draws": draws != DRAWS.default} | workers
        check_unused(only, "for spans, but trees are compared")
        result = score_trees(paths, asked, trees, html, **shared)
    else:
        check_unused(trees | {"html": html}, "for trees, but spans are compared")
        with working(reading["n_process"], **workers) as at_work:
            result = score_files(
                gold,
                pred,
                reading=reading_of(**reading),
                metrics=metrics_of(**metrics),
                workers=at_work,
                p_values=p_values,
                draws=draws,
                seed=seed,
                **shared,
            )
    show(result, score_report, output)


def score_trees(paths, asked, trees, html, *, intervals, per_doc):
    """The result of scoring trees; pages of them are written if they are asked for."""
    if len(paths) < 2:
        raise ValueError(f"{paths[0]}: trees are scored against those of another file; name it")
    check_pages(html)
    formats = {name: asked[name] for name in ("format", "pred_format")}
    running = {name: asked[name] for name in OF_PIPELINES} | {"progress": progress_bar}
    reading = tree_reading(trees, **formats, pipeline_options=running)
    from ..tasks.trees import compare_tree_files

    comparison = compare_tree_files(
        *paths,
        metrics=asked["metric"] or (),
        bdm=asked["bdm"],
        reading=reading,
        intervals=intervals,
        backend=trees["backend"] or "auto",
        progress=progress_bar,
    )
    result = comparison.result(per_doc)
    if html:
        write_pages(comparison.agreement(), html, MOST)
    return result
