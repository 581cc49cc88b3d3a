"""Files scored in shards: when they are, and how scores and stored runs are made of the counts."""

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ..formats.corpus import unique_names
from ..formats.errors import FormatError
from ..formats.paths import is_remote
from ..measures.alignment import align
from ..measures.spans import Spans
from ..scoring.evaluate import Run
from ..scoring.intervals import article_clusters
from ..scoring.scores import Scoring
from ..scoring.tallies import merged
from .compared import layers_of, one_file_options, options_and_misaligned
from .pair_shards import PairJob, Place
from .pieces import files_of_source
from .run import layer_of, with_shared
from .shards import Passes, Workers
from .sides import Side, Unordered, blocks_of, by_files, shards_of, size_of, without_partners
from .systems import is_pipeline

LARGE = 60_000_000  # bytes of files that are not read at once; packed ones count five times
PACKED = 5
PRED = "pred"  # what the one system is called


class Layers(NamedTuple):
    """The layers of one side, as far as they are known."""

    path: str
    layer_names: tuple


@dataclass(frozen=True, eq=False)
class Sharded:
    """What was counted of gold and a prediction in shards.

    `data` is what signatures say of the data, `layers` are the names of both layers.
    """

    tally: object
    data: dict
    layers: tuple
    priors: dict
    left_out: tuple = ()

    def clusters(self):
        """What is resampled, as `article_clusters` has it."""
        rows = self.tally.rows
        articles = rows.attributes.get("article", (None,)) if rows else (None,)
        return article_clusters([{"article": one} for one in articles])

    def scores(self, metrics, *, intervals=None, per_doc=False, draws="", progress=iter):
        """The result of one layer, as `scoring.score_layer` makes it."""
        unit, clusters = self.clusters()
        settings = {"per_doc": per_doc, "clusters": clusters, "progress": progress}
        settings["draws"] = draws
        if intervals is not None:
            settings["intervals"] = replace(intervals, unit=unit)
        scores = Scoring(self.tally, self.data, **settings).scores(metrics.values())
        found = {name: scores[str(one)].to_dict() for name, one in metrics.items()}
        names = {"gold_layer": self.layers[0], "pred_layer": self.layers[1]}
        return self.tally.sizes | {"scores": found} | names


def count_sharded(gold, pred, metrics, *, reading, workers, rows=False, names=False, spans=False):
    """The `Sharded` of two files, folders or patterns; None if they have to be read as a whole.

    That is so where they are small, cannot be cut, or do not hold the same documents in the same
    order, and for metrics whose chance is drawn.

    Parameters
    ----------
    gold, pred : str or Path
        As `compared.read_compared` has them.
    metrics : mapping of str to Request
    reading : mapping
        As `compared.read_compared` has it.
    workers : Workers
    rows, names, spans : bool
        What is kept of each document, see `PairJob`.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read, and layers that do not exist.
    """
    workers = workers or Workers()
    sides = sides_of(gold, pred, reading)
    if sides is None or not can_be_sharded(sides, metrics.values(), workers):
        return None
    wanted = reading.get("layer"), reading.get("pred_layer")
    job = PairJob(
        tuple(dict.fromkeys(metrics.values())),
        Place(0, ""),
        {},
        rows=rows,
        names=names,
        spans=spans,
        attributes=("article",) if rows else (),
        tokenize=reading.get("tokenize"),
        sizes=(reading.get("shared_options") or {}).get("sizes", "given"),
    )
    try:
        job, passed = settled(sides, partial(pair_layers, wanted), job, workers)
    except Unordered as error:
        check_partners(sides, error)
        return None
    tally = named(merged([one[PRED] for one in passed.counts]))
    if not tally.sizes["n_docs"]:
        raise ValueError("no document is annotated on both sides; there is nothing to score")
    return Sharded(
        tally,
        facts_of(passed, (0, len(sides) - 1)),
        (job.gold.layer, job.systems[PRED].layer),
        passed.survey.all_priors(),
        passed.left_out,
    )


def sides_of(gold, pred, reading):
    """The sides of two sources, one if they are layers of it; None for pipelines and annotators."""
    shared = reading.get("shared_options") or {}
    options = [dict(reading.get(f"{which}_options") or {}) for which in ("gold", "pred")]
    if "annotator" in shared or (pred is not None and is_pipeline(str(pred))):
        return None
    if pred is None:
        both = with_shared([gold, gold], options, shared)
        files = tuple(map(str, files_of_source(gold, both[0].get("format"))))
        sides = [Side(files, "gold", one_file_options(gold, *both))]
    else:
        both = with_shared([gold, pred], options, shared)
        sides = [
            Side(tuple(map(str, files_of_source(path, one.get("format")))), role, one)
            for path, role, one in zip((gold, pred), ("gold", "pred"), both)
        ]
    if reading.get("tokenize") is None:
        return sides
    found = [options_and_misaligned(s.paths[0], s.options, s.role) for s in sides]
    return [replace(s, options=one, misaligned=what) for s, (one, what) in zip(sides, found)]


def can_be_sharded(sides, requests, workers):
    """Whether some sides are to be read in shards, and can be."""
    if not is_large(sides, workers) or any(map(is_drawn, requests)):
        return False
    paths = [path for side in sides for path in side.paths if not is_remote(path)]
    if any(os.path.exists(path) and not os.path.isfile(path) for path in paths):
        return False  # what comes through a pipe comes once
    matched = by_files(sides, some=workers.skip_bad) is not None
    return matched or all(side.can_be_cut(side.paths) for side in sides)


def is_large(sides, workers):
    """Whether files are not to be read at once, by themselves or because more than one works."""
    if workers.n_process > 1 or workers.executor is not None or workers.skip_bad:
        return True
    return sum(bulk_of(path) for side in sides for path in side.paths) > LARGE


def bulk_of(path):
    """About how many bytes a file has, unpacked; 0 where that is not known."""
    return (size_of(path) or 0) * (PACKED if str(path).endswith(".gz") else 1)


def is_drawn(request):
    """Whether the expectation of a request has no formula: it is drawn for a whole corpus."""
    if request.placement == "none":
        return False
    tiny = Spans.from_tuples([[(0, 1, "X")]], [2], words=["a", "b"], sentences=[True])
    try:
        statistics = Run(*align(tiny, tiny), False, 1, 0, iter, {}).statistics(request)
    except ValueError:  # of the information of words, for example
        return True
    return statistics.totals is not None


def settled(sides, places, job, workers):
    """(job with the places of gold and systems, what it `Passed`).

    Which layers there are is known for certain when all documents are read; if the first ones do
    not tell, they are read again.
    """
    found = first_places(sides, places, workers)
    while True:
        gold, systems = found
        job = replace(job, gold=gold, systems=systems)
        passed = Passes(job, sides, workers).passed()
        known = layers_by_side(sides, passed.survey.layers)
        found = places(known)
        if found == (gold, systems):
            check_layers(known, [gold, *systems.values()])
            return job, passed


def first_places(sides, places, workers):
    """The places of gold and systems, by the layers of as few documents as tell them."""
    matched = by_files(sides, some=workers.skip_bad)
    names, error = [set() for _ in sides], FormatError("nothing can be read", sides[0].paths[0])
    for shard in shards_of(matched or sides, matched is not None):
        try:
            for _, corpora in blocks_of(shard, sides):
                names = [seen.union(one.layer_names) for seen, one in zip(names, corpora)]
                try:
                    return places(layers_by_side(sides, names))
                except ValueError as untold:
                    error = untold
        except (FormatError, Unordered) as unreadable:
            if not workers.skip_bad:
                raise
            error = unreadable
    raise error


def layers_by_side(sides, names):
    """The `Layers` of each side, by the names that are known."""
    return [Layers(side.paths[0], tuple(sorted(some))) for side, some in zip(sides, names)]


def pair_layers(wanted, known):
    """Places of gold and the prediction, by the layers that are known."""
    if len(known) == 1:
        layer = layer_of(known[0], wanted[0])
        return Place(0, layer), {PRED: Place(0, layer_of(known[0], wanted[1], avoid=layer))}
    layer, pred_layer = layers_of(*known, *wanted)
    return Place(0, layer), {PRED: Place(1, pred_layer)}


def check_layers(known, places):
    """Raise for a layer that no document has."""
    for place in places:
        path, names = known[place.side]
        if names and place.layer not in names:
            available = ", ".join(names) or "none"
            raise ValueError(f"{path} has no layer {place.layer!r}; available: {available}")


def facts_of(passed, pair):
    """What signatures say of the files of two sides, gold first."""
    sides = [passed.survey.facts[number] for number in pair]
    positions = {position for side in sides for position, _ in side}
    every = ({name for _, repair in side for name in repair.split("+")} for side in sides)
    repairs = ["+".join(sorted(names)) for names in every]
    same = len(set(repairs)) == 1
    repair = repairs[0] if same else f"gold={repairs[0]},pred={repairs[1]}"
    facts = {"positions": "+".join(sorted(positions)), "repair": repair}
    if passed.left_out:
        facts["left_out"] = f"{len(passed.left_out)}/{passed.n_shards}"
    return facts


def check_partners(sides, error):
    """Raise for files without partners, if that is why documents are not in the same order."""
    alone = list(without_partners(sides))
    if alone:
        raise FormatError(
            f"no file of the other side is called alike ({len(alone)} such files), and the sides "
            f"do not hold the same documents in the same order ({error}); add what is missing, or "
            "leave it out (--skip-bad)",
            alone[0],
        ) from error


def check_whole(workers):
    """Raise if what has to be read as a whole was to be done otherwise."""
    if workers is not None and (workers.skip_bad or workers.executor is not None):
        what = "--skip-bad" if workers.skip_bad else "--scheduler"
        raise ValueError(
            f"{what} needs files that can be read in parts: CoNLL, JSONL or .spacy, or several "
            "files on each side that are called alike; with the same documents in the same order, "
            "and metrics whose chance has a formula (no --p-values)"
        )


def named(tally):
    """A tally of rows with names that differ from each other, or none."""
    rows = tally.rows
    if rows is None or rows.names is None:
        return tally
    names = None if None in rows.names else tuple(unique_names(rows.names))
    return replace(tally, rows=replace(rows, names=names))
