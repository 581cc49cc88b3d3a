"""The pages of a demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..corpora.pairs import CorpusPair
from ..formats.outputs import write_atomically
from .agreement_pages import PanelAgreement, write_agreement
from .explain_page import write_explain_page
from .html import leaderboard_page
from .words import Result


def write_demo_pages(
    result: Result, agreement: PanelAgreement[Any, Any], compared: CorpusPair | None
) -> list[tuple[str, str]]:
    """Write the pages of a demonstration into its folder; returns their paths and contents.

    Parameters
    ----------
    result : dict
        The result of `run_demo`.
    agreement : Agreement
        The annotators, with their documents.
    compared : CorpusPair, optional
        Gold and the system whose document is explained.
    """
    folder, names = Path(result["folder"]), result["pages"]
    pages = []
    for board, what in (("board", "long spans"), ("other", "names")):
        path = folder / names[board]
        write_atomically(path, leaderboard_page(result[board]))
        pages.append((str(path), f"the systems on {what}, with all labels"))
    write_agreement(agreement, folder / names["agreement"])
    pages.append((str(folder / names["agreement"] / "index.html"), "the annotators, pair by pair"))
    if compared is not None and result["explained"] is not None:
        path = folder / names["explain"]
        write_explain_page(result["explained"], compared, path)
        pages.append((str(path), f"why {result['document']['name']} scores as it does"))
    return pages
