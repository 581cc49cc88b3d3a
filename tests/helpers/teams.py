"""Small random teams of annotators for hypothesis: some see a document, some tokens are missing."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from helpers.strategies import LABELS, admitted, candidates
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.spans import Spans


@dataclass(frozen=True)
class Team:
    """Annotations of one corpus: `annotations[i][d]` are labelled spans, or None if not seen.

    `missing[i][d]` are the tokens that annotator i did not annotate, `cuts[d]` boundaries of
    sentences.
    """

    annotations: tuple
    sizes: tuple
    missing: tuple
    cuts: tuple

    def spans(self, labels=LABELS):
        """`Spans` of each annotator, aligned."""
        rows = zip(self.annotations, self.missing)
        return align_panel([self.annotator(docs, gone, labels) for docs, gone in rows])

    def annotator(self, docs, missing, labels):
        borders = [
            sorted({0, size, *cuts, *gone, *(t + 1 for t in gone)})
            for size, cuts, gone in zip(self.sizes, self.cuts, missing)
        ]
        stretches = [
            (d, a, b)
            for d, row in enumerate(borders)
            for a, b in zip(row, row[1:])
            if a not in missing[d]
        ]
        names = [f"d{d}" for d in range(len(docs))]
        return Spans.from_tuples(docs, self.sizes, labels, stretches=stretches, names=names)

    def plain(self):
        """The team as the oracles read it: pieces and annotations of the documents that count."""
        documents = []
        for d, size in enumerate(self.sizes):
            saw = [i for i, docs in enumerate(self.annotations) if docs[d] is not None]
            gone = {t for i in saw for t in self.missing[i][d]}
            borders = [-1, *sorted(gone), size]
            pieces = [(a + 1, b) for a, b in zip(borders, borders[1:]) if b > a + 1]
            kept = [
                [unit for unit in self.annotations[i][d] if not gone & set(range(*unit[:2]))]
                for i in saw
            ]
            if len(saw) > 1:
                documents.append((pieces, kept))
        return documents

    def part(self, docs):
        """Some of the documents, in this order."""
        pick = lambda rows: tuple(tuple(row[d] for d in docs) for row in rows)  # noqa: E731
        sizes, cuts = pick([self.sizes, self.cuts])
        return Team(pick(self.annotations), sizes, pick(self.missing), cuts)

    def ordered(self, annotators):
        """The annotators in another order."""
        pick = lambda rows: tuple(rows[i] for i in annotators)  # noqa: E731
        return replace(self, annotations=pick(self.annotations), missing=pick(self.missing))

    def renamed(self, names):
        """The same annotation with labels called names[label]."""
        rename = lambda spans: spans and [(s, e, names[label]) for s, e, label in spans]  # noqa: E731
        annotations = tuple(tuple(map(rename, docs)) for docs in self.annotations)
        return replace(self, annotations=annotations)


@st.composite
def teams(draw, kind="flat", most=4, labels=LABELS, docs=3, longest=10, unit=5):
    """A `Team` of 2 to 4; with "flat" no spans of an annotator overlap, whatever their labels."""
    sizes = draw(st.lists(st.integers(0, longest), min_size=1, max_size=docs))
    here = range(len(sizes))
    annotations, missing = [], []
    for _ in range(draw(st.integers(2, 4))):
        rows = [admitted(draw(candidates(size, labels, most)), kind) for size in sizes]
        rows = [[(s, min(e, s + unit), label) for s, e, label in row] for row in rows]
        annotations.append(tuple(None if draw(st.integers(0, 4)) == 4 else row for row in rows))
        gone = [draw(st.sets(st.integers(0, 2 * size), max_size=2)) for size in sizes]
        missing.append(tuple(frozenset(t for t in gone[d] if t < sizes[d]) for d in here))
    cuts = tuple((size // 2,) if size > 3 else () for size in sizes)
    return Team(tuple(annotations), tuple(sizes), tuple(missing), cuts)


def units_of_tokens(annotations, sizes, labels=LABELS):
    """A `Team` in which every annotated token is a unit: a string per document, - for no label."""
    rows = tuple(
        tuple(
            None if text is None else [(t, t + 1, x) for t, x in enumerate(text) if x != "-"]
            for text in docs
        )
        for docs in annotations
    )
    nothing = tuple(tuple(frozenset() for _ in sizes) for _ in rows)
    return Team(rows, tuple(sizes), nothing, tuple(() for _ in sizes))


def numbers(values):
    """Values of an oracle as an array; None as nan."""
    return np.array([np.nan if x is None else float(x) for x in values])
