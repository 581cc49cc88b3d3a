"""`Counts`: the counts of annotators of the same documents. Those of blocks add up.

`count_predictions` counts gold and one or several predictions, `count_panel` several annotators of
whom none is gold. The statistics of one pair of annotators are those of a `PairCounter`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial, reduce
from itertools import chain
from operator import itemgetter
from typing import Any, cast

import numpy as np

from ..measures.alignment import align
from ..measures.arrays import Array, BoolArray, FloatArray, IntArray, KeyArray
from ..measures.arrays import Progress as Progress
from ..measures.chance.draws import drawn, word_keys
from ..measures.chance.expectation import check_placement, prepared
from ..measures.matching import span_mass
from ..measures.panel import Panel, Roster, digest_of_all
from ..measures.resampling import arrays_of, cluster_order, slices
from ..measures.spans import (
    ANY_LABEL,
    Spans,
    concatenated,
    digest_of,
    scrambled,
    without_labels,
)
from ..measures.stats import Additive
from ..metrics.catalog import METRICS, Metric
from ..metrics.request import Request, written
from .intervals import cluster_places, unit_masses
from .pair_rows import TEAM as TEAM
from .pair_rows import Key as Key
from .pair_rows import (
    PairList,
    PairRows,
    key_of,
    merged_rows,
    pair_rows,
    rows_at_once,
    rows_of,
    sum_of_rows,
    team_rows,
)
from .pair_scores import LABELLED_PAIRS
from .statistics import Statistics, columns, fewer_bytes, headline, wide

GOLD, PRED = "gold", "pred"
MIRROR = {"gold": "pred", "recalled": "correct", "touched": "partial"}
MIRROR |= {name: other for other, name in MIRROR.items()}
OF_BITS = "bits of pairs do not add up to an agreement of the team; see the mean of the pairs"
OF_TWO = (
    "a coefficient of two annotators; for a team see krippendorff_alpha, or fleiss_kappa or, for "
    "unequal numbers of ratings, fleiss_cuzick"
)
INCOMPLETE = (
    "it is of items that all {} annotators rated, and there is none: fleiss_cuzick is Fleiss' "
    "kappa for unequal numbers of ratings, and krippendorff_alpha takes them, too"
)
SUCH = re.compile(r"\d+(?= such documents)")


def no_progress(steps: Iterable[Any], total: int | None = None, what: str = "") -> Iterable[Any]:
    """The steps as they are, where nobody watches."""
    return steps


# --- one pair


@dataclass(frozen=True, eq=False)
class PairCounter:
    """Counts aligned gold and prediction; what several metrics share is counted once.

    Parameters
    ----------
    gold, pred : Spans
        Aligned: the same documents, units and labels.
    arguments : mapping of Request to mapping, optional
        Further arguments of counts: facts of the whole corpus.
    known : dict
        The counts so far.
    """

    gold: Spans
    pred: Spans
    draws: int = 1
    seed: int = 0
    p_values: bool = False
    arguments: Mapping[Request, Mapping[str, Any]] = field(default_factory=dict)
    progress: Progress = no_progress
    known: dict[Hashable, Any] = field(default_factory=dict)

    def statistics(self, request: Request) -> Statistics:
        """The statistics of a request, a row per document."""
        if request.ignores_labels:
            counter: PairCounter = self._once(ANY_LABEL, self._without_labels)
            return counter.statistics(request.with_labels)
        metric = request.row
        name = f"{metric.count.__name__}{written(request.counted)}"
        count = partial(metric.count, **request.counted, **self.arguments.get(request, {}))
        sides = [(self.gold, self.pred)] if metric.team else [self.gold, self.pred]
        # modules may have functions of one name
        observed = self._once((metric.count, name), count, *sides)
        if request.placement == "none":
            return Statistics(observed)
        name += written(request.only(("chance", "unit")))
        key = metric.count, metric.expected, name
        statistics: Statistics = self._once(key, self._by_chance, name, request, count, observed)
        return statistics

    def _without_labels(self) -> PairCounter:
        """The counter of the same spans with one label for all."""
        more = {one.with_labels: v for one, v in self.arguments.items() if one.ignores_labels}
        gold, pred = without_labels(self.gold), without_labels(self.pred)
        return replace(self, gold=gold, pred=pred, arguments=more, known={})

    def _by_chance(
        self, name: str, request: Request, count: Callable[..., Additive], observed: Additive
    ) -> Statistics:
        """Observed statistics and what chance makes of them."""
        metric, placement, unit = request.row, request.placement, request.parameters["unit"]
        self._once(f"check {placement}", check_placement, self.gold, self.pred, placement)
        model = {"placement": placement, "unit": unit, **request.counted}
        exact = metric.expected and metric.expected(self.gold, self.pred, observed, **model)
        if exact and not self.p_values:
            return Statistics(observed, exact)
        expected, totals = drawn(
            count,
            self.gold,
            self.pred,
            placement="disjoint" if placement == "uniform" else placement,
            unit=unit,
            draws=self.draws,
            rng=np.random.default_rng([self.seed, zlib.crc32(name.encode())]),
            progress=partial(self.progress, total=self.draws, what="Random annotations"),
        )
        return Statistics(observed, exact or expected, totals, exact=bool(exact))

    def _once(self, key: Hashable, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function, computed the first time only."""
        if key not in self.known:
            self.known[key] = function(*arguments)
        return self.known[key]


def is_drawn(request: Request) -> bool:
    """Whether the expectation of a request has no formula: it is drawn for a whole corpus."""
    if request.placement == "none":
        return False
    tiny = Spans.from_tuples([[(0, 1, "X")]], [3], words=["a", "b", "c"], sentences=[True])
    try:
        statistics = PairCounter(*align(tiny, tiny)).statistics(request)
    except ValueError:  # of the information of words, for example
        return True
    return statistics.totals is not None


# --- all that was counted


@dataclass(frozen=True, eq=False)
class Counted:
    """The statistics of one metric, and reasons where there are none.

    Parameters
    ----------
    macro : mapping of Key to (float, int)
        Sum and number of the documents' values that are defined.
    rows : tuple of PairRows
        Of pairs; where no annotator is gold also of each against the majority, and of the team.
    """

    reasons: Mapping[Key, str] = field(default_factory=dict)
    macro: Mapping[Key, tuple[float, int]] = field(default_factory=dict)
    rows: tuple[PairRows, ...] = ()

    @cached_property
    def places(self) -> dict[Key, tuple[PairRows, int]]:
        """Where the statistics of each key are, among `rows`."""
        return {key: (one, place) for one in self.rows for place, key in enumerate(one.keys)}

    def statistics(self, key: Key) -> Statistics:
        """The statistics of a pair, a row for each document."""
        rows, place = self.places[key]
        return replace(rows.statistics.arrays(itemgetter(place)), totals=rows.statistics.totals)

    def statistics_of(self, key: Key, doc: int | None = None) -> list[Statistics]:
        """Those of a key, of all keys if it has none; of all documents or of one."""
        rows, place = self.places.get(key, (None, 0))
        some = self.rows if rows is None else [rows.some([place])]
        arrays = (one.statistics.arrays(itemgetter(one.docs == doc)) for one in some)
        return [one.statistics for one in some] if doc is None else list(arrays)

    def of_kind(self, kind: str) -> list[PairRows]:
        """The rows of pairs, of majorities, or of the team."""
        return [one for one in self.rows if one.kind == kind]

    def every(self) -> list[Statistics]:
        """All statistics."""
        return [one.statistics for one in self.rows]

    def total(self) -> Counted:
        """The same with one row for all documents."""
        n_docs = max((int(one.docs.max(initial=-1)) + 1 for one in self.rows), default=0)
        return replace(self, rows=merged_rows(self.rows, np.zeros(n_docs, np.int64)))

    def arrays(self, function: Callable[[Array], Array]) -> Counted:
        """The same with a function applied to all arrays."""
        return replace(self, rows=tuple(one.arrays(function) for one in self.rows))


@dataclass(frozen=True, eq=False)
class Counts(Roster):
    """The statistics of annotators: a row for each document, or one for all of them.

    Parameters
    ----------
    names : tuple of str
        Of the annotators. With `gold` the first one is gold, and the pairs are gold with each
        other one; without, all pairs that share documents.
    labels : tuple of str
        The columns of the statistics, sorted.
    positions : str
        Unit of positions: "token", "char", "category" or "tree".
    seen : boolean array of shape (n_annotators, n_docs)
        With `gold`: the documents that were annotated by both.
    metrics : mapping of str to Counted
        By the names of requests.
    used : tuple of tuples of str
        Labels of which each annotator has spans, sorted.
    n_spans, n_unplaced : integer arrays of shape (n_annotators,)
        Numbers of spans, and of those that fit no tokens, in the documents that each saw.
    n_sentences : int, optional
        Number of sentences in all documents; None where they are not all known.
    marks : integer array of shape (n_docs,)
        Number of spans of all annotators in each document, where none is gold.
    support : mapping of Key to integer array of shape (n_rows or 1, n_labels)
        Numbers of spans by label: with `gold` of each annotator by row; else of each pair in the
        documents that both saw, and of the team in those that two saw. Keys that end with "*" are
        of metrics that ignore labels, if there are any.
    confusions : mapping of Key to mapping
        Of each pair where none is gold, the numbers of spans (or documents with categories) by the
        labels of the first annotator and of the second: see `measures.items.confusions`.
    contents : unsigned integer array of shape (n_annotators or 1, n_docs), optional
        A key for what each annotator, or gold alone, did in each document.
    words, named : unsigned integer arrays of shape (n_docs,), optional
        The keys of the words; gold itself, even if the corpus has other labels.
    documents : sequence of str or mapping of int to str, optional
        The names of all documents, or of some by their places; None where not all have one.
    attributes : mapping of str to tuple
        The attributes of each document.
    spans : tuple of Spans, optional
        The annotation itself, of gold and all predictions, where it is kept.
    gold : bool
        Whether the first annotator is gold.
    by_document : bool
        Whether there is a row for each document.
    with_pairs : bool
        Whether annotators of whom none is gold were also counted pair by pair, not as a team only.
    columns : mapping of Request to mapping
        With `gold` and keys: the arguments by which counts of all predictions have equal columns.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    positions: str
    seen: BoolArray
    metrics: Mapping[str, Counted]
    used: tuple[tuple[str, ...], ...] = ()
    n_spans: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    n_unplaced: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    n_sentences: int | None = None
    marks: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    support: Mapping[Key, IntArray] = field(default_factory=dict)
    confusions: Mapping[Key, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    contents: KeyArray | None = None
    words: KeyArray | None = None
    named: KeyArray | None = None
    documents: Sequence[str] | Mapping[int, str] | None = None
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    spans: tuple[Spans, ...] | None = None
    gold: bool = False
    by_document: bool = True
    with_pairs: bool = True
    columns: Mapping[Request, Mapping[str, Any]] = field(default_factory=dict)
    item = "document"  # what messages call one

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return int(self.seen.shape[1])

    @cached_property
    def digests(self) -> list[str]:
        """Hexadecimal digits of each annotator's work."""
        assert self.contents is not None
        return [digest_of(keys, used) for keys, used in zip(self.contents, self.used)]

    def digest(self) -> str:
        """Eight hexadecimal digits: of gold, or of all annotators in any order."""
        return self.digests[0] if self.gold else digest_of_all(self.digests)

    def name(self, doc: int) -> str:
        """How messages and tables call a document."""
        return self.documents[doc] if self.documents else f"document {doc + 1}"

    def notes(self) -> Iterator[str]:
        """What scores of agreement leave out, in words."""
        if unplaced := int(self.n_unplaced.sum()):
            spans = "span does" if unplaced == 1 else "spans do"
            yield (
                f"{unplaced} {spans} not fit the tokens: marked, matching nothing; alphas leave "
                "them out"
            )

    def seen_by(self, request: Request) -> Counts:
        """The same with the labels that a metric sees."""
        if not request.ignores_labels:
            return self
        support = {k[:-1]: table for k, table in self.support.items() if k[-1] == ANY_LABEL}
        return replace(self, labels=(ANY_LABEL,), support=support)

    def of_system(self, number: int) -> Counts:
        """Gold and one prediction, by its number among the annotators, without statistics."""
        both = [0, number]
        support = {
            ("annotator", i, *key[2:]): table
            for i, one in enumerate(both)
            for key, table in self.support.items()
            if key[1] == one
        }
        return replace(
            self,
            names=(GOLD, PRED),
            seen=self.seen[[number, number]],
            metrics={},
            used=(self.used[0], self.used[number]),
            n_spans=self.n_spans[both],
            n_unplaced=self.n_unplaced[both],
            support=support,
            contents=None if self.contents is None else self.contents[both],
            spans=None,
        )

    def statistics(self, request: Request, number: int = 1) -> Statistics:
        """The statistics of gold and a prediction, by its number among the annotators."""
        return self.metrics[str(request)].statistics(("pair", 0, number))

    def sizes(self, number: int = 1) -> dict[str, Any]:
        """Numbers of documents and spans of gold and a prediction, under the keys of results."""
        return {
            "n_docs": int(self.seen[0].sum()),
            "n_sentences": self.n_sentences,
            "n_skipped": int((~self.seen[0]).sum()),
            "n_gold": int(self.n_spans[0]),
            "n_pred": int(self.n_spans[number]),
            "n_unplaced": int(self.n_unplaced[number]),
        }

    def order(self, clusters: Sequence[Any] | None = None) -> tuple[IntArray, IntArray]:
        """The resampled documents, sorted by cluster, and the index at which each cluster begins.

        The content of clusters decides their order, not the order of documents and annotators.
        Annotators of whom none is gold are known by all their annotations: documents in which two
        have changed places are not alike.

        Parameters
        ----------
        clusters : sequence, optional
            The name of each document's cluster; None for a document that is its own.
        """
        assert self.contents is not None and self.words is not None
        places = self.places(clusters)
        if self.gold:
            gold, *preds = self.contents
            return cluster_order(places, order_keys(gold, self.words, preds))
        contents = self.contents

        # row by row, as a crowd has thousands of them
        def did() -> Iterator[KeyArray]:
            for seen, mine in zip(self.seen, contents):
                yield np.where(seen, mine, np.uint64(0))

        content = scrambled(reduce(np.add, did()), self.words)
        who = distinguished(content, did(), self.seen, self.shared)
        return cluster_order(places, [content, who])

    def places(self, clusters: Sequence[Any] | None = None) -> IntArray:
        """A number for the cluster of each document; -1 for those that are not resampled."""
        counted = self.seen[0] if self.gold else self.shared
        return np.where(counted, cluster_places(clusters, self.n_docs, self.item), -1)

    @property
    def masses(self) -> IntArray:
        """How much each document weighs: spans of gold, or of all annotators where none is gold."""
        return self.support["annotator", 0].sum(axis=1) if self.gold else self.marks

    def units(self, clusters: Sequence[Any] | None = None) -> FloatArray:
        """The masses of the documents, or of clusters of them, that are resampled."""
        return unit_masses(self.places(clusters), self.masses)

    @property
    def n_bytes(self) -> int:
        """Bytes of the statistics of all metrics, the larger part of the memory by document."""
        arrays: dict[int, Array] = {}
        for counted in self.metrics.values():
            for statistics in counted.every():
                for part in statistics.parts():
                    arrays |= {id(array): array for array in arrays_of(part)}
        return sum(array.nbytes for array in arrays.values())

    def total(self) -> Counts:
        """The same with one row for all documents."""
        firsts = [int(mine.argmax()) for mine in self.seen if mine.any()]  # notes speak of them
        return replace(
            self,
            metrics={name: counted.total() for name, counted in self.metrics.items()},
            support={key: table.sum(axis=0)[None] for key, table in self.support.items()},
            contents=self.contents if self.contents is None or not self.gold else self.contents[:1],
            documents=self.documents and {doc: self.documents[doc] for doc in firsts},
            words=None,
            named=None,
            spans=None,
            attributes={},
            by_document=False,
        )

    def compact(self) -> Counts:
        """The same numbers, whole ones in as few bytes as hold them."""
        support = {key: fewer_bytes(table) for key, table in self.support.items()}
        metrics = {name: counted.arrays(fewer_bytes) for name, counted in self.metrics.items()}
        return replace(self, metrics=metrics, support=support)


def order_keys(gold: KeyArray, words: KeyArray, preds: Iterable[KeyArray]) -> list[KeyArray]:
    """The keys by which documents are sorted: gold and words, then all predictions.

    The order and the names of the systems do not matter, their predictions do.
    """
    first = scrambled(gold, words)
    sides = [scrambled(first, pred) for pred in preds]
    return [first, scrambled(*sorted(sides, key=lambda keys: int(keys.sum())))]


def distinguished(
    content: KeyArray, did: Iterable[KeyArray], seen: BoolArray, shared: BoolArray
) -> KeyArray:
    """A number for each document that says who did what; annotators are known by all they did.

    Parameters
    ----------
    content : unsigned integer array of shape (n_docs,)
        A key of the annotations in each document, without their annotators.
    did : sequence of such arrays
        The annotation of each annotator.
    seen : boolean array of shape (n_annotators, n_docs)
    shared : boolean array of shape (n_docs,)
        The documents that annotators are known by.
    """
    who = np.zeros(content.shape, np.uint64)
    for mine, there in zip(did, seen):
        annotator = scrambled(content, mine)[shared].sum(keepdims=True)
        who += np.where(there, scrambled(mine, annotator), np.uint64(0))
    return who


# --- counting


def _supports(sides: Sequence[Spans], ignore_labels: bool) -> dict[Key, IntArray]:
    """Spans by document and label of gold and predictions; also of all labels as one."""
    support: dict[Key, IntArray] = {
        ("annotator", i): support_of(one) for i, one in enumerate(sides)
    }
    for i, spans in enumerate(sides if ignore_labels else ()):
        support["annotator", i, ANY_LABEL] = support_of(without_labels(spans))
    return support


def count_predictions(
    pairs: Mapping[str, tuple[Spans, Spans]],
    requests: Iterable[Request],
    *,
    draws: int = 1,
    seed: int = 0,
    p_values: bool = False,
    arguments: Mapping[Request, Mapping[str, Any]] | None = None,
    used: Sequence[Sequence[str]] | None = None,
    words: KeyArray | None = None,
    keys: bool = False,
    statistics_only: bool = False,
    positions: str = "token",
    on_error: Callable[[str, ValueError], None] | None = None,
    progress: Progress = no_progress,
) -> Counts:
    """Counts of gold and one or several predictions, a row per document.

    Parameters
    ----------
    pairs : mapping of str to (Spans, Spans)
        By the name of a prediction: gold and the prediction, aligned, all with the same labels.
    draws, seed : int
        Number of random annotations, and the seed, where an expectation has no formula.
    p_values : bool
        Whether to draw random annotations also where there is a formula.
    arguments : mapping of Request to mapping, optional
        Facts that counts need; by default those by which all predictions have equal columns.
    used : sequence of sequences of str, optional
        Labels of which gold, then each prediction, has spans in the whole corpus, if this is a part
        of it.
    words : unsigned integer array of shape (n_docs,), optional
        The keys of the words, if the words themselves are not there any more.
    keys : bool
        Whether to compute the keys of all annotators and of the words, for resampling.
    statistics_only : bool
        Whether to leave out what only reports read: keys, supports, labels used, means.
    on_error : callable, optional
        on_error(name, error) is told of a prediction that cannot be counted, which is left out; by
        default the error is raised.
    """
    requests = list(dict.fromkeys(requests))
    if arguments is None:
        arguments = joint_arguments(requests, pairs.values()) if keys or len(pairs) > 1 else {}
    counter = partial(
        PairCounter,
        draws=draws,
        seed=seed,
        p_values=p_values,
        arguments=arguments,
        progress=progress,
    )
    counted = _statistics_by_name(pairs, requests, counter, on_error, progress)
    first = next(iter(counted), next(iter(pairs)))
    sides = [pairs[first][0], *(pairs[name][1] for name in counted)]
    gold, seen = sides[0], np.array([pairs[name][0].seen for name in (first, *counted)])
    metrics = {}
    for one in requests:
        rows = tuple(pair_rows(i, own[one]) for i, own in enumerate(counted.values(), 1))
        macro = {} if statistics_only else macro_of_rows(one, rows, seen)
        metrics[str(one)] = Counted(macro=macro, rows=rows)
    if statistics_only:
        return Counts((GOLD, *counted), gold.labels, positions, seen, metrics, gold=True)
    own = [tuple(mine) for mine in used or [spans.used_labels() for spans in sides]]
    support = _supports(sides, any(one.ignores_labels for one in requests))
    keyed = list(zip(sides, own)) if keys else [(gold, own[0])]
    return Counts(
        (GOLD, *counted),
        gold.labels,
        positions,
        seen,
        metrics,
        used=tuple(own),
        n_spans=np.array([support["annotator", i].sum() for i in range(len(sides))]),
        n_unplaced=np.array([len(one.unplaced) for one in sides]),
        n_sentences=gold.n_sentences(seen[0]),
        support=support,
        contents=np.array([one.document_keys(used=mine) for one, mine in keyed]),
        words=(word_keys(gold) if words is None else words) if keys else None,
        named=gold.document_keys(by_name=True) if keys else None,
        documents=gold.names,
        gold=True,
        columns={k: v for k, v in arguments.items() if k.row.survey and k.row.survey.columns},
    )


def joint_arguments(
    requests: Iterable[Request], pairs: Iterable[Sequence[Spans]]
) -> dict[Request, dict[str, Any]]:
    """Arguments by which counts of all pairs have the same columns: rows can be exchanged."""
    pairs = list(pairs)
    arguments = {}
    for one in requests:
        if one.row.survey is not None and one.row.survey.columns:
            known = reduce(one.row.survey.add, (one.survey(pair) for pair in pairs))
            arguments[one] = one.arguments(known, pairs[0][0].labels)
    return arguments


def _statistics_by_name(
    pairs: Mapping[str, tuple[Spans, Spans]],
    requests: Sequence[Request],
    counter: Callable[[Spans, Spans], PairCounter],
    on_error: Callable[[str, ValueError], None] | None,
    progress: Progress,
) -> dict[str, dict[Request, Statistics]]:
    """Statistics of each prediction that can be counted, by its name and the request."""
    counted: dict[str, dict[Request, Statistics]] = {}
    todo: Iterable[Any] = pairs.items()
    if len(pairs) > 1:
        todo = progress(list(todo), len(pairs), "Systems")
    corrected: dict[str, set[Any]] = {}
    for one in requests:
        if one.placement == "disjoint":
            counts = one.row.count, written(one.counted)
            corrected.setdefault(one.parameters["unit"], set()).add(counts)
    unit = max(corrected, key=lambda unit: len(corrected[unit]), default="")
    for name, (gold, pred) in todo:
        if unit and len(corrected[unit]) > 1 and not gold.prepared:  # the same expectations
            gold, pred = prepared(gold, pred, unit)
        statistics = counter(gold, pred).statistics
        try:
            counted[name] = {one: statistics(one) for one in requests}
        except ValueError as error:
            if on_error is None:
                raise
            on_error(name, error)
    return counted


def macro_of_rows(
    request: Request, rows: Iterable[PairRows], seen: BoolArray | None = None
) -> dict[Key, tuple[float, int]]:
    """Sum and number of the documents' values that are defined, by key.

    With `seen`, of shape (n_annotators, n_docs), rows are of all documents, and those count.
    """
    found: dict[Key, tuple[float, int]] = {}
    for one in rows:
        scores = columns(request.scorer(), one.statistics.arrays(wide).pooled())
        values = headline(scores)[..., 0]
        if seen is not None:
            values = np.where(seen[one.annotators[:, 1]], values, np.nan)
        numbers = (~np.isnan(values)).sum(axis=1)
        found |= zip(one.keys, zip(np.nansum(values, axis=1).tolist(), numbers.tolist()))
    return found


def support_of(spans: Spans) -> IntArray:
    """Number of spans by document and label, those that fit no tokens included."""
    table: IntArray = span_mass(spans, np.ones_like)
    return table


def count_panel(
    panel: Panel,
    requests: Iterable[Request],
    *,
    draws: int = 1000,
    seed: int = 0,
    used: Sequence[Sequence[str]] | None = None,
    words: KeyArray | None = None,
    pairs: bool = True,
    progress: Progress = no_progress,
) -> Counts:
    """Counts of several annotators of whom none is gold, a row per document.

    Of every pair, of each annotator against the majority of the others, and of the team. Where
    there are no statistics there is a reason in words.

    Parameters
    ----------
    pairs : bool
        Without, only the team is kept; pairs are counted if the team is the sum of them.
    progress : callable
        progress(steps, total, what) wraps long work. Pairs are counted in threads, from which
        random annotations report.
    """
    requests = list(dict.fromkeys(requests))
    own = tuple(map(tuple, used or [spans.used_labels() for spans in panel.annotations]))
    counted: dict[str, Counted] = {}
    support: dict[Key, IntArray] = {}
    matrices: Mapping[Key, Mapping[str, Mapping[str, int]]] = {}
    for ignored in sorted({False, *(one.ignores_labels for one in requests)}):
        some = [one for one in requests if one.ignores_labels == ignored]
        team = panel.without_labels if ignored else panel
        counter = _PanelCounter(team, some, draws, seed, pairs, progress)
        counted |= counter.counted()
        tables = dict(counter.sharing.support()) if pairs else {}
        if pairs and not ignored and 2 * len(panel.sharing_pairs) <= LABELLED_PAIRS:
            items = "category" if panel.positions == "category" else "any_span"
            matrices = counter.sharing.confusions(items)
        shared = [_label_counts(spans, spans.seen & team.shared) for spans in team.annotations]
        tables[TEAM] = np.sum(shared, axis=0)[None]
        support |= {(*k, ANY_LABEL): one for k, one in tables.items()} if ignored else tables
    contents = np.empty(panel.seen.shape, np.uint64)
    for row, spans, mine in zip(contents, panel.annotations, own):
        row[:] = spans.document_keys(used=mine)
    return Counts(
        panel.names,
        panel.labels,
        panel.positions,
        panel.seen,
        counted,
        used=own,
        n_spans=np.array([_label_counts(s, s.seen).sum() for s in panel.annotations], np.int64),
        n_unplaced=np.array(
            [spans.seen[spans.unplaced[:, 0]].sum() for spans in panel.annotations]
        ),
        n_sentences=panel.annotations[0].n_sentences(np.ones(panel.seen.shape[1], bool)),
        marks=reduce(np.add, map(_spans_by_document, panel.annotations)),
        support=support,
        confusions=matrices,
        contents=contents,
        words=word_keys(panel.annotations[0]) if words is None else words,
        documents=panel.annotations[0].names,
        with_pairs=pairs,
    )


def _label_counts(spans: Spans, docs: BoolArray) -> IntArray:
    """Number of spans by label in some documents, those that fit no tokens included."""
    label = [spans.label[docs[spans.doc]], spans.unplaced[docs[spans.unplaced[:, 0]], 1]]
    return np.bincount(np.concatenate(label), minlength=len(spans.labels))


def _spans_by_document(spans: Spans) -> IntArray:
    """Number of spans in each document that was seen, those that fit no tokens included."""
    docs = np.append(spans.doc, spans.unplaced[:, 0])
    return np.bincount(docs, minlength=len(spans.seen)) * spans.seen


def lacks_complete_items(metric: Metric, panel: Roster) -> bool:
    """Whether a coefficient is of items that all annotators rated, and no document has any."""
    return "marginals" in metric.layout.axes and not panel.seen.all(axis=0).any()


@dataclass(frozen=True, eq=False)
class _Task:
    """Some pairs that share equally many documents, and what is counted of them, by number.

    `whole`: one pair by itself, in all documents of the corpus.
    """

    requests: Mapping[int, Request]
    annotators: IntArray
    docs: IntArray
    whole: bool

    def halves(self, number: int) -> Iterator[_Task]:
        """The two halves, for one of the requests."""
        for some in slices(len(self.docs), -(-len(self.docs) // 2)):
            one = {number: self.requests[number]}
            yield _Task(one, self.annotators[some], self.docs[some], self.whole)


@dataclass(frozen=True, eq=False)
class _PanelCounter:
    """Counts requests on a panel; what pairs share is computed once; for `count_panel`."""

    panel: Panel
    requests: list[Request]
    draws: int
    seed: int
    pairs: bool
    progress: Progress

    def counted(self) -> dict[str, Counted]:
        """By the names of the requests."""
        rows: list[list[PairRows]] = [[] for _ in self.requests]
        reasons: list[dict[Key, str]] = [{} for _ in self.requests]
        tasks = list(self.tasks())
        for results in self.progress(self.in_threads(tasks), len(tasks), "Pairs of annotators"):
            for number, result in results:
                if isinstance(result, PairRows):
                    rows[number].append(result)
                else:
                    reasons[number] |= result
        counted = {}
        for request, mine, why in zip(self.requests, rows, reasons):
            team = self.team(request, mine, why) if len(self.panel) > 1 else []
            if not self.pairs:
                mine, why = [], {key: reason for key, reason in why.items() if key == TEAM}
            rows_of_all = (*mine, *team)
            counted[str(request)] = Counted(why, macro_of_rows(request, rows_of_all), rows_of_all)
        return counted

    @cached_property
    def sharing(self) -> PairList:
        """The pairs of the panel."""
        return PairList(self.panel)

    @cached_property
    def drawn(self) -> set[int]:
        """The numbers of the requests whose chance is drawn."""
        return {number for number, one in enumerate(self.requests) if is_drawn(one)}

    def tasks(self) -> Iterator[_Task]:
        """The pairs that are counted together, and the requests for which they are."""
        by_size: dict[int, dict[int, Request]] = {}
        for i, one in enumerate(self.requests):
            if self.pairs or not counts_team(one.row):
                alone = i in self.drawn or not self.sharing.is_even
                by_size.setdefault(1 if alone else rows_at_once(one), {})[i] = one
        groups = self.sharing.pairs if by_size else []
        if by_size and self.pairs and len(self.panel) > 2:
            groups = groups + self.sharing.majorities
        for size, requests in by_size.items():
            for annotators, docs in groups:
                for some in slices(len(annotators), max(size // docs.shape[1], 1)):
                    yield _Task(requests, annotators[some], docs[some], whole=size == 1)

    def in_threads(self, tasks: Sequence[_Task]) -> Iterator[Any]:
        """The results of all tasks, in order. The first runs alone: it makes the shared values."""
        from ..measures.threads import in_threads, n_cores

        yield from map(self.of_task, tasks[:1])
        yield from in_threads(self.of_task, tasks[1:], n_cores())

    def of_task(self, task: _Task) -> list[tuple[int, PairRows | dict[Key, str]]]:
        """For each request its number, and the rows of some pairs or the reasons of one."""
        key = key_of(task.annotators[0].tolist())
        is_pair = key[0] == "pair"
        if task.whole and is_pair:
            sides = self.panel.pair(*key[1:])
        elif task.whole:
            sides = align(self.panel.majority(key[1]), self.panel.annotations[key[1]])
        else:
            sides = self.sharing.sides(task.annotators, task.docs)
        counters = {1: self.counter(sides), -1: self.counter(sides[::-1])}
        found: list[tuple[int, PairRows | dict[Key, str]]] = []
        for i, request in task.requests.items():
            both, first = is_pair and not request.is_symmetric, 1
            if is_pair and i in self.drawn:  # for one of the two first: names must not decide which
                first = -1 if self.panel.digests[key[1]] > self.panel.digests[key[2]] else 1
            for way in (1, -1) if both else (first,):
                who = task.annotators[:, :: way if both else 1]
                try:
                    statistics = counters[way].statistics(request)
                except ValueError as error:
                    if len(who) > 1:
                        found += [one for half in task.halves(i) for one in self.of_task(half)]
                        break
                    names = [self.panel.names[number] for number in task.annotators[0, ::way]]
                    names[0] = names[0] if is_pair else "the majority"
                    found.append((i, {key_of(who[0].tolist()): _with_names(error, names)}))
                else:
                    found.append((i, rows_of(who, task.docs, statistics, task.whole)))
        return found

    def counter(self, sides: Sequence[Spans]) -> PairCounter:
        """The function that counts two aligned annotators."""
        gold, pred = sides
        known = dict(self.placements)
        return PairCounter(gold, pred, self.draws, self.seed, progress=self.progress, known=known)

    @cached_property
    def placements(self) -> dict[Hashable, None]:
        """Placements that fit every annotator alone, which pairs need not check again."""
        known: dict[Hashable, None] = {}
        for placement in {request.placement for request in self.requests} - {"none"}:
            try:
                for spans in self.panel.annotations:  # a majority of such is such
                    check_placement(spans, spans, placement)
            except ValueError:
                continue
            known[f"check {placement}"] = None
        return known

    def team(
        self, request: Request, rows: Sequence[PairRows], reasons: dict[Key, str]
    ) -> list[PairRows]:
        """The statistics of the team: of all annotators at once, or the sum over the pairs.

        Where there are none, the reason is added.
        """
        metric, docs = request.row, np.flatnonzero(self.panel.shared)
        faults = [reasons[key] for key in pairs_in_order(reasons)]
        try:
            if lacks_complete_items(metric, self.panel):
                reasons[TEAM] = INCOMPLETE.format(len(self.panel))
            elif metric.team:
                count = partial(metric.count, **request.counted)
                return team_rows(docs, Statistics(self.of_team(metric, count)))
            elif metric.parts or metric.bits:
                reasons[TEAM] = OF_TWO if metric.parts else OF_BITS
            elif faults:
                reasons[TEAM] = faults[0]
            else:
                pairs = (one for one in rows if one.kind == "pair")
                total = sum_of_rows(pairs, self.panel.seen.shape[1])
                if total is not None and request.is_symmetric:  # of a team nobody is gold
                    total = total.each(lambda part: part + _mirrored(part))
                return team_rows(docs, total) if total is not None else []
        except ValueError as error:
            reasons[TEAM] = _with_names(error, self.panel.names)
        return []

    def of_team(self, metric: Metric, count: Callable[..., Additive]) -> Additive:
        """The statistics of all annotators at once."""
        if metric.anonymous:
            try:
                return count(self.panel.packed)
            except ValueError:  # which names somebody else
                pass
        return count(self.panel.aligned)


def counts_team(metric: Metric) -> bool:
    """Whether the team is counted at once, or not at all, but not as the sum of its pairs."""
    return bool(metric.team or metric.parts or metric.bits)


def _with_names(error: ValueError, names: Sequence[str]) -> str:
    """A message in which "annotator 2:" is called by name."""
    numbered = {str(number): name for number, name in enumerate(names, 1)}
    return re.sub(r"\bannotator (\d+):", lambda m: f"{numbered.get(m[1], m[0])}:", str(error))


def _mirrored(part: Additive) -> Additive:
    """The statistics that prediction and gold would have, swapped."""
    names = [one.name for one in fields(part)]
    return type(part)(*(getattr(part, MIRROR.get(name, name)) for name in names))


# --- the counts of blocks


def merge_counts(counts: Iterable[Counts], use_up: bool = False) -> Counts:
    """The counts of several blocks of a corpus, in order.

    They were counted with the same labels and arguments. Rows are kept if all blocks have them.

    With `use_up` the blocks are emptied on the way: then there is no time at which all rows are in
    memory twice.
    """
    blocks = list(counts)
    if len(blocks) == 1:
        return blocks[0]
    first, by_document = blocks[0], all(one.by_document for one in blocks)
    join = np.concatenate if by_document else _added
    keyed = all(one.words is not None for one in blocks)  # sums have none
    sentences = [one.n_sentences for one in blocks if one.n_sentences is not None]
    return replace(
        first,
        seen=np.concatenate([one.seen for one in blocks], axis=1),
        contents=np.concatenate([one.contents for one in blocks], axis=1),
        metrics={name: _merged_metric(blocks, name, use_up) for name in list(first.metrics)},
        n_spans=_added([one.n_spans for one in blocks]),
        n_unplaced=_added([one.n_unplaced for one in blocks]),
        n_sentences=sum(sentences) if len(sentences) == len(blocks) else None,
        marks=np.concatenate([one.marks for one in blocks]),
        support=_merged_support(blocks, join),
        confusions=_merged_confusions(blocks),
        words=np.concatenate([one.words for one in blocks]) if keyed else None,
        named=np.concatenate([one.named for one in blocks]) if keyed and first.gold else None,
        documents=_joined_names(blocks, by_document),
        attributes={
            name: tuple(chain.from_iterable(one.attributes[name] for one in blocks))
            for name in (first.attributes if by_document else ())
        },
        spans=None
        if first.spans is None or not by_document
        else tuple(concatenated(side) for side in zip(*(one.spans or () for one in blocks))),
    )


def _added(arrays: Sequence[Array]) -> Array:
    """The sum of arrays, which may be kept in few bytes."""
    return reduce(np.add, map(wide, arrays))


def _merged_support(blocks: Sequence[Counts], join: Callable[..., Array]) -> dict[Key, Array]:
    """One `Counts.support` of those of several blocks; not all pairs share documents in each."""
    tables: dict[Key, list[Array]] = {}
    for block in blocks:
        for key, table in block.support.items():
            tables.setdefault(key, []).append(table)
    return {key: (join if key[0] == "annotator" else _added)(some) for key, some in tables.items()}


def _merged_confusions(blocks: Sequence[Counts]) -> dict[Key, dict[str, dict[str, int]]]:
    """One `Counts.confusions` of those of several blocks."""
    found: dict[Key, dict[str, dict[str, int]]] = {}
    for key, matrix in chain.from_iterable(block.confusions.items() for block in blocks):
        for first, row in matrix.items():
            mine = found.setdefault(key, {}).setdefault(first, {})
            for second, n in row.items():
                mine[second] = mine.get(second, 0) + n
    return found


def _merged_metric(blocks: Sequence[Counts], name: str, use_up: bool) -> Counted:
    """One `Counted` of those of several blocks, without the statistics of which one lacks some."""
    counted = [one.metrics[name] for one in blocks]
    texts: dict[Key, list[str]] = {}
    for one in counted:
        for key, reason in one.reasons.items():
            texts.setdefault(key, []).append(reason)
    reasons = {key: _joined_reason(some) for key, some in texts.items()}
    faults = [reasons[key] for key in pairs_in_order(reasons)]
    if faults and not counts_team(METRICS[name.partition("(")[0]]):
        reasons[TEAM] = faults[0]
    macro: dict[Key, tuple[float, int]] = {}
    for key, (total, n) in chain.from_iterable(one.macro.items() for one in counted):
        if key not in reasons:
            before = macro.get(key, (0.0, 0))
            macro[key] = before[0] + total, before[1] + n
    rows = list(_moved_rows(blocks, name, reasons))
    for block in blocks if use_up else ():
        cast("dict[str, Counted]", block.metrics).pop(name)
    unit = None if blocks[0].by_document else np.zeros(sum(one.n_docs for one in blocks), np.int64)
    return Counted(reasons, macro, merged_rows(rows, unit))


def _moved_rows(
    blocks: Sequence[Counts], name: str, left_out: Container[Key]
) -> Iterator[PairRows]:
    """The rows of a metric in all blocks, with the documents of all of them, but for some keys."""
    n_docs = 0
    for block in blocks:
        for rows in block.metrics[name].rows:
            kept = rows.some([i for i, key in enumerate(rows.keys) if key not in left_out])
            if len(kept.docs):
                yield replace(kept, docs=kept.docs + n_docs)
        n_docs += block.n_docs * block.by_document


def _joined_reason(texts: Sequence[str]) -> str:
    """The first of some reasons; documents that are counted in it are counted in all of them."""
    found = [SUCH.search(text) for text in texts]
    if found[0] is None:
        return texts[0]
    return SUCH.sub(str(sum(int(one[0]) for one in found if one)), texts[0])


def pairs_in_order(keys: Iterable[Key]) -> list[Key]:
    """The pairs among some keys, as they are counted: both orders of one after the other."""
    return sorted((key for key in keys if key[0] == "pair"), key=lambda k: (sorted(k[1:]), k))


def _joined_names(blocks: Sequence[Counts], by_document: bool) -> Any:
    """Names of all documents or, without rows, of those that are kept; None if some have none."""
    names = [one.documents for one in blocks if one.documents is not None]
    if len(names) < len(blocks):
        return None
    if by_document:
        return tuple(chain.from_iterable(names))
    kept: dict[int, str] = {}
    first = 0
    for one in blocks:
        assert isinstance(one.documents, Mapping)
        kept = {first + doc: name for doc, name in one.documents.items()} | kept
        first += one.n_docs
    return kept
