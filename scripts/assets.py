"""Download the files of a listing that are missing, and check those that are there.

    python scripts/assets.py configs/conll03.assets.yml assets/conll03 --url file:///data/conll03

--url has the files by their names in the listing, or all side by side: a folder, of this machine or
of a server. What it lacks, or has with a wrong checksum, comes from the `url` in the listing.
--edition NAME=FILE names a file of your own in place of a listed one. --systems names a list of
systems, whose paths are checked before anything is downloaded.

A needed file with a wrong checksum ends the program and is never replaced: it may be yours. So does
one that cannot be had; an `optional` one is left out. Downloads become files when they are right.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import srsly

LIMIT = 2**30  # bytes of a file: the corpora of most projects have far less
TIMEOUT = 30  # seconds


def say(*lines: str) -> None:
    """Print a message; what follows its first line explains it."""
    print(*lines, sep="\n  because ", file=sys.stderr, flush=True)


def fetch(
    listing: Path,
    folder: Path,
    url: str | None = None,
    editions: Sequence[str] = (),
    systems: Path | None = None,
) -> None:
    """Get and check the files of a listing; exit with a message if a needed one is not right."""
    data = srsly.read_yaml(listing)
    assets = [_with_edition(asset, editions) for asset in data["assets"]]
    if systems:
        _check_systems(systems, [(folder / asset["name"]).resolve() for asset in assets])
    faults = [(asset, folder / asset["name"], _fault(folder, asset)) for asset in assets]
    wanted = [row for row in faults if row[-1]]
    lost = []
    for asset, path, fault in wanted:
        if not asset.get("optional") and (path.exists() or not _places(asset, url)):
            advice = "It is not replaced: move it away to fetch the listed file"
            lost += [fault, *[advice] * path.exists(), asset.get("description", "").strip()]
    if lost:
        sys.exit("\n".join([*lost, "Where it comes from:", data["source"].strip()]))
    if wanted:
        size = sum(asset.get("bytes", 0) for asset, *_ in wanted)
        known = f", {size:,} bytes" if size else ""
        say(data.get("license", "").strip())
        say(f"To be fetched: {len(wanted)} of {len(assets)} files{known}")
        say(f"A file that you put into {folder} by hand is taken instead, if its checksum is right")
    for asset, path, fault in wanted:
        problems = [fault] * path.exists()
        for place in _places(asset, url):
            try:
                size = _download(place, path, asset)
            except (OSError, HTTPException, ValueError) as error:
                problems.append(f"{place}: {error}")
            else:
                say(f"{path}: fetched from {place}, {size:,} bytes", *problems)
                break
        else:
            if not asset.get("optional"):
                problems.append(f"Try again, or put the file there by hand: {path}")
                sys.exit("\n".join(problems))
            say(f"{path}: optional, and left out", *problems)
    say(f"{folder}: {len(assets) - len(wanted)} of {len(assets)} files were there already")


def _with_edition(asset: dict[str, Any], editions: Sequence[str]) -> dict[str, Any]:
    """An asset with a list of checksums; another edition of it has neither these nor a URL."""
    sums, name = asset.get("sha256", []), asset["name"]
    own = dict(edition.split("=", 1) for edition in editions).get(name, name)
    if Path(own).is_absolute() or ".." in Path(own).parts:
        sys.exit(f"{own} leads out of the folder; name a file inside it")
    if own == name:
        return asset | {"sha256": [sums] if isinstance(sums, str) else sums}
    about = f"Your edition of {name}. {asset.get('description', '')}"
    return {"name": own, "sha256": [], "description": about}


def _check_systems(path: Path, listed: Sequence[Path]) -> None:
    """Exit for a system that neither is there nor will be; of other folders some are optional."""
    folders = {one.parent for one in listed}
    for system in srsly.read_yaml(path)["systems"]:
        name = system["path"].partition("#")[0]
        file = (path.parent / name).resolve()
        later = system.get("optional") and file.parent not in folders
        if not (later or "://" in name or file in listed or file.exists()):
            near = get_close_matches(file.name, [one.name for one in listed], 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            sys.exit(f"{path}: {name} is neither there nor listed{hint}; correct the path")


def _fault(folder: Path, asset: dict[str, Any]) -> str:
    """The fault of a file, if it has one."""
    path = folder / asset["name"]
    if not path.exists():
        return f"{path} is missing"
    wrong = _wrong(asset, hashlib.sha256(path.read_bytes()).hexdigest())
    return wrong and f"{path}: {wrong}"


def _wrong(asset: dict[str, Any], found: str) -> str:
    """The message about a checksum, if it is wrong."""
    if not asset["sha256"] or found in asset["sha256"]:
        return ""
    expected = " or ".join(asset["sha256"])
    return f"wrong checksum of {asset['name']}; expected sha256 {expected}, found {found}"


def _places(asset: dict[str, Any], url: str | None) -> list[str]:
    """The addresses that may have a file, in order."""
    base = Path(url).resolve().as_uri() if url and "://" not in url else (url or "").rstrip("/")
    names = [asset["name"]] if url else []
    if url and asset["sha256"]:  # else the file of another folder might do
        names.append(Path(asset["name"]).name)
    own = [asset["url"]] if "url" in asset else []
    return list(dict.fromkeys([f"{base}/{quote(name)}" for name in names] + own))


def _download(place: str, path: Path, asset: dict[str, Any]) -> int:
    """The size of a file, once it has been downloaded, checked and put into its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part, digest, size = path.with_name(f".{path.name}.part"), hashlib.sha256(), 0
    try:
        with urlopen(place, timeout=TIMEOUT) as answer, open(part, "wb") as file:
            while block := answer.read(2**16):
                digest.update(block)
                size += file.write(block)
                if size > LIMIT:
                    raise ValueError(f"more than {LIMIT:,} bytes")
            if answer.headers["Content-Length"] not in (None, str(size)):
                raise ValueError(f"broke off after {size:,} bytes")
        if wrong := _wrong(asset, digest.hexdigest()):
            raise ValueError(wrong)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return size


if __name__ == "__main__":
    parser = argparse.ArgumentParser("assets.py", description=__doc__.partition("\n")[0])
    parser.add_argument("listing", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", help="folder or address that has the files")
    parser.add_argument("--edition", metavar="NAME=FILE", action="append", default=[])
    parser.add_argument("--systems", type=Path, help="list of systems, to be checked before")
    asked = parser.parse_args()
    try:
        fetch(asked.listing, asked.folder, asked.url, asked.edition, asked.systems)
    except KeyboardInterrupt:
        sys.exit("stopped")
    except (OSError, ValueError) as error:
        sys.exit(str(error))
