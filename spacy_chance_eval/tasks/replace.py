"""`replace_test`: may a candidate take the place of an annotator? From panels and from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from ..corpora.panels import read_panel_with
from ..corpora.sources import parse_source
from ..formats.errors import did_you_mean
from ..formats.keys import Reading
from ..formats.paths import is_there
from ..measures.messages import listed, quoted
from ..measures.panel import Panel
from ..metrics.request import Request
from ..reports.notebook import fragment
from ..reports.replacement import replacement_records, replacement_tables, replacement_text
from ..scoring.counts import Progress
from ..scoring.intervals import Resampling, article_clusters
from ..scoring.replacement import ReplacementTest
from .calls import explain_arguments
from .candidates import RELIABLE, Question, replacement
from .inputs import Annotation, Inputs
from .records import Frame, by_annotator
from .tabular import Tabular


@dataclass(frozen=True, eq=False)
class Replacement(Tabular):
    """Whether candidates may replace an annotator. It prints as a verdict and tables.

    Indexed by the name of a candidate, it gives the results of that candidate.

    Attributes
    ----------
    result : dict
        All numbers, as in the JSON of `spacy-chance-eval agree --candidate`.
    panel : Panel
        The annotators, and the candidates among them.
    """

    result: dict[str, Any]
    panel: Panel

    def __str__(self) -> str:
        return replacement_text(self.result)

    __repr__ = __str__  # not that of a dataclass

    def _repr_html_(self) -> str:
        return fragment(
            replacement_tables(self.result), self.result["warnings"], self.result["notes"]
        )

    def __getitem__(self, candidate: str) -> dict[str, Any]:
        """The result of one candidate."""
        results = {one["candidate"]: one for one in self.result["candidates"]}
        if candidate not in results:
            raise KeyError(f"{quoted(candidate)} is not among {', '.join(results)}")
        found: dict[str, Any] = results[candidate]
        return found

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return self.result

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each candidate and annotator, ready for a data frame.

        The row whose annotator is None has the winning rate and the mean advantage probability.
        """
        return list(replacement_records(self.result))


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
    layer : str
        Of Docs: "ents" or "spans:KEY".
    sizes : integer array_like, or mapping of names to lengths, optional
        The length of each document, for tuples, dicts and records; {name: length} also says which
        documents there are.
    positions : "token", "char" or "category", optional
        Unit of positions, if the annotators are no panel; by default that of their files.
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
    return Replacement(replacement(panel, names, question, rules, intervals, progress), panel)


# --- from files


def replace_files(
    sources: Sequence[object],
    candidates: Sequence[str],
    question: Question | None = None,
    rules: ReplacementTest | None = None,
    *,
    reading: Reading | None = None,
    by: str = "auto",
    layers: Sequence[str] = (),
    categories: bool = False,
    intervals: Resampling | None = None,
    progress: Progress | None = None,
) -> Replacement:
    """The `Replacement` of candidates in files, by annotators in files.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH[#LAYER] of files, folders or patterns of annotators.
    candidates : sequence of str
        [NAME=]PATH[#LAYER], each one candidate; or names of annotators in these files.
    question : Question, optional
        Its clusters are the articles of documents, if all are known.
    rules : ReplacementTest, optional
    reading : Reading, optional
        How files are read.
    by, layers, categories
        Who the annotators are, and what is compared: see `find_annotators`.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and where `replace_test` raises it.
    """
    asked: dict[str, Any] = {"by": by, "layers": layers, "categories": categories}
    named = [one for one in candidates if "=" not in one and not is_there(parse_source(one).path)]
    files = [one for one in candidates if one not in named]
    panel, corpus, names, remarks = read_panel_with(sources, files, reading, **asked)
    if unknown := [name for name in named if name not in panel.names]:
        hint = did_you_mean(unknown[0], panel.names)
        raise ValueError(
            f"there is no file and no annotator {quoted(unknown[0])}{hint}; annotators are "
            f"{listed(panel.names)}"
        )
    names = list(dict.fromkeys([*names, *named]))
    unit, clusters = article_clusters(corpus.table.attribute("article"))
    intervals = replace(Resampling(1000) if intervals is None else intervals, unit=unit)
    question = replace(question or Question(), clusters=clusters)
    rules = rules or ReplacementTest()
    data = corpus.notes.signed()
    result = replacement(panel, names, question, rules, intervals, progress, data)
    warnings = [*remarks, *corpus.notes.sentences(), *result["warnings"]]
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
    if not isinstance(candidates, Mapping):
        names = [candidates] if isinstance(candidates, str) else list(candidates)
        for name in names:
            if name not in annotators:
                hint = did_you_mean(str(name), annotators)
                raise ValueError(
                    f"there is no annotator {quoted(name)}{hint}; candidates are names of "
                    "annotators, or a mapping of names to annotation"
                )
        candidates = {}
    else:
        names = list(candidates)
    twice = sorted(set(candidates) & set(annotators))
    if twice:
        raise ValueError(
            f"an annotator and a candidate are called {quoted(twice[0])}; give the candidate "
            "another name"
        )
    everybody = given.annotators({**annotators, **candidates})
    return Panel.from_annotators(everybody, positions), names
