"""Documents with other tokens: spans carried over by characters, or compared by place."""

from random import Random

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_chance_eval.formats import Corpus, Document, FormatError, match_documents
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators
from spacy_chance_eval.formats.notes import Notes

GOLD = "Ann , of New York - Bar 's"


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
CASES = {
    "joined": (tokens("Ann, of NewYork -Bar's", (2, 3, X)), [(3, 5, X)], []),
    "divided": (tokens("An n , of New Yo rk - Bar 's", (4, 7, X)), [(3, 5, X)], []),
    "too_long": (tokens("Ann , of New York -B ar 's", (3, 6, X)), [], [(4, X)]),
    "too_short": (tokens("Ann , of New Yo rk - Bar 's", (3, 5, X)), [], [(2, X)]),
    "text": (chars("Ann, of New York-Bar's", (8, 16, X)), [(3, 5, X)], []),
    "text_inside": (chars("Ann, of New York-Bar's", (1, 3, X)), [], [(1, X)]),
    "with_blanks": (chars(" Ann, of New \n York-Bar's\n", (8, 19, X)), [(3, 5, X)], []),
    "case": (tokens("ann , of new york - bar 's", (3, 5, X)), [(3, 5, X)], []),
    "blank_token": (tokens("Ann , of New \n York - Bar 's", (4, 6, X)), [(4, 5, X)], []),
    "blanks_at_ends": (
        tokens("Ann , of \n N \n ewYork - Bar 's", (3, 5, X), (4, 6, X)),
        [],
        [(1, X)],
    ),
    "blank_alone": (tokens("Ann , of New \n York - Bar 's", (4, 5, X)), [], [(1, X)]),
}


@pytest.mark.parametrize("pred, spans, unplaced", CASES.values(), ids=CASES)
def test_spans_are_carried_over_to_the_tokens_of_gold(pred, spans, unplaced):
    assert placed(tokens(GOLD, path="gold.x"), pred) == (tuple(spans), tuple(unplaced))


def test_spans_of_tokens_are_counted_in_characters_where_gold_has_no_tokens():
    gold = chars("Ann, of New \nYork", path="gold.x")
    _, pred = match_documents(gold, tokens("Ann , of New York", (3, 5, X)))
    assert pred.positions == "char" and pred.documents[0].layers == {"a": ((8, 17, X),)}
    assert pred.notes.signed() == {"align": "characters"}


def test_all_are_counted_in_characters_if_that_is_asked_for():
    gold, pred = tokens("New York", (0, 2, X)), tokens("New Yo rk", (0, 2, X))
    one, two = match_documents(gold, pred, align="characters")
    spans = [side.documents[0].layers["a"] for side in (one, two)]
    assert spans == [((0, 8, X),), ((0, 6, X),)]
    assert one.notes.signed() == {"align": "characters"}


def test_what_is_said_of_a_span_goes_with_it():
    said = {"a": {(0, 1, X): {"sure": 1}}}
    pred = tokens("NewYork is", (0, 1, X), features=said, missing=[(1, 2)], sents=[0, 1])
    found = match_documents(tokens("New York is", sents=[0]), pred)[1].documents[0]
    assert found.features == {"a": {(0, 2, X): {"sure": 1}}}
    assert (found.missing, found.sents) == (((2, 3),), (0,))  # sentences are those of gold


def test_notes_name_the_first_token_that_differs():
    pred = Corpus("p.x", [Document(("New", "Yo", "rk"), {"a": ()}, lines=(4, 5, 6))])
    notes = match_documents(tokens("New York"), pred)[1].notes
    assert notes.sentences() == [
        "1 document has the same text, but not the same tokens; its spans were carried over by "
        "characters: 'Yo' for 'York' (p.x:5)"
    ]
    assert notes.signed() == {"align": "gold_tokens"}


def test_documents_that_are_divided_otherwise_and_have_other_tokens_are_those_of_gold():
    gold = Corpus("g", [Document(("a", "b"), {"a": ()}), Document(("c", "d"), {"a": ()})])
    pred = Corpus("p", [Document(("ab", "c", "d"), {"a": [(0, 1, X), (1, 3, "Y"), (0, 2, "Z")]})])
    found = match_documents(gold, pred)[1].documents
    assert [one.layers["a"] for one in found] == [((0, 2, X),), ((0, 2, "Y"),)]
    assert found[0].unplaced == {"a": ((3, "Z"),)}
    text = Corpus("p", [Document((), {"a": [(0, 2, X)]}, text="ab cd")], "char")
    assert match_documents(gold, text)[1].documents[0].layers["a"] == ((0, 2, X),)


# --- by place


def test_as_many_tokens_are_compared_by_place():
    gold, pred = (
        tokens('" Ann " 000'),
        tokens("'' Ann ' 0", (1, 2, X), (3, 4, X), lines=(1, 2, 3, 4)),
    )
    found = match_documents(gold, pred, align="position")[1]
    assert found.documents[0].layers["a"] == ((1, 2, X), (3, 4, X))
    assert found.documents[0].words == gold.documents[0].words
    assert found.notes.sentences() == [
        "3 tokens are spelled otherwise, and were compared by their places: \"''\" for '\"' "
        "(pred.x:1), \"'\" for '\"' (pred.x:3), '0' for '000' (pred.x:4)"
    ]
    assert found.notes.signed() == {"align": "position"}


def test_by_place_as_many_tokens_of_the_same_text_are_carried_over():
    gold, pred = tokens("Ada NewYork , b"), tokens("Ada New York ,b", (1, 3, X))
    assert placed(gold, pred, align="position") == (((1, 2, X),), ())


def test_by_place_sentences_have_to_begin_at_the_same_tokens():
    gold, pred = tokens("a b c", sents=[0, 1]), tokens("a b x", sents=[0, 2])
    assert "token 3 of document 1 is 'c', but 'x'" in failure(gold, pred, align="position")


# --- what cannot be aligned


def failure(gold, pred, **options):
    with pytest.raises(FormatError) as caught:
        match_documents(gold, pred, **options)
    return str(caught.value)


BY_PLACE = "; --align position compares as many tokens by place"
CARRY = "; --align auto carries spans of the same text over"
SKIP = "; --on-error skip leaves such documents out"
REFUSED = {
    "spelling": ({}, "a c", "same tokens" + BY_PLACE + SKIP),
    "number": ({}, "a c d", "same tokens" + SKIP),
    "place": ({"align": "position"}, "a c d", "same tokens" + SKIP),
    "characters": ({"align": "characters"}, "a cd", "same text" + SKIP),
    "strict": ({"align": "tokens"}, "ab", CARRY),
    "strict_other": ({"align": "tokens"}, "a c", "same tokens"),
}


@pytest.mark.parametrize("options, words, message", REFUSED.values(), ids=REFUSED)
def test_an_error_says_what_align_can_do(options, words, message):
    assert message in failure(tokens("a b"), tokens(words), **options)


def test_an_unknown_way_is_an_error():
    with pytest.raises(ValueError, match="unknown value of align 'luck'"):
        match_documents(tokens("a"), tokens("a"), align="luck")


# --- annotators


def merged(*corpora, **options):
    """The one document of annotators who are called by numbers."""
    parts = [AnnotatorLayer(str(i), one, "a") for i, one in enumerate(corpora)]
    found = merge_annotators(parts, **options)
    return found, found.documents[0]


def test_a_token_ends_where_one_of_any_annotator_does():
    found, one = merged(tokens("a bcd", (1, 2, X)), tokens("ab cd", (1, 2, X)), tokens("abcd"))
    assert one.words == ("a", "b", "cd") and found.notes.signed() == {"align": "common_tokens"}
    assert one.layers == {"0": ((1, 3, X),), "1": ((2, 3, X),), "2": ()}


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


def test_annotators_are_compared_by_place():
    found, one = merged(tokens("a b"), tokens("a c", (1, 2, X)), align="position")
    assert one.layers["1"] == ((1, 2, X),) and found.notes.signed() == {"align": "position"}


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


@pytest.mark.parametrize("seed", range(20))
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


def test_blanks_that_both_have_count():
    gold, pred = (chars(text, (3, 7, X)) for text in ("a\nb cd e", "a b cd e"))
    assert placed(gold, pred) == (((3, 7, X),), ())


def test_another_number_of_documents_is_an_error_that_says_what_makes_them():
    one, two = (Corpus(n, [Document((w,), {"a": ()}) for w in n], "token") for n in ("a", "ab"))
    assert "--documents file or sentence says what" in failure(one, two)
    with pytest.raises(FormatError, match="ab: 2 documents, but a has 1; both need the same doc"):
        merged(one, two)


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


def test_other_tokens_are_left_out_if_they_are_not_to_be_aligned():
    pred = Corpus("p", [Document(("ab",), {"a": ()})], notes=Notes(sizes={"documents": 1}))
    found = match_documents(tokens("a b"), pred, align="tokens")[1]
    assert found.documents[0].layers == {"a": None}


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
