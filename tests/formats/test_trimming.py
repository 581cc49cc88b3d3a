"""`trim`: white space and punctuation are cut off at both ends of spans."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_chance_eval.formats import FormatError, read
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.duplicates import trim_spans
from spacy_chance_eval.formats.notes import TRIMMED


def in_text(text, *spans, **more):
    return Corpus("a.json", [Document((), {"spans": spans}, text=text, **more)], "char")


def spans_of(corpus):
    return corpus.documents[0].layers["spans"]


def texts_of(corpus):
    document = corpus.documents[0]
    content = document.text if corpus.positions == "char" else document.words
    return [content[start:end] for start, end, *_ in spans_of(corpus)]


CASES = {
    "space": (" Oslo \n", "Oslo"),
    "comma": ("Oslo,", "Oslo,"),
    "inner": ("New - York", "New - York"),
    "no-break": ("\u00a0Oslo\u200b", "Oslo"),
    "blank": ("  ", "  "),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_cut_off(name):
    text, expected = CASES[name]
    corpus = in_text(f"x{text}x", (1, 1 + len(text), "A"))
    assert texts_of(trim_spans(corpus)) == [expected]


def test_equal_spans_become_one_and_keep_their_features_as_copies():
    one, two = (0, 4, "A"), (0, 5, "A")
    corpus = in_text("Oslo x", one, two, features={"spans": {one: {"a": 1}, two: {"a": 2}}})
    (document,) = trim_spans(corpus).documents
    assert document.layers["spans"] == (one,)
    assert document.features["spans"] == {one: {"a": 1}}
    assert [copy.features for copy in document.copies["spans"][one]] == [{"a": 2}]


@given(
    text=st.text("abc .,\n«", min_size=1),
    places=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9))),
)
def test_trimming_again_changes_nothing(text, places):
    size = len(text)
    spans = {(min(a, size - 1), min(min(a, size - 1) + n, size), "A") for a, n in places}
    once = trim_spans(in_text(text, *sorted(spans)))
    assert trim_spans(once).documents == once.documents
    for found in texts_of(once):
        assert found == found.strip() or not found.strip()


def test_spans_without_a_text_are_refused():
    corpus = Corpus("a.csv", [Document((), {"spans": [(0, 2, "A")]}, size=5)], "char")
    with pytest.raises(FormatError, match="document 1 has a size, but no text, which trim=space"):
        trim_spans(corpus)
    assert trim_spans(Corpus("a.csv", [Document((), {"spans": []}, size=5)], "char"))


# --- files

TEXT = "Ada met Rex (in Oslo)."
LOOSE = [(0, 4, "PER"), (7, 11, "PER"), (16, 20, "LOC")]


def jsonl(path, spans, **more):
    row = {
        "id": "1",
        "text": TEXT,
        "spans": [dict(zip(("start", "end", "label"), s)) for s in spans],
    }
    path.write_text(json.dumps(row | more))
    return str(path)


TOKENS = [(0, 3), (4, 7), (8, 11), (12, 13), (13, 15), (16, 20), (20, 21), (21, 22)]


def test_spans_in_characters_are_cut_before_they_are_placed_on_tokens(tmp_path):
    tokens = [TEXT[a:b] for a, b in TOKENS]
    path = jsonl(tmp_path / "a.jsonl", LOOSE, tokens=tokens)
    with pytest.raises(
        FormatError, match="boundaries of tokens; --read trim=space cuts off what lies"
    ):
        read(path, offsets="char")
    part = jsonl(tmp_path / "b.jsonl", [[1, 4, "PER"]], tokens=tokens)
    with pytest.raises(FormatError, match="boundaries of tokens; move it"):
        read(part, offsets="char")
    placed = read(path, offsets="char", trim="space")
    assert spans_of(placed) == ((0, 1, "PER"), (2, 3, "PER"), (5, 6, "LOC"))
    assert placed.notes.count(TRIMMED) == 2
    assert read(path, offsets="char", misaligned="unplaced").documents[0].unplaced
