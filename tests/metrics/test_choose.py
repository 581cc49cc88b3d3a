"""The chart of metrics: every way ends in an advice whose metrics do what the answers ask for."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.properties import inclusive, properties
from helpers.textfiles import call, failed
from spacy_chance_eval import __version__, parse
from spacy_chance_eval.cli import app
from spacy_chance_eval.cli import choose as command
from spacy_chance_eval.cli.parameters import plain_values
from spacy_chance_eval.cli.plan import plan_command
from spacy_chance_eval.metrics.catalog import CATALOG
from spacy_chance_eval.metrics.guide import ADVICE, ALL, MODEL, QUESTIONS, chart, choose, way
from spacy_chance_eval.reports.guide import chart_markdown, chart_text

ROOT = Path(__file__).parents[2]


def ways(answers=()):
    """All complete sequences of answers."""
    name = way(answers)[1]
    if name is None:
        return [tuple(answers)]
    return [found for answer in ALL[name].answers for found in ways((*answers, answer.key))]


WAYS = ways()
each_way = pytest.mark.parametrize("answers", WAYS, ids=",".join)


@each_way
def test_every_way_ends_in_metrics_of_the_catalog(answers):
    found = choose(answers)
    assert [row["answer"] for row in found["answers"]] == list(answers)
    for text in found["metrics"]:
        if not text.startswith("bdm"):
            parse(text)


@each_way
def test_every_way_names_a_page_that_is_there_and_explains_its_metrics(answers):
    found = choose(answers)
    page = (ROOT / found["page"]).read_text(encoding="utf8")
    assert all(f"`{text.partition('(')[0]}`" in page for text in found["metrics"])


@each_way
def test_every_way_but_those_of_trees_closeness_and_candidates_leads_to_a_plan(answers):
    found = choose(answers)
    trees = any(text.partition("(")[0] not in CATALOG for text in found["metrics"])
    own = any(option in found["command"] for option in ("--bdm", "--candidate"))
    assert (found["plan"] is None) == (trees or own)
    if found["plan"]:
        program, name, *words = shlex.split(found["plan"])
        assert (program, name) == ("spacy-chance-eval", "plan")
        values = plain_values(plan_command, words)
        assert values["metric"] == found["metrics"] and len(values["files"]) >= 1


def test_every_question_and_every_advice_is_reached():
    taken = [pair for answers in WAYS for pair in way(answers)[0]]
    assert {name for name, _ in taken} == set(QUESTIONS) | set(MODEL)
    assert {answer.then for _, answer in taken} - set(QUESTIONS) - {""} == set(ADVICE)


def test_questions_and_advice_have_different_names():
    assert not set(QUESTIONS) & set(ADVICE)


SPAN_WAYS = [
    answers
    for answers in WAYS
    if answers[:3] == ("gold", "partial", "no")
    and answers[-2:] in {("no", "doc"), ("yes", "yes")}
    or answers == ("gold", "exact", "no", "doc")
]


@pytest.mark.parametrize("answers", SPAN_WAYS, ids=",".join)
def test_properties_of_a_question_are_those_of_the_metrics_that_its_answers_lead_to(answers):
    (metric,) = choose(answers)["metrics"]
    has = properties(metric)
    asked = {name: ALL[name].properties for name, _ in way(answers)[0] if ALL[name].properties}
    for name, answer in way(answers)[0]:
        wanted = {has[one] for one in asked.get(name, ()) if one in has}
        if wanted and answer.key in ("yes", "partial"):
            assert wanted == {"yes"}
        elif wanted and answer.key in ("no", "exact"):
            assert "yes" not in wanted


def test_the_page_says_which_questions_are_from_the_paper():
    page = chart_markdown(chart())
    for question in QUESTIONS.values():
        row = f"| {question.ask} | {', '.join(question.properties)} |"
        assert (row in page) == bool(question.properties)


def test_only_information_has_all_properties():
    (metric,) = choose(["gold", "partial", "no", "yes", "yes"])["metrics"]
    assert set(properties(metric).values()) == {"yes"}


def test_no_answer_asks_for_a_model_where_none_is_needed():
    assert way(["gold", "relations", "nothing"])[1] is None
    assert way(["gold", "exact"])[1] == "overlap"


def test_answers_become_parameters_of_the_metrics():
    found = choose(["annotators", "spans", "f", "partial", "no", "no", "no", "crossing", "sent"])
    assert found["metrics"] == ["token_f(chance=overlapping,unit=sent)"]
    assert found["command"].startswith("spacy-chance-eval agree ALICE BOB -m")


def test_options_follow_the_metrics():
    found = choose(["annotators", "documents", "no", "two", "any"])
    assert shlex.split(found["command"])[-2:] == ["scott_pi(items=category)", "--categories"]
    assert choose(["gold", "relations", "ontology"])["command"].endswith("--bdm ONTOLOGY")


def test_a_model_beside_annotators_leads_to_the_test_of_candidates():
    found = choose(["candidate"])
    assert found["command"] == (
        "spacy-chance-eval agree ALICE BOB -m 'span_f(chance=none)' --candidate MODEL"
    )
    assert found["page"] == "docs/replace.md"


def test_the_command_prints_the_chart_where_nobody_can_answer():
    done = call("choose")
    assert done.exit_code == 0
    assert done.stdout == call("choose", "--list").stdout == chart_text(chart()) + "\n"
    assert all(question.ask in done.stdout for question in ALL.values())


def test_answers_can_be_given_at_once_and_the_advice_be_json():
    done = call("choose", "--answers", "gold, exact, nested, doc", "-o", "-")
    advice = json.loads(done.stdout)
    assert advice.pop("version") == __version__
    assert advice == choose(["gold", "exact", "nested", "doc"])
    assert "span_f(chance=nested)" in done.stderr


@pytest.mark.parametrize(
    "answers, message",
    [
        ("gold", "an answer is missing: When is a span right? Expected one of exact"),
        ("gold,no", "'no' is no answer; expected one of exact, partial, relations"),
        ("gold,relations,alarms,doc", "'doc' is one too many"),
    ],
)
def test_wrong_answers_are_explained(answers, message):
    assert message in failed("choose", "--answers", answers)


def test_a_terminal_is_asked_until_the_answers_fit(monkeypatch):
    monkeypatch.setattr(command, "at_terminal", lambda: True)
    done = CliRunner().invoke(app, ["choose", "-a", "gold"], input="9\nexact\n2\n1\n")
    assert done.exit_code == 0
    assert "Please give a number from 1 to 3" in done.stdout
    assert "-m 'span_f(chance=nested)'" in done.stdout


def test_the_page_of_the_documentation_is_current():
    page = (ROOT / "docs/choose.md").read_text(encoding="utf8")
    assert page == chart_markdown(chart()), "spacy-chance-eval choose --markdown > docs/choose.md"


def test_the_flow_chart_has_every_question_and_every_advice():
    page = chart_markdown(chart())
    for name in QUESTIONS:
        assert f"    q_{name}[" in page
    for name in ADVICE:
        assert f"    a_{name}([" in page
    n_edges = sum(len(question.answers) for question in QUESTIONS.values())
    assert page.count(" -->|") == n_edges


def test_examples_of_the_paper_are_read_with_inclusive_ends():
    spans = inclusive("1-3 10-13")
    assert (spans.start.tolist(), spans.end.tolist()) == ([1, 10], [4, 14])
