"""What the modules of the command line share."""

import sys

import typer
from tqdm import tqdm
from wasabi import Printer

METRIC = typer.Option(
    None, "--metric", "-m", help="A metric, such as 'token_f(encoding=BIO)'; may be repeated."
)
CHANCE = typer.Option(
    None,
    help="Chance model: disjoint, overlapping, nested, uniform or none. [default: disjoint; "
    "overlapping for span groups of a pipeline]",
)
UNIT = typer.Option(None, help="What chance shuffles within: doc or sent. [default: doc]")
ENCODING = typer.Option(None, help="What token scores count: IO, BIO, BIOE or IO*. [default: IO]")
TOKEN_INFORMATION = typer.Option(None, help="Bits of a token for SL-ICM: constant or corpus.")
PER_DOC = typer.Option(False, "--per-doc", help="Also score every document, worst first.")
P_VALUES = typer.Option(False, "--p-values", help="How often random annotations score as high.")
DRAWS = typer.Option(1000, min=1, help="Random annotations, where an expectation needs them.")
SEED = typer.Option(0, help="Seed of random annotations and resamples.")
RESAMPLES = typer.Option(
    0, min=0, help="Bootstrap resamples of documents for intervals, such as 1000. [default: none]"
)
OUTPUT = typer.Option(None, "--output", "-o", help="JSON with everything; - for standard output.")


def given(options):
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def progress_bar(steps, total=None, what="Random annotations", **settings):
    """A progress bar on standard error, for long work at a terminal."""
    return tqdm(steps, what, total, leave=False, disable=None, **settings)


class failing_kindly:
    """A block in which bad input ends the program with its message and exit code 1."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if isinstance(error, (ValueError, OSError, ImportError)):
            first, *more = str(error).split("\n") or [""]
            print(Printer(no_print=True).fail(first), *more, sep="\n", file=sys.stderr)
            raise typer.Exit(1) from error
