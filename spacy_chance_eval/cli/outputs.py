"""The option `-o`: files and folders of pages to write; their endings say of which kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from .. import reports
from ..formats.files import suffix_of
from ..formats.keys import target_keys
from ..formats.outputs import (
    check_ours,
    check_writable,
    local_path,
    real_path,
    whole_file,
    write_atomically,
)
from .options import InputPath, check_outputs, json_text, progress_bar, versioned
from .parameters import option
from .running import echo

PAGES, FIGURE = "pages", "figure"  # a folder of pages, and .svg or .pdf
FIGURES = (".svg", ".pdf")


class Target(NamedTuple):
    """A file or folder to write."""

    path: Any
    kind: str  # its ending without the dot, or `PAGES`, or `FIGURE`
    keys: Mapping[str, str]  # behind the path: "PATH#key=value,..."
    figure: str = ""  # which figure, if the command draws several


# the text or lines of a target, None if they were written there; or the name of a function in
# `reports`, which makes the text of a result
Writer = Callable[[Target], str | Iterable[str] | None] | str
# functions in `reports` that render a `Report`, by kind
RENDERERS: dict[str, Writer] = {"md": "report_markdown", "tex": "report_tex", "html": "report_page"}


def output_option(kinds: str, more: str = "") -> Any:
    """The option `-o` of a command that writes these kinds, separated by blanks."""
    folder = "; a folder gets pages" if PAGES in kinds.split() else ""
    text = f"File to write, by its ending: {_endings(kinds)}{folder}; - prints the JSON; {more}"
    return option(None, "--output", "-o", help=f"{text}may be repeated.")


def _endings(kinds: str) -> str:
    """The endings of the files of some kinds."""
    files = [f".{kind}" for kind in kinds.split() if kind not in (PAGES, FIGURE)]
    return " ".join([*files, *(FIGURES if FIGURE in kinds.split() else ())])


class Outputs:
    """What a command is to write.

    Parameters
    ----------
    given : list of str, optional
        The values of `-o`.
    kinds : str
        What the command writes, separated by blanks.
    inputs : iterable
        The files that it reads, of which none may be written: see `check_outputs`.
    pages : (str, str)
        The module in `reports`, and its pattern of the names of pages, beside which a folder may
        hold nothing.
    figures : sequence of str
        The names of its figures; the first is drawn where none is named.

    Raises
    ------
    ValueError, FormatError
        For kinds that the command does not write, and for places where nothing can be written.
    """

    def __init__(
        self,
        given: Sequence[str] | None,
        kinds: str,
        inputs: Iterable[InputPath] = (),
        pages: tuple[str, str] = ("", ""),
        figures: Sequence[str] = ("",),
    ) -> None:
        self.prints = "-" in (given or ())
        self.targets = [_target(one, kinds, figures) for one in given or () if one != "-"]
        check_outputs(inputs, [one.path for one in self.targets])
        for one in self.targets:
            if one.kind == PAGES:
                module = import_module(f"..reports.{pages[0]}", __package__)  # which loads jinja2
                check_ours(real_path(one.path), getattr(module, pages[1]))
            elif one.kind == FIGURE:
                if suffix_of(one.path) == ".pdf":
                    from ..reports.figures import load_cairo

                    load_cairo()
                check_writable(one.path)

    def has(self, *kinds: str) -> bool:
        """Whether something of one of these kinds is to be written."""
        return any(one.kind in kinds for one in self.targets)

    def show(
        self,
        result: Any,
        report: Callable[[Any], Any],
        command: str,
        writers: Mapping[str, Writer],
        draw: Callable[[str], Any] | None = None,
        *,
        colour: bool = False,
        whole: bool = True,
    ) -> None:
        """Write all, then print the report, to standard error if the JSON is printed.

        Parameters
        ----------
        result : mapping
        report : callable
            From the result to a `Report`, or to the text to print.
        command : str
            The command that made the result.
        writers : mapping of str to writer
            By kind; JSON, figures, and what a `Report` is rendered to need none.
        draw : callable, optional
            From the name of a figure to the figure.
        colour : bool
            Whether the report has codes of colours.
        whole : bool
            Whether all of a `Report` is printed, or what fits on a screen.
        """

        def everything(_: Target) -> str:
            return json_text(result, command)

        made = report(result)
        of_json = writers.get("json", everything)
        writers = {**RENDERERS, **writers, "json": of_json}
        for one in self.targets:
            writer = writers.get(one.kind, "")
            if one.kind == FIGURE and draw is not None:
                _write_figure(draw(one.figure), one.path)
                continue
            if isinstance(writer, str):
                shown = made if writer in RENDERERS.values() else versioned(result, command)
                text = getattr(reports, writer)(shown)
            else:
                text = writer(one)
            if isinstance(text, str):
                text = text.rstrip("\n") + "\n"
            if text is not None:
                write_atomically(one.path, text)
        text = made if isinstance(made, str) else reports.report_text(made, whole)
        echo(text.rstrip("\n"), self.prints, colour)
        if self.prints:
            assert callable(of_json)
            echo(of_json(Target("-", "json", {})) or "")
        for one in self.targets:
            path = Path(one.path) / "index.html" if one.kind == PAGES else one.path
            echo(f"Written: {path}", err=True)


def _target(text: str, kinds: str, figures: Sequence[str]) -> Target:
    """The target of a value of `-o`."""
    if not text:
        raise ValueError("-o has no name; expected a file, a folder for pages, or -")
    place, mark, figure = text.partition("#figure=")
    if mark and figure not in figures:
        raise ValueError(f"-o {text}: there is no figure {figure!r}; name {' or '.join(figures)}")
    path, keys = target_keys(place, "text")
    ending = suffix_of(path)
    kind = FIGURE if ending in FIGURES else ending[1:] or PAGES
    if kind not in kinds.split():
        folder = ", or a folder for pages" if PAGES in kinds.split() else ""
        raise ValueError(f"-o {text}: this command writes {_endings(kinds)}{folder}")
    return Target(local_path(path), kind, keys, figure or figures[0])


def _write_figure(figure: Any, path: Any) -> None:
    """Write a figure as its ending says."""
    from ..reports.figures import pdf_file, svg_file

    content = pdf_file(figure) if suffix_of(path) == ".pdf" else svg_file(figure).encode()
    with whole_file(path) as file:
        file.write(content)


MOST = 200  # documents or sentences of a pair that pages show


def write_agreement_pages(agreement: Any, target: Target, n_docs: int = MOST) -> None:
    """Write the pages of an `Agreement`, of spans, categories or trees."""
    trees = agreement.to_dict()["positions"] == "tree"
    write = reports.write_tree_agreement if trees else reports.write_agreement
    write(agreement, target.path, n_docs=n_docs, progress=progress_bar)
