"""What `explain` says is what `evaluate` counts, for every chance model, unit and encoding."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.cases import each_case
from helpers.explaining import corpus_pair, labelled, one_document
from helpers.published import rows, runs
from helpers.strategies import pairs
from spacy_chance_eval import evaluate
from spacy_chance_eval.analysis.explain import DRAWN, Model, explain_corpus, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.measures.chance.expectation import CHANNELS
from spacy_chance_eval.scoring.statistics import headline

KINDS = {
    "disjoint": ("disjoint",),
    "uniform": ("disjoint",),
    "overlapping": ("disjoint", "nested", "overlapping"),
    "nested": ("disjoint", "nested"),
}
FIELDS = ("observed", "expected", "corrected")


def close(value):
    return value if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)


def scores(found, level):
    """Observed, expected and corrected scores of an entry by metric."""
    return {f"{level}_{name}": row for name, row in found[level]["scores"].items()}


def as_explained(score):
    return {name: close(score.get(name)) for name in FIELDS}


UNITS = ("document", "sentence")
each_chance = pytest.mark.parametrize("chance", KINDS)


@each_chance
@given(data=st.data())
def test_documents_have_the_scores_of_evaluate(chance, data):
    both = corpus_pair(data.draw(pairs(kinds=KINDS[chance], docs=3)))
    # where a formula gives the expectation of tokens
    encodings = CHANNELS if chance != "nested" else ("IO",)
    for unit, encoding in product(UNITS, encodings):
        check_documents(both, Model(chance, unit, encoding))


def check_documents(both, model):
    metrics = [
        model.request(f"{level}_{score}")
        for level in ("span", "token")
        for score in ("precision", "recall", "f")
    ]
    expected = evaluate(*both.aligned(), metrics, per_doc=True)
    for name in expected[str(metrics[0])].per_doc:
        explained = explain_document(both, name, model=model)
        assert json.dumps(explained, allow_nan=False)
        together = explained["labels"][0]
        found = scores(together, "span") | scores(together, "token")
        for metric in metrics:
            row = expected[str(metric)].per_doc[name]
            assert found[metric.metric] == as_explained(row), (metric, name)


@given(pair=pairs(docs=3))
def test_documents_have_the_information_of_evaluate(pair):
    both = corpus_pair(pair)
    ways = product(("constant", "corpus"), ("position", "information"), ("mutual", "optimal"))
    for way in ways:
        model = Model("overlapping", **dict(zip(("token_information", "rank", "matching"), way)))
        metrics = [model.request("slicm"), model.request("slicm_norm")]
        expected = evaluate(*both.aligned(), metrics, per_doc=True)
        for name, row in expected[str(metrics[0])].per_doc.items():
            found = explain_document(both, name, model=model)["labels"][0]["slicm"]
            normalised = headline(expected[str(metrics[1])].per_doc[name])
            assert (headline(found), found["normalised"]) == (
                close(headline(row)),
                close(normalised),
            )
            assert list(found["metrics"].values()) == [str(metric) for metric in metrics]


@each_chance
@given(pair=pairs(docs=2, unseen=False, kinds=("disjoint",)))
def test_expected_matches_are_the_sums_of_units_and_tokens(chance, pair):
    both = corpus_pair(pair)
    for unit, name in product(UNITS, pair.names):
        for one in explain_document(both, name, model=Model(chance, unit))["labels"][1:]:
            tokens = sum(sum(place["common"]) for place in one["units"])
            assert tokens == close(one["token"]["expected"]["matches"]), unit


@each_chance
@given(data=st.data())
def test_a_corpus_has_the_scores_and_shares_of_evaluate(chance, data):
    both = corpus_pair(data.draw(pairs(kinds=KINDS[chance], unseen=False)))
    for unit in UNITS:
        check_corpus(both, Model(chance, unit))


def check_corpus(both, model):
    found = explain_corpus(both, model=model)["levels"]
    assert json.dumps(found, allow_nan=False)
    for level in ("span", "token"):
        metric = model.request(f"{level}_f")
        score = evaluate(*both.aligned(), [metric], per_doc=True)[str(metric)]
        assert found[level]["total"]["scores"]["f"] == as_explained(vars(score))
        labels = {row["label"]: row["scores"]["f"] for row in found[level]["by_label"]}
        wanted = {name: as_explained(row) for name, row in score.per_label.items()}
        assert labels == wanted
        for row in found[level]["documents"]:
            assert row["scores"]["f"] == as_explained(score.per_doc[row["document"]])
        check_shares(found[level])


def check_shares(level):
    """Shares fall, add up to 1, and are those of the expected matches."""
    total = level["total"]["expected"]["matches"]
    for found in (level["by_label"], level["documents"]):
        shares = [row["share"] for row in found]
        if not total:
            assert set(shares) <= {None}
            continue
        assert shares == sorted(shares, reverse=True)
        assert found[-1]["cumulative"] == pytest.approx(1)
        for row in found:
            assert row["share"] == pytest.approx(row["expected"]["matches"] / total)


# --- the numbers of the papers


@each_case("row", rows("chance.csv"))
def test_the_simulations_give_the_printed_token_f(row):
    # Li et al. (2024), simulations 1 to 4
    gold, other = (labelled(runs(row[side])) for side in ("gold", "other"))
    found = explain_document(one_document(gold, other, len(row["gold"])), "doc")
    for one in found["labels"]:
        printed = {k: f"{v:.4f}" for k, v in one["token"]["scores"]["f"].items()}
        assert printed == {name: row[name] for name in FIELDS}


def test_the_overlap_example_of_slicm_is_explained():
    # Table 3 of the SL-ICM paper, "overlap", prediction A: .979
    gold, pred = (labelled(x) for x in ([(0, 7), (9, 13), (19, 23)], [(0, 6), (9, 13), (19, 23)]))
    slicm = explain_document(one_document(gold, pred, 30), "doc")["labels"][1]["slicm"]
    assert f"{slicm['normalised']:.3f}" == "0.979"
    assert (slicm["bits"]["lost"], slicm["bits"]["noise"]) == pytest.approx((1 / 7, 0))


def test_coverage_is_that_of_all_placements():
    gold, pred = labelled([(0, 2), (3, 4)]), labelled([(1, 3)])
    (unit,) = explain_document(one_document(gold, pred, 5), "doc")["labels"][1]["units"]
    share = [0.0] * 5
    for probability, spans in oracles.placements_disjoint(5, (2, 1)):
        for start, end in spans:
            for place in range(start, end):
                share[place] += float(probability)
    assert unit["gold"]["covered"] == pytest.approx(share)


# --- what is said of spans


def test_spans_that_fit_no_tokens_count_as_predicted():
    gold = Corpus("f", [Document("abc", {"x": [(0, 1, "A")]}, "d")])
    pred = Corpus("f", [Document("abc", {"x": []}, "d", unplaced={"x": [(2, "A")]})])
    found = explain_document(CorpusPair(gold, "x", pred, "x", ("g", "p")), "d")["labels"][1]
    assert found["unplaced"] == {"gold": [], "pred": [2]}
    assert found["span"]["observed"]["pred"] == 1
    assert found["slicm"]["bits"]["noise"] == 1.5


def test_nested_spans_with_another_encoding_say_why_nothing_is_expected():
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    model = Model("nested", encoding="BIO")
    token = explain_document(both, "doc", model=model)["labels"][0]["token"]
    assert (token["expected"], token["reason"]) == (None, DRAWN)
    assert token["scores"]["f"]["corrected"] is None
    level = explain_corpus(both, model=model)["levels"]["token"]
    assert (level["documents"], level["total"]["reason"]) == ([], DRAWN)


def test_labels_can_be_chosen():
    both = one_document([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A"), (4, 5, "C")], 6)
    found = explain_document(both, "doc", labels=["A"])["labels"]
    assert [one["label"] for one in found] == [None, "A"]
    assert found[0]["span"]["observed"] == {"gold": 1, "pred": 1, "matches": 1}
    labels = explain_corpus(both, labels=["A", "C"])["levels"]["span"]["by_label"]
    assert sorted(row["label"] for row in labels) == ["A", "C"]


# --- errors


def test_an_unknown_document_is_an_error_that_names_close_ones():
    with pytest.raises(ValueError, match=r"no document 'news-8'.*'news-7'.*from 1 to 1"):
        explain_document(one_document([], [], 3, "news-7"), "news-8")


def test_a_document_that_one_side_did_not_see_has_no_score():
    gold = Corpus("f", [Document("abc", {"x": [(0, 1, "A")]}, "d")])
    pred = Corpus("f", [Document("abc", {"x": None}, "d")])
    both = CorpusPair(gold, "x", pred, "x", ("g", "p"))
    with pytest.raises(ValueError, match="not annotated in both gold and prediction"):
        explain_document(both, "d")
    with pytest.raises(ValueError, match="no document is annotated in both gold and prediction"):
        explain_corpus(both)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"chance": "none"}, "without a chance model"), ({"unit": "page"}, "unit is 'page'")],
)
def test_a_model_that_is_none_is_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        Model(**options)


def test_overlapping_spans_need_another_model():
    both = one_document(labelled([(0, 3), (1, 4)]), [], 6)
    with pytest.raises(ValueError, match="use chance=overlapping"):
        explain_document(both, "doc")


def test_an_unknown_label_is_an_error():
    with pytest.raises(ValueError, match="no label 'Z'"):
        explain_document(one_document([(0, 1, "A")], [], 6), "doc", labels=["Z"])
