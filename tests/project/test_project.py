"""The weasel project: its commands fit together, its configs are whole, its table is shown."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.language import DEFAULT_CONFIG_PATH
from spacy.schemas import ConfigSchemaTraining
from spacy.util import load_config, load_model_from_config, registry

from helpers.cases import each_case
from spacy_chance_eval import sample
from spacy_chance_eval.corpora.sources import read_systems

ROOT = Path(__file__).parents[2]
CONFIGS = sorted(path.name for path in (ROOT / "configs").glob("*.cfg"))
WORKFLOWS = ("sample", "look", "conll03", "conll03-train", "wnut17", "wnut17-columns", "syntax")
GPU = "ner_trf.cfg"  # needs spacy-transformers to be more than read
ON_CPU = [name for name in CONFIGS if name != GPU]
LISTINGS = sorted(path.name for path in (ROOT / "configs").glob("*.assets.yml"))
SYSTEMS = sorted(path.name for path in (ROOT / "configs").glob("*.systems.yml"))
TRAINED = {
    "ner.cfg": ("ner", "ents"),
    "ner_cpu.cfg": ("ner", "ents"),
    "spancat.cfg": ("spancat", "spans_sc"),
    "spancat_ents.cfg": ("spancat_singlelabel", "spans_spans"),
}


@pytest.fixture(scope="module")
def project():
    """project.yml with its variables filled in."""
    text = (ROOT / "project.yml").read_text(encoding="utf8")
    for name, value in srsly.yaml_loads(text)["vars"].items():
        text = text.replace(f"${{vars.{name}}}", str(value))
    return srsly.yaml_loads(text)


def config_of(name):
    """A config as the commands load it."""
    overrides = {"paths.patterns": str(sample.path("gazetteer.json"))}
    return load_config(ROOT / "configs" / name, overrides if name == "gazetteer.cfg" else {})


def commands(project, workflow):
    """The commands of a workflow, in order."""
    by_name = {command["name"]: command for command in project["commands"]}
    return [by_name[name] for name in project["workflows"][workflow]]


each_workflow = pytest.mark.parametrize("workflow", WORKFLOWS)


@each_workflow
def test_every_dependency_is_there_or_made_by_an_earlier_command(project, workflow):
    brought = {project["vars"]["wnut17_columns"]}  # by the user
    made = brought | {path for path in project["directories"] if "/" in path}
    if workflow == "look":  # at what the sample has made
        made.update(path for one in commands(project, "sample") for path in one["outputs"])
    for command in commands(project, workflow):
        for path in command["deps"]:
            there = (ROOT / path).is_file() or {path, *map(str, Path(path).parents)} & made
            assert there, f"{command['name']}: {path}"
        made.update(command["outputs"])


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_of_assets_is_whole(name):
    listing = srsly.read_yaml(ROOT / "configs" / name)
    assert "https://" in listing["source"]
    for asset in listing["assets"]:
        sums = asset["sha256"] if isinstance(asset["sha256"], list) else [asset["sha256"]]
        assert sums and all(re.fullmatch("[0-9a-f]{64}", one) for one in sums)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_outputs_of_the_workflow(project, name):
    workflow = name.partition(".")[0]
    both = [one for one in (workflow, f"{workflow}-train") if one in WORKFLOWS]
    made = {path for one in both for row in commands(project, one) for path in row["outputs"]}
    for system in read_systems(ROOT / "configs" / name):
        path = Path(system.path).resolve().relative_to(ROOT)
        assert {str(path), *map(str, path.parents)} & made, system.path


def test_the_config_for_a_gpu_fits_the_schema_of_training():
    config = load_config(ROOT / "configs" / GPU)
    training = load_config(DEFAULT_CONFIG_PATH).merge(config).interpolate()["training"]
    assert registry.resolve(training, schema=ConfigSchemaTraining)["max_steps"] == 20000
    assert config["nlp"]["pipeline"] == ["transformer", "ner", "chance_eval"]
    assert set(config["components"]) == set(config["nlp"]["pipeline"])


def test_the_config_for_a_gpu_makes_a_pipeline_that_scores():
    pytest.importorskip("spacy_transformers", reason="spacy-transformers is not installed")
    config = load_config(ROOT / "configs" / GPU)
    assert load_model_from_config(config, auto_fill=True).pipe_names[-1] == "chance_eval"


@pytest.mark.integration
@each_case("name", ON_CPU)
def test_a_config_makes_a_pipeline_that_scores(name):
    nlp = load_model_from_config(config_of(name), auto_fill=True)
    assert nlp.pipe_names[-1] == "chance_eval"


@each_case("name", [*TRAINED, GPU])
def test_a_config_weighs_the_corrected_f_alone(name):
    weights = load_config(ROOT / "configs" / name)["training"]["score_weights"]
    prefix = TRAINED.get(name, TRAINED["ner.cfg"])[1]
    assert {key for key, weight in weights.items() if weight} == {f"{prefix}_f_corrected"}


@pytest.mark.parametrize("name", TRAINED)
def test_every_weighted_score_is_one_that_the_pipeline_reports(name):
    config = config_of(name)
    nlp = spacy.blank("en")
    factory = TRAINED[name][0]
    pipe = config["components"][factory]
    keys = ("scorer", "spans_key", "allow_overlap")
    settings = {key: pipe[key] for key in keys if key in pipe}
    nlp.add_pipe(factory, config=settings).add_label("PER")
    component = {k: v for k, v in config["components"]["chance_eval"].items() if k != "factory"}
    nlp.add_pipe("chance_eval", config=component)
    nlp.initialize()
    gold = nlp.make_doc("Ada slept")
    gold.set_ents([gold.char_span(0, 3, label="PER")])
    gold.spans[pipe.get("spans_key", "sc")] = list(gold.ents)
    scores = nlp.evaluate([spacy.training.Example(nlp.make_doc("Ada slept"), gold)])
    weights = config["training"]["score_weights"]
    assert {key for key, weight in weights.items() if weight is not None} <= scores.keys()


@pytest.mark.integration
def test_the_documentation_has_the_table_of_the_project(tmp_path):
    shown = (ROOT / "PROJECT.md").read_text(encoding="utf8")
    page = tmp_path / "PROJECT.md"
    page.write_text(shown, encoding="utf8")
    weasel = [sys.executable, "-m", "weasel", "document", str(ROOT), "-o", str(page)]
    run = subprocess.run(weasel, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    expected = page.read_text(encoding="utf8")
    assert shown == expected, "run: python -m weasel document --output PROJECT.md"
    assert all(f"`{name}`" in shown for name in WORKFLOWS)
