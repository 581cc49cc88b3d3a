import math

import pytest

from helpers.cases import each_case
from spacy_chance_eval import CATALOG, parse, request
from spacy_chance_eval.metrics.catalog import TREE_CATALOG
from spacy_chance_eval.metrics.request import checked

GATE = [f"{what}_{suffix}" for suffix in ("precision", "recall", "f") for what in ("gate", "bdm")]
NEEDED = {name: {"closeness": {("A", "B"): 0.5}} for name in GATE if name.startswith("bdm")}


def test_only_closeness_has_no_default():
    lacking = {
        name
        for name, metric in CATALOG.items()
        if any(value is None for value in metric.parameters.values())
    }
    assert lacking == set(NEEDED)


@each_case("name", CATALOG)
def test_the_parameters_of_count_and_score_are_parameters_of_the_metric(name):
    metric = CATALOG[name]
    assert {*metric.counted, *metric.scored} <= metric.parameters.keys()


@each_case("name", CATALOG)
def test_the_defaults_are_possible_choices(name):
    row = CATALOG[name]
    for key, value in row.parameters.items():
        assert value is None or checked(row, key, value) == value


def test_a_metric_made_of_disagreement_has_its_parts():
    rows = [*CATALOG.values(), *TREE_CATALOG.values()]
    made = {row.name for row in rows if row.disagreement}
    assert made == {
        *("krippendorff_alpha", "alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha"),
        *("syntax_alpha", "pq_alpha"),
    }
    assert all(row.parts for row in rows if row.disagreement)


def test_parameters_cannot_be_changed():
    with pytest.raises(TypeError):
        CATALOG["span_f"].parameters["beta"] = 2.0


@each_case("name", CATALOG)
def test_a_default_that_is_given_is_the_same_request(name):
    needed = NEEDED.get(name, {})
    assert request(name, **CATALOG[name].parameters | needed) == request(name, **needed)


def test_defaults_fill_what_the_text_leaves_open():
    assert parse("span_f(unit=sentence)", unit="sentence", chance="none") == request(
        "span_f", chance="none"
    )


def test_defaults_that_a_metric_does_not_have_are_left_out():
    assert parse("span_f", encoding="BIO") == request("span_f")


def test_only_some_parameters_can_be_asked_for():
    assert request("token_f").only(("encoding",)) == {"encoding": "IO"}


def test_the_placement_of_a_metric_without_chance_is_none():
    assert (request("slicm").placement, request("span_f").placement) == ("none", "disjoint")


def test_a_function_of_bits_is_named_by_its_signature_or_its_name():
    def bits(word):
        return 1.0

    assert "token_information=math.sqrt" in str(request("slicm", token_information=math.sqrt))
    with pytest.raises(ValueError, match="give it an attribute `signature`"):
        request("slicm", token_information=bits)
    bits.signature = "mine:1"
    assert "token_information=mine:1" in str(request("slicm", token_information=bits))


@pytest.mark.parametrize("function", [lambda word: 1.0, {"a": 1.0}.get, [].append])
def test_a_function_that_has_no_name_of_its_own_needs_a_signature(function):
    with pytest.raises(ValueError, match="give it an attribute `signature`"):
        request("slicm", token_information=function)
