"""Make the statements of four annotators of different care in the test documents of the sample.

    python scripts/sample/make_annotators.py [FOLDER]

writes `annotators/NAME.jsonl` to FOLDER, by default to `spacy_chance_eval/sample`. The annotators
are simulated: they start from gold, and make errors at random, with the shares of `CARE` and a seed
of their own. The same gold gives the same files.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

SAMPLE = Path(__file__).parents[2] / "spacy_chance_eval" / "sample"
LABELS = ("EVENT", "CLAIM")
CLOSING = frozenset('.!?"')
STEP = 4  # tokens by which a boundary is moved, at most


class Care(NamedTuple):
    """Shares of errors: spans that are missed, of the other label, with a moved boundary; and
    sentences without a statement that are taken for an EVENT."""

    missed: float
    confused: float
    moved: float
    added: float


CARE = {
    "anna": Care(missed=0.04, confused=0.02, moved=0.15, added=0.05),  # careful
    "ben": Care(missed=0.12, confused=0.04, moved=0.3, added=0.14),  # less so
    "carla": Care(missed=0.3, confused=0.06, moved=0.4, added=0.05),  # in a hurry
    "dan": Care(missed=0.03, confused=0.06, moved=0.3, added=0.6),  # sees statements everywhere
}

Row = dict[str, Any]
Span = tuple[int, int, str]


def sentences(row: Row) -> list[tuple[int, int]]:
    """First token and end of each sentence, without the punctuation at its end."""
    found = []
    for start, end in zip(row["sents"], [*row["sents"][1:], len(row["tokens"])]):
        while end > start + 1 and row["tokens"][end - 1] in CLOSING:
            end -= 1
        found.append((start, end))
    return found


def moved(start: int, end: int, low: int, high: int, rng: random.Random) -> tuple[int, int]:
    """A span with one boundary elsewhere, between two tokens and not empty."""
    step = rng.choice([-1, 1]) * rng.randint(1, STEP)
    if rng.random() < 0.5:
        return min(max(start + step, low), end - 1), end
    return start, max(min(end + step, high), start + 1)


def annotate(row: Row, care: Care, rng: random.Random) -> list[Span]:
    """The statements of a document, as somebody of this care marks them."""
    found: list[Span] = []
    gold = [(one["start"], one["end"], one["label"]) for one in row["layers"]["statements"]]
    for first, last in sentences(row):
        inside = [span for span in gold if first <= span[0] and span[1] <= last]
        if not inside and rng.random() < care.added:
            found.append((first, last, "EVENT"))
        ends = [*(span[0] for span in inside[1:]), last]
        low = first
        for (start, end, label), high in zip(inside, ends):
            if rng.random() < care.missed:
                continue
            if rng.random() < care.confused:
                label = next(other for other in LABELS if other != label)
            if rng.random() < care.moved:
                start, end = moved(start, end, low, high, rng)
            found.append((start, end, label))
            low = end
    return found


def main(target: Path = SAMPLE) -> None:
    """Write one file for each annotator."""
    lines = (SAMPLE / "test.jsonl").read_text(encoding="utf8").splitlines()
    rows = [json.loads(line) for line in lines]
    folder = target / "annotators"
    folder.mkdir(parents=True, exist_ok=True)
    for name, care in CARE.items():
        rng = random.Random(name)  # a seed of letters is the same everywhere
        with open(folder / f"{name}.jsonl", "w", encoding="utf8") as file:
            for row in rows:
                spans = {"layers": {"statements": annotate(row, care, rng)}}
                document = {"id": row["id"], "tokens": row["tokens"], **spans}
                file.write(json.dumps(document, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
