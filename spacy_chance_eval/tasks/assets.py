"""Listings of files that are not part of the package: names, checksums, where they come from.

Why neither weasel's assets nor pooch: weasel knows MD5 only, and goes on when one is wrong; pooch
takes one checksum for a file, and around its download all the checks and messages here would stay.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

from ..corpora.sources import Source, parse_systems
from ..formats.errors import FormatError, did_you_mean
from ..formats.files import checked_sha256, file_key, sha256_of
from ..formats.outputs import output_set, whole_file
from ..formats.paths import is_remote, is_there, path_of
from ..formats.yaml_files import read_yaml
from ..measures.arrays import Progress
from ..measures.messages import quoted

if TYPE_CHECKING:
    from requests import Response

KEYS = {"name", "sha256", "bytes", "url", "optional", "description"}
BLOCK = 1 << 16
TIMEOUT = (10, 30)  # seconds to connect, and between two blocks
MAX_DOWNLOAD = 2**30  # bytes of a file: the corpora of most projects have far less
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
    n_bytes : int, optional
        Size of the file that `url` has.
    url : str, optional
        Where to fetch it from unless the URL of a folder is given that has it.
    optional : bool
        Whether the other files are of use without it.
    description : str
        Where it comes from and where to put it.
    """

    name: str
    sha256: tuple[str, ...] = ()
    n_bytes: int | None = None
    url: str | None = None
    optional: bool = False
    description: str = ""


@dataclass(frozen=True)
class Listing:
    """The files that belong into a folder, and what to say of their source and licence."""

    path: str
    source: str
    assets: tuple[Asset, ...]
    license: str = ""

    def with_editions(self, editions: Mapping[str, str]) -> "Listing":
        """The listing with other editions of some files, {name in the listing: name of the file}.

        Users bring these: they have neither a checksum nor a URL. A file that is listed by
        its own name is not another edition.

        Raises
        ------
        FormatError
            For a name that is not in the listing, or that leads out of the folder.
        """
        names = [asset.name for asset in self.assets]
        editions = {name: own for name, own in editions.items() if own not in names}
        for name, own in editions.items():
            if name not in names:
                hint = did_you_mean(name, names)
                message = (
                    f"no asset is called {quoted(name)}{hint}; expected one of {', '.join(names)}"
                )
                raise FormatError(message, self.path)
            _check_name(own, self.path)
        assets = (
            Asset(
                editions[asset.name],
                description=f"Your edition of {asset.name}. {asset.description}",
            )
            if asset.name in editions
            else asset
            for asset in self.assets
        )
        return replace(self, assets=tuple(assets))


class AssetError(ValueError):
    """A file that is missing, cannot be fetched, or has a wrong checksum."""


class _NotThereError(AssetError):
    """A URL without the file: the next one may have it."""

    why = "is not there"


class _WrongError(_NotThereError):
    """A URL whose file has a wrong checksum."""

    why = "has a wrong checksum"


def read_listing(path: str | Path) -> Listing:
    """The `Listing` in a YAML file.

        source: where the files come from
        license: shown before anything is downloaded (may be left out)
        assets:
          - name: test.txt
            sha256: 64 hexadecimal digits, or a list of several that will do (may be left out)
            bytes: size of the file (may be left out)
            url: https://... (may be left out)
            optional: true (may be left out)
            description: more about this file (may be left out)

    Raises
    ------
    FormatError
        For a file that is no such listing, and for names that lead out of the folder.
    """
    data = read_yaml(path)
    rows = data.get("assets") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FormatError("no listing of assets; expected a list under the key `assets`", path)
    assets = tuple(_asset_of(row, path) for row in rows)
    files: dict[str, str] = {}
    for name in (asset.name for asset in assets):
        other = files.setdefault(file_key(name), name)
        if [asset.name for asset in assets].count(name) > 1:
            raise FormatError(
                f"the asset {quoted(name)} is listed twice; give each file one entry", path
            )
        if other != name:
            message = (
                f"{quoted(other)} and {quoted(name)} would be one file on macOS or Windows; rename "
                "one"
            )
            raise FormatError(message, path)
    source, license = (str(data.get(key) or "").strip() for key in ("source", "license"))
    return Listing(str(path), source, assets, license)


def _asset_of(row: object, path: str | Path) -> Asset:
    """One entry of a listing, checked."""
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise FormatError(f"{quoted(row)} is no asset; expected a `name` and its `sha256`", path)
    name = row["name"]
    unknown = sorted(map(str, set(row) - KEYS))
    if unknown:
        known = ", ".join(sorted(KEYS))
        raise FormatError(f"{name}: unknown key {quoted(unknown[0])}; expected {known}", path)
    _check_name(name, path)
    sums = checked_sha256(row["sha256"], name, path) if "sha256" in row else ()
    url, optional, n_bytes = row.get("url"), row.get("optional", False), row.get("bytes")
    if n_bytes is not None and (type(n_bytes) is not int or n_bytes < 0):
        raise FormatError(f"{name}: bytes is {quoted(n_bytes)}; expected a whole number", path)
    if url is not None and not isinstance(url, str):
        raise FormatError(f"{name}: url is {quoted(url)}; expected a text", path)
    if not isinstance(optional, bool):
        raise FormatError(f"{name}: optional is {quoted(optional)}; expected true or false", path)
    description = str(row.get("description") or "").strip()
    return Asset(str(PurePosixPath(name)), sums, n_bytes, url, optional, description)


def _check_name(name: str, path: str | Path) -> None:
    """Raise for a name that leads out of the folder."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or re.search(r"[\\:\0]", name):
        raise FormatError(f"{quoted(name)} leads out of the folder; name a file inside it", path)


def fetch(
    path: str | Path,
    folder: str | Path,
    url: str | None = None,
    progress: Progress | None = None,
    *,
    editions: Mapping[str, str] | None = None,
    systems: str | None = None,
    max_bytes: int = MAX_DOWNLOAD,
) -> Iterator[str]:
    """Messages about the files of a listing, one after the other, as these are fetched.

    A file that is there with a right checksum stays, and so does one that is needed and has another
    checksum: it may be the user's own. Others are downloaded to a temporary file, which takes their
    place only if its checksum is right. Temporary files that a killed download
    left are removed first, so let one process at a time fetch into a folder. The licence in the
    listing is printed before the first download.

    Parameters
    ----------
    path : str or Path
        YAML file with the listing, which `read_listing` describes.
    folder : str or Path
        Where the files are, or will be.
    url : str, optional
        URL of a folder that has the files, by the names of the listing or without its inner
        folders: http://, https:// or file:///. A file that is not there, or has a wrong checksum
        there, comes from the URL that the listing gives, if any.
    progress : callable, optional
        `progress(steps, total, what)` for each download; steps are blocks of bytes.
    editions : mapping of str to str, optional
        {name in the listing: name of the file} of other editions, whose checksums are not known.
    systems : str, optional
        A list of systems that are to be ranked, to be checked before anything is downloaded.
    max_bytes : int
        The largest file that is fetched, whatever a server says of its size.

    Raises
    ------
    FormatError
        For a bad listing, or a bad list of systems.
    AssetError
        For the first file that cannot be fetched, or once for all that have no URL, or have a wrong
        checksum and are not optional, or find a folder in their place; for a URL that no name can
        be appended to. Files fetched before it stay, and so does an older file of its name.
    """
    listing, folder = read_listing(path).with_editions(editions or {}), _folder_of(folder)
    if systems is not None:
        _check_systems(systems, listing, folder)
    if url and re.search("[?#]", url):
        raise AssetError(
            f"{url}: expected the URL of a folder, to append names to, but it has a query or a "
            "fragment; leave out all from '?' or '#', or give each file a `url` in the listing"
        )
    states = {asset: _state_of(asset, folder) for asset in listing.assets}
    wanted = [asset for asset in listing.assets if states[asset] not in ("good", "unknown")]
    blocked = [asset for asset in wanted if states[asset] == "folder"]
    if blocked:
        raise AssetError("\n".join(_in_the_way(folder / asset.name) for asset in blocked))
    needed = [asset for asset in wanted if not asset.optional]
    problems = [_another(asset, folder) for asset in needed if states[asset] == "bad"]
    listed = ((asset, asset.n_bytes or 0) for asset in needed)
    problems += [_too_large(one.name, n, max_bytes) for one, n in listed if n > max_bytes]
    homeless = [asset for asset in needed if states[asset] != "bad" and not (url or asset.url)]
    if homeless:
        problems.append(_bring_your_own(listing, folder, homeless))
    if problems:
        raise AssetError("\n".join(problems))
    if wanted and listing.license:
        yield f"{listing.license}\n{_how_much(wanted, folder)}"
    for asset in wanted:
        places = _places_of(asset, url)
        if not places:
            yield f"{folder / asset.name}: optional, and not there"
            continue
        bad = _wrong_file(asset, folder) if states[asset] == "bad" else ""
        try:
            size, origin = _download_from(places, asset, folder, progress, max_bytes)
        except AssetError as error:
            if not asset.optional:
                raise
            yield "\n".join(filter(None, (f"optional, and left out: {error}", bad)))
        else:
            note = "" if asset.sha256 else "; its checksum is not known, so it was not checked"
            replaced = f"\nIt replaced another file: {bad}" if bad else ""
            yield f"{folder / asset.name}: fetched, {size:,} bytes{note}{origin}{replaced}"
    n_there = len(listing.assets) - len(wanted)
    if n_there:
        yield f"{folder}: {n_there} of {len(listing.assets)} files were there already"


def _check_systems(path: str, listing: Listing, folder: Path) -> None:
    """Raise unless every system of a list is there, listed, or optional, with the same checksum."""
    assets = {path_of(folder / asset.name).resolve(): asset for asset in listing.assets}
    for system in parse_systems([path]):
        asset = None if is_remote(system.path) else assets.get(path_of(system.path).resolve())
        if asset is None:
            _check_there(system, listing, path)
        elif system.sha256 and asset.sha256 and not {*system.sha256} & {*asset.sha256}:
            raise FormatError(
                f"the sha256 of {system.name} is {system.sha256[0]}, but {listing.path} has "
                f"{asset.sha256[0]} for {asset.name}; correct one of them",
                path,
            )


def _check_there(system: Source, listing: Listing, path: str) -> None:
    """Raise for a system that no listing has and that is not there, unless it is optional."""
    if not (system.optional or is_remote(system.path) or is_there(system.path)):
        names = [PurePosixPath(asset.name).name for asset in listing.assets]
        hint = did_you_mean(Path(system.path).name, names)
        raise FormatError(
            f"{system.name}: {system.path} is not there, and {listing.path} has no such file{hint};"
            " correct the path, add the file to the listing, or write `optional: true`",
            path,
        )


def _how_much(assets: Sequence[Asset], folder: Path) -> str:
    """The announcement of the downloads, and that files may be put there by hand."""
    n_bytes = sum(asset.n_bytes or 0 for asset in assets)
    size = f", {n_bytes:,} bytes" if all(asset.n_bytes for asset in assets) else ""
    return (
        f"To be fetched: {len(assets)} file{'s' * (len(assets) > 1)}{size}\n"
        f"A file that you put into {folder} by hand is taken instead, if its checksum is right"
    )


def _places_of(asset: Asset, url: str | None) -> list[str]:
    """The URLs that may have a file, in order."""
    names = [asset.name] if url else []
    if url and asset.sha256 and "/" in asset.name:  # a checksum: else another folder's might do
        names.append(PurePosixPath(asset.name).name)
    named = [f"{(url or '').rstrip('/')}/{quote(name)}" for name in names]
    return named + ([asset.url] if asset.url else [])


def _download_from(
    places: Sequence[str], asset: Asset, folder: Path, progress: Progress | None, max_bytes: int
) -> tuple[int, str]:
    """Size of an asset in bytes, and what to say if it is not from the folder that was named."""
    errors, passed = [], []
    for place in places:
        try:
            size = _download(asset, folder, place, progress, max_bytes)
        except _NotThereError as error:
            errors.append(str(error))
            passed.append(f"{place} {error.why}")
        except AssetError as error:
            raise AssetError("\n".join([*errors, str(error)])) from error
        else:
            elsewhere = passed and place == asset.url
            return size, f"; from {place}, because {' and '.join(passed)}" if elsewhere else ""
    raise AssetError("\n".join(errors))


def _folder_of(path: str | Path) -> Path:
    """The path of a folder, which may not be there yet."""
    path = path_of(path)
    if path.exists() and not path.is_dir():
        raise AssetError(f"{path}: expected a folder for the files, found a file; name a folder")
    return path


def _state_of(asset: Asset, folder: Path) -> State:
    """The state of an asset's file; "unknown" is a file without a checksum to compare."""
    path = path_of(folder / asset.name)
    if path.is_dir():
        return "folder"
    if not path.is_file():
        return "missing"
    if not asset.sha256:
        return "unknown"
    return "good" if sha256_of(path) in asset.sha256 else "bad"


def _bring_your_own(listing: Listing, folder: Path, assets: list[Asset]) -> str:
    """Message about files that users have to put there themselves."""
    lines = [f"{len(assets)} of the files of {listing.path} are not in {folder}:"]
    for asset in assets:
        lines.append(f"  {folder / asset.name} (missing)")
        lines += [f"    {line}" for line in asset.description.splitlines()]
    lines += ["Where they come from:", *(f"  {line}" for line in listing.source.splitlines())]
    lines.append(
        "Put them there by hand, or `fetch` them from a folder that has them: --url URL (http://, "
        "https:// or file:///)"
    )
    return "\n".join(lines)


def _in_the_way(path: Path) -> str:
    """Message about a folder that has the name of a file."""
    return f"{path}: expected a file, found a folder; move the folder away, then fetch the file"


def _too_large(what: str, n_bytes: int, limit: int) -> str:
    """Message about a file with more bytes than are fetched."""
    return (
        f"{what}: {n_bytes:,} bytes or more, and files of at most {limit:,} are fetched; check the "
        f"file, then allow it: --max-mb {-(-n_bytes // 2**20)}"
    )


def _download(
    asset: Asset, folder: Path, url: str, progress: Progress | None, max_bytes: int
) -> int:
    """Size of an asset in bytes, once it has been fetched, checked and put into its place."""
    target = path_of(folder / asset.name)
    if not target.resolve().is_relative_to(folder.resolve()):
        raise AssetError(f"{target} leads out of {folder}, by a link; remove the link")
    with _opened(url, target) as content:
        if not asset.sha256 and "text/html" in content.type.lower():
            raise AssetError(
                f"{url}: expected {asset.name}, but the answer looks like a web page (text/html); "
                "check the URL, or put the checksum into the listing if a web page is meant"
            )
        blocks, size = content.blocks, content.size
        if size is not None and size > max_bytes:
            raise AssetError(_too_large(url, size, max_bytes))
        _make_parent(target)
        with output_set(), whole_file(target) as file:  # a file at a time: it is checked
            if progress:
                blocks = progress(blocks, size and -(-size // BLOCK), asset.name)
            digest = _copy(blocks, file, url, size, max_bytes)
            if asset.sha256 and digest not in asset.sha256:
                raise _WrongError(
                    f"{_wrong(url, asset, digest)}. Get the file from its source again; if another "
                    "edition of it is meant, put its checksum into the listing"
                )
    return target.stat().st_size


class _Content(NamedTuple):
    """The content of a URL: blocks of bytes, the total number if known, and the MIME type."""

    blocks: Iterable[bytes]
    size: int | None
    type: str = ""


@contextmanager
def _opened(url: str, target: Path) -> Iterator[_Content]:
    """The content of a URL; every failure to get it is an `AssetError` that says what to do."""
    scheme = url.partition("://")[0].lower() if "://" in url else ""
    if scheme == "file":
        with _opened_file(url) as content:
            yield content
    elif scheme in ("http", "https"):
        with _answer(url, target) as response:
            size = _length_of(response, url)
            yield _Content(
                response.iter_content(BLOCK), size, response.headers.get("Content-Type", "")
            )
    else:
        own = Path(url).absolute()
        hint = f" ({own.as_uri()}?)" if own.exists() or own.parent.is_dir() else ""
        raise AssetError(
            f"{url}: expected a URL that begins with http://, https:// or file:///{hint}"
        )


@contextmanager
def _opened_file(url: str) -> Iterator[_Content]:
    """The content of a file of this machine."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise AssetError(f"{url}: expected file:/// and an absolute path")
    path = url2pathname(parts.path)
    try:
        file = open(path, "rb")
    except FileNotFoundError as error:
        raise _NotThereError(f"{url}: there is no such file; check the URL") from error
    except OSError as error:
        raise AssetError(f"{url}: cannot be read ({error.strerror or error})") from error
    with file:
        yield _Content(iter(partial(file.read, BLOCK), b""), os.fstat(file.fileno()).st_size)


def _make_parent(target: Path) -> None:
    """Make the folder that a file is to be in."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssetError(
            f"{target.parent}: expected a folder, but it cannot be made "
            f"({error.strerror or error}); move away the file that is there, or name another folder"
        ) from error


def _length_of(response: "Response", url: str) -> int | None:
    """Bytes that the server promises; None if it does not, or compresses them."""
    length = response.headers.get("Content-Length")
    if length is None or response.headers.get("Content-Encoding", "identity") != "identity":
        return None
    if not re.fullmatch("[0-9]{1,18}", length):
        raise AssetError(
            f"{url}: expected a number as Content-Length, but the server answers {quoted(length)}; "
            "try again later, or another URL"
        )
    return int(length)


def _copy(
    blocks: Iterable[bytes], file: IO[bytes], url: str, expected: int | None, most: int
) -> str:
    """The sha256 of the written bytes; an error if these are not `expected` many, or too many."""
    from requests import RequestException

    digest, size, cause = hashlib.sha256(), 0, None
    try:
        for block in blocks:
            digest.update(block)
            size += file.write(block)
            if size > most:
                raise AssetError(_too_large(url, size, most))
    except RequestException as error:
        cause = error
    if cause or expected not in (None, size):
        of = "" if expected is None else f" of {expected:,}"
        raise AssetError(
            f"{url}: the download broke off after {size:,}{of} bytes; try again"
        ) from cause
    return digest.hexdigest()


@contextmanager
def _answer(url: str, target: Path) -> Iterator["Response"]:
    """The response of a server, to be streamed; every failure is an `AssetError`."""
    import requests

    by_hand = f"or put the file there by hand: {target}"
    try:
        # not compressed: files are compared with their size, and checked as they arrive
        headers = {"Accept-Encoding": "identity"}
        response = requests.get(url, stream=True, timeout=TIMEOUT, headers=headers)
    except requests.Timeout as error:
        raise AssetError(f"{url}: no answer in time; try again later, {by_hand}") from error
    except requests.ConnectionError as error:
        raise AssetError(
            f"{url}: cannot be reached; check the URL and the network, {by_hand}"
        ) from error
    except requests.RequestException as error:
        raise AssetError(f"{url}: cannot be fetched ({error}); check the URL") from error
    with response:
        if response.status_code != 200:
            reason = f"{response.status_code} {response.reason}".strip()
            kind = _NotThereError if response.status_code in (404, 410) else AssetError
            raise kind(
                f"{url}: expected the file, but the server answers {reason}; check the URL, "
                f"{by_hand}"
            )
        yield response


def _wrong(place: str | Path, asset: Asset, digest: str) -> str:
    """Message about a wrong checksum."""
    expected = " or ".join(asset.sha256)
    return f"{place}: wrong checksum of {asset.name}; expected sha256 {expected}, found {digest}"


def _wrong_file(asset: Asset, folder: Path) -> str:
    """The message about a file with a wrong checksum."""
    return _wrong(folder / asset.name, asset, sha256_of(folder / asset.name))


def _another(asset: Asset, folder: Path) -> str:
    """Message about a needed file that has a wrong checksum: a damaged one, or the user's own."""
    advice = (
        "Move it away to `fetch` the listed one; if it is an edition of your own, rename it, and "
        f"name it: --edition {asset.name}=FILE"
    )
    about = (f"  {line}" for line in asset.description.splitlines())
    return "\n".join([f"{_wrong_file(asset, folder)}. {advice}", *about])


def verify(
    path: str | Path, folder: str | Path, *, editions: Mapping[str, str] | None = None
) -> list[str]:
    """Messages about the files of a listing, if all that are needed are there and right.

    Parameters
    ----------
    path : str or Path
        YAML file with the listing, which `read_listing` describes.
    folder : str or Path
        Where the files are.
    editions : mapping of str to str, optional
        {name in the listing: name of the file} of other editions, whose checksums are not known.

    Raises
    ------
    FormatError
        For a bad listing.
    AssetError
        Once, for all files that are missing, have a wrong checksum or are folders; but for optional
        ones, of which a message tells.
    """
    listing, folder = read_listing(path).with_editions(editions or {}), _folder_of(folder)
    messages, problems, missing = [], [], []
    for asset in listing.assets:
        file, state = folder / asset.name, _state_of(asset, folder)
        if state == "good":
            messages.append(f"{file}: right")
        elif state == "unknown":
            messages.append(f"{file}: there; no checksum is known, found sha256 {sha256_of(file)}")
        elif state == "bad" and asset.optional:
            messages.append(f"optional, and of no use: {_wrong_file(asset, folder)}")
        elif state == "bad":
            problems.append(_another(asset, folder))
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


def checksums(
    path: str | Path, folder: str | Path, *, editions: Mapping[str, str] | None = None
) -> list[str]:
    """Lines with the checksum and name of each file of a listing that is there, as sha256sum's.

    Parameters
    ----------
    path : str or Path
        YAML file with the listing, which `read_listing` describes.
    folder : str or Path
        Where the files are.
    editions : mapping of str to str, optional
        {name in the listing: name of the file} of other editions.
    """
    listing = read_listing(path).with_editions(editions or {})
    files = {asset.name: Path(folder) / asset.name for asset in listing.assets}
    return [f"{sha256_of(file)}  {name}" for name, file in files.items() if file.is_file()]
