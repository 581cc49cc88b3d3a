"""Which passages of a document are on the page of errors."""

import re

import pytest

import boards
from spacy_chance_eval.report.error_page import error_page

MANY = 40  # as documented: more passages than this, and those without errors are left out


def page_of(n_equal, n_wrong=1):
    """The page of one document of passages with errors behind others without."""
    span = {"label": "PER", "text": "Ada"}
    sides = [{"gold": f"gold{i}.", "pred": f"pred{i}."} for i in range(n_equal + n_wrong)]
    passages = [
        side | {"missing": [span] * (i >= n_equal), "spurious": []} for i, side in enumerate(sides)
    ]
    document = {"name": "d", "cost": 0.0123, "passages": passages, "unplaced": [(3, "LOC")]}
    result = boards.result(names=["a"], labels=[], subsets=[])
    return error_page(result, result["systems"][0], [document])


@pytest.mark.parametrize(("n_equal", "left"), [(0, 0), (5, 0), (MANY - 1, 0), (MANY, MANY)])
def test_passages_without_errors_are_left_out_of_long_documents_only(n_equal, left):
    page = page_of(n_equal)
    numbers = [int(found) for found in re.findall(r"gold(\d+)\.", page)]
    assert numbers == list(range(left, n_equal + 1))
    assert (f"{left} passages without" in page) == bool(left)


def test_gold_and_predicted_sides_are_not_swapped():
    page = page_of(0)
    assert page.index(">Gold<") < page.index("gold0.") < page.index(">Predicted<")
    assert page.index(">Predicted<") < page.index("pred0.")


def test_costs_and_spans_that_fit_no_tokens_are_told():
    page = page_of(0)
    assert "Cost +0.0123" in page and "LOC (3 tokens)" in page
    assert "missing: <strong>PER</strong> Ada" in page


def test_spurious_spans_are_told_as_wrong():
    document = {"name": "d", "cost": 0.1, "unplaced": []}
    spurious = [{"label": "ORG", "text": "Acme"}]
    passage = {"gold": "g", "pred": "p", "missing": [], "spurious": spurious}
    result = boards.result(names=["a"], labels=[], subsets=[])
    page = error_page(result, result["systems"][0], [document | {"passages": [passage]}])
    assert "wrong: <strong>ORG</strong> Acme" in page and "missing:" not in page
