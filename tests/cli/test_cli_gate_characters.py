"""Rates by token, where a file has no tokens."""

import json

from helpers.cases import each_case
from helpers.textfiles import call

ROW = {"text": "Ada met Rex", "spans": [{"start": 0, "end": 3, "label": "P"}]}


@each_case(
    ("words", "warned"),
    [
        (["--read", "offsets=char"], True),
        (["--read", "offsets=char", "--read", "tokenizer=en"], False),
    ],
)
def test_false_positives_by_character_are_warned_of(tmp_path, monkeypatch, words, warned):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    done = call("score", "a.jsonl", "a.jsonl", "-m", "false_positives", *words)
    assert done.exit_code == 0, done.stderr
    assert ("false_positives counts by character" in done.stdout) == warned
