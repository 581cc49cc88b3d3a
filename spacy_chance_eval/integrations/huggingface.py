"""Scores for Hugging Face: seqeval's with ours beside them, and `compute_metrics` for `Trainer`.

The module of `evaluate` in `metrics/chance_corrected_ner/` calls `seqeval_scores`. Neither function
needs a library of Hugging Face.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..formats.errors import known
from ..measures.spans import Spans
from ..measures.tags import check_tags, detect_scheme
from ..tasks.api import evaluate

Tags: TypeAlias = list[list[str]]  # for each document

# seqeval's names of schemes, and ours of those that its strict mode reads as we do
SCHEMES = {"IOB2": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO", "IOB1": "", "IOE1": "", "IOE2": ""}
METRICS: Mapping[str, str] = {key: f"span_{key}" for key in ("precision", "recall", "f")} | {
    "token_f": "token_f"
}
PREFIXED = re.compile("[BIELSU]-.+")
# tags of other spellings: B_PER, b-per, PER-B
UNUSUAL = re.compile("[BIELSU][-_.].+|.+[-_.][BIELSU]", re.IGNORECASE)
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
        For annotations without a common label, and, with "warn", for undefined scores.

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
    spans = [
        _spans(tags, name, ours, repair)
        for tags, name in ((gold, "references"), (pred, "predictions"))
    ]
    one, two = (own.used_labels() for own in spans)
    if one and two and not {*one} & {*two}:
        shown = f"references have {', '.join(one)}; predictions {', '.join(two)}"
        warnings.warn(f"no label in common: {shown}", stacklevel=2)
    scores = evaluate(spans[0], spans[1], METRICS)
    labels = scores["f"].per_label
    parts = {label: {key: one.per_label[label] for key, one in scores.items()} for label in labels}
    whole = {key: score.to_dict() for key, score in scores.items()}
    undefined = [
        f"{key} of {label or 'all labels'}"
        for label, row in {"": whole, **parts}.items()
        for key in ("precision", "recall")
        if row[key]["observed"] is None
    ]
    if undefined and zero_division == "warn":
        missing = ", ".join(undefined)
        warnings.warn(f"undefined, and set to 0 (zero_division): {missing}", stacklevel=2)
    instead = float(zero_division == 1)
    result: dict[str, Any] = {
        label: _row(row, instead) | {"number": row["f"]["gold"]} for label, row in parts.items()
    }
    total = {f"overall_{key}": value for key, value in _row(whole, instead).items()}
    equal = [first == second for tags in zip(gold, pred) for first, second in zip(*tags)]
    total["overall_accuracy"] = sum(equal) / len(equal)
    total["overall_signature"] = scores["f"].signature
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
    """The spans of tags; their repair is named in signatures where gold needs one."""
    if name == "references":
        with suppress(ValueError):
            return Spans.from_tags(documents, scheme=scheme)
    try:
        return Spans.from_tags(documents, scheme=scheme, repair=repair)
    except ValueError as error:
        found = str(error).partition("; ")[0]
        raise ValueError(f"{name}: {found}; expected O, and tags such as B-PER") from None


def _row(parts: Mapping[str, Mapping[str, Any]], instead: float) -> dict[str, Any]:
    """seqeval's scores, with a value `instead` of undefined ones; and ours, None if undefined."""
    precision, recall = (
        instead if (score := parts[key]["observed"]) is None else score
        for key in ("precision", "recall")
    )
    # seqeval's formula: F of what stands for undefined precision or recall
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    row = {"precision": precision, "recall": recall, "f1": f1}
    row["token_f1"] = parts["token_f"]["observed"]
    for key in ("f", "token_f"):
        row[f"expected_{key}1"] = parts[key]["expected"]
        row[f"corrected_{key}1"] = parts[key]["corrected"]
    return row


def make_compute_metrics(
    label_list: Sequence[str] | Mapping[int, str],
    *,
    ignore_index: int = IGNORE_INDEX,
    per_label: bool = False,
    groups: Iterable[Any] | None = None,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=...)`: the scores of `seqeval_scores`, by name.

    A row of the evaluation set is a document, in which chance places spans, unless `groups` joins
    rows. Tags are read as the conlleval script reads them, in gold too: a window of a long document
    may begin in a span. The function can be pickled.

    Parameters
    ----------
    label_list : sequence of str, or mapping of int to str
        The tags by their ids, such as `model.config.id2label`: IOB1, IOB2, BIOES or BILUO; or O and
        labels without prefixes, of which neighbours with one label are one span.
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
        by name: `f1`, `expected_f1`, `corrected_f1` ... Undefined scores are 0.0, so that a
        training goes on.

    Raises
    ------
    ValueError
        For labels that are no tags; when it is called, for predictions of another shape, unknown
        ids, and rows without any label.

    Warns
    -----
    UserWarning
        When it is called, for labels without any entity, and for logits that are nan.

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
    return partial(_compute_metrics, tags, ignore_index, labels, rows)


def _tags_of_list(label_list: Sequence[str] | Mapping[int, str]) -> list[str]:
    """Tags with prefixes, in the order of their ids."""
    if isinstance(label_list, Mapping):  # ids are texts in config.json
        ids = {str(key): tag for key, tag in label_list.items()}
        label_list = [ids.get(str(number)) for number in range(len(ids))]  # type: ignore[misc]
    tags = [*label_list] if isinstance(label_list, Iterable) else []
    inside = [tag for tag in tags if tag != "O"]
    sound = all(isinstance(tag, str) for tag in tags) and len({*tags}) == len(tags)
    if isinstance(label_list, str) or not inside or not sound:
        raise ValueError(
            f"label_list is {label_list!r}; expected different tags by id, such as ['O', 'B-PER'] "
            "or model.config.id2label"
        )
    odd = [*filter(UNUSUAL.fullmatch, inside)]
    if not any(map(PREFIXED.fullmatch, inside)) and "O" in tags:
        if len(odd) in range(min(2, len(inside)), len(inside) + 1):  # one may be a label: e-mail
            raise ValueError(f"label_list has {', '.join(odd[:3])}; expected tags such as B-PER")
        return [tag if tag == "O" else f"I-{tag}" for tag in tags]
    wrong = [tag for tag in inside if not PREFIXED.fullmatch(tag)]
    if wrong:
        raise ValueError(f"label_list has {wrong[0]!r}; expected O, and all with a prefix, or none")
    detect_scheme([tags])  # raises for two
    return tags


def _compute_metrics(
    tags: list[str],
    ignore_index: int,
    labels: list[str],
    groups: list[Any] | None,
    prediction: Any,
    compute_result: bool | None = None,
) -> dict[str, float]:
    """Scores of an `EvalPrediction` by name; `groups` are the documents of rows."""
    if compute_result is not None:
        raise ValueError(
            "scores of batches do not add up to scores of the whole: expected "
            "TrainingArguments(batch_eval_metrics=False)"
        )
    gold, first = np.asarray(prediction.label_ids), prediction.predictions
    pred = logits = np.asarray(first[0] if isinstance(first, tuple) else first)
    if logits.ndim == 3 and logits.shape[2] == len(tags):
        pred = logits.argmax(axis=2)
    whole = pred.dtype.kind in "iu" and gold.dtype.kind in "iu"
    if pred.ndim != 2 or pred.shape != gold.shape or not whole:
        raise ValueError(
            f"predictions have the shape {logits.shape}, label_ids {gold.shape}; expected logits "
            f"of shape (rows, length, {len(tags)}), or whole numbers, as label_ids are, of shape "
            "(rows, length)"
        )
    kept = gold != ignore_index
    if not kept.any():
        raise ValueError(f"no label but {ignore_index} (ignore_index), nothing to score")
    if np.isnan(logits[kept]).any():
        warnings.warn("logits are nan; their tokens have arbitrary tags", stacklevel=2)
    for what, ids in (("label_ids", gold[kept]), ("predictions", pred[kept])):
        if ids.min() < 0 or ids.max() >= len(tags):
            raise ValueError(
                f"{what} have ids from {ids.min()} to {ids.max()}; expected 0 to {len(tags) - 1}, "
                "the tags of label_list"
            )
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
