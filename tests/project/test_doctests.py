"""The examples in docstrings run."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import spacy_chance_eval

ROOT = Path(spacy_chance_eval.__file__).parents[1]
FILES = [
    path.relative_to(ROOT).with_suffix("")
    for path in sorted(ROOT.glob("spacy_chance_eval/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
MODULES = [".".join(path.parts).removesuffix(".__init__") for path in FILES]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    done = doctest.testmod(import_module(name), extraglobs={"np": import_module("numpy")})
    assert done.attempted and not done.failed


def test_there_are_examples():
    assert len(MODULES) >= 7
