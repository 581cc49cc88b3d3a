"""Commands and options of former versions, and what to do instead: the rows of `gone.json`.

An option may stand behind its command, such as "plan --score". A row counts where no command or
option has its name.
"""

import json
from importlib.resources import files

from .running import complain

GONE: dict[str, dict[str, str]] = json.loads(
    files(__package__).joinpath("gone.json").read_text(encoding="utf-8")
)


def refuse_gone(kind: str, name: str, command: str = "") -> None:
    """End the program with exit code 2 and advice if there was such a thing.

    `kind` is "commands" or "options"; options are those of a `command`.
    """
    advice = GONE[kind].get(f"{command} {name}", GONE[kind].get(name))
    if advice is not None:
        what = f"the command {name}" if kind == "commands" else name
        complain(f"{what} no longer exists: {advice}")
        raise SystemExit(2)
