"""Calls of Python that cannot work: each is an error of ours that says what is expected."""

import traceback
from pathlib import Path

import numpy as np
import pytest

import spacy_chance_eval
from spacy_chance_eval import Spans, stored_run

TAGS = [["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"]]
OTHERS = [["B-PER", "O", "O"], ["O", "O", "B-LOC"]]
GOLD, PRED = map(Spans.from_tags, (TAGS, OTHERS))
NAMES = {
    **{name: getattr(spacy_chance_eval, name) for name in spacy_chance_eval.__all__},
    **{"np": np, "T": TAGS, "P": OTHERS, "S": GOLD, "Q": PRED, "FLAT": TAGS[0]},
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
