"""The commands that fetch and check the data of a project."""

from functools import partial
from pathlib import Path

import typer
from wasabi import Printer

from ..formats.files import write_atomically
from ..tasks.assets import checksums, fetch, verify
from .options import make_folder, progress_bar

LISTING = typer.Argument(..., help="YAML file with the names and checksums of the files.")
FOLDER = typer.Argument(..., help="Folder of the files.")


def fetch_command(
    listing: Path = LISTING,
    folder: Path = FOLDER,
    url: str | None = typer.Option(
        None, help="Where the files are; their names are appended. [default: as the listing says]"
    ),
) -> None:
    """Download the files of a listing that are missing, and check them.

      fetch assets.yml assets/
      fetch assets.yml assets/ --url https://example.org/corpus/

    Without a URL, say which files are missing, where they come from and where to put them.
    """
    for message in fetch(listing, folder, url, progress=partial(progress_bar, unit="block")):
        Printer().info(message)


def verify_command(
    listing: Path = LISTING,
    folder: Path = FOLDER,
    output: Path | None = typer.Option(
        None, "--output", "-o", help="File for the checksums found, in the format of sha256sum."
    ),
) -> None:
    """Check that the files of a listing are there and unchanged.

    verify assets.yml assets/
    verify assets.yml assets/ -o sums.txt
    """
    for message in verify(listing, folder):
        Printer().info(message)
    if output:
        make_folder(output)
        write_atomically(output, checksums(listing, folder))
