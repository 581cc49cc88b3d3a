import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.cases import each_case, rows_in
from spacy_chance_eval.formats import read as read_corpus
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.jsonl import write_jsonl


@pytest.fixture
def reading(tmp_path):
    def read(*rows, **options):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return read_corpus(tmp_path / "a.jsonl", **options, format="jsonl")

    return read


def row(spans=(), tokens=("Ada", "slept"), **more):
    return {"tokens": list(tokens), "spans": list(spans)} | more


def span(start, end, label="X"):
    return {"start": start, "end": end, "label": label}


@each_case("bad, found", rows_in(__file__, "bad_rows.jsonl"))
def test_a_bad_row_is_an_error_with_its_line(failing, bad, found):
    assert failing(row(), bad).startswith(f":2: {found}")


@pytest.mark.parametrize(
    "options",
    [{"offsets": "byte"}, {"misaligned": "drop"}, {"annotator": "spans"}, {"annotator": 1}],
    ids=str,
)
def test_an_unknown_option_is_an_error(reading, options):
    with pytest.raises(ValueError, match="unknown"):
        reading(row(), **options)


LABELS = st.text(min_size=1, max_size=3)
NAMES = st.text(max_size=3).filter(lambda name: name != "spans")
SIMPLE = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
ATTRIBUTES = st.dictionaries(st.text("xyz", min_size=1), SIMPLE | st.text(), max_size=2)
FEATURES = st.dictionaries(st.text(max_size=2), SIMPLE | st.lists(SIMPLE, max_size=2), max_size=2)


def spans_up_to(size):
    if not size:
        return st.just([])
    places = st.tuples(st.integers(0, size - 1), st.integers(1, size), LABELS)
    return st.lists(places.filter(lambda place: place[0] < place[1]), unique=True, max_size=4)


@st.composite
def documents(draw, by_char=False):
    words = draw(st.lists(st.text(min_size=1, max_size=3), max_size=5))
    spaces = draw(st.none() | st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    text = "".join(words) if by_char else None
    size = len(text if by_char else words)
    layers = draw(st.dictionaries(NAMES | st.just("spans"), st.none() | spans_up_to(size)))
    pairs = st.lists(st.tuples(st.integers(1, 9), LABELS), min_size=1, max_size=2)
    sents = draw(st.sets(st.integers(0, size - 1))) if size else ()
    features = {
        name: {span: draw(FEATURES) for span in rows or ()} for name, rows in layers.items()
    }
    labels = st.none() | st.lists(LABELS, unique=True, max_size=2)
    return Document(
        () if by_char else words,
        layers,
        name=draw(st.none() | st.text()),
        sents=sents,
        missing=[place[:2] for place in draw(spans_up_to(size))],
        unplaced=draw(st.dictionaries(NAMES, pairs, max_size=2)),
        text=text,
        spaces=None if by_char or not words else spaces,
        attributes=draw(ATTRIBUTES),
        missing_in={name: [place[:2] for place in draw(spans_up_to(size))] for name in layers},
        features=features,
        categories=draw(st.dictionaries(st.text(max_size=3), labels, max_size=2)),
    )


@pytest.mark.parametrize("positions", ["token", "char"])
@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_write_then_read_is_the_identity(tmp_path, positions, data):
    some = data.draw(st.lists(documents(positions == "char"), min_size=1, max_size=3))
    corpus = Corpus("x", some, positions)
    write_jsonl(tmp_path / "x.jsonl", corpus)
    assert read_corpus(tmp_path / "x.jsonl", offsets=positions, format="jsonl") == corpus


def test_characters_carried_over_are_written_as_tokens(reading, tmp_path):
    row = {
        "text": "Ada  slept.",
        "tokens": ["Ada", "slept", "."],
        "spans": [span(6, 9), span(0, 3)],
    }
    corpus = reading(row, offsets="char", misaligned="unplaced")
    write_jsonl(tmp_path / "b.jsonl", corpus)
    assert read_corpus(tmp_path / "b.jsonl", format="jsonl") == corpus
