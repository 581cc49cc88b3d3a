"""`PanelSurvey`: what a part of a panel's corpus has to know of the whole, to be counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import add, and_

import numpy as np

from ..measures.slicm import Prior, count_words, slicm_information
from ..metrics.catalog import CATALOG
from ..scoring.panel_counts import is_symmetric, sides_of, turned
from .pair_surveys import PRIORS, bits_of, by_key, by_side, sequences_of
from .panel_requests import chance_model
from .panels import Layers

TEAM = ("team",)


@dataclass(frozen=True, eq=False)
class PanelSurvey:
    """What there is in some documents of a panel.

    Parameters
    ----------
    layers : tuple of Layers
        Of each file that is read.
    facts : tuple of frozensets
        Pairs of positions and repair, of each file.
    named, articles : bool
        Whether all documents have names, and say of which article they are.
    disjoint : bool
        Whether spans of one label never overlap.
    labels : frozenset
        Of all annotators.
    used : mapping of str to frozenset
        Labels that have spans, by annotator.
    priors : mapping of (key, Request) to mapping
        As `Request.prior` has them, for the keys of `panel_counts.Counted`.
    sequences : mapping of keys to Counter
        Spans of what is gold by label, if any metric asks for them.
    words : mapping of keys to Counter
        Words of the documents that count, and by None all words; if any metric weighs words.
    """

    layers: tuple
    facts: tuple
    named: bool
    articles: bool
    disjoint: bool
    labels: frozenset
    used: Mapping
    priors: Mapping
    sequences: Mapping
    words: Mapping

    @property
    def repair(self):
        """How improper tags were read, as `panels.read_panel` says it."""
        files = ("+".join(sorted({repair for _, repair in side})) for side in self.facts)
        return "+".join(sorted(set(files)))

    def used_by(self, names):
        """Labels that each of some annotators used, sorted."""
        return [tuple(sorted(self.used[name])) for name in names]

    def counted_with(self, requests):
        """What more requests are counted with, by (key, Request), so that parts add up."""
        found, labels = dict(self.priors), sorted(self.labels)
        for one in requests:
            if CATALOG[one.metric].count is not slicm_information:
                continue
            for key, times in self.sequences.items():
                prior = Prior(np.array([times[label] for label in labels], np.int64))
                found[key, one] = {"prior": prior} | self.bits(key, one)
        return found

    def bits(self, key, request):
        """What all words say of those of a part; nothing if that cannot be said."""
        words = self.words.get(None, Counter())
        try:
            return bits_of(words, self.words.get(key), request.parameters["token_information"])
        except ValueError:  # which counting will meet, too
            return {}


def survey_of(corpora, merged, panel, requests):
    """The `PanelSurvey` of some documents.

    Parameters
    ----------
    corpora : sequence of Corpus
        As they were read.
    merged : Corpus
        All of them as one.
    panel : Panel
    requests : sequence of Request
        Those that have to know more: see `asks_more`.
    """
    documents = merged.documents
    return PanelSurvey(
        layers=tuple(map(Layers.of, corpora)),
        facts=tuple(
            frozenset((one.positions, repair) for repair in one.repair.split("+"))
            for one in corpora
        ),
        named=all(document.name is not None for document in documents),
        articles=all(document.attributes.get("article") is not None for document in documents),
        disjoint=chance_model(panel) is None,
        labels=frozenset(panel.labels),
        used={name: frozenset(s.used_labels()) for name, s in panel.annotators.items()},
        priors=dict(priors_of(panel, requests)),
        **weighed(panel, requests),
    )


def asks_more(request):
    """Whether a part of a corpus can be counted for a request only with more than its labels."""
    metric = CATALOG[request.metric]
    return metric.prior is not None or metric.count is slicm_information


def weighs_words(request):
    """Whether a metric looks at words."""
    return request.parameters.get("token_information", "constant") != "constant"


def keys_of(panel):
    """The keys of all that is compared two by two: pairs one way, and majorities."""
    majorities = [("majority", i) for i in range(len(panel)) if len(panel) > 2]
    return [*(("pair", *pair) for pair in panel.pairs()), *majorities]


def priors_of(panel, requests):
    """(key and request, prior) of the requests that have one."""
    wanted = [one for one in requests if CATALOG[one.metric].prior]
    teams = {key: sides_of(panel, key) for key in (keys_of(panel) if wanted else ())}
    if len(panel) > 1:
        teams[TEAM] = panel.together
    for key, sides in teams.items():
        for one in wanted:
            if key == TEAM and not CATALOG[one.metric].team:
                continue
            try:
                prior = one.prior([sides])
            except ValueError:  # which counting will meet, too
                continue
            yield (key, one), prior
            if key[0] == "pair" and not is_symmetric(one):
                yield (turned(key), one), prior


def weighed(panel, requests):
    """`sequences` and `words` of a `PanelSurvey`."""
    found = {"sequences": {}, "words": {}}
    if all(CATALOG[one.metric].count is not slicm_information for one in requests):
        return found
    words = any(map(weighs_words, requests)) and panel.sides[0].words is not None
    if words:
        found["words"][None] = Counter(panel.sides[0].words)
    for key in keys_of(panel):
        sides = sides_of(panel, key)
        ways = {key: sides[0], turned(key): sides[1]} if key[0] == "pair" else {key: sides[0]}
        for way, gold in ways.items():
            found["sequences"][way] = sequences_of(gold)
            if words:
                found["words"][way] = count_words(gold)
    return found


def added(one, two):
    """The survey of two parts."""
    return PanelSurvey(
        **{f.name: ADDED[f.name](*(getattr(s, f.name) for s in (one, two))) for f in fields(one)}
    )


def joined_layers(one, two):
    """The layers of all parts of each file."""
    return tuple(
        Layers(
            a.path,
            tuple(sorted({*a.layer_names, *b.layer_names})),
            tuple(sorted({*a.category_layers, *b.category_layers})),
            a.unused and b.unused,
        )
        for a, b in zip(one, two)
    )


ADDED = {
    "layers": joined_layers,
    "facts": by_side,
    "named": and_,
    "articles": and_,
    "disjoint": and_,
    "labels": frozenset.union,
    "used": by_key(frozenset.union),
    "priors": by_key(lambda one, two: {key: PRIORS[key](one[key], two[key]) for key in one}),
    "sequences": by_key(add),
    "words": by_key(add),
}
