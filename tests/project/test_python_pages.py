"""The pages about Python: they have examples with output, and name calls that are refused."""

import re

import pytest

from helpers.examples import page
from helpers.page_blocks import blocks_of
from spacy_chance_eval.about import __version__

PAGES = ["docs/python.md", "docs/migration.md"]
SHOWN = {name: [one for one in blocks_of(name, page(name)) if one.output] for name in PAGES}


def test_both_pages_have_examples_with_output():
    assert len(SHOWN["docs/python.md"]) >= 6 and len(SHOWN["docs/migration.md"]) >= 8
    assert f"v={__version__}" in page("docs/python.md")


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
    table = page("docs/python.md").partition("## When a call is wrong")[2]
    assert len(re.findall(r"^\| `", table, re.MULTILINE)) == len(calls)
    for call in calls:
        with pytest.raises((TypeError, ValueError)):
            call()
