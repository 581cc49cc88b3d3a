"""Columns of tags, written: one column for each layer."""

import re

from .columns import DOCSTART, FACT, UNSEEN, is_tag
from .corpus import title
from .errors import FormatError, known
from .files import write_atomically
from .tags import SCHEMES, tags_of_spans


def write_conll(path, corpus, layers=None, *, scheme="IOB2"):
    """Write tokens, tags, sentences and names.

    Without `layers`, all of them are written, and a first line `#token<tab>name...` names them:
    `read_conll(path, columns="all")` returns the corpus. Documents of one sentence stand between
    empty lines, others begin with a -DOCSTART- line. The tags of a document that was not annotated
    are hyphens, and so are those of missing tokens. Attributes of a document of one sentence follow
    its name.

    Lost are the text, and the spaces behind tokens. A document without sentences comes back as one
    sentence, missing tokens as missing in each layer, an absent layer as not annotated. Tags of
    IOB1 are read with scheme="IOB1".

    Parameters
    ----------
    path : str or Path
    corpus : Corpus
    layers : sequence of str, optional
        Layers to write, without their names.
    scheme : "IOB1", "IOB2", "BIOES" or "BILUO"

    Raises
    ------
    FormatError
        For what columns cannot hold, with the document: overlapping spans, spans across sentences
        or over missing tokens, unplaced spans, features, categories, attributes that are no
        strings or of several sentences, tokens with tabs or newlines, layers without any annotated
        document, characters as positions.
    """
    known(scheme, SCHEMES, "scheme")
    if corpus.positions != "token":
        raise FormatError(
            "a corpus without tokens; --tokenizer LANG makes some, JSONL does without", path
        )
    check_words(corpus, path)
    single = all(doc.words and doc.sents in ((), (0,)) for doc in corpus.documents)
    try:
        lines = [] if layers is not None else ["\t".join(header(corpus))]
        layers = corpus.layer_names if layers is None else layers
        check_annotated(corpus, layers)
    except ValueError as error:
        raise FormatError(f"{error}; write JSONL", path) from error
    for place, document in enumerate(corpus.documents, 1):
        try:
            lines += conll_lines(document, layers, scheme, single)
        except ValueError as error:
            raise FormatError(f"{title(document, place)}: {error}; write JSONL", path) from error
    write_atomically(path, lines)


def check_words(corpus, path):
    """Raise for a document of which only the size is known."""
    for place, document in enumerate(corpus.documents, 1):
        if document.size and not document.words:
            raise FormatError(
                f"{title(document, place)} has a size, but no words; give the texts (--texts)", path
            )


def header(corpus):
    """Names of all columns."""
    names = corpus.layer_names
    if not names:
        raise ValueError("no layers of spans; columns need one")
    for name in names:
        if not name or re.search(r"[\t\n\r]", name) or is_tag(name) or name == "token":
            raise ValueError(f"a layer with the name {name!r}, which no column can have")
    return ["#token", *names]


def check_annotated(corpus, layers):
    """Raise for a layer of hyphens alone."""
    worded = [document for document in corpus.documents if document.words]
    for layer in layers:
        if worded and all(document.layers.get(layer) is None for document in worded):
            raise ValueError(f"not annotated in any document: the layer {layer!r}")


def conll_lines(document, layers, scheme, single):
    """The lines of one document."""
    check_writable(document, layers)
    lines = [] if single else [f"{DOCSTART} -X- O O", ""]
    lines += comments(document, single)
    cuts = sorted({0, *document.sents, len(document.words)})
    columns = [column(document, layer, cuts, scheme) for layer in layers]
    for start, end in zip(cuts, cuts[1:]):
        lines += map("\t".join, zip(*(one[start:end] for one in (document.words, *columns))))
        lines.append("")
    return lines


def comments(document, single):
    """The lines that say the name and the attributes."""
    if not document.attributes:
        if document.name is None:
            return []
        return [f"# id {document.name}" if single else f"# doc_id = {document.name}"]
    if not single:
        raise ValueError("attributes of a document with several sentences, in its file or alone")
    pairs = [f"{key}={said}" for key, said in document.attributes.items()]
    for (key, said), pair in zip(document.attributes.items(), pairs):
        plain = type(key) is type(said) is str and "=" not in key
        if not plain or key != key.strip() or said != said.strip() or re.search(r"[\t\n\r]", pair):
            raise ValueError(f"the attribute {key!r}, with the value {said!r}")
    name = "# attributes =" if document.name is None else f"# id {document.name}"
    return ["\t".join([name, *pairs])]


def column(document, layer, cuts, scheme):
    """The tags of one layer."""
    spans = document.layers.get(layer)
    if spans is None:
        return [UNSEEN] * len(document.words)
    tags = []
    for start, end in zip(cuts, cuts[1:]):
        own = [(s - start, e - start, label) for s, e, label in spans if start <= s < end]
        tags += tags_of_spans(own, end - start, scheme=scheme)
    for start, end in document.gaps(layer):
        if any(tag != "O" and tag != UNSEEN for tag in tags[start:end]):
            raise ValueError(f"a span over missing tokens of the layer {layer!r}")
        tags[start:end] = [UNSEEN] * (end - start)
    if tags and set(tags) == {UNSEEN}:
        raise ValueError(
            f"all tokens missing in the layer {layer!r}, which is not annotated at all"
        )
    return tags


def check_writable(document, layers):
    """Raise for what the columns would lose or read back as something else."""
    if any(document.unplaced.get(layer) for layer in layers):
        raise ValueError("unplaced spans, for which columns have no place")
    if any(document.features.get(layer) for layer in layers):
        raise ValueError("features of spans, for which columns have no place")
    if document.categories:
        raise ValueError("categories, for which columns have no place")
    absent = [layer for layer in layers if document.layers.get(layer) is None]
    if absent and not document.words:
        raise ValueError(f"no tokens, and not annotated in the layer {absent[0]!r}")
    texts = [label for layer in layers for *_, label in document.layers.get(layer) or ()]
    texts += [] if document.name is None else [document.name]
    for text in (*document.words, *texts):
        if not text or re.search(r"[\t\n\r]|^\ufeff", text):
            raise ValueError(f"{text!r} is empty or has a tab or newline")
    for text in texts:
        if text != text.strip(" ") or text.startswith("="):
            raise ValueError(f"{text!r} begins or ends with a blank or begins with =")
    for word in document.words:
        if word.split()[:1] == [DOCSTART] or FACT.match(word + "\tO"):
            raise ValueError(f"the token {word!r} would be read as something else")
