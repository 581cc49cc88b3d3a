"""Listings of files that are not part of the package: names, checksums, where they come from.

Why neither weasel's assets nor pooch: weasel knows MD5 only, and goes on when one is wrong; pooch
takes one checksum for a file, and around its download all the checks and messages here would stay.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote

import srsly

from ..formats.errors import FormatError
from ..formats.files import whole_file
from ..measures.arrays import Progress

if TYPE_CHECKING:
    from requests import Response

KEYS = {"name", "sha256", "url", "optional", "description"}
SHA256 = re.compile(r"[0-9a-f]{64}")
TEMPORARY = ".{}.%s.tmp" % ("[0-9a-f]" * 32)  # what `whole_file` leaves when it is killed
BLOCK = 1 << 16
TIMEOUT = (10, 30)  # seconds to connect, and between two blocks
State: TypeAlias = Literal["good", "bad", "missing", "folder", "unknown"]


@dataclass(frozen=True)
class Asset:
    """One file of a listing.

    Parameters
    ----------
    name : str
        Path inside the folder, with slashes.
    sha256 : tuple of str
        Checksums of all editions that will do; empty if none is known.
    url : str, optional
        Where to fetch it from unless a folder is named.
    optional : bool
        Whether the other files are of use without it.
    description : str
        Where it comes from and where to put it.
    """

    name: str
    sha256: tuple[str, ...] = ()
    url: str | None = None
    optional: bool = False
    description: str = ""


@dataclass(frozen=True)
class Listing:
    """The files that belong into a folder, and what to say of their source."""

    path: str
    source: str
    assets: tuple[Asset, ...]


class AssetError(ValueError):
    """A file that is missing, cannot be fetched, or has a wrong checksum."""


def read_listing(path: str | Path) -> Listing:
    """The `Listing` in a YAML file.

        source: where the files come from
        assets:
          - name: test.txt
            sha256: 64 hexadecimal digits, or a list of several that will do (may be left out)
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
    assets = tuple(_asset_of(row, path) for row in rows)
    names = [asset.name for asset in assets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"the asset {twice!r} is listed twice; give each file one entry", path)
    return Listing(str(path), str(data.get("source") or "").strip(), assets)


def _asset_of(row: object, path: str | Path) -> Asset:
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
    sums = _checked_sums(name, row["sha256"], path) if "sha256" in row else ()
    url, optional = row.get("url"), row.get("optional", False)
    if url is not None and not isinstance(url, str):
        raise FormatError(f"{name}: url is {url!r}; expected a text", path)
    if not isinstance(optional, bool):
        raise FormatError(f"{name}: optional is {optional!r}; expected true or false", path)
    description = str(row.get("description") or "").strip()
    return Asset(str(PurePosixPath(name)), sums, url, optional, description)


def _checked_sums(name: str, given: object, path: str | Path) -> tuple[str, ...]:
    """The checksums of an entry that has the key for them: at least one."""
    sums = given if isinstance(given, list) else [given]
    if not sums or not all(SHA256.fullmatch(str(s).lower()) for s in sums):
        message = f"{name}: sha256 is {given!r}; expected 64 hexadecimal digits, or no such key"
        raise FormatError(message, path)
    return tuple(str(s).lower() for s in sums)


def fetch(
    path: str | Path, folder: str | Path, url: str | None = None, progress: Progress | None = None
) -> Iterator[str]:
    """Messages about the files of a listing, one after the other, as these are fetched.

    A file that is there with a right checksum stays. Others are downloaded to a temporary file,
    which takes their place only if its checksum is right. Temporary files that a killed download
    left are removed first, so let one process at a time fetch into a folder.

    Parameters
    ----------
    path : str or Path
        YAML file with the listing, which `read_listing` describes.
    folder : str or Path
        Where the files are, or will be.
    url : str, optional
        URL of a folder that has the files. By default the URL that the listing gives, if any.
    progress : callable, optional
        `progress(steps, total, what)` for each download; steps are blocks of bytes.

    Raises
    ------
    FormatError
        For a bad listing.
    AssetError
        For the first file that cannot be fetched, or once for all that have no URL or find a folder
        in their place; for a URL that no name can be appended to. Files fetched before it stay, and
        so does an older file of its name.
    """
    listing, folder = read_listing(path), _folder_of(folder)
    if url and re.search("[?#]", url):
        raise AssetError(
            f"{url}: expected the URL of a folder, to append names to, but it has a query or a "
            "fragment; leave out all from '?' or '#', or give each file a `url` in the listing"
        )
    _remove_leftovers(listing, folder)
    states = {asset: _state_of(asset, folder) for asset in listing.assets}
    wanted = [asset for asset in listing.assets if states[asset] not in ("good", "unknown")]
    blocked = [asset for asset in wanted if states[asset] == "folder"]
    if blocked:
        raise AssetError("\n".join(_in_the_way(folder / asset.name) for asset in blocked))
    homeless = [asset for asset in wanted if not (url or asset.url or asset.optional)]
    if homeless:
        raise AssetError(_bring_your_own(listing, folder, homeless))
    for asset in wanted:
        place = f"{url.rstrip('/')}/{quote(asset.name)}" if url else asset.url
        if not place:
            yield f"{folder / asset.name}: optional, and not there"
            continue
        try:
            size = _download(asset, folder, place, progress)
        except AssetError as error:
            if not asset.optional:
                raise
            yield f"optional, and left out: {error}"
        else:
            note = "" if asset.sha256 else "; its checksum is not known, so it was not checked"
            yield f"{folder / asset.name}: fetched, {size:,} bytes{note}"
    n_there = len(listing.assets) - len(wanted)
    if n_there:
        yield f"{folder}: {n_there} of {len(listing.assets)} files were there already"


def _folder_of(path: str | Path) -> Path:
    """The path of a folder, which may not be there yet."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise AssetError(f"{path}: expected a folder for the files, found a file; name a folder")
    return path


def _remove_leftovers(listing: Listing, folder: Path) -> None:
    """Remove the temporary files of downloads that were killed."""
    for asset in listing.assets:
        target = (folder / asset.name).resolve()
        if target.is_relative_to(folder.resolve()):
            for path in target.parent.glob(TEMPORARY.format(escape(target.name))):
                path.unlink(missing_ok=True)


def _state_of(asset: Asset, folder: Path) -> State:
    """What is in the place of an asset; "unknown" is a file without a checksum to compare."""
    path = folder / asset.name
    if path.is_dir():
        return "folder"
    if not path.is_file():
        return "missing"
    if not asset.sha256:
        return "unknown"
    return "good" if _checksum(path) in asset.sha256 else "bad"


def _checksum(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _bring_your_own(listing: Listing, folder: Path, assets: list[Asset]) -> str:
    """What to say of files that users have to put there themselves."""
    lines = [f"{len(assets)} of the files of {listing.path} are not in {folder}:"]
    for asset in assets:
        found = "wrong checksum" if (folder / asset.name).is_file() else "missing"
        lines.append(f"  {folder / asset.name} ({found})")
        lines += [f"    {line}" for line in asset.description.splitlines()]
    lines += ["Where they come from:", *(f"  {line}" for line in listing.source.splitlines())]
    lines.append("Put them there, or `fetch` them from a folder that has them: --url URL")
    return "\n".join(lines)


def _in_the_way(path: Path) -> str:
    """What to say of a folder that has the name of a file."""
    return f"{path}: expected a file, found a folder; move the folder away, then fetch the file"


def _download(asset: Asset, folder: Path, url: str, progress: Progress | None) -> int:
    """Size of an asset in bytes, once it has been fetched, checked and put into its place."""
    if not url.lower().startswith(("http://", "https://")):
        raise AssetError(f"{url}: expected a URL that begins with http:// or https://")
    target = folder / asset.name
    if not target.resolve().is_relative_to(folder.resolve()):
        raise AssetError(f"{target} leads out of {folder}, by a link; remove the link")
    with _answer(url) as response:
        expected = _length_of(response, url)
        if not asset.sha256 and "text/html" in response.headers.get("Content-Type", "").lower():
            raise AssetError(
                f"{url}: expected {asset.name}, but the answer looks like a web page (text/html); "
                "check the URL, or put the checksum into the listing if a web page is meant"
            )
        _make_parent(target)
        with whole_file(target) as file:
            blocks: Iterable[bytes] = response.iter_content(BLOCK)
            if progress:
                blocks = progress(blocks, expected and -(-expected // BLOCK), asset.name)
            digest = _copy(blocks, file, url, expected)
            if asset.sha256 and digest not in asset.sha256:
                raise AssetError(_wrong(url, asset, digest))
    return target.stat().st_size


def _make_parent(target: Path) -> None:
    """Make the folder that a file is to be in."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssetError(
            f"{target.parent}: expected a folder, but it cannot be made "
            f"({error.strerror or error}); move away what is there, or name another folder"
        ) from error


def _length_of(response: "Response", url: str) -> int | None:
    """Bytes that the server promises; None if it does not, or compresses them."""
    length = response.headers.get("Content-Length")
    if length is None or response.headers.get("Content-Encoding", "identity") != "identity":
        return None
    if not re.fullmatch("[0-9]{1,18}", length):
        raise AssetError(
            f"{url}: expected a number as Content-Length, but the server answers {length!r:.40}; "
            "try again later, or another URL"
        )
    return int(length)


def _copy(blocks: Iterable[bytes], file: IO[bytes], url: str, expected: int | None) -> str:
    """The sha256 of what was written; an error if it is not `expected` bytes long."""
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
def _answer(url: str) -> Iterator["Response"]:
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


def _wrong(place: str | Path, asset: Asset, digest: str) -> str:
    """What to say of a wrong checksum."""
    expected = " or ".join(asset.sha256)
    return (
        f"{place}: wrong checksum of {asset.name}; expected sha256 {expected}, found {digest}. "
        "Get the file from its source again; if another edition of it is meant, put its checksum "
        "into the listing"
    )


def verify(path: str | Path, folder: str | Path) -> list[str]:
    """Messages about the files of a listing, if all that are needed are there and right.

    Parameters
    ----------
    path : str or Path
        YAML file with the listing, which `read_listing` describes.
    folder : str or Path
        Where the files are.

    Raises
    ------
    FormatError
        For a bad listing.
    AssetError
        Once, for all files that are missing (but for optional ones), have a wrong checksum or are
        folders.
    """
    listing, folder = read_listing(path), _folder_of(folder)
    messages, problems, missing = [], [], []
    for asset in listing.assets:
        file, state = folder / asset.name, _state_of(asset, folder)
        if state == "good":
            messages.append(f"{file}: right")
        elif state == "unknown":
            messages.append(f"{file}: there; no checksum is known")
        elif state == "bad":
            problems.append(_wrong(file, asset, _checksum(file)))
        elif state == "folder":
            problems.append(_in_the_way(file))
        elif asset.optional:
            messages.append(f"{file}: optional, and not there")
        else:
            missing.append(asset)
    if missing:
        problems.append(_bring_your_own(listing, folder, missing))
    if problems:
        raise AssetError("\n".join(problems))
    return messages


def checksums(path: str | Path, folder: str | Path) -> list[str]:
    """Lines with the checksum and name of each file of a listing that is there, as sha256sum's."""
    files = {asset.name: Path(folder) / asset.name for asset in read_listing(path).assets}
    return [f"{_checksum(file)}  {name}" for name, file in files.items() if file.is_file()]
