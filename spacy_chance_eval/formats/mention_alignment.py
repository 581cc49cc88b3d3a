"""Mentions without offsets, placed on their text: what language models and many services answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import accumulate, chain
from typing import Any

from ..measures.messages import quoted
from .mention_search import Occurrences, SearchedText

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


@dataclass
class _Group:
    """Mentions of the same text: their numbers, occurrences of the text, and those they take.

    `windows` are, for each mention, the (first, last) start that fits the order of the mentions.
    """

    mentions: list[int]
    found: Occurrences
    windows: list[tuple[int, int]] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_choice(self) -> bool:
        """Whether there are more occurrences than mentions."""
        return len(self.found.places) > len(self.mentions)


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
    numbers: dict[str, list[int]] = defaultdict(list)
    for i, (given, _) in enumerate(pairs):
        numbers[given.strip()].append(i)
    search = SearchedText(text).occurrences
    groups = [
        _Group(own, search(mention, len(own) + CANDIDATES // len(numbers)))
        for mention, own in numbers.items()
    ]
    _add_windows(groups, len(pairs), len(text))
    optimal = [_place(part, len(pairs), len(text)) for part in _components(groups)]
    is_free = _free_of_others([group.taken for group in groups])
    placements = [
        Placement(i, None, None, label, given, UNPLACED, False)
        for i, (given, label) in enumerate(pairs)
    ]
    for number, group in enumerate(groups):
        how, places, inside, cut = group.found
        optimal.append(not cut)
        possible = sum(is_free(number, *place) for place in places)
        guess = inside or group.is_choice and possible > len(group.taken)
        for i, (start, end) in zip(group.mentions, group.taken):
            one = placements[i]
            placements[i] = replace(one, start=start, end=end, how=how, ambiguous=guess)
    return MentionAlignment(tuple(placements), all(optimal))


def _checked(mention: Any, index: int) -> tuple[str, str]:
    """The (text, label) of a mention."""
    if isinstance(mention, Mapping):
        mention = mention.get("text"), mention.get("label")
    is_pair = isinstance(mention, Sequence) and len(mention) == 2 and not isinstance(mention, str)
    if not is_pair or not all(isinstance(one, str) for one in mention):
        raise ValueError(
            f"mention {index} is {quoted(mention, 80)}; expected (text, label), or a mapping with "
            "'text' and 'label', which are both str"
        )
    text, label = mention
    if not text.strip():
        raise ValueError(f"mention {index} has an empty text; leave it out")
    return text, label


def _add_windows(groups: Sequence[_Group], n_mentions: int, length: int) -> None:
    """Add to groups where their mentions fit the order of all."""
    fixed = {
        mention: place[0]
        for group in groups
        if not group.is_choice
        for mention, place in zip(group.mentions, group.found.places)
    }
    before, after = [-1] * n_mentions, [length] * n_mentions
    for i in range(1, n_mentions):
        before[i] = fixed.get(i - 1, before[i - 1])
        after[-1 - i] = fixed.get(n_mentions - i, after[-i])
    for group in groups:
        group.windows = [(before[i], after[i]) for i in group.mentions]


def _components(groups: Sequence[_Group]) -> list[list[_Group]]:
    """Groups by whether their places can influence each other: some overlap."""
    places = sorted((*place, n) for n, group in enumerate(groups) for place in group.found.places)
    runs: list[set[int]] = []  # the groups of places that overlap, one after the other
    reached = -1
    for start, end, number in places:
        if start >= reached:
            runs.append(set())
        runs[-1].add(number)
        reached = max(reached, end)
    parts: list[frozenset[int]] = []
    for run in {*map(frozenset, runs)}:
        linked = [part for part in parts if part & run]
        parts = [part for part in parts if not part & run] + [run.union(*linked)]
    return [[groups[n] for n in sorted(part)] for part in parts]


def _place(groups: Sequence[_Group], n_mentions: int, length: int) -> bool:
    """Let groups take the best places from left to right; whether these are the optimum.

    The criteria are the digits of one number, the first criterion first; its base is above any sum
    of them. Dynamic programming over places: a state is how many mentions of each group with a
    choice have a place, in bits of its own, of groups that have places still to come. Where there
    are too many states, the best of them are kept, and the result may not be the optimum.
    """
    base = n_mentions * (length + 1) + 1
    is_free = _free_of_others([group.found.places for group in groups])
    part = sorted((*place, n) for n, group in enumerate(groups) for place in group.found.places)
    starts = [start for start, *_ in part]
    width = max(LEAST_STATES, STATES // len(part))
    sizes = [len(group.mentions).bit_length() if group.is_choice else 0 for group in groups]
    shifts = [*accumulate(sizes, initial=0)]
    masks = [(1 << size) - 1 << shift for size, shift in zip(sizes, shifts)]
    live = [0]  # the bits that still matter
    for *_, number in reversed(part):
        live.insert(0, live[0] | masks[number])
    # (the sum so far, the way there) by counts, before each place and behind the last one
    states: list[dict[int, tuple[int, Any]]] = [{} for _ in live]
    states[0][0] = (0, None)
    optimal = True
    for i, (start, end, number) in enumerate(part):
        here, states[i] = states[i], {}
        if len(here) > width:
            optimal = False
            here = dict(sorted(here.items(), key=lambda item: -item[1][0])[:width])
        group, mask, shift = groups[number], masks[number], shifts[number]
        is_exact = group.found.how == "exact"
        is_alone = is_free(number, start, end)
        digits = (1, is_exact, not is_exact, end - start, is_alone, 0, length - start)
        gain = reduce(lambda number, digit: number * base + digit, digits)
        after = bisect_left(starts, end, i + 1)
        for counts, (total, way) in here.items():
            _keep(states[i + 1], counts & live[i + 1], total, way)
            more = gain
            if mask:
                count = (counts & mask) >> shift
                if count == len(group.mentions):
                    continue
                low, high = group.windows[count]
                more += base if low <= start <= high else 0
                counts += 1 << shift
            _keep(states[after], counts & live[after], total + more, (i, way))
    way = states[-1][0][1]
    while way is not None:
        i, way = way
        groups[part[i][2]].taken.insert(0, part[i][:2])
    return optimal


def _keep(states: dict[int, tuple[int, Any]], counts: int, total: int, way: Any) -> None:
    """Keep a way to a state, if it is the best so far."""
    if counts not in states or states[counts][0] < total:
        states[counts] = (total, way)


def _free_of_others(
    places: Sequence[Sequence[tuple[int, int]]],
) -> Callable[[int, int, int], bool]:
    """A function of (group, start, end): whether that meets no place of another group."""
    edges = [[sorted(place[side] for place in own) for side in (0, 1)] for own in places]
    every = [sorted(chain.from_iterable(own[side] for own in edges)) for side in (0, 1)]

    def is_free(number: int, start: int, end: int) -> bool:
        mine, all_of_them = (
            bisect_left(starts, end) - bisect_right(ends, start)
            for starts, ends in (edges[number], every)
        )
        return mine == all_of_them

    return is_free
