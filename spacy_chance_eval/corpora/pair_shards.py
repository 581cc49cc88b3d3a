"""Gold and predictions in shards: what `shards` surveys and counts of them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from .. import formats
from ..formats.texts import in_tokens
from ..measures.alignment import align, check_complete, check_sentences, with_labels
from ..measures.chance.draws import word_keys
from ..measures.chance.expectation import check_placement
from ..measures.slicm import count_words
from ..measures.spans import Places, Spans, trusted
from ..metrics.catalog import CATALOG
from ..scoring.evaluate import Run
from ..scoring.tallies import compact, merged, tally_of
from .compared import complete
from .pair_surveys import PairSurvey, added, sequences_of
from .sides import Unordered, blocks_of

TEXT = 64  # bytes of a word, and of its place in a tuple


@dataclass(frozen=True)
class Place:
    """Where predictions are: the number of the side, and the layer."""

    side: int
    layer: str


@dataclass(frozen=True, eq=False)
class Part:
    """Gold and one system in some documents, aligned, and all else that is counted of them."""

    gold: Spans
    pred: Spans
    words: np.ndarray | None  # keys of the words
    names: tuple | None
    attributes: Mapping
    first: int = 0  # documents in front

    @property
    def n_bytes(self):
        """Bytes of the annotation."""
        arrays = [self.words, *vars(self.gold).values(), *vars(self.pred).values()]
        texts = [*(self.gold.words or ()), *(self.names or ())]
        size = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
        return size + TEXT * len(texts)


@dataclass(frozen=True, eq=False)
class PairJob:
    """How gold and the predictions of some systems are read and counted, a shard at a time.

    Parameters
    ----------
    requests : tuple of Request
        None of which has to be drawn, see `needs_draws`.
    gold : Place
    systems : mapping of str to Place
    strict : bool
        Whether systems have to annotate all that gold does, as on leaderboards.
    rows, names : bool
        What is kept of each document: a row that tells its content; its name.
    spans : bool
        Whether the annotation of the first system that can be compared is kept, and that of gold.
    attributes : tuple of str
        Attributes of documents to keep.
    tokenize : callable, optional
        Borders of tokens of a text, for files without tokens.
    sizes : str
        As `formats.pair` has it.
    """

    requests: tuple
    gold: Place
    systems: Mapping
    strict: bool = False
    rows: bool = False
    names: bool = False
    spans: bool = False
    attributes: tuple = ()
    tokenize: Callable | None = None
    sizes: str = "given"

    # --- reading

    def parts(self, sides, shard):
        """(corpora, {system: `Part`, or why it cannot be compared}) of what is read at once."""
        for first, corpora in blocks_of(shard, sides):
            if self.tokenize is not None:
                corpora = [
                    in_tokens(corpus, self.tokenize, misaligned=side.misaligned, first=first)
                    for side, corpus in zip(sides, corpora)
                ]
            yield (
                corpora,
                {name: self.tried(first, corpora, place) for name, place in self.systems.items()},
            )

    def tried(self, first, corpora, place):
        """The `Part` of a system; of a leaderboard the reason if there is none."""
        try:
            return self.part(first, corpora[self.gold.side], corpora[place.side], place)
        except ValueError as error:
            if self.strict and not isinstance(error, Unordered):
                return str(error)
            raise

    def part(self, first, gold, pred, place):
        """The `Part` of a system in some documents."""
        if gold is not pred:
            check_order(gold, pred)
            gold, pred = formats.pair(gold, pred, sizes=self.sizes, first=first)
        documents = gold.documents
        names = tuple(document.name for document in documents)
        gold = gold.spans(self.gold.layer, anywhere=True, first=first)
        pred = complete(pred, place.layer, anywhere=True)
        pred = pred.spans(place.layer, anywhere=True, first=first)
        pair = strictly_aligned(gold, pred) if self.strict else align(gold, pred)
        self.check(*pair)
        return Part(
            *pair,
            word_keys(pair[0]) if self.rows else None,
            names if self.names else None,
            {key: tuple(d.attributes.get(key) for d in documents) for key in self.attributes},
            first,
        )

    def check(self, gold, pred):
        """Raise if annotation contradicts a chance model that is asked for."""
        for placement in sorted({one.placement for one in self.requests} - {"none"}):
            check_placement(gold, pred, placement)
        units = [one.parameters["unit"] for one in self.requests if one.placement != "none"]
        if "sent" in units:
            check_sentences(gold, pred)

    # --- first pass

    def survey(self, sides, shard, keep):
        """The `PairSurvey` of a shard, and its parts if they are to be kept."""
        found, kept, size = [], [], 0
        for corpora, parts in self.parts(sides, shard):
            found.append(self.surveyed(corpora, parts))
            if keep:
                kept.append({name: self.slim(part) for name, part in parts.items()})
                size += sum(p.n_bytes for p in kept[-1].values() if isinstance(p, Part))
        return self.merged(found), (size, kept) if keep else None

    def surveyed(self, corpora, parts):
        """The `PairSurvey` of some documents."""
        good = {name: part for name, part in parts.items() if isinstance(part, Part)}
        gold = next((part.gold for part in good.values()), None)
        words = self.with_words() and gold is not None
        return PairSurvey(
            layers=tuple(frozenset(corpus.layer_names) for corpus in corpora),
            facts=tuple(frozenset({(one.positions, one.repair)}) for one in corpora),
            attributes=frozenset(key for one in corpora[0].documents for key in one.attributes),
            labels={name: frozenset(part.pred.labels) for name, part in good.items()},
            used={name: frozenset(part.pred.used_labels()) for name, part in good.items()},
            used_gold=frozenset(() if gold is None else gold.used_labels()),
            sequences=Counter() if gold is None else sequences_of(gold),
            words=Counter(gold.words) if words else None,
            seen_words=count_words(gold) if words else None,
            priors={
                name: {
                    one: one.prior([(part.gold, part.pred)])
                    for one in self.requests
                    if CATALOG[one.metric].prior
                }
                for name, part in good.items()
            },
            reasons={name: part for name, part in parts.items() if isinstance(part, str)},
        )

    def with_words(self):
        """Whether any metric looks at words."""
        return any(
            one.parameters.get("token_information", "constant") != "constant"
            for one in self.requests
        )

    def slim(self, part):
        """A part without what is not needed to count it."""
        if not isinstance(part, Part) or self.with_words():
            return part
        names = Places(part.first, part.gold.n_docs)
        gold, pred = (trusted(side, words=None, names=names) for side in (part.gold, part.pred))
        return replace(part, gold=gold, pred=pred)

    @staticmethod
    def merged(surveys):
        """The survey of all parts."""
        return reduce(added, surveys)

    # --- second pass

    def count(self, survey, sides, shard, kept):
        """{system: `Tally`} of a shard."""
        parts = kept if kept is not None else (parts for _, parts in self.parts(sides, shard))
        labels, priors = survey.all_labels(), survey.counted_with(self.requests)
        found = {name: [] for name in self.systems if name not in survey.reasons}
        for some in parts:
            for name in found:
                found[name].append(self.tally(some[name], survey, name, labels, priors))
        return {name: merged(tallies) for name, tallies in found.items()}

    def tally(self, part, survey, name, labels, priors):
        """The `Tally` of a system in some documents."""
        gold, pred = (with_labels(side, labels) for side in (part.gold, part.pred))
        run = Run(gold, pred, False, 1, 0, iter, {}, priors=priors)
        used = {"gold": sorted(survey.used_gold), "pred": sorted(survey.used[name])}
        found = tally_of(run, self.requests, keys=self.rows, used=used, words=part.words)
        if not self.rows:
            return found.total()
        rows = replace(found.rows, names=part.names, attributes=part.attributes)
        if self.spans and name == self.first_of(survey):
            bare = (trusted(side, words=None, names=None) for side in (gold, pred))
            rows = replace(rows, pair=tuple(bare))
        return compact(replace(found, rows=rows))

    def first_of(self, survey):
        """The first system that can be compared, and has a layer; None if there is none."""
        good = (name for name in self.systems if name not in survey.reasons)
        return next((name for name in good if self.systems[name].layer), None)


def strictly_aligned(gold, pred):
    """Gold and a prediction, aligned; raises if it cannot be compared with other predictions."""
    check_complete(gold, pred)
    return align(gold, trusted(pred, stretches=gold.stretches, sentences=gold.sentences))


def check_order(gold, pred):
    """Raise unless two corpora hold the same documents in the same order, by number and names."""
    if len(gold.documents) != len(pred.documents):
        raise Unordered(f"{gold.path} and {pred.path} have other numbers of documents")
    names = [[document.name for document in corpus.documents] for corpus in (gold, pred)]
    if names[0] != names[1] and None not in (*names[0], *names[1]):
        raise Unordered(f"documents of {pred.path} have other names, or another order")
