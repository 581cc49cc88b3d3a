"""Discontinuous spans in documents, tables and JSONL."""

import json
import random

import numpy as np
import pytest

from spacy_chance_eval.formats import read as read_corpus
from spacy_chance_eval.formats.alignment import in_characters, in_tokens
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.documents import joined_tables, table_of
from spacy_chance_eval.formats.duplicates import resolve_duplicates
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.losses import TARGETS, reduced

TEXT = "left and right atrium or so"
WORDS = TEXT.split()
LEFT = (0, 4, "A", ((0, 1), (3, 4)))
IN_TEXT = (0, 21, "A", ((0, 4), (15, 21)))
PARTS = {"fragments": [[0, 1], [3, 4]], "label": "A"}


@pytest.fixture
def reading(tmp_path):
    def read(*rows, **options):
        lines = [json.dumps(row) for row in rows]
        (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return read_corpus(tmp_path / "a.jsonl", **options, format="jsonl")

    return read


def row(*spans, **more):
    return {"tokens": WORDS, "spans": list(spans)} | more


def test_a_span_has_fragments_in_place_of_start_and_end(reading):
    rows = [row(PARTS, [2, 4, "A"]), row(), row({"start": 0, "end": 4, "label": "A"}, PARTS)]
    corpus = reading(*rows)
    assert corpus.documents[0].layers == {"spans": (LEFT, (2, 4, "A"))}
    spans = corpus.spans("spans")
    assert spans.fragments.tolist() == [LEFT[3], None, None, LEFT[3]]
    assert spans.doc.tolist() == [0, 0, 2, 2]


def test_pieces_with_only_a_blank_between_them_are_one_on_tokens(reading):
    parts = {"fragments": [[0, 4], [5, 8]], "label": "A", "features": {"a": 1}}
    whole = {"start": 0, "end": 8, "label": "A", "features": {"a": 2}}
    corpus = reading(row(parts, whole, text=TEXT), offsets="char")
    assert corpus.documents[0].layers["spans"] == ((0, 2, "A"),)
    resolved = resolve_duplicates(corpus, "keep").documents[0]
    assert [one.features for one in resolved.copies["spans"][0, 2, "A"]] == [{"a": 2}]


def test_a_piece_that_fits_no_tokens_leaves_the_span_without_a_place(reading):
    parts = {"fragments": [[0, 4], [16, 21]], "label": "A"}
    corpus = reading(row(parts, text=TEXT), offsets="char", misaligned="unplaced")
    assert corpus.documents[0].unplaced == {"spans": ((2, "A"),)}
    with pytest.raises(FormatError, match=r"span A \[0, 4\) \+ \[16, 21\) does not fit"):
        reading(row(parts, text=TEXT), offsets="char")


BAD = {
    "overlap": ([[0, 2], [1, 3]], "span A [[0, 2], [1, 3]]; pieces [0, 2] and [1, 3] overlap"),
    "number": (3, 'a span is {"fragments": 3, "label": "A"}; a span has'),
    "pair": ([[0, 1, 2]], 'a span is {"fragments": [[0, 1, 2]], "label": "A"}; a span has'),
    "none": ([], "span A []; a span without pieces"),
    "outside": ([[0, 1], [5, 8]], "span A [0, 8) among 6 tokens"),
    "truth": ([[0, True], [3, 4]], 'a span is {"fragments": [[0, true], [3, 4]]'),
}


@pytest.mark.parametrize(("fragments", "message"), BAD.values(), ids=BAD)
def test_bad_fragments(reading, fragments, message):
    with pytest.raises(FormatError) as caught:
        reading(row({"fragments": fragments, "label": "A"}))
    assert message in str(caught.value)


def random_corpus(seed, n_docs=6):
    """Documents with spans of one to three pieces, features and copies."""
    rng = random.Random(seed)
    documents = []
    for number in range(n_docs):
        spans = set()
        for _ in range(rng.randrange(4)):
            cuts = sorted(rng.sample(range(7), 2 * rng.randint(1, 3)))
            own = tuple(zip(cuts[::2], cuts[1::2]))
            more = () if len(own) == 1 else (own,)
            spans.add((own[0][0], own[-1][1], rng.choice("AB"), *more))
        said = {span: {"n": rng.randrange(9)} for span in spans if rng.random() < 0.5}
        documents.append(Document(WORDS, {"spans": spans}, f"d{number}", features={"spans": said}))
    return Corpus("made", documents)


def test_a_table_keeps_pieces():
    corpus = random_corpus(2)
    table = corpus.table
    assert list(table) == list(corpus.documents)
    order = [3, 0, 5, 1, 4, 2]
    assert list(table.taken(np.array(order))) == [corpus.documents[doc] for doc in order]
    parts = [table_of(corpus.documents[:2]), table_of(corpus.documents[2:])]
    assert list(joined_tables(parts)) == list(corpus.documents)
    plain = Document(WORDS, {"spans": [(0, 1, "A")]})
    assert table_of([plain]).layers["spans"].fragments is None


def test_pieces_go_to_characters_and_back():
    corpus = random_corpus(3)
    there = in_characters(corpus)
    one = in_characters(Corpus("one", [Document(WORDS, {"spans": [LEFT]})])).documents[0]
    assert one.layers == {"spans": (IN_TEXT,)}

    def tokenize(text):
        at = 0
        for word in text.split():
            at = text.index(word, at)
            yield at, at + len(word)

    back = in_tokens(there, tokenize)
    assert [one.layers for one in back.documents] == [one.layers for one in corpus.documents]
    assert [one.features for one in back.documents] == [one.features for one in corpus.documents]


@pytest.mark.parametrize("to", sorted(TARGETS))
def test_formats_without_a_place_for_them_lose_them(to):
    document = Document(WORDS, {"spans": [LEFT, (4, 5, "A")]}, "d", text=TEXT)
    made, lost = reduced(Corpus("a", [document]), to, "a.txt", main="spans")
    assert lost["fragments"] == (to != "jsonl")
    assert len(made.documents[0].layers["spans"]) == 1 + (to == "jsonl")
