"""Annotated text as HTML drawn by displaCy, as safe markup.

displaCy escapes words, but not labels: these are escaped here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, groupby
from typing import Any, TypeAlias

from markupsafe import Markup
from spacy.displacy import SpanRenderer

from ..formats import Document
from .words import TableRow, legible, text_direction

Span: TypeAlias = tuple[int, int, str]  # start, end, label

# black text on them has a contrast of 6, they themselves one of 3 on white and 5 on dark pages
PALETTE = (
    *("#3e90e3", "#cf771e", "#2fa14b", "#d265b7", "#169c9c"),
    *("#e86161", "#92922a", "#957eda", "#5a9e17", "#8f8f8f"),
)
# what displaCy fills in; its own have the style of page and label in every one of their tags
TEMPLATE = {
    "span": '<span style="height:{total_height}px"><bdi>{text}</bdi>{span_slices}{span_starts}'
    "</span> ",
    "slice": '<i{mark} style="--y:{top_offset}px;--c:{bg}"></i>',
    "start": '<b{mark} style="--y:{top_offset}px;--c:{bg}">{label}{kb_link}</b>',
}
LEFT_OUT = 5  # follows the indices of `RELATIONS`: a span excluded by a filter
LINK = '<a href="#{row}" title="{reason}">{label}</a>'
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
MANY = 1000  # characters: more than a label has
SMALL, SIGN = 0.75, 3.5  # widths of a character of a label, of its sign and edges, in those of text
WORD = re.compile(r"\S+")


class MarkedLabel(str):
    """A label of a span with its relation to a span of the other annotation.

    Attributes
    ----------
    relation : int
        Index of `RELATIONS`, or `LEFT_OUT`: how the span is drawn.
    row : str
        The id of the row of its pair on the page, which the label links to; "" if there is none.
    reason : str
        The relation of the pair, with the reason for it.
    other : str
        The label of gold that a predicted span should have, to be written behind its own.
    """

    __slots__ = ("other", "reason", "relation", "row")

    relation: int
    row: str
    reason: str
    other: str

    def __new__(
        cls, label: str, relation: int, row: str = "", reason: str = "", other: str = ""
    ) -> MarkedLabel:
        """The label with its relation, row, reason and the other label."""
        self = super().__new__(cls, label)
        self.relation, self.row, self.reason, self.other = relation, row, reason, other
        return self

    def with_text(self, text: str) -> MarkedLabel:
        """The same label with another text."""
        return MarkedLabel(text, self.relation, self.row, self.reason, self.other)


class RelationRenderer(SpanRenderer):
    """displaCy's renderer of spans, with marks and links for spans that have a relation."""

    def _render_markup(self, per_token_info: list[dict[str, Any]]) -> str:
        for token, following in zip(per_token_info, per_token_info[1:]):
            going = {e["render_slot"] for e in following["entities"] if not e["is_start"]}
            for entity in token["entities"]:
                entity["goes_on"] = entity["render_slot"] in going
        words = [token["text"] for token in per_token_info]
        room: dict[int, int] = {}  # by height: characters up to the next label
        for token in reversed(per_token_info):
            room = {slot: n + len(token["text"]) + 1 for slot, n in room.items()}
            for entity in token["entities"]:
                if entity["is_start"]:
                    slot = entity["render_slot"]
                    width = SMALL * len(_shown(entity["label"])) + SIGN
                    entity["tight"] = room.get(slot, MANY) < width
                    room[slot] = 0
        return "".join(
            _in_direction(super(RelationRenderer, self)._render_markup(per_token_info[run]), way)
            for run, way in _direction_runs(words, self.direction)
        )

    def _get_span_slices(self, entities: list[dict[str, Any]]) -> str:
        return "".join(self._filled(self.span_slice_template, entity) for entity in entities)

    def _get_span_starts(self, entities: list[dict[str, Any]]) -> str:
        starts = (entity for entity in entities if entity["is_start"])
        return "".join(self._filled(self.span_start_template, entity) for entity in starts)

    def _filled(self, template: str, entity: dict[str, Any]) -> str:
        """The HTML of a line or a label of a span."""
        label, marks, title = _shown(entity["label"]), [], ""
        is_line = template is self.span_slice_template
        if is_line and entity.get("goes_on"):
            marks.append("on")
        elif not is_line and entity["tight"]:
            marks.append("tight")
        if isinstance(entity["label"], MarkedLabel):
            marks.append(f"k{entity['label'].relation}")
            reason = escape(legible(entity["label"].reason))
            if entity["label"].row:
                label = LINK.format(row=entity["label"].row, reason=reason, label=label)
            elif reason and not is_line:
                title = f' title="{reason}"'
        mark = (f' class="{" ".join(marks)}"' if marks else "") + title
        return template.format(
            mark=mark,
            bg=self.colors.get(str(entity["label"]).upper(), self.default_color),
            top_offset=self.top_offset + self.offset_step * (entity["render_slot"] - 1),
            label=label,
            kb_link=entity["kb_link"],
        )


def _shown(label: str) -> str:
    """A label, and behind it the one that gold has instead."""
    other = label.other if isinstance(label, MarkedLabel) else ""
    return f"{label}, not {_label_markup(other)}" if other else label


def _in_direction(markup: str, way: str) -> str:
    """The markup of words, isolated if their direction is not that of the text around them."""
    return f'<bdi dir="{way}">{markup.rstrip()}</bdi> ' if way else markup


def _direction_runs(words: Sequence[str], direction: str) -> Iterator[tuple[slice, str]]:
    """The runs of words of one direction, with that direction; "" for the one of the text.

    Browsers put the boxes of marked words in the order of the text, whatever the words say. Words
    without a direction belong to a run if they are between two of its words.
    """
    ways = [text_direction([word], "") for word in words]
    placed = (i for i, way in enumerate(ways) if way)
    done = 0
    for other, group in groupby(placed, key=lambda i: ways[i] != direction):
        if other:
            run = [*group]
            start, end = run[0], run[-1]
            yield slice(done, start), ""
            yield slice(start, end + 1), ways[start]
            done = end + 1
    yield slice(done, len(words)), ""


def span_renderer(labels: Collection[str]) -> RelationRenderer:
    """A renderer of spans with a colour for each label, to be reused for all pages of a run.

    It replaces `displacy.render`, which looks up all registered colours for every passage.
    """
    colors = {}
    for i, label in enumerate(sorted(labels)):
        colour = PALETTE[i % len(PALETTE)]
        colors[_label_markup(label)] = colors[AGAIN + _label_markup(label)] = colour
    return RelationRenderer(options={"colors": colors, "template": TEMPLATE, **OFFSETS})


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
        Unit of offsets; with "category", sides are labels of the whole document.
    sides : sequence of collections
        The spans (start, end, label) of each annotator, or the labels. A span whose label is a
        `MarkedLabel` is drawn by its relation.
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
        text = AGAIN * again + _label_markup(label)
        text = label.with_text(text) if isinstance(label, MarkedLabel) else text
        spans.append({"start_token": start, "end_token": end, "label": text})
    settings = {"direction": text_direction(words)}
    parsed = {"tokens": words, "spans": spans, "settings": settings}
    return Markup(renderer.render([parsed]).strip())
