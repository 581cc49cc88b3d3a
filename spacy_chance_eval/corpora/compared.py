"""Two annotations of the same documents, from files, columns of one file, or a pipeline."""

from dataclasses import dataclass, replace
from functools import cached_property

from .. import formats
from ..formats import Corpus, FormatError
from ..formats.corpus import unique_names
from ..formats.paths import is_there, path_of
from ..formats.texts import in_tokens
from ..measures.alignment import align
from .run import format_of, layer_of, possible_options, read_corpus, with_shared
from .systems import is_pipeline


@dataclass(frozen=True, eq=False)
class Compared:
    """Gold and a prediction: corpora of the same documents in the same order, and their layers.

    `names` is what reports call the two sides; with `categories`, the layers are labels of whole
    documents.
    """

    gold: Corpus
    gold_layer: str
    pred: Corpus
    pred_layer: str
    sources: tuple
    names: tuple = ("gold", "predicted")
    categories: bool = False

    def aligned(self):
        """The two layers as aligned `Spans`."""
        sides = ((self.gold, self.gold_layer), (self.pred, self.pred_layer))
        return align(
            *(
                corpus.categories(layer) if self.categories else corpus.spans(layer)
                for corpus, layer in sides
            )
        )

    @property
    def positions(self):
        """What positions are: tokens, characters, or whole documents."""
        return "category" if self.categories else self.gold.positions

    @cached_property
    def document_names(self):
        """What reports call the documents: no two alike."""
        names = [document.name for document in self.gold.documents]
        return unique_names([f"document {i}" if n is None else n for i, n in enumerate(names, 1)])

    def described(self):
        """What is compared, as plain values: sources, layers, names of the sides, positions."""
        return {
            "gold": self.sources[0],
            "pred": self.sources[1],
            "gold_layer": self.gold_layer,
            "pred_layer": self.pred_layer,
            "names": list(self.names),
            "positions": self.positions,
        }

    @property
    def attributes(self):
        """The attributes of each document."""
        return [document.attributes for document in self.gold.documents]

    @property
    def data(self):
        """What signatures say of the data."""
        repairs = dict.fromkeys((self.gold.repair, self.pred.repair))
        one, two = (side.repair for side in (self.gold, self.pred))
        repair = one if len(repairs) == 1 else f"gold={one},pred={two}"
        return {"positions": self.positions, "repair": repair}


def read_compared(
    gold,
    pred=None,
    *,
    layer=None,
    pred_layer=None,
    gold_options=None,
    pred_options=None,
    shared_options=None,
    tokenize=None,
    pipeline_options=None,
):
    """The `Compared` of a file of gold annotation and one of predictions.

    Parameters
    ----------
    gold, pred : str or Path
        `pred` may be a trained pipeline, which is run on the documents of gold. Without it, both
        are layers of one file: by default the last two columns of CoNLL.
    layer, pred_layer : str, optional
        Which layers; by default the main one of each file.
    gold_options, pred_options, shared_options : dict, optional
        For the readers, see `formats.read`; the last for both, as far as their formats have them.
        With `annotator`, the layers are annotators; a document that one of them lacks was not seen.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for files that have none. Spans that do not fit
        them are an error in gold and unplaced in predictions, unless `misaligned` says otherwise.
    pipeline_options : dict, optional
        For `integrations.predictions.predicted`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    sources = str(gold), str(gold if pred is None else pred)
    sides = [dict(gold_options or {}), dict(pred_options or {})]
    shared = shared_options or {}
    if pred is not None and is_pipeline(str(pred)):
        from ..spacy_docs.pipeline import predicted

        (options,) = with_shared([gold], sides[:1], shared)
        one = read_side(gold, options, tokenize)
        layer = layer_of(one, layer)
        two, pred_layer = predicted(str(pred), one, layer, pred_layer, **pipeline_options or {})
        return Compared(one, layer, two, pred_layer, sources)
    if pred is not None and not path_of(pred).suffix and not is_there(pred):
        raise FormatError("no such file, folder or installed pipeline; check the name", pred)
    sides = with_shared([gold, gold if pred is None else pred], sides, shared)
    if pred is None:
        one = two = read_side(gold, one_file_options(gold, *sides), tokenize)
        layer = layer_of(one, layer)
        pred_layer = layer_of(one, pred_layer, avoid=layer)
    else:
        one = read_side(gold, sides[0], tokenize)
        two = read_side(pred, sides[1], tokenize, role="pred")
        one, two = formats.pair(one, two, sizes=shared.get("sizes", "given"))
        layer, pred_layer = layers_of(one, two, layer, pred_layer)
    if "annotator" in shared:
        names = (layer, pred_layer) if layer != pred_layer else Compared.names
        return Compared(one, layer, two, pred_layer, sources, names)
    return Compared(one, layer, complete(two, pred_layer), pred_layer, sources)


def read_side(path, options, tokenize=None, *, role="gold"):
    """The corpus of one side; its positions are tokens, if there is a function that makes them."""
    if tokenize is None:
        return read_corpus(path, role=role, **options)
    options, misaligned = options_and_misaligned(path, options, role)
    return in_tokens(read_corpus(path, role=role, **options), tokenize, misaligned=misaligned)


def options_and_misaligned(path, options, role):
    """Options for the reader, and what becomes of spans that do not fit the tokens of a tokenizer.

    Not every reader has such an option of its own.
    """
    options = dict(options)
    misaligned = options.get("misaligned", "unplaced" if role == "pred" else "error")
    if "misaligned" not in possible_options(path, options):
        options.pop("misaligned", None)
    return options, misaligned


def side_by_side(gold, pred, *, layer=None, pred_layer=None):
    """The `Compared` of two corpora, or of two lists of spaCy's Docs.

    Parameters
    ----------
    gold, pred : Corpus or sequence of Doc
        The same documents with the same tokens.
    layer, pred_layer : str, optional
        As `read_compared` has them; those of Docs are "ents" and "spans:KEY".

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
    gold, pred = (
        side if isinstance(side, Corpus) else corpus_of(side, role)
        for side, role in ((gold, "gold"), (pred, "pred"))
    )
    sources = gold.path, pred.path
    gold, pred = formats.pair(gold, pred)
    layer, pred_layer = layers_of(gold, pred, layer, pred_layer)
    return Compared(gold, layer, complete(pred, pred_layer), pred_layer, sources)


def layers_of(gold, pred, layer=None, pred_layer=None):
    """The layers of two corpora that are compared: by default the prediction's is called alike."""
    layer = layer_of(gold, layer)
    same = layer if layer in pred.layer_names or not pred.layer_names else None
    return layer, layer_of(pred, pred_layer or same)


def corpus_of(docs, role):
    """Docs as a `Corpus` that is called as its role is."""
    from ..spacy_docs.docbin import corpus_of_docs

    return corpus_of_docs(docs, role, role=role)


def complete(pred, layer, *, anywhere=False):
    """Predictions in which a document that lacks the layer altogether has no spans.

    A document that says it was not annotated (null, a rejected task) stays so. Of a part of a
    corpus the layer may be `anywhere`.
    """
    if not anywhere and pred.layer_names and layer not in pred.layer_names:
        return pred  # which has no such layer, as will be said
    documents = (
        doc if layer in doc.layers else replace(doc, layers={layer: (), **doc.layers})
        for doc in pred.documents
    )
    return replace(pred, documents=tuple(documents))


def one_file_options(path, gold_options, pred_options):
    """Options to read gold and prediction from two columns of one file."""
    if format_of(path, gold_options) != "conll":
        return gold_options
    columns = {
        "gold": (gold_options.pop("columns", None) or {"gold": -2})["gold"],
        "pred": (pred_options.get("columns") or {"gold": -1})["gold"],
    }
    repair = {
        "gold": gold_options.pop("repair", None) or "error",
        "pred": pred_options.get("repair") or "conlleval",
    }
    return {**gold_options, "columns": columns, "repair": repair}
