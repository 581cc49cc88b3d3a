"""Options for trees, which `score` and `agree` share."""

import typer

from .cli_common import given
from .formats import READERS
from .formats.sentences import MATCH
from .formats.treebank import TREEBANKS
from .measures.trees.tree_edit import BACKENDS
from .measures.trees.trees import CYCLES

FORMATS = f"{', '.join(READERS)}; of trees {', '.join(TREEBANKS)}"
TREES = {
    "backend": (
        str,
        typer.Option(
            None,
            help=f"Trees: what works out edit distances, {', '.join(BACKENDS)}. "
            "[default: auto, numba if it is installed]",
        ),
    ),
    "cycles": (
        str,
        typer.Option(
            None,
            help=f"Trees: tokens that no root leads to, {' or '.join(CYCLES)}: measure the rest. "
            "[default: error]",
        ),
    ),
    "match": (
        str,
        typer.Option(
            None,
            help=f"Trees: how sentences are matched, {', '.join(MATCH)}. "
            "[default: auto, ids where each has its own]",
        ),
    ),
    "strip_subtypes": (
        bool,
        typer.Option(
            False, "--strip-subtypes", help="Trees: read relations such as nsubj:pass as nsubj."
        ),
    ),
}


def tree_reading(trees, **more):
    """How to read trees, from the options for them and others."""
    own = {"cycles": trees["cycles"], "match": trees["match"], "strip": trees["strip_subtypes"]}
    return given(own | more)


def check_unused(options, said):
    """Raise for the first option that was given, though it does nothing for what is compared."""
    for name, value in options.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} is {said}; leave it out")
