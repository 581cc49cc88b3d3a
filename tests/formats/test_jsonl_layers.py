import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats import read as read_corpus
from spacy_chance_eval.formats.errors import FormatError

WORDS = ["Ada", "slept"]
SURE = {"start": 0, "end": 1, "label": "X", "features": {"sure": True, "kinds": ["a", "b"]}}


@pytest.fixture
def reading(tmp_path):
    def read(*rows, **options):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return read_corpus(path, **options, format="jsonl").documents

    return read


def row(**more):
    return {"tokens": WORDS} | more


def test_spans_have_features(reading):
    (document,) = reading(row(spans=[SURE, [1, 2, "Y"]], layers={"ada": [SURE]}))
    assert document.features == {
        layer: {(0, 1, "X"): {"sure": True, "kinds": ["a", "b"]}} for layer in ("spans", "ada")
    }


def test_features_go_with_their_spans_to_the_tokens(reading):
    spans = [{"start": 4, "end": 9, "label": "X", "features": {"n": 1}},
             {"start": 0, "end": 2, "label": "X", "features": {"n": 2}}]  # fmt: skip
    options = {"offsets": "char", "misaligned": "unplaced"}
    (document,) = reading(row(text="Ada slept", spans=spans), **options)
    assert document.features == {"spans": {(1, 2, "X"): {"n": 1}}}
    assert document.unplaced == {"spans": ((1, "X"),)}


def test_categories_have_layers(reading):
    (document,) = reading(row(categories={"ada": ["b", "a"], "bob": None, "cy": []}))
    assert document.categories == {"ada": ("a", "b"), "bob": None, "cy": ()}


@pytest.mark.parametrize("labels", [["x"], "x"], ids=str)
def test_categories_without_layers_are_the_layer_categories(reading, labels):
    assert reading(row(categories=labels))[0].categories == {"categories": ("x",)}


def test_the_cats_of_spacy_are_those_with_at_least_half(reading):
    cats = {"a": 0.5, "b": 0.49, "c": 1, "d": True, "e": 0.0, "f": 10**400}
    assert reading(row(cats=cats))[0].categories == {"categories": ("a", "c", "d", "f")}


def test_cats_of_null_are_not_annotated_and_empty_ones_are(reading):
    assert reading(row(cats=None))[0].categories == {"categories": None}
    assert reading(row(cats={}))[0].categories == {"categories": ()}


def test_positions_can_be_missing_in_one_layer(reading):
    (document,) = reading(row(layers={"ada": [], "bob": []}, missing_in={"ada": [[0, 1]]}))
    assert (document.gaps("ada"), document.gaps("bob")) == (((0, 1),), ())


def test_each_annotator_of_a_document_can_have_a_row(reading):
    rows = [
        row(id=1, spans=[[0, 1, "X"]], by="ada"),
        row(id=1, spans=[], by="bob", categories=["c"]),
    ]
    (document,) = reading(*rows, annotator="by")
    assert document.layers == {"ada": ((0, 1, "X"),), "bob": ()}
    assert (document.categories, document.attributes) == ({"bob": ("c",)}, {})


def test_without_the_option_an_annotator_is_an_attribute(reading):
    documents = reading(row(spans=[], by="ada"), row(spans=[], by="bob"))
    assert [document.attributes for document in documents] == [{"by": "ada"}, {"by": "bob"}]


def test_rows_without_id_are_matched_by_their_tokens(reading):
    rows = [row(spans=[], by=1), row(spans=[], by=2), {"tokens": ["x"], "spans": [], "by": 1}]
    assert [sorted(document.layers) for document in reading(*rows, annotator="by")] == [
        ["1", "2"], ["1"]]  # fmt: skip


@each_case(
    "second, found",
    [
        (row(id=1, spans=[[0, 1, "X"]], by="ada"), "a second, other answer of 'ada'"),
        ({"tokens": ["x"], "id": 1, "spans": [], "by": "bob"}, "other words than line 1"),
        (row(id=1, spans=[]), "an annotation without its annotator"),
        (row(id=1, spans=[], by=[1]), "'by' is [1]"),
        (row(id=1, layers={"x": [], "y": []}, by="bob"), "the layers 'x', 'y' in one row"),
    ],
)
def test_rows_that_contradict_the_first_are_an_error_with_their_line(reading, second, found):
    with pytest.raises(FormatError) as caught:
        reading(row(id=1, spans=[], by="ada"), second, annotator="by")
    assert str(caught.value).partition("a.jsonl")[2].startswith(f":2: {found}")


def test_nesting_of_any_depth_is_an_error_and_nothing_else(tmp_path):
    for depth in (*range(900, 1010), 100_000):
        (tmp_path / "a.jsonl").write_text('{"tokens": ' + "[" * depth + "]" * depth + "}")
        with pytest.raises(FormatError):
            read_corpus(tmp_path / "a.jsonl", format="jsonl")
