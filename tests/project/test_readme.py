"""The README's examples run, and their failures fail."""

import configparser
import re

import pytest
import spacy

from helpers.examples import ROOT, blocks, page, run_commands, run_python, write_files

README = page("README.md")
PYTHON = blocks(README, "python")
SETUP = [block for block in blocks(README, "bash") if "venv" in block]
BASH = [block for block in blocks(README, "bash") if block not in SETUP]
CONFIGS = blocks(README, "ini")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples speak of, in which those in Python have run."""
    folder = tmp_path_factory.mktemp("readme")
    write_files(folder)
    for example in PYTHON:
        run_python(example, folder)
    return folder


def test_there_are_examples_of_every_kind():
    assert len(PYTHON) == 4 and len(SETUP) == 2 and len(CONFIGS) == 2 and len(BASH) >= 6


@pytest.mark.integration
def test_python_examples_run(folder):
    assert (folder / "scored" / "config.cfg").exists()


@pytest.mark.integration
@pytest.mark.parametrize("block", BASH)
def test_commands_run(folder, block):
    """The commands of a block in their order: later ones may need what earlier ones wrote."""
    done = run_commands(block, folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", CONFIGS)
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()


@pytest.mark.integration
def test_the_table_of_scores_has_every_score_of_ours(folder):
    nlp = spacy.load(folder / "scored")
    docs = spacy.tokens.DocBin().from_disk(folder / "corpus/test.spacy").get_docs(nlp.vocab)
    examples = [spacy.training.Example(nlp.make_doc(doc.text), doc) for doc in docs]
    table = README[
        README.index("| score | what it is |") : README.index("Span groups have the same")
    ]
    names = re.findall(r"`(ents_\w+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
    given = {name for name in nlp.evaluate(examples) if name.startswith("ents_")}
    assert sorted(names) == sorted(given - {"ents_p", "ents_r", "ents_f", "ents_per_type"})
