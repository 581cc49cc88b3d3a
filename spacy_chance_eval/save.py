"""From files and pipelines to stored runs, and from these to a comparison: `save` and `compare`."""

from .compare import compare
from .compared import read_compared
from .evaluate import check_draws
from .intervals import article_clusters
from .scores import Scoring
from .scoring import check_shared
from .store import check_target, read_run, write_run
from .stored import check_annotations, kept_annotations, run_of, tally_to_store


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

    Returns
    -------
    dict
        As of `compared.score_files`, and the file as `run`.
    """
    check_target(path, [one for one in (gold, pred) if one is not None])
    found = read_compared(gold, pred, **reading or {})
    sources = list(found.sources)
    if sources[0] == sources[1]:
        sources = [f"{sources[0]}#{layer}" for layer in (found.gold_layer, found.pred_layer)]
    check_draws(draws)
    check_annotations(annotations)
    pair = found.aligned()
    check_shared(pair)
    tally, priors = tally_to_store(pair, metrics.values(), draws, seed, progress)
    texts = [one.text for one in found.gold.documents] if found.positions == "char" else None
    run = run_of(
        tally,
        metrics,
        priors=priors,
        draws=f"{draws},{seed}",
        clusters=article_clusters(found.attributes),
        data=found.data,
        annotations=kept_annotations(*pair, annotations, texts),
        sources=sources,
        title=title,
    )
    write_run(path, run)
    scores = Scoring(tally, found.data, f"{draws},{seed}").scores(metrics.values())
    scores = {name: scores[str(one)].to_dict() for name, one in metrics.items()}
    layer = tally.sizes | {"scores": scores}
    layer |= {"gold_layer": found.gold_layer, "pred_layer": found.pred_layer}
    return {"gold": sources[0], "pred": sources[1], "run": str(path), "layers": [layer]}


def compare_files(old, new, **settings):
    """The result of `compare` for two files of runs; the settings are its."""
    result = compare(read_run(old), read_run(new), **settings)
    for which, path in (("old", old), ("new", new)):
        result[which]["path"] = str(path)
    return result
