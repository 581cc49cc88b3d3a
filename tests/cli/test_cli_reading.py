"""Options that say how two sides are read, shared by `diff`, `explain`, `save` and `score`."""

import json

import pytest

from helpers.textfiles import WORDS, call, failed

TEXT = "Ada met Rex\nRoe in Oslo. She left.\n"
SPLIT = "T1\tPER 0 3\tAda\nT2\tPER 8 11;19 23\tRex Oslo\n"
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


def table(path, *spans):
    rows = [f"d,{start},{end},{label}\n" for start, end, label in spans]
    path.write_text("document,start,end,label\n" + "".join(rows))
    return path


@pytest.fixture
def export(tmp_path):
    """Two answers to a task of Prodigy, and one to another."""
    tokens = [{"text": word, "start": i * 10, "end": i * 10 + 9} for i, word in enumerate(WORDS)]
    rows = []
    for who, key, places in (("alice", 1, [0]), ("bob", 1, [0, 2]), ("alice", 2, [1])):
        spans = [{"token_start": at, "token_end": at, "label": "PER"} for at in places]
        row = {"_input_hash": key, "_annotator_id": who, "answer": "accept"}
        rows.append(json.dumps({**row, "tokens": tokens, "spans": spans}) + "\n")
    path = tmp_path / "export.jsonl"
    path.write_text("".join(rows))
    return path


@pytest.fixture
def model(tmp_path):
    """A pipeline that finds Ada."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


def test_spans_in_pieces_can_be_read(tmp_path):
    two = brat(tmp_path / "one", SPLIT), brat(tmp_path / "two", WHOLE)
    assert "cannot take discontinuous spans" in failed("diff", *two)


def test_texts_of_tables_can_be_given(tmp_path):
    one = table(tmp_path / "one.csv", (0, 3, "PER"))
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(TEXT)
    reading = ("--read", "offsets=char", "--read", f"texts={tmp_path / 'texts'}")
    assert found(one, one, "--all", *reading)["documents"][0]["pairs"][0]["gold"]["text"] == "Ada"


def test_tables_have_the_size_of_the_text_of_gold(tmp_path):
    gold = brat(tmp_path / "gold", WHOLE)
    pred = tmp_path / "pred.csv"
    pred.write_text(f"document,start,end,label,size\na,0,3,PER,{len(TEXT)}\n")
    reading = ("--read", "offsets=char")
    assert counts(gold, pred, *reading) == {"correct": 1, "missing": 1}
    pred.write_text(f"document,start,end,label,size\na,0,3,PER,{len(TEXT) + 1}\n")
    assert "score annotations of the same text" in failed("diff", gold, pred, *reading)


@pytest.mark.parametrize("field", ["auto", "_annotator_id"])
def test_two_annotators_of_one_export_are_compared(export, field):
    reading = (f"{export}#bob", "--read", f"annotator={field}", "--layer", "alice")
    result = found(export, *reading)
    assert result["names"] == ["alice", "bob"] and result["n_skipped"] == 1
    assert counts(export, *reading) == {"correct": 1, "spurious": 1}


def test_who_did_not_see_a_row_of_jsonl_marked_nothing_wrong_there(tmp_path):
    path = tmp_path / "team.jsonl"
    rows = [("a", "ada", [[0, 1, "PER"]]), ("a", "rex", [[0, 1, "PER"]]), ("b", "ada", [])]
    path.write_text(
        "".join(
            json.dumps({"id": key, "who": who, "tokens": WORDS, "spans": spans}) + "\n"
            for key, who, spans in rows
        )
    )
    reading = (f"{path}#rex", "--read", "annotator=who", "--layer", "ada")
    result = found(path, *reading)
    assert (result["n_docs"], result["n_skipped"]) == (1, 1)


def test_the_feature_of_the_label_can_be_named(tmp_path):
    one = brat(tmp_path / "one", "T1\tName 0 3\tAda\nA1\tkind T1 PER\n")
    two = brat(tmp_path / "two", "T1\tPER 0 3\tAda\nA1\tkind T1 PER\n")
    assert counts(one, two) == {"wrong label": 1}
    assert counts(one, two, "--read", "feature=kind") == {"correct": 1}


def test_files_with_and_without_tokens_are_compared(tmp_path):
    gold, pred = brat(tmp_path / "gold", WHOLE), tmp_path / "pred.spacy"
    assert call("convert", gold, pred, "--read", "tokenizer=en").exit_code == 0
    assert "--read tokenizer=LANG" in failed("diff", gold, pred, "--align", "tokens")
    for two in ((gold, pred), (pred, gold)):
        assert counts(*two, "--read", "tokenizer=en") == {"correct": 2}


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


def test_gold_that_does_not_fit_the_tokens_is_an_error_unless_told(tmp_path):
    gold = brat(tmp_path / "gold", "T1\tPER 0 2\tAd\n")
    pred = brat(tmp_path / "pred", WHOLE)
    assert "does not fit the boundaries" in failed("diff", gold, pred, "--read", "tokenizer=en")
    reading = ("--read", "tokenizer=en", "--read", "misaligned=unplaced")
    assert counts(gold, pred, *reading) == {"missing": 1, "spurious": 2}
    assert counts(pred, gold, "--read", "tokenizer=en") == {"missing": 2, "spurious": 1}


def test_an_option_that_neither_format_has_is_an_error(tmp_path):
    gold = brat(tmp_path / "gold", WHOLE)
    message = f"{gold}: format brat has no key 'annotator'"
    assert message in failed("diff", gold, gold, "--read", "annotator=who")


def test_the_feature_may_have_a_label_for_spans_without_it_on_boards_too(tmp_path):
    gold = brat(tmp_path / "gold", "T1\tName 0 3\tAda\nA1\tkind T1 PER\nT2\tName 19 23\tOslo\n")
    options = ("--read", "feature=kind=none", "-o", "-", "--resamples", "0")
    board = json.loads(call("score", gold, f"x={gold}", *options).stdout)
    assert {"PER", "none"} <= {*board["labels"]}
    assert "give such spans a label" in failed("score", gold, gold, "--read", "feature=kind")
