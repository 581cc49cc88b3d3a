"""Rows of tokens with a tag for each: what the table `forms/tagged.txt` cannot say."""

import json

import pytest
from msgspec import UNSET

from helpers.cases import each_case
from helpers.shown import shown
from spacy_chance_eval.formats import Corpus, Document, FormatError, read, tagged
from spacy_chance_eval.formats.tagged import write_tagged

WORDS = ["Ada", "Byron", "slept"]
TAGS = ["B-PER", "I-PER", "O"]
SPANS = ((0, 2, "PER"),)
NAMES = ["O", "B-PER", "I-PER"]
NUMBERED = {"tokens": WORDS, "ner_tags": [1, 2, 0]}
FEATURE = {"names": NAMES, "_type": "ClassLabel"}
FILES = {
    "list": NAMES,
    "id2label": {str(i): name for i, name in enumerate(NAMES)},
    "label2id": {name: i for i, name in enumerate(NAMES)},
    "config": {"architectures": [], "id2label": {str(i): name for i, name in enumerate(NAMES)}},
    "info": {"features": {"ner_tags": {"feature": FEATURE, "_type": "Sequence"}}},
}


@each_case("name", FILES)
def test_names_of_numbers_can_be_in_a_file(file, tmp_path, name):
    (tmp_path / "names.json").write_text(json.dumps(FILES[name]))
    corpus = read(file(NUMBERED), labels=str(tmp_path / "names.json"), format="tagged")
    assert corpus.documents[0].layers == {"spans": SPANS}


@each_case("labels", ["O,O,B-X", ["O", 3], {"a": "b"}, {}, "nofile.json"])
def test_labels_that_are_no_names_are_an_error(file, labels):
    with pytest.raises(FormatError, match="labels|no such file"):
        read(file(NUMBERED), labels=labels, format="tagged")


FIRST = {"tokens": WORDS, "ner_tags": TAGS}
OTHERS = {
    "null": {"ner_tags": None},
    "no tags": {"ner_tags": UNSET},
    "another label": {"ner_tags": ["O", "B-LOC", "I-LOC"]},
    "another key": {"lang": "en"},
    "a text": {"text": "Ada Byron slept", "id": 3},
    "spans": {"spans": [[0, 1, "X"]]},
    "tags that are too few": {"ner_tags": ["O"]},
    "an improper tag": {"ner_tags": ["O", "I-PER", "O"]},
    "no tag": {"ner_tags": ["O", "X", "O"]},
    "a number": {"ner_tags": ["O", 1, "O"]},
    "another scheme": {"ner_tags": ["S-PER", "O", "O"]},
    "a second key of tags": {"labels": TAGS},
    "another key of tokens": {"tokens": UNSET, "words": WORDS},
    "labels of the text": {"labels": ["science", "news"]},
    "a key with a quote": {'"': 1},
    "a huge number": {"ner_tags": ["O", 2**70, "O"]},
}


@each_case("name", OTHERS)
def test_rows_that_are_not_as_the_first_ones_are_read_as_all_tell(file, monkeypatch, name):
    rows = [{key: one for key, one in (FIRST | OTHERS[name]).items() if one is not UNSET}, FIRST]
    path = file(FIRST, *rows)

    def outcome():
        try:
            return shown(read(path, format="tagged"))
        except FormatError as error:
            return str(error)

    monkeypatch.setattr(tagged, "HEAD", 1)
    by_first = outcome()
    monkeypatch.setattr(tagged, "isfile", lambda path: False)
    assert outcome() == by_first


def test_rows_are_written_as_load_dataset_reads_them(tmp_path):
    documents = [
        Document(WORDS, {"ann": [(0, 2, "PER")]}, name="1", attributes={"lang": "en"}),
        Document(WORDS, {"ann": None}),
    ]
    write_tagged(tmp_path / "a.jsonl", Corpus("x", documents))
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert rows == [
        {"id": "1", "tokens": WORDS, "ner_tags": TAGS, "lang": "en"},
        {"tokens": WORDS, "ner_tags": None},
    ]


@each_case(
    "layers, found",
    [
        ({"a": (), "b": ()}, "one layer"),
        ({"a": [(0, 2, "X"), (1, 3, "X")]}, "document 'd': .*overlaps"),
    ],
)
def test_what_tags_cannot_say_is_an_error(tmp_path, layers, found):
    with pytest.raises(FormatError, match=found):
        write_tagged(tmp_path / "a.jsonl", Corpus("x", [Document(WORDS, layers, name="d")]))
    assert not list(tmp_path.iterdir())


def test_names_of_labels_that_are_nested_too_deeply_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"tokens": ["Ada"], "ner_tags": [1]}\n')
    (tmp_path / "l.json").write_text("[" * 100_000)
    with pytest.raises(FormatError, match=r"l\.json: invalid JSON \(nested too deeply\)"):
        read(tmp_path / "a.jsonl", labels=str(tmp_path / "l.json"), format="tagged")
