"""Rows of Parquet: they are read as the same rows of JSON lines."""

import json
import sys

import pytest

from helpers.cases import each_case
from helpers.extras import needs
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import FormatError, format_of, read
from spacy_chance_eval.formats.parquet import json_rows
from spacy_chance_eval.tasks.convert import convert_file

NEEDS = needs("pyarrow", "parquet")
WORDS = ["Ada", "slept"]
ROWS = {
    "tagged": {"tokens": WORDS, "ner_tags": ["B-PER", "O"]},
    "jsonl": {"tokens": WORDS, "spans": [{"start": 0, "end": 1, "label": "PER"}]},
    "entities": {"text": "Ada slept", "ents": [{"start": 0, "end": 3, "label": "PER"}]},
    "doccano": {
        "text": "Ada slept",
        "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3}],
    },
}


@pytest.fixture
def file(tmp_path):
    def write(*rows, name="a.parquet", features=None, size=None):
        import pyarrow
        from pyarrow import parquet

        table = pyarrow.Table.from_pylist([*rows])
        if features is not None:
            stored = json.dumps({"info": {"features": features}})
            table = table.replace_schema_metadata({"huggingface": stored})
        parquet.write_table(table, tmp_path / name, row_group_size=size)
        return tmp_path / name

    return write


@NEEDS
@each_case("name", ["tagged", "jsonl", "entities", "doccano"])
def test_the_columns_tell_the_format(file, tmp_path, name):
    path, lines = file(ROWS[name], ROWS[name]), tmp_path / "a.jsonl"
    lines.write_text("\n".join([json.dumps(ROWS[name])] * 2))
    assert format_of(path) == name
    assert read(path).documents == read(lines).documents


@NEEDS
@each_case("ending", [".parquet", ".pq"])
def test_a_number_has_the_name_that_the_schema_has(file, ending):
    rows = [{"tokens": WORDS, "ner_tags": [1, 0]}]
    names = {"names": ["O", "B-PER"], "_type": "ClassLabel"}
    for feature in ({"feature": names, "_type": "Sequence"}, {"feature": names, "_type": "List"}):
        path = file(*rows, name=f"a{ending}", features={"ner_tags": feature})
        assert read(path).documents[0].layers == {"spans": ((0, 1, "PER"),)}


@NEEDS
@each_case("n", [1, 2, 9])
def test_blocks_have_the_documents_of_the_file(file, n):
    path = file(*[ROWS["tagged"]] * 5, size=2)
    assert_same(path, n, format="tagged")


@NEEDS
@each_case("content", [b"", b"PAR1", b"version https://git-lfs.github.com/spec/v1\n"])
def test_what_is_no_parquet_is_an_error(tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(FormatError, match="no Parquet, or damaged"):
        read(tmp_path / "a.parquet")


@each_case("to", ["jsonl"])
def test_parquet_is_not_written(tmp_path, to):
    (tmp_path / "a.jsonl").write_text(json.dumps(ROWS["jsonl"]))
    with pytest.raises(ValueError, match="a.parquet"):
        convert_file(tmp_path / "a.jsonl", f"{tmp_path}/a.parquet#format={to}")
    assert not (tmp_path / "a.parquet").exists()


def test_without_pyarrow_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ValueError, match=r"pip install 'spacy-chance-eval\[parquet\]'"):
        list(json_rows(tmp_path / "a.parquet"))


@NEEDS
def test_values_that_python_cannot_hold_are_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet

    text = pyarrow.array([b"\xff"]).view(pyarrow.utf8())
    when = pyarrow.array([2**62], pyarrow.timestamp("ms"))
    for column in (when, text):
        table = pyarrow.table({"tokens": [["Ada"]], "ner_tags": [["O"]], "when": column})
        parquet.write_table(table, tmp_path / "a.parquet")
        with pytest.raises(FormatError, match=r"a\.parquet: .*write UTF-8, and dates as texts"):
            read(tmp_path / "a.parquet", format="tagged")


@NEEDS
def test_a_schema_that_is_nested_too_deeply_names_no_labels(tmp_path):
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist([{"tokens": ["Ada"], "ner_tags": [1]}])
    table = table.replace_schema_metadata({"huggingface": "[" * 100_000})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="no names for the numbers"):
        read(tmp_path / "a.parquet")
