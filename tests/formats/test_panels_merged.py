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


SPAN = ((0, 1, "A"),)


TWICE = [document("a"), document("a", "u v")]
# what annotators have done, names of the documents, and the layers of each
MERGED = {
    "a layer each": (
        [part("ann", document(spans=SPAN)), part("bob", document())],
        ["a"], [{"ann": SPAN, "bob": ()}],
    ),
    "all documents, in the order of their first mention": (
        [part("ann", document("b"), document("a")), part("bob", document("c"), document("a"))],
        ["b", "a", "c"], [{"ann": ()}, {"ann": (), "bob": ()}, {"bob": ()}],
    ),
    "one without the layer": (
        [part("ann", document(spans=SPAN)), part("bob", document(), layer="ner")],
        ["a"], [{"ann": SPAN}],
    ),
    "no names, by place": (
        [
            part("ann", document(None), document(None, "u v")),
            part("bob", document(None, spans=SPAN), document("b", "u v")),
        ],
        [None, None], [{"ann": (), "bob": SPAN}, {"ann": (), "bob": ()}],
    ),
    "names that stand twice match nothing": (
        [part("ann", *TWICE), part("bob", TWICE[0], document("a", "u v", SPAN))],
        ["a", "a"], [{"ann": (), "bob": ()}, {"ann": (), "bob": SPAN}],
    ),
    "several files of one annotator": (
        [part("ann", document("a")), part("ann", document("b"))],
        ["a", "b"], [{"ann": ()}, {"ann": ()}],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "names", "layers"), MERGED.values(), ids=MERGED)
def test_annotators_become_layers_of_the_documents_of_all(parts, names, layers):
    found = merge_annotators(parts)
    assert [one.layers for one in found.documents] == layers
    assert [one.name for one in found.documents] == names or None in names


def test_all_that_was_said_goes_with_its_annotator():
    said = {"spans": {(0, 1, "A"): {"sure": 1}}}
    fields = {"features": said, "unplaced": {"spans": [(2, "B")]}, "categories": {"spans": ["C"]}}
    found = merge_annotators([part("ann", document()), part("bob", document(spans=SPAN, **fields))])
    (one,) = found.documents
    assert one.features == {"bob": said["spans"]}
    assert one.unplaced == {"bob": ((2, "B"),)}
    assert one.categories == {"bob": ("C",)}


def test_missing_tokens_are_those_of_their_annotator_and_sentences_those_of_all():
    ann = document(sents=[0, 1])
    bob = document(
        missing=[(0, 1)], missing_in={"spans": [(2, 3)], "other": [(1, 2)]}, sents=[0, 2]
    )
    (one,) = merge_annotators([part("ann", ann), part("bob", bob)]).documents
    assert (one.gaps("ann"), one.gaps("bob")) == ((), ((0, 1), (2, 3)))
    assert one.sents == (0, 1, 2)


def test_categories_alone_make_an_answer():
    def text(label):
        return Document((), {}, name="a", text="hi", categories={"c": [label]})

    parts = [
        part(who, text(x), layer="c", positions="char") for who, x in (("ann", "A"), ("bob", "B"))
    ]
    (one,) = merge_annotators(parts).documents
    assert one.categories == {"ann": ("A",), "bob": ("B",)}


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


# --- errors


IN_TEXT = Document((), {"spans": ()}, name="a", text="x y z")
REFUSED = {
    "other tokens": (
        [part("ann", document()), part("bob", document(words="x y w"))],
        "^ann.jsonl: token 3 of document 'a' is 'z', but 'w' in bob.jsonl",
    ),
    "other tokens than a third file": (
        [part("ann", document("b")), part("bob", document()), part("cyd", document(words="x"))],
        "token 2 of document 'a' is 'y', but the end in cyd.jsonl",
    ),
    "tokens beside characters": (
        [part("ann", document()), part("bob", IN_TEXT, positions="char")],
        "^bob.jsonl: there are no tokens here, but in another file",
    ),
    "two answers of one annotator": (
        [part("ann", document()), part("ann", document(spans=SPAN))],
        "document 'a' has two annotations by 'ann'",
    ),
}


@pytest.mark.parametrize(("parts", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_merged_is_an_error_that_names_the_files(parts, message):
    with pytest.raises(FormatError, match=message):
        merge_annotators(parts, align="tokens")


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
