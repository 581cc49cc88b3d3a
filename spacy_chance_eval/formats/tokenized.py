"""Tokens and sentences that lie as annotations over a text, as UIMA and GATE have them."""

import math
from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from .errors import FormatError, Mistake
from .rows import Tokens, spaced_borders, text_borders, to_tokens, unique


class Placed(NamedTuple):
    """A text, its tokens (None: positions are characters) and the starts of its sentences."""

    text: str
    tokens: Tokens | None
    sents: tuple

    @property
    def words(self):
        return self.tokens.words if self.tokens else ()

    @property
    def spaces(self):
        return self.tokens and self.tokens.spaces

    @property
    def positions(self):
        return "token" if self.tokens else "char"


def placed_text(text, tokens, sentences):
    """`Placed` from borders (start, end) in characters, in any order.

    Raises
    ------
    Mistake
        If tokens overlap, are empty or lie outside the text.
    """
    starts = sorted({start for start, end in sentences if start < end})
    if not tokens:
        return Placed(text, None, tuple(start for start in starts if start < len(text)))
    borders = tuple(sorted(tokens))
    for (start, end), (following, _) in pairwise((*borders, (len(text), None))):
        if not start < end <= following:
            raise Mistake(
                f"token [{start}, {end}) in front of position {following}",
                "tokens must not be empty, overlap or leave the text; correct them",
            )
    begins = [start for start, _ in borders]
    firsts = {bisect_left(begins, start) for start in starts} - {len(borders)}
    words = tuple(text[start:end] for start, end in borders)
    return Placed(text, Tokens(words, borders, spaces_in(text, borders)), tuple(sorted(firsts)))


def spaces_in(text, borders):
    """Whether a space follows each token; None if words and single spaces do not make the text."""
    size = len(text)
    gaps = [text[end:start] for (_, end), (start, _) in pairwise((*borders, (size, size)))]
    if borders[0][0] or set(gaps) - {"", " "}:
        return None
    return tuple(gap == " " for gap in gaps)


def places(placed, spans, misaligned):
    """({span in characters: span on the positions}, rows (length, label) of spans without a place).

    Raises
    ------
    Mistake
        If a span is there twice, or does not fit the tokens and `misaligned` is "error".
    """
    spans = unique(spans)
    if placed.tokens is None:
        return {span: span for span in spans}, ()
    starts = {start: i for i, (start, _) in enumerate(placed.tokens.borders)}
    ends = {end: i + 1 for i, (_, end) in enumerate(placed.tokens.borders)}
    found = {
        (start, end, label): (starts[start], ends[end], label)
        for start, end, label in spans
        if start in starts and end in ends
    }
    loose = [span for span in spans if span not in found]
    return found, to_tokens(loose, placed.tokens, misaligned)[1]


def simple(said):
    """The values that are strings, finite numbers or truth."""
    return {
        name: found
        for name, found in said.items()
        if type(found) in (str, int, bool) or type(found) is float and math.isfinite(found)
    }


class Laid(NamedTuple):
    """A document as text, and everything in it by characters."""

    text: str
    tokens: tuple
    sentences: tuple
    borders: tuple | None

    def span(self, start, end):
        """A span on the positions of the document, in characters."""
        if self.borders is None:
            return start, end
        return self.borders[start][0], self.borders[end - 1][1]


def laid_out(document, positions, path):
    """`Laid` of a document; text that it does not have is made of words and spaces.

    Raises
    ------
    FormatError
        If the words do not make up the text, or it has neither.
    """
    called = f"document {document.name!r}"
    if positions == "char":
        borders, size = None, len(document.text)
    else:
        if not document.words:
            raise FormatError(f"{called} has no tokens; leave it out", path)
        borders, size = borders_of(document), len(document.words)
        if borders is None:
            raise FormatError(f"the words of {called} do not make up its text; correct one", path)
    text = spaced(document) if document.text is None else document.text
    laid = Laid(text, borders or (), (), borders)
    cuts = pairwise((*document.sents, size))
    return laid._replace(sentences=tuple(laid.span(start, end) for start, end in cuts))


def spaced(document):
    """The words with their spaces; with one between any two if they are unknown."""
    spaces = document.spaces or [True] * (len(document.words) - 1) + [False]
    return "".join(word + " " * space for word, space in zip(document.words, spaces))


def borders_of(document):
    """The borders of the words in the text; None if they do not make it up."""
    if document.text is None or document.spaces and spaced(document) == document.text:
        spaces = document.spaces or [True] * len(document.words)
        return spaced_borders(document.words, spaces)
    return text_borders(document.words, document.text)


def refuse_what_has_no_place(document, path):
    """Raise for what neither UIMA nor GATE can say of a document."""
    losses = {
        "positions without annotation": document.missing or any(document.missing_in.values()),
        "spans that do not fit the tokens": any(document.unplaced.values()),
        "categories": document.categories,
    }
    for what, there in losses.items():
        if there:
            raise FormatError(
                f"document {document.name!r} has {what}, which have no place in this format; "
                "write JSONL",
                path,
            )
