"""The common part of two stored runs: the documents, labels and metrics that can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..measures import slicm
from ..measures.arrays import Array, IntArray
from ..measures.messages import quoted
from ..measures.spans import ANY_LABEL
from ..measures.stats import Additive
from ..metrics.catalog import FLAT, Layout
from ..metrics.request import Request
from ..scoring.counts import GOLD, Counts, Key, PairCounter, joint_arguments
from ..scoring.statistics import Statistics, disagreement_notes
from .run import StoredMetric, StoredRun, can_be_counted

WHICH = ("old", "new")
LEADING = "span_f"
FORCE = "to compare what both have, force it (--force)"

_Runs: TypeAlias = tuple[StoredRun, StoredRun]
_Docs: TypeAlias = tuple[IntArray, IntArray]
_Metrics: TypeAlias = tuple[StoredMetric, StoredMetric]


class _CommonMetric(NamedTuple):
    """A metric of both runs: statistics with equal columns, a row for each common document."""

    request: Request
    old: Statistics
    new: Statistics


@dataclass(frozen=True, eq=False)
class Common:
    """Two runs on the documents, labels and metrics that they have in common.

    Parameters
    ----------
    runs : (StoredRun, StoredRun)
        The old one, the new one.
    docs : (index array, index array)
        The common documents in either run, both of shape (n_docs,); all are annotated.
    counts : Counts
        Of gold, the old prediction and the new one, on these documents and all labels of both, as
        a leaderboard has them, but for the statistics: it has the same resamples.
    notes : list of str
        Parts that were left out, and further differences.
    """

    runs: _Runs
    docs: _Docs
    counts: Counts
    metrics: dict[str, _CommonMetric]
    notes: list[str]

    def clusters(self) -> tuple[str, list[str] | None]:
        """The resampled unit, and the cluster of each document; None for documents."""
        old, new = self.runs
        if old.unit != new.unit or old.clusters is None:
            return "documents", None
        return old.unit, [old.clusters[doc] for doc in self.docs[0]]


def _common_counts(runs: _Runs, docs: _Docs) -> Counts:
    """The `Counts` of `Common`."""
    old, new = (run.counts for run in runs)
    labels = tuple(sorted({*old.labels, *new.labels}))
    support: dict[Key, IntArray] = {}
    for number, (counts, role, rows) in enumerate(
        ((new, 0, docs[1]), (old, 1, docs[0]), (new, 1, docs[1]))
    ):
        support["annotator", number] = np.zeros((len(rows), len(labels)), np.int64)
        index = _label_index(counts.labels, labels)
        support["annotator", number][:, index] = counts.support["annotator", role][rows]
        if ("annotator", role, ANY_LABEL) in counts.support:
            own = counts.support["annotator", role, ANY_LABEL]
            support["annotator", number, ANY_LABEL] = own[rows]
    keys = [{name: key[rows] for name, key in run.keys.items()} for run, rows in zip(runs, docs)]
    return Counts(
        (GOLD, *WHICH),
        labels,
        new.positions,
        np.ones((3, len(docs[0])), bool),
        {},
        support=support,
        contents=np.array([keys[1]["gold"], keys[0]["pred"], keys[1]["pred"]]),
        words=keys[1]["words"],
        documents=[new.name(doc) for doc in docs[1].tolist()],
        gold=True,
    )


def find_common(
    old: StoredRun, new: StoredRun, *, metrics: Sequence[str] = (), force: bool = False
) -> Common:
    """The `Common` of two runs.

    Parameters
    ----------
    metrics : sequence of str
        Some of the stored metrics, by the names that they were asked for, or in full; all if none.
    force : bool
        Compare documents that are the same in both, and metrics that both have, and note the rest.
    """
    runs = old, new
    positions = [run.facts["positions"] for run in runs]
    if positions[0] != positions[1]:
        raise ValueError(
            f"the old run has {positions[0]} positions, the new one {positions[1]}; save runs on "
            "the same tokens"
        )
    docs = _match_documents(old, new)
    stored, missing = _choose_metrics(runs, metrics)
    reasons = [*_differing_documents(runs, docs), *missing]
    if reasons and not force:
        models = [{one.request.placement for one in run.metrics.values()} for run in runs]
        if "overlapping" in models[0] ^ models[1]:
            reasons.append("spans overlap in one of them only: save both with --chance overlapping")
        raise ValueError(f"the runs do not compare: {'; '.join(reasons)}; {FORCE}")
    both = old.counts.seen[0][docs[0]] & new.counts.seen[0][docs[1]]
    same_gold = all(len(rows) == run.counts.n_docs for rows, run in zip(docs, runs))
    docs = docs[0][both], docs[1][both]
    if not len(docs[0]):
        raise ValueError("the runs have no document in common with the same gold annotation")
    notes = [f"Left out: {reason}." for reason in reasons] + list(_notes(runs, stored))
    common = Common(runs, docs, _common_counts(runs, docs), {}, notes)
    for name, pair in stored.items():
        found = _common_metric(common, pair, same_gold)
        if isinstance(found, _CommonMetric):
            common.metrics[name] = found
        elif force:
            notes.append(f"Left out: {name}: {found}.")
        else:
            raise ValueError(f"{name} does not compare: {found}; {FORCE}")
    if not common.metrics:
        raise ValueError(f"no metric can be compared ({'; '.join(notes) or 'none is stored'})")
    return common


def _match_documents(old: StoredRun, new: StoredRun) -> _Docs:
    """The same documents in both runs: two index arrays, in the order of the old run.

    Documents are the same if gold and words are. Of equal ones those with one name go together,
    then the others as they come.
    """
    has_words = all(run.keys["words"].any() for run in (old, new))
    contents = []
    for run in (old, new):
        words = run.keys["words"] if has_words else np.zeros_like(run.keys["words"])
        contents.append(list(zip(run.keys["named"].tolist(), words.tolist())))
    partners: dict[int, int] = {}
    names = [run.counts.documents for run in (old, new)]
    if names[0] and names[1]:
        by_name = {pair: doc for doc, pair in enumerate(zip(names[1], contents[1]))}
        for doc, pair in enumerate(zip(names[0], contents[0])):
            if pair in by_name:
                partners[doc] = by_name[pair]
    taken = set(partners.values())
    waiting: dict[tuple[int, int], list[int]] = {}
    for doc, key in enumerate(contents[1]):
        if doc not in taken:
            waiting.setdefault(key, []).append(doc)
    for doc, key in enumerate(contents[0]):
        if doc not in partners and waiting.get(key):
            partners[doc] = waiting[key].pop(0)
    order = sorted(partners)
    return np.array(order, np.int64), np.array([partners[doc] for doc in order], np.int64)


def _differing_documents(runs: _Runs, docs: _Docs) -> Iterator[str]:
    """Differences between the gold of two runs, in words."""
    digests = [run.facts["gold"] for run in runs]
    if digests[0] != digests[1]:
        yield f"gold differs (digest {digests[0]} in the old run, {digests[1]} in the new one)"
    for which, run, rows in zip(WHICH, runs, docs):
        alone = np.setdiff1d(np.arange(run.counts.n_docs), rows)
        if len(alone):
            yield (
                f"{len(alone)} of {run.counts.n_docs} documents of the {which} run, such as "
                f"{quoted(run.counts.name(alone[0]))}, are not the same in the other"
            )


def _choose_metrics(runs: _Runs, wanted: Sequence[str]) -> tuple[dict[str, _Metrics], list[str]]:
    """The metrics that both runs have, by name, and those that one of them lacks, in words.

    In the order in which they are wanted, or that of the new run, but span F first: precision alone
    would be best for who finds next to nothing.
    """
    chosen = []
    for which, run in zip(WHICH, runs):
        names = {one.request.name: name for name, one in run.metrics.items()}
        some = [run.metric(one, f"the {which} run").request.name for one in wanted]
        leading = [one for one in names if run.metrics[names[one]].request.metric == LEADING]
        chosen.append({one: names[one] for one in some or [*leading, *names]})
    old, new = chosen
    pairs = {
        name: (runs[0].metrics[old[request]], runs[1].metrics[name])
        for request, name in new.items()
        if request in old
    }
    missing = [
        f"only the {which} run has {', '.join(alone)}"
        for which, own, other in zip(WHICH, chosen, reversed(chosen))
        if (alone := [request for request in own if request not in other])
    ]
    return pairs, missing


def _notes(runs: _Runs, metrics: Mapping[str, _Metrics]) -> Iterator[str]:
    """Further differences that may matter."""
    usual = "as the format defines it"
    facts = (
        ("Improper tags were repaired", [run.facts.get("repair") for run in runs]),
        ("Duplicates were read", [run.facts.get("duplicates", usual) for run in runs]),
        ("Runs were saved by versions of this package", [run.version for run in runs]),
    )
    for what, (old, new) in facts:
        if old != new:
            yield f"{what} that differ: {old} and {new}."
    if runs[0].unit != runs[1].unit:
        unit = next(run.unit for run in runs if run.unit != "documents")
        yield f"Documents are resampled, as only one of the runs knows the {unit} of each."
    yield from disagreement_notes({name: new.request for name, (_, new) in metrics.items()})
    for name, pair in metrics.items():
        if pair[0].draws != pair[1].draws:
            draws = " and ".join(str(one.draws) for one in pair)
            yield f"{name}: random annotations (number, seed) differ: {draws}."


def _common_metric(common: Common, pair: _Metrics, same_gold: bool) -> _CommonMetric | str:
    """A metric of both runs, with rows for the common documents; or why it does not compare.

    Statistics whose columns depend on the predictions are counted again, if these differ.
    """
    request = pair[1].request
    if request.row.count is slicm.slicm_information and not same_gold:
        return "its information is that of the whole of gold, which differs"
    labels = [run.counts.seen_by(request).labels for run in common.runs]
    columns = [{key: list(one.columns[key]) for key in one.columns} for one in pair]
    if request.row.layout.padded or (labels[0] == labels[1] and columns[0] == columns[1]):
        old, new = (_with_all_labels(common, which, one) for which, one in enumerate(pair))
        return _CommonMetric(request, old, new)
    teams = [
        run.annotations.part(docs, common.counts.labels)
        for run, docs in zip(common.runs, common.docs)
        if run.annotations is not None
    ]
    if len(teams) < len(common.runs):
        return (
            "its columns depend on the predictions, and to count them again takes the "
            "annotations (score -o keeps them; of Python stored_run(annotations='spans'))"
        )
    if not can_be_counted(request):
        return "it has to be counted again, with parameters that are not stored"
    arguments = joint_arguments([request], teams)
    old, new = (
        Statistics(PairCounter(*team, arguments=arguments).statistics(request).observed)
        for team in teams
    )
    return _CommonMetric(request, old, new)


def _with_all_labels(common: Common, which: int, metric: StoredMetric) -> Statistics:
    """The statistics of the common documents, in their order, with all labels as columns."""
    docs, request = common.docs[which], metric.request
    own, every = (one.seen_by(request) for one in (common.runs[which].counts, common.counts))
    index = _label_index(own.labels, every.labels)

    def fitted(sums: Additive) -> Additive:
        if len(docs) < own.n_docs or (docs != np.arange(len(docs))).any():
            sums = sums[docs]
        if len(index) == len(every.labels):
            return sums
        return _with_labels(sums, request.row.layout, len(every.labels), index)

    return metric.statistics.each(fitted)


def _with_labels(sums: Additive, layout: Layout, n_labels: int, index: IntArray) -> Additive:
    """Statistics with columns for more labels, 0 for those that they did not have.

    `n_labels` is the number of labels, `index` the new place of each old one. Only for statistics
    to which a label that nobody used adds nothing: see `Layout.padded`.
    """
    known: dict[int, Array] = {}
    wider: dict[str, Any] = {}
    for name, axes in layout.axes.items():
        array = getattr(sums, name)
        if axes == FLAT and id(array) not in known:
            wide = np.zeros((len(array), n_labels), array.dtype)
            wide[:, index] = array
            known[id(array)] = wide
        wider[name] = known.get(id(array), array)
    return layout.kind(**wider)


def _label_index(labels: Sequence[str], among: Sequence[str]) -> IntArray:
    """The indices of labels among others."""
    index = {label: i for i, label in enumerate(among)}
    return np.array([index[label] for label in labels], np.int64)
