"""Notes beside a leaderboard: `notes`."""

from typing import Any

from ..analysis.correction import correction_facts
from ..formats.errors import FormatError
from ..formats.files import open_text
from ..formats.json_text import NotJSONError, parsed_json, reject_constant

# what notes need of a leaderboard: keys of objects (with ? those that may be missing), kinds of
# entries, alternatives
_SCORE = ({"score": (int, float, None)}, None)
_TEST = ({"p_holm?": (int, float, None), "decided?": (bool, None)}, None)
_BOARD = {
    "metric": str,
    "label": (str, None),
    "subset": ({"by": str, "value": str}, None),
    "n_docs": int,
    "n_gold": int,
    "rows": [
        {"system": str, "expected": (int, float, None), "observed": _SCORE, "corrected": _SCORE}
    ],
    "pairs": [{"first": str, "second": str, "observed?": _TEST, "corrected?": _TEST}],
}
_LEADERBOARD = {"resampling": {"alpha": (int, float)}, "boards": [_BOARD]}


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
    expected = "expected JSON as `rank -o PREFIX` writes it"
    try:
        result = parsed_json(text, parse_constant=reject_constant)
    except NotJSONError as error:
        raise FormatError(f"no leaderboard; {expected} ({error.reason})", board) from error
    if not _fits(result, _LEADERBOARD):
        raise FormatError(f"no leaderboard; {expected}", board)
    return notes_text(template, result, correction_facts(result))


def _fits(value: Any, shape: Any) -> bool:
    """Whether a JSON value has the keys and kinds of values of a shape, and perhaps others."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        rows = ((key.rstrip("?"), key, one) for key, one in shape.items())
        return all(
            _fits(value[name], one) if name in value else key != name for name, key, one in rows
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(one, shape[0]) for one in value)
    if isinstance(shape, tuple):
        return any(_fits(value, one) for one in shape)
    return value is None if shape is None else type(value) is shape
