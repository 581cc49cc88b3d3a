"""Shards that are cut off, damaged, missing or of another version are named."""

import gzip
import re
import zlib

import pytest
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from helpers.textfiles import SPANS, WORDS, jsonl
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.errors import FormatError


def packed_docbin(**changes):
    """The bytes of a `.spacy` file of which something is otherwise."""
    docbin = DocBin(docs=[Doc(Vocab(), words=list(WORDS))]).to_bytes()
    found = srsly.msgpack_loads(zlib.decompress(docbin))
    return zlib.compress(srsly.msgpack_dumps(found | changes))


ROW = b'{"tokens": ["a", "b"], "spans": []}\n'
SHARDS = {
    "a cut off gzip": ("b.jsonl.gz", gzip.compress(ROW * 99)[:-9], "broken or cut off gzip"),
    "a cut off line": ("b.jsonl", ROW + ROW[:20], "b.jsonl:2: "),
    "a cut off .spacy": ("b.spacy", packed_docbin()[:-9], "no .spacy file, or one cut off"),
    "an empty .spacy": ("b.spacy", b"", "no .spacy file"),
    "a .spacy with a foreign group": (
        "b.spacy",
        packed_docbin(span_groups=[b"\x81\xa1a"]),
        "document 1 is damaged",
    ),
}


@pytest.mark.parametrize(("name", "data", "message"), SHARDS.values(), ids=SHARDS)
def test_a_damaged_shard_is_named(tmp_path, name, data, message):
    sound = packed_docbin() if name == "b.spacy" else ROW
    (tmp_path / name.replace("b", "a", 1).removesuffix(".gz")).write_bytes(sound)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        read_corpus(tmp_path)
    assert caught.value.path == str(tmp_path / name)


def test_a_sound_docbin_is_read(tmp_path):
    (tmp_path / "a.spacy").write_bytes(packed_docbin())
    assert read_corpus(tmp_path / "a.spacy").documents[0].words == tuple(WORDS)


@pytest.mark.parametrize("name", ["b.conll", "b.jsonl", "b.spacy", "b*.jsonl"])
def test_a_missing_shard_is_named(tmp_path, name):
    jsonl(tmp_path / "a.jsonl", SPANS)
    with pytest.raises(FormatError, match="no (such )?file") as caught:
        read_corpus(tmp_path / name)
    assert caught.value.path == str(tmp_path / name)
