"""CoNLL, one token a line: writing."""

from collections.abc import Sequence

from ..measures.tags import tags_of_spans
from .conll_bytes import DOCSTART, UNSEEN
from .corpus import Corpus, Document, check_words, one_piece
from .errors import FormatError, PathLike
from .outputs import write_atomically


def write_conll(path: PathLike, corpus: Corpus, layers: Sequence[str] | None = None) -> None:
    """Write tokens, tags of IOB2, sentences and names.

    Without `layers`, all of them are written, and a first line `#token<tab>name...` names them:
    with columns="all" the corpus is read that `losses.reduced` leaves, but for sentences of
    documents without any, and tokens that are missing, then in each layer. Documents of one
    sentence stand between empty lines, others begin with a -DOCSTART- line. The tags of a document
    that was not annotated are hyphens, and so are those of missing tokens.
    """
    if corpus.positions != "token":
        raise FormatError(
            "a corpus without tokens; --read tokenizer=LANG makes some, JSONL does without", path
        )
    check_words(corpus, path)
    single = bool(corpus.table.n_words.all()) and not corpus.table.sents[:, 1].any()
    lines = [] if layers is not None else ["\t".join(["#token", *corpus.layer_names])]
    layers = corpus.layer_names if layers is None else layers
    for doc, document in enumerate(corpus.documents):
        lines += [] if single else [f"{DOCSTART} -X- O O", ""]
        if document.name is not None:
            lines.append(f"# {'id' if single else 'doc_id ='} {document.name}")
        cuts = sorted({0, *document.sents, len(document.words)})
        try:
            columns = [_tag_column(document, layer, cuts) for layer in layers]
        except ValueError as error:
            raise FormatError(f"{corpus.title(doc)}: {error}; write JSONL", path) from error
        for start, end in zip(cuts, cuts[1:]):
            lines += map("\t".join, zip(*(one[start:end] for one in (document.words, *columns))))
            lines.append("")
    write_atomically(path, lines)


def _tag_column(document: Document, layer: str, cuts: Sequence[int]) -> list[str]:
    """The tags of one layer."""
    spans = document.layers.get(layer)
    if spans is None:
        return [UNSEEN] * len(document.words)
    tags, rows = [], one_piece(spans)
    for start, end in zip(cuts, cuts[1:]):
        own = [(s - start, e - start, label) for s, e, label in rows if start <= s < end]
        tags += tags_of_spans(own, end - start)
    for start, end in document.gaps(layer):
        tags[start:end] = [UNSEEN] * (end - start)
    return tags
