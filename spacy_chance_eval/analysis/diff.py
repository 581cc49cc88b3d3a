"""Which spans differ between two annotations: pairs, errors, confusion of labels, worst documents.

`diff` compares; a `Diff` holds columns only, and makes the rows of a document when it is asked for
them, so that large corpora can be written as they are gone through.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..corpora.pairs import CorpusPair
from ..formats import Document
from ..formats.errors import did_you_mean
from ..formats.texts import texts_without_place
from ..measures.arrays import Array, BoolArray, FloatArray, IntArray
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
from ..measures.fragments import refuse_fragments
from ..measures.gate import MODES
from ..measures.messages import harmless_json, quoted
from ..measures.pairing import significant, with_copies
from ..measures.spans import Spans
from ..measures.stats import ratio
from ..metrics.request import IGNORE, request
from ..scoring.evaluation import evaluate

Result: TypeAlias = dict[str, Any]  # plain values, ready for JSON
TextOf: TypeAlias = Callable[[int, int], str | None]  # the text from a start to an end

KINDS = (*ERRORS, UNPLACED)
COUNTED = (*RELATIONS, "gold", "pred")  # numbers of a label: pairs by relation, and spans
SCORED = ("correct", "gold", "pred")  # the numbers from which scores are computed
EXAMPLES = 3  # of each kind of error
MOST_LABELS = 200  # of the confusion
LISTED = 12  # names that a message lists


class Pairs(NamedTuple):
    """Columns of pairs and single spans; labels are indices, -1 where there is no span."""

    doc: IntArray
    relation: IntArray  # indices of `RELATIONS`
    error: IntArray  # and of `KINDS`
    gold: IntArray
    pred: IntArray


@dataclass(frozen=True, eq=False)
class Diff:
    """Two annotations and where they differ.

    `gold` and `pred` have a row for each annotation that GATE's measures count, also of one place
    and label. `pairs` are all pairs and single spans; `chosen` says which the filter keeps: those
    with any of the `labels` and of the `relations`, all if there are none. A document is shown for
    these, for correct pairs only if that relation is named; with `equal`, in any case.
    """

    compared: CorpusPair
    gold: Spans
    pred: Spans
    rows: Differences
    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    equal: bool = False
    features: str = "none"
    beta: float = 1.0  # of all F

    @property
    def names(self) -> list[str]:
        """The names of the documents."""
        return self.compared.document_names

    @property
    def warnings(self) -> list[str]:
        """Sentences about misleading scores, without regard to the filter."""
        return self.compared.warnings_of(self.gold, self.pred)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs and single spans: those of `rows`, then unplaced ones, which fit no tokens."""
        rows, missing, spurious = self.rows, self.gold.unplaced, self.pred.unplaced
        kinds = np.repeat([MISSING, SPURIOUS], [len(missing), len(spurious)])
        none = np.full(len(kinds), -1)
        return Pairs(
            np.concatenate([rows.doc, missing[:, 0], spurious[:, 0]]),
            np.concatenate([rows.relation, kinds]),
            np.concatenate([rows.error, np.full(len(kinds), KINDS.index(UNPLACED))]),
            np.concatenate(
                [np.append(self.gold.label, -1)[rows.gold], missing[:, 1], none[len(missing) :]]
            ),
            np.concatenate(
                [np.append(self.pred.label, -1)[rows.pred], none[: len(missing)], spurious[:, 1]]
            ),
        )

    @cached_property
    def _known(self) -> BoolArray:
        """Whether the filter names a label; of the last one, which stands for none, False."""
        labels = self.gold.labels
        known = np.isin(labels, self.labels) if self.labels else np.ones(len(labels), bool)
        return np.append(known, False)

    @cached_property
    def within(self) -> BoolArray:
        """Whether a pair has a label that the filter names, with any relation."""
        return self._known[self.pairs.gold] | self._known[self.pairs.pred]

    @cached_property
    def chosen(self) -> BoolArray:
        """Whether the filter keeps a pair."""
        if not self.relations:
            return self.within
        kept = [RELATIONS.index(relation) for relation in self.relations]
        return self.within & np.isin(self.pairs.relation, kept)

    @cached_property
    def counts(self) -> IntArray:
        """The counts that pass the filter, by document and relation; shape (n_docs, 5)."""
        shape = self.gold.n_docs, len(RELATIONS)
        cells = self.pairs.doc * shape[1] + self.pairs.relation
        return np.bincount(cells[self.chosen], minlength=shape[0] * shape[1]).reshape(shape)

    @cached_property
    def order(self) -> IntArray:
        """Indices of the documents to show, the worst first."""
        n_errors = self.counts[:, CORRECT + 1 :].sum(axis=1)
        named = RELATIONS[CORRECT] in self.relations
        n_wanted = n_errors + self.counts[:, CORRECT] if named else n_errors
        shown = self.gold.seen & (self.equal | (n_wanted > 0))
        docs = np.flatnonzero(shown)
        return docs[np.argsort(-n_errors[docs], kind="stable")]

    @cached_property
    def strict_f(self) -> FloatArray:
        """Strict F of each document, for the filtered labels.

        nan for documents without such spans.
        """
        docs, _, kinds = self._counted
        numbers = (
            np.bincount(docs[kinds == COUNTED.index(name)], minlength=self.gold.n_docs)
            for name in SCORED
        )
        return strict_scores(*numbers, beta=self.beta)["f"]

    def label_counts(self) -> dict[str, list[int]]:
        """The numbers `COUNTED` by label.

        Only filtered labels are counted, with all relations, and only labels that have spans. A
        pair with two different labels counts for both labels.
        """
        _, labels, kinds = self._counted
        cells = labels * len(COUNTED) + kinds
        shape = len(self.gold.labels), len(COUNTED)
        table = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        used = np.flatnonzero(table.any(axis=1))
        return {self.gold.labels[i]: table[i].tolist() for i in used}

    def document(self, doc_index: int) -> Result:
        """One document as plain values: counts by relation, strict F, and all pairs in order."""
        low, high = np.searchsorted(self.pairs.doc[self._by_doc], [doc_index, doc_index + 1])
        kept = [row for row in self._by_doc[low:high].tolist() if self.chosen[row]]
        f, text = float(self.strict_f[doc_index]), self._text_of(doc_index)
        return {
            "document": self.names[doc_index],
            "place": int(doc_index),
            "counts": dict(zip(RELATIONS, self.counts[doc_index].tolist())),
            "f": None if np.isnan(f) else f,
            "pairs": [self.pair(row, text) for row in kept],
        }

    @cached_property
    def _by_doc(self) -> IntArray:
        """The pairs by document."""
        return np.argsort(self.pairs.doc, kind="stable")

    def documents(self, order: Iterable[int] | None = None) -> Iterator[Result]:
        """The documents of `order`, by default all to show, one after the other."""
        return map(self.document, self.order if order is None else order)

    def _text_of(self, doc_index: int) -> TextOf:
        """The function from spans of a document to their text."""
        return text_of(self.compared.gold.documents[doc_index], self.compared.positions)

    def pair(self, row: int, text: TextOf | None = None) -> Result:
        """One pair as plain values; `gold` or `pred` is None where it has no span.

        `text` gives the text of spans; of many pairs it is made once for their document. Unplaced
        spans have no offsets.
        """
        relation, error = int(self.pairs.relation[row]), KINDS[self.pairs.error[row]]
        found = {"relation": RELATIONS[relation], "error": None if relation == CORRECT else error}
        if row >= len(self.rows):
            side = {MISSING: "gold", SPURIOUS: "pred"}[relation]
            return found | {"gold": None, "pred": None, side: self._unplaced(row, side)}
        text = text or self._text_of(int(self.rows.doc[row]))
        gold, pred = self.rows.gold[row], self.rows.pred[row]
        return {
            **found,
            "gold": None if gold < 0 else span_values(self.gold, gold, text),
            "pred": None if pred < 0 else span_values(self.pred, pred, text),
        }

    def _unplaced(self, row: int, side: str) -> Result:
        """The unplaced span of a row, without offsets."""
        place = row - len(self.rows)
        text, spans = self._unplaced_texts[place], self.gold if side == "gold" else self.pred
        at = place if side == "gold" else place - len(self.gold.unplaced)
        _, number, length = spans.unplaced[at].tolist()
        found = {"label": spans.labels[number], "start": None, "end": None, "length": length}
        return found | {"text": text, "features": {}}

    @cached_property
    def _unplaced_texts(self) -> list[str | None]:
        """The texts of all unplaced spans, as far as they are known: of those alike, one each."""
        found: list[str | None] = []
        one = self.compared
        for corpus, layer, spans in (
            (one.gold, one.gold_layer, self.gold),
            (one.pred, one.pred_layer, self.pred),
        ):
            known: dict[int, dict[tuple[int, str], list[str]]] = {}  # of the last document
            for doc_index, number, length in spans.unplaced.tolist():
                if doc_index not in known:
                    document = corpus.documents[doc_index]
                    known = {doc_index: texts_without_place(document, layer)}
                some = known[doc_index].get((length, spans.labels[number]))
                found.append(some.pop(0) if some else None)
        return found

    @cached_property
    def _counted(self) -> tuple[IntArray, IntArray, IntArray]:
        """Index of document, label, and index in `COUNTED` of everything to count.

        Each span counts once for its annotation, and each pair once for each of its labels.
        """
        pairs = self.pairs
        other = np.where(pairs.pred == pairs.gold, -1, pairs.pred)
        labels = np.concatenate([pairs.gold, other, pairs.gold, pairs.pred])
        sides = np.repeat([COUNTED.index("gold"), COUNTED.index("pred")], len(pairs.doc))
        kinds = np.concatenate([pairs.relation, pairs.relation, sides])
        kept = self._known[labels]
        return np.tile(pairs.doc, 4)[kept], labels[kept], kinds[kept]


def diff(
    compared: CorpusPair,
    *,
    labels: Iterable[str] = (),
    relations: Iterable[str] = (),
    equal: bool = False,
    features: str = "none",
    beta: float = 1.0,
) -> Diff:
    """The `Diff` of two annotations.

    `spacy_chance_eval.diff` for a pair of corpora; the parameters are explained there.

    Raises
    ------
    ValueError
        For filters that name no label or relation, and features that no span has; annotations
        without a document that both saw.
    """
    beta = request("gate_f", beta=beta).parameters["beta"]
    gold, pred = (with_copies(spans, features) for spans in compared.aligned())
    if not gold.seen.any():
        raise ValueError(
            "no document is annotated in both gold and prediction; there is nothing to compare"
        )
    some, kinds = ((one,) if isinstance(one, str) else tuple(one) for one in (labels, relations))
    check_known(some, gold.labels, "label")
    check_known(kinds, RELATIONS, "relation")
    if named := significant(features):
        check_known(named, sorted(gold.feature_names() | pred.feature_names()), "feature")
    refuse_fragments("diff", gold, pred)
    rows = differences(gold, pred, features=features)
    return Diff(compared, gold, pred, rows, some, kinds, equal, features, beta)


def strict_scores(
    correct: Array, gold: Array, pred: Array, *, beta: float = 1.0
) -> dict[str, FloatArray]:
    """Strict precision, recall and F as in GATE, from numbers of spans."""
    weight = beta**2
    return {
        "precision": ratio(correct, pred),
        "recall": ratio(correct, gold),
        "f": ratio((1 + weight) * correct, weight * gold + pred),
    }


def summary(diff: Diff, *, scores: bool = True) -> Result:
    """The comparison of the whole corpus as plain values, without its documents.

    `counts`, `confusion` and `errors` describe the filtered rows. `selection` and `by_label`
    describe the filtered labels, with all relations. `scores` describe all documents that both
    annotated. In `confusion`, the label None means no partner.

    Parameters
    ----------
    diff : Diff
    scores : bool
        Whether to compute scores.
    """
    return {
        **diff.compared.described(),
        "warnings": diff.warnings,
        "n_docs": int(diff.gold.seen.sum()),
        "n_skipped": int((~diff.gold.seen).sum()),
        "n_differing": int((diff.counts[:, CORRECT + 1 :].sum(axis=1) > 0).sum()),
        "n_shown": len(diff.order),
        "filter": {
            "labels": list(diff.labels),
            "relations": list(diff.relations),
            "equal": diff.equal,
        },
        "features": diff.features,
        "beta": diff.beta,
        "counts": dict(zip(RELATIONS, diff.counts.sum(axis=0).tolist())),
        **selected(diff),
        "confusion": _confusion(diff),
        "errors": _kinds_of_errors(diff),
        "scores": _scores(diff) if scores else {},
    }


def selected(diff: Diff) -> Result:
    """Numbers and strict scores of the filtered labels.

    `selection` has the numbers `COUNTED` over all labels, `by_label` has them for each label. A
    pair with two different labels counts for both labels.
    """
    labels = diff.label_counts()
    *_, gold, pred = map(sum, zip([0] * len(COUNTED), *labels.values()))
    pairs = np.bincount(diff.pairs.relation[diff.within], minlength=len(RELATIONS)).tolist()
    return {
        "selection": _scored_counts([*pairs, gold, pred], diff.beta),
        "by_label": [
            {"label": label, **_scored_counts(counts, diff.beta)}
            for label, counts in labels.items()
        ],
    }


def _scored_counts(counts: Sequence[int], beta: float) -> Result:
    """The numbers `COUNTED`, and the strict scores computed from them."""
    numbers: dict[str, Any] = dict(zip(COUNTED, counts))
    scores = strict_scores(*(np.array(numbers[key]) for key in SCORED), beta=beta)
    return numbers | {k: None if np.isnan(v) else float(v) for k, v in scores.items()}


def json_lines(summary: Mapping[str, Any], documents: Iterable[Result]) -> Iterator[str]:
    """The lines of a JSON object: a summary and, as "documents", one document a line.

    Parameters
    ----------
    summary : dict
        The result of `summary`.
    documents : iterable of dict
        The documents of `Diff.documents`; iterated once.
    """
    head = harmless_json(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
    yield head.removesuffix("\n}") + ","
    line = '  "documents": ['
    for i, document in enumerate(documents):
        yield line + "," * (i > 0)
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        line = f"    {harmless_json(text)}"
    yield line
    yield "  ]"
    yield "}"


def check_known(names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise ValueError for an unknown name; `what` says which kind of name it is."""
    unknown = sorted(set(names) - set(known))
    if unknown and not known:
        raise ValueError(f"there is no {what} {quoted(unknown[0])}; no span has any")
    if unknown:
        more = ", ..." if len(known) > LISTED else ""
        shown = ", ".join(map(repr, known[:LISTED]))
        hint = did_you_mean(unknown[0], known)
        raise ValueError(
            f"there is no {what} {quoted(unknown[0])}{hint}; expected one of {shown}{more}"
        )


def span_values(spans: Spans, row: int, text: TextOf) -> Result:
    """A span as plain values; `text`, made by `text_of`, gives its text."""
    start, end = int(spans.start[row]), int(spans.end[row])
    return {
        "label": spans.labels[spans.label[row]],
        "start": start,
        "end": end,
        "length": end - start,
        "text": text(start, end),
        "features": {} if spans.features is None else spans.features[row],
    }


def text_of(document: Document, positions: str) -> TextOf:
    """A function that gives the text of a document between two positions, or None without text.

    Parameters
    ----------
    positions : "token", "char" or "category"
        Unit of positions; whole documents have no text.
    """
    text, words, spaces = document.text, document.words, document.spaces
    if positions == "char" and text is not None:
        return lambda start, end: text[start:end]
    if positions != "token" or not words:
        return lambda start, end: None
    if spaces is None:
        return lambda start, end: " ".join(words[start:end])

    def spaced(start: int, end: int) -> str:
        pairs = zip(words[start:end], spaces[start:end])
        return "".join(word + " " * space for word, space in pairs).rstrip(" ")

    return spaced


def _scores(diff: Diff) -> dict[str, Result]:
    """GATE's strict, lenient and average F and the corrected span F, all labels and each.

    The chance model of the latter lets spans overlap if gold or predicted ones do.
    """
    gold, pred = diff.compared.aligned()  # in other measures, duplicates count once
    labels = {"labels": IGNORE} if diff.compared.ignores_labels else {}
    shared: dict[str, Any] = {"features": diff.features, "beta": diff.beta, **labels}
    metrics = {mode: request("gate_f", mode=mode, **shared) for mode in MODES}
    if diff.compared.positions != "category":
        chance = "disjoint" if are_disjoint(gold) and are_disjoint(pred) else "overlapping"
        metrics["span_f"] = request("span_f", chance=chance, beta=diff.beta, **labels)
    labelled = replace(diff.compared, ignores_labels=False)
    scores = evaluate(*labelled.aligned(), list(metrics.values()), data=labelled.data)
    return {key: scores[str(metric)].to_dict() for key, metric in metrics.items()}


def _confusion(diff: Diff) -> Result:
    """Pairs and single spans by gold and predicted label; the last label is None, "none".

    `rows[i][j]` counts gold label i against predicted label j, `differences[i]` those of label i
    with any other. Of more than 200 labels those with most differences are there; `n_left_out` says
    how many are not.
    """
    none = len(diff.gold.labels)
    labels = (diff.pairs.gold[diff.chosen], diff.pairs.pred[diff.chosen])
    one, two = (np.where(side < 0, none, side) for side in labels)
    counts = [np.bincount(side[one != two], minlength=none + 1) for side in (one, two)]
    differ = counts[0] + counts[1]
    used = np.setdiff1d(np.union1d(one, two), [none])
    most = np.sort(used[np.argsort(-differ[used], kind="stable")][:MOST_LABELS])
    place = np.full(none + 1, -1)
    place[most], place[none] = np.arange(len(most)), len(most)
    inside = (place[one] >= 0) & (place[two] >= 0)
    table = np.zeros((len(most) + 1,) * 2, np.int64)
    np.add.at(table, (place[one[inside]], place[two[inside]]), 1)
    return {
        "labels": [*(diff.gold.labels[i] for i in most), None],
        "rows": table.tolist(),
        "differences": differ[[*most, none]].tolist(),
        "n_left_out": len(used) - len(most),
    }


def _kinds_of_errors(diff: Diff) -> list[Result]:
    """Kinds of errors, the most frequent first, with examples from the worst documents."""
    rank = np.full(diff.gold.n_docs, diff.gold.n_docs)
    rank[diff.order] = np.arange(len(diff.order))
    chosen = np.flatnonzero(diff.chosen & (diff.pairs.relation != CORRECT))
    codes = diff.pairs.error[chosen] * len(RELATIONS) + diff.pairs.relation[chosen]
    kinds = []
    for code in np.unique(codes).tolist():
        error, relation = divmod(code, len(RELATIONS))
        of_kind = chosen[codes == code]
        of_kind = of_kind[np.argsort(rank[diff.pairs.doc[of_kind]], kind="stable")]
        worst = _from_different(diff.pairs.doc[of_kind], of_kind)[:EXAMPLES].tolist()
        kinds.append(
            {
                "error": KINDS[error],
                "relation": RELATIONS[relation],
                "n": len(of_kind),
                "examples": [
                    diff.pair(row) | {"document": diff.names[diff.pairs.doc[row]]} for row in worst
                ],
            }
        )
    return sorted(kinds, key=lambda kind: (-kind["n"], kind["error"]))


def _from_different(docs: IntArray, rows: IntArray) -> IntArray:
    """The first row of each document, then all other rows."""
    first = np.diff(docs, prepend=-1) != 0
    return np.concatenate([rows[first], rows[~first]])
