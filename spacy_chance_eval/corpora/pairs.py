"""Gold and a prediction: from files, columns of one file, a pipeline, or Docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..formats import match_documents
from ..formats.corpus import Corpus, unique_names
from ..formats.paths import path_of
from ..measures.alignment import align
from ..measures.spans import Spans
from .sources import NO_SOURCE, Layers, Options, Source, choose_layer, make_tokens, share_options

NAMES = ("gold", "predicted")


@dataclass(frozen=True)
class ReadOptions:
    """How gold and predictions are read.

    Parameters
    ----------
    layer, pred_layer : str, optional
        Layers of gold and of predictions; by default the main one of each file.
    gold, pred, shared : mapping
        Keyword arguments of the readers; `shared` for both, as far as their formats
        have them. With `annotator`, layers are annotators; a document that one of them lacks was
        not seen.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for files that have none. Spans that do not fit
        them are an error in gold and unplaced in predictions, unless `misaligned` says otherwise.
    pipeline : mapping
        Options of pipelines: code, gpu_id, n_process, batch_size, progress.
    """

    layer: str | None = None
    pred_layer: str | None = None
    gold: Options = field(default_factory=dict)
    pred: Options = field(default_factory=dict)
    shared: Options = field(default_factory=dict)
    tokenize: Callable[[str], Any] | None = None
    pipeline: Options = field(default_factory=dict)

    @property
    def sizes(self) -> str:
        """Whether sizes of documents are "given", or those of "spans" alone are known."""
        return str(self.shared.get("sizes", "given"))

    @property
    def by_annotator(self) -> bool:
        """Whether layers are annotators, so that a document that lacks one was not seen."""
        return "annotator" in self.shared


@dataclass(frozen=True, eq=False)
class CorpusPair:
    """Gold and a prediction: corpora of the same documents in the same order, and their layers.

    Parameters
    ----------
    gold : Corpus
    gold_layer : str
    pred : Corpus
    pred_layer : str
    sources : pair of str
        Where they came from.
    names : pair of str
        What reports call them.
    categories : bool
        Whether the layers are labels of whole documents.
    """

    gold: Corpus
    gold_layer: str
    pred: Corpus
    pred_layer: str
    sources: tuple[str, str]
    names: tuple[str, str] = NAMES
    categories: bool = False

    def aligned(self) -> tuple[Spans, Spans]:
        """The two layers as aligned `Spans`."""
        sides = ((self.gold, self.gold_layer), (self.pred, self.pred_layer))
        pair: tuple[Spans, Spans] = align(
            *(
                corpus.categories(layer) if self.categories else corpus.spans(layer)
                for corpus, layer in sides
            )
        )
        return pair

    @property
    def positions(self) -> str:
        """What positions are: "token", "char" or "category"."""
        return "category" if self.categories else self.gold.positions

    @cached_property
    def document_names(self) -> list[str]:
        """What reports call the documents: no two alike."""
        names = [document.name for document in self.gold.documents]
        return unique_names([f"document {i}" if n is None else n for i, n in enumerate(names, 1)])

    @property
    def attributes(self) -> list[Mapping[str, Any]]:
        """The attributes of each document."""
        return [document.attributes for document in self.gold.documents]

    @property
    def data(self) -> dict[str, str]:
        """What signatures say of the data."""
        one, two = self.gold.repair, self.pred.repair
        repair = one if one == two else f"gold={one},pred={two}"
        return {"positions": self.positions, "repair": repair}

    def described(self) -> dict[str, Any]:
        """What is compared, as plain values: sources, layers, names, positions."""
        return {
            "gold": self.sources[0],
            "pred": self.sources[1],
            "gold_layer": self.gold_layer,
            "pred_layer": self.pred_layer,
            "names": list(self.names),
            "positions": self.positions,
        }


def find_pair(gold: object, pred: object, how: ReadOptions) -> list[Source]:
    """The sources of gold and a prediction: one, if both are layers of it.

    Raises
    ------
    FormatError, ValueError
        For sources that are not there, and options that no format has.
    """
    one = Source(str(gold)).looked_at("gold", how.gold)
    if pred is None:
        options = {k: v for k, v in how.pred.items() if k != "format"}
        other = replace(one, role="pred", options=options)
        both = share_options([one, other], how.shared)
        return [make_tokens(_one_file(*both), how.tokenize)]
    missing = None if path_of(str(pred)).suffix else NO_SOURCE
    other = Source(str(pred)).looked_at("pred", how.pred, missing)
    if other.is_pipeline:
        (one,) = share_options([one], how.shared)
        return [make_tokens(one, how.tokenize), other]
    return [make_tokens(source, how.tokenize) for source in share_options([one, other], how.shared)]


def _one_file(gold: Source, pred: Source) -> Source:
    """The source that gold and prediction are two columns or layers of."""
    if gold.format != "conll":
        return gold
    options = dict(gold.options)
    columns = {
        "gold": (options.pop("columns", None) or {"gold": -2})["gold"],
        "pred": (pred.options.get("columns") or {"gold": -1})["gold"],
    }
    repair = {
        "gold": options.pop("repair", None) or "error",
        "pred": pred.options.get("repair") or "conlleval",
    }
    return replace(gold, options={**options, "columns": columns, "repair": repair})


def choose_layers(
    layers: Sequence[Layers | Corpus], layer: str | None = None, pred_layer: str | None = None
) -> tuple[str, str]:
    """The layers of gold and a prediction: by default the prediction's has the name of gold's.

    `layers` are those of both sources, or of the one that has them both.
    """
    gold, *others = layers
    layer = choose_layer(gold, layer)
    if not others:
        return layer, choose_layer(gold, pred_layer, avoid=layer)
    pred = others[0]
    same = layer if layer in pred.layer_names or not pred.layer_names else None
    return layer, choose_layer(pred, pred_layer or same)


def read_predictions(
    source: Source, gold: Corpus, how: ReadOptions, progress: Any = None
) -> Corpus:
    """The corpus of predictions; a pipeline is run on the documents of gold."""
    if not source.is_pipeline:
        return source.read()
    from ..spacy_docs.pipeline import predict

    options = {"progress": progress, **how.pipeline}
    layer, wanted = choose_layer(gold, how.layer), source.layer or how.pred_layer
    corpus: Corpus = predict(source.path, gold, layer, wanted, **options)[0]
    return corpus


def read_compared(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    layer: str | None = None,
    pred_layer: str | None = None,
    gold_options: Options | None = None,
    pred_options: Options | None = None,
    shared_options: Options | None = None,
    tokenize: Callable[[str], Any] | None = None,
    pipeline_options: Options | None = None,
) -> CorpusPair:
    """The `CorpusPair` of a file of gold annotation and one of predictions.

    Parameters
    ----------
    gold, pred : str or Path
        `pred` may be a trained pipeline, which is run on the documents of gold. Without it, both
        are layers of one file: by default the last two columns of CoNLL.
    layer, pred_layer : str, optional
        Which layers; by default the main one of each file.
    gold_options, pred_options, shared_options : mapping, optional
        Keyword arguments of the readers; the last for both, as far as their formats have them.
        With `annotator`, the layers are annotators; a document that one of them lacks was not seen.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for files that have none. Spans that do not fit
        them are an error in gold and unplaced in predictions, unless `misaligned` says otherwise.
    pipeline_options : mapping, optional
        Of a pipeline: code, gpu_id, n_process, batch_size, progress.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    one, two, both = (dict(some or {}) for some in (gold_options, pred_options, shared_options))
    how = ReadOptions(layer, pred_layer, one, two, both, tokenize, dict(pipeline_options or {}))
    return read_pair(gold, pred, how)


def read_pair(gold: object, pred: object, how: ReadOptions) -> CorpusPair:
    """The `CorpusPair` of two sources, or of two layers of one."""
    sources = find_pair(gold, pred, how)
    corpora = [sources[0].read()]
    if len(sources) > 1:
        corpora.append(read_predictions(sources[1], corpora[0], how))
    layers = choose_layers(corpora, how.layer, how.pred_layer)
    one, two = corpora[0], corpora[-1]
    if len(corpora) > 1 and not sources[1].is_pipeline:
        one, two = match_documents(one, two, sizes=how.sizes)
    texts = (str(gold), str(gold if pred is None else pred))
    if how.by_annotator:
        names = layers if layers[0] != layers[1] else NAMES
        return CorpusPair(one, layers[0], two, layers[1], texts, names)
    if len(sources) == 1 or not sources[1].is_pipeline:
        two = complete_predictions(two, layers[1])
    return CorpusPair(one, layers[0], two, layers[1], texts)


def side_by_side(
    gold: Corpus | Sequence[Any],
    pred: Corpus | Sequence[Any],
    *,
    layer: str | None = None,
    pred_layer: str | None = None,
) -> CorpusPair:
    """The `CorpusPair` of two corpora, or of two lists of spaCy's Docs.

    Parameters
    ----------
    gold, pred : Corpus or sequence of Doc
        The same documents with the same tokens.
    layer, pred_layer : str, optional
        By default the main layer of gold, and the one of the prediction with the same name;
        those of Docs are "ents" and "spans:KEY".

    Raises
    ------
    FormatError, ValueError
        For documents that do not belong together, and layers that do not exist.

    Examples
    --------
    >>> from spacy_chance_eval import diff, read, side_by_side
    >>> from spacy_chance_eval.sample import path
    >>> gold = read(path("test.jsonl"))
    >>> diff(side_by_side(gold, gold)).counts.sum(axis=0).tolist()
    [110, 0, 0, 0, 0]
    """
    one, two = (
        side if isinstance(side, Corpus) else _corpus_of_docs(side, role)
        for side, role in ((gold, "gold"), (pred, "pred"))
    )
    sources = one.path, two.path
    one, two = match_documents(one, two)
    layers = choose_layers([one, two], layer, pred_layer)
    return CorpusPair(one, layers[0], complete_predictions(two, layers[1]), layers[1], sources)


def _corpus_of_docs(docs: Sequence[Any], role: str) -> Corpus:
    """Docs as a `Corpus` that is called as its role is."""
    from ..spacy_docs.docbin import read_docs

    corpus: Corpus = read_docs(docs, role, role=role)
    return corpus


def complete_predictions(pred: Corpus, layer: str, *, anywhere: bool = False) -> Corpus:
    """Predictions in which a document that lacks the layer altogether has no spans.

    A document that says it was not annotated (null, a rejected task) stays so. Of a block of a
    corpus the layer may be `anywhere`.
    """
    if not anywhere and pred.layer_names and layer not in pred.layer_names:
        return pred  # which has no such layer, as will be said
    documents = (
        doc if layer in doc.layers else replace(doc, layers={layer: (), **doc.layers})
        for doc in pred.documents
    )
    return replace(pred, documents=tuple(documents))
