import math

import pytest
import spacy
from hypothesis import given, settings
from spacy.pipeline.dep_parser import parser_score
from spacy.training import Example

from helpers.docmaking import make_doc
from helpers.parsing import parsed, parsed_examples
from spacy_chance_eval import FormatError
from spacy_chance_eval.integrations import make_parser_scorer
from spacy_chance_eval.scoring.trees import evaluate_trees
from spacy_chance_eval.spacy_docs.tree_docs import trees_of_examples

OURS = {"dep_alpha", "dep_alpha_observed", "dep_alpha_expected", "dep_alpha_standard_error"}
USUAL = {"dep_uas", "dep_las", "dep_las_per_type", "sents_p", "sents_r", "sents_f"}
PIPE = {  # what spaCy's parser hands to its scorer
    "moves": None,
    "update_with_oracle_cut_size": 100,
    "learn_tokens": False,
    "min_action_freq": 30,
    "beam_width": 1,
    "beam_density": 0.0,
    "beam_update_prob": 0.0,
    "multitasks": [],
    "labels": ("nsubj", "obj"),
}
# the trees A, B and D of the worked examples: A and B differ in one label
A = parsed("a b c d", [2, 0, 4, 2], "subj pred det obj")
B = parsed("a b c d", [2, 0, 4, 2], "nsubj pred det obj")
C = parsed("a b c d", [2, 0, 2, 2], "subj pred det obj")
D = parsed("e f", [2, 0], "subj pred")


def scored(*pairs, **parameters):
    """Scores of pairs (gold, prediction)."""
    return make_parser_scorer(**parameters)([Example(pred, gold) for gold, pred in pairs], **PIPE)


@given(parsed_examples())
def test_spacys_own_scores_are_unchanged(examples):
    theirs = parser_score(examples, **PIPE)
    scores = make_parser_scorer()(examples, **PIPE)
    assert {key: scores[key] for key in theirs} == theirs


def test_the_scorer_returns_all_its_keys_and_no_other():
    assert scored((A, B)).keys() == OURS | USUAL


@pytest.mark.parametrize(
    ("delta", "expected"), [("plain", 8 / 9), ("diff", 0), ("norm", 103 / 111)]
)
def test_alpha_of_a_worked_example(delta, expected):
    assert scored((A, B), (D, D), delta=delta)["dep_alpha"] == pytest.approx(expected)


@given(parsed_examples())
@settings(deadline=None)
def test_the_numbers_are_those_of_evaluate_trees(examples):
    name = "syntax_alpha(delta=norm)"
    score = evaluate_trees(*trees_of_examples(examples), [name])[name]
    found = make_parser_scorer("norm")(examples)
    numbers = [found[f"dep_alpha{part}"] for part in ("", "_observed", "_expected")]
    expected = [value or 0.0 for value in (score.headline, score.observed, score.expected)]
    assert numbers == pytest.approx(expected, rel=1e-9, abs=1e-12)  # sums in another order


@given(parsed_examples())
@settings(deadline=None)
def test_our_scores_are_finite_floats_whenever_there_is_gold(examples):
    scores = make_parser_scorer()(examples)
    found = [scores[key] for key in OURS - {"dep_alpha_standard_error"}]
    assert {*map(type, found)} == {float}
    assert all(map(math.isfinite, found))


def test_a_document_that_was_not_parsed_has_a_score():
    found = scored((A, make_doc("a b c d")), (D, make_doc("e f")))
    assert type(found["dep_alpha"]) is float
    assert found["dep_alpha"] < 0.5


def test_without_gold_there_is_no_score():
    found = scored((make_doc("a b c d"), A))
    assert {found[key] for key in OURS} == {None}


def test_sentences_with_missing_relations_count_for_spacy_alone():
    partly = parsed("a b c d", [2, 0, 4, 2], ["subj", "pred", "det", ""])
    found, usual = scored((A, B), (D, D), (partly, B)), scored((A, B), (D, D))
    assert found["dep_alpha"] == usual["dep_alpha"]
    assert found["dep_uas"] == 1.0
    assert scored((partly, A))["dep_alpha"] == 0.0  # no sentence to compare, but gold


def test_case_of_relations_is_no_difference():
    upper = parsed("a b c d", [2, 0, 4, 2], "SUBJ PRED DET OBJ")
    assert scored((A, upper), (D, D))["dep_alpha"] == 1.0


def test_punctuation_counts_for_alpha_and_not_for_spacy():
    gold = parsed("a b .", [2, 0, 2], "subj ROOT punct")
    pred = parsed("a b .", [2, 0, 1], "subj ROOT punct")
    found = scored((gold, pred), (D, D))
    assert (found["dep_las"], found["dep_alpha"] < 1) == (1.0, True)


MANY = ((A, B), (A, C), (D, D), (B, C), (C, C))  # 45 pairs of their ten trees


def test_the_standard_error_of_a_sample_is_reported():
    found = scored(*MANY, sample=40)
    assert 0 < found["dep_alpha_standard_error"] < 1
    assert scored(*MANY, sample=1)["dep_alpha_standard_error"] is None  # nobody knows


def test_a_cycle_is_an_error_that_names_its_place_unless_told():
    gold = parsed("b c d", [2, 1, 0], "x y ROOT", name="doc")
    with pytest.raises(FormatError, match="token 1 of sentence doc/1 cannot be reached"):
        scored((gold, parsed("b c d", [3, 3, 0], "x y ROOT")))
    found = scored((gold, parsed("b c d", [3, 3, 0], "x y ROOT")), cycles="reachable")
    assert math.isfinite(found["dep_alpha"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": "cubic"}, "delta is 'cubic'"),
        ({"sample": -1}, "sample"),
    ],
)
def test_unknown_settings_are_errors_at_once(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_parser_scorer(**parameters)


def test_a_pipeline_takes_the_scorer_by_its_name():
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spacy-chance-eval.parser_scorer.v1", "delta": "norm", "sample": 100}
    parser = nlp.add_pipe("parser", config={"scorer": scorer})
    for label in ("nsubj", "ROOT"):
        parser.add_label(label)
    nlp.initialize()
    example = Example(nlp.make_doc("it is"), parsed("it is", [2, 0], "nsubj ROOT"))
    scores = nlp.evaluate([example])
    assert OURS <= scores.keys()
    written = nlp.config["components"]["parser"]["scorer"]
    assert (written["delta"], written["sample"]) == ("norm", 100)
