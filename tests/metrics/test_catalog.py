import math

import pytest

from helpers.cases import each_case
from spacy_chance_eval import CATALOG, parse, request
from spacy_chance_eval.measures import matching
from spacy_chance_eval.metrics.catalog import TREE_CATALOG
from spacy_chance_eval.metrics.request import checked

HITS = [
    name
    for name, metric in CATALOG.items()
    if metric.layout.kind is matching.Hits and metric.expected
]
NOMINAL = [
    *("percent_agreement", "positive_agreement", "negative_agreement"),
    *("cohen_kappa", "scott_pi", "pabak", "bias_index", "prevalence_index"),
    *("davies_fleiss", "fleiss_kappa"),
    *("krippendorff_alpha", "gwet_ac1", "gwet_ac2"),
]
UNITIZING = ["alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha", "cu_coverage"]
GATE = [f"{what}_{suffix}" for suffix in ("precision", "recall", "f") for what in ("gate", "bdm")]
NEEDED = {name: {"closeness": {("A", "B"): 0.5}} for name in GATE if name.startswith("bdm")}


@each_case("name", [*NOMINAL, *UNITIZING])
def test_coefficients_are_the_same_for_either_order_of_annotators(name):
    assert CATALOG[name].swapped == name


def test_only_closeness_has_no_default():
    lacking = {
        name
        for name, metric in CATALOG.items()
        if any(value is None for value in metric.parameters.values())
    }
    assert lacking == set(NEEDED)


@each_case("name", CATALOG)
def test_a_metric_stands_under_its_name(name):
    assert CATALOG[name].name == name


@each_case("name", CATALOG)
def test_a_metric_cites_its_source(name):
    assert CATALOG[name].paper


@each_case("name", CATALOG)
def test_the_parameters_of_count_and_score_are_parameters_of_the_metric(name):
    metric = CATALOG[name]
    assert {*metric.counted, *metric.scored} <= metric.parameters.keys()


@each_case("name", CATALOG)
def test_the_defaults_are_possible_choices(name):
    row = CATALOG[name]
    for key, value in row.parameters.items():
        assert value is None or checked(row, key, value) == value


@each_case("name", HITS)
def test_a_mirror_image_is_a_metric_and_mirrors_back(name):
    assert CATALOG[CATALOG[name].swapped].swapped == name


@each_case("name", HITS)
def test_hits_are_corrected_by_default(name):
    assert CATALOG[name].parameters["chance"] == "disjoint"


def test_a_metric_made_of_disagreement_has_its_parts():
    rows = [*CATALOG.values(), *TREE_CATALOG.values()]
    made = {row.name for row in rows if row.disagreement}
    assert made == {
        *("krippendorff_alpha", "alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha"),
        *("syntax_alpha", "pq_alpha"),
    }
    assert all(row.parts for row in rows if row.disagreement)


def test_information_is_not_corrected_by_default():
    assert CATALOG["slicm_norm"].parameters["chance"] == "none"
    assert "chance" not in CATALOG["slicm"].parameters


def test_parameters_cannot_be_changed():
    with pytest.raises(TypeError):
        CATALOG["span_f"].parameters["beta"] = 2.0


def test_a_request_has_all_parameters_sorted_in_its_name():
    name = "token_f(beta=1.0,chance=disjoint,encoding=IO,unit=sentence)"
    assert str(request("token_f")) == name


def test_equal_requests_have_equal_names_whatever_the_order():
    one = request("token_f", encoding="BIO", unit="sentence")
    assert one == request("token_f", unit="sentence", encoding="BIO")
    assert hash(one) == hash(request("token_f", unit="sentence", encoding="BIO"))


def test_other_parameters_make_another_request():
    assert request("span_f", beta=2) != request("span_f")


@each_case("name", CATALOG)
def test_a_default_that_is_given_is_the_same_request(name):
    needed = NEEDED.get(name, {})
    assert request(name, **CATALOG[name].parameters | needed) == request(name, **needed)


@each_case("name", [name for name in CATALOG if name not in NEEDED])
def test_a_name_can_be_parsed(name):
    assert str(parse(str(request(name)))) == str(request(name))


@pytest.mark.parametrize(
    "text",
    ["span_f(beta=2.0)", "span_f( beta = 2 )", " span_f (beta=2)", "span_f(beta=2,)"],
)
def test_a_text_may_have_blanks_and_any_number(text):
    assert parse(text) == request("span_f", beta=2)


@pytest.mark.parametrize("text", ["span_f", "span_f()", " span_f "])
def test_without_parameters_the_defaults_hold(text):
    assert parse(text) == request("span_f")


def test_a_request_stays_what_it_is():
    one = request("span_f", beta=2)
    assert parse(one, unit="sentence") is one


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


@each_case(
    ("text", "message"),
    [
        (
            "span_g",
            r"unknown metric 'span_g' .did you mean 'span_f'.*; expected one of span_precision",
        ),
        ("span_f(size=3)", "span_f has no parameter 'size'; expected one of chance, unit, beta"),
        ("span_f(beta)", r"cannot read 'beta' in the metric 'span_f\(beta\)'; expected key=value"),
        ("span f", "cannot read the metric 'span f'; expected name"),
        ("span_f(beta=2", "cannot read the metric"),
        ("", "cannot read the metric ''"),
        ("span_f(chance=random)", "chance is 'random'; expected one of none, disjoint"),
        ("span_f(unit=word)", "unit is 'word'; expected one of sentence, document"),
        ("token_f(encoding=BILUO)", r"encoding is 'BILUO'.*; expected one of IO, BIO, BIOE, IO\*"),
        ("slicm(rank=best)", "rank is 'best'; expected one of position, information"),
        ("slicm(matching=any)", "matching is 'any'; expected one of mutual, optimal"),
        ("slicm(token_information=odd)", "token_information is 'odd'; expected constant or corpus"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_choices(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


@each_case("beta", [0, -1, "x", "nan", float("inf"), None])
def test_beta_is_a_number_above_zero(beta):
    with pytest.raises(ValueError, match="beta is .*; expected a number above 0"):
        request("span_f", beta=beta)


def test_beta_may_be_an_integer_or_a_text():
    assert request("span_f", beta=2) == request("span_f", beta="2.0")


def test_a_table_of_bits_is_named_by_what_it_holds():
    one, same, other = (
        str(request("slicm", token_information=table))
        for table in ({"a": 1, "b": 2}, {"b": 2.0, "a": 1.0}, {"a": 1, "b": 3})
    )
    assert one == same != other
    assert "token_information=table:" in one


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
