"""The rooms of the package: imports point down the table, and each room keeps to itself."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import spacy_chance_eval
from helpers.cases import each_case

PACKAGE = "spacy_chance_eval"
ROOT = Path(spacy_chance_eval.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
# from the top down: a room imports itself and the rooms below it
ROOMS = (
    *("cli", "integrations", "tasks", "report", "analysis", "runs", "corpora"),
    *("spacy_docs", "scoring", "metrics", "formats", "measures"),
)
ROOT_FILES = {"__init__", "__main__", "about"}
WITH_SPACY = {"spacy_docs", "integrations"}  # may import spaCy when they are loaded
DISPLACY = {"spacy.displacy"}  # so may report/, which draws with it
REQUIRED = {"spacy", "numpy", "srsly", "typer", "wasabi", "tqdm", "jinja2", "markupsafe"}
REQUIRED |= {"requests"}
EXTRAS = {
    *("cassis", "conllu", "gatenlp", "rdflib", "pygamma_agreement", "matplotlib", "prodigy"),
    *("dask", "distributed", "fsspec", "numba", "upath"),
}
HEAVY = EXTRAS | {"spacy", "jinja2", "requests", "pydantic"}


def room_of(path):
    """The room of a file; of a file in the root its own name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imports(tree, package, *, functions=True):
    """Full names of all that a file imports; without `functions`, of what runs on import."""
    found, waiting = set(), [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
        if is_type_checking(node):
            waiting += node.orelse
        elif functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return found


def is_type_checking(node):
    """Whether a block is for type checkers alone."""
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


@cache
def read(path):
    """(tree, package) of a file, as `imports` takes them."""
    package = [PACKAGE, *path.relative_to(ROOT).parts[:-1]]
    return ast.parse(path.read_text(encoding="utf-8")), package


def rooms_imported(path):
    """The rooms, and files of the root, that a file imports anything from."""
    names = imports(*read(path))
    return {name.split(".")[1] for name in names if name.startswith(f"{PACKAGE}.")}


def outside(path, *, functions=True):
    """Packages that a file imports, neither ours nor of the standard library."""
    tops = {name.partition(".")[0] for name in imports(*read(path), functions=functions)}
    return tops - {PACKAGE} - set(sys.stdlib_module_names)


def test_every_file_is_in_a_room():
    loose = {room_of(path) for path in FILES} - ROOT_FILES - {"sample", *ROOMS}
    assert not loose, "a new room needs a row in ROOMS and in CONTRIBUTING.md"


@each_case("room", ROOMS)
def test_imports_point_down(room):
    allowed = {*ROOMS[ROOMS.index(room) :], "about", "sample"}
    wrong = {
        path.name: sorted(rooms_imported(path) - allowed) for path in FILES if room_of(path) == room
    }
    assert not {name: rooms for name, rooms in wrong.items() if rooms}


def test_no_imports_run_in_a_circle():
    """Benchmarks included; imports inside functions count."""
    benchmarks = sorted((ROOT.parent / "benchmarks").glob("*.py"))
    modules = {".".join([PACKAGE, *p.relative_to(ROOT).with_suffix("").parts]): p for p in FILES}
    modules = {name.removesuffix(".__init__"): path for name, path in modules.items()}
    arrows = {name: imports(*read(path)) for name, path in modules.items()}
    arrows |= {p.stem: imports(ast.parse(p.read_text("utf-8")), []) for p in benchmarks}
    known = {
        name: {one if one in arrows else one.rpartition(".")[0] for one in found} & arrows.keys()
        for name, found in arrows.items()
    }
    known = {name: targets - {name} for name, targets in known.items()}
    while True:
        leaves = {name for name, targets in known.items() if not targets}
        if not leaves:
            break
        known = {name: targets - leaves for name, targets in known.items() if name not in leaves}
    assert not known, f"circles among {sorted(known)}"


def test_spacy_is_loaded_by_its_own_rooms_only():
    for path in FILES:
        names = imports(*read(path), functions=False)
        found = {name.rpartition(".")[0] for name in names if name.partition(".")[0] == "spacy"}
        if room_of(path) == "report":
            found -= DISPLACY
        allowed = room_of(path) in WITH_SPACY or path.name == "spacy.py"
        assert allowed or not found, f"{path} imports {sorted(found)}"


def test_extras_are_imported_inside_functions():
    for path in FILES:
        found = outside(path, functions=False) - REQUIRED
        if "prodigy" in path.stem:
            found -= {"prodigy"}
        if path.stem == "tree_edit_numba":
            found -= {"numba"}
        assert not found, f"{path} imports {sorted(found)} at its top"


def test_measures_neither_read_nor_print_nor_warn_nor_choose_seeds():
    forbidden = {"open", "print", "input", "exec", "eval", "warn"}
    for path in (path for path in FILES if room_of(path) == "measures"):
        called = set()
        for node in ast.walk(read(path)[0]):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                called.add(name)
                seeds = name in ("default_rng", "seed")
                assert not seeds or node.args, f"{path} draws without a seed"
            assert not isinstance(node, (ast.Global, ast.Nonlocal)), f"{path} has state"
        assert not called & forbidden, path


def test_nobody_imports_a_private_name():
    for path in FILES:
        private = [name for name in imports(*read(path)) if name.startswith(f"{PACKAGE}.")]
        private = [name for name in private if name.rpartition(".")[2].startswith("_")]
        assert not [name for name in private if not name.endswith("__")], path


@pytest.mark.integration
@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.cli", f"{PACKAGE}.formats"])
def test_importing_loads_nothing_heavy(module):
    """Commands start fast, and none breaks because of an extra that it does not need."""
    code = f"import sys, {module}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
