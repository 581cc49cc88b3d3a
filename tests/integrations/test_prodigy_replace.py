"""The recipe `chance.replace` on a stand-in for Prodigy."""

import json

import pytest
import srsly

from helpers.prodigy_stub import BOB, NAME, chosen, installed, marked
from spacy_chance_eval import Spans, replace_test
from spacy_chance_eval.scoring.intervals import Resampling

pytestmark = pytest.mark.integration

QUICK = ("--resamples", 0)
TIMES = 6  # that six texts come, as an annotator needs 30
WORKS = {  # spans of six texts: first token, last token, label
    "ann": [[NAME, BOB], [NAME], [NAME, BOB], [BOB], [NAME], [NAME, BOB]],
    "ben": [[NAME, BOB], [BOB], [NAME, BOB], [BOB], [NAME, BOB], [NAME]],
    "cat": [[NAME], [NAME], [NAME, BOB], [BOB, NAME], [NAME], [NAME, BOB]],
}
GPT = [[NAME, BOB], [NAME], [NAME, BOB], [BOB], [NAME], [NAME]]


def rows(who, works):
    return [marked(number, who, *spans) for number, spans in enumerate(works * TIMES, 1)]


@pytest.fixture
def prodigy(monkeypatch, tmp_path):
    stub = installed(monkeypatch, tmp_path)
    stub.rows["humans"] = [row for who, works in WORKS.items() for row in rows(who, works)]
    stub.rows["gpt"] = rows("a model", GPT)
    return stub


def spans(works):
    tuples = [[(first, last + 1, label) for first, last, label in one] for one in works * TIMES]
    return Spans.from_tuples(tuples, [4] * len(tuples))


def expected(**options):
    """The result of the same annotation in Python."""
    options = {"intervals": Resampling(0), **options}
    humans = {who: spans(works) for who, works in WORKS.items()}
    return json.loads(json.dumps(replace_test(humans, {"gpt": spans(GPT)}, **options).to_dict()))


def test_a_dataset_has_the_numbers_of_its_annotation(prodigy):
    found = prodigy.result("chance.replace", "dataset:humans", "-c", "dataset:gpt", *QUICK)
    assert found["candidates"] == expected()["candidates"]
    assert found["annotators"] == ["ann", "ben", "cat"] and found["unit"] == "documents"
    assert (found["title"], found["sources"], found["candidate_sources"]) == (
        "dataset:humans",
        ["dataset:humans"],
        ["dataset:gpt"],
    )


def test_the_metric_reaches_the_test(prodigy):
    words = ("dataset:humans", "-c", "dataset:gpt", *QUICK, "-m", "token_f")
    found = prodigy.result("chance.replace", *words)
    alone = expected(metric="token_f")
    assert found["candidates"] == alone["candidates"]
    assert found["signature"] == alone["signature"]


@pytest.mark.parametrize("texts", [True, False], ids=["texts", "no texts"])
def test_answers_without_offsets_are_a_candidate_too(prodigy, tmp_path, texts):
    answers = []
    for row in prodigy.rows["gpt"]:
        mentions = [
            {"text": row["text"][one["start"] : one["end"]], "label": one["label"]}
            for one in row["spans"]
        ]
        answers.append({"mentions": mentions} | ({"text": row["text"]} if texts else {}))
    path = tmp_path / "gpt.jsonl"
    srsly.write_jsonl(path, answers)
    found = prodigy.result("chance.replace", "dataset:humans", "-c", path, *QUICK)
    assert found["candidates"] == expected()["candidates"]


def test_an_annotator_of_the_dataset_is_a_candidate_too(prodigy):
    prodigy.rows["humans"] += rows("gpt", GPT)
    found = prodigy.result("chance.replace", "dataset:humans", "-c", "gpt", *QUICK)
    assert found["candidates"] == expected()["candidates"]
    assert found["candidate_sources"] == []


def test_a_dataset_for_each_annotator(prodigy):
    for who, works in WORKS.items():
        prodigy.rows[who] = rows(None, works)
    found = prodigy.result(
        "chance.replace", "dataset:ann,dataset:ben,dataset:cat", "-c", "dataset:gpt", *QUICK
    )
    assert found["candidates"] == expected()["candidates"]


def test_choices_are_compared_by_their_labels(prodigy):
    labels = {"ann": "AANNAN", "ben": "AANAAN", "cat": "ANNNAA", "gpt": "AANNAA"}
    names = {"A": "arts", "N": "news"}
    for who, own in labels.items():
        prodigy.rows[who] = [chosen(i, None, names[one]) for i, one in enumerate(own * TIMES, 1)]
    words = ("dataset:ann,dataset:ben,dataset:cat", "-c", "dataset:gpt", "--categories", *QUICK)
    found = prodigy.result("chance.replace", *words)
    assert (found["positions"], found["metric"]) == ("category", "accuracy")
    assert found["candidates"][0]["advantage_probability"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no candidate; name one: --candidate dataset:NAME"),
        (("-c", "cta"), "unknown file or annotator 'cta' (did you mean 'cat'?)"),
        (("-c", "dataset:gtp"), "Prodigy's database has no such dataset (did you mean 'gpt'?)"),
        (("-c", "dataset:ann"), "a candidate is called 'ann', and so is someone else"),
        (("-c", "ann,ben"), "the test needs two annotators or more beside the candidates"),
        (("-c", "dataset:gpt", "-a", "dan"), "there is no layer 'dan'"),
    ],
    ids=["none", "typo", "dataset", "name", "humans", "annotator"],
)
def test_bad_input_ends_with_a_message(prodigy, words, message):
    prodigy.rows["ann"] = rows(None, WORKS["ann"])
    assert message in prodigy.failure("chance.replace", "dataset:humans", *words, *QUICK)
