"""`--on-error`: what a blemish costs, and what is said of it."""

import json

import pytest

from spacy_chance_eval.formats import FormatError, read
from spacy_chance_eval.formats.blemishes import all_completed, completed

WORDS = ["Ada", "met", "Bob", "in", "Rome"]
SPANS = [[0, 1, "PER"], [2, 3, "PER"]]
BLEMISHED = [
    json.dumps({"tokens": WORDS, "spans": [*SPANS, [2, 2, "PER"]]}),
    '{"tokens": [',
    json.dumps({"tokens": WORDS, "spans": [*SPANS, [4, 9, "LOC"], [4, 5, ""]]}),
]


def rows(n, *, named=False):
    """Sound lines, each with two spans."""
    about = [{"id": f"d{i}"} if named else {} for i in range(n)]
    return [json.dumps({**one, "tokens": WORDS, "spans": SPANS}) for one in about]


def written(path, lines):
    """A file of some lines."""
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def blemished(tmp_path):
    """A file with blemishes in lines 1 to 3 of 40."""
    return written(tmp_path / "blemished.jsonl", [*BLEMISHED, *rows(37)])


def test_blemishes_are_counted_by_kind_and_named(blemished):
    entries = read(blemished, on_error="skip").notes.entries()["skipped"]
    counts = [(one["unit"], one["n"], one["total"]) for one in entries]
    assert counts == [("documents", 1, 40)] * 3
    lines = [[place["line"] for place in one["first"]] for one in entries]
    assert lines == [[1], [2], [3]]


def test_too_many_blemishes_stop_all_the_same(tmp_path):
    path = written(tmp_path / "a.jsonl", [*["{"] * 3, *rows(2)])
    with pytest.raises(FormatError, match="3 of 5 documents would be left out"):
        read(path, on_error="skip")
    assert len(read(written(path, ["{", "{", *rows(2)]), on_error="skip").documents) == 2


@pytest.mark.parametrize("named", [False, True], ids=["by place", "by name"])
def test_documents_that_one_file_lacks_are_not_compared(tmp_path, named):
    sound = rows(40, named=named)
    gold = written(tmp_path / "gold.jsonl", ["{", *sound[1:]])
    pred = written(tmp_path / "pred.jsonl", [*sound[:5], "{", *sound[6:]])
    one, two = read(gold, on_error="skip"), read(pred, on_error="skip")
    two = completed(one, two)
    assert len(one.documents) == len(two.documents) == 39
    assert [n for n, doc in enumerate(two.documents) if doc.layers["spans"] is None] == [4]


def test_documents_without_names_in_another_order_are_told_by_text(tmp_path):
    texts = [json.dumps({"text": f"Ada {n}", "spans": [[0, 3, "PER"]]}) for n in range(9)]
    gold = read(written(tmp_path / "gold.jsonl", texts))
    pred = read(written(tmp_path / "pred.jsonl", ["{", "{", *texts[:0:-1]]), on_error="skip")
    found = completed(gold, pred)
    assert [doc.text for doc in found.documents] == [doc.text for doc in gold.documents]
    assert [doc.layers["spans"] is None for doc in found.documents] == [True] + 8 * [False]


def test_annotators_keep_the_documents_of_the_others(tmp_path):
    paths = [
        written(tmp_path / f"{name}.jsonl", [*rows(30)[:at], "{", *rows(30)[at + 1 :]])
        for name, at in (("a", 3), ("b", 9), ("c", 9))
    ]
    corpora = all_completed([read(path, on_error="skip") for path in paths])
    unseen = [
        [n for n, doc in enumerate(one.documents) if doc.layers["spans"] is None] for one in corpora
    ]
    assert unseen == [[3], [9], [9]]
