"""Dependency trees as SVG, equal words below each other; constituency trees in brackets.

All markup is safe.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from markupsafe import Markup

from .figures import fitting_name, text_width
from .words import legible, text_direction

WORD_SIZE, LABEL_SIZE = 14.0, 12.0  # px of type, as in base.css
LONGEST_WORD = 200.0  # px of a drawn word or label; tables show all of it
GAP, NARROWEST = 12, 30  # px
LEVEL = 29  # px from one level of arcs to the next
INNER, OUTER = 3, 10  # px from the middle of a word to its incoming and outgoing arcs
HEAD = 5  # px: half the width of an arrow head
LABEL = 16  # px for the label of the highest arc
WORD = 20  # px from arcs down to the baseline of words
FOOT = 40  # px below the words of arcs, for the relations of roots
BLANK = "\u2423"  # stands for a word of white space alone
SVG = (
    '<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
    'direction="{direction}">{content}</svg>'
)
TSPAN = '<tspan x="{x:g}"{more}>{text}</tspan>'
ARC = (
    '<g{mark}><path d="M{low:g},{y:g} C{low:g},{handle:g} {high:g},{handle:g} {high:g},{y:g}"/>'
    '<path class="head" d="M{tip:g},{foot:g} L{left:g},{top:g} {right:g},{top:g}"/>'
    '<text x="{x:g}" y="{above:g}" text-anchor="middle">{label}</text></g>'
)


class Tree(NamedTuple):
    """One annotator's tree of a sentence.

    Parameters
    ----------
    words : sequence of str or None
        The words of tokens, or of leaves; None if they are not known.
    parents : sequence of int
        The index of each node's parent; -1 for the root.
    brackets : sequence of (str, int, int)
        Label, first leaf and end of each node of a constituency tree.
    """

    words: Sequence[str] | None
    parents: Sequence[int]
    labels: Sequence[str]
    brackets: Sequence[tuple[str, int, int]] = ()


def column_widths(trees: Sequence[Tree]) -> list[list[float]]:
    """The px that each word of each dependency tree takes, with room for all labels.

    Trees with as many words have the same columns.
    """
    widths = [_widths(tree) for tree in trees]
    if len(set(map(len, widths))) == 1:
        return [[max(column) for column in zip(*widths)]] * len(trees)
    return widths


def _widths(tree: Tree) -> list[float]:
    words = tree.words or ()
    widths = [
        max(NARROWEST, _width(word, WORD_SIZE), _width(_root_label(tree, token), LABEL_SIZE)) + GAP
        for token, word in enumerate(words)
    ]
    for token, head in enumerate(tree.parents):
        if head not in (-1, token):
            low, high = sorted((token, head))
            room = (_width(tree.labels[token], LABEL_SIZE) + GAP) / (high - low)
            widths[low : high + 1] = [max(one, room) for one in widths[low : high + 1]]
    return widths


def draw_arcs(tree: Tree, differing: Collection[int], widths: Sequence[float]) -> Markup:
    """A dependency tree as SVG: its words, and arcs from heads to dependents.

    Tokens run in the direction of writing.

    Parameters
    ----------
    tree : Tree
        A dependency tree with words.
    differing : collection of int
        Tokens that are marked.
    widths : sequence of float
        Those of its words, of `column_widths`.
    """
    words = tree.words or ()
    direction, width = text_direction(words), sum(widths) or NARROWEST
    middles = (end - own / 2 for end, own in zip(accumulate(widths), widths))
    xs = [round(width - one if direction == "rtl" else one, 1) for one in middles]
    levels = _levels(tree.parents)
    foot = LEVEL * max(levels.values(), default=0) + LABEL
    parts = []
    for token, word in enumerate(words):
        lines = TSPAN.format(x=xs[token], more="", text=_text(word, WORD_SIZE) or BLANK)
        if below := _root_label(tree, token):
            more = ' dy="1.4em" class="root"'
            lines += TSPAN.format(x=xs[token], more=more, text=_text(below, LABEL_SIZE))
        mark = _mark("word", token in differing)
        parts.append(f'<text{mark} text-anchor="middle" y="{foot + WORD}">{lines}</text>')
    for token, level in levels.items():
        height = level * LEVEL
        low, high, tip = _arc_ends(xs[tree.parents[token]], xs[token])
        parts.append(
            ARC.format(
                mark=_mark("arc", token in differing),
                **{"low": low, "high": high, "y": foot, "handle": round(foot - height * 4 / 3, 1)},
                **{"tip": tip, "left": tip - HEAD, "right": tip + HEAD},
                **{"foot": foot + 2, "top": foot - 7},
                **{"x": round((low + high) / 2, 1), "above": foot - height - 4},
                label=_text(tree.labels[token], LABEL_SIZE),
            )
        )
    content, height = "".join(parts), foot + WORD + FOOT
    return Markup(SVG.format(width=width, height=height, direction=direction, content=content))


def _levels(parents: Sequence[int]) -> dict[int, int]:
    """The level of the arc to each dependent, above all shorter arcs that it spans."""
    dependents = [i for i, head in enumerate(parents) if head not in (-1, i)]
    dependents.sort(key=lambda i: (abs(parents[i] - i), min(parents[i], i), i))
    highest = [0] * len(parents)
    levels = {}
    for token in dependents:
        between = range(min(token, parents[token]), max(token, parents[token]))
        levels[token] = max(highest[i] for i in between) + 1
        for i in between:
            highest[i] = levels[token]
    return dict(sorted(levels.items()))


def _arc_ends(head: float, dependent: float) -> tuple[float, float, float]:
    """Left end, right end and arrow tip of an arc, in px."""
    way = 1 if dependent > head else -1
    start, tip = round(head + way * OUTER, 1), round(dependent - way * INNER, 1)
    return min(start, tip), max(start, tip), tip


def _root_label(tree: Tree, token: int) -> str:
    """The text below a word without an incoming arc."""
    parent, label = tree.parents[token], tree.labels[token]
    if parent == -1:
        return f"root: {label}"
    return f"itself: {label}" if parent == token else ""


def _mark(name: str, differs: bool) -> str:
    return f' class="{name}{" differs" * differs}"'


def _width(text: str, size: float) -> float:
    return text_width(fitting_name(text, LONGEST_WORD, size), size, bold=True)


def _text(text: str, size: float) -> str:
    """A word or label as SVG, shortened if it is long."""
    return escape(fitting_name(" ".join(text.split()), LONGEST_WORD, size))


def bracketed(tree: Tree, differing: Collection[int] = ()) -> Markup:
    """A constituency tree in the brackets of the Penn Treebank, one node a line."""
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    inner, words = set(tree.parents), iter(tree.words or ())
    lines = []
    for node, (label, depth, after) in enumerate(zip(tree.labels, depths, [*depths[1:], 0])):
        word = "" if node in inner else next(words, "")
        mark = ' class="differs"' * (node in differing)
        text = f"<b{mark}>{escape(legible(label)) or '(empty)'}</b> {escape(legible(word))}"
        lines.append(f"{'  ' * depth}({text.rstrip()}{')' * (depth - after + 1)}")
    return Markup("\n".join(lines))
