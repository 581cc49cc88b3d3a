"""Small documents and examples for the tests of the integrations."""

import spacy
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

NLP = spacy.blank("en")


def spans_in(doc, rows):
    """Spans of a Doc from rows (start, end, label)."""
    return [Span(doc, start, end, label=label) for start, end, label in rows]


def make_doc(words, ents=(), *, missing=(), blocked=(), groups=None, sents=None, spaces=None):
    """A Doc of words (or their number); `ents=None` leaves it without entity annotation."""
    words = [f"w{i}" for i in range(words)] if isinstance(words, int) else words
    words = words.split() if isinstance(words, str) else words
    doc = Doc(NLP.vocab, words=words, spaces=spaces)
    if ents is not None:
        doc.set_ents(
            spans_in(doc, ents),
            missing=spans_in(doc, [(*stretch, "") for stretch in missing]),
            blocked=spans_in(doc, [(*stretch, "") for stretch in blocked]),
            default="outside",
        )
    for key, rows in (groups or {}).items():
        doc.spans[key] = spans_in(doc, rows)
    for token in doc if sents else ():
        token.is_sent_start = token.i in sents
    return doc


def write_docs(path, docs):
    """Write Docs as a `.spacy` file."""
    DocBin(store_user_data=True, docs=docs).to_disk(path)


def make_example(n, gold=(), pred=(), **fields):
    """An Example of n tokens with entities on either side."""
    return Example(make_doc(n, pred), make_doc(n, gold, **fields))


def group_example(n, gold, pred, key="sc"):
    """An Example of n tokens with one span group; None leaves the group out."""
    gold, pred = ({} if rows is None else {key: rows} for rows in (gold, pred))
    return Example(make_doc(n, groups=pred), make_doc(n, groups=gold))


def tuples(spans):
    """Rows (document, start, end, label name) of a `Spans`."""
    names = [spans.labels[i] for i in spans.label]
    return list(zip(spans.doc.tolist(), spans.start.tolist(), spans.end.tolist(), names))


def loose(spans):
    """Rows (document, label name, length) of the unplaced spans."""
    return [(doc, spans.labels[label], length) for doc, label, length in spans.unplaced.tolist()]


@st.composite
def ent_rows(draw, n):
    """Disjoint labelled stretches of n tokens."""
    cuts = sorted(draw(st.sets(st.integers(0, n), max_size=6)))
    pieces = [
        (start, end, draw(st.sampled_from(["A", "B", ""]))) for start, end in zip(cuts, cuts[1:])
    ]
    return [piece for piece in pieces if piece[2]]


@st.composite
def ent_examples(draw):
    """Examples of one to four documents; gold may be absent, or missing for some tokens."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        n = draw(st.integers(1, 12))
        gold, pred = draw(ent_rows(n)), draw(ent_rows(n))
        covered = {t for start, end, _ in gold for t in range(start, end)}
        absent = draw(st.sets(st.integers(0, n - 1), max_size=3)) - covered
        rows = None if draw(st.integers(0, 4)) == 0 else gold
        fields = {"missing": [(t, t + 1) for t in sorted(absent)]} if rows is not None else {}
        found.append(make_example(n, rows, pred, **fields))
    return found


@st.composite
def group_rows(draw, n):
    """Stretches of n tokens that may overlap and repeat, or None."""
    if draw(st.integers(0, 5)) == 0:
        return None
    stretches = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    row = st.tuples(st.sampled_from(stretches), st.sampled_from(["A", "B", ""]))
    return [(*stretch, label) for stretch, label in draw(st.lists(row, max_size=6))]


@st.composite
def group_examples(draw):
    """Examples of one to four documents with the span group sc on both sides or one."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    return [group_example(n, draw(group_rows(n)), draw(group_rows(n))) for n in sizes]
