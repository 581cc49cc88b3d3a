"""Discontinuous spans through the commands: each gives numbers, or says what to do instead."""

import json

import pytest

from helpers.textfiles import call
from spacy_chance_eval import read
from spacy_chance_eval.scoring.evaluation import evaluate

TEXT = "The left and right atrium of Ada"
GOLD = [(("left", "atrium"), "ANAT"), (("Ada",), "PER")]
PRED = [(("left", "atrium"), "ANAT"), (("right",), "ANAT"), (("Ada",), "PER")]
HULL = [(("left and right atrium",), "ANAT"), (("Ada",), "PER")]


def line(number, pieces, label):
    """The line of a span in brat, of pieces that are in the text once."""
    places = ((TEXT.index(one), TEXT.index(one) + len(one)) for one in pieces)
    offsets = ";".join(f"{start} {end}" for start, end in places)
    return f"T{number}\t{label} {offsets}\t{' '.join(pieces)}"


@pytest.fixture
def files(tmp_path):
    """Folders of brat with gold, a prediction that is right but for one span, and hulls."""
    for name, spans in (("gold", GOLD), ("pred", PRED), ("hull", HULL)):
        (tmp_path / name).mkdir()
        for document in "ab":
            rows = [line(number, *span) for number, span in enumerate(spans, 1)]
            (tmp_path / name / f"{document}.ann").write_text("\n".join(rows))
            (tmp_path / name / f"{document}.txt").write_text(TEXT)
    return tmp_path


def result(*command):
    """The JSON of a command that goes well."""
    done = call(*command, "-o", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{") :])


def test_chance_overlapping_has_the_expectation_of_python(files):
    found = result(
        "score", files / "gold", files / "pred", "-m", "span_f", "--chance", "overlapping"
    )
    (score,) = found["layers"][0]["scores"].values()
    gold, pred = (read(files / name).spans("spans") for name in ("gold", "pred"))
    (expected,) = evaluate(gold, pred, ["span_f(chance=overlapping)"]).values()
    assert 0 < score["expected"] == pytest.approx(expected.expected)


EXACT = "span_f(chance=none)"


def test_pairs_with_such_spans_have_no_page_and_the_reason(files):
    names = ["gold", "pred", "plain", "none"]
    for name in names[2:]:
        (files / name).mkdir()
        for document in "ab":
            (files / name / f"{document}.ann").write_text(line(1, ("Ada",), "PER"))
            (files / name / f"{document}.txt").write_text(TEXT)
    words = [files / name for name in names]
    done = call("agree", *words, "--resamples", "0", "-m", EXACT, "-o", files / "pages")
    assert done.exit_code == 0 and EXACT in done.stdout, done.stderr
    index = (files / "pages/index.html").read_text()
    # of each pair in the matrix and in the table of all
    assert index.count("no page: it cannot draw discontinuous spans") == 2 * 5
    assert [path.name for path in (files / "pages").glob("pair*")] == ["pair-002-003.html"]


def test_blocks_and_processes_have_the_numbers_of_one(files, monkeypatch):
    from helpers.blocks import many_blocks

    monkeypatch.chdir(files)
    for name in ("gold", "pred"):
        call("convert", name, f"{name}.jsonl", "--read", "tokenizer=en")
    command = "score gold.jsonl pred.jsonl -m span_f -m token_f -m slicm_norm --chance overlapping"
    whole = result(*command.split())
    with many_blocks():
        assert result(*command.split()) == whole
