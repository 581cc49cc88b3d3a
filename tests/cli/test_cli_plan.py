"""The command `plan`: files, outputs, and what it refuses."""

import json

import pytest

from helpers.textfiles import call, failed
from spacy_chance_eval import sample
from spacy_chance_eval.scoring.statistics import headline

GOLD, LATE, EARLY, ANNA, BEN = (
    sample.path(name)
    for name in (
        *("test.jsonl", "systems/late.jsonl", "systems/early.jsonl"),
        *("annotators/anna.jsonl", "annotators/ben.jsonl"),
    )
)
FEW = ("-m", "span_f")


@pytest.fixture
def runs(tmp_path):
    paths = [tmp_path / f"{name}.run" for name in ("late", "early")]
    for path, pred in zip(paths, (LATE, EARLY)):
        assert call("score", GOLD, pred, "-m", "span_f", "-o", path).exit_code == 0
    return paths


def planned(*arguments):
    done = call("plan", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_runs_and_files_are_planned_alike(runs):
    of_runs, of_files = (
        json.loads(planned(*files, "-m", "span_f", "-o", "-"))
        for files in (runs, ("--gold", GOLD, LATE, EARLY))
    )
    assert [one["total"] for one in of_runs["plans"]] == [one["total"] for one in of_files["plans"]]
    assert of_runs["schema"] == "plan.v1"


def test_an_output_that_is_an_input_is_refused(runs):
    file = runs[0].rename(runs[0].with_suffix(".json"))
    assert "is read" in failed("plan", file, runs[1], "-o", file)


def test_options_of_reading_and_metrics_say_what_score_and_agree_say(tmp_path):
    asked = ("-m", "span_f", "--read", "trim=space")
    assert call("score", GOLD, LATE, *asked, "-o", tmp_path / "score.json").exit_code == 0
    (score,) = json.loads((tmp_path / "score.json").read_text())["layers"]
    plan = json.loads(planned("--gold", GOLD, LATE, *asked, "-o", "-"))
    assert headline(plan["plans"][0]["total"]) == headline(score["scores"]["span_f"])
    blind = (ANNA, BEN, "-m", "span_f(labels=ignore)")
    assert call("agree", *blind, "--resamples", 0, "-o", tmp_path / "agree.json").exit_code == 0
    agree = json.loads((tmp_path / "agree.json").read_text())
    plan = json.loads(planned(*blind, "-o", "-"))
    assert headline(plan["plans"][0]["total"]) == headline(agree["metrics"][0]["mean"])


def test_metrics_that_ignore_labels_have_one_label():
    blind = ("-m", "span_f(labels=ignore)", "-o", "-")
    of_files = json.loads(planned("--gold", GOLD, LATE, EARLY, *blind))
    assert [[row["label"] for row in one["labels"]] for one in of_files["plans"]] == [["*"]] * 3
    for one in of_files["plans"]:
        name = "difference" if one["scope"] == "difference" else "corrected"
        assert one["labels"][0][name] == one["total"][name]


def test_options_of_one_format_are_for_the_systems_that_have_it(tmp_path):
    answers = tmp_path / "answers.jsonl"
    rows = [json.loads(line) for line in open(GOLD, encoding="utf8")]
    answers.write_text(
        "".join(f"{json.dumps({'id': one['id'], 'mentions': []})}\n" for one in rows)
    )
    files = ("--gold", GOLD, answers, LATE, *FEW)
    told = planned(*files, "--read", f"texts={GOLD}")
    assert f"got those of another file: from {GOLD}" in " ".join(told.split())
    assert "no key 'texts'" in failed("plan", *files[:2], LATE, *FEW, "--read", f"texts={GOLD}")
