"""The command `score`: parse, call one function, print."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corpora.sources import are_trees
from ..formats.keys import Reading
from ..metrics.request import Request, request
from ..reports.scores import score_report
from ..scoring.intervals import Resampling
from ..tasks.score import gold_first, runs_on_docs, score_files
from .options import (
    DRAWS,
    P_VALUES,
    PER_DOC,
    PIPELINE_OPTIONS,
    RESAMPLES,
    SEED,
    AnyPath,
    MetricOptions,
    ReadingOptions,
    Result,
    TreeOptions,
    WorkerOptions,
    as_path,
    check_unused,
    closeness_files,
    inputs_of,
    progress_bar,
    with_progress,
)
from .outputs import PAGES, Outputs, Target, Writer, output_option, write_agreement_pages
from .parameters import argument, main_options, option, with_options

if TYPE_CHECKING:
    from ..corpora.pairs import CorpusPair
    from ..spacy_docs.docs import LexemeInformation
    from ..tasks.trees import TreeComparison

# options that trees have too; the others are for spans
OF_TREES = {"metric", "align", "on_error", "text", "format", "pred_format", "read"}
OF_TREES |= {*PIPELINE_OPTIONS}
KINDS = f"json csv tex html {PAGES}"
TABLES = {"csv": "score_csv", "tex": "score_tex"}


class _ReadingOptions(ReadingOptions):
    """How gold and predictions are read, trees included."""

    layer: list[str] = option(  # several, of a pipeline
        None,
        "--layer",
        "-l",
        help="Layer of gold: ents, spans:KEY or a name. For a pipeline repeatable, also as "
        "GOLD=PREDICTED. [default: the main one; all that gold and a pipeline have in common]",
        panel="Formats",
    )

    @property
    def layer_of_files(self) -> str | None:
        """The layer of each file that is scored."""
        if len(self.layer or ()) > 1:
            raise ValueError(
                f"--layer {' --layer '.join(self.layer)}: of files one layer is scored at a time; "
                "several are for a pipeline that runs on .spacy files"
            )
        return next(iter(self.layer or ()), self.reading.layer)

    @property
    def pairs(self) -> list[str]:
        """The layers of a pipeline: as they were given, with that of the predictions."""
        if self.pred_layer is None:
            return list(self.layer or ())
        return [f"{layer}={self.pred_layer}" for layer in self.layer or ("ents",)]


@main_options(
    "metric",
    "chance",
    "resamples",
    "per_doc",
    "format",
    "column",
    "layer",
    "pred_layer",
    "output",
)
@with_options(
    workers=WorkerOptions, metrics=MetricOptions, reading=_ReadingOptions, trees=TreeOptions
)
def score_command(
    gold: AnyPath = argument(
        ...,
        parser=as_path,
        help="Gold annotation: files or folders of any format, also treebanks.",
    ),
    pred: AnyPath | None = argument(
        None,
        parser=as_path,
        help="Predictions: the same, or the folder or name of a trained pipeline (which may also "
        "come first). Without it: two columns of one file.",
    ),
    per_doc: bool = PER_DOC,
    p_values: bool = P_VALUES,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    output: list[str] = output_option(KINDS),
    *,
    reading: _ReadingOptions,
    metrics: MetricOptions,
    trees: TreeOptions,
    workers: WorkerOptions,
) -> None:
    """Score predictions, of a file or pipeline, against gold annotation.

      score gold.conll predicted.conll
      score output.conll                   # its last two columns
      score dev.spacy training/model-best  # a trained pipeline
      score gold/ predicted/ --n-process 8 -o scores.json
      score gold/ predicted/ -o pages/   # treebanks, too

    Text formats are read without spaCy. With one CoNLL file the last two columns are compared, as
    conlleval does.

    A pipeline on .spacy files is scored in every layer that gold and it have in common, beside
    spaCy's own scores; span groups are randomised with overlaps by default, entities without.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees, and so are .spacy
    files if a metric of trees is asked for (-m syntax_alpha -m las): alpha of tree edit distances,
    attachment scores or brackets.

    Large files are read in parts, and so are several: folders, or patterns in quotes such as
    "gold/*.jsonl.gz".
    """
    gold, pred = gold_first(gold, pred)
    paths = [gold] if pred is None else [gold, pred]
    inputs = [*inputs_of(gold, pred, reading), *closeness_files(metrics.metric)]
    intervals = Resampling(resamples, seed)
    numbers: dict[str, Any] = {"per_doc": per_doc, "p_values": p_values}
    numbers |= {"draws": draws, "seed": seed, "intervals": intervals}
    if are_trees(paths, metrics.metric or (), reading.reading.format):
        values = vars(reading) | vars(metrics)
        only = {name: value for name, value in values.items() if name not in OF_TREES}
        only |= {"p_values": p_values, "draws": draws != DRAWS.default, **vars(workers)}
        check_unused(only, "for spans, but trees are compared")
        if pred is None:
            raise ValueError(f"{gold}: trees are scored against those of another file; name it")
        outputs = Outputs(output, KINDS, inputs, ("agreement_pages", "AGREEMENT_PAGE_NAMES"))
        comparison = _compare_trees(gold, pred, reading, metrics, trees, intervals)
        result: Result = comparison.result(per_doc)

        def pages_of_trees(target: Target) -> None:
            write_agreement_pages(comparison.agreement(), target)

        writers: dict[str, Writer] = {**TABLES, "html": pages_of_trees, PAGES: pages_of_trees}
        outputs.show(result, score_report, "score", writers)
        return
    check_unused(vars(trees), "for trees, but spans are compared")
    outputs = Outputs(output, KINDS, inputs, ("quality_pages", "QUALITY_PAGE_NAMES"))
    has_pages = outputs.has("html", PAGES)
    numbers["per_doc"] |= has_pages
    compared: list[CorpusPair] = []
    numbers["keep"] = compared.append if outputs.has(PAGES) else None
    how, own = reading.reading, reading.own
    if pred is not None and runs_on_docs(gold, pred, how, own):
        check_unused(vars(workers), "for files, but a pipeline is scored")
        result = _score_pipeline(gold, pred, reading, metrics, numbers, has_pages)
    else:
        requests = metrics.requests()
        with workers.ready(reading.n_process) as at_work:
            result = score_files(
                gold,
                pred,
                reading=replace(how, layer=reading.layer_of_files),
                own=own,
                metrics=_with_counts(requests) if has_pages else requests,
                workers=at_work,
                **numbers,
            )

    def pages_of_spans(target: Target) -> None:
        from ..reports.quality_pages import write_quality

        write_quality(result, target.path, compared, progress=progress_bar)

    writers = {**TABLES, "html": pages_of_spans, PAGES: pages_of_spans}
    outputs.show(result, score_report, "score", writers)


def _with_counts(requests: Mapping[str, Request]) -> dict[str, Request]:
    """The metrics, and GATE's F if none of them counts matching and overlapping spans."""
    if any(one.row.relations for one in requests.values()):
        return {**requests}
    return {**requests, "gate_f": request("gate_f")}


def _score_pipeline(
    gold: Path,
    model: Path,
    reading: _ReadingOptions,
    metrics: MetricOptions,
    numbers: Mapping[str, Any],
    counts: bool,
) -> Result:
    """Scores of a pipeline on Docs, in all layers or in the requested ones.

    With `counts`, one of the metrics counts spans by the relations of GATE.
    """
    from ..tasks.pipeline import score_pipeline  # which loads spaCy

    def metrics_of(
        chance: str, lexeme_information: "Callable[[], LexemeInformation]"
    ) -> dict[str, Request]:
        by_words = any("lexeme_prob" in one for one in metrics.metric or ())
        information = lexeme_information() if by_words else None
        requests = metrics.requests(chance, information)
        return _with_counts(requests) if counts else requests

    result: Result = score_pipeline(
        str(model),
        gold,
        metrics_of,
        layers=reading.pairs,
        **{name: getattr(reading, name) for name in PIPELINE_OPTIONS},
        **numbers,
        progress=partial(progress_bar, what="Documents"),
        draw_progress=progress_bar,
    )
    return result


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
        job=TreeJob(metrics.metric or (), trees.backend or "auto"),
        reading=with_progress(trees.joined(reading.reading)),
        own=Reading(format=reading.pred_format),
        intervals=intervals,
        progress=progress_bar,
    )
