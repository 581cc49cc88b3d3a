"""What the page of errors says of a document."""

from helpers import boards
from spacy_chance_eval.reports.board_summary import errors_verdict
from spacy_chance_eval.reports.diff_pages import error_page

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
        "The document that costs a most is d\\n1: without it, span_f beyond chance would be .0123 "
        "higher."
    )
    (bits,) = boards.result(names=["a"], metrics=["slicm"], labels=[], subsets=[])["boards"]
    assert errors_verdict(bits, system, [{"name": "d", "cost": 31.26}]) == (
        "The document that costs a most is d: without it, slicm would be 31.3 bits higher."
    )
    assert errors_verdict(bits, system, []) == (
        "Without any one document, slicm of a would be no higher: it is a sum over documents; to "
        "see the worst ones, name another metric first."
    )


def test_documents_that_cost_the_same_are_named_together():
    result = boards.result(names=["a"], labels=[], subsets=[])
    system, costs = result["systems"][0], [0.1, 0.1 + 1e-12, 0.1, 0.05]
    documents = [{"name": f"d{i}", "cost": cost} for i, cost in enumerate(costs)]
    assert errors_verdict(result["boards"][0], system, documents).startswith(
        "No document costs a more than the first three: without any one of them, span_f"
    )
    assert "costs a more than d0 and d1: " in errors_verdict(
        result["boards"][0], system, [*documents[:2], documents[3]]
    )


def test_the_overview_leads_to_every_document_and_counts_its_errors():
    text = "".join(page_of(missing=[{"label": "PER", "text": "A"}] * 3).split())
    assert '<ahref="#document-1">d</a></th><td>+0.0123</td><td>3</td><td>0</td>' in text
