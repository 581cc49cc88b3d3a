import json
import pickle

import pytest

from spacy_chance_eval import read, request
from spacy_chance_eval.corpora.sources import choose_layer
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.scoring.evaluation import default_requests, fitting_requests
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.score import score_files

TAGS = ["B-A", "I-A", "O"]


@pytest.fixture
def both(tmp_path):
    """A CoNLL file with a column X, gold and a prediction."""
    rows = zip("abc", TAGS, TAGS, ["B-A", "O", "O"])
    path = tmp_path / "both.conll"
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    return path


def jsonl(path, **row):
    path.write_text(json.dumps({"tokens": ["a", "b"], **row}) + "\n")
    return path


def layer(gold, pred=None, /, **options):
    """The only layer of a result, with the span F alone."""
    metrics = options.pop("metrics", {"f": request("span_f")})
    (found,) = score_files(gold, pred, reading=Reading.of(options), metrics=metrics)["layers"]
    return found


def test_only_a_chance_model_that_nobody_named_changes_with_the_spans():
    names = ("span_f", "span_f(chance=disjoint)", "slicm_norm")
    requests = pickle.loads(pickle.dumps(default_requests(names)))
    found = [one.placement for one in fitting_requests(requests, {False}).values()]
    assert found == ["overlapping", "disjoint", "none"]
    assert fitting_requests(requests, {True}) == requests


def test_the_main_layer_is_gold_spans_or_ents(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", layers={"z": [], "ents": [], "a": []})
    assert choose_layer(read(path)) == "ents"
    path = jsonl(tmp_path / "a.jsonl", layers={"z": [], "a": []})
    with pytest.raises(ValueError, match=r"none was named: a, z; name one: .*a\.jsonl#a"):
        choose_layer(read(path))


def test_a_layer_can_be_avoided_if_there_is_another(tmp_path):
    corpus = read(jsonl(tmp_path / "a.jsonl", spans=[], layers={"x": []}))
    assert choose_layer(corpus, avoid="spans") == choose_layer(corpus, "x") == "x"
    with pytest.raises(ValueError, match=r"a\.jsonl has one layer only"):
        choose_layer(read(jsonl(tmp_path / "a.jsonl", spans=[])), avoid="spans")


def test_one_file_reads_gold_and_predictions_as_conlleval(tmp_path):
    path = tmp_path / "x.conll"
    path.write_text("a B-A I-A\nb O O\nc O O\n")
    assert headline(layer(path)["scores"]["f"]) == 1.0
    path.write_text("a B-A B-A\nb O O\nc I-A O\n")
    assert layer(path)["n_gold"] == 2


def test_the_layer_of_the_prediction_is_that_of_gold_if_it_is_there(tmp_path):
    gold = jsonl(tmp_path / "a.jsonl", spans=[], layers={"x": [[0, 1, "A"]]})
    pred = jsonl(tmp_path / "b.jsonl", spans=[], layers={"x": [[0, 1, "A"]]})
    found = layer(gold, pred, layer="x")
    assert (found["gold_layer"], found["pred_layer"]) == ("x", "x")


def test_else_the_main_layer_of_the_prediction_is_taken(tmp_path, both):
    gold = tmp_path / "a.jsonl"
    gold.write_text(json.dumps({"tokens": list("abc"), "spans": [[0, 2, "A"]]}) + "\n")
    found = layer(gold, f"{both}#1")
    assert (found["gold_layer"], found["pred_layer"]) == ("spans", "gold")
    assert headline(found["scores"]["f"]) == 1.0
