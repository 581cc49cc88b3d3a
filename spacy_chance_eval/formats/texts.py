"""Words and the text that they make up."""

import math
import re
from collections.abc import Mapping
from typing import Any

from .corpus import Document, Stretch
from .errors import FormatError
from .rows import borders_by_spaces, borders_in_text


def simple_values(said: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are strings, finite numbers or truth."""
    return {
        name: found
        for name, found in said.items()
        if type(found) in (str, int, bool) or type(found) is float and math.isfinite(found)
    }


def join_words(document: Document) -> str:
    """The words with their spaces; with one between any two if they are unknown."""
    spaces = document.spaces or [True] * (len(document.words) - 1) + [False]
    return "".join(word + " " * space for word, space in zip(document.words, spaces))


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


def text_and_borders(
    document: Document, path: object, name: str
) -> tuple[str, tuple[Stretch, ...]]:
    """(text, boundaries of words in it) of a document with tokens, called `name` in messages."""
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
        advice = "give the text that its tokens make up, or none: they are then joined by blanks"
        raise FormatError(f"the words of {name} do not make up its text; {advice}", path)
    return text, borders
