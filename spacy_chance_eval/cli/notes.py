"""The command `notes`: parse, call one function, print or write."""

from pathlib import Path

from ..formats.outputs import write_atomically
from ..tasks.notes import board_notes
from .options import check_outputs, make_folder
from .parameters import argument, option
from .running import echo, say


def notes_command(
    board: Path = argument(..., help="Leaderboard as JSON, from rank --to json."),
    template: Path = argument(..., help="Jinja template: text with places for numbers."),
    output: str | None = option(
        None, "--output", "-o", help="File to write. [default: standard output]"
    ),
) -> None:
    """Fill in a template with the numbers of a leaderboard.

      notes boards/test.json notes.md -o boards/test-notes.md

    The template sees the leaderboard as `board`, and the changes by the correction as `facts`, by
    metric: ranges of scores, systems and labels that change places, and pairs that differ by the
    tests only before or after it.
    """
    if output is not None:
        check_outputs([(str(board), None), (str(template), None)], [output])
    text = board_notes(str(board), str(template))
    if output is None or output == "-":
        echo(text.rstrip("\n"))
        return
    make_folder(output)
    write_atomically(output, text)
    say(output, "good")
