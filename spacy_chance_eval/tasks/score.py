"""From files and pipelines to scores: what `score` calls."""

from ..corpora.compared import read_compared
from ..corpora.run import is_docbin
from ..corpora.sharded import check_whole, count_sharded
from ..scoring.scoring import score_layer


def score_files(
    gold, pred=None, *, metrics, reading=None, workers=None, p_values=False, **settings
):
    """The result of scoring a file of predictions, or a pipeline, against a file of gold.

    Parameters
    ----------
    gold, pred, reading
        As `compared.read_compared` has them.
    metrics : mapping of str to Request
    workers : shards.Workers, optional
        Who works on large files.
    p_values : bool
        As `evaluate` has it; then files are read as a whole.
    **settings
        As `scoring.score_layer` has them.

    Returns
    -------
    dict
        Plain values: `gold`, `pred`, `left_out` (files, with reasons), and `layers`, one, with
        numbers of documents and spans and all scores.
    """
    found = None
    if not p_values:
        found = score_sharded(gold, pred, metrics, reading or {}, workers, **settings)
    if found is None:
        check_whole(workers)
        found = score_whole(gold, pred, metrics, reading or {}, p_values=p_values, **settings)
    return found


def score_sharded(
    gold, pred, metrics, reading, workers, *, per_doc=False, intervals=None, progress=iter, **_
):
    """The result for large files; None if they have to be read as a whole."""
    rows = bool(per_doc or (intervals is not None and intervals.resamples))
    found = count_sharded(
        gold, pred, metrics, reading=reading, workers=workers, rows=rows, names=per_doc
    )
    if found is None:
        return None
    layer = found.scores(metrics, intervals=intervals, per_doc=per_doc, progress=progress)
    return {
        "gold": str(gold),
        "pred": str(gold if pred is None else pred),
        "left_out": list(found.left_out),
        "layers": [layer],
    }


def score_whole(gold, pred, metrics, reading, **settings):
    """The result for files that are read at once."""
    found = read_compared(gold, pred, **reading)
    spans = found.gold.spans(found.gold_layer), found.pred.spans(found.pred_layer)
    if is_docbin(gold) and not (spans[0].seen & spans[1].seen).any():
        raise ValueError(
            "no document has spans on both sides; there is nothing to score (for the trees in "
            ".spacy files ask for metrics of trees: -m syntax_alpha -m las)"
        )
    settings |= {"data": found.data, "attributes": found.attributes}
    result = score_layer(*spans, metrics=metrics, **settings)
    result.update(gold_layer=found.gold_layer, pred_layer=found.pred_layer)
    return {"gold": found.sources[0], "pred": found.sources[1], "left_out": [], "layers": [result]}
