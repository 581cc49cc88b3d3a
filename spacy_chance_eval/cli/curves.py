"""The command `curves`: parse, call one function, print or write."""

from collections.abc import Callable
from pathlib import Path

from ..about import __version__
from ..formats.files import whole_file
from ..reports.curves import curves_page, curves_text
from ..tasks.curves import CURVE_SCORES, read_curves
from .options import Result, make_folder, printer
from .parameters import argument, option
from .running import echo


def _svg(curves: Result) -> bytes:
    """The plots as the text of a file; loads matplotlib."""
    from ..reports.curves import curves_svg

    return curves_svg(curves).encode()


def _png(curves: Result) -> bytes:
    """The plots as the bytes of a picture; loads matplotlib."""
    from ..reports.curves import curves_png

    return curves_png(curves)


def _html(curves: Result) -> bytes:
    """The page with plots and tables; loads jinja2."""
    return curves_page(curves, __version__).encode()


WRITERS = {".svg": _svg, ".png": _png, ".html": _html}


def curves_command(
    log: list[Path] = argument(..., help="Files that score_logger wrote during training."),
    layer: str | None = option(
        None, help="A layer by the beginning of its scores: ents, spans_sc ... [default: all]"
    ),
    score: str = option("span_f", help=f"Which score: {' or '.join(CURVE_SCORES)}."),
    output: Path | None = option(
        None, "--output", "-o", help="FILE.html: a page with plots and tables; FILE.svg, FILE.png."
    ),
) -> None:
    """Show scores over the steps of one or more trainings.

      curves training/scores.jsonl
      curves one/scores.jsonl two/scores.jsonl -o curves.html

    Observed, expected and corrected scores. Reads what the logger spacy-chance-eval.score_logger.v1
    writes, also while the training goes on.
    """
    writer = _writer_of(output)
    curves = read_curves(log, layer=layer, score=score)
    echo(curves_text(curves).strip("\n"))
    if output is not None and writer is not None:
        written = writer(curves)
        make_folder(output)
        with whole_file(output) as file:
            file.write(written)
        printer().good(f"Wrote {output}")


def _writer_of(output: Path | None) -> Callable[[Result], bytes] | None:
    """The function that makes the file, by the ending of its name; None without a file."""
    if output is None:
        return None
    if output.suffix not in WRITERS:
        raise ValueError(f"{output}: unknown ending; expected one of {', '.join(WRITERS)}")
    return WRITERS[output.suffix]
