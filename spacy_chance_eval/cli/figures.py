"""The option `--figure`: files of figures, checked before anything is computed."""

from collections.abc import Callable, Sequence
from typing import Any

from ..formats.files import suffix_of
from ..formats.outputs import check_writable, whole_file
from .parameters import option
from .running import echo

ENDINGS = (".svg", ".pdf")
Targets = list[tuple[str, str]]  # pairs of a kind of figure and a file


def figure_option(what: str, panel: str = "Output") -> Any:
    """The option of a command, with a help text that describes its figure."""
    text = f"FILE.svg or FILE.pdf, one column wide: {what}; may be repeated."
    return option(None, "--figure", help=text, panel=panel)


def figure_targets(values: Sequence[str] | None, kinds: Sequence[str] = ("",)) -> Targets:
    """Pairs of the kind and the file of each figure; the first kind without a KIND: prefix."""
    targets = []
    for value in values or ():
        kind, colon, path = value.partition(":")
        if colon and kind not in kinds and kind.isalpha() and len(kind) > 1 and len(kinds) > 1:
            expected = ", ".join(kinds)
            raise ValueError(f"--figure {value}: unknown figure {kind!r}; expected {expected}")
        if not colon or kind not in kinds:  # a letter is a drive of Windows
            kind, path = kinds[0], value
        targets.append((kind, path))
    for _, target in targets:
        if suffix_of(target) not in ENDINGS:
            raise ValueError(f"{target}: a figure's file ends in {' or '.join(ENDINGS)}; rename it")
        if suffix_of(target) == ".pdf":
            from ..reports.figures import load_cairo

            load_cairo()
        check_writable(target)
    return targets


def write_figures(targets: Targets, draw: Callable[[str], Any]) -> None:
    """Write the figures that `draw` returns, and print their paths to standard error."""
    if targets:
        from ..reports.figures import pdf_file, svg_file
    for kind, target in targets:
        figure = draw(kind)
        is_pdf = suffix_of(target) == ".pdf"
        content = pdf_file(figure) if is_pdf else svg_file(figure).encode()
        with whole_file(target) as file:
            file.write(content)
        echo(f"Figure: {target}", err=True)
