import json
import math
import pickle

import pytest
import spacy
import srsly
from hypothesis import given
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Example

from helpers.cases import each_case
from helpers.docmaking import (
    ent_examples,
    group_example,
    group_examples,
    make_example,
)
from spacy_chance_eval import evaluate
from spacy_chance_eval.integrations import make_ner_scorer, make_parser_scorer, make_spancat_scorer
from spacy_chance_eval.spacy_docs.docs import spans_of_examples

PRINTED = ("p", "r", "f", "per_type")  # by `spacy evaluate --spans-key`
SUFFIXES = (
    "p_corrected",
    "r_corrected",
    "f_corrected",
    "f_expected",
    "token_f",
    "f_observed",
    "token_f_expected",
    "token_f_corrected",
    "slicm",
    "slicm_norm",
)
NER_SETTINGS = {  # what spaCy's ner hands to its scorer
    "moves": None,
    "update_with_oracle_cut_size": 100,
    "multitasks": [],
    "min_action_freq": 1,
    "learn_tokens": False,
    "beam_width": 1,
    "beam_density": 0.0,
    "beam_update_prob": 0.0,
    "incorrect_spans_key": None,
    "labels": ("A", "B"),
}
SPANCAT_SETTINGS = {  # what spaCy's spancat does
    "spans_key": "sc",
    "threshold": 0.5,
    "max_positive": None,
    "allow_overlap": True,
    "negative_weight": None,
    "labels": ("A", "B"),
}
GOLD, PRED = [(0, 2, "A"), (4, 5, "B")], [(0, 2, "A"), (3, 5, "B")]


def ours(scores, prefix="ents"):
    """The single numbers that are ours."""
    return {suffix: scores[f"{prefix}_{suffix}"] for suffix in SUFFIXES}


@given(ent_examples())
def test_spacys_own_entity_scores_are_unchanged(examples):
    theirs = get_ner_prf(examples, **NER_SETTINGS)
    scores = make_ner_scorer()(examples, **NER_SETTINGS)
    assert {key: scores[key] for key in theirs} == theirs


@given(group_examples())
def test_spacys_own_group_scores_are_unchanged(examples):
    theirs = spancat_score(examples, **SPANCAT_SETTINGS)
    scores = make_spancat_scorer()(examples, **SPANCAT_SETTINGS)
    assert {key: scores[key] for key in theirs} == theirs


def test_the_entity_scorer_returns_all_its_keys_and_no_other():
    scores = make_ner_scorer()([make_example(8, GOLD, PRED)])
    usual = ["ents_p", "ents_r", "ents_f", "ents_per_type", "ents_corrected_per_type"]
    printed = (f"spans_corrected_ents_{name}" for name in PRINTED)
    assert set(scores) == {*usual, *(f"ents_{suffix}" for suffix in SUFFIXES), *printed}
    assert scores["spans_corrected_ents_f"] == scores["ents_f_corrected"]


def test_the_group_scorer_returns_all_its_keys_and_no_other():
    scores = make_spancat_scorer("k")([group_example(8, GOLD, PRED, key="k")])
    own = {f"spans_k_{suffix}" for suffix in (*PRINTED, "corrected_per_type", *SUFFIXES)}
    assert set(scores) == own | {f"spans_corrected_k_{name}" for name in PRINTED}
    assert scores["spans_corrected_k_f"] == scores["spans_k_f_corrected"]


@pytest.mark.parametrize(
    ("chance", "encoding"),
    [("disjoint", "IO"), ("disjoint", "BIOE"), ("overlapping", "IO"), ("none", "IO")],
)
@given(examples=ent_examples())
def test_scores_are_those_of_evaluate_with_every_setting(chance, encoding, examples):
    found = make_ner_scorer(chance=chance, encoding=encoding)(examples)
    model = f"chance={chance}"
    names = [f"span_f({model})", f"token_f({model},encoding={encoding})", "slicm_norm"]
    span, token, information = evaluate(*spans_of_examples(examples, "ents"), names).values()
    if found["ents_f_corrected"] is not None:
        assert found["ents_f_corrected"] == pytest.approx(span.headline or 0, abs=1e-12)
        assert found["ents_f_expected"] == pytest.approx(span.expected or 0, abs=1e-12)
        assert found["ents_token_f_corrected"] == pytest.approx(token.headline or 0, abs=1e-12)
        assert found["ents_slicm_norm"] == pytest.approx(information.headline or 0, abs=1e-12)
        labels = found["ents_corrected_per_type"]
        assert {label: row["support"] for label, row in labels.items()} == {
            label: row["gold"] for label, row in span.per_label.items()
        }


@given(ent_examples())
def test_entity_scores_are_finite_floats_whenever_there_is_gold(examples):
    annotated = any(example.y.has_annotation("ENT_IOB") for example in examples)
    scores = ours(make_ner_scorer()(examples))
    kinds = {type(value) for value in scores.values()}
    assert kinds == ({float} if annotated else {type(None)})
    assert all(value is None or math.isfinite(value) for value in scores.values())


@given(group_examples())
def test_group_scores_are_finite_floats_whenever_there_is_gold(examples):
    annotated = any("sc" in example.y.spans for example in examples)
    scores = ours(make_spancat_scorer("sc")(examples), "spans_sc")
    kinds = {type(value) for value in scores.values()}
    assert kinds == ({float} if annotated else {type(None)})
    assert all(value is None or math.isfinite(value) for value in scores.values())


@each_case("suffix", SUFFIXES)
def test_nothing_predicted_scores_zero_apart_from_information(suffix):
    value = make_ner_scorer()([make_example(8, GOLD, [])])[f"ents_{suffix}"]
    # the bits of gold are all lost: two labels of one bit each, 1 + 1/2 and 1 bit of tokens
    assert value == (-4.5 if suffix == "slicm" else 0.0)


def test_gold_annotated_without_entities_is_none_for_spacy_and_not_for_us():
    scores = make_ner_scorer()([make_example(8, [], [])])
    assert (scores["ents_f"], scores["ents_f_corrected"]) == (None, 0.0)


def test_without_gold_all_scores_are_none():
    scores = make_ner_scorer()([make_example(8, None, PRED)])
    assert set(scores.values()) == {None}


def test_everything_covered_is_expected_by_chance_and_scores_zero():
    scores = make_ner_scorer()([make_example(3, [(0, 3, "A")], [(0, 3, "A")])])
    assert scores["ents_f"] == scores["ents_f_expected"] == scores["ents_token_f_expected"] == 1.0
    assert scores["ents_f_corrected"] == scores["ents_token_f_corrected"] == 0.0


def test_documents_without_gold_change_nothing():
    one, other = make_example(8, GOLD, PRED), make_example(5, None, PRED)
    assert make_ner_scorer()([one]) == make_ner_scorer()([one, other])


@pytest.mark.parametrize("pred", [[], PRED, GOLD])
def test_scores_can_be_written_as_json(pred):
    scores = make_ner_scorer()([make_example(8, GOLD, pred)])
    assert srsly.json_loads(srsly.json_dumps(scores)).keys() == scores.keys()
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores


@pytest.mark.parametrize("name", ["unit", "chance", "encoding", "token_information"])
def test_a_setting_of_the_pipe_with_a_name_of_ours_is_not_mistaken(name):
    examples = [make_example(8, GOLD, PRED)]
    assert make_ner_scorer()(examples, **{name: "theirs"}) == make_ner_scorer()(examples)


def test_the_pipes_allow_overlap_does_not_filter_our_scores():
    rows = [(0, 3, "A"), (1, 2, "B")]
    examples = [group_example(6, rows, rows)]
    score = make_spancat_scorer()
    filtered, usual = (
        score(examples, **{**SPANCAT_SETTINGS, "allow_overlap": allow}) for allow in (False, True)
    )
    assert ours(filtered, "spans_sc") == ours(usual, "spans_sc")


def test_our_allow_overlap_filters_our_scores():
    examples = [group_example(8, [(0, 3, "A"), (1, 2, "B")], [(0, 3, "A")])]
    strict, usual = make_spancat_scorer(allow_overlap=False), make_spancat_scorer()
    assert strict(examples, spans_key="sc")["spans_sc_f_corrected"] == 1.0
    assert usual(examples, spans_key="sc")["spans_sc_f_corrected"] < 1.0


def test_the_key_of_the_scorer_goes_before_that_of_the_pipe():
    examples = [group_example(8, GOLD, PRED, key="k")]
    assert "spans_k_f_corrected" in make_spancat_scorer("k")(examples, **SPANCAT_SETTINGS)


@each_case("make", [make_ner_scorer, make_spancat_scorer])
@each_case(
    ("setting", "choices"),
    [
        ({"unit": "word"}, "sentence, document"),
        ({"chance": "random"}, "none, disjoint"),
        ({"encoding": "BILUO"}, "IO, BIO"),
        ({"token_information": "prob"}, "constant, corpus, lexeme_prob"),
    ],
)
def test_a_bad_setting_is_refused_at_creation_with_the_choices(make, setting, choices):
    ((name, value),) = setting.items()
    with pytest.raises(ValueError, match=f"{name} is '{value}'; expected one of .*{choices}"):
        make(**setting)


def test_word_probabilities_without_a_table_are_an_error():
    with pytest.raises(ValueError, match="no table 'lexeme_prob'"):
        make_ner_scorer(token_information="lexeme_prob")([make_example(8, GOLD, PRED)])


def test_word_probabilities_are_those_of_the_table():
    nlp = spacy.blank("en")
    nlp.vocab.lookups.add_table("lexeme_prob", {"Ada": -math.log(8)})
    docs = [nlp("Ada slept") for _ in range(2)]
    for doc in docs:
        doc.set_ents([doc.char_span(0, 3, label="PER")])
    scores = make_ner_scorer(token_information="lexeme_prob")([Example(*docs)])
    assert scores["ents_slicm"] == pytest.approx(3.0, abs=1e-6)


def test_examples_may_come_from_a_generator():
    score, examples = make_ner_scorer(), [make_example(8, GOLD, PRED)]
    assert score(example for example in examples) == score(examples)


@pytest.mark.parametrize("make", [make_ner_scorer, make_spancat_scorer, make_parser_scorer])
def test_scorers_can_be_sent_to_processes_that_are_spawned(make):
    examples = [make_example(8, GOLD, PRED)]
    assert pickle.loads(pickle.dumps(make()))(examples) == make()(examples)
