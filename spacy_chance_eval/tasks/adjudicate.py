"""What comes of differences: tasks to review them, and a new gold set that takes a side."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ..formats import format_of
from ..formats.corpus import Corpus
from ..formats.errors import known
from ..formats.files import write_atomically
from ..formats.paths import path_of
from ..formats.prodigy_out import holdable, json_line, review_tasks
from ..measures.differences import CORRECT, RELATIONS, UNPLACED
from .convert import FOLDERS, TARGETS, format_to_write, write_corpus

TAKES = ("gold", "pred", "both")
NAMED = 20  # differences that a task spells out
LONGEST = 40  # signs of a text there


def plainly(steps, total=None, what=""):
    """The steps as they are: no progress is shown."""
    return steps


# --- tasks to review


def review(diff, *, progress=plainly):
    """Tasks of Prodigy's `review` interface: the documents that the diff shows, in its order.

    Each task shows both annotations in full, as the versions of two annotators called as the two
    sides are. Its `meta` has the disagreement (1 - strict F), how many differences of each relation
    the filter keeps, and which they are. Documents whose sides differ only in what a task does not
    show, spans that fit no tokens and features, are passed over. Features that are lists or
    objects, or have a name of the format, are left out.

    Parameters
    ----------
    diff : Diff
    progress : callable
        progress(steps, total, what) wraps the documents.

    Yields
    ------
    dict

    Raises
    ------
    FormatError
        If a task cannot hold a document.
    """
    order = diff.order.tolist()
    documents = [both_sides(diff, place) for place in order]
    corpus = Corpus(diff.compared.sources[0], documents, diff.compared.gold.positions)
    disagreement = 1 - diff.strict_f[diff.order]
    steps = progress(enumerate(disagreement.tolist()), len(order), "Tasks to review")
    yield from review_tasks(
        corpus, diff.compared.names, steps, about=lambda at: about(diff.document(order[at]))
    )


def both_sides(diff, place):
    """A document of gold with what either side marked, each as a layer of its name."""
    document = diff.compared.gold.documents[place]
    rows = {
        name: rows_of(spans, place)
        for name, spans in zip(diff.compared.names, (diff.gold, diff.pred))
    }
    own = {"missing": (), "missing_in": {}, "unplaced": {}, "features": {}}
    if diff.compared.categories:
        chosen = {name: [label for *_, label in found] for name, found in rows.items()}
        return replace(document, layers={}, categories=chosen, **own)
    own["features"] = {
        name: {span: holdable(said) for span, said in found.items()} for name, found in rows.items()
    }
    return replace(document, layers={k: list(v) for k, v in rows.items()}, categories={}, **own)


def n_cut(diff):
    """How many spans of the documents that the diff shows have features that no task can hold."""
    cut = 0
    for spans in (diff.gold, diff.pred):
        if spans.features is not None:
            said = spans.features[np.isin(spans.doc, diff.order)]
            cut += sum(len(holdable(one)) < len(one) for one in said)
    return cut


def rows_of(spans, place):
    """The spans of a document: {(start, end, label): features}."""
    low, high = np.searchsorted(spans.doc, [place, place + 1])
    return {span_of(spans, row): features_of(spans, row) for row in range(low, high)}


def span_of(spans, row):
    """A span as (start, end, label)."""
    return int(spans.start[row]), int(spans.end[row]), spans.labels[spans.label[row]]


def features_of(spans, row):
    """What else is said of a span."""
    return {} if spans.features is None else spans.features[row]


def about(document):
    """What the `meta` of a task says of the differences of a document."""
    counts = {name: n for name, n in document["counts"].items() if n and name != RELATIONS[CORRECT]}
    said = [in_words(pair) for pair in document["pairs"] if pair["error"]]
    if len(said) > NAMED:
        said[NAMED:] = [f"{len(said) - NAMED} more"]
    return counts | {"differences": "; ".join(said)}


def in_words(pair):
    """One difference, as in "too long: PER 3-5 'Ada' > PER 3-6 'Ada B'"."""
    sides = [side_in_words(pair[key]) for key in ("gold", "pred") if pair[key]]
    return f"{pair['error']}: {' > '.join(sides)}"


def side_in_words(side):
    """A span with its place and text."""
    if side["start"] is None:
        return f"{side['label']} ({UNPLACED})"
    text = side["text"]
    if text is None:
        return f"{side['label']} {side['start']}-{side['end']}"
    text = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{side['label']} {side['start']}-{side['end']} {text!r}"


def write_review(diff, path, *, progress=plainly):
    """Write the tasks of `review` as JSONL; how many there are."""
    written = Counter()

    def lines():
        for task in review(diff, progress=progress):
            written["tasks"] += 1
            yield json_line(task, f"task {written['tasks']}", path)

    write_atomically(path, lines())
    return written["tasks"]


# --- a new gold set


@dataclass(frozen=True)
class Taken:
    """A gold set in which differences were settled, and in numbers how.

    Parameters
    ----------
    corpus : Corpus
    layer : str
        The one that was changed.
    n_differences, n_docs : int
        Settled ones, and documents that have any.
    added, removed : int
        Spans that came from the prediction, and spans of gold that left.
    left : int
        Spans that fit no tokens: those of the prediction cannot be taken, those of gold stay.
    """

    corpus: Corpus
    layer: str
    n_differences: int
    n_docs: int
    added: int
    removed: int
    left: int


def taken(diff, take):
    """The `Taken`: gold in which each difference that the filter keeps is settled in one way.

    Parameters
    ----------
    diff : Diff
    take : "gold", "pred" or "both"
        Of a pair its span of gold, its predicted one, or both; of a missing or spurious span, which
        only one side has, that span or nothing. Features come with their spans; where both sides
        mark the same span with other features, "both" keeps those of gold.
    """
    known(take, TAKES, "side to take")
    rows, found = diff.rows, diff.compared
    at = np.flatnonzero(diff.chosen & (rows.relation != CORRECT))
    new = rows.pred[at][(rows.pred[at] >= 0) & (take != "gold")]
    old = rows.gold[at][(rows.gold[at] >= 0) & (take == "pred")]
    added, removed = by_document(diff.pred, new), by_document(diff.gold, old)
    edit = edited_categories if found.categories else edited
    documents = [
        edit(document, found.gold_layer, removed.get(place, {}), added.get(place, {}))
        if place in added or place in removed
        else document
        for place, document in enumerate(found.gold.documents)
    ]
    corpus = without_prediction(replace(found.gold, documents=documents), found)
    return Taken(
        corpus,
        found.gold_layer,
        n_differences=len(at),
        n_docs=len(np.unique(rows.doc[at])),
        added=len(new),
        removed=len(old),
        left=sum(map(len, diff.unplaced)),
    )


def by_document(spans, rows):
    """Some spans by place of their document: {place: {(start, end, label): features}}."""
    found = {}
    for row, place in zip(rows.tolist(), spans.doc[rows].tolist()):
        found.setdefault(place, {})[span_of(spans, row)] = features_of(spans, row)
    return found


def edited(document, layer, removed, added):
    """The document with other spans in a layer."""
    said = document.features.get(layer, {})
    kept = {row: said.get(row, {}) for row in document.layers[layer] if row not in removed}
    spans = {**added, **kept}
    return replace(
        document,
        layers={**document.layers, layer: list(spans)},
        features={**document.features, layer: spans},
    )


def edited_categories(document, layer, removed, added):
    """The document with other categories in a layer."""
    gone, new = ([label for *_, label in rows] for rows in (removed, added))
    kept = [label for label in document.categories[layer] if label not in gone]
    return replace(document, categories={**document.categories, layer: {*kept, *new}})


def without_prediction(corpus, compared):
    """The corpus without the layer of the prediction, where both sides come from one file."""
    layer = compared.pred_layer
    if compared.sources[0] != compared.sources[1] or layer == compared.gold_layer:
        return corpus
    fields = ("categories",) if compared.categories else FIELDS_OF_SPANS
    documents = (
        replace(document, **{field: without(getattr(document, field), layer) for field in fields})
        for document in corpus.documents
    )
    return replace(corpus, documents=documents)


FIELDS_OF_SPANS = ("layers", "missing_in", "unplaced", "features")


def without(layers, name):
    """A mapping without one of its keys."""
    return {key: found for key, found in layers.items() if key != name}


def write_taken(diff, take, target, *, to=None, ents=None, format=None):
    """Write the gold set of `taken`; (Taken, what got lost in words).

    Parameters
    ----------
    target : str or Path
    to, ents : str, optional
        As `convert.convert_file` has them; by default the format of gold if the names of both
        files end alike, else what the ending says.
    format : str, optional
        That of gold, if its reader was told.

    Raises
    ------
    FormatError
        If the format has no place for what was taken, such as spans that overlap.
    """
    found = taken(diff, take)
    to = known(to, TARGETS, "format to write") if to else same_format(diff, target, format)
    layer = None if diff.compared.categories else found.layer
    _, lost = write_corpus(found.corpus, target, to=to, layer=layer, ents=ents)
    return found, lost


def same_format(diff, target, format=None):
    """The format of gold, if the name of the target ends like its; else what the ending says."""
    source = path_of(diff.compared.sources[0])
    if source.exists() and ending(source) == ending(path_of(target)):
        own = format_of(source, format)
        if (own in FOLDERS) == source.is_dir():
            return own
    return format_to_write(target)


def ending(path):
    """The ending of a name, without that of gzip."""
    return "".join(path.suffixes).lower().removesuffix(".gz").rpartition(".")[2]
