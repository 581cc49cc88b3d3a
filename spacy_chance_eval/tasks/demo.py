"""`demo`: the correction for chance on the sample of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import srsly

from .. import sample
from ..analysis.explain import Model, explain_document
from ..corpora.pairs import CorpusPair, read_pair
from ..formats.keys import Reading
from ..formats.outputs import check_ours, write_atomically
from ..formats.paths import path_text
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from .agree import Agreement, agree_files
from .rank import rank_files

LAYER, OTHER_LAYER = "statements", "spans"
METRIC, EXACT = "token_f", "span_f"
UNIT = "document"  # many statements fill their sentence, where chance has no other place for them
# what the sample shows, and the tests see to: systems that change places by the correction, labels
# with equal agreement of which one is mostly chance, and a document whose F is
AHEAD, BEHIND = "over-marker", "gazetteer"
ALIKE = ("CLAIM", "EVENT")
SHOWN = "test-62"
OF_TEAM = ("observed", "expected", "corrected", "low", "high")
DATA = "data"
SYSTEMS = "systems.yml"
PAGES = {
    "board": "statements.html",
    "other": "entities.html",
    "agreement": "agreement",
    "explain": "explain.html",
}
PAGE_NAMES = r"[a-z]+\.html|agreement/[a-z0-9-]+\.html"


@dataclass(frozen=True, eq=False)
class Demo:
    """The results of a demonstration; agreement and a compared pair for its pages.

    `result` has plain values: `folder`; `board`, the leaderboard of the long spans, and `other`,
    that of the short ones; `agreement`; `explained`, a document; and the findings: `reversal`,
    `labels` and `document`.
    """

    result: dict[str, Any]
    agreement: Agreement
    compared: CorpusPair


def run_demo(folder: str | Path, *, resamples: int = 10_000) -> Demo:
    """Copy the sample to a folder, rank its systems, compare its annotators, explain a document.

    The folder is made, or replaces that of an earlier call; `resamples` are for intervals and
    tests.

    Raises
    ------
    FormatError
        If the folder holds anything else, or cannot be written.
    """
    files = _write_data(Path(folder))
    place = Path(folder) / DATA
    gold, board_file = str(place / "gold.jsonl"), str(place / SYSTEMS)
    intervals = Resampling(resamples)
    boards = {}
    for layer, title in ((LAYER, "Statements"), (OTHER_LAYER, "Entities")):
        asked, reading = default_requests([METRIC, EXACT], unit=UNIT), Reading(layer=layer)
        board: dict[str, Any] = {"metrics": asked, "intervals": intervals}
        result, _ = rank_files(gold, [board_file], reading=reading, **board)
        boards[layer] = result | {"title": f"Demo: {title}"}
    annotators = [name for name in files if name.startswith(f"{DATA}/annotators/")]
    agreement = agree_files(
        [str(Path(folder) / name) for name in annotators],
        metrics=[METRIC],
        defaults={"unit": UNIT},
        intervals=Resampling(min(resamples, 1000)),
        keep=True,
        title="Demo: annotators",
    )
    board = next(
        board
        for board in boards[LAYER]["boards"]
        if board["metric"] == METRIC and board["label"] is None and board["subset"] is None
    )
    compared = read_pair(gold, place / "systems" / f"{AHEAD}.jsonl", Reading(layer=LAYER))
    explained = explain_document(compared, SHOWN, model=Model(unit=UNIT))
    tokens = explained["labels"][0]["token"]
    labels = {row["label"]: row["team"] for row in agreement[METRIC]["per_label"]}
    result = {
        "folder": path_text(folder),
        "metrics": [METRIC, EXACT],
        "pages": PAGES,
        "board": boards[LAYER],
        "other": boards[OTHER_LAYER],
        "agreement": agreement.result,
        "explained": explained,
        "reversal": _reversal(board),
        "labels": {"labels": ALIKE}
        | {key: [labels[label][key] for label in ALIKE] for key in OF_TEAM},
        "document": {
            "system": AHEAD,
            "name": SHOWN,
            "observed": tokens["observed"],
            "expected": tokens["expected"]["matches"],
            "f": tokens["scores"]["f"],
        },
    }
    return Demo(result, agreement, compared)


def _write_data(folder: Path) -> list[str]:
    """Copy the sample; returns the paths in the folder, sorted."""
    names = {"test.jsonl": "gold.jsonl"} | {name: name for name in sample.FILES if "/" in name}
    files = {f"{DATA}/{name}": sample.path(source) for source, name in names.items()}
    systems = [Path(name) for name in files if name.startswith(f"{DATA}/systems/")]
    rows = [{"name": path.stem, "path": f"systems/{path.name}"} for path in sorted(systems)]
    texts = {name: path.read_text(encoding="utf8") for name, path in files.items()}
    texts[f"{DATA}/{SYSTEMS}"] = srsly.yaml_dumps({"systems": rows})
    check_ours(folder, PAGE_NAMES, texts.values())
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return sorted(files)


def _reversal(board: Mapping[str, Any]) -> dict[str, Any]:
    """The scores of the two systems that change places, and the tests of their difference."""
    rows = {row["system"]: row for row in board["rows"]}
    both = [rows[name] for name in (AHEAD, BEHIND)]
    tests = next(one for one in board["pairs"] if {one["first"], one["second"]} == {AHEAD, BEHIND})
    return {
        "ahead": AHEAD,
        "behind": BEHIND,
        **{key: [row[key] for row in both] for key in OF_TEAM[:3]},
        "p_observed": tests["observed"]["p_holm"],
        "p_corrected": tests["corrected"]["p_holm"],
    }
