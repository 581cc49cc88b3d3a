"""What rooms export: every name is there, also if a module of the room is called like it."""

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
