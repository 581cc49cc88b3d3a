"""Segments among candidates: against the list of all placements, and draws that are uniform."""

from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest

from helpers import oracles
from helpers.cases import each_case
from helpers.laws import EXACT, LAWS, speaking_of
from helpers.strategies import multisets, random_pair
from spacy_chance_eval import CATALOG, Spans, evaluate, request
from spacy_chance_eval.measures.alignment import align, units
from spacy_chance_eval.measures.chance import masks
from spacy_chance_eval.measures.chance.distributions import fields_of
from spacy_chance_eval.measures.chance.draws import drawn, sampler
from spacy_chance_eval.measures.chance.expectation import check_placement
from spacy_chance_eval.measures.chance.masks import (
    most_placed,
    places_of_case,
    random_places,
    runs_of_units,
    shares_anywhere,
    shares_apart,
    ways_behind,
)

AMONG = ("candidates", "candidates-overlapping")
DRAWS = 500  # a bias of .18 standard deviations is 4 standard errors
MODELS = {
    "candidates": oracles.placements_disjoint,
    "candidates-overlapping": oracles.placements_overlapping,
}


def among(model, mask, n, lengths):
    """The placements of a model whose spans have no token that is no candidate."""
    every = [spans for _, spans in model(n, lengths)]
    kept = [spans for spans in every if all(mask[t] for t in oracles.tokens(spans))]
    return [(oracles.Fraction(1, len(kept)), spans) for spans in kept]


def kinds_of(lengths):
    """The distinct lengths and their numbers."""
    kinds = tuple(sorted(set(lengths)))
    return kinds, tuple(lengths.count(a) for a in kinds)


def one_unit(mask):
    """Runs of a unit with such candidates, and the tokens at the places of its line."""
    runs, token, _ = runs_of_units(np.array(mask, bool), np.array([[0, 0, len(mask)]]))
    return runs[0], token


# --- lines


def test_a_line_has_the_runs_from_short_to_long():
    mask = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0], bool)
    runs, token, offsets = runs_of_units(mask, np.array([[0, 0, 5], [0, 5, 10], [1, 10, 11]]))
    assert runs == [(1, 2), (3,), ()]
    assert token.tolist() == [3, -1, 0, 1, 6, 7, 8]
    assert offsets.tolist() == [0, 4, 7, 7]


def test_runs_end_with_their_unit():
    runs, token, _ = runs_of_units(np.ones(4, bool), np.array([[0, 0, 3], [0, 3, 4]]))
    assert (runs, token.tolist()) == ([(3,), (1,)], [0, 1, 2, 3])


# --- shares


def starts_by_enumeration(placement, mask, lengths):
    """P(a segment of each distinct length starts at each token), or None without a placement."""
    every = among(MODELS[placement], mask, len(mask), lengths)
    if not every:
        return None
    first = [lengths.index(a) for a in kinds_of(lengths)[0]]
    return [[float(p) for p in oracles.start_probabilities(every, i, len(mask))] for i in first]


def shares(placement, runs, kinds, counts):
    if placement == AMONG[0]:
        return shares_apart(runs, kinds, counts)
    return [shares_anywhere(runs, a) for a in kinds]


@pytest.mark.parametrize("n", [6, pytest.param(9, marks=pytest.mark.integration)])
@pytest.mark.parametrize("placement", AMONG)
def test_shares_are_those_of_all_placements(placement, n):
    for mask in product([False, True], repeat=n):
        if n > 7 and hash(mask) % 16:  # one in 16
            continue
        runs, token = one_unit(mask)
        for lengths in multisets(min(n, 4), most=3):
            wanted = starts_by_enumeration(placement, mask, lengths) if lengths else None
            if wanted is None:
                continue
            found = np.zeros((len(wanted), n + 1))  # at -1: between runs
            for row, share in zip(found, shares(placement, runs, *kinds_of(lengths)), strict=True):
                np.add.at(row, token, share)
            np.testing.assert_allclose(found[:, :n], wanted, atol=1e-12)
            assert not found[:, n].any()


@pytest.mark.parametrize(
    "runs, lengths, placed",
    [
        ((1, 2), (1, 2), (1, 2)),
        ((2, 2), (1, 2, 2), (0, 2)),  # as many tokens, of three ways to place two segments
        ((1, 1), (2, 2), (0,)),
        ((2, 3), (2, 2, 3, 3), (1, 1)),
        ((4,), (1, 3, 4), (1, 1, 0)),
        ((), (1,), (0,)),
        ((3,), (1, 2, 3), (1, 1, 0)),
    ],
)
def test_as_many_segments_as_fit_are_placed(runs, lengths, placed):
    kinds, counts = kinds_of(lengths)
    found = most_placed(ways_behind(runs, kinds, counts)[0], kinds)
    if placed != (1, 2):
        assert found == placed
    else:
        assert found == counts


def test_what_is_left_out_is_the_same_share_of_each_segment_of_a_length():
    assert [share.sum() for share in shares_apart((2, 3), (2, 3), (2, 2))] == [0.5, 0.5]


def test_single_tokens_need_no_states(monkeypatch):
    monkeypatch.setattr(masks, "MOST_STATES", 1)
    (share,) = shares_apart.__wrapped__((1, 3), (1,), (2,))
    assert share.tolist() == [0.25, 0, 0.25, 0.25, 0.25]
    (share,) = shares_apart.__wrapped__((1,), (1,), (2,))
    assert share.tolist() == [0.5]


@pytest.mark.parametrize("runs, length, count", [((3, 800), 2, 400), ((1,) * 900 + (700,), 2, 300)])
def test_crowded_lines_lose_no_digits(runs, length, count):
    (share,) = shares_apart(runs, (length,), (count,))
    assert share.sum() == pytest.approx(1, abs=1e-10)
    inner = share[-runs[-1] : len(share) + 1 - length]  # of the longest run, which is symmetric
    np.testing.assert_allclose(inner, inner[::-1], rtol=1e-9)


def test_too_many_states_are_an_error_that_names_the_other_model():
    with pytest.raises(ValueError, match="states would have to be counted.*candidates-overlapping"):
        shares_apart((50,) * 100, (1, 2, 3, 4), (30, 30, 30, 30))


# --- draws


@pytest.mark.parametrize(
    "runs, lengths", [((1, 2, 4), (1, 1, 2)), ((2, 3), (1, 2, 2)), ((2, 2), (1, 2, 2))]
)
def test_draws_are_uniform_over_all_placements(runs, lengths):
    size, (kinds, counts) = 20_000, kinds_of(lengths)
    starts, placed = random_places(runs, kinds, counts, size, np.random.default_rng(0))
    outcomes = Counter(map(tuple, starts.tolist()))
    mask = [room > 0 for room in masks.room_along(runs)]
    kept = [a for a, n in zip(kinds, placed, strict=True) for _ in range(n)]
    by_length = lambda spans: [sorted(s for s, e in spans if e - s == a) for a in kinds]  # noqa: E731
    every = {
        tuple(s for some in by_length(spans) for s in some)
        for _, spans in among(oracles.placements_disjoint, mask, len(mask), kept)
    }
    assert set(outcomes) == every
    frequency = np.array(list(outcomes.values())) / size
    share = 1 / len(every)
    assert (abs(frequency - share) < 5 * np.sqrt(share / size)).all()


@pytest.mark.parametrize("lengths", [(1, 1, 2, 2, 3), (2, 2, 2, 3), (1, 2, 2, 3, 3, 3)])
def test_each_segment_of_many_lines_has_a_place_of_its_length(lengths):
    runs, shape = (1, 3, 5), (6, 4)
    _, placed = random_places(runs, *kinds_of(lengths), 1, np.random.default_rng(0))
    found = places_of_case(runs, lengths, shape, np.random.default_rng(0))
    assert found.shape == (*shape, len(lengths))
    for row in found.reshape(-1, len(lengths)).tolist():
        kept = [(start, start + n) for start, n in zip(row, lengths, strict=True) if start >= 0]
        assert Counter(end - start for start, end in kept) == +Counter(
            dict(zip(kinds_of(lengths)[0], placed, strict=True))
        )
        room = masks.room_along(runs)
        assert all(room[start] >= end - start for start, end in kept)
        covered = [token for start, end in kept for token in range(start, end)]
        assert len(covered) == len(set(covered))


def masked_pair(seed, share=0.6, kind="disjoint"):
    gold, pred = random_pair(seed, kind).sides()
    mask = np.random.default_rng(seed).random(gold.sizes.sum()) < share
    return align(gold.with_candidates(mask), pred)


@pytest.mark.parametrize("placement", AMONG)
def test_draws_lie_among_candidates_and_keep_all_spans(placement):
    gold, pred = masked_pair(3)
    draw = sampler(gold, units(gold, pred), placement)
    rng = np.random.default_rng(0)
    lengths = lambda spans: sorted([*spans.lengths, *spans.unplaced[:, 2]])  # noqa: E731
    for _ in range(20):
        found = draw(rng)
        for doc, start, end in zip(found.doc, found.start, found.end, strict=True):
            first = found.offsets[doc]
            assert found.candidates[first + start : first + end].all()
        assert lengths(found) == lengths(gold)
        check_placement(found, found, placement)


def test_draws_do_not_depend_on_the_order_of_documents():
    pair = random_pair(5)
    mask = np.random.default_rng(5).random(sum(pair.sizes)) < 0.6
    cuts = np.cumsum([0, *pair.sizes])
    asked = [request("slicm_norm", chance="candidates")]
    values = []
    for order in (range(5), [3, 1, 4, 0, 2]):
        gold, pred = pair.part(order).sides()
        parts = [mask[cuts[d] : cuts[d + 1]] for d in order]
        spans = gold.with_candidates(np.concatenate(parts))
        values.append(evaluate(spans, pred, asked, draws=20)[str(asked[0])].expected)
    assert values[0] == pytest.approx(values[1], abs=1e-12)


# --- metrics

FORMULAS = {name for name, law in LAWS.items() if law.exact in EXACT}
each_placement = each_case("placement", AMONG)


def requests_of(placement, **parameters):
    for name in sorted(FORMULAS):
        for variant in ({}, *LAWS[name].variants):
            if "chance" not in variant:
                yield request(name, chance=placement, **{**variant, **parameters})


def statistics(asked, gold, pred):
    """Expected statistics of a request, None where they are drawn."""
    observed = asked.row.count(gold, pred, **asked.counted)
    model = {"placement": asked.placement, "unit": asked.parameters["unit"]}
    return asked.row.expected(gold, pred, observed, **model, **asked.counted)


@pytest.mark.parametrize("seed", range(4))
@each_placement
def test_where_all_are_candidates_it_is_the_model_without_them(placement, seed):
    gold, pred = random_pair(seed).sides()
    gold, pred = align(gold.with_candidates(np.ones(gold.sizes.sum(), bool)), pred)
    plain = {"candidates": "disjoint", "candidates-overlapping": "overlapping"}[placement]
    for asked in requests_of(placement):
        one = statistics(asked, gold, pred)
        two = statistics(request(asked.metric, **{**asked.parameters, "chance": plain}), gold, pred)
        with speaking_of(asked):
            assert (one is None) == (two is None)
            for field in () if one is None else vars(one):
                found, wanted = getattr(one, field), getattr(two, field)
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


MEASURES = {
    "span_f": oracles.matching_spans,
    "link_f": oracles.shared_links,
    "bcubed_f": oracles.bcubed_matched,
    "int_f": oracles.int_matched,
    **{
        f"token_f(encoding={code})": partial(oracles.shared_tokens, encoding=code)
        for code in ("IO", "BIO", "BIOE", "IO*")
    },
}


@pytest.mark.parametrize("seed", range(6))
@each_placement
def test_expected_matches_are_those_of_all_placements(placement, seed):
    pair = random_pair(seed, sizes=(6, 7, 5, 8), most=3, longest=2)
    gold, pred = pair.sides()
    mask = np.random.default_rng(seed).random(gold.sizes.sum()) < 0.8
    mask[: gold.sizes[0]] = True
    gold, pred = align(gold.with_candidates(mask), pred)
    cuts = gold.offsets
    wanted, docs = dict.fromkeys(MEASURES, 0.0), set()
    for d, *sides in oracles.units(pair.gold, pair.pred):
        own, n = mask[cuts[d] : cuts[d + 1]], pair.sizes[d]
        placed = [among(MODELS[placement], own, n, oracles.lengths_of(one)) for one in sides]
        if not all(placed):
            docs.add(d)  # there as many as possible are placed, which the oracle does not do
            continue
        for name, measure in MEASURES.items():
            wanted[name] += float(oracles.expected(measure, *placed))
    kept = [d for d in range(gold.n_docs) if d not in docs]
    for name, value in wanted.items():
        metric, _, encoding = name.partition("(encoding=")
        more = {"encoding": encoding[:-1]} if encoding else {}
        found = statistics(request(metric, chance=placement, **more), gold, pred)
        if found is not None:
            bad = sum(found.correct[d].sum() for d in docs)
            assert found.correct.sum() - bad == pytest.approx(value, abs=1e-12), name
    assert kept


@pytest.mark.integration
@pytest.mark.parametrize("share", [0.3, 0.7])
@pytest.mark.parametrize("unit", ["doc", "sent"])
@each_placement
def test_expected_statistics_are_the_mean_over_draws(placement, unit, share):
    gold, pred = masked_pair(7, share)
    for asked in requests_of(placement, unit=unit):
        if not asked.metric.endswith("_f") or asked.parameters["beta"] != 1:
            continue
        exact = statistics(asked, gold, pred)
        if exact is None:
            continue
        count = partial(asked.row.count, **asked.counted)
        how = {"placement": placement, "unit": unit, "draws": DRAWS}
        mean, totals = drawn(count, gold, pred, **how, rng=np.random.default_rng(1))
        for field in vars(exact):
            error = getattr(totals, field).std(axis=0) / np.sqrt(DRAWS)
            gap = abs(getattr(exact, field).sum(axis=0) - getattr(mean, field).sum(axis=0))
            with speaking_of((asked, field)):
                np.testing.assert_array_less(gap, 4 * error + 1e-9)


@pytest.mark.parametrize("name", ["slicm_norm", "gate_f", "bdm_f"])
@each_placement
def test_measures_without_a_formula_are_drawn(placement, name):
    asked = request(name, **dict(LAWS[name].always), chance=placement)
    gold, pred = masked_pair(2)
    score = evaluate(gold, pred, [asked], draws=30)[str(asked)]
    assert CATALOG[name].expected is None
    assert score.standard_error >= 0


def test_spans_for_which_there_is_no_room_are_expected_to_match_nothing():
    gold = Spans.from_tuples([[(0, 2, "A"), (3, 4, "B")]], [4]).with_candidates([0, 1, 0, 1])
    for chance in AMONG:
        score = evaluate(gold, gold, [f"span_f(chance={chance})"])
        (score,) = score.values()
        assert score.per_label["A"]["expected"] == 0
        assert score.per_label["B"]["expected"] == 0.5


@each_placement
def test_fields_show_the_same_by_token(placement):
    gold, pred = masked_pair(4)
    fields = fields_of(gold, pred, placement=placement)
    spans = sum(row[-1] for field in fields for row in field.exact_matches)
    items = sum(field.common_items.sum() for field in fields)
    for metric, total in (("span_f", spans), ("token_f", items)):
        found = statistics(request(metric, chance=placement), gold, pred)
        assert total == pytest.approx(found.correct.sum(), abs=1e-12)
    for field in fields:
        first = gold.offsets[field.doc] + field.start
        own = gold.candidates[first : gold.offsets[field.doc] + field.end]
        assert not field.gold.covered[~own].any() and not field.pred.covered[~own].any()


# --- errors


@each_placement
def test_candidates_have_to_be_known(placement):
    gold, pred = random_pair(1).sides()
    with pytest.raises(ValueError, match=f"chance={placement} needs to know .*--candidates"):
        evaluate(gold, pred, [f"span_f(chance={placement})"])


def test_spans_that_overlap_need_the_overlapping_model():
    gold = Spans.from_tuples([[(0, 2, "A"), (1, 3, "A")]], [4]).with_candidates([1, 1, 1, 1])
    with pytest.raises(ValueError, match="use chance=candidates-overlapping"):
        evaluate(gold, gold, ["span_f(chance=candidates)"])
    assert evaluate(gold, gold, ["span_f(chance=candidates-overlapping)"])
