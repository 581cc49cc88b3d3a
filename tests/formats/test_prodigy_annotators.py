import pytest

from helpers.prodigytasks import ORG, PER, TOKENS, task
from spacy_chance_eval.formats.prodigy import read_prodigy

WORDS = ("Ada", "Byron", "slept")


@pytest.fixture
def reading(file):
    def read(*rows, annotator="auto", **options):
        return read_prodigy(file(*rows), annotator=annotator, **options)

    return read


# --- who annotated


def test_each_annotator_is_a_layer_of_the_same_document(reading):
    (one,) = reading(task("ann", PER), task("bob", ORG)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),), "bob": ((1, 2, "ORG"),)}
    assert (one.name, one.words) == ("1", WORDS)


def test_what_an_annotator_did_not_get_is_not_seen(reading):
    one, two = reading(task("ann", PER), task("bob", ORG, _input_hash=2)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),), "bob": None}
    assert two.layers == {"ann": None, "bob": ((1, 2, "ORG"),)}


@pytest.mark.parametrize(
    "fields", [{"answer": "reject"}, {"answer": "ignore"}, {"flagged": True}], ids=str
)
def test_what_an_annotator_did_not_accept_is_not_seen_by_this_annotator(reading, fields):
    (one,) = reading(task("ann", PER), task("bob", ORG, **fields)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),), "bob": None}


def test_an_accepted_task_without_spans_is_annotated_by_this_annotator(reading):
    row = task("ann")
    del row["spans"]
    (one,) = reading(row, task("bob", ORG)).documents
    assert one.layers["ann"] == ()


def test_auto_takes_the_session_where_the_annotator_is_null(reading):
    rows = [task(None, PER, _session_id="s-1"), task("bob", _session_id="s-2")]
    assert reading(*rows).layer_names == ("bob", "s-1")


def test_any_field_can_name_the_annotator(reading):
    rows = [task("x", PER, team=1), task("y", ORG, team="two")]
    assert reading(*rows, annotator="team").layer_names == ("1", "two")


def test_a_field_that_names_nobody_is_an_error(failing):
    message = failing(task("ann"), annotator="_session_id")
    assert message.startswith(": no row has anybody in the field '_session_id'; name another")


@pytest.mark.parametrize("name", [True, 1.5, ["ann"], {}], ids=str)
def test_an_annotator_is_a_string_or_a_number(failing, name):
    assert failing(task("ann"), task(name)).startswith(":2: '_annotator_id' is ")


def test_nobody_is_one_annotator(reading):
    rows = [task(None, PER), task("bob", ORG), task("", PER, _input_hash=2)]
    assert reading(*rows).layer_names == ("(none)", "bob")


def test_two_answers_by_nobody_to_one_task_are_an_error_even_if_equal(failing):
    message = failing(task(None, PER), task("bob"), task(None, PER))
    assert message.startswith(":3: a second answer by nobody to the task that line 1 answers; two")


def test_nobody_may_ignore_a_task_twice(reading):
    (one,) = reading(task(None, PER), *[task(None, answer="ignore")] * 2).documents
    assert one.layers == {"(none)": ((0, 2, "PER"),)}


# --- the same task


def test_without_a_hash_the_same_tokens_are_the_same_task(reading):
    rows = [task("ann", PER), task("bob", ORG), task("ann", text="Ada", tokens=TOKENS[:1])]
    one, two = reading(*[row | {"_input_hash": None} for row in rows]).documents
    assert (one.layers["ann"], one.layers["bob"]) == (((0, 2, "PER"),), ((1, 2, "ORG"),))
    assert (one.name, two.words, two.layers["bob"]) == (None, ("Ada",), None)


def test_different_tokens_of_one_task_are_an_error_with_both_lines(failing):
    message = failing(task("ann"), task("bob", tokens=TOKENS[:2], text="Ada Byron"))
    assert message.startswith(":2: other ") and "than line 1 has for the same document" in message


def test_equal_answers_of_one_annotator_count_once(reading):
    (one,) = reading(task("ann", PER), task("ann", PER, _task_hash=5)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),)}


def test_different_answers_of_one_annotator_are_an_error_with_both_lines(failing):
    message = failing(task("ann", PER), task("bob"), task("ann", ORG))
    assert message.startswith(":3: a second, other answer of 'ann', who also has one in line 1;")


def test_the_latest_of_different_answers_counts(reading):
    rows = [task("ann", ORG, _timestamp=9), task("ann", PER, _timestamp=8)]
    for order in (rows, rows[::-1]):
        (one,) = reading(*order).documents
        assert one.layers == {"ann": ((1, 2, "ORG"),)}


@pytest.mark.parametrize("stamps", [(9, None), (9, 9), (9, "8"), (9, True)], ids=str)
def test_without_a_latest_one_different_answers_are_an_error(failing, stamps):
    rows = [task("ann", spans, _timestamp=t) for spans, t in zip((PER, ORG), stamps)]
    assert failing(*rows).startswith(":2: a second, other answer of 'ann'")


def test_the_time_of_one_annotator_says_nothing_of_another(reading):
    (one,) = reading(task("ann", PER, _timestamp=1), task("bob", ORG, _timestamp=2)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),), "bob": ((1, 2, "ORG"),)}


def test_an_answer_that_was_not_accepted_gives_way_however_late(reading):
    (one,) = reading(task("ann", PER, _timestamp=1), task("ann", answer="ignore", _timestamp=2))\
        .documents  # fmt: skip
    assert one.layers == {"ann": ((0, 2, "PER"),)}


def test_what_is_unplaced_goes_with_the_answer_that_has_it(reading):
    loose = {"start": 1, "end": 9, "label": "X"}
    rows = [task("ann", loose, _timestamp=1), task("ann", PER, _timestamp=2), task("bob", loose)]
    (one,) = reading(*rows, misaligned="unplaced").documents
    assert one.unplaced == {"bob": ((2, "X"),)}


def test_attributes_are_those_of_the_task(reading):
    rows = [task("ann", meta={"source": "a", "score": 1}), task("bob", meta={"score": 2})]
    (one,) = reading(*rows).documents
    assert one.attributes == {"source": "a"}


# --- what is said of spans


def test_other_keys_of_a_span_are_its_features(reading):
    span = PER | {"source": "en_core_web_sm", "text": "Ada Byron", "score": 0.5, "x": [1]}
    (one,) = reading(task("ann", span), task("bob", PER)).documents
    said = {"source": "en_core_web_sm", "score": 0.5, "x": [1]}
    assert one.features == {"ann": {(0, 2, "PER"): said}}


def test_a_span_carried_over_to_tokens_keeps_its_features(reading):
    spans = [{"start": 4, "end": 9, "label": "ORG", "source": "m"}, PER]
    (one,) = reading(task("spans", *spans), annotator=None).documents
    assert one.features == {"spans": {(1, 2, "ORG"): {"source": "m"}}}


def test_relations_are_left_out_and_that_is_said(reading):
    corpus = reading(task("ann", PER, relations=[{"head": 0, "child": 1}]))
    assert corpus.documents[0].layers == {"ann": ((0, 2, "PER"),)}
    assert corpus.notes.sentences()[0].startswith("1 relation between spans was left out")


def test_keys_that_are_not_of_prodigy_are_attributes(reading):
    said = {"topic": "x", "n": None, "list": [1, {"a": {}}]}
    (one,) = reading(
        task("ann", PER, meta={"topic": "y"}, priority=1, _task_hash=2, **said)
    ).documents
    assert one.attributes == said | {"topic": "y"}


@pytest.mark.parametrize("found", [1.5, True, [1], {"a": 1}], ids=str)
def test_a_hash_is_a_number(failing, found):
    assert failing(task("ann", _input_hash=found)).startswith(":1: '_input_hash' is ")
