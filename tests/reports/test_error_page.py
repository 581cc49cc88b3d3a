"""What the page of errors says of a document."""

import pytest

from helpers import boards
from spacy_chance_eval.reports.diff_pages import error_page
from spacy_chance_eval.reports.leaderboard import errors_verdict

LEFT_OUT = {"n_equal": 0, "n_more": 0}


def page_of(**passage):
    """The page of one document of one passage."""
    missing = [{"label": "PER", "text": "Ada"}]
    plain = {"sides": ["gold0.", "pred0."], "wrong": True, "missing": missing, "spurious": []}
    document = {"name": "d", "cost": 0.0123, "unplaced": [(3, "LOC")], **LEFT_OUT}
    document["passages"] = [plain | passage]
    result = boards.result(names=["a"], labels=[], subsets=[])
    return error_page(result, result["systems"][0], [document])


def test_what_is_not_drawn_is_told():
    document = {"name": "d", "cost": 0.1, "unplaced": [], "passages": [], "n_more": 1}
    result = boards.result(names=["a"], labels=[], subsets=[])
    page = error_page(result, result["systems"][0], [document | {"n_equal": 40}])
    text = " ".join(page.split())
    assert "Not drawn: 40 passages without differences, 1 more passage with differences." in text


def test_gold_and_predicted_sides_are_not_swapped():
    page = page_of().partition("<h2")[2]
    places = [page.index(text) for text in (">gold<", "gold0.", '<div class="side">a', "pred0.")]
    assert places == sorted(places)


def test_costs_and_spans_that_fit_no_tokens_are_told():
    page = page_of()
    assert "Cost +0.0123" in page and "LOC (3 tokens)" in page
    assert "missing: <strong>PER</strong> Ada" in page


def test_spurious_spans_are_told_as_wrong():
    page = page_of(missing=[], spurious=[{"label": "ORG", "text": "Acme"}])
    assert "wrong: <strong>ORG</strong> Acme" in page and "missing:" not in page


def test_the_worst_document_is_named_first_with_its_cost():
    result = boards.result(names=["a"], labels=[], subsets=[])
    system, documents = result["systems"][0], [{"name": "d\n1", "cost": 0.0123}]
    assert errors_verdict(result["boards"][0], system, documents) == (
        "a loses most on d\\n1: without it, the corrected span_f would be .0123 better."
    )
    (bits,) = boards.result(names=["a"], metrics=["slicm"], labels=[], subsets=[])["boards"]
    assert errors_verdict(bits, system, [{"name": "d", "cost": 31.26}]) == (
        "a loses most on d: without it, slicm would be 31.3 bits better."
    )
    assert errors_verdict(bits, system, []) == (
        "Without any single document, slicm of a would not be better."
    )


@pytest.mark.parametrize(
    "costs, start",
    [
        ([0.3, 0.3, 0.1], "a loses most on d0 and d1: without any one of them, "),
        ([0.3, 0.3, 0.3, 0.1], "a loses most on three documents: without any one of them, "),
        ([0.3, 0.3], "a loses most on d0 and others: without any one of them, "),
        ([0.00001, 0.000005], "a loses most on d0: without it, "),
    ],
)
def test_documents_that_cost_as_much_are_worst_together(costs, start):
    result = boards.result(names=["a"], labels=[], subsets=[])
    documents = [{"name": f"d{i}", "cost": cost} for i, cost in enumerate(costs)]
    text = errors_verdict(result["boards"][0], result["systems"][0], documents)
    amount = ".3000" if costs[0] > 0.1 else "less than .0001"
    assert text == f"{start}the corrected span_f would be {amount} better."


def test_the_overview_leads_to_every_document_and_counts_its_errors():
    text = "".join(page_of(missing=[{"label": "PER", "text": "A"}] * 3).split())
    assert '<ahref="#document-1">d</a></th><td>+0.0123</td><td>3</td><td>0</td>' in text
