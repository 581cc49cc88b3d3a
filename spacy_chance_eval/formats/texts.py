"""Tokens and sentences that are annotations of a text, as in UIMA and GATE."""

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .corpus import (
    Document,
    PlainSpan,
    Span,
    Stretch,
    Unplaced,
)
from .documents import in_order, span_title
from .errors import ContentError, FormatError
from .rows import (
    Row,
    RowSpans,
    borders_by_spaces,
    borders_in_text,
    checked_fragments,
    gather_spans,
    spans_on_tokens,
)


class _PlacedText(NamedTuple):
    """A text, its tokens and the starts of its sentences.

    Without tokens, positions are characters, and `borders` is None.
    """

    text: str
    sents: tuple[int, ...]
    words: tuple[str, ...] = ()
    borders: tuple[Stretch, ...] | None = None
    spaces: tuple[bool, ...] | None = None

    @property
    def positions(self) -> str:
        """The unit of the offsets: "token" or "char"."""
        return "char" if self.borders is None else "token"


def place_text(text: str, tokens: Collection[Stretch], sentences: Iterable[Stretch]) -> _PlacedText:
    """`_PlacedText` from borders (start, end) in characters, in any order."""
    starts = sorted({start for start, end in sentences if start < end})
    if not tokens:
        return _PlacedText(text, tuple(start for start in starts if start < len(text)))
    borders = tuple(sorted(tokens))
    for (start, end), (following, _) in pairwise((*borders, (len(text), 0))):
        if not start < end <= following:
            raise ContentError(
                f"token [{start}, {end}) before position {following}",
                "tokens must not be empty, overlap or leave the text; correct them",
            )
    begins = [start for start, _ in borders]
    firsts = {bisect_left(begins, start) for start in starts} - {len(borders)}
    words = tuple(text[start:end] for start, end in borders)
    return _PlacedText(text, tuple(sorted(firsts)), words, borders, spaces_in(text, borders))


def spaces_in(text: str, borders: Sequence[Stretch]) -> tuple[bool, ...] | None:
    """Whether a space follows each token; None if words and single spaces do not make the text."""
    size = len(text)
    gaps = [text[end:start] for (_, end), (start, _) in pairwise((*borders, (size, size)))]
    if borders[0][0] or set(gaps) - {"", " "}:
        return None
    return tuple(gap == " " for gap in gaps)


def place_spans(
    placed: _PlacedText, entries: Iterable[tuple[Span, Row]], misaligned: str
) -> RowSpans:
    """The spans on the positions of a text, with their features.

    Parameters
    ----------
    entries : iterable of ((start, end, label), dict)
        Spans in characters, and their features.
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the tokens.
    """
    found = gather_spans(entries)
    if placed.borders is None:
        return found
    return spans_on_tokens(found, placed.borders, misaligned)


FRAGMENTS = "fragments"  # the feature with the pieces of a span, where a format cannot hold them
FRAGMENTS_FORM = re.compile(r"[0-9]{1,10}-[0-9]{1,10}(?: [0-9]{1,10}-[0-9]{1,10})+")


def with_fragments(span: PlainSpan, said: Row, size: int) -> tuple[Span, Row]:
    """A span with the pieces that its feature `fragments` has, and what else is said of it.

    A feature of this name with another value is one like all others. `size` is that of the text.
    """
    found = said.get(FRAGMENTS)
    if type(found) is not str or not FRAGMENTS_FORM.fullmatch(found):
        return span, said
    pieces = [[int(one) for one in piece.split("-")] for piece in found.split(" ")]
    made = checked_fragments(pieces, span[2], size, "characters")
    if made[:2] != span[:2]:
        raise ContentError(
            f"span {span_title(span)} has the pieces {quoted(found)}",
            f"the feature {quoted(FRAGMENTS)} has its pieces, from its beginning to its end",
        )
    return made, {name: value for name, value in said.items() if name != FRAGMENTS}


def simple_values(said: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are strings, finite numbers or truth."""
    return {
        name: found
        for name, found in said.items()
        if type(found) in (str, int, bool) or type(found) is float and math.isfinite(found)
    }


def label_feature(label: str | None) -> tuple[str | None, str | None]:
    """(feature that has the label, label of spans without it) of "FEATURE" or "FEATURE=LABEL"."""
    feature, _, default = (label or "").partition("=")
    return feature or None, default or None


def join_words(document: Document) -> str:
    """The words with their spaces; with one between any two if they are unknown."""
    spaces = document.spaces or [True] * (len(document.words) - 1) + [False]
    return "".join(word + " " * space for word, space in zip(document.words, spaces))


GIVE_TEXT = "give the text that its tokens make up, or none: the words are then joined by blanks"


UNPLACED_TEXTS = "unplaced_mentions"  # {layer: [[text, label]]}
PARTS = re.compile(r"\w+|[^\w\s]")  # of a text of which no tokens are known


def texts_without_place(document: Document, layer: str) -> dict[tuple[int, str], list[str]]:
    """By length and label of an unplaced span, the texts that it may be, as far as they are known.

    Lengths are those of the positions of the document: tokens or characters.
    """
    found: dict[tuple[int, str], list[str]] = {}
    for text, label in document.attributes.get(UNPLACED_TEXTS, {}).get(layer, ()):
        length = n_parts(text) if document.words else len(text)
        found.setdefault((length, label), []).append(text)
    return found


def n_parts(text: str) -> int:
    """The number of words and punctuation marks of a text, at least 1."""
    return max(len(PARTS.findall(text)), 1)


def with_lengths(document: Document, size: int, new_size: int) -> Document:
    """The document with its unplaced spans in other positions, of which it has `new_size`.

    They have no place, so that their new lengths are the mean ones of its text, at least 1. Those
    whose texts are an attribute of the document (`UNPLACED_TEXTS`) have as many tokens as these.
    """
    if not (document.unplaced or document.copies) or not size:
        return document

    def length(n: int) -> int:
        return max(round(n * new_size / size), 1)

    def lengths(layer: str, rows: Sequence[Unplaced]) -> list[Unplaced]:
        texts = document.attributes.get(UNPLACED_TEXTS, {}).get(layer, ())
        if new_size < size and in_order((len(text), label) for text, label in texts) == rows:
            return [(n_parts(text), label) for text, label in texts]
        return [(length(n), label) for n, label in rows]

    copies = {
        layer: {
            span if span[0] >= 0 else (-length(-span[0]), *span[1:]): some
            for span, some in rows.items()
        }
        for layer, rows in document.copies.items()
    }
    unplaced = {layer: lengths(layer, in_order(rows)) for layer, rows in document.unplaced.items()}
    return replace(document, unplaced=unplaced, copies=copies)


def text_and_borders(
    document: Document, path: object, name: str
) -> tuple[str, tuple[Stretch, ...]]:
    """(text, borders of the words in it) of a document with tokens, called `name` in messages."""
    words, spaces, text = document.words, document.spaces, document.text
    if document.size is not None:
        raise FormatError(f"{name} has a size, but no words; characters need the words", path)
    if "" in words:
        empty = words.index("") + 1
        raise FormatError(f"token {empty} of {name} is empty; remove it", path)
    if text is None:
        return join_words(document), borders_by_spaces(words, spaces or [True] * len(words))
    borders = borders_in_text(words, text)
    if borders is None:
        raise FormatError(f"the words of {name} do not make up its text; {GIVE_TEXT}", path)
    return text, borders
