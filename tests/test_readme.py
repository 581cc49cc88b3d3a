"""The README's examples run, and their failures fail."""

import configparser
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import spacy

from spacy_chance_eval import Corpus, Document, read
from spacy_chance_eval.formats.brat import write_brat
from spacy_chance_eval.formats.conll import write_conll
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.formats.prodigy_out import write_prodigy
from spacy_chance_eval.integrations.docbin import convert
from spacy_chance_eval.sample import path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")


def blocks(language):
    """The fenced examples of one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


PYTHON = blocks("python")
SETUP = [block for block in blocks("bash") if "venv" in block]
COMMANDS = [
    line.split(" #")[0].strip()
    for block in blocks("bash")
    if "venv" not in block
    for line in block.splitlines()
]
CONFIGS = blocks("ini")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples speak of; the pipeline is a quick one."""
    folder = tmp_path_factory.mktemp("readme")
    gold = read(path("test.jsonl"))
    for name in ("training/ner", "corpus"):
        (folder / name).mkdir(parents=True)
    convert(gold, folder / "corpus/test.spacy", lang="en")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "LOC", "pattern": "Oslo"}])
    nlp.add_pipe("chance_eval")
    nlp.to_disk(folder / "training/ner/model-best")
    write_conll(folder / "gold.conll", gold, ["spans"])
    write_conll(folder / "system.conll", gold, ["spans"])
    write_conll(folder / "old.conll", gold, ["spans"])
    write_conll(folder / "output.conll", gold, ["spans", "spans"])
    columns = (folder / "output.conll").read_text(encoding="utf8")
    (folder / "task.tsv").write_text(f"#token\tgold\tsystem\n{columns}", encoding="utf8")
    (folder / "systems.yml").write_text(blocks("yaml")[0], encoding="utf8")
    (folder / "gold.jsonl").write_text(
        '{"tokens": ["In", "Oslo"], "spans": [{"start": 1, "end": 2, "label": "LOC"}]}\n'
    )
    (folder / "prodigy.jsonl").write_text(
        '{"_input_hash": 1, "text": "In Oslo", "answer": "accept", "tokens": '
        '[{"text": "In", "start": 0, "end": 2, "id": 0, "ws": true}, '
        '{"text": "Oslo", "start": 3, "end": 7, "id": 1, "ws": false}], "spans": '
        '[{"start": 3, "end": 7, "token_start": 1, "token_end": 1, "label": "LOC"}]}\n'
    )
    annotate(folder)
    for example in PYTHON:
        subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)
    return folder


def annotate(folder):
    """The files of several annotators: of spans in every form, and of categories."""
    tokens = ("In", "Oslo", "and", "Rome")
    layers = {"alice": [(1, 2, "LOC"), (3, 4, "LOC")], "bob": [(1, 2, "LOC")]}
    text = " ".join(tokens)
    both = Document(tokens, layers, name="1", text=text, spaces=(True, True, True, False))
    team = Corpus("team", [both])
    write_prodigy(folder / "dataset.jsonl", team)
    rows = (folder / "dataset.jsonl").read_text().replace("_annotator_id", "_session_id")
    (folder / "dataset.jsonl").write_text(rows)
    convert(team, folder / "team.spacy", ents="none")
    for name, spans in layers.items():
        one = Corpus(name, [replace(both, layers={"spans": spans})])
        write_jsonl(folder / f"{name}.jsonl", one)
        write_brat(folder / name, one)
    choices = replace(both, layers={}, categories={"alice": ["travel"], "bob": ["city"]})
    write_prodigy(folder / "choices.jsonl", Corpus("choices", [choices]))


def test_there_are_examples_of_every_kind():
    assert len(PYTHON) == 4 and len(SETUP) == 2 and len(CONFIGS) == 2 and len(COMMANDS) >= 20


def test_python_examples_run(folder):
    assert (folder / "scored" / "config.cfg").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(folder, command):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", CONFIGS)
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()


def test_every_score_of_the_table_is_there(folder):
    nlp = spacy.load(folder / "scored")
    docs = spacy.tokens.DocBin().from_disk(folder / "corpus/test.spacy").get_docs(nlp.vocab)
    examples = [spacy.training.Example(nlp.make_doc(doc.text), doc) for doc in docs]
    table = README[
        README.index("| score | what it is |") : README.index("Span groups have the same")
    ]
    names = re.findall(r"`(ents_\w+)`", table)
    assert len(names) == 10
    assert set(names) <= set(nlp.evaluate(examples))
