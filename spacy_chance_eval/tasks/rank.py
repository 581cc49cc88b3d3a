"""Files, columns, folders and pipelines on one gold standard: leaderboards of `score`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os.path import normpath
from typing import Any

from ..corpora.passes import CountedSources, Workers
from ..formats.corpus import Corpus
from ..formats.keys import Reading
from ..formats.paths import name_of
from ..measures.alignment import align
from ..measures.messages import quoted
from ..scoring.boards import board_requests, rank_counts
from ..scoring.counts import no_progress
from ..scoring.intervals import Resampling, alone_notes
from ..scoring.ranking import Comparison
from ..scoring.subsets import BINNED, divide, divide_by_attribute, thresholds_of
from ..scoring.warnings import EQUAL
from .settings import Scoring, clusters_of
from .systems import Systems, count_systems

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
    how, workers = Board(**board), workers or Workers()
    how = replace(how, metrics=board_requests(how.metrics))
    wanted = {"article", how.cluster} - {"auto", "none"} | {*how.subset} - {*how.binned}

    def rows(intervals: bool) -> dict[str, Any]:
        some = intervals or bool(how.subset or how.worst)
        return {"rows": some, "keys": some, "attributes": tuple(sorted(wanted)) if some else ()}

    kept = rows(bool(how.intervals.resamples))
    kept |= {"spans": bool(how.binned), "beyond": rows(False), "keep": bool(how.worst)}
    found = count_systems(gold, systems, how, reading=reading, workers=workers, **kept)
    return _result(found, how, workers), _documents(found) if how.worst else {}


def _result(found: Systems, how: Board, workers: Workers) -> dict[str, Any]:
    """The boards of systems, with all notes on these and gold."""
    counted, gold = found.counted, found.gold
    counts = counted.counts
    size = counts.n_docs, counts.words is not None
    intervals = how.intervals.of_docs(*size)
    unit, clusters = clusters_of(counted, how.cluster, gold.path)
    if not intervals.resamples:
        unit, clusters = "documents", None
    annotators = {one.name: one for one in counted.annotators[1:]}
    result = rank_counts(
        counts,
        [{"name": name, "reason": found.reasons[name]} for name in sorted(found.reasons)],
        counted.requests,
        clusters=clusters,
        subsets=_subsets(counted, how, gold.path) if counts.by_document else {},
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
        *map(EQUAL.format, equal),
        *how.intervals.notes(*size),
    ]
    result |= counted.blemishes()
    layer = counted.annotators[0].layer
    for one in (*result["systems"], *result["left_out"]):
        system = found.named[one["name"]]
        own = layer if one["name"] in found.reasons else annotators[one["name"]].layer
        known = system.layer is not None or own == layer
        text = system.shown if known else f"{system.path}#{own}"
        one.update(source=text, link=system.link, year=system.year, errors=None)
    for one in result["left_out"]:
        one["optional"] = found.named[one["name"]].optional
    result["notes"] += alone_notes(unit, clusters)
    if found.absent:
        names = ", ".join(f"{one.name} ({normpath(one.path)})" for one in found.absent)
        result["notes"].append(f"Optional, and not there: {names}.")
    about = {
        "title": name_of(gold.path.removesuffix(".gz")).stem,
        "gold": gold.shown,
        "layer": None if gold.format == "conll" else layer,
    }
    return about | result


def _subsets(counted: CountedSources, how: Board, where: str) -> dict[str, Any]:
    """{name: parts} of the subsets asked for; `where` is gold's path, for messages."""
    subsets: dict[str, Any] = {}
    counts = counted.counts
    for name in how.subset:
        if name in how.binned:
            assert counts.spans is not None
            every = counted.requests.values()
            corrected = (one for one in every if one.placement != "none")
            gold = align(*counts.spans[:2])[0]
            subsets[name] = divide(gold, name, request=next(corrected, None))
            continue
        counted.survey.check_attribute(name, BINNED, where)
        parts = divide_by_attribute(counts.seen[0], name, counts.attributes.get(name, ()))
        if len(parts) > MAX_PARTS:
            raise ValueError(
                f"the attribute {quoted(name)} has {len(parts)} values; a subset by attribute "
                f"needs at most {MAX_PARTS}"
            )
        subsets[name] = parts
    return subsets


def _documents(found: Systems) -> dict[str | None, tuple[Corpus, str]]:
    """The corpora of gold and of the systems that were compared, and their layers."""
    corpora: dict[str | None, tuple[Corpus, str]] = {}
    for one in found.counted.annotators[1:]:
        if one.name in found.counted.counts.names[1:]:
            pair = found.pair(one)
            corpora[None] = pair.gold, pair.gold_layer  # in characters, perhaps
            corpora[one.name] = pair.pred, pair.pred_layer
    return corpora
