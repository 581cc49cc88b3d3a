"""Scores and agreement of trees as text and pages, letter by letter."""

import pytest

from helpers.agreements import document, metric, result, score, uncorrected
from helpers.cases import each_case
from helpers.reading import Reader
from helpers.scorereports import PLAIN_SCORE, SCORE, report
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports import tree_pages
from spacy_chance_eval.reports.report import Report, report_page, report_text
from spacy_chance_eval.reports.tree_pages import sentence_sections, tree_report

# agreement

SEVEN = [f"annotator {i:02}" for i in range(1, 8)]
NO_MAJORITY = score(None, reason="trees have no majority")


def of_trees(*metrics, **fields):
    """A result of agreement on trees."""
    given = [{"request": f"{one['metric']}()", **one} for one in metrics or [alpha()]]
    return result(*given, **{"positions": "tree", "kind": "dependency", "n_uneven": 0} | fields)


def alpha(name="syntax_alpha", **fields):
    """Tables of alpha: no labels, and a sentence with its distance."""
    sentence = document("tree-1") | {"distance": 2.5}
    return metric(name, **{"per_label": [], "documents": [sentence]} | fields)


def las(names=("ann", "bob"), **fields):
    """Tables of LAS, in which the first pair has the score of a label."""
    found = metric("las", names=names, is_corrected=False, **fields)
    found["pairs"][0]["per_label"] = {"PER": uncorrected(score(0.5))}
    return found


def sampled(error):
    """Alpha of a sample of pairs, with its standard error."""
    found = alpha()
    return found | {"team": found["team"] | {"standard_error": error}}


AGREED = {
    "dependency": of_trees,
    "constituency": lambda: of_trees(kind="constituency"),
    "without-distances": lambda: of_trees(las()),
    "no-majority": lambda: of_trees(
        alpha(annotators=[{"annotator": "ann", "others": score(0.5), "majority": NO_MAJORITY}])
    ),
    "labels-of-the-second-metric": lambda: of_trees(alpha(), las()),
    "nine-labels": lambda: of_trees(labels=[f"l{i}" for i in range(9)]),
    "no-labels": lambda: of_trees(labels=[]),
    "two-distances": lambda: of_trees(
        *(alpha(), alpha("pq_alpha"), alpha("syntax_alpha(delta=norm)"), las())
    ),
    "standard-error": lambda: of_trees(sampled(0.0012)),
    "standard-error-of-0": lambda: of_trees(sampled(0.0)),
    "label-that-two-did-not-use": lambda: of_trees(las(SEVEN[:3]), names=SEVEN[:3]),
    "seven": lambda: of_trees(alpha(names=SEVEN), names=SEVEN),
}


@each_case("name", AGREED)
def test_agreement_is_shown_as_it_was(name):
    report = tree_report(AGREED[name](), drawn={})
    compare_with_snapshot(f"trees-{name}.txt", report_text(report))
    compare_with_snapshot(f"trees-{name}.index.html", report_page(report))


@each_case("name", AGREED)
def test_nothing_is_said_of_documents_spans_and_majorities(name):
    report = tree_report(AGREED[name]())
    for text in (report_text(report), Reader(report_page(report)).text):
        assert not any(word in text for word in ("document", "Document", "spans", "majority"))
        assert "unplaced" not in text


# scores

ROW = {"observed": -2.5, "expected": -9.0, "corrected": 0.25, "gold": 5, "pred": 4, "distance": 1.5}
LABEL = {"observed": 0.5, "gold": 3, "pred": 2}
ALPHA = SCORE | {"name": "syntax_alpha(delta=plain)", "per_label": {}}
ALPHA |= {"macro": dict.fromkeys(("observed", "expected", "corrected"))}
LAS = PLAIN_SCORE | {"name": "las(ignore=none)", "per_label": {"nsubj": LABEL}}
SENTENCES = {"good": ROW | {"corrected": 0.5, "distance": 0.0}, "bad": ROW}
HOSTILE = {"per_label": {"\x1b[31mred": LABEL}, "per_doc": {"a\nb": ROW}}
SCORED = {
    "skipped": ({"syntax_alpha": ALPHA, "las": LAS}, {"n_skipped": 1}),
    "uneven": ({"syntax_alpha": ALPHA, "las": LAS}, {"n_uneven": 1}),
    "nodes": ({"jaccard": ALPHA}, {"kind": "constituency", "n_uneven": 1}),
    "sentences": ({name: ALPHA | {"per_doc": SENTENCES} for name in ("syntax_alpha", "las")}, {}),
    "many": ({"syntax_alpha": ALPHA | {"per_doc": {f"s{i}": ROW for i in range(22)}}}, {}),
    "hostile": ({"las": LAS | HOSTILE}, {}),
}


@each_case("name", SCORED)
def test_scores_are_shown_as_they_were(name):
    scores, fields = SCORED[name]
    text = report(scores, **{"positions": "tree", "kind": "dependency", "n_uneven": 0} | fields)
    compare_with_snapshot(f"trees-scored-{name}.txt", text)
    assert "\x1b" not in text


# pages of pairs

ARC = {"head": 0, "word": None, "label": "PRED"}
BRACKET = {"label": "NP", "first": 1, "last": 2, "words": "a b", "side": 1}
CONFUSED = {("A", "C"): 1, ("B", "A"): 3, ("A", "B"): 1}
TOKENS = [{"place": i, "word": "w", "arc": ARC} for i in range(5)]


def row(first, second, difference="relation"):
    """A token with the relations of both sides."""
    sides = [ARC | {"label": label} for label in (first, second)]
    return {"place": 1, "word": "w", "difference": difference, "sides": sides}


def sentence(*rows, **fields):
    """A sentence of a pair, without drawings."""
    found = {"place": 0, "name": "s1", "text": None, "distance": 2, "score": 0.5, "size": 4}
    found |= {"sizes": [4, 4], "trees": [], "notes": [], "rows": list(rows)}
    return found | {"direction": "ltr"} | fields


def view(*sentences, kind="dependency", **fields):
    return sentence_sections(kind, sentences, names=("ann", "bob"), **fields)


VIEWS = {
    "filters": lambda: view(sentence(row("SUBJ", "OBJ"), row("OBJ", "OBJ", "head"))),
    "sizes": lambda: view(sentence(row("A", "B"), size=None, score=None, sizes=[4, 5])),
    "brackets": lambda: view(sentence(BRACKET), kind="constituency"),
    "many-rows": lambda: view(sentence(*[row("A", "B")] * 5, lists=[("Tokens of {0}", TOKENS)])),
    "confused": lambda: view(sentence(row("A", "B")), confused=CONFUSED),
    "equal": view,
}


@pytest.mark.parametrize("name", VIEWS)
def test_pages_of_pairs_are_as_they_were(name, monkeypatch):
    monkeypatch.setattr(tree_pages, "ROWS", 3)
    text = report_page(Report("t", "", VIEWS[name]()))
    compare_with_snapshot(f"trees-pair-{name}.html", text)
    assert not Reader(text).open, "every tag is closed"
