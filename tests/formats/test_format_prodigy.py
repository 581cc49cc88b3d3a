import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.prodigy import read_prodigy

TOKENS = [
    {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
    {"text": "Byron", "start": 4, "end": 9, "id": 1, "ws": True},
    {"text": "slept", "start": 10, "end": 15, "id": 2, "ws": False},
]
SPAN = {"start": 0, "end": 9, "token_start": 0, "token_end": 1, "label": "PER"}


@pytest.fixture
def reading(tmp_path):
    def read(*rows, **options):
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return read_prodigy(tmp_path / "a.jsonl", **options)

    return read


def task(**fields):
    return {"text": "Ada Byron slept", "tokens": TOKENS, "answer": "accept"} | fields


def test_token_end_is_the_last_token_of_a_span(reading):
    one = reading(task(spans=[SPAN])).documents[0]
    assert one.layers == {"spans": ((0, 2, "PER"),)}


def test_a_task_gives_words_spaces_text_and_line(reading):
    one = reading(task()).documents[0]
    assert (one.words, one.spaces) == (("Ada", "Byron", "slept"), (True, True, False))
    assert (one.text, one.lines) == ("Ada Byron slept", (1,))


@pytest.mark.parametrize("fields", [{}, {"spans": []}, {"spans": None}], ids=str)
def test_an_accepted_task_without_spans_is_annotated(reading, fields):
    assert reading(task(**fields)).documents[0].layers == {"spans": ()}


@pytest.mark.parametrize(
    "fields", [{"answer": "reject"}, {"answer": "ignore"}, {"flagged": True}], ids=str
)
def test_rejected_ignored_and_flagged_tasks_are_not_seen(reading, fields):
    assert reading(task(spans=[SPAN], **fields)).documents[0].layers == {"spans": None}


def test_the_input_hash_is_the_name(reading):
    corpus = reading(task(_input_hash=-5), task())
    assert [document.name for document in corpus.documents] == ["-5", None]


def test_session_annotator_view_and_answer_are_attributes(reading):
    fields = {"_session_id": None, "_annotator_id": "a-1", "_view_id": "ner_manual"}
    one = reading(task(_timestamp=1, **fields)).documents[0]
    assert one.attributes == fields | {"answer": "accept"}


def test_a_span_without_token_start_is_carried_over(reading):
    one = reading(task(spans=[{"start": 4, "end": 15, "label": "X"}])).documents[0]
    assert one.layers["spans"] == ((1, 3, "X"),)


def test_a_span_that_does_not_fit_the_tokens_is_an_error(failing):
    message = failing(task(spans=[{"start": 5, "end": 15, "label": "X"}]))
    assert message.startswith(":1: span X [5, 15) does not fit the borders of tokens;")


def test_a_span_that_does_not_fit_the_tokens_can_be_unplaced(reading):
    row = task(spans=[{"start": 5, "end": 15, "label": "X"}, SPAN])
    one = reading(row, misaligned="unplaced").documents[0]
    assert (one.layers["spans"], one.unplaced) == (((0, 2, "PER"),), {"spans": ((2, "X"),)})


def test_without_tokens_positions_are_characters(reading):
    row = task(spans=[SPAN])
    del row["tokens"]
    corpus = reading(row)
    assert (corpus.positions, corpus.documents[0].layers["spans"]) == ("char", ((0, 9, "PER"),))


def test_tasks_with_and_without_tokens_do_not_mix(failing):
    assert failing({"text": "a"}, task()).startswith(":1: a row without tokens")


def test_word_pieces_need_not_be_the_text(reading):
    tokens = [{"text": "ad", "start": 0, "end": 2}, {"text": "##a", "start": 2, "end": 3}]
    span = {"start": 0, "end": 3, "token_start": 0, "token_end": 1, "label": "X"}
    row = {"text": "Ada", "tokens": tokens, "spans": [span]}
    assert reading(row).documents[0].layers["spans"] == ((0, 2, "X"),)


@each_case(
    "change",
    [{"token_end": 2}, {"token_end": 3}, {"token_start": -1}, {"token_end": None}, {"end": 10},
     {"token_start": 2}, {"token_end": "1"}],
)  # fmt: skip
def test_a_span_with_a_wrong_place_is_an_error(failing, change):
    message = failing(task(), task(spans=[SPAN | change]))
    assert message.startswith((":2: span PER [0,", ":2: 'token_"))
    assert "token_end is the last token" in message or "must be a whole number" in message


@each_case(
    "row, found",
    [
        (task(answer="maybe"), "'answer' is \"maybe\""),
        (task(answer=["accept"]), "'answer' is [\"accept\"]"),
        ({"html": "a"}, "a task without 'text'"),
        (task(spans=[1]), "a span is 1"),
        (task(spans=[{"token_start": 0, "token_end": 0}]), 'a span is {"token_start": 0,'),
        (task(spans=[{"start": 0, "end": 99, "label": "X"}]), "span X [0, 99) among 15 characters"),
        (task(spans=[{"start": 0, "label": "X"}]), "span X [0, null) among 15 characters"),
        (task(tokens=[{"text": "Ada"}], spans=[{"start": 0, "end": 3, "label": "X"}], text=None),
         "tokens without a place in the text"),
    ],
)  # fmt: skip
def test_a_bad_task_is_an_error_with_its_line(failing, row, found):
    assert failing(task(), row).startswith(f":2: {found}")


def test_two_answers_to_one_task_ask_for_one_annotator(failing):
    rows = [task(_input_hash=1), task(_input_hash=2), task(_input_hash=1, spans=[SPAN])]
    message = failing(*rows)
    assert message.startswith(":3: a second answer to the task 1; keep the rows of one annotator")


def test_an_answer_that_was_not_accepted_gives_way(reading):
    rows = [task(_input_hash=1, answer="ignore"), task(_input_hash=1, spans=[SPAN])]
    for order in (rows, rows[::-1]):
        (one,) = reading(*order).documents
        assert one.layers["spans"] == ((0, 2, "PER"),)


def test_a_task_that_nobody_accepted_is_one_document_not_seen(reading):
    (one,) = reading(*[task(_input_hash=1, answer="reject")] * 2).documents
    assert one.layers["spans"] is None


def test_an_empty_file_is_an_error(failing):
    assert failing().startswith(": no documents;")
