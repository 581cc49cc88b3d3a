"""Agreement of annotators as plain values: summary, pairs, annotators, labels, documents.

Nothing undefined is without a reason in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..about import __version__
from ..measures.arrays import FloatArray
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..metrics.request import Request
from .counts import TEAM, Counts, Key, Progress, count_panel, no_progress
from .evaluation import check_draws
from .intervals import Resampling
from .panel_scores import MEAN, PanelScore, score_panel
from .scores import signature, team_facts
from .statistics import disagreements, headline, plain
from .trees import TreeCounts, score_trees
from .warnings import count_warnings

OFTEN = 0.05  # share of undefined resamples that is worth a word


def agreement(
    panel: Panel,
    requests: Mapping[str, Request],
    *,
    draws: int = 1000,
    seed: int = 0,
    pairs: bool = True,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """All tables of the agreement of a panel.

    Parameters
    ----------
    pairs : bool
        Without, only the team is scored: no pairs, no annotator against the others.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars. Pairs are counted in
        threads, from which random annotations report.
    **settings
        `intervals`, `clusters`, `unit`, `worst` and `data` of `agreement_of`, whose result it has.
    """
    check_draws(draws)
    progress = progress or no_progress
    if settings.get("data") is None:
        settings["data"] = team_facts(spans.facts for spans in panel.annotations)
    counts = count_panel(
        panel, requests.values(), draws=draws, seed=seed, pairs=pairs, progress=progress
    )
    return agreement_of(counts, requests, draws=f"{draws},{seed}", progress=progress, **settings)


def check_annotators(names: Sequence[str], advice: str, source: str = "") -> None:
    """Raise ValueError unless there are two annotators or more, with advice on what to do."""
    if len(names) < 2:
        who = f"only 1 annotator ({quoted(names[0])})" if names else "no annotator"
        raise ValueError(f"{source}{who}, and agreement needs two or more; {advice}")


def agreement_of(
    counts: Counts,
    requests: Mapping[str, Request],
    *,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str = "documents",
    worst: int | None = 20,
    draws: str = "",
    data: Mapping[str, Any] | None = None,
    scores: Sequence[PanelScore] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All tables of the agreement of annotators, from their counts.

    Parameters
    ----------
    counts : Counts
        Of annotators of whom none is gold, counted with the same requests.
    data : mapping, optional
        Facts about the data for signatures.
    scores : sequence of PanelScore, optional
        The scores of the requests, if they are there already.

    Returns
    -------
    dict
        Plain values, ready for JSON: `annotators`, `labels`, `warnings`, `notes`, `resampling` and
        `metrics`, each with `mean` (of the pairs, weighted by shared documents), `team`, `pairs`,
        `annotators`, `per_label` and `documents`. `pairs` says whether there are any. Of spans and
        categories also `confusions`: of each pair, the numbers of spans by both labels.
    """
    intervals = replace(intervals or Resampling(resamples=0), unit=unit)
    if isinstance(counts, TreeCounts):  # sentences are resampled by themselves, however many
        intervals = replace(intervals, blocks=0)
    masses = counts.units(clusters)
    intervals = intervals.of_units(masses)
    progress = progress or no_progress
    options: dict[str, Any] = {"clusters": clusters, "intervals": intervals, "progress": progress}
    facts = {"positions": counts.positions, "docs": counts.n_all_shared}
    facts |= {"annotators": len(counts), "panel": counts.digest()}
    n_annotators = counts.seen.sum(axis=0)
    kind: dict[str, Any] = {}
    more: dict[str, Any] = {}
    warnings, notes = list[str](), list[str]()
    if isinstance(counts, TreeCounts):
        kind = {"kind": counts.trees.kind}
        more = {"n_uneven": counts.trees.n_uneven, "n_other_texts": counts.trees.n_other_texts}
        facts |= counts.facts
        scores = scores or score_trees(counts, list(requests.values()), **options)
        notes += counts.trees.notes
    else:
        more["n_sentences"] = counts.n_sentences
        more["confusions"] = [
            {"first": counts.names[i], "second": counts.names[j], "labels": matrix}
            for (_, i, j), matrix in sorted(counts.confusions.items())
        ]
        scores = scores or score_panel(counts, list(requests.values()), draws=draws, **options)
        warnings += count_warnings(counts, requests.values())
    facts |= data or {}
    metrics = [_metric(name, score, facts, worst) for name, score in zip(requests, scores)]
    notes += _all_notes(counts, intervals, len(masses), requests, scores)
    return {
        "positions": counts.positions,
        **kind,
        "n_docs": len(n_annotators),
        "n_shared": counts.n_all_shared,
        "n_single": int((n_annotators == 1).sum()),
        "n_unseen": int((n_annotators == 0).sum()),
        **more,
        "labels": sorted(set().union(*counts.used)),
        "annotators": _annotators(counts),
        "pairs": counts.with_pairs,
        "resampling": intervals.settings(),
        "version": __version__,
        "warnings": warnings,
        "notes": notes,
        "metrics": metrics,
    }


def _annotators(counts: Counts) -> list[dict[str, Any]]:
    """The numbers of documents and spans of each annotator."""
    return [
        {
            "name": name,
            "n_docs": int(counts.seen[i].sum()),
            "n_shared": int(counts.with_others[i]),
            "n_spans": int(counts.n_spans[i]),
            "n_unplaced": int(counts.n_unplaced[i]),
        }
        for i, name in enumerate(counts.names)
    ]


def _all_notes(
    counts: Counts,
    intervals: Resampling,
    n_units: int,
    requests: Iterable[str],
    scores: Sequence[PanelScore],
) -> Iterator[str]:
    """Sentences on the limits of the numbers."""
    yield from _panel_notes(counts, intervals, n_units)
    yield from counts.notes()
    for name, score in zip(requests, scores):
        if score.undefined > OFTEN:
            yield (
                f"{name} is undefined in {score.undefined:.0%} of the resamples, which its "
                f"intervals leave out: too few {counts.item}s have anything to agree on"
            )
    if any(score.has_many_pairs for score in scores):
        yield "there are too many pairs for labels and intervals of each: the mean has them"


def _panel_notes(panel: Counts, intervals: Resampling, n_units: int) -> Iterator[str]:
    """Sentences on too few annotators, shared items, or items to resample."""
    n_annotators, item = panel.seen.sum(axis=0), panel.item
    if len(panel) == 1:
        yield f"only one annotator ({panel.names[0]}): there is nobody to agree with"
    single = int((n_annotators == 1).sum())
    if single and len(panel) > 1:
        seen = f"{item} was" if single == 1 else f"{item}s were"
        yield f"{single} {seen} seen by one annotator only, which says nothing of agreement"
    n_apart, pair = panel.apart()
    if pair is not None:
        names = " and ".join(panel.names[number] for number in pair)
        more = f" ({n_apart} such pairs)" if n_apart > 1 else ""
        there = (panel.seen[number].argmax() for number in pair if panel.seen[number].any())
        both = " and ".join(map(panel.name, there))
        yield f"{names} saw no {item} in common{more}; they saw {both}, for example"
    if intervals.resamples and n_units == 1:
        yield f"only one of the {intervals.unit} can be resampled: no intervals"
    elif n_units:
        yield from intervals.few_notes()


def _metric(
    name: str, score: PanelScore, facts: Mapping[str, Any], worst: int | None
) -> dict[str, Any]:
    """All tables of one metric, as plain values."""
    panel, request = score.panel, score.request
    metric, pairs = request.row, score.keys_of_pairs()
    facts = {**facts, "docs": panel.n_all_shared}
    return {
        "metric": name,
        "request": str(request),
        "signature": signature(request, facts | score.signed()),
        "bits": metric.bits,
        "higher_is_better": metric.higher_is_better,
        "is_corrected": request.is_corrected,
        "disagreement": request.row.disagreement,
        "symmetric": request.is_symmetric,
        "mean": score.row(MEAN) | {"n_pairs": score.n_defined(pairs)},
        "team": score.row(TEAM) | {"definition": score.definition},
        "pairs": [_pair_row(score, key, every=worst is None) for key in pairs],
        "annotators": [
            {
                "annotator": panel.names[number],
                "others": score.row(("others", number)),
                "majority": score.row(("majority", number)),
            }
            for number in range(len(panel))
        ],
        "per_label": [
            {"label": panel.labels[i]}
            | {"n_spans": int(score.support[i])}
            | {key: score.row((key,), 1 + i) for key in ("mean", "team")}
            for i in np.flatnonzero(score.support)
        ],
        "documents": list(_documents(score, worst)),
    }


def _pair_row(score: PanelScore, key: Key, every: bool) -> dict[str, Any]:
    """The row of one pair, with its labels and, if there is to be `every` one, its documents."""
    panel, (first, second) = score.panel, key[1:]
    used = () if score.has_many_pairs else score.used(key)
    of_each = score.documents_of_keys.get(key, ((), ()))
    documents = {panel.name(int(doc)): plain(value) for doc, value in zip(*of_each)}
    return {
        "first": panel.names[first],
        "second": panel.names[second],
        **score.row(key),
        "per_label": {panel.labels[i]: score.row(key, 1 + i) for i in used},
        **({"per_doc": documents} if every else {}),
    }


def _documents(score: PanelScore, number: int | None) -> Iterator[dict[str, Any]]:
    """The documents that cost the team most: its score without them, less its score.

    Where there is no score of the team, those on which the pairs agree least.
    """
    panel, rows = score.panel, score.by_document()
    if not rows:
        return
    rows = {**rows, "cost": _steady(rows["cost"])}
    n_annotators = panel.seen.sum(axis=0)
    docs = np.flatnonzero(panel.shared)
    values, costs = _steady(headline(rows))[docs], rows["cost"][docs]
    order = docs[np.lexsort((docs, values, -np.nan_to_num(costs)))]
    for doc in order[:number]:
        found = {name: plain(column[doc]) for name, column in rows.items()}
        yield {
            "document": panel.name(int(doc)),
            "place": int(doc),
            "n_annotators": int(n_annotators[doc]),
            **found,
            **disagreements(found, score.request),
            "reason": score.why(found, doc=int(doc)) if headline(found) is None else None,
        }


def _steady(scores: FloatArray) -> FloatArray:
    """Scores without the last digits, which depend on the order of sums: equal ones are equal."""
    most = np.nanmax(np.abs(scores), initial=1)
    return np.round(scores, int(12 - np.ceil(np.log10(most)))) + 0.0  # no -0
