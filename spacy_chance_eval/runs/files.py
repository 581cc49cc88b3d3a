"""Files of runs: a `StoredRun` in one compressed file, and back.

The file is a zip archive in numpy's format (.npz): `run.json` with everything but the arrays,
and the arrays, in as few bytes as hold their numbers exactly. Nothing of it is ever unpickled. The
contents are checked where they are taken out, so that errors of this package are not hidden.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..about import __version__
from ..formats.errors import FormatError
from ..formats.outputs import check_writable, whole_file
from ..formats.paths import path_of
from ..measures.alignment import ROLES, align
from ..measures.arrays import Array, IntArray
from ..measures.messages import quoted
from ..measures.spans import ANY_LABEL, Spans
from ..measures.stats import Additive, Divided, Valued
from ..metrics.catalog import Layout
from ..scoring.counts import GOLD, PRED, Counts, Key
from ..scoring.statistics import Statistics
from .run import Annotations, StoredMetric, StoredRun, stored_request, stored_run

__all__ = ["StoredRun", "check_target", "read_run", "stored_run", "write_run"]

FORMAT = "spacy-chance-eval run"
VERSION = 1
KNOWN = (1,)
HEADER = "run.json"
THEN = (1980, 1, 1, 0, 0, 0)  # the time stamp of members: equal runs, equal bytes
LEVEL = 4  # of compression: more takes twice the time and saves little
# how much larger members may be than their packed bytes: names and texts shrink by 3 to 20 times,
# zip shrinks arrays of zeros by up to 1032; a small array may have any ratio
SMALL, HEADERS, ARRAYS = 2**26, 100, 1100
SMALLER = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
KEYS = ("gold", "named", "pred", "words")
COLUMNS = ("doc", "start", "end", "label", "unplaced", "stretches")
PLAIN = ("version", "saved", "title", "unit", "clusters", "names", "facts")
AGAIN = "copy or save it again"
MISFIT = "its parts do not fit each other"
# what reading a member of a damaged archive raises, of names, too
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    UnicodeDecodeError,
)
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# the header of an array of numbers as numpy writes it
MAGIC = b"\x93NUMPY\x01\x00"
DTYPE = re.compile(r"\|b1|[<>|][iu][1248]|[<>|]f[248]")
SHAPE = r"\(((?:\d{1,18}, )*(?:\d{1,18},?)?)\)"
ARRAY = re.compile(
    rf"\{{'descr': '({DTYPE.pattern})', 'fortran_order': False, 'shape': {SHAPE}, \}} *\n".encode()
)
NO_NUMBERS = "an array that holds no numbers"


class _DamageError(ValueError):
    """The content of a file is not that of a run."""


class _UnknownError(ValueError):
    """A file has a metric, or a chance model, that this version does not have."""


# --- writing


def check_target(path: str | Path, inputs: object = ()) -> None:
    """Raise if a run cannot be written to a path, or would replace a file that is no run.

    For work that writes at its end.

    Parameters
    ----------
    path : str or Path
    inputs : sequence of str or Path
        Files that the run is made of.

    Raises
    ------
    FormatError
        If the file cannot be written, is one of the inputs, or is there and no older run.
    """
    check_writable(path)
    if not path_of(path).is_file():
        return
    if any(os.path.exists(one) and os.path.samefile(path, one) for one in inputs):  # type: ignore[attr-defined]  # a sequence
        raise FormatError("would be read and replaced; name another file for the run", path)
    if not (_is_empty(path) or is_run(path)):
        raise FormatError(
            "already exists and is not a run written by `save`; the run to write comes first "
            "(save RUN GOLD PRED): choose another path, or remove this file",
            path,
        )


def _is_empty(path: str | Path) -> bool:
    """Whether there is nothing in a file."""
    with path_of(path).open("rb") as raw:
        return not raw.read(1)


def is_run(path: str | Path) -> bool:
    """Whether a file looks like one of `save`, of any version."""
    try:
        with path_of(path).open("rb") as raw, zipfile.ZipFile(raw) as archive:
            return HEADER in archive.namelist()
    except UNREADABLE:
        return False


def write_run(path: str | Path, run: StoredRun) -> None:
    """Write a `StoredRun`; an older run of that name is replaced when the new one is whole.

    Parameters
    ----------
    path : str or Path
        The file to write. An existing file that is no run is left alone, and an error.
    run : StoredRun
        As `stored_run` makes it.

    Raises
    ------
    FormatError
        If the file cannot be written, or is there and no run.
    """
    check_target(path)
    arrays = _Arrays()
    header = json.dumps(_header_of(run, arrays), ensure_ascii=True, allow_nan=False)
    with whole_file(path) as raw, zipfile.ZipFile(raw, "w") as archive:
        with _new_member(archive, HEADER) as file:
            file.write(header.encode())
        for number, array in enumerate(arrays.added):
            with _new_member(archive, f"{number}.npy") as file:
                np.lib.format.write_array(file, smallest(array), allow_pickle=False)


def _new_member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A member to be written, compressed, without the time of writing."""
    info = zipfile.ZipInfo(name, THEN)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    info._compresslevel = LEVEL  # type: ignore[attr-defined]  # public from Python 3.13 on
    return archive.open(info, "w", force_zip64=True)


class _Arrays:
    """Arrays to be written, each once, however often it is added."""

    def __init__(self) -> None:
        self.added: list[Array] = []
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, tuple[int, Array]] = {}

    def add(self, array: Array) -> int:
        """The number of an array; the same for those with the same bits."""
        if id(array) not in self._known:
            content = np.ascontiguousarray(array)
            key = content.dtype.str, content.shape, hashlib.sha256(content.data).digest()
            if key not in self._numbers:
                self._numbers[key] = len(self.added)
                self.added.append(content)
            self._known[id(array)] = self._numbers[key], array  # kept: no other gets its id
        return self._known[id(array)][0]


def smallest(array: Array) -> Array:
    """The same numbers in as few bytes as hold them exactly."""
    if array.dtype.kind not in "if" or not array.size:
        return array
    low, high = array.min(), array.max()
    for name in SMALLER:
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:  # not so for nan
            fewer = array.astype(name)
            if array.dtype.kind == "i" or fewer.astype(float).tobytes() == array.tobytes():
                return fewer
            return array
    return array


def _header_of(run: StoredRun, arrays: _Arrays) -> dict[str, Any]:
    """All of a run that is no array; the arrays go to `arrays`."""
    metrics = [
        {
            "name": name,
            "metric": one.request.metric,
            "parameters": dict(one.request.parameters),
            "draws": one.draws,
            "prior": {key: _listed(value) for key, value in one.columns.items()},
            "statistics": {
                "observed": _packed_sums(one.statistics.observed, arrays),
                "expected": one.statistics.expected
                and _packed_sums(one.statistics.expected, arrays),
                "exact": one.statistics.exact,
            },
        }
        for name, one in run.metrics.items()
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
        "support": {
            f"{ROLES[number]}{''.join(mark)}": arrays.add(table)
            for (_, number, *mark), table in run.counts.support.items()
        },
        "metrics": metrics,
        "annotations": run.annotations and _annotations_of(run.annotations, arrays),
    }
    return header | {"arrays": [array.dtype.str for array in arrays.added]}


def _listed(values: Any) -> list[Any]:
    """Values or lengths as lists: of labels, or of numbers."""
    return [list(value) if isinstance(value, tuple) else int(value) for value in values]


def _annotations_of(annotations: Annotations, arrays: _Arrays) -> dict[str, Any]:
    """The spans of both annotators, and the text if it is kept."""
    gold = annotations.gold
    spans: dict[str, Any] = {
        role: {name: arrays.add(getattr(one, name)) for name in COLUMNS}
        for role, one in zip(ROLES, (gold, annotations.pred))
    }
    spans["sizes"], spans["sentences"] = arrays.add(gold.sizes), arrays.add(gold.sentences)
    words = None if gold.words is None else list(gold.words)
    return spans | {"words": words, "texts": annotations.texts}


def _packed_sums(sums: Any, arrays: _Arrays) -> Any:
    """A plain description of additive statistics, those they consist of included."""
    if isinstance(sums, np.ndarray):
        return arrays.add(sums)
    parts = {one.name: _packed_sums(getattr(sums, one.name), arrays) for one in fields(sums)}
    return parts if type(sums) is Divided else {"kind": type(sums).__name__, **parts}


# --- reading


def read_run(path: str | Path) -> StoredRun:
    """The `StoredRun` of a file.

    Parameters
    ----------
    path : str or Path
        A file that `write_run` or `spacy-chance-eval save` wrote.

    Raises
    ------
    FormatError
        If it is not a file of a run, is of an unknown version, cut off or damaged, or if its
        contents do not fit together.
    """
    try:
        with path_of(path).open("rb") as raw:
            if not zipfile.is_zipfile(raw):
                raise FormatError(f"not a run written by `save`, or cut off; {AGAIN}", path)
            with _opened(raw) as archive:
                header = _read_header(archive, path)
                return _run_from(header, _Stored(archive, header))
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise FormatError(
            f"cannot be read ({error.strerror or 'no such file'}); name a run written by `save`",
            path,
        ) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); {AGAIN}", path) from error
    except _UnknownError as error:
        raise FormatError(
            f"has what spacy-chance-eval {__version__} does not: {error}; save the run again with "
            "another metric or chance model",
            path,
        ) from error
    except _DamageError as error:
        raise FormatError(f"damaged ({error}); {AGAIN}", path) from error


def _damage(error: BaseException) -> _DamageError:
    """The `_DamageError` for the message of a library."""
    return _DamageError(" ".join(str(error).split()) or type(error).__name__)


def _opened(raw: IO[bytes]) -> zipfile.ZipFile:
    """The archive in a file."""
    try:
        return zipfile.ZipFile(raw)
    except UNREADABLE as error:
        raise _damage(error) from error


def _read_header(archive: zipfile.ZipFile, path: str | Path) -> dict[str, Any]:
    """The description that a file begins with, if this version can read it."""
    if HEADER not in archive.namelist():
        raise FormatError(f"an archive, but not one of `save`: it has no {HEADER}", path)
    size = _checked_size(archive, HEADER, HEADERS)
    try:
        with archive.open(HEADER) as file:
            header = json.loads(file.read(size))
    except RecursionError as error:
        raise _DamageError("too deep") from error
    except (ValueError, *UNREADABLE) as error:  # no JSON, or no UTF-8
        raise _damage(error) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError("an archive, but not one of `save`", path)
    version = header.get("format_version")
    if type(version) is not int or version not in KNOWN:
        raise FormatError(
            f"a run of format version {quoted(version)}; spacy-chance-eval {__version__} knows "
            f"{', '.join(map(str, KNOWN))}: update it, or save the run again",
            path,
        )
    return header


def _checked_size(archive: zipfile.ZipFile, name: str, times: int) -> int:
    """The unpacked size of a member, if a run can have one so large for its packed bytes."""
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise _DamageError(f"{name} is missing") from error
    if info.compress_type not in PACKINGS:
        raise _DamageError(f"{name} is compressed in another way than by `save`")
    if info.file_size > SMALL + times * info.compress_size:
        raise _DamageError(f"{name} would have {info.file_size} bytes")
    return info.file_size


def _check(right: bool, message: str = MISFIT) -> None:
    """Raise if something is not as it is in a run."""
    if not right:
        raise _DamageError(message)


def _item(mapping: Any, key: str, *kinds: type) -> Any:
    """An entry of an object of JSON, of one of some kinds."""
    _check(isinstance(mapping, dict) and key in mapping, f"{key} is missing")
    value = mapping[key]
    right = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
    _check(right, f"{key} is of another kind")
    return value


class _Stored:
    """The arrays of a file by their numbers, each read once: shared arrays are shared again."""

    def __init__(self, archive: zipfile.ZipFile, header: Mapping[str, Any]) -> None:
        self._archive, self._read = archive, dict[int, Array]()
        self._dtypes = _item(header, "arrays", list)

    def __getitem__(self, number: Any) -> Array:
        if number in self._read:
            return self._read[number]
        with self._opened(number) as (file, dtype, shape):
            array = np.empty(shape, dtype)
            data = array.reshape(-1).view(np.uint8)
            n_bytes = file.readinto(data)  # type: ignore[attr-defined]  # a member of a zip
            _check(n_bytes == len(data) and not file.read(1))
        wide = self._dtypes[number]
        _check(isinstance(wide, str) and DTYPE.fullmatch(wide) is not None, NO_NUMBERS)
        self._read[number] = array.astype(wide, copy=False)
        return self._read[number]

    def shape(self, number: Any) -> tuple[int, ...]:
        """The shape of an array of numbers; nothing but its header is read."""
        with self._opened(number) as (_, _, shape):
            return shape

    @contextmanager
    def _opened(self, number: Any) -> Iterator[tuple[IO[bytes], str, tuple[int, ...]]]:
        """(the numbers of an array in the file, their type, their shape), if these fit.

        numpy would parse the header as Python, in which a wrong byte can be anything.
        """
        _check(
            type(number) is int and 0 <= number < len(self._dtypes), f"{quoted(number)} is no array"
        )
        name = f"{number}.npy"
        size = _checked_size(self._archive, name, ARRAYS)
        try:
            with self._archive.open(name) as file:
                head = file.read(len(MAGIC) + 2)
                right = len(head) == len(MAGIC) + 2 and head.startswith(MAGIC)
                _check(right, "an array of another version")
                text = file.read(int.from_bytes(head[-2:], "little"))
                found = ARRAY.fullmatch(text)
                _check(found is not None, NO_NUMBERS)
                assert found is not None
                shape = tuple(map(int, found[2].replace(b",", b" ").split()))
                dtype = found[1].decode()
                size -= len(head) + len(text)
                right = size == math.prod(shape) * np.dtype(dtype).itemsize
                _check(right, f"an array of shape {shape} that has {size} bytes")
                yield file, dtype, shape
        except UNREADABLE as error:
            raise _damage(error) from error

    def array(self, number: Any, shape: tuple[int, ...], kind: Any) -> Array:
        """An array, if it has this shape and kind of numbers."""
        _check(self.shape(number) == shape)
        _check(np.issubdtype(self[number].dtype, kind))
        return self[number]


def _run_from(header: dict[str, Any], arrays: _Stored) -> StoredRun:
    """The `StoredRun` that a header and its arrays describe, checked."""
    shape = arrays.shape(_item(header, "seen", int))
    _check(len(shape) == 1)
    n_docs = shape[0]
    labels = _texts(_item(header, "labels", list)) or ()
    names = _texts(_item(header, "names", list, type(None)))
    clusters = _texts(_item(header, "clusters", list, type(None)))
    facts, sources = _item(header, "facts", dict), _texts(_item(header, "sources", list)) or ()
    _check(tuple(sorted(set(labels))) == labels)
    _check(all(one is None or len(one) == n_docs for one in (names, clusters)))
    _check(names is None or len(set(names)) == len(names))
    _check(len(sources) == 2)
    _check(all(isinstance(v, (str, int)) for pair in facts.items() for v in pair))
    _check(all(isinstance(facts.get(key), str) for key in ("gold", "positions")))
    seen = arrays.array(header["seen"], (n_docs,), np.bool_)
    keys, support = _item(header, "keys", dict), _item(header, "support", dict)
    content = {name: arrays.array(_item(keys, name, int), (n_docs,), np.uint64) for name in KEYS}
    table_shape = n_docs, len(labels)
    rows, kept = _item(header, "metrics", list), _item(header, "annotations", dict, type(None))
    _check(bool(rows))
    metrics = dict(_metric_from(row, arrays, *table_shape) for row in rows)
    tables: dict[Key, IntArray] = {}
    for number, role in enumerate(ROLES):
        place = _item(support, role, int)
        tables["annotator", number] = arrays.array(place, table_shape, np.signedinteger)
        if any(one.request.ignores_labels for one in metrics.values()):
            place = _item(support, f"{role}{ANY_LABEL}", int)
            table = arrays.array(place, (n_docs, 1), np.signedinteger)
            tables["annotator", number, ANY_LABEL] = table
    counts = Counts(
        (GOLD, PRED),
        labels,
        facts["positions"],
        np.array([seen, seen]),
        {},
        support=tables,
        contents=np.array([content["gold"], content["pred"]]),
        words=content["words"],
        named=content["named"],
        documents=names,
        gold=True,
    )
    return StoredRun(
        counts=counts,
        metrics=metrics,
        unit=_item(header, "unit", str),
        clusters=clusters,
        facts=facts,
        sources=sources,
        version=_item(header, "version", str),
        saved=_item(header, "saved", str),
        title=_item(header, "title", str, type(None)),
        annotations=(
            None if kept is None else _annotations_from(kept, arrays, labels, names, seen)
        ),
    )


def _texts(values: list[Any] | None) -> tuple[str, ...] | None:
    """A list of texts as a tuple; None stays None."""
    if values is None:
        return None
    _check(all(isinstance(value, str) for value in values), "names and labels must be texts")
    return tuple(values)


def _metric_from(row: Any, arrays: _Stored, n_docs: int, n_labels: int) -> tuple[str, StoredMetric]:
    """The name of a metric, and its `StoredMetric`."""
    name, draws = _item(row, "name", str), _item(row, "draws", str, type(None))
    metric, parameters = _item(row, "metric", str), _item(row, "parameters", dict)
    try:
        request = stored_request(metric, parameters)
    except ValueError as error:
        raise _UnknownError(f"{name} ({error})") from error
    n_labels = 1 if request.ignores_labels else n_labels
    plain, sizes = _item(row, "statistics", dict), {"d": n_docs, "l": n_labels, "1": 1}
    layout = request.row.layout
    observed = _unpacked(_item(plain, "observed", dict), arrays, layout, sizes)
    expected = _item(plain, "expected", dict, type(None))
    _check((expected is None) == (request.placement == "none"), "statistics are missing")
    if expected is not None:
        expected = _unpacked(expected, arrays, layout, sizes)
    statistics = Statistics(observed, expected, exact=_item(plain, "exact", bool))
    columns = {k: _columns_from(k, v) for k, v in _item(row, "prior", dict).items()}
    return name, StoredMetric(request, statistics, columns, draws)


def _columns_from(key: str, values: Any) -> Any:
    """For what statistics have columns, as it was: sets of labels, or lengths."""
    _check(isinstance(values, list))
    if key == "lengths":
        _check(all(type(value) is int and abs(value) < 2**63 for value in values))
        return np.array(values, np.int64)
    _check(all(isinstance(value, list) for value in values))
    return tuple(_texts(value) for value in values)


def _unpacked(
    plain: dict[str, Any], arrays: _Stored, layout: Layout, sizes: dict[str, int]
) -> Additive:
    """Additive statistics of a layout, checked."""
    if not issubclass(layout.kind, Valued):
        return _unpacked_fields(plain, arrays, layout, dict(sizes))
    whole, labels = (_item(plain, name, dict) for name in ("whole", "labels"))
    return Divided(
        _unpacked_fields(whole, arrays, layout, sizes | {"g": 1}),
        _unpacked_fields(labels, arrays, layout, sizes | {"g": sizes["l"]}),
    )


def _unpacked_fields(
    plain: dict[str, Any], arrays: _Stored, layout: Layout, sizes: dict[str, int]
) -> Any:
    """Statistics whose fields are arrays, or statistics again."""
    kind = layout.kind.__name__
    _check(_item(plain, "kind", str) == kind, f"{kind} expected, not {quoted(plain['kind'])}")
    parts: dict[str, Any] = {}
    for name, axes in layout.axes.items():
        if isinstance(axes, Layout):
            parts[name] = _unpacked_fields(_item(plain, name, dict), arrays, axes, sizes)
            continue
        shape = arrays.shape(_item(plain, name, int))
        _check(len(shape) == len(axes), f"{name} has shape {shape}")
        expected = tuple(sizes.setdefault(axis, size) for axis, size in zip(axes, shape))
        _check(shape == expected, f"{name} has shape {shape}, expected {expected}")
        parts[name] = arrays[plain[name]]
        _check(parts[name].dtype.kind in "if", f"{name} holds no numbers")
    return layout.kind(**parts)


def _annotations_from(
    kept: dict[str, Any],
    arrays: _Stored,
    labels: tuple[str, ...],
    names: tuple[str, ...] | None,
    seen: Array,
) -> Annotations:
    """Both annotators as aligned `Spans`."""
    sizes = arrays.array(_item(kept, "sizes", int), seen.shape, np.signedinteger)
    words = _texts(_item(kept, "words", list, type(None)))
    texts = _texts(_item(kept, "texts", list, type(None)))
    _check(texts is None or len(texts) == len(seen), "its texts do not fit its documents")
    sentences = arrays[_item(kept, "sentences", int)]
    annotators = []
    for role in ROLES:
        columns = {n: arrays[_item(_item(kept, role, dict), n, int)] for n in COLUMNS}
        _check(all(column.dtype.kind in "iu" for column in columns.values()))
        _check(len({columns[name].shape for name in COLUMNS[:4]}) == 1)
        _check(columns["doc"].ndim == 1)
        _check(all(columns[name].shape[1:] == (3,) for name in COLUMNS[4:]))
        try:
            spans = Spans(
                **columns,
                sizes=sizes,
                labels=labels,
                seen=seen,
                sentences=sentences,
                words=words,
                names=names,
            )
        except ValueError as error:
            raise _damage(error) from error
        annotators.append(spans)
    try:
        gold, pred = align(*annotators)
    except ValueError as error:
        raise _damage(error) from error
    return Annotations(gold, pred, texts)
