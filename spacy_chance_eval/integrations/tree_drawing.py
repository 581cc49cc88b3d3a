"""Trees as HTML: dependencies in displaCy's dep style, constituents as nested lists.

displaCy escapes words, but not labels: everything is escaped here, so that all markup is safe. What
differs has the class `differs`: dashes and bold type, so that no colour is needed to see it.
"""

from html import escape
from itertools import groupby
from operator import itemgetter
from unicodedata import east_asian_width

from markupsafe import Markup
from spacy.displacy import DependencyRenderer

from ..report.words import legible
from .drawing import BLANK, direction

LONGEST = 100  # tokens of a sentence whose dependencies are drawn
MOST_NODES = 500  # of a constituency tree that is drawn
DEEPEST = 40  # levels of lists; what lies deeper is written at the last one, with its depth
CUT = 22  # letters of a word or label that are drawn; lists have the whole of it
WORD_LETTER, LABEL_LETTER = 10, 8.6  # px, in bold type
# how wide letters are that are wider or narrower than most; capitals are as wide as `<`
WIDTHS = dict.fromkeys("mwMW@%\u2026", 1.6) | dict.fromkeys("fijlrtI .,:;'!|()[]/-", 0.7)
WIDTHS |= dict.fromkeys("<>=+~#&", 1.2)
GAP, NARROWEST = 12, 30  # px
LEVEL = 29  # px from one level of arcs to the next
INNER, OUTER = 3, 10  # px from the middle of a word to where an arc comes in, and goes out
LABEL = 16  # px for the label of the highest arc: displaCy leaves as many as arcs are thick
LOOK = {
    "arrow_stroke": LABEL,
    "word_spacing": 20,
    "arrow_width": 7,
    "color": "inherit",
    "bg": "none",
    "font": "inherit",
}
WORD = '<text class="word{mark}" text-anchor="middle" y="{y}">{lines}</text>'
LINE = '<tspan x="{x}"{down}>{text}</tspan>'
ARC = (
    '<g class="arc{mark}"><path d="{arc}"/><path class="head" d="{head}"/>'
    '<text x="{x}" y="{y}" text-anchor="middle">{label}</text></g>'
)
MARK = " differs"


class ArcRenderer(DependencyRenderer):
    """displaCy's renderer of dependencies, with arcs and words of its own that can be marked.

    Arcs end at their words whatever their number, and are read from the left in either direction
    of writing.
    """

    def __init__(self):
        super().__init__(LOOK)
        self.lang, self.marked, self.dependents = "", frozenset(), []

    def draw(self, key, tree, marked, room):
        """A dependency tree as SVG, its places in `marked` as differing.

        Parameters
        ----------
        key : str
            Its id on the page.
        tree : tree_differences.Tree
        marked : collection of int
        room : pair
            Where its words are, as `room_of` says.
        """
        parents = tree.parents
        self.marked, (self.middles, self.total) = frozenset(marked), room
        self.dependents = [i for i, head in enumerate(parents) if head not in (-1, i)]
        self.direction = direction(tree.words)
        self.offset_x, self.distance = 0, self.total / max(1, len(parents))
        arcs = [
            {
                "start": min(place, parents[place]),
                "end": max(place, parents[place]),
                "label": tree.labels[place],
                "dir": "left" if place < parents[place] else "right",
            }
            for place in self.dependents
        ]
        words = [
            {"text": word, "tag": root_label(tree, place)} for place, word in enumerate(tree.words)
        ]
        svg = self.render_svg(key, words, arcs).strip()
        # with a box, paper can make it smaller
        box = f'<svg viewBox="0 0 {self.width:g} {self.height:g}" '
        return Markup(svg.replace("<svg ", box, 1))

    def get_levels(self, arcs):
        """Levels of arcs, scaled: displaCy makes them the higher the farther apart words are."""
        scale = 2 * LEVEL / self.distance
        return {arc: level * scale for arc, level in super().get_levels(arcs).items()}

    def across(self, place, away=0):
        """Where a word is, in px from the left; `away` from its middle, towards the end."""
        x = self.middles[place] + away
        return round(self.total - x if self.direction == "rtl" else x, 1)

    def render_word(self, text, tag, lemma, i):
        """A word, and below it the relation to the root of one that has no head."""
        x = self.across(i)
        lines = [LINE.format(x=x, down="", text=drawn_text(text) or BLANK)]
        if tag:
            lines.append(LINE.format(x=x, down=' dy="1.4em" class="root"', text=drawn_text(tag)))
        mark = MARK * (i in self.marked)
        y = round(self.offset_y + self.word_spacing, 1)
        return WORD.format(mark=mark, y=y, lines="".join(lines))

    def render_arrow(self, label, start, end, direction, i):
        """An arc with its label, from the head to the dependent."""
        away = (INNER, -OUTER) if direction == "left" else (OUTER, -INNER)
        low, high = sorted((self.across(start, away[0]), self.across(end, away[1])))
        y = round(self.offset_y, 1)
        height = self.levels[start, end, label] * self.distance / 2
        handle = round(self.offset_y - height * 4 / 3, 1)  # the curve reaches 3/4 of its handles
        turned = self.direction == "rtl"
        points = "left" if (direction == "left") != turned else "right"
        return ARC.format(
            mark=MARK * (self.dependents[i] in self.marked),
            arc=self.get_arc(low, y, handle, high),
            head=self.get_arrowhead(points, low, y, high),
            x=round((low + high) / 2, 1),
            y=round(self.offset_y - height - 4, 1),
            label=drawn_text(label),
        )


def root_label(tree, place):
    """What stands below a word that no arc leads to."""
    parent, label = tree.parents[place], tree.labels[place]
    if parent == -1:
        return f"root: {label}"
    return f"itself: {label}" if parent == place else ""


def drawn_text(text):
    """A word or label as SVG."""
    return escape(cut(text))


def cut(text):
    """A word or label as it is drawn: without what steers, cut if it is long."""
    text = legible(" ".join(text.split()))
    return text if len(text) <= CUT else text[: CUT - 1] + "\u2026"


def room_of(trees):
    """(the middle of each word in px, the width of all) so that all words and labels have room.

    Of several trees with as many words, which then stand below each other.
    """
    wide = [
        GAP + max(NARROWEST, *(width_at(tree, place) for tree in trees))
        for place in range(len(trees[0].parents))
    ]
    middles, end = [], 0
    for place, width in enumerate(wide):
        arcs = [arc for tree in trees for arc in arcs_at(tree, place)]
        ends = (middles[start] + room for start, room in arcs)
        middles.append(max([end + width / 2, *ends]))
        end = middles[-1] + width / 2
    return middles, end or NARROWEST


def width_at(tree, place):
    """How many px a word needs, and what stands below it."""
    word, below = tree.words[place], root_label(tree, place)
    return max(WORD_LETTER * columns(word), LABEL_LETTER * columns(below))


def arcs_at(tree, place):
    """(where it begins, px it needs) of the arc of a word, and of those from it to the left."""
    dependents = [place, *(i for i, head in enumerate(tree.parents[:place]) if head == place)]
    for one in dependents:
        start = min(one, tree.parents[one])
        if 0 <= start < place:
            yield start, LABEL_LETTER * columns(tree.labels[one]) + GAP


def columns(text):
    """How many letters wide a text is, when it is drawn."""
    return sum(
        2 if east_asian_width(sign) in "WF" else WIDTHS.get(sign, 1.2 if sign.isupper() else 1)
        for sign in cut(text)
    )


def nested_list(parents, labels, words=None, notes=None):
    """A constituency tree as nested lists, without recursion.

    Parameters
    ----------
    parents, labels : sequences
        Of the nodes in preorder; the parent of the root is -1.
    words : sequence of str, optional
        One for each leaf.
    notes : mapping of int to str, optional
        What is said of nodes that differ.
    """
    notes, inner = notes or {}, set(parents)
    leaves = iter(words or ())
    depths, rows = [], []
    for place, parent in enumerate(parents):
        depth = 0 if parent < 0 else depths[parent] + 1
        depths.append(depth)
        word = next(leaves, None) if place not in inner else None
        said = [notes.get(place)] * (place in notes) + [f"level {depth}"] * (depth > DEEPEST)
        rows.append((min(depth, DEEPEST), node(labels[place], word, said, place in notes)))
    return Markup(lists(rows))


def lists(rows):
    """Pairs of a depth and markup, each at most one deeper than the one before, as lists."""
    parts, depth = [], -1
    for level, stretch in groupby(rows, key=itemgetter(0)):
        parts.append("<ul>" if level > depth else "</li></ul>" * (depth - level) + "</li>")
        parts.append("<li>" + "</li><li>".join(text for _, text in stretch))
        depth = level
    return "".join(parts) + "</li></ul>" * (depth + 1)


def node(label, word, said, differs):
    """The label of a node, the word below a leaf, and what is said of it."""
    mark = ' class="differs"' * differs
    parts = [f"<b{mark}>{escape(legible(label)) or '(empty)'}</b>"]
    if word is not None:
        parts.append(escape(legible(word)))
    if said:
        parts.append(f"<small>{escape(legible(', '.join(said)))}</small>")
    return " ".join(parts)
