import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.formats import read as read_corpus
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
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


@each_case(
    "bad, found",
    [
        ("{", "invalid JSON"),
        ("[" * 100000, "invalid JSON"),
        ('{"tokens": ["a"], "x": NaN}', "invalid JSON (NaN is not JSON)"),
        ('{"tokens": ["\\ud83d"]}', "invalid JSON (half of a surrogate pair)"),
        ("[]", "[], not an object"),
        ({"spans": []}, "a row without 'tokens' and 'text'"),
        (row() | {"tokens": "Ada"}, "'tokens' is \"Ada\""),
        (row(tokens=["a", ""]), 'a token is ""; a token is a text that is not empty'),
        (row(tokens=["a", 1]), "a token is 1; a token is a text"),
        (row(tokens=[{"start": 0}]), 'a token is {"start": 0}'),
        (
            row(tokens=[{"text": "a", "start": "0", "end": 1}]),
            'a token is {"text": "a", "start": "0"',
        ),
        (row(tokens=[{"text": "a", "start": 2, "end": 1}]), "token 0 is at [2, 1)"),
        (row(tokens=[{"text": "a", "start": 1, "end": 2}], text="ab"), 'token 0 is "a", but'),
        (row(spaces=[True]), "'spaces' is [true]"),
        (row(spaces=[True, False], text="Ada  slept"), 'token 1 is "slept", but'),
        (row(id=[1]), "'id' is [1]"),
        (row(id=True), "'id' is true"),
        (row(text=1), "'text' is 1"),
        (row() | {"spans": 1}, "'spans' is 1"),
        (row(layers=[]), "'layers' is []"),
        (row(layers={"x": 1}), "'layers' is {\"x\": 1}; expected a list"),
        (row(layers={"spans": []}), "a layer 'spans' beside the key 'spans'"),
        (row([1]), "a span is 1"),
        (row([[0, 1]]), "a span is [0, 1]"),
        (row([span(1, 1)]), "span X [1, 1) among 2 tokens"),
        (row([span(1, 0)]), "span X [1, 0) among 2 tokens"),
        (row([span(0, 3)]), "span X [0, 3) among 2 tokens"),
        (row([span(-1, 1)]), 'a span is {"start": -1'),
        (row([span("0", 1)]), 'a span is {"start": "0"'),
        (row([span(0, 1.0)]), 'a span is {"start": 0, "end": 1.0'),
        (row([span(False, True)]), 'a span is {"start": false'),
        (row([{"start": 0, "end": 1}]), 'a span is {"start": 0, "end": 1}; a span has'),
        (row([span(0, 1, "")]), 'a span is {"start": 0, "end": 1, "label": ""}; a span has'),
        (row(sents=[1, 0]), "'sents' is [1, 0]"),
        (row(sents=[0, 2]), "'sents' is [0, 2]"),
        (row(sents=["0"]), "'sents' is \"0\""),
        (row(missing=[[0, 3]]), "'missing' has [0, 3]"),
        (row(missing=[1]), "'missing' is [1]"),
        (row(unplaced={"spans": [[2**70, "X"]]}), "'unplaced' is ["),
        (row(unplaced={"spans": [[0, "X"]]}), "'unplaced' is [0, \"X\"]"),
        (row(missing_in={"spans": [[0, 3]]}), "'missing' has [0, 3]"),
        (row(missing_in=[]), "'missing_in' is []"),
        (row([span(0, 1) | {"features": 1}]), 'a span is {"start": 0, "end": 1'),
        (row(categories=1), "'categories' is 1"),
        (row(categories={"ada": "x"}), '\'categories\' is {"ada": "x"}'),
        (row(categories={"ada": [1]}), "'categories' is {\"ada\": [1]}"),
        (row(categories={"ada": ["x", "x"]}), '\'categories\' has {"ada": ["x", "x"]}'),
        (row(categories=[""]), "'categories' is [\"\"]"),
        (row(cats=[1]), "'cats' is [1]"),
        (row(cats={"x": "1"}), '\'cats\' is {"x": "1"}'),
        (row(cats={"x": float("nan")}), "invalid JSON (NaN is not JSON)"),
        (row(cats={"x": 1}, categories=["y"]), "'cats' beside the layer 'categories'"),
    ],
)
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


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_write_then_read_is_the_identity(tmp_path, documents):
    corpus = Corpus("x", documents)
    write_jsonl(tmp_path / "x.jsonl", corpus)
    assert read_corpus(tmp_path / "x.jsonl", format="jsonl") == corpus


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(documents(by_char=True), min_size=1, max_size=3))
def test_write_then_read_is_the_identity_for_characters(tmp_path, documents):
    corpus = Corpus("x", documents, "char")
    write_jsonl(tmp_path / "x.jsonl", corpus)
    assert read_corpus(tmp_path / "x.jsonl", offsets="char", format="jsonl") == corpus


def test_characters_carried_over_are_written_as_tokens(reading, tmp_path):
    row = {
        "text": "Ada  slept.",
        "tokens": ["Ada", "slept", "."],
        "spans": [span(6, 9), span(0, 3)],
    }
    corpus = reading(row, offsets="char", misaligned="unplaced")
    write_jsonl(tmp_path / "b.jsonl", corpus)
    assert read_corpus(tmp_path / "b.jsonl", format="jsonl") == corpus


def test_plain_rows_are_what_other_rows_are(file):
    rng = random.Random(3)
    rows = []
    for number in range(40):
        words = rng.choices(["Ada", "Zürich", "a b", '"', "東京", "."], k=rng.randint(1, 6))
        text, ends = " ".join(words), [0]
        for word in words:
            ends.append(ends[-1] + len(word) + 1)
        cuts = [sorted(rng.sample(range(len(ends)), 2)) for _ in range(rng.randrange(3))]
        spans = [span(ends[a], ends[b] - 1) for a, b in cuts]
        spans.append(span(0, max(1, len(text) - rng.randrange(2))))
        spaces = [True] * (len(words) - 1) + [False]
        rows.append({"id": number, "tokens": words, "text": text, "spaces": spaces, "spans": spans})
    options = {"offsets": "char", "misaligned": "unplaced"}
    plain = read_corpus(file(*rows), **options, format="jsonl")
    assert plain == read_corpus(file(*rows, name="a.json"), **options, format="jsonl")
    assert any(one.unplaced for one in plain.documents)
    other = read_corpus(
        file(*(row | {"x": 1} for row in rows), name="b.jsonl"), **options, format="jsonl"
    )
    assert [one.layers for one in other.documents] == [one.layers for one in plain.documents]
    for document, row in zip(plain.documents, rows):
        marked = {(one["start"], one["end"]) for one in row["spans"]}
        found = {" ".join(document.words[a:b]) for a, b, _ in document.layers["spans"]}
        assert found <= {row["text"][a:b] for a, b in marked}


def test_nesting_of_any_depth_is_an_error_and_nothing_else(tmp_path):
    for depth in (*range(900, 1010), 100_000):
        (tmp_path / "a.jsonl").write_text('{"tokens": ' + "[" * depth + "]" * depth + "}")
        with pytest.raises(FormatError):
            read_corpus(tmp_path / "a.jsonl", format="jsonl")
