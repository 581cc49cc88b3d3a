"""Listings of files that are not part of the package: names, checksums, where they come from."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

import srsly

from .errors import FormatError

KEYS = {"name", "sha256", "url", "optional", "description"}
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Asset:
    """One file of a listing.

    Parameters
    ----------
    name : str
        Path inside the folder, with slashes.
    sha256 : tuple of str
        Checksums that are right; none: not known.
    url : str, optional
        Where it is by default.
    optional : bool
        Whether the rest is of use without it.
    description : str
        Where it comes from and where to put it.
    """

    name: str
    sha256: tuple = ()
    url: str | None = None
    optional: bool = False
    description: str = ""


@dataclass(frozen=True)
class Listing:
    """What a YAML file says of the assets of a folder, and of their source."""

    path: str
    source: str
    assets: tuple


def read_listing(path):
    """The `Listing` of a YAML file.

        source: where the files come from
        assets:
          - name: test.txt
            sha256: 64 hexadecimal digits, or a list of several that are right (left out: not known)
            url: https://... (may be left out)
            optional: true (may be left out)
            description: more about this file (may be left out)

    Raises
    ------
    FormatError
        For a file that is no such listing, and for names that lead out of the folder.
    """
    try:
        data = srsly.read_yaml(path)
    except (ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"no listing of assets ({reason}); check the path and the YAML"
        raise FormatError(message, path) from error
    rows = data.get("assets") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FormatError("no listing of assets; expected a list under the key `assets`", path)
    assets = tuple(asset_of(row, path) for row in rows)
    names = [asset.name for asset in assets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"the asset {twice!r} is listed twice; give each file one entry", path)
    return Listing(str(path), str(data.get("source") or "").strip(), assets)


def asset_of(row, path):
    """One entry of a listing, checked."""
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise FormatError(f"{row!r} is no asset; expected a `name` and its `sha256`", path)
    name = row["name"]
    unknown = sorted(map(str, set(row) - KEYS))
    if unknown:
        known = ", ".join(sorted(KEYS))
        raise FormatError(f"{name}: unknown key {unknown[0]!r}; expected {known}", path)
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or re.search(r"[\\:\0]", name):
        raise FormatError(f"{name!r} leads out of the folder; name a file inside it", path)
    sums = checked_sums(name, row["sha256"], path) if "sha256" in row else ()
    url, optional = row.get("url"), row.get("optional", False)
    if url is not None and not isinstance(url, str):
        raise FormatError(f"{name}: url is {url!r}; expected a text", path)
    if not isinstance(optional, bool):
        raise FormatError(f"{name}: optional is {optional!r}; expected true or false", path)
    description = str(row.get("description") or "").strip()
    return Asset(str(PurePosixPath(name)), sums, url, optional, description)


def checked_sums(name, given, path):
    """The checksums of an entry that has the key for them: at least one."""
    sums = given if isinstance(given, list) else [given]
    if not sums or not all(SHA256.fullmatch(str(s).lower()) for s in sums):
        message = f"{name}: sha256 is {given!r}; expected 64 hexadecimal digits, or no such key"
        raise FormatError(message, path)
    return tuple(str(s).lower() for s in sums)
