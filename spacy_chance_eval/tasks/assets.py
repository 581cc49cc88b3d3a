"""Listings of files that are not part of the package: names, checksums, where they come from."""

import hashlib
import re
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import srsly

from ..formats.errors import FormatError
from ..formats.files import whole_file

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


TEMPORARY = ".{}.%s.tmp" % ("[0-9a-f]" * 32)  # what `whole_file` leaves when it is killed
BLOCK = 1 << 16
TIMEOUT = (10, 30)  # seconds to connect, and between two blocks


class AssetError(ValueError):
    """A file that is missing, cannot be had, or is not the one that its checksum tells."""


def fetch(listing, folder, url=None, progress=None):
    """Messages about the assets, after all of them are there.

    A file that is there with a right checksum stays. Others are downloaded to a temporary file,
    which takes their place only if its checksum is right. Temporary files that a killed download
    left are removed first, so let one process at a time fetch into a folder.

    Parameters
    ----------
    listing : str or Path
        As `read_listing` has it.
    folder : str or Path
        Where the files are, or will be.
    url : str, optional
        The name of each file is appended to it. By default the URL that the listing gives, if any.
    progress : callable, optional
        `progress(steps, total, what)` for each download; steps are blocks of bytes.

    Raises
    ------
    FormatError
        For a bad listing.
    AssetError
        For the first file that cannot be had, or once for all that have no URL or find a folder
        in their place; for a URL that no name can be appended to. Files fetched
        before it stay, and so does an older file of its name.
    """
    listing, folder = read_listing(listing), folder_of(folder)
    if url and re.search("[?#]", url):
        raise AssetError(
            f"{url}: expected the URL of a folder, to append names to, but it has a query or a "
            "fragment; leave out all from '?' or '#', or give each file a `url` in the listing"
        )
    remove_leftovers(listing, folder)
    states = {asset: state_of(asset, folder) for asset in listing.assets}
    places = {asset: url_of(asset, url) for asset in listing.assets}
    wanted = [asset for asset in listing.assets if states[asset] not in ("good", "unknown")]
    blocked = [asset for asset in wanted if states[asset] == "folder"]
    if blocked:
        raise AssetError("\n".join(in_the_way(folder / asset.name) for asset in blocked))
    homeless = [asset for asset in wanted if not (places[asset] or asset.optional)]
    if homeless:
        raise AssetError(bring_your_own(listing, folder, homeless, states))
    for asset in wanted:
        if not places[asset]:
            yield f"{folder / asset.name}: optional, and not there"
            continue
        try:
            size = download(asset, folder, places[asset], progress)
        except AssetError as error:
            if not asset.optional:
                raise
            yield f"optional, and left out: {error}"
        else:
            note = "" if asset.sha256 else "; its checksum is not known, so it was not checked"
            yield f"{folder / asset.name}: fetched, {size:,} bytes{note}"
    there = [asset for asset in listing.assets if asset not in wanted]
    if there:
        yield f"{folder}: {len(there)} of {len(listing.assets)} files were there already"


def folder_of(path):
    """The path of a folder, which may not be there yet."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise AssetError(f"{path}: expected a folder for the files, found a file; name a folder")
    return path


def remove_leftovers(listing, folder):
    """Remove the temporary files of downloads that were killed."""
    for asset in listing.assets:
        target = (folder / asset.name).resolve()
        if target.is_relative_to(folder.resolve()):
            for path in target.parent.glob(TEMPORARY.format(escape(target.name))):
                path.unlink(missing_ok=True)


def url_of(asset, base):
    """Where to fetch an asset, or None."""
    if not base:
        return asset.url
    return f"{base.rstrip('/')}/{quote(asset.name)}"


def state_of(asset, folder):
    """ "good", "bad", "missing", "folder", or "unknown" if it is there and has no checksum."""
    path = Path(folder) / asset.name
    if path.is_dir():
        return "folder"
    if not path.is_file():
        return "missing"
    if not asset.sha256:
        return "unknown"
    return "good" if checksum(path) in asset.sha256 else "bad"


def checksum(path):
    """The sha256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def bring_your_own(listing, folder, assets, states):
    """What to say of files that have to be brought."""
    lines = [f"{len(assets)} of the files of {listing.path} are not in {folder}:"]
    for asset in assets:
        found = "wrong checksum" if states[asset] == "bad" else "missing"
        lines.append(f"  {folder / asset.name} ({found})")
        lines += [f"    {line}" for line in asset.description.splitlines()]
    lines += ["Where they come from:", *(f"  {line}" for line in listing.source.splitlines())]
    lines.append("Put them there, or `fetch` them from a folder that has them: --url URL")
    return "\n".join(lines)


def in_the_way(path):
    """What to say of a folder that has the name of a file."""
    return f"{path}: expected a file, found a folder; move the folder away, then fetch the file"


def download(asset, folder, url, progress=None):
    """Size of an asset in bytes, after it has been written, checked, to its place."""
    if not url.lower().startswith(("http://", "https://")):
        raise AssetError(f"{url}: expected a URL that begins with http:// or https://")
    target = Path(folder) / asset.name
    if not target.resolve().is_relative_to(Path(folder).resolve()):
        raise AssetError(f"{target} leads out of {folder}, by a link; remove the link")
    with answer(url) as response:
        expected = length_of(response, url)
        if not asset.sha256 and "text/html" in response.headers.get("Content-Type", "").lower():
            raise AssetError(
                f"{url}: expected {asset.name}, but the answer looks like a web page (text/html); "
                "check the URL, or put the checksum into the listing if a web page is meant"
            )
        make_parent(target)
        with whole_file(target) as file:
            blocks = response.iter_content(BLOCK)
            if progress:
                blocks = progress(blocks, expected and -(-expected // BLOCK), asset.name)
            found = copy(blocks, file, url, expected)
            if asset.sha256 and found not in asset.sha256:
                raise AssetError(wrong(url, asset, found))
    return target.stat().st_size


def make_parent(target):
    """Make the folder that a file shall be in."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssetError(
            f"{target.parent}: expected a folder, but it cannot be made "
            f"({error.strerror or error}); move away what is there, or name another folder"
        ) from error


def length_of(response, url):
    """Bytes that the server promises; None if it does not, or packs them."""
    length = response.headers.get("Content-Length")
    if length is None or response.headers.get("Content-Encoding", "identity") != "identity":
        return None
    if not re.fullmatch("[0-9]{1,18}", length):
        raise AssetError(
            f"{url}: expected a number as Content-Length, but the server answers {length!r:.40}; "
            "try again later, or another URL"
        )
    return int(length)


def copy(blocks, file, url, expected):
    """The sha256 of what was written; an error if it is less than `expected` bytes."""
    from requests import RequestException

    digest, size, cause = hashlib.sha256(), 0, None
    try:
        for block in blocks:
            digest.update(block)
            size += file.write(block)
    except RequestException as error:
        cause = error
    if cause or expected not in (None, size):
        of = "" if expected is None else f" of {expected:,}"
        raise AssetError(
            f"{url}: the download broke off after {size:,}{of} bytes; try again"
        ) from cause
    return digest.hexdigest()


@contextmanager
def answer(url):
    """What a server sends, to be streamed; every failure to get it is an `AssetError`."""
    import requests

    try:
        response = requests.get(url, stream=True, timeout=TIMEOUT)
    except requests.Timeout as error:
        raise AssetError(f"{url}: no answer in time; try again later") from error
    except requests.ConnectionError as error:
        raise AssetError(f"{url}: cannot be reached; check the URL and the network") from error
    except requests.RequestException as error:
        raise AssetError(f"{url}: cannot be fetched ({error}); check the URL") from error
    with response:
        if response.status_code != 200:
            reason = f"{response.status_code} {response.reason}".strip()
            raise AssetError(
                f"{url}: expected the file, but the server answers {reason}; check the URL"
            )
        yield response


def wrong(place, asset, found):
    """What to say of a wrong checksum."""
    expected = " or ".join(asset.sha256)
    return (
        f"{place}: wrong checksum of {asset.name}; expected sha256 {expected}, found {found}. "
        "Get the file from its source again; if another edition of it is meant, put its checksum "
        "into the listing"
    )


def verify(listing, folder):
    """Messages about the assets, if all that must be there are there and right.

    Raises
    ------
    FormatError
        For a bad listing.
    AssetError
        Once, for all files that are missing (but for optional ones), have a wrong checksum or are
        folders.
    """
    listing, folder = read_listing(listing), folder_of(folder)
    messages, problems, missing = [], [], []
    for asset in listing.assets:
        path, state = folder / asset.name, state_of(asset, folder)
        if state == "good":
            messages.append(f"{path}: right")
        elif state == "unknown":
            messages.append(f"{path}: there; no checksum is known")
        elif state == "bad":
            problems.append(wrong(path, asset, checksum(path)))
        elif state == "folder":
            problems.append(in_the_way(path))
        elif asset.optional:
            messages.append(f"{path}: optional, and not there")
        else:
            missing.append(asset)
    if missing:
        states = dict.fromkeys(missing, "missing")
        problems.append(bring_your_own(listing, folder, missing, states))
    if problems:
        raise AssetError("\n".join(problems))
    return messages


def checksums(listing, folder):
    """Lines with the checksum and name of each asset that is there, as sha256sum writes them."""
    names = (asset.name for asset in read_listing(listing).assets)
    there = (name for name in names if (Path(folder) / name).is_file())
    return [f"{checksum(Path(folder) / name)}  {name}" for name in there]
