"""Warnings on annotation without spans, or without labels that both annotators use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..measures.arrays import IntArray
from ..measures.messages import counted
from ..measures.panel import Panel
from ..measures.spans import Spans
from ..metrics.request import Request
from .counts import GOLD, PRED, TEAM, Counts, support_of
from .statistics import CROSSED

LISTED = 5  # labels of a sentence, those with most spans
CHECK = "check its column or layer"
PREDICTION = "the prediction"
EQUAL = "{} is equal to gold: check that it is a prediction."
UNPLACED = (
    "No predicted span fits the tokens of gold; check what offsets count: --read offsets=token or "
    "offsets=char."
)
PER_TOKEN = "false_positives"
CLOSENESS = "bdm_"  # metrics for which other labels count in part, if they are close
IGNORED = "labels=ignore"
CHARACTERS = (
    f"{PER_TOKEN} counts by character: the annotation has no tokens; --read tokenizer=LANG "
    "makes some, and of=sentence counts by sentence, where files have sentences."
)


def count_warnings(counts: Counts, requests: Iterable[Request] = ()) -> list[str]:
    """Sentences about spans and labels that gold, a prediction or an annotator lacks.

    Also about labels that the tables of closeness of `requests` lack.
    """
    support = counts.support[("annotator", 0) if counts.gold else TEAM]
    unknown = closeness_warnings(requests, _by_label(counts.labels, support), counts.gold)
    if not counts.gold:
        return [*unknown, *_panel_warnings(counts)]
    gold, *preds = (
        _by_label(counts.labels, counts.support["annotator", number])
        for number in range(len(counts))
    )
    warnings: dict[str, None] = {}  # of gold alone they are the same for all predictions
    if n := int(counts.n_unplaced[:1].sum()):  # saved runs do not have it
        sentence = (
            "{n} gold (span fits|spans fit) no tokens, so that no prediction can find (it|them)."
        )
        warnings[counted(sentence, n)] = None
    for name, pred in zip(counts.names[1:], preds):
        names = GOLD, prediction_name(name, len(preds))
        warnings |= dict.fromkeys(_pair_warnings(names, gold, pred, counts.metrics))
    crossed = [
        name.removesuffix("()")
        for name, rows in counts.metrics.items()
        if any(one.is_crossed for one in rows.every())
    ]
    if crossed:
        warnings |= {f"Over all labels there is no {', '.join(crossed)}: {CROSSED}.": None}
    return [*unknown, *warnings, *_character_warnings(counts)]


def _character_warnings(counts: Counts) -> Iterator[str]:
    """A sentence about rates by token where positions are characters."""
    of_tokens = [name for name in counts.metrics if name.startswith(PER_TOKEN)]
    if counts.positions == "char" and any("of=sentence" not in name for name in of_tokens):
        yield CHARACTERS


def prediction_name(name: str, n_preds: int) -> str:
    """The subject of sentences on a prediction: its name if it has one."""
    return PREDICTION if name == PRED and n_preds == 1 else name


def pair_warnings(
    gold: Spans,
    pred: Spans,
    names: tuple[str, str] = (GOLD, PREDICTION),
    metrics: Mapping[str, Request] | None = None,
) -> list[str]:
    """The same sentences about aligned gold and a prediction, with their names."""
    gold_table, pred_table = (_by_label(one.labels, support_of(one)) for one in (gold, pred))
    unknown = closeness_warnings((metrics or {}).values(), gold_table, gold=True)
    return [*unknown, *_pair_warnings(names, gold_table, pred_table, metrics or ())]


def _by_label(labels: Sequence[str], support: IntArray) -> dict[str, int]:
    """Numbers of spans by the labels that have any."""
    return {label: int(n) for label, n in zip(labels, support.sum(axis=0)) if n}


def _pair_warnings(
    names: tuple[str, str],
    gold: Mapping[str, int],
    pred: Mapping[str, int],
    metrics: Collection[str],
) -> Iterator[str]:
    """Sentences about the numbers of spans by label of gold and a prediction.

    None about different labels if no metric counts these as wrong.
    """
    one, two = names
    only_gold = {label: n for label, n in gold.items() if label not in pred}
    only_pred = {label: n for label, n in pred.items() if label not in gold}
    if not gold:
        yield f"{_capital(one)} has no spans: whatever is predicted counts as wrong; {CHECK}."
    if gold and not pred:
        yield f"{_capital(two)} has no spans: all of {one} counts as missing; {CHECK}."
    if not gold or not pred or look_past_labels(metrics):
        return
    if only_gold == gold:
        yield (
            f"{_capital(two)} has no label in common with {one}, so that no span can be correct: "
            f"{one} has {label_listing(gold)}, {two} has {label_listing(pred)}."
        )
        return
    if only_pred:
        yield (
            f"{_capital(two)} has labels that {one} does not have, and they count as wrong: "
            f"{label_listing(only_pred)}."
        )
    if only_gold:
        yield (
            f"{_capital(two)} never uses some labels of {one}, and they count as missing: "
            f"{label_listing(only_gold)}."
        )


def look_past_labels(metrics: Collection[str]) -> bool:
    """Whether all metrics ignore labels, or weigh spans by the closeness of these."""
    return bool(metrics) and all(name.startswith(CLOSENESS) or IGNORED in name for name in metrics)


def closeness_warnings(
    requests: Iterable[Request], used: Mapping[str, int], gold: bool
) -> Iterator[str]:
    """A sentence on labels, of gold or all annotators, that a table of closeness does not have."""
    tables = [one.parameters.get("closeness") for one in requests]
    known = [{x for pair in one for x in pair} for one in tables if isinstance(one, Mapping)]
    lacking = {label: n for label, n in used.items() if any(label not in one for one in known)}
    if lacking:
        yield (
            f"closeness= does not know some labels of {'gold' if gold else 'the annotators'}, "
            f"which are then close to none but themselves: {label_listing(lacking)}."
        )


def _panel_warnings(counts: Counts) -> Iterator[str]:
    """Sentences about annotators without spans, and labels that one of several uses alone."""
    marks = "labels" if counts.positions == "category" else "spans"
    idle = [
        name
        for name, n, seen in zip(counts.names, counts.n_spans, counts.seen)
        if not n and seen.any()
    ]
    if len(idle) > LISTED:
        some = ", ".join([*idle[:LISTED], f"{len(idle) - LISTED} more"])
        who = f"{len(idle)} annotators ({some})"
        yield f"{who} have no {marks} at all; check their column or layer."
    else:
        yield from (f"{name} has no {marks} at all; {CHECK}." for name in idle)
    busy = [number for number, n in enumerate(counts.n_spans) if n]
    if len(busy) < 2 or look_past_labels(counts.metrics):
        return
    totals = dict(zip(counts.labels, counts.support[TEAM].sum(axis=0)))
    users = Counter(label for number in busy for label in set(counts.used[number]))
    for number in busy:
        mine = set(counts.used[number])
        alone = {n: int(totals[n]) for n in mine if users[n] == 1 and totals[n]}
        if alone:
            some = "labels" if any(users[label] > 1 for label in mine) else "only labels"
            yield (
                f"{counts.names[number]} uses {some} that nobody else uses, on which none can "
                f"agree: {label_listing(alone)}."
            )


def candidate_warnings(
    panel: Panel, humans: Sequence[str], candidates: Sequence[str], metric: str
) -> Iterator[str]:
    """Sentences about labels of candidates or of annotators that do not meet.

    Labels of one annotator alone are not missed; that no label meets is an error.
    """
    if look_past_labels([metric]):
        return
    used = {
        name: _by_label(panel.labels, support_of(one)) for name, one in panel.annotators.items()
    }
    total = sum((Counter(used[name]) for name in humans), Counter[str]())
    users = Counter(label for name in humans for label in used[name])
    for name in candidates:
        own = used[name]
        if total and own and not own.keys() & total:
            raise ValueError(
                f"{name} has the labels {label_listing(own)}, the annotators "
                f"{label_listing(total)}: none in common, so that they never agree; give both the "
                "same labels"
            )
        alone = {label: n for label, n in own.items() if label not in total}
        missing = {label: total[label] for label, n in users.items() if n > 1 and label not in own}
        if alone:
            yield (
                f"{name} uses labels that no annotator uses, on which none can agree: "
                f"{label_listing(alone)}"
            )
        if own and missing:
            yield f"{name} never uses some labels of the annotators: {label_listing(missing)}"


def label_listing(spans: Mapping[str, int]) -> str:
    """Labels with their numbers of spans, those with most first; of many only some."""
    labels = sorted(spans, key=lambda label: (-spans[label], label))
    texts = [f"{label} ({spans[label]})" for label in labels[:LISTED]]
    if len(labels) > LISTED:
        texts.append(f"{len(labels) - LISTED} more labels")
    return ", ".join(texts)


def _capital(text: str) -> str:
    """The beginning of a sentence; names other than our own words stay as they are."""
    return text[0].upper() + text[1:] if text in (GOLD, PREDICTION) else text
