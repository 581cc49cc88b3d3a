"""Arguments that functions do not have: the right call is named, and works."""

import inspect

import pytest

from helpers.cases import each_case
from spacy_chance_eval import (
    Comparison,
    Resampling,
    agree,
    compare,
    diff,
    evaluate,
    leaderboard,
    report,
)

GOLD = [["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"]]
PRED = [["B-PER", "O", "O"], ["O", "O", "B-LOC"]]
BOTH = {"anna": GOLD, "ben": PRED}


@each_case(
    "call, message",
    [
        (lambda: evaluate(GOLD, PRED, encoding="BIO"), "metrics=['token_precision(encoding=BIO)']"),
        (lambda: agree(BOTH, chance="none"), "agree(..., metrics=['span_precision(chance=none)'])"),
        (lambda: report(GOLD, PRED, beta=2), "evaluate(gold, pred, metrics=['span_f(beta=2)'])"),
        (
            lambda: evaluate(GOLD, PRED, token_information={"a": 1.0}),
            "request('slicm', token_information=...)",
        ),
        (lambda: evaluate(GOLD, PRED, scheme="IOB2"), "Spans.from_tags(tags, scheme=...)"),
        (lambda: evaluate(y_true=GOLD, y_pred=PRED), "it is called gold"),
        (lambda: report(GOLD, PRED, average="macro"), "report(gold, pred)['macro avg']"),
        (lambda: report(GOLD, PRED, suffix=True), "comes first, as in 'B-PER'"),
        (lambda: report(GOLD, PRED, output_dict=True), "to_dict()"),
        (lambda: evaluate(GOLD, PRED, interval=Resampling(9)), "did you mean 'intervals'"),
        (lambda: leaderboard(GOLD, BOTH, sizs=[1]), "did you mean 'sizes'"),
        (lambda: evaluate(GOLD, PRED, colour="red"), "it has gold, pred, metrics"),
        (lambda: evaluate(GOLD, PRED, intervals=1000), "intervals=Resampling(...))"),
        (
            lambda: leaderboard(GOLD, BOTH, comparison="bootstrap"),
            "leaderboard(..., comparison=Comparison(...))",
        ),
        (
            lambda: evaluate(None, None, ignore="punct"),
            "evaluate(..., metrics=['las(ignore=punct)'])",
        ),
        (
            lambda: agree(GOLD, PRED, ["span_f"]),
            "takes annotators and metrics, not 3 arguments without names; several annotators are "
            "one: agree({'anna': anna, 'ben': ben})",
        ),
        (
            lambda: evaluate(GOLD, PRED, ["span_f"], "ents"),
            "name the others: evaluate(gold, pred, metrics, NAME=...)",
        ),
        (
            lambda: compare(GOLD, PRED),
            "compare(gold, old, new), or of stored runs compare(old, new)",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_the_right_call(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert message in str(error.value)


def test_the_calls_that_are_advised_work():
    evaluate(GOLD, PRED, metrics=["token_f(encoding=BIO)"], intervals=Resampling(10))
    agree(BOTH, metrics=["span_precision(chance=none)"], intervals=Resampling(10, interval="bca"))
    leaderboard(GOLD, BOTH, intervals=Resampling(10), comparison=Comparison("bootstrap"))


@pytest.mark.parametrize("function", [evaluate, report, leaderboard, agree, diff, compare])
def test_functions_show_their_arguments(function):
    assert len(inspect.signature(function).parameters) > 4
    assert "Parameters\n" in inspect.getdoc(function)
