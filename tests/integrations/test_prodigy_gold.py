"""The recipe of scores on a stand-in for Prodigy."""

import pytest
import spacy

from helpers.prodigy_stub import BOB, NAME, installed, marked

pytestmark = pytest.mark.integration


@pytest.fixture
def prodigy(monkeypatch, tmp_path):
    return installed(monkeypatch, tmp_path)


# --- chance.score


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline that finds Ada Byron, as PER, and Bob, as ORG."""
    nlp = spacy.blank("en")
    patterns = [{"label": "PER", "pattern": "Ada Byron"}, {"label": "ORG", "pattern": "Bob"}]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("span_ruler", config={"spans_key": "sc"}).add_patterns(patterns[:1])
    folder = tmp_path_factory.mktemp("models") / "ruler"
    nlp.to_disk(folder)
    return folder


def observed(found):
    """The F of a pipeline, as it is observed."""
    return found["layers"][0]["scores"]["span_f"]["observed"]


def test_a_pipeline_is_scored_on_the_tasks_that_were_accepted(prodigy, pipeline, capsys):
    prodigy.rows["gold"] = [marked(1, "ann", NAME, BOB), marked(2, "ben"), marked(3, None, NAME)]
    prodigy.rows["gold"].append(marked(4, "ann", answer="ignore"))
    found = prodigy.result("chance.score", pipeline, "dataset:gold", "-m", "span_f")
    assert observed(found) == pytest.approx(2 * 2 / (3 + 6))
    assert (found["layers"][0]["n_docs"], found["layers"][0]["n_skipped"]) == (3, 1)
    assert found["gold"] == "dataset:gold"
    assert "spans against ents: 3 documents" in capsys.readouterr().out


def test_labels_that_were_not_annotated_can_be_left_out(prodigy, pipeline):
    prodigy.rows["gold"] = [marked(1, "ann", NAME), marked(2, "ann", NAME)]
    words = ("chance.score", pipeline, "dataset:gold", "-m", "span_f")
    assert observed(prodigy.result(*words)) == pytest.approx(2 / 3)
    assert observed(prodigy.result(*words, "-l", "PER")) == 1.0


def test_one_of_several_annotators_can_be_gold(prodigy, pipeline):
    words = ("chance.score", pipeline, "dataset:news", "-m", "span_f", "-l", "PER", "-a")
    assert observed(prodigy.result(*words, "ann")) == pytest.approx(2 * 3 / (6 + 4))
    assert observed(prodigy.result(*words, "ben")) == pytest.approx(2 * 2 / (4 + 4))


def test_a_span_group_can_be_scored(prodigy, pipeline):
    prodigy.rows["gold"] = [marked(1, "ann", NAME)]
    words = ("chance.score", f"{pipeline}#spans:sc", "dataset:gold", "-r", 10)
    found = prodigy.result(*words, "-m", "span_f")["layers"][0]
    assert (found["gold_layer"], found["pred_layer"]) == ("spans", "spans:sc")
    assert found["scores"]["span_f"]["resampling"].startswith("bootstrap,10,0")


# --- errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chance.score MODEL dataset:mews", "did you mean 'news'?"),
        (
            "chance.score MODEL dataset:news",
            "an answer of 'ben' beside that of 'ann' in line 1; keep the",
        ),
        ("chance.score MODEL dataset:news -a cat", "no layer 'cat'; available: ann, ben"),
        ("chance.score MODEL#spans:x dataset:news -a ann", "predicts no layer 'spans:x'"),
        ("chance.score no_such_model dataset:news -a ann", "no_such_model"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(prodigy, pipeline, words, said):
    assert said in prodigy.failure(*words.replace("MODEL", str(pipeline)).split())
