"""Annotators in the span groups of Docs."""

import pytest
import spacy

from spacy_chance_eval import agree
from spacy_chance_eval.integrations.panels import panel_of_docs
from spacy_chance_eval.scoring.statistics import headline

NLP = spacy.blank("en")


def doc_of(**groups):
    doc = NLP("Ada met Bob in Oslo")
    for key, words in groups.items():
        doc.spans[key] = [
            doc[i : i + 1] if label is None else spacy.tokens.Span(doc, i, i + 1, label)
            for i, label in words
        ]
    return doc


BOTH = doc_of(alice=[(0, "PER"), (4, "LOC")], bob=[(0, "PER")])


def test_groups_are_annotators_called_by_their_keys():
    panel = panel_of_docs([BOTH], ["spans:alice", "spans:bob"])
    assert panel.names == ("alice", "bob")
    assert [len(spans) for spans in panel.annotations] == [2, 1]


def test_entities_and_groups_can_be_named():
    doc = doc_of(bob=[(0, "PER")])
    doc.set_ents([spacy.tokens.Span(doc, 0, 1, "PER")])
    panel = panel_of_docs([doc], {"model": "ents", "bob": "spans:bob"})
    found = agree(panel, ["span_f(chance=none)"])
    assert headline(found["span_f(chance=none)"]["team"]) == 1.0


def test_a_group_that_no_doc_has_is_named():
    with pytest.raises(ValueError, match="spans:carol"):
        panel_of_docs([BOTH], ["spans:alice", "spans:carol"])
