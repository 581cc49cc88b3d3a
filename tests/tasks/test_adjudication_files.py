"""New gold sets as files: formats, what they refuse, what gets lost."""

import pytest

from helpers.differing import EQUAL, FEW, OSLO, PER, REX, WORDS, compare, corpora
from spacy_chance_eval import FormatError, diff, read, side_by_side
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.tasks.adjudicate import write_taken

SHORT = (2, 3, "PER")  # what FEW has in place of REX


def written(tmp_path, name, found=None, take="pred", **keys):
    """What was written, read again."""
    _, lost = write_taken(found or compare(FEW, EQUAL), take, tmp_path / name, keys)
    return read_corpus(tmp_path / name, **keys), lost


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("new.jsonl", {}),
        ("new.jsonl.gz", {}),
        ("new.conll", {}),
        ("new.jsonl", {"format": "prodigy"}),
        ("new", {"format": "tagged"}),
    ],
)
def test_any_format_can_be_written(tmp_path, name, keys):
    again, _ = written(tmp_path, name, **keys)
    (layer,) = again.layer_names
    assert len(again.documents) == 2
    assert len(again.documents[0].layers[layer]) == 2


def test_docbins_have_the_new_entities(tmp_path):
    again, _ = written(tmp_path, "new.spacy")
    assert again.documents[0].layers["ents"] == (PER, SHORT)
    found = side_by_side(again, corpora(FEW, EQUAL)[1])
    assert diff(found).counts.sum(axis=0).tolist() == [4, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [("new.conll", "1 overlapping span; write JSONL"), ("new.spacy", "1 overlapping span")],
)
def test_spans_that_overlap_are_refused_where_they_have_no_place(tmp_path, name, message):
    with pytest.raises(FormatError, match=message):
        written(tmp_path, name, take="both")
    assert not list(tmp_path.iterdir())


def test_overlapping_spans_can_become_a_span_group(tmp_path):
    found, lost = write_taken(compare(FEW), "both", tmp_path / "new.spacy", {"ents": "none"})
    again = read_corpus(tmp_path / "new.spacy")
    assert again.documents[0].layers["spans:spans"] == (PER, SHORT, REX, OSLO) and not lost


def test_what_gets_lost_is_told(tmp_path):
    layers = [{"spans": FEW[0], "other": [OSLO]}]
    corpus = Corpus("gold.jsonl", [Document(WORDS, one, "d") for one in layers])
    write_jsonl(tmp_path / "gold.jsonl", corpus)
    pred = Corpus("pred", [Document(WORDS, {"spans": FEW[1]}, "d")])
    found = diff(side_by_side(read(tmp_path / "gold.jsonl"), pred))
    _, lost = write_taken(found, "pred", tmp_path / "new", {"format": "tagged"})
    assert "1 span of the layer 'other'" in lost
    _, lost = write_taken(found, "pred", tmp_path / "new.jsonl", {})
    assert lost == []


def test_an_ending_that_tells_no_format_needs_one(tmp_path):
    with pytest.raises(ValueError, match="does not tell the format to write; name it"):
        written(tmp_path, "new.xyz")
    with pytest.raises(ValueError, match="unknown format 'xyz'"):
        write_taken(compare(FEW), "pred", tmp_path / "new.jsonl", {"format": "xyz"})
