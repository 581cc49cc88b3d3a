"""What the modules of the command line share."""

import inspect
import json
import sys
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import typer
from tqdm import tqdm
from wasabi import Printer

from ..corpora.pairs import ReadOptions
from ..corpora.passes import Workers
from ..formats import READERS, TREEBANKS
from ..formats.files import check_ours, make_folder, real_folder, write_atomically
from ..formats.paths import path_of
from ..measures.trees.trees import BACKENDS, CYCLES, MATCH
from ..scoring.evaluate import default_requests

AnyPath = type("path", (), {})  # so called in help; `as_path` makes a `Path` or `Remote`
COLUMNS = 80  # of a terminal that reports none


def as_path(text):
    """The `Path` of an argument, or the `Remote` of an address, which a `Path` would garble."""
    return path_of(text)


as_path.__name__ = "path"  # so called by other versions of typer
GOLD = typer.Argument(..., parser=as_path, help="Gold annotation: any format, .spacy included.")
PRED = typer.Argument(
    None,
    parser=as_path,
    help="Predictions, or a trained pipeline. Without it: two columns of one file.",
)
METRIC = typer.Option(
    None, "--metric", "-m", help="A metric, such as 'token_f(encoding=BIO)'; may be repeated."
)
CHANCE = typer.Option(
    None,
    help="Chance model: disjoint, overlapping, nested, uniform or none. [default: disjoint; "
    "overlapping for span groups of a pipeline, and in agree where spans overlap]",
)
UNIT = typer.Option(None, help="What chance shuffles within: doc or sent. [default: doc]")
ENCODING = typer.Option(None, help="What token scores count: IO, BIO, BIOE or IO*. [default: IO]")
TOKEN_INFORMATION = typer.Option(None, help="Bits of a token for SL-ICM: constant or corpus.")
PER_DOC = typer.Option(False, "--per-doc", help="Also score every document, worst first.")
P_VALUES = typer.Option(False, "--p-values", help="How often random annotations score as high.")
DRAWS = typer.Option(1000, min=1, help="Random annotations, where an expectation needs them.")
SEED = typer.Option(0, min=0, help="Seed of random annotations and resamples.")
RESAMPLES = typer.Option(
    0, min=0, help="Bootstrap resamples of documents for intervals, such as 1000. [default: none]"
)
TOKEN_COLUMN = typer.Option(None, help="Column of the tokens. [default: 0]")
LAYER = typer.Option(None, help="Layer of gold, for JSONL and .spacy (ents, spans:KEY).")
PRED_LAYER = typer.Option(None, help="Layer of the predictions. [default: the same]")
SCHEME = typer.Option(None, help="Tags: auto, IOB1, IOB2, BIOES or BILUO.")
DOCUMENTS = typer.Option(None, help="CoNLL documents: auto, docstart or sentence.")
OFFSETS = typer.Option(None, help="JSONL offsets: token or char. [default: token]")
REPAIR = typer.Option(
    None, help="Improper tags of gold: error, begin, drop or conlleval. [default: error]"
)
PRED_REPAIR = typer.Option(None, help="Improper tags of the predictions. [default: conlleval]")
MISALIGNED = typer.Option(
    None, help="Gold spans that do not fit the tokens: error or unplaced. [default: error]"
)
ITEMS = typer.Option(
    None,
    help="What coefficients such as kappa rate: token, category, or span (marked alike by both). "
    "[default: token; category with --categories]",
)
FEATURES = typer.Option(
    None, help="GATE metrics: features that must agree: none, all, or names joined by +."
)
MODE = typer.Option(None, help="GATE metrics: strict, lenient or average. [default: strict]")
BDM = typer.Option(
    None,
    parser=as_path,
    help="Closeness of labels, for bdm_f and syntax_alpha: an ontology (CSV, JSON, OWL, SKOS) or "
    "GATE's file.",
)
DISCONTINUOUS = typer.Option(None, help="brat, spans in pieces: error, hull or split.")
TYPE = typer.Option(None, help="CAS and GATE: type of the annotations.")
LABEL_FEATURE = typer.Option(
    None, "--label-feature", "--label", help="CAS, GATE, brat: feature that has the label."
)
TEXT_KEY = typer.Option(None, "--text", help="Label Studio: key of the text in the data.")
TEXTS = typer.Option(
    None, parser=as_path, help="CSV: a folder or JSONL with the texts of the documents."
)
SIZES = typer.Option(
    None, help="CSV without sizes and texts: spans lets documents end with their last span."
)
BY_SPACY = typer.Option(
    None,
    "--tokenizer",
    help="Language of a spaCy tokenizer, such as en, for files without tokens.",
)
OUTPUT = typer.Option(None, "--output", "-o", help="JSON with everything; - for standard output.")


def given(options):
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def tokenizer_of(lang):
    """A function from texts to the borders of their tokens, by spaCy; None without a language."""
    if lang is None:
        return None
    from ..spacy_docs.docs import borders_of

    return borders_of(lang)


def progress_bar(steps, total=None, what="Random annotations", **settings):
    """A progress bar on standard error, for long work at a terminal."""
    bar = tqdm(steps, what, total, leave=False, disable=None, **settings)
    if getattr(bar, "ncols", None) in (-1, 0):  # a terminal without a size
        bar.ncols, bar.nrows = COLUMNS, None
    return bar


def json_text(result):
    """A result as JSON, its numbers in full."""
    return json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)


def show(result, report, output):
    """Write the JSON, then print `report(result)`; to standard error, if JSON takes the output."""
    text = json_text(result)
    if output and output != "-":
        make_folder(output)
        write_atomically(output, text + "\n")
    typer.echo(report(result).rstrip("\n"), err=output == "-")
    if output == "-":
        typer.echo(text)
    elif output:
        typer.echo(f"All of it as JSON: {output}", err=True)


def check_outputs(inputs, outputs):
    """Raise if a file to write is one that is read, now or next time, or one of another option.

    Nothing is raised for inputs that cannot be read: their own errors come later.

    Parameters
    ----------
    inputs : sequence of str, Path, None or tuple
        Files, and folders and patterns, which stand for their files; or (PATH, the format that was
        named for it).
    outputs : sequence of str, Path or None
        None and "-" (standard output) are passed over; links count as what they point to. What is
        new in a folder that is read must not look like a part of it.
    """
    written = [path for path in outputs if path is not None and str(path) != "-"]
    if not written:
        return
    from .checks import Source, real_place

    places = {}
    for path in written:
        place = real_place(path)
        if place in places:
            raise ValueError(
                f"{path} is to be written for another option, too; write to another file"
            )
        places[place] = path
    pairs = (one if isinstance(one, tuple) else (one, None) for one in inputs)
    for source in [Source(path, format) for path, format in pairs if path]:
        for place, path in places.items():
            source.check(path, place)


def inputs_of(gold, pred, reading):
    """What a command reads, as `check_outputs` has it, by how `reading_of` has the two sides."""
    files = [(gold, reading.gold.get("format")), (pred, reading.pred.get("format"))]
    return [*files, reading.shared.get("texts")]


def printer():
    """Prints messages with a mark, in colour at a terminal only."""
    return Printer(pretty=sys.stdout.isatty())


N_PROCESS = typer.Option(
    1,
    "--n-process",
    "-n",
    min=1,
    help="Processes that read and count files, in parts, or that run a pipeline.",
)
NO_INTERVALS = typer.Option(
    False,
    "--no-intervals",
    help="No resamples: no row is kept for any document, so that memory does not grow with the "
    "files.",
)
WORKERS = {
    "scheduler": (
        str,
        typer.Option(
            None,
            help="Read and count on the workers of this Dask cluster, such as tcp://10.0.0.1:8786 "
            "(extra dask).",
        ),
    ),
    "skip_bad": (
        bool,
        typer.Option(
            False,
            "--skip-bad",
            help="Of several files, leave out those that are missing, cut off, or change, and say "
            "so in the result. [default: stop, and write nothing]",
        ),
    ),
}


@contextmanager
def working(n_process, scheduler, skip_bad):
    """The `Workers` of the options, for a `with` block."""
    settings = {"skip_bad": skip_bad, "progress": progress_bar}
    if scheduler is None:
        yield Workers(n_process, **settings)
        return
    from ..corpora.executors import dask_executor

    with dask_executor(scheduler) as executor:
        yield Workers(executor=executor, **settings)


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
    "token_column": (str, TOKEN_COLUMN),
    "layer": (str, LAYER),
    "pred_layer": (str, PRED_LAYER),
    "scheme": (str, SCHEME),
    "documents": (str, DOCUMENTS),
    "offsets": (str, OFFSETS),
    "repair": (str, REPAIR),
    "pred_repair": (str, PRED_REPAIR),
    "misaligned": (str, MISALIGNED),
    "discontinuous": (str, DISCONTINUOUS),
    "type": (str, TYPE),
    # by its longer name: --label may choose labels
    "label_feature": (str, typer.Option(None, help=LABEL_FEATURE.help)),
    "annotator_field": (
        str,
        typer.Option(
            None,
            help="Key of the annotator in JSON rows, Prodigy: or auto; each annotator is a layer "
            "for --layer and --pred-layer.",
        ),
    ),
    "text": (str, TEXT_KEY),
    "texts": (AnyPath, TEXTS),
    "sizes": (str, SIZES),
    "tokenizer": (str, BY_SPACY),
    "code": (
        Path,
        typer.Option(None, "--code", "-c", help="Python file that a pipeline needs."),
    ),
    "gpu_id": (int, typer.Option(-1, "--gpu-id", "-g", help="GPU for a pipeline, or -1.")),
    "n_process": (int, N_PROCESS),
    "batch_size": (int, typer.Option(None, min=1, help="Documents a batch of a pipeline.")),
}
METRICS = {
    "metric": (list[str], METRIC),
    "chance": (str, CHANCE),
    "unit": (str, UNIT),
    "encoding": (str, ENCODING),
    "token_information": (str, TOKEN_INFORMATION),
    "mode": (str, MODE),
    "features": (str, FEATURES),
    "bdm": (AnyPath, BDM),
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
    """How gold and predictions are read."""
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
    return ReadOptions(
        layer,
        pred_layer,
        given(sides[0]),
        given(sides[1]),
        given(shared),
        tokenizer_of(tokenizer),
        pipeline,
    )


def metrics_of(*, metric, bdm, **defaults):
    """{name: Request} of the metrics asked for, or the usual ones."""
    if bdm is None:
        return default_requests(metric, **defaults)
    from ..formats.ontology import read_closeness

    return default_requests(metric, closeness=read_closeness(bdm), **defaults)


reads_two = with_options("reading", READING, reading_of)
asks_metrics = with_options("metrics", METRICS, metrics_of)


MOST = 200  # documents or sentences of a pair, unless more are asked for


def check_pages(path):
    """Raise early for a folder that pages must not replace."""
    if shows_documents(path):
        from ..report.agreement_pages import NAMES

        check_ours(real_folder(path), path, NAMES)


def shows_documents(path):
    """Whether pages show documents, which then have to be read as a whole: a folder of them."""
    return path is not None and path.suffix.lower() != ".html"


def write_pages(found, path, n_docs):
    """Write the pages of an agreement, if they are asked for, and say where."""
    if path is None:
        return
    make_folder(path)
    writer_of(found)(found, path, n_docs=n_docs, progress=progress_bar)
    index = path if path.suffix.lower() == ".html" else path / "index.html"
    typer.echo(f"Pages: {index}", err=True)


def writer_of(found):
    """The function that makes pages of spans, or that of trees."""
    if found.result["positions"] == "tree":
        from ..report.tree_pages import write_tree_agreement

        return write_tree_agreement
    from ..report.agreement_pages import write_agreement

    return write_agreement


ALL_FORMATS = f"{', '.join(READERS)}; of trees {', '.join(TREEBANKS)}"
TREES = {
    "backend": (
        str,
        typer.Option(
            None,
            help=f"Trees: what works out edit distances, {', '.join(BACKENDS)}. "
            "[default: auto, numba if it is installed]",
        ),
    ),
    "cycles": (
        str,
        typer.Option(
            None,
            help=f"Trees: tokens that no root leads to, {' or '.join(CYCLES)}: measure the rest. "
            "[default: error]",
        ),
    ),
    "match": (
        str,
        typer.Option(
            None,
            help=f"Trees: how sentences are matched, {', '.join(MATCH)}. "
            "[default: auto, ids where each has its own]",
        ),
    ),
    "strip_subtypes": (
        bool,
        typer.Option(
            False, "--strip-subtypes", help="Trees: read relations such as nsubj:pass as nsubj."
        ),
    ),
}


def tree_reading(trees, **more):
    """How to read trees, from the options for them and others."""
    own = {"cycles": trees["cycles"], "match": trees["match"], "strip": trees["strip_subtypes"]}
    return given(own | more)


def check_unused(options, said):
    """Raise for the first option that was given, though it does nothing for what is compared."""
    for name, value in options.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} is {said}; leave it out")
