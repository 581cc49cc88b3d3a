"""Arguments that functions do not have: the right call is named, and works."""

import inspect

import pytest
from seqeval.scheme import IOB2, IOBES

from helpers.cases import each_case
from spacy_chance_eval import (
    Comparison,
    Resampling,
    Spans,
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
        (
            lambda: evaluate(GOLD, PRED, ["slicm", "token_f"], encoding="BIO"),
            "evaluate(..., metrics=['token_f(encoding=BIO)'])",
        ),
        (lambda: agree(BOTH, chance="none"), "agree(..., metrics=['span_precision(chance=none)'])"),
        (lambda: report(GOLD, PRED, beta=2), "evaluate(gold, pred, metrics=['span_f(beta=2)'])"),
        (
            lambda: evaluate(GOLD, PRED, token_information={"a": 1.0}),
            "request('slicm', token_information=...)",
        ),
        (lambda: evaluate(GOLD, PRED, scheme="IOB2"), "Spans.from_tags(tags, scheme=...)"),
        (
            lambda: evaluate(GOLD, PRED, ["gate_f"], mode="strict"),
            "metrics=['gate_f(mode=strict)']",
        ),
        (lambda: evaluate(y_true=GOLD, y_pred=PRED), "it is called gold"),
        (lambda: report(GOLD, PRED, average="macro"), "scores['span_f'].macro"),
        (lambda: report(GOLD, PRED, suffix=True), "comes first, as in 'B-PER'"),
        (lambda: report(GOLD, y_true=GOLD, y_pred=PRED), "gold and y_true, which are the same"),
        (lambda: report(GOLD, PRED, output_dict=True), "to_dict()"),
        (lambda: evaluate(GOLD, PRED, interval=Resampling(9)), "did you mean 'intervals'"),
        (lambda: leaderboard(GOLD, BOTH, sizs=[1]), "did you mean 'sizes'"),
        (lambda: evaluate(GOLD, PRED, colour="red"), "it has gold, pred, metrics"),
        (lambda: evaluate(GOLD, PRED, intervals=1000), "intervals=Resampling(1000))"),
        (lambda: leaderboard(GOLD, BOTH, intervals=True), "intervals=Resampling())"),
        (lambda: agree(BOTH, intervals="bca"), "intervals=Resampling(interval='bca'))"),
        (lambda: evaluate(GOLD, PRED, intervals=0.9), "intervals=Resampling(level=0.9))"),
        (lambda: evaluate(GOLD, PRED, intervals=False), "intervals=Resampling(0))"),
        (
            lambda: leaderboard(GOLD, BOTH, comparison="bootstrap"),
            "leaderboard(..., comparison=Comparison('bootstrap'))",
        ),
        (lambda: leaderboard(GOLD, BOTH, comparison=0.01), "comparison=Comparison(alpha=0.01))"),
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


def test_a_report_takes_the_names_of_seqeval_and_scikit_learn():
    assert report(y_true=GOLD, y_pred=PRED) == report(GOLD, PRED)


@each_case("scheme, expected", [("BILOU", "'BILUO'"), (IOBES, "'BIOES'")])
def test_the_schemes_of_seqeval_are_called_as_they_are_here(scheme, expected):
    with pytest.raises(TypeError, match=f"y_pred, scheme={expected}, repair='drop'"):
        report(GOLD, PRED, mode="strict", scheme=scheme)


@each_case(
    "call, arguments",
    [
        (report, {"mode": "strict", "scheme": "IOB2"}),
        (report, {"scheme": "IOB2", "mode": "strict"}),
        (report, {"mode": "strict", "scheme": IOB2}),
        (evaluate, {"metrics": ["span_f"], "mode": "strict"}),
    ],
)
def test_the_strict_mode_of_seqeval_is_the_call_that_is_advised(call, arguments):
    with pytest.raises(TypeError) as error:
        call(GOLD, PRED, **arguments)
    advised = str(error.value).partition("as they are read: ")[2]
    y_pred = [["O", "I-PER", "O"], ["O", "O", "I-LOC"]]  # improper in IOB2, all of IOB1
    names = {call.__name__: call, "Spans": Spans, "y_true": GOLD, "y_pred": y_pred}
    result = eval(advised, names)
    assert (result["PER"]["f1-score"] if call is report else result["span_f"].observed) == 0


@pytest.mark.parametrize("function", [evaluate, report, leaderboard, agree, diff, compare])
def test_functions_show_their_arguments(function):
    assert len(inspect.signature(function).parameters) > 4
    assert "Parameters\n" in inspect.getdoc(function)
