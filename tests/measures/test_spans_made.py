"""`Spans` from tags, dicts, Docs and Examples; what is refused, and that the advice works."""

from functools import partial

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from helpers.cases import each_case
from spacy_chance_eval import Spans, evaluate

SCHEMES = {
    "IOB1": ["I-PER", "I-PER", "B-PER", "O", "I-LOC"],
    "IOB2": ["B-PER", "I-PER", "B-PER", "O", "B-LOC"],
    "BIOES": ["B-PER", "E-PER", "S-PER", "O", "S-LOC"],
    "BILUO": ["B-PER", "L-PER", "U-PER", "O", "U-LOC"],
}
ROWS = [(0, 2, "PER"), (2, 3, "PER"), (4, 5, "LOC")]
VOCAB = spacy.blank("en").vocab


def rows(spans):
    """(doc, start, end, label) of all spans."""
    labels = [spans.labels[i] for i in spans.label]
    return list(zip(spans.doc.tolist(), spans.start.tolist(), spans.end.tolist(), labels))


def doc(words, *, ents=None, name=None, **groups):
    """A Doc; `ents` are None where it has no annotation of entities."""
    made = Doc(VOCAB, words=words)
    if ents is not None:
        made.set_ents([Span(made, *span) for span in ents])
    for key, spans in groups.items():
        made.spans[key] = [Span(made, *span) for span in spans]
    if name:
        made.user_data["name"] = name
    return made


WORDS = ["Ada", "Lovelace", "Bob", "in", "Oslo"]


# --- tags


@each_case("scheme", SCHEMES)
def test_the_scheme_of_tags_is_found_or_named(scheme):
    for named in ({}, {"scheme": scheme}):
        spans = Spans.from_tags([SCHEMES[scheme]], **named)
        assert rows(spans) == [(0, *row) for row in ROWS]


def test_improper_tags_are_read_as_conlleval_does_or_dropped():
    tags = [["O"], ["B-PER", "O", "I-PER"]]
    assert len(Spans.from_tags(tags)) == 2
    assert len(Spans.from_tags(tags, repair="drop")) == 1


def test_every_list_of_tags_is_a_document():
    spans = Spans.from_tags([["B-PER"], ["I-PER", "O"]], repair="conlleval")
    assert rows(spans) == [(0, 0, 1, "PER"), (1, 0, 1, "PER")]
    assert (spans.sizes.tolist(), spans.facts) == ([1, 2], {"repair": "conlleval"})
    assert Spans.from_tuples([[]], [1]).facts == {}
    for more in ({"sizes": [1, 2]}, {"words": [["Ada"], ["in", "Oslo"]]}):
        spans = Spans.from_tags([["B-PER"], None], **more)
        assert (spans.seen.tolist(), spans.sizes.tolist()) == ([True, False], [1, 2])
    assert spans.words == ("Ada", "in", "Oslo")


@each_case(
    "tags, message",
    [
        (["B-PER", "O"], "flat list of tags.*\\[tags\\]"),
        ("B-PER O", "flat list of tags"),
        ([5, ["O"]], "document 1 is 5; expected a list of tags"),
        ([["O"], [3, 0]], "document 2 has the number 3 for a tag.*names\\[tag\\]"),
        ([[["B-PER"], ["O"]]], "holds lists.*for document in documents for tags in document"),
        ([[("B-PER", 1)]], "for a tag; expected a text"),
        ([["B-PER", "X-PER"]], "'X-PER' is not a tag; IOB2 has O, B-LABEL, I-LABEL"),
        ([["S-PER", "L-PER"]], "two schemes: "),
        ([["O"], None], "no length of its own.*sizes=.*words="),
    ],
)
def test_what_are_no_tags_is_refused(tags, message):
    with pytest.raises(ValueError, match=message):
        Spans.from_tags(tags)


@each_case(
    "given, message",
    [
        ({"sizes": [2]}, "document 1 has 1 tags, but its size is 2"),
        ({"sizes": [1, 1]}, "1 documents of tags, but a size for 2"),
        ({"words": [["In", "Oslo"]]}, "document 1 has 1 tags, but its number of words is 2"),
        ({"words": ["In"]}, "flat list"),
        ({"scheme": "IOB"}, "unknown scheme 'IOB'; expected one of IOB1"),
        ({"repair": "fix"}, "unknown repair 'fix'; expected one of conlleval"),
    ],
)
def test_what_does_not_fit_the_tags_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Spans.from_tags([["O"]], **given)


# --- tuples and dicts


def test_dicts_are_spans():
    spans = Spans.from_dicts(
        [[{"start": 0, "end": 2, "label": "PER", "text": "Ada"}], None], [9, 4]
    )
    assert (rows(spans), spans.seen.tolist()) == ([(0, 0, 2, "PER")], [True, False])


@each_case(
    "documents, message",
    [
        ([[("PER", 0, 2)]], "label first; expected \\(start, end, label\\)"),
        ([[(0, "PER", 2)]], "has \\(0, 'PER', 2\\); expected a list of \\(start, end, label\\)"),
        ([[(0, 2)]], "document 1 has \\(0, 2\\); expected a list of"),
        ([[], [(0, 2, 7)]], "document 2 has \\(0, 2, 7\\); expected"),
        ([(0, 2, "PER")], "document 1 is one span.*\\[spans\\]"),
        ([[{"start": 0, "end": 1, "label": "PER"}]], "has .*dicts: Spans.from_dicts"),
        ([[{0, 1, 2}]], "has \\{0, 1, 2\\}; expected .*start, end, label"),
        ([["B-PER"]], "has 'B-PER'.*tags: Spans.from_tags"),
        ([["B-X"]], "has 'B-X'.*tags: Spans.from_tags"),
        ([[("0", "2", "PER")]], "has \\('0', '2', 'PER'\\); expected"),
        ("ab", "^the documents are 'ab'; expected a list"),
        ({"a": []}, "^the documents are \\{'a': \\[\\]\\}; expected a list"),
        ([5], "document 1 is 5; expected a list of"),
    ],
)
def test_what_are_no_tuples_is_refused(documents, message):
    with pytest.raises(ValueError, match=message):
        Spans.from_tuples(documents, [9] * len(documents))


@each_case(
    "documents, message",
    [
        ([[{"start": 0, "stop": 2, "label": "A"}]], "without 'end' \\(its keys: 'start', 'stop'"),
        ([[{"text": "Ada", "label": "A"}]], "without 'start' "),
        ([{"start": 0, "end": 2, "label": "A"}], "document 1 is one span.*\\[spans\\]"),
        ([[(0, 2, "A")]], "tuples: Spans.from_tuples"),
        (
            [[{"start": 0, "end": 2, "label": "A", "token_start": 0, "token_end": 0}]],
            "both characters.*s\\['token_end'\\] \\+ 1",
        ),
    ],
)
def test_what_are_no_dicts_is_refused(documents, message):
    with pytest.raises(ValueError, match=message):
        Spans.from_dicts(documents, [9])


# --- Docs and Examples


GROUPED = [doc(WORDS, sc=[(0, 3, "PER"), (0, 2, "PER")]), doc(["In"])]


@each_case(
    ("docs", "options", "expected", "seen"),
    [
        ([doc(WORDS, ents=ROWS)], {}, [(0, *row) for row in ROWS], [True]),
        (GROUPED, {"layer": "spans:sc"}, [(0, 0, 2, "PER"), (0, 0, 3, "PER")], [True, False]),
        # gold Docs without annotation are not seen; predicted ones leave nothing out
        ([doc(WORDS), doc(WORDS, ents=[])], {}, [], [False, True]),
        ([doc(WORDS)], {"role": "pred"}, [], [True]),
    ],
)
def test_entities_and_groups_of_docs_are_spans(docs, options, expected, seen):
    spans = Spans.from_docs(docs, **options)
    assert (rows(spans), spans.seen.tolist()) == (expected, seen)
    assert spans.words == tuple(token.text for one in docs for token in one)
    assert spans.sizes.tolist() == [len(one) for one in docs]


def test_docs_have_names_and_tokens_with_missing_annotation_are_left_out():
    one = Doc(VOCAB, words=WORDS)
    one.set_ents([one.char_span(0, 3, "PER")], missing=[one[3:5]], default="outside")
    assert Spans.from_docs([one]).stretches.tolist() == [[0, 0, 3]]
    named = [doc(["In"], ents=[], name=name) for name in ("a", "b")]
    assert Spans.from_docs(named).names == ("a", "b")


@each_case(
    "call, message",
    [
        (lambda: Spans.from_docs(WORDS), "^document 1 is 'Ada'; expected a list of Docs"),
        (lambda: Spans.from_docs(doc(WORDS)), "^document 1 is Ada; .*, also of one alone"),
        (lambda: Spans.from_docs([["O"]]), "\\['O'\\]; .* \\(tags: Spans.from_tags"),
        (lambda: Spans.from_examples([["O"]]), "^document 1 is \\['O'\\]; .* list of Examples"),
        (lambda: Spans.from_examples([doc(WORDS)]), "of Examples.*Docs: Spans.from_docs"),
        (lambda: Spans.from_docs(GROUPED, "sc"), "unknown layer 'sc'"),
        (
            lambda: Spans.from_docs(GROUPED, "spans:x"),
            "no document has the layer 'spans:x'; available: ents, spans:sc",
        ),
        (lambda: Spans.from_docs(GROUPED, role="system"), "role is 'system'"),
        (lambda: Spans.from_tuples([[], []], [9]), "2 documents, but 1 sizes"),
        *(
            (
                partial(Spans.from_tags, [tags], scheme="IOB2"),
                "IOB2 has O, B-LABEL, I-LABEL: correct the tag",
            )
            for tags in (["B-PER", "PER"], ["S-PER", "O"], ["X-PER", "O"])
        ),
    ],
)
def test_what_are_no_docs_or_examples_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_examples_are_gold_and_prediction_on_the_gold_tokens():
    gold = doc(["Ada", "Lovelace", "in", "Oslo"], ents=[(0, 2, "PER"), (3, 4, "LOC")])
    words, spaces = ["Ada", "Love", "lace", "in", "Oslo"], [True, False, True, True, False]
    pred = Doc(VOCAB, words, spaces, ents=["B-PER", "I-PER", "I-PER", "O", "B-LOC"])
    pair = Spans.from_examples([Example(pred, gold)])
    assert [rows(spans) for spans in pair] == [[(0, 0, 2, "PER"), (0, 3, 4, "LOC")]] * 2
    assert evaluate(*pair, ["span_f"])["span_f"].observed == 1
    assert pair[0].words == pair[1].words == ("Ada", "Lovelace", "in", "Oslo")
