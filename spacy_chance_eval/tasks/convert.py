"""From one format to another; what the other has no place for is said, not lost in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .. import formats
from ..corpora.columns import unread_columns
from ..corpora.panels import PanelOptions, is_folder_of_annotators, read_panel
from ..corpora.sources import Source, read_corpus
from ..formats.corpus import Corpus, Document
from ..formats.errors import FormatError, PathLike, known
from ..formats.files import suffix_of
from ..formats.matching import ANSWER
from ..formats.paths import path_of
from ..formats.texts import in_tokens, to_characters

SPACY = ".spacy"
TARGETS = tuple(name for name, one in formats.READERS.items() if one.writes)
FOLDERS = ("brat", "cas", "gate", "webanno")  # formats whose documents are files
ONE_LAYER = ("brat", "cas", "prodigy")  # whose writers can be asked for a layer
# what a document has, and what it is called where it gets lost
FIELDS = {
    "words": "the words themselves",
    "name": "names",
    "sents": "sentences",
    "spaces": "spaces between tokens",
    "attributes": "attributes of documents",
    "categories": "categories of documents",
    "missing": "that positions are not annotated",
    "missing_in": "that positions are not annotated, in one layer",
    "unplaced": "spans that do not fit the tokens",
    "features": "features of spans",
    "copies": "spans that are there twice",
}


def convert_file(
    source: PathLike,
    target: PathLike,
    *,
    to: str | None = None,
    layer: str | None = None,
    tokenize: Callable[[str], Any] | None = None,
    lang: str = "xx",
    ents: str | None = None,
    options: Mapping[str, Any] | None = None,
    warn: Callable[[str], object] | None = None,
) -> tuple[int, list[str]]:
    """Write the annotation of a file in another format.

    Parameters
    ----------
    source, target : str or Path
    to : str, optional
        One of `TARGETS`; by default what the ending of the target says.
    layer : str, optional
        The only layer to keep; formats with one layer a file need it, if there are several.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for a source that has none.
    lang : str
        Of `.spacy`: the language of the vocabulary.
    ents : str, optional
        Of `.spacy`: the layer that becomes the entities, or "none".
    options : mapping, optional
        For the reader.
    warn : callable, optional
        Called with each sentence of the reader; by default these are among what got lost.

    Returns
    -------
    (int, list of str)
        Number of documents; what the reader has to say and what got lost, in words.
    """
    to = known(to or format_to_write(target), TARGETS, "format to write")
    said: list[str] = []
    if is_folder_of_annotators(path_of(source), (options or {}).get("format")):
        _, corpus = read_panel([source], PanelOptions(options=options or {}))
    else:
        given = {key: value for key, value in (options or {}).items() if value is not None}
        looked = Source(str(source)).looked_at("gold", given)
        corpus = looked.read()
        said += unread_columns(looked)
    if tokenize is not None:
        corpus = in_tokens(corpus, tokenize)
    if layer is not None:
        corpus = _only_layer(corpus, layer)
    n_docs, lost = write_corpus(corpus, target, to=to, layer=layer, lang=lang, ents=ents)
    said += corpus.notes.sentences()
    if warn is None:
        return n_docs, [*said, *lost]
    for sentence in said:
        warn(sentence)
    return n_docs, lost


def write_corpus(
    corpus: Corpus,
    target: PathLike,
    *,
    to: str,
    layer: str | None = None,
    lang: str = "xx",
    ents: str | None = None,
) -> tuple[int, list[str]]:
    """Number of documents of a corpus, and what got lost when it was written, in words.

    Parameters
    ----------
    corpus : Corpus
    target : str or Path
    to : str
        One of `TARGETS`.
    layer : str, optional
        Formats that can be asked for a layer write that one alone, others all that is there.
    lang : str
        Of `.spacy`: the language of the vocabulary.
    ents : str, optional
        Of `.spacy`: the layer that becomes the entities, or "none".
    """
    if to == "spacy":
        from ..spacy_docs.docbin import convert

        return convert(corpus, target, lang=lang, ents=ents)
    if suffix_of(target) in formats.PARQUET:
        raise FormatError("Parquet is read, but not written; write JSONL", target)
    others: list[str] = []
    options: dict[str, Any] = {}
    if layer is not None and to in ONE_LAYER:
        options = {"layer": layer}
        others = sorted({*corpus.layer_names, *corpus.category_layers} - {layer})
        corpus = _only_layer(corpus, layer)
    write = formats.READERS[to].write
    write(target, corpus, **options)
    lost = [f"the layer {name!r}" for name in others]
    lost += losses(corpus, _read_again(target, to, corpus, alone=bool(options)))
    if to in ("csv", "jsonl") and corpus.positions == "char":
        lost.append("that offsets count characters: read it with --offsets char")
    return len(corpus.documents), lost


def format_to_write(target: PathLike) -> str:
    """The format that the name of a file to write says."""
    suffixes = [suffix.lower() for suffix in path_of(target).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == SPACY:
        return "spacy"
    names = [name for name, one in formats.READERS.items() if suffix in one.suffixes]
    if suffix == ".json" or suffix in formats.PARQUET or not names:
        raise FormatError(
            f"the ending {suffix!r} does not tell the format to write; name it with --to: "
            f"{', '.join(TARGETS)} ({', '.join(FOLDERS)} write folders)",
            target,
        )
    return names[0]


def _only_layer(corpus: Corpus, layer: str) -> Corpus:
    """The corpus with one of its layers."""
    names = sorted({*corpus.layer_names, *corpus.category_layers})
    known(layer, names, "layer")
    documents = []
    for document in corpus.documents:
        values = ((field, getattr(document, field)) for field in ANSWER)
        kept: dict[str, Any] = {
            field: {layer: value[layer]} if layer in value else {} for field, value in values
        }
        documents.append(replace(document, **kept))
    return replace(corpus, documents=documents)


def _read_again(target: PathLike, to: str, corpus: Corpus, alone: bool = False) -> Corpus:
    """The corpus that was written, as it is read; `alone` if one layer of several was written."""
    names = {*corpus.layer_names, *corpus.category_layers}
    several = bool(names - {"spans", "categories"}) and not alone
    options: dict[str, dict[str, Any]] = {
        "conll": {"columns": "all"},
        "jsonl": {"offsets": corpus.positions},
        "prodigy": {"annotator": "auto"} if several else {},
        "csv": {"offsets": corpus.positions},
        "doccano": {"annotator": "annotator"} if several else {},
    }
    return read_corpus(target, format=to, **options.get(to, {}))


def losses(corpus: Corpus, again: Corpus) -> Iterator[str]:
    """What differs between a corpus and the one that was read from its file, in words."""
    if corpus.positions == "token" and again.positions == "char":
        yield "tokens: offsets count characters now"
        corpus = to_characters(corpus)
    pairs = _pairs_of(corpus, again)
    if pairs is None:
        yield "documents: not all of them are there"
        return
    for field, words in FIELDS.items():
        lost = sum(getattr(one, field) != getattr(two, field) for one, two in pairs)
        if lost:
            yield f"{words}, in {lost} of {len(pairs)} documents"
    renamed = {name: name for name in corpus.layer_names}
    if len(renamed) == 1 and len(again.layer_names) == 1:
        renamed = dict(zip(renamed, again.layer_names))
    for layer, name in renamed.items():
        lost = sum(one.layers.get(layer) != two.layers.get(name) for one, two in pairs)
        if lost:
            yield f"spans of {layer!r}, in {lost} of {len(pairs)} documents"
        elif layer != name:
            yield f"the name of the layer {layer!r}: it is called {name!r}"


def _pairs_of(corpus: Corpus, again: Corpus) -> list[tuple[Document, Document]] | None:
    """Pairs of the same documents, by name or in order; None if they are not the same number."""
    if len(corpus.documents) != len(again.documents):
        return None
    by_name = {document.name: document for document in again.documents}
    names = [document.name for document in corpus.documents]
    if None not in names and set(names) == set(by_name) and len(by_name) == len(names):
        return [(document, by_name[document.name]) for document in corpus.documents]
    return list(zip(corpus.documents, again.documents))
