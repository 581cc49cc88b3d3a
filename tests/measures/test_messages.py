"""Quoted values and bounded messages."""

import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import call, failed
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.measures.messages import (
    LONGEST_LINE,
    LONGEST_VALUE,
    MOST_LINES,
    bounded,
    harmless,
    harmless_json,
    listed,
    quoted,
)

HUGE = 20_000_000


@pytest.mark.parametrize("value", ["", "B-PER", "a'b", None, 3, [1, "x"], {"b": 1, "a": 2}])
def test_short_values_are_quoted_as_python_does(value):
    assert quoted(value) == repr(value)


@each_case("value", ["x" * HUGE, ["x" * HUGE], {"x" * HUGE: 1}, list(range(10**6))])
def test_long_values_are_cut_and_their_length_is_said(value):
    text = quoted(value)
    assert len(text) < LONGEST_VALUE + 40
    assert "… (" in text.replace("…'", "…") and text.endswith("characters)")


def deep():
    found = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize("value", [deep(), 16**5000], ids=["deep", "digits"])
def test_values_that_cannot_be_written_are_described(value):
    assert "too large to be shown" in quoted(value)


def test_lists_of_names_are_short_and_on_one_line():
    text = listed(["a\nb", "x" * 1000, *map(str, range(1000))])
    assert text.startswith("a\\nb, xxx") and text.endswith("952 more") and len(text) < 500
    assert listed([]) == "none"


@pytest.mark.parametrize("size", [LONGEST_LINE, LONGEST_LINE + 1, HUGE])
@pytest.mark.parametrize("sign", ["x", "\x1b"])
def test_a_long_message_keeps_its_begin_and_its_end(size, sign):
    text = bounded(f"the place: {sign * size}; what to do")
    assert len(text) <= LONGEST_LINE
    assert text.startswith("the place: ") and text.endswith("; what to do")
    assert "characters) …" in text and text.isprintable()
    assert bounded(text) == text


def test_a_message_of_many_lines_keeps_the_first_and_the_last():
    text = bounded("\n".join(map(str, range(HUGE // 10))))
    lines = text.split("\n")
    assert len(lines) == MOST_LINES and lines[0] == "0" and lines[-1] == "1999999"
    assert "lines) …" in text and bounded(text) == text
    assert bounded("a\nb") == "a\nb"


def test_an_error_of_a_file_is_bounded_for_programs_as_well():
    error = FormatError(f"the token {'x' * HUGE} has no tag\n; add one", "a\x1b[2J.conll", 3)
    assert len(str(error)) <= LONGEST_LINE and len(error.args[0]) <= LONGEST_LINE
    assert str(error).startswith("a\\x1b[2J.conll:3: the token xxx")
    assert str(error).endswith("has no tag\\n; add one") and error.path == "a\x1b[2J.conll"


def test_json_stays_the_same_value():
    value = {"a\x9b\u202e": "\x7f\n\ud800 Zoë 😀"}
    text = harmless_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value and harmless(text) == text
    assert "Zoë 😀" in text


@pytest.mark.parametrize("name", ["a.conll", "a.jsonl", "a.csv"])
def test_a_huge_value_makes_no_huge_message(tmp_path, name):
    token = "x" * HUGE
    text = {
        "a.conll": f"{token} B-PER\n{token} {token}\n",
        "a.jsonl": json.dumps({"tokens": [token], "spans": [[0, 9, token]]}),
        "a.csv": f"doc,start,end,label\n{token},{token},2,PER\n",
    }[name]
    (tmp_path / name).write_text(text)
    said = failed("score", tmp_path / name, tmp_path / name)
    assert len(said) <= LONGEST_LINE + 10 and name in said


def test_a_huge_label_makes_no_huge_warning(tmp_path):
    row = {"tokens": ["a", "b"], "spans": [{"start": 0, "end": 1, "label": "x" * HUGE}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    (tmp_path / "b.jsonl").write_text(json.dumps({**row, "spans": []}))
    done = call("score", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert done.exit_code == 0 and len(done.stderr) < 10 * LONGEST_LINE
