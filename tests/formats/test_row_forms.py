"""Forms of rows, by the cases of their tables: the short way, and blocks, give what others do."""

import json
from dataclasses import replace

import pytest

from formats.test_forms import EVERY, outcome
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import READERS, ROWS

FORMS = {name: READERS[name]._form for name in ROWS}
CASES = [(table.stem, name, parts) for table, name, parts in EVERY if FORMS.get(table.stem)]
IDS = [f"{form}-{name}" for form, name, _ in CASES]


@pytest.mark.parametrize(("form", "name", "parts"), CASES, ids=IDS)
def test_plain_rows_are_what_translated_ones_are(form, name, parts, tmp_path, monkeypatch):
    expected = outcome(parts, tmp_path / "a")
    own = replace(FORMS[form], columns=None, plain=())
    monkeypatch.setitem(READERS[form].__dict__, "_form", own)
    assert outcome(parts, tmp_path / "b") == expected


@pytest.mark.parametrize(("form", "name", "parts"), CASES, ids=IDS)
def test_blocks_of_one_row_are_the_whole_file(form, name, parts, tmp_path):
    outcome(parts, tmp_path)
    options = next((json.loads(head[8:]) for head in parts if head.startswith("options ")), {})
    if "column" in options:
        options["columns"] = {"gold": options.pop("column")}
    if "on_error" in options or "folder" in options:
        return  # a block without documents is read with the next one, elsewhere
    first = next(head for head in parts if not head.startswith("options "))
    assert_same(tmp_path / first, 1, **options)
