"""The weasel project: its commands fit together, and (slowly) run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.util import load_config, load_model_from_config

from spacy_chance_eval import sample

ROOT = Path(__file__).parents[1]
CONFIGS = sorted(path.name for path in (ROOT / "configs").glob("*.cfg"))
METRICS = {"ner": "ents", "spancat": "spans_sc", "gazetteer": "ents"}


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


def commands(project):
    """The commands of the workflow `all`, in order."""
    by_name = {command["name"]: command for command in project["commands"]}
    return [by_name[name] for name in project["workflows"]["all"]]


def test_every_command_is_part_of_all(project):
    assert [command["name"] for command in commands(project)] == [
        command["name"] for command in project["commands"]
    ]


def test_all_variables_are_known(project):
    assert "${" not in srsly.json_dumps(project)


def test_every_dependency_is_there_or_made_by_an_earlier_command(project):
    made = set()
    for command in commands(project):
        for path in command["deps"]:
            assert path in made or (ROOT / path).is_file(), f"{command['name']}: {path}"
        made.update(command["outputs"])


def test_every_output_lies_in_a_folder_of_the_project(project):
    for command in commands(project):
        for path in command["outputs"]:
            assert path.split("/")[0] in project["directories"]


def test_no_output_is_made_twice(project):
    outputs = [path for command in commands(project) for path in command["outputs"]]
    assert len(set(outputs)) == len(outputs)


def test_scripts_name_their_dependencies_and_outputs(project):
    for command in commands(project):
        script = " ".join(command["script"])
        for path in (*command["deps"], *command["outputs"]):
            assert path.removesuffix("/model-best") in script, f"{command['name']}: {path}"


def test_scripts_use_nothing_of_a_shell(project):
    for command in commands(project):
        for line in command["script"]:
            assert not set("&|;$*<>`") & set(line)
            assert line.startswith("python -m ")


def test_every_command_says_what_it_does(project):
    assert all(command["help"] for command in commands(project))


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_is_used_by_a_command(project, name):
    assert any(f"configs/{name}" in command["deps"] for command in project["commands"])


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_makes_a_pipeline_that_scores(name):
    nlp = load_model_from_config(config_of(name), auto_fill=True)
    assert nlp.pipe_names[-1] == "chance_eval"


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_says_all_of_its_components(name):
    config = config_of(name)
    nlp = load_model_from_config(config, auto_fill=True)
    for pipe in config["nlp"]["pipeline"]:
        if "scorer" in config["components"][pipe]:
            assert nlp.config["components"][pipe]["scorer"] == config["components"][pipe]["scorer"]


@pytest.mark.parametrize("name", ["ner", "spancat"])
def test_a_config_weighs_the_corrected_f_alone(name):
    weights = config_of(f"{name}.cfg")["training"]["score_weights"]
    assert {key for key, weight in weights.items() if weight} == {f"{METRICS[name]}_f_corrected"}


@pytest.mark.parametrize("name", ["ner", "spancat"])
def test_every_weighted_score_is_one_that_the_pipeline_reports(name):
    config = config_of(f"{name}.cfg")
    nlp = spacy.blank("en")
    pipe = config["components"][name]
    settings = {key: pipe[key] for key in ("scorer", "spans_key") if key in pipe}
    nlp.add_pipe(name, config=settings).add_label("PER")
    nlp.add_pipe("chance_eval", config={"layers": config["components"]["chance_eval"]["layers"]})
    nlp.initialize()
    gold = nlp.make_doc("Ada slept")
    gold.set_ents([gold.char_span(0, 3, label="PER")])
    gold.spans["sc"] = list(gold.ents)
    scores = nlp.evaluate([spacy.training.Example(nlp.make_doc("Ada slept"), gold)])
    assert config["training"]["score_weights"].keys() <= scores.keys()


@pytest.mark.slow
@pytest.mark.parametrize("program", [["weasel", "run"], ["spacy", "project", "run"]], ids=" ".join)
def test_the_project_runs_from_beginning_to_end(program, tmp_path):
    shutil.copy(ROOT / "project.yml", tmp_path)
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    shutil.copytree(ROOT / "spacy_chance_eval" / "sample", tmp_path / "sample")
    # weasel calls "python": that of the tests has to be the first one
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        [sys.executable, "-m", *program, "all", ".", "--vars.sample", "sample"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for name, prefix in METRICS.items():
        scores = srsly.read_json(tmp_path / "metrics" / f"{name}.json")
        assert 0 < scores[f"{prefix}_f_corrected"] < scores[f"{prefix}_f"] < 1
        assert scores["spans_corrected_f"] == scores[f"{prefix}_f_corrected"]
    layers = srsly.read_json(tmp_path / "metrics" / "ner-chance.json")["layers"]
    assert "span_f(" in layers[0]["scores"]["span_f"]["signature"]
