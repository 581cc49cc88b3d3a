"""Notebooks run, and show what is stored in them."""

import json

import pytest

from helpers.examples import ROOT
from helpers.notebooks import load, run
from helpers.outputs import without_version

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
HOW = "PYTHONPATH=tests python -m helpers.notebooks docs/notebooks/*.ipynb writes outputs anew"


@pytest.mark.integration
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_show_what_is_stored(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = load(path)
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for found, expected in zip(run(notebook), stored, strict=True):
        texts = [
            without_version(json.dumps(one, indent=1, sort_keys=True)) for one in (found, expected)
        ]
        assert texts[0] == texts[1], HOW
