"""The scorer of parsers in real training, and `spacy evaluate` on what comes out of it."""

import io
import re
import subprocess
import sys

import pytest
import spacy
import srsly
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train

from helpers.parser_trainings import STEPS, config, documents, write_corpus
from spacy_chance_eval.scoring.trees import evaluate_trees
from spacy_chance_eval.spacy_docs.tree_docs import trees_of_examples

pytestmark = pytest.mark.integration

RECORDER = {"@loggers": "chance-eval-tests.parser-recorder.v1"}
OURS = ("dep_alpha", "dep_alpha_observed", "dep_alpha_expected")
ROWS = []


@spacy.registry.loggers(RECORDER["@loggers"])
def recorder():
    """A logger that keeps what every evaluation reports."""

    def setup(nlp, stdout, stderr):
        return (lambda info: ROWS.append(info) if info else None), lambda: None

    return setup


@pytest.fixture(scope="module")
def parses(tmp_path_factory):
    """Folder with train.spacy and dev.spacy."""
    return write_corpus(tmp_path_factory.mktemp("parses"))


@pytest.fixture(scope="module")
def run(parses, tmp_path_factory):
    """What each evaluation reported, and the folder of the models."""
    folder = tmp_path_factory.mktemp("parser")
    ROWS.clear()
    nlp = init_nlp(config(parses, logger=RECORDER))
    train(nlp, folder, stdout=io.StringIO(), stderr=io.StringIO())
    return list(ROWS), folder


@pytest.fixture(scope="module")
def evaluated(run, parses):
    """What `spacy evaluate` does, as users call it: the process, and the scores that it saved."""
    _, folder = run
    command = ["evaluate", folder / "model-best", parses / "dev.spacy", "-o", folder / "x.json"]
    done = subprocess.run(
        [sys.executable, "-m", "spacy", *map(str, command)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done, srsly.read_json(folder / "x.json")


@pytest.fixture(scope="module")
def examples(run, parses):
    """The dev documents with what the best model predicts."""
    nlp = spacy.load(run[1] / "model-best")
    golds = DocBin().from_disk(parses / "dev.spacy").get_docs(nlp.vocab)
    return [Example(nlp(gold.text), gold) for gold in golds]


def test_training_evaluates_from_step_0_to_the_end(run):
    assert [row["step"] for row in run[0]] == list(STEPS)


def test_the_weighted_score_is_alpha_at_every_evaluation(run):
    rows, _ = run
    assert [row["score"] for row in rows] == [row["other_scores"]["dep_alpha"] for row in rows]


def test_the_scorer_stays_with_the_model(run):
    nlp = spacy.load(run[1] / "model-best")
    found = nlp.config["components"]["parser"]["scorer"]
    assert found == {
        "@scorers": "spacy-chance-eval.parser_scorer.v1",
        "delta": "plain",
        "sample": 2000,
        "seed": 0,
        "cycles": "error",
    }


def test_spacy_evaluate_saves_alpha_and_prints_its_own_scores(evaluated):
    done, scores = evaluated
    assert {*OURS, "dep_las_per_type", "sents_p"} <= scores.keys()
    shown = dict(re.findall(r"^(\w+) +([\d.]+) *$", done.stdout, re.MULTILINE))
    assert shown["LAS"] == f"{scores['dep_las'] * 100:.2f}"


def test_spacy_evaluate_gives_the_numbers_of_evaluate_trees(evaluated, examples):
    score = evaluate_trees(*trees_of_examples(examples), ["syntax_alpha"])["syntax_alpha"]
    found = [evaluated[1][name] for name in OURS]  # spaCy rounds what it saves
    assert found == pytest.approx([score.headline, score.observed, score.expected], abs=1e-9)


def test_training_goes_on_where_gold_has_one_tree_alone(parses, tmp_path):
    # all predictions may be like the only gold tree, and alpha undefined
    DocBin(docs=documents(1, 9)).to_disk(tmp_path / "dev.spacy")
    settings = config(parses, logger=RECORDER)
    settings["paths"]["dev"] = str(tmp_path / "dev.spacy")
    ROWS.clear()
    train(init_nlp(settings), None, stdout=io.StringIO(), stderr=io.StringIO())
    assert {type(row["other_scores"]["dep_alpha"]) for row in ROWS} == {float}


def test_a_trained_pipeline_can_be_given_the_scorer_when_it_is_loaded(run, parses, examples):
    usual = {"components": {"parser": {"scorer": {"@scorers": "spacy.parser_scorer.v1"}}}}
    plain = spacy.load(run[1] / "model-best", config=usual)
    assert "dep_alpha" not in plain.evaluate(examples)
    ours = {"components.parser.scorer.@scorers": "spacy-chance-eval.parser_scorer.v1"}
    scores = spacy.load(run[1] / "model-best", config=ours).evaluate(examples)
    assert {"dep_alpha", "dep_las"} <= scores.keys()
