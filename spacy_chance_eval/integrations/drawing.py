"""Annotated text as HTML: passages with the spans of each side, in displaCy's span style.

displaCy escapes words, but not labels: these are escaped here, so that all markup is safe.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from html import escape
from itertools import accumulate

from spacy.displacy import SpanRenderer

from ..report.words import legible

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
