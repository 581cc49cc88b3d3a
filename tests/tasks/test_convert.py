"""From one format to another: what can be held comes back, what cannot is said."""

import json

import pytest

from spacy_chance_eval import Corpus, Document, FormatError
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.tasks.convert import convert_file, format_to_write

TEXT = "Ada met Bob."
WORDS, SPACES = ("Ada", "met", "Bob", "."), (True, True, False, False)


def document(name, **layers):
    return Document(WORDS, layers, name=name, text=TEXT, spaces=SPACES, sents=(0,))


ALICE, BOB = ((0, 1, "PER"), (2, 3, "PER")), ((2, 3, "LOC"),)
TEAM = Corpus("team", [document("1", alice=ALICE, bob=BOB), document("2", alice=(), bob=None)])
ONE = Corpus("one", [document("1", spans=ALICE), document("2", spans=())])
MANY = ("conll", "jsonl", "prodigy")
READ_AGAIN = {
    "conll": {"column": "all"},
    "prodigy": {"annotator": "auto"},
}
ENDINGS = {"conll": ".conll", "spacy": ".spacy"}


@pytest.fixture
def source(tmp_path):
    """A function from a corpus to its JSONL file."""

    def written(corpus):
        path = tmp_path / "source.jsonl"
        write_jsonl(path, corpus)
        return path

    return written


def target_of(tmp_path, to):
    return tmp_path / ("target" + ENDINGS.get(to, ".jsonl"))


def spans_by_text(corpus):
    """{document: {layer: labelled stretches as text}}, whatever positions count."""
    found = {}
    for one in corpus.documents:
        texts = one.words if corpus.positions == "token" else one.text
        join = " ".join if corpus.positions == "token" else "".join
        found[one.name] = {
            layer: rows and [(join(texts[start:end]), label) for start, end, label in rows]
            for layer, rows in one.layers.items()
            if rows is not None
        }
    return found


WANTED = {"1": {"alice": [("Ada", "PER"), ("Bob", "PER")], "bob": [("Bob", "LOC")]}}


@pytest.mark.parametrize("to", MANY)
def test_every_annotator_comes_back_from_formats_of_several(tmp_path, source, to):
    target = target_of(tmp_path, to)
    n_docs, _ = convert_file(source(TEAM), f"{target}#format={to}")
    again = read_corpus(target, format=to, **READ_AGAIN.get(to, {}))
    assert n_docs == 2
    found = spans_by_text(again)
    assert not found.pop("2")["alice"]
    assert found == WANTED


@pytest.mark.parametrize("to", ["tagged", "spacy", *MANY])
def test_one_annotator_comes_back_from_every_format(tmp_path, source, to):
    target = target_of(tmp_path, to)
    convert_file(source(ONE), f"{target}#format={to}")
    again = read_corpus(target, **({"format": to} if to != "spacy" else {}))
    layers = [list(one.layers.values())[-1] for one in again.documents]
    assert [len(rows) for rows in layers] == [2, 0]


def test_a_layer_can_be_chosen_for_formats_with_one(tmp_path, source):
    convert_file(source(TEAM), f"{tmp_path}/bob#format=tagged", reading=Reading(layer="bob"))
    found = read_corpus(tmp_path / "bob", format="tagged")
    assert spans_by_text(found)["1"] == {"spans": [("Bob", "LOC")]}
    assert found.documents[1].layers == {"spans": None}


def test_of_several_layers_formats_with_one_take_the_main_one(tmp_path, source):
    _, lost = convert_file(source(TEAM), f"{tmp_path}/all#format=tagged")
    assert "1 span of the layer 'bob'" in lost
    found = spans_by_text(read_corpus(tmp_path / "all", format="tagged"))
    assert found["1"]["spans"] == WANTED["1"]["alice"]


def test_strictly_nothing_may_be_lost_or_written(tmp_path, source):
    path = source(TEAM)
    with pytest.raises(FormatError, match="cannot hold"):
        convert_file(path, f"{tmp_path}/all#format=tagged", strict=True)
    assert list(tmp_path.iterdir()) == [path]
    assert convert_file(path, tmp_path / "b.jsonl", strict=True) == (2, [])


@pytest.fixture
def brat(tmp_path):
    """A folder of brat with the documents of ONE."""
    (tmp_path / "brat").mkdir()
    for name, lines in (("1", "T1\tPER 0 3\tAda\nT2\tPER 8 11\tBob\n"), ("2", "")):
        (tmp_path / f"brat/{name}.txt").write_text(TEXT)
        (tmp_path / f"brat/{name}.ann").write_text(lines)
    return tmp_path / "brat"


def test_tokens_are_made_where_the_target_needs_them_and_that_is_said(tmp_path, brat):
    _, said = convert_file(brat, tmp_path / "a.conll")
    assert (
        said[0]
        == "conll needs tokens: spaCy's tokenizer for 'xx' made them (--read tokenizer=LANG)"
    )
    assert read_corpus(tmp_path / "a.conll").documents[0].words == WORDS
    with pytest.raises(FormatError, match="--read tokenizer=LANG"):
        convert_file(brat, tmp_path / "b.conll", strict=True)


def test_a_tokenizer_that_most_spans_do_not_fit_is_refused(tmp_path):
    row = {"text": "東京は大きい", "spans": [[0, 2, "LOC"], [3, 6, "X"], [0, 6, "S"]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(FormatError, match="2 of 3 spans .*do not fit .*#lang=ja"):
        convert_file(tmp_path / "a.jsonl", tmp_path / "a.conll")
    assert convert_file(tmp_path / "a.jsonl", f"{tmp_path}/a.conll#lang=zh")[0] == 1


def test_an_unknown_layer_names_those_that_are_there(tmp_path, source):
    with pytest.raises(ValueError, match="alice, bob"):
        convert_file(source(TEAM), tmp_path / "a.conll", reading=Reading(layer="carol"))


def test_texts_without_tokens_can_be_tokenized(tmp_path, brat):
    borders = [(0, 3), (4, 7), (8, 11), (11, 12)]
    convert_file(brat, tmp_path / "a.conll", reading=Reading(tokenizer=lambda text: borders))
    again = read_corpus(tmp_path / "a.conll")
    assert again.documents[0].words == WORDS
    assert again.documents[0].layers["gold"] == ALICE


def test_nothing_is_lost_from_jsonl_to_jsonl(tmp_path, source):
    assert convert_file(source(TEAM), tmp_path / "b.jsonl") == (2, [])


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.spacy", "spacy"), ("a.conll", "conll"), ("a.jsonl.gz", "jsonl"), ("a.tsv", "conll")],
)
def test_the_ending_tells_the_format(name, format):
    assert format_to_write(name) == format


@pytest.mark.parametrize("name", ["a.json", "folder", "a.pdf", "a.csv", "a.xmi", "a.ann"])
def test_an_ending_of_no_or_many_formats_asks_for_one(name):
    with pytest.raises(ValueError, match="#format=NAME"):
        format_to_write(name)


def test_what_was_read_once_is_said(tmp_path):
    row = {"id": "a", "tokens": ["Ada"], "spans": [[0, 1, "PER"]] * 2}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    _, lost = convert_file(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert lost[0].startswith("1 duplicate span was read once: PER [0, 1) (")


def test_copies_with_other_features_are_lost_and_said_to_be(tmp_path):
    spans = [{"start": 0, "end": 1, "label": "X", "features": {"n": n}} for n in (1, 2)]
    row = {"id": "a", "tokens": ["Ada"], "spans": spans}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    _, lost = convert_file(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert lost[1:] == ["1 further annotation of a span"]


def test_of_several_columns_one_is_named(tmp_path):
    (tmp_path / "a.conll").write_text("Ada\tB-PER\tO\nRome\tO\tB-LOC\n")
    with pytest.raises(FormatError, match=r"is meant; name it: .*a.conll#1; or all.*a.conll#1,2"):
        convert_file(tmp_path / "a.conll", tmp_path / "a.jsonl")
    reading = Reading(column="1")
    convert_file(tmp_path / "a.conll", tmp_path / "a.jsonl", reading=reading)
