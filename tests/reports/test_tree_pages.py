"""Folders of pages of trees: an index of the annotators, and sentences of each pair."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from helpers.reading import Reader, texts
from helpers.treefiles import HEADS, OTHER, RELATIONS, WORDS, conll, write
from spacy_chance_eval import Resampling, Trees, agree_trees
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.reports import agreement_pages, tree_pages
from spacy_chance_eval.reports.tree_pages import TreePair, write_tree_agreement
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.tasks.trees import agree_tree_files

NONE = Resampling(0)
FLAT = (2, 0, 2, 2)  # another head of the third word
EVIL = '"><script>alert(1)</script>'


def agreed(folder, **work):
    """The agreement of annotators: by name, (heads, relations) of each sentence, None for none."""
    for name, rows in work.items():
        made = (conll(*row, name=f"s{i}") for i, row in enumerate(rows, 1) if row)
        write(folder / f"{name}.conllu", *made)
    files = [folder / f"{name}.conllu" for name in work]
    return agree_tree_files(list(map(str, files)), intervals=NONE)


SAME, LABEL, HEAD, BOTH = (
    (HEADS, RELATIONS),
    (HEADS, OTHER),
    (FLAT, RELATIONS),
    (FLAT, OTHER),
)


@pytest.fixture
def three(tmp_path):
    """Three annotators; the last shares no sentence with the first."""
    return agreed(
        tmp_path / "in",
        ann=[SAME, SAME, SAME, None],
        bob=[LABEL, SAME, BOTH, SAME],
        cem=[None, None, None, HEAD],
    )


def pages_of(found, folder, **options):
    """The folder of an agreement, read."""
    write_tree_agreement(found, folder, **options)
    return {path.name: Reader(path.read_text("utf-8")) for path in Path(folder).iterdir()}


def articles(page):
    """The places of the sentences that a page draws, in order."""
    return [int(attributes["data-place"]) for attributes in page.all("article")]


def test_there_is_an_index_and_a_page_for_each_pair_that_shares_sentences(three, tmp_path):
    pages = pages_of(three, tmp_path / "out")
    assert sorted(pages) == ["index.html", "pair-001-002.html", "pair-002-003.html"]
    assert "no sentence that both saw" in pages["index.html"].text


def test_sentences_that_differ_come_most_different_first(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    assert articles(page) == [2, 0]
    assert [attrs["data-distance"] for attrs in page.all("article")] == ["3", "1"]
    assert "Sentences without a difference, which are not shown: 1." in page.text


def test_every_sentence_says_distance_and_score_as_the_core_has_them(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    assert "Tree edit distance 3, LAS 0.5000: 2 of 4 tokens differ" in page.text
    assert "Tree edit distance 1, LAS 0.7500: 1 of 4 tokens differs" in page.text


def test_both_trees_are_drawn_and_what_differs_is_listed(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    assert len(page.all("svg")) == 4
    classes = [attrs.get("class") for attrs in page.all("g")]
    assert classes.count("arc differs") == 2 * 2 + 2 * 1 and classes.count("arc") == 2 * 1 + 2 * 2
    table = texts(page.tables[-2])
    assert table[1][0] == ["Ada (1)", "relation"]
    assert table[1][1] == ["SUBJ", " ", "of met (2)"] and table[1][2][0] == "NSUBJ"
    assert table[2][0] == ["the (3)", "head"]
    assert [cell[2] for cell in table[2][1:]] == ["of crew (4)", "of met (2)"]


def test_relations_that_are_confused_are_counted(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    (table,) = [texts(one) for one in page.tables if one[0][-1]["text"] == ["Tokens"]]
    assert table[1:] == [[["SUBJ"], ["NSUBJ"], ["2"]]]


def test_tokens_that_are_alike_can_be_unfolded(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    assert "Tokens that are alike: 2" in page.text and "met (2): PRED of the root" in page.text


def test_the_pair_page_has_the_scores_of_the_pair(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    for line, metric in zip(page.tables[1][1:], three.to_dict()["metrics"]):
        (pair,) = [one for one in metric["pairs"] if one["second"] == "bob"]
        value = pair["value"] if metric["corrected"] else None
        parts = [number(pair["observed"]), number(pair["expected"])]
        if metric["disagreement"]:
            parts = [number(pair[f"{key}_disagreement"]) for key in ("observed", "expected")]
        texts = [cell["text"][0] for cell in line[1:] if cell["text"]]
        assert texts == [*parts, number(value)]
    assert "Scores over the 3 sentences that both saw" in page.text


def test_the_index_speaks_of_sentences_and_of_no_majority(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["index.html"]
    words = page.text
    assert "sentences that both saw" in words and "Shared sentences" in words
    assert "ajority" not in words and "document" not in words.lower() and "Fit no" not in words
    assert "Mean distance" in words
    (pairs,) = [table for table in page.tables if table[0][0]["text"] == ["First"]]
    heads = [cell["text"][0] for cell in pairs[0]]
    assert heads[4:7] == ["Head", "Relation", "Head and relation"]
    assert [cell["text"] for cell in pairs[1]][2:7] == [["3"], ["2"], ["1"], ["2"], ["0"]]


def test_relations_have_matrices_of_attachment_scores(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["index.html"]
    panels = [attrs.get("data-tab") for attrs in page.all("section")]
    assert "Label SUBJ" in panels and "syntax_alpha" in panels


def test_sentences_of_the_index_lead_to_where_they_are_drawn(three, tmp_path):
    pages = pages_of(three, tmp_path / "out")
    links = {attrs["href"] for attrs in pages["index.html"].all("a")}
    assert {"pair-001-002.html#sentence-3", "pair-002-003.html#sentence-4"} <= links
    ids = {name: {a["id"] for _, a in page.tags if "id" in a} for name, page in pages.items()}
    for name, page in pages.items():
        for attrs in page.all("a"):
            parts = urlsplit(attrs["href"])
            target = unquote(parts.path) or name
            assert target in pages and (not parts.fragment or parts.fragment in ids[target])


def test_heads_that_differ_without_any_distance_are_still_shown(tmp_path):
    one, two = ((0, 1, 1), ("PRED", "X", "Y")), ((2, 0, 2), ("X", "PRED", "Y"))
    rows = {"ann": [one], "bob": [two]}
    trees = {name: Trees.from_heads(*zip(*row)) for name, row in rows.items()}
    page = pages_of(agree_trees(trees, intervals=NONE), tmp_path / "out")["pair-001-002.html"]
    assert "Tree edit distance 0, LAS 0.0000: 3 of 3 tokens differ" in page.text


@pytest.mark.parametrize("n, sizes", [(2, [2]), (0, [3, 3, 1]), (4, [3, 1])])
def test_a_page_has_so_many_sentences_at_most(tmp_path, monkeypatch, n, sizes):
    monkeypatch.setattr(tree_pages, "PER_PAGE", 3)
    found = agreed(tmp_path / "in", ann=[SAME] * 7, bob=[LABEL] * 7)
    pages = pages_of(found, tmp_path / "out", n_docs=n)
    names = ["pair-001-002.html", "pair-001-002-0002.html", "pair-001-002-0003.html"]
    assert [len(articles(pages[name])) for name in names if name in pages] == sizes
    assert ("Shown: " in pages[names[0]].text) == (n > 0)
    around = {a["rel"]: a["href"] for a in pages[names[0]].all("a") if "rel" in a}
    assert around == ({"next": names[1]} if len(sizes) > 1 else {})


def test_two_who_agree_have_a_page_that_says_so(tmp_path):
    page = pages_of(agreed(tmp_path / "in", a=[SAME], b=[SAME]), tmp_path / "out")
    assert "There is no sentence to show" in page["pair-001-002.html"].text


def test_one_file_has_index_and_sentences_of_two(tmp_path):
    found = agreed(tmp_path / "in", ann=[SAME, SAME], bob=[LABEL, SAME])
    path = tmp_path / "pages.html"
    write_tree_agreement(found, path)
    page = Reader(path.read_text("utf-8"))
    assert articles(page) == [0] and "Mean of the pairs" in page.text
    links = {attrs["href"] for attrs in page.all("a")}
    assert "#sentence-1" in links and all(link.startswith("#") for link in links)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", "pages.html"]


def test_one_file_of_three_is_the_index_alone(three, tmp_path):
    write_tree_agreement(three, tmp_path / "pages.html")
    page = Reader((tmp_path / "pages.html").read_text("utf-8"))
    assert not articles(page) and "#sentences" not in {a["href"] for a in page.all("a")}


def test_trees_without_words_call_tokens_by_number(tmp_path):
    ann = Trees.from_heads([HEADS], [RELATIONS])
    bob = Trees.from_heads([FLAT], [RELATIONS])
    found = agree_trees({"ann": ann, "bob": bob}, intervals=NONE)
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert "3 (3)" in page.text and "of 4 (4)" in page.text


def test_other_tokens_are_not_compared_but_drawn(tmp_path):
    split = conll((2, 0, 2, 5, 2), (*RELATIONS, "X"), ("Ada", "met", "th", "e", "crew"))
    write(tmp_path / "a.conllu", conll())
    write(tmp_path / "b.conllu", split)
    files = [str(tmp_path / f"{name}.conllu") for name in "ab"]
    found = agree_tree_files(files, intervals=NONE)
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert "LAS 0.4444: 4 tokens and 5 tokens" in page.text and len(page.all("svg")) == 2
    assert "they are not compared one by one" in page.text
    assert "Tokens of a: 4" in page.text and "Tokens of b: 5" in page.text


def test_long_sentences_are_only_listed(tmp_path):
    n = 101
    heads = [[0] + [1] * (n - 1)], [[0] + [1] * (n - 2) + [2]]
    ann, bob = (Trees.from_heads(one, [["R"] * n]) for one in heads)
    found = agree_trees({"ann": ann, "bob": bob}, intervals=NONE)
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert not page.all("svg") and "more than 100 tokens are not drawn" in page.text
    assert "101 (101)" in page.text


def test_cycles_are_drawn_where_they_are_allowed(tmp_path):
    ann = Trees.from_heads([[0, 3, 2]], [list("RXY")], cycles="reachable")
    bob = Trees.from_heads([[0, 2, 2]], [list("RXY")], cycles="reachable")
    found = agree_trees({"ann": ann, "bob": bob}, intervals=NONE)
    assert len(pages_of(found, tmp_path / "out")["pair-001-002.html"].all("svg")) == 2


def bracketed(folder, one, two):
    """The agreement of two files of brackets."""
    files = [write(folder / f"{name}.mrg", text) for name, text in (("ann", one), ("bob", two))]
    return agree_tree_files(list(map(str, files)), intervals=NONE)


def test_constituents_are_lists_with_words_and_brackets_that_only_one_has(tmp_path):
    one = "(S (NP (P she)) (VP (V ran)))"
    found = bracketed(tmp_path / "in", one, "(S (NP (P she)) (V ran))")
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert "Tree edit distance 1, Jaccard 0.8000: 1 of 5 brackets only in one" in page.text
    assert [attrs.get("class") for attrs in page.all("b")].count("differs") == 1
    assert texts(page.tables[-1])[1] == [["VP"], ["ran ", "2"], ["ann"]]
    assert "V ran" in page.text and "VP only ann" in page.text


def test_brackets_without_words_are_told_by_their_leaves(tmp_path):
    found = bracketed(tmp_path / "in", "(S A (B C D))", "(S A C D)")
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert texts(page.tables[-1])[1] == [["B"], ["2 to 3"], ["ann"]]


def test_leaves_of_later_sentences_are_counted_from_their_own(tmp_path):
    found = bracketed(
        tmp_path / "in", "(S A B) (S A (B C D)) (S A)", "(S A B C) (S A C D) (S (X A))"
    )
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    rows = [row for table in page.tables for row in texts(table) if row[0] == ["B"]]
    assert [["2 to 3"]] == [row[1] for row in rows if row[2] == ["ann"]]


def test_a_deep_chain_is_listed_and_not_drawn(tmp_path):
    def chain(n):
        return Trees.from_nodes("constituency", [list(range(-1, n - 1))], [["X"] * n])

    found = agree_trees({"ann": chain(3000), "bob": chain(2999)}, ["jaccard"], intervals=NONE)
    page = pages_of(found, tmp_path / "out")["pair-001-002.html"]
    assert "Trees of more than 500 nodes are not drawn." in page.text
    assert "Tree edit distance 1, Jaccard 1.0000" in page.text


def test_names_words_and_labels_from_data_stay_text_and_inside_the_folder(tmp_path):
    relations = [EVIL, "{{ 7*7 }}", "R", "R"]
    words = (EVIL, "</svg></style>", "&lt;", "{0}")
    rows = [conll(heads, relations, words, name=EVIL) for heads in (HEADS, FLAT)]
    files = [write(tmp_path / f"{i}.conllu", row) for i, row in enumerate(rows)]
    sources = [f"{EVIL}={files[0]}", f"</title><b>={files[1]}"]
    before = {*tmp_path.rglob("*")}
    found = agree_tree_files(sources, intervals=NONE)
    folder = tmp_path / "out"
    pages = pages_of(found, folder)
    assert {*tmp_path.rglob("*")} - before == {folder, *folder.iterdir()}
    for page in pages.values():
        assert len(page.all("script")) == 1 and not page.all("img")
        assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
        assert EVIL in page.text and "</title><b>" in page.text and "49 }}" not in page.text


def test_an_older_folder_is_replaced_but_no_other(three, tmp_path):
    pages_of(three, tmp_path / "out")
    (tmp_path / "out" / "pair-009-010.html").write_bytes(
        (tmp_path / "out" / "index.html").read_bytes()
    )
    pages_of(three, tmp_path / "out")
    assert not (tmp_path / "out" / "pair-009-010.html").exists()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(FormatError, match="thesis.txt"):
        write_tree_agreement(three, tmp_path / "out")


def test_nothing_is_left_behind_when_a_page_fails(three, tmp_path, monkeypatch):
    def failing(*arguments):
        raise FormatError("no", "here")

    monkeypatch.setattr(tree_pages, "tree_index", failing)
    with pytest.raises(FormatError):
        write_tree_agreement(three, tmp_path / "out")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in"]


def test_progress_wraps_the_pairs(three, tmp_path):
    seen = []

    def watch(steps, total=None, what=""):
        seen.append((len(steps), total, what))
        return steps

    write_tree_agreement(three, tmp_path / "out", progress=watch)
    assert seen == [(3, 3, "Pages of pairs")]


def test_pages_are_the_same_each_time(three, tmp_path):
    for name in ("one", "two"):
        write_tree_agreement(three, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_distances_of_the_pair_are_those_that_the_agreement_names(three):
    pair = TreePair(three.panel, (0, 1), three.corpus)
    for row in three["syntax_alpha"]["documents"]:
        if row["place"] in pair.distances:
            assert pair.distances[row["place"]] == row["distance"]
    assert np.allclose(pair.scores[pair.shared], [0.75, 1, 0.5])


def test_names_of_files_are_those_of_other_agreements():
    """Else a folder of spans could not take the place of one of trees."""
    assert tree_pages.AGREEMENT_PAGE_NAMES == agreement_pages.AGREEMENT_PAGE_NAMES and WORDS
