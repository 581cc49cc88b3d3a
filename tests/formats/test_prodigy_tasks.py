import json

import pytest

from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.prodigy import read_prodigy
from spacy_chance_eval.formats.prodigy_out import review_tasks

ADA = {"words": ("Ada", "Byron", "😀"), "spaces": (True, True, False), "text": "Ada Byron 😀"}
PER, ORG = (0, 2, "PER"), (2, 3, "ORG")
TEAM = ("ann", "bob", "cat")


def document(layers=None, name="5", **fields):
    return Document(**(ADA | {"layers": layers or {}, "name": name} | fields))


def corpus(*documents, positions="token"):
    return Corpus("c", documents, positions)


def test_equal_annotations_are_one_version_with_all_who_made_it():
    one = document({"ann": [PER], "bob": [ORG], "cat": [PER]})
    (task,) = review_tasks(corpus(one), TEAM, [(0, 0.25)])
    assert [row["sessions"] for row in task["versions"]] == [["ann", "cat"], ["bob"]]
    assert [row["default"] for row in task["versions"]] == [True, False]
    assert (task["sessions"], task["spans"]) == (["ann", "cat"], task["versions"][0]["spans"])
    assert (task["_view_id"], task["view_id"]) == ("review", "spans_manual")
    assert {row["answer"] for row in task["versions"]} == {"accept"} and "answer" not in task
    assert task["meta"] == {"disagreement": 0.25}


def test_of_equally_many_the_version_of_the_first_name_is_shown():
    one = document({"ann": [ORG], "bob": [PER]})
    for order in (("ann", "bob"), ("bob", "ann")):
        (task,) = review_tasks(corpus(one), order, [(0, 1)])
        assert task["spans"][0]["label"] == "ORG"


def test_tasks_come_in_the_order_asked_for_and_only_where_versions_differ():
    same = document({"ann": [PER], "bob": [PER]}, name="1")
    alone = document({"ann": [PER], "bob": None}, name="2")
    differ = [document({"ann": [PER], "bob": ()}, name=name) for name in "34"]
    order = [(3, 0.5), (0, 0.4), (1, 0.3), (2, 0.1)]
    tasks = review_tasks(corpus(same, alone, *differ), TEAM, order)
    assert [task["_input_hash"] for task in tasks] == [4, 3]


def test_only_the_annotators_asked_for_are_reviewed():
    one = document({"ann": [PER], "bob": [ORG], "cat": [PER]})
    assert list(review_tasks(corpus(one), ("ann", "cat"), [(0, 1)])) == []


def test_a_disagreement_without_a_number_is_null():
    one = document({"ann": [PER], "bob": [ORG]}, name="x-1")
    (task,) = review_tasks(corpus(one), TEAM, [(0, float("nan"))])
    assert task["meta"] == {"document": "x-1", "disagreement": None}


def test_more_can_be_said_of_a_document():
    two = [
        document({"ann": [PER], "bob": found}, name=name) for name, found in zip("12", ((), [ORG]))
    ]
    tasks = review_tasks(corpus(*two), TEAM, [(1, 0.5), (0, 0.5)], about=lambda at: {"place": at})
    assert [task["meta"] for task in tasks] == [
        {"disagreement": 0.5, "place": 1},
        {"disagreement": 0.5, "place": 0},
    ]


def test_nobodys_version_has_a_session_but_no_id():
    one = document({"(none)": [PER], "bob": [ORG]}, name=None)
    (task,) = review_tasks(corpus(one), ("bob", "(none)"), [(0, 1)])
    assert [row["_session_id"] for row in task["versions"]] == [None, "bob"]
    assert [row["sessions"] for row in task["versions"]] == [["(none)"], ["bob"]]


def test_every_task_and_version_has_the_hash_of_its_input():
    texts = [(("a", "b"), "a b"), (("a", "c"), "a c")]
    two = [
        document({"ann": [(0, 1, "X")], "bob": ()}, None, words=words, text=text, spaces=None)
        for words, text in texts
    ]
    tasks = list(review_tasks(corpus(*two), TEAM, [(0, 1), (1, 1)]))
    hashes = [{row["_input_hash"] for row in (task, *task["versions"])} for task in tasks]
    assert [len(found) for found in hashes] == [1, 1] and hashes[0] != hashes[1]


def test_choices_are_reviewed_as_choices():
    one = document(categories={"ann": ("A",), "bob": ("A", "B"), "cat": ("A",)})
    (task,) = review_tasks(corpus(one), TEAM, [(0, 1)])
    assert (task["view_id"], task["accept"]) == ("choice", ["A"])
    assert [row["accept"] for row in task["versions"]] == [["A"], ["A", "B"]]


@pytest.mark.parametrize("name", ["5", "x-1", None])
def test_reviewed_tasks_read_as_their_versions_and_the_decision(tmp_path, name):
    before = corpus(
        document({"ann": [PER], "bob": [ORG], "cat": [PER]}, name),
        document({"ann": None, "bob": (), "cat": [PER]}, name and name + "1",
                 words=("Ada", "Byron"), text="Ada Byron", spaces=(True, False)),
    )  # fmt: skip
    tasks = [task | {"answer": "accept"} for task in review_tasks(before, TEAM, [(0, 1), (1, 1)])]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    one, two = read_prodigy(tmp_path / "a.jsonl", annotator="auto").documents
    assert one.layers == before.documents[0].layers | {"review": (PER,)}
    assert two.layers == before.documents[1].layers | {"review": ()}


def test_a_document_that_tasks_cannot_hold_is_an_error():
    one = document({"ann": [PER], "bob": [ORG]}, missing=[(0, 1)])
    with pytest.raises(FormatError, match="document '5': positions without annotation"):
        list(review_tasks(corpus(one), TEAM, [(0, 1)]))
