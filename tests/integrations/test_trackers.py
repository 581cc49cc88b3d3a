"""W&B and MLflow get observed, expected and corrected scores under plain names, in training.

spacy-loggers comes with spaCy; stubs take the place of wandb and mlflow in the inner loop. With
`pip install '.[trackers]'`: `pytest -m integration tests/integrations/test_trackers.py`.
"""

import json
import sys
from types import ModuleType

import pytest
import spacy
from confection import Config
from spacy.util import registry

from helpers.examples import blocks, page
from helpers.extras import needs
from helpers.trainings import shortened, trained

NAMES = ("ents_f_observed", "ents_f_expected", "ents_f_corrected", "ents_token_f_corrected")
SCORES = {"ents_f": 0.5, "ents_p": None, **dict.fromkeys(NAMES, 0.25)}
BY_LABEL = {"PER": {"f_corrected": 0.125}}
INFO = {
    "step": 20,
    "epoch": 1,
    "score": 0.25,
    "seconds": 1,
    "words": 10,
    "losses": {"ner": 1.0},
    "other_scores": {**SCORES, "ents_corrected_per_type": BY_LABEL},
}
KEPT = []


def logger_of_page(tracker):
    """The config of docs/tools.md with a tracker."""
    (whole,) = (one for one in blocks(page("docs/tools.md"), "ini") if "Logger" in one)
    if tracker == "MLflow":
        other = '[training.logger.logger2]\n@loggers = "spacy.MLflowLogger.v2"\n'
        other += 'run_name = "names"\n'
        whole = whole[: whole.index("[training.logger.logger2]")] + other
    config = Config().from_str(whole)["training"]["logger"]
    assert f"spacy.{tracker}Logger" in str(config)
    return config


class Stub(ModuleType):
    """A stand-in for wandb and mlflow, which keeps the calls."""

    def __init__(self, name):
        super().__init__(name)
        self.logged = {}

    def log(self, values):
        self.logged |= values

    log_metrics = log

    def log_metric(self, name, value):
        self.logged[name] = value

    def ignored(self, *args, **settings):
        """A call that logs no scores."""

    init = join = start_run = end_run = log_params = log_artifact = ignored


@pytest.mark.parametrize("tracker", ["Wandb", "MLflow"])
def test_scores_reach_a_tracker_under_their_names(tracker, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stub = Stub(tracker.lower())
    monkeypatch.setitem(sys.modules, stub.__name__, stub)
    log, finalize = registry.resolve({"logger": logger_of_page(tracker)})["logger"](
        spacy.blank("en")
    )
    log(INFO)
    log(None)  # a step without an evaluation
    finalize()
    assert {name: stub.logged[name] for name in NAMES} == dict.fromkeys(NAMES, 0.25)
    assert (stub.logged["score"], stub.logged["loss_ner"]) == (0.25, 1.0)
    if tracker == "MLflow":
        assert stub.logged["ents_corrected_per_type.PER.f_corrected"] == 0.125
        assert "ents_p" not in stub.logged
    else:  # flattens nested dictionaries itself
        assert stub.logged["ents_corrected_per_type"] == BY_LABEL
        assert stub.logged["ents_p"] is None
    assert len((tmp_path / "training/ner/scores.jsonl").read_text().splitlines()) == 1


@registry.loggers("chance-eval-tests.summary.v1")
def summary_logger():
    """A logger that keeps the summary of the W&B run that is open."""

    def setup(nlp, stdout, stderr):
        import wandb

        def log(info):
            if info is not None:
                KEPT.append((info["other_scores"], dict(wandb.run.summary)))

        return log, lambda: None

    return setup


def real(module):
    """A mark for tests with the library."""
    return lambda test: pytest.mark.integration(needs(module, "trackers")(test))


@real("wandb")
def test_wandb_keeps_each_score_of_a_training(corpus, tmp_path, monkeypatch):
    for name, value in {"MODE": "offline", "SILENT": "true", "ERROR_REPORTING": "false"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    logger = logger_of_page("Wandb") | {"logger3": {"@loggers": "chance-eval-tests.summary.v1"}}
    KEPT.clear()
    _, said = trained(shortened("ner", corpus, logger=logger, **{"training.max_steps": 20}), None)
    scores, summary = KEPT[-1]
    assert scores["ents_f_corrected"] and "ENTS_F_COR..." in said
    assert {name: summary[name] for name in NAMES} == {name: scores[name] for name in NAMES}
    by_label = scores["ents_corrected_per_type"]["PER"]["f_expected"]
    assert summary["ents_corrected_per_type"]["PER"]["f_expected"] == by_label
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """MLflow with a folder as its store."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    module = pytest.importorskip("mlflow")
    before = module.get_tracking_uri()
    module.set_tracking_uri((tmp_path / "runs").as_uri())
    yield module
    module.end_run()
    module.set_tracking_uri(before)


@real("mlflow")
def test_mlflow_keeps_each_score_of_a_training(mlflow, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    logger = logger_of_page("MLflow")
    trained(shortened("ner", corpus, logger=logger, **{"training.max_steps": 20}), None)
    (run,) = mlflow.search_runs(output_format="list")
    line = json.loads((tmp_path / "training/ner/scores.jsonl").read_text().splitlines()[-1])
    percent = {name: line["scores"][name] for name in ("ents_f_expected", "ents_f_corrected")}
    assert percent["ents_f_corrected"]
    assert percent == pytest.approx({name: 100 * run.data.metrics[name] for name in percent})
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "ents_f_corrected")
    assert [one.step for one in history] == [0, 0]  # of the steps 0 and 20


@real("mlflow")
def test_mlflow_refuses_some_labels(mlflow):
    with mlflow.start_run():
        mlflow.log_metrics({"ents_per_type.A-Z a_z.0/:.f": 0.5})
        with pytest.raises(mlflow.MlflowException, match="R&D"):
            mlflow.log_metrics({"ents_per_type.R&D.f": 0.5})
