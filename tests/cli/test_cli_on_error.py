"""`--on-error` of each command that reads annotation."""

import json

import pytest

from helpers.textfiles import call

ROW = {"tokens": ["Ada", "met", "Bob"], "spans": [[0, 1, "PER"]]}
OUTSIDE = {**ROW, "spans": [*ROW["spans"], [2, 9, "PER"]]}
COMMANDS = {
    "score": "score gold.jsonl pred.jsonl --resamples 0 -o out.json",
    "run": "score gold.jsonl pred.jsonl -o a.run -o out.json",
    "explain": "score gold.jsonl pred.jsonl -o out.json --explain 1",
    "board": "score gold.jsonl x=pred.jsonl --resamples 0 -o out.json",
    "diff": "diff gold.jsonl pred.jsonl -o out.json",
    "agree": "agree gold.jsonl pred.jsonl --resamples 0 -o out.json",
    "convert": "convert gold.jsonl out.conll",
}
each = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": f"d{number}", **ROW}) for number in range(12)]
    (tmp_path / "pred.jsonl").write_text("\n".join(rows), "utf-8")
    rows[3] = json.dumps({"id": "d3", **OUTSIDE})
    (tmp_path / "gold.jsonl").write_text("\n".join(rows), "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "convert"])
def test_json_says_what_was_skipped(folder, name):
    call(*COMMANDS[name].split(), "--on-error", "skip")
    (skipped,) = json.loads((folder / "out.json").read_text("utf-8"))["skipped"]
    assert (skipped["n"], skipped["first"][0]["line"]) == (1, 4)


@pytest.mark.parametrize("pred", ["pred.conllu", "gold.conllu"])
@pytest.mark.parametrize("command", ["score", "agree"])
def test_json_says_which_trees_were_skipped_once_for_each_file(folder, command, pred):
    tree = "1\tAda\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tran\t_\t_\t_\t_\t{}\troot\t_\t_\n"
    for name, head in (("gold.conllu", 9), ("pred.conllu", 0)):
        heads = [0, 0, 0, head, *[0] * 8]
        (folder / name).write_text("\n".join(map(tree.format, heads)), "utf-8")
    done = call(
        *(command, "gold.conllu", pred if command == "score" else f"b={pred}", "--resamples", "0"),
        *("--on-error", "skip", "-m", "las", "-o", "out.json"),
    )
    assert done.exit_code == 0, done.stderr
    (skipped,) = json.loads((folder / "out.json").read_text("utf-8"))["skipped"]
    assert (skipped["unit"], skipped["n"], skipped["first"][0]["line"]) == ("sentences", 1, 11)
