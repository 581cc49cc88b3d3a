import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.table import OWN, read_table, write_table


def document(layers=None, name="a", size=9, said=None, **fields):
    layers = {"Ada": [(0, 2, "PER")]} if layers is None else layers
    features = {"Ada": {(0, 2, "PER"): said}} if said else {}
    return Document((), layers, name=name, size=size, features=features, **fields)


def written(tmp_path, *documents, name="t.csv", **fields):
    write_table(tmp_path / name, Corpus("x", documents, **fields))
    return (tmp_path / name).read_bytes().decode()


def refused(tmp_path, *documents, **fields):
    with pytest.raises(FormatError) as caught:
        written(tmp_path, *documents, **fields)
    assert not list(tmp_path.iterdir())
    return str(caught.value)


def test_rows_go_by_document_annotator_and_span(tmp_path):
    layers = {"Rex": [(1, 2, "X"), (0, 2, "X")], "Ada": (), "Eve": None}
    said = {"Rex": {(0, 2, "X"): {"sure": True, "why": "well, so"}}}
    one = Document((), layers, name="b", size=9, features=said)
    assert written(tmp_path, one, document({"Ada": None}, size=0)) == (
        "document,annotator,start,end,label,size,sure,why\n"
        "b,Ada,,,,9,,\n"
        'b,Rex,0,2,X,9,true,"well, so"\n'
        "b,Rex,1,2,X,9,,\n"
        "a,,,,,0,,\n"
    )


def test_a_name_in_tsv_has_tabs(tmp_path):
    assert written(tmp_path, document(), name="t.tsv").splitlines()[1] == "a\tAda\t0\t2\tPER\t9"


def test_categories_have_a_table_of_their_own(tmp_path):
    one = Document((), {}, name="a", categories={"Ada": ["B", "A"], "Rex": []})
    two = Document((), {}, name="b", categories={"Ada": None})
    assert written(tmp_path, one, two) == (
        "document,annotator,label\na,Ada,A\na,Ada,B\na,Rex,\nb,,\n"
    )


def test_words_leave_their_number(tmp_path):
    assert written(tmp_path, Document("xyz", {}, name="a")).endswith("\na,,,,,3\n")
    assert written(tmp_path, Document((), {}, text="🚀\n"), positions="char").endswith(",2\n")


def test_documents_without_names_get_numbers(tmp_path):
    written(tmp_path, document(name=None), document(name=None))
    assert [one.name for one in read_table(tmp_path / "t.csv").documents] == ["1", "2"]


@pytest.mark.parametrize("name", ["x" * 131_073, "a\0b"], ids=["long", "nul"])
def test_a_cell_that_could_not_be_read_is_an_error(tmp_path, name):
    assert "a cell with a NUL, or of more than" in refused(tmp_path, document(name=name))


def test_a_row_that_could_not_be_read_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_chance_eval.formats.table.LONGEST", 60)
    assert "a row of more than 60" in refused(tmp_path, document(name="x" * 61))


def test_half_a_surrogate_is_an_error(tmp_path):
    assert "UTF-8" in refused(tmp_path, document(name="\ud800"))


@pytest.mark.parametrize("value", [
    "1", 1, "true", True, "null", None, "", " 1", '"a"', "[", ["1", 1.5], {"a": None}, "NaN",
    '"\\ud800"', "1e999",
])  # fmt: skip
def test_a_feature_comes_back_with_its_type(tmp_path, value):
    written(tmp_path, document(said={"f": value}))
    (found,) = read_table(tmp_path / "t.csv").documents
    assert repr(found.features["Ada"][0, 2, "PER"]) == repr({"f": value})


SIGNS = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
NAME = st.text(SIGNS, min_size=1, max_size=3) | st.text(
    'a ",;\t\r\n🚀\ufeff=', min_size=1, max_size=4
)
KEY = NAME.filter(lambda key: key.strip() not in OWN)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.none() | st.booleans() | st.integers() | FLOAT | st.text(SIGNS)
PLAIN |= st.sampled_from(["1", "true", "", " 1", '"a"', "[", "NaN", "1e999", '"\\ud800"'])
VALUE = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(st.text(SIGNS), PLAIN, max_size=2)


@st.composite
def span_documents(draw, name, layers):
    size = draw(st.integers(0, 9))
    place = st.tuples(st.integers(0, size), st.integers(1, 9), NAME)
    marked, features = {}, {}
    for layer in layers:
        places = draw(st.none() | st.lists(place, max_size=3))
        spans = places and {(s, s + n, label) for s, n, label in places if s + n <= size}
        said = st.dictionaries(KEY, VALUE, max_size=2)
        marked[layer], features[layer] = spans, {span: draw(said) for span in spans or ()}
    return Document((), marked, name=name, size=size, features=features)


def without_idle(documents, kind):
    """The documents, without layers that nobody annotated."""
    layers = {name for one in documents for name, found in getattr(one, kind).items()
              if found is not None}  # fmt: skip
    for one in documents:
        for name in list(getattr(one, kind)):
            if name not in layers:
                del getattr(one, kind)[name]
    return documents


FILES = st.lists(NAME, min_size=1, max_size=3, unique=True)


@settings(suppress_health_check=list(HealthCheck), max_examples=5 * settings.default.max_examples)
@given(
    st.data(), st.sampled_from(["token", "char"]), st.sampled_from(["t.csv", "t.tsv", "t.csv.gz"])
)
def test_write_then_read_is_the_identity(tmp_path, data, offsets, file):
    layers = data.draw(FILES)
    documents = [data.draw(span_documents(name, layers)) for name in data.draw(FILES)]
    corpus = Corpus("x", without_idle(documents, "layers"), offsets)
    write_table(tmp_path / file, corpus)
    assert read_table(tmp_path / file, offsets=offsets) == corpus


@settings(suppress_health_check=list(HealthCheck), max_examples=2 * settings.default.max_examples)
@given(st.data())
def test_write_then_read_is_the_identity_for_categories(tmp_path, data):
    layers, labels = data.draw(FILES), st.none() | st.sets(NAME, max_size=3)
    documents = [
        Document((), {}, name=name, categories={layer: data.draw(labels) for layer in layers})
        for name in data.draw(FILES)
    ]
    documents.append(Document((), {}, name="last one", categories=dict.fromkeys(layers, ["A"])))
    write_table(tmp_path / "t.csv", Corpus("x", documents))
    assert read_table(tmp_path / "t.csv") == Corpus("x", documents)


def test_with_texts_the_words_come_back(tmp_path):
    one = Document(["Ada", "met"], {"Ada": [(0, 1, "X")]}, name="a", text="Ada met")
    (tmp_path / "x.jsonl").write_text(
        json.dumps({"id": "a", "text": one.text, "tokens": one.words})
    )
    written(tmp_path, one)
    assert read_table(tmp_path / "t.csv", texts=tmp_path / "x.jsonl").documents == (one,)
