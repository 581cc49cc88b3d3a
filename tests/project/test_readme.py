"""The README is short, its examples run and print what stands there, and their failures fail."""

import configparser
import re
import subprocess
import sys

import pytest

from helpers.examples import ROOT, blocks, page, run_commands, write_files

README = page("README.md")
PYTHON = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, flags=re.DOTALL)
SETUP = [block for block in blocks(README, "bash") if "venv" in block]
BASH = [block for block in blocks(README, "bash") if block not in SETUP]
CONFIGS = blocks(README, "ini")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("readme")
    write_files(folder)
    return folder


def test_it_is_short():
    assert len(README.splitlines()) <= 150


def test_there_are_examples_of_every_kind():
    assert len(PYTHON) == len(blocks(README, "python")) == 1
    assert (len(SETUP), len(CONFIGS), len(BASH)) == (2, 2, 2)


@pytest.mark.parametrize(("example", "output"), PYTHON, ids=["tags"])
def test_the_python_example_prints_what_stands_there(example, output):
    assert len(example.strip().splitlines()) <= 10
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == (output.strip(), 0), done.stderr


@pytest.mark.integration
@pytest.mark.parametrize("block", BASH, ids=["demo", "commands"])
def test_commands_run(folder, block):
    """The commands of a block in their order: later ones may need what earlier ones wrote."""
    done = run_commands(block, folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", CONFIGS, ids=["ner", "spancat"])
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()
