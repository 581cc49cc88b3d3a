"""Small corpora for the tests of GATE's measures, and the counts of their pairs."""

from spacy_chance_eval.measures.gate import pairings
from spacy_chance_eval.measures.spans import Spans

CLOSE = {("LOC", "ORG"): 0.5, ("PER", "ORG"): 0.3}


def corpus(*documents, size=60, **fields):
    return Spans.from_tuples(documents, [size] * len(documents), **fields)


def said(*documents, size=60):
    """A corpus of spans (start, end, label, features)."""
    spans = [[row[:3] for row in rows] for rows in documents]
    return corpus(*spans, size=size, features=[[row[3] for row in rows] for rows in documents])


def counts(gold, pred, **options):
    """(correct, partial, missing, spurious) of all labels, as GATE counts them."""
    total = pairings(gold, pred, **options).total().pooled()
    missing, spurious = total.missing + total.mislabelled, total.spurious + total.mistaken
    columns = (total.correct, total.partial, missing, spurious)
    return tuple(column.item() for column in columns)


def x(*borders):
    return [(start, end, "X") for start, end in borders]
