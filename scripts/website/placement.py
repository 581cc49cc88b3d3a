"""Make docs/images/placement.svg: random placements of spans, and where the expected F comes from.

python scripts/website/placement.py
"""

import random
from pathlib import Path

from spacy_chance_eval import Spans, evaluate

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "placement.svg"
TOKENS, CELL = 30, 14
GOLD, PRED = [(3, 8), (16, 20)], [(4, 9), (16, 19)]
COLORS = {"gold": "#3f51b5", "prediction": "#e65100"}
SEED = 22  # of which the rows differ in F


def placement_picture() -> str:
    """The picture, as SVG: the annotation, three random placements, and the mean of all."""
    draw = random.Random(SEED)
    rows = [("as annotated", GOLD, PRED)]
    rows += [(f"random {row}", placed(GOLD, draw), placed(PRED, draw)) for row in (1, 2, 3)]
    parts = []
    for row, (name, gold, pred) in enumerate(rows):
        top = 40 + 46 * row
        parts += [text(8, top + 19, name), *track(gold, top, "gold")]
        parts += track(pred, top + 15, "prediction")
        score = scored(gold, pred).observed
        parts.append(text(130 + TOKENS * CELL, top + 19, f"F = {score:.2f}"))
    expected = scored(GOLD, PRED)
    bottom = 40 + 46 * len(rows)
    parts.append(text(8, bottom + 12, "..."))
    mean = f"expected F, the mean of all placements = {expected.expected:.2f}"
    corrected = f"corrected F = {expected.corrected:.2f}"
    parts.append(text(110, bottom + 12, f"{mean}; {corrected}"))
    for place, (name, color) in enumerate(COLORS.items()):
        parts.append(box(110 + 90 * place, 14, 12, color))
        parts.append(text(128 + 90 * place, 24, name))
    width, height = 130 + TOKENS * CELL + 80, bottom + 30
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    style = 'font-family="sans-serif" font-size="13"'
    paper = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([f"{head} {style}>", paper, *parts, "</svg>"]) + "\n"


def placed(spans: list[tuple[int, int]], draw: random.Random) -> list[tuple[int, int]]:
    """The spans at random, in random order, without a token in two of them."""
    lengths = draw.sample([end - start for start, end in spans], len(spans))
    free = TOKENS - sum(lengths)
    # the spans stand among the free tokens: each choice of their ranks is equally likely
    ranks = sorted(draw.sample(range(free + len(lengths)), len(lengths)))
    starts = [rank + sum(lengths[:place]) - place for place, rank in enumerate(ranks)]
    return [(start, start + length) for start, length in zip(starts, lengths)]


def scored(gold: list[tuple[int, int]], pred: list[tuple[int, int]]):
    """Token F of one text."""
    both = [
        Spans.from_tuples([[(*span, "X") for span in spans]], sizes=[TOKENS])
        for spans in (gold, pred)
    ]
    return evaluate(*both, ["token_f"])["token_f"]


def track(spans: list[tuple[int, int]], top: int, name: str) -> list[str]:
    """The tokens of a text, with its spans filled."""
    line = f'<rect x="110" y="{top}" width="{TOKENS * CELL}" height="12" fill="#eceff1"/>'
    boxes = [
        box(110 + start * CELL, top, (end - start) * CELL, COLORS[name]) for start, end in spans
    ]
    return [line, *boxes]


def box(left: int, top: int, width: int, color: str) -> str:
    """A filled rectangle."""
    return f'<rect x="{left}" y="{top}" width="{width}" height="12" fill="{color}"/>'


def text(left: int, base: int, words: str) -> str:
    """A line of text."""
    return f'<text x="{left}" y="{base}" fill="#263238">{words}</text>'


if __name__ == "__main__":
    PICTURE.write_text(placement_picture(), encoding="utf-8")
