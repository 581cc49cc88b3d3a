"""What every command makes of two annotations: the metrics asked for, as a result that prints."""

from dataclasses import replace

from ..measures.alignment import align
from ..metrics.catalog import CATALOG
from ..metrics.request import of_spans, parse
from .evaluate import DEFAULT_METRICS, evaluate
from .intervals import article_clusters
from .tallies import sizes_of


def requests(metrics=(), *, chance=None, **defaults):
    """Metrics as they were asked for, or the usual ones, with the defaults that are not None.

    The chance model goes to the metrics that are corrected by default, not to those where a
    correction, being drawn, takes long and has to be asked for by name.
    """
    given = {name: value for name, value in defaults.items() if value is not None}
    corrected = given | ({} if chance is None else {"chance": chance})
    found = {}
    for name in metrics or DEFAULT_METRICS:
        usual = of_spans(parse(name, **given))
        asks = CATALOG[usual.metric].parameters.get("chance", "none") != "none"
        found[str(name)] = parse(name, **corrected) if asks else usual
    return found


def score_layer(gold, pred, *, metrics, data, attributes=(), intervals=None, **settings):
    """The result of one layer: numbers of documents and spans, and all scores as plain values.

    `metrics` maps names to requests; `attributes` of the documents may tell their articles, which
    are then resampled; `settings` are those of `evaluate`.
    """
    unit, clusters = article_clusters(attributes)
    if intervals is not None:
        settings |= {"intervals": replace(intervals, unit=unit), "clusters": clusters}
    pair = align(gold, pred)
    check_shared(pair)
    scores = evaluate(*pair, metrics.values(), data=data, **settings)
    found = {name: scores[str(metric)].to_dict() for name, metric in metrics.items()}
    return sizes_of(*pair) | {"scores": found}


def check_shared(pair):
    """Raise if two aligned annotators have nothing in common."""
    if not pair[0].seen.any():
        raise ValueError("no document is annotated on both sides; there is nothing to score")
