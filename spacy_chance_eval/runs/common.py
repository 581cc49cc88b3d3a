"""What of two stored runs can be compared: their common documents, labels and metrics."""

from dataclasses import dataclass

import numpy as np

from ..measures import slicm
from ..metrics.catalog import FLAT
from ..scoring.counts import PairCounter
from ..scoring.leaderboard import joint_arguments
from ..scoring.statistics import Statistics
from .run import can_be_counted

WHICH = ("old", "new")
LEADING = "span_f"
FORCE = "to compare what both have, force it (--force)"


@dataclass(frozen=True, eq=False)
class Common:
    """Two runs on the documents, labels and metrics that they have in common.

    Parameters
    ----------
    runs : tuple of StoredRun
        The old one, the new one.
    docs : tuple of index arrays
        Places of the common documents in either run; all are annotated.
    labels : tuple of str
        The labels of either.
    metrics : dict of str to (Request, Statistics of the old run, Statistics of the new one)
    notes : list of str
        What was left out, and what else differs.
    """

    runs: tuple
    docs: tuple
    labels: tuple
    metrics: dict
    notes: list

    @property
    def n_docs(self):
        return len(self.docs[0])

    @property
    def seen(self):
        return np.ones(self.n_docs, bool)

    def sides(self):
        """Pairs of a run and the places of its common documents."""
        return zip(self.runs, self.docs)

    def support(self, which, side):
        """Spans of a side in a run, by common document and label."""
        run = self.runs[which]
        found = np.zeros((self.n_docs, len(self.labels)), np.int64)
        found[:, index_of(run.labels, self.labels)] = run.support[side][self.docs[which]]
        return found

    def clusters(self):
        """What is resampled: its name, and the cluster of each document or None."""
        old, new = self.runs
        if old.unit != new.unit or old.clusters is None:
            return "documents", None
        return old.unit, [old.clusters[doc] for doc in self.docs[0]]


def common(old, new, *, metrics=(), force=False):
    """The `Common` of two runs.

    Parameters
    ----------
    old, new : StoredRun
    metrics : sequence of str
        Some of the stored metrics, by the names that they were asked for, or in full; all if none.
    force : bool
        Compare documents that are the same in both, and metrics that both have, and note the rest.

    Raises
    ------
    ValueError
        If they differ in gold, documents, metrics or parameters, unless forced; if nothing is left.
    """
    runs = old, new
    positions = [run.facts["positions"] for run in runs]
    if positions[0] != positions[1]:
        raise ValueError(
            f"the old run has {positions[0]} positions, the new one {positions[1]}; save runs on "
            "the same tokens"
        )
    docs = matched(old, new)
    kept, other = metrics_of(runs, metrics)
    found = [*documents_apart(runs, docs), *other]
    if found and not force:
        raise ValueError(f"the runs do not compare: {'; '.join(found)}; {FORCE}")
    both = old.seen[docs[0]] & new.seen[docs[1]]
    same_gold = all(len(rows) == run.n_docs for rows, run in zip(docs, runs))
    docs = tuple(rows[both] for rows in docs)
    if not len(docs[0]):
        raise ValueError("the runs have no document in common with the same gold annotation")
    labels = tuple(sorted({*old.labels, *new.labels}))
    notes = [f"Left out: {reason}." for reason in found] + list(notes_of(runs, kept))
    whole = Common(runs, docs, labels, {}, notes)
    for name, pair in kept.items():
        statistics, reason = equal_columns(whole, pair, same_gold)
        if statistics is None:
            if not force:
                raise ValueError(f"{name} does not compare: {reason}; {FORCE}")
            notes.append(f"Left out: {name}: {reason}.")
        else:
            whole.metrics[name] = (pair[1].request, *statistics)
    if not whole.metrics:
        raise ValueError(f"no metric can be compared ({'; '.join(notes) or 'none is stored'})")
    return whole


def matched(old, new):
    """Places of the same documents in both runs: two index arrays, in the order of the old run.

    Documents are the same if gold and words are. Of equal ones those with one name go together,
    then the others as they come.
    """
    worded = all(run.keys["words"].any() for run in (old, new))
    sides = []
    for run in (old, new):
        words = run.keys["words"] if worded else np.zeros_like(run.keys["words"])
        sides.append(list(zip(run.keys["named"].tolist(), words.tolist())))
    found = {}
    if old.names and new.names:
        place = {pair: doc for doc, pair in enumerate(zip(new.names, sides[1]))}
        for doc, pair in enumerate(zip(old.names, sides[0])):
            if pair in place:
                found[doc] = place[pair]
    taken, waiting = set(found.values()), {}
    for doc, key in enumerate(sides[1]):
        if doc not in taken:
            waiting.setdefault(key, []).append(doc)
    for doc, key in enumerate(sides[0]):
        if doc not in found and waiting.get(key):
            found[doc] = waiting[key].pop(0)
    order = sorted(found)
    return np.array(order, np.int64), np.array([found[doc] for doc in order], np.int64)


def documents_apart(runs, docs):
    """What gold of one run has that the other has not, in words."""
    digests = [run.facts["gold"] for run in runs]
    if digests[0] != digests[1]:
        yield f"gold differs (digest {digests[0]} in the old run, {digests[1]} in the new one)"
    for which, run, rows in zip(WHICH, runs, docs):
        alone = np.setdiff1d(np.arange(run.n_docs), rows)
        if len(alone):
            yield (
                f"{len(alone)} of {run.n_docs} documents of the {which} run, such as "
                f"{run.name(alone[0])!r}, are not the same in the other"
            )


def metrics_of(runs, wanted):
    """{name: (Kept of old, Kept of new)} of the metrics of both, and what one lacks, in words.

    In the order in which they are wanted, or that of the new run, but span F first.
    """
    sides = []
    for which, run in zip(WHICH, runs):
        names = {name: {name, kept.request.name} for name, kept in run.metrics.items()}
        unknown = [one for one in wanted if not any(one in of for of in names.values())]
        if unknown:
            raise ValueError(
                f"the {which} run has no metric {unknown[0]!r}; it has {', '.join(run.metrics)}"
            )
        chosen = [name for name, of in names.items() if not wanted or of & set(wanted)]
        chosen.sort(key=lambda name: first_of(wanted, names[name]))
        sides.append({run.metrics[name].request.name: name for name in chosen})
    kept = {
        name: (runs[0].metrics[sides[0][request]], runs[1].metrics[name])
        for request, name in sides[1].items()
        if request in sides[0]
    }
    missing = []
    for which, mine, other in zip(WHICH, sides, reversed(sides)):
        alone = [request for request in mine if request not in other]
        if alone:
            missing.append(f"only the {which} run has {', '.join(alone)}")
    leading = [] if wanted else [name for name, pair in kept.items() if leads(pair)]
    return {name: kept[name] for name in [*leading, *kept]}, missing


def leads(pair):
    """Whether a metric comes before others unless they are named: what is found and right, in one.

    Precision alone is best for who finds next to nothing.
    """
    return pair[1].request.metric == LEADING


def first_of(wanted, names):
    """The place of the first of some wanted names that is one of those given."""
    return next((i for i, one in enumerate(wanted) if one in names), 0)


def notes_of(runs, kept):
    """What else differs, and may matter."""
    repairs = [run.facts.get("repair") for run in runs]
    if repairs[0] != repairs[1]:
        yield f"Improper tags were repaired differently: {repairs[0]} and {repairs[1]}."
    if runs[0].version != runs[1].version:
        yield "The runs were saved by spacy-chance-eval {} and {}.".format(
            *(run.version for run in runs)
        )
    if runs[0].unit != runs[1].unit:
        unit = next(run.unit for run in runs if run.unit != "documents")
        yield f"Documents are resampled, as only one of the runs knows the {unit} of each."
    for name, (old, new) in kept.items():
        if old.draws != new.draws:
            yield f"{name}: random annotations (number, seed) differ: {old.draws} and {new.draws}."


def equal_columns(common, pair, same_gold):
    """The statistics of a metric of both runs, with equal rows and columns; or None and why."""
    request = pair[1].request
    if request.row.count is slicm.slicm_information and not same_gold:
        return None, "its information is that of the whole of gold, which differs"
    old_labels, new_labels = (run.labels for run in common.runs)
    if request.row.padded or (old_labels == new_labels and same_columns(*pair)):
        return [stretched(common, which, kept) for which, kept in enumerate(pair)], None
    if any(run.annotations is None for run in common.runs):
        return None, (
            "its columns depend on what was predicted, and to count them again takes the "
            "annotations (save with --annotations spans)"
        )
    if not can_be_counted(request):
        return None, "it has to be counted again, with parameters that are not stored"
    return recounted(common, request), None


def same_columns(old, new):
    """Whether two metrics were counted for the same values."""
    return old.columns.keys() == new.columns.keys() and all(
        np.array_equal(list(old.columns[key]), list(new.columns[key]))
        if key == "lengths"
        else old.columns[key] == new.columns[key]
        for key in old.columns
    )


def stretched(common, which, kept):
    """The statistics of the common documents, in their order, with all labels as columns."""
    run, docs = common.runs[which], common.docs[which]
    index = index_of(run.labels, common.labels)

    def fitted(sums):
        if len(docs) < run.n_docs or (docs != np.arange(len(docs))).any():
            sums = sums[docs]
        if len(index) == len(common.labels):
            return sums
        return with_labels(sums, kept.request.row.layout, len(common.labels), index)

    return kept.statistics.each(fitted)


def recounted(common, request):
    """The statistics of both runs, counted again for the values of either."""
    teams = [
        run.annotations.part(docs, common.labels) for run, docs in zip(common.runs, common.docs)
    ]
    columns = joint_arguments([request], teams)
    counters = (PairCounter(*team, arguments=columns) for team in teams)
    return [Statistics(one.statistics(request).observed) for one in counters]


def with_labels(sums, layout, n_labels, index):
    """Statistics with columns for more labels, 0 for those that they did not have.

    `n_labels` is the number of labels, `index` the new place of each old one. Only for statistics
    to which a label that nobody used adds nothing: see `Metric.padded`.
    """
    known, wider = {}, {}
    for name, axes in layout.axes.items():
        array = getattr(sums, name)
        if axes == FLAT and id(array) not in known:
            wide = np.zeros((len(array), n_labels), array.dtype)
            wide[:, index] = array
            known[id(array)] = wide
        wider[name] = known.get(id(array), array)
    return layout.kind(**wider)


def index_of(labels, among):
    """The places of labels among others."""
    place = {label: i for i, label in enumerate(among)}
    return np.array([place[label] for label in labels], np.int64)
