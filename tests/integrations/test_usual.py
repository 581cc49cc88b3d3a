"""spaCy's own scores from columns: each is what spaCy gives, in its order, to the last bit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Alignment, Example

from helpers.cases import each_case
from helpers.docmaking import NLP, ent_rows, group_example, group_rows, make_doc, make_example
from spacy_chance_eval.integrations import usual
from spacy_chance_eval.measures.docs import ReadExamples

WORDS = ["New", "York", "U.S.", "İx", "ß", " ", "\n", "don't"]
GROUP = {"spans_key": "sc"}


def both_ents(examples):
    """spaCy's scores of entities as text, from spaCy and from columns."""
    careful = json.dumps(get_ner_prf([Example(one.x, one.y) for one in examples]))
    return careful, json.dumps(usual.usual_ent_scores(ReadExamples(examples)))


def both_groups(examples, **settings):
    """spaCy's scores of the group sc as text, from spaCy and from columns."""
    careful = json.dumps(spancat_score(examples, **GROUP, **settings))
    return careful, json.dumps(usual.usual_group_scores(ReadExamples(examples), "sc", **settings))


def test_predictions_over_missing_annotation_are_neither_right_nor_wrong():
    example = make_example(6, [(0, 1, "A")], [(0, 1, "A"), (2, 5, "B")], missing=[(3, 4)])
    scores = usual.usual_ent_scores(ReadExamples([example]))
    assert (scores["ents_p"], list(scores["ents_per_type"])) == (1.0, ["A", "B"])


@st.composite
def retokenized(draw, words):
    """The words, some of them divided, some joined with the one before."""
    found = []
    for word in words:
        change = draw(st.sampled_from(["", "", "", "divide", "join"]))
        if change == "divide" and len(word) > 1:
            found += [word[:1], word[1:]]
        elif change == "join" and found:
            found[-1] += word
        else:
            found.append(word)
    return found


@st.composite
def odd_examples(draw):
    """Examples with documents without tokens, white space, other tokens, missing annotation."""
    found = []
    for _ in range(draw(st.integers(0, 4))):
        words = draw(st.lists(st.sampled_from(WORDS), max_size=9))
        docs = []
        for text in (draw(retokenized(words)), words):
            n, rows = len(text), draw(ent_rows(len(text)))
            covered = {t for start, end, _ in rows for t in range(start, end)}
            absent = draw(st.sets(st.integers(0, max(n - 1, 0)), max_size=2)) - covered
            missing = [(t, t + 1) for t in sorted(absent) if t < n]
            group = draw(group_rows(n)) if n else draw(st.sampled_from([None, []]))
            groups = {} if group is None else {"sc": group}
            ents = rows if draw(st.integers(0, 4)) else None
            docs.append(make_doc(text, ents, missing=missing, groups=groups))
        found.append(Example(*docs))
        if draw(st.booleans()):
            found[-1].alignment  # noqa: B018  which is kept, as if another scorer had asked for it
    return found


@settings(max_examples=30)
@given(odd_examples())
def test_entity_scores_are_those_of_spacy(examples):
    careful, fast = both_ents(examples)
    assert fast == careful


@settings(max_examples=30)
@given(odd_examples())
def test_group_scores_are_those_of_spacy(examples):
    careful, fast = both_groups(examples)
    assert fast == careful


@each_case("allow_overlap", [True, False])
def test_overlaps_count_as_the_pipe_has_it(allow_overlap):
    rows = [(0, 3, "A"), (1, 2, "B")]
    careful, fast = both_groups([group_example(6, rows, rows)], allow_overlap=allow_overlap)
    assert fast == careful


@each_case(
    "setting",
    [
        {"labeled": False},
        {"has_annotation": None},
        {"getter": lambda doc, key: [doc[:1]]},
        {"attr": "spans_x"},
    ],
)
def test_settings_that_make_it_another_score_are_spacys(setting):
    examples = [
        group_example(6, [(0, 3, "A")], [(0, 3, "B")]),
        group_example(4, None, [(0, 2, "A")]),
    ]
    careful, fast = both_groups(examples, **setting)
    assert fast == careful


def test_a_span_without_tokens_is_scored_as_spacy_does():
    example = group_example(6, [(0, 3, "A")], [(0, 3, "A")])
    example.x.spans["sc"].append(example.x[2:2])
    careful, fast = both_groups([example])
    assert fast == careful


def shifted(example):
    """The Example with an alignment that shifts every token by one."""
    n = len(example.y)
    to, back = [[(i + 1) % n] for i in range(n)], [[(i - 1) % n] for i in range(n)]
    return Example(example.x, example.y, alignment=Alignment.from_indices(to, back))


def test_an_alignment_that_was_given_is_used():
    example = make_example(6, [(1, 2, "A")], [(0, 1, "A")])
    scores = usual.usual_ent_scores(ReadExamples([shifted(example)]))
    assert scores["ents_f"] == pytest.approx(1.0)


def test_subclasses_of_examples_are_left_to_spacy():
    class Silent(Example):
        @property
        def alignment(self):
            raise KeyError("asked")

    one = make_example(4, [(0, 1, "A")], [(0, 1, "A")])
    with pytest.raises(KeyError, match="asked"):
        usual.usual_ent_scores(ReadExamples([Silent(one.x, one.y)]))


def test_an_entity_that_does_not_begin_is_spacys_error():
    example = make_example(3, [], [])
    label = NLP.vocab.strings.add("A")
    tags = np.array([[2, 0], [1, label], [2, 0]], np.uint64)
    example.x.from_array(["ENT_IOB", "ENT_TYPE"], tags)
    with pytest.raises(ValueError, match="E093"):
        usual.usual_ent_scores(ReadExamples([example]))


@each_case("layer", ["ents", "sc"])
def test_other_texts_are_spacys_error_also_without_spans(layer):
    docs = [make_doc(words, [], groups={"sc": []}) for words in ("a b", "a c")]
    examples = ReadExamples([Example(*docs)])
    with pytest.raises(ValueError, match="E949"):
        if layer == "ents":
            usual.usual_ent_scores(examples)
        else:
            usual.usual_group_scores(examples, "sc")
