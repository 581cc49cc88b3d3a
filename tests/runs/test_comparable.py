"""What of two runs can be compared: refusals that say why, and what is left when forced."""

from dataclasses import replace

import pytest

from helpers.strategies import random_pair
from spacy_chance_eval import Resampling, Spans, evaluate, request
from spacy_chance_eval.runs.common import find_common
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run

FEW = Resampling(100)
NAMES = ("a", "b", "c")
GOLD = [[(0, 2, "PER")], [(1, 3, "LOC")], [(0, 1, "PER"), (2, 3, "LOC")]]
OLD = [[(0, 2, "PER")], [], [(0, 1, "PER")]]
NEW = [[(0, 1, "PER")], [(1, 3, "LOC")], [(2, 3, "ORG")]]


def spans(docs, names=NAMES, sizes=(5, 5, 5), words=None):
    return Spans.from_tuples(docs, sizes[: len(docs)], names=names, words=words)


def run(pred, gold=GOLD, metrics=("span_f",), names=NAMES, words=None, **settings):
    return stored_run(spans(gold, names, words=words), spans(pred, names), metrics, **settings)


def refused(*pair, **settings):
    with pytest.raises(ValueError) as caught:
        find_common(*pair, **settings)
    return str(caught.value)


# --- refusals


def test_other_gold_is_refused_with_both_digests():
    one, two = run(OLD), run(NEW, gold=[*GOLD[:2], []])
    said = refused(one, two)
    for text in (one.facts["gold"], two.facts["gold"], "1 of 3 documents", "'c'", "--force"):
        assert text in said


def test_other_parameters_are_refused_with_their_names():
    said = refused(run(OLD, metrics=["span_f(beta=2)"]), run(NEW))
    assert "only the old run has span_f(beta=2.0,chance=disjoint,unit=sentence)" in said
    assert "only the new run has span_f(beta=1.0,chance=disjoint,unit=sentence)" in said
    assert "overlap" not in said
    said = refused(run(OLD), run(NEW, metrics=["span_f(chance=overlapping)"]))
    assert "spans overlap in one of them only: save both with --chance overlapping" in said


def test_other_positions_are_refused_even_if_forced():
    characters = run(NEW, data={"positions": "char", "repair": "none"})
    assert "token positions, the new one char" in refused(run(OLD), characters, force=True)


def test_metrics_that_were_not_stored_are_refused():
    assert "has no metric 'token_f'; it has span_f" in refused(
        run(OLD), run(NEW), metrics=["token_f"]
    )


def test_nothing_in_common_is_refused_even_if_forced():
    other = run([[]], gold=[[(2, 5, "X")]], names=("z",))
    assert "no document in common" in refused(run(OLD), other, force=True)
    said = refused(run(OLD), run(NEW, metrics=["token_f"]), force=True)
    assert "no metric can be compared" in said and "token_f" in said


# --- what does not matter


def test_documents_go_by_name_and_content_in_any_order():
    turned = run(NEW[::-1], gold=GOLD[::-1], names=NAMES[::-1])
    assert [rows.tolist() for rows in find_common(run(OLD), turned).docs] == [[0, 1, 2], [2, 1, 0]]


@pytest.mark.parametrize("names", [None, ("x", "y", "z")])
def test_documents_with_other_names_go_by_content(names):
    turned = run(NEW[::-1], gold=GOLD[::-1], names=names)
    assert find_common(run(OLD), turned).docs[1].tolist() == [2, 1, 0]


def test_documents_that_nobody_annotated_stay_out():
    docs = [*GOLD[:2], None]
    assert find_common(run(OLD, gold=docs), run(NEW, gold=docs)).counts.n_docs == 2


def test_metrics_are_chosen_in_the_order_of_the_choice():
    pair = [run(pred, metrics=["span_f", "token_f", "gate_f"]) for pred in (OLD, NEW)]
    assert list(find_common(*pair, metrics=["gate_f", "span_f"]).metrics) == ["gate_f", "span_f"]
    assert list(find_common(*pair).metrics) == ["span_f", "token_f", "gate_f"]


# --- force


def test_forced_runs_compare_on_the_documents_that_are_the_same():
    other = [GOLD[0], GOLD[1], [(0, 4, "NEW")]]
    pair = run(OLD), run(NEW, gold=other)
    found = compare(*pair, force=True, intervals=FEW)
    same = spans(GOLD[:2], NAMES[:2])
    for which, pred in (("old", OLD), ("new", NEW)):
        expected = evaluate(same, spans(pred[:2], NAMES[:2]), ["span_f"])["span_f"]
        assert found["metrics"][0]["total"][which]["observed"] == expected.observed
        assert found["metrics"][0]["total"][which]["corrected"] == pytest.approx(expected.headline)
    assert found["n_docs"] == 2
    assert any(note.startswith("Left out: gold differs") for note in found["notes"])


def test_forced_runs_compare_by_the_metrics_of_both():
    pair = run(OLD, metrics=["span_f", "token_f"]), run(NEW, metrics=["gate_f", "span_f"])
    found = find_common(*pair, force=True)
    assert list(found.metrics) == ["span_f"]
    assert any("only the old run has token_f" in note for note in found.notes)
    assert any("only the new run has gate_f" in note for note in found.notes)


def test_metrics_with_a_prior_of_the_corpus_need_the_same_gold():
    metrics = ["slicm", "span_f"]
    found = find_common(
        run(OLD, metrics=metrics), run(NEW, gold=[*GOLD[:2], []], metrics=metrics), force=True
    )
    assert list(found.metrics) == ["span_f"]
    assert any("slicm: its information is that of the whole of gold" in n for n in found.notes)
    assert "slicm" in find_common(run(OLD, metrics=metrics), run(NEW, metrics=metrics)).metrics


# --- columns


def test_statistics_of_values_are_counted_again_where_predictions_differ_in_them():
    metrics = ["cohen_kappa", "krippendorff_alpha", "positive_agreement", "gwet_ac2", "alpha_u"]
    pair = [run(pred, metrics=metrics) for pred in (OLD, NEW)]
    assert pair[0].counts.labels != pair[1].counts.labels
    found = compare(*pair, intervals=FEW)
    for one in found["metrics"]:
        for which, pred in (("old", OLD), ("new", NEW)):
            score = evaluate(spans(GOLD), spans(pred), [one["metric"]])[one["metric"]]
            key = one["key"]
            expected = score.headline if key == "corrected" else score.observed
            assert one["total"][which][key] == pytest.approx(expected)


def test_without_annotations_such_statistics_are_refused_or_left_out():
    metrics = ["cohen_kappa", "span_f"]
    pair = [run(pred, metrics=metrics, annotations="none") for pred in (OLD, NEW)]
    assert "annotations (score -o keeps them" in refused(*pair)
    found = find_common(*pair, force=True)
    assert list(found.metrics) == ["span_f"] and "cohen_kappa" in found.notes[-1]


def test_tables_that_were_not_stored_cannot_be_counted_with_again():
    asked = {("LOC", "PER"): 0.5, ("LOC", "ORG"): 0.5, ("ORG", "PER"): 0.5}
    metric = request("gwet_ac2", weights=asked)
    pair = [run(pred, metrics=[metric]) for pred in (OLD, NEW)]
    assert "parameters that are not stored" in refused(*pair)
    same = find_common(pair[0], pair[0])
    assert list(same.metrics) == [str(metric)]


def test_labels_of_one_run_only_are_columns_of_both():
    found = find_common(run(OLD), run(NEW))
    assert found.counts.labels == ("LOC", "ORG", "PER")
    _, old, new = found.metrics["span_f"]
    assert old.observed.pred.sum(axis=0).tolist() == [0, 0, 2]
    assert new.observed.pred.sum(axis=0).tolist() == [1, 1, 1]


# --- notes


def test_repairs_and_draws_that_differ_are_told():
    sides = random_pair(1, "overlapping").sides()
    drawn = ["slicm_norm(chance=overlapping)"]
    one = stored_run(*sides, drawn, draws=5, data={"positions": "token", "repair": "drop"})
    two = stored_run(*sides, drawn, draws=6)
    notes = " ".join(find_common(one, two).notes)
    assert "drop and conlleval" in notes and "5,0 and 6,0" in notes


def test_clusters_that_only_one_run_knows_are_not_resampled():
    articles = [{"article": "x"}] * 3
    one, two = run(OLD, attributes=articles), run(NEW)
    found = find_common(one, two)
    assert found.clusters() == ("documents", None)
    assert any("article" in note for note in found.notes)
    assert (
        find_common(one, replace(two, unit="article", clusters=("x",) * 3)).clusters()[0]
        == "article"
    )
