"""Writing UIMA CAS: what was written is read, what has no place is an error."""

from dataclasses import replace

import pytest
from hypothesis import given

from helpers.extras import needs
from helpers.standoff_strategies import corpora
from spacy_chance_eval.formats.cas import read_cas, write_cas
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError

pytestmark = needs("cassis", "cas")

SPANS = ((0, 1, "PER"), (1, 3, "LOC"))
DOCUMENT = Document(
    ("Ada", "\U0001f600", "slept"),
    {"spans": SPANS},
    name="a.txt",
    sents=(0, 1),
    text="Ada \U0001f600 slept",
    spaces=(True, True, False),
)
CORPUS = Corpus("a", [DOCUMENT])
SUFFIXES = pytest.mark.parametrize("suffix", [".xmi", ".json", ".zip"])


def files_of(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


@SUFFIXES
@given(corpus=corpora())
def test_what_was_written_is_read(tmp_path_factory, suffix, corpus):
    path = tmp_path_factory.mktemp("cas") / f"a{suffix}"
    write_cas(path, corpus)
    assert read_cas(path) == corpus


def test_offsets_are_written_in_utf_16_units(tmp_path):
    write_cas(tmp_path / "a.xmi", CORPUS)
    text = (tmp_path / "a.xmi").read_text(encoding="utf-8")
    assert 'begin="4" end="12" value="LOC"' in text and 'begin="4" end="6"' in text


@SUFFIXES
def test_equal_corpora_give_equal_files(tmp_path, suffix):
    for name in "ab":
        write_cas(tmp_path / f"{name}{suffix}", CORPUS)
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_text_and_spaces_are_made_of_words(tmp_path):
    write_cas(tmp_path / "a.json", Corpus("a", [replace(DOCUMENT, text=None, spaces=None)]))
    assert read_cas(tmp_path / "a.json") == CORPUS


@SUFFIXES
def test_several_documents_are_a_folder_with_safe_names(tmp_path, suffix):
    names = ["../x", "..", "a/b", "A/b", "con", "\u00e9" * 300, "a\nb"]
    corpus = Corpus("a", [replace(DOCUMENT, name=name) for name in names])
    write_cas(tmp_path / "f", corpus, suffix=suffix)
    found = sorted((tmp_path / "f").glob(f"*{suffix}"))
    assert {read_cas(file).documents[0].name for file in found} == set(names)
    extra = {"TypeSystem.xml"} if suffix == ".xmi" else set()
    assert {one.name for one in (tmp_path / "f").iterdir()} == {one.name for one in found} | extra
    assert [one.name for one in tmp_path.iterdir()] == ["f"]


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(FormatError, match="there are files in this folder"):
        write_cas(tmp_path, CORPUS)
    assert files_of(tmp_path) == ["mine"]


def test_another_type_system_is_left_alone(tmp_path):
    (tmp_path / "TypeSystem.xml").write_text("x")
    with pytest.raises(FormatError, match="another type system is there"):
        write_cas(tmp_path / "a.xmi", CORPUS)
    assert files_of(tmp_path) == ["TypeSystem.xml"]


def test_a_folder_in_the_place_of_the_type_system_is_an_error(tmp_path):
    (tmp_path / "TypeSystem.xml").mkdir()
    with pytest.raises(FormatError, match="a folder, not a file"):
        write_cas(tmp_path / "a.xmi", CORPUS)
    assert files_of(tmp_path) == []


def test_one_layer_is_written_and_unseen_documents_are_left_out(tmp_path):
    two = Document(("a", "b", "c"), {"ann": SPANS, "bob": None}, name="two")
    corpus = Corpus("a", [replace(DOCUMENT, layers={"ann": (), "bob": SPANS}), two])
    with pytest.raises(FormatError, match="layers ann, bob; a file holds one"):
        write_cas(tmp_path / "f", corpus)
    write_cas(tmp_path / "f", corpus, layer="bob", suffix=".json")
    assert files_of(tmp_path / "f") == ["a.txt.json"]
    assert read_cas(tmp_path / "f" / "a.txt.json") == CORPUS
    with pytest.raises(FormatError, match="no document is annotated in layer 'bob'"):
        write_cas(tmp_path / "g", Corpus("a", [two]), layer="bob")


def test_a_file_takes_one_document(tmp_path):
    with pytest.raises(FormatError, match="2 documents, but a file holds one"):
        write_cas(tmp_path / "a.xmi", Corpus("a", [DOCUMENT, DOCUMENT]))


def test_a_document_of_which_only_the_size_is_known_is_refused(tmp_path):
    corpus = Corpus("a", [Document((), {"spans": ()}, name="a", size=3)], "char")
    with pytest.raises(FormatError, match="document 'a' has a size, but no text"):
        write_cas(tmp_path / "a.json", corpus)
