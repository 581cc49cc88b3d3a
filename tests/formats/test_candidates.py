"""Candidates that files name: a column of CoNLL, an attribute of rows, Docs of .spacy files."""

import json
import random

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_chance_eval import read
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.formats.candidates import check_rule, with_candidates

CONLL = "Ada B-NP B-P\nsaw O O\nNew B-NP O\nDehli I-NP O\n\nin B-PP O\nRex B-NP B-P\n"
ROWS = [
    {"tokens": ["Ada", "saw", "Rex"], "spans": [{"start": 0, "end": 1, "label": "P"}]},
    {"tokens": ["Bo"], "spans": []},
]


def rows(path, *marks):
    text = (json.dumps({**row, "can": mark}) for row, mark in zip(ROWS, marks, strict=True))
    path.write_text("\n".join(text))
    return path


def mask(path, rule, **options):
    corpus = Source(str(path)).looked_at("gold", options).among(rule).read()
    return corpus, np.flatnonzero(corpus.candidates).tolist()


@pytest.mark.parametrize(
    "rule, marked",
    [
        ("capitalised", [0, 2, 3, 5]),
        ("not-punctuation", [0, 1, 2, 3, 4, 5]),
        ("column:1", [0, 2, 3, 4, 5]),
        ("column:-2=NP", [0, 2, 3, 5]),
    ],
)
def test_conll_has_words_and_columns(tmp_path, rule, marked):
    path = tmp_path / "a.conll"
    path.write_text(CONLL)
    corpus, found = mask(path, rule)
    assert found == marked
    assert corpus.layer_names == ("gold",)  # the column is no annotation


@pytest.mark.parametrize("rule, layers", [("column:1", ("2",)), ("capitalised", ("1", "2"))])
def test_of_all_columns_that_of_candidates_is_no_layer(tmp_path, rule, layers):
    path = tmp_path / "a.conll"
    path.write_text(CONLL)
    assert mask(path, rule, columns="all")[0].layer_names == layers


@pytest.mark.parametrize("marks", [([True, False, True], [False]), ([0, 2], [])])
def test_rows_have_attributes(tmp_path, marks):
    corpus, found = mask(rows(tmp_path / "a.jsonl", *marks), "attribute:can")
    assert found == [0, 2]
    assert corpus.spans("spans").candidates.tolist() == [True, False, True, False]


@pytest.mark.parametrize("marks", [None, [3], "Ada", [True, False]])
def test_an_attribute_that_is_no_mask_is_an_error(tmp_path, marks):
    path = rows(tmp_path / "a.jsonl", [0], marks)
    with pytest.raises(FormatError, match="attribute 'can' of document 2 .*expected a list of 1"):
        mask(path, "attribute:can")


@pytest.mark.parametrize(
    "rule, message",
    [
        ("column:1=VP", "no tag of column 1 has the label 'VP'; it has NP, PP"),
        ("column:7", "column"),
        ("noun-chunks:en", "needs spaCy's Docs"),
    ],
)
def test_what_a_file_does_not_answer_is_an_error(tmp_path, rule, message):
    path = tmp_path / "a.conll"
    path.write_text(CONLL)
    with pytest.raises(FormatError, match=message):
        mask(path, rule)


@pytest.mark.parametrize("rule", ["capital", "column:", "attribute:", "noun-chunks:", "", "x:1"])
def test_an_unknown_rule_is_an_error(rule):
    with pytest.raises(ValueError, match="unknown rule of candidates"):
        check_rule(rule)


def test_characters_are_no_candidates(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "P"}]}))
    with pytest.raises(FormatError, match="candidates are tokens.*--tokenizer"):
        mask(path, "capitalised", offsets="char")


def docs(path, **user_data):
    vocab, made = spacy.blank("en").vocab, []
    for _ in range(2):
        doc = Doc(
            vocab,
            words=["the", "cat", "saw", "Ben"],
            pos=["DET", "NOUN", "VERB", "PROPN"],
            heads=[1, 2, 2, 2],
            deps=["det", "nsubj", "ROOT", "dobj"],
        )
        doc.set_ents([Span(doc, 3, 4, "P")])
        doc.user_data.update(user_data)
        made.append(doc)
    DocBin(docs=made, store_user_data=True).to_disk(path)
    return path


@pytest.mark.parametrize(
    "rule, marked",
    [
        ("noun-chunks:en", [0, 1, 3, 4, 5, 7]),
        ("attribute:can", [1, 3, 5, 7]),
        ("capitalised", [3, 7]),
    ],
)
def test_docs_have_words_attributes_and_noun_chunks(tmp_path, rule, marked):
    assert mask(docs(tmp_path / "a.spacy", can=[1, 3]), rule)[1] == marked


@pytest.mark.parametrize(
    "rule, message",
    [
        ("noun-chunks", "does not say its language.*noun-chunks:en"),
        ("noun-chunks:qq", "qq"),
        ("noun-chunks:xx", "no noun chunks"),
        ("attribute:nothing", "no attribute 'nothing'"),
    ],
)
def test_docs_that_do_not_answer_are_an_error(tmp_path, rule, message):
    with pytest.raises(FormatError, match=message):
        mask(docs(tmp_path / "a.spacy"), rule)


def test_a_corpus_without_candidates_has_none(tmp_path):
    corpus = read(rows(tmp_path / "a.jsonl", [0], [0]))
    assert corpus.candidates is None and corpus.spans("spans").candidates is None


def test_candidates_go_with_their_documents(tmp_path):
    corpus = with_candidates(read(rows(tmp_path / "a.jsonl", [0], [0])), "attribute:can")
    turned = corpus.table.taken(np.array([1, 0]))
    assert [one.candidates for one in turned] == [b"\x01", b"\x01\0\0"]


def test_garbled_attributes_are_format_errors(tmp_path):
    rng = random.Random(0)
    values = [None, True, 0, 1, 5, -1, 0.5, "a", [], [True], [0], {"a": 1}, [[0]], [None]]
    path = tmp_path / "a.jsonl"
    for _ in range(200):
        some = [rng.choice(values) for _ in range(rng.randrange(5))]
        rows(path, rng.choice([*values, some]), rng.choice([*values, some]))
        try:
            corpus, _ = mask(path, "attribute:can")
        except FormatError:
            continue
        assert len(corpus.candidates) == 4
