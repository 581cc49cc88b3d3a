"""Notebooks run, and show what is stored in them."""

import json

import pytest

from helpers.examples import ROOT
from helpers.notebooks import load, outputs, run
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_name_no_machine(path):
    text = path.read_text(encoding="utf8")
    assert len(text) < 60_000 and "/home/" not in text and "/tmp/" not in text


def test_a_cell_shows_what_it_prints_and_its_last_value():
    printed, shown = outputs("print(1)\n2", {}, 3)
    assert (printed["text"], shown["data"], shown["execution_count"]) == (
        ["1\n"],
        {"text/plain": ["2"]},
        3,
    )
