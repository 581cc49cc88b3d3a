"""Agreement on items: against loops over items and pairs, other programs, and papers."""

from itertools import zip_longest
from operator import mul

import numpy as np
import pytest
from hypothesis import given

from helpers import nominal_oracles as oracles
from helpers.cases import each_case
from helpers.nominal_oracles import RATINGS, binary, panels
from helpers.strategies import LABELS
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.items import (
    coincidences,
    label_confusion,
    labelled,
    team_confusion,
    unlabelled,
    weighted_coincidences,
)
from spacy_chance_eval.measures.matching import f_score
from spacy_chance_eval.measures.nominal import (
    bias_index,
    davies_fleiss,
    fleiss_cuzick,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    observed_agreement,
    pabak,
    percent_agreement,
    prevalence_index,
)
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.stats import chance_corrected, ratio

SCORES = {
    observed_agreement: (team_confusion, oracles.observed_agreement),
    davies_fleiss: (team_confusion, oracles.davies_fleiss),
    fleiss_kappa: (team_confusion, oracles.fleiss_kappa),
    percent_agreement: (coincidences, oracles.percent_agreement),
    fleiss_cuzick: (coincidences, oracles.fleiss_cuzick),
    krippendorff_alpha: (coincidences, oracles.krippendorff_alpha),
    gwet_ac1: (coincidences, oracles.gwet),
    gwet_ac2: (weighted_coincidences, oracles.gwet),
}
VALUES = (
    observed_agreement,
    percent_agreement,
    bias_index,
    prevalence_index,
)  # not parts of a coefficient
name = lambda function: function.__name__  # noqa: E731
kinds = pytest.mark.parametrize("items", RATINGS)
scores = pytest.mark.parametrize("score", SCORES, ids=name)


def score_of(parts, statistics):
    """The coefficient of parts, or the value itself."""
    found = parts(statistics)
    if parts in VALUES:
        return found
    if parts is krippendorff_alpha:
        return 1 - ratio(*found)
    return chance_corrected(*found)


def raw(sides):
    """`Spans` of documents with one position each: rows of values, None for no rating."""
    labels = sorted({str(value) for side in sides for value in side if value is not None})
    docs = [[None if v is None else [(0, 1, str(v))] for v in side] for side in sides]
    return [Spans.from_tuples(side, [1] * len(side), labels) for side in docs]


def of(score, sides, **options):
    """The score of rows of values, one row per annotator, as a number."""
    count, _ = SCORES.get(score, (label_confusion, None))
    team = raw(sides)
    statistics = count(*team, **options) if count is label_confusion else count(team, **options)
    return score_of(score, statistics.total().pooled()).item()


def numbers(values):
    return np.array([np.nan if value is None else float(value) for value in values])


def scored(score, team, **options):
    """The score of all labels together and of each, of a team."""
    total = SCORES[score][0](align_panel(team), **options).total()
    return np.concatenate([score_of(score, side) for side in (total.pooled(), total.by_label())])


# --- the loops of the oracles


@kinds
@scores
@given(panel=panels())
def test_coefficients_are_those_of_the_oracle(score, items, panel):
    oracle = SCORES[score][1]
    rows = [item for _, item in RATINGS[items](panel.sides, panel.sizes)]
    expected = numbers([oracle(rows), *(oracle(binary(rows, label)) for label in LABELS)])
    np.testing.assert_allclose(scored(score, panel.team(), items=items), expected, atol=1e-9)


@kinds
@given(panel=panels(most=2))
def test_specific_agreement_is_that_of_the_oracle(items, panel):
    rows = [item for _, item in RATINGS[items](panel.sides, panel.sizes)]
    for count, present in ((labelled, True), (unlabelled, False)):
        expected = [oracles.specific_agreement(binary(rows, x), present) for x in LABELS]
        found = f_score(count(*panel.team(), items=items).total())
        np.testing.assert_allclose(found, numbers(expected), atol=1e-12)


# --- other programs. They call one value for all 1; we say nan, so such data is left out.


def ratings_at_random(seed, n_annotators=2, missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 30)
    draw = rng.integers(0, 4, (n_annotators, 30))
    table = np.where(rng.random((n_annotators, 30)) < 0.6, truth, draw)
    gone = rng.random((n_annotators, 30)) < missing
    return [[None if no else int(x) for x, no in zip(*row)] for row in zip(table, gone)]


@pytest.mark.integration
@each_case("seed", range(5))
def test_coefficients_are_those_of_nltk(seed):
    agreement = pytest.importorskip("nltk.metrics").agreement
    two, four = ratings_at_random(seed), ratings_at_random(seed, 4)
    task = lambda sides: agreement.AnnotationTask(  # noqa: E731
        [(j, i, value) for j, side in enumerate(sides) for i, value in enumerate(side)]
    )
    expected = [task(two).kappa(), task(two).pi(), task(four).multi_kappa(), task(four).pi()]
    expected += [task(four).alpha(), task(four).avg_Ao()]
    actual = [of(davies_fleiss, two), of(fleiss_kappa, two), of(davies_fleiss, four)]
    actual += [of(score, four) for score in (fleiss_kappa, krippendorff_alpha, percent_agreement)]
    np.testing.assert_allclose(actual, expected, atol=1e-12)


@each_case("seed", range(5))
def test_alpha_is_that_of_krippendorffs_package_with_missing_values(seed):
    krippendorff = pytest.importorskip("krippendorff")
    sides = ratings_at_random(seed, 4, missing=0.4)
    data = [[np.nan if x is None else x for x in side] for side in sides]
    counts = [[column.count(k) for k in range(4)] for column in zip(*sides)]
    expected = krippendorff.alpha(data, level_of_measurement="nominal")
    by_counts = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    assert of(krippendorff_alpha, sides) == pytest.approx(expected, abs=1e-12)
    assert of(krippendorff_alpha, sides) == pytest.approx(by_counts, abs=1e-12)


# --- published numbers


def from_matrix(matrix):
    """Ratings of two annotators with this confusion matrix."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    return [list(side) for side in zip(*cells)]


@each_case("seed", range(6))
def test_byrts_indices_are_those_of_the_table(seed):
    table = np.random.default_rng(seed).integers(0, 9, (2 + seed % 3,) * 2)
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    sides, k = from_matrix(table.tolist()), (rows + columns > 0).sum()
    assert of(pabak, sides) == pytest.approx((k * np.trace(table) / total - 1) / (k - 1))
    assert of(bias_index, sides) == pytest.approx(np.abs(rows - columns).sum() / (2 * total))
    if len(table) == 2:
        expected = abs(table[0, 0] - table[1, 1]) / total
        assert of(prevalence_index, sides) == pytest.approx(expected)


# Fleiss (1971), table 1: diagnoses of 30 patients by 6 psychiatrists each, sorted within patients
DIAGNOSES = """
    444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
    144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
    555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
# the example of Wikipedia's article on Fleiss' kappa: how many of 14 raters gave each value
SUBJECTS = (
    "0 0 0 0 14, 0 2 6 4 2, 0 0 3 5 6, 0 3 9 2 0, 2 2 8 1 1, 7 7 0 0 0, 3 2 6 3 0, 2 5 3 2 2, "
    "6 5 2 1 0, 0 2 2 3 7"
)
# Stata's manual, [R] kappa, example with two outcomes and a varying number of raters, after Fleiss,
# Levin and Paik (2003), page 612: numbers of raters, and of those who said yes, of 25 subjects
YES = "22 20 32 43 33 41 30 50 20 44 55 33 44 43 20 22 31 21 41 54 32 40 30 33 22"
# Krippendorff's 12 units by 4 observers; Gwet (2014) uses them, too (irrCAC 1.0, cac.raw4raters)
UNITS = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3.".split()
OBSERVERS = [[None if x == "." else x for x in side] for side in zip(*UNITS)]


@pytest.mark.parametrize(
    ("sides", "values"),
    [
        # Gwet (2008): two raters, 125 persons, 118 of them diagnosed alike
        (from_matrix([[118, 5], [2, 0]]), {gwet_ac1: "0.9408", davies_fleiss: "-0.0234"}),
        # the sorted columns as raters: R package irr, kappam.fleiss(diagnoses, exact=TRUE)
        (
            zip(*DIAGNOSES.split()),
            {fleiss_kappa: "0.430", davies_fleiss: "0.442", fleiss_cuzick: "0.430"},
        ),
        (
            zip(
                *("".join(map(mul, "abcde", map(int, row.split()))) for row in SUBJECTS.split(","))
            ),
            {fleiss_kappa: "0.210"},
        ),
        (
            zip_longest(*("y" * int(yes) + "n" * (int(m) - int(yes)) for m, yes in YES.split())),
            {fleiss_cuzick: "0.5415"},
        ),
        # Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C
        (OBSERVERS, {krippendorff_alpha: "0.743", gwet_ac1: "0.775"}),
    ],
    ids=["Gwet", "Fleiss", "Wikipedia", "Stata", "Krippendorff"],
)
def test_published_examples_have_their_values(sides, values):
    sides = list(sides)
    for score, value in values.items():
        digits = len(value.partition(".")[2])
        assert f"{of(score, sides):.{digits}f}" == value


@pytest.mark.parametrize(
    ("weights", "observed", "expected", "value"),
    [
        # tests of irrCAC for Python, test_gwet.py: pa, pe and the coefficient. The unit with one
        # rating counts in pe; here it is there, since `raw` does not align the observers.
        ("identity", 0.818, 0.190, 0.775),
        ("linear", 0.939, 0.571, 0.859),
        ("quadratic", 0.975, 0.714, 0.914),
    ],
)
def test_gwets_coefficients_of_the_same_data(weights, observed, expected, value):
    total = weighted_coincidences(raw(OBSERVERS), weights=weights).total().pooled()
    found = [*gwet_ac2(total), score_of(gwet_ac2, total)]
    assert np.ravel(found).round(3).tolist() == [observed, expected, value]


# --- closeness


@given(panel=panels())
def test_ac2_with_a_table_is_that_of_the_oracle(panel):
    near = {("LOC", "ORG"): 0.5, ("PER", None): 0.25, (("ORG", "LOC"), "LOC"): 0.75}
    close = {(("LOC",), ("ORG",)): 0.5, ((), ("PER",)): 0.25, (("LOC",), ("LOC", "ORG")): 0.75}
    total = weighted_coincidences(align_panel(panel.team()), weights=near).total().pooled()
    rows = [item for _, item in RATINGS["token"](panel.sides, panel.sizes)]
    value = oracles.gwet(rows, lambda a, b: 1 if a == b else close.get(tuple(sorted([a, b])), 0))
    np.testing.assert_allclose(score_of(gwet_ac2, total), numbers([value]), atol=1e-9)


@each_case(
    ("label", "weights", "message"),
    [
        (
            "1",
            "linear",
            r"document 1 has an item with the value \(no label\); weights='linear' needs",
        ),
        (
            "1",
            "ordinal",
            "weights are 'ordinal'; expected one of identity, linear, quadratic, or a map",
        ),
        ("1", {"1": 0.5}, r"weights have the key '1'; expected pairs \(label, label\)"),
        ("1", {("1", "2"): 1.5}, "is 1.5; expected a number from 0 to 1"),
        ("1", {("1", "1"): 0.5}, "a label is as close as 1 to itself"),
        ("1", {("1", "2"): 0.5, ("2", "1"): 0.25}, "given twice and differs"),
        ("one", "linear", "the value one; weights='linear' needs one label"),
        ("nan", "linear", "the value nan; weights='linear' needs one label"),
        ("inf", "linear", "the value inf; weights='linear' needs one label"),
    ],
)
def test_wrong_weights_are_told(label, weights, message):
    size = 2 if label == "1" else 1
    team = [Spans.from_tuples([[(0, 1, label)]], [size])] * 2
    with pytest.raises(ValueError, match=message):
        weighted_coincidences(team, weights=weights)


# --- counts of pairs and teams


@given(panel=panels(most=2))
def test_of_two_annotators_coefficients_of_teams_are_those_of_pairs(panel):
    team = align_panel(panel.team())
    pair, several = label_confusion(*panel.team()).total(), team_confusion(team).total()
    for side in ("pooled", "by_label"):
        one, two = (getattr(total, side)() for total in (pair, several))
        np.testing.assert_allclose(davies_fleiss(one), davies_fleiss(two), atol=1e-9)
        np.testing.assert_allclose(fleiss_kappa(one), fleiss_kappa(two), atol=1e-9)
    found = percent_agreement(coincidences(team).total().by_label())
    np.testing.assert_allclose(observed_agreement(several.by_label()), found, atol=1e-9)


def test_whole_numbers_of_equal_weights_add_up():
    team = [Spans.from_tuples([[(0, 1, label)]], [1], ["1", "2"]) for label in "12"]
    for side in (team_confusion(team).whole, team_confusion(team).labels):
        assert {array.dtype for array in vars(side).values()} == {np.dtype(np.int64)}
    one, two = (
        weighted_coincidences(team, weights=weights) for weights in ({("1", "2"): 0.5}, "linear")
    )
    with pytest.raises(ValueError, match="different closeness do not add up"):
        one + two


NOTHING = [[None], [None]], [[[]], [None]], [[], []], [[[(0, 1, "X")]]]


@scores
@each_case("team", [*NOTHING, *([[[(0, 9, "X")][:m]]] * n for n in (2, 3, 7) for m in (0, 1))])
def test_agreement_without_items_others_or_a_second_value_is_undefined(score, team):
    found = scored(score, [Spans.from_tuples(side, [9] * len(side), ["X"]) for side in team])
    if team in NOTHING or score not in (observed_agreement, percent_agreement):
        assert np.isnan(found).all()


def test_two_who_use_one_value_each_have_a_kappa_of_0():
    team = [Spans.from_tuples([doc], [5], ["X"]) for doc in ([(0, 5, "X")], [])]
    total = label_confusion(*team).total().pooled()
    assert [part.tolist() for part in davies_fleiss(total)] == [[0.0], [0.0]]
    assert [part.tolist() for part in fleiss_kappa(total)] == [[0.0], [0.5]]
    assert score_of(fleiss_kappa, total).tolist() == [-1.0]
