"""Annotations that are wrong in one of two stored runs only: what a new version broke and fixed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..measures.differences import (
    CORRECT,
    ERRORS,
    MISSING,
    RELATIONS,
    SPURIOUS,
    UNPLACED,
    Differences,
    differences,
)
from ..measures.spans import Spans

LOOSE = {"gold": MISSING, "pred": SPURIOUS}  # what spans that fit no tokens are


@dataclass(frozen=True, eq=False)
class Wrong:
    """What is wrong in one run: its spans, the rows of all differences, and the spans in them.

    `spans` maps every wrong span of either side, (side, document, start, end, label), to its
    relation.
    """

    gold: Spans
    pred: Spans
    rows: Differences
    wrong: np.ndarray
    spans: dict

    def keys(self, row):
        """The wrong spans of a row."""
        for side, spans, at in (
            ("gold", self.gold, self.rows.gold[row]),
            ("pred", self.pred, self.rows.pred[row]),
        ):
            if at >= 0:
                yield side, *(int(getattr(spans, c)[at]) for c in ("doc", "start", "end", "label"))

    def loose(self):
        """How often there is a span that fits no tokens: (document, side, label, length)."""
        return Counter(
            (doc, side, label, length)
            for side in LOOSE
            for doc, label, length in getattr(self, side).unplaced.tolist()
        )


def wrong_of(both, which):
    """The `Wrong` of one of the runs, on the common documents."""
    run, docs = both.runs[which], both.docs[which]
    gold, pred = run.annotations.part(docs, both.labels)
    rows = differences(gold, pred)
    wrong = np.flatnonzero(rows.relation != CORRECT)
    found = Wrong(gold, pred, rows, wrong, {})
    for row in wrong.tolist():
        found.spans.update(dict.fromkeys(found.keys(row), RELATIONS[rows.relation[row]]))
    return found


def new_and_fixed(both, top=None):
    """Wrong annotations of the new run that were not wrong before, and the other way round.

    Returns
    -------
    dict or None
        Numbers of "n_new", "n_fixed" and "n_both" (wrong in both, alike), and lists "new" and
        "fixed" of at most `top` each; None unless both runs have annotations. `before` (or, of
        fixed ones, `after`) is what the gold span is in the other run, if it is wrong there too.
    """
    if any(run.annotations is None for run in both.runs):
        return None
    old, new = wrong_of(both, 0), wrong_of(both, 1)
    sides = (new, old), (old, new)
    rows = [
        [row for row in mine.wrong.tolist() if not other.spans.keys() >= set(mine.keys(row))]
        for mine, other in sides
    ]
    loose = [list((mine.loose() - other.loose()).elements()) for mine, other in sides]
    n_wrong = len(new.wrong) + new.loose().total()
    found = {name: len(rows[i]) + len(loose[i]) for i, name in enumerate(("n_new", "n_fixed"))}
    found["n_both"] = n_wrong - found["n_new"]
    for name, word, mine, other, chosen, more in (
        ("new", "before", new, old, rows[0], loose[0]),
        ("fixed", "after", old, new, rows[1], loose[1]),
    ):
        listed = [
            error(both, mine, row) | elsewhere(mine, row, other, word) for row in chosen[:top]
        ]
        listed += [loose_row(both, mine, *one) | {word: None} for one in sorted(more)[:top]]
        found[name] = listed[:top]
    return found


def elsewhere(mine, row, other, word):
    """What the gold span of a row is in the other run; None if it is right there."""
    gold = [key for key in mine.keys(row) if key[0] == "gold"]
    return {word: other.spans.get(gold[0]) if gold else None}


def error(both, wrong, row):
    """One row as plain values."""
    rows = wrong.rows
    doc = int(rows.doc[row])
    return {
        "document": both.runs[1].name(both.docs[1][doc]),
        "relation": RELATIONS[rows.relation[row]],
        "error": ERRORS[rows.error[row]],
        "gold": side(both, doc, wrong.gold, rows.gold[row]),
        "pred": side(both, doc, wrong.pred, rows.pred[row]),
    }


def side(both, doc, spans, row):
    """A span as plain values, with its text if either run has it; None for row -1."""
    if row < 0:
        return None
    start, end = int(spans.start[row]), int(spans.end[row])
    kept = ((run.annotations, docs[doc]) for run, docs in both.sides() if run.annotations)
    texts = (annotations.text(at, start, end) for annotations, at in kept)
    text = next((text for text in texts if text is not None), None)
    return {"label": spans.labels[spans.label[row]], "start": start, "end": end, "text": text}


def loose_row(both, wrong, doc, key, label, _):
    """A span that fits no tokens, as plain values."""
    side = {"label": wrong.gold.labels[label], "start": None, "end": None, "text": None}
    return {
        "document": both.runs[1].name(both.docs[1][doc]),
        "relation": RELATIONS[LOOSE[key]],
        "error": UNPLACED,
        **{"gold": None, "pred": None, key: side},
    }


def errors_below(both, scores, below):
    """The documents whose new score is lower than a threshold, the lowest first, and all errors."""
    new = wrong_of(both, 1)
    low = np.flatnonzero(scores < below)
    low = low[np.argsort(scores[low], kind="stable")]
    by_doc, loose = {}, {}
    for row in new.wrong[np.isin(new.rows.doc[new.wrong], low)].tolist():
        by_doc.setdefault(int(new.rows.doc[row]), []).append(error(both, new, row))
    for doc, *one in sorted(new.loose().elements()):
        loose.setdefault(doc, []).append(loose_row(both, new, doc, *one))
    return [
        {
            "document": both.runs[1].name(both.docs[1][doc]),
            "score": float(scores[doc]),
            "errors": by_doc.get(doc, []) + loose.get(doc, []),
        }
        for doc in low.tolist()
    ]
