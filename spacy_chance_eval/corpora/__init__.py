"""Corpora: files and pipelines as sources, read in blocks and counted, here or on a cluster."""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .executors import LostWorkersError, dask_executor
    from .passes import Workers, count_sources
    from .sources import Source
    from .treebanks import read_tree_panel

# loaded when they are asked for: who reads one file loads no executor
__all__, __getattr__ = lazy(
    __name__,
    {
        "executors": "LostWorkersError dask_executor",
        "passes": "Workers count_sources",
        "sources": "Source",
        "treebanks": "read_tree_panel",
    },
)
