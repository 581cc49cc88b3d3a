"""What reports call gold and a prediction: by column, layer, annotator, file or path."""

import json

import pytest

from spacy_chance_eval import read_compared
from spacy_chance_eval.metrics import request
from spacy_chance_eval.tasks import compare_files, score_files

METRICS = {"span_f": request("span_f")}
TAGS = "Ada B-PER\nmet O\nRex B-PER\n"
COLUMNS = "Ada B-PER B-PER\nmet O O\nRex B-PER O\n"
HEADER = "#token\ttruth\tbert\tcrf\n"
FILES = ("gold.conll", "bert.conll", "a/test.conll", "b/test.conll", "a/gold.conll", "b/gold.conll")
CASES = {
    "files": (("gold.conll", "bert.conll"), ("gold", "bert")),
    "gold is gold whatever its file": (("a/test.conll", "bert.conll"), ("gold", "bert")),
    "same file name": (("a/test.conll", "b/test.conll"), ("gold", "b/test")),
    "file called gold": (("a/gold.conll", "b/gold.conll"), ("gold", "b/gold")),
    "system called gold": (("a/test.conll", "gold.conll"), ("gold", "gold.conll")),
    "the same file": (("gold.conll", "gold.conll"), ("gold", "gold.conll")),
    "named columns": (("named.tsv#truth", "named.tsv#crf"), ("truth", "crf")),
    "numbers of named columns": (("named.tsv#1", "named.tsv#2"), ("truth", "bert")),
    "numbers of columns": (("two.conll#1", "two.conll#2"), ("column 1", "column 2")),
    "one column of both": (("gold.conll#1", "bert.conll#1"), ("gold", "bert")),
    "column of the prediction": (("gold.conll#1", "named.tsv#crf"), ("column 1", "crf")),
    "two columns without names": (("two.conll", None), ("gold", "predicted")),
    "layers": (("layers.jsonl#alice", "layers.jsonl#bob"), ("alice", "bob")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TAGS)
    (folder / "two.conll").write_text(COLUMNS)
    rows = [line.replace(" ", "\t") + "\tB-PER" for line in COLUMNS.splitlines()]
    (folder / "named.tsv").write_text(HEADER + "\n".join(rows) + "\n")
    layers = {name: [{"start": 0, "end": 1, "label": "PER"}] for name in ("alice", "bob")}
    row = {"tokens": ["Ada", "met", "Rex"], "layers": layers}
    (folder / "layers.jsonl").write_text(json.dumps(row) + "\n")
    return folder


@pytest.mark.parametrize(("paths", "names"), list(CASES.values()), ids=list(CASES))
def test_systems_are_called_by_what_tells_them_apart(folder, monkeypatch, paths, names):
    monkeypatch.chdir(folder)
    assert read_compared(*paths).names == names
    assert score_files(*paths, metrics=METRICS)["names"] == [*names]


def test_runs_are_called_by_their_systems(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "other.conll").write_text(TAGS)
    for path, pred in (("old.run", "bert.conll"), ("new.run", "other.conll")):
        score_files("gold.conll", pred, metrics=METRICS, run=path)
    assert compare_files("old.run", "new.run")["names"] == ["bert", "other"]
