"""`agree`: how reliable are these annotations, beyond chance? From panels and from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ..corpora.jobs import requests_of_panel
from ..corpora.panels import AnnotatorSources, find_annotators, panel_of
from ..corpora.passes import SINGLE_FILES, CountedSources, Workers, check_workers, count_sources
from ..corpora.sources import parse_source
from ..corpora.treebanks import Sentences
from ..formats import Corpus
from ..formats.keys import Reading
from ..formats.paths import is_several
from ..measures.panel import Panel
from ..measures.trees.trees import TreePanel, Trees
from ..metrics.request import Metrics
from ..reports.agreement import agreement_report
from ..scoring.agreement import agreement, agreement_of, check_annotators
from ..scoring.counts import Progress
from ..scoring.intervals import Resampling, alone_notes, cluster_unit
from ..scoring.scores import team_facts
from ..scoring.trees import count_trees, tree_requests, tree_unit
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .records import Frame
from .settings import Teamwork, clusters_of
from .tabular import NUMBERS, Indexed

SEVERAL_FILES = (
    "name a file or layer of each, or say what distinguishes the annotators (--annotators)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Indexed):
    """The agreement of a panel. It prints as tables, and notebooks show it as a table.

    Indexed by the name of a metric, it gives the results of that metric.

    Attributes
    ----------
    result : dict
        All numbers, as in the JSON of `spacy-chance-eval agree`.
    panel : Panel or TreePanel, optional
        The annotators; None if files were too large to be read at once.
    corpus : Corpus, optional
        The documents, if they are known, with a layer for each annotator; for trees, the sentences
        by annotator.
    """

    _parts = "metrics", "metric"
    _compose = staticmethod(agreement_report)
    panel: Panel | TreePanel | None = None
    corpus: Corpus | Sentences | None = None

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each score, ready for a data frame.

        `scope` is "mean" (of the pairs), "team", "pair", "others", "majority" or "document";
        `first` and `second` are annotators, `label` is None for all labels together.
        """
        return [row for metric in self.result["metrics"] for row in _records(metric)]


def _records(metric: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The flat rows of one metric."""
    for scope in ("mean", "team"):
        yield _record(metric, scope, metric[scope])
        for row in metric["per_label"]:
            yield _record(metric, scope, row[scope], label=row["label"])
    for pair in metric["pairs"]:
        names = {"first": pair["first"], "second": pair["second"]}
        yield _record(metric, "pair", pair, **names)
        for label, row in pair["per_label"].items():
            yield _record(metric, "pair", row, **names, label=label)
    for row in metric["annotators"]:
        for scope in ("others", "majority"):
            yield _record(metric, scope, row[scope], first=row["annotator"])
    for row in metric["documents"]:
        yield _record(metric, "document", row, document=row["document"])


def _record(
    metric: Mapping[str, Any],
    scope: str,
    row: Mapping[str, Any],
    **where: str,
) -> dict[str, Any]:
    """One flat row; `where` has `first` and `second`, the `label`, or the `document`."""
    return {
        "metric": metric["metric"],
        "scope": scope,
        **dict.fromkeys(("first", "second", "label", "document")),
        **where,
        **{key: row.get(key) for key in NUMBERS},
        "n_docs": row.get("n_docs", 1),
        "reason": row.get("reason"),
    }


@explain_arguments
def agree(
    annotators: Panel
    | TreePanel
    | Mapping[str, Annotation | Trees]
    | Sequence[Annotation | Trees]
    | Frame,
    metrics: Metrics | None = None,
    *,
    layer: str = "ents",
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    positions: str | None = None,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str | None = None,
    worst: int | None = 20,
    draws: int = 1000,
    seed: int = 0,
    pairs: bool = True,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """The agreement of several annotators, beyond chance.

    Parameters
    ----------
    annotators : Panel, mapping of str to annotation, sequence of annotation, or records
        Of the same documents, in any form that `evaluate` takes, with None for a document that the
        annotator has not seen. Records with a column `annotator` are those of all. If any
        has no start, end and label, documents without rows have not been seen; else they have.
        Or `Trees` of the same sentences, or a `TreePanel`: no option of spans is for these.
    metrics : sequence of str or Request, optional
        Any of the catalog. By default corrected span and token F, and u-alpha; of categories
        percent agreement, alpha, Fleiss' kappa and AC2. Of trees as in `evaluate`.
    sizes, clusters, data
        Those of `evaluate`.
    layer
        That of `evaluate`.
    draws
        That of `evaluate`.
    seed
        That of `evaluate`.
    positions : "token", "char" or "category", optional
        Unit of positions, if the annotators are no `Panel`; by default that of their files.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents that two annotators saw.
    unit : str, optional
        Name of the clusters, for signatures.
    worst : int or None
        How many documents to name, those that cost the team most; None for all documents.
    pairs : bool
        Without, only the team is scored: no pairs, no annotator against the others. It takes a
        fraction of the time for metrics that know a team, such as `u_alpha`.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    Agreement
        Of all pairs (each over the documents that both saw), their mean weighted by shared
        documents, each annotator against the others and against their majority, labels,
        documents, and the team as a whole. Undefined values have a reason in words. Documents of
        trees are sentences, their spans are nodes. Of alpha, `observed` is 1 - D_o and `expected`
        1 - D_e: disagreements are mean squared distances, so both may be far below 0.

    Examples
    --------
    >>> from spacy_chance_eval import Resampling, Spans, Trees, agree
    >>> alice = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")]], sizes=[9, 9])
    >>> bob = Spans.from_tuples([[(0, 2, "PER")], [(4, 6, "LOC")]], sizes=[9, 9])
    >>> found = agree({"alice": alice, "bob": bob}, ["span_f"], intervals=Resampling(0))
    >>> round(found["span_f"]["mean"]["corrected"], 4)
    0.4667
    >>> ann = Trees.from_heads([[2, 0, 4, 2], [2, 0]], [["SUBJ", "PRED", "DET", "OBJ"], ["A", "B"]])
    >>> bob = Trees.from_heads([[2, 0, 2, 2], [2, 0]], [["SUBJ", "PRED", "DET", "OBJ"], ["A", "B"]])
    >>> found = agree({"ann": ann, "bob": bob})
    >>> round(found["syntax_alpha"]["team"]["corrected"], 4)
    0.8235
    >>> round(found["las"]["team"]["observed"], 4)
    0.8333
    """
    intervals = Resampling(1000) if intervals is None else intervals
    settings: dict[str, Any] = {"intervals": intervals, "clusters": clusters, "worst": worst}
    settings |= {"data": data, "progress": progress}
    if (trees := _tree_panel(annotators)) is not None:
        given = (layer, positions, draws, seed, pairs, sizes is None)
        if given != ("ents", None, 1000, 0, True, True):
            raise ValueError(
                "layer, sizes, positions, draws, seed and pairs are of spans, but these are trees; "
                "leave them out"
            )
        requests = tree_requests(trees.kind, metrics)
        counts = count_trees(trees, requests.values())
        unit = tree_unit(unit, clusters)
        return Agreement(agreement_of(counts, requests, unit=unit, **settings), trees)
    panel = Inputs("agree", layer, sizes=sizes).panel(annotators, metrics, positions)
    check_annotators(panel.names, "pass the annotation of each of them")
    requests = requests_of_panel(panel, metrics or ())
    unit = cluster_unit(unit or intervals.unit, clusters)
    settings |= {"unit": unit, "draws": draws, "seed": seed, "pairs": pairs}
    return Agreement(agreement(panel, requests, **settings), panel)


def _tree_panel(annotators: Any) -> TreePanel | None:
    """The panel of annotators of trees; None if these are not trees, or not all."""
    panel = annotators
    if not isinstance(panel, TreePanel):
        if isinstance(annotators, Sequence):
            annotators = {f"annotator {i}": one for i, one in enumerate(annotators, 1)}
        works = annotators.values() if isinstance(annotators, Mapping) else ()
        if not works or not all(isinstance(one, Trees) for one in works):
            return None
        panel = TreePanel(dict(annotators))
    check_annotators(panel.names, "pass the annotation of each of them")
    return panel


def agree_files(
    sources: Sequence[object],
    *,
    reading: Reading | None = None,
    workers: Workers | None = None,
    title: str | None = None,
    keep: bool = False,
    **teamwork: Any,
) -> Agreement:
    """The `Agreement` of annotators in files.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH[#LAYER] of files, folders or patterns.
    reading : Reading, optional
        How files are read.
    workers : Workers, optional
        How large files are divided and counted, and the callback for progress.
    title : str, optional
    keep : bool
        Whether the documents are needed afterwards, for pages: then all are read at once.
    **teamwork
        The settings of `Teamwork`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    how = Teamwork(**teamwork)
    if keep:
        check_workers(workers)
    paths = [parse_source(one).path for one in sources]
    if workers and workers.skip_bad and not any(map(is_several, paths)):
        raise ValueError(SINGLE_FILES)
    annotators = find_annotators(sources, reading, **how.who)
    counted = count_sources(annotators.sources, how.team_job(annotators), workers, keep=keep)
    where = ", ".join(map(str, sources))
    check_annotators(counted.counts.names, SEVERAL_FILES, f"{where}: ")
    if not counted.counts.seen.any():
        raise ValueError(
            f"{where}: no document is annotated; tasks of Prodigy count when they are accepted, "
            "decisions also when they are rejected"
        )
    if not counted.counts.n_all_shared:
        raise ValueError(
            f"{where}: no two annotators saw the same document; give files in which documents have "
            "the same ids, or the same texts, each once"
        )
    size = counted.counts.n_docs, counted.counts.words is not None
    made = how.intervals.of_docs(*size)
    cluster = how.cluster if made == how.intervals else "none"
    about = about_annotators(annotators, counted, cluster, where)
    result = agreement_of(
        counted.counts,
        counted.requests,
        intervals=made,
        worst=how.worst,
        draws=how.drawn,
        **about,
        progress=workers.progress if workers else None,
    )
    result["notes"] += alone_notes(about["unit"], about["clusters"]) + how.intervals.notes(*size)
    result["notes"] += [f"left out: {o['files'][0]} ({o['reason']})" for o in counted.left_out]
    if not counted.counts.by_document and how.worst != 0:
        result["notes"].append(
            "no documents are named: of so much text, they are kept apart for intervals, or if all "
            "of them are asked for"
        )
    named = {"title": title or where, "sources": list(map(str, sources))}
    warnings = [*counted.reading_warnings, *result["warnings"]]
    result = named | result | {"left_out": list(counted.left_out), "warnings": warnings}
    result |= counted.blemishes()
    if counted.corpora is None:
        return Agreement(result)
    corpus = annotators.merge(counted.corpora, counted.annotators)
    return Agreement(result, panel_of(corpus, annotators.categories), corpus)


def about_annotators(
    annotators: AnnotatorSources,
    counted: CountedSources,
    cluster: str = "auto",
    where: str = "",
) -> dict[str, Any]:
    """The clusters of documents, their name, and the description of the data in signatures."""
    numbers = range(len(annotators.sources))
    repair = team_facts({"repair": counted.survey.repairs(number)} for number in numbers)
    unit, clusters = clusters_of(counted, cluster, where)
    data = {**repair, **counted.notes.signed(), **counted.signed()}
    return {"clusters": clusters, "unit": unit, "data": data}
