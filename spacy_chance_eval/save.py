"""From files and pipelines to stored runs, and from these to a comparison: `save` and `compare`."""

from .compare import compare
from .compared import read_compared
from .scoring import sizes
from .store import check_target, read_run, write_run
from .stored import counted, run_of


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
    asked = list(metrics.values())
    counts = counted(*found.aligned(), asked, draws=draws, seed=seed, progress=progress)
    run = run_of(
        counts,
        metrics,
        attributes=found.attributes,
        data=found.data,
        annotations=annotations,
        texts=[one.text for one in found.gold.documents] if found.positions == "char" else None,
        sources=sources,
        title=title,
    )
    write_run(path, run)
    facts = found.data | {"docs": int(run.seen.sum()), "gold": run.facts["gold"]}
    scores = {name: counts.score(one, False, facts).to_dict() for name, one in metrics.items()}
    layer = sizes(counts.gold, counts.pred) | {"scores": scores}
    layer |= {"gold_layer": found.gold_layer, "pred_layer": found.pred_layer}
    return {"gold": sources[0], "pred": sources[1], "run": str(path), "layers": [layer]}


def compare_files(old, new, **settings):
    """The result of `compare` for two files of runs; the settings are its."""
    result = compare(read_run(old), read_run(new), **settings)
    for which, path in (("old", old), ("new", new)):
        result[which]["path"] = str(path)
    return result
