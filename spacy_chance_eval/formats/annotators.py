"""Answers of annotators, a row each, as documents with one layer for each annotator."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .blemishes import blemishes
from .corpus import Corpus, Document
from .documents import BY_LAYER, DocumentTable
from .errors import ContentError, FormatError
from .notes import ANSWERS, Place, note
from .rows import brief

SAME_TEXT = "rows of one document need the same text and tokens: correct the row, or its id"
ONE_ANSWER = (
    "keep one answer of each annotator to each document, or have the last one read "
    "(--read duplicates=last)"
)
NAME_IT = "say in every row whose annotation it is, or leave the annotation out"
ONE_LAYER = "keep one layer in a row that names its annotator"
ONE_ANNOTATOR = (
    "keep the rows of one annotator in the file, or make each of them a layer "
    "(--read annotator=auto)"
)
SINGLE = "spans"  # the layer of the only annotator
SHARED = ("words", "text", "spaces", "sents")  # in which all rows agree that have them


class Answer(NamedTuple):
    """The answer in a row: who gave it, and when.

    `annotator` is None where nobody is named, `time` where none is known. An answer without
    annotation gives way to others of the annotator, unless it is `final`: a task was rejected.
    Rows are of one document if they have the same `document`; without that the same name, or
    without names the same tokens, or text.
    """

    annotator: str | None
    time: float | None = None
    final: bool = False
    document: Hashable = None


class _Row(NamedTuple):
    """A row, and who answered in it."""

    document: Document
    answer: Answer

    @property
    def line(self) -> int:
        return self.document.line(0) or 0

    @property
    def answers(self) -> list[object]:
        """Its spans and labels, by layer; None where nothing was annotated."""
        return [*self.document.layers.values(), *self.document.categories.values()]

    @property
    def is_seen(self) -> bool:
        return any(one is not None for one in self.answers)

    @property
    def content(self) -> object:
        """The answer, under whatever name of the layer."""
        fields = (*BY_LAYER, "missing_in")
        return self.document.missing, [[*getattr(self.document, one).values()] for one in fields]

    def error(self, what: str, advice: str) -> ContentError:
        return ContentError(what, f"{advice}.", self.line)


def annotator_of(row: Mapping[str, Any], key: str) -> str | None:
    """The annotator that a JSON object names under a key; None without a name."""
    found = row.get(key)
    if found is not None and type(found) is not int and (type(found) is not str or not found):
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", "an annotator is a non-empty string or a number"
        )
    return found if found is None else str(found)


def merge_answers(
    corpus: Corpus, answers: Sequence[Answer], how: str = "merge", *, single: bool = False
) -> Corpus:
    """A corpus of rows as one of documents, with a layer for each annotator.

    Of several answers of an annotator to a document, equal ones are one. Of others the latest
    counts if all have a time; else they are an error. Attributes are kept that no two rows of a
    document contradict. Documents come in the order of their first rows.

    Parameters
    ----------
    corpus : Corpus
        Each row as a document, with at most one layer of spans and one of categories.
    answers : sequence of Answer
        Of each row. Rows without annotation need no annotator.
    how : "merge", "last" or "keep"
        last: the last answer in the file counts.
    single : bool
        Whether the file is that of one annotator: answers of several are an error, and the layer is
        "spans".
    """
    keys = [*_keys(corpus.table, answers)]
    if single and len({*keys}) == len(keys):
        return corpus
    groups: dict[Hashable, list[_Row]] = {}
    for key, document, answer in zip(keys, corpus.documents, answers):
        groups.setdefault(key, []).append(_Row(document, answer))
    left: list[_Row] = []
    documents = []
    try:
        for rows in groups.values():
            chosen = _chosen(rows, how, single, left)
            ids = {*map(id, chosen.values())}
            used = [row for row in rows if id(row) in ids or not row.answers]
            documents += [_document_of(used, chosen)] if used else []
    except ContentError as mistake:
        raise FormatError(str(mistake), corpus.path, mistake.line or None) from None
    left_out = blemishes()
    if left_out is not None and any(one.document is None for one in answers):
        left_out.documents.clear()  # of which documents the rows left out were is not known
    places = [
        Place(corpus.path, row.line, f"document {quoted(name)}" if name else "")
        for row in sorted(left, key=lambda row: row.line)
        for name in [row.document.name]
    ]
    return replace(corpus, documents=documents, notes=corpus.notes + note(ANSWERS, places))


def _keys(table: DocumentTable, answers: Sequence[Answer]) -> Iterator[Hashable]:
    """What rows of the same document have in common."""
    words = table.document_words() if None in table.all_names() else [()] * len(table)
    texts = table.column("text", None)
    for name, answer, tokens, text in zip(table.all_names(), answers, words, texts):
        if answer.document is not None:
            yield "document", answer.document
        elif name is not None:
            yield "name", name
        else:
            yield ("tokens", tokens) if tokens else ("text", text)


def _chosen(rows: Sequence[_Row], how: str, single: bool, left: list[_Row]) -> dict[str, _Row]:
    """The rows that count, by annotator; those that gave way are added to `left`."""
    by_annotator: dict[str | None, list[_Row]] = {}
    for row in rows:
        if row.answers:
            by_annotator.setdefault(row.answer.annotator, []).append(row)
        for layers in (row.document.layers, row.document.categories):
            if len(layers) > 1:
                what = f"the layers {', '.join(map(repr, sorted(layers)))} in one row"
                raise row.error(what, ONE_LAYER)
    last: dict[str | None, _Row] = {}
    for who, own in by_annotator.items():
        own = [row for row in own if row.is_seen or row.answer.final] or own[-1:]
        times = [row.answer.time for row in own]
        if None not in times:
            latest = max(time for time in times if time is not None)
            left += [row for row, time in zip(own, times) if time != latest]
            own = [row for row, time in zip(own, times) if time == latest]
        for row in own[1:] if how != "last" else ():
            if row.content != own[0].content:
                what = f"a second, other answer of {quoted(who)}, who also has one in line "
                raise row.error(f"{what}{own[0].line}", ONE_ANSWER)
        left += own[:-1]
        last[who] = own[-1]
    seen = [row for row in last.values() if row.is_seen]
    if single and last:
        for row in seen[1:]:
            one, two = (quoted(row.answer.annotator or "nobody") for row in (row, seen[0]))
            what = f"an answer of {one} beside that of {two} in line {seen[0].line}"
            raise row.error(what, ONE_ANNOTATOR)
        return {SINGLE: (seen or [*last.values()])[0]}
    if None in last and last[None].is_seen:
        raise last[None].error("an annotation without its annotator", NAME_IT)
    return {who: row for who, row in last.items() if who is not None}


def _document_of(rows: Sequence[_Row], chosen: Mapping[str, _Row]) -> Document:
    """The document of some rows, with the answers that count."""
    shared = {}
    for name in SHARED:
        givers = [row for row in rows if getattr(row.document, name)] or rows[:1]
        shared[name] = getattr(givers[0].document, name)
        for row in givers[1:]:
            if getattr(row.document, name) != shared[name]:
                what = f"other {name} than line {givers[0].line} has for the same document"
                raise row.error(what, SAME_TEXT)
    attributes = [row.document.attributes for row in rows]
    common = {
        key: value
        for some in attributes
        for key, value in some.items()
        if all(repr(other.get(key, value)) == repr(value) for other in attributes)
    }
    said = no_answers()
    for who, row in chosen.items():
        add_answer(said, who, row.document)
    return replace(rows[0].document, attributes=common, **shared, **said)


def no_answers() -> dict[str, Any]:
    """Fields of a document that several annotate, before their answers are added."""
    return {"missing": (), "missing_in": {}, **{name: {} for name in BY_LAYER}}


def add_answer(
    said: dict[str, Any], annotator: str, document: Document, layer: str | None = None
) -> None:
    """Add the annotation in a layer of the same document, or in its only one, as a layer."""
    for name in (*BY_LAYER, "missing_in"):
        for key, value in getattr(document, name).items():
            if layer is None or layer == key:
                said[name][annotator] = value
    if document.missing:
        gaps = said["missing_in"].get(annotator, ())
        said["missing_in"][annotator] = {*document.missing, *gaps}
