"""Mentions without offsets, placed on their text: what language models and many services answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .mention_search import SearchedText

UNPLACED = "unplaced"
CANDIDATES = 50_000  # occurrences of all mentions: memory
STATES = 1_000_000  # of the search for the optimum: about a second
LEAST_STATES = 8  # at each place of the text, however large a text is


@dataclass(frozen=True)
class Placement:
    """A mention with its place in the text.

    Parameters
    ----------
    index : int
        Its number in the input, from 0.
    start, end : int or None
        Its characters, end exclusive; None if it occurs nowhere, or no occurrence is left for it.
    label : str
        As it was given.
    text : str
        As it was given, with white space around it.
    how : "exact", "normalized" or "unplaced"
        How far its occurrence had to be searched.
    ambiguous : bool
        Whether the choice of the occurrence is a guess: there are more than mentions of this text,
        or they are inside words.
    """

    index: int
    start: int | None
    end: int | None
    label: str
    text: str
    how: str
    ambiguous: bool


@dataclass(frozen=True)
class MentionAlignment:
    """Mentions with their places.

    Parameters
    ----------
    placements : tuple of Placement
        In the order of the input.
    optimal : bool
        Whether this is the best placement; False if the search was cut off at its limit.
    """

    placements: tuple[Placement, ...]
    optimal: bool

    @property
    def spans(self) -> list[tuple[int, int, str]]:
        """(start, end, label) of the mentions that have a place, sorted."""
        return sorted(
            (one.start, one.end, one.label)
            for one in self.placements
            if one.start is not None and one.end is not None
        )

    @property
    def unplaced(self) -> list[Placement]:
        """Those without a place."""
        return [one for one in self.placements if one.start is None]

    @property
    def ambiguous(self) -> list[Placement]:
        """Those whose occurrence is a guess."""
        return [one for one in self.placements if one.ambiguous]

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each mention: the fields of `Placement`."""
        return [asdict(one) for one in self.placements]


class _Place(NamedTuple):
    """An occurrence that a group can take; `gain` is its part of the maximised sum."""

    start: int
    end: int
    group: int
    gain: int


@dataclass
class _Group:
    """Mentions of the same text: their numbers, occurrences of the text, and those they take.

    `windows` are, for each mention, the (first, last) start that fits the order of the mentions.
    """

    mentions: list[int]
    places: list[tuple[int, int]] = field(default_factory=list)
    how: str = UNPLACED
    inside: bool = False
    windows: list[tuple[int, int]] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_choice(self) -> bool:
        """Whether there are more occurrences than mentions."""
        return len(self.places) > len(self.mentions)

    @property
    def is_uniform(self) -> bool:
        """Whether all occurrences have the same length."""
        return len({end - start for start, end in self.places}) <= 1


def align_mentions(
    text: str, mentions: Sequence[tuple[str, str] | Mapping[str, str]]
) -> MentionAlignment:
    """Mentions without offsets, with their places in the text.

    Candidates of a mention are its occurrences of the first kind that it has:

    1. exact ones, at borders of words;
    2. at borders of words after normalisation: letters without case and compatibility forms (NFKD;
       "ß" is "ss"), quotes of all kinds as one, dashes and runs of them as one, white space as one
       blank and none beside punctuation, nothing without width;
    3. exact, then normalised ones inside words ("Art" in "Party"), which are always `ambiguous`.

    White space around a mention is left out. In scripts without blanks, and in Korean, words have
    borders everywhere, but not between a character and its marks.

    No two mentions overlap, and the placement is optimal. It has, in this order: the most mentions;
    the most exact, then normalised ones; the most characters; the most occurrences that no mention
    of another text could have; the most that fit the order of the mentions; the smallest sum of
    starts. A mention of a text with more occurrences than mentions fits the order between the
    nearest mentions before and after it, in the list, whose texts have no more. Mentions of the
    same text take their occurrences from left to right, so that the nth has the nth.

    Parameters
    ----------
    text : str
        That of the document.
    mentions : sequence of (text, label), or of mappings with "text" and "label"
        In the order of the text, if that is known.

    Returns
    -------
    MentionAlignment
        Mentions that occur nowhere, or more often than their text, have no place.

    Raises
    ------
    ValueError
        For a mention that is none, or whose text is empty.
    """
    if not isinstance(text, str):
        raise ValueError(f"text is {quoted(text)}; expected a str")
    pairs = [_checked(mention, i) for i, mention in enumerate(mentions)]
    searched = SearchedText(text)
    groups = _groups([one.strip() for one, _ in pairs], searched)
    _add_windows(groups, len(pairs), len(text))
    search = _Search(len(pairs), len(text))
    search.place_apart(groups)
    places = {
        mention: place for group in groups for mention, place in zip(group.mentions, group.taken)
    }
    guesses = _guesses(groups)
    hows = {mention: group.how for group in groups for mention in group.mentions}
    placements = tuple(
        Placement(i, *places[i], label, given, hows[i], i in guesses)
        if i in places
        else Placement(i, None, None, label, given, UNPLACED, False)
        for i, (given, label) in enumerate(pairs)
    )
    return MentionAlignment(placements, search.optimal and not searched.cut)


def _checked(mention: Any, index: int) -> tuple[str, str]:
    """The (text, label) of a mention."""
    text = label = None
    if isinstance(mention, Mapping):
        text, label = mention.get("text"), mention.get("label")
    elif isinstance(mention, Sequence) and not isinstance(mention, str) and len(mention) == 2:
        text, label = mention
    if not isinstance(text, str) or not isinstance(label, str):
        raise ValueError(
            f"mention {index} is {quoted(mention, 80)}; expected (text, label), or a mapping with "
            "'text' and 'label', which are both str"
        )
    if not text.strip():
        raise ValueError(f"mention {index} has an empty text; leave it out")
    return text, label


def _groups(texts: Sequence[str], searched: SearchedText) -> list[_Group]:
    """Mentions by their text, with its occurrences."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        numbers[text].append(i)
    groups = []
    for text, mentions in numbers.items():
        how, places, inside = searched.occurrences(text, len(mentions) + CANDIDATES // len(numbers))
        groups.append(_Group(mentions, places, how, inside))
    return groups


def _add_windows(groups: Sequence[_Group], n_mentions: int, length: int) -> None:
    """Add to groups with a choice where their mentions fit the order of all."""
    fixed = {
        mention: place[0]
        for group in groups
        if not group.is_choice
        for mention, place in zip(group.mentions, group.places)
    }
    before, after = [-1] * n_mentions, [length] * n_mentions
    for i in range(1, n_mentions):
        before[i] = fixed.get(i - 1, before[i - 1])
        after[-1 - i] = fixed.get(n_mentions - i, after[-i])
    for group in groups:
        group.windows = [(before[i], after[i]) for i in group.mentions]


class _Search:
    """The search for the optimum, and whether it was found.

    The criteria are the digits of one number, the first criterion first; its base is above any sum
    of them. `states` is the number of further states that the search may visit.
    """

    def __init__(self, n_mentions: int, length: int) -> None:
        self.length, self.base = length, n_mentions * (length + 1) + 1
        self.optimal, self.states = True, STATES

    def gain(self, how: str, start: int, end: int, is_free: bool) -> int:
        """The gain of a place: a mention, exact, normalised, characters, free, (ordered,) left."""
        gain = 0
        digits = (1, how == "exact", how == "normalized", end - start, is_free, 0)
        for digit in (*digits, self.length - start):
            gain = gain * self.base + digit
        return gain

    def place_apart(self, groups: Sequence[_Group]) -> None:
        """Let groups take places of which none overlap."""
        places = sorted(
            (start, end, number)
            for number, group in enumerate(groups)
            for start, end in group.places
        )
        free = _free(places)
        clean: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for (start, end, number), is_free in zip(places, free):
            if is_free:
                clean[number].append((start, end))
        # a group with free occurrences enough has its optimum there, in nobody's way
        alone = {
            number
            for number, own in clean.items()
            if groups[number].is_uniform and _count_apart(own) >= len(groups[number].mentions)
        }
        for number in alone:
            groups[number].taken = self.chosen(groups[number], clean[number])
        rest = [
            _Place(start, end, number, self.gain(groups[number].how, start, end, is_free))
            for (start, end, number), is_free in zip(places, free)
            if number not in alone
        ]
        left = len(rest)
        for part in sorted(_components(rest), key=len):
            width = max(LEAST_STATES, self.states // left)
            left -= len(part)
            numbers = {place.group for place in part}
            if len(numbers) == 1 and groups[number := numbers.pop()].is_uniform:
                own = [(place.start, place.end) for place in part]
                groups[number].taken = self.chosen(groups[number], own)
                continue
            for i in self._best(part, groups, width):
                groups[part[i].group].taken.append(part[i][:2])

    def chosen(self, group: _Group, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The best places for a group of its own, from left to right."""
        touch = _count_apart(places) < len(places)
        windows = {*group.windows} if group.is_choice else {(0, self.length)}
        low, high = min(windows)
        ordered = [low <= start <= high for start, _ in places]
        if len(windows) == 1 and not touch:
            left = sorted(places, key=lambda place: not low <= place[0] <= high)
            return sorted(left[: len(group.mentions)])
        if len(windows) == 1 and group.is_uniform and (all(ordered) or not any(ordered)):
            return [*_apart(places)][: len(group.mentions)]
        part = [
            _Place(start, end, 0, self.gain(group.how, start, end, True)) for start, end in places
        ]
        width = max(LEAST_STATES, self.states // len(part))
        return [part[i][:2] for i in self._best(part, [group], width)]

    def _best(self, part: Sequence[_Place], groups: Sequence[_Group], width: int) -> list[int]:
        """Numbers of the places with the largest gain, from left to right.

        Dynamic programming over places: a state is how many mentions of each group with a choice
        have a place, of the groups that have places still to come. Where there are more than
        `width` states, the best of them are kept, and the result may not be the optimum.
        """
        starts = [place.start for place in part]
        last = {place.group: i for i, place in enumerate(part)}
        shifts, masks, size = dict[int, int](), dict[int, int](), 0
        for number in last:
            if groups[number].is_choice:
                bits = len(groups[number].mentions).bit_length()
                shifts[number], masks[number] = size, (1 << bits) - 1 << size
                size += bits
        live = [0] * (len(part) + 1)
        for i in range(len(part) - 1, -1, -1):
            number = part[i].group
            live[i] = live[i + 1] | (masks.get(number, 0) if last[number] == i else 0)
        states: list[dict[int, tuple[int, Any]]] = [{} for _ in live]
        states[0][0] = (0, None)
        for i, (_, end, number, gain) in enumerate(part):
            here, states[i] = states[i], {}
            if len(here) > width:
                self.optimal = False
                here = dict(sorted(here.items(), key=lambda item: -item[1][0])[:width])
            self.states -= len(here)
            group, shift = groups[number], shifts.get(number)
            after = bisect_left(starts, end, i + 1)
            for counts, (total, chain) in here.items():
                _keep(states[i + 1], counts & live[i + 1], total, chain)
                more = gain
                if shift is not None:
                    count = (counts & masks[number]) >> shift
                    if count == len(group.mentions):
                        continue
                    low, high = group.windows[count]
                    more += self.base if low <= part[i].start <= high else 0
                    counts += 1 << shift
                _keep(states[after], counts & live[after], total + more, (i, chain))
        chosen = []
        chain = states[-1][0][1]
        while chain is not None:
            i, chain = chain
            chosen.append(i)
        return chosen[::-1]


def _keep(states: dict[int, tuple[int, Any]], counts: int, total: int, chain: Any) -> None:
    """Keep a way to a state, if it is the best so far."""
    if counts not in states or states[counts][0] < total:
        states[counts] = (total, chain)


def _apart(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The most places of one length that do not overlap, as far to the left as can be."""
    reached = -1
    for start, end in places:
        if start >= reached:
            yield start, end
            reached = end


def _count_apart(places: Sequence[tuple[int, int]]) -> int:
    """How many places of one length fit beside each other."""
    return sum(1 for _ in _apart(places))


def _free(places: Sequence[tuple[int, int, int]]) -> list[bool]:
    """For each (start, end, group), sorted, whether it overlaps none of another group."""
    free = [True] * len(places)
    ends = [(-1, -1), (-1, -1)]  # the furthest end so far, and that of other groups: (end, group)
    for i, (start, end, group) in enumerate(places):
        other = ends[0] if ends[0][1] != group else ends[1]
        free[i] = other[0] <= start
        best = [one for one in ends if one[1] != group]
        own = max([one for one in ends if one[1] == group] + [(end, group)])
        ends = sorted([*best, own], reverse=True)[:2]
    near = [(1 << 62, -1), (1 << 62, -1)]  # the next start, and that of other groups
    for i in range(len(places) - 1, -1, -1):
        start, end, group = places[i]
        other = near[0] if near[0][1] != group else near[1]
        free[i] &= other[0] >= end
        near = [(start, group), other]
    return free


def _components(places: Sequence[_Place]) -> list[list[_Place]]:
    """Places by whether they can influence each other: they overlap, or are of one group."""
    parents: dict[int, int] = {}

    def root(number: int) -> int:
        while parents.setdefault(number, number) != number:
            parents[number] = number = parents[parents[number]]
        return number

    reached, before = -1, -1
    for place in places:
        own = root(place.group)
        if place.start < reached:
            parents[own] = root(before)
        reached, before = max(reached, place.end), place.group
    parts: dict[int, list[_Place]] = defaultdict(list)
    for place in places:
        parts[root(place.group)].append(place)
    return [*parts.values()]


def _guesses(groups: Sequence[_Group]) -> set[int]:
    """Numbers of the mentions that could be elsewhere, apart from where other mentions are."""
    taken = sorted((*place, number) for number, one in enumerate(groups) for place in one.taken)
    starts = [start for start, _, _ in taken]
    guesses: set[int] = set()
    for number, group in enumerate(groups):
        if group.is_choice and not group.inside:
            possible = 0
            for start, end in group.places:
                first = max(bisect_right(starts, start) - 1, 0)
                near = taken[first : bisect_left(starts, end)]
                possible += all(other[2] == number or other[1] <= start for other in near)
            unsure = possible > len(group.taken)
        else:
            unsure = group.inside
        if unsure:
            guesses.update(group.mentions)
    return guesses
