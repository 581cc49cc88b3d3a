import pytest

from helpers.cases import each_case
from helpers.prodigytasks import ORG, PER, TOKENS, task
from spacy_chance_eval.formats.prodigy import read_prodigy

OPTIONS = [{"id": "NEWS", "text": "News"}, {"id": "ODE", "text": "Ode"}, {"id": 3, "text": "C"}]


@pytest.fixture
def reading(file):
    def read(*rows, annotator="auto", **options):
        return read_prodigy(file(*rows), annotator=annotator, **options)

    return read


def choice(who=None, *accept, **fields):
    row = {"text": "An ode", "options": OPTIONS, "accept": list(accept), "_view_id": "choice"}
    return row | {"answer": "accept", "_input_hash": 7, "_annotator_id": who} | fields


def binary(who, answer, label="POS", **fields):
    row = {"text": "Good", "label": label, "_input_hash": 8, "_view_id": "classification"}
    return row | {"answer": answer, "_annotator_id": who} | fields


def review(*versions, **fields):
    return task(None, ORG, _view_id="review", view_id="ner_manual", versions=versions) | fields


def version(sessions, *spans, **fields):
    row = task(None, *spans, _view_id="ner_manual", answer="accept", sessions=sessions)
    return row | {"default": False} | fields


# --- categories


def test_accepted_options_are_categories(reading):
    (one,) = reading(choice("ann", "NEWS"), choice("bob", "ODE", 3)).documents
    assert one.categories == {"ann": ("NEWS",), "bob": ("3", "ODE")}
    assert one.layers == {}


@pytest.mark.parametrize("view", ["choice", None, "textcat"])
@pytest.mark.parametrize("annotator", [None, "auto"])
def test_choices_with_an_empty_list_of_spans_are_categories(reading, view, annotator):
    rows = [choice("ann", "NEWS", _view_id=view, spans=[], _input_hash=n) for n in range(3)]
    corpus = reading(*rows, annotator=annotator)
    assert (corpus.layer_names, len(corpus.category_layers)) == ((), 1)


@pytest.mark.parametrize("empty", [{"_view_id": "blocks"}, {"_view_id": None}], ids=["blocks", ""])
def test_they_have_no_spans_where_others_of_the_file_have_some(reading, empty):
    rows = [choice("ann", "NEWS", spans=[], **empty)]
    if empty["_view_id"] is None:
        rows.append(choice("ann", "ODE", spans=[PER], tokens=TOKENS, _view_id=None, _input_hash=2))
        rows[0]["tokens"] = TOKENS
    assert reading(*rows).documents[0].layers == {"ann": ()}


def test_no_option_is_an_answer(reading):
    rows = [choice("ann"), choice("bob", answer="ignore"), choice("cat", answer="reject")]
    (one,) = reading(*rows).documents
    assert one.categories == {"ann": (), "bob": None, "cat": None}


def test_categories_of_one_annotator_are_in_the_layer_spans(reading):
    (one,) = reading(choice(None, "ODE"), annotator=None).documents
    assert (one.categories, one.layers) == ({"spans": ("ODE",)}, {})


@each_case("accept", [["X"], ["ODE", "ODE"], [3, "3"], [None], [True], [""], [["ODE"]]])
def test_what_is_accepted_must_be_options_each_once(failing, accept):
    assert failing(choice("ann"), choice("bob", *accept)).startswith(":2: 'accept' is [")


def test_a_choice_of_images_is_known_by_its_image(reading):
    rows = [choice("ann", "ODE", text=None, image="a.png"), choice("bob", text=None, image="a.png")]
    (one,) = reading(*[row | {"_input_hash": None} for row in rows]).documents
    assert one.categories == {"ann": ("ODE",), "bob": ()}


def test_a_task_of_blocks_has_spans_and_categories(reading):
    both = {"options": OPTIONS, "accept": ["ODE"], "_view_id": "blocks"}
    (one,) = reading(task("ann", PER, **both), task("bob", **both)).documents
    assert one.layers == {"ann": ((0, 2, "PER"),), "bob": ()}
    assert one.categories == {"ann": ("ODE",), "bob": ("ODE",)}


def test_blocks_with_tokens_and_no_spans_are_annotated_without_spans(reading):
    row = task("ann", _view_id="blocks", options=OPTIONS, accept=[])
    del row["spans"]
    assert reading(row).documents[0].layers == {"ann": ()}


@pytest.mark.parametrize("view", ["choice", "classification"])
def test_spans_that_are_only_shown_are_no_layer(reading, view):
    row = choice("ann", "ODE") if view == "choice" else binary("ann", "accept")
    (one,) = reading(row | {"spans": [{"start": 0, "end": 2, "label": "X"}]}).documents
    assert one.layers == {} and one.categories


def test_a_reject_of_one_label_is_an_answer(reading):
    rows = [binary("ann", "accept"), binary("bob", "reject"), binary("cat", "ignore")]
    (one,) = reading(*rows, binary("dan", "reject", flagged=True)).documents
    assert one.categories == {"ann": ("accept",), "bob": ("reject",), "cat": None, "dan": None}
    assert one.attributes == {"label": "POS"}


def test_every_label_of_an_input_is_a_document(reading):
    rows = [binary("ann", "accept"), binary("ann", "reject", label="NEG")]
    assert [one.name for one in reading(*rows).documents] == ["8:POS", "8:NEG"]


def test_labels_of_inputs_without_a_hash_are_kept_apart(reading):
    rows = [binary("ann", "accept"), binary("ann", "reject", label="NEG"), binary("bob", "accept")]
    one, two = reading(*[row | {"_input_hash": None} for row in rows]).documents
    assert one.categories == {"ann": ("accept",), "bob": ("accept",)}
    assert two.categories == {"ann": ("reject",), "bob": None}


def test_one_label_without_an_interface_is_a_decision(reading):
    row = binary(None, "reject")
    del row["_view_id"]
    assert reading(row, annotator=None).documents[0].categories == {"spans": ("reject",)}


def test_a_span_task_with_a_label_stays_one(reading):
    row = task("ann", PER, label="PER", _view_id="ner_manual")
    (one,) = reading(row).documents
    assert (one.layers, one.categories) == ({"ann": ((0, 2, "PER"),)}, {})


def test_categories_beside_spans_of_one_annotator_are_not_a_second_answer(reading):
    rows = [task(None, PER), task(None, _view_id="choice", options=OPTIONS, accept=["ODE"])]
    (one,) = reading(*rows, annotator=None).documents
    assert one.layers == {"spans": ((0, 2, "PER"),)}
    assert one.categories == {"spans": ("ODE",)}


def test_two_choices_of_one_annotator_are_an_error(failing):
    message = failing(choice(None, "ODE"), choice(None, "NEWS"), annotator=None)
    assert message.startswith(":2: a second answer to the task 7;")


# --- reviews


def test_versions_are_layers_beside_the_decision(reading):
    row = review(version(["d-ann", "d-bob"], PER), version(["d-cat"], ORG))
    (one,) = reading(row).documents
    per, org = ((0, 2, "PER"),), ((1, 2, "ORG"),)
    assert one.layers == {"d-ann": per, "d-bob": per, "d-cat": org, "review": org}


def test_of_one_annotator_the_decision_is_read(reading):
    row = review(version(["d-ann"], PER))
    assert reading(row, annotator=None).documents[0].layers == {"spans": ((1, 2, "ORG"),)}


def test_a_reviewer_has_the_own_name_unless_also_an_annotator(reading):
    row = review(version(["d-ann"], PER), _annotator_id="r-eve")
    assert reading(row).layer_names == ("d-ann", "r-eve")
    assert reading(row | {"_annotator_id": "d-ann"}).layer_names == ("d-ann", "review")


def test_an_ignored_review_leaves_its_versions(reading):
    (one,) = reading(review(version(["d-ann"], PER), answer="ignore")).documents
    assert one.layers == {"d-ann": ((0, 2, "PER"),), "review": None}


def test_a_version_takes_the_text_and_the_tokens_of_its_task(reading):
    short = {"spans": [PER], "sessions": ["ann"]}
    assert reading(review(short)).documents[0].layers["ann"] == ((0, 2, "PER"),)


def test_a_review_of_too_many_versions_is_an_error(failing):
    message = failing(review(*[{"sessions": [str(i)]} for i in range(1001)]))
    assert message.startswith(":1: 1001 versions; a review has at most 1000")


def test_versions_of_choices_are_categories(reading):
    versions = [choice(None, "ODE", sessions=["ann"]), choice(None, sessions=["bob"])]
    row = choice(None, "NEWS", _view_id="review", view_id="choice", versions=versions)
    (one,) = reading(row).documents
    assert one.categories == {"ann": ("ODE",), "bob": (), "review": ("NEWS",)}
    assert one.layers == {}


def test_versions_of_decisions_are_accept_and_reject(reading):
    versions = [binary(None, "accept", sessions=["ann"]), binary(None, "reject", sessions=["bob"])]
    row = binary("eve", "reject") | {
        "_view_id": "review", "view_id": "classification", "versions": versions,
    }  # fmt: skip
    (one,) = reading(row).documents
    assert one.categories == {"ann": ("accept",), "bob": ("reject",), "eve": ("reject",)}


def test_a_session_in_two_versions_of_a_review_is_an_error(failing):
    message = failing(review(version(["ann"], PER), version(["ann", "bob"], ORG)))
    assert message.startswith(":1: a second, other answer of 'ann'")


def test_the_time_of_a_version_is_not_that_of_several_sessions(failing):
    versions = [version(["ann"], PER, _timestamp=1), version(["ann", "bob"], ORG, _timestamp=2)]
    assert failing(review(*versions)).startswith(":1: a second, other answer of 'ann'")


@each_case("versions, found", [(["x"], "a version is \"x\""), ("x", "'versions' is \"x\""),
     ([{"sessions": "ann"}], "'sessions' is \"ann\""), ([{"sessions": [1]}], "'sessions' is [1]"),
     ([{"sessions": ["a"], "spans": [1]}], "a span is 1")])  # fmt: skip
def test_a_bad_version_is_an_error_with_its_line(failing, versions, found):
    assert failing(task("ann"), review() | {"versions": versions}).startswith(f":2: {found}")
