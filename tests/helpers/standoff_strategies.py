"""Corpora that UIMA and GATE can hold, for hypothesis."""

from hypothesis import strategies as st

from spacy_chance_eval.formats.corpus import Corpus, Document

# What XML can hold: no surrogates, no control characters but white space.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
TEXT = st.text(CHARACTERS | st.sampled_from("\n\r\t <&\"'\U0001f600"), max_size=12)
WORD = TEXT.filter(lambda text: text and not any(map(str.isspace, text)))
TITLE, NOTHING = TEXT.filter(bool), st.just({})
LABEL = st.sampled_from(["PER", "LOC", "a b", "<&\"'", "\U0001f600"])
VALUES = {
    "kind": TEXT,
    "note": st.integers(-(2**40), 2**40),
    "\u00e9t\u00e9": st.floats(allow_nan=False, allow_infinity=False),
}
SAID = st.fixed_dictionaries({}, optional=VALUES | {"sure": st.booleans()})


@st.composite
def corpora(draw, layers=("spans",), attributes=NOTHING, names=TITLE):
    """A corpus of one document with tokens or without."""
    words = draw(st.lists(WORD, max_size=5))
    if words:
        spaces = tuple(draw(st.booleans()) for _ in words)
        text = "".join(word + " " * space for word, space in zip(words, spaces))
        size = len(words)
    else:
        spaces, text = None, draw(TEXT)
        size = len(text)
    spans, features = {}, {}
    for layer in layers:
        spans[layer] = draw(spans_in(size))
        features[layer] = {span: draw(SAID) for span in spans[layer]}
    sents = draw(st.sets(st.integers(0, size - 1), max_size=3)) if size else ()
    document = Document(
        words,
        spans,
        name=draw(names),
        sents=sents,
        text=text,
        spaces=spaces,
        attributes=draw(attributes),
        features=features,
    )
    return Corpus("a", [document], "token" if words else "char")


def spans_in(size):
    """Different spans over so many positions."""
    if not size:
        return st.just([])
    places = st.tuples(st.integers(0, size - 1), st.integers(1, size), LABEL)
    return st.lists(places.filter(lambda span: span[0] < span[1]), max_size=4, unique=True)
