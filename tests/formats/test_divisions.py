"""The same tokens in other documents: what predictions have is dealt out to those of gold."""

from dataclasses import replace
from random import Random

import pytest

from spacy_chance_eval.formats import FormatError, match_documents, read
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.divisions import have_same_tokens
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators
from spacy_chance_eval.formats.notes import DIVIDED, JOINED, Place
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


SAID = {(3, 4, "X"): {"f": 1}}
MOVED = {(0, 1, "X"): {"f": 1}}
COPIES = [Copy({"f": 1}, True)]
# documents of a prediction, and what those of gold hold then
DEALT_OUT = {
    "names and sentences of gold": ([whole()], {"name": ["one", "two"], "sents": [(0, 2), (0,)]}),
    "a span over a boundary": (
        [whole([(2, 4, "X")])],
        {"layers": [{"gold": ()}, {"gold": ()}], "unplaced": [{"gold": ((2, "X"),)}, {}]},
    ),
    "documents that were not seen": (
        [Document(["a"], {"gold": [(0, 1, "X")]}), Document("b c d e".split(), {"gold": None})],
        {
            "layers": [{"gold": ((0, 1, "X"),)}, {"gold": None}],
            "missing_in": [{"gold": ((1, 3),)}, {}],
        },
    ),
    "missing tokens": (
        [whole(missing=[(2, 4)], missing_in={"gold": [(0, 1), (4, 5)]})],
        {
            "missing": [((2, 3),), ((0, 1),)],
            "missing_in": [{"gold": ((0, 1),)}, {"gold": ((1, 2),)}],
        },
    ),
    "unplaced spans": (
        [
            Document("a b c d".split(), {"gold": []}),
            Document(["e"], {"gold": []}, unplaced={"gold": [(3, "X")]}),
        ],
        {"unplaced": [{}, {"gold": ((3, "X"),)}]},
    ),
    "features and copies": (
        [whole([*SAID], features={"gold": SAID}, copies={"gold": dict.fromkeys(SAID, COPIES)})],
        {
            "features": [{}, {"gold": MOVED}],
            "copies": [{}, {"gold": dict.fromkeys(MOVED, tuple(COPIES))}],
        },
    ),
    "lines of first tokens": ([whole(lines=[3, 4, 5, 7, 8])], {"lines": [(3,), (7,)]}),
    "other sentences": (
        [replace(GOLD[0], sents=[0, 1]), GOLD[1]], {"sents": [(0, 2), (0,)]}
    ),
    "unknown sentences": ([replace(GOLD[0], sents=()), GOLD[1]], {"sents": [(0, 2), (0,)]}),
}  # fmt: skip


@pytest.mark.parametrize(("documents", "expected"), DEALT_OUT.values(), ids=DEALT_OUT)
def test_what_predictions_have_is_dealt_out_to_the_documents_of_gold(documents, expected):
    pred = matched(*documents)
    assert {name: [getattr(one, name) for one in pred.documents] for name in expected} == expected


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


def test_notes_tell_where():
    notes = matched(whole(lines=[3, 4, 5, 7, 8])).notes
    assert notes.places[DIVIDED][1] == Place("pred", 7, "a document")


# --- what is not divided


TEXTS = [Corpus("gold", [Document((), {"gold": []}, text=t) for t in some], "char")
         for some in (["a", "b"], ["ab"])]  # fmt: skip
NAMED = [Document("a b c d".split(), {}, name="one"), Document(["e"], {}, name="two")]
UNDIVIDED = {
    "other tokens": (gold(), [Document("a b c d f".split(), {})], "1 document, but gold has 2"),
    "categories": (
        gold(), [replace(whole(), categories={"topic": ["x"]})], "1 document, but gold has 2"
    ),
    "names": (gold(), NAMED, "token 4 of document 'one'"),
    "characters": (TEXTS[0], TEXTS[1].documents, "1 document, but gold has 2"),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "documents", "message"), UNDIVIDED.values(), ids=UNDIVIDED)
def test_what_is_not_divided(gold, documents, message):
    with pytest.raises(FormatError, match=message):
        match_documents(gold, Corpus("pred", documents, gold.positions))


def test_beginnings_may_be_enough():
    less = Corpus("less", [Document(["a", "b"], {})])
    assert have_same_tokens(gold(), less, so_far=True)
    assert not have_same_tokens(gold(), less)
    assert not have_same_tokens(gold(), Corpus("x", [Document(["b"], {})]), so_far=True)


# --- annotators


def part(name, *documents):
    return AnnotatorLayer(name, Corpus(name, documents), "gold")


ANN = part("ann", Document(["a", "b"], {"gold": [(0, 1, "X")]}, sents=[0]), GOLD[1])
BOB = part(
    "bob",
    Document(["a"], {"gold": []}, sents=[0]),
    Document(["b"], {"gold": [(0, 1, "Y")]}, sents=[0]),
    Document(["d", "e"], {"gold": None}, sents=[0]),
)


@pytest.mark.parametrize("parts", [(ANN, BOB), (BOB, ANN)], ids=["longer_first", "shorter_first"])
def test_documents_of_annotators_end_where_those_of_all_do(parts):
    found = merge_annotators(parts)
    assert [(one.words, one.sents) for one in found.documents] == [
        (("a", "b"), (0, 1)),
        (("d", "e"), (0,)),
    ]
    assert layers(found, "ann") == [((0, 1, "X"),), ()]
    assert layers(found, "bob") == [((1, 2, "Y"),), None]
    assert (found.notes.count(JOINED), found.notes.count(DIVIDED)) == (1, 0)


def test_annotators_of_other_tokens_are_an_error():
    with pytest.raises(FormatError, match="3 documents, but ann has 2"):
        other = [*BOB.corpus.documents[:2], Document(["d", "f"], {"gold": []})]
        merge_annotators([ANN, part("bob", *other)])


def test_a_predicted_span_may_run_over_a_sentence_of_hipe_that_no_empty_line_ends(tmp_path):
    rows = "TOKEN\tNE-COARSE-LIT\tMISC\na\t{}\t{}\nb\t{}\t{}\nc\tO\t_\n\nd\tO\t_\n"
    (tmp_path / "gold.tsv").write_text(rows.format("O", "EndOfSentence", "O", "_"))
    (tmp_path / "pred.tsv").write_text(rows.format("B-X", "_", "I-X", "EndOfSentence"))
    gold, pred = (read(tmp_path / f"{role}.tsv", role=role) for role in ("gold", "pred"))
    assert [one.sents for one in gold.documents] == [(0, 1), (0,)]
    assert match_documents(gold, pred)[1].documents[0].layers == {"gold": ((0, 2, "X"),)}
