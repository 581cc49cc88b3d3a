"""What a prediction leaves out, or calls not annotated, is nothing predicted: at every door."""

import json

import pytest
from typer.testing import CliRunner

from spacy_chance_eval import (
    compare,
    evaluate,
    leaderboard,
    read,
    read_compared,
    report,
    side_by_side,
    stored_run,
)
from spacy_chance_eval.cli import app

WORDS = "Ada met Rex in Oslo today".split()
GOLD = [(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")]
N = 8
# the first document is annotated up to its second token, and the others are not at all
TAGS = {"gold": "B-PER O B-PER O B-LOC O", "part": "B-PER O - - - -", "none": "- - - - - -"}
ROWS = {
    "gold": {"spans": GOLD},
    "part": {"spans": GOLD[:1], "missing": [[2, 6]]},
    "none": {"spans": None},
    "lacking": {},
}
KINDS = {
    "hyphens": ["part", *["none"] * (N - 1)],
    "null": ["part", *["none"] * (N - 1)],
    "lacking": ["part", *["none", "lacking"] * ((N - 1) // 2), "none"],
}
F = 2 * 1 / (3 * N + 1)  # of 24 gold spans one was found


@pytest.fixture(params=KINDS)
def files(request, tmp_path, monkeypatch):
    """(gold, a prediction that leaves out most)."""
    monkeypatch.chdir(tmp_path)
    if request.param == "hyphens":
        for name, kinds in {"gold": ["gold"] * N, "pred": KINDS["hyphens"]}.items():
            texts = ("\n".join(map(" ".join, zip(WORDS, TAGS[one].split()))) for one in kinds)
            (tmp_path / f"{name}.conll").write_text("\n\n".join(texts) + "\n")
        return "gold.conll", "pred.conll"
    for name, kinds in {"gold": ["gold"] * N, "pred": KINDS[request.param]}.items():
        rows = ({"id": str(i), "tokens": WORDS, **ROWS[one]} for i, one in enumerate(kinds))
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return "gold.jsonl", "pred.jsonl"


def call(*args):
    done = CliRunner().invoke(app, [*args, "-o", "out.json"])
    assert done.exit_code == 0, done.output
    with open("out.json") as file:
        return json.load(file)


def observed(result):
    return result["layers"][0]["scores"]["span_f"]["observed"]


def spans_of(gold, pred):
    return tuple(one.spans(one.layer_names[0]) for one in (read(gold), read(pred, role="pred")))


def board(gold, pred):
    done = CliRunner().invoke(app, ["score", gold, f"x={pred}", "--resamples", "0", "-o", "-"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["boards"][0]["rows"]
    return row["observed"]


def saved(gold, pred):
    for name in ("old", "new"):
        call("score", gold, pred, "-o", f"{name}.run")
    (metric,) = [
        one for one in call("compare", "old.run", "new.run")["metrics"] if one["metric"] == "span_f"
    ]
    return metric["total"]["old"]["observed"]


def stored(gold, pred):
    run = stored_run(gold, pred, ["span_f"])
    return compare(run, run).to_dict()["metrics"][0]["total"]["old"]["observed"]


def of_tuples(function):
    """A call of Python with lists of spans, None for documents that are not annotated."""
    gold = [GOLD] * N
    return function(gold, [GOLD[:1], *[None] * (N - 1)], sizes=[len(WORDS)] * N)


def explained(gold, pred):
    return call("score", gold, pred, "--explain", "-m", "span_f(draws=20)")["levels"]["span"][
        "total"
    ]


DOORS = {
    "score": lambda gold, pred: observed(call("score", gold, pred, "-m", "span_f")),
    "rank": board,
    "diff": lambda gold, pred: call("diff", gold, pred)["scores"]["span_f"]["observed"],
    "explain": lambda gold, pred: explained(gold, pred)["scores"]["f"]["observed"],
    "save and compare": saved,
    "read_compared": lambda gold, pred: (
        evaluate(*read_compared(gold, pred).aligned())["span_f"].observed
    ),
    "corpora": lambda gold, pred: (
        evaluate(*side_by_side(read(gold), read(pred, role="pred")).aligned())["span_f"].observed
    ),
    "evaluate": lambda gold, pred: evaluate(*spans_of(gold, pred))["span_f"].observed,
    "report": lambda gold, pred: report(*spans_of(gold, pred))["micro avg"]["f1-score"],
    "leaderboard": lambda gold, pred: leaderboard(
        spans_of(gold, pred)[0], {"a": spans_of(gold, pred)[1]}, metrics=["span_f"]
    ).to_dict()["boards"][0]["rows"][0]["observed"],
    "stored_run": lambda gold, pred: stored(*spans_of(gold, pred)),
    "tuples": lambda gold, pred: of_tuples(evaluate)["span_f"].observed,
}


@pytest.mark.parametrize("door", DOORS)
def test_it_is_nothing_predicted(files, door):
    assert DOORS[door](*files) == pytest.approx(F, abs=1e-4)


def test_a_column_beside_gold_leaves_nothing_out_either(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(WORDS, TAGS["gold"].split(), TAGS["part"].split())
    (tmp_path / "a.conll").write_text("\n".join(map(" ".join, rows)) + "\n")
    assert observed(call("score", "a.conll", "-m", "span_f")) == 2 / 4


@pytest.mark.parametrize("door", ["score", "rank", "diff", "explain", "python"])
def test_how_many_gold_spans_are_not_evaluated_is_always_said(tmp_path, monkeypatch, door):
    """Of gold, tokens may lack annotation: spans over them are neither right nor wrong."""
    monkeypatch.chdir(tmp_path)
    row = {"tokens": WORDS, "spans": [[0, 1, "PER"], [2, 5, "PER"]]}
    gold = {**row, "missing": [[3, 4]]}
    (tmp_path / "gold.jsonl").write_text(f"{json.dumps(gold)}\n" * N)
    (tmp_path / "pred.jsonl").write_text(f"{json.dumps(row)}\n" * N)
    if door == "python":
        said = evaluate(*spans_of("gold.jsonl", "pred.jsonl")).to_dict()["warnings"]
    elif door == "rank":
        args = "score", "gold.jsonl", "x=pred.jsonl", "--resamples", "0", "-o", "-"
        said = json.loads(CliRunner().invoke(app, args).stdout)["warnings"]
    else:
        words = ["score", "--explain", "-m", "span_f(draws=20)"] if door == "explain" else [door]
        said = call(*words, "gold.jsonl", "pred.jsonl")["warnings"]
    expected = "8 gold spans are not evaluated: their documents, or tokens of them, were not "
    assert said[0] == f"{expected}annotated or were left out"


def test_annotators_may_leave_out_what_they_want(files):
    gold, pred = files
    result = call("agree", gold, pred, "-m", "span_f", "--resamples", "0")
    assert result["metrics"][0]["mean"]["observed"] == 1 or "lacking" in open(pred).read()
