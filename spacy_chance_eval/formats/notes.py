"""`Notes`: a reader's remarks on a file that it could read. Those of blocks add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..measures.messages import counted

MOST = 10  # places that are kept of each kind
NAMED = 3  # places that a sentence names
DOCUMENTS, SENTENCES, FILES = UNITS = ("documents", "sentences", "files")  # that are left out

MERGED, APART, COUNTED, ANSWERS = "merged", "apart", "counted", "answers"
RELATIONS, OTHERS, POINTS = "relations", "others", "points"
HYPHENS, UNPREFIXED = "hyphens", "unprefixed"
IMPROPER, EMPTY_TOKENS = "improper", "empty"
DIVIDED, JOINED = "divided", "joined"  # the same tokens in other documents or sentences
CARRIED, BY_PLACE, BY_TEXT = "carried", "by_place", "by_text"
# of mentions without offsets; PLACED is the number of all mentions, about which no sentence is said
NOWHERE, AMBIGUOUS, PLACED = "nowhere", "ambiguous", "placed"
NORMALIZED, OTHER_TEXTS = "normalized", "other_texts"
UNEVALUATED = "unevaluated"  # gold spans
MENTIONS = (NORMALIZED, NOWHERE, AMBIGUOUS, OTHER_TEXTS)
TRIMMED, UNTRIMMED = "trimmed", "untrimmed"
DUPLICATES = (MERGED, APART, COUNTED, ANSWERS)
SIGNED = ("duplicates", "align", "mentions", "trim")
DROPPED = (RELATIONS, OTHERS, POINTS)  # annotation that a corpus cannot hold
KINDS = {  # sentences: (one|several)
    MERGED: "{n} duplicate (span was|spans were) read once",
    APART: "{n} duplicate (span|spans) with other features (is|are) kept apart where "
    "features count",
    COUNTED: "{n} duplicate (span counts|spans count) twice in GATE's measures, and "
    "once in all others",
    ANSWERS: "{n} further (answer of an annotator|answers of annotators) to the same task "
    "(was|were) left out",
    RELATIONS: "{n} (relation|relations) between spans (was|were) left out",
    OTHERS: "{n} (annotation that is neither a span nor a label was|annotations that are neither "
    "spans nor labels were) left out",
    POINTS: "{n} (annotation|annotations) without length (was|were) left out",
    UNPREFIXED: "{n} (document has|documents have) labels without prefixes such as B- and I-: "
    "neighbouring tokens with one label were read as one span",
    EMPTY_TOKENS: "{n} (token is|tokens are) empty, and (was|were) read as _",
    IMPROPER: "{n} (span does|spans do) not begin, or not end, with a tag of (its|their) scheme, "
    "such as I-PER after O, and (was|were) read as conlleval does (--read repair=drop leaves "
    "(it|them) out)",
    CARRIED: "{n} (document has|documents have) the same text, but not the same tokens; "
    "(its|their) spans were carried over by characters",
    DIVIDED: "{n} (document|documents) of predictions (has|have) other boundaries of documents or "
    "sentences than gold, which has the same tokens; gold's are used",
    JOINED: "{n} (document is|documents are) divided otherwise by some annotators of the same "
    "tokens: documents end where those of all do, sentences where one of any does",
    HYPHENS: "{n} (token has|tokens have) - or _ instead of O, and (was|were) read as O",
    TRIMMED: "{n} (span was|spans were) trimmed (trim=space)",
    UNTRIMMED: "{n} (span begins or ends|spans begin or end) with white space (--read trim=space "
    "cuts it off)",
    BY_PLACE: "{n} (token is spelled otherwise, and was|tokens are spelled otherwise, and were) "
    "compared by (its place|their places)",
    BY_TEXT: "{n} (document was|documents were) matched by text: (its id is|their ids are) not "
    "(that|those) of the same (text|texts) in another file",
    NOWHERE: "{n} (mention has|mentions have) no free place in (its text: it counts|their texts: "
    "they count) as (a span that fits|spans that fit) no tokens",
    AMBIGUOUS: "{n} (mention occurs in its text more often than it was|mentions occur in their "
    "texts more often than they were) named, or inside (a word: its place is a guess|words: "
    "their places are guesses)",
    NORMALIZED: "{n} (mention differs from its text|mentions differ from their texts) in case, "
    "quotes, dashes or white space",
    UNEVALUATED: "{n} gold (span is|spans are) not evaluated: (its document, or a token of it, "
    "was|their documents, or tokens of them, were) not annotated or (was|were) left out",
    OTHER_TEXTS: "{n} (row has no text, and got that|rows have no text, and got those) of another "
    "file",
}


class Kind(NamedTuple):
    """A kind of blemish that was left out: one of `UNITS`, and the expected content.

    With `metrics` these alone leave it out.
    """

    unit: str
    advice: str
    metrics: tuple[str, ...] = ()


OTHER_TEXT = Kind(DOCUMENTS, "score annotations of the same text")


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
    sizes : mapping of str to int
        Numbers of documents or sentences that were not left out, if blemished ones are.
    how : frozenset of (str, str)
        How something was read that can be read in several ways, for signatures: "duplicates" (if
        not by the default of the format), tokens that were aligned ("align"), "mentions" without
        offsets that were placed, spans that were cut ("trim").

    Examples
    --------
    >>> notes = note(MERGED, [Place("a.jsonl", 3, "PER [0, 5)")])
    >>> (notes + notes).counts
    {'merged': 2}
    """

    counts: Mapping[str | Kind, int] = field(default_factory=dict)
    places: Mapping[str | Kind, tuple[Place, ...]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    how: frozenset[tuple[str, str]] = frozenset()

    def __add__(self, other: Notes) -> Notes:
        if not other:
            return self
        if not self:
            return other
        counts, sizes = Counter(self.counts), Counter(self.sizes)
        counts.update(other.counts)
        sizes.update(other.sizes)
        places = {
            kind: (*self.places.get(kind, ()), *other.places.get(kind, ()))[:MOST]
            for kind in counts
            if kind in self.places or kind in other.places
        }
        return Notes(dict(counts), places, dict(sizes), self.how | other.how)

    def __bool__(self) -> bool:
        return bool(self.counts or self.sizes or self.how)

    def count(self, kind: str | Kind) -> int:
        """How often the reader met something of a kind."""
        return self.counts.get(kind, 0)

    @property
    def blemishes(self) -> list[Kind]:
        """The kinds of blemishes that were left out, in the order of the file."""
        return [kind for kind in self.counts if isinstance(kind, Kind)]

    def skipped(self, unit: str, metric: str | None = None) -> tuple[int, int]:
        """(number of a unit that were left out, of a metric or all, number of all)."""
        kinds = [kind for kind in self.blemishes if kind.unit == unit]
        n = sum(self.counts[kind] for kind in kinds if not kind.metrics)
        more = sum(self.counts[kind] for kind in kinds if metric in kind.metrics)
        return n + more, n + self.sizes.get(unit, 0)

    def entries(self) -> dict[str, Any]:
        """Blemishes and mentions as plain values for a result, where there are any.

        Of "skipped", each kind of blemishes: unit, kind, count, total, first places. Of "mentions"
        without offsets: their number `n`, how many there are of each kind, the first places.
        """
        skipped = [
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
        found: dict[str, Any] = {"skipped": skipped} if skipped else {}
        if self.of_mentions:
            first = {
                kind: [one._asdict() for one in self.places[kind]]
                for kind in MENTIONS
                if self.places.get(kind)
            }
            kinds = {kind: self.count(kind) for kind in MENTIONS}
            found["mentions"] = {"n": self.count(PLACED), **kinds, "first": first}
        return found

    @property
    def of_mentions(self) -> bool:
        """Whether mentions without offsets were placed."""
        return any(name == "mentions" for name, _ in self.how)

    def with_how(self, what: str, how: str) -> Notes:
        """The notes with how something was read."""
        others = (pair for pair in self.how if pair[0] != what)
        return replace(self, how=frozenset([*others, (what, how)]))

    def signed(self, metric: str | None = None) -> dict[str, str]:
        """The description, in signatures of all metrics or of one, of how the file was read."""
        kinds = [one for one in self.blemishes if not one.metrics or metric in one.metrics]
        units = sorted({kind.unit for kind in kinds})
        shares = {unit: "{}/{}".format(*self.skipped(unit, metric)) for unit in units}
        found = {
            name: "+".join(sorted(how for what, how in self.how if what == name)) for name in SIGNED
        }
        found["skipped"] = "+".join(f"{share} {unit}" for unit, share in shares.items())
        return {key: value for key, value in found.items() if value}

    def sentences(self) -> list[str]:
        """A sentence for each kind, with the first places."""
        kinds: list[str | Kind] = [*KINDS, *self.blemishes]
        return [self._sentence(kind) for kind in kinds if kind in self.counts]

    def dropped(self) -> list[str]:
        """A sentence for each kind of annotation that a corpus cannot hold."""
        return [self._sentence(kind) for kind in DROPPED if kind in self.counts]

    def _sentence(self, kind: str | Kind) -> str:
        """The sentence of a kind, with the first places, and how many there are more."""
        n, most = self.counts[kind], NAMED
        if isinstance(kind, Kind):
            most, of = MOST, f" of {', '.join(kind.metrics)}" if kind.metrics else ""
            sentence = counted(f"{{n}} ({kind.unit[:-1]} was|{kind.unit} were) left out", n)
            sentence += f"{of} ({kind.advice})"
        else:
            sentence = counted(KINDS[kind], n)
        if not (places := self.places.get(kind, ())):
            return sentence
        named = ", ".join(dict.fromkeys(map(str, places[:most])))
        n = len(places) if kind == OTHER_TEXTS else n  # whose places are files
        return f"{sentence}: {named} and {n - most:,} more" if n > most else f"{sentence}: {named}"


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


def notes_of_sources(notes: Iterable[Notes]) -> Notes:
    """The sum of the notes of sources; what two met at the same places of one file counts once."""
    total, before = NO_NOTES, list[Notes]()
    for one in notes:
        again = {
            kind
            for kind, places in one.places.items()
            for two in before
            if places == two.places.get(kind) and one.count(kind) == two.count(kind)
        }
        counts = {kind: n for kind, n in one.counts.items() if kind not in again}
        sizes = {} if again & {*one.blemishes} else one.sizes
        places = {kind: found for kind, found in one.places.items() if kind not in again}
        total += replace(one, counts=counts, places=places, sizes=sizes)
        before.append(one)
    return total
