"""`.spacy` files as a `Corpus` and back: a reader and a writer like those of `formats`."""

from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin, Span

from ..formats import Corpus, Document, FormatError
from ..formats.files import whole_file


def read_docbin(path, *, role="gold"):
    """The `Corpus` of a `.spacy` file, or of all those in a folder, in the order of their names.

    Layers are "ents" and "spans:KEY". Sentences are kept where they are annotated. In gold,
    entities are missing where spaCy says so, and a document without any entity annotation, or
    without a span group, is not annotated. A prediction leaves nothing out: what it does not mark
    is not there.

    Raises
    ------
    FormatError
        If a file is missing or no DocBin.
    """
    path = Path(path)
    files = sorted(path.rglob("*.spacy")) if path.is_dir() else [path]
    if not files:
        raise FormatError("no .spacy files in this folder", path)
    vocab = spacy.blank("xx").vocab
    docs = [doc for file in files for doc in load_docbin(file).get_docs(vocab)]
    if not docs:
        raise FormatError("no documents", path)
    predicted = {"ents", *(f"spans:{key}" for doc in docs for key in doc.spans)}
    return Corpus(path, [document_of(doc, predicted if role == "pred" else ()) for doc in docs])


def load_docbin(path):
    """The DocBin of a file."""
    if not Path(path).is_file():
        raise FormatError("no such file; expected a .spacy file", path)
    try:
        return DocBin().from_disk(path)
    except Exception as error:  # msgpack, zlib and spaCy each raise their own
        raise FormatError(
            f"this is no .spacy file ({type(error).__name__}); expected a DocBin, as "
            "`spacy convert` and `spacy-chance-eval convert` write it",
            path,
        ) from error


def document_of(doc, complete=()):
    """A Doc as a `Document`; it is annotated in the `complete` layers, whatever it says."""
    layers = dict.fromkeys(complete, ())
    layers.update({f"spans:{key}": rows_of(group) for key, group in doc.spans.items()})
    annotated = doc.has_annotation("ENT_IOB") or "ents" in complete
    layers["ents"] = rows_of(doc.ents) if annotated else None
    partly = annotated and "ents" not in complete
    missing = [(token.i, token.i + 1) for token in doc if partly and token.ent_iob == 0]
    sents = [sentence.start for sentence in doc.sents] if doc.has_annotation("SENT_START") else ()
    return Document(
        words=[token.text for token in doc],
        layers=layers,
        sents=sents,
        missing=missing,
        spaces=[bool(token.whitespace_) for token in doc],
        text=doc.text,
    )


def rows_of(spans):
    """Distinct (start, end, label)."""
    return sorted({(span.start, span.end, span.label_) for span in spans})


def docs_of_corpus(corpus, nlp, *, ents=None, groups=None):
    """The documents as Docs with the tokens of the file.

    Parameters
    ----------
    corpus : Corpus
        With token positions.
    nlp : Language
        Whose vocabulary is used.
    ents : str, optional
        The layer that becomes `Doc.ents`; by default the first of "spans", "gold", "ents" that is
        there. Its spans must not overlap.
    groups : dict of str to str, optional
        Layer to the key of its span group; by default all other layers under their own names.

    Raises
    ------
    FormatError
        For character positions, or entities that overlap.
    """
    if corpus.positions != "token":
        raise FormatError("a .spacy file needs tokens; give the rows `tokens`", corpus.path)
    ents = main_layer(corpus) if ents is None else ents
    if ents not in corpus.layer_names:
        names = ", ".join(corpus.layer_names)
        raise FormatError(f"there is no layer {ents!r}; expected one of {names}", corpus.path)
    others = [layer for layer in corpus.layer_names if layer != ents]
    groups = {layer: layer.removeprefix("spans:") for layer in others} if groups is None else groups
    for document in corpus.documents:
        doc = Doc(nlp.vocab, words=list(document.words), spaces=spaces_of(document))
        for i in document.sents and range(len(doc)):
            doc[i].is_sent_start = i in document.sents
        for layer, key in groups.items():
            if document.layers.get(layer) is not None:
                doc.spans[key] = spans_in(doc, document.layers[layer])
        if document.layers.get(ents) is not None:
            missing = spans_in(doc, [(start, end, "") for start, end in document.missing])
            try:
                doc.set_ents(
                    spans_in(doc, document.layers[ents]), missing=missing, default="outside"
                )
            except ValueError as error:
                raise FormatError(
                    f"entities of layer {ents!r} overlap in {document.name or doc.text[:40]!r}; "
                    "make it a span group (--spans)",
                    corpus.path,
                    document.line(0),
                ) from error
        yield doc


def main_layer(corpus):
    """The layer that holds what a file is about."""
    names = corpus.layer_names
    return next((name for name in ("spans", "gold", "ents") if name in names), names[0])


def spaces_of(document):
    """Whether a space follows each token; as far as the file tells, else everywhere."""
    return list(document.spaces) if document.spaces else [True] * len(document.words)


def spans_in(doc, rows):
    """Spans of a Doc from (start, end, label)."""
    return [Span(doc, start, end, label=label) for start, end, label in rows]


def write_docbin(path, docs):
    """Write a `.spacy` file, whole or not at all."""
    data = DocBin(store_user_data=False, docs=docs).to_bytes()
    with whole_file(path) as file:
        file.write(data)


def convert(corpus, target, *, lang="xx", ents=None):
    """Write a `Corpus` as a `.spacy` file; the number of its documents."""
    docs = list(docs_of_corpus(corpus, spacy.blank(lang), ents=ents))
    write_docbin(target, docs)
    return len(docs)
