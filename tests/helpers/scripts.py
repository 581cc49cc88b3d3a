"""The scripts that make the papers' tables again, as modules."""

import sys
from importlib import import_module
from unittest import mock

from helpers.examples import ROOT

FOLDER = ROOT / "scripts/papers"


def script(name):
    """One of them; they import each other as programs do."""
    with mock.patch.object(sys, "path", [str(FOLDER), *sys.path]):
        return import_module(name)


def ran(name, *words):
    """Call one as a program; what it would exit with."""
    with mock.patch.object(sys, "argv", [f"{name}.py", *map(str, words)]):
        try:
            return script(name).main()
        except SystemExit as error:
            return error.code


def cells(result, key):
    """{row: {column: cell}} of a table."""
    (one,) = [one for one in result["tables"] if one["key"] == key]
    return {
        row["name"]: dict(zip(one["columns"], row["cells"], strict=True)) for row in one["rows"]
    }
