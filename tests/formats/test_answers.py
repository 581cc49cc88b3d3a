"""Answers of language models: the mentions in them, in all their forms, or an error."""

import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.answers import parse_answer, without_nothing
from spacy_chance_eval.formats.errors import ContentError

BOTH = [("Ada", "PER"), ("Oslo", "LOC")]
OBJECTS = [{"text": "Ada", "label": "PER"}, {"text": "Oslo", "label": "LOC"}]
BY_LABEL = {"PER": ["Ada"], "LOC": ["Oslo"], "ORG": []}
CHAT = {"role": "assistant", "content": json.dumps(OBJECTS)}
FORMS = {
    "objects": OBJECTS,
    "synonyms": [{"entity": "Ada", "type": "PER"}, {"Word": "Oslo", "Entity Type": "LOC"}],
    "entity_is_the_label_of_a_word": [
        {"word": "Ada", "entity": "PER"},
        {"name": "Oslo", "class": "LOC"},
    ],
    "pairs": [["Ada", "PER"], ["Oslo", "LOC"]],
    "by_label": BY_LABEL,
    "objects_by_label": {"PER": [{"text": "Ada", "score": 0.9}], "LOC": [{"name": "Oslo"}]},
    "texts_of_objects": [{"label": "PER", "mentions": ["Ada"]}, {"type": "LOC", "text": ["Oslo"]}],
    "columns": {"text": ["Ada", "Oslo"], "label": ["PER", "LOC"]},
    "one_label_each": {"PER": "Ada", "LOC": "Oslo"},
    "nothing_of_a_label": {"PER": "Ada", "LOC": ["Oslo"], "ORG": None, "DATE": ""},
    "of_a_typed_text": {"type": "ner", "text": "Ada in Oslo", "entities": OBJECTS},
    "wrapped": {"reasoning": "two names", "entities": OBJECTS},
    "reasons": [
        *({**one, "is_entity": True} for one in OBJECTS),
        {"text": "x", "is_entity": False},
    ],
    "langextract": [
        {"extraction_class": "PER", "extraction_text": "Ada", "char_interval": None},
        {"extraction_class": "LOC", "extraction_text": "Oslo", "attributes": {"a": "b"}},
    ],
    "json": json.dumps(OBJECTS),
    "fence": f"Sure!\n```json\n{json.dumps(BY_LABEL, indent=1)}\n```\nAnything else?",
    "fence_not_closed": f"```\n{json.dumps(OBJECTS)}",
    "prose": f"The entities are {json.dumps(OBJECTS)}, as [1] says.",
    "thinking": f"<think>[1] or {{?</think>{json.dumps(OBJECTS)}",
    "a_line_each": "\n".join(map(json.dumps, OBJECTS)),
    "a_pair_a_line": '["Ada", "PER"]\n["Oslo", "LOC"]',
    "trailing_comma": '[{"text": "Ada", "label": "PER"}, {"text": "Oslo", "label": "LOC"},]',
    "python": "[('Ada', 'PER'), ('Oslo', 'LOC')]",
    "tags": "<PER>Ada</PER> slept in <LOC>Oslo</LOC>.",
    "tagged_texts": "<PER>Ada</PER>, <LOC>Oslo</LOC>",
    "general_tags": '<entity type="PER">Ada</entity> in <entity type="LOC">Oslo</entity>',
    "lines": "PER: Ada\nLOC: Oslo\nORG:",
    "marked_lines": "Here they are:\n- **PER**: Ada\n2. LOC: `Oslo`\n* ORG: none",
    "numbered_lines": "\n".join(f"{i}. {json.dumps(one)}," for i, one in enumerate(OBJECTS)),
    "openai": {"choices": [{"index": 0, "message": CHAT}]},
    "messages": [{"role": "user", "content": "Names?"}, CHAT],
    "openai_batch": {"status_code": 200, "body": {"choices": [{"message": CHAT}]}},
    "completion": {"choices": [{"text": json.dumps(OBJECTS), "finish_reason": "stop"}]},
    "anthropic": {"content": [{"type": "text", "text": json.dumps(OBJECTS)}], "role": "assistant"},
    "gemini": {"candidates": [{"content": {"parts": [{"text": json.dumps(OBJECTS)}]}}]},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_mentions(form):
    answer = without_nothing(parse_answer(FORMS[form]), "Ada slept in Oslo")
    assert [*answer.mentions] == BOTH


@each_case(
    "value",
    [
        [],
        {},
        "[]",
        "{}",
        "None.",
        "No entities found",
        {"PER": []},
        "LOC:\nPER:",
        [["", "PER"]],
        {"PER": "none"},
        {"PER": ["N/A", None]},
        "LOC: None\nPER: null",
        [{"text": "None", "label": "P"}],
    ],
)
def test_an_answer_may_have_no_mentions(value):
    assert [*without_nothing(parse_answer(value), "Ada slept").mentions] == []


@each_case("value", [[{"text": "Nothing", "label": "ORG"}], {"ORG": "Nothing"}, "ORG: Nothing"])
def test_a_name_that_reads_as_none_is_a_mention_where_the_text_has_it(value):
    answer = parse_answer(value)
    assert [*without_nothing(answer, "Nothing released a phone").mentions] == [("Nothing", "ORG")]
    assert [*without_nothing(answer, "He knew nothing").mentions] == []


CUT = '[{"text": "Ada", "label": "PER"}, {"text": "Os'
BAD = {
    "refusal": ("I cannot help with that.", "no mentions"),
    "polite_refusal": ("Sorry: I cannot help with that.", "no mentions"),
    "empty": ("  ", "an empty answer"),
    "cut_off": (CUT, "cut off"),
    "cut_off_in_a_fence": (f"```json\n{CUT}", "cut off"),
    "open_tag": ("<PER>Ada slept", "not closed"),
    "two_lists": ('[["Ada", "PER"]] or [["Oslo", "LOC"]]', "2 lists"),
    "second_thoughts": (f"{json.dumps(BY_LABEL)}\nI mean:\n{json.dumps(BY_LABEL)}", "2 lists"),
    "calls": ("[PER(span='Ada')]", "no mentions"),
    "links": ("[Ada](PER) slept in [Oslo](LOC).", "no mentions"),
    "signs": ("@@Ada## slept", "no mentions"),
    "texts_with_label": ("1. Ada (PER)\n- Oslo (LOC)", "no mentions"),
    "numbered": ("1. Ada | True | PER | a\n2. Oslo | True | LOC | b", "no mentions"),
    "markdown": ("| text | label |\n|---|---|\n| Ada | PER |", "no mentions"),
    "prose": ("The only person is Ada.", "no mentions"),
    "two_fences": ("```\n[]\n```\n```\n{}\n```", "2 code blocks"),
    "no_label": ('["Ada"]', "without labels"),
    "text_alone": ([{"text": "Ada", "score": "high"}], "without label"),
    "entity_alone": ([{"entity": "Ada"}], "without label"),
    "null_label": ([{"text": "Ada", "label": None}], "without label"),
    "empty_label": ([["Ada", " "]], "without label"),
    "empty_label_of_a_list": ({"": ["Ada"]}, "without label"),
    "number": (42, "an answer 42"),
    "numbers": ([1, 2], "a mention is 1"),
    "deep": ("[" * 100_000, "cut off|nested too deeply"),
    "pieces": ([{"word": "##da", "entity": "I-PER"}], "a piece of a word"),
    "a_program": ("['Ada', __import__('os').system('true')]", "cut off or broken"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_answer_is_an_error(case):
    value, message = BAD[case]
    with pytest.raises(ContentError, match=message):
        parse_answer(value)


def test_the_label_of_a_row_is_that_of_texts_alone():
    assert parse_answer('["Ada"]', "PER").mentions == [("Ada", "PER")]
    assert parse_answer('[["Oslo", "LOC"]]', "PER").mentions == [("Oslo", "LOC")]


def test_a_key_that_is_there_twice_loses_nothing():
    assert parse_answer('{"PER": "Ada", "PER": "Rex"}').mentions == [("Ada", "PER"), ("Rex", "PER")]


def test_tags_say_the_places_in_the_text_without_them():
    found = parse_answer("<PER>Ada</PER> met <ORG><LOC>Oslo</LOC> AS</ORG>.")
    assert found.text == "Ada met Oslo AS."
    assert [found.text[start:end] for start, end, _ in found.spans] == [
        text for text, _ in found.mentions
    ]


@each_case("value", [[["PER", "Ada"]], {"Ada": "PER"}, '[{"Ada": "PER"}, {"Oslo": "LOC"}]',
                     "Ada: PER\nOslo: LOC"])  # fmt: skip
def test_two_strings_can_be_exchanged(value):
    found = parse_answer(value)
    assert found.turnable
    assert found.turned().turned() == found


def test_lines_of_several_texts_say_which_is_the_label():
    assert not parse_answer("PER: Ada, Rex\nLOC: Oslo").turnable


def test_tags_are_around_a_text_whatever_it_says():
    assert [*parse_answer("<ORG>None</ORG> of them").mentions] == [("None", "ORG")]


def test_random_garbage_is_read_or_a_content_error():
    import random

    chance = random.Random(1)
    pieces = ["[", "]", "{", "}", '"', "'", ":", ",", "Ada", "PER", "<PER>", "</PER>", "```", "\n"]
    pieces += ["|", "True", "(", ")", "null", "1.", " ", "\\u", "text", "label"]
    for _ in range(3000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 25)))
        try:
            found = parse_answer(text, chance.choice([None, "PER"]))
        except ContentError:
            continue
        assert all(text.strip() and label.strip() for text, label in found.mentions), text
