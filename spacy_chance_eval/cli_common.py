"""What the modules of the command line share."""

import sys

import typer
from tqdm import tqdm
from wasabi import Printer


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
            message = Printer(no_print=True).fail(str(error))
            print(message, file=sys.stderr)
            raise typer.Exit(1) from error
