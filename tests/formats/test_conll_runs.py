"""Where documents of CoNLL files end: many sentences at a time, and item by item."""

from random import Random

import pytest

from spacy_chance_eval.formats import conll, conll_lines
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import Run

LINES = ["a O", "b B-X", "é I-X", "", "", "", " ", "\t", "c O"]
MARKS = ["# id = 1", "-DOCSTART- O", "#tag O", "# newdoc id = n"]


def text_of(rng, lines, header=""):
    """Some lines, the last one perhaps without its end."""
    some = [rng.choice(lines) for _ in range(rng.randint(1, 30))]
    return header + "\n".join(some) + rng.choice(["", "\n", "\n\n", "\n\n\n"])


def one_by_one(runs):
    """(text, state) of each document."""
    for content, state, ends, later in (Run(*one) for one in runs):
        for number, end in enumerate(ends if ends is not None else [len(content)]):
            start = ends[number - 1] if number else 0
            yield content[start:end], later if number else state


@pytest.mark.parametrize("header", ["", "#token\tgold\n", "TOKEN\tgold\n"])
@pytest.mark.parametrize("lines", [LINES, LINES * 9 + MARKS], ids=["plain", "marked"])
@pytest.mark.parametrize("block", [1, 7, 1 << 16])
def test_runs_have_the_documents_that_items_make(tmp_path, monkeypatch, lines, header, block):
    monkeypatch.setattr(conll_lines, "BLOCK", block)
    path, rng, n_found = tmp_path / "a.conll", Random(5), 0
    if header:
        lines = [line.replace(" ", "\t") for line in lines]
    for _ in range(150):
        path.write_text(text_of(rng, lines, header))
        try:
            reading, documents = conll._open_documents(path, {})
            expected = list(conll._documents_of_items(path, reading))
        except FormatError:
            continue
        assert list(one_by_one(documents)) == expected
        n_found += len(expected)
    assert n_found > 100


def test_sentences_without_marks_are_taken_together(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("a O\n\nb O\n\n\nc O\n\n")
    (run,) = conll._open_documents(path, {})[1]
    assert run.ends == [5, 10, 16]
