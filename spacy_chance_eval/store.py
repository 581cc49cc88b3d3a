"""Files of runs: a `StoredRun` in one compressed file, and back.

The file is a zip archive, as numpy writes them (.npz): `run.json` with everything that is no array,
and the arrays, in as few bytes as hold their numbers exactly. Nothing of it is ever unpickled.
"""

import json
import os
import zipfile
import zlib
from functools import partial

import numpy as np

from .about import __version__
from .formats.errors import FormatError
from .formats.files import check_writable, whole_file
from .measures.alignment import align
from .measures.spans import Spans
from .packing import Arrays, packed, small, unpacked
from .stored import Annotations, Kept, StoredRun, request_of, stored_run

__all__ = ["StoredRun", "check_target", "read_run", "stored_run", "write_run"]

FORMAT = "spacy-chance-eval run"
VERSION = 1
KNOWN = (1,)
HEADER = "run.json"
THEN = (1980, 1, 1, 0, 0, 0)  # the time stamp of members: equal runs, equal bytes
LEVEL = 4  # of compression: more takes twice the time and saves little
KEYS = ("gold", "named", "pred", "words")
SIDES = ("gold", "pred")
COLUMNS = ("doc", "start", "end", "label", "unplaced", "stretches")
PLAIN = ("version", "saved", "title", "unit", "clusters", "names", "facts")
AGAIN = "copy or save it again"
MISFIT = "its parts do not fit each other"
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, MemoryError),
    SyntaxError,
)


def check_target(path, inputs=()):
    """Raise if a run cannot be written to a path, or would replace what is no run.

    For work that writes at its end. `inputs` are files that the run is made of.

    Raises
    ------
    FormatError
        If the file cannot be written, is one of the inputs, or is there and no older run.
    """
    check_writable(path)
    if not os.path.isfile(path):
        return
    if any(os.path.exists(one) and os.path.samefile(path, one) for one in inputs):
        raise FormatError("would be read and replaced; name another file for the run", path)
    if os.path.getsize(path) and not is_run(path):
        raise FormatError(
            "is there already, and not a file of `save`; the file to write comes first "
            "(save RUN GOLD PRED): name another one, or remove this one",
            path,
        )


def is_run(path):
    """Whether a file looks like one of `save`, of any version."""
    try:
        with zipfile.ZipFile(path) as archive:
            return HEADER in archive.namelist()
    except DAMAGED:
        return False


def write_run(path, run):
    """Write a `StoredRun`; an older run of that name is replaced when the new one is whole.

    Raises
    ------
    FormatError
        If the file cannot be written, or is there and no run.
    """
    check_target(path)
    arrays = Arrays()
    header = json.dumps(header_of(run, arrays), ensure_ascii=True, allow_nan=False)
    with whole_file(path) as raw, zipfile.ZipFile(raw, "w") as archive:
        with member(archive, HEADER) as file:
            file.write(header.encode())
        for place, array in enumerate(arrays.found):
            with member(archive, f"{place}.npy") as file:
                np.lib.format.write_array(file, small(array), allow_pickle=False)


def member(archive, name):
    """A member to be written, compressed, without the time of writing."""
    info = zipfile.ZipInfo(name, THEN)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    info._compresslevel = LEVEL  # has a public name from Python 3.13 on
    return archive.open(info, "w", force_zip64=True)


def header_of(run, arrays):
    """All of a run that is no array; the arrays go to `arrays`."""
    metrics = [
        {
            "name": name,
            "metric": kept.request.metric,
            "parameters": dict(kept.request.parameters),
            "draws": kept.draws,
            "prior": {key: listed(value) for key, value in kept.prior.items()},
            "statistics": packed(kept.statistics, arrays),
        }
        for name, kept in run.metrics.items()
    ]
    header = {
        "format": FORMAT,
        "format_version": VERSION,
        **{name: getattr(run, name) for name in PLAIN},
        "facts": dict(run.facts),
        "labels": list(run.labels),
        "sources": list(run.sources),
        "seen": arrays.add(run.seen),
        "keys": {name: arrays.add(run.keys[name]) for name in KEYS},
        "support": {side: arrays.add(run.support[side]) for side in SIDES},
        "metrics": metrics,
        "annotations": run.annotations and annotations_of(run.annotations, arrays),
    }
    return header | {"arrays": [array.dtype.str for array in arrays.found]}


def listed(values):
    """A prior as lists: of labels, or of numbers."""
    return [list(value) if isinstance(value, tuple) else int(value) for value in values]


def annotations_of(annotations, arrays):
    """The spans of both sides, and the text as far as it is kept."""
    gold = annotations.gold
    found = {
        side: {name: arrays.add(getattr(spans, name)) for name in COLUMNS}
        for side, spans in (("gold", gold), ("pred", annotations.pred))
    }
    found["sizes"], found["sentences"] = arrays.add(gold.sizes), arrays.add(gold.sentences)
    return found | {"words": gold.words, "texts": annotations.texts}


def read_run(path):
    """The `StoredRun` of a file.

    Raises
    ------
    FormatError
        If it is no file of a run, is of an unknown version, cut off or damaged, or if what it
        holds does not fit together.
    """
    try:
        with open(path, "rb") as raw:
            if not zipfile.is_zipfile(raw):
                raise FormatError(f"not a file of `save`, or cut off; {AGAIN}", path)
            with zipfile.ZipFile(raw) as archive:
                header = read_header(archive, path)
                return run_from(header, partial(read_array, archive, header["arrays"]))
    except FormatError:
        raise
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise FormatError(
            f"cannot be read ({error.strerror}); name a file of `save`", path
        ) from error
    except RecursionError as error:
        raise FormatError(f"damaged: too deep; {AGAIN}", path) from error
    except DAMAGED as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"damaged ({said}); {AGAIN}", path) from error


def read_header(archive, path):
    """What the file says of itself, if it is one that this version can read."""
    if HEADER not in archive.namelist():
        raise FormatError(f"an archive, but not one of `save`: it has no {HEADER}", path)
    header = json.loads(archive.read(HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError("an archive, but not one of `save`", path)
    version = header.get("format_version")
    if version not in KNOWN:
        raise FormatError(
            f"a run of format version {version!r}; spacy-chance-eval {__version__} knows "
            f"{', '.join(map(str, KNOWN))}: update it, or save the run again",
            path,
        )
    return header


def read_array(archive, dtypes, place):
    """An array of the file, in its own type."""
    if isinstance(place, bool) or not isinstance(place, int) or place < 0:
        raise ValueError(f"{place!r} is no place of an array")
    with archive.open(f"{place}.npy") as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    dtype = np.dtype(dtypes[place])
    if {array.dtype.kind, dtype.kind} - set("biuf"):
        raise ValueError("an array that holds no numbers")
    return array.astype(dtype, copy=False)


class Once(dict):
    """Arrays by their places, each read once: what was one array is one again."""

    def __init__(self, read):
        self.read = read

    def __missing__(self, place):
        return self.setdefault(place, self.read(place))


def run_from(header, read):
    """The `StoredRun` that a header and its arrays describe, checked."""
    arrays = Once(read)
    labels, names, clusters = (texts(header[key]) for key in ("labels", "names", "clusters"))
    seen = arrays[header["seen"]]
    shape = len(seen), len(labels)
    keys = {name: arrays[header["keys"][name]] for name in KEYS}
    support = {side: arrays[header["support"][side]] for side in SIDES}
    right = [seen.dtype == bool and seen.ndim == 1, sorted(set(labels)) == list(labels)]
    right += [key.shape == shape[:1] and key.dtype == np.uint64 for key in keys.values()]
    right += [one.shape == shape and one.dtype.kind == "i" for one in support.values()]
    right += [one is None or len(one) == shape[0] for one in (names, clusters)]
    right += [names is None or len(set(names)) == len(names), bool(header["metrics"])]
    right += [isinstance(header[key], str) for key in ("version", "saved", "unit")]
    right += [isinstance(header["sources"], list) and len(header["sources"]) == 2]
    right += [header["title"] is None or isinstance(header["title"], str)]
    right += [all(isinstance(v, (str, int)) for kv in header["facts"].items() for v in kv)]
    right += [isinstance(header["facts"].get(key), str) for key in ("gold", "positions")]
    if not all(right):
        raise ValueError("its parts do not fit each other")
    metrics = {}
    for row in header["metrics"]:
        request = request_of(row["metric"], row["parameters"])
        statistics = unpacked(row["statistics"], arrays, request, *shape)
        prior = {key: prior_from(key, values) for key, values in row["prior"].items()}
        metrics[str(row["name"])] = Kept(request, statistics, prior, row["draws"])
    return StoredRun(
        metrics=metrics,
        labels=labels,
        names=names,
        seen=seen,
        keys=keys,
        support=support,
        unit=header["unit"],
        clusters=clusters,
        facts=header["facts"],
        sources=texts(header["sources"]),
        version=header["version"],
        saved=header["saved"],
        title=header["title"],
        annotations=None
        if header["annotations"] is None
        else annotations_from(header["annotations"], arrays, labels, names, seen),
    )


def texts(values):
    """A list of texts as a tuple; None stays None."""
    if values is None:
        return None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("names and labels must be texts")
    return tuple(values)


def prior_from(key, values):
    """A prior as it was: sets of labels, or numbers."""
    if key == "lengths":
        return np.array(values, np.int64)
    return tuple(texts(value) for value in values)


def annotations_from(found, arrays, labels, names, seen):
    """Both sides as aligned `Spans`."""
    sides = [
        Spans(
            *(arrays[found[side][name]] for name in ("doc", "start", "end", "label")),
            arrays[found["sizes"]],
            labels,
            seen=seen,
            unplaced=arrays[found[side]["unplaced"]],
            stretches=arrays[found[side]["stretches"]],
            sentences=arrays[found["sentences"]],
            words=texts(found["words"]),
            names=names,
        )
        for side in SIDES
    ]
    if found["texts"] is not None and len(found["texts"]) != len(seen):
        raise ValueError("its texts do not fit its documents")
    return Annotations(*align(*sides), texts(found["texts"]))
