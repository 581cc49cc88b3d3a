"""Score a trained pipeline on gold documents: what `spacy chance score` does."""

from pathlib import Path

import spacy
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import import_file

from ..formats import FormatError
from ..formats.paths import docbins_at, is_several, path_of
from ..scoring import score_layer
from .component import prefix_of
from .docbin import docs_of, load_docbin
from .docs import check_layer, lexeme_information, spans_of_examples


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
    metrics = metrics_of(chance, lambda: lexeme_information(vocab))
    attributes = [example.y.user_data for example in examples]
    data = {"repair": "none"}
    result = score_layer(gold, pred, metrics=metrics, data=data, attributes=attributes, **settings)
    result.update(gold_layer=pair[0], pred_layer=pair[1], spacy=usual_scores(examples, pair))
    return result


def load(model, code, gpu_id):
    """The pipeline, after its code and on its device."""
    if code is not None:
        if not Path(code).is_file():
            raise ValueError(f"{code}: no such file; --code expects a Python file")
        try:
            import_file("python_code", code)
        except Exception as error:  # anything that somebody's code may do
            raise ValueError(f"{code}: {type(error).__name__}: {error}") from error
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    return spacy.load(model)


def examples_of(nlp, data):
    """Examples with the pipeline's own tokens, or those of gold where its spaces are unknown."""
    path = path_of(data)
    files = docbins_at(path) if is_several(path) else [path]
    n_docs = 0
    for file in files:
        for gold in docs_of(load_docbin(file), nlp.vocab, file):
            n_docs += 1
            gold.user_data.setdefault("name", f"document {n_docs}")
            if not len(gold):
                continue  # as spaCy's own reader does
            if gold.has_unknown_spaces:
                words, spaces = [t.text for t in gold], [bool(t.whitespace_) for t in gold]
                yield Example(Doc(nlp.vocab, words=words, spaces=spaces), gold)
            else:
                yield Example(nlp.make_doc(gold.text), gold)
    if not n_docs:
        raise FormatError("no documents; expected a .spacy file or a folder with some", data)


def gold_layers(examples):
    """The layers in which any gold document is annotated."""
    ents = any(example.y.has_annotation("ENT_IOB") for example in examples)
    keys = sorted({key for example in examples for key in example.y.spans})
    return ["ents"] * ents + [f"spans:{key}" for key in keys]


def predicted_layers(nlp, examples):
    """The layers that the pipeline predicts, sorted: "ents" before span groups."""
    assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
    groups = {f"spans:{key}" for example in examples for key in example.x.spans}
    ents = "doc.ents" in assigned or any(len(example.x.ents) for example in examples)
    return ["ents"] * ents + sorted(groups)


def common_layers(nlp, examples):
    """Layers that gold has and the pipeline predicts."""
    gold, predicted = gold_layers(examples), predicted_layers(nlp, examples)
    found = [(layer, layer) for layer in gold if layer in predicted]
    if not found:
        raise ValueError(
            f"gold and the pipeline have no layer in common: gold has {', '.join(gold) or 'none'}, "
            f"the pipeline predicts {', '.join(predicted) or 'none'}; "
            "name a pair: --layer GOLD=PREDICTED (to compare dependencies: spacy-chance-eval score "
            "GOLD PIPELINE --metric syntax_alpha)"
        )
    return found


def usual_scores(examples, pair):
    """spaCy's own precision, recall and F of a layer; none for a pair of different layers."""
    if pair[0] != pair[1]:
        return {}
    prefix = prefix_of(pair)
    if pair[0] == "ents":
        scores = get_ner_prf(examples)
    else:
        scores = spancat_score(examples, spans_key=pair[0].removeprefix("spans:"))
    return {f"{prefix}_{name}": scores[f"{prefix}_{name}"] for name in "prf"}
