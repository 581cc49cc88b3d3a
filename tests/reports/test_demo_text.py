"""What a demonstration prints: sentences made of the results, and nothing that they do not show."""

import pytest

from spacy_chance_eval.reports.demo import demo_text, next_command, seen

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
    assert "x is ahead of y, .61 to .52 (a difference" in first and "it is behind, .22" in first
    assert "p = .0110" in first and "(again a difference, p < .0001)" in first
    assert "70% of the tokens of A and of B" in second and "10% and 40%" in second
    assert ".67 and .50" in second
    assert "12 tokens, of which 8 are right, but 6.2 would" in third and ".73 is .37" in third


def test_names_from_the_data_cannot_steer_a_terminal():
    assert "\x1b" not in seen(RESULT | {"reversal": REVERSAL | {"ahead": "\x1b[2J"}})[0]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    from spacy_chance_eval.tasks.demo import run_demo

    return run_demo(tmp_path_factory.mktemp("a demo"), resamples=1000).result


def test_a_folder_with_a_space_is_quoted(made):
    assert next_command(made).count("'") == 4


def test_the_text_fits_a_screen_and_ends_with_a_command(made):
    lines = demo_text(made | {"folder": "chance-demo"}).splitlines()
    assert max(map(len, lines[:-1])) <= 80 and len(lines) + len(lines[-1]) // 80 <= 30
    assert lines[-1].startswith("spacy-chance-eval score chance-demo/data/gold.jsonl ")


def test_the_text_has_the_board_the_findings_and_the_pages_in_this_order(made):
    text = demo_text(made)
    places = [text.index(part) for part in ("6 systems", "\n3. ", "statements.html", "\nNext")]
    assert places == sorted(places)
