"""A stream of tasks for Prodigy's `review` interface, made of the layers of annotators."""

import math

from .corpus import title
from .errors import FormatError, Mistake
from .prodigy import NOBODY
from .prodigy_out import answered, options_of, seen, sheet_of
from .prodigy_rows import hash_of


def review_tasks(corpus, layers, order, *, about=None):
    """Tasks to review, one for each document on which annotators disagree; a generator.

    Each task is as Prodigy's own `review` recipe makes it of an interface whose name ends in
    "_manual" or is "choice": annotations that are equal are one of the `versions`, with all who
    made it as its `sessions`; the task shows the version of most sessions, which is the `default`
    one. Of several such versions it is the one whose names come first. Features do not count.

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
        about(place) gives more for the `meta` of a document's task, as a dict.

    Yields
    ------
    dict
        A task; JSON can hold it.

    Raises
    ------
    FormatError
        If tasks cannot hold the document, as `write_prodigy`.
    """
    layers = sorted(set(layers))
    options = options_of(corpus, layers)
    for place, disagreement in order:
        document = corpus.documents[place]
        name = title(document, place + 1)
        try:
            sheet = sheet_of(document, layers, options, corpus.positions, corpus.path, name)
            versions = versions_of(sheet, layers)
        except Mistake as mistake:
            message = f"{name}: {mistake.found}; {mistake.advice}"
            raise FormatError(message, corpus.path) from None
        if len(versions) > 1:
            yield review_task(versions, disagreement, about(place) if about else {})


def versions_of(sheet, layers):
    """The different annotations of a document, most frequent first, and who made each."""
    document, sessions = sheet.document, {}
    for layer in layers:
        if seen(document, layer):
            said = (document.layers.get(layer), document.categories.get(layer))
            sessions.setdefault(said, []).append(layer)
    groups = sorted(sessions.values(), key=len, reverse=True)
    versions = []
    for names in groups:
        version = answered(sheet, names[0])
        version.setdefault("_input_hash", hash_of(version["text"]))
        who = None if names[0] == NOBODY else names[0]
        versions.append(version | {"_session_id": who, "sessions": names})
    return versions


def review_task(versions, disagreement, more):
    """One task of several versions."""
    shown = versions[0]
    number = float(disagreement)
    meta = {"disagreement": round(number, 4) if math.isfinite(number) else None}
    own = ("answer", "_session_id")
    return {key: found for key, found in shown.items() if key not in own} | {
        "meta": shown.get("meta", {}) | meta | more,
        "_view_id": "review",
        "view_id": shown["_view_id"],
        "versions": [version | {"default": place == 0} for place, version in enumerate(versions)],
    }
