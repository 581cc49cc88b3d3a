"""`replace_test`: may a candidate take the place of an annotator? From panels and from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from ..corpora.jobs import panel_requests, requests_of_panel
from ..corpora.panels import read_panel_with
from ..corpora.sources import parse_source
from ..formats.errors import known
from ..formats.keys import Reading
from ..formats.paths import is_there
from ..measures.alignment import divide_by_sentence
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..metrics.request import IGNORE, Request
from ..reports.replacement import replacement_report
from ..scoring.counts import Progress
from ..scoring.intervals import Resampling, article_clusters
from ..scoring.replacement import (
    ACCURACY,
    RELIABLE,
    ReplacementTest,
    Similarities,
    checked_metric,
    document_similarities,
    item_similarities,
    replacement,
    some_of,
    team_without,
)
from ..scoring.warnings import IGNORED
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .records import Frame, by_annotator
from .settings import Teamwork
from .tabular import Indexed

UNITS = ("documents", "sentences", "tokens")
COLUMNS = (  # of the rows
    *("annotator", "winning_rate", "passed", "low", "high", "n_instances"),
    *("advantage_probability", "reason", "mean_difference", "p_value", "limit", "rejected", "test"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Replacement(Indexed):
    """Whether candidates may replace an annotator. It prints as a verdict and tables.

    Indexed by the name of a candidate, it gives the results of that candidate.

    Attributes
    ----------
    result : dict
        All numbers, as in the JSON of `spacy-chance-eval agree --candidate`.
    panel : Panel
        The annotators, and the candidates among them.
    """

    _parts = "candidates", "candidate"
    _compose = staticmethod(replacement_report)
    panel: Panel

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each candidate and annotator, ready for a data frame.

        The row whose annotator is None has the winning rate and the mean advantage probability.
        """
        return [
            {"candidate": one["candidate"], **{key: row.get(key) for key in COLUMNS}}
            for one in self.result["candidates"]
            for row in ({**one, "annotator": None}, *one["annotators"])
        ]


@explain_arguments
def replace_test(
    annotators: Panel | Mapping[str, Any] | Sequence[Any] | Frame,
    candidates: Mapping[str, Annotation] | Sequence[str] | str,
    metric: str | Request | None = None,
    *,
    epsilon: float = 0.2,
    min_instances: int = 30,
    test: str = "auto",
    q: float = 0.05,
    unit: str | None = None,
    corrected: bool = False,
    layer: str = "ents",
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    positions: str | None = None,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
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
    annotators : Panel, mapping of str to annotation, sequence of annotation, or records
        Of the same documents, two or more: as in `agree`. Records are flat rows, or a data frame,
        with document, start, end, label and annotator.
    candidates : mapping of str to annotation, or names
        Annotation of the same documents; or who of the annotators is a candidate.
    metric : str or Request, optional
        The similarity of two annotations of an instance. "accuracy": same labels; of categories,
        and by default of tokens. A metric of the catalog: the observed score of the document, by
        default "span_f". Two annotations without any span agree fully, one without and one with
        spans not at all.
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
        The instances: by default documents. Tokens are compared by accuracy; they are not
        independent of each other, which the test takes them to be.
    corrected : bool
        Whether to correct the score of each document for chance. Chance is the same for the
        candidate and the annotator but for the number of their spans: this rewards whoever marks
        less.
    sizes, clusters
        Those of `evaluate`.
    layer
        That of `evaluate`.
    seed
        That of `evaluate`.
    positions : "token", "char" or "category", optional
        Unit of positions, if the annotators are no panel; by default that of their files.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents.
    reliable : float
        Agreement of the annotators beyond chance, below which there is a warning.
    progress : callable, optional
        That of `agree`.

    Returns
    -------
    Replacement
        `candidates` in `to_dict()`: each with `winning_rate`, `advantage_probability` and its
        interval, `passed`, `annotators` (p-value, limit and result of each), and the result with
        other epsilons. Beside them the agreement of the annotators beyond chance.

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
    scores = (metric, unit, corrected)
    rules = ReplacementTest(*scores, epsilon, test, q, min_instances, seed, reliable)
    more = {"clusters": clusters, "progress": progress}
    result = _result(panel, names, rules, intervals or Resampling(1000), **more)
    return Replacement(result, panel)


# --- from files


def replace_files(
    sources: Sequence[object],
    candidates: Sequence[str],
    rules: ReplacementTest | None = None,
    *,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **teamwork: Any,
) -> Replacement:
    """The `Replacement` of candidates in files, by annotators in files.

    `sources` and `candidates` are [NAME=]PATH[#LAYER]; candidates may also be names of annotators
    in these files. Clusters are the articles of documents, if all are known; `teamwork` are
    `intervals`, `by`, `layers` and `categories` of `Teamwork`.
    """
    how = Teamwork(**teamwork)
    named = [one for one in candidates if "=" not in one and not is_there(parse_source(one).path)]
    files = [one for one in candidates if one not in named]
    panel, corpus, names, remarks = read_panel_with(sources, files, reading, **how.who)
    for name in named:
        known(name, panel.names, "file or annotator")
    unit, clusters = article_clusters(corpus.table.attribute("article"))
    n_docs = panel.seen.shape[1]
    intervals = replace(how.intervals.of_docs(n_docs), unit=unit)
    rules = rules or ReplacementTest()
    more = {"clusters": clusters, "data": corpus.notes.signed(), "progress": progress}
    result = _result(panel, [*names, *named], rules, intervals, **more)
    warnings = [*remarks, *corpus.notes.sentences(), *result["warnings"]]
    warnings += how.intervals.notes(n_docs)
    texts = list(map(str, sources))
    about = {"title": ", ".join(texts), "sources": texts, "candidate_sources": files}
    about |= result | corpus.notes.entries()
    return Replacement(about | {"warnings": warnings}, panel)


# --- who is compared


def _panel_of(
    annotators: Any, candidates: Any, given: Inputs, positions: str | None
) -> tuple[Panel, list[str]]:
    """The panel of annotators and candidates, and the names of the candidates."""
    if isinstance(annotators, Panel):
        positions = annotators.positions
        annotators = annotators.annotators
    elif not isinstance(annotators, Mapping):
        # rows stay rows, so that those of candidates are read alike
        named = by_annotator(annotators)
        annotators = named if isinstance(named, Mapping) else given.annotators(annotators)
    if isinstance(candidates, Mapping):
        names = list(candidates)
        if twice := sorted(set(candidates) & set(annotators)):
            raise ValueError(
                f"an annotator and a candidate are called {quoted(twice[0])}; give the candidate "
                "another name"
            )
        everybody = given.annotators({**annotators, **candidates})
        return Panel.from_annotators(everybody, positions), names
    if not isinstance(candidates, Iterable):
        raise TypeError(
            f"candidates are {quoted(candidates)}; expected names of annotators, or a mapping of "
            "names to annotation"
        )
    names = [candidates] if isinstance(candidates, str) else list(candidates)
    for name in names:
        known(name, list(annotators), "annotator")
    return Panel.from_annotators(given.annotators(annotators), positions), names


# --- by which similarity


def _result(
    panel: Panel,
    candidates: Iterable[str],
    rules: ReplacementTest,
    intervals: Resampling,
    **settings: Any,
) -> dict[str, Any]:
    """The result of candidates, by their names among the annotators of a panel, ready for JSON.

    `settings` are `clusters`, `data` and `progress` of `replacement`.
    """
    candidates = sorted({*candidates})
    team = team_without(panel, candidates)
    rules, similar = _compared(panel, team.names, candidates, rules)
    names, labels = ["u_alpha", "krippendorff_alpha"], {}
    if team.positions == "category":
        names = names[1:]
    elif IGNORED in str(rules.metric):
        labels = {"labels": IGNORE}
    requests = panel_requests(team.positions, names, **labels)
    return replacement(panel, team, similar, rules, requests, intervals, **settings)


def _compared(
    panel: Panel, humans: Sequence[str], candidates: Sequence[str], rules: ReplacementTest
) -> tuple[ReplacementTest, dict[str, Similarities]]:
    """The test with its metric and unit, and the similarities by candidate."""
    category, unit = panel.positions == "category", rules.unit
    if unit is None:
        unit = "tokens" if rules.metric == ACCURACY and not category else "documents"
    known(unit, UNITS, "unit")
    if category and unit != "documents":
        raise ValueError(
            f"unit is {quoted(unit)}, but categories are of whole documents; leave it out"
        )
    if unit == "tokens" and panel.positions == "char":
        raise ValueError(
            "instances are tokens, but somebody has texts without tokens, so that all are counted "
            "in characters; give all tokens (--read tokenizer=en makes them), or compare documents"
        )
    by_items = category or unit == "tokens"
    metric = rules.metric or (ACCURACY if by_items else "span_f")
    if by_items != (metric == ACCURACY):
        expected = ACCURACY if by_items else "a metric of the catalog, such as span_f"
        raise ValueError(
            f"metric is {quoted(str(metric))}; {'categories' if category else unit} are compared "
            f"by {expected}"
        )
    if by_items:
        if rules.corrected:
            raise ValueError("accuracy is not corrected for chance; leave corrected out")
        by_name = {name: item_similarities(some_of(panel, [*humans, name])) for name in candidates}
        return replace(rules, metric=ACCURACY, unit=unit), by_name
    documents = None
    if unit == "sentences":
        divided, documents = divide_by_sentence(panel.annotations)
        panel = Panel(dict(zip(panel.names, divided)), panel.positions)
    (request,) = requests_of_panel(panel, [metric]).values()
    request = checked_metric(request, rules.corrected)
    similar = document_similarities(panel, request, rules.corrected, rules.seed, documents)
    return replace(rules, metric=request, unit=unit), dict.fromkeys(candidates, similar)
