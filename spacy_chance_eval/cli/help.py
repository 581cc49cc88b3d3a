"""Help on one screen: examples, the options used most, names of the others.

Plain text of the same look with every version of typer, and without rich: a terminal that is read
aloud, a pipe and a log show it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from textwrap import wrap
from typing import Any

WIDTH = 100  # columns at most
HELP_ALL = "--help-all"
OTHERS_PANEL = "Others"  # of options that name none
# headings of options that --help names and --help-all explains, in this order
PANELS = (
    *("Files", "Metrics", "Chance model", "Intervals", "Work"),
    "Output",
    OTHERS_PANEL,
)
# the kinds of values in versions of typer, and their names in help
KINDS = {
    r"<int( range)?>|INTEGER( RANGE)?": "N",
    r"<float( range)?>|FLOAT( RANGE)?": "X",
    r"<path>|PATH|path": "PATH",
    r"<list\[str\]>|<str>|TEXT": "TEXT",
}
PLURAL = re.compile(r"(--[\w-]+), \1s\b")  # of an option that takes several values, too
RANGE = re.compile(r"(; |(?<=\[))(\d+(\.\d+)?<=?)?x[<>]=?\d+(\.\d+)?")


def divided(text: str | None) -> tuple[str, list[str], list[str]]:
    """The first paragraph of a help, its examples, which are indented, and its other paragraphs."""
    first, *more = cleandoc(text or "").split("\n\n")
    examples = [
        line.strip() for part in more if part.startswith("  ") for line in part.splitlines()
    ]
    return first, examples, [part for part in more if not part.startswith("  ")]


def write_text(command: Any, ctx: Any, formatter: Any, everything: bool) -> None:
    """Write the help of a command, with examples, and with all remarks if everything is wanted.

    Examples of a command begin with its name, which the path of its call replaces; those of a group
    with the name of one of its commands.
    """
    summary, examples, remarks = divided(command.help)
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(summary)
    if examples:
        with formatter.section("Examples"):
            for line in examples:
                if line.split()[0] not in getattr(command, "commands", ()):
                    line = line.partition(" ")[2]
                formatter.write(f"  {ctx.command_path} {line}".rstrip() + "\n")
    for remark in remarks if everything else ():
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(remark)


def write_options(command: Any, ctx: Any, formatter: Any, everything: bool) -> None:
    """Write the arguments, the main options, and the names or explanations of the others."""
    params = [param for param in command.get_params(ctx) if not getattr(param, "hidden", False)]
    arguments = [param for param in params if param.param_type_name == "argument"]
    options = {param.name: param for param in params if param.param_type_name == "option"}
    helped = options.pop("help", None)
    names = getattr(command.callback, "main_options", None)
    if names is None:
        names = [name for name, param in options.items() if not panel_of(param)]
    main = [options.pop(name) for name in names]
    named = {name: panel_of(param) or OTHERS_PANEL for name, param in options.items()}
    order = [*PANELS, *named.values()]
    panels = {
        panel: [options[name] for name in named if named[name] == panel]
        for panel in sorted({*named.values()}, key=order.index)
    }
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl([(param.name.upper(), param.help or "") for param in arguments])
    with formatter.section("Options"):
        rows = [_row(param, ctx) for param in main]
        if helped is not None:
            more = ("This page.", f"--help, {HELP_ALL}", "This page; all options, explained.")
            rows.append(more[1:] if panels else ("-h, --help", more[0]))
        formatter.write_dl(rows)
    if everything:
        for panel, own in panels.items():
            with formatter.section(panel):
                formatter.write_dl([_row(param, ctx) for param in own])
    elif panels:
        with formatter.section(f"More options, explained by {HELP_ALL}"):
            width = max(map(len, panels)) + 2
            for panel, own in panels.items():
                names = " ".join(param.opts[0] for param in own)
                lines = wrap(names, formatter.width - width - 4, break_on_hyphens=False)
                for first, line in zip([panel, *[""] * len(lines)], lines):
                    formatter.write(f"  {first:{width}}{line}\n")


def panel_of(param: Any) -> str | None:
    """The panel that an option belongs to."""
    panel: str | None = getattr(param, "rich_help_panel", None)
    return panel


def usage_pieces(params: Iterable[Any]) -> Iterator[str]:
    """The arguments as in the first line of a help: GOLD [PRED]."""
    for param in params:
        if param.param_type_name == "argument":
            name = param.name.upper() + "..." * (param.nargs != 1)
            yield name if param.required else f"[{name}]"


def _row(param: Any, ctx: Any) -> tuple[str, str]:
    """An option without its plural, and its help, the same for all versions of typer."""
    name, text = param.get_help_record(ctx)
    name = PLURAL.sub(r"\1", name)
    for kind, short in KINDS.items():
        name = re.sub(rf"(?<= )({kind})$", short, name)
    text, bracket, extra = text.rpartition("  [") if text.endswith("]") else (text, "", "")
    if not bracket:
        return name, text or extra
    extra = RANGE.sub("", f"[{extra}")
    said = "[default:" in text or extra == "[]" or extra.startswith("[]")
    return name, text if said else f"{text} {extra}"
