"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import spacy_chance_eval

MODULES = [
    module.name
    for module in pkgutil.walk_packages(spacy_chance_eval.__path__, "spacy_chance_eval.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["spacy_chance_eval", *MODULES])
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    names = {"np": importlib.import_module("numpy")}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [
        test
        for name in MODULES
        for test in finder.find(importlib.import_module(name))
        if test.examples
    ]
    assert len(found) >= 7
