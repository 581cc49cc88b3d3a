"""Quoted values, bounded messages, and the limit of memory with its message."""

import json
import re

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.textfiles import GOLD, PRED, call
from spacy_chance_eval import Resampling, Spans, evaluate
from spacy_chance_eval.measures import arrays
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
from spacy_chance_eval.scoring.evaluation import check_draws

HUGE = 2_000_000


@each_case("value", ["x" * HUGE, ["x" * HUGE], {"x" * HUGE: 1}, list(range(10**6))])
def test_long_values_are_cut_and_their_length_is_said(value):
    text = quoted(value)
    assert len(text) < LONGEST_VALUE + 40
    assert "… (" in text.replace("…'", "…") and text.endswith("characters)")


def test_values_that_cannot_be_written_are_described():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert "too large to be shown" in quoted(deep)
    assert "too large to be shown" in quoted(16**5000)


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
    assert len(lines) == MOST_LINES and lines[0] == "0" and lines[-1] == "199999"
    assert "lines) …" in text and bounded(text) == text
    assert bounded("a\nb") == "a\nb"


def test_json_stays_the_same_value():
    value = {"a\x9b\u202e": "\x7f\n\ud800 Zoë 😀"}
    text = harmless_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value and harmless(text) == text
    assert "Zoë 😀" in text


TOKEN = "x" * HUGE
ROW = {"tokens": ["a", "b"], "spans": [{"start": 0, "end": 1, "label": TOKEN}]}


@each_case(
    ("name", "gold", "pred", "code"),
    [
        ("a.conll", *[f"{TOKEN} B-PER\n{TOKEN} {TOKEN}\n"] * 2, 1),
        ("a.jsonl", *[json.dumps({"tokens": [TOKEN], "spans": [[0, 9, TOKEN]]})] * 2, 1),
        ("a.csv", *[f"doc,start,end,label\n{TOKEN},{TOKEN},2,PER\n"] * 2, 1),
        # a label with a warning
        ("b.jsonl", json.dumps(ROW), json.dumps({**ROW, "spans": []}), 0),
    ],
)
def test_a_huge_value_makes_no_huge_message(tmp_path, name, gold, pred, code):
    paths = [tmp_path / name, tmp_path / f"pred-{name}"]
    for path, text in zip(paths, (gold, pred)):
        path.write_text(text)
    done = call("score", *paths)
    assert done.exit_code == code
    assert len(done.stderr) <= (LONGEST_LINE + 10 if code else 10 * LONGEST_LINE)
    assert code == 0 or name in done.stderr


# --- the limit of memory for resamples, draws and runs


MOST = re.compile(r"expected at most ([0-9,]+)")


@pytest.mark.parametrize("make", [Resampling, check_draws])
def test_numbers_that_never_fit_are_refused_before_anything_is_read(make):
    with pytest.raises(ValueError, match="GB of memory") as caught:
        make(100_000_000)
    most = int(MOST.search(str(caught.value))[1].replace(",", ""))
    make(most)
    with pytest.raises(ValueError, match="GB of memory"):
        make(most + 1)


def sentence(tags):
    """A sentence of CoNLL."""
    return "".join(f"w{number} {tag}\n" for number, tag in enumerate(tags)) + "\n"


COMMANDS = {
    "score": "score gold pred --resamples",
    "rank": "score gold pred pred2 --resamples",
    "agree": "agree gold pred pred2 --resamples",
    "compare": "compare a.run b.run --resamples",
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_the_number_in_the_message_fits(words, tmp_path, monkeypatch):
    """With a small limit; the number is of what the files have: systems, labels, documents."""
    for name in ("gold", "pred", "pred2", "pred3"):
        (tmp_path / name).write_text(sentence(GOLD if name == "gold" else PRED) * 6)
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        assert (
            call("score", "gold", "pred", "--format", "conll", "-o", f"{name}.run").exit_code == 0
        )
    more = [] if words.startswith("compare") else ["--format", "conll"]
    refused = call(*words.split(), 100_000_000, *more)
    assert (refused.exit_code, "GB of memory" in refused.stderr) == (2, True)
    monkeypatch.setattr(arrays, "LIMIT", 1_000_000)
    refused = call(*words.split(), 500_000, *more)
    assert refused.exit_code in (1, 2)
    least = int(MOST.search(refused.stderr)[1].replace(",", ""))
    while (done := call(*words.split(), least, *more)).exit_code:  # then by what is in the files
        smaller = int(MOST.search(done.stderr)[1].replace(",", ""))
        assert smaller < least
        least = smaller
    assert least > 0


def test_resamples_are_counted_with_all_labels_of_all_systems(monkeypatch):
    labels = [f"L{number}" for number in range(50)]
    spans = Spans.from_tuples([[(i, i + 1, label)] for i, label in enumerate(labels)], [60] * 50)
    monkeypatch.setattr(arrays, "LIMIT", 1_000_000)
    with pytest.raises(ValueError, match="for 51 scores"):
        evaluate(spans, spans, ["span_f"], intervals=Resampling(1000))
    found = evaluate(spans, spans, ["span_f"], intervals=Resampling(400))["span_f"]
    assert (found.low, found.high) == (1, 1)


def test_what_memory_cannot_hold_is_a_message(monkeypatch, tmp_path):
    full = lambda *_, **__: np.empty(2**50)  # noqa: E731
    monkeypatch.setattr("spacy_chance_eval.cli.score.score_files", full)
    path = tmp_path / "a.conll"
    path.write_text(sentence(GOLD))
    done = call("score", path, path)
    assert (done.exit_code, "Traceback" in done.stderr) == (1, False)
    assert "there is not enough memory (Unable to allocate" in done.stderr
