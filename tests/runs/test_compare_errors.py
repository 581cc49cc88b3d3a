"""Annotations that are wrong in one run only."""

import pytest

from runs.test_comparable import GOLD, NAMES, NEW, OLD, run, spans
from spacy_chance_eval import Resampling, Spans
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run


def found(*pair, **settings):
    return compare(*pair, intervals=Resampling(0), **settings)


def listed(rows):
    return [(row["document"], row["relation"], row["error"]) for row in rows]


def test_new_and_fixed_errors_are_told_apart():
    errors = found(run(OLD), run(NEW))["errors"]
    assert listed(errors["new"]) == [
        ("a", "partial", "too short"),
        ("c", "missing", "missing"),
        ("c", "wrong label", "other label"),
    ]
    assert listed(errors["fixed"]) == [("b", "missing", "missing")]
    assert (errors["n_new"], errors["n_fixed"], errors["n_both"]) == (3, 1, 0)


def test_an_error_says_what_the_gold_span_was_before():
    errors = found(run(OLD), run(NEW))["errors"]
    assert [row["before"] for row in errors["new"]] == [None, None, "missing"]
    assert [row["after"] for row in errors["fixed"]] == [None]


def test_spans_that_fit_no_tokens_are_errors():
    gold = spans(GOLD)
    loose = [
        Spans.from_tuples(OLD, (5, 5, 5), ["LOC", "PER"], names=NAMES, unplaced=rows)
        for rows in ([(0, 1, 2)], [(0, 1, 2), (2, 0, 1)])
    ]
    errors = found(*(stored_run(gold, pred, ["span_f"]) for pred in loose))["errors"]
    assert listed(errors["new"]) == [("c", "spurious", "fits no tokens")]
    assert errors["new"][0]["pred"]["label"] == "LOC" and errors["n_both"] == 3


def test_gold_that_fits_no_tokens_is_missing_in_both():
    gold = Spans.from_tuples(GOLD, (5, 5, 5), ["LOC", "PER"], names=NAMES, unplaced=[(1, 0, 2)])
    pair = [stored_run(gold, spans(docs), ["span_f"]) for docs in (GOLD, NEW)]
    result = found(*pair, verbose_below=0.9)
    errors, plain = (one["errors"] for one in (result, found(run(GOLD), run(NEW))))
    assert errors["n_both"] == plain["n_both"] + 1 == 1
    assert (errors["n_new"], errors["n_fixed"]) == (plain["n_new"], plain["n_fixed"])
    rows = [row for one in result["verbose"] for row in one["errors"]]
    (loose,) = [row for row in rows if row["error"] == "fits no tokens"]
    assert (loose["document"], loose["relation"], loose["pred"]) == ("b", "missing", None)
    assert loose["gold"] == {"label": "LOC", "start": None, "end": None, "text": None}


def test_documents_with_low_scores_have_all_their_errors_listed():
    documents = found(run(OLD), run(NEW), verbose_below=0.5)["verbose"]
    assert [one["document"] for one in documents] == ["a", "c"]
    assert all(one["corrected"] < 0.5 for one in documents)
    assert listed(documents[1]["errors"]) == [
        ("c", "missing", "missing"),
        ("c", "wrong label", "other label"),
    ]


def test_the_lowest_scores_come_first_however_the_documents_are_ordered():
    better = [*NEW[:2], OLD[2]]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        gold, names, old, new = ([one[i] for i in order] for one in (GOLD, NAMES, GOLD, better))
        pair = [run(docs, gold=gold, names=names) for docs in (old, new)]
        documents = found(*pair, verbose_below=2)["verbose"]
        assert [one["document"] for one in documents] == ["a", "c", "b"]
        scores = [one["corrected"] for one in documents]
        assert scores == sorted(scores) and len(set(scores)) == 3


def test_listing_errors_needs_annotations():
    with pytest.raises(ValueError, match="has no annotations to list"):
        found(run(OLD), run(NEW, annotations="none"), verbose_below=0.5)
