"""Why a score is what it is: the steps from two annotations to the score beyond chance.

`explain_document` has everything about one document, `explain_corpus` where the matches that chance
is expected to make come from. Both return plain values; the numbers are those of `evaluate`.
"""

from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from .about import __version__
from .diff import check_known, side_of, text_of
from .explain_levels import LEVELS, Model, chosen, document_rows, level_rows, shares_of
from .explain_levels import statistics_of as counted
from .explain_slicm import information_rows
from .measures.alignment import units, with_labels
from .measures.chance.distributions import fields_of
from .measures.slicm import count_words, sequence_prior

CLOSE = 5  # names that a message offers
KINDS_OF_ITEMS = {
    "IO": ("token",),
    "BIO": ("B", "I"),
    "BIOE": ("B", "I", "E"),
    "IO*": ("token", "gap"),
}


def explain_document(compared, name, *, labels=(), model=None):
    """Everything behind the scores of one document, as plain values ready for JSON.

    Parameters
    ----------
    compared : Compared
    name : str
        Name of the document, or its number from 1.
    labels : sequence of str
        Which labels; by default those that either side has in the document.
    model : Model, optional

    Returns
    -------
    dict
        `labels` holds what is said of all of them together (label None), then of each: `span` and
        `token` (masses and scores, observed and expected), `slicm`; and for each label its `spans`
        and, per unit of text, where they fall by chance.

    Raises
    ------
    ValueError
        For an unknown document or label, a document that one side has not annotated, or spans that
        contradict the chance model.
    """
    model = model or Model()
    corpus = compared.aligned()
    names = compared.document_names
    place = place_of(names, name)
    check_known(labels, corpus[0].labels, "label")
    if not corpus[0].seen[place]:
        raise ValueError(f"{names[place]!r} is not annotated on both sides; there is no score")
    one = only(compared, place, names[place])
    gold, pred = (with_labels(side, corpus[0].labels) for side in one.aligned())
    indices = labels_of(gold, pred, labels)
    document = one.gold.documents[0]
    text = text_of(document, compared.positions)
    described = [numbered_spans(side, text) for side in (gold, pred)]
    entries = entries_of(corpus[0], (gold, pred), indices, described, model)
    found = about(compared, model) | {
        "document": names[place],
        "place": place,
        "n": int(gold.sizes[0]),
        "units": units(gold, pred, model.unit)[:, 1:].tolist(),
        "text": text(0, int(gold.sizes[0])),
        "tokens": tokens_of(document, compared.positions),
        "labels": [{"label": None, **entries[0]}],
    }
    placed = placed_fields(gold, pred, indices, described, model)
    for index, entry in zip(indices, entries[1:]):
        spans = spans_of(gold, pred, index, described)
        found["labels"].append({"label": gold.labels[index], **spans, **entry, **placed[index]})
    return found


def explain_corpus(compared, *, labels=(), model=None):
    """Which documents and labels carry the matches that chance is expected to make; plain values.

    Parameters
    ----------
    compared : Compared
    labels : sequence of str
        Which labels; by default all.
    model : Model, optional

    Returns
    -------
    dict
        `levels` holds, for spans and for tokens, the masses and scores in `total`, and the shares
        of the expected matches `by_label` and by `documents`, the largest first.

    Raises
    ------
    ValueError
        For an unknown label, nothing that both sides annotated, or spans that contradict the chance
        model.
    """
    model = model or Model()
    gold, pred = compared.aligned()
    check_known(labels, gold.labels, "label")
    if not gold.seen.any():
        raise ValueError("no document is annotated on both sides; there is nothing to explain")
    indices = labels_of(gold, pred, labels)
    names = compared.document_names
    levels = {}
    for level in LEVELS:
        statistics = chosen(counted(gold, pred, level, model), indices)
        total, *rows = level_rows(statistics, level, model)
        levels[level] = {"total": total, "by_label": [], "documents": []}
        if statistics.expected is None:
            continue
        expected = np.array([row["expected"]["matches"] for row in rows], float)
        levels[level]["by_label"] = [
            {"label": gold.labels[indices[i]], **rows[i], **share}
            for i, share in zip(*shares_of(expected))
        ]
        documents = document_rows(gold, statistics, level, model)
        levels[level]["documents"] = [{"document": names[d["place"]], **d} for d in documents]
    counts = {"n_docs": int(gold.seen.sum()), "n_skipped": int((~gold.seen).sum())}
    return about(compared, model) | counts | {"levels": levels}


def about(compared, model):
    """What was compared, and how."""
    return {
        **compared.described(),
        **model.described(),
        "items": list(KINDS_OF_ITEMS[model.encoding]),
        "version": __version__,
    }


def entries_of(corpus, sides, labels, described, model):
    """The masses, scores and information of all labels together, then of each."""
    rows = {
        level: level_rows(chosen(counted(*sides, level, model), labels), level, model)
        for level in LEVELS
    }
    rows["slicm"] = information_rows(
        *sides,
        labels,
        [side.__getitem__ for side in described],
        model=model,
        prior=sequence_prior(corpus).total(),
        word_counts=count_words(corpus) if model.token_information == "corpus" else None,
    )
    return [dict(zip(rows, parts)) for parts in zip(*rows.values())]


# --- the document and its spans


def place_of(names, name):
    """Place of a document that is called by its name, or by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    close = get_close_matches(name, names, CLOSE, cutoff=0.4) or names[:CLOSE]
    shown = ", ".join(map(repr, close))
    raise ValueError(
        f"there is no document {name!r}; close to it: {shown}; give a name, or a number from 1 to "
        f"{len(names)}"
    )


def only(compared, place, name):
    """The same, of one document."""
    sides = (
        replace(side, documents=(replace(side.documents[place], name=name),))
        for side in (compared.gold, compared.pred)
    )
    return replace(compared, **dict(zip(("gold", "pred"), sides)))


def labels_of(gold, pred, labels):
    """Indices of the labels: those named, or those that either side has."""
    used = labels or {*gold.used_labels(), *pred.used_labels()}
    return [i for i, label in enumerate(gold.labels) if label in used]


def numbered_spans(spans, text):
    """All spans of a side as plain values, with their numbers among those of their label."""
    count, found = {}, []
    for row, label in enumerate(spans.label.tolist()):
        count[label] = count.get(label, 0) + 1
        found.append({"number": count[label]} | side_of(spans, row, text))
    return found


def spans_of(gold, pred, label, described):
    """The spans of one label on both sides, and the lengths of those that fit no tokens."""
    sides = {"gold": (gold, described[0]), "pred": (pred, described[1])}
    return {
        "spans": {
            side: [found[row] for row in np.flatnonzero(spans.label == label)]
            for side, (spans, found) in sides.items()
        },
        "unplaced": {
            side: spans.unplaced[spans.unplaced[:, 1] == label, 2].tolist()
            for side, (spans, _) in sides.items()
        },
    }


def tokens_of(document, positions):
    """The tokens, or the characters; None where neither are known."""
    if positions == "char":
        return None if document.text is None else list(document.text)
    return list(document.words) or None


# --- where segments fall by chance


def placed_fields(gold, pred, labels, described, model):
    """{label: its units, and the expected span matches by length}."""
    found = {label: {"units": [], "matches": []} for label in labels}
    options = {"placement": model.chance, "unit": model.unit, "encoding": model.encoding}
    for field in fields_of(gold, pred, **options):
        if field.label in found:
            found[field.label]["units"].append(unit_of(field, described))
    for one in found.values():
        one["matches"] = by_length(one["units"])
    return found


def unit_of(field, described):
    """One unit as plain values. Lists have an entry per token."""
    common = field.common_items
    rows = field.exact_matches
    keys = ("length", "gold", "pred", "expected")
    return {
        "start": field.start,
        "end": field.end,
        "n": field.end - field.start,
        "gold": segments_of(field.gold, described[0]),
        "pred": segments_of(field.pred, described[1]),
        "matches": [dict(zip(keys, row)) for row in rows],
        "common": None if common is None else common.tolist(),
        "expected": {
            "span": float(sum(row[-1] for row in rows)),
            "token": None if common is None else float(common.sum()),
        },
    }


def segments_of(segments, described):
    """One side of a unit: coverage, items, and the kinds of segments with their starts."""
    numbers = [described[row]["number"] for row in segments.rows]
    return {
        "lengths": [described[row]["length"] for row in segments.rows],
        "covered": segments.covered.tolist(),
        "items": None if segments.items is None else segments.items.tolist(),
        "kinds": [
            {
                "length": int(length),
                "segments": [numbers[i] for i in np.flatnonzero(segments.kind == kind)],
                "parents": parents_of(segments, kind, numbers),
                "starts": segments.starts[kind].tolist(),
                "inside": None if inside is None else inside.tolist(),
            }
            for kind, (length, inside) in enumerate(zip(segments.length, segments.inside))
        ],
    }


def parents_of(segments, kind, numbers):
    """Numbers of the segments in which those of a kind lie; empty for outermost ones."""
    above = segments.parent[segments.kind == kind]
    return sorted({numbers[i] for i in above[above >= 0]})


def by_length(placed):
    """Expected matches of all units by length, with the segments of that length on both sides."""
    found = {}
    for unit in placed:
        for length in {row["length"] for row in unit["matches"]}:
            one = found.setdefault(
                length, {"length": length, "gold": 0, "pred": 0, "expected": 0.0}
            )
            for side in ("gold", "pred"):
                one[side] += unit[side]["lengths"].count(length)
        for row in unit["matches"]:
            found[row["length"]]["expected"] += row["expected"]
    return [found[length] for length in sorted(found)]
