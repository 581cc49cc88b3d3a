"""The functions for Python: `evaluate`, `report`, `leaderboard`, `diff`, `compare`.

They take annotation in any common form (see `inputs`), and return objects that print as tables (see
`results`). `agree` is in a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..analysis import diff as find_differences
from ..corpora.pairs import CorpusPair
from ..formats import Corpus, Document
from ..formats.notes import unevaluated
from ..measures.alignment import align, n_marked
from ..measures.arrays import BoolArray
from ..measures.chance.expectation import are_disjoint
from ..measures.spans import Spans
from ..measures.trees.trees import Trees
from ..metrics.request import Metrics, Request
from ..reports.scores import LABEL_SCORES, label_report
from ..runs import compare as compare_runs
from ..runs.run import StoredRun, stored_run
from ..scoring import boards, evaluation
from ..scoring.boards import BOARD_METRICS
from ..scoring.counts import Progress
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison
from ..scoring.warnings import pair_warnings
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .results import LabelReport, Leaderboard, RunComparison, Scores, SpanDiff, span_diff


@explain_arguments
def evaluate(
    gold: Annotation | Trees,
    pred: Annotation | Trees | None = None,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    layer: str = "ents",
    pred_layer: str | None = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    per_doc: bool = False,
    p_values: bool = False,
    draws: int = 1000,
    seed: int = 0,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Callable[..., Iterable[Any]] = iter,
) -> Scores:
    """Scores of a prediction against gold, one per metric.

    Parameters
    ----------
    gold : annotation
        `Spans`; a list for each document of tags (IOB1, IOB2, BIOES, BILUO), of (start, end,
        label), or of {"start", "end", "label"}; a list of Docs; or records: flat rows, or a data
        frame, with document, start, end and label. Improper tags are an error. Without `pred`, a
        list of Examples. Or `Trees`, for which no option of spans is.
    pred : annotation, optional
        In any of these forms, of the same tokens. Improper tags are read as the conlleval script
        does.
    metrics : sequence of str or Request
        Such as "span_f" or "token_f(encoding=BIO,chance=disjoint)"; by default the usual ones. Of
        trees any of `TREE_CATALOG`, by default alpha, with LAS, UAS and label accuracy of
        dependency trees, with the Jaccard index of labelled brackets of constituency trees.
    layer : str
        Of Docs and Examples: "ents" or "spans:KEY".
    pred_layer : str, optional
        The layer of the prediction; by default that of gold.
    sizes : integer array_like, or mapping of names to lengths, optional
        The length of each document, for tuples, dicts and records; {name: length} also says which
        documents there are.
    per_doc : bool
        Also score every document that both saw, under the names of the documents.
    p_values : bool
        Also draw random annotations for metrics with a chance model that were expected exactly, and
        report how often they score as high as the prediction.
    draws : int
        Number of random annotations, where an expectation has no formula (SL-ICM; link, BCubed and
        Int-F of overlapping spans) and for p-values.
    seed : int
        Of the random annotations.
    intervals : Resampling, optional
        Also make confidence intervals in this way.
    clusters : sequence, optional
        The name of each document's cluster, where documents come in such: these are resampled.
    data : mapping, optional
        Further facts about the data for signatures; by default how improper tags were read.
    progress : callable
        Wraps the range of draws, and the blocks of weights; for progress bars.

    Returns
    -------
    Scores
        A mapping from the metrics as they were asked for to `Score`. It prints as tables, and has
        `to_dict()`, `records()` and `to_frame()`. Documents of trees are sentences, `gold` and
        `pred` numbers of nodes, labels the relations of attachment scores.

    Raises
    ------
    ValueError
        For unknown metrics, corpora that differ, spans that contradict the chance model, and what
        is no annotation.

    Examples
    --------
    >>> from spacy_chance_eval import evaluate
    >>> gold = [["B-PER", "I-PER", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    >>> pred = [["B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC", "O", "O", "O"]]
    >>> score = evaluate(gold, pred, ["span_f"])["span_f"]
    >>> score.observed, round(score.expected, 4), round(score.corrected, 4)
    (0.5, 0.0625, 0.4667)
    >>> from spacy_chance_eval import Trees
    >>> gold = Trees.from_heads([[2, 0, 4, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> pred = Trees.from_heads([[2, 0, 2, 2], [2, 0]], [list("ABCD"), list("AB")])
    >>> round(evaluate(gold, pred, ["las"])["las"].observed, 4)
    0.8333
    """
    if isinstance(gold, Trees) and isinstance(pred, Trees):
        from .trees import score_trees_given

        given = (layer, pred_layer, sizes is None, p_values, draws, seed)
        if given != ("ents", None, True, False, 1000, 0):
            raise ValueError(
                "layer, pred_layer, sizes, p_values, draws and seed are of spans, but these are "
                "trees; leave them out"
            )
        return score_trees_given(
            gold,
            pred,
            None if metrics is DEFAULT_METRICS else metrics,
            per_doc=per_doc,
            intervals=intervals,
            clusters=clusters,
            data=data,
            progress=lambda steps, total=None, what="": progress(steps),
        )
    one, two = Inputs("evaluate", layer, pred_layer, sizes).pair(gold, pred)
    pair = align(one, two)
    requests = evaluation.span_requests(metrics)
    scores = evaluation.evaluate(
        *pair,
        requests,
        per_doc=per_doc,
        p_values=p_values,
        draws=draws,
        seed=seed,
        intervals=intervals,
        clusters=clusters,
        data=data,
        progress=progress,
    )
    seen = pair[0].seen
    about = {
        "n_docs": int(seen.sum()),
        "n_sentences": pair[0].n_sentences(seen),
        "n_skipped": int((~seen).sum()),
        "n_gold": n_marked(pair[0]),
        "n_pred": n_marked(pair[1]),
        "n_unplaced": len(pair[1].unplaced),
        "warnings": _warnings(one, pair, requests),
    }
    return Scores(scores, about)


def _warnings(
    gold: Spans, pair: tuple[Spans, Spans], metrics: Mapping[str, Request] | None = None
) -> list[str]:
    """The warnings about gold, as it was given, and aligned annotations."""
    lost = unevaluated(n_marked(gold) - n_marked(pair[0])).sentences()
    return [*lost, *pair_warnings(*pair, metrics=metrics)]


@explain_arguments
def report(
    gold: Annotation | None = None,
    pred: Annotation | None = None,
    *,
    layer: str = "ents",
    pred_layer: str | None = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    digits: int = 2,
    chance: str | None = None,
    unit: str = "sentence",
) -> LabelReport:
    """Precision, recall and F of each label, the F that chance reaches, and F beyond chance.

    Parameters
    ----------
    gold, pred : annotation
        Those of `evaluate`.
    pred_layer, sizes
        Those of `evaluate`.
    layer
        That of `evaluate`.
    digits : int
        Decimals of the printed table.
    chance : str, optional
        The chance model: by default "disjoint", or "overlapping" if spans of one label overlap.
    unit : "sentence" or "document"
        Where chance places spans: in their sentence, if gold knows it, or anywhere in their
        document.

    Returns
    -------
    LabelReport
        Prints as a table, and maps each label, "micro avg" (all labels pooled) and "macro avg" (the
        mean of the labels for which a score is defined: precision of those that were predicted,
        recall of those of gold, F of both) to `precision`, `recall`, `f1-score`,
        `expected`, `corrected` and `support`, the number of gold spans; None where undefined.

    Raises
    ------
    ValueError
        For corpora that differ, spans that contradict the chance model, and other input.

    Examples
    --------
    >>> from spacy_chance_eval import report
    >>> gold = [["B-PER", "I-PER", "O", "O", "O", "B-LOC", "O", "O", "O"]]
    >>> pred = [["B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC", "O", "O", "O"]]
    >>> result = report(gold, pred)
    >>> result["PER"]["f1-score"], round(result["micro avg"]["corrected"], 4)
    (1.0, 0.4667)
    """
    one, two = Inputs("report", layer, pred_layer, sizes).pair(gold, pred)
    pair = align(one, two)
    if chance is None:
        chance = "disjoint" if all(map(are_disjoint, pair)) else "overlapping"
    metrics = {
        key: f"{metric}(chance={chance},unit={unit})" for key, metric in LABEL_SCORES.items()
    }
    scores = evaluation.evaluate(*pair, metrics)
    rows = label_report({key: score.to_dict() for key, score in scores.items()})
    return LabelReport(rows, digits, scores["f1-score"].signature, _warnings(one, pair))


@explain_arguments
def leaderboard(
    gold: Annotation,
    systems: Mapping[str, Annotation] | Annotation,
    metrics: Metrics = BOARD_METRICS,
    *,
    layer: str = "ents",
    pred_layer: str | None = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    clusters: Sequence[Any] | None = None,
    subsets: Mapping[str, Mapping[str, BoolArray]] | None = None,
    intervals: Resampling | None = None,
    comparison: Comparison | None = None,
    worst: int = 0,
    draws: int = 1000,
    data: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> Leaderboard:
    """Boards of all systems, for each metric over all spans, by label, and by subset.

    Parameters
    ----------
    gold : annotation
        That of `evaluate`.
    systems : mapping of str to annotation, or records
        Each has to annotate all that gold does, on the same tokens; or records of all of them, with
        a column `system`.
    metrics : sequence, or mapping from shorter names, of str or Request
        Each gets a board. With a mapping, boards are shown under the shorter names.
    pred_layer, sizes, clusters
        Those of `evaluate`.
    layer
        That of `evaluate`.
    draws
        That of `evaluate`.
    subsets : mapping, optional
        {how documents are divided: {part: boolean array of shape (n_docs,)}}; the parts are made by
        `scoring.subsets.divide`.
    intervals : Resampling, optional
        By default 10,000 resamples with seed 0. They are the same for all systems and metrics.
    comparison : Comparison, optional
        By default approximate randomisation, at .05 for all pairs of a board together.
    worst : int
        How many documents to name that cost each system most, by the first metric.
    data : mapping, optional
        {system: what more the signature should say of its data}; by default how improper tags were
        read.
    progress : callable, optional
        That of `agree`.

    Returns
    -------
    Leaderboard
        A mapping of plain values, ready for JSON: `systems`, `left_out`, `warnings`, `notes`,
        `resampling` and `boards`, each with a row per system and a test per pair of systems. It
        prints as tables, and has `to_dict()`, `records()` and `to_frame()`.

    Raises
    ------
    ValueError
        For gold that contradicts the chance model, unknown metrics, no comparable system, and what
        is no annotation.

    Examples
    --------
    >>> from spacy_chance_eval import leaderboard
    >>> gold = [["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"]]
    >>> half = [["B-PER", "I-PER", "O"], ["O", "O", "O"]]
    >>> board = leaderboard(gold, {"half": half, "all": gold}, ["span_f"])["boards"][0]
    >>> [(row["system"], row["rank"]) for row in board["rows"]]
    [('all', 1), ('half', 2)]
    """
    spans, predictions = Inputs("leaderboard", layer, pred_layer, sizes).systems(gold, systems)
    result = boards.leaderboard(
        spans,
        predictions,
        metrics,
        clusters=clusters,
        subsets=subsets,
        intervals=intervals,
        comparison=comparison,
        worst=worst,
        draws=draws,
        data=data,
        progress=progress,
    )
    if result["left_out"]:
        names = ", ".join(one["name"] for one in result["left_out"])
        result["warnings"].append(f"On no board, as `left_out` explains: {names}.")
    return Leaderboard({"title": "Leaderboard", "gold": "gold", "layer": None, **result})


@explain_arguments
def diff(
    gold: CorpusPair | Annotation,
    pred: Annotation | None = None,
    *,
    layer: str = "ents",
    pred_layer: str | None = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    labels: Iterable[str] = (),
    relations: Iterable[str] = (),
    equal: bool = False,
    features: str = "none",
    beta: float = 1.0,
) -> SpanDiff:
    """Differences between a prediction and gold: pairs, errors, confusions, worst documents.

    Parameters
    ----------
    gold : annotation
        That of `evaluate`; without `pred`, also what `side_by_side` or `read_compared` return.
    pred, pred_layer, sizes
        Those of `evaluate`.
    layer
        That of `evaluate`.
    labels, relations : iterable of str
        Show differences with any of them only; all, if there are none.
    equal : bool
        Also show documents without a difference, in `records()` too.
    features : "none", "all" or names joined by "+"
        Features that must agree for a pair to be correct or partial.
    beta : float
        Of all F: above 1 it favours recall.

    Returns
    -------
    SpanDiff
        A `Diff` that prints as tables, and has `to_dict()`, `records()` (a row for each pair) and
        `to_frame()`.

    Raises
    ------
    ValueError
        For filters that name no label or relation, features that no span has,
        annotations without a document that both saw, and input that is not annotation.

    Examples
    --------
    >>> from spacy_chance_eval import diff
    >>> gold = [["B-PER", "I-PER", "O", "B-LOC"]]
    >>> pred = [["B-PER", "O", "O", "B-LOC"]]
    >>> [(row["relation"], row["gold_end"], row["pred_end"]) for row in diff(gold, pred).records()]
    [('partial', 2, 1), ('correct', 4, 4)]
    """
    if isinstance(gold, CorpusPair):
        if pred is not None or sizes is not None or (layer, pred_layer) != ("ents", None):
            raise ValueError(
                "gold is a pair of corpora already, with layers and sizes; expected diff(pair), "
                "and its layers in side_by_side(..., layer=...)"
            )
    else:
        gold = _pair_of_spans(*Inputs("diff", layer, pred_layer, sizes).pair(gold, pred))
    found = find_differences(
        gold,
        labels=labels,
        relations=relations,
        equal=equal,
        features=features,
        beta=beta,
    )
    return span_diff(found)


def _pair_of_spans(gold: Spans, pred: Spans) -> CorpusPair:
    """The documents of gold and a prediction, for what shows them."""
    words = gold.words or pred.words
    names: Sequence[str | None] = gold.names or pred.names or [None] * gold.n_docs
    corpus = Corpus(
        "gold",
        [
            Document(
                words=words[start : start + size] if words else (),
                layers={},
                name=name,
                size=None if words else int(size),
            )
            for name, start, size in zip(names, gold.offsets, gold.sizes)
        ],
    )
    sources = ("gold", "prediction")
    return CorpusPair(corpus, "spans", corpus, "spans", sources, spans=(gold, pred))


@explain_arguments
def compare(
    *annotations: StoredRun | Annotation,
    metrics: Metrics = (),
    force: bool = False,
    intervals: Resampling | None = None,
    comparison: Comparison | None = None,
    verbose_below: float | None = None,
    top: int | None = None,
    progress: Progress | None = None,
) -> RunComparison:
    """The changes of scores from an old prediction, or its run, to a new one: new minus old.

    `compare(old, new)` takes stored runs, `compare(gold, old, new)` annotation. Of runs everything
    comes from the stored statistics; nothing is predicted or read again.

    Parameters
    ----------
    *annotations : StoredRun or annotation
        Two runs on the same gold annotation, with the same metrics and parameters; or gold and two
        predictions, in any form that `evaluate` takes.
    metrics : sequence of str or Request
        Of runs some of the stored metrics, by default all, span_f first; of annotation by default
        the usual ones. The first one leads: documents are listed by it, thresholds look at it.
    force : bool
        Compare the common part of runs that differ in gold or metrics.
    intervals : Resampling, optional
        By default 10,000 resamples with seed 0.
    comparison : Comparison, optional
        The paired test of both runs; by default approximate randomisation, at .05.
    verbose_below : float, optional
        Also list the wrong annotations of documents whose new observed score is lower, by the first
        metric, if the new run has annotations.
    top : int, optional
        How many documents and annotations the lists have; by default all.
    progress : callable, optional
        That of `agree`.

    Returns
    -------
    RunComparison
        A mapping of plain values, ready for JSON: both runs, `notes`, and for every metric its
        total and its labels with their tests. It prints as tables, and has `to_dict()`,
        `records()` and `to_frame()`.

    Raises
    ------
    ValueError
        If the runs do not compare: says what differs.

    Examples
    --------
    >>> from spacy_chance_eval import Spans, compare, stored_run
    >>> gold = Spans.from_tags([["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"]])
    >>> half = Spans.from_tags([["B-PER", "I-PER", "O"], ["O", "O", "O"]])
    >>> old, new = (stored_run(gold, pred, ["span_recall"]) for pred in (half, gold))
    >>> compare(old, new).records()[0]["difference"] > 0
    True
    >>> compare(gold, half, gold, metrics=["span_recall"]).records()[0]["difference"] > 0
    True
    """
    if len(annotations) == 3:
        gold, *preds = annotations
        spans, systems = Inputs("compare").systems(gold, dict(zip(("old", "new"), preds)))
        requests = evaluation.span_requests(metrics or DEFAULT_METRICS)
        runs = [stored_run(spans, pred, requests, title=name) for name, pred in systems.items()]
    else:
        runs = [one for one in annotations if isinstance(one, StoredRun)]
    if len(runs) != 2 or len(annotations) not in (2, 3):
        kinds = ", ".join(type(one).__name__ for one in annotations) or "nothing"
        raise TypeError(
            f"compare() got {kinds}; expected compare(gold, old, new), or of stored runs "
            "compare(old, new)"
        )
    several = [metrics] if isinstance(metrics, (str, Request)) else metrics
    result = compare_runs(
        *runs,
        metrics=[*map(str, several)],
        force=force,
        intervals=intervals,
        comparison=comparison,
        verbose_below=verbose_below,
        top=top,
        progress=progress,
    )
    return RunComparison(result)
