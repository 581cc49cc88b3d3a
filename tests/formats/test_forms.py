"""Every reader by tables: files and options, and what is read, or the error.

A table is a file of `forms`, one for each format, with cases as `helpers/tables.py` says. The first
file is read, or with the option "folder" all of them; outcomes are `read` or `error`.
"""

import random
from pathlib import Path

import pytest

from helpers import tables
from helpers.rawfiles import assert_same
from helpers.shown import shown
from helpers.tables import cases
from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.errors import FormatError

TABLES = sorted((Path(__file__).parent / "forms").glob("*.txt"))
OUTCOMES = ("read", "error")
READ_AS = {"annotators": "jsonl"}  # tables that have no name of a format


def written(parts, folder):
    """(path, options) of a case, whose files are written."""
    paths, options = tables.written(parts, folder, OUTCOMES)
    return folder if options.pop("folder", False) else paths[0], options


def outcome(parts, folder):
    """(kind, text) of what reading the files of a case gives."""
    path, options = written(parts, folder)
    try:
        return "read", shown(read(path, **options)).replace(f"{folder}/", "")
    except FormatError as error:
        return "error", str(error).replace(f"{folder}/", "").replace(str(folder), "FOLDER") + "\n"


EVERY = [(table, *case) for table in TABLES for case in cases(table)]


@pytest.mark.parametrize(
    ("table", "name", "parts"), EVERY, ids=[f"{table.stem}-{name}" for table, name, _ in EVERY]
)
def test_every_form_is_read_as_its_table_says(table, name, parts, tmp_path):
    tables.check(table, name, parts, OUTCOMES, outcome(parts, tmp_path))


@pytest.mark.parametrize("table", ["conll", "conllup"])
@pytest.mark.parametrize("n", [1, 2])
def test_column_files_are_the_same_in_blocks(table, n, tmp_path):
    for number, (own, _, parts) in enumerate(EVERY):
        path, options = written(parts, tmp_path / str(number))
        if own.stem == table and "on_error" not in options and path.is_file():
            assert_same(path, n, **options)


def test_names_of_cases_are_different():
    names = [(table, name) for table, name, _ in EVERY]
    assert len({*names}) == len(names)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_damaged_files_are_errors_of_the_format(table, tmp_path):
    draw = random.Random(17)
    sound = [parts for _, parts in cases(table) if "read" in parts]
    for parts in draw.choices(sound, k=40):
        path, options = written(parts, tmp_path)
        if path.is_dir():
            continue
        data = bytearray(path.read_bytes())
        for _ in range(draw.randint(1, 4) if data else 0):
            data[draw.randrange(len(data))] = draw.choice([*data, 0, 255])
        path.write_bytes(data)
        try:
            shown(read(path, **{"format": READ_AS.get(table.stem, table.stem)} | options))
        except FormatError:
            pass
