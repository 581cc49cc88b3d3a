"""Gold and systems: from files, columns, folders and pipelines to counts, and to runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..corpora.columns import columns_of, with_gold_name
from ..corpora.compared import Compared
from ..corpora.pairs import (
    CorpusPair,
    find_sources,
    layer_of_pred,
    look_at,
    named_layer,
    pair_corpora,
    read_predictions,
    reading_of_pred,
    ready_sources,
)
from ..corpora.passes import CountedSources, Workers, count_sources
from ..corpora.sources import (
    Annotator,
    Layers,
    Source,
    choose_layer,
    is_pipeline,
    name_systems,
    parse_source,
    parse_systems,
)
from ..formats import FormatError, read
from ..formats.conll_columns import header_names, places_of
from ..formats.keys import Reading
from ..formats.paths import is_there, name_of, path_of
from ..measures.alignment import align
from ..metrics.request import Request
from ..scoring.counts import GOLD
from ..scoring.intervals import article_clusters
from ..scoring.warnings import label_listing, look_past_labels, prediction_name
from .settings import Scoring

if TYPE_CHECKING:
    from ..runs.run import StoredRun


@dataclass(frozen=True, eq=False)
class Systems:
    """Gold and the systems that are compared with it, and their counts.

    Parameters
    ----------
    gold : Source
        As it was named, looked at.
    named : mapping of str to Source
        The systems by their names, those that cannot be compared last.
    reasons : mapping of str to str
        Why some cannot be compared.
    absent : sequence of Source
        Optional ones that are not there.
    reading : Reading
        How gold is read.
    counted : CountedSources
    """

    gold: Source
    named: Mapping[str, Source]
    reasons: Mapping[str, str]
    absent: Sequence[Source]
    reading: Reading
    counted: CountedSources

    def pair(self, annotator: Annotator) -> CorpusPair:
        """The documents of gold and a system, which were kept."""
        corpora = self.counted.corpora
        assert corpora is not None
        layers = self.counted.annotators[0].layer, annotator.layer
        how = Reading(align=annotator.align or self.reading.align)
        return pair_corpora((corpora[0], corpora[annotator.source]), layers, how)


def _found(
    groups: Sequence[tuple[Source, Sequence[Source]]],
    gold: str | None,
    number: int,
    first: Layers,
    layers: Layers,
) -> list[Annotator]:
    """The annotators of a source: gold, whose layer may be known, or its systems."""
    layer = choose_layer(first, gold)
    if not number:
        return [Annotator(GOLD, 0, layer)]
    return [
        Annotator(
            one.name or "", number, layer_of_pred(layers, layer, one.layer), one.reading.align
        )
        for one in groups[number][1]
    ]


def count_systems(
    gold: str | Source,
    systems: Sequence[str | Source],
    how: Scoring,
    *,
    reading: Reading | None,
    workers: Workers | None,
    every: bool = False,
    keep: bool = False,
    **kept: Any,
) -> Systems:
    """The counts of gold and systems, which are named as for `rank_files`.

    Parameters
    ----------
    every : bool
        Whether a system that cannot be compared is an error; else it is left out, with the reason.
    keep : bool
        Whether the documents are needed afterwards.
    **kept
        Parts that a `Job` keeps.
    """
    workers, reading = workers or Workers(), reading or Reading()
    reading = replace(reading, pipeline={"progress": workers.progress, **(reading.pipeline or {})})
    source, listed = _resolved(parse_source(gold), systems, reading, every)
    while True:
        groups = _group_systems(source, listed.systems, reading)
        sources = [one for one, _ in groups]
        layer = named_layer(source, reading.layer)
        read = partial(read_predictions, layer=layer)
        find = partial(_found, groups, layer)
        complete, align = reading.annotator is None, reading.align or "auto"
        roles = Compared(find, read, strict=True, complete=complete, align=align)
        try:
            counted = count_sources(sources, how.job(roles, **kept), workers, keep=keep)
            strange = dict(counted.survey.reasons) if every else {}
            for number, name in enumerate(counted.counts.names[1:], 1):
                if message := other_labels(counted, sources, number):
                    strange[name] = message
        except FormatError as error:
            listed.leave_out(_behind(error, source, listed.systems))
            continue
        if not strange:
            break
        listed.leave_out((one, strange.get(one.name or "")) for one in listed.systems)
    if not counted.counts.seen[0].any():
        raise ValueError(nothing_shared(counted, source.format))
    reasons = {one.name or "": why for one, why in listed.unreadable} | dict(counted.survey.reasons)
    left_out = [one for one, _ in listed.unreadable]
    named = {one.name or "": one for one in (*listed.systems, *left_out)}
    return Systems(source, named, reasons, listed.absent, reading, counted)


def runs_of_systems(
    gold: str,
    systems: Sequence[str | Source],
    how: Scoring,
    *,
    reading: Reading | None,
    workers: Workers | None,
    annotations: str = "none",
) -> tuple[dict[str, StoredRun], Mapping[str, Request], list[str]]:
    """The runs of systems by their names, the requests that they have, and warnings.

    `annotations` is what runs keep of these: "spans", "text" (spans and words), or "none". All
    systems have to be comparable.
    """
    found = count_systems(
        gold,
        systems,
        how,
        reading=reading,
        workers=workers,
        every=True,
        keep=annotations == "text",
        rows=True,
        keys=True,
        attributes=("article",),
        spans=annotations == "spans",
    )
    counted, runs = found.counted, {}
    for one in counted.annotators[1:]:
        pair = found.pair(one) if counted.corpora else None
        number = counted.counts.names.index(one.name, 1)
        about = {"title": one.name, "sources": [found.gold.shown, found.named[one.name].shown]}
        runs[one.name] = run_of(counted, how, number, one.source, pair, **about)
    runs = {name: runs[name] for name in found.named}  # in the order in which they were named
    return runs, counted.requests, counted.reading_warnings


def run_of(
    counted: CountedSources,
    how: Scoring,
    number: int,
    source: int,
    pair: CorpusPair | None = None,
    **about: Any,
) -> StoredRun:
    """The run of a system, by its number in the counts and that of its source.

    It has the annotation of `pair`, with words, or the spans that the counts kept. `about` is that
    of `run_of_counts`.
    """
    from ..runs.run import kept_annotations, run_of_counts

    counts, annotations = counted.counts, None
    if pair is not None:
        texts = None
        if pair.positions == "char":
            texts = [document.text or "" for document in pair.gold.documents]
        annotations = kept_annotations(*pair.aligned(), "text", texts)
    elif counts.spans is not None:
        annotations = kept_annotations(*align(counts.spans[0], counts.spans[number]), "spans")
    return run_of_counts(
        counts,
        counted.requests,
        number=number,
        draws=how.drawn,
        clusters=article_clusters(counts.attributes["article"]),
        data=counted.data(0, source),
        annotations=annotations,
        **about,
    )


# --- systems that cannot be compared


@dataclass
class _Listed:
    """The systems that are compared, and those that are not there or cannot be read."""

    systems: list[Source]
    absent: Sequence[Source] = ()
    every: bool = False  # whether all are needed
    unreadable: list[tuple[Source, str]] = field(default_factory=list)

    def leave_out(self, reasons: Iterable[tuple[Source, str | None]]) -> None:
        """Leave out the systems for which there is a reason.

        Raises an error if all are needed, or none is left.
        """
        bad = [(one, why) for one, why in reasons if why is not None]
        if self.every and bad:
            raise ValueError(bad[0][1])
        self.unreadable += bad
        self.systems = [one for one in self.systems if one not in [two for two, _ in bad]]
        if self.systems or not (self.absent or self.unreadable):
            return
        if len(self.unreadable) == 1 and not self.absent:
            raise ValueError(self.unreadable[0][1])
        lines = [f"{one.name}: {why}" for one, why in self.unreadable]
        lines += [f"{one.name}: {one.path} is not there" for one in self.absent]
        raise ValueError("no system can be read:\n" + "\n".join(lines))


def _behind(
    error: FormatError, gold: Source, systems: Sequence[Source]
) -> list[tuple[Source, str]]:
    """The systems that an error is about, and it; raises it if it is about none of them."""
    bad = [(one, str(error)) for one in systems if error.path in (one.path, *one.files)]
    if error.path in (gold.path, *gold.files) or not bad:
        raise error
    if len(bad) > 1:  # one file, which some read with other keys
        bad = [pair for pair in bad if not _can_be_read(pair[0])] or bad
    return bad


def _can_be_read(system: Source) -> bool:
    """Whether a system can be read as it was named."""
    try:
        read(system.text, role="pred")
    except FormatError:
        return False
    return True


def other_labels(counted: CountedSources, sources: Sequence[Source], number: int = 1) -> str | None:
    """The message for a prediction that has no label of gold; None if labels meet, or do not count.

    `number` is that of the prediction in the counts.
    """
    counts, both = counted.counts, (0, number)
    gold, pred = ({*counts.used[one]} for one in both)
    if not gold or not pred or gold & pred or look_past_labels(counts.metrics):
        return None
    names = GOLD, prediction_name(counts.names[number], len(counts.names) - 1)
    support = (counts.support["annotator", one].sum(axis=0) for one in both)
    known = (
        f"{name} has {label_listing({k: int(n) for k, n in zip(counts.labels, own) if n})}"
        for name, own in zip(names, support)
    )
    first, *preds = counted.annotators
    annotators = [first, *(one for one in preds if one.name == counts.names[number])]
    others = [
        text
        for one, labels in zip(annotators, (pred, gold))
        for text in _layers_with(sources[one.source], one.layer, labels)
    ]
    advice = "check its column or layer, rename labels (FILE#rename=A:B), or ignore them: "
    advice += "-m 'span_f(labels=ignore)'"
    if others:
        advice = f"such labels are in {' and '.join(others)}: name the one that is meant"
    said = f"{names[1]} has no label in common with {GOLD}, so that no span can be correct"
    return f"{said}: {', '.join(known)}; {advice}"


def _layers_with(source: Source, layer: str, labels: set[str]) -> list[str]:
    """The other columns or layers of a source that have any of some labels."""
    if columns := columns_of(source):
        own = (source.reading.columns or {}).get(layer, source.reading.column or -1)
        places = [at for at, one in columns.tags.items() if one.labels & labels]
        return [f"{source.path}#{at}" for at in places if at != columns.place_of(own)]
    if source.is_pipeline or not source.can_be_read_again:
        return []
    corpus = source.read()
    names = [name for name in corpus.layer_names if name != layer]
    return [f"{source.path}#{one}" for one in names if {*corpus.spans(one).used_labels()} & labels]


def nothing_shared(counted: CountedSources, format: str) -> str:
    """The message for files without a document to score; `format` is that of gold."""
    layers = {one.layer for one in counted.annotators}
    others = {name for one in counted.survey.layers for name in one.layer_names} - layers
    hint = f"; other layers: {', '.join(sorted(others))} (--layer NAME)" if others else ""
    if format == "spacy":
        return (
            f"no document has spans of {' and '.join(sorted(layers))} in both gold and prediction; "
            f"there is nothing to score{hint} (for the trees in .spacy files ask for metrics of "
            "trees: -m syntax_alpha -m las)"
        )
    return f"no document is annotated in both gold and prediction; there is nothing to score{hint}"


# --- from names that users give to sources


def _resolved(
    gold: Source, systems: Sequence[str | Source], reading: Reading, every: bool
) -> tuple[Source, _Listed]:
    """Gold and the systems, looked at, with their columns.

    Systems that cannot be read, and those of which nothing tells the column, are left out.
    """
    gold, theirs = look_at(gold, reading), reading_of_pred(reading)
    if not systems:
        gold = _with_column(with_gold_name(gold))
        others = name_systems(_other_layers(gold, reading))
        return gold, _Listed([_with_column(look_at(one, theirs, "pred")) for one in others])
    named = parse_systems(systems)
    absent = [
        one for one in named if one.optional and not (is_pipeline(one.path) or is_there(one.path))
    ]
    listed = _Listed([], absent, every)
    unreadable = []
    for system in (one for one in named if one not in absent):
        try:
            _check_sum(system)
            seen = look_at(system, theirs, "pred")
            _with_column(seen)  # which fails if it cannot be read
            listed.systems.append(seen)
        except FormatError as error:
            unreadable.append((system, str(error)))
    listed.leave_out(unreadable)
    while True:
        try:
            n, names = len(listed.systems), [system.name for system in listed.systems]
            gold, looked = find_sources(gold, listed.systems, reading, ranked=not every)
            break
        except FormatError as error:
            listed.leave_out(_behind(error, gold, listed.systems))
    if looked[n:]:  # gold's file turns out to have one more
        stem = name_of(gold.path.removesuffix(".gz")).stem
        own = replace(looked[n], name=gold.path if stem in names else stem)
        looked = name_systems([own, *looked[:n]])
    listed.systems = list(map(_with_column, looked))
    if not absent:
        _check_used(listed.systems, reading.pipeline or {})
    return _with_column(gold), listed


def _check_sum(system: Source) -> None:
    """Raise for a file with another checksum than its list gives."""
    if system.sha256 and path_of(system.path).is_file():
        with path_of(system.path).open("rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
        if found != system.sha256:
            raise FormatError(
                f"wrong checksum; expected sha256 {system.sha256}, found {found}; get the file "
                "from its source again, or correct `sha256` in the list of systems",
                system.path,
            )


def _with_column(source: Source) -> Source:
    """The source with the name or number of its last column, if it is CoNLL without another."""
    if source.layer is not None or source.format != "conll":
        return source
    names = header_names(source.files[0]) or ["-1"]
    return replace(source, layer=names[-1])


def _group_systems(
    gold: Source, systems: Sequence[Source], reading: Reading
) -> list[tuple[Source, list[Source]]]:
    """Gold, then files with their systems, then pipelines; with all options for the readers.

    Several columns of one file are read at once.
    """
    groups: dict[Any, list[Source]] = {}
    for system in (one for one in systems if not one.is_pipeline):
        key = system.path, system.format, repr(system.reading)
        groups.setdefault(key, []).append(system)
    sources = [_with_columns(gold, {"gold": gold.layer})]
    for group in groups.values():
        columns = {system.layer: system.layer for system in group}
        sources.append(_with_columns(group[0], columns))
    files = list(zip(ready_sources(sources, reading), [[], *groups.values()]))
    return files + [(one, [one]) for one in systems if one.is_pipeline]


def _with_columns(source: Source, columns: Mapping[Any, Any]) -> Source:
    """The source, read by some columns, if it is CoNLL."""
    if source.format != "conll":
        return source
    return replace(source, reading=replace(source.reading, column=None, columns=dict(columns)))


def _check_used(systems: Sequence[Source], pipeline: Mapping[str, Any]) -> None:
    """Raise for options of pipelines where none of the systems is one."""
    given = {"code": pipeline.get("code"), "gpu_id": pipeline.get("gpu_id", -1)}
    for name, value in given.items():
        if value not in (None, -1) and not any(system.is_pipeline for system in systems):
            raise ValueError(f"{name} {value} is for pipelines, and no system is one")


def other_systems(gold: str, reading: Reading) -> list[str]:
    """The other columns or layers of the file that gold is in, as the names of systems."""
    source = _with_column(with_gold_name(look_at(parse_source(gold), reading)))
    systems = name_systems(_other_layers(source, reading))
    return [f"{one.name}={one.path}#{one.layer}" for one in systems]


def _other_layers(source: Source, reading: Reading) -> list[Source]:
    """The other columns or layers of the file that gold is in, as systems."""
    if source.format != "conll":
        corpus = source.read()
        gold = choose_layer(corpus, source.layer or reading.layer)
        names = [name for name in corpus.layer_names if name != gold]
    else:
        header = header_names(source.files[0])
        if header is None:
            raise FormatError(
                "no systems, and no first line that names columns as systems (#token<tab>gold<tab>"
                f"...); name files, or columns by number: {source.path}#2",
                source.path,
            )
        assert source.layer is not None  # `_with_column` names one
        columns = places_of(source.path, source.layer, len(header), header)
        names = [name for number, name in enumerate(header) if number not in (0, *columns)]
    if not names:
        raise FormatError("no systems, and nothing but gold in this file", source.path)
    return [Source(source.path, name, name) for name in names]
