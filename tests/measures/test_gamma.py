"""Gamma against pygamma-agreement called by hand, and the laws of the catalog on small corpora."""

import logging
import random
import sys
import warnings
from functools import reduce
from operator import add

import numpy as np
import pytest

from helpers.extras import needs
from spacy_chance_eval import CATALOG, Resampling, Spans, agree, parse, request
from spacy_chance_eval.measures.gamma import LIMIT, disorders, document_seed, gamma, gamma_parts

# the package compiles itself for ten seconds when it is imported
pytestmark = [pytest.mark.integration, needs("pygamma_agreement", "gamma")]

FEW = {"samples": 4}
ALICE = [[(0, 3, "A"), (5, 8, "A"), (9, 11, "B")], [(1, 2, "B")], []]
BOB = [[(0, 4, "A"), (5, 8, "B")], [(2, 4, "A"), (5, 6, "A")], []]
CAROL = [[(1, 3, "A"), (5, 8, "A"), (9, 11, "A")], None, []]
TEAM = (ALICE, BOB, CAROL)
SIZES = [12, 7, 3]


def team(*documents, sizes=None, labels=("A", "B")):
    sizes = SIZES[: len(documents[0])] if sizes is None else sizes
    return [Spans.from_tuples(side, sizes, labels) for side in documents]


def part(docs, documents=TEAM):
    """The team on some of the documents."""
    return team(*([side[d] for d in docs] for side in documents), sizes=[SIZES[d] for d in docs])


def value(annotators, **options):
    return float(gamma(disorders(annotators, **FEW | options).total().pooled())[0])


def by_hand(sides, seed, samples, position_weight=1.0, label_weight=1.0):
    """What the package says of one document; annotators and labels as they come."""
    import pygamma_agreement as package
    from pyannote.core import Segment  # comes with it

    continuum = package.Continuum()
    for name, side in zip("abc", sides):
        continuum.add_annotator(name)
        for start, end, label in side:
            continuum.add(name, Segment(start, end), label)
    np.random.seed(seed)
    dissimilarity = package.CombinedCategoricalDissimilarity(
        alpha=position_weight, beta=label_weight
    )
    return continuum.compute_gamma(dissimilarity, n_samples=samples)


# The package sorts annotators and labels by name. Here that is the order of their units and of
# their frequency, so that it draws what we draw.
NUMBERED = [
    [[(0, 3, 0), (5, 8, 0), (9, 11, 1)], [(0, 4, 0), (5, 8, 1)], [(1, 3, 0), (5, 8, 0)]],
    [[], [(2, 5, 0)], [(2, 6, 0), (8, 9, 1)]],
]


@pytest.mark.parametrize("sides", NUMBERED)
@pytest.mark.parametrize("weights", [{}, {"position_weight": 3.0, "label_weight": 0.5}])
def test_one_document_has_the_gamma_of_the_package(sides, weights):
    named = [[(start, end, "AB"[label]) for start, end, label in side] for side in sides]
    expected = by_hand(named, document_seed(sides, 7), 6, **weights)
    found = disorders(team(*([side] for side in named)), samples=6, seed=7, **weights).total()
    assert float(gamma(found.pooled())[0]) == pytest.approx(float(expected.gamma), abs=1e-6)
    both = [float(x[0]) for x in gamma_parts(found.pooled())]
    assert both == pytest.approx([expected.observed_disorder, expected.expected_disorder], rel=1e-6)


def test_a_disorder_worked_out_by_hand():
    # two units of 2 tokens, one token apart: ((1 + 1) / 4)^2; another label: 1 more
    found = disorders(team([[(0, 2, "A")]], [[(1, 3, "B")]], sizes=[5]), **FEW).total().pooled()
    assert gamma_parts(found)[0].tolist() == pytest.approx([1.25])


def test_a_corpus_weighs_its_documents_by_units_per_annotator():
    rows = disorders(team(*TEAM), **FEW).pooled()
    assert rows.units[:, 0].tolist() == pytest.approx([8 / 3, 3 / 2, 0])
    single = [disorders(part([d]), **FEW).total().pooled() for d in (0, 1)]
    observed, expected = zip(*([float(x[0]) for x in gamma_parts(one)] for one in single))
    weights = 8 / 3, 3 / 2
    corpus = 1 - np.dot(weights, observed) / np.dot(weights, expected)
    assert value(team(*TEAM)) == pytest.approx(corpus)


def test_documents_that_one_annotator_saw_count_nothing():
    alone = [(0, 2, "A")]
    more = team(
        *([*side, seen] for side, seen in zip(TEAM, (alone, None, None))), sizes=[*SIZES, 4]
    )
    assert value(more) == value(team(*TEAM))


def test_an_annotator_who_saw_and_marked_nothing_disagrees():
    sides = [(0, 3, "A"), (5, 6, "B")], [(0, 3, "A"), (5, 7, "B")]
    unseen, empty = (
        disorders(team(*([side] for side in (*sides, third)), sizes=[9]), **FEW).pooled()
        for third in (None, [])
    )
    assert gamma_parts(empty)[0][0, 0] > gamma_parts(unseen)[0][0, 0]


def test_without_units_it_is_undefined():
    assert np.isnan(value(team([[]], [[]])))


def test_where_samples_cannot_disagree_it_is_undefined():
    assert np.isnan(value(team([[(0, 2, "A")]], [[(0, 2, "A")]])))


def test_identity_is_one():
    assert value(team(ALICE, ALICE, ALICE)) == pytest.approx(1)


def test_labels_are_undefined():
    assert np.isnan(gamma(disorders(team(*TEAM), **FEW).total().by_label())).all()


def test_labels_have_their_own_weight():
    one, two = team([[(0, 3, "A"), (5, 8, "B")]], [[(0, 3, "A"), (5, 8, "A")]])
    low, high = (disorders([one, two], **FEW, label_weight=w).total().pooled() for w in (0.5, 1.5))
    assert [float(gamma_parts(one)[0][0]) for one in (low, high)] == pytest.approx([0.25, 0.75])


# --- order, names, sums


def test_the_order_of_documents_and_annotators_is_irrelevant():
    assert value(part([2, 1, 0], TEAM[::-1])) == pytest.approx(value(team(*TEAM)), rel=1e-9)


@pytest.mark.parametrize("names", [("Z", "B"), ("B", "A")])
def test_the_names_of_labels_are_irrelevant(names):
    renamed = [
        [side and [(*span[:2], names["AB".index(span[2])]) for span in side] for side in one]
        for one in TEAM
    ]
    other = team(*renamed, labels=(*names, "unused"))
    assert value(other) == pytest.approx(value(team(*TEAM)), rel=1e-9)


def test_shards_add_up():
    parts = [disorders(part(docs), **FEW).total() for docs in ([0], [1, 2])]
    whole, merged = disorders(team(*TEAM), **FEW).total(), reduce(add, parts)
    for one, two in zip(vars(whole).values(), vars(merged).values(), strict=True):
        for name in vars(one):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12)


# --- random numbers and what else the package would leave behind


def test_equal_seeds_give_equal_values_and_others_do_not():
    one, same, other = (value(team(ALICE, BOB), seed=seed) for seed in (1, 1, 2))
    assert one == same != other


def test_global_random_states_stay_as_they_were():
    np.random.seed(3)
    random.seed(3)
    before = np.random.get_state()[1].tolist(), random.getstate()
    value(team(ALICE, BOB))
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before


def test_global_random_states_come_back_after_a_failure(monkeypatch):
    before = np.random.get_state()[1].tolist()

    def failing(*_, **__):
        raise AssertionError("no alignment")

    monkeypatch.setattr("pygamma_agreement.Continuum.compute_gamma", failing)
    with pytest.raises(ValueError, match="cannot align the units: no alignment"):
        value(team(ALICE, BOB))
    assert np.random.get_state()[1].tolist() == before


def test_the_package_says_nothing_and_sets_nothing_up(capfd):
    root = logging.getLogger()
    before = list(root.handlers), list(root.filters), root.level
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value(team(ALICE, BOB), samples=20)
    assert capfd.readouterr() == ("", "")
    assert (root.handlers, root.filters, root.level) == before


# --- errors


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygamma_agreement", None)
    with pytest.raises(ValueError, match=r"pip install 'spacy-chance-eval\[gamma\]'"):
        value(team(ALICE, BOB))


def test_too_many_units_are_refused_before_any_work():
    many = [[(i, i + 1, "A") for i in range(1000)]]
    assert 1001**2 > LIMIT
    with pytest.raises(ValueError, match="document 1: 2 annotators with up to 1000 spans"):
        disorders(team(many, many, sizes=[1000]))


# --- in the catalog


def test_the_catalog_marks_it_as_slow():
    assert [name for name, metric in CATALOG.items() if metric.slow] == ["gamma"]
    assert CATALOG["gamma"].swapped == "gamma"


def test_its_parameters_are_read_from_texts():
    asked = parse("gamma(samples=4,label_weight=2)")
    assert str(asked) == "gamma(label_weight=2.0,position_weight=1.0,samples=4,seed=0)"


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"samples": 2.5}, {"seed": -1}, {"seed": "x"}])
def test_whole_numbers_are_checked(wrong):
    (name, number), *_ = wrong.items()
    with pytest.raises(ValueError, match=f"{name} is {number!r}; expected a whole number"):
        request("gamma", **wrong)


def test_agree_shows_it_for_pairs_and_the_team_with_intervals():
    names = dict(zip(("alice", "bob", "carol"), team(*TEAM)))
    found = agree(names, ["gamma(samples=4)"], intervals=Resampling(50))["gamma(samples=4)"]
    assert found["team"]["value"] == pytest.approx(value(team(*TEAM)))
    assert found["team"]["interval"][0] <= found["team"]["interval"][1]
    observed, expected = found["team"]["observed"], found["team"]["expected"]
    corrected = (observed - expected) / (1 - expected)
    assert found["team"]["value"] == pytest.approx(corrected)
    assert found["pairs"][0]["value"] == pytest.approx(value(team(ALICE, BOB)))
    assert all(row["team"]["value"] is None for row in found["per_label"])


def test_labels_have_no_gamma_and_the_reason_says_so():
    found = agree(team(ALICE, BOB), ["gamma(samples=5)"], intervals=Resampling(0))
    rows = found["gamma(samples=5)"]["per_label"]
    assert rows
    assert {row["mean"]["reason"] for row in rows} == {"it is of all labels together"}
