"""Trees as SVG, with equal words aligned in both trees of a pair, and as nested lists.

All markup is safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias
from unicodedata import east_asian_width

from markupsafe import Markup

from .words import legible, text_direction

Steps: TypeAlias = Mapping[int, int]  # number of the difference, by node
Group: TypeAlias = Sequence[range]  # the columns of each tree at one position

LONGEST_SENTENCE = 100  # tokens; longer dependency trees are not drawn
MOST_NODES = 500  # larger constituency trees are not shown
MOST_LEVELS = 60  # deeper constituency trees are listed, but not drawn
DEEPEST = 40  # levels of lists; deeper nodes stand at the last level, with their depth
LONGEST_WORD = 22  # letters of a drawn word or label; lists show all of them
WORD_LETTER, LABEL_LETTER = 10, 8.6  # px, in bold type
# widths of letters that differ from the average; capitals are as wide as `<`
WIDTHS = dict.fromkeys("mwMW@%\u2026", 1.6) | dict.fromkeys("fijlrtI .,:;'!|()[]/-", 0.7)
WIDTHS |= dict.fromkeys("<>=+~#&", 1.2)
GAP, NARROWEST = 12, 30  # px
LEVEL = 29  # px from one level of arcs, or nodes, to the next
INNER, OUTER = 3, 10  # px from the middle of a word to its incoming and outgoing arcs
HEAD = 5  # px: half the width of an arrow head
LABEL = 16  # px for the label of the highest arc, or node
WORD = 20  # px from arcs or leaves down to the baseline of words
FOOT = 40  # px below the words of arcs, for the relations of roots
ABOVE, BRANCH, BELOW = 13, 11, 5  # px around the label of a node that its lines leave free
BLANK = "\u2423"  # stands for a word of white space alone
MARK = ' class="{} differs" data-step="{}"'
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
NODE = '<text{mark} x="{x:g}" y="{y:g}" text-anchor="middle">{text}</text>'
LINE = '<path class="line" d="M{x:g},{below:g} V{branch:g} H{end:g} V{above:g}"/>'


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


class Layout(NamedTuple):
    """Positions of words in px: the middle of each from the left, and the width of the drawing."""

    middles: list[float]
    width: float


# --- layout


class _Columns(NamedTuple):
    """Widths of the words of a tree in px, and the room required between two words.

    `rooms` holds for each column pairs of an earlier column and the px between both middles.
    """

    widths: list[float]
    rooms: list[list[tuple[int, float]]]


def lay_out(trees: Sequence[Tree]) -> list[Layout]:
    """The `Layout` of each tree, with room for all words and labels.

    Equal words have equal positions. Where trees divide the same text into different tokens,
    tokens with the same first character are aligned at their left. Trees of different texts
    are aligned at the first word.
    """
    columns = [_bracket_columns(tree) if tree.brackets else _arc_columns(tree) for tree in trees]
    places: list[list[float]] = [[] for _ in trees]
    end = 0.0
    for group in _groups([tree.words for tree in trees], [len(one.widths) for one in columns]):
        if all(len(own) == 1 for own in group):
            width = max(one.widths[own[0]] for one, own in zip(columns, group))
            needed = [_needed(*each) for each in zip(columns, places, (own[0] for own in group))]
            middle = max([end + width / 2, *needed])
            for own_places in places:
                own_places.append(middle)
            end = middle + width / 2
            continue
        end = max(_place(*each, end) for each in zip(columns, places, group))
    return [Layout(middles, end or NARROWEST) for middles in places]


def same_text(words: Sequence[Sequence[str] | None]) -> bool:
    """Whether the words of all trees are known and make up the same text without blanks."""
    known = [own for own in words if own and all(own)]
    return len(known) == len(words) and len(set(map("".join, known))) == 1


def _groups(words: Sequence[Sequence[str] | None], sizes: Sequence[int]) -> Iterator[Group]:
    """The columns of all trees between shared boundaries, from left to right."""
    cuts = [list(range(size + 1)) for size in sizes]
    if same_text(words):
        cuts = [list(accumulate(map(len, own or ()), initial=0)) for own in words]
    elif len(set(sizes)) > 1:
        cuts = [[0] * size + [1] for size in sizes]
    if len(set(map(tuple, cuts))) == 1:
        yield from ([range(i, i + 1)] * len(sizes) for i in range(sizes[0]))
        return
    shared = sorted(set(cuts[0]).intersection(*cuts[1:]))
    for low, high in zip(shared, shared[1:]):
        yield [range(own.index(low), own.index(high)) for own in cuts]


def _place(columns: _Columns, places: list[float], own: range, end: float) -> float:
    """Place columns of a tree to the right of `end`, and return their own right end."""
    for column in own:
        width = columns.widths[column]
        places.append(max(end + width / 2, _needed(columns, places, column)))
        end = places[-1] + width / 2
    return end


def _needed(columns: _Columns, places: Sequence[float], column: int) -> float:
    """The smallest position of a column that leaves room for the labels before it."""
    return max((places[start] + room for start, room in columns.rooms[column]), default=0)


def _arc_columns(tree: Tree) -> _Columns:
    """The columns of a dependency tree: its words, and the relations of roots."""
    words, size = tree.words or (), len(tree.parents)
    widths = [
        max(WORD_LETTER * _letters(word), LABEL_LETTER * _letters(_root_label(tree, token)))
        for token, word in enumerate(words)
    ]
    rooms: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    for token, head in enumerate(tree.parents):
        if head not in (-1, token):
            room = LABEL_LETTER * _letters(tree.labels[token]) + GAP
            rooms[max(token, head)].append((min(token, head), room))
    return _Columns([GAP + max(NARROWEST, width) for width in widths], rooms)


def _bracket_columns(tree: Tree) -> _Columns:
    """The columns of a constituency tree: its leaves, with their words and the nodes above."""
    size = max(end for *_, end in tree.brackets)
    widths = [GAP + WORD_LETTER * _letters(word) for word in tree.words or [""] * size]
    for label, first, end in tree.brackets:
        if end - first == 1:
            widths[first] = max(widths[first], GAP + LABEL_LETTER * _letters(label))
    rooms: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    for label, first, end in tree.brackets:
        if end - first > 1:
            room = GAP + LABEL_LETTER * _letters(label) - (widths[first] + widths[end - 1]) / 2
            rooms[end - 1].append((first, room))
    return _Columns(widths, rooms)


# --- dependencies


def draw_arcs(tree: Tree, steps: Steps, layout: Layout) -> Markup:
    """A dependency tree as SVG: its words, and arcs from heads to dependents.

    Tokens run in the direction of writing.

    Parameters
    ----------
    tree : Tree
        A dependency tree with words.
    steps : mapping of int to int
        Tokens that are marked as differing, with the numbers of their differences.
    layout : Layout
        The positions of its words.
    """
    words = tree.words or ()
    direction = text_direction(words)
    xs = _across(layout, direction)
    levels = _levels(tree.parents)
    foot = LEVEL * max(levels.values(), default=0) + LABEL
    parts = []
    for token, word in enumerate(words):
        lines = TSPAN.format(x=xs[token], more="", text=_svg_text(word) or BLANK)
        below = _root_label(tree, token)
        if below:
            more = ' dy="1.4em" class="root"'
            lines += TSPAN.format(x=xs[token], more=more, text=_svg_text(below))
        mark = _mark("word", steps.get(token))
        parts.append(f'<text{mark} text-anchor="middle" y="{foot + WORD}">{lines}</text>')
    for token, level in levels.items():
        height = level * LEVEL
        low, high, tip = _arc_ends(xs[tree.parents[token]], xs[token])
        parts.append(
            ARC.format(
                mark=_mark("arc", steps.get(token)),
                **{"low": low, "high": high, "y": foot, "handle": round(foot - height * 4 / 3, 1)},
                **{"tip": tip, "left": tip - HEAD, "right": tip + HEAD},
                **{"foot": foot + 2, "top": foot - 7},
                **{"x": round((low + high) / 2, 1), "above": foot - height - 4},
                label=_svg_text(tree.labels[token]),
            )
        )
    return _svg(layout.width, foot + WORD + FOOT, direction, parts)


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


# --- constituents


def draw_brackets(tree: Tree, steps: Steps, layout: Layout) -> Markup:
    """A constituency tree as SVG, with its words in a row below the leaves.

    Parameters
    ----------
    tree : Tree
        A constituency tree with brackets.
    steps : mapping of int to int
        Nodes that are marked as differing, with the numbers of their differences.
    layout : Layout
        The positions of its leaves.
    """
    direction = text_direction(tree.words or ())
    heights = node_heights(tree.parents)
    columns = _across(layout, direction)
    xs = _node_places(tree, columns)
    foot = LABEL + LEVEL * max(heights)
    ys = [foot - LEVEL * height for height in heights]
    parts = []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents)):
        if parent >= 0:
            below, branch, above = ys[parent] + BELOW, ys[parent] + BRANCH, ys[node] - ABOVE
            line = LINE.format(x=xs[parent], end=xs[node], below=below, branch=branch, above=above)
            parts.append(line.replace('"line"', '"line differs"') if node in steps else line)
        mark = _mark("node", steps.get(node))
        text = _svg_text(label) or "(empty)"
        parts.append(NODE.format(mark=mark, x=xs[node], y=ys[node], text=text))
    for x, word in zip(columns, tree.words or ()):
        text = _svg_text(word) or BLANK
        parts.append(NODE.format(mark=' class="word"', x=x, y=foot + WORD, text=text))
    return _svg(layout.width, foot + WORD * (1 + (tree.words is not None)), direction, parts)


def _node_places(tree: Tree, columns: Sequence[float]) -> list[float]:
    """Positions of nodes: midway between their outer children; labels above their leaves."""
    widths = _bracket_columns(tree).widths
    ends: list[list[float]] = [[] for _ in tree.parents]
    xs = [0.0] * len(ends)
    for node in reversed(range(len(ends))):
        label, first, end = tree.brackets[node]
        edges = [
            columns[leaf] + way * widths[leaf] / 2 for leaf in (first, end - 1) for way in (-1, 1)
        ]
        room = (GAP + LABEL_LETTER * _letters(label)) / 2
        middle = (min(ends[node]) + max(ends[node])) / 2 if ends[node] else columns[first]
        xs[node] = round(max(min(edges) + room, min(middle, max(edges) - room)), 1)
        if tree.parents[node] >= 0:
            ends[tree.parents[node]].append(xs[node])
    return xs


def node_heights(parents: Sequence[int]) -> list[int]:
    """The number of levels below each node, with nodes in preorder."""
    heights = [0] * len(parents)
    for node in reversed(range(len(parents))):
        if parents[node] >= 0:
            heights[parents[node]] = max(heights[parents[node]], heights[node] + 1)
    return heights


def nested_list(
    parents: Sequence[int],
    labels: Sequence[str],
    words: Iterable[str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> Markup:
    """A constituency tree as nested lists. Its depth is not limited by recursion.

    Parameters
    ----------
    parents, labels : sequences
        The parent and the label of each node, in preorder; the parent of the root is -1.
    words : iterable of str, optional
        One for each leaf.
    notes : mapping of int to str, optional
        Remarks on nodes that differ.
    """
    notes, inner = notes or {}, set(parents)
    leaves = iter(words or ())
    depths: list[int] = []
    rows = []
    for node, parent in enumerate(parents):
        depth = 0 if parent < 0 else depths[parent] + 1
        depths.append(depth)
        word = next(leaves, None) if node not in inner else None
        remarks = [notes[node]] if node in notes else []
        remarks += [f"level {depth}"] * (depth > DEEPEST)
        markup = _node_markup(labels[node], word, remarks, node in notes)
        rows.append((min(depth, DEEPEST), markup))
    return Markup(_lists(rows))


def _lists(rows: Iterable[tuple[int, str]]) -> str:
    """Nested lists of (depth, markup) pairs, each at most one level deeper than the one before."""
    parts, depth = [], -1
    for level, nodes in groupby(rows, key=itemgetter(0)):
        parts.append("<ul>" if level > depth else "</li></ul>" * (depth - level) + "</li>")
        parts.append("<li>" + "</li><li>".join(text for _, text in nodes))
        depth = level
    return "".join(parts) + "</li></ul>" * (depth + 1)


def _node_markup(label: str, word: str | None, remarks: Sequence[str], differs: bool) -> str:
    """The label of a node, the word of a leaf, and remarks."""
    mark = ' class="differs"' * differs
    parts = [f"<b{mark}>{escape(legible(label)) or '(empty)'}</b>"]
    if word is not None:
        parts.append(escape(legible(word)))
    if remarks:
        parts.append(f"<small>{escape(legible(', '.join(remarks)))}</small>")
    return " ".join(parts)


# --- shared


def _svg(width: float, height: float, direction: str, parts: Iterable[str]) -> Markup:
    """Parts of a drawing as an `<svg>` element, with a view box so that print can scale it."""
    content = "".join(parts)
    return Markup(SVG.format(width=width, height=height, direction=direction, content=content))


def _across(layout: Layout, direction: str) -> list[float]:
    """Horizontal positions of words in px, in either direction of writing."""
    width = layout.width if direction == "rtl" else 0
    return [round(abs(width - middle), 1) for middle in layout.middles]


def _mark(name: str, step: int | None) -> str:
    """The class attribute of an element, and the number of its difference if it has one."""
    return f' class="{name}"' if step is None else MARK.format(name, step)


def _svg_text(text: str) -> str:
    """A word or label as SVG."""
    return escape(_short_word(text))


def _short_word(text: str) -> str:
    """A word or label for a drawing: printable, and shortened if it is long."""
    text = legible(" ".join(text.split()))
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "\u2026"


def _letters(text: str) -> float:
    """The drawn width of a text, in letters of average width."""
    return sum(
        2 if east_asian_width(sign) in "WF" else WIDTHS.get(sign, 1.2 if sign.isupper() else 1)
        for sign in _short_word(text)
    )
