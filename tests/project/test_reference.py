"""The reference of Python: every parameter is described, and shown with its own default."""

import importlib.util
import re
import sys
from functools import cache
from unittest import mock

import pytest

from helpers.examples import ROOT

griffe = pytest.importorskip("griffe", reason="the reference needs the extra docs")
pytest.importorskip("mkdocs", reason="the reference needs the extra docs")

PARTS = ("parameters", "other parameters", "attributes")


@cache
def hook():
    """The module that makes the pages of the reference."""
    path = ROOT / "scripts/website/reference.py"
    spec = importlib.util.spec_from_file_location("website_reference", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(path.parent), *sys.path]):
        spec.loader.exec_module(module)
    return module


@cache
def shown():
    """{full name: what griffe knows of it} of all functions, classes and data on the pages."""
    loader = griffe.GriffeLoader(search_paths=[str(ROOT)])
    loader.load("spacy_chance_eval")
    loader.resolve_aliases(implicit=True)
    pages = "\n".join(hook().python_pages().values())
    found = {
        name: loader.modules_collection[name] for name in re.findall(r"^::: (\S+)", pages, re.M)
    }
    for name, one in tuple(found.items()):
        if one.is_class:
            found |= {
                f"{name}.{own}": member
                for own, member in one.members.items()
                if member.is_function and not own.startswith("_")
            }
    return found


def rows(one):
    """{name: row} of the parameters and attributes that a docstring describes."""
    parts = one.docstring.parse("numpy", warnings=False)
    return {row.name: row for part in parts if part.kind.value in PARTS for row in part.value}


def spelt(parameter):
    """How a docstring names a parameter."""
    stars = {"variadic positional": "*", "variadic keyword": "**"}
    return stars.get(parameter.kind.value, "") + parameter.name


def parameters(one):
    """The parameters that somebody gives."""
    return [row for row in one.parameters if row.name not in ("self", "cls")]


def callables():
    """The functions, classes and methods on the pages, by full name."""
    return {name: one for name, one in shown().items() if one.is_function or one.is_class}


@pytest.mark.integration
def test_the_pages_have_functions_classes_and_methods():
    found = callables()
    assert {
        f"spacy_chance_eval.{name}" for name in ("pair", "evaluate", "Score", "Spans.keep")
    } <= {*found}
    assert len(found) > 100


@pytest.mark.integration
def test_everything_shown_has_a_text():
    assert [name for name, one in shown().items() if not one.docstring] == []


def test_every_parameter_is_described():
    missing = []
    for name, one in callables().items():
        described = rows(one)
        for parameter in parameters(one):
            row = described.get(spelt(parameter))
            if row is None or not row.description.strip() or not row.annotation:
                missing.append(f"{name}: {spelt(parameter)}")
    assert missing == []


def test_nothing_is_described_that_is_no_parameter_or_attribute():
    wrong = []
    for name, one in callables().items():
        known = {spelt(parameter) for parameter in parameters(one)}
        known |= {*one.all_members} if one.is_class else set()
        wrong += [f"{name}: {row}" for row in rows(one) if row not in known]
    assert wrong == []


def test_every_default_shown_is_that_of_the_parameter():
    """Griffe gives all names of a row the default of the first: such names have to share it."""
    wrong, compared = [], 0
    for name, one in callables().items():
        described = rows(one)
        for parameter in parameters(one):
            row = described.get(spelt(parameter))
            if isinstance(row, griffe.DocstringParameter) and not spelt(parameter).startswith("*"):
                compared += 1
                if row.default != parameter.default:
                    wrong.append(f"{name}: {row.name} {row.default}, not {parameter.default}")
    assert wrong == [] and compared > 200


def test_every_field_of_a_score_is_an_attribute_of_the_page():
    score = shown()["spacy_chance_eval.Score"]
    assert list(rows(score)) == [row.name for row in parameters(score)]


def test_every_registered_parameter_is_described():
    text = hook().registered_names()
    assert [line for line in text.splitlines() if re.search(r"\| *\|$", line)] == []
