"""Scores for Hugging Face: seqeval's with ours beside them, and `compute_metrics` for `Trainer`.

The module of `evaluate` in `metrics/chance_corrected_ner/` calls `seqeval_scores`. Neither function
needs a library of Hugging Face.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..formats.errors import known
from ..formats.tags import is_tag, plain_tags
from ..measures.spans import Spans
from ..measures.tags import check_tags, detect_scheme
from ..tasks.api import evaluate

Tags: TypeAlias = list[list[str]]  # for each document

# seqeval's names of schemes, and ours of those that its strict mode reads as we do
SCHEMES = {"IOB2": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO"}
METRICS = ["span_precision", "span_recall", "span_f", "token_f"]
IGNORE_INDEX = -100  # of PyTorch's loss, and so of labels that count nowhere


def seqeval_scores(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    mode: str | None = None,
    zero_division: str | int = "warn",
) -> dict[str, Any]:
    """The scores of the metric `seqeval` of Hugging Face, and those expected and beyond chance.

    Both annotations are read as seqeval reads them. In its default mode that is the rule of the
    conlleval script for IOB1, IOB2, IOE1, IOE2 and IOBES alike; BILOU, which seqeval misreads
    there, is read as BILOU. In strict mode improper spans are dropped.

    Parameters
    ----------
    predictions, references : sequence of sequences of str
        Tags of the same tokens. Each sequence is a document: chance places its spans in it.
    scheme : "IOB2", "IOBES" or "BILOU", optional
        That of strict mode, by default the one of the references. Without `mode="strict"` it
        changes nothing, as in seqeval.
    mode : "strict", optional
        By default the conlleval rule.
    zero_division : "warn", 0 or 1
        The value of seqeval's scores that are undefined; "warn" is 0, with a warning. Another one
        says that the annotations have no label in common.

    Returns
    -------
    dict
        For each label `precision`, `recall`, `f1`, `number` (of spans in the references),
        `expected_f1`, `corrected_f1`, `token_f1`, `expected_token_f1` and `corrected_token_f1`; the
        same of all labels as `overall_precision` ..., but for `number`; `overall_accuracy`, the
        share of equal tags; and `overall_signature`, from which F can be reproduced. Scores that
        seqeval does not have are None where undefined.

    Examples
    --------
    >>> from spacy_chance_eval.integrations.huggingface import seqeval_scores
    >>> gold = [["B-PER", "I-PER", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    >>> pred = [["B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC", "O", "O", "O"]]
    >>> scores = seqeval_scores(pred, gold)
    >>> scores["PER"]["f1"], scores["overall_f1"], round(scores["overall_corrected_f1"], 4)
    (1.0, 0.5, 0.4667)
    """
    strict = mode is not None and known(mode, ["strict"], "mode") == "strict"
    if zero_division not in ("warn", 0, 1):
        raise ValueError(f"zero_division is {zero_division!r}; expected 'warn', 0 or 1")
    gold, pred = _tags(references, "references"), _tags(predictions, "predictions")
    if [*map(len, gold)] != [*map(len, pred)]:
        raise ValueError("references and predictions have other lengths; expected the same tokens")
    ours = detect_scheme(gold if strict else gold + pred)
    if strict and scheme is not None:
        ours = SCHEMES[known(scheme, SCHEMES, "scheme")]
    elif strict and ours not in SCHEMES.values():
        raise ValueError("mode='strict' reads IOB2, IOBES and BILOU; name the scheme")
    repair = "drop" if strict else "conlleval"
    gold_spans = _spans(gold, "references", ours, repair)
    pred_spans = _spans(pred, "predictions", ours, repair)
    one, two = gold_spans.used_labels(), pred_spans.used_labels()
    if one and two and not {*one} & {*two}:
        shown = f"references have {', '.join(one)}; predictions {', '.join(two)}"
        warnings.warn(f"no label in common: {shown}", stacklevel=2)
    scores = evaluate(gold_spans, pred_spans, METRICS)
    labels = scores["span_f"].per_label
    parts = {label: {key: one.per_label[label] for key, one in scores.items()} for label in labels}
    whole = {key: score.to_dict() for key, score in scores.items()}
    undefined = [
        f"{key} of {label}"
        for label, row in {"all labels": whole, **parts}.items()
        for key in ("precision", "recall")
        if row[f"span_{key}"]["observed"] is None
    ]
    if undefined and zero_division == "warn":
        missing = ", ".join(undefined)
        warnings.warn(f"undefined, and set to 0 (zero_division): {missing}", stacklevel=2)
    instead = float(zero_division == 1)
    result: dict[str, Any] = {
        label: _row(row, instead) | {"number": row["span_f"]["gold"]}
        for label, row in parts.items()
    }
    total = {f"overall_{key}": value for key, value in _row(whole, instead).items()}
    equal = [first == second for tags in zip(gold, pred) for first, second in zip(*tags)]
    total["overall_accuracy"] = sum(equal) / len(equal)
    total["overall_signature"] = scores["span_f"].signature
    return result | total


def _tags(documents: Sequence[Sequence[str]], name: str) -> Tags:
    """The tags of an argument."""
    try:
        rows = [[*tags] for tags in documents]
        check_tags(documents)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}; expected a list of tags for each document") from None
    if not any(rows):
        raise ValueError(f"{name} have no tags; expected a list of tags for each document")
    return rows


def _spans(documents: Tags, name: str, scheme: str, repair: str) -> Spans:
    """The spans of tags."""
    try:
        return Spans.from_tags(documents, scheme=scheme, repair=repair)
    except ValueError as error:
        found = str(error).partition("; ")[0]
        raise ValueError(f"{name}: {found}; expected O, and tags such as B-PER") from None


def _row(parts: Mapping[str, Mapping[str, Any]], instead: float) -> dict[str, Any]:
    """seqeval's scores, with a value `instead` of undefined ones; and ours, None if undefined."""
    precision, recall = (
        instead if (score := parts[key]["observed"]) is None else score
        for key in ("span_precision", "span_recall")
    )
    # seqeval's formula: F of what stands for undefined precision or recall
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    row = {"precision": precision, "recall": recall, "f1": f1}
    row["token_f1"] = parts["token_f"]["observed"]
    for name, key in (("f1", "span_f"), ("token_f1", "token_f")):
        row[f"expected_{name}"] = parts[key]["expected"]
        row[f"corrected_{name}"] = parts[key]["corrected"]
    return row


def make_compute_metrics(
    label_list: Sequence[str] | Mapping[int, str],
    *,
    per_label: bool = False,
    groups: Iterable[Any] | None = None,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=...)`: the scores of `seqeval_scores`, by name.

    A row of the evaluation set is a document, in which chance places spans, unless `groups` joins
    rows. Tags are read as the conlleval script reads them, in gold too: a window of a long document
    may begin in a span. The function can be pickled.

    Tokens with the label -100 count nowhere: special tokens, padding, subwords after the first.

    Parameters
    ----------
    label_list : sequence of str, or mapping of int to str
        The tags by their ids, such as `model.config.id2label`: IOB1, IOB2, BIOES or BILUO; or O and
        labels without prefixes, of which neighbours with one label are one span.
    per_label : bool
        Also score each label of the list, as `PER_f1` ...
    groups : iterable, optional
        The document of each row of the evaluation set, in its order: rows of one document are
        joined before spans are read. Where windows overlap, give the tokens of the overlap -100 in
        all but one.

    Returns
    -------
    callable
        From an `EvalPrediction` (`predictions` as logits of shape (n_rows, length, n_tags) or ids
        of shape (n_rows, length), or a tuple that begins with them; `label_ids`) to finite floats
        by name: `f1`, `expected_f1`, `corrected_f1` ... Undefined scores are 0.0, so that a
        training goes on.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from spacy_chance_eval.integrations.huggingface import make_compute_metrics
    >>> compute_metrics = make_compute_metrics(["O", "B-PER", "I-PER"])
    >>> labels = np.array([[-100, 1, 2, -100, 0, 0, -100], [-100, 0, 1, 0, -100, -100, -100]])
    >>> ids = np.array([[0, 1, 2, 2, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]])
    >>> scores = compute_metrics(SimpleNamespace(predictions=ids, label_ids=labels))
    >>> {name: round(scores[name], 4) for name in ("f1", "expected_f1", "corrected_f1")}
    {'f1': 0.5, 'expected_f1': 0.3333, 'corrected_f1': 0.25}
    """
    tags = _tags_of_list(label_list)
    labels = sorted({tag.partition("-")[2] for tag in tags} - {""}) if per_label else []
    rows = None if groups is None else [*groups]
    return partial(_compute_metrics, tags, labels, rows)


def _tags_of_list(label_list: Sequence[str] | Mapping[int, str]) -> list[str]:
    """Tags as they are usually spelt, in the order of their ids."""
    tags: list[Any] = [*label_list]
    if isinstance(label_list, Mapping):  # ids are texts in config.json
        ids = {str(key): tag for key, tag in label_list.items()}
        tags = [ids.get(str(number)) for number in range(len(ids))]
    if not all(isinstance(tag, str) for tag in tags) or len({*tags}) < len(tags):
        raise ValueError(f"label_list is {label_list!r}; expected different tags by id")
    usual = plain_tags(dict.fromkeys(tags, 1) | {"O": 2})
    tags = [usual.get(tag, tag) for tag in tags]
    if "O" not in tags or {*tags} == {"O"} or not all(map(is_tag, tags)):
        raise ValueError(f"label_list is {label_list!r}; expected O, and tags such as B-PER")
    detect_scheme([tags])  # raises for two
    return tags


def _compute_metrics(
    tags: list[str], labels: list[str], groups: list[Any] | None, prediction: Any
) -> dict[str, float]:
    """Scores of an `EvalPrediction` by name; `groups` are the documents of rows."""
    gold, first = np.asarray(prediction.label_ids), prediction.predictions
    pred = logits = np.asarray(first[0] if isinstance(first, tuple) else first)
    if logits.ndim == 3 and logits.shape[2] == len(tags):
        pred = logits.argmax(axis=2)
    whole = pred.dtype.kind in "iu" and gold.dtype.kind in "iu"
    if pred.ndim != 2 or pred.shape != gold.shape or not whole:
        raise ValueError(
            f"predictions have the shape {logits.shape}, label_ids {gold.shape}; expected logits "
            f"of shape (rows, length, {len(tags)}), or whole numbers of shape (rows, length)"
        )
    kept = gold != IGNORE_INDEX
    if not kept.any():
        raise ValueError(f"no label but {IGNORE_INDEX}, nothing to score")
    if wrong := {*gold[kept].tolist(), *pred[kept].tolist()} - {*range(len(tags))}:
        raise ValueError(f"id {min(wrong)}; expected 0 to {len(tags) - 1}, the tags of label_list")
    if groups is not None and len(groups) != len(gold):
        raise ValueError(f"groups have {len(groups)} rows; expected {len(gold)}")
    documents: dict[Any, tuple[list[str], list[str]]] = {}
    for group, mask, *both in zip(groups or range(len(gold)), kept, gold, pred):
        document = documents.setdefault(group, ([], []))
        for own, row in zip(document, both):
            own.extend(tags[number] for number in row[mask])
    if {tag for own, _ in documents.values() for tag in own} <= {"O"}:
        warnings.warn("label_ids have no entity: all scores of spans are 0.0", stacklevel=2)
    found = seqeval_scores(*reversed([*zip(*documents.values())]), zero_division=0)
    del found["overall_signature"]
    total = {key.partition("_")[2]: found[key] for key in found if key.startswith("overall_")}
    names = [key for key in total if key != "accuracy"]
    rows = {f"{label}_{key}": found.get(label, {}).get(key) for label in labels for key in names}
    # a training goes on
    return {key: float(score or 0) for key, score in {**rows, **total}.items()}
