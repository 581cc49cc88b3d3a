"""Files of runs: a `StoredRun` in one compressed file, and back.

The file is a zip archive, as numpy writes them (.npz): `run.json` with everything that is no array,
and the arrays, in as few bytes as hold their numbers exactly. Nothing of it is ever unpickled.
"""

import json
import math
import os
import zipfile
import zlib

import numpy as np

from ..about import __version__
from ..formats.errors import FormatError
from ..formats.files import check_writable, whole_file
from ..formats.paths import is_remote, path_of
from ..measures.alignment import align
from ..measures.spans import Spans
from .packing import Arrays, packed, small, unpacked
from .run import Annotations, Kept, StoredRun, request_of, stored_run

__all__ = ["StoredRun", "check_target", "read_run", "stored_run", "write_run"]

FORMAT = "spacy-chance-eval run"
VERSION = 1
KNOWN = (1,)
HEADER = "run.json"
THEN = (1980, 1, 1, 0, 0, 0)  # the time stamp of members: equal runs, equal bytes
LEVEL = 4  # of compression: more takes twice the time and saves little
# how much larger members may be than their packed bytes: names and texts shrink by 3 to 20 times,
# arrays of zeros as far as zip can shrink, by 1032; a small one may be anything
SMALL, HEADERS, ARRAYS = 2**26, 100, 1100
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
    if not path_of(path).is_file():
        return
    if any(are_same(path, one) for one in inputs):
        raise FormatError("would be read and replaced; name another file for the run", path)
    if not (is_empty(path) or is_run(path)):
        raise FormatError(
            "is there already, and not a file of `save`; the file to write comes first "
            "(save RUN GOLD PRED): name another one, or remove this one",
            path,
        )


def are_same(path, other):
    """Whether two paths are those of one file."""
    if is_remote(path) or is_remote(other):
        return str(path) == str(other)
    return os.path.exists(other) and os.path.samefile(path, other)


def is_empty(path):
    """Whether there is nothing in a file."""
    with path_of(path).open("rb") as raw:
        return not raw.read(1)


def is_run(path):
    """Whether a file looks like one of `save`, of any version."""
    try:
        with path_of(path).open("rb") as raw, zipfile.ZipFile(raw) as archive:
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
        with path_of(path).open("rb") as raw:
            if not zipfile.is_zipfile(raw):
                raise FormatError(f"not a file of `save`, or cut off; {AGAIN}", path)
            with zipfile.ZipFile(raw) as archive:
                header = read_header(archive, path)
                return run_from(header, Stored(archive, header["arrays"]))
    except FormatError:
        raise
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise FormatError(
            f"cannot be read ({error.strerror or 'no such file'}); name a file of `save`", path
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
    size = checked_size(archive, HEADER, HEADERS)
    with archive.open(HEADER) as file:
        header = json.loads(file.read(size))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError("an archive, but not one of `save`", path)
    version = header.get("format_version")
    if type(version) is not int or version not in KNOWN:
        raise FormatError(
            f"a run of format version {version!r}; spacy-chance-eval {__version__} knows "
            f"{', '.join(map(str, KNOWN))}: update it, or save the run again",
            path,
        )
    return header


def checked_size(archive, name, times):
    """The unpacked size of a member; raises ValueError if no run has one so large for its bytes."""
    info = archive.getinfo(name)
    if info.file_size > SMALL + times * info.compress_size:
        raise ValueError(f"{name} would have {info.file_size} bytes")
    return info.file_size


class Stored(dict):
    """Arrays by their places, each read once: what was one array is one again."""

    def __init__(self, archive, dtypes):
        self.archive, self.dtypes = archive, dtypes

    def __missing__(self, place):
        dtype = np.dtype(self.dtypes[place])
        if dtype.kind not in "biuf":
            raise ValueError("an array that holds no numbers")
        self.shape(place)
        with self.archive.open(f"{place}.npy") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
        return self.setdefault(place, array.astype(dtype, copy=False))

    def shape(self, place):
        """The shape of an array of numbers; nothing but its header is read."""
        if isinstance(place, bool) or not isinstance(place, int) or place < 0:
            raise ValueError(f"{place!r} is no place of an array")
        size = checked_size(self.archive, f"{place}.npy", ARRAYS)
        with self.archive.open(f"{place}.npy") as file:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("an array of another version")
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            size -= file.tell()
        if dtype.kind not in "biuf":
            raise ValueError("an array that holds no numbers")
        if size != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"an array of shape {shape} that has {size} bytes")
        return shape


def run_from(header, arrays):
    """The `StoredRun` that a header and its arrays describe, checked."""
    labels, names, clusters = (texts(header[key]) for key in ("labels", "names", "clusters"))
    (n_docs,) = arrays.shape(header["seen"])
    shape = n_docs, len(labels)
    check_header(header, n_docs)
    seen = array_of(arrays, header["seen"], shape[:1], np.bool_)
    kept = header["annotations"]
    return StoredRun(
        metrics=dict(metric_from(row, arrays, shape) for row in header["metrics"]),
        labels=labels,
        names=names,
        seen=seen,
        keys={name: array_of(arrays, header["keys"][name], shape[:1], np.uint64) for name in KEYS},
        support={
            side: array_of(arrays, header["support"][side], shape, np.signedinteger)
            for side in SIDES
        },
        unit=header["unit"],
        clusters=clusters,
        facts=header["facts"],
        sources=texts(header["sources"]),
        version=header["version"],
        saved=header["saved"],
        title=header["title"],
        annotations=kept if kept is None else annotations_from(kept, arrays, labels, names, seen),
    )


def check_header(header, n_docs):
    """Raise ValueError if what is no array has other types or sizes than that of a run."""
    labels, names, clusters = (header[key] for key in ("labels", "names", "clusters"))
    right = [sorted(set(labels)) == labels, bool(header["metrics"])]
    right += [one is None or len(one) == n_docs for one in (names, clusters)]
    right += [names is None or len(set(names)) == len(names)]
    right += [isinstance(header[key], str) for key in ("version", "saved", "unit")]
    right += [isinstance(header["sources"], list) and len(header["sources"]) == 2]
    right += [header["title"] is None or isinstance(header["title"], str)]
    right += [all(isinstance(v, (str, int)) for kv in header["facts"].items() for v in kv)]
    right += [isinstance(header["facts"].get(key), str) for key in ("gold", "positions")]
    if not all(right):
        raise ValueError(MISFIT)


def array_of(arrays, place, shape, kind):
    """An array, if it has this shape and kind of numbers."""
    if arrays.shape(place) != shape or not np.issubdtype(arrays[place].dtype, kind):
        raise ValueError(MISFIT)
    return arrays[place]


def metric_from(row, arrays, shape):
    """The name of a metric, and its `Kept`."""
    request = request_of(row["metric"], row["parameters"])
    statistics = unpacked(row["statistics"], arrays, request, *shape)
    prior = {key: prior_from(key, values) for key, values in row["prior"].items()}
    return str(row["name"]), Kept(request, statistics, prior, row["draws"])


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
    sizes = array_of(arrays, found["sizes"], seen.shape, np.signedinteger)
    sides = [
        Spans(
            *(arrays[found[side][name]] for name in ("doc", "start", "end", "label")),
            sizes,
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
