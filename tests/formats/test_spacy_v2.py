"""spaCy's JSON for training, of version 2."""

import json
import random

import pytest
from spacy.training.converters.json_to_docs import json_to_docs

from helpers.cases import each_case
from spacy_chance_eval.formats import FormatError, format_of, read


def token(orth, ner=None, **more):
    return {"orth": orth, "tag": "X", **({} if ner is None else {"ner": ner}), **more}


ADA = [token("Ada", "B-PER", id=0), token("Byron", "L-PER", id=1)]
SLEPT = [token("slept", "O"), token("\n", "O")]
PARAGRAPH = {
    "raw": "Ada Byron slept\n",
    "sentences": [{"tokens": ADA, "brackets": []}, {"tokens": SLEPT}],
    "cats": [{"label": "SLEEP", "value": 1.0}, {"label": "EAT", "value": 0.0}],
}


@pytest.fixture
def file(tmp_path):
    """A function that writes paragraphs, or documents, to a file."""

    def write(*paragraphs, name="a.json", documents=None, **settings):
        documents = documents or [{"id": 7, "paragraphs": [*paragraphs]}]
        lines = name.endswith("l")
        text = "\n".join(map(json.dumps, documents)) if lines else json.dumps(documents, **settings)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@each_case("name", ["a.json", "a.jsonl"])
def test_a_paragraph_is_a_document(file, name):
    path = file(PARAGRAPH, name=name)
    assert format_of(path) == "spacy_v2"
    (one,) = read(path).documents
    assert (one.name, one.text, one.words) == (
        "7",
        PARAGRAPH["raw"],
        ("Ada", "Byron", "slept", "\n"),
    )
    assert (one.layers, one.sents) == ({"spans": ((0, 2, "PER"),)}, (0, 2))
    assert one.categories == {"categories": ("SLEEP",)}


def test_documents_are_those_that_spacy_makes_of_the_file(file):
    tokens = [token("Ada", "U-PER"), token("is", "-")]
    path = file(PARAGRAPH, {"sentences": [{"tokens": tokens}]})
    docs = list(json_to_docs(path.read_bytes()))
    found = read(path).documents
    assert [tuple(token.text for token in doc) for doc in docs] == [one.words for one in found]
    spans = [tuple((ent.start, ent.end, ent.label_) for ent in doc.ents) for doc in docs]
    assert [one.layers["spans"] for one in found] == spans


def test_tags_may_be_of_another_scheme(file):
    tokens = [token("Ada", "B-PER"), token("Byron", "I-PER")]
    (one,) = read(file({"sentences": [{"tokens": tokens}]})).documents
    assert one.layers == {"spans": ((0, 2, "PER"),)}


def test_several_paragraphs_are_numbered(file):
    assert [one.name for one in read(file(PARAGRAPH, PARAGRAPH)).documents] == ["7-1", "7-2"]


@each_case(
    "tags, spans, missing",
    [
        (["-", "U-PER"], ((1, 2, "PER"),), ((0, 1),)),
        (["", "O"], (), ((0, 1),)),
        ([None, None], None, ()),
        (["-", "-"], None, ()),
    ],
)
def test_tokens_without_a_tag_are_missing(file, tags, spans, missing):
    tokens = [token(word, tag) for word, tag in zip("ab", tags)]
    (one, _) = read(file({"sentences": [{"tokens": tokens}]}, PARAGRAPH)).documents
    assert (one.layers.get("spans"), one.missing, one.text) == (spans, missing, None)


@each_case(
    "paragraph, found",
    [
        ({"sentences": [{"tokens": [token("Ada", "L-PER")]}]}, "L-PER"),
        ({"sentences": [{"tokens": [token(1, "O")]}]}, "token 0 is 1"),
        ({"sentences": [{"tokens": ["Ada"]}]}, "'tokens' is"),
        ({"sentences": [], "raw": 1}, "'raw' is 1"),
        ({"sentences": [], "cats": [{"value": 1}]}, "'cats' is"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(file, paragraph, found):
    path = file(
        documents=[{"id": 1, "paragraphs": [PARAGRAPH]}, {"paragraphs": [paragraph]}], indent=0
    )
    with pytest.raises(FormatError) as caught:
        read(path)
    line = path.read_text().split("\n").index('"paragraphs": [', 10)
    assert found in str(caught.value) and f"a.json:{line}" in str(caught.value)


def test_a_file_without_paragraphs_is_an_error(file):
    with pytest.raises(FormatError, match="no paragraphs"):
        read(file(), format="spacy_v2")


def test_a_first_document_that_is_too_long_is_recognised(file, monkeypatch):
    monkeypatch.setattr("spacy_chance_eval.formats.sniffing.HEAD", 100)
    assert format_of(file(PARAGRAPH)) == "spacy_v2"


def test_paragraphs_of_something_else_are_not_taken_for_these(file):
    with pytest.raises(FormatError, match="none of the known formats"):
        format_of(file({"text": "a", "spans": []}))


def test_damaged_files_raise_format_errors_alone(file, tmp_path):
    data, rng = file(PARAGRAPH, PARAGRAPH).read_bytes(), random.Random(1)
    for _ in range(200):
        some = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(some))
            some[at : at + rng.randint(0, 4)] = bytes(
                rng.choices(b'[]{},:"01nul', k=rng.randint(0, 4))
            )
        (tmp_path / "b.json").write_bytes(some)
        try:
            read(tmp_path / "b.json", format="spacy_v2")
        except FormatError:
            continue
