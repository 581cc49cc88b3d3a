"""Gold and systems made at random: documents of easy and hard spans, systems that err alike."""

import numpy as np

from spacy_chance_eval import Spans

LABELS, SHARES = ["PER", "LOC", "ORG"], [0.6, 0.3, 0.1]
SIZE = 40  # tokens of a document


def population(n_docs, seed, *, f=(0.65, 0.71), mean=3.0, alike=0.6):
    """Gold and one `Spans` for each F: documents of `mean` spans, `alike` errors for all systems.

    A system finds a span with the odds of its F, which are higher in some documents than in others;
    half of the spans that it misses it has one token too far.
    """
    rng = np.random.default_rng(seed)
    documents = [_document(rng, f, mean, alike) for _ in range(n_docs)]
    return [Spans.from_tuples(list(one), [SIZE] * n_docs, LABELS) for one in zip(*documents)]


def _document(rng, f, mean, alike):
    """The spans of gold, and of each system."""
    n = min(rng.poisson(mean), SIZE // 3)
    starts = 3 * np.sort(rng.choice(SIZE // 3, n, replace=False))
    gold = [
        (int(one), int(one) + 1, LABELS[i]) for one, i in zip(starts, rng.choice(3, n, p=SHARES))
    ]
    hard, common = 0.5 * rng.normal(), rng.random(n)
    systems = []
    for odds in (one / (1 - one) for one in f):
        luck = np.where(rng.random(n) < alike, common, rng.random(n))
        found = luck < 1 / (1 + np.exp(-hard) / odds)
        off = rng.random(n) < 0.5
        spans = [span for span, yes in zip(gold, found) if yes]
        spans += [
            (a + 1, b + 1, x) for (a, b, x), yes, far in zip(gold, found, off) if far and not yes
        ]
        systems.append(spans)
    return [gold, *systems]
