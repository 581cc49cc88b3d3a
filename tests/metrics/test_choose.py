"""The questions of docs/metrics.md lead to metrics that do what is asked for."""

import runpy
from pathlib import Path

import pytest
import srsly

from helpers.cases import each_case
from helpers.properties import properties
from spacy_chance_eval import parse

ROOT = Path(__file__).parents[2]
DATA = srsly.read_yaml(ROOT / "scripts/website/choose.yml")
QUESTIONS, ADVICE = DATA["questions"], DATA["advice"]


def ways(name="task", answers=()):
    """All ways from a question: pairs of a question's name and an answer, and the advice."""
    for answer in QUESTIONS[name]["answers"]:
        taken = (*answers, (name, answer["key"]))
        if answer["then"] in ADVICE:
            yield taken, answer["then"]
        else:
            yield from ways(answer["then"], taken)


WAYS = list(ways())


@each_case("name", ADVICE)
def test_advice_names_metrics_that_its_page_explains(name):
    advice = ADVICE[name]
    page = (ROOT / "docs" / advice["page"].partition("#")[0]).read_text(encoding="utf8")
    for text in advice["metrics"]:
        assert f"`{text.partition('(')[0]}`" in page
        if "closeness=" not in text:  # which names a file
            parse(text)


@each_case("question", DATA["model"])
def test_answers_about_the_model_are_parameters(question):
    for answer in DATA["model"][question]["answers"]:
        parse("token_f", **answer.get("sets", {}))


def test_every_question_and_every_advice_is_reached():
    assert {name for taken, _ in WAYS for name, _ in taken} == QUESTIONS.keys()
    assert {advice for _, advice in WAYS} == ADVICE.keys()
    assert not QUESTIONS.keys() & ADVICE.keys()


@pytest.mark.parametrize(
    ("taken", "advice"), [way for way in WAYS if way[0][0] == ("task", "gold")], ids=str
)
def test_properties_of_a_question_are_those_of_the_metrics_that_its_answers_lead_to(taken, advice):
    keys = [key for _, key in taken]
    if "relations" in keys or taken[2:3] == (("informative", "yes"),):
        pytest.skip("no question that properties of the paper decide")
    (metric,) = ADVICE[advice]["metrics"]
    has = properties(metric)
    for name, key in taken:
        wanted = {has[one] for one in QUESTIONS[name].get("properties", ()) if one in has}
        if wanted and key in ("yes", "partial"):
            assert wanted == {"yes"}
        elif wanted and key in ("no", "exact"):
            assert "yes" not in wanted


def test_the_page_is_made_from_the_data():
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf8")
    make = runpy.run_path(str(ROOT / "scripts/website/choose.py"))["choose_page"]
    first = page.partition("\n## All metrics\n")[0]
    assert first == make(DATA), "run python scripts/website/choose.py"
