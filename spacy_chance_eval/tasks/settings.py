"""Settings of what scores files, declared once: functions and commands take them by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..corpora.jobs import Asked, Job
from ..metrics.request import Metrics
from ..scoring.evaluation import check_draws
from ..scoring.intervals import CLUSTERS, Resampling, article_clusters
from ..scoring.scores import NO_INTERVALS

if TYPE_CHECKING:
    from ..corpora.jobs import Roles
    from ..corpora.panels import AnnotatorSources
    from ..corpora.passes import CountedSources


@dataclass(frozen=True)
class Scoring:
    """How files are scored.

    Parameters
    ----------
    metrics : Metrics
        Requests by the names under which scores are returned; of annotators also names alone, by
        default the usual ones.
    defaults : mapping
        Parameters of metrics that leave them open.
    per_doc : bool
        Also score every document that both saw.
    draws, seed : int
        Number of random annotations, where an expectation has no formula, and their seed.
    intervals : Resampling
    """

    metrics: Metrics = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    per_doc: bool = False
    draws: int = 1000
    seed: int = 0
    intervals: Resampling = NO_INTERVALS

    def __post_init__(self) -> None:
        check_draws(self.draws)

    @property
    def drawn(self) -> str:
        """How random annotations are drawn, for signatures."""
        return f"{self.draws},{self.seed}"

    def job(self, roles: Roles, **kept: Any) -> Job:
        """The `Job` for some roles; `kept` is what it keeps."""
        asked, most = Asked(self.metrics, self.defaults), self.intervals.most_docs
        return Job(asked, roles, draws=self.draws, seed=self.seed, most_docs=most, **kept)


@dataclass(frozen=True)
class Teamwork(Scoring):
    """How annotators in files are compared.

    Parameters
    ----------
    intervals : Resampling
    cluster : str
        Units of resampling: "none" (documents), an attribute of documents, or "auto" (the article
        where all documents have one).
    worst : int or None
        How many documents to name, those that cost the team most; None for all documents.
    pairs : bool
        Without, only the team is scored: no pairs, no annotator against the others.
    by, layers, categories
        Who the annotators are, and what of them is compared: see `find_annotators`.
    """

    intervals: Resampling = field(default_factory=lambda: Resampling(1000))
    cluster: str = "auto"
    worst: int | None = 20
    pairs: bool = True
    by: str = "auto"
    layers: Sequence[str] = ()
    categories: bool = False

    @property
    def who(self) -> dict[str, Any]:
        """The settings that say who the annotators are."""
        return {"by": self.by, "layers": self.layers, "categories": self.categories}

    def team_job(self, annotators: AnnotatorSources) -> Job:
        """The `Job` that compares them."""
        rows = bool(self.intervals.resamples or self.worst is None)
        attributes = () if self.cluster in CLUSTERS else (self.cluster,)
        kept = {"rows": rows, "pairs": self.pairs, "attributes": attributes}
        return self.job(annotators, **kept, beyond={"rows": False, "attributes": ()})


def clusters_of(
    counted: CountedSources, cluster: str, where: str
) -> tuple[str, Sequence[Any] | None]:
    """The resampled unit, and the name of each document's cluster (None: the documents).

    `where` are the files, for messages.
    """
    attributes = counted.counts.attributes
    if cluster == "auto":
        return article_clusters(attributes.get("article", ()))
    if cluster == "none":
        return "documents", None
    counted.survey.check_attribute(cluster, CLUSTERS, where)
    return cluster, attributes.get(cluster)
