"""Annotated text as HTML: passages with the spans of each side, in displaCy's span style.

displaCy escapes words, but not labels: these are escaped here, so that all markup is safe.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from html import escape
from itertools import accumulate, groupby
from operator import itemgetter
from unicodedata import east_asian_width

from markupsafe import Markup
from spacy.displacy import DependencyRenderer, SpanRenderer

from .words import legible

# black text on them has a contrast of 6, they themselves one of 3 on white and 5 on dark pages
PALETTE = (
    *("#3e90e3", "#cf771e", "#2fa14b", "#d265b7", "#169c9c"),
    *("#e86161", "#92922a", "#957eda", "#5a9e17", "#8f8f8f"),
)
# what displaCy fills in; its own have the style of page and label in every one of their tags
TEMPLATE = {
    "span": '<span style="height:{total_height}px"><bdi>{text}</bdi>{span_slices}{span_starts}'
    "</span> ",
    "slice": '<i style="--y:{top_offset}px;--c:{bg}"></i>',
    "start": '<b style="--y:{top_offset}px;--c:{bg}">{label}{kb_link}</b>',
}
OFFSETS = {"top_offset": 28, "span_label_offset": 14, "top_offset_step": 17}  # px
LONGEST = 60  # pieces of a passage, where nothing tells the sentences
HELD = 600  # pieces of a passage that spans hold together; longer ones are cut, spans and all
MANY = 40  # passages, above which those without differences are left out
MOST = 200  # passages of a document that are drawn
TEXT = 3000  # characters shown of a text whose labels are those of the whole document
AGAIN = "\u2026 "  # in front of the label of a span that goes on from the passage before
BLANK = "\u2423"  # a span on nothing but white space; displaCy would not draw it
NO_TEXT = "The text is not known, only how long it is; nothing can be drawn."
EMPTY = "The text is empty."
WORD = re.compile(r"\S+")


def renderer_of(labels):
    """displaCy's renderer of spans, with a colour for each label; make one for all pages of a run.

    `displacy.render` would look up all colours of the registry for every passage.
    """
    colors = {}
    for i, label in enumerate(sorted(labels)):
        colors[written(label)] = colors[AGAIN + written(label)] = PALETTE[i % len(PALETTE)]
    return SpanRenderer(options={"colors": colors, "template": TEMPLATE, **OFFSETS})


def written(label):
    """A label as displaCy gets it."""
    return escape(legible(label)) or "(empty)"


def drawn(renderer, document, positions, sides, wrong=()):
    """A document as passages with the spans of each side, ready for the templates.

    Parameters
    ----------
    renderer : SpanRenderer
        As `renderer_of` makes it.
    document : formats.Document
        Its text or tokens.
    positions : "token", "char" or "category"
        What offsets count; with "category", sides are labels of the whole document.
    sides : sequence of sequences
        The spans (start, end, label) of each annotator, or the labels.
    wrong : iterable of (start, end)
        Where sides differ.

    Returns
    -------
    dict
        `passages`: start, end, `sides` (safe markup of each) and `wrong`; those without differences
        are left out of long documents. `n_equal` and `n_more`: how many passages without and with
        differences are left out. `text` and `labels` of sides in place of passages, for categories.
        `note`: why nothing is drawn, or None.
    """
    found = {"passages": [], "n_equal": 0, "n_more": 0, "text": None, "labels": None, "note": None}
    if positions == "category":
        text = document.text if document.text is not None else " ".join(document.words)
        short = text if len(text) <= TEXT else text[:TEXT] + " \u2026"
        note = None if text else unknown(document)
        return found | {"text": short, "labels": [sorted(side) for side in sides], "note": note}
    spans = [row for side in sides for row in side]
    pieces, starts = pieces_of(document, positions, spans)
    if not pieces:
        return found | {"note": unknown(document)}
    rows = [placed(side, starts) for side in sides]
    cuts = passages_of(len(pieces), pieces_at(document.sents, starts), [r for s in rows for r in s])
    differing = touched(cuts, placed([(*extent, "") for extent in wrong], starts))
    kept = sorted(differing) if len(cuts) - 1 > MANY else list(range(len(cuts) - 1))
    by_passage = [shared_out(side, cuts) for side in rows]
    for number in kept[:MOST]:
        start, end = cuts[number : number + 2]
        markup = [markup_of(renderer, pieces[start:end], side[number]) for side in by_passage]
        found["passages"].append(
            {
                "start": starts[start],
                "end": starts[end],
                "sides": markup,
                "wrong": number in differing,
            }
        )
    return found | {"n_equal": len(cuts) - 1 - len(kept), "n_more": len(kept[MOST:])}


def unknown(document):
    """Why a document without text and tokens has none."""
    return EMPTY if document.text == "" or document.size is None else NO_TEXT


def pieces_of(document, positions, spans):
    """The words of a document, or its text cut at words and spans; and the position of each.

    The last position is that behind the end.
    """
    if positions == "token":
        return document.words, range(len(document.words) + 1)
    text = document.text
    if not text:
        return [], [0]
    cuts = {found.start() for found in WORD.finditer(text)}
    cuts |= {place for start, end, _ in spans for place in (start, end)} | {0, len(text)}
    starts = sorted(cuts)
    return [text[i:j].rstrip() for i, j in zip(starts, starts[1:])], starts


def pieces_at(places, starts):
    """The pieces in which positions lie."""
    return [bisect_right(starts, place) - 1 for place in places]


def placed(spans, starts):
    """Spans with pieces for positions."""
    return [
        (bisect_right(starts, start) - 1, bisect_left(starts, end), label)
        for start, end, label in sorted(spans)
    ]


def passages_of(size, sents, spans):
    """Where passages begin, and the end: sentences, or stretches; no span is cut, up to a limit."""
    cuts = set(sents) if len(sents) > 1 else set(range(0, size, LONGEST))
    held = [0] * (size + 2)
    for start, end, _ in spans:
        held[start + 1] += 1
        held[max(end, start + 1)] -= 1
    free = [place for place, depth in enumerate(accumulate(held)) if not depth]
    cuts = sorted((cuts & set(free) - {size}) | {0, size})
    return [cut for low, high in zip(cuts, cuts[1:]) for cut in range(low, high, HELD)] + [size]


def touched(cuts, spans):
    """The passages that any of the spans touches."""
    return {number for start, end, _ in spans for number in numbers(cuts, start, end)}


def numbers(cuts, start, end):
    """The passages in which a span lies."""
    return range(bisect_right(cuts, start) - 1, max(bisect_left(cuts, end), 1))


def shared_out(spans, cuts):
    """The spans of each passage: (start, end, label, goes on), counted from its begin."""
    found = defaultdict(list)
    for start, end, label in spans:
        for number in numbers(cuts, start, end):
            low, high = cuts[number : number + 2]
            row = (max(start, low) - low, min(end, high) - low, label, start < low)
            found[number].append(row)
    return found


def markup_of(renderer, words, rows):
    """Words with their spans, as displaCy draws them."""
    words = [legible(word) for word in words]
    spans = []
    for start, end, label, again in rows:
        words[start] = words[start] if words[start].strip() else BLANK
        label = AGAIN * again + written(label)
        spans.append({"start_token": start, "end_token": end, "label": label})
    parsed = {"tokens": words, "spans": spans, "settings": {"direction": direction(words)}}
    return renderer.render([parsed]).strip()


def direction(words):
    """ "rtl" or "ltr": the way of the first sign that has one."""
    for sign in "".join(words):
        way = unicodedata.bidirectional(sign)
        if way in ("L", "R", "AL"):
            return "ltr" if way == "L" else "rtl"
    return "ltr"


LONGEST_SENTENCE = 100  # tokens of a sentence whose dependencies are drawn
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
WORD_SVG = '<text class="word{mark}" text-anchor="middle" y="{y}">{lines}</text>'
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
        return WORD_SVG.format(mark=mark, y=y, lines="".join(lines))

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
