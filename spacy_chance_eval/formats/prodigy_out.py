"""Tasks of Prodigy: a corpus as answered ones, and what annotators disagree on, to review."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .annotators import document_key
from .corpus import Corpus, Document, Span, Stretch, document_title, one_piece
from .decisions import Decision, decided_on
from .errors import ContentError, FormatError, PathLike, known
from .outputs import write_atomically
from .prodigy import ANSWERS, ATTRIBUTES, NOBODY, SPAN_KEYS, fill_layers, hash_of, kinds_of
from .rows import Row, brief, checked_span, is_json, other_values
from .texts import join_words, text_and_borders


class _TaskDraft(NamedTuple):
    """A document ready to be answered: the keys of its task, its tokens, the question."""

    document: Document
    task: Row
    borders: tuple[Stretch, ...] | None
    options: Sequence[str]
    decision: Decision | None


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
        name = document_title(document, place + 1)
        try:
            draft = _draft_of(document, layers, options, corpus.positions, corpus.path, name)
            versions = _versions_of(draft, layers)
        except ContentError as mistake:
            raise FormatError(f"{name}: {mistake}", corpus.path) from None
        if len(versions) > 1:
            yield _review_task(versions, disagreement, about(place) if about else {})


def _versions_of(draft: _TaskDraft, layers: Iterable[str]) -> list[Row]:
    """The different annotations of a document, most frequent first, and who made each."""
    document = draft.document
    sessions: dict[object, list[str]] = {}
    for layer in layers:
        if _has_seen(document, layer):
            said = (document.layers.get(layer), document.categories.get(layer))
            sessions.setdefault(said, []).append(layer)
    groups = sorted(sessions.values(), key=len, reverse=True)
    versions = []
    for names in groups:
        version = _answer_task(draft, names[0])
        version.setdefault("_input_hash", hash_of(version["text"]))
        who = None if names[0] == NOBODY else names[0]
        versions.append(version | {"_session_id": who, "sessions": names})
    return versions


def _review_task(versions: Sequence[Row], disagreement: float, more: Mapping[str, Any]) -> Row:
    """One task of several versions."""
    most = versions[0]
    number = float(disagreement)
    meta = {"disagreement": round(number, 4) if math.isfinite(number) else None}
    own, views = ("answer", "_session_id"), [version["_view_id"] for version in versions]
    return {key: found for key, found in most.items() if key not in own} | {
        "meta": {**most.get("meta", {}), **meta, **more},
        "_view_id": "review",
        "view_id": next((view for view in views if views[0] != NER or view != NER), NER),
        "versions": [version | {"default": place == 0} for place, version in enumerate(versions)],
    }


# Prodigy keeps hashes in columns of 64 bits
HASH = re.compile("0|-?[1-9][0-9]{0,17}")
NER = "ner_manual"  # shows no spans that overlap
VALUES = "write what JSON has: text, finite numbers, true, false, null, lists and objects of them"


def write_prodigy(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write a corpus as answered tasks, one for each document and annotator who has seen it.

    A corpus with the layer "spans" alone, or the `layer` asked for, is written as the work of one
    annotator: `read_prodigy` returns it as the layer "spans". Else each layer is an annotator,
    `_annotator_id` and `_session_id`, and `read_prodigy` returns the corpus with annotator="auto".
    Layers that were not seen are left out; documents that nobody has seen are written once, as
    ignored. A single annotator's are all written, those rejected, ignored or flagged included.

    Names that are whole numbers become `_input_hash`. Other names stand in `meta` as "document",
    and come back unless `_input_hash`, made of the name, is computed again (db-in --rehash).

    Not kept: sentences; that a layer is None for a document instead of absent (it is None in all
    documents when read), and layers that have seen nothing; of several annotators, the attributes
    _session_id, _annotator_id, _view_id and answer. Added: the text and the spaces of documents
    that have none, the words joined by blanks; for one annotator the attributes answer and
    _view_id.

    `layer` is the one layer to write.
    """
    rows = list(_tasks_of(corpus, path, layer))
    if not rows:
        raise FormatError("there is no document to write; read or add some", path)
    write_atomically(path, (json_line(row, name, path) for row, name in rows))


def _tasks_of(
    corpus: Corpus, path: PathLike, layer: str | None = None
) -> Iterator[tuple[Row, str]]:
    """(task, how messages call its document) of each answer."""
    names = sorted({*corpus.layer_names, *corpus.category_layers})
    if layer is not None:
        names = [known(layer, names, "layer")]
    alone = layer is not None or names == ["spans"]
    if "" in names:
        raise FormatError("a layer has no name; name the annotator", path)
    options, there = _choice_options(corpus, names), set()
    for place, document in enumerate(fill_layers(corpus.documents), 1):
        name = document_title(document, place)
        key = document_key(document) if document.name is not None or not alone else place
        if key in there:
            raise FormatError(f"{name} has the same name or text as one before; rename it", path)
        there.add(key)
        try:
            draft = _draft_of(document, names, options, corpus.positions, path, name, alone)
            saw = [one for one in names if _has_seen(document, one)]
            for one in saw or names[:1]:
                row = _answer_task(draft, one, alone)
                who = None if one == NOBODY else one
                yield row if alone else row | dict.fromkeys(ATTRIBUTES[:2], who), name
        except ContentError as mistake:
            raise FormatError(f"{name}: {mistake}", path) from None


def _has_seen(document: Document, layer: str) -> bool:
    """Whether an annotator has seen a document."""
    return any(said.get(layer) is not None for said in (document.layers, document.categories))


def _choice_options(corpus: Corpus, layers: Iterable[str]) -> tuple[str, ...]:
    """All labels that documents have, sorted."""
    found = {
        label
        for document in corpus.documents
        for layer in layers
        for label in document.categories.get(layer) or ()
    }
    return tuple(sorted(found))


def _draft_of(
    document: Document,
    layers: Sequence[str],
    options: Sequence[str],
    positions: str,
    path: PathLike,
    name: str,
    alone: bool = False,
) -> _TaskDraft:
    """A document as a task, for the answers of some layers."""
    _check_holdable(document, layers)
    task: Row = {"text": document.text}
    borders = None
    if positions == "token":
        same = document
        if document.spaces is not None and join_words(document) == document.text:
            same = replace(document, text=None)  # two blanks may be a blank and a token like one
        task["text"], borders = text_and_borders(same, path, name)
        task["tokens"] = _token_entries(document, borders)
    elif document.text is None:
        raise ContentError("there is neither text nor token", "Prodigy needs the text")
    decision = decided_on(document, layers)
    taken = {*ATTRIBUTES, *(decision.attributes if decision else ())}
    meta = {key: said for key, said in document.attributes.items() if key not in taken}
    if document.name is not None:
        own = document.name.removesuffix(f":{decision.name}") if decision else document.name
        is_hash = HASH.fullmatch(own)
        if not is_hash and "document" in meta:
            advice = "rename it: the name of the document stands there"
            raise ContentError("an attribute 'document'", advice)
        meta |= {} if is_hash else {"document": own}
        task["_input_hash"] = int(own) if is_hash else hash_of(own)
    if meta:
        task["meta"] = _checked_values(meta, ())
    if alone:
        kept = ("_session_id", "_annotator_id")
        task |= {key: document.attributes[key] for key in kept if key in document.attributes}
    return _TaskDraft(document, task, borders, options, decision)


def _check_holdable(document: Document, layers: Iterable[str]) -> None:
    """Raise for annotation that a task cannot hold."""
    if any(document.gaps(layer) for layer in layers):
        raise ContentError("positions without annotation", "leave the document out, or write JSONL")
    if any(document.unplaced.get(layer) for layer in layers):
        advice = "read the file with misaligned='error' and correct them, or write JSONL"
        raise ContentError("spans that do not fit the tokens", advice)


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


def _answer_task(draft: _TaskDraft, layer: str, alone: bool = False) -> Row:
    """The task with the answer of one annotator."""
    document, task = draft.document, dict(draft.task)
    spans, chosen = document.layers.get(layer), document.categories.get(layer)
    if spans is not None:
        said = document.features.get(layer, {})
        task["spans"] = [_span_entry(draft, span, said.get(span, {})) for span in spans]
    if draft.decision:
        task |= draft.decision.task
    elif chosen is not None or layer not in document.layers:
        task["options"] = [{"id": label, "text": label} for label in draft.options]
    answer: Any = "accept"
    if chosen is not None and draft.decision:
        answer = chosen[0]
    elif chosen is not None:
        if "" in chosen or len(set(chosen)) < len(chosen):
            raise ContentError(
                f"categories {brief(chosen)}", "a label is not empty, and there once"
            )
        task["accept"] = list(chosen)
    what = [task.get(key) for key in ("spans", "label", "options", "accept")]
    task["_task_hash"] = hash_of([task.get("_input_hash"), task["text"], *what])
    task["_view_id"] = _view_of(task, draft, spans, alone)
    task["answer"] = answer
    if spans is None and chosen is None:
        answer = document.attributes.get("answer") if alone else None
        task["answer"] = answer if answer in ANSWERS else "ignore"
        if answer == "accept" or (answer == "reject" and draft.decision):
            task["flagged"] = True
    return task


def _view_of(task: Row, draft: _TaskDraft, spans: Iterable[Span] | None, alone: bool) -> str | None:
    """The interface: that of the document if the task reads the same there."""
    view = "spans_manual" if "options" not in task else "choice" if spans is None else "blocks"
    if draft.decision:
        view = "ner" if draft.decision.spans else "classification"
    own: Any = draft.document.attributes.get("_view_id", view)
    if own == "review" or type(own) is not str and not (alone and own is None):
        return view
    if own == NER and _overlap(spans or ()) or own is None and view == "blocks" and not spans:
        return view
    tokens = draft.borders is not None
    same = [kinds_of(task | {"_view_id": one}, tokens or None) for one in (own, view)]
    return own if same[0] == same[1] else view


def _overlap(spans: Iterable[Span]) -> bool:
    """Whether any spans have a token in common."""
    rows = sorted(spans)
    return any(two[0] < one[1] for one, two in zip(rows, rows[1:]))


def _span_entry(draft: _TaskDraft, span: Span, said: Mapping[str, Any]) -> Row:
    """A span as an object."""
    ((start, end, label),) = one_piece([span])
    if draft.borders is None:
        checked_span(start, end, label, len(draft.task["text"]), "characters")
        return _checked_values(said, SPAN_KEYS) | {"start": start, "end": end, "label": label}
    checked_span(start, end, label, len(draft.borders), "tokens")
    return _checked_values(said, SPAN_KEYS) | {
        "start": draft.borders[start][0],
        "end": draft.borders[end - 1][1],
        "token_start": start,
        "token_end": end - 1,
        "label": label,
    }


def holdable(said: Mapping[str, Any]) -> dict[str, Any]:
    """The features that an entry of a span can hold: JSON under names that are free."""
    return {
        key: value
        for key, value in other_values(said, SPAN_KEYS).items()
        if type(key) is str and is_json(value)
    }


def _checked_values(said: Mapping[str, Any], taken: Sequence[str]) -> dict[str, Any]:
    """The values, if JSON has them and their names are free."""
    for key in said:
        if type(key) is not str or key in taken:
            raise ContentError(
                f"the name {quoted(key)}", f"rename it; the format uses {', '.join(taken)}"
            )
    if not all(map(is_json, said.values())):
        raise ContentError(f"the values {quoted(said)}", VALUES)
    return dict(said)


def json_line(task: Row, name: str, path: object) -> str:
    """The line of a task; raises a `FormatError` for what JSON cannot hold."""
    try:
        return json.dumps(task, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{name} has a value that is not JSON ({error}); {VALUES}", path
        ) from error
