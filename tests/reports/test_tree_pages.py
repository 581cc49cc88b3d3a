"""Folders of pages of trees: an index of the annotators, and sentences of each pair."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from helpers.cases import each_case
from helpers.reading import Reader
from helpers.snapshots import compare_with_snapshot
from helpers.treefiles import HEADS, OTHER, RELATIONS, conll, write
from spacy_chance_eval import Resampling, Trees, agree
from spacy_chance_eval.reports import diff_pages
from spacy_chance_eval.reports.tree_pages import write_tree_agreement
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


# three annotators; the last shares no sentence with the first
THREE = {
    "ann": [SAME, SAME, SAME, None],
    "bob": [LABEL, SAME, BOTH, SAME],
    "cem": [None, None, None, HEAD],
}


@pytest.fixture
def three(tmp_path):
    return agreed(tmp_path / "in", **THREE)


def pages_of(found, folder, **options):
    """The folder of an agreement, read."""
    write_tree_agreement(found, folder, **options)
    return {path.name: Reader(path.read_text("utf-8")) for path in Path(folder).iterdir()}


def articles(page):
    """The places of the sentences that a page draws, in order."""
    return [int(attributes["data-place"]) for attributes in page.all("article")]


def bracketed(one, two):
    """The agreement of two files of brackets."""
    files = [write(Path(f"{name}.mrg"), text) for name, text in (("ann", one), ("bob", two))]
    return agree_tree_files(list(map(str, files)), intervals=NONE)


def of_heads(*sides, metrics=None, **options):
    """The agreement of two whose trees are (heads, relations) of a sentence without words."""
    trees = (Trees.from_heads([heads], [labels], **options) for heads, labels in sides)
    return agree(dict(zip(("ann", "bob"), trees)), metrics, intervals=NONE)


def split():
    """Two who do not have the same tokens."""
    write(Path("a.conllu"), conll())
    words = ("Ada", "met", "th", "e", "crew")
    write(Path("b.conllu"), conll((2, 0, 2, 5, 2), (*RELATIONS, "X"), words))
    return agree_tree_files(["a.conllu", "b.conllu"], intervals=NONE)


def chains():
    """Trees of too many nodes to draw."""
    trees = [
        Trees.from_nodes("constituency", [list(range(-1, n - 1))], [["X"] * n])
        for n in (3000, 2999)
    ]
    return agree(dict(zip(("ann", "bob"), trees)), ["jaccard"], intervals=NONE)


FOLDERS = {
    "three": lambda: agreed(Path(), **THREE),
    "equal": lambda: agreed(Path(), ann=[SAME], bob=[SAME]),
    "no-words": lambda: of_heads((HEADS, RELATIONS), (FLAT, RELATIONS)),
    "no-distance": lambda: of_heads(
        ((0, 1, 1), ("PRED", "X", "Y")), ((2, 0, 2), ("X", "PRED", "Y"))
    ),
    "cycles": lambda: of_heads(([0, 3, 2], "RXY"), ([0, 2, 2], "RXY"), cycles="reachable"),
    "long": lambda: of_heads(([0] + [1] * 100, "R" * 101), ([0] + [1] * 99 + [2], "R" * 101)),
    "other-tokens": split,
    "brackets": lambda: bracketed("(S (NP (P she)) (VP (V ran)))", "(S (NP (P she)) (V ran))"),
    "leaves": lambda: bracketed("(S A B) (S A (B C D)) (S A)", "(S A B C) (S A C D) (S (X A))"),
    "chains": chains,
}


@each_case("name", FOLDERS)
def test_pages_are_as_they_were(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tree_agreement(FOLDERS[name](), "out")
    pages = {path.name: path.read_text("utf-8") for path in Path("out").iterdir()}
    pairs = ["pair-001-002.html", "pair-002-003.html"][: 1 + (name == "three")]
    assert sorted(pages) == ["index.html", *pairs]
    for page in pages if name == "three" else pairs:
        compare_with_snapshot(f"tree-folder-{name}.{page}", pages[page])


def test_the_pair_page_has_the_scores_of_the_pair(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    for line, metric in zip(page.tables[0][1:], three.to_dict()["metrics"]):
        (pair,) = [one for one in metric["pairs"] if one["second"] == "bob"]
        keys = ["observed"]
        if metric["disagreement"]:
            keys = ["corrected", "observed_disagreement", "expected_disagreement"]
        texts = [cell["text"][0] for cell in line[1:] if cell["text"]]
        assert texts == [number(pair[key]) for key in keys]
    assert "Scores over the 3 sentences that both saw" in page.text


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


@pytest.mark.parametrize("n, sizes", [(2, [2]), (0, [3, 3, 1]), (4, [3, 1])])
def test_a_page_has_so_many_sentences_at_most(tmp_path, monkeypatch, n, sizes):
    monkeypatch.setattr(diff_pages, "PER_PAGE", 3)
    found = agreed(tmp_path / "in", ann=[SAME] * 7, bob=[LABEL] * 7)
    pages = pages_of(found, tmp_path / "out", n_docs=n)
    names = ["pair-001-002.html", "pair-001-002-0002.html", "pair-001-002-0003.html"]
    assert [len(articles(pages[name])) for name in names if name in pages] == sizes
    assert ("Shown: " in pages[names[0]].text) == (n > 0)
    around = {a["rel"]: a["href"] for a in pages[names[0]].all("a") if "rel" in a}
    assert around == ({"next": names[1]} if len(sizes) > 1 else {})


def test_one_file_is_the_index_alone(three, tmp_path):
    write_tree_agreement(three, tmp_path / "pages.html")
    page = Reader((tmp_path / "pages.html").read_text("utf-8"))
    assert not articles(page) and "#sentences" not in {a["href"] for a in page.all("a")}
    assert "Mean of the pairs" in page.text


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


def test_progress_wraps_the_pairs(three, tmp_path):
    seen = []

    def watch(steps, total=None, what=""):
        seen.append((len(steps), total, what))
        return steps

    write_tree_agreement(three, tmp_path / "out", progress=watch)
    assert seen == [(2, 2, "Pages of pairs")]


def test_pages_are_the_same_each_time(three, tmp_path):
    for name in ("one", "two"):
        write_tree_agreement(three, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_distances_of_the_pair_are_those_that_the_agreement_names(three, tmp_path):
    page = pages_of(three, tmp_path / "out")["pair-001-002.html"]
    drawn = {int(one["data-place"]): one for one in page.all("article")}
    for row in three["syntax_alpha"]["documents"]:
        if row["place"] in drawn:
            assert float(drawn[row["place"]]["data-distance"]) == row["distance"]
    assert {i: float(one["data-score"]) for i, one in drawn.items()} == {0: 0.75, 2: 0.5}
