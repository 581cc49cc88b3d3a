"""Annotators as real tools lay them out: INCEpTION's folders, reviews, rows that name somebody."""

import pytest

from helpers.cas_files import json_cas
from spacy_chance_eval import Document, FormatError, Resampling, Spans, agree
from spacy_chance_eval.corpora.panels import read_panel
from spacy_chance_eval.formats import read
from spacy_chance_eval.tasks.convert import convert_file

WORDS = ("Ada", "met", "Bob")


def document(name, *spans):
    return Document(WORDS, {"spans": spans}, name=name, text="Ada met Bob", sents=(0,))


@pytest.fixture
def inception(tmp_path):
    """annotation/DOCUMENT/ANNOTATOR.json, with what INCEpTION puts beside the annotators."""
    for name in ("one.txt", "two.txt"):
        folder = tmp_path / "export" / name
        folder.mkdir(parents=True)
        for person in ("alice", "bob", "INITIAL_CAS", "CURATION_USER"):
            places = [(0, 3)] if person != "bob" else [(0, 3), (8, 10)]
            rows = [("NamedEntity", *place, {"value": "PER"}) for place in places]
            rows.append(("DocumentMetaData", 0, 10, {"documentTitle": name}))
            (folder / f"{person}.json").write_text(json_cas(*rows, text="Ada met Bob"))
    return tmp_path / "export"


def test_a_folder_for_each_document_has_a_file_for_each_annotator(inception):
    panel, corpus = read_panel([str(inception)])
    assert panel.names == ("alice", "bob")
    assert [one.name for one in corpus.documents] == ["one.txt", "two.txt"]
    assert [len(spans) for spans in panel.annotations] == [2, 4]


def test_such_a_folder_converts_with_its_documents_and_annotators(inception, tmp_path):
    convert_file(inception, tmp_path / "all.jsonl")
    found = read(tmp_path / "all.jsonl", offsets="char", format="jsonl")
    assert [one.name for one in found.documents] == ["one.txt", "two.txt"]
    assert found.layer_names == ("alice", "bob")


def test_only_the_columns_asked_for_are_read(tmp_path):
    (tmp_path / "a.conll").write_text("#token\tpos\talice\tbob\nAda\tNNP\tB-PER\tO\n")
    panel, _ = read_panel([str(tmp_path / "a.conll")], layers=("alice", "b=bob"))
    assert panel.names == ("alice", "b")


@pytest.mark.parametrize("target", ["a.conll", "a.spacy"])
def test_a_document_of_known_size_without_words_cannot_be_written(tmp_path, target):
    (tmp_path / "a.csv").write_text("document,annotator,start,end,label,size\nd,a,0,1,X,7\n")
    with pytest.raises(FormatError, match="cannot hold 1 document without text"):
        convert_file(tmp_path / "a.csv", tmp_path / target)
    assert not (tmp_path / target).exists()


ONE = Spans.from_tuples([[(0, 1, "X")], [(0, 1, "X")]], [1, 1])
FEW = Resampling(0)


def test_metrics_of_spans_are_refused_for_categories():
    with pytest.raises(ValueError, match="span_f compares spans; .* krippendorff_alpha"):
        agree({"a": ONE, "b": ONE}, ["span_f"], positions="category", intervals=FEW)


def test_annotators_without_a_common_document_are_told_with_examples():
    names = {"names": ["left", "right"]}
    sides = [Spans.from_tuples(rows, [3, 3], ["X"], **names) for rows in ([[], None], [None, []])]
    (note,) = [n for n in agree(dict(zip("ab", sides)), intervals=FEW).result["notes"] if "saw" in n
               and "common" in n]  # fmt: skip
    assert note.endswith("they saw left and right, for example")
