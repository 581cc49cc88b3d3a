"""Every reader by tables: files and options, and what is read, or the error.

A table is a file of `forms`, one for each format, with cases such as

    === name of the case
    --- options {"annotator": "user"}
    --- a.jsonl
    {"text": "Ada slept", "label": [[0, 3, "PER"]]}
    --- read
    positions: char
    None: Ada slept
      spans: PER [0, 3)

The first file is read, or with the option "folder" all of them; `--- a.conll escaped` has escapes
such as \\r in its content. Outcomes are `read` or `error`. To write them again, and then look at
the change: `SNAPSHOT_UPDATE=1 pytest tests/formats/test_forms.py`.
"""

import json
import os
import random
import re
from pathlib import Path

import pytest

from helpers.rawfiles import assert_same
from helpers.shown import shown
from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.errors import FormatError

TABLES = sorted((Path(__file__).parent / "forms").glob("*.txt"))
OUTCOMES = ("read", "error")
READ_AS = {"annotators": "jsonl"}  # tables that have no name of a format


def cases(table):
    """(name of the case, {head of a part: its text}) of each case of a table."""
    for case in re.split(r"^=== ", table.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, _, rest = case.partition("\n")
        parts = re.split(r"^--- (.*)\n", rest, flags=re.M)[1:]
        yield name, dict(zip(parts[::2], parts[1::2]))


def content_of(head, text):
    """The bytes of a file whose part has this head."""
    if head.endswith(" escaped"):
        text = text.removesuffix("\n").encode("ascii").decode("unicode_escape")
    return text.encode("utf-8", "surrogatepass")


def written(parts, folder):
    """(path, options) of a case, whose files are written."""
    options, paths = {}, []
    for head, text in parts.items():
        kind, _, more = head.partition(" ")
        if kind == "options":
            options = json.loads(more)
        elif kind not in OUTCOMES:
            paths.append(folder / kind)
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_bytes(content_of(head, text))
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
    found = outcome(parts, tmp_path)
    said = next(((kind, parts[kind]) for kind in OUTCOMES if kind in parts), None)
    if os.environ.get("SNAPSHOT_UPDATE") and found != said:
        inputs = {head: text for head, text in parts.items() if head not in OUTCOMES}
        whole = "".join(
            f"--- {head}\n{text}" for head, text in {**inputs, found[0]: found[1]}.items()
        )
        text = table.read_text(encoding="utf-8")
        start = f"=== {name}\n"
        before, _, rest = text.partition(start)
        behind = rest.find("\n=== ")
        after = rest[behind + 1 :] if behind >= 0 else ""
        table.write_text(before + start + whole + after, encoding="utf-8")
    else:
        assert found == said


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
