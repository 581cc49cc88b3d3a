"""What a trained pipeline predicts on the documents of any corpus, as a `Corpus` to compare."""

from dataclasses import replace

from spacy.tokens import Doc
from spacy.training import Example

from ..formats import Corpus, FormatError
from .docbin import spaces_of
from .docs import check_layer, spans_of_examples
from .pipeline import load


def predicted(
    model,
    gold,
    gold_layer,
    layer=None,
    *,
    code=None,
    gpu_id=-1,
    n_process=1,
    batch_size=None,
    progress=None,
):
    """The corpus that a pipeline makes of the texts of gold, and its layer that compares.

    The pipeline uses its own tokens where gold tells the spaces between tokens, else those of gold.
    Spans are carried over to the tokens of gold; those that do not fit them are unplaced.

    Parameters
    ----------
    model : str or Path
    gold : Corpus
        With token positions.
    gold_layer : str
    layer : str, optional
        "ents" or "spans:KEY"; by default a layer of the name that gold's has, if the pipeline
        predicts one, else the entities.
    code, gpu_id, n_process, batch_size
        As `pipeline.score_pipeline` has them.
    progress : callable, optional
        progress(steps, total, what) wraps the documents.

    Raises
    ------
    FormatError
        For gold without tokens.
    ValueError, OSError
        If the pipeline cannot be loaded or does not predict the layer.
    """
    if gold.positions != "token":
        raise FormatError(
            f"gold without tokens; the pipeline {model} needs tokens to be compared on", gold.path
        )
    nlp = load(model, code, gpu_id)
    examples = [example_of(nlp, document) for document in gold.documents]
    docs = nlp.pipe(
        (example.predicted for example in examples), n_process=n_process, batch_size=batch_size
    )
    watch = progress or (lambda steps, total=None, what="": steps)
    for example, doc in zip(examples, watch(docs, len(examples), f"{model}: documents")):
        example.predicted = doc
    try:
        layer = layer or predicted_layer(nlp, examples, gold_layer)
        check_layer(layer)
    except ValueError as error:
        raise ValueError(f"{model}: {error}") from error
    if layer != "ents" and not any(layer[6:] in example.x.spans for example in examples):
        raise ValueError(f"the pipeline {model} predicts no layer {layer!r}")
    spans = spans_of_examples(examples, "ents", layer)[1]
    return Corpus(str(model), documents_of(spans, gold.documents, layer)), layer


def documents_of(spans, documents, layer):
    """The documents with the spans as their only layer."""
    rows = [[] for _ in documents]
    loose = [[] for _ in documents]
    for doc, start, end, label in zip(spans.doc, spans.start, spans.end, spans.label):
        rows[doc].append((int(start), int(end), spans.labels[label]))
    for doc, label, length in spans.unplaced:
        loose[doc].append((int(length), spans.labels[label]))
    return [
        replace(document, layers={layer: found}, unplaced={layer: odd}, missing=(), missing_in={})
        for document, found, odd in zip(documents, rows, loose)
    ]


def example_of(nlp, document):
    """A Doc to predict on, beside a Doc with the tokens of gold and no spans."""
    words, spaces = list(document.words), spaces_of(document)
    gold = Doc(nlp.vocab, words=words, spaces=spaces)
    gold.set_ents([], default="outside")
    if spaces is None:
        return Example(Doc(nlp.vocab, words=words), gold)
    return Example(nlp.make_doc(gold.text), gold)


def predicted_layer(nlp, examples, gold_layer):
    """The layer of a pipeline's predictions that answers a layer of gold."""
    groups = {f"spans:{key}" for example in examples for key in example.x.spans}
    for name in (gold_layer, f"spans:{gold_layer}"):
        if name in groups:
            return name
    assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
    if "doc.ents" in assigned or any(len(example.x.ents) for example in examples):
        return "ents"
    if not groups:
        raise ValueError(
            "the pipeline predicts neither entities nor span groups; expected a component that "
            "does, such as ner or spancat"
        )
    if len(groups) > 1:
        raise ValueError(
            f"the pipeline predicts {', '.join(sorted(groups))}; name one behind its path, such as "
            f"PIPELINE#{min(groups)}"
        )
    return groups.pop()
