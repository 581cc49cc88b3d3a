"""The command `perturb`: parse, call one function, print or write."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..formats import TREEBANKS
from ..formats.blemishes import STOP
from ..formats.files import check_writable, whole_file
from ..measures.trees import BACKENDS
from ..reports.perturbation import perturbation_csv, perturbation_markdown, perturbation_text
from ..reports.plots import NO_PLOTS
from ..tasks.perturb import RUNS, SENTENCES, SYNTAX_METRICS, perturb_treebank
from .options import (
    ON_ERROR,
    SEED,
    AnyPath,
    Result,
    as_path,
    check_outputs,
    json_text,
    make_folder,
    output_formats,
    printer,
    progress_bar,
)
from .parameters import argument, main_options, option
from .running import echo

NAME = "perturbation"


def _svg(result: Result) -> str:
    """The plots as the text of a file; loads matplotlib."""
    from ..reports.perturbation import perturbation_svg

    return perturbation_svg(result)


def _png(result: Result) -> bytes:
    """The plots as the bytes of a picture; loads matplotlib."""
    from ..reports.perturbation import perturbation_png

    return perturbation_png(result)


WRITERS: dict[str, Callable[[Any], str | bytes]] = {
    "md": perturbation_markdown,
    "csv": perturbation_csv,
    "json": lambda result: json_text(result, "perturb") + "\n",
    "svg": _svg,
    "png": _png,
}
PLOTS = ("svg", "png")


@main_options("metric", "sentences", "runs", "seed", "backend", "strip", "format", "to", "output")
def perturb_command(
    treebank: AnyPath = argument(
        ..., parser=as_path, help="Dependency trees: CoNLL-U, CoNLL-X or .spacy."
    ),
    metric: list[str] = option(
        None,
        "--metric",
        "-m",
        help="A metric of dependency trees, such as 'syntax_alpha(delta=norm)'; may be repeated. "
        f"[default: {', '.join(SYNTAX_METRICS)}]",
    ),
    sentences: int = option(
        SENTENCES, min=0, help="How many sentences to draw, if there are more; 0: all."
    ),
    runs: int = option(RUNS, min=1, help="Runs with each probability of errors."),
    seed: int = SEED,
    backend: str = option(
        "auto", help=f"For tree edit distances: {', '.join(BACKENDS)}; results are the same."
    ),
    strip: bool = option(
        False, "--strip-subtypes", help="Leave out subtypes of relations: nsubj:pass is nsubj."
    ),
    format: str | None = option(
        None,
        "--format",
        "--treebank-format",
        help=f"Format of the treebank: {', '.join(TREEBANKS)}. [default: by name]",
    ),
    on_error: str | None = ON_ERROR,
    output: Path | None = option(
        None, "--output", "-o", help=f"Folder to write to: {NAME}.md, {NAME}.csv ..."
    ),
    to: str | None = option(
        None,
        help=f"Write some of {', '.join(WRITERS)}, with commas; with --output. [default: all of "
        "them; svg and png need the extra plots]",
    ),
) -> None:
    """Put random errors into a treebank: how do the metrics fall?

      perturb treebank.conllu -o metrics/perturbation
      perturb gold.spacy --sentences 500 --runs 3 -m syntax_alpha

    Relations, heads, or both become random with probability .1, .2 ... 1. Shows what a value of
    alpha, LAS or UAS means on your trees: at which share of errors it is reached."""
    treebank = _unquoted(treebank)
    format, names = output_formats(format, to, WRITERS)
    chosen = _checked_formats(names, output)
    files = {name: output / f"{NAME}.{name}" for name in chosen} if output else {}
    check_outputs([treebank], files.values())
    for path in files.values():
        check_writable(path)
    result = perturb_treebank(
        treebank,
        sentences=sentences,
        format=format,
        strip=strip,
        on_error=on_error or STOP,
        metrics=metric or SYNTAX_METRICS,
        runs=runs,
        seed=seed,
        backend=backend,
        progress=partial(progress_bar, what="Random errors"),
    )
    made = {name: WRITERS[name](result) for name in chosen}
    echo(perturbation_text(result))
    for name, path in files.items():
        make_folder(path)
        with whole_file(path) as file:
            content = made[name]
            file.write(content.encode() if isinstance(content, str) else content)
        printer().good(f"Wrote {path}")
    if output is not None and not names and not set(PLOTS) & set(chosen):
        printer().warn(f"No plots: {NO_PLOTS}")


def _unquoted(path: Path) -> Path:
    """A path without the quotes that weasel leaves around it on Windows."""
    return path if path.exists() else Path(str(path).strip('"'))


def _checked_formats(names: list[str], output: Path | None) -> list[str]:
    """The formats to write: those asked for, or all of them, if they can be had."""
    if output is None:
        if names:
            raise ValueError("--to is about files: say where with --output FOLDER")
        return []
    drawable = find_spec("matplotlib") is not None
    if not drawable and set(names) & set(PLOTS):
        raise ImportError(NO_PLOTS)
    return names or [name for name in WRITERS if drawable or name not in PLOTS]
