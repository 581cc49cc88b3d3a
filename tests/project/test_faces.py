"""What rooms export: every name is there, also if a module of the room is called like it."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import spacy_chance_eval

PACKAGE = spacy_chance_eval.__name__
INITS = Path(spacy_chance_eval.__file__).parent.glob("*/__init__.py")
ROOMS = sorted(path.parent.name for path in INITS if path.parent.name not in ("cli", "sample"))


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_is_there(room):
    face = import_module(f"{PACKAGE}.{room}")
    assert face.__all__
    assert all(getattr(face, name) is not None for name in face.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = face.nothing


def described(function):
    """The (names, description) of each row below Parameters in a docstring."""
    table = (inspect.getdoc(function) or "").partition("\nParameters\n----------\n")[2]
    table = re.split(r"\n\n\w+\n---", table)[0]
    rows = re.findall(r"^(\*{0,2}\w[^\n:]*?)(?: : [^\n]*)?\n((?:    .*\n?)*)", table, re.MULTILINE)
    return [([name.strip(" *") for name in names.split(",")], what) for names, what in rows]


FUNCTIONS = [
    name
    for name in spacy_chance_eval.__all__
    if inspect.isfunction(getattr(spacy_chance_eval, name))
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_described_and_stands_with_those_of_its_default_only(name):
    """The reference takes the default of a row from the first of its names."""
    function = getattr(spacy_chance_eval, name)
    parameters, rows = inspect.signature(function).parameters, described(function)
    assert {one for names, _ in rows for one in names} == set(parameters)
    assert [names for names, what in rows if not what.strip()] == []
    defaults = [{repr(parameters[one].default) for one in names} for names, _ in rows]
    assert [names for (names, _), found in zip(rows, defaults) if len(found) > 1] == []


@pytest.mark.integration
def test_names_are_no_modules_of_the_room_whatever_was_imported_before():
    code = f"""
import pkgutil, types
from importlib import import_module
import {PACKAGE}
for module in pkgutil.walk_packages({PACKAGE}.__path__, "{PACKAGE}."):
    if "__main__" not in module.name and "fuzz" not in module.name:
        try:
            import_module(module.name)
        except ImportError:  # of an extra
            pass
for room in {ROOMS}:
    face = import_module(f"{PACKAGE}.{{room}}")
    for name in face.__all__:
        if isinstance(getattr(face, name), types.ModuleType):
            print(room, name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
