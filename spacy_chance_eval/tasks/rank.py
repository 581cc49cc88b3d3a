"""Files, columns, folders and pipelines on one gold standard: leaderboards of `score`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os.path import normpath
from typing import Any

from ..corpora.columns import nested_columns, with_columns
from ..corpora.compared import Compared
from ..corpora.jobs import Job
from ..corpora.pairs import OF_GOLD, pair_corpora, read_predictions, reading_of_pred
from ..corpora.passes import CountedSources, Workers, count_sources
from ..corpora.sources import (
    NO_SOURCE,
    Annotator,
    Layers,
    Source,
    check_known,
    choose_layer,
    has_rows,
    is_pipeline,
    name_systems,
    parse_source,
    parse_systems,
    with_texts,
)
from ..formats import FormatError, read
from ..formats.conll_columns import header_names, places_of
from ..formats.corpus import Corpus
from ..formats.keys import Reading
from ..formats.paths import is_there, name_of, path_of
from ..measures.alignment import align
from ..measures.messages import quoted
from ..scoring.boards import board_requests, rank_counts
from ..scoring.counts import GOLD, no_progress
from ..scoring.intervals import Resampling, alone_notes
from ..scoring.ranking import Comparison
from ..scoring.subsets import BINNED, divide, divide_by_attribute, thresholds_of
from .score import nothing_shared, other_labels
from .settings import Scoring, clusters_of

MAX_PARTS = 50  # of a subset by attribute


@dataclass(frozen=True)
class Board(Scoring):
    """How systems are ranked.

    Parameters
    ----------
    intervals : Resampling
    cluster : str
        That of `Teamwork`.
    subset : sequence of str
        How documents are divided: "chance", "length", "density", these with thresholds, such as
        "chance:.175", or attributes by name.
    comparison : Comparison
    worst : int
        How many documents to name that cost each system most, by the first metric.
    """

    intervals: Resampling = field(default_factory=Resampling)
    cluster: str = "auto"
    subset: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    worst: int = 0

    @property
    def binned(self) -> list[str]:
        """Subsets by a number of the documents of gold."""
        return [one for one in self.subset if thresholds_of(one)[0] in BINNED]


def rank_files(
    gold: str,
    systems: Sequence[str] = (),
    *,
    reading: Reading | None = None,
    workers: Workers | None = None,
    **board: Any,
) -> tuple[dict[str, Any], dict[str | None, tuple[Corpus, str]]]:
    """The leaderboard of some files, columns, folders and pipelines, and their corpora.

    Parameters
    ----------
    gold : str
        "PATH" or "PATH#COLUMN"; without `systems`, these are the other columns or layers of gold.
    systems : sequence of str
        "[NAME=]PATH[#COLUMN or LAYER]", or the path of a YAML or JSON list of systems.
    reading : Reading, optional
        How files are read; what systems have of their own stands at their paths.
    workers : Workers, optional
        How large files are divided and counted, and the callback for progress. Pipelines, and
        worst documents, need files as a whole.
    **board
        The settings of `Board`.

    Returns
    -------
    result : dict
        The result of `leaderboard`, with title, sources, links and years.
    corpora : dict
        If the worst documents are asked for, {None: (corpus of gold, its layer), name of a system:
        (its corpus, its layer)}; else empty.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read, layers that do not exist, and if no system can be compared.
    """
    how, reading, workers = Board(**board), reading or Reading(), workers or Workers()
    reading = replace(reading, pipeline={"progress": workers.progress, **(reading.pipeline or {})})
    how = replace(how, metrics=board_requests(how.metrics))
    source, listed = _resolved(parse_source(gold), systems, reading)
    while True:
        groups = _group_systems(source, listed.systems, reading)
        sources = [one for one, _ in groups]
        layer = reading.layer
        if source.layer is not None and sources[0].reading.columns is None:
            layer = source.layer
        ranked = _Board(source, groups, layer, reading, reading_of_pred(reading), how)
        try:
            counted = count_sources(sources, ranked.job(), workers, keep=bool(how.worst))
            strange = _with_other_labels(counted, sources)
        except FormatError as error:
            listed.leave_out(_behind(error, source, listed.systems))
            continue
        if not strange:
            break
        listed.leave_out((one, strange.get(one.name or "")) for one in listed.systems)
    if not counted.counts.seen[0].any():
        raise ValueError(nothing_shared(counted, source.format))
    result = ranked.result(counted, workers)
    listed.add_to(result)
    return result, ranked.documents(counted) if how.worst else {}


@dataclass
class _Systems:
    """The systems that are compared, and those that are not there or cannot be read."""

    systems: list[Source]
    absent: Sequence[Source] = ()
    unreadable: list[tuple[Source, str]] = field(default_factory=list)

    def leave_out(self, reasons: Iterable[tuple[Source, str | None]]) -> None:
        """Leave out the systems for which there is a reason; raises if none is left."""
        bad = [(one, why) for one, why in reasons if why is not None]
        self.unreadable += bad
        self.systems = [one for one in self.systems if one not in [two for two, _ in bad]]
        if self.systems or not (self.absent or self.unreadable):
            return
        if len(self.unreadable) == 1 and not self.absent:
            raise ValueError(self.unreadable[0][1])
        lines = [f"{one.name}: {why}" for one, why in self.unreadable]
        lines += [f"{one.name}: {one.path} is not there" for one in self.absent]
        raise ValueError("no system can be read:\n" + "\n".join(lines))

    def add_to(self, result: dict[str, Any]) -> None:
        """Add to a result what its lists name and it lacks."""
        for one, reason in self.unreadable:
            about: dict[str, Any] = {"name": one.name, "reason": reason, "source": one.text}
            about |= {"link": one.link, "year": one.year, "errors": None, "optional": one.optional}
            result["left_out"].append(about)
        result["left_out"].sort(key=lambda one: str(one["name"]))
        if self.absent:
            names = ", ".join(f"{one.name} ({normpath(one.path)})" for one in self.absent)
            result["notes"].append(f"Optional, and not there: {names}.")


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


def _with_other_labels(counted: CountedSources, sources: Sequence[Source]) -> dict[str, str]:
    """Why systems without any label of gold cannot be ranked, by name."""
    found = {}
    for number, name in enumerate(counted.counts.names[1:], 1):
        places = [one.name for one in counted.annotators]
        if message := other_labels(counted, sources, number, places.index(name)):
            found[name] = message
    return found


@dataclass(frozen=True, eq=False)
class _Board:
    """Gold and the systems of a board.

    Parameters
    ----------
    gold : Source
        As it was named.
    groups : sequence of (Source, sequence of Source)
        Gold without systems, then each file or pipeline with its systems.
    layer : str, optional
        The layer of gold.
    """

    gold: Source
    groups: Sequence[tuple[Source, Sequence[Source]]]
    layer: str | None
    reading: Reading
    theirs: Reading
    how: Board

    def find(self, number: int, first: Layers, layers: Layers) -> list[Annotator]:
        """The annotators of a source: gold, or its systems."""
        layer = choose_layer(first, self.layer)
        if not number:
            return [Annotator(GOLD, 0, layer)]
        names = layers.layer_names
        annotators = []
        for system in self.groups[number][1]:
            part = system.layer or self.theirs.layer or (layer if layer in names else None)
            if part is None and names:
                part = choose_layer(layers)
            if not names and has_rows(layers.path):
                part = None
            name = system.name or ""
            annotators.append(Annotator(name, number, part or "", system.reading.align))
        return annotators

    @property
    def roles(self) -> Compared:
        """Gold and systems."""
        read = partial(read_predictions, layer=self.layer)
        return Compared(self.find, read, strict=True, align=self.reading.align or "auto")

    def job(self) -> Job:
        """How blocks are counted."""
        wanted = {"article", self.how.cluster} - {"auto", "none"}
        wanted |= {*self.how.subset} - {*self.how.binned}
        always = bool(self.how.subset or self.how.worst)
        kept, beyond = (
            {"rows": rows, "keys": rows, "attributes": tuple(sorted(wanted)) if rows else ()}
            for rows in (always or bool(self.how.intervals.resamples), always)
        )
        return self.how.job(self.roles, **kept, spans=bool(self.how.binned), beyond=beyond)

    def result(self, counted: CountedSources, workers: Workers) -> dict[str, Any]:
        """The boards of some counts, with all notes on gold and the systems."""
        how, counts = self.how, counted.counts
        size = counts.n_docs, counts.words is not None
        intervals = how.intervals.of_docs(*size)
        unit, clusters = clusters_of(counted, how.cluster, self.gold.path)
        if not intervals.resamples:
            unit, clusters = "documents", None
        reasons = counted.survey.reasons
        annotators = {one.name: one for one in counted.annotators[1:]}
        result = rank_counts(
            counts,
            [{"name": name, "reason": reasons[name]} for name in sorted(reasons)],
            counted.requests,
            clusters=clusters,
            subsets=self._subsets(counted) if counts.by_document else {},
            intervals=replace(intervals, unit=unit),
            comparison=how.comparison,
            worst=how.worst,
            draws=how.drawn,
            data={name: counted.data(0, annotators[name].source) for name in counts.names[1:]},
            progress=workers.progress or no_progress,
        )
        result["notes"] += [
            f"Left out, and in no number: {', '.join(one['files'])} ({one['reason']})."
            for one in counted.left_out
        ]
        equal = [
            row["system"]
            for board in result["boards"]
            if board["request"].startswith("span_f(") and board["subset"] is board["label"] is None
            for row in board["rows"]
            if row["observed"] == 1
        ]
        result["warnings"] = [
            *counted.reading_warnings,
            *result["warnings"],
            *(f"{name} is equal to gold: check that it is a prediction." for name in equal),
            *how.intervals.notes(*size),
        ]
        result |= counted.blemishes()
        layer = counted.annotators[0].layer
        self._add_sources(result, {name: one.layer for name, one in annotators.items()}, layer)
        result["notes"] += alone_notes(unit, clusters)
        gold = self.gold
        about = {
            "title": name_of(gold.path.removesuffix(".gz")).stem,
            "gold": gold.text.removesuffix("#-1"),
            "layer": None if gold.format == "conll" else layer,
        }
        return about | result

    def _subsets(self, counted: CountedSources) -> dict[str, Any]:
        """{name: parts} of the subsets asked for."""
        subsets: dict[str, Any] = {}
        counts = counted.counts
        if self.how.binned:
            assert counts.spans is not None
            gold = align(*counts.spans)[0]
        for name in self.how.subset:
            if name in self.how.binned:
                every = counted.requests.values()
                corrected = (one for one in every if one.placement != "none")
                subsets[name] = divide(gold, name, request=next(corrected, None))
                continue
            counted.survey.check_attribute(name, BINNED, self.gold.path)
            parts = divide_by_attribute(counts.seen[0], name, counts.attributes.get(name, ()))
            if len(parts) > MAX_PARTS:
                raise ValueError(
                    f"the attribute {quoted(name)} has {len(parts)} values; a subset by attribute "
                    f"needs at most {MAX_PARTS}"
                )
            subsets[name] = parts
        return subsets

    def _add_sources(
        self, result: dict[str, Any], layers: Mapping[str, str], gold_layer: str
    ) -> None:
        """Add the source, link and year of each system to a result, and its layer if not gold's."""
        by_name = {system.name: system for _, systems in self.groups for system in systems}
        left_out = {one["name"] for one in result["left_out"]}
        for one in (*result["systems"], *result["left_out"]):
            system = by_name[one["name"]]
            layer = gold_layer if one["name"] in left_out else layers[one["name"]]
            known = system.layer is not None or layer == gold_layer
            text = system.text.removesuffix("#-1") if known else f"{system.path}#{layer}"
            one.update(source=text, link=system.link, year=system.year, errors=None)
        for one in result["left_out"]:
            one["optional"] = by_name[one["name"]].optional

    def documents(self, counted: CountedSources) -> dict[str | None, tuple[Corpus, str]]:
        """The corpora of gold and of the systems that were compared, and their layers."""
        assert counted.corpora is not None
        gold = counted.corpora[0]
        layer = counted.annotators[0].layer
        corpora: dict[str | None, tuple[Corpus, str]] = {None: (gold, layer)}
        for one in counted.annotators[1:]:
            if one.name in counted.counts.names[1:]:
                found = (gold, counted.corpora[one.source])
                how = Reading(align=one.align or self.reading.align)
                pair = pair_corpora(found, (layer, one.layer), how)
                corpora[None] = pair.gold, layer  # in characters, perhaps
                corpora[one.name] = pair.pred, pair.pred_layer
        return corpora


# --- from names that users give to sources


def _resolved(gold: Source, systems: Sequence[str], reading: Reading) -> tuple[Source, _Systems]:
    """Gold and the systems, looked at, with their columns."""
    gold, theirs = _looked_at(gold, reading, "gold"), reading_of_pred(reading)
    if not systems:
        gold = _with_column(gold, reading, "gold")
        others = name_systems(_other_layers(gold, reading))
        return gold, _Systems([_with_column(one, theirs) for one in others])
    named = parse_systems(systems)
    absent = [
        one for one in named if one.optional and not (is_pipeline(one.path) or is_there(one.path))
    ]
    looked, unreadable = _readable([one for one in named if one not in absent], theirs, gold)
    listed = _Systems(looked, absent)
    listed.leave_out(unreadable)
    gold = _find_gold(gold, listed, reading, theirs)
    if not absent:
        _check_used(listed.systems, theirs)
    return gold, listed


def _readable(
    systems: Sequence[Source], reading: Reading, gold: Source
) -> tuple[list[Source], list[tuple[Source, str]]]:
    """The systems looked at, and those that cannot be read, with the reason."""
    looked, unreadable, nested = [], [], nested_columns(gold)
    for system in systems:
        try:
            _check_sum(system)
            seen = _looked_at(system, reading, "pred")
            _with_column(seen, reading)  # which fails if it cannot be read
            is_nested = nested is not None and seen.format == "conll" and seen.layer is None
            looked.append(replace(seen, layer=nested) if is_nested else seen)
        except FormatError as error:
            unreadable.append((system, str(error)))
    return looked, unreadable


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


def _looked_at(source: Source, reading: Reading, role: str) -> Source:
    """The source with its format and files, and the column or key that an option names."""
    if source.files or source.is_pipeline:
        return source
    seen = source.looked_at(role, reading.without("layer"), NO_SOURCE)
    if seen.layer is None and seen.format == "conll" and seen.reading.column is not None:
        return replace(seen, layer=seen.reading.column)
    return seen


def _find_gold(gold: Source, listed: _Systems, reading: Reading, theirs: Reading) -> Source:
    """Gold with its column; the systems get theirs, and one more if gold's file turns out to be it.

    Systems of which nothing tells the column are left out.
    """
    while True:
        try:
            n, names = len(listed.systems), [system.name for system in listed.systems]
            gold, systems = with_columns(gold, listed.systems, ranked=True)
            break
        except FormatError as error:
            listed.leave_out(_behind(error, gold, listed.systems))
    if systems[n:]:
        stem = name_of(gold.path.removesuffix(".gz")).stem
        own = replace(systems[n], name=gold.path if stem in names else stem)
        systems = name_systems([own, *systems[:n]])
    listed.systems = [_with_column(system, theirs) for system in systems]
    return _with_column(gold, reading, "gold")


def _with_column(source: Source, reading: Reading, role: str = "pred") -> Source:
    """The source looked at, with the name or number of its column, if it is one of CoNLL.

    By default it is that of `reading`, else the last one; of gold, the one that a first line calls
    "gold".
    """
    source = _looked_at(source, reading, role)
    if source.layer is not None or source.format != "conll":
        return source
    names = header_names(source.files[0]) or ["-1"]
    return replace(source, layer="gold" if role == "gold" and "gold" in names else names[-1])


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
    check_known(sources, reading.without(*OF_GOLD))
    check_known(sources[:1], reading.only(OF_GOLD).without("layer"))
    files = list(zip(with_texts(sources), [[], *groups.values()]))
    return files + [(one, [one]) for one in systems if one.is_pipeline]


def _with_columns(source: Source, columns: Mapping[Any, Any]) -> Source:
    """The source, read by some columns, if it is CoNLL."""
    if source.format != "conll":
        return source
    return replace(source, reading=replace(source.reading, column=None, columns=dict(columns)))


def _check_used(systems: Sequence[Source], reading: Reading) -> None:
    """Raise for options that none of the systems has a use for."""
    if reading.layer is not None and all(system.layer is not None for system in systems):
        raise ValueError(
            f"no system takes the layer {quoted(reading.layer)}: all of them are columns"
        )
    pipeline = reading.pipeline or {}
    given = {"code": pipeline.get("code"), "gpu_id": pipeline.get("gpu_id", -1)}
    for name, value in given.items():
        if value not in (None, -1) and not any(system.is_pipeline for system in systems):
            raise ValueError(f"{name} {value} is for pipelines, and no system is one")


def other_systems(gold: str, reading: Reading) -> list[str]:
    """The other columns or layers of the file that gold is in, as the names of systems."""
    source = _with_column(parse_source(gold), reading, "gold")
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
