"""The sentence that begins the pages of a diff, and why the spans of a pair differ."""

import pytest

from helpers.differing import EQUAL, FEW, MANY, OSLO, PER, REX, compare
from spacy_chance_eval.analysis.diff import diff, summary
from spacy_chance_eval.corpora.pairs import CorpusPair, side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports.diff import diff_verdict, pair_reason
from spacy_chance_eval.scoring.statistics import headline

NOTHING = [], []
MISSING = [PER, REX, OSLO], [PER]


def verdict(*documents, names=("gold", "bert"), **settings):
    return diff_verdict(summary(compare(*documents, **settings)) | {"names": names})


def test_the_verdict_has_what_is_found_its_scores_and_the_largest_loss():
    found = summary(compare(FEW, MANY, FEW))
    f, corrected = found["scores"]["span_f"]["observed"], headline(found["scores"]["span_f"])
    assert verdict(FEW, MANY, FEW) == (
        f"bert finds 3 of 10 gold spans exactly (F {f:.2f}, {corrected:.2f} beyond chance); the "
        "largest losses are 3 spans with other boundaries and 3 missing spans."
    ).replace("0.", ".")


@pytest.mark.parametrize(
    ("documents", "end"),
    [
        ([MISSING, MISSING, FEW], "the largest loss is 5 missing spans, most of them LOC."),
        ([MISSING], "the largest loss is 2 missing spans, 1 of them LOC."),
        ([([OSLO, PER], [PER])] * 2, "the largest loss is 2 missing spans, all of them LOC."),
        ([([PER], [PER, REX])], "the largest loss is 1 spurious span."),
        ([([REX], [(2, 4, "LOC")])], "the largest loss is 1 span with another label."),
    ],
    ids=["most", "some", "all", "one", "another label"],
)
def test_the_loss_is_the_most_frequent_relation_with_its_label(documents, end):
    assert verdict(*documents).endswith(f"; {end}")


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        ([EQUAL], "bert has exactly the 2 spans of gold."),
        ([([], [PER])], "gold has no span: 1 span of bert is spurious."),
        ([([PER, REX], [])], "bert has no span: 2 spans of gold are missing."),
        ([NOTHING], "Neither gold nor bert has a span."),
    ],
    ids=["equal", "no gold", "no prediction", "nothing"],
)
def test_annotations_without_a_score_or_a_difference_have_a_sentence_too(documents, sentence):
    assert verdict(*documents) == sentence


def test_the_verdict_names_labels_that_were_chosen():
    assert verdict(MANY, labels=["DATE"]).startswith("bert finds none of 1 gold span of DATE")
    some = verdict(FEW, labels=["PER"])
    assert some.startswith("bert finds 1 of 2 gold spans of PER exactly (F .50, ")


def test_one_label_alone_has_its_own_score_beyond_chance():
    found = summary(compare(FEW, MANY, labels=["PER"]))
    value = headline(found["scores"]["span_f"]["per_label"]["PER"])
    assert f", {value:.2f} beyond chance".replace("0.", ".") in verdict(FEW, MANY, labels=["PER"])


def test_relations_that_are_filtered_out_change_no_verdict():
    assert verdict(FEW, MANY, relations=["spurious"]) == verdict(FEW, MANY)


def test_other_names_of_gold_are_named_and_made_printable():
    text = verdict(FEW, names=("anna\n", "<b>"))
    assert text.startswith("<b> finds 1 of 3 spans of anna\\n exactly")


def test_categories_are_labels_of_documents():
    corpora = [
        Corpus(name, [Document((), {}, text="x", categories={"c": row}) for row in rows])
        for name, rows in (("g", (["a"], ["b"])), ("p", (["a"], ["c"])))
    ]
    both = CorpusPair(corpora[0], "c", corpora[1], "c", ("g", "p"), categories=True)
    assert diff_verdict(summary(diff(both))).startswith("predicted finds 1 of 2 gold labels")


def reasons(gold, pred, said=({}, {}), **settings):
    words = "a b c d e f".split()
    sides = [
        Corpus(name, [Document(words, {"x": spans}, "d", features={"x": one})])
        for name, spans, one in zip("gp", (gold, pred), said)
    ]
    found = diff(side_by_side(*sides), equal=True, **settings)
    return [pair_reason(pair, ("gold", "bert"), "token") for pair in found.document(0)["pairs"]]


@pytest.mark.parametrize(
    ("gold", "pred", "reason"),
    [
        ((1, 3, "A"), (1, 3, "A"), "correct: gold and bert have A 1-3"),
        ((3, 5, "LOC"), (3, 4, "ORG"), "1 token shorter at the end, wrong label"),
        ((1, 3, "A"), (0, 3, "A"), "1 token longer at the start"),
        ((1, 3, "A"), (2, 6, "A"), "starts 1 token later, ends 3 tokens later"),
        ((1, 4, "A"), (0, 2, "A"), "starts 1 token earlier, ends 2 tokens earlier"),
        ((1, 3, "A"), (1, 3, "B"), "gold has A 1-3, bert has B 1-3: wrong label"),
    ],
)
def test_the_reason_compares_boundaries_and_labels(gold, pred, reason):
    (text,) = reasons([gold], [pred])
    assert text.endswith(reason)


def test_the_reason_of_a_single_span_says_who_has_it():
    assert reasons([(0, 1, "A")], [(3, 4, "")]) == [
        "missing: gold has A 0-1, bert no counterpart",
        "spurious: bert has (empty) 3-4, gold no counterpart",
    ]


def test_features_that_must_agree_are_a_reason():
    span = (0, 1, "A")
    said = {span: {"kind": "dog"}}, {span: {"kind": "cat"}}
    (text,) = reasons([span], [span], said, features="kind")
    assert text == "gold has A 0-1, bert has A 0-1: features differ"
