"""Mentions without offsets, placed on their text: what language models and many services answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import category, normalize

from ..measures.messages import quoted

# beside initial and final ones of Unicode (Pi, Pf)
QUOTES = "\"'`´\u201a\u201e\u02b9\u02bc\u2032\u2033\u301d\u301e\u301f\uff02\uff07"
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


@dataclass
class _Group:
    """Mentions of one text by number, how it occurs, where, and the places that they take."""

    text: str
    mentions: list[int]
    how: str
    places: list[tuple[int, int]]
    inside: bool  # of words
    taken: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_choice(self) -> bool:
        """Whether there are more places than mentions."""
        return len(self.places) > len(self.mentions)


def align_mentions(text: str, mentions: Sequence[tuple[str, str]]) -> list[Placement]:
    """Mentions without offsets, with their places in the text.

    Candidates of a mention are its occurrences of the first kind that it has:

    1. exact ones, at borders of words;
    2. at borders of words after normalisation: letters without case and compatibility forms (NFKD;
       "ß" is "ss"), runs of quotes of all kinds as one, runs of dashes as one, white space as one
       blank and none beside punctuation, nothing without width;
    3. exact, then normalised ones inside words ("Art" in "Party"), which are always `ambiguous`.

    White space around a mention is left out. In scripts without blanks, and in Korean, words have
    borders everywhere, but not before a mark.

    A text that occurs more often than it is mentioned chooses, the longest text first: occurrences
    that meet no place of another; then those that no other could have; then those between the
    nearest mentions before and after in the list whose texts have no choice; then the first ones.
    Then no two mentions overlap: of all mentions at these places those stay that are most; then
    most of them exact; with the most characters; with the smallest sum of starts. Mentions of the
    same text have their places from left to right.

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
    groups = [_Group(part, own, *_occurrences(text, part)) for part, own in numbers.items()]
    covered = bytearray(len(text))  # whether a place has a character
    _choose(groups, covered, len(mentions))
    _drop_overlaps(groups, covered)
    found = [Placement(None, None, label, given, "unplaced", False) for given, label in mentions]
    for group in groups:
        is_left = any(not any(covered[start:end]) for start, end in group.places)
        guess = group.inside or group.is_choice and is_left
        for i, (start, end) in zip(group.mentions, group.taken):
            found[i] = Placement(start, end, found[i].label, found[i].text, group.how, guess)
    return found


# --- places


def _choose(groups: Sequence[_Group], covered: bytearray, n_mentions: int) -> None:
    """Let each group take as many of its places as it has mentions."""
    fixed: dict[int, int] = {}  # where mentions without a choice begin
    places = [place for group in groups for place in group.places]
    crowd = Counter(n for place in places for n in range(*place))  # how many have a character
    for group in groups:
        if not group.is_choice:
            group.taken = group.places
            fixed |= zip(group.mentions, (start for start, _ in group.places))
            _cover(covered, group.taken)

    def rank(place: tuple[int, int]) -> tuple[Any, ...]:
        meets, is_shared = any(covered[slice(*place)]), any(crowd[n] > 1 for n in range(*place))
        return meets, is_shared, not low <= place[0] <= high, place

    for group in sorted(groups, key=lambda group: (-len(group.text), group.how)):
        rest = [*group.places]
        for i in group.mentions if group.is_choice else ():
            low = next((fixed[n] for n in range(i, -1, -1) if n in fixed), -1)
            high = next((fixed[n] for n in range(i, n_mentions) if n in fixed), len(covered))
            place = min(rest, key=rank)
            rest.remove(place)
            group.taken.append(place)
            _cover(covered, [place])
        group.taken.sort()


def _cover(covered: bytearray, places: Sequence[tuple[int, int]]) -> None:
    """Mark the characters of some places."""
    for start, end in places:
        covered[start:end] = b"\1" * (end - start)


def _drop_overlaps(groups: Sequence[_Group], covered: bytearray) -> None:
    """Leave the best of the places that groups take, without overlaps.

    This is the scheduling of weighted intervals: of the places up to one that ends here, the best
    are that one and the best of those that end before it begins, or the best without it.
    """
    every = sorted((place[::-1], n) for n, group in enumerate(groups) for place in group.taken)
    ends = [end for (end, _), _ in every]
    best: list[tuple[tuple[int, ...], Any]] = [((0, 0, 0, 0), None)]  # (value, the way there)
    for i, ((end, start), n) in enumerate(every):
        value, way = best[bisect_right(ends, start, 0, i)]
        gain = 1, groups[n].how == "exact", end - start, -start
        more = tuple(map(sum, zip(value, gain))), ((start, end), groups[n], way)
        best.append(max(best[-1], more, key=lambda one: one[0]))
    for group in groups:
        group.taken = []
    covered[:] = bytes(len(covered))
    way = best[-1][1]
    while way is not None:
        place, group, way = way
        group.taken.insert(0, place)
        _cover(covered, [place])


# --- occurrences


def _occurrences(text: str, mention: str) -> tuple[str, list[tuple[int, int]], bool]:
    """(how, places, whether inside words) of the best occurrences of a mention."""
    exact = [(start, start + len(mention)) for start in _find(text, mention)]
    if whole := [place for place in exact if _is_whole(text, place)]:
        return "exact", whole, False
    wanted, (folded, begins, ends) = normalized(mention), _folded(text)
    alike = [(begins[at], ends[at + len(wanted) - 1]) for at in _find(folded, wanted)]
    alike = [place for place in alike if min(place) >= 0]
    if whole := [place for place in alike if _is_whole(text, place)]:
        return "normalized", whole, False
    return ("exact", exact, True) if exact else ("normalized", alike, True)


def _find(text: str, part: str) -> Iterator[int]:
    """Where a text has a part; occurrences may overlap."""
    place = text.find(part) if part else -1
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _is_whole(text: str, place: tuple[int, int]) -> bool:
    """Whether a place has borders of words on both sides; in scripts without blanks all are."""
    for border in place:
        before, after = text[border - 1 : border], text[border : border + 1]
        if before and after and _are_words(before, after):
            if category(after)[0] == "M" or not CONTINUOUS.search(before + after):
                return False
    return True


def _are_words(*chars: str) -> bool:
    """Whether words are made of all of some characters: letters, digits, marks, joiners."""
    return all(
        char.isalnum() or char == "_" or category(char) in ("Mn", "Mc", "Cf") for char in chars
    )


def normalized(text: str) -> str:
    """A text in which forms that are read alike are equal: see `align_mentions`."""
    return _folded(text)[0].strip()


@lru_cache(maxsize=2)  # a text, and one after the other its mentions
def _folded(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The normalised text, and where what its characters were made of begins and ends.

    -1 for characters that do not begin, or end, what a character with its marks became.
    """
    found: list[Any] = []  # [character, begin, end]
    for at, char in enumerate(text):
        folded = _fold(char)
        if found and folded == found[-1][0] and folded in ("-", " ", '"'):
            found[-1][2] = at + 1
        elif folded:
            parts = [[one, -1, -1] for one in folded]
            parts[0][1], parts[-1][2] = at, at + 1
            if found and category(char)[0] == "M":
                parts[0][1] = found[-1][2] = -1
            found += parts
    last = len(found) - 1
    chars, begins, ends = [*zip(*found)] or [(), (), ()]
    kept = [i for i, char in enumerate(chars)
            if char != " " or i in (0, last) or _are_words(chars[i - 1], chars[i + 1])]  # fmt: skip
    return "".join(chars[i] for i in kept), [begins[i] for i in kept], [ends[i] for i in kept]


@lru_cache(maxsize=1 << 16)
def _fold(char: str) -> str:
    """A character after normalisation; nothing of one without width."""
    kind = category(char)
    if char.isspace():
        return " "
    if kind == "Pd" or char == "\u2212":
        return "-"
    if kind in ("Pi", "Pf", "Cf") or char in QUOTES:
        return "" if kind == "Cf" else '"'
    return normalize("NFKD", normalize("NFKD", char).casefold()).replace("i\u0307", "i")
