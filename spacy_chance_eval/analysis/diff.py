"""Which spans differ between two annotations: pairs, errors, confusion of labels, worst documents.

`diff` compares; a `Diff` holds columns only, and makes the rows of a document when it is asked for
them, so that large corpora can be written as they are gone through.
"""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..corpora.pairs import CorpusPair
from ..measures.chance.expectation import are_disjoint
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
from ..measures.gate import MODES
from ..measures.pairing import significant
from ..measures.spans import Spans
from ..metrics.request import request
from ..scoring.evaluate import evaluate

SORTS = ("errors", "f", "document")
SHOWN = 12  # names that a message lists


@dataclass(frozen=True, eq=False)
class Filter:
    """Which differences are shown: those with any of the labels, relations, documents; all if none.

    A document is shown for its differences, and for pairs that are correct if that relation is
    named; with `equal`, whatever it has.
    """

    labels: tuple = ()
    relations: tuple = ()
    documents: tuple = ()
    equal: bool = False


@dataclass(frozen=True, eq=False)
class Diff:
    """Two annotations and where they differ.

    `rows` are all pairs and single spans; `chosen` says which of them the filter keeps. Spans that
    fit no tokens are not among the rows, but among the missing and spurious ones of all counts.
    """

    compared: CorpusPair
    gold: Spans
    pred: Spans
    rows: Differences
    filter: Filter
    sort: str = "errors"
    features: str = "none"

    @property
    def names(self):
        """The names of the documents."""
        return self.compared.document_names

    @cached_property
    def within(self):
        """Whether a row has a label and a document that the filter names, whatever its relation."""
        keep = np.ones(len(self.rows), bool)
        if self.filter.labels:
            keep &= self.wanted(self.gold, self.rows.gold) | self.wanted(self.pred, self.rows.pred)
        if self.filter.documents:
            keep &= np.isin(self.rows.doc, self.places)
        return keep

    @cached_property
    def chosen(self):
        """Whether the filter keeps a row."""
        if not self.filter.relations:
            return self.within
        return self.within & np.isin(self.rows.relation, list(map(RELATIONS.index, self.relations)))

    @property
    def relations(self):
        """The relations that the filter keeps."""
        return self.filter.relations or RELATIONS

    @cached_property
    def places(self):
        """Places of the documents that the filter names."""
        place = {name: i for i, name in enumerate(self.names)}
        return [place[name] for name in self.filter.documents]

    def wanted(self, spans, rows):
        """Whether the spans of some rows (-1: none) have a label that the filter names."""
        known = np.append(np.isin(spans.labels, self.filter.labels), False)
        return known[np.append(spans.label, -1)[rows]]

    @cached_property
    def loose(self):
        """The unplaced spans that the filter keeps, missing ones and spurious ones: tables."""
        names = RELATIONS[MISSING], RELATIONS[SPURIOUS]
        return [
            rows if name in self.relations else rows[:0]
            for rows, name in zip(self.loose_within, names)
        ]

    @cached_property
    def loose_within(self):
        """Those of either side whatever their relation: rows (doc, label, length)."""
        found = []
        for spans in (self.gold, self.pred):
            rows = spans.unplaced
            if self.filter.labels:
                rows = rows[np.isin(np.array(spans.labels)[rows[:, 1]], self.filter.labels)]
            if self.filter.documents:
                rows = rows[np.isin(rows[:, 0], self.places)]
            found.append(rows)
        return found

    @cached_property
    def counts(self):
        """Rows by document and relation, of those that the filter keeps; shape (n_docs, 5)."""
        return self.counted(self.chosen, self.loose)

    def counted(self, kept, loose):
        """Some rows and unplaced spans by document and relation."""
        shape = self.gold.n_docs, len(RELATIONS)
        cell = self.rows.doc[kept] * shape[1] + self.rows.relation[kept]
        table = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        for rows, relation in zip(loose, (MISSING, SPURIOUS)):
            np.add.at(table[:, relation], rows[:, 0], 1)
        return table

    @cached_property
    def order(self):
        """Places of the documents to show, the worst first."""
        n_errors = self.counts[:, CORRECT + 1 :].sum(axis=1)
        named = RELATIONS[CORRECT] in self.filter.relations
        n_wanted = n_errors + self.counts[:, CORRECT] if named else n_errors
        shown = self.gold.seen & (self.filter.equal | (n_wanted > 0))
        if self.filter.documents:
            shown &= np.isin(np.arange(len(shown)), self.places)
        docs = np.flatnonzero(shown)
        if self.sort == "document":
            return docs
        key = -n_errors if self.sort == "errors" else np.nan_to_num(self.strict_f, nan=1.0)
        return docs[np.lexsort([docs, key[docs]])]

    @cached_property
    def strict_f(self):
        """F of each document's correct pairs among its labels that the filter names; or nan."""
        table = self.counted(self.within, self.loose_within)
        correct, partial, label, missing, spurious = table.T
        wrong = 2 * (partial + label) + missing + spurious
        with np.errstate(invalid="ignore"):
            return 2 * correct / (2 * correct + wrong)

    def document(self, place):
        """One document as plain values: counts by relation, strict F, and all rows in order."""
        low, high = np.searchsorted(self.rows.doc, [place, place + 1])
        kept = [row for row in range(low, high) if self.chosen[row]]
        f = float(self.strict_f[place])
        return {
            "document": self.names[place],
            "place": int(place),
            "counts": dict(zip(RELATIONS, self.counts[place].tolist())),
            "f": None if f != f else f,
            "pairs": [self.pair(row) for row in kept] + list(self.loose_rows(place)),
        }

    def documents(self, order=None):
        """The documents of `order`, by default all to show, one after the other."""
        return map(self.document, self.order if order is None else order)

    def pair(self, row):
        """One row as plain values; a side without a span is None."""
        place = self.rows.doc[row]
        text = text_of(self.compared.gold.documents[place], self.compared.positions)
        sides = [
            side_of(spans, at, text)
            for spans, at in ((self.gold, self.rows.gold[row]), (self.pred, self.rows.pred[row]))
        ]
        relation, error = self.rows.relation[row], self.rows.error[row]
        return {
            "relation": RELATIONS[relation],
            "error": None if relation == CORRECT else ERRORS[error],
            "gold": sides[0],
            "pred": sides[1],
        }

    def loose_rows(self, place):
        """The unplaced spans of a document, as rows without offsets."""
        sides = (("gold", self.gold, MISSING), ("pred", self.pred, SPURIOUS))
        for (key, spans, relation), rows in zip(sides, self.loose):
            low, high = np.searchsorted(rows[:, 0], [place, place + 1])
            for _, label, length in rows[low:high]:
                side = {"label": spans.labels[label], "start": None, "end": None}
                side |= {"length": int(length), "text": None, "features": {}}
                pair = {"relation": RELATIONS[relation], "error": UNPLACED}
                yield pair | {"gold": None, "pred": None, key: side}


def side_of(spans, row, text):
    """A span as plain values; None for row -1. `text(start, end)` gives its text."""
    if row < 0:
        return None
    start, end = int(spans.start[row]), int(spans.end[row])
    return {
        "label": spans.labels[spans.label[row]],
        "start": start,
        "end": end,
        "length": end - start,
        "text": text(start, end),
        "features": {} if spans.features is None else spans.features[row],
    }


def text_of(document, positions):
    """A function that gives the text of a stretch of a document; None where there is no text."""
    if positions == "category":
        return lambda start, end: None
    if positions == "char":
        return lambda start, end: None if document.text is None else document.text[start:end]
    words, spaces = document.words, document.spaces
    if not words:
        return lambda start, end: None
    if spaces is None:
        return lambda start, end: " ".join(words[start:end])

    def spaced(start, end):
        pairs = zip(words[start:end], spaces[start:end])
        return "".join(word + " " * space for word, space in pairs).rstrip(" ")

    return spaced


def diff(
    compared, *, labels=(), relations=(), documents=(), equal=False, sort="errors", features="none"
):
    """The `Diff` of two annotations.

    Parameters
    ----------
    compared : CorpusPair
    labels, relations, documents : sequence of str
        Show differences with any of them only; all, if there are none.
    equal : bool
        Also show documents without a difference.
    sort : "errors", "f" or "document"
        Documents with most differences first, with the lowest strict F first, or as they come.
    features : "none", "all" or names joined by "+"
        Features that must agree for a pair to be correct or partial.

    Raises
    ------
    ValueError
        For filters that name no label, relation or document, and features that no span of either
        side has; annotations without a document that both saw.
    """
    if sort not in SORTS:
        raise ValueError(f"sort is {sort!r}; expected one of {', '.join(SORTS)}")
    gold, pred = compared.aligned()
    if not gold.seen.any():
        raise ValueError("no document is annotated on both sides; there is nothing to compare")
    check_known(labels, gold.labels, "label")
    check_known(relations, RELATIONS, "relation")
    if named := significant(features):
        check_known(named, feature_names(gold, pred), "feature")
    chosen = Filter(tuple(labels), tuple(relations), tuple(documents), equal)
    rows = differences(gold, pred, features=features)
    found = Diff(compared, gold, pred, rows, chosen, sort, features)
    check_known(documents, found.names, "document")
    return found


def feature_names(*sides):
    """The names of all features of any span."""
    found = [said for spans in sides if spans.features is not None for said in spans.features]
    return sorted({name for said in found for name in said})


def check_known(names, known, what):
    """Raise for a name that is not known."""
    unknown = sorted(set(names) - set(known))
    if unknown and not known:
        raise ValueError(f"there is no {what} {unknown[0]!r}; no span has any")
    if unknown:
        more = ", ..." if len(known) > SHOWN else ""
        shown = ", ".join(map(repr, known[:SHOWN]))
        raise ValueError(f"there is no {what} {unknown[0]!r}; expected one of {shown}{more}")


EXAMPLES = 3  # of each kind of error
MOST_LABELS = 200  # of the confusion


def summary(diff, *, scores=True):
    """Everything about the corpus as plain values, without its documents; `scores` if asked for.

    `counts`, `labels`, `confusion` and `errors` are of what the filter keeps, `scores` of all that
    both sides annotated. A label None in the confusion stands for "none": nothing on that side.
    """
    return {
        **diff.compared.described(),
        "n_docs": int(diff.gold.seen.sum()),
        "n_skipped": int((~diff.gold.seen).sum()),
        "n_differing": int((diff.counts[:, CORRECT + 1 :].sum(axis=1) > 0).sum()),
        "n_shown": len(diff.order),
        "filter": {
            "labels": list(diff.filter.labels),
            "relations": list(diff.filter.relations),
            "documents": list(diff.filter.documents),
            "equal": diff.filter.equal,
        },
        "sort": diff.sort,
        "features": diff.features,
        "counts": dict(zip(RELATIONS, diff.counts.sum(axis=0).tolist())),
        "confusion": confusion(diff),
        "errors": list(error_rows(diff)),
        "scores": scores_of(diff) if scores else {},
    }


def scores_of(diff):
    """GATE's strict, lenient and average F and the corrected span F, all labels and each.

    The chance model of the latter lets spans overlap if those of either side do.
    """
    metrics = {mode: request("gate_f", mode=mode, features=diff.features) for mode in MODES}
    if diff.compared.positions != "category":
        disjoint = are_disjoint(diff.gold) and are_disjoint(diff.pred)
        metrics["span_f"] = request("span_f", chance="disjoint" if disjoint else "overlapping")
    found = evaluate(diff.gold, diff.pred, metrics.values(), data=diff.compared.data)
    return {key: found[str(metric)].to_dict() for key, metric in metrics.items()}


def confusion(diff):
    """Pairs and single spans by label of either side; the last label is None, "none".

    `rows[i][j]` counts gold label i against predicted label j, `differences[i]` those of label i
    with any other. Of more than 200 labels those with most differences are there; `n_left_out` says
    how many are not.
    """
    none, kept = len(diff.gold.labels), diff.chosen
    loose = [rows[:, 1] for rows in diff.loose]
    one = [np.append(diff.gold.label, none)[diff.rows.gold[kept]], loose[0]]
    two = [np.append(diff.pred.label, none)[diff.rows.pred[kept]], np.full(len(loose[0]), none)]
    one.append(np.full(len(loose[1]), none))
    two.append(loose[1])
    one, two = np.concatenate(one), np.concatenate(two)
    differ = sum(np.bincount(side[one != two], minlength=none + 1) for side in (one, two))
    used = np.setdiff1d(np.union1d(one, two), [none])
    most = np.sort(used[np.argsort(-differ[used], kind="stable")][:MOST_LABELS])
    place = np.full(none + 1, -1)
    place[most], place[none] = np.arange(len(most)), len(most)
    inside = (place[one] >= 0) & (place[two] >= 0)
    table = np.zeros((len(most) + 1,) * 2, np.int64)
    np.add.at(table, (place[one[inside]], place[two[inside]]), 1)
    return {
        "labels": [diff.gold.labels[i] for i in most] + [None],
        "rows": table.tolist(),
        "differences": differ[[*most, none]].tolist(),
        "n_left_out": len(used) - len(most),
    }


def error_rows(diff):
    """Kinds of errors, the most frequent first, with examples from the worst documents."""
    rows, kept = diff.rows, diff.chosen
    rank = np.full(diff.gold.n_docs, diff.gold.n_docs)
    rank[diff.order] = np.arange(len(diff.order))
    kinds = []
    for code, name in enumerate(ERRORS[1:], 1):
        at = np.flatnonzero(kept & (rows.error == code))
        if len(at):
            relation = RELATIONS[rows.relation[at[0]]]
            worst = at[np.argsort(rank[rows.doc[at]], kind="stable")][:EXAMPLES]
            examples = [diff.pair(i) | {"document": diff.names[rows.doc[i]]} for i in worst]
            kinds.append((name, relation, len(at), examples))
    for relation, loose in zip((MISSING, SPURIOUS), diff.loose):
        if len(loose):
            docs = np.unique(loose[:, 0])
            docs = docs[np.argsort(rank[docs], kind="stable")][:EXAMPLES]
            examples = [
                pair | {"document": diff.names[doc]}
                for doc in docs
                for pair in diff.loose_rows(doc)
                if pair["relation"] == RELATIONS[relation]
            ]
            kinds.append((UNPLACED, RELATIONS[relation], len(loose), examples[:EXAMPLES]))
    for name, relation, number, examples in sorted(kinds, key=lambda kind: (-kind[2], kind[0])):
        yield {"error": name, "relation": relation, "n": number, "examples": examples}


def json_lines(found, documents):
    """The lines of a JSON object: what `summary` found and, as "documents", one document a line."""
    head = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
    yield head.removesuffix("\n}") + ","
    line = '  "documents": ['
    for place, document in enumerate(documents):
        yield line + "," * (place > 0)
        line = "    " + json.dumps(document, ensure_ascii=False, allow_nan=False)
    yield line
    yield "  ]"
    yield "}"
