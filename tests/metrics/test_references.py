"""Every metric, chance model, interval and test has a source."""

import re

import pytest

from helpers.cases import each_case
from spacy_chance_eval.measures.chance.expectation import PLACEMENTS
from spacy_chance_eval.measures.resampling import INTERVALS, TESTS
from spacy_chance_eval.metrics.catalog import METRICS
from spacy_chance_eval.metrics.references import (
    BOOTSTRAP,
    LI,
    PACKAGE,
    PROCEDURES,
    citations,
    entries,
    references,
)

FIELDS = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "year"},
}
TEX = {r"{\'e}": "é", r"{\'A}": "Á", r"{\'o}": "ó", r"{\"o}": "ö", r"{\ae}": "æ", r"\&": "&"}
SIGNATURE = "{}|positions=token|docs=9|gold=ab|systems={}|test={}|ci={}|v=0.1.0"


@each_case("metric", METRICS)
def test_every_metric_has_a_source(metric):
    assert METRICS[metric].sources
    assert {PACKAGE, *METRICS[metric].sources} <= {*references([metric])}


@each_case("metric", METRICS)
def test_papers_that_the_catalog_names_are_among_the_sources(metric):
    found = [entries()[key] for key in references([metric])]
    for name, year in re.findall(r"(\w+)(?: and \w+| et al\.)? \((\d{4})\)", METRICS[metric].paper):
        assert any(f"{{{year}}}" in one and name in plain(one) for one in found), (name, year)


def test_every_source_is_of_something():
    texts = [f"{name}(chance=disjoint)" for name in METRICS if "chance" in METRICS[name].parameters]
    texts += METRICS
    texts += [SIGNATURE.format("span_f", 3, f"{test},0.05,9/99", "bootstrap") for test in TESTS]
    texts.append(SIGNATURE.format("span_f", 2, "none", "none") + "|plan=corrected,0.02,0.8")
    assert {*references([*texts, *PROCEDURES])} == entries().keys()


@each_case("placement", PLACEMENTS)
def test_chance_models_have_their_source(placement):
    assert LI in references([f"slicm_norm(chance={placement})"])
    assert LI in references([f"token_f(chance={placement})"])
    assert LI not in references(["token_f(chance=none)"])


def test_metrics_with_a_chance_model_by_default_cite_it():
    assert LI in references(["span_f"])
    assert LI not in references(["slicm_norm"])
    assert LI not in references(["las"])


@each_case("test", TESTS)
@each_case("interval", INTERVALS)
def test_a_signature_has_the_sources_of_intervals_and_tests(test, interval):
    signature = SIGNATURE.format("span_f()", 7, f"{test},0.05,9/99", f"bootstrap,9,0,{interval}")
    found = references([signature])
    assert {BOOTSTRAP, "holm-1979", "piepho-2004", "gandy-2014"} <= {*found}
    assert ("yeh-2000" in found) == (test == "randomisation")


def test_what_a_signature_does_not_use_is_not_cited():
    plain = references(["las(ignore=none,subtypes=keep)|positions=tree|docs=3|v=0.1.0"])
    assert {*plain} == {PACKAGE, "buchholz-2006"}
    two = references([SIGNATURE.format("span_f", 2, "randomisation,0.05", "none")])
    assert BOOTSTRAP not in two
    assert not {"piepho-2004", "gandy-2014"} & {*two}


def test_the_test_of_candidates_has_its_sources_and_those_of_the_similarity():
    signature = (
        "replace_test(epsilon=0.2,metric=bcubed_f(beta=1.0,chance=none),q=0.05)|docs=9|"
        "ci=bootstrap,9,0,percentile,0.95|v=0.1.0"
    )
    own = {PACKAGE, "calderon-2025", "benjamini-2001"}
    assert {*references(["replace_test"])} == own
    assert {*references([signature])} == {*own, *METRICS["bcubed_f"].sources, BOOTSTRAP}
    assert {*references(["replace_test(metric=accuracy)"])} == own


def test_without_a_metric_there_are_the_package_and_the_chance_model():
    assert [*references()] == [PACKAGE, LI]


def test_each_source_is_there_once_and_the_package_first():
    found = list(references(["token_f", "span_f", "token_f"]))
    assert found[0] == PACKAGE
    assert len(found) == len({*found})


@each_case(
    ("text", "message"),
    [
        ("spam_f", "unknown metric 'spam_f' (did you mean 'span_f'"),
        ("span_f(unti=doc)", "unknown parameter of span_f 'unti' (did you mean 'unit'"),
        ("span f", "cannot read 'span f'"),
        ("", "cannot read ''"),
        ("|docs=3", "cannot read '|docs=3'"),
    ],
)
def test_what_is_no_metric_is_refused(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        references([text])


# --- the entries


def plain(text):
    """Text of TeX as its signs."""
    for tex, sign in TEX.items():
        text = text.replace(tex, sign)
    return text


def fields(key):
    """The type and the fields of an entry."""
    ((kind, body),) = re.findall(
        rf"^@(\w+)\{{{key},\n(.*?)\n\}}$", entries()[key], re.MULTILINE | re.DOTALL
    )
    found = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
    assert len(found) == len(body.split("\n"))
    return kind, found


@each_case("key", entries())
def test_an_entry_has_all_fields(key):
    kind, found = fields(key)
    assert FIELDS[kind] <= found.keys()
    assert re.fullmatch(r"\{.+\}", found["title"]) and re.fullmatch(r"\d{4}", found["year"])
    assert entries()[key].isascii()
    assert entries()[key].count("{") == entries()[key].count("}")


def test_citations_are_the_entries_of_known_metrics():
    assert citations(["las()|docs=3", "new_metric()", "<script>", ""]) == citations(["las"])
    assert citations(["las"]).count("@") == 2
