"""Texts with entities: what spaCy writes itself, and blocks; forms stand in forms/entities.txt."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_chance_eval.formats import format_of, read

TEXT = "Ada Byron slept in Oslo."
PER, LOC = (0, 9, "PER"), (19, 23, "LOC")


@pytest.fixture
def doc():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp(TEXT)
    doc.ents = [Span(doc, 0, 2, "PER"), Span(doc, 4, 5, "LOC")]
    doc.spans["sc"] = [Span(doc, 0, 1, "X")]
    doc.cats = {"travel": 1.0, "sport": 0.0}
    return doc


def test_a_doc_is_the_same_as_json_and_in_docbin(file, doc, tmp_path):
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    path = file(doc.to_json())
    assert format_of(path) == "entities"
    one, two = read(path), read(tmp_path / "a.spacy")
    for field in ("words", "spaces", "sents", "layers", "categories"):
        assert getattr(one.documents[0], field) == getattr(two.documents[0], field)


def test_a_doc_without_entities_at_all_was_not_annotated(file, doc):
    bare = Doc(doc.vocab, words=["a", "b"], spaces=[True, False])
    corpus = read(file(doc.to_json(), bare.to_json()))
    assert corpus.spans("ents").seen.tolist() == [True, False]
