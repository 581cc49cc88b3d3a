import gzip
import json

import pytest
from helpers.piecefiles import documents_of, taken
from spacy_chance_eval.corpora.pieces import Cutter, can_be_cut, files_of_source
from spacy_chance_eval.corpora.run import read_corpus

from helpers.textfiles import conll, jsonl
from spacy_chance_eval.formats.errors import FormatError


@pytest.fixture
def shards(tmp_path):
    """Three files, one of them packed, with two documents each."""
    row = json.dumps({"tokens": ["a"], "spans": []}) + "\n"
    (tmp_path / "1.jsonl").write_text(row * 2)
    (tmp_path / "2.jsonl.gz").write_bytes(gzip.compress((row * 2).encode()))
    (tmp_path / "3.jsonl").write_text(row * 2)
    (tmp_path / "README").write_text("about")
    return tmp_path


def test_documents_are_taken_across_the_borders_of_files(shards):
    found = taken(files_of_source(shards), 3)
    assert [[piece.n_docs for piece in pieces] for pieces in found] == [[2, 1], [1, 2]]
    assert [[piece.first_line for piece in pieces] for pieces in found] == [[1, 1], [2, 1]]


def test_pieces_of_files_have_the_documents_of_their_folder(shards):
    found = documents_of(files_of_source(shards), 4)
    assert tuple(found) == read_corpus(shards).documents


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("*.jsonl", ["1.jsonl", "3.jsonl"]),
        ("*.jsonl*", ["1.jsonl", "2.jsonl.gz", "3.jsonl"]),
        ("[12].*", ["1.jsonl", "2.jsonl.gz"]),
        ("?.jsonl", ["1.jsonl", "3.jsonl"]),
        ("", ["1.jsonl", "2.jsonl.gz", "3.jsonl"]),
        ("1.jsonl", ["1.jsonl"]),
    ],
)
def test_a_path_stands_for_files(shards, pattern, names):
    assert [file.name for file in files_of_source(shards / pattern)] == names


def test_a_pattern_is_read_as_one_corpus(shards):
    assert len(read_corpus(shards / "[13].jsonl").documents) == 4


def test_a_pattern_that_nothing_matches_is_an_error(shards):
    with pytest.raises(FormatError, match="no file matches this pattern"):
        files_of_source(shards / "x*.jsonl")
    with pytest.raises(FormatError, match="no file matches this pattern"):
        read_corpus(shards / "x*.jsonl")


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    path = jsonl(tmp_path / "a[1].jsonl", [])
    assert files_of_source(path) == [path]
    assert len(read_corpus(path).documents) == 1


def test_a_folder_of_brat_is_one_file(tmp_path):
    (tmp_path / "a.txt").write_text("Ada")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAda\n")
    assert files_of_source(tmp_path) == [tmp_path]
    (((piece,)),) = taken([tmp_path], 1)
    assert (piece.format, len(piece.read().documents)) == ("brat", 1)


def test_a_file_that_cannot_be_cut_comes_alone(tmp_path, shards):
    folder = tmp_path / "more"
    folder.mkdir()
    table = folder / "a.csv"
    table.write_text("doc,start,end,label,size\na,0,1,X,2\n")
    files = [shards / "1.jsonl", table, shards / "3.jsonl"]
    found = taken(files, 3)
    assert [[piece.format for piece in pieces] for pieces in found] == [
        ["jsonl"],
        ["csv"],
        ["jsonl"],
    ]
    assert [piece.n_docs for pieces in found for piece in pieces] == [2, None, 2]


@pytest.mark.parametrize("name, cut", [("a.jsonl", True), ("a.conll", True), ("a.csv", False)])
def test_what_can_be_cut_is_known_beforehand(tmp_path, name, cut):
    jsonl(tmp_path / name, [])
    assert can_be_cut(tmp_path / name, {}) is cut


def test_files_with_tokens_and_without_are_an_error(tmp_path):
    files = [jsonl(tmp_path / "a.jsonl", []), tmp_path / "b.jsonl"]
    files[1].write_text('{"text": "ab", "spans": []}\n')
    with pytest.raises(FormatError, match="b.jsonl: positions are of the kind 'char', but 'token'"):
        documents_of(files, 1, offsets="char")


def test_a_missing_file_is_an_error_when_its_turn_comes(tmp_path):
    cutter = Cutter([jsonl(tmp_path / "a.jsonl", []), tmp_path / "b.jsonl"])
    assert len(cutter.take(1)) == 1
    with pytest.raises(FormatError, match="b.jsonl: no such file"):
        cutter.take(1)


def test_an_unknown_option_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="format conll has no option 'offsets'"):
        Cutter([conll(tmp_path / "a.conll", "OOOOOOO")], offsets="char").take(1)


def test_a_file_is_closed_with_the_cutter(shards):
    cutter = Cutter([shards / "1.jsonl"])
    cutter.take(1)
    cutter.close()
    assert cutter.take(1) == []
