"""The command `score`: parse, call one function, print."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..corpora.pairs import CorpusPair, read_pair
from ..corpora.sources import are_trees, is_list, parse_source, parse_systems, source_at
from ..formats import FormatError
from ..formats.keys import Reading
from ..metrics.request import Request, request
from ..reports.scores import score_report
from ..scoring.intervals import Resampling
from ..tasks.score import gold_first, runs_on_docs, score_files
from ..tasks.tabular import FileScores
from .options import (
    CLUSTER,
    FileOptions,
    IntervalOptions,
    MetricOptions,
    WorkOptions,
    check_unused,
    inputs_of,
    metrics_and_draws,
    progress_bar,
    with_progress,
)
from .outputs import PAGES, Outputs, Target, Writer, output_option, write_agreement_pages
from .parameters import WHOLE, argument, option, with_options
from .running import FAILED, MisuseError, complain, option_values

if TYPE_CHECKING:
    from ..spacy_docs.docs import LexemeInformation

WORST = 10  # documents of each system on pages of a board
MENDS = "correct them, or mark what may be missing with `optional: true` in a list of systems"
COUNTS = "gate_f"  # counts matching and overlapping spans, for pages
# options that do not apply to some kinds of comparison, and the reason
UNUSED = {
    "leaderboard": ("per_doc explain categories", "for one system, but several are ranked"),
    "categories": ("explain", "for spans, but categories are compared"),
    "trees": ("layer chance unit explain scheduler", "for spans, but trees are compared"),
    "score": ("", ""),
}


class _FileOptions(FileOptions):
    """How gold and predictions are read, trees included."""

    layer: list[str] = option(  # several, of a pipeline
        None,
        "--layer",
        "-l",
        help="Layer of gold: ents, spans:KEY or a name; of pipelines GOLD=PREDICTED. "
        "[default: the main one, or all]",
        panel="Files",
    )

    @property
    def of_files(self) -> Reading:
        """How files are read, of each of which one layer is scored."""
        if len(self.layer or ()) > 1:
            raise MisuseError(
                f"--layer {' --layer '.join(self.layer)}: of files one layer is scored at a time; "
                "several are for a pipeline that runs on .spacy files"
            )
        return self.reading | Reading(layer=next(iter(self.layer or ()), None))


@with_options(
    "metric subset per_doc explain everything format layer output",
    metrics=MetricOptions,
    intervals=IntervalOptions,
    files=_FileOptions,
    work=WorkOptions,
)
def score_command(
    gold: str = argument(..., help="Gold annotation: files or folders of any format, or trees."),
    system: list[str] = argument(
        None,
        help="[NAME=]PATH[#COLUMN or LAYER] of predictions, or trained pipelines, or a .yml or "
        ".json list of systems. [default: the other columns of gold]",
    ),
    subset: list[str] = option(
        None,
        help="A leaderboard also by length, length:10,20, chance, density, or an attribute; "
        "may be repeated.",
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
    everything: bool = option(False, "--all", help="Print all metrics, labels and subsets."),
    cluster: str = CLUSTER,
    output: list[str] = output_option(
        "score", "leaderboard", more=".svg and .pdf are of several systems; "
    ),
    *,
    metrics: MetricOptions,
    intervals: IntervalOptions,
    files: _FileOptions,
    work: WorkOptions,
) -> None:
    """Score predictions, of files or pipelines, against gold.

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
    at = "leaderboard"
    with option_values():
        parse_source(gold)
        several = bool(subset) or cluster != "auto" or are_several(gold, systems, files)
    if several:
        if are_trees([gold, *(one for one in systems if not is_list(one))], asked, files.format):
            raise MisuseError("trees are scored one system at a time; name gold and one file")
    else:
        gold_path, pred = gold_first(gold, systems[0] if systems else None)
        paths = [one for one in (gold_path, pred) if one is not None]
        trees = not categories and are_trees(paths, asked, files.format)
        at = "categories" if categories else "trees" if trees else "score"
    given: dict[str, Any] = {"per_doc": per_doc, "explain": explain, "categories": categories}
    given |= {"layer": files.layer, "chance": metrics.chance, "unit": metrics.unit}
    names, reason = UNUSED[at]
    check_unused({name: given.get(name, work.scheduler) for name in names.split()}, reason)
    if at == "leaderboard":
        call = _Call(gold, systems, files, metrics, work)
        board = {"subset": tuple(subset or ()), "cluster": cluster, "draws": draws}
        call.show_board(output, board, intervals, everything)
        return
    if pred is None and at != "score":
        raise MisuseError(f"{gold}: {at} are scored against those of another file; name it")
    call = _Call(gold_path, pred, files, metrics, work)
    inputs = inputs_of([gold_path, pred], files, metrics.metric)
    outputs = Outputs(output, at if explain is None else "explain", inputs)
    scoring: dict[str, Any] = {"per_doc": per_doc, "draws": draws, "seed": work.seed}
    scoring |= {"intervals": intervals.made(work.seed)}
    if explain is not None:
        call.show_explained(outputs, explain, draws, everything)
    elif at == "categories":
        from ..tasks.score import score_category_files

        found = score_category_files(
            gold_path, pred, metrics=asked, reading=call.reading, **scoring
        )
        outputs.show(found, whole=everything)
    elif at == "trees":
        files.check_spans()
        from ..tasks.trees import score_tree_files

        found, agreement = score_tree_files(
            gold_path, pred, metrics=asked, reading=call.reading, progress=progress_bar, **scoring
        )
        pages = lambda target: write_agreement_pages(  # noqa: E731
            agreement(), target, scores=found.report()
        )
        outputs.show(found, {"html": pages, PAGES: pages}, whole=everything)
    else:
        call.show_spans(outputs, scoring, everything)


@dataclass(frozen=True)
class _Call:
    """The files and options of one call."""

    gold: Any
    pred: Any
    files: _FileOptions
    metrics: MetricOptions
    work: WorkOptions

    @property
    def reading(self) -> Reading:
        """How files are read, of each of which one layer is scored."""
        return with_progress(self.files.of_files, self.work)

    def show_board(
        self,
        output: Sequence[str] | None,
        settings: dict[str, Any],
        intervals: IntervalOptions,
        everything: bool,
    ) -> None:
        """Rank systems, and print or write the leaderboard: all of it, or a summary.

        It ends with exit code 3 if a system was left out, unless a list says that it is optional.
        """
        from .. import reports  # which loads more, as do the next ones
        from ..scoring.boards import BOARD_METRICS
        from ..scoring.ranking import Comparison
        from ..scoring.subsets import thresholds_of
        from ..tasks.rank import rank_files
        from ..tasks.results import Leaderboard

        every = [self.gold, *filter(is_list, self.pred), *parse_systems(self.pred)]
        inputs = inputs_of(every, self.files, self.metrics.metric)
        outputs = Outputs(output, "leaderboard", inputs)
        settings["metrics"] = self.metrics.requests(BOARD_METRICS)
        settings["intervals"] = intervals.made(self.work.seed, Resampling.resamples)
        settings["comparison"] = Comparison(alpha=intervals.alpha)
        settings["seed"] = self.work.seed
        settings["worst"] = WORST if outputs.has(PAGES) else 0
        with option_values():
            for one in settings["subset"]:
                thresholds_of(one)
        with self.work.ready(self.files.skip_bad) as workers:
            result, corpora = rank_files(
                self.gold, self.pred, reading=self.reading, workers=workers, **settings
            )

        def pages(target: Target) -> None:
            reports.write_board_pages(result, corpora, target.path)

        draw = partial(reports.board_figure, result)
        outputs.show(Leaderboard(result), {PAGES: pages}, draw=draw, whole=everything)
        missing = [str(one["name"]) for one in result["left_out"] if not one["optional"]]
        if missing:
            complain(f"left out: {', '.join(missing)}; {MENDS}")
            raise SystemExit(FAILED)

    def show_explained(self, outputs: Outputs, document: str, draws: int, everything: bool) -> None:
        """Explain the scores of a document, or of the corpus, and how likely they are by chance."""
        from ..analysis.explain import Model, explain_corpus, explain_document, has_model
        from ..measures.chance.expectation import are_disjoint
        from ..reports.explain import explain_report, write_explain_page
        from ..scoring.evaluation import evaluate

        requests = self.metrics.requests()
        compared = read_pair(self.gold, self.pred, self.reading)
        ignored = any(one.ignores_labels for one in requests.values())
        compared = replace(compared, ignores_labels=ignored)
        pair = compared.aligned()
        if not all(map(are_disjoint, pair)):
            requests = {name: one.overlapping or one for name, one in requests.items()}
        model = Model.from_requests(requests.values())
        if document == WHOLE:
            result = explain_corpus(compared, model=model)
            by_model = {name: one for name, one in requests.items() if has_model(one)}
            drawn: dict[str, Any] = {"draws": draws, "seed": self.work.seed}
            scores = evaluate(*pair, by_model, p_values=True, progress=progress_bar, **drawn)
            result["p_values"] = {name: score.p_value for name, score in scores.items()}
            result["draws"] = draws
        else:
            result = explain_document(compared, document, model=model)

        def page(target: Target) -> None:
            write_explain_page(result, compared, target.path)

        outputs.show(result, {"html": page}, shown=explain_report(result), whole=everything)

    def show_spans(self, outputs: Outputs, scoring: Mapping[str, Any], everything: bool) -> None:
        """Score spans; print the scores, and write the outputs that were asked for.

        Pages show documents and numbers of spans by GATE's relations, whether or not these were
        asked for.
        """
        has_pages = outputs.has("html", PAGES)
        kept: list[CorpusPair] = []
        more = {**scoring, "keep": kept.append if outputs.has(PAGES) else None}
        more["per_doc"] |= has_pages
        runs = [one for one in outputs.targets if one.kind == "run"]
        if len(runs) > 1:
            raise MisuseError(f"-o {runs[1].path}: one run is written at a time")
        on_docs = self.pred is not None and not runs
        if on_docs and runs_on_docs(self.gold, self.pred, self.files.reading):
            only = {"scheduler": self.work.scheduler, "skip_bad": self.files.skip_bad}
            check_unused(only, "for files, but a pipeline is scored")
            found = self._scored_pipeline(has_pages, more)
        else:
            with self.work.ready(self.files.skip_bad) as workers:
                if runs:  # with words, unless files are counted elsewhere, in parts
                    text = runs[0].keys.get("text", "yes" if workers.is_one else "no") == "yes"
                    more |= {"run": runs[0].path, "text": text}
                requests = self.metrics.requests()
                found = score_files(
                    self.gold,
                    self.pred,
                    reading=self.reading,
                    metrics=_with_counts(requests) if has_pages else requests,
                    workers=workers,
                    **more,
                )

        def pages(target: Target) -> None:
            from ..reports.quality_pages import write_quality

            write_quality(found, target.path, kept, progress=progress_bar)

        added = has_pages and COUNTS not in self.metrics.requests()
        shown = score_report(_as_asked(found, scoring["per_doc"], added))
        writers: dict[str, Writer] = {"html": pages, PAGES: pages, "run": lambda _: None}
        outputs.show(found, writers, shown=shown, whole=everything)

    def _scored_pipeline(self, counts: bool, scoring: Mapping[str, Any]) -> FileScores:
        """Scores of a pipeline on Docs, in all layers or in the requested ones.

        With `counts`, one of the metrics counts spans by the relations of GATE.
        """
        from ..tasks.pipeline import score_pipeline  # which loads spaCy

        def metrics_of(
            chance: str, lexeme_information: Callable[[], "LexemeInformation"]
        ) -> dict[str, Request]:
            by_words = any("lexeme_prob" in one for one in self.metrics.metric or ())
            information = lexeme_information() if by_words else None
            requests = self.metrics.requests(chance=chance, token_information=information)
            return _with_counts(requests) if counts else requests

        size = self.files.given.batch_size
        return score_pipeline(
            str(self.pred),
            self.gold,
            metrics_of,
            layers=list(self.files.layer or ()),
            **self.work.pipeline,
            batch_size=size and int(size),
            progress=progress_bar,
            **scoring,
        )


def _as_asked(result: FileScores, per_doc: bool, added: bool) -> Mapping[str, Any]:
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
    from ..tasks.systems import other_systems  # which loads more

    try:
        return len(other_systems(gold, files.reading)) > 1
    except FormatError:
        return False


def _with_counts(requests: Mapping[str, Request]) -> dict[str, Request]:
    """The metrics, and GATE's F if none of them counts matching and overlapping spans."""
    if any(one.row.relations for one in requests.values()):
        return {**requests}
    return {**requests, COUNTS: request(COUNTS)}
