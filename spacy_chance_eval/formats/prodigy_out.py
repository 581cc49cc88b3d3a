"""Tasks of Prodigy: a corpus as answered ones, and what annotators disagree on, to review."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .corpus import Corpus, Document, Span, Stretch, document_title, one_piece
from .decisions import Decision, decided_on
from .errors import FormatError, PathLike, known
from .json_rows import Row
from .outputs import write_atomically
from .prodigy import ANSWERS, ATTRIBUTES, NOBODY, SPAN_KEYS, hash_of, kinds_of
from .rows import is_json, other_values
from .texts import join_words, text_and_borders

# Prodigy keeps hashes in columns of 64 bits
HASH = re.compile("0|-?[1-9][0-9]{0,17}")
NER = "ner_manual"  # shows no spans that overlap
NO_TEXT = "there is neither text nor token; Prodigy needs the text"
VALUES = "write what JSON has: text, finite numbers, true, false, null, lists and objects of them"


class _Draft(NamedTuple):
    """A document ready to be answered: the keys of its task, its tokens, the question.

    `marked` are the layers of spans in its corpus; `alone` says that there is but one annotator.
    """

    document: Document
    task: Row
    borders: tuple[Stretch, ...] | None
    options: Sequence[str]
    decision: Decision | None
    marked: Sequence[str]
    alone: bool


def review_tasks(
    corpus: Corpus,
    layers: Iterable[str],
    order: Iterable[tuple[int, float]],
    *,
    about: Callable[[int], Mapping[str, Any]] | None = None,
) -> Iterator[Row]:
    """Tasks to review, one for each document on which annotators disagree.

    Each task is as Prodigy's own `review` recipe makes it: annotations that are equal are one of
    the `versions`, with all who made it as its `sessions`; the task shows the version of most
    sessions, which is the `default` one. Of several such versions it is the one whose names come
    first. Features do not count. The interface is that of the document's attribute "_view_id" if
    it can show all versions, else "spans_manual", "choice", "classification" or "ner".

    Parameters
    ----------
    corpus : Corpus
        With one layer for each annotator, of spans, categories or both.
    layers : sequence of str
        The annotators whose versions are shown.
    order : iterable of (int, float)
        Place in the corpus and disagreement of the documents to review, in the order of the tasks.
        The disagreement is shown (`meta`). Documents with one version or none are passed over.
    about : callable, optional
        about(place) returns more for the `meta` of a document's task, as a dict.

    Yields
    ------
    dict
        A task; JSON can hold it.
    """
    layers = sorted(set(layers))
    options = _choice_options(corpus, layers)
    for place, disagreement in order:
        document = corpus.documents[place]
        sessions: dict[object, list[str]] = {}
        for layer in [layer for layer in layers if _has_seen(document, layer)]:
            said = (document.layers.get(layer), document.categories.get(layer))
            sessions.setdefault(said, []).append(layer)
        if len(sessions) < 2:
            continue
        name = document_title(document, place + 1)
        draft = _draft_of(document, layers, options, corpus, corpus.path, name)
        versions: list[Row] = []
        for names in sorted(sessions.values(), key=len, reverse=True):
            version: Row = {"_input_hash": hash_of(draft.task["text"])} | _answer_task(
                draft, names[0]
            )
            version["_session_id"] = None if names[0] == NOBODY else names[0]
            versions.append(version | {"sessions": names, "default": not versions})
        views = [version["_view_id"] for version in versions]
        number = float(disagreement)
        meta = {"disagreement": round(number, 4) if math.isfinite(number) else None}
        yield other_values(versions[0], ("answer", "_session_id", "default")) | {
            "meta": {**draft.task.get("meta", {}), **meta, **(about(place) if about else {})},
            "_view_id": "review",
            "view_id": next((view for view in views if views[0] != NER or view != NER), NER),
            "versions": versions,
        }


def write_prodigy(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write a corpus as answered tasks, one for each document and annotator who has seen it.

    A corpus with the layer "spans" alone, or the `layer` asked for, is written as the work of one
    annotator, and read again as the layer "spans". Else each layer is an annotator, `_annotator_id`
    and `_session_id`, and is read with annotator="auto". Layers that were not seen are left out;
    documents that nobody has seen are written once, as ignored. A single annotator's are all
    written, those rejected, ignored or flagged included.

    Names that are whole numbers become `_input_hash`. Other names stand in `meta` as "document",
    and come back unless `_input_hash`, made of the name, is computed again (db-in --rehash).

    Not kept: that a layer is None for a document instead of absent (it is None in all documents
    when read). Added: the text and the spaces of documents that have none, the words joined by
    blanks; for one annotator the attributes answer and _view_id. The corpus is what
    `losses.reduced` leaves.
    """
    names = sorted({*corpus.layer_names, *corpus.category_layers})
    if layer is not None:
        names = [known(layer, names, "layer")]
    alone = layer is not None or names == ["spans"]
    if not names:
        raise FormatError("there is no document to write; read or add some", path)
    options = _choice_options(corpus, names)

    def lines() -> Iterator[str]:
        for place, document in enumerate(corpus.documents, 1):
            name = document_title(document, place)
            draft = _draft_of(document, names, options, corpus, path, name, alone)
            for one in [one for one in names if _has_seen(document, one)] or names[:1]:
                row = _answer_task(draft, one)
                if not alone:
                    row |= dict.fromkeys(ATTRIBUTES[:2], None if one == NOBODY else one)
                yield json_line(row, name, path)

    write_atomically(path, lines())


def _has_seen(document: Document, layer: str) -> bool:
    """Whether an annotator has seen a document."""
    return any(said.get(layer) is not None for said in (document.layers, document.categories))


def _choice_options(corpus: Corpus, layers: Iterable[str]) -> tuple[str, ...]:
    """All labels that documents have, sorted."""
    every = (one.get(layer) or () for one in corpus.table.column("categories", {})
             for layer in layers)  # fmt: skip
    return tuple(sorted({label for labels in every for label in labels}))


def _draft_of(
    document: Document,
    layers: Sequence[str],
    options: Sequence[str],
    corpus: Corpus,
    path: PathLike,
    name: str,
    alone: bool = False,
) -> _Draft:
    """A document as a task, for the answers of some layers."""
    task: Row = {"text": document.text}
    borders = None
    if corpus.positions == "token":
        same = document
        if document.spaces is not None and join_words(document) == document.text:
            same = replace(document, text=None)  # two blanks may be a blank and a token like one
        task["text"], borders = text_and_borders(same, path, name)
        task["tokens"] = _token_entries(document, borders)
    elif document.text is None:
        raise FormatError(f"{name}: {NO_TEXT}", path)
    decision = decided_on(document, layers)
    taken = {*ATTRIBUTES, *(decision.attributes if decision else ())}
    meta = other_values(document.attributes, taken)
    if document.name is not None:
        own = document.name.removesuffix(f":{decision.name}") if decision else document.name
        is_hash = HASH.fullmatch(own)
        meta |= {} if is_hash else {"document": own}
        task["_input_hash"] = int(own) if is_hash else hash_of(own)
    if meta:
        task["meta"] = meta
    if alone:
        kept = ("_session_id", "_annotator_id")
        task |= {key: document.attributes[key] for key in kept if key in document.attributes}
    return _Draft(document, task, borders, options, decision, corpus.layer_names, alone)


def _token_entries(document: Document, borders: Iterable[Stretch]) -> list[Row]:
    """Entries of tokens, with `ws`, whether a blank follows, if that is known."""
    entries = [
        {"text": word, "start": start, "end": end, "id": i}
        for i, (word, (start, end)) in enumerate(zip(document.words, borders))
    ]
    spaces: Sequence[bool] | None = document.spaces
    if spaces is None and document.text is None:
        spaces = [True] * (len(entries) - 1) + [False]
    return entries if spaces is None else [e | {"ws": ws} for e, ws in zip(entries, spaces)]


def _answer_task(draft: _Draft, layer: str) -> Row:
    """The task with the answer of one annotator."""
    document, task = draft.document, dict(draft.task)
    spans, chosen = document.layers.get(layer), document.categories.get(layer)
    if spans is not None:
        said = document.features.get(layer, {})
        entries = [_span_entry(draft, span) for span in one_piece(spans)]
        task["spans"] = [{**said.get(span, {}), **one} for span, one in zip(spans, entries)]
    answer: Any = "accept"
    if draft.decision:
        task |= draft.decision.task
        answer = chosen[0] if chosen else answer
    elif chosen is not None or layer not in draft.marked:
        task["options"] = [{"id": label, "text": label} for label in draft.options]
        task |= {} if chosen is None else {"accept": list(chosen)}
    what = [task.get(key) for key in ("spans", "label", "options", "accept")]
    task["_task_hash"] = hash_of([task.get("_input_hash"), task["text"], *what])
    task["_view_id"] = _view_of(task, draft, spans)
    task["answer"] = answer
    if spans is None and chosen is None:
        answer = document.attributes.get("answer") if draft.alone else None
        task["answer"] = answer if answer in ANSWERS else "ignore"
        if answer == "accept" or (answer == "reject" and draft.decision):
            task["flagged"] = True
    return task


def _view_of(task: Row, draft: _Draft, spans: Sequence[Span] | None) -> str | None:
    """The interface: that of the document if the task reads the same there."""
    view = "spans_manual" if "options" not in task else "choice" if spans is None else "blocks"
    if draft.decision:
        view = "ner" if draft.decision.spans else "classification"
    own: Any = draft.document.attributes.get("_view_id", view)
    if own == "review" or type(own) is not str and not (draft.alone and own is None):
        return view
    rows = sorted(spans or ())
    overlap = any(two[0] < one[1] for one, two in zip(rows, rows[1:]))
    if own == NER and overlap or own is None and view == "blocks" and not spans:
        return view
    tokens = draft.borders is not None or None
    same = [kinds_of(task | {"_view_id": one}, tokens) for one in (own, view)]
    return own if same[0] == same[1] else view


def _span_entry(draft: _Draft, span: Span) -> Row:
    """A span as an object, without its features."""
    start, end, label = span[:3]
    if draft.borders is None:
        return {"start": start, "end": end, "label": label}
    place = {"start": draft.borders[start][0], "end": draft.borders[end - 1][1]}
    return place | {"token_start": start, "token_end": end - 1, "label": label}


def holdable(said: Mapping[str, Any]) -> dict[str, Any]:
    """The features that an entry of a span can hold: JSON under names that are free."""
    return {
        key: value
        for key, value in other_values(said, SPAN_KEYS).items()
        if type(key) is str and is_json(value)
    }


def json_line(task: Row, name: str, path: object) -> str:
    """The line of a task; raises a `FormatError` for what JSON cannot hold."""
    try:
        return json.dumps(task, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{name} has a value that is not JSON ({error}); {VALUES}", path
        ) from error
