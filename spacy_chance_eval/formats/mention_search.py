"""Occurrences of a mention in a text: exact ones, and ones after normalisation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

STEPS = 3_000_000  # of the search in one text: some seconds
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
    """Where a mention occurs: how it was found, its (start, end), and whether inside words only."""

    how: str
    places: list[tuple[int, int]]
    inside: bool = False


class SearchedText:
    """A text in which mentions are searched.

    Parameters
    ----------
    text : str
        That of a document.
    """

    def __init__(self, text: str) -> None:
        self.text, self.steps = text, STEPS
        self.cut = False  # whether occurrences may have been left out

    def occurrences(self, mention: str, most: int) -> Occurrences:
        """The best occurrences of a mention, from left to right.

        Those that are exact at borders of words, else those that are equal there after
        normalisation, else those inside words.

        Parameters
        ----------
        mention : str
            Without white space around it.
        most : int
            How many occurrences to return at most.
        """
        inside: list[Occurrences] = []
        for how, find in (("exact", self._exact), ("normalized", self._normalized)):
            border, within = self._by_border(find(mention), most)
            if border:
                return Occurrences(how, border)
            inside.append(Occurrences(how, within, True))
        return next((one for one in inside if one.places), inside[-1])

    def _by_border(
        self, found: Iterator[tuple[int, int]], most: int
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Occurrences at borders of words, and others."""
        border, inside = list[tuple[int, int]](), list[tuple[int, int]]()
        many = False
        for place in found:
            self.steps -= 1
            kind = border if all(is_border(self.text, edge) for edge in place) else inside
            if self.steps < 0 and (border or inside) or kind is border and len(border) == most:
                self.cut = True
                break
            many |= kind is inside and len(inside) == most
            if len(kind) < most:
                kind.append(place)
        self.cut |= many and not border
        return border, inside

    def _exact(self, mention: str) -> Iterator[tuple[int, int]]:
        """Where a mention stands as it is."""
        for start in _find(self.text, mention):
            yield start, start + len(mention)

    def _normalized(self, mention: str) -> Iterator[tuple[int, int]]:
        """Where the normalised text has the normalised mention, in whole characters."""
        self.steps -= len(mention)
        if self.steps < 0:
            self.cut = True
            return
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
        chars: list[str] = []
        begins: list[int | None] = []
        ends: list[int | None] = []
        for (folded, start, end), after in zip(units, _next_chars(units)):
            # beside signs (also beside a blank, with a character without width between them)
            is_loose = folded == " " and chars and after and not _are_words(chars[-1], after)
            if folded and not is_loose:
                more = [None] * (len(folded) - 1)
                chars += folded
                begins += [start, *more]
                ends += [*more, end]
        return "".join(chars), begins, ends


def _next_chars(units: Sequence[tuple[str, int, int]]) -> list[str]:
    """For each unit of a text, the first character after normalisation behind it; "" at the end."""
    after, found = "", []
    for folded, _, _ in reversed(units):
        found.append(after)
        after = folded[:1] or after
    return found[::-1]


def _are_words(one: str, two: str) -> bool:
    """Whether words are made of both characters; a blank between them then counts."""
    return _is_of_word(one) and _is_of_word(two)


def _find(text: str, part: str) -> Iterator[int]:
    """Where a text has a part; occurrences may overlap."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def normalized(text: str) -> str:
    """A text in which forms that are read alike are equal.

    Compatibility forms of Unicode are decomposed (NFKD) and letters folded, so that "ﬁ" is "fi" and
    "ß" is "ss"; "İ" is "i". Quotes of all kinds are one, as are dashes and runs of them; white
    space is one blank, and none at the edges and beside punctuation; characters without width are
    left out.
    """
    return SearchedText(text)._folded[0].strip()


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


@lru_cache(maxsize=1 << 16)
def _is_of_word(char: str) -> bool:
    """Whether words are made of a character."""
    return char.isalnum() or char in JOINERS or _extends(char)


def is_border(text: str, place: int) -> bool:
    """Whether a place is not inside a word or character of a text.

    Words are letters, digits and underscores side by side. In scripts without blanks (Chinese,
    Japanese, Thai ...) and in Korean every character has borders.
    """
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if _extends(after):
        return False
    if not (_is_of_word(before) and _is_of_word(after)):
        return True
    return bool(CONTINUOUS.match(before) or CONTINUOUS.match(after))
