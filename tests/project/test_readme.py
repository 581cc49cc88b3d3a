"""The README is short, and its examples are of every kind, and parts of our configs."""

import configparser

import pytest

from helpers.examples import ROOT, blocks, page

README = page("README.md")
CONFIGS = blocks(README, "ini")


@pytest.mark.parametrize("example", CONFIGS, ids=["ner"])
def test_config_examples_are_parts_of_the_configs(example):
    given, config = (configparser.RawConfigParser() for _ in range(2))
    given.read_string(example)
    name = next(section.split(".")[1] for section in given if section.startswith("components."))
    config.read(ROOT / f"configs/{name}.cfg")
    for section in given.sections():
        assert given[section].items() <= config[section].items()
