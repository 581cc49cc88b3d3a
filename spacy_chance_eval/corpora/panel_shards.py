"""Panels in shards: what `shards` surveys and counts of them, and their agreement."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from ..formats.corpus import Part, unique_names
from ..formats.corpus import merge_annotators as merged_corpus
from ..formats.errors import FormatError
from ..measures.alignment import with_labels
from ..measures.chance.draws import word_keys
from ..measures.panel import Panel
from ..measures.spans import trusted
from ..scoring.agreement import agreement_of
from ..scoring.panel_tallies import merged as merged_tallies
from ..scoring.panel_tallies import tally_of_panel
from .panel_requests import Asked
from .panel_surveys import PanelSurvey, added, asks_more, joined_layers, survey_of, weighs_words
from .panels import Layers, Sources, names_of, place_of, sources_of
from .pieces import files_of_source
from .sharded import can_be_sharded, check_partners, is_drawn, is_large
from .shards import Passes, Workers
from .sides import Side, Unordered, blocks_of, by_files, shards_of

NO_ROWS = (
    "no documents are named: of so much text, they are kept apart for intervals, or if all of them "
    "are asked for"
)
TEXT = 64  # bytes of a word or name, and of its place in a tuple


class OtherLayers(Exception):
    """The files have other layers than their first documents: they have to be surveyed again."""

    def __init__(self, annotators):
        super().__init__(annotators)
        self.annotators = annotators


class Drawn(ValueError):
    """The chance of a metric is drawn for these spans: they have to be counted as a whole."""


@dataclass(frozen=True)
class Annotator:
    """Where the work of an annotator is: the number of the side, and the layer."""

    name: str
    side: int
    layer: str


@dataclass(frozen=True, eq=False)
class Block:
    """A panel on some documents, and what else is counted of them.

    `names` and `articles` are as the files have them, `words` are the keys of the words.
    """

    panel: Panel
    names: tuple
    articles: tuple
    words: np.ndarray

    @property
    def n_bytes(self):
        """Bytes of the annotation, about."""
        arrays = [self.words, *(one for s in self.panel.sides for one in vars(s).values())]
        size = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
        return size + TEXT * (len(self.names) + len(self.panel.sides[0].words or ()))


@dataclass(frozen=True, eq=False)
class Surveyed(PanelSurvey):
    """The survey of a whole corpus, and what is to be counted: `requests` by name, and `more`."""

    requests: Mapping = field(default_factory=dict)
    more: Mapping = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PanelJob:
    """How the work of several annotators is read and counted, a shard at a time.

    Parameters
    ----------
    sources : panels.Sources
    asked : Asked
    early : tuple of Request
        Those that ask for more than labels, see `asks_more`: they are the same for all spans.
    rows : bool
        Whether to keep a row for each document.
    annotators : tuple of Annotator
    """

    sources: Sources
    asked: Asked
    early: tuple = ()
    rows: bool = False
    annotators: tuple = ()

    # --- reading

    def blocks(self, sides, shard):
        """(corpora, all as one, `Block`) of what is read at once."""
        for first, corpora in blocks_of(shard, sides):
            corpora = [self.sources.in_tokens(corpus, first) for corpus in corpora]
            for other in corpora[1:]:
                check_order(corpora[0], other)
            whole = merged_corpus(
                [Part(one.name, corpora[one.side], one.layer) for one in self.annotators], first
            )
            yield corpora, whole, self.block(whole, first)

    def block(self, corpus, first):
        """The `Block` of a corpus that has a layer for each annotator."""
        categories = self.sources.categories
        read = corpus.categories if categories else corpus.spans
        names = sorted({one.name for one in self.annotators})
        sides = {name: read(name, anywhere=True, first=first) for name in names}
        one = sides[names[0]]
        sides = {name: trusted(s, words=one.words, names=one.names) for name, s in sides.items()}
        return Block(
            Panel(sides, "category" if categories else corpus.positions),
            tuple(corpus.names()),
            tuple(document.attributes.get("article") for document in corpus.documents),
            word_keys(one),
        )

    # --- first pass

    def survey(self, sides, shard, keep):
        """The `PanelSurvey` of a shard, and its blocks if they are to be kept."""
        found, kept = [], []
        for corpora, whole, block in self.blocks(sides, shard):
            found.append(survey_of(corpora, whole, block.panel, self.early))
            if keep:
                kept.append(self.slim(block))
        size = sum(block.n_bytes for block in kept)
        return reduce(added, found), (size, kept) if keep else None

    def requests(self, labels=(), chance=None):
        """{name: Request} of some labels, and of the chance model that all spans allow."""
        positions = "category" if self.sources.categories else "token"
        return self.asked.requests(positions, labels, chance)

    def slim(self, block):
        """A block without what is not needed to count it."""
        if any(map(weighs_words, self.early)):
            return block
        sides = {name: trusted(s, words=None) for name, s in block.panel.annotators.items()}
        return replace(block, panel=Panel(sides, block.panel.positions))

    def merged(self, surveys):
        """The survey of all parts, with what is to be counted.

        Raises
        ------
        OtherLayers
            If there are other annotators than the job has.
        Drawn
            If a metric has no formula for the chance of these spans.
        """
        whole = reduce(added, surveys)
        annotators = annotators_of(self.sources, whole.layers)
        if annotators != self.annotators:
            raise OtherLayers(annotators)
        check_positions(whole)
        chance = None if whole.disjoint else "overlapping"
        requests = self.requests(sorted(whole.labels), chance)
        if any(map(is_drawn, requests.values())):
            raise Drawn
        more = whole.counted_with(requests.values())
        slim = {**vars(whole), "priors": {}, "sequences": {}, "words": {}}
        return Surveyed(**slim, requests=requests, more=more)

    # --- second pass

    def count(self, survey, sides, shard, kept):
        """The `PanelTally` of a shard."""
        blocks = kept if kept is not None else (block for *_, block in self.blocks(sides, shard))
        requests = list(survey.requests.values())
        return merged_tallies([self.tally(one, survey, requests) for one in blocks], requests)

    def tally(self, block, survey, requests):
        """The `PanelTally` of some documents."""
        panel = block.panel
        sides = {name: with_labels(s, survey.labels) for name, s in panel.annotators.items()}
        used = survey.used_by(panel.names)
        more = {"used": used, "priors": survey.more, "words": block.words}
        found = tally_of_panel(Panel(sides, panel.positions), requests, **more)
        names = block.names if survey.named else None
        found = replace(
            found, documents=names, clusters=block.articles if survey.articles else None
        )
        return found.compact() if self.rows else found.total()


def check_order(first, other):
    """Raise unless two corpora hold the same documents in the same order, by their names."""
    names = first.names(), other.names()
    if len(names[0]) != len(names[1]) or (
        names[0] != names[1] and None not in (*names[0], *names[1])
    ):
        raise Unordered(f"documents of {other.path} have other names, or another order")


def check_positions(survey):
    """Raise if some documents have tokens and others have not."""
    if len({positions for side in survey.facts for positions, _ in side}) > 1:
        raise FormatError(
            "some documents have tokens and others have not; give all tokens, or none "
            "(--tokenizer makes tokens of texts)",
            survey.layers[0].path,
        )


# --- from sources to a result


def agree_sharded(
    sources, asked, *, reading, workers, intervals, worst=20, draws="", progress=None
):
    """The result of `agree` for large files; None if they have to be read as a whole.

    That is so where they are small, cannot be cut, or do not hold the same documents in the same
    order, and for metrics whose chance is drawn.

    Parameters
    ----------
    sources : sequence of str
    asked : Asked
    reading : mapping
        As `read_panel` has it.
    workers : Workers, optional
    intervals : Resampling
    worst, draws, progress
        As `agreement_of` has them.
    """
    workers = workers or Workers()
    sources = sources_of(sources, **reading)
    sides = sides_of(sources)
    if sides is None or not is_large(sides, workers):
        return None
    job = PanelJob(sources, asked, rows=bool(intervals.resamples or worst is None))
    requests = job.requests().values()
    if not can_be_sharded(sides, requests, workers):
        return None
    job = replace(job, early=tuple(filter(asks_more, requests)))
    try:
        passed = settled(job, sides, workers)
    except Unordered as error:
        check_partners(sides, error)
        return None
    except Drawn:
        return None
    survey = passed.survey
    tally = named(merged_tallies(passed.counts, list(survey.requests.values())))
    data = {"repair": survey.repair}
    if passed.left_out:
        data["left_out"] = f"{len(passed.left_out)}/{passed.n_shards}"
    found = agreement_of(
        tally,
        survey.requests,
        intervals=intervals,
        clusters=tally.clusters,
        unit="article" if survey.articles else "documents",
        **{"worst": worst, "draws": draws, "data": data, "progress": progress},
    )
    found["notes"] += [f"left out: {one['files'][0]} ({one['reason']})" for one in passed.left_out]
    if not job.rows and worst:
        found["notes"].append(NO_ROWS)
    return found | {"left_out": list(passed.left_out)}


def sides_of(sources):
    """The `Side` of each source, or of the one that has all annotators; None where none is one."""
    if sources.is_folder() or (sources.by == "layer" and len(sources.sources) > 1):
        return None
    sides = []
    for source in sources.sources:
        path, part = place_of(source)
        layers = sources.by == "layer"
        extra = sources.everybody(path) if layers else sources.column(path, part)
        options = sources.options_for(path, extra)
        files = files_of_source(path, options.get("format"))
        sides.append(Side(tuple(map(str, files)), "gold", options))
    return sides


def annotators_of(sources, layers):
    """Each `Annotator`, by the `Layers` of the sides."""
    if sources.by == "layer":
        part = place_of(sources.sources[0])[1]
        return tuple(Annotator(name, 0, one) for name, one in sources.layers_of(layers[0], part))
    names = names_of(sources.sources)
    return tuple(
        Annotator(name, side, sources.one_layer(layers[side], place_of(source)[1]))
        for side, (name, source) in enumerate(zip(names, sources.sources))
    )


def settled(job, sides, workers):
    """What a job `Passed`, once it is known who the annotators are.

    For certain that is when all documents were read; if the first ones do not tell, all are read
    again.
    """
    annotators = first_annotators(job.sources, sides, workers)
    while True:
        try:
            return Passes(replace(job, annotators=annotators), sides, workers).passed()
        except OtherLayers as other:
            annotators = other.annotators


def first_annotators(sources, sides, workers):
    """The annotators of the first documents that can be read and have some."""
    matched = by_files(sides, some=workers.skip_bad)
    known, error = None, None
    for shard in shards_of(matched or sides, matched is not None):
        try:
            for _, corpora in blocks_of(shard, sides):
                found = tuple(map(Layers.of, corpora))
                known = joined_layers(known, found) if known else found
                try:
                    return annotators_of(sources, known)
                except ValueError as fault:
                    error = fault
        except (FormatError, Unordered) as fault:
            if not workers.skip_bad:
                raise
            error = error or fault
    raise error or FormatError("there are no documents", sides[0].paths[0])


def named(tally):
    """A tally of rows whose documents have names that differ from each other."""
    if not isinstance(tally.documents, tuple):
        return tally
    return replace(tally, documents=tuple(unique_names(tally.documents)))
