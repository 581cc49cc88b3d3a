"""What pages say of sentences with two trees, and indexes of agreement in words for trees."""

import pytest

from helpers.agreements import document, metric, result, score
from helpers.reading import Reader, texts
from spacy_chance_eval.reports import tree_pages
from spacy_chance_eval.reports.agreement_pages import agreement_html
from spacy_chance_eval.reports.tree_pages import sentences_view, tree_index, tree_pair_page

ARC = {"head": 0, "word": None, "label": "PRED"}
TABLES = {"pair_reasons": [], "rows_of_labels": [], "label_heads": [], "label_reasons": []}


def row(first, second, difference="relation", place=1):
    """A token with the relations of both sides."""
    sides = [ARC | {"label": label} for label in (first, second)]
    return {"place": place, "word": "w", "difference": difference, "sides": sides}


def sentence(*rows, **fields):
    """A sentence of a pair, without drawings."""
    found = {"place": 0, "name": "s1", "text": None, "distance": 2, "score": 0.5, "size": 4}
    found |= {"sizes": [4, 4], "trees": [], "notes": [], "rows": list(rows), "lists": []}
    found |= {"nested": [], "direction": "ltr"}
    return found | fields


def view(*sentences, kind="dependency", **fields):
    return sentences_view(kind, sentences, names=("ann", "bob"), **fields)


def pair_page(shown):
    """A page of a view, read."""
    found = {"row": None, "title": "t", "back": ("index.html", "All"), "around": (None, None)}
    reader = Reader(tree_pair_page(shown, **found, tables=TABLES | {"rows_of_pair": []}))
    assert not reader.open
    return reader


def tree_result(*metrics, **fields):
    """A result of trees."""
    about = {"positions": "tree", "kind": "dependency", "n_uneven": 0, "labels": ["OBJ", "SUBJ"]}
    named = [one | {"request": f"{one['metric']}()"} for one in metrics]
    return result(*named, **about | fields)


def test_filters_have_the_relations_of_differing_tokens_and_rows_their_numbers():
    shown = view(sentence(row("SUBJ", "OBJ"), row("OBJ", "OBJ", "head")))
    assert shown["labels"] == {"OBJ": 0, "SUBJ": 1}
    assert [one["used"] for one in shown["sentences"][0]["rows"]] == ["1 0", "0"]
    found = [a for _, a in pair_page(shown).tags if "data-row" in a]
    assert [(a["data-label"], a["data-difference"]) for a in found] == [("1 0", "1"), ("0", "0")]


@pytest.mark.parametrize(
    "fields, said",
    [
        ({}, "Tree edit distance 2, LAS 0.5000: 1 of 4 tokens differs"),
        ({"size": None, "score": None, "sizes": [4, 5]}, "LAS -: 4 tokens and 5 tokens"),
    ],
)
def test_a_sentence_says_how_far_its_trees_are_apart(fields, said):
    assert said in pair_page(view(sentence(row("A", "B"), **fields))).text


def test_brackets_are_filtered_by_the_annotators():
    bracket = {"label": "NP", "first": 1, "last": 2, "words": "a b", "side": 1}
    shown = view(sentence(bracket), kind="constituency")
    assert shown["differences"] == [("ann", 0), ("bob", 1)]
    page = pair_page(shown)
    assert texts(page.tables[0])[1] == [["NP"], ["a b ", "1 to 2"], ["bob"]]
    assert "Jaccard 0.5000: 1 of 4 brackets only in one" in page.text


def test_many_rows_are_cut_and_counted(monkeypatch):
    monkeypatch.setattr(tree_pages, "ROWS", 3)
    tokens = [{"place": i, "word": "w", "arc": ARC} for i in range(5)]
    rows = [row("A", "B")] * 5
    page = pair_page(view(sentence(*rows, lists=[("Tokens of {0}", tokens)])))
    assert len(page.tables[0]) == 4 and "Not listed: 2 more rows." in page.text
    assert "Tokens of ann: 5" in page.text and "Not listed: 2 more tokens." in page.text


def test_relations_that_are_confused_come_most_often_first():
    shown = view(sentence(row("A", "B")), confused={("A", "C"): 1, ("B", "A"): 3, ("A", "B"): 1})
    assert texts(pair_page(shown).tables[0])[1:] == [
        [["B"], ["A"], ["3"]],
        [["A"], ["B"], ["1"]],
        [["A"], ["C"], ["1"]],
    ]


def test_a_view_without_sentences_says_that_nothing_differs():
    assert "nothing differs" in pair_page(view()).text


def test_the_index_has_distances_and_neither_majority_nor_documents():
    rows = [document("s1") | {"distance": 2.5}]
    found = tree_result(metric("syntax_alpha", documents=rows, per_label=[]))
    page = Reader(tree_index(found, (), {}))
    (table,) = [texts(one) for one in page.tables if one[0][0]["text"] == ["Sentence"]]
    assert table[0][2] == ["Mean distance"] and table[1][2] == ["2.5000"]
    for word in ("ajority", "ocument", "Fit no tokens"):
        assert word not in page.text


def test_labels_have_matrices_though_the_first_metric_has_no_scores_of_them():
    las = metric("las", corrected=False)
    las["pairs"][0]["per_label"] = {"PER": score(0.5)}
    page = Reader(tree_index(tree_result(metric("syntax_alpha", per_label=[]), las), (), {}))
    panels = [attrs["data-tab"] for attrs in page.all("section") if "data-tab" in attrs]
    assert panels == ["syntax_alpha", "All labels", "las", "All labels", "Label PER"]


def test_a_label_that_neither_used_is_said_of_sentences():
    las = metric("las", names=("ann", "bob", "cem"), corrected=False)
    las["pairs"][0]["per_label"] = {"PER": score(0.5)}
    page = Reader(tree_index(tree_result(las, names=("ann", "bob", "cem")), (), {}))
    assert "neither used this label in the sentences that both saw" in page.text


def test_notebooks_speak_of_sentences_too():
    found = Reader(agreement_html(tree_result(metric("syntax_alpha"))))
    assert "Sentences: 4" in found.text and "ocument" not in found.text
