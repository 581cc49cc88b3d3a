import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.formats import match_documents
from spacy_chance_eval.formats.alignment import in_characters, in_tokens
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError


def blanks(text):
    """Boundaries of the words between blanks."""
    borders, at = [], 0
    for word in text.split(" "):
        if word:
            borders.append((at, at + len(word)))
        at += len(word) + 1
    return borders


def moved(words, spans=(), **fields):
    document = Document(words, {"gold": spans}, **fields)
    (found,) = in_characters(Corpus("x.file", [document])).documents
    return found


def tokenized(text, spans=(), tokenize=blanks, misaligned="unplaced", **fields):
    document = Document((), {"gold": spans}, text=text, **fields)
    corpus = Corpus("x.file", [document], positions="char")
    (found,) = in_tokens(corpus, tokenize, misaligned=misaligned).documents
    return found


def test_the_own_text_counts_more_than_blanks():
    found = moved(["Ada", "met"], [(1, 2, "P")], text="\n Ada\tmet\n", spaces=[True, False])
    assert (found.text, found.layers["gold"]) == ("\n Ada\tmet\n", ((6, 9, "P"),))


def test_sentences_begin_at_their_first_token_and_the_first_one_with_the_text():
    assert moved(["a", "b", "c"], sents=[0, 2], text=" a b c").sents == (0, 5)


NOT_MADE = "x.file: the words of document 'd' do not make up"


@each_case(
    ("words", "fields", "message"),
    [
        *(("ab", {"text": text}, NOT_MADE) for text in ("a c", "ba", "a", "", "a-b")),
        (["a", ""], {}, "token 2 of document 'd' is empty"),
        ([], {"size": 3}, "document 'd' has a size, but no words"),
    ],
)
def test_words_that_have_no_place_in_the_text_are_an_error(words, fields, message):
    with pytest.raises(FormatError, match=message):
        moved([*words], **fields, name="d")


def test_tokens_get_words_and_spaces_if_single_blanks_lie_between():
    found = tokenized("Ada met Rex", [(4, 11, "P")])
    assert (found.words, found.spaces) == (("Ada", "met", "Rex"), (True, True, False))
    assert (found.layers, found.text) == ({"gold": ((1, 3, "P"),)}, "Ada met Rex")


def test_a_span_that_does_not_fit_is_an_error_if_asked_for():
    with pytest.raises(FormatError, match=r"x.file:7: document 'd': span P \[0, 2\) does not fit"):
        tokenized("Ada met", [(0, 2, "P")], misaligned="error", name="d", lines=[7])


def test_a_document_without_text_cannot_be_tokenized():
    with pytest.raises(FormatError, match="document 1 has a size, but no text"):
        tokenized(None, size=3)


WORDS = st.lists(st.text("aß🚀", min_size=1, max_size=3), min_size=1, max_size=6)


@st.composite
def corpora(draw):
    words = draw(WORDS)
    size = len(words)
    place = st.tuples(st.integers(0, size - 1), st.integers(1, size)).filter(lambda p: p[0] < p[1])
    spans = draw(st.sets(st.tuples(place, st.sampled_from("AB")), max_size=4))
    spans = [(*place, label) for place, label in spans]
    hidden = draw(st.none() | st.integers(0, size - 1))
    document = Document(
        words,
        {"gold": spans, "other": None},
        sents=draw(st.sets(st.integers(0, size - 1))),
        missing=[] if hidden is None else [(hidden, size)],
        features={"gold": {span: {"at": i} for i, span in enumerate(spans)}},
    )
    return Corpus("x", [document])


@given(corpora())
def test_to_characters_and_back_is_the_identity(corpus):
    there = in_characters(corpus)
    (back,) = in_tokens(there, blanks, misaligned="error").documents
    (one,) = corpus.documents
    names = ("words", "layers", "features", "sents", "missing")
    assert [getattr(back, n) for n in names] == [getattr(one, n) for n in names]


@given(corpora())
def test_the_text_at_a_moved_span_is_that_of_its_words(corpus):
    (one,), (there,) = corpus.documents, in_characters(corpus).documents
    said = [" ".join(one.words[start:end]) for start, end, _ in one.layers["gold"]]
    assert [there.text[start:end] for start, end, _ in there.layers["gold"]] == said
    assert in_characters(corpus).spans("gold").n_docs == 1


def test_documents_known_by_their_sizes_are_the_same_if_these_are():
    one, two = (
        Corpus("x", [Document((), {}, size=2, text=None)]),
        Corpus("y", [Document("ab", {})]),
    )
    assert match_documents(one, two) == (one, two)


def test_other_sizes_are_an_error():
    one = Corpus("x", [Document((), {}, size=3)])
    with pytest.raises(FormatError, match="x: document 1 has 3 tokens, but 2 in y; score"):
        match_documents(one, Corpus("y", [Document("ab", {})]))
