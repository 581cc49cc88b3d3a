"""The command `rank`: parse, call one function, print or write."""

import os
from collections.abc import Iterable, Sequence
from functools import partial

from .. import reports
from ..corpora.sources import is_list, parse_source, parse_systems
from ..formats import READERS
from ..formats.files import suffix_of
from ..formats.outputs import write_atomically
from ..metrics.request import Request
from ..reports.leaderboard import leaderboard_csv, leaderboard_markdown, leaderboard_text
from ..scoring.boards import BOARD_METRICS
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..scoring.subsets import BINNED
from ..tasks.rank import RankOptions, rank_files
from .figures import Targets, figure_option, figure_targets, write_figures
from .options import (
    CHANCE,
    DRAWS,
    LEVEL,
    METRIC,
    SEED,
    UNIT,
    InputPath,
    ReadingOptions,
    Result,
    WorkerOptions,
    check_outputs,
    closeness_files,
    json_text,
    output_formats,
    rest,
)
from .parameters import argument, main_options, option, with_options
from .running import echo, say


def _page(result: Result) -> str:
    """The board as a web page; jinja2 is loaded only when one is asked for."""
    from ..reports.html import leaderboard_page

    return leaderboard_page(result)


LEFT_OUT = 3  # exit code of a board that lacks a system
FIGURES = ("intervals", "ranks")  # the first if none is named


def _tables(result: Result) -> str:
    """The board as LaTeX tables; their module is loaded on demand."""
    from ..reports.latex import leaderboard_tex

    return leaderboard_tex(result)


WRITERS = {
    "md": leaderboard_markdown,
    "csv": leaderboard_csv,
    "json": lambda result: json_text(result, "rank") + "\n",
    "html": _page,
    "tex": _tables,
}


@with_options(reading=ReadingOptions, workers=WorkerOptions)
@main_options(
    "metric",
    "subset",
    "format",
    "column",
    "errors",
    "to",
    "output",
)
def rank_command(
    gold: str = argument(..., help="Gold annotation: PATH, or PATH#COLUMN (or #LAYER)."),
    system: list[str] = argument(
        None,
        help="[NAME=]PATH[#COLUMN or LAYER] of files or a trained pipeline, or a .yml or .json "
        "list of systems. [default: the other columns of gold]",
    ),
    metric: list[str] = METRIC,
    chance: str | None = CHANCE,
    unit: str | None = UNIT,
    subset: list[str] = option(
        None,
        help=f"Also by: {', '.join(BINNED)}, or an attribute of documents; may be repeated. With "
        "thresholds: chance:.175, length:10,20.",
    ),
    cluster: str = option(
        "auto",
        help="Unit to resample: none (documents), an attribute of documents, or auto: the article "
        "where sentences are documents of articles.",
        panel="Intervals",
    ),
    resamples: int = option(
        10_000, min=0, help="For intervals and tests; 0: neither.", panel="Intervals"
    ),
    seed: int = SEED,
    level: float = LEVEL,
    draws: int = DRAWS,
    errors: int = option(
        0, min=0, help="Also pages of the documents that cost each system most; needs --output."
    ),
    output: str | None = option(
        None, "--output", "-o", help="Where: PREFIX.md, PREFIX.csv ..., or FILE.tex."
    ),
    to: str | None = option(
        None,
        help=f"Formats to write: {', '.join(WRITERS)}. [default: all of them with --output, else a "
        "table]",
    ),
    figure: list[str] = figure_option(
        "the first metric with its intervals, or its ranks as ranks:FILE",
        panel="Others",  # a panel of its own would be one line too much
    ),
    *,
    reading: ReadingOptions,
    workers: WorkerOptions,
) -> None:
    """Rank many systems, before and after the correction for chance.

      rank gold.conll bert.conll CRF=old/crf.conll -o boards/test
      rank gold.conll bert.conll --subset length --subset chance
      rank shared_task.tsv#gold --to csv  # all columns of a file
      rank test.spacy training/model-best systems.yml -m span_f

    On one gold standard. Every score has a bootstrap interval, every pair of systems a test;
    systems that share a letter do not differ significantly. Spans on other tokens go over to those
    of gold; a system with another text is left out, and the board says where it differs."""
    with workers.ready(reading.n_process) as at_work:
        targets = figure_targets(figure, FIGURES)
        format, names = output_formats(reading.format, to, WRITERS, _read_too(gold))
        vars(reading)["format"] = format
        output, names = _prefix_of(output, names)
        chosen = _checked_formats(names, output, errors)
        if output is not None or targets:
            inputs = _inputs_of(gold, system or (), format, reading.pred_format or format)
            written = _files_of(output, chosen).values() if output is not None else ()
            inputs += [*reading.files_beside(), *closeness_files(metric)]
            check_outputs(inputs, [*written, *(path for _, path in targets)])
        requests = default_requests(
            metric or BOARD_METRICS,
            chance=chance,
            unit=unit,
        )
        _check_ranks(targets, requests.values())
        how = RankOptions(
            requests,
            cluster,
            tuple(subset or ()),
            Resampling(resamples, seed, level=level),
            Comparison(alpha=rest(level)),
            errors,
            draws,
        )
        result, corpora = rank_files(
            gold,
            system or (),
            how=how,
            reading=reading.reading,
            own=reading.own,
            workers=at_work,
        )
        if errors and output:
            from ..reports.diff_pages import write_error_pages

            write_error_pages(result, corpora, output, back="html" in chosen)
        _show(result, output, chosen)
        write_figures(targets, partial(reports.board_figure, result))
        if result["left_out"]:
            raise SystemExit(LEFT_OUT)


def _read_too(gold: str) -> list[str]:
    """The formats to write that `--format` means as that of gold."""
    suffix = suffix_of(parse_source(gold).path)
    told = next((name for name, row in READERS.items() if suffix in row.suffixes), "")
    return ["csv"] if suffix and told in ("", "csv") else []


def _prefix_of(output: str | None, names: list[str]) -> tuple[str | None, list[str]]:
    """The output without the ending of a format, and the formats to write."""
    prefix, ending = os.path.splitext(output or "")
    if ending[1:] in WRITERS and os.path.basename(prefix):
        return prefix, names or [ending[1:]]
    return output, names


def _check_ranks(targets: Targets, requests: Iterable[Request]) -> None:
    """Raise if ranks are requested, but the first metric is not corrected for chance."""
    first = next(iter(requests))
    drawn = any(kind == "ranks" for kind, _ in targets)
    if drawn and first.placement == "none" and not first.row.parts:
        raise ValueError(
            f"--figure ranks: {first.metric} is not corrected for chance, so its ranks do not "
            "change; draw intervals, or put another metric first with --metric"
        )


def _checked_formats(names: list[str], output: str | None, errors: int) -> list[str]:
    """The formats to write: those asked for, if they can be had, or all of them into files."""
    if output is None and len(names) > 1:
        raise ValueError("several formats need --output PREFIX; one goes to standard output")
    if output == "-":
        raise ValueError(
            "--output is -; expected a prefix such as boards/test. Without --output, --to json "
            "prints the JSON"
        )
    if output is not None and os.path.basename(output) in ("", ".", ".."):
        raise ValueError(f"--output is {output}, a folder; expected a prefix such as boards/test")
    if output is None and errors:
        raise ValueError("--errors writes pages: say where with --output PREFIX")
    return names or (list(WRITERS) if output else [])


def _inputs_of(
    gold: str, systems: Sequence[str], gold_format: str | None, pred_format: str | None
) -> list[InputPath]:
    """The files that are read, for `check_outputs`: gold, systems, and lists of these."""
    inputs: list[InputPath] = [
        (parse_source(gold).path, gold_format),
        *filter(is_list, systems),
    ]
    for system in parse_systems(systems):
        inputs.append((system.path, system.reading.format or pred_format))
    return inputs


def _files_of(output: str, chosen: Sequence[str]) -> dict[str, str]:
    """{format: file} of the outputs."""
    return {name: f"{output}.{name}" for name in chosen}


def _show(result: Result, output: str | None, chosen: Sequence[str]) -> None:
    """Print the one format, or write all of them and print the tables."""
    if output is None:
        text = WRITERS[chosen[0]](result) if chosen else leaderboard_text(result)
        echo(text.rstrip("\n"))
        return
    texts = {name: WRITERS[name](result) for name in chosen}
    files = _files_of(output, chosen)
    for name, path in files.items():
        write_atomically(path, texts[name])
    echo(leaderboard_text(result))
    for path in files.values():
        say(path, "good")
