"""The slow versions reproduce the published numbers, so that the fast ones may be held to them."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial

import pytest

from helpers import oracles
from helpers.cases import each_case
from helpers.published import rows, runs

SMALL = [
    (n, lengths)
    for n in range(1, 10)
    for k in range(1, 4)
    for lengths in combinations_with_replacement(range(1, n + 1), k)
    if sum(lengths) <= n
]


def inclusive(text):
    """Return the labelled spans of a cell such as "1-3 10-13"."""
    pairs = (part.split("-") for part in text.split())
    return [(int(first), int(last) + 1, "X") for first, last in pairs]


# "Estimating Agreement by Chance for Sequence Annotation", simulations 1 to 4 (chance.csv).


def simulated(row):
    """Return observed, expected and corrected token F1, exactly."""
    gold, other = runs(row["gold"]), runs(row["other"])
    n = len(row["gold"])
    covered = [oracles.formula_coverage(n, oracles.lengths_of(spans)) for spans in (gold, other)]
    matched = sum(x * y for x, y in zip(*covered, strict=True))
    corpora = [[(s, e, "X") for s, e in spans] for spans in (gold, other)]
    gold_mass, recalled, pred_mass, correct = oracles.token_masses(*([c] for c in corpora))
    observed = oracles.f_beta((gold_mass, recalled, pred_mass, correct))
    by_chance = oracles.f_beta((gold_mass, matched, pred_mass, matched))
    return observed, by_chance, oracles.chance_corrected(observed, by_chance)


@each_case("row", rows("chance.csv"))
def test_the_simulations_give_the_printed_agreement(row):
    printed = [row[column] for column in ("observed", "expected", "corrected")]
    assert [f"{float(x):.4f}" for x in simulated(row)] == printed


def test_the_last_simulation_is_printed_truncated():
    observed, _, corrected = simulated(rows("chance.csv")[-1])
    assert int(observed * 10**4) == 6808
    assert int(corrected * 10**4) == 3005


def test_correction_reverses_the_order_of_the_two_annotators():
    short, long = (simulated(row) for row in rows("chance.csv")[-2:])
    assert short[0] < long[0]
    assert short[2] > long[2]


@pytest.mark.parametrize("row", rows("chance_overlap.csv"), ids=lambda row: row["case"])
def test_the_simulations_give_the_overlap_expected_of_overlapping_spans(row):
    n, shapes = (
        len(row["gold"]),
        [oracles.lengths_of(runs(row[side])) for side in ("gold", "other")],
    )
    overlap = oracles.additive(oracles.overlap_phi)
    single = [[list(oracles.placements_overlapping(n, [x])) for x in shape] for shape in shapes]
    matched = sum(oracles.expected(overlap, x, y) for x in single[0] for y in single[1])
    total = sum(map(sum, shapes))
    assert f"{float(2 * matched / total):.6f}" == row["expected"]


# The random annotation model: the formula against the enumeration.


@each_case("n", range(1, 10))
def test_the_formula_gives_the_start_probabilities_of_the_enumeration(n):
    for size, lengths in SMALL:
        if size == n:
            placements = list(oracles.placements_disjoint(n, lengths))
            for i in range(len(lengths)):
                assert oracles.start_probabilities(placements, i, n) == [
                    oracles.formula_start_probability(start, i, n, lengths)
                    for start in range(1, n + 1)
                ]
            assert oracles.coverage(placements, n) == oracles.formula_coverage(n, lengths)


def test_there_are_as_many_disjoint_placements_as_the_paper_counts():
    for n, lengths in SMALL:
        a, k = sum(lengths), len(lengths)
        count = Fraction(factorial(n - a + k), factorial(n - a))
        assert len(list(oracles.placements_disjoint(n, lengths))) == count


def test_start_probabilities_sum_to_one_and_coverage_to_the_covered_tokens():
    for n, lengths in [*SMALL, (40, (1, 5, 10, 15)), (31, (1, 5, 10, 15))]:
        for i in range(len(lengths)):
            starts = range(1, n + 1)
            assert sum(oracles.formula_start_probability(t, i, n, lengths) for t in starts) == 1
        assert sum(oracles.formula_coverage(n, lengths)) == sum(lengths)


def test_starts_and_coverage_are_symmetric():
    for n, lengths in [*SMALL, (40, (1, 5, 10, 15)), (31, (1, 5, 10, 15))]:
        for i, length in enumerate(lengths):
            starts = [
                oracles.formula_start_probability(t, i, n, lengths)
                for t in range(1, n - length + 2)
            ]
            assert starts == starts[::-1]
        covered = oracles.formula_coverage(n, lengths)
        assert covered == covered[::-1]


def test_starts_are_flat_in_the_middle():
    for n, lengths in [*SMALL, (70, (1, 5, 10, 15))]:  # Proposition 3
        for i, length in enumerate(lengths):
            first, last = sum(lengths) - length - len(lengths) + 2, n - sum(lengths) + len(lengths)
            middle = {
                oracles.formula_start_probability(t, i, n, lengths) for t in range(first, last + 1)
            }
            assert len(middle) <= 1, (n, lengths, i)


def test_the_first_start_of_figure_1_has_probability_one_in_73():
    for i in range(4):
        assert oracles.formula_start_probability(1, i, 100, (1, 5, 10, 15)) == Fraction(1, 73)


def test_expected_exact_matches_follow_from_the_start_probabilities():
    for n, ours, theirs in [(7, (1, 2), (2, 2)), (8, (1, 1, 3), (3, 1)), (6, (2,), (3,))]:
        counted = oracles.expected(
            oracles.matching_spans,
            oracles.placements_disjoint(n, ours),
            oracles.placements_disjoint(n, theirs),
        )
        assert counted == sum(
            oracles.formula_start_probability(t, i, n, ours)
            * oracles.formula_start_probability(t, j, n, theirs)
            for i, length in enumerate(ours)
            for j, other in enumerate(theirs)
            for t in range(1, n + 1)
            if length == other
        )


def test_expected_shared_tokens_follow_from_the_coverage():
    for model in (oracles.placements_disjoint, oracles.placements_overlapping):
        ours, theirs = (list(model(7, lengths)) for lengths in ((1, 3), (2, 2)))
        covered = oracles.coverage(ours, 7), oracles.coverage(theirs, 7)
        assert oracles.expected(oracles.shared_tokens, ours, theirs) == sum(
            x * y for x, y in zip(*covered, strict=True)
        )


def test_a_token_escapes_overlapping_spans_independently():
    n, lengths = 7, (2, 3, 3)
    single = [oracles.coverage(oracles.placements_overlapping(n, [x]), n) for x in lengths]
    assert oracles.coverage(oracles.placements_overlapping(n, lengths), n) == [
        1 - (1 - single[0][t]) * (1 - single[1][t]) * (1 - single[2][t]) for t in range(n)
    ]


def test_probabilities_of_nested_placements_sum_to_one():
    forest = ((4, ((1, ()), (2, ((1, ()),)))), (1, ()))
    placements = list(oracles.placements_nested(7, forest))
    assert sum(probability for probability, _ in placements) == 1
    assert len(set(placements)) == len(placements) == 12 * 6 * 2


def test_nested_placements_keep_the_forest():
    forest = ((4, ((1, ()), (2, ((1, ()),)))), (1, ()))

    def heights(nodes):
        return sorted((length, heights(children)) for length, children in nodes)

    for _, spans in oracles.placements_nested(7, forest):
        assert heights(oracles.forest_of(spans)) == heights(forest)


def test_nested_placements_without_children_are_the_disjoint_ones():
    forest = tuple((length, ()) for length in (1, 2, 2))
    assert list(oracles.placements_nested(8, forest)) == list(
        oracles.placements_disjoint(8, (1, 2, 2))
    )


def test_crossing_spans_have_no_forest():
    with pytest.raises(AssertionError, match="crossed"):
        oracles.forest_of([(0, 3), (2, 5)])


def test_annotations_that_fill_the_text_have_no_agreement_beyond_chance():
    gold = pred = [[(0, 2, "X"), (2, 3, "X")]]
    expected = oracles.expected_in_corpus(
        oracles.shared_tokens, gold, pred, [3], oracles.placements_disjoint
    )
    assert expected == 3
    assert (
        oracles.chance_corrected(oracles.f_beta((3, 3, 3, 3)), oracles.f_beta((3, 3, 3, 3))) is None
    )


# Amigó et al., "Evaluating Sequence Labeling on the basis of Information Theory", tables 2 and 3.

COLUMNS = {
    "span_f": oracles.span_masses,
    "token_io": oracles.token_masses,
    "token_bioe": lambda gold, pred: oracles.token_masses(gold, pred, "BIOE"),
    "link": oracles.link_masses,
    "bcubed": oracles.bcubed_masses,
    "int_f": oracles.int_masses,
}
EXAMPLES = {row["property"]: row for row in rows("slicm_table2.csv")}


@each_case("system", "AB")
@each_case("row", rows("slicm_table3.csv"))
def test_every_cell_of_table_3(row, system):
    gold, pred = ([inclusive(EXAMPLES[row["property"]][side])] for side in ("gold", system))
    if row["column"] == "slicm":
        value = oracles.slicm(gold, pred, [40])["normalised"]
    else:
        value = oracles.f_beta(COLUMNS[row["column"]](gold, pred))
    assert f"{float(value):.3f}" == f"{float(row[system]):.3f}"


def test_table_3_is_complete():
    columns = {*COLUMNS, "slicm"}
    cells = {(row["property"], row["column"]) for row in rows("slicm_table3.csv")}
    assert cells == {(name, column) for name in EXAMPLES for column in columns}
    assert len(EXAMPLES) == 10


# What the tables leave open.


@pytest.mark.parametrize(
    ("encoding", "items"),
    [
        ("IO", {(1, "I"), (2, "I"), (3, "I"), (5, "I")}),
        ("BIO", {(1, "B"), (2, "I"), (3, "I"), (5, "B")}),
        ("BIOE", {(1, "B"), (2, "I"), (3, "E"), (5, "B")}),
        ("IO*", {(1, "I"), (2, "I"), (3, "I"), (5, "I"), (1, "gap"), (2, "gap")}),
    ],
)
def test_token_items_of_each_encoding(encoding, items):
    assert oracles.token_items([(1, 4), (5, 6)], encoding) == items


def test_f_is_zero_with_one_side_empty_and_undefined_with_both():
    gold = [[(0, 1, "X")]]
    for count in COLUMNS.values():
        assert oracles.f_beta(count(gold, [[]])) == oracles.f_beta(count([[]], gold)) == 0
        assert oracles.f_beta(count([[]], [[]])) is None
        assert oracles.precision(count(gold, [[]])) is None
        assert oracles.recall(count([[]], gold)) is None


def test_a_span_inside_two_gold_spans_is_not_right_twice():
    gold, pred = [[(0, 3, "X"), (0, 4, "X")]], [[(0, 2, "X")]]
    assert oracles.int_masses(gold, pred) == (2, Fraction(2, 3) + Fraction(2, 4), 1, 1)


def test_overlapping_spans_of_one_label_pool_their_tokens():
    gold, pred = [[(0, 2, "X"), (1, 3, "X")]], [[(0, 3, "X")]]
    assert oracles.token_masses(gold, pred) == (3, 3, 3, 3)
    assert oracles.link_masses(gold, pred) == (5, 5, 6, 5)
    # Neighbours in gold: 2, 3 and 2 tokens, all of them in the one predicted span.
    assert oracles.bcubed_masses(gold, pred) == (3, 3, 3, Fraction(2 + 3 + 2, 3))


def test_labels_are_summed_before_the_division():
    gold, pred = [[(0, 2, "X"), (3, 4, "Y")]], [[(0, 2, "X"), (3, 4, "X")]]
    assert oracles.span_masses(gold, pred) == (2, 1, 2, 1)
    assert oracles.span_masses(gold, pred, label="X") == (1, 1, 2, 1)
    assert oracles.span_masses(gold, pred, label="Y") == (1, 0, 0, 0)


def test_a_label_unknown_to_gold_is_the_rarest_possible():
    gold = [[(0, 1, "X"), (1, 2, "X"), (2, 3, "Y"), (3, 4, "Y")]]
    assert oracles.slicm(gold, [[(0, 1, "Z")]], [4])["info_pred"] == 2 + 1
    assert oracles.slicm(gold, [[(0, 1, "X")]], [4])["info_pred"] == 1 + 1


@pytest.mark.parametrize("matching", ["mutual", "optimal"])
def test_nested_gold_scores_one_against_itself(matching):
    gold = [[(0, 5, "X"), (0, 3, "X"), (1, 3, "X"), (2, 3, "Y")]]
    assert oracles.slicm(gold, gold, [5], matching=matching)["normalised"] == pytest.approx(1)


@pytest.mark.parametrize("matching", ["mutual", "optimal"])
def test_nested_gold_scores_above_one_when_a_cheap_token_ranks_first(matching):
    # Equation 1 is not monotone: I([1, 2)) = 10 bits, I([0, 2)) = .1 + 10/2, so that each span
    # matched with the other shares 10 bits. Ranks by information mend it.
    gold, bits = [[(0, 2, "X"), (1, 2, "X")]], [[0.1, 10.0]]
    by_position = oracles.slicm(gold, gold, [2], bits, "position", matching)
    by_information = oracles.slicm(gold, gold, [2], bits, "information", matching)
    assert by_position["info_gold"] == pytest.approx(15.1)
    assert by_position["info_intersection"] == pytest.approx(20)
    assert by_position["normalised"] > 1
    assert by_information["normalised"] == pytest.approx(1)


def test_the_optimal_matching_pairs_what_the_mutual_one_leaves_alone():
    gold, pred = [[(0, 6, "X"), (6, 9, "X")]], [[(0, 4, "X"), (4, 9, "X")]]
    harmonic = [sum(1 / i for i in range(1, size + 1)) for size in range(5)]
    mutual = oracles.slicm(gold, pred, [9])["info_intersection"]
    assert mutual == pytest.approx(harmonic[4] + harmonic[3])
    pred = [[(0, 4, "X"), (1, 9, "X")]]
    mutual = oracles.slicm(gold, pred, [9])["info_intersection"]
    optimal = oracles.slicm(gold, pred, [9], matching="optimal")["info_intersection"]
    assert mutual == pytest.approx(harmonic[4] + 1 / 5)
    assert optimal == pytest.approx(harmonic[4] + harmonic[3])
