"""The chance model "candidates" in files: blocks, the command line and Python agree."""

import json

import pytest
import spacy

from helpers.blocks import many_blocks
from helpers.textfiles import call, failed
from spacy_chance_eval import Spans, evaluate, leaderboard

GOLD = """Ada B-P
Lee I-P
met O
Rex B-P
. O

the O
dog B-P
Of O
Ada B-P

Bo B-P
saw O
It O
"""
PRED = GOLD.replace("Lee I-P", "Lee O").replace("It O", "It B-P")
PRED = PRED.replace("the O\ndog B-P", "the B-P\ndog I-P")
METRICS = ["span_f", "token_f(encoding=BIO)", "link_f", "bcubed_f", "int_f"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("pred", PRED)):
        (tmp_path / f"{name}.conll").write_text(text)
    return tmp_path


def sides():
    found = []
    for text in (GOLD, PRED):
        documents = [part.strip().splitlines() for part in text.split("\n\n")]
        words = [[row.split()[0] for row in rows] for rows in documents]
        tags = [[row.split()[1] for row in rows] for rows in documents]
        found.append(Spans.from_tags(tags, words=words, repair="conlleval"))
    return found


def numbers(command, *words):
    done = call(command, *words, "-o", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def asked(*chance):
    return [word for one in METRICS for word in ("-m", one)] + [*chance]


@pytest.mark.parametrize("chance", ["candidates", "candidates-overlapping"])
def test_files_score_as_python_does(files, chance):
    gold, pred = sides()
    metrics = [
        f"{m[:-1]},chance={chance})" if "(" in m else f"{m}(chance={chance})" for m in METRICS
    ]
    wanted = evaluate(gold.with_candidates("capitalised"), pred, metrics, draws=20)
    found = numbers(
        *("score", "gold.conll", "pred.conll", "--candidates", "capitalised", "--draws", "20"),
        *asked("--chance", chance),
    )["layers"][0]["scores"]
    for (_, mine), one in zip(found.items(), wanted.values(), strict=True):
        if one.standard_error is None:
            assert (mine["value"], mine["expected"]) == pytest.approx((one.value, one.expected))
        assert "|candidates=capitalised|" in mine["signature"]
        assert "|candidates=capitalised|" in one.signature


def test_a_rule_alone_chooses_the_model(files):
    scores = numbers("score", "gold.conll", "pred.conll", "--candidates", "capitalised")
    assert (
        scores["layers"][0]["scores"]["span_f"]["name"]
        == "span_f(beta=1.0,chance=candidates,unit=doc)"
    )


@pytest.mark.parametrize("command", ["score", "rank", "agree"])
def test_blocks_give_the_numbers_of_the_whole(files, command):
    words = [command, "gold.conll", "pred.conll", "--candidates", "capitalised", *asked()]
    words += ["--resamples", "0"] if command != "rank" else ["--no-intervals", "--format", "json"]
    whole = call(*words) if command == "rank" else call(*words, "-o", "-")
    with many_blocks():
        parts = call(*words, "--n-process", "1", *([] if command == "rank" else ["-o", "-"]))
    assert whole.exit_code == parts.exit_code == 0, parts.stderr
    texts = (done.stdout for done in (whole, parts))
    if command == "agree":  # of blocks no documents are named
        texts = ([one["team"] for one in json.loads(text)["metrics"]] for text in texts)
    one, two = texts
    assert one == two


def test_systems_on_a_board_have_the_candidates_of_gold(files):
    gold, pred = sides()
    board = leaderboard(
        gold.with_candidates("capitalised"), {"pred": pred}, ["span_f(chance=candidates)"]
    )
    row = board["boards"][0]["rows"][0]
    done = call(
        "rank", "gold.conll", "pred.conll", "--candidates", "capitalised", "-o", "b", "-m", "span_f"
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads((files / "b.json").read_text())["boards"][0]["rows"][0]
    assert found["corrected"]["score"] == pytest.approx(row["corrected"]["score"])


def test_a_list_of_systems_names_the_candidates(files):
    (files / "s.yml").write_text("candidates: capitalised\nsystems:\n- path: pred.conll\n")
    boards = []
    for words in (["s.yml"], ["pred.conll", "--candidates", "capitalised"]):
        done = call("rank", "gold.conll", *words, "-o", "b", "-m", "span_f", "--resamples", "0")
        assert done.exit_code == 0, done.stderr
        boards.append(json.loads((files / "b.json").read_text())["boards"])
    assert boards[0] == boards[1]


@pytest.mark.parametrize("rule", ["[capitalised]", "{a: b}", "1"])
def test_candidates_of_a_list_that_are_no_text_are_an_error(files, rule):
    (files / "s.yml").write_text(f"candidates: {rule}\nsystems:\n- path: pred.conll\n")
    assert "expected one rule, as a text" in failed("rank", "gold.conll", "s.yml")


def test_diff_and_explain_expect_what_score_does(files):
    words = ["gold.conll", "pred.conll", "--candidates", "capitalised"]
    wanted = numbers("score", *words)["layers"][0]["scores"]["span_f"]["expected"]
    assert numbers("diff", *words)["scores"]["span_f"]["expected"] == pytest.approx(wanted)
    assert str(round(wanted, 4)) in call("explain", *words).stdout


def test_signatures_of_diff_name_the_rule(files):
    scores = numbers("diff", "gold.conll", "pred.conll", "--candidates", "capitalised")["scores"]
    assert all("|candidates=capitalised|" in one["signature"] for one in scores.values())


def test_a_pipeline_is_scored_among_candidates_of_gold_docs(files):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "P", "pattern": "Ada"}])
    nlp.to_disk("model")
    assert call("convert", "gold.conll", "gold.spacy").exit_code == 0
    found = numbers("score", "gold.spacy", "model", "--candidates", "capitalised", "-m", "span_f")
    score = found["layers"][0]["scores"]["span_f"]
    assert "chance=candidates" in score["name"] and "|candidates=capitalised|" in score["signature"]


def test_spans_outside_of_the_candidates_are_counted_in_a_warning(files):
    (files / "gold.conll").write_text(GOLD.replace("It O", "it B-P\nis I-P"))
    (files / "pred.conll").write_text(PRED.replace("It B-P", "it O\nis O"))
    done = call("score", "gold.conll", "pred.conll", "--candidates", "capitalised")
    said = " ".join(done.stdout.split())
    assert (
        "2 of 6 spans of gold (33.3%) have a token that is no candidate; chance places spans among "
        "the candidates all the same, as many as there is room for, and expects the others to "
        "match nothing (1 is longer than every run of candidates in its document)."
    ) in said
    assert "1 of 5 spans of the prediction (20.0%) has a token" in said


def test_annotators_with_other_candidates_are_an_error(files):
    row = {"tokens": ["a", "b"], "spans": [{"start": 0, "end": 1, "label": "P"}]}
    for name, marks in (("a", [0]), ("b", [0, 1])):
        (files / f"{name}.jsonl").write_text(json.dumps({**row, "can": marks}))
    message = failed("agree", "a.jsonl", "b.jsonl", "--candidates", "attribute:can")
    assert "document 1 has other candidates than in a.jsonl" in message


def test_candidates_of_which_nothing_is_expected_are_an_error(files):
    words = ["gold.conll", "pred.conll", "--candidates", "capitalised"]
    assert "leave --candidates out" in failed("agree", *words, "-m", "cohen_kappa")
    assert "leave --candidates out" in failed("score", *words, "--chance", "disjoint")
