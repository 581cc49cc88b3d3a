"""The log of a real training: its scores, whole lines, one training a file, the usual console."""

import io
import json
import math
import subprocess
import sys

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import registry

from helpers.trainings import STEPS, shortened, trained
from spacy_chance_eval.integrations.training import layers_of, line_of, make_score_logger

NAME = "spacy-chance-eval.score_logger.v1"
CONSOLE = {"@loggers": "spacy.ConsoleLogger.v1"}
RECORDER = "chance-eval-tests.keeper.v1"
KEPT = []


@spacy.registry.loggers(RECORDER)
def keeper():
    """A logger that keeps all it is told."""

    def setup(nlp, stdout, stderr):
        KEPT.append((stdout, stderr))
        return KEPT.append, lambda: KEPT.append("end")

    return setup


def block(path, **settings):
    return {"@loggers": NAME, "path": str(path), **settings}


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def logged(corpus, tmp_path_factory):
    """Lines of a training's log, what its inner logger was told, its file."""
    path = tmp_path_factory.mktemp("logged") / "logs" / "ner.jsonl"
    KEPT.clear()
    config = shortened("ner", corpus, logger=block(path, wrapped={"@loggers": RECORDER}))
    trained(config, None)
    return rows_of(path), list(KEPT), path


@pytest.mark.integration
def test_every_evaluation_is_a_line(logged):
    assert [row["step"] for row in logged[0]] == list(STEPS)


@pytest.mark.integration
def test_lines_tell_what_spacy_told(logged):
    rows, told, _ = logged
    infos = [info for info in told if isinstance(info, dict)]
    for row, info in zip(rows, infos, strict=True):
        scores, ents = info["other_scores"], row["layers"]["ents"]
        assert row["score"] == info["score"] == scores["ents_f_corrected"]
        assert (row["epoch"], row["words"]) == (info["epoch"], info["words"])
        assert row["losses"].keys() == {"ner"} and row["losses"]["ner"] > 0
        assert ents["span_f"] == {
            part: scores[f"ents_f_{part}"] for part in ("observed", "expected", "corrected")
        }
        assert ents["token_f"]["observed"] == scores["ents_token_f"]
        assert ents["token_f"]["expected"] == scores["ents_token_f_expected"]
        assert ents["token_f"]["corrected"] == scores["ents_token_f_corrected"]
        assert ents["slicm_norm"] == scores["ents_slicm_norm"]


@pytest.mark.integration
def test_the_observed_score_is_spacys_where_tokens_agree(logged):
    rows, told, _ = logged
    infos = [info for info in told if isinstance(info, dict)]
    for row, info in zip(rows, infos):
        observed = row["layers"]["ents"]["span_f"]["observed"]
        assert observed == pytest.approx(info["other_scores"]["ents_f"])


@pytest.mark.integration
def test_the_inner_logger_is_told_every_step_and_the_end(logged):
    _, told, _ = logged
    assert len(told) == 1 + (STEPS[-1] + 1) + 1 and told[-1] == "end"


@pytest.mark.integration
def test_the_console_and_the_model_are_as_without_the_log(corpus, tmp_path):
    few = {"training.max_steps": 20}
    plain, said = trained(shortened("ner", corpus, logger=CONSOLE, **few), None)
    config = shortened("ner", corpus, logger=block(tmp_path / "x.jsonl"), **few)
    logged, also_said = trained(config, None)
    assert also_said == said and "ENTS_F" in said
    assert plain.get_pipe("ner").model.to_bytes() == logged.get_pipe("ner").model.to_bytes()


@pytest.mark.integration
def test_a_span_group_has_a_layer_of_its_own(corpus, tmp_path):
    path = tmp_path / "x.jsonl"
    trained(shortened("spancat", corpus, logger=block(path), **{"training.max_steps": 1}), None)
    assert rows_of(path)[0]["layers"].keys() == {"spans_sc"}


class Interrupted(Exception):
    pass


def started(path, wrapped=None):
    """A logger as spaCy starts it, and what it prints."""
    stdout = io.StringIO()
    silent = wrapped or (lambda nlp, stdout, stderr: (lambda info: None, lambda: None))
    log, finalize = make_score_logger(path, silent)(spacy.blank("en"), stdout, io.StringIO())
    return log, finalize, stdout


def info(step, **scores):
    known = {"score": 0.5, "losses": {"ner": 1.0}, "seconds": 1, "words": 10}
    return {"step": step, "epoch": 0, "other_scores": scores, **known}


OURS = {"ents_f_corrected": 0.4, "ents_f_expected": 0.1, "ents_token_f_corrected": 0.3}


def test_a_line_is_written_at_once(tmp_path):
    log, finalize, _ = started(tmp_path / "x.jsonl")
    log(info(0, **OURS))
    assert len(rows_of(tmp_path / "x.jsonl")) == 1  # before the end
    finalize()


@pytest.mark.integration
def test_the_file_of_an_interrupted_training_is_whole(corpus, tmp_path):
    def breaking(nlp, stdout, stderr):
        def log(info):
            if info and info["step"] == STEPS[1]:
                raise Interrupted

        return log, lambda: None

    registry.loggers("chance-eval-tests.breaking.v1", func=lambda: breaking)
    wrapped = {"@loggers": "chance-eval-tests.breaking.v1"}
    config = shortened("ner", corpus, logger=block(tmp_path / "x.jsonl", wrapped=wrapped))
    with pytest.raises(Interrupted):
        train(init_nlp(config), None, stdout=io.StringIO(), stderr=io.StringIO())
    assert [row["step"] for row in rows_of(tmp_path / "x.jsonl")] == list(STEPS[:2])


def test_a_second_training_starts_a_new_file(tmp_path):
    path = tmp_path / "x.jsonl"
    for step in (7, 8):
        log, finalize, _ = started(path)
        log(info(step, **OURS))
        finalize()
    assert [row["step"] for row in rows_of(path)] == [8]


def test_two_trainings_at_once_do_not_share_a_file(tmp_path):
    path = tmp_path / "x.jsonl"
    first, end_first, _ = started(path)
    first(info(0, **OURS))
    second, end_second, _ = started(path)
    second(info(100, **OURS))
    first(info(1, **OURS))
    second(info(101, **OURS))
    end_first()
    end_second()
    assert [row["step"] for row in rows_of(path)] == [100, 101]


def test_reading_the_config_alone_leaves_an_older_log(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    registry.resolve({"logger": block(path)})
    assert path.read_text() == "old"


def test_an_evaluation_without_our_scores_is_a_warning_once_and_plain_lines(tmp_path):
    log, finalize, stdout = started(tmp_path / "x.jsonl")
    log(info(0, ents_f=0.5))
    log(None)
    log(info(1, ents_f=0.5))
    finalize()
    assert [row["layers"] for row in rows_of(tmp_path / "x.jsonl")] == [{}, {}]
    assert stdout.getvalue().count("no scores beyond chance") == 1
    assert "chance_eval" in stdout.getvalue()


@pytest.mark.parametrize(("scores", "told"), [({"dep_alpha": 0.5}, True), ({"ents_f": 0.5}, False)])
def test_scores_of_trees_are_said_to_be_no_layer(tmp_path, scores, told):
    log, finalize, stdout = started(tmp_path / "x.jsonl")
    log(info(0, **scores))
    finalize()
    assert (
        "Those of trees (dep_alpha) are no layer" in " ".join(stdout.getvalue().split())
    ) == told


def test_nothing_is_printed_where_there_are_scores(tmp_path):
    log, finalize, stdout = started(tmp_path / "x.jsonl")
    log(info(0, **OURS))
    finalize()
    assert stdout.getvalue() == ""


def test_what_an_evaluation_does_not_tell_is_null():
    layer = line_of(info(0, **OURS))["layers"]["ents"]
    assert layer["span_f"] == {"observed": None, "expected": 0.1, "corrected": 0.4}
    assert layer["slicm_norm"] is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_no_number_is_null(value):
    line = line_of({**info(0), "losses": {"ner": value}})
    assert line["losses"] == {"ner": None}


def test_copies_for_spacy_evaluate_are_no_layers():
    scores = {**OURS, "spans_corrected_f": 0.4, "spans_corrected_ents_f": 0.4, "speed": 1.0}
    assert list(layers_of(scores)) == ["ents"]


def test_layers_of_pairs_have_their_names():
    scores = {key.replace("ents", "ents_vs_spans_ruler"): value for key, value in OURS.items()}
    assert list(layers_of(scores | OURS)) == ["ents", "ents_vs_spans_ruler"]


def test_the_file_is_closed_although_the_inner_logger_fails(tmp_path):
    def setup(nlp, stdout, stderr):
        def end():
            raise Interrupted

        return (lambda info: None), end

    log, finalize, _ = started(tmp_path / "x.jsonl", setup)
    log(info(0, **OURS))
    with pytest.raises(Interrupted):
        finalize()
    with pytest.raises(ValueError, match="closed file"):
        log(info(1, **OURS))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "score_logger has no path"),
        (".", "a folder, not a file"),
        pytest.param(f"{__file__}/x.jsonl", "cannot be written in", id="in a file"),
    ],
)
def test_what_cannot_be_written_is_told_when_the_config_is_read(path, message):
    with pytest.raises(ValueError, match=message):
        registry.resolve({"logger": {"@loggers": NAME, "path": path}})


@pytest.mark.integration
@pytest.mark.parametrize("module", ["training"])
def test_spacy_finds_the_module_without_loading_what_is_heavy(module):
    heavy = "{'jinja2', 'cairosvg', 'requests', 'typer.main'}"
    code = (
        f"import sys, spacy; before = set(sys.modules)\n"
        f"import spacy_chance_eval.integrations.{module}\n"
        f"print(*sorted({heavy} & (set(sys.modules) - before)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
