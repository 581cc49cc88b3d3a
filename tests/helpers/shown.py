"""A corpus as text: all that a reader found, one document after the other."""

import json

from spacy_chance_eval.formats.documents import span_title


def shown(corpus):
    """Documents with their layers, categories and attributes, and the notes of the reader."""
    lines = [line for document in corpus.documents for line in _document(document)]
    lines += [f"note: {sentence}" for sentence in corpus.notes.sentences()]
    more = [f"positions: {corpus.positions}"] * (corpus.positions != "token")
    more += [f"skipped: {list(corpus.skipped)}"] * bool(corpus.skipped)
    return "\n".join([*more, *lines]) + "\n"


def _document(document):
    """The lines of a document: what is empty is not there."""
    content = " ".join(document.words) if document.words else document.text
    yield f"{document.name}: {json.dumps(content, ensure_ascii=False)[1:-1]}"
    if document.words and document.text is not None and document.text != content:
        yield f"  text: {json.dumps(document.text, ensure_ascii=False)}"
    if document.size is not None:
        yield f"  size: {document.size}"
    if document.sents:
        yield f"  sents: {' '.join(map(str, document.sents))}"
    if document.missing:
        yield f"  missing: {_stretches(document.missing)}"
    for layer, spans in document.layers.items():
        features, copies = (kind.get(layer, {}) for kind in (document.features, document.copies))
        titles = [
            span_title(span)
            + (f" {json.dumps(features[span], ensure_ascii=False)}" if span in features else "")
            + f" x{1 + len(copies.get(span, ()))}" * (span in copies)
            for span in spans or ()
        ]
        yield (
            f"  {layer}: {', '.join(titles)}" if spans is not None else f"  {layer}: not annotated"
        )
    for layer, found in document.unplaced.items():
        yield f"  {layer} unplaced: {', '.join(f'{label} ({n})' for n, label in found)}"
    for layer, found in document.missing_in.items():
        yield f"  {layer} missing: {_stretches(found)}"
    for layer, labels in document.categories.items():
        yield f"  categories {layer}: {'not annotated' if labels is None else ', '.join(labels)}"
    if document.attributes:
        yield f"  attributes: {json.dumps(dict(document.attributes), ensure_ascii=False)}"


def _stretches(stretches):
    return " ".join(f"[{start}, {end})" for start, end in stretches)
