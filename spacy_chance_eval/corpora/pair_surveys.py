"""`PairSurvey`: what a part of a corpus has to know of the whole, to be counted by itself."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import reduce

import numpy as np

from ..measures.slicm import Prior, sequence_prior, slicm_information, word_bits
from ..metrics.catalog import CATALOG

# what requests of `catalog.Metric.prior` are counted with, and how that of two parts adds up
PRIORS = {
    "values": lambda one, two: tuple(sorted({*one, *two})),
    "lengths": lambda one, two: (
        two if one is None else one if two is None else np.union1d(one, two)
    ),
}


@dataclass(frozen=True, eq=False)
class PairSurvey:
    """What there is in some documents.

    Parameters
    ----------
    layers, facts : tuples of frozensets, one for each side
        Names of layers; pairs of positions and repair.
    attributes : frozenset
        Names of attributes of gold's documents.
    labels : mapping of str to frozenset
        Of gold and a system, by system.
    used : mapping of str to frozenset
        Labels that have spans, by system.
    used_gold : frozenset
        Labels of which gold has spans.
    sequences : Counter
        Gold spans by label.
    words, seen_words : Counter or None
        All words, and those of documents that were annotated, if any metric weighs them.
    priors : mapping of str to {Request: mapping}
        As `Request.prior` has them, by system.
    reasons : mapping of str to str
        Why systems cannot be compared: then they count nowhere.
    """

    layers: tuple
    facts: tuple
    attributes: frozenset
    labels: Mapping
    used: Mapping
    used_gold: frozenset
    sequences: Counter
    words: Counter | None
    seen_words: Counter | None
    priors: Mapping
    reasons: Mapping

    def compared(self, by_system):
        """The values of the systems that can be compared, from a mapping by system."""
        return [found for name, found in by_system.items() if name not in self.reasons]

    def all_labels(self):
        """The labels of gold and of all systems that can be compared, sorted."""
        return sorted(frozenset().union(*self.compared(self.labels)))

    def all_priors(self):
        """{Request: what it is counted with} for all systems that can be compared."""
        return reduce(merged_priors, self.compared(self.priors), {})

    def counted_with(self, requests):
        """Arguments of the counts of some requests, so that those of all parts add up."""
        labels = self.all_labels()
        found = self.all_priors()
        for one in requests:
            if CATALOG[one.metric].count is slicm_information:
                sequences = np.array([self.sequences[label] for label in labels], np.int64)
                found[one] = {"prior": Prior(sequences)}
                bits = one.parameters["token_information"]
                found[one] |= bits_of(self.words, self.seen_words, bits)
        return found


def bits_of(counts, seen_counts, token_information):
    """What the words of the whole corpus say of those of a part: arguments of `slicm_information`.

    `counts` are of all words, `seen_counts` of those in documents that were annotated.
    """
    if isinstance(token_information, str) and token_information == "constant":
        return {}
    words = sorted(counts)
    bits = word_bits(words, token_information, seen_counts)
    times = np.array([counts[word] for word in words], float)
    average = float(bits @ times / times.sum()) if len(words) else 1.0
    return {"word_counts": seen_counts, "average": average}


def sequences_of(gold):
    """How often gold has each label, in documents that were annotated."""
    table = sequence_prior(gold).total().sequences
    return Counter({label: int(n) for label, n in zip(gold.labels, table) if n})


def added(one, two):
    """The survey of two parts."""
    return PairSurvey(
        **{f.name: ADDED[f.name](*(getattr(s, f.name) for s in (one, two))) for f in fields(one)}
    )


def by_side(one, two):
    """Unions, side by side."""
    return tuple(a | b for a, b in zip(one, two))


def by_key(add):
    """A function that adds up mappings by key."""

    def of(one, two):
        both = {key: add(one[key], two[key]) for key in one.keys() & two.keys()}
        return {**one, **two, **both}

    return of


# by request
merged_priors = by_key(lambda one, two: {key: PRIORS[key](one[key], two[key]) for key in one})


def counted(one, two):
    """The sum of two counters, if they are there."""
    return one + two if one is not None and two is not None else one or two


ADDED = {
    "layers": by_side,
    "facts": by_side,
    "attributes": frozenset.union,
    "labels": by_key(frozenset.union),
    "used": by_key(frozenset.union),
    "used_gold": frozenset.union,
    "sequences": counted,
    "words": counted,
    "seen_words": counted,
    "priors": by_key(merged_priors),
    "reasons": by_key(lambda one, two: one),
}
