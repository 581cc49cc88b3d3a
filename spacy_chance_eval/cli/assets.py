"""The commands that fetch and check the data of a project."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..formats.outputs import write_atomically
from ..tasks.assets import MAX_DOWNLOAD, checksums, fetch, verify
from .options import check_outputs, make_folder, progress_bar
from .parameters import argument, option
from .running import say

LISTING = argument(..., help="YAML file with the names and checksums of the files.")
FOLDER = argument(..., help="Folder of the files.")
EDITION = option(
    None,
    help="Another edition of a file, of which no checksum is known: NAME=FILE in the folder; may "
    "be repeated.",
)


def fetch_command(
    listing: Path = LISTING,
    folder: Path = FOLDER,
    url: str | None = option(
        None,
        help="Folder that has the files: http://, https:// or file:///. Files that it lacks, "
        "or that have a wrong checksum, come from where the listing says. [default: all of them]",
    ),
    edition: list[str] = EDITION,
    systems: str | None = option(
        None, help="List of systems that will be ranked, to be checked before the download."
    ),
    max_mb: int = option(
        MAX_DOWNLOAD // 2**20,
        min=1,
        help="The largest file to fetch, in MB of 2^20 bytes, whatever a server says.",
    ),
) -> None:
    """Download the files of a listing that are missing, and check them.

      fetch assets.yml assets/
      fetch assets.yml assets/ --url https://example.org/corpus/

    Without a URL, say which files are missing, where they come from and where to put them.
    """
    messages = fetch(
        listing,
        folder,
        url,
        progress=partial(progress_bar, unit="block"),
        editions=_editions_of(edition),
        systems=systems,
        max_bytes=max_mb * 2**20,
    )
    for message in messages:
        say(message, "info")


def verify_command(
    listing: Path = LISTING,
    folder: Path = FOLDER,
    output: Path | None = option(
        None, "--output", "-o", help="File for the checksums found, in the format of sha256sum."
    ),
    edition: list[str] = EDITION,
) -> None:
    """Check that the files of a listing exist and are unchanged.

    verify assets.yml assets/
    verify assets.yml assets/ -o sums.txt
    """
    check_outputs([listing], [output])
    editions = _editions_of(edition)
    for message in verify(listing, folder, editions=editions):
        say(message, "info")
    if output:
        make_folder(output)
        write_atomically(output, checksums(listing, folder, editions=editions))


def _editions_of(texts: Sequence[str] | None) -> dict[str, str]:
    """{name in the listing: name of the file} of arguments NAME=FILE."""
    editions = {}
    for text in texts or ():
        name, equals, own = text.partition("=")
        if not (name and equals and own):
            raise ValueError(f"--edition is {text!r}; expected NAME=FILE, as in test.txt=eng.testb")
        editions[name] = own
    return editions
