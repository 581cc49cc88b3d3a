"""The command `score`: parse, call one function, print."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corpora.passes import Workers
from ..corpora.sources import are_trees, is_list, parse_source, source_at
from ..formats import FormatError
from ..formats.keys import Reading
from ..metrics.request import Request, request
from ..reports.report import Report
from ..reports.scores import score_report
from ..scoring.intervals import Resampling
from ..tasks.score import gold_first, runs_on_docs, score_files
from .options import (
    CLUSTER,
    LEVEL,
    RESAMPLES,
    FileOptions,
    MetricOptions,
    Result,
    WorkOptions,
    as_path,
    check_unused,
    closeness_files,
    inputs_of,
    metrics_and_draws,
    progress_bar,
    resampling,
    with_progress,
)
from .outputs import FIGURE, PAGES, Outputs, Target, Writer, output_option, write_agreement_pages
from .parameters import argument, main_options, option, with_options

if TYPE_CHECKING:
    from ..corpora.pairs import CorpusPair
    from ..spacy_docs.docs import LexemeInformation

KINDS = f"json csv tex html {PAGES}"
ALL_KINDS = f"json csv md tex html {FIGURE} run {PAGES}"
COUNTS = "gate_f"  # counts matching and overlapping spans, for pages
TABLES = {"csv": "score_csv"}


class _FileOptions(FileOptions):
    """How gold and predictions are read, trees included."""

    layer: list[str] = option(  # several, of a pipeline
        None,
        "--layer",
        "-l",
        help="Layer of gold: ents, spans:KEY or a name; of pipelines repeatable, GOLD=PREDICTED. "
        "[default: the main one; of pipelines all]",
        panel="Files",
    )

    @property
    def of_files(self) -> Reading:
        """How files are read, of each of which one layer is scored."""
        if len(self.layer or ()) > 1:
            raise ValueError(
                f"--layer {' --layer '.join(self.layer)}: of files one layer is scored at a time; "
                "several are for a pipeline that runs on .spacy files"
            )
        return self.reading | Reading(layer=next(iter(self.layer or ()), None))


@main_options(
    "metric",
    "subset",
    "per_doc",
    "explain",
    "everything",
    "format",
    "layer",
    "output",
)
@with_options(metrics=MetricOptions, files=_FileOptions, work=WorkOptions)
def score_command(
    gold: str = argument(..., help="Gold annotation: files or folders of any format, or trees."),
    system: list[str] = argument(
        None,
        help="[NAME=]PATH[#COLUMN or LAYER] of predictions, or trained pipelines, or a .yml or "
        ".json list of systems. [default: the other columns of gold]",
    ),
    subset: list[str] = option(
        None,
        help="A leaderboard also by chance, length, density, or an attribute of documents; may be "
        "repeated. With thresholds: chance:.175, length:10,20.",
    ),
    categories: bool = option(
        False, "--categories", help="Score labels of whole documents instead of spans."
    ),
    per_doc: bool = option(
        False, "--per-doc", help="Also score every document, worst first.", panel="Output"
    ),
    explain: str | None = option(
        None,
        metavar="[DOC]",
        help="How a score came about: of the corpus, or of a document, by name or number from 1.",
    ),
    everything: bool = option(
        False, "--all", help="Print all metrics, labels and subsets, as files have them."
    ),
    resamples: int | None = RESAMPLES,
    cluster: str = CLUSTER,
    level: float = LEVEL,
    output: list[str] = output_option(ALL_KINDS),
    *,
    files: _FileOptions,
    metrics: MetricOptions,
    work: WorkOptions,
) -> None:
    """Score predictions, of files or pipelines, against gold annotation.

      score gold.conll predicted.conll
      score dev.spacy training/model-best -o pages/ -o main.run
      score gold.conll bert.conll CRF=crf.conll -o board.html
      score task.tsv#gold                  # all columns of a file
      score gold.jsonl predicted.jsonl --explain 3

    One system has precision, recall and F of each label printed, with the F expected by chance and
    the corrected one; several have a leaderboard of the first metric: every score has an
    interval, every pair of systems a test; systems that share a letter do not differ significantly.
    Spans on other tokens go over to those of gold; a system with another text is left out, and the
    board says where it differs.

    With --categories the labels of whole documents are scored: accuracy (percent_agreement), F of
    each label and macro F (positive_agreement), Cohen's kappa, and in JSON the confusion matrix.

    Text formats are read without spaCy. With one CoNLL file the last two columns are compared, as
    conlleval does. A pipeline on .spacy files is scored in every layer that gold and it have in
    common, beside spaCy's own scores; span groups are randomised with overlaps by default.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees, and so are .spacy
    files if a metric of trees is asked for (-m syntax_alpha -m las): alpha of tree edit distances,
    attachment scores or brackets.

    A run (-o x.run) has what scores are made of, for every document and label, with the spans and
    their words (x.run#text=no: without), so that compare needs neither gold nor predictions again.

    Large files are read in parts, and so are several: folders, or patterns in quotes such as
    "gold/*.jsonl.gz".
    """
    systems = system or []
    asked, draws = metrics_and_draws(metrics.metric)
    board = {"subset": subset, "cluster": cluster != "auto"}
    if any(board.values()) or are_several(gold, systems, files):
        if are_trees([gold, *(one for one in systems if not is_list(one))], asked, files.format):
            raise ValueError("trees are scored one system at a time; name gold and one file")
        only: dict[str, Any] = {"per_doc": per_doc, "explain": explain, "categories": categories}
        check_unused(only, "for one system, but several are ranked")
        from .boards import rank  # which loads more

        rank(
            gold,
            systems,
            output,
            subset=subset or (),
            cluster=cluster,
            intervals=resampling(resamples, work, level, Resampling.resamples),
            everything=everything,
            reading=with_progress(files.of_files, work),
            files=files,
            metrics=metrics,
            work=work,
        )
        return
    gold_path: Any = as_path(gold)
    pred: Any = as_path(systems[0]) if systems else None
    gold_path, pred = gold_first(gold_path, pred)
    paths = [gold_path] if pred is None else [gold_path, pred]
    inputs = [*inputs_of(gold_path, pred, files), *closeness_files(metrics.metric)]
    intervals = resampling(resamples, work, level)
    numbers: dict[str, Any] = {"per_doc": per_doc, "draws": draws, "seed": work.seed}
    numbers |= {"intervals": intervals}
    how = with_progress(files.reading, work)
    if categories:
        if pred is None:
            raise ValueError(
                f"{gold}: categories are scored against those of another file; name it"
            )
        check_unused({"explain": explain}, "for spans, but categories are compared")
        from ..tasks.score import CATEGORY_SCORES, score_category_files

        result: Result = score_category_files(
            gold_path,
            pred,
            metrics=asked or CATEGORY_SCORES,
            reading=how,
            per_doc=per_doc,
            intervals=intervals,
        )
        outputs = Outputs(output, "json csv tex", inputs)
        outputs.show(result, score_report, "score", {**TABLES}, whole=everything)
        return
    if are_trees(paths, asked, files.format):
        files.check_spans()
        only = {
            "layer": files.layer,
            "chance": metrics.chance,
            "unit": metrics.unit,
        }
        only |= {"explain": explain, "scheduler": work.scheduler}
        check_unused(only, "for spans, but trees are compared")
        if pred is None:
            raise ValueError(f"{gold}: trees are scored against those of another file; name it")
        outputs = Outputs(output, KINDS, inputs, ("agreement_pages", "AGREEMENT_PAGE_NAMES"))
        from ..tasks.trees import score_tree_files

        scored, agreement = score_tree_files(
            gold_path,
            pred,
            asked,
            reading=how,
            intervals=intervals,
            per_doc=per_doc,
            progress=progress_bar,
        )

        def pages_of_trees(target: Target) -> None:
            write_agreement_pages(agreement(), target)

        writers: dict[str, Writer] = {**TABLES, "html": pages_of_trees, PAGES: pages_of_trees}
        outputs.show(scored, score_report, "score", writers, whole=everything)
        return
    if explain is not None:
        from .explain import explain as explain_scores

        outputs = Outputs(output, "json html", inputs)
        explain_scores(
            gold_path,
            pred,
            explain,
            metrics.requests(),
            outputs,
            reading=with_progress(files.of_files, work),
            draws=draws,
            seed=work.seed,
        )
        return
    outputs = Outputs(output, f"{KINDS} run", inputs, ("quality_pages", "QUALITY_PAGE_NAMES"))
    has_pages = outputs.has("html", PAGES)
    numbers["per_doc"] |= has_pages
    compared: list[CorpusPair] = []
    numbers["keep"] = compared.append if outputs.has(PAGES) else None
    runs = [one for one in outputs.targets if one.kind == "run"]
    if pred is not None and not runs and runs_on_docs(gold_path, pred, files.reading):
        only = {"scheduler": work.scheduler, "skip_bad": files.skip_bad}
        check_unused(only, "for files, but a pipeline is scored")
        result = _score_pipeline(gold_path, pred, files, work, metrics, numbers, has_pages)
    else:
        requests = metrics.requests()
        with work.ready(files.skip_bad) as at_work:
            result = score_files(
                gold_path,
                pred,
                reading=with_progress(files.of_files, work),
                metrics=_with_counts(requests) if has_pages else requests,
                workers=at_work,
                **_run_wanted(runs, at_work),
                **numbers,
            )

    def pages_of_spans(target: Target) -> None:
        from ..reports.quality_pages import write_quality

        write_quality(result, target.path, compared, progress=progress_bar)

    def report_of(result: Result) -> Report:
        added = has_pages and COUNTS not in metrics.requests()
        return score_report(_as_asked(result, per_doc, added))

    writers = {**TABLES, "html": pages_of_spans, PAGES: pages_of_spans, "run": lambda _: None}
    outputs.show(result, report_of, "score", writers, whole=everything)


def _as_asked(result: Result, per_doc: bool, added: bool) -> Result:
    """The result without what pages need beside: scores of documents, `COUNTS` if it was added."""
    layers = [
        {
            **layer,
            "scores": {
                name: score if per_doc else {**score, "per_doc": None, "macro_docs": None}
                for name, score in layer["scores"].items()
                if not (added and name == COUNTS)
            },
        }
        for layer in result["layers"]
    ]
    return {**result, "layers": layers}


def are_several(gold: str, systems: Sequence[str], files: FileOptions) -> bool:
    """Whether a leaderboard is wanted: of several systems, a list, or one that has a name.

    Without systems, of the other columns of a file, if there are several and gold is named.
    """
    if systems:
        first = systems[0]
        return len(systems) > 1 or is_list(first) or parse_source(first).name is not None
    if source_at(gold).layer is None:
        return False
    from ..tasks.rank import other_systems  # which loads more

    try:
        return len(other_systems(gold, files.reading)) > 1
    except FormatError:
        return False


def _run_wanted(runs: Sequence[Target], workers: Workers) -> dict[str, Any]:
    """The arguments of `score_files` for a run that is to be written.

    It has words, unless it is not to have them, or files are counted elsewhere, in parts.
    """
    if not runs:
        return {}
    if len(runs) > 1:
        raise ValueError(f"{runs[1].path}: one run is written at a time")
    return {
        "run": runs[0].path,
        "text": runs[0].keys.get("text", "yes" if workers.is_one else "no") == "yes",
    }


def _with_counts(requests: Mapping[str, Request]) -> dict[str, Request]:
    """The metrics, and GATE's F if none of them counts matching and overlapping spans."""
    if any(one.row.relations for one in requests.values()):
        return {**requests}
    return {**requests, COUNTS: request(COUNTS)}


def _score_pipeline(
    gold: Path,
    model: Path,
    files: _FileOptions,
    work: WorkOptions,
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
        requests = metrics.requests(chance=chance, token_information=information)
        return _with_counts(requests) if counts else requests

    size = files.given.batch_size
    result: Result = score_pipeline(
        str(model),
        gold,
        metrics_of,
        layers=list(files.layer or ()),
        **work.pipeline,
        batch_size=size and int(size),
        **numbers,
        progress=partial(progress_bar, what="Documents"),
        draw_progress=progress_bar,
    )
    return result
