"""What is registered can be pickled: macOS and Windows spawn processes, and Linux can."""

import multiprocessing
import pickle

import pytest
import spacy
from spacy.tokens import Span
from spacy.training import Example
from spacy.util import registry

from helpers.trainings import shortened
from spacy_chance_eval.integrations import (
    make_ner_scorer,
    make_parser_scorer,
    make_save_run,
    make_spancat_scorer,
)
from spacy_chance_eval.integrations.component import ChanceEval

OURS = "spacy-chance-eval"
TEXTS = ["Ada met Rex in Oslo", "Nobody met anybody", "Oslo saw Rex and Ada"] * 2
PIPES = {
    "ner": {"scorer": {"@scorers": f"{OURS}.ner_scorer.v1"}},
    "spancat": {"scorer": {"@scorers": f"{OURS}.spancat_scorer.v1"}},
    "parser": {"scorer": {"@scorers": f"{OURS}.parser_scorer.v1"}},
    "chance_eval": {"layers": ["ents", "spans:sc"]},
}
CALLABLES = {
    "ner_scorer": make_ner_scorer(),
    "spancat_scorer": make_spancat_scorer(),
    "parser_scorer": make_parser_scorer(),
    "chance_eval": ChanceEval(),
}


def examples(nlp):
    """Documents with an entity, the same as a span group, and a tree."""
    made = []
    for text in TEXTS:
        doc = nlp.make_doc(text)
        for i, token in enumerate(doc):
            token.head, token.dep_ = doc[0], "dep" if i else "ROOT"
        doc.ents = doc.spans["sc"] = [Span(doc, 0, 1, "PER")]
        made.append(Example(nlp.make_doc(text), doc))
    return made


def initialized(*pipes):
    """A pipeline of untrained components with our scorers."""
    nlp = spacy.blank("en")
    for pipe in pipes:
        nlp.add_pipe(pipe, config=PIPES[pipe])
    nlp.initialize(lambda: examples(nlp))
    return nlp


@pytest.mark.integration
@pytest.mark.parametrize("name", CALLABLES)
def test_it_scores_the_same_after_pickling(name):
    nlp = initialized("ner", "spancat", "parser")
    found = [Example(nlp(example.text), example.reference) for example in examples(nlp)]
    score = getattr(CALLABLES[name], "score", CALLABLES[name])
    again = pickle.loads(pickle.dumps(CALLABLES[name]))
    assert getattr(again, "score", again)(found) == score(found)


@pytest.mark.integration
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.parametrize("pipe", PIPES)
def test_processes_predict_what_one_does(pipe, method, monkeypatch):
    """spaCy sends the components to the processes, scorers included."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    nlp = initialized(pipe)
    alone = [doc.to_json() for doc in nlp.pipe(TEXTS)]
    monkeypatch.setattr("spacy.language.mp", multiprocessing.get_context(method))
    docs = nlp.pipe(TEXTS, n_process=2, batch_size=2)
    assert [doc.to_json() for doc in docs] == alone


@pytest.mark.integration
def test_the_callback_saves_after_pickling(corpus, tmp_path):
    callback = make_save_run(tmp_path / "x.run", corpus / "dev.spacy", layer="ents")
    nlp = initialized("ner")
    assert pickle.loads(pickle.dumps(callback))(nlp) is nlp
    assert (tmp_path / "x.run").exists()


@pytest.mark.integration
def test_a_callback_remembers_the_best_score_when_pickled(corpus, tmp_path):
    callback, nlp = make_save_run(tmp_path / "x.run", corpus / "dev.spacy"), initialized("ner")
    nlp.config["training"]["score_weights"] = {"ents_f": 1.0}
    nlp.meta["performance"] = {"ents_f": 0.9}
    callback(nlp)
    (tmp_path / "x.run").unlink()
    nlp.meta["performance"] = {"ents_f": 0.1}
    pickle.loads(pickle.dumps(callback))(nlp)
    assert not (tmp_path / "x.run").exists()


@pytest.mark.integration
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_pipeline_of_a_config_with_a_callback_can_be_sent(corpus, tmp_path, monkeypatch, method):
    callback = {
        "@callbacks": f"{OURS}.save_run.v1",
        "path": str(tmp_path / "x.run"),
        "corpus": str(corpus / "dev.spacy"),
    }
    config = shortened("ner", corpus, before_to_disk=callback)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize(lambda: examples(nlp))
    training = registry.resolve({"before_to_disk": nlp.config["training"]["before_to_disk"]})
    assert pickle.loads(pickle.dumps(training)).keys() == training.keys()
    monkeypatch.setattr("spacy.language.mp", multiprocessing.get_context(method))
    assert len(list(nlp.pipe(TEXTS, n_process=2, batch_size=2))) == len(TEXTS)
