"""`Compared`: gold and predictions as roles, and how a block of them is matched and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from ..formats import FormatError, match_documents
from ..formats.alignment import in_characters
from ..formats.blemishes import completed
from ..formats.corpus import Corpus
from ..formats.notes import Notes, unevaluated
from ..measures.alignment import align, align_seen, check_same_corpus, n_marked, with_labels
from ..measures.chance.draws import word_keys
from ..measures.chance.expectation import check_placement
from ..measures.spans import Spans, trusted
from ..scoring.counts import Counts, Progress, count_predictions
from .blocks import Block
from .jobs import Content, Job, OnError, Pair, data_of, in_step
from .pairs import lacks_annotation, with_layer
from .sources import Annotator, Layers, Source, layers_in, no_layer
from .survey import Survey

# find(number of the source, layers of the first source, its own) gives its annotators
Find = Callable[[int, Layers, Layers], Sequence[Annotator]]


def _read(source: Source, first: Corpus) -> Corpus:
    """The corpus of a source."""
    return source.read()


def _no_annotators(number: int, first: Layers, layers: Layers) -> Sequence[Annotator]:
    """None: those that are known are meant."""
    return ()


@dataclass(frozen=True, eq=False)
class Compared:
    """Gold, the first annotator, and predictions, each compared with it.

    Parameters
    ----------
    find : callable, optional
        find(number, layers of the first source, layers) gives the annotators of a source.
    read : callable, optional
        read(source, corpus of the first source) reads a source; by default `Source.read`.
    strict : bool
        Whether predictions have to annotate all that gold does, as on leaderboards; what cannot be
        compared is then left out, with a reason.
    complete : bool
        Whether a prediction that lacks its layer in a document has no spans there.
    align : "auto", "tokens", "characters" or "position"
        How predictions with other tokens than gold are compared.
    """

    find: Find
    read: Callable[[Source, Corpus], Corpus] = _read
    strict: bool = False
    complete: bool = True
    align: str = "auto"
    categories = False
    with_gold = True

    @property
    def in_blocks(self) -> bool:
        """Whether they can be read in blocks: rows of annotators may stand anywhere."""
        return self.complete

    def known(self) -> Compared:
        """The same without functions, which cannot be sent to another process."""
        return replace(self, find=_no_annotators, read=_read)

    def weight(self, n_sources: int) -> float:
        """Counting takes about as much memory as reading."""
        return 1.0

    def content(
        self, job: Job, block: Block, progress: Progress
    ) -> tuple[Content, list[Annotator]]:
        """The annotation of a block, and whose it is."""
        gold = block.corpora[0]
        if self.align == "characters":
            gold = in_characters(gold)
        layers, notes = [layers_in(gold)], [gold.notes]
        data = [data_of(gold, gold.positions)]
        annotators: list[Annotator] = []
        pairs: dict[str, Pair | str] = {}
        matched = _Matched(gold)
        numbers: Iterable[int] = range(len(block.corpora))
        if self.strict and block.first is None:
            numbers = progress(numbers, None, "Files")
        for number in numbers:
            corpus = block.corpora[number] if number else gold
            if number:
                layers.append(layers_in(corpus))
                data.append(data_of(corpus, gold.positions))
            mine = list(job.find(number, layers[0], layers[-1]))
            annotators += mine
            for one in mine if number else mine[1:]:
                pairs[one.name] = self._pair(job, matched, annotators[0].layer, corpus, one)
            if number:
                notes.append(matched.notes(corpus))
        if self.strict and (not self.complete or any(map(lacks_annotation, notes[1:]))):
            pairs = _with_common_annotation(pairs)
        first = next((pair[0] for pair in pairs.values() if not isinstance(pair, str)), None)
        if first is not None:
            notes[0] += unevaluated(matched.n_marked - n_marked(first))
        names, attributes = tuple(gold.table.all_names()), gold.table.attribute_names
        content = Content(
            block.first or 0,
            Survey(len(names), tuple(layers), tuple(data), tuple(notes), attributes),
            pairs,
            None,
            gold.positions,
            names,
            {key: gold.table.attribute(key) for key in job.attributes},
            word_keys(first) if job.keys and first is not None else None,
        )
        return content, annotators

    def _pair(
        self,
        job: Job,
        matched: _Matched,
        layer: str,
        pred: Corpus,
        annotator: Annotator,
    ) -> Pair | str:
        """Gold and a prediction, aligned; on boards the reason where they cannot be compared."""
        is_part = pred.first is not None
        if not annotator.layer and not is_part:
            return str(FormatError(no_layer(pred), pred.path))
        try:
            how = annotator.align or self.align
            gold, pred = matched.documents(pred, how, annotator.layer)
        except FormatError as error:
            if not self.strict:
                raise
            return str(error)
        pred = with_layer(pred, annotator.layer, complete=self.complete, beside=pred is gold)
        spans, theirs = matched.spans(gold, layer), pred.spans(annotator.layer)
        try:
            if self.strict and self.complete and not lacks_annotation(pred.notes):
                check_same_corpus(spans, theirs)
                from ..scoring.boards import align_complete

                pair = align_complete(spans, theirs)
            else:
                pair = align(spans, theirs)
            if is_part:  # of a corpus that is one block, counting says so
                for placement in _placements(job):
                    check_placement(*pair, placement)
        except ValueError as error:
            if not self.strict:
                raise
            return str(error)
        return pair

    def checked(self, survey: Survey, annotators: Sequence[Annotator]) -> Survey:
        """The survey, with reasons for predictions without any layer."""
        reasons = dict(survey.reasons)
        for one in annotators[1:]:
            if not one.layer:
                layers = survey.layers[one.source]
                reasons[one.name] = str(FormatError(no_layer(layers), layers.path))
        names = [one.name for one in annotators[1:] if one.name in reasons]
        if len(reasons) == len(annotators) - 1:
            texts = "; ".join(f"{name}: {reasons[name]}" for name in names)
            raise ValueError(f"no system can be compared ({texts})")
        return replace(survey, reasons=reasons)

    def counts(
        self,
        job: Job,
        content: Content,
        survey: Survey,
        one_block: bool,
        on_error: OnError,
        progress: Progress,
    ) -> Counts:
        """The `Counts` of a block."""
        requests = list(job.requests(survey).values())
        labels, compared = survey.all_labels(), content.compared()
        names = [name for name in sorted(compared) if name not in survey.reasons]
        pairs = {}
        for name in names:
            gold, pred = (with_labels(side, labels) for side in compared[name])
            pairs[name] = gold, pred
        counts = count_predictions(
            pairs,
            requests,
            draws=job.draws,
            seed=job.seed,
            p_values=job.p_values,
            arguments=None if one_block else survey.arguments(requests),
            used=None if one_block else [sorted(survey.used[name]) for name in ("", *names)],
            words=content.words,
            keys=job.keys,
            positions=content.positions,
            on_error=on_error if self.strict else None,
            progress=progress,
        )
        more: dict[str, Any] = {"attributes": content.attributes if job.rows else {}}
        if not one_block:
            more["documents"] = content.names or None
        if job.spans:
            kept = [pairs[name] for name in counts.names[1:]]
            sides = [kept[0][0], *(pred for _, pred in kept)]
            more["spans"] = tuple(trusted(side, words=None, names=None) for side in sides)
        return replace(counts, **more)


def _placements(job: Job) -> list[str]:
    """Chance models that annotation must not contradict."""
    asked = job.requests().values()
    return sorted({one.placement for one in asked if not one.overlapping} - {"none"})


class _Matched:
    """Gold as `Spans`: those of one corpus are made once for all predictions."""

    def __init__(self, gold: Corpus) -> None:
        self.gold = gold
        self.n_marked = 0  # spans of gold
        self._made: tuple[Corpus, Spans] | None = None
        self._last: tuple[Corpus, str, tuple[Corpus, Corpus]] | None = None

    def documents(self, pred: Corpus, align: str, layer: str) -> tuple[Corpus, Corpus]:
        """Gold and predictions with the same documents in the same order, that of gold.

        Parameters
        ----------
        pred : Corpus
            May be gold itself, with layers of both.
        align : "auto", "tokens", "characters" or "position"
        layer : str
            That of the predictions.
        """
        if pred is self.gold:
            return pred, pred
        layer = layer if self.gold.skipped or pred.skipped else ""
        if self._last is None or self._last[0] is not pred or self._last[1] != layer:
            mine = completed(self.gold, pred, layer)
            match = partial(match_documents, self.gold, mine, align=align)
            others = [] if mine.first is None else [mine]
            self._last = pred, layer, in_step(self.gold, others, align, match)
        return self._last[2]

    def notes(self, pred: Corpus) -> Notes:
        """The notes of predictions that were matched last, also of what matching changed."""
        last, self._last = self._last, None  # which frees memory
        return last[2][1].notes if last is not None and last[0] is pred else pred.notes

    def spans(self, gold: Corpus, layer: str) -> Spans:
        """A layer of gold, as it was matched with a prediction."""
        if self._made is None or self._made[0] is not gold:
            self._made = gold, gold.spans(layer)
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
