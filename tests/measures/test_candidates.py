"""Candidates: rules for words and Docs, and the column of `Spans` that carries the mask."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.candidates import candidate_tokens
from spacy_chance_eval.measures.spans import Spans, concatenated

WORDS = ["Anna", "met", "Ǆ", "3M", ".", "'s", "Ölaf", "\U0001d538"]


@pytest.fixture(autouse=True)
def extension():
    Doc.set_extension("marked", default=None, force=True)
    yield
    Doc.remove_extension("marked")


def spans(documents=(((0, 1, "A"),), ((1, 2, "A"),)), sizes=(2, 3), **fields):
    return Spans.from_tuples(list(documents), sizes, **fields)


MASK = np.array([True, False, True, True, False])


# --- rules


@pytest.mark.parametrize(
    "rule, marked",
    [("capitalised", [0, 2, 6, 7]), ("not-punctuation", [0, 1, 2, 3, 5, 6, 7])],
)
def test_a_rule_looks_at_words(rule, marked):
    assert np.flatnonzero(candidate_tokens(WORDS, rule)).tolist() == marked


def test_no_words_have_no_candidates():
    assert candidate_tokens([], "capitalised").tolist() == []


@pytest.mark.parametrize(
    "rule, message",
    [("capitalized", "unknown rule"), ("noun-chunks", "for Docs"), ("attribute:x", "for Docs")],
)
def test_words_answer_rules_of_words_only(rule, message):
    with pytest.raises(ValueError, match=message):
        candidate_tokens(WORDS, rule)


def parsed_doc():
    vocab = spacy.blank("en").vocab
    return Doc(
        vocab,
        words=["the", "cat", "saw", "Ben"],
        pos=["DET", "NOUN", "VERB", "PROPN"],
        heads=[1, 2, 2, 2],
        deps=["det", "nsubj", "ROOT", "dobj"],
    )


def test_noun_chunks_of_docs_are_candidates():
    found = candidate_tokens([parsed_doc(), parsed_doc()], "noun-chunks")
    assert found.tolist() == [True, True, False, True] * 2


def test_docs_without_a_parse_have_no_noun_chunks():
    with pytest.raises(ValueError, match="document 1 has no noun chunks.*parser first"):
        candidate_tokens([spacy.blank("en")("a cat")], "noun-chunks")


def test_rules_of_words_look_at_the_words_of_docs():
    assert candidate_tokens([parsed_doc()], "capitalised").tolist() == [False] * 3 + [True]


@pytest.mark.parametrize("marks", [[True, False, True, False], [0, 2], np.array([2, 0])])
def test_an_attribute_of_docs_has_booleans_or_numbers(marks):
    doc = parsed_doc()
    doc._.marked = marks
    assert candidate_tokens([doc], "attribute:marked").tolist() == [True, False, True, False]


@pytest.mark.parametrize("marks", [None, "TFTF", [True], [4], [-1], [0.5], [True, 1, 2, 3]])
def test_an_attribute_of_docs_that_is_no_mask_is_an_error(marks):
    doc = parsed_doc()
    doc._.marked = marks
    with pytest.raises(ValueError, match=r"doc._.marked of document 1 .* expected a list of 4"):
        candidate_tokens([doc], "attribute:marked")


def test_docs_without_the_attribute_are_an_error():
    with pytest.raises(ValueError, match="no attribute 'other'"):
        candidate_tokens([parsed_doc()], "attribute:other")


# --- the column


def test_spans_take_a_mask():
    assert spans(candidates=MASK).candidates.tolist() == MASK.tolist()


def test_spans_make_a_mask_of_their_words():
    own = spans(words=["A", "b", "c", "D", "E"]).with_candidates("capitalised")
    assert (own.candidates.tolist(), own.rule) == ([True, False, False, True, True], "capitalised")


@pytest.mark.parametrize(
    "mask, message",
    [
        (MASK[1:], "4 candidates for 5 tokens"),
        ([0, 2, 0, 1, 1], "booleans"),
        ("capitalised", "lack"),
    ],
)
def test_a_mask_that_does_not_fit_is_an_error(mask, message):
    with pytest.raises(ValueError, match=message):
        spans().with_candidates(mask)


def test_fewer_spans_keep_the_mask():
    assert spans(candidates=MASK).keep([0]).candidates is not None


def test_the_mask_does_not_change_the_digest():
    assert spans(candidates=MASK).digest() == spans().digest()


def test_masks_of_parts_are_joined_and_parts_without_one_are_all_candidates():
    joined = concatenated([spans(candidates=MASK), spans()])
    assert joined.candidates.tolist() == [*MASK.tolist(), *[True] * 5]
    assert concatenated([spans(), spans()]).candidates is None


@pytest.mark.parametrize("first", [True, False])
def test_the_mask_of_one_is_the_mask_of_both(first):
    pair = spans(candidates=MASK), spans()
    for side in align(*(pair if first else pair[::-1])):
        assert side.candidates.tolist() == MASK.tolist()
        assert side.rule == spans(candidates=MASK).rule


def test_two_other_masks_are_an_error_that_names_the_token():
    words = list("abcde")
    pair = (spans(candidates=mask, words=words) for mask in (MASK, ~MASK))
    with pytest.raises(ValueError, match=r"document 1: token 1 \('a'\) is a candidate for one"):
        align(*pair)
