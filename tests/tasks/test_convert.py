"""From one format to another: what can be held comes back, what cannot is said."""

import pytest

from spacy_chance_eval import Corpus, Document
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.tasks.convert import convert_file

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
    n_docs, *_ = convert_file(source(TEAM), f"{target}#format={to}")
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


@pytest.fixture
def brat(tmp_path):
    """A folder of brat with the documents of ONE."""
    (tmp_path / "brat").mkdir()
    for name, lines in (("1", "T1\tPER 0 3\tAda\nT2\tPER 8 11\tBob\n"), ("2", "")):
        (tmp_path / f"brat/{name}.txt").write_text(TEXT)
        (tmp_path / f"brat/{name}.ann").write_text(lines)
    return tmp_path / "brat"


def test_texts_without_tokens_can_be_tokenized(tmp_path, brat):
    borders = [(0, 3), (4, 7), (8, 11), (11, 12)]
    convert_file(brat, tmp_path / "a.conll", reading=Reading(tokenizer=lambda text: borders))
    again = read_corpus(tmp_path / "a.conll")
    assert again.documents[0].words == WORDS
    assert again.documents[0].layers["gold"] == ALICE
