"""`labels=ignore`: every metric scores the spans as if all had one label in the files."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from helpers.blocks import NONE, made, two_files
from helpers.blocks import score as score_blocks
from helpers.laws import LAWS, assert_same_results, each_fitting, requests, speaking_of
from helpers.strategies import LABELS, pairs, random_pair
from helpers.teamfiles import agree as agree_files
from spacy_chance_eval import Spans, agree, evaluate, parse, request
from spacy_chance_eval.reports.agreement import agreement_report
from spacy_chance_eval.reports.scores import averages_of

ONE = "*"
SPANS = ("span_f", "token_f", "token_f(encoding=BIO)", "int_f", "gate_f(mode=lenient)", "slicm")
TEAM = ("span_f(chance=overlapping)", "token_f(chance=overlapping)", "krippendorff_alpha", "slicm")


def merged(docs):
    """The lists of spans with one label; a place with several labels is one span."""
    return tuple(spans and sorted({(start, end, ONE) for start, end, _ in spans}) for spans in docs)


def relabelled(pair):
    """The pair as it is in files that know one label only."""
    return replace(pair, gold=merged(pair.gold), pred=merged(pair.pred))


def blind(asked):
    """The same request with labels ignored; None for weights of pairs of labels."""
    try:
        return request(asked.metric, **{**asked.parameters, "labels": "ignore"})
    except ValueError:
        return None


def check(pair, requested, **options):
    some = {blind(one): one for one in requested if blind(one) is not None}
    if not some:  # weights of pairs of labels alone
        return
    plain = evaluate(*relabelled(pair).sides((ONE,)), list(some.values()), **options)
    found = evaluate(*pair.sides(LABELS), list(some), **options)
    assert_same_results(found, dict(zip(found, plain.values())))


@given(pair=pairs(kinds=("flat",)))
def test_ignoring_labels_is_relabelling_the_files(pair):
    for fit, requested in each_fitting(pair):
        check(fit, requested, per_doc=True)


def test_drawn_expectations_are_those_of_the_relabelled_files():
    pair = random_pair(1, "flat")
    for name in LAWS:
        if asked := requests(name, "disjoint", True):
            with speaking_of(name):
                check(pair, asked, draws=5)


@pytest.mark.parametrize("seed", range(5))
def test_spans_of_several_labels_at_one_place_are_one_span(seed):
    pair = random_pair(seed, "overlapping", most=8)
    asked = [parse(name, chance="overlapping") for name in SPANS]
    check(pair, asked, per_doc=True, draws=5)
    both = Spans.from_tuples([[(0, 2, "A"), (0, 2, "B"), (3, 4, "A")]], [5])
    (score,) = evaluate(both, both, ["span_f(labels=ignore)"]).values()
    assert score.per_label[ONE]["gold"] == 2


def placements(lengths, size):
    """Every way to lay spans of these lengths side by side."""
    starts = product(*(range(size - length + 1) for length in lengths))
    for some in starts:
        spans = [{*range(a, a + n)} for a, n in zip(some, lengths)]
        if sum(map(len, spans)) == len(set().union(*spans)):
            yield spans


def matches(name, gold, pred):
    """Number of spans, or of tokens, that two annotations share."""
    if name == "span_f":
        return len({frozenset(one) for one in gold} & {frozenset(one) for one in pred})
    return len(set().union(*gold) & set().union(*pred))


@pytest.mark.parametrize("name", ["span_f", "token_f"])
def test_the_expectation_is_that_of_all_placements_of_one_label(name):
    gold = Spans.from_tuples([[(0, 2, "A"), (2, 3, "B"), (4, 6, "A")]], [7])
    pred = Spans.from_tuples([[(0, 2, "B"), (6, 7, "C")]], [7])
    (score,) = evaluate(gold, pred, [f"{name}(labels=ignore)"]).values()
    cases = list(product(placements([2, 1, 2], 7), placements([2, 1], 7)))
    mean = np.mean([matches(name, *case) for case in cases])
    assert score.expected == pytest.approx(2 * mean / (5 if name == "span_f" else 8))


def test_names_without_the_parameter_are_those_of_earlier_versions():
    assert str(request("span_f", labels="compare")) == str(request("span_f"))
    assert str(request("span_f", labels="ignore")) == (
        "span_f(beta=1.0,chance=disjoint,labels=ignore,unit=sentence)"
    )
    with pytest.raises(ValueError, match=r"labels is 'ignor' \(did you mean 'ignore'\?\)"):
        request("span_f", labels="ignor")


@pytest.mark.parametrize(
    ("metric", "parameters"),
    [("bdm_f", {"closeness": {("A", "B"): 0.5}}), ("gwet_ac2", {"weights": {("A", "B"): 0.5}})],
    ids=["bdm_f", "gwet_ac2"],
)
def test_weights_of_labels_are_refused_without_labels(metric, parameters):
    with pytest.raises(ValueError, match="labels=ignore leaves none"):
        request(metric, labels="ignore", **parameters)


def test_overlaps_that_appear_are_refused_with_a_way_out():
    gold = Spans.from_tuples([[(0, 3, "A"), (2, 5, "B")]], [9])
    with pytest.raises(ValueError, match=r"\* \[0, 3\) .* overlaps .*use chance=overlapping"):
        evaluate(gold, gold, ["span_f(labels=ignore)"])
    assert evaluate(gold, gold, ["span_f(labels=ignore,chance=overlapping)"])


# --- everything that is made of counts


def team(seed=3):
    docs = [random_pair(seed + i, "flat") for i in range(2)]
    annotators = dict(zip("abcd", [d for pair in docs for d in (pair.gold, pair.pred)]))
    make = docs[0].annotator
    return (
        {name: make(spans) for name, spans in annotators.items()},
        {name: make(merged(spans), (ONE,)) for name, spans in annotators.items()},
    )


def numbers(result):
    """A result without names of metrics and signatures."""
    if isinstance(result, dict):
        hidden = (
            "metric",
            "request",
            "signature",
            "low",
            "high",
            "observed_low",
            "observed_high",
            "digest",
        )
        return {k: numbers(v) for k, v in result.items() if k not in hidden}
    if isinstance(result, list):
        return [numbers(one) for one in result]
    return None if result is None else round(result, 9) if isinstance(result, float) else result


def test_teams_are_scored_as_if_relabelled():
    typed, untyped = team()
    asked = [str(blind(parse(name))) for name in TEAM]
    one, two = (
        agree(panel, metrics, intervals=NONE).to_dict()["metrics"]
        for panel, metrics in ((typed, asked), (untyped, TEAM))
    )
    assert numbers(one) == numbers(two)


def test_tables_count_spans_once_beside_both_kinds_of_a_metric(tmp_path):
    files = two_files(tmp_path, made(8))
    metrics = {"f": parse("span_f"), "blind": parse("span_f(labels=ignore)")}
    layer = score_blocks(*files, metrics=metrics, intervals=NONE)["layers"][0]
    micro = averages_of(layer["scores"], "per_label")[1]
    assert (micro["gold"], micro["pred"]) == (layer["n_gold"], layer["n_pred"])


def test_reports_of_teams_show_both_kinds_of_a_metric():
    typed, _ = team()
    result = agree(typed, ["span_f", "span_f(labels=ignore)"], intervals=NONE).to_dict()
    tables = {one.caption: one for one in agreement_report(result).tables()}
    (typed_labels, blind_labels) = (
        [row["label"] for row in table.rows] for name, table in tables.items() if "labels," in name
    )
    assert "*" not in typed_labels and blind_labels == ["*"]


def test_teams_whose_spans_overlap_without_labels_have_overlapping_chance(tmp_path):
    crossed = {"tokens": [*"abcdef"], "spans": [[0, 3, "A"], [2, 5, "B"]]}
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path in paths:
        path.write_text(json.dumps(crossed))
    metrics = ["span_f", "span_f(labels=ignore)"]
    found = agree_files([*map(str, paths)], metrics=metrics, intervals=NONE)
    spans = Spans.from_tuples([[(0, 3, "A"), (2, 5, "B")]], [6])
    alike = agree({"a": spans, "b": spans}, metrics, intervals=NONE).to_dict()
    for result in (found, alike):
        models = [parse(one["request"]).placement for one in result["metrics"]]
        assert models == ["disjoint", "overlapping"]
        assert [one["mean"]["observed"] for one in result["metrics"]] == [1, 1]
