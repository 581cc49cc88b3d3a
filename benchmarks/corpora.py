"""Random corpora of CoNLL-2003's shape, with a fixed seed: what the benchmarks run on."""

import numpy as np

from spacy_chance_eval import Spans

LABELS = ("LOC", "MISC", "ORG", "PER")


def conll_shaped(n_docs, seed=0):
    """Gold and predicted `Spans`: per 3,453 documents about 44,000 tokens and 5,600 entities.

    The prediction loses spans, moves ends and confuses labels; its F is near .89.
    """
    rng = np.random.default_rng(seed)
    sizes = np.minimum(1 + rng.gamma(2.2, 5.4, n_docs).astype(int), 120)
    gold = [document(size, rng) for size in sizes]
    pred = [noisy(spans, size, rng) for spans, size in zip(gold, sizes)]
    return tuple(Spans.from_tuples(side, sizes, LABELS) for side in (gold, pred))


def shared_task(n_docs, n_systems, seed=0):
    """Gold and the `Spans` of systems from good to bad, as {name: Spans}."""
    rng = np.random.default_rng(seed)
    gold, _ = conll_shaped(n_docs, seed)
    rows = tuples(gold)
    systems = {}
    for number in range(n_systems):
        lost = 0.02 + 0.2 * number / n_systems
        pred = [noisy(spans, size, rng) for spans, size in zip(rows, gold.sizes)]
        pred = [[span for span in spans if rng.random() > lost] for spans in pred]
        systems[f"system {number + 1:02}"] = Spans.from_tuples(pred, gold.sizes, LABELS)
    return gold, systems


WIDTH = 9  # tokens of a slot, in which at most one span lies


def panel(n_annotators, n_docs, spans_per_doc, seed=0):
    """`Spans` of annotators who mark about as many spans and agree on three quarters of them.

    Every annotator has their own view of three in ten slots: other borders, and at times another
    label, or no span where others have one.
    """
    rng = np.random.default_rng(seed)
    slots = 2 * spans_per_doc
    sizes = slots * WIDTH + rng.integers(0, 40, n_docs)

    def views():
        """What one could see in each slot: whether a span, its start, length and label."""
        shape = n_docs, slots
        numbers = (
            rng.integers(low, high, shape, np.int8) for low, high in ((0, 4), (1, 6), (0, 4))
        )
        return [rng.random(shape) < 0.5, *numbers]

    truth, found = views(), []
    for _ in range(n_annotators):
        other = rng.random((n_docs, slots)) < 0.3
        rarely = other & (rng.random((n_docs, slots)) < 0.3)
        marked, start, length, label = (
            np.where(own, view, true)
            for own, view, true in zip((rarely, other, other, rarely), views(), truth)
        )
        doc, slot = np.nonzero(marked)
        begin = slot * WIDTH + start[marked]
        found.append(Spans(doc, begin, begin + length[marked], label[marked], sizes, LABELS))
    return found


def document(size, rng):
    """Disjoint spans of one document."""
    spans, token = [], 0
    while token < size:
        if rng.random() < 0.158:
            end = min(token + rng.geometric(0.68), size)
            spans.append((token, int(end), LABELS[rng.choice(4, p=[0.3, 0.12, 0.29, 0.29])]))
            token = end
        token += 1
    return spans


def noisy(spans, size, rng):
    """The spans as a good system would predict them."""
    found, last = [], 0
    for start, end, label in spans:
        luck = rng.random()
        if luck < 0.05 or start < last:
            continue
        end += luck < 0.1 and end < size
        label = label if luck < 0.96 else LABELS[rng.integers(4)]
        found.append((start, int(end), label))
        last = end
    return found


def tuples(spans):
    """(start, end, label) lists by document, as plain Python."""
    rows = [[] for _ in range(spans.n_docs)]
    for doc, start, end, label in zip(spans.doc, spans.start, spans.end, spans.label):
        rows[doc].append((int(start), int(end), spans.labels[label]))
    return rows


def tags(spans):
    """IOB2 tags by document."""
    found = []
    for size, rows in zip(spans.sizes.tolist(), tuples(spans)):
        row = ["O"] * size
        for start, end, label in rows:
            row[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
        found.append(row)
    return found


def examples(gold, pred):
    """spaCy Examples, without any cached alignment."""
    import spacy
    from spacy.tokens import Doc, Span
    from spacy.training import Example

    vocab = spacy.blank("en").vocab
    words = [f"word{i}" for i in range(997)]
    made, number = [], 0
    for size, *sides in zip(gold.sizes.tolist(), tuples(gold), tuples(pred)):
        text = [words[(number + i) * 7919 % 997] for i in range(size)]
        number += size
        docs = [Doc(vocab, text) for _ in sides]
        for doc, rows in zip(docs, sides):
            doc.set_ents([Span(doc, *row) for row in rows], default="outside")
        made.append(Example(docs[1], docs[0]))
    return made
