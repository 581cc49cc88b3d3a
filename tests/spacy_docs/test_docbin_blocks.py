import gzip
from pathlib import PurePath

import pytest

from helpers.docmaking import NLP, make_doc, write_docs
from helpers.rawfiles import assert_same, documents_of, taken
from spacy_chance_eval import sample
from spacy_chance_eval.corpora.sources import Source, read_corpus
from spacy_chance_eval.tasks.convert import write_corpus


@pytest.fixture
def file(tmp_path):
    def write(*docs, name="a.spacy"):
        write_docs(tmp_path / name, docs)
        return tmp_path / name

    return write


@pytest.mark.parametrize("role", ["gold", "pred"])
@pytest.mark.parametrize("n", [1, 5, 1000])
def test_blocks_have_the_documents_of_the_file(tmp_path, role, n):
    path = tmp_path / "dev.spacy"
    write_corpus(read_corpus(sample.path("dev.jsonl")), path, {"format": "spacy", "lang": "en"})
    assert_same(path, n, role=role)


def test_a_prediction_has_the_layers_of_the_whole_file_in_every_block(file):
    path = file(make_doc(3, []), make_doc(3, [], groups={"sc": [(0, 2, "X")]}))
    found = documents_of([path], 1, role="pred")
    assert [document.layers["spans:sc"] for document in found] == [(), ((0, 2, "X"),)]


def test_a_label_of_a_span_group_need_not_be_a_word_of_its_block(file):
    first = NLP(" ".join(["word"]))
    second = make_doc(2, [], groups={"sc": [(0, 1, "word")]})
    found = documents_of([file(first, second)], 1)
    assert found[1].layers["spans:sc"] == ((0, 1, "word"),)


def test_what_a_doc_says_of_itself_is_kept(file):
    doc = make_doc(2, [(0, 1, "A")])
    doc.user_data.update({"name": "d", "genre": "news"})
    doc.cats = {"x": 1.0, "y": 0.0}
    (found,) = documents_of([file(doc)], 1)
    assert (found.name, found.attributes, found.categories) == (
        "d",
        {"genre": "news"},
        {"categories": ("x",)},
    )


def test_a_block_carries_only_the_strings_that_it_needs(file):
    path = file(*(NLP(f"only{i}") for i in range(5)))
    strings = [one.content.strings for excerpts in taken([path], 1) for one in excerpts]
    assert [f"only{i}" in strings[i] and f"only{4 - i}" in strings[i] for i in range(5)] == [
        i == 2 for i in range(5)
    ]


def test_a_folder_and_a_pattern_stand_for_their_files(file, tmp_path):
    for name in ("b.spacy", "a.spacy"):
        file(make_doc(2, []), name=name)
    (tmp_path / "c.spacy.gz").write_bytes(gzip.compress((tmp_path / "a.spacy").read_bytes()))
    names = ["a.spacy", "b.spacy", "c.spacy.gz"]
    for path in (tmp_path, tmp_path / "*.spacy*"):
        files = Source(str(path)).looked_at().files
        assert [PurePath(file).name for file in files] == names
        assert len(read_corpus(path).documents) == 3
        assert len(documents_of(files, 2)) == 3
