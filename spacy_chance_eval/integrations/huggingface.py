"""Scores for Hugging Face: seqeval's with ours beside them, and `compute_metrics` for `Trainer`.

The module of `evaluate` in `metrics/chance_corrected_ner/` calls `seqeval_scores`. Neither function
needs a library of Hugging Face.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..formats.errors import known
from ..measures.arrays import Array, IntArray
from ..measures.spans import Spans
from ..measures.tags import check_tags, detect_scheme, spans_of_tags
from ..metrics.request import Metrics, Request
from ..scoring.evaluation import span_requests
from ..tasks.api import evaluate

Tags: TypeAlias = list[list[str]]  # for each document
# `observed`, `expected` and `value` of each metric of `USUAL`, of a label or of all
Parts: TypeAlias = Mapping[str, Mapping[str, Any]]

# seqeval's names of schemes, and ours of those that its strict mode reads as we do
SCHEMES = {"IOB2": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO", "IOB1": "", "IOE1": "", "IOE2": ""}
USUAL: Mapping[str, str] = {
    "precision": "span_precision",
    "recall": "span_recall",
    "f1": "span_f",
    "token_f1": "token_f",
}
PREFIXED = re.compile("[BIELSU]-.+")
# tags of other spellings: B_PER, b-per, PER-B
UNUSUAL = re.compile("[BIELSU][-_.](?P<before>.+)|(?P<behind>.+)[-_.][BIELSU]", re.IGNORECASE)
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
        The value of seqeval's scores that are undefined; "warn" is 0, with a warning.

    Returns
    -------
    dict
        For each label `precision`, `recall`, `f1`, `number` (of spans in the references),
        `expected_f1`, `corrected_f1`, `token_f1`, `expected_token_f1` and `corrected_token_f1`; the
        same of all labels as `overall_precision` ..., but for `number`; `overall_accuracy`, the
        share of equal tags; and `overall_signature`, from which F can be reproduced. Scores that
        seqeval does not have are None where undefined.

    Raises
    ------
    ValueError
        For anything but lists of tags of the same lengths, tags of no scheme, and unknown settings.

    Warns
    -----
    UserWarning
        For improper tags in the references, for annotations without a common label, and, with
        `zero_division="warn"`, for undefined scores.

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
    ours = "" if scheme is None else SCHEMES[known(scheme, SCHEMES, "scheme")]
    if not strict or scheme is None:
        ours = detect_scheme(gold if strict else gold + pred)
    if strict and ours not in SCHEMES.values() or not ours:
        raise ValueError(
            "mode='strict' reads IOB2, IOBES and BILOU; name the scheme, or leave mode out"
        )
    repair = "drop" if strict else "conlleval"
    gold_spans, pred_spans = (
        _spans(tags, name, ours, repair)
        for tags, name in ((gold, "references"), (pred, "predictions"))
    )
    scores = evaluate(gold_spans, pred_spans, USUAL)
    _warn_of_improper_tags(gold, ours, "left out" if strict else "read as by conlleval")
    if gold_spans.labels and pred_spans.labels and not {*gold_spans.labels} & {*pred_spans.labels}:
        one, two = (", ".join(spans.labels) for spans in (gold_spans, pred_spans))
        warnings.warn(f"no label in common: references have {one}; predictions {two}", stacklevel=2)
    rows: dict[str, Parts] = {
        label: {key: score.per_label[label] for key, score in scores.items()}
        for label in scores["f1"].per_label
    }
    whole = {key: score.to_dict() for key, score in scores.items()}
    if zero_division == "warn":
        _warn_of_undefined({"all labels": whole, **rows})
    undefined = float(zero_division == 1)
    result: dict[str, Any] = {
        label: _row(parts, undefined, {"number": parts["f1"]["gold"]})
        for label, parts in rows.items()
    }
    equal = [one == two for tags in zip(gold, pred) for one, two in zip(*tags)]
    accuracy = sum(equal) / len(equal)
    total = {
        f"overall_{key}": value
        for key, value in _row(whole, undefined, {"accuracy": accuracy}).items()
    }
    total["overall_signature"] = scores["f1"].signature
    if clash := result.keys() & total.keys():
        raise ValueError(f"there is a label {min(clash)!r}, the name of a score; rename it")
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


def _warn_of_improper_tags(gold: Tags, scheme: str, how: str) -> None:
    """Warn of improper references; none are in IOE1 and IOE2, in which no prefix begins."""
    if {tag[0] for tags in gold for tag in tags} <= {"O", "I", "E"} and scheme == "BIOES":
        return
    count = sum(len(spans_of_tags(tags, scheme=scheme)[1]) for tags in gold)
    if count:
        warnings.warn(f"references have {count} improper tags, {how}", stacklevel=3)


def _warn_of_undefined(rows: Mapping[str, Parts]) -> None:
    """Warn of precision and recall that are undefined."""
    missing = [
        f"{key} of {label}"
        for label, parts in rows.items()
        for key in ("precision", "recall")
        if parts[key]["observed"] is None
    ]
    if missing:
        message = f"undefined, and set to 0 (zero_division): {', '.join(missing)}"
        warnings.warn(message, stacklevel=3)


def _row(parts: Parts, undefined: float, more: Mapping[str, Any]) -> dict[str, Any]:
    """seqeval's scores, in which `undefined` stands for such; more; and ours, None if undefined."""
    precision, recall = (
        undefined if (score := parts[key]["observed"]) is None else score
        for key in ("precision", "recall")
    )
    # seqeval's formula: F of what stands for undefined precision or recall
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    row = {"precision": precision, "recall": recall, "f1": f1, **more}
    row["token_f1"] = parts["token_f1"]["observed"]
    for key in ("f1", "token_f1"):
        row |= {f"expected_{key}": parts[key]["expected"], f"corrected_{key}": parts[key]["value"]}
    return row


def make_compute_metrics(
    label_list: Sequence[str] | Mapping[int, str],
    metrics: Metrics = USUAL,
    *,
    ignore_index: int = IGNORE_INDEX,
    per_label: bool = False,
    groups: Iterable[Any] | None = None,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=...)`: scores as observed, expected and corrected.

    A row of the evaluation set is a document, in which chance places spans, unless `groups` joins
    rows. Tags are read as the conlleval script reads them, in gold too: a window of a long document
    may begin in a span. The function can be pickled.

    Parameters
    ----------
    label_list : sequence of str, or mapping of int to str
        The tags by their ids, such as `model.config.id2label`: IOB1, IOB2, BIOES or BILUO; or O and
        labels without prefixes, of which neighbours with one label are one span.
    metrics : sequence, or mapping from shorter names, of str or Request
        By default `precision`, `recall` and `f1` of spans, and `token_f1`.
    ignore_index : int
        The label of tokens that count nowhere: special tokens, padding, subwords after the first.
    per_label : bool
        Also score each label of the list, as `PER_f1` ...
    groups : iterable, optional
        The document of each row of the evaluation set, in its order: rows of one document are
        joined before spans are read. Where windows overlap, the tokens of the overlap count in each
        of them unless they have `ignore_index` in all but one.

    Returns
    -------
    callable
        From an `EvalPrediction` (`predictions` as logits of shape (n_rows, length, n_tags) or ids
        of shape (n_rows, length), or a tuple that begins with them; `label_ids`) to finite floats
        by name: `f1`, `expected_f1`, `corrected_f1` ..., and `accuracy`, the share of equal tags.
        Undefined scores are 0.0, so that a training goes on.

    Raises
    ------
    ValueError
        For labels that are no tags and unknown metrics; when it is called, for predictions of
        another shape, unknown ids, and rows without any label.

    Warns
    -----
    UserWarning
        When it is called, for labels without any entity, and for logits that are nan.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from spacy_chance_eval.integrations.huggingface import make_compute_metrics
    >>> compute_metrics = make_compute_metrics(["O", "B-PER", "I-PER"], {"f1": "span_f"})
    >>> labels = np.array([[-100, 1, 2, -100, 0, 0, -100], [-100, 0, 1, 0, -100, -100, -100]])
    >>> ids = np.array([[0, 1, 2, 2, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]])
    >>> scores = compute_metrics(SimpleNamespace(predictions=ids, label_ids=labels))
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'f1': 0.5, 'expected_f1': 0.3333, 'corrected_f1': 0.25, 'accuracy': 0.7143}
    """
    requests = span_requests(metrics)
    if not requests:
        raise ValueError("no metrics; expected names such as 'span_f'")
    tags = _tags_of_list(label_list)
    labels = sorted({tag.partition("-")[2] for tag in tags} - {""}) if per_label else []
    names = Counter(key for label in ("", *labels) for key, *_ in _columns(requests, label))
    name, times = (names + Counter(["accuracy"])).most_common(1)[0]
    if times > 1:
        raise ValueError(f"two scores are called {name!r}; rename a metric or a label")
    documents = None if groups is None else [*groups]
    return ComputeMetrics(tags, detect_scheme([tags]), requests, ignore_index, labels, documents)


def _columns(requests: Mapping[str, Request], label: str) -> list[tuple[str, str, str]]:
    """(name, metric, part of a `Score`) of each score of a label, or, with "", of all labels."""
    before = f"{label}_" if label else ""
    columns = []
    for name, request in requests.items():
        columns.append((f"{before}{name}", name, "observed"))
        if request.placement != "none":
            columns.append((f"{before}expected_{name}", name, "expected"))
            columns.append((f"{before}corrected_{name}", name, "value"))
    return columns


def _tags_of_list(label_list: Sequence[str] | Mapping[int, str]) -> list[str]:
    """Tags with prefixes, in the order of their ids."""
    expected = "expected different tags by id, such as ['O', 'B-PER'] or model.config.id2label"
    if isinstance(label_list, Mapping):  # ids are texts in config.json
        ids = {str(key): tag for key, tag in label_list.items()}
        label_list = [ids.get(str(number)) for number in range(len(ids))]  # type: ignore[misc]
    tags = [*label_list] if isinstance(label_list, Iterable) else []
    inside = [tag for tag in tags if tag != "O"]
    sound = all(isinstance(tag, str) for tag in tags) and len({*tags}) == len(tags)
    if isinstance(label_list, str) or not inside or not sound:
        raise ValueError(f"label_list is {label_list!r}; {expected}")
    prefixed = [tag for tag in inside if PREFIXED.fullmatch(tag)]
    odd = {tag: match for tag in inside if (match := UNUSUAL.fullmatch(tag))}
    roots = Counter((match["before"] or match["behind"]).lower() for match in odd.values())
    # a label may look like a tag (B_cell): not all of them, and not two with one rest
    if not prefixed and odd and (len(odd) == len(inside) or max(roots.values()) > 1):
        raise ValueError(f"label_list has {', '.join([*odd][:3])}; expected tags such as B-PER")
    if not prefixed and "O" in tags:
        return [tag if tag == "O" else f"I-{tag}" for tag in tags]
    if len(prefixed) < len(inside):
        wrong = next(tag for tag in inside if tag not in prefixed)
        raise ValueError(f"label_list has {wrong!r}; expected O, and all with a prefix, or none")
    return tags


@dataclass(frozen=True, eq=False)
class ComputeMetrics:
    """The function that `make_compute_metrics` returns; `groups` are the documents of rows."""

    tags: list[str]
    scheme: str
    requests: Mapping[str, Request]
    ignore_index: int
    labels: list[str]
    groups: list[Any] | None

    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Scores of an `EvalPrediction` by name."""
        if compute_result is not None:
            raise ValueError(
                "scores of batches do not add up to scores of the whole: expected "
                "TrainingArguments(batch_eval_metrics=False)"
            )
        labels, ids = self._ids(prediction.predictions, prediction.label_ids)
        kept = labels != self.ignore_index
        gold_spans, pred_spans = (
            Spans.from_tags(self._documents(one, kept), scheme=self.scheme, repair="conlleval")
            for one in (labels, ids)
        )
        if not len(gold_spans):
            warnings.warn("label_ids have no entity: all scores of spans are 0.0", stacklevel=2)
        scores = evaluate(gold_spans, pred_spans, self.requests)
        result = {}
        for label in ("", *self.labels):
            for key, name, part in _columns(self.requests, label):
                score = scores[name]
                value = score.per_label.get(label, {}).get(part) if label else getattr(score, part)
                result[key] = float(value or 0)  # a training goes on
        return result | {"accuracy": float((ids == labels)[kept].mean())}

    def _ids(self, predictions: Any, label_ids: Any) -> tuple[IntArray, IntArray]:
        """The ids of gold and predicted tags, of one shape (n_rows, length)."""
        first = np.asarray(predictions[0] if isinstance(predictions, tuple) else predictions)
        labels, ids = np.asarray(label_ids), first
        if ids.ndim == 3 and ids.shape[2] == len(self.tags):
            ids = ids.argmax(axis=2)
        whole = all(one.dtype.kind in "iu" for one in (ids, labels))
        if ids.ndim != 2 or ids.shape != labels.shape or not whole:
            raise ValueError(
                f"predictions have the shape {first.shape}, label_ids {labels.shape}; expected "
                f"logits of shape (rows, length, {len(self.tags)}), or whole numbers, as label_ids "
                "are, of shape (rows, length)"
            )
        kept = labels != self.ignore_index
        if not kept.any():
            raise ValueError(f"no label but {self.ignore_index} (ignore_index), nothing to score")
        if np.isnan(first[kept]).any():
            warnings.warn("logits are nan; their tokens have arbitrary tags", stacklevel=3)
        for what, found in (("label_ids", labels[kept]), ("predictions", ids[kept])):
            if found.min() < 0 or found.max() >= len(self.tags):
                raise ValueError(
                    f"{what} have ids from {found.min()} to {found.max()}; expected 0 to "
                    f"{len(self.tags) - 1}, the tags of label_list"
                )
        if self.groups is not None and len(self.groups) != len(labels):
            raise ValueError(f"groups have {len(self.groups)} rows; expected {len(labels)}")
        return labels, ids

    def _documents(self, ids: IntArray, kept: Array) -> Tags:
        """The tags of each document; none of rows without a label."""
        names = np.array(self.tags, dtype=object)
        documents: dict[Any, list[str]] = {}
        for group, row, mask in zip(self.groups or range(len(ids)), ids, kept):
            documents.setdefault(group, []).extend(names[row[mask]].tolist())
        return [*documents.values()]
