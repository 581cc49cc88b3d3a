import json

import pytest

from helpers.rawfiles import assert_same, documents_of
from spacy_chance_eval.formats.errors import NotInBlocksError


@pytest.fixture
def file(tmp_path):
    def write(*rows, name="a.jsonl"):
        path = tmp_path / name
        texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_bytes("\n".join(texts).encode())
        return path

    return write


@pytest.mark.parametrize("n", [1, 2])
def test_blocks_of_tables_have_the_documents_of_the_file(file, n):
    rows = [
        "id,tokens,ner_tags",
        *(f'{n},"[""Ada"", ""ran""]","[""B-PER"", ""O""]"' for n in range(5)),
    ]
    path = file(*rows, name="a.csv")
    assert len(documents_of([path], n)) == 5
    assert_same(path, n)


def test_labels_are_of_the_kind_of_the_first_in_the_file(file):
    path = file({"text": "ab", "label": []}, {"text": "ab", "label": ["x"]})
    found = documents_of([path], 1, format="doccano")
    assert [document.categories for document in found] == [
        {"categories": ()},
        {"categories": ("x",)},
    ]


PLACED = {"tokens": ["a", "b"], "text": "ab", "spans": []}
BARE = {"text": "ab", "spans": []}


@pytest.mark.parametrize("rows", [(PLACED, BARE), (BARE, PLACED)])
def test_tokens_in_one_block_and_none_in_another_are_not_read_in_blocks(file, rows):
    with pytest.raises(NotInBlocksError):
        documents_of([file(*rows)], 1, offsets="char")
