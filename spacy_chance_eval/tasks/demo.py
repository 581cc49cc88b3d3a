"""`demo`: the correction for chance on the sample of this package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import srsly

from .. import sample
from ..analysis.explain import Model, explain_corpus, explain_document
from ..corpora.jobs import Asked
from ..corpora.pairs import CorpusPair, read_pair
from ..formats.corpus import one_piece
from ..formats.keys import Reading
from ..formats.outputs import check_ours, output_set, write_atomically
from ..formats.paths import path_text
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling
from .agree import Agreement, agree_files
from .rank import RankOptions, rank_files

LAYER, OTHER_LAYER = "statements", "spans"
METRIC, EXACT = "token_f", "span_f"
UNIT = "document"  # many statements fill their sentence, where chance has no other place for them
ABOUT = (
    "Texts, gold and the outputs of six systems come with this package, and so do the statements "
    "of four annotators, who are simulated. Chance places spans anywhere in their document "
    "(unit=document), as many statements fill their sentence."
)
EQUAL = 0.005  # two percentages of agreement differ by less: half a percentage point
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
    """The results of a demonstration.

    Parameters
    ----------
    result : dict
        Plain values: `folder`; `board`, the leaderboard of the long spans, and `other`, that of the
        short ones; `agreement`; `explained`, a document; and the findings: `reversal`,
        `labels` and `document`, each None if the data do not show it.
    agreement : Agreement
        With its panel and its documents, for pages.
    compared : CorpusPair
        Gold and the system whose document is explained, for pages; None if there is none.
    """

    result: dict[str, Any]
    agreement: Agreement[Any, Any]
    compared: CorpusPair | None


def run_demo(
    folder: str | Path, data: str | Path | None = None, *, resamples: int = 10_000
) -> Demo:
    """Copy data to a folder, rank its systems, compare its annotators and explain a document.

    Parameters
    ----------
    folder : str or Path
        It is made, or replaces that of an earlier call.
    data : str or Path, optional
        A folder with `gold.jsonl`, and outputs with the layer "statements", and those of systems
        with "spans", in `systems/` and `annotators/`. By default the sample of this package.
    resamples : int
        For intervals and tests.

    Raises
    ------
    FormatError
        If the folder holds anything else, or cannot be written.
    """
    files = _files_of(data)
    systems = [Path(name) for name in files if name.startswith(f"{DATA}/systems/")]
    rows = [{"name": path.stem, "path": f"systems/{path.name}"} for path in sorted(systems)]
    texts = {name: path.read_text(encoding="utf8") for name, path in files.items()}
    texts[f"{DATA}/{SYSTEMS}"] = srsly.yaml_dumps({"systems": rows})
    check_ours(folder, PAGE_NAMES, texts.values())
    with output_set():  # it is read below
        for name, text in texts.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
    place = Path(folder) / DATA
    gold, board_file = str(place / "gold.jsonl"), str(place / SYSTEMS)
    intervals = Resampling(resamples)
    boards = {}
    for layer, title in ((LAYER, "Statements"), (OTHER_LAYER, "Entities")):
        how = RankOptions(default_requests([METRIC, EXACT], unit=UNIT), intervals=intervals)
        result, _ = rank_files(gold, [board_file], how=how, reading=Reading(layer=layer))
        boards[layer] = result | {"title": f"Demo: {title}"}
    names = sorted(name for name in files if name.startswith(f"{DATA}/annotators/"))
    agreement = agree_files(
        [str(Path(folder) / name) for name in names],
        asked=Asked([METRIC], {"unit": UNIT}),
        intervals=Resampling(min(resamples, 1000)),
        keep=True,
        title="Demo: annotators",
    )
    board = next(
        board
        for board in boards[LAYER]["boards"]
        if board["metric"] == METRIC and board["label"] is None and board["subset"] is None
    )
    reversal = find_reversal(board, boards[LAYER]["resampling"]["alpha"])
    system = reversal["ahead"] if reversal else _least_above_chance(board)
    document, explained, compared = _explain(gold, place / "systems" / f"{system}.jsonl")
    result = {
        "about": ABOUT if data is None else f"Data from {data}.",
        "folder": path_text(folder),
        "metrics": [METRIC, EXACT],
        "pages": PAGES,
        "board": boards[LAYER],
        "other": boards[OTHER_LAYER],
        "agreement": agreement.result,
        "explained": explained,
        "sentences": [] if compared is None else list(_sentences(compared, document)),
        "reversal": reversal,
        "labels": find_equal_labels(agreement[METRIC]["per_label"]),
        "document": None if document is None else {"system": system, **document},
    }
    return Demo(result, agreement, compared)


# --- findings


def find_reversal(board: Mapping[str, Any], alpha: float) -> dict[str, Any] | None:
    """The two systems that change places by the correction, and differ significantly after it.

    Of several pairs, one whose observed scores differ significantly, too, with the largest distance
    of the corrected scores; None if there is none.
    """
    rows = {row["system"]: row for row in board["rows"]}
    found = []
    for pair in board["pairs"]:
        one, two = rows[pair["first"]], rows[pair["second"]]
        scores = [[row[kind]["score"] for row in (one, two)] for kind in ("observed", "corrected")]
        if None in (*scores[0], *scores[1]) or not _significant(pair["corrected"], alpha):
            continue
        if (scores[0][0] - scores[0][1]) * (scores[1][0] - scores[1][1]) >= 0:
            continue
        if scores[0][0] < scores[0][1]:
            one, two = two, one
        both = _significant(pair["observed"], alpha)
        found.append((both, abs(scores[1][0] - scores[1][1]), pair, one, two))
    if not found:
        return None
    both, _, pair, ahead, behind = max(found, key=lambda row: row[:2])
    return {
        "metric": board["metric"],
        "ahead": ahead["system"],
        "behind": behind["system"],
        "observed": [row["observed"]["score"] for row in (ahead, behind)],
        "expected": [row["expected"] for row in (ahead, behind)],
        "corrected": [row["corrected"]["score"] for row in (ahead, behind)],
        "observed_differ": both,
        "p_observed": pair["observed"]["p_holm"],
        "p_corrected": pair["corrected"]["p_holm"],
    }


def find_equal_labels(per_label: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The two labels with equal observed agreement that are furthest apart beyond chance.

    Their corrected values must have intervals without a common point; None if there are none.
    """
    rows = [row for row in per_label if row["team"]["interval"] is not None]
    found = []
    for one, two in combinations(rows, 2):
        high, low = sorted((one, two), key=lambda row: -row["team"]["value"])
        apart = high["team"]["interval"][0] > low["team"]["interval"][1]
        if apart and abs(high["team"]["observed"] - low["team"]["observed"]) < EQUAL:
            found.append((high, low))
    if not found:
        return None
    pair = max(found, key=lambda pair: pair[0]["team"]["value"] - pair[1]["team"]["value"])
    return {
        "labels": [row["label"] for row in pair],
        "observed": [row["team"]["observed"] for row in pair],
        "expected": [row["team"]["expected"] for row in pair],
        "corrected": [row["team"]["value"] for row in pair],
        "intervals": [row["team"]["interval"] for row in pair],
    }


def find_document(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The document with the largest distance of observed from corrected F; None without any."""
    defined = [row for row in rows if row["f"]["corrected"] is not None]
    return max(defined, key=lambda row: row["f"]["observed"] - row["f"]["corrected"], default=None)


def _significant(test: Mapping[str, Any], alpha: float) -> bool:
    """Whether a test found a difference, and enough replicas were drawn to say so."""
    return bool(test["decided"]) and test["p_holm"] is not None and test["p_holm"] < alpha


def _least_above_chance(board: Mapping[str, Any]) -> str:
    """The system that loses most by the correction."""
    defined = [row for row in board["rows"] if row["corrected"]["score"] is not None]
    lost = {row["system"]: row["observed"]["score"] - row["corrected"]["score"] for row in defined}
    return max(lost, key=lambda name: lost[name])


def _explain(
    gold: str, system: Path
) -> tuple[dict[str, Any] | None, dict[str, Any] | None, CorpusPair | None]:
    """The document of a system that shows most: its scores, what explains them, and the corpora."""
    compared = read_pair(gold, system, Reading(layer=LAYER))
    corpus = explain_corpus(compared, model=Model(unit=UNIT))
    row = find_document(corpus["levels"]["token"]["documents"])
    if row is None:
        return None, None, None
    explained = explain_document(compared, row["document"], model=Model(unit=UNIT))
    masses = {"observed": dict(row["observed"]), "expected": row["expected"]["matches"]}
    return {"name": row["document"], **masses, "f": dict(row["f"])}, explained, compared


def _sentences(compared: CorpusPair, row: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Each sentence of a document: its text, its tokens, and how many of them have which label."""
    names = [one.name for one in compared.gold.documents]
    place = names.index(row["name"]) if row else 0
    document = compared.gold.documents[place]
    sides = {
        "gold": document.layers[compared.gold_layer],
        "pred": compared.pred.documents[place].layers[compared.pred_layer],
    }
    words, spaces = document.words, document.spaces or [True] * len(document.words)
    starts = document.sents or (0,)
    for start, end in zip(starts, (*starts[1:], len(words))):
        marked = {
            side: dict(_tokens_by_label(one_piece(spans), start, end))
            for side, spans in sides.items()
        }
        text = "".join(word + " " * space for word, space in zip(words[start:end], spaces[start:]))
        yield {"text": text.strip(), "n": end - start, **marked}


def _tokens_by_label(spans: Iterable[tuple[int, int, str]], start: int, end: int) -> Counter[str]:
    """How many tokens of a stretch have each label; no two spans of a label share one."""
    counts: Counter[str] = Counter()
    for first, last, label in spans:
        shared = min(last, end) - max(first, start)
        if shared > 0:
            counts[label] += shared
    return counts


# --- the data


def _files_of(data: str | Path | None) -> dict[str, Path]:
    """{name in the folder of the demonstration: file to copy}."""
    if data is not None:
        root = Path(data)
        found = [root / "gold.jsonl", *sorted(root.glob("*/*.jsonl"))]
        return {f"{DATA}/{path.relative_to(root).as_posix()}": path for path in found}
    names = {"test.jsonl": "gold.jsonl"} | {name: name for name in sample.FILES if "/" in name}
    return {f"{DATA}/{name}": sample.path(source) for source, name in names.items()}
