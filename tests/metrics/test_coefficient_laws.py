"""Laws of coefficients of agreement and of GATE's scores, beyond those that all metrics obey."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.laws import (
    CLOSE,
    LAWS,
    asked_for,
    assert_made_of_parts,
    assert_same,
    each_fitting,
    renamed,
    requests,
    speaking_of,
)
from helpers.strategies import LABELS, pairs, random_pair
from helpers.teams import teams
from spacy_chance_eval import CATALOG, Resampling, Spans, agree, evaluate, request
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.scoring.statistics import headline

TEAMS = [name for name, law in LAWS.items() if law.team]
U_ALPHAS = [name for name, law in LAWS.items() if law.kinds == ("flat",)]
OWN_CHANCE = [name for name, law in LAWS.items() if law.parts]
ITEMS = [name for name in LAWS if "items" in CATALOG[name].parameters]
# every annotator has to have rated an item
COMPLETE = ("davies_fleiss", "fleiss_kappa")
TEAM_REQUESTS = [asked for name in TEAMS for asked in requests(name, "flat")]

NUMBERS = ("observed", "expected", "corrected")
numbers_of = lambda found: [found.get(key) for key in NUMBERS]  # noqa: E731


def team_scores(team):
    """{request: value over all labels, then of each label} of a team of `teams`."""
    return scores_of(team.spans(), TEAM_REQUESTS)


def scores_of(annotators, asked):
    return {one: score_of(annotators, one) for one in asked}


def assert_same_teams(one, two):
    for asked, row in one.items():
        with speaking_of(asked):
            assert_same(row, two[asked])


def score_of(annotators, asked):
    """Value over all labels, then of each label, of aligned annotators."""
    metric, score = CATALOG[asked.metric], asked.scorer()
    total = metric.count(annotators, **asked.only(metric.counted)).total()
    return np.concatenate([score(total.pooled()), score(total.by_label())])


# --- teams


@given(team=teams(), data=st.data())
def test_the_order_of_annotators_is_irrelevant(team, data):
    moved = team.ordered(data.draw(st.permutations(range(len(team.annotations)))))
    assert_same_teams(team_scores(moved), team_scores(team))


@given(team=teams(), data=st.data())
def test_the_order_of_documents_of_a_team_is_irrelevant(team, data):
    moved = team.part(data.draw(st.permutations(range(len(team.sizes)))))
    assert_same_teams(team_scores(moved), team_scores(team))


@given(team=teams(), names=st.permutations(["zebra", "A", "loc"]))
def test_names_of_labels_in_a_team_are_irrelevant(team, names):
    renaming = dict(zip(LABELS, names))
    columns = [0, *(1 + sorted(names).index(renaming[label]) for label in LABELS)]
    other = team.renamed(renaming).spans(names)
    for asked, row in team_scores(team).items():
        with speaking_of(asked):
            assert_same(score_of(other, renamed(asked, renaming))[columns], row)


@given(team=teams())
def test_annotators_who_all_say_the_same_agree(team):
    for asked, row in team_scores(team.ordered([0, 0, 0])).items():
        assert np.isnan(row[0]) or row[0] == pytest.approx(1), asked


@given(team=teams())
def test_an_annotator_who_has_seen_nothing_changes_nothing(team):
    sides = team.spans()
    blind = team.annotator([None] * len(team.sizes), [frozenset()] * len(team.sizes), LABELS)
    asked = [one for one in TEAM_REQUESTS if one.metric not in COMPLETE]
    assert_same_teams(scores_of(align_panel([*sides, blind]), asked), scores_of(sides, asked))


@pytest.mark.parametrize("name", COMPLETE)
def test_items_that_not_all_have_rated_do_not_count(name):
    docs = [[(0, 1, "X")], [(1, 2, "Y")]]
    sides = [Spans.from_tuples(one, [3, 3]) for one in (docs, docs, [docs[0], None])]
    first = [Spans.from_tuples(docs[:1], [3])] * 3
    assert_same(
        score_of(align_panel(sides), request(name))[:1],
        score_of(align_panel(first), request(name))[:1],
    )


# --- evaluate and agree


@pytest.mark.integration
@given(pair=pairs())
def test_two_annotators_agree_as_much_as_one_scores_against_the_other(pair):
    # what a system has not read counts as empty, what an annotator has not, counts in no pair
    gold = [spans if seen is not None else None for spans, seen in zip(pair.gold, pair.pred)]
    assume(any(spans is not None for spans in gold))
    for fit, requested in each_fitting(replace(pair, gold=gold)):
        gold, pred = fit.sides()
        asked = {str(one): one for one in requested}
        scores = evaluate(gold, pred, requested)
        found = agree({"a": gold, "b": pred}, asked, intervals=Resampling(0))
        for text, score in scores.items():
            with speaking_of(text):
                assert_agreement_is(score, found[text], LAWS[asked[text].metric])


def assert_agreement_is(score, table, law):
    mine = numbers_of(vars(score))
    (row,) = [row for row in table["pairs"] if row["first"] == "a"]
    if not row["n_docs"]:  # where GATE's convention has 1 for nothing
        assert headline(row) is None
        return
    assert_same(numbers_of(row), mine)
    assert (headline(row) is None) == bool(row["reason"])
    if table["symmetric"]:
        assert_same(numbers_of(table["mean"]), mine)
        assert_same(numbers_of(table["team"]), mine) if law.team else None
    for label, one in row["per_label"].items():
        assert_same(numbers_of(one), numbers_of(score.per_label[label]))


def test_a_pair_does_not_depend_on_a_third_annotator():
    two, more = random_pair(3, "flat"), random_pair(4, "flat")
    first, second = two.sides()
    third = Spans.from_tuples(
        more.gold, two.sizes, words=first.words, stretches=first.stretches, names=two.names
    )
    asked = {name: asked_for(name) for name, law in LAWS.items() if not law.all_labels}
    found = agree({"a": first, "b": second, "c": third}, asked, intervals=Resampling(0))
    for name, score in zip(asked, evaluate(first, second, list(asked.values())).values()):
        rows = {(row["first"], row["second"]): row for row in found[name]["pairs"]}
        with speaking_of(name):
            assert_same(numbers_of(rows["a", "b"]), numbers_of(vars(score)))


# --- what a coefficient is made of


@pytest.mark.integration
@given(pair=pairs())
def test_a_score_is_made_of_its_observed_and_expected_part(pair):
    for fit, requested in each_fitting(pair):
        asked = {str(one): one for one in requested}
        scores = evaluate(*fit.sides(), requested, per_doc=True)
        for text, score in scores.items():
            with speaking_of(text):
                for row in (vars(score), *score.per_label.values(), *score.per_doc.values()):
                    assert_made_of_parts(row, asked[text].row.disagreement)
        found = agree(dict(zip("ab", fit.sides())), asked, intervals=Resampling(0))
        for text, one in asked.items():
            table = found[text]
            assert table["disagreement"] == one.row.disagreement
            with speaking_of(text):
                for row in (*table["pairs"], *table["documents"]):
                    assert_made_of_parts(row, one.row.disagreement)


def test_scores_without_a_chance_model_are_what_is_observed():
    sides = random_pair(5, "flat").sides()
    for name in [name for name, law in LAWS.items() if not (law.parts or law.team)]:
        chance = {"chance": "none"} if "chance" in CATALOG[name].parameters else {}
        (score,) = evaluate(*sides, [asked_for(name, **chance)]).values()
        assert score.headline == score.observed is not None, name
        assert score.expected is None, name


# --- what a coefficient can be applied to


def one_document(*spans):
    return Spans.from_tuples([spans], [9], LABELS, names=["memo"])


CROSSED = one_document((1, 4, "LOC"), (3, 5, "ORG"))
SAME_LABEL = one_document((1, 4, "LOC"), (3, 5, "LOC"))


@pytest.mark.parametrize("name", U_ALPHAS)
def test_the_u_alphas_refuse_spans_of_one_label_that_overlap(name):
    message = r"LOC \[1, 4\) in memo and LOC \[3, 5\) in memo overlap; .*--on-error skip leaves"
    for sides in ((SAME_LABEL, one_document()), (one_document(), SAME_LABEL)):
        with pytest.raises(ValueError, match=message):
            evaluate(*sides, [name])


@each_case("name", U_ALPHAS)
def test_units_of_different_labels_that_overlap_have_values_by_label_only(name):
    sides = {"a": CROSSED, "b": one_document((1, 3, "LOC"), (3, 5, "ORG"))}
    found = agree(sides, [name], intervals=Resampling(20))[name]
    for row in (found["mean"], found["team"], *found["pairs"], *found["documents"]):
        assert headline(row) is row["observed"] is row.get("expected") is None
        assert row["reason"].startswith("a token in units of several labels has no single value")
        assert row.get("low") is None
    for row in found["per_label"]:
        assert headline(row["team"]) == headline(row["mean"]) is not None


def test_alpha_u_refuses_spans_of_one_label_that_overlap():
    message = (
        r"annotator 1: LOC \[1, 4\) in memo and LOC \[3, 5\) in memo overlap; .*remove one of them"
    )
    with pytest.raises(ValueError, match=message):
        evaluate(SAME_LABEL, CROSSED, ["alpha_u"])
    assert evaluate(CROSSED, CROSSED, ["alpha_u"])["alpha_u"].headline == 1


@each_case("name", [*U_ALPHAS, "alpha_u"])
def test_agreement_tells_why_overlapping_spans_have_no_value(name):
    found = agree({"a": SAME_LABEL, "b": one_document()}, [name], intervals=Resampling(0))[name]
    for row in (found["mean"], found["team"], *found["pairs"]):
        assert headline(row) is None
        assert "LOC [1, 4) in memo and LOC [3, 5) in memo overlap" in row["reason"]


@pytest.mark.parametrize("name", ["bdm_precision", "bdm_recall", "bdm_f"])
def test_closeness_of_labels_has_to_be_given(name):
    with pytest.raises(ValueError, match="closeness is None; expected the name of a file"):
        request(name)
    assert request(name, closeness=CLOSE).parameters["closeness"] == CLOSE


@given(pair=pairs())
def test_without_close_labels_closeness_is_gates_score(pair):
    gold, pred = pair.sides()
    for suffix in ("precision", "recall", "f"):
        ours = evaluate(gold, pred, [request(f"bdm_{suffix}", closeness={})])
        theirs = evaluate(gold, pred, [f"gate_{suffix}"])
        assert_same(*([numbers_of(vars(x)) for x in one.values()] for one in (ours, theirs)))


@given(pair=pairs())
def test_strict_gate_scores_are_span_scores(pair):
    gold, pred = pair.sides()
    for suffix in ("precision", "recall", "f"):
        (ours,) = evaluate(gold, pred, [f"gate_{suffix}"]).values()
        (spans,) = evaluate(gold, pred, [f"span_{suffix}(chance=none)"]).values()
        assert_same([ours.headline], [spans.headline])


@given(pair=pairs())
def test_positive_agreement_on_the_spans_of_either_is_span_f(pair):
    sides = pair.sides()
    asked = ["positive_agreement(items=any_span)", "span_f(chance=none)"]
    ours, spans = (score.per_label for score in evaluate(*sides, asked).values())
    for label, row in spans.items():
        assert_same([headline(ours[label])], [headline(row)])


# --- chance


def units_at_random(rng, size=400, units=30, label_names=("X",)):
    """An annotator of one document: units of 1 to 6 tokens anywhere, with labels at random."""
    lengths = [*rng.integers(1, 7, units).tolist()]
    gaps = [0] * (size - sum(lengths))
    pieces = rng.permutation([*lengths, *gaps]).tolist()
    ends = np.cumsum([max(piece, 1) for piece in pieces]).tolist()
    spans = [(e - n, e, str(rng.choice(label_names))) for n, e in zip(pieces, ends) if n]
    return Spans.from_tuples([spans], [size], label_names)


def categories_at_random(rng, n_docs=200):
    return Spans.from_tuples([[(0, 1, str(x))] for x in rng.choice(LABELS, n_docs)], [1] * n_docs)


def mean_at_random(asked, annotator, n_annotators, repetitions=150):
    """(mean, standard error) of a coefficient of independent annotators."""
    rng = np.random.default_rng(5)
    values = [
        score_of_any([annotator(rng) for _ in range(n_annotators)], asked)
        for _ in range(repetitions)
    ]
    return np.mean(values), np.std(values) / np.sqrt(repetitions)


def score_of_any(annotators, asked):
    metric, sides = CATALOG[asked.metric], align_panel(annotators)
    counted = partial(metric.count, **asked.only(metric.counted))
    total = (counted(sides) if metric.team else counted(*sides)).total()
    return asked.scorer()(total.pooled()).item()


# PABAK's model of chance, and Gwet's, has 0 where all values are equally likely; here most tokens
# are outside, so that random annotators agree on sum p_k^2 > 1 / K of them
AT_RANDOM = [name for name in OWN_CHANCE if not name.startswith(("gwet", "pabak"))]


@pytest.mark.integration
@pytest.mark.parametrize("n_annotators", [2, 3])
@pytest.mark.parametrize("name", AT_RANDOM)
def test_units_at_random_places_agree_by_chance(name, n_annotators):
    if n_annotators > 2 and not LAWS[name].team:
        return
    annotator = partial(units_at_random, label_names=LABELS)
    mean, error = mean_at_random(request(name), annotator, n_annotators)
    assert abs(mean) < 4 * error + 0.005


# --- categories


@each_case("name", ITEMS)
def test_categories_of_documents_are_single_positions(name):
    rng = np.random.default_rng(2)
    sides = [categories_at_random(rng, 12) for _ in range(2)]
    by_token, by_document = (
        evaluate(*sides, [request(name, items=items)]) for items in ("token", "category")
    )
    assert_same(*(numbers_of(vars(next(iter(x.values())))) for x in (by_token, by_document)))


@each_case("name", ITEMS)
def test_spans_of_texts_are_no_categories(name):
    gold = one_document((1, 4, "LOC"))
    with pytest.raises(ValueError, match="memo has 9 positions; items='category' needs categor"):
        evaluate(gold, gold, [request(name, items="category")])
