"""Names that configs and saved pipelines of users hold: they stay."""

import inspect
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
import spacy
from spacy.cli._util import app, benchmark_cli
from spacy.cli.init_config import fill_config
from spacy.language import Language

from helpers.cases import each_case
from spacy_chance_eval.integrations import make_ner_scorer
from spacy_chance_eval.metrics.catalog import CHOICES

OURS = "spacy_chance_eval"
ENTRY_POINTS = {
    "spacy_scorers": {
        "spacy-chance-eval.ner_scorer.v1": f"{OURS}.integrations:make_ner_scorer",
        "spacy-chance-eval.parser_scorer.v1": (f"{OURS}.integrations:make_parser_scorer"),
        "spacy-chance-eval.spancat_scorer.v1": f"{OURS}.integrations:make_spancat_scorer",
    },
    "spacy_factories": {"chance_eval": f"{OURS}.integrations:make_chance_eval"},
    "spacy_callbacks": {
        "spacy-chance-eval.reset_scorers.v1": f"{OURS}.integrations:make_reset_scorers",
        "spacy-chance-eval.save_run.v1": f"{OURS}.integrations:make_save_run",
    },
    "spacy_cli": {"chance": f"{OURS}.cli.spacy:chance"},
    "console_scripts": {"spacy-chance-eval": f"{OURS}.cli:main"},
    "prodigy_recipes": {
        "chance.iaa": f"{OURS}.cli.recipes:iaa",
        "chance.iaa.doc": f"{OURS}.cli.recipes:iaa_doc",
        "chance.replace": f"{OURS}.cli.recipes:replace",
        "chance.score": f"{OURS}.cli.recipes:score",
    },
}
GROUPS = (
    "spacy_architectures", "spacy_displacy_colors", "spacy_layers", "spacy_languages",
    "spacy_loggers", "spacy_lookups", "spacy_misc", "spacy_readers", "spacy_tokenizers",
)  # fmt: skip

# a spaCy whose private registry of commands has moved
IMPORTED = "import spacy_chance_eval.cli.spacy as module; print(module.chance.info.name)"
MOVED = {
    "no module": "import sys; sys.modules['spacy.cli._util'] = None",
    "an empty module": (
        "import sys, types; sys.modules['spacy.cli._util'] = types.ModuleType('spacy.cli._util')"
    ),
    "no benchmark_cli": "import spacy.cli._util as util; del util.benchmark_cli",
    "no app": "import spacy.cli._util as util; del util.app",
}


def ours(group):
    """Name and object of our entry points of a group."""
    points = entry_points(group=group)
    return {point.name: point.value for point in points if point.value.startswith(OURS)}


@each_case("group", ENTRY_POINTS)
def test_the_entry_points_are_these(group):
    assert ours(group) == ENTRY_POINTS[group]


@each_case("group", GROUPS)
def test_there_are_no_other_entry_points(group):
    assert ours(group) == {}


@pytest.mark.parametrize("name", ENTRY_POINTS["spacy_scorers"])
def test_the_scorers_are_registered(name):
    assert callable(spacy.registry.scorers.get(name)())


def test_no_other_scorer_is_registered():
    names = spacy.registry.scorers.get_all()
    assert {n for n in names if "chance" in n} == set(ENTRY_POINTS["spacy_scorers"])


def test_the_factory_is_registered():
    assert spacy.blank("en").has_factory("chance_eval")
    assert "chance_eval" in spacy.registry.factories.get_all()


def test_the_settings_of_the_factory_are_these():
    spacy.registry.factories.get("chance_eval")
    assert Language.get_factory_meta("chance_eval").default_config == {
        "layers": ["ents"],
        "unit": "sentence",
        "chance": None,
        "encoding": "IO",
        "token_information": "constant",
        "allow_overlap": True,
        "prefix": None,
    }


def test_the_commands_are_registered():
    import spacy_chance_eval.cli.spacy  # noqa: F401

    assert "chance" in {group.name for group in app.registered_groups}
    assert "chance" in {command.name for command in benchmark_cli.registered_commands}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "pipe", "defaults"),
    [
        ("ner_scorer", "ner", {"chance": "disjoint"}),
        (
            "spancat_scorer",
            "spancat",
            {"chance": "overlapping", "spans_key": None, "allow_overlap": True},
        ),
    ],
)
def test_fill_config_writes_the_defaults_of_the_scorers(name, pipe, defaults, tmp_path):
    nlp = spacy.blank("en")
    scorer = {"@scorers": f"spacy-chance-eval.{name}.v1"}
    nlp.add_pipe(pipe, config={"scorer": scorer})
    nlp.config.to_disk(tmp_path / "base.cfg")
    _, filled = fill_config(tmp_path / "full.cfg", tmp_path / "base.cfg", silent=True)
    shared = {"unit": "sentence", "encoding": "IO", "token_information": "constant"}
    assert filled["components"][pipe]["scorer"] == {**scorer, **shared, **defaults}


@pytest.mark.integration
def test_a_pipeline_loads_next_to_nothing_of_the_package():
    """spaCy imports entry points with every pipeline of every program."""
    code = (
        "import spacy, sys; spacy.blank('en')\n"
        f"print(*(name for name in sys.modules if name.startswith('{OURS}')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert {*run.stdout.split()} == {OURS, f"{OURS}.about", f"{OURS}.integrations"}, run.stderr


@each_case("name", ("unit", "chance", "encoding"))
def test_values_of_configs_are_those_of_metrics(name):
    permitted = inspect.signature(make_ner_scorer).parameters[name].annotation.__args__
    assert {*permitted} == {*CHOICES[name]}


@pytest.mark.integration
@pytest.mark.parametrize("how", MOVED)
def test_a_spacy_with_a_moved_registry_still_imports_the_commands(how):
    code = f"{MOVED[how]}\n{IMPORTED}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "chance\n"), run.stderr


@pytest.mark.integration
@pytest.mark.parametrize("command", ["info", "chance --help", "benchmark --help"])
def test_spacys_commands_start_with_ours(command):
    run = subprocess.run(
        [sys.executable, "-m", "spacy", *command.split()], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert command == "info" or "chance" in run.stdout
