"""Files of several annotators made one corpus, with a layer for each of them."""

from dataclasses import replace
from typing import NamedTuple

from .corpus import Corpus, title
from .errors import FormatError
from .pairs import check_same, unique_names

BY_LAYER = ("layers", "categories", "unplaced", "features")
ANSWER = (*BY_LAYER, "missing_in")  # what a document has by annotator


class Part(NamedTuple):
    """One layer of one corpus: what an annotator did."""

    annotator: str
    corpus: Corpus
    layer: str


def merged(parts, first=0):
    """One corpus of all documents, with a layer of spans or categories for each annotator.

    Documents are matched by name if all files name all of theirs, each name once; else by place.
    Who lacks a document has not seen it. An annotator may have several parts: other documents.
    Messages count documents from `first` on.

    Raises
    ------
    FormatError
        If files have other tokens or texts for one document, if some have tokens and others have
        not, if documents without names differ in number, or if an annotator has one twice.
    """
    one = parts[0].corpus
    for part in parts:
        if part.corpus.positions != one.positions:
            raise FormatError(
                f"positions are of the kind {part.corpus.positions!r}, but {one.positions!r} in "
                f"{one.path}; give all tokens, or none (--tokenizer makes tokens of texts)",
                part.corpus.path,
            )
    named = all(unique_names(part.corpus) for part in parts)
    if not named:
        check_numbers(parts)
    made, origin, answers = {}, {}, {}
    for part in parts:
        for place, document in enumerate(part.corpus.documents):
            key = document.name if named else place
            if key in made:
                others = origin[key], part.corpus, made[key], document
                check_same(*others, title(document, first + place + 1))
            else:
                made[key], origin[key] = document, part.corpus
                answers[key] = {field: {} for field in ANSWER} | {"sents": document.sents}
            add_answer(answers[key], document, part)
    repairs = sorted({part.corpus.repair for part in parts})
    documents = [replace(made[key], missing=(), **found) for key, found in answers.items()]
    return Corpus(one.path, documents, one.positions, "+".join(repairs))


def with_names(first, corpus):
    """A corpus with the names of the first, if it has its texts and none of its names.

    Ids of different programs do not make documents different.
    """
    names = {document.name for document in first.documents}
    known = any(document.name in names for document in corpus.documents)
    if known or not (unique_names(first) and unique_names(corpus)):
        return corpus
    if what_was_read(first) != what_was_read(corpus):
        return corpus
    pairs = zip(first.documents, corpus.documents)
    return replace(corpus, documents=tuple(replace(two, name=one.name) for one, two in pairs))


def what_was_read(corpus):
    """The tokens, or texts, of all documents; the corpus itself if it does not say them."""
    if any(document.size is not None for document in corpus.documents):
        return corpus
    token = corpus.positions == "token"
    return [document.words if token else document.text for document in corpus.documents]


def check_numbers(parts):
    """Raise if documents that are matched by place are not equally many."""
    first = parts[0].corpus
    for part in parts:
        if len(part.corpus.documents) != len(first.documents):
            raise FormatError(
                f"{len(part.corpus.documents)} documents, but {first.path} has "
                f"{len(first.documents)}; without a name for each (ids, `# id X`) documents are "
                "matched by their place, and each file needs all of them",
                part.corpus.path,
            )


def add_answer(answers, document, part):
    """Add what one annotator did with a document to what all of them did."""
    if part.layer not in document.layers and part.layer not in document.categories:
        return
    if part.annotator in answers["layers"] or part.annotator in answers["categories"]:
        name = f"document {document.name!r}" if document.name is not None else "a document"
        raise FormatError(
            f"{name} has two annotations by {part.annotator!r}; keep one of them, or give the "
            "annotators different names (NAME=PATH)",
            document.path or part.corpus.path,
            document.line(0),
        )
    for field in BY_LAYER:
        found = getattr(document, field)
        if part.layer in found:
            answers[field][part.annotator] = found[part.layer]
    gaps = document.gaps(part.layer)
    if gaps:
        answers["missing_in"][part.annotator] = gaps
    if document.sents != answers["sents"]:
        answers["sents"] = tuple(sorted({*answers["sents"], *document.sents}))
