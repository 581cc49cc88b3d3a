"""Discontinuous spans through the commands: each gives numbers, or says what to do instead."""

import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import call, failed
from spacy_chance_eval import read
from spacy_chance_eval.scoring.evaluation import evaluate
from spacy_chance_eval.scoring.statistics import headline

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


def observed(files, pred, metric):
    """The observed score of a prediction."""
    found = result("score", files / "gold", files / pred, "--read", "tokenizer=en", "-m", metric)
    (score,) = found["layers"][0]["scores"].values()
    return score["observed"]


SCORES = [
    # of two documents alike: 2 of 2 and 3 spans; 3 of 3 and 4 tokens
    ("pred", "span_f(chance=none)", 4 / 5),
    ("pred", "token_f(chance=none)", 6 / 7),
    # a hull is another span: 1 of 2; 3 of 3 and 5 tokens
    ("hull", "span_f(chance=none)", 2 / 4),
    ("hull", "token_f(chance=none)", 6 / 8),
]


@pytest.mark.parametrize("pred, metric, value", SCORES, ids=[f"{p}-{m[:6]}" for p, m, _ in SCORES])
def test_pieces_are_scored_as_sets_of_tokens(files, pred, metric, value):
    assert observed(files, pred, metric) == pytest.approx(value)


def test_chance_overlapping_has_the_expectation_of_python(files):
    found = result(
        "score", files / "gold", files / "pred", "-m", "span_f", "--chance", "overlapping"
    )
    (score,) = found["layers"][0]["scores"].values()
    gold, pred = (read(files / name).spans("spans") for name in ("gold", "pred"))
    (expected,) = evaluate(gold, pred, ["span_f(chance=overlapping)"]).values()
    assert 0 < score["expected"] == pytest.approx(expected.expected)


def test_agree_takes_the_chance_model_that_allows_them(files):
    found = result("agree", files / "gold", files / "pred", "--resamples", "0", "-m", "span_f")
    assert "chance=overlapping" in found["metrics"][0]["signature"]


EXACT = "span_f(chance=none)"

# commands that have numbers for such spans
NUMBERS = {
    "score": "score gold pred --read tokenizer=en -m int_f(draws=9) --chance overlapping",
    "score-slicm": "score gold pred -m slicm_norm",
    "agree": "agree gold pred --read tokenizer=en --resamples 0",
    "agree-page": "agree gold pred --read tokenizer=en --resamples 0 -o page.html",
    "rank": "score gold pred hull --resamples 0 --chance overlapping -m span_f",
    "explain": "score gold pred --chance overlapping --explain",
    "convert": "convert gold gold.jsonl",
    "convert-tokens": "convert gold gold.conll --read tokenizer=en",
}


@pytest.mark.integration
@each_case("name", NUMBERS)
def test_commands_with_numbers_for_such_spans(files, monkeypatch, name):
    monkeypatch.chdir(files)
    done = call(*NUMBERS[name].split())
    assert done.exit_code == 0, done.stderr


# commands that refuse them
REFUSALS = {
    "diff": "diff gold pred --read tokenizer=en",
    "diff-page": "diff gold pred -o page.html",
    "explain-doc": "score gold pred --explain a",
    "gate": "score gold pred -m gate_f(chance=none)",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_commands_that_refuse_such_spans_say_what_to_do(files, monkeypatch, name):
    monkeypatch.chdir(files)
    message = failed(*REFUSALS[name].split())
    assert "cannot take discontinuous spans, and ANAT [" in message
    assert "rewrite them as spans from their first to their last token, or as a span" in message


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


def test_agreement_on_units_is_undefined_with_the_reason(files):
    found = result("agree", files / "gold", files / "pred", "--resamples", "0", "-m", "u_alpha")
    (metric,) = found["metrics"]
    assert headline(metric["team"]) is None
    assert "cannot take discontinuous spans" in metric["team"]["reason"]
    assert "rewrite them as spans" in metric["team"]["reason"]


def test_what_a_format_loses_is_said(files):
    done = call("convert", files / "gold", files / "a.conll", "--read", "tokenizer=en")
    assert "2 discontinuous spans" in done.stdout


def test_blocks_and_processes_have_the_numbers_of_one(files, monkeypatch):
    from helpers.blocks import many_blocks

    monkeypatch.chdir(files)
    for name in ("gold", "pred"):
        call("convert", name, f"{name}.jsonl", "--read", "tokenizer=en")
    command = "score gold.jsonl pred.jsonl -m span_f -m token_f -m slicm_norm --chance overlapping"
    whole = result(*command.split())
    with many_blocks():
        assert result(*command.split()) == whole
