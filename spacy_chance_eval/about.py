"""The version: part of every signature; and how packages load their names."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def lazy(package: str, modules: Mapping[str, str]) -> tuple[list[str], Callable[[str], Any]]:
    """`__all__` and `__getattr__` of a package whose names are imported when they are first used.

    `modules` has the names that each module gives, with blanks between them.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def found(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{module_of[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(module_of), found
