"""The rooms of the package: imports point down the table, and each room keeps to itself.

Each rule names what breaks it; on a made-up package it is broken on purpose.
"""

import ast
import builtins
import subprocess
import sys
from functools import cache, cached_property
from pathlib import Path

import pytest

import spacy_chance_eval

PACKAGE = "spacy_chance_eval"
ROOT = Path(spacy_chance_eval.__file__).parent
BENCHMARKS = ROOT.parent / "benchmarks"
# from the top down: a room imports itself and the rooms below it
ROOMS = (
    *("cli", "integrations", "tasks", "reports", "analysis", "runs", "corpora"),
    *("spacy_docs", "scoring", "metrics", "formats", "measures"),
)
ROOT_FILES = {"__init__", "__main__", "about"}
DATA = "sample"  # a folder of data, which everybody may import
# what of spaCy a room may import: displaCy draws, and spaCy's commands take ours
SPACY = {
    "spacy_docs": "spacy",
    "integrations": "spacy",
    "reports": "spacy.displacy",
    "cli": "spacy.cli",
}
REQUIRED = {"spacy", "numpy", "srsly", "msgspec", "typer", "wasabi", "tqdm", "jinja2", "markupsafe"}
HEAVY = {
    "pyarrow",
    *("evaluate", "datasets", "transformers", "torch"),
    *("cassis", "cairocffi", "cairosvg", "prodigy"),
    *(
        "dask",
        "distributed",
        "fsspec",
        "numba",
        "upath",
        "spacy",
        "jinja2",
        "pydantic",
    ),
}


def room_of(name):
    """The room of a full name, a file of the root as its own; "" of anything else."""
    top, _, rest = name.partition(".")
    return rest.partition(".")[0] if top == PACKAGE else ""


class Module:
    """A parsed file, by its full name; that of a package ends in `.__init__`."""

    def __init__(self, name, source):
        self.name = name.removesuffix(".__init__")
        self.package = name.rpartition(".")[0].split(".")
        self.room = room_of(name)
        self.tree = ast.parse(source)

    @cached_property
    def imports(self):
        """Full names of all that it imports."""
        return self._imports(functions=True)

    @cached_property
    def at_its_top(self):
        """Full names of what it imports when it is loaded."""
        return self._imports(functions=False)

    def _imports(self, functions):
        found, waiting = set(), [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                above = self.package[: len(self.package) - node.level + 1] if node.level else []
                module = ".".join([*above, *([node.module] if node.module else [])])
                found |= {f"{module}.{alias.name}" for alias in node.names}
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                waiting += node.orelse
            elif functions or not isinstance(node, FUNCTIONS):
                waiting += ast.iter_child_nodes(node)
        return found

    @cached_property
    def _nodes(self):
        return list(ast.walk(self.tree))

    def nodes(self, *kinds):
        """All nodes of some kinds."""
        return (node for node in self._nodes if isinstance(node, kinds))


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@cache
def package():
    """The modules of the package and of the benchmarks."""
    paths = {
        ".".join([PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]): path
        for path in ROOT.rglob("*.py")
    }
    paths |= {path.stem: path for path in BENCHMARKS.glob("*.py")}
    return [Module(name, path.read_text("utf-8")) for name, path in sorted(paths.items())]


def ours(modules):
    return [module for module in modules if module.name.startswith(PACKAGE)]


# --- rules: each yields what breaks it


def every_module_is_in_a_room(modules):
    """A new room needs a row in ROOMS, and in CONTRIBUTING.md."""
    for module in ours(modules):
        if module.room not in {*ROOMS, *ROOT_FILES, DATA}:
            yield module.name


def imports_point_down(modules):
    for module in ours(modules):
        if module.room in ROOMS:
            allowed = {*ROOMS[ROOMS.index(module.room) :], "about", DATA}
            names = {name for name in module.imports if name.partition(".")[0] == PACKAGE}
            wrong = {name for name in names if room_of(name) not in allowed}
            yield from (f"{module.name} imports {name}" for name in sorted(wrong))


def no_imports_run_in_a_circle(modules):
    """Imports inside functions count."""
    names = {module.name for module in modules}
    arrows = {}
    for module in modules:
        targets = {one if one in names else one.rpartition(".")[0] for one in module.imports}
        arrows[module.name] = targets & names - {module.name}
    while leaves := {name for name, targets in arrows.items() if not targets}:
        arrows = {name: targets - leaves for name, targets in arrows.items() if targets}
    yield from sorted(arrows)


def spacy_is_imported_by_its_rooms_only(modules):
    for module in ours(modules):
        allowed = SPACY.get(module.room, "nothing")
        for name in sorted(module.imports):
            inside = f"{name}.".startswith(f"{allowed}.")
            if name.partition(".")[0] == "spacy" and not inside:
                yield f"{module.name} imports {name}"


def only_commands_know_typer(modules):
    for module in ours(modules):
        if module.room != "cli" and any(
            name.partition(".")[0] == "typer" for name in module.imports
        ):
            yield module.name


def extras_are_loaded_when_they_are_needed(modules):
    """A module that imports an extra at its top is imported inside functions only."""
    modules = ours(modules)
    at_tops = {name for module in modules for name in module.at_its_top}
    at_tops |= {name.rpartition(".")[0] for name in at_tops}
    for module in modules:
        tops = {name.partition(".")[0] for name in module.at_its_top}
        extras = tops - {PACKAGE} - REQUIRED - set(sys.stdlib_module_names)
        if extras and module.name in at_tops:
            yield f"{module.name} imports {sorted(extras)}"


def measures_have_no_effects(modules):
    """They neither read nor print nor warn, keep no state and choose no seeds."""
    forbidden = {"open", "print", "input", "exec", "eval", "warn"}
    for module in modules:
        if module.room != "measures":
            continue
        for node in module.nodes(ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in forbidden or (name in ("default_rng", "seed") and not node.args):
                yield f"{module.name} calls {name}"
        if any(module.nodes(ast.Global, ast.Nonlocal)):
            yield f"{module.name} has state"


def private_names_stay_in_their_module(modules):
    names = {module.name for module in modules}
    for module in modules:
        used = {name for name in module.imports if name.rpartition(".")[0] in names}
        aliases = {name.rpartition(".")[2] for name in module.imports if name in names}
        for node in module.nodes(ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in aliases:
                used.add(f"{node.value.id}.{node.attr}")
        for name in sorted(used):
            last = name.rpartition(".")[2]
            if last.startswith("_") and not last.endswith("__"):
                yield f"{module.name} uses {name}"


def exceptions_are_called_errors(modules):
    """But for warnings, and for what ends a program, such as a signal."""
    errors = {
        name
        for name, one in vars(builtins).items()
        if isinstance(one, type) and issubclass(one, Exception) and not issubclass(one, Warning)
    }
    classes = {
        node.name: {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
        for module in modules
        for node in module.nodes(ast.ClassDef)
    }
    while more := {name for name, bases in classes.items() if bases & errors} - errors:
        errors |= more
    yield from sorted(name for name in errors & classes.keys() if not name.endswith("Error"))


# what breaks each rule: modules of a made-up package
BROKEN = {
    every_module_is_in_a_room: [{"loose": ""}, {"cellar.x": ""}],
    imports_point_down: [
        {"measures.x": "from ..formats import read"},
        {"scoring.x": "def f():\n    from ..runs.files import read_run"},
        {"scoring.x": f"import {PACKAGE}.cli"},
        {"scoring.x": f"import {PACKAGE}"},
        {"scoring.x": f"from {PACKAGE} import evaluate"},
        {"formats.x": "from .. import tasks"},
    ],
    no_imports_run_in_a_circle: [
        {"runs.x": "from .y import a", "runs.y": "def f():\n    from . import x"},
        {"runs.x": "from . import y", "runs.y": "from .z import a", "runs.z": "from .x import a"},
    ],
    spacy_is_imported_by_its_rooms_only: [
        {"tasks.x": "def f():\n    import spacy"},
        {"reports.x": "from spacy.tokens import Doc"},
        {"cli.x": "import spacy"},
    ],
    only_commands_know_typer: [{"tasks.x": "import typer"}],
    extras_are_loaded_when_they_are_needed: [
        {"formats.x": "import cassis", "formats.y": "from .x import a"},
        {
            "formats.x": "try:\n    import cassis\nexcept ImportError: pass",
            "tasks": "from .formats import x",
        },
    ],
    measures_have_no_effects: [
        {"measures.x": "print(1)"},
        {"measures.trees.x": "import warnings\nwarnings.warn('a')"},
        {"measures.x": "rng = np.random.default_rng()"},
        {"measures.x": "def f():\n    global a\n    a = 1"},
    ],
    private_names_stay_in_their_module: [
        {"runs.x": "", "runs.y": "from .x import _a"},
        {"runs.x": "", "runs.y": "from . import x\nx._a()"},
        {"runs.x": "", "runs._y": "", "runs.z": "from . import _y", "runs.__init__": ""},
    ],
    exceptions_are_called_errors: [
        {"runs.x": "class Broken(ValueError): pass"},
        {"runs.x": "class ReadError(OSError): pass", "cli.x": "class Worse(x.ReadError): pass"},
    ],
}
# and what breaks none
SOUND = {
    "__init__": "from .tasks.x import a",
    "about": "",
    "cli.x": "import typer\nfrom ..tasks import x\nfrom spacy.cli._util import app",
    "tasks.x": "from ..about import __version__\nfrom ..formats.x import a\n__version__.b",
    "reports.x": "from spacy.displacy import SpanRenderer",
    "formats.x": "def f():\n    from .y import a\nclass OwnError(ValueError): pass",
    "formats.y": "import cassis\nif TYPE_CHECKING:\n    from ..cli import x",
    "spacy_docs.x": "import spacy",
    "measures.x": "rng = np.random.default_rng(seed)",
    "cli.y": "class Stopped(KeyboardInterrupt): pass",
    "sample.__init__": "",
}


def made(sources):
    return [Module(f"{PACKAGE}.{name}", source) for name, source in sources.items()]


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_the_package_keeps(rule):
    assert not list(rule(package()))


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_it_is_noticed_that_not(rule):
    assert not list(rule(made(SOUND)))
    for sources in BROKEN[rule]:
        assert list(rule(made(sources))), sources


@pytest.mark.integration
@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.cli", f"{PACKAGE}.formats"])
def test_importing_loads_nothing_heavy(module):
    """Commands start fast, and none breaks because of an extra that it does not need."""
    code = f"import sys, {module}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
