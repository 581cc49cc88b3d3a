"""The run that a training saves describes the model that spaCy keeps, and changes nothing."""

import logging
import random
import subprocess
import sys

import numpy as np
import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.util import is_compatible_version, registry

from helpers.cases import each_case
from helpers.parser_trainings import write_corpus
from helpers.trainings import shortened, trained
from spacy_chance_eval import read, sample
from spacy_chance_eval.corpora.pairs import read_compared
from spacy_chance_eval.integrations import make_save_run
from spacy_chance_eval.integrations.training import SOUND_ZONES
from spacy_chance_eval.runs.files import read_run
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.tasks.score import compare_files, score_files

pytestmark = pytest.mark.integration

NAME = "spacy-chance-eval.save_run.v1"
# three evaluations, and two steps after the last
SHORT = {"training.max_steps": 42, "training.eval_frequency": 20}


WITHOUT = """
import importlib.metadata as metadata, sys
found = metadata.distributions
metadata.distributions = lambda **how: (
    each for each in found(**how) if each.metadata["Name"] != "spacy-chance-eval"
)
sys.modules["spacy_chance_eval"] = None
import spacy
print(spacy.load(sys.argv[1]).pipe_names)
"""


def callback(folder, gold, **settings):
    """The block of a config."""
    (folder / "runs").mkdir(exist_ok=True)
    path = str(folder / "runs" / "best.run")
    return {"@callbacks": NAME, "path": path, "corpus": str(gold), **settings}


def chance_models(run):
    """What the metrics of a run are corrected by."""
    return {
        kept.request.parameters["chance"]
        for kept in run.metrics.values()
        if "chance" in kept.request.parameters
    }


def files(folder):
    """Content of all files below a folder, but for the config, which names the callback."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("config.cfg", "meta.json")
    }


def spans_of(run):
    """What a stored run says was predicted."""
    pred = run.annotations.pred
    labels = [pred.labels[label] for label in pred.label]
    return sorted(zip(pred.doc.tolist(), pred.start.tolist(), pred.end.tolist(), labels))


def spans_by(model, gold, layer="ents"):
    """What a model on disk predicts."""
    pred = read_compared(gold, f"{model}#{layer}", layer=layer).aligned()[1]
    labels = [pred.labels[label] for label in pred.label]
    return sorted(zip(pred.doc.tolist(), pred.start.tolist(), pred.end.tolist(), labels))


@pytest.fixture(scope="module")
def plain(corpus, tmp_path_factory):
    """Folder of a training without callback, and what spaCy printed."""
    folder = tmp_path_factory.mktemp("plain")
    return folder, trained(shortened("ner", corpus, **SHORT), folder)[1]


@pytest.fixture(scope="module")
def saved(corpus, tmp_path_factory):
    """Folder of a training that saves both runs, and what spaCy printed."""
    folder = tmp_path_factory.mktemp("saved")
    settings = callback(folder, corpus / "dev.spacy", last=str(folder / "runs" / "last.run"))
    config = shortened("ner", corpus, before_to_disk=settings, **SHORT)
    return folder, trained(config, folder)[1]


def test_the_run_is_that_of_the_best_model(saved, corpus):
    folder, _ = saved
    run = read_run(folder / "runs" / "best.run")
    assert spans_of(run) == spans_by(folder / "model-best", corpus / "dev.spacy") != []
    assert run.sources == (str(corpus / "dev.spacy"), "model-best")


def test_the_last_run_is_that_of_the_last_model(saved, corpus):
    folder, _ = saved
    run = read_run(folder / "runs" / "last.run")
    assert spans_of(run) == spans_by(folder / "model-last", corpus / "dev.spacy")
    assert run.sources[1] == "model-last"


def test_training_gives_the_same_models_and_says_the_same(plain, saved):
    for model in ("model-best", "model-last"):
        assert files(plain[0] / model) == files(saved[0] / model)
    assert plain[1].replace(str(plain[0]), "") == saved[1].replace(str(saved[0]), "")


@pytest.mark.skipif(
    not is_compatible_version(spacy.__version__, SOUND_ZONES), reason="spaCy keeps all strings"
)
def test_words_of_the_corpus_are_not_saved_with_the_model(plain, corpus, tmp_path):
    settings = callback(tmp_path, corpus / "test.spacy", last=str(tmp_path / "runs" / "last.run"))
    trained(shortened("ner", corpus, before_to_disk=settings, **SHORT), tmp_path)
    words = {
        word for document in read(sample.path("test.jsonl")).documents for word in document.words
    }
    strings = plain[0] / "model-best" / "vocab" / "strings.json"
    assert not words <= set(srsly.read_json(strings))
    for model in ("model-best", "model-last"):
        assert files(plain[0] / model) == files(tmp_path / model)


@each_case("kind", ("ner", "spancat"))
def test_a_pipeline_saved_with_reset_scorers_loads_without_the_package(kind, corpus, tmp_path):
    """It was trained with our scorer and component, which go on scoring until the end."""
    saved = callback(tmp_path, corpus / "dev.spacy")
    reset = {"@callbacks": "spacy-chance-eval.reset_scorers.v1", "wrapped": saved}
    nlp, _ = trained(shortened(kind, corpus, before_to_disk=reset, **SHORT), tmp_path)
    assert "chance_eval" in nlp.pipe_names
    assert (tmp_path / "runs" / "best.run").is_file()
    for model in ("model-best", "model-last"):
        command = [sys.executable, "-c", WITHOUT, model]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (run.returncode, run.stdout) == (0, f"['{kind}']\n"), run.stderr
        config = spacy.load(tmp_path / model).config
        assert config["components"][kind]["scorer"] == {"@scorers": f"spacy.{kind}_scorer.v1"}
        assert config["training"]["before_to_disk"] is None
        weights = config["training"]["score_weights"]
        usual = {"ner": "ents_f", "spancat": "spans_sc_f"}[kind]
        assert weights[usual] == 1.0 and f"{usual}_corrected" not in weights


def test_a_span_group_is_compared_with_overlaps(corpus, tmp_path):
    config = shortened(
        "spancat", corpus, before_to_disk=callback(tmp_path, corpus / "dev.spacy"), **SHORT
    )
    trained(config, tmp_path)
    run = read_run(tmp_path / "runs" / "best.run")
    predicted = spans_by(tmp_path / "model-best", corpus / "dev.spacy", "spans:sc")
    assert spans_of(run) == predicted
    assert chance_models(run) == {"overlapping", "none"}


def test_the_run_is_that_of_the_command_save(saved, corpus, tmp_path):
    folder, _ = saved
    model = folder / "model-best"
    score_files(corpus / "dev.spacy", model, metrics=default_requests(), run=tmp_path / "x.run")
    result = compare_files(tmp_path / "x.run", folder / "runs" / "best.run")
    assert {metric["metric"] for metric in result["metrics"]} == set(default_requests())
    assert not [note for note in result["notes"] if "(n_eff)" not in note]
    for metric in result["metrics"]:
        assert metric["documents"]["n_equal"] == result["n_docs"]


class Weighed:
    """A callback called as spaCy calls it, with made-up scores."""

    def __init__(self, tmp_path, corpus, nlp, **settings):
        self.path, self.nlp = tmp_path / "best.run", nlp
        nlp.config["training"]["score_weights"] = {"a": 0.5, "b": 0.5, "c": None}
        self.save = make_save_run(self.path, corpus / "dev.spacy", **settings)

    def evaluated(self, *scores):
        """Whether the run is replaced at an evaluation."""
        self.nlp.meta["performance"] = dict(zip("abc", scores))
        return self.again()

    def again(self):
        """Whether it is replaced without one."""
        self.path.unlink(missing_ok=True)
        assert self.save(self.nlp) is self.nlp
        return self.path.exists()


@pytest.fixture
def weighed(tmp_path, corpus, gazetteer):
    return Weighed(tmp_path, corpus, spacy.load(gazetteer))


@Language.component("chance_eval_tests_dice")
def dice(doc):
    random.random()
    np.random.random()
    return doc


def test_averaged_weights_are_those_that_are_saved(tmp_path, corpus):
    nlp = trained(shortened("ner", corpus, **SHORT), None)[0]
    weighed = Weighed(tmp_path, corpus, nlp)
    pipe = nlp.get_pipe("ner")
    zeros = {
        (node.id, name): np.zeros_like(node.get_param(name))
        for node in pipe.model.walk()
        for name in node.param_names
        if node.has_param(name)
    }
    assert weighed.evaluated(0.1, 0.1)
    usual = spans_of(read_run(weighed.path))
    with nlp.use_params(zeros):
        assert weighed.evaluated(0.2, 0.2)
    averaged = spans_of(read_run(weighed.path))
    assert weighed.evaluated(0.3, 0.3)
    assert spans_of(read_run(weighed.path)) == usual != averaged


@Language.component("chance_eval_tests_broken")
def broken(doc):
    raise RuntimeError("out of order")


def test_what_fails_while_training_is_a_warning(tmp_path, corpus, gazetteer, caplog):
    nlp = spacy.load(gazetteer)
    nlp.add_pipe("chance_eval_tests_broken")
    with caplog.at_level(logging.WARNING, logger="spacy"):
        assert not Weighed(tmp_path, corpus, nlp).evaluated(0.1, 0.1)
    assert "RuntimeError: out of order" in caplog.text
    assert f"spacy-chance-eval score {corpus / 'dev.spacy'}" in caplog.text


@pytest.fixture
def unannotated(corpus, tmp_path):
    """The development documents without any annotation."""
    vocab = spacy.blank("en").vocab
    texts = [doc.text for doc in DocBin().from_disk(corpus / "dev.spacy").get_docs(vocab)]
    path = tmp_path / "dev.spacy"
    DocBin(docs=list(spacy.blank("en").pipe(texts))).to_disk(path)
    return path


def test_gold_without_annotation_does_not_end_a_training(unannotated, corpus, tmp_path, caplog):
    settings = callback(tmp_path, unannotated)
    with caplog.at_level(logging.WARNING, logger="spacy"):
        trained(shortened("ner", corpus, before_to_disk=settings, **SHORT), tmp_path)
    assert (tmp_path / "model-best").is_dir()
    assert [*tmp_path.glob("runs/*")] == []
    assert "is annotated with entities or span groups" in caplog.text


def test_trees_alone_are_no_run_and_the_warning_says_so(tmp_path, caplog):
    write_corpus(tmp_path)
    with caplog.at_level(logging.WARNING, logger="spacy"):
        make_save_run(tmp_path / "x.run", tmp_path / "dev.spacy")
    assert "runs hold spans only, no trees; nothing will be saved" in caplog.text


def test_another_callback_is_called_first(tmp_path, corpus, gazetteer):
    other = spacy.blank("en")
    other.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "the"}])
    seen = []

    def wrapped(nlp):
        seen.append(nlp)
        return other

    nlp = spacy.load(gazetteer)
    save = make_save_run(tmp_path / "best.run", corpus / "dev.spacy", wrapped=wrapped)
    assert save(nlp) is other and seen == [nlp]
    assert {label for *_, label in spans_of(read_run(tmp_path / "best.run"))} == {"X"}


def test_a_wrapped_callback_saves_another_layer(tmp_path, corpus, two_layers):
    inner = make_save_run(tmp_path / "sc.run", corpus / "dev.spacy", layer="spans:sc")
    save = make_save_run(tmp_path / "ents.run", corpus / "dev.spacy", wrapped=inner)
    save(spacy.load(two_layers))
    gold = {name: read_run(tmp_path / f"{name}.run").facts["gold"] for name in ("ents", "sc")}
    assert gold["ents"] != gold["sc"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"corpus": "nowhere.spacy"}, "nowhere.spacy: no such file"),
        ({"corpus": None}, "save_run has no corpus"),
        ({"path": None}, "save_run has no path"),
        ({"path": "."}, "no file can be written there"),
        ({"path": f"{__file__}/x.run"}, "its folder does not exist"),
        ({"last": __file__}, "already exists and is not a run written by `score`"),
        ({"last": "."}, "no file can be written there"),
        ({"layer": "spans:x"}, "layer 'spans:x' is not annotated here; there is ents"),
        ({"metrics": ["f7"]}, "f7"),
        ({"chance": "luck"}, "luck"),
        ({"annotations": "all"}, "expected one of spans, none, text"),
    ],
)
def test_what_cannot_be_is_told_when_the_config_is_read(corpus, tmp_path, settings, message):
    config = {"callback": {**callback(tmp_path, corpus / "dev.spacy"), **settings}}
    with pytest.raises(ValueError, match=message):
        registry.resolve(config)
    assert [*tmp_path.glob("runs/*")] == []


def test_a_training_with_a_missing_corpus_does_not_begin(corpus, tmp_path):
    settings = callback(tmp_path, "nowhere.spacy")
    config = shortened("ner", corpus, before_to_disk=settings)
    with pytest.raises(ValueError, match="nowhere.spacy"):
        trained(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()
