"""Tables with what forms/csv.txt cannot hold: bytes, long cells, and texts in other files."""

import csv
import json
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


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_bytes("Ada\r\n🚀 Rex".encode())
    (folder / "sub" / "b.txt").write_text("B")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def jsonl(tmp_path):
    def write(*rows):
        path = tmp_path / "texts.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return path

    return write


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


# --- texts from elsewhere

PLACES = "document,start,end,label,text\n"


def test_a_folder_has_the_texts(reading, texts):
    table = f"{PLACES}a,5,6,X,🚀\nsub/b,0,1,Y,\n"
    one, two = reading(table, offsets="char", texts=texts).documents
    assert (one.text, one.layers, one.size) == ("Ada\r\n🚀 Rex", {"spans": ((5, 6, "X"),)}, None)
    assert two.text == "B"


@each_case(
    ("table", "options", "message"),
    [
        (
            f"{PLACES}a,0,3,X,Ada\na,4,5,Y,🚀\n",
            {"offsets": "char"},
            't.csv:3: span Y [4, 5) quotes "🚀", but the text has "\\n"',
        ),
        (
            f"{PLACES}a,8,11,X,Rex\n",
            {"offsets": "char"},
            "t.csv:2: span X [8, 11) among 10 characters",
        ),
        (FIRST, {"offsets": "char"}, "of size 9, 10"),
        (FIRST, {}, 'a document "a" without tokens'),
    ],
)
def test_rows_that_do_not_fit_their_texts_are_errors(failing, texts, table, options, message):
    assert message in failing(table, texts=texts, **options)


def test_jsonl_has_texts_or_tokens(reading, jsonl):
    path = jsonl(
        {"id": "a", "text": "Ada met", "tokens": ["Ada", "met"]}, {"id": "b", "tokens": []}
    )
    table = f"{PLACES}a,1,2,X,no matter\nb,,,,\n"
    one, two = reading(table, texts=path).documents
    assert (one.words, one.text, two.words, two.size) == (("Ada", "met"), "Ada met", (), None)


@each_case("offsets, row", [
    ("token", {"id": "a", "text": "Ada"}), ("char", {"id": "a", "tokens": ["Ada"]}),
    ("char", {"text": "Ada"}), ("char", {"id": True, "text": "A"}),
    ("char", {"id": "a", "text": 1}),
])  # fmt: skip
def test_a_row_that_lacks_what_is_needed_is_an_error_of_its_file(reading, jsonl, offsets, row):
    with pytest.raises(FormatError, match="text"):
        reading(FIRST, texts=jsonl(row), offsets=offsets)


def test_two_texts_of_one_document_are_an_error(reading, jsonl):
    row = {"id": "a", "text": "Ada"}
    with pytest.raises(FormatError, match="two texts of one name"):
        reading(FIRST, texts=jsonl(row, row), offsets="char")
