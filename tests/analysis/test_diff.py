"""What a `Diff` shows of two annotations: filters, order, counts, rows of documents."""

from dataclasses import replace

import pytest
from hypothesis import given

from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, PER, REX, WORDS, compare, corpora
from helpers.strategies import pairs
from spacy_chance_eval import evaluate
from spacy_chance_eval.analysis.diff import diff, summary
from spacy_chance_eval.corpora.pairs import CorpusPair, side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.measures.differences import UNPLACED
from spacy_chance_eval.scoring.statistics import headline


def shown(found):
    """Names of the documents to show."""
    return [found.names[place] for place in found.order]


def relations(found, place=0):
    return [pair["relation"] for pair in found.document(place)["pairs"]]


def test_a_document_has_a_row_for_every_pair_and_single_span():
    (document,) = compare(MANY).documents()
    assert [(pair["relation"], pair["error"]) for pair in document["pairs"]] == [
        ("correct", None),
        ("partial", "too long"),
        ("wrong label", "other label"),
        ("spurious", "spurious"),
        ("missing", "missing"),
    ]
    assert document["counts"] == dict.fromkeys(
        ("correct", "partial", "wrong label", "missing", "spurious"), 1
    )


def test_a_side_has_label_place_text_and_features():
    features = {"spans": {REX: {"kind": "dog"}}}
    found = compare(FEW, fields={"features": [features]})
    pair = found.document(0)["pairs"][1]
    assert pair["gold"] == {
        "label": "PER",
        "start": 2,
        "end": 4,
        "length": 2,
        "text": "Rex Roe",
        "features": {"kind": "dog"},
    }
    assert found.document(0)["pairs"][2]["pred"] is None


def test_strict_f_of_a_document_counts_correct_pairs():
    assert compare(MANY).document(0)["f"] == 2 * 1 / (4 + 4)
    assert compare(([], []), FEW, equal=True).document(0)["f"] is None


def test_strict_f_is_of_the_labels_asked_for_whatever_the_relations():
    assert compare(FEW, labels=["PER"]).document(0)["f"] == 2 * 1 / (2 + 2)
    assert compare(FEW, relations=["missing"]).document(0)["f"] == 2 * 1 / (3 + 2)


def test_documents_with_most_differences_come_first():
    assert shown(compare(EQUAL, FEW, MANY)) == ["d2", "d1"]


def test_a_label_filter_keeps_rows_with_the_label_on_either_side():
    found = compare(MANY, FEW, labels=["ORG"])
    assert shown(found) == ["d0"] and relations(found) == ["wrong label"]
    assert relations(compare(MANY, labels=["LOC"])) == ["wrong label"]
    assert relations(compare(MANY, labels=["LOC", "DATE"])) == [
        "wrong label",
        "spurious",
        "missing",
    ]


@each_case(
    ("setting", "message"),
    [
        ({"labels": ["NO"]}, r"there is no label 'NO'; expected one of 'LOC', 'PER'"),
        ({"relations": ["odd"]}, "there is no relation 'odd'; expected one of 'correct'"),
        ({"features": "a++b"}, "features is 'a"),
        ({"features": "kind"}, "there is no feature 'kind'; no span has any"),
    ],
)
def test_what_is_not_there_cannot_be_asked_for(setting, message):
    with pytest.raises(ValueError, match=message):
        compare(FEW, **setting)


def test_documents_without_names_are_numbered_and_names_told_apart():
    gold, pred = (
        replace(side, documents=[replace(document, name=name) for document in side.documents])
        for side, name in zip(corpora(FEW, MANY), (None, None))
    )
    assert diff(side_by_side(gold, pred)).names == ["document 1", "document 2"]
    same = [replace(document, name="a") for document in gold.documents]
    again = diff(side_by_side(replace(gold, documents=same), pred))
    assert again.names == ["a", "a (2)"]


def test_spans_that_fit_no_tokens_are_missing_or_spurious():
    unplaced = {"spans": [(2, "LOC")]}
    gold, pred = corpora(EQUAL)
    pred = replace(pred, documents=[replace(pred.documents[0], unplaced=unplaced)])
    found = diff(side_by_side(gold, pred))
    assert found.counts.tolist() == [[2, 0, 0, 0, 1]]
    pair = found.document(0)["pairs"][-1]
    assert (pair["relation"], pair["error"], pair["gold"]) == ("spurious", UNPLACED, None)
    assert pair["pred"]["label"] == "LOC" and pair["pred"]["start"] is None
    assert pair["pred"]["length"] == 2 and pair["pred"]["text"] is None
    mirrored = diff(side_by_side(pred, gold))
    assert mirrored.counts.tolist() == [[2, 0, 0, 1, 0]]


def test_annotations_without_a_common_document_are_an_error():
    gold, pred = corpora(FEW)
    gold = replace(gold, documents=[replace(gold.documents[0], layers={"spans": None})])
    with pytest.raises(ValueError, match="no document is annotated in both gold and prediction"):
        diff(side_by_side(gold, pred))


def test_documents_without_words_have_no_texts():
    sides = [
        Corpus(name, [Document((), {"spans": [(1, 3, label)]}, "d", size=5)])
        for name, label in (("g", "X"), ("p", "Y"))
    ]
    (pair,) = diff(side_by_side(*sides)).document(0)["pairs"]
    assert pair["relation"] == "wrong label" and pair["gold"]["text"] is None


def test_categories_are_labels_of_whole_documents():
    sides = [
        Corpus(name, [Document(WORDS, {}, "d", categories={"spans": labels})])
        for name, labels in (("g", ["A", "B"]), ("p", ["B", "C"]))
    ]
    both = CorpusPair(sides[0], "spans", sides[1], "spans", ("g", "p"), categories=True)
    (document,) = diff(both).documents()
    assert document["counts"]["correct"] == 1 and document["counts"]["wrong label"] == 1
    assert document["pairs"][0]["gold"]["text"] is None
    assert summary(diff(both))["positions"] == "category"


def test_features_that_must_agree_make_other_pairs():
    gold, pred = corpora(EQUAL, EQUAL)
    features = [{"spans": {PER: {"kind": n}}} for n in (1, 2)]
    gold, pred = (
        replace(side, documents=[replace(one, features=said) for one in side.documents])
        for side, said in zip((gold, pred), features)
    )
    both = side_by_side(gold, pred)
    assert diff(both).counts.sum(axis=0).tolist() == [4, 0, 0, 0, 0]
    found = diff(both, features="kind")
    assert found.counts.sum(axis=0).tolist() == [2, 0, 2, 0, 0]
    assert found.document(0)["pairs"][0]["error"] == "other features"
    assert summary(found)["scores"]["strict"]["observed"] == 0.5
    with pytest.raises(ValueError, match="there is no feature 'sort'; expected one of 'kind'"):
        diff(both, features="kind+sort")


@given(pairs())
def test_counts_and_f_are_those_of_the_measures(pair):
    sides = [
        Corpus(
            name,
            [
                Document(words, {"x": rows}, doc)
                for words, rows, doc in zip(pair.words, side, pair.names)
            ],
        )
        for name, side in (("g", pair.gold), ("p", pair.pred))
    ]
    seen = [a is not None and b is not None for a, b in zip(pair.gold, pair.pred)]
    if not any(seen):
        return
    found = diff(CorpusPair(sides[0], "x", sides[1], "x", ("g", "p")), equal=True)
    documents = list(found.documents())
    assert sorted(one["place"] for one in documents) == [i for i, saw in enumerate(seen) if saw]
    scores = evaluate(found.gold, found.pred, ["gate_f(mode=strict)"], per_doc=True)
    per_doc = next(iter(scores.values())).per_doc
    for one in documents:
        assert one["f"] == pytest.approx(headline(per_doc[one["document"]]))
        numbers = [sum(p["relation"] == name for p in one["pairs"]) for name in one["counts"]]
        assert numbers == list(one["counts"].values())
    assert found.counts.sum() == sum(len(one["pairs"]) for one in documents)
    totals = summary(found)
    assert totals["scores"]["strict"]["observed"] == next(iter(scores.values())).observed


# --- beta


def test_beta_weighs_recall_in_all_scores_and_documents():
    found = summary(compare(FEW, beta=2.0))
    scores = evaluate(*compare(FEW).compared.aligned(), ["gate_f(beta=2)", "span_f(beta=2)"])
    assert found["beta"] == 2
    assert [headline(found["scores"][name]) for name in ("strict", "span_f")] == [
        score.headline for score in scores.values()
    ]
    assert compare(FEW, beta=2.0).document(0)["f"] == pytest.approx(
        scores["gate_f(beta=2)"].headline
    )
    with pytest.raises(ValueError, match="beta is 0; expected a number above 0"):
        compare(FEW, beta=0)
