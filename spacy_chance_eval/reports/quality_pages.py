"""The scores of predicted spans as pages: by label and by document, with pages of the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.diff import Diff, diff
from ..corpora.pairs import CorpusPair
from ..formats.outputs import local_path, replaced_folder, write_atomically
from .diff_pages import INDEX, document_addresses, write_diff
from .report import report_page
from .scores import main_metric, score_report
from .words import Result

# files of a folder of these pages
QUALITY_PAGE_NAMES = r"index\.html|differences-[0-9]+/(index|page-[0-9]{4,})\.html"
ROWS = 1000  # documents of one table


def write_quality(
    result: Result,
    path: str | Path,
    compared: Sequence[CorpusPair] = (),
    *,
    progress: Callable[..., Iterable[Any]] | None = None,
) -> None:
    """Write the quality of predicted spans as a folder of pages, or as one self-contained page.

    Parameters
    ----------
    result : dict
        Scores of spans by document, as `score` computes them.
    path : str or Path
        A folder: `index.html` with tables by label and by document, of which the worst 1,000, and
        the pages of `write_diff` for each layer. It takes the place of a folder of such pages. If
        it ends in .html: the index alone.
    compared : sequence of CorpusPair
        The documents of each layer; of one page only their names are used.
    progress : callable, optional
        progress(steps, what=) wraps pages; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    """
    target = local_path(path)
    if target.suffix.lower() == ".html":
        write_atomically(target, report_page(score_report(result, ROWS)))
        return
    differences = [diff(one) for one in compared]
    with replaced_folder(target, QUALITY_PAGE_NAMES) as folder:
        for number, one in enumerate(differences, 1):
            write_diff(
                one,
                folder / f"differences-{number}",
                back=(f"../{INDEX}", "All scores"),
                progress=partial(progress, what="Pages") if progress else iter,
            )
        pages = [
            _addresses(layer, f"differences-{i}", one)
            for i, (layer, one) in enumerate(zip(result["layers"], differences), 1)
        ]
        write_atomically(folder / INDEX, report_page(score_report(result, ROWS, pages)))


def _addresses(layer: Result, folder: str, found: Diff) -> dict[str, str]:
    """The addresses of the documents that have differences, by their names in the scores."""
    names = layer["scores"][main_metric(layer["scores"])]["per_doc"] or ()
    name_of = dict(zip(np.flatnonzero(found.gold.seen).tolist(), names, strict=True))
    addresses = document_addresses(found)
    return {name: f"{folder}/{addresses[i]}" for i, name in name_of.items() if i in addresses}
