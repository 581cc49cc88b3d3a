import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval.formats.brat import read_brat, write_brat
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError

TEXT = "Ada met Rex Roe.\nShe slept."


def char(*documents):
    return Corpus("x", documents, positions="char")


def document(spans=((0, 3, "X"),), name="d", text=TEXT, said=None, **fields):
    features = {"spans": dict.fromkeys(spans, said)} if said else {}
    return Document((), {"spans": spans}, name=name, text=text, features=features, **fields)


def refused(tmp_path, corpus, **options):
    with pytest.raises(FormatError) as caught:
        write_brat(tmp_path / "out", corpus, **options)
    assert not list(tmp_path.iterdir())
    return str(caught.value)


def test_files_are_as_brat_writes_them(tmp_path):
    said = {"sure": True, "who": "me", "AnnotatorNotes": "well well"}
    write_brat(tmp_path / "out", char(document([(12, 20, "X")], said=said)))
    assert (tmp_path / "out" / "d.txt").read_text() == TEXT
    assert (tmp_path / "out" / "d.ann").read_text() == (
        "T1\tX 12 20\tRoe. She\n#1\tAnnotatorNotes T1\twell well\nA2\tsure T1\nA3\twho T1 me\n"
    )


def test_a_document_that_was_not_seen_is_a_text_alone(tmp_path):
    write_brat(tmp_path / "out", char(document(None), document((), name="e")))
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["d.txt", "e.ann", "e.txt"]


def test_documents_without_names_get_numbers(tmp_path):
    write_brat(tmp_path / "out", char(*[document(name=None)] * 11))
    names = [one.name for one in read_brat(tmp_path / "out").documents]
    assert names == [f"{place:02}" for place in range(1, 12)]


def test_tokens_are_written_as_characters(tmp_path):
    corpus = Corpus("x", [Document(["Ada", "met"], {"gold": [(1, 2, "X")]}, name="d")])
    write_brat(tmp_path / "out", corpus)
    (found,) = read_brat(tmp_path / "out").documents
    assert (found.text, found.layers) == ("Ada met", {"spans": ((4, 7, "X"),)})


def test_one_of_several_layers_has_to_be_named(tmp_path):
    corpus = char(Document((), {"a": (), "b": [(0, 1, "X")]}, name="d", text="ab"))
    assert "brat holds one layer, not a, b; name one" in refused(tmp_path, corpus)
    write_brat(tmp_path / "out", corpus, layer="b")
    assert read_brat(tmp_path / "out").documents[0].layers == {"spans": ((0, 1, "X"),)}


def test_an_unknown_layer_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="unknown layer 'gold'"):
        write_brat(tmp_path / "out", char(document()), layer="gold")


NAMES_OUT = ["../x", "/x", "a/../../x", "..", ".", "", "a//b", "a/", "a\0b", "a\\b", "c:x", ".a",
             "a/.b", "a\nb", "\ud800", "\udc80", "x" * 201, "é" * 101, "a.", "a ", "a./b",
             "a?", "a*b", "a|b", "<a>", 'a"', "con", "a/NUL", "aux.v1", "COM1", "lpt¹", "CONIN$",
             "nul .x"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OUT)
def test_a_name_that_is_no_file_of_the_folder_is_an_error(tmp_path, name):
    message = refused(tmp_path, char(document(), document(name=name)))
    assert "cannot give its name to a file" in message


def test_a_name_that_is_a_folder_and_a_file_is_an_error(tmp_path):
    assert "d" in refused(tmp_path, char(document(name="d.ann/e"), document(name="d")))


def test_two_documents_of_one_name_are_an_error(tmp_path):
    assert "two documents are called 'd'" in refused(tmp_path, char(document(), document()))


@pytest.mark.parametrize(
    "names", [("D", "d"), ("é", "e\u0301"), ("ß", "SS"), ("f/d", "F/D")], ids=ascii
)
def test_two_documents_of_one_file_on_other_systems_are_an_error(tmp_path, names):
    message = refused(tmp_path, char(*(document(name=name) for name in names)))
    assert f"the files of the documents {names[0]!r} and {names[1]!r} would be one" in message


def test_a_document_without_text_is_an_error(tmp_path):
    message = refused(tmp_path, char(document(text=None, size=4)))
    assert "document 'd' has a size, but no text" in message


def test_a_folder_with_files_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "d.ann").write_text("mine")
    with pytest.raises(FormatError, match="there are files in this folder"):
        write_brat(tmp_path / "out", char(document()))
    assert [file.read_text() for file in tmp_path.rglob("*.ann")] == ["mine"]


def test_an_empty_folder_may_be_there(tmp_path):
    (tmp_path / "out").mkdir()
    write_brat(tmp_path / "out", char(document()))
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_folder_in_no_folder_is_an_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be written"):
        write_brat(tmp_path / "none" / "out", char(document()))


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(FormatError, match="cannot be written"):
        write_brat(tmp_path / "out", char(document()))
    assert (tmp_path / "out").read_text() == "mine"


WORD = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=3)
VALUE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), min_size=1)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
TEXTS |= st.text("a\r\n\t\ufeff\u2028🚀", max_size=8)


@st.composite
def documents(draw, name):
    text = draw(TEXTS)
    place = st.tuples(st.integers(0, len(text)), st.integers(1, 4), WORD)
    places = draw(st.none() | st.lists(place, max_size=4))
    spans = places and {(s, s + n, label) for s, n, label in places if s + n <= len(text)}
    said = st.dictionaries(WORD | st.just("AnnotatorNotes"), st.just(True) | VALUE, max_size=3)
    features = {"spans": {span: draw(said) for span in sorted(spans or ())}}
    return Document((), {"spans": spans}, name=name, text=text, features=features)


@settings(suppress_health_check=list(HealthCheck), max_examples=5 * settings.default.max_examples)
@given(st.data())
def test_write_then_read_is_the_identity(tmp_path_factory, data):
    names = data.draw(st.sampled_from([["a"], ["a", "a.b", "b", "sub/a", "sub/ü.ann.txt", "z z"]]))
    corpus = char(*[data.draw(documents(name)) for name in names])
    folder = tmp_path_factory.mktemp("brat") / "out"
    write_brat(folder, corpus)
    assert read_brat(folder) == corpus
