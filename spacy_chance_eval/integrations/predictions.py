"""What a trained pipeline predicts on the documents of any corpus, as a `Corpus` to compare."""

from dataclasses import replace

from spacy.tokens import Doc
from spacy.training import Example

from ..formats import Corpus, FormatError
from .docbin import spaces_of
from .docs import check_layer, spans_of_examples
from .pipeline import load, predicted_layers


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
            f"gold without tokens; the pipeline {model} needs tokens to be compared on: "
            "--tokenizer LANG makes some (before rank: of convert)",
            gold.path,
        )
    nlp = load(model, code, gpu_id)
    watch = progress or (lambda steps, total=None, what="": steps)
    examples = annotated(
        nlp,
        gold,
        n_process=n_process,
        batch_size=batch_size,
        progress=lambda docs: watch(docs, len(gold.documents), f"{model}: documents"),
    )
    try:
        layer = layer or predicted_layer(nlp, examples, gold_layer)
        check_layer(layer)
    except ValueError as error:
        raise ValueError(f"{model}: {error}") from error
    return corpus_of(examples, gold, layer, model), layer


def annotated(nlp, gold, *, n_process=1, batch_size=None, progress=iter):
    """Examples of the documents of gold, predicted by a pipeline; the references have no spans."""
    examples = [example_of(nlp, document) for document in gold.documents]
    docs = nlp.pipe(
        (example.predicted for example in examples), n_process=n_process, batch_size=batch_size
    )
    for example, doc in zip(examples, progress(docs)):
        example.predicted = doc
    return examples


def corpus_of(examples, gold, layer, name):
    """A predicted layer as a `Corpus` of that name, with the documents of gold."""
    if layer != "ents" and not any(layer[6:] in example.x.spans for example in examples):
        raise ValueError(f"the pipeline {name} predicts no layer {layer!r}")
    spans = spans_of_examples(examples, "ents", layer)[1]
    return Corpus(str(name), documents_of(spans, gold.documents, layer))


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
    layers = predicted_layers(nlp, examples)
    for name in (gold_layer, f"spans:{gold_layer}"):
        if name != "ents" and name in layers:
            return name
    if "ents" in layers:
        return "ents"
    if not layers:
        raise ValueError(
            "the pipeline predicts neither entities nor span groups; expected a component that "
            "does, such as ner or spancat (to compare dependencies, ask for a metric of trees: "
            "--metric syntax_alpha)"
        )
    if len(layers) > 1:
        raise ValueError(
            f"the pipeline predicts {', '.join(layers)}; name one behind its path, such as "
            f"PIPELINE#{layers[0]}"
        )
    return layers[0]
