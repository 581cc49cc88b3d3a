"""Notes beside a leaderboard: `notes`."""

import srsly

from ..analysis.correction import correction_facts
from ..formats.errors import FormatError
from ..formats.files import open_text


def board_notes(board: str, template: str) -> str:
    """The text of a template, filled in with the numbers of a leaderboard.

    Raises
    ------
    FormatError
        For a file that is no leaderboard, and for a template that cannot be filled in.
    """
    from ..reports.notes import notes_text  # which loads jinja2

    with open_text(board) as lines:
        text = lines.read()
    try:
        result = srsly.json_loads(text)
        facts = correction_facts(result)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            "no leaderboard; expected JSON as `rank --format json` writes it", board
        ) from error
    return notes_text(template, result, facts)
