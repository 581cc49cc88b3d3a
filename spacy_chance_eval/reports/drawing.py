"""Annotated text and trees as HTML and SVG, drawn by displaCy; all markup is safe.

displaCy escapes words, but not labels: these are escaped here.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias
from unicodedata import east_asian_width

from markupsafe import Markup
from spacy.displacy import DependencyRenderer, SpanRenderer

from ..formats import Document
from .words import TableRow, legible

Span: TypeAlias = tuple[int, int, str]  # start, end, label

# --- spans

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
PASSAGE = 60  # pieces of a passage, where sentences are not known
LONGEST_PASSAGE = 600  # pieces that spans hold together; longer passages are cut, spans and all
MANY_PASSAGES = 40  # if there are more, those without differences are left out
MOST_PASSAGES = 200  # of a document that are drawn
SHOWN_CHARACTERS = 3000  # characters shown of a text whose labels are those of the whole document
AGAIN = "\u2026 "  # before the label of a span that continues from the passage before
BLANK = "\u2423"  # a span on nothing but white space; displaCy would not draw it
NO_TEXT = "The text is not known, only how long it is; nothing can be drawn."
EMPTY_TEXT = "The text is empty."
WORD = re.compile(r"\S+")


def span_renderer(labels: Collection[str]) -> SpanRenderer:
    """displaCy's renderer of spans, with a colour for each label; one serves all pages of a run.

    `displacy.render` would look up all colours of the registry for every passage.
    """
    colors = {}
    for i, label in enumerate(sorted(labels)):
        colour = PALETTE[i % len(PALETTE)]
        colors[_label_markup(label)] = colors[AGAIN + _label_markup(label)] = colour
    return SpanRenderer(options={"colors": colors, "template": TEMPLATE, **OFFSETS})


def draw_document(
    renderer: SpanRenderer,
    document: Document,
    positions: str,
    sides: Sequence[Collection[Any]],
    wrong: Iterable[tuple[int, int]] = (),
) -> TableRow:
    """A document as passages with the spans of each annotator, ready for the templates.

    Parameters
    ----------
    renderer : SpanRenderer
        One that `span_renderer` made for all labels.
    document : Document
        Its text or tokens.
    positions : "token", "char" or "category"
        What offsets count; with "category", sides are labels of the whole document.
    sides : sequence of collections
        The spans (start, end, label) of each annotator, or the labels.
    wrong : iterable of (start, end)
        Where annotators differ.

    Returns
    -------
    dict
        `passages`: start, end, `sides` (markup of each) and `wrong`; those without differences are
        left out of long documents. `n_equal` and `n_more`: how many passages without and with
        differences are left out. `text` and `labels` of sides instead of passages, for categories.
        `note`: why nothing is drawn, or None.
    """
    empty = {"passages": [], "n_equal": 0, "n_more": 0, "text": None, "labels": None, "note": None}
    if positions == "category":
        text = document.text if document.text is not None else " ".join(document.words)
        short = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " \u2026"
        note = None if text else _why_empty(document)
        return empty | {"text": short, "labels": [sorted(side) for side in sides], "note": note}
    pieces, starts = _pieces(document, positions, [span for side in sides for span in side])
    if not pieces:
        return empty | {"note": _why_empty(document)}
    rows = [_in_pieces(side, starts) for side in sides]
    sents = [_piece_at(position, starts) for position in document.sents]
    cuts = passage_cuts(len(pieces), sents, [span for side in rows for span in side])
    differing = {
        number
        for start, end, _ in _in_pieces([(*extent, "") for extent in wrong], starts)
        for number in _passages_at(cuts, start, end)
    }
    kept = sorted(differing) if len(cuts) - 1 > MANY_PASSAGES else list(range(len(cuts) - 1))
    by_passage = [_by_passage(side, cuts) for side in rows]
    passages = []
    for number in kept[:MOST_PASSAGES]:
        start, end = cuts[number : number + 2]
        passages.append(
            {
                "start": starts[start],
                "end": starts[end],
                "sides": [
                    _span_markup(renderer, pieces[start:end], side[number]) for side in by_passage
                ],
                "wrong": number in differing,
            }
        )
    counts = {"n_equal": len(cuts) - 1 - len(kept), "n_more": len(kept[MOST_PASSAGES:])}
    return empty | counts | {"passages": passages}


def passage_cuts(size: int, sents: Collection[int], spans: Iterable[Span]) -> list[int]:
    """The first piece of each passage, and the end of the last.

    Passages are sentences, or as long as `PASSAGE`. No span is cut, up to `LONGEST_PASSAGE`.

    Parameters
    ----------
    size : int
        How many pieces there are.
    sents : collection of int
        The first pieces of sentences; with less than two, they are not known.
    spans : iterable of (start, end, label)
        In pieces.
    """
    wanted = set(sents) if len(sents) > 1 else set(range(0, size, PASSAGE))
    held = [0] * (size + 2)
    for start, end, _ in spans:
        held[start + 1] += 1
        held[max(end, start + 1)] -= 1
    free = {piece for piece, depth in enumerate(accumulate(held)) if not depth}
    cuts = sorted((wanted & free - {size}) | {0, size})
    parts = zip(cuts, cuts[1:])
    return [cut for low, high in parts for cut in range(low, high, LONGEST_PASSAGE)] + [size]


def _text_direction(words: Iterable[str]) -> str:
    """ "rtl" or "ltr": the direction of the first character that has one."""
    for sign in "".join(words):
        way = unicodedata.bidirectional(sign)
        if way in ("L", "R", "AL"):
            return "ltr" if way == "L" else "rtl"
    return "ltr"


def _label_markup(label: str) -> str:
    """A label as displaCy gets it."""
    return escape(legible(label)) or "(empty)"


def _why_empty(document: Document) -> str:
    """Why a document has neither text nor tokens."""
    return EMPTY_TEXT if document.text == "" or document.size is None else NO_TEXT


def _pieces(
    document: Document, positions: str, spans: Iterable[Span]
) -> tuple[Sequence[str], Sequence[int]]:
    """The words of a document, or its text cut at words and spans; and the position of each.

    The last position is that behind the end.
    """
    if positions == "token":
        return document.words, range(len(document.words) + 1)
    text = document.text
    if not text:
        return [], [0]
    cuts = {match.start() for match in WORD.finditer(text)} | {0, len(text)}
    cuts |= {position for start, end, _ in spans for position in (start, end)}
    starts = sorted(cuts)
    return [text[i:j].rstrip() for i, j in zip(starts, starts[1:])], starts


def _piece_at(position: int, starts: Sequence[int]) -> int:
    """The piece in which a position lies."""
    return bisect_right(starts, position) - 1


def _in_pieces(spans: Iterable[Span], starts: Sequence[int]) -> list[Span]:
    """Spans with pieces for positions, in order."""
    return [
        (_piece_at(start, starts), bisect_left(starts, end), label)
        for start, end, label in sorted(spans)
    ]


def _passages_at(cuts: Sequence[int], start: int, end: int) -> range:
    """The passages in which a span lies."""
    return range(_piece_at(start, cuts), max(bisect_left(cuts, end), 1))


def _by_passage(
    spans: Iterable[Span], cuts: Sequence[int]
) -> dict[int, list[tuple[int, int, str, bool]]]:
    """The spans of each passage: start, end, label, and whether it is continued.

    Starts and ends are counted from the beginning of the passage.
    """
    rows = defaultdict(list)
    for start, end, label in spans:
        for number in _passages_at(cuts, start, end):
            low, high = cuts[number : number + 2]
            row = (max(start, low) - low, min(end, high) - low, label, start < low)
            rows[number].append(row)
    return rows


def _span_markup(
    renderer: SpanRenderer, words: Iterable[str], rows: Iterable[tuple[int, int, str, bool]]
) -> Markup:
    """Words with their spans, as displaCy draws them."""
    words = [legible(word) for word in words]
    spans = []
    for start, end, label, again in rows:
        words[start] = words[start] if words[start].strip() else BLANK
        label = AGAIN * again + _label_markup(label)
        spans.append({"start_token": start, "end_token": end, "label": label})
    settings = {"direction": _text_direction(words)}
    parsed = {"tokens": words, "spans": spans, "settings": settings}
    return Markup(renderer.render([parsed]).strip())


# --- trees

LONGEST_SENTENCE = 100  # tokens of a sentence whose dependencies are drawn
MOST_NODES = 500  # of a constituency tree that is drawn
DEEPEST = 40  # levels of lists; what lies deeper is written at the last one, with its depth
LONGEST_WORD = 22  # letters of a word or label that are drawn; lists have the whole of it
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
TSPAN = '<tspan x="{x}"{down}>{text}</tspan>'
ARC = (
    '<g class="arc{mark}"><path d="{arc}"/><path class="head" d="{head}"/>'
    '<text x="{x}" y="{y}" text-anchor="middle">{label}</text></g>'
)
MARK = " differs"


class Tree(NamedTuple):
    """One annotator's tree of a sentence.

    Parameters
    ----------
    words : sequence of str or None
        Of tokens, or of leaves if they are known.
    parents : sequence of int
        Places among the nodes; -1 for none.
    brackets : sequence of (str, int, int)
        Label, first leaf and end of each node of a constituency tree.
    """

    words: Sequence[str] | None
    parents: Sequence[int]
    labels: Sequence[str]
    brackets: Sequence[tuple[str, int, int]] = ()


class _WordLayout(NamedTuple):
    """Where words are, in px: the middle of each from the left, and the width of all."""

    middles: list[float]
    width: float


class ArcRenderer(DependencyRenderer):
    """displaCy's renderer of dependencies, with arcs and words of its own that can be marked.

    Arcs end at their words however many there are, and run from left to right in either direction
    of writing.
    """

    def __init__(self) -> None:
        super().__init__(LOOK)
        self.lang = ""
        self.marked: frozenset[int] = frozenset()
        self.dependents: list[int] = []
        self.layout = _WordLayout([], 0)

    def draw(self, key: str, tree: Tree, marked: Iterable[int], layout: _WordLayout) -> Markup:
        """A dependency tree as SVG.

        Parameters
        ----------
        key : str
            Its id on the page.
        tree : Tree
            With words.
        marked : iterable of int
            Tokens that are marked as differing.
        layout : _WordLayout
            Where its words are.
        """
        words, parents = tree.words or (), tree.parents
        self.marked, self.layout = frozenset(marked), layout
        self.dependents = [i for i, head in enumerate(parents) if head not in (-1, i)]
        self.direction = _text_direction(words)
        self.offset_x, self.distance = 0, layout.width / max(1, len(parents))
        arcs = [
            {
                "start": min(token, parents[token]),
                "end": max(token, parents[token]),
                "label": tree.labels[token],
                "dir": "left" if token < parents[token] else "right",
            }
            for token in self.dependents
        ]
        texts = [{"text": word, "tag": _root_label(tree, i)} for i, word in enumerate(words)]
        svg = self.render_svg(key, texts, arcs).strip()
        # with a box, paper can make it smaller
        box = f'<svg viewBox="0 0 {self.width:g} {self.height:g}" '
        return Markup(svg.replace("<svg ", box, 1))

    def get_levels(self, arcs: list[dict[str, Any]]) -> dict[tuple[int, int, str], Any]:
        """Levels of arcs, scaled: displaCy makes them the higher the farther apart words are."""
        scale = 2 * LEVEL / self.distance
        return {arc: level * scale for arc, level in super().get_levels(arcs).items()}

    def render_word(self, text: str, tag: str, lemma: str | None, i: int) -> str:
        """A word, and below it the relation to the root of one that has no head."""
        x = self._across(i)
        lines = [TSPAN.format(x=x, down="", text=_svg_text(text) or BLANK)]
        if tag:
            lines.append(TSPAN.format(x=x, down=' dy="1.4em" class="root"', text=_svg_text(tag)))
        mark = MARK * (i in self.marked)
        y = round(self.offset_y + self.word_spacing, 1)
        return WORD_SVG.format(mark=mark, y=y, lines="".join(lines))

    def render_arrow(self, label: str, start: int, end: int, direction: str, i: int) -> str:
        """An arc with its label, from the head to the dependent."""
        away = (INNER, -OUTER) if direction == "left" else (OUTER, -INNER)
        low, high = sorted((self._across(start, away[0]), self._across(end, away[1])))
        y = round(self.offset_y, 1)
        height = self.levels[start, end, label] * self.distance / 2
        handle = round(self.offset_y - height * 4 / 3, 1)  # the curve reaches 3/4 of its handles
        mirrored = self.direction == "rtl"
        points = "left" if (direction == "left") != mirrored else "right"
        return ARC.format(
            mark=MARK * (self.dependents[i] in self.marked),
            arc=self.get_arc(low, y, handle, high),  # type: ignore[arg-type]  # px of any type
            head=self.get_arrowhead(points, low, y, high),  # type: ignore[arg-type]  # the same
            x=round((low + high) / 2, 1),
            y=round(self.offset_y - height - 4, 1),
            label=_svg_text(label),
        )

    def _across(self, token: int, away: float = 0) -> float:
        """Where a word is, in px from the left; `away` from its middle, towards the end."""
        x = self.layout.middles[token] + away
        return round(self.layout.width - x if self.direction == "rtl" else x, 1)


def lay_out_words(trees: Sequence[Tree]) -> _WordLayout:
    """The `_WordLayout` in which all words and labels have room.

    Several trees must have as many words; they can be drawn one above the other.
    """
    widths = [
        GAP + max(NARROWEST, *(_word_width(tree, token) for tree in trees))
        for token in range(len(trees[0].parents))
    ]
    middles: list[float] = []
    end = 0.0
    for token, width in enumerate(widths):
        arcs = [arc for tree in trees for arc in _arcs_at(tree, token)]
        ends = (middles[start] + room for start, room in arcs)
        middles.append(max([end + width / 2, *ends]))
        end = middles[-1] + width / 2
    return _WordLayout(middles, end or NARROWEST)


def nested_list(
    parents: Sequence[int],
    labels: Sequence[str],
    words: Iterable[str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> Markup:
    """A constituency tree as nested lists, without recursion.

    Parameters
    ----------
    parents, labels : sequences
        Of the nodes in preorder; the parent of the root is -1.
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


def _root_label(tree: Tree, token: int) -> str:
    """The text below a word that no arc leads to."""
    parent, label = tree.parents[token], tree.labels[token]
    if parent == -1:
        return f"root: {label}"
    return f"itself: {label}" if parent == token else ""


def _svg_text(text: str) -> str:
    """A word or label as SVG."""
    return escape(_short_word(text))


def _short_word(text: str) -> str:
    """A word or label as it is drawn: legible, and cut if it is long."""
    text = legible(" ".join(text.split()))
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "\u2026"


def _word_width(tree: Tree, token: int) -> float:
    """The width of a word in px, and the text below it."""
    word, below = (tree.words or ())[token], _root_label(tree, token)
    return max(WORD_LETTER * _letters(word), LABEL_LETTER * _letters(below))


def _arcs_at(tree: Tree, token: int) -> Iterator[tuple[int, float]]:
    """Where each arc begins whose right end is a token, and how many px its label needs."""
    dependents = [token, *(i for i, head in enumerate(tree.parents[:token]) if head == token)]
    for dependent in dependents:
        start = min(dependent, tree.parents[dependent])
        if 0 <= start < token:
            yield start, LABEL_LETTER * _letters(tree.labels[dependent]) + GAP


def _letters(text: str) -> float:
    """How many letters wide a text is when it is drawn."""
    return sum(
        2 if east_asian_width(sign) in "WF" else WIDTHS.get(sign, 1.2 if sign.isupper() else 1)
        for sign in _short_word(text)
    )


def _lists(rows: Iterable[tuple[int, str]]) -> str:
    """Pairs of a depth and markup, each at most one deeper than the one before, as lists."""
    parts, depth = [], -1
    for level, nodes in groupby(rows, key=itemgetter(0)):
        parts.append("<ul>" if level > depth else "</li></ul>" * (depth - level) + "</li>")
        parts.append("<li>" + "</li><li>".join(text for _, text in nodes))
        depth = level
    return "".join(parts) + "</li></ul>" * (depth + 1)


def _node_markup(label: str, word: str | None, remarks: Sequence[str], differs: bool) -> str:
    """The label of a node, the word below a leaf, and remarks."""
    mark = ' class="differs"' * differs
    parts = [f"<b{mark}>{escape(legible(label)) or '(empty)'}</b>"]
    if word is not None:
        parts.append(escape(legible(word)))
    if remarks:
        parts.append(f"<small>{escape(legible(', '.join(remarks)))}</small>")
    return " ".join(parts)
