"""Discontinuous spans in formats: what was written is read again, and what cannot be is said."""

import random

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import READERS, Corpus, Document, read
from spacy_chance_eval.formats.losses import TARGETS, reduced, sentences

WORDS = ("left", "and", "right", "\U0001f600", "atrium", "or", "so", ".")
LEFT = (0, 5, "A", ((0, 1), (4, 5)))


def corpus(seed, n_docs=1):
    """Documents with spans of one to three pieces, some with a feature."""
    rng = random.Random(seed)
    documents = []
    for number in range(n_docs):
        spans = set()
        for _ in range(rng.randint(1, 4)):
            cuts = sorted(rng.sample(range(9), 2 * rng.randint(1, 3)))
            own = tuple(zip(cuts[::2], cuts[1::2]))
            more = () if len(own) == 1 else (own,)
            spans.add((own[0][0], own[-1][1], rng.choice("AB"), *more))
        said = {span: {"note": rng.choice("xyz")} for span in spans if rng.random() < 0.5}
        documents.append(Document(WORDS, {"spans": spans}, f"d{number}", features={"spans": said}))
    return Corpus("made", documents)


def written(tmp_path, made):
    """The path of a corpus that was written, of which nothing was lost."""
    left, lost = reduced(made, "jsonl", "a.jsonl")
    assert not lost
    READERS["jsonl"].write(tmp_path / "a.jsonl", left)
    return tmp_path / "a.jsonl"


def said(document):
    """The spans of a document with what is said of them."""
    (layer,) = document.layers
    features = document.features.get(layer, {})
    return {span: dict(features.get(span, {})) for span in document.layers[layer]}


@pytest.mark.parametrize("seed", range(6))
def test_what_was_written_is_read_again(tmp_path, seed):
    found = read(written(tmp_path, corpus(seed)))
    assert [*map(said, found.documents)] == [*map(said, corpus(seed).documents)]


@each_case("to", sorted(TARGETS.keys() - {"jsonl"}))
def test_formats_without_a_place_for_pieces_lose_the_span_and_say_so(to):
    made = Corpus("x", [Document(WORDS, {"spans": [LEFT, (1, 2, "A")]}, "d")])
    left, lost = reduced(made, to, "x", main="spans")
    assert "1 discontinuous span" in ", ".join(sentences(lost))
    assert [len(span) for one in left.documents for span in one.layers["spans"]] == [3]


@pytest.mark.parametrize("n", [1, 3])
def test_blocks_have_the_spans_of_the_file(tmp_path, n):
    assert_same(written(tmp_path, corpus(7, 7)), n)
