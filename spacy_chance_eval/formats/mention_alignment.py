"""Mentions without offsets, placed on their text: what language models and many services answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

from ..measures.messages import quoted

QUOTES = "\"'`´\u2018-\u201f\u2032\u2033\u2039\u203a\u00ab\u00bb\uff02\uff07"
DASHES = "\\-\u2010-\u2015\u2212\uff0d"
PARTS = re.compile(rf"[{QUOTES}]+|[{DASHES}]+|\w+|\S")
# letters of scripts that are written without blanks, or of Korean, where particles are attached
CONTINUOUS = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)


class Placement(NamedTuple):
    """A mention with its place in the text.

    `start` and `end` are None if it occurs nowhere, or no occurrence is left for it. `how` is
    "exact", "normalized" or "unplaced". It is `ambiguous` if its place is a guess: its text occurs
    more often than it was mentioned, or inside words only.
    """

    start: int | None
    end: int | None
    label: str
    text: str
    how: str
    ambiguous: bool


def align_mentions(text: str, mentions: Sequence[tuple[str, str]]) -> list[Placement]:
    """Mentions without offsets, with their places in the text.

    Candidates of a mention are its occurrences of the first kind that it has:

    1. exact ones, at boundaries of words;
    2. at boundaries of words, whatever the case, the kind of quotes and dashes, and the white
       space, of which there may be none beside punctuation;
    3. exact ones, then such ones, inside words ("Art" in "Party"), which are always `ambiguous`.

    White space around a mention is left out. In scripts without blanks, and in Korean, words have
    boundaries everywhere, but not before a mark.

    No two mentions overlap: the longest text chooses first. Mentions of the same text have its
    occurrences from left to right. If it occurs more often than it is mentioned, those come first
    that follow the nearest mention before it in the list whose place is no choice.

    Parameters
    ----------
    text : str
        The text of the document.
    mentions : sequence of (str, str)
        Text and label of each, in the order of the document if that is known; an empty text is a
        ValueError.
    """
    numbers: dict[str, list[int]] = {}
    for i, mention in enumerate(mentions):
        is_pair = type(mention) in (tuple, list) and [*map(type, mention)] == [str, str]
        if not is_pair or not mention[0].strip():
            expected = "expected (text, label), two str, with a text that is not empty"
            raise ValueError(f"mention {i} is {quoted(mention, 80)}; {expected}")
        numbers.setdefault(mention[0].strip(), []).append(i)
    groups = [(part, own, *_occurrences(text, part)) for part, own in numbers.items()]
    fixed: dict[int, int] = {}  # where mentions begin whose places are no choice
    for _, own, _, places, _ in groups:
        if len(places) <= len(own):
            fixed |= zip(own, (start for start, _ in places))
    found = [Placement(None, None, label, given, "unplaced", False) for given, label in mentions]
    covered = bytearray(len(text))  # whether a mention has a character
    for _, own, how, places, inside in sorted(groups, key=lambda one: (-len(one[0]), one[2])):
        free = [(start, end) for start, end in places if not any(covered[start:end])]
        chosen = free
        if len(places) > len(own):
            chosen, rest = [], [*free]
            for i in own[: len(free)]:
                low = next((fixed[n] for n in range(i, -1, -1) if n in fixed), 0)
                chosen.append(min(rest, key=lambda place: (place[0] < low, place)))
                rest.remove(chosen[-1])
        for i, (start, end) in zip(own, sorted(chosen)):
            guess = inside or len(free) > len(own)
            found[i] = Placement(start, end, found[i].label, found[i].text, how, guess)
            covered[start:end] = b"\1" * (end - start)
    return found


def _occurrences(text: str, mention: str) -> tuple[str, list[tuple[int, int]], bool]:
    """(how, places, whether inside words) of the best occurrences of a mention."""
    exact = [one.span() for one in re.finditer(re.escape(mention), text)]
    if whole := [place for place in exact if _is_whole(text, place)]:
        return "exact", whole, False
    pattern = ""
    for before, part in pairwise(["", *PARTS.findall(mention)]):
        blank = r"\s+" if before[-1:].isalnum() and part[0].isalnum() else r"\s*"
        kind = next((one for one in (QUOTES, DASHES) if re.match(f"[{one}]", part)), "")
        pattern += blank * bool(before) + (f"[{kind}]+" if kind else re.escape(part))
    alike = [one.span() for one in re.finditer(pattern, text, re.IGNORECASE)]
    if whole := [place for place in alike if _is_whole(text, place)]:
        return "normalized", whole, False
    return ("exact", exact, True) if exact else ("normalized", alike, True)


def _is_whole(text: str, place: tuple[int, int]) -> bool:
    """Whether a place has boundaries of words on both sides; in scripts without blanks all are."""
    for at in place:
        before, after = text[at - 1 : at], text[at : at + 1]
        if before and after and _is_of_word(before) and _is_of_word(after):
            if category(after)[0] == "M" or not CONTINUOUS.search(before + after):
                return False
    return True


def _is_of_word(char: str) -> bool:
    """Whether words are made of a character: a letter, digit, mark or joiner."""
    return char.isalnum() or char == "_" or category(char) in ("Mn", "Mc", "Cf")
