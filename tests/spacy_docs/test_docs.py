import math

import pytest
import spacy
from hypothesis import given
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Example

from helpers.docmaking import (
    ent_examples,
    group_example,
    group_examples,
    make_doc,
    make_example,
    tuples,
)
from spacy_chance_eval import align, evaluate
from spacy_chance_eval.spacy_docs.docs import lexeme_information, spans_of_examples

OBSERVED = ("span_precision", "span_recall", "span_f")


def observed(examples, layer="ents"):
    """Our observed span precision, recall and F; 0.0 where undefined."""
    gold, pred = spans_of_examples(examples, layer)
    scores = evaluate(gold, pred, [f"{name}(chance=none)" for name in OBSERVED])
    return [score.observed or 0.0 for score in scores.values()]


def usual(scores, prefix):
    """spaCy's precision, recall and F; 0.0 where undefined."""
    return [scores[f"{prefix}_{name}"] or 0.0 for name in "prf"]


NESTED = [(0, 3, "A"), (1, 2, "A"), (1, 4, "B")]
BLOCKED = make_example(4, [(0, 1, "A")], blocked=[(2, 4)])

# examples, layer, spans of gold, spans of the prediction
PLACED = {
    "entities": (
        [make_example(6, [(0, 2, "PER"), (3, 4, "LOC")], [(0, 2, "PER")])], "ents",
        [(0, 0, 2, "PER"), (0, 3, 4, "LOC")], [(0, 0, 2, "PER")],
    ),
    "entities that touch stay two": (
        [make_example(4, [(0, 2, "A"), (2, 4, "A")])], "ents",
        [(0, 0, 2, "A"), (0, 2, 4, "A")], [],
    ),
    "an end does not run into the next document": (
        [make_example(3, [(1, 3, "A")]), make_example(3, [(0, 2, "A")])], "ents",
        [(0, 1, 3, "A"), (1, 0, 2, "A")], [],
    ),
    "spans of a group may overlap": (
        [group_example(5, NESTED, NESTED[:1])], "spans:sc",
        [(0, *row) for row in NESTED], [(0, *NESTED[0])],
    ),
    "repeated spans of a group are one": (
        [group_example(5, [(0, 3, "A")] * 2, [(0, 3, "A")] * 2)], "spans:sc",
        [(0, 0, 3, "A")], [(0, 0, 3, "A")],
    ),
    "blocked tokens are outside": ([BLOCKED], "ents", [(0, 0, 1, "A")], []),
}  # fmt: skip


@pytest.mark.parametrize(("examples", "layer", "gold", "pred"), PLACED.values(), ids=PLACED)
def test_spans_are_those_of_the_docs(examples, layer, gold, pred):
    found = spans_of_examples(examples, layer)
    assert [tuples(spans) for spans in found] == [gold, pred]


def test_a_pair_of_layers_takes_gold_and_prediction_from_different_places():
    example = Example(make_doc(4, groups={"ruler": [(1, 2, "A")]}), make_doc(4, [(0, 1, "A")]))
    gold, pred = spans_of_examples([example], "ents", "spans:ruler")
    assert (tuples(gold), tuples(pred)) == ([(0, 0, 1, "A")], [(0, 1, 2, "A")])


@pytest.mark.parametrize("layer", ["spans:", "sc", "Ents"])
def test_an_unknown_layer_is_refused(layer):
    with pytest.raises(ValueError, match=r'unknown layer .*; expected "ents" or "spans:KEY"'):
        spans_of_examples([make_example(3)], layer)


UNSEEN = {
    "ents": [make_example(3, None, [(0, 1, "A")]), make_example(3, [], [(0, 1, "A")])],
    "spans:sc": [group_example(3, None, [(0, 1, "A")]), group_example(3, [], [(0, 1, "A")])],
}


@pytest.mark.parametrize(("layer", "examples"), UNSEEN.items(), ids=UNSEEN)
def test_a_document_without_the_layer_in_gold_is_not_seen(layer, examples):
    gold, pred = spans_of_examples(examples, layer)
    assert gold.seen.tolist() == pred.seen.tolist() == [False, True]
    assert (1, 0, 1, "A") in tuples(pred)


def test_a_prediction_over_blocked_tokens_is_wrong():
    examples = [make_example(4, [(0, 1, "A")], [(0, 1, "A"), (2, 4, "A")], blocked=[(2, 4)])]
    assert observed(examples) == usual(get_ner_prf(examples), "ents") == [0.5, 1.0, 2 / 3]


def test_predictions_over_missing_tokens_are_ignored_as_spacy_does():
    pred = [(0, 1, "A"), (2, 4, "A"), (5, 6, "A")]
    examples = [make_example(6, [(0, 1, "A")], pred, missing=[(3, 4)])]
    assert tuples(align(*spans_of_examples(examples, "ents"))[1]) == [
        (0, 0, 1, "A"),
        (0, 5, 6, "A"),
    ]
    assert observed(examples) == pytest.approx(usual(get_ner_prf(examples), "ents"), abs=1e-12)


def split_example(ents, pred):
    """Gold tokens a, New York, b; predicted ones have York in two pieces."""
    gold = make_doc(["a", "New", "York", "b"], ents)
    return Example(make_doc(["a", "New", "Yo", "rk", "b"], pred, spaces=[1, 1, 0, 1, 0]), gold)


def test_an_unplaced_span_is_predicted_and_matches_nothing():
    examples = [split_example([(1, 3, "LOC")], [(1, 3, "LOC"), (4, 5, "LOC")])]
    gold, pred = spans_of_examples(examples, "ents")
    score = evaluate(gold, pred, ["span_f"])["span_f"]
    assert score.per_label["LOC"]["pred"] == 2
    assert observed(examples) == [0.0, 0.0, 0.0]


def test_misaligned_tokens_make_spacy_disagree_with_itself_and_not_us():
    # ECOSYSTEM: one and the same prediction has 1.0 in get_ner_prf and 0.0 in score_spans
    example = split_example([(1, 3, "LOC")], [(1, 3, "LOC")])
    for doc in (example.x, example.y):
        doc.spans["sc"] = list(doc.ents)
    assert get_ner_prf([example])["ents_f"] == 1.0
    assert spancat_score([example], spans_key="sc")["spans_sc_f"] == 0.0
    assert observed([example]) == observed([example], "spans:sc") == [0.0, 0.0, 0.0]


def test_of_spans_of_equal_extent_the_first_label_is_kept_whatever_their_order():
    kept = [
        spans_of_examples([group_example(4, [(0, 2, "X")], rows)], "spans:sc", filtered=True)[1]
        for rows in ([(0, 2, "X"), (0, 2, "Y")], [(0, 2, "Y"), (0, 2, "X")])
    ]
    assert [tuples(spans) for spans in kept] == [[(0, 0, 2, "X")]] * 2


def test_filtered_groups_keep_the_longest_then_the_first():
    rows = [(0, 2, "A"), (1, 4, "A"), (4, 5, "B")]
    gold, _ = spans_of_examples([group_example(6, rows, [])], "spans:sc", filtered=True)
    assert tuples(gold) == [(0, 1, 4, "A"), (0, 4, 5, "B")]


@given(ent_examples())
def test_observed_scores_of_entities_are_those_of_spacy(examples):
    assert observed(examples) == pytest.approx(usual(get_ner_prf(examples), "ents"), abs=1e-12)


@given(group_examples())
def test_observed_scores_of_span_groups_are_those_of_spacy(examples):
    scores = spancat_score(examples, spans_key="sc")
    assert observed(examples, "spans:sc") == pytest.approx(usual(scores, "spans_sc"), abs=1e-12)


def test_word_probabilities_need_their_table_which_a_look_at_one_does_not_make():
    vocab = spacy.blank("en").vocab
    for _ in range(2):
        with pytest.raises(ValueError, match="no table 'lexeme_prob'.*spacy-chance-eval.lookups"):
            lexeme_information(vocab)
        assert vocab["the"].prob == -20.0


def test_word_probabilities_become_bits_that_are_not_negative():
    vocab = spacy.blank("en").vocab
    vocab.lookups.add_table("lexeme_prob", {"the": -math.log(8), "sure": 0.5})
    bits = lexeme_information(vocab)
    assert bits("the") == pytest.approx(3.0, abs=1e-6)
    assert bits("unheard") == pytest.approx(20 / math.log(2), abs=1e-6)
    assert bits("sure") == 0.0
    assert bits.signature == "lexeme_prob:en"
