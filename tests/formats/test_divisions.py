"""The same tokens in other documents: what predictions have is dealt out to those of gold."""

from dataclasses import replace
from random import Random

import pytest

from spacy_chance_eval.formats import match_documents
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.divisions import have_same_tokens
from spacy_chance_eval.formats.notes import DIVIDED, Place
from spacy_chance_eval.measures.spans import Copy

GOLD = (
    Document("a b c".split(), {"gold": []}, name="one", sents=[0, 2]),
    Document("d e".split(), {"gold": []}, name="two", sents=[0]),
)


def gold(documents=GOLD):
    return Corpus("gold", documents)


def matched(*documents, expected=GOLD):
    pred = match_documents(gold(expected), Corpus("pred", documents))[1]
    assert [one.words for one in pred.documents] == [one.words for one in expected]
    return pred


def whole(spans=(), **more):
    """One document of all tokens."""
    return Document("a b c d e".split(), {"gold": spans}, **more)


def layers(corpus, name="gold"):
    return [document.layers[name] for document in corpus.documents]


def test_copies_and_lines_go_with_their_tokens():
    pred = matched(
        whole([*SAID], copies={"gold": dict.fromkeys(SAID, COPIES)}, lines=[3, 4, 5, 7, 8])
    )
    assert [one.copies for one in pred.documents] == [
        {},
        {"gold": dict.fromkeys(MOVED, tuple(COPIES))},
    ]
    assert [one.lines for one in pred.documents] == [(3,), (7,)]
    assert pred.notes.places[DIVIDED][1] == Place("pred", 7, "a document")


SAID = {(3, 4, "X"): {"f": 1}}
MOVED = {(0, 1, "X"): {"f": 1}}
COPIES = [Copy({"f": 1}, True)]


def test_all_annotation_comes_back():
    rng = Random(1)
    for _ in range(50):
        sizes = [rng.randrange(5) for _ in range(6)]
        documents = []
        for number, size in enumerate(sizes):
            words = [f"{number}-{i}" for i in range(size)]
            places = sorted({rng.randrange(size) for _ in range(size)}) if size else []
            spans = [(at, at + 1, rng.choice("XY")) for at in places]
            documents.append(Document(words, {"gold": spans}))
        flat, first, spans = [], 0, []
        for one in documents:
            spans += [(s + first, e + first, label) for s, e, label in one.layers["gold"]]
            flat, first = [*flat, *one.words], first + len(one.words)
        pred = Corpus("pred", [Document(flat, {"gold": spans})])
        assert layers(match_documents(gold(documents), pred)[1]) == layers(gold(documents))


# --- notes


ONE_TOKEN = [Document(words, {"gold": []}) for words in (["a"], ["b", "c"])]


@pytest.mark.parametrize(
    ("documents", "n"),
    [
        ([whole()], 2),
        ([*ONE_TOKEN, replace(GOLD[1], name=None)], 1),
        (GOLD, 0),
        ([replace(GOLD[0], sents=[0, 1]), GOLD[1]], 1),
        ([replace(GOLD[0], sents=()), GOLD[1]], 0),
    ],
    ids=["all", "one", "none", "other sentences", "unknown sentences"],
)
def test_notes_count_the_documents_of_gold(documents, n):
    assert matched(*documents).notes.count(DIVIDED) == n


# --- what is not divided


def test_beginnings_may_be_enough():
    less = Corpus("less", [Document(["a", "b"], {})])
    assert have_same_tokens(gold(), less, so_far=True)
    assert not have_same_tokens(gold(), less)
    assert not have_same_tokens(gold(), Corpus("x", [Document(["b"], {})]), so_far=True)
