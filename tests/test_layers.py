"""Imports point downwards: the table of floors, held against every file of the package."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spacy_chance_eval

PACKAGE = "spacy_chance_eval"
ROOT = Path(spacy_chance_eval.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
CORE = {"spacy", "numpy", "srsly", "typer", "wasabi", "tqdm", "jinja2", "markupsafe", "pydantic"}
EXTRAS = {"cassis", "conllu", "gatenlp", "rdflib", "pygamma_agreement", "matplotlib", "prodigy"}
EXTRAS |= {"dask", "distributed", "fsspec"}
HEAVY = EXTRAS | {"spacy", "jinja2", "requests"}
MEASURES = ("measures",)
COUNTING = ("catalog", "request", "intervals", "tallies", "scores", "evaluate")
SCORING = (*COUNTING, "standings", "boards", "subsets")
MIDDLE = (*SCORING, "leaderboard", "store", "distributed")
ANYTHING = ("",)

# floor: (modules of the package that it may import, other packages beside the standard library)
FLOORS = {
    "measures": (MEASURES, {"numpy"}),
    "about": ((), set()),
    "gamma": (MEASURES, {"numpy", "pygamma_agreement", "pyannote", "cvxpy", "cvxopt"}),
    "catalog": ((*MEASURES, "gamma"), {"numpy"}),
    "tree_catalog": ((*MEASURES, "catalog"), set()),
    "request": ((*MEASURES, "catalog", "tree_catalog"), set()),
    "intervals": (MEASURES, {"numpy"}),
    "tallies": ((*MEASURES, "intervals"), {"numpy"}),
    "scores": ((*MEASURES, "intervals", "tallies"), {"numpy"}),
    "evaluate": ((*MEASURES, *COUNTING), {"numpy"}),
    "panel_counts": ((*MEASURES, "catalog", "request", "intervals", "evaluate"), {"numpy"}),
    "panel_tallies": ((*MEASURES, *COUNTING, "panel_counts"), {"numpy"}),
    "sheets": ((*MEASURES, *COUNTING, "panel_counts", "panel_tallies"), {"numpy"}),
    "standings": ((*MEASURES, "intervals"), {"numpy"}),
    "boards": ((*MEASURES, *COUNTING, "standings"), {"numpy"}),
    "subsets": ((*MEASURES, "catalog", "evaluate", "intervals"), {"numpy"}),
    # as leaderboards do, it calls few documents few
    "agreement": ((*MEASURES, *SCORING, "panel_counts", "panel_tallies", "sheets"), {"numpy"}),
    "tree_alpha": ((*MEASURES, "tree_catalog"), {"numpy"}),
    "tree_sheets": (
        (
            *(*MEASURES, "intervals", "panel_counts", "request", "sheets"),
            *("tree_alpha", "tree_catalog"),
        ),
        {"numpy"},
    ),
    "tree_agreement": (
        (
            *(*MEASURES, *SCORING, "agree", "agreement"),
            *("tree_catalog", "tree_sheets"),
        ),
        {"numpy"},
    ),
    "leaderboard": ((*MEASURES, *SCORING), {"numpy"}),
    "packing": ((*MEASURES, "gamma", "catalog", "intervals"), {"numpy"}),
    "stored": ((*MEASURES, *COUNTING, "scoring"), {"numpy"}),
    "store": ((*MEASURES, "packing", "stored", "formats"), {"numpy"}),
    "comparable": (
        (*MEASURES, "catalog", "evaluate", "intervals", "packing", "stored"),
        {"numpy"},
    ),
    "compare_errors": (MEASURES, {"numpy"}),
    "compare_tests": ((*MEASURES, *SCORING), {"numpy"}),
    "compare": (
        (
            *(*MEASURES, *SCORING, "leaderboard", "comparable"),
            *("compare_errors", "compare_tests"),
        ),
        {"numpy"},
    ),
    "save": (
        (
            *(*MEASURES, *COUNTING, "compare", "compared", "scoring", "sharded"),
            *("store", "stored"),
        ),
        set(),
    ),
    # large files: what of them is together, two passes over it, and what is counted
    "sides": (("formats", "pieces", "run"), set()),
    "shards": (("distributed", "formats", "processes", "sides"), set()),
    "pair_surveys": ((*MEASURES, "catalog"), {"numpy"}),
    "pair_shards": (
        (*MEASURES, *COUNTING, "compared", "formats", "pair_surveys", "sides"),
        {"numpy"},
    ),
    "sharded": (
        (
            *(*MEASURES, *COUNTING, "compared", "formats", "pair_shards", "pieces", "run"),
            *("shards", "sides", "systems"),
        ),
        set(),
    ),
    "panel_surveys": (
        (*MEASURES, "catalog", "pair_surveys", "panel_counts", "panel_requests", "panels"),
        {"numpy"},
    ),
    "panel_shards": (
        (
            *(*MEASURES, "agreement", "formats", "panel_requests", "panel_surveys"),
            *("panel_tallies", "panels", "pieces", "sharded", "shards", "sides"),
        ),
        {"numpy"},
    ),
    "score": (("compared", "run", "scoring", "sharded"), set()),
    "document_groups": ((*MEASURES, *SCORING, "leaderboard"), set()),
    "rank_shards": (
        (
            *(*MEASURES, *SCORING, "document_groups", "formats", "leaderboard", "pair_shards"),
            *("pieces", "run", "sharded", "sides"),
        ),
        set(),
    ),
    "cli_store": (ANYTHING, CORE - {"spacy"}),
    "processes": ((), set()),
    # for clusters that exist
    "distributed": ((*MEASURES, "processes"), {"dask", "distributed"}),
    # files of ontologies, and of the closeness that is worked out from them, check what they hold
    "formats": (
        (
            "formats",
            "measures.spans",
            "measures.trees",
            "measures.ontology",
            "measures.bdm",
        ),
        {"numpy", "srsly"},
    ),
    "sample": ((), set()),
    # above the integrations; loads their reader of DocBins when one is asked for
    "run": (("formats", "integrations.docbin"), set()),
    "pieces": (("formats", "run", "integrations.docbin_pieces"), set()),
    "compared": (
        (
            *(*MEASURES, "formats", "run", "scoring", "systems"),
            *("integrations.predictions", "integrations.docbin"),
        ),
        set(),
    ),
    "convert": (("formats", "run", "panels", "integrations.docbin"), set()),
    "curves": (("formats",), set()),
    "perturb": (MEASURES, {"numpy"}),
    "syntax_experiment": ((*MEASURES, "perturb", "treebanks", "tree_agreement"), {"numpy"}),
    "cli_perturb": (
        (*MEASURES, "cli_common", "formats", "report", "syntax_experiment"),
        CORE - {"spacy"},
    ),
    "cli_curves": (("cli_common", "curves", "formats", "report"), CORE - {"spacy"}),
    "diff": ((*MEASURES, "compared", "formats"), {"numpy"}),
    "diff_tables": ((*MEASURES, "diff", "evaluate", "request"), {"numpy"}),
    "adjudication": ((*MEASURES, "convert", "diff", "formats", "run"), {"numpy"}),
    "cli_diff": (ANYTHING, CORE - {"spacy"}),
    "explain_levels": ((*MEASURES, "catalog", "intervals", "request"), {"numpy"}),
    "explain_slicm": ((*MEASURES, "intervals"), {"numpy"}),
    "explain": (
        (*MEASURES, "compared", "diff", "explain_levels", "explain_slicm"),
        {"numpy"},
    ),
    "cli_explain": (ANYTHING, CORE - {"spacy"}),
    "choices": ((), set()),
    "advice": ((), set()),
    "choose": (("request", "choices", "advice"), set()),
    "scoring": ((*MEASURES, *COUNTING), {"numpy"}),
    "panels": ((*MEASURES, "formats", "run", "systems"), set()),
    "treebanks": (
        (*MEASURES, "formats", "panels", "run", "systems", "integrations.tree_docs"),
        set(),
    ),
    "panel_requests": ((*MEASURES, "catalog", "formats", "scoring"), set()),
    # its result shows itself as tables
    "agree": (
        (
            *(*MEASURES, *COUNTING, "agreement", "panel_requests", "panel_shards", "panels"),
            *("formats", "report", "sharded"),
        ),
        set(),
    ),
    "systems": (("formats",), {"srsly"}),
    "rank": (
        (
            *(*MIDDLE, "document_groups", "formats", "run", "compared", "rank_shards", "shards"),
            *("sharded", "systems", "integrations.predictions"),
        ),
        set(),
    ),
    "cli_rank": (ANYTHING, CORE - {"spacy"}),
    "cli_choose": (("cli_common", "choose", "report"), CORE - {"spacy"}),
    "cli_agree": (ANYTHING, CORE - {"spacy"}),
    "cli_score": (ANYTHING, CORE - {"spacy"}),
    "cli_workers": (("cli_common", "distributed", "shards"), CORE - {"spacy"}),
    "cli_pages": (
        (
            *("cli_common", "formats"),
            *("integrations.agreement_pages", "integrations.tree_pages"),
        ),
        CORE - {"spacy"},
    ),
    "cli_trees": (("cli_common", "formats", *MEASURES), CORE - {"spacy"}),
    "tree_files": (
        (
            *(*MEASURES, "catalog", "formats", "request", "run", "systems"),
            *("tree_agreement", "tree_catalog", "treebanks", "integrations.tree_pairs"),
        ),
        set(),
    ),
    "cli_convert": (("cli_common", "convert", "formats"), CORE - {"spacy"}),
    "report": (("report", *MIDDLE), {"jinja2", "markupsafe", "wasabi"}),
    "integrations": (
        (
            *("integrations", *MEASURES, *MIDDLE, "scoring", "formats", "report", "sample"),
            *("agree", "panels"),  # for the recipes of Prodigy
            *("compared", "diff", "diff_tables"),  # for their pages
            *("run", "stored"),  # for the callback that saves a run
            "tree_agreement",  # for the scorer of parsers
        ),
        CORE | {"prodigy", "weasel"},
    ),
    "cli": (ANYTHING, CORE - {"spacy"}),
    "assets": (("formats",), {"srsly", "requests"}),
    "cli_assets": (("cli_common", "assets", "formats"), CORE - {"spacy"}),
    "cli_options": (("cli_common", "cli_workers", "formats", "scoring"), CORE - {"spacy"}),
    "cli_common": (("formats", "integrations.tokenizers"), CORE - {"spacy"}),
    "cli_spacy": (("cli",), CORE),
    "__main__": (("cli",), set()),
    "__init__": (
        (
            *(*MEASURES, *MIDDLE, "agree", "compare", "compared", "diff", "formats", "sample"),
            *("tree_agreement", "tree_catalog", "treebanks"),
        ),
        set(),
    ),
}


def module_of(path):
    """Parts of a file's module inside the package; () is the package itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def floor_of(path):
    parts = module_of(path)
    return parts[0] if parts else "__init__"


def names(path):
    return str(path.relative_to(ROOT))


def imports(path, functions=True):
    """Absolute names of all that a file imports; `functions=False`: only what runs on import."""
    found = []
    package = [PACKAGE, *path.relative_to(ROOT).parts[:-1]]
    waiting = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found += [f"{module}.{alias.name}" for alias in node.names]
        if functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return sorted(set(found))


def inner(path):
    """What a file imports of the package, without the package's own name."""
    prefix = f"{PACKAGE}."
    return [name.removeprefix(prefix) for name in imports(path) if name.startswith(prefix)]


def outer(path, functions=True):
    """Top-level packages that a file imports, neither ours nor the standard library's."""
    tops = {name.partition(".")[0] for name in imports(path, functions)}
    return tops - {PACKAGE} - set(sys.stdlib_module_names)


def under(name, allowed):
    return allowed == "" or name == allowed or name.startswith(f"{allowed}.")


each_file = pytest.mark.parametrize("path", FILES, ids=names)


@each_file
def test_every_file_stands_on_a_floor(path):
    assert floor_of(path) in FLOORS, "give the new floor a row in FLOORS, as in HOUSE.md"


@each_file
def test_imports_inside_the_package_point_downwards(path):
    allowed, _ = FLOORS[floor_of(path)]
    wrong = [name for name in inner(path) if not any(under(name, x) for x in (*allowed, "about"))]
    assert not wrong, f"{names(path)} imports {wrong}"


@each_file
def test_nothing_imports_the_package_from_above(path):
    """`from .. import name` would load every floor: files import the module they mean."""
    own = {PACKAGE} & set(imports(path))
    modules = {module_of(other)[0] for other in FILES if module_of(other)}
    through = [name for name in inner(path) if name.partition(".")[0] not in modules]
    allowed = floor_of(path) in ("__init__", "cli")
    assert allowed or not (own or through), f"{names(path)} imports {own or through}"


@each_file
def test_other_packages_are_those_of_the_floor(path):
    _, allowed = FLOORS[floor_of(path)]
    top_level = outer(path, functions=False)
    assert top_level <= allowed, f"{names(path)} imports {sorted(top_level - allowed)}"


@each_file
def test_extras_are_imported_inside_functions_only(path):
    extras = outer(path, functions=False) - CORE
    if floor_of(path) == "integrations" and "prodigy" in path.stem:
        extras -= {"prodigy"}
    assert not extras, f"{names(path)} imports {sorted(extras)} at its top"


@pytest.mark.parametrize(
    "floor",
    [
        *(
            "measures",
            "formats",
            "report",
            *MIDDLE,
            "panel_counts",
            "sheets",
            "agreement",
            "panels",
            "agree",
        ),
        *("run", "convert", "sample", "about"),
    ],
)
def test_only_integrations_and_the_command_line_know_spacy(floor):
    known = [names(path) for path in FILES if floor_of(path) == floor and "spacy" in outer(path)]
    assert not known


@pytest.mark.parametrize("path", [p for p in FILES if floor_of(p) == "measures"], ids=names)
def test_measures_neither_read_nor_print_nor_warn_nor_seed(path):
    forbidden = {"open", "print", "input", "exec", "eval", "default_rng", "seed", "warn"}
    called = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called.add(getattr(node.func, "id", getattr(node.func, "attr", "")))
        assert not isinstance(node, (ast.Global, ast.Nonlocal)), "no state"
    assert not called & forbidden


@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.cli", f"{PACKAGE}.formats"])
def test_importing_loads_nothing_heavy(module):
    """Commands start fast, and none breaks because of an extra that it does not need."""
    code = f"import sys, {module}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@pytest.mark.parametrize("path", [p for p in FILES if "measures" in p.parts], ids=names)
def test_a_measure_can_be_imported_alone(path):
    floors = [inner_name.partition(".")[0] for inner_name in inner(path)]
    assert set(floors) <= {"measures"}


@each_file
def test_lower_floors_are_not_imported_from_above_on_import(path):
    """Only a function may reach up (for DocBin files and pipelines), never an import at the top."""
    if floor_of(path) not in ("integrations", "__main__"):
        top = [name for name in imports(path, functions=False) if under(name, PACKAGE)]
        assert not [name for name in top if under(name, f"{PACKAGE}.integrations")]


def test_extras_have_a_file_that_needs_them():
    """The rule above would hold of a package that reads and writes no extra format."""
    used = set().union(*(outer(path) for path in FILES))
    assert {"cassis", "gatenlp", "rdflib", "matplotlib", "pygamma_agreement"} <= used


@each_file
def test_files_are_short_enough_to_read(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 350
