"""From files and pipelines to stored runs, and from these to a comparison: `save` and `compare`."""

from dataclasses import replace

from ..corpora.compared import read_compared
from ..corpora.sharded import Sharded, check_whole, count_sharded
from ..measures.alignment import align
from ..runs.compare import compare
from ..runs.files import check_target, read_run, write_run
from ..runs.run import check_annotations, kept_annotations, run_of, tally_to_store
from ..scoring.evaluate import check_draws
from ..scoring.intervals import article_clusters
from ..scoring.scoring import check_shared


def save_files(
    path,
    gold,
    pred=None,
    *,
    reading=None,
    metrics,
    draws=1000,
    seed=0,
    annotations="spans",
    title=None,
    workers=None,
    progress=iter,
):
    """The scores of a file of predictions, or a pipeline, after writing the run to a file.

    Parameters
    ----------
    path : str or Path
        Of the run. An older run of that name is replaced when the new one is whole; any other
        file is refused.
    gold, pred, reading
        As `compared.read_compared` has them.
    metrics : mapping of str to Request
    draws, seed, annotations, title, progress
        As `stored.stored_run` has them.
    workers : shards.Workers, optional
        Who works on large files. These are read as a whole if texts are to be kept.

    Returns
    -------
    dict
        As of `score.score_files`, and the file as `run`.
    """
    check_target(path, [one for one in (gold, pred) if one is not None])
    check_draws(draws)
    check_annotations(annotations)
    sources = [str(gold), str(gold if pred is None else pred)]
    about = {"draws": f"{draws},{seed}", "title": title}
    found = None
    if annotations != "text":
        found = count_sharded(
            *(gold, pred, metrics),
            reading=reading or {},
            workers=workers,
            **{"rows": True, "names": True, "spans": annotations == "spans"},
        )
    if found is None:
        check_whole(workers)
        compared = read_compared(gold, pred, **reading or {})
        found, kept = counted_whole(compared, metrics, draws, seed, annotations, progress)
    else:
        kept = found.tally.rows.pair and kept_annotations(*align(*found.tally.rows.pair), "spans")
    if sources[0] == sources[1]:
        sources = [f"{sources[0]}#{layer}" for layer in found.layers]
    about |= {"clusters": found.clusters(), "data": found.data, "sources": sources}
    run = run_of(found.tally, metrics, priors=found.priors, annotations=kept, **about)
    write_run(path, run)
    layer = found.scores(metrics, draws=about["draws"])
    result = {"gold": sources[0], "pred": sources[1], "left_out": list(found.left_out)}
    return result | {"run": str(path), "layers": [layer]}


def counted_whole(found, metrics, draws, seed, annotations, progress):
    """What is counted of two sides that were read at once, and the annotations to keep."""
    pair = found.aligned()
    check_shared(pair)
    tally, priors = tally_to_store(pair, metrics.values(), draws, seed, progress)
    texts = [one.text for one in found.gold.documents] if found.positions == "char" else None
    _, articles = article_clusters(found.attributes)
    if articles is not None:
        tally = replace(tally, rows=replace(tally.rows, attributes={"article": tuple(articles)}))
    counted = Sharded(tally, found.data, (found.gold_layer, found.pred_layer), priors)
    return counted, kept_annotations(*pair, annotations, texts)


def compare_files(old, new, **settings):
    """The result of `compare` for two files of runs; the settings are its."""
    result = compare(read_run(old), read_run(new), **settings)
    for which, path in (("old", old), ("new", new)):
        result[which]["path"] = str(path)
    return result
