"""The limit of memory for resamples, draws and runs, and the message beyond it."""

import re

import numpy as np
import pytest

from helpers.textfiles import GOLD, PRED, call
from spacy_chance_eval import Resampling, Spans, evaluate
from spacy_chance_eval.measures import arrays
from spacy_chance_eval.measures.arrays import check_memory
from spacy_chance_eval.scoring.evaluation import check_draws

MOST = re.compile(r"expected at most ([0-9,]+)")


def test_what_fits_is_silent_and_the_largest_number_is_named():
    check_memory("resamples", arrays.LIMIT // 10, 10)
    with pytest.raises(ValueError, match="resamples is 400,000,001, which takes 4.0 GB of memory"):
        check_memory("resamples", arrays.LIMIT // 10 + 1, 10)


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
    assert (refused.exit_code, "GB of memory" in refused.stderr) == (1, True)
    monkeypatch.setattr(arrays, "LIMIT", 1_000_000)
    refused = call(*words.split(), 500_000, *more)
    assert refused.exit_code == 1
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
    assert found.interval == (1, 1)


def test_what_memory_cannot_hold_is_a_message(monkeypatch, tmp_path):
    full = lambda *_, **__: np.empty(2**50)  # noqa: E731
    monkeypatch.setattr("spacy_chance_eval.cli.score.score_files", full)
    path = tmp_path / "a.conll"
    path.write_text(sentence(GOLD))
    done = call("score", path, path)
    assert (done.exit_code, "Traceback" in done.stderr) == (1, False)
    assert "there is not enough memory (Unable to allocate" in done.stderr
