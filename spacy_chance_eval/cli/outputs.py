"""The option `-o`: files and folders of pages to write; their endings say of which kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from .. import reports
from ..about import __version__
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
from ..measures.messages import harmless_json
from ..reports.report import Report, report_markdown, report_page, report_text, write_page
from .options import InputPath, check_outputs, progress_bar
from .parameters import option
from .running import MisuseError, echo

PAGES, FIGURE = "pages", "figure"  # a folder of pages, and .svg or .pdf
FIGURES = (".svg", ".pdf")
TABLE = "json csv md tex"  # what every result with rows is written as


class Mode(NamedTuple):
    """The outputs of one kind of comparison."""

    schema: str  # of its JSON, in docs/schemas
    kinds: str  # endings, `PAGES` and `FIGURE`, separated by blanks
    # the module in `reports`, and its pattern of the names of pages, beside which a folder may hold
    # nothing
    pages: tuple[str, str] = ("report", "PAGE_NAMES")
    figures: tuple[str, ...] = ("",)  # the first is drawn where none is named


_AGREEMENT = "agreement_pages", "AGREEMENT_PAGE_NAMES"
_DIFF = "diff_pages", "DIFF_PAGE_NAMES"
MODES = {
    "score": Mode("score", f"{TABLE} html run {PAGES}", ("quality_pages", "QUALITY_PAGE_NAMES")),
    "categories": Mode("score", f"{TABLE} html"),
    "trees": Mode("score", f"{TABLE} html {PAGES}", _AGREEMENT),
    "explain": Mode("", "json md tex html"),
    "leaderboard": Mode(
        "leaderboard",
        f"{TABLE} html {FIGURE} {PAGES}",
        ("diff_pages", "ERROR_PAGE_NAMES"),
        ("intervals", "ranks"),
    ),
    "agree": Mode("agree", f"{TABLE} html {FIGURE} {PAGES}", _AGREEMENT),
    "replace": Mode("replace", TABLE),
    "diff": Mode("diff", f"{TABLE} html {FIGURE} jsonl {PAGES}", _DIFF),
    "merge": Mode("diff", f"{TABLE} html {FIGURE} jsonl spacy conll {PAGES}", _DIFF),
    "compare": Mode("compare", f"{TABLE} html {FIGURE} {PAGES}"),
    "plan": Mode("plan", TABLE),
}


class Target(NamedTuple):
    """A file or folder to write."""

    path: Any
    kind: str  # its ending without the dot, or `PAGES`, or `FIGURE`
    keys: Mapping[str, str]  # behind the path: "PATH#key=value,..."
    figure: str = ""  # which figure, if the command draws several


# the text or lines of a target; None if they were written there
Writer = Callable[[Target], str | Iterable[str] | None]


def output_option(*modes: str, more: str = "") -> Any:
    """The option `-o` of a command with these modes."""
    kinds = " ".join(dict.fromkeys(" ".join(MODES[one].kinds for one in modes).split()))
    folder = "; a folder gets pages" if PAGES in kinds.split() else ""
    text = f"File to write, by its ending: {_endings(kinds)}{folder}; - prints the JSON; {more}"
    return option(None, "--output", "-o", help=f"{text}may be repeated.")


def _endings(kinds: str) -> str:
    """The endings of the files of some kinds."""
    files = [f".{kind}" for kind in kinds.split() if kind not in (PAGES, FIGURE)]
    return " ".join([*files, *(FIGURES if FIGURE in kinds.split() else ())])


class Outputs:
    """The outputs that a call asks for.

    Parameters
    ----------
    given : list of str, optional
        The values of `-o`.
    mode : str
        One of `MODES`.
    inputs : iterable
        The files that it reads, of which none may be written: see `check_outputs`.

    Raises
    ------
    MisuseError, ValueError, FormatError
        For kinds that the command does not write, and for places where nothing can be written.
    """

    def __init__(
        self, given: Sequence[str] | None, mode: str, inputs: Iterable[InputPath] = ()
    ) -> None:
        self.mode = MODES[mode]
        self.prints = "-" in (given or ())
        self.targets = [_target(one, self.mode) for one in given or () if one != "-"]
        check_outputs(inputs, [one.path for one in self.targets])
        module, names = self.mode.pages
        for one in self.targets:
            if one.kind == PAGES:
                pages = import_module(f"..reports.{module}", __package__)  # which loads jinja2
                check_ours(real_path(one.path), getattr(pages, names))
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
        writers: Mapping[str, Writer] | None = None,
        *,
        shown: Report | None = None,
        draw: Callable[[str], Any] | None = None,
        whole: bool = True,
    ) -> None:
        """Write all, then print the report, to standard error if the JSON is printed.

        Parameters
        ----------
        result : Tabular, or mapping
            Of a mapping nothing but JSON is written without a writer.
        writers : mapping of str to writer
            By kind, where one differs from the rest.
        shown : Report, optional
            The report to print and render as Markdown, LaTeX and a page; by default the result's.
        draw : callable, optional
            From the name of a figure to the figure.
        whole : bool
            Whether all of it is printed, or what fits on a screen.
        """
        report = result.report() if shown is None else shown
        usual: dict[str, Writer] = {
            "json": lambda _: self._json(result),
            "csv": lambda _: result.to_csv(),
            "md": lambda target: report_markdown(_titled(report, target)),
            "tex": lambda target: reports.report_tex(_titled(report, target)),
            "html": lambda _: report_page(report),
            PAGES: lambda target: write_page(report, target.path),
        }
        if draw is not None:
            usual[FIGURE] = lambda target: _write_figure(draw(target.figure), target.path)
        usual |= writers or {}
        for one in self.targets:
            text = usual[one.kind](one)
            if text is not None:
                text = text.rstrip("\n") + "\n" if isinstance(text, str) else text
                write_atomically(one.path, text)
        echo(report_text(report, whole).rstrip("\n"), self.prints)
        if self.prints:
            echo(usual["json"](Target("-", "json", {})) or "")
        for one in self.targets:
            path = Path(one.path) / "index.html" if one.kind == PAGES else one.path
            echo(f"Written: {path}", err=True)

    def versioned(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Plain values behind the version of the package, and of their schema if they have one.

        A new version of a schema is a new file: keys are only added to it.
        """
        schema = {"schema": f"{self.mode.schema}.v1"} if self.mode.schema else {}
        return {"version": __version__, **schema, **result}

    def _json(self, result: Any) -> str:
        """A result as JSON, its numbers in full."""
        import json

        whole = self.versioned(result if type(result) is dict else result.to_dict())
        return harmless_json(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))


def _target(text: str, mode: Mode) -> Target:
    """The target of a value of `-o`."""
    if not text:
        raise MisuseError("-o has no name; expected a file, a folder for pages, or -")
    try:
        path, keys = target_keys(text, "text", "figure", "title")
    except ValueError as error:
        raise MisuseError(f"-o {error}") from error
    figure = keys.get("figure", mode.figures[0])
    if figure not in mode.figures:
        names = " or ".join(mode.figures)
        raise MisuseError(f"-o {text}: there is no figure {figure!r}; name {names}")
    ending = suffix_of(path)
    kind = FIGURE if ending in FIGURES else ending[1:] or PAGES
    if kind not in mode.kinds.split():
        folder = ", or a folder for pages" if PAGES in mode.kinds.split() else ""
        raise MisuseError(f"-o {text}: this command writes {_endings(mode.kinds)}{folder}")
    if "title" in keys and kind not in ("md", "tex"):
        raise MisuseError(f"-o {text}: tables have a title, in .md and .tex")
    return Target(local_path(path), kind, keys, figure)


def _titled(report: Report, target: Target) -> Report:
    """The report under the title that a target names, if it does."""
    return replace(report, title=target.keys.get("title", report.title))


def _write_figure(figure: Any, path: Any) -> None:
    """Write a figure in the format of the ending."""
    from ..reports.figures import pdf_file, svg_file

    content = pdf_file(figure) if suffix_of(path) == ".pdf" else svg_file(figure).encode()
    with whole_file(path) as file:
        file.write(content)


MOST = 200  # documents or sentences of a pair that pages show


def write_agreement_pages(agreement: Any, target: Target, n_docs: int = MOST, **more: Any) -> None:
    """Write the pages of an `Agreement`, of spans, categories or trees."""
    trees = agreement.to_dict()["positions"] == "tree"
    write = reports.write_tree_agreement if trees else reports.write_agreement
    write(agreement, target.path, n_docs=n_docs, progress=progress_bar, **more)
