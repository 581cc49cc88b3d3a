"""Documents of files, taken a few at a time and not yet read."""

import gzip
import json

import pytest

from helpers.rawfiles import documents_of, raw_reader, taken
from helpers.textfiles import conll, jsonl
from spacy_chance_eval.corpora.blocks import RawReader, can_be_divided, facts_of_file
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats.errors import FormatError


@pytest.fixture
def files(tmp_path):
    """Three files, one of them packed, with two documents each."""
    row = json.dumps({"tokens": ["a"], "spans": []}) + "\n"
    (tmp_path / "1.jsonl").write_text(row * 2)
    (tmp_path / "2.jsonl.gz").write_bytes(gzip.compress((row * 2).encode()))
    (tmp_path / "3.jsonl").write_text(row * 2)
    (tmp_path / "README").write_text("about")
    return tmp_path


def test_documents_are_taken_across_the_boundaries_of_files(files):
    found = taken([files], 3)
    assert [[raw.n_docs for raw in some] for some in found] == [[2, 1], [1, 2]]
    assert [[raw.first_line for raw in some] for some in found] == [[1, 1], [2, 1]]


@pytest.mark.parametrize("write, content", [(conll, ["O", "B-X", "O"]), (jsonl, [])])
def test_facts_of_a_file_are_those_that_its_reader_finds(tmp_path, write, content):
    path = write(tmp_path / f"a.{write.__name__}", content)
    source, found = Source(str(path)).looked_at(), {}
    with RawReader(source, [str(path)], found) as reader:
        assert reader.open_next()
    assert len(found) == 1
    assert facts_of_file((source, str(path))) == found


def test_a_file_that_cannot_be_divided_comes_alone(files):
    (files / "2.csv").write_text("doc,start,end,label,size\na,0,1,X,2\n")
    found = taken([files / "[123].[jc]*"], 3)
    shapes = [[(raw.format, raw.n_docs) for raw in some] for some in found]
    assert shapes == [[("jsonl", 2)], [("csv", None)], [("jsonl", 2), ("jsonl", 1)], [("jsonl", 1)]]


@pytest.mark.parametrize("name, divided", [("a.jsonl", True), ("a.conll", True), ("a.csv", False)])
def test_what_can_be_divided_is_known_beforehand(tmp_path, name, divided):
    path = jsonl(tmp_path / name, [])
    if not divided:
        path.write_text("doc,start,end,label,size\na,0,1,X,2\n")
    source = Source(str(path)).looked_at()
    assert can_be_divided(source, source.files) is divided


def test_files_with_tokens_and_without_are_an_error(tmp_path):
    files = [jsonl(tmp_path / "a.jsonl", []), tmp_path / "b.jsonl"]
    files[1].write_text('{"text": "ab", "spans": []}\n')
    with pytest.raises(FormatError, match="b.jsonl: positions are of the kind 'char', but 'token'"):
        documents_of(files, 1, offsets="char")


def test_a_missing_file_is_an_error_when_its_turn_comes(tmp_path):
    reader = raw_reader(jsonl(tmp_path / "a.jsonl", []), tmp_path / "b.jsonl")
    assert len(reader.take(1)) == 1
    with pytest.raises(FormatError, match="b.jsonl: no such file"):
        reader.take(1)
