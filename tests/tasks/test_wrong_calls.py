"""Calls of Python that cannot work: each is an error of ours that says what is expected."""

import traceback
from pathlib import Path

import numpy as np
import pytest

import spacy_chance_eval
from helpers.docmaking import NLP, make_doc, make_example
from spacy_chance_eval import Spans, Trees, read, sample, stored_run
from spacy_chance_eval.scoring.planning import PlanOptions

TAGS = [["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"]]
OTHERS = [["B-PER", "O", "O"], ["O", "O", "B-LOC"]]
GOLD, PRED = map(Spans.from_tags, (TAGS, OTHERS))
NAMES = {
    **{name: getattr(spacy_chance_eval, name) for name in spacy_chance_eval.__all__},
    **{"np": np, "T": TAGS, "P": OTHERS, "S": GOLD, "Q": PRED, "FLAT": TAGS[0]},
    **{"NLP": NLP, "PlanOptions": PlanOptions, "NAMED": {"a": 8, "b": 9, "c": 5}},
    "ROWS": [
        {"document": "b", "start": 3, "end": 4, "label": "LOC"},
        {"document": "a", "start": 0, "end": 2, "label": "PER"},
    ],
    "CROSSING": Spans.from_tuples([[(0, 3, "A"), (2, 5, "A")]], [6]),
    "TREES": Trees.from_heads([[2, 0]], [["A", "B"]]),
    "CORPUS": read(sample.path("test.jsonl")),
    "DOCS": [make_doc(3, [(0, 2, "PER")]), make_doc(3, [(2, 3, "LOC")])],
    "EXAMPLES": [make_example(3, [(0, 2, "PER")]), make_example(3, [(2, 3, "LOC")])],
    "RUNS": [stored_run(GOLD, one, ["span_f"]) for one in (PRED, GOLD)],
}
ROOM = str(Path(spacy_chance_eval.__file__).parent)
# a call on a line, and the message, or a part of it, on the next one
LINES = Path(__file__).with_name("wrong_calls.txt").read_text(encoding="utf8").splitlines()[1:]


@pytest.mark.parametrize(("call", "message"), list(zip(LINES[::2], LINES[1::2])))
def test_a_wrong_call_is_an_error_of_ours(call, message):
    """The error is raised in the package, not in a library that it calls."""
    with pytest.raises((ValueError, TypeError, KeyError)) as caught:
        eval(call, NAMES)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert (message.strip() in str(caught.value), frames[-1].filename.startswith(ROOM)) == (1, 1)
