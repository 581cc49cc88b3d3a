"""Tasks of Prodigy: a corpus as answered tasks, and disagreements as tasks to review."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from .annotators import SINGLE
from .corpus import Corpus, Document, one_piece
from .errors import FormatError, PathLike, known
from .json_rows import Row
from .json_text import in_one_line
from .outputs import write_atomically
from .prodigy import ATTRIBUTES, NOBODY, hash_of
from .rows import other_values
from .texts import join_words, text_and_borders

WORD = re.compile(r"\w+|[^\w\s]|[^\S ]")  # one blank behind a word is not a word
# Prodigy keeps hashes in columns of 64 bits
HASH = re.compile("0|-?[1-9][0-9]{0,17}")


def review_tasks(
    corpus: Corpus,
    layers: Iterable[str],
    order: Iterable[tuple[int, float]],
    *,
    about: Callable[[int], Mapping[str, Any]] = lambda doc_index: {},
) -> Iterator[Row]:
    """Tasks to review, one for each document on which annotators disagree.

    Each task is as Prodigy's own `review` recipe makes it: annotations that are equal are one of
    the `versions`, with all who made it as its `sessions`; the task shows the version of most
    sessions, which is the `default` one; of several such versions that of the first annotator.
    Features do not count. Where documents have no tokens, tasks have the words of the text, divided
    where spans begin or end: their interface needs tokens.

    `corpus` has a layer of spans for each annotator. `order` are places in it
    and disagreements, which are shown (`meta`), of the documents to review; those with one version
    or none are passed over. about(place) returns more for the `meta` of a task.
    """
    layers = list(dict.fromkeys(layers))
    for doc_index, disagreement in order:
        document = corpus.documents[doc_index]
        sessions: dict[object, list[str]] = {}
        for layer in layers:
            if (spans := document.layers.get(layer)) is not None:
                sessions.setdefault(spans, []).append(layer)
        if len(sessions) < 2:
            continue
        name = corpus.title(doc_index)
        answers = dict(_answers(document, layers, corpus, corpus.path, name))
        if corpus.positions == "char":
            _add_words(list(answers.values()))
        versions: list[Row] = []
        for names in sorted(sessions.values(), key=len, reverse=True):
            answer = answers[names[0]]
            who = {"_session_id": None if names[0] == NOBODY else names[0], "sessions": names}
            hashed = {"_input_hash": hash_of(answer["text"])}
            versions.append(hashed | answer | who | {"default": not versions})
        number = round(float(disagreement), 4)
        meta = {"disagreement": number if math.isfinite(number) else None}
        yield other_values(versions[0], ("answer", "_session_id", "default")) | {
            "meta": {**versions[0].get("meta", {}), **meta, **about(doc_index)},
            "_view_id": "review",
            "view_id": versions[0]["_view_id"],
            "versions": versions,
        }


def write_prodigy(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write a corpus as answered tasks, one for each document and annotator who has seen it.

    A corpus with the layer "spans" alone, or the `layer` asked for, is written as the work of one
    annotator. Else each layer is an annotator, `_annotator_id` and `_session_id`, and is read with
    annotator="auto". Documents that nobody has seen are written once, as ignored.

    Names that are whole numbers become `_input_hash`. Other names stand in `meta` as "document",
    and come back unless `_input_hash`, made of the name, is computed again (db-in --rehash). Texts
    and spaces that are not known are added, the words joined by blanks.
    """
    names = [*corpus.layer_names] if layer is None else [known(layer, corpus.layer_names, "layer")]
    if not names:
        raise FormatError("there is no layer of spans to write; read or add one", path)
    alone = layer is not None or names == [SINGLE]

    def lines() -> Iterator[str]:
        for doc, document in enumerate(corpus.documents):
            title = corpus.title(doc)
            for one, row in _answers(document, names, corpus, path, title):
                who = dict.fromkeys(ATTRIBUTES[:2], None if one == NOBODY else one)
                if alone:  # as it was read
                    who = {key: own for key, own in document.attributes.items() if key in who}
                yield in_one_line(row | who)

    write_atomically(path, lines())


def _answers(
    document: Document,
    layers: Sequence[str],
    corpus: Corpus,
    path: PathLike,
    title: str,
) -> Iterator[tuple[str, Row]]:
    """(annotator, answered task) of all who have seen a document; if nobody has, of the first."""
    task: Row = {"text": document.text}
    borders = None
    if corpus.positions == "token":
        same, spaces = document, document.spaces
        if spaces is not None and join_words(document) == document.text:
            same = replace(document, text=None)  # two blanks may be a blank and a token like one
        task["text"], borders = text_and_borders(same, path, title)
        if spaces is None and document.text is None:
            spaces = [True] * (len(borders) - 1) + [False]
        task["tokens"] = [
            {"text": word, "start": start, "end": end, "id": i}
            | ({"ws": spaces[i]} if spaces else {})
            for i, (word, (start, end)) in enumerate(zip(document.words, borders))
        ]
    elif document.text is None:
        raise FormatError(f"{title} has neither text nor token; Prodigy needs the text", path)
    meta = other_values(document.attributes, ATTRIBUTES)
    if (own := document.name) is not None:
        is_hash = HASH.fullmatch(own)
        meta |= {} if is_hash else {"document": own}
        task["_input_hash"] = int(own) if is_hash else hash_of(own)
    if meta:
        task["meta"] = meta
    for layer in [one for one in layers if document.layers.get(one) is not None] or layers[:1]:
        spans, row = document.layers.get(layer), dict(task)
        if spans is not None:
            features = document.features.get(layer, {})
            row["spans"] = [
                {**features.get(span, {}), **_place_of(start, end, borders), "label": label}
                for span, (start, end, label) in zip(spans, one_piece(spans))
            ]
        row["_task_hash"] = hash_of([row.get("_input_hash"), row["text"], row.get("spans")])
        row["_view_id"] = "spans_manual"
        row["answer"] = "ignore" if spans is None else "accept"
        yield layer, row


def _add_words(rows: Sequence[Row]) -> None:
    """Add tokens to answers to one text: its words, divided where a span begins or ends."""
    text, spans = rows[0]["text"], [span for row in rows for span in row.get("spans", ())]
    starts, ends = ({span[key] for span in spans} for key in ("start", "end"))
    cuts = starts | ends | {at for word in WORD.finditer(text) for at in word.span()}
    places = [
        (start, end)
        for start, end in pairwise(sorted(cuts))
        if text[start:end].strip(" ") or start in starts or end in ends
    ]
    first, last = ({place[side]: n for n, place in enumerate(places)} for side in (0, 1))
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": number}
        | {"ws": text[end : end + 1] == " " and end not in first}
        for number, (start, end) in enumerate(places)
    ]
    for row in rows:
        row["tokens"] = tokens
        for span in row.get("spans", ()):
            span |= {"token_start": first[span["start"]], "token_end": last[span["end"]]}


def _place_of(start: int, end: int, borders: Sequence[tuple[int, int]] | None) -> Row:
    """Where a span is, in characters and tokens."""
    if borders is None:
        return {"start": start, "end": end}
    place = {"start": borders[start][0], "end": borders[end - 1][1]}
    return place | {"token_start": start, "token_end": end - 1}
