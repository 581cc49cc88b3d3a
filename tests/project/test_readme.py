"""The README is short, and its examples are of every kind, and parts of our configs."""

import configparser

import pytest

from helpers.examples import ROOT, blocks, page

README = page("README.md")
PYTHON = blocks(README, "python")  # its output is compared in test_blocks.py
SETUP = [block for block in blocks(README, "bash") if "pip install" in block]
BASH = [block for block in blocks(README, "bash") if block not in SETUP]
CONFIGS = blocks(README, "ini")


def test_it_is_short():
    assert len(README.splitlines()) <= 110


def test_there_are_examples_of_every_kind():
    assert [len(some) for some in (PYTHON, SETUP, CONFIGS, BASH)] == [1, 2, 1, 2]


def test_the_python_example_has_at_most_ten_lines():
    assert len(PYTHON[0].strip().splitlines()) <= 10


@pytest.mark.parametrize("example", CONFIGS, ids=["ner"])
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()
