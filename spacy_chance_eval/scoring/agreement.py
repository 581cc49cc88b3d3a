"""Agreement of a panel as plain values: summary, pairs, annotators, labels, documents; and why not.

Nothing undefined is without a reason in words.
"""

from dataclasses import asdict, replace

import numpy as np

from ..about import __version__
from ..metrics.request import METRICS
from .evaluate import check_draws
from .intervals import Resampling, corrects_itself, plain
from .leaderboard import FEW
from .panel_counts import is_symmetric
from .panel_tallies import tally_of_panel
from .scores import signature
from .sheets import sheets_of

OFTEN = 0.05  # share of undefined resamples that is worth a word


def agreement(
    panel,
    requests,
    *,
    intervals=None,
    clusters=None,
    unit="documents",
    worst=20,
    draws=1000,
    seed=0,
    data=None,
    progress=None,
):
    """All tables of the agreement of a panel.

    Parameters
    ----------
    panel : Panel
    requests : mapping of names to Request
    intervals : Resampling, optional
        By default no intervals.
    clusters, unit : sequence and str, optional
        The cluster of each document, where documents come in such, and what clusters are called.
    worst : int or None
        How many documents to name, those that cost the team most; None for all documents.
    draws, seed : int
        Of random annotations, where an expectation has no formula.
    data : mapping, optional
        What more signatures should say of the data.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars. Pairs are counted in
        threads, from which random annotations report.

    Returns
    -------
    dict
        Plain values, ready for JSON: `annotators`, `labels`, `notes`, `resampling` and `metrics`,
        each with `mean` (of the pairs, weighted by shared documents), `team`, `pairs`,
        `annotators`, `per_label` and `documents`.
    """
    check_draws(draws)
    tally = tally_of_panel(panel, list(requests.values()), draws=draws, seed=seed, watch=progress)
    settings = {"intervals": intervals, "clusters": clusters, "unit": unit, "worst": worst}
    settings |= {"draws": f"{draws},{seed}", "data": data, "progress": progress}
    return agreement_of(tally, requests, **settings)


def agreement_of(
    tally,
    requests,
    *,
    intervals=None,
    clusters=None,
    unit="documents",
    worst=20,
    draws="",
    data=None,
    progress=None,
):
    """All tables of the agreement of a `PanelTally`, which was counted with the same requests.

    `draws` is what signatures say of random annotations; the rest is as `agreement` has it.
    """
    intervals = replace(intervals or Resampling(resamples=0), unit=unit)
    options = {"clusters": clusters, "intervals": intervals, "draws": draws, "watch": progress}
    sheets = sheets_of(tally, list(requests.values()), **options)
    facts = {"positions": tally.positions, "docs": tally.n_all_shared}
    facts |= {"annotators": len(tally), "panel": tally.digest()} | (data or {"repair": "none"})
    n_raters = tally.seen.sum(axis=0)
    return {
        "positions": tally.positions,
        "n_docs": len(n_raters),
        "n_shared": tally.n_all_shared,
        "n_single": int((n_raters == 1).sum()),
        "n_unseen": int((n_raters == 0).sum()),
        "labels": sorted(set().union(*tally.used)),
        "annotators": [annotator_facts(tally, number) for number in range(len(tally))],
        "resampling": asdict(intervals),
        "version": __version__,
        "notes": [
            *notes(tally, intervals, clusters),
            *unplaced_notes(tally),
            *unsteady(requests, sheets),
        ],
        "metrics": [
            values_of(name, sheet, facts, intervals, worst) for name, sheet in zip(requests, sheets)
        ],
    }


def annotator_facts(tally, number):
    """What the list of annotators says of one; spans of the documents that were seen."""
    return {
        "name": tally.names[number],
        "n_docs": int(tally.seen[number].sum()),
        "n_shared": int(tally.with_others[number]),
        "n_spans": int(tally.n_spans[number]),
        "n_unplaced": int(tally.n_unplaced[number]),
    }


def notes(panel, intervals, clusters, item="document"):
    """What a reader should know before trusting the numbers, in words; of a panel of any items."""
    n_raters = panel.seen.sum(axis=0)
    if len(panel) == 1:
        yield f"only one annotator ({panel.names[0]}): there is nobody to agree with"
    single = int((n_raters == 1).sum())
    if single and len(panel) > 1:
        seen = f"{item} was" if single == 1 else f"{item}s were"
        yield f"{single} {seen} seen by one annotator only, which says nothing of agreement"
    apart = [pair for pair in panel.pairs() if not panel.n_shared(*pair)]
    if apart:
        names = " and ".join(panel.names[number] for number in apart[0])
        more = f" ({len(apart)} such pairs)" if len(apart) > 1 else ""
        there = (panel.seen[number].argmax() for number in apart[0] if panel.seen[number].any())
        both = " and ".join(map(panel.name, there))
        yield f"{names} saw no {item} in common{more}; they saw {both}, for example"
    n_groups = panel.n_all_shared
    if clusters is not None:
        n_groups = len(set(np.asarray(clusters, object)[panel.shared].tolist()))
    if intervals.resamples and 0 < n_groups < FEW:
        yield (
            f"intervals rest on {n_groups} {intervals.unit}: with fewer than {FEW} they are too "
            "narrow"
        )


def unplaced_notes(tally):
    """How many spans fit no tokens, in words."""
    loose = int(tally.n_unplaced.sum())
    if loose:
        spans = "span does" if loose == 1 else "spans do"
        yield f"{loose} {spans} not fit the tokens: marked, matching nothing; alphas leave them out"


def unsteady(requests, sheets, item="document"):
    """Which intervals do not speak of all resamples, in words."""
    for name, sheet in zip(requests, sheets):
        if sheet.undefined > OFTEN:
            yield (
                f"{name} is undefined in {sheet.undefined:.0%} of the resamples, which its "
                f"intervals leave out: too few {item}s have anything to agree on"
            )


def values_of(name, sheet, facts, intervals, worst):
    """All tables of one metric, as plain values."""
    panel, request = sheet.panel, sheet.request
    metric, pairs = METRICS[request.metric], sheet.keys_of_pairs()
    return {
        "metric": name,
        "request": str(request),
        "signature": signature(request, facts | sheet.facts, intervals),
        "bits": metric.bits,
        "higher_is_better": metric.higher_is_better,
        "corrected": request.placement != "none" or corrects_itself(request.scorer()),
        "symmetric": is_symmetric(request),
        "mean": sheet.row(("mean",)) | {"n_pairs": sheet.n_defined(pairs)},
        "team": sheet.row(("team",)) | {"definition": sheet.definition},
        "pairs": [pair_row(sheet, key) for key in pairs],
        "annotators": [
            {
                "annotator": panel.names[number],
                "others": sheet.row(("others", number)),
                "majority": sheet.row(("majority", number)),
            }
            for number in range(len(panel))
        ],
        "per_label": [
            {"label": panel.labels[i]}
            | {"n_spans": int(sheet.support[i])}
            | {key: sheet.row((key,), 1 + i) for key in ("mean", "team")}
            for i in np.flatnonzero(sheet.support)
        ],
        "documents": list(documents(sheet, worst)),
    }


def pair_row(sheet, key):
    """The row of one pair, with its labels."""
    panel, (first, second) = sheet.panel, key[1:]
    used = sheet.used(key)
    return {
        "first": panel.names[first],
        "second": panel.names[second],
        **sheet.row(key),
        "per_label": {panel.labels[i]: sheet.row(key, 1 + i) for i in used},
    }


def documents(sheet, number):
    """The documents that cost the team most: its score without them, less its score.

    Where there is no score of the team, those on which the pairs agree least.
    """
    panel, rows = sheet.panel, sheet.by_document()
    if not rows:
        return
    rows = rows | {"cost": steady(rows["cost"])}
    n_raters = panel.seen.sum(axis=0)
    docs = np.flatnonzero(panel.shared)
    values, costs = steady(rows["value"])[docs], rows["cost"][docs]
    order = docs[np.lexsort((docs, values, -np.nan_to_num(costs)))]
    for doc in order[:number]:
        found = {name: plain(column[doc]) for name, column in rows.items()}
        yield {
            "document": panel.name(int(doc)),
            "place": int(doc),
            "n_annotators": int(n_raters[doc]),
            **found,
            "reason": sheet.why(found) if found["value"] is None else None,
        }


def steady(scores):
    """Scores without the last digits, which depend on the order of sums: equal ones are equal."""
    most = np.nanmax(np.abs(scores), initial=1)
    return np.round(scores, int(12 - np.ceil(np.log10(most)))) + 0.0  # no -0
