"""Corpora: files and pipelines as sources, read in blocks and counted, here or on a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .executors import LostWorkersError, dask_executor
    from .pairs import ReadOptions
    from .panels import PanelOptions
    from .passes import Workers, count_sources
    from .sources import Source
    from .treebanks import read_tree_panel

__all__ = [
    "LostWorkersError",
    "PanelOptions",
    "ReadOptions",
    "Source",
    "Workers",
    "count_sources",
    "dask_executor",
    "read_tree_panel",
]

# loaded when they are asked for: who reads one file loads no executor
MODULES = {
    "LostWorkersError": "executors",
    "PanelOptions": "panels",
    "ReadOptions": "pairs",
    "Source": "sources",
    "Workers": "passes",
    "count_sources": "passes",
    "dask_executor": "executors",
    "read_tree_panel": "treebanks",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
