"""What a file is and which of its annotation is read: by its content, whatever it is called."""

import json

import pytest

from helpers.textfiles import call
from spacy_chance_eval import read
from spacy_chance_eval.formats import FormatError, format_of

TEXT, ADA, BOB = "Ada met Bob", (0, 3, "PER"), (8, 11, "PER")
BOTH = {"text": TEXT, "entities": [[*ADA], [*BOB]]}
TOKENS = [
    {"text": word, "start": start, "end": start + 3, "id": n}
    for n, (word, start) in enumerate(zip(TEXT.split(), (0, 4, 8)))
]
WORDS = {"tokenized_text": TEXT.split(), "ner": [[0, 0, "PER"], [2, 2, "PER"]]}
# name of the file, its rows, and the spans of a prediction
READ = {
    "rows called as trees": ("a.conllu", BOTH, (ADA, BOB)),
    "rows whose texts hold tags": (
        "a.txt",
        {"text": TEXT, "tags": "B-PER O B-PER", "entities": [[*ADA]]},
        (ADA,),
    ),
    "tasks without a hash": (
        "a.jsonl",
        {"text": TEXT, "tokens": TOKENS, "spans": [{"start": 8, "end": 11, "label": "PER"}]},
        ((2, 3, "PER"),),
    ),
    "intents of doccano": ("a.jsonl", BOTH | {"id": 1, "cats": ["x"], "Comments": []}, (ADA, BOB)),
    "predicted names of GLiNER": (
        "a.jsonl",
        WORDS | {"predicted_ner": [[0, 0, "PER", 0.9]]},
        ((0, 1, "PER"),),
    ),
}
# keys of a model beside a copy of gold: one has to be named
BESIDE = {
    "response": '{"PER": ["Ada"]}',
    "output": '[{"text": "Ada", "label": "PER"}]',
    "model_output": [[*ADA]],
    "system": [[*ADA]],
    "result": [],
}


@pytest.mark.parametrize(("name", "row", "spans"), READ.values(), ids=READ)
def test_rows_are_read_by_what_they_contain(tmp_path, name, row, spans):
    (tmp_path / name).write_text(json.dumps(row) + "\n")
    (document,) = read(tmp_path / name, role="pred").documents
    assert document.layers["spans"] == spans


@pytest.mark.parametrize(("key", "value"), BESIDE.items())
def test_what_a_model_said_beside_a_copy_of_gold_has_to_be_named(tmp_path, key, value):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(BOTH | {key: value}) + "\n")
    with pytest.raises(FormatError, match=f"rows have 'entities' and '{key}'; name the key") as no:
        read(path, role="pred")
    assert str(no.value).endswith(f"{path}#{key}")
    assert len(read(path).documents[0].layers["spans"]) == 2  # of gold the answer is no annotation


def test_parquet_is_told_by_its_beginning(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pa.table({"tokens": [["a", "b"]], "ner_tags": [["B-X", "O"]]}), tmp_path / "a.bin")
    assert format_of(tmp_path / "a.bin") == "tagged"
    assert read(tmp_path / "a.bin").documents[0].layers["spans"] == ((0, 1, "X"),)


@pytest.mark.parametrize("first", ["token\tner", "Word\tTag", "TOKENS\tner"])
def test_a_first_line_may_name_columns_without_a_sign(tmp_path, first):
    (tmp_path / "a.tsv").write_text(f"{first}\nAda\tB-PER\nWords\tO\n\nWords\tO\n")
    documents = read(tmp_path / "a.tsv").documents
    assert [one.words for one in documents] == [("Ada", "Words"), ("Words",)]


def test_a_prediction_of_which_no_span_fits_is_named(tmp_path):
    tags = {"text": "Ada B. met", "tokens": ["Ada", "B.", "met"], "ner_tags": ["B-X", "I-X", "O"]}
    found = {"text": "Ada B. met", "tokens": tags["tokens"], "entities": [[0, 2, "X"]]}
    for name, row in ("gold", tags), ("pred", found):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    done = call("score", tmp_path / "gold.jsonl", tmp_path / "pred.jsonl", "-o", "-")
    assert "No predicted span fits the tokens of gold" in " ".join(
        json.loads(done.stdout)["warnings"]
    )
    named = call(
        "score", tmp_path / "gold.jsonl", f"{tmp_path}/pred.jsonl#offsets=token", "-o", "-"
    )
    assert json.loads(named.stdout)["layers"][0]["n_unplaced"] == 0
