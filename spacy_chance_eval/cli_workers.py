"""The options of who works on large files, and what becomes of files that cannot be read."""

from contextlib import contextmanager

import typer

from .cli_common import progress_bar
from .distributed import dask_executor
from .shards import Workers

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
    with dask_executor(scheduler) as executor:
        yield Workers(executor=executor, **settings)
