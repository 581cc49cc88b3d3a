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


# --- names of another program


AB = corpus(document("a"), document("b", "u"))
TWICE = corpus(document("a"), document("b"), document("c", "u"))
IN_SIZE = [corpus(Document((), {"spans": ()}, name=name, size=3)) for name in "ab"]


@each_case(
    "first, other, names, n_moved",
    [
        (AB, corpus(document("1"), document("2", "u")), "a b", 0),
        (AB, corpus(document("2", "u"), document("1")), "b a", 0),  # in another order
        (AB, corpus(document("b", "u"), document("1")), "b 1", 0),  # the same where it is shared
        (AB, corpus(document("b"), document("a", "u")), "a b", 2),  # names of other texts
        (AB, corpus(document("b"), document("c", "u")), "a b", 2),
        (AB, corpus(document("1"), document("2", "v")), "a 2", 1),
        (AB, corpus(document("1")), "a", 1),
        (AB, corpus(document("b"), document("a", "v")), "a|a (one.jsonl)", 1),
        (AB, corpus(document("a"), document("b", "v")), "a b", 0),  # of a text that nobody else has
        (AB, corpus(document("1"), document(None, "u")), "1 None", 0),  # no names
        (AB, corpus(document("1"), document("1", "u")), "1 1", 0),  # not its own
        (TWICE, corpus(document("1"), document("2"), document("3", "u")), "a b c", 0),
        (TWICE, corpus(document("3", "u"), document("1"), document("2")), "c 1 2", 1),
        (*IN_SIZE, "b", 0),  # unknown texts
    ],
)
def test_documents_have_the_names_that_the_first_gives_their_texts(first, other, names, n_moved):
    found = with_names(first, other)
    assert [str(one) for one in found.names()] == names.split("|" if "|" in names else None)
    assert found.notes.count("by_text") == n_moved
    assert [one.words for one in found.documents] == [one.words for one in other.documents]
