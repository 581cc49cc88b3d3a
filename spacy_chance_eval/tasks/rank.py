"""From files and pipelines to a leaderboard: what `rank` calls."""

from dataclasses import replace

from .. import formats
from ..corpora.compared import complete
from ..corpora.run import format_of, layer_of, one_file, read_corpus, with_shared
from ..corpora.sharded import check_whole
from ..corpora.shards import Workers
from ..corpora.systems import System, is_pipeline, named, parse_system, systems_of
from ..formats.conll_lines import header_names, place_of
from ..formats.paths import is_there, path_of
from ..scoring.intervals import Resampling
from ..scoring.leaderboard import leaderboard
from ..scoring.standings import Comparison
from .document_groups import Documents
from .rank_shards import Board, rank_sharded


@formats.collector_paused()  # what it reads and counts holds no garbage
def rank_files(
    gold,
    systems=(),
    *,
    layer=None,
    pred_layer=None,
    gold_options=None,
    pred_options=None,
    shared_options=None,
    pipeline_options=None,
    metrics,
    cluster="auto",
    subset=(),
    bins=3,
    intervals=None,
    on_mismatch="skip",
    title=None,
    worst=0,
    draws=1000,
    comparison=None,
    sort="corrected",
    workers=None,
    progress=None,
):
    """The leaderboard of some files, columns, folders and pipelines, and what it was made from.

    Parameters
    ----------
    gold : str
        "PATH" or "PATH#COLUMN"; without `systems`, these are the other columns or layers of gold.
    systems : sequence of str
        "[NAME=]PATH[#COLUMN or LAYER]", or the path of a YAML or JSON list of systems.
    layer, pred_layer : str, optional
        Layers of gold and of systems that do not say theirs; by default the main ones.
    gold_options, pred_options, shared_options, pipeline_options : dict
        For the readers, as `compared.read_compared` has them; for `predictions.predicted`.
    metrics : mapping of str to Request
    cluster : str
        What is resampled: "none" for documents; the name of an attribute of documents; or "auto",
        the article where sentences are documents of articles, else documents.
    subset : sequence of str
        See `subsets.parts_of`; attributes by name.
    workers : shards.Workers, optional
        Who works on large files; pipelines, and worst documents, need them as a whole.
    bins, intervals, on_mismatch, worst, draws, comparison, sort, progress
        As `leaderboard` and `subsets.parts_of` have them.

    Returns
    -------
    result : dict
        As of `leaderboard`, with title, sources, links and years.
    corpora : dict
        {None: (corpus of gold, its layer)}; if the worst documents are asked for, also {name of a
        system: (its corpus, its layer)}. Empty where files were read in shards.
    """
    options = gold_options or {}, pred_options or {}, shared_options or {}
    source = with_column(parse_system(gold), options[0], "gold")
    chosen = systems_of(systems) if systems else named(other_parts(source, layer, options[0]))
    chosen = [with_column(system, options[1]) for system in chosen]
    check_used(chosen, pred_layer, pipeline_options or {})
    gold_side, groups = opened(source, chosen, options)
    if source.part is not None and "columns" not in gold_side:
        layer = source.part
    board = Board(
        (source.path, gold_side),
        groups,
        layer,
        pred_layer,
        metrics,
        cluster,
        tuple(subset),
        bins,
        intervals or Resampling(),
        comparison or Comparison(),
        on_mismatch,
        sort,
        progress,
    )
    workers, corpora = workers or Workers(), {}
    found = None
    if not worst and not any(is_pipeline(system.path) for system in chosen):
        found = rank_sharded(board, workers)
    if found is None:
        check_whole(workers)
        *found, corpora = rank_whole(board, chosen, pipeline_options or {}, worst, draws)
    result, layer, layers, alone = found
    tell_sources(result, chosen, layers, layer)
    if alone:
        unit = result["clusters"]
        result["notes"].append(f"{alone} documents have no {unit!r}: each is a cluster of its own.")
    by_column = format_of(source.path, options[0]) == "conll"
    about = {
        "title": title or path_of(source.path.removesuffix(".gz")).stem,
        "gold": source.source.removesuffix("#-1"),
        "layer": None if by_column else layer,
    }
    return about | result, corpora


def rank_whole(board, systems, pipeline_options, worst, draws):
    """(result, gold's layer, those of the systems, documents without a cluster, corpora)."""
    corpus = read_corpus(board.gold[0], **board.gold[1])
    layer = layer_of(corpus, board.layer)
    preds, data, left_out, corpora, layers = {}, {}, [], {None: (corpus, layer)}, {}
    for system, pred, part in systems_in(board, systems, corpus, layer, pipeline_options):
        try:
            pred, part = comparable(corpus, layer, pred, part)
        except formats.FormatError as error:
            if board.on_mismatch == "error":
                raise
            left_out.append({"name": system.name, "reason": str(error)})
            continue
        layers[system.name] = part
        preds[system.name], data[system.name] = pred.spans(part), facts_of(corpus, pred)
        if worst:
            corpora[system.name] = pred, part
    if not preds:
        reasons = "; ".join(f"{one['name']}: {one['reason']}" for one in left_out)
        raise ValueError(f"no system can be compared ({reasons})")
    spans, documents = corpus.spans(layer), Documents.of(corpus)
    unit, clusters = documents.clusters(board.cluster, board.intervals.resamples)
    result = leaderboard(
        spans,
        preds,
        board.metrics,
        clusters=clusters,
        subsets=documents.subsets(spans, board.subset, board.bins, board.metrics),
        intervals=replace(board.intervals, unit=unit),
        comparison=board.comparison,
        on_mismatch=board.on_mismatch,
        sort=board.sort,
        worst=worst,
        draws=draws,
        data=data,
        progress=board.progress,
    )
    result["left_out"] = sorted(left_out + result["left_out"], key=lambda one: one["name"])
    alone = 0 if clusters is None else clusters.count(None)
    return result, layer, layers, alone, corpora


def tell_sources(result, systems, layers, gold_layer):
    """Put the source, link and year of each system into a result, and its layer if not gold's."""
    by_name = {system.name: system for system in systems}
    for one in (*result["systems"], *result["left_out"]):
        system, layer = by_name[one["name"]], layers.get(one["name"], gold_layer)
        told = system.part is not None or layer == gold_layer
        source = system.source.removesuffix("#-1") if told else f"{system.path}#{layer}"
        one.update(source=source, link=system.link, year=system.year, errors=None)


def opened(source, systems, options):
    """How gold is read, and the systems by file: (options, [(systems of a file, options)]).

    Several columns of one file are read at once.
    """
    gold_options, pred_options, shared = options
    groups = {}
    for system in systems:
        if not is_pipeline(system.path):
            key = system.path, tuple(sorted(system.options.items()))
            groups.setdefault(key, []).append(system)
    sides = [columns_of(source, gold_options, lambda part: {"gold": part})]
    sides += [
        columns_of(group[0], pred_options, lambda _: {one.part: one.part for one in group})  # noqa: B023
        for group in groups.values()
    ]
    paths = [source.path, *(path for path, _ in groups)]
    gold_side, *sides = with_shared(paths, sides, shared)
    return gold_side, list(zip(groups.values(), sides))


def systems_in(board, systems, gold, layer, pipeline_options):
    """(system, its corpus, its layer if it says any), one after the other; pipelines come last."""
    watch = board.progress or (lambda steps, total=None, what="": steps)
    for group, side in watch(board.groups, None, "Files"):
        corpus = read_corpus(group[0].path, role="pred", **side)
        for system in group:
            yield system, corpus, system.part or board.pred_layer
    for system in (one for one in systems if is_pipeline(one.path)):
        from ..spacy_docs.pipeline import predicted

        options = {**pipeline_options, "progress": board.progress}
        part = system.part or board.pred_layer
        yield system, *predicted(system.path, gold, layer, part, **options)


def with_column(system, options, role="pred"):
    """The system with the name or number of its column, if it is one of a CoNLL file.

    By default it is that of `options`, else the last one; of gold, the one that a first line calls
    "gold".
    """
    if is_pipeline(system.path):
        return system
    if not is_there(system.path):
        raise formats.FormatError(
            "no such file, folder or installed pipeline; check it", system.path
        )
    options = {**options, **system.options}
    if system.part is not None or format_of(system.path, options) != "conll":
        return system
    names = header_names(one_file(system.path)) or ["-1"]
    column = "gold" if role == "gold" and "gold" in names else names[-1]
    return replace(system, part=str((options.get("columns") or {"gold": column})["gold"]))


def columns_of(system, options, columns):
    """Options to read a file with; `columns(part)` are the columns, if it is CoNLL."""
    options = {key: found for key, found in options.items() if key != "columns"} | system.options
    if format_of(system.path, options) == "conll":
        options["columns"] = columns(system.part)
    return options


def check_used(systems, pred_layer, pipeline_options):
    """Raise for options that none of the systems has a use for."""
    pipelines = [is_pipeline(system.path) for system in systems]
    if pred_layer is not None and all(system.part is not None for system in systems):
        raise ValueError(f"no system takes the layer {pred_layer!r}: all of them are columns")
    given = {"code": pipeline_options.get("code"), "gpu_id": pipeline_options.get("gpu_id", -1)}
    for name, value in given.items():
        if value not in (None, -1) and not any(pipelines):
            raise ValueError(f"{name} {value} is for pipelines, and no system is one")


def other_parts(source, layer, options):
    """The other columns or layers of the file that gold is in, as systems."""
    if format_of(source.path, options) != "conll":
        corpus = read_corpus(source.path, **options)
        gold = layer_of(corpus, source.part or layer)
        parts = [name for name in corpus.layer_names if name != gold]
    else:
        header = header_names(one_file(source.path))
        if header is None:
            raise formats.FormatError(
                "no systems, and no first line that names columns as systems (#token<tab>gold<tab>"
                f"...); name files, or columns by number: {source.path}#2",
                source.path,
            )
        gold = place_of(source.path, source.part, len(header), header)
        parts = [name for place, name in enumerate(header) if place not in (0, gold)]
    if not parts:
        raise formats.FormatError("no systems, and nothing but gold in this file", source.path)
    return [System(source.path, part, part) for part in parts]


def comparable(gold, gold_layer, pred, pred_layer):
    """Predictions in the order of gold's documents, all annotated, and their layer."""
    _, pred = formats.pair(gold, pred)
    if not pred.layer_names:
        raise formats.FormatError(
            "no document has any layer of spans; write an empty list for documents without spans",
            pred.path,
        )
    if pred_layer is None:
        pred_layer = gold_layer if gold_layer in pred.layer_names else layer_of(pred)
    return complete(pred, pred_layer), pred_layer


def facts_of(gold, pred):
    """What signatures say of the files of gold and a system."""
    same = gold.repair == pred.repair
    repair = gold.repair if same else f"gold={gold.repair},pred={pred.repair}"
    return {"positions": gold.positions, "repair": repair}
