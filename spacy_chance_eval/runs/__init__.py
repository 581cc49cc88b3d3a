"""Scored runs as their counts: kept in files, and compared.

Files are loaded when they are asked for.
"""

from typing import TYPE_CHECKING

from ..about import lazy

# not later: `runs.compare` would be the module, once it is imported
from .compare import compare, failures
from .run import StoredRun, stored_run

if TYPE_CHECKING:
    from .files import check_target, read_run, write_run

__all__, __getattr__ = lazy(__name__, {"files": "check_target read_run write_run"})
__all__ += ["StoredRun", "compare", "failures", "stored_run"]
