"""The page about Python: it has examples with output, and names calls that are refused."""

import re

import pytest

from helpers.examples import page
from helpers.page_blocks import blocks_of
from spacy_chance_eval.about import __version__

PAGE = page("docs/python.md")


def test_the_page_has_examples_with_output():
    assert len([one for one in blocks_of("docs/python.md", PAGE) if one.output]) >= 6
    assert f"v={__version__}" in PAGE


def test_every_answer_of_the_page_names_a_call_that_is_refused():
    from spacy_chance_eval import evaluate, leaderboard

    tags, spans = [["B-PER", "O"]], [[(0, 2, "PER")]]
    calls = [
        lambda: evaluate(["B-PER", "O"], tags),
        lambda: evaluate([[("PER", 0, 2)]], spans, sizes=[2]),
        lambda: evaluate(spans, spans),
        lambda: evaluate(tags, tags, encoding="BIO"),
        lambda: evaluate(tags, tags, intervals=1000),
        lambda: leaderboard(tags, [tags, tags]),
    ]
    table = PAGE.partition("## When a call is wrong")[2]
    assert len(re.findall(r"^\| `", table, re.MULTILINE)) == len(calls)
    for call in calls:
        with pytest.raises((TypeError, ValueError)):
            call()
