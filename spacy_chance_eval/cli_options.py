"""Options that several commands share, gathered into one argument each."""

import inspect
from functools import wraps
from pathlib import Path

import typer

from . import cli_common as common
from .cli_common import given
from .cli_workers import N_PROCESS
from .formats import READERS
from .formats.ontology import read_closeness
from .scoring import requests

FORMATS = ", ".join(READERS)
READING = {
    "format": (str, typer.Option(None, help=f"Format of gold: {FORMATS}. [default: by name]")),
    "pred_format": (str, typer.Option(None, help="Format of the predictions.")),
    "column": (
        str,
        typer.Option(None, help="Column of gold, from 0, negative from the end, or name."),
    ),
    "pred_column": (
        str,
        typer.Option(None, help="Column of the predictions. [default: the last]"),
    ),
    "token_column": (str, common.TOKEN_COLUMN),
    "layer": (str, common.LAYER),
    "pred_layer": (str, common.PRED_LAYER),
    "scheme": (str, common.SCHEME),
    "documents": (str, common.DOCUMENTS),
    "offsets": (str, common.OFFSETS),
    "repair": (str, common.REPAIR),
    "pred_repair": (str, common.PRED_REPAIR),
    "misaligned": (str, common.MISALIGNED),
    "discontinuous": (str, common.DISCONTINUOUS),
    "type": (str, common.TYPE),
    # by its longer name: --label may choose labels
    "label_feature": (str, typer.Option(None, help=common.LABEL_FEATURE.help)),
    "annotator_field": (
        str,
        typer.Option(
            None,
            help="Key of the annotator in JSON rows, Prodigy: or auto; each annotator is a layer "
            "for --layer and --pred-layer.",
        ),
    ),
    "text": (str, common.TEXT_KEY),
    "texts": (common.AnyPath, common.TEXTS),
    "sizes": (str, common.SIZES),
    "tokenizer": (str, common.BY_SPACY),
    "code": (
        Path,
        typer.Option(None, "--code", "-c", help="Python file that a pipeline needs."),
    ),
    "gpu_id": (int, typer.Option(-1, "--gpu-id", "-g", help="GPU for a pipeline, or -1.")),
    "n_process": (int, N_PROCESS),
    "batch_size": (int, typer.Option(None, min=1, help="Documents a batch of a pipeline.")),
}
METRICS = {
    "metric": (list[str], common.METRIC),
    "chance": (str, common.CHANCE),
    "unit": (str, common.UNIT),
    "encoding": (str, common.ENCODING),
    "token_information": (str, common.TOKEN_INFORMATION),
    "mode": (str, common.MODE),
    "features": (str, common.FEATURES),
    "bdm": (common.AnyPath, common.BDM),
}


def with_options(name, options, gathered):
    """A decorator: the command has more `options`, and gets them as one argument, `name`.

    Parameters
    ----------
    name : str
        Of the argument.
    options : mapping of str to (type, typer option)
    gathered : callable
        gathered(**values) makes the argument.
    """

    def decorate(command):
        @wraps(command)
        def called(**values):
            own = {key: values.pop(key) for key in options}
            with common.failing_kindly():
                values[name] = gathered(**own)
            return command(**values)

        signature = inspect.signature(command)
        keyword = inspect.Parameter.KEYWORD_ONLY
        kept = [
            one.replace(kind=keyword) for one in signature.parameters.values() if one.name != name
        ]
        more = [
            inspect.Parameter(key, keyword, default=option, annotation=kind)
            for key, (kind, option) in options.items()
        ]
        place = next((i for i, one in enumerate(kept) if one.name == "output"), len(kept))
        called.__signature__ = signature.replace(parameters=kept[:place] + more + kept[place:])
        called.__annotations__ = {one.name: one.annotation for one in [*kept, *more]}
        return called

    return decorate


def reading_of(
    *,
    format,
    pred_format,
    column,
    pred_column,
    token_column,
    layer,
    pred_layer,
    scheme,
    documents,
    offsets,
    repair,
    pred_repair,
    misaligned,
    discontinuous,
    type,
    label_feature,
    annotator_field,
    text,
    texts,
    sizes,
    tokenizer,
    **pipeline,
):
    """How to read the two sides, as `compared.read_compared` has it."""
    shared = {
        "documents": documents,
        "scheme": scheme,
        "token": token_column,
        "offsets": offsets,
        "discontinuous": discontinuous,
        "type": type,
        "label": label_feature,
        "annotator": annotator_field,
        "text": text,
        "texts": texts,
        "sizes": sizes,
    }
    sides = [
        {"format": format, "columns": column, "repair": repair, "misaligned": misaligned},
        {"format": pred_format or format, "columns": pred_column, "repair": pred_repair},
    ]
    for side in sides:
        side["columns"] = side["columns"] and {"gold": side["columns"]}
    return {
        "layer": layer,
        "pred_layer": pred_layer,
        "gold_options": given(sides[0]),
        "pred_options": given(sides[1]),
        "shared_options": given(shared),
        "tokenize": common.tokenizer_of(tokenizer),
        "pipeline_options": pipeline,
    }


def metrics_of(*, metric, bdm, **defaults):
    """{name: Request} of the metrics asked for, or the usual ones."""
    return requests(metric, closeness=bdm and read_closeness(bdm), **defaults)


reads_two = with_options("reading", READING, reading_of)
asks_metrics = with_options("metrics", METRICS, metrics_of)
