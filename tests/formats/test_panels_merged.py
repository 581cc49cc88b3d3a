"""Files of several annotators made one corpus, with a layer for each of them."""

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats import Corpus, Document, FormatError
from spacy_chance_eval.formats.matching import with_names
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators


def document(name="a", words="x y z", spans=(), **fields):
    return Document(tuple(words.split()), {"spans": spans}, name=name, **fields)


def corpus(*documents, path="one.jsonl", **fields):
    return Corpus(path, documents, **fields)


def part(annotator, *documents, layer="spans", **fields):
    return AnnotatorLayer(annotator, corpus(*documents, path=f"{annotator}.jsonl", **fields), layer)


def test_an_annotator_may_have_several_files_of_other_documents():
    found = merge_annotators([part("ann", document("a")), part("ann", document("b"))])
    assert [{*one.layers} for one in found.documents] == [{"ann"}, {"ann"}]
    with pytest.raises(FormatError, match="document 'a' has two annotations by 'ann'"):
        merge_annotators([part("ann", document()), part("ann", document(spans=[(0, 1, "A")]))])


def test_repairs_of_all_files_are_told():
    parts = [part("ann", document(), repair="drop"), part("bob", document(), repair="conlleval")]
    assert merge_annotators(parts).repair == "conlleval+drop"


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_files_changes_the_order_of_documents_alone(order):
    parts = [part("ann", document("a"), document("b")), part("bob", document("b"), document("a"))]
    found = merge_annotators(parts[::order])
    assert {one.name: one.layers for one in found.documents} == {
        name: {"ann": (), "bob": ()} for name in "ab"
    }


# --- names of another program


AB = corpus(document("a"), document("b", "u"))
IN_SIZE = [corpus(Document((), {"spans": ()}, name=name, size=3)) for name in "ab"]


@each_case(
    "first, other, expected",
    [
        (AB, corpus(document("1"), document("2", "u")), AB),
        (AB, corpus(document("2", "u"), document("1")), AB),  # in another order
        *(
            (AB, corpus(*some), corpus(*some))
            for some in (
                [document("b", "u"), document("1")],  # a name in common
                [document("1"), document("2", "v")],  # another text
                [document("1")],  # fewer
                [document("1"), document(None, "u")],  # no names
                [document("1"), document("1", "u")],  # not its own
            )
        ),
        (*IN_SIZE, IN_SIZE[1]),  # unknown texts
    ],
)
def test_documents_of_the_same_texts_have_the_names_of_the_first_and_others_their_own(
    first, other, expected
):
    assert with_names(first, other) == expected
