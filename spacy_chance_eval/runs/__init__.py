"""Scored runs as their counts: kept in files, and compared.

Files are loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# not later: `runs.compare` would be the module, once it is imported
from .compare import compare, failures
from .run import StoredRun, stored_run

if TYPE_CHECKING:
    from .files import check_target, read_run, write_run

__all__ = [
    "StoredRun",
    "check_target",
    "compare",
    "failures",
    "read_run",
    "stored_run",
    "write_run",
]

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from the module of files."""
        if name in ("check_target", "read_run", "write_run"):
            return getattr(import_module(".files", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
