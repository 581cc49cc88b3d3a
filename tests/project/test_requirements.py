"""Requirements: all imports are declared, none is superfluous, the lowest versions are listed."""

import ast
import re
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PACKAGE = "spacy_chance_eval"
# imported names and the requirement that brings them, where the two differ
BROUGHT_BY = {"cassis": "dkpro-cassis", "distributed": "dask", "thinc": "spacy"}
# asked for only by users who have them: data frames, recipes
USERS = {"pandas", "prodigy"}
# extras of servers, tests and tools: scripts/smoke.py uses none of them
OTHER_EXTRAS = {"llm", "trackers", "test", "docs", "dev", "bench"}
# found by spaCy, imported by users
NOT_IMPORTED = {"spacy-lookups-data", "evaluate"}


@pytest.fixture(scope="module")
def setup():
    """setup.cfg."""
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def requirements(text):
    """{name: requirement} of the lines of a value."""
    lines = (re.sub("#.*", "", line).strip() for line in text.splitlines())
    return {one.name.lower(): one for one in map(Requirement, filter(None, lines))}


def core(setup):
    """{name: requirement} of the core, which is always installed."""
    return requirements(setup["options"]["install_requires"])


def extras(setup):
    """The same of what some commands and formats need."""
    table = setup["options.extras_require"]
    return {
        name: one
        for extra in table
        if extra not in OTHER_EXTRAS
        for name, one in requirements(table[extra]).items()
    }


def lowest(requirement):
    """The lowest version that a requirement allows."""
    (bound,) = (one.version for one in requirement.specifier if one.operator in (">=", "=="))
    return Version(bound)


@cache
def imported():
    """Names of packages that this one imports, anywhere, but for those of Python."""
    names = set()
    for path in (ROOT / PACKAGE).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module)
            elif isinstance(node, ast.Call) and node.args:
                called, first = getattr(node.func, "id", ""), node.args[0]
                if called == "import_module" and isinstance(first, ast.Constant):
                    names.add(first.value)
    tops = {name.split(".")[0] for name in names if name[:1] != "."}
    return tops - set(sys.stdlib_module_names) - {PACKAGE}


def test_all_that_is_imported_is_declared(setup):
    declared = {*core(setup), *extras(setup)}
    names = {BROUGHT_BY.get(name, name) for name in imported() - USERS}
    assert not names - declared


def test_all_that_is_declared_is_imported(setup):
    names = {BROUGHT_BY.get(name, name) for name in imported()}
    assert not {*core(setup)} - names
    assert {*extras(setup)} - names == NOT_IMPORTED


def test_every_requirement_has_a_lowest_version_and_the_constraints_name_it(setup):
    text = (ROOT / "tests" / "constraints-lowest.txt").read_text(encoding="utf-8")
    listed = {name: lowest(one) for name, one in requirements(text).items()}
    declared = core(setup) | extras(setup)
    assert listed == {name: lowest(one) for name, one in declared.items()}


def test_the_same_bounds_hold_in_all_extras(setup):
    declared = core(setup) | extras(setup)
    for extra in OTHER_EXTRAS:
        for name, one in requirements(setup["options.extras_require"][extra]).items():
            if name in declared:
                assert one.specifier == declared[name].specifier, (extra, name)
