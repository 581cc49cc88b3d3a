"""`Job`: how a block is surveyed and counted, whoever its annotators are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from ..formats.alignment import letters_of, same_letters
from ..formats.corpus import Corpus
from ..formats.divisions import have_same_tokens
from ..formats.errors import FormatError
from ..formats.notes import OTHER_TEXT
from ..measures.arrays import KeyArray
from ..measures.chance.expectation import are_disjoint
from ..measures.panel import Panel
from ..measures.spans import Places, Spans, trusted, without_labels
from ..measures.words import ByteWords
from ..metrics.catalog import CATALOG
from ..metrics.request import Metrics, Request, requests_of
from ..scoring.counts import Counts, Progress, is_drawn, merge_counts, no_progress
from ..scoring.evaluation import default_requests, fitting_requests
from .blocks import Batch, Block, UnorderedError, block_of_files, blocks_of
from .sources import Annotator, Layers, Source
from .survey import Survey, add_surveys

if TYPE_CHECKING:
    from .compared import Compared
    from .panels import AnnotatorSources

    Roles: TypeAlias = Compared | AnnotatorSources

WORD_BYTES = 64  # bytes of a word, and of its place in a tuple
SPAN_METRICS = ("span_f", "token_f", "u_alpha")  # one alpha; docs/annotators.md says why this
CATEGORY_METRICS = ("percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac2")

R = TypeVar("R")
Matched = TypeVar("Matched", bound=Sequence[Corpus])
Pair: TypeAlias = tuple[Spans, Spans]  # gold and a prediction, aligned
OnError: TypeAlias = Callable[[str, ValueError], None] | None


class DrawnError(ValueError):
    """The chance of a metric is drawn for these spans: they are counted in one block only."""


# --- requests


@dataclass(frozen=True)
class Asked:
    """Metrics that were asked for, before the annotation to be compared is known.

    Parameters
    ----------
    metrics : Metrics
        Names or requests, one or several, or a mapping from shorter names.
    defaults : mapping
        Parameters of metrics that leave them open.
    """

    metrics: Metrics = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def requests(self, positions: str) -> dict[str, Request]:
        """{name: Request}, with the positions of the annotation."""
        return panel_requests(positions, self.metrics, **self.defaults)


def panel_requests(positions: str, metrics: Metrics = (), **defaults: Any) -> dict[str, Request]:
    """{name: Request} of the metrics asked for, or the usual ones; items are what positions are."""
    if isinstance(metrics, Mapping):
        return requests_of(metrics)
    if isinstance(metrics, (str, Request)):
        metrics = [metrics]
    categories = positions == "category"
    usual = CATEGORY_METRICS if categories else SPAN_METRICS
    items = {"items": "category"} if categories else {}
    requests = default_requests(metrics or usual, **{**items, **defaults})
    for name, request in requests.items():
        if categories and "items" not in request.parameters:
            known = ", ".join(one for one in CATALOG if "items" in CATALOG[one].parameters)
            raise ValueError(f"{name} compares spans; of categories ask for one of {known}")
    return requests


def requests_of_panel(panel: Panel, metrics: Metrics = ()) -> dict[str, Request]:
    """{name: Request} as by `panel_requests`, with the chance model that the spans allow."""
    requests = panel_requests(panel.positions, metrics)
    found = _overlapping(requests, {"": panel.aligned})
    return fitting_requests(requests, [ignored for _, ignored in found])


def _overlapping(
    requests: Mapping[str, Request], sides: Mapping[str, Sequence[Spans]]
) -> Iterator[tuple[str, bool]]:
    """Whose spans overlap, and whether without labels, if metrics have a chance model for it."""
    for ignored in {one.ignores_labels for one in requests.values() if one.overlapping}:
        for name, some in sides.items():
            if not all(are_disjoint(without_labels(one) if ignored else one) for one in some):
                yield name, ignored


# --- the content of a block


@dataclass(frozen=True, eq=False)
class Content:
    """The annotation of a block, and all else that is counted in it.

    Parameters
    ----------
    first : int
        Number of documents in front.
    survey : Survey
        Facts on the sources, whoever is compared.
    pairs : mapping of str to ((Spans, Spans) or str)
        By the name of a prediction: gold and the prediction, aligned; or why not.
    panel : Panel, optional
        Of annotators of whom none is gold.
    positions : str
    names : tuple
        The documents' names, from the first source.
    attributes : mapping of str to tuple
        Attributes of the documents.
    words : unsigned integer array of shape (n_docs,), optional
        The keys of the words.
    """

    first: int
    survey: Survey
    pairs: Mapping[str, Pair | str]
    panel: Panel | None
    positions: str
    names: tuple[str | None, ...]
    attributes: Mapping[str, tuple[Any, ...]]
    words: KeyArray | None

    def compared(self) -> dict[str, Pair]:
        """The pairs that can be compared."""
        return {name: pair for name, pair in self.pairs.items() if not isinstance(pair, str)}

    def works(self) -> Mapping[str, Spans]:
        """All that is compared, by annotator; gold is called ""."""
        if self.panel is not None:
            return self.panel.annotators
        compared = self.compared()
        works = {name: pred for name, (_, pred) in compared.items()}
        return works | dict(zip([""], (gold for gold, _ in compared.values())))

    def teams(self) -> Mapping[str, Sequence[Spans]]:
        """Those that are compared with each other, aligned; by prediction, or all by ""."""
        return self.compared() if self.panel is None else {"": self.panel.aligned}

    def sides(self) -> list[Spans]:
        """All `Spans` that are in memory."""
        if self.panel is not None:
            return list(self.panel.annotations)
        return [side for pair in self.compared().values() for side in pair]

    @property
    def n_bytes(self) -> int:
        """About how many bytes the annotation has."""
        sides = {id(side): side for side in self.sides()}.values()
        arrays = [self.words, *(array for side in sides for array in vars(side).values())]
        texts = {id(side.words): side.words for side in sides if side.words is not None}
        words = sum(
            len(some.data) if isinstance(some, ByteWords) else WORD_BYTES * len(some)
            for some in texts.values()
        )
        size = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
        return size + words + WORD_BYTES * len(self.names)

    def slim(self, keep_names: bool = False) -> Content:
        """The same without words, which most metrics do not need."""

        def bare(side: Spans) -> Spans:
            names = side.names if keep_names else Places(self.first, side.n_docs)
            spans: Spans = trusted(side, words=None, names=names)
            return spans

        if self.panel is not None:
            sides = {name: trusted(s, words=None) for name, s in self.panel.annotators.items()}
            return replace(self, panel=Panel(sides, self.panel.positions))
        pairs = {
            name: pair if isinstance(pair, str) else (bare(pair[0]), bare(pair[1]))
            for name, pair in self.pairs.items()
        }
        return replace(self, pairs=pairs)


# --- the job


@dataclass(frozen=True, eq=False)
class Job:
    """How blocks are surveyed and counted. It can be sent to another process.

    Parameters
    ----------
    asked : Asked
        Metrics; of predictions a mapping of names to requests.
    roles : Compared or AnnotatorSources
        What annotators are to each other: who they are, how a block of them is matched and counted.
    annotators : tuple of Annotator
        None as long as they are not known.
    rows, keys : bool
        Whether a row for each document is kept (of a panel that is one block always); and what
        decides on their order, for resampling.
    spans : bool
        Whether the annotation itself is kept, of gold and all predictions.
    attributes : tuple of str
        Attributes of documents to keep.
    pairs : bool
        Whether annotators of whom none is gold are also compared pair by pair, not as a team only.
    draws, seed, p_values
        Number of random annotations, their seed, and whether to draw them also where an expectation
        has a formula; of a corpus that is one block only.
    least_weight : float
        Of `weight`, where the corpus turned out to have many labels.
    most_docs : int, optional
        Of more documents, `beyond` replaces parameters that only intervals need: see `of_docs`.
    beyond : mapping
    """

    asked: Asked
    roles: Roles
    annotators: tuple[Annotator, ...] = ()
    rows: bool = False
    keys: bool = False
    spans: bool = False
    attributes: tuple[str, ...] = ()
    pairs: bool = True
    draws: int = 1
    seed: int = 0
    p_values: bool = False
    least_weight: float = 0.0
    most_docs: int | None = None
    beyond: Mapping[str, Any] = field(default_factory=dict)

    def of_docs(self, n_docs: float) -> Job:
        """The job for a number of documents, with less to keep if these are many."""
        few = self.most_docs is None or n_docs <= self.most_docs
        return self if few else replace(self, most_docs=None, **self.beyond)

    def fitted(self, counts: Counts) -> Counts:
        """Counts of a block without what this job does not keep."""
        if not self.rows and counts.by_document:
            return counts.total()
        if counts.gold and not self.keys and counts.contents is not None:
            return replace(counts, words=None, named=None, contents=counts.contents[:1])
        return counts

    def requests(self, survey: Survey | None = None) -> dict[str, Request]:
        """{name: Request}; chance models that nobody named depend on the content of all blocks."""
        requests = self.asked.requests("category" if self.roles.categories else "token")
        return fitting_requests(requests, survey.overlaps()) if survey else requests

    def needs_one_block(self, requests: Iterable[Request]) -> bool:
        """Whether documents are counted at once only.

        Their chance is drawn, words are weighed by the whole corpus, or the columns of pairs of
        annotators are the values that occur.
        """
        return self.p_values or any(
            is_drawn(one)
            or (one.row.survey is not None and not self.roles.with_gold)
            or one.parameters.get("token_information", "constant") != "constant"
            for one in requests
        )

    def weight(self, n_sources: int) -> float:
        """How much more memory counting takes than that of gold and a prediction, by document."""
        return max(self.roles.weight(n_sources), self.least_weight)

    def find(self, number: int, first: Layers, layers: Layers) -> Sequence[Annotator]:
        """The annotators of a source: those that are known, or those of its layers."""
        if not self.annotators:
            return self.roles.find(number, first, layers)
        return [one for one in self.annotators if one.source == number]

    def content(
        self, block: Block, progress: Progress = no_progress
    ) -> tuple[Content, list[Annotator]]:
        """The annotation of a block by all annotators, and who they are."""
        return self.roles.content(self, block, progress)

    def check(self, survey: Survey, one_block: bool) -> Survey:
        """The survey of all blocks, if it can be counted with."""
        survey = self.roles.checked(survey, self.annotators)
        if not one_block and survey.overlaps():
            if self.needs_one_block(self.requests(survey).values()):
                raise DrawnError
        return survey

    # --- the survey

    def survey(
        self, sources: Sequence[Source], batch: Batch, keep: bool
    ) -> tuple[Survey, list[Content] | None]:
        """The survey of a batch; if they are to be kept, the contents of its blocks."""

        def surveyed(contents: Iterable[Content]) -> tuple[Survey, list[Content] | None]:
            surveys, kept = [], []
            for content in contents:
                surveys.append(self.survey_of(content))
                kept += [content.slim()] if keep else []
            return self.merged(surveys), kept if keep else None

        return self._of_contents(sources, batch, surveyed)

    def _of_contents(
        self, sources: Sequence[Source], batch: Batch, work: Callable[[Iterable[Content]], R]
    ) -> R:
        """The result of work on the contents of a batch; whole files at once, if need be."""
        try:
            blocks = blocks_of(batch, sources, self.weight(len(sources)))
            return work(self.content(block)[0] for block in blocks)
        except UnorderedError:
            if not batch.files:
                raise
            return work([self.content(block_of_files(batch, sources))[0]])

    def merged(self, surveys: Iterable[Survey]) -> Survey:
        """The survey of several blocks."""
        return reduce(partial(add_surveys, requests=self.requests().values()), surveys)

    def survey_of(self, content: Content) -> Survey:
        """The `Survey` of a block."""
        works = content.works()
        return replace(
            content.survey,
            overlapping=frozenset(_overlapping(self.requests(), content.teams())),
            # gold, called "", has those of a prediction, too, which may turn out to be left out
            labels={name: frozenset(one.labels) for name, one in works.items() if name},
            used={name: frozenset(one.used_labels()) for name, one in works.items()},
            features=frozenset().union(*(side.feature_names() for side in content.sides())),
            known=dict(self._known_of(content)),
            reasons={name: pair for name, pair in content.pairs.items() if isinstance(pair, str)},
        )

    def _known_of(self, content: Content) -> Iterator[tuple[tuple[str, str], Any]]:
        """The facts of a block that counts of predictions need."""
        asking = {one.survey_name: one for one in self.requests().values()}
        for name, pair in content.compared().items():
            for survey_name, request in asking.items():
                if survey_name is not None:
                    with suppress(ValueError):  # which counting will meet, too
                        yield (name, survey_name), request.survey(pair)

    # --- counting

    def count(
        self,
        survey: Survey,
        sources: Sequence[Source],
        batch: Batch,
        contents: Iterable[Content] | None,
    ) -> Counts:
        """The `Counts` of a batch; `contents` are those of its blocks, if they were kept."""

        def counted(contents: Iterable[Content]) -> Counts:
            return merge_counts(self.count_content(one, survey) for one in contents)

        return counted(contents) if contents else self._of_contents(sources, batch, counted)

    def count_content(
        self,
        content: Content,
        survey: Survey,
        one_block: bool = False,
        on_error: OnError = None,
        progress: Progress = no_progress,
    ) -> Counts:
        """The `Counts` of a block.

        Parameters
        ----------
        content : Content
        survey : Survey
            Of all blocks.
        one_block : bool
            Whether there is no other block.
        on_error : callable, optional
            on_error(name, error) is called for a prediction that cannot be counted.
        progress : callable
            progress(steps, total, what) wraps long work.
        """
        counts = self.roles.counts(self, content, survey, one_block, on_error, progress)
        if not self.rows and (counts.gold or not one_block):
            return counts.total()
        return counts if one_block else counts.compact()


# --- what roles need


def annotators_of(roles: Roles | Job, layers: Sequence[Layers]) -> tuple[Annotator, ...]:
    """All annotators, by the layers of the sources."""
    found = (roles.find(number, layers[0], mine) for number, mine in enumerate(layers))
    return tuple(chain.from_iterable(found))


def data_of(corpus: Corpus, positions: str) -> frozenset[tuple[str, str]]:
    """Pairs of the positions on which a corpus is compared and its repair of improper tags."""
    return frozenset((positions, repair) for repair in corpus.repair.split("+"))


def in_step(
    first: Corpus, others: Sequence[Corpus], align: str, match: Callable[[], Matched]
) -> Matched:
    """The corpora that `match` makes of those of a block, where there are other blocks.

    Raises
    ------
    UnorderedError
        If their documents are not in the same order, or may be divided otherwise: as a whole, the
        corpora may have the same. Without `others` nothing is asked.
    """
    for other in others:
        more = len(first.documents) != len(other.documents)
        if not (more and have_same_tokens(first, other)):
            _check_order(first, other)

    def are_divided_otherwise() -> bool:
        return any(_may_be_divided_otherwise(first, other, align) for other in others)

    try:
        matched = match()
    except FormatError as error:
        if are_divided_otherwise():
            raise UnorderedError(str(error)) from error
        raise
    if matched[-1].notes.count(OTHER_TEXT) and are_divided_otherwise():
        raise UnorderedError(f"{matched[-1].path} is divided otherwise")
    return matched


def _may_be_divided_otherwise(first: Corpus, other: Corpus, align: str) -> bool:
    """Whether blocks may differ only because documents without names end at other tokens."""
    if None not in first.names() and None not in other.names():
        return False
    if align != "auto" or have_same_tokens(first, other, so_far=True):
        return have_same_tokens(first, other, so_far=True)
    texts = [
        "".join(letters_of(document, corpus.positions) for document in corpus.documents)
        for corpus in (first, other)
    ]
    least = min(map(len, texts))
    return same_letters(texts[0][:least], texts[1][:least])


def _check_order(first: Corpus, other: Corpus) -> None:
    """Raise unless two corpora hold the same documents in the same order, by number and names."""
    names = first.names(), other.names()
    if len(names[0]) != len(names[1]):
        raise UnorderedError(f"{first.path} and {other.path} have other numbers of documents")
    if names[0] != names[1] and None not in names[0] and None not in names[1]:
        raise UnorderedError(f"documents of {other.path} have other names, or another order")
