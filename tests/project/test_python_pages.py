"""The pages about Python: examples print what stands beneath them."""

import importlib.util
import re

import pytest

from helpers.examples import page
from helpers.outputs import examples, printed, without_version
from spacy_chance_eval.about import __version__

PAGES = ["README.md", "docs/python.md", "docs/migration.md"]
SHOWN = {name: [one for one in examples(page(name)) if one[1]] for name in PAGES}
# what an example needs beyond this package and those that it needs itself
PEERS = re.compile(
    r"^(?:from|import) (seqeval|nervaluate|sklearn|pyannote|pygamma_agreement|gatenlp)\b",
    re.MULTILINE,
)


def is_missing(code):
    """Whether a library that an example compares with is not installed."""
    return any(importlib.util.find_spec(name) is None for name in PEERS.findall(code))


@pytest.mark.parametrize("name", [PAGES[1], pytest.param(PAGES[2], marks=pytest.mark.integration)])
def test_examples_print_what_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, wrong = {"__name__": "example"}, []
    for code, expected in examples(page(name)):
        if not is_missing(code):
            found = printed(code, namespace)
            if without_version(found) != without_version(expected):
                wrong.append(f"{code}\n--- prints\n{found}")
    assert not wrong, "\n".join(wrong)


def test_examples_of_the_readme_with_output_print_it():
    for code, expected in SHOWN["README.md"]:
        assert without_version(printed(code, {})) == without_version(expected)


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
