"""Documents of several corpora that belong together, by tables: what is made of them, or the error.

The tables of `matching`, pairs and annotators, have cases as `helpers/tables.py` says.
A pair is gold and a prediction, in this order; files of annotators are called as these, and the
option "layers" has those that count if they are not "spans".
"""

import json
from pathlib import Path

import pytest

from helpers import tables
from helpers.shown import shown
from spacy_chance_eval.formats import match_documents, read
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.merging import AnnotatorLayer, merge_annotators

FOLDER = Path(__file__).parent / "matching"
OUTCOMES = ("made", "error")
EVERY = [(table, *case) for table in sorted(FOLDER.glob("*.txt")) for case in tables.cases(table)]


def made_of(table, parts, folder):
    """The corpora that a case becomes, as text."""
    paths, options = tables.written(parts, folder, OUTCOMES)
    layers = options.pop("layers", {})
    corpora = {}
    for path in paths:
        how = "token" if '"tokens"' in path.read_text("utf-8") else "char"
        corpora[path.stem] = read(path, offsets=how), layers.get(path.stem, "spans")
    if table.stem == "pairs":
        (gold, _), (pred, _) = corpora.values()
        found = [one for one in match_documents(gold, pred, **options) if one is not gold]
    else:
        works = [AnnotatorLayer(name, *work) for name, work in corpora.items()]
        found = [merge_annotators(works, **options)]
    return "".join(f"{shown(one)}signed: {json.dumps(one.notes.signed())}\n" for one in found)


def outcome(table, parts, folder):
    """(kind, text) of what a case becomes."""
    try:
        kind, text = "made", made_of(table, parts, folder)
    except FormatError as error:
        kind, text = "error", f"{error}\n"
    return kind, text.replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("table", "name", "parts"), EVERY, ids=[f"{table.stem}-{name}" for table, name, _ in EVERY]
)
def test_documents_are_put_together_as_the_table_says(table, name, parts, tmp_path):
    tables.check(table, name, parts, OUTCOMES, outcome(table, parts, tmp_path))
