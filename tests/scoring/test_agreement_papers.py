"""Published numbers of agreement coefficients and of GATE's scores, through the catalog."""

import pytest

from helpers.cases import each_case
from helpers.gate_oracles import bdm_of_parts
from helpers.published import rows, runs
from spacy_chance_eval import Resampling, Spans, agree, evaluate, request
from spacy_chance_eval.scoring.statistics import headline

LAYOUTS = {row["case"]: row for row in rows("chance.csv")}


def annotator(spans, size):
    return Spans.from_tuples([[(*span, "X") for span in spans]], [size], ["X"])


def scored(metric, *annotators):
    """The row of the only pair of `agree`, which has the numbers of `evaluate`."""
    score = next(iter(evaluate(*annotators, [metric]).values()))
    (row,) = agree(annotators, [metric], intervals=Resampling(0))[metric]["pairs"]
    assert (headline(row), row["observed"]) == pytest.approx((score.headline, score.observed))
    return score


def printed(number, digits=4):
    text = f"{number:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(number) < 1 else text


# Krippendorff's alphas on the simulations of Li et al. (2024); r0 against r1.


@pytest.mark.integration
@each_case("row", rows("unitizing.csv"))
def test_the_simulations_give_the_printed_alphas(row):
    layout = LAYOUTS[row["case"]]
    sides = [annotator(runs(layout[side]), len(layout[side])) for side in ("gold", "other")]
    score = scored(row["metric"], *sides)
    found = [printed(x) for x in (1 - score.observed, 1 - score.expected, score.headline)]
    expected = [row[f"{kind}_disagreement"] for kind in ("observed", "expected")]
    assert found == [*expected, row["value"]]


@pytest.mark.parametrize("metric", ["alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha"])
def test_without_units_there_is_no_agreement_to_speak_of(metric):
    assert scored(metric, annotator([], 20), annotator([], 20)).headline is None


# Coefficients of items.


def categories(values):
    documents = [None if value == "." else [(0, 1, str(value))] for value in values]
    return Spans.from_tuples(documents, [1] * len(documents))


def test_four_observers_have_krippendorffs_alpha():
    # Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: 12 units.
    units = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3.".split()
    team = [categories(side) for side in zip(*units)]
    found = agree(team, ["krippendorff_alpha"], positions="category", intervals=Resampling(0))
    assert printed(headline(found["krippendorff_alpha"]["team"]), 3) == ".743"


# GATE


def spans_of(text):
    return annotator([tuple(map(int, part.split("-"))) for part in text.split()], 60)


@each_case("mode", ["strict", "lenient", "average"])
@each_case("row", rows("gate.csv"))
def test_gate_scores_are_those_of_the_table(row, mode):
    metric = request("gate_f", mode=mode)
    (score,) = evaluate(spans_of(row["gold"]), spans_of(row["pred"]), [metric]).values()
    assert printed(score.headline) == row[mode]


@pytest.mark.parametrize(("mode", "value"), [("strict", 0), ("lenient", 0.5), ("average", 0.25)])
def test_labels_can_be_features(mode, value):
    sides = [
        Spans.from_tuples(
            [[(*span, "E") for span in spans]], [20], features=[[{"type": x} for x in types]]
        )
        for spans, types in (
            ([(0, 5), (10, 15)], ["PER", "ORG"]),
            ([(0, 5), (12, 18)], ["LOC", "ORG"]),
        )
    ]
    (score,) = evaluate(*sides, [request("gate_f", mode=mode, features="type")]).values()
    assert score.headline == value


def test_close_labels_score_their_closeness():
    # key=Service, response=Object: a line of a BDM file as GATE writes it
    parts = {"cp": 1, "dpk": 1, "dpr": 0, "n0": 2.0, "n1": 2.0, "n2": 2.8333333}
    bdm = bdm_of_parts(**parts, branching=1.9565217)
    sides = [Spans.from_tuples([[(0, 5, label)]], [9]) for label in ("Service", "Object")]
    metric = request("bdm_f", closeness={("Object", "Service"): bdm})
    (score,) = evaluate(*sides, [metric]).values()
    assert f"{score.observed:.7f}" == "0.6617647"
