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


def test_spans_have_sorted_labels_words_and_sizes():
    spans = corpus(doc(spans=[(1, 2, "Y")]), doc("d", spans=[(0, 1, "X")])).spans("gold")
    assert (spans.labels, spans.words, spans.sizes.tolist()) == (("X", "Y"), tuple("abcd"), [3, 1])
    assert spans.label.tolist() == [1, 0]


def test_a_document_without_the_layer_is_not_seen():
    spans = corpus(doc(), doc(spans=None), Document(["a"], {})).spans("gold")
    assert spans.seen.tolist() == [True, False, False]


def test_an_unknown_layer_names_those_available():
    with pytest.raises(ValueError, match="gold.x has no layer 'ents'; available: gold"):
        corpus(doc()).spans("ents")


def test_layer_names_are_sorted():
    assert corpus(Document([], {"b": ()}), Document([], {"a": None})).layer_names == ("a", "b")


def test_sentences_become_stretches():
    spans = corpus(doc(sents=(0, 2)), doc("d e")).spans("gold")
    assert spans.stretches.tolist() == [[0, 0, 2], [0, 2, 3], [1, 0, 2]]


def test_missing_tokens_leave_the_stretches():
    spans = corpus(doc("a b c d e f", sents=(3,), missing=[(1, 2), (4, 6)])).spans("gold")
    assert spans.stretches.tolist() == [[0, 0, 1], [0, 2, 3], [0, 3, 4]]


def test_a_document_that_is_missing_as_a_whole_has_no_stretch():
    spans = corpus(doc(missing=[(0, 3)]), doc("a")).spans("gold")
    assert spans.stretches.tolist() == [[1, 0, 1]]


def test_an_empty_document_has_no_stretch():
    assert corpus(doc(""), doc(sents=(0,))).spans("gold").stretches.tolist() == [[1, 0, 3]]


def test_unplaced_spans_are_rows_of_document_label_and_length():
    one = doc(spans=[(0, 1, "A")], unplaced={"gold": [(2, "B")], "other": [(1, "C")]})
    spans = corpus(doc(), one).spans("gold")
    assert (spans.labels, spans.unplaced.tolist()) == (("A", "B"), [[1, 1, 2]])


def test_spans_have_names_if_all_documents_do():
    assert corpus(doc(name="x"), doc(name="y")).spans("gold").names == ("x", "y")
    assert corpus(doc(name="x"), doc()).spans("gold").names is None


def test_character_positions_count_the_text():
    one = Document([], {"gold": [(0, 5, "X")]}, text="ab cd")
    spans = corpus(one, positions="char").spans("gold")
    assert (spans.sizes.tolist(), spans.words) == ([5], None)


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


def test_a_name_without_partner_is_reported_with_their_number():
    gold = corpus(doc(name="x"), doc(name="y"), doc(name="z"))
    message = failure(gold, corpus(doc(name="x"), path="pred.x"))
    assert message.startswith("pred.x: there is no document 'y', which gold.x has")
    assert message.endswith("(2 such)")


def test_a_name_that_only_the_prediction_has_is_reported():
    pred = corpus(doc(name="x"), doc(name="y"), path="pred.x")
    assert failure(corpus(doc(name="x")), pred).startswith("gold.x: there is no document 'y'")


def test_different_numbers_of_documents_are_reported():
    message = failure(corpus(doc()), corpus(doc(), doc(), path="pred.x"))
    assert message.startswith("pred.x: 2 documents, but gold.x has 1;")


def test_the_first_different_word_is_reported_with_both_places():
    gold = corpus(doc(), doc("a b c", lines=(5, 6, 7)))
    pred = corpus(doc(), doc("a x y", lines=(9, 10, 11)), path="pred.x")
    message = failure(gold, pred)
    assert message.startswith("gold.x:6: token 2 of document 2 is 'b', but 'x' in pred.x:10;")


def test_a_document_that_ends_early_is_reported():
    gold = corpus(doc("a b c", lines=(5, 6, 7), name="n"))
    message = failure(gold, corpus(doc("a b", lines=(5, 6)), path="pred.x"))
    assert message.startswith("gold.x:7: token 3 of document 'n' is 'c', but the end in pred.x:6;")


def test_places_without_lines_are_reported_by_path():
    message = failure(corpus(doc("a")), corpus(doc("b"), path="pred.x"))
    assert message.startswith("gold.x: token 1 of document 1 is 'a', but 'b' in pred.x;")


def test_different_texts_are_reported_by_character():
    gold, pred = (Document([], {}, text=text, lines=(4,)) for text in ("ab", "aß"))
    message = failure(corpus(gold, positions="char"), corpus(pred, positions="char", path="p"))
    assert message.startswith("gold.x:4: character 2 of document 1 is 'b', but 'ß' in p:4;")


def test_tokens_against_characters_are_reported():
    pred = corpus(Document([], {}, text="a b c"), positions="char", path="pred.x")
    message = failure(corpus(doc()), pred, align="tokens")
    assert message.startswith("pred.x: there are no tokens here")


def test_a_document_with_an_empty_list_of_missing_stretches_is_one_without():
    assert Document((), {}, missing=[]) == Document((), {}, missing=set()) == Document((), {})
