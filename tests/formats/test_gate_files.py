"""GATE XML and bdoc: where their files lie."""

import gzip

import pytest

from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.errors import FormatError

BDOC = '{"text": "Ada slept", "annotation_sets": {"": {"annotations": [%s]}}}'
ADA = '{"type": "PER", "start": 0, "end": 3, "features": {}}'


def test_a_url_of_nothing_is_one_error_that_names_it():
    with pytest.raises(FormatError, match="^http://localhost:9/a.xml: "):
        read("http://localhost:9/a.xml", format="gate")


def test_packed_files_are_read(tmp_path):
    (tmp_path / "a.bdocjs.gz").write_bytes(gzip.compress((BDOC % ADA).encode()))
    (one,) = read(tmp_path / "a.bdocjs.gz").documents
    assert (one.name, one.layers) == ("a", {"default": ((0, 3, "PER"),)})
