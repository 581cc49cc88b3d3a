"""The command `agree`: parse, call one function, print."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import reports
from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source
from ..formats.paths import is_there
from ..reports.agreement import agreement_text
from ..scoring.intervals import Resampling
from ..tasks.agree import Agreement, agree_files
from .figures import figure_option, figure_targets, write_figures
from .options import (
    DRAWS,
    LEVEL,
    METRIC,
    MOST,
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
    closeness_files,
    progress_bar,
    show,
    shows_documents,
    write_pages,
)
from .panel_reading import MetricDefaults, PanelReading
from .parameters import argument, main_options, option, with_options

if TYPE_CHECKING:
    from ..tasks.replace import Replacement

WRITERS = {"tex": "agreement_tex"}  # formats other than JSON
WORST = 10  # documents
OF_CANDIDATES = {"csv": "replacement_csv", "tex": "replacement_tex"}


@with_options(
    defaults=MetricDefaults,
    reading=PanelReading,
    trees=TreeOptions,
    workers=WorkerOptions,
)
@main_options(
    "metric",
    "candidate",
    "by",
    "annotator",
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
    candidate: list[str] = option(
        None,
        help="May this model replace an annotator? [NAME=]PATH, or the name of an annotator of the "
        "files; may be repeated.",
    ),
    categories: bool = option(
        False, "--categories", help="Compare labels of whole documents instead of spans."
    ),
    metric: list[str] = METRIC,
    resamples: int = option(
        1000,
        min=0,
        help="Bootstrap resamples; 0: none.",
        panel="Intervals",
    ),
    level: float = LEVEL,
    seed: int = SEED,
    draws: int = DRAWS,
    html: AnyPath | None = option(
        None,
        parser=as_path,
        help="FILE.html: one page; or a folder, which is replaced.",
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
      agree humans.jsonl --candidate gpt.jsonl

    On spans, categories or trees. Every pair is compared over the documents that both saw; the mean
    of the pairs is weighted by their number. The team's value is of all annotators at once: for F
    it sums observed and expected matches over all pairs and divides once. Undefined values come
    with a reason.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees of their sentences,
    and so are .spacy files if a metric of trees is asked for (-m syntax_alpha -m las); the command
    metrics lists them.

    With a candidate, the alternative annotator test: is it as good as at least half of the
    annotators, each compared with it by the agreement with all others? -m names the similarity of
    two documents, such as token_f.

    Large files are read in parts by several processes: "alice/*.jsonl.gz" "bob/*.jsonl.gz"
    --n-process 8 --resamples 0."""
    metrics = tuple(metric or ())
    intervals = Resampling(resamples, seed, level=level)
    worst = None if output and resamples else WORST  # of which the terminal lists the first
    paths = [parse_source(file).path for file in files]
    inputs = [(path, reading.reading.format) for path in paths]
    targets = figure_targets(figure)
    outputs = [output, html, *(path for _, path in targets)]
    models = candidate or []
    inputs += [(parse_source(one).path, reading.reading.format) for one in models]
    tables = closeness_files(metrics)
    check_outputs([*inputs, *reading.files_beside(), *tables], outputs)
    writers = OF_CANDIDATES if models else WRITERS
    check_ending(output, writers, to)
    check_pages(html)
    if models:
        only = {"html": html, "figure": targets, "n_process": n_process > 1}
        only |= {"draws": draws != DRAWS.default} | vars(workers) | vars(trees)
        check_unused(only, "for agreement, but a candidate is tested")
        arguments = (intervals, reading, categories, defaults)
        tested = _test_candidates(files, models, metrics, *arguments)
        from ..reports.replacement import replacement_text

        show(tested.to_dict(), replacement_text, output, "replace", to, writers)
        return
    if are_trees(paths, metrics, reading.reading.format):
        only = {"categories": categories, "draws": draws != DRAWS.default}
        only |= vars(workers) | {"n_process": n_process > 1} | vars(defaults) | reading.of_spans()
        check_unused(only, "for spans, but trees are compared")
        from ..corpora.treebanks import TreeJob
        from ..tasks.trees import agree_tree_files

        agreement: Agreement[Any, Any] = agree_tree_files(
            files,
            job=TreeJob(metrics, trees.backend or "auto"),
            progress=progress_bar,
            reading=trees.joined(reading.reading),
            by=reading.by,
            worst=worst,
            intervals=intervals,
        )
    else:
        check_unused(vars(trees), "for trees, but spans are compared")
        with workers.ready(n_process) as at_work:
            agreement = agree_files(
                files,
                asked=Asked(metrics, defaults.given()),
                **reading.asked(categories),
                workers=at_work,
                draws=draws,
                seed=seed,
                keep=shows_documents(html),
                worst=worst,
                intervals=intervals,
            )
    write_pages(agreement, html, MOST)
    show(agreement.to_dict(), agreement_text, output, "agree", to, writers)
    write_figures(targets, lambda _: reports.pair_figure(agreement.to_dict()))


def _test_candidates(
    files: Sequence[str],
    candidates: Sequence[str],
    metrics: Sequence[str],
    intervals: Resampling,
    reading: PanelReading,
    categories: bool,
    defaults: MetricDefaults,
) -> "Replacement":
    """The test whether candidates may replace an annotator."""
    from ..metrics.request import parse
    from ..scoring.replacement import ACCURACY, ReplacementTest
    from ..tasks.replace import Question, Sources, replace_files

    if len(metrics) > 1:
        raise ValueError(
            f"{len(metrics)} metrics, but annotations are compared by one; give one -m, or none"
        )
    names = [one for one in candidates if "=" not in one and not is_there(parse_source(one).path)]
    sources = Sources(files, [one for one in candidates if one not in names], names)
    metric: Any = next(iter(metrics), None)
    paths = [parse_source(one).path for one in [*files, *candidates]]
    if are_trees(paths, () if metric == ACCURACY else metrics, reading.reading.format):
        raise ValueError("these are trees; candidates are tested on spans and categories")
    if metric == ACCURACY or (metric is None and categories):
        by_labels = "for scores of spans, but annotations are compared by their labels"
        check_unused(vars(defaults), by_labels)
    elif metric or defaults.given():
        metric = parse(metric or "span_f", **defaults.given())
    return replace_files(
        sources,
        Question(metric),
        ReplacementTest(seed=intervals.seed),
        **reading.asked(categories),
        intervals=intervals,
        progress=progress_bar,
    )
