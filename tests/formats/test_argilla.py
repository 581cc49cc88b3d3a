"""Records of Argilla: answers of users, and suggestions."""

import random

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import FormatError, format_of, read
from spacy_chance_eval.formats.argilla import read_argilla

TEXT = "Ada Byron slept in Oslo."
WORDS = ["Ada", "Byron", "slept", "in", "Oslo", "."]
ADA = {"label": "PER", "start": 0, "end": 9}
OSLO = {"label": "LOC", "start": 19, "end": 23}
TOKENS = {"text": TEXT, "tokens": WORDS, "id": "7", "ner.responses.users": ["ada"]}


def answer(user, value, **more):
    return {"user_id": user, "value": value, **more}


ANSWERS = [answer("ada", [ADA]), answer("bob", [ADA, OSLO]), answer("eve", [], status="draft")]
GUESS = {"value": [OSLO], "agent": "m1"}
LABEL = {"label": [answer("ada", "good")]}
FORMS = {
    "nested": {
        "fields": {"text": TEXT},
        "responses": {"ner": ANSWERS, **LABEL},
        "suggestions": {"ner": GUESS},
    },
    "server": {
        "fields": {"text": TEXT, "title": "x"},
        "responses": [
            {"user_id": one["user_id"], "status": one.get("status", "submitted"),
             "values": {"ner": {"value": one["value"]}}} for one in ANSWERS
        ],
        "suggestions": [GUESS | {"question_name": "ner"}],
    },
    "data set": {
        "text": TEXT,
        "ner.responses": [one["value"] for one in ANSWERS],
        "ner.responses.users": [one["user_id"] for one in ANSWERS],
        "ner.responses.status": ["submitted", "submitted", "draft"],
        "ner.suggestion": [OSLO],
        "ner.suggestion.agent": "m1",
    },
    "feedback": {"text": TEXT, "ner": ANSWERS, "ner-suggestion": [OSLO], **LABEL},
}  # fmt: skip


def marked(*spans):
    """A record with tokens and an answer of these spans."""
    return TOKENS | {"ner.responses": [[*spans]]}


@each_case("name", ["a.jsonl", "a.json"])
def test_answers_are_on_tokens_if_there_are_any(file, name):
    path = file(marked(ADA | {"score": 0.5}), name=name)
    (one,) = read(path).documents
    assert format_of(path) == "argilla"
    assert (one.name, one.words) == ("7", tuple(WORDS))
    assert one.layers == {"ada": ((0, 2, "PER"),)}
    assert one.features == {"ada": {(0, 2, "PER"): {"score": 0.5}}}


@each_case("form", FORMS)
def test_users_are_layers_and_drafts_were_not_seen(file, form):
    path = file(FORMS[form])
    (one,) = read(path).documents
    assert (format_of(path), one.text) == ("argilla", TEXT)
    both = ((0, 9, "PER"), (19, 23, "LOC"))
    assert one.layers == {"ada": ((0, 9, "PER"),), "bob": both, "eve": None}


@each_case("form", FORMS)
def test_suggestions_are_read_of_predictions(file, form):
    (one,) = read(file(FORMS[form]), role="pred").documents
    assert one.layers == {"spans": ((19, 23, "LOC"),)}


def test_suggestions_are_gold_where_nobody_answered(file):
    (one,) = read(file(FORMS["nested"] | {"responses": {}})).documents
    assert one.layers == {"spans": ((19, 23, "LOC"),)}


def test_one_of_several_questions_is_named(file):
    said = {"ner": ANSWERS, "roles": [answer("ada", [OSLO])]}
    path = file(FORMS["nested"] | {"responses": said})
    with pytest.raises(FormatError, match="answer 'ner', 'roles'; name one question .*--type"):
        read(path)
    assert read(path, type="roles").documents[0].layers == {"ada": ((19, 23, "LOC"),)}


def test_one_of_several_fields_is_named(file):
    path = file(FORMS["nested"] | {"fields": {"body": TEXT, "title": "x"}})
    with pytest.raises(FormatError):
        read(path)
    assert read(path, text="body").documents[0].text == TEXT


@each_case("n", [1, 2])
def test_blocks_are_the_whole(file, n):
    assert_same(file(marked(ADA), marked(), marked(OSLO)), n)
    assert_same(file(FORMS["nested"], FORMS["nested"] | {"responses": {}}), n)


@each_case(
    "change, message",
    [
        (marked(ADA | {"end": 8}), "span PER [0, 8) does not fit the borders of tokens"),
        (marked("PER"), 'a span is "PER"; a span is {label, start, end}'),
        ({"ner.responses": ["x"]}, 'spans are "x"'),
        (marked(ADA | {"end": 99}), "span PER [0, 99) among 24 characters"),
        ({"tokens": ["x"]}, "tokens without a place in the text"),
        ({"text": 3}, "a record with the texts"),
    ],
)
def test_bad_records_are_refused(file, change, message):
    with pytest.raises(FormatError) as caught:
        read_argilla(file(marked(ADA), marked(ADA) | change))
    assert message in str(caught.value) and caught.value.line == 2


def test_a_span_that_fits_no_tokens_is_left_out_alone(file):
    path = file(marked(ADA), marked(ADA | {"end": 8}, OSLO))
    corpus = read(path, on_error="skip:1")
    assert corpus.documents[1].layers == {"ada": ((4, 5, "LOC"),)}
    assert corpus.notes.skipped("spans")[0] == 1


def test_answers_and_users_are_equally_many(file):
    row = FORMS["data set"] | {"ner.responses.users": ["ada"]}
    with pytest.raises(FormatError, match="a.jsonl:2: 3 answers of 1 users"):
        read_argilla(file(FORMS["data set"], row))


@each_case(
    "said",
    [[3], {"ner": [3]}, {"ner": 3}, {"ner": [answer(None, [])]}, {"ner": [*ANSWERS, ANSWERS[0]]}],
)
def test_bad_answers_are_refused(file, said):
    with pytest.raises(FormatError, match="a.jsonl:2: .*(answer|must be a list)"):
        read_argilla(file(FORMS["nested"], FORMS["nested"] | {"responses": said}))


def test_damaged_files_are_errors_of_the_format(file):
    draw, path = random.Random(17), file(marked(ADA))
    for row in (marked(ADA), *FORMS.values()):
        sound = file(row, row).read_bytes()
        for _ in range(60):
            data = bytearray(sound)
            for _ in range(draw.randint(1, 3)):
                data[draw.randrange(len(data))] = draw.choice(b'[]{}",:-9x\xff')
            path.write_bytes(data)
            try:
                read_argilla(path)
            except FormatError:
                pass
