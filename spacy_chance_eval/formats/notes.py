"""`Notes`: what a reader has to say of a file that it could read. Those of blocks add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

MOST = 10  # places that are kept of each kind
NAMED = 3  # places that a sentence names

# what a sentence says of one place, and of several
MERGED, APART, COUNTED, ANSWERS = "merged", "apart", "counted", "answers"
DUPLICATES = (MERGED, APART, COUNTED, ANSWERS)
KINDS: dict[str, tuple[str, str]] = {
    MERGED: (
        "1 span that is there twice was read once",
        "{n} spans that are there twice were read once",
    ),
    APART: (
        "1 span that is there twice, with other features, is kept apart where features count",
        "{n} spans that are there twice, with other features, are kept apart where features count",
    ),
    COUNTED: (
        "1 span that is there twice counts twice in GATE's measures, and once in all others",
        "{n} spans that are there twice count twice in GATE's measures, and once in all others",
    ),
    ANSWERS: (
        "1 task that an annotator answered twice was read once",
        "{n} further answers of annotators to a task of theirs were left out",
    ),
}


class Place(NamedTuple):
    """Where something is: the file, the line if it is known, and what is there."""

    path: str
    line: int | None
    what: str

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{self.what} ({where})"


@dataclass(frozen=True)
class Notes:
    """How often a reader met something of a kind, and the first places where it did.

    `one + two` are the notes of two files, or of two parts of a file in their order.

    Parameters
    ----------
    counts : mapping of str to int
        By the kind, one of `KINDS`.
    places : mapping of str to tuple of Place
        By the kind: the first ten.
    duplicates : frozenset of str
        How what is there twice was read, if not as the format has it by default.

    Examples
    --------
    >>> notes = note(MERGED, [Place("a.jsonl", 3, "PER [0, 5)")])
    >>> (notes + notes).counts
    {'merged': 2}
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    duplicates: frozenset[str] = frozenset()

    def __add__(self, other: Notes) -> Notes:
        if not other:
            return self
        if not self:
            return other
        counts = Counter(self.counts)
        counts.update(other.counts)
        places = {
            kind: (*self.places.get(kind, ()), *other.places.get(kind, ()))[:MOST]
            for kind in counts
        }
        return Notes(dict(counts), places, self.duplicates | other.duplicates)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def count(self, kind: str) -> int:
        """How often the reader met something of a kind."""
        return self.counts.get(kind, 0)

    def read_as(self, how: str) -> Notes:
        """The notes with how duplicates were read, if there are any."""
        if not any(map(self.count, DUPLICATES)):
            return self
        return replace(self, duplicates=frozenset([how]))

    def signed(self) -> dict[str, str]:
        """The description, in signatures, of how the file was read."""
        return {"duplicates": "+".join(sorted(self.duplicates))} if self.duplicates else {}

    def sentences(self) -> list[str]:
        """A sentence for each kind, with the first places."""
        return [self._sentence(kind) for kind in KINDS if kind in self.counts]

    def _sentence(self, kind: str) -> str:
        """The sentence about one kind."""
        n, (one, several) = self.counts[kind], KINDS[kind]
        named = ", ".join(map(str, self.places[kind][:NAMED]))
        more = f" and {n - NAMED:,} more" if n > NAMED else ""
        return f"{one if n == 1 else several.format(n=f'{n:,}')}: {named}{more}"


NO_NOTES = Notes()


def note(kind: str, places: Iterable[Place]) -> Notes:
    """The notes of one kind, of all its places in the order of the file."""
    found = tuple(places)
    return Notes({kind: len(found)}, {kind: found[:MOST]}) if found else NO_NOTES


def add_notes(notes: Iterable[Notes]) -> Notes:
    """The sum of some notes."""
    return sum(notes, NO_NOTES)


def pair_duplicates(gold: Notes, pred: Notes) -> dict[str, str]:
    """The description, in signatures, of how gold and a prediction were read."""
    one, two = (notes.signed().get("duplicates") for notes in (gold, pred))
    if one and two and one != two:
        return {"duplicates": f"gold={one},pred={two}"}
    return (gold + pred).signed()
