"""`Notes`: a reader's remarks on a file that it could read. Those of blocks add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

MOST = 10  # places that are kept of each kind
NAMED = 3  # places that a sentence names

# a sentence about one place, and one about several
MERGED, APART, COUNTED, ANSWERS = "merged", "apart", "counted", "answers"
SLASHES, NUMBERED = "slashes", "numbered"
RELATIONS, OTHERS, POINTS = "relations", "others", "points"
NUMBERS = "numbers"
UNTAGGED = "untagged"
CARRIED, BY_PLACE, NO_TOKENS = "carried", "by_place", "no_tokens"
# of mentions without offsets; PLACED is the number of all mentions, about which no sentence is said
NOWHERE, AMBIGUOUS, PLACED = "nowhere", "ambiguous", "placed"
NORMALIZED, TURNED, OTHER_TEXTS = "normalized", "turned", "other_texts"
MISQUOTED = "misquoted"
CUT_OFF = "cut_off"
UNEVALUATED = "unevaluated"  # gold spans
MENTIONS = (NORMALIZED, NOWHERE, AMBIGUOUS, TURNED, OTHER_TEXTS, CUT_OFF)
TRIMMED, ALL_EDGE = "trimmed", "all_edge"
DUPLICATES = (MERGED, APART, COUNTED, ANSWERS)
DROPPED = (RELATIONS, OTHERS, POINTS)  # annotation that a corpus cannot hold
KINDS: dict[str, tuple[str, str]] = {
    MERGED: (
        "1 duplicate span was read once",
        "{n} duplicate spans were read once",
    ),
    APART: (
        "1 duplicate span with other features is kept apart where features count",
        "{n} duplicate spans with other features are kept apart where features count",
    ),
    COUNTED: (
        "1 duplicate span counts twice in GATE's measures, and once in all others",
        "{n} duplicate spans count twice in GATE's measures, and once in all others",
    ),
    ANSWERS: (
        "1 task that an annotator answered twice was read once",
        "{n} further answers of annotators to the same task were left out",
    ),
    NUMBERED: (
        "the tokens of 1 document are numbers from 1; words in another column: --token-column",
        "the tokens of {n} documents are numbers from 1; words in another column: --token-column",
    ),
    SLASHES: (
        "1 token ends with a label, which was not read as its tag",
        "{n} tokens end with a label, which was not read as their tag",
    ),
    RELATIONS: (
        "1 relation between spans was left out",
        "{n} relations between spans were left out",
    ),
    OTHERS: (
        "1 annotation that is neither a span nor a label was left out",
        "{n} annotations that are neither spans nor labels were left out",
    ),
    POINTS: (
        "1 annotation without length was left out",
        "{n} annotations without length were left out",
    ),
    NUMBERS: (
        "1 label is a number, which was taken for its name; its name can stand beside it as "
        "'label_name'",
        "{n} labels are numbers, which were taken for their names; names can stand beside them as "
        "'label_name'",
    ),
    UNTAGGED: (
        "1 token has _ where others have O, and was read as not annotated",
        "{n} tokens have _ where others have O, and were read as not annotated",
    ),
    CARRIED: (
        "1 document has the same text, but not the same tokens; its spans were carried over by "
        "characters",
        "{n} documents have the same text, but not the same tokens; their spans were carried over "
        "by characters",
    ),
    NO_TOKENS: (
        "1 document with answers alone has no tokens, and was left out",
        "{n} documents with answers alone have no tokens, and were left out",
    ),
    TRIMMED: (
        "1 span was trimmed by --trim",
        "{n} spans were trimmed by --trim",
    ),
    ALL_EDGE: (
        "1 span is nothing but what --trim cuts off: it loses white space at most",
        "{n} spans are nothing but what --trim cuts off: they lose white space at most",
    ),
    BY_PLACE: (
        "1 token is spelled otherwise, and was compared by its place",
        "{n} tokens are spelled otherwise, and were compared by their places",
    ),
    NOWHERE: (
        "1 mention has no free place in its text: it counts as a span that fits no tokens",
        "{n} mentions have no free place in their texts: they count as spans that fit no tokens",
    ),
    AMBIGUOUS: (
        "1 mention occurs in its text more often than it was named, or inside a word: its place is "
        "a guess",
        "{n} mentions occur in their texts more often than they were named, or inside words: their "
        "places are guesses",
    ),
    NORMALIZED: (
        "1 mention differs from its text in case, quotes, dashes or white space",
        "{n} mentions differ from their texts in case, quotes, dashes or white space",
    ),
    MISQUOTED: (
        "1 span quotes a slightly other text than that at its offsets, which were read",
        "{n} spans quote slightly other texts than those at their offsets, which were read",
    ),
    UNEVALUATED: (
        "1 gold span is not evaluated: its document, or a token of it, was not annotated or was "
        "left out",
        "{n} gold spans are not evaluated: their documents, or tokens of them, were not annotated "
        "or were left out",
    ),
    TURNED: (
        "1 answer names the label where others name the text, and was read so",
        "{n} answers name the label where others name the text, and were read so",
    ),
    CUT_OFF: (
        "the search for the best places of mentions was cut off in 1 document",
        "the search for the best places of mentions was cut off in {n} documents",
    ),
    OTHER_TEXTS: (
        "1 row has no text, and got that of another file",
        "{n} rows have no text, and got those of another file",
    ),
}


class Kind(NamedTuple):
    """A kind of blemish that was left out: its unit, such as "spans", and the expected content.

    With `metrics` these alone leave it out.
    """

    unit: str
    advice: str
    metrics: tuple[str, ...] = ()


OTHER_TEXT = Kind("documents", "score annotations of the same text")


class Place(NamedTuple):
    """A place: the file, the line if it is known, and the text found there."""

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
    counts : mapping of str or Kind to int
        By the kind, one of `KINDS`, or a `Kind` of blemish.
    places : mapping of str or Kind to tuple of Place
        By the kind: the first ten.
    duplicates : frozenset of str
        How duplicates were read, if not by the default of the format.
    sizes : mapping of str to int
        Numbers of entries that were not left out, by unit, if blemished ones are.
    align : frozenset of str
        How other tokens were aligned, if there were any.
    mentions : frozenset of str
        How mentions without offsets were placed, if there were any.
    trim : frozenset of str
        How spans were trimmed, if they were.

    Examples
    --------
    >>> notes = note(MERGED, [Place("a.jsonl", 3, "PER [0, 5)")])
    >>> (notes + notes).counts
    {'merged': 2}
    """

    counts: Mapping[str | Kind, int] = field(default_factory=dict)
    places: Mapping[str | Kind, tuple[Place, ...]] = field(default_factory=dict)
    duplicates: frozenset[str] = frozenset()
    sizes: Mapping[str, int] = field(default_factory=dict)
    align: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    trim: frozenset[str] = frozenset()

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
            if kind in self.places or kind in other.places
        }
        sizes = Counter(self.sizes)
        sizes.update(other.sizes)
        duplicates, align = self.duplicates | other.duplicates, self.align | other.align
        mentions, trim = self.mentions | other.mentions, self.trim | other.trim
        return Notes(dict(counts), places, duplicates, dict(sizes), align, mentions, trim)

    def __bool__(self) -> bool:
        return bool(self.counts or self.sizes or self.align or self.mentions or self.trim)

    def count(self, kind: str | Kind) -> int:
        """How often the reader met something of a kind."""
        return self.counts.get(kind, 0)

    @property
    def blemishes(self) -> list[Kind]:
        """The kinds of blemishes that were left out, in the order of the file."""
        return [kind for kind in self.counts if isinstance(kind, Kind)]

    def skipped(self, unit: str, metric: str | None = None) -> tuple[int, int]:
        """(number of entries of a unit that were left out, of a metric or all, number of all)."""
        kinds = [kind for kind in self.blemishes if kind.unit == unit]
        n = sum(self.counts[kind] for kind in kinds if not kind.metrics)
        more = sum(self.counts[kind] for kind in kinds if metric in kind.metrics)
        return n + more, n + self.sizes.get(unit, 0)

    def skipped_entries(self) -> list[dict[str, Any]]:
        """The kinds of blemishes as plain values: unit, kind, count, total, first places."""
        return [
            {
                "unit": kind.unit,
                "kind": kind.advice,
                "n": self.counts[kind],
                "total": self.skipped(kind.unit)[1],
                "first": [one._asdict() for one in self.places[kind]],
            }
            | ({"metrics": list(kind.metrics)} if kind.metrics else {})
            for kind in self.blemishes
        ]

    def entries(self) -> dict[str, Any]:
        """Blemishes and mentions for a result, `skipped` and `mentions`, where there are any."""
        found = {"skipped": self.skipped_entries(), "mentions": self.mention_entries()}
        return {key: value for key, value in found.items() if value}

    def mention_entries(self) -> dict[str, Any]:
        """How mentions without offsets were placed, as plain values; {} if there are none.

        `n` is the number of mentions; then how many there are of each kind, and the first places.
        """
        if not self.mentions:
            return {}
        kinds = {kind: self.count(kind) for kind in MENTIONS}
        first = {kind: [one._asdict() for one in self.places.get(kind, ())] for kind in MENTIONS}
        said = {kind: places for kind, places in first.items() if places}
        return {"n": self.count(PLACED), **kinds, "first": said}

    def read_as(self, how: str) -> Notes:
        """The notes with how duplicates were read, if there are any."""
        if not any(map(self.count, DUPLICATES)):
            return self
        return replace(self, duplicates=frozenset([how]))

    def aligned(self, how: str) -> Notes:
        """The notes with how other tokens were aligned."""
        return replace(self, align=self.align | {how})

    def trimmed(self, how: str) -> Notes:
        """The notes with how spans were trimmed."""
        return replace(self, trim=frozenset({how}))

    def signed(self, metric: str | None = None) -> dict[str, str]:
        """The description, in signatures of all metrics or of one, of how the file was read."""
        kinds = [one for one in self.blemishes if not one.metrics or metric in one.metrics]
        units = sorted({kind.unit for kind in kinds})
        shares = {unit: "{}/{}".format(*self.skipped(unit, metric)) for unit in units}
        found = {
            "duplicates": "+".join(sorted(self.duplicates)),
            "align": "+".join(sorted(self.align)),
            "mentions": "+".join(sorted(self.mentions)),
            "trim": "+".join(sorted(self.trim)),
            "skipped": "+".join(f"{share} {unit}" for unit, share in shares.items()),
        }
        return {key: value for key, value in found.items() if value}

    def sentences(self) -> list[str]:
        """A sentence for each kind, with the first places."""
        kinds = (kind for kind in KINDS if kind in self.counts)
        return [*map(self._sentence, kinds), *map(self._skipped_sentence, self.blemishes)]

    def dropped(self) -> list[str]:
        """A sentence for each kind of annotation that a corpus cannot hold."""
        return [self._sentence(kind) for kind in DROPPED if kind in self.counts]

    def _sentence(self, kind: str) -> str:
        """The sentence about one kind."""
        n, (one, several) = self.counts[kind], KINDS[kind]
        sentence = one if n == 1 else several.format(n=f"{n:,}")
        first = self._first(kind, NAMED)
        return f"{sentence}: {first}" if first else sentence

    def _skipped_sentence(self, kind: Kind) -> str:
        """The sentence about one kind of blemish."""
        n = self.counts[kind]
        one, verb = (kind.unit.removesuffix("s"), "was") if n == 1 else (kind.unit, "were")
        of = f" of {', '.join(kind.metrics)}" if kind.metrics else ""
        return f"{n:,} {one} {verb} left out{of} ({kind.advice}): {self._first(kind, MOST)}"

    def _first(self, kind: str | Kind, most: int) -> str:
        """The first places of a kind, and how many there are more."""
        if not (places := self.places.get(kind, ())):
            return ""
        named = ", ".join(dict.fromkeys(map(str, places[:most])))
        n = len(places) if kind == OTHER_TEXTS else self.counts[kind]  # whose places are files
        return f"{named} and {n - most:,} more" if n > most else named


NO_NOTES = Notes()


def note(kind: str | Kind, places: Iterable[Place]) -> Notes:
    """The notes of one kind, of all its places in the order of the file."""
    found = tuple(places)
    return Notes({kind: len(found)}, {kind: found[:MOST]}) if found else NO_NOTES


def unevaluated(n: int) -> Notes:
    """The notes on a number of gold spans that are not evaluated."""
    return Notes({UNEVALUATED: n}) if n else NO_NOTES


def add_notes(notes: Iterable[Notes]) -> Notes:
    """The sum of some notes."""
    return sum(notes, NO_NOTES)


def pair_notes(gold: Notes, pred: Notes) -> dict[str, str]:
    """The description, in signatures, of how gold and a prediction were read."""
    one, two = gold.signed(), pred.signed()
    both = (gold + pred).signed()
    for key in one.keys() | two.keys():
        mine, theirs = one.get(key), two.get(key)
        if mine != theirs and (key == "skipped" or mine and theirs):
            named = (("gold", mine), ("pred", theirs))
            both[key] = ",".join(f"{role}={value}" for role, value in named if value)
    return both
