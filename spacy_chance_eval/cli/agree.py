"""The command `agree`: parse, call one function, print."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import reports
from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source
from ..measures.resampling import INTERVALS
from ..reports.agreement import agreement_text
from ..scoring.intervals import Resampling
from ..tasks.agree import Agreement, agree_files
from .figures import figure_option, figure_targets, write_figures
from .options import (
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
    closeness_files,
    given,
    progress_bar,
    show,
    shows_documents,
    write_pages,
)
from .panel_reading import MetricDefaults, PanelReading
from .parameters import OptionGroup, argument, main_options, option, with_options

if TYPE_CHECKING:
    from ..tasks.replace import Replacement

WRITERS = {"tex": "agreement_tex"}  # formats other than JSON
OF_CANDIDATES = {"csv": "replacement_csv", "tex": "replacement_tex"}
WORST = 10  # documents that are listed


class CandidateOptions(OptionGroup):
    """The test whether a candidate may replace an annotator."""

    candidate: list[str] = option(
        None,
        help="May this model replace an annotator? [NAME=]PATH; may be repeated.",
        panel="Candidate",
    )
    candidate_annotator: list[str] = option(
        None,
        help="The same of an annotator in the files: a name; may be repeated.",
        panel="Candidate",
    )
    epsilon: float | None = option(
        None,
        help="Advantage that a candidate is granted: .2 against experts, .15 skilled annotators, "
        ".1 crowd workers. [default: .2]",
        panel="Candidate",
    )
    min_instances: int | None = option(
        None,
        min=1,
        help="Instances that an annotator needs to be tested. [default: 30]",
        panel="Candidate",
    )
    test: str | None = option(
        None,
        help="t, wilcoxon or auto: t of 30 instances and more. [default: auto]",
        panel="Candidate",
    )
    instances: str | None = option(
        None,
        help="documents, sentences or tokens. [default: documents]",
        panel="Candidate",
    )
    corrected: bool = option(
        False,
        "--corrected",
        help="Correct the score of each document for chance.",
        panel="Candidate",
    )
    reliable: float | None = option(
        None,
        help="Agreement of the annotators, below which there is a warning. [default: .667]",
        panel="Candidate",
    )
    power_samples: int | None = option(
        None,
        min=0,
        help="Samples of each size, from which power is estimated; 0: none. [default: 500]",
        panel="Candidate",
    )

    def settings(self) -> dict[str, bool]:
        """Whether each option was given that does nothing without a candidate, by name."""
        settings = {name: value is not None for name, value in vars(self).items()}
        return (
            settings
            | {"candidate": False, "candidate_annotator": False}
            | {"corrected": self.corrected}
        )


@with_options(
    defaults=MetricDefaults,
    reading=PanelReading,
    trees=TreeOptions,
    workers=WorkerOptions,
    replacing=CandidateOptions,
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
    no_intervals: bool = NO_INTERVALS,
    interval: str = option("percentile", help=f"One of {', '.join(INTERVALS)}.", panel="Intervals"),
    level: float = option(0.95, help="Level of the intervals.", panel="Intervals"),
    blocks: int = BLOCKS,
    pairs: bool = option(
        True,
        "--pairs/--no-pairs",
        help="Also each pair, and each annotator against the others; without, the team alone is "
        "scored, in less time.",
        panel="Output",
    ),
    seed: int = SEED,
    draws: int = DRAWS,
    worst: int = option(
        WORST, min=0, help="Documents to list, those that cost most.", panel="Output"
    ),
    per_doc: bool = option(
        False, "--per-doc", help="All documents in the JSON output.", panel="Output"
    ),
    html: AnyPath | None = option(
        None,
        parser=as_path,
        help="FILE.html: one page; or a folder, which is replaced.",
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
    replacing: CandidateOptions,
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
    --n-process 8 --no-intervals."""
    metrics = tuple(metric or ())
    resamples = 0 if no_intervals else resamples
    intervals = Resampling(resamples, seed, interval, level, blocks=blocks)
    n_named = None if per_doc else worst
    paths = [parse_source(file).path for file in files]
    inputs = [(path, reading.reading.format) for path in paths]
    targets = figure_targets(figure)
    if targets and not pairs:
        raise ValueError("--figure draws the pairs, which --no-pairs leaves out; drop one of them")
    outputs = [output, html, *(path for _, path in targets)]
    models = [*(replacing.candidate or ()), *(replacing.candidate_annotator or ())]
    inputs += [
        (parse_source(one).path, reading.reading.format) for one in replacing.candidate or ()
    ]
    tables = closeness_files(metrics)
    check_outputs([*inputs, *reading.files_beside(), *tables], outputs)
    writers = OF_CANDIDATES if models else WRITERS
    check_ending(output, writers, to)
    check_pages(html)
    if models:
        only = {"html": html, "html_docs": html_docs != MOST, "figure": targets}
        only |= {"per_doc": per_doc, "n_process": n_process > 1, "no_pairs": not pairs}
        only |= {"worst": worst != WORST, "blocks": blocks != BLOCKS.default}
        only |= {"draws": draws != DRAWS.default} | vars(workers) | vars(trees)
        check_unused(only, "for agreement, but a candidate is tested")
        arguments = (intervals, reading, categories, defaults)
        tested = _test_candidates(files, replacing, metrics, *arguments)
        from ..reports.replacement import replacement_text

        show(tested.to_dict(), replacement_text, output, "replace", to, writers)
        return
    check_unused(replacing.settings(), "for candidates, of whom none is named (--candidate)")
    if are_trees(paths, metrics, reading.reading.format):
        only = {"categories": categories, "draws": draws != DRAWS.default}
        only |= {"blocks": blocks != BLOCKS.default, "no_pairs": not pairs}
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
            worst=n_named,
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
                pairs=pairs,
                keep=shows_documents(html),
                worst=n_named,
                intervals=intervals,
            )
    write_pages(agreement, html, html_docs)
    show(agreement.to_dict(), agreement_text, output, "agree", to, writers)
    write_figures(targets, lambda _: reports.pair_figure(agreement.to_dict()))


def _test_candidates(
    files: Sequence[str],
    asked: CandidateOptions,
    metrics: Sequence[str],
    intervals: Resampling,
    reading: PanelReading,
    categories: bool,
    defaults: MetricDefaults,
) -> "Replacement":
    """The test whether candidates may replace an annotator."""
    from ..metrics.request import parse
    from ..scoring.replacement import ACCURACY, ReplacementTest
    from ..tasks.replace import RELIABLE, Question, Sources, replace_files

    if len(metrics) > 1:
        raise ValueError(
            f"{len(metrics)} metrics, but annotations are compared by one; give one -m, or none"
        )
    settings: dict[str, Any] = {"epsilon": asked.epsilon, "min_instances": asked.min_instances}
    settings |= {"test": asked.test, "draws": asked.power_samples, "seed": intervals.seed}
    rules = ReplacementTest(**given(settings))
    sources = Sources(files, asked.candidate or (), asked.candidate_annotator or ())
    metric: Any = next(iter(metrics), None)
    reliable = RELIABLE if asked.reliable is None else asked.reliable
    paths = [parse_source(one).path for one in [*files, *(asked.candidate or ())]]
    if are_trees(paths, () if metric == ACCURACY else metrics, reading.reading.format):
        raise ValueError("these are trees; candidates are tested on spans and categories")
    if metric == ACCURACY or (metric is None and (categories or asked.instances == "tokens")):
        by_labels = "for scores of spans, but annotations are compared by their labels"
        check_unused(vars(defaults), by_labels)
    elif metric or defaults.given():
        metric = parse(metric or "span_f", **defaults.given())
    question = Question(metric, asked.instances, asked.corrected, reliable)
    return replace_files(
        sources,
        question,
        rules,
        **reading.asked(categories),
        intervals=intervals,
        progress=progress_bar,
    )
