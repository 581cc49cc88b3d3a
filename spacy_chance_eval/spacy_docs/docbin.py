"""`.spacy` files as a `Corpus` and back: a reader and a writer like those of `formats`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, pairwise
from sys import intern
from typing import Any, TypeAlias

import spacy
from spacy.attrs import DEP, ENT_TYPE, MORPH, ORTH
from spacy.language import Language
from spacy.strings import get_string_id
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from ..formats import Corpus, Document, FormatError
from ..formats.blemishes import leave_out_document
from ..formats.corpus import check_words, one_piece
from ..formats.documents import DocumentTable, joined_tables
from ..formats.errors import PathLike, did_you_mean
from ..formats.files import BlockReader, Excerpt, Run, file_bytes
from ..formats.keys import Reading
from ..formats.openings import docbins_at
from ..formats.outputs import whole_file
from ..formats.paths import is_several, path_of
from ..formats.rows import CATEGORIES
from ..measures.arrays import distinct
from ..measures.messages import quoted
from ..measures.spans import Copy
from .packed import (
    NOT_PACKED,
    OddDocsError,
    categories_of,
    completed,
    keys_of_spans,
    name_in,
    simple_values,
    span_groups,
    table_of_docbin,
)

_RawDoc: TypeAlias = tuple[DocBin, dict[int, str], int]  # its strings by key, and a place in it
TEXTS = (ORTH, DEP, ENT_TYPE, MORPH)  # attributes of tokens that are hashes of texts
EXPECTED = "expected a DocBin, as `spacy convert` and `spacy-chance-eval convert` write it"


def read_docbin(path: PathLike, reading: Reading | None = None) -> Corpus:
    """The `Corpus` of a `.spacy` file, or of all those that a folder or a pattern stands for.

    They are read in the order of their names. Layers are "ents" and "spans:KEY". Of `Doc.cats`, the
    labels with at least 0.5 are the layer "categories" of documents that have any. Sentences are
    kept where they are annotated.

    Parameters
    ----------
    path : str or Path
    reading : Reading, optional
        With the role: in gold, entities are missing where spaCy says so, and a document without any
        entity annotation, or without a span group, is not annotated. A prediction leaves nothing
        out: what it does not mark is not there.

    Raises
    ------
    FormatError
        If a file is missing or no DocBin.
    """
    role = reading.role if reading else "gold"
    files = docbins_at(path) if is_several(path) else [path]
    if not files:
        raise FormatError("no .spacy files in this folder", path)
    tables, n_in_front = [], 0
    for file in files:
        docbin = _filled_docbin(file)
        tables.append(_table_of_file(docbin, file, role, n_in_front))
        n_in_front += len(docbin)
    table = joined_tables(tables)
    return Corpus(str(path), completed(table) if role == "pred" else table)


def _table_of_file(docbin: DocBin, path: PathLike, role: str, n_in_front: int) -> DocumentTable:
    """The documents of one file, after those of other files in front of them."""
    try:
        return table_of_docbin(docbin, role == "pred", path)
    except NOT_PACKED:
        docs = docs_of(docbin, Vocab(), path, n_in_front)
        return read_docs(docs, path, role=role).table


def _filled_docbin(path: PathLike) -> DocBin:
    """The DocBin of a file that has documents."""
    docs = load_docbin(path)
    if not len(docs):
        raise FormatError("no documents", path)
    return docs


def read_docs(
    docs: Iterable[Doc],
    path: object,
    *,
    role: str = "gold",
    layers: Iterable[str] = (),
    first: int = 0,
) -> Corpus:
    """The `Corpus` of some Docs, with the layers "ents" and "spans:KEY".

    Parameters
    ----------
    docs : iterable of Doc
        Iterated once; they are not kept.
    path : str or Path
        Name of the corpus in messages.
    role : "gold" or "pred"
        Gold may leave annotation out. In predictions, an unmarked token is outside.
    layers : iterable of str
        Layers that predictions have besides their own: those of other documents of the same file.
    first : int
        Number of documents of the file before these.
    """
    complete = role == "pred"
    documents = [
        document_of(doc, complete, path, place) for place, doc in enumerate(docs, first + 1)
    ]
    corpus = Corpus(str(path), documents)
    if not complete:
        return corpus
    empty: dict[str, Any] = dict.fromkeys((*corpus.layer_names, *layers), ())
    completed = [
        document
        if document.layers.keys() == empty.keys()
        else replace(document, layers={**empty, **document.layers})
        for document in corpus.documents
    ]
    return replace(corpus, documents=completed)


def load_docbin(path: PathLike) -> DocBin:
    """The DocBin of a file."""
    if not path_of(path).is_file():
        raise FormatError("no such file; expected a .spacy file", path)
    data = file_bytes(path)
    try:
        docbin = DocBin().from_bytes(data)
        if {len(getattr(docbin, name)) for name in COLUMNS} != {len(docbin)}:
            raise ValueError("parts of other lengths")
        "".join(docbin.strings)  # a TypeError for others than texts
        return docbin
    except MemoryError:
        raise
    except Exception as error:  # spaCy believes what a file says, and fails anywhere
        what = "this is no .spacy file, or one cut off or damaged"
        raise FormatError(f"{what}; {EXPECTED}", path) from error


def docs_of(docbin: DocBin, vocab: Vocab, path: object, n_in_front: int = 0) -> Iterator[Doc]:
    """The Docs of a DocBin, each made when it is asked for.

    One that cannot be made, or has a label without a text, is left out, or an error.

    Parameters
    ----------
    docbin : DocBin
    vocab : Vocab
        Gets the strings of the DocBin.
    path : str or Path
        For errors.
    n_in_front : int
        Number of documents of other files before these.
    """
    for text in docbin.strings:
        vocab.strings.add(text)
    for place in range(len(docbin)):
        try:
            (doc,) = _documents_in(docbin, place, place + 1).get_docs(vocab)
            for attribute, keys in zip(docbin.attrs, docbin.tokens[place].T):
                for key in distinct(keys).tolist() if attribute in TEXTS else ():
                    vocab.strings[key]
            for span in chain(doc.ents, *doc.spans.values()):
                span.label_, doc[span.start : span.end]
        except MemoryError:
            raise
        except Exception as error:  # spaCy has many for damaged values
            said = str(error).strip("\"'")  # a KeyError quotes its message
            reason = f" ({said})" if said.startswith("[E") else ""
            what = f"document {_n_before(docbin) + place + 1} is damaged{reason}"
            mistake = FormatError(f"{what}; copy the file or write it again", path)
            leave_out_document(path, mistake, n_in_front + place)
        else:
            yield doc


def document_of(doc: Doc, complete: bool, path: object, place: int) -> Document:
    """A Doc as a `Document`; with `complete`, its entities leave no token out.

    `path` and `place`, its number from 1, are for errors.
    """
    groups = {f"spans:{key}": _spans_of(group) for key, group in doc.spans.items()}
    layers: dict[str, Any] = {name: [*counts] for name, counts in groups.items()}
    annotated = complete or doc.has_annotation("ENT_IOB")
    layers["ents"] = [*_spans_of(doc.ents)] if annotated else None
    partly = annotated and not complete
    missing = [(token.i, token.i + 1) for token in doc if partly and token.ent_iob == 0]
    sents = [sentence.start for sentence in doc.sents] if doc.has_annotation("SENT_START") else ()
    return Document(
        words=[intern(token.text) for token in doc],  # each call makes a new string
        layers=layers,
        copies={
            name: {span: [Copy({})] * (n - 1) for span, n in counts.items() if n > 1}
            for name, counts in groups.items()
        },
        name=name_in(doc.user_data),
        sents=sents,
        missing_in={"ents": missing},
        spaces=None if doc.has_unknown_spaces else [bool(token.whitespace_) for token in doc],
        text=None if doc.has_unknown_spaces else doc.text,
        attributes=simple_values(doc.user_data),
        categories=categories_of(doc.cats, path, place),
    )


def _spans_of(spans: Iterable[Span]) -> Counter[tuple[int, int, str]]:
    """The (start, end, label) of spans, and how often each is there."""
    return Counter((span.start, span.end, span.label_) for span in spans)


def docs_of_corpus(corpus: Corpus, nlp: Language, *, ents: str | None = None) -> Iterator[Doc]:
    """The documents as Docs with the tokens of the file.

    Parameters
    ----------
    corpus : Corpus
        With token positions.
    nlp : Language
        Whose vocabulary is used.
    ents : str, optional
        The layer that becomes `Doc.ents`; by default the first of "spans", "gold", "ents" that is
        there, or the only layer. Its spans must not overlap. With "none", no layer does. All other
        layers become span groups of their names. The layer "categories", or the only one of its
        kind, becomes `Doc.cats`.

    Raises
    ------
    FormatError
        For character positions, or entities that overlap.
    """
    if corpus.positions != "token":
        raise FormatError(
            "a .spacy file needs tokens; --read tokenizer=LANG makes some of texts", corpus.path
        )
    check_words(corpus, corpus.path)
    ents = _main_layer(corpus) if ents is None else ents
    if ents not in ("none", *corpus.layer_names):
        names = ", ".join(corpus.layer_names) or "none"
        hint = did_you_mean(ents, corpus.layer_names)
        raise FormatError(
            f"there is no layer {quoted(ents)}{hint}; available: {names}", corpus.path
        )
    layers = corpus.category_layers  # "categories", or the only one, becomes `Doc.cats`
    categories = layers[0] if len(layers) == 1 else CATEGORIES
    labels = sorted(
        {x for document in corpus.documents for x in document.categories.get(categories) or ()}
    )
    for document in corpus.documents:
        doc = Doc(nlp.vocab, words=list(document.words), spaces=spaces_of(document))
        doc.user_data.update(document.attributes)
        if document.name is not None:
            doc.user_data["name"] = document.name
        for i in document.sents and range(len(doc)):
            doc[i].is_sent_start = i in document.sents
        for layer, rows in document.layers.items():
            if rows is not None and layer != ents:
                doc.spans[layer.removeprefix("spans:")] = _spans_in(doc, one_piece(rows))
        if document.layers.get(ents) is not None:
            _set_ents(doc, document, ents, corpus.path)
        own = document.categories.get(categories)
        if own is not None:
            doc.cats = {label: float(label in own) for label in labels}
        yield doc


def _set_ents(doc: Doc, document: Document, layer: str, path: str) -> None:
    """Give a Doc the spans of a layer as entities, but for those over missing tokens."""
    tokens = {token for start, end in document.gaps(layer) for token in range(start, end)}
    missing = _spans_in(doc, [(token, token + 1, "") for token in sorted(tokens)])
    rows = one_piece(document.layers.get(layer))
    spans = _spans_in(doc, [row for row in rows if tokens.isdisjoint(range(row[0], row[1]))])
    try:
        doc.set_ents(spans, missing=missing, default="outside")
    except ValueError as error:
        raise FormatError(
            f"entities of layer {quoted(layer)} overlap in "
            f"{quoted(document.name or doc.text[:40])}; choose another layer, or make all of them "
            "span groups (#ents=none)",
            path,
            document.line(0),
        ) from error


def _main_layer(corpus: Corpus) -> str:
    """The main layer of a file."""
    names = corpus.layer_names
    if not names:
        raise FormatError(
            "no document has any layer of spans (#ents=none converts it)", corpus.path
        )
    usual = names[0] if len(names) == 1 else "none"  # of several annotators nobody is the main one
    return next((name for name in ("spans", "gold", "ents") if name in names), usual)


def spaces_of(document: Document) -> list[bool] | None:
    """Whether a space follows each token, as the file or the text says; None if neither does."""
    if document.spaces or document.text is None:
        return None if document.spaces is None else list(document.spaces)
    spaces, rest = [], document.text
    for word in document.words:
        if not rest.startswith(word):
            return None
        rest = rest[len(word) :]
        spaces.append(rest.startswith(" "))
        rest = rest.removeprefix(" ")
    return None if rest else spaces


def _spans_in(doc: Doc, rows: Iterable[tuple[int, int, str]]) -> list[Span]:
    """Spans of a Doc from (start, end, label)."""
    return [Span(doc, start, end, label=label) for start, end, label in rows]


def write_docbin(
    path: PathLike, corpus: Corpus, *, lang: str = "xx", ents: str | None = None
) -> None:
    """Write a `Corpus` as a `.spacy` file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        With the ending `.spacy`.
    corpus : Corpus
        With token positions.
    lang : str
        Language of the vocabulary.
    ents : str, optional
        The layer that becomes the entities, or "none"; by default the first of "spans", "gold",
        "ents" that is there, or the only layer. Others become span groups.

    Raises
    ------
    FormatError
        For another ending, character positions, entities that overlap, or a file that cannot be
        written.
    """
    if path_of(path).suffix != ".spacy":
        raise FormatError("the file to write must end in .spacy", path)
    docs = docs_of_corpus(corpus, spacy.blank(lang), ents=ents)
    data = DocBin(store_user_data=True, docs=docs).to_bytes()
    with whole_file(path) as file:
        file.write(data)


def entity_layer(corpus: Corpus, ents: str | None, strict: bool) -> str:
    """The layer of a corpus that becomes the entities, or "none".

    Parameters
    ----------
    ents : str, optional
        The one that was named. By default none becomes entities if there are categories alone, or
        spans of the main layer overlap.
    strict : bool
        Whether a layer whose spans overlap is the main one all the same.
    """
    if ents is not None:
        return ents
    if not corpus.layer_names and corpus.category_layers:
        return "none"
    main = _main_layer(corpus)
    layers = ([] if strict else document.layers.get(main) or () for document in corpus.documents)
    rows = ([span for span in spans if len(span) == 3] for spans in layers)  # others are dropped
    return "none" if any(two[0] < one[1] for some in rows for one, two in pairwise(some)) else main


COLUMNS = ("tokens", "spaces", "cats", "span_groups", "user_data", "flags")


class _Part(DocBin):
    """Some documents of a DocBin, and the number of those before them."""

    n_before = 0


def _n_before(docbin: DocBin) -> int:
    """Number of documents of a file before those of a DocBin."""
    return docbin.n_before if isinstance(docbin, _Part) else 0


def blocks_of_docbin() -> BlockReader:
    """How `.spacy` files are read in blocks of documents."""
    return BlockReader(_open_docbin, _join_documents, _read_some_documents, "token")


def _open_docbin(path: PathLike, reading: Reading) -> tuple[list[str], Iterator[Run]]:
    """(names of the layers of spans in a `.spacy` file, its documents)."""
    docbin = _filled_docbin(path)
    keys: set[str] = set()
    with suppress(OddDocsError):  # the reader of the documents reports the error
        for _, group in span_groups(docbin.span_groups):
            keys.update(group.keys)
    strings = {get_string_id(string): string for string in docbin.strings}
    documents = (Run((docbin, strings, place)) for place in range(len(docbin)))
    return sorted({f"spans:{key}" for key in keys}), documents


def _join_documents(documents: Sequence[_RawDoc]) -> DocBin:
    """A DocBin of consecutive documents of another one, with the strings that they need."""
    whole, strings, first = documents[0]
    part = _documents_in(whole, first, first + len(documents))
    used = set(distinct(*part.tokens).tolist())
    try:
        for _, group in span_groups(part.span_groups):
            used |= keys_of_spans(group)
    except OddDocsError:
        used = {*strings}
    part.strings = {strings[key] for key in used & strings.keys()}
    return part


def _documents_in(whole: DocBin, first: int, end: int) -> _Part:
    """Consecutive documents of a DocBin, without the strings."""
    part = _Part(store_user_data=True)
    part.attrs, part.n_before = whole.attrs, first
    for name in COLUMNS:
        setattr(part, name, getattr(whole, name)[first:end])
    return part


def _read_some_documents(excerpt: Excerpt, layers: Sequence[str], reading: Reading) -> Corpus:
    """The corpus of some documents of a file that has these layers of spans."""
    complete = reading.role == "pred"
    first = _n_before(excerpt.content)
    try:
        table = table_of_docbin(excerpt.content, complete, excerpt, first)
    except NOT_PACKED:
        docs = docs_of(excerpt.content, Vocab(), excerpt.path)
        return read_docs(docs, excerpt, layers=layers, first=first, role=reading.role)
    return Corpus(str(excerpt), completed(table, layers) if complete else table)
