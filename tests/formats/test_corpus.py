from dataclasses import replace

import numpy as np
import pytest

from spacy_chance_eval.formats import match_documents
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError


def doc(words="a b c", spans=(), **fields):
    return Document(words.split(), {"gold": spans}, **fields)


def corpus(*documents, path="gold.x", **fields):
    return Corpus(path, documents, **fields)


def failure(gold, pred, **options):
    with pytest.raises(FormatError) as caught:
        match_documents(gold, pred, **options)
    return str(caught.value)


TEXT = Document([], {"gold": [(0, 5, "X")]}, text="ab cd")
LOOSE = doc(spans=[(0, 1, "A")], unplaced={"gold": [(2, "B")], "other": [(1, "C")]})

# documents, and what the columns of their spans hold
COLUMNS = {
    "order": (
        [doc(spans=[(1, 2, "Y")]), doc("d", spans=[(0, 1, "X")])],
        {"labels": ("X", "Y"), "words": tuple("abcd"), "sizes": [3, 1], "label": [1, 0]},
    ),
    "not seen": ([doc(), doc(spans=None), Document(["a"], {})], {"seen": [True, False, False]}),
    "sentences": (
        [doc(sents=(0, 2)), doc("d e")],
        {"stretches": [[0, 0, 2], [0, 2, 3], [1, 0, 2]]},
    ),
    "missing tokens": (
        [doc("a b c d e f", sents=(3,), missing=[(1, 2), (4, 6)])],
        {"stretches": [[0, 0, 1], [0, 2, 3], [0, 3, 4]]},
    ),
    "all missing": ([doc(missing=[(0, 3)]), doc("a")], {"stretches": [[1, 0, 1]]}),
    "empty": ([doc(""), doc(sents=(0,))], {"stretches": [[1, 0, 3]]}),
    "unplaced": ([doc(), LOOSE], {"labels": ("A", "B"), "unplaced": [[1, 1, 2]]}),
    "names": ([doc(name="x"), doc(name="y")], {"names": ("x", "y")}),
    "names of some": ([doc(name="x"), doc()], {"names": None}),
    "characters": ([TEXT], {"sizes": [5], "words": None}),
}


@pytest.mark.parametrize(("documents", "columns"), COLUMNS.values(), ids=COLUMNS)
def test_documents_become_columns_of_spans(documents, columns):
    positions = "char" if documents == [TEXT] else "token"
    spans = corpus(*documents, positions=positions).spans("gold")
    found = [getattr(spans, name) for name in columns]
    plain = [one.tolist() if isinstance(one, np.ndarray) else one for one in found]
    assert plain == [*columns.values()]


def test_an_unknown_layer_names_those_available():
    with pytest.raises(ValueError, match="gold.x has no layer 'ents'; available: gold"):
        corpus(doc()).spans("ents")
    assert corpus(Document([], {"b": ()}), Document([], {"a": None})).layer_names == ("a", "b")


def test_the_order_of_spans_in_a_document_does_not_matter():
    spans = [(0, 1, "X"), (1, 2, "Y")]
    assert doc(spans=spans) == doc(spans=spans[::-1])


def test_pairing_by_name_gives_the_order_of_the_gold():
    gold = corpus(doc("a", name="x"), doc("b", name="y"))
    pred = corpus(doc("b", name="y"), doc("a", name="x"), path="pred.x")
    assert [document.name for document in match_documents(gold, pred)[1].documents] == ["x", "y"]


def test_pairing_goes_by_place_if_a_name_is_not_unique():
    gold = corpus(doc("a", name="x"), doc("b", name="x"))
    pred = corpus(doc("a", name="y"), doc("b", name="x"), path="pred.x")
    assert match_documents(gold, pred) == (gold, pred)


def in_text(text, path="gold.x", **fields):
    return corpus(Document([], {}, text=text, **fields), path=path, positions="char")


NAMED = [doc(name=name) for name in "xyz"]
SECOND = doc("a b c", lines=(5, 6, 7))

# gold, documents of a prediction, and the message in which {} is the path of the prediction
REFUSED = {
    "names": (NAMED, NAMED[:1], "{}: there is no document 'y', which gold.x has; .* (2 such)"),
    "more names": (NAMED[:1], NAMED[:2], "gold.x: there is no document 'y'"),
    "numbers": ([doc()], [doc()] * 2, "{}: 2 documents, but gold.x has 1;"),
    "words": (
        [doc(), SECOND],
        [doc(), doc("a x y", lines=(9, 10, 11))],
        "gold.x:6: token 2 of document 2 is 'b', but 'x' in {}:10;",
    ),
    "end": (
        [replace(SECOND, name="n")],
        [doc("a b", lines=(5, 6))],
        "gold.x:7: token 3 of document 'n' is 'c', but the end in {}:6;",
    ),
    "no lines": ([doc("a")], [doc("b")], "gold.x: token 1 of document 1 is 'a', but 'b' in {};"),
}


@pytest.mark.parametrize(("gold", "pred", "message"), REFUSED.values(), ids=REFUSED)
def test_documents_that_do_not_match_are_named(gold, pred, message):
    begin, _, end = message.format("pred.x").partition(".*")
    found = failure(corpus(*gold), corpus(*pred, path="pred.x"))
    assert found.startswith(begin) and found.endswith(end)


def test_texts_that_do_not_match_are_named_by_character_and_are_no_tokens():
    message = failure(in_text("ab", lines=(4,)), in_text("aß", "p", lines=(4,)))
    assert message.startswith("gold.x:4: character 2 of document 1 is 'b', but 'ß' in p:4;")
    message = failure(corpus(doc()), in_text("a b c", "p"), align="tokens")
    assert message.startswith("p: there are no tokens here")


def test_a_document_with_an_empty_list_of_missing_stretches_is_one_without():
    assert Document((), {}, missing=[]) == Document((), {}, missing=set()) == Document((), {})
