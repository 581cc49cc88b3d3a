"""The demonstration: the sample shows what it says."""

from pathlib import Path

import pytest

from spacy_chance_eval import FormatError
from spacy_chance_eval.tasks.demo import run_demo

RESAMPLES = 2000  # enough for the smallest p-values of 15 pairs


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run_demo(tmp_path_factory.mktemp("demo"), resamples=RESAMPLES)


# --- on the sample


@pytest.mark.integration
def test_an_order_is_reversed_and_both_tests_find_a_difference(demo):
    found = demo.result["reversal"]
    assert (found["ahead"], found["behind"]) == ("over-marker", "gazetteer")
    assert found["observed"][0] > found["observed"][1]
    assert found["corrected"][0] < found["corrected"][1]
    assert found["p_observed"] < 0.05 and found["p_corrected"] < 0.05


@pytest.mark.integration
def test_two_labels_with_equal_agreement_are_apart_beyond_chance(demo):
    found = demo.result["labels"]
    assert found["labels"] == ("CLAIM", "EVENT")
    assert abs(found["observed"][0] - found["observed"][1]) < 0.005
    assert len({f"{100 * value:.0f}" for value in found["observed"]}) == 1
    assert found["corrected"][0] - found["corrected"][1] > 0.2
    assert found["low"][0] > found["high"][1]


def test_the_scores_of_the_document_are_those_that_are_explained(demo):
    document, explained = demo.result["document"], demo.result["explained"]
    assert (document["system"], document["name"]) == ("over-marker", explained["document"])
    assert document["f"] == pytest.approx(explained["labels"][0]["token"]["scores"]["f"])


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
