"""The sentence on the documents that cost a system most."""

import pytest

from helpers import boards
from spacy_chance_eval.reports.leaderboard import errors_verdict


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
