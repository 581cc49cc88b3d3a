"""`replace_test`: may a candidate take the place of an annotator? From panels and from files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import ArrayLike

from ..about import __version__
from ..corpora.jobs import chance_model, panel_requests
from ..corpora.panels import PanelOptions, check_candidate_names, read_panel_with
from ..formats.errors import did_you_mean
from ..measures.alignment import divide_by_sentence
from ..measures.arrays import IntArray, distinct
from ..measures.panel import Panel
from ..measures.trees.trees import TreePanel, Trees
from ..metrics.request import Request, written
from ..reports.replacement import replacement_text
from ..scoring.agreement import agreement, agreement_of
from ..scoring.counts import Progress, no_progress
from ..scoring.intervals import Resampling, article_clusters, cluster_unit
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
from ..scoring.scores import signature
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .tabular import Tabular

if TYPE_CHECKING:
    from ..corpora.treebanks import TreebankOptions

AnyPanel: TypeAlias = Panel | TreePanel

RELIABLE = 0.667  # alpha: Krippendorff (2004) draws tentative conclusions from no less
UNITS = ("documents", "sentences", "tokens")
FEW_ANNOTATORS = 3  # that the paper asks for
DEPENDENT = (
    "tokens of one document are no independent instances, as the test takes them to be: p-values "
    "are too small; compare documents or sentences to be safe"
)


@dataclass(frozen=True, eq=False)
class Replacement(Tabular):
    """Whether candidates may replace an annotator. It prints as a verdict and tables.

    Indexed by the name of a candidate, it gives the results of that candidate.

    Attributes
    ----------
    result : dict
        All numbers, as in the JSON of `spacy-chance-eval agree --candidate`.
    panel : Panel or TreePanel
        The annotators, and the candidates among them.
    """

    result: dict[str, Any]
    panel: AnyPanel

    def __str__(self) -> str:
        return replacement_text(self.result)

    __repr__ = __str__  # not that of a dataclass

    def _repr_html_(self) -> str:
        from ..reports.replacement import replacement_html  # loads markupsafe: for notebooks only

        return replacement_html(self.result)

    def __getitem__(self, candidate: str) -> dict[str, Any]:
        """The result of one candidate."""
        results = {one["candidate"]: one for one in self.result["candidates"]}
        if candidate not in results:
            raise KeyError(f"{candidate!r} is not among {', '.join(results)}")
        found: dict[str, Any] = results[candidate]
        return found

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return self.result

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each candidate and annotator, ready for a data frame.

        The row whose annotator is None has the winning rate and the mean advantage probability.
        """
        return [row for one in self.result["candidates"] for row in _records(one)]


def _records(candidate: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The flat rows of a candidate."""
    low, high = candidate["interval"] or (None, None)
    empty = dict.fromkeys(("mean_difference", "p_value", "limit", "rejected", "test"))
    whole = {key: candidate[key] for key in ("n_instances", "advantage_probability", "reason")}
    yield {
        "candidate": candidate["candidate"],
        "annotator": None,
        "winning_rate": candidate["winning_rate"],
        "passed": candidate["passed"],
        "low": low,
        "high": high,
        **empty,
        **whole,
    }
    none = dict.fromkeys(("winning_rate", "passed", "low", "high"))
    for row in candidate["annotators"]:
        yield {"candidate": candidate["candidate"], **none, **row}


@explain_arguments
def replace_test(
    annotators: AnyPanel | Mapping[str, Any] | Sequence[Any],
    candidates: Mapping[str, Annotation | Trees] | Sequence[str] | str,
    metric: str | Request | None = None,
    *,
    epsilon: float = 0.2,
    min_instances: int = 30,
    test: str = "auto",
    q: float = 0.05,
    unit: str | None = None,
    corrected: bool = False,
    layer: str = "ents",
    sizes: ArrayLike | None = None,
    positions: str = "token",
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    draws: int = 500,
    seed: int = 0,
    reliable: float = RELIABLE,
    progress: Progress | None = None,
) -> Replacement:
    """Whether candidates (models, new annotators) may replace an annotator.

    The alternative annotator test: each annotator in turn is compared with the candidate by how
    well both agree with all others, instance by instance. The candidate passes if it is as good as
    at least half of the annotators, epsilon granted.

    Parameters
    ----------
    annotators : Panel, TreePanel, mapping of str to annotation, or sequence of annotation
        Of the same documents, two or more: as in `agree`, or `Trees`.
    candidates : mapping of str to annotation, or names
        Annotation of the same documents; or who of the annotators is a candidate.
    metric : str or Request, optional
        The similarity of two annotations of an instance. "accuracy": same labels; of categories,
        and by default of tokens. A metric of the catalog: the observed score of the document, by
        default "span_f". Of trees "tree_similarity", 1 - distance / (sum of sizes), which is the
        default, "las", "uas", "label_accuracy" or "jaccard". Two annotations without any span agree
        fully, one without and one with spans not at all.
    epsilon : float
        The advantage that a candidate is granted, as it costs less. The authors recommend .2 if
        annotators are experts, .15 if they are skilled, .1 for crowd workers.
    min_instances : int
        Annotators with fewer instances are not tested.
    test : "auto", "t" or "wilcoxon"
        "auto": Student's t test of 30 instances and more, else the Wilcoxon signed-rank test.
    q : float
        False discovery rate of the tests of all annotators (Benjamini and Yekutieli).
    unit : "documents", "sentences" or "tokens", optional
        The instances: by default documents; of trees always sentences. Tokens are compared by
        accuracy; they are not independent of each other, which the test takes them to be.
    corrected : bool
        Whether to correct the score of each document for chance. Chance is the same for the
        candidate and the annotator but for the number of their spans: this rewards whoever marks
        less.
    layer : str
        Of Docs: "ents" or "spans:KEY".
    sizes : integer array_like, optional
        The length of each document, for tuples and dicts.
    positions : "token", "char" or "category"
        Unit of positions, if the annotators are no panel.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents.
    clusters : sequence, optional
        The cluster of each document, where documents come in such: these are resampled.
    draws : int
        Samples from which power is estimated, of each number of documents; 0 for no power.
    seed : int
        Of these samples, and of random annotations.
    reliable : float
        Agreement of the annotators beyond chance, below which there is a warning.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    Replacement
        `candidates` in `to_dict()`: each with `winning_rate`, `advantage_probability` and its
        interval, `passed`, `annotators` (p-value, limit and result of each), the result with other
        epsilons, and `power`. Beside them the agreement of the annotators beyond chance.

    Raises
    ------
    ValueError
        For fewer than two annotators, candidates without documents in common with two of them,
        labels that never meet, and what cannot be compared.

    References
    ----------
    Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge: How to
    Statistically Justify Replacing Human Annotators with LLMs".

    Examples
    --------
    >>> from spacy_chance_eval import Spans, replace_test
    >>> def labels(text):
    ...     return Spans.from_tuples([[(0, 1, label)] for label in text], [1] * len(text))
    >>> humans = {"a": labels("XXYYXY"), "b": labels("XXYXXY"), "c": labels("XYYYXX")}
    >>> result = replace_test(
    ...     humans, {"gpt": labels("XXYYXX")}, positions="category", min_instances=1, test="t"
    ... )
    >>> round(result["gpt"]["winning_rate"], 4), result["gpt"]["advantage_probability"]
    (0.3333, 1.0)
    """
    given = Inputs("replace_test", layer, sizes=sizes)
    panel, names = _panel_of(annotators, candidates, given, positions)
    question = Question(metric, unit, corrected, reliable, clusters)
    rules = ReplacementTest(epsilon, test, q, min_instances, draws, seed)
    return replacement(panel, names, question, rules, intervals, progress)


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
    panel: AnyPanel,
    candidates: Sequence[str],
    question: Question,
    rules: ReplacementTest,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
) -> Replacement:
    """The `Replacement` of candidates who are among the annotators of a panel.

    Parameters
    ----------
    candidates : sequence of str
        Their names.
    question : Question
    rules : ReplacementTest
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Raises
    ------
    ValueError
        For fewer than two annotators, candidates without documents in common with two of them,
        labels that never meet, and what cannot be compared.
    """
    progress = progress or no_progress
    intervals = Resampling(1000) if intervals is None else intervals
    candidates = sorted(candidates)
    humans = [name for name in panel.names if name not in candidates]
    ignores_labels = "labels=ignore" in str(question.metric).replace(" ", "")
    _check_names(panel, humans, candidates)
    if not ignores_labels:
        _check_labels(panel, humans, candidates)
    if isinstance(panel, TreePanel):
        compared = _compared_trees(panel, humans, candidates, question)
    else:
        compared = _compared_spans(panel, humans, candidates, question, rules.seed)
    metric, unit, similar, documents = compared
    places = clusters_of(question.clusters, panel.seen.shape[1])
    intervals = replace(intervals, unit=cluster_unit(intervals.unit, question.clusters), blocks=0)
    results = tested_candidates(
        similar,
        humans,
        rules,
        places if documents is None else places[documents],
        intervals,
        lambda names: progress(names, total=len(candidates), what="Candidates"),
    )
    reliability = _agreement(_only(panel, humans), intervals, question, ignores_labels)
    facts = {
        "positions": _positions(panel),
        "docs": int(panel.seen[[panel.names.index(name) for name in humans]].any(axis=0).sum()),
        "annotators": len(humans),
        "panel": panel.digest(),
    }
    asked = {"corrected": question.corrected, "metric": metric, "unit": unit, **asdict(rules)}
    name = f"replace_test{written(dict(sorted(asked.items())))}"
    first = next(iter(similar.values()))
    result = {
        "metric": metric,
        "corrected": question.corrected,
        "signature": signature(name, facts, intervals),
        "positions": _positions(panel),
        "unit": unit,
        "clusters": intervals.unit,
        "epsilon": rules.epsilon,
        "epsilons": dict(EPSILONS),
        "test": rules.test,
        "q": rules.q,
        "min_instances": rules.min_instances,
        "n_instances": first.n_shared(humans),
        "annotators": humans,
        "candidates": results,
        "agreement": reliability,
        "resampling": asdict(intervals),
        "version": __version__,
        "warnings": list(_warnings(panel, humans, candidates, unit, reliability)),
        "notes": list(_notes(panel, humans, candidates)),
    }
    return Replacement(result, panel)


# --- from files


@dataclass(frozen=True)
class Sources:
    """The files of annotators and candidates.

    Parameters
    ----------
    annotators : sequence of str or Path
        [NAME=]PATH[#LAYER] of files, folders or patterns.
    candidates : sequence of str or Path
        [NAME=]PATH[#LAYER]; each is one candidate.
    names : sequence of str
        Annotators in these files who are candidates, too.
    title : str, optional
    """

    annotators: Sequence[object]
    candidates: Sequence[object] = ()
    names: Sequence[str] = ()
    title: str | None = None

    def all_names(self, names: Sequence[str], annotators: Collection[str]) -> list[str]:
        """The names of all candidates; those in `names` are of files."""
        for name in self.names:
            if name not in annotators:
                hint = did_you_mean(name, annotators)
                raise ValueError(
                    f"there is no annotator {name!r}{hint}; available: {', '.join(annotators)}"
                )
        return [*names, *(name for name in dict.fromkeys(self.names) if name not in names)]

    def about(self) -> dict[str, Any]:
        """Title and sources, for results."""
        sources, candidates = list(map(str, self.annotators)), list(map(str, self.candidates))
        title = self.title or ", ".join(sources)
        return {"title": title, "sources": sources, "candidate_sources": candidates}


def replace_files(
    sources: Sources,
    question: Question | None = None,
    rules: ReplacementTest | None = None,
    *,
    reading: PanelOptions | None = None,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
) -> Replacement:
    """The `Replacement` of candidates in files, by annotators in files.

    Parameters
    ----------
    sources : Sources
    question : Question, optional
        Its clusters are the articles of documents, if all are known.
    rules : ReplacementTest, optional
    reading : PanelOptions, optional
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and where `replace_test` raises it.
    """
    panel, corpus, names = read_panel_with(sources.annotators, sources.candidates, reading)
    names = sources.all_names(names, panel.names)
    unit, clusters = article_clusters(corpus.attribute("article"))
    intervals = replace(Resampling(1000) if intervals is None else intervals, unit=unit)
    question = replace(question or Question(), clusters=clusters)
    rules = rules or ReplacementTest()
    found = replacement(panel, names, question, rules, intervals, progress)
    skipped = corpus.notes.skipped_entries()
    more = {"skipped": skipped} if skipped else {}
    warnings = [*corpus.notes.sentences(), *found.result["warnings"]]
    return replace(found, result=sources.about() | found.result | more | {"warnings": warnings})


def replace_tree_files(
    sources: Sources,
    question: Question | None = None,
    rules: ReplacementTest | None = None,
    *,
    reading: TreebankOptions | None = None,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
) -> Replacement:
    """The `Replacement` of candidates in treebanks, by annotators in treebanks.

    Parameters
    ----------
    sources : Sources
    question : Question, optional
    rules : ReplacementTest, optional
    reading : TreebankOptions, optional
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the sentences.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and where `replace_test` raises it.
    """
    from ..corpora.treebanks import (
        TreebankOptions,
        find_tree_annotators,
        find_tree_candidates,
        read_annotators_of_trees,
    )

    how = reading or TreebankOptions()
    humans = find_tree_annotators(sources.annotators, how)
    models = find_tree_candidates(sources.candidates, how) if sources.candidates else []
    own = [str(one.name) for one in models]
    check_candidate_names([str(one.name) for one in humans], own)
    block = read_annotators_of_trees([*humans, *models], how, len(sources.annotators) + len(models))
    names = sources.all_names(own, block.panel.names)
    intervals = replace(Resampling(1000) if intervals is None else intervals, unit="sentences")
    question, rules = question or Question(), rules or ReplacementTest()
    found = replacement(block.panel, names, question, rules, intervals, progress)
    notes = [*block.panel.notes, *found.result["notes"]]
    return replace(found, result=sources.about() | found.result | {"notes": notes})


# --- who is compared


def _panel_of(
    annotators: Any, candidates: Any, given: Inputs, positions: str
) -> tuple[AnyPanel, list[str]]:
    """The panel of annotators and candidates, and the names of the candidates."""
    if isinstance(annotators, (Panel, TreePanel)):
        positions = _positions(annotators)
        annotators = annotators.annotators
    elif not isinstance(annotators, Mapping) and _are_trees(annotators):
        annotators = {f"annotator {i}": one for i, one in enumerate(annotators, 1)}
    elif not isinstance(annotators, Mapping):
        annotators = given.annotators(annotators)
    if not isinstance(candidates, Mapping):
        names = [candidates] if isinstance(candidates, str) else list(candidates)
        for name in names:
            if name not in annotators:
                hint = did_you_mean(str(name), annotators)
                raise ValueError(
                    f"there is no annotator {name!r}{hint}; candidates are names of annotators, or "
                    "a mapping of names to annotation"
                )
        candidates = {}
    else:
        names = list(candidates)
    twice = sorted(set(candidates) & set(annotators))
    if twice:
        raise ValueError(
            f"an annotator and a candidate are called {twice[0]!r}; give the candidate another name"
        )
    everyone = {**annotators, **candidates}
    if _are_trees(everyone.values()):
        return TreePanel(everyone), names
    return Panel(given.annotators(everyone), positions), names


def _are_trees(works: Iterable[Any]) -> bool:
    """Whether some annotations are trees."""
    return any(isinstance(one, Trees) for one in works)


def _positions(panel: AnyPanel) -> str:
    """The unit of positions."""
    return "tree" if isinstance(panel, TreePanel) else panel.positions


def _only(panel: Any, names: Iterable[str]) -> Any:
    """A panel of some of the annotators."""
    some = {name: panel.annotators[name] for name in names}
    if isinstance(panel, TreePanel):
        return replace(panel, annotators=some)
    return Panel(some, panel.positions)


def _check_names(panel: AnyPanel, humans: Sequence[str], candidates: Sequence[str]) -> None:
    """Raise ValueError unless there are candidates, and two annotators who share documents.

    Each candidate has to share some of these.
    """
    item = "sentence" if isinstance(panel, TreePanel) else "document"
    if not candidates:
        raise ValueError("no candidates; name one or more")
    if len(humans) < 2:
        have = f"only {humans[0]!r}" if humans else "none"
        raise ValueError(
            f"the test needs two annotators or more beside the candidates, and there is {have}; a "
            "candidate is compared with each by the agreement with the others"
        )
    number = {name: i for i, name in enumerate(panel.names)}
    shared = panel.seen[[number[name] for name in humans]].sum(axis=0) > 1
    if not shared.any():
        raise ValueError(f"no {item} was seen by two annotators ({', '.join(humans)})")
    for name in candidates:
        if not (panel.seen[number[name]] & shared).any():
            raise ValueError(
                f"{name} shares no {item} with two annotators; candidates need the same {item}s "
                f"({panel.name(int(shared.argmax()))}, for example)"
            )


def _check_labels(panel: AnyPanel, humans: Sequence[str], candidates: Sequence[str]) -> None:
    """Raise ValueError for a candidate with labels of which the annotators have none."""
    used = set().union(*(_labels(panel, name) for name in humans))
    for name in candidates:
        own = _labels(panel, name)
        if used and own and not used & own:
            raise ValueError(
                f"{name} has the labels {_some(own)}, the annotators {_some(used)}: none in "
                "common, so that they never agree; give both the same labels"
            )


def _labels(panel: AnyPanel, name: str) -> set[str]:
    """The labels that an annotator used."""
    work = panel.annotators[name]
    if isinstance(work, Trees):
        return {panel.labels[i] for i in distinct(work.label)}
    return set(work.used_labels())


def _some(labels: Iterable[str]) -> str:
    """Some labels in words."""
    first, *others = sorted(labels)
    few = [first, *others[:4]]
    return ", ".join(few) + " ..." * (len(others) > 4)


# --- by which similarity

Compared: TypeAlias = tuple[str, str, dict[str, Similarities], IntArray | None]


def _compared_spans(
    panel: Panel, humans: Sequence[str], candidates: Sequence[str], question: Question, seed: int
) -> Compared:
    """The metric, the unit, the similarities by candidate, and the document of each instance."""
    category = panel.positions == "category"
    unit = question.unit
    if unit is None:
        unit = "tokens" if question.metric == ACCURACY and not category else "documents"
    if unit not in UNITS:
        raise ValueError(f"unit is {unit!r}; expected one of {', '.join(UNITS)}")
    if category and unit != "documents":
        raise ValueError(f"unit is {unit!r}, but categories are of whole documents; leave it out")
    by_items = category or unit == "tokens"
    metric = question.metric or (ACCURACY if by_items else "span_f")
    if by_items != (metric == ACCURACY):
        expected = ACCURACY if by_items else "a metric of the catalog, such as span_f"
        raise ValueError(
            f"metric is {str(metric)!r}; {'categories' if category else unit} are compared by "
            f"{expected}"
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
    (request,) = panel_requests(panel.positions, [metric], chance=chance_model(panel)).values()
    request = checked_metric(request, question.corrected)
    scores = DocumentScores(panel, request, question.corrected, seed=seed)
    similarities = document_similarities(panel, scores)
    return str(request), unit, dict.fromkeys(candidates, similarities), documents


def _compared_trees(
    panel: TreePanel, humans: Sequence[str], candidates: Sequence[str], question: Question
) -> Compared:
    """The metric, the unit, the similarities by candidate; sentences are instances themselves."""
    from ..scoring.tree_replacement import SIMILARITY, tree_metric, tree_similarities

    if question.unit not in (None, "sentences"):
        raise ValueError(f"unit is {question.unit!r}, but trees are of sentences; leave it out")
    if question.corrected:
        raise ValueError("the similarity of trees is not corrected for chance; leave it out")
    request = tree_metric(str(question.metric or SIMILARITY), panel.kind)
    by_name = {
        name: tree_similarities(_only(panel, [*humans, name]), request) for name in candidates
    }
    return SIMILARITY if request is None else str(request), "sentences", by_name, None


# --- the annotators among themselves, and words


def _agreement(
    panel: AnyPanel, intervals: Resampling, question: Question, ignores_labels: bool
) -> dict[str, Any]:
    """The agreement of the annotators alone beyond chance, all of them at once."""
    clusters = question.clusters
    settings: dict[str, Any] = {"intervals": intervals, "clusters": clusters, "worst": 0}
    settings["unit"] = intervals.unit
    if isinstance(panel, TreePanel):
        from ..scoring.trees import count_trees, tree_requests

        requests = tree_requests(panel.kind, ["syntax_alpha"])
        found = agreement_of(count_trees(panel, requests.values()), requests, **settings)
    elif panel.positions == "category":
        requests = panel_requests(panel.positions, ["krippendorff_alpha"])
        found = agreement(panel, requests, pairs=False, **settings)
    else:
        names = ["u_alpha", "krippendorff_alpha"]
        blind = {"labels": "ignore"} if ignores_labels else {}
        requests = panel_requests(panel.positions, names, **blind)
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


def _warnings(
    panel: AnyPanel,
    humans: Sequence[str],
    candidates: Sequence[str],
    unit: str,
    reliability: Mapping[str, Any],
) -> Iterator[str]:
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
    for name in candidates:
        if not _labels(panel, name):
            yield f"{name} marked nothing at all"


def _notes(panel: AnyPanel, humans: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
    """Sentences on documents that are left out."""
    item = "sentence" if isinstance(panel, TreePanel) else "document"
    number = {name: i for i, name in enumerate(panel.names)}
    n_annotators = panel.seen[[number[name] for name in humans]].sum(axis=0)
    single = int((n_annotators == 1).sum())
    if single:
        seen = f"{item} was" if single == 1 else f"{item}s were"
        yield f"{single} {seen} seen by one annotator only: left out"
    for name in candidates:
        missing = int(((n_annotators > 1) & ~panel.seen[number[name]]).sum())
        if missing:
            yield f"{name} lacks {missing} {item}{'s' * (missing != 1)}: left out for {name}"
