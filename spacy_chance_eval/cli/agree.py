"""The command `agree`: parse, call one function, print."""

from typing import Any

from .. import reports
from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source
from ..measures.resampling import INTERVALS
from ..reports.agreement import agreement_text
from ..scoring.intervals import Resampling
from ..tasks.agree import Agreement, agree_files
from .figures import figure_option, figure_targets, write_figures
from .options import (
    BDM,
    BLOCKS,
    DRAWS,
    METRIC,
    MOST,
    NO_INTERVALS,
    SEED,
    TEX_OUTPUT,
    TO,
    AnyPath,
    TreeOptions,
    WorkerOptions,
    as_path,
    check_ending,
    check_outputs,
    check_pages,
    check_unused,
    progress_bar,
    show,
    shows_documents,
    write_pages,
)
from .panel_reading import MetricDefaults, PanelReading
from .parameters import argument, main_options, option, with_options

WRITERS = {"tex": "agreement_tex"}  # formats other than JSON


@with_options(
    defaults=MetricDefaults, reading=PanelReading, trees=TreeOptions, workers=WorkerOptions
)
@main_options(
    "metric",
    "by",
    "annotator_field",
    "layer",
    "categories",
    "resamples",
    "format",
    "html",
    "output",
)
def agree_command(
    files: list[str] = argument(
        ...,
        help="[NAME=]PATH[#LAYER] of files or folders of any format, also trees.",
    ),
    categories: bool = option(
        False, "--categories", help="Compare labels of whole documents instead of spans."
    ),
    metric: list[str] = METRIC,
    bdm: AnyPath | None = BDM,
    resamples: int = option(
        1000,
        min=0,
        help="Bootstrap resamples, for intervals; 0: none.",
        panel="Intervals",
    ),
    no_intervals: bool = NO_INTERVALS,
    interval: str = option("percentile", help=f"One of {', '.join(INTERVALS)}.", panel="Intervals"),
    level: float = option(0.95, help="Level of the intervals.", panel="Intervals"),
    blocks: int = BLOCKS,
    pairs: bool = option(
        True,
        "--pairs/--no-pairs",
        help="Also each pair, and each annotator against the others; without, the team alone is "
        "scored, in less time.",
    ),
    seed: int = SEED,
    draws: int = DRAWS,
    worst: int = option(10, min=0, help="Documents to list, those that cost most.", panel="Output"),
    per_doc: bool = option(
        False, "--per-doc", help="All documents in the JSON output.", panel="Output"
    ),
    html: AnyPath | None = option(
        None,
        parser=as_path,
        help="A folder for pages (it replaces an older one; open index.html), or FILE.html: "
        "one page.",
    ),
    html_docs: int = option(
        MOST,
        min=0,
        help="Documents to show of a pair, those that differ most; 0: all that differ, on pages "
        "of 200 each.",
        panel="Output",
    ),
    n_process: int = option(
        1,
        "--n-process",
        "-n",
        min=1,
        help="Processes that read and count files, in parts.",
        panel="Workers",
    ),
    figure: list[str] = figure_option("the matrix of pairs by the first metric"),
    output: str | None = TEX_OUTPUT,
    to: str | None = TO,
    *,
    defaults: MetricDefaults,
    reading: PanelReading,
    trees: TreeOptions,
    workers: WorkerOptions,
) -> None:
    """How far do two or more annotators agree, beyond chance?

      agree alice.jsonl bob.jsonl
      agree dataset.jsonl --annotator-field _session_id -m span_f
      agree corpus.spacy --layer spans:alice --layer spans:bob
      agree alice/ bob/ --tokenizer en    # brat or GATE
      agree choices.jsonl --categories
      agree dataset.jsonl --html pages/ -o agreement.json
      agree alice.conllu bob.conllu       # trees

    On spans, categories or trees. Every pair is compared over the documents that both saw; the mean
    of the pairs is weighted by their number. The team's value is of all annotators at once: for F
    it sums observed and expected matches over all pairs and divides once. Undefined values come
    with a reason.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees of their sentences,
    and so are .spacy files if a metric of trees is asked for (-m syntax_alpha -m las); the command
    metrics lists them.

    Large files are read in parts by several processes: "alice/*.jsonl.gz" "bob/*.jsonl.gz"
    --n-process 8 --no-intervals."""
    metrics = tuple(metric or ())
    resamples = 0 if no_intervals else resamples
    intervals = Resampling(resamples, seed, interval, level, blocks=blocks)
    n_named = None if per_doc else worst
    paths = [parse_source(file).path for file in files]
    inputs = [(path, reading.format) for path in paths]
    targets = figure_targets(figure)
    if targets and not pairs:
        raise ValueError("--figure draws the pairs, which --no-pairs leaves out; drop one of them")
    outputs = [output, html, *(path for _, path in targets)]
    check_outputs([*inputs, reading.texts, reading.typesystem, bdm], outputs)
    check_ending(output, WRITERS, to)
    check_pages(html)
    if are_trees(paths, metrics, reading.format):
        only = {"categories": categories, "draws": draws != DRAWS.default}
        only |= {"blocks": blocks != BLOCKS.default, "no_pairs": not pairs}
        only |= vars(workers) | {"n_process": n_process > 1} | vars(defaults) | reading.of_spans()
        check_unused(only, "for spans, but trees are compared")
        from ..corpora.treebanks import TreeJob
        from ..tasks.trees import agree_tree_files

        agreement: Agreement[Any, Any] = agree_tree_files(
            files,
            job=TreeJob(metrics, bdm, trees.backend or "auto"),
            progress=progress_bar,
            reading=reading.tree_options(trees),
            worst=n_named,
            intervals=intervals,
        )
    else:
        check_unused(vars(trees), "for trees, but spans are compared")
        with workers.ready(n_process) as at_work:
            agreement = agree_files(
                files,
                asked=Asked(metrics, defaults.given(), bdm),
                reading=reading.panel_options(categories),
                workers=at_work,
                draws=draws,
                seed=seed,
                pairs=pairs,
                keep=shows_documents(html),
                worst=n_named,
                intervals=intervals,
            )
    write_pages(agreement, html, html_docs)
    show(agreement.to_dict(), agreement_text, output, "agree", to, WRITERS)
    write_figures(targets, lambda _: reports.pair_figure(agreement.to_dict()))
