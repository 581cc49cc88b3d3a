"""The security page: its limits are those of the code, and each promise names what there is."""

import re
from importlib import import_module

import pytest

from helpers.examples import ROOT, page

TEXT = page("SECURITY.md")
ROW = re.compile(r"^\| (.+) \| ([\d,]+) \| `([\w.]+)\.(\w+)` \|$", re.MULTILINE)
LIMITS = {(module, name): number for _, number, module, name in ROW.findall(TEXT)}


@pytest.mark.parametrize(("module", "name"), LIMITS, ids=lambda one: one)
def test_a_limit_is_that_of_the_code(module, name):
    value = getattr(import_module(f"spacy_chance_eval.{module}"), name)
    assert LIMITS[module, name] == f"{value:,}"


def test_every_row_is_compared():
    rows = re.findall(r"^\| (?!limit|---)", TEXT, re.MULTILINE)
    assert len(rows) == len(LIMITS) > 15


@pytest.mark.parametrize("room", ["formats", "tasks"])
def test_every_limit_of_what_is_read_is_on_the_page(room):
    """A new constant MAX_... needs a row."""
    others = {("tasks.rank", "MAX_PARTS")}  # of a table
    found = {
        (f"{room}.{path.stem}", name)
        for path in (ROOT / "spacy_chance_eval" / room).glob("*.py")
        for name in re.findall(r"^(MAX_\w+) = ", path.read_text(encoding="utf8"), re.MULTILINE)
    }
    assert found - others <= LIMITS.keys()


def test_nobody_has_to_write_to_an_address():
    assert "@" not in TEXT and "Report a vulnerability" in TEXT
