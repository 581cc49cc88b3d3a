"""The command `simulate`: parse, call one function, print or write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..corpora.sources import parse_source
from ..formats.errors import known
from ..formats.outputs import check_writable, whole_file
from ..reports.simulations import simulation_csv, simulation_markdown, simulation_text
from .options import Result, check_outputs, check_unused, json_text, make_folder
from .panel_reading import PanelReading
from .parameters import argument, main_options, option, with_options
from .running import echo, say


def _chance() -> Result:
    """The simulations of Li et al. (2024)."""
    from ..tasks.simulate import simulate_chance

    return simulate_chance()


def _slicm(file: str | None, **settings: Any) -> Result:
    """The tables of Amigó et al. (2025): of the paper, or on a corpus."""
    from ..tasks.simulate_slicm import simulate_slicm, simulate_slicm_on

    return simulate_slicm() if file is None else simulate_slicm_on(file, **settings)


def _svg(result: Result) -> str:
    """The figures as the text of an SVG file."""
    from ..reports.figures import svg_file
    from ..reports.simulations import simulation_figure

    return svg_file(simulation_figure(result))


# by the names that users give
SIMULATIONS: dict[str, Callable[..., Result]] = {"chance": _chance, "slicm": _slicm}
WRITERS: dict[str, Callable[[Result], str]] = {
    "text": lambda result: simulation_text(result) + "\n",
    "md": simulation_markdown,
    "csv": simulation_csv,
    "json": lambda result: json_text(result, "simulate") + "\n",
    "svg": _svg,
}


@with_options(reading=PanelReading)
@main_options("only", "metric", "annotator", "layer", "format", "to", "output")
def simulate_command(
    what: str = argument("chance", help=f"What to make again: {', '.join(SIMULATIONS)}."),
    file: str | None = argument(
        None, help="Of slicm: [NAME=]PATH[#LAYER] of spans, of any format, for its Table 4."
    ),
    only: str | None = option(
        None, help="Some of its tables, with commas, such as table3,figure1. [default: all]"
    ),
    metric: list[str] = option(
        None, "--metric", "-m", help="Of slicm with a file: metrics. [default: those of the paper]"
    ),
    annotator: str | None = option(None, help="Annotator to use, if several are read."),
    to: str | None = option(
        None, help=f"How to write: {', '.join(WRITERS)}. [default: by the name of the file]"
    ),
    output: str | None = option(
        None, "--output", "-o", help="File to write, such as chance.md; - for standard output."
    ),
    *,
    reading: PanelReading,
) -> None:
    """Make a paper's tables and figures again, beside the printed ones.

      simulate chance
      simulate chance --only table3,table9 --to md
      simulate chance --only figure1 -o figure1.svg
      simulate slicm
      simulate slicm gold.conll  # table 4, properties

    A value that differs from the printed one has a mark, and below the table stands why.
    """
    from ..tasks.simulate import chosen_tables

    known(what, SIMULATIONS, "simulation")
    writer = _writer_name(to, output)
    if output not in (None, "-"):
        check_writable(Path(output))
    keys = [key.strip() for key in (only or "").split(",") if key.strip()]
    settings: dict[str, Any] = {}
    if what == "slicm" and file is not None:
        check_outputs([(parse_source(file).path, reading.format), reading.texts], [output])
        settings = {"metrics": metric or (), "annotator": annotator}
        settings |= {"reading": reading.panel_options()}
    else:
        only_files = {"metric": metric, "annotator": annotator, **reading.of_spans()}
        check_unused(only_files, "for files of simulate slicm FILE, but none is read")
        if file is not None:
            raise ValueError(f"simulate {what} reads no file; leave out {file}")
    arguments = (file,) if what == "slicm" else ()
    result = chosen_tables(SIMULATIONS[what](*arguments, **settings), keys)
    written = WRITERS[writer](result)
    if output in (None, "-"):
        echo(written.rstrip("\n"))
        return
    target = Path(str(output))
    make_folder(target)
    with whole_file(target) as opened:
        opened.write(written.encode())
    say(f"Wrote {output}", "good")


def _writer_name(to: str | None, output: str | None) -> str:
    """The format to write: `to`, or by the ending of the file; text for a terminal."""
    if to is not None:
        return known(to, WRITERS, "format")
    if output in (None, "-"):
        return "text" if output is None else "json"
    ending = Path(output).suffix.lstrip(".").replace("txt", "text")
    if ending not in WRITERS:
        raise ValueError(f"{output}: unknown ending; name one of {', '.join(WRITERS)} with --to")
    return ending
