"""Decisions on suggested spans, as `ner.teach` and patterns ask for them; rows as in exports."""

import json

import pytest

from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.prodigy import read_prodigy
from spacy_chance_eval.formats.prodigy_out import review_tasks, write_prodigy

TEXT = "Ada Byron slept in Oslo"
ADA, OSLO = (0, 9, "PERSON"), (19, 23, "GPE")


@pytest.fixture
def reading(tmp_path):
    def read(*rows, annotator="auto", **options):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return read_prodigy(path, annotator=annotator, **options)

    return read


def suggested(who, answer, *spans, number=7, **fields):
    """A task of ner.teach: each of the spans as a model suggests it."""
    entries = [
        {
            "text": TEXT[start:end],
            "start": start,
            "end": end,
            "priority": 0.5,
            "score": 0.51,
            "pattern": None,
            "label": label,
        }
        for start, end, label in spans
    ]
    row = {"text": TEXT, "_input_hash": number, "_task_hash": -number, "spans": entries}
    row |= {"meta": {"score": 0.51}, "_view_id": "ner", "answer": answer}
    return row | {"_annotator_id": who, "_session_id": who, "_timestamp": 1700000000} | fields


def answers(corpus):
    return {one.name: one.categories for one in corpus.documents}


def test_accept_and_reject_of_a_suggestion_are_categories(reading):
    rows = [
        suggested("ann", "accept", ADA),
        suggested("ben", "reject", ADA),
        suggested("cat", "ignore", ADA),
        suggested("dan", "accept", ADA, flagged=True),
    ]
    (one,) = reading(*rows).documents
    assert one.categories == {"ann": ("accept",), "ben": ("reject",), "cat": None, "dan": None}
    assert one.layers == {}
    assert (one.name, one.attributes["label"]) == ("7:0-9:PERSON", "PERSON")


def test_every_suggestion_in_a_text_is_an_item(reading):
    rows = [suggested("ann", "accept", ADA), suggested("ann", "reject", OSLO)]
    rows += [suggested("ben", "accept", OSLO), suggested("ben", "accept", (*ADA[:2], "GPE"))]
    assert answers(reading(*rows)) == {
        "7:0-9:PERSON": {"ann": ("accept",), "ben": None},
        "7:19-23:GPE": {"ann": ("reject",), "ben": ("accept",)},
        "7:0-9:GPE": {"ann": None, "ben": ("accept",)},
    }


def test_what_else_is_said_of_a_suggestion_makes_no_other_item(reading):
    """Hashes of tasks and scores differ from one session to the next."""
    one, two = suggested("ann", "accept", ADA), suggested("ben", "reject", ADA, _task_hash=5)
    two["spans"][0] |= {"score": 0.7, "pattern": 3, "token_start": 0, "token_end": 1}
    assert len(reading(one, two).documents) == 1


def test_suggestions_shown_together_are_one_item_in_any_order(reading):
    rows = [suggested("ann", "accept", ADA, OSLO), suggested("ben", "reject", OSLO, ADA, OSLO)]
    (one,) = reading(*rows).documents
    assert (one.name, one.attributes["label"]) == ("7:0-9:PERSON,19-23:GPE", "GPE+PERSON")


def test_suggestions_in_texts_without_a_hash_are_found_by_the_text(reading):
    rows = [suggested(who, "accept", ADA, _input_hash=None) for who in ("ann", "ben")]
    other = suggested("ben", "accept", ADA, _input_hash=None, text="Ida Byron slept")
    assert [len(one.categories) for one in reading(*rows, other).documents] == [2, 2]


@pytest.mark.parametrize("view", ["ner", "spans", "pos", "classification"])
def test_interfaces_that_only_show_spans_ask_for_decisions(reading, view):
    (one,) = reading(suggested("ann", "accept", ADA, _view_id=view)).documents
    assert one.categories == {"ann": ("accept",)}


@pytest.mark.parametrize("view", ["ner_manual", "spans_manual", "blocks", "relations"])
def test_interfaces_that_mark_spans_do_not(reading, view):
    (one,) = reading(suggested("ann", "accept", ADA, _view_id=view)).documents
    assert (one.layers, one.categories) == ({"ann": (ADA,)}, {})


def test_a_label_of_a_text_is_decided_on_although_spans_are_shown(reading):
    row = suggested("ann", "accept", ADA, _view_id="classification", label="NEWS")
    assert [one.name for one in reading(row).documents] == ["7:NEWS"]


def without_view(row):
    return {key: value for key, value in row.items() if key != "_view_id"}


def test_old_exports_name_no_interface_but_say_who_suggested(reading):
    (one,) = reading(without_view(suggested("ann", "reject", ADA))).documents
    assert one.categories == {"ann": ("reject",)}


@pytest.mark.parametrize("key", ["tokens", "marks", "answer"])
def test_without_an_interface_other_spans_are_marked(reading, key):
    row = without_view(suggested("ann", "accept", ADA))
    if key == "tokens":
        row["tokens"] = [{"text": "Ada Byron", "start": 0, "end": 9, "id": 0}]
    elif key == "marks":
        row["spans"] = [dict(zip(("start", "end", "label"), ADA))]
    else:
        del row["answer"]
    (one,) = reading(row).documents
    assert list(one.layers) == ["ann"] and one.categories == {}


def test_old_exports_of_labels_may_have_an_empty_list_of_spans(reading):
    row = without_view(suggested("ann", "reject", label="INSULT"))
    assert answers(reading(row)) == {"7:INSULT": {"ann": ("reject",)}}


def test_a_label_in_the_interface_of_choices_without_options_is_decided_on(reading):
    row = suggested("ann", "reject", label="DOCS", _view_id="choice")
    assert answers(reading(row)) == {"7:DOCS": {"ann": ("reject",)}}


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ({"start": 5, "end": 2, "label": "A"}, r"a.jsonl:1: "),
        ({"start": 0, "end": 99, "label": "A"}, r"a.jsonl:1: "),
        ({"start": 0, "end": 2}, r"a.jsonl:1: "),
        ("Ada", r"a.jsonl:1: a span is \"Ada\""),
    ],
    ids=["backwards", "outside", "no label", "no object"],
)
def test_a_suggestion_that_is_none_is_an_error(reading, span, message):
    with pytest.raises(FormatError, match=message):
        reading(suggested("ann", "reject") | {"spans": [span]})


@pytest.mark.parametrize("annotator", [None, "auto"])
def test_decisions_on_spans_are_written_as_they_were(reading, tmp_path, annotator):
    rows = [
        suggested("ann", "accept", ADA),
        suggested("ann", "reject", OSLO, ADA),
        suggested("ann", "ignore", OSLO),
    ]
    before = reading(*rows, annotator=annotator)
    write_prodigy(tmp_path / "a.jsonl", before)
    written = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in written] == ["accept", "reject", "ignore"]
    assert {row["_view_id"] for row in written} == {"ner"}
    assert read_prodigy(tmp_path / "a.jsonl", annotator=annotator) == before


def test_an_attribute_of_the_same_name_is_no_decision(reading, tmp_path):
    row = suggested(
        "ann", "accept", ADA, _view_id="ner_manual", meta={"suggestion": "[1", "label": "x"}
    )
    before = reading(row)
    write_prodigy(tmp_path / "a.jsonl", before)
    assert read_prodigy(tmp_path / "a.jsonl", annotator="auto") == before


def test_decisions_are_reviewed_as_decisions(reading, tmp_path):
    before = reading(suggested("ann", "accept", ADA), suggested("ben", "reject", ADA))
    (task,) = review_tasks(before, ["ann", "ben"], [(0, 1.0)])
    assert (task["view_id"], task["spans"]) == ("ner", [dict(zip(("start", "end", "label"), ADA))])
    assert [row["answer"] for row in task["versions"]] == ["accept", "reject"]
    again = reading(task | {"answer": "accept", "_annotator_id": "eve"})
    assert answers(again) == {
        "7:0-9:PERSON": {"ann": ("accept",), "ben": ("reject",), "eve": ("accept",)}
    }


def test_versions_of_a_review_share_the_suggestion_of_their_task(reading):
    versions = [
        {"answer": "accept", "sessions": ["ann"]},
        {"answer": "reject", "sessions": ["ben"]},
    ]
    row = suggested("eve", "reject", ADA, _view_id="review", view_id="ner", versions=versions)
    (one,) = reading(row).documents
    assert one.categories == {"ann": ("accept",), "ben": ("reject",), "eve": ("reject",)}
