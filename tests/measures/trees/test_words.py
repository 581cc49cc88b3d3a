"""Words of one text that is divided into other tokens: which are the same."""

from dataclasses import replace
from functools import cache
from zlib import crc32

import numpy as np
import pytest

from spacy_chance_eval import TreePanel
from spacy_chance_eval.measures.trees.syntax import labelled_edges, unlabelled_edges
from spacy_chance_eval.measures.trees.trees import Trees
from spacy_chance_eval.measures.trees.words import Words, align_words

FORMS = "abcde"


def table(*tokens):
    """Rows of words; a token is a text, or a text with the forms of its words."""
    rows, at = [], 0
    for token in tokens:
        text, forms = token if isinstance(token, tuple) else (token, [token])
        multiword = isinstance(token, tuple)
        rows += [(at, at + len(text), multiword, crc32(form.encode())) for form in forms]
        at += len(text)
    return np.array(rows)


def oracle(one, two):
    """The number of words that are the same: character by character, and by recursion."""
    size = int(max(one[:, 1].max(), two[:, 1].max()))
    stretch, n_stretches = np.full(size, -1), 0
    for char in range(size):
        over = [r for r in (*one, *two) if r[2] and r[0] <= char < r[1]]
        if over and not any(r[0] < char for r in over):
            n_stretches += 1
        if over:
            stretch[char] = n_stretches

    def forms(rows, number):
        found = [r for r in rows if (stretch[r[0] : r[1]] == number).all()]
        return tuple(int(r[3]) for r in found)

    @cache
    def longest(a, b):
        if not a or not b:
            return 0
        if a[0] == b[0]:
            return 1 + longest(a[1:], b[1:])
        return max(longest(a[1:], b), longest(a, b[1:]))

    n = sum(longest(forms(one, i), forms(two, i)) for i in range(1, n_stretches + 1))
    plain = (
        {(r[0], r[1]) for r in rows if (stretch[r[0] : r[1]] < 0).any()} for rows in (one, two)
    )
    return n + len(set.intersection(*plain))


def made(rng, size):
    """Tokens of a text of some size."""
    text, tokens = "".join(FORMS[i % len(FORMS)] for i in range(size)), []
    while text:
        n = int(rng.integers(1, 4))
        words = rng.choice(list(FORMS), int(rng.integers(1, 4))).tolist()
        tokens.append((text[:n], words) if rng.random() < 0.4 else text[:n])
        text = text[n:]
    return tokens


def test_words_are_as_many_as_those_of_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(300):
        one, two = (table(*made(rng, 12)) for _ in range(2))
        pairs = align_words(one, two)
        assert len(pairs) == oracle(one, two)
        assert pairs == sorted(pairs) and len({j for _, j in pairs}) == len(pairs)
        assert [(j, i) for i, j in align_words(one, one)] == [(i, i) for i in range(len(one))]


LABELS = ["punct", "root", "x"]


def trees(heads, relations, *tokens):
    """One sentence with its words."""
    made = Trees.from_heads([heads], [relations]).with_labels(LABELS)
    words = Words(*(column.astype(int) for column in table(*tokens).T))
    return replace(made, words=words)


# "a b c d" and "a bc d", in the second of which d hangs under a word that the first does not have
ONE = trees([0, 1, 1, 1], ["root", "x", "x", "punct"], "a", "b", "c", "d")
EDGES = {
    "right": ([0, 1, 1], ["root", "x", "punct"], "none", [4, 3, 2], [4, 3, 2]),
    "another-label": ([0, 1, 1], ["root", "x", "x"], "none", [4, 3, 1], [4, 3, 2]),
    "another-head": ([0, 1, 2], ["root", "x", "punct"], "none", [4, 3, 1], [4, 3, 1]),
    "another-root": ([3, 1, 0], ["x", "x", "root"], "none", [4, 3, 0], [4, 3, 0]),
    "ignored": ([0, 1, 1], ["root", "x", "punct"], "punct", [3, 2, 1], [3, 2, 1]),
}


@pytest.mark.parametrize("case", EDGES)
def test_edges_are_those_of_the_same_words_with_the_same_heads(case):
    heads, relations, ignore, labelled, unlabelled = EDGES[case]
    two = trees(heads, relations, "a", "bc", "d")
    for count, numbers in ((labelled_edges, labelled), (unlabelled_edges, unlabelled)):
        hits, back = (count(*sides, ignore=ignore) for sides in ((ONE, two), (two, ONE)))
        assert [int(x.sum()) for x in (hits.gold, hits.pred, hits.correct)] == numbers
        assert [int(x.sum()) for x in (back.pred, back.gold, back.correct)] == numbers
    with pytest.raises(ValueError, match="1 words of nodes for 2 parents"):
        trees([0, 1], ["root", "x"], "a")


def test_keys_of_items_tell_where_their_words_stand():
    heads, relations = [0, 1, 1, 1], ["root", "x", "x", "punct"]
    other = trees(heads, relations, "a", "bc", "d", "e")
    keys = [TreePanel({"ann": ONE, "bob": one}).keys().tolist() for one in (ONE, ONE, other)]
    assert keys[0] == keys[1] != keys[2]
