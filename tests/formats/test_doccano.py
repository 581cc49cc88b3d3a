import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.doccano import read_doccano
from spacy_chance_eval.formats.errors import FormatError

ADA = {"id": 1, "text": "Ada slept"}


@pytest.fixture
def reading(tmp_path):
    def read(*rows, array=False, **options):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        text = "[\n" + ",\n".join(lines) + "\n]" if array else "\n".join(lines)
        (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
        return read_doccano(tmp_path / "a.jsonl", **options)

    return read


def entity(start, end, label="PER", **more):
    return {"id": 5, "label": label, "start_offset": start, "end_offset": end} | more


@pytest.mark.parametrize(
    "labels",
    [
        {"label": [[0, 3, "PER"]]},
        {"labels": [[0, 3, "PER"]]},
        {"entities": [[0, 3, "PER"]]},
        {"entities": [entity(0, 3)], "relations": [{"id": 1}], "Comments": ["x"]},
    ],
    ids=["label", "labels", "slots", "relations"],
)
def test_every_shape_of_spans_is_read(reading, labels):
    corpus = reading(ADA | labels)
    assert corpus == Corpus("x", [Document((), {"spans": [(0, 3, "PER")]}, "1", text="Ada slept")],
                            "char")  # fmt: skip


@pytest.mark.parametrize("key", ["label", "labels", "cats"])
def test_labels_of_whole_texts_are_categories(reading, key):
    (document,) = reading(ADA | {key: ["science", "history"]}).documents
    assert (document.layers, document.categories) == ({}, {"categories": ("history", "science")})


def test_one_label_of_a_text_may_be_a_string(reading):
    assert reading(ADA | {"label": "x"}).documents[0].categories == {"categories": ("x",)}


def test_categories_stand_beside_entities(reading):
    (document,) = reading(ADA | {"entities": [[0, 3, "X"]], "cats": ["c"]}).documents
    assert document.layers == {"spans": ((0, 3, "X"),)}
    assert document.categories == {"categories": ("c",)}


def test_a_text_without_labels_is_of_the_kind_of_the_others(reading):
    corpus = reading(ADA | {"label": []}, ADA | {"label": ["c"]})
    assert [document.categories for document in corpus.documents] == [
        {"categories": ()}, {"categories": ("c",)}]  # fmt: skip
    assert reading(ADA | {"label": []}).documents[0].layers == {"spans": ()}


def test_null_is_not_annotated(reading):
    corpus = reading(ADA | {"label": None}, ADA | {"label": []})
    assert corpus.spans("spans").seen.tolist() == [False, True]


def test_an_array_is_read_like_lines(reading):
    rows = ADA | {"label": [[0, 3, "X"]]}, {"id": 2, "text": "b", "label": []}
    corpus = reading(*rows, array=True)
    assert corpus == reading(*rows)


def test_simple_values_are_attributes_of_rows_and_features_of_entities(reading):
    row = ADA | {"entities": [entity(0, 3, sure=True)], "n": 1, "meta": {"who": "x", "l": [1]}}
    (document,) = reading(row).documents
    assert document.attributes == {"n": 1, "who": "x"}
    assert document.features == {"spans": {(0, 3, "PER"): {"sure": True}}}


def test_characters_beyond_ascii_count_once(reading):
    (document,) = reading({"text": "😀 ñu", "label": [[2, 4, "X"]]}).documents
    assert document.layers["spans"] == ((2, 4, "X"),)


@pytest.mark.parametrize("key", ["annotator", "user", "username", "annotated_by"])
def test_each_annotator_can_be_a_layer(reading, key):
    rows = [ADA | {"label": [[0, 3, "X"]], key: "ada"}, ADA | {"label": [], key: 7}]
    (document,) = reading(*rows, annotator=key).documents
    assert document.layers == {"ada": ((0, 3, "X"),), "7": ()}
    assert key not in document.attributes


def test_rows_of_one_annotator_in_categories_are_layers_too(reading):
    rows = [ADA | {"label": ["x"], "user": "ada"}, ADA | {"label": ["y"], "user": "bob"}]
    (document,) = reading(*rows, annotator="user").documents
    assert document.categories == {"ada": ("x",), "bob": ("y",)}


def test_one_id_with_two_texts_is_an_error(failing):
    rows = [ADA | {"label": [], "user": "ada"}, ADA | {"text": "b", "label": [], "user": "bob"}]
    assert failing(*rows, annotator="user").startswith(":2: other text than line 1")


def test_two_answers_of_one_annotator_are_an_error(failing):
    rows = [ADA | {"label": [], "user": "a"}, ADA | {"label": [[0, 1, "X"]], "user": "a"}]
    assert failing(*rows, annotator="user").startswith(":2: a second, other answer of 'a'")


def test_a_row_without_its_annotator_is_an_error(failing):
    assert failing(ADA | {"label": []}, annotator="user").startswith(": no row names anybody")


def test_users_before_version_1_4_are_layers(reading):
    said = [entity(0, 3, 4, user=1), entity(4, 9, 5, user=2, sure=1), entity(0, 3, 4, user=2)]
    one, two = reading(
        ADA | {"annotations": said},
        {"text": "b", "doc_id": 3, "annotations": [], "annotation_approver": None},
    ).documents
    assert one.layers == {"1": ((0, 3, "4"),), "2": ((0, 3, "4"), (4, 9, "5"))}
    assert one.features == {"2": {(4, 9, "5"): {"sure": 1}}}
    assert (two.layers, two.name) == ({}, "3")
    assert two.attributes == {"annotation_approver": None}


def test_users_and_labels_have_names_where_these_are_given(reading):
    names = {"label_name": "LOC", "user_name": "ada"}
    said = [entity(0, 3, 4, user=1, **names), {"label": 7, "user": 2}]
    (one,) = reading(ADA | {"annotations": said}).documents
    assert one.layers == {"ada": ((0, 3, "LOC"),)}
    assert one.categories == {"2": ("7",)}


def test_a_note_counts_labels_that_are_numbers(reading):
    said = [entity(0, 3, 4, user=1), {"label": 7, "user": 2}, entity(4, 9, "X", user=1)]
    notes = reading(ADA | {"annotations": said}, {"text": "b", "annotations": None}).notes
    assert notes.counts == {"numbers": 2}
    assert str(notes.places["numbers"][0]).startswith("label 4 (")
    said = [one | {"label_name": "Y"} for one in said]  # as the note advises
    assert reading(ADA | {"annotations": said}).notes.counts == {}


def test_annotations_that_name_their_users_need_no_key_for_them(failing):
    row = ADA | {"annotations": [entity(0, 3, 4, user=1)], "by": "ada"}
    assert "leave out --annotator-field" in failing(row, annotator="by")


@pytest.mark.parametrize("annotator", ["", "text", 5, "label"])
def test_a_key_that_cannot_name_annotators_is_an_error(reading, annotator):
    with pytest.raises(ValueError, match="unknown annotator"):
        reading(ADA, annotator=annotator)


@each_case(
    "bad, found",
    [
        ("{", "invalid JSON"),
        ('{"id": ' + "[" * 100_000, "invalid JSON"),
        ('{"text": "a", "x": NaN}', "invalid JSON (NaN is not JSON)"),
        ('{"text": "\\ud83d"}', "invalid JSON (surrogates not allowed)"),
        ("[]", "a list, not an object"),
        ({"id": 1}, "a row without 'text'"),
        ({"text": 1}, "'text' is 1"),
        ({"text": "a", "annotations": [], "labels": []}, "'labels' beside 'annotations'"),
        ({"text": "a", "annotations": [3]}, "an annotation is 3"),
        ({"text": "a", "annotations": [entity(0, 2)]}, "span PER [0, 2) among 1 characters"),
        ({"text": "a", "annotations": [entity(0, 1, user=[])]}, "'user' is []"),
        (ADA | {"label": [], "labels": []}, "'label' beside 'labels'"),
        (ADA | {"label": [], "entities": []}, "'label' beside 'entities'"),
        (ADA | {"label": ["x"]}, "categories in a file whose first labels are spans"),
        (ADA | {"label": {}}, "'label' is {}"),
        (ADA | {"label": [[0, 1]]}, "a span is [0, 1]"),
        (ADA | {"label": [1]}, "a text has the number 1 for its label; write the names of labels"),
        (ADA | {"label": [[0, 3, 5]]}, "a span has the number 5 for its label; write the names"),
        (ADA | {"entities": [entity(0, 3, 5)]}, "a span has the number 5 for its label; write"),
        (ADA | {"label": [[0, 10, "X"]]}, "span X [0, 10) among 9 characters"),
        (ADA | {"label": [[1, 1, "X"]]}, "span X [1, 1) among 9 characters"),
        (ADA | {"entities": [{"label": "X"}]}, 'a span is {"label": "X"}'),
        (ADA | {"entities": "x"}, "'entities' is \"x\""),
        (ADA | {"cats": [1]}, "'cats' is [1]"),
        (ADA | {"cats": ["a", "a"]}, '\'cats\' is ["a", "a"]'),
        (ADA | {"cats": [""]}, "'cats' is [\"\"]"),
        (ADA | {"id": [1]}, "'id' is [1]"),
        (ADA | {"id": True}, "'id' is true"),
    ],
)
def test_a_bad_row_is_an_error_with_its_line(failing, bad, found):
    assert failing(ADA | {"label": [[0, 1, "X"]]}, bad).startswith(f":2: {found}")


@each_case(
    "bad, found",
    [
        ("{", "invalid JSON"),
        ("[" * 100_000, "invalid JSON"),
        ("NaN", "invalid JSON (NaN is not JSON)"),
        ('{"text": "\\ud83d"}', "invalid JSON (surrogates not allowed)"),
        ("1", "a int, not an object"),
        ("{} {}", "invalid JSON (Expecting"),
        ("", "invalid JSON"),
    ],
)
def test_a_bad_entry_of_an_array_is_an_error_with_its_line(failing, bad, found):
    message = failing(ADA | {"label": []}, bad, array=True)
    assert message.startswith((f":3: {found}", f":4: {found}"))


@each_case("text", ["[]", "[ ", "[{}", "[]]", "[,]", "[1,]", "", "\n", "[{},"])
def test_a_damaged_array_is_an_error(failing, text):
    assert failing(text).startswith(":")


def test_an_array_of_nothing_is_an_error(failing):
    assert failing("[ ]").startswith(": no documents; expected one JSON array")


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw + b"\n\n",
    ],
    ids=["BOM", "CRLF", "blank lines"],
)
@pytest.mark.parametrize("array", [True, False])
def test_the_shape_of_the_file_makes_no_difference(reading, tmp_path, change, array):
    expected = reading(ADA | {"label": [[0, 3, "X"]]}, ADA, array=array)
    path = tmp_path / "a.jsonl"
    path.write_bytes(change(path.read_bytes()))
    assert read_doccano(path) == expected


def test_a_file_that_is_not_utf8_is_an_error(tmp_path):
    (tmp_path / "a.jsonl").write_bytes('{"text": "é"}'.encode("latin-1"))
    with pytest.raises(FormatError, match=":1: not UTF-8 text"):
        read_doccano(tmp_path / "a.jsonl")


def test_a_line_of_a_million_characters_is_read(reading):
    (document,) = reading({"text": "a" * 1_000_000, "label": [[0, 1_000_000, "X"]]}).documents
    assert document.layers["spans"] == ((0, 1_000_000, "X"),)
