"""The command `curves`: parse, call one function, print or write."""

from pathlib import Path

import typer

from ..about import __version__
from ..formats.files import whole_file
from ..report.curves import curves_page, curves_text
from ..tasks.curves import SCORES, read_curves
from .options import make_folder, printer


def svg(curves):
    """The plots as the text of a file; loads matplotlib."""
    from ..report.curves import curves_svg

    return curves_svg(curves).encode()


def png(curves):
    """The plots as the bytes of a picture; loads matplotlib."""
    from ..report.curves import curves_png

    return curves_png(curves)


def html(curves):
    """The page with plots and tables; loads jinja2."""
    return curves_page(curves, __version__).encode()


WRITERS = {".svg": svg, ".png": png, ".html": html}


def curves_command(
    log: list[Path] = typer.Argument(..., help="Files that score_logger wrote during training."),
    layer: str = typer.Option(
        None, help="A layer by the beginning of its scores: ents, spans_sc ... [default: all]"
    ),
    score: str = typer.Option("span_f", help=f"Which score: {' or '.join(SCORES)}."),
    output: Path = typer.Option(
        None, "--output", "-o", help="FILE.html: a page with plots and tables; FILE.svg, FILE.png."
    ),
):
    """Show observed, expected and corrected scores over the steps of one or more trainings.

    Reads what the logger spacy-chance-eval.score_logger.v1 writes, also while the training goes on.
    """
    writer = writer_of(output)
    curves = read_curves(log, layer=layer, score=score)
    typer.echo(curves_text(curves).strip("\n"))
    if writer is not None:
        written = writer(curves)
        make_folder(output)
        with whole_file(output) as file:
            file.write(written)
        printer().good(f"Wrote {output}")


def writer_of(output):
    """What makes the file, by the ending of its name; None if there is none to make."""
    if output is None:
        return None
    if output.suffix not in WRITERS:
        raise ValueError(f"{output}: unknown ending; expected one of {', '.join(WRITERS)}")
    return WRITERS[output.suffix]
