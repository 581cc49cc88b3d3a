import warnings
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given

import spacy_chance_eval
from helpers.cases import each_case
from helpers.strategies import pairs
from spacy_chance_eval import CATALOG, DEFAULT_METRICS, Spans, __version__, evaluate, request
from spacy_chance_eval.scoring.scores import signature
from spacy_chance_eval.scoring.statistics import headline

SIZES = [20, 12]


# every metric of the catalog, with what it cannot do without
CLOSE = {("PER", "ORG"): 0.5, ("A", "B"): 0.5}
ASKED = {
    name: request(name, **({"closeness": CLOSE} if "closeness" in metric.parameters else {}))
    for name, metric in CATALOG.items()
}


def spans(*documents, sizes=SIZES, **fields):
    """One label letter per row: (start, end, label)."""
    return Spans.from_tuples(list(documents), sizes, **fields)


GOLD = spans([(0, 2, "PER"), (5, 6, "LOC"), (8, 12, "ORG")], [(3, 5, "PER")])
PRED = spans([(0, 2, "PER"), (4, 6, "LOC"), (8, 12, "ORG")], [(3, 5, "PER"), (8, 9, "LOC")])


@each_case(
    "asked, names",
    [
        ((["span_f", "token_f(encoding=BIO)"],), ["span_f", "token_f(encoding=BIO)"]),
        (([request("span_f", beta=2)],), ["span_f(beta=2.0,chance=disjoint,unit=sentence)"]),
        (("span_f",), ["span_f"]),
        ((), [*DEFAULT_METRICS]),
    ],
)
def test_scores_stand_under_the_metrics_as_they_were_asked_for(asked, names):
    assert list(evaluate(GOLD, PRED, *asked)) == names


def test_what_is_not_asked_for_or_has_no_meaning_is_none():
    score = evaluate(GOLD, PRED, ["span_f"])["span_f"]
    assert (score.per_doc, score.p_value, score.relations) == (None, None, None)
    assert "correct" not in score.per_label["PER"]
    (score,) = evaluate(GOLD, PRED, ["slicm"], p_values=True, draws=20).values()
    assert score.p_value is None  # it is not corrected


def test_macro_is_the_mean_of_the_labels_that_are_defined():
    score = evaluate(GOLD, PRED, ["span_precision(chance=none)"])["span_precision(chance=none)"]
    assert score.macro == {"observed": pytest.approx((1 + 0 + 1) / 3)}
    gold = spans([(0, 1, "A"), (3, 4, "B")], [])
    pred = spans([(0, 1, "A")], [])
    (score,) = evaluate(gold, pred, ["span_precision(chance=none)"]).values()
    assert score.macro == {"observed": 1.0}  # B was not predicted: its precision is undefined


@each_case("name", ASKED)
def test_labels_that_nobody_used_do_not_change_macro(name):
    rows = [(0, 2, "A"), (5, 7, "B")], [(1, 2, "A")]
    few, many = (spans(*rows, labels=labels) for labels in (["A", "B"], ["A", "B", "C"]))
    one, other = (evaluate(side, side, ASKED[name]).popitem()[1].macro for side in (few, many))
    assert one == other


def test_labels_have_scores_and_numbers_of_spans():
    rows = evaluate(GOLD, PRED, ["span_f"])["span_f"].per_label
    assert list(rows) == ["LOC", "ORG", "PER"]
    assert set(rows["LOC"]) == {"observed", "expected", "corrected", "gold", "pred"}
    assert (rows["LOC"]["gold"], rows["LOC"]["pred"], rows["LOC"]["observed"]) == (1, 2, 0.0)


def test_unplaced_spans_are_predicted():
    pred = spans([(0, 1, "A")], [], unplaced=[(0, 0, 2)])
    (score,) = evaluate(spans([(0, 1, "A")], []), pred, ["span_precision(chance=none)"]).values()
    assert (score.headline, score.per_label["A"]["pred"]) == (0.5, 2)


def test_a_document_that_one_did_not_see_is_not_scored():
    gold = spans([(0, 1, "A")], None)
    pred = spans([(0, 1, "A")], [(0, 1, "A")])
    (score,) = evaluate(gold, pred, ["span_f"], per_doc=True).values()
    assert list(score.per_doc) == ["document 1"]
    assert (score.headline, score.per_label["A"]["pred"]) == (1.0, 1)


def test_the_score_of_one_document_is_that_of_a_corpus_of_it():
    one = [Spans.from_tuples([rows], [20]) for rows in ([(0, 2, "A")], [(0, 3, "A")])]
    both = [
        spans(rows, [(1, 2, "B")]) for rows in ([(0, 2, "A")], [(0, 3, "A")])
    ]  # the other document says nothing about this one
    (alone,) = evaluate(*one, ["token_f"]).values()
    (within,) = evaluate(*both, ["token_f"], per_doc=True).values()
    assert headline(within.per_doc["document 1"]) == pytest.approx(alone.headline)


def test_p_values_are_shares_of_draws():
    (score,) = evaluate(GOLD, PRED, ["span_f"], p_values=True, draws=99).values()
    assert score.p_value == pytest.approx(1 / 100)
    assert score.standard_error is None  # the expectation has a formula


def test_what_is_drawn_has_a_standard_error_and_a_p_value():
    (score,) = evaluate(GOLD, PRED, ["slicm_norm(chance=disjoint)"], draws=50).values()
    assert 0 < score.standard_error < 1
    assert 0 < score.p_value <= 1
    assert score.headline == pytest.approx((score.observed - score.expected) / (1 - score.expected))


def test_draws_and_seed_are_in_the_signature_only_if_used():
    name = "slicm_norm(chance=disjoint)"
    scores = evaluate(GOLD, PRED, ["span_f", name], draws=20, seed=5)
    assert "draws=20,5" in scores[name].signature
    assert "draws" not in scores["span_f"].signature


def test_the_progress_of_draws_is_shown():
    seen = []

    def progress(steps):
        for step in steps:
            seen.append(step)
            yield step

    evaluate(GOLD, PRED, ["span_f"], p_values=True, draws=30, progress=progress)
    assert seen


def test_the_signature_names_metric_data_and_version():
    (score,) = evaluate(GOLD, PRED, ["span_f"], data={"repair": "conlleval", "unit": "x"}).values()
    assert score.signature == (
        "span_f(beta=1.0,chance=disjoint,unit=sentence)|positions=token|docs=2|"
        f"gold={GOLD.digest()}|repair=conlleval|unit=x|v={__version__}"
    )


def test_metrics_of_one_kind_are_counted_once(monkeypatch):
    calls = []
    metric = CATALOG["span_f"]

    def count(gold, pred, **options):
        calls.append(options)
        return metric.count(gold, pred, **options)

    count.__name__ = metric.count.__name__
    names = ("span_precision", "span_recall", "span_f")
    for name in names:
        monkeypatch.setitem(CATALOG, name, replace(CATALOG[name], count=count))
    evaluate(GOLD, PRED, [*names, "span_f(beta=2)"])
    assert len(calls) == 1


# tokens without spans are items on which two agree, and a text without spans has no false ones
DEFINED = ("slicm", "false_positives", "percent_agreement", "bias_index", "prevalence_index")


@each_case("name", [n for n in ASKED if n not in DEFINED])
def test_nothing_against_nothing_is_undefined(name):
    (score,) = evaluate(spans([], []), spans([], []), ASKED[name]).values()
    assert (score.headline, score.macro_docs, {*score.macro.values()}) == (None, None, {None})
    assert score.per_label == {}


def test_no_information_is_zero_bits():
    (score,) = evaluate(spans([], []), spans([], []), ["slicm"]).values()
    assert (score.headline, score.observed) == (0.0, 0.0)


@pytest.mark.parametrize("name", [n for n in ASKED if CATALOG[n].parts is None])
@pytest.mark.parametrize("gold", [GOLD, spans([], [])], ids=["some", "none"])
def test_what_has_no_chance_model_expects_nothing(name, gold):
    without = {"chance": "none"} if "chance" in CATALOG[name].parameters else {}
    metric = request(name, **dict(ASKED[name].parameters) | without)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (score,) = evaluate(gold, gold, [metric]).values()
    assert score.expected is score.corrected is None
    assert score.headline == score.observed and not score.is_corrected
    for row in (score.to_dict(), *score.per_label.values()):
        assert not {"expected", "corrected", "observed_low"} & row.keys()


def test_everything_covered_is_undefined():
    gold = Spans.from_tuples([[(0, 3, "A")]], [3])
    (score,) = evaluate(gold, gold, ["span_f"]).values()
    assert (score.observed, score.expected, score.headline) == (1.0, 1.0, None)


def test_corpora_of_different_documents_cannot_be_compared():
    with pytest.raises(ValueError, match="2 documents against 1"):
        evaluate(GOLD, spans([], sizes=[20]))


@pytest.mark.parametrize(
    "fields", [{"seen": [True, False]}, {"stretches": [(0, 3, 10), (1, 0, 4)]}]
)
def test_an_annotation_against_itself_is_aligned_like_an_equal_copy(fields):
    rows = [[(0, 2, "A"), (5, 7, "A")], [(0, 1, "A")]]
    one, copy = (Spans.from_tuples(rows, [10, 4], **fields) for _ in range(2))
    metrics = ["span_f", "token_f", "slicm"]
    assert evaluate(one, one, metrics) == evaluate(one, copy, metrics)
    part = one.keep([0, 2])
    assert evaluate(one, part, metrics) == evaluate(copy, part, metrics)
    assert evaluate(one, one, metrics)["span_f"].per_label["A"]["gold"] == 2


@pytest.mark.parametrize("chance", ["disjoint", "overlapping", "nested"])
def test_draws_do_not_depend_on_the_order_of_documents(chance):
    rows = [[(0, 2, "A"), (4, 5, "B")], [(1, 3, "A")], [], [(0, 1, "B"), (3, 6, "A")]]
    other = [[(0, 1, "A")], [(1, 3, "A"), (5, 6, "A")], [(2, 3, "B")], [(3, 6, "A")]]
    sizes, order = [7, 8, 5, 6], [2, 0, 3, 1]
    metric = f"slicm_norm(chance={chance})"
    found = [
        evaluate(
            *(
                Spans.from_tuples([side[i] for i in docs], [sizes[i] for i in docs], "AB")
                for side in (rows, other)
            ),
            [metric],
            draws=20,
        )[metric]
        for docs in (range(4), order)
    ]
    assert found[0].expected == pytest.approx(found[1].expected, abs=1e-12)
    assert found[0].standard_error == pytest.approx(found[1].standard_error, abs=1e-12)


def test_draws_do_not_depend_on_the_order_of_documents_that_differ_in_words_alone():
    words, metric = ["the the v w", "x y v w", "the z v w"], "slicm_norm(chance=disjoint)"
    metric = metric.replace(")", ",token_information=corpus)")
    found = set()
    for order in permutations(words):
        rows = [[(0, 1, "A")]] * 3, [[(0, 2, "A")]] * 3
        sides = (Spans.from_tuples(side, [4] * 3, words=" ".join(order).split()) for side in rows)
        found.add(round(evaluate(*sides, metric, draws=20)[metric].expected, 12))
    assert len(found) == 1


# --- GATE's counts


@given(pair=pairs())
def test_gate_scores_say_how_many_spans_are_correct_partial_missing_and_spurious(pair):
    sides = pair.sides()
    (score,) = evaluate(*sides, ["gate_f"], per_doc=True).values()
    compared = spacy_chance_eval.diff(*sides) if (sides[0].seen & sides[1].seen).any() else None
    for part in (score.per_label, score.per_doc):
        for key, total in score.relations.items():
            # a pair with a wrong label is in the rows of both labels
            twice = 2 if part is score.per_label and key == "wrong label" else 1
            assert sum(row[key] for row in part.values()) == twice * total
    for row in score.per_doc.values():
        paired = row["correct"] + row["partial"] + row["wrong label"]
        assert (paired + row["missing"], paired + row["spurious"]) == (row["gold"], row["pred"])
    if compared is not None:
        assert [*score.relations.values()] == compared.counts.sum(axis=0).tolist()


def test_facts_stand_in_a_signature_in_one_order():
    facts = {name: i for i, name in enumerate(["zeta", "draws", "docs", *"hgfedcba", "positions"])}
    expected = ["positions", "docs", *"abcdefgh", "zeta", "draws"]
    for some in (facts, dict(reversed(facts.items()))):
        parts = signature("span_f", some).split("|")[1:-1]
        assert [part.partition("=")[0] for part in parts] == expected


def test_scores_by_document_and_by_sentence_do_not_disturb_each_other():
    """Metrics by document share the cells of spans, which are others by sentence."""
    documents = [[(0, 1, "A"), (4, 6, "A")], [(1, 2, "A")]], [[(0, 1, "A")], [(1, 2, "A")]]
    units = {"stretches": [(0, 0, 3), (0, 3, 6), (1, 0, 2), (1, 2, 4)], "sentences": [True] * 2}
    gold, pred = (Spans.from_tuples(one, [6, 4], **units) for one in documents)
    metrics = ["span_f", "token_f", "span_f(unit=document)"]
    together = evaluate(gold, pred, metrics)
    alone = [evaluate(gold, pred, [metric]) for metric in metrics]
    expected = [score.expected for one in alone for score in one.values()]
    assert [score.expected for score in together.values()] == expected
    assert expected[0] != expected[2]
