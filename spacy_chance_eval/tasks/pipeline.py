"""Score a trained pipeline on gold documents: what `spacy chance score` does."""

from ..scoring.evaluate import score_layer
from ..spacy_docs.docs import check_layer, lexeme_information, spans_of_examples
from ..spacy_docs.pipeline import common_layers, examples_of, gold_layers, load, usual_scores


def score_pipeline(
    model,
    data,
    metrics_of,
    *,
    layers=(),
    code=None,
    gpu_id=-1,
    n_process=1,
    batch_size=None,
    progress=iter,
    draw_progress=iter,
    **settings,
):
    """The result of running a pipeline over gold documents, like that of `score.score_files`.

    Parameters
    ----------
    model : str or Path
        A trained pipeline, by name or folder.
    data : str or Path
        A `.spacy` file, or a folder of them.
    metrics_of : callable
        metrics_of(chance model by default, lexeme information or None) -> {name: Request}.
    layers : sequence of str
        "ents", "spans:KEY", or "GOLD=PREDICTION" for a pair of layers. By default all that gold
        and the pipeline have in common.
    code : str or Path, optional
        A Python file to import first, for components and functions of your own.
    gpu_id : int
        -1 is the CPU.
    n_process, batch_size : int
        As `Language.pipe` has them.
    progress, draw_progress : callables
        Wrap the documents and the random annotations; for progress bars.
    **settings
        As `evaluate` has them.

    Raises
    ------
    ValueError, OSError
        If model or data cannot be read, or nothing is there to be scored.
    """
    nlp = load(model, code, gpu_id)
    examples = list(examples_of(nlp, data))
    docs = (example.predicted for example in examples)
    piped = nlp.pipe(docs, n_process=n_process, batch_size=batch_size)
    for example, doc in zip(examples, progress(piped, len(examples))):
        example.predicted = doc
    pairs = [pair_of(layer) for layer in layers] or common_layers(nlp, examples)
    settings["progress"] = draw_progress
    results = [score_pair(examples, pair, metrics_of, nlp.vocab, **settings) for pair in pairs]
    return {"model": str(model), "gold": str(data), "layers": results}


def pair_of(layer):
    """(gold layer, predicted layer) of "GOLD=PREDICTED", or of one name for both."""
    gold, equals, pred = layer.partition("=")
    pair = (gold, pred) if equals else (gold, gold)
    for name in pair:
        check_layer(name)
    return pair


def score_pair(examples, pair, metrics_of, vocab, **settings):
    """The result of one layer, with spaCy's own scores."""
    gold, pred = spans_of_examples(examples, *pair, words=True)
    if not gold.seen.any():
        raise ValueError(
            f"no gold document is annotated in the layer {pair[0]!r}; gold has "
            f"{', '.join(gold_layers(examples)) or 'no layers'}"
        )
    predicted = {"ents", *(f"spans:{key}" for example in examples for key in example.x.spans)}
    if pair[1] not in (pair[0], *predicted):
        raise ValueError(f"the pipeline predicts no layer {pair[1]!r}")
    chance = "disjoint" if pair == ("ents", "ents") else "overlapping"
    layer = score_layer(
        gold,
        pred,
        metrics_of(chance, lambda: lexeme_information(vocab)),
        data={"repair": "none"},
        attributes=[example.y.user_data for example in examples],
        **settings,
    )
    layer |= {"gold_layer": pair[0], "pred_layer": pair[1]}
    return layer | {"spacy": usual_scores(examples, pair)}
