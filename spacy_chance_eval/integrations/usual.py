"""spaCy's own scores of entities and span groups, from columns of integers.

`get_ner_prf` and `spancat_score` align the tokens of every document and make an object of every
span, which takes most of the time of an evaluation. Where gold and prediction have the same tokens
neither is needed. Numbers, to the last bit, and the order of labels are spaCy's; unusual input,
such as a subclass of `Example`, is left to spaCy.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import PRFScore, get_ner_prf
from spacy.tokens import Doc
from spacy.training import Example

from ..measures.arrays import Array, BoolArray, distinct
from ..measures.docs import ROW, ReadExamples, aligned_rows, label_names

# from an Example and its missed gold spans to its labels, in the order in which spaCy meets them
LabelOrder: TypeAlias = Callable[[Example, Array], Iterable[str]]

# settings with which `Scorer.score_spans` compares other things
UNUSUAL = frozenset(("attr", "getter", "has_annotation", "labeled"))


def usual_ent_scores(examples: ReadExamples, /, **pipe_settings: Any) -> dict[str, Any]:
    """The scores of `get_ner_prf`."""
    plain = _are_plain(examples)
    if not (plain and examples.golds.proper_ents() and examples.preds.proper_ents()):
        return get_ner_prf(examples, **pipe_settings)
    golds, seen = examples.golds, examples.golds.have_ents()
    gold, pred = (rows[seen[rows["doc"]]] for rows in (golds.ent_rows, examples.preds.ent_rows))
    apart = _to_align(examples, seen)
    others = pred[apart[pred["doc"]]]
    docs = distinct(others["doc"])
    number = np.searchsorted(docs, others["doc"])
    moved = aligned_rows(others, [examples[doc].alignment.x2y for doc in docs.tolist()], number)
    aligned = _joined(pred, apart, moved[moved["end"] > 0])
    counted = aligned[~golds.have_gaps(aligned)]
    return _scores("ents", examples, gold, pred, counted, _ents_in_order)


def _ents_in_order(example: Example, missed: Array) -> Iterable[str]:
    """Labels of the entities of a prediction, then of the set of missed ones."""
    places = {(row["start"], row["end"]) for row in missed}
    spans = {(ent.label_, ent.start, ent.end) for ent in example.y.ents}
    left = (label for label, *place in spans if tuple(place) in places)
    return [*(ent.label_ for ent in example.x.ents), *left]


def usual_group_scores(examples: ReadExamples, key: str, /, **pipe_settings: Any) -> dict[str, Any]:
    """The scores of `spancat_score` for a span group."""
    settings = {**pipe_settings, "spans_key": key}
    usual = settings.get("allow_overlap", True) and not UNUSUAL & settings.keys()
    if not (usual and _are_plain(examples)):
        return spancat_score(examples, **settings)
    layer = f"spans:{key}"
    seen, both = (
        examples.golds.have(layer),
        (examples.golds.rows(layer), examples.preds.rows(layer)),
    )
    if any((rows["end"] <= rows["start"]).any() for rows in both):
        return spancat_score(examples, **settings)
    gold, pred = (rows[seen[rows["doc"]]] for rows in both)
    apart = _to_align(examples, seen & examples.preds.have(layer))
    moved = {
        (doc, span.start, span.end, span.label)
        for doc in np.unique(pred["doc"][apart[pred["doc"]]]).tolist()
        for span in examples[doc].get_aligned_spans_x2y(examples[doc].x.spans[key], True)
    }

    def labels_in_order(example: Example, missed: Array) -> Iterable[str]:
        """The set of the labels of gold, and of the prediction."""
        labels = {span.label_ for span in example.y.spans.get(key, [])}
        labels |= {span.label_ for span in example.x.spans.get(key, [])}
        return labels

    aligned = _joined(pred, apart, list(moved))
    return _scores(f"spans_{key}", examples, gold, pred, aligned, labels_in_order)


def _are_plain(examples: ReadExamples) -> bool:
    """Whether these are Examples and Docs of spaCy's own classes."""
    docs = (doc for one in examples for doc in (one.x, one.y))
    return set(map(type, examples)) <= {Example} and set(map(type, docs)) <= {Doc}


def _to_align(examples: ReadExamples, scored: BoolArray) -> BoolArray:
    """Of which documents predicted spans are not at once on gold tokens."""
    apart = ~examples.same
    for doc, example in enumerate(examples):
        given = getattr(example, "_cached_alignment", None)
        if given is not None and not apart[doc]:
            steps = np.arange(len(example.x) + 1)  # each token on that of its place
            same = np.array_equal(given.x2y.data, steps[:-1])
            apart[doc] = not (same and np.array_equal(given.x2y.ends, steps[1:]))
    for doc in np.flatnonzero(apart & scored).tolist():
        examples[doc].alignment  # noqa: B018  spaCy asks for it in documents without spans, too
    return apart


def _joined(pred: Array, apart: BoolArray, moved: Any) -> Array:
    """Predicted rows on gold tokens: those that are there, and those that were moved there."""
    return np.concatenate([pred[~apart[pred["doc"]]], np.array(moved, ROW)])


def _scores(
    prefix: str,
    examples: ReadExamples,
    gold: Array,
    pred: Array,
    aligned: Array,
    in_order: LabelOrder,
) -> dict[str, Any]:
    """spaCy's scores by name."""
    hashes = np.unique(np.concatenate([gold["label"], pred["label"]]))
    names = label_names(hashes, [*examples.golds.docs, *examples.preds.docs])
    code, aligned_code = (np.searchsorted(hashes, rows["label"]) for rows in (gold, aligned))
    longest = 1 + max(examples.golds.sizes, default=0)
    keys, aligned_keys = (
        ((examples.golds.offsets[rows["doc"]] + rows["start"]) * longest + rows["end"])
        * len(hashes)
        + number
        for rows, number in ((gold, code), (aligned, aligned_code))
    )
    found = np.isin(keys, aligned_keys)
    n_gold, n_pred, n_found = (
        np.bincount(some, minlength=len(hashes)).tolist()
        for some in (code, aligned_code, code[found])
    )
    by_name = {
        name: PRFScore(tp=n_found[i], fp=n_pred[i] - n_found[i], fn=n_gold[i] - n_found[i])
        for i, name in enumerate(names)
    }
    order: dict[str, None] = {}
    for doc in np.union1d(_first_docs(gold), _first_docs(pred)).tolist():
        rows = gold[~found & (gold["doc"] == doc)]
        order.update(dict.fromkeys(in_order(examples[doc], rows)))
    total = sum(by_name.values(), PRFScore())
    if not len(total):
        return dict.fromkeys([f"{prefix}_{name}" for name in ("p", "r", "f", "per_type")])
    return {
        f"{prefix}_p": total.precision,
        f"{prefix}_r": total.recall,
        f"{prefix}_f": total.fscore,
        f"{prefix}_per_type": {name: by_name[name].to_dict() for name in order},
    }


def _first_docs(rows: Array) -> Array:
    """The documents in which the labels of rows, which follow documents, are first."""
    return rows["doc"][np.unique(rows["label"], return_index=True)[1]]
