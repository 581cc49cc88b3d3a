"""The pages of docs/papers have every table."""

import pytest

from helpers.examples import ROOT

TEXTS = {path.name: path.read_text(encoding="utf8") for path in ROOT.glob("docs/papers/*.md")}


@pytest.mark.parametrize("number", range(2, 10))
def test_every_table_of_the_simulations_has_its_command(number):
    assert f"--only table{number}" in TEXTS["chance.md"].replace(",", " --only ")
