"""What the modules of the command line share."""

import json
import os
import signal
import sys
import threading

import typer
from tqdm import tqdm
from wasabi import Printer

from .formats.files import FULL, make_folder, write_atomically
from .formats.inputs import Source, real_place
from .formats.paths import path_of

AnyPath = type("path", (), {})  # so called in help; `as_path` makes a `Path` or `Remote`
COLUMNS = 80  # of a terminal that reports none
STOPS = ("SIGTERM", "SIGHUP")  # Ctrl-C raises KeyboardInterrupt by itself


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
    from .integrations.tokenizers import borders_of

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
    places = {}
    for path in outputs:
        if path is None or str(path) == "-":
            continue
        place = real_place(path)
        if place in places:
            raise ValueError(
                f"{path} is to be written for another option, too; write to another file"
            )
        places[place] = path
    if places:
        pairs = (one if isinstance(one, tuple) else (one, None) for one in inputs)
        for source in [Source(path, format) for path, format in pairs if path]:
            for place, path in places.items():
                source.check(path, place)


def inputs_of(gold, pred, reading):
    """What a command reads, as `check_outputs` has it, by how `reading_of` has the two sides."""
    sides = zip((gold, pred), ("gold_options", "pred_options"))
    files = [(path, reading[options].get("format")) for path, options in sides]
    return [*files, reading["shared_options"].get("texts")]


def printer():
    """Prints messages with a mark, in colour at a terminal only."""
    return Printer(pretty=sys.stdout.isatty())


def failure(message):
    """A message with a mark: in colour and wrapped at a terminal, plain and whole in a file."""
    if not sys.stderr.isatty():
        return f"\u2718 {message}"
    first, *more = message.split("\n")
    return "\n".join([Printer(no_print=True).fail(first), *more])


class Stopped(KeyboardInterrupt):
    """What a signal other than Ctrl-C raises: whatever cleans up after Ctrl-C does so here."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def stop_at_signals():
    """Let the signals that end a program raise `Stopped`; the handlers that were there before.

    Without it they end the program on the spot, and a file that is being written stays half-written
    under its temporary name. Signals that someone handles or ignores (nohup) are left to them.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    owner = os.getpid()

    def stop(number, _):
        if os.getpid() != owner:  # a forked worker: end it, as if there were no handler
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        signal.signal(number, signal.SIG_IGN)  # once is enough: it must not interrupt cleaning up
        raise Stopped(number)

    numbers = (getattr(signal, name) for name in STOPS if hasattr(signal, name))
    free = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    return {number: signal.signal(number, stop) for number in free}


def unwritten():
    """What keeps the standard output from being written, and now is forgotten; None: nothing."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


class failing_kindly:
    """A block in which bad input ends the program with its message and exit code 1.

    Ctrl-C and the signals of `STOPS` end it with 128 and their number, after cleaning up.
    """

    def __enter__(self):
        self.handlers = stop_at_signals()
        return self

    def __exit__(self, kind, error, _):
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        lost = unwritten()
        error = error or lost
        if isinstance(error, BrokenPipeError):  # whoever reads our output has enough
            raise typer.Exit(0) from error
        if isinstance(error, KeyboardInterrupt):
            number = getattr(error, "number", signal.SIGINT)
            print(failure(f"stopped by {signal.Signals(number).name}"), file=sys.stderr)
            raise typer.Exit(128 + number) from error
        if isinstance(error, (ValueError, OSError, ImportError)):
            full = isinstance(error, OSError) and error.errno in FULL  # files: `FormatError`
            message = f"the output cannot be written ({error.strerror})" if full else str(error)
            print(failure(message), file=sys.stderr)
            raise typer.Exit(1) from error
