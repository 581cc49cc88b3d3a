"""The command `agree`: parse, call one function, print."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from .. import reports
from ..corpora.jobs import panel_requests
from ..corpora.panels import PANEL_BY
from ..corpora.sources import are_trees, parse_source
from ..formats.keys import Reading
from ..metrics.request import requests_of
from ..reports.agreement import agreement_report
from ..scoring.evaluation import check_used
from ..tasks.agree import Agreement, agree_files
from .options import (
    CLUSTER,
    METRIC,
    FileOptions,
    IntervalOptions,
    WorkOptions,
    check_unused,
    inputs_of,
    metrics_and_draws,
    progress_bar,
)
from .outputs import MOST, PAGES, Outputs, Writer, output_option, write_agreement_pages
from .parameters import argument, option, with_options
from .running import MisuseError, option_values

WORST = 10  # documents


class PanelOptions(FileOptions):
    """How files of annotators are read, and who the annotators are."""

    layer: list[str] = option(
        None,
        "--layer",
        "-l",
        help="[NAME=]LAYER, such as bob=spans:b; may be repeated.",
        panel="Files",
    )
    annotators: str = option(
        "auto",
        help=f"Who the annotators are: {', '.join(PANEL_BY)}, or the key of rows that names them. "
        "[default: files, or layers of one]",
        panel="Files",
    )

    @property
    def by(self) -> str:
        """What tells annotators apart, where no key does."""
        return self.annotators if self.annotators in PANEL_BY else "auto"

    @property
    def given(self) -> Reading:
        """The keys that were given, with that of the annotators."""
        named = self.annotators not in PANEL_BY
        return super().given | Reading(annotator=self.annotators if named else None)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that were named."""
        return tuple(self.layer or filter(None, [self.reading.layer]))

    def asked(self, categories: bool = False) -> dict[str, Any]:
        """Arguments of functions that read annotators of spans, or of categories."""
        asked = {"by": self.by, "layers": self.layers, "categories": categories}
        return {"reading": self.reading, **asked}


@with_options(
    "metric candidate annotators layer categories resamples format output",
    sampling=IntervalOptions,
    options=PanelOptions,
    work=WorkOptions,
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
    cluster: str = CLUSTER,
    top: int = option(
        None,
        min=0,
        help="Print all tables and this many of the worst documents; pages draw as many "
        f"(default {MOST}).",
        panel="Output",
    ),
    items: str | None = option(
        None,
        help="What coefficients such as kappa rate: token, category, span (marked alike by both), "
        "or any_span (by either; no span is a value of its own). [default: token; category with "
        "--categories]",
        panel="Metrics",
    ),
    output: list[str] = output_option("agree"),
    *,
    sampling: IntervalOptions,
    options: PanelOptions,
    work: WorkOptions,
) -> None:
    """How far do two or more annotators agree, beyond chance?

      agree alice.jsonl bob.jsonl
      agree dataset.jsonl --annotators _session_id -m span_f
      agree corpus.spacy --layer spans:alice --layer spans:bob
      agree alice/ bob/ --read tokenizer=en  # brat or GATE
      agree choices.jsonl --categories
      agree alice.conllu bob.conllu       # trees
      agree humans.jsonl --candidate gpt.jsonl

    On spans, categories or trees. Every pair is compared over the documents that both saw; the mean
    of the pairs is weighted by their number. The team's value is of all annotators at once: for F
    it sums observed and expected matches over all pairs and divides once. Undefined values come
    with a reason. Spans are compared by span_f, token_f and u_alpha, unless -m says otherwise:
    -m alpha_u -m cu_alpha are further alphas of units.

    Treebanks (.conllu, .conllx, brackets such as .mrg) are compared as trees of their sentences,
    and so are .spacy files if a metric of trees is asked for (-m syntax_alpha -m las); the command
    metrics lists them.

    With a candidate, the alternative annotator test: is it as good as at least half of the
    annotators, each compared with it by the agreement with all others? -m names the similarity of
    two documents, such as token_f.

    Large files are read in parts by several processes: "alice/*.jsonl.gz" "bob/*.jsonl.gz"
    --n-process 8 --resamples 0."""
    metrics, draws = metrics_and_draws(metric)
    intervals = sampling.made(work.seed)
    # files have all; the terminal lists the first
    worst = None if output and intervals.resamples else WORST if top is None else top
    models = candidate or []
    inputs = inputs_of([*files, *models], options, metrics)
    outputs = Outputs(output, "replace" if models else "agree", inputs)
    paths = [parse_source(file).path for file in [*files, *models]]
    teamwork: dict[str, Any] = {"metrics": tuple(metrics), "intervals": intervals, "worst": worst}
    defaults = {"items": items} if items else {}
    only: dict[str, Any] = {"scheduler": work.scheduler, "n_process": work.n_process > 1}
    if models:
        only |= {"cluster": cluster != "auto", "top": top is not None}
        check_unused(only, "for agreement, but a candidate is tested")
        from ..scoring.replacement import ReplacementTest
        from ..tasks.replace import replace_files

        one = _similarity(metrics, defaults, categories)
        if are_trees(paths, () if isinstance(one, str) else metrics, options.format):
            raise MisuseError("these are trees; candidates are tested on spans and categories")
        how = {**options.asked(categories), "intervals": intervals, "progress": progress_bar}
        outputs.show(replace_files(files, models, ReplacementTest(one, seed=work.seed), **how))
        return
    of_trees = are_trees(paths, metrics, options.format)
    with option_values():
        if of_trees:
            requests_of(metrics)
        else:
            asked = panel_requests("category" if categories else "token", metrics, **defaults)
            check_used(asked, defaults)
    agreement: Agreement
    if of_trees:
        only |= {"categories": categories, "items": items, "layer": options.layer}
        only |= {"cluster": cluster != "auto"}
        check_unused(only, "for spans, but trees are compared")
        from ..tasks.trees import SEVERAL_FILES, agree_tree_files

        if options.annotators not in ("auto", "file"):
            given = f"--annotators {options.annotators}"
            raise MisuseError(f"{given} is not for trees; {SEVERAL_FILES}")
        options.check_spans()
        reading = options.reading
        agreement = agree_tree_files(files, progress=progress_bar, reading=reading, **teamwork)
    else:
        with work.ready(options.skip_bad) as at_work:
            agreement = agree_files(
                files,
                **options.asked(categories),
                workers=at_work,
                keep=outputs.has(PAGES),
                cluster=cluster,
                defaults=defaults,
                draws=draws,
                seed=work.seed,
                **teamwork,
            )
    pages = partial(write_agreement_pages, agreement, n_docs=MOST if top is None else top)
    result = agreement.to_dict()
    shown = agreement_report(result, WORST if top is None else top)
    writers: dict[str, Writer] = {"html": pages, PAGES: pages}
    draw = lambda _: reports.pair_figure(result)  # noqa: E731
    outputs.show(agreement, writers, shown=shown, draw=draw, whole=top is not None)


def _similarity(metrics: Sequence[str], defaults: dict[str, Any], categories: bool) -> Any:
    """The metric by which the annotation of a candidate is compared; None for the usual one."""
    from ..metrics.request import parse
    from ..scoring.replacement import ACCURACY

    if len(metrics) > 1:
        raise MisuseError(
            f"{len(metrics)} metrics, but annotations are compared by one; give one -m, or none"
        )
    metric = next(iter(metrics), None)
    if metric == ACCURACY or (metric is None and categories):
        by_labels = "for scores of spans, but annotations are compared by their labels"
        check_unused(defaults, by_labels)
    elif metric or defaults:
        with option_values():
            return parse(metric or "span_f", **defaults)
    return metric
