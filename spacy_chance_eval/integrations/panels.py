"""Panels from Docs: annotators whose work lies in span groups or entities of one Doc."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from spacy.tokens import Doc

from ..corpora.panels import panel_of
from ..formats import Corpus
from ..formats.merging import AnnotatorLayer, merge_annotators
from ..measures.panel import Panel
from ..spacy_docs.docbin import read_docs


def panel_of_docs(docs: Iterable[Doc], layers: Mapping[str, str] | Sequence[str]) -> Panel:
    """The `Panel` of annotators who worked on the same Docs.

    Parameters
    ----------
    docs : iterable of Doc
        With the annotation of all annotators.
    layers : mapping of str to str, or sequence of str
        The layer of each annotator: "spans:KEY" for a span group, or "ents". Without names, a group
        is called by its key. A Doc without the group was not seen by the annotator.

    Raises
    ------
    ValueError
        For a layer that no Doc has.

    Examples
    --------
    >>> import spacy
    >>> from spacy_chance_eval import agree
    >>> doc = spacy.blank("en")("Ada met Bob in Oslo")
    >>> doc.spans["alice"] = [doc.char_span(0, 3, "PER"), doc.char_span(15, 19, "LOC")]
    >>> doc.spans["bob"] = [doc.char_span(0, 3, "PER")]
    >>> found = agree(panel_of_docs([doc], ["spans:alice", "spans:bob"]), ["span_f(chance=none)"])
    >>> round(found["span_f(chance=none)"]["mean"]["observed"], 4)
    0.6667
    """
    return panel_of(corpus_of_docs(docs, layers))


def corpus_of_docs(docs: Iterable[Doc], layers: Mapping[str, str] | Sequence[str]) -> Corpus:
    """The `Corpus` behind `panel_of_docs`, with a layer for each annotator; for pages."""
    if not isinstance(layers, Mapping):
        layers = {layer.removeprefix("spans:"): layer for layer in layers}
    corpus = read_docs(docs, "the documents")
    known = corpus.layer_names
    for layer in layers.values():
        if layer not in known:
            raise ValueError(
                f"the documents have no layer {layer!r}; available: {', '.join(known) or 'none'}"
            )
    return merge_annotators([AnnotatorLayer(name, corpus, layer) for name, layer in layers.items()])
