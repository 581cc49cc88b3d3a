"""Pages that are read from top to bottom: every command and example prints what they show."""

import pytest

from helpers.examples import page
from helpers.guides import BLOCK, shown_in, wrong_examples

PAGES = ["start.md", "decisions.md", "faq.md"]


@pytest.mark.integration
@pytest.mark.parametrize("name", PAGES)
def test_examples_print_what_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    text = page(f"docs/{name}")
    assert BLOCK.search(text)
    wrong = wrong_examples(text, tmp_path)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("a\nb\nc\n", True),
        ("a\n...\nc\n", True),
        ("...\nb\n...\n", True),
        ("a\n...\n", True),
        ("a\nc\n", False),
        ("b\n...\n", False),
        ("a\n...\nd\n", False),
        ("c\n...\na\n", False),
    ],
)
def test_dots_stand_for_lines_left_out(shown, same):
    assert shown_in(shown, "a\nb\nc\n") is same
