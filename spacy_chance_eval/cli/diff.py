"""The command `diff`: parse, call one function for each thing asked for, print."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from .. import reports
from ..analysis.diff import Diff, diff, json_lines, summary
from ..corpora.pairs import read_pair
from ..formats.outputs import write_atomically
from ..measures.differences import LABEL_DIFFERS, RELATIONS
from ..metrics.request import parse
from ..reports.diff import diff_text
from ..tasks.adjudicate import TAKES, Resolution, n_cut, write_review, write_taken
from ..tasks.convert import TARGETS
from .figures import figure_option, figure_targets, write_figures
from .options import (
    GOLD,
    OUTPUT,
    PRED,
    AnyPath,
    ReadingOptions,
    Result,
    as_path,
    check_outputs,
    inputs_of,
    progress_bar,
    versioned,
    with_progress,
)
from .parameters import main_options, option, with_options
from .running import MisuseError, coloured, echo

SHORT = {"label": RELATIONS[LABEL_DIFFERS]}  # what may be said for a relation


@with_options(reading=ReadingOptions)
@main_options(
    "metric",
    "label",
    "relation",
    "top",
    "layer",
    "html",
    "adjudicate",
    "take",
    "into",
    "output",
)
def diff_command(
    gold: AnyPath = GOLD,
    pred: AnyPath | None = PRED,
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
    top: int = option(10, min=0, help="Documents to print, the worst ones; 0: none."),
    html: AnyPath | None = option(
        None,
        parser=as_path,
        help="Pages to look at: one file if the name ends in .html, else a folder.",
    ),
    adjudicate: AnyPath | None = option(
        None,
        parser=as_path,
        help="Write every document that is shown as a task to review, for Prodigy (JSONL).",
    ),
    take: str | None = option(
        None, help=f"Make a new gold set; of each difference take {', '.join(TAKES)}."
    ),
    into: AnyPath | None = option(
        None, parser=as_path, help="With --take: file of the new gold set, of any format."
    ),
    to: str | None = option(
        None, help=f"With --take: format of it, {', '.join(TARGETS)}. [default: by name, as GOLD]"
    ),
    ents: str | None = option(
        None, help="With --take: layer that becomes the entities of a .spacy file, or none."
    ),
    figure: list[str] = figure_option("the confusion of labels"),
    output: str | None = OUTPUT,
    *,
    reading: ReadingOptions,
) -> None:
    """Which spans differ between gold and a prediction, and how?

      diff gold.conll predicted.conll
      diff systems.tsv --column gold --pred-column sjtu
      diff dev.spacy training/model-best --html pages/
      diff gold.jsonl predicted.jsonl -o diff.json
      diff gold.conll old.conll#rename=PER:Person
      diff gold.jsonl predicted.jsonl --adjudicate tasks.jsonl
      diff gold.spacy model/ --take pred --into new.spacy

    Every gold or predicted span is in one row: a pair that is correct, partial (same label, other
    borders) or whose label differs, or a span that is missing or spurious. The terminal shows
    counts, scores, the confusion of labels, kinds of errors with examples, and the worst documents.

    To settle differences, review them in Prodigy (--adjudicate), or take gold or the prediction
    wherever the filters keep a difference (--take); all else in gold stays unchanged.
    """
    how = with_progress(reading.reading)
    _check_together(take, into, to, ents)
    request = parse(metric or "gate_f")
    if request.metric != "gate_f":
        raise ValueError(f"diff compares spans by gate_f, not by {request.metric}; name that one")
    ignore_labels = request.ignores_labels
    if ignore_labels and (take or adjudicate):
        raise ValueError("--take and --adjudicate keep labels; leave labels=ignore out")
    if take and how.align == "characters":
        raise ValueError("--take keeps the tokens of gold; leave --align characters out")
    targets = figure_targets(figure)
    outputs = [output, html, adjudicate, into, *(path for _, path in targets)]
    check_outputs(inputs_of(gold, pred, reading), outputs)
    differences = diff(
        replace(read_pair(gold, pred, how, reading.own), ignores_labels=ignore_labels),
        labels=label or (),
        relations=[SHORT.get(name, name) for name in relation or ()],
        equal=equal,
        features=request.parameters["features"],
        beta=request.parameters["beta"],
    )
    _show_diff(differences, top, output)
    write_figures(targets, lambda _: reports.confusion_figure(summary(differences)))
    if html:
        from ..reports.diff_pages import write_diff

        write_diff(differences, html, progress=partial(progress_bar, what="Pages"))
        echo(f"To look at: {html}", err=True)
    if adjudicate:
        n_tasks = write_review(differences, adjudicate, progress=progress_bar)
        _say_reviewed(differences, adjudicate, n_tasks)
    if take and into:
        taken, lost = write_taken(
            differences, take, into, to=to, ents=ents, format=reading.reading.format
        )
        _say_taken(into, taken, lost)


def _check_together(take: str | None, into: Path | None, to: str | None, ents: str | None) -> None:
    """Raise if options are given without those that they depend on."""
    if take and not into:
        raise MisuseError("--take needs --into FILE, the new gold set")
    for name, value in {"--into": into, "--to": to, "--ents": ents}.items():
        if value and not take:
            raise MisuseError(f"{name} needs --take: {', '.join(TAKES)}")


def _show_diff(differences: Diff, top: int, output: str | None) -> None:
    """Write the JSON and print the report; to standard error, if JSON takes the output."""
    tables = versioned(summary(differences), "diff")
    if output and output != "-":
        write_atomically(output, _all_lines(differences, tables))
    colour = coloured(sys.stderr if output == "-" else sys.stdout)
    worst = list(differences.documents(differences.order[:top]))
    echo(diff_text(tables, worst, colour=colour).rstrip("\n"), output == "-", colour)
    if output == "-":
        echo(_all_lines(differences, tables))
    elif output:
        echo(f"All of it as JSON: {output}", err=True)


def _all_lines(differences: Diff, tables: Result) -> Iterator[str]:
    """The JSON, made as it is written."""
    documents = progress_bar(differences.documents(), len(differences.order), "Documents")
    return json_lines(tables, documents)


def _say_reviewed(differences: Diff, path: Path, n_tasks: int) -> None:
    """Print how many tasks there are, and why not more."""
    echo(f"Tasks to review: {n_tasks} in {path}", err=True)
    passed = len(differences.order) - n_tasks
    if passed:
        echo(
            f"Passed over: {passed} documents in which a task cannot show a difference (there is "
            "none, or only of spans that fit no tokens, or of features)",
            err=True,
        )
    if cut := n_cut(differences):
        what = "1 span" if cut == 1 else f"{cut} spans"
        why = "that JSON does not have, or with a name of Prodigy"
        echo(f"Left out: features of {what} {why}", err=True)


def _say_taken(path: Path, taken: Resolution, lost: Iterable[str]) -> None:
    """Print how much was taken, and the annotation that the new file cannot hold."""
    echo(
        f"New gold set: {path}; {taken.n_differences} differences in {taken.n_docs} documents: "
        f"{taken.added} spans taken from the prediction, {taken.removed} of gold removed",
        err=True,
    )
    if taken.left:
        echo(f"Left as they were: {taken.left} spans that fit no tokens", err=True)
    for loss in lost:
        echo(f"Left out: {loss}", err=True)
