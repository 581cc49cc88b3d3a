"""Two sides to compare: corpora and Docs; files are tested with the commands that read them."""

from dataclasses import replace

import pytest

from helpers.differing import EQUAL, FEW, PER, REX, WORDS, corpora
from helpers.docmaking import make_doc
from spacy_chance_eval import FormatError, diff, read_compared, side_by_side
from spacy_chance_eval.corpora.sources import is_pipeline
from spacy_chance_eval.formats import Corpus, Document


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


def test_data_tells_both_repairs_where_they_differ(tmp_path):
    path = tmp_path / "both.conll"
    path.write_text("Ada B-PER I-PER\n")
    both = read_compared(path)
    assert both.data == {"positions": "token", "repair": "conlleval"}
    assert both.sources == (str(path), str(path))


@pytest.mark.parametrize("name", ["en_core_web_nothing", "training/model-best"])
def test_a_prediction_that_is_not_there_may_have_been_a_pipeline(tmp_path, name):
    (tmp_path / "gold.conll").write_text("Ada B-PER\n")
    message = f"^{name}: no such file, folder or installed pipeline"
    with pytest.raises(FormatError, match=message):
        read_compared(tmp_path / "gold.conll", name)


def made_pipeline(folder):
    """A folder, after the files by which a pipeline is recognised were written to it."""
    folder.mkdir(parents=True)
    for name in ("config.cfg", "meta.json"):
        (folder / name).write_text("{}")
    return folder


@pytest.mark.parametrize("pred", ["gold.conll", "model-last"])
def test_a_pipeline_as_gold_is_told_that_gold_comes_first(tmp_path, pred):
    (tmp_path / "gold.conll").write_text("Ada B-PER\n")
    one, _ = (made_pipeline(tmp_path / name) for name in ("model-best", "model-last"))
    with pytest.raises(FormatError, match="a trained pipeline.* these come first: GOLD .*best$"):
        read_compared(one, tmp_path / pred)


@pytest.mark.parametrize("first", [True, False], ids=["gold", "prediction"])
def test_a_folder_of_pipelines_names_them(tmp_path, first):
    (tmp_path / "gold.conll").write_text("Ada B-PER\n")
    for name in ("model-last", "model-best"):
        made_pipeline(tmp_path / "out" / name)
    (tmp_path / "out" / "scores.jsonl").write_text("{}\n")  # beside them, as loggers write it
    paths = [tmp_path / "out", tmp_path / "gold.conll"]
    with pytest.raises(FormatError, match="did you mean .*model-best or .*model-last?"):
        read_compared(*(paths if first else paths[::-1]))


def test_an_installed_package_that_is_no_pipeline_is_none(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("xx_made_model", "made_tools"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "xx_made_model" / "meta.json").write_text("{}")
    found = {name: is_pipeline(name) for name in ("xx_made_model", "made_tools", "json", "wasabi")}
    assert found == {"xx_made_model": True, "made_tools": False, "json": False, "wasabi": False}
