"""Small parsed documents for the tests of trees."""

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from helpers.docmaking import NLP

LABELS = ("nsubj", "obj", "det", "punct")


def parsed(words, heads=None, deps=None, *, name=None, sent_starts=None, spaces=None):
    """A Doc of words with heads as CoNLL counts (0 is the root) and relations; texts are split."""
    words, deps = (row.split() if isinstance(row, str) else row for row in (words, deps))
    if heads is not None:
        heads = [head - 1 if head else place for place, head in enumerate(heads)]
    doc = Doc(
        NLP.vocab, words=words, heads=heads, deps=deps, sent_starts=sent_starts, spaces=spaces
    )
    if name is not None:
        doc.user_data["name"] = name
    return doc


def rows(trees):
    """[(parents, labels)] of the items of `Trees`; None where not seen."""
    ends = zip(trees.starts, trees.starts[1:])
    return [
        (trees.parents[a:b].tolist(), [trees.labels[i] for i in trees.label[a:b]]) if seen else None
        for (a, b), seen in zip(ends, trees.seen)
    ]


@st.composite
def heads_of(draw, n, one_root=False):
    """Heads of a random tree of n tokens, as CoNLL counts; some have several roots."""
    order = draw(st.permutations(range(1, n + 1)))
    above = [0, *order]
    found = {
        token: draw(st.sampled_from(above[one_root and i > 0 : i + 1]))
        for i, token in enumerate(order)
    }
    return [found[token] for token in range(1, n + 1)]


@st.composite
def parsed_docs(draw, n, one_root=False):
    """A parsed Doc of n tokens."""
    heads = draw(heads_of(n, one_root))
    deps = ["ROOT" if not head else draw(st.sampled_from(LABELS)) for head in heads]
    return parsed([f"w{i}" for i in range(n)], heads, deps)


@st.composite
def parsed_examples(draw, one_root=False):
    """Examples of one to four Docs with the same tokens on both sides; one root: one sentence."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    return [Example(*(draw(parsed_docs(n, one_root)) for _ in range(2))) for n in sizes]


@st.composite
def cut_docs(draw, text):
    """A parsed Doc of a text without spaces, cut into tokens anywhere."""
    cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1))))
    words = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    heads = draw(heads_of(len(words), one_root=True))
    deps = ["ROOT" if not head else draw(st.sampled_from(LABELS)) for head in heads]
    return parsed(words, heads, deps, spaces=[False] * len(words))


@st.composite
def cut_examples(draw):
    """An Example whose sides have the same text and any tokens."""
    text = "abcdefghij"[: draw(st.integers(2, 10))]
    return Example(draw(cut_docs(text)), draw(cut_docs(text)))
