"""The table that a training prints: names in full, and what SCORE is made of."""

import io
import json

import pytest
import spacy
from spacy.util import registry

from helpers.examples import blocks, page
from helpers.trainings import STEPS, shortened, table_of, trained
from spacy_chance_eval.integrations.console import TrainingTable, heading_lines

NAME = "spacy-chance-eval.score_logger.v2"
ENDS = ("f_corrected", "f", "f_expected", "p_corrected", "r_corrected", "token_f_corrected")


def started(*pipes, **weights):
    """A logger as spaCy starts it for components, and what it prints."""
    nlp, stdout = spacy.blank("en"), io.StringIO()
    for pipe in pipes:
        nlp.add_pipe(pipe)
    nlp.config["training"]["score_weights"] = weights
    log, _ = TrainingTable()(nlp, stdout, io.StringIO())
    return log, stdout


def said(stdout):
    """What was printed, without the breaks of its lines."""
    return " ".join(stdout.getvalue().split())


def info(**scores):
    known = {"score": 0.5, "losses": {}, "seconds": 1, "words": 10}
    return {"step": 20, "epoch": 3, "other_scores": scores, **known}


@pytest.mark.parametrize("prefix", ["ents", "spans_sc", "ents_vs_spans_ruler"])
@pytest.mark.parametrize("end", ENDS)
def test_no_name_is_cut(prefix, end):
    lines = heading_lines(f"{prefix}_{end}")
    assert "".join(lines) == f"{prefix}_{end}".upper()
    assert max(map(len, lines)) <= 11


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("LOSS ner", ["LOSS NER"]),
        ("LOSS spancat_singlelabel", ["LOSS", "SPANCAT_", "SINGLELABEL"]),
        ("SCORE", ["SCORE"]),
        ("averyveryverylongword_f", ["AVERYVERYVERYLONGWORD_", "F"]),
        ("__", ["__"]),
    ],
)
def test_names_are_divided_behind_underscores_and_blanks(name, lines):
    assert heading_lines(name) == lines


def test_scores_are_percentages_under_their_names():
    log, stdout = started(ents_f=0.0, speed=0.0, ents_f_corrected=1.0)
    log(info(ents_f=0.5, ents_f_corrected=0.25, speed=1234.5))
    assert stdout.getvalue().splitlines()[-1].split() == [
        "3",
        "20",
        "50.00",
        "1234.50",
        "25.00",
        "0.50",
    ]


def test_a_score_without_a_value_is_a_dash():
    log, stdout = started(ents_f=0.0, ents_f_corrected=1.0)
    log(info(ents_f_corrected=0.25))
    assert stdout.getvalue().splitlines()[-1].split() == ["3", "20", "-", "25.00", "0.50"]


def test_the_table_of_the_documentation_is_printed(monkeypatch):
    monkeypatch.setenv("ANSI_COLORS_DISABLED", "1")
    (shown,) = (one for one in blocks(page("docs/training.md"), "text") if "SCORE is" in one)
    names = ("f", "f_corrected", "f_expected", "p_corrected", "r_corrected", "token_f_corrected")
    names = [f"ents_{name}" for name in names]
    unseen = {"ents_p": None, "ents_r": None}
    log, stdout = started("ner", **dict.fromkeys(names, 0.0) | unseen | {"ents_f_corrected": 1.0})
    for row in shown.splitlines()[-2:]:
        epoch, step, loss, *scores, score = map(float, row.split())
        scores = dict(zip(names, (one / 100 for one in scores), strict=True))
        known = {"score": score, "losses": {"ner": loss}, "seconds": 1, "words": 10}
        log({"step": int(step), "epoch": int(epoch), "other_scores": scores, **known})
    printed = [line.rstrip() for line in stdout.getvalue().strip().splitlines()]
    assert printed == shown.splitlines()


def test_steps_without_evaluation_print_nothing():
    log, stdout = started(ents_f=1.0)
    before = stdout.getvalue()
    log(None)
    assert stdout.getvalue() == before


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ({"ents_f_corrected": 1.0, "ents_f": 0.0}, "SCORE is ents_f_corrected"),
        ({"tag_acc": 0.5, "ents_f": 0.5}, "SCORE is 0.5 tag_acc + 0.5 ents_f"),
        ({"ents_f": 0.0}, "SCORE is always 0.0: nothing has a weight"),
    ],
)
def test_it_says_what_the_score_is(weights, text):
    assert text in said(started(**weights)[1])


def test_a_mixture_of_observed_and_corrected_is_a_warning():
    _, stdout = started(spans_sc_f=0.5, spans_sc_f_corrected=0.5)
    assert "spans_sc_f is weighted beside spans_sc_f_corrected" in said(stdout)
    assert "set spans_sc_f = 0.0 in [training.score_weights]" in said(stdout)


@pytest.mark.parametrize("weights", [{"ents_f": 0.0}, {"ents_f": None}, {"tag_acc": 0.5}])
def test_other_weights_are_no_mixture(weights):
    assert "weighted beside" not in said(started(ents_f_corrected=1.0, **weights)[1])


def test_a_weighted_score_that_nobody_reports_is_a_warning_once():
    log, stdout = started(ents_f_corected=1.0, ents_f=0.0)
    for _ in range(2):
        log(info(ents_f_corrected=0.25, ents_per_type={}))
    text = said(stdout)
    assert text.count("This evaluation has no ents_f_corected") == 1
    assert "did you mean 'ents_f_corrected'" in text and "no ents_f (" not in text


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["ner", "spancat"])
def test_a_training_prints_all_names(corpus, kind):
    config = shortened(kind, corpus, logger={"@loggers": NAME}, **{"training.max_steps": 20})
    _, text = trained(config, None)
    weights = config["training"]["score_weights"]
    columns = [name.upper() for name, weight in weights.items() if weight is not None]
    assert sorted([*table_of(text)[0]][3:-1]) == sorted(columns)


@pytest.mark.integration
def test_rows_are_those_of_spacys_table(corpus):
    few = {"training.max_steps": 20}
    names = NAME, "spacy.ConsoleLogger.v1"
    texts = [
        trained(shortened("ner", corpus, logger={"@loggers": name}, **few), None)[1]
        for name in names
    ]
    ours, theirs = ([line.split() for line in text.splitlines()[-2:]] for text in texts)
    assert ours == theirs and [row[1] for row in ours] == ["0", "20"]


@pytest.mark.integration
def test_a_path_is_written_beside_the_table(corpus, tmp_path):
    logger = {"@loggers": NAME, "path": str(tmp_path / "x.jsonl")}
    _, text = trained(shortened("ner", corpus, logger=logger), None)
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["step"] for line in lines] == list(STEPS)
    assert "F_CORRECTED" in text


def test_another_logger_takes_the_place_of_the_table(tmp_path):
    made = registry.resolve({"x": {"@loggers": NAME, "wrapped": {"@loggers": NAME}}})["x"]
    assert made == TrainingTable()
