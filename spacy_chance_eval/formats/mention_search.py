"""Occurrences of a mention in a text: exact ones, and ones after normalisation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import NamedTuple
from unicodedata import category, normalize

DASHES = (
    "-\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c"
    "\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d"
)
QUOTES = (
    "\"'`´\u00ab\u00bb\u02b9-\u02bd\u02ee\u05f3\u05f4\u2018-\u201f\u2032-\u2037\u2039\u203a"
    "\u275b-\u275e\u300c-\u300f\u301d-\u301f\uff02\uff07"
)
UNIT = re.compile(rf"(?P<blank>\s+)|(?P<dash>[{DASHES}]+)|(?P<quote>``|''|[{QUOTES}])|(?s:.)")
SAME = {"blank": " ", "dash": "-", "quote": '"'}  # one character for all of a kind
# letters of scripts that are written without blanks, or of Korean, where particles are attached
CONTINUOUS = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f"
    "\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uffdc\U00020000-\U0003ffff]"
)
JOINERS = "_\u00ad\u200c\u200d\u2060"  # word characters that are no letters


class Occurrences(NamedTuple):
    """Where a mention occurs: how it was found, its (start, end), and whether inside words only.

    `cut` is whether there are more of them.
    """

    how: str
    places: list[tuple[int, int]]
    inside: bool = False
    cut: bool = False


class SearchedText:
    """A text in which mentions are searched."""

    def __init__(self, text: str) -> None:
        self.text = text

    def occurrences(self, mention: str, most: int) -> Occurrences:
        """The best occurrences of a mention, from left to right, at most so many.

        Those that are exact at borders of words, else those that are equal there after
        normalisation, else those inside words.
        """
        finders = {"exact": self._exact, "normalized": self._normalized}
        for inside, (how, find) in product((False, True), finders.items()):
            some = (place for place in find(mention) if inside or all(map(self.is_border, place)))
            if places := [*islice(some, most + 1)]:
                return Occurrences(how, places[:most], inside, len(places) > most)
        return Occurrences("unplaced", [])

    def _exact(self, mention: str) -> Iterator[tuple[int, int]]:
        """Where a mention stands as it is."""
        for start in _find(self.text, mention):
            yield start, start + len(mention)

    def _normalized(self, mention: str) -> Iterator[tuple[int, int]]:
        """Where the normalised text has the normalised mention, in whole characters."""
        wanted, (folded, begins, ends) = normalized(mention), self._folded
        for start in _find(folded, wanted) if wanted else ():
            first, last = begins[start], ends[start + len(wanted) - 1]
            if first is not None and last is not None:
                yield first, last

    @cached_property
    def _folded(self) -> tuple[str, list[int | None], list[int | None]]:
        """The normalised text, and where the units of its characters begin and end.

        None for characters that do not begin, or end, what one unit of the text became.
        """
        units: list[tuple[str, int, int]] = []
        for match in UNIT.finditer(self.text):
            start, end = match.span()
            if match.lastgroup is None and units and _extends(self.text[start]):
                start = units.pop()[1]
            units.append((_fold(self.text[start:end], match.lastgroup), start, end))
        units = [one for one in units if one[0]]
        chars: list[str] = []
        begins: list[int | None] = []
        ends: list[int | None] = []
        for (folded, start, end), after in zip(units, [*(one[0][0] for one in units[1:]), ""]):
            # a blank beside signs (or beside another, with a character without width between them)
            if folded != " " or not chars or not after or _are_words(chars[-1], after):
                inner = [None] * (len(folded) - 1)
                chars += folded
                begins += [start, *inner]
                ends += [*inner, end]
        return "".join(chars), begins, ends

    def is_border(self, place: int) -> bool:
        """Whether a place is not inside a word or character of the text.

        Words are letters, digits and underscores side by side. In scripts without blanks (Chinese,
        Japanese, Thai ...) and in Korean every character has borders.
        """
        if not 0 < place < len(self.text):
            return True
        before, after = self.text[place - 1], self.text[place]
        if _extends(after):
            return False
        together = _are_words(before, after)
        return not together or bool(CONTINUOUS.match(before) or CONTINUOUS.match(after))


def normalized(text: str) -> str:
    """A text in which forms that are read alike are equal.

    Compatibility forms of Unicode are decomposed (NFKD) and letters folded, so that "ﬁ" is "fi" and
    "ß" is "ss"; "İ" is "i". Quotes of all kinds are one, as are dashes and runs of them; white
    space is one blank, and none at the edges and beside punctuation; characters without width are
    left out.
    """
    return SearchedText(text)._folded[0].strip()


def _find(text: str, part: str) -> Iterator[int]:
    """Where a text has a part; occurrences may overlap."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


@lru_cache(maxsize=1 << 16)
def _fold(unit: str, kind: str | None) -> str:
    """A unit of a text after normalisation: a kind of `SAME`, or a character and its marks."""
    if kind is not None:
        return SAME[kind]
    plain = "".join(char for char in unit if not _is_without_width(char))
    return normalize("NFKD", normalize("NFKD", plain).casefold()).replace("i\u0307", "i")


def _is_without_width(char: str) -> bool:
    """Whether a character is a format character or a selector of variants."""
    return category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char


@lru_cache(maxsize=1 << 16)
def _extends(char: str) -> bool:
    """Whether a character belongs to the one before it: marks, parts of Korean syllables."""
    if char < "\u0300":
        return False
    return (
        category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or char in "\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def _are_words(one: str, two: str) -> bool:
    """Whether words are made of both characters."""
    return all(char.isalnum() or char in JOINERS or _extends(char) for char in (one, two))
