"""Paths that nothing can be at have a message of one line."""

from helpers.cases import each_case
from helpers.textfiles import GOLD, conll, failed

LONG = "x" * 300


@each_case(
    "words",
    [
        ("score", "gold.conll", LONG),
        ("score", LONG, "gold.conll"),
        ("score", "gold.conll", f"A={LONG}"),
        ("agree", "gold.conll", f"{LONG}#spans"),
        ("diff", "gold.conll", LONG),
        ("convert", LONG, "out.jsonl"),
        ("convert", "gold.conll", f"{LONG}.jsonl"),
        ("score", "gold.conll", "gold.conll", "-o", f"{LONG}.json"),
        ("compare", LONG, LONG),
    ],
)
def test_commands_refuse_such_paths_with_a_message(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    conll(tmp_path / "gold.conll", GOLD)
    assert LONG[:50] in failed(*words)
