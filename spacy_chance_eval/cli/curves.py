"""The command `curves`: parse, call one function, print or write."""

from pathlib import Path

from ..about import __version__
from ..formats.outputs import write_atomically
from ..reports.curves import curves_figure, curves_page, curves_text
from ..reports.figure_files import FIGURE_WRITERS
from ..tasks.curves import CURVE_SCORES, read_curves
from .figures import figure_option, figure_targets, write_figures
from .options import check_outputs, make_folder
from .parameters import argument, option
from .running import echo


def curves_command(
    log: list[Path] = argument(..., help="Files that score_logger wrote during training."),
    layer: str | None = option(
        None, help="A layer by the beginning of its scores: ents, spans_sc ... [default: all]"
    ),
    score: str = option("span_f", help=f"Which score: {' or '.join(CURVE_SCORES)}."),
    output: Path | None = option(
        None,
        "--output",
        "-o",
        help="FILE.html: a page with curves and tables; or a file as for --figure.",
    ),
    figure: list[str] = figure_option("the curves"),
) -> None:
    """Show scores over the steps of one or more trainings.

      curves training/scores.jsonl
      curves one/scores.jsonl two/scores.jsonl -o curves.html

    Observed, expected and corrected scores. Reads what the logger spacy-chance-eval.score_logger.v1
    writes, also while the training goes on.
    """
    if output is not None and output.suffix not in (".html", *FIGURE_WRITERS):
        endings = ", ".join((".html", *FIGURE_WRITERS))
        raise ValueError(f"{output}: unknown ending; expected one of {endings}")
    page = output if output is not None and output.suffix == ".html" else None
    alone = [] if page or output is None else [str(output)]
    targets = figure_targets([*alone, *(figure or ())])
    check_outputs(log, [page, *(path for _, path in targets)])
    curves = read_curves(log, layer=layer, score=score)
    echo(curves_text(curves).strip("\n"))
    if page is not None:
        make_folder(page)
        write_atomically(page, curves_page(curves, __version__))
        echo(f"Page: {page}", err=True)
    write_figures(targets, lambda _: curves_figure(curves))
