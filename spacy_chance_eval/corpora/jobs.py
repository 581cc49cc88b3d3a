"""`Job`: how a block is surveyed and counted; of gold and predictions, or of a panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from ..formats import FormatError, match_documents
from ..formats.alignment import in_characters, letters_of, same_letters
from ..formats.blemishes import (
    DOCUMENTS,
    SKIP,
    all_completed,
    completed,
)
from ..formats.corpus import Corpus, spans_by_layer
from ..formats.divisions import have_same_tokens
from ..formats.documents import Document
from ..formats.notes import NO_NOTES, OTHER_TEXT, Kind, Notes, Place, note, unevaluated
from ..measures.alignment import (
    align,
    align_seen,
    check_same_corpus,
    n_marked,
    with_labels,
)
from ..measures.arrays import KeyArray
from ..measures.chance.draws import word_keys
from ..measures.chance.expectation import are_disjoint, check_placement
from ..measures.panel import Panel
from ..measures.spans import Places, Spans, trusted, without_labels
from ..measures.words import ByteWords
from ..metrics.catalog import CATALOG
from ..metrics.request import Metrics, Request, requests_of
from ..scoring.counts import (
    TEAM,
    Counts,
    Key,
    Progress,
    annotators_of,
    count_panel,
    count_predictions,
    counts_team,
    crossed_in,
    is_drawn,
    keys_of,
    merge_counts,
    mirrored_key,
    no_progress,
    panel_of_view,
    view_of,
)
from ..scoring.evaluation import default_requests, fitting_requests
from .blocks import Batch, Block, UnorderedError, block_of_files, blocks_of
from .pairs import lacks_annotation, with_layer
from .sources import Annotator, Layers, Source, layers_in, no_layer
from .survey import Survey, add_surveys

if TYPE_CHECKING:
    from .panels import AnnotatorSources

OVERLAPPING = "units of one annotator must not overlap"
PANEL = 7  # see `Job.weight`
WORD_BYTES = 64  # bytes of a word, and of its place in a tuple
SPAN_METRICS = ("span_f", "token_f", "u_alpha")  # one alpha; docs/unitizing.md says why this
CATEGORY_METRICS = ("percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac2")

# find(number of the source, layers of the first source, its own) gives its annotators
Pair: TypeAlias = tuple[Spans, Spans]  # gold and a prediction, aligned
Find = Callable[[int, Layers, Layers], Sequence[Annotator]]


class DrawnError(ValueError):
    """The chance of a metric is drawn for these spans: they are counted in one block only."""


class OtherLayersError(ValueError):
    """The sources have other layers than their first documents: they are surveyed again."""

    def __init__(self, annotators: tuple[Annotator, ...]) -> None:
        super().__init__(annotators)
        self.annotators = annotators


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
    layers : tuple of Layers
        Of each source.
    data : tuple of frozensets
        Pairs of positions and repair of improper tags, of each source.
    notes : tuple of Notes
        The notes of the reader of each source.
    attribute_names : frozenset of str
        Names of the attributes of documents, in the first source.
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
    layers: tuple[Layers, ...]
    data: tuple[frozenset[tuple[str, str]], ...]
    notes: tuple[Notes, ...]
    attribute_names: frozenset[str]
    pairs: Mapping[str, Pair | str]
    panel: Panel | None
    positions: str
    names: tuple[str | None, ...]
    attributes: Mapping[str, tuple[Any, ...]]
    words: KeyArray | None

    def compared(self) -> dict[str, Pair]:
        """The pairs that can be compared."""
        return {name: pair for name, pair in self.pairs.items() if not isinstance(pair, str)}

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
        """The same without words, which most metrics need no more."""

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
class Surveyed:
    """The survey and the counts of a batch.

    Parameters
    ----------
    survey : Survey
    contents : list of Content, optional
        Those of its blocks, if they are kept.
    n_bytes : int
        How large they are.
    counts : Counts, optional
        Counted ahead, with the facts known of other batches.
    decided : tuple
        The facts they depend on: they stand if the whole corpus has the same (`Survey.decides`).
    """

    survey: Survey
    contents: list[Content] | None
    n_bytes: int
    counts: Counts | None
    decided: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Job:
    """How blocks are surveyed and counted. It can be sent to another process.

    Parameters
    ----------
    asked : Asked
        Metrics; of predictions a mapping of names to requests.
    gold : bool
        Whether the first annotator is gold, and the others are predictions.
    annotators : tuple of Annotator
    panel : AnnotatorSources, optional
        How annotators of whom none is gold are found.
    strict : bool
        Whether predictions have to annotate all that gold does, as on leaderboards; what cannot be
        compared is then left out, with a reason.
    complete : bool
        Whether a prediction that lacks its layer in a document has no spans there.
    rows, keys : bool
        Whether a row for each document is kept (of a panel that is one block always); and what
        decides on their order, for resampling.
    names : bool
        Whether the names of documents are kept.
    spans : bool
        Whether gold and the first prediction themselves are kept.
    attributes : tuple of str
        Attributes of documents to keep.
    align : "auto", "tokens", "characters" or "position"
        How predictions with other tokens than gold are compared.
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
    gold: bool = True
    annotators: tuple[Annotator, ...] = ()
    panel: AnnotatorSources | None = None
    strict: bool = False
    complete: bool = True
    rows: bool = False
    keys: bool = False
    names: bool = False
    spans: bool = False
    attributes: tuple[str, ...] = ()
    align: str = "auto"
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
        if self.gold and not self.keys and counts.contents is not None:
            return replace(counts, words=None, named=None, contents=counts.contents[:1])
        return counts

    # --- requests

    def requests(self, survey: Survey | None = None) -> dict[str, Request]:
        """{name: Request}; chance models that nobody named depend on the content of all blocks."""
        positions = "category" if self.panel and self.panel.categories else "token"
        requests = self.asked.requests(positions)
        return fitting_requests(requests, survey.overlaps()) if survey else requests

    def needs_one_block(self, requests: Iterable[Request]) -> bool:
        """Whether something must be drawn, which is done in one block only."""
        return self.p_values or any(map(is_drawn, requests))

    def _draws(self, survey: Survey) -> bool:
        """The same of blocks, because of a chance model that their spans need."""
        return bool(survey.overlaps()) and self.needs_one_block(self.requests(survey).values())

    def weight(self, n_sources: int) -> float:
        """How much more memory counting takes than that of gold and a prediction, by document.

        Of a panel, about 8 + (n - 1) times as much for each of n annotators: arrays for the team
        and for each against the majority, and for each of its pairs (measured with 2 to 12).
        """
        own = 1.0 if self.gold else float(PANEL + max(n_sources, 2))
        return max(own, self.least_weight)

    def asking(self, one_block: bool) -> list[Request]:
        """The requests whose counts have to know more of the whole corpus than its labels."""
        asking = [one for one in self.requests().values() if one.row.survey is not None]
        if not one_block:
            return asking
        return [one for one in asking if self.gold and one.row.survey and one.row.survey.columns]

    @property
    def weighs_words(self) -> bool:
        """Whether any metric looks at words."""
        return any(
            one.parameters.get("token_information", "constant") != "constant"
            for one in self.requests().values()
        )

    # --- reading

    def content(
        self, block: Block, find: Find | None = None, progress: Progress = no_progress
    ) -> tuple[Content, list[Annotator]]:
        """The annotation of a block by all annotators, and their names.

        Parameters
        ----------
        block : Block
        find : callable, optional
            find(number, layers of the first source, layers) gives the annotators of a source; by
            default they are known.
        progress : callable
            progress(steps, total, what) wraps the sources of a board.
        """
        if not self.gold:
            return self._panel(block, find or self._known)
        numbers: Iterable[int] = range(len(block.corpora))
        if self.strict and block.only:
            numbers = progress(numbers, None, "Files")
        return self._predictions(block, find or self._known, numbers)

    def _known(self, number: int, first: Layers, layers: Layers) -> list[Annotator]:
        """The annotators of a source."""
        return [one for one in self.annotators if one.source == number]

    def _predictions(
        self, block: Block, find: Find, numbers: Iterable[int]
    ) -> tuple[Content, list[Annotator]]:
        """The `Content` of gold and predictions."""
        gold = block.corpora[0]
        if self.align == "characters":
            gold = in_characters(gold)
        layers, notes = [layers_in(gold)], [gold.notes]
        data = [_data(gold, gold.positions)]
        annotators: list[Annotator] = []
        pairs: dict[str, Pair | str] = {}
        matched = _Matched(gold)
        for number in numbers:
            corpus = block.corpora[number] if number else gold
            if number:
                layers.append(layers_in(corpus))
                data.append(_data(corpus, gold.positions))
            mine = list(find(number, layers[0], layers[-1]))
            annotators += mine
            for one in mine if number else mine[1:]:
                layer = annotators[0].layer
                pairs[one.name] = self._pair(block, matched, layer, corpus, one)
            if number:
                notes.append(matched.notes(corpus))
        if self.strict and any(map(lacks_annotation, notes[1:])):
            pairs = _with_common_annotation(pairs)
        first = next((pair[0] for pair in pairs.values() if not isinstance(pair, str)), None)
        if first is not None:
            notes[0] += unevaluated(matched.n_marked - n_marked(first))
        content = Content(
            block.first,
            tuple(layers),
            tuple(data),
            tuple(notes),
            gold.table.attribute_names,
            pairs,
            None,
            gold.positions,
            tuple(gold.table.all_names()),
            {key: gold.table.attribute(key) for key in self.attributes},
            word_keys(first) if self.keys and first is not None else None,
        )
        return content, annotators

    def _pair(
        self, block: Block, matched: _Matched, layer: str, pred: Corpus, annotator: Annotator
    ) -> Pair | str:
        """Gold and a prediction, aligned; on boards the reason where they cannot be compared."""
        anywhere, first = not block.only, block.first
        if not annotator.layer and block.only:
            return str(FormatError(no_layer(pred), pred.path))
        try:
            how = annotator.align or self.align
            gold, pred = matched.documents(
                pred, how, first, in_order=anywhere, layer=annotator.layer
            )
        except FormatError as error:
            if not self.strict:
                raise
            return str(error)
        how_seen = {"complete": self.complete, "anywhere": anywhere, "beside": pred is gold}
        pred = with_layer(pred, annotator.layer, **how_seen)
        spans = matched.spans(gold, layer, anywhere, first)
        theirs = pred.spans(annotator.layer, anywhere=anywhere, first=first)
        try:
            if self.strict and not lacks_annotation(pred.notes):
                check_same_corpus(spans, theirs)
                from ..scoring.boards import align_complete

                pair = align_complete(spans, theirs)
            else:
                pair = align(spans, theirs)
            if anywhere:  # of a corpus that is one block, counting says so
                self._check(*pair)
        except ValueError as error:
            if not self.strict:
                raise
            return str(error)
        return pair

    def check(self, survey: Survey, one_block: bool) -> Survey:
        """The survey of all blocks, if it can be counted with."""
        if self.panel is None:
            survey = self._check_predictions(survey)
        elif not one_block and self.panel.annotators(survey.layers) != self.annotators:
            raise OtherLayersError(self.panel.annotators(survey.layers))
        elif len(survey.positions()) > 1:
            raise FormatError(
                "some documents have tokens and others have not; give all tokens, or none "
                "(--read tokenizer=en makes tokens of texts)",
                survey.layers[0].path,
            )
        if not one_block and self._draws(survey):
            raise DrawnError
        return survey

    def _check_predictions(self, survey: Survey) -> Survey:
        """The survey, with reasons for predictions without any layer."""
        reasons = dict(survey.reasons)
        for one in self.annotators[1:]:
            if not one.layer:
                layers = survey.layers[one.source]
                reasons[one.name] = str(FormatError(no_layer(layers), layers.path))
        names = [one.name for one in self.annotators[1:] if one.name in reasons]
        if len(reasons) == len(self.annotators) - 1:
            texts = "; ".join(f"{name}: {reasons[name]}" for name in names)
            raise ValueError(f"no system can be compared ({texts})")
        return replace(survey, reasons=reasons)

    def _check(self, gold: Spans, pred: Spans) -> None:
        """Raise if annotation contradicts a chance model that is asked for."""
        corrected = [one for one in self.requests().values() if one.placement != "none"]
        for placement in sorted({one.placement for one in corrected if not one.overlapping}):
            check_placement(gold, pred, placement)

    def _panel(self, block: Block, find: Find) -> tuple[Content, list[Annotator]]:
        """The `Content` of a panel."""
        assert self.panel is not None
        corpora = list(block.corpora)
        if not block.only:
            corpora = all_completed(corpora)
            for other in corpora[1:]:
                if not _has_other_documents(corpora[0], other):
                    _check_order(corpora[0], other)
        layers = tuple(map(layers_in, corpora))
        annotators = [
            one for number, mine in enumerate(layers) for one in find(number, layers[0], mine)
        ]
        try:
            corpus = self.panel.merge(corpora, annotators, block.first)
        except FormatError as error:
            for other in () if block.only else corpora[1:]:
                if _may_be_divided_otherwise(corpora[0], other, self.panel.align):
                    raise UnorderedError(f"{other.path} is divided otherwise") from error
            raise
        if not block.only and corpus.notes.count(OTHER_TEXT):
            for other in corpora[1:]:
                if _may_be_divided_otherwise(corpora[0], other, self.panel.align):
                    raise UnorderedError(f"{other.path} is divided otherwise")
        anywhere, categories = not block.only, self.panel.categories
        names = sorted({one.name for one in annotators})
        sides = spans_by_layer(corpus, names, categories, anywhere=anywhere, first=block.first)
        sources = {one.name: corpora[one.source] for one in annotators}
        one = sides[names[0]]
        if anywhere:
            sides = {k: trusted(s, words=one.words, names=one.names) for k, s in sides.items()}
        panel = Panel(sides, "category" if categories else corpus.positions)
        notes = self._unusable(corpus, panel, sources)
        content = Content(
            block.first,
            layers,
            tuple(_data(one, corpus.positions) for one in corpora),
            (corpus.notes + notes, *(NO_NOTES for _ in corpora[1:])),
            corpus.table.attribute_names,
            {},
            panel,
            corpus.positions,
            tuple(corpus.table.all_names()),
            {key: corpus.table.attribute(key) for key in {"article", *self.attributes}},
            word_keys(one),
        )
        return content, annotators

    @property
    def skips(self) -> bool:
        """Whether blemishes of annotators of whom none is gold are left out."""
        panel = self.panel
        return panel is not None and not self.gold and panel.reading.on_error == SKIP

    def _unusable(self, corpus: Corpus, panel: Panel, sources: Mapping[str, Corpus]) -> Notes:
        """Notes of documents of annotators that some metrics leave out, as their units overlap.

        `sources` are what the files of annotators hold, by name.
        """
        names: dict[str, list[str]] = {}
        for name, request in self.requests().items():
            names.setdefault(view_of(request, self.skips), []).append(name)
        found = NO_NOTES
        for view, metrics in names.items():
            if not (crossed := crossed_in(panel, view)):
                continue
            places = []
            for name, docs in crossed.items():
                for doc, span in sorted(docs.items()):
                    document = _document_like(corpus.documents[doc], doc, sources[name])
                    path, line = sources[name].path, None
                    if document is not None:
                        path, line = document.path or path, document.line(0) or None
                    places.append(
                        Place(path, line, f"{span} of {name}, which overlaps another one")
                    )
            found += note(Kind(DOCUMENTS, OVERLAPPING, tuple(metrics)), places)
        return found

    # --- the survey

    def survey(
        self, sources: Sequence[Source], batch: Batch, keep: bool, known: Survey | None
    ) -> Surveyed:
        """The survey and the counts of a batch.

        Parameters
        ----------
        sources : sequence of Source
        batch : Batch
        keep : bool
            Whether to keep the contents of its blocks.
        known : Survey, optional
            Of the other batches surveyed so far: the batch is counted with it.
        """
        try:
            blocks = blocks_of(batch, sources, self.weight(len(sources)))
            return self._surveyed(blocks, keep, known)
        except UnorderedError:
            if not batch.files:
                raise
            return self._surveyed([block_of_files(batch, sources)], keep, known)

    def _surveyed(self, blocks: Iterable[Block], keep: bool, known: Survey | None) -> Surveyed:
        """The survey and the counts of some blocks."""
        surveys, kept, decided = [], [], ()
        counts: list[Counts] | None = None if self.asking(False) else []
        for block in blocks:
            content, _ = self.content(block)
            surveys.append(self.survey_of(content))
            if keep:
                kept.append(content if self.weighs_words else content.slim())
            if counts is not None:
                known = self.merged([*([known] if known else []), surveys[-1].for_counting()])
                before, decided = decided, known.decides()
                found = self._counted_ahead(content, known) if before in ((), decided) else None
                counts = None if found is None else [*counts, found]
        size = sum(content.n_bytes for content in kept)
        merged = merge_counts(counts) if counts else None
        return Surveyed(self.merged(surveys), kept if keep else None, size, merged, decided)

    def _counted_ahead(self, content: Content, known: Survey) -> Counts | None:
        """The `Counts` of a block; None if it fails: counting with all that is known tells why."""
        try:
            if self.gold and not content.compared().keys() - known.reasons.keys():
                return None
            if self._draws(known):
                return None
            return self.count_content(content, known)
        except ValueError:
            return None

    def merged(self, surveys: Iterable[Survey]) -> Survey:
        """The survey of several blocks."""
        requests = self.asking(False)
        return reduce(partial(add_surveys, requests=requests), surveys)

    def survey_of(self, content: Content, one_block: bool = False) -> Survey:
        """The `Survey` of a block."""
        if content.panel is not None:
            annotators = content.panel.annotators
            sides: Mapping[str, Sequence[Spans]] = {"": content.panel.aligned}
            labels = {name: frozenset(content.panel.labels) for name in annotators}
            used = {name: frozenset(one.used_labels()) for name, one in annotators.items()}
        else:
            compared = sides = content.compared()
            labels = {name: frozenset(pred.labels) for name, (_, pred) in compared.items()}
            used = {name: frozenset(pred.used_labels()) for name, (_, pred) in compared.items()}
            gold = next((gold for gold, _ in compared.values()), None)
            used[""] = frozenset(() if gold is None else gold.used_labels())  # of gold
        articles = content.attributes.get("article", ())
        return Survey(
            layers=content.layers,
            data=content.data,
            notes=content.notes,
            attributes=content.attribute_names,
            named=all(name is not None for name in content.names),
            articles=bool(articles) and None not in articles,
            overlapping=frozenset(_overlapping(self.requests(), sides)),
            labels=labels,
            used=used,
            features=frozenset().union(*(side.feature_names() for side in content.sides())),
            known=dict(self._known_of(content, one_block)),
            reasons={name: pair for name, pair in content.pairs.items() if isinstance(pair, str)},
        )

    def _known_of(self, content: Content, one_block: bool) -> Iterator[tuple[tuple[Any, str], Any]]:
        """The facts of a block that counts need, by the side counted and the name of the survey."""
        every = {one.survey_name or "": one for one in self.asking(one_block)}
        views = {name: view_of(one, self.skips) for name, one in every.items()}
        for view in sorted({*views.values()}):
            asking = {name: one for name, one in every.items() if views[name] == view}
            yield from self._known_of_some(content, asking, view, one_block)

    def _known_of_some(
        self, content: Content, asking: Mapping[str, Request], view: str, one_block: bool
    ) -> Iterator[tuple[tuple[Any, str], Any]]:
        """The facts for requests that see the same of a panel."""
        teams: Iterable[tuple[Any, Sequence[Spans], bool]]
        teams = ((name, pair, True) for name, pair in content.compared().items())
        if content.panel is not None:
            panel = panel_of_view(content.panel, view)
            summed = self.pairs or not all(counts_team(one.row) for one in asking.values())
            keys = keys_of(panel, self.pairs) if summed else []
            teams = _teams(panel, keys)
        for key, sides, forward in teams:
            for name, request in asking.items():
                if key == TEAM and not request.row.team:
                    continue
                if not forward and request.is_symmetric:
                    continue
                try:
                    yield (key, name), request.survey(sides)
                except ValueError:  # which counting will meet, too
                    continue

    # --- counting

    def count(
        self,
        survey: Survey,
        sources: Sequence[Source],
        batch: Batch,
        contents: Iterable[Content] | None,
    ) -> Counts:
        """The `Counts` of a batch; `contents` are those of its blocks, if they were kept."""
        if contents is not None:
            return merge_counts(self.count_content(one, survey) for one in contents)
        try:
            return self._counted(blocks_of(batch, sources, self.weight(len(sources))), survey)
        except UnorderedError:
            if not batch.files:
                raise
            return self._counted([block_of_files(batch, sources)], survey)

    def _counted(self, blocks: Iterable[Block], survey: Survey) -> Counts:
        """The `Counts` of some blocks."""
        return merge_counts(self.count_content(self.content(b)[0], survey) for b in blocks)

    def count_content(
        self,
        content: Content,
        survey: Survey,
        one_block: bool = False,
        on_error: Callable[[str, ValueError], None] | None = None,
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
        requests = list(self.requests(survey).values())
        if content.panel is not None:
            counts = self._count_panel(
                content, content.panel, survey, requests, one_block, progress
            )
        else:
            counts = self._count_predictions(
                content, survey, requests, one_block, on_error, progress
            )
        if not self.rows and not (one_block and self.panel):
            return counts.total()
        return counts if one_block else counts.compact()

    def _count_predictions(
        self,
        content: Content,
        survey: Survey,
        requests: Sequence[Request],
        one_block: bool,
        on_error: Callable[[str, ValueError], None] | None,
        progress: Progress,
    ) -> Counts:
        """The `Counts` of gold and predictions."""
        labels, compared = survey.all_labels(), content.compared()
        names = [name for name in sorted(compared) if name not in survey.reasons]
        pairs = {}
        for name in names:
            gold, pred = (with_labels(side, labels) for side in compared[name])
            pairs[name] = gold, pred
        counts = count_predictions(
            pairs,
            requests,
            draws=self.draws,
            seed=self.seed,
            p_values=self.p_values,
            arguments=survey.prediction_arguments(requests),
            used=None if one_block else [sorted(survey.used[name]) for name in ("", *names)],
            words=content.words,
            keys=self.keys,
            positions=content.positions,
            on_error=on_error,
            progress=progress,
        )
        more: dict[str, Any] = {"attributes": content.attributes if self.rows else {}}
        if not one_block:
            more["documents"] = content.names or None
        if self.spans:
            pair = pairs[names[0]]
            more["spans"] = tuple(trusted(side, words=None, names=None) for side in pair)
        return replace(counts, **more)

    def _count_panel(
        self,
        content: Content,
        panel: Panel,
        survey: Survey,
        requests: Sequence[Request],
        one_block: bool,
        progress: Progress,
    ) -> Counts:
        """The `Counts` of a panel."""
        arguments = None  # without any, equal annotations are counted once
        if not one_block:
            labels, arguments = survey.all_labels(), survey.panel_arguments(requests)
            sides = {name: with_labels(s, labels) for name, s in panel.annotators.items()}
            panel = Panel(sides, panel.positions)
        counts = count_panel(
            panel,
            requests,
            draws=self.draws,
            seed=self.seed,
            arguments=arguments,
            used=[sorted(survey.used[name]) for name in panel.names],
            words=content.words,
            pairs=self.pairs,
            skip=self.skips,
            progress=progress,
        )
        if not one_block:
            names = cast("tuple[str, ...]", content.names) if survey.named else None
            counts = replace(counts, documents=names)
        unknown = () if survey.articles else {"article"} - {*self.attributes}
        known = {k: v for k, v in content.attributes.items() if k not in unknown}
        return replace(counts, attributes=known)


class _Matched:
    """Gold as `Spans`: those of one corpus are made once for all predictions."""

    def __init__(self, gold: Corpus) -> None:
        self.gold = gold
        self.n_marked = 0  # spans of gold
        self._made: tuple[Corpus, Spans] | None = None
        self._last: tuple[Corpus, str, tuple[Corpus, Corpus]] | None = None

    def documents(
        self, pred: Corpus, align: str, first: int, *, in_order: bool, layer: str
    ) -> tuple[Corpus, Corpus]:
        """Gold and predictions with the same documents in the same order, that of gold.

        Parameters
        ----------
        pred : Corpus
            May be gold itself, with layers of both.
        align : "auto", "tokens", "characters" or "position"
        first : int
            Number of documents before both, for messages.
        in_order : bool
            Whether there are other blocks, with which both have to keep in step.
        layer : str
            That of the predictions.
        """
        if pred is self.gold:
            return pred, pred
        layer = layer if self.gold.skipped or pred.skipped else ""
        if self._last is None or self._last[0] is not pred or self._last[1] != layer:
            mine = completed(self.gold, pred, layer)
            if in_order and not _has_other_documents(self.gold, mine):
                _check_order(self.gold, mine)
            try:
                pair = match_documents(self.gold, mine, align=align, first=first)
            except FormatError as error:
                if in_order and _may_be_divided_otherwise(self.gold, pred, align):
                    raise UnorderedError(f"{pred.path} is divided otherwise") from error
                raise
            if in_order and pair[1].notes.count(OTHER_TEXT):
                if _may_be_divided_otherwise(self.gold, mine, align):
                    raise UnorderedError(f"{pred.path} is divided otherwise")
            self._last = pred, layer, pair
        return self._last[2]

    def notes(self, pred: Corpus) -> Notes:
        """The notes of predictions that were matched last, also of what matching changed."""
        last, self._last = self._last, None  # which frees memory
        return last[2][1].notes if last is not None and last[0] is pred else pred.notes

    def spans(self, gold: Corpus, layer: str, anywhere: bool, first: int) -> Spans:
        """A layer of gold, as it was matched with a prediction."""
        if self._made is None or self._made[0] is not gold:
            self._made = gold, gold.spans(layer, anywhere=anywhere, first=first)
            self.n_marked = n_marked(self._made[1])
        return self._made[1]


def _with_common_annotation(pairs: Mapping[str, Pair | str]) -> dict[str, Pair | str]:
    """The pairs of a board on the documents that all predictions annotate."""
    names = [name for name, pair in pairs.items() if not isinstance(pair, str)]
    both = [spans for name in names for spans in cast(Pair, pairs[name])]
    if not both:
        return dict(pairs)
    aligned = align_seen(both, np.all([spans.seen for spans in both], axis=0))
    return {**pairs, **dict(zip(names, zip(aligned[::2], aligned[1::2])))}


def _teams(panel: Panel, keys: Iterable[Key]) -> Iterator[tuple[Key, Sequence[Spans], bool]]:
    """(key, annotators, forward) of some pairs, also the other way round, and of the team."""
    for key in keys:
        sides = annotators_of(panel, key)
        yield key, sides, True
        if key[0] == "pair":
            yield mirrored_key(key), sides[::-1], False
    if len(panel) > 1:
        yield TEAM, annotators_of(panel, TEAM), True


def _data(corpus: Corpus, positions: str) -> frozenset[tuple[str, str]]:
    """Pairs of the positions on which a corpus is compared and its repair of improper tags."""
    return frozenset((positions, repair) for repair in corpus.repair.split("+"))


def _document_like(document: Document, doc: int, corpus: Corpus) -> Document | None:
    """The document of a corpus with the name of another one, or its words; at its place if it is.

    None if there is no such document.
    """
    for one in (*corpus.documents[doc : doc + 1], *corpus.documents):
        named = one.name is not None and one.name == document.name
        if named or (one.name is None and [*one.words] == [*document.words]):
            return one
    return None


def _has_other_documents(first: Corpus, other: Corpus) -> bool:
    """Whether a corpus has the same tokens in more or fewer documents."""
    return len(first.documents) != len(other.documents) and have_same_tokens(first, other)


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
