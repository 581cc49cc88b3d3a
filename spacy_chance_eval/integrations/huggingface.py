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
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..measures.tags import ONE_SCHEME, check_tags, detect_scheme, families, spans_of_tags
from ..metrics.request import Metrics, Request
from ..scoring.evaluation import span_requests
from ..scoring.scores import Score
from ..tasks.api import evaluate

Tags: TypeAlias = list[list[str]]  # for each document
# `observed`, `expected` and `value` of each metric of `USUAL`, of a label or of all
Parts: TypeAlias = Mapping[str, Mapping[str, Any]]

# seqeval's names of schemes, and ours of those that its strict mode reads as we do
SCHEMES = {
    "IOB1": None,
    "IOB2": "IOB2",
    "IOE1": None,
    "IOE2": None,
    "IOBES": "BIOES",
    "BILOU": "BILUO",
}
MODES = ("strict",)
USUAL: Mapping[str, str] = {
    "precision": "span_precision",
    "recall": "span_recall",
    "f1": "span_f",
    "token_f1": "token_f",
}
PREFIXED, SUFFIXED = re.compile("[BIELSU]-.+"), re.compile(".+-[BIELSU]")
# tags of other spellings: B_PER, b-per, PER-B
UNUSUAL = re.compile("[BIELSU][-_.](?P<before>.+)|(?P<behind>.+)[-_.][BIELSU]", re.IGNORECASE)
IGNORE_INDEX = -100  # of PyTorch's loss, and so of labels that count nowhere


def seqeval_scores(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    *,
    suffix: bool = False,
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
    suffix : bool
        Tags are LABEL-B, not B-LABEL.
    scheme : str, optional
        "IOB1", "IOB2", "IOE1", "IOE2", "IOBES" or "BILOU". Without `mode="strict"` it changes
        nothing, as in seqeval; with it, it is by default the scheme of the references, and is
        IOB2, IOBES or BILOU.
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
        For anything but lists of tags of the same lengths, tags of no scheme, and settings that
        are unknown or that seqeval reads in a way of its own.

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
    if mode is not None:
        known(mode, MODES, "mode")
    if scheme is not None:
        known(scheme, SCHEMES, "scheme")
    if zero_division not in ("warn", 0, 1):
        raise ValueError(f"zero_division is {zero_division!r}; expected 'warn', 0 or 1")
    gold, pred = _tags(references, "references", suffix), _tags(predictions, "predictions", suffix)
    accuracy = _share_of_equal_tags(gold, pred)
    strict = mode == "strict"
    reading = _strict_scheme(gold, scheme) if strict else _scheme(gold + pred)
    repair = "drop" if strict else "conlleval"
    gold_spans = _spans(gold, "references", reading, repair)
    pred_spans = _spans(pred, "predictions", reading, repair)
    _warn_of_improper_references(gold, reading if strict else None)
    scores = evaluate(gold_spans, pred_spans, USUAL)
    if zero_division == "warn":
        _warn_of_undefined(scores)
    if gold_spans.labels and pred_spans.labels and not {*gold_spans.labels} & {*pred_spans.labels}:
        one, two = (", ".join(spans.labels) for spans in (gold_spans, pred_spans))
        warnings.warn(f"no label in common: references have {one}; predictions {two}", stacklevel=2)
    undefined = float(zero_division == 1)
    result: dict[str, Any] = {}
    for label, facts in scores["f1"].per_label.items():
        parts = {key: score.per_label[label] for key, score in scores.items()}
        result[label] = {
            **_seqevals_row(parts, undefined),
            "number": facts["gold"],
            **_our_row(parts),
        }
    parts = {key: score.to_dict() for key, score in scores.items()}
    whole = {
        **_seqevals_row(parts, undefined),
        "accuracy": accuracy,
        **_our_row(parts),
        "signature": scores["f1"].signature,
    }
    total = {f"overall_{key}": value for key, value in whole.items()}
    clash = next((label for label in result if label in total), None)
    if clash is not None:
        raise ValueError(f"there is a label {clash!r}, which is the name of a score; rename it")
    return result | total


def _tags(documents: Sequence[Sequence[str]], name: str, suffix: bool) -> Tags:
    """Tags with their prefixes in front, of an argument."""
    expected = "expected a list of tags for each document"
    if not isinstance(documents, (Sequence, np.ndarray)) or any(one is None for one in documents):
        raise ValueError(f"{name} are {quoted(documents)}; {expected}")
    try:
        check_tags(documents)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    rows = [list(tags) for tags in documents]
    if not any(rows):
        raise ValueError(f"{name} have no tags; {expected}")
    if not suffix:
        return rows
    wrong = next((t for tags in rows for t in tags if t != "O" and not SUFFIXED.fullmatch(t)), None)
    if wrong is not None:
        raise ValueError(f"{name} have the tag {wrong!r}; with suffix=True expected O or LABEL-B")
    return [["-".join(tag.rsplit("-", 1)[::-1]) for tag in tags] for tags in rows]


def _share_of_equal_tags(gold: Tags, pred: Tags) -> float:
    """The share of tokens whose tags are equal."""
    if len(gold) != len(pred):
        raise ValueError(f"{len(gold)} references, but {len(pred)} predictions")
    for number, (one, two) in enumerate(zip(gold, pred), 1):
        if len(one) != len(two):
            raise ValueError(
                f"document {number} has {len(one)} tags in the references, but {len(two)} in the "
                "predictions; expected tags of the same tokens"
            )
    equal = [one == two for tags in zip(gold, pred) for one, two in zip(*tags)]
    return sum(equal) / len(equal)


def _scheme(documents: Tags) -> str:
    """A scheme with the prefixes of all tags; how improper tags are read, all have in common."""
    found = families(tag for tags in documents for tag in tags)
    if len(found) > 1:
        (one, first), (two, second) = found.items()
        raise ValueError(f"tags of two schemes: {first} of {one}, {second} of {two}; {ONE_SCHEME}")
    return next(iter(found), "IOB2")


def _strict_scheme(gold: Tags, scheme: str | None) -> str:
    """Our name of the scheme of strict mode: the one asked for, or that of the references."""
    if scheme is not None:
        ours = SCHEMES[scheme]
        if ours is None:
            raise ValueError(
                f"scheme {scheme!r} with mode='strict', where seqeval has rules of its own; leave "
                f"mode out, which reads {scheme}, or convert the tags to IOB2"
            )
        return ours
    prefixes = {tag[0] for tags in gold for tag in tags if PREFIXED.fullmatch(tag)}
    if prefixes & {"I", "E", "L"} and "B" not in prefixes:
        raise ValueError(
            "mode='strict' with references without B-, of which the scheme is not clear; leave "
            "mode out, or name the scheme: scheme='IOB2'"
        )
    return _scheme(gold)


def _spans(documents: Tags, name: str, scheme: str, repair: str) -> Spans:
    """The spans of tags."""
    try:
        return Spans.from_tags(documents, scheme=scheme, repair=repair)
    except ValueError as error:
        # advice for Spans, which are not made here
        text = re.sub(r"Spans\.from_tags\((\[\[.*\])\)", r"\1", str(error))
        other = ", or name another scheme: scheme='IOB2', 'IOBES' or 'BILOU'"
        text = re.sub(", or name another scheme: .*", other if repair == "drop" else "", text)
        if any(SUFFIXED.fullmatch(tag) for tags in documents for tag in tags):
            text += "; or, for LABEL-B, suffix=True"
        raise ValueError(f"{name}: {text}") from None


def _warn_of_improper_references(gold: Tags, scheme: str | None) -> None:
    """Warn of improper tags; none are in IOE1 and IOE2, which no prefix begins."""
    how = "left out, as in seqeval's strict mode"
    if scheme is None:
        if {tag[0] for tags in gold for tag in tags} <= {"O", "I", "E"}:
            return
        scheme, how = detect_scheme(gold), "read as the conlleval script and seqeval do"
    problems = [
        (number, problem)
        for number, tags in enumerate(gold, 1)
        for problem in spans_of_tags(tags, scheme=scheme)[1]
    ]
    if problems:
        number, first = problems[0]
        warnings.warn(
            f"references have {len(problems)} improper tags, {how}; the first, in document "
            f"{number} at token {first.place + 1}: {first.found}",
            stacklevel=3,
        )


def _warn_of_undefined(scores: Mapping[str, Score]) -> None:
    """Warn of precision and recall that are undefined."""
    missing = [
        f"{key} of {label}"
        for key in ("precision", "recall")
        for label, row in [("all labels", scores[key].to_dict()), *scores[key].per_label.items()]
        if row["observed"] is None
    ]
    if missing:
        warnings.warn(
            f"undefined, and set to 0: {', '.join(missing)}; zero_division=0 or 1 says so silently",
            stacklevel=3,
        )


def _seqevals_row(parts: Parts, undefined: float) -> dict[str, float]:
    """Scores that seqeval has, of a label or of all; `undefined` stands for those that are."""
    precision, recall = (
        undefined if (score := parts[key]["observed"]) is None else score
        for key in ("precision", "recall")
    )
    # seqeval's formula: F of what stands for undefined precision or recall
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    return {"precision": precision, "recall": recall, "f1": f1}


def _our_row(parts: Parts) -> dict[str, float | None]:
    """Scores that seqeval does not have, of a label or of all; None where undefined."""
    scores = {"token_f1": parts["token_f1"]["observed"]}
    for key in ("f1", "token_f1"):
        scores |= {f"expected_{key}": parts[key]["expected"]}
        scores |= {f"corrected_{key}": parts[key]["value"]}
    return scores


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
        When it is called, for labels without any entity, and logits that are nan.

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
    tags = tuple(_tags_of_list(label_list))
    labels = sorted({tag.partition("-")[2] for tag in tags} - {""}) if per_label else ()
    names = Counter(key for label in ("", *labels) for key, *_ in _columns(requests, label))
    names["accuracy"] += 1
    twice = next((name for name, times in names.items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"two scores are called {twice!r}; rename a metric or a label")
    documents = None if groups is None else tuple(groups)
    return ComputeMetrics(
        tags, _scheme([[*tags]]), requests, ignore_index, tuple(labels), documents
    )


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
    what = "label_list"
    if isinstance(label_list, str) or not isinstance(label_list, Iterable):
        raise ValueError(f"{what} is {label_list!r}; expected a list of tags")
    if isinstance(label_list, Mapping):
        ids = {str(key): tag for key, tag in label_list.items()}  # texts in config.json
        if {*ids} != {str(number) for number in range(len(ids))}:
            raise ValueError(
                f"{what} has the keys {', '.join(list(ids)[:5])}; expected the ids 0 to "
                f"{len(ids) - 1}, as in model.config.id2label"
            )
        label_list = [ids[str(number)] for number in range(len(ids))]
    tags = list(label_list)
    wrong = next((tag for tag in tags if not isinstance(tag, str)), None)
    if wrong is not None:
        raise ValueError(f"{what} has {wrong!r}; expected texts such as 'O' and 'B-PER'")
    inside = [tag for tag in tags if tag != "O"]
    prefixed = [tag for tag in inside if PREFIXED.fullmatch(tag)]
    if len({*tags}) < len(tags) or not inside:
        raise ValueError(f"{what} is {tags}; expected different tags, and others than O")
    if not prefixed:
        _refuse_unusual(inside)
    if not prefixed and "O" in tags:
        return [tag if tag == "O" else f"I-{tag}" for tag in tags]
    if len(prefixed) < len(inside):
        wrong = next(tag for tag in inside if tag not in prefixed)
        raise ValueError(
            f"{what} has {wrong!r}; expected O, and tags that all begin with a prefix such as "
            "B-, or labels that all have none"
        )
    return tags


def _refuse_unusual(labels: Sequence[str]) -> None:
    """Raise ValueError for labels that look like tags: two of one label, or all of them."""
    found = {one: match for one in labels if (match := UNUSUAL.fullmatch(one))}
    names = Counter((match["before"] or match["behind"]).lower() for match in found.values())
    if found and (len(found) == len(labels) or max(names.values()) > 1):
        raise ValueError(
            f"label_list has {', '.join(list(found)[:3])}, which look like tags with other "
            "prefixes; expected B-PER: rewrite them, or rename labels that are none"
        )


@dataclass(frozen=True, eq=False)
class ComputeMetrics:
    """The function that `make_compute_metrics` returns.

    Parameters
    ----------
    tags : tuple of str
        By id, with prefixes.
    scheme : str
        One with all of these prefixes.
    requests : mapping of str to Request
        Metrics by the names of their scores.
    ignore_index : int
        The label of tokens that count nowhere.
    labels : tuple of str
        Those that are scored, too.
    groups : tuple, optional
        The document of each row.
    """

    tags: tuple[str, ...]
    scheme: str
    requests: Mapping[str, Request]
    ignore_index: int
    labels: tuple[str, ...]
    groups: tuple[Any, ...] | None

    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Scores of an `EvalPrediction` by name."""
        if compute_result is not None:
            raise ValueError(
                "scores of batches do not add up to scores of the whole: expected "
                "TrainingArguments(batch_eval_metrics=False)"
            )
        labels, ids = self._ids(prediction.predictions, prediction.label_ids)
        kept = labels != self.ignore_index
        if not kept.any():
            raise ValueError(
                f"no label but {self.ignore_index} (ignore_index); there is nothing to score"
            )
        gold, pred = self._documents(labels, kept), self._documents(ids, kept)
        gold_spans, pred_spans = (
            Spans.from_tags(tags, scheme=self.scheme, repair="conlleval") for tags in (gold, pred)
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
        if isinstance(label_ids, (tuple, list)) and len(label_ids) and np.ndim(label_ids[0]) == 2:
            raise ValueError(
                f"label_ids are {len(label_ids)} arrays; expected one: "
                "TrainingArguments(label_names=['labels'])"
            )
        first = predictions[0] if isinstance(predictions, tuple) else predictions
        labels, ids = np.asarray(label_ids), np.asarray(first)
        if ids.ndim == 3 and ids.shape[2] == len(self.tags):
            ids = ids.argmax(axis=2)
        whole = all(one.dtype.kind in "iu" for one in (ids, labels))
        if ids.ndim != 2 or ids.shape != labels.shape or not whole:
            raise ValueError(
                f"predictions have the shape {np.shape(first)}, label_ids {labels.shape}; expected "
                f"logits of shape (rows, length, {len(self.tags)}), or whole numbers, as label_ids "
                "are, of shape (rows, length)"
            )
        undefined = np.isnan(np.asarray(first)[labels != self.ignore_index])
        if undefined.any():
            warnings.warn(
                f"{undefined.sum()} logits are nan, as of a model that diverged; their tokens have "
                "arbitrary tags",
                stacklevel=3,
            )
        for what, found in (("label_ids", labels), ("predictions", ids)):
            used = found[labels != self.ignore_index]
            wrong = used[(used < 0) | (used >= len(self.tags))]
            if len(wrong):
                raise ValueError(
                    f"{what} have the id {wrong[0]}; expected 0 to {len(self.tags) - 1}, the tags "
                    f"of label_list, and {self.ignore_index} (ignore_index) in label_ids only"
                )
        if self.groups is not None and len(self.groups) != len(labels):
            raise ValueError(
                f"groups have {len(self.groups)} rows, but the evaluation set has {len(labels)}; "
                "expected the document of each row"
            )
        return labels, ids

    def _documents(self, ids: IntArray, kept: Array) -> Tags:
        """The tags of each document; none of rows without a label."""
        names = np.array(self.tags, dtype=object)
        documents: dict[Any, list[str]] = {}
        for group, row, mask in zip(self.groups or range(len(ids)), ids, kept):
            documents.setdefault(group, []).extend(names[row[mask]].tolist())
        return [*documents.values()]
