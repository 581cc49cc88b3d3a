"""Documents as the columns of a table."""

import pickle
import random
from dataclasses import replace

import pytest

from spacy_chance_eval.formats.documents import Document, joined_tables, table_of
from spacy_chance_eval.measures.spans import Copy
from spacy_chance_eval.measures.words import ByteWords, document_words_of

SEEDS = range(12)


def some_documents(seed: int, *, named: bool = True) -> list[Document]:
    """Documents that have, or lack, all that documents can have."""
    rng = random.Random(seed)
    plain = seed % 3 == 0
    return [
        some_document(rng, f"d{i}" if named else None, plain) for i in range(rng.randint(1, 30))
    ]


def some_document(rng: random.Random, name: str | None, plain: bool) -> Document:
    size = rng.randint(0, 9)
    spans = sorted(
        {tuple(sorted(rng.sample(range(size + 1), 2))) for _ in range(3)} if size else ()
    )
    rows = [(*span, rng.choice("AB")) for span in spans]
    layers = {"one": rng.choice([rows, rows, (), None])}
    if rng.random() < 0.5:
        layers["two"] = rows[:1]
    words = [rng.choice(["a", "b", "é", "", "\ud800"]) for _ in range(size)]
    if plain:
        return Document(words, layers, name=name, sents=range(0, size, 4))
    taken = layers["one"] or ()
    return Document(
        words,
        layers,
        name=name,
        sents=rng.choice([(), range(0, size, 4)]),
        missing=rng.choice([(), [(0, 1)] * bool(size)]),
        missing_in=rng.choice([{}, {"one": [(1, 2)] if size > 1 else []}]),
        unplaced=rng.choice([{}, {"one": [(2, "C")], "two": [(1, "A")]}]),
        lines=rng.choice([None, range(5, 5 + size)]),
        text=rng.choice([None, "text"]),
        spaces=rng.choice([None, [True] * size]),
        attributes=rng.choice([{}, {"article": 3}]),
        path=rng.choice([None, "a.conll"]),
        features={"one": {span: {"kind": 1} for span in taken[:1]}},
        copies={"one": {span: (Copy({"kind": 2}),) for span in taken[:1]}},
        categories=rng.choice([{}, {"cat": ["X"]}, {"cat": None}]),
    )


def fields_of(document: Document) -> dict:
    """All fields, also those that equality passes over."""
    return {**vars(document), "lines": document.lines and tuple(document.lines)}


def assert_same(one, two) -> None:
    assert list(map(fields_of, one)) == list(map(fields_of, two))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_gives_the_documents_back(seed):
    documents = some_documents(seed)
    table = table_of(documents)
    assert_same(table, documents)
    assert_same([table[-1], *table[1:3]], [documents[-1], *documents[1:3]])


def test_a_table_equals_its_documents_in_either_order():
    documents = tuple(some_documents(0))
    table = table_of(documents)
    assert table == documents and documents == table
    assert table != documents[1:] and table != (*documents[:-1], Document((), {}))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("positions", ["token", "char"])
def test_tables_can_be_joined(seed, positions):
    parts = [some_documents(seed), some_documents(seed + 1, named=False), some_documents(seed + 2)]
    if positions == "char":
        parts = [[replace(one, words=()) for one in part] for part in parts]
    tables = [table_of(part, positions) for part in parts]
    assert_same(joined_tables(tables), [one for part in parts for one in part])


@pytest.mark.parametrize("seed", SEEDS)
def test_stretches_end_at_sentences_and_leave_missing_positions_out(seed):
    documents = some_documents(seed)
    found = [
        (d, start, end)
        for d, one in enumerate(documents)
        for start, end in stretches_of(one, {t for gap in one.gaps("one") for t in range(*gap)})
    ]
    assert sorted(map(tuple, table_of(documents).stretches("one").tolist())) == found


def stretches_of(document: Document, out: set[int]) -> list[tuple[int, int]]:
    """The stretches, position by position."""
    found, size = [], len(document.words)
    cuts = {0, *document.sents, *(t for gap in document.gaps("one") for t in gap)}
    for t in range(size):
        if t in out:
            continue
        if t in cuts or not found or found[-1][1] < t:
            found.append((t, t + 1))
        else:
            found[-1] = (found[-1][0], t + 1)
    return found


@pytest.mark.parametrize("words", [[], ["a"], ["a", "", "é", "\ud800"]], ids=len)
def test_words_are_the_same_as_bytes(words):
    found = document_words_of([words])
    assert isinstance(found, ByteWords) and found == tuple(words) == tuple(found)
    assert [found[i] for i in range(len(words))] == words and found[1:3] == tuple(words[1:3])
    assert found[::-1] == tuple(words[::-1]) and pickle.loads(pickle.dumps(found)) == found


def test_equal_words_have_equal_hashes():
    assert len({document_words_of([["a", "b"]]), ("a", "b")}) == 1
