"""Which of the JSON formats a file is, by its first object."""

import json

import pytest

from helpers.cases import rows_in
from spacy_chance_eval.formats import FormatError, format_of, read

LONG = 1 << 20
PRODIGY = {"text": "a", "_input_hash": 1, "_task_hash": 2}
LABELSTUDIO = {"id": 1, "data": {"text": "a"}, "annotations": []}
ROWS = {
    "jsonl": {"tokens": ["a"], "spans": []},
    "prodigy": PRODIGY,
    "labelstudio": LABELSTUDIO,
    "doccano": {"id": 1, "text": "a", "label": [[0, 1, "A"]]},
    "cas": {"%TYPES": {}, "%FEATURE_STRUCTURES": []},
}


def file(tmp_path, text, name="x.json"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("name", ["prodigy", "labelstudio", "doccano", "cas"])
@pytest.mark.parametrize("ending", [".json", ".jsonl", ".JSON"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_format_is_told_by_what_only_it_has(tmp_path, name, ending, indent):
    text = json.dumps(ROWS[name], indent=indent)
    assert format_of(file(tmp_path, text, "x" + ending)) == name


@pytest.mark.parametrize("bad", ["Ada", '{"text": "A', '{"a":', "[]", "[1]", "null", '"a"'])
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_bad_first_row_does_not_tell(tmp_path, bad, ending):
    row = json.dumps(ROWS["doccano"])
    path = file(tmp_path, f"{bad}\n{row}\n{row}\n{bad}\n", "x" + ending)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.line == 1
    corpus = read(path, on_error="skip")
    assert [one.layers for one in corpus.documents] == [{"spans": ((0, 1, "A"),)}] * 2
    assert corpus.notes.skipped("documents")[0] == 2


@pytest.mark.parametrize("row, name", rows_in(__file__, "rows_of_programs.jsonl"))
@pytest.mark.parametrize("role", ["gold", "pred"])
def test_rows_as_programs_write_them_have_one_annotation(tmp_path, row, name, role):
    assert format_of(file(tmp_path, json.dumps([row])), role=role) == name


def test_an_object_longer_than_what_is_looked_at_is_told_by_its_keys(tmp_path):
    row = ROWS["cas"] | {"%VIEWS": ["x" * (LONG + 10)]}
    assert format_of(file(tmp_path, json.dumps(row))) == "cas"


@pytest.mark.parametrize("text", ["", "{", "[", "nothing", "[1, 2]", '"a"', "{}", "[" * 100_000])
def test_what_has_no_rows_is_an_error_of_the_reader(tmp_path, text):
    assert format_of(file(tmp_path, text, "x.jsonl")) == "jsonl"
    for name in ("x.json", "x.jsonl"):
        with pytest.raises(FormatError, match="invalid JSON|no documents|an object|a row without"):
            read(file(tmp_path, text, name))


def test_json_of_none_is_an_error_with_what_was_meant(tmp_path):
    path = file(tmp_path, json.dumps([{"text": "a", "entitys": []}]))
    with pytest.raises(FormatError, match="'entitys' .did you mean 'entities' or 'ents'"):
        format_of(path)


TEXT = "Ada slept"
SPANS_OF = {
    "jsonl": {"tokens": ["Ada", "slept"], "spans": [[0, 1, "PER"]]},
    "prodigy": {"text": TEXT, "_input_hash": 1, "spans": [{"start": 0, "end": 3, "label": "PER"}]},
    "doccano": {"text": TEXT, "label": [[0, 3, "PER"]]},
    "entities": {"text": TEXT, "ents": [{"start": 0, "end": 3, "label": "PER"}]},
    "tagged": {"tokens": ["Ada", "slept"], "ner_tags": ["B-PER", "O"]},
    "gliner": {"tokenized_text": ["Ada", "slept"], "ner": [[0, 0, "PER"]]},
    "argilla": {
        "fields": {"text": TEXT},
        "suggestions": {"ner": {"value": [{"label": "PER", "start": 0, "end": 3}]}},
    },
    "mentions": {"text": TEXT, "response": "PER: Ada"},
    "labelstudio": {
        "data": {"text": TEXT},
        "annotations": [
            {"result": [{"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]}
        ],
    },
}


@pytest.mark.parametrize("name", SPANS_OF)
def test_rows_under_the_name_of_another_format_are_read_with_their_spans_or_not_at_all(
    tmp_path, name
):
    path = file(tmp_path, json.dumps(SPANS_OF[name]), "x.jsonl")
    for other in SPANS_OF:
        try:
            (document,) = read(path, format=other).documents
        except FormatError:
            assert other != name
        else:
            (spans,) = document.layers.values()
            assert len(spans) == 1, other


def test_a_format_of_which_no_row_has_a_key_is_an_error_that_names_the_right_one(tmp_path):
    path = file(tmp_path, json.dumps(SPANS_OF["doccano"]), "x.jsonl")
    with pytest.raises(FormatError, match="no row has a key of format prodigy .* format doccano"):
        read(path, format="prodigy")


@pytest.mark.parametrize("name", ["a.txt", "a.PubTator", "a.PubTator.txt"])
def test_pubtator_is_recognised_by_its_first_line_or_its_ending(tmp_path, name):
    assert format_of(file(tmp_path, "7|t|Ada Byron slept\n7|a|in Oslo.\n", name)) == "pubtator"
