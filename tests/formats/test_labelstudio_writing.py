import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.labelstudio import read_labelstudio, write_labelstudio

LABELS = st.text(min_size=1, max_size=3)
FEATURES = st.dictionaries(
    st.text(max_size=2), st.text(max_size=3) | st.integers(), max_size=2)  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.text("xyz", min_size=1), st.none() | st.booleans() | st.integers() | st.text(), max_size=2
)


@st.composite
def documents(draw, kinds):
    text = draw(st.text(max_size=6))
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), LABELS)
    spans = st.lists(places.filter(lambda place: place[0] < place[1]), unique=True, max_size=3)
    labels = st.lists(LABELS, unique=True, max_size=2)
    layers, categories, features = {}, {}, {}
    for name in draw(st.sets(st.text(min_size=1, max_size=3), max_size=3)):
        skipped = draw(st.booleans())
        if "spans" in kinds:
            layers[name] = None if skipped else draw(spans)
            features[name] = {span: draw(FEATURES) for span in layers[name] or ()}
        if "categories" in kinds:
            categories[name] = None if skipped else draw(labels)
    name, attributes = draw(st.none() | st.text(max_size=3)), draw(ATTRIBUTES)
    return Document((), layers, name, text=text, features=features, categories=categories,
                    attributes=attributes)  # fmt: skip


# the kinds of annotation that a file has can only be told from it
FULL = {
    "spans": {"layers": {"zoe": [(0, 1, "X")]}},
    "categories": {"categories": {"zoe": ["X"]}},
}


@pytest.mark.parametrize("kinds", [["spans"], ["categories"], ["spans", "categories"]], ids=str)
@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_write_then_read_is_the_identity(tmp_path, kinds, data):
    found = data.draw(st.lists(documents(kinds), max_size=3))
    fields = {"words": (), "layers": {}, "text": "a"}
    for kind in kinds:
        fields |= FULL[kind]
    corpus = Corpus("x", [*found, Document(**fields)], "char")
    write_labelstudio(tmp_path / "x.json", corpus)
    assert read_labelstudio(tmp_path / "x.json") == corpus


def test_tokens_are_written_as_characters(tmp_path):
    corpus = Corpus("x", [Document(["😀", "slept"], {"ada": [(1, 2, "V")]}, sents=(0,))])
    write_labelstudio(tmp_path / "x", corpus)
    (document,) = read_labelstudio(tmp_path / "x").documents
    assert (document.text, document.layers) == ("😀 slept", {"ada": ((2, 7, "V"),)})
