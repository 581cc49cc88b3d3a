"""From files to a result that prints and goes into JSON: what the command line calls."""

from dataclasses import replace
from pathlib import Path

from . import formats
from .scoring import score_layer

MAIN_LAYERS = ("gold", "spans", "ents")


def read_corpus(path, *, role="gold", **options):
    """The `Corpus` of a file of any format, `.spacy` included, or of a folder of files."""
    if not is_docbin(path):
        read = formats.read_folder if Path(path).is_dir() else formats.read
        return read(path, role=role, **options)
    if options:
        raise ValueError(f"{path} is a .spacy file, which has no option {min(options)!r}")
    from .integrations.docbin import read_docbin

    return read_docbin(path, role=role)


def is_docbin(path):
    """Whether a path is a `.spacy` file, or a folder that holds some."""
    if Path(path).is_dir():
        return any(Path(path).rglob("*.spacy"))
    return str(path).endswith((".spacy", ".spacy.gz"))


def one_file(path):
    """The file itself, or the first one of a folder: its columns are those of all."""
    return formats.files_of(path)[0] if Path(path).is_dir() else path


def format_of(path, options):
    """Name of the format of a file or folder: "spacy", or one of `formats.READERS`."""
    if is_docbin(path):
        return "spacy"
    return options.get("format") or formats.format_of(path)


def with_shared(paths, sides, shared):
    """The options of each file, with those of `shared` that its format has; one must have them."""
    possible = [
        () if is_docbin(path) else formats.options_of(path, format=side.get("format"))
        for path, side in zip(paths, sides)
    ]
    for name in shared:
        if not any(name in options for options in possible):
            files = " or ".join(map(str, dict.fromkeys(paths)))
            raise ValueError(f"the format of {files} has no option {name!r}")
    return [
        {**side, **{name: value for name, value in shared.items() if name in options}}
        for side, options in zip(sides, possible)
    ]


def layer_of(corpus, wanted=None, *, avoid=None):
    """A layer of a corpus: the one wanted, or the one that the file is mostly about."""
    names = [name for name in corpus.layer_names if name != avoid]
    if wanted is not None:
        return wanted
    if not names and avoid is None:
        raise ValueError(f"{corpus.path}: no document has any layer of spans")
    if not names:
        raise ValueError(f"{corpus.path} has one layer only; name a file or column to compare with")
    return next((name for name in MAIN_LAYERS if name in names), names[0])


def score_files(
    gold,
    pred=None,
    *,
    layer=None,
    pred_layer=None,
    gold_options=None,
    pred_options=None,
    shared_options=None,
    **settings,
):
    """The result of scoring a file of predictions against a file of gold annotation.

    Parameters
    ----------
    gold, pred : str or Path
        Without `pred`, both are layers of one file: by default the last two columns of CoNLL.
    layer, pred_layer : str, optional
        Which layers; by default the main one of each file.
    gold_options, pred_options, shared_options : dict
        For the readers, see `formats.read`; the last for both, as far as their formats have them.
    **settings
        As `score_layer` has them.
    """
    sides = [dict(gold_options or {}), dict(pred_options or {})]
    paths = [gold, gold if pred is None else pred]
    sides = with_shared(paths, sides, shared_options or {})
    if pred is None:
        one = two = read_corpus(gold, **one_file_options(gold, *sides))
        layer = layer_of(one, layer)
        pred_layer = layer_of(one, pred_layer, avoid=layer)
    else:
        one, two = read_corpus(gold, **sides[0]), read_corpus(pred, role="pred", **sides[1])
        one, two = formats.pair(one, two)
        layer = layer_of(one, layer)
        same = layer if layer in two.layer_names or not two.layer_names else None
        pred_layer = layer_of(two, pred_layer or same)
    two = complete(two, pred_layer)
    repairs = dict.fromkeys((one.repair, two.repair))
    repair = one.repair if len(repairs) == 1 else f"gold={one.repair},pred={two.repair}"
    data = {"positions": one.positions, "repair": repair}
    attributes = [document.attributes for document in one.documents]
    sides = one.spans(layer), two.spans(pred_layer)
    result = score_layer(*sides, data=data, attributes=attributes, **settings)
    result.update(gold_layer=layer, pred_layer=pred_layer)
    return {"gold": str(gold), "pred": str(pred or gold), "layers": [result]}


def complete(pred, layer):
    """Predictions in which a document that lacks the layer altogether has no spans.

    A document that says it was not annotated (null, a rejected task) stays so.
    """
    if pred.layer_names and layer not in pred.layer_names:
        return pred  # which has no such layer, as will be said
    documents = (
        doc if layer in doc.layers else replace(doc, layers={layer: (), **doc.layers})
        for doc in pred.documents
    )
    return replace(pred, documents=tuple(documents))


def one_file_options(path, gold_options, pred_options):
    """Options to read gold and prediction from two columns of one file."""
    if format_of(path, gold_options) != "conll":
        return gold_options
    columns = {
        "gold": (gold_options.pop("columns", None) or {"gold": -2})["gold"],
        "pred": (pred_options.get("columns") or {"gold": -1})["gold"],
    }
    repair = {
        "gold": gold_options.pop("repair", None) or "error",
        "pred": pred_options.get("repair") or "conlleval",
    }
    return {**gold_options, "columns": columns, "repair": repair}
