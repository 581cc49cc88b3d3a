"""Random corpora of CoNLL-2003's shape, with a fixed seed: what the benchmarks run on."""

from itertools import pairwise

import numpy as np

from spacy_chance_eval import Spans

LABELS = ("LOC", "MISC", "ORG", "PER")
SHARES = (0.3, 0.12, 0.29, 0.29)


def conll_shaped(n_docs, seed=0):
    """Gold and predicted `Spans`: per 3,453 documents about 44,000 tokens and 5,600 entities.

    The prediction loses spans, moves ends and confuses labels; its F is near .89.
    """
    rng = np.random.default_rng(seed)
    gold = sentences(n_docs, rng)
    return gold, noisy(gold, rng)


def shared_task(n_docs, n_systems, seed=0):
    """Gold and the `Spans` of systems from good to bad, as {name: Spans}."""
    rng = np.random.default_rng(seed)
    gold, systems = sentences(n_docs, rng), {}
    for number in range(n_systems):
        pred = noisy(gold, rng)
        lost = 0.02 + 0.2 * number / n_systems
        systems[f"system {number + 1:02}"] = pred.keep(rng.random(len(pred)) > lost)
    return gold, systems


def team(n_annotators, n_docs, seed=0):
    """`Spans` of annotators of such sentences, whose errors are those of `conll_shaped`.

    The first two agree with each other less than with the truth.
    """
    rng = np.random.default_rng(seed)
    truth = sentences(n_docs, rng)
    return [noisy(truth, rng) for _ in range(n_annotators)]


def sentences(n_docs, rng):
    """Disjoint spans in short documents."""
    sizes = np.minimum(1 + rng.gamma(2.2, 5.4, n_docs).astype(int), 120)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n_tokens = int(offsets[-1])
    count = n_tokens // 4 + 100  # enough: a span and the gap before it take more than 7 tokens
    gaps, lengths = rng.geometric(0.158, count), rng.geometric(0.68, count)
    start = np.cumsum(gaps + lengths) - lengths - 1
    label = rng.choice(len(LABELS), count, p=SHARES)
    inside = start < n_tokens
    start, lengths, label = start[inside], lengths[inside], label[inside]
    doc = np.searchsorted(offsets, start, "right") - 1
    end = np.minimum(start + lengths, offsets[doc + 1])
    return Spans(doc, start - offsets[doc], end - offsets[doc], label, sizes, LABELS)


def noisy(spans, rng):
    """The spans as a good system would predict them."""
    luck = rng.random(len(spans))
    free = np.append(spans.start[1:], 0)
    last = np.append(np.diff(spans.doc) != 0, True)[: len(spans)]
    free = np.where(last, spans.sizes[spans.doc], free[: len(spans)])
    end = spans.end + ((luck > 0.05) & (luck < 0.1) & (spans.end < free))
    label = np.where(luck < 0.96, spans.label, rng.integers(0, len(LABELS), len(spans)))
    kept = luck >= 0.05
    columns = (spans.doc, spans.start, end, label)
    return Spans(*(column[kept] for column in columns), spans.sizes, LABELS)


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


# --- in the formats of other programs


def by_document(rows, ends):
    """Rows of all documents, cut where each of them ends."""
    return [rows[start:end] for start, end in pairwise([0, *ends])]


def tuples(spans):
    """(start, end, label) lists by document, as plain Python."""
    labels = [spans.labels[label] for label in spans.label.tolist()]
    rows = list(zip(spans.start.tolist(), spans.end.tolist(), labels))
    return by_document(rows, np.searchsorted(spans.doc, np.arange(spans.n_docs), "right").tolist())


def codes(spans, begins=True):
    """A number for each token of the corpus: 0 outside, 1 + label inside.

    With `begins`, in IOB2: 1 + 2 label where a span begins, 2 + 2 label inside.
    """
    found = np.zeros(spans.offsets[-1], np.int8)
    first = spans.offsets[spans.doc] + spans.start
    within = np.repeat(first - np.cumsum(spans.lengths) + spans.lengths, spans.lengths)
    label = np.repeat(spans.label, spans.lengths)
    found[within + np.arange(len(within))] = 2 + 2 * label if begins else 1 + label
    found[first] = 1 + 2 * spans.label if begins else 1 + spans.label
    return found


def tags(spans):
    """IOB2 tags by document."""
    names = ["O", *(f"{prefix}-{label}" for label in spans.labels for prefix in "BI")]
    rows = np.array(names, object)[codes(spans)].tolist()
    return by_document(rows, np.cumsum(spans.sizes).tolist())


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
