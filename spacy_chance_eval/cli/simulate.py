"""The command `simulate`: parse, call one function, print or write."""

from collections.abc import Callable
from pathlib import Path

from ..formats.errors import known
from ..formats.files import check_writable, write_atomically
from ..reports.simulations import simulation_csv, simulation_markdown, simulation_text
from .options import Result, json_text, make_folder, printer
from .parameters import argument, main_options, option
from .running import echo


def _chance() -> Result:
    """The simulations of Li et al. (2024)."""
    from ..tasks.simulate import simulate_chance

    return simulate_chance()


def _svg(result: Result) -> str:
    """The figures as the text of a file; loads matplotlib."""
    from ..reports.simulations import simulation_svg

    return simulation_svg(result)


# by the names that users give
SIMULATIONS: dict[str, Callable[..., Result]] = {"chance": _chance}
WRITERS: dict[str, Callable[[Result], str]] = {
    "text": lambda result: simulation_text(result) + "\n",
    "md": simulation_markdown,
    "csv": simulation_csv,
    "json": lambda result: json_text(result, "simulate") + "\n",
    "svg": _svg,
}


@main_options("only", "to", "output")
def simulate_command(
    what: str = argument("chance", help=f"What to make again: {', '.join(SIMULATIONS)}."),
    only: str | None = option(
        None, help="Some of its tables, with commas, such as table3,figure1. [default: all]"
    ),
    to: str | None = option(
        None, help=f"How to write: {', '.join(WRITERS)}. [default: by the name of the file]"
    ),
    output: str | None = option(
        None, "--output", "-o", help="File to write, such as chance.md; - for standard output."
    ),
) -> None:
    """Make the tables and figures of a paper again, with the printed numbers beside ours.

      simulate chance
      simulate chance --only table3,table9 --to md
      simulate chance --only figure1 -o figure1.svg

    A value that differs from the printed one has a mark, and below the table stands why.
    """
    from ..tasks.simulate import chosen_tables

    known(what, SIMULATIONS, "simulation")
    writer = _writer_name(to, output)
    if output not in (None, "-"):
        check_writable(Path(output))
    keys = [key.strip() for key in (only or "").split(",") if key.strip()]
    result = chosen_tables(SIMULATIONS[what](), keys)
    text = WRITERS[writer](result)
    if output in (None, "-"):
        echo(text.rstrip("\n"))
        return
    make_folder(output)
    write_atomically(output, text)
    printer().good(f"Wrote {output}")


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
