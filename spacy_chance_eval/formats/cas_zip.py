"""A zip as INCEpTION exports it, read in memory."""

import io
import zipfile
from pathlib import Path

from .errors import FormatError

MAGIC = b"PK\x03\x04"


def zip_members(data, path, limit):
    """The files {name: bytes} of a small zip; nothing is unpacked to the disk.

    Folders and hidden files are passed over.

    Raises
    ------
    FormatError
        If it is damaged, packed in an unusual way, too large, or has a name that leaves the folder.
    """
    found = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for info in packed.infolist():
                if info.is_dir() or hidden(info.filename):
                    continue
                found[info.filename] = member(packed, info, limit, path)
                limit -= len(found[info.filename])
    except FormatError:
        raise
    except Exception as error:  # zipfile raises anything for a damaged file
        raise FormatError(f"not a sound zip file ({error}); copy it again", path) from error
    return found


def hidden(name):
    """Whether a file of a zip is none of the user's own."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")


def member(packed, info, limit, path):
    """The bytes of one file of a zip."""
    name = info.filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        raise FormatError(f"it holds a file {name!r}, a name that leaves the folder", path)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FormatError(f"{name!r} is packed in an unusual way; pack it again", path)
    with packed.open(info) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise FormatError("unpacked it is too large for one document; divide it", path)
    return data


def only_document(names, beside, path):
    """The name of the only XMI or JSON file in a zip, where there may be one other file."""
    found = [name for name in names if name.lower().endswith((".xmi", ".json"))]
    others = [name for name in names if name not in found and Path(name).name != beside]
    if len(found) != 1 or others:
        raise FormatError(
            f"a zip file with {', '.join(sorted(names)[:5]) or 'nothing in it'}; expected one .xmi "
            f"or .json, and its {beside}",
            path,
        )
    return found[0]


def zipped(files):
    """Files {name: bytes} as a zip; equal files, equal bytes."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()
