"""Published and hand-counted numbers of agreement for syntax, through the catalog.

The cases of papers/syntax.csv are worked out by hand. The SSD corpus is one of Skjærholt (2014),
A chance-corrected measure of inter-annotator agreement for syntax.
"""

import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from helpers import scripts
from helpers.cases import each_case
from helpers.examples import page
from helpers.published import rows
from helpers.tree_strategies import Team
from helpers.treefiles import OTHER, conll, write
from spacy_chance_eval import Resampling, Trees, agree
from spacy_chance_eval.corpora.treebanks import read_tree_panel
from spacy_chance_eval.measures.trees.tree_edit import tree_edit_distances

NO = Resampling(0)
SENTENCES = {
    "A": ([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"]),
    "B": ([2, 0, 4, 2], ["NSUBJ", "PRED", "DET", "OBJ"]),
    "C": ([2, 0, 2, 2], ["SUBJ", "PRED", "DET", "OBJ"]),
    "D": ([2, 0], ["SUBJ", "PRED"]),
}
DISTANCES = {"AB": 1, "AC": 2, "BC": 3, "AD": 2, "BD": 3, "CD": 2}


def team_of(text):
    """A team from items such as "AB DD": what each annotator made of each item."""
    items = [[SENTENCES[name] for name in item] for item in text.split()]
    works = [[item[i] if i < len(item) else None for item in items] for i in range(3)]
    return Team("dependency", {name: tuple(work) for name, work in zip("xyz", works) if any(work)})


def agreement(panel, *metrics):
    """{metric: value of the team}."""
    found = agree(panel, metrics, intervals=NO)
    rows = {metric: found[metric]["team"] for metric in metrics}
    return {name: row.get("corrected", row["observed"]) for name, row in rows.items()}


@pytest.mark.parametrize("pair", list(combinations("ABCD", 2)), ids="".join)
def test_two_sentences_are_as_far_apart_as_counted_by_hand(pair):
    panel = team_of("".join(pair)).panel()
    assert tree_edit_distances(*panel.annotations).tolist() == [DISTANCES["".join(pair)]]


@each_case("delta", ["plain", "diff", "norm"])
@each_case("row", rows("syntax.csv"))
def test_alpha_is_what_was_worked_out_by_hand(row, delta):
    metric = f"syntax_alpha(delta={delta})"
    found = agreement(team_of(row["items"]).panel(), metric)[metric]
    expected = float(Fraction(row[delta])) if row[delta] else None
    assert found == (expected if expected is None else pytest.approx(expected, abs=1e-12))


def test_trees_of_figure_2_differ_in_size_alone():
    sentences = [
        ([2, 0, 4, 2], ["Subj", "Pred", "Det", "Obj"]),
        ([2, 0, 4, 2, 4, 5, 8, 6], ["Subj", "Pred", "Det", "Obj", "Atr", "Pred", "Det", "Obj"]),
        ([2, 0], ["Subj", "Pred"]),
    ]
    labels = ["Atr", "Det", "Obj", "Pred", "Subj"]
    left, right = (
        Trees.from_heads(*zip(*(sentences[i] for i in numbers))).with_labels(labels)
        for numbers in ([0, 0, 1], [1, 2, 2])
    )
    distances = tree_edit_distances(left, right)
    assert distances.tolist() == [4, 2, 6]
    assert (distances - abs(left.sizes - right.sizes)).tolist() == [0, 0, 0]


def test_attachments_are_weighted_by_tokens():
    found = agreement(team_of("AB DD").panel(), "las", "uas", "label_accuracy")
    assert list(found.values()) == pytest.approx([5 / 6, 1, 5 / 6])


def test_a_bracket_in_one_tree_alone_is_one_of_five():
    one = ("S", (("NP", (("P", ()),)), ("VP", (("V", ()),))))
    two = ("S", (("NP", (("P", ()),)), ("V", ())))
    panel = Team("constituency", {"one": (one,), "two": (two,)}).panel()
    assert agreement(panel, "jaccard")["jaccard"] == pytest.approx(4 / 5)


def test_equal_trees_may_have_no_head_in_common():
    one = Trees.from_heads([[0, 1, 1], [0]], [["PRED", "X", "Y"], ["PRED"]])
    two = Trees.from_heads([[2, 0, 2], [0]], [["X", "PRED", "Y"], ["PRED"]])
    found = agreement({"one": one, "two": two}, "syntax_alpha", "las")
    assert found == {"syntax_alpha": 1, "las": pytest.approx(1 / 4)}


DATA = Path(__file__).parents[3] / "shared/data/ssd"
SSD = {
    "syntax_alpha": 99.1,
    "syntax_alpha(delta=diff)": 98.6,
    "syntax_alpha(delta=norm)": 99.3,
    "jaccard": 87.9,
}


SSD_ALPHAS = [metric for metric in SSD if metric != "jaccard"]


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA.name} is not there")
def test_three_annotators_of_derivations_agree_as_published():
    panel, _ = read_tree_panel(sorted(DATA.iterdir()))
    assert (len(panel), panel.n_items, panel.kind) == (3, 96, "constituency")
    found = agreement(panel, *SSD)
    assert {metric: round(100 * value, 1) for metric, value in found.items()} == SSD


# --- the script that makes the paper's tables again

CHECKOUT = os.environ.get("SYN_AGREEMENT", "")


@pytest.fixture(scope="module")
def script():
    """The script, as a module."""
    return scripts.script("skjaerholt")


@pytest.fixture
def data(tmp_path):
    """Small files with the names of those that are public, of three corpora."""
    short = conll((2, 0), ("X", "PRED"), ("Ada", "slept"))
    for name, relations in {"odin": OTHER, "thor": OTHER[::-1]}.items():
        write(tmp_path / f"ndt/{name}-danish.conll", conll(relations=relations), short)
    for name, relations in {"lotte": OTHER, "jonas": OTHER[::-1]}.items():
        longer = conll((0, 1, 1), "ABC", "abc") if name == "lotte" else short
        write(tmp_path / f"cdt/es/{name}/1-es-{name}.conll", conll(relations=relations), longer)
    for name in ("ssd.a", "ssd.b"):
        write(tmp_path / f"ssd/{name}/1-{name}.tree", "(S (NP D N) (VP V))\n")
        write(tmp_path / f"ssd/{name}/2-{name}.tree", f"(X (Y P) ({name[-1]} Q R S))\n")
    return tmp_path


def test_the_script_computes_what_agree_computes(script, data):
    names = ("NDT 1", "CDT (es)", "SSD")
    made = script.tables_of_paper(data, {name: script.CORPORA[name] for name in names})
    sizes, scores, _ = made["tables"]
    assert [[cell["value"] for cell in row["cells"]] for row in sizes["rows"]] == [
        ["2", 2, 6],
        ["2", 2, 6],
        ["2", 2, 7],
    ]
    files = [f"{data}/ndt/{name}-danish.conll" for name in ("odin", "thor")]
    panel, _ = read_tree_panel(files, format="conllx")
    found = agreement(panel, *SSD_ALPHAS, "las")
    values = [cell["value"] for cell in scores["rows"][0]["cells"]]
    assert values == [*(pytest.approx(100 * one) for one in found.values()), 0]
    assert [row["cells"][-1]["value"] for row in scores["rows"]] == [0, 1, None]


def test_the_script_has_the_printed_values_beside_ours(script, data):
    made = script.tables_of_paper(data, {"NDT 1": script.CORPORA["NDT 1"]})
    cells = made["tables"][1]["rows"][0]["cells"]
    assert [cell["printed"] for cell in cells] == ["98.4", "93.0", "98.8", "94.0", "0"]


@pytest.mark.skipif(not CHECKOUT, reason="SYN_AGREEMENT names no checkout of syn-agreement")
def test_the_page_shows_what_the_script_prints():
    words = [sys.executable, scripts.FOLDER / "skjaerholt.py", CHECKOUT]
    env = {**os.environ}  # without COLUMNS, which readline sets behind the back of Python
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    assert "\n".join(lines) in page("docs/papers.md")
