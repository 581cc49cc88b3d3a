"""Predictions of a trained pipeline on the documents of any corpus, as a `Corpus` to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import import_file

from ..formats import Corpus, Document, FormatError
from ..formats.errors import PathLike
from ..formats.openings import docbins_at
from ..formats.paths import is_several, path_of
from ..measures.docs import check_layer
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..scoring.counts import Progress, no_progress
from .docbin import docs_of, load_docbin, spaces_of
from .docs import prefix_of, spans_of_examples


def predict(
    model: str | Path,
    gold: Corpus,
    gold_layer: str,
    layer: str | None = None,
    *,
    code: str | Path | None = None,
    gpu_id: int = -1,
    n_process: int = 1,
    batch_size: int | None = None,
    progress: Progress | None = None,
) -> tuple[Corpus, str]:
    """The corpus that a pipeline predicts on the texts of gold, and its layer to compare.

    The pipeline uses its own tokens where gold has the spaces between tokens, else those of gold.
    Spans are carried over to the tokens of gold; those that do not fit them are unplaced.

    Parameters
    ----------
    model : str or Path
        A trained pipeline, by name or folder.
    gold : Corpus
        With token positions.
    gold_layer : str
    layer : str, optional
        "ents" or "spans:KEY"; by default a layer of the name that gold's has, if the pipeline
        predicts one, else the entities.
    code : str or Path, optional
        A Python file to import first, for components and functions of your own.
    gpu_id : int
        -1 is the CPU.
    n_process, batch_size : int
        Processes that the pipeline runs in, and the number of texts that it takes at a time.
    progress : callable, optional
        progress(steps, total, what) wraps the documents.

    Raises
    ------
    FormatError
        For gold without tokens.
    ValueError
        If the pipeline cannot be loaded, fails, or does not predict the layer.
    """
    if gold.positions != "token":
        raise FormatError(
            f"gold without tokens; the pipeline {model} needs tokens to be compared on: "
            "--read tokenizer=LANG makes some",
            gold.path,
        )
    nlp = load(model, code, gpu_id)
    report = progress or no_progress
    examples = predict_examples(
        nlp,
        gold,
        n_process=n_process,
        batch_size=batch_size,
        progress=lambda docs: report(docs, len(gold.documents), f"{model}: documents"),
    )
    try:
        layer = layer or predicted_layer(nlp, examples, gold_layer)
        check_layer(layer)
    except ValueError as error:
        raise ValueError(f"{model}: {error}") from error
    return corpus_of(examples, gold, layer, model), layer


def predict_examples(
    nlp: Language,
    gold: Corpus,
    *,
    n_process: int = 1,
    batch_size: int | None = None,
    progress: Callable[[Iterable[Doc]], Iterable[Doc]] = iter,
) -> list[Example]:
    """Examples of the documents of gold, predicted by a pipeline; the references have no spans."""
    examples = [_example_of(nlp, document) for document in gold.documents]
    fill_predictions(nlp, examples, progress, n_process=n_process, batch_size=batch_size)
    return examples


def fill_predictions(
    nlp: Language,
    examples: Sequence[Example],
    progress: Callable[[Iterable[Doc]], Iterable[Doc]],
    *,
    n_process: int,
    batch_size: int | None,
) -> None:
    """Run a pipeline on the predicted Docs of Examples."""
    docs = (example.predicted for example in examples)
    piped = _piped(nlp, nlp.pipe(docs, n_process=n_process, batch_size=batch_size))
    for example, doc in zip(examples, progress(piped)):
        example.predicted = doc


def corpus_of(examples: Sequence[Example], gold: Corpus, layer: str, name: object) -> Corpus:
    """A predicted layer as a `Corpus` of that name, with the documents of gold."""
    if layer != "ents" and not any(layer[6:] in example.x.spans for example in examples):
        raise ValueError(f"the pipeline {name} predicts no layer {quoted(layer)}")
    spans = spans_of_examples(examples, "ents", layer)[1]
    return Corpus(str(name), _documents_with(spans, gold.documents, layer))


def _documents_with(spans: Spans, documents: Sequence[Document], layer: str) -> list[Document]:
    """The documents with the spans as their only layer."""
    rows: list[list[tuple[int, int, str]]] = [[] for _ in documents]
    unplaced: list[list[tuple[int, str]]] = [[] for _ in documents]
    for doc, start, end, label in zip(spans.doc, spans.start, spans.end, spans.label):
        rows[doc].append((int(start), int(end), spans.labels[label]))
    for doc, label, length in spans.unplaced:
        unplaced[doc].append((int(length), spans.labels[label]))
    return [
        replace(document, layers={layer: own}, unplaced={layer: odd}, missing=(), missing_in={})
        for document, own, odd in zip(documents, rows, unplaced)
    ]


def _example_of(nlp: Language, document: Document) -> Example:
    """A Doc to predict on, beside a Doc with the tokens of gold and no spans."""
    words, spaces = list(document.words), spaces_of(document)
    gold = Doc(nlp.vocab, words=words, spaces=spaces)
    gold.set_ents([], default="outside")
    if spaces is None:
        return Example(Doc(nlp.vocab, words=words), gold)
    return Example(nlp.make_doc(gold.text), gold)


def predicted_layer(nlp: Language, examples: Sequence[Example], gold_layer: str) -> str:
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


# --- pipelines and the layers that they have in common with gold


def load(model: str | Path, code: str | Path | None, gpu_id: int) -> Language:
    """The pipeline, after its code and on its device."""
    if code is not None:
        if not Path(code).is_file():
            raise ValueError(f"{code}: no such file; --code expects a Python file")
        try:
            import_file("python_code", code)
        except Exception as error:  # anything that somebody's code may do
            raise ValueError(f"{code}: {_briefly(error)}") from error
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    try:
        return spacy.load(model)
    except MemoryError:
        raise
    except Exception as error:  # anything: the factories of components may be anybody's code
        raise ValueError(
            f"{model}: the pipeline cannot be loaded ({_briefly(error)}); train, package or copy "
            "it again, and install or import (--code FILE) what it needs"
        ) from error


def _piped(nlp: Language, docs: Iterator[Doc]) -> Iterator[Doc]:
    """The Docs that a pipeline has run on, some at a time."""
    while True:
        try:
            doc = next(docs)
        except StopIteration:
            return
        except MemoryError:
            raise
        except Exception as error:  # anything: components may be anybody's code
            name = nlp.meta.get("name")
            raise ValueError(
                f"the pipeline {name} fails on the documents ({_briefly(error)}); initialize and "
                "train each of its components, or leave the failing one out"
            ) from error
        yield doc


def _briefly(error: Exception) -> str:
    """An error of somebody else's as messages show it."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def examples_of(nlp: Language, data: PathLike) -> Iterator[Example]:
    """Examples with the pipeline's own tokens, or those of gold where its spaces are unknown."""
    path = path_of(data)
    files = docbins_at(path) if is_several(path) else [path]
    n_docs = 0
    for file in files:
        for gold in docs_of(load_docbin(file), nlp.vocab, file):
            n_docs += 1
            gold.user_data.setdefault("name", f"document {n_docs}")
            if not len(gold):
                continue  # as spaCy's own reader does
            if gold.has_unknown_spaces:
                words, spaces = [t.text for t in gold], [bool(t.whitespace_) for t in gold]
                yield Example(Doc(nlp.vocab, words=words, spaces=spaces), gold)
            else:
                yield Example(nlp.make_doc(gold.text), gold)
    if not n_docs:
        raise FormatError("no documents; expected a .spacy file or a folder with some", data)


def gold_layers(examples: Iterable[Example]) -> list[str]:
    """The layers in which any gold document is annotated."""
    ents = any(example.y.has_annotation("ENT_IOB") for example in examples)
    keys = sorted({key for example in examples for key in example.y.spans})
    return ["ents"] * ents + [f"spans:{key}" for key in keys]


def predicted_layers(nlp: Language, examples: Sequence[Example]) -> list[str]:
    """The layers that the pipeline predicts, sorted: "ents" before span groups."""
    assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
    groups = {f"spans:{key}" for example in examples for key in example.x.spans}
    ents = "doc.ents" in assigned or any(len(example.x.ents) for example in examples)
    return ["ents"] * ents + sorted(groups)


def common_layers(nlp: Language, examples: Sequence[Example]) -> list[tuple[str, str]]:
    """Layers that gold has and the pipeline predicts."""
    gold, pred = gold_layers(examples), predicted_layers(nlp, examples)
    pairs = [(layer, layer) for layer in gold if layer in pred]
    if not gold:
        raise ValueError(
            "gold has neither entities nor span groups; of trees ask for their metrics: "
            "-m syntax_alpha"
        )
    if not pairs:
        raise ValueError(
            f"gold and the pipeline have no layer in common: gold has {', '.join(gold)}, "
            f"the pipeline predicts {', '.join(pred) or 'none'}; "
            "name a pair: --layer GOLD=PREDICTED (to compare dependencies: spacy-chance-eval score "
            "GOLD PIPELINE --metric syntax_alpha)"
        )
    return pairs


def usual_scores(examples: Sequence[Example], pair: Sequence[str]) -> dict[str, float | None]:
    """spaCy's own precision, recall and F of a layer; none for a pair of different layers."""
    if pair[0] != pair[1]:
        return {}
    prefix = prefix_of(pair)
    if pair[0] == "ents":
        scores = get_ner_prf(examples)
    else:
        scores = spancat_score(examples, spans_key=pair[0].removeprefix("spans:"))
    return {f"{prefix}_{name}": scores[f"{prefix}_{name}"] for name in "prf"}
