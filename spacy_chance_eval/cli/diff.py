"""The command `diff`: parse, call one function for each thing asked for, print."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from .. import reports
from ..analysis.diff import check_known, diff, json_lines, summary
from ..corpora.pairs import read_pair
from ..formats.errors import known
from ..measures.differences import RELATIONS, WRONG_LABEL
from ..metrics.request import parse
from ..reports.diff import diff_report
from ..tasks.adjudicate import TAKES, write_review, write_taken
from ..tasks.results import span_diff
from .options import (
    FileOptions,
    WorkOptions,
    inputs_of,
    progress_bar,
    with_progress,
)
from .outputs import PAGES, Outputs, Target, Writer, output_option
from .parameters import argument, option, with_options
from .running import MisuseError, echo, option_values

SHORT = {"label": RELATIONS[WRONG_LABEL]}  # what may be said for a relation


@with_options("metric label relation top layer merge output", files=FileOptions, work=WorkOptions)
def diff_command(
    gold: str = argument(..., help="[NAME=]PATH of gold annotation: any format, .spacy included."),
    pred: str | None = argument(
        None,
        help="[NAME=]PATH of predictions, or a pipeline. Without it: two columns of one file.",
    ),
    metric: str | None = option(
        None,
        "--metric",
        "-m",
        help="How spans are compared, such as 'gate_f(features=all,beta=2)' or "
        "'gate_f(labels=ignore)'.",
    ),
    label: list[str] = option(
        None, "--label", help="Only differences with this label; may be repeated."
    ),
    relation: list[str] = option(
        None, "--relation", help=f"Only {', '.join(RELATIONS)} (or label); may be repeated."
    ),
    equal: bool = option(False, "--all", help="Also documents without a difference."),
    top: int | None = option(
        None, min=0, help="Print all tables and this many of the worst documents."
    ),
    merge: str | None = option(
        None,
        help=f"Make a new gold set, -o FILE; of each difference take {', '.join(TAKES)}.",
    ),
    output: list[str] = output_option(
        "diff", more="with --merge .jsonl, .spacy and .conll get the new gold; "
    ),
    *,
    files: FileOptions,
    work: WorkOptions,
) -> None:
    """Which spans differ between gold and a prediction, and how?

      diff gold.conll predicted.conll
      diff systems.tsv#gold systems.tsv#sjtu
      diff dev.spacy training/model-best -o pages/
      diff gold.jsonl predicted.jsonl -o diff.json
      diff gold.conll old.conll#rename=PER:Person
      diff gold.jsonl predicted.jsonl -o tasks.jsonl
      diff gold.spacy model/ --merge pred -o new.spacy

    Every gold or predicted span is in one row: a pair that is correct, partial (same label, other
    boundaries) or whose label is wrong, or a span that is missing or spurious. The terminal shows
    counts, scores, the confusion of labels, kinds of errors with an example; --top N more of them,
    and the worst documents.

    To settle differences, review them in Prodigy (-o tasks.jsonl), or take gold or the prediction
    wherever the filters keep a difference (--merge); all else in gold stays unchanged.
    """
    how = with_progress(files.reading, work)
    with option_values():
        request = parse(metric or "gate_f")
        known(merge or TAKES[0], TAKES, "choice to take")
        relations = [SHORT.get(name, name) for name in relation or ()]
        check_known(relations, RELATIONS, "relation")
    if request.metric != "gate_f":
        raise MisuseError(f"diff compares spans by gate_f, not by {request.metric}; name that one")
    ignore_labels = request.ignores_labels
    inputs = inputs_of([gold, pred], files)
    sets = "jsonl spacy conll" if merge else "jsonl"
    outputs = Outputs(output, "merge" if merge else "diff", inputs)
    if merge and not outputs.has(*sets.split()):
        raise MisuseError("--merge needs a file for the new gold set: -o new.jsonl")
    if ignore_labels and outputs.has(*sets.split()):
        raise MisuseError("tasks and merged sets keep labels; leave labels=ignore out")
    if merge and how.align == "characters":
        raise MisuseError("--merge keeps the tokens of gold; leave --align characters out")
    differences = diff(
        replace(read_pair(gold, pred, how, people=True), ignores_labels=ignore_labels),
        labels=label or (),
        relations=relations,
        equal=equal,
        features=request.parameters["features"],
        beta=request.parameters["beta"],
    )
    tables = outputs.versioned(summary(differences))

    def pages(target: Target) -> None:
        from ..reports.diff_pages import write_diff

        write_diff(differences, target.path, progress=partial(progress_bar, what="Pages"))

    def tasks(target: Target) -> None:
        n_tasks = write_review(differences, target.path, progress=progress_bar)
        passed = len(differences.order) - n_tasks
        echo(f"Tasks to review: {n_tasks} in {target.path}", err=True)
        if passed:
            echo(
                f"Passed over: {passed} documents in which a task cannot show a difference (there "
                "is none, or only of spans that fit no tokens, or of features)",
                err=True,
            )

    def merged(target: Target) -> None:
        assert merge is not None
        taken, lost = write_taken(differences, merge, target.path, target.keys)
        echo(
            f"New gold set: {target.path}; {taken.n_differences} differences in {taken.n_docs} "
            f"documents: {taken.added} spans taken from the prediction, {taken.removed} of gold "
            "removed",
            err=True,
        )
        if taken.left:
            echo(f"Left as they were: {taken.left} spans that fit no tokens", err=True)
        for loss in lost:
            echo(f"Left out: {loss}", err=True)

    def everything(_: Target) -> Iterable[str]:
        documents = progress_bar(differences.documents(), len(differences.order), "Documents")
        return json_lines(tables, documents)

    worst = list(differences.documents(differences.order[: top or 0]))
    writers: dict[str, Writer] = {"json": everything, "html": pages, PAGES: pages}
    writers |= dict.fromkeys(sets.split(), merged if merge else tasks)
    outputs.show(
        span_diff(differences),
        writers,
        shown=diff_report(tables, worst),
        draw=lambda _: reports.confusion_figure(tables),
        whole=top is not None,
    )
