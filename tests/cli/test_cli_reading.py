"""Options that say how two sides are read, shared by `diff`, `explain`, `save` and `score`."""

import json

import pytest

from helpers.textfiles import call, failed

TEXT = "Ada met Rex\nRoe in Oslo. She left.\n"
WHOLE = "T1\tPER 0 3\tAda\nT2\tLOC 19 23\tOslo\n"


def brat(folder, annotations):
    """A folder with one document of brat."""
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "a.ann").write_text(annotations)
    return folder


def counts(*arguments):
    """Counts by relation of a call of `diff` that goes well, those above 0."""
    return {relation: n for relation, n in found(*arguments)["counts"].items() if n}


def found(*arguments):
    done = call("diff", *arguments, "-o", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def model(tmp_path):
    """A pipeline that finds Ada."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.integration
@pytest.mark.parametrize(
    "command", [["score"], ["score", "--explain", "1"], ["score", "-o", "a.run"]]
)
def test_a_pipeline_predicts_on_texts(tmp_path, monkeypatch, model, command):
    monkeypatch.chdir(tmp_path)
    gold = brat(tmp_path / "gold", WHOLE)
    assert "--read tokenizer=LANG" in failed("diff", gold, model)
    assert counts(gold, model, "--read", "tokenizer=en") == {"correct": 1, "missing": 1}
    done = call(*command, gold, model, "--read", "tokenizer=en")
    assert done.exit_code == 0, done.stderr


def test_a_prediction_says_at_its_path_how_its_tokens_are_compared(tmp_path):
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    gold.write_text("Ada B-PER\nleft O\n")
    pred.write_text("ADA B-PER\nLeft! O\n")
    assert "--align position" in failed("diff", gold, pred)
    assert counts(gold, f"{pred}#align=position") == {"correct": 1}
    assert "|align=position|" in call("score", gold, f"{pred}#align=position").stdout
