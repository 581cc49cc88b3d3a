"""Files of several annotators of the same documents as one corpus, a layer for each of them."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ..measures.alignment import ALIGN
from ..measures.messages import quoted
from .alignment import (
    COMMON_TOKENS,
    aligned,
    in_characters,
    letters,
    parts_of,
    same_letters,
)
from .annotators import add_answer, no_answers
from .blemishes import all_completed
from .corpus import Corpus, Document, all_parts
from .divisions import divided_alike
from .errors import FormatError, known
from .matching import NO_TOKENS, are_divided_otherwise, difference, differing, other_number
from .notes import Notes, add_notes


class AnnotatorLayer(NamedTuple):
    """One layer of one corpus: the work of one annotator."""

    annotator: str
    corpus: Corpus
    layer: str


def merge_annotators(parts: Sequence[AnnotatorLayer], align: str = "auto") -> Corpus:
    """One corpus of all documents, with a layer of spans or categories for each annotator.

    Documents are matched by name if all files name all of theirs, each name once; else by place.
    An annotator who lacks a document has not seen it. If those matched by place have the same
    tokens, but divided otherwise, documents end where those of all annotators do.

    Parameters
    ----------
    parts : sequence of AnnotatorLayer
        An annotator may have several, of different documents.
    align : "auto", "tokens", "characters" or "position"
        How documents with other tokens are compared. "auto": if their text is the same, a token
        ends where one of any annotator does; if some have no tokens, all are counted in characters.
    """
    known(align, ALIGN, "value of align")
    read = [*{id(part.corpus): part.corpus for part in parts}.values()]
    named = all(corpus.table.has_names_of_their_own for corpus in read)
    corpora: Sequence[Corpus] = read
    if align != "tokens":
        corpora = _on_common_positions(corpora, named, align)
    elif len({corpus.positions for corpus in read}) > 1:
        raise FormatError(NO_TOKENS, next(one.path for one in read if one.positions == "char"))
    if not named:
        corpora = all_completed(corpora)
        if any(are_divided_otherwise(corpora[0], other) for other in corpora[1:]):
            corpora = divided_alike(corpora) or corpora
        for corpus in corpora:
            if len(corpus.documents) != len(corpora[0].documents):
                raise other_number(corpora[0], corpus)
    repairs = sorted({corpus.repair for corpus in read})
    notes = add_notes(corpus.notes for corpus in corpora)
    layers = [
        [(part.annotator, part.layer) for part in parts if part.corpus is old] for old in read
    ]
    documents, one = _merged(corpora, layers, named), corpora[0]
    repair = "+".join(repairs)
    return Corpus(one.path, documents, one.positions, repair, notes, first=one.first)


def _merged(
    corpora: Sequence[Corpus], parts: Sequence[list[tuple[str, str]]], named: bool
) -> list[Document]:
    """The documents of all, with a layer for each (annotator, layer) of the parts of a corpus."""
    made: dict[Hashable, tuple[Corpus, Document]] = {}
    answers: dict[Hashable, dict[str, Any]] = {}
    for corpus, layers in zip(corpora, parts):
        for place, document in enumerate(corpus.documents):
            key: Hashable = document.name if named else place
            if key in made:
                like, one = made[key]
                if error := difference(like, corpus, one, document, corpus.title(place)):
                    raise error
            else:
                made[key] = corpus, document
                answers[key] = no_answers() | {"sents": document.sents}
            said = answers[key]
            for annotator, layer in layers:
                if layer not in document.layers and layer not in document.categories:
                    continue
                if annotator in said["layers"] or annotator in said["categories"]:
                    raise FormatError(
                        f"{corpus.title(place)} has two annotations by "
                        f"{quoted(annotator)}; keep one of them, or give the annotators different "
                        "names (NAME=PATH)",
                        document.path or corpus.path,
                        document.line(0),
                    )
                add_answer(said, annotator, document, layer)
            if document.sents != said["sents"]:
                said["sents"] = {*said["sents"], *document.sents}
    return [replace(made[key][1], **said) for key, said in answers.items()]


def _keys(corpus: Corpus, named: bool) -> Sequence[Hashable]:
    """What tells which documents of several corpora are the same."""
    return corpus.names() if named else corpus.places


# --- other tokens


def _on_common_positions(corpora: Sequence[Corpus], named: bool, align: str) -> Sequence[Corpus]:
    """The corpora on positions that all have, with notes.

    Of documents with the same text, but other tokens, a token ends where one of any annotator does.
    Mentions on texts without tokens are carried over to those of the others. If others have no
    tokens, all are counted in characters. Documents that cannot be aligned stay as they are.
    """
    first, *others = corpora
    same = (first.names() == one.names() and not differing(first, one) for one in others)
    if align != "characters" and all(same):
        return corpora
    if align == "characters" or len({one.positions for one in corpora}) > 1:
        if align != "characters" and (found := _mentions_on_tokens(corpora, named, align)):
            return found
        corpora = [in_characters(one) for one in corpora]
    likes = _common_documents(corpora, named, align)
    if not likes:
        return corpora
    notes: dict[Hashable, list[Notes]] = {key: [] for key in likes}
    made = []
    for corpus in corpora:
        keys = _keys(corpus, named)
        own = {at: likes[key] for at, key in enumerate(keys) if key in likes}
        moved, said = aligned(corpus, own, corpus.positions, COMMON_TOKENS, align=align)
        made.append(moved)
        for at, one in said.items():
            notes[keys[at]].append(one)
    every = add_notes(chain([made[0].notes], *notes.values()))  # by document: so blocks add up
    return [replace(made[0], notes=every), *made[1:]]


def _mentions_on_tokens(
    corpora: Sequence[Corpus], named: bool, align: str
) -> Sequence[Corpus] | None:
    """The corpora, mentions without tokens on those of the others; None if that cannot be done."""
    if not all(one.notes.of_mentions for one in corpora if one.positions == "char"):
        return None
    with_tokens = [one for one in corpora if one.positions == "token"]
    common = _on_common_positions(with_tokens, named, align)
    likes: dict[Hashable, Document] = {}
    for one in reversed(common):
        likes |= zip(_keys(one, named), one.documents)
    made, rest = [], iter(common)
    for corpus in corpora:
        if corpus.positions == "token":
            made.append(next(rest))
            continue
        keys = _keys(corpus, named)
        if lacking := [key for key in keys if key not in likes]:
            if not named:
                return None
            raise FormatError(
                f"no other annotator has document {quoted(lacking[0])}, so it has no tokens; leave "
                f"it out, or count all in characters: --align characters ({len(lacking)} such)",
                corpus.path,
            )
        own = {doc: likes[key] for doc, key in enumerate(keys)}
        moved, said = aligned(corpus, own, "token", COMMON_TOKENS)
        if own and not said:
            return None
        notes = add_notes([corpus.notes, *said.values()])
        made.append(replace(moved, positions="token", notes=notes))
    return made


def _common_documents(
    corpora: Sequence[Corpus], named: bool, align: str
) -> dict[Hashable, Document]:
    """By key, the positions of documents that do not have the same in all corpora."""
    found: dict[Hashable, dict[Any, tuple[Corpus, int]]] = {}
    for corpus in corpora:
        for at, (key, parts) in enumerate(zip(_keys(corpus, named), all_parts(corpus))):
            found.setdefault(key, {}).setdefault(parts, (corpus, at))
    common = {}
    for key, rows in found.items():
        if len(rows) > 1:
            # the shortest first: no order of annotators decides whose positions count
            parts = sorted(rows, key=lambda parts: (len(parts or ()), parts or ()))
            documents = [rows[one][0].documents[rows[one][1]] for one in parts]
            tokens = corpora[0].positions == "token"
            common[key] = _with_all_borders(documents, align) if tokens else documents[0]
    return common


def _with_all_borders(documents: Sequence[Document], align: str) -> Document:
    """The first document, its tokens divided where those of any other one end.

    With "position", it is not if all have equally many tokens of another text.
    """
    parts = [parts_of(document, "token") for document in documents]
    found = [letters(own or ()) for own in parts]
    text, borders = found[0]
    if None in parts or not all(same_letters(other, text) for other, _ in found):
        return documents[0]
    if align == "position" and all(own == borders for _, own in found):
        return documents[0]
    cuts = sorted({0, *(end for _, own in found for _, end in own)})
    words = [text[start:end] for start, end in pairwise(cuts)]
    return replace(documents[0], words=words, layers={}, spaces=None, lines=None)
