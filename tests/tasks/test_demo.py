"""The demonstration: what it finds in the sample, and that it finds nothing where nothing is."""

import json
from pathlib import Path

import pytest
import srsly

from spacy_chance_eval import FormatError, read, sample
from spacy_chance_eval.tasks.demo import (
    EQUAL,
    find_document,
    find_equal_labels,
    find_reversal,
    run_demo,
)

RESAMPLES = 2000  # enough for the smallest p-values of 15 pairs


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run_demo(tmp_path_factory.mktemp("demo"), resamples=RESAMPLES)


# --- on the sample


def test_an_order_is_reversed_and_both_tests_find_a_difference(demo):
    found = demo.result["reversal"]
    assert (found["ahead"], found["behind"]) == ("over-marker", "gazetteer")
    assert found["observed"][0] > found["observed"][1]
    assert found["corrected"][0] < found["corrected"][1]
    assert found["observed_differ"] and found["p_observed"] < 0.05 and found["p_corrected"] < 0.05


def test_two_labels_with_equal_agreement_are_apart_beyond_chance(demo):
    found = demo.result["labels"]
    assert found["labels"] == ["CLAIM", "EVENT"]
    assert abs(found["observed"][0] - found["observed"][1]) < EQUAL
    assert found["corrected"][0] - found["corrected"][1] > 0.2
    assert found["intervals"][0][0] > found["intervals"][1][1]


def test_the_scores_of_the_document_are_those_that_are_explained(demo):
    document, explained = demo.result["document"], demo.result["explained"]
    assert (document["system"], document["name"]) == ("over-marker", explained["document"])
    assert document["f"] == pytest.approx(explained["labels"][0]["token"]["scores"]["f"])


def test_its_sentences_have_the_tokens_of_the_document(demo):
    result = demo.result
    rows, masses = result["sentences"], result["document"]["observed"]
    assert sum(row["n"] for row in rows) == result["explained"]["n"]
    for side in ("gold", "pred"):
        assert sum(sum(row[side].values()) for row in rows) == masses[side]


def test_the_data_are_copied(demo):
    data = Path(demo.result["folder"]) / "data"
    assert (data / "gold.jsonl").read_bytes() == sample.path("test.jsonl").read_bytes()
    listed = srsly.read_yaml(data / "systems.yml")["systems"]
    assert [one["name"] for one in listed] == sorted(sample.SYSTEMS)
    assert all((data / one["path"]).is_file() for one in listed)


# --- the folder


def test_a_folder_of_an_earlier_demo_is_taken(demo):
    folder = demo.result["folder"]
    assert run_demo(folder, resamples=0).result["folder"] == folder


@pytest.mark.parametrize("name", ["notes.txt", "data/more.jsonl", "statements.html"])
def test_a_folder_with_other_files_is_refused(tmp_path, name):
    (tmp_path / "data").mkdir()
    (tmp_path / name).write_text("mine")
    with pytest.raises(FormatError, match="name another folder"):
        run_demo(tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(name).name]


def test_data_that_were_edited_are_not_overwritten(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "gold.jsonl").write_text("{}\n")
    with pytest.raises(FormatError, match="gold.jsonl"):
        run_demo(tmp_path)
    assert (tmp_path / "data" / "gold.jsonl").read_text() == "{}\n"


# --- on other data


@pytest.fixture(scope="module")
def dull(tmp_path_factory):
    """Systems and annotators that are right, or miss the same."""
    folder = tmp_path_factory.mktemp("dull")
    rows = []
    for number in range(12):
        spans = [[2, 4, "EVENT"], [12 + number % 3, 15 + number % 3, "CLAIM"]]
        layers = {"layers": {"statements": spans}}
        rows.append({"id": f"d{number}", "tokens": ["w"] * 40, "spans": [[0, 1, "PER"]]} | layers)
    fewer = [row | {"layers": {"statements": row["layers"]["statements"][:1]}} for row in rows]
    for name, found in {
        "gold": rows,
        **{"systems/all": rows, "systems/half": fewer},
        **{"annotators/one": rows, "annotators/two": rows},
    }.items():
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return folder


def test_what_other_data_do_not_show_is_not_claimed(tmp_path, dull):
    result = run_demo(tmp_path / "out", dull, resamples=200).result
    assert result["reversal"] is None and result["labels"] is None


# --- what is looked for


def board(observed, corrected, p_observed, p_corrected, decided=True):
    """A board of two systems."""
    rows = [
        {
            "system": name,
            "observed": {"score": observed[i]},
            "expected": 0.1,
            "corrected": {"score": corrected[i]},
        }
        for i, name in enumerate("ab")
    ]
    tests = {
        "observed": {"p_holm": p_observed, "decided": True},
        "corrected": {"p_holm": p_corrected, "decided": decided},
    }
    return {"metric": "token_f", "rows": rows, "pairs": [{"first": "a", "second": "b", **tests}]}


@pytest.mark.parametrize("swapped", [False, True])
def test_a_reversal_names_who_was_ahead(swapped):
    step = -1 if swapped else 1
    found = find_reversal(board((0.6, 0.5)[::step], (0.1, 0.3)[::step], 0.2, 0.01), 0.05)
    assert (found["ahead"], found["behind"]) == (("b", "a") if swapped else ("a", "b"))
    assert found["observed"] == [0.6, 0.5] and not found["observed_differ"]


@pytest.mark.parametrize(
    "case",
    [
        ((0.6, 0.5), (0.3, 0.1), 0.01, 0.01),
        ((0.6, 0.5), (0.1, 0.3), 0.01, 0.2),
        ((0.6, 0.5), (0.1, 0.3), 0.01, None),
        ((0.6, 0.6), (0.1, 0.3), 0.01, 0.01),
        ((0.6, None), (0.1, 0.3), 0.01, 0.01),
        ((0.6, 0.5), (0.1, 0.3), 0.01, 0.04, False),
    ],
    ids=["same order", "no difference", "no test", "tie", "undefined", "not decided"],
)
def test_what_is_no_reversal(case):
    assert find_reversal(board(*case), 0.05) is None


def label(name, observed, value, interval):
    team = {"observed": observed, "expected": 0.1, "value": value, "interval": interval}
    return {"label": name, "team": team}


def test_labels_are_equal_and_apart_or_not_named():
    one, two = label("A", 0.7, 0.6, [0.5, 0.7]), label("B", 0.703, 0.3, [0.2, 0.4])
    assert find_equal_labels([two, one])["labels"] == ["A", "B"]
    assert find_equal_labels([one, label("B", 0.71, 0.3, [0.2, 0.4])]) is None
    assert find_equal_labels([one, label("B", 0.7, 0.4, [0.3, 0.55])]) is None
    assert find_equal_labels([one, label("B", 0.7, None, None)]) is None


def test_without_a_defined_score_no_document_is_named():
    assert find_document([{"f": {"observed": 0.5, "corrected": None}}]) is None


def test_the_sample_has_the_layers_that_are_compared():
    layers = read(sample.path("test.jsonl")).layer_names
    assert {"statements", "spans"} <= {*layers}
