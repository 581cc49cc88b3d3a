"""The command `perturb`: parse, call one function, print or write."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..corpora.jobs import Asked
from ..corpora.sources import are_trees, parse_source
from ..formats.errors import known
from ..formats.outputs import check_writable, whole_file
from ..formats.paths import docbins_at, is_there
from ..measures.perturbation import ERRORS
from ..metrics.catalog import CATALOG
from ..reports.figures import Figure, svg_file
from ..reports.perturbation import (
    noisy_text,
    perturbation_csv,
    perturbation_markdown,
    perturbation_text,
)
from ..tasks.convert import TARGETS, format_to_write
from ..tasks.perturb import RUNS, SENTENCES, SYNTAX_METRICS, perturb_treebank
from ..tasks.span_errors import DOCS, perturb_corpus, write_perturbed
from .figures import figure_option, figure_targets, write_figures
from .options import (
    ALL_FORMATS,
    DRAWS,
    SEED,
    Result,
    TreeOptions,
    check_outputs,
    check_unused,
    json_text,
    make_folder,
    output_formats,
    progress_bar,
)
from .panel_reading import MetricDefaults, PanelReading
from .parameters import argument, main_options, option, with_options
from .running import echo, say

NAME = "perturbation"


def _page(result: Result) -> str:
    """The HTML page; this loads jinja2."""
    from ..reports.perturbation_figures import perturbation_page

    return perturbation_page(result)


def _drawing(result: Result) -> Figure:
    """The figure; loads its module."""
    from ..reports.perturbation_figures import perturbation_figure

    return perturbation_figure(result)


WRITERS: dict[str, Callable[[Any], str]] = {
    "md": perturbation_markdown,
    "csv": perturbation_csv,
    "json": lambda result: json_text(result, "perturb") + "\n",
    "html": _page,
    "svg": lambda result: svg_file(_drawing(result)),
}


class _Reading(PanelReading):
    """How the annotation is read; `--format` has a second name here."""

    format: str | None = option(
        None,
        "--format",
        "--treebank-format",
        help=f"Format: {ALL_FORMATS}. [default: by name]",
        panel="Formats",
    )


@with_options(defaults=MetricDefaults, reading=_Reading, trees=TreeOptions)
@main_options("errors", "metric", "sentences", "runs", "seed", "annotator", "to", "output")
def perturb_command(
    file: str = argument(
        ..., help="[NAME=]PATH[#LAYER]: spans or dependency trees, of any format."
    ),
    errors: str | None = option(
        None,
        help=f"Of spans: {', '.join(ERRORS)}, or some of them. With "
        "probabilities, such as split:.2,drop:.1, one annotation with all. [default: curves of "
        "each]",
    ),
    metric: list[str] = option(
        None,
        "--metric",
        "-m",
        help="A metric, such as 'syntax_alpha(delta=norm)', or all; may be repeated. [default "
        "of trees: syntax_alpha, las, uas]",
    ),
    sentences: int | None = option(
        None,
        "--sentences",
        "--docs",
        min=0,
        help=f"Sentences, of spans documents, to draw; 0: all. [default: {SENTENCES}, {DOCS}]",
    ),
    runs: int = option(RUNS, min=1, help="Runs with each probability of errors."),
    seed: int = SEED,
    draws: int = DRAWS,
    annotator: str | None = option(None, help="Annotator to use, if several are read."),
    output: Path | None = option(
        None,
        "--output",
        "-o",
        help=f"Folder to write to: {NAME}.md, {NAME}.csv ... With probabilities: the file for the "
        "annotation with errors.",
    ),
    to: str | None = option(
        None,
        help=f"Formats to write with --output: {', '.join(WRITERS)}, comma-separated. [default: "
        "all] With probabilities: a format of convert.",
    ),
    figure: list[str] = figure_option("each metric by the share of errors"),
    *,
    defaults: MetricDefaults,
    reading: _Reading,
    trees: TreeOptions,
) -> None:
    """Put random errors into annotation: how do the metrics fall?

      perturb treebank.conllu -o metrics/perturbation
      perturb gold.spacy --sentences 500 --runs 3 -m syntax_alpha
      perturb gold.conll --errors split,merge -m all
      perturb gold.conll --errors split:.2,drop:.1 -o noisy.jsonl

    Relations, heads, or both become random with probability .1, .2 ... 1; so do spans: drop, merge,
    split, shift, truncate, extend, relabel, add. Shows the share
    of errors at which alpha, LAS or F falls to a given value on your annotation.

    Whether trees or spans are meant is told by the content, --format, and the metrics. A .spacy
    file that has both is read as trees, unless --errors, --layer or a metric of spans is given."""
    source = parse_source(_unquoted(file))
    shares, kinds = _parsed_errors(errors)
    formats: list[str] = []
    if not shares:
        reading.format, formats = output_formats(reading.format, to, WRITERS)
    targets = _targets(output, formats, to if shares else None, bool(shares))
    figures = figure_targets(figure)
    inputs = [(source.path, reading.format), reading.texts, reading.typesystem]
    check_outputs(inputs, [*targets.values(), *(path for _, path in figures)])
    for target in targets.values():
        check_writable(target)
    asked = Asked(tuple(metric or ()), defaults.given())
    settings: dict[str, Any] = {"annotator": annotator, "seed": seed}
    curves: dict[str, Any] = {"runs": runs, "progress": partial(progress_bar, what="Random errors")}
    if _holds_trees(source.path, metric or (), reading, errors):
        only = {"errors": errors, "draws": draws != DRAWS.default}
        check_unused(only | vars(defaults) | reading.of_spans(), "for spans, but these are trees")
        result = perturb_treebank(
            _unquoted(file),
            sentences=SENTENCES if sentences is None else sentences,
            reading=reading.tree_options(trees),
            metrics=metric or SYNTAX_METRICS,
            backend=trees.backend or "auto",
            **settings,
            **curves,
        )
    else:
        check_unused(vars(trees), "for trees, but these are spans")
        settings |= {"asked": asked, "reading": reading.panel_options(), "draws": draws}
        if shares:
            unused = {"docs": sentences, "runs": runs != RUNS, "figure": figure}
            check_unused(unused, "for curves, but --errors has probabilities")
            _write_noisy(_unquoted(file), targets, shares, settings)
            return
        result = perturb_corpus(
            _unquoted(file),
            kinds=kinds,
            docs=DOCS if sentences is None else sentences,
            **settings,
            **curves,
        )
    made = {name: WRITERS[name](result) for name in targets}
    echo(perturbation_text(result))
    for name, path in targets.items():
        make_folder(path)
        with whole_file(path) as opened:
            content = made[name]
            opened.write(content.encode())
        say(f"Wrote {path}", "good")
    write_figures(figures, lambda _: _drawing(result))


def _unquoted(text: str) -> str:
    """A path without the quotes that weasel leaves around it on Windows."""
    return text if is_there(text) else text.strip('"')


def _parsed_errors(text: str | None) -> tuple[dict[str, float], Sequence[str]]:
    """The probabilities of the kinds of errors, if there are any, and the kinds.

    Raises
    ------
    ValueError
        For other kinds, one that is repeated, and some with and some without probabilities.
    """
    parts = [one.strip().partition(":") for one in (text or ",".join(ERRORS)).split(",")]
    kinds = [known(kind.strip(), ERRORS, "kind of errors") for kind, _, _ in parts]
    if twice := [kind for kind in ERRORS if kinds.count(kind) > 1]:
        raise ValueError(f"--errors has {twice[0]} more than once; each kind is made once")
    if not any(colon for _, colon, _ in parts):
        return {}, kinds
    shares = {}
    for kind, _, share in parts:
        try:
            shares[kind.strip()] = float(share)
        except ValueError:
            raise ValueError(
                f"--errors has {kind}{share and ':'}{share}; expected a probability of each kind, "
                f"such as {kind}:.1, or of none"
            ) from None
    return shares, kinds


def _targets(
    output: Path | None, formats: list[str], to: str | None, noisy: bool
) -> dict[str, Path]:
    """The files to write by format: reports, or the annotation with errors.

    Raises
    ------
    ValueError
        For unknown formats, and formats without a file.
    """
    if output is None:
        if formats or to:
            where = "FILE" if noisy else "FOLDER"
            raise ValueError(f"--to is about files: say where with --output {where}")
        return {}
    if output == Path("-"):
        what = "file for the annotation" if noisy else "folder, such as curves/"
        raise ValueError(f"--output is -; expected a {what}. The tables are printed in any case")
    if noisy:
        return {known(to or format_to_write(output), TARGETS, "format to write"): output}
    return {name: output / f"{NAME}.{name}" for name in formats or WRITERS}


def _holds_trees(
    path: str, metrics: Sequence[str], reading: PanelReading, errors: str | None
) -> bool:
    """Whether trees are meant, by the content, --format and the metrics."""
    if are_trees([path], metrics, reading.format):
        return True
    of_spans = any(str(one).partition("(")[0].strip() in CATALOG for one in metrics)
    if of_spans or errors or reading.layer or reading.annotator_field or not docbins_at(path):
        return False
    from ..spacy_docs.tree_docs import has_dependencies

    found: bool = has_dependencies(path)
    return found


def _write_noisy(
    file: str, targets: dict[str, Path], shares: dict[str, float], settings: dict[str, Any]
) -> None:
    """Write annotation with errors, if there is a file for it, and print its scores."""
    to, target = next(iter(targets.items()), ("jsonl", None))
    if target is not None:
        make_folder(target)
    result = write_perturbed(
        file, target, shares, to=to, warn=lambda one: say(f"Warning: {one}", "warn"), **settings
    )
    echo(noisy_text(result))
    if target is not None:
        say(f"Wrote {target}", "good")
