"""Reports say how many sentences their documents have, as the unit of chance depends on it."""

import json

import numpy as np
import pytest

from helpers.textfiles import call
from spacy_chance_eval import Spans, evaluate, read

CONLL = "a B-PER\nb O\n\nc O\nd B-LOC\n\n"
ROW = '{"tokens": ["a", "b", "c", "d"], "spans": [{"start": 0, "end": 1, "label": "PER"}]'
COMMANDS = {
    "score": ("score", "one", "two"),
    "rank": ("score", "one", "two", "--resamples", "0"),
    "agree": ("agree", "one", "two", "--resamples", "0"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("ending", "content", "n_docs", "n_sentences"),
    [
        (".conll", CONLL, 2, 2),
        (".jsonl", ROW + ', "sents": [0, 2]}\n', 1, 2),
        (".jsonl", ROW + "}\n", 1, None),
    ],
    ids=["conll", "known", "unknown"],
)
def test_documents_and_sentences(tmp_path, words, ending, content, n_docs, n_sentences):
    files = {name: tmp_path / f"{name}{ending}" for name in ("one", "two")}
    for path in files.values():
        path.write_text(content)
    out = tmp_path / "out.json"
    done = call(*(files.get(word, word) for word in words), "-o", out)
    assert done.exit_code == 0, done.stderr
    if words[0] == "score":
        assert (" sentences)" in done.stdout) is (n_sentences is not None)
        assert n_sentences is None or f"({n_sentences} sentences)" in done.stdout
    result = json.loads(out.read_text())
    result = result["layers"][0] if words[0] == "score" else result
    assert (result["n_docs"], result["n_sentences"]) == (n_docs, n_sentences)


def test_sentences_are_those_of_the_documents_that_count(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        ROW + ', "sents": [0, 2]}\n' + ROW + ', "sents": [0, 1, 2], "id": "second"}\n'
    )
    spans = read(tmp_path / "a.jsonl").spans("spans")
    assert spans.n_sentences(np.array([True, True])) == 5
    assert spans.n_sentences(np.array([False, True])) == 3


def test_sentences_with_missing_tokens_are_not_counted():
    rows = [[0, 0, 2], [0, 3, 4]]  # token 2 is missing
    spans = Spans([], [], [], [], [4], ["X"], stretches=rows)
    assert spans.n_sentences(np.array([True])) is None


def test_python_results_have_the_number():
    tags = [["B-PER", "O"]]
    assert evaluate(tags, tags, ["span_f"]).to_dict()["n_sentences"] is None
