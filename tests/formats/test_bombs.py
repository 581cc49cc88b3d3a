"""Packed files that unpack to far more: reading stops at a stated ratio, and says what to do."""

import gzip
import json
import tracemalloc
import zlib

import pytest

from helpers.textfiles import GOLD, call, conll, failed
from spacy_chance_eval import read
from spacy_chance_eval.formats import files
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import MAX_RATIO, MAX_UNPACKED, open_bytes

LINES = {
    "a.conll.gz": b"x O\n",
    "a.jsonl.gz": b'{"tokens": ["x"], "spans": []}\n',
    "a.bioc.xml.gz": b"\n",
    "a.conllu.gz": b"1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n",
}


def bomb(path, line=b"\n", n_bytes=MAX_UNPACKED * 2):
    """A file of gzip that repeats a line."""
    with gzip.open(path, "wb", compresslevel=9) as file:
        many = line * (2**16 // len(line))
        for _ in range(n_bytes // len(many)):
            file.write(many)
    return path


@pytest.fixture
def small(monkeypatch):
    """A limit that small files reach."""
    monkeypatch.setattr(files, "MAX_UNPACKED", 2**18)
    monkeypatch.setattr(files, "MAX_RATIO", 50)
    return 2**19


@pytest.mark.parametrize("name", LINES)
def test_a_bomb_is_an_error_that_says_what_to_do(tmp_path, small, name):
    path = bomb(tmp_path / name, LINES[name], small)
    said = failed("score", path, path, *(["--format", "bioc"] if "bioc" in name else []))
    assert "packed more than 50 times smaller" in said and "unpack it first (gunzip)" in said
    assert name in said


def test_the_advice_helps(tmp_path, small):
    path = bomb(tmp_path / "a.conll.gz", b"x B-A\n\n", small // 8)
    assert call("score", path, path).exit_code == 0  # not large enough to be a bomb
    path = bomb(tmp_path / "a.conll.gz", b"x B-A\n\n", small)
    failed("score", path, path)
    (tmp_path / "a.conll").write_bytes(gzip.decompress(path.read_bytes()))
    assert call("score", tmp_path / "a.conll", tmp_path / "a.conll").exit_code == 0


def test_a_file_that_is_packed_by_less_may_be_of_any_size(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_UNPACKED", 2**12)
    rows = [{"tokens": [f"word{i * i}"], "spans": [[0, 1, "A"]]} for i in range(5000)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with gzip.open(tmp_path / "b.jsonl.gz", "wb") as file:
        file.write((tmp_path / "a.jsonl").read_bytes())
    assert read(tmp_path / "b.jsonl.gz") == read(tmp_path / "a.jsonl")


@pytest.mark.parametrize("size", [0, 1, 10**5, 10**6])
def test_unpacking_gives_every_byte_also_of_several_members(tmp_path, size):
    data = bytes(i * i % 251 for i in range(size))
    (tmp_path / "a.gz").write_bytes(gzip.compress(data) + gzip.compress(data[::-1]))
    with open_bytes(tmp_path / "a.gz") as file:
        assert file.peek(2)[:2] == (data + data[::-1])[:2]
        assert file.read() == data + data[::-1]


@pytest.mark.integration
def test_at_the_stated_limits_memory_stays_below_a_few_blocks(tmp_path):
    path = bomb(tmp_path / "a.gz", n_bytes=MAX_UNPACKED * 3)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=f"more than 64 MB .* {MAX_RATIO} times"):
            with open_bytes(path) as file:
                while file.read(2**16):
                    pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**24


def test_a_docbin_that_is_a_bomb_is_never_unpacked_as_a_whole(tmp_path, small):
    (tmp_path / "a.spacy").write_bytes(zlib.compress(bytes(small), 9))
    said = failed("score", tmp_path / "a.spacy", tmp_path / "a.spacy")
    assert "packed more than 50 times smaller" in said and "divide it into several" in said


def test_a_parquet_file_that_is_a_bomb_stops(tmp_path, small):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = ["x" * 1000] * (small // 1000)
    table = pyarrow.table({"text": texts, "spans": [[]] * len(texts)})
    parquet.write_table(table, tmp_path / "a.parquet")
    said = failed("score", tmp_path / "a.parquet", tmp_path / "a.parquet")
    assert "packed more than 50 times smaller" in said and "write its rows as JSON lines" in said
    conll(tmp_path / "a.conll", GOLD)
    lines = [json.dumps(row) for row in table.slice(0, 10).to_pylist()]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))  # as advised
    assert "trap" not in call("score", tmp_path / "a.jsonl", tmp_path / "a.jsonl").stderr
