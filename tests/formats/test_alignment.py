"""Documents with other tokens: spans carried over by characters, or compared by place."""

from random import Random

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_chance_eval.formats import Corpus, Document, FormatError, match_documents
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators
from spacy_chance_eval.formats.notes import Notes


def tokens(words, *spans, path="pred.x", **fields):
    """A corpus of one document with tokens."""
    return Corpus(path, [Document(words.split(" "), {"a": spans}, **fields)])


def chars(text, *spans, path="pred.x", **fields):
    """A corpus of one document without tokens."""
    return Corpus(path, [Document((), {"a": spans}, text=text, **fields)], "char")


def placed(gold, pred, **options):
    """(spans, unplaced ones) of the prediction as it is compared with gold."""
    pred = match_documents(gold, pred, **options)[1]
    assert pred.documents[0].words == gold.documents[0].words
    return pred.documents[0].layers["a"], pred.documents[0].unplaced.get("a", ())


X = "X"


# --- what cannot be aligned


def test_an_unknown_way_is_an_error():
    with pytest.raises(ValueError, match="unknown value of align 'luck'"):
        match_documents(tokens("a"), tokens("a"), align="luck")


# --- annotators


def merged(*corpora, **options):
    """The one document of annotators who are called by numbers."""
    parts = [AnnotatorLayer(str(i), one, "a") for i, one in enumerate(corpora)]
    found = merge_annotators(parts, **options)
    return found, found.documents[0]


def answers(*documents):
    """A corpus of mentions on texts without tokens."""
    notes = Notes(how=frozenset([("mentions", "match:exact")]))
    return Corpus("llm.x", documents, "char", notes=notes)


def answer(text, *spans, name=None, **fields):
    """A document of answers."""
    return Document((), {"a": spans}, name=name, text=text, **fields)


def test_mentions_take_the_tokens_of_other_annotators():
    model = answers(answer("ab c", (0, 2, X), (1, 2, X), unplaced={"a": ((3, X),)}))
    for align in ("auto", "position"):
        found, one = merged(model, tokens("ab c", (0, 1, X)), tokens("a bc"), align=align)
        assert one.words == ("a", "b", "c") and found.notes.signed()["align"] == "common_tokens"
        assert one.layers == {"0": ((0, 2, X), (1, 2, X)), "1": ((0, 2, X),), "2": ()}
        assert one.unplaced == {"0": ((2, X),)}  # three of four characters, in two tokens
    assert merged(model, tokens("ab c"), align="characters")[0].positions == "char"
    assert merged(model, tokens("ab c"), chars("ab c"))[0].positions == "char"
    assert merged(model, model)[0].positions == "char"


def test_mentions_in_documents_that_nobody_else_has_are_an_error():
    model = answers(answer("ab c", (0, 2, X), name="1"), answer("d", (0, 1, X), name="2"))
    with pytest.raises(FormatError, match="no other annotator has document '2'.*--align char"):
        merged(model, tokens("ab c", (0, 1, X), name="1"))
    assert merged(model, tokens("ab c", name="1"), align="characters")[0].positions == "char"


# --- as spaCy aligns


def some_tokens(letters, rng):
    """A text of these letters in random tokens, some of them blank."""
    words, spaces, at = [], [], 0
    while at < len(letters):
        if rng.random() < 0.1 and words[-1:] != [" "]:
            words.append(" ")  # others within a span are no blanks for spaCy's spans
        else:
            size = rng.randint(1, 3)
            words.append(letters[at : at + size])
            at += size
        spaces.append(rng.random() < 0.5)
    return words, spaces


@pytest.mark.parametrize("seed", range(5))
def test_spans_are_placed_where_spacy_places_them(seed):
    rng, nlp = Random(seed), spacy.blank("xx")
    for _ in range(20):
        letters = "".join(rng.choice("aAbc") for _ in range(rng.randint(1, 12)))
        made = [some_tokens(one, rng) for one in (letters, letters.swapcase())]
        gold, pred = (Doc(nlp.vocab, words, spaces) for words, spaces in made)
        start = rng.randrange(len(pred))
        end = rng.randint(start + 1, len(pred))
        aligned = Example(pred, gold).get_aligned_spans_x2y([Span(pred, start, end, X)])
        expected = tuple((one.start, one.end, one.label_) for one in aligned)
        one, two = (Corpus("c", [Document(words, {"a": ()})]) for words, _ in made)
        two = Corpus("p", [Document(made[1][0], {"a": [(start, end, X)]})])
        assert placed(one, two)[0] == expected


# --- documents of another text, left out


@pytest.mark.parametrize("positions", ["token", "char"])
def test_documents_of_another_text_are_left_out_where_blemishes_are(positions):
    gold = Corpus("g", [Document(tuple(text), {"a": ()}) for text in ("ab", "cd")])
    words = {"token": ("ab", "xd"), "char": ((), ())}[positions]
    rows = [
        Document(tuple(one), {"a": [(0, 1, X)]}, text=text)
        for one, text in zip(words, ("ab", "xd"))
    ]
    pred = Corpus("p", rows, positions, notes=Notes(sizes={"documents": 2}))
    found = match_documents(gold, pred)[1]
    assert [one.layers["a"] for one in found.documents] == [((0, 1, X),), None]
    assert [one.words for one in found.documents] == [one.words for one in gold.documents]
    assert found.notes.skipped("documents") == (1, 2)
    assert "a document has another text (p)" in "".join(found.notes.sentences())


def test_the_order_of_annotators_does_not_matter():
    rows = [chars("a  b", (0, 4, X)), tokens("ab"), tokens("a b", (1, 2, X))]
    for corpora in (rows, rows[1:]):
        names = [str(number) for number in range(len(corpora))]
        parts = [AnnotatorLayer(name, one, "a") for name, one in zip(names, corpora)]
        one, two = (merge_annotators(some) for some in (parts, parts[::-1]))
        assert one.positions == two.positions
        assert one.documents[0].layers == two.documents[0].layers
        assert one.table.sizes.tolist() == two.table.sizes.tolist()


@pytest.mark.parametrize("positions", ["token", "char"])
def test_documents_that_were_left_out_have_partners_with_other_positions(positions):
    made = {
        "token": [Document(("ab",), {"a": ()}), Document(("cd", "e"), {"a": [(0, 1, X)]})],
        "char": [Document((), {"a": ()}, text="ab"), Document((), {"a": [(0, 2, X)]}, text="cd e")],
    }
    gold = Corpus("g", made.pop(positions), positions)
    ((other, rows),) = made.items()
    pred = Corpus("p", rows[1:], other, skipped=(0,))
    found = match_documents(gold, pred)[1].documents
    assert [one.layers["a"] for one in found] == [None, gold.documents[1].layers["a"]]
