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


def test_names_and_sentences_are_those_of_gold():
    pred = matched(whole())
    assert [(one.name, one.sents) for one in pred.documents] == [("one", (0, 2)), ("two", (0,))]


def test_spans_over_a_border_are_unplaced():
    pred = matched(whole([(2, 4, "X")]))
    assert layers(pred) == [(), ()]
    assert [one.unplaced for one in pred.documents] == [{"gold": ((2, "X"),)}, {}]


def test_what_was_not_seen_is_missing_or_not_seen():
    seen = Document(["a"], {"gold": [(0, 1, "X")]})
    pred = matched(seen, Document("b c d e".split(), {"gold": None}))
    assert layers(pred) == [((0, 1, "X"),), None]
    assert [one.missing_in for one in pred.documents] == [{"gold": ((1, 3),)}, {}]


def test_missing_tokens_stay_missing():
    pred = matched(whole(missing=[(2, 4)], missing_in={"gold": [(0, 1), (4, 5)]}))
    assert [one.missing for one in pred.documents] == [((2, 3),), ((0, 1),)]
    assert [one.missing_in for one in pred.documents] == [
        {"gold": ((0, 1),)},
        {"gold": ((1, 2),)},
    ]


def test_unplaced_spans_stay_unplaced():
    first = Document("a b c d".split(), {"gold": []})
    pred = matched(first, Document(["e"], {"gold": []}, unplaced={"gold": [(3, "X")]}))
    assert [one.unplaced for one in pred.documents] == [{}, {"gold": ((3, "X"),)}]


def test_features_stay_with_their_spans():
    pred = matched(whole([(3, 4, "X")], features={"gold": {(3, 4, "X"): {"f": 1}}}))
    assert [one.features for one in pred.documents] == [{}, {"gold": {(0, 1, "X"): {"f": 1}}}]


def test_copies_stay_with_their_spans():
    copies = {"gold": {(3, 4, "X"): [Copy({"f": 1}, True)]}}
    pred = matched(whole([(3, 4, "X")], copies=copies))
    assert [one.copies for one in pred.documents] == [
        {},
        {"gold": {(0, 1, "X"): (Copy({"f": 1}, True),)}},
    ]


def test_documents_have_the_lines_of_their_first_tokens():
    pred = matched(whole(lines=[3, 4, 5, 7, 8]))
    assert [one.lines for one in pred.documents] == [(3,), (7,)]


def test_empty_documents_stay_empty():
    empty = Document([], {"gold": []})
    documents = (empty, GOLD[0], empty, GOLD[1], empty)
    assert layers(matched(whole([(3, 4, "X")]), expected=documents)) == [
        *((), (), ()),
        ((0, 1, "X"),),
        (),
    ]


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


def divided(*documents):
    return matched(*documents).notes.count(DIVIDED)


def test_notes_count_the_documents_of_gold():
    split = [Document(words, {"gold": []}) for words in (["a"], ["b", "c"])]
    assert divided(whole()) == 2
    assert divided(*split, replace(GOLD[1], name=None)) == 1
    assert divided(*GOLD) == 0


def test_notes_tell_where():
    notes = matched(whole(lines=[3, 4, 5, 7, 8])).notes
    assert notes.places[DIVIDED][1] == Place("pred", 7, "a document")


def test_other_sentences_are_those_of_gold_and_noted():
    pred = matched(replace(GOLD[0], sents=[0, 1]), GOLD[1])
    assert [one.sents for one in pred.documents] == [(0, 2), (0,)]
    assert pred.notes.count(DIVIDED) == 1


def test_unknown_sentences_are_those_of_gold():
    pred = matched(replace(GOLD[0], sents=()), GOLD[1])
    assert [one.sents for one in pred.documents] == [(0, 2), (0,)]
    assert not pred.notes


# --- what is not divided


def test_other_tokens_are_an_error():
    with pytest.raises(FormatError, match="1 document, but gold has 2"):
        match_documents(gold(), Corpus("pred", [Document("a b c d f".split(), {})]))


def test_characters_are_not_divided():
    one = Corpus("one", [Document((), {"gold": []}, text="ab")], "char")
    two = Corpus("two", [Document((), {"gold": []}, text=t) for t in "ab"], "char")
    with pytest.raises(FormatError, match="2 documents, but one has 1"):
        match_documents(one, two)


def test_categories_are_not_divided():
    pred = Corpus("pred", [replace(whole(), categories={"topic": ["x"]})])
    with pytest.raises(FormatError, match="1 document, but gold has 2"):
        match_documents(gold(), pred)


def test_documents_that_are_matched_by_name_keep_their_tokens():
    names = [Document("a b c d".split(), {}, name="one"), Document(["e"], {}, name="two")]
    with pytest.raises(FormatError, match="token 4 of document 'one'"):
        match_documents(gold(), Corpus("pred", names))


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
