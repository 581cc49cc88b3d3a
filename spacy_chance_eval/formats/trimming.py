"""`--trim`: white space, or punctuation too, is cut off at both ends of spans.

Spans in characters of a text with tokens begin and end at tokens, or are unplaced. So the builder
cuts off what lies between tokens before it places them (`placing`); all other edges are cut when
the corpus is there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..measures.fragments import joined_pieces
from ..measures.spans import Copy
from .corpus import Corpus, Document, Span, Stretch, document_title
from .documents import pieces_of, span_title
from .errors import FormatError, known
from .notes import ALL_EDGE, TRIMMED, Place, note

SPACE, PUNCTUATION = WAYS = ("space", "punctuation")
# punctuation by its category in Unicode, but a part of names and amounts: 5 %, @ada, #oslo, AT&T
KEPT = "%‰@#&§"
BLANK = ("Zs", "Zl", "Zp", "Cc", "Cf")  # controls, and characters without width, too


@lru_cache(4096)
def is_space(text: str) -> bool:
    """Whether a character, or a token, is white space: of Unicode's categories Z, Cc and Cf."""
    return all(unicodedata.category(one) in BLANK for one in text)


@lru_cache(4096)
def is_punctuation(text: str) -> bool:
    """Whether a character, or a token, is white space and punctuation alone."""
    return all(
        is_space(one) or unicodedata.category(one)[0] == "P" and one not in KEPT for one in text
    )


EDGES: dict[str, Callable[[str], bool]] = {SPACE: is_space, PUNCTUATION: is_punctuation}


def trim_spans(corpus: Corpus, how: str) -> Corpus:
    """The corpus with spans cut at both ends, and notes on them.

    A span, or a piece of a discontinuous one, of nothing else keeps its punctuation, but not the
    white space around it; one of white space alone stays as it is. Spans that are then equal are
    one, a further annotation of it, as in `Document.copies`.

    Parameters
    ----------
    how : "space" or "punctuation"
        space: white space, by Unicode's categories Z, Cc and Cf. punctuation: also punctuation
        (P), without % ‰ @ # & §. Of tokens, those that consist of such characters alone.
    """
    known(how, WAYS, "value of trim")
    places: list[Place] = []
    whole: list[Place] = []
    documents = [
        _trimmed(document, corpus, how, place, places, whole)
        for place, document in enumerate(corpus.documents, 1)
    ]
    notes = (corpus.notes + note(TRIMMED, places) + note(ALL_EDGE, whole)).with_how("trim", how)
    if not places:
        return replace(corpus, notes=notes)
    return replace(corpus, documents=tuple(documents), notes=notes)


def _trimmed(
    document: Document,
    corpus: Corpus,
    how: str,
    number: int,
    places: list[Place],
    whole: list[Place],
) -> Document:
    """One document; the places of spans that were cut, and of those of edges alone, are added."""
    content: Sequence[str] | None = document.words if corpus.positions == "token" else document.text
    if document.size is not None and not document.words:
        content = None
    changed: dict[str, dict[str, Any]] = {"layers": {}, "features": {}, "copies": {}}
    for layer, spans in document.layers.items():
        if not spans:
            continue
        if content is None:
            title = document_title(document, number)
            message = f"{title} has a size, but no text, which --trim looks at; give the text"
            raise FormatError(message, document.path or corpus.path)
        features, copies = document.features.get(layer, {}), document.copies.get(layer, {})
        said: dict[Span, list[Copy]] = {}  # of each span, the further annotations behind its own
        for span in spans:
            pieces = [_cut(content, *piece, how) for piece in pieces_of(span)]
            start, end, several = joined_pieces(pieces)
            moved = (start, end, span[2]) if several is None else (start, end, span[2], several)
            line = document.line(span[0] if document.words else 0) or None
            place = Place(document.path or corpus.path, line, span_title(span))
            if moved != span:
                places.append(place)
            if all(map(EDGES[how], content[span[0] : span[1]])):
                whole.append(place)
            own = [Copy(features.get(span, {})), *copies.get(span, ())]
            said.setdefault(moved, []).extend(own)
        changed["layers"][layer] = tuple(said)
        changed["features"][layer] = {span: some[0].features for span, some in said.items()}
        lost = {span: some for span, some in copies.items() if span[0] < 0}
        changed["copies"][layer] = lost | {span: some[1:] for span, some in said.items()}
    more: dict[str, Any] = {
        name: {**getattr(document, name), **one} for name, one in changed.items()
    }
    return replace(document, **more)


def _cut(content: Sequence[str], start: int, end: int, how: str) -> Stretch:
    """A stretch of characters or tokens without its edges; white space alone stays."""
    for is_edge in (EDGES[how], is_space):
        first, last = start, end
        while first < last and is_edge(content[first]):
            first += 1
        while first < last and is_edge(content[last - 1]):
            last -= 1
        if first < last:
            return first, last
    return start, end
