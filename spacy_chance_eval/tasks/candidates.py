"""Candidates among the annotators of a panel: may they replace an annotator? As plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.jobs import panel_requests, requests_of_panel
from ..measures.alignment import divide_by_sentence
from ..measures.arrays import IntArray
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..measures.spans import Spans
from ..metrics.request import IGNORE, Request, written
from ..scoring.agreement import agreement
from ..scoring.counts import Progress, no_progress
from ..scoring.intervals import Resampling, cluster_unit
from ..scoring.replacement import (
    ACCURACY,
    EPSILONS,
    DocumentScores,
    ReplacementTest,
    Similarities,
    checked_metric,
    clusters_of,
    document_similarities,
    item_similarities,
    tested_candidates,
)
from ..scoring.scores import signature, team_facts
from ..scoring.warnings import IGNORED, candidate_warnings, label_listing, look_past_labels

RELIABLE = 0.667  # alpha: Krippendorff (2004) draws tentative conclusions from no less
UNITS = ("documents", "sentences", "tokens")
FEW_ANNOTATORS = 3  # that the paper asks for
BASELINE = "\0baseline"  # the name of a candidate without any work, which no file has
DEPENDENT = (
    "tokens of one document are no independent instances, as the test takes them to be: p-values "
    "are too small; compare documents or sentences to be safe"
)
RANKS = (
    "the Wilcoxon test takes differences to be symmetric around epsilon, which -1, 0 and 1 rarely "
    "are: where the mean is epsilon, it may reject in four of ten samples instead of one of "
    "twenty; compare more instances, or use Student's t test"
)
PASSES = (
    "a candidate that {candidate} passes, too (advantage {advantage_probability:.2f}): on most "
    "instances there is nothing to tell candidates apart, and passing says little"
)


@dataclass(frozen=True)
class Question:
    """Which instances are compared, and by which similarity.

    Parameters
    ----------
    metric : str or Request, optional
        The similarity of two annotations of an instance.
    unit : "documents", "sentences" or "tokens", optional
        The instances.
    corrected : bool
        Whether to correct the score of each document for chance.
    reliable : float
        Agreement of the annotators beyond chance, below which there is a warning.
    clusters : sequence, optional
        The cluster of each document.
    """

    metric: str | Request | None = None
    unit: str | None = None
    corrected: bool = False
    reliable: float = RELIABLE
    clusters: Sequence[Any] | None = None


def replacement(
    panel: Panel,
    candidates: Sequence[str],
    question: Question,
    rules: ReplacementTest,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The result of candidates, by their names among the annotators of a panel, ready for JSON.

    `intervals` are by default 1,000 bootstrap resamples of the documents, `data` further facts
    about the data for the signature.
    """
    progress = progress or no_progress
    intervals = Resampling(1000) if intervals is None else intervals
    candidates = sorted({*candidates})
    humans = [name for name in panel.names if name not in candidates]
    _check_names(panel, humans, candidates)
    used = {name: _label_counts(panel, name) for name in panel.names}
    unlabelled = look_past_labels([str(question.metric or "").replace(" ", "")])
    unlike = [] if unlabelled else _label_warnings(used, candidates)
    everybody, answer = _with_baseline(panel, humans)
    names = [*candidates, BASELINE]
    metric, unit, similar, documents = _compared(everybody, humans, names, question, rules.seed)
    n_instances = similar[candidates[0]].n_shared(humans)
    units = clusters_of(question.clusters, panel.seen.shape[1])
    units = units if documents is None else units[documents]
    intervals = replace(intervals, unit=cluster_unit(intervals.unit, question.clusters), blocks=0)
    baseline = similar.pop(BASELINE)
    shown = partial(progress, total=len(candidates), what="Candidates")
    tested = tested_candidates(similar, humans, rules, units, intervals, shown)
    asked = {"corrected": question.corrected, "metric": metric, "unit": unit, **asdict(rules)}
    reliability = _agreement(_only(panel, humans), intervals, question)
    quick = replace(rules, draws=0)
    (row,) = tested_candidates({BASELINE: baseline}, humans, quick, units, Resampling(0))
    keys = ("winning_rate", "advantage_probability", "passed")
    simple = {"candidate": answer} | {key: row[key] for key in keys}
    warnings = [*unlike, *_warnings(humans, unit, reliability)]
    warnings += [f"{name} marked nothing at all" for name in candidates if not used[name]]
    if any(one["test"] == "wilcoxon" for found in tested for one in found["annotators"]):
        warnings.append(RANKS)
    if simple["passed"]:
        warnings.append(PASSES.format(**simple))
    return {
        "metric": metric,
        "corrected": question.corrected,
        "signature": _signature(panel, humans, asked, intervals, data or {}),
        "positions": panel.positions,
        "unit": unit,
        "clusters": intervals.unit,
        "epsilons": dict(EPSILONS),
        **{key: getattr(rules, key) for key in ("epsilon", "test", "q", "min_instances")},
        "n_instances": n_instances,
        "annotators": humans,
        "candidates": tested,
        "baseline": simple,
        "agreement": reliability,
        "resampling": asdict(intervals),
        "version": __version__,
        "warnings": warnings,
        "notes": list(_notes(panel, humans, candidates)),
    }


def _signature(
    panel: Panel,
    humans: Sequence[str],
    asked: Mapping[str, Any],
    intervals: Resampling,
    data: Mapping[str, Any],
) -> str:
    """The signature of a test."""
    seen = panel.seen[[panel.names.index(name) for name in humans]]
    facts = {"positions": panel.positions, "docs": int(seen.any(axis=0).sum())}
    facts |= {"annotators": len(humans), "panel": panel.digest()}
    facts |= team_facts(spans.facts for spans in panel.annotations)
    request = f"replace_test{written(dict(sorted(asked.items())))}"
    return signature(request, {**facts, **data}, intervals)


def _only(panel: Panel, names: Iterable[str]) -> Panel:
    """A panel of some of the annotators."""
    return Panel({name: panel.annotators[name] for name in names}, panel.positions)


def _check_names(panel: Panel, humans: Sequence[str], candidates: Sequence[str]) -> None:
    """Raise ValueError unless there are candidates, and two annotators who share documents.

    Each candidate has to share some of these.
    """
    if not candidates:
        raise ValueError("no candidates; name one or more")
    if len(humans) < 2:
        have = f"only {quoted(humans[0])}" if humans else "none"
        raise ValueError(
            f"the test needs two annotators or more beside the candidates, and there is {have}: "
            "add others; a candidate is compared with each by the agreement with the others"
        )
    number = {name: i for i, name in enumerate(panel.names)}
    shared = panel.seen[[number[name] for name in humans]].sum(axis=0) > 1
    if not shared.any():
        raise ValueError(f"no document was seen by two annotators ({', '.join(humans)})")
    for name in candidates:
        if not (panel.seen[number[name]] & shared).any():
            raise ValueError(
                f"{name} shares no document with two annotators; candidates need the same "
                f"documents ({panel.name(int(shared.argmax()))}, for example)"
            )


def _label_counts(panel: Panel, name: str) -> dict[str, int]:
    """How often an annotator used each label."""
    work = panel.annotators[name]
    everything = np.concatenate([work.label, work.unplaced[:, 1]])
    numbers = np.bincount(everything, minlength=len(panel.labels))
    return {label: int(n) for label, n in zip(panel.labels, numbers) if n}


def _label_warnings(used: Mapping[str, Mapping[str, int]], candidates: Sequence[str]) -> list[str]:
    """Sentences about labels that candidates or annotators use alone."""
    humans = [counts for name, counts in used.items() if name not in candidates]
    total = sum(map(Counter, humans), Counter[str]())
    for name in candidates:
        if total and used[name] and not used[name].keys() & total:
            raise ValueError(
                f"{name} has the labels {label_listing(used[name])}, the annotators "
                f"{label_listing(total)}: none in common, so that they never agree; give both the "
                "same labels"
            )
    return [text for name in candidates for text in candidate_warnings(name, used[name], humans)]


# --- by which similarity


def _compared(
    panel: Panel, humans: Sequence[str], candidates: Sequence[str], question: Question, seed: int
) -> tuple[str, str, dict[str, Similarities], IntArray | None]:
    """The metric, the unit, the similarities by candidate, and the document of each instance."""
    category = panel.positions == "category"
    unit = question.unit
    if unit is None:
        unit = "tokens" if question.metric == ACCURACY and not category else "documents"
    if unit not in UNITS:
        raise ValueError(f"unit is {quoted(unit)}; expected one of {', '.join(UNITS)}")
    if category and unit != "documents":
        raise ValueError(
            f"unit is {quoted(unit)}, but categories are of whole documents; leave it out"
        )
    if unit == "tokens" and panel.positions == "char":
        raise ValueError(
            "instances are tokens, but somebody has texts without tokens, so that all are counted "
            "in characters; give all tokens (--read tokenizer=makes tokens), or compare documents"
        )
    by_items = category or unit == "tokens"
    metric = question.metric or (ACCURACY if by_items else "span_f")
    if by_items != (metric == ACCURACY):
        expected = ACCURACY if by_items else "a metric of the catalog, such as span_f"
        raise ValueError(
            f"metric is {quoted(str(metric))}; {'categories' if category else unit} are compared "
            f"by {expected}"
        )
    if by_items and question.corrected:
        raise ValueError("accuracy is not corrected for chance; leave corrected out")
    documents = None
    if unit == "sentences":
        divided, documents = divide_by_sentence(panel.annotations)
        panel = Panel(dict(zip(panel.names, divided)), panel.positions)
    if by_items:
        by_name = {name: item_similarities(_only(panel, [*humans, name])) for name in candidates}
        return ACCURACY, unit, by_name, documents
    (request,) = requests_of_panel(panel, [metric]).values()
    request = checked_metric(request, question.corrected)
    scores = DocumentScores(panel, request, question.corrected, seed=seed)
    similarities = document_similarities(panel, scores)
    return str(request), unit, dict.fromkeys(candidates, similarities), documents


# --- a candidate that does no work


def _with_baseline(panel: Panel, humans: Sequence[str]) -> tuple[Panel, str]:
    """The panel with a candidate who marks nothing, or gives all documents the usual category.

    Also a description of that candidate.
    """
    works = [panel.annotators[name] for name in humans]
    first, seen = works[0], np.any([work.seen for work in works], axis=0)
    rows: list[list[tuple[int, int, str]]] = [[] for _ in range(first.n_docs)]
    answer = "marks nothing"
    if panel.positions == "category":
        used = Counter(work.labels[label] for work in works for label in work.label.tolist())
        usual = min(used, key=lambda label: (-used[label], label), default=None)
        if usual is not None:
            rows = [[(0, 1, usual)]] * first.n_docs
            answer = f"always answers {usual}"
    lazy = Spans.from_tuples(rows, first.sizes, seen=seen, words=first.words, names=first.names)
    return Panel({**panel.annotators, BASELINE: lazy}, panel.positions), answer


# --- the annotators among themselves, and words


def _agreement(panel: Panel, intervals: Resampling, question: Question) -> dict[str, Any]:
    """The agreement of the annotators alone beyond chance, all of them at once."""
    clusters = question.clusters
    settings: dict[str, Any] = {"intervals": intervals, "clusters": clusters, "worst": 0}
    settings["unit"] = intervals.unit
    if panel.positions == "category":
        requests = panel_requests(panel.positions, ["krippendorff_alpha"])
    else:
        names = ["u_alpha", "krippendorff_alpha"]
        labels = IGNORE if IGNORED in str(question.metric).replace(" ", "") else None
        requests = panel_requests(panel.positions, names, labels=labels)
    found = agreement(panel, requests, pairs=False, **settings)
    # units of several labels that overlap have no u-alpha, but sets of labels are values of tokens
    rows = sorted(found["metrics"], key=lambda one: one["team"]["value"] is None)
    team = rows[0]["team"]
    value = team["value"]
    return {
        "metric": rows[0]["metric"],
        "value": value,
        "interval": team["interval"],
        "n_documents": team["n_docs"],
        "threshold": question.reliable,
        "reliable": None if value is None else value >= question.reliable,
        "reason": team["reason"],
    }


def _warnings(humans: Sequence[str], unit: str, reliability: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on what makes the test say little."""
    if len(humans) < FEW_ANNOTATORS:
        yield (
            "there are two annotators: each is judged by the agreement with one other person; the "
            f"authors of the test ask for {FEW_ANNOTATORS} or more"
        )
    value, least = reliability["value"], reliability["threshold"]
    if value is None:
        yield f"the agreement of the annotators beyond chance is undefined: {reliability['reason']}"
    elif not reliability["reliable"]:
        yield (
            f"the annotators agree little beyond chance ({reliability['metric']} {value:.3f}, "
            f"below {least:g}): being as good as they are says little"
        )
    if unit == "tokens":
        yield DEPENDENT


def _notes(panel: Panel, humans: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
    """Sentences on documents that are left out."""
    number = {name: i for i, name in enumerate(panel.names)}
    n_annotators = panel.seen[[number[name] for name in humans]].sum(axis=0)
    single = int((n_annotators == 1).sum())
    if single:
        seen = "document was" if single == 1 else "documents were"
        yield f"{single} {seen} seen by one annotator only: left out"
    for name in candidates:
        missing = int(((n_annotators > 1) & ~panel.seen[number[name]]).sum())
        if missing:
            yield f"{name} lacks {missing} document{'s' * (missing != 1)}: left out for {name}"
