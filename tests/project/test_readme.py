"""The README is short, its examples run and print what stands there, and their failures fail."""

import configparser

import pytest

from helpers.examples import ROOT, blocks, page, run_commands, write_files

README = page("README.md")
PYTHON = blocks(README, "python")  # its output is compared in test_python_pages.py
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
    assert [len(some) for some in (PYTHON, SETUP, CONFIGS, BASH)] == [1, 2, 2, 1]


def test_the_python_example_has_at_most_ten_lines():
    assert len(PYTHON[0].strip().splitlines()) <= 10


@pytest.mark.integration
def test_commands_run(folder):
    """The commands in their order: later ones may need what earlier ones wrote."""
    done = run_commands("\n".join(BASH), folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", CONFIGS, ids=["ner", "spancat"])
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()
