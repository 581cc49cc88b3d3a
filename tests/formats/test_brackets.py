"""Trees in brackets: of the Penn Treebank, without words, deep, and broken."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.treefiles import mutations, write
from spacy_chance_eval.formats.brackets import read_brackets, style_of
from spacy_chance_eval.formats.errors import FormatError

PENN = "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks))) )\n"
PLAIN = "(S (NP P) (VP V (NP D N)))\n"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.tree"


def sentences(path, *texts, style="brackets"):
    return read_brackets(write(path, *texts), style)[0]


def refused(path, *texts, style="brackets"):
    with pytest.raises(FormatError) as error:
        sentences(path, *texts, style=style)
    return str(error.value).removeprefix(str(path))


def test_penn_trees_have_words_beside_them_and_tags_as_leaves(file):
    (sentence,) = sentences(file, PENN)
    assert sentence.words == ("the", "dog", "barks")
    assert sentence.labels == ("S", "NP-SBJ", "DT", "NN", "VP", "VBZ")
    assert sentence.parents == (-1, 0, 1, 1, 0, 4)


def test_trees_may_stand_on_several_lines_or_on_one(file):
    spread = PENN.replace(" (", "\n\t(")
    found = sentences(file, spread, PENN.strip(), PENN)
    assert len(found) == 3
    assert [sentence.line for sentence in found] == [1, 8, 8]
    assert len({(sentence.parents, sentence.labels) for sentence in found}) == 1


def test_traces_and_what_holds_nothing_else_are_left_out_and_counted(file):
    text = "(S (NP (-NONE- *)) (VP (VB go) (SBAR (S (NP (-NONE- *T*-1))))))"
    (sentence,), notes = read_brackets(write(file, text))
    assert (sentence.words, sentence.labels) == (("go",), ("S", "VP", "VB"))
    assert sentence.parents == (-1, 0, 1)
    assert notes == {"traces": 2}


def test_a_tree_of_nothing_but_traces_is_not_annotated(file):
    first, _ = sentences(file, "(S (NP (-NONE- *)))", PENN)
    assert (first.words, first.parents) == ((), None)


def test_outer_brackets_without_a_label_are_dropped(file):
    plain = sentences(file, PLAIN)
    found = sentences(file, f"( ( {PLAIN} ) )")
    assert [one.unlabelled for one in found] == [2]
    assert [replace(one, unlabelled=0) for one in found] == plain


def test_deep_trees_are_read(file):
    n = 10_000
    (sentence,) = sentences(file, "(A " * n, "(B x)", ")" * n)
    assert sentence.parents == tuple(range(-1, n))
    (found,) = sentences(file, "(" * n, PENN, ")" * n)
    assert [replace(found, unlabelled=1)] == sentences(file, PENN)


# --- which style it is


def test_a_few_leaves_without_a_tag_are_mistakes_not_another_style(file):
    message = refused(file, PENN * 20, "(S (NP (DT the) cat) (VP (VBZ purrs)))\n")
    assert message.startswith(":21: 'cat' in the tree that begins here is not a (TAG word); give")


def test_trees_that_look_like_penn_are_told_by_the_files_beside_them(tmp_path):
    small = write(tmp_path / "a.tree", "(S (NP P) (VP V))")
    assert style_of([small]) == "penn"
    assert style_of([small, write(tmp_path / "b.tree", PLAIN)]) == "delexicalised"


def test_files_of_both_styles_do_not_belong_together(tmp_path):
    penn = write(tmp_path / "a.tree", PENN * 10)
    plain = write(tmp_path / "b.tree", PLAIN * 20)
    with pytest.raises(FormatError, match="name the format: penn or") as error:
        style_of([plain, penn])
    assert error.value.path == str(penn)


# --- what is wrong


@each_case(
    ("text", "message"),
    [
        (
            f"{PLAIN}(S (NP P)\n{PLAIN}",
            ":2: brackets of this tree are never closed (1); close every bracket",
        ),
        (f"{PLAIN}){PLAIN}", ":2: ')' outside of brackets"),
        (f"{PLAIN}S {PLAIN}", ":2: 'S' outside of brackets"),
        (f"{PLAIN}(S (NP P) ((V)))", ":2: brackets without a label"),
        ("( (S (NP P)) (S V) )", ":1: brackets without a label"),
        ("()", ": no trees"),
        ("", ": no trees"),
    ],
)
def test_broken_brackets_are_errors_with_their_line(file, text, message):
    assert refused(file, text, style="delexicalised").startswith(message)


@pytest.mark.integration
def test_damaged_files_are_errors_of_their_format(file):
    pieces = ["(", ")", "((", "))", " ", "\n", "X", "(-NONE- *)", "()", "\xa0", "(X y)"]
    rng = np.random.default_rng(0)
    for text in mutations(PENN * 2 + PLAIN, rng, 500, pieces):
        for style in ("brackets", "penn", "delexicalised"):
            try:
                assert sentences(file, text, style=style)
            except FormatError as error:
                assert error.path == str(file)
