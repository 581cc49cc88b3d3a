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


def test_each_annotator_becomes_a_layer():
    found = merge_annotators([part("ann", document(spans=SPAN)), part("bob", document())])
    assert [one.layers for one in found.documents] == [{"ann": SPAN, "bob": ()}]


def test_documents_are_those_of_all_files_in_the_order_of_their_first_mention():
    found = merge_annotators(
        [part("ann", document("b"), document("a")), part("bob", document("c"), document("a"))]
    )
    assert [one.name for one in found.documents] == ["b", "a", "c"]
    assert [{*one.layers} for one in found.documents] == [{"ann"}, {"ann", "bob"}, {"bob"}]


def test_who_lacks_the_layer_has_not_seen_the_document():
    found = merge_annotators(
        [part("ann", document(spans=SPAN)), part("bob", document(), layer="ner")]
    )
    assert found.documents[0].layers == {"ann": SPAN}


def test_documents_without_names_are_matched_by_place():
    ann = part("ann", document(None), document(None, "u v"))
    bob = part("bob", document(None, spans=SPAN), document("b", "u v"))
    found = merge_annotators([ann, bob])
    assert [one.layers["bob"] for one in found.documents] == [SPAN, ()]


def test_names_that_stand_twice_match_nothing():
    ann = part("ann", document("a"), document("a", "u v"))
    found = merge_annotators([ann, part("bob", document("a"), document("a", "u v", SPAN))])
    assert [one.layers["bob"] for one in found.documents] == [(), SPAN]


def test_all_that_was_said_goes_with_its_annotator():
    said = {"spans": {(0, 1, "A"): {"sure": 1}}}
    fields = {"features": said, "unplaced": {"spans": [(2, "B")]}, "categories": {"spans": ["C"]}}
    found = merge_annotators([part("ann", document()), part("bob", document(spans=SPAN, **fields))])
    (one,) = found.documents
    assert one.features == {"bob": said["spans"]}
    assert one.unplaced == {"bob": ((2, "B"),)}
    assert one.categories == {"bob": ("C",)}


def test_missing_tokens_are_missing_for_their_annotator_alone():
    bob = document(missing=[(0, 1)], missing_in={"spans": [(2, 3)], "other": [(1, 2)]})
    (one,) = merge_annotators([part("ann", document()), part("bob", bob)]).documents
    assert (one.gaps("ann"), one.gaps("bob")) == ((), ((0, 1), (2, 3)))


def test_sentences_of_all_files_count():
    ann, bob = document(sents=[0, 1]), document(sents=[0, 2])
    (one,) = merge_annotators([part("ann", ann), part("bob", bob)]).documents
    assert one.sents == (0, 1, 2)


def test_an_annotator_may_have_several_files_of_other_documents():
    found = merge_annotators([part("ann", document("a")), part("ann", document("b"))])
    assert [{*one.layers} for one in found.documents] == [{"ann"}, {"ann"}]


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


def failed(*parts, **options):
    with pytest.raises(FormatError) as error:
        merge_annotators(list(parts), **options)
    return str(error.value)


def test_other_tokens_name_both_files():
    message = failed(part("ann", document()), part("bob", document(words="x y w")))
    assert "token 3 of document 'a' is 'z', but 'w' in bob.jsonl" in message
    assert message.startswith("ann.jsonl")


def test_other_tokens_than_a_third_file_are_found():
    parts = part("ann", document("b")), part("bob", document()), part("cyd", document(words="x"))
    assert "token 2 of document 'a' is 'y', but the end in cyd.jsonl" in failed(*parts)


def test_tokens_do_not_stand_beside_characters_where_nothing_is_aligned():
    text = Document((), {"spans": ()}, name="a", text="x y z")
    message = failed(part("ann", document()), part("bob", text, positions="char"), align="tokens")
    assert message.startswith("bob.jsonl: there are no tokens here, but in another file")


def test_two_answers_of_an_annotator_are_an_error():
    message = failed(part("ann", document()), part("ann", document(spans=SPAN)))
    assert "document 'a' has two annotations by 'ann'" in message


# --- names of another program


def test_the_same_texts_in_the_same_order_are_the_same_documents():
    one, other = (
        corpus(document("a"), document("b", "u")),
        corpus(document("1"), document("2", "u")),
    )
    assert [found.name for found in with_names(one, other).documents] == ["a", "b"]


@each_case(
    "other",
    [
        [document("b", "u"), document("1")],  # a name in common
        [document("1"), document("2", "v")],  # another text
        [document("1")],  # fewer
        [document("1"), document(None, "u")],  # no names
        [document("1"), document("1", "u")],  # not its own
    ],
)
def test_otherwise_documents_keep_their_names(other):
    first = corpus(document("a"), document("b", "u"))
    assert with_names(first, corpus(*other)) == corpus(*other)


def test_documents_in_another_order_have_the_names_of_their_texts():
    first = corpus(document("a"), document("b", "u"))
    found = with_names(first, corpus(document("2", "u"), document("1")))
    assert found == corpus(document("a"), document("b", "u"))


def test_documents_of_unknown_text_keep_their_names():
    first, other = (corpus(Document((), {"spans": ()}, name=name, size=3)) for name in "ab")
    assert with_names(first, other) == other
