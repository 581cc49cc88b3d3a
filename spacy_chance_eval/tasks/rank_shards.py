"""Many systems counted in shards: leaderboards of large files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ..corpora.pair_shards import PairJob, Place
from ..corpora.pieces import files_of_source
from ..corpora.run import layer_of
from ..corpora.sharded import can_be_sharded, check_partners, facts_of, named, settled
from ..corpora.sides import Side, Unordered
from ..formats.errors import FormatError
from ..measures.alignment import align
from ..scoring.intervals import Resampling
from ..scoring.leaderboard import BINNED, check_on_mismatch, requests_of, result_of, sorting
from ..scoring.standings import Comparison
from ..scoring.tallies import merged
from .document_groups import Documents

NO_LAYER = "no document has any layer of spans; write an empty list for documents without spans"


@dataclass(frozen=True, eq=False)
class Board:
    """What is to be ranked: all that `rank.rank_files` was asked for.

    Parameters
    ----------
    gold : (str, mapping)
        Path and options for the reader.
    groups : sequence of (systems, mapping)
        The systems of each file, and options for the reader.
    layer, pred_layer : str, optional
    metrics : mapping of str to Request
    cluster, subset, bins, intervals, comparison, on_mismatch, sort, progress
        As `rank.rank_files` has them.
    """

    gold: tuple
    groups: list
    layer: str | None
    pred_layer: str | None
    metrics: Mapping
    cluster: str = "auto"
    subset: tuple = ()
    bins: int = 3
    intervals: Resampling = Resampling()
    comparison: Comparison = Comparison()
    on_mismatch: str = "skip"
    sort: str = "corrected"
    progress: Callable | None = None

    def sides(self):
        """The files of gold, then those of the systems."""
        yield side_of(*self.gold, "gold")
        for group, options in self.groups:
            yield side_of(group[0].path, options, "pred")

    def places(self, known):
        """The places of gold and of the systems, by the layers that are known."""
        layer = layer_of(known[0], self.layer)
        found = {}
        for number, (group, _) in enumerate(self.groups, 1):
            names = known[number].layer_names
            usual = layer if layer in names else None
            for system in group:
                part = system.part or self.pred_layer or usual
                if part is None and names:
                    part = layer_of(known[number])
                found[system.name] = Place(number, part or "")
        return Place(0, layer), found

    def job(self, requests):
        """How shards are counted."""
        rows = bool(self.intervals.resamples or self.subset)
        binned = {*self.subset} & {*BINNED}
        wanted = {"article", *self.subset, self.cluster} - {*BINNED, "auto", "none"}
        return PairJob(
            tuple(dict.fromkeys(requests.values())),
            Place(0, ""),
            {},
            strict=True,
            rows=rows,
            spans=bool(binned),
            attributes=tuple(sorted(wanted)) if rows else (),
        )


def side_of(path, options, role):
    """The files of one side."""
    return Side(tuple(map(str, files_of_source(path, options.get("format")))), role, options)


def rank_sharded(board, workers):
    """(result, gold's layer, layers of the systems, number of documents without a cluster).

    None if the files have to be read as a whole, as `sharded.count_sharded` has it.
    """
    check_on_mismatch(board.on_mismatch)
    requests, sides = requests_of(board.metrics), list(board.sides())
    sorting(board.sort, list(requests))
    if not can_be_sharded(sides, requests.values(), workers):
        return None
    try:
        job, passed = settled(sides, board.places, board.job(requests), workers)
    except Unordered as error:
        check_partners(sides, error)
        return None
    reasons = dict(passed.survey.reasons)
    for name, place in job.systems.items():
        if not place.layer:
            reasons[name] = str(FormatError(NO_LAYER, board.groups[place.side - 1][0][0].path))
    check_reasons(reasons, job.systems, board.on_mismatch)
    tallies = {}
    for name in sorted(job.systems.keys() - reasons.keys()):
        # what was merged is not needed again, and what is said of gold is there once
        tally = named(merged([shard.pop(name) for shard in passed.counts]))
        tallies[name] = with_gold_of(next(iter(tallies.values()), tally), tally)
    return ranked(board, requests, job, passed, tallies, reasons)


def check_reasons(reasons, systems, on_mismatch):
    """Raise if a system that cannot be compared is an error, or if none can be."""
    for name in sorted(reasons) if on_mismatch == "error" else ():
        raise ValueError(f"{name} cannot be compared: {reasons[name]}")
    if len(reasons) == len(systems):
        said = "; ".join(f"{name}: {reasons[name]}" for name in sorted(reasons))
        raise ValueError(f"no system can be compared ({said})")


def with_gold_of(first, tally):
    """A tally that has in common with a first one what both say of gold."""
    rows, support = tally.rows, tally.support | {"gold": first.support["gold"]}
    if rows is not None:
        rows = replace(
            first.rows, keys=first.rows.keys | {"pred": rows.keys["pred"]}, pair=rows.pair
        )
    return replace(tally, support=support, contents=first.contents, rows=rows)


def ranked(board, requests, job, passed, tallies, reasons):
    """The result of `rank_sharded`."""
    rows = next(iter(tallies.values())).rows
    documents = Documents(
        board.gold[0], passed.survey.attributes, lambda name: rows.attributes.get(name, ())
    )
    unit, clusters = documents.clusters(board.cluster, board.intervals.resamples)
    subsets = {}
    if rows is not None:
        pair = next((one.rows.pair for one in tallies.values() if one.rows.pair), None)
        gold = align(*pair)[0] if pair else rows
        subsets = documents.subsets(gold, board.subset, board.bins, board.metrics)
    result = result_of(
        tallies,
        [{"name": name, "reason": reasons[name]} for name in sorted(reasons)],
        requests,
        clusters=clusters,
        subsets=subsets,
        intervals=replace(board.intervals, unit=unit),
        comparison=board.comparison,
        sort=board.sort,
        data={name: facts_of(passed, (0, job.systems[name].side)) for name in tallies},
        watch=board.progress or (lambda steps, total=None, what="": steps),
    )
    result["notes"] += [
        f"Left out, and in no number: {', '.join(one['files'])} ({one['reason']})."
        for one in passed.left_out
    ]
    layers = {name: job.systems[name].layer for name in tallies}
    return result, job.gold.layer, layers, 0 if clusters is None else list(clusters).count(None)
