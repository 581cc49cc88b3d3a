"""Tables with what forms/csv.txt cannot hold: bytes and long cells."""

import csv
import re

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats import read as read_
from spacy_chance_eval.formats.errors import FormatError

HEADER = "document,annotator,start,end,label,size"
FIRST = f"{HEADER}\na,Ada,0,2,PER,9\n"


@pytest.fixture
def reading(tmp_path):
    def read(table, name="t.csv", **options):
        (tmp_path / name).write_bytes(table if isinstance(table, bytes) else table.encode())
        return read_(tmp_path / name, format="csv", **options)

    return read


@pytest.fixture
def failing(reading):
    def fail(*arguments, **options):
        with pytest.raises(FormatError) as caught:
            reading(*arguments, **options)
        return re.sub(r"^.*?t\.csv", "t.csv", str(caught.value))

    return fail


@each_case(
    "table",
    [
        FIRST.replace("\n", "\r\n"),
        FIRST.replace("\n", "\r"),
        f"\ufeff{FIRST}",
        f"{FIRST}\n\n",
        FIRST[:-1],
        FIRST.replace(",", " ,", 3).replace(" ,Ada", ",Ada"),
        FIRST.replace("Ada,0,2", '"Ada",0.0, 2'),
    ],
)
def test_what_spreadsheets_do_to_tables_makes_no_difference(reading, table):
    assert reading(table) == reading(FIRST)


@pytest.mark.parametrize("cut", ['a,"Ada,0,2,PER,9\n', 'a,"A"da,0,2,PER,9\n'])
def test_quotes_that_are_not_closed_are_an_error(failing, cut):
    assert re.match(r"t\.csv:[34]: no table: a quote is not closed", failing(f"{FIRST}{cut}"))


def test_a_cell_of_a_million_characters_is_an_error(failing):
    message = failing(f"{FIRST}a,Ada,0,2,{'x' * 1_000_000},9\n")
    assert message.startswith(
        "t.csv:3: no table: a quote is not closed, or a cell has over 131,072 "
    )
    assert csv.field_size_limit() == 131_072
