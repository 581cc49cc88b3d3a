import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.annotators import annotator_of, by_annotator
from spacy_chance_eval.formats.corpus import Document
from spacy_chance_eval.formats.errors import ContentError, FormatError

AB = ("a", "b")


def row(spans=(), line=1, name="d", words=AB, **more):
    return Document(words, {"spans": spans}, name=name, lines=(line,), **more)


def merged(*rows):
    return by_annotator("x.jsonl", rows)


def failing(*rows):
    with pytest.raises(FormatError) as caught:
        merged(*rows)
    return str(caught.value)


def test_each_annotator_of_a_document_becomes_a_layer():
    one, two = row([(0, 1, "X")]), row([(1, 2, "Y")])
    (document,) = merged((one, "ada"), (two, "bob"))
    assert document.layers == {"ada": ((0, 1, "X"),), "bob": ((1, 2, "Y"),)}


def test_documents_stand_in_the_order_of_their_first_rows():
    rows = [(row(name="q"), "ada"), (row(name="p"), "ada"), (row(name="q"), "bob")]
    assert [document.name for document in merged(*rows)] == ["q", "p"]


def test_the_order_of_rows_of_one_document_does_not_matter():
    rows = [(row([(0, 1, "X")]), "ada"), (row(), "bob"), (row(None), "cy")]
    assert merged(*rows) == merged(*reversed(rows))


def test_rows_without_a_name_are_matched_by_their_tokens():
    rows = [(row(name=None), "ada"), (row(name=None), "bob"), (row(name=None, words=["c"]), "bob")]
    assert [sorted(document.layers) for document in merged(*rows)] == [["ada", "bob"], ["bob"]]


def test_rows_without_tokens_and_name_are_matched_by_their_text():
    texts = [Document((), {"spans": ()}, text=text) for text in ("x", "y", "x")]
    assert [d.text for d in merged(*zip(texts, ("ada", "ada", "bob")))] == ["x", "y"]


def test_what_was_not_annotated_gives_way_to_the_annotation():
    for rows in ([(row(None), "ada"), (row(), "ada")], [(row(), "ada"), (row(None), "ada")]):
        assert merged(*rows)[0].layers == {"ada": ()}


def test_equal_answers_of_one_annotator_count_once():
    rows = [(row([(0, 1, "X")]), "ada")] * 2
    assert merged(*rows)[0].layers == {"ada": ((0, 1, "X"),)}


def test_two_answers_of_one_annotator_are_an_error_with_both_lines():
    message = failing((row(line=3), "ada"), (row([(0, 1, "X")], line=8), "ada"))
    assert message.startswith(
        "x.jsonl:8: a second, other answer of 'ada', who also has one in line 3; keep one answer"
    )


def test_answers_with_other_features_are_other_answers():
    one, two = (
        row([(0, 1, "X")], features={"spans": {(0, 1, "X"): {"n": n}}}, line=n) for n in (1, 2)
    )
    assert failing((one, "ada"), (two, "ada")).startswith("x.jsonl:2: a second, other answer")


@pytest.mark.parametrize(
    "field, other",
    [("words", ("a", "c")), ("text", "ab"), ("spaces", (True, True)), ("sents", (0,))],
)
def test_one_name_with_other_words_is_an_error_with_both_lines(field, other):
    first = {"text": "a b", "spaces": (True, False), "sents": (0, 1)}
    message = failing((row(**first), "ada"), (row(**(first | {field: other, "line": 4})), "bob"))
    assert message.startswith(f"x.jsonl:4: other {field} than line 1 has for the same document;")


def test_a_row_need_not_say_everything_again():
    rows = [(row(), "ada"), (row(text="a b", spaces=(True, False), sents=(0, 1)), "bob")]
    (document,) = merged(*rows)
    assert (document.text, document.spaces, document.sents) == ("a b", (True, False), (0, 1))


def test_unplaced_spans_and_features_belong_to_their_annotator():
    one = row([(0, 1, "X")], unplaced={"spans": [(2, "Y")]},
              features={"spans": {(0, 1, "X"): {"sure": True}}})  # fmt: skip
    (document,) = merged((one, "ada"), (row(), "bob"))
    assert document.unplaced == {"ada": ((2, "Y"),)}
    assert document.features == {"ada": {(0, 1, "X"): {"sure": True}}}


def test_positions_missing_for_all_are_missing_others_for_their_annotator():
    rows = [(row(missing=[(0, 1)]), "ada"), (row(missing=[(0, 1), (1, 2)]), "bob")]
    (document,) = merged(*rows)
    assert (document.missing, document.missing_in) == (((0, 1),), {"bob": ((1, 2),)})


def test_categories_and_spans_of_one_annotator_may_stand_in_two_rows():
    choice = Document(AB, {}, name="d", categories={"categories": ["news"]})
    (document,) = merged((row(), "ada"), (choice, "ada"), (choice, "bob"))
    assert document.layers == {"ada": ()}
    assert document.categories == {"ada": ("news",), "bob": ("news",)}


def test_two_answers_in_categories_are_an_error():
    one, two = (
        Document(AB, {}, name="d", categories={"x": [label]}, lines=(n,))
        for n, label in enumerate("pq", 1)
    )
    assert failing((one, "ada"), (two, "ada")).startswith("x.jsonl:2: a second, other answer")


def test_attributes_stay_that_no_row_contradicts():
    rows = [(row(attributes={"a": 1, "b": 1}), "ada"),
            (row(attributes={"b": True, "c": 2}), "bob")]  # fmt: skip
    assert merged(*rows)[0].attributes == {"a": 1, "c": 2}


def test_a_row_without_annotation_needs_no_annotator():
    assert merged((row(None), None), (row(), "ada"))[0].layers == {"ada": ()}


def test_an_annotation_without_annotator_is_an_error():
    assert failing((row(line=2), None)).startswith("x.jsonl:2: an annotation without its annotator")


def test_several_layers_in_a_row_are_an_error():
    two = Document(AB, {"p": (), "q": ()}, lines=(5,))
    assert failing((two, "ada")).startswith("x.jsonl:5: the layers 'p', 'q' in one row;")


def test_annotators_are_strings_or_numbers():
    assert [annotator_of({"by": by}, "by") for by in ("ada", 7, None)] == ["ada", "7", None]
    assert annotator_of({}, "by") is None


@each_case("by", ["", True, 1.0, ["ada"], {}])
def test_what_cannot_be_an_annotator_is_a_mistake(by):
    with pytest.raises(ContentError):
        annotator_of({"by": by}, "by")
