"""What a demonstration prints: sentences made of the results, and nothing that they do not show."""

import re

import pytest

from spacy_chance_eval.reports.demo import demo_text, next_commands, seen

REVERSAL = {
    "ahead": "x",
    "behind": "y",
    "observed": [0.61, 0.52],
    "expected": [0.5, 0.2],
    "corrected": [0.22, 0.4],
    "p_observed": 0.011,
    "p_corrected": 0.00001,
}
LABELS = {
    "labels": ["A", "B"],
    "observed": [0.701, 0.699],
    "expected": [0.1, 0.4],
    "corrected": [0.667, 0.5],
    "intervals": [[0.6, 0.7], [0.4, 0.55]],
}
DOCUMENT = {
    "system": "x",
    "name": "d1",
    "observed": {"gold": 10, "pred": 12, "matches": 8},
    "expected": 6.25,
    "f": {"observed": 0.727, "expected": 0.568, "corrected": 0.368},
}


RESULT = {"metrics": ["token_f", "span_f"], "reversal": REVERSAL, "labels": LABELS}
RESULT |= {"document": DOCUMENT}


def test_the_three_sentences_have_the_numbers():
    first, second, third = seen(RESULT)
    assert "x is ahead of y, 0.61 to 0.52 (a difference" in first and "it is behind, 0.22" in first
    assert "p=0.0110" in first and "(again a difference, p=<0.0001)" in first
    assert "70% of the tokens of A and of B" in second and "10% and 40%" in second
    assert "0.67 and 0.50" in second
    assert "12 tokens, of which 8 are right, but 6.2 would" in third and "0.73 is 0.37" in third


def test_names_from_the_data_cannot_steer_a_terminal():
    assert "\x1b" not in seen(RESULT | {"reversal": REVERSAL | {"ahead": "\x1b[2J"}})[0]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    from spacy_chance_eval.tasks.demo import run_demo

    return run_demo(tmp_path_factory.mktemp("a demo"), resamples=1000).result


def test_a_folder_with_a_space_is_quoted(made):
    assert all("'" in line for line, _ in next_commands(made)[:2])


def test_the_text_fits_a_terminal_but_for_commands_and_paths(made):
    text = demo_text(made, [])
    lines = [line for line in text.splitlines() if not line.startswith("spacy-chance-eval")]
    assert max(map(len, lines)) <= 82


def test_the_text_ends_with_what_was_seen_pages_and_commands(made):
    text = demo_text(made, [("folder/page.html", "what it shows")])
    places = [text.index(part) for part in ("FINDINGS", "\n3. ", "PAGES", "page.html", "NEXT")]
    assert places == sorted(places)
    assert len(re.findall("^spacy-chance-eval ", text, re.MULTILINE)) == 2


def test_warnings_stand_above_the_tables(made):
    text = demo_text(made, [])
    assert 0 < text.index("\nWarning: over-marker never uses") < text.index("6 SYSTEMS")


@pytest.mark.parametrize("mark", ["", "?"])
def test_a_question_mark_behind_letters_is_explained(made, mark):
    boards = [dict(one) for one in made["board"]["boards"]]
    row = boards[0]["rows"][0] | {"observed_group": f"a{mark}", "group": "a"}
    boards[0]["rows"] = [row]
    text = demo_text(made | {"board": made["board"] | {"boards": boards}}, [])
    assert ("?: a test is too close" in " ".join(text.split())) == bool(mark)
