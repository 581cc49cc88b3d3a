"""Two sides to compare: corpora and Docs; files are tested with the commands that read them."""

from dataclasses import replace

import pytest

from helpers.differing import EQUAL, FEW, PER, REX, WORDS, corpora
from helpers.docmaking import make_doc
from spacy_chance_eval import FormatError, diff, read_compared, side_by_side
from spacy_chance_eval.formats import Corpus, Document


def test_documents_are_brought_into_the_order_of_gold():
    gold, pred = corpora(EQUAL, FEW)
    both = side_by_side(gold, replace(pred, documents=pred.documents[::-1]))
    assert [document.name for document in both.pred.documents] == ["d0", "d1"]
    assert diff(both).counts.sum(axis=0).tolist() == [3, 1, 0, 1, 0]


def test_other_words_are_an_error():
    gold, pred = corpora(EQUAL)
    other = replace(pred.documents[0], words=[*WORDS[:-1], "Friday"])
    with pytest.raises(FormatError, match="token 8 of document 'd0' is 'Monday', but 'Friday'"):
        side_by_side(gold, replace(pred, documents=[other]))


def test_layers_are_the_main_ones_or_those_asked_for():
    documents = [Document(WORDS, {"a": [PER], "gold": [REX]})]
    one, two = Corpus("one", documents), Corpus("two", documents)
    both = side_by_side(one, two)
    assert (both.gold_layer, both.pred_layer) == ("gold", "gold")
    both = side_by_side(one, two, layer="a")
    assert (both.gold_layer, both.pred_layer) == ("a", "a")
    both = side_by_side(one, two, pred_layer="a")
    assert (both.gold_layer, both.pred_layer) == ("gold", "a")


def test_a_prediction_without_the_layer_in_a_document_marked_nothing_there():
    gold, pred = corpora(EQUAL, FEW)
    pred = replace(pred, documents=[replace(pred.documents[0], layers={}), pred.documents[1]])
    assert diff(side_by_side(gold, pred)).counts[0].tolist() == [0, 0, 0, 2, 0]


def test_docs_are_compared_as_they_are():
    gold, pred = make_doc(WORDS, [PER, REX]), make_doc(WORDS, [PER, (2, 3, "PER")])
    both = side_by_side([gold], [pred])
    assert (both.gold_layer, both.sources) == ("ents", ("gold", "pred"))
    (document,) = diff(both).documents()
    assert [pair["error"] for pair in document["pairs"]] == [None, "too short"]
    assert document["pairs"][1]["gold"]["text"] == "Rex Roe"


def test_docs_of_a_prediction_without_entities_marked_nothing():
    gold, pred = make_doc(WORDS, [PER, REX]), make_doc(WORDS)
    assert diff(side_by_side([gold], [pred])).counts.tolist() == [[0, 0, 0, 2, 0]]


def test_data_tells_both_repairs_where_they_differ(tmp_path):
    path = tmp_path / "both.conll"
    path.write_text("Ada B-PER I-PER\n")
    both = read_compared(path)
    assert both.data == {"positions": "token", "repair": "gold=error,pred=conlleval"}
    assert both.sources == (str(path), str(path))


@pytest.mark.parametrize("name", ["en_core_web_nothing", "training/model-best"])
def test_a_prediction_that_is_not_there_may_have_been_a_pipeline(tmp_path, name):
    (tmp_path / "gold.conll").write_text("Ada B-PER\n")
    message = f"^{name}: no such file, folder or installed pipeline"
    with pytest.raises(FormatError, match=message):
        read_compared(tmp_path / "gold.conll", name)


def test_gold_that_is_not_there_is_a_missing_file(tmp_path):
    with pytest.raises(FormatError, match="gold: no such file or folder; check the path"):
        read_compared(tmp_path / "gold")
