"""What starting the program, a score of two files and the package itself import."""

import ast
import os
import subprocess
import sys
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import pytest
import typer

import spacy_chance_eval
from helpers.cases import each_case
from helpers.textfiles import GOLD, PRED, conll
from spacy_chance_eval import cli

PACKAGE = "spacy_chance_eval"
ENOUGH = 87  # modules of this package for a score
LOADED = "; import sys; print(*sys.modules)"
# what commands need, not lists of them
HEAVY = {"numpy", "spacy", "srsly", "tqdm", "wasabi", "jinja2", "pydantic", "concurrent.futures"}
NETWORK = {"http", "urllib.request", "requests", "ssl", "urllib3", "fsspec"}
XML = {"xml", "xml.etree", "xml.sax"}
UNUSED = {
    *("spacy", "srsly", "jinja2", "cairosvg", "wasabi", "tqdm", "multiprocessing"),
    *("concurrent.futures", "numpy.ma", "numpy.random", "numpy.polynomial", *NETWORK, *XML),
}
READERS = {
    f"{PACKAGE}.formats.{name}"
    for name in (
        *("annotators", "argilla", "bioc", "brackets", "brat", "cas", "conllu", "doccano"),
        *("entities", "gate", "inline", "pubtator", "safe_xml", "webanno"),
        *("gliner", "jsonl", "labelstudio", "ontology", "parquet", "prodigy", "rows", "sentences"),
        *("sniffing", "table", "tagged", "treebank"),
    )
}


def printed_by(code):
    """What some code prints last, in a process of its own."""
    # not the width of a terminal, which pytest leaves to processes, though not in os.environ
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    words = [sys.executable, "-c", code]
    run = subprocess.run(words, capture_output=True, text=True, env=environ)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1]


def loaded_by(code):
    """Names of the modules that some code imports."""
    return {*printed_by(code + LOADED).split()}


def loaded_by_program(*arguments):
    """Names of the modules that a call of the program imports."""
    words = ["spacy-chance-eval", *map(str, arguments)]
    code = f"import sys; sys.argv = {words}; from {PACKAGE}.cli import main\ntry: main()"
    return loaded_by(f"{code}\nexcept SystemExit: pass\nimport sys")


def own(modules):
    """Those of this package."""
    return {name for name in modules if name.split(".")[0] == PACKAGE}


# --- the program


def test_help_loads_no_command():
    modules = loaded_by_program("--help")
    names = ("about", "cli", "cli.command", "cli.help", "cli.parameters", "cli.running")
    names += ("measures", "measures.messages")
    assert own(modules) == {PACKAGE, *(f"{PACKAGE}.{name}" for name in names)}
    assert not modules & HEAVY


@pytest.mark.integration
def test_a_score_of_two_conll_files_loads_what_it_needs(tmp_path):
    paths = [conll(tmp_path / f"{name}.conll", tags) for name, tags in zip("gp", (GOLD, PRED))]
    modules = loaded_by_program("score", *paths, "--resamples", "0")
    assert len(own(modules)) <= ENOUGH, sorted(own(modules))
    assert sorted(modules & (UNUSED | READERS) - loaded_by("import numpy, typer")) == []


@each_case("name", cli.COMMANDS)
def test_lists_of_commands_say_what_the_commands_say(name):
    command = typer.main.get_command(cli.app).commands[name]
    assert cleandoc(command.loaded.help).partition("\n\n")[0].replace("\n", " ") == command.help


# --- the package


def test_importing_the_package_loads_nothing():
    modules = loaded_by(f"import {PACKAGE}")
    assert own(modules) == {PACKAGE, f"{PACKAGE}.about"}
    assert not modules & HEAVY


def test_public_names_are_those_that_type_checkers_see():
    tree = ast.parse(Path(spacy_chance_eval.__file__).read_text(encoding="utf-8"))
    (typed,) = (node for node in tree.body if ast.unparse(node).startswith("if TYPE_CHECKING:"))
    modules = {alias.name: node.module for node in typed.body for alias in node.names}
    for name, module in modules.items():
        named = getattr(import_module(f"{PACKAGE}.{module}"), name)
        assert getattr(spacy_chance_eval, name) is named
    assert sorted([*modules, "__version__"]) == sorted(spacy_chance_eval.__all__)


def test_all_names_are_there_and_listed():
    names = {}
    exec(f"from {PACKAGE} import *", names)
    assert names.keys() >= {*spacy_chance_eval.__all__}
    assert {*dir(spacy_chance_eval)} >= {*spacy_chance_eval.__all__}


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        spacy_chance_eval.nope  # noqa: B018
