"""Recipes of review and scores on a stand-in for Prodigy."""

import json

import pytest
import spacy

from helpers.prodigy_stub import BOB, NAME, NEWS, TOPICS, chosen, installed, marked
from spacy_chance_eval.formats.prodigy import read_prodigy
from spacy_chance_eval.formats.rows import Rows

pytestmark = pytest.mark.integration


@pytest.fixture
def prodigy(monkeypatch, tmp_path):
    return installed(monkeypatch, tmp_path)


# --- chance.review


def test_the_review_is_a_stream_with_the_most_disagreement_first(prodigy):
    found = prodigy.run("chance.review", "gold", "dataset:news")
    assert (found["dataset"], found["view_id"]) == ("gold", "review")
    assert [task["_input_hash"] for task in found["stream"]] == [3, 2]
    much = [task["meta"]["disagreement"] for task in found["stream"]]
    assert much == [1.0, pytest.approx(1 / 3, abs=1e-4)]
    assert [one["sessions"] for one in found["stream"][0]["versions"]] == [["ann"], ["ben"]]
    assert found["config"]["labels"] == ["ORG", "PER"]
    assert found["config"]["exclude_by"] == "input"


def test_of_equal_disagreements_the_one_that_costs_the_team_more_comes_first(prodigy):
    small = [marked(1, "ann", BOB), marked(1, "ben")]
    large = [marked(2, "ann", (0, 0, "PER"), (1, 1, "ORG"), BOB), marked(2, "ben")]
    same = [marked(3, who, NAME) for who in ("ann", "ben")]
    prodigy.rows["news"] = [*small, *large, *same]
    stream = prodigy.run("chance.review", "gold", "dataset:news")["stream"]
    assert [task["_input_hash"] for task in stream] == [2, 1]


def test_the_review_can_be_written(prodigy, tmp_path, capsys):
    stream = prodigy.run("chance.review", "gold", "dataset:news")["stream"]
    assert prodigy.run("chance.review", "gold", "dataset:news", "-o", tmp_path / "r.jsonl") is None
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == stream
    assert "2 tasks to review" in capsys.readouterr().out
    assert prodigy.run("chance.review", "gold", "dataset:news", "-o", "-") is None
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == stream


def views(prodigy):
    """The interface of each task of a review, and those of its versions."""
    tasks = prodigy.run("chance.review", "gold", "dataset:news")["stream"]
    return [(task["view_id"], {row["_view_id"] for row in task["versions"]}) for task in tasks]


@pytest.mark.parametrize("view", ["ner_manual", "spans_manual"])
def test_the_interface_of_the_tasks_is_kept(prodigy, view):
    prodigy.rows["news"] = [row | {"_view_id": view} for row in NEWS]
    assert views(prodigy) == [(view, {view})] * 2


@pytest.mark.parametrize("view", ["ner_manual", "spans_manual"])
def test_the_interface_of_tasks_in_a_dataset_each_is_kept(prodigy, view):
    for who in ("ann", "ben"):
        own = [row for row in NEWS if row["_session_id"] == who]
        prodigy.rows[who] = [row | {"_view_id": view} for row in own]
    stream = prodigy.run("chance.review", "gold", "dataset:ann,dataset:ben")["stream"]
    assert {task["view_id"] for task in stream} == {view}


def test_the_interface_of_tasks_that_were_reviewed_is_kept(prodigy):
    stream = prodigy.run("chance.review", "gold", "dataset:news")["stream"]
    prodigy.rows["news"] = [task | {"answer": "accept", "_session_id": "eve"} for task in stream]
    assert {view for view, _ in views(prodigy)} == {"ner_manual"}


def test_tasks_of_several_interfaces_are_reviewed_in_the_one_that_shows_all(prodigy):
    prodigy.rows["news"] = [NEWS[2], NEWS[3] | {"_view_id": "spans_manual"}]
    assert views(prodigy) == [("spans_manual", {"spans_manual"})]
    prodigy.rows["news"] = [marked(1, "ann", NAME), marked(1, "ben", NAME, (1, 1, "ORG"))]
    assert views(prodigy) == [("spans_manual", {"ner_manual", "spans_manual"})]


def test_decisions_on_spans_are_reviewed_as_decisions(prodigy):
    found = prodigy.run("chance.review", "gold", "dataset:teach")
    (task,) = found["stream"]
    assert (task["view_id"], found["config"]["exclude_by"]) == ("ner", "task")
    assert [row["answer"] for row in task["versions"]] == ["accept", "reject"]


def test_what_is_decided_in_a_review_is_gold(prodigy, tmp_path):
    first, second = prodigy.run("chance.review", "gold", "dataset:news")["stream"]
    done = [task | {"answer": "accept", "_session_id": "eve"} for task in (first, second)]
    corpus = read_prodigy(Rows("gold", done))
    assert [document.layers["spans"] for document in corpus.documents] == [
        ((0, 1, "PER"),),
        ((0, 2, "PER"), (3, 4, "PER")),
    ]


def test_choices_and_decisions_are_reviewed_too(prodigy):
    (task,) = prodigy.run("chance.review", "gold", "dataset:topics")["stream"]
    assert [one["accept"] for one in task["versions"]] == [["news"], ["arts"]]
    found = prodigy.run("chance.review", "gold", "dataset:binary")
    assert [(one["label"], one["_input_hash"]) for one in found["stream"]] == [("ARTS", 1)]
    assert found["config"]["exclude_by"] == "task"  # two labels of one text share the input


def test_several_options_can_be_chosen_in_review_if_anybody_chose_several(prodigy):
    style = lambda: prodigy.run("chance.review", "gold", "dataset:topics")["config"]["choice_style"]  # noqa: E731
    assert style() == "single"
    prodigy.rows["topics"] = [*TOPICS[:3], chosen(2, "ben", "arts", "news")]
    assert style() == "multiple"


@pytest.mark.parametrize("metric", ["alpha_u", "false_positives", "cohen_kappa"])
def test_any_metric_can_measure_the_disagreement(prodigy, metric):
    """Of errors, more are more disagreement."""
    stream = prodigy.run("chance.review", "gold", "dataset:news", "-m", metric)["stream"]
    assert [task["_input_hash"] for task in stream] == [3, 2]
    assert stream[0]["meta"]["disagreement"] > stream[1]["meta"]["disagreement"] >= 0


def test_a_metric_that_cannot_measure_these_spans_says_why(prodigy):
    prodigy.rows["news"] = [marked(1, "ann", NAME, (1, 2, "ORG")), marked(1, "ben", NAME)]
    said = prodigy.failure("chance.review", "gold", "dataset:news", "-m", "u_alpha")
    assert "u_alpha measures no document: a token in units of several labels" in said


def test_only_the_annotators_asked_for_are_reviewed(prodigy):
    prodigy.rows["news"] = [*NEWS[:2], marked(1, "cat")]
    stream = prodigy.run("chance.review", "gold", "dataset:news", "-a", "ann,cat")["stream"]
    assert [one["sessions"] for one in stream[0]["versions"]] == [["ann"], ["cat"]]


def test_where_all_agree_there_is_nothing_to_review(prodigy, capsys):
    prodigy.rows["news"] = NEWS[:2]
    assert prodigy.run("chance.review", "gold", "dataset:news") is None
    assert "agree" in capsys.readouterr().out


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


def test_a_label_that_nobody_annotated_is_a_warning(prodigy, pipeline, capsys):
    prodigy.rows["gold"] = [marked(1, "ann", NAME), marked(2, "ann", NAME)]
    words = ("chance.score", pipeline, "dataset:gold", "-m", "span_f", "-l", "PER,LOC")
    said = "Nobody used the label 'LOC'; there is PER."
    assert prodigy.result(*words)["warnings"][0] == said
    assert said in capsys.readouterr().out


def test_one_of_several_annotators_can_be_gold(prodigy, pipeline):
    words = ("chance.score", pipeline, "dataset:news", "-m", "span_f", "-l", "PER", "-a")
    assert observed(prodigy.result(*words, "ann")) == pytest.approx(2 * 3 / (6 + 4))
    assert observed(prodigy.result(*words, "ben")) == pytest.approx(2 * 2 / (4 + 4))


def test_of_an_annotator_who_answered_anew_the_latest_answer_is_gold(prodigy, pipeline):
    prodigy.rows["gold"] = [marked(1, "ann", NAME, _timestamp=5), marked(1, "ann", _timestamp=4)]
    found = prodigy.result("chance.score", pipeline, "dataset:gold", "-m", "span_f", "-l", "PER")
    assert observed(found) == 1.0


def test_a_span_group_can_be_scored_with_overlaps_in_the_chance_model(prodigy, pipeline):
    prodigy.rows["gold"] = [marked(1, "ann", NAME)]
    words = ("chance.score", pipeline, "dataset:gold", "--layer", "spans:sc", "-r", 10, "--seed", 3)
    found = prodigy.result(*words, "-m", "span_f")["layers"][0]
    assert (found["gold_layer"], found["pred_layer"]) == ("spans", "spans:sc")
    assert "chance=overlapping" in found["scores"]["span_f"]["signature"]
    assert "bootstrap,10,3" in found["scores"]["span_f"]["signature"]


# --- errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chance.review gold dataset:mews", "did you mean news?"),
        ("chance.score MODEL dataset:news", "say whose are gold (--annotator ann; there are ann, "),
        ("chance.score MODEL dataset:news -a cat", "no annotator 'cat'; it has ann, ben"),
        ("chance.score MODEL dataset:topics", "nobody annotated spans"),
        ("chance.score MODEL dataset:news -a ann --layer spans:x", "predicts no layer 'spans:x'"),
        ("chance.score no_such_model dataset:news -a ann", "no_such_model"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(prodigy, pipeline, words, said):
    assert said in prodigy.failure(*words.replace("MODEL", str(pipeline)).split())


def test_spans_that_cannot_be_shown_in_review_are_named(prodigy):
    odd = {"start": 1, "end": 3, "label": "PER"}
    prodigy.rows["news"] = [marked(1, "ann", NAME), marked(1, "ben", spans=[odd])]
    assert prodigy.failure("chance.review", "gold", "dataset:news").startswith("✘ dataset:news:2: ")
